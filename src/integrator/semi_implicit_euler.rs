//! Semi-implicit Euler.

use super::system::MechanicalSystem;
use crate::{InvalidInput, Scalar};

/// Semi-implicit Euler for mechanical systems, of order 1: velocities first, then positions with the
/// new velocities,
///
/// ```text
/// v ← v + h v̇(t, q, v),      q ← π(q + h N(q) v)
/// ```
///
/// Symplectic where the forces do not depend on velocities: the energy of a conservative system
/// does not drift (Hairer, Lubich & Wanner 2006, *Geometric Numerical Integration*, §VI.3).
#[derive(Debug, Clone, Default)]
pub struct SemiImplicitEuler<T> {
    xdot: Vec<T>,
}

impl<T: Scalar> SemiImplicitEuler<T> {
    /// The method, without memory yet.
    pub fn new() -> Self {
        SemiImplicitEuler { xdot: Vec::new() }
    }

    /// Replaces the state `x` at time `t` by that at `t + h` (seconds).
    ///
    /// # Errors
    /// [`InvalidInput`] when the size of `x` is not that of the state or an entry of the result is
    /// not finite (`x` is then undefined), and the errors of the system.
    pub fn step<S: MechanicalSystem<T>>(
        &mut self,
        system: &mut S,
        t: T,
        h: T,
        x: &mut [T],
    ) -> Result<(), S::Error> {
        let (nq, nv) = (system.num_positions(), system.num_velocities());
        InvalidInput::check_size("state", x.len(), system.size())?;
        InvalidInput::check_range(
            "number of coordinates",
            &[(nq + nv) as f64],
            "at most the size of the state",
            |n| n <= x.len() as f64,
        )?;
        self.xdot.resize(x.len(), T::zero());
        system.derivative(t, x, &mut self.xdot)?;
        for (x, &rate) in x.iter_mut().zip(&self.xdot).skip(nq) {
            *x += rate * h;
        }
        let (q, rest) = x.split_at_mut(nq);
        system.position_derivative(q, &rest[..nv], &mut self.xdot[..nq])?;
        for (q, &rate) in q.iter_mut().zip(&self.xdot) {
            *q += rate * h;
        }
        system.project(x)?;
        Ok(InvalidInput::check_finite("state", x)?)
    }
}
