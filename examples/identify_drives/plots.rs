//! Pictures of drives and of what they predict.

use crate::leg::{FittedLeg, Leg};
use crate::recording::Recording;
use crate::support::Failure;
use crate::support::chart::{Chart, Mark};
use dualbody::scene::Scene;
use dualbody::system::{RigidBodySystem, State};

/// Samples of a chart at most.
const SHOWN: usize = 800;

/// Friction along the joints of a leg, and its angles in a recording, measured and predicted.
pub fn charts(
    leg: &Leg,
    fitted: &FittedLeg,
    predicted: &[Vec<f64>],
    test: &Recording,
) -> Vec<Chart> {
    let values = fitted.fit.values();
    let every = test.len().div_ceil(SHOWN);
    let structure = fitted.structure;
    let knots = structure.friction;
    let mut friction = Chart::new("Friction along the joints", "angle [rad]", "friction [N m]");
    let mut charts = Vec::new();
    for (joint, name) in leg.joints.iter().enumerate() {
        let first = joint * (knots + structure.offset + 2);
        let [lower, upper] = leg.ranges[joint];
        let at = |k: usize| match knots {
            1 => vec![(lower, values[first]), (upper, values[first])],
            _ => vec![(
                lower + (upper - lower) * k as f64 / (knots - 1) as f64,
                values[first + k],
            )],
        };
        friction = friction.with(name, Mark::Line, (0..knots).flat_map(at).collect());
        let points = |angles: &[f64]| {
            (0..test.len())
                .step_by(every)
                .map(|i| (i as f64 * test.interval, angles[i]))
                .collect()
        };
        let measured = &test.angles[leg.columns[joint]];
        charts.push(
            Chart::new(
                format!("{name} in the test, not used for the fit"),
                "time [s]",
                "angle [rad]",
            )
            .with("predicted", Mark::Line, points(&predicted[joint]))
            .beside("measured", Mark::Dots, points(measured))
            .with(
                "desired",
                Mark::Line,
                points(&test.desired[leg.columns[joint]]),
            ),
        );
        let errors: Vec<f64> = predicted[joint]
            .iter()
            .zip(measured)
            .map(|(a, b)| 1e3 * (a - b))
            .collect();
        charts.push(
            Chart::new(
                format!("{name}, predicted less measured"),
                "time [s]",
                "error [mrad]",
            )
            .with("error", Mark::Line, points(&errors)),
        );
    }
    charts.insert(0, friction);
    charts
}

/// The robot in the test as it is predicted, and as a ghost as it was measured.
pub fn scene(
    robot: &RigidBodySystem<f64>,
    legs: &[Leg],
    predicted: &[Vec<Vec<f64>>],
    test: &Recording,
) -> Result<Scene, Failure> {
    let states = |angle: &dyn Fn(usize, usize, usize) -> f64| -> Result<Vec<State<f64>>, Failure> {
        let mut states = Vec::new();
        for sample in (0..test.len()).step_by(test.len().div_ceil(SHOWN)) {
            let mut state = robot.initial_state();
            state.time = sample as f64 * test.interval;
            for (l, leg) in legs.iter().enumerate() {
                for (joint, name) in leg.joints.iter().enumerate() {
                    let index = robot.tree().joint_by_name(name)?;
                    state.q[robot.tree().joint(index)?.position_start()] = angle(l, joint, sample);
                }
            }
            states.push(state);
        }
        Ok(states)
    };
    let measured = states(&|l, joint, sample| test.angles[legs[l].columns[joint]][sample])?;
    let predicted = states(&|l, joint, sample| predicted[l][joint][sample])?;
    Ok(Scene::of_states(robot, &predicted)?
        .titled("Drives of a robot whose base is held")
        .about("The test, which was not fitted, simulated as a whole from its first row; the ghost is measured.")
        .with_ghost("measured", Scene::of_states(robot, &measured)?))
}
