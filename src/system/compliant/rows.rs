//! Constraint rows of a step on the velocities at its end.

use crate::Scalar;
use crate::constraint::{
    ConstraintError, ConstraintKind, ConstraintLevel, ConstraintRows, TreeConstraint, evaluate_rows,
};
use crate::system::rigid_body_system::RigidBodySystem;
use crate::tree::TreeWorkspace;

/// Rows `g·v⁺ + k`, which vanish or are not negative; a workspace.
///
/// | level | k |
/// |---|---|
/// | positions | `φ(q, t + δt)/δt`: the error is gone at the end of the step, but for what curvature leaves |
/// | velocities | `∂φ/∂t` at the end |
/// | accelerations | `δt bias − g·v` |
#[derive(Debug, Clone)]
pub(in crate::system) struct StepRows<T: Scalar> {
    rows: Vec<Row<T>>,
    /// What each constraint writes.
    written: Vec<ConstraintRows<T>>,
}

/// One row.
#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct Row<T> {
    /// The constraint, in the order of the set.
    pub constraint: usize,
    /// Its row.
    pub row: usize,
    pub kind: ConstraintKind,
    /// Whether it is of an angle.
    pub is_angular: bool,
    pub level: ConstraintLevel,
    pub k: T,
}

impl<T: Scalar> Default for StepRows<T> {
    fn default() -> Self {
        StepRows {
            rows: Vec::new(),
            written: Vec::new(),
        }
    }
}

impl<T: Scalar> StepRows<T> {
    /// Evaluates all constraints at the positions of `kinematics`, for a step of length `dt` that ends at the
    /// time `end`.
    pub fn evaluate(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &TreeWorkspace<T>,
        (end, dt): (T, T),
    ) -> Result<(), ConstraintError> {
        let (tree, StepRows { rows, written }) = (&system.tree, self);
        rows.clear();
        for (index, constraint) in system.constraints.iter().enumerate() {
            let (count, nv) = (constraint.num_rows(), tree.num_velocities());
            if written.len() <= index {
                written.push(ConstraintRows::zeros(count, nv));
            }
            let out = &mut written[index];
            evaluate_rows(constraint, (tree, kinematics, end), out)?;
            for row in 0..count {
                let k = match constraint.level() {
                    ConstraintLevel::Position
                        if constraint.kind() == ConstraintKind::Unilateral
                            && out.phi[row].re() < 0.0 =>
                    {
                        let decay = system.regularization.of_constraints();
                        decay.recovery(out.phi[row], dt)
                    }
                    ConstraintLevel::Position => out.phi[row] / dt,
                    ConstraintLevel::Velocity => out.explicit_rate[row],
                    ConstraintLevel::Acceleration => {
                        out.bias[row] * dt - out.rate(row, kinematics.v())
                    }
                };
                rows.push(Row {
                    constraint: index,
                    row,
                    kind: constraint.kind(),
                    is_angular: constraint.is_angular(),
                    level: constraint.level(),
                    k,
                });
            }
        }
        Ok(())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// A row.
    pub fn get(&self, i: usize) -> &Row<T> {
        &self.rows[i]
    }

    /// The gradient `g` (nv) of a row.
    pub fn gradient(&self, i: usize) -> impl Iterator<Item = T> + '_ {
        let Row {
            constraint, row, ..
        } = self.rows[i];
        self.written[constraint]
            .jacobian
            .row(row)
            .into_iter()
            .copied()
    }

    /// The generalized force (nv) of a unit force of a row: its gradient, unless the constraint says
    /// otherwise.
    pub fn direction(&self, i: usize) -> impl Iterator<Item = T> + '_ {
        let Row {
            constraint, row, ..
        } = self.rows[i];
        let directions = self.written[constraint].directions();
        directions.row(row).into_iter().copied()
    }

    /// Whether the force of a row does not act along its gradient.
    pub fn has_own_direction(&self, i: usize) -> bool {
        let written = &self.written[self.rows[i].constraint];
        written.force_directions.is_some()
    }

    /// `g·v` of a row.
    pub fn rate(&self, i: usize, v: &[T]) -> T {
        let Row {
            constraint, row, ..
        } = self.rows[i];
        self.written[constraint].rate(row, v)
    }
}
