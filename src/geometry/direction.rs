//! Length and direction of a vector, safe at zero length.

use crate::Scalar;
use nalgebra::Vector3;

/// Below this length, in metres, a vector has no direction: the difference of positions some metres
/// from the origin is round-off then, and the derivatives of its direction, which grow with the
/// inverse of the length, are meaningless.
const NO_DIRECTION: f64 = 1e-12;

/// `(‖v‖, v/‖v‖)`, and `(v · fallback, fallback)` where `v` vanishes; `fallback` must be a unit
/// vector.
///
/// With the fallback the length is that of the component along it. It is consistent with the
/// direction, as a contact force law needs: the rate of the distance is the velocity along the
/// normal.
pub(super) fn length_and_direction<T: Scalar>(
    v: &Vector3<T>,
    fallback: impl FnOnce() -> Vector3<T>,
) -> (T, Vector3<T>) {
    let length = T::norm_lifted(&[v.x, v.y, v.z]);
    if length.re() < NO_DIRECTION {
        let fallback = fallback();
        return (v.dot(&fallback), fallback);
    }
    (length, v.map(|x| x.div_lifted(length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_dual::Dual3_64;

    #[test]
    fn derivatives_stay_finite_down_to_the_threshold() {
        for magnitude in [0.0, 1e-200, 1e-20, 0.9e-12, 1.1e-12, 1e-6, 1.0] {
            let v = Vector3::new(
                Dual3_64::new(magnitude, 1.0, 0.5, 0.25),
                Dual3_64::new(magnitude * 0.3, -2.0, 0.0, 1.0),
                Dual3_64::new(0.0, 3.0, 0.0, 0.0),
            );
            let (length, direction) = length_and_direction(&v, Vector3::y);
            for x in [length, direction.x, direction.y, direction.z] {
                let finite = [x.re, x.v1, x.v2, x.v3].iter().all(|d| d.is_finite());
                assert!(finite, "{x:?} at {magnitude:e}");
            }
        }
    }

    #[test]
    fn zero_vector_moves_along_the_fallback() {
        let v = Vector3::new(0.0, 2.0, 0.0).map(|d| Dual3_64::new(0.0, d, 0.0, 0.0));
        let (length, direction) = length_and_direction(&v, Vector3::y);
        assert_eq!((length.re, length.v1), (0.0, 2.0));
        assert_eq!(direction.map(|x| x.re), Vector3::y());
        assert_eq!(direction.map(|x| x.v1), Vector3::zeros());
    }
}
