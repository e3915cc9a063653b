//! Priors of unknowns.

use super::evaluation::Linearization;
use super::gauss_newton::GaussNewton;
use super::unknown::Unknown;
use nalgebra::{DMatrix, DVector};
use std::borrow::Cow;

/// What is known of an unknown before: a normal distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Prior {
    /// Its mean, in the unit of the unknown; of a logarithmic unknown its median.
    pub mean: f64,
    /// Its standard deviation, in the unit of the unknown; of a logarithmic unknown that of the logarithm.
    pub deviation: f64,
}

/// The priors of a fit, in the coordinates of the optimiser.
///
/// # Mathematics
/// With the Jacobian `J` of the weighted residuals of the data, of the variance `s²`, and priors of the information `P`, a
/// diagonal matrix of `1/σ²`, the fit minimises `½‖r‖² + ½ s² Σ ((z − m)/σ)²`: over `s²` the negative logarithm of the
/// posterior density. Its curvature is `JᵀJ + s²P`, and the covariance `K = (JᵀJ/s² + P)⁻¹`. Of
/// `K = K (JᵀJ/s²) K + K P K` the first term is what the noise of the data, the second what the priors leave open.
#[derive(Debug, Clone)]
pub(super) struct Priors {
    terms: Vec<Term>,
    /// `s²`.
    pub variance: f64,
}

#[derive(Debug, Clone, Copy)]
struct Term {
    unknown: usize,
    mean: f64,
    deviation: f64,
}

impl Term {
    /// `(z − m)/σ`.
    fn residual(&self, z: &[f64]) -> f64 {
        (z[self.unknown] - self.mean) / self.deviation
    }
}

impl Priors {
    /// Those of these unknowns.
    pub fn of(unknowns: &[Unknown], variance: f64) -> Self {
        let term = |(unknown, u): (usize, &Unknown)| {
            let prior = u.prior()?;
            Some(Term {
                unknown,
                mean: u.coordinate(prior.mean),
                deviation: u.coordinate_deviation(prior.deviation),
            })
        };
        Priors {
            terms: unknowns.iter().enumerate().filter_map(term).collect(),
            variance,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Their part of the cost at coordinates `z`.
    pub fn cost(&self, z: &[f64]) -> f64 {
        let squares = self.terms.iter().map(|term| term.residual(z).powi(2));
        0.5 * self.variance * squares.sum::<f64>()
    }

    /// How much less it is at `to`.
    pub fn reduction(&self, from: &[f64], to: &[f64]) -> f64 {
        let change = |term: &Term| {
            let (a, b) = (term.residual(from), term.residual(to));
            (a - b) * (a + b)
        };
        0.5 * self.variance * self.terms.iter().map(change).sum::<f64>()
    }

    /// The linear model of the data with the priors as further residuals, at coordinates `z`.
    pub fn with<'d>(&self, data: &'d Linearization, z: &[f64]) -> Cow<'d, Linearization> {
        if self.is_empty() {
            return Cow::Borrowed(data);
        }
        let mut all = data.clone();
        let (rows, columns) = (self.terms.len(), z.len() + 1);
        let mut block = vec![0.0; rows * columns];
        let root = self.variance.sqrt();
        for (row, term) in self.terms.iter().enumerate() {
            let r = root * term.residual(z);
            let slope = root / term.deviation;
            block[term.unknown * rows + row] = slope;
            block[z.len() * rows + row] = r;
            all.responding += r * r;
            all.round_off += (f64::EPSILON * slope * z[term.unknown]).powi(2);
        }
        all.r_factor.fold(&mut block);
        Cow::Owned(all)
    }

    /// `Tᵀ P T` of a basis `T` in coordinates (unknowns × directions).
    pub fn information(&self, basis: &DMatrix<f64>) -> DMatrix<f64> {
        let mut information = DMatrix::zeros(basis.ncols(), basis.ncols());
        for term in &self.terms {
            let row: DVector<f64> = basis.row(term.unknown).transpose() / term.deviation;
            information.ger(1.0, &row, &row, 1.0);
        }
        information
    }

    /// Number of directions that the data determine, `tr K JᵀJ/s²`: the rank without priors, and less by what these
    /// take from it. `basis` is the [normal one](super::covariance::normal_basis) of the model.
    pub fn determined_by_data(&self, model: &GaussNewton, basis: &DMatrix<f64>) -> f64 {
        let rank = model.rank() as f64;
        match self.is_empty() {
            true => rank,
            false => (rank - self.variance * self.information(basis).trace()).max(0.0),
        }
    }
}
