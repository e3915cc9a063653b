//! Systems: trees with contact, in discrete time.

mod contact_result;
mod error;
mod lifted_step;
mod model;
mod real_step;
mod rigid_step;
mod rollout;
mod state;
mod step;
mod time_stepping;

pub use contact_result::ContactResult;
pub use error::{StepError, SystemError};
pub use rigid_step::{RigidContactImpulse, RigidContactSystem, RigidStep, RigidStepWorkspace};
pub use rollout::{Rollout, RolloutFailure};
pub use state::State;
pub use step::{Step, StepStatus, StepWorkspace};
pub use time_stepping::TimeSteppingRigidBodySystem;
