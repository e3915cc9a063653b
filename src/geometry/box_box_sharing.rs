//! Weights of contact axes of two boxes whose separations are nearly equal.
//!
//! Every axis of the [separating axis test](super::separating_axis) has a score: its separation,
//! less what makes a better candidate of another that is as good to within `t`, a thousandth of the
//! smallest half size,
//!
//! ```text
//! face:   σ = s + ½ t · (area of the face)/(largest area of a face of either box)
//! edges:  σ = s − √(s² + t²)/20 − ¼ t
//! ```
//!
//! The contact belongs to the axis with the highest score `σ*`, and is shared with those less than
//! `¼ t` below it in proportion to `g = y² (3 − 2 y)` with `y = 1 − (σ* − σ)/(¼ t)`. Where the order
//! of scores changes, the shares are continuously differentiable functions of the poses.
//!
//! Faces are preferred to edges because boxes that lie flat on each other are, to first order in
//! their tilt, as deep along some cross product as along the face normals; large faces to small ones
//! so that what stands on a table has its normal. Two equal faces flat on each other share by halves.

use super::placed_box::PlacedBox;
use super::separating_axis::{Axis, AxisSet, separation};
use crate::Scalar;

/// What scores favour, relative to the smallest half size.
const SIZE_TOLERANCE: f64 = 1e-3;
/// By how much a face of the largest area is better than it is.
const FACE: f64 = 0.5;
/// By how much edges are worse than they are, and the part of that relative to the separation.
const EDGES: f64 = 0.25;
const RELATIVE_TOLERANCE: f64 = 0.05;
/// Below the highest score by this, an axis has no share.
const BAND: f64 = 0.25;

/// What scores depend on beside the separation.
pub(super) struct Sharing<T> {
    tolerance: T,
    largest_area: T,
}

impl<T: Scalar> Sharing<T> {
    /// By the smallest half width, and the largest area of a face.
    pub(super) fn new(half_width: T, largest_area: T) -> Self {
        Sharing {
            tolerance: half_width * SIZE_TOLERANCE,
            largest_area,
        }
    }

    pub(super) fn of_boxes(a: &PlacedBox<T>, b: &PlacedBox<T>) -> Self {
        let sizes = a.size.iter().chain(b.size.iter());
        let smallest = sizes.copied().reduce(|x, y| x.min_lifted(y));
        let areas = [a, b].into_iter().flat_map(|x| (0..3).map(|k| area(x, k)));
        let largest_area = areas.reduce(|x, y| x.max_lifted(y));
        Self::new(
            smallest.unwrap_or_else(T::zero) * 0.5,
            largest_area.unwrap_or_else(T::one),
        )
    }

    /// The score of a face with a separation.
    pub(super) fn face_score(&self, s: T, area: T) -> T {
        s + self.tolerance * area.div_lifted(self.largest_area) * FACE
    }

    /// The score of an axis with a separation.
    pub(super) fn score(&self, axis: Axis, s: T, a: &PlacedBox<T>, b: &PlacedBox<T>) -> T {
        match axis {
            Axis::FaceOfFirst(k) => self.face_score(s, area(a, k)),
            Axis::FaceOfSecond(k) => self.face_score(s, area(b, k)),
            Axis::Edges(..) => {
                s - T::soft_norm(&[s], self.tolerance) * RELATIVE_TOLERANCE - self.tolerance * EDGES
            }
        }
    }

    /// What an axis is worth whose score is below the highest.
    pub(super) fn worth(&self, score: T, highest: T) -> T {
        let y = (score - highest).div_lifted(self.tolerance * BAND) + 1.0;
        if y.re() <= 0.0 {
            return T::zero();
        }
        y * y * (-y * 2.0 + 3.0)
    }

    /// By how much edges have to be nearer than a face, at least.
    pub(super) fn preference(&self, separation: T) -> T {
        self.tolerance + separation.abs_lifted() * RELATIVE_TOLERANCE
    }
}

/// Half the lengths of the edges of a face, multiplied.
fn area<T: Scalar>(of: &PlacedBox<T>, k: usize) -> T {
    of.half((k + 1) % 3) * of.half((k + 2) % 3)
}

/// The shares of some axes of a set, which add up to 1 for all of it; `None` if one has no normal.
pub(super) fn shares<T: Scalar, const N: usize>(
    of: [Axis; N],
    set: AxisSet,
    a: &PlacedBox<T>,
    b: &PlacedBox<T>,
) -> Option<[T; N]> {
    if set.len() == 1 {
        return Some(of.map(|axis| T::from(f64::from(u8::from(set.contains(axis))))));
    }
    let sharing = Sharing::of_boxes(a, b);
    let score = |axis| Some(sharing.score(axis, separation(axis, a, b)?.distance, a, b));
    let mut highest = None;
    for axis in set.iter() {
        let score = score(axis)?;
        if highest.is_none_or(|highest: T| score.re() > highest.re()) {
            highest = Some(score);
        }
    }
    let (highest, mut sum, mut worths) = (highest?, T::zero(), [T::zero(); N]);
    for axis in set.iter() {
        let worth = sharing.worth(score(axis)?, highest);
        sum += worth;
        for (mine, own) in worths.iter_mut().zip(of) {
            if own == axis {
                *mine = worth;
            }
        }
    }
    Some(worths.map(|worth| worth.div_lifted(sum)))
}
