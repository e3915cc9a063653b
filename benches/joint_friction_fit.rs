//! A fit of an arm with dry friction in its joints, from starts that are 30 % off: time of processors, steps, and how far
//! the estimates are from the truth. The argument is the number of fits, each to recordings of its own (default 5).

mod clock;

use clock::{median, seconds};
use dualbody::contact::ContactModel;
use dualbody::force::JointFriction;
use dualbody::identification::motion::{
    Adjusts, Channel, Measured, MotionExperiment, MotionModel, Signals, Start, StateDeviations,
    fit_recordings,
};
use dualbody::identification::{
    Iteration, LevenbergMarquardt, Loss, MultipleShooting, Noise, Unknown,
};
use dualbody::prelude::*;
use dualbody::tree::{BodyIndex, JointKind};
use dualbody::{Parallelism, Random};
use std::ops::ControlFlow;
use std::sync::Arc;

const SAMPLES: usize = 150;
const INTERVAL: f64 = 0.01; // s
const STEPS: usize = 5;
const NOISE: f64 = 1e-3; // rad

const JOINTS: [&str; 3] = ["shoulder", "elbow", "wrist"];

/// What is not known, with its values.
const UNKNOWNS: [(&str, f64); 7] = [
    ("body/hand/mass", 0.8),          // kg
    ("joint/shoulder/damping", 0.15), // N m s/rad
    ("joint/elbow/damping", 0.08),
    ("joint/wrist/damping", 0.03),
    ("joint/shoulder/friction", 0.6), // N m
    ("joint/elbow/friction", 0.3),
    ("joint/wrist/friction", 0.1),
];

/// Three links that hang from a shoulder, with motors at the joints.
fn arm() -> Result<TimeSteppingRigidBodySystem<f64>> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut parent = BodyIndex::WORLD;
    let links = [
        ("upper", "shoulder", 1.2, 0.4, 0.0),
        ("lower", "elbow", 0.8, 0.3, -0.4),
        ("hand", "wrist", 0.8, 0.2, -0.3),
    ];
    for (k, (link, joint, mass, length, at)) in links.into_iter().enumerate() {
        let mut inertia = SpatialInertia::solid_box(mass, &vector![0.05, 0.05, length]);
        inertia.center_of_mass = vector![0.0, 0.0, -0.5 * length];
        let body = tree.add_body(link, inertia)?;
        let axis = if k == 2 { Vector3::x() } else { Vector3::y() };
        let pose = RigidTransform::from_translation(vector![0.0, 0.0, at]);
        let joint = tree.add_joint(joint, JointKind::Revolute { axis }, parent, pose, body)?;
        tree.set_damping(joint, &[UNKNOWNS[1 + k].1])?;
        tree.set_friction(joint, &[UNKNOWNS[4 + k].1])?;
        parent = body;
    }
    let tree = tree.finish()?;
    let friction = JointFriction::new("dry", &tree, 0.01)?; // rad/s
    let mut arm = RigidBodySystem::new(tree, ContactModel::none())?.with_generalized_forces()?;
    arm.add_force(friction)?;
    Ok(TimeSteppingRigidBodySystem::compliant(
        arm,
        INTERVAL / STEPS as f64,
    )?)
}

/// Angles that torques swing the arm through, with noise.
fn record(
    arm: &TimeSteppingRigidBodySystem<f64>,
    number: usize,
    random: &mut Random,
) -> Result<Signals> {
    let mut workspace = arm.workspace()?;
    let mut state = arm.initial_state();
    (state.q[0], state.q[1]) = (0.3, -0.5);
    let names = arm.input_names();
    let mut columns: [Vec<_>; 6] = std::array::from_fn(|_| Vec::with_capacity(SAMPLES));
    for sample in 0..SAMPLES {
        let t = INTERVAL * sample as f64;
        let (rate, phase) = (4.0 + 1.5 * number as f64, number as f64);
        let torques = [
            6.0 * (rate * t + phase).sin(),
            2.5 * (1.7 * rate * t).cos(),
            0.8 * (2.3 * rate * t).sin(),
        ];
        for j in 0..3 {
            columns[j].push(state.q[j] + NOISE * random.normal());
            columns[3 + j].push(torques[j]);
        }
        for _ in 0..STEPS {
            state = arm.step(&mut workspace, &state, &torques)?.state().clone();
        }
    }
    let mut signals = Signals::new(0.0, INTERVAL)?;
    let own = JOINTS.map(str::to_owned);
    for (k, (name, values)) in own.iter().chain(&names).zip(columns).enumerate() {
        let unit = if k < 3 { "rad" } else { "N m" };
        signals = signals.with(name, unit, values).expect("valid");
    }
    Ok(signals)
}

/// A model with unknowns that are 30 % off, and two recordings.
fn problem(
    arm: &TimeSteppingRigidBodySystem<f64>,
    seed: u64,
) -> Result<(Arc<MotionModel>, Vec<MotionExperiment>), Box<dyn std::error::Error>> {
    let mut random = Random::new(seed);
    let mut model = MotionModel::new(arm.clone());
    for joint in JOINTS {
        let angle = Channel::new(joint, Measured::JointPosition(joint.to_owned()), [NOISE])?;
        model = model.measure(&angle)?;
    }
    for (name, value) in UNKNOWNS {
        let off = if random.uniform() < 0.5 { 0.7 } else { 1.3 };
        let unknown = Unknown::new(name, "SI", off * value)?.bounds(0.0, f64::INFINITY)?;
        let adjusts = Adjusts::Parameters(vec![(name.to_owned(), 1.0)]);
        model = model.estimate(unknown, &adjusts)?;
    }
    let model = Arc::new(model);
    let deviations = StateDeviations {
        position: 0.02,
        velocity: 0.5,
        actuators: 1.0,
        sensors: 1.0,
    };
    let experiment = |number: usize| -> Result<_, Box<dyn std::error::Error>> {
        let signals = record(arm, number, &mut random)?;
        let (model, name) = (model.clone(), format!("run {number}"));
        let start = Start::Measured;
        Ok(MotionExperiment::new(
            model, name, &signals, start, deviations,
        )?)
    };
    let experiments = (0..2).map(experiment).collect::<Result<_, _>>()?;
    Ok((model, experiments))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let given = std::env::args().filter_map(|text| text.parse().ok()).next();
    let rounds: usize = given.unwrap_or(5);
    let arm = arm()?;
    let mut times = Vec::new();
    let mut squares = [0.0; UNKNOWNS.len()];
    for round in 0..rounds {
        let (model, experiments) = problem(&arm, round as u64)?;
        let optimiser = LevenbergMarquardt::new()
            .loss(Loss::huber(3.0)?)
            .noise(Noise::Unit)
            .noise_tolerance(1e-3)?
            .parallelism(Parallelism::Serial);
        let fitter = MultipleShooting::new(optimiser, 20)?.adapt_loss(true);
        let mut fitted = None;
        let mut steps = 0;
        times.push(seconds(|| {
            let count = |_, _: &Iteration| {
                steps += 1;
                ControlFlow::Continue(())
            };
            fitted = Some(fit_recordings(&fitter, &model, &experiments, &[], count));
        }));
        let found = fitted.expect("it was fitted")?.found;
        let off = found
            .fit
            .estimates
            .iter()
            .zip(UNKNOWNS)
            .map(|(estimate, (_, truth))| {
                (estimate.value - truth) / estimate.standard_error.unwrap_or(f64::NAN)
            });
        let off: Vec<f64> = off.collect();
        squares
            .iter_mut()
            .zip(&off)
            .for_each(|(sum, z)| *sum += z * z);
        let off: Vec<String> = off.iter().map(|z| format!("{z:.2}")).collect();
        let [clock, processor] = times[round];
        println!(
            "recordings {round}: {clock:.2} s, {processor:.2} s of processors, {steps} steps; {}, segments of {}; off by \
             standard errors: {}",
            found.fit.stop,
            found.segment,
            off.join(", ")
        );
    }
    let [clock, processor] = [0, 1].map(|kind| median(times.iter().map(|t| t[kind]).collect()));
    let scatter = squares.map(|sum| format!("{:.2}", (sum / rounds as f64).sqrt()));
    println!(
        "{rounds} fits: median {:.2} s by the clock, {:.2} s of processors; estimates are off by so many standard errors \
         (root mean squares): {}",
        clock,
        processor,
        scatter.join(", ")
    );
    Ok(())
}
