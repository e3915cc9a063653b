//! The separating axis test of two boxes.
//!
//! Along a unit vector `n` the boxes are separated by `s(n) = |n · d| − r_A(n) − r_B(n)`, where `d`
//! leads from the centre of B to that of A and `r(n) = Σ hᵢ |n · eᵢ|` is the radius of a box with axes
//! `eᵢ` and half size `h`. Two convex polyhedra are apart exactly when `s(n) > 0` for one of the face
//! normals or a cross product of two edges, 15 for boxes, and when they overlap the largest `s` among
//! these is the negative of the penetration depth (Gottschalk, Lin & Manocha 1996, *SIGGRAPH*,
//! 171–180). When they are apart it is a lower bound of their distance.

use super::common_normal::PARALLEL;
use super::feature::{BoxFeature, sign};
use super::placed_box::PlacedBox;
use nalgebra::{Matrix3, Vector3};

/// Separations that differ by less than this fraction of the largest half size are equal.
const TIE: f64 = 1e-9;

/// The best of the face normals: the two boxes are apart by `separation` along it.
#[derive(Clone, Copy)]
pub(super) struct FaceAxis {
    pub(super) separation: f64,
    /// Whether the face is one of A, the first box.
    pub(super) first_is_reference: bool,
    /// The face, which looks at the other box.
    pub(super) face: BoxFeature,
}

impl FaceAxis {
    /// The reference and the other one of two boxes.
    pub(super) fn order<'a, B>(&self, a: &'a B, b: &'a B) -> (&'a B, &'a B) {
        if self.first_is_reference {
            (a, b)
        } else {
            (b, a)
        }
    }
}

/// The best of the cross products of edges.
#[derive(Clone, Copy)]
pub(super) struct EdgeAxis {
    pub(super) separation: f64,
    /// The edges of A and B that are nearest to the other box in this direction.
    pub(super) edges: (BoxFeature, BoxFeature),
}

/// The best axes of each kind.
///
/// Of a face of A and a face of B that are equally good, as when boxes lie flat on each other, the
/// larger one is taken, and of equal ones that of A.
/// There is no edge axis when all edges of A are parallel to edges of B.
pub(super) fn separating_axes(
    a: &PlacedBox<f64>,
    b: &PlacedBox<f64>,
) -> (FaceAxis, Option<EdgeAxis>) {
    let relative = Relative {
        half_A: 0.5 * a.size,
        half_B: 0.5 * b.size,
        R_AB: a.pose.rotation.tr_mul(&b.pose.rotation),
        p_BoAo_A: a
            .pose
            .rotation
            .tr_mul(&(a.pose.translation - b.pose.translation)),
    };
    (relative.best_face(), relative.best_edges())
}

struct Relative {
    half_A: Vector3<f64>,
    half_B: Vector3<f64>,
    R_AB: Matrix3<f64>,
    p_BoAo_A: Vector3<f64>,
}

impl Relative {
    fn separation(&self, n_A: &Vector3<f64>) -> f64 {
        let n_B = self.R_AB.tr_mul(n_A);
        n_A.dot(&self.p_BoAo_A).abs() - self.half_A.dot(&n_A.abs()) - self.half_B.dot(&n_B.abs())
    }

    fn best_face(&self) -> FaceAxis {
        let (a, b) = (self.best_face_of(true), self.best_face_of(false));
        let area = |half: &Vector3<f64>, face: &FaceAxis| {
            let axis = face.face.face_axis();
            half[(axis + 1) % 3] * half[(axis + 2) % 3]
        };
        let difference = b.separation - a.separation;
        let is_tie = difference.abs() <= TIE * self.half_A.max().max(self.half_B.max());
        let prefers_b = if is_tie {
            area(&self.half_B, &b) > area(&self.half_A, &a)
        } else {
            difference > 0.0
        };
        if prefers_b { b } else { a }
    }

    /// The best of the face normals of one box; of equal ones the first.
    fn best_face_of(&self, first_is_reference: bool) -> FaceAxis {
        let candidates = [0, 1, 2].map(|axis| {
            let n_A = if first_is_reference {
                -Vector3::ith(axis, 1.0)
            } else {
                self.R_AB.column(axis).into_owned()
            };
            // The normal from B into A is n or −n, and a face of A looks against it.
            let towards_A = sign(n_A.dot(&self.p_BoAo_A));
            FaceAxis {
                separation: self.separation(&n_A),
                first_is_reference,
                face: BoxFeature::face(axis, towards_A),
            }
        });
        let [mut best, y, z] = candidates;
        for candidate in [y, z] {
            if candidate.separation > best.separation {
                best = candidate;
            }
        }
        best
    }

    fn best_edges(&self) -> Option<EdgeAxis> {
        let mut best: Option<EdgeAxis> = None;
        for i in 0..3 {
            for j in 0..3 {
                let m = Vector3::ith(i, 1.0).cross(&self.R_AB.column(j));
                let length = m.norm();
                if length < PARALLEL {
                    continue;
                }
                let n = m / length;
                let separation = self.separation(&n);
                if best.is_none_or(|best| separation > best.separation) {
                    let n_A = n * f64::from(sign(n.dot(&self.p_BoAo_A)));
                    let n_B = self.R_AB.tr_mul(&n_A);
                    best = Some(EdgeAxis {
                        separation,
                        edges: (supporting_edge(i, &-n_A), supporting_edge(j, &n_B)),
                    });
                }
            }
        }
        best
    }
}

/// The edge along an axis that lies furthest in a direction.
fn supporting_edge(axis: usize, direction: &Vector3<f64>) -> BoxFeature {
    BoxFeature::new([0, 1, 2].map(|k| if k == axis { 0 } else { sign(direction[k]) }))
}
