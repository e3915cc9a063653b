//! The covariance of the estimates.

use super::evaluation::Scores;
use super::gauss_newton::GaussNewton;
use super::prior::Priors;
use super::question::Costs;
use super::student::two_sided_quantile;
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
/// Methodology* 28(2), 169–181). A direction that a block alone determines has leverage 1 there, and no
/// score by which other blocks would tell how uncertain it is: its variance is that of independent residuals of equal
/// variance, as with `Estimated`. What the experiments have eliminated has leverage, too, which the optimiser does not see.
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
///
/// # Residuals that follow each other
/// Where residuals of an experiment are [autocorrelated](super::Fit::autocorrelated), `Unit` and `Estimated`, and short blocks,
/// are wrong. A fit then has a [second standard error](super::Estimate::correlated_standard_error) of each estimate, by the
/// sandwich over few long parts, each a stretch of consecutive residuals that hardly depends on the next: of about a sixth of
/// all residuals, or a shorter experiment. A variance of `B` equal parts has `B − 1` degrees of
/// freedom, of parts with the shares `L` in what determines an estimate `(Σ L)²/Σ L² − 1` (Satterthwaite 1946, *Biometrics* 2(6),
/// 110–114; Ibragimov & Müller 2010, *J. Business & Economic Statistics* 28(4), 453–468), so that the error is multiplied by
/// the ratio of the 97.5 % quantiles of Student's and of the normal distribution: twice it is half of an interval that holds
/// the truth in 19 of 20 cases, as long as dependence does not reach over a good part of a stretch. What one part alone
/// determines has no such error.
///
/// # Priors
/// [Priors](super::Unknown::with_prior) of the information `P`, a diagonal matrix of `1/σ²`, are no data: they are not scaled by
/// what the residuals scatter by. The covariance is `(JᵀJ + P)⁻¹` with `Unit`, `(JᵀJ/s² + P)⁻¹` with `Estimated`, and
/// `H⁻¹ (G + P) H⁻¹` with `Independent`, where `H` has `P` as a further term. The variance `s²` is that of the data alone:
/// `‖r‖²/(m − e − d)` with the number `d = tr (JᵀJ/s² + P)⁻¹ JᵀJ/s²` of directions that they determine (the effective number of
/// parameters of MacKay 1992, *Neural Computation* 4(3), 415–447), which depends on it; the estimates are those of the posterior
/// density with this variance.
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

/// Part of the variance of an estimate that comes from what one part of the data alone determines, below which it is round-off.
const ALONE: f64 = 1e-6;
/// Part of the residuals, as degrees of freedom, that is round-off if no more is left.
const SMALLEST_REST: f64 = 1e-6;

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

/// Standard errors of estimates by the scores of few long parts of the data, as those of a normal distribution; none for what
/// one part alone determines, and where parts are too few, or the curvature of a robust cost is not positive.
pub(super) fn by_long_parts(
    model: &GaussNewton,
    slopes: &[f64],
    scores: &Scores,
    priors: &Priors,
) -> Option<Vec<Option<f64>>> {
    let share = 1.0 - 1.0 / scores.parts.max(1) as f64;
    let normal = normal_basis(model);
    let information = priors.information(&normal);
    let noise = &scores.squared * share + information * priors.variance.powi(2);
    let basis = physical(normal, slopes);
    let (_, matrix) = sandwich(&basis, scores, &noise)?;
    let variances = matrix.diagonal();
    let alone = spread(&basis, &scores.alone).diagonal();
    let error = |j: usize| {
        let is_shared = alone[j] <= ALONE * basis.row(j).norm_squared();
        // As many equal parts would have.
        let spare = scores.concentration[j].recip() - 1.0;
        let spare = Some(spare).filter(|spare| is_shared && *spare >= 1.0 - ALONE)?;
        let wider = two_sided_quantile(0.95, Some(whole(spare))) / two_sided_quantile(0.95, None);
        Some(wider * variances[j].max(0.0).sqrt()).filter(|error| error.is_finite())
    };
    Some((0..variances.len()).map(error).collect())
}

/// `H⁻¹` and `H⁻¹ G H⁻¹` in physical units, of scores and their noise `G` in a basis; `None` where the curvature of a robust cost
/// is not positive.
fn sandwich(
    basis: &DMatrix<f64>,
    scores: &Scores,
    noise: &DMatrix<f64>,
) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    let n = scores.curvature.nrows();
    let curvature = Cholesky::new(DMatrix::identity(n, n) - &scores.curvature)?;
    let half = curvature.solve(noise).transpose();
    let inverse = basis * curvature.solve(&basis.transpose());
    Some((inverse, spread(basis, &curvature.solve(&half))))
}

/// A basis in the units of the unknowns.
fn physical(mut basis: DMatrix<f64>, slopes: &[f64]) -> DMatrix<f64> {
    for (mut row, &slope) in basis.row_iter_mut().zip(slopes) {
        row *= slope;
    }
    basis
}

/// `B M Bᵀ`.
fn spread(basis: &DMatrix<f64>, matrix: &DMatrix<f64>) -> DMatrix<f64> {
    basis * matrix * basis.transpose()
}

/// What is left of so many residuals when something has been fitted in them, if it is more than round-off.
pub(super) fn spare(residuals: usize, fitted: f64) -> Option<f64> {
    let count = residuals as f64;
    Some(count - fitted).filter(|spare| *spare > (SMALLEST_REST * count).min(0.5))
}

/// The nearest whole number, at least 1.
pub(super) fn whole(degrees_of_freedom: f64) -> usize {
    degrees_of_freedom.round().max(1.0) as usize
}

/// The variance of the noise that the residuals of the data show, `‖r‖²/(m − e − d)` with the number `d` of
/// [directions that they determine](Priors::determined_by_data), and `m − e − d`.
pub(super) fn variance_of_data(
    model: &GaussNewton,
    costs: Costs,
    priors: &Priors,
) -> Option<(f64, f64)> {
    let determined = priors.determined_by_data(model, &normal_basis(model));
    let spare = spare(costs.residuals, costs.eliminated as f64 + determined)?;
    Some((2.0 * costs.cost / spare, spare))
}

/// What estimates owe to priors.
#[derive(Debug, Clone)]
pub(super) struct FromPriors {
    /// Variances that priors leave open, `(K P K)_jj`, in physical units.
    pub variances: Vec<f64>,
    /// What the data contribute to each estimate, `1 − (K P K)_jj/K_jj`.
    pub data_shares: Vec<f64>,
}

impl FromPriors {
    /// Of data with the variance `s²`. With `E = Tᵀ P T` and the variance `w` by which the priors were weighed,
    /// `K P K = w² T E Tᵀ`, and what comes from the data is `s² T (1 − w E) Tᵀ`.
    pub fn of(model: &GaussNewton, slopes: &[f64], priors: &Priors, variance: f64) -> Self {
        let normal = normal_basis(model);
        let information = priors.information(&normal);
        let basis = physical(normal, slopes);
        let weight = priors.variance;
        let variances = spread(&basis, &(&information * (weight * weight))).diagonal();
        let n = information.nrows();
        let data = (DMatrix::identity(n, n) - information * weight) * variance;
        let data = spread(&basis, &data).diagonal();
        let share = |(&prior, &data): (&f64, &f64)| {
            let (prior, data) = (prior.max(0.0), data.max(0.0));
            if prior == 0.0 {
                1.0
            } else {
                data / (data + prior)
            }
        };
        FromPriors {
            data_shares: variances.iter().zip(&data).map(share).collect(),
            variances: variances.as_slice().to_vec(),
        }
    }
}

/// The covariance of least squares with [`Noise::Unit`] or [`Noise::Estimated`]; `None` without spare
/// residuals.
pub(super) fn by_variance(
    noise: Noise,
    model: &GaussNewton,
    slopes: &[f64],
    costs: Costs,
    priors: &Priors,
) -> Option<Covariance> {
    let (variance, degrees_of_freedom) = match noise {
        Noise::Unit => (1.0, None),
        _ => {
            let (variance, spare) = variance_of_data(model, costs, priors)?;
            (variance, Some(whole(spare)))
        }
    };
    let normal = normal_basis(model);
    let information = priors.information(&normal);
    let basis = physical(normal, slopes);
    let inverse = &basis * basis.transpose();
    let mut matrix = &inverse * variance;
    if !priors.is_empty() {
        let weight = priors.variance;
        matrix += spread(&basis, &(information * (weight * (weight - variance))));
    }
    Some(Covariance {
        inverse_curvature: inverse.diagonal().as_slice().to_vec(),
        matrix,
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
    priors: &Priors,
) -> Option<Covariance> {
    let normal = normal_basis(model);
    let independent = (costs.blocks).min(costs.residuals.saturating_sub(costs.eliminated));
    let determined = priors.determined_by_data(model, &normal);
    let spare = spare(independent, determined)?;
    let followed = costs.eliminated_across_blocks as f64;
    let independent_share = 1.0 - followed / costs.residuals as f64;
    let information = priors.information(&normal);
    let basis = physical(normal, slopes);
    let factor = (1.0 - 1.0 / costs.blocks as f64) / independent_share;
    let mut noise = &scores.squared * factor + information * priors.variance.powi(2);
    if let Some((variance, _)) = variance_of_data(model, costs, priors) {
        noise += &scores.alone * variance;
    }
    let (inverse, matrix) = sandwich(&basis, scores, &noise)?;
    Some(Covariance {
        inverse_curvature: inverse.diagonal().as_slice().to_vec(),
        matrix,
        degrees_of_freedom: Some(whole(spare)),
    })
}
