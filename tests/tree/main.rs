//! Trees of bodies: models, descriptions, kinematics, dynamics, derivatives.

#[path = "../support/mod.rs"]
mod support;

mod arbitrary;
mod composite_joints;
mod configuration;
mod convex_decomposition;
mod derivatives;
mod dynamics;
mod dynamics_derivatives;
mod mjcf;
mod mjcf_copies;
mod mjcf_joints;
mod mjcf_mass;
mod mjcf_mistakes;
mod mjcf_numbers;
mod mjcf_ranges;
mod mjcf_update;
mod mjcf_update_of_elements;
mod model;
mod mutations;
mod reference_dynamics;
mod reference_mjcf;
mod reference_urdf;
mod regressor;
mod set_constants;
mod srdf;
mod urdf;
mod urdf_machine;
mod urdf_update;
