//! The overlap polygon of two faces of boxes, seen along the normal of one of them.
//!
//! The outline of the incident face is clipped by the sides of the reference face (Sutherland &
//! Hodgman 1974, *Communications of the ACM* 17(1), 32–42). Every side of what remains knows the edge
//! that it is part of. Sides shorter than 2·10⁻⁹ of the largest size vanish, unless those that
//! they join are nearly parallel; one that is on a nearly parallel edge of the other face to within a quarter of that
//! is a side of both.
//!
//! # Where the outline changes
//! A side appears or vanishes where three edges meet in one point. With outward unit normals
//! `n_k = α n_i + β n_j` of the edges in the plane, the edge `k` passes the corner of `i` and `j` at the
//! distance `f`, which changes by at most `Σ |c|` over the coefficients `c` of `(α, β, −1)` of the edges
//! of one of the boxes as that box moves by a unit, of whichever box the sum is smaller.

use super::box_box_side::Side;
use super::clipping::{Outline, clip};
use super::feature::{BoxFeature, sign};
use super::placed_box::PlacedBox;
use nalgebra::{Vector2, Vector3};

/// Points nearer than this fraction of half the largest size are on each other.
const COINCIDENT: f64 = 1e-9;

/// Sides with a smaller sine of the angle between them are parallel.
pub(super) const PARALLEL: f64 = 1e-8;

/// Sides with a smaller sine of the angle between them are nearly parallel: they meet far from a short side between
/// them. Those with a larger one are not on each other, however short they are.
const TRANSVERSE: f64 = 1e-3;

/// A quadrilateral cut by four lines has no more corners.
const CORNERS: usize = 8;

/// A side of the outline: as an edge of the reference face, of the incident face, or of both.
pub(super) type SideOfBoth = [Option<Side>; 2];

/// The overlap of a face of the reference and the incident face.
pub(super) struct Overlap {
    frame: Frame,
    /// Corners, in the frame of the reference, and the sides that follow them.
    corners: Outline<Side, CORNERS>,
}

/// The two faces in the frame of the reference.
struct Frame {
    face: BoxFeature,
    /// Axis along the normal, and the two axes of the reference face.
    axes: [usize; 3],
    half: Vector3<f64>,
    /// The axes of the incident face, and their unit vectors.
    incident_axes: [usize; 2],
    incident_directions: [Vector3<f64>; 2],
    incident_half: [f64; 2],
    incident_center: Vector3<f64>,
    tolerance: f64,
}

impl Frame {
    fn new(
        (face, r): (BoxFeature, &PlacedBox<f64>),
        (incident, i): (BoxFeature, &PlacedBox<f64>),
    ) -> Self {
        let (k, j) = (face.face_axis(), incident.face_axis());
        let incident_axes = [(j + 1) % 3, (j + 2) % 3];
        Frame {
            face,
            axes: [k, (k + 1) % 3, (k + 2) % 3],
            half: r.size * 0.5,
            incident_axes,
            incident_directions: incident_axes.map(|u| r.pose.rotation.tr_mul(&i.axis(u))),
            incident_half: incident_axes.map(|u| i.half(u)),
            incident_center: r.pose.inverse_transform_point(&i.center(incident)),
            tolerance: 0.5 * COINCIDENT * r.size.max().max(i.size.max()),
        }
    }

    /// All edges of both faces.
    fn sides(&self) -> impl Iterator<Item = Side> + '_ {
        let [_, l, m] = self.axes;
        let [u, v] = self.incident_axes;
        [(true, l), (true, m), (false, u), (false, v)]
            .into_iter()
            .flat_map(|(is_reference, axis)| {
                [-1, 1].map(|sign| Side {
                    is_reference,
                    axis,
                    sign,
                })
            })
    }

    fn in_face(&self, p: &Vector3<f64>) -> Vector2<f64> {
        let [_, l, m] = self.axes;
        Vector2::new(p[l], p[m])
    }

    fn height(&self, p: &Vector3<f64>) -> f64 {
        let k = self.axes[0];
        f64::from(self.face.signs()[k]) * p[k] - self.half[k]
    }

    /// The distance of a point of the incident face beyond an edge, in the plane of the edge's face.
    fn beyond(&self, side: Side, p: &Vector3<f64>) -> f64 {
        let sign = f64::from(side.sign);
        if side.is_reference {
            sign * p[side.axis] - self.half[side.axis]
        } else {
            let index = usize::from(side.axis != self.incident_axes[0]);
            let offset = p - self.incident_center;
            sign * self.incident_directions[index].dot(&offset) - self.incident_half[index]
        }
    }

    /// Outward unit normal of an edge, and the distance of the edge along it, seen along the normal.
    fn line(&self, side: Side) -> (Vector2<f64>, f64) {
        let sign = f64::from(side.sign);
        if side.is_reference {
            let mut normal = Vector3::zeros();
            normal[side.axis] = sign;
            return (self.in_face(&normal), self.half[side.axis]);
        }
        let index = usize::from(side.axis != self.incident_axes[0]);
        let across = self.in_face(&self.incident_directions[index]) * sign;
        let along = self.in_face(&self.incident_directions[1 - index]);
        let normal = Vector2::new(along.y, -along.x) / along.norm();
        let normal = if normal.dot(&across) < 0.0 {
            -normal
        } else {
            normal
        };
        let middle = self.in_face(&self.incident_center) + across * self.incident_half[index];
        (normal, normal.dot(&middle))
    }
}

impl Overlap {
    pub(super) fn new(
        reference: (BoxFeature, &PlacedBox<f64>),
        incident: (BoxFeature, &PlacedBox<f64>),
    ) -> Self {
        let frame = Frame::new(reference, incident);
        let [u, v] = [0, 1].map(|i| frame.incident_directions[i] * frame.incident_half[i]);
        let [axis_u, axis_v] = frame.incident_axes;
        let vertex = |su: f64, sv: f64, axis, sign| {
            let side = Side {
                is_reference: false,
                axis,
                sign,
            };
            (frame.incident_center + u * su + v * sv, side)
        };
        let corners = [
            vertex(-1.0, -1.0, axis_v, -1),
            vertex(1.0, -1.0, axis_u, 1),
            vertex(1.0, 1.0, axis_v, 1),
            vertex(-1.0, 1.0, axis_u, -1),
        ];
        let mut overlap = Overlap {
            corners: corners.into_iter().collect(),
            frame,
        };
        for axis in [1, 2].map(|i| overlap.frame.axes[i]) {
            for sign in [-1, 1] {
                let by = Side {
                    is_reference: true,
                    axis,
                    sign,
                };
                clip(&mut overlap.corners, by, |p| overlap.frame.beyond(by, p));
            }
        }
        overlap.drop_short_sides();
        overlap
    }

    fn next(&self, index: usize) -> usize {
        (index + 1) % self.corners.len()
    }

    fn previous(&self, index: usize) -> usize {
        (index + self.corners.len() - 1) % self.corners.len()
    }

    /// Drops sides without length, unless those that they join are nearly parallel.
    fn drop_short_sides(&mut self) {
        let mut index = 0;
        while index < self.corners.len() && self.corners.len() > 3 {
            let (before, after) = (self.previous(index), self.next(index));
            let (p, q) = (self.corners[index].0, self.corners[after].0);
            let normal = |index: usize| self.frame.line(self.corners[index].1).0;
            let is_short = (q - p).norm() < 4.0 * self.frame.tolerance;
            if is_short && normal(before).perp(&normal(after)).abs() > TRANSVERSE {
                self.corners.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// Whether two sides are nearly parallel and look the same way.
    fn is_along(&self, side: Side, other: Side) -> bool {
        let [n, m] = [side, other].map(|side| self.frame.line(side).0);
        n.dot(&m) > 0.0 && n.perp(&m).abs() < TRANSVERSE
    }

    /// The side that follows a corner, as an edge of either face.
    fn side(&self, index: usize) -> SideOfBoth {
        let (p, side) = self.corners[index];
        let q = self.corners[self.next(index)].0;
        let is_on = |other: &Side| {
            other.is_reference != side.is_reference
                && [p, q]
                    .iter()
                    .all(|p| self.frame.beyond(*other, p).abs() < self.frame.tolerance)
                && self.is_along(side, *other)
        };
        let other = self.frame.sides().find(is_on);
        if side.is_reference {
            [Some(side), other]
        } else {
            [other, Some(side)]
        }
    }

    /// The corners, by the sides that meet there.
    pub(super) fn corners(&self) -> impl Iterator<Item = [SideOfBoth; 2]> + '_ {
        (0..self.corners.len())
            .map(|index| [self.side(self.previous(index)), self.side(index)])
            .filter(|[before, after]| before != after)
    }

    /// How far the boxes have to move for a side to appear or vanish at a corner lower than `margin`.
    pub(super) fn margin(&self, margin: f64) -> f64 {
        let mut least = f64::INFINITY;
        for index in 0..self.corners.len() {
            let (p, after) = self.corners[index];
            let before = self.corners[self.previous(index)].1;
            if self.frame.height(&p) >= margin {
                continue;
            }
            let ((n_i, _), (n_j, _)) = (self.frame.line(before), self.frame.line(after));
            let determinant = n_i.perp(&n_j);
            if determinant.abs() < PARALLEL {
                least = 0.0;
                continue;
            }
            for other in self.frame.sides().filter(|s| *s != before && *s != after) {
                let (n_k, offset) = self.frame.line(other);
                let beyond = n_k.dot(&self.frame.in_face(&p)) - offset;
                let coefficients = [
                    (before, n_k.perp(&n_j) / determinant),
                    (after, n_i.perp(&n_k) / determinant),
                    (other, -1.0),
                ];
                let sum = |is_reference| -> f64 {
                    let of_box = coefficients
                        .iter()
                        .filter(|c| c.0.is_reference == is_reference);
                    of_box.map(|c| c.1.abs()).sum()
                };
                let rate = f64::min(sum(true), sum(false));
                if rate > PARALLEL {
                    least = least.min(beyond.abs() / rate);
                }
            }
        }
        least
    }
}

/// The face of a box that looks most along a direction, and by how much its cosine is the largest.
pub(super) fn incident_face(of: &PlacedBox<f64>, direction: &Vector3<f64>) -> (BoxFeature, f64) {
    let cosines = of.pose.rotation.tr_mul(direction);
    let axis = cosines.iamax();
    let others = [(axis + 1) % 3, (axis + 2) % 3].map(|k| cosines[k].abs());
    let lead = cosines[axis].abs() - others[0].max(others[1]);
    (BoxFeature::face(axis, sign(cosines[axis])), lead)
}
