//! Line search along a Newton step.
//!
//! Where normal forces do not press on friction as they change, the momentum balance is the gradient
//! of a strictly convex function of the velocity (kinetic energy less the work of the momentum, and a
//! potential for every contact force, all of which fall with the velocity that they oppose). Newton's
//! method then converges from everywhere if every step goes on to where that function stops falling:
//! to the root in α of the slope `g(α) = d·r(v + α d)`, which grows with α.

use super::newton_system::NewtonSystem;

/// Slope at the end of a full step, relative to the one at its start, up to which it is taken.
const OVERSHOOT: f64 = 0.5;
/// Slope, relative to the one at the start, that counts as zero.
const FLAT: f64 = 0.3;
/// Regula falsi with bisections in between needs about ten.
const EVALUATIONS: usize = 60;

/// The fraction `α ∈ (0, 1]` of the step `v − step`, where `changes` are the contact velocities of
/// `−step`.
pub(super) fn step_fraction(system: &NewtonSystem, step: &[f64], changes: &[[f64; 3]]) -> f64 {
    let (constant, linear) = system.momentum_along(step);
    let slope = |alpha: f64| {
        let power: f64 = (0..system.contacts.len())
            .map(|c| system.power_along(c, alpha, changes[c]))
            .sum();
        alpha * linear - constant - system.dt() * power
    };
    let start = slope(0.0);
    let (mut low, mut at_low) = (0.0, start);
    let (mut high, mut at_high) = (1.0, slope(1.0));
    // Round-off at the solution, or no convex problem: the full step.
    if start.is_nan() || start >= 0.0 || at_high <= OVERSHOOT * start.abs() {
        return 1.0;
    }
    for k in 0..EVALUATIONS {
        let alpha = if k % 3 == 2 {
            0.5 * (low + high)
        } else {
            (low * at_high - high * at_low) / (at_high - at_low)
        };
        let here = slope(alpha);
        if here.abs() <= FLAT * start.abs() {
            return alpha;
        }
        if here < 0.0 {
            (low, at_low) = (alpha, here);
        } else {
            (high, at_high) = (alpha, here);
        }
    }
    0.5 * (low + high)
}
