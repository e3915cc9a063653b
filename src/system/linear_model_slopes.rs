//! Derivatives of linear models by parameters: ∂A/∂p, ∂B/∂p, ∂C/∂p, ∂D/∂p.

use super::error::SystemError;
use super::linear_model::blocks;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::{InvalidInput, Parameters};
use nalgebra::DMatrix;
use num_dual::HyperDual64;

/// What a change of a machine makes of the matrices of its [`LinearModel`](super::LinearModel) of a step.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LinearModelSlope {
    /// The matrices A, B, C and D themselves.
    pub matrices: [DMatrix<f64>; 4],
    /// Their derivatives.
    pub slopes: [DMatrix<f64>; 4],
}

impl TimeSteppingRigidBodySystem<f64> {
    /// The derivatives of the matrices of [`Self::linearize`] with respect to a parameter, by its name, at a state that
    /// does not depend on it: for robust control, and for the design of a machine together with its controller.
    ///
    /// ```
    /// use dualbody::actuator::TorqueSource;
    /// use dualbody::contact::ContactModel;
    /// use dualbody::prelude::*;
    /// use dualbody::tree::{BodyIndex, JointKind};
    ///
    /// // A wheel of 2 kg m²: v⁺ = v + δt u/(J + a), with an armature a of 1 kg m².
    /// let mut tree = RigidBodyTreeBuilder::new();
    /// let wheel = tree.add_body("wheel", SpatialInertia::principal(1.0, Vector3::repeat(2.0)))?;
    /// let kind = JointKind::Continuous { axis: Vector3::z() };
    /// let hinge = tree.add_joint("hinge", kind, BodyIndex::WORLD, RigidTransform::identity(), wheel)?;
    /// tree.set_armature(hinge, &[1.0])?;
    /// let tree = tree.finish()?;
    /// let motor = TorqueSource::new("motor", &tree, hinge, 1.0, None)?;
    /// let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.09)?.with_actuators([motor])?;
    ///
    /// let found = system.linearize_by(&system.initial_state(), &[0.0], "joint/hinge/armature")?;
    /// let [_, b, _, _] = &found.slopes; // of the velocity: −δt/(J + a)²
    /// assert!((b[(1, 0)] + 0.01).abs() < 1e-15);
    /// # Ok::<(), dualbody::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Self::linearize`], and for an unknown name.
    // Compiled where it is used, as machines in hyper-dual numbers are.
    #[inline]
    pub fn linearize_by(
        &self,
        state: &State<f64>,
        input: &[f64],
        parameter: &str,
    ) -> Result<LinearModelSlope, SystemError> {
        let mut dual = self.cast();
        make_variable(&mut dual, parameter)?;
        dual.linearize_along(&state.cast(), &constants(input))
    }
}

impl RigidBodySystem<f64> {
    /// As [`TimeSteppingRigidBodySystem::linearize_by`], of the rates in continuous time.
    ///
    /// # Errors
    /// As [`Self::linearize`], and for an unknown name.
    #[inline]
    pub fn linearize_by(
        &self,
        state: &State<f64>,
        input: &[f64],
        parameter: &str,
    ) -> Result<LinearModelSlope, SystemError> {
        self.check_sizes(state, input)?;
        let mut dual = self.cast();
        make_variable(&mut dual, parameter)?;
        let base = state.cast::<HyperDual64>();
        let (mut workspace, mut at) = (dual.dynamics_workspace(), base.clone());
        let nx = state.num_displacements();
        LinearModelSlope::of(
            (nx, self.num_outputs()),
            &constants(input),
            |point, rows| dual.displaced_rates(&mut workspace, (&base, point), &mut at, rows),
        )
    }
}

impl TimeSteppingRigidBodySystem<HyperDual64> {
    /// The matrices of the [linear model](super::LinearModel) of a step, and their derivatives along a curve of machines,
    /// states and inputs: what they carry in `eps2`. Nothing may be carried in `eps1`, which is for the directions of
    /// the state and the input. Displacements at both ends count from states that move along.
    ///
    /// # Errors
    /// As [`Self::step`], and [`SystemError::Invalid`] when a derivative is not finite.
    #[inline]
    pub fn linearize_along(
        &self,
        state: &State<HyperDual64>,
        input: &[HyperDual64],
    ) -> Result<LinearModelSlope, SystemError> {
        let mut workspace = self.workspace()?;
        let end = (self.step(&mut workspace, state, input)?).state().clone();
        let nx = state.num_displacements();
        let mut from = state.clone();
        LinearModelSlope::of((nx, self.num_outputs()), input, |point, rows| {
            let (displacement, input) = point.split_at(nx);
            state.displace(self.tree(), displacement, &mut from)?;
            let step = self.step(&mut workspace, &from, input)?;
            let (of_state, of_output) = rows.split_at_mut(nx);
            end.difference(self.tree(), step.state(), of_state)?;
            of_output.copy_from_slice(step.output().as_slice());
            Ok(())
        })
    }
}

impl LinearModelSlope {
    /// Of a function of displacements and inputs that writes those of its result and the outputs, by one direction after
    /// the other.
    fn of(
        (nx, ny): (usize, usize),
        input: &[HyperDual64],
        mut evaluate: impl FnMut(&[HyperDual64], &mut [HyperDual64]) -> Result<(), SystemError>,
    ) -> Result<Self, SystemError> {
        let zero = HyperDual64::from_re(0.0);
        let (size, mut rows) = (nx + input.len(), vec![zero; nx + ny]);
        let [mut jacobian, mut slope] = [(); 2].map(|()| DMatrix::zeros(rows.len(), size));
        for direction in 0..size {
            let mut point = vec![zero; nx];
            point.extend(input);
            point[direction] = point[direction].derivative1();
            evaluate(&point, &mut rows)?;
            for (i, row) in rows.iter().enumerate() {
                jacobian[(i, direction)] = row.eps1;
                slope[(i, direction)] = row.eps1eps2;
            }
        }
        for matrix in [&jacobian, &slope] {
            InvalidInput::check_finite("derivatives", matrix.as_slice())?;
        }
        Ok(LinearModelSlope {
            matrices: blocks(&jacobian, nx),
            slopes: blocks(&slope, nx),
        })
    }
}

fn constants(numbers: &[f64]) -> Vec<HyperDual64> {
    numbers.iter().map(|&x| HyperDual64::from_re(x)).collect()
}

/// Lets a parameter vary in `eps2`.
fn make_variable(
    machine: &mut impl Parameters<HyperDual64>,
    name: &str,
) -> Result<(), SystemError> {
    let value = machine.parameter(name)?;
    Ok(machine.set_parameter(name, value.derivative2())?)
}
