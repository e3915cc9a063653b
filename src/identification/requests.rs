//! The experiments that take part in a fit, and requests to them.

use super::error::{EvaluationError, IdentificationError};
use super::evaluation::Evaluator;
use super::execution::{Executor, Items};
use super::experiment::Experiment;
use super::fit::{Consequence, Failure};
use super::question::{Answer, Failed, Quantity, Question};
use super::robust_cost::RobustCost;
use super::unknown::Unknown;

/// The evaluator, the executor, and the experiments that take part in a fit.
pub(super) struct Experiments<'e, 'a, X, E> {
    pub evaluator: &'e Evaluator<'a, X>,
    pub executor: E,
    pub cost: RobustCost,
    /// In order.
    pub left_out: Vec<usize>,
}

impl<'a, X: Experiment, E: Executor<Evaluator<'a, X>>> Experiments<'_, 'a, X, E> {
    pub fn request(
        &mut self,
        values: &[f64],
        quantity: Quantity,
    ) -> Result<Answer, IdentificationError> {
        let question = Question {
            values: values.to_vec(),
            quantity,
            cost: self.cost,
            left_out: self.left_out.clone(),
        };
        let all = 0..self.evaluator.count();
        Ok((self.executor).evaluate(self.evaluator, &question, all)?)
    }

    pub fn unknowns(&self) -> &'a [Unknown] {
        self.evaluator.problem().unknowns()
    }

    /// Requests at the start, and leaves out the experiments that fail there.
    pub fn request_first(
        &mut self,
        start: &[f64],
        quantity: Quantity,
        failures: &mut Vec<Failure>,
    ) -> Result<Answer, IdentificationError> {
        loop {
            let answer = self.request(start, quantity.clone())?;
            if answer.failed.is_empty() {
                return Ok(answer);
            }
            self.leave_out(answer.failed, failures)?;
        }
    }

    /// Takes experiments that failed at the start out of the fit. Residuals that are not finite are not
    /// a failure that an experiment has declared, but a mistake in it or its data.
    fn leave_out(
        &mut self,
        failed: Vec<Failed>,
        failures: &mut Vec<Failure>,
    ) -> Result<(), IdentificationError> {
        for (experiment, cause) in failed {
            if !matches!(cause, EvaluationError::Failed(_)) {
                return Err(IdentificationError::Experiment { experiment, cause });
            }
            self.left_out.push(experiment);
            failures.push(Failure {
                experiment,
                iteration: 0,
                cause,
                consequence: Consequence::LeftOut,
            });
        }
        self.left_out.sort_unstable();
        match failures.first() {
            Some(first) if self.left_out.len() == self.evaluator.count() => {
                Err(IdentificationError::AllExperimentsFail {
                    count: failures.len(),
                    cause: first.cause.clone(),
                })
            }
            _ => Ok(()),
        }
    }
}
