//! Constraints that a system owns.

use crate::Scalar;
use crate::constraint::{Baumgarte, TreeConstraint};
use std::fmt::Debug;

/// The constraints of a system, which can be cast to another scalar.
///
/// `()` is no constraint. A user's type holds the constraints of a model, and shows them:
///
/// ```
/// use dualbody::Scalar;
/// use dualbody::constraint::{Baumgarte, DistanceConstraint, TreeConstraint};
/// use dualbody::system::ConstraintSet;
///
/// #[derive(Debug, Clone)]
/// struct Rod<T>(DistanceConstraint<T>);
///
/// impl<T: Scalar> ConstraintSet<T> for Rod<T> {
///     type Cast<U: Scalar> = Rod<U>;
///     fn cast<U: Scalar>(&self) -> Rod<U> {
///         Rod(DistanceConstraint {
///             body_a: self.0.body_a,
///             p_AP: self.0.p_AP.map(|x| U::from(x.re())),
///             body_b: self.0.body_b,
///             p_BQ: self.0.p_BQ.map(|x| U::from(x.re())),
///             length: U::from(self.0.length.re()),
///         })
///     }
///     fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a dyn TreeConstraint<T>, Baumgarte<T>)) {
///         visit(&self.0, Baumgarte::none());
///     }
/// }
/// ```
pub trait ConstraintSet<T: Scalar>: Clone + Debug {
    /// The same constraints with constants in another scalar.
    type Cast<U: Scalar>: ConstraintSet<U>;

    /// The same constraints in another scalar; only real parts are carried over.
    fn cast<U: Scalar>(&self) -> Self::Cast<U>;

    /// Calls `visit` with each constraint and how errors of its position decay.
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a dyn TreeConstraint<T>, Baumgarte<T>));

    /// Whether there is no constraint.
    fn is_empty(&self) -> bool {
        let mut empty = true;
        self.visit(&mut |_, _| empty = false);
        empty
    }
}

impl<T: Scalar> ConstraintSet<T> for () {
    type Cast<U: Scalar> = ();

    fn cast<U: Scalar>(&self) {}

    fn visit<'a>(&'a self, _: &mut dyn FnMut(&'a dyn TreeConstraint<T>, Baumgarte<T>)) {}
}
