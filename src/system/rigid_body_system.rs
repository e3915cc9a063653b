//! The description of a machine.

use super::elements::{BuiltinParts, Elements, Parts};
use super::error::SystemError;
use super::names::{check_unique, index_of};
use super::options::SystemOptions;
use super::state::State;
use crate::actuator::{Actuator, GeneralizedForces};
use crate::constraint::ConstraintSet;
use crate::contact::ContactModel;
use crate::force::ForceElement;
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::sensor::Sensor;
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};

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
/// `sensor/…` and `constraint/…` of the elements; `stiction_tolerance` in m/s. A name may be shortened from
/// the left as long as it stays unambiguous.
#[derive(Debug, Clone)]
pub struct RigidBodySystem<T: Scalar, E = Parts> {
    pub(super) tree: RigidBodyTree<T>,
    pub(super) contact: ContactModel<T>,
    pub(super) elements: E,
    /// The slip speed at which friction reaches its full value, in m/s.
    pub(super) stiction_tolerance: T,
    pub(super) options: SystemOptions,
}

/// The elements `E` with other force elements, actuators, sensors and constraints.
type WithForces<T, E, F> = Parts<
    F,
    <E as Elements<T>>::Actuators,
    <E as Elements<T>>::Sensors,
    <E as Elements<T>>::Constraints,
>;
type WithActuators<T, E, A> = Parts<
    <E as Elements<T>>::Forces,
    A,
    <E as Elements<T>>::Sensors,
    <E as Elements<T>>::Constraints,
>;
type WithSensors<T, E, S> = Parts<
    <E as Elements<T>>::Forces,
    <E as Elements<T>>::Actuators,
    S,
    <E as Elements<T>>::Constraints,
>;
type WithConstraints<T, E, C> = Parts<
    <E as Elements<T>>::Forces,
    <E as Elements<T>>::Actuators,
    <E as Elements<T>>::Sensors,
    C,
>;

impl<T: Scalar> RigidBodySystem<T> {
    /// A machine without force elements, sensors and constraints, whose inputs are the generalized forces
    /// on all velocity coordinates.
    ///
    /// # Errors
    /// [`SystemError::Contact`] when the contact model was made for another tree.
    pub fn new(tree: RigidBodyTree<T>, contact: ContactModel<T>) -> Result<Self, SystemError> {
        let options = SystemOptions::default();
        let elements = Parts {
            forces: (),
            actuators: GeneralizedForces::of_tree(&tree),
            sensors: (),
            constraints: (),
        };
        let system = RigidBodySystem {
            tree,
            contact,
            elements,
            stiction_tolerance: T::from(options.contact_solver.stiction_tolerance),
            options,
        };
        system.checked()
    }
}

impl<T: Scalar> RigidBodySystem<T, BuiltinParts<T>> {
    /// As [`RigidBodySystem::new`], with elements that are known at run time only: lists of any of those of
    /// this crate. `with_forces(vec![…])` and the like leave the type as it is.
    ///
    /// # Errors
    /// As [`RigidBodySystem::new`].
    pub fn of_builtin_parts(
        tree: RigidBodyTree<T>,
        contact: ContactModel<T>,
    ) -> Result<Self, SystemError> {
        RigidBodySystem::new(tree, contact)?.with_elements(|parts| Parts {
            forces: vec![],
            actuators: vec![parts.actuators.into()],
            sensors: vec![],
            constraints: vec![],
        })
    }
}

impl<T: Scalar, E: Elements<T>> RigidBodySystem<T, E> {
    fn with_elements<G: Elements<T>>(
        self,
        exchange: impl FnOnce(Parts<E::Forces, E::Actuators, E::Sensors, E::Constraints>) -> G,
    ) -> Result<RigidBodySystem<T, G>, SystemError> {
        let system = RigidBodySystem {
            elements: exchange(self.elements.parts().clone()),
            tree: self.tree,
            contact: self.contact,
            stiction_tolerance: self.stiction_tolerance,
            options: self.options,
        };
        system.checked()
    }

    /// Sets the force elements, in place of those that the system had.
    ///
    /// # Errors
    /// What does not make sense, does not fit the tree, or has a name that is taken.
    pub fn with_forces<F: ForceElement<T> + Clone>(
        self,
        forces: F,
    ) -> Result<RigidBodySystem<T, WithForces<T, E, F>>, SystemError> {
        self.with_elements(|parts| Parts {
            forces,
            actuators: parts.actuators,
            sensors: parts.sensors,
            constraints: parts.constraints,
        })
    }

    /// Sets the actuators, in place of those that the system had.
    ///
    /// # Errors
    /// As [`Self::with_forces`].
    pub fn with_actuators<A: Actuator<T> + Clone>(
        self,
        actuators: A,
    ) -> Result<RigidBodySystem<T, WithActuators<T, E, A>>, SystemError> {
        self.with_elements(|parts| Parts {
            forces: parts.forces,
            actuators,
            sensors: parts.sensors,
            constraints: parts.constraints,
        })
    }

    /// Sets the sensors, in place of those that the system had.
    ///
    /// # Errors
    /// As [`Self::with_forces`].
    pub fn with_sensors<S: Sensor<T> + Clone>(
        self,
        sensors: S,
    ) -> Result<RigidBodySystem<T, WithSensors<T, E, S>>, SystemError> {
        self.with_elements(|parts| Parts {
            forces: parts.forces,
            actuators: parts.actuators,
            sensors,
            constraints: parts.constraints,
        })
    }

    /// Sets the constraints, in place of those that the system had.
    ///
    /// # Errors
    /// As [`Self::with_forces`].
    pub fn with_constraints<C: ConstraintSet<T> + Clone>(
        self,
        constraints: C,
    ) -> Result<RigidBodySystem<T, WithConstraints<T, E, C>>, SystemError> {
        self.with_elements(|parts| Parts {
            forces: parts.forces,
            actuators: parts.actuators,
            sensors: parts.sensors,
            constraints,
        })
    }

    /// Sets how contacts and constraints are treated. A stiction tolerance of the same value as before keeps its
    /// derivatives.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] for an option outside its range, and [`SystemError::Contact`] for rigid contact with
    /// torsional or rolling friction.
    pub fn with_options(mut self, options: SystemOptions) -> Result<Self, SystemError> {
        options.validate()?;
        if options.rigid_contact {
            self.contact.check_rigid()?;
        }
        let stiction_tolerance = options.contact_solver.stiction_tolerance;
        if stiction_tolerance != self.stiction_tolerance.re() {
            self.stiction_tolerance = T::from(stiction_tolerance);
        }
        self.options = options;
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

    /// The force elements.
    pub fn forces(&self) -> &E::Forces {
        &self.elements.parts().forces
    }

    /// The actuators.
    pub fn actuators(&self) -> &E::Actuators {
        &self.elements.parts().actuators
    }

    /// The sensors.
    pub fn sensors(&self) -> &E::Sensors {
        &self.elements.parts().sensors
    }

    /// The constraints.
    pub fn constraints(&self) -> &E::Constraints {
        &self.elements.parts().constraints
    }

    /// How contacts and constraints are treated, with the stiction tolerance that the system has.
    pub fn options(&self) -> &SystemOptions {
        &self.options
    }

    /// Number of inputs.
    pub fn num_inputs(&self) -> usize {
        self.actuators().num_inputs()
    }

    /// Number of outputs.
    pub fn num_outputs(&self) -> usize {
        self.sensors().num_outputs()
    }

    /// Names of the inputs, in their order.
    pub fn input_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        (self.actuators()).visit_input_names(&mut |name| names.push(name.to_string()));
        names
    }

    /// Names of the outputs, in their order.
    pub fn output_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        (self.sensors()).visit_output_names(&mut |name| names.push(name.to_string()));
        names
    }

    /// Position of an input in the list of inputs.
    ///
    /// # Errors
    /// [`SystemError::UnknownSignal`].
    pub fn input_index(&self, name: &str) -> Result<usize, SystemError> {
        index_of(name, &self.input_names())
    }

    /// Position of an output in the list of outputs.
    ///
    /// # Errors
    /// [`SystemError::UnknownSignal`].
    pub fn output_index(&self, name: &str) -> Result<usize, SystemError> {
        index_of(name, &self.output_names())
    }

    /// Time zero, all coordinates zero and quaternions of no rotation, at rest, with the initial states of
    /// actuators and sensors.
    pub fn initial_state(&self) -> State<T> {
        self.machine().initial_state()
    }

    /// Checks sizes, finiteness and quaternions.
    pub(crate) fn check_state(&self, state: &State<T>) -> Result<(), SystemError> {
        let sizes = self.initial_state();
        for (quantity, values, expected) in [
            (
                "states of actuators",
                &state.actuators,
                sizes.actuators.len(),
            ),
            ("states of sensors", &state.sensors, sizes.sensors.len()),
        ] {
            InvalidInput::check_size(quantity, values.len(), expected)?;
            InvalidInput::check_finite(quantity, values.as_slice())?;
        }
        InvalidInput::check_finite("time", &[state.time])?;
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        Ok((self.tree()).set_state(&mut self.tree().workspace(), q, v)?)
    }

    /// The same system in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> RigidBodySystem<U, E::Cast<U>> {
        RigidBodySystem {
            tree: self.tree.cast(),
            contact: self.contact.cast(),
            elements: self.elements.cast(),
            stiction_tolerance: U::from(self.stiction_tolerance.re()),
            options: self.options,
        }
    }

    fn checked(self) -> Result<Self, SystemError> {
        self.validate()?;
        check_unique("inputs", &self.input_names())?;
        check_unique("outputs", &self.output_names())?;
        let names: Vec<String> = self.parameters().into_iter().map(|p| p.name).collect();
        check_unique("parameters", &names)?;
        self.machine().check_states()?;
        Ok(self)
    }

    fn validate(&self) -> Result<(), SystemError> {
        let Parts {
            forces,
            actuators,
            sensors,
            constraints,
        } = self.elements.parts();
        self.contact.check_tree(&self.tree)?;
        forces.validate(&self.tree)?;
        actuators.validate(&self.tree)?;
        sensors.validate(&self.tree)?;
        constraints.validate(&self.tree)?;
        Ok(InvalidInput::check_range(
            "stiction tolerance",
            &[self.stiction_tolerance],
            "a positive speed",
            |x| x > 0.0 && x.is_finite(),
        )?)
    }
}

impl<T: Scalar, E: Elements<T>> Parameters<T> for RigidBodySystem<T, E> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.tree.visit_parameters(visit);
        self.contact.visit_parameters(visit);
        let parts = self.elements.parts_mut();
        let mut of = |family: &'static str, parameter: Parameter<'_, T>| {
            visit(Parameter {
                name: format_args!("{family}/{}", parameter.name),
                ..parameter
            });
        };
        parts.forces.visit_parameters(&mut |p| of("force", p));
        parts.actuators.visit_parameters(&mut |p| of("actuator", p));
        parts.sensors.visit_parameters(&mut |p| of("sensor", p));
        (parts.constraints).visit_parameters(&mut |p| of("constraint", p));
        visit(Parameter {
            name: format_args!("stiction_tolerance"),
            unit: "m/s",
            lower: f64::MIN_POSITIVE,
            upper: f64::INFINITY,
            value: &mut self.stiction_tolerance,
        });
    }

    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        self.options.contact_solver.stiction_tolerance = self.stiction_tolerance.re();
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
