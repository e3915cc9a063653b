//! A voxel grid of a mesh.

use super::clipping::{Outline, clip};
use super::convex_hull::{Hull, convex_hull};
use super::convex_polyhedron::check_finite;
use crate::InvalidInput;
use nalgebra::Vector3;
use parry3d_f64::math::Vector;
use parry3d_f64::transformation::voxelization::{FillMode, VoxelSet};

/// Pairs of a triangle and a cell in the box around it, at most: bounds time and memory for any mesh.
const MOST_PAIRS: f64 = 5e7;
/// How far from a cut what is clipped there may be by round-off, in cells.
const IN_A_CUT: f64 = 1e-9;
/// By how much centres of cells that lie in a plane are spread, so that they have a hull, in cells.
const SPREAD: f64 = 1e-3;

/// Where something begins and ends along each axis, in metres.
pub(super) type Bounds = [[f64; 2]; 3];

/// A cell by its position in the grid, and whether the surface of the mesh goes through it.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub at: [i64; 3],
    pub is_on_surface: bool,
}

/// Cubic cells, with one centred at the least coordinates of a mesh.
pub(super) struct Grid<'a> {
    pub points: &'a [Vector3<f64>],
    pub low: Vector3<f64>,
    high: Vector3<f64>,
    /// The side of a cell in metres.
    pub cell: f64,
}

impl<'a> Grid<'a> {
    pub fn new(
        points: &'a [Vector3<f64>],
        triangles: &[[usize; 3]],
        resolution: usize,
    ) -> Result<Self, InvalidInput> {
        check_finite(points)?;
        let corners = triangles.as_flattened();
        if let Some(index) = corners.iter().position(|i| *i >= points.len()) {
            return Err(InvalidInput::OutOfRange {
                quantity: "corners of triangles",
                index: Some(index),
                value: corners[index] as f64,
                expected: "positions of points",
            });
        }
        let used = || corners.iter().map(|&i| points[i]);
        let low = used().reduce(|a, b| a.inf(&b)).unwrap_or_default();
        let high = used().reduce(|a, b| a.sup(&b)).unwrap_or_default();
        let cell = (high - low).max() / (resolution - 1) as f64;
        InvalidInput::check_range("extent of the triangles", &[cell], "> 0", |x| x > 0.0)?;
        let grid = Grid {
            points,
            low,
            high,
            cell,
        };
        // The cells that the voxelisation looks at.
        let cells_around = |triangle: &[usize; 3]| {
            let corners = triangle.map(|i| grid.scaled(i));
            let span = |k: usize| {
                let [a, b, c] = corners.map(|p| p[k]);
                a.max(b).max(c) - a.min(b).min(c) + 3.0
            };
            span(0) * span(1) * span(2)
        };
        let pairs: f64 = triangles.iter().map(cells_around).sum();
        let expected = "at most 5e7: fewer triangles or a lower resolution";
        InvalidInput::check_range("cells around triangles", &[pairs], expected, |n| {
            n <= MOST_PAIRS
        })?;
        Ok(grid)
    }

    fn scaled(&self, point: usize) -> Vector3<f64> {
        (self.points[point] - self.low) / self.cell
    }

    pub fn bounds(&self) -> Bounds {
        [0, 1, 2].map(|k| [self.low[k], self.high[k]])
    }

    /// Between a slice of cells and the next, in metres.
    pub fn middle(&self, axis: usize, slice: i64) -> f64 {
        self.low[axis] + (slice as f64 + 0.5) * self.cell
    }

    /// Whether a bound of a part is a cut, and not where the mesh ends.
    fn is_inner(&self, bound: f64, axis: usize) -> bool {
        self.low[axis] < bound && bound < self.high[axis]
    }

    /// The cells that the mesh reaches or encloses.
    pub fn cells(&self, triangles: &[[usize; 3]]) -> Vec<Cell> {
        let corners = triangles.as_flattened().iter();
        let points: Vec<Vector> = corners
            .map(|&i| Vector::from_array(self.scaled(i).into()))
            .collect();
        let indices = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
        let fill_mode = FillMode::FloodFill {
            detect_cavities: false,
        };
        let indices: Vec<_> = indices.collect();
        let voxels = VoxelSet::with_voxel_size(&points, &indices, 1.0, fill_mode, false);
        let cells = voxels.voxels().iter().map(|voxel| Cell {
            at: [0, 1, 2].map(|k| voxel.coords[k]),
            is_on_surface: voxel.is_on_surface,
        });
        cells.collect()
    }

    /// What of the mesh is between the cuts around a part: corners of its clipped triangles, and of cells inside.
    pub fn clipped(
        &self,
        cells: &[Cell],
        bounds: &Bounds,
        triangles: &[[usize; 3]],
    ) -> Vec<Vector3<f64>> {
        let mut points = self.corners(cells, bounds, |cell| !cell.is_on_surface);
        for triangle in triangles {
            let corners = triangle.map(|i| self.points[i]);
            let is_beyond = (bounds.iter().enumerate()).any(|(k, [low, high])| {
                corners.iter().all(|p| p[k] < *low) || corners.iter().all(|p| p[k] > *high)
            });
            if is_beyond {
                continue;
            }
            let mut outline: Outline<(), 9> = corners.map(|p| (p, ())).into_iter().collect();
            for (k, [low, high]) in bounds.iter().enumerate() {
                clip(&mut outline, (), |p| low - p[k]);
                clip(&mut outline, (), |p| p[k] - high);
            }
            // What only lies in a cut is a wall of the part beyond it.
            let is_in_a_cut = (0..3).any(|k| {
                let is_in = |x: f64| {
                    let mut distances = outline.iter().map(|(p, ())| (p[k] - x).abs());
                    self.is_inner(x, k) && distances.all(|d| d < IN_A_CUT * self.cell)
                };
                bounds[k].into_iter().any(is_in)
            });
            if !is_in_a_cut {
                points.extend(outline.iter().map(|(p, ())| *p));
            }
        }
        points
    }

    /// Corners of those outermost of some cells of a part, as far as they are between its cuts, in metres.
    pub fn corners(
        &self,
        cells: &[Cell],
        bounds: &Bounds,
        is_meant: impl Fn(&Cell) -> bool,
    ) -> Vec<Vector3<f64>> {
        let cells: Vec<Cell> = cells.iter().copied().filter(is_meant).collect();
        let mut corners = Vec::new();
        for center in outlines(&cells, 0).into_iter().flatten() {
            for corner in 0..8 {
                corners.push(Vector3::from_fn(|k, _| {
                    let side = if corner >> k & 1 == 0 { -0.5 } else { 0.5 };
                    let [low, high] = bounds[k];
                    let at = self.low[k] + (center[k] + side) * self.cell;
                    // Only cuts bound: a surface may be flat.
                    let at = if self.is_inner(low, k) {
                        at.max(low)
                    } else {
                        at
                    };
                    if self.is_inner(high, k) {
                        at.min(high)
                    } else {
                        at
                    }
                }));
            }
        }
        corners
    }
}

/// For each slice of cells across an axis, the corners of the convex hull of their centres.
pub(super) fn outlines(cells: &[Cell], axis: usize) -> Vec<Vec<Vector3<f64>>> {
    let axes = [axis, (axis + 1) % 3, (axis + 2) % 3];
    let along = |cell: &Cell| axes.map(|k| cell.at[k]);
    let low = cells
        .iter()
        .map(along)
        .reduce(|a, b| [0, 1, 2].map(|k| a[k].min(b[k])));
    let high = cells
        .iter()
        .map(along)
        .reduce(|a, b| [0, 1, 2].map(|k| a[k].max(b[k])));
    let Some((low, high)) = low.zip(high) else {
        return Vec::new();
    };
    let [slices, rows] = [0, 1].map(|k| (high[k] - low[k] + 1) as usize);
    // The first and the last cell of each row.
    let mut ends = vec![vec![None; rows]; slices];
    for [i, j, k] in cells.iter().map(along) {
        let end = &mut ends[(i - low[0]) as usize][(j - low[1]) as usize];
        let (first, last) = end.unwrap_or((k, k));
        *end = Some((k.min(first), k.max(last)));
    }
    let outline = |(i, rows): (i64, Vec<Option<(i64, i64)>>)| {
        let rows = (low[1]..).zip(rows);
        let ends: Vec<_> = rows.filter_map(|(j, ends)| Some((j, ends?))).collect();
        let below = chain(ends.iter().map(|(j, (first, _))| [*j, *first]), 1);
        let above = chain(ends.iter().map(|(j, (_, last))| [*j, *last]), -1);
        let corner = |[j, k]: [i64; 2]| {
            let mut corner = Vector3::zeros();
            for (axis, x) in axes.into_iter().zip([i, j, k]) {
                corner[axis] = x as f64;
            }
            corner
        };
        below.into_iter().chain(above).map(corner).collect()
    };
    (low[0]..).zip(ends).map(outline).collect()
}

/// Of points from left to right those that turn to the left (`side` 1) or to the right (−1): the lower or upper part of their
/// hull.
fn chain(points: impl Iterator<Item = [i64; 2]>, side: i64) -> Vec<[i64; 2]> {
    let mut chain: Vec<[i64; 2]> = Vec::new();
    for [x, y] in points {
        while let [.., [ax, ay], [bx, by]] = chain[..]
            && side * ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) <= 0
        {
            chain.pop();
        }
        chain.push([x, y]);
    }
    chain
}

/// How many points with whole coordinates are in the convex hull of some.
pub(super) fn grid_points(mut points: Vec<Vector3<f64>>) -> usize {
    let hull = convex_hull(&points, usize::MAX).or_else(|_| {
        points = (points.iter())
            .flat_map(|p| {
                let spread = |k: usize| Vector3::ith(k, SPREAD);
                [0, 1, 2].map(|k| [p + spread(k), p - spread(k)])
            })
            .flatten()
            .collect();
        convex_hull(&points, usize::MAX)
    });
    let Ok(Hull { triangles, .. }) = hull else {
        return 0;
    };
    let planes: Vec<(Vector3<f64>, f64)> = (triangles.iter())
        .map(|triangle| {
            let [a, b, c] = triangle.map(|i| points[i]);
            let normal = (b - a).cross(&(c - a));
            (normal, normal.dot(&a))
        })
        .collect();
    let low = points.iter().copied().reduce(|a, b| a.inf(&b));
    let high = points.iter().copied().reduce(|a, b| a.sup(&b));
    let (low, high) = (low.unwrap_or_default(), high.unwrap_or_default());
    let range = |k: usize| low[k].ceil() as i64..=high[k].floor() as i64;
    // Along the longest extent, so that there are few lines.
    let c = (high - low).imax();
    let (a, b) = ((c + 1) % 3, (c + 2) % 3);
    let mut count = 0;
    for i in range(a) {
        for j in range(b) {
            let (mut from, mut to) = (low[c], high[c]);
            for (normal, offset) in &planes {
                let room = offset - normal[a] * i as f64 - normal[b] * j as f64;
                match normal[c] {
                    n if n > 0.0 => to = to.min(room / n),
                    n if n < 0.0 => from = from.max(room / n),
                    _ if room < 0.0 => to = f64::NEG_INFINITY,
                    _ => {}
                }
            }
            count += (to.floor() - from.ceil() + 1.0).max(0.0) as usize;
        }
    }
    count
}
