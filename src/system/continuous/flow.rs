//! A system with constant inputs, for integrators.

use super::dynamics::DynamicsWorkspace;
use super::rigid_body_system::RigidBodySystem;
use crate::actuator::Actuator;
use crate::autodiff::{CHUNK, JacobianWorkspace, jacobian_into};
use crate::constraint::ConstraintSet;
use crate::integrator::{ContinuousSystem, MechanicalSystem, StiffSystem};
use crate::sensor::Sensor;
use crate::system::error::PlantError;
use crate::system::plant_state::PlantState;
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;
use num_dual::DualSVec64;

type Dual = DualSVec64<CHUNK>;

/// A [`RigidBodySystem`] with an input that is constant between calls of [`Self::set_input`], as a
/// [`ContinuousSystem`]: its state is `[q; v; a]`.
///
/// Systems that implicit methods integrate are evaluated in `f64` and with duals as well.
pub struct RigidBodyFlow<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T> = ()> {
    main: Evaluator<T, A, S, C>,
    real: CastEvaluator<f64, T, A, S, C>,
    dual: CastEvaluator<Dual, T, A, S, C>,
    jacobian: JacobianWorkspace,
    value: Vec<f64>,
}

/// The evaluator in another scalar.
type CastEvaluator<U, T, A, S, C> = Evaluator<
    U,
    <A as Actuator<T>>::Cast<U>,
    <S as Sensor<T>>::Cast<U>,
    <C as ConstraintSet<T>>::Cast<U>,
>;

/// A system in one scalar, with its memory.
struct Evaluator<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> {
    system: RigidBodySystem<T, A, S, C>,
    workspace: DynamicsWorkspace<T>,
    input: Vec<T>,
    projected: Vec<T>,
}

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> Evaluator<T, A, S, C> {
    fn new(system: RigidBodySystem<T, A, S, C>) -> Self {
        Evaluator {
            workspace: system.workspace(),
            input: vec![T::zero(); system.actuators().num_inputs()],
            projected: Vec::new(),
            system,
        }
    }

    fn sizes(&self) -> (usize, usize) {
        let tree = self.system.tree();
        (tree.num_positions(), tree.num_velocities())
    }

    fn size(&self) -> usize {
        let (nq, nv) = self.sizes();
        nq + nv + self.system.actuators().num_states()
    }

    fn derivative(&mut self, x: &[T], xdot: &mut [T]) -> Result<(), PlantError> {
        InvalidInput::check_size("state", x.len(), self.size())?;
        InvalidInput::check_size("rate", xdot.len(), self.size())?;
        let (nq, nv) = self.sizes();
        let (q, rest) = x.split_at(nq);
        let (v, a) = rest.split_at(nv);
        let (qdot, rest) = xdot.split_at_mut(nq);
        let (vdot, adot) = rest.split_at_mut(nv);
        let Evaluator {
            system,
            workspace,
            input,
            ..
        } = self;
        vdot.copy_from_slice(system.accelerations(workspace, (q, v, a), input)?);
        system.tree().map_velocity_to_qdot(q, v, qdot)?;
        system.actuator_rates(workspace, a, input, adot)
    }

    /// Normalises quaternions.
    fn project(&self, x: &mut [T]) -> Result<(), PlantError> {
        for (_, joint) in self.system.tree().joints() {
            let start = joint.position_start();
            if joint.kind().has_quaternion()
                && let Some(quaternion) = x.get_mut(start..start + 4)
            {
                let norm = T::norm_lifted(quaternion);
                InvalidInput::check_range("norm of a quaternion", &[norm], "positive", |n| {
                    n > 0.0 && n.is_finite()
                })?;
                quaternion.iter_mut().for_each(|x| *x /= norm);
            }
        }
        Ok(())
    }

    fn derivative_of_projected(&mut self, x: &[T], xdot: &mut [T]) -> Result<(), PlantError> {
        let mut projected = std::mem::take(&mut self.projected);
        projected.clear();
        projected.extend_from_slice(x);
        let result = self
            .project(&mut projected)
            .and_then(|()| self.derivative(&projected, xdot));
        self.projected = projected;
        result
    }
}

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> RigidBodyFlow<T, A, S, C> {
    /// The flow of a system, with zero input. The system is copied.
    pub fn new(system: &RigidBodySystem<T, A, S, C>) -> Self {
        RigidBodyFlow {
            main: Evaluator::new(system.clone()),
            real: Evaluator::new(system.cast()),
            dual: Evaluator::new(system.cast()),
            jacobian: JacobianWorkspace::default(),
            value: Vec::new(),
        }
    }

    /// Sets the input.
    ///
    /// # Errors
    /// [`InvalidInput`] when the size is wrong or an entry not finite.
    pub fn set_input(&mut self, input: &[T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("inputs", input.len(), self.main.input.len())?;
        InvalidInput::check_finite("inputs", input)?;
        self.main.input.copy_from_slice(input);
        for (i, u) in input.iter().enumerate() {
            self.real.input[i] = u.re();
            self.dual.input[i] = Dual::from_re(u.re());
        }
        Ok(())
    }

    /// Writes `[q; v; a]`.
    pub fn write_state(&self, state: &PlantState<T>, x: &mut Vec<T>) {
        x.clear();
        x.extend(
            state
                .tree
                .q
                .iter()
                .chain(&state.tree.v)
                .chain(&state.actuators),
        );
    }

    /// Reads `[q; v; a]`.
    ///
    /// # Errors
    /// [`InvalidInput`] when the size of `x` is wrong.
    pub fn read_state(&self, x: &[T], state: &mut PlantState<T>) -> Result<(), InvalidInput> {
        let size = state.tree.q.len() + state.tree.v.len() + state.actuators.len();
        InvalidInput::check_size("state", x.len(), size)?;
        let entries = (state.tree.q.iter_mut())
            .chain(&mut state.tree.v)
            .chain(&mut state.actuators);
        entries.zip(x).for_each(|(entry, &x)| *entry = x);
        Ok(())
    }
}

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> ContinuousSystem<T>
    for RigidBodyFlow<T, A, S, C>
{
    type Error = PlantError;

    fn size(&self) -> usize {
        self.main.size()
    }

    fn derivative(&mut self, _: T, x: &[T], xdot: &mut [T]) -> Result<(), PlantError> {
        self.main.derivative(x, xdot)
    }

    fn project(&self, x: &mut [T]) -> Result<(), PlantError> {
        self.main.project(x)
    }
}

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> MechanicalSystem<T>
    for RigidBodyFlow<T, A, S, C>
{
    fn num_positions(&self) -> usize {
        self.main.sizes().0
    }

    fn num_velocities(&self) -> usize {
        self.main.sizes().1
    }

    fn position_derivative(&mut self, q: &[T], v: &[T], qdot: &mut [T]) -> Result<(), PlantError> {
        Ok(self.main.system.tree().map_velocity_to_qdot(q, v, qdot)?)
    }
}

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>, C: ConstraintSet<T>> StiffSystem<T>
    for RigidBodyFlow<T, A, S, C>
{
    fn real_derivative(&mut self, _: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), PlantError> {
        self.real.derivative_of_projected(x, xdot)
    }

    fn real_jacobian(
        &mut self,
        _: f64,
        x: &[f64],
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), PlantError> {
        let RigidBodyFlow {
            dual,
            jacobian: workspace,
            value,
            ..
        } = self;
        value.resize(x.len(), 0.0);
        let rate = |x: &[Dual], xdot: &mut [Dual]| dual.derivative_of_projected(x, xdot);
        jacobian_into(rate, x, workspace, value, jacobian.as_mut_slice())
    }
}
