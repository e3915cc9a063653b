//! A stretch of a measured trajectory, as an experiment.

use crate::cube::{Cube, WIDTH};
use crate::tosses::Sample;
use dualbody::identification::Experiment;
use dualbody::math::rotation;
use dualbody::system::{RolloutFailure, SystemError};
use dualbody::{DefaultScalar, ParameterError, Scalar};

/// Deviation of the model over a whole toss that counts as one, in widths and in rad: about what
/// identified models reach.
const POSITION_DEVIATION: f64 = 0.12 * WIDTH;
const ROTATION_DEVIATION: f64 = 0.22;

/// A simulation of a stretch from its start, compared with the samples after the first.
pub struct Segment<'a> {
    pub cube: &'a Cube,
    /// The state at the first sample.
    pub start: Sample,
    pub samples: &'a [Sample],
}

/// Why a segment cannot be simulated.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    System(#[from] SystemError),
    #[error("sample {sample}: {source}")]
    Step { sample: usize, source: SystemError },
    #[error(transparent)]
    Rollout(#[from] RolloutFailure),
}

impl Experiment for Segment<'_> {
    type Error = SegmentError;

    fn residual_count(&self) -> usize {
        6 * (self.samples.len() - 1)
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), SegmentError> {
        let trial = self.cube.trial(unknowns)?;
        let mut workspace = trial.system.workspace()?;
        workspace.set_warm_start(true);
        let mut state = trial.state(&self.start);
        for (index, (sample, r)) in self.samples[1..]
            .iter()
            .zip(residuals.chunks_exact_mut(6))
            .enumerate()
        {
            for _ in 0..self.cube.substeps {
                let step = trial
                    .system
                    .step(&mut workspace, &state, &[])
                    .map_err(|source| SegmentError::Step {
                        sample: index,
                        source,
                    })?;
                state.clone_from(step.state());
            }
            let position = trial.measured_position(&state) - sample.position.map(T::from);
            let turn = rotation_error(&state.q, sample);
            for axis in 0..3 {
                r[axis] = position[axis] / POSITION_DEVIATION;
                r[axis + 3] = turn[axis] / ROTATION_DEVIATION;
            }
        }
        Ok(())
    }
}

/// Rotation vector from the measured to the simulated orientation, rad, in the body frame.
pub fn rotation_error<T: Scalar>(
    q: &nalgebra::DVector<T>,
    sample: &Sample,
) -> nalgebra::Vector3<T> {
    let simulated = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
    let measured = sample.orientation;
    let measured = nalgebra::Quaternion::new(
        T::from(measured.w),
        T::from(measured.i),
        T::from(measured.j),
        T::from(measured.k),
    );
    rotation::log(&(measured.conjugate() * simulated))
}
