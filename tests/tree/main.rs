//! Trees of bodies: models, descriptions, kinematics, dynamics, derivatives.

#[path = "../support/mod.rs"]
mod support;

mod configuration;
mod derivatives;
mod dynamics;
mod dynamics_derivatives;
mod model;
mod reference_dynamics;
mod reference_urdf;
mod urdf;
