//! Unions of constraints.

pub use super::constraint_set::ConstraintSet;
pub use super::error::ConstraintError;
use super::library::{
    AccelerationLimit, BallConstraint, DistanceConstraint, GearConstraint, HingeConstraint,
    JointLimitConstraint, PrescribedMotion, WeldConstraint,
};
pub use super::tree_constraint::TreeConstraint;
pub use crate::Scalar;
pub use crate::composition::*;
pub use crate::parameter::Parameter;
pub use crate::tree::RigidBodyTree;

#[doc(hidden)]
#[macro_export]
macro_rules! constraint_members {
    ($self:ident, $each:ident $members:tt) => {
        fn visit<'a>(&'a $self, visit: &mut dyn FnMut(&'a dyn TreeConstraint<T>)) {
            $each!($members, $self, |c| ConstraintSet::<T>::visit(c, visit));
        }

        fn visit_parameters(&mut $self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
            $each!($members, $self, |c| ConstraintSet::<T>::visit_parameters(c, visit));
        }

        fn validate(&$self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
            $each!($members, $self, |c| ConstraintSet::<T>::validate(c, tree)?);
            Ok(())
        }
    };
}

compose_sets!(ConstraintSet, constraint_members);

compose_enum! {
    /// Any constraint of this crate; a `Vec` of them is what a program has that reads its model
    /// from a file.
    #[derive(Debug, Clone, PartialEq)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    #[cfg_attr(feature = "serde", serde(bound = "T: crate::io::json::Number"))]
    #[non_exhaustive]
    pub enum BuiltinConstraint<T>: ConstraintSet {
        /// A point stays at another.
        Ball(BallConstraint<T>),
        /// A point and an axis stay at others.
        Hinge(HingeConstraint<T>),
        /// A frame stays at another.
        Weld(WeldConstraint<T>),
        /// Two points keep their distance.
        Distance(DistanceConstraint<T>),
        /// A joint follows another.
        Gear(GearConstraint<T>),
        /// A joint follows a function of time.
        PrescribedMotion(PrescribedMotion<T>),
        /// A joint stays between bounds.
        JointLimit(JointLimitConstraint<T>),
        /// A joint is not accelerated beyond a limit.
        AccelerationLimit(AccelerationLimit<T>),
    }
}
