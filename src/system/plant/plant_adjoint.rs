//! The gradient of a scalar of a plant's rollout, with respect to the inputs of its actuators.
//!
//! A step of a plant takes the tree from `(q, v)` to `(q⁺, v⁺)` with the forces of the actuators, and
//! their states from `a` to `a⁺ = g(q, v, a, u)`. With the covector `(λ_q, λ_v, λ_a)` of the state after
//! the step, the [adjoint](crate::system::Adjoint) of the tree gives `(λ_q, λ_v)ᵀ ∂(q⁺, v⁺)/∂τ = wᵀ`, in the
//! space of velocities. What an actuator force `τ(q, v⁺, a, u)` does to the scalar is its power at the
//! velocity `w`, so
//!
//! ```text
//! ∂/∂u = wᵀ ∂τ/∂u + λ_aᵀ ∂g/∂u,      ∂/∂a = wᵀ ∂τ/∂a + λ_aᵀ ∂g/∂a
//! ```
//!
//! and `λ_aᵀ ∂g/∂(q, v, p)` adds to the derivatives by the state of the tree and by parameters. The power is
//! differentiated with duals, [`CHUNK`] directions at once: beside a step, that costs little, whatever
//! the number of inputs.

use super::discrete_plant::DiscretePlant;
use crate::actuator::{Actuated, Actuator};
use crate::autodiff::{CHUNK, JacobianWorkspace, jacobian_into};
use crate::force::{ForceContext, Forces};
use crate::math::SpatialVelocity;
use crate::sensor::Sensor;
use crate::system::checkpoints::{Reversible, sweep};
use crate::system::error::PlantError;
use crate::system::plant_state::PlantState;
use crate::system::time_stepping::part;
use crate::system::{RolloutFailure, StepDifferentiator, StepGradient, StepWorkspace};
use crate::tree::TreeWorkspace;
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};
use num_dual::DualSVec64;

type Dual = DualSVec64<CHUNK>;

/// A scalar of a plant's rollout, as a sum over its states and inputs.
pub trait PlantObjective {
    /// The part of step `k`, from the state at its start and the input during it; at the end of the
    /// rollout `k` is the number of steps and `input` is empty. States of sensors are those of the
    /// start of the rollout.
    fn evaluate<T: Scalar>(&self, step: usize, state: &PlantState<T>, input: &[T]) -> T;
}

/// The value of an objective and its derivatives.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantGradient {
    /// The value.
    pub value: f64,
    /// With respect to the initial state: entries of `q`, of `v`, of the actuators' states.
    pub initial_state: DVector<f64>,
    /// With respect to the inputs: one row each, in their order, one column a step.
    pub inputs: DMatrix<f64>,
    /// With respect to the chosen parameters.
    pub parameters: DVector<f64>,
    /// The state after the last step.
    pub last: PlantState<f64>,
}

/// Computes gradients of rollouts of a plant; a workspace.
///
/// ```
/// use dualbody::Scalar;
/// use dualbody::actuator::{FirstOrderLag, GeneralizedForce};
/// use dualbody::contact::ContactModel;
/// use dualbody::math::SpatialInertia;
/// use dualbody::system::{
///     DiscretePlant, PlantAdjoint, PlantObjective, PlantState, TimeSteppingRigidBodySystem,
/// };
/// use dualbody::tree::RigidBodyTreeBuilder;
/// use nalgebra::DMatrix;
///
/// /// Height at the end.
/// struct Height(usize);
/// impl PlantObjective for Height {
///     fn evaluate<T: Scalar>(&self, step: usize, state: &PlantState<T>, _: &[T]) -> T {
///         if step == self.0 { state.tree.q[6] } else { T::zero() }
///     }
/// }
///
/// // A rocket of 2 kg whose thrust follows its input with a lag of 0.5 s.
/// let mut builder = RigidBodyTreeBuilder::new();
/// builder.add_body("rocket", SpatialInertia::solid_sphere(2.0, 0.1))?;
/// let tree = builder.finish()?;
/// let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.1)?;
/// let thrust = FirstOrderLag::new("engine", 0.5, GeneralizedForce::new("thrust", 5))?;
/// let plant = DiscretePlant::new(system, thrust, ())?;
/// let mut adjoint = PlantAdjoint::new(&plant, &["engine/time_constant"])?;
/// let start = plant.initial_state();
/// let gradient = adjoint.gradient(&Height(3), &start, &DMatrix::zeros(1, 3))?;
/// // An input in the first step is felt in the two after it.
/// let decay = (-0.1f64 / 0.5).exp();
/// let expected = 0.01 / 2.0 * (1.0 - decay) * (2.0 + decay);
/// assert!((gradient.inputs[(0, 0)] - expected).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct PlantAdjoint<A: Actuator<f64>> {
    differentiator: StepDifferentiator<Actuated<f64, A>>,
    checkpoint_interval: Option<usize>,
    steps: StepWorkspace<f64>,
    tree: TreeWorkspace<f64>,
    /// Zeros: all forces are those of actuators.
    tau: Vec<f64>,
    of_step: StepGradient,
    /// A state, an input, and what actuators need, in duals.
    state: PlantState<Dual>,
    input: Vec<Dual>,
    dual_tree: TreeWorkspace<Dual>,
    forces: Forces<Dual>,
    velocity: Vec<Dual>,
    velocities: Vec<SpatialVelocity<Dual>>,
    weight: Vec<Dual>,
    weights: Vec<SpatialVelocity<Dual>>,
    next: Vec<Dual>,
    jacobian: JacobianWorkspace,
    /// Where derivatives are taken, and these.
    point: Vec<f64>,
    slopes: Vec<f64>,
}

impl<A: Actuator<f64>> PlantAdjoint<A> {
    /// For rollouts of a plant, and derivatives with respect to the parameters of these names.
    ///
    /// The plant is copied: later changes of its parameters are not seen.
    ///
    /// # Errors
    /// [`PlantError::AdjointUndefined`] for rigid contact, and [`PlantError::Parameter`] for a name that
    /// the plant's tree, contact model and actuators do not have.
    pub fn new<S: Sensor<f64>>(
        plant: &DiscretePlant<f64, A, S>,
        parameters: &[&str],
    ) -> Result<Self, PlantError> {
        if plant.has_rigid_contact() {
            return Err(PlantError::AdjointUndefined);
        }
        let system = plant.system();
        let tree = system.tree();
        let differentiator = StepDifferentiator::new(system, parameters)?;
        let state = plant.initial_state().cast::<Dual>();
        let zero = Dual::from_re(0.0);
        let (dual, _) = differentiator.dual_systems();
        let (dual_tree, forces) = (dual.tree().workspace(), Forces::new(dual.tree()));
        Ok(PlantAdjoint {
            checkpoint_interval: None,
            steps: system.workspace()?,
            tree: tree.workspace(),
            tau: vec![0.0; tree.num_velocities()],
            of_step: StepGradient::default(),
            input: vec![zero; plant.num_inputs()],
            velocity: vec![zero; tree.num_velocities()],
            velocities: vec![SpatialVelocity::zero(); tree.num_bodies()],
            weight: vec![zero; tree.num_velocities()],
            weights: vec![SpatialVelocity::zero(); tree.num_bodies()],
            next: vec![zero; state.actuators.len()],
            jacobian: JacobianWorkspace::default(),
            point: Vec::new(),
            slopes: Vec::new(),
            dual_tree,
            forces,
            state,
            differentiator,
        })
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
    pub fn gradient<O: PlantObjective>(
        &mut self,
        objective: &O,
        initial: &PlantState<f64>,
        inputs: &DMatrix<f64>,
    ) -> Result<PlantGradient, RolloutFailure<PlantError>> {
        let steps = inputs.ncols();
        let dt = self.differentiator.system().time_step();
        let (own, given) = (&self.state, initial);
        for (quantity, actual, expected) in [
            ("rows of the inputs", inputs.nrows(), self.input.len()),
            ("q", given.tree.q.len(), own.tree.q.len()),
            ("v", given.tree.v.len(), own.tree.v.len()),
            (
                "states of actuators",
                given.actuators.len(),
                own.actuators.len(),
            ),
            ("states of sensors", given.sensors.len(), own.sensors.len()),
        ] {
            InvalidInput::check_size(quantity, actual, expected)
                .map_err(RolloutFailure::at(0, dt))?;
        }
        let size = own.tree.q.len() + own.tree.v.len() + own.actuators.len();
        for (dual, &value) in self.state.sensors.iter_mut().zip(&initial.sensors) {
            *dual = value.into();
        }
        let interval = self.checkpoint_interval;
        let parameters = self.differentiator.num_parameters();
        let mut rollout = Backwards {
            adjoint: self,
            objective,
            inputs,
            covector: DVector::zeros(size),
            gradient: PlantGradient {
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
        InvalidInput::check_finite("objective", &[gradient.value])
            .and_then(|()| InvalidInput::check_finite("gradient", covector.as_slice()))
            .and_then(|()| InvalidInput::check_finite("gradient", gradient.inputs.as_slice()))
            .and_then(|()| InvalidInput::check_finite("gradient", gradient.parameters.as_slice()))
            .map_err(RolloutFailure::at(0, dt))?;
        gradient.initial_state = covector;
        Ok(gradient)
    }

    /// Makes a step.
    fn advance(&mut self, state: &mut PlantState<f64>, input: &[f64]) -> Result<(), PlantError> {
        let (differentiator, placed) = (&mut self.differentiator, &mut self.tree);
        differentiator.set_actuation(input, state.actuators.as_slice())?;
        let system = differentiator.system();
        let (tree, dt) = (system.tree(), system.time_step());
        let step = system.step(&mut self.steps, &state.tree, &self.tau)?;
        tree.set_state(placed, state.tree.q.as_slice(), state.tree.v.as_slice())?;
        let (context, own) = (
            ForceContext::new(tree, placed),
            state.actuators.as_mut_slice(),
        );
        let actuators = system.forces().actuators();
        actuators.update(&context, input, dt, own)?;
        actuators.advance(&context, input, dt, own)?;
        InvalidInput::check_finite("states of actuators", own)?;
        state.tree.clone_from(step.state());
        Ok(())
    }

    /// Writes `[q; v; a; u]`.
    fn write_point(&mut self, state: &PlantState<f64>, input: &[f64]) {
        let PlantState {
            tree, actuators, ..
        } = state;
        self.point.clear();
        (self.point).extend(tree.q.iter().chain(&tree.v).chain(actuators).chain(input));
        self.slopes.clear();
        self.slopes.resize(self.point.len(), 0.0);
    }

    /// The value of one part of the objective; adds its derivatives.
    fn add_objective<O: PlantObjective>(
        &mut self,
        objective: &O,
        (step, state, input): (usize, &PlantState<f64>, &[f64]),
        on_state: &mut [f64],
        on_input: &mut [f64],
    ) -> Result<f64, PlantError> {
        self.write_point(state, input);
        let (dual, dual_input) = (&mut self.state, &mut self.input[..input.len()]);
        let mut value = [0.0];
        jacobian_into(
            |x, y| {
                copy_point(x.iter().copied(), dual, dual_input);
                y[0] = objective.evaluate(step, dual, dual_input);
                Ok::<(), InvalidInput>(())
            },
            &self.point,
            &mut self.jacobian,
            &mut value,
            &mut self.slopes,
        )?;
        let targets = on_state.iter_mut().chain(on_input);
        targets
            .zip(&self.slopes)
            .for_each(|(target, slope)| *target += slope);
        Ok(value[0])
    }

    /// Pulls the covector of the state after a step back to the state before it, and adds what the
    /// input and the parameters contribute.
    fn pull_back(
        &mut self,
        (state, input): (&PlantState<f64>, &[f64]),
        covector: &mut DVector<f64>,
        on_input: &mut [f64],
        on_parameters: &mut DVector<f64>,
    ) -> Result<(), PlantError> {
        let of_tree = state.tree.q.len() + state.tree.v.len();
        let (on_tree, on_actuators) = covector.as_mut_slice().split_at_mut(of_tree);
        (self.differentiator).set_actuation(input, state.actuators.as_slice())?;
        let next =
            (self.differentiator).pull_back(&state.tree, &self.tau, on_tree, &mut self.of_step)?;
        for (velocity, &v) in self.velocity.iter_mut().zip(&next.v) {
            *velocity = v.into();
        }
        for (weight, &w) in self.weight.iter_mut().zip(&self.of_step.tau) {
            *weight = w.into();
        }
        *on_parameters += &self.of_step.parameters;
        on_tree.copy_from_slice(self.of_step.state.as_slice());
        let own = on_actuators.to_vec();
        on_actuators.fill(0.0);
        self.write_point(state, input);
        let constants = self.point.iter().map(|&x| x.into());
        copy_point(constants, &mut self.state, &mut self.input);
        self.add_power(of_tree)?;
        let targets = on_actuators.iter_mut().chain(on_input.iter_mut());
        (targets.zip(&self.slopes)).for_each(|(target, slope)| *target += slope);
        if own.is_empty() {
            return Ok(());
        }
        self.slopes.clear();
        self.slopes.resize(self.point.len(), 0.0);
        self.add_transition(&own, on_parameters)?;
        let targets = on_tree.iter_mut().chain(on_actuators).chain(on_input);
        (targets.zip(&self.slopes)).for_each(|(target, slope)| *target += slope);
        Ok(())
    }

    /// Writes `wᵀ ∂τ/∂(a, u)`, at the state and the velocity in duals.
    fn add_power(&mut self, of_tree: usize) -> Result<(), PlantError> {
        let PlantAdjoint {
            differentiator,
            state,
            dual_tree: placed,
            forces,
            velocity,
            velocities,
            weight,
            weights,
            slopes,
            ..
        } = self;
        let (system, _) = differentiator.dual_systems();
        let tree = system.tree();
        tree.set_state(placed, state.tree.q.as_slice(), state.tree.v.as_slice())?;
        tree.body_velocities(placed, velocity, velocities)?;
        tree.body_velocities(placed, weight, weights)?;
        let at_end = ForceContext::with_velocities(tree, placed, velocity, velocities)?;
        let weighted = ForceContext::with_velocities(tree, placed, weight, weights)?;
        let point = &self.point[of_tree..];
        slopes.truncate(point.len());
        let count = state.actuators.len();
        let power = |x: &[Dual], y: &mut [Dual]| {
            let (own, input) = x.split_at(count);
            forces.clear();
            (system.forces().actuators()).add_forces(&at_end, input, own, forces)?;
            y[0] = forces.power(&weighted)?;
            Ok::<(), PlantError>(())
        };
        jacobian_into(power, point, &mut self.jacobian, &mut [0.0], slopes)
    }

    /// Writes `λ_aᵀ ∂g/∂(q, v, a, u)`, and adds `λ_aᵀ ∂g/∂p`.
    fn add_transition(
        &mut self,
        covector: &[f64],
        on_parameters: &mut DVector<f64>,
    ) -> Result<(), PlantError> {
        let PlantAdjoint {
            differentiator,
            state,
            input,
            dual_tree: placed,
            next,
            ..
        } = self;
        let (system, variable) = differentiator.dual_systems();
        let (tree, dt) = (system.tree(), system.time_step());
        for (chunk, system) in variable.iter().enumerate() {
            let mut placed = system.tree().workspace();
            let (q, v) = (state.tree.q.as_slice(), state.tree.v.as_slice());
            system.tree().set_state(&mut placed, q, v)?;
            let context = ForceContext::new(system.tree(), &placed);
            next.copy_from_slice(state.actuators.as_slice());
            let (actuators, dt) = (system.forces().actuators(), system.time_step());
            actuators.update(&context, input, dt, next)?;
            actuators.advance(&context, input, dt, next)?;
            let targets = on_parameters.iter_mut().skip(chunk * CHUNK).take(CHUNK);
            for (k, target) in targets.enumerate() {
                let terms = covector.iter().zip(&*next).map(|(l, a)| l * part(a, k));
                *target += terms.sum::<f64>();
            }
        }
        let transition = |x: &[Dual], y: &mut [Dual]| {
            copy_point(x.iter().copied(), state, input);
            tree.set_state(placed, state.tree.q.as_slice(), state.tree.v.as_slice())?;
            let context = ForceContext::new(tree, placed);
            next.copy_from_slice(state.actuators.as_slice());
            let actuators = system.forces().actuators();
            actuators.update(&context, input, dt, next)?;
            actuators.advance(&context, input, dt, next)?;
            let terms = covector.iter().zip(&*next).map(|(&l, &a)| a * l);
            y[0] = terms.fold(Dual::from_re(0.0), |sum, term| sum + term);
            Ok::<(), PlantError>(())
        };
        let (point, slopes) = (&self.point, &mut self.slopes);
        jacobian_into(transition, point, &mut self.jacobian, &mut [0.0], slopes)
    }
}

/// Reads `[q; v; a; u]`.
fn copy_point(x: impl Iterator<Item = Dual>, state: &mut PlantState<Dual>, input: &mut [Dual]) {
    let PlantState {
        tree, actuators, ..
    } = state;
    let entries = (tree.q.iter_mut())
        .chain(&mut tree.v)
        .chain(actuators)
        .chain(input);
    entries.zip(x).for_each(|(entry, x)| *entry = x);
}

/// A rollout whose gradient is being computed.
struct Backwards<'a, A: Actuator<f64>, O> {
    adjoint: &'a mut PlantAdjoint<A>,
    objective: &'a O,
    inputs: &'a DMatrix<f64>,
    /// Derivative with respect to the state at the present step.
    covector: DVector<f64>,
    gradient: PlantGradient,
}

impl<A: Actuator<f64>, O> Backwards<'_, A, O> {
    fn time_step(&self) -> f64 {
        self.adjoint.differentiator.system().time_step()
    }
}

impl<A: Actuator<f64>, O: PlantObjective> Reversible for Backwards<'_, A, O> {
    type State = PlantState<f64>;
    type Error = RolloutFailure<PlantError>;

    fn advance(&mut self, step: usize, state: &mut PlantState<f64>) -> Result<(), Self::Error> {
        let (input, dt) = (self.inputs.column(step), self.time_step());
        (self.adjoint.advance(state, input.as_slice())).map_err(RolloutFailure::at(step, dt))
    }

    fn turn(&mut self, last: &PlantState<f64>) -> Result<(), Self::Error> {
        let (step, dt) = (self.inputs.ncols(), self.time_step());
        let covector = self.covector.as_mut_slice();
        let here = (step, last, &[][..]);
        self.gradient.value = (self.adjoint)
            .add_objective(self.objective, here, covector, &mut [])
            .map_err(RolloutFailure::at(step, dt))?;
        self.gradient.last.clone_from(last);
        Ok(())
    }

    fn pull_back(&mut self, step: usize, state: &PlantState<f64>) -> Result<(), Self::Error> {
        let dt = self.time_step();
        let (column, gradient) = (self.inputs.column(step), &mut self.gradient);
        let input = column.as_slice();
        let mut on_input = gradient.inputs.column_mut(step);
        let on_input = on_input.as_mut_slice();
        let (covector, on_parameters) = (&mut self.covector, &mut gradient.parameters);
        (self.adjoint)
            .pull_back((state, input), covector, on_input, on_parameters)
            .map_err(RolloutFailure::at(step, dt))?;
        let (here, covector) = ((step, state, input), covector.as_mut_slice());
        gradient.value += (self.adjoint)
            .add_objective(self.objective, here, covector, on_input)
            .map_err(RolloutFailure::at(step, dt))?;
        Ok(())
    }
}
