//! Consistency checks of a machine.

use super::error::SystemError;
use super::names::check_unique;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use crate::constraint::{ConstraintError, TreeConstraint};
use crate::force::ForceContext;
use crate::math::SpatialAcceleration;
use crate::parameter::Parameter;
use crate::sensor::SensorContext;
use crate::tree::{Joint, TreeError};
use crate::{InvalidInput, Scalar};

impl<T: Scalar> RigidBodySystem<T> {
    /// Checks constants, names and how states move.
    #[inline(never)]
    pub(crate) fn check(&self) -> Result<(), SystemError> {
        self.validate()?;
        check_unique("inputs", &self.input_names())?;
        check_unique("outputs", &self.output_names())?;
        check_unique("parameters", &self.names_of_element_parameters())?;
        self.check_states()
    }

    /// Those of the tree and of the contact model differ from these in what they start with, and from each other as the
    /// names of bodies, joints, frames and geometries do.
    fn names_of_element_parameters(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut add =
            |family: &str, p: Parameter<'_, T>| names.push(format!("{family}/{}", p.name));
        (self.forces.clone()).visit_parameters(&mut |p| add("force", p));
        (self.actuators.clone()).visit_parameters(&mut |p| add("actuator", p));
        (self.sensors.clone()).visit_parameters(&mut |p| add("sensor", p));
        (self.constraints.clone()).visit_parameters(&mut |p| add("constraint", p));
        (self.force_laws.clone()).visit_parameters(&mut |p| add("force_law", p));
        names
    }

    /// Checks constants, and that everything is on the tree.
    pub(super) fn validate(&self) -> Result<(), SystemError> {
        self.contact.check_tree(&self.tree)?;
        self.forces.validate(&self.tree)?;
        self.actuators.validate(&self.tree)?;
        self.sensors.validate(&self.tree)?;
        self.constraints.validate(&self.tree)?;
        self.force_laws.validate(&self.tree)?;
        Ok(self.regularization.validate()?)
    }

    /// Checks that a state and an input have the sizes of this system and are finite.
    pub(super) fn check_sizes(&self, state: &State<T>, input: &[T]) -> Result<(), SystemError> {
        let [nq, nv, na, ns] = state.sizes();
        InvalidInput::check_size("q", nq, self.tree.num_positions())?;
        InvalidInput::check_size("v", nv, self.tree.num_velocities())?;
        InvalidInput::check_size("states of actuators", na, self.actuators.num_states())?;
        InvalidInput::check_size("states of sensors", ns, self.sensors.num_states())?;
        InvalidInput::check_size("inputs", input.len(), self.num_inputs())?;
        InvalidInput::check_finite("time", &[state.time])?;
        InvalidInput::check_finite("states of actuators", state.actuators.as_slice())?;
        InvalidInput::check_finite("states of sensors", state.sensors.as_slice())?;
        InvalidInput::check_finite("inputs", input).map_err(|source| self.in_input(source))?;
        for (quantity, values) in [("q", &state.q), ("v", &state.v)] {
            InvalidInput::check_finite(quantity, values.as_slice())
                .map_err(|source| self.in_joint(quantity, source))?;
        }
        Ok(())
    }

    /// Names the input that is not acceptable.
    fn in_input(&self, source: InvalidInput) -> SystemError {
        let name = entry(&source).and_then(|index| self.input_names().into_iter().nth(index));
        match name {
            Some(name) => SystemError::InvalidSignal { name, source },
            None => source.into(),
        }
    }

    /// Names the joint whose coordinate is not acceptable.
    fn in_joint(&self, quantity: &str, source: InvalidInput) -> SystemError {
        let has = |joint: &Joint<T>, index: usize| {
            let (start, count) = match quantity {
                "q" => (joint.position_start(), joint.num_positions()),
                _ => (joint.velocity_start(), joint.num_velocities()),
            };
            (start..start + count).contains(&index)
        };
        let index = entry(&source);
        let mut joints = self.tree.joints();
        match joints.find(|joint| index.is_some_and(|index| has(joint, index))) {
            Some(joint) => SystemError::Tree(TreeError::InvalidElement {
                element: "joint",
                name: joint.name().to_owned(),
                source,
            }),
            None => source.into(),
        }
    }

    /// As [`Self::check_sizes`] of a state alone, with its quaternions.
    pub(crate) fn check_state(&self, state: &State<T>) -> Result<(), SystemError> {
        self.check_sizes(state, &vec![T::zero(); self.num_inputs()])?;
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        Ok((self.tree).set_state(&mut self.tree.workspace(), q, v)?)
    }

    /// Checks at the initial state that every state moves in continuous time as in steps.
    fn check_states(&self) -> Result<(), SystemError> {
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
        let context = ForceContext::new(&self.tree, &workspace);
        let input = vec![T::zero(); self.num_inputs()];
        (self.actuators).check_states(&context, &input, actuators.as_slice())?;
        let accelerations = vec![SpatialAcceleration::zero(); self.tree.num_bodies()];
        let context = SensorContext::new(&self.tree, &workspace, &self.contact)
            .with_accelerations(&accelerations)?;
        Ok((self.sensors).check_states(&context, sensors.as_slice())?)
    }

    /// The name of a constraint by its number.
    pub(super) fn name_of_constraint(&self, number: usize) -> String {
        let constraint = self.constraints.get(number);
        constraint.map_or_else(String::new, |c| c.name().to_owned())
    }

    /// The error that no force enforces a row, by the number of its constraint and its own.
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
}

/// The position of an entry that is not acceptable.
fn entry(error: &InvalidInput) -> Option<usize> {
    match error {
        InvalidInput::NotFinite { index, .. } | InvalidInput::OutOfRange { index, .. } => {
            Some(index.unwrap_or(0))
        }
        InvalidInput::Dimension { .. } => None,
    }
}
