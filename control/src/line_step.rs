//! Steps along the straight line to the solution of the linear-quadratic model.
//!
//! With the solution
//!
//! ```text
//! δuₖ = kₖ + Kₖ δxₖ,      δxₖ₊₁ = Aₖ δxₖ + Bₖ δuₖ + gₖ₊₁
//! ```
//!
//! a step of length α leads to `xₖ ⊕ α δxₖ` and `clamp(uₖ + α δuₖ)` (Bock and Plitt 1984, *IFAC World Congress*, 1603–1608).
//! No error grows from stage to stage; gaps are left that are small to second order.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::evaluation::evaluate;
use crate::forward_pass::{Trajectory, Trial};
use crate::problem::Problem;
use crate::stage::Stage;

/// Memory of such steps.
#[derive(Debug, Clone)]
pub(crate) struct LineStep<S> {
    /// δx of a stage and of the next.
    dx: Vec<f64>,
    next_dx: Vec<f64>,
    du: Vec<f64>,
    displacement: Vec<f64>,
    /// Where the step before ends.
    end: S,
}

impl<S: Clone> LineStep<S> {
    pub fn new(state: &S, n: usize, m: usize) -> Self {
        LineStep {
            dx: vec![0.0; n],
            next_dx: vec![0.0; n],
            du: vec![0.0; m],
            displacement: vec![0.0; n],
            end: state.clone(),
        }
    }

    /// Writes the candidate of a step, and what it is worth.
    ///
    /// # Errors
    /// Those of the first step or residual that fails.
    pub fn run<D: Dynamics<State = S>>(
        &mut self,
        problem: &mut Problem<D>,
        stages: &[Stage],
        from: &Trajectory<S>,
        candidate: &mut Trajectory<S>,
        length: f64,
        penalty: f64,
    ) -> Result<Trial, ControlError> {
        let LineStep {
            dx,
            next_dx,
            du,
            displacement,
            end,
        } = self;
        let mut trial = Trial::default();
        dx.copy_from_slice(&stages[0].start);
        for (k, stage) in stages.iter().enumerate() {
            let dynamics = &problem.dynamics;
            for (d, dx) in displacement.iter_mut().zip(&*dx) {
                *d = length * dx;
            }
            let state = &mut candidate.states[k];
            dynamics.displace(&from.states[k], displacement, state)?;
            if k == 0 {
                let left = (1.0 - length, &stage.gap[..]);
                (problem.start()).clamp(dynamics, state, left, displacement)?;
                trial.add_gap(&stage.gap, 1.0 - length);
            } else {
                dynamics.difference(state, end, displacement)?;
                trial.add_gap(displacement, 1.0);
            }
            let mut input = &mut [][..];
            if k < problem.horizon {
                input = &mut candidate.inputs[k];
                du.copy_from_slice(&stage.feedforward);
                crate::matrix::add_times(du, &stage.gain, dx);
                for (u, (from, du)) in input.iter_mut().zip(from.inputs[k].iter().zip(&*du)) {
                    *u = from + length * du;
                }
                problem.input_bounds.clamp_all(input);
            }
            let value = evaluate(problem.at(k, state, input), &stage.multipliers, penalty)?;
            trial.value.add(&value);
            if k == problem.horizon {
                break;
            }
            end.clone_from(&from.states[k + 1]);
            (problem.dynamics)
                .step(state, input, end)
                .map_err(ControlError::in_step(k))?;
            next_dx.copy_from_slice(&stages[k + 1].gap);
            crate::matrix::add_times(next_dx, &stage.a, dx);
            crate::matrix::add_times(next_dx, &stage.b, du);
            std::mem::swap(dx, next_dx);
        }
        Ok(trial)
    }
}
