//! The convex hull of points, as triangles.
//!
//! Quickhull (Barber, Dobkin & Huhdanpaa 1996, *ACM Transactions on Mathematical Software* 22(4),
//! 469–483): each triangle keeps the points in front of it; the one that is furthest from its triangle is
//! added next, and sees a patch of triangles, which give way to those between it and the outline of the
//! patch. Which triangles a point sees is decided in exact arithmetic (Shewchuk 1997, *Discrete &
//! Computational Geometry* 18(3), 305–363), so that the surface is closed and convex for any points.
//!
//! Points that are less than a tolerance in front of every triangle are left out, as is what follows after
//! the largest number of vertices. Points come in the order of what they add, so that few of them
//! resemble the whole.

use nalgebra::Vector3;
use robust::{Coord3D, orient3d};
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

/// Points that are less far in front of a triangle are left out, relative to the largest extent.
const TOLERANCE: f64 = 1e-6;

/// A closed surface of triangles, each counterclockwise as seen from outside.
pub(super) struct Hull {
    /// By the positions of the points.
    pub(super) triangles: Vec<[usize; 3]>,
    /// How far points that were left out are outside, at most.
    pub(super) deviation: f64,
}

struct Triangle {
    vertices: [usize; 3],
    /// The triangles beyond the edges from vertex 0 to 1, 1 to 2 and 2 to 0.
    neighbours: [usize; 3],
    normal: Vector3<f64>,
    /// Of a sliver, whose normal is round-off: the direction of its longest edge.
    sliver: Option<Vector3<f64>>,
    outside: Vec<usize>,
    is_removed: bool,
}

/// A point in front of a triangle that waits to be added, ordered by its distance.
struct Candidate {
    distance: f64,
    triangle: usize,
    point: usize,
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_distance = self.distance.total_cmp(&other.distance);
        by_distance.then(other.triangle.cmp(&self.triangle))
    }
}

struct Builder<'a> {
    points: &'a [Vector3<f64>],
    /// Points that are less far in front of a triangle are left out.
    tolerance: f64,
    triangles: Vec<Triangle>,
    candidates: BinaryHeap<Candidate>,
}

/// The hull of finite points with at most `max_vertices` vertices (at least 4); `Err` with the largest
/// thickness if they lie in a plane to within the tolerance.
pub(super) fn convex_hull(points: &[Vector3<f64>], max_vertices: usize) -> Result<Hull, f64> {
    let (first, extent) = simplex(points)?;
    let mut builder = Builder {
        points,
        tolerance: TOLERANCE * extent,
        triangles: Vec::new(),
        candidates: BinaryHeap::new(),
    };
    builder.start(first);
    let (mut vertices, mut deviation) = (4, 0.0);
    while let Some(next) = builder.candidates.pop() {
        if builder.triangles[next.triangle].is_removed {
            continue;
        }
        if next.distance <= builder.tolerance {
            builder.look_again();
            match builder.candidates.peek() {
                Some(other) if other.distance > builder.tolerance => continue,
                _ => deviation = next.distance,
            }
            break;
        }
        if vertices >= max_vertices {
            deviation = next.distance;
            break;
        }
        builder.add(&next);
        vertices += 1;
    }
    let kept = builder.triangles.iter().filter(|t| !t.is_removed);
    Ok(Hull {
        triangles: kept.map(|t| t.vertices).collect(),
        deviation,
    })
}

/// Four points that enclose a volume, as the triangle and the apex behind it, and the largest extent.
fn simplex(points: &[Vector3<f64>]) -> Result<([usize; 4], f64), f64> {
    if points.is_empty() {
        return Err(0.0);
    }
    let furthest = |distance: &dyn Fn(&Vector3<f64>) -> f64| {
        let far = |i: &usize, j: &usize| distance(&points[*i]).total_cmp(&distance(&points[*j]));
        (0..points.len()).max_by(far).unwrap_or(0)
    };
    let extents = [0, 1, 2].map(|k| {
        let (low, high) = (furthest(&|p| -p[k]), furthest(&|p| p[k]));
        (points[high][k] - points[low][k], low, high)
    });
    let widest = extents.into_iter().max_by(|x, y| x.0.total_cmp(&y.0));
    let (extent, a, b) = widest.unwrap_or((0.0, 0, 0));
    if extent == 0.0 {
        return Err(0.0);
    }
    let along = (points[b] - points[a]).normalize();
    let across = |p: &Vector3<f64>| (p - points[a]).cross(&along);
    let c = furthest(&|p| across(p).norm());
    let normal = along.cross(&(points[c] - points[a]));
    if normal.norm() <= TOLERANCE * extent {
        return Err(normal.norm());
    }
    let normal = normal.normalize();
    let height = |p: &Vector3<f64>| normal.dot(&(p - points[a]));
    let d = furthest(&|p| height(p).abs());
    let thickness = height(&points[d]);
    if thickness.abs() <= TOLERANCE * extent {
        return Err(thickness.abs());
    }
    // Behind the triangle, so that it is counterclockwise from outside.
    let ordered = if thickness < 0.0 {
        [a, b, c, d]
    } else {
        [a, c, b, d]
    };
    Ok((ordered, extent))
}

impl Builder<'_> {
    fn start(&mut self, [a, b, c, d]: [usize; 4]) {
        self.push([a, b, c], [1, 2, 3]);
        self.push([b, a, d], [0, 3, 2]);
        self.push([c, b, d], [0, 1, 3]);
        self.push([a, c, d], [0, 2, 1]);
        let others = 0..self.points.len();
        self.distribute(others.filter(|i| ![a, b, c, d].contains(i)), 0..4);
    }

    fn push(&mut self, vertices: [usize; 3], neighbours: [usize; 3]) {
        let [a, b, c] = vertices.map(|i| self.points[i]);
        let normal = (b - a).cross(&(c - a));
        let mut edges = [b - a, c - b, a - c];
        edges.sort_by(|x, y| y.norm().total_cmp(&x.norm()));
        let [longest, ..] = edges;
        let is_sliver = normal.norm() <= self.tolerance * longest.norm();
        self.triangles.push(Triangle {
            vertices,
            neighbours,
            normal: normal / normal.norm().max(f64::MIN_POSITIVE),
            sliver: is_sliver.then(|| longest / longest.norm().max(f64::MIN_POSITIVE)),
            outside: Vec::new(),
            is_removed: false,
        });
    }

    /// How far a point that a triangle sees is in front of it; of a sliver, at most.
    fn distance(&self, triangle: &Triangle, point: usize) -> f64 {
        let from = self.points[point] - self.points[triangle.vertices[0]];
        match triangle.sliver {
            Some(along) => from.cross(&along).norm(),
            None => triangle.normal.dot(&from),
        }
    }

    fn sees(&self, point: usize, triangle: usize) -> bool {
        let coordinates = |i: usize| {
            let [x, y, z] = self.points[i].into();
            Coord3D { x, y, z }
        };
        let [a, b, c] = self.triangles[triangle].vertices.map(coordinates);
        orient3d(a, b, c, coordinates(point)) < 0.0
    }

    /// Gives each point to the triangle that it is furthest in front of; drops those that are inside.
    fn distribute(&mut self, points: impl Iterator<Item = usize>, triangles: Range<usize>) {
        for point in points {
            let seen = triangles.clone().filter(|&t| self.sees(point, t));
            let distance = |t: &usize| self.distance(&self.triangles[*t], point);
            if let Some(seen) = seen.max_by(|s, t| distance(s).total_cmp(&distance(t))) {
                self.triangles[seen].outside.push(point);
            }
        }
        for index in triangles {
            let triangle = &self.triangles[index];
            let distance = |point: &usize| self.distance(triangle, *point);
            let order = |i: &usize, j: &usize| distance(i).total_cmp(&distance(j)).then(j.cmp(i));
            if let Some(point) = triangle.outside.iter().copied().max_by(order) {
                self.candidates.push(Candidate {
                    distance: distance(&point),
                    triangle: index,
                    point,
                });
            }
        }
    }

    /// Looks whether points that are little in front of their triangle are far in front of another:
    /// of an edge in whose direction they lie, only triangles beyond it tell.
    fn look_again(&mut self) {
        let mut found = Vec::new();
        for (index, triangle) in self.triangles.iter().enumerate() {
            for &point in triangle.outside.iter().filter(|_| !triangle.is_removed) {
                let seen = self.seen_from(point, index);
                let distances = (seen.into_iter())
                    .filter(|&t| self.triangles[t].sliver.is_none())
                    .map(|t| (self.distance(&self.triangles[t], point), t));
                if let Some((distance, triangle)) = distances.max_by(|x, y| x.0.total_cmp(&y.0))
                    && distance > self.tolerance
                {
                    found.push(Candidate {
                        distance,
                        triangle,
                        point,
                    });
                }
            }
        }
        self.candidates.extend(found);
    }

    /// The triangles that a point sees, from one of them on: they are connected.
    fn seen_from(&self, point: usize, first: usize) -> Vec<usize> {
        let mut seen = vec![first];
        let mut next = 0;
        while let Some(&index) = seen.get(next) {
            next += 1;
            for neighbour in self.triangles[index].neighbours {
                if !seen.contains(&neighbour) && self.sees(point, neighbour) {
                    seen.push(neighbour);
                }
            }
        }
        seen
    }

    fn add(&mut self, eye: &Candidate) {
        let mut seen = vec![eye.triangle];
        self.triangles[eye.triangle].is_removed = true;
        let mut outline = Vec::new();
        let mut next = 0;
        while let Some(&index) = seen.get(next) {
            next += 1;
            let Triangle {
                vertices,
                neighbours,
                ..
            } = self.triangles[index];
            for (side, neighbour) in neighbours.into_iter().enumerate() {
                if self.triangles[neighbour].is_removed {
                    continue;
                }
                if self.sees(eye.point, neighbour) {
                    self.triangles[neighbour].is_removed = true;
                    seen.push(neighbour);
                } else {
                    outline.push((vertices[side], vertices[(side + 1) % 3], index, neighbour));
                }
            }
        }
        let first = self.triangles.len();
        let from: HashMap<usize, usize> = (outline.iter().enumerate())
            .map(|(k, edge)| (edge.0, first + k))
            .collect();
        let to: HashMap<usize, usize> = (outline.iter().enumerate())
            .map(|(k, edge)| (edge.1, first + k))
            .collect();
        for (k, &(a, b, inner, outer)) in outline.iter().enumerate() {
            let after = from.get(&b).copied().unwrap_or(first + k);
            let before = to.get(&a).copied().unwrap_or(first + k);
            self.push([a, b, eye.point], [outer, after, before]);
            let behind = &mut self.triangles[outer];
            for side in 0..3 {
                if behind.neighbours[side] == inner && behind.vertices[side] == b {
                    behind.neighbours[side] = first + k;
                }
            }
        }
        let waiting: Vec<usize> = seen
            .iter()
            .flat_map(|&index| std::mem::take(&mut self.triangles[index].outside))
            .filter(|&point| point != eye.point)
            .collect();
        self.distribute(waiting.into_iter(), first..self.triangles.len());
    }
}
