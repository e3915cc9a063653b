//! Adjoint gradients of a scalar of a rollout, with respect to initial state, all inputs and parameters.
//!
//! With the parts `ℓ_k(x_k, u_k)` of the objective, the covector `λ` of the state runs backwards over the
//! steps `x_{k+1} = f(x_k, u_k, p)`:
//!
//! ```text
//! λ_N = ∂ℓ_N/∂x,    λ_k = (∂f/∂x)ᵀ λ_{k+1} + ∂ℓ_k/∂x,    ∂/∂u_k = (∂f/∂u)ᵀ λ_{k+1} + ∂ℓ_k/∂u,
//! ∂/∂p = Σ (∂f/∂p)ᵀ λ_{k+1}
//! ```
//!
//! The length δt of a step acts on the times `t_{k+1} = t_k + δt` as well, at which forces, prescribed motions and the
//! objective are evaluated: `λᵗ_k = λᵗ_{k+1} + (∂f/∂t)ᵀ λ_{k+1} + ∂ℓ_k/∂t`, and `Σ λᵗ_{k+1}` is added to `∂/∂δt`.

use super::error::{RolloutFailure, SystemError};
use super::objective::{Covectors, ObjectiveMemory, ObjectiveSlopes};
use super::reverse::{GradientParts, ReverseSweep};
use super::state::State;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::parameter::Parameters;
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

/// A scalar of a rollout, as a sum over its states and inputs.
pub trait RolloutObjective {
    /// The part of step `k`, from the state at its start and the inputs during it; at the end of the
    /// rollout `k` is the number of steps and `input` is empty.
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, input: &[T]) -> T;
}

/// The value of an objective and its derivatives.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RolloutGradient {
    /// The value.
    pub value: f64,
    /// With respect to the initial state: entries of `q`, of `v`, of the states of actuators and sensors.
    pub initial_state: DVector<f64>,
    /// With respect to the inputs: one row each, in their order, one column a step.
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
/// use dualbody::actuator::{FirstOrderLag, GeneralizedForce};
/// use dualbody::contact::ContactModel;
/// use dualbody::math::SpatialInertia;
/// use dualbody::system::{Adjoint, RolloutObjective, State, TimeSteppingRigidBodySystem};
/// use dualbody::tree::RigidBodyTreeBuilder;
/// use nalgebra::DMatrix;
///
/// /// Height at the end.
/// struct Height(usize);
/// impl RolloutObjective for Height {
///     fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
///         if step == self.0 { state.q[6] } else { T::zero() }
///     }
/// }
///
/// // A rocket of 2 kg whose thrust follows its input with a lag of 0.5 s.
/// let mut builder = RigidBodyTreeBuilder::new();
/// builder.add_body("rocket", SpatialInertia::solid_sphere(2.0, 0.1))?;
/// let tree = builder.finish()?;
/// let thrust = FirstOrderLag::new("engine", 0.5, GeneralizedForce::new("thrust", 5))?;
/// let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.1)?
///     .with_actuators([thrust])?;
/// let mut adjoint = Adjoint::new(&system, &["engine/time_constant"])?;
/// let start = system.initial_state();
/// let gradient = adjoint.gradient(&Height(3), &start, &DMatrix::zeros(1, 3))?;
/// // An input in the first step is felt in the two after it.
/// let decay = (-0.1f64 / 0.5).exp();
/// let expected = 0.01 / 2.0 * (1.0 - decay) * (2.0 + decay);
/// assert!((gradient.inputs[(0, 0)] - expected).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "reverse mode")]
#[doc(alias = "backpropagation")]
#[derive(Debug, Clone)]
pub struct Adjoint {
    sweep: ReverseSweep,
    objective: ObjectiveMemory,
}

impl Adjoint {
    /// For rollouts of a system, and derivatives with respect to the parameters of these names.
    ///
    /// The system is copied: later changes of its parameters are not seen.
    ///
    /// # Errors
    /// [`SystemError::Parameter`] for an unknown name.
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[&str],
    ) -> Result<Self, SystemError> {
        Self::by(system, &system.parameter_indices(parameters)?)
    }

    /// As [`Self::new`], by parameters at these positions.
    pub(super) fn by(
        system: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[usize],
    ) -> Result<Self, SystemError> {
        Ok(Adjoint {
            sweep: ReverseSweep::new(system, parameters)?,
            objective: ObjectiveMemory::new(system),
        })
    }

    /// The system.
    pub fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        self.sweep.system()
    }

    /// The parameters that derivatives are taken with respect to, as positions in those of the system.
    pub(super) fn parameters(&self) -> &[usize] {
        self.sweep.parameters()
    }

    /// Sets parameters of the system by their positions, as [`Parameters::set_parameters`].
    pub(super) fn set_parameters(&mut self, values: &[(usize, f64)]) -> Result<(), SystemError> {
        self.sweep.set_parameters(values)
    }

    /// Sets the number of steps between checkpoints (default: one while the states of all steps take 16 MB at most, then the
    /// root of the number of steps). Steps between checkpoints are made twice.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] for zero.
    pub fn with_checkpoint_interval(mut self, interval: usize) -> Result<Self, InvalidInput> {
        let given = [interval as f64];
        InvalidInput::check_range("checkpoint interval", &given, "at least 1", |n| n >= 1.0)?;
        self.sweep.checkpoint_interval = Some(interval);
        Ok(self)
    }

    /// The gradient of nothing over a rollout of so many steps: zeros, to be filled with a direction for
    /// [`Self::radius_along`].
    pub fn zero_gradient(&self, initial: &State<f64>, steps: usize) -> RolloutGradient {
        RolloutGradient {
            value: 0.0,
            initial_state: DVector::zeros(initial.sizes().iter().sum()),
            inputs: DMatrix::zeros(self.system().num_inputs(), steps),
            parameters: DVector::zeros(self.parameters().len()),
            last: initial.clone(),
        }
    }

    /// The value of `objective` over a rollout from `initial` with the inputs `inputs` (one row each, a
    /// column for each of N steps), and its derivatives.
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
        InvalidInput::check_size(
            "rows of the inputs",
            inputs.nrows(),
            self.system().num_inputs(),
        )
        .map_err(RolloutFailure::at(0, initial.time))?;
        let mut gradient = self.zero_gradient(initial, steps);
        let parts = GradientParts {
            initial_state: gradient.initial_state.as_mut_slice(),
            inputs: gradient.inputs.as_mut_slice(),
            parameters: gradient.parameters.as_mut_slice(),
        };
        gradient.value =
            self.write_gradient(objective, initial, (inputs.as_slice(), steps), parts)?;
        gradient.last.clone_from(self.sweep.last());
        Ok(gradient)
    }

    /// The value of `objective` with inputs step after step; writes its derivatives.
    pub(super) fn write_gradient<O: RolloutObjective>(
        &mut self,
        objective: &O,
        initial: &State<f64>,
        inputs: (&[f64], usize),
        parts: GradientParts<'_>,
    ) -> Result<f64, RolloutFailure> {
        let mut slopes = ObjectiveSlopes {
            objective,
            memory: &mut self.objective,
        };
        self.sweep.gradient(&mut slopes, initial, inputs, parts)
    }

    /// As [`Self::write_gradient`], of the objective `Σ cₖ·xₖ + Σ dₖ·yₖ` of states and outputs, given step after step.
    pub(super) fn pull_back(
        &mut self,
        covectors: Covectors<'_>,
        initial: &State<f64>,
        inputs: (&[f64], usize),
        parts: GradientParts<'_>,
    ) -> Result<f64, RolloutFailure> {
        self.sweep
            .gradient(&mut { covectors }, initial, inputs, parts)
    }
}
