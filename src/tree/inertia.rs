//! Mass, first moment and rotational inertia about an origin: the form in which inertias add.

use super::symmetric::Symmetric3;
use crate::Scalar;
use crate::math::{RigidTransform, SpatialForce, SpatialInertia};
use nalgebra::{Matrix3, Vector3};

/// The inertia of one or several bodies about a point O, in some frame.
///
/// `h = m p_OCcm` is the first moment. All three members are linear in the mass distribution, so
/// bodies that move together are added up member by member. As a map from the motion `[α; a]` of O
/// (without velocities) to the force that it takes: `τ = J α + h × a`, `f = m a + α × h`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inertia<T> {
    pub mass: T,
    pub first_moment: Vector3<T>,
    pub rotational: Symmetric3<T>,
}

impl<T: Scalar> Inertia<T> {
    pub fn zero() -> Self {
        Inertia {
            mass: T::zero(),
            first_moment: Vector3::zeros(),
            rotational: Symmetric3::zero(),
        }
    }

    /// The inertia of a body B about the origin of a frame A in which B has the given pose.
    pub fn of_body(body: &SpatialInertia<T>, pose: Option<&RigidTransform<T>>) -> Self {
        let seen = match pose {
            Some(x) => body.transformed(&x.rotation, &x.translation),
            None => *body,
        };
        Inertia {
            mass: seen.mass,
            first_moment: seen.center_of_mass * seen.mass,
            rotational: Symmetric3::from_upper_triangle(&seen.rotational_inertia_about_origin()),
        }
    }

    /// The inertia with these [standard parameters](SpatialInertia::to_standard_parameters), about Bo.
    pub fn from_standard_parameters(&[mass, hx, hy, hz, xx, yy, zz, xy, xz, yz]: &[T; 10]) -> Self {
        let rotational = Symmetric3 {
            xx,
            yy,
            zz,
            xy,
            xz,
            yz,
        };
        Inertia {
            mass,
            first_moment: Vector3::new(hx, hy, hz),
            rotational,
        }
    }

    /// The same inertia expressed in A, from `R_AB`.
    pub fn rotated(&self, r: &Matrix3<T>, first_moment: Vector3<T>) -> Self {
        Inertia {
            mass: self.mass,
            first_moment,
            rotational: self.rotational.rotated(r),
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.mass += other.mass;
        self.first_moment += other.first_moment;
        self.rotational += other.rotational;
    }

    /// Adds an inertia that is given about the point at `p` from this one's.
    ///
    /// With positions `r` from that point, `Σ m (|r + p|² I − (r + p)(r + p)ᵀ)` is
    /// `J + 2 (p·g) I − (p gᵀ + g pᵀ)` with `g = h + ½ m p` (parallel axes).
    pub fn add_shifted(&mut self, other: &Self, p: &Vector3<T>) {
        let moved = p * other.mass;
        let g = other.first_moment + moved * T::from(0.5);
        let (xx, yy, zz) = (p.x * g.x, p.y * g.y, p.z * g.z);
        self.mass += other.mass;
        self.first_moment += other.first_moment + moved;
        self.rotational += other.rotational;
        self.rotational += Symmetric3 {
            xx: (yy + zz) * 2.0,
            yy: (zz + xx) * 2.0,
            zz: (xx + yy) * 2.0,
            xy: -(p.x * g.y + g.x * p.y),
            xz: -(p.x * g.z + g.x * p.z),
            yz: -(p.y * g.z + g.y * p.z),
        };
    }

    /// The momentum of turning about O at the angular velocity `w`, or the force of such an acceleration.
    #[inline]
    pub fn of_turning(&self, w: &Vector3<T>) -> SpatialForce<T> {
        SpatialForce::new(self.rotational.times(w), w.cross(&self.first_moment))
    }

    /// The same of moving at the velocity `v`.
    #[inline]
    pub fn of_moving(&self, v: &Vector3<T>) -> SpatialForce<T> {
        SpatialForce::new(self.first_moment.cross(v), v * self.mass)
    }

    pub fn cast<U: Scalar>(&self) -> Inertia<U> {
        Inertia {
            mass: U::from(self.mass.re()),
            first_moment: self.first_moment.map(|x| U::from(x.re())),
            rotational: self.rotational.cast(),
        }
    }
}
