//! Eigenvalues and eigenvectors of a symmetric 3×3 matrix, with derivatives.

use super::rotation;
use crate::error::Short;
use crate::{InvalidInput, Scalar};
use nalgebra::{Const, Matrix3, SymmetricEigen, Vector3};

/// Iterations of a decomposition; 3×3 matrices take about ten.
const MAX_ITERATIONS: usize = 1000;

/// Why a symmetric matrix has no eigenvalues, or these no derivatives.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SymmetricEigenError {
    /// An entry, or an eigenvalue, is not a finite number.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// Two eigenvalues are too close for their eigenvectors to have derivatives.
    #[error(
        "eigenvalues {} and {} coincide: their eigenvectors are not differentiable functions of the matrix",
        Short(*first),
        Short(*second)
    )]
    Degenerate {
        /// One of them.
        first: f64,
        /// The other.
        second: f64,
    },
}

/// Eigenvalues, in ascending order, and orthonormal eigenvectors (as columns, right-handed) of the
/// symmetric matrix `a`: principal moments and axes of an inertia tensor, for example.
///
/// # Mathematics
/// `f64` diagonalises the real part, `A₀ = Q₀ Λ₀ Q₀ᵀ`. With infinitesimal parts, `B = Qᵀ A Q` has
/// infinitesimal entries beside the diagonal, and the rotation `exp S` with the antisymmetric
/// `Sᵢⱼ = Bᵢⱼ/(λⱼ − λᵢ)` removes them up to terms of one order more. Repeating this as often as
/// the scalar carries orders makes `Q` and the diagonal of `B` exact.
///
/// # Errors
/// [`SymmetricEigenError::Invalid`] for entries, eigenvalues or eigenvectors that are not finite;
/// [`SymmetricEigenError::Degenerate`], when derivatives are asked for (not with `f64`), if two
/// eigenvalues agree to 1e-12 of the largest modulus.
pub fn symmetric_eigen<T: Scalar>(
    a: &Matrix3<T>,
) -> Result<(Vector3<T>, Matrix3<T>), SymmetricEigenError> {
    InvalidInput::check_finite("symmetric matrix", a.as_slice())?;
    let real = a.map(|x| x.re());
    let decomposition = decompose(&real).ok_or(InvalidInput::OutOfRange {
        quantity: "largest entry of a symmetric matrix",
        index: None,
        value: real.amax(),
        expected: "one whose eigenvalues are found",
    })?;
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| decomposition.eigenvalues[i].total_cmp(&decomposition.eigenvalues[j]));
    let lambda = order.map(|i| decomposition.eigenvalues[i]);
    let columns = order.map(|i| decomposition.eigenvectors.column(i).into_owned());
    let mut real_axes = Matrix3::from_columns(&columns);
    if real_axes.determinant() < 0.0 {
        real_axes.column_mut(2).neg_mut();
    }
    let mut axes = real_axes.map(T::from);
    for _ in 0..T::NDERIV {
        let b = axes.tr_mul(&(a * axes));
        let s = |i: usize, j: usize| {
            let gap = lambda[j] - lambda[i];
            if gap.abs() <= 1e-12 * lambda[0].abs().max(lambda[2].abs()) {
                return Err(SymmetricEigenError::Degenerate {
                    first: lambda[i],
                    second: lambda[j],
                });
            }
            Ok(b[(i, j)].infinitesimal() / gap)
        };
        axes *= rotation::exp(&Vector3::new(s(2, 1)?, s(0, 2)?, s(1, 0)?));
    }
    let b = axes.tr_mul(&(a * axes));
    let values = Vector3::from(std::array::from_fn(|i| b[(i, i)].with_real(lambda[i])));
    InvalidInput::check_finite("eigenvectors", axes.as_slice())?;
    InvalidInput::check_finite("eigenvalues", values.as_slice())?;
    Ok((values, axes))
}

/// The decomposition, unsorted; `None` of a matrix that is not finite, on which nalgebra's iteration would not end.
pub(crate) fn decompose(a: &Matrix3<f64>) -> Option<SymmetricEigen<f64, Const<3>>> {
    let is_finite = a.iter().all(|x| x.is_finite());
    is_finite.then(|| SymmetricEigen::try_new(*a, f64::EPSILON, MAX_ITERATIONS))?
}
