//! The Levenberg–Marquardt optimiser and its options.

use super::covariance::Noise;
use super::error::IdentificationError;
use super::evaluation::Evaluator;
use super::execution::Executor;
use super::experiment::Experiment;
use super::fit::{Fit, Iteration};
use super::loss::{Blocks, Loss};
use super::minimization::Minimization;
use super::problem::Problem;
use super::robust_cost::RobustCost;
use crate::{InvalidInput, Parallelism};
use std::ops::ControlFlow;

/// The method of Levenberg and Marquardt with exact Jacobians, bounds and robust losses.
///
/// # Method
/// At the current coordinates `z` of the unknowns the weighted residuals are linearised,
/// `r(z + s) ≈ r + J s`, and the step minimises `‖J s + r‖` over the trust region `‖D s‖ ≤ Δ`, within
/// the bounds: `(JᵀJ + λD²) s = −Jᵀr` with the damping `λ` that the radius `Δ` asks for, and none for
/// a step that is shorter. `D` holds the largest norms that the columns of `J` have had. The step is
/// taken if it reduces the cost `F` by 10⁻⁴ of what the model promises. With the gain ratio
///
/// ```text
/// ϱ = (F(z) − F(z + s)) / (½‖r‖² − ½‖J s + r‖²)
/// ```
///
/// the radius becomes `2‖D s‖` after a step with `ϱ ≥ ¾` or without damping, and a tenth to a half
/// of itself, by the minimum of the parabola through `F(z)`, the slope there and `F(z + s)`, after a
/// step with `ϱ ≤ ¼` (Levenberg 1944; Marquardt 1963, *J. SIAM* 11(2), 431–441; Moré 1978, *The
/// Levenberg–Marquardt algorithm: implementation and theory*, LNM 630, 105–116).
///
/// Where an undamped step promises less than the cost can resolve (the cost tolerance), a step is
/// taken if it brings the relative offset down instead, which is a finer measure: the cost is
/// quadratic at its minimum, the offset linear.
///
/// The tolerances are relative to the residuals that respond to the unknowns. Where the noise is known
/// ([`Noise::Unit`], [`Noise::Independent`] and robust losses take its variance for 1), they are relative
/// to residuals of that size instead, if those are smaller: a residual of 10¹² does not end the fit of the others
/// before they are at their minimum to a small part of a standard error.
///
/// A short step ends the fit only if it is undamped, or if its outcome shows that nothing shorter helps.
/// Where the Jacobian is singular an undamped step does not vanish at a minimum; there the gradient
/// decides. A stationary point is probed by small steps along all singular directions, and left if
/// one of them reduces the cost, as at a maximum or a saddle.
///
/// Everything linear is done on the triangular factor of `[J r]`, which is accumulated experiment by
/// experiment, and on its singular values; normal equations are never formed.
///
/// # Experiments that fail
/// An experiment that returns an error at the start is left out of the whole fit. One that fails at
/// the end of a step makes the cost there infinite, so that the step is rejected like an increase;
/// costs are always compared over the same experiments. Both are listed in [`Fit::failures`]. Where even the
/// smallest step fails, each unknown in turn is held so that the others may go on along the edge of what can be
/// evaluated; where that does not help, the fit is [blocked](super::StopReason::Blocked). A NaN
/// or infinite residual at the start is an error of the fit.
///
/// ```
/// use dualbody::Scalar;
/// use dualbody::identification::{Experiment, LevenbergMarquardt, Problem, Unknown};
///
/// /// Cooling of a body: temperature above that of the room, c e^(−t/τ), measured to 0.1 K.
/// struct Cooling;
///
/// impl Experiment for Cooling {
///     type Error = std::convert::Infallible;
///
///     fn residual_count(&self) -> usize {
///         5
///     }
///
///     fn residuals<T: Scalar>(&self, unknowns: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
///         let measured = [80.1, 48.4, 29.5, 17.8, 10.9];
///         for (i, (r, y)) in residuals.iter_mut().zip(measured).enumerate() {
///             let t = 60.0 * i as f64;
///             *r = (unknowns[0] * (unknowns[1].recip() * -t).exp() - y) / T::from(0.1);
///         }
///         Ok(())
///     }
/// }
///
/// let experiments = [Cooling];
/// let unknowns = [
///     Unknown::new("c", "K", 50.0)?,
///     Unknown::new("time constant", "s", 300.0)?.logarithmic()?,
/// ];
/// let fit = LevenbergMarquardt::new().fit(&Problem::new(unknowns, &experiments)?)?;
/// assert!(fit.stop.is_converged());
/// assert!((fit.estimates[1].value - 120.0).abs() < 1.0);
/// println!("{fit}");
/// # Ok::<(), dualbody::identification::IdentificationError>(())
/// ```
#[doc(alias = "TSQR")]
#[doc(alias = "Gauss-Newton")]
#[derive(Debug, Clone, PartialEq)]
pub struct LevenbergMarquardt {
    pub(super) loss: Loss,
    pub(super) blocks: Blocks,
    pub(super) noise: Noise,
    pub(super) parallelism: Parallelism,
    pub(super) keeps_residuals: bool,
    pub(super) max_iterations: usize,
    pub(super) gradient_tolerance: f64,
    pub(super) step_tolerance: f64,
    pub(super) cost_tolerance: f64,
    pub(super) rank_tolerance: f64,
    pub(super) noise_tolerance: f64,
    pub(super) initial_radius: f64,
    /// Whether stationary points are probed for directions in which the cost falls.
    pub(super) probes: bool,
    /// The variance of the data by which priors are weighed, if it is not to be found.
    pub(super) prior_variance: Option<f64>,
}

impl Default for LevenbergMarquardt {
    fn default() -> Self {
        LevenbergMarquardt {
            loss: Loss::least_squares(),
            blocks: Blocks::Residual,
            noise: Noise::Estimated,
            parallelism: Parallelism::default(),
            keeps_residuals: true,
            max_iterations: 200,
            gradient_tolerance: 1e-10,
            step_tolerance: 1e-12,
            cost_tolerance: 1e-12,
            rank_tolerance: 1e-11,
            noise_tolerance: 0.0,
            initial_radius: 0.1,
            probes: true,
            prior_variance: None,
        }
    }
}

impl LevenbergMarquardt {
    /// Least squares with the default tolerances.
    pub fn new() -> Self {
        LevenbergMarquardt::default()
    }

    /// Sets the loss (default: least squares).
    pub fn loss(mut self, loss: Loss) -> Self {
        self.loss = loss;
        self
    }

    /// Sets which residuals belong together (default: each on its own).
    ///
    /// # Errors
    /// [`InvalidInput`] for blocks of 0 residuals.
    pub fn blocks(mut self, blocks: Blocks) -> Result<Self, InvalidInput> {
        if let Blocks::Consecutive(size) = blocks {
            InvalidInput::check_range("block size", &[size as f64], "at least 1", |n| n >= 1.0)?;
        }
        self.blocks = blocks;
        Ok(self)
    }

    /// Sets what is known of the noise (default: [`Noise::Estimated`]).
    pub fn noise(mut self, noise: Noise) -> Self {
        self.noise = noise;
        self
    }

    /// Sets how experiments are evaluated.
    pub fn parallelism(mut self, parallelism: Parallelism) -> Self {
        self.parallelism = parallelism;
        self
    }

    /// Sets whether the [`Fit`] holds the residuals of all experiments (default: yes). Without them
    /// its memory does not grow with the data, and it does not say which experiments are
    /// autocorrelated or outliers.
    pub fn keep_residuals(mut self, keep: bool) -> Self {
        self.keeps_residuals = keep;
        self
    }

    /// Sets the number of steps that are tried at most (default 200). With 0 the fit is the
    /// evaluation of the start, with its standard errors.
    pub fn max_iterations(mut self, max_iterations: usize) -> Self {
        self.max_iterations = max_iterations;
        self
    }

    /// Sets the relative offset (see [`Fit::relative_offset`]) below which a point is a minimum
    /// (default 1e-10); where the noise is known to have variance 1, also the length of an undamped
    /// step in standard errors, over the root of the number of residuals.
    ///
    /// # Errors
    /// [`InvalidInput`] unless it is at least 0 and less than 1.
    pub fn gradient_tolerance(mut self, tolerance: f64) -> Result<Self, InvalidInput> {
        check_tolerance("gradient tolerance", tolerance)?;
        self.gradient_tolerance = tolerance;
        Ok(self)
    }

    /// Sets the undamped step, the largest relative change of an unknown, below which the optimiser
    /// stops (default 1e-12).
    ///
    /// # Errors
    /// As [`LevenbergMarquardt::gradient_tolerance`].
    pub fn step_tolerance(mut self, tolerance: f64) -> Result<Self, InvalidInput> {
        check_tolerance("step tolerance", tolerance)?;
        self.step_tolerance = tolerance;
        Ok(self)
    }

    /// Sets the relative change of the cost that is taken for round-off (default 1e-12). The optimiser
    /// stops where an undamped step promises less and does not bring the relative offset down.
    ///
    /// # Errors
    /// As [`LevenbergMarquardt::gradient_tolerance`].
    pub fn cost_tolerance(mut self, tolerance: f64) -> Result<Self, InvalidInput> {
        check_tolerance("cost tolerance", tolerance)?;
        self.cost_tolerance = tolerance;
        Ok(self)
    }

    /// Sets the ratio of singular values below which a direction is undetermined (default 1e-11);
    /// see [`Determinability`](super::Determinability).
    ///
    /// # Errors
    /// As [`LevenbergMarquardt::gradient_tolerance`].
    pub fn rank_tolerance(mut self, tolerance: f64) -> Result<Self, InvalidInput> {
        check_tolerance("rank tolerance", tolerance)?;
        self.rank_tolerance = tolerance;
        Ok(self)
    }

    /// Sets the part of the variance of the noise (1 where it is [known](Noise::Unit), or that of the residuals) that the cost
    /// must fall by in ten steps that are taken one after the other (default 0: no such end). Where it falls by less,
    /// estimates move by a small part of their standard errors, and the fit [ends](super::StopReason::BelowNoise): in a
    /// valley that the data hardly determine, or on the way to where an unknown has no bound. 10⁻³ saves many steps and
    /// costs some hundredths of a standard error. The gradient vanishes where the linear model promises less
    /// than a hundredth of that.
    ///
    /// # Errors
    /// As [`LevenbergMarquardt::gradient_tolerance`].
    pub fn noise_tolerance(mut self, tolerance: f64) -> Result<Self, InvalidInput> {
        check_tolerance("noise tolerance", tolerance)?;
        self.noise_tolerance = tolerance;
        Ok(self)
    }

    /// Sets whether the points where the gradient vanishes are probed for directions in which the cost falls all the same, as at
    /// a maximum or a saddle (default: yes). That takes up to two simulations for each unknown, and a fit from which another
    /// goes on needs none of them.
    pub fn probe(mut self, probes: bool) -> Self {
        self.probes = probes;
        self
    }

    /// Sets the radius of the first trust region, in multiples of the length of the step that changes
    /// every unknown by its scale (a logarithmic one by the factor e) (default 0.1).
    ///
    /// # Errors
    /// [`InvalidInput`] unless it is positive and finite.
    pub fn initial_radius(mut self, radius: f64) -> Result<Self, InvalidInput> {
        InvalidInput::check_range("initial radius", &[radius], "a positive number", |r| {
            r > 0.0 && r.is_finite()
        })?;
        self.initial_radius = radius;
        Ok(self)
    }

    pub(super) fn robust_cost(&self) -> RobustCost {
        RobustCost {
            loss: self.loss,
            blocks: self.blocks,
        }
    }

    /// Whether standard errors are those of independent blocks.
    pub(super) fn has_variance_of_blocks(&self) -> bool {
        self.noise == Noise::Independent || !self.loss.is_least_squares()
    }

    /// Whether the variance of the noise is found from the residuals.
    pub(super) fn estimates_variance(&self) -> bool {
        self.noise == Noise::Estimated && self.loss.is_least_squares()
    }

    /// The same with priors weighed by the variance of a fit.
    pub(super) fn weighing_as(&self, fit: &Fit) -> Self {
        LevenbergMarquardt {
            prior_variance: fit.prior_variance.or(self.prior_variance),
            ..self.clone()
        }
    }

    /// Norm that noise gives so many residuals, infinite if it is estimated from them. A loss counts in
    /// units of the noise.
    pub(super) fn noise_norm(&self, residuals: usize) -> f64 {
        match self.estimates_variance() {
            true => f64::INFINITY,
            false => (residuals as f64).sqrt(),
        }
    }

    /// Fits from the first guesses of the unknowns.
    ///
    /// # Errors
    /// [`IdentificationError::AllExperimentsFail`]; [`IdentificationError::Experiment`] for residuals
    /// or derivatives that are not finite at the start; [`IdentificationError::NoResiduals`] when
    /// the experiments that do not fail have none; [`IdentificationError::Underflow`] when all derivatives
    /// are too small to square; [`IdentificationError::PartialBlock`].
    pub fn fit<X: Experiment>(&self, problem: &Problem<X>) -> Result<Fit, IdentificationError> {
        let start = problem.initial_values();
        self.fit_from(problem, &start, |_| ControlFlow::Continue(()))
    }

    /// Fits from other values of the unknowns, and calls `progress` after every step, which may
    /// stop the fit.
    ///
    /// # Errors
    /// As [`LevenbergMarquardt::fit`], and [`IdentificationError::Unknown`] or
    /// [`IdentificationError::Invalid`] for a start outside the bounds or of the wrong size.
    pub fn fit_from<X: Experiment>(
        &self,
        problem: &Problem<X>,
        start: &[f64],
        progress: impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Fit, IdentificationError> {
        self.fit_on(problem, start, self.parallelism, progress)
    }

    /// Fits like [`LevenbergMarquardt::fit_from`], with the experiments evaluated by `executor`. The
    /// bits of the fit do not depend on it.
    ///
    /// # Errors
    /// As [`LevenbergMarquardt::fit_from`], and [`IdentificationError::Execution`] as the executor.
    pub fn fit_on<'a, X: Experiment>(
        &self,
        problem: &'a Problem<'a, X>,
        start: &[f64],
        executor: impl Executor<Evaluator<'a, X>>,
        mut progress: impl FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Fit, IdentificationError> {
        let evaluator = Evaluator::new(problem);
        let mut minimization = Minimization::start(self, &evaluator, Vec::new(), start, executor)?;
        let stop = minimization.run(&mut progress)?;
        minimization.finish(stop)
    }
}

fn check_tolerance(quantity: &'static str, tolerance: f64) -> Result<(), InvalidInput> {
    InvalidInput::check_range(quantity, &[tolerance], "at least 0 and less than 1", |t| {
        (0.0..1.0).contains(&t)
    })
}
