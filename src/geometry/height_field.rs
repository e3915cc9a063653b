//! Height fields.

use super::feature::{End, FieldFeature};
use crate::{InvalidInput, Scalar, parameter::Parameter};
use arrayvec::ArrayVec;
use nalgebra::{Vector2, Vector3};
use std::fmt;
use std::ops::RangeInclusive;

/// So many heights are numbered by `u32`, with three edges each.
const MOST: usize = 1 << 30;

/// Ground given by heights on a rectangular grid, solid below them without end.
///
/// It ends at the border of the grid, without walls: a shape that is under the surface, at any depth, is pushed out; what
/// is beside the border touches nothing, also below the heights there, and its signed distance is that from the surface
/// as a sheet. Where a shape passes under the border from outside, the distance jumps and contacts appear.
///
/// In a crease a ball touches both sides, each as if it were alone, so that it is twice as stiff there as beside. What lies
/// across a ridge that bends by less than 0.1 at a vertex comes out upwards, not past the end of an edge.
///
/// The grid is centred at the origin: the height in column `c` and row `r` is at
///
/// ```text
/// x = (c − (columns − 1)/2) spacing.x,   y = (r − (rows − 1)/2) spacing.y
/// ```
///
/// and counts along z. Heights and spacing are numbers of the scalar `T`, in metres: contacts are differentiable with
/// respect to them. Each cell is two triangles, on either side of the diagonal from its corner at least `x` and `y`.
///
/// ```
/// use dualbody::geometry::HeightField;
/// use nalgebra::Vector2;
///
/// // Three columns, two rows, 0.5 m apart.
/// let heights = vec![0.0, 0.25, 0.5, 0.0, 0.25, 0.5];
/// let field = HeightField::new(3, heights, Vector2::new(0.5, 0.5))?;
/// assert_eq!((field.rows(), field.height_at(0.25, 0.1)), (2, Some(0.375)));
/// assert_eq!(field.height_at(0.6, 0.0), None);
/// # Ok::<(), dualbody::InvalidInput>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct HeightField<T> {
    heights: Vec<T>,
    columns: usize,
    spacing: Vector2<T>,
    /// The least and the largest height.
    range: [f64; 2],
}

impl<T: Scalar> HeightField<T> {
    /// A field from its heights row by row, in the order of growing `x` and then of growing `y`, and the distances of
    /// columns and rows.
    ///
    /// # Errors
    /// [`InvalidInput`] for fewer than two columns or rows, heights that do not fill the rows, heights that are not
    /// finite, and distances that are not positive and finite.
    #[inline(never)]
    pub fn new(columns: usize, heights: Vec<T>, spacing: Vector2<T>) -> Result<Self, InvalidInput> {
        let at_least_two = |quantity, count: usize| {
            InvalidInput::check_range(quantity, &[count as f64], "at least 2", |n| n >= 2.0)
        };
        at_least_two("columns of a height field", columns)?;
        at_least_two("rows of a height field", heights.len() / columns)?;
        let count = heights.len() as f64;
        InvalidInput::check_range("number of heights", &[count], "a number in each row", |n| {
            n % columns as f64 == 0.0 && n <= MOST as f64
        })?;
        let mut field = HeightField {
            heights,
            columns,
            spacing,
            range: [0.0; 2],
        };
        field.update();
        field.validate()?;
        Ok(field)
    }

    fn update(&mut self) {
        self.range = (self.heights.iter()).fold([f64::INFINITY, f64::NEG_INFINITY], |r, h| {
            [r[0].min(h.re()), r[1].max(h.re())]
        });
    }

    /// Number of columns, along x.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Number of rows, along y.
    pub fn rows(&self) -> usize {
        self.heights.len() / self.columns
    }

    /// The heights, row by row.
    pub fn heights(&self) -> &[T] {
        &self.heights
    }

    /// The distance of columns and that of rows.
    pub fn spacing(&self) -> &Vector2<T> {
        &self.spacing
    }

    /// The height of the surface at a point, by real parts; `None` beside the field.
    #[inline(never)]
    pub fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        let ([u, v], last) = (self.grid(x, y), self.last());
        if !((0.0..=last[0]).contains(&u) && (0.0..=last[1]).contains(&v)) {
            return None;
        }
        let (c, r) = (u.floor().min(last[0] - 1.0), v.floor().min(last[1] - 1.0));
        let (s, t) = (u - c, v - r);
        let at = |dc: usize, dr: usize| {
            self.heights[(r as usize + dr) * self.columns + c as usize + dc].re()
        };
        let (low, high) = (at(0, 0), at(1, 1));
        Some(if s >= t {
            low + s * (at(1, 0) - low) + t * (high - at(1, 0))
        } else {
            low + t * (at(0, 1) - low) + s * (high - at(0, 1))
        })
    }

    /// The number of the last column and row.
    fn last(&self) -> [f64; 2] {
        [self.columns, self.rows()].map(|n| (n - 1) as f64)
    }

    /// Columns and rows, with fractions.
    fn grid(&self, x: f64, y: f64) -> [f64; 2] {
        let last = self.last();
        [
            x / self.spacing.x.re() + 0.5 * last[0],
            y / self.spacing.y.re() + 0.5 * last[1],
        ]
    }

    /// The vertices at the lower corners of the cells that have a point in a rectangle.
    pub(super) fn window(
        &self,
        low: Vector2<f64>,
        high: Vector2<f64>,
    ) -> impl Iterator<Item = usize> + use<'_, T> {
        let last = self.last();
        let (from, to) = (self.grid(low.x, low.y), self.grid(high.x, high.y));
        let range = |k: usize| -> RangeInclusive<usize> {
            if !(to[k] >= 0.0 && from[k] <= last[k]) {
                return RangeInclusive::new(1, 0);
            }
            from[k].max(0.0).floor() as usize..=to[k].min(last[k]).ceil() as usize
        };
        let columns = range(0);
        range(1).flat_map(move |r| columns.clone().map(move |c| r * self.columns + c))
    }

    /// The least and the largest height.
    pub(super) fn range(&self) -> [f64; 2] {
        self.range
    }

    /// The largest distance of a point of the surface from the origin, in metres.
    pub fn extent(&self) -> f64 {
        let [x, y] = self.last();
        let half = Vector2::new(x * self.spacing.x.re(), y * self.spacing.y.re()) * 0.5;
        half.norm().hypot(self.range[0].abs().max(self.range[1]))
    }

    /// The position of a vertex, by its position among the heights, with numbers taken to another scalar.
    pub(crate) fn vertex_in<U: Scalar>(&self, index: usize, to: fn(&T) -> U) -> Option<Vector3<U>> {
        let height = to(self.heights.get(index)?);
        let [x, y] = self.last();
        let (c, r) = ((index % self.columns) as f64, (index / self.columns) as f64);
        Some(Vector3::new(
            to(&self.spacing.x) * (c - 0.5 * x),
            to(&self.spacing.y) * (r - 0.5 * y),
            height,
        ))
    }

    /// The position, by real parts, of a vertex that there is.
    pub(crate) fn real(&self, index: usize) -> Vector3<f64> {
        self.vertex_in(index, |x| x.re()).unwrap_or_default()
    }

    fn neighbour(&self, index: usize, [columns, rows]: [isize; 2]) -> Option<usize> {
        let (c, r) = (index % self.columns, index / self.columns);
        let (c, r) = (c.checked_add_signed(columns)?, r.checked_add_signed(rows)?);
        (c < self.columns && r < self.rows()).then_some(r * self.columns + c)
    }

    /// The vertices of a face, counterclockwise from above.
    pub(crate) fn face(&self, face: u32) -> Option<[usize; 3]> {
        let at = (face / 2) as usize;
        let across = self.neighbour(at, [1, 1])?;
        Some(match face % 2 {
            0 => [at, at + 1, across],
            _ => [at, across, across - 1],
        })
    }

    /// The ends of an edge.
    pub(crate) fn edge(&self, edge: u32) -> Option<[usize; 2]> {
        let at = (edge / 3) as usize;
        let to = [[1, 0], [0, 1], [1, 1]][(edge % 3) as usize];
        Some([at, self.neighbour(at, to)?])
    }

    /// The edge that goes on in the same rows or columns where an edge ends.
    pub(super) fn next(&self, edge: u32, end: End) -> Option<u32> {
        let [from, to] = self.edge(edge)?;
        let start = match end {
            End::Upper => to,
            End::Lower => from.checked_sub(to - from)?,
        };
        let next = 3 * start as u32 + edge % 3;
        let [next_from, next_to] = self.edge(next)?;
        (next_from == to || next_to == from).then_some(next)
    }

    /// Of the faces at an edge the vertices that are not on it; a single one at the border.
    pub(super) fn beside(&self, edge: u32) -> ArrayVec<usize, 2> {
        let at = (edge / 3) as usize;
        let sides = [[[1, 1], [0, -1]], [[1, 1], [-1, 0]], [[1, 0], [0, 1]]];
        (sides[(edge % 3) as usize].iter())
            .filter_map(|&to| self.neighbour(at, to))
            .collect()
    }

    /// The other ends of the edges at a vertex; six but at the border.
    pub(super) fn around(&self, vertex: usize) -> ArrayVec<usize, 6> {
        let sides = [[1, 0], [1, 1], [0, 1], [-1, 0], [-1, -1], [0, -1]];
        (sides.iter())
            .filter_map(|&to| self.neighbour(vertex, to))
            .collect()
    }

    /// The edges of a face, each following a corner.
    pub(super) fn edges(&self, face: u32) -> [u32; 3] {
        let (at, columns) = (face / 2, self.columns as u32);
        match face % 2 {
            0 => [3 * at, 3 * (at + 1) + 1, 3 * at + 2],
            _ => [3 * at + 2, 3 * (at + columns), 3 * at + 1],
        }
    }

    /// The face on the other side of an edge of a face.
    pub(super) fn opposite(&self, face: u32, side: usize) -> Option<u32> {
        let at = (face / 2) as usize;
        let (to, half) = match (face % 2, side) {
            (0, 0) => ([0, -1], 1),
            (0, 1) => ([1, 0], 1),
            (0, _) => ([0, 0], 1),
            (_, 0) => ([0, 0], 0),
            (_, 1) => ([0, 1], 0),
            (_, _) => ([-1, 0], 0),
        };
        let face = 2 * self.neighbour(at, to)? as u32 + half;
        self.face(face).map(|_| face)
    }

    /// Whether a face has an edge or a vertex.
    pub(super) fn has(&self, face: u32, feature: FieldFeature) -> bool {
        match feature {
            FieldFeature::Face(other) => face == other,
            FieldFeature::Edge(edge) => self.edges(face).contains(&edge),
            FieldFeature::Vertex(vertex) => self
                .face(face)
                .is_some_and(|corners| corners.contains(&(vertex as usize))),
        }
    }

    /// A face that has a feature.
    pub(crate) fn face_at(&self, feature: FieldFeature) -> Option<u32> {
        let at = match feature {
            FieldFeature::Face(face) => return self.face(face).map(|_| face),
            FieldFeature::Edge(edge) => edge / 3,
            FieldFeature::Vertex(vertex) => vertex,
        };
        let columns = self.columns as u32;
        let cells = [0, 1, columns, columns + 1].map(|back| at.checked_sub(back));
        let mut faces = (cells.into_iter().flatten()).flat_map(|at| [2 * at, 2 * at + 1]);
        faces.find(|&face| self.face(face).is_some() && self.has(face, feature))
    }

    /// Calls `visit` with every height and both distances.
    pub(super) fn visit_parameters(
        &mut self,
        prefix: impl fmt::Display,
        visit: &mut dyn FnMut(Parameter<'_, T>),
    ) {
        for (axis, value) in ["x", "y"].iter().zip(self.spacing.iter_mut()) {
            visit(Parameter {
                name: format_args!("{prefix}/spacing/{axis}"),
                unit: "m",
                lower: f64::MIN_POSITIVE,
                upper: f64::INFINITY,
                value,
            });
        }
        for (index, value) in self.heights.iter_mut().enumerate() {
            visit(Parameter {
                name: format_args!("{prefix}/heights/{index}"),
                unit: "m",
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
                value,
            });
        }
        self.update();
    }

    /// Checks that heights are finite and distances positive.
    pub(super) fn validate(&self) -> Result<(), InvalidInput> {
        let spacing = self.spacing.as_slice();
        InvalidInput::check_range("spacing", spacing, "a positive finite number", |x| {
            x > 0.0 && x.is_finite()
        })?;
        InvalidInput::check_finite("heights", &self.heights)
    }

    /// The same field in another scalar; only real parts are carried over.
    pub(super) fn cast<U: Scalar>(&self) -> HeightField<U> {
        HeightField {
            heights: self.heights.iter().map(|x| U::from(x.re())).collect(),
            columns: self.columns,
            spacing: self.spacing.map(|x| U::from(x.re())),
            range: self.range,
        }
    }
}

#[cfg(feature = "serde")]
mod document {
    use super::{HeightField, Vector2};
    use crate::io::json::Number;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Document<H, S> {
        columns: usize,
        spacing: S,
        heights: H,
    }

    impl<T: Number> Serialize for HeightField<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let (columns, spacing, heights) = (self.columns, &self.spacing, &self.heights);
            Document {
                columns,
                spacing,
                heights,
            }
            .serialize(serializer)
        }
    }

    impl<'de, T: Number> Deserialize<'de> for HeightField<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let Document {
                columns,
                spacing,
                heights,
            } = Document::<Vec<T>, Vector2<T>>::deserialize(deserializer)?;
            HeightField::new(columns, heights, spacing).map_err(D::Error::custom)
        }
    }
}
