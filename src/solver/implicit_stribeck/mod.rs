//! Contact with regularised friction, implicit over one time step (implicit Stribeck, TAMSI).
//!
//! # The problem
//! A mechanical system with generalized velocities `v` obeys `M v̇ = τ + Jₙᵀ fₙ + Jₜᵀ fₜ`. A step of
//! length δt, implicit in the contact forces, asks for the velocity `v` at its end with
//!
//! ```text
//! M v = p* + δt [Jₙᵀ fₙ + Jₜᵀ fₜ(v)]          one-way coupled: fₙ is known
//! M v = p* + δt [Jₙᵀ fₙ(v) + Jₜᵀ fₜ(fₙ(v), v)]  two-way coupled: fₙ is compliant
//! ```
//!
//! where `p* = M v₀ + δt τ` is the momentum that the system would have without contact,
//! `vₙ = Jₙ v` are the separation velocities and `vₜ = Jₜ v` the tangential velocities of the contact
//! points. The two-way coupled normal force extrapolates the penetration over the step,
//! `x ≈ x₀ − δt vₙ`, and reads `fₙ = k (1 − d vₙ)₊ (x₀ − δt vₙ)₊`; friction is Coulomb's law with
//! the jump at zero slip replaced by a ramp of the width `v_s`, the stiction tolerance:
//! `fₜ = −μ(s) fₙ vₜ/‖vₜ‖` with `s = ‖vₜ‖/v_s`, `μ(s) = μ s (2 − s)` for `s < 1` and `μ` above, where μ may
//! fall from a static to a dynamic coefficient along a [`StribeckCurve`]. Friction of another kind under the normal
//! force of a contact, against spinning or rolling, is a contact of its own
//! ([`TwoWayCoupledProblem::with_friction_only`]). The method is that of Castro, Qu, Kuppuswamy, Alspach & Sherman (2020), *A transition-aware method
//! for the simulation of compliant contact with regularized friction*, IEEE Robotics and Automation
//! Letters 5(2), 1859–1866, known as TAMSI.
//!
//! # Why both are of first order
//! The backward Euler method with positions held at the start of the step, `v⁺ = v₀ + δt M⁻¹ [τ + Jᵀ f(q₀, v⁺)]`, has a
//! local error of `O(δt²)`: over δt the positions, and all that follows from them, change by `O(δt)` in an integrand of
//! which the integral has the length δt.
//!
//! *One-way.* Replacing `fₙ(q₀, v⁺)` by `fₙ(q₀, v₀)` changes the normal force by its derivative times `v⁺ − v₀`, which is
//! `O(δt)` as long as forces are bounded, and so the momentum by `δt O(δt) = O(δt²)`, the order of what is left out
//! already. The same holds of τ. What is lost is not order but stability: the normal force no longer answers to the step that
//! it causes. Linearised about a contact, with `f = −k x − c v` in one direction, the step is
//! `v⁺ = v₀ − (δt/m)(k x₀ + c v₀)`, `x⁺ = x₀ + δt v⁺`, stable for `δt² k + 2 δt c < 4 m` only.
//!
//! *Two-way.* With `x⁺ = x₀ − δt vₙ + O(δt²)` the penetration at the end of the step differs from the one that is
//! extrapolated by `O(δt²)`, so that the momentum differs from that of a normal force at the end of the step by `O(δt³)`; what
//! remains is the error of a Jacobian that is held, `O(δt²)`. The force decreases in `vₙ` where it acts, by
//! `∂fₙ/∂vₙ = −k [d (x₀ − δt vₙ) + δt (1 − d vₙ)] ≤ 0`, so that `M − δt Jₙᵀ ∂fₙ/∂vₙ Jₙ` is positive definite: without
//! friction the step has one solution, and linearised as above it is stable at every length.
//!
//! # How it is solved
//! In `f64`, by Newton's method on the momentum balance. Friction is linearised at tangential velocities that no
//! iteration turns by more than `θ_max` or takes across the stiction region, while generalized and normal velocities
//! take the whole step: with `u` where friction is linearised and `D = −∂f/∂u`, an iteration solves
//!
//! ```text
//! M v = p* + δt Jᵀ [f(u) − D (J v − u)],     uₜ ← uₜ + α (J v − u)ₜ,     uₙ ← (J v)ₙ
//! ```
//!
//! where every contact has an α ≤ 1 of its own, so that one that turns does not hold the others up. Where all α are 1,
//! which they are in the end, this is Newton's method. If it does not end, one fraction of the step for all contacts, as
//! in the paper, is tried. Both fail on some problems with
//! strong coupling between friction and normal forces. Under normal forces that do not change as they
//! press on friction, and coefficients that do not change with the slip speed, the problem is convex, and Newton's method with a line search cannot fail; a
//! sequence of such problems, each with the normal forces and coefficients of the one before, leads to velocities from
//! which Newton's method on the problem itself is tried again. If need be the solution is followed
//! along a curve from the last of these problems to the problem itself; other ones are begun with where
//! that takes too long.
//!
//! A solution always satisfies the momentum balance, to round-off as a rule and to the residual
//! tolerance in the worst case: a small last step alone does not count as convergence. A problem may
//! have several solutions; the one found depends on the guess. Where a contact is so stiff that the
//! last digit of a velocity matters to the balance, contact velocities and forces of a solution are
//! more precise than its velocities, which are rounded.
//!
//! Parts of a problem that neither the mass matrix nor a contact couples, like bodies that touch only the
//! ground, are islands: each is solved by itself. Within an island velocities are eliminated front by front,
//! from the leaves of trees inwards, so that zeros of the mass matrix stay what they are. Where there are fewer
//! contact velocities than generalized ones, Newton's method goes by these, with the same iterates.
//!
//! # How it is differentiated
//! At the solution, by the implicit function theorem ([`implicit_step`](crate::autodiff::implicit_step)):
//! with respect to every input, the matrices, the time step and the stiction tolerance included, to
//! the order that the scalar carries. [`ImplicitStribeckSolver::solve_with_derivatives`] gives all first
//! derivatives as matrices, or those of one scalar with respect to everything as an adjoint, at
//! the price of a few back-substitutions. A [`Solution`] says how far it is from the nearest
//! [`Kink`] of the contact law, where derivatives jump.
//!
//! ```
//! use dualbody::solver::implicit_stribeck::{ImplicitStribeckSolver, TwoWayCoupledProblem};
//! use nalgebra::dmatrix;
//! use num_dual::Dual64;
//!
//! // A block of 1 kg, penetrating the ground by 0.1 mm, slides at 0.3 m/s. How does its speed after
//! // 1 ms depend on the coefficient of friction?
//! let c = Dual64::from;
//! let mass = dmatrix![c(1.0), c(0.0); c(0.0), c(1.0)];
//! let normal = dmatrix![c(0.0), c(1.0)];
//! let tangents = dmatrix![c(1.0), c(0.0); c(0.0), c(0.0)];
//! let p_star = [c(0.3), c(-9.81e-3)];
//! let mu = [c(0.5).derivative()];
//! let (x0, k, d) = ([c(1e-4)], [c(1e5)], [c(0.1)]);
//! let problem = TwoWayCoupledProblem::new(&mass, &normal, &tangents, &p_star, &x0, &k, &d, &mu)?;
//!
//! let mut solver = ImplicitStribeckSolver::new(Default::default())?;
//! let solution = solver.solve(problem, c(1e-3), &[c(0.3), c(0.0)])?;
//!
//! // v = 0.3 − δt μ fₙ while it slides.
//! let expected = -1e-3 * solution.normal_forces[0].re;
//! assert!((solution.velocities[0].eps / expected - 1.0).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod condensed_rows;
mod contact_law;
mod contact_space;
mod direction_limiter;
mod error;
mod islands;
mod kink;
mod lagged_friction;
mod lifted;
mod line_search;
mod linearization;
mod mass_matrix;
mod newton;
mod newton_system;
mod parameters;
mod path;
mod problem;
mod search;
mod solution;
mod solver;
mod sparse_problem;
mod statistics;
mod stribeck_curve;

pub(crate) use condensed_rows::EqualityRows;
pub(crate) use contact_law::{FrictionLaw, NormalLaw};
pub use error::ImplicitStribeckSolverError;
pub use kink::{Kink, KinkKind};
pub use linearization::{Linearization, ProblemGradient, VelocityGradient};
pub(crate) use newton_system::FoldAlong;
pub use parameters::ImplicitStribeckSolverParameters;
pub use problem::{ContactProblem, OneWayCoupledProblem, TwoWayCoupledProblem};
pub use solution::Solution;
pub use solver::ImplicitStribeckSolver;
pub(crate) use sparse_problem::{NormalForce, SparseContact, SparseProblem};
pub use statistics::{Iteration, IterationStatistics, Strategy};
pub(crate) use stribeck_curve::LARGEST_CONSTANT;
pub use stribeck_curve::StribeckCurve;
