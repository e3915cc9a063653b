//! The constraints of a machine, in order.

use super::error::ConstraintError;
use super::tree_constraint::{
    ConstraintKind, ConstraintLevel, ConstraintRows, PointForce, TreeConstraint,
};
use super::{
    AccelerationLimit, BallConstraint, BallLimitConstraint, DistanceConstraint, GearConstraint,
    HingeConstraint, JointLimitConstraint, PrescribedMotion, WeldConstraint,
};
use crate::Scalar;
use crate::default_scalar::ScalarName;
use crate::erased::{delegate, element_list, erase};
use crate::parameter::Parameter;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use std::any::Any;

erase! {
    /// A constraint of any type.
    AnyConstraint, ErasedConstraint, TreeConstraint,
    listed: AccelerationLimit<f64>, BallConstraint<f64>, BallLimitConstraint<f64>, DistanceConstraint<f64>, GearConstraint<f64>, HingeConstraint<f64>, JointLimitConstraint<f64>, PrescribedMotion<f64>, WeldConstraint<f64>,
}

delegate! { AnyConstraint: TreeConstraint {
    get fn name() -> &str;
    get fn num_rows() -> usize;
    get fn kind() -> ConstraintKind;
    get fn is_angular() -> bool;
    get fn level() -> ConstraintLevel;
    get fn evaluate(tree: &RigidBodyTree<T>, workspace: &TreeWorkspace<T>, time: T, rows: &mut ConstraintRows<T>) -> Result<(), ConstraintError>;
    set fn visit_parameters(visit: &mut dyn FnMut(Parameter<'_, T>));
    get fn validate(tree: &RigidBodyTree<T>) -> Result<(), ConstraintError>;
    get fn point_force(tree: &RigidBodyTree<T>, workspace: &TreeWorkspace<T>, f: &[T]) -> Result<Option<PointForce<T>>, ConstraintError>;
} }

element_list! {
    /// The constraints of a machine, in the order in which they were added.
    Constraints of AnyConstraint
}

impl<T: Scalar> Constraints<T> {
    pub fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.iter_mut().for_each(|c| c.visit_parameters(visit));
    }

    pub fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        self.iter().try_for_each(|c| c.validate(tree))
    }
}

/// Calls `visit` with each constraint that acts at a point, and with what it exerts there by the `forces` of its rows, at
/// the state of a workspace; `rows` is memory.
pub(crate) fn for_each_point_force<T: Scalar, E: From<ConstraintError>>(
    constraints: &[AnyConstraint<T>],
    (tree, workspace): (&RigidBodyTree<T>, &TreeWorkspace<T>),
    forces: &[ConstraintForce<T>],
    rows: &mut Vec<T>,
    mut visit: impl FnMut(&AnyConstraint<T>, &PointForce<T>) -> Result<(), E>,
) -> Result<(), E> {
    for (index, constraint) in constraints.iter().enumerate() {
        rows.clear();
        rows.resize(constraint.num_rows(), T::zero());
        for force in forces.iter().filter(|force| force.constraint == index) {
            rows[force.row] = force.force;
        }
        if let Some(at) = constraint.point_force(tree, workspace, rows)? {
            visit(constraint, &at)?;
        }
    }
    Ok(())
}

/// The force of one row of a constraint.
///
/// It acts as `Jᵀ f` with the row `J` of the constraint's Jacobian, which also says its sign and
/// whether it is in N or in N m; where the constraint has [directions of its
/// own](super::ConstraintRows::force_directions), as `dᵀ f` with that of the row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConstraintForce<T> {
    /// Number of the constraint, in the order in which they were added.
    pub constraint: usize,
    /// Row of the constraint.
    pub row: usize,
    /// The force.
    pub force: T,
}
