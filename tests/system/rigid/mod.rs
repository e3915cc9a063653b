//! Rigid steps.

mod rigid_damping;
mod rigid_equilibrium;
mod rigid_materials;
mod rigid_plant;
mod rigid_restitution;
mod rigid_step;
mod rigid_sticking;
mod rigid_warm_start;
mod rigid_work;
mod round_cones;
mod too_many_contacts;
mod unequal_round_cones;
mod unequal_stacks;
