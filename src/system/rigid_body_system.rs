//! The description of a machine.

use super::error::SystemError;
use super::force_laws::DrivenDynamics;
use super::names::index_of;
use super::options::SystemOptions;
use super::regularization::Regularization;
use super::state::State;
use crate::actuator::Actuators;
use crate::constraint::{Constraints, ForceLaws};
use crate::contact::ContactModel;
use crate::decision::Observer;
use crate::force::ForceElements;
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::sensor::Sensors;
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, Scalar};
use nalgebra::DVector;

/// A machine: a tree of rigid bodies, its contact model, force elements, actuators, sensors and
/// constraints.
///
/// It alone owns names, parameters and casts, and says in continuous time what happens at a state:
///
/// ```text
/// M(q) v̇ + C(q, v) v = τ_g(q) − D v + τ_forces(q, v, t) + τ_actuators(q, v, a, u, t)
///                       + J_cᵀ f_contact(q, v) + Jᵀ λ
/// q̇ = N(q) v,      ȧ = g(q, v, a, u, t),      y = h(q, v, v̇, f, s, t)
/// φ(q, t) = 0, ≥ 0 and the other constraints
/// ```
///
/// with the states `a` of actuators and `s` of sensors. Inputs `u` are those of the actuators, outputs
/// `y` those of the sensors, each by name. A [`TimeSteppingRigidBodySystem`](super::TimeSteppingRigidBodySystem)
/// moves it in steps, a [`RigidBodyFlow`](super::RigidBodyFlow) hands it to an integrator.
///
/// # Parameters
/// Every constant is a parameter. Names say what they belong to: `body/…`, `joint/…`, `frame/…` and
/// `gravity/…` of the tree; `geometry/…` and `pair/…` of the contact model; `force/…`, `actuator/…`,
/// `sensor/…`, `constraint/…` and `force_law/…` of the elements. Of the [options](SystemOptions) those that a motion
/// depends on smoothly are parameters, too: `stiction_tolerance` and `rebound_speed` in m/s, `friction_softening` (the
/// `relative_tolerance` of the contact solver, as far as it softens friction), `overlap_decay` and `constraint_decay` in s. A
/// name may be shortened from the left as long as it stays unambiguous.
#[derive(Debug, Clone)]
pub struct RigidBodySystem<T: Scalar> {
    pub(crate) tree: RigidBodyTree<T>,
    pub(crate) contact: ContactModel<T>,
    pub(crate) forces: ForceElements<T>,
    pub(crate) actuators: Actuators<T>,
    pub(crate) sensors: Sensors<T>,
    pub(crate) constraints: Constraints<T>,
    pub(crate) force_laws: ForceLaws<T>,
    /// The same driven by the forces of its laws in continuous time.
    pub(crate) driven: DrivenDynamics<T>,
    pub(crate) regularization: Regularization<T>,
    pub(crate) options: SystemOptions,
    /// Who is shown what is decided.
    pub(super) observer: Option<Observer<T>>,
}

impl<T: Scalar> RigidBodySystem<T> {
    /// A machine without force elements, actuators, sensors and constraints.
    ///
    /// It has no inputs until it has [actuators](Self::add_actuator);
    /// [`Self::with_generalized_forces`] gives it one for each velocity coordinate.
    ///
    /// # Errors
    /// [`SystemError::Contact`] when the contact model was made for another tree.
    #[inline(never)]
    pub fn new(tree: RigidBodyTree<T>, contact: ContactModel<T>) -> Result<Self, SystemError> {
        let options = SystemOptions::default();
        let system = RigidBodySystem {
            tree,
            contact,
            forces: ForceElements::default(),
            actuators: Actuators::default(),
            sensors: Sensors::default(),
            constraints: Constraints::default(),
            force_laws: ForceLaws::default(),
            driven: DrivenDynamics::default(),
            regularization: Regularization::of(&options),
            options,
            observer: None,
        };
        system.check()?;
        Ok(system)
    }

    /// Sets how contacts and constraints are treated. Numbers that are parameters and have the same value as before keep
    /// their derivatives.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] for an option outside its range, and [`SystemError::Contact`] for rigid contact with
    /// torsional or rolling friction.
    #[inline(never)]
    pub fn with_options(mut self, options: SystemOptions) -> Result<Self, SystemError> {
        options.validate()?;
        if options.rigid_contact {
            self.contact.check_rigid()?;
        }
        self.regularization.take(options);
        self.options = options;
        self.driven = DrivenDynamics::default();
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

    /// How contacts and constraints are treated, with the values of parameters that the system has.
    pub fn options(&self) -> &SystemOptions {
        &self.options
    }

    /// Number of inputs.
    pub fn num_inputs(&self) -> usize {
        self.actuators.num_inputs()
    }

    /// Number of outputs.
    pub fn num_outputs(&self) -> usize {
        self.sensors.num_outputs()
    }

    /// Names of the inputs, in their order.
    #[inline(never)]
    pub fn input_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        (self.actuators).visit_input_names(&mut |name| names.push(name.to_string()));
        names
    }

    /// Names of the outputs, in their order.
    #[inline(never)]
    pub fn output_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        (self.sensors).visit_output_names(&mut |name| names.push(name.to_string()));
        names
    }

    /// Position of an input in the list of inputs, by its name or an end of its path that no other has, as
    /// [parameters](Parameters::parameter_index) are found: `"hinge/force"` for `"joint/hinge/force"`.
    ///
    /// # Errors
    /// [`SystemError::UnknownSignal`].
    #[inline(never)]
    pub fn input_index(&self, name: &str) -> Result<usize, SystemError> {
        index_of(name, &self.input_names())
    }

    /// Position of an output in the list of outputs, by its name as that of an [input](Self::input_index).
    ///
    /// # Errors
    /// [`SystemError::UnknownSignal`].
    #[inline(never)]
    pub fn output_index(&self, name: &str) -> Result<usize, SystemError> {
        index_of(name, &self.output_names())
    }

    /// Time zero, all coordinates zero and quaternions of no rotation, at rest, with the initial states of
    /// actuators and sensors.
    #[inline(never)]
    pub fn initial_state(&self) -> State<T> {
        let mut state = State {
            time: T::zero(),
            q: self.tree.neutral_configuration(),
            v: DVector::zeros(self.tree.num_velocities()),
            actuators: DVector::zeros(self.actuators.num_states()),
            sensors: DVector::zeros(self.sensors.num_states()),
        };
        (self.actuators).write_initial_state(state.actuators.as_mut_slice());
        (self.sensors).write_initial_state(state.sensors.as_mut_slice());
        state
    }

    /// The same system in another scalar; only real parts are carried over, and nobody observes it.
    #[inline(never)]
    pub fn cast<U: DefaultScalar>(&self) -> RigidBodySystem<U> {
        RigidBodySystem {
            tree: self.tree.cast(),
            contact: self.contact.cast(),
            forces: self.forces.cast(),
            actuators: self.actuators.cast(),
            sensors: self.sensors.cast(),
            constraints: self.constraints.cast(),
            force_laws: self.force_laws.cast(),
            driven: DrivenDynamics::default(),
            regularization: self.regularization.cast(),
            options: self.options,
            observer: None,
        }
    }
}

impl<T: Scalar> Parameters<T> for RigidBodySystem<T> {
    #[inline(never)]
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.driven = DrivenDynamics::default();
        self.tree.visit_parameters(visit);
        self.contact.visit_parameters(visit);
        let mut of = |family: &'static str, parameter: Parameter<'_, T>| {
            visit(Parameter {
                name: format_args!("{family}/{}", parameter.name),
                ..parameter
            });
        };
        self.forces.visit_parameters(&mut |p| of("force", p));
        self.actuators.visit_parameters(&mut |p| of("actuator", p));
        self.sensors.visit_parameters(&mut |p| of("sensor", p));
        (self.constraints).visit_parameters(&mut |p| of("constraint", p));
        (self.force_laws).visit_parameters(&mut |p| of("force_law", p));
        self.regularization.visit_parameters(visit);
    }

    #[inline(never)]
    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        self.regularization.write(&mut self.options);
        self.tree.parameters_changed()?;
        self.contact.parameters_changed()?;
        self.validate().map_err(|error| match error {
            SystemError::Invalid(invalid) => invalid.into(),
            SystemError::Parameter(error) => error,
            other => ParameterError::Rejected {
                reason: other.to_string(),
            },
        })
    }
}
