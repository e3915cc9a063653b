//! Constraints that a system owns.

use crate::Scalar;
use crate::constraint::{Baumgarte, TreeConstraint};
use crate::parameter::Parameter;
use std::fmt::Debug;

/// The force of one row of a constraint.
///
/// It acts as `Jᵀ f` with the row `J` of the constraint's Jacobian, which also says its sign and
/// whether it is in N or in N m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintForce<T> {
    /// Number of the constraint, in the order of [`ConstraintSet::visit`].
    pub constraint: usize,
    /// Row of the constraint.
    pub row: usize,
    /// The force.
    pub force: T,
}

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

    /// Calls `visit` with every constant that can be differentiated, in an order that does not
    /// depend on values.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let _ = visit;
    }

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
