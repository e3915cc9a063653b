//! Sums of force elements.

use super::aerodynamics::{AerodynamicDrag, FlatPlateWing};
use super::applied_force::AppliedForce;
use super::bushing::{ConservativeBushing, LinearBushingRollPitchYaw};
pub use super::context::ForceContext;
use super::direct_contact::DirectContact;
pub use super::element::{ElementEnergy, ForceElement};
pub use super::error::ForceError;
pub use super::forces::Forces;
use super::joint_friction::JointFriction;
use super::joint_spring::JointSpring;
use super::joint_stops::JointStops;
use super::spring_damper::LinearSpringDamper;
use super::uniform_gravity::UniformGravity;
pub use crate::composition::*;
pub use crate::parameter::Parameter;
pub use crate::tree::RigidBodyTree;
pub use crate::{ElementKink, Scalar};

#[doc(hidden)]
#[macro_export]
macro_rules! force_members {
    ($self:ident, $each:ident $members:tt) => {
        fn add_forces(
            &$self,
            context: &ForceContext<'_, T>,
            forces: &mut Forces<T>,
        ) -> Result<(), ForceError> {
            $each!($members, $self, |f| ForceElement::<T>::add_forces(f, context, forces)?);
            Ok(())
        }

        fn name(&$self) -> &str {
            let mut name = None;
            $each!($members, $self, |f| {
                name = Some(name.map_or(ForceElement::<T>::name(f), |_| ""))
            });
            name.unwrap_or_default()
        }

        fn depends_on_position(&$self) -> bool {
            let mut any = false;
            $each!($members, $self, |f| any |= ForceElement::<T>::depends_on_position(f));
            any
        }

        fn depends_on_velocity(&$self) -> bool {
            let mut any = false;
            $each!($members, $self, |f| any |= ForceElement::<T>::depends_on_velocity(f));
            any
        }

        fn potential_energy(&$self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
            let mut sum = T::zero();
            $each!($members, $self, |f| sum += ForceElement::<T>::potential_energy(f, context)?);
            Ok(sum)
        }

        fn conservative_power(&$self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
            let mut sum = T::zero();
            $each!($members, $self, |f| sum += ForceElement::<T>::conservative_power(f, context)?);
            Ok(sum)
        }

        fn visit_energies(
            &$self,
            context: &ForceContext<'_, T>,
            scratch: &mut Forces<T>,
            visit: &mut dyn FnMut(&str, ElementEnergy<T>),
        ) -> Result<(), ForceError> {
            $each!($members, $self, |f| ForceElement::<T>::visit_energies(f, context, scratch, visit)?);
            Ok(())
        }

        fn visit_forces(
            &$self,
            context: &ForceContext<'_, T>,
            scratch: &mut Forces<T>,
            visit: &mut dyn FnMut(&str, &Forces<T>),
        ) -> Result<(), ForceError> {
            $each!($members, $self, |f| ForceElement::<T>::visit_forces(f, context, scratch, visit)?);
            Ok(())
        }

        fn visit_kinks<'a>(
            &'a $self,
            context: &ForceContext<'_, T>,
            visit: &mut dyn FnMut(ElementKink<'a>),
        ) -> Result<(), ForceError> {
            $each!($members, $self, |f| ForceElement::<T>::visit_kinks(f, context, visit)?);
            Ok(())
        }

        fn visit_parameters(&mut $self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
            $each!($members, $self, |f| ForceElement::<T>::visit_parameters(f, visit));
        }

        fn validate(&$self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
            $each!($members, $self, |f| ForceElement::<T>::validate(f, tree)?);
            Ok(())
        }
    };
}

compose_sets!(ForceElement, force_members);

compose_enum! {
    /// Any force element of this crate; a `Vec` of them is what a program has that reads its model
    /// from a file.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(bound = "T: crate::io::json::Number"))]
    #[non_exhaustive]
    pub enum BuiltinForce<T>: ForceElement {
        /// The quasi-symmetric bushing.
        LinearBushingRollPitchYaw(LinearBushingRollPitchYaw<T>),
        /// The energy-consistent bushing.
        ConservativeBushing(ConservativeBushing<T>),
        /// A spring and damper between two points.
        LinearSpringDamper(LinearSpringDamper<T>),
        /// A spring and damper on a joint.
        JointSpring(JointSpring<T>),
        /// Stops of a joint.
        JointStops(JointStops<T>),
        /// Dry friction of all joints.
        JointFriction(JointFriction<T>),
        /// A constant force on a body.
        AppliedForce(AppliedForce<T>),
        /// Gravity besides that of the tree.
        UniformGravity(UniformGravity<T>),
        /// Drag of a body.
        AerodynamicDrag(AerodynamicDrag<T>),
        /// A flat plate in the air.
        FlatPlateWing(FlatPlateWing<T>),
        /// Contact of a point with a plane.
        DirectContact(DirectContact<T>),
    }
}
