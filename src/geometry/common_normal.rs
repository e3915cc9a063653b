//! The common normal of two lines: where they come nearest to each other.
//!
//! Lines through `p_A` and `p_B` with unit directions `a` and `b`. With `m = a × b`, the points
//! `p_A + s a` and `p_B + t b` differ by a vector along `m` when
//!
//! ```text
//! s = ((p_B − p_A) × b) · m / ‖m‖²,     t = ((p_B − p_A) × a) · m / ‖m‖²,
//! ```
//!
//! and their distance, along `m/‖m‖`, is `m · (p_A − p_B)/‖m‖`. Unlike the usual system with
//! `1 − (a · b)²` this loses no digits when the lines are nearly parallel.
//!
//! *Singular state.* Lines parallel to within 10⁻¹² rad have no common normal. They are parallel to
//! within 10⁻⁸ rad already for the pairs that look for one, so this happens only where features are
//! evaluated away from the poses where they were found.

use super::direction::length_and_direction;
use crate::Scalar;
use nalgebra::Vector3;

/// Below this sine of the angle between them, lines count as parallel.
pub(super) const PARALLEL: f64 = 1e-8;

/// The common normal of a line A and a line B.
pub(super) struct CommonNormal<T> {
    /// Unit vector along it, on the side asked for.
    pub(super) nhat: Vector3<T>,
    /// Distance of A from B along `nhat`.
    pub(super) distance: T,
    /// Where it meets A, from the point and along the direction that were given.
    pub(super) s: T,
    /// Where it meets B.
    pub(super) t: T,
}

/// The common normal of the lines through `p_A` along `a` and through `p_B` along `b`.
///
/// It points to the side of `towards` by real parts. For parallel lines it is the unit vector along
/// `towards`, from and to the points given.
pub(super) fn common_normal<T: Scalar>(
    (p_A, a): (&Vector3<T>, &Vector3<T>),
    (p_B, b): (&Vector3<T>, &Vector3<T>),
    towards: &Vector3<T>,
) -> CommonNormal<T> {
    let m = a.cross(b);
    let d = p_A - p_B;
    let mut is_parallel = false;
    let (length, direction) = length_and_direction(&m, || {
        is_parallel = true;
        length_and_direction(towards, Vector3::x).1
    });
    let nhat = if direction.dot(towards).re() < 0.0 {
        -direction
    } else {
        direction
    };
    let (s, t) = if is_parallel {
        (T::zero(), T::zero())
    } else {
        let square = length * length;
        (
            b.cross(&d).dot(&m).div_lifted(square),
            a.cross(&d).dot(&m).div_lifted(square),
        )
    };
    CommonNormal {
        nhat,
        distance: nhat.dot(&d),
        s,
        t,
    }
}

impl CommonNormal<f64> {
    /// How far two segments are from where the common normal of their lines begins to meet both, or
    /// ceases to.
    ///
    /// The lines enclose an angle with this sine; the segments reach from the points given to
    /// `half_a` and `half_b` on either side. A motion of all points by μ moves the end of a segment by
    /// μ relative to the plane through the other line along the normal, and turns that plane.
    pub(super) fn meeting_margin(&self, sine: f64, half_a: f64, half_b: f64) -> f64 {
        let beyond = |at: f64, half: f64| {
            let turning = 1.0 + self.distance.abs() / (half * sine);
            (at.abs() - half) * sine / turning
        };
        // The points of B move by more than those of A, at whose distance from A they turn.
        let of_b = beyond(self.t, half_b) / (1.0 + half_b / half_a);
        beyond(self.s, half_a).max(of_b).abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_the_nearest_points() {
        let (p_A, p_B) = (Vector3::new(0.3, -0.2, 0.9), Vector3::new(-0.4, 0.1, 0.2));
        let a: Vector3<f64> = Vector3::new(0.6, 0.0, 0.8);
        for b in [Vector3::y(), Vector3::new(0.6, 1e-6, 0.8).normalize()] {
            for towards in [Vector3::z(), -Vector3::z()] {
                let normal = common_normal((&p_A, &a), (&p_B, &b), &towards);
                let gap = (p_A + a * normal.s) - (p_B + b * normal.t);
                let scale = 1.0 + normal.s.abs();
                assert!((gap - normal.nhat * normal.distance).norm() < 1e-15 * scale);
                assert!(normal.nhat.dot(&a).abs() < 1e-9 && normal.nhat.dot(&b).abs() < 1e-9);
                assert!(normal.nhat.dot(&towards) > 0.0);
            }
        }
    }
}
