//! How solutions went.

use dualbody_control::{Ending, Report};
use pyo3::prelude::*;
use std::time::Duration;

/// How a solution went: ``ending``, why it ended: ``"converged"``, ``"iteration_limit"``, ``"time_limit"``, ``"stalled"`` where no step
/// lowers the merit, ``"infeasible"`` where limits are not satisfied at the largest penalty, ``"cancelled"``; ``iterations``;
/// ``cost``; ``violation``, the largest excess over a limit; ``gap``, the largest between a step and the state after it;
/// ``seconds``, how long it took.
#[pyclass(frozen, get_all, module = "dualbody")]
#[derive(Clone)]
pub struct ControlReport {
    pub ending: &'static str,
    pub iterations: usize,
    pub cost: f64,
    violation: f64,
    gap: f64,
    seconds: f64,
}

impl ControlReport {
    /// Of a report of the library, and the time that it took.
    pub fn new(report: &Report, time: Duration) -> Self {
        ControlReport {
            ending: match report.ending {
                Ending::Converged => "converged",
                Ending::IterationLimit => "iteration_limit",
                Ending::TimeLimit => "time_limit",
                Ending::Stalled => "stalled",
                Ending::Infeasible => "infeasible",
                Ending::Cancelled => "cancelled",
                _ => "other",
            },
            iterations: report.iterations,
            cost: report.cost,
            violation: report.violation,
            gap: report.gap,
            seconds: time.as_secs_f64(),
        }
    }
}

#[pymethods]
impl ControlReport {
    /// Whether the expected reduction of another step is below the tolerance, with gaps and limits within theirs.
    #[getter]
    fn converged(&self) -> bool {
        self.ending == "converged"
    }

    fn __repr__(&self) -> String {
        format!(
            "<dualbody.ControlReport: {}, {} iterations, cost {}>",
            self.ending, self.iterations, self.cost
        )
    }
}
