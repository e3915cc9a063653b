//! Systems in continuous time.

mod contact_events;
mod decisions;
mod dynamics;
mod equilibrium;
mod flow;
mod integration;
mod isolation;
mod kinks;
mod pseudo_transient;

pub use contact_events::{ContactEvent, ContactEventKind};
pub use dynamics::DynamicsWorkspace;
pub(super) use dynamics::Instant;
pub use flow::RigidBodyFlow;
pub(super) use integration::IntegrationMemory;
