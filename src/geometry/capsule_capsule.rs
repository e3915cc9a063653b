//! Capsule against capsule.
//!
//! Contacts are, of two capsules with the segments `p ± h z`,
//!
//! - every cap that projects onto the side of the other capsule, as a
//!   [sphere](super::sphere_capsule) about its centre;
//! - two caps each of which is the nearest part to the other;
//! - the sides, where the [common normal](super::common_normal) of the axes meets both segments.
//!   The distance is that along the common normal, less the radii.
//!
//! Capsules side by side touch with the two caps at the ends of their overlap, as on a plane; turned
//! against each other about the line between them, with their sides as well. A cap counts even where
//! the sides cross elsewhere, so that thick, short capsules that cross have several contacts. The
//! smallest distance over these contacts is the distance of the segments less the radii, so the
//! signed distance is exact.
//!
//! *Singular states.* Axes that are parallel to within 10⁻⁸ rad have no contact of the sides. Where
//! axes cross in one point the normal is the common normal still, on the side of `a × b`. A centre of
//! a cap on the axis of the other capsule takes the normal of that pair.

use super::common_normal::{CommonNormal, PARALLEL, common_normal};
use super::feature::{CapsuleFeature, End};
use super::sphere_capsule::{self, cap_pose, nearest_feature};
use super::{ContactPoint, Witness};
use crate::{Scalar, math::RigidTransform};

/// A capsule in the world: radius and length, and the pose of its frame.
type PlacedCapsule<'a, T> = ((T, T), &'a RigidTransform<T>);

/// Calls `visit` with the contacts and their distances. Returns how far the nearest change of features
/// is among parts nearer than the margin.
pub(super) fn visit_witnesses(
    a: PlacedCapsule<f64>,
    b: PlacedCapsule<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    use CapsuleFeature::{Cap, Side};
    let nearest_on = |((_, length), X): PlacedCapsule<f64>, ((_, other), X_other), end| {
        let center = cap_pose(other, X_other, end).translation;
        nearest_feature(length, &X.inverse_transform_point(&center))
    };
    let mut visit_features = |features: (CapsuleFeature, CapsuleFeature)| {
        let contact = contact_point(features, a, b);
        visit(
            Witness::CapsuleCapsule(features.0, features.1),
            -contact.penetration,
        );
    };
    for end in End::ALL {
        match nearest_on(b, a, end) {
            Side => visit_features((Cap(end), Side)),
            Cap(other) if nearest_on(a, b, other) == Cap(end) => {
                visit_features((Cap(end), Cap(other)));
            }
            Cap(_) => {}
        }
    }
    for end in End::ALL {
        if nearest_on(a, b, end) == Side {
            visit_features((Side, Cap(end)));
        }
    }
    if sides_cross(a, b) {
        visit_features((Side, Side));
    }
    feature_margin(a, b, margin)
}

/// How far the nearest change of features is among parts nearer than the margin.
fn feature_margin(a: PlacedCapsule<f64>, b: PlacedCapsule<f64>, margin: f64) -> f64 {
    let ((radius_a, length_a), (radius_b, length_b)) = (a.0, b.0);
    let reach = margin + radius_a + radius_b;
    let mut least = f64::INFINITY;
    let mut is_beside = false;
    // Points of B turn about A with A, further than its points.
    let lever = 1.0 + length_b / (0.5 * length_a + radius_a);
    for ((of, X), other, rate) in [(a, b, 1.0), (b, a, lever)] {
        let ((_, length), X_other) = other;
        for end in End::ALL {
            let center = cap_pose(of.1, X, end).translation;
            let p = X_other.inverse_transform_point(&center);
            let beyond = p.z.abs() - 0.5 * length;
            let distance = p.x.hypot(p.y).hypot(beyond.max(0.0));
            if distance < reach {
                is_beside |= beyond <= 0.0;
                let change = sphere_capsule::feature_margin(length, &p).min(distance);
                least = least.min(change / rate);
            }
        }
    }
    // Sides begin to cross where a cap is at a side, and cease to.
    let sine = a.1.rotation.column(2).cross(&b.1.rotation.column(2)).norm();
    if sine < PARALLEL {
        return if is_beside { 0.0 } else { least };
    }
    let normal = axes_common_normal(a.1, b.1);
    let is_met = normal.s.abs() <= 0.5 * length_a && normal.t.abs() <= 0.5 * length_b;
    if normal.distance.abs() < reach && (is_met || is_beside) {
        least = least.min(normal.meeting_margin(sine, 0.5 * length_a, 0.5 * length_b));
        if is_met {
            least = least.min(normal.distance.abs());
        }
    }
    least
}

/// Whether the common normal of the axes meets both segments.
fn sides_cross(
    ((_, length_a), X_WA): PlacedCapsule<f64>,
    ((_, length_b), X_WB): PlacedCapsule<f64>,
) -> bool {
    let (a, b) = (X_WA.rotation.column(2), X_WB.rotation.column(2));
    if a.cross(&b).norm() < PARALLEL {
        return false;
    }
    let normal = axes_common_normal(X_WA, X_WB);
    normal.s.abs() <= 0.5 * length_a && normal.t.abs() <= 0.5 * length_b
}

fn axes_common_normal<T: Scalar>(
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> CommonNormal<T> {
    let (a, b) = (
        X_WA.rotation.column(2).into_owned(),
        X_WB.rotation.column(2).into_owned(),
    );
    let (p_WAo, p_WBo) = (&X_WA.translation, &X_WB.translation);
    common_normal((p_WAo, &a), (p_WBo, &b), &(p_WAo - p_WBo))
}

/// The contact of a part of the capsule A with a part of the capsule B.
pub(super) fn contact_point<T: Scalar>(
    features: (CapsuleFeature, CapsuleFeature),
    (a, X_WA): PlacedCapsule<T>,
    (b, X_WB): PlacedCapsule<T>,
) -> ContactPoint<T> {
    match features {
        (CapsuleFeature::Cap(end), feature) => {
            let center = cap_pose(a.1, X_WA, end).translation;
            sphere_capsule::contact_point(feature, a.0, &center, b, X_WB)
        }
        (feature, CapsuleFeature::Cap(end)) => {
            let center = cap_pose(b.1, X_WB, end).translation;
            sphere_capsule::contact_point(feature, b.0, &center, a, X_WA).swapped()
        }
        (CapsuleFeature::Side, CapsuleFeature::Side) => {
            let normal = axes_common_normal(X_WA, X_WB);
            let center = X_WA.translation + X_WA.rotation.column(2) * normal.s;
            ContactPoint::of_ball(&center, a.0, normal.nhat, normal.distance - b.0)
        }
    }
}
