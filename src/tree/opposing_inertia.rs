//! The inertia by which bodies oppose the motion of their own joint, whatever hangs on them.
//!
//! The pivot D of a column in the [elimination](super::forward_dynamics) of articulated bodies is twice the least kinetic
//! energy with which the column moves at unit rate, while those of the same joint that were eliminated before, and all outward
//! of it, move as they like. The energy of the joint's own body B is a part of that: its mass where the column is a translation,
//! and at least the smallest moment of inertia about its centre of mass where it is a rotation. With the moments `λ₁ ≤ λ₂ ≤ λ₃`,
//!
//! ```text
//! λ₁ = det J / (λ₂ λ₃) ≥ 4 det J / (tr J)²
//! ```
//!
//! so a mass matrix is known to be regular without an elimination, unless a body has next to no inertia of its own.

use super::forward_dynamics::SINGULARITY;
use super::inertia::Inertia;
use super::mobilized_body::Motion;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::Scalar;

impl<T: Scalar> RigidBodyTree<T> {
    /// Whether the bodies' own inertia tells that the mass matrix is regular by the criterion of articulated bodies, at the
    /// positions at which it was evaluated last. What armature and damping add to its diagonal only helps.
    pub(crate) fn is_opposed_by_own_inertia(&self, workspace: &TreeWorkspace<T>) -> bool {
        let bodies = self.mobilized.iter().zip(&workspace.composites);
        !self.has_mimic
            && bodies.skip(1).all(|(m, composite)| {
                let least_moment = least_moment(&m.inertia);
                // In a plane translations give way to the rotation.
                let is_planar = matches!(m.motion, Motion::Planar { .. });
                let moment = 0.5 * composite.rotational.trace().re();
                least_moment > f64::max(SINGULARITY * moment, f64::MIN_POSITIVE)
                    && m.inertia.mass.re() > SINGULARITY * composite.mass.re()
                    && !is_planar
            })
    }
}

/// What the smallest moment of inertia about the centre of mass is at least; zero where the moments are not all positive.
fn least_moment<T: Scalar>(inertia: &Inertia<T>) -> f64 {
    let (m, h) = (inertia.mass.re(), inertia.first_moment.map(|x| x.re()));
    let (j, c) = (inertia.rotational.re(), h / m);
    let (x, y, z) = (h.x * c.x, h.y * c.y, h.z * c.z);
    let (xx, yy, zz) = (j.xx - y - z, j.yy - z - x, j.zz - x - y);
    let (xy, xz, yz) = (j.xy + h.x * c.y, j.xz + h.x * c.z, j.yz + h.y * c.z);
    let minor = xx * yy - xy * xy;
    let determinant = zz * minor - xx * yz * yz - yy * xz * xz + 2.0 * xy * xz * yz;
    if m > 0.0 && xx > 0.0 && minor > 0.0 && determinant > 0.0 {
        4.0 * determinant / (xx + yy + zz).powi(2)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;
    use crate::math::SpatialInertia;
    use nalgebra::{Matrix3, Vector3};

    #[test]
    fn the_least_moment_is_at_most_the_smallest() {
        let body = |mass, center_of_mass, rotational_inertia| {
            let body = SpatialInertia {
                mass,
                center_of_mass,
                rotational_inertia,
            };
            least_moment(&Inertia::of_body(&body, None))
        };
        let mut random = Random::new(1);
        for round in 0..200 {
            let center = Vector3::from_fn(|_, _| random.normal()) * 10f64.powi(round % 3);
            let axes = Matrix3::from_fn(|_, _| random.normal());
            let mass = random.uniform() + 0.1;
            let flat = [1.0, 1e-3][round as usize % 2];
            let scales = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, flat));
            let moments = axes * scales * axes.transpose();
            let found = body(mass, center, moments);
            let smallest = moments.symmetric_eigenvalues().min();
            let round_off = 1e-13 * mass * center.norm_squared();
            assert!(found <= smallest + round_off, "{found} {smallest}");
            assert!(found >= 0.0);
        }
        assert!(body(1.0, Vector3::new(1.0, 2.0, 3.0), Matrix3::zeros()) < 1e-14);
        let impossible = Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 3.0));
        assert_eq!(body(1.0, Vector3::zeros(), impossible), 0.0);
    }
}
