//! Cylinder against half space.
//!
//! Contacts are four points on the rim of each end: the deepest one and those a quarter, a half and
//! three quarters of a turn from it, of which [`witnesses`](super::witnesses) keeps those nearer than
//! the margin.
//!
//! Let `n = (n_x, n_y, n_z)` be the normal of the half space in the frame of the cylinder, `r` its
//! radius and `h` half its length, and θ the angle between the axis and the normal, so that
//! `sin θ = √(n_x² + n_y²)`. The direction from the axis to the deepest point of either rim is
//! `u = −(n_x, n_y, 0)/sin θ`, and with `u` turned by `k` quarters about the axis, `u_k`, the points
//! are `r u_k ± h z`. Relative to the centre their heights are
//!
//! ```text
//! k = 0:     −r sin θ ± h n_z
//! k = 1, 3:           ± h n_z
//! k = 2:      r sin θ ± h n_z
//! ```
//!
//! - A cylinder that lies on its side touches with the deepest points of both rims, which stay
//!   below the axis as it rolls.
//! - Tilted, it touches with the deepest point of the lower rim.
//! - Standing, it touches with all four points of the lower rim at one height, and the three others
//!   rise continuously, as sin θ, when it tilts.
//!
//! The signed distance is exact: the lowest point of a cylinder is on a rim.
//!
//! The points for odd `k` keep their place below the tilt, not in the body. When the cylinder turns
//! about `u`, the height of the point stays while the material passes through it: there, and only
//! there, the rate of penetration is not the velocity of the body along the normal.
//!
//! # The standing cylinder
//! At θ = 0 the direction `u` is undefined, and close to it its derivative grows as `1/sin θ`.
//! Below `sin θ = 10⁻⁶` the points are therefore fixed in the cylinder, with `u` its x axis, and
//! their heights are those of these points. On crossing this limit the four points, as a set, turn
//! about the axis by up to half a quarter, and their heights change by less than `10⁻⁶ r`. What the
//! four points do together does not depend on where they are on the rim: `Σ u_k = 0` and
//! `Σ u_k u_kᵀ` is twice the identity of the plane of the rim. While all four are in contact, the
//! resultant force and torque of a law that is linear in height and velocity are continuous there.

use super::direction::length_and_direction;
use super::{ContactPoint, End, Witness, points_half_space};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// Below this sine of the tilt the points of the rims are fixed in the cylinder.
pub(crate) const STANDING: f64 = 1e-6;

/// Calls `visit` with the four points of both rims and their distances. Returns how far it is
/// from standing upright.
pub(super) fn visit_contact_features(
    dimensions: (f64, f64),
    X_WA: &RigidTransform<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    for end in End::ALL {
        for quarter in 0..4 {
            let contact = contact_point(end, quarter, dimensions, X_WA, X_WB);
            let witness = Witness::CylinderHalfSpace { end, quarter };
            visit(witness, -contact.penetration);
        }
    }
    let normal = X_WA.rotation.tr_mul(&X_WB.rotation.column(2));
    let (radius, length) = dimensions;
    (normal.x.hypot(normal.y) - STANDING).abs() * radius.hypot(0.5 * length)
}

/// The contact of a point of a rim of the cylinder A with the half space B.
pub(super) fn contact_point<T: Scalar>(
    end: End,
    quarter: u8,
    (radius, length): (T, T),
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let normal = X_WA.rotation.tr_mul(&X_WB.rotation.column(2));
    let downhill = Vector3::new(-normal.x, -normal.y, T::zero());
    let (sin_tilt, mut u) = length_and_direction(&downhill, Vector3::x);
    if sin_tilt.re() < STANDING {
        u = Vector3::x();
    }
    let turned = match quarter {
        0 => u,
        1 => Vector3::new(-u.y, u.x, T::zero()),
        2 => -u,
        _ => Vector3::new(u.y, -u.x, T::zero()),
    };
    let mut p_A = turned * radius;
    p_A.z = length * (0.5 * end.sign());
    points_half_space::contact_point(&p_A, X_WA, X_WB)
}
