//! Regulators, plans and model predictive control.

mod mpc;
mod options;
mod problem;
mod regulator;
mod report;
mod residual;
mod solution;

pub use mpc::Mpc;
pub use problem::ControlProblem;
pub use regulator::Regulator;
pub use report::ControlReport;
pub use solution::{ControlSolution, solve_ocp};
