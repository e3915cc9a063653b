//! Steps with compliant contact, implicit in contact, constraint and velocity-dependent forces.

mod balance;
mod constraint_impulses;
mod damping;
mod free_motion;
mod linearized_forces;
mod problem;
mod rows;
mod saddle_point;
mod solve;

pub(super) use balance::{Interval, MomentumBalance};
pub(super) use damping::Dual;
pub(super) use saddle_point::SaddlePoint;
pub(super) use solve::{CompliantSolve, Deciding};
