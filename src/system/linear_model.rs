//! Linearisation: state-space models (A, B, C, D) of steps and of continuous time, by name.

use super::continuous::{DynamicsWorkspace, Instant};
use super::damping::Dual;
use super::derivative::StepJacobian;
use super::error::SystemError;
use super::jacobian::StepDifferentiator;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::autodiff::{JacobianWorkspace, jacobian_into};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};

/// A step, or the rates of a system in continuous time ([`LinearRates`]), to first order:
///
/// ```text
/// δx_{k+1} = A δx_k + B δu_k,      δy_k = C δx_k + D δu_k
/// δẋ = A δx + B δu,                δy = C δx + D δu
/// ```
///
/// Displacements `δx = [δq; δv; δa; δs]` are those of [`State::displace`], in which quaternions have three directions, not
/// four.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LinearModel<X = State<f64>> {
    /// With respect to the state.
    pub a: DMatrix<f64>,
    /// With respect to the input.
    pub b: DMatrix<f64>,
    /// Of the output, with respect to the state.
    pub c: DMatrix<f64>,
    /// Of the output, with respect to the input.
    pub d: DMatrix<f64>,
    /// Names of the entries of δx.
    pub states: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the outputs.
    pub outputs: Vec<String>,
    /// Where the model counts from: the state after the step, or the rates `[v; v̇; ȧ; ṡ]`.
    pub base: X,
    /// The output.
    pub output: DVector<f64>,
}

/// A linear model in continuous time.
pub type LinearRates = LinearModel<DVector<f64>>;

impl<X> LinearModel<X> {
    /// The entry of a matrix of this model by names: of a state or an output, and of a state or an
    /// input.
    pub fn gain(&self, row: &str, column: &str) -> Option<f64> {
        let find = |names: &[String], name: &str| names.iter().position(|n| n == name);
        let (state, output) = (find(&self.states, row), find(&self.outputs, row));
        let (from, input) = (find(&self.states, column), find(&self.inputs, column));
        match (state, output, from, input) {
            (Some(i), _, Some(j), _) => Some(self.a[(i, j)]),
            (Some(i), _, _, Some(j)) => Some(self.b[(i, j)]),
            (_, Some(i), Some(j), _) => Some(self.c[(i, j)]),
            (_, Some(i), _, Some(j)) => Some(self.d[(i, j)]),
            _ => None,
        }
    }
}

impl TimeSteppingRigidBodySystem<f64> {
    /// The linear model of a step from `state` with `input`, without noise.
    ///
    /// [`StepDifferentiator::linearize`] keeps the memory for the next.
    ///
    /// # Errors
    /// As [`Self::step`], and [`SystemError::Invalid`] when a derivative is not finite.
    pub fn linearize(&self, state: &State<f64>, input: &[f64]) -> Result<LinearModel, SystemError> {
        StepDifferentiator::new(self, &[])?.linearize(state, input)
    }
}

impl StepDifferentiator {
    /// The linear model of a step from `state` with `input`, without noise.
    ///
    /// # Errors
    /// As [`Self::jacobian`].
    pub fn linearize(
        &mut self,
        state: &State<f64>,
        input: &[f64],
    ) -> Result<LinearModel, SystemError> {
        let [mut of_state, mut of_output] = [(); 2].map(|()| StepJacobian::default());
        let base = (self.tangent_jacobian(state, input, &mut of_state)?).clone();
        let output = (self.tangent_output_jacobian(state, input, &mut of_output)?).clone();
        let system = self.system();
        Ok(LinearModel {
            a: of_state.state,
            b: of_state.input,
            c: of_output.state,
            d: of_output.input,
            states: system.displacement_names(),
            inputs: system.input_names(),
            outputs: system.output_names(),
            base,
            output,
        })
    }
}

impl RigidBodySystem<f64> {
    /// The linear model of the rates at `state` with `input`, without noise.
    ///
    /// Displacements count from `state`, so that `δq̇ = δv` where the system is at rest; a turning
    /// body with the angular velocity `w` adds `−½ δq × w`, the first term of the inverse of the
    /// exponential's derivative.
    ///
    /// # Errors
    /// As [`Self::output`], and [`SystemError::Invalid`] when a derivative is not finite.
    pub fn linearize(&self, state: &State<f64>, input: &[f64]) -> Result<LinearRates, SystemError> {
        self.check_sizes(state, input)?;
        let (inputs, outputs) = (self.input_names(), self.output_names());
        let nx = state.num_displacements();
        let rows = nx + outputs.len();
        let dual = self.cast::<Dual>();
        let mut workspace = dual.dynamics_workspace();
        let base = state.cast::<Dual>();
        let mut at = base.clone();
        let rates = |x: &[Dual], out: &mut [Dual]| {
            dual.displaced_rates(&mut workspace, (&base, x), &mut at, out)
        };
        let mut point = vec![0.0; nx];
        point.extend(input);
        let (mut value, mut jacobian) = (vec![0.0; rows], DMatrix::zeros(rows, point.len()));
        let (mut memory, entries) = (JacobianWorkspace::default(), jacobian.as_mut_slice());
        jacobian_into(rates, &point, &mut memory, &mut value, entries)?;
        let (base, output) = value.split_at(nx);
        InvalidInput::check_finite("derivatives", jacobian.as_slice())?;
        let [a, b, c, d] = blocks(&jacobian, nx);
        Ok(LinearModel {
            a,
            b,
            c,
            d,
            states: self.displacement_names(),
            inputs,
            outputs,
            base: DVector::from_column_slice(base),
            output: DVector::from_column_slice(output),
        })
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    /// Writes the rates of displacements, and the outputs, at a state that is displaced from another, which is written
    /// into `at`; `point` is the displacement and the input.
    pub(super) fn displaced_rates(
        &self,
        workspace: &mut DynamicsWorkspace<T>,
        (base, point): (&State<T>, &[T]),
        at: &mut State<T>,
        out: &mut [T],
    ) -> Result<(), SystemError> {
        let nx = base.num_displacements();
        let (nv, na) = (self.tree.num_velocities(), base.actuators.len());
        let (displacement, input) = point.split_at(nx);
        base.displace(&self.tree, displacement, at)?;
        let (rates, y) = out.split_at_mut(nx);
        self.output(workspace, at, input, &mut || 0.0, y)?;
        let (of_positions, rest) = rates.split_at_mut(nv);
        let (of_velocities, rest) = rest.split_at_mut(nv);
        let of_elements = rest.split_at_mut(na);
        of_positions.copy_from_slice(at.v.as_slice());
        let joints = self.tree.joints();
        for joint in joints.filter(|joint| joint.kind().has_quaternion()) {
            let turn = joint.velocity_start()..joint.velocity_start() + 3;
            let vector = |from: &[T]| Vector3::from_column_slice(&from[turn.clone()]);
            let (shift, w) = (vector(displacement), vector(at.v.as_slice()));
            let rate = w - shift.cross(&w) * T::from(0.5);
            of_positions[turn].copy_from_slice(rate.as_slice());
        }
        of_velocities.copy_from_slice(&workspace.vdot);
        let own = at.sensors.as_slice();
        self.element_rates(workspace, Instant::of(at), input, own, of_elements)
    }
}

/// A, B, C and D from the derivatives of the state's `nx` rows and of the outputs.
pub(super) fn blocks(jacobian: &DMatrix<f64>, nx: usize) -> [DMatrix<f64>; 4] {
    let (ny, nu) = (jacobian.nrows() - nx, jacobian.ncols() - nx);
    [
        (0, 0, nx, nx),
        (0, nx, nx, nu),
        (nx, 0, ny, nx),
        (nx, nx, ny, nu),
    ]
    .map(|(i, j, rows, columns)| jacobian.view((i, j), (rows, columns)).into_owned())
}
