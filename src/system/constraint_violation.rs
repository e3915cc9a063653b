//! Violation of position constraints.

use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use crate::Scalar;
use crate::constraint::{
    ConstraintKind, ConstraintLevel, ConstraintRows, TreeConstraint, evaluate_rows,
};

/// The row of a constraint of positions that is violated most.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ConstraintViolation {
    /// The constraint.
    pub constraint: String,
    /// Its row.
    pub row: usize,
    /// `|φ|`, or `−φ` of an inequality, in the unit of the row: m, or rad.
    pub error: f64,
}

impl<T: Scalar> RigidBodySystem<T> {
    /// The largest violation of constraints of positions at a state; `None` if there is none above zero.
    ///
    /// Steps take errors of position back as fast as their scheme allows; where constraints cannot be fulfilled, as of
    /// a loop whose links are too short, they come as near as they can, without an error as long as velocities exist that would
    /// fulfil them, and this shows it.
    ///
    /// # Errors
    /// [`SystemError`] for a state of another system, and what constraints say.
    #[inline(never)]
    pub fn constraint_violation(
        &self,
        state: &State<T>,
    ) -> Result<Option<ConstraintViolation>, SystemError> {
        self.check_state(state)?;
        let tree = self.tree();
        let mut kinematics = tree.workspace();
        tree.set_state(&mut kinematics, state.q.as_slice(), state.v.as_slice())?;
        let mut worst: Option<ConstraintViolation> = None;
        for constraint in self.constraints() {
            if constraint.level() != ConstraintLevel::Position {
                continue;
            }
            let count = constraint.num_rows();
            let mut rows = ConstraintRows::zeros(count, tree.num_velocities());
            evaluate_rows(constraint, (tree, &kinematics, state.time), &mut rows)?;
            for (row, phi) in rows.phi.iter().enumerate() {
                let error = match constraint.kind() {
                    ConstraintKind::Bilateral => phi.re().abs(),
                    ConstraintKind::Unilateral => -phi.re(),
                };
                let largest = worst.as_ref().map_or(0.0, |worst| worst.error);
                if error > largest {
                    worst = Some(ConstraintViolation {
                        constraint: constraint.name().to_owned(),
                        row,
                        error,
                    });
                }
            }
        }
        Ok(worst)
    }
}
