//! Vectors with their time derivatives.

use crate::Scalar;
use crate::math::RigidTransform;
use nalgebra::{Matrix3, Vector3};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Below this length, in m, a vector has no direction, as in [`geometry`](crate::geometry).
pub(super) const NO_DIRECTION: f64 = 1e-12;

/// A number and its rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovingScalar<T> {
    pub at: T,
    pub rate: T,
}

/// A vector in W and its rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovingVector<T> {
    pub at: Vector3<T>,
    pub rate: Vector3<T>,
}

impl<T: Scalar> MovingScalar<T> {
    /// One that stays.
    pub fn constant(at: T) -> Self {
        let rate = T::zero();
        MovingScalar { at, rate }
    }
}

impl<T: Scalar> Add for MovingScalar<T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        MovingScalar {
            at: self.at + other.at,
            rate: self.rate + other.rate,
        }
    }
}

impl<T: Scalar> Sub for MovingScalar<T> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        MovingScalar {
            at: self.at - other.at,
            rate: self.rate - other.rate,
        }
    }
}

impl<T: Scalar> Mul for MovingScalar<T> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        MovingScalar {
            at: self.at * other.at,
            rate: self.rate * other.at + self.at * other.rate,
        }
    }
}

impl<T: Scalar> Div for MovingScalar<T> {
    type Output = Self;

    fn div(self, by: Self) -> Self {
        let at = self.at.div_lifted(by.at);
        MovingScalar {
            at,
            rate: (self.rate - at * by.rate).div_lifted(by.at),
        }
    }
}

impl<T: Scalar> MovingVector<T> {
    /// One that stays.
    pub fn constant(at: Vector3<T>) -> Self {
        let rate = Vector3::zeros();
        MovingVector { at, rate }
    }

    pub fn dot(&self, other: &Self) -> MovingScalar<T> {
        MovingScalar {
            at: self.at.dot(&other.at),
            rate: self.rate.dot(&other.at) + self.at.dot(&other.rate),
        }
    }

    pub fn cross(&self, other: &Self) -> Self {
        MovingVector {
            at: self.at.cross(&other.at),
            rate: self.rate.cross(&other.at) + self.at.cross(&other.rate),
        }
    }

    /// Length and unit vector, or the length along a `fallback` and this where the vector vanishes.
    pub fn length_and_direction(&self, fallback: &Self) -> (MovingScalar<T>, Self) {
        let length = T::norm_lifted(self.at.as_slice());
        if length.re() < NO_DIRECTION {
            return (self.dot(fallback), *fallback);
        }
        let at = self.at.map(|x| x.div_lifted(length));
        let length = MovingScalar {
            at: length,
            rate: at.dot(&self.rate),
        };
        let rate = (self.rate - at * length.rate).map(|x| x.div_lifted(length.at));
        (length, MovingVector { at, rate })
    }
}

impl<T: Scalar> Add for MovingVector<T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        MovingVector {
            at: self.at + other.at,
            rate: self.rate + other.rate,
        }
    }
}

impl<T: Scalar> Sub for MovingVector<T> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        MovingVector {
            at: self.at - other.at,
            rate: self.rate - other.rate,
        }
    }
}

impl<T: Scalar> Neg for MovingVector<T> {
    type Output = Self;

    fn neg(self) -> Self {
        MovingVector {
            at: -self.at,
            rate: -self.rate,
        }
    }
}

impl<T: Scalar> Mul<MovingScalar<T>> for MovingVector<T> {
    type Output = Self;

    fn mul(self, by: MovingScalar<T>) -> Self {
        MovingVector {
            at: self.at * by.at,
            rate: self.rate * by.at + self.at * by.rate,
        }
    }
}

impl<T: Scalar> Mul<T> for MovingVector<T> {
    type Output = Self;

    fn mul(self, by: T) -> Self {
        MovingVector {
            at: self.at * by,
            rate: self.rate * by,
        }
    }
}

/// A frame F in W: `R_WF`, and its origin.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovingFrame<T: Scalar> {
    pub rotation: Matrix3<T>,
    pub angular_velocity: Vector3<T>,
    pub origin: MovingVector<T>,
}

impl<T: Scalar> MovingFrame<T> {
    /// `X_WF`.
    pub fn pose(&self) -> RigidTransform<T> {
        RigidTransform::new(self.rotation, self.origin.at)
    }

    /// A direction that is fixed in F, from its components there.
    pub fn direction(&self, d: &Vector3<T>) -> MovingVector<T> {
        self.turned(self.rotation * d)
    }

    /// A direction in W that turns with F.
    pub fn turned(&self, at: Vector3<T>) -> MovingVector<T> {
        let rate = self.angular_velocity.cross(&at);
        MovingVector { at, rate }
    }

    /// A point in W that is fixed in F.
    pub fn carried(&self, at: &Vector3<T>) -> MovingVector<T> {
        let offset = self.turned(at - self.origin.at);
        MovingVector {
            at: *at,
            rate: self.origin.rate + offset.rate,
        }
    }

    /// An axis of F.
    pub fn axis(&self, k: usize) -> MovingVector<T> {
        self.direction(&Vector3::ith(k, T::one()))
    }

    /// A point that is fixed in F, from its position there.
    pub fn point(&self, p: &Vector3<T>) -> MovingVector<T> {
        self.origin + self.direction(p)
    }
}
