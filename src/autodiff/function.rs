//! Functions that are written once and evaluated with any scalar.

use crate::{DefaultScalar, InvalidInput};
use nalgebra::DVector;

/// A scalar function of a vector, `f: ℝⁿ → ℝ`.
///
/// A type rather than a closure, because its one method is generic over the scalar. Constants that
/// the function needs are fields of the type.
///
/// ```
/// use dualbody::autodiff::{ScalarFunction, gradient};
/// use dualbody::{DefaultScalar, InvalidInput};
///
/// struct Rosenbrock {
///     b: f64,
/// }
///
/// impl ScalarFunction for Rosenbrock {
///     type Error = InvalidInput;
///     fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<T, InvalidInput> {
///         let (u, w) = (-x[0] + 1.0, x[1] - x[0] * x[0]);
///         Ok(u * u + w * w * self.b)
///     }
/// }
///
/// let (value, gradient) = gradient(&Rosenbrock { b: 100.0 }, &[1.0, 2.0])?;
/// assert_eq!(value, 100.0);
/// assert_eq!(gradient.as_slice(), [-400.0, 200.0]);
/// # Ok::<(), InvalidInput>(())
/// ```
pub trait ScalarFunction {
    /// What can go wrong in an evaluation; [`InvalidInput`] if nothing else can.
    type Error: From<InvalidInput>;

    /// `f(x)`.
    ///
    /// # Errors
    /// As the implementation says; a driver stops at the first and returns it.
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<T, Self::Error>;
}

/// A vector function of a vector, `f: ℝⁿ → ℝᵐ`, with `m` the same in every evaluation.
pub trait VectorFunction {
    /// What can go wrong in an evaluation; [`InvalidInput`] if nothing else can.
    type Error: From<InvalidInput>;

    /// `f(x)`.
    ///
    /// # Errors
    /// As the implementation says; a driver stops at the first and returns it.
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, Self::Error>;

    /// What its values are called where entries of its Jacobian are printed, `∂value/∂variable`; one without a name is
    /// `f[row]`.
    fn value_names(&self) -> Vec<String> {
        Vec::new()
    }

    /// What its variables are called there; one without a name is `x[column]`.
    fn variable_names(&self) -> Vec<String> {
        Vec::new()
    }
}
