//! Updates of the states of actuators and sensors, and sensor outputs.

use super::applied_forces::Actuation;
use super::error::SystemError;
use super::joint_reactions::JointReactions;
use super::kinematics::StepKinematics;
use super::rigid_body_system::RigidBodySystem;
use super::state::State;
use super::step::StepEvaluation;
use super::stepper::Stepper;
use crate::force::ForceContext;
use crate::math::{SpatialAcceleration, SpatialVelocity};
use crate::sensor::SensorContext;
use crate::tree::TreeWorkspace;
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// A sample at the start of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample<T> {
    /// Time to the next one.
    pub interval: T,
}

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
    /// The sample at the start of the step, unless it is a substep.
    pub(super) fn sample(&self) -> Option<Sample<T>> {
        let interval = self.time_step;
        (!self.is_substep).then_some(Sample { interval })
    }

    /// Brings the states of actuators and sensors over a discrete step. If it begins with a sample, and not
    /// within the time from one to the next, it is measured, and actuators are [updated](Self::sample_actuators) unless
    /// it is a substep, as what they hold is that of the sample before up to the end of the whole.
    pub(super) fn measure(
        &self,
        evaluation: &mut StepEvaluation<T>,
        normal: &mut dyn FnMut() -> f64,
        sample: Option<Sample<T>>,
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
        let StepEvaluation {
            kinematics: StepKinematics { bodies, .. },
            measurement,
            start,
            input,
            next,
            v_after_forces,
            ..
        } = evaluation;
        let (system, dt, kinematics) = (&self.system, self.time_step, bodies);
        if actuators.num_states() > 0 {
            let (v, velocities) = (v_after_forces.as_slice(), &mut measurement.velocities);
            system.tree.body_velocities(kinematics, v, velocities)?;
            let context = ForceContext::with_velocities(&system.tree, kinematics, v, velocities)?
                .at_time(start.time)
                .over_step(dt);
            next.actuators.copy_from(&start.actuators);
            actuators.advance(&context, input, dt, next.actuators.as_mut_slice())?;
        }
        if let (Some(sample), false) = (sample, self.is_substep) {
            self.sample_actuators(kinematics, (start, input), sample, next)?;
        }
        InvalidInput::check_finite("states of actuators", next.actuators.as_slice())?;
        if !measures {
            return Ok(());
        }
        for ((a, &after), &before) in measurement.vdot.iter_mut().zip(&next.v).zip(&start.v) {
            *a = (after - before).div_lifted(dt);
        }
        self.sense(evaluation, normal, sample, Some(dt))?;
        let StepEvaluation {
            measurement, next, ..
        } = evaluation;
        next.sensors.copy_from(&measurement.states);
        Ok(InvalidInput::check_finite(
            "states of sensors",
            next.sensors.as_slice(),
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
        let interval = self.time_step;
        self.sense(evaluation, normal, Some(Sample { interval }), None)
    }

    /// Samples actuators at the start of a step in continuous time, whose end is known, unless it is a substep.
    pub(super) fn finish_continuous_step(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        if self.system.actuators.is_sampled() && !self.is_substep {
            self.place_start(evaluation)?;
            let StepEvaluation {
                kinematics: StepKinematics { bodies, .. },
                start,
                input,
                next,
                ..
            } = evaluation;
            let interval = self.time_step;
            self.sample_actuators(bodies, (start, input), Sample { interval }, next)?;
        }
        let State {
            actuators, sensors, ..
        } = &evaluation.next;
        InvalidInput::check_finite("states of actuators", actuators.as_slice())?;
        Ok(InvalidInput::check_finite(
            "states of sensors",
            sensors.as_slice(),
        )?)
    }

    /// Places the bodies as they are at the start of the step.
    fn place_start(&self, evaluation: &mut StepEvaluation<T>) -> Result<(), SystemError> {
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
        sample: Option<Sample<T>>,
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
        if let Some(Sample { interval }) = sample {
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
        let actuation = Actuation {
            time: start.time,
            time_step,
            input,
            state: start.actuators.as_slice(),
        };
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

    /// What a sample at the start of a step, at which bodies are placed, makes of the states of actuators at its end.
    fn sample_actuators(
        &self,
        kinematics: &TreeWorkspace<T>,
        (start, input): (&State<T>, &[T]),
        Sample { interval }: Sample<T>,
        next: &mut State<T>,
    ) -> Result<(), SystemError> {
        if !self.system.actuators.is_sampled() {
            return Ok(());
        }
        let context = ForceContext::new(&self.system.tree, kinematics).at_time(start.time);
        let states = next.actuators.as_mut_slice();
        Ok((self.system.actuators).update(&context, input, interval, states)?)
    }

    /// Samples actuators at the start of a step that has been made in substeps.
    pub(super) fn sample_actuators_of_substeps(
        &self,
        evaluation: &mut StepEvaluation<T>,
    ) -> Result<(), SystemError> {
        if self.system.actuators.num_states() == 0 {
            return Ok(());
        }
        let StepEvaluation {
            kinematics: StepKinematics { bodies, .. },
            start,
            input,
            next,
            ..
        } = evaluation;
        let (q, v) = (start.q.as_slice(), start.v.as_slice());
        self.system.tree.set_state(bodies, q, v)?;
        let interval = self.time_step;
        self.sample_actuators(bodies, (start, input), Sample { interval }, next)?;
        let states = next.actuators.as_slice();
        Ok(InvalidInput::check_finite("states of actuators", states)?)
    }
}
