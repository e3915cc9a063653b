//! Constraints that a system owns.

use super::error::ConstraintError;
use super::tree_constraint::TreeConstraint;
use crate::Scalar;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use std::fmt::Debug;

/// The force of one row of a constraint.
///
/// It acts as `Jᵀ f` with the row `J` of the constraint's Jacobian, which also says its sign and
/// whether it is in N or in N m; where the constraint has [directions of its
/// own](super::ConstraintRows::force_directions), as `dᵀ f` with that of the row.
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
/// Every constraint of the library is a set of one. `()` is no constraint, a tuple is the union of
/// sets of different types, a `Vec` that of sets of one type, and
/// [`BuiltinConstraint`](super::BuiltinConstraint) any constraint of the library;
/// [`compose_enum!`](crate::compose_enum!) declares such an enum with others too.
///
/// A user's type implements [`TreeConstraint`], and declares its constants by [`constants!`](crate::constants!):
///
/// ```
/// use dualbody::constraint::{
///     ConstraintError, ConstraintKind, ConstraintLevel, ConstraintRows, ConstraintSet, TreeConstraint,
/// };
/// use dualbody::tree::{RigidBodyTree, TreeWorkspace};
/// use dualbody::{Scalar, constants};
///
/// /// The first velocity coordinate follows a ramp, `v₀ = a t`.
/// #[derive(Debug, Clone)]
/// struct Ramp<T> {
///     acceleration: T,
/// }
///
/// impl<T: Scalar> TreeConstraint<T> for Ramp<T> {
///     fn name(&self) -> &str {
///         "ramp"
///     }
///     fn num_rows(&self) -> usize {
///         1
///     }
///     fn kind(&self) -> ConstraintKind {
///         ConstraintKind::Bilateral
///     }
///     fn level(&self) -> ConstraintLevel {
///         ConstraintLevel::Velocity
///     }
///     fn evaluate(
///         &self,
///         _tree: &RigidBodyTree<T>,
///         _workspace: &TreeWorkspace<T>,
///         time: T,
///         rows: &mut ConstraintRows<T>,
///     ) -> Result<(), ConstraintError> {
///         rows.jacobian[(0, 0)] = T::one();
///         rows.explicit_rate[0] = -self.acceleration * time;
///         rows.bias[0] = -self.acceleration;
///         Ok(())
///     }
/// }
///
/// impl<T: Scalar> ConstraintSet<T> for Ramp<T> {
///     constants! { ConstraintSet for Ramp, named "ramp" { acceleration: any("m/s²"); } }
/// }
///
/// let pair = (Ramp { acceleration: 2.0 }, Ramp { acceleration: 3.0 });
/// let mut names = Vec::new();
/// pair.visit(&mut |constraint| names.push(constraint.name()));
/// assert_eq!(names, ["ramp", "ramp"]);
/// ```
pub trait ConstraintSet<T: Scalar>: Debug {
    /// The same constraints with constants in another scalar.
    type Cast<U: Scalar>: ConstraintSet<U> + Clone
    where
        Self: Sized;

    /// The same constraints in another scalar; only real parts are carried over.
    fn cast<U: Scalar>(&self) -> Self::Cast<U>
    where
        Self: Sized;

    /// Calls `visit` with each constraint.
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a dyn TreeConstraint<T>));

    /// Calls `visit` with every constant that can be differentiated, in an order that does not
    /// depend on values; names start with that of the constraint.
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let _ = visit;
    }

    /// Checks the constants, and that the tree has what the constraints are on.
    ///
    /// # Errors
    /// What does not fit.
    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        let _ = tree;
        Ok(())
    }

    /// Whether there is no constraint.
    fn is_empty(&self) -> bool {
        let mut empty = true;
        self.visit(&mut |_| empty = false);
        empty
    }
}
