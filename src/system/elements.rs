//! The lists of force elements, actuators, sensors and constraints of a machine.

use super::error::SystemError;
use super::force_laws::DrivenDynamics;
use super::rigid_body_system::RigidBodySystem;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::Scalar;
use crate::actuator::{Actuator, AnyActuator, GeneralizedForces};
use crate::constraint::{AnyConstraint, AnyForceLaw, ConstraintForceLaw, TreeConstraint};
use crate::force::{AnyForce, ForceElement};
use crate::sensor::{AnySensor, Sensor};

macro_rules! family {
    ($what:literal, $list:ident: $any:ident of $family:ident, $add:ident, $with:ident) => {
        impl<T: Scalar> RigidBodySystem<T> {
            #[doc = concat!("The ", $what, "s, in the order in which they were added.")]
            pub fn $list(&self) -> &[$any<T>] {
                &self.$list
            }

            #[doc = concat!("Adds another ", $what, ". Its position in [`Self::", stringify!($list), "`].")]
            ///
            /// # Errors
            /// What does not make sense, does not fit the tree, or has a name that is taken. The machine is then as
            /// before.
            pub fn $add(&mut self, element: impl $family<T> + Clone) -> Result<usize, SystemError> {
                self.$list.push($any::new(element));
                self.driven = DrivenDynamics::default();
                match self.check() {
                    Ok(()) => Ok(self.$list.len() - 1),
                    Err(error) => {
                        self.$list.pop();
                        Err(error)
                    }
                }
            }

            #[doc = concat!("The machine with more ", $what, "s, beside those that it has.")]
            ///
            /// # Errors
            #[doc = concat!("As [`Self::", stringify!($add), "`].")]
            pub fn $with<E: $family<T> + Clone>(
                mut self,
                elements: impl IntoIterator<Item = E>,
            ) -> Result<Self, SystemError> {
                self.$list.extend(elements.into_iter().map($any::new));
                self.driven = DrivenDynamics::default();
                self.check()?;
                Ok(self)
            }
        }

        impl<T: Scalar> TimeSteppingRigidBodySystem<T> {
            #[doc = concat!("As [`RigidBodySystem::", stringify!($add), "`].")]
            ///
            /// # Errors
            /// As there.
            pub fn $add(&mut self, element: impl $family<T> + Clone) -> Result<usize, SystemError> {
                let position = self.system.$add(element)?;
                self.take_description();
                Ok(position)
            }

            #[doc = concat!("As [`RigidBodySystem::", stringify!($with), "`].")]
            ///
            /// # Errors
            /// As there.
            pub fn $with<E: $family<T> + Clone>(
                mut self,
                elements: impl IntoIterator<Item = E>,
            ) -> Result<Self, SystemError> {
                self.system = self.system.$with(elements)?;
                self.take_description();
                Ok(self)
            }
        }
    };
}

family! { "force element", forces: AnyForce of ForceElement, add_force, with_forces }
family! { "actuator", actuators: AnyActuator of Actuator, add_actuator, with_actuators }
family! { "sensor", sensors: AnySensor of Sensor, add_sensor, with_sensors }
family! { "constraint", constraints: AnyConstraint of TreeConstraint, add_constraint, with_constraints }
family! { "force law", force_laws: AnyForceLaw of ConstraintForceLaw, add_force_law, with_force_laws }

impl<T: Scalar> RigidBodySystem<T> {
    /// The machine with an input for each velocity coordinate: the generalized force on it.
    ///
    /// # Errors
    /// As [`Self::add_actuator`].
    #[inline(never)]
    pub fn with_generalized_forces(self) -> Result<Self, SystemError> {
        let forces = GeneralizedForces::of_tree(&self.tree);
        self.with_actuators([forces])
    }
}

impl<T: Scalar> TimeSteppingRigidBodySystem<T> {
    /// As [`RigidBodySystem::with_generalized_forces`].
    ///
    /// # Errors
    /// As there.
    #[inline(never)]
    pub fn with_generalized_forces(self) -> Result<Self, SystemError> {
        let forces = GeneralizedForces::of_tree(&self.tree);
        self.with_actuators([forces])
    }
}
