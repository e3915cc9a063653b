//! Approximate convex decomposition of a mesh.
//!
//! Approximate convex decomposition by cells (Mamou & Ghorbel 2009, *IEEE International Conference on Image Processing*,
//! 3501–3504): the solid is a set of cells of a cubic grid, which planes between cells divide, across one of the axes
//! at a time, where that leaves the least concavity. Concavity is the number of cells whose centres are in the convex
//! hull of the centres of a part but not in the part. A convex mesh has none at any size of cells: those that it reaches are the
//! grid points of its sum with a cube, which is convex.
//!
//! Cells only decide. A cut goes through the nearest vertex of the mesh within the size of a cell, and a part is
//! the hull of what of the triangles is between its cuts, and of the cells there that are inside.

use super::ConvexPolyhedron;
use super::cell_grid::{Bounds, Cell, Grid, grid_points, outlines};
use crate::InvalidInput;
use nalgebra::Vector3;

/// Cuts across an axis that are tried before those around the best.
const TRIALS: usize = 12;

/// How a mesh is divided into convex parts, in place of its convex hull, which fills notches and holes.
///
/// ```
/// use dualbody::geometry::ConvexDecomposition;
/// use nalgebra::Vector3;
///
/// // Two bars in the shape of an L: corners of its outline below, the same above.
/// let outline = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]];
/// let layer = |z: f64| outline.map(|[x, y]| Vector3::new(x, y, z));
/// let points = [layer(0.0), layer(1.0)].concat();
/// let mut triangles = vec![];
/// for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
///     triangles.extend([[a, c, b], [a + 6, b + 6, c + 6]]);
/// }
/// for a in 0..6 {
///     let b = (a + 1) % 6;
///     triangles.extend([[a, b, b + 6], [a, b + 6, a + 6]]);
/// }
/// let (parts, _) = ConvexDecomposition::default().parts_of(&points, &triangles, 64)?;
/// let volume: f64 = parts.iter().map(|part| part.volume()).sum();
/// assert_eq!(parts.len(), 2);
/// assert!((volume - 4.0).abs() < 1e-12);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct ConvexDecomposition {
    /// The largest number of parts, from 1 to 256 (default 16).
    pub max_parts: usize,
    /// What the hulls of parts may fill that is not in the mesh, each as a share of the hull of the whole mesh,
    /// from 0 to 1 (default 0.01).
    pub concavity: f64,
    /// Cells along the largest extent of the mesh, from 8 to 128 (default 32): what is narrower than a cell is neither
    /// notch nor hole. Time and memory grow with its cube.
    pub resolution: usize,
}

impl Default for ConvexDecomposition {
    fn default() -> Self {
        ConvexDecomposition {
            max_parts: 16,
            concavity: 0.01,
            resolution: 32,
        }
    }
}

/// Cells between cuts.
struct Part {
    cells: Vec<Cell>,
    /// Where it begins and ends along each axis, in metres.
    bounds: Bounds,
    /// Cells that its hull has and it has not.
    missing: usize,
}

/// Between slices `index` and `index + 1` of a part along an axis.
struct Cut {
    axis: usize,
    index: usize,
    /// Where it is along the axis, in metres.
    at: f64,
    /// What the parts on both sides miss, whether no vertex is near, and by how many cells they differ.
    score: (usize, bool, usize),
}

impl ConvexDecomposition {
    /// Checks that the values are in their ranges.
    ///
    /// # Errors
    /// [`InvalidInput`] for one that is not.
    pub fn validate(&self) -> Result<(), InvalidInput> {
        let [parts, cells] = [self.max_parts, self.resolution].map(|n| n as f64);
        InvalidInput::check_range("number of parts", &[parts], "1 … 256", |n| {
            (1.0..=256.0).contains(&n)
        })?;
        InvalidInput::check_range("concavity", &[self.concavity], "0 … 1", |x| {
            (0.0..=1.0).contains(&x)
        })?;
        InvalidInput::check_range("resolution", &[cells], "8 … 128", |n| {
            (8.0..=128.0).contains(&n)
        })
    }

    /// The convex parts of a mesh, each with at most `max_vertices` vertices, and how far outside of them the mesh
    /// reaches for that reason, at most, in metres.
    ///
    /// `points` are in metres, `triangles` positions of their corners in any orientation. Cavities that the surface
    /// closes off count as solid. Where it is open by more than a cell, the surface itself is what is divided; a part that
    /// lies in a plane has the thickness of a cell. The same mesh has the same parts, to the bit.
    ///
    /// # Errors
    /// [`InvalidInput`] for options out of range; for points that [have no hull](ConvexPolyhedron::hull_of); for
    /// no triangles, corners that there are not, and more triangles than bounded time allows for: the number of
    /// cells in the boxes around triangles, counted for each of these, is at most 5·10⁷.
    pub fn parts_of(
        &self,
        points: &[Vector3<f64>],
        triangles: &[[usize; 3]],
        max_vertices: usize,
    ) -> Result<(Vec<ConvexPolyhedron<f64>>, f64), InvalidInput> {
        self.validate()?;
        // Also says whether the points can be used.
        let whole = ConvexPolyhedron::simplified_hull_of(points, max_vertices)?;
        let grid = Grid::new(points, triangles, self.resolution)?;
        let mut parts = vec![Part::new(grid.cells(triangles), grid.bounds())];
        let all = parts[0].cells.len() + parts[0].missing;
        while parts.len() < self.max_parts {
            let worst = (0..parts.len()).max_by_key(|&i| (parts[i].missing, usize::MAX - i));
            let Some(cut) = worst
                .filter(|&i| parts[i].missing as f64 > self.concavity * all as f64)
                .and_then(|i| Some((i, parts[i].best_cut(&grid, triangles)?)))
            else {
                break;
            };
            let (index, cut) = cut;
            let part = parts.swap_remove(index);
            parts.extend(part.divided(&cut));
        }
        if parts.len() == 1 {
            return Ok((vec![whole.0], whole.1));
        }
        let (mut hulls, mut largest) = (Vec::new(), 0.0);
        for part in &parts {
            let exact = grid.clipped(&part.cells, &part.bounds, triangles);
            let (hull, deviation) = ConvexPolyhedron::simplified_hull_of(&exact, max_vertices)
                .or_else(|_| {
                    let thick = grid.corners(&part.cells, &part.bounds, |_| true);
                    ConvexPolyhedron::simplified_hull_of(&thick, max_vertices)
                })?;
            largest = f64::max(largest, deviation);
            hulls.push(hull);
        }
        Ok((hulls, largest))
    }
}

impl Part {
    fn new(cells: Vec<Cell>, bounds: Bounds) -> Self {
        let outlines = outlines(&cells, 0).concat();
        let missing = grid_points(outlines).saturating_sub(cells.len());
        Part {
            cells,
            bounds,
            missing,
        }
    }

    /// The cut that leaves the least concavity, then one through a vertex, then the most equal parts; none of a single cell.
    fn best_cut(&self, grid: &Grid, triangles: &[[usize; 3]]) -> Option<Cut> {
        let walls = self.walls(grid, triangles);
        let slices = [0, 1, 2].map(|axis| outlines(&self.cells, axis));
        let mut counts = slices.each_ref().map(|slices| vec![0; slices.len()]);
        let lows = self.lows();
        for cell in &self.cells {
            for k in 0..3 {
                counts[k][(cell.at[k] - lows[k]) as usize] += 1;
            }
        }
        let cut = |axis: usize, index: usize| {
            let (below, above) = slices[axis].split_at(index + 1);
            let number: usize = counts[axis][..=index].iter().sum();
            let other = self.cells.len() - number;
            let missing = grid_points(below.concat()).saturating_sub(number)
                + grid_points(above.concat()).saturating_sub(other);
            let wall = walls[axis][index];
            Cut {
                axis,
                index,
                at: wall.unwrap_or_else(|| grid.middle(axis, lows[axis] + index as i64)),
                score: (missing, wall.is_none(), number.abs_diff(other)),
            }
        };
        let ways = |axis: usize| slices[axis].len() - 1;
        let stride = |axis: usize| ways(axis) / TRIALS + 1;
        let coarse = (0..3).flat_map(|axis| {
            let first = (stride(axis) - 1) / 2;
            (first..ways(axis))
                .step_by(stride(axis))
                .map(move |index| (axis, index))
        });
        let coarse = coarse.map(|(axis, index)| cut(axis, index));
        let best = coarse.min_by_key(|cut| cut.score)?;
        let reach = stride(best.axis) - 1;
        let near = best.index.saturating_sub(reach)..(best.index + reach + 1).min(ways(best.axis));
        near.map(|index| cut(best.axis, index))
            .min_by_key(|cut| cut.score)
    }

    /// For each axis and each cut across it the vertex of the mesh that is nearest, if there is one within a cell.
    fn walls(&self, grid: &Grid, triangles: &[[usize; 3]]) -> [Vec<Option<f64>>; 3] {
        let lows = self.lows();
        let mut walls = [0, 1, 2].map(|k| {
            let last = self.cells.iter().map(|cell| cell.at[k]).max();
            vec![None; (last.unwrap_or(0) - lows[k]) as usize]
        });
        let is_inside = |p: &Vector3<f64>| {
            (0..3).all(|k| (self.bounds[k][0]..=self.bounds[k][1]).contains(&p[k]))
        };
        let corners = triangles.as_flattened().iter().map(|&i| grid.points[i]);
        for p in corners.filter(is_inside) {
            for k in 0..3 {
                let [low, high] = self.bounds[k];
                let at = (p[k] - grid.low[k]) / grid.cell;
                let near = (at - 1.5).ceil() as i64..=(at + 0.5).floor() as i64;
                for last in near.filter(|_| low < p[k] && p[k] < high) {
                    let distance = |x: f64| (x - grid.middle(k, last)).abs();
                    if let Some(wall) = usize::try_from(last - lows[k])
                        .ok()
                        .and_then(|index| walls[k].get_mut(index))
                        && wall.is_none_or(|x| distance(p[k]) < distance(x))
                    {
                        *wall = Some(p[k]);
                    }
                }
            }
        }
        walls
    }

    fn lows(&self) -> [i64; 3] {
        [0, 1, 2].map(|k| self.cells.iter().map(|c| c.at[k]).min().unwrap_or(0))
    }

    fn divided(self, cut: &Cut) -> [Part; 2] {
        let Cut { axis, at, .. } = *cut;
        let last = self.lows()[axis] + cut.index as i64;
        let (below, above) = (self.cells.into_iter()).partition(|cell| cell.at[axis] <= last);
        let [mut low, mut high] = [self.bounds; 2];
        low[axis][1] = at;
        high[axis][0] = at;
        [Part::new(below, low), Part::new(above, high)]
    }
}
