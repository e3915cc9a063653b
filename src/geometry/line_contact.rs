//! Contacts of parallel sides of capsules and cylinders along a line.
//!
//! Two sides touch along a line while their axes are parallel, and in the point where these cross otherwise. The line
//! has a contact point at each of its ends, as a [line on a face](super::convex_patch) has, of weight 1: the end of
//! whichever axis ends first, as a cap of a capsule or a point on a rim, on the side of the other shape. Where the
//! [common normal](super::common_normal) of the axes meets both, the sides touch there as well, with a weight that is
//! theirs as the ends rise. With the distance `d` of the axes, that of an end from where they cross `x`, the sine `σ` of
//! the angle between them and the depth `δ = r_A + r_B − d`, an end is higher than the crossing by a part
//!
//! ```text
//! y = (√(d² + σ² x²) − d)/√(δ² + t²)
//! ```
//!
//! of the depth, or of a thousandth `t` of the smaller radius if that is more; the crossing weighs the product of
//! `h(y) = y² (3 − 2 y)`, 1 for `y > 1`, over the four ends. So force and moment are continuously differentiable
//! where axes become parallel and where the crossing passes an end. Where another axis ends first the point of contact
//! moves to the other shape, without a jump of parallel sides and with one of second order in the angle of others.

use super::common_normal::{CommonNormal, PARALLEL, common_normal};
use super::convex_core::Core;
use super::convex_normal::{evaluate, normal_of};
use super::convex_part::Part;
use super::direction::length_and_direction;
use super::feature::{ConvexFeature, End, PatchSide};
use super::{ContactPoint, Shape, Witness};
use crate::{Scalar, math::RigidTransform};
use arrayvec::ArrayVec;
use nalgebra::Vector3;

/// By how much, relative to the smaller radius, ends that touch may be higher than where the sides cross, and the
/// contacts of sides than the shapes are apart.
const FLAT: f64 = 1e-3;

/// Axes with a smaller cosine of the angle between them cross in a point only.
const ALONG: f64 = 0.5;

/// Contact points that are less beside a side, relative to its length, are on it.
const ON_SIDE: f64 = 1e-10;

/// A corner that stands for where the sides cross.
const CROSSES: [PatchSide; 2] = [PatchSide::Incident(0), PatchSide::Reference(0)];

/// The axis of a capsule or a cylinder in W, with the radius around it.
pub(super) struct Axis<T> {
    pub(super) center: Vector3<T>,
    /// Unit vector.
    pub(super) direction: Vector3<T>,
    pub(super) half: T,
    pub(super) radius: T,
    /// Of the flat end of a cylinder, else 0.
    disk_radius: T,
}

impl<T: Scalar> Axis<T> {
    pub(super) fn new((radius, length): (T, T), pose: &RigidTransform<T>) -> Self {
        Axis {
            center: pose.translation,
            direction: pose.rotation.column(2).into_owned(),
            half: length * 0.5,
            radius,
            disk_radius: T::zero(),
        }
    }

    fn of<U: Scalar>(core: &Core<U, T>) -> Option<Self> {
        let axis = |r: &U, l: &U| Axis::new(((core.to)(r), (core.to)(l)), core.pose);
        match core.shape {
            Shape::Capsule { radius, length } => Some(axis(radius, length)),
            Shape::Cylinder { radius, length } => Some(Axis {
                disk_radius: (core.to)(radius),
                ..axis(radius, length)
            }),
            _ => None,
        }
    }

    /// The centre of an end.
    fn end(&self, end: End) -> Vector3<T> {
        self.center + self.direction * (self.half * end.sign())
    }

    fn across(&self, v: &Vector3<T>) -> Vector3<T> {
        v - self.direction * self.direction.dot(v)
    }

    /// How far from an end, towards the middle, a point is.
    fn inside(&self, end: End, p: &Vector3<T>) -> T {
        self.half - self.direction.dot(&(p - self.center)) * end.sign()
    }

    pub(super) fn common_normal(&self, b: &Self) -> CommonNormal<T> {
        let (p, q) = (&self.center, &b.center);
        common_normal((p, &self.direction), (q, &b.direction), &(p - q))
    }

    /// The weight of the contact where the sides cross.
    pub(super) fn share_of_crossing(&self, b: &Self) -> T {
        let normal = self.common_normal(b);
        let sine = T::norm_lifted(self.direction.cross(&b.direction).as_slice());
        let apart = normal.distance.abs_lifted();
        let depth = apart - self.radius - b.radius;
        let flat = self.radius.min_lifted(b.radius) * FLAT;
        let allowed = T::soft_norm(&[depth], flat);
        let lifted = |way: T| {
            let rise = T::norm_lifted(&[apart, way * sine]) - apart;
            let y = rise.div_lifted(allowed);
            if y.re() < 1.0 {
                y * y * (-y * 2.0 + 3.0)
            } else {
                T::one()
            }
        };
        lifted(self.half - normal.s)
            * lifted(self.half + normal.s)
            * lifted(b.half - normal.t)
            * lifted(b.half + normal.t)
    }
}

impl Axis<f64> {
    /// Where the common normal meets both axes, if it does.
    pub(super) fn crossing(&self, b: &Self) -> Option<CommonNormal<f64>> {
        if self.direction.cross(&b.direction).norm() < PARALLEL {
            return None;
        }
        let normal = self.common_normal(b);
        let is_met = normal.s.abs() <= self.half && normal.t.abs() <= b.half;
        is_met.then_some(normal)
    }

    /// The end of B that is on the same side as an end of this axis, how far inside of B this end is, and how far
    /// inside of this axis that one.
    pub(super) fn opposite(&self, end: End, b: &Self) -> (End, f64, f64) {
        let is_turned = self.direction.dot(&b.direction) < 0.0;
        let other = match (end, is_turned) {
            (End::Lower, false) | (End::Upper, true) => End::Lower,
            _ => End::Upper,
        };
        let in_b = b.inside(other, &self.point_towards(b, end));
        let in_a = self.inside(end, &b.point_towards(self, other));
        (other, in_b, in_a)
    }

    /// The centre of a rounded end; of a flat one the point of its rim that looks at another axis.
    fn point_towards(&self, other: &Self, end: End) -> Vector3<f64> {
        let center = self.end(end);
        let away = self.across(&other.across(&(center - other.center)));
        let n = away.try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
        center - n * self.disk_radius
    }
}

/// Calls `visit` with the contacts of sides along each other, if the deepest of them is about at the distance of the
/// shapes. Returns how far the nearest change is.
pub(super) fn visit_contact_features<U: Scalar>(
    a: &Core<U, f64>,
    b: &Core<U, f64>,
    distance: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> Option<f64> {
    let (of_a, of_b) = (Axis::of(a)?, Axis::of(b)?);
    if of_a.radius.min(of_b.radius) <= 0.0 {
        return None;
    }
    let cosine = of_a.direction.dot(&of_b.direction).abs();
    let mut change = (cosine - ALONG) * of_a.half.min(of_b.half);
    let mut shared = 0.0;
    let mut corners = ArrayVec::<_, 3>::new();
    for end in End::ALL {
        let (other, in_b, in_a) = of_a.opposite(end, &of_b);
        let on_first = in_a > in_b;
        shared += of_a.half - if on_first { in_a } else { 0.0 };
        change = change.min(0.25 * (in_a - in_b).abs());
        let of = if on_first { other } else { end };
        corners.push((on_first, [PatchSide::Incident(0), PatchSide::End(of as u8)]));
    }
    change = change.min(0.5 * shared);
    if change < 0.0 {
        return None;
    }
    if of_a.crossing(&of_b).is_some() {
        corners.push((false, CROSSES));
    }
    let part = |core: &Core<U, f64>| match core.shape {
        Shape::Cylinder { .. } => ConvexFeature::Side,
        _ => ConvexFeature::Edge(0, 1),
    };
    let parts = [part(a), part(b)];
    let mut contacts = ArrayVec::<_, 3>::new();
    // A rim of a tilted cylinder is beside that at the end of another by the tilt times the depth, and beside a cap by up
    // to the tilt times its radius, where none of the two ends is on the side of the other shape. With more tilt than
    // takes the depth over the length they are not both deep.
    let sine = of_a.direction.cross(&of_b.direction).norm();
    let depth = (-distance).max(0.0);
    let tilt = sine.min(depth / of_a.half.min(of_b.half));
    let beside_cap = tilt * of_a.disk_radius.max(of_b.disk_radius);
    let radius = of_a.radius.min(of_b.radius);
    let beside = (sine * depth + beside_cap).min(FLAT * radius);
    let tolerance = ON_SIDE * (of_a.half + of_b.half) + beside;
    for (on_first, corner) in corners {
        let [a, b] = [(a, parts[0]), (b, parts[1])].map(|(core, feature)| Part { core, feature });
        let (reference, incident) = if on_first { (a, b) } else { (b, a) };
        let contact = contact_point(&reference, &incident, corner)?;
        let (on, of) = if on_first {
            (&of_a, &of_b)
        } else {
            (&of_b, &of_a)
        };
        // Where axes meet the normal is singular.
        let apart = match corner[1] {
            PatchSide::End(k) => {
                let along = on.direction.dot(&(contact.p_WCb - on.center)).abs();
                change = change.min(0.5 * (on.half + tolerance - along));
                let end = of.end(End::ALL[usize::from(k)]);
                on.across(&(end - on.center)).norm()
            }
            _ => of_a.common_normal(&of_b).distance.abs(),
        };
        change = change.min(apart);
        let witness = Witness::ConvexPatch {
            parts,
            on_first,
            corner,
            is_shared: false,
        };
        contacts.push((witness, -contact.penetration));
    }
    let lowest = contacts.iter().fold(f64::INFINITY, |low, c| low.min(c.1));
    // Other features become nearer with the square of the way.
    let way = FLAT.sqrt() - ((lowest - distance).abs() / radius).sqrt();
    change = change.min(0.5 * radius * way);
    if change < 0.0 || distance < 0.0 && lowest >= 0.0 {
        return None;
    }
    contacts
        .into_iter()
        .for_each(|(w, height)| visit(w, height));
    Some(change)
}

/// What of the incident side touches: an end, or all of it where the sides cross.
pub(crate) fn touching_feature<U: Scalar, T: Scalar>(
    incident: &Part<U, T>,
    corner: [PatchSide; 2],
) -> ConvexFeature {
    match (corner[1], incident.core.shape) {
        (PatchSide::End(k), Shape::Cylinder { .. }) => {
            ConvexFeature::Rim(End::ALL[usize::from(k % 2)])
        }
        (PatchSide::End(k), _) => ConvexFeature::Vertex(u32::from(k % 2)),
        _ => incident.feature,
    }
}

/// The contact at an end of the incident side, in the role of A, or where the sides cross.
pub(crate) fn contact_point<U: Scalar, T: Scalar>(
    reference: &Part<U, T>,
    incident: &Part<U, T>,
    corner: [PatchSide; 2],
) -> Option<ContactPoint<T>> {
    let (a, b) = (incident.core, reference.core);
    let (of_a, of_b) = (Axis::of(a)?, Axis::of(b)?);
    let (end, weight) = match corner[1] {
        PatchSide::End(k) => (End::ALL[usize::from(k % 2)], T::one()),
        _ => (End::Lower, of_a.share_of_crossing(&of_b)),
    };
    let guess = || {
        let between = of_b.across(&(of_a.end(end) - of_b.center));
        let x = || b.pose.rotation.column(0).into_owned();
        length_and_direction(&between, x).1.map(|x| x.re())
    };
    let features = [touching_feature(incident, corner), reference.feature];
    let normal = normal_of(features, a, b, &guess)?;
    Some(evaluate(features, normal, a, b)?.weighted(weight))
}
