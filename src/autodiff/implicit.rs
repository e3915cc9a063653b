//! Derivatives of a root by the implicit function theorem (chord iteration).

use crate::Scalar;
use crate::math::Factorization;

/// Gives the root `x` of `r(x, p) = 0` its derivatives with respect to `p`.
///
/// `x` holds the root that `f64` has found; whatever derivative parts it carries are replaced.
/// `jacobian` is the factored `∂r/∂x` of the real parts there, and `residual` evaluates `r` at the
/// given `x` with `p` in the scalar `T`. `scratch` is overwritten. On return the real parts of `x`
/// are unchanged bit for bit and the derivative parts are those of the implicit function, to the
/// order that `T` carries.
///
/// # Mathematics
/// Write `x = x₀ + e` with infinitesimal `e`, `x*` for the exact dual root, and
/// `J₀ = ∂r/∂x(x₀, p₀)`. One chord step
///
/// ```text
/// x ← x − J₀⁻¹ r(x, p)
/// ```
///
/// takes the error from `e` to `(I − J₀⁻¹ ∂r/∂x) e + O(e²)`. The bracket is infinitesimal, because
/// `J₀` agrees with `∂r/∂x` in the real part, so every step raises the order of the error by one:
/// after `T::NDERIV` steps it is beyond what `T` can represent. The real part of `r`, which is
/// round-off, is not applied.
///
/// When `x₀` is a root up to `‖r(x₀)‖ = ρ`, derivatives are those of the problem
/// `r(x, p) = r(x₀, p₀)`, off by `O(ρ)`.
///
/// ```
/// use dualbody::autodiff::implicit_step;
/// use dualbody::math::Lu;
/// use nalgebra::dmatrix;
/// use num_dual::Dual2_64;
///
/// // x² = p at p = 9.
/// let p = Dual2_64::from(9.0).derivative();
/// let mut jacobian = Lu::identity(1);
/// jacobian.factor(&dmatrix![2.0 * 3.0])?;
/// let mut x = [Dual2_64::from(3.0)];
/// implicit_step(&jacobian, &mut x, &mut [p], |x, r| {
///     r[0] = x[0] * x[0] - p;
///     Ok::<(), dualbody::InvalidInput>(())
/// })?;
/// assert_eq!(x[0].v1, 1.0 / 6.0);
/// assert!((x[0].v2 + 1.0 / 108.0).abs() < 1e-17);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of `residual`, and [`InvalidInput::Dimension`](crate::InvalidInput::Dimension) when `x`
/// or `scratch` does not have the size of `jacobian`.
#[doc(alias = "implicit function theorem")]
#[doc(alias = "chord iteration")]
pub fn implicit_step<T, F, E>(
    jacobian: &F,
    x: &mut [T],
    scratch: &mut [T],
    mut residual: impl FnMut(&[T], &mut [T]) -> Result<(), E>,
) -> Result<(), E>
where
    T: Scalar,
    F: Factorization + ?Sized,
    E: From<crate::InvalidInput>,
{
    crate::InvalidInput::check_size("root", x.len(), jacobian.size())?;
    for _ in 0..T::NDERIV {
        residual(x, scratch)?;
        for r in scratch.iter_mut() {
            *r = r.infinitesimal();
        }
        jacobian.solve_in_place(scratch)?;
        for (x, &correction) in x.iter_mut().zip(&*scratch) {
            *x = (*x - correction).with_real(x.re());
        }
    }
    Ok(())
}
