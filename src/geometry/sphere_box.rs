//! Sphere against box.
//!
//! Let `p` be the centre of the sphere in the frame of the box and `h` half the size of the box.
//! Space outside the box falls into the regions nearest to one of its faces, edges and vertices:
//! along an axis with `pᵢ > hᵢ` the sign of the [`BoxFeature`] is +1, with `pᵢ < −hᵢ` it is −1, and
//! in between 0. With the signs `s`, the vector from the nearest point is `gᵢ = pᵢ − sᵢ hᵢ` where
//! `sᵢ ≠ 0` and 0 elsewhere; the distance is `‖g‖` and the normal `g/‖g‖`.
//!
//! With a face this is `sᵢ pᵢ − hᵢ` along its normal, which is right inside as well. A centre inside
//! or on the surface belongs to the nearest face; of equally near ones to the first axis, and on the
//! middle plane to the positive side.
//!
//! The signed distance is exact, inside and outside.
//!
//! *Singular states.* A centre exactly on an edge or a vertex counts as inside, so the normal is that
//! of a face. Should an edge or vertex feature be evaluated there, the normal is its outward
//! direction, the bisector of its faces.

use super::direction::length_and_direction;
use super::feature::{BoxFeature, sign};
use super::{ContactPoint, Witness};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;
use std::f64::consts::FRAC_1_SQRT_2;

/// The feature of the box nearest to the point `p`, given in the frame of the box.
pub(super) fn nearest_feature(size: &Vector3<f64>, p: &Vector3<f64>) -> BoxFeature {
    let mut signs = [0; 3];
    let mut nearest_face = (f64::NEG_INFINITY, 0);
    for axis in 0..3 {
        let excess = p[axis].abs() - 0.5 * size[axis];
        if excess > 0.0 {
            signs[axis] = sign(p[axis]);
        }
        if excess > nearest_face.0 {
            nearest_face = (excess, axis);
        }
    }
    if signs == [0; 3] {
        let (_, axis) = nearest_face;
        BoxFeature::face(axis, sign(p[axis]))
    } else {
        BoxFeature::new(signs)
    }
}

/// How far the point `p`, given in the frame of the box, is from where another feature is nearest.
fn feature_margin(size: &Vector3<f64>, p: &Vector3<f64>) -> f64 {
    let excess = [0, 1, 2].map(|axis| p[axis].abs() - 0.5 * size[axis]);
    let outside = excess.iter().filter(|e| **e > 0.0).count();
    let mut sorted = excess;
    sorted.sort_by(|x, y| y.total_cmp(x));
    let [first, second, _] = sorted;
    match outside {
        // Another face: a neighbour, or the opposite one.
        0 => {
            let axis = excess.iter().position(|e| *e == first).unwrap_or(0);
            let to_neighbour = (first - second) * FRAC_1_SQRT_2;
            to_neighbour.min(-second).min(p[axis].abs())
        }
        // From a face outwards and inwards nothing changes, until another face is nearer inside.
        1 => (-second).min((first - second) * FRAC_1_SQRT_2),
        _ => excess
            .iter()
            .fold(f64::INFINITY, |least, e| least.min(e.abs())),
    }
}

/// Calls `visit` with the contact and its distance. Returns how far the nearest change of features is.
pub(super) fn visit_contact_features(
    radius_A: f64,
    p_WAo: &Vector3<f64>,
    size_B: &Vector3<f64>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let p = X_WB.inverse_transform_point(p_WAo);
    let feature = nearest_feature(size_B, &p);
    let contact = contact_point(feature, radius_A, p_WAo, size_B, X_WB);
    visit(Witness::SphereBox(feature), -contact.penetration);
    feature_margin(size_B, &p)
}

/// The contact of a ball with a feature of the box B.
pub(super) fn contact_point<T: Scalar>(
    feature: BoxFeature,
    radius_A: T,
    p_WAo: &Vector3<T>,
    size_B: &Vector3<T>,
    X_WB: &RigidTransform<T>,
) -> ContactPoint<T> {
    let signs = feature.signs();
    let (distance, nhat_BA_W) = match feature.dimension() {
        2 => {
            let axis = feature.face_axis();
            let nhat_BA_W = X_WB.rotation.column(axis) * T::from(f64::from(signs[axis]));
            let height = nhat_BA_W.dot(&(p_WAo - X_WB.translation));
            (height - size_B[axis] * 0.5, nhat_BA_W)
        }
        _ => {
            let p = X_WB.inverse_transform_point(p_WAo);
            let g = Vector3::from_fn(|axis, _| match signs[axis] {
                0 => T::zero(),
                sign => p[axis] - size_B[axis] * (0.5 * f64::from(sign)),
            });
            let (length, nhat_B) = length_and_direction(&g, || feature.outward());
            (length, X_WB.rotation * nhat_B)
        }
    };
    ContactPoint::of_ball(p_WAo, radius_A, nhat_BA_W, distance)
}
