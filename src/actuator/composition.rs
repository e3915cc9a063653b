//! Sets of actuators.

use super::bristle_contact::BristleContact;
pub use super::element::Actuator;
use super::first_order_lag::FirstOrderLag;
use super::generalized_force::GeneralizedForce;
use super::generalized_forces::GeneralizedForces;
use super::pd_servo::PdServo;
use super::propeller::Propeller;
use super::saturation::Saturation;
use super::spatial_force_source::SpatialForceSource;
use super::spring_damper::SpringDamper;
use super::torque_source::TorqueSource;
pub use crate::composition::*;
pub use crate::force::{ForceContext, ForceError, Forces};
pub use crate::parameter::Parameter;
pub use crate::tree::RigidBodyTree;
pub use crate::{ElementKink, Scalar};
pub use std::fmt;

pub const INPUTS: &str = "inputs of the actuators";
pub const STATES: &str = "states of the actuators";

#[doc(hidden)]
#[macro_export]
macro_rules! actuator_members {
    ($self:ident, $each:ident $members:tt) => {
        fn num_inputs(&$self) -> usize {
            let mut sum = 0;
            $each!($members, $self, |a| sum += Actuator::<T>::num_inputs(a));
            sum
        }

        fn visit_input_names(&$self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
            $each!($members, $self, |a| Actuator::<T>::visit_input_names(a, visit));
        }

        fn input_unit(&$self, input: usize) -> &'static str {
            let (mut unit, mut end) = (None, 0);
            $each!($members, $self, |a| {
                let first = end;
                end += Actuator::<T>::num_inputs(a);
                if (first..end).contains(&input) {
                    unit = Some(Actuator::<T>::input_unit(a, input - first));
                }
            });
            unit.unwrap_or("SI")
        }

        fn add_forces(
            &$self,
            context: &ForceContext<'_, T>,
            mut input: &[T],
            mut state: &[T],
            forces: &mut Forces<T>,
        ) -> Result<(), ForceError> {
            $each!($members, $self, |a| {
                let u = take(&mut input, Actuator::<T>::num_inputs(a), INPUTS)?;
                let x = take(&mut state, Actuator::<T>::num_states(a), STATES)?;
                Actuator::<T>::add_forces(a, context, u, x, forces)?
            });
            Ok(())
        }

        fn forces_are_inputs(&$self) -> bool {
            let mut only = None;
            $each!($members, $self, |a| {
                only = Some(only.is_none() && Actuator::<T>::forces_are_inputs(a))
            });
            only.unwrap_or(false)
        }

        fn depends_on_position(&$self) -> bool {
            let mut any = false;
            $each!($members, $self, |a| any |= Actuator::<T>::depends_on_position(a));
            any
        }

        fn depends_on_velocity(&$self) -> bool {
            let mut any = false;
            $each!($members, $self, |a| any |= Actuator::<T>::depends_on_velocity(a));
            any
        }

        fn potential_energy(
            &$self,
            context: &ForceContext<'_, T>,
            mut input: &[T],
            mut state: &[T],
        ) -> Result<T, ForceError> {
            let mut sum = T::zero();
            $each!($members, $self, |a| {
                let u = take(&mut input, Actuator::<T>::num_inputs(a), INPUTS)?;
                let x = take(&mut state, Actuator::<T>::num_states(a), STATES)?;
                sum += Actuator::<T>::potential_energy(a, context, u, x)?
            });
            Ok(sum)
        }

        fn conservative_power(
            &$self,
            context: &ForceContext<'_, T>,
            mut input: &[T],
            mut state: &[T],
        ) -> Result<T, ForceError> {
            let mut sum = T::zero();
            $each!($members, $self, |a| {
                let u = take(&mut input, Actuator::<T>::num_inputs(a), INPUTS)?;
                let x = take(&mut state, Actuator::<T>::num_states(a), STATES)?;
                sum += Actuator::<T>::conservative_power(a, context, u, x)?
            });
            Ok(sum)
        }

        fn num_states(&$self) -> usize {
            let mut sum = 0;
            $each!($members, $self, |a| sum += Actuator::<T>::num_states(a));
            sum
        }

        fn write_initial_state(&$self, mut state: &mut [T]) {
            $each!($members, $self, |a| {
                let n = Actuator::<T>::num_states(a).min(state.len());
                if let Ok(x) = take_mut(&mut state, n, STATES) {
                    Actuator::<T>::write_initial_state(a, x);
                }
            });
        }

        fn state_derivative(
            &$self,
            context: &ForceContext<'_, T>,
            mut input: &[T],
            mut state: &[T],
            mut rate: &mut [T],
        ) -> Result<(), ForceError> {
            $each!($members, $self, |a| {
                let (n, m) = (Actuator::<T>::num_inputs(a), Actuator::<T>::num_states(a));
                let u = take(&mut input, n, INPUTS)?;
                let x = take(&mut state, m, STATES)?;
                Actuator::<T>::state_derivative(a, context, u, x, take_mut(&mut rate, m, STATES)?)?
            });
            Ok(())
        }

        fn advance(
            &$self,
            context: &ForceContext<'_, T>,
            mut input: &[T],
            dt: T,
            mut state: &mut [T],
        ) -> Result<(), ForceError> {
            $each!($members, $self, |a| {
                let u = take(&mut input, Actuator::<T>::num_inputs(a), INPUTS)?;
                let x = take_mut(&mut state, Actuator::<T>::num_states(a), STATES)?;
                Actuator::<T>::advance(a, context, u, dt, x)?
            });
            Ok(())
        }

        fn update(
            &$self,
            context: &ForceContext<'_, T>,
            mut input: &[T],
            dt: T,
            mut state: &mut [T],
        ) -> Result<(), ForceError> {
            $each!($members, $self, |a| {
                let u = take(&mut input, Actuator::<T>::num_inputs(a), INPUTS)?;
                let x = take_mut(&mut state, Actuator::<T>::num_states(a), STATES)?;
                if Actuator::<T>::is_sampled(a) {
                    Actuator::<T>::update(a, context, u, dt, x)?;
                }
            });
            Ok(())
        }

        fn check_states(
            &$self,
            context: &ForceContext<'_, T>,
            mut input: &[T],
            mut state: &[T],
        ) -> Result<(), ForceError> {
            $each!($members, $self, |a| {
                let u = take(&mut input, Actuator::<T>::num_inputs(a), INPUTS)?;
                let x = take(&mut state, Actuator::<T>::num_states(a), STATES)?;
                Actuator::<T>::check_states(a, context, u, x)?
            });
            Ok(())
        }

        fn is_sampled(&$self) -> bool {
            let mut any = false;
            $each!($members, $self, |a| any |= Actuator::<T>::is_sampled(a));
            any
        }

        fn visit_kinks<'a>(
            &'a $self,
            context: &ForceContext<'_, T>,
            mut input: &[T],
            mut state: &[T],
            visit: &mut dyn FnMut(ElementKink<'a>),
        ) -> Result<(), ForceError> {
            $each!($members, $self, |a| {
                let u = take(&mut input, Actuator::<T>::num_inputs(a), INPUTS)?;
                let x = take(&mut state, Actuator::<T>::num_states(a), STATES)?;
                Actuator::<T>::visit_kinks(a, context, u, x, visit)?
            });
            Ok(())
        }

        fn may_touch(&$self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
            let mut any = false;
            $each!($members, $self, |a| any = any || Actuator::<T>::may_touch(a, context)?);
            Ok(any)
        }

        fn visit_parameters(&mut $self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
            $each!($members, $self, |a| Actuator::<T>::visit_parameters(a, visit));
        }

        fn validate(&$self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
            $each!($members, $self, |a| Actuator::<T>::validate(a, tree)?);
            Ok(())
        }
    };
}

compose_sets!(Actuator, actuator_members);

compose_enum! {
    /// Any actuator of this crate; a `Vec` of them is what a program has that reads its model from a
    /// file.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(bound = "T: crate::io::json::Number"))]
    #[non_exhaustive]
    pub enum BuiltinActuator<T>: Actuator {
        /// A force on one velocity coordinate.
        GeneralizedForce(GeneralizedForce),
        /// A force on each velocity coordinate.
        GeneralizedForces(GeneralizedForces),
        /// A motor with a gear.
        TorqueSource(TorqueSource<T>),
        /// A servo with proportional and derivative gain.
        PdServo(PdServo<T>),
        /// Torque and force at a frame.
        SpatialForceSource(SpatialForceSource),
        /// A spring and damper of driven length.
        SpringDamper(SpringDamper<T>),
        /// A propeller.
        Propeller(Propeller<T>),
        /// A point on a plane that sticks by a spring.
        BristleContact(BristleContact<T>),
        /// A lag in front of any of these.
        FirstOrderLag(FirstOrderLag<T, Box<BuiltinActuator<T>>>),
        /// Ranges of the inputs of any of these.
        Saturation(Saturation<T, Box<BuiltinActuator<T>>>),
    }
}
