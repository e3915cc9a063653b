//! Inertia of bodies that move together, with their momentum about the point of the inertia.

use super::inertia::Inertia;
use crate::Scalar;
use crate::math::{SpatialForce, rotation};
use nalgebra::{Matrix3, Vector3};

/// Mass, first moment and moments of inertia of several bodies about a point, and their linear and angular momentum about
/// it, in some frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Composite<T: Scalar> {
    pub inertia: Inertia<T>,
    pub linear: Vector3<T>,
    pub angular: Vector3<T>,
}

impl<T: Scalar> Composite<T> {
    pub fn at_rest(inertia: Inertia<T>) -> Self {
        Composite {
            inertia,
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
        }
    }

    /// The same expressed in A, from `R_AB`.
    #[inline]
    pub fn rotated(&self, r: &Matrix3<T>) -> Self {
        let first_moment = rotation::applied(r, &self.inertia.first_moment);
        Composite {
            inertia: self.inertia.rotated(r, first_moment),
            linear: rotation::applied(r, &self.linear),
            angular: rotation::applied(r, &self.angular),
        }
    }

    /// The same expressed in A, from which B has turned about its axis I by an angle of which these are sine and cosine, with the
    /// momentum of going on at `rate`.
    #[inline]
    pub fn turned<const I: usize>(&self, sin: T, cos: T, rate: T) -> Self {
        let (j, k) = ((I + 1) % 3, (I + 2) % 3);
        let turned = |x: &Vector3<T>| {
            let mut turned = *x;
            turned[j] = x[j] * cos - x[k] * sin;
            turned[k] = x[j] * sin + x[k] * cos;
            turned
        };
        let h = turned(&self.inertia.first_moment);
        let (mut linear, mut angular) = (turned(&self.linear), turned(&self.angular));
        let rotational = self.inertia.rotational.turned::<I>(sin, cos);
        linear[j] -= h[k] * rate;
        linear[k] += h[j] * rate;
        let [ii, ij, ik] = rotational.row::<I>();
        angular[I] += ii * rate;
        angular[j] += ij * rate;
        angular[k] += ik * rate;
        Composite {
            inertia: Inertia {
                mass: self.inertia.mass,
                first_moment: h,
                rotational,
            },
            linear,
            angular,
        }
    }

    /// Adds momentum about the point.
    #[inline]
    pub fn add_momentum(&mut self, momentum: &SpatialForce<T>) {
        self.linear += momentum.force;
        self.angular += momentum.torque;
    }

    /// Adds another, which is about the point at `p` from this one's.
    #[inline]
    pub fn add_shifted(&mut self, other: &Self, p: &Vector3<T>) {
        self.inertia.add_shifted(&other.inertia, p);
        self.linear += other.linear;
        self.angular += other.angular + p.cross(&other.linear);
    }

    /// The way from the point to the centre of mass.
    pub fn center(&self) -> Vector3<T> {
        self.inertia.first_moment / self.inertia.mass
    }

    /// The angular momentum about a point that is there from this one.
    pub fn angular_about(&self, point: &Vector3<T>) -> Vector3<T> {
        self.angular - point.cross(&self.linear)
    }

    /// The moments of inertia about the centre of mass.
    pub fn moments(&self, center: &Vector3<T>) -> Matrix3<T> {
        let h = &self.inertia.first_moment;
        let moved = Matrix3::from_diagonal_element(h.dot(center)) - h * center.transpose();
        self.inertia.rotational.to_matrix() - moved
    }

    /// The linear momentum where they turn about the point at `w` besides.
    pub fn linear_at(&self, w: &Vector3<T>) -> Vector3<T> {
        self.linear + w.cross(&self.inertia.first_moment)
    }
}
