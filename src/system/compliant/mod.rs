//! Steps with compliant contact, implicit in contact, constraint and velocity-dependent forces.

mod balance;
mod constraint_impulses;
mod decoupled_forces;
mod free_motion;
mod problem;
mod rows;
mod saddle_point;
mod solve;

pub(super) use balance::{Interval, MomentumBalance};
pub(super) use rows::Row;
pub(super) use saddle_point::SaddlePoint;
pub(super) use solve::{CompliantSolve, RealContext};
