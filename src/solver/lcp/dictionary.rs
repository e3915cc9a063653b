//! Pivoting dictionaries: basic variables as functions of nonbasic ones.

/// The equations `w = M z + d z₀ + q`, solved for some `n` of the `2n + 1` variables:
///
/// ```text
/// basicᵢ = constantᵢ + Σⱼ entryᵢⱼ nonbasicⱼ
/// ```
///
/// Variables are numbered: `wᵢ` is `i`, `zᵢ` is `n + i`, and `z₀` is `2n`.
#[derive(Debug, Clone, Default)]
pub(super) struct Dictionary {
    size: usize,
    /// Row by row; each row ends with the constant.
    entries: Vec<f64>,
    basic: Vec<usize>,
    nonbasic: Vec<usize>,
    /// Of each variable: its row, or `n` + its column.
    place: Vec<usize>,
    /// The entries at the start.
    initial: Vec<f64>,
    /// Variables that a new dictionary must exchange; scratch.
    entering: Vec<usize>,
    leaving: Vec<usize>,
    /// Columns where the row of a pivot is not zero; scratch.
    pattern: Vec<usize>,
    /// Rows that take part in a ratio test; scratch.
    pub candidates: Vec<usize>,
}

/// Where a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Basic, in this row.
    Row(usize),
    /// Nonbasic, in this column.
    Column(usize),
}

/// Entries smaller than this, relative to the largest of their column or to 1, are round-off.
const NOISE: f64 = 1e-11;
/// Rows of which less than one entry in so many is not zero are worked entry by entry.
const SPARSE: usize = 3;
/// Ratios that differ by less are equal.
const TIE: f64 = 1e-12;

impl Dictionary {
    /// Starts with all `w` basic. `entry(i, j)` is that of `M`, `cover(i)` of `d`, `constant(i)` of
    /// `q`. Only when told to `keep` these can the dictionary be refreshed.
    pub fn reset(
        &mut self,
        size: usize,
        keep: bool,
        entry: impl Fn(usize, usize) -> f64,
        cover: impl Fn(usize) -> f64,
        constant: impl Fn(usize) -> f64,
    ) {
        self.size = size;
        self.entries.clear();
        self.entries.reserve(size * (size + 2));
        for i in 0..size {
            self.entries.extend((0..size).map(|j| entry(i, j)));
            self.entries.extend([cover(i), constant(i)]);
        }
        if keep {
            self.initial.clone_from(&self.entries);
        }
        self.name_initial_variables();
    }

    fn name_initial_variables(&mut self) {
        let size = self.size;
        self.basic.clear();
        self.basic.extend(0..size);
        self.nonbasic.clear();
        self.nonbasic.extend(size..=2 * size);
        self.place.clear();
        self.place.extend(0..=2 * size);
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of the covering variable.
    pub fn z0(&self) -> usize {
        2 * self.size
    }

    pub fn w(&self, i: usize) -> usize {
        i
    }

    pub fn z(&self, i: usize) -> usize {
        self.size + i
    }

    /// `zᵢ` of `wᵢ`, and the reverse; not of `z₀`.
    pub fn complement(&self, variable: usize) -> usize {
        if variable < self.size {
            variable + self.size
        } else {
            variable - self.size
        }
    }

    pub fn basic(&self, row: usize) -> usize {
        self.basic[row]
    }

    pub fn place(&self, variable: usize) -> Place {
        match self.place[variable] {
            row if row < self.size => Place::Row(row),
            place => Place::Column(place - self.size),
        }
    }

    pub fn entry(&self, row: usize, column: usize) -> f64 {
        self.entries[row * (self.size + 2) + column]
    }

    pub fn constant(&self, row: usize) -> f64 {
        self.entry(row, self.size + 1)
    }

    /// Makes the variable of `column` basic, and the one of `row` nonbasic.
    pub fn exchange(&mut self, row: usize, column: usize) {
        let stride = self.size + 2;
        let (before, rest) = self.entries.split_at_mut(row * stride);
        let (pivot_row, after) = rest.split_at_mut(stride);
        let scale = -1.0 / pivot_row[column];
        pivot_row[column] = -1.0;
        for x in pivot_row.iter_mut() {
            *x *= scale;
        }
        // Of a problem in parts that do not touch, rows are mostly zeros.
        let pattern = &mut self.pattern;
        pattern.clear();
        let entries = pivot_row.iter().enumerate();
        pattern.extend(entries.filter(|(_, x)| **x != 0.0).map(|(j, _)| j));
        let is_sparse = SPARSE * pattern.len() < stride;
        let others = before
            .chunks_exact_mut(stride)
            .chain(after.chunks_exact_mut(stride));
        for other in others {
            let factor = std::mem::replace(&mut other[column], 0.0);
            if factor == 0.0 {
                continue;
            }
            if is_sparse {
                for &j in &*pattern {
                    other[j] += factor * pivot_row[j];
                }
            } else {
                for (x, &p) in other.iter_mut().zip(&*pivot_row) {
                    *x += factor * p;
                }
            }
        }
        std::mem::swap(&mut self.basic[row], &mut self.nonbasic[column]);
        self.place[self.basic[row]] = row;
        self.place[self.nonbasic[column]] = self.size + column;
    }

    /// Computes the dictionary anew from the data, with the same basic variables, so that the
    /// round-off of earlier exchanges is gone. Pivots are the largest that are left.
    pub fn refresh(&mut self) {
        let n = self.size;
        let mut entering = std::mem::take(&mut self.entering);
        let mut leaving = std::mem::take(&mut self.leaving);
        entering.clear();
        entering.extend(self.basic.iter().filter(|&&variable| variable >= n));
        leaving.clear();
        leaving.extend(self.nonbasic.iter().filter(|&&variable| variable < n));
        self.entries.clone_from(&self.initial);
        self.name_initial_variables();
        while !entering.is_empty() {
            let (mut best, mut largest) = ((0, 0), -1.0);
            for (e, &into) in entering.iter().enumerate() {
                for (l, &out) in leaving.iter().enumerate() {
                    let entry = self.entry(out, into - n).abs();
                    if entry > largest {
                        (best, largest) = ((e, l), entry);
                    }
                }
            }
            // Variables `wᵢ` start in row `i`, the others in column `variable - n`.
            let (into, out) = (entering.swap_remove(best.0), leaving.swap_remove(best.1));
            if largest <= 0.0 {
                break;
            }
            self.exchange(out, into - n);
        }
        (self.entering, self.leaving) = (entering, leaving);
    }

    /// The size below which entries of a column are round-off.
    pub fn noise(&self, column: usize) -> f64 {
        let entries = (0..self.size).map(|i| self.entry(i, column).abs());
        NOISE * entries.fold(0.01, |largest, x| if x > largest { x } else { largest })
    }

    /// The row whose variable first falls to zero when that of `column` grows, among rows that
    /// `takes_part` admits; `preferred` wins ties, the lexicographic rule decides the others.
    pub fn ratio_test(
        &mut self,
        column: usize,
        preferred: usize,
        takes_part: impl Fn(&Self, usize) -> bool,
    ) -> Option<usize> {
        let noise = self.noise(column);
        let ratio = |d: &Self, i: usize| -d.constant(i).max(0.0) / d.entry(i, column);
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.clear();
        let mut least = f64::INFINITY;
        for i in 0..self.size {
            if self.entry(i, column) < -noise && takes_part(self, i) {
                candidates.push(i);
                least = least.min(ratio(self, i));
            }
        }
        if candidates.len() > 1 {
            candidates.retain(|&i| is_tie(ratio(self, i), least));
        }
        let row = if let Some(row) = self
            .row_of(preferred)
            .filter(|row| candidates.contains(row))
        {
            Some(row)
        } else {
            let mut j = 0;
            while candidates.len() > 1 && j < self.size {
                self.keep_least(&mut candidates, column, |d, i| d.sensitivity(i, j));
                j += 1;
            }
            candidates.first().copied()
        };
        self.candidates = candidates;
        row
    }

    /// Keeps the rows with the least ratio of `value` to the (negative) entry in `column`.
    fn keep_least(
        &self,
        rows: &mut Vec<usize>,
        column: usize,
        value: impl Fn(&Self, usize) -> f64,
    ) {
        let ratio = |i: usize| -value(self, i) / self.entry(i, column);
        let least = rows.iter().map(|&i| ratio(i)).fold(f64::INFINITY, f64::min);
        rows.retain(|&i| is_tie(ratio(i), least));
    }

    fn row_of(&self, variable: usize) -> Option<usize> {
        match self.place[variable] {
            row if row < self.size => Some(row),
            _ => None,
        }
    }

    /// Derivative of the constant of a row with respect to `qⱼ`: replacing `qⱼ` by `qⱼ + δ` is
    /// replacing `wⱼ` by `wⱼ − δ`.
    pub fn sensitivity(&self, row: usize, j: usize) -> f64 {
        match self.place(self.w(j)) {
            Place::Row(of_w) => f64::from(u8::from(of_w == row)),
            Place::Column(column) => -self.entry(row, column),
        }
    }
}

fn is_tie(ratio: f64, least: f64) -> bool {
    ratio - least <= TIE * least.abs().max(1.0)
}
