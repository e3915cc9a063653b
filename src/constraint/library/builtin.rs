//! Any constraint of this crate, for lists whose contents are known at run time only.

use super::{
    AccelerationLimit, BallConstraint, DistanceConstraint, GearConstraint, HingeConstraint,
    JointLimitConstraint, PrescribedMotion, WeldConstraint,
};
use crate::Scalar;
use crate::constraint::constraint_set::ConstraintSet;
use crate::constraint::error::ConstraintError;
use crate::constraint::tree_constraint::TreeConstraint;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;

macro_rules! builtin {
    ($($(#[$doc:meta])* $variant:ident($constraint:ident)),+ $(,)?) => {
        /// Any constraint of this crate; a `Vec` of them is what a program has that reads its model
        /// from a file.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(bound = "T: crate::io::json::Number"))]
        #[non_exhaustive]
        pub enum BuiltinConstraint<T> {
            $($(#[$doc])* $variant($constraint<T>),)+
        }

        $(impl<T> From<$constraint<T>> for BuiltinConstraint<T> {
            fn from(constraint: $constraint<T>) -> Self {
                BuiltinConstraint::$variant(constraint)
            }
        })+

        impl<T: Scalar> ConstraintSet<T> for BuiltinConstraint<T> {
            type Cast<U: Scalar> = BuiltinConstraint<U>;

            fn cast<U: Scalar>(&self) -> BuiltinConstraint<U> {
                match self {
                    $(BuiltinConstraint::$variant(c) => BuiltinConstraint::$variant(c.cast()),)+
                }
            }

            fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a dyn TreeConstraint<T>)) {
                match self {
                    $(BuiltinConstraint::$variant(c) => c.visit(visit),)+
                }
            }

            fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
                match self {
                    $(BuiltinConstraint::$variant(c) => c.visit_parameters(visit),)+
                }
            }

            fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
                match self {
                    $(BuiltinConstraint::$variant(c) => c.validate(tree),)+
                }
            }
        }
    };
}

builtin! {
    /// A point stays at another.
    Ball(BallConstraint),
    /// A point and an axis stay at others.
    Hinge(HingeConstraint),
    /// A frame stays at another.
    Weld(WeldConstraint),
    /// Two points keep their distance.
    Distance(DistanceConstraint),
    /// A joint follows another.
    Gear(GearConstraint),
    /// A joint follows a function of time.
    PrescribedMotion(PrescribedMotion),
    /// A joint stays between bounds.
    JointLimit(JointLimitConstraint),
    /// A joint is not accelerated beyond a limit.
    AccelerationLimit(AccelerationLimit),
}
