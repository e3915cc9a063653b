//! The Levenberg–Marquardt step of a given length (trust-region subproblem).

use super::r_factor::RFactor;
use nalgebra::{DMatrix, DVector};

/// How much longer than the radius a step may be.
const SLACK: f64 = 0.1;
/// Iterations for the damping; 2 or 3 are usual.
const MAX_ITERATIONS: usize = 100;

/// Minimises `‖Σ y + b‖` over `‖M y‖ ≤ Δ` with positive `Σ`.
///
/// # Mathematics
/// If the undamped solution `y = −Σ⁻¹b` is longer than `Δ`, the solution is that of
/// `(Σ² + λMᵀM) y = −Σ b` for the `λ > 0` with `‖M y‖ = Δ` (Levenberg 1944, Marquardt 1963). With the
/// triangular factor `R` of `[Σ; √λ M]` it costs one back-substitution, and
///
/// ```text
/// d‖M y‖/dλ = −‖M y‖ ‖R⁻ᵀ q‖²,      q = MᵀM y / ‖M y‖.
/// ```
///
/// `1/‖M y(λ)‖` is increasing and concave, so that Newton's method for `1/‖M y‖ = 1/Δ`,
///
/// ```text
/// λ ← λ + (‖M y‖ − Δ) / (Δ ‖R⁻ᵀ q‖²),
/// ```
///
/// approaches the root from below, from `λ = 0` on, and needs no safeguard (Hebden 1973; Moré 1978;
/// Conn, Gould & Toint 2000, *Trust-Region Methods*, §7.3.3).
pub(super) struct TrustRegion<'a> {
    /// Diagonal of `Σ` (r).
    pub sigma: &'a [f64],
    /// `b` (r).
    pub b: DVector<f64>,
    /// `M` (n×r), of full column rank.
    pub metric: DMatrix<f64>,
}

impl TrustRegion<'_> {
    /// `y` and `λ`, 0 for the undamped solution; `y` is longer than `radius` by at most a tenth.
    pub fn solve(&self, radius: f64) -> (DVector<f64>, f64) {
        let sigma = DVector::from_column_slice(self.sigma);
        let mut y = -self.b.component_div(&sigma);
        let mut factor = DMatrix::from_diagonal(&sigma);
        let mut damping = 0.0;
        for _ in 0..MAX_ITERATIONS {
            let metric_y = &self.metric * &y;
            let length = metric_y.norm();
            if length <= (1.0 + SLACK) * radius {
                break;
            }
            let q = self.metric.tr_mul(&metric_y) / length;
            let Some(slope) = factor.tr_solve_upper_triangular(&q) else {
                break;
            };
            damping += (length - radius) / (radius * slope.norm_squared());
            (y, factor) = self.damped(damping, y);
        }
        (y, damping)
    }

    /// The solution for a given damping, and the triangular factor `R`.
    fn damped(&self, damping: f64, fallback: DVector<f64>) -> (DVector<f64>, DMatrix<f64>) {
        let (rows, rank) = self.metric.shape();
        let mut data = DMatrix::zeros(rank, rank + 1);
        data.set_diagonal(&DVector::from_column_slice(self.sigma));
        data.set_column(rank, &self.b);
        let mut length = DMatrix::zeros(rows, rank + 1);
        length
            .columns_mut(0, rank)
            .copy_from(&(&self.metric * damping.sqrt()));
        // Large rows go first: reflections that start from small ones lose the small ones' digits.
        let mut blocks = [data, length];
        if blocks[1].amax() > blocks[0].amax() {
            blocks.swap(0, 1);
        }
        let mut r_factor = RFactor::new(rank);
        for block in &mut blocks {
            r_factor.fold(block.as_mut_slice());
        }
        let factor = r_factor.jacobian();
        let y = factor.solve_upper_triangular(&-r_factor.residual());
        (y.unwrap_or(fallback), factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{dmatrix, dvector};

    #[test]
    fn step_has_the_length_of_the_radius_and_solves_the_damped_equations() {
        let sigma = [2.0, 0.5, 1e-6];
        let problem = TrustRegion {
            sigma: &sigma,
            b: dvector![1.0, -2.0, 0.3],
            metric: dmatrix![1.0, 2.0, 0.0; 0.0, 3.0, 1.0; 0.5, 0.0, -1.0; 0.0, 0.1, 5.0],
        };
        for radius in [1e-8, 1e-3, 1.0, 100.0, 1e4, 1e6] {
            let (y, damping) = problem.solve(radius);
            let length = (&problem.metric * &y).norm();
            assert!(length <= 1.1 * radius);
            let gram = problem.metric.tr_mul(&problem.metric);
            let scale = DVector::from_column_slice(&sigma);
            let residual =
                scale.component_mul(&(scale.component_mul(&y) + &problem.b)) + gram * &y * damping;
            assert!(residual.norm() < 1e-12, "{radius}: {}", residual.norm());
            assert!(if damping == 0.0 {
                radius > 1e5
            } else {
                length >= 0.99 * radius
            });
        }
    }

    #[test]
    fn a_step_of_no_unknowns_is_empty() {
        let problem = TrustRegion {
            sigma: &[],
            b: DVector::zeros(0),
            metric: DMatrix::zeros(2, 0),
        };
        assert_eq!(problem.solve(1.0), (DVector::zeros(0), 0.0));
    }
}
