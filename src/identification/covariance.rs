//! How far the estimates may be from the truth.

use super::evaluation::Scores;
use super::gauss_newton::GaussNewton;
use super::question::Costs;
use nalgebra::{Cholesky, DMatrix};

/// What is known of the noise in the residuals.
///
/// With the weighted Jacobian `J` at the solution, restricted to free unknowns and determined
/// directions, m residuals, e quantities that the experiments have
/// [eliminated](super::Experiment::eliminated_count), and rank r:
///
/// | | covariance of the estimates |
/// |---|---|
/// | `Unit` | `(JᵀJ)⁻¹` |
/// | `Estimated` | `s² (JᵀJ)⁻¹` with `s² = ‖r‖²/(m − e − r)` |
/// | `Independent` | `(B − 1)/B · H⁻¹ G H⁻¹` over B blocks |
///
/// # The sandwich
/// An estimate that zeroes a sum of scores, `Σ_b ψ_b(p̂) = 0` with `ψ_b = w_b J_bᵀ r_b` independent
/// and of zero mean at the true `p`, is off by `δ ≈ −H⁻¹ Σ ψ_b` with `H = ∂Σψ/∂p`, so its covariance
/// is `H⁻¹ G H⁻¹` with `G = Σ cov ψ_b`, estimated by `Σ ψ̂_b ψ̂_bᵀ` (Huber 1967, *Proc. 5th Berkeley
/// Symposium* I, 221–233; White 1980, *Econometrica* 48(4), 817–838; for blocks Liang & Zeger 1986,
/// *Biometrika* 73(1), 13–22). Residuals are smaller than the noise, since the estimate follows it,
/// the more the larger the leverage `L_b = w_b J_b (Σ w JᵀJ)⁻¹ J_bᵀ` of their block is; in
/// `ψ̂_b = w_b J_bᵀ (1 − L_b)⁻¹ r_b` they are what they would be if the estimate had been made without
/// the block, which makes `Σ` that of the jackknife, with its factor `(B − 1)/B` (HC3 of MacKinnon &
/// White 1985, *J. Econometrics* 29(3), 305–325, for blocks Bell & McCaffrey 2002, *Survey
/// Methodology* 28(2), 169–181). A block without which an unknown is not determined has leverage 1
/// and is taken as it is. What the experiments have eliminated has leverage, too, which the optimiser does not see.
/// Blocks of whole experiments take their own along when they are left out; with several blocks to an
/// experiment variances are multiplied by `m/(m − e)` with the e quantities that such experiments eliminate, as the
/// leverages of these sum to e (HC1 of MacKinnon & White).
/// Differentiating
/// `ψ_b = ρ′(‖r_b‖²/N_b) J_bᵀ r_b`, without second derivatives of the residuals,
///
/// ```text
/// H = Σ_b w_b J_bᵀJ_b + (2ρ″_b/N_b) u_b u_bᵀ,      u_b = J_bᵀ r_b.
/// ```
///
/// In the basis `T` with `Tᵀ (Σ w JᵀJ) T = 1` and `y_b = Tᵀu_b` nothing is squared that is badly
/// conditioned:
/// With `A_b = √w_b J_b T` also `Tᵀψ̂_b = w_b (1 − A_bᵀA_b)⁻¹ y_b = w_b ŷ_b`, and
///
/// ```text
/// H⁻¹ G H⁻¹ = T (1 − C)⁻¹ (Σ w_b² ŷ_b ŷ_bᵀ) (1 − C)⁻¹ Tᵀ,      C = Σ_b (−2ρ″_b/N_b) y_b y_bᵀ.
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Noise {
    /// Residuals have variance 1: the standard deviations they were divided by are right.
    Unit,
    /// Residuals are independent with a common variance, which is estimated from them.
    #[default]
    Estimated,
    /// Blocks of residuals are independent of each other; within a block residuals may depend on
    /// each other, and the variance may differ from block to block.
    ///
    /// This is what residuals along a trajectory are: use it with
    /// [`Blocks::Experiment`](super::Blocks::Experiment). It needs many more blocks than unknowns.
    /// A fit with a robust loss always uses it.
    Independent,
}

/// Covariance of the estimates, in physical units.
#[derive(Debug, Clone)]
pub(super) struct Covariance {
    /// Over all unknowns; rows of bound and undetermined ones mean nothing.
    pub matrix: DMatrix<f64>,
    /// Diagonal of the inverse of the curvature of the cost, which the matrix would have with noise of variance 1.
    pub inverse_curvature: Vec<f64>,
    /// Of Student's distribution, `None` for the normal one.
    pub degrees_of_freedom: Option<usize>,
}

impl Covariance {
    /// Whether no variance overflows, as that of an unknown which hardly changes a residual may.
    pub fn is_finite(&self) -> bool {
        let variances = self.matrix.iter().chain(&self.inverse_curvature);
        variances.copied().all(f64::is_finite)
    }
}

/// The basis `T` of the determined directions in coordinates (unknowns × rank).
pub(super) fn normal_basis(model: &GaussNewton) -> DMatrix<f64> {
    let columns: Vec<_> = (0..model.rank())
        .map(|k| model.direction(k) / model.decomposition().values[k])
        .collect();
    match columns.is_empty() {
        true => DMatrix::zeros(model.scales().len(), 0),
        false => DMatrix::from_columns(&columns),
    }
}

/// `T` in the units of the unknowns.
fn physical_basis(model: &GaussNewton, slopes: &[f64]) -> DMatrix<f64> {
    let mut basis = normal_basis(model);
    for (mut row, &slope) in basis.row_iter_mut().zip(slopes) {
        row *= slope;
    }
    basis
}

/// The covariance of least squares with [`Noise::Unit`] or [`Noise::Estimated`]; `None` without spare
/// residuals.
pub(super) fn by_variance(
    noise: Noise,
    model: &GaussNewton,
    slopes: &[f64],
    costs: Costs,
) -> Option<Covariance> {
    let spare = (costs.residuals).saturating_sub(costs.eliminated + model.rank());
    let (variance, degrees_of_freedom) = match noise {
        Noise::Unit => (1.0, None),
        _ if spare == 0 => return None,
        _ => (2.0 * costs.cost / spare as f64, Some(spare)),
    };
    let basis = physical_basis(model, slopes);
    let inverse = &basis * basis.transpose();
    Some(Covariance {
        inverse_curvature: inverse.diagonal().as_slice().to_vec(),
        matrix: inverse * variance,
        degrees_of_freedom,
    })
}

/// The covariance of independent blocks; `None` when there are not enough of them, or when the
/// curvature of a robust cost is not positive.
pub(super) fn by_scores(
    model: &GaussNewton,
    slopes: &[f64],
    costs: Costs,
    scores: &Scores,
) -> Option<Covariance> {
    let independent = (costs.blocks).min(costs.residuals.saturating_sub(costs.eliminated));
    let spare = (independent.checked_sub(model.rank())).filter(|&spare| spare > 0)?;
    let followed = costs.eliminated_across_blocks as f64;
    let independent_share = 1.0 - followed / costs.residuals as f64;
    let basis = physical_basis(model, slopes);
    let n = scores.curvature.nrows();
    let curvature = Cholesky::new(DMatrix::identity(n, n) - &scores.curvature)?;
    let half = curvature.solve(&scores.squared).transpose();
    let matrix = &basis * curvature.solve(&half) * basis.transpose();
    let inverse = &basis * curvature.solve(&basis.transpose());
    Some(Covariance {
        inverse_curvature: inverse.diagonal().as_slice().to_vec(),
        matrix: matrix * ((1.0 - 1.0 / costs.blocks as f64) / independent_share),
        degrees_of_freedom: Some(spare),
    })
}
