//! Integrators of ordinary differential equations whose state lies on a manifold.
//!
//! A [`ContinuousSystem`] says how fast its state changes, `ẋ = f(t, x)`, and how a state that has
//! left the manifold by the error of a step (quaternions that are no longer of unit length) is
//! brought back. Positions with quaternions, velocities and auxiliary states of actuators are entries
//! of one vector.
//!
//! | integrator | order | for |
//! |---|---|---|
//! | [`ExplicitRungeKutta::euler`] | 1 | comparison |
//! | [`SemiImplicitEuler`] | 1, symplectic | long runs without dissipation |
//! | [`ExplicitRungeKutta::classical`] | 4 | smooth systems, steps of fixed length |
//! | [`DormandPrince`] | 5(4), adaptive | smooth systems; dense output, events |
//! | [`AdaptiveRadau`] | 5, L-stable, adaptive | stiff systems, such as flows in which contacts stick; dense output, events |
//! | [`ImplicitRungeKutta::midpoint`] | 2, symplectic, A-stable | stiff or long runs |
//! | [`ImplicitRungeKutta::radau_3`], [`radau_5`](ImplicitRungeKutta::radau_5) | 3, 5, L-stable | stiff force elements |
//!
//! # Manifolds
//! Every method evaluates `f ∘ π`, the rate after the projection `π` to the manifold, and projects
//! its result. `f ∘ π` is a smooth continuation of `f` off the manifold, whose solutions that start
//! on the manifold stay on it; so each method keeps its order, and the system never sees a state off
//! the manifold (Hairer, Lubich & Wanner 2006, *Geometric Numerical Integration*, §IV.4).
//!
//! # Derivatives
//! Explicit methods run in the scalar `T` as they are. Step sizes are chosen by real parts, so they
//! are constants for the derivative, which is that of the flow up to the error of the method; a run
//! with duals takes the steps of the run with `f64`, and [`DormandPrince::replay`] takes given ones bit
//! for bit. Implicit methods converge in `f64` and differentiate at the solution. Events are located
//! in `f64`; the derivative of their time, and what it does to the state afterwards, is exact to the
//! order that `T` carries: see [`event`].
//!
//! ```
//! use dualbody::integrator::{ContinuousSystem, DormandPrince};
//! use dualbody::{InvalidInput, Scalar};
//! use num_dual::Dual64;
//!
//! struct Oscillator<T> {
//!     stiffness: T,
//! }
//!
//! impl<T: Scalar> ContinuousSystem<T> for Oscillator<T> {
//!     type Error = InvalidInput;
//!     fn size(&self) -> usize {
//!         2
//!     }
//!     fn derivative(&mut self, _: T, x: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
//!         xdot[0] = x[1];
//!         xdot[1] = -x[0] * self.stiffness;
//!         Ok(())
//!     }
//! }
//!
//! // cos(√k t) at k = 4, t = 1, and its derivative −t sin(√k t)/(2√k).
//! let mut system = Oscillator { stiffness: Dual64::from(4.0).derivative() };
//! let mut x = [Dual64::from(1.0), Dual64::from(0.0)];
//! let mut integrator = DormandPrince::new(1e-11, 1e-11)?;
//! integrator.integrate(&mut system, 0.0, 1.0, &mut x, |_| {})?;
//! assert!((x[0].re - 2f64.cos()).abs() < 1e-9);
//! assert!((x[0].eps + 2f64.sin() / 4.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adaptive;
mod adaptive_radau;
mod dense_output;
mod dormand_prince;
mod error;
pub mod event;
mod explicit_runge_kutta;
mod frozen;
mod implicit_runge_kutta;
mod semi_implicit_euler;
mod system;

pub use adaptive::{AdaptiveIntegrator, AdaptiveMethod, IntegrationStatistics};
pub use adaptive_radau::{AdaptiveRadau, RadauPair};
pub use dense_output::DenseOutput;
pub use dormand_prince::DormandPrince;
pub use error::IntegrationError;
pub use event::{Crossing, Event, EventOutcome, HybridSystem};
pub use explicit_runge_kutta::ExplicitRungeKutta;
pub(crate) use frozen::{classical_step, moves_at_rest};
pub use implicit_runge_kutta::ImplicitRungeKutta;
pub use semi_implicit_euler::SemiImplicitEuler;
pub use system::{ContinuousSystem, MechanicalSystem, StiffSystem};
