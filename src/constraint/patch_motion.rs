//! Rates of the corners of contact patches between flat faces of convex shapes.
//!
//! The contacts of [`convex_patch`](crate::geometry::convex_patch) and [`line_contact`](crate::geometry::line_contact)
//! with their rates.

use super::contact_motion::MovingContact;
use super::convex_motion::{MovingCore, convex_contact};
use super::moving_vector::{MovingScalar, MovingVector};
use crate::Scalar;
use crate::geometry::convex_core::Constraint;
use crate::geometry::convex_part::Part;
use crate::geometry::convex_patch::following;
use crate::geometry::cylinder_half_space::STANDING;
use crate::geometry::{ConvexFeature, End, PatchSide, Shape, line_contact};

/// A flat part of a shape that moves.
pub(super) struct MovingPart<'a, T: Scalar> {
    pub of: &'a MovingCore<'a, T>,
    pub feature: ConvexFeature,
}

impl<T: Scalar> MovingPart<'_, T> {
    fn part(&self) -> Part<'_, '_, T, T> {
        let (core, feature) = (&self.of.core, self.feature);
        Part { core, feature }
    }

    fn normal(&self) -> Option<MovingVector<T>> {
        match self.of.constraint(self.feature)? {
            Constraint::Along(n) => Some(n),
            _ => None,
        }
    }

    fn corner(&self, index: usize, n: &MovingVector<T>) -> Option<MovingVector<T>> {
        let frame = self.of.frame;
        Some(match (self.feature, self.of.core.shape) {
            (ConvexFeature::Cap(end), &Shape::Cylinder { radius, length }) => {
                let (x, z) = (frame.axis(0), frame.axis(2));
                let (sine, mut u) = (z * z.dot(n) - *n).length_and_direction(&x);
                if sine.at.re() < STANDING {
                    u = x;
                }
                let v = z.cross(&u) * T::from(end.sign());
                let turned = [u, v, -u, -v][index % 4];
                frame.origin + z * (length * (0.5 * end.sign())) + turned * radius
            }
            (ConvexFeature::Side, _) => self
                .of
                .point(ConvexFeature::Rim(End::ALL[index % 2]), &-*n)?,
            (ConvexFeature::Edge(..), &Shape::Capsule { radius, .. }) => {
                let center = self
                    .of
                    .point(ConvexFeature::Vertex((index % 2) as u32), n)?;
                center - *n * radius
            }
            _ => frame.carried(&self.part().corner(index, &n.at)?),
        })
    }
}

/// The contact of the incident part, in the role of A, at a corner.
pub(super) fn patch_contact<T: Scalar>(
    reference: &MovingPart<'_, T>,
    incident: &MovingPart<'_, T>,
    corner: [PatchSide; 2],
) -> Option<MovingContact<T>> {
    if reference.part().is_line() {
        return line_contact(reference, incident, corner);
    }
    let n = reference.normal()?;
    let (of_reference, of_incident) = (reference.part().count()?, incident.part().count()?);
    let vertex = |k: usize| reference.corner(k, &n);
    let own = |k: usize| incident.corner(k, &n);
    let crossing = |i: usize, r: usize| {
        let (p, q, v) = (own(i)?, own(i + 1)?, vertex(r)?);
        let out = (vertex(r + 1)? - v).cross(&n);
        let slope = out.dot(&(q - p));
        if slope.at.re() == 0.0 {
            return None;
        }
        let mut t = out.dot(&(v - p)) / slope;
        if !(0.0..=1.0).contains(&t.at.re()) {
            t = MovingScalar::constant(T::from(t.at.re().clamp(0.0, 1.0)));
        }
        Some(p + (q - p) * t)
    };
    let [i, j] = corner.map(|side| match side {
        PatchSide::Reference(k) => k as usize % of_reference,
        PatchSide::Incident(k) | PatchSide::End(k) => k as usize % of_incident,
    });
    let p = match corner {
        [PatchSide::Incident(_), PatchSide::End(_)] if incident.part().is_line() => own(j)?,
        [PatchSide::Incident(_), PatchSide::Incident(_)] => own(following(i, j, of_incident)?)?,
        [PatchSide::Incident(_), PatchSide::Reference(_)] => crossing(i, j)?,
        [PatchSide::Reference(_), PatchSide::Incident(_)] => crossing(j, i)?,
        [PatchSide::Reference(_), PatchSide::Reference(_)] => {
            let v = vertex(following(i, j, of_reference)?)?;
            let face = incident.normal()?;
            v + n * (face.dot(&(own(0)? - v)) / face.dot(&n))
        }
        _ => return None,
    };
    let foot = vertex(0)?;
    let height = n.dot(&(p - foot));
    Some(MovingContact::new(p, n, height))
}

/// The contact at an end of the incident side, in the role of A, or where sides along each other cross.
fn line_contact<T: Scalar>(
    reference: &MovingPart<'_, T>,
    incident: &MovingPart<'_, T>,
    corner: [PatchSide; 2],
) -> Option<MovingContact<T>> {
    let (on, of) = (reference.part(), incident.part());
    let contact = line_contact::contact_point(&on, &of, corner)?;
    let features = [line_contact::touching_feature(&of, corner), on.feature];
    convex_contact(features, &contact.nhat_BA_W, incident.of, reference.of)
}
