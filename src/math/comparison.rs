//! Comparison within a tolerance, field by field, by the traits of `approx`.
//!
//! These see real parts only; [`compare_derivatives`](crate::autodiff::compare_derivatives) sees the
//! rest.

use super::{
    RigidTransform, RollPitchYaw, SpatialAcceleration, SpatialForce, SpatialInertia,
    SpatialVelocity,
};
use crate::Scalar;
use approx::{AbsDiffEq, RelativeEq};

macro_rules! compare_fields {
    ($($type:ident { $($field:ident),+ })+) => {$(
        /// Every field, real parts only.
        impl<T: Scalar> AbsDiffEq for $type<T> {
            type Epsilon = T;

            fn default_epsilon() -> T {
                T::default_epsilon()
            }

            fn abs_diff_eq(&self, other: &Self, epsilon: T) -> bool {
                $(self.$field.abs_diff_eq(&other.$field, epsilon))&&+
            }
        }

        /// Every field, real parts only.
        impl<T: Scalar> RelativeEq for $type<T> {
            fn default_max_relative() -> T {
                T::default_max_relative()
            }

            fn relative_eq(&self, other: &Self, epsilon: T, max_relative: T) -> bool {
                $(self.$field.relative_eq(&other.$field, epsilon, max_relative))&&+
            }
        }
    )+};
}

compare_fields! {
    RigidTransform { rotation, translation }
    RollPitchYaw { roll, pitch, yaw }
    SpatialVelocity { angular, linear }
    SpatialAcceleration { angular, linear }
    SpatialForce { torque, force }
    SpatialInertia { mass, center_of_mass, rotational_inertia }
}
