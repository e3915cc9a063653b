//! Systems: trees with contact and force elements, in discrete time.
//!
//! # A step
//! From the state `(q, v)` a step of length δt finds the velocity `v⁺` at its end from the momentum
//! balance, and moves with it:
//!
//! ```text
//! M(q) (v⁺ − v) = δt [τ − C(q, v) v + τ_g(q) − D v⁺ + τ_F(q, v⁺) + Jᵀ f(q, v⁺)]
//! q⁺ = q + δt N(q) v⁺
//! ```
//!
//! with the forces τ of actuators, the damping D of the joints, the force elements `τ_F` and the
//! contact forces f. Whatever depends on the velocity does so at the end of the step, so that no
//! damper is too strong; springs act at the positions at its start, and a step resolves their
//! vibrations only while `ω δt < 2`.

mod adjoint;
mod body_pair_contact;
mod constraint_set;
mod contact_result;
mod discrete_plant;
mod energy_ledger;
mod equilibrium;
mod error;
mod flow;
mod force_damping;
mod lifted_step;
mod linearization;
mod linearized_forces;
mod model;
mod plant_state;
mod real_step;
mod recording;
mod rigid_body_system;
mod rigid_step;
mod rollout;
mod signal;
mod state;
mod step;
mod step_derivatives;
mod time_stepping;

pub use adjoint::{Adjoint, RolloutGradient, RolloutObjective};
pub use body_pair_contact::{BodyPairContact, body_pair_contacts};
pub use constraint_set::ConstraintSet;
pub use contact_result::ContactResult;
pub use discrete_plant::{DiscretePlant, PlantWorkspace};
pub use energy_ledger::{ElementLedger, EnergyChange, EnergyLedger, StateEnergy};
pub use error::{PlantError, StepError, SystemError};
pub use flow::RigidBodyFlow;
pub use linearization::LinearModel;
pub use plant_state::PlantState;
pub use recording::Recording;
pub use rigid_body_system::{CastSystem, DynamicsWorkspace, RigidBodySystem};
pub use rigid_step::{RigidContactImpulse, RigidContactSystem, RigidStep, RigidStepWorkspace};
pub use rollout::{Rollout, RolloutFailure};
pub use signal::{read_signal, write_signal};
pub use state::State;
pub use step::{Step, StepStatus, StepWorkspace};
pub use step_derivatives::{StepDifferentiator, StepGradient, StepJacobian};
pub use time_stepping::TimeSteppingRigidBodySystem;
