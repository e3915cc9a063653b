//! Measured motions of machines as data.

use crate::common::Normal;
use dualbody::autodiff::JacobianChecker;
use dualbody::contact::{ContactMaterial, ContactModel};
use dualbody::geometry::Shape;
use dualbody::identification::motion::{
    Adjusts, Channel, Measured, MotionError, MotionExperiment, MotionModel, Signals, Start,
    StateDeviations,
};
use dualbody::identification::{
    Experiment, LevenbergMarquardt, MultipleShooting, Noise, Problem, SegmentedTrajectory,
    Shooting, Unknown,
};
use dualbody::io::json::MotionFit;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::Encoder;
use dualbody::system::{
    IntegrationMethod, Recording, RigidBodySystem, Scheme, State, SystemBuilder,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{ParameterError, Parameters};
use nalgebra::Vector3;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

const STEP: f64 = 1e-3;
/// Steps from sample to sample.
const STEPS: usize = 10;
const INTERVAL: f64 = 1e-2;

/// Two links that swing, with torques on their joints and an encoder in the elbow.
pub fn arm() -> TimeSteppingRigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut parent = BodyIndex::WORLD;
    for (k, name) in ["upper", "lower"].into_iter().enumerate() {
        let mut link = SpatialInertia::solid_box(1.0, &Vector3::new(0.06, 0.05, 0.4));
        link.center_of_mass = Vector3::new(0.0, 0.0, -0.2);
        let link = tree.add_body(name, link).unwrap();
        let pose = RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.4 * k as f64));
        let kind = JointKind::Revolute { axis: Vector3::y() };
        let joint = tree.add_joint(["shoulder", "elbow"][k], kind, parent, pose, link);
        tree.set_damping(joint.unwrap(), &[0.1]).unwrap();
        parent = link;
    }
    let tree = tree.finish().unwrap();
    let elbow = tree.joint_by_name("elbow").unwrap();
    let encoder = Encoder::new("encoder", &tree, elbow, 1e-12).unwrap();
    let machine = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let machine = machine.with_generalized_forces().unwrap();
    let machine = machine.with_sensors([encoder]).unwrap();
    TimeSteppingRigidBodySystem::compliant(machine, STEP).unwrap()
}

const POINT: [f64; 3] = [0.02, 0.0, -0.35];

/// What is measured on the arm: the shoulder, a marker on the lower link and the encoder.
pub fn measured_arm() -> MotionModel {
    let channels = [
        Channel::new("angle", Measured::JointPosition("shoulder".into()), [1e-3]),
        Channel::new("rate", Measured::JointVelocity("elbow".into()), [1e-2]),
        Channel::new(
            "marker",
            Measured::Point {
                body: "lower".into(),
                position: POINT,
            },
            [5e-4],
        ),
        Channel::new(
            "elbow angle",
            Measured::Output("encoder/unquantised".into()),
            [1e-3],
        ),
    ];
    (channels.into_iter()).fold(MotionModel::new(arm()), |model, channel| {
        model.measure(&channel.unwrap()).unwrap()
    })
}

/// Samples of `arm` from its own steps: the prediction of each channel, `late` by so many steps.
pub fn record(
    machine: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
    samples: usize,
    late: f64,
    noise: f64,
) -> Signals {
    let mut random = Normal::new(3);
    let torque = |sample: usize, k: usize| ((0.3 + 0.2 * k as f64) * sample as f64).sin() * 0.8;
    let (mut workspace, mut state) = (machine.workspace().unwrap(), start.clone());
    let mut history: Vec<[f64; 6]> = Vec::new();
    for step in 0..=samples * STEPS {
        let input = [0, 1].map(|k| torque((step / STEPS).min(samples - 1), k));
        let marker = machine.body_pose(&state, "lower").unwrap();
        let marker = marker.rotation * Vector3::from(POINT) + marker.translation;
        let made = machine.step(&mut workspace, &state, &input).unwrap();
        let encoder = made.output()[machine.output_index("encoder/unquantised").unwrap()];
        history.push([
            state.q[0], state.v[1], marker.x, marker.y, marker.z, encoder,
        ]);
        let next = made.state().clone();
        state = next;
    }
    let scale = [1e-3, 1e-2, 5e-4, 5e-4, 5e-4, 1e-3].map(|s| s * noise);
    let rows: Vec<[f64; 6]> = (0..samples)
        .map(|sample| {
            let at = (sample * STEPS) as f64 - late;
            let before = at.floor().max(0.0) as usize;
            let way = at - before as f64;
            std::array::from_fn(|i| {
                let (a, b) = (history[before][i], history[before + 1][i]);
                a + (b - a) * way + scale[i] * random.draw()
            })
        })
        .collect();
    let column = |i: usize| rows.iter().map(|row| row[i]).collect::<Vec<f64>>();
    let mut signals = Signals::new(0.0, INTERVAL).unwrap();
    for (i, (name, unit)) in [
        ("angle", "rad"),
        ("rate", "rad/s"),
        ("marker/x", "m"),
        ("marker/y", "m"),
        ("marker/z", "m"),
        ("elbow angle", "rad"),
    ]
    .into_iter()
    .enumerate()
    {
        signals = signals.with(name, unit, column(i)).unwrap();
    }
    for (k, name) in machine.input_names().into_iter().enumerate() {
        let torques: Vec<f64> = (0..samples).map(|i| torque(i, k)).collect();
        signals = signals.with(name, "N m", torques).unwrap();
    }
    signals
}

/// The same signals with torques that are zero.
fn without_torques(signals: Signals) -> Signals {
    let zeros = vec![0.0; signals.len()];
    (arm().input_names().into_iter()).fold(signals, |s, name| {
        s.with(name, "N m", zeros.clone()).unwrap()
    })
}

const DEVIATIONS: StateDeviations = StateDeviations {
    position: 0.05,
    velocity: 0.5,
    actuators: 1.0,
    sensors: 1.0,
};

pub fn start() -> State<f64> {
    let mut start = arm().initial_state();
    (start.q[0], start.q[1], start.v[0]) = (0.4, -0.7, 0.5);
    start
}

fn experiment(model: MotionModel, signals: &Signals, start: Start) -> MotionExperiment {
    MotionExperiment::new(Arc::new(model), "swing", signals, start, DEVIATIONS).unwrap()
}

fn residuals(experiment: &MotionExperiment, values: &[f64]) -> Vec<f64> {
    let mut residuals = vec![f64::NAN; Experiment::residual_count(experiment)];
    experiment.residuals(values, &mut residuals).unwrap();
    residuals
}

#[test]
fn a_recording_of_the_machine_itself_has_no_residuals() {
    let signals = record(&arm(), &start(), 30, 0.0, 0.0);
    let experiment = experiment(measured_arm(), &signals, Start::Known(start()));
    let residuals = residuals(&experiment, &[]);
    assert_eq!(residuals.len(), 30 * 6);
    assert!(residuals.iter().all(|r| r.abs() < 1e-8), "{residuals:?}");
}

#[test]
fn channels_have_gains_biases_delays_and_mountings() {
    let at = |channel: &str, entry| (channel.to_owned(), entry, None);
    let (channel, entry, only) = at("angle", 0);
    let gain = Adjusts::Gain {
        channel,
        entry,
        experiment: only,
    };
    let (channel, entry, only) = at("rate", 0);
    let bias = Adjusts::Bias {
        channel,
        entry,
        experiment: only,
    };
    let elsewhere = Adjusts::Bias {
        channel: "marker".into(),
        entry: 1,
        experiment: Some("another".into()),
    };
    let delay = Adjusts::Delay {
        channels: vec!["elbow angle".into(), "marker".into()],
        experiment: Some("swing".into()),
    };
    let mounting = Adjusts::Mounting {
        channel: "marker".into(),
        axis: 0,
    };
    let adjusted = [gain, bias, elsewhere, delay, mounting];
    let names = ["gain", "bias", "elsewhere", "delay", "mounting"];
    let model = adjusted
        .iter()
        .zip(names)
        .fold(measured_arm(), |model, (adjusts, name)| {
            model
                .estimate(Unknown::new(name, "1", 0.0).unwrap(), adjusts)
                .unwrap()
        });
    let signals = record(&arm(), &start(), 30, 3.4, 0.0);
    let plain = record(&arm(), &start(), 30, 0.0, 0.0);
    let experiment = experiment(model, &signals, Start::Known(start()));
    let residuals = residuals(&experiment, &[1.5, 0.25, 7.0, 3.4e-3, POINT[0]]);
    let angle = plain.signal("angle").unwrap().0;
    let late = signals.signal("angle").unwrap().0;
    let (rate, late_rate) = (
        plain.signal("rate").unwrap().0,
        signals.signal("rate").unwrap().0,
    );
    for (i, row) in residuals.chunks_exact(6).enumerate() {
        // These two are not among the late channels.
        assert!((row[0] - (1.5 * angle[i] - late[i]) / 1e-3).abs() < 1e-7);
        assert!((row[1] - (rate[i] + 0.25 - late_rate[i]) / 1e-2).abs() < 1e-7);
        assert!(row[2..].iter().all(|r| r.abs() < 1e-7), "{i}: {row:?}");
    }
}

/// Of everything that can be unknown, against differences.
#[test]
fn residuals_have_the_derivatives_of_differences() {
    let signals = record(&arm(), &start(), 12, 2.7, 1.0);
    let model = fitted_arm(measured_arm());
    let experiment = experiment(model, &signals, Start::Known(start()));
    let unknowns = experiment_unknowns(&experiment);
    let experiments = [experiment];
    let problem = Problem::new(unknowns, &experiments).unwrap();
    let at = [1.3, 0.13, 3.3e-3, 0.015, 2e-3];
    let jacobian = problem.jacobian(0, &at).unwrap();
    let check = JacobianChecker::default()
        .check(|p| problem.residuals(0, p), &at, &jacobian)
        .unwrap();
    assert!(check.agrees(), "{check}");
    assert!(jacobian.column_iter().all(|column| column.norm() > 1.0));
}

/// Mass of the lower link, damping of both joints, a delay, a mounting and a bias.
fn fitted_arm(model: MotionModel) -> MotionModel {
    let damping = ["joint/shoulder/damping", "joint/elbow/damping"];
    let damping = Adjusts::Parameters(damping.map(|name| (name.to_owned(), 1.0)).to_vec());
    let unknown = |name: &str, unit: &str, initial: f64| Unknown::new(name, unit, initial).unwrap();
    let model = model.estimate_parameter("body/lower/mass").unwrap();
    let damping_unknown = unknown("damping", "N m s/rad", 0.5)
        .bounds(0.0, 10.0)
        .unwrap();
    let model = model.estimate(damping_unknown, &damping).unwrap();
    let delay = Adjusts::Delay {
        channels: Vec::new(),
        experiment: None,
    };
    let delayed = unknown("delay", "s", 0.0).scale(1e-3).unwrap();
    let model = model.estimate(delayed, &delay).unwrap();
    let mounting = Adjusts::Mounting {
        channel: "marker".into(),
        axis: 0,
    };
    let mounted = unknown("mounting", "m", 0.0).scale(1e-2).unwrap();
    let model = model.estimate(mounted, &mounting).unwrap();
    let bias = Adjusts::Bias {
        channel: "elbow angle".into(),
        entry: 0,
        experiment: None,
    };
    let biased = unknown("bias", "rad", 0.0).scale(1e-2).unwrap();
    model.estimate(biased, &bias).unwrap()
}

fn experiment_unknowns(_: &MotionExperiment) -> Vec<Unknown> {
    fitted_arm(measured_arm()).unknowns().to_vec()
}

/// The truth comes back from noisy samples, an unknown start and poor guesses, within standard errors.
#[test]
fn a_fit_finds_the_machine_and_how_it_was_measured() {
    let mut truth = arm();
    truth.set_parameter("body/lower/mass", 1.7).unwrap();
    let signals = record(&truth, &start(), 80, 2.7, 1.0);
    let model = fitted_arm(measured_arm());
    let unknowns = model.unknowns().to_vec();
    let recordings = [experiment(model.clone(), &signals, Start::Measured)];
    let optimiser = LevenbergMarquardt::default().noise(Noise::Unit);
    let fit = MultipleShooting::new(optimiser, 20).unwrap();
    let found = fit
        .fit(&unknowns, &recordings, |_, _| ControlFlow::Continue(()))
        .unwrap();
    assert!(found.fit.stop.is_converged(), "{}", found.fit);
    let expected = [1.7, 0.1, 2.7e-3, POINT[0], 0.0];
    for (estimate, expected) in found.fit.estimates.iter().zip(expected) {
        let error = estimate.standard_error.unwrap();
        let off = (estimate.value - expected).abs();
        assert!(off < 4.0 * error, "{}", found.fit);
    }
    let identified = model.identified(&found.fit.values()).unwrap();
    assert_eq!(
        identified.parameter("body/lower/mass").unwrap(),
        found.fit.values()[0]
    );
    let reached = recordings[0]
        .state(0, found.starts[0].as_ref().unwrap())
        .unwrap();
    assert!((reached.q[0] - 0.4).abs() < 5e-3 && (reached.v[0] - 0.5).abs() < 0.05);
}

#[test]
fn samples_that_are_missing_have_no_residuals() {
    let signals = record(&arm(), &start(), 30, 0.0, 0.0);
    let mut holes = Signals::new(0.0, INTERVAL).unwrap();
    for name in signals.names() {
        let (values, unit) = signals.signal(name).unwrap();
        let mut values = values.to_vec();
        if name == "marker/y" {
            values[3..7].fill(f64::NAN);
        }
        holes = holes.with(name, unit, values).unwrap();
    }
    let whole = experiment(measured_arm(), &signals, Start::Known(start()));
    let holes = experiment(measured_arm(), &holes, Start::Known(start()));
    let mut expected = residuals(&whole, &[]);
    // Entry 3 of rows of six.
    for row in (3..7).rev() {
        expected.remove(6 * row + 3);
    }
    assert_eq!(residuals(&holes, &[]), expected);
    assert_eq!(SegmentedTrajectory::residual_count(&holes, 5..8), 3 * 6 - 1);
}

/// Segments that begin at the states of one shoot have its residuals.
#[test]
fn segments_continue_each_other() {
    let signals = record(&arm(), &start(), 25, 0.0, 1.0);
    let recording = experiment(measured_arm(), &signals, Start::Known(start()));
    let whole = residuals(&recording, &[]);
    let mut state = vec![0.0; recording.state_deviations().len()];
    let mut parts = Vec::new();
    for intervals in [0..7, 7..8, 8..24] {
        let mut rows =
            vec![f64::NAN; SegmentedTrajectory::residual_count(&recording, intervals.clone())];
        recording
            .shoot(&[], intervals, &mut state, &mut rows)
            .unwrap();
        parts.extend(rows);
    }
    assert_eq!(parts.len(), whole.len());
    for (a, b) in parts.iter().zip(&whole) {
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }
}

/// A block that is thrown and slides on the ground, its pose measured with rotations.
#[test]
fn rotations_are_measured_in_the_tangent_space() {
    let floor = ContactMaterial::new(1e4, 0.1, 0.4).unwrap();
    let shape = dualbody::geometry::Shape::new_box(Vector3::new(0.1, 0.08, 0.06)).unwrap();
    let system = dualbody::system::SystemBuilder::new().floor("floor", floor);
    let system = system
        .free_body("block", shape, 0.5, floor)
        .build()
        .unwrap();
    let machine = TimeSteppingRigidBodySystem::compliant(system, STEP).unwrap();
    let joint = machine.tree().joints().next().unwrap().name().to_owned();
    let mut start = machine.initial_state();
    start.q[6] = 0.12;
    start.v.copy_from_slice(&[2.0, -1.0, 3.0, 0.8, 0.2, -0.5]);
    let (mut workspace, mut state) = (machine.workspace().unwrap(), start.clone());
    let mut rows = Vec::new();
    for step in 0..300 {
        if step % STEPS == 0 {
            rows.push(state.q.as_slice().to_vec());
        }
        let step = machine.step(&mut workspace, &state, &[]).unwrap();
        state.clone_from(step.state());
    }
    let names = ["qw", "qx", "qy", "qz", "x", "y", "z"];
    let signals = |rows: &[Vec<f64>]| {
        names.iter().enumerate().fold(
            Signals::new(0.0, INTERVAL).unwrap(),
            |signals, (i, name)| {
                let unit = if i < 4 { "1" } else { "m" };
                let column: Vec<f64> = rows.iter().map(|row| row[i]).collect();
                signals.with(format!("pose/{name}"), unit, column).unwrap()
            },
        )
    };
    let pose = Channel::new(
        "pose",
        Measured::JointPosition(joint),
        [0.02, 0.02, 0.02, 1e-3, 1e-3, 1e-3],
    );
    let model = || {
        MotionModel::new(machine.clone())
            .measure(pose.as_ref().unwrap())
            .unwrap()
    };
    let known =
        |rows: &[Vec<f64>]| experiment(model(), &signals(rows), Start::Known(start.clone()));
    assert!(residuals(&known(&rows), &[]).iter().all(|r| r.abs() < 1e-8));
    // A quarter of a radian about x of the world, and the other sign of the quaternion.
    let turned: Vec<Vec<f64>> = (rows.iter())
        .map(|q| {
            let (s, c) = 0.125f64.sin_cos();
            let turned = [
                c * q[0] - s * q[1],
                c * q[1] + s * q[0],
                c * q[2] - s * q[3],
                c * q[3] + s * q[2],
            ];
            turned
                .iter()
                .map(|x| -x)
                .chain(q[4..].iter().copied())
                .collect()
        })
        .collect();
    for row in residuals(&known(&turned), &[]).chunks_exact(6) {
        assert!((row[0] + 0.25 / 0.02).abs() < 1e-8, "{row:?}");
        assert!(row[1..].iter().all(|r| r.abs() < 1e-6), "{row:?}");
    }
    // From measurements alone the states are near what they were.
    let measured = experiment(model(), &signals(&rows), Start::Measured);
    let shooting = Shooting::new(&measured, 29).unwrap();
    let found = measured
        .state(0, &shooting.states(&[]).unwrap()[0])
        .unwrap();
    assert!((found.q - &start.q).norm() < 1e-3 && (found.v - &start.v).norm() < 0.2);
}

const TABLE: &str =
    "time [s], hinge [deg], extra\n0.00, 90, 1\n0.01,, 2\n0.02, nan, 3\n0.03, -45, 4\n";

/// Positions that are measured now and then are gone between, with the velocity that this takes.
#[test]
fn guesses_of_states_span_samples_that_are_missing() {
    let channel = Measured::JointPosition("shoulder".into());
    let channel = Channel::new("angle", channel, [1e-3]).unwrap();
    let model = Arc::new(MotionModel::new(arm()).measure(&channel).unwrap());
    let angle = |row: usize| 0.3 + 2.0 * INTERVAL * row as f64;
    let guesses = |is_measured: &dyn Fn(usize) -> bool, start: Start| {
        let angles: Vec<f64> = (0..21)
            .map(|row| {
                if is_measured(row) {
                    angle(row)
                } else {
                    f64::NAN
                }
            })
            .collect();
        let signals = Signals::new(0.0, INTERVAL).unwrap();
        let signals = without_torques(signals.with("angle", "rad", angles).unwrap());
        let model = Arc::clone(&model);
        let experiment = MotionExperiment::new(model, "swing", &signals, start, DEVIATIONS);
        let experiment = experiment.unwrap();
        let none = experiment.guess(0);
        (0..21)
            .map(|row| experiment.state(row, &none).unwrap())
            .map(|state| (state.q[0], state.v[0]))
            .collect::<Vec<_>>()
    };
    let every_fifth = |row: usize| row.is_multiple_of(5);
    for (row, (q, v)) in guesses(&every_fifth, Start::Measured).iter().enumerate() {
        assert!((q - angle(row)).abs() < 1e-12, "{row}: {q}");
        assert!((v - 2.0).abs() < 1e-10, "{row}: {v}");
    }
    // Before the first and after the last it is not known where the arm is, but how it moves.
    let between = |row: usize| [7, 12].contains(&row);
    for (row, (q, v)) in guesses(&between, Start::Measured).iter().enumerate() {
        let held = angle(row.clamp(7, 12));
        assert!((q - held).abs() < 1e-12, "{row}: {q}");
        assert!((v - 2.0).abs() < 1e-10, "{row}: {v}");
    }
    // A start that is known stays, and counts.
    let mut known = model.machine().initial_state();
    (known.q[0], known.v[0]) = (angle(0), -3.0);
    let late = |row: usize| row == 10;
    let guessed = guesses(&late, Start::Known(known));
    assert_eq!(guessed[0], (angle(0), -3.0));
    assert!((guessed[4].0 - angle(4)).abs() < 1e-12);
    assert!((guessed[4].1 - 2.0).abs() < 1e-10);
    // One sample says nothing of velocities.
    assert!(
        guesses(&late, Start::Measured)
            .iter()
            .all(|(_, v)| *v == 0.0)
    );
    // None is no measure of a fit.
    let signals = Signals::new(0.0, INTERVAL).unwrap();
    let signals = signals.with("angle", "rad", vec![f64::NAN; 5]).unwrap();
    let signals = without_torques(signals);
    let nothing = MotionExperiment::new(model, "none", &signals, Start::Measured, DEVIATIONS);
    let error = nothing.unwrap().misfit(&[]).unwrap_err().to_string();
    assert!(error.contains("number of residuals"), "{error}");
}

#[test]
fn what_an_unknown_sets_is_named_once() {
    let unknown = |name: &str| Unknown::new(name, "rad", 0.0).unwrap();
    let refused = |adjusts: &Adjusts| {
        let error = measured_arm().estimate(unknown("x"), adjusts).unwrap_err();
        error.to_string()
    };
    let channels = vec!["angle".to_owned(), "rate".to_owned(), "angle".to_owned()];
    let twice = Adjusts::Delay {
        channels,
        experiment: None,
    };
    assert!(refused(&twice).contains("channel \"angle\" is named twice"));
    assert!(refused(&Adjusts::Parameters(vec![])).contains("no parameter is named"));
    let bias = |experiment: Option<&str>| Adjusts::Bias {
        channel: "angle".to_owned(),
        entry: 0,
        experiment: experiment.map(str::to_owned),
    };
    let model = measured_arm()
        .estimate(unknown("x"), &bias(Some("a")))
        .unwrap();
    let other = model.clone().estimate(unknown("y"), &bias(Some("b")));
    assert!(other.is_ok());
    for (name, experiment) in [("y", None), ("y", Some("a")), ("x", Some("b"))] {
        let error = (model.clone().estimate(unknown(name), &bias(experiment))).unwrap_err();
        assert!(matches!(error, MotionError::Unknown { .. }), "{error}");
    }
}

#[test]
fn tables_have_names_units_and_a_rate() {
    let signals = Signals::from_csv(TABLE.as_bytes()).unwrap();
    assert_eq!((signals.len(), signals.start()), (4, 0.0));
    assert!((signals.interval() - 0.01).abs() < 1e-15);
    assert_eq!(signals.names().collect::<Vec<_>>(), ["hinge", "extra"]);
    let (angles, unit) = signals.signal("hinge").unwrap();
    assert_eq!(unit, "rad");
    assert!((angles[0] - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
    assert!(angles[1].is_nan() && angles[2].is_nan());
    assert_eq!(
        signals.signal("extra").unwrap(),
        (&[1.0, 2.0, 3.0, 4.0][..], "1")
    );
}

#[test]
fn the_table_of_a_recording_is_read() {
    let system = SystemBuilder::new()
        .free_body(
            "ball",
            Shape::new_sphere(0.1).unwrap(),
            1.0,
            ContactMaterial::new(1e4, 0.5, 0.5).unwrap(),
        )
        .compliant(1e-3)
        .unwrap();
    let mut recording = Recording::default();
    let mut state = system.initial_state();
    (system.record(&mut state, 5, |_, _, _, _| {}, &mut || 0.0, &mut recording)).unwrap();
    let mut table = Vec::new();
    recording.write_csv(&mut table).unwrap();
    let signals = Signals::from_csv(table.as_slice()).unwrap();
    let (fall, _) = signals.signal("v/5").unwrap();
    assert_eq!(fall, recording.column("v/5").unwrap());
    assert!(fall[4] < 0.0, "{fall:?}");
}

#[test]
fn tables_that_cannot_be_read_name_the_line() {
    let reasons = [
        ("", "line 1: there is no column \"time [s]\""),
        ("a,b\n0,1\n1,1\n", "line 1: there is no column \"time [s]\""),
        (
            "time [s];a\n0;1\n1;1\n",
            "line 1: columns are separated by \";\", expected ','",
        ),
        (
            "time [s],a\n0,1\n",
            "line 1: below the names, expected two or more lines of numbers",
        ),
        (
            "time [h],a\n0,1\n1,1\n",
            "line 1: time is in \"h\", expected s or ms",
        ),
        (
            "time [s],a\n0,1\n1,1,2\n",
            "line 3: 3 fields, where the lines before have 2",
        ),
        (
            "time [s],a\n0,1\n1,x\n",
            "line 3: a is \"x\", expected a number",
        ),
        ("time [s],a\n0,1\n0,1\n", "line 3: time is 0 s, after 0 s"),
        (
            "time [s],a,a\n0,1,1\n1,1,1\n",
            "signal \"a\": there are two of this name",
        ),
        (
            "time [s],a\n0,1\n1,inf\n",
            "line 3: a is \"inf\", expected a number",
        ),
        (
            "time [s],a\n0,1\n2,1\n1,1\n",
            "line 4: time is 1 s, after 2 s",
        ),
        ("time [s],a\n0,1\n1,1\nnan,1\n", "line 4: there is no time"),
        (
            "time [s],time [ms],a\n0,0,1\n1,1000,1\n",
            "line 1: there are two columns of time",
        ),
    ];
    for (table, reason) in reasons {
        let error = Signals::from_csv(table.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), reason, "{table:?}");
    }
    let short = Signals::from_csv("time [s],a\n0,1\n1\n".as_bytes()).unwrap_err();
    assert!(short.to_string().starts_with("line 3: "), "{short}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let channel = |name: &str, measured| Channel::new(name, measured, [1.0]).unwrap();
    let refused = |channel: &Channel| measured_arm().measure(channel).unwrap_err().to_string();
    let angle = Measured::JointPosition("shoulder".into());
    assert_eq!(
        refused(&channel("angle", angle)),
        "channel \"angle\": there are two of this name"
    );
    let wrist = refused(&channel("wrist", Measured::JointPosition("wrist".into())));
    assert!(
        wrist.starts_with("channel \"wrist\": ") && wrist.contains("wrist"),
        "{wrist}"
    );
    let two = Channel::new("two", Measured::JointVelocity("elbow".into()), [1.0, 2.0]).unwrap();
    assert_eq!(
        refused(&two),
        "channel \"two\": 2 deviations, expected 1 or 1"
    );
    assert!(Channel::new("x", Measured::Output("y".into()), [0.0]).is_err());

    let unknown = || Unknown::new("p", "1", 0.0).unwrap();
    let refused = |adjusts: Adjusts| measured_arm().estimate(unknown(), &adjusts).unwrap_err();
    let error = refused(Adjusts::Parameters(vec![("time_step".into(), 1.0)]));
    assert_eq!(
        error.to_string(),
        "unknown \"p\": parameter \"time_step\": samples are taken at it"
    );
    let error = refused(Adjusts::Parameters(vec![("no such".into(), 1.0)]));
    assert!(matches!(
        error,
        MotionError::Parameter(ParameterError::Unknown { .. })
    ));
    let error = refused(Adjusts::Mounting {
        channel: "angle".into(),
        axis: 0,
    });
    assert_eq!(
        error.to_string(),
        "unknown \"p\": channel \"angle\" has no point with an axis 0"
    );
    let error = refused(Adjusts::Bias {
        channel: "marker".into(),
        entry: 3,
        experiment: None,
    });
    assert_eq!(
        error.to_string(),
        "unknown \"p\": there is no entry 3, channel \"marker\" has 3"
    );

    let signals = record(&arm(), &start(), 5, 0.0, 0.0);
    let new = |signals: &Signals| {
        let start = Start::Known(start());
        MotionExperiment::new(
            Arc::new(measured_arm()),
            "swing",
            signals,
            start,
            DEVIATIONS,
        )
    };
    let with_interval = |interval: f64, samples: usize| {
        let recorded = record(&arm(), &start(), samples, 0.0, 0.0);
        (recorded.names()).fold(Signals::new(0.0, interval).unwrap(), |signals, name| {
            let (values, unit) = recorded.signal(name).unwrap();
            signals.with(name, unit, values).unwrap()
        })
    };
    let error = new(&with_interval(0.9 * STEP, 5)).unwrap_err().to_string();
    assert!(
        error.contains("0.9, expected a number from 1 to 10"),
        "{error}"
    );
    // Times of a table may be off by a thousandth: those of its ends set the interval.
    let made = new(&with_interval(INTERVAL * (1.0 + 1.9e-3 / 4.0), 5)).unwrap();
    let values = residuals(&made, &[]);
    assert_eq!(values, residuals(&new(&signals).unwrap(), &[]));
    let other = Signals::new(0.0, INTERVAL)
        .unwrap()
        .with("angle", "m", [0.0; 5])
        .unwrap();
    let error = new(&other).unwrap_err().to_string();
    assert_eq!(error, "signal \"angle\": it is in \"m\", expected \"rad\"");
    let other = Signals::new(0.0, INTERVAL)
        .unwrap()
        .with("angle", "rad", [0.0; 5])
        .unwrap();
    let error = new(&other).unwrap_err().to_string();
    let expected = "signal \"rate\": there is none of this name among \"angle\"";
    assert_eq!(error, expected);
    let late = measured_arm().estimate(
        unknown(),
        &Adjusts::Delay {
            channels: vec![],
            experiment: None,
        },
    );
    let experiment = experiment(late.unwrap(), &signals, Start::Known(start()));
    let mut rows = vec![0.0; Experiment::residual_count(&experiment)];
    assert!(experiment.residuals(&[1.0], &mut rows).is_err());
}

/// A fit as a document.
pub const DOCUMENT: &str = r#"{
        "format": "dualbody fit",
        "version": 1,
        "machine": "arm.json",
        "channels": [
            {"name": "angle", "measures": {"JointPosition": "shoulder"}, "deviations": [1e-3]},
            {"name": "marker", "measures": {"Point": {"body": "lower", "position": [0.02, 0.0, -0.35]}}, "deviations": [5e-4]}
        ],
        "unknowns": [
            {"name": "body/lower/mass", "initial": 1.4, "logarithmic": true},
            {"name": "delay", "adjusts": {"Delay": {"channels": ["marker"], "experiment": null}}, "scale": 1e-3}
        ],
        "state_deviations": {"position": 0.1, "velocity": 1.0, "actuators": 1.0, "sensors": 1.0},
        "experiments": [
            {"name": "swing", "signals": "swing.csv", "start": {"Known": "start.json"}},
            {"name": "again", "signals": "swing.csv", "start": "Measured", "held_out": true}
        ]
    }"#;

/// A folder with the files that the document names, and their signals as a table.
pub fn files_of_a_fit(purpose: &str) -> (PathBuf, String) {
    let folder = format!("dualbody-{purpose}-{}", std::process::id());
    let folder = std::env::temp_dir().join(folder);
    std::fs::create_dir_all(&folder).unwrap();
    arm().save(folder.join("arm.json")).unwrap();
    arm()
        .save_state(folder.join("start.json"), &start())
        .unwrap();
    let signals = record(&arm(), &start(), 20, 0.0, 0.0);
    let table = table_of(&signals.without(&["rate", "elbow angle"]).unwrap());
    std::fs::write(folder.join("swing.csv"), &table).unwrap();
    (folder, table)
}

/// Signals as a table.
pub fn table_of(signals: &Signals) -> String {
    let mut table = "time [s]".to_owned();
    for name in signals.names() {
        table += &format!(",{name} [{}]", signals.signal(name).unwrap().1);
    }
    for i in 0..signals.len() {
        table += &format!("\n{}", INTERVAL * i as f64);
        for name in signals.names() {
            table += &format!(",{:?}", signals.signal(name).unwrap().0[i]);
        }
    }
    table
}

/// The same fit from files.
#[test]
fn a_fit_is_read_from_files() {
    let (folder, _) = files_of_a_fit("motion");
    let file = folder.join("fit.json");
    std::fs::write(&file, DOCUMENT).unwrap();
    let fit = MotionFit::load(&file).unwrap();
    assert_eq!(fit.sources[0].path, file);
    assert!(fit.sources.len() >= 3, "{:?}", fit.sources);
    assert_eq!(fit.experiments[0].name(), "swing");
    assert_eq!((fit.experiments.len(), fit.held_out.len()), (1, 1));
    let problem = Problem::new(fit.model.unknowns(), &fit.experiments).unwrap();
    let found = LevenbergMarquardt::default()
        .noise(Noise::Unit)
        .fit(&problem)
        .unwrap();
    assert!(
        (found.values()[0] - 1.0).abs() < 1e-6 && found.values()[1].abs() < 1e-7,
        "{found}"
    );
    for (from, to, message) in [
        ("arm.json", "leg.json", "leg.json"),
        (
            "\"shoulder\"",
            "\"knee\"",
            "channels/0: channel \"angle\": ",
        ),
        (
            "\"marker\"], ",
            "\"market\"], ",
            "unknowns/1: unknown \"delay\": there is no channel \"market\", is it \"marker\"?",
        ),
        ("\"initial\": 1.4", "\"initial\": -1.4", "unknowns/0: "),
        ("\"held_out\"", "\"held\"", "experiments/1"),
        ("swing.csv", "fit.json", "fit.json: "),
        (
            "\"again\"",
            "\"swing\"",
            "experiments/1: there are two experiments named \"swing\"",
        ),
        (
            "\"initial\": 1.4, \"logarithmic\": true",
            "\"adjusts\": {\"Parameters\": [[\"joint/shoulder/damping\", 1], [\"joint/elbow/damping\", -1]]}",
            "unknowns/0: unknown \"body/lower/mass\": upper bound = -0, expected at least the initial value",
        ),
        (
            "\"initial\": 1.4, \"logarithmic\": true",
            "\"adjusts\": {\"Parameters\": [[\"joint/shoulder/damping\", 0]]}",
            "parameter \"joint/shoulder/damping\": its factor is not a number other than zero",
        ),
        (
            "\"initial\": 1.4, \"logarithmic\": true",
            "\"adjusts\": {\"Parameters\": [[\"joint/shoulder/damping\", 1], [\"stiction_tolerance\", -1]]}",
            "unknowns/0: unknown \"body/lower/mass\": no value is within the bounds of all of \
             [\"joint/shoulder/damping\", \"stiction_tolerance\"]: it must be at least 0 and at most -2.2",
        ),
    ] {
        std::fs::write(&file, DOCUMENT.replace(from, to)).unwrap();
        let error = MotionFit::load(&file).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Of short recordings of a wheel that coasts, from states that are guessed about as well as stated or measured.
#[test]
fn misfit_is_one_where_model_and_deviations_are_right() {
    let mut tree = RigidBodyTreeBuilder::new();
    let wheel = SpatialInertia::solid_sphere(1.0, 0.1);
    let wheel = tree.add_body("wheel", wheel).unwrap();
    let kind = JointKind::Revolute { axis: Vector3::z() };
    let pose = RigidTransform::identity();
    tree.add_joint("axle", kind, BodyIndex::WORLD, pose, wheel)
        .unwrap();
    let tree = tree.finish().unwrap();
    let machine = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let machine = TimeSteppingRigidBodySystem::compliant(machine, INTERVAL).unwrap();
    let rate = Channel::new("rate", Measured::JointVelocity("axle".into()), [0.01]);
    let angle = Channel::new("angle", Measured::JointPosition("axle".into()), [0.01]);
    let model = MotionModel::new(machine.clone()).measure(&rate.unwrap());
    let model = Arc::new(model.unwrap().measure(&angle.unwrap()).unwrap());

    let mut random = Normal::new(5);
    for (is_measured, deviation) in [(true, 10.0), (false, 0.02), (false, 0.003)] {
        let mean_square = (0..400)
            .map(|_| {
                let mut start = machine.initial_state();
                (start.q[0], start.v[0]) = (random.draw(), 3.0 * random.draw());
                let noisy = |x: f64, random: &mut Normal| x + 0.01 * random.draw();
                let rates: Vec<_> = (0..3).map(|_| noisy(start.v[0], &mut random)).collect();
                let angles = (0..3).map(|i| {
                    let angle = start.q[0] + INTERVAL * f64::from(i) * start.v[0];
                    noisy(angle, &mut random)
                });
                let angles: Vec<_> = angles.collect();
                let signals = Signals::new(0.0, INTERVAL).unwrap();
                let signals = signals.with("rate", "rad/s", rates).unwrap();
                let signals = signals.with("angle", "rad", angles).unwrap();
                let mut guess = start;
                guess.q[0] += deviation * random.draw();
                guess.v[0] += deviation * random.draw();
                let start = match is_measured {
                    true => Start::Measured,
                    false => Start::Guessed(guess),
                };
                let deviations = StateDeviations {
                    position: deviation,
                    velocity: deviation,
                    actuators: 1.0,
                    sensors: 1.0,
                };
                let run = MotionExperiment::new(model.clone(), "run", &signals, start, deviations);
                run.unwrap().misfit(&[]).unwrap().powi(2)
            })
            .sum::<f64>()
            / 400.0;
        // Of χ²/4 at least, with the standard deviation √(2/4/400).
        assert!(
            (mean_square - 1.0).abs() < 0.14,
            "{deviation}: {mean_square}"
        );
    }
}

/// Torques that are said to be in N m, and are in smaller units.
#[test]
fn a_motion_that_runs_away_names_its_recording_its_time_and_the_largest_input() {
    let method = IntegrationMethod::RungeKutta4;
    let scheme = Scheme::Continuous {
        method,
        substeps: 1,
    };
    let machine = arm().system().clone();
    let machine = TimeSteppingRigidBodySystem::with_scheme(machine, STEP, scheme).unwrap();
    let [shoulder, elbow] = &machine.input_names()[..] else {
        panic!("two inputs");
    };
    let angle = Channel::new("angle", Measured::JointPosition("shoulder".into()), [1e-3]);
    let model = MotionModel::new(machine.clone()).measure(&angle.unwrap());
    let model = model
        .unwrap()
        .estimate_parameter("body/lower/mass")
        .unwrap();
    let signals = Signals::new(0.0, INTERVAL).unwrap();
    let signals = signals.with("angle", "rad", [0.0; 20]).unwrap();
    let signals = signals.with(shoulder, "N m", [1e3; 20]).unwrap();
    let torques = (0..20).map(|i| if i == 1 { -3e6 } else { 1e6 });
    let signals = signals.with(elbow, "N m", torques.collect::<Vec<_>>());
    let run = experiment(model, &signals.unwrap(), Start::Measured);
    let mut residuals = vec![0.0; Experiment::residual_count(&run)];
    let error = run.residuals(&[1.0], &mut residuals).unwrap_err();
    let MotionError::Recording {
        recording,
        time,
        runaway: Some(runaway),
        ..
    } = &error
    else {
        panic!("{error}");
    };
    let largest = runaway.input.as_ref().unwrap();
    assert_eq!((recording.as_str(), &largest.name), ("swing", elbow));
    // What comes later did not do it.
    assert!(
        (largest.value - 1e6).abs() < 1e-3 && *time == 0.0,
        "{error}"
    );
    assert!(runaway.velocity > 1e6, "{error}");
    let text = error.to_string();
    let start =
        "recording \"swing\", sample 0 (time 0 s): the motion has run away, to velocities of ";
    assert!(text.starts_with(start), "{text}");
    let input = format!(
        "with inputs of which {elbow:?} = 1000000 {} is the largest: ",
        largest.unit
    );
    assert!(text.contains(&input), "{text}");
}

/// A wheel that turns for several turns, whose angle is told within one: within (−π, π], [0, 2π), or counted on.
#[test]
fn angles_without_limits_are_continued_over_whole_turns() {
    use std::f64::consts::{PI, TAU};
    let mut tree = dualbody::tree::RigidBodyTreeBuilder::new();
    let inertia = dualbody::math::SpatialInertia::solid_sphere(1.0, 0.1);
    let wheel = tree.add_body("wheel", inertia).unwrap();
    let axle = dualbody::tree::JointKind::Continuous { axis: Vector3::z() };
    let here = dualbody::math::RigidTransform::identity();
    tree.add_joint("axle", axle, dualbody::tree::BodyIndex::WORLD, here, wheel)
        .unwrap();
    let tree = tree.finish().unwrap();
    let machine = RigidBodySystem::new(tree, dualbody::contact::ContactModel::none()).unwrap();
    let machine = TimeSteppingRigidBodySystem::compliant(machine, STEP).unwrap();
    let mut start = machine.initial_state();
    (start.q[0], start.v[0]) = (7.0, -9.0);
    let samples = 200;
    let angle = |i: usize| 7.0 - 9.0 * INTERVAL * i as f64;
    assert!(angle(samples) < 7.0 - 2.0 * TAU);
    let ways: [&dyn Fn(f64) -> f64; 3] = [&|x| x, &|x| x - TAU * ((x - PI) / TAU).ceil(), &|x| {
        x.rem_euclid(TAU)
    }];
    for way in ways {
        let column: Vec<f64> = (0..samples)
            .map(|i| if i % 17 == 3 { f64::NAN } else { way(angle(i)) })
            .collect();
        let signals = Signals::new(0.0, INTERVAL).unwrap();
        let signals = signals.with("angle", "rad", column).unwrap();
        let model = || {
            let channel = Measured::JointPosition("axle".into());
            MotionModel::new(machine.clone())
                .measure(&Channel::new("angle", channel, [1e-3]).unwrap())
                .unwrap()
        };
        for begin in [Start::Known(start.clone()), Start::Guessed(start.clone())] {
            let run = experiment(model(), &signals, begin);
            assert!(residuals(&run, &[]).iter().all(|r| r.abs() < 1e-6));
        }
        // Without a start, and in segments: velocities do not see the ends of turns.
        let run = experiment(model(), &signals, Start::Measured);
        for sample in [0, 40, 90, samples - 1] {
            let state = run.state(sample, &[0.0, 0.0]).unwrap();
            assert!((state.v[0] + 9.0).abs() < 1e-9, "{sample}: {}", state.v[0]);
            let turns = (state.q[0] - angle(sample)) / TAU;
            let missing = sample % 17 == 3;
            assert!(missing || (turns - turns.round()).abs() < 1e-9, "{turns}");
        }
        assert!(residuals(&run, &[]).iter().all(|r| r.abs() < 1e-6));
    }
}
