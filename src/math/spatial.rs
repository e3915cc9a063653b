//! Spatial velocity, acceleration and force: pairs of vectors about a point.
//!
//! Each pair belongs to a point and is expressed in one frame, as the context states. Shifting to
//! another point of the same rigid body leaves the first member of a motion, and the second of a
//! force, unchanged. Offsets `p` go from the old point to the new one, expressed in the same frame.

use crate::Scalar;
use nalgebra::{Vector3, Vector6};
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// Angular velocity of a body and velocity of one of its points, `V = [w; v]` in rad/s and m/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialVelocity<T> {
    /// Angular velocity `w`.
    pub angular: Vector3<T>,
    /// Velocity of the point, `v`.
    pub linear: Vector3<T>,
}

/// Angular acceleration of a body and acceleration of one of its points, `A = [α; a]` in rad/s²
/// and m/s².
///
/// `a` is the acceleration of the material point that an accelerometer there would feel (the time
/// derivative of its velocity), not the spatial acceleration of Featherstone, which differs from it
/// by `w × v`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialAcceleration<T> {
    /// Angular acceleration `α`.
    pub angular: Vector3<T>,
    /// Acceleration of the point, `a`.
    pub linear: Vector3<T>,
}

/// Torque about a point and force, `F = [τ; f]` in N m and N.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialForce<T> {
    /// Torque `τ` about the point.
    pub torque: Vector3<T>,
    /// Force `f`.
    pub force: Vector3<T>,
}

impl<T: Scalar> SpatialVelocity<T> {
    /// The velocity at the point displaced by `p`: `[w; v + w × p]`.
    pub fn shift(&self, p: &Vector3<T>) -> Self {
        SpatialVelocity {
            angular: self.angular,
            linear: self.linear + self.angular.cross(p),
        }
    }

    /// The product `x × y` of two motions about the same point: the rate of `y` when it moves along with
    /// `x`.
    pub(crate) fn cross(&self, y: &Self) -> Self {
        SpatialVelocity {
            angular: self.angular.cross(&y.angular),
            linear: self.angular.cross(&y.linear) + self.linear.cross(&y.angular),
        }
    }

    /// The product `x ×* f` of a motion and a force about the same point: the rate of `f` when it moves
    /// along with `x`.
    pub(crate) fn cross_force(&self, f: &SpatialForce<T>) -> SpatialForce<T> {
        SpatialForce {
            torque: self.angular.cross(&f.torque) + self.linear.cross(&f.force),
            force: self.angular.cross(&f.force),
        }
    }
}

impl<T: Scalar> SpatialAcceleration<T> {
    /// The acceleration at the point displaced by `p`, on a body that turns with the angular
    /// velocity `w`: `[α; a + α × p + w × (w × p)]`.
    pub fn shift(&self, p: &Vector3<T>, w: &Vector3<T>) -> Self {
        SpatialAcceleration {
            angular: self.angular,
            linear: self.linear + self.angular.cross(p) + w.cross(&w.cross(p)),
        }
    }
}

impl<T: Scalar> SpatialForce<T> {
    /// The equivalent force about the point displaced by `p`: `[τ − p × f; f]`.
    pub fn shift(&self, p: &Vector3<T>) -> Self {
        SpatialForce {
            torque: self.torque - p.cross(&self.force),
            force: self.force,
        }
    }

    /// Power `τ·w + f·v` on a body that moves with `velocity`, about the same point and expressed
    /// in the same frame, in W.
    pub fn power(&self, velocity: &SpatialVelocity<T>) -> T {
        self.torque.dot(&velocity.angular) + self.force.dot(&velocity.linear)
    }
}

macro_rules! spatial_vector {
    ($name:ident, $first:ident, $second:ident) => {
        impl<T: Scalar> $name<T> {
            /// A pair from its two vectors.
            pub fn new($first: Vector3<T>, $second: Vector3<T>) -> Self {
                $name { $first, $second }
            }

            /// The pair of zero vectors.
            pub fn zero() -> Self {
                $name {
                    $first: Vector3::zeros(),
                    $second: Vector3::zeros(),
                }
            }

            /// The six components, in the order of the fields.
            pub fn to_vector(&self) -> Vector6<T> {
                let (a, b) = (&self.$first, &self.$second);
                Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
            }
        }

        impl<T: Scalar> Add for $name<T> {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                $name {
                    $first: self.$first + other.$first,
                    $second: self.$second + other.$second,
                }
            }
        }

        impl<T: Scalar> Sub for $name<T> {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                $name {
                    $first: self.$first - other.$first,
                    $second: self.$second - other.$second,
                }
            }
        }

        impl<T: Scalar> Neg for $name<T> {
            type Output = Self;
            fn neg(self) -> Self {
                $name {
                    $first: -self.$first,
                    $second: -self.$second,
                }
            }
        }

        impl<T: Scalar> AddAssign for $name<T> {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl<T: Scalar> SubAssign for $name<T> {
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
    };
}

spatial_vector!(SpatialVelocity, angular, linear);
spatial_vector!(SpatialAcceleration, angular, linear);
spatial_vector!(SpatialForce, torque, force);
