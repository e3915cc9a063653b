//! What second derivatives of residuals and steps add to the Hessians of stages.
//!
//! With the costate of a trajectory, the gradient of all costs by the state after a stage,
//!
//! ```text
//! λ_N = ∂l_N,      λₖ = ∂ₓlₖ + Aₖᵀ λₖ₊₁
//! Cₖ = Σ wᵢ rᵢ ∂²rᵢ + Σ λₖ₊₁,ᵢ ∂²fᵢ
//! ```
//!
//! in `[δx; δu]`, the second derivatives of the Lagrangian that Gauss and Newton leave out (Bryson and Ho 1975, *Applied
//! Optimal Control*, §6.3; Pantoja 1988, *International Journal of Control* 47, 1539–1553).

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::evaluation::add_curvature;
use crate::matrix::add_transposed_times;
use crate::problem::Problem;
use crate::stage::Stage;

/// Writes the costates.
pub(crate) fn write_costates(stages: &mut [Stage]) {
    let last = stages.len() - 1;
    for k in (0..last).rev() {
        let (before, after) = stages.split_at_mut(k + 1);
        let (costate, next) = (&mut before[k].costate, &after[0]);
        costate.copy_from_slice(&next.gx);
        if k + 1 < last {
            add_transposed_times(costate, &next.a, &next.costate);
        }
    }
}

/// Writes C of a stage, of which the last has no input.
pub(crate) fn write_curvature<D: Dynamics>(
    problem: &mut Problem<D>,
    stage: &mut Stage,
    (number, state, input): (usize, &D::State, &[f64]),
    penalty: f64,
) -> Result<(), ControlError> {
    let is_last = number == problem.horizon;
    let size = stage.gx.len() + if is_last { 0 } else { stage.gu.len() };
    stage.curvature.resize_mut(size, size, 0.0);
    stage.curvature.fill(0.0);
    add_curvature(problem.at(number, state, input), stage, penalty)?;
    if is_last {
        return Ok(());
    }
    (problem.dynamics)
        .add_curvature(state, input, &stage.costate, &mut stage.curvature)
        .map_err(ControlError::in_step(number))
}
