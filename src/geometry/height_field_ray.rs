//! Ray casts against height fields.
//!
//! The cells under a ray are passed in order (Amanatides & Woo 1987, *Eurographics*); the first triangle that it enters
//! from above counts.

use super::{HeightField, RaySurface};
use crate::Scalar;
use nalgebra::Vector3;

/// Crossings outside of a triangle by less, relative to its area, are on its outline.
const ON_OUTLINE: f64 = 1e-12;

impl<T: Scalar> HeightField<T> {
    /// The face that a ray from `o` along the unit vector `d`, in the frame of the field, enters first.
    pub(super) fn cast_ray(
        &self,
        (o, d): (&Vector3<f64>, &Vector3<f64>),
        max_distance: f64,
    ) -> Option<RaySurface> {
        // The part of the ray above the field and between the least and the largest height.
        let (low, high) = self.bounds();
        let (mut from, mut to) = (0.0_f64, max_distance);
        for axis in 0..3 {
            if d[axis] == 0.0 {
                if !(low[axis]..=high[axis]).contains(&o[axis]) {
                    return None;
                }
                continue;
            }
            let ends = [low, high].map(|bound| (bound[axis] - o[axis]) / d[axis]);
            from = from.max(ends[0].min(ends[1]));
            to = to.min(ends[0].max(ends[1]));
        }
        // Rounding must not hide a field of one height.
        if from.is_nan() || from > to + ON_OUTLINE * (1.0 + to.abs()) {
            return None;
        }
        let last = [self.columns() - 2, self.rows() - 2];
        let spacing = self.spacing().map(|x| x.re());
        let start = o + d * from;
        let mut cell = [0, 1].map(|k| {
            let at = ((start[k] - low[k]) / spacing[k]).floor();
            at.clamp(0.0, last[k] as f64) as usize
        });
        loop {
            let at = (cell[1] * self.columns() + cell[0]) as u32;
            let nearest = [2 * at, 2 * at + 1]
                .into_iter()
                .filter_map(|face| Some((self.entry(face, o, d)?, face)))
                .filter(|(t, _)| (0.0..=max_distance).contains(t))
                .min_by(|x, y| x.0.total_cmp(&y.0));
            if let Some((_, face)) = nearest {
                return Some(RaySurface::Ground(face));
            }
            // On into the next cell.
            let leave = [0, 1].map(|k| {
                let side = cell[k] + usize::from(d[k] > 0.0);
                match d[k] == 0.0 {
                    true => f64::INFINITY,
                    false => (low[k] + side as f64 * spacing[k] - o[k]) / d[k],
                }
            });
            let k = usize::from(leave[1] < leave[0]);
            if leave[k] > to || leave[k].is_infinite() {
                return None;
            }
            cell[k] = match d[k] > 0.0 {
                true => cell[k] + 1,
                false => cell[k].checked_sub(1)?,
            };
            if cell[k] > last[k] {
                return None;
            }
        }
    }

    /// The distance at which a ray enters a face from above.
    fn entry(&self, face: u32, o: &Vector3<f64>, d: &Vector3<f64>) -> Option<f64> {
        let corners = self.face(face)?.map(|vertex| self.real(vertex));
        let [a, b, c] = corners;
        let normal = (b - a).cross(&(c - a));
        let slope = normal.dot(d);
        if slope >= 0.0 {
            return None;
        }
        let t = normal.dot(&(a - o)) / slope;
        let p = o + d * t;
        let tolerance = ON_OUTLINE * normal.norm_squared();
        let is_inside = (0..3).all(|k| {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            (to - from).cross(&(p - from)).dot(&normal) >= -tolerance
        });
        is_inside.then_some(t)
    }

    /// A normal of a face and a point on it.
    pub(super) fn face_plane(&self, face: u32) -> Option<(Vector3<T>, Vector3<T>)> {
        let [a, b, c] = self.face(face)?;
        let at = |vertex| self.vertex_in(vertex, |x| *x);
        let (a, b, c) = (at(a)?, at(b)?, at(c)?);
        Some(((b - a).cross(&(c - a)), a))
    }

    /// The box around the surface.
    fn bounds(&self) -> (Vector3<f64>, Vector3<f64>) {
        let (mut low, mut high) = (self.real(0), self.real(self.heights().len() - 1));
        [low.z, high.z] = self.range();
        (low, high)
    }
}
