//! Contact problems with Coulomb's round friction cone, a second-order (Lorentz) cone.
//!
//! Rows `w = A f + b` are the motions along forces `f`, in this order: equations; three rows for each contact, its normal
//! and two tangents at right angles; inequalities.
//!
//! ```text
//! equations      w = 0
//! contacts       0 ≤ w_N ⊥ f_N ≥ 0,     ‖f_T‖ ≤ μ f_N,     f_T = −μ f_N w_T/‖w_T‖  where  w_T ≠ 0
//! inequalities   0 ≤ w ⊥ f ≥ 0
//! ```
//!
//! The law of a contact says that `(w_N + μ‖w_T‖, w_T)` is in the dual cone and orthogonal to `(f_N, f_T)` in
//! `K = {‖f_T‖ ≤ μ f_N}` (de Saxcé & Feng 1998, *Math. Comput. Modelling* 28, 225–245). It is not the optimum of a convex
//! problem unless `μ = 0`: without the term `μ‖w_T‖` it would be, and bodies that slide would part at the speed `μ‖w_T‖`.
//!
//! # Method
//!
//! Forces are scaled so that `A` has ones on its diagonal, tangents of a contact alike, that the cone stays round. Solutions
//! are the roots of the projections
//!
//! ```text
//! f_N = max(0, f_N − ρ w_N),   f_T = P(f_T − ρ w_T),   P onto the disc of radius μ max(0, f_N − ρ w_N)
//! ```
//!
//! (Alart & Curnier 1991, *Comput. Methods Appl. Mech. Eng.* 92, 353–375). A semismooth Newton method with a line search on
//! `‖F‖²` finds them; its steps are the shortest ones, since contacts of a body share forces in many ways, or damped ones as by
//! Levenberg and Marquardt. Where it gets stuck, as between flush contacts that do not all press, sweeps of projected
//! Gauss–Seidel (Jean 1999, *Comput. Methods Appl. Mech. Eng.* 177, 235–257) and the proximal point method lead on:
//! `A + ε 1`, `b − ε f₀` in place of `A`, `b`, from one `f₀` to the next (Rockafellar 1976, *SIAM J. Control Optim.* 14,
//! 877–898), each time with another weight `ρ`, which is one at first.
//!
//! Derivatives are those of the equations that hold at the solution, `f_T + μ f_N w_T/‖w_T‖ = 0` of contacts that slide,
//! by the pseudo-inverse of their Jacobian: where forces are not unique, theirs are the smallest, and motions have the
//! only ones that there are. They suppose that rows which follow from others go on doing so.

mod equations;
mod error;
mod gauss_seidel;
mod problem;
mod projection;
mod scaled;
mod search;
mod solution;

pub use error::FrictionConeError;
pub use problem::FrictionConeProblem;
pub use solution::{ConeState, FrictionConeSolution};
