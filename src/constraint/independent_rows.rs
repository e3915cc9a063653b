//! Independent equations by pivoted Cholesky factorisation, and forces of least norm for redundant ones.

use crate::autodiff::implicit_step;
use crate::math::{Cholesky, Factorization, Singular, real_parts, resize_matrix};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

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

/// Memory of the search for forces of least norm.
#[derive(Debug, Clone)]
pub(super) struct LeastNorm<T: Scalar> {
    gram: DMatrix<T>,
    real_gram: DMatrix<f64>,
    factor: Cholesky,
    effect: Vec<T>,
    real: Vec<f64>,
    y: Vec<T>,
    residual: Vec<T>,
}

impl<T: Scalar> LeastNorm<T> {
    pub fn new() -> Self {
        LeastNorm {
            gram: DMatrix::zeros(0, 0),
            real_gram: DMatrix::zeros(0, 0),
            factor: Cholesky::identity(0),
            effect: Vec::new(),
            real: Vec::new(),
            y: Vec::new(),
            residual: Vec::new(),
        }
    }

    /// Replaces forces by those of least norm that act like them on the equations of `rows`.
    ///
    /// With `A` the rows (r×n) of the Delassus matrix, `f = Aᵀ (A Aᵀ)⁻¹ A f₀`: among all forces with the
    /// same effect the ones of least squares. They are the ones of the pseudo-inverse when the
    /// equations agree.
    pub fn replace(
        &mut self,
        rows: &[usize],
        all: &[usize],
        entry: impl Fn(usize, usize) -> T,
        forces: &mut [T],
    ) -> Result<(), LeastNormError> {
        let r = rows.len();
        resize_matrix(&mut self.gram, r, r);
        for (b, a) in (0..r).flat_map(|b| (0..r).map(move |a| (b, a))) {
            self.gram[(a, b)] = (all.iter()).fold(T::zero(), |sum, &j| {
                sum + entry(rows[a], j) * entry(rows[b], j)
            });
        }
        self.effect.clear();
        (self.effect).extend(
            rows.iter()
                .map(|&i| (all.iter()).fold(T::zero(), |sum, &j| sum + entry(i, j) * forces[j])),
        );
        real_parts(&self.gram, &mut self.real_gram);
        self.factor.factor(&self.real_gram)?;
        self.real.clear();
        self.real.extend(self.effect.iter().map(|x| x.re()));
        self.factor.solve_in_place(&mut self.real)?;
        self.y.clear();
        self.y.extend(self.real.iter().map(|&y| T::from(y)));
        self.residual.clear();
        self.residual.resize(r, T::zero());
        let (gram, effect) = (&self.gram, &self.effect);
        implicit_step(
            &self.factor,
            &mut self.y,
            &mut self.residual,
            |y, residual| {
                for (a, residual) in residual.iter_mut().enumerate() {
                    *residual = (0..r).fold(-effect[a], |sum, b| sum + gram[(a, b)] * y[b]);
                }
                Ok::<(), InvalidInput>(())
            },
        )?;
        for &j in all {
            let shares = rows.iter().zip(&self.y);
            forces[j] = shares.fold(T::zero(), |sum, (&i, &y)| sum + entry(i, j) * y);
        }
        Ok(())
    }
}

/// The rows are dependent after all: forces stay as they were.
#[derive(Debug)]
pub(super) struct LeastNormError;

impl From<Singular> for LeastNormError {
    fn from(_: Singular) -> Self {
        LeastNormError
    }
}

impl From<InvalidInput> for LeastNormError {
    fn from(_: InvalidInput) -> Self {
        LeastNormError
    }
}
