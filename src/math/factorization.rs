//! What the factorisations have in common.

use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

/// An `f64` factorisation of a square matrix that solves for right-hand sides of any scalar.
///
/// Substitution multiplies and adds only, so derivatives ride along at one back-substitution a
/// direction; the factorisation itself and its pivot decisions never see a dual number.
pub trait Factorization {
    /// Number of rows and columns.
    fn size(&self) -> usize;

    /// Replaces `b` by `A⁻¹ b`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when `b` does not have the size of the matrix.
    fn solve_in_place<T: Scalar>(&self, b: &mut [T]) -> Result<(), InvalidInput>;

    /// Solves `A x = b` with all derivatives, for `A` whose real part is the factored matrix.
    ///
    /// `A(p) x = b(p)` is differentiated by the chord iteration `x ← x − A₀⁻¹(A x − b)` on the
    /// derivative parts, each sweep of which makes one more order exact: see
    /// [`implicit_step`](crate::autodiff::implicit_step). The real part of `x` is the `f64`
    /// solution bit for bit.
    ///
    /// ```
    /// use dualbody::math::{Cholesky, Factorization};
    /// use nalgebra::{dmatrix, dvector};
    /// use num_dual::Dual64;
    ///
    /// let k = Dual64::from(4.0).derivative();
    /// let a = dmatrix![k, Dual64::from(0.0); Dual64::from(0.0), Dual64::from(2.0)];
    /// let b = dvector![Dual64::from(8.0), Dual64::from(2.0)];
    /// let mut factor = Cholesky::identity(2);
    /// factor.factor(&a.map(|x| x.re))?;
    /// let x = factor.solve_lifted(&a, &b)?;
    /// assert_eq!((x[0].re, x[0].eps), (2.0, -0.5)); // 8/k and −8/k²
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] when `a` or `b` does not have the size of the factored matrix.
    fn solve_lifted<T: Scalar>(
        &self,
        a: &DMatrix<T>,
        b: &DVector<T>,
    ) -> Result<DVector<T>, InvalidInput> {
        let n = self.size();
        InvalidInput::check_size("rows of A", a.nrows(), n)?;
        InvalidInput::check_size("columns of A", a.ncols(), n)?;
        InvalidInput::check_size("b", b.len(), n)?;
        let mut root: Vec<f64> = b.iter().map(|x| x.re()).collect();
        self.solve_in_place(&mut root)?;
        let mut x = DVector::from_iterator(n, root.into_iter().map(T::from));
        let mut residual = DVector::zeros(n);
        crate::autodiff::implicit_step(self, x.as_mut_slice(), residual.as_mut_slice(), |x, r| {
            for (i, r) in r.iter_mut().enumerate() {
                *r = (0..n).fold(-b[i], |sum, j| sum + a[(i, j)] * x[j]);
            }
            Ok::<(), InvalidInput>(())
        })?;
        Ok(x)
    }
}
