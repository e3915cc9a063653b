//! Unions of constraints.

use super::constraint_set::ConstraintSet;
use super::error::ConstraintError;
use super::library::{
    AccelerationLimit, BallConstraint, DistanceConstraint, GearConstraint, HingeConstraint,
    JointLimitConstraint, PrescribedMotion, WeldConstraint,
};
use super::tree_constraint::TreeConstraint;
use crate::Scalar;
use crate::composition::*;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;

macro_rules! members {
    ($self:ident, $each:ident $members:tt) => {
        fn visit<'a>(&'a $self, visit: &mut dyn FnMut(&'a dyn TreeConstraint<T>)) {
            $each!($members, $self, |c| c.visit(visit));
        }

        fn visit_parameters(&mut $self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
            $each!($members, $self, |c| c.visit_parameters(visit));
        }

        fn validate(&$self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
            $each!($members, $self, |c| c.validate(tree)?);
            Ok(())
        }
    };
}

compose_sets!(ConstraintSet, members);

compose_enum!(
    ConstraintSet, members,
    /// Any constraint of this crate; a `Vec` of them is what a program has that reads its model
    /// from a file.
    BuiltinConstraint {
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
);
