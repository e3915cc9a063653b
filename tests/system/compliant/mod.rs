//! Compliant steps.

mod body_pair_contact;
mod bristle_contact;
mod bristle_cube;
mod coordinates_alone;
mod divided_steps;
mod dropped_hulls;
mod expected_velocity;
mod impact_resolution;
mod reference_rotational_friction;
mod reference_steps;
mod rotational_friction;
mod static_friction;
pub mod step_jacobian;
mod time_stepping;
