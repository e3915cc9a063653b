//! Contact patches of flat faces of convex shapes: several contact points.
//!
//! The *reference* is the shape whose face (or cap, of a cylinder) has the normal of the contact, the *incident*
//! part is the part of the other shape that looks at it:
//!
//! | incident shape | outline of its part |
//! |---|---|
//! | box, convex polyhedron | the face at the deepest vertex that looks at the reference most |
//! | cylinder, standing within 45° | four points of the rim, the deepest one and those a quarter turn from it |
//! | cylinder, lying | the line between the deepest points of both rims |
//! | capsule | the line between the deepest points of both caps |
//!
//! Seen along the normal, the outline is clipped by that of the reference, of which a cap counts as the square on the
//! x and y axes of the cylinder. Every corner of what remains is a contact point of its own: a point of the
//! incident part, its distance from the plane of the reference, and its projection on it. Where two sides of the
//! incident outline meet it is a vertex; where a side of each does, the incident side crosses the plane through the
//! other along the normal; where two of the reference do, the normal through their vertex meets the plane of the
//! incident part.
//!
//! # Weights
//! Those of [faces of boxes](super::box_box_face): as much as the outline turns at the corner, in right angles,
//! measured in the plane of the incident part; 4 in all. The ends of a line weigh 1 each. Two faces that are about
//! parallel [share](super::flush_faces) the contact, each as the reference of a part of it.

use super::clipping::{Outline, clip};
use super::convex_core::{Constraint, Core};
use super::convex_part::Part;
use super::feature::{ConvexFeature, PatchSide};
use super::{ContactPoint, Shape, line_contact};
use crate::Scalar;
use arrayvec::ArrayVec;
use nalgebra::Vector3;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

/// Outlines with more corners do not meet here: together, what is left has no more than twice as many.
const CORNERS: usize = 64;

/// Corners beyond the outline of the reference by less, relative to its size, are on it.
const ON_OUTLINE: f64 = 1e-10;

impl<U: Scalar> Core<'_, U, f64> {
    /// The part that looks at a reference with the outward normal `n`.
    pub(super) fn incident(&self, n: &Vector3<f64>) -> Option<ConvexFeature> {
        match self.shape {
            Shape::Capsule { .. } => Some(ConvexFeature::Edge(0, 1)),
            Shape::Cylinder { .. } => {
                let along = self.pose.rotation.column(2).dot(n).abs();
                Some(match along > FRAC_1_SQRT_2 {
                    true => ConvexFeature::Cap(self.end(&-n)),
                    false => ConvexFeature::Side,
                })
            }
            Shape::Box { .. } | Shape::Convex { .. } => {
                let deepest = self.relative_support(&-n).0;
                let mut best = (f64::INFINITY, None);
                self.visit_features(&[deepest], &mut |feature| {
                    if let Some(Constraint::Along(out)) = self.constraint(feature)
                        && out.dot(n) < best.0
                    {
                        best = (out.dot(n), Some(feature));
                    }
                });
                best.1
            }
            _ => None,
        }
    }
}

/// Of two sides of an outline the one that follows the other: the number of the corner between them.
pub(crate) fn following(i: usize, j: usize, count: usize) -> Option<usize> {
    match (i, j) {
        _ if (i + 1) % count == j => Some(j),
        _ if (j + 1) % count == i => Some(i),
        _ => None,
    }
}

/// The contact of the incident part, in the role of A, at a corner of what two parts share; `None` if the sides do
/// not meet.
pub(super) fn contact_point<U: Scalar, T: Scalar>(
    reference: &Part<U, T>,
    incident: &Part<U, T>,
    corner: [PatchSide; 2],
) -> Option<ContactPoint<T>> {
    if reference.is_line() {
        return line_contact::contact_point(reference, incident, corner);
    }
    let n = reference.normal()?;
    let (of_reference, of_incident) = (reference.count()?, incident.count()?);
    let vertex = |k: usize| reference.corner(k, &n);
    let own = |k: usize| incident.corner(k, &n);
    let foot = vertex(0)?;
    let crossing = |i: usize, r: usize| {
        let (p, q, v) = (own(i)?, own(i + 1)?, vertex(r)?);
        let out = (vertex(r + 1)? - v).cross(&n);
        let slope = out.dot(&(q - p));
        if slope.re() == 0.0 {
            return None;
        }
        let t = out.dot(&(v - p)).div_lifted(slope);
        // Beyond an end of the side is round-off.
        let t = if (0.0..=1.0).contains(&t.re()) {
            t
        } else {
            T::from(t.re().clamp(0.0, 1.0))
        };
        Some(p + (q - p) * t)
    };
    let indices = corner.map(|side| match side {
        PatchSide::Reference(k) => k as usize % of_reference,
        PatchSide::Incident(k) | PatchSide::End(k) => k as usize % of_incident,
    });
    let [i, j] = indices;
    let p = match corner {
        [PatchSide::Incident(_), PatchSide::End(_)] if incident.is_line() => own(j)?,
        [PatchSide::Incident(_), PatchSide::Incident(_)] => own(following(i, j, of_incident)?)?,
        [PatchSide::Incident(_), PatchSide::Reference(_)] => crossing(i, j)?,
        [PatchSide::Reference(_), PatchSide::Incident(_)] => crossing(j, i)?,
        [PatchSide::Reference(_), PatchSide::Reference(_)] => {
            let v = vertex(following(i, j, of_reference)?)?;
            let face = incident.normal()?;
            v + n * face.dot(&(own(0)? - v)).div_lifted(face.dot(&n))
        }
        _ => return None,
    };
    let weight = if incident.is_line() {
        T::one()
    } else {
        let face = incident.normal()?;
        let out = |side: PatchSide, k: usize| {
            Some(match side {
                PatchSide::Reference(_) => {
                    let out = (vertex(k + 1)? - vertex(k)?).cross(&n);
                    out - face * face.dot(&out)
                }
                _ => (own(k + 1)? - own(k)?).cross(&face),
            })
        };
        let (one, other) = (out(corner[0], i)?, out(corner[1], j)?);
        let sine = T::norm_lifted(one.cross(&other).as_slice());
        sine.atan2_lifted(one.dot(&other)) * FRAC_2_PI
    };
    let height = n.dot(&(p - foot));
    Some(ContactPoint::new(p, n, height).weighted(weight))
}

/// What two parts share, seen along the normal of the reference.
pub(super) struct Patch {
    /// Corners in W, and the sides that follow them.
    corners: Outline<PatchSide, { 2 * CORNERS }>,
    is_line: bool,
    /// For each side of the reference a point on it and its outward unit normal.
    sides: ArrayVec<(Vector3<f64>, Vector3<f64>), CORNERS>,
    /// About the size of the reference.
    size: f64,
}

impl Patch {
    /// What two parts share; if that is nothing, about how far they are from it.
    pub(super) fn new<U: Scalar>(
        reference: &Part<U, f64>,
        incident: &Part<U, f64>,
    ) -> Result<Self, f64> {
        Self::clipped(reference, incident).unwrap_or(Err(f64::INFINITY))
    }

    /// `None` of parts that have no outlines.
    fn clipped<U: Scalar>(
        reference: &Part<U, f64>,
        incident: &Part<U, f64>,
    ) -> Option<Result<Self, f64>> {
        let n = reference.normal()?;
        let (num_sides, count) = (reference.count()?, incident.count()?);
        if num_sides > CORNERS || count > CORNERS {
            return None;
        }
        let mut patch = Patch {
            corners: Outline::new(),
            is_line: incident.is_line(),
            sides: ArrayVec::new(),
            size: (reference.corner(1, &n)? - reference.corner(0, &n)?).norm(),
        };
        for k in 0..count {
            let side = match patch.is_line {
                true => PatchSide::End(k as u8),
                false => PatchSide::Incident(k as u8),
            };
            patch.corners.push((incident.corner(k, &n)?, side));
        }
        for k in 0..num_sides {
            let (p, q) = (reference.corner(k, &n)?, reference.corner(k + 1, &n)?);
            let out = (q - p).cross(&n).try_normalize(f64::MIN_POSITIVE)?;
            patch.sides.push((p, out));
            let beyond = |(c, _): &(Vector3<f64>, PatchSide)| out.dot(&(c - p));
            let nearest = patch
                .corners
                .iter()
                .map(beyond)
                .fold(f64::INFINITY, f64::min);
            patch.clip(k);
            if patch.corners.is_empty() {
                return Some(Err(0.25 * nearest));
            }
        }
        Some(Ok(patch))
    }

    fn clip(&mut self, by: usize) {
        let (foot, out) = self.sides[by];
        // What is on the outline to round-off is inside.
        let tolerance = ON_OUTLINE * self.size;
        let beyond = |p: &Vector3<f64>| out.dot(&(p - foot)) - tolerance;
        let by = PatchSide::Reference(by as u8);
        if !self.is_line {
            clip(&mut self.corners, by, beyond);
            return;
        }
        let [(p, _), (q, _)] = [self.corners[0], self.corners[1]];
        let (from, to) = (beyond(&p), beyond(&q));
        if from > 0.0 && to > 0.0 {
            self.corners.clear();
        } else if (from > 0.0) != (to > 0.0) {
            let crossing = p + (q - p) * (from / (from - to));
            self.corners[usize::from(to > 0.0)] = (crossing, by);
        }
    }

    /// The corners, by the sides that meet there.
    pub(super) fn corners(&self) -> impl Iterator<Item = [PatchSide; 2]> + '_ {
        (0..self.corners.len()).map(|index| {
            let side = self.corners[index].1;
            match self.is_line {
                true => [PatchSide::Incident(0), side],
                false => [
                    self.corners[(index + self.corners.len() - 1) % self.corners.len()].1,
                    side,
                ],
            }
        })
    }

    /// About how far the nearest side is from a corner that it does not meet: where it meets it, the outline changes.
    pub(super) fn margin(&self) -> f64 {
        let mut least = f64::INFINITY;
        for index in 0..self.corners.len() {
            let (p, after) = self.corners[index];
            let before = self.corners[(index + self.corners.len() - 1) % self.corners.len()].1;
            for (k, (foot, out)) in self.sides.iter().enumerate() {
                let side = PatchSide::Reference(k as u8);
                if side != after && (self.is_line || side != before) {
                    least = least.min(0.25 * out.dot(&(p - foot)).abs());
                }
            }
        }
        least
    }
}
