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

use super::checkpoints::{Reversible, sweep};
use super::damping::Dual;
use super::derivative::StepGradient;
use super::error::{RolloutFailure, SystemError};
use super::jacobian::{StepAt, StepDifferentiator};
use super::state::State;
use super::step::StepWorkspace;
use super::time_stepping::{TIME_STEP, TimeSteppingRigidBodySystem};
use crate::autodiff::{JacobianWorkspace, jacobian_into};
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
    differentiator: StepDifferentiator,
    checkpoint_interval: Option<usize>,
    /// The parameters, as places among those of the system.
    parameters: Vec<usize>,
    /// Where the length of a step is among the parameters. If it is, derivatives with respect to the time of a state come
    /// after them.
    lengths: Vec<usize>,
    steps: StepWorkspace<f64>,
    of_step: StepGradient,
    objective: ObjectiveSlopes,
}

/// Derivatives of one part of an objective; a workspace.
#[derive(Debug, Clone)]
struct ObjectiveSlopes {
    state: State<Dual>,
    input: Vec<Dual>,
    jacobian: JacobianWorkspace,
    /// Where derivatives are taken, and these.
    point: Vec<f64>,
    slopes: Vec<f64>,
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
        let mut differentiator = StepDifferentiator::new(system, parameters)?;
        let of_length = system.parameter_index(TIME_STEP)?;
        let (mut lengths, mut places) = (Vec::new(), Vec::new());
        for (place, name) in parameters.iter().enumerate() {
            places.push(system.parameter_index(name)?);
            if places[place] == of_length {
                lengths.push(place);
            }
        }
        if !lengths.is_empty() {
            differentiator = differentiator.with_time();
        }
        Ok(Adjoint {
            differentiator,
            parameters: places,
            lengths,
            checkpoint_interval: None,
            steps: system.workspace()?,
            of_step: StepGradient::default(),
            objective: ObjectiveSlopes {
                state: system.initial_state().cast(),
                input: vec![Dual::from_re(0.0); system.num_inputs()],
                jacobian: JacobianWorkspace::default(),
                point: Vec::new(),
                slopes: Vec::new(),
            },
        })
    }

    /// The system.
    pub fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        self.differentiator.system()
    }

    /// The parameters that derivatives are taken with respect to, as positions in those of the system.
    pub(super) fn parameters(&self) -> &[usize] {
        &self.parameters
    }

    /// Sets the number of steps between checkpoints (default: the root of the number of steps).
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] for zero.
    pub fn with_checkpoint_interval(mut self, interval: usize) -> Result<Self, InvalidInput> {
        let given = [interval as f64];
        InvalidInput::check_range("checkpoint interval", &given, "at least 1", |n| n >= 1.0)?;
        self.checkpoint_interval = Some(interval);
        Ok(self)
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
        let at_start = initial.time;
        InvalidInput::check_size(
            "rows of the inputs",
            inputs.nrows(),
            self.objective.input.len(),
        )
        .map_err(RolloutFailure::at(0, at_start))?;
        let zero = vec![0.0; inputs.nrows()];
        (self.differentiator.system().check_sizes(initial, &zero))
            .map_err(RolloutFailure::at(0, at_start))?;
        let interval = self.checkpoint_interval;
        let parameters = self.differentiator.num_parameters();
        let mut rollout = Backwards {
            covector: DVector::zeros(initial.sizes().iter().sum()),
            on_time: 0.0,
            adjoint: self,
            objective,
            inputs,
            gradient: RolloutGradient {
                value: 0.0,
                initial_state: DVector::zeros(0),
                inputs: DMatrix::zeros(inputs.nrows(), steps),
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
        gradient.initial_state = covector;
        for (quantity, values) in [
            ("objective", &[gradient.value][..]),
            ("gradient", gradient.initial_state.as_slice()),
            ("gradient", gradient.inputs.as_slice()),
            ("gradient", gradient.parameters.as_slice()),
        ] {
            InvalidInput::check_finite(quantity, values)
                .map_err(RolloutFailure::at(0, at_start))?;
        }
        Ok(gradient)
    }
}

impl ObjectiveSlopes {
    /// The value of one part of the objective; adds its derivatives.
    fn add<O: RolloutObjective>(
        &mut self,
        objective: &O,
        (step, at, input): (usize, &State<f64>, &[f64]),
        (on_state, on_input): (&mut [f64], &mut [f64]),
        on_time: Option<&mut f64>,
    ) -> Result<f64, InvalidInput> {
        let ObjectiveSlopes {
            state,
            input: dual_input,
            jacobian,
            point,
            slopes,
        } = self;
        point.clear();
        point.extend(at.entries().chain(input.iter().copied()));
        point.extend(on_time.as_ref().map(|_| at.time));
        slopes.clear();
        slopes.resize(point.len(), 0.0);
        state.time = Dual::from_re(at.time);
        let dual_input = &mut dual_input[..input.len()];
        let mut value = [0.0];
        jacobian_into(
            |x, y| {
                let size = state.sizes().iter().sum();
                let (of_state, rest) = x.split_at(size);
                let (of_input, of_time) = rest.split_at(dual_input.len());
                state
                    .entries_mut()
                    .zip(of_state)
                    .for_each(|(entry, &x)| *entry = x);
                dual_input.copy_from_slice(of_input);
                if let [time] = of_time {
                    state.time = *time;
                }
                y[0] = objective.evaluate(step, state, dual_input);
                Ok::<(), InvalidInput>(())
            },
            point,
            jacobian,
            &mut value,
            slopes,
        )?;
        let targets = on_state.iter_mut().chain(on_input).chain(on_time);
        targets
            .zip(&*slopes)
            .for_each(|(target, slope)| *target += slope);
        Ok(value[0])
    }
}

/// A rollout whose gradient is being computed.
struct Backwards<'a, O> {
    adjoint: &'a mut Adjoint,
    objective: &'a O,
    inputs: &'a DMatrix<f64>,
    /// Derivative with respect to the state at the present step.
    covector: DVector<f64>,
    /// Derivative with respect to the time of that state, where it is asked for.
    on_time: f64,
    gradient: RolloutGradient,
}

impl<O: RolloutObjective> Reversible for Backwards<'_, O> {
    type State = State<f64>;
    type Error = RolloutFailure;

    fn advance(&mut self, step: usize, state: &mut State<f64>) -> Result<(), RolloutFailure> {
        let Adjoint {
            differentiator,
            steps,
            ..
        } = &mut *self.adjoint;
        let column = self.inputs.column(step);
        let made = (differentiator.system())
            .step(steps, state, column.as_slice())
            .map_err(RolloutFailure::at(step, state.time))?;
        state.clone_from(made.state());
        Ok(())
    }

    fn turn(&mut self, last: &State<f64>) -> Result<(), RolloutFailure> {
        let steps = self.inputs.ncols();
        let covector = self.covector.as_mut_slice();
        self.gradient.value = (self.adjoint.objective)
            .add(
                self.objective,
                (steps, last, &[]),
                (covector, &mut []),
                (!self.adjoint.lengths.is_empty()).then_some(&mut self.on_time),
            )
            .map_err(RolloutFailure::at(steps, last.time))?;
        self.gradient.last.clone_from(last);
        Ok(())
    }

    fn pull_back(
        &mut self,
        step: usize,
        state: &State<f64>,
        end: &State<f64>,
    ) -> Result<(), RolloutFailure> {
        let column = self.inputs.column(step);
        let input = column.as_slice();
        let Adjoint {
            differentiator,
            of_step,
            objective: slopes,
            lengths,
            ..
        } = &mut *self.adjoint;
        let (covector, gradient) = (&mut self.covector, &mut self.gradient);
        let end = Some(end);
        differentiator
            .pull_back_from(StepAt { state, input, end }, covector.as_slice(), of_step)
            .map_err(RolloutFailure::at(step, state.time))?;
        covector.copy_from(&of_step.state);
        let count = gradient.parameters.len();
        gradient.parameters += of_step.parameters.rows(0, count);
        for &length in lengths.iter() {
            gradient.parameters[length] += self.on_time;
        }
        let on_time = (!lengths.is_empty()).then_some(&mut self.on_time);
        let on_time = on_time.map(|sum| {
            *sum += of_step.parameters[of_step.parameters.len() - 1];
            sum
        });
        let mut on_input = gradient.inputs.column_mut(step);
        on_input.copy_from(&of_step.input);
        let on = (covector.as_mut_slice(), on_input.as_mut_slice());
        gradient.value += slopes
            .add(self.objective, (step, state, input), on, on_time)
            .map_err(RolloutFailure::at(step, state.time))?;
        Ok(())
    }
}
