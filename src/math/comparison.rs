//! Comparison within a tolerance, field by field (traits of `approx`).
//!
//! These see real parts only; [`compare_derivatives`](crate::autodiff::compare_derivatives) sees the
//! rest.

use super::{
    RigidTransform, RollPitchYaw, SpatialAcceleration, SpatialForce, SpatialInertia,
    SpatialVelocity,
};

/// Implements the traits for structs, whose fields after the semicolon are vectors that have to be equally long, too.
macro_rules! compare_fields {
    ($($type:ident { $($field:ident),* $(; $($vector:ident),+)? })+) => {$(
        #[doc = concat!("By ", $("`", stringify!($field), "`, ",)* $($("`", stringify!($vector), "`, ",)+)? "real parts only.")]
        impl<T: $crate::Scalar> approx::AbsDiffEq for $type<T> {
            type Epsilon = T;

            fn default_epsilon() -> T {
                <T as approx::AbsDiffEq>::default_epsilon()
            }

            fn abs_diff_eq(&self, other: &Self, epsilon: T) -> bool {
                true $(&& approx::AbsDiffEq::abs_diff_eq(&self.$field, &other.$field, epsilon))*
                $($(&& self.$vector.len() == other.$vector.len()
                    && approx::AbsDiffEq::abs_diff_eq(&self.$vector, &other.$vector, epsilon))+)?
            }
        }

        #[doc = concat!("By ", $("`", stringify!($field), "`, ",)* $($("`", stringify!($vector), "`, ",)+)? "real parts only.")]
        impl<T: $crate::Scalar> approx::RelativeEq for $type<T> {
            fn default_max_relative() -> T {
                <T as approx::RelativeEq>::default_max_relative()
            }

            fn relative_eq(&self, other: &Self, epsilon: T, max_relative: T) -> bool {
                true $(&& approx::RelativeEq::relative_eq(&self.$field, &other.$field, epsilon, max_relative))*
                $($(&& self.$vector.len() == other.$vector.len()
                    && approx::RelativeEq::relative_eq(&self.$vector, &other.$vector, epsilon, max_relative))+)?
            }
        }
    )+};
}
pub(crate) use compare_fields;

compare_fields! {
    RigidTransform { rotation, translation }
    RollPitchYaw { roll, pitch, yaw }
    SpatialVelocity { angular, linear }
    SpatialAcceleration { angular, linear }
    SpatialForce { torque, force }
    SpatialInertia { mass, center_of_mass, rotational_inertia }
}
