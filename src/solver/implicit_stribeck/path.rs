//! Following the solution around turning points of the load.
//!
//! The solutions `x = (v, λ)` of `r(v, λ) = M v − p* − λ δt Jᵀ f(v) = 0` form a curve that starts at
//! `(M⁻¹ p*, 0)`. Where friction and normal force feed each other the curve may turn back in λ, and
//! no step forward in λ succeeds. Parametrised by its arc length instead (Keller 1977, in
//! *Applications of Bifurcation Theory*, 359–384; Allgower & Georg, *Introduction to Numerical
//! Continuation Methods*, chapters 2 and 10), it can be followed to λ = 1: contact forces dissipate,
//! so the curve stays bounded, and it cannot return to λ = 0, where the solution is unique.
//!
//! A unit tangent `t` solves `∂r/∂v t_v + ∂r/∂λ t_λ = 0`. Along the curve the sign of
//! `t_λ det ∂r/∂v` does not change, not even where the law has a kink and the curve a corner, so
//! the direction of travel is known without reference to the last tangent. A predicted point
//! `x + h t` is corrected by Newton's method in the plane normal to `t`. At a corner of more than a
//! right angle no such plane meets the curve ahead; there, once `h` is small, the tangent is taken
//! from the far side of the kink.
//!
//! Length is measured by `Σ Mᵢᵢ vᵢ² / Σ (pᵢ*²/Mᵢᵢ) + λ²`.

use super::newton::{self, NewtonLimits, Outcome};
use super::newton_system::NewtonSystem;
use super::statistics::Iteration;
use crate::math::{Factorization, Lu};
use nalgebra::DMatrix;

const FIRST_STEP: f64 = 1e-2;
const LARGEST_STEP: f64 = 0.5;
/// Below this length a corner is taken to be in the way.
const CORNER_STEP: f64 = 1e-5;
const SMALLEST_STEP: f64 = 1e-11;
const STEPS: usize = 2000;
const CORRECTIONS: usize = 8;
const CORRECTED: f64 = 1e-9;
/// Largest correction, relative to the step.
const LARGEST_CORRECTION: f64 = 0.5;

/// Follows the curve; a workspace.
#[derive(Debug, Clone)]
pub(super) struct PathFollower {
    /// The Jacobian with the load as a further column and the plane as a further row.
    bordered: Lu,
    matrix: DMatrix<f64>,
    weights: Vec<f64>,
    /// A point of the curve, the next one, and the way between them.
    point: Vec<f64>,
    next: Vec<f64>,
    tangent: Vec<f64>,
    correction: Vec<f64>,
}

impl PathFollower {
    pub fn new() -> Self {
        PathFollower {
            bordered: Lu::identity(0),
            matrix: DMatrix::zeros(0, 0),
            weights: Vec::new(),
            point: Vec::new(),
            next: Vec::new(),
            tangent: Vec::new(),
            correction: Vec::new(),
        }
    }

    /// Leads `system` from the solution at zero load, where it must have been evaluated, to the
    /// solution at full load.
    pub fn solve(
        &mut self,
        system: &mut NewtonSystem,
        lu: &mut Lu,
        limits: &NewtonLimits,
        step: &mut Vec<f64>,
        history: &mut Vec<Iteration>,
    ) -> Outcome {
        let nv = system.nv();
        let corrections = limits.max_iterations.min(CORRECTIONS);
        self.weights.clear();
        self.weights.extend(system.metric());
        self.weights.push(1.0);
        self.point.clone_from(&system.v);
        self.point.push(system.load);
        let mut h = FIRST_STEP;
        for _ in 0..STEPS {
            place(system, &self.point);
            let mut needed = self
                .turn(system, lu)
                .and_then(|()| self.advance(system, h, corrections, history));
            if needed.is_none() && h < CORNER_STEP {
                needed = self
                    .turn(system, lu)
                    .and_then(|()| self.advance(system, h, corrections, history));
            }
            let Some(needed) = needed else {
                h *= 0.25;
                if h < SMALLEST_STEP {
                    break;
                }
                continue;
            };
            let (load, next_load) = (self.point[nv], self.next[nv]);
            if next_load >= 1.0 {
                let fraction = (1.0 - load) / (next_load - load);
                for (x, y) in self.point.iter().zip(&mut self.next) {
                    *y = x + fraction * (*y - x);
                }
                self.next[nv] = 1.0;
                place(system, &self.next);
                if newton::solve(system, lu, limits, step, history) == Outcome::Converged {
                    return Outcome::Converged;
                }
                h *= 0.25;
                continue;
            }
            std::mem::swap(&mut self.point, &mut self.next);
            if needed <= CORRECTIONS / 2 {
                h = f64::min(2.0 * h, LARGEST_STEP);
            }
        }
        self.point[nv] = 1.0;
        place(system, &self.point);
        Outcome::Exhausted
    }

    /// Sets the unit tangent, in the direction of travel, of the curve through the point at which
    /// the system is evaluated.
    fn turn(&mut self, system: &NewtonSystem, lu: &mut Lu) -> Option<()> {
        system.factor(lu).ok()?;
        self.tangent.clear();
        self.tangent.extend(system.load_derivative().map(|x| -x));
        lu.solve_in_place(&mut self.tangent).ok()?;
        self.tangent.push(1.0);
        let length = self.length(&self.tangent);
        let scale = lu.determinant_sign() / length;
        for t in &mut self.tangent {
            *t *= scale;
        }
        length.is_finite().then_some(())
    }

    /// Goes the length `h` along the tangent and corrects; the point reached is in `self.next`, and
    /// the predicted one, if that fails, where the system is evaluated. Returns the number of
    /// corrections.
    fn advance(
        &mut self,
        system: &mut NewtonSystem,
        h: f64,
        corrections: usize,
        history: &mut Vec<Iteration>,
    ) -> Option<usize> {
        let nv = system.nv();
        self.next.clone_from(&self.point);
        self.go(h);
        place(system, &self.next);
        let mut corrected = None;
        for k in 1..=corrections {
            if self.correct(system).is_none() {
                break;
            }
            place(system, &self.next);
            history.push(Iteration {
                residual: system.relative_residual,
                tangential_change: 0.0,
                step_fraction: 1.0,
            });
            if system.relative_residual <= CORRECTED {
                corrected = Some(k);
                break;
            }
        }
        // How far the corrections lead away from the predicted point.
        self.correction.clear();
        let way = self.point.iter().zip(&self.tangent).zip(&self.next);
        self.correction.extend(way.map(|((x, t), y)| y - x - h * t));
        let strayed = self.length(&self.correction) > LARGEST_CORRECTION * h;
        if corrected.is_some() && !strayed && self.next[nv] > 0.0 {
            return corrected;
        }
        self.next.clone_from(&self.point);
        self.go(h);
        place(system, &self.next);
        None
    }

    fn go(&mut self, h: f64) {
        for (x, t) in self.next.iter_mut().zip(&self.tangent) {
            *x += h * t;
        }
    }

    /// One Newton step of `self.next` in the plane normal to the tangent.
    fn correct(&mut self, system: &NewtonSystem) -> Option<()> {
        let nv = system.nv();
        if self.matrix.nrows() != nv + 1 {
            self.matrix = DMatrix::zeros(nv + 1, nv + 1);
        }
        system.jacobian_into(&mut self.matrix);
        for (i, g) in system.load_derivative().enumerate() {
            self.matrix[(i, nv)] = g;
        }
        for (j, (t, w)) in self.tangent.iter().zip(&self.weights).enumerate() {
            self.matrix[(nv, j)] = t * w;
        }
        self.bordered.factor(&self.matrix).ok()?;
        self.correction.clone_from(&system.residual);
        self.correction.push(0.0);
        self.bordered.solve_in_place(&mut self.correction).ok()?;
        for (y, d) in self.next.iter_mut().zip(&self.correction) {
            *y -= d;
        }
        Some(())
    }

    fn length(&self, x: &[f64]) -> f64 {
        x.iter()
            .zip(&self.weights)
            .map(|(x, w)| x * x * w)
            .sum::<f64>()
            .sqrt()
    }
}

/// Evaluates the system at a point `(v, λ)`.
fn place(system: &mut NewtonSystem, point: &[f64]) {
    let nv = system.nv();
    system.v.copy_from_slice(&point[..nv]);
    system.load = point[nv];
    system.evaluate();
}
