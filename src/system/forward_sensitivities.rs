//! Steps of several directions of derivatives together, by the Jacobian of one step in `f64`.
//!
//! With `x⁺ = f(x, u, p)` the derivatives along a motion, of its states and its inputs by whatever it depends on, follow
//! each other (forward sensitivities),
//!
//! ```text
//! Ẋ⁺ = ∂f/∂x Ẋ + ∂f/∂u U̇ + ∂f/∂p Ṗ
//! ```

use super::damping::Dual;
use super::derivative::{SparseStepJacobian, StepSlopes};
use super::error::SystemError;
use super::jacobian::{StepAt, StepDifferentiator};
use super::scheme::Scheme;
use super::state::State;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::autodiff::{CHUNK, slopes};
use crate::math::SparseColumns;
use nalgebra::SVector;

/// Makes steps in `f64`, and takes derivatives along with them.
#[derive(Debug, Clone)]
pub(crate) struct ForwardSensitivities {
    differentiator: StepDifferentiator,
    jacobian: SparseStepJacobian,
    state: State<f64>,
    input: Vec<f64>,
    /// The state after the step.
    end: State<f64>,
    next: Vec<SVector<f64, CHUNK>>,
}

/// What a step starts from, [`CHUNK`] directions of derivatives of it, and the state that it leads to.
#[derive(Debug)]
pub(crate) struct Tangent<'a> {
    pub state: &'a State<Dual>,
    pub input: &'a [Dual],
    /// Values of the parameters.
    pub parameters: &'a [Dual],
    pub next: &'a mut State<Dual>,
}

impl ForwardSensitivities {
    /// Of a system and its parameters at these positions; none where the Jacobian of a step is not one
    /// [by hand](super::derivative), so that steps in duals are as fast.
    ///
    /// # Errors
    /// As [`StepDifferentiator::new`].
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[usize],
    ) -> Result<Option<Self>, SystemError> {
        let state = system.neutral_state();
        let is_by_hand = system.scheme() == Scheme::Compliant
            && system.driven.is_none()
            && StepSlopes::are_complete(system.system(), &state);
        if !is_by_hand {
            return Ok(None);
        }
        Ok(Some(ForwardSensitivities {
            differentiator: StepDifferentiator::by(system, parameters)?,
            jacobian: SparseStepJacobian::default(),
            next: vec![SVector::zeros(); state.sizes().iter().sum()],
            input: vec![0.0; system.num_inputs()],
            end: state.clone(),
            state,
        }))
    }

    /// Makes a step of all directions, which start from the same state with the same inputs; where time and entries of the
    /// state after it are known, it is not solved again.
    ///
    /// # Errors
    /// As [`StepDifferentiator::jacobian`].
    pub fn step<'a>(
        &mut self,
        mut tangents: impl Iterator<Item = Tangent<'a>>,
        end: Option<&[f64]>,
    ) -> Result<(), SystemError> {
        let Some(first) = tangents.next() else {
            return Ok(());
        };
        self.state.copy_real(first.state);
        for (real, input) in self.input.iter_mut().zip(first.input) {
            *real = input.re;
        }
        let mut known = None;
        if let Some([time, entries @ ..]) = end {
            self.end.time = *time;
            for (to, entry) in self.end.entries_mut().zip(entries) {
                *to = *entry;
            }
            known = Some(&self.end);
        }
        let at = StepAt {
            state: &self.state,
            input: &self.input,
            end: known,
        };
        let end = self.differentiator.differentiate(at, &mut self.jacobian)?;
        for tangent in std::iter::once(first).chain(tangents) {
            self.next.fill(SVector::zeros());
            let SparseStepJacobian {
                state,
                input,
                parameters,
            } = &self.jacobian;
            add_products(state, tangent.state.entries(), &mut self.next);
            add_products(input, tangent.input.iter().copied(), &mut self.next);
            add_products(
                parameters,
                tangent.parameters.iter().copied(),
                &mut self.next,
            );
            tangent.next.copy_real(end);
            for (entry, slopes) in tangent.next.entries_mut().zip(&self.next) {
                entry.eps.0 = Some(*slopes);
            }
        }
        Ok(())
    }
}

/// Adds the products of a matrix with the derivatives of numbers.
fn add_products(
    matrix: &SparseColumns,
    numbers: impl Iterator<Item = Dual>,
    sums: &mut [SVector<f64, CHUNK>],
) {
    for (column, number) in numbers.enumerate() {
        let slopes = slopes(&number);
        if slopes.iter().any(|&slope| slope != 0.0) {
            for (row, factor) in matrix.column(column) {
                sums[row] += slopes * factor;
            }
        }
    }
}
