//! Trees with contact in steps of fixed length, their derivatives and their energy.

mod actuation;
mod adjoint;
mod energy_ledger;
mod force_damping;
mod lifted_step;
mod linearized_forces;
mod model;
mod real_step;
mod rigid_step;
mod rollout;
mod step;
mod step_derivatives;
mod system;

pub use adjoint::{Adjoint, RolloutGradient, RolloutObjective};
pub use energy_ledger::{ElementLedger, EnergyChange, EnergyLedger, StateEnergy};
pub use rigid_step::{RigidContactImpulse, RigidContactSystem, RigidStep, RigidStepWorkspace};
pub use rollout::{Rollout, RolloutFailure};
pub use step::{Step, StepStatus, StepWorkspace};
pub(super) use step_derivatives::part;
pub use step_derivatives::{StepDifferentiator, StepGradient, StepJacobian};
pub use system::TimeSteppingRigidBodySystem;
