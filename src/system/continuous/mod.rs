//! Trees with actuators, sensors, constraints and contact in continuous time.

mod dynamics;
mod equilibrium;
mod flow;
mod rigid_body_system;

pub use dynamics::DynamicsWorkspace;
pub use flow::RigidBodyFlow;
pub use rigid_body_system::{CastSystem, RigidBodySystem};
