//! The linear operators of a constraint problem: Jacobians, their transposes, the inverse mass matrix.

use super::error::ConstraintError;
use super::matrices::ConstraintMatrices;
use crate::{InvalidInput, Scalar};

/// Products with the Jacobians of constraints, and with the inverse of the inertia matrix.
///
/// With `nv` velocity coordinates, `nc` contacts, `nnr` spanning directions of contact tangents,
/// `nu` unilateral and `nb` bilateral constraints:
///
/// | operator | shape | maps velocities to |
/// |---|---|---|
/// | `G` | nb×nv | rates of the bilateral constraints |
/// | `N` | nc×nv | separation velocities of the contacts |
/// | `Q` | nc×nv | velocities along the direction of sliding (zero rows where nothing slides) |
/// | `F` | nnr×nv | velocities along the spanning directions |
/// | `L` | nu×nv | rates of the unilateral constraints |
///
/// Every product overwrites `out`. Defaults are those of a problem without the constraint: the
/// product of no rows, which is an error when rows are asked for, and no force. Operators are never
/// called with vectors of other sizes than these, and not for constraints that there are none of. `&mut self` is for memory only: the same
/// arguments must give the same result.
///
/// # Errors
/// Methods return what the implementation cannot do; the solver passes it on.
pub trait ConstraintOperators<T: Scalar> {
    /// Number of velocity coordinates nv.
    fn num_velocities(&self) -> usize;

    /// Replaces `b` (nv) by `M⁻¹ b`.
    ///
    /// # Errors
    /// As the implementation says.
    fn solve_inertia(&mut self, b: &mut [T]) -> Result<(), ConstraintError>;

    /// Writes the real parts of all operators as matrices, if they are cheap to come by; whether they are: by
    /// default they are not. The solver decides on real parts: without matrices it takes those of products, one with
    /// the inverse inertia for each force, in `T`.
    ///
    /// # Errors
    /// As the implementation says.
    fn write_real_parts(
        &mut self,
        real: &mut ConstraintMatrices<f64>,
    ) -> Result<bool, ConstraintError> {
        let _ = real;
        Ok(false)
    }

    /// `G v` (nb).
    ///
    /// # Errors
    /// By default when `out` is not empty.
    fn g_mult(&mut self, _v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        no_rows("G v", out)
    }

    /// `Gᵀ f` (nv).
    ///
    /// # Errors
    /// As the implementation says.
    fn g_transpose_mult(&mut self, _f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        zero(out)
    }

    /// Whether the force of a bilateral constraint, by its row of `G`, acts otherwise than along that
    /// row, as that of a servo does; `Gᵀ f` then stands for its direction. Such constraints must be
    /// independent of all others. By default none does.
    #[doc(alias = "non-collocated")]
    fn has_own_direction(&self, _row: usize) -> bool {
        false
    }

    /// `N v` (nc).
    ///
    /// # Errors
    /// By default when `out` is not empty.
    fn n_mult(&mut self, _v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        no_rows("N v", out)
    }

    /// `Nᵀ f` (nv): forces at contacts that do not slide, and impulses at all.
    ///
    /// By default from `N` times each of the nv unit velocities.
    ///
    /// # Errors
    /// As the implementation says; by default those of [`Self::n_mult`].
    fn n_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        transpose_by_columns(|v, out| self.n_mult(v, out), f, out)
    }

    /// `(Nᵀ − Qᵀ μ) f` (nv), with `μ` the diagonal matrix of the coefficients of friction of contacts that slide, zero at
    /// the others. The coefficients are those of
    /// [`mu_sliding`](super::ConstraintAccelProblemData::mu_sliding). Asked for only where a contact slides.
    ///
    /// # Errors
    /// By default: a contact slides, and nothing says how.
    fn n_minus_mu_q_transpose_mult(
        &mut self,
        _f: &[T],
        _out: &mut [T],
    ) -> Result<(), ConstraintError> {
        Err(ConstraintError::NoSlidingForces)
    }

    /// `F v` (nnr).
    ///
    /// # Errors
    /// By default when `out` is not empty.
    fn f_mult(&mut self, _v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        no_rows("F v", out)
    }

    /// `Fᵀ f` (nv).
    ///
    /// # Errors
    /// As the implementation says.
    fn f_transpose_mult(&mut self, _f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        zero(out)
    }

    /// `L v` (nu).
    ///
    /// # Errors
    /// By default when `out` is not empty.
    fn l_mult(&mut self, _v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        no_rows("L v", out)
    }

    /// `Lᵀ f` (nv).
    ///
    /// # Errors
    /// As the implementation says.
    fn l_transpose_mult(&mut self, _f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        zero(out)
    }
}

/// `Aᵀ f`, by the columns `A eⱼ`.
pub(super) fn transpose_by_columns<T: Scalar>(
    mut multiply: impl FnMut(&[T], &mut [T]) -> Result<(), ConstraintError>,
    f: &[T],
    out: &mut [T],
) -> Result<(), ConstraintError> {
    let mut unit = vec![T::zero(); out.len()];
    let mut column = vec![T::zero(); f.len()];
    for (j, out) in out.iter_mut().enumerate() {
        unit[j] = T::one();
        multiply(&unit, &mut column)?;
        *out = (column.iter().zip(f)).fold(T::zero(), |sum, (&a, &f)| sum + a * f);
        unit[j] = T::zero();
    }
    Ok(())
}

fn no_rows<T>(quantity: &'static str, out: &[T]) -> Result<(), ConstraintError> {
    Ok(InvalidInput::check_size(quantity, 0, out.len())?)
}

fn zero<T: Scalar>(out: &mut [T]) -> Result<(), ConstraintError> {
    out.fill(T::zero());
    Ok(())
}
