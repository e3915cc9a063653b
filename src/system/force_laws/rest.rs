//! The rows of laws where a machine rests: an instant, and both ends of a step, that are the same.

use super::directions::{Directions, JetModel};
use crate::Scalar;
use crate::constraint::{
    ConstraintError, ConstraintForceLaw, ForceLawRow, InstantMotion, Motion, StepMotion,
};
use crate::force::ForceContext;
use crate::math::SpatialAcceleration;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::tree::TreeWorkspace;

/// Evaluates laws at rest; a workspace.
pub(in crate::system) struct LawsAtRest<T: Scalar> {
    model: JetModel<T>,
    directions: Directions<T>,
    /// Zeros.
    vdot: Vec<T>,
    accelerations: Vec<SpatialAcceleration<T>>,
    pub rows: Vec<ForceLawRow<T>>,
}

impl<T: Scalar> LawsAtRest<T> {
    /// Of a machine that has any.
    pub fn new(system: &RigidBodySystem<T>) -> Option<Self> {
        if system.force_laws.is_empty() {
            return None;
        }
        let model = JetModel::new(system);
        let rows = vec![ForceLawRow::equation(T::zero()); system.force_laws.num_rows()];
        Some(LawsAtRest {
            directions: Directions::new(&model),
            model,
            vdot: vec![T::zero(); system.tree.num_velocities()],
            accelerations: vec![SpatialAcceleration::zero(); system.tree.num_bodies()],
            rows,
        })
    }

    /// Writes the rows at rest, and adds the generalized forces to a balance. Laws that have no description of steps are
    /// those of continuous time, with accelerations of zero.
    pub fn evaluate(
        &mut self,
        system: &RigidBodySystem<T>,
        (placed, time): (&TreeWorkspace<T>, T),
        forces: &[T],
        balance: &mut [T],
    ) -> Result<(), SystemError> {
        let (laws, tree) = (&system.force_laws, &system.tree);
        let state = ForceContext::new(tree, placed).at_time(time);
        let over_a_second = state.over_step(T::one());
        self.directions
            .evaluate(&self.model, laws, &over_a_second)?;
        for (row, &force) in self.directions.matrix.row_iter().zip(forces) {
            for (out, &direction) in balance.iter_mut().zip(row.iter()) {
                *out += direction * force;
            }
        }
        let step = StepMotion {
            start: state,
            end: state,
            time_step: T::one(),
        };
        let instant = InstantMotion {
            state,
            vdot: &self.vdot,
            body_accelerations: &self.accelerations,
        };
        let mut first = 0;
        for law in laws.iter() {
            let range = first..first + law.num_rows();
            first = range.end;
            let (forces, rows) = (&forces[range.clone()], &mut self.rows[range]);
            match law.evaluate(&Motion::Step(step), forces, rows) {
                Err(ConstraintError::NotDescribed { .. }) => {
                    law.evaluate(&Motion::Instant(instant), forces, rows)?;
                }
                result => result?,
            }
        }
        Ok(())
    }
}
