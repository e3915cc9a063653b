//! Forces of constraints.

/// The force of one row of a constraint.
///
/// It acts as `Jᵀ f` with the row `J` of the constraint's Jacobian, which also says its sign and
/// whether it is in N or in N m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintForce<T> {
    /// Number of the constraint, in the order of the system's set.
    pub constraint: usize,
    /// Row of the constraint.
    pub row: usize,
    /// The force.
    pub force: T,
}
