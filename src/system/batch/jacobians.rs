//! Jacobians of a step of all members.

use super::Batch;
use super::error::BatchError;
use super::machine::Worker;
use super::members::reset;
use super::plan::{BatchPlan, Checked};
use super::rollouts::write;
use crate::InvalidInput;
use crate::system::derivative::StepJacobian;
use crate::system::error::RolloutFailure;
use nalgebra::DMatrix;

/// A step of all members of a batch and its derivatives, as [`StepJacobian`] has them; memory for the next call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BatchJacobians {
    /// The states after the step (nx × n).
    pub ends: DMatrix<f64>,
    /// With respect to the state before it (nx × nx·n).
    pub state: DMatrix<f64>,
    /// With respect to the inputs (nx × nu·n).
    pub input: DMatrix<f64>,
    /// With respect to the parameters that derivatives are taken by, np (nx × np·n).
    pub parameters: DMatrix<f64>,
}

impl Default for BatchJacobians {
    fn default() -> Self {
        let [ends, state, input, parameters] = [(); 4].map(|()| DMatrix::zeros(0, 0));
        BatchJacobians {
            ends,
            state,
            input,
            parameters,
        }
    }
}

impl Batch {
    /// The derivatives of one step of all members.
    ///
    /// # Errors
    /// As [`Self::ends`], and unless the plan is of one step.
    pub fn step_jacobians(
        &mut self,
        plan: &BatchPlan<'_>,
        jacobians: &mut BatchJacobians,
    ) -> Result<(), BatchError> {
        InvalidInput::check_size("steps of a Jacobian", plan.steps, 1)?;
        let checked = Checked::new(plan, &self.described, &mut self.zeros)?;
        let members = checked.members;
        let (nx, nu) = (
            self.described.num_states,
            self.described.system.num_inputs(),
        );
        let np = self.described.by().len();
        let BatchJacobians {
            ends,
            state,
            input,
            parameters,
        } = jacobians;
        let mut matrices = [ends, state, input, parameters];
        for (matrix, columns) in matrices.iter_mut().zip([1, nx, nu, np]) {
            reset(matrix, [nx, columns], members)?;
        }
        let results = matrices.map(DMatrix::as_mut_slice);
        self.crew.run(
            members,
            results,
            |worker: &mut Worker, member, [end, a, b, p]| {
                let plan = checked.of(member);
                let start = plan.start(checked.described, &mut worker.start)?;
                let at = || RolloutFailure::at(0, plan.time);
                let differentiator = (worker.differentiator)
                    .at(checked.described, plan.parameters)
                    .map_err(at())?;
                let jacobian = &mut worker.jacobian;
                let next = (differentiator.jacobian(start, plan.inputs, jacobian)).map_err(at())?;
                write(next, end);
                let StepJacobian {
                    state,
                    input,
                    parameters,
                } = jacobian;
                for (entries, matrix) in [(a, state), (b, input), (p, parameters)] {
                    entries.copy_from_slice(matrix.as_slice());
                }
                Ok(())
            },
        )
    }
}
