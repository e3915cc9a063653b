//! Independent rows of a positive semidefinite matrix, by pivoted Cholesky factorisation.

/// Diagonal entries below this part of the largest are zero: squares of lengths that differ by 10¹¹.
const ZERO: f64 = 1e-22;

/// Of pivots that are at least this part of the largest the first is taken: those of rows that are equally long differ by
/// round-off, which is not to decide which rows count.
const NEARLY: f64 = 0.9;

/// Finds rows of a positive semidefinite matrix that all others depend on; a workspace.
///
/// Cholesky factorisation with complete pivoting of the matrix scaled to a unit diagonal (Higham
/// 2002, *Accuracy and Stability of Numerical Algorithms*, §10.3), up to pivots of a tolerance: a row
/// whose distance from the space of the others is less than the root of it, of its length, depends on
/// them. So does a row that is zero but for round-off, which scaling would blow up.
#[derive(Debug, Clone, Default)]
pub(crate) struct IndependentRows {
    size: usize,
    /// What the chosen rows leave of the scaled matrix, row by row.
    a: Vec<f64>,
    scale: Vec<f64>,
    waiting: Vec<usize>,
    chosen: Vec<usize>,
}

impl IndependentRows {
    /// The independent rows, ascending.
    pub fn find(
        &mut self,
        size: usize,
        entry: impl Fn(usize, usize) -> f64,
        tolerance: f64,
    ) -> &[usize] {
        self.load(size, &entry, |i| entry(i, i));
        self.choose(|_| true, tolerance)
    }

    /// Takes over a matrix, and the positive measures by which its rows and columns are scaled.
    pub fn load(
        &mut self,
        size: usize,
        entry: impl Fn(usize, usize) -> f64,
        measure: impl Fn(usize) -> f64,
    ) {
        let largest = (0..size).map(&measure).fold(0.0, f64::max);
        self.size = size;
        self.scale.clear();
        self.scale.extend((0..size).map(|i| match measure(i) {
            d if d > ZERO * largest => 1.0 / d.sqrt(),
            _ => 0.0,
        }));
        let scale = &self.scale;
        self.a.clear();
        for i in 0..size {
            (self.a).extend((0..size).map(|j| entry(i, j) * scale[i] * scale[j]));
        }
        self.waiting.clear();
        self.waiting.extend(0..size);
        self.chosen.clear();
    }

    /// Chooses rows among those asked for that are independent of each other and of those chosen before;
    /// returns all that are chosen, ascending.
    pub fn choose(&mut self, among: impl Fn(usize) -> bool, tolerance: f64) -> &[usize] {
        let IndependentRows {
            size,
            a,
            waiting,
            chosen,
            ..
        } = self;
        let size = *size;
        let pivot = |a: &[f64], i: usize| a[i * (size + 1)];
        loop {
            let candidates = || waiting.iter().enumerate().filter(|(_, i)| among(**i));
            let largest = (candidates().map(|(_, i)| pivot(a, *i))).max_by(f64::total_cmp);
            // Written so that NaN ends the search.
            let Some(largest) = largest.filter(|largest| *largest > tolerance) else {
                break;
            };
            let is_large = |(_, i): &(usize, &usize)| pivot(a, **i) >= NEARLY * largest;
            let Some((position, &p)) = candidates().find(is_large) else {
                break;
            };
            let divisor = pivot(a, p);
            waiting.remove(position);
            chosen.push(p);
            for &j in &*waiting {
                let factor = a[p * size + j] / divisor;
                for &i in &*waiting {
                    a[i * size + j] -= a[i * size + p] * factor;
                }
            }
        }
        chosen.sort_unstable();
        chosen
    }

    /// What is left of an entry of the scaled matrix for a motion along which the chosen rows do not change.
    pub fn rest(&self, i: usize, j: usize) -> f64 {
        self.a[i * self.size + j]
    }
}
