//! A leg with its drives, and what is not known of it.
//!
//! A drive holds a desired angle until the next arrives, and closes its loop on board,
//!
//! ```text
//! τ = k_p (q_d − q) − k_d q̇ + b(q) − F(q) q̇/√(q̇² + v_s²)
//! ```
//!
//! with the friction `F` of its gear and what else acts there, `b` ([`GearFriction`]), beside the inertia of its rotor. The
//! proportional gain is what was set: it and all torques, inertias among them, scale with each other. The derivative gain
//! and viscous friction are one unknown, since nothing distinguishes them.

use crate::gear_friction::{GearFriction, between_knots};
use crate::recording::Recording;
use crate::score::independent_square;
use crate::support::Failure;
use dualbody::Parameters;
use dualbody::actuator::PdServo;
use dualbody::contact::ContactModel;
use dualbody::identification::motion::{
    Channel, Measured, MotionExperiment, MotionModel, Signals, Start, StateDeviations,
};
use dualbody::identification::{Fit, LevenbergMarquardt, Noise, Problem};
use dualbody::system::{RigidBodySystem, State, TimeSteppingRigidBodySystem};
use dualbody::tree::RigidBodyTree;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Speeds `v_s` in rad/s: of a first fit, to come near, and of the model.
const SPEEDS: [f64; 2] = [0.05, 0.005];
/// Seconds of the recording that the first fit sees.
const FIRST: f64 = 5.0;
/// Length in s of what is simulated from one measured state.
const WINDOW: f64 = 2.0;
/// Relative offsets at which fits end: to choose a model, where neighbouring residuals say the same, and of estimates.
const TOLERANCES: [f64; 2] = [3e-2, 3e-3];
/// Starts of friction in N m and of the inertia of rotors in kg m².
const FRICTION: f64 = 0.3;
const ARMATURE: f64 = 0.01;
/// Standard deviation of angles in rad until residuals say another.
const DEVIATION: f64 = 1e-3;

/// What friction and torque depend on: their numbers of knots over the range of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Structure {
    pub name: &'static str,
    pub friction: usize,
    pub offset: usize,
}

/// What is known of all drives.
#[derive(Debug, Clone, Copy)]
pub struct Drives {
    /// N m/rad.
    pub proportional_gain: f64,
    /// N m s/rad, where a fit starts.
    pub derivative_gain: f64,
    /// Samples by which commands are late.
    pub delay: usize,
}

/// A leg that was measured.
pub struct Leg {
    pub joints: Vec<String>,
    /// Where each joint is in the recording, and its range there.
    pub columns: Vec<usize>,
    pub ranges: Vec<[f64; 2]>,
    tree: RigidBodyTree<f64>,
    drives: Drives,
    interval: f64,
}

/// A fit of a leg.
pub struct FittedLeg {
    pub structure: Structure,
    pub fit: Fit,
}

impl FittedLeg {
    /// The values of the unknowns of another structure, that describe the same.
    fn values_in(&self, structure: Structure) -> Vec<f64> {
        let all = self.fit.values();
        let of_joint = self.structure.friction + self.structure.offset + 2;
        let mut values = Vec::new();
        for joint in all.chunks_exact(of_joint) {
            let (friction, rest) = joint.split_at(self.structure.friction);
            let (offset, constants) = rest.split_at(self.structure.offset);
            for (knots, count) in [(friction, structure.friction), (offset, structure.offset)] {
                let place = |k: usize| k as f64 / (count.max(2) - 1) as f64;
                values.extend((0..count).map(|k| between_knots(knots, place(k))));
            }
            values.extend(constants);
        }
        values
    }
}

impl Leg {
    /// A leg of which `measured` has all joints.
    ///
    /// # Errors
    /// When a joint was not measured, or has not one degree of freedom.
    pub fn new(
        tree: RigidBodyTree<f64>,
        drives: Drives,
        measured: &Recording,
    ) -> Result<Leg, Failure> {
        let moving = tree.joints().filter(|joint| joint.num_velocities() > 0);
        let joints: Vec<String> = moving.map(|joint| joint.name().to_owned()).collect();
        let columns = joints
            .iter()
            .map(|name| measured.column(name))
            .collect::<Result<Vec<_>, _>>()?;
        let extent = |&column: &usize| {
            let angles = &measured.angles[column];
            [f64::min, f64::max].map(|choose| angles.iter().copied().fold(angles[0], choose))
        };
        let ranges: Vec<[f64; 2]> = columns.iter().map(extent).collect();
        if let Some(still) = ranges.iter().position(|[lower, upper]| lower == upper) {
            return Err(format!(
                "joint {:?} did not move, so that nothing is said of its drive",
                joints[still]
            )
            .into());
        }
        Ok(Leg {
            ranges,
            interval: measured.interval,
            joints,
            columns,
            tree,
            drives,
        })
    }

    /// The machine with constants to start from, of friction that slides above a speed.
    fn machine(
        &self,
        structure: Structure,
        speed: f64,
    ) -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
        let mut system = RigidBodySystem::new(self.tree.clone(), ContactModel::none())?;
        for (name, &range) in self.joints.iter().zip(&self.ranges) {
            let joint = system.tree().joint_by_name(name)?;
            let gains = [self.drives.proportional_gain, self.drives.derivative_gain];
            system.add_actuator(PdServo::new(
                format!("{name}/drive"),
                system.tree(),
                joint,
                gains,
                None,
            )?)?;
            system.add_force(GearFriction {
                name: format!("{name}/gear"),
                joint,
                range,
                speed,
                friction: vec![FRICTION; structure.friction],
                offset: vec![0.0; structure.offset],
            })?;
            system.set_parameter(&format!("joint/{name}/armature"), ARMATURE)?;
        }
        Ok(TimeSteppingRigidBodySystem::compliant(
            system,
            self.interval,
        )?)
    }

    /// The machine as one that was measured, with deviations of each joint's angle in rad.
    fn model(
        &self,
        structure: Structure,
        speed: f64,
        deviations: &[f64],
    ) -> Result<MotionModel, Failure> {
        let mut model = MotionModel::new(self.machine(structure, speed)?);
        for (name, &deviation) in self.joints.iter().zip(deviations) {
            let channel = Channel::new(name, Measured::JointPosition(name.clone()), [deviation])?;
            model = model.measure(&channel)?;
        }
        for name in &self.joints {
            let knots = |of: &str, count: usize| {
                (0..count)
                    .map(|k| format!("force/{name}/gear/{of}/{k}"))
                    .collect::<Vec<_>>()
            };
            let constants = [
                format!("actuator/{name}/drive/derivative_gain"),
                format!("joint/{name}/armature"),
            ];
            for parameter in knots("friction", structure.friction)
                .iter()
                .chain(&knots("offset", structure.offset))
                .chain(&constants)
            {
                model = model.estimate_parameter(parameter)?;
            }
        }
        Ok(model)
    }

    /// The windows of a recording.
    fn experiments(
        &self,
        model: MotionModel,
        measured: &Recording,
    ) -> Result<Vec<MotionExperiment>, Failure> {
        let model = Arc::new(model);
        let windows = ((measured.len() as f64 * self.interval / WINDOW).floor() as usize).max(1);
        let place = |window: usize| window * measured.len() / windows;
        let mut experiments = Vec::new();
        for window in 0..windows {
            let samples = place(window)..place(window + 1);
            let mut signals = Signals::new(samples.start as f64 * self.interval, self.interval)?;
            for (name, &column) in self.joints.iter().zip(&self.columns) {
                let commands: Vec<f64> = samples
                    .clone()
                    .map(|i| self.command(measured, column, i))
                    .collect();
                signals = signals
                    .with(name, "rad", &measured.angles[column][samples.clone()])?
                    .with(format!("{name}/drive/position"), "rad", commands)?
                    .with(
                        format!("{name}/drive/rate"),
                        "rad/s",
                        vec![0.0; samples.len()],
                    )?;
            }
            let state = self.state_at(measured, samples.start, model.machine());
            // The state is known, so that these are not asked for.
            let deviations = StateDeviations {
                position: 1.0,
                velocity: 1.0,
                actuators: 1.0,
                sensors: 1.0,
            };
            let name = format!("from {:.2} s", samples.start as f64 * self.interval);
            experiments.push(MotionExperiment::new(
                model.clone(),
                name,
                &signals,
                Start::Known(state),
                deviations,
            )?);
        }
        Ok(experiments)
    }

    /// The command that is held from a sample to the next.
    fn command(&self, measured: &Recording, column: usize, sample: usize) -> f64 {
        measured.desired[column][sample.saturating_sub(self.drives.delay)]
    }

    /// The state at a sample: angles as measured, and rates by differences.
    fn state_at(
        &self,
        measured: &Recording,
        sample: usize,
        machine: &TimeSteppingRigidBodySystem<f64>,
    ) -> State<f64> {
        let [before, after] = [
            sample.saturating_sub(1),
            (sample + 1).min(measured.len() - 1),
        ];
        let time = (after - before) as f64 * self.interval;
        let mut state = machine.initial_state();
        for (k, &column) in self.columns.iter().enumerate() {
            let angles = &measured.angles[column];
            state.q[k] = angles[sample];
            state.v[k] = (angles[after] - angles[before]) / time;
        }
        state
    }

    /// Fits all unknowns, from another fit, also of fewer knots, if there is one.
    ///
    /// # Errors
    /// As the fit.
    pub fn fit(
        &self,
        structure: Structure,
        measured: &Recording,
        near: Option<&FittedLeg>,
        iterations: usize,
    ) -> Result<FittedLeg, Failure> {
        let deviations = vec![DEVIATION; self.joints.len()];
        let start = match near {
            Some(near) => near.values_in(structure),
            None => {
                let model = self.model(structure, SPEEDS[0], &deviations)?;
                let start: Vec<f64> = model.unknowns().iter().map(|u| u.initial()).collect();
                let first = measured.part(0..measured.len().min((FIRST / self.interval) as usize));
                self.fit_from(model, &first, &start, (Noise::Estimated, iterations))?
                    .values()
            }
        };
        let model = self.model(structure, SPEEDS[1], &deviations)?;
        let fit = self.fit_from(model, measured, &start, (Noise::Estimated, iterations))?;
        Ok(FittedLeg { structure, fit })
    }

    /// The same fit to another recording, with known deviations of each joint's angle in rad.
    ///
    /// # Errors
    /// As the fit.
    pub fn refit(
        &self,
        near: &FittedLeg,
        deviations: &[f64],
        measured: &Recording,
        iterations: usize,
    ) -> Result<FittedLeg, Failure> {
        let structure = near.structure;
        let model = self.model(structure, SPEEDS[1], deviations)?;
        let fit = self.fit_from(
            model,
            measured,
            &near.fit.values(),
            (Noise::Unit, iterations),
        )?;
        Ok(FittedLeg { structure, fit })
    }

    /// The deviations of each joint's angle in rad that a first fit leaves, so large as if its residuals were independent.
    pub fn deviations(&self, fitted: &FittedLeg) -> Vec<f64> {
        let joints = self.joints.len();
        let deviation = |joint: usize| {
            let (mut square, mut count) = (0.0, 0);
            for experiment in &fitted.fit.experiments {
                let residuals = experiment.residuals.iter().skip(joint).step_by(joints);
                let series: Vec<f64> = residuals.map(|r| r * DEVIATION).collect();
                square += independent_square(&series);
                count += series.len();
            }
            (square / count as f64).sqrt()
        };
        (0..joints).map(deviation).collect()
    }

    fn fit_from(
        &self,
        model: MotionModel,
        measured: &Recording,
        start: &[f64],
        (noise, iterations): (Noise, usize),
    ) -> Result<Fit, Failure> {
        let tolerance = TOLERANCES[usize::from(noise == Noise::Unit)];
        let unknowns = model.unknowns().to_vec();
        let experiments = self.experiments(model, measured)?;
        let problem = Problem::new(unknowns, &experiments)?;
        let optimiser = LevenbergMarquardt::new()
            .noise(noise)
            // Others go on from a first fit.
            .probe(noise == Noise::Unit)
            .gradient_tolerance(tolerance)?
            .max_iterations(iterations);
        Ok(optimiser.fit_from(&problem, start, |_| ControlFlow::Continue(()))?)
    }

    /// The angles of each joint, simulated as a whole from the first sample on.
    ///
    /// # Errors
    /// As the simulation.
    pub fn predict(
        &self,
        structure: Structure,
        values: &[f64],
        measured: &Recording,
    ) -> Result<Vec<Vec<f64>>, Failure> {
        let model = self.model(structure, SPEEDS[1], &vec![DEVIATION; self.joints.len()])?;
        let machine = model.identified(values)?;
        let mut workspace = machine.workspace()?;
        let mut state = self.state_at(measured, 0, &machine);
        let mut predicted = vec![Vec::with_capacity(measured.len()); self.joints.len()];
        for sample in 0..measured.len() {
            for (angles, &q) in predicted.iter_mut().zip(&state.q) {
                angles.push(q);
            }
            let commands = self
                .columns
                .iter()
                .map(|&column| self.command(measured, column, sample));
            let input: Vec<f64> = commands.flat_map(|command| [command, 0.0]).collect();
            state = machine
                .step(&mut workspace, &state, &input)?
                .state()
                .clone();
        }
        Ok(predicted)
    }
}
