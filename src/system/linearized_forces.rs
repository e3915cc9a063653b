//! Velocity-dependent forces in a step, linearised by Newton's method around the contact solver.
//!
//! The generalized forces are replaced by `τ(v) ≈ τ(w) − D (v − w)` at a velocity `w`, and
//!
//! ```text
//! (M + δt D) v⁺ = p* + δt (τ(w) + D w) + δt Jᵀ f(v⁺)
//! ```
//!
//! is a contact problem again, whose contact forces are exact, or impulses of rigid contact in their place. Its solution is the next `w`: Newton's
//! method, which is done at once where forces are linear in the velocity.
//!
//! A full step can overshoot, across the steep part of a friction law for instance. With the residual
//! `r(v)` of the momentum balance and the step `d`, the slope `d·r(w + α d)` is negative at `α = 0`
//! and, for forces that dissipate more the faster the motion is, rises with α (it is the slope of a
//! convex function where the damping is symmetric). When it is too large at `α = 1`, `w` moves only to
//! where it is near zero, found by bisection.

use super::applied_forces::Actuation;
use super::damping::{Damping, Dual};
use super::rigid_body_system::RigidBodySystem;
use crate::force::ForceError;
use nalgebra::DMatrix;

/// Error that is as good as none.
const ROUND_OFF: f64 = 1e-12;

/// The linearisation, and how the search for `w` goes.
#[derive(Debug, Clone)]
pub(super) struct LinearizedForces {
    damping: Damping,
    /// The diagonal of `M + δt D`.
    pub diagonal: Vec<f64>,
    /// The velocity `w`.
    pub point: Vec<f64>,
    /// The step `d` from `w` to the solution of its contact problem.
    pub step: Vec<f64>,
    /// The forces at that solution.
    forces_at_solution: Vec<f64>,
    /// Norm of the largest momentum in the balance.
    scale: f64,
    /// The relative error of the last linearisation.
    pub error: f64,
    /// The best solution so far, and the error of its linearisation.
    pub best_solution: Vec<f64>,
    pub best_error: f64,
}

impl LinearizedForces {
    pub fn new(system: &RigidBodySystem<Dual>) -> Self {
        LinearizedForces {
            damping: Damping::new(system),
            diagonal: Vec::new(),
            point: Vec::new(),
            step: Vec::new(),
            forces_at_solution: Vec::new(),
            scale: 0.0,
            error: f64::INFINITY,
            best_solution: Vec::new(),
            best_error: f64::INFINITY,
        }
    }

    /// Starts a search at the velocity `v`.
    pub fn start(
        &mut self,
        system: &RigidBodySystem<Dual>,
        (q, v): (&[f64], &[f64]),
        actuation: Actuation<'_, f64>,
    ) -> Result<(), ForceError> {
        self.damping.set_positions(system, q, actuation)?;
        copy(&mut self.point, v);
        copy(&mut self.best_solution, v);
        self.best_error = f64::INFINITY;
        Ok(())
    }

    /// Evaluates τ and D at `w`.
    pub fn evaluate(&mut self, system: &RigidBodySystem<Dual>) -> Result<(), ForceError> {
        self.damping.evaluate(system, &self.point)
    }

    /// `τ(w)`.
    pub fn forces(&self) -> &[f64] {
        &self.damping.forces
    }

    /// `D` at `w`.
    pub fn damping(&self) -> &DMatrix<f64> {
        &self.damping.matrix
    }

    /// Calls `add` with each coordinate and the impulse `δt (τ(w) + D w)` there, of a problem with the momentum p that
    /// `add` returns; [`Self::diagonal`] is known.
    pub fn add_impulse(&mut self, dt: f64, mut add: impl FnMut(usize, f64) -> f64) {
        let Damping {
            forces,
            matrix: damping,
            ..
        } = &self.damping;
        let [mut momentum, mut impulse, mut damped] = [0.0; 3];
        for (i, (&tau, &diagonal)) in forces.iter().zip(&self.diagonal).enumerate() {
            let tau = dt * tau;
            let d_w = dt * row_times(damping, i, self.point.iter().copied());
            let p = add(i, tau + d_w);
            let weight = 1.0 / diagonal;
            momentum += weight * p * p;
            impulse += weight * tau * tau;
            damped += weight * d_w * d_w;
        }
        self.scale = f64::max(momentum, f64::max(impulse, damped)).sqrt();
    }

    /// Takes the solution of the contact problem, and the forces there.
    ///
    /// Whether it is good: as good as it gets or, when it is no longer getting better, within the
    /// tolerance.
    pub fn take(&mut self, dt: f64, solution: &[f64], forces: &[f64], tolerance: f64) -> bool {
        let steps = solution.iter().zip(&self.point).map(|(v, w)| v - w);
        self.step.clear();
        self.step.extend(steps);
        copy(&mut self.forces_at_solution, forces);
        let error = self.relative_error(dt, forces);
        self.error = error;
        let stagnates = error > 0.5 * self.best_error;
        if error < self.best_error {
            self.best_error = error;
            copy(&mut self.best_solution, solution);
        }
        let best = self.best_error;
        best <= ROUND_OFF || (stagnates && best <= tolerance)
    }

    /// Norm of `δt (τ(v) − τ(w) + D d)` relative to the momenta that are balanced.
    fn relative_error(&self, dt: f64, forces: &[f64]) -> f64 {
        let Damping {
            forces: at_point,
            matrix: damping,
            ..
        } = &self.damping;
        let mut square = 0.0;
        for i in 0..forces.len() {
            let change = row_times(damping, i, self.step.iter().copied());
            let error = dt * (forces[i] - at_point[i] + change);
            square += error * error / self.diagonal[i];
        }
        if square == 0.0 {
            0.0
        } else {
            square.sqrt() / self.scale
        }
    }

    /// Moves `w` along the step, to where the slope is small that `slope_at` gives for a velocity, the step, and the forces at
    /// the velocity where they are known.
    pub fn advance<E>(
        &mut self,
        mut slope_at: impl FnMut(&[f64], &[f64], Option<&[f64]>) -> Result<f64, E>,
    ) -> Result<(), E> {
        /// Bisections that bring the steepest law within reach, from any speed.
        const MAX_BISECTIONS: usize = 80;
        let LinearizedForces {
            damping,
            point,
            step,
            forces_at_solution,
            ..
        } = self;
        let mut trial = |point: &mut [f64], change: f64, forces: Option<&[f64]>| {
            for (w, d) in point.iter_mut().zip(&*step) {
                *w += change * d;
            }
            slope_at(point, step, forces)
        };
        let start = trial(point, 0.0, Some(&damping.forces))?;
        let mut fraction = 1.0;
        let mut slope = trial(point, 1.0, Some(forces_at_solution))?;
        let (mut low, mut high) = (0.0, 1.0);
        if start < 0.0 && slope > -0.5 * start {
            for _ in 0..MAX_BISECTIONS {
                let middle = 0.5 * (low + high);
                slope = trial(point, middle - fraction, None)?;
                fraction = middle;
                if slope.abs() <= -0.1 * start {
                    break;
                }
                if slope < 0.0 {
                    low = middle;
                } else {
                    high = middle;
                }
            }
        }
        Ok(())
    }
}

fn row_times(matrix: &DMatrix<f64>, row: usize, vector: impl Iterator<Item = f64>) -> f64 {
    matrix.row(row).iter().zip(vector).map(|(m, x)| m * x).sum()
}

fn copy(target: &mut Vec<f64>, source: &[f64]) {
    target.clear();
    target.extend_from_slice(source);
}
