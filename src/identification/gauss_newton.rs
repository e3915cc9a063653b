//! Gauss–Newton steps with damping, on the QR factor of all residuals.

use super::evaluation::Linearization;
use super::trust_region::TrustRegion;
use crate::math::SingularValues;
use nalgebra::{DMatrix, DVector};

/// Digits of a residual, in units of the last, that its evaluation loses.
const LOST_DIGITS: f64 = 16.0;
/// Round-off of the cost, relative to it.
const COST_ROUND_OFF: f64 = 16.0 * f64::EPSILON;

/// An end of the range of an unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Bound {
    /// The smallest value allowed.
    Lower,
    /// The largest value allowed.
    Upper,
}

/// Bounds in the coordinates of the optimiser.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

/// The linear model `r(z + s) ≈ r + J s` in the coordinates `z` of the optimiser, reduced to the
/// triangular factor of `[J r]`.
///
/// # Bounds
/// An unknown is *bound* when it is at a bound and descent, `−g = −Jᵀr`, would take it beyond: there
/// the conditions of a constrained minimum (Karush, Kuhn and Tucker) hold for it. The others are
/// *free*.
///
/// # Scaling and rank
/// The columns of the free unknowns are divided by their norms, `Ĵ = J C⁻¹ = U Σ Vᵀ`, so that units
/// do not matter. Directions whose singular value is at most the rank tolerance times the largest are
/// *undetermined*: no step moves along them, no convergence test looks at them and no covariance is
/// claimed for them.
///
/// # Length of a step
/// The length `‖D s‖` is measured with the largest norms `D` that the columns of `J` have had so far
/// (Moré 1978, *The Levenberg–Marquardt algorithm: implementation and theory*, LNM 630, 105–116):
/// an unknown that once mattered is not moved far because it does not matter at the moment.
#[derive(Debug, Clone)]
pub(super) struct GaussNewton {
    jacobian: DMatrix<f64>,
    residual: DVector<f64>,
    /// Norm of the residuals that respond.
    residual_norm: f64,
    /// Norm that noise gives the residuals, as far as it is known, at most that of those that respond.
    noise_norm: f64,
    /// Norm of the round-off of the residuals.
    round_off: f64,
    gradient: DVector<f64>,
    /// Diagonal of `C`.
    scales: Vec<f64>,
    /// Diagonal of `D`.
    metric: Vec<f64>,
    bound: Vec<Option<Bound>>,
    free: Vec<usize>,
    decomposition: SingularValues,
    rank_tolerance: f64,
}

impl GaussNewton {
    /// The model at coordinates `z`, of residuals to which their noise gives a norm, infinite if it is
    /// not known; `metric` holds the largest norms of the columns so far and is updated.
    pub fn new(
        linearization: &Linearization,
        z: &[f64],
        limits: &Limits,
        rank_tolerance: f64,
        noise_norm: f64,
        metric: &mut [f64],
    ) -> Self {
        let r_factor = &linearization.r_factor;
        let (jacobian, residual) = (r_factor.jacobian(), r_factor.residual());
        let gradient = jacobian.tr_mul(&residual);
        let bound: Vec<_> = (0..z.len())
            .map(|j| match gradient[j] {
                _ if limits.lower[j] == limits.upper[j] => Some(Bound::Lower),
                g if g > 0.0 && z[j] <= limits.lower[j] => Some(Bound::Lower),
                g if g < 0.0 && z[j] >= limits.upper[j] => Some(Bound::Upper),
                _ => None,
            })
            .collect();
        let free: Vec<usize> = (0..z.len()).filter(|&j| bound[j].is_none()).collect();
        let scales = column_scales(&jacobian);
        for (d, column) in metric.iter_mut().zip(jacobian.column_iter()) {
            *d = d.max(column.norm());
        }
        let decomposition = decompose(&jacobian, &scales, &free);
        let residual_norm = linearization.responding.sqrt();
        GaussNewton {
            jacobian,
            residual,
            residual_norm,
            noise_norm: noise_norm.min(residual_norm),
            round_off: linearization.round_off.sqrt(),
            gradient,
            scales,
            metric: metric.to_vec(),
            bound,
            free,
            decomposition,
            rank_tolerance,
        }
    }

    /// The same model with one more unknown held where it is.
    pub fn holding(&self, unknown: usize) -> Self {
        let free: Vec<usize> = (self.free.iter().copied())
            .filter(|&j| j != unknown)
            .collect();
        GaussNewton {
            decomposition: decompose(&self.jacobian, &self.scales, &free),
            free,
            ..self.clone()
        }
    }

    /// The same model with these unknowns free, wherever they are.
    pub fn releasing(&self, released: &[usize]) -> Self {
        let free: Vec<usize> = (0..self.scales.len())
            .filter(|j| self.free.contains(j) || released.contains(j))
            .collect();
        GaussNewton {
            decomposition: decompose(&self.jacobian, &self.scales, &free),
            free,
            ..self.clone()
        }
    }

    /// The slope of `½‖r‖²` along the coordinate of an unknown.
    pub fn slope_along(&self, unknown: usize) -> f64 {
        self.gradient[unknown]
    }

    /// Which unknowns are held by a bound.
    pub fn bound(&self) -> &[Option<Bound>] {
        &self.bound
    }

    /// The unknowns that are not held by a bound, the columns of the decomposition.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// Norms of the columns, by which the coordinates of all unknowns are scaled.
    pub fn scales(&self) -> &[f64] {
        &self.scales
    }

    /// Singular values of the scaled Jacobian of the free unknowns.
    pub fn decomposition(&self) -> &SingularValues {
        &self.decomposition
    }

    /// Ratio of singular values below which a direction is undetermined.
    pub fn rank_tolerance(&self) -> f64 {
        self.rank_tolerance
    }

    /// Number of determined directions of the free unknowns.
    pub fn rank(&self) -> usize {
        self.decomposition.rank(self.rank_tolerance)
    }

    /// Direction `k` of the decomposition in coordinates, `C⁻¹ v_k` (n entries).
    pub fn direction(&self, k: usize) -> DVector<f64> {
        let mut direction = DVector::zeros(self.scales.len());
        for (i, &j) in self.free.iter().enumerate() {
            direction[j] = self.decomposition.right[(i, k)] / self.scales[j];
        }
        direction
    }

    /// By how much the residuals change along direction `k`.
    pub fn stretch(&self, k: usize) -> f64 {
        self.decomposition.values[k]
    }

    /// The undamped step along the determined directions, in coordinates.
    pub fn undamped_step(&self) -> DVector<f64> {
        self.step_against(&self.residual)
    }

    /// How the free unknowns follow another that is moved by 1, in coordinates.
    pub fn response(&self, unknown: usize) -> DVector<f64> {
        self.step_against(&self.jacobian.column(unknown).into_owned())
    }

    fn step_against(&self, residual: &DVector<f64>) -> DVector<f64> {
        let projection = self.decomposition.project(residual);
        let mut step = DVector::zeros(self.scales.len());
        for k in 0..self.rank() {
            let sigma = self.decomposition.values[k];
            step -= self.direction(k) * (projection[k] / (sigma * sigma));
        }
        step
    }

    /// The free unknowns along which `½‖r‖²` has a slope above `limit` for a change that moves the residuals by 1, and
    /// their slopes.
    pub fn steep(&self, limit: f64) -> Vec<(usize, f64)> {
        let slopes = (self.free.iter()).map(|&j| (j, self.gradient[j] / self.scales[j]));
        slopes.filter(|(_, slope)| slope.abs() > limit).collect()
    }

    /// Reduction of `½‖r‖²` that an undamped step along the determined directions promises,
    /// `½‖Uᵀr‖²`.
    pub fn attainable_reduction(&self) -> f64 {
        let projection = self.decomposition.project(&self.residual);
        let values = &self.decomposition.values[..self.rank()];
        let sum: f64 = (values.iter().zip(projection.iter()))
            .map(|(sigma, p)| (p / sigma).powi(2))
            .sum();
        0.5 * sum
    }

    /// Cosine of the angle between the vector of the residuals that respond to the unknowns and the
    /// directions in which it can be changed, `‖Uᵀr‖/‖r‖`: the relative offset of Bates & Watts (1981, *Technometrics* 23(2),
    /// 179–183), 0 for zero residuals.
    ///
    /// It does not depend on the coordinates, and an undamped step has about this size times the
    /// square root of the number of residuals, in standard errors by the noise that the residuals show.
    pub fn relative_offset(&self) -> f64 {
        if self.residual_norm == 0.0 {
            return 0.0;
        }
        self.step_in_standard_errors() / self.residual_norm
    }

    /// Length of an undamped step if the noise has variance 1, `‖Uᵀr‖`: no unknown moves by more
    /// standard errors.
    fn step_in_standard_errors(&self) -> f64 {
        (2.0 * self.attainable_reduction()).sqrt()
    }

    /// Whether an undamped step is below a fraction `tolerance` of the norm of the noise: the relative
    /// offset where that is not known. Where it is, a huge residual that hardly responds does not
    /// hide what the others ask for.
    pub fn is_stationary(&self, tolerance: f64) -> bool {
        self.residual_norm == 0.0 || self.step_in_standard_errors() <= tolerance * self.noise_norm
    }

    /// Reduction of the cost that is none: a fraction `tolerance` of the cost of the noise, or that of
    /// residuals which are all round-off.
    pub fn negligible_reduction(&self, tolerance: f64) -> f64 {
        (0.5 * tolerance * self.noise_norm.powi(2)).max(self.gradient_round_off().powi(2))
    }

    /// Change of the cost that cannot be told from none: what is [negligible](Self::negligible_reduction),
    /// or round-off of the cost of the residuals that respond.
    pub fn resolution(&self, tolerance: f64) -> f64 {
        let round_off = 0.5 * COST_ROUND_OFF * self.residual_norm.powi(2);
        self.negligible_reduction(tolerance).max(round_off)
    }

    /// What the evaluation of the residuals leaves of `‖Uᵀr‖`.
    fn gradient_round_off(&self) -> f64 {
        LOST_DIGITS * self.round_off.max(f64::EPSILON * self.residual_norm)
    }

    /// Whether the gradient vanishes although a Gauss–Newton step does not, as at a smooth minimum
    /// where the Jacobian is singular: no column makes an angle with the noise whose squared
    /// cosine, the relative reduction of the cost along that unknown, is above `tolerance`, or the
    /// residuals are round-off.
    pub fn is_flat(&self, tolerance: f64) -> bool {
        let small = (self.gradient_round_off()).max(tolerance.sqrt() * self.noise_norm);
        (self.free.iter()).all(|&j| self.gradient[j].abs() <= small * self.scales[j])
    }

    /// The point at the end of a step over which the model falls, within the limits and with
    /// `‖D s‖` at most a tenth above `radius`, and the damping `λ`, 0 if the radius does not matter.
    ///
    /// Where no limit is met the step minimises `‖J s + r‖` over the trust region: with `s = C⁻¹ V y`
    /// over the determined directions it is the problem of [`TrustRegion`], with `M = D C⁻¹ V` and
    /// `b = Uᵀ r`. Otherwise it ends at the first limit it meets; the unknown stays there, and the
    /// minimisation goes on from that point for the others, with what is left of the radius. The
    /// model is convex, so it falls along every piece. For a small radius the whole step goes along
    /// `−D⁻²g` with the unknowns at their limits held, in which descent of the cost is assured
    /// (Bertsekas 1982, *SIAM J. Control Optim.* 20(2), 221–246; with Levenberg–Marquardt: Kanzow,
    /// Yamashita & Fukushima 2004, *J. Comput. Appl. Math.* 172(2), 375–397).
    pub fn trial_point(&self, radius: f64, z: &[f64], limits: &Limits) -> (Vec<f64>, f64) {
        let mut point = z.to_vec();
        let mut free = self.free.clone();
        let (mut step, mut damping) = self.step(radius, &free, &self.decomposition, &self.residual);
        loop {
            let end = |j: usize, s: f64| {
                if s < 0.0 {
                    limits.lower[j]
                } else {
                    limits.upper[j]
                }
            };
            // The part of the step that each unknown allows, up to the whole.
            let parts: Vec<f64> = (free.iter().zip(step.iter()))
                .map(|(&j, &s)| {
                    if s == 0.0 {
                        1.0
                    } else {
                        (end(j, s) - point[j]) / s
                    }
                })
                .collect();
            let part = parts.iter().copied().fold(1.0, f64::min);
            let mut inside = Vec::with_capacity(free.len());
            for ((&j, &s), &allowed) in free.iter().zip(step.iter()).zip(&parts) {
                if part < 1.0 && allowed <= part {
                    point[j] = end(j, s);
                } else {
                    point[j] = (point[j] + part * s).clamp(limits.lower[j], limits.upper[j]);
                    inside.push(j);
                }
            }
            let left = radius - self.length(z, &point);
            if inside.len() == free.len() || inside.is_empty() || left <= 0.0 {
                return (point, damping);
            }
            free = inside;
            let residual = &self.residual + &self.jacobian * difference(&point, z);
            let decomposition = decompose(&self.jacobian, &self.scales, &free);
            let (next, next_damping) = self.step(left, &free, &decomposition, &residual);
            (step, damping) = (next, next_damping.max(damping));
        }
    }

    fn step(
        &self,
        radius: f64,
        free: &[usize],
        decomposition: &SingularValues,
        residual: &DVector<f64>,
    ) -> (DVector<f64>, f64) {
        let rank = decomposition.rank(self.rank_tolerance);
        let sigma = &decomposition.values[..rank];
        let projection = decomposition.project(residual);
        let right = decomposition.right.columns(0, rank);
        let problem = TrustRegion {
            sigma,
            b: DVector::from_fn(rank, |k, _| projection[k] / sigma[k]),
            metric: DMatrix::from_fn(free.len(), rank, |i, k| {
                right[(i, k)] * self.metric[free[i]] / self.scales[free[i]]
            }),
        };
        let (y, damping) = problem.solve(radius);
        let mut step = right * y;
        for (s, &j) in step.iter_mut().zip(free) {
            *s /= self.scales[j];
        }
        (step, damping)
    }

    /// Length `‖D s‖` of the step from `z` to `point`.
    pub fn length(&self, z: &[f64], point: &[f64]) -> f64 {
        let step = difference(point, z);
        let squares = step.iter().zip(&self.metric).map(|(s, d)| (s * d).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// `gᵀs` of the step from `z` to `point`.
    pub fn slope(&self, z: &[f64], point: &[f64]) -> f64 {
        self.gradient.dot(&difference(point, z))
    }

    /// `½‖r‖² − ½‖J s + r‖²` of the step from `z` to `point`.
    pub fn predicted_reduction(&self, z: &[f64], point: &[f64]) -> f64 {
        let step = difference(point, z);
        let change = &self.jacobian * &step;
        -self.gradient.dot(&step) - 0.5 * change.norm_squared()
    }
}

fn difference(a: &[f64], b: &[f64]) -> DVector<f64> {
    DVector::from_iterator(a.len(), a.iter().zip(b).map(|(a, b)| a - b))
}

/// Norms of the columns, 1 for a column of zeros.
fn column_scales(jacobian: &DMatrix<f64>) -> Vec<f64> {
    let scale = |norm: f64| if norm == 0.0 { 1.0 } else { norm };
    jacobian.column_iter().map(|c| scale(c.norm())).collect()
}

fn decompose(jacobian: &DMatrix<f64>, scales: &[f64], free: &[usize]) -> SingularValues {
    let mut scaled = jacobian.select_columns(free);
    for (mut column, &j) in scaled.column_iter_mut().zip(free) {
        column /= scales[j];
    }
    SingularValues::of(scaled)
}
