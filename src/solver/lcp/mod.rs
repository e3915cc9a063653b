//! Linear complementarity problems.
//!
//! # The problem
//! For a matrix `M` and a vector `q`, find `z` and `w` with
//!
//! ```text
//! w = M z + q,      0 ≤ w  ⊥  z ≥ 0
//! ```
//!
//! (Cottle, Pang & Stone 1992, *The Linear Complementarity Problem*). In a *mixed* problem the first
//! few variables are free, and their rows equations: `wᵢ = 0`, `zᵢ` of either sign. Contact with
//! friction is of this form: `z` are forces, `w` accelerations, and free variables are the forces of
//! bilateral constraints.
//!
//! # How it is solved
//! All in `f64`, on a problem whose rows and columns are scaled by powers of two, `S M S`:
//!
//! 1. Free variables are eliminated.
//! 2. A path of pivots leads to an *active set*, the indices with `zᵢ > 0 = wᵢ`: Lemke's path, with
//!    the lexicographic rule against cycles (ibid., §4.4 and 4.9), or the principal pivots of
//!    Cottle and Dantzig for positive semidefinite matrices (ibid., §4.2). Where round-off
//!    misleads a path, it is tried again with other covering vectors, with dictionaries that are
//!    computed anew on the way, and with a small multiple of the identity added to the matrix, which
//!    proximal point iterations make good.
//! 3. *Polish*: the linear system of the active set is solved with the original data and iterative
//!    refinement, so that no error of the pivots remains. An index whose equation depends on others to
//!    working precision is left out, and those of the wrong sign change sides.
//!
//! A constraint problem that the first few paths do not solve is posed once more with the motion as free variables beside
//! the forces: under something heavy, the forces on something light cancel in `M` what they leave. There every basis of
//! Lemke's path is factored anew. The other paths are for what that does not solve.
//!
//! Contacts that slip although their forces can be shared in many ways have a second path, to a solution in which
//! nothing slips of a set that nothing couples with others, and rows share evenly: what is active is then solved with as
//! many of its equations as are independent, and other variables keep their shares.
//!
//! What comes out is a solution only if its [residual](LcpSolution::residual), row by row, is at
//! round-off, and `M z` not so much larger than `q` that `q` is lost in its round-off. Otherwise the
//! [error](LcpError) says whether no `z` satisfies the inequalities at all, whether the path went off to
//! infinity, or whether numbers are to blame.
//!
//! # How it is differentiated
//! As long as no index changes sides, the active `z` are the solution of a linear system, and have
//! the derivatives of that system: [`implicit_step`](crate::autodiff::implicit_step) with the factor
//! of the polish, to the order that the scalar carries. Where an index is about to change sides
//! derivatives jump; an [`LcpSolution`] says how far away that [kink](LcpKink) is.
//!
//! ```
//! use dualbody::solver::lcp::{LcpSolver, LinearComplementarityProblem};
//! use nalgebra::dmatrix;
//! use num_dual::Dual64;
//!
//! // A mass of 2 kg on the ground: a = f/m − g ≥ 0, f ≥ 0, a f = 0. How does f depend on m?
//! let m = Dual64::from(2.0).derivative();
//! let (matrix, vector) = (dmatrix![m.recip()], [Dual64::from(-9.81)]);
//! let mut solver = LcpSolver::new(Default::default())?;
//! let solution = solver.solve(LinearComplementarityProblem::new(&matrix, &vector)?)?;
//! assert!((solution.z[0].re - 19.62).abs() < 1e-14);
//! assert!((solution.z[0].eps - 9.81).abs() < 1e-14);
//! # use num_dual::DualNum;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod active_set;
mod dictionary;
mod error;
mod feasibility;
mod lemke;
mod null_space;
mod parameters;
mod principal_pivoting;
mod problem;
mod real;
mod revised_lemke;
mod scaling;
mod solution;
mod solver;

pub use error::LcpError;
pub use parameters::{LcpMethod, LcpSolverParameters};
pub use problem::LinearComplementarityProblem;
pub use solution::{LcpKink, LcpKinkKind, LcpSolution};
pub use solver::LcpSolver;
