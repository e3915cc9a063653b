//! Forces of least norm for redundant equations.

use crate::autodiff::implicit_step;
use crate::math::{Cholesky, Factorization, Singular, real_parts, resize_matrix};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

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
