//! The outputs of a machine, with derivatives.

use crate::ControlError;
use crate::by_duals::{ByDuals, Configuration, MachineFunction};
use crate::lift::MachinePoint;
use crate::machine_dynamics::MachineDynamics;
use crate::matrix::check_matrix;
use crate::residual::{Point, Residual};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::{DefaultScalar, InvalidInput};
use nalgebra::DMatrix;

/// Outputs by their places, and what they are to be.
#[derive(Debug, Clone)]
struct Targets(Vec<(usize, f64)>);

impl MachineFunction for Targets {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn evaluate<T: DefaultScalar>(
        &self,
        at: &mut Configuration<'_, T>,
        out: &mut [T],
    ) -> Result<(), ControlError> {
        let step = at.step()?;
        for (out, &(index, target)) in out.iter_mut().zip(&self.0) {
            *out = step.output()[index] - target;
        }
        Ok(())
    }
}

/// `y = h(x, u)` of the sensors of a machine, with `C = ∂y/∂δx`, p×n, and `D = ∂y/∂u`, p×m.
///
/// Outputs may depend on accelerations and contact forces, so that each evaluation makes a step, in dual numbers for the
/// derivatives. It has a copy of the machine, and memory of its own.
#[derive(Debug, Clone)]
pub struct OutputModel {
    outputs: ByDuals<Targets>,
    displacements: usize,
}

impl OutputModel {
    /// Of a machine.
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Self {
        let all = (0..system.num_outputs()).map(|i| (i, 0.0)).collect();
        OutputModel {
            outputs: ByDuals::new(system, Targets(all)),
            displacements: system.neutral_state().num_displacements(),
        }
    }

    /// The outputs, p entries, of a step from a state with the inputs `u`, m entries.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`], and for a wrong number of outputs.
    pub fn evaluate(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        output: &mut [f64],
    ) -> Result<(), ControlError> {
        let ByDuals { function, real, .. } = &mut self.outputs;
        InvalidInput::check_size("output", output.len(), function.size())?;
        real.evaluate(function, &MachinePoint::new(state, input), output)
    }

    /// As [`Self::evaluate`], with the derivatives `C` and `D`.
    ///
    /// # Errors
    /// As [`Self::evaluate`], and for matrices of the wrong size.
    pub fn linearize(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        output: &mut [f64],
        c: &mut DMatrix<f64>,
        d: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let ByDuals { function, dual, .. } = &mut self.outputs;
        InvalidInput::check_size("output", output.len(), function.size())?;
        check_matrix("C", c, output.len(), self.displacements)?;
        check_matrix("D", d, output.len(), input.len())?;
        dual.differentiate(function, &MachinePoint::new(state, input), output, [c, d])
    }
}

/// `y − y_ref` for outputs of a machine, in their units; not for the end of a horizon, which makes no step.
#[derive(Debug, Clone)]
pub struct Outputs(ByDuals<Targets>);

impl Outputs {
    /// Of outputs by name, with what they are to be.
    ///
    /// # Errors
    /// For an unknown name.
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64>,
        targets: &[(&str, f64)],
    ) -> Result<Self, ControlError> {
        let index = |&(name, target): &(&str, f64)| Ok((system.output_index(name)?, target));
        let targets = targets
            .iter()
            .map(index)
            .collect::<Result<_, ControlError>>()?;
        Ok(Outputs(ByDuals::new(system, Targets(targets))))
    }
}

impl<D: MachineDynamics> Residual<D> for Outputs {
    fn size(&self, dynamics: &D) -> usize {
        self.0.size(dynamics)
    }

    fn follow(&mut self, dynamics: &D) {
        self.0.follow(dynamics);
    }

    fn evaluate(&mut self, at: &Point<'_, D>, value: &mut [f64]) -> Result<(), ControlError> {
        self.0.evaluate(at, value)
    }

    fn linearize(
        &mut self,
        at: &Point<'_, D>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.0.linearize(at, value, by_state, by_input)
    }

    fn add_curvature(
        &mut self,
        at: &Point<'_, D>,
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.0.add_curvature(at, covector, curvature)
    }
}
