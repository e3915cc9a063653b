//! Steps with [force laws](crate::constraint::ConstraintForceLaw), by a semismooth Newton method around the step.
//!
//! A step with the generalized forces `τ = G(q)ᵀ f` beside all others is one of the same machine without laws,
//!
//! ```text
//! (qₙ, vₙ) = step(q, v, u, G(q)ᵀ f)
//! ```
//!
//! and the rows `φ(q, v, qₙ, vₙ, f)` of the laws, with their bounds, are a mixed complementarity problem in `f` of few
//! unknowns. A [semismooth Newton method](crate::solver::mixed_complementarity) solves it in `f64`; each iteration makes
//! one step with duals, which gives the rows and their derivatives by `f`, whatever the scheme. Derivatives are those of
//! the implicit function: with the rows at bounds as equations `f = bound`, one evaluation of the step in `T` raises their
//! order by one.

mod directions;
mod forces;
mod instant;
mod rest;
mod step;

pub(crate) use instant::DrivenDynamics;
pub(super) use instant::InstantMemory;
pub(super) use rest::LawsAtRest;
pub(super) use step::{DrivenMachine, DrivenMemory};
