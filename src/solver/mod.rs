//! Solvers for contact and complementarity: matrices in, forces out, no tree.

pub mod friction_cone;
pub mod implicit_stribeck;
pub mod lcp;
pub(crate) mod mixed_complementarity;

pub use implicit_stribeck::ImplicitStribeckSolver;
pub use lcp::LcpSolver;
