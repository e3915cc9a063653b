//! Systems in discrete and in continuous time, and the integrators.

#[path = "../support/mod.rs"]
mod support;

mod adjoint;
mod arbitrary;
mod arbitrary_derivatives;
mod body_pair_contact;
mod bristle_contact;
mod bristle_cube;
#[cfg(feature = "urdf")]
mod closed_loop;
mod contact_events;
mod continuity;
mod continuous_kinks;
mod determinism;
mod divided_steps;
mod dropped_hulls;
mod energy_ledger;
mod energy_of_every_element;
mod energy_of_schemes;
mod events;
mod every_element;
#[cfg(feature = "urdf")]
mod fast_rotation;
mod force_elements;
mod gradient_macros;
mod hostile_plants;
mod instants;
mod integrator;
#[cfg(feature = "serde")]
mod json;
mod machines;
mod momentum;
mod mutations;
mod other_scalars;
mod plant;
mod plant_adjoint;
mod random_mechanisms;
#[cfg(feature = "urdf")]
mod redundant_loops;
mod reference_rotational_friction;
mod reference_steps;
mod rigid_body_system;
mod rigid_damping;
mod rigid_equilibrium;
mod rigid_plant;
mod rigid_restitution;
mod rigid_step;
mod rigid_sticking;
mod rigid_warm_start;
mod rotational_friction;
mod sampled_actuators;
mod scheme_derivatives;
mod servo_constraints;
mod sets;
mod singular;
mod static_friction;
mod step_jacobian;
mod stiff_flows;
mod time_stepping;
