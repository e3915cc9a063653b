//! Sphere against cylinder.
//!
//! Let `p = (x, y, z)` be the centre of the sphere in the frame of the cylinder, `ρ = √(x² + y²)`
//! and `e = (x, y, 0)/ρ`; `r` is the radius and `h` half the length of the cylinder. With the radial
//! excess `u = ρ − r` and the axial excess `w = |z| − h` the nearest part of the surface is
//!
//! | | feature | distance | normal |
//! |---|---|---|---|
//! | `u > 0`, `w > 0` | rim | `√(u² + w²)` | `(u e ± w z)/√(u² + w²)` |
//! | `u > w` otherwise | side | `u` | `e` |
//! | `u ≤ w` otherwise | cap | `w` | `± z` |
//!
//! where the sign is that of z; inside, both `u` and `w` are at most 0 and the larger one is the
//! nearer face. The signed distance is exact, inside and outside.
//!
//! *Singular states.* On the axis `e` is the x axis of the cylinder. On the rim itself, which is
//! inside, the normal is that of the cap.

use super::direction::length_and_direction;
use super::feature::{CylinderFeature, End};
use super::{ContactPoint, Witness};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;
use std::f64::consts::FRAC_1_SQRT_2;

/// The part of the surface nearest to the point `p`, given in the frame of the cylinder.
pub(super) fn nearest_feature(radius: f64, length: f64, p: &Vector3<f64>) -> CylinderFeature {
    let radial = p.x.hypot(p.y) - radius;
    let axial = p.z.abs() - 0.5 * length;
    let end = if p.z < 0.0 { End::Lower } else { End::Upper };
    if radial > 0.0 && axial > 0.0 {
        CylinderFeature::Rim(end)
    } else if radial > axial {
        CylinderFeature::Side
    } else {
        CylinderFeature::Cap(end)
    }
}

/// How far the point `p`, given in the frame of the cylinder, is from where another part is nearest,
/// or from the axis if the side is.
fn feature_margin(radius: f64, length: f64, p: &Vector3<f64>) -> f64 {
    let from_axis = p.x.hypot(p.y);
    let (radial, axial) = (from_axis - radius, p.z.abs() - 0.5 * length);
    match (radial > 0.0, axial > 0.0) {
        (true, true) => radial.min(axial),
        (true, false) => -axial,
        (false, true) => -radial,
        (false, false) => {
            let to_other = (radial - axial).abs() * FRAC_1_SQRT_2;
            let singular = if radial > axial { from_axis } else { p.z.abs() };
            to_other.min(-radial.max(axial)).min(singular)
        }
    }
}

/// Calls `visit` with the contact and its distance. Returns how far the nearest change of features is.
pub(super) fn visit_contact_features(
    radius_A: f64,
    p_WAo: &Vector3<f64>,
    (radius_B, length_B): (f64, f64),
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let p = X_WB.inverse_transform_point(p_WAo);
    let feature = nearest_feature(radius_B, length_B, &p);
    let contact = contact_point(feature, radius_A, p_WAo, (radius_B, length_B), X_WB);
    visit(Witness::SphereCylinder(feature), -contact.penetration);
    feature_margin(radius_B, length_B, &p)
}

/// The contact of a ball with a part of the cylinder B.
pub(super) fn contact_point<T: Scalar>(
    feature: CylinderFeature,
    radius_A: T,
    p_WAo: &Vector3<T>,
    (radius_B, length_B): (T, T),
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let (distance, nhat_BA_W) = match feature {
        CylinderFeature::Side => return side_contact_point(radius_A, p_WAo, radius_B, X_WB),
        CylinderFeature::Cap(end) => {
            let nhat_BA_W = X_WB.rotation.column(2) * T::from(end.sign());
            let height = nhat_BA_W.dot(&(p_WAo - X_WB.translation));
            (height - length_B * 0.5, nhat_BA_W)
        }
        CylinderFeature::Rim(end) => {
            let (radial, e_W, z) = cylindrical_coordinates(p_WAo, X_WB);
            let z_W = X_WB.rotation.column(2) * T::from(end.sign());
            let excess = e_W * (radial - radius_B) + z_W * (z * end.sign() - length_B * 0.5);
            length_and_direction(&excess, || (e_W + z_W) * T::from(FRAC_1_SQRT_2))
        }
    };
    ContactPoint::of_ball(p_WAo, radius_A, nhat_BA_W, distance)
}

/// The contact of a ball with the endless cylinder of the given radius about the z axis of B.
pub(super) fn side_contact_point<T: Scalar>(
    radius_A: T,
    p_WAo: &Vector3<T>,
    radius_B: T,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let (radial, e_W, _) = cylindrical_coordinates(p_WAo, X_WB);
    ContactPoint::of_ball(p_WAo, radius_A, e_W, radial - radius_B)
}

/// Distance from the z axis of B, the direction away from it (expressed in the world), and the
/// height along it, of the point `p_W`.
fn cylindrical_coordinates<T: Scalar>(
    p_W: &Vector3<T>,
    X_WB: &RigidTransform<T>,
) -> (T, Vector3<T>, T) {
    let p = X_WB.inverse_transform_point(p_W);
    let (radial, e) = length_and_direction(&Vector3::new(p.x, p.y, T::zero()), Vector3::x);
    (radial, X_WB.rotation * e, p.z)
}
