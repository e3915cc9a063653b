//! Gradients of rollouts of all members, by the adjoint.

use super::Batch;
use super::error::BatchError;
use super::machine::Worker;
use super::members::{Given, reset};
use super::plan::{BatchPlan, Checked};
use crate::math::reset_vector;
use crate::system::adjoint::{Adjoint, RolloutObjective};
use crate::system::error::RolloutFailure;
use crate::system::objective::Covectors;
use crate::system::reverse::GradientParts;
use crate::system::state::State;
use nalgebra::{DMatrix, DVector};

/// Values of a scalar of the rollouts of all members, and its gradients; memory for the next call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BatchGradients {
    /// The values (n).
    pub values: DVector<f64>,
    /// With respect to the state at the start (nx × n).
    pub starts: DMatrix<f64>,
    /// With respect to the inputs (nu × N·n).
    pub inputs: DMatrix<f64>,
    /// With respect to the parameters that derivatives are taken by (np × n).
    pub parameters: DMatrix<f64>,
}

impl Default for BatchGradients {
    fn default() -> Self {
        let [starts, inputs, parameters] = [(); 3].map(|()| DMatrix::zeros(0, 0));
        BatchGradients {
            values: DVector::zeros(0),
            starts,
            inputs,
            parameters,
        }
    }
}

/// The derivatives of a scalar with respect to what [rollouts](super::BatchRollouts) hold, of all members of a batch.
#[derive(Debug, Clone, Copy, Default)]
pub struct BatchCovectors<'a> {
    /// With respect to the states (nx × (N + 1)·n), or (nx × (N + 1)) for all; zero where there are none.
    pub states: Option<&'a DMatrix<f64>>,
    /// With respect to the outputs (ny × N·n), or (ny × N) for all; zero where there are none.
    pub outputs: Option<&'a DMatrix<f64>>,
}

impl Batch {
    /// The values of an objective for each member, and its gradients.
    ///
    /// Their cost grows little with the number of inputs and parameters. Every thread keeps the states of a rollout, as an
    /// [`Adjoint`] does.
    ///
    /// # Errors
    /// As [`Self::ends`].
    pub fn gradients<O: RolloutObjective>(
        &mut self,
        plan: &BatchPlan<'_>,
        objective: impl Fn(usize) -> O + Sync,
        gradients: &mut BatchGradients,
    ) -> Result<(), BatchError> {
        self.sweep_back(plan, gradients, |member, adjoint, start, inputs, parts| {
            adjoint.write_gradient(&objective(member), start, inputs, parts)
        })
    }

    /// Pulls derivatives with respect to states and outputs back to initial states, inputs and parameters, the
    /// vector-Jacobian product of [`Self::rollouts`]; values are `Σ cₖ·xₖ + Σ dₖ·yₖ` of states x with covectors c and outputs
    /// y with covectors d.
    ///
    /// # Errors
    /// As [`Self::ends`].
    pub fn pull_back(
        &mut self,
        plan: &BatchPlan<'_>,
        covectors: &BatchCovectors<'_>,
        gradients: &mut BatchGradients,
    ) -> Result<(), BatchError> {
        let (nx, ny) = (
            self.described.num_states,
            self.described.system.num_outputs(),
        );
        let members = plan.starts.ncols();
        let names = ["rows of the covectors of states", "covectors of states"];
        let shape = [nx, plan.steps.saturating_add(1)];
        let states = Given::optional(covectors.states, names, shape, members)?;
        let names = ["rows of the covectors of outputs", "covectors of outputs"];
        let shape = [ny, plan.steps];
        let outputs = Given::optional(covectors.outputs, names, shape, members)?;
        self.sweep_back(plan, gradients, |member, adjoint, start, inputs, parts| {
            let covectors = Covectors {
                states: states.of(member),
                outputs: outputs.of(member),
                num_outputs: ny,
            };
            adjoint.pull_back(covectors, start, inputs, parts)
        })
    }

    /// Sweeps back over the rollouts of all members, by the adjoint of each.
    fn sweep_back(
        &mut self,
        plan: &BatchPlan<'_>,
        gradients: &mut BatchGradients,
        sweep: impl Fn(
            usize,
            &mut Adjoint,
            &State<f64>,
            (&[f64], usize),
            GradientParts<'_>,
        ) -> Result<f64, RolloutFailure>
        + Sync,
    ) -> Result<(), BatchError> {
        let checked = Checked::new(plan, &self.described, &mut self.zeros)?;
        let BatchGradients {
            values,
            starts,
            inputs,
            parameters,
        } = gradients;
        let members = checked.members;
        reset_vector(values, members);
        reset(starts, [self.described.num_states, 1], members)?;
        let nu = self.described.system.num_inputs();
        reset(inputs, [nu, plan.steps], members)?;
        reset(parameters, [self.described.by().len(), 1], members)?;
        let results = [
            values.as_mut_slice(),
            starts.as_mut_slice(),
            inputs.as_mut_slice(),
            parameters.as_mut_slice(),
        ];
        self.crew.run(
            members,
            results,
            |worker: &mut Worker, member, [value, x, u, p]| {
                let plan = checked.of(member);
                let start = plan.start(checked.described, &mut worker.start)?;
                let adjoint = (worker.adjoint)
                    .at(checked.described, plan.parameters)
                    .map_err(RolloutFailure::at(0, plan.time))?;
                let parts = GradientParts {
                    initial_state: &mut *x,
                    inputs: &mut *u,
                    parameters: &mut *p,
                };
                match sweep(member, adjoint, start, (plan.inputs, plan.steps), parts) {
                    Ok(found) => {
                        value.fill(found);
                        Ok(())
                    }
                    Err(failure) => {
                        [x, u, p].into_iter().for_each(|part| part.fill(0.0));
                        Err(failure)
                    }
                }
            },
        )
    }
}
