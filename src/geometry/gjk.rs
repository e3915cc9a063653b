//! The point of a convex set nearest to the origin, by its support points.
//!
//! The algorithm of Gilbert, Johnson & Keerthi (1988, *IEEE Journal of Robotics and Automation* 4(2),
//! 193–203): the point nearest to the origin of a simplex of support points leads to the next support
//! point, until none is nearer. The set is the difference `A − B` of two shapes.

use nalgebra::Vector3;

/// A support point of the difference of two shapes: `on_a − on_b`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SupportPoint {
    pub(super) at: Vector3<f64>,
    /// The vertex of each shape that it comes from.
    pub(super) vertices: [u32; 2],
}

/// Up to four affinely independent support points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Simplex {
    points: [SupportPoint; 4],
    count: usize,
}

/// What the search has come to.
pub(super) struct Nearest {
    pub(super) simplex: Simplex,
    /// The nearest point; zero where the origin is in the set.
    pub(super) point: Vector3<f64>,
}

const ITERATIONS: usize = 128;

impl Simplex {
    pub(super) fn new(first: SupportPoint) -> Self {
        Simplex {
            points: [first; 4],
            count: 1,
        }
    }

    pub(super) fn points(&self) -> &[SupportPoint] {
        &self.points[..self.count]
    }

    pub(super) fn push(&mut self, point: SupportPoint) {
        if self.count < 4 {
            self.points[self.count] = point;
            self.count += 1;
        }
    }

    fn of(&self, kept: &[usize]) -> Self {
        let mut simplex = *self;
        simplex.count = kept.len();
        for (slot, &index) in simplex.points.iter_mut().zip(kept) {
            *slot = self.points[index];
        }
        simplex
    }

    /// The smallest part of the simplex that has the point nearest to the origin, and that point.
    fn nearest(&self) -> Nearest {
        let p = |i: usize| self.points[i].at;
        let (kept, point): (&[usize], _) = match self.count {
            1 => (&[0], p(0)),
            2 => nearest_on_segment([0, 1], &p),
            3 => nearest_on_triangle([0, 1, 2], &p),
            _ => nearest_in_tetrahedron(&p),
        };
        Nearest {
            simplex: self.of(kept),
            point,
        }
    }
}

type Kept = (&'static [usize], Vector3<f64>);

/// Lists of positions that are kept, so that they can be referred to.
const KEPT: [[&[usize]; 4]; 4] = [
    [&[0], &[0, 1], &[0, 2], &[0, 3]],
    [&[0, 1], &[1], &[1, 2], &[1, 3]],
    [&[0, 2], &[1, 2], &[2], &[2, 3]],
    [&[0, 3], &[1, 3], &[2, 3], &[3]],
];

fn triple([i, j, k]: [usize; 3]) -> &'static [usize] {
    match 6 - i - j - k {
        0 => &[1, 2, 3],
        1 => &[0, 2, 3],
        2 => &[0, 1, 3],
        _ => &[0, 1, 2],
    }
}

fn nearest_on_segment([i, j]: [usize; 2], p: &impl Fn(usize) -> Vector3<f64>) -> Kept {
    let (a, d) = (p(i), p(j) - p(i));
    let t = -a.dot(&d) / d.norm_squared();
    if t > 0.0 && t < 1.0 {
        (KEPT[i][j], a + d * t)
    } else if t >= 1.0 {
        (KEPT[j][j], p(j))
    } else {
        (KEPT[i][i], a)
    }
}

fn nearest_on_triangle(corners: [usize; 3], p: &impl Fn(usize) -> Vector3<f64>) -> Kept {
    let [a, b, c] = corners.map(p);
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    let is_inside = |u: &Vector3<f64>, v: &Vector3<f64>| normal.dot(&u.cross(v)) > 0.0;
    if square > 0.0 && is_inside(&a, &b) && is_inside(&b, &c) && is_inside(&c, &a) {
        return (triple(corners), normal * (normal.dot(&a) / square));
    }
    let [i, j, k] = corners;
    let edges = [[i, j], [j, k], [i, k]].map(|edge| nearest_on_segment(edge, p));
    shortest(edges)
}

fn nearest_in_tetrahedron(p: &impl Fn(usize) -> Vector3<f64>) -> Kept {
    let mut is_outside = false;
    let mut best: Kept = (&[0, 1, 2, 3], Vector3::zeros());
    for (face, apex) in [
        ([0, 1, 2], 3),
        ([0, 1, 3], 2),
        ([0, 2, 3], 1),
        ([1, 2, 3], 0),
    ] {
        let [a, b, c] = face.map(p);
        let normal = (b - a).cross(&(c - a));
        let (of_apex, of_origin) = (normal.dot(&(p(apex) - a)), -normal.dot(&a));
        if of_apex * of_origin <= 0.0 {
            let nearest = nearest_on_triangle(face, p);
            if !is_outside || nearest.1.norm_squared() < best.1.norm_squared() {
                best = nearest;
            }
            is_outside = true;
        }
    }
    best
}

fn shortest<const N: usize>(all: [Kept; N]) -> Kept {
    let mut best = all[0];
    for one in &all[1..] {
        if one.1.norm_squared() < best.1.norm_squared() {
            best = *one;
        }
    }
    best
}

/// The point nearest to the origin of the set with the support points `support(direction)`, which has
/// about the given size; to a tolerance relative to the size.
pub(super) fn nearest_to_origin(
    size: f64,
    tolerance: f64,
    support: impl Fn(&Vector3<f64>) -> SupportPoint,
) -> Nearest {
    let mut nearest = Simplex::new(support(&Vector3::x())).nearest();
    for _ in 0..ITERATIONS {
        let v = nearest.point;
        let square = v.norm_squared();
        if nearest.simplex.count == 4 || square == 0.0 {
            break;
        }
        let next = support(&-v);
        let gain = square - v.dot(&next.at);
        let round_off = 1e-14 * square + (tolerance + 4.0 * f64::EPSILON) * size * square.sqrt();
        let is_known = |p: &SupportPoint| p.at == next.at;
        if gain <= round_off || nearest.simplex.points().iter().any(is_known) {
            break;
        }
        let mut simplex = nearest.simplex;
        simplex.push(next);
        let better = simplex.nearest();
        if better.simplex.count < 4 && better.point.norm_squared() >= square {
            break;
        }
        nearest = better;
    }
    nearest
}
