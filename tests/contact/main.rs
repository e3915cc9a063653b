//! Forces of contacts, their resultants, and the solvers of contact problems.

#[path = "../support/mod.rs"]
mod support;

mod arbitrary;
mod friction_cone;
mod implicit_stribeck;
mod law;
mod lcp;
mod reference_contact;
mod resultant;
mod robustness;
