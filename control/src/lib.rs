//! Control of `dualbody`'s machines on exact derivatives.
//!
//! | job | what |
//! |---|---|
//! | hold a machine at a state | [`regulator_at_rest`], [`Regulator`], [`TimeVaryingRegulator`] |
//! | what a parameter does to that | [`Regulator::derivative`], [`regulator_sensitivity`] |
//! | estimate a state from outputs | [`Estimator`], [`ExtendedKalmanFilter`] |
//! | plan a motion, through contact | [`Problem`], [`Solver`] |
//! | find parameters with the motion | [`Design`] |
//! | feel contact before it is made | [`ForceAtDistance`], [`solve_annealed`], [`AveragedSlopes`] |
//! | plan for machines that are not known well | [`Ensemble`], [`machines_over`] |
//! | plan again and again while the machine moves | [`Mpc`] |
//!
//! What is to be controlled is a [`Dynamics`]: states on a manifold, a step, and the derivatives of the step.
//! [`Machine`] is that of a [`TimeSteppingRigidBodySystem`](dualbody::system::TimeSteppingRigidBodySystem), with the
//! Jacobians that its steps have; [`Linear`] is `x⁺ = A x + B u`. Displacements `δx` are in the tangent space: a machine
//! has `δx = [δq; δv; δa; δs]` with as many entries in `δq` as in `δv`, so that quaternions contribute three.
//!
//! Errors name the quantity, its value and its place; nothing panics on data, and no result is NaN.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod annealing;
mod averaged;
mod backward_pass;
mod bodies;
mod bounds;
mod box_qp;
mod by_duals;
mod curvature;
mod design;
mod distance_force;
mod dynamics;
mod ensemble;
mod equilibrium;
mod error;
mod evaluation;
mod extended_kalman_filter;
mod forces_and_energies;
mod forward_pass;
#[cfg(any(doc, doctest))]
pub mod guide;
mod kalman;
mod lift;
mod line_step;
mod linear;
mod linear_quadratic;
mod lyapunov;
mod machine;
mod machine_dynamics;
mod matrix;
mod mpc;
mod options;
mod outputs;
#[cfg(feature = "scene")]
mod picture;
mod plan;
mod problem;
mod report;
mod residual;
mod riccati;
mod sensitivity;
mod solver;
mod stage;
mod start;
mod time_varying;

pub use annealing::{Annealed, solve_annealed, solve_annealed_with};
pub use averaged::AveragedSlopes;
pub use bodies::{BodyPosition, BodyTurn, BodyVelocity, CenterOfMass};
pub use by_duals::{ByDuals, Configuration, MachineFunction};
pub use design::{Design, DesignState};
pub use distance_force::ForceAtDistance;
pub use dynamics::Dynamics;
pub use ensemble::{Ensemble, machines_over};
pub use equilibrium::{RestingRegulator, regulator_at_rest};
pub use error::ControlError;
pub use extended_kalman_filter::ExtendedKalmanFilter;
pub use forces_and_energies::{ContactForce, Dissipation, MechanicalEnergy};
pub use kalman::{Estimator, steady_estimator};
pub use linear::Linear;
pub use linear_quadratic::{LinearQuadratic, LinearQuadraticChange};
pub use lyapunov::{
    controllability_gramian, lyapunov_continuous, lyapunov_discrete, observability_gramian,
};
pub use machine::Machine;
pub use machine_dynamics::MachineDynamics;
pub use mpc::{Mpc, MpcRun};
pub use options::{GapClosing, Hessian, SolverOptions};
pub use outputs::{OutputModel, Outputs};
pub use problem::Problem;
pub use report::{Ending, Iteration, Report};
pub use residual::{InputResidual, Point, Residual, StateResidual};
pub use riccati::{Regulator, RegulatorChange};
pub use sensitivity::{RegulatorSensitivity, regulator_sensitivity};
pub use solver::Solver;
pub use time_varying::TimeVaryingRegulator;
