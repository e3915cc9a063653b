//! Following the solution as contact forces grow from zero to their value.
//!
//! Without contact forces the solution is `M⁻¹ p*`. With `λ δt Jᵀ f(v)` in place of `δt Jᵀ f(v)` the
//! solution depends continuously on the load λ; from one value of λ to the next Newton's method
//! starts close by. The steps in λ shrink where it fails and grow where it succeeds.

use super::newton::{self, NewtonLimits, Outcome};
use super::newton_system::NewtonSystem;
use super::statistics::Iteration;
use crate::math::{Lu, Singular};

/// Newton iterations for one value of the load.
const ITERATIONS: usize = 25;
const FIRST_STEP: f64 = 0.1;
/// Values of the load that are tried; ten or twenty are usual.
const STEPS: usize = 1000;
const SMALLEST_STEP: f64 = 1e-7;
const GROWTH: f64 = 2.0;
const SHRINKAGE: f64 = 0.25;

/// Takes `system` to `M⁻¹ p*`, its solution without contact forces.
pub(super) fn unload(
    system: &mut NewtonSystem,
    lu: &mut Lu,
    step: &mut Vec<f64>,
) -> Result<(), Singular> {
    system.load = 0.0;
    system.evaluate();
    system.factor(lu)?;
    system.newton_step(lu, step);
    for (v, dv) in system.v.iter_mut().zip(&*step) {
        *v -= dv;
    }
    system.evaluate();
    Ok(())
}

/// Leads `system` from its solution without contact forces to the solution at full load.
pub(super) fn solve(
    system: &mut NewtonSystem,
    lu: &mut Lu,
    limits: &NewtonLimits,
    step: &mut Vec<f64>,
    reached: &mut Vec<f64>,
    history: &mut Vec<Iteration>,
) -> Outcome {
    let limits = NewtonLimits {
        max_iterations: limits.max_iterations.min(ITERATIONS),
        ..*limits
    };
    reached.clone_from(&system.v);
    let mut load = 0.0;
    let mut increment = FIRST_STEP;
    let mut failure = Outcome::Exhausted;
    for _ in 0..STEPS {
        system.v.clone_from(reached);
        system.load = f64::min(load + increment, 1.0);
        system.evaluate();
        match newton::solve(system, lu, &limits, step, history) {
            Outcome::Converged if system.load == 1.0 => return Outcome::Converged,
            Outcome::Converged => {
                load = system.load;
                reached.clone_from(&system.v);
                increment *= GROWTH;
            }
            outcome => {
                failure = outcome;
                if increment < SMALLEST_STEP {
                    break;
                }
                increment *= SHRINKAGE;
            }
        }
    }
    system.v.clone_from(reached);
    system.load = 1.0;
    system.evaluate();
    failure
}
