//! The depth of the origin in a convex set, by its support points.
//!
//! The expanding polytope algorithm (van den Bergen 2001, *Game Developers Conference*): the face of a
//! polytope of support points that is nearest to the origin is pushed out until it is a face of the set.

use super::gjk::{Simplex, SupportPoint};
use nalgebra::Vector3;

const ITERATIONS: usize = 128;
const POINTS: usize = 4 + ITERATIONS;
/// A closed surface of triangles has as many.
const FACES: usize = 2 * POINTS - 4;

/// A face of the polytope, counterclockwise from outside.
#[derive(Clone, Copy)]
struct Face {
    corners: [usize; 3],
    normal: Vector3<f64>,
    /// Of the origin below the plane.
    depth: f64,
}

/// Outward normal of the face of the set that is nearest to the origin, and the support points that
/// span it.
pub(super) struct Deepest {
    pub(super) normal: Vector3<f64>,
    pub(super) corners: [SupportPoint; 3],
}

/// A list with room for a fixed number of items; what is too much is left out.
struct List<T, const N: usize> {
    items: [T; N],
    count: usize,
}

impl<T: Copy, const N: usize> List<T, N> {
    fn new(filler: T) -> Self {
        let items = [filler; N];
        List { items, count: 0 }
    }

    fn items(&self) -> &[T] {
        &self.items[..self.count]
    }

    fn push(&mut self, item: T) {
        if self.count < N {
            self.items[self.count] = item;
            self.count += 1;
        }
    }

    fn swap_remove(&mut self, index: usize) {
        self.count -= 1;
        self.items[index] = self.items[self.count];
    }
}

fn face(points: &[SupportPoint], corners: [usize; 3]) -> Face {
    let [a, b, c] = corners.map(|i| points[i].at);
    let normal = (b - a).cross(&(c - a));
    let length = normal.norm();
    let is_flat = length == 0.0 || !length.is_finite();
    let normal = normal / length;
    Face {
        corners,
        normal,
        depth: if is_flat {
            f64::INFINITY
        } else {
            normal.dot(&a)
        },
    }
}

/// Four points of the set that enclose a volume, among them what a simplex has; `None` for a flat set.
fn tetrahedron(
    simplex: &Simplex,
    size: f64,
    support: &impl Fn(&Vector3<f64>) -> SupportPoint,
) -> Option<[SupportPoint; 4]> {
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let tried = || {
        axes.iter()
            .flat_map(|axis| [*axis, -axis])
            .map(|d| support(&d))
    };
    let candidates = || simplex.points().iter().copied().chain(tried());
    let tiny = 1e-9 * size;
    let first = *simplex.points().first()?;
    let second = candidates().find(|p| (p.at - first.at).norm() > tiny)?;
    let along = (second.at - first.at).normalize();
    let across = |p: &SupportPoint| (p.at - first.at).cross(&along).norm();
    let beside = axes
        .iter()
        .map(|axis| along.cross(axis))
        .filter(|d| d.norm() > 0.1);
    let beside = beside.flat_map(|d| [d, -d]).map(|d| support(&d));
    let third = candidates().chain(beside).find(|p| across(p) > tiny)?;
    let normal = along.cross(&(third.at - first.at)).normalize();
    let height = |p: &SupportPoint| normal.dot(&(p.at - first.at));
    let ends = [normal, -normal].into_iter().map(|d| support(&d));
    let fourth = candidates().chain(ends).find(|p| height(p).abs() > tiny)?;
    Some(if height(&fourth) > 0.0 {
        [first, third, second, fourth]
    } else {
        [first, second, third, fourth]
    })
}

/// How deep the origin is in the set, to a tolerance relative to its size; `None` for a set without a
/// volume.
pub(super) fn deepest(
    simplex: &Simplex,
    size: f64,
    tolerance: f64,
    support: impl Fn(&Vector3<f64>) -> SupportPoint,
) -> Option<Deepest> {
    let start = tetrahedron(simplex, size, &support)?;
    let mut points = List::<_, POINTS>::new(start[0]);
    start.into_iter().for_each(|point| points.push(point));
    let mut faces = List::<_, FACES>::new(face(points.items(), [0, 1, 2]));
    for corners in [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]] {
        faces.push(face(points.items(), corners));
    }
    let by_depth = |x: &&Face, y: &&Face| x.depth.total_cmp(&y.depth);
    let mut nearest = *faces.items().iter().min_by(by_depth)?;
    for _ in 0..ITERATIONS {
        let next = support(&nearest.normal);
        let gain = nearest.normal.dot(&next.at) - nearest.depth;
        let is_known = points.items().iter().any(|p| p.at == next.at);
        if gain <= (tolerance + 1e-13) * size || is_known {
            break;
        }
        let eye = points.count;
        points.push(next);
        let mut outline = List::<(usize, usize), FACES>::new((0, 0));
        let mut index = 0;
        while index < faces.count {
            let Face {
                corners: [a, b, c],
                normal,
                depth,
            } = faces.items[index];
            if depth.is_finite() && normal.dot(&next.at) - depth <= 1e-15 * size {
                index += 1;
                continue;
            }
            faces.swap_remove(index);
            for edge in [(a, b), (b, c), (c, a)] {
                // Edges between two faces that are seen cancel.
                let opposite = outline.items().iter().position(|&(p, q)| (q, p) == edge);
                match opposite {
                    Some(at) => outline.swap_remove(at),
                    None => outline.push(edge),
                }
            }
        }
        for &(a, b) in outline.items() {
            faces.push(face(points.items(), [a, b, eye]));
        }
        match faces.items().iter().min_by(by_depth) {
            Some(face) if face.depth.is_finite() => nearest = *face,
            _ => break,
        }
    }
    nearest.depth.is_finite().then(|| Deepest {
        normal: nearest.normal,
        corners: nearest.corners.map(|i| points.items[i]),
    })
}
