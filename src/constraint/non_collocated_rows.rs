//! Solvability of equations with non-collocated forces: whether G A⁻¹ Ĝᵀ is regular.

/// Effects of forces below this part of what they could be are round-off.
const ROUND_OFF: f64 = 1e-12;

/// Finds equations that non-collocated forces cannot satisfy; a workspace.
///
/// The mobility `G A⁻¹ Ĝᵀ`, scaled by the lengths of rows and directions in the norm of `A⁻¹`, has the cosines
/// between rows and directions for entries. Elimination with complete pivoting leaves of them what each force does
/// beside the others.
#[derive(Debug, Clone, Default)]
pub(crate) struct NonCollocatedRows {
    /// What is left of the scaled mobility, row by row.
    a: Vec<f64>,
    /// The inverse lengths of each row and of its direction.
    scales: Vec<[f64; 2]>,
    rows: Vec<usize>,
    columns: Vec<usize>,
}

impl NonCollocatedRows {
    /// The row that its force changes least and by how much, if that is round-off.
    ///
    /// Rows whose force is not their `own` are independent of each other; `entry` is the mobility, `lengths` are those of
    /// a row and of its direction.
    pub fn find_missing(
        &mut self,
        size: usize,
        is_own: impl Fn(usize) -> bool,
        entry: impl Fn(usize, usize) -> f64,
        lengths: impl Fn(usize) -> [f64; 2],
    ) -> Option<(usize, f64)> {
        let scale = |i: usize| {
            lengths(i).map(|length| match length {
                l if l > 0.0 => 1.0 / l,
                _ => 0.0,
            })
        };
        self.scales.clear();
        self.scales.extend((0..size).map(scale));
        self.a.clear();
        for i in 0..size {
            let scales = &self.scales;
            let row = (0..size).map(|j| entry(i, j) * scales[i][0] * scales[j][1]);
            self.a.extend(row);
        }
        for waiting in [&mut self.rows, &mut self.columns] {
            waiting.clear();
            waiting.extend(0..size);
        }
        for i in (0..size).filter(|&i| !is_own(i)) {
            self.eliminate(size, i, i);
        }
        while let Some(&first) = self.rows.first() {
            let (mut at, mut largest) = ((first, first), 0.0f64);
            for &i in &self.rows {
                for &j in &self.columns {
                    let effect = self.a[i * size + j].abs();
                    if effect > largest {
                        (at, largest) = ((i, j), effect);
                    }
                }
            }
            if largest <= ROUND_OFF {
                return Some((at.0, largest));
            }
            self.eliminate(size, at.0, at.1);
        }
        None
    }

    fn eliminate(&mut self, size: usize, row: usize, column: usize) {
        self.rows.retain(|&i| i != row);
        self.columns.retain(|&j| j != column);
        let a = &mut self.a;
        let pivot = a[row * size + column];
        for &i in &self.rows {
            let factor = a[i * size + column] / pivot;
            for &j in &self.columns {
                a[i * size + j] -= factor * a[row * size + j];
            }
        }
    }
}
