//! Regulators, plans and model predictive control.

mod expected;
mod mpc;
mod options;
mod planned;
mod problem;
mod regulator;
mod report;
mod residual;
mod solution;

pub use expected::{ExpectedSolution, solve_expected};
pub use mpc::Mpc;
pub use problem::ControlProblem;
pub use regulator::Regulator;
pub use report::ControlReport;
pub use solution::{ControlSolution, solve_ocp};
