//! Systems: trees with contact, in discrete time.

mod adjoint;
mod contact_result;
mod error;
mod lifted_step;
mod model;
mod real_step;
mod rollout;
mod state;
mod step;
mod step_derivatives;
mod time_stepping;

pub use adjoint::{Adjoint, RolloutGradient, RolloutObjective};
pub use contact_result::ContactResult;
pub use error::{StepError, SystemError};
pub use rollout::{Rollout, RolloutFailure};
pub use state::State;
pub use step::{Step, StepStatus, StepWorkspace};
pub use step_derivatives::{StepDifferentiator, StepGradient, StepJacobian};
pub use time_stepping::TimeSteppingRigidBodySystem;
