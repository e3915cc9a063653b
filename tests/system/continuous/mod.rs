//! Continuous time: integrators, events, equilibria.

mod contact_events;
mod continuous_kinks;
mod equilibrium_bits;
mod events;
mod instants;
mod integrator;
mod stiff_flows;
