//! Updates of the states of actuators and sensors, and sensor outputs.

use super::applied_forces::Actuation;
use super::error::SystemError;
use super::joint_reactions::JointReactions;
use super::kinematics::StepKinematics;
use super::rigid_body_system::RigidBodySystem;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::force::ForceContext;
use crate::math::{SpatialAcceleration, SpatialVelocity};
use crate::sensor::SensorContext;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// What sensors measure in a step; a workspace.
#[derive(Debug, Clone)]
pub(super) struct Measurement<T: Scalar> {
    pub vdot: Vec<T>,
    /// Of the bodies, at the end of the step.
    velocities: Vec<SpatialVelocity<T>>,
    accelerations: Vec<SpatialAcceleration<T>>,
    pub output: DVector<T>,
    /// The states of the sensors after the sample, and after the step if that is discrete.
    pub states: DVector<T>,
    /// Where a sensor needs them.
    reactions: Option<Box<JointReactions<T>>>,
}

impl<T: Scalar> Measurement<T> {
    pub fn new(system: &RigidBodySystem<T>) -> Self {
        Measurement {
            vdot: vec![T::zero(); system.tree.num_velocities()],
            velocities: vec![SpatialVelocity::zero(); system.tree.num_bodies()],
            accelerations: vec![SpatialAcceleration::zero(); system.tree.num_bodies()],
            output: DVector::zeros(system.num_outputs()),
            states: DVector::zeros(system.sensors.num_states()),
            reactions: (system.sensors.need_joint_reactions())
                .then(|| Box::new(JointReactions::new(system))),
        }
    }

    /// The outputs.
    pub fn output(&self) -> &DVector<T> {
        &self.output
    }
}

impl<T: Scalar> Stepper<'_, T> {
    /// The time from the sample at the start of the step to the next one, unless it is a substep.
    pub(super) fn sample(&self) -> Option<T> {
        (!self.is_substep).then_some(self.time_step)
    }

    /// Brings the states of actuators and sensors over a discrete step. If it begins with a sample, sensors are read; the
    /// time to the next one is `sample`. Of a step in substeps, the first does so.
    pub(super) fn measure(
        &self,
        evaluation: &mut StepEvaluation<T>,
        normal: &mut dyn FnMut() -> f64,
        sample: Option<T>,
    ) -> Result<(), SystemError> {
        let (actuators, sensors) = (&self.system.actuators, &self.system.sensors);
        let (states, outputs) = (sensors.num_states(), sensors.num_outputs());
        if actuators.num_states() + states + outputs == 0 {
            return Ok(());
        }
        let measures = states > 0 || (outputs > 0 && sample.is_some());
        if measures {
            self.write_results(evaluation)?;
        }
        self.place_start(evaluation)?;
        let dt = self.time_step;
        if actuators.num_states() > 0 {
            let StepEvaluation {
                kinematics: StepKinematics { bodies, .. },
                measurement,
                start,
                input,
                next,
                v_after_forces,
                ..
            } = &mut *evaluation;
            let (tree, v, velocities) = (
                &self.system.tree,
                &*v_after_forces,
                &mut measurement.velocities,
            );
            tree.body_velocities(bodies, v, velocities)?;
            let context = ForceContext::with_velocities(tree, bodies, v, velocities)?
                .at_time(start.time)
                .over_step(dt);
            next.actuators.copy_from(&start.actuators);
            actuators.advance(&context, input, dt, next.actuators.as_mut_slice())?;
        }
        self.sample_actuators(evaluation)?;
        if !measures {
            return Ok(());
        }
        let velocities = evaluation.next.v.iter().zip(&evaluation.start.v);
        for (a, (&after, &before)) in evaluation.measurement.vdot.iter_mut().zip(velocities) {
            *a = (after - before).div_lifted(dt);
        }
        self.sense(evaluation, normal, sample, Some(dt))?;
        let states = &mut evaluation.next.sensors;
        states.copy_from(&evaluation.measurement.states);
        Ok(InvalidInput::check_finite(
            "states of sensors",
            states.as_slice(),
        )?)
    }

    /// Samples sensors at the start of a step in continuous time, which goes on from what that makes of their states,
    /// unless it is a substep.
    pub(super) fn sample_sensors(
        &self,
        evaluation: &mut StepEvaluation<T>,
        normal: &mut dyn FnMut() -> f64,
    ) -> Result<(), SystemError> {
        let sensors = &self.system.sensors;
        if self.is_substep || (sensors.num_outputs() == 0 && !sensors.is_sampled()) {
            let states = &mut evaluation.measurement.states;
            states.copy_from(&evaluation.start.sensors);
            return Ok(());
        }
        self.write_results(evaluation)?;
        self.place_start(evaluation)?;
        self.sense(evaluation, normal, Some(self.time_step), None)
    }

    /// Samples actuators at the start of a step whose end is known, unless it is a substep: what they hold is that of the
    /// sample before up to the end of the whole.
    pub(super) fn sample_actuators(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let actuators = &self.system.actuators;
        if actuators.is_sampled() && !self.is_substep {
            self.place_start(evaluation)?;
            let StepEvaluation {
                kinematics,
                start,
                input,
                next,
                ..
            } = &mut *evaluation;
            let context = ForceContext::new(&self.system.tree, &kinematics.bodies);
            let (context, states) = (context.at_time(start.time), next.actuators.as_mut_slice());
            actuators.update(&context, input, self.time_step, states)?;
        }
        let states = evaluation.next.actuators.as_slice();
        Ok(InvalidInput::check_finite("states of actuators", states)?)
    }

    /// Places the bodies as they are at the start of the step.
    pub(super) fn place_start(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics, start, ..
        } = evaluation;
        let (q, v) = (start.q.as_slice(), start.v.as_slice());
        Ok(self.system.tree.set_state(&mut kinematics.bodies, q, v)?)
    }

    /// Writes the outputs of a sample at the start, at which bodies are placed, with the states there, and what the
    /// sample, and a discrete step of length `dt`, make of the states.
    fn sense(
        &self,
        evaluation: &mut StepEvaluation<T>,
        normal: &mut dyn FnMut() -> f64,
        sample: Option<T>,
        dt: Option<T>,
    ) -> Result<(), SystemError> {
        self.find_joint_reactions(evaluation, dt)?;
        let StepEvaluation {
            kinematics: StepKinematics { bodies, .. },
            measurement,
            start,
            contacts,
            ..
        } = evaluation;
        let Measurement {
            vdot,
            accelerations,
            output,
            states,
            reactions,
            ..
        } = measurement;
        let (tree, sensors) = (&self.system.tree, &self.system.sensors);
        tree.body_accelerations(bodies, vdot, accelerations)?;
        let mut context = SensorContext::new(tree, bodies, &self.system.contact)
            .with_accelerations(accelerations)?
            .with_contacts(contacts)
            .at_time(start.time);
        if let Some(reactions) = reactions {
            context = context.with_joint_reactions(&reactions.across)?;
        }
        states.copy_from(&start.sensors);
        if let Some(interval) = sample {
            let before = start.sensors.as_slice();
            sensors.measure(&context, before, normal, output.as_mut_slice())?;
            InvalidInput::check_finite("outputs", output.as_slice())?;
            if sensors.is_sampled() {
                sensors.update(&context, interval, normal, states.as_mut_slice())?;
            }
        }
        if let Some(dt) = dt {
            sensors.advance(&context, dt, states.as_mut_slice())?;
        }
        Ok(())
    }

    /// Finds the forces across joints, where a sensor needs them: mean ones over a discrete step of length `dt`, those at
    /// the start of one in continuous time.
    fn find_joint_reactions(
        &self,
        evaluation: &mut StepEvaluation<T>,
        dt: Option<T>,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics,
            measurement,
            start,
            input,
            v_after_forces,
            contacts,
            constraint_forces,
            ..
        } = evaluation;
        let Measurement {
            vdot,
            reactions: Some(reactions),
            ..
        } = measurement
        else {
            return Ok(());
        };
        let StepKinematics {
            bodies,
            fast_rotation,
            ..
        } = kinematics;
        let (system, kinematics) = (self.system, bodies);
        let (v, time_step) = match dt {
            Some(dt) => (v_after_forces.as_slice(), dt),
            None => (start.v.as_slice(), T::zero()),
        };
        let actuation = Actuation::of(start, input, time_step);
        reactions
            .applied
            .collect(system, kinematics, actuation, v)?;
        if dt.is_some()
            && let Some(carried) = fast_rotation.forces()
        {
            let on_bodies = reactions.applied.forces.on_bodies_mut().iter_mut();
            on_bodies
                .zip(carried)
                .for_each(|(sum, &force)| *sum += force);
        }
        reactions.add_contacts(system, kinematics, contacts)?;
        reactions.add_constraints(system, kinematics, constraint_forces)?;
        reactions.find(system, kinematics, vdot)?;
        Ok(())
    }
}
