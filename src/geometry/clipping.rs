//! Clipping of convex outlines (Sutherland & Hodgman 1974, *Communications of the ACM* 17(1), 32–42).

use arrayvec::ArrayVec;
use nalgebra::Vector3;

/// Corners of a convex outline, in order, each with the side that follows it.
pub(super) type Outline<S, const N: usize> = ArrayVec<(Vector3<f64>, S), N>;

/// Leaves of an outline what is not beyond a line, where `beyond` is positive; the cut becomes the side `by`. Corners
/// that there is no room for are left out.
pub(super) fn clip<S: Copy, const N: usize>(
    outline: &mut Outline<S, N>,
    by: S,
    beyond: impl Fn(&Vector3<f64>) -> f64,
) {
    let before = outline.clone();
    outline.clear();
    for (index, &(p, side)) in before.iter().enumerate() {
        let (q, _) = before[(index + 1) % before.len()];
        let (from, to) = (beyond(&p), beyond(&q));
        if from <= 0.0 {
            let _ = outline.try_push((p, side));
        }
        if (from <= 0.0) != (to <= 0.0) {
            let crossing = p + (q - p) * (from / (from - to));
            let _ = outline.try_push((crossing, if from <= 0.0 { by } else { side }));
        }
    }
}
