//! Pseudo-arclength continuation from friction under given normal forces to the problem itself.
//!
//! Let normal forces press on friction by `θ fₙ(v) + (1 − θ) f̂ₙ` with some `f̂ₙ ≥ 0`. The solutions
//! `x = (v, θ)` of the momentum balance `r(v, θ) = 0` form a curve that starts at `θ = 0`, where the
//! problem is convex and its solution unique. Where friction and normal force feed each other the curve
//! may turn back in θ. Parametrised by its arc length (Keller 1977, in *Applications of Bifurcation
//! Theory*, 359–384; Allgower & Georg, *Introduction to Numerical Continuation Methods*, chapters 2
//! and 10), it can be followed to `θ = 1`: contact forces dissipate for every θ from 0 to 1, so the
//! curve stays bounded, and it cannot return to `θ = 0`.
//!
//! A unit tangent `t` solves `∂r/∂v t_v + ∂r/∂θ t_θ = 0`. Along the curve the sign of
//! `t_θ det ∂r/∂v` does not change, not even where the law has a kink and the curve a corner, so
//! the direction of travel is known without reference to the last tangent. A predicted point
//! `x + h t` is corrected by Newton's method in the plane normal to `t`. At a corner of more than a
//! right angle no such plane meets the curve ahead; there, once `h` is small, the tangent is taken
//! from the far side of the kink.
//!
//! Length is measured by `Σ Mᵢᵢ vᵢ² / Σ (pᵢ*²/Mᵢᵢ) + θ²`.

use super::newton::{NewtonLimits, Outcome, Workspace};
use super::newton_system::NewtonSystem;
use super::statistics::Iteration;

const FIRST_STEP: f64 = 0.1;
const LARGEST_STEP: f64 = 0.5;
/// Below this length a corner is taken to be in the way.
const CORNER_STEP: f64 = 1e-5;
const SMALLEST_STEP: f64 = 1e-11;
/// Steps tried; a hundred are usual, and with another `f̂ₙ` a long curve may be a short one.
const STEPS: usize = 400;
const CORRECTIONS: usize = 8;
/// Residual of a point of the curve; a curve that is followed again is followed more closely.
const CORRECTED: f64 = 1e-3;
const CLOSELY_CORRECTED: f64 = 1e-5;
/// Largest correction, relative to the step.
const LARGEST_CORRECTION: f64 = 0.5;

/// Follows the curve; a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct PathFollower {
    weights: Vec<f64>,
    corrected: f64,
    /// A point of the curve, the next one, and the way between them.
    point: Vec<f64>,
    next: Vec<f64>,
    tangent: Vec<f64>,
    /// `(∂r/∂v)⁻¹ ∂r/∂θ`.
    slope: Vec<f64>,
    correction: Vec<f64>,
}

impl PathFollower {
    /// Leads `system` from a solution for θ = 0, at which it must have been evaluated, to one for
    /// θ = 1. Where that fails it is left somewhere on the way, and may be tried again, `closely`.
    pub fn solve(
        &mut self,
        system: &mut NewtonSystem,
        newton: &mut Workspace,
        limits: &NewtonLimits,
        history: &mut Vec<Iteration>,
        closely: bool,
    ) -> Outcome {
        self.corrected = if closely {
            CLOSELY_CORRECTED
        } else {
            CORRECTED
        };
        let nv = system.nv();
        self.weights.clear();
        self.weights.extend(system.metric());
        self.weights.push(1.0);
        self.point.clone_from(&system.v);
        self.point.push(0.0);
        let mut h = FIRST_STEP;
        for _ in 0..STEPS {
            let left = limits.left(history);
            if left == 0 {
                break;
            }
            let corrections = limits.max_iterations.min(CORRECTIONS).min(left);
            place(system, &self.point);
            let mut needed =
                (self.turn(system)).and_then(|()| self.advance(system, h, corrections, history));
            if needed.is_none() && h < CORNER_STEP {
                let corrections = corrections.min(limits.left(history));
                needed = (self.turn(system))
                    .and_then(|()| self.advance(system, h, corrections, history));
            }
            let Some(needed) = needed else {
                h *= 0.25;
                if h < SMALLEST_STEP {
                    break;
                }
                continue;
            };
            let (coupling, next_coupling) = (self.point[nv], self.next[nv]);
            if next_coupling >= 1.0 {
                let fraction = (1.0 - coupling) / (next_coupling - coupling);
                for (x, y) in self.point.iter().zip(&mut self.next) {
                    *y = x + fraction * (*y - x);
                }
                self.next[nv] = 1.0;
                place(system, &self.next);
                if newton.solve(system, limits, history) == Outcome::Converged {
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
        Outcome::Exhausted
    }

    /// Sets the unit tangent, in the direction of travel, of the curve through the point at which
    /// the system is evaluated.
    fn turn(&mut self, system: &mut NewtonSystem) -> Option<()> {
        self.factor(system)?;
        self.tangent.clear();
        self.tangent.extend(self.slope.iter().map(|x| -x));
        self.tangent.push(1.0);
        let length = self.length(&self.tangent);
        let scale = system.lu.determinant_sign() / length;
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
            if system.relative_residual <= self.corrected {
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

    /// One Newton step of `self.next` in the plane normal to the tangent: a step at fixed θ, and one
    /// along the slope that takes it back into the plane.
    fn correct(&mut self, system: &mut NewtonSystem) -> Option<()> {
        let nv = system.nv();
        self.factor(system)?;
        self.correction.clone_from(&system.residual);
        system.lu.solve_in_place(&mut self.correction);
        let (mut out, mut back) = (0.0, self.tangent[nv]);
        for i in 0..nv {
            let normal = self.tangent[i] * self.weights[i];
            out += normal * self.correction[i];
            back -= normal * self.slope[i];
        }
        let coupling = out / back;
        for i in 0..nv {
            self.next[i] -= self.correction[i] + coupling * self.slope[i];
        }
        self.next[nv] += coupling;
        self.next.iter().all(|x| x.is_finite()).then_some(())
    }

    /// Factors `∂r/∂v`, and sets the slope.
    fn factor(&mut self, system: &mut NewtonSystem) -> Option<()> {
        system.factor().ok()?;
        system.coupling_derivative(&mut self.slope);
        system.lu.solve_in_place(&mut self.slope);
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

/// Evaluates the system at a point `(v, θ)`.
fn place(system: &mut NewtonSystem, point: &[f64]) {
    let nv = system.nv();
    system.coupling = point[nv];
    system.place(&point[..nv]);
}
