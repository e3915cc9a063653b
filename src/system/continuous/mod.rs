//! Systems in continuous time.

mod dynamics;
mod equilibrium;
mod flow;
mod integration;

pub use dynamics::DynamicsWorkspace;
pub(super) use dynamics::Instant;
pub use flow::RigidBodyFlow;
pub(super) use integration::IntegrationMemory;
