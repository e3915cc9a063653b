//! Systems in discrete and in continuous time, and the integrators.

#[path = "../support/mod.rs"]
mod support;

mod compliant;
mod constraints;
mod continuous;
mod derivatives;
mod elements;
mod energy;
mod rigid;
mod systems;
