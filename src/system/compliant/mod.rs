//! Steps with compliant contact, implicit in contact, constraint and velocity-dependent forces.
//!
//! [`step`] is the path; its stages in `f64` are those of [`solve`].

mod balance;
mod constrained;
mod constrained_newton;
mod constraint_impulses;
mod decoupled_forces;
mod free_motion;
mod multipliers;
mod problem;
mod rows;
mod saddle_point;
mod solution;
mod solve;
mod start;
mod step;
mod velocity_forces;
mod warm_start;

pub(super) use balance::{Interval, PointForce};
pub(super) use rows::{Row, StepRows};
pub(super) use saddle_point::SaddlePoint;
pub(super) use solution::CompliantSolution;
pub(super) use solve::CompliantSolve;
