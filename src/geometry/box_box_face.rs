//! Box against box, touching on a face.
//!
//! The *reference* is the box whose face it is, with outward normal `n`; the *incident* face is the
//! face of the other box that looks against `n` most. Seen along `n` both faces are convex
//! quadrilaterals, and their intersection has up to eight corners. Each is where a feature of the
//! incident face meets one of the reference face:
//!
//! | incident | reference | point of the incident box |
//! |---|---|---|
//! | vertex | face | the vertex |
//! | edge | edge | where the edge crosses the plane through the reference edge along `n` |
//! | face | vertex | where the line through the reference vertex along `n` meets the face |
//!
//! Every corner is a contact point: the point of the incident box, its distance from the reference
//! face along `n`, and its projection on that face. Under the reference face, its penetration is the
//! depth of that point in the reference box along `n`. Above it, the distance of a vertex is that
//! from the reference box; of the other two the distance along `n`, which is more than the distance of
//! the features by the tilt of the faces, in second order.
//!
//! Corners nearer to each other, seen along `n`, than 4·10⁻⁹ of the largest half size are one; a
//! vertex that near to an edge counts as on it. Boxes of one size stacked squarely have four contact
//! points, the incident vertices.

use super::feature::{BoxFeature, sign};
use super::placed_box::PlacedBox;
use super::separating_axis::FaceAxis;
use super::{ContactPoint, Witness};
use crate::Scalar;
use nalgebra::Vector3;

/// Points nearer than this fraction of the largest half size are on each other.
const COINCIDENT: f64 = 1e-9;

/// Vertices of either face and crossings of their edges: more places are not looked at.
const CANDIDATES: usize = 4 + 4 + 16;

/// A place where a feature of the incident face meets one of the reference face.
#[derive(Clone, Copy)]
struct Corner {
    reference: BoxFeature,
    incident: BoxFeature,
    /// Its coordinates along the axes of the reference face.
    in_face: [f64; 2],
    /// Its height above the reference face.
    height: f64,
}

/// The corners of the overlap of a reference face and the incident face.
pub(super) struct Corners {
    axis: FaceAxis,
    corners: [Option<Corner>; CANDIDATES],
    /// Corners nearer than this to each other are one.
    merging_distance: f64,
}

impl Corners {
    /// The corners of the overlap with the face of the axis.
    pub(super) fn new(axis: &FaceAxis, a: &PlacedBox<f64>, b: &PlacedBox<f64>) -> Self {
        let (reference, incident) = axis.order(a, b);
        let overlap = Overlap::new(axis.face, reference, incident);
        let mut corners = Corners {
            axis: *axis,
            corners: [None; CANDIDATES],
            merging_distance: 4.0 * overlap.tolerance,
        };
        // Vertices first, so that of coincident corners the simplest one stays.
        overlap.add_incident_vertices(&mut corners);
        overlap.add_reference_vertices(&mut corners);
        overlap.add_crossings(&mut corners);
        corners
    }

    /// Adds a corner unless there is one in the same place already.
    fn add(&mut self, new: Corner) {
        let is_same = |old: &Corner| {
            let [x, y] = [0, 1].map(|i| (new.in_face[i] - old.in_face[i]).abs());
            x.max(y) < self.merging_distance
        };
        if !self.corners.iter().flatten().any(is_same)
            && let Some(free) = self.corners.iter_mut().find(|corner| corner.is_none())
        {
            *free = Some(new);
        }
    }

    /// The witness of every corner, and its distance.
    pub(super) fn witnesses(&self) -> impl Iterator<Item = (Witness, f64)> {
        self.corners.iter().flatten().map(|corner| {
            let witness = Witness::BoxBoxFace {
                first_is_reference: self.axis.first_is_reference,
                reference: corner.reference,
                axis: self.axis.face.face_axis() as u8,
                incident: corner.incident,
            };
            (witness, corner.height)
        })
    }

    /// Height of the lowest corner; infinite if there is none.
    pub(super) fn lowest(&self) -> f64 {
        let heights = self.corners.iter().flatten().map(|corner| corner.height);
        heights.fold(f64::INFINITY, f64::min)
    }
}

/// The reference face and the incident face, expressed in the frame of the reference.
struct Overlap {
    face: BoxFeature,
    /// Axis along the normal, and the two axes of the reference face.
    axes: [usize; 3],
    half: Vector3<f64>,
    incident_face: BoxFeature,
    /// The axes of the incident face.
    incident_axes: [usize; 2],
    incident_center: Vector3<f64>,
    /// From the centre of the incident face to the middle of its edges.
    incident_half: [Vector3<f64>; 2],
    tolerance: f64,
}

impl Overlap {
    fn new(face: BoxFeature, r: &PlacedBox<f64>, i: &PlacedBox<f64>) -> Self {
        let k = face.face_axis();
        let rotation = r.pose.rotation.tr_mul(&i.pose.rotation);
        let along_normal = rotation.row(k) * f64::from(face.signs()[k]);
        let j = along_normal.transpose().iamax();
        let incident_face = BoxFeature::face(j, -sign(along_normal[j]));
        let incident_axes = [(j + 1) % 3, (j + 2) % 3];
        let center = r.pose.inverse_transform_point(&i.center(incident_face));
        Overlap {
            face,
            axes: [k, (k + 1) % 3, (k + 2) % 3],
            half: r.size * 0.5,
            incident_face,
            incident_axes,
            incident_center: center,
            incident_half: incident_axes.map(|u| rotation.column(u) * i.half(u)),
            tolerance: 0.5 * COINCIDENT * r.size.max().max(i.size.max()),
        }
    }

    fn corner(&self, point: Vector3<f64>, reference: BoxFeature, incident: BoxFeature) -> Corner {
        let [k, l, m] = self.axes;
        Corner {
            reference,
            incident,
            in_face: [point[l], point[m]],
            height: f64::from(self.face.signs()[k]) * point[k] - self.half[k],
        }
    }

    fn covers(&self, axis: usize, point: &Vector3<f64>) -> bool {
        point[axis].abs() <= self.half[axis] + self.tolerance
    }

    fn add_incident_vertices(&self, corners: &mut Corners) {
        let ([_, l, m], [u, v]) = (self.axes, self.incident_axes);
        for (su, sv) in SIGN_PAIRS {
            let [to_u, to_v] = self.incident_half;
            let point = self.incident_center + to_u * f64::from(su) + to_v * f64::from(sv);
            if self.covers(l, &point) && self.covers(m, &point) {
                let vertex = self.incident_face.with(u, su).with(v, sv);
                corners.add(self.corner(point, self.face, vertex));
            }
        }
    }

    fn add_reference_vertices(&self, corners: &mut Corners) {
        let [_, l, m] = self.axes;
        let ([to_u, to_v], center) = (self.incident_half, self.incident_center);
        let determinant = to_u[l] * to_v[m] - to_u[m] * to_v[l];
        for (sl, sm) in SIGN_PAIRS {
            let dl = f64::from(sl) * self.half[l] - center[l];
            let dm = f64::from(sm) * self.half[m] - center[m];
            let alpha = (dl * to_v[m] - dm * to_v[l]) / determinant;
            let beta = (to_u[l] * dm - to_u[m] * dl) / determinant;
            if within_half(alpha, &to_u, self.tolerance) && within_half(beta, &to_v, self.tolerance)
            {
                let point = center + to_u * alpha + to_v * beta;
                let vertex = self.face.with(l, sl).with(m, sm);
                corners.add(self.corner(point, vertex, self.incident_face));
            }
        }
    }

    fn add_crossings(&self, corners: &mut Corners) {
        let [_, l, m] = self.axes;
        for (across, along) in [(0, 1), (1, 0)] {
            let direction = self.incident_half[along];
            for edge_sign in [-1, 1] {
                let edge = (self.incident_face).with(self.incident_axes[across], edge_sign);
                let middle =
                    self.incident_center + self.incident_half[across] * f64::from(edge_sign);
                for (side, other) in [(l, m), (m, l)] {
                    if direction[side].abs() <= self.tolerance {
                        continue;
                    }
                    for side_sign in [-1, 1] {
                        let plane = f64::from(side_sign) * self.half[side];
                        let t = (plane - middle[side]) / direction[side];
                        let point = middle + direction * t;
                        if within_half(t, &direction, self.tolerance) && self.covers(other, &point)
                        {
                            let crossed = self.face.with(side, side_sign);
                            corners.add(self.corner(point, crossed, edge));
                        }
                    }
                }
            }
        }
    }
}

const SIGN_PAIRS: [(i8, i8); 4] = [(-1, -1), (1, -1), (1, 1), (-1, 1)];

/// Whether the point at `t` times the half edge is on the edge, to a tolerance of length.
fn within_half(t: f64, half_edge: &Vector3<f64>, tolerance: f64) -> bool {
    (t.abs() - 1.0) * half_edge.norm() <= tolerance
}

/// The contact of the incident box, in the role of A, with the face of the reference normal to the
/// given axis; `None` if the features do not meet.
pub(super) fn contact_point<T: Scalar>(
    normal_axis: usize,
    reference: BoxFeature,
    r: &PlacedBox<T>,
    incident: BoxFeature,
    i: &PlacedBox<T>,
) -> Option<ContactPoint<T>> {
    let signs = reference.signs();
    let nhat = match *signs.get(normal_axis)? {
        0 => return None,
        sign => r.axis(normal_axis) * T::from(f64::from(sign)),
    };
    let height = |p_W: &Vector3<T>| nhat.dot(&(p_W - r.pose.translation)) - r.half(normal_axis);
    match (incident.dimension(), reference.dimension()) {
        (0, 2) => {
            let p_W = i.center(incident);
            Some(ContactPoint::new(p_W, nhat, height(&p_W)))
        }
        (1, 1) => {
            let side = (0..3).find(|&axis| axis != normal_axis && signs[axis] != 0)?;
            let side_normal = r.axis(side) * T::from(f64::from(signs[side]));
            let (middle, direction) = (i.center(incident), i.axis(incident.edge_axis()));
            let short_of_plane = r.half(side) - side_normal.dot(&(middle - r.pose.translation));
            let p_W = middle + direction * short_of_plane.div_lifted(side_normal.dot(&direction));
            Some(ContactPoint::new(p_W, nhat, height(&p_W)))
        }
        (2, 0) => {
            let (vertex, incident_normal) = (r.center(reference), i.outward(incident));
            let below_face = incident_normal.dot(&(i.center(incident) - vertex));
            let height = below_face.div_lifted(incident_normal.dot(&nhat));
            Some(ContactPoint::new(vertex + nhat * height, nhat, height))
        }
        _ => None,
    }
}
