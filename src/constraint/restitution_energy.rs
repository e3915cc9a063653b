//! The energy that restitution adds to a step, relative to the momentum at its start.

use super::solver::VelocitySolution;
use crate::Scalar;
use nalgebra::DVector;

/// A gain below this part of the kinetic energy is round-off.
const ROUND_OFF: f64 = 1e-13;

/// The momentum `P' = M v'` at the start of a step, before forces act, and its velocities `v'`.
#[derive(Debug, Clone)]
pub(crate) struct InitialMomentum<T: Scalar> {
    pub momentum: DVector<T>,
    pub velocity: DVector<T>,
}

/// The energy that a step with rebounds gains.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Gain<T> {
    /// None, and what it gains less, in J, if that is known.
    None { limit: Option<T> },
    /// So much, in J.
    Some(T),
}

impl<T: Scalar> InitialMomentum<T> {
    /// What a solution with rebounds gains, with its p.
    pub fn gain(&self, solution: &VelocitySolution<T>, p: &[T]) -> Gain<T> {
        let gain = self.excess(solution, p);
        let before = self.velocity.dot(&self.momentum).re() * 0.5;
        if gain.re() > ROUND_OFF * before {
            return Gain::Some(gain);
        }
        let rubs = solution.impulses.friction().iter().any(|f| f.re() != 0.0);
        Gain::None {
            limit: rubs.then_some(gain),
        }
    }

    /// `W` of a solution, with its p.
    pub fn excess(&self, solution: &VelocitySolution<T>, p: &[T]) -> T {
        let impulses = &solution.impulses.generalized;
        let mut excess = -self.velocity.dot(&self.momentum) * 0.5;
        for (i, &next) in solution.generalized_velocity.iter().enumerate() {
            let half = (p[i] + impulses[i]) * 0.5;
            excess += next * (half - (p[i] - self.momentum[i]));
        }
        excess
    }
}
