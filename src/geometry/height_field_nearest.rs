//! The point of a height field that is nearest to a point.
//!
//! From a point above the surface every local minimum of the distance counts: faces with the foot of the point on
//! them, edges and vertices that stick out towards it. Below the surface the nearest point of the surface is the one
//! that counts. The direction from a point `q` to where it is nearest, `e`, is then the normal `±(q − e)/‖q − e‖`, which
//! turns continuously as the point moves over an edge.
//!
//! Neighbouring faces in one plane, to within 10⁻⁶ rad, are one: a foot on the edge between them is on one of them.

use super::feature::FieldFeature;
use super::{HeightField, height_field_crease};
use crate::Scalar;
use nalgebra::{Vector2, Vector3};

/// Points nearer to an edge are on it, relative to the coordinates.
const ON_EDGE: f64 = 1e-12;

/// Normals that differ by less are those of one plane.
const SAME_PLANE: f64 = 1e-6;

/// Where a point is nearest.
pub(super) struct Nearest {
    pub(super) feature: FieldFeature,
    /// From the surface, negative below it.
    pub(super) distance: f64,
    /// How far the point may move along the surface until other features are nearest.
    pub(super) room: f64,
}

/// The foot of a point on a face.
pub(super) struct Foot {
    /// How far the point is from where this changes.
    pub(super) room: f64,
    /// The sides of the face, [creases](super::height_field_crease), that it is beyond.
    pub(super) beyond: [bool; 3],
}

impl Foot {
    pub(super) fn with_room(room: f64) -> Self {
        let beyond = [false; 3];
        Foot { room, beyond }
    }
}

/// A face in `f64`.
pub(super) struct Facet {
    pub(super) normal: Vector3<f64>,
    corners: [Vector3<f64>; 3],
}

impl Facet {
    /// How far a point is inside of a side, along the face.
    fn inside(&self, side: usize, q: &Vector3<f64>) -> f64 {
        let (from, to) = (self.corners[side], self.corners[(side + 1) % 3]);
        let inward = self.normal.cross(&(to - from)).normalize();
        inward.dot(&(q - from))
    }
}

fn direction(v: Vector3<f64>) -> (Vector3<f64>, f64) {
    let length = v.norm();
    (v / length, length)
}

impl<T: Scalar> HeightField<T> {
    /// A face in `f64`, if there is one of that number.
    pub(super) fn facet(&self, face: u32) -> Option<Facet> {
        let corners = self.face(face)?.map(|vertex| self.real(vertex));
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a)).normalize();
        Some(Facet { normal, corners })
    }

    /// Whether a point is below the surface; never beside the field.
    pub(super) fn is_below(&self, q: &Vector3<f64>) -> bool {
        q.z <= self.range()[1] && self.height_at(q.x, q.y).is_some_and(|height| q.z < height)
    }

    fn tolerance(&self, q: &Vector3<f64>) -> f64 {
        ON_EDGE * (q.amax() + self.spacing().x.re() + self.spacing().y.re())
    }

    /// The foot of a point that is on a face, and not on a neighbour in the same plane; with creases, also of one between
    /// the normals of this face and its neighbour.
    pub(super) fn foot(
        &self,
        face: u32,
        facet: &Facet,
        q: &Vector3<f64>,
        with_creases: bool,
    ) -> Option<Foot> {
        let tolerance = self.tolerance(q);
        let (mut room, mut beyond) = (f64::INFINITY, [false; 3]);
        for (side, is_beyond) in beyond.iter_mut().enumerate() {
            let inside = facet.inside(side, q);
            if inside < -tolerance {
                let [own, other] = (with_creases && self.is_crease(self.edges(face)[side]))
                    .then(|| height_field_crease::inside(self, |x| x.re(), (face, side), q))??;
                if own >= 0.0 || other >= -tolerance {
                    return None;
                }
                *is_beyond = true;
                room = room.min(-own).min(-other);
                continue;
            }
            if inside > room {
                continue;
            }
            let next = self.opposite(face, side);
            let is_flat = next.is_some_and(|next| {
                (self.facet(next)).is_some_and(|n| (n.normal - facet.normal).norm() < SAME_PLANE)
            });
            if !is_flat {
                room = inside.max(0.0);
            } else if inside <= tolerance && next < Some(face) {
                return None;
            }
        }
        Some(Foot { room, beyond })
    }

    /// How far a point is beyond creases at sides of a face, if it is beyond nothing else.
    fn beyond_creases(&self, face: u32, facet: &Facet, q: &Vector3<f64>) -> Option<f64> {
        let mut beyond = None;
        for (side, edge) in self.edges(face).into_iter().enumerate() {
            let inside = facet.inside(side, q);
            if inside >= 0.0 {
                continue;
            }
            if !self.is_crease(edge) {
                return None;
            }
            beyond = Some(beyond.unwrap_or(0.0_f64).max(-inside));
        }
        beyond
    }

    /// Calls `visit` with where a point, in the frame of the field, is nearest, up to a distance if it is above; at the
    /// border from above only, or from all sides. Returns how far the point above may move until it is above a face across
    /// a crease, that is as near.
    pub(super) fn visit_nearest(
        &self,
        q: &Vector3<f64>,
        (reach, from_all_sides): (f64, bool),
        visit: &mut dyn FnMut(Nearest),
    ) -> f64 {
        if !self.is_below(q) {
            if q.z - reach > self.range()[1] {
                return f64::INFINITY;
            }
            return self.visit_local_minima(q, reach, (false, from_all_sides), visit);
        }
        // No further than straight up.
        let reach = self.height_at(q.x, q.y).unwrap_or(q.z) - q.z;
        let (mut best, mut second) = (None::<Nearest>, f64::NEG_INFINITY);
        self.visit_local_minima(q, reach, (true, true), &mut |nearest| {
            let least = best
                .as_ref()
                .map_or(f64::NEG_INFINITY, |best| best.distance);
            second = second.max(least.min(nearest.distance));
            if nearest.distance > least {
                best = Some(nearest);
            }
        });
        if let Some(best) = best {
            let room = best.room.min(0.5 * (best.distance - second));
            visit(Nearest { room, ..best });
        }
        f64::INFINITY
    }

    fn visit_local_minima(
        &self,
        q: &Vector3<f64>,
        reach: f64,
        (is_below, from_all_sides): (bool, bool),
        visit: &mut dyn FnMut(Nearest),
    ) -> f64 {
        let mut to_others = f64::INFINITY;
        let tolerance = self.tolerance(q);
        let way = Vector2::repeat(reach + 2.0 * tolerance);
        let sign = if is_below { -1.0 } else { 1.0 };
        let is_near = |distance: f64| distance < reach || is_below && distance <= reach + tolerance;
        let mut found = |feature, distance: f64, room| {
            visit(Nearest {
                feature,
                distance: sign * distance,
                room,
            });
        };
        for at in self.window(q.xy() - way, q.xy() + way) {
            let (origin, number) = (self.real(at), at as u32);
            for face in [2 * number, 2 * number + 1] {
                let Some(facet) = self.facet(face) else {
                    continue;
                };
                let distance = sign * facet.normal.dot(&(q - origin));
                if distance < -tolerance || !is_near(distance) {
                    continue;
                }
                match self.foot(face, &facet, q, false) {
                    Some(Foot { room, .. }) => found(FieldFeature::Face(face), distance, room),
                    None => {
                        let beyond = self.beyond_creases(face, &facet, q);
                        to_others = to_others.min(beyond.unwrap_or(f64::INFINITY));
                    }
                }
            }
            let d = q - origin;
            for edge in 3 * number..3 * number + 3 {
                let Some(end) = self.edge(edge).map(|[_, end]| self.real(end)) else {
                    continue;
                };
                let (along, length) = direction(end - origin);
                let t = along.dot(&d);
                let across = d - along * t;
                let beside = self.beside(edge);
                let mut room = t.min(length - t) + 2.0 * tolerance;
                for &other in &beside {
                    let inward = self.real(other) - origin;
                    let (inward, _) = direction(inward - along * inward.dot(&along));
                    room = room.min(-across.dot(&inward));
                }
                let is_over = beside.len() == 2 || across.z >= 0.0 || from_all_sides;
                if room > tolerance && is_near(across.norm()) && is_over {
                    found(FieldFeature::Edge(edge), across.norm(), room);
                }
            }
            let around = self.around(at);
            let room = around.iter().fold(f64::INFINITY, |room, &other| {
                room.min(-d.dot(&direction(self.real(other) - origin).0))
            });
            let is_over = around.len() == 6 || d.z >= 0.0 || from_all_sides;
            if room > tolerance && is_near(d.norm()) && is_over {
                found(FieldFeature::Vertex(number), d.norm(), room);
            }
        }
        to_others
    }

    /// Whether an edge sticks out of the faces beside it; at the border it does.
    pub(super) fn is_ridge(&self, edge: u32) -> bool {
        self.edge(edge).is_some() && self.bend(edge).is_none_or(|bend| bend < -SAME_PLANE * 1e-3)
    }

    /// Whether the faces beside an edge rise from it.
    fn is_crease(&self, edge: u32) -> bool {
        self.bend(edge).is_some_and(|bend| bend > SAME_PLANE)
    }

    /// The sine by which one of the faces beside an edge rises above the other; `None` at the border.
    fn bend(&self, edge: u32) -> Option<f64> {
        let [from, to] = self.edge(edge)?;
        let beside = self.beside(edge);
        let [one, other] = beside[..] else {
            return None;
        };
        let origin = self.real(from);
        let along = self.real(to) - origin;
        let [u, v] = [one, other].map(|p| self.real(p) - origin);
        let mut normal = along.cross(&u);
        if normal.z < 0.0 {
            normal = -normal;
        }
        Some(normal.dot(&v) / (normal.norm() * v.norm()))
    }
}
