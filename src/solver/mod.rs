//! Solvers that know matrices only.

pub mod implicit_stribeck;

pub use implicit_stribeck::ImplicitStribeckSolver;
