//! A tree with actuators, sensors, constraints and compliant contact, in continuous time.

use super::dynamics::DynamicsWorkspace;
use crate::actuator::Actuator;
use crate::constraint::{Baumgarte, ConstraintSet};
use crate::contact::ContactModel;
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::sensor::{Sensor, SensorContext};
use crate::system::error::{PlantError, SystemError};
use crate::system::plant_state::PlantState;
use crate::system::signal::index_of;
use crate::system::state::State;
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// A tree, actuators, sensors and constraints, in continuous time:
///
/// ```text
/// M(q) v̇ + C(q, v) v = τ_g(q) − D v + τ_actuators(q, v, a, u) + Jᵀ f_contact(q, v) + τ_constraints(q, v, v̇)
/// q̇ = N(q) v,      ȧ = g(q, v, a, u),      y = h(q, v, v̇, f)
/// ```
///
/// with the states `a` of the actuators. The inputs are those of the actuators, the outputs those of
/// the sensors, each by name. Force elements are actuators without inputs, by
/// [`Passive`](crate::actuator::Passive).
///
/// # Contact
/// Contacts of the model are compliant by default: Hunt and Crossley's normal force `k x (1 − d vₙ)₊`, and friction
/// of the regularised law of the time stepper, whose coefficient rises to μ over the stiction tolerance
/// (see [`implicit_stribeck`](crate::solver::implicit_stribeck)). Both follow from the state. They are
/// stiff: a time stepper takes far longer steps. With [`Self::with_rigid_contact`] bodies do not give
/// way: non-penetration, and Coulomb's cone where a contact sticks, are complementarity conditions on
/// accelerations and forces.
///
/// # Constraints
/// The forces of constraints and of rigid contacts are found together with the accelerations, by a
/// [`ConstraintSolver`](crate::constraint::ConstraintSolver), and are read from the
/// [workspace](DynamicsWorkspace::constraint_forces). Where the set of active ones changes, use
/// [events](crate::integrator::event), and for the velocities after an impact
/// [`impact_problem`](crate::constraint::TreeConstraints::impact_problem).
///
/// # Sensors
/// States of sensors advance from sample to sample, not with time; see [`Self::sample`].
#[derive(Debug, Clone)]
pub struct RigidBodySystem<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T> = ()> {
    pub(super) tree: RigidBodyTree<T>,
    pub(super) contact: ContactModel<T>,
    pub(super) actuators: A,
    sensors: S,
    pub(super) constraints: C,
    /// How errors of the constraints decay.
    pub(super) stabilization: Baumgarte<T>,
    pub(super) stiction_tolerance: T,
    /// How overlaps of rigid contacts decay; compliant contact if there is none.
    pub(super) rigid_contact: Option<Baumgarte<T>>,
}

/// What a [`RigidBodySystem`] of the scalar `T` is in the scalar `U`.
pub type CastSystem<U, T, A, S, C> = RigidBodySystem<
    U,
    <A as Actuator<T>>::Cast<U>,
    <S as Sensor<T>>::Cast<U>,
    <C as ConstraintSet<T>>::Cast<U>,
>;

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>> RigidBodySystem<T, A, S> {
    /// A system without constraints.
    ///
    /// # Errors
    /// [`SystemError`] when an actuator or a sensor does not make sense or does not fit the tree.
    pub fn new(
        tree: RigidBodyTree<T>,
        contact: ContactModel<T>,
        mut actuators: A,
        sensors: S,
    ) -> Result<Self, SystemError> {
        actuators.set_time_step(T::zero());
        actuators.validate(&tree)?;
        sensors.validate(&tree)?;
        Ok(RigidBodySystem {
            tree,
            contact,
            actuators,
            sensors,
            constraints: (),
            stabilization: Baumgarte::none(),
            stiction_tolerance: T::from(1e-3),
            rigid_contact: None,
        })
    }
}

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> RigidBodySystem<T, A, S, C> {
    /// Sets the constraints, in place of those that the system had.
    pub fn with_constraints<D: ConstraintSet<T>>(
        self,
        constraints: D,
    ) -> RigidBodySystem<T, A, S, D> {
        RigidBodySystem {
            tree: self.tree,
            contact: self.contact,
            actuators: self.actuators,
            sensors: self.sensors,
            constraints,
            stabilization: self.stabilization,
            stiction_tolerance: self.stiction_tolerance,
            rigid_contact: self.rigid_contact,
        }
    }

    /// Sets how errors of the constraints decay; by default they stay.
    pub fn with_stabilization(mut self, stabilization: Baumgarte<T>) -> Self {
        self.stabilization = stabilization;
        self
    }

    /// Makes contacts rigid; `stabilization` says how overlaps decay. Of the materials only friction
    /// counts then.
    pub fn with_rigid_contact(mut self, stabilization: Baumgarte<T>) -> Self {
        self.rigid_contact = Some(stabilization);
        self
    }

    /// Sets the slip speed at which friction reaches its full value (default 10⁻³ m/s).
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless it is positive.
    pub fn with_stiction_tolerance(mut self, tolerance: T) -> Result<Self, InvalidInput> {
        InvalidInput::check_range(
            "stiction tolerance",
            &[tolerance],
            "a positive speed",
            |x| x > 0.0 && x.is_finite(),
        )?;
        self.stiction_tolerance = tolerance;
        Ok(self)
    }

    /// The tree.
    pub fn tree(&self) -> &RigidBodyTree<T> {
        &self.tree
    }

    /// The contact model.
    pub fn contact(&self) -> &ContactModel<T> {
        &self.contact
    }

    /// The actuators.
    pub fn actuators(&self) -> &A {
        &self.actuators
    }

    /// The sensors.
    pub fn sensors(&self) -> &S {
        &self.sensors
    }

    /// Names of the inputs, in their order.
    pub fn input_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        (self.actuators).visit_input_names(&mut |name| names.push(name.to_string()));
        names
    }

    /// Names of the outputs, in their order.
    pub fn output_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        (self.sensors).visit_output_names(&mut |name| names.push(name.to_string()));
        names
    }

    /// Position of an input in the list of inputs.
    ///
    /// # Errors
    /// [`PlantError::UnknownSignal`].
    pub fn input_index(&self, name: &str) -> Result<usize, PlantError> {
        index_of(name, &self.input_names())
    }

    /// Position of an output in the list of outputs.
    ///
    /// # Errors
    /// [`PlantError::UnknownSignal`].
    pub fn output_index(&self, name: &str) -> Result<usize, PlantError> {
        index_of(name, &self.output_names())
    }

    /// The neutral state of the tree, at rest, with the initial states of actuators and sensors.
    pub fn initial_state(&self) -> PlantState<T> {
        let mut state = PlantState {
            tree: State {
                q: self.tree.neutral_configuration(),
                v: DVector::zeros(self.tree.num_velocities()),
            },
            actuators: DVector::zeros(self.actuators.num_states()),
            sensors: DVector::zeros(self.sensors.num_states()),
        };
        (self.actuators).write_initial_state(state.actuators.as_mut_slice());
        (self.sensors).write_initial_state(state.sensors.as_mut_slice());
        state
    }

    /// The outputs at a state; those of sensors with a state use the one that they have.
    ///
    /// # Errors
    /// As [`Self::accelerations`], and those of the sensors.
    pub fn output(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        state: &PlantState<T>,
        input: &[T],
        normal: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), PlantError> {
        InvalidInput::check_size("outputs", out.len(), self.sensors.num_outputs())?;
        let states = self.sensors.num_states();
        InvalidInput::check_size("states of sensors", state.sensors.len(), states)?;
        let context = self.sensor_context(workspace, state, input)?;
        (self.sensors).measure(&context, state.sensors.as_slice(), normal, out)?;
        Ok(InvalidInput::check_finite("outputs", out)?)
    }

    /// As [`Self::output`]; then brings the states of the sensors to the next sample, `dt` seconds
    /// later.
    ///
    /// # Errors
    /// As [`Self::output`].
    pub fn sample(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        state: &mut PlantState<T>,
        input: &[T],
        dt: T,
        normal: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), PlantError> {
        self.output(workspace, state, input, normal, out)?;
        let context = SensorContext::new(&self.tree, &workspace.tree, &self.contact)
            .with_accelerations(&workspace.accelerations)?
            .with_contacts(&workspace.contacts);
        let own = state.sensors.as_mut_slice();
        self.sensors.advance(&context, dt, normal, own)?;
        Ok(InvalidInput::check_finite("states of sensors", own)?)
    }

    fn sensor_context<'w>(
        &'w self,
        workspace: &'w mut DynamicsWorkspace<T>,
        state: &PlantState<T>,
        input: &[T],
    ) -> Result<SensorContext<'w, T>, PlantError> {
        let (q, v) = (state.tree.q.as_slice(), state.tree.v.as_slice());
        self.accelerations(workspace, (q, v, state.actuators.as_slice()), input)?;
        let DynamicsWorkspace {
            tree,
            vdot,
            accelerations,
            contacts,
            ..
        } = workspace;
        self.tree.body_accelerations(tree, vdot, accelerations)?;
        Ok(SensorContext::new(&self.tree, tree, &self.contact)
            .with_accelerations(accelerations)?
            .with_contacts(contacts))
    }

    /// The same system in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> CastSystem<U, T, A, S, C> {
        RigidBodySystem {
            tree: self.tree.cast(),
            contact: self.contact.cast(),
            actuators: self.actuators.cast(),
            sensors: self.sensors.cast(),
            constraints: self.constraints.cast(),
            stabilization: cast_baumgarte(self.stabilization),
            stiction_tolerance: U::from(self.stiction_tolerance.re()),
            rigid_contact: self.rigid_contact.map(cast_baumgarte),
        }
    }
}

/// Those of the tree, of the contact model, of the actuators, of the sensors and of the constraints,
/// then `stiction_tolerance` in m/s.
impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> Parameters<T>
    for RigidBodySystem<T, A, S, C>
{
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.tree.visit_parameters(visit);
        self.contact.visit_parameters(visit);
        self.actuators.visit_parameters(visit);
        self.sensors.visit_parameters(visit);
        self.constraints.visit_parameters(visit);
        visit(Parameter {
            name: format_args!("stiction_tolerance"),
            unit: "m/s",
            lower: f64::MIN_POSITIVE,
            upper: f64::INFINITY,
            value: &mut self.stiction_tolerance,
        });
    }

    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        self.tree.parameters_changed()?;
        self.contact.parameters_changed()?;
        self.actuators.validate(&self.tree)?;
        self.constraints.validate(&self.tree)?;
        (self.sensors.validate(&self.tree)).map_err(|e| ParameterError::Rejected {
            reason: e.to_string(),
        })
    }
}

fn cast_baumgarte<T: Scalar, U: Scalar>(baumgarte: Baumgarte<T>) -> Baumgarte<U> {
    Baumgarte {
        alpha: U::from(baumgarte.alpha.re()),
        beta: U::from(baumgarte.beta.re()),
    }
}
