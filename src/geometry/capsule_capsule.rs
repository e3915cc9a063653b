//! Capsule against capsule.
//!
//! Contacts are, of two capsules with the segments `p ± h z`,
//!
//! - at either end of what they share the cap of that capsule which ends first, as a [sphere](super::sphere_capsule) on
//!   the side of the other;
//! - two caps each of which is the nearest part to the other;
//! - the sides, where the [common normal](super::common_normal) of the axes meets both segments.
//!   The distance is that along the common normal, less the radii.
//!
//! Capsules side by side touch with the two caps at the ends of their overlap, as on a plane; turned
//! against each other about the line between them, with their sides as well, which have
//! [a weight](super::line_contact) that is theirs as the ends rise. A cap counts even where the sides cross elsewhere,
//! so that thick, short capsules that cross have several contacts. Of two caps at an end the one nearer to where the
//! axes cross is as near as the other or nearer. So the smallest distance over these contacts is the distance of the
//! segments less the radii, and the signed distance is exact.
//!
//! *Singular states.* Axes that are parallel to within 10⁻⁸ rad have no contact of the sides. Where
//! axes cross in one point the normal is the common normal still, on the side of `a × b`. A centre of
//! a cap on the axis of the other capsule takes the normal of that pair.

use super::feature::{CapsuleFeature, End};
use super::line_contact::Axis;
use super::sphere_capsule::{self, cap_pose, nearest_feature};
use super::{ContactPoint, Witness};
use crate::{Scalar, math::RigidTransform};

/// A capsule in the world: radius and length, and the pose of its frame.
type PlacedCapsule<'a, T> = ((T, T), &'a RigidTransform<T>);

/// Calls `visit` with the contacts and their distances. Returns how far the nearest change of features
/// is among parts nearer than the margin.
pub(super) fn visit_contact_features(
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
    let (of_a, of_b) = (Axis::new(a.0, a.1), Axis::new(b.0, b.1));
    for end in End::ALL {
        let (opposite, in_b, in_a) = of_a.opposite(end, &of_b);
        let (under_a, under_b) = (nearest_on(b, a, end), nearest_on(a, b, opposite));
        let ends_first = if (under_a, under_b) == (Side, Side) {
            in_b >= in_a
        } else {
            under_a == Side
        };
        match under_a {
            Cap(other) if nearest_on(a, b, other) == Cap(end) => {
                visit_features((Cap(end), Cap(other)));
            }
            Side if ends_first => visit_features((Cap(end), Side)),
            _ => {}
        }
        if under_b == Side && !ends_first {
            visit_features((Side, Cap(opposite)));
        }
    }
    if of_a.crossing(&of_b).is_some() {
        visit_features((Side, Side));
    }
    feature_margin(a, b, margin)
}

/// How far the nearest change of features is among parts nearer than the margin.
fn feature_margin(a: PlacedCapsule<f64>, b: PlacedCapsule<f64>, margin: f64) -> f64 {
    let ((radius_a, length_a), (radius_b, length_b)) = (a.0, b.0);
    let reach = margin + radius_a + radius_b;
    let mut least = f64::INFINITY;
    let (of_a, of_b) = (Axis::new(a.0, a.1), Axis::new(b.0, b.1));
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
                let change = sphere_capsule::feature_margin(length, &p).min(distance);
                least = least.min(change / rate);
            }
        }
    }
    // Which of two caps ends first, and which two are beside each other.
    for end in End::ALL {
        let (_, in_b, in_a) = of_a.opposite(end, &of_b);
        if in_b.min(in_a) >= 0.0 {
            let turned = of_a.direction.dot(&of_b.direction).abs() * of_a.half;
            least = least.min((in_b - in_a).abs() / lever).min(turned);
        }
    }
    if let Some(normal) = of_a.crossing(&of_b)
        && normal.distance.abs() < reach
    {
        least = least.min(normal.distance.abs());
    }
    least
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
            let (of_a, of_b) = (Axis::new(a, X_WA), Axis::new(b, X_WB));
            let normal = of_a.common_normal(&of_b);
            let center = of_a.center + of_a.direction * normal.s;
            ContactPoint::of_ball(&center, a.0, normal.nhat, normal.distance - b.0)
                .weighted(of_a.share_of_crossing(&of_b))
        }
    }
}
