//! Rates of the contact points and normals of convex shapes.
//!
//! The contacts of [`convex_pair`](crate::geometry::convex_pair) with their rates. What is fixed on a body moves with it; a
//! point of a rim or an ellipsoid also moves over it as the normal turns. The rate of the normal of such features is that
//! at which the equations that [they solve](crate::geometry::convex_normal) stay satisfied; they are linear in it.

use super::contact_motion::{MovingContact, MovingShape};
use super::moving_vector::{MovingFrame, MovingScalar, MovingVector};
use crate::Scalar;
use crate::geometry::convex_core::{Constraint, Core, core};
use crate::geometry::convex_normal::{PARALLEL, is_curved};
use crate::geometry::{ConvexFeature, Shape};
use crate::math::RigidTransform;
use nalgebra::{Matrix3, Vector3};

/// A convex shape that moves.
pub(super) struct MovingCore<'a, T: Scalar> {
    pub core: Core<'a, T, T>,
    pub frame: &'a MovingFrame<T>,
}

impl<'a, T: Scalar> MovingCore<'a, T> {
    pub fn new((shape, frame): &'a MovingShape<'a, T>, pose: &'a RigidTransform<T>) -> Self {
        let core = core(shape, pose);
        MovingCore { core, frame }
    }

    /// The point of a feature with the outward normal `n`, as that of the core.
    pub fn point(&self, feature: ConvexFeature, n: &MovingVector<T>) -> Option<MovingVector<T>> {
        let at = self.core.point(feature, &n.at)?;
        let carried = self.frame.carried(&at);
        let [x, y, z] = [0, 1, 2].map(|k| self.frame.axis(k));
        Some(match (feature, self.core.shape) {
            (ConvexFeature::Rim(end), &Shape::Cylinder { radius, length }) => {
                let (_, away) = (*n - z * z.dot(n)).length_and_direction(&x);
                self.frame.origin + z * (length * (0.5 * end.sign())) + away * radius
            }
            (ConvexFeature::Surface, Shape::Ellipsoid { semi_axes }) => {
                let [a, b, c] = [0, 1, 2].map(|k| semi_axes[k]);
                let along = |axis: MovingVector<T>, d: T| axis * axis.dot(n) * d;
                let scaled = along(x, a) + along(y, b) + along(z, c);
                let (_, u) = scaled.length_and_direction(&x);
                let along = |axis: MovingVector<T>, d: T| axis * axis.dot(&u) * d;
                self.frame.origin + along(x, a) + along(y, b) + along(z, c)
            }
            _ => carried,
        })
    }

    fn ends(&self, feature: ConvexFeature) -> Option<[MovingVector<T>; 2]> {
        Some(self.core.ends(feature)?.map(|end| self.frame.carried(&end)))
    }

    /// As that of the core; directions turn with the body.
    pub fn constraint(&self, feature: ConvexFeature) -> Option<Constraint<MovingVector<T>>> {
        let turned = |d| self.frame.turned(d);
        Some(match self.core.constraint(feature)? {
            Constraint::Free => Constraint::Free,
            Constraint::Across(d) => Constraint::Across(turned(d)),
            Constraint::Along(d) => Constraint::Along(turned(d)),
        })
    }
}

/// The contact of two features along their normal, of which `normal` is the value.
pub(super) fn convex_contact<T: Scalar>(
    [f, g]: [ConvexFeature; 2],
    normal: &Vector3<T>,
    a: &MovingCore<'_, T>,
    b: &MovingCore<'_, T>,
) -> Option<MovingContact<T>> {
    let n = MovingVector {
        at: *normal,
        rate: rate_of_normal([f, g], normal, a, b)?,
    };
    let (mut p, mut q) = (a.point(f, &-n)?, b.point(g, &n)?);
    let (r_a, r_b) = (a.core.radius(f), b.core.radius(g));
    let is_from_b = match (a.constraint(f)?, b.constraint(g)?) {
        (Constraint::Free, _) => false,
        (_, Constraint::Free) => true,
        (Constraint::Across(_), Constraint::Across(_)) => {
            p = beside(a.ends(f)?, b.ends(g)?);
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
            let disks = [(p, a.core.disk_radius(f)?), (q, b.core.disk_radius(g)?)];
            let at = between_disks(disks, &n);
            p = at + n * (out.dot(&(p - at)) / out.dot(&n));
            false
        }
    };
    let gap = n.dot(&(p - q));
    let on_core = if is_from_b { q + n * gap } else { p };
    let distance = gap - MovingScalar::constant(r_a + r_b);
    Some(MovingContact::new(on_core - n * r_a, n, distance))
}

/// The rate of the normal `n` of two features.
fn rate_of_normal<T: Scalar>(
    [f, g]: [ConvexFeature; 2],
    n: &Vector3<T>,
    a: &MovingCore<'_, T>,
    b: &MovingCore<'_, T>,
) -> Option<Vector3<T>> {
    let along = |direction: MovingVector<T>| {
        let sign = if direction.at.dot(n).re() < 0.0 {
            -T::one()
        } else {
            T::one()
        };
        direction.rate * sign
    };
    let across = match (a.constraint(f)?, b.constraint(g)?) {
        // Of two, that of B counts, as for the normal.
        (_, Constraint::Along(d)) | (Constraint::Along(d), _) => return Some(along(d)),
        (Constraint::Across(d), Constraint::Across(e)) if !are_parallel(&d.at, &e.at) => {
            let [d, e] = [d, e].map(|edge| edge.length_and_direction(&edge).1);
            return Some(along(d.cross(&e).length_and_direction(&d).1));
        }
        (Constraint::Across(d), _) | (_, Constraint::Across(d)) => Some(d),
        (Constraint::Free, Constraint::Free) => None,
    };
    if is_curved(f) || is_curved(g) {
        return rate_of_curved_normal([f, g], n, (a, b), across);
    }
    let still = MovingVector::constant(*n);
    let mut between = a.point(f, &-still)? - b.point(g, &still)?;
    if let Some(d) = across {
        between = between - d * (between.dot(&d) / d.dot(&d));
    }
    // Where it vanishes the normal is one that stays with B.
    let fallback = b.frame.turned(*n);
    Some(along(between.length_and_direction(&fallback).1))
}

/// The equations hold for `F(n, ṅ) = F(n, 0) + J ṅ = 0`; where they are singular the normal stays, as in the pair.
fn rate_of_curved_normal<T: Scalar>(
    [f, g]: [ConvexFeature; 2],
    n: &Vector3<T>,
    (a, b): (&MovingCore<'_, T>, &MovingCore<'_, T>),
    across: Option<MovingVector<T>>,
) -> Option<Vector3<T>> {
    let across = across.map(|d| d.length_and_direction(&d).1);
    let real = n.map(|x| x.re());
    let first = Vector3::ith(real.iamin(), 1.0).cross(&real).normalize();
    let basis = [first, real.cross(&first)].map(|e| MovingVector::constant(e.map(T::from)));
    let residual = |rate: Vector3<T>| -> Option<Vector3<T>> {
        let n = MovingVector { at: *n, rate };
        let gap = a.point(f, &-n)? - b.point(g, &n)?;
        let [x, y] = match &across {
            Some(d) => [gap.dot(&n.cross(d)), n.dot(d)],
            None => basis.map(|e| gap.cross(&n).dot(&e)),
        };
        Some(Vector3::new(x.rate, y.rate, n.at.dot(&n.rate)))
    };
    let at_rest = residual(Vector3::zeros())?;
    let mut jacobian = Matrix3::zeros();
    for k in 0..3 {
        jacobian.set_column(k, &(residual(Vector3::ith(k, T::one()))? - at_rest));
    }
    let size = jacobian.map(|x| x.re()).amax();
    let inverse = (jacobian.try_inverse()).filter(|m| m.map(|x| x.re()).amax() < 1e7 / size);
    Some(inverse.map_or_else(Vector3::zeros, |inverse| -(inverse * at_rest)))
}

fn are_parallel<T: Scalar>(d: &Vector3<T>, e: &Vector3<T>) -> bool {
    let (d, e) = (d.map(|x| x.re()), e.map(|x| x.re()));
    d.cross(&e).norm() < PARALLEL * d.norm() * e.norm()
}

fn clamped<T: Scalar>(
    x: MovingScalar<T>,
    low: MovingScalar<T>,
    high: MovingScalar<T>,
) -> MovingScalar<T> {
    match (x.at.re() < low.at.re(), x.at.re() > high.at.re()) {
        (true, _) => low,
        (_, true) => high,
        _ => x,
    }
}

/// How far along a segment a point is, from 0 to 1.
fn along<T: Scalar>([from, to]: &[MovingVector<T>; 2], point: &MovingVector<T>) -> MovingScalar<T> {
    let d = *to - *from;
    let [zero, one] = [T::zero(), T::one()].map(MovingScalar::constant);
    clamped(d.dot(&(*point - *from)) / d.dot(&d), zero, one)
}

fn nearest<T: Scalar>(ends: [MovingVector<T>; 2], point: &MovingVector<T>) -> MovingVector<T> {
    ends[0] + (ends[1] - ends[0]) * along(&ends, point)
}

fn beside<T: Scalar>(one: [MovingVector<T>; 2], other: [MovingVector<T>; 2]) -> MovingVector<T> {
    let ([p, p_end], [q, q_end]) = (one, other);
    let (d, e) = (p_end - p, q_end - q);
    let (mut low, mut high) = (along(&one, &q), along(&one, &q_end));
    if low.at.re() > high.at.re() {
        (low, high) = (high, low);
    }
    let t = if are_parallel(&d.at, &e.at) {
        (low + high) * MovingScalar::constant(T::from(0.5))
    } else {
        let m = d.cross(&e);
        clamped(e.cross(&(p - q)).dot(&m) / m.dot(&m), low, high)
    };
    p + d * t
}

fn between_disks<T: Scalar>(
    [(center, radius), (other, other_radius)]: [(MovingVector<T>, T); 2],
    n: &MovingVector<T>,
) -> MovingVector<T> {
    let offset = other - center;
    let none = MovingVector::constant(Vector3::zeros());
    let (length, u) = (offset - *n * n.dot(&offset)).length_and_direction(&none);
    let [least, most, reach] = [-radius, radius, other_radius].map(MovingScalar::constant);
    let (low, high) = (
        clamped(length - reach, least, most),
        clamped(length + reach, least, most),
    );
    center + u * ((low + high) * MovingScalar::constant(T::from(0.5)))
}
