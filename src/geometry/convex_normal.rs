//! The contact normal of two features of convex shapes, and the contact along it.
//!
//! | features | normal |
//! |---|---|
//! | a face or a cap, and whatever is deepest under it; of what lies flat on a cap, the middle | that of the face |
//! | two edges, an edge and the side of a cylinder | perpendicular to both |
//! | a vertex and a vertex, or an edge | along the shortest line between them |
//! | a rim or the surface of an ellipsoid, and a vertex, an edge or another of these | a root, see below |
//!
//! Edges are those of the [core](super::convex_core): also the axes of capsules and of the sides of
//! cylinders.
//!
//! # Contact points
//! Edges touch where they cross, as seen along the normal. Parallel edges have no such point, and nearly parallel ones
//! may cross beside their ends: the middle of what they share, or its nearest end, is taken. So it is of an edge or
//! a disk that is flat on a cap: the point nearest to the middle of the cap, and the middle of what the disks share.
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

use super::ContactPoint;
use super::convex_core::{Constraint, Core};
use super::direction::length_and_direction;
use super::feature::ConvexFeature;
use crate::Scalar;
use nalgebra::{Matrix3, Vector3};
use num_dual::DualSVec64;

/// Edges with a smaller sine of the angle between them are parallel.
pub(crate) const PARALLEL: f64 = 1e-8;

/// A normal whose last correction is smaller is a root; otherwise it is taken as constant.
const ROOT: f64 = 1e-9;

/// A normal with a smaller sine of the angle to the axis of a rim is that of the cap,
const ALONG: f64 = 1e-8;

/// and one with a smaller sine than this says little of where on the rim it is.
const ABOUT_ALONG: f64 = 1e-2;

type D = DualSVec64<3>;

pub(crate) fn is_curved(feature: ConvexFeature) -> bool {
    matches!(feature, ConvexFeature::Rim(_) | ConvexFeature::Surface)
}

/// The contact of two features along their normal; `None` if the shapes do not have them.
pub(super) fn evaluate<U: Scalar, T: Scalar>(
    [f, g]: [ConvexFeature; 2],
    n: Vector3<T>,
    a: &Core<U, T>,
    b: &Core<U, T>,
) -> Option<ContactPoint<T>> {
    let (mut p, mut q) = (a.point(f, &-n)?, b.point(g, &n)?);
    let (r_a, r_b) = (a.radius(f), b.radius(g));
    let is_from_b = match (a.constraint(f)?, b.constraint(g)?) {
        (Constraint::Free, _) => false,
        (_, Constraint::Free) => true,
        (Constraint::Across(d), Constraint::Across(e)) => {
            p = beside(a.ends(f)?, b.ends(g)?);
            if are_parallel(&d, &e) {
                q = nearest(b.ends(g)?, &p);
            }
            false
        }
        (Constraint::Across(_), Constraint::Along(_)) => {
            p = nearest(a.ends(f)?, &q);
            false
        }
        (Constraint::Along(_), Constraint::Across(_)) => {
            q = nearest(b.ends(g)?, &p);
            true
        }
        (Constraint::Along(out), Constraint::Along(_)) => {
            let at = between_disks((p, a.disk_radius(f)?), (q, b.disk_radius(g)?), &n);
            p = at + n * out.dot(&(p - at)).div_lifted(out.dot(&n));
            false
        }
    };
    let gap = n.dot(&(p - q));
    let on_core = if is_from_b { q + n * gap } else { p };
    Some(ContactPoint::new(on_core - n * r_a, n, gap - r_a - r_b))
}

/// `x` where `low ≤ x ≤ high`, else the bound, by real parts.
fn clamped<T: Scalar>(x: T, low: T, high: T) -> T {
    match (x.re() < low.re(), x.re() > high.re()) {
        (true, _) => low,
        (_, true) => high,
        _ => x,
    }
}

/// The point of a segment that is nearest to a point.
fn nearest<T: Scalar>([from, to]: [Vector3<T>; 2], point: &Vector3<T>) -> Vector3<T> {
    let d = to - from;
    let t = d.dot(&(point - from)).div_lifted(d.dot(&d));
    from + d * clamped(t, T::zero(), T::one())
}

/// Where one segment is beside another, or the nearest point that is; the middle if they are parallel.
fn beside<T: Scalar>([p, p_end]: [Vector3<T>; 2], [q, q_end]: [Vector3<T>; 2]) -> Vector3<T> {
    let (d, e) = (p_end - p, q_end - q);
    let along = |x: &Vector3<T>| {
        let t = d.dot(&(x - p)).div_lifted(d.dot(&d));
        clamped(t, T::zero(), T::one())
    };
    let (mut low, mut high) = (along(&q), along(&q_end));
    if low.re() > high.re() {
        (low, high) = (high, low);
    }
    let t = if are_parallel(&d, &e) {
        (low + high) * 0.5
    } else {
        let m = across_both(&d, &e);
        let crossing = e.cross(&(p - q)).dot(&m).div_lifted(m.dot(&m));
        clamped(crossing, low, high)
    };
    p + d * t
}

/// The middle of what two disks, across `n`, share on the line through their centres.
fn between_disks<T: Scalar>(
    (center, radius): (Vector3<T>, T),
    (other, other_radius): (Vector3<T>, T),
    n: &Vector3<T>,
) -> Vector3<T> {
    let offset = other - center;
    let (length, u) = length_and_direction(&(offset - n * n.dot(&offset)), Vector3::zeros);
    let low = clamped(length - other_radius, -radius, radius);
    let high = clamped(length + other_radius, -radius, radius);
    center + u * ((low + high) * 0.5)
}

/// `d × e`, perpendicular to both to round-off however small the angle between them is.
fn across_both<T: Scalar>(d: &Vector3<T>, e: &Vector3<T>) -> Vector3<T> {
    (d - e * d.dot(e).div_lifted(e.dot(e))).cross(e)
}

fn are_parallel<T: Scalar>(d: &Vector3<T>, e: &Vector3<T>) -> bool {
    let (d, e) = (d.map(|x| x.re()), e.map(|x| x.re()));
    d.cross(&e).norm() < PARALLEL * d.norm() * e.norm()
}

/// The unit normal of two features, from B to A; `guess` is near it.
pub(super) fn normal_of<U: Scalar, T: Scalar>(
    features: [ConvexFeature; 2],
    a: &Core<U, T>,
    b: &Core<U, T>,
    guess: &dyn Fn() -> Vector3<f64>,
) -> Option<Vector3<T>> {
    let [f, g] = features;
    let across = match (a.constraint(f)?, b.constraint(g)?) {
        (_, Constraint::Along(n)) => return Some(n),
        (Constraint::Along(n), _) => return Some(-n),
        (Constraint::Across(d), Constraint::Across(e)) if !are_parallel(&d, &e) => {
            let m = across_both(&d, &e);
            let length = T::norm_lifted(m.as_slice());
            let lengths = d.map(|x| x.re()).norm() * e.map(|x| x.re()).norm();
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
        return curved_normal(features, a, b, across, &guess());
    }
    let z = Vector3::zeros();
    let mut between = a.point(f, &z)? - b.point(g, &z)?;
    if let Some(d) = across {
        // Of a point that is much nearer to the edge than to its ends, the first leaves round-off along the edge.
        for _ in 0..2 {
            between -= d * between.dot(&d).div_lifted(d.dot(&d));
        }
    }
    let fallback = || {
        let mut n = guess().map(T::from);
        if let Some(d) = across {
            n -= d * n.dot(&d).div_lifted(d.dot(&d));
        }
        length_and_direction(&n, Vector3::x).1
    };
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

fn seeded(n: &Vector3<f64>) -> Vector3<D> {
    let mut at = n.map(D::from);
    for (k, x) in at.iter_mut().enumerate() {
        *x = x.derivative(k);
    }
    at
}

/// The sine of the angle between a normal and the axis of a rim; `None` of other features.
fn sine_to_axis<U: Scalar>(
    core: &Core<U, D>,
    feature: ConvexFeature,
    n: &Vector3<f64>,
) -> Option<f64> {
    let axis = core.pose.rotation.column(2).map(|x| x.re);
    matches!(feature, ConvexFeature::Rim(_)).then(|| axis.cross(n).norm())
}

/// The outward normal at the point of a rim that is nearest to a point, instead of one that is about along the axis.
fn turned_along_rim<U: Scalar>(
    core: &Core<U, D>,
    rim: ConvexFeature,
    outward: &Vector3<f64>,
    point: &Vector3<f64>,
) -> Option<Vector3<f64>> {
    let sine = sine_to_axis(core, rim, outward).filter(|sine| *sine < ABOUT_ALONG)?;
    let axis = core.pose.rotation.column(2).map(|x| x.re);
    let from_center = point - core.pose.translation.map(|x| x.re);
    let across = (from_center - axis * axis.dot(&from_center)).try_normalize(f64::MIN_POSITIVE)?;
    Some((axis * axis.dot(outward) + across * sine.max(ALONG)).normalize())
}

/// The separation `n · g` of the features.
fn height(gap_of: &impl Fn(&Vector3<D>) -> Option<Vector3<D>>, n: &Vector3<f64>) -> Option<f64> {
    Some(gap_of(&n.map(D::from))?.map(|x| x.re).dot(n))
}

/// A unit vector with a larger separation `n · g` of the features than the one to start from, where it is largest
/// near by; perpendicular to `across`.
///
/// Newton's method on the sphere, with the moduli of the eigenvalues of the Hessian `∂g/∂n − (n · g) 1`, so that every
/// step leads upwards.
fn climb(
    gap_of: &impl Fn(&Vector3<D>) -> Option<Vector3<D>>,
    across: Option<Vector3<f64>>,
    mut n: Vector3<f64>,
) -> Option<Vector3<f64>> {
    for _ in 0..40 {
        let gap = gap_of(&seeded(&n))?;
        let g = gap.map(|x| x.re);
        let slopes = gap.map(|x| x.eps.unwrap_generic(nalgebra::U3, nalgebra::U1));
        let along = |i: &Vector3<f64>, j: &Vector3<f64>| {
            (0..3).fold(0.0, |sum, k| sum + i[k] * slopes[k].dot(j)) - i.dot(j) * g.dot(&n)
        };
        let first = match across {
            Some(d) => d.cross(&n),
            None => Vector3::ith(n.iamin(), 1.0).cross(&n).normalize(),
        };
        let second = n.cross(&first);
        let step = if across.is_some() {
            first * (first.dot(&g) / along(&first, &first).abs().max(f64::MIN_POSITIVE))
        } else {
            let mixed = 0.5 * (along(&first, &second) + along(&second, &first));
            let half = 0.5 * (along(&first, &first) - along(&second, &second));
            let turn = 0.5 * mixed.atan2(half);
            let axes = [
                first * turn.cos() + second * turn.sin(),
                second * turn.cos() - first * turn.sin(),
            ];
            axes.iter().fold(Vector3::zeros(), |sum, e| {
                sum + e * (e.dot(&g) / along(e, e).abs().max(f64::MIN_POSITIVE))
            })
        };
        let length = step.norm();
        if length.is_nan() || length < 1e-7 {
            break;
        }
        let mut step = step * (0.5 / length).min(1.0);
        let before = g.dot(&n);
        let mut next = None;
        for _ in 0..12 {
            let trial = (n + step).normalize();
            if height(gap_of, &trial)? > before {
                next = Some(trial);
                break;
            }
            step *= 0.3;
        }
        match next {
            Some(better) => n = better,
            None => break,
        }
    }
    Some(n)
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
    let gap_of = |at: &Vector3<D>| Some(a_d.point(f, &-at)? - b_d.point(g, at)?);
    if across.is_none() {
        let points = [
            a_d.point(f, &-n.map(D::from))?,
            b_d.point(g, &n.map(D::from))?,
        ];
        let [p, q] = points.map(|p| p.map(|x| x.re));
        for (core, rim, other, sign) in [(&a_d, f, &q, -1.0), (&b_d, g, &p, 1.0)] {
            let turned = turned_along_rim(core, rim, &(n * sign), other).map(|m| m * sign);
            if let Some(turned) = turned
                && height(&gap_of, &turned)? > height(&gap_of, &n)?
            {
                n = turned;
            }
        }
    }
    n = climb(&gap_of, across.map(|d| d.map(|x| x.re())), n)?;
    let (mut inverse, mut is_root) = (None, false);
    for _ in 0..8 {
        let at = seeded(&n);
        let gap = gap_of(&at)?;
        let r = residual(&gap, &at, across_d.as_ref(), &basis);
        let row = |k: usize| {
            r[k].eps
                .unwrap_generic(nalgebra::U3, nalgebra::U1)
                .transpose()
        };
        let jacobian = Matrix3::from_rows(&[row(0), row(1), row(2)]);
        inverse = jacobian
            .try_inverse()
            .filter(|m| m.amax() < 1e7 / jacobian.amax());
        let Some(inverse): &Option<Matrix3<f64>> = &inverse else {
            break;
        };
        let step = inverse * r.map(|x| x.re);
        is_root = step.norm() < ROOT;
        if step.norm() > 1e-3 {
            break;
        }
        n = (n - step).normalize();
        if step.norm() < 4.0 * f64::EPSILON {
            break;
        }
    }
    let is_of_cap = |core, rim| sine_to_axis(core, rim, &n).is_some_and(|sine| sine < ALONG);
    if across.is_none() && (is_of_cap(&a_d, f) || is_of_cap(&b_d, g)) {
        return None;
    }
    let mut normal = n.map(T::from);
    if let Some(inverse) = inverse.filter(|_| is_root) {
        for _ in 0..T::NDERIV {
            let gap = a.point(f, &-normal)? - b.point(g, &normal)?;
            let r = residual(&gap, &normal, across.as_ref(), &basis).map(|x| x.infinitesimal());
            let correction = inverse.map(T::from) * r;
            normal = (normal - correction).zip_map(&n, |x, re| x.with_real(re));
        }
    }
    Some(normal)
}
