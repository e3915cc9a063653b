//! A system in discrete time.

use super::damping::Dual;
use super::error::SystemError;
use super::force_laws::DrivenMachine;
use super::options::SystemOptions;
use super::rigid_body_system::RigidBodySystem;
use super::scheme::Scheme;
use super::state::State;
use crate::contact::ContactModel;
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, InvalidInput, Scalar};
use std::ops::Deref;

/// The name of the length of a step among parameters.
pub(super) const TIME_STEP: &str = "time_step";

/// A [`RigidBodySystem`] in steps of fixed length.
///
/// With the input `u_k`, constant over the step, a step takes the state `x_k` to
///
/// ```text
/// x_{k+1} = f(x_k, u_k),      y_k = h(x_k, u_k)
/// ```
///
/// The [`Scheme`] says how; see the [module](crate::system) for the equations of each. Sensors measure
/// positions and velocities at the start of the step, and the accelerations `(v_{k+1} − v_k)/δt` and contact
/// forces during it.
///
/// It dereferences to its description. Parameters are those of the description and `time_step` in s.
#[derive(Debug, Clone)]
pub struct TimeSteppingRigidBodySystem<T: Scalar> {
    pub(super) system: RigidBodySystem<T>,
    pub(super) time_step: T,
    pub(super) scheme: Scheme,
    /// The same system in `f64`, which decides and converges.
    pub(super) real: RigidBodySystem<f64>,
    /// The same in duals, where Jacobians of forces and rates are taken, if the scheme needs them.
    pub(super) dual: Option<RigidBodySystem<Dual>>,
    /// The same driven by the forces of its laws, if it has any.
    pub(super) driven: Option<Box<DrivenMachine<T>>>,
}

impl<T: Scalar> TimeSteppingRigidBodySystem<T> {
    /// Compliant steps of `time_step` seconds of a tree with contact, without inputs.
    ///
    /// # Errors
    /// As [`RigidBodySystem::new`] and [`Self::compliant`].
    #[inline(never)]
    pub fn new(
        tree: RigidBodyTree<T>,
        contact: ContactModel<T>,
        time_step: T,
    ) -> Result<Self, SystemError> {
        Self::compliant(RigidBodySystem::new(tree, contact)?, time_step)
    }

    /// Steps of `time_step` seconds with compliant contact, implicit in velocities.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] when the time step is not positive, and [`SystemError::Contact`] where two rigid surfaces
    /// can touch.
    #[inline(never)]
    pub fn compliant(system: RigidBodySystem<T>, time_step: T) -> Result<Self, SystemError> {
        Self::with_scheme(system, time_step, Scheme::Compliant)
    }

    /// Steps of `time_step` seconds with rigid contact.
    ///
    /// # Errors
    /// [`SystemError::Invalid`] when the time step is not positive, and [`SystemError::Contact`] for a contact with
    /// torsional or rolling friction.
    #[inline(never)]
    pub fn rigid(system: RigidBodySystem<T>, time_step: T) -> Result<Self, SystemError> {
        Self::with_scheme(system, time_step, Scheme::Rigid)
    }

    /// Steps of `time_step` seconds by a scheme.
    ///
    /// # Errors
    /// As [`Self::compliant`], and unless the integrator makes from one to a million steps. Constraints whose forces act
    /// along directions of their own and uphold them nowhere, and force laws that do not describe this kind of time, are refused
    /// by name.
    #[inline(never)]
    pub fn with_scheme(
        system: RigidBodySystem<T>,
        time_step: T,
        scheme: Scheme,
    ) -> Result<Self, SystemError> {
        check_time_step(time_step)?;
        if let Scheme::Continuous { substeps, .. } = scheme {
            let given = [substeps as f64];
            InvalidInput::check_range(
                "steps of the integrator",
                &given,
                "from 1 to a million",
                |n| (1.0..=1e6).contains(&n),
            )?;
        }
        match scheme {
            Scheme::Rigid => system.contact.check_rigid()?,
            Scheme::Continuous { .. } if system.options.rigid_contact => {}
            Scheme::Compliant | Scheme::Continuous { .. } => system.contact.check_compliant()?,
        }
        system.check_upheld(scheme)?;
        system.check_described(scheme)?;
        Ok(Self::of_parts(system, time_step, scheme))
    }

    /// What has been checked.
    #[inline(never)]
    pub(super) fn of_parts(system: RigidBodySystem<T>, time_step: T, scheme: Scheme) -> Self {
        TimeSteppingRigidBodySystem {
            real: system.cast(),
            dual: dual_of(&system, scheme),
            driven: DrivenMachine::new(&system, time_step, scheme),
            system,
            time_step,
            scheme,
        }
    }

    /// The description, for another scheme or time step.
    pub fn into_system(self) -> RigidBodySystem<T> {
        self.system
    }

    /// As [`RigidBodySystem::with_options`].
    ///
    /// # Errors
    /// As there.
    #[inline(never)]
    pub fn with_options(self, options: SystemOptions) -> Result<Self, SystemError> {
        let (scheme, dt) = (self.scheme, self.time_step);
        Self::with_scheme(self.system.with_options(options)?, dt, scheme)
    }

    pub(super) fn set_time_step(&mut self, time_step: T) {
        self.time_step = time_step;
        self.driven = DrivenMachine::new(&self.system, time_step, self.scheme);
    }

    /// Takes over what has changed in the description.
    #[inline(never)]
    pub(crate) fn take_description(&mut self) {
        self.real = self.system.cast();
        self.dual = dual_of(&self.system, self.scheme);
        self.driven = DrivenMachine::new(&self.system, self.time_step, self.scheme);
    }

    /// The description.
    pub fn system(&self) -> &RigidBodySystem<T> {
        &self.system
    }

    /// The length of a step, in seconds.
    pub fn time_step(&self) -> T {
        self.time_step
    }

    /// How steps are made.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The state to start from, as [`RigidBodySystem::initial_state`]; all coordinates are zero.
    pub fn neutral_state(&self) -> State<T> {
        self.system.initial_state()
    }

    /// The same system in another scalar; only real parts are carried over, and nobody observes it.
    #[inline(never)]
    pub fn cast<U: DefaultScalar>(&self) -> TimeSteppingRigidBodySystem<U> {
        let time_step = U::from(self.time_step.re());
        TimeSteppingRigidBodySystem::of_parts(self.system.cast(), time_step, self.scheme)
    }
}

impl<T: Scalar> Deref for TimeSteppingRigidBodySystem<T> {
    type Target = RigidBodySystem<T>;

    fn deref(&self) -> &Self::Target {
        &self.system
    }
}

impl<T: Scalar> Parameters<T> for TimeSteppingRigidBodySystem<T> {
    #[inline(never)]
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.system.visit_parameters(visit);
        visit(Parameter {
            name: format_args!("{TIME_STEP}"),
            unit: "s",
            lower: f64::MIN_POSITIVE,
            upper: f64::INFINITY,
            value: &mut self.time_step,
        });
    }

    #[inline(never)]
    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        check_time_step(self.time_step)?;
        self.system.parameters_changed()?;
        self.take_description();
        Ok(())
    }
}

fn dual_of<T: Scalar>(
    system: &RigidBodySystem<T>,
    scheme: Scheme,
) -> Option<RigidBodySystem<Dual>> {
    let needed = match scheme {
        Scheme::Compliant | Scheme::Rigid => system.forces_depend_on_velocity(),
        Scheme::Continuous { method, .. } => method.is_implicit(),
    };
    needed.then(|| system.cast())
}

fn check_time_step<T: Scalar>(time_step: T) -> Result<(), InvalidInput> {
    InvalidInput::check_range("time step", &[time_step], "a positive time", |t| {
        t > 0.0 && t.is_finite()
    })
}
