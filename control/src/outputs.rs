//! The outputs of a machine, with derivatives.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::lift::Lift;
use crate::machine::Machine;
use crate::matrix::check_matrix;
use crate::residual::{Point, Residual};
use dualbody::InvalidInput;
use dualbody::autodiff::ChunkDual;
use dualbody::system::{State, StepWorkspace, TimeSteppingRigidBodySystem};
use nalgebra::DMatrix;

/// `y = h(x, u)` of the sensors of a machine, with `C = ∂y/∂δx`, p×n, and `D = ∂y/∂u`, p×m.
///
/// Outputs may depend on accelerations and contact forces, so that each evaluation makes a step, in dual numbers for the
/// derivatives. It has a copy of the machine, and memory of its own.
#[derive(Debug, Clone)]
pub struct OutputModel {
    real: TimeSteppingRigidBodySystem<f64>,
    dual: TimeSteppingRigidBodySystem<ChunkDual>,
    real_workspace: Box<StepWorkspace<f64>>,
    workspace: Box<StepWorkspace<ChunkDual>>,
    lift: Lift,
}

impl OutputModel {
    /// Of a machine.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::workspace`].
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Result<Self, ControlError> {
        let dual = system.cast::<ChunkDual>();
        Ok(OutputModel {
            real_workspace: Box::new(system.workspace()?),
            workspace: Box::new(dual.workspace()?),
            real: system.clone(),
            lift: Lift::new(&dual),
            dual,
        })
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
        InvalidInput::check_size("output", output.len(), self.real.num_outputs())?;
        let step = self.real.step(&mut self.real_workspace, state, input)?;
        output.copy_from_slice(step.output().as_slice());
        Ok(())
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
        let n = self.real.neutral_state().num_displacements();
        InvalidInput::check_size("output", output.len(), self.real.num_outputs())?;
        check_matrix("C", c, output.len(), n)?;
        check_matrix("D", d, output.len(), input.len())?;
        let OutputModel {
            dual,
            workspace,
            lift,
            ..
        } = self;
        lift.differentiate(dual, (state, input), output, [c, d], |state, input, out| {
            let step = dual.step(workspace, state, input)?;
            out.copy_from_slice(step.output().as_slice());
            Ok(())
        })
    }
}

/// `y − y_ref` for outputs of a machine, in their units; not for the end of a horizon, which makes no step.
#[derive(Debug, Clone)]
pub struct Outputs {
    model: OutputModel,
    /// Which outputs, and what they are to be.
    targets: Vec<(usize, f64)>,
    all: Vec<f64>,
    jacobians: [DMatrix<f64>; 2],
}

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
        let (p, m) = (system.num_outputs(), system.num_inputs());
        let n = system.neutral_state().num_displacements();
        Ok(Outputs {
            model: OutputModel::new(system)?,
            targets: targets
                .iter()
                .map(index)
                .collect::<Result<_, ControlError>>()?,
            all: vec![0.0; p],
            jacobians: [DMatrix::zeros(p, n), DMatrix::zeros(p, m)],
        })
    }

    fn pick(&self, value: &mut [f64]) {
        for (value, &(index, target)) in value.iter_mut().zip(&self.targets) {
            *value = self.all[index] - target;
        }
    }
}

impl Residual<Machine> for Outputs {
    fn size(&self, _: &Machine) -> usize {
        self.targets.len()
    }

    fn evaluate(&mut self, at: &Point<'_, Machine>, value: &mut [f64]) -> Result<(), ControlError> {
        InvalidInput::check_size("input", at.input.len(), at.dynamics.num_inputs())?;
        self.model.evaluate(at.state, at.input, &mut self.all)?;
        self.pick(value);
        Ok(())
    }

    fn linearize(
        &mut self,
        at: &Point<'_, Machine>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        InvalidInput::check_size("input", at.input.len(), at.dynamics.num_inputs())?;
        let [c, d] = &mut self.jacobians;
        self.model
            .linearize(at.state, at.input, &mut self.all, c, d)?;
        self.pick(value);
        for (row, &(index, _)) in self.targets.iter().enumerate() {
            by_state
                .row_mut(row)
                .copy_from(&self.jacobians[0].row(index));
            by_input
                .row_mut(row)
                .copy_from(&self.jacobians[1].row(index));
        }
        Ok(())
    }
}
