//! Contact of any two convex shapes, by their support functions.
//!
//! The signed distance of two convex shapes is the largest separation `s(n)` along any unit vector,
//!
//! ```text
//! s(n) = n · (p_A(−n) − p_B(n)),
//! ```
//!
//! with the support points `p(n)`, those furthest along `n`. A [search](super::expanding_polytope) ends with
//! support points from which the features that meet can be named; each pair of features has a
//! [normal](super::convex_normal) of its own, and the pair with the largest separation along it is the contact. As
//! `s` is never more than the distance, a pair of features that do not really meet cannot win. Shapes that
//! overlap may have several directions that are good locally: all whose faces of the polytope are not deeper than the
//! best are tried.
//!
//! Shapes that lie flat on each other touch in [several points](super::convex_patch), capsules and cylinders side by
//! side along [a line](super::line_contact), others in the deepest point.
//! A face is preferred to other features where the separation along it is less by up to a thousandth of the least half
//! width and a twentieth of the distance, and points on it are as near: round-off does not decide whether a box
//! stands on a face or an edge.
//!
//! # What is exact
//! The signed distance and, where it is unique, the normal; contacts up to the preference of faces, by which points of
//! sides that are deep in each other may be off a surface, up to 10⁻³ of the smaller radius. How exact in numbers
//! [`signed_distance`](super::signed_distance) says, also where it is less so.
//!
//! Of pairs of features that are equally good to round-off (parallel edges, faces that are flat on each other) some do
//! not meet: a vertex of a face may be beside the other face. Those whose contact points belong to both shapes win.

use super::convex_core::{Core, core, has_core, real};
use super::convex_normal::{evaluate, normal_of};
use super::convex_part::Part;
use super::convex_patch::{self, Patch};
use super::convex_search::{Closest, Found, closest, is_fixing};
use super::feature::ConvexFeature;
use super::flush_faces::FlushFaces;
use super::{ContactPoint, Shape, ShapeKind, Witness, line_contact};
use crate::{Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// By how much faces are preferred to other features, relative to the least half width and to the distance.
const FLAT: f64 = 1e-3;
const RELATIVE: f64 = 0.05;

/// A corner of a smaller angle, in right angles, is round-off on a straight side.
const STRAIGHT: f64 = 1e-8;

/// Whether contacts of two kinds come by the search.
pub(super) fn is_searched(a: ShapeKind, b: ShapeKind) -> bool {
    use ShapeKind::{Box, Capsule, Cylinder, Sphere};
    let has_form = match (a.min(b), a.max(b)) {
        (Sphere, b) => matches!(b, Sphere | Capsule | Cylinder | Box),
        pair => matches!(pair, (Capsule, Capsule) | (Box, Box)),
    };
    has_core(a) && has_core(b) && !has_form
}

/// Calls `visit` with the contacts and their distances, if the shapes are nearer than `margin`. Returns about how far
/// the nearest change of features is.
pub(super) fn visit_contact_features<U: Scalar>(
    a: &Shape<U>,
    X_WA: &RigidTransform<f64>,
    b: &Shape<U>,
    X_WB: &RigidTransform<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let (a, b) = (real(a, X_WA), real(b, X_WB));
    let Some(Found { best, all, faces }) = closest(&a, &b, margin) else {
        return f64::INFINITY;
    };
    let mut kink = f64::INFINITY;
    if let Some(face) = faces.best {
        // Shapes that lie flat on each other touch on a face, although edges may be a little further apart.
        let half_width = a.half_width().min(b.half_width());
        let least = best.distance - FLAT * half_width - RELATIVE * best.distance.abs();
        let mut to_patch = f64::INFINITY;
        if face.score >= least {
            match visit_patches(&face, least, best.distance, [&a, &b], visit) {
                Ok(change) => {
                    let to_other = faces.gain_over_other_ways().min(face.score - least);
                    return change.min(0.5 * to_other);
                }
                Err(change) => to_patch = change,
            }
        }
        let to_face = (face.score - least).abs();
        kink = to_patch.min(0.5 * to_face.min((best.score - face.score).abs()));
    }
    if !best.features.into_iter().any(is_fixing)
        && let Some(change) = line_contact::visit_contact_features(&a, &b, best.distance, visit)
    {
        return kink.min(change).min(0.5 * all.gain_over_other_ways());
    }
    let [feature_A, feature_B] = best.features;
    visit(Witness::Convex(feature_A, feature_B), best.distance);
    kink.min(0.5 * all.gain_over_others())
        .min(0.5 * sliding_margin(&best, [&a, &b]))
}

/// How much further other features have to come than those that touch: another vertex of the same shape, or an end of one
/// of two straight features, to which their contact slides as they become parallel.
fn sliding_margin<U: Scalar>(best: &Closest, [a, b]: [&Core<U, f64>; 2]) -> f64 {
    let [f, g] = best.features;
    let mut margin = f64::INFINITY;
    for (core, feature, towards) in [(a, f, -best.normal), (b, g, best.normal)] {
        let ConvexFeature::Vertex(own) = feature else {
            continue;
        };
        let Some(deepest) = core.vertex(own) else {
            continue;
        };
        let others = (0..).map_while(|i| Some((i, core.vertex(i)?)));
        for (_, other) in others.filter(|(i, _)| *i != own) {
            margin = margin.min(towards.dot(&(deepest - other)));
        }
    }
    if let (Some(p), Some(q)) = (a.ends(f), b.ends(g))
        && let Some(contact) = evaluate(best.features, best.normal, a, b)
    {
        let along = [p, q].map(|[start, end]| (end - start).normalize());
        let sine = along[0].cross(&along[1]).norm();
        for ((ends, along), point) in [p, q]
            .iter()
            .zip(&along)
            .zip([contact.p_WCa, contact.p_WCb])
        {
            for end in ends {
                margin = margin.min(sine * along.dot(&(point - end)).abs());
            }
        }
    }
    margin.max(0.0)
}

/// Calls `visit` with the contacts on a face, or those that two faces share, if there is one about as near as the features
/// that determine the distance. Returns how far the nearest change is; as an error, where there is no such contact, how
/// far it is from one.
fn visit_patches<U: Scalar>(
    face: &Closest,
    least: f64,
    distance: f64,
    [a, b]: [&Core<U, f64>; 2],
    visit: &mut dyn FnMut(Witness, f64),
) -> Result<f64, f64> {
    let of_first = is_fixing(face.features[0]);
    let incident = if of_first {
        b.incident(&-face.normal)
    } else {
        a.incident(&face.normal)
    };
    let incident = incident.ok_or(f64::INFINITY)?;
    let parts = match of_first {
        true => [face.features[0], incident],
        false => [incident, face.features[1]],
    };
    let [part_a, part_b] =
        [(a, parts[0]), (b, parts[1])].map(|(core, feature)| Part { core, feature });
    let roles = |on_first| match on_first {
        true => (&part_a, &part_b),
        false => (&part_b, &part_a),
    };
    let (reference, incident) = roles(of_first);
    let look_at_each_other =
        (incident.normal()).is_some_and(|n| reference.core.incident(&n) == Some(reference.feature));
    let flush = match look_at_each_other {
        true => FlushFaces::new(&part_a, &part_b),
        false => None,
    };
    let own = usize::from(!of_first);
    let [mut separations, mut shares] = [[face.score; 2], [0.0; 2]];
    shares[own] = 1.0;
    if let Some(flush) = flush {
        separations[1 - own] += flush.separations[1 - own] - flush.separations[own];
        shares = flush.shares;
    }
    let is_shared = shares.iter().all(|&share| share > 0.0);
    let first = shares[0] >= shares[1];
    let mut margin = f64::INFINITY;
    for on_first in [first, !first] {
        let number = usize::from(!on_first);
        if shares[number] == 0.0 {
            continue;
        }
        let (reference, incident) = roles(on_first);
        let patch = match Patch::new(reference, incident) {
            Ok(patch) => patch,
            Err(change) if on_first == first => return Err(change),
            Err(change) => {
                margin = margin.min(change);
                continue;
            }
        };
        let contacts = || {
            patch.corners().filter_map(|corner| {
                let contact = convex_patch::contact_point(reference, incident, corner)?;
                (contact.weight > STRAIGHT).then_some((corner, -contact.penetration))
            })
        };
        if on_first == first {
            let lowest = contacts().fold(f64::INFINITY, |low, (_, height)| low.min(height));
            let short = separations[number] + distance - least - lowest;
            if short < 0.0 || distance < 0.0 && lowest >= 0.0 {
                return Err(0.5 * if short < 0.0 { -short } else { lowest });
            }
            margin = margin.min(short);
        }
        for (corner, height) in contacts() {
            let witness = Witness::ConvexPatch {
                parts,
                on_first,
                corner,
                is_shared,
            };
            visit(witness, height);
        }
        margin = margin.min(patch.margin());
    }
    Ok(margin)
}

/// Calls `visit` with the features that determine the distance, without a preference of faces, and the distance, if it
/// is less than `margin`. Returns about how far the nearest change of features is.
pub(super) fn visit_nearest<U: Scalar>(
    a: &Shape<U>,
    X_WA: &RigidTransform<f64>,
    b: &Shape<U>,
    X_WB: &RigidTransform<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let Some(Found { best, all, .. }) = closest(&real(a, X_WA), &real(b, X_WB), margin) else {
        return f64::INFINITY;
    };
    let [feature_A, feature_B] = best.features;
    visit(Witness::Convex(feature_A, feature_B), best.distance);
    0.5 * all.gain_over_others()
}

/// The contact that a witness names; `None` if the shapes do not have its features, or they do not meet.
pub(crate) fn contact_point<T: Scalar>(
    witness: &Witness,
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
) -> Option<ContactPoint<T>> {
    contact_of_cores(witness, &core(a, X_WA), &core(b, X_WB))
}

/// The same at poses in `f64`.
pub(super) fn real_contact_point<U: Scalar>(
    witness: &Witness,
    (a, X_WA): (&Shape<U>, &RigidTransform<f64>),
    (b, X_WB): (&Shape<U>, &RigidTransform<f64>),
) -> Option<ContactPoint<f64>> {
    contact_of_cores(witness, &real(a, X_WA), &real(b, X_WB))
}

fn contact_of_cores<U: Scalar, T: Scalar>(
    witness: &Witness,
    a: &Core<U, T>,
    b: &Core<U, T>,
) -> Option<ContactPoint<T>> {
    match *witness {
        Witness::Convex(feature_A, feature_B) => {
            let features = [feature_A, feature_B];
            let guess = || {
                let best = search(a.shape, a.pose, b.shape, b.pose);
                best.map_or_else(Vector3::z, |best| best.normal)
            };
            let normal = normal_of(features, a, b, &guess)?;
            evaluate(features, normal, a, b)
        }
        Witness::ConvexPatch {
            parts: [feature_A, feature_B],
            on_first,
            corner,
            is_shared,
        } => {
            let part = |core, feature| Part { core, feature };
            let (part_a, part_b) = (part(a, feature_A), part(b, feature_B));
            let contact = match on_first {
                true => convex_patch::contact_point(&part_a, &part_b, corner)?.swapped(),
                false => convex_patch::contact_point(&part_b, &part_a, corner)?,
            };
            if !is_shared {
                return Some(contact);
            }
            let share = FlushFaces::new(&part_a, &part_b)?.shares[usize::from(!on_first)];
            Some(contact.weighted(share))
        }
        _ => None,
    }
}

/// The signed distance.
pub(super) fn signed_distance<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
) -> Option<T> {
    let best = search(a, X_WA, b, X_WB)?;
    let (a, b) = (core(a, X_WA), core(b, X_WB));
    let normal = normal_of(best.features, &a, &b, &|| best.normal)?;
    Some(-evaluate(best.features, normal, &a, &b)?.penetration)
}

/// The features that determine the distance.
fn search<U: Scalar, T: Scalar>(
    a: &Shape<U>,
    X_WA: &RigidTransform<T>,
    b: &Shape<U>,
    X_WB: &RigidTransform<T>,
) -> Option<Closest> {
    let (X_WA, X_WB) = (X_WA.cast(), X_WB.cast());
    let found = closest(&real(a, &X_WA), &real(b, &X_WB), f64::INFINITY)?;
    Some(found.best)
}
