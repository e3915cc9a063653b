//! Checks of a mass matrix: symmetric and positive definite.

use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// Difference of two mirrored entries, relative to `√(Mᵢᵢ Mⱼⱼ)`, that is taken for round-off.
const ASYMMETRY: f64 = 1e-10;

/// Refuses a mass matrix (its real parts) that is not symmetric and positive definite.
///
/// `places` are those of its entries that are not zero: a diagonal matrix costs nothing, one of blocks little.
/// `factor` and `last` are memory.
pub(super) fn check<T: Scalar>(
    mass: &DMatrix<T>,
    places: &[[usize; 2]],
    (factor, last): (&mut Vec<f64>, &mut Vec<usize>),
) -> Result<(), InvalidInput> {
    if places.iter().all(|[i, j]| i == j) {
        return Ok(());
    }
    let nv = mass.nrows();
    factor.clear();
    factor.extend(mass.as_slice().iter().map(|m| m.re()));
    // The last index that each is coupled with.
    last.clear();
    last.extend(0..nv);
    for &[i, j] in places {
        (last[i], last[j]) = (last[i].max(j), last[j].max(i));
        let (here, there) = (factor[i + nv * j], factor[j + nv * i]);
        let diagonal = |i: usize| factor[i + nv * i];
        if here != there && (here - there).abs() > ASYMMETRY * (diagonal(i) * diagonal(j)).sqrt() {
            return Err(InvalidInput::OutOfRange {
                quantity: "M",
                index: Some(i + nv * j),
                value: here,
                expected: "the entry on the other side of the diagonal: M is symmetric",
            });
        }
    }
    // L D Lᵀ within the envelope, in the lower triangle (Golub & Van Loan, Matrix Computations,
    // 4th ed., §4.1).
    let mut end = 0;
    for k in 0..nv {
        end = end.max(last[k] + 1);
        let pivot = factor[k * nv + k];
        if pivot.is_nan() || pivot <= f64::EPSILON * nv as f64 * mass[(k, k)].re() {
            return Err(InvalidInput::OutOfRange {
                quantity: "pivot of M",
                index: Some(k),
                value: pivot,
                expected: "a positive number beyond round-off: M is positive definite",
            });
        }
        let (done, rest) = factor.split_at_mut((k + 1) * nv);
        let column = &done[k * nv..];
        let reciprocal = 1.0 / pivot;
        for (j, target) in (k + 1..end).zip(rest.chunks_exact_mut(nv)) {
            let l = column[j] * reciprocal;
            if l != 0.0 {
                for (a, &b) in target[j..end].iter_mut().zip(&column[j..end]) {
                    *a -= b * l;
                }
            }
        }
    }
    Ok(())
}
