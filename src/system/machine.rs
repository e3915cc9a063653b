//! A system as steps and dynamics see it.
//!
//! Whoever puts a machine together chooses the types of its elements. What is computed on it needs their
//! traits only, and would otherwise be compiled anew for every set of elements: it is written for the views
//! of this file, which are compiled once for a scalar.

use super::elements::{Elements, Parts};
use super::error::SystemError;
use super::options::SystemOptions;
use super::rigid_body_system::RigidBodySystem;
use super::scheme::Scheme;
use super::state::State;
use super::stepper::TimeSteppingRigidBodySystem;
use crate::actuator::Actuator;
use crate::autodiff::ChunkDual;
use crate::constraint::{ConstraintError, ConstraintSet};
use crate::contact::ContactModel;
use crate::force::{ForceContext, ForceElement};
use crate::math::SpatialAcceleration;
use crate::sensor::{Sensor, SensorContext};
use crate::tree::RigidBodyTree;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// A [`RigidBodySystem`] whose elements are known by their traits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Machine<'a, T: Scalar> {
    pub tree: &'a RigidBodyTree<T>,
    pub contact: &'a ContactModel<T>,
    pub forces: &'a dyn ForceElement<T>,
    pub actuators: &'a dyn Actuator<T>,
    pub sensors: &'a dyn Sensor<T>,
    pub constraints: &'a dyn ConstraintSet<T>,
    pub stiction_tolerance: T,
    pub options: &'a SystemOptions,
}

/// A [`TimeSteppingRigidBodySystem`] whose elements are known by their traits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stepper<'a, T: Scalar> {
    pub system: Machine<'a, T>,
    pub real: Machine<'a, f64>,
    pub dual: Option<Machine<'a, ChunkDual>>,
    pub time_step: T,
    pub scheme: Scheme,
    /// Whether its steps are parts of longer ones.
    pub is_part: bool,
}

impl<T: Scalar, E: Elements<T>> RigidBodySystem<T, E> {
    pub(crate) fn machine(&self) -> Machine<'_, T> {
        let Parts {
            forces,
            actuators,
            sensors,
            constraints,
        } = self.elements.parts();
        Machine {
            tree: &self.tree,
            contact: &self.contact,
            forces,
            actuators,
            sensors,
            constraints,
            stiction_tolerance: self.stiction_tolerance,
            options: &self.options,
        }
    }
}

impl<T: Scalar, E: Elements<T>> TimeSteppingRigidBodySystem<T, E> {
    pub(super) fn stepper(&self) -> Stepper<'_, T> {
        Stepper {
            system: self.system.machine(),
            real: self.real.machine(),
            dual: self.dual.as_ref().map(RigidBodySystem::machine),
            time_step: self.time_step,
            scheme: self.scheme,
            is_part: false,
        }
    }
}

impl<T: Scalar> Machine<'_, T> {
    /// The name of a constraint by its number.
    pub(super) fn name_of_constraint(&self, number: usize) -> String {
        let (mut index, mut name) = (0, String::new());
        self.constraints.visit(&mut |constraint| {
            if index == number {
                constraint.name().clone_into(&mut name);
            }
            index += 1;
        });
        name
    }

    /// That a row, by the number of its constraint and its own, is not upheld.
    pub(super) fn not_upheld(&self, (constraint, row): (usize, usize), effect: f64) -> SystemError {
        SystemError::NotUpheld {
            constraint: self.name_of_constraint(constraint),
            row,
            effect,
        }
    }

    /// Names the row that an error is about; `bilateral` are those of the problem.
    pub(super) fn in_row(
        &self,
        error: ConstraintError,
        bilateral: &[(usize, usize)],
    ) -> SystemError {
        match error {
            ConstraintError::NotUpheld { equation, effect } if equation < bilateral.len() => {
                self.not_upheld(bilateral[equation], effect)
            }
            other => other.into(),
        }
    }

    /// Number of inputs.
    pub fn num_inputs(&self) -> usize {
        self.actuators.num_inputs()
    }

    /// Number of outputs.
    pub fn num_outputs(&self) -> usize {
        self.sensors.num_outputs()
    }

    /// As [`RigidBodySystem::initial_state`].
    pub fn initial_state(&self) -> State<T> {
        let mut state = State {
            time: T::zero(),
            q: self.tree.neutral_configuration(),
            v: DVector::zeros(self.tree.num_velocities()),
            actuators: DVector::zeros(self.actuators.num_states()),
            sensors: DVector::zeros(self.sensors.num_states()),
        };
        (self.actuators).write_initial_state(state.actuators.as_mut_slice());
        (self.sensors).write_initial_state(state.sensors.as_mut_slice());
        state
    }

    /// Checks that a state and an input have the sizes of this system and are finite. The tree checks `q`
    /// and `v` where it places bodies.
    pub fn check_state(&self, state: &State<T>, input: &[T]) -> Result<(), InvalidInput> {
        let [nq, nv, na, ns] = state.sizes();
        InvalidInput::check_size("q", nq, self.tree.num_positions())?;
        InvalidInput::check_size("v", nv, self.tree.num_velocities())?;
        InvalidInput::check_size("states of actuators", na, self.actuators.num_states())?;
        InvalidInput::check_size("states of sensors", ns, self.sensors.num_states())?;
        InvalidInput::check_size("inputs", input.len(), self.num_inputs())?;
        InvalidInput::check_finite("time", &[state.time])?;
        InvalidInput::check_finite("states of actuators", state.actuators.as_slice())?;
        InvalidInput::check_finite("states of sensors", state.sensors.as_slice())?;
        InvalidInput::check_finite("inputs", input)
    }

    /// Checks at the initial state that every state moves in continuous time as in steps.
    pub fn check_states(&self) -> Result<(), SystemError> {
        let State {
            q,
            actuators,
            sensors,
            ..
        } = self.initial_state();
        if actuators.len() + sensors.len() == 0 {
            return Ok(());
        }
        let mut workspace = self.tree.workspace();
        self.tree.set_positions(&mut workspace, q.as_slice())?;
        let context = ForceContext::new(self.tree, &workspace);
        let input = vec![T::zero(); self.num_inputs()];
        (self.actuators).check_states(&context, &input, actuators.as_slice())?;
        let accelerations = vec![SpatialAcceleration::zero(); self.tree.num_bodies()];
        let context = SensorContext::new(self.tree, &workspace, self.contact)
            .with_accelerations(&accelerations)?;
        Ok((self.sensors).check_states(&context, sensors.as_slice())?)
    }

    /// The length that softens the norm of slip velocities, in m/s.
    pub fn softening(&self) -> T {
        self.stiction_tolerance * self.options.contact_solver.relative_tolerance
    }
}
