//! The gradient of a scalar of a rollout, by an adjoint over its steps.
//!
//! For `L = Σ ℓ(k, x_k, τ_k) + ℓ(N, x_N)` and steps `x_{k+1} = F(x_k, τ_k, p)` the covector
//! `λ_k = dL/dx_k` runs backwards,
//!
//! ```text
//! λ_N = ∂ℓ/∂x_N,   λ_k = ∂ℓ/∂x_k + (∂F/∂x_k)ᵀ λ_{k+1},
//! dL/dτ_k = ∂ℓ/∂τ_k + (∂F/∂τ_k)ᵀ λ_{k+1},   dL/dp = Σ (∂F/∂p)ᵀ λ_{k+1}
//! ```
//!
//! with the products of [`StepDifferentiator::pull_back`]. The cost of a step does not depend on the
//! number of inputs, and no Jacobian is formed.
//!
//! # Memory
//! The states that the backward sweep needs are recomputed, in segments, from checkpoints (Griewank
//! & Walther 2008, *Evaluating Derivatives*, 2nd ed., §12.2, with one level): about `2√N` states are
//! held, for one more rollout. The steps are deterministic, so that recomputed states have the bits
//! of the first ones.

use super::rollout::RolloutFailure;
use super::step::StepWorkspace;
use super::step_derivatives::{StepDifferentiator, StepGradient};
use super::system::TimeSteppingRigidBodySystem;
use crate::autodiff::CHUNK;
use crate::force::ForceElement;
use crate::parameter::ParameterError;
use crate::system::checkpoints::{Reversible, sweep};
use crate::system::state::State;
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};
use num_dual::DualSVec64;

/// A scalar of a rollout, as a sum over its states.
pub trait RolloutObjective {
    /// The part `ℓ(k, x_k, τ_k)` of step `k`, from the state at its start and the generalized forces
    /// during it; at the end of the rollout `k` is the number of steps and `tau` is empty.
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, tau: &[T]) -> T;
}

/// The value of an objective and its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct RolloutGradient {
    /// The value.
    pub value: f64,
    /// With respect to the initial state: entries of `q`, then of `v`.
    pub initial_state: DVector<f64>,
    /// With respect to the generalized forces; one column a step (nv×N).
    pub inputs: DMatrix<f64>,
    /// With respect to the chosen parameters.
    pub parameters: DVector<f64>,
    /// The state after the last step.
    pub last: State<f64>,
}

/// Computes gradients of rollouts; a workspace.
///
/// ```
/// use dualbody::Scalar;
/// use dualbody::contact::ContactModel;
/// use dualbody::math::SpatialInertia;
/// use dualbody::system::{Adjoint, RolloutObjective, State, TimeSteppingRigidBodySystem};
/// use dualbody::tree::RigidBodyTreeBuilder;
/// use nalgebra::{DMatrix, Vector3};
///
/// /// Height at the end.
/// struct Height(usize);
/// impl RolloutObjective for Height {
///     fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
///         if step == self.0 { state.q[6] } else { T::zero() }
///     }
/// }
///
/// // 2 kg in free flight, 10 steps of 0.1 s: a push upwards in step k acts for 10 − k steps.
/// let mut builder = RigidBodyTreeBuilder::new();
/// builder.add_body("stone", SpatialInertia::solid_sphere(2.0, 0.1))?;
/// let tree = builder.finish()?;
/// let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.1)?;
/// let mut adjoint = Adjoint::new(&system, &["gravity/z"])?;
/// let pushes = DMatrix::zeros(6, 10);
/// let gradient = adjoint.gradient(&Height(10), &system.neutral_state(), &pushes)?;
/// assert!((gradient.inputs[(5, 3)] - 7.0 * 0.01 / 2.0).abs() < 1e-15);
/// assert!((gradient.parameters[0] - 0.55).abs() < 1e-14); // Σ (10 − k) δt²
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Adjoint<F: ForceElement<f64> = ()> {
    differentiator: StepDifferentiator<F>,
    steps: StepWorkspace<f64>,
    checkpoint_interval: Option<usize>,
    step_gradient: StepGradient,
    dual_state: State<DualSVec64<CHUNK>>,
    dual_tau: Vec<DualSVec64<CHUNK>>,
}

impl<F: ForceElement<f64>> Adjoint<F> {
    /// For rollouts of a system, and derivatives with respect to the parameters of these names.
    ///
    /// The system is copied: later changes of its parameters are not seen.
    ///
    /// # Errors
    /// As [`StepDifferentiator::new`].
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64, F>,
        parameters: &[&str],
    ) -> Result<Self, ParameterError> {
        Ok(Adjoint {
            differentiator: StepDifferentiator::new(system, parameters)?,
            steps: system.workspace()?,
            checkpoint_interval: None,
            step_gradient: StepGradient::default(),
            dual_state: system.neutral_state().cast(),
            dual_tau: Vec::new(),
        })
    }

    /// Sets the number of steps between checkpoints (default: the root of the number of steps).
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] for zero.
    pub fn with_checkpoint_interval(mut self, interval: usize) -> Result<Self, InvalidInput> {
        InvalidInput::check_range(
            "checkpoint interval",
            &[interval as f64],
            "at least 1",
            |n| n >= 1.0,
        )?;
        self.checkpoint_interval = Some(interval);
        Ok(self)
    }

    /// The value of `objective` over a rollout from `initial` with the generalized forces `inputs`
    /// (nv×N, a column for each of N steps), and its derivatives.
    ///
    /// # Errors
    /// The step that failed.
    pub fn gradient<O: RolloutObjective>(
        &mut self,
        objective: &O,
        initial: &State<f64>,
        inputs: &DMatrix<f64>,
    ) -> Result<RolloutGradient, RolloutFailure> {
        let steps = inputs.ncols();
        let nv = self.system().tree().num_velocities();
        let size = self.system().tree().num_positions() + nv;
        let dt = self.system().time_step();
        for (quantity, actual, expected) in [
            ("rows of the inputs", inputs.nrows(), nv),
            ("q", initial.q.len(), size - nv),
            ("v", initial.v.len(), nv),
        ] {
            InvalidInput::check_size(quantity, actual, expected)
                .map_err(RolloutFailure::at(0, dt))?;
        }
        let interval = self.checkpoint_interval;
        let parameters = self.differentiator.num_parameters();
        let mut rollout = Backwards {
            adjoint: self,
            objective,
            inputs,
            covector: DVector::zeros(size),
            gradient: RolloutGradient {
                value: 0.0,
                initial_state: DVector::zeros(0),
                inputs: DMatrix::zeros(nv, steps),
                parameters: DVector::zeros(parameters),
                last: initial.clone(),
            },
        };
        sweep(&mut rollout, steps, interval, initial)?;
        let Backwards {
            mut gradient,
            covector,
            ..
        } = rollout;
        InvalidInput::check_finite("objective", &[gradient.value])
            .and_then(|()| InvalidInput::check_finite("gradient", covector.as_slice()))
            .and_then(|()| InvalidInput::check_finite("gradient", gradient.inputs.as_slice()))
            .and_then(|()| InvalidInput::check_finite("gradient", gradient.parameters.as_slice()))
            .map_err(RolloutFailure::at(0, dt))?;
        gradient.initial_state = covector;
        Ok(gradient)
    }

    fn system(&self) -> &TimeSteppingRigidBodySystem<f64, F> {
        self.differentiator.system()
    }

    /// The value of one part of the objective; adds its derivatives.
    fn add_slopes<O: RolloutObjective>(
        &mut self,
        objective: &O,
        (step, state, tau): (usize, &State<f64>, &[f64]),
        on_state: &mut DVector<f64>,
        on_tau: &mut [f64],
    ) -> f64 {
        let (x, u) = (&mut self.dual_state, &mut self.dual_tau);
        u.resize(tau.len(), DualSVec64::from_re(0.0));
        let size = on_state.len() + on_tau.len();
        let mut value = 0.0;
        for first in (0..size).step_by(CHUNK) {
            let values = state.q.iter().chain(state.v.iter()).chain(tau);
            let entries = x.q.iter_mut().chain(x.v.iter_mut()).chain(u.iter_mut());
            for (i, (entry, &value)) in entries.zip(values).enumerate() {
                *entry = DualSVec64::from_re(value);
                if (first..first + CHUNK).contains(&i) {
                    *entry = entry.derivative(i - first);
                }
            }
            let part = objective.evaluate(step, x, u);
            value = part.re;
            let Some(slopes) = part.eps.0 else {
                continue;
            };
            let targets = on_state.iter_mut().chain(on_tau.iter_mut());
            for (target, slope) in targets.skip(first).zip(slopes.iter()) {
                *target += slope;
            }
        }
        value
    }
}

/// A rollout whose gradient is being computed.
struct Backwards<'a, F: ForceElement<f64>, O> {
    adjoint: &'a mut Adjoint<F>,
    objective: &'a O,
    inputs: &'a DMatrix<f64>,
    /// Derivative with respect to the state at the present step.
    covector: DVector<f64>,
    gradient: RolloutGradient,
}

impl<F: ForceElement<f64>, O: RolloutObjective> Reversible for Backwards<'_, F, O> {
    type State = State<f64>;
    type Error = RolloutFailure;

    fn advance(&mut self, step: usize, state: &mut State<f64>) -> Result<(), RolloutFailure> {
        let system = self.adjoint.differentiator.system();
        let tau = self.inputs.column(step);
        let made = system
            .step(&mut self.adjoint.steps, state, tau.as_slice())
            .map_err(RolloutFailure::at(step, system.time_step()))?;
        state.clone_from(made.state());
        Ok(())
    }

    fn turn(&mut self, last: &State<f64>) -> Result<(), RolloutFailure> {
        let here = (self.inputs.ncols(), last, &[][..]);
        let covector = &mut self.covector;
        self.gradient.value = (self.adjoint).add_slopes(self.objective, here, covector, &mut []);
        self.gradient.last.clone_from(last);
        Ok(())
    }

    fn pull_back(&mut self, step: usize, state: &State<f64>) -> Result<(), RolloutFailure> {
        let dt = self.adjoint.system().time_step();
        let column = self.inputs.column(step);
        let tau = column.as_slice();
        let (covector, gradient) = (&mut self.covector, &mut self.gradient);
        let of_step = &mut self.adjoint.step_gradient;
        (self.adjoint.differentiator)
            .pull_back(state, tau, covector.as_slice(), of_step)
            .map_err(RolloutFailure::at(step, dt))?;
        covector.copy_from(&of_step.state);
        gradient.parameters += &of_step.parameters;
        let mut on_tau = gradient.inputs.column_mut(step);
        on_tau.copy_from(&of_step.tau);
        let (here, on_tau) = ((step, state, tau), on_tau.as_mut_slice());
        gradient.value += (self.adjoint).add_slopes(self.objective, here, covector, on_tau);
        Ok(())
    }
}
