//! The radius of the gradient of a rollout: how far it holds.

use super::adjoint::{Adjoint, RolloutGradient};
use super::error::SystemError;
use super::state::State;
use crate::InvalidInput;
use crate::autodiff::{ChunkDual, NearestDecision, jacobian_with_radius_of};
use crate::decision::Observable;
use crate::parameter::Parameters;
use nalgebra::DMatrix;

/// How far one may go along a direction before a decision is taken otherwise.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RadiusAlong {
    /// The largest factor of the direction, to either side, for which no decision changes, to first order; infinite where
    /// none depends on it.
    pub radius: f64,
    /// The decision that is taken otherwise there, with the factor as its change of the input.
    pub nearest: Option<NearestDecision>,
}

impl Adjoint {
    /// How far the rollout from `initial` with the inputs `inputs`, and the parameters of the system, may move along a
    /// direction before a decision on its way is taken otherwise: `initial + t d`, for the entries of the initial state (the
    /// quaternions of which need not stay of unit length), the inputs and the parameters of a gradient.
    ///
    /// Along the gradient that is the step that an optimisation may take by it. It costs one rollout in duals.
    ///
    /// # Errors
    /// [`InvalidInput`] for a direction of another size; as
    /// [`TimeSteppingRigidBodySystem::rollout`](super::TimeSteppingRigidBodySystem::rollout).
    pub fn radius_along(
        &self,
        direction: &RolloutGradient,
        initial: &State<f64>,
        inputs: &DMatrix<f64>,
    ) -> Result<RadiusAlong, SystemError> {
        let (given, of) = (inputs.shape(), direction.inputs.shape());
        InvalidInput::check_size("inputs of the direction", of.0, given.0)?;
        InvalidInput::check_size("steps of the direction", of.1, given.1)?;
        let entries: usize = initial.sizes().iter().sum();
        let starts = direction.initial_state.as_slice();
        InvalidInput::check_size("entries of the direction", starts.len(), entries)?;
        let slopes = direction.parameters.as_slice();
        let parameters = self.parameters();
        InvalidInput::check_size(
            "parameters of the direction",
            slopes.len(),
            parameters.len(),
        )?;
        let base = self.system().cast::<ChunkDual>();
        let values = self.system().parameters();
        let found = jacobian_with_radius_of(
            |observer, t: &[ChunkDual]| {
                let along = |value: f64, slope: f64| t[0] * slope + value;
                let mut system = base.clone();
                let changed: Vec<_> = (parameters.iter().zip(slopes))
                    .map(|(&i, &slope)| (i, along(values[i].value, slope)))
                    .collect();
                system.set_parameters(&changed)?;
                system.observe(Some(observer.clone()));
                let mut start: State<ChunkDual> = initial.cast();
                let moved = start.entries_mut().zip(starts);
                moved.for_each(|(x, &slope)| *x = along(x.re, slope));
                let mut workspace = system.workspace()?;
                let steps = inputs.ncols();
                (system.rollout_with(&mut workspace, &start, steps, |k, _, u| {
                    for (i, u) in u.iter_mut().enumerate() {
                        *u = along(inputs[(i, k)], direction.inputs[(i, k)]);
                    }
                }))
                .completed()
                .map_err(|failure| *failure.source)?;
                Ok::<_, SystemError>(Vec::new())
            },
            &[0.0],
        )?;
        let mut nearest = found.nearest.into_iter().flatten().next();
        if let Some(nearest) = &mut nearest {
            // A factor of a direction is not small or large by itself.
            nearest.size_of_input = 0.0;
        }
        Ok(RadiusAlong {
            radius: found.radius[0],
            nearest,
        })
    }
}
