//! Derivatives of what a recording measures, by the Jacobians of steps.

use super::error::MotionError;
use super::experiment::MotionExperiment;
use super::simulation::Motion;
use super::trace::Trace;
use crate::InvalidInput;
use crate::autodiff::{CHUNK, ChunkDual, slopes};
use crate::identification::SegmentedTrajectory;
use crate::system::{ForwardSensitivities, Tangent};
use std::ops::Range;

/// Parts of a recording, with the coordinates of the states that they start from, one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts<'a> {
    pub intervals: &'a [Range<usize>],
    pub states: &'a [f64],
}

/// Derivatives of the residuals of all parts, then of the coordinates at their ends, column by column.
pub(super) struct Slopes<'a> {
    /// The numbers of the columns, among the coordinates of a state and then the unknowns.
    pub columns: Range<usize>,
    pub jacobian: &'a mut [f64],
}

impl MotionExperiment {
    /// Writes derivatives; whether the Jacobian of a step is faster than a step in duals. `visit` is called with the motion
    /// of each part.
    pub(super) fn differentiate_by_steps(
        &self,
        unknowns: &[f64],
        parts: Parts<'_>,
        to: Slopes<'_>,
        mut visit: impl FnMut(&Motion<ChunkDual>),
    ) -> Result<bool, MotionError> {
        let size = self.num_coordinates();
        let count = |part: &Range<usize>| SegmentedTrajectory::residual_count(self, part.clone());
        let residuals: usize = parts.intervals.iter().map(count).sum();
        self.check_parts(parts.intervals, [parts.states.len(), residuals])?;
        let rows = residuals + parts.states.len();
        let entries = rows * to.columns.len();
        InvalidInput::check_size("entries of the Jacobian", to.jacobian.len(), entries)?;
        if self.has_outputs() || to.columns.is_empty() {
            return Ok(false);
        }
        let machine = self.model.machine_at(unknowns)?;
        let parameters: Vec<usize> = match to.columns.end > size {
            true => (self.model.settings(unknowns)?.iter())
                .map(|(parameter, _)| *parameter)
                .collect(),
            false => Vec::new(),
        };
        let Some(mut steps) = ForwardSensitivities::new(&machine, &parameters)? else {
            return Ok(false);
        };
        // The values from number `first` on, those of a chunk as variables.
        let seeded = |chunk: usize, first: usize, values: &[f64]| -> Vec<ChunkDual> {
            let variable = |i: usize| {
                let number = (first + i).checked_sub(to.columns.start + chunk * CHUNK);
                number.filter(|&lane| lane < CHUNK && first + i < to.columns.end)
            };
            let numbers = values.iter().map(|&x| ChunkDual::from_re(x)).enumerate();
            (numbers.map(|(i, x)| variable(i).map_or(x, |lane| x.derivative(lane)))).collect()
        };
        let begun = Trace::new(unknowns, parts.intervals, parts.states);
        let known = self.last.find(&begun).unwrap_or_default();
        let mut ends = known.states(self.references[0].iter().count());
        let mut motions = Vec::new();
        let mut settings = Vec::new();
        for chunk in 0..to.columns.len().div_ceil(CHUNK) {
            let unknowns = seeded(chunk, size, unknowns);
            let own = self.model.settings(&unknowns)?;
            settings.push(own.into_iter().map(|(_, value)| value).collect::<Vec<_>>());
            motions.push(self.motion(&unknowns)?);
        }
        let (mut row, mut end_row) = (0, residuals);
        for (k, intervals) in parts.intervals.iter().enumerate() {
            let state = &parts.states[k * size..(k + 1) * size];
            for (chunk, motion) in motions.iter_mut().enumerate() {
                motion.coordinates = seeded(chunk, 0, state);
            }
            self.simulate(&mut motions, intervals.clone(), |motions| {
                let all = motions.iter_mut().zip(&settings);
                let tangents = all.map(|(motion, parameters)| Tangent {
                    state: &motion.state,
                    input: &motion.input,
                    parameters,
                    next: &mut motion.next,
                });
                steps.step(tangents, ends.next())
            })?;
            motions.first().into_iter().for_each(&mut visit);
            let columns = to.jacobian.chunks_mut(CHUNK * rows.max(1));
            for (motion, columns) in motions.iter().zip(columns) {
                for (first, numbers) in [(row, &motion.residuals), (end_row, &motion.coordinates)] {
                    for (i, slopes) in numbers.iter().map(slopes).enumerate() {
                        let entries = columns[first + i..].iter_mut().step_by(rows);
                        entries.zip(&slopes).for_each(|(to, slope)| *to = *slope);
                    }
                }
            }
            row += count(intervals);
            end_row += size;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactMaterial, ContactModel};
    use crate::force::JointFriction;
    use crate::geometry::Shape;
    use crate::identification::Unknown;
    use crate::identification::motion::{
        Adjusts, Channel, Measured, MotionModel, Signals, Start, StateDeviations,
    };
    use crate::identification::segmented_trajectory::differentiate_by_duals;
    use crate::math::{RigidTransform, SpatialInertia};
    use crate::system::{RigidBodySystem, SystemBuilder, TimeSteppingRigidBodySystem};
    use crate::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
    use nalgebra::{DMatrix, Vector3};
    use std::sync::Arc;

    const ROWS: usize = 20;
    const SEGMENTS: [Range<usize>; 3] = [0..7, 7..12, 12..19];

    fn unknown(name: &str, initial: f64) -> Unknown {
        Unknown::new(name, "SI", initial).unwrap()
    }

    fn signal(
        signals: Signals,
        name: &str,
        unit: &'static str,
        at: impl Fn(f64) -> f64,
    ) -> Signals {
        let values: Vec<f64> = (0..ROWS).map(|row| at(row as f64)).collect();
        signals.with(name, unit, values).unwrap()
    }

    /// Two links with dry friction, torques and a marker.
    fn arm() -> (MotionModel, Signals) {
        let mut tree = RigidBodyTreeBuilder::new();
        let mut parent = BodyIndex::WORLD;
        for (name, joint, axis) in [
            ("upper", "shoulder", Vector3::y()),
            ("lower", "elbow", Vector3::x()),
        ] {
            let mut link = SpatialInertia::solid_box(1.0, &Vector3::new(0.06, 0.05, 0.4));
            link.center_of_mass = Vector3::new(0.0, 0.0, -0.2);
            let link = tree.add_body(name, link).unwrap();
            let pose = RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.4));
            let kind = JointKind::Revolute { axis };
            let joint = tree.add_joint(joint, kind, parent, pose, link).unwrap();
            tree.set_damping(joint, &[0.1]).unwrap();
            tree.set_friction(joint, &[0.2]).unwrap();
            parent = link;
        }
        let tree = tree.finish().unwrap();
        let friction = JointFriction::new("dry", &tree, 0.01).unwrap();
        let mut machine = RigidBodySystem::new(tree, ContactModel::none())
            .and_then(RigidBodySystem::with_generalized_forces)
            .unwrap();
        machine.add_force(friction).unwrap();
        let inputs = machine.input_names();
        let machine = TimeSteppingRigidBodySystem::compliant(machine, 2e-3).unwrap();
        let marker = Measured::Point {
            body: "lower".to_owned(),
            position: [0.0, 0.02, -0.3],
        };
        let mut model = MotionModel::new(machine);
        for (name, measured) in [
            ("shoulder", Measured::JointPosition("shoulder".to_owned())),
            ("elbow", Measured::JointPosition("elbow".to_owned())),
            ("rate", Measured::JointVelocity("elbow".to_owned())),
            ("marker", marker),
        ] {
            model = model
                .measure(&Channel::new(name, measured, [1e-2]).unwrap())
                .unwrap();
        }
        for name in [
            "body/lower/mass",
            "body/lower/center_of_mass/x",
            "joint/elbow/damping",
        ] {
            model = model.estimate_parameter(name).unwrap();
        }
        // Not all of these leave bodies where they are.
        for name in [
            "joint/shoulder/friction",
            "joint/elbow/origin/z",
            "joint/elbow/armature",
        ] {
            model = model.estimate_parameter(name).unwrap();
        }
        let of_input = |k: usize| inputs[k].clone();
        let (experiment, entry) = (None, 0);
        for (name, initial, adjusts) in [
            (
                "late",
                3e-3,
                Adjusts::Delay {
                    channels: vec![of_input(0)],
                    experiment: None,
                },
            ),
            (
                "gain",
                1.1,
                Adjusts::Gain {
                    channel: of_input(1),
                    entry,
                    experiment: None,
                },
            ),
            (
                "offset",
                0.1,
                Adjusts::Bias {
                    channel: "elbow".to_owned(),
                    entry,
                    experiment,
                },
            ),
            (
                "mounting",
                0.02,
                Adjusts::Mounting {
                    channel: "marker".to_owned(),
                    axis: 1,
                },
            ),
        ] {
            model = model.estimate(unknown(name, initial), &adjusts).unwrap();
        }
        let mut signals = Signals::new(0.0, 1e-2).unwrap();
        for (k, (name, unit)) in [
            ("shoulder", "rad"),
            ("elbow", "rad"),
            ("rate", "rad/s"),
            ("marker/x", "m"),
            ("marker/y", "m"),
            ("marker/z", "m"),
            (&*inputs[0], "N m"),
            (&*inputs[1], "N m"),
        ]
        .into_iter()
        .enumerate()
        {
            signals = signal(signals, name, unit, |row| (0.3 * row + k as f64).sin());
        }
        (model, signals)
    }

    /// A block that slides on the ground.
    fn block() -> (MotionModel, Signals) {
        let material = ContactMaterial::new(1e4, 0.1, 0.4).unwrap();
        let shape = Shape::new_box(Vector3::new(0.1, 0.08, 0.06)).unwrap();
        let system = SystemBuilder::new().floor("floor", material);
        let system = system
            .free_body("block", shape, 0.5, material)
            .build()
            .unwrap();
        let machine = TimeSteppingRigidBodySystem::compliant(system, 2e-3).unwrap();
        let joint = machine.tree().joints().next().unwrap().name().to_owned();
        let pose = Channel::new("pose", Measured::JointPosition(joint), [1e-2]).unwrap();
        let mut model = MotionModel::new(machine).measure(&pose).unwrap();
        for name in [
            "body/block/mass",
            "geometry/block/friction",
            "geometry/floor/stiffness",
        ] {
            model = model.estimate_parameter(name).unwrap();
        }
        let mut signals = Signals::new(0.0, 1e-2).unwrap();
        for (name, unit, start, speed) in [
            ("pose/qw", "1", 1.0, 0.0),
            ("pose/qx", "1", 0.0, 0.0),
            ("pose/qy", "1", 0.0, 0.0),
            ("pose/qz", "1", 0.0, 0.0),
            ("pose/x", "m", 0.0, 5e-3),
            ("pose/y", "m", 0.0, 2e-3),
            ("pose/z", "m", 0.0299, 0.0),
        ] {
            signals = signal(signals, name, unit, |row| start + speed * row);
        }
        (model, signals)
    }

    fn experiment((model, signals): (MotionModel, Signals)) -> MotionExperiment {
        let deviations = StateDeviations {
            position: 0.01,
            velocity: 0.1,
            actuators: 1.0,
            sensors: 1.0,
        };
        MotionExperiment::new(
            Arc::new(model),
            "log",
            &signals,
            Start::Measured,
            deviations,
        )
        .unwrap()
    }

    /// Derivatives of all columns by steps and by duals.
    fn both_ways(experiment: &MotionExperiment) -> [DMatrix<f64>; 2] {
        let unknowns: Vec<f64> = (experiment.model.unknowns().iter())
            .map(Unknown::initial)
            .collect();
        let size = experiment.num_coordinates();
        let states: Vec<f64> = (0..SEGMENTS.len() * size)
            .map(|i| 1e-3 * (1.7 * i as f64).sin())
            .collect();
        let count =
            |part: &Range<usize>| SegmentedTrajectory::residual_count(experiment, part.clone());
        let rows = SEGMENTS.iter().map(count).sum::<usize>() + states.len();
        let columns = size + unknowns.len();
        let [mut by_steps, mut by_duals] = [(); 2].map(|()| DMatrix::zeros(rows, columns));
        let parts = Parts {
            intervals: &SEGMENTS,
            states: &states,
        };
        let to = Slopes {
            columns: 0..columns,
            jacobian: by_steps.as_mut_slice(),
        };
        let made = experiment.differentiate_by_steps(&unknowns, parts, to, |_| ());
        assert!(made.unwrap());
        let to = by_duals.as_mut_slice();
        differentiate_by_duals(experiment, &unknowns, &SEGMENTS, &states, to).unwrap();
        [by_steps, by_duals]
    }

    #[test]
    fn jacobians_of_steps_have_the_derivatives_of_duals() {
        for case in [arm(), block()] {
            let [by_steps, by_duals] = both_ways(&experiment(case));
            for (j, (a, b)) in by_steps
                .column_iter()
                .zip(by_duals.column_iter())
                .enumerate()
            {
                assert!(b.amax() > 0.0, "column {j}");
                let off = (a - b).amax() / b.amax();
                assert!(off < 1e-10, "column {j} is off by {off}");
            }
        }
    }

    #[test]
    fn memory_of_another_size_is_refused() {
        let experiment = experiment(block());
        let unknowns: Vec<f64> = vec![0.5, 0.4, 1e4];
        let states = vec![0.0; experiment.num_coordinates()];
        let mut jacobian = vec![0.0; 7];
        let to = jacobian.as_mut_slice();
        let refused = experiment.differentiate_each(&unknowns, &SEGMENTS[..1], &states, to);
        assert!(refused.is_err());
        let refused = experiment.differentiate_each(&unknowns, &SEGMENTS, &states, to);
        assert!(refused.is_err());
    }
}
