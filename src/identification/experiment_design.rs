//! Optimal experiment design.

use crate::autodiff::{ChunkDual, HessianDual, jacobian_of};
use crate::{DefaultScalar, InvalidInput};
use nalgebra::{DMatrix, DVector};

/// Directions of each kind that one evaluation in [`HessianDual`]s carries.
const CHUNK: usize = 4;

/// Part of a column of derivatives that the others must leave: products of columns are exact to half the
/// digits of it.
const SMALLEST_PIVOT: f64 = 1e-6;

/// An experiment that has not been made yet: what it would measure, as a function of the unknowns and of
/// numbers that can be chosen, such as the Fourier coefficients of a motion or the release of a throw.
pub trait PlannedExperiment {
    /// What can go wrong in an evaluation; [`InvalidInput`] if nothing else can.
    type Error: From<InvalidInput>;

    /// Predicted measurements, each divided by its standard deviation.
    ///
    /// # Errors
    /// As the implementation says.
    fn predict<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        design: &[T],
    ) -> Result<DVector<T>, Self::Error>;
}

/// What a design is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Optimality {
    /// `−ln det M`: the volume of the confidence ellipsoid. Units of the unknowns do not matter.
    D,
    /// `tr M⁻¹`: the sum of the variances of the estimates.
    A,
}

/// How good a design is; smaller is better.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DesignScore {
    /// The information matrix in units of the scales.
    pub information: DMatrix<f64>,
    /// The criterion.
    pub score: f64,
    /// Its derivatives with respect to the design.
    pub gradient: DVector<f64>,
}

impl Optimality {
    /// The score of a design at given unknowns, and its gradient.
    ///
    /// # Mathematics
    /// The information matrix of measurements `y(p, u)` with unit variance is `M = M₀ + Σ JᵀJ Σ` with `J =
    /// ∂y/∂p` and the scales `Σ` of the unknowns; its inverse bounds the covariance of every unbiased
    /// estimate (Cramér–Rao), and is that of least squares to first order. `M₀` is what is known before.
    /// With the second derivatives `∂J/∂u_k`, from hyper-dual numbers,
    ///
    /// ```text
    /// ∂(−ln det M)/∂u_k = −2 ⟨J̃ M⁻¹, ∂J̃/∂u_k⟩,    ∂(tr M⁻¹)/∂u_k = −2 ⟨J̃ M⁻², ∂J̃/∂u_k⟩,    J̃ = J Σ
    /// ```
    ///
    /// (Fedorov 1972, *Theory of Optimal Experiments*; for robots Armstrong 1989, *On finding exciting
    /// trajectories for identification experiments involving systems with nonlinear dynamics*, Int. J.
    /// Robotics Research 8(6), 28–48.) Through impacts the derivatives are those of the contacts that
    /// the trajectory makes.
    ///
    /// `scales` are the changes of the unknowns that count as equal, and `prior` is `M₀` in units of
    /// them, symmetric and without negative eigenvalues; none is zero.
    ///
    /// # Errors
    /// That of the experiment; [`InvalidInput`] for sizes that do not fit, numbers that are not finite,
    /// scales that are not positive, and a design that does not determine the unknowns, with the index of one that it does
    /// not tell from those before it.
    pub fn score<X: PlannedExperiment>(
        self,
        experiment: &X,
        unknowns: &[f64],
        scales: &[f64],
        prior: Option<&DMatrix<f64>>,
        design: &[f64],
    ) -> Result<DesignScore, X::Error> {
        let n = unknowns.len();
        InvalidInput::check_size("scales of the unknowns", scales.len(), n)?;
        InvalidInput::check_range("scales of the unknowns", scales, "a positive number", |s| {
            s > 0.0 && s.is_finite()
        })?;
        InvalidInput::check_finite("design", design)?;
        let (_, mut jacobian) = jacobian_of(
            |p: &[ChunkDual]| {
                let design: Vec<_> = design.iter().map(|&u| ChunkDual::from_re(u)).collect();
                experiment.predict(p, &design)
            },
            unknowns,
        )?;
        for (mut column, scale) in jacobian.column_iter_mut().zip(scales) {
            column *= *scale;
        }
        InvalidInput::check_finite("derivatives of the measurements", jacobian.as_slice())?;
        let mut information = jacobian.tr_mul(&jacobian);
        if let Some(prior) = prior {
            InvalidInput::check_size("rows of the prior information", prior.nrows(), n)?;
            InvalidInput::check_size("columns of the prior information", prior.ncols(), n)?;
            InvalidInput::check_finite("prior information", prior.as_slice())?;
            check_prior(prior)?;
            information += prior;
        }
        let factor = information.clone().cholesky().filter(|factor| {
            // What is left of each column when the others are subtracted.
            let pivots = factor.l_dirty().diagonal();
            let squares = information.diagonal();
            (pivots.iter().zip(&squares)).all(|(pivot, m)| *pivot > SMALLEST_PIVOT * m.sqrt())
        });
        let factor = factor.ok_or_else(|| {
            let (index, value) = least_determined(&information);
            InvalidInput::OutOfRange {
                quantity: "part of an unknown that the design tells from those before it",
                index: Some(index),
                value,
                expected: "that of a design which determines all unknowns",
            }
        })?;
        let inverse = factor.inverse();
        let (score, weight) = match self {
            Optimality::D => (
                -2.0 * factor.l_dirty().diagonal().map(f64::ln).sum(),
                inverse,
            ),
            Optimality::A => (inverse.trace(), &inverse * &inverse),
        };
        let mut weights = jacobian * weight * -2.0;
        for (mut column, scale) in weights.column_iter_mut().zip(scales) {
            column *= *scale;
        }
        let gradient = contract_second_derivatives(experiment, unknowns, design, &weights)?;
        InvalidInput::check_finite("gradient of the score", gradient.as_slice())?;
        Ok(DesignScore {
            information,
            score,
            gradient,
        })
    }
}

/// The unknown whose column of derivatives is nearest to those before it, and how much of its length they leave: the
/// pivots of a Cholesky factorisation.
fn least_determined(information: &DMatrix<f64>) -> (usize, f64) {
    let n = information.nrows();
    let mut rest = information.clone();
    let mut least = (0, f64::INFINITY);
    for j in 0..n {
        let (pivot, whole) = (rest[(j, j)].max(0.0), information[(j, j)]);
        let part = if whole > 0.0 {
            (pivot / whole).sqrt()
        } else {
            0.0
        };
        if part < least.1 {
            least = (j, part);
        }
        if part > SMALLEST_PIVOT {
            let column = rest.column(j) / pivot.sqrt();
            rest -= &column * column.transpose();
        }
    }
    least
}

/// Checks that a matrix may be one of information: symmetric, without negative eigenvalues.
fn check_prior(prior: &DMatrix<f64>) -> Result<(), InvalidInput> {
    let round_off = 1e-12 * prior.amax();
    let skew = (prior - prior.transpose()).amax();
    InvalidInput::check_range("asymmetry of the prior information", &[skew], "zero", |x| {
        x <= round_off
    })?;
    let n = prior.nrows();
    let shifted = prior + DMatrix::identity(n, n) * (n as f64 * round_off);
    let is_information = prior.amax() == 0.0 || shifted.cholesky().is_some();
    let smallest = prior.diagonal().min();
    let expected = "those of a matrix without negative eigenvalues";
    InvalidInput::check_range(
        "diagonal of the prior information",
        &[smallest],
        expected,
        |_| is_information,
    )
}

/// `Σ W_ij ∂²y_i/∂p_j∂u_k` for every `k`.
fn contract_second_derivatives<X: PlannedExperiment>(
    experiment: &X,
    unknowns: &[f64],
    design: &[f64],
    weights: &DMatrix<f64>,
) -> Result<DVector<f64>, X::Error> {
    let mut gradient = DVector::zeros(design.len());
    for row in (0..unknowns.len()).step_by(CHUNK) {
        for column in (0..design.len()).step_by(CHUNK) {
            let first = seeds(unknowns, row, HessianDual::derivative1);
            let second = seeds(design, column, HessianDual::derivative2);
            let y = experiment.predict(&first, &second)?;
            for (i, y) in y.iter().enumerate() {
                let Some(mixed) = y.eps1eps2.0 else { continue };
                for j in row..unknowns.len().min(row + CHUNK) {
                    for k in column..design.len().min(column + CHUNK) {
                        gradient[k] += weights[(i, j)] * mixed[(j - row, k - column)];
                    }
                }
            }
        }
    }
    Ok(gradient)
}

fn seeds(
    x: &[f64],
    start: usize,
    seed: impl Fn(HessianDual, usize) -> HessianDual,
) -> Vec<HessianDual> {
    let seeded = x.iter().enumerate().map(|(i, &x)| {
        let x = HessianDual::from_re(x);
        match i.checked_sub(start).filter(|&k| k < CHUNK) {
            Some(k) => seed(x, k),
            None => x,
        }
    });
    seeded.collect()
}
