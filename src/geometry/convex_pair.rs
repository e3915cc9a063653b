//! Any two convex shapes, by their support points.
//!
//! The signed distance of two convex shapes is the largest separation `s(n)` along any unit vector,
//!
//! ```text
//! s(n) = n · (p_A(−n) − p_B(n)),
//! ```
//!
//! with the support points `p(n)`, those furthest along `n`. The search for it (by
//! [GJK](super::gjk), of shapes that overlap by [EPA](super::epa)) ends with support points from which the
//! features that meet can be named; each pair of features has a normal of its own, and the pair with the
//! largest separation along it is the contact. As `s` is never more than the distance, a pair of features
//! that do not really meet cannot win.
//!
//! | features | normal |
//! |---|---|
//! | a face or a cap, and whatever is deepest under it | that of the face |
//! | two edges, an edge and the side of a cylinder | perpendicular to both |
//! | a vertex and a vertex, or an edge | along the shortest line between them |
//! | a rim or the surface of an ellipsoid, and a vertex, an edge or another of these | a root, see below |
//!
//! Edges are those of the [core](super::convex_core): also the axes of capsules and of the sides of
//! cylinders.
//!
//! # Curved features
//! Where a support point moves with the normal, the gap `g = p_A(−n) − p_B(n)` is parallel to the normal
//! (beside an edge along `d`, which `n` is perpendicular to, in the plane of both):
//!
//! ```text
//! g × n = 0,  n·n = 1       or       g · (n × d) = 0,  n·d = 0,  n·n = 1
//! ```
//!
//! Newton's method solves this in `f64`, and derivatives come from the implicit function theorem. Where the
//! Jacobian is singular (a rim touches a point exactly) the normal is taken as constant, which gives the
//! penetration its derivative all the same, as its derivative with respect to the normal is zero.
//!
//! # What is exact
//! The signed distance and, where it is unique, the normal. There is one contact point, the deepest.

use super::convex_core::{Constraint, Core};
use super::direction::length_and_direction;
use super::epa::deepest;
use super::feature::ConvexFeature;
use super::gjk::{SupportPoint, nearest_to_origin};
use super::{ContactPoint, Shape, ShapeKind, Witness};
use crate::{Scalar, math::RigidTransform};
use nalgebra::{Matrix3, Vector3};
use num_dual::DualSVec64;

/// Edges with a smaller sine of the angle between them are parallel.
const PARALLEL: f64 = 1e-8;

/// Nearer than this, relative to their size, cores count as overlapping.
const TOUCHING: f64 = 1e-10;

/// To what, relative to the size, the separation of curved shapes is looked for before Newton's method.
const COARSE: f64 = 1e-8;

/// By how much, relative to the size, features that fix the normal are preferred.
const PREFERENCE: f64 = 1e-13;

/// Normals of features that differ more from what the search found are not those of the contact.
const SAME: f64 = 1e-2;

type D = DualSVec64<3>;

/// What the search for the largest separation has come to.
struct Search {
    /// From B to A.
    normal: Vector3<f64>,
    /// Vertices of A and of B that span it, each once.
    vertices: [Vertices; 2],
    size: f64,
}

/// Up to three vertices.
#[derive(Clone, Copy, Default)]
struct Vertices {
    items: [u32; 3],
    count: usize,
}

impl Vertices {
    fn insert(&mut self, item: u32) {
        if !self.items().contains(&item) && self.count < 3 {
            self.items[self.count] = item;
            self.count += 1;
        }
    }

    fn items(&self) -> &[u32] {
        &self.items[..self.count]
    }
}

fn search<U: Scalar>(a: &Core<U, f64>, b: &Core<U, f64>) -> Search {
    let support = |d: &Vector3<f64>| {
        let ((i, p), (j, q)) = (a.support(d), b.support(&-d));
        SupportPoint {
            at: p - q,
            vertices: [i, j],
        }
    };
    let size = [Vector3::x(), Vector3::y(), Vector3::z()]
        .iter()
        .flat_map(|d| [support(d), support(&-d)])
        .fold(0.0, |size: f64, p| size.max(p.at.amax()));
    let is_curved = |kind| matches!(kind, ShapeKind::Cylinder | ShapeKind::Ellipsoid);
    let tolerance = match is_curved(a.shape.kind()) || is_curved(b.shape.kind()) {
        true => COARSE,
        false => 0.0,
    };
    let nearest = nearest_to_origin(size, tolerance, support);
    let distance = nearest.point.norm();
    let mut vertices = [Vertices::default(); 2];
    let mut take = |points: &[SupportPoint]| {
        for point in points {
            vertices[0].insert(point.vertices[0]);
            vertices[1].insert(point.vertices[1]);
        }
    };
    let normal = if distance > TOUCHING * size {
        take(nearest.simplex.points());
        nearest.point / distance
    } else if let Some(deepest) = deepest(&nearest.simplex, size, tolerance, support) {
        take(&deepest.corners);
        -deepest.normal
    } else {
        take(nearest.simplex.points());
        let (_, apart) = length_and_direction(&(a.center() - b.center()), Vector3::z);
        apart
    };
    Search {
        normal,
        vertices,
        size,
    }
}

/// The separation of the shapes along a unit vector.
fn separation<U: Scalar>(a: &Core<U, f64>, b: &Core<U, f64>, n: &Vector3<f64>) -> f64 {
    n.dot(&(a.support(&-n).1 - b.support(n).1)) - a.core_radius() - b.core_radius()
}

/// Features of a shape that may meet the other along the outward direction `d`.
fn features<U: Scalar>(
    core: &Core<U, f64>,
    vertices: &Vertices,
    d: &Vector3<f64>,
    visit: &mut dyn FnMut(ConvexFeature),
) {
    match core.shape {
        Shape::Cylinder { .. } => {
            let along = core.pose.rotation.column(2).dot(d).abs();
            if along > 0.5 {
                visit(ConvexFeature::Cap(core.end(d)));
            } else {
                visit(ConvexFeature::Side);
            }
            visit(ConvexFeature::Rim(core.end(d)));
        }
        Shape::Ellipsoid { .. } => visit(ConvexFeature::Surface),
        _ => {
            core.visit_features(vertices.items(), visit);
            for &i in vertices.items() {
                visit(ConvexFeature::Vertex(i));
            }
        }
    }
}

fn is_fixing(feature: ConvexFeature) -> bool {
    matches!(feature, ConvexFeature::Face(..) | ConvexFeature::Cap(_))
}

fn is_edge(feature: ConvexFeature) -> bool {
    matches!(feature, ConvexFeature::Edge(..) | ConvexFeature::Side)
}

fn is_curved(feature: ConvexFeature) -> bool {
    matches!(feature, ConvexFeature::Rim(_) | ConvexFeature::Surface)
}

/// Calls `visit` with the contact and its distance. Returns by how much the features are further apart
/// than others that compete with them, along another normal: zero where they change.
pub(super) fn visit_witnesses<U: Scalar>(
    a: &Shape<U>,
    X_WA: &RigidTransform<f64>,
    b: &Shape<U>,
    X_WB: &RigidTransform<f64>,
    visit: &mut dyn FnMut(Witness, f64),
) -> f64 {
    let (a, b) = (real(a, X_WA), real(b, X_WB));
    let found = search(&a, &b);
    let n = found.normal;
    let mut best: Option<(f64, [ConvexFeature; 2], Vector3<f64>)> = None;
    let mut second: Option<(f64, Vector3<f64>)> = None;
    let mut consider = |features: [ConvexFeature; 2]| {
        let Some(normal) = normal_of(features, &a, &b, &n) else {
            return;
        };
        if (normal - n).norm() > SAME {
            return;
        }
        let fixing = features.iter().any(|f| is_fixing(*f));
        let edges = features.iter().all(|f| is_edge(*f));
        let preference = 2.0 * f64::from(u8::from(fixing)) + f64::from(u8::from(edges));
        let score = separation(&a, &b, &normal) + preference * PREFERENCE * found.size;
        if best.is_none_or(|best| score > best.0) {
            second = best.map(|(score, _, normal)| (score, normal));
            best = Some((score, features, normal));
        } else if second.is_none_or(|second| score > second.0) {
            second = Some((score, normal));
        }
    };
    features(&a, &found.vertices[0], &-n, &mut |f| {
        features(
            &b,
            &found.vertices[1],
            &n,
            &mut |g| match (is_fixing(f), is_fixing(g)) {
                (true, true) => {}
                (true, false) if is_edge(g) => {}
                (false, true) if is_edge(f) => {}
                _ => consider([f, g]),
            },
        );
    });
    for (from_a, vertices) in [(true, &found.vertices[0]), (false, &found.vertices[1])] {
        // Under a face, whatever is deepest.
        let (core, sign) = if from_a { (&a, -1.0) } else { (&b, 1.0) };
        features(core, vertices, &(n * sign), &mut |face| {
            if let (true, Some(Constraint::Along(out))) = (is_fixing(face), core.constraint(face)) {
                if from_a {
                    consider([face, b.free_feature(&-out)]);
                } else {
                    consider([a.free_feature(&-out), face]);
                }
            }
        });
    }
    let features = match best {
        Some((_, features, _)) => features,
        None => [a.free_feature(&-n), b.free_feature(&n)],
    };
    if let Some(contact) = evaluate(features, &a, &b, &n) {
        visit(
            Witness::Convex(features[0], features[1]),
            -contact.penetration,
        );
    }
    match (best, second) {
        (Some((score, _, normal)), Some((other, beside))) if (normal - beside).norm() > 1e-9 => {
            score - other
        }
        _ => f64::INFINITY,
    }
}

/// The contact of two features; `None` if the shapes do not have them, or they do not meet.
pub(super) fn contact_point<T: Scalar>(
    features: [ConvexFeature; 2],
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
) -> Option<ContactPoint<T>> {
    let (X_WAr, X_WBr) = (X_WA.cast(), X_WB.cast());
    let guess = if features.iter().any(|f| is_curved(*f)) {
        search(&real(a, &X_WAr), &real(b, &X_WBr)).normal
    } else {
        let apart = real(a, &X_WAr).center() - real(b, &X_WBr).center();
        length_and_direction(&apart, Vector3::z).1
    };
    let core = |shape, pose| Core {
        shape,
        pose,
        to: |x: &T| *x,
    };
    evaluate(features, &core(a, X_WA), &core(b, X_WB), &guess)
}

fn real<'a, U: Scalar>(shape: &'a Shape<U>, pose: &'a RigidTransform<f64>) -> Core<'a, U, f64> {
    let to = |x: &U| x.re();
    Core { shape, pose, to }
}

fn evaluate<U: Scalar, T: Scalar>(
    [f, g]: [ConvexFeature; 2],
    a: &Core<U, T>,
    b: &Core<U, T>,
    guess: &Vector3<f64>,
) -> Option<ContactPoint<T>> {
    let n = normal_of([f, g], a, b, guess)?;
    let (p, q) = (a.point(f, &-n)?, b.point(g, &n)?);
    let gap = n.dot(&(p - q));
    let (r_a, r_b) = (a.radius(f), b.radius(g));
    let on_core = match (a.constraint(f)?, b.constraint(g)?) {
        (Constraint::Free, _) => p,
        (_, Constraint::Free) => q + n * gap,
        (Constraint::Across(d), Constraint::Across(e)) => {
            // Where the line of A is beside that of B.
            let m = d.cross(&e);
            let s = e.cross(&(p - q)).dot(&m).div_lifted(m.dot(&m));
            p + d * s
        }
        _ => return None,
    };
    Some(ContactPoint::new(on_core - n * r_a, n, gap - r_a - r_b))
}

/// The unit normal of two features, from B to A.
fn normal_of<U: Scalar, T: Scalar>(
    features: [ConvexFeature; 2],
    a: &Core<U, T>,
    b: &Core<U, T>,
    guess: &Vector3<f64>,
) -> Option<Vector3<T>> {
    let [f, g] = features;
    let across = match (a.constraint(f)?, b.constraint(g)?) {
        (_, Constraint::Along(n)) => return Some(n),
        (Constraint::Along(n), _) => return Some(-n),
        (Constraint::Across(d), Constraint::Across(e)) => {
            let m = d.cross(&e);
            let length = T::norm_lifted(m.as_slice());
            let lengths = d.map(|x| x.re()).norm() * e.map(|x| x.re()).norm();
            if length.re() < PARALLEL * lengths {
                return None;
            }
            let z = Vector3::zeros();
            let (p, q) = (
                a.point(f, &z)?.map(|x| x.re()),
                b.point(g, &z)?.map(|x| x.re()),
            );
            let m_real = m.map(|x| x.re());
            // An edge looks away from the middle of its shape; a segment does not.
            let (in_a, in_b) = (m_real.dot(&(a.center() - p)), m_real.dot(&(q - b.center())));
            let outward = if in_a.abs() > in_b.abs() { in_a } else { in_b };
            let tiny = 1e-9 * lengths * lengths.sqrt();
            let side = if outward.abs() > tiny {
                outward
            } else {
                m_real.dot(&(p - q))
            };
            let length = if side < 0.0 { -length } else { length };
            return Some(m.map(|x| x.div_lifted(length)));
        }
        (Constraint::Across(d), _) | (_, Constraint::Across(d)) => Some(d),
        (Constraint::Free, Constraint::Free) => None,
    };
    if is_curved(f) || is_curved(g) {
        return curved_normal(features, a, b, across, guess);
    }
    let z = Vector3::zeros();
    let mut between = a.point(f, &z)? - b.point(g, &z)?;
    if let Some(d) = across {
        between -= d * between.dot(&d).div_lifted(d.dot(&d));
    }
    let fallback = || guess.map(T::from);
    Some(length_and_direction(&between, fallback).1)
}

/// The residual whose root is the normal of curved features, with the gap `g`.
fn residual<T: Scalar>(
    gap: &Vector3<T>,
    n: &Vector3<T>,
    across: Option<&Vector3<T>>,
    basis: &[Vector3<f64>; 2],
) -> Vector3<T> {
    let unit = (n.dot(n) - 1.0) * 0.5;
    match across {
        Some(d) => Vector3::new(gap.dot(&n.cross(d)), n.dot(d), unit),
        None => {
            let turned = gap.cross(n);
            let [x, y] = basis.map(|e| turned.dot(&e.map(T::from)));
            Vector3::new(x, y, unit)
        }
    }
}

fn curved_normal<U: Scalar, T: Scalar>(
    [f, g]: [ConvexFeature; 2],
    a: &Core<U, T>,
    b: &Core<U, T>,
    across: Option<Vector3<T>>,
    guess: &Vector3<f64>,
) -> Option<Vector3<T>> {
    // The direction of the edge has unit length from here on, so that rows are of one size.
    let across = across.map(|d| {
        let length = T::norm_lifted(d.as_slice());
        d.map(|x| x.div_lifted(length))
    });
    let to = |x: &U| D::from(x.re());
    let (pose_a, pose_b) = (a.pose.cast(), b.pose.cast());
    let (a_d, b_d) = (
        Core {
            shape: a.shape,
            pose: &pose_a,
            to,
        },
        Core {
            shape: b.shape,
            pose: &pose_b,
            to,
        },
    );
    let across_d = across.map(|d| d.map(|x| D::from(x.re())));
    let first = Vector3::ith(guess.iamin(), 1.0).cross(guess).normalize();
    let basis = [first, guess.cross(&first)];
    let mut n = *guess;
    if let Some(d) = &across {
        let d = d.map(|x| x.re());
        n -= d * n.dot(&d);
        n = n.try_normalize(1e-3)?;
    }
    let mut inverse: Option<Matrix3<f64>> = None;
    for _ in 0..40 {
        let mut at = n.map(D::from);
        for (k, x) in at.iter_mut().enumerate() {
            *x = x.derivative(k);
        }
        let gap = a_d.point(f, &-at)? - b_d.point(g, &at)?;
        let r = residual(&gap, &at, across_d.as_ref(), &basis);
        let row = |k: usize| {
            r[k].eps
                .unwrap_generic(nalgebra::U3, nalgebra::U1)
                .transpose()
        };
        let jacobian = Matrix3::from_rows(&[row(0), row(1), row(2)]);
        inverse = jacobian
            .try_inverse()
            .filter(|m| m.amax() < 1e12 / jacobian.amax());
        let Some(inverse) = &inverse else { break };
        let step = inverse * r.map(|x| x.re);
        let step = step * (0.3 / step.norm()).min(1.0);
        n = (n - step).normalize();
        if step.norm() < 4.0 * f64::EPSILON {
            break;
        }
    }
    let mut normal = n.map(T::from);
    if let Some(inverse) = inverse {
        for _ in 0..T::NDERIV {
            let gap = a.point(f, &-normal)? - b.point(g, &normal)?;
            let r = residual(&gap, &normal, across.as_ref(), &basis).map(|x| x.infinitesimal());
            let correction = inverse.map(T::from) * r;
            normal = (normal - correction).zip_map(&n, |x, re| x.with_real(re));
        }
    }
    Some(normal)
}
