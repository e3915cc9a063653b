//! Any element of this crate, for lists whose contents are known at run time only.

use super::aerodynamics::{AerodynamicDrag, FlatPlateWing};
use super::applied_force::AppliedForce;
use super::bushing::{ConservativeBushing, LinearBushingRollPitchYaw};
use super::context::ForceContext;
use super::direct_contact::DirectContact;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use super::joint_friction::JointFriction;
use super::joint_spring::JointSpring;
use super::joint_stops::JointStops;
use super::spring_damper::LinearSpringDamper;
use super::uniform_gravity::UniformGravity;
use crate::Scalar;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;

macro_rules! builtin {
    ($($(#[$doc:meta])* $variant:ident),+ $(,)?) => {
        /// Any force element of this crate; a `Vec` of them is what a program has that reads its model
        /// from a file.
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum BuiltinForce<T> {
            $($(#[$doc])* $variant($variant<T>),)+
        }

        $(impl<T> From<$variant<T>> for BuiltinForce<T> {
            fn from(element: $variant<T>) -> Self {
                BuiltinForce::$variant(element)
            }
        })+

        impl<T: Scalar> ForceElement<T> for BuiltinForce<T> {
            type Cast<U: Scalar> = BuiltinForce<U>;

            fn cast<U: Scalar>(&self) -> BuiltinForce<U> {
                match self {
                    $(BuiltinForce::$variant(f) => BuiltinForce::$variant(f.cast()),)+
                }
            }

            fn add_forces(
                &self,
                context: &ForceContext<'_, T>,
                forces: &mut Forces<T>,
            ) -> Result<(), ForceError> {
                match self {
                    $(BuiltinForce::$variant(f) => f.add_forces(context, forces),)+
                }
            }

            fn name(&self) -> &str {
                match self {
                    $(BuiltinForce::$variant(f) => f.name(),)+
                }
            }

            fn depends_on_velocity(&self) -> bool {
                match self {
                    $(BuiltinForce::$variant(f) => f.depends_on_velocity(),)+
                }
            }

            fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
                match self {
                    $(BuiltinForce::$variant(f) => f.potential_energy(context),)+
                }
            }

            fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
                match self {
                    $(BuiltinForce::$variant(f) => f.conservative_power(context),)+
                }
            }

            fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
                match self {
                    $(BuiltinForce::$variant(f) => f.visit_parameters(visit),)+
                }
            }

            fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
                match self {
                    $(BuiltinForce::$variant(f) => f.validate(tree),)+
                }
            }
        }
    };
}

builtin! {
    /// The quasi-symmetric bushing.
    LinearBushingRollPitchYaw,
    /// The energy-consistent bushing.
    ConservativeBushing,
    /// A spring and damper between two points.
    LinearSpringDamper,
    /// A spring and damper on a joint.
    JointSpring,
    /// Stops of a joint.
    JointStops,
    /// Dry friction of all joints.
    JointFriction,
    /// A constant force on a body.
    AppliedForce,
    /// Gravity besides that of the tree.
    UniformGravity,
    /// Drag of a body.
    AerodynamicDrag,
    /// A flat plate in the air.
    FlatPlateWing,
    /// Contact of a point with a plane.
    DirectContact,
}
