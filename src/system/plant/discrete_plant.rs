//! A time-stepping system with actuators and sensors.

use crate::actuator::{Actuated, Actuator};
use crate::contact::ContactResult;
use crate::force::{ForceContext, ForceElement, Forces};
use crate::math::{SpatialAcceleration, SpatialVelocity};
use crate::parameter::{Parameter, ParameterError, Parameters};
use crate::sensor::{Sensor, SensorContext};
use crate::system::error::{PlantError, SystemError};
use crate::system::plant_state::PlantState;
use crate::system::signal::index_of;
use crate::system::state::State;
use crate::system::{
    RigidContactSystem, RigidStepWorkspace, StepWorkspace, TimeSteppingRigidBodySystem,
};
use crate::tree::{BodyIndex, TreeError, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// A [`TimeSteppingRigidBodySystem`] whose inputs are those of actuators, and whose outputs those of
/// sensors, by name.
///
/// A step with the input `u_k` takes the state `x_k` to
///
/// ```text
/// x_{k+1} = f(x_k, u_k),      y_k = h(x_k, u_k)
/// ```
///
/// Actuators apply forces at the positions of the start of the step and the velocities at its end, with
/// the states that they have at its start. Sensors measure positions and velocities at the start of the
/// step, and the accelerations `(v_{k+1} − v_k)/δt` and contact forces during it.
///
/// With [`Self::with_rigid_contact`] the steps are those of a [`RigidContactSystem`]; actuators then
/// take positions and velocities at the start of a step.
///
/// The parameters are those of the system, with the actuators', and of the sensors.
#[derive(Debug, Clone)]
pub struct DiscretePlant<T: Scalar, A: Actuator<T>, S: Sensor<T>> {
    system: TimeSteppingRigidBodySystem<T, Actuated<T, A>>,
    /// Makes the steps, if contact is rigid.
    rigid: Option<RigidContactSystem<T>>,
    sensors: S,
}

/// Memory of the steps of a plant.
#[derive(Debug, Clone)]
pub struct PlantWorkspace<T: Scalar> {
    step: StepWorkspace<T>,
    tree: TreeWorkspace<T>,
    accelerations: Vec<SpatialAcceleration<T>>,
    vdot: Vec<T>,
    next: PlantState<T>,
    output: DVector<T>,
    tau: Vec<T>,
    contacts: Vec<ContactResult<T>>,
    rigid: Option<RigidMemory<T>>,
}

/// Memory of steps with rigid contact.
#[derive(Debug, Clone)]
struct RigidMemory<T: Scalar> {
    step: RigidStepWorkspace<T>,
    forces: Forces<T>,
    velocities: Vec<SpatialVelocity<T>>,
}

impl<T: Scalar> PlantWorkspace<T> {
    /// The state after the last step.
    pub fn state(&self) -> &PlantState<T> {
        &self.next
    }

    /// The contacts of the last step, also those that exert no force.
    pub fn contacts(&self) -> &[ContactResult<T>] {
        &self.contacts
    }

    /// The output of the last step.
    pub fn output(&self) -> &DVector<T> {
        &self.output
    }
}

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>> DiscretePlant<T, A, S> {
    /// A plant from a system without force elements, actuators and sensors. Force elements are
    /// actuators without inputs, by [`Passive`](crate::actuator::Passive).
    ///
    /// # Errors
    /// [`SystemError`] when an actuator or a sensor does not make sense or does not fit the tree.
    pub fn new(
        system: TimeSteppingRigidBodySystem<T>,
        actuators: A,
        sensors: S,
    ) -> Result<Self, SystemError> {
        sensors.validate(system.tree())?;
        Ok(DiscretePlant {
            system: system.with_forces(Actuated::new(actuators))?,
            rigid: None,
            sensors,
        })
    }

    /// A plant whose contacts are rigid.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_rigid_contact(
        system: RigidContactSystem<T>,
        actuators: A,
        sensors: S,
    ) -> Result<Self, SystemError> {
        let (tree, contact) = (system.tree().clone(), system.contact().clone());
        let compliant = TimeSteppingRigidBodySystem::new(tree, contact, system.time_step())?;
        sensors.validate(system.tree())?;
        let mut compliant = compliant.with_forces(Actuated::new(actuators))?;
        compliant.set_actuation_explicit();
        Ok(DiscretePlant {
            system: compliant,
            rigid: Some(system),
            sensors,
        })
    }

    /// Tree, contact model, actuators and time step; with compliant contact also what makes the steps.
    pub fn system(&self) -> &TimeSteppingRigidBodySystem<T, Actuated<T, A>> {
        &self.system
    }

    /// Whether contact is rigid.
    pub fn has_rigid_contact(&self) -> bool {
        self.rigid.is_some()
    }

    /// The sensors.
    pub fn sensors(&self) -> &S {
        &self.sensors
    }

    fn actuators(&self) -> &A {
        self.system.forces().actuators()
    }

    /// Number of inputs.
    pub fn num_inputs(&self) -> usize {
        self.actuators().num_inputs()
    }

    /// Number of outputs.
    pub fn num_outputs(&self) -> usize {
        self.sensors.num_outputs()
    }

    /// Names of the inputs, in their order.
    pub fn input_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        (self.actuators()).visit_input_names(&mut |name| names.push(name.to_string()));
        names
    }

    /// Names of the outputs, in their order.
    pub fn output_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        (self.sensors).visit_output_names(&mut |name| names.push(name.to_string()));
        names
    }

    /// Position of an input in the list of inputs.
    ///
    /// # Errors
    /// [`PlantError::UnknownSignal`].
    pub fn input_index(&self, name: &str) -> Result<usize, PlantError> {
        index_of(name, &self.input_names())
    }

    /// Position of an output in the list of outputs.
    ///
    /// # Errors
    /// [`PlantError::UnknownSignal`].
    pub fn output_index(&self, name: &str) -> Result<usize, PlantError> {
        index_of(name, &self.output_names())
    }

    /// The neutral state of the tree, at rest, with the initial states of actuators and sensors.
    pub fn initial_state(&self) -> PlantState<T> {
        let mut state = PlantState {
            tree: self.system.neutral_state(),
            actuators: DVector::zeros(self.actuators().num_states()),
            sensors: DVector::zeros(self.sensors.num_states()),
        };
        (self.actuators()).write_initial_state(state.actuators.as_mut_slice());
        (self.sensors).write_initial_state(state.sensors.as_mut_slice());
        state
    }

    /// Memory for steps of this plant.
    ///
    /// # Errors
    /// [`InvalidInput`] for parameters of the solver outside their range.
    pub fn workspace(&self) -> Result<PlantWorkspace<T>, InvalidInput> {
        let tree = self.system.tree();
        Ok(PlantWorkspace {
            step: self.system.workspace()?,
            tree: tree.workspace(),
            accelerations: vec![SpatialAcceleration::zero(); tree.num_bodies()],
            vdot: vec![T::zero(); tree.num_velocities()],
            next: self.initial_state(),
            output: DVector::zeros(self.num_outputs()),
            tau: vec![T::zero(); tree.num_velocities()],
            contacts: Vec::new(),
            rigid: self.rigid.as_ref().map(|rigid| RigidMemory {
                step: rigid.workspace(),
                forces: Forces::new(tree),
                velocities: vec![SpatialVelocity::zero(); tree.num_bodies()],
            }),
        })
    }

    /// Makes a step from `state` with the input `input`; state and output are then in the workspace.
    ///
    /// `normal` gives independent standard normal numbers for the noise of sensors; `&mut || 0.0` is
    /// no noise. (The step keeps the input until the next one, hence `&mut self`.)
    ///
    /// # Errors
    /// [`PlantError`], also when an actuator or a sensor gives a number that is not finite.
    pub fn step(
        &mut self,
        workspace: &mut PlantWorkspace<T>,
        state: &PlantState<T>,
        input: &[T],
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), PlantError> {
        let sensor_states = self.sensors.num_states();
        InvalidInput::check_size("states of sensors", state.sensors.len(), sensor_states)?;
        self.system
            .set_actuation(input, state.actuators.as_slice())?;
        let (next, outputs) = (&workspace.next, workspace.output.len());
        if (next.actuators.len(), next.sensors.len(), outputs)
            != (state.actuators.len(), sensor_states, self.num_outputs())
            || next.tree.q.len() != self.system.tree().num_positions()
            || next.tree.v.len() != self.system.tree().num_velocities()
        {
            return Err(PlantError::ForeignWorkspace);
        }
        match &self.rigid {
            None => self.make_step(workspace, &state.tree)?,
            Some(rigid) => self.make_rigid_step(rigid, workspace, &state.tree)?,
        }
        let PlantWorkspace {
            tree: placed,
            accelerations,
            vdot,
            next,
            output,
            contacts,
            ..
        } = workspace;
        let (tree, dt) = (self.system.tree(), self.system.time_step());
        tree.set_state(placed, state.tree.q.as_slice(), state.tree.v.as_slice())?;

        next.actuators.copy_from(&state.actuators);
        let context = ForceContext::new(tree, placed);
        let own = next.actuators.as_mut_slice();
        let actuators = self.actuators();
        actuators.update(&context, input, dt, own)?;
        actuators.advance(&context, input, dt, own)?;
        InvalidInput::check_finite("states of actuators", own)?;

        for ((a, &after), &before) in vdot.iter_mut().zip(&next.tree.v).zip(&state.tree.v) {
            *a = (after - before) / dt;
        }
        tree.body_accelerations(placed, vdot, accelerations)?;
        next.sensors.copy_from(&state.sensors);
        let context = SensorContext::new(tree, placed, self.system.contact())
            .with_accelerations(accelerations)?
            .with_contacts(contacts);
        let before = state.sensors.as_slice();
        (self.sensors).measure(&context, before, normal, output.as_mut_slice())?;
        InvalidInput::check_finite("outputs", output.as_slice())?;
        let own = next.sensors.as_mut_slice();
        self.sensors.update(&context, dt, normal, own)?;
        self.sensors.advance(&context, dt, own)?;
        Ok(InvalidInput::check_finite("states of sensors", own)?)
    }

    /// Writes the state of the tree after the step, and the contacts.
    fn make_step(
        &self,
        workspace: &mut PlantWorkspace<T>,
        state: &State<T>,
    ) -> Result<(), PlantError> {
        let PlantWorkspace {
            step,
            next,
            tau,
            contacts,
            ..
        } = workspace;
        let mut step = self.system.step(step, state, tau)?;
        next.tree.clone_from(step.state());
        contacts.clear();
        contacts.extend_from_slice(step.contacts()?);
        Ok(())
    }

    /// The same, with rigid contact.
    fn make_rigid_step(
        &self,
        rigid: &RigidContactSystem<T>,
        workspace: &mut PlantWorkspace<T>,
        state: &State<T>,
    ) -> Result<(), PlantError> {
        let PlantWorkspace {
            tree: placed,
            next,
            tau,
            contacts,
            rigid: memory,
            ..
        } = workspace;
        let Some(RigidMemory {
            step,
            forces,
            velocities,
        }) = memory
        else {
            return Err(PlantError::ForeignWorkspace);
        };
        let (tree, dt) = (rigid.tree(), rigid.time_step());
        tree.set_state(placed, state.q.as_slice(), state.v.as_slice())?;
        forces.clear();
        (self.system.forces()).add_forces(&ForceContext::new(tree, placed), forces)?;
        forces.project(tree, placed, tau)?;
        let step = rigid.step(step, state, tau)?;
        tau.fill(T::zero());
        tree.body_velocities(placed, step.state.v.as_slice(), velocities)?;
        contacts.clear();
        for contact in &step.contacts {
            let motion = |body: BodyIndex| {
                let origin = tree.body_pose(placed, body)?.translation;
                Ok::<_, TreeError>((velocities[body.get()], origin))
            };
            let point = &contact.point;
            let ((va, pa), (vb, pb)) = (motion(point.body_a)?, motion(point.body_b)?);
            let velocity = point.relative_velocity((&va, &pa), (&vb, &pb));
            let force = point.rotation.tr_mul(&contact.impulse) / dt;
            contacts.push(ContactResult::new(contact.found, point, velocity, force));
        }
        next.tree = step.state;
        Ok(())
    }

    /// The same plant in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> DiscretePlant<U, A::Cast<U>, S::Cast<U>> {
        DiscretePlant {
            system: self.system.cast(),
            rigid: self.rigid.as_ref().map(RigidContactSystem::cast),
            sensors: self.sensors.cast(),
        }
    }
}

impl<T: Scalar, A: Actuator<T>, S: Sensor<T>> Parameters<T> for DiscretePlant<T, A, S> {
    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.system.visit_parameters(visit);
        self.sensors.visit_parameters(visit);
    }

    fn parameters_changed(&mut self) -> Result<(), ParameterError> {
        self.system.parameters_changed()?;
        if let Some(rigid) = &mut self.rigid {
            let dt = self.system.time_step();
            self.system.set_actuation_explicit();
            rigid.set_constants(self.system.tree(), self.system.contact(), dt);
        }
        (self.sensors.validate(self.system.tree())).map_err(|e| ParameterError::Rejected {
            reason: e.to_string(),
        })
    }
}
