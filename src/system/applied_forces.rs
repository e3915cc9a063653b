//! Generalized forces of force elements and actuators.

use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use crate::force::{ForceContext, ForceError, Forces};
use crate::math::SpatialVelocity;
use crate::tree::{RigidBodyTree, TreeError, TreeWorkspace};
use crate::{ElementKink, Scalar};

/// What elements act with beside positions and velocities: the time and the length of the step; inputs and states of
/// actuators.
#[derive(Debug, Clone, Copy)]
pub(super) struct Actuation<'a, T> {
    pub time: T,
    pub time_step: T,
    pub input: &'a [T],
    pub state: &'a [T],
}

impl<'a, T: Scalar> Actuation<'a, T> {
    /// That of a step from a state.
    pub fn of(start: &'a State<T>, input: &'a [T], time_step: T) -> Self {
        Actuation {
            time: start.time,
            time_step,
            input,
            state: start.actuators.as_slice(),
        }
    }

    /// What elements see of it, at the positions of a workspace and these velocities of coordinates and bodies.
    fn context<'t>(
        &self,
        system: &'t RigidBodySystem<T>,
        kinematics: &'t TreeWorkspace<T>,
        (v, velocities): (&'t [T], &'t [SpatialVelocity<T>]),
    ) -> Result<ForceContext<'t, T>, ForceError> {
        let tree = &system.tree;
        let context = match system.forces_depend_on_bodies() {
            true => ForceContext::with_velocities(tree, kinematics, v, velocities)?,
            false => ForceContext::of_coordinates(tree, kinematics, v),
        };
        Ok(context.at_time(self.time).over_step(self.time_step))
    }
}

impl<T: Scalar> RigidBodySystem<T> {
    /// Whether a force of an element or actuator depends on velocities.
    pub(super) fn forces_depend_on_velocity(&self) -> bool {
        self.forces.depends_on_velocity() || self.actuators.depends_on_velocity()
    }

    /// Whether a force of an element or actuator depends on positions.
    pub(super) fn forces_depend_on_position(&self) -> bool {
        self.forces.depends_on_position() || self.actuators.depends_on_position()
    }

    /// Whether an element or actuator asks for poses or velocities of bodies, or acts on bodies.
    pub(super) fn forces_depend_on_bodies(&self) -> bool {
        self.forces.depends_on_bodies() || self.actuators.depends_on_bodies()
    }

    /// Sets the positions at which forces are evaluated; places bodies for them if forces depend on these.
    pub(super) fn set_positions_of_forces(
        &self,
        kinematics: &mut TreeWorkspace<T>,
        q: &[T],
    ) -> Result<(), TreeError> {
        match self.forces_depend_on_bodies() {
            true => self.tree.set_positions(kinematics, q),
            false => self.tree.set_coordinates(kinematics, q),
        }
    }

    /// Adds the forces of all force elements and actuators.
    pub(super) fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        actuation: Actuation<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        self.forces.add_forces(context, forces)?;
        let Actuation { input, state, .. } = actuation;
        self.actuators.add_forces(context, input, state, forces)
    }
}

/// Evaluates generalized forces; a workspace.
#[derive(Debug, Clone)]
pub(super) struct AppliedForces<T: Scalar> {
    velocities: Vec<SpatialVelocity<T>>,
    pub forces: Forces<T>,
    generalized: Vec<T>,
}

impl<T: Scalar> AppliedForces<T> {
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        AppliedForces {
            velocities: vec![SpatialVelocity::zero(); tree.num_bodies()],
            forces: Forces::new(tree),
            generalized: vec![T::zero(); tree.num_velocities()],
        }
    }

    /// Generalized forces at the state of the workspace.
    pub fn evaluate_at_state(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &mut TreeWorkspace<T>,
        actuation: Actuation<'_, T>,
    ) -> Result<&[T], ForceError> {
        self.forces.clear();
        let context = ForceContext::new(&system.tree, kinematics)
            .at_time(actuation.time)
            .over_step(actuation.time_step);
        system.add_forces(&context, actuation, &mut self.forces)?;
        self.project(system, kinematics)
    }

    /// Generalized forces at the positions of the workspace and the velocities `v`.
    pub fn evaluate(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &mut TreeWorkspace<T>,
        actuation: Actuation<'_, T>,
        v: &[T],
    ) -> Result<&[T], ForceError> {
        self.collect(system, kinematics, actuation, v)?;
        self.project(system, kinematics)
    }

    /// Forces on bodies and joints, at the positions of the workspace and the velocities `v`.
    pub fn collect(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &TreeWorkspace<T>,
        actuation: Actuation<'_, T>,
        v: &[T],
    ) -> Result<(), ForceError> {
        self.set_velocities(system, kinematics, v)?;
        self.forces.clear();
        let context = actuation.context(system, kinematics, (v, &self.velocities))?;
        system.add_forces(&context, actuation, &mut self.forces)
    }

    /// Gives bodies their velocities, at the positions of the workspace and the velocities `v`, if forces depend on bodies.
    pub fn set_velocities(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &TreeWorkspace<T>,
        v: &[T],
    ) -> Result<(), ForceError> {
        if system.forces_depend_on_bodies() {
            (system.tree).body_velocities(kinematics, v, &mut self.velocities)?;
        }
        Ok(())
    }

    /// Generalized forces of actuators alone, at the velocities `v` that bodies have.
    pub fn evaluate_actuators(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &mut TreeWorkspace<T>,
        actuation: Actuation<'_, T>,
        v: &[T],
    ) -> Result<&[T], ForceError> {
        self.forces.clear();
        let context = actuation.context(system, kinematics, (v, &self.velocities))?;
        let Actuation { input, state, .. } = actuation;
        (system.actuators).add_forces(&context, input, state, &mut self.forces)?;
        self.project(system, kinematics)
    }

    /// Calls `visit` with the kinks of actuators there.
    pub fn visit_actuator_kinks(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &TreeWorkspace<T>,
        actuation: Actuation<'_, T>,
        v: &[T],
        visit: &mut dyn FnMut(ElementKink<'_, T>),
    ) -> Result<(), ForceError> {
        self.set_velocities(system, kinematics, v)?;
        let context = actuation.context(system, kinematics, (v, &self.velocities))?;
        (system.actuators).visit_kinks(&context, actuation.input, actuation.state, visit)
    }

    fn project(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &mut TreeWorkspace<T>,
    ) -> Result<&[T], ForceError> {
        let out = &mut self.generalized;
        if self.forces.is_empty() {
            out.fill(T::zero());
        } else if system.forces_depend_on_bodies() {
            self.forces.project(&system.tree, kinematics, out)?;
        } else {
            out.copy_from_slice(self.forces.on_coordinates()?);
        }
        Ok(&self.generalized)
    }
}
