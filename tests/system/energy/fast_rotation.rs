//! Steps that are long for what turns in them: they do not feed energy into motion.

use crate::support::reference::{data, read, vector};
use crate::support::robot_on_ground;
use crate::support::scenes::free_body;
use dualbody::Parameters;
use dualbody::actuator::{FirstOrderLag, GeneralizedForce};
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{Delayed, FullState};
use dualbody::system::{
    RigidBodySystem, Scheme, State, StepDifferentiator, StepGradient, StepJacobian, SystemBuilder,
    SystemOptions, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};

const SCHEMES: [Scheme; 2] = [Scheme::Compliant, Scheme::Rigid];

fn stepper(tree: &RigidBodyTree<f64>, dt: f64, scheme: Scheme) -> TimeSteppingRigidBodySystem<f64> {
    let contact = ContactModelBuilder::new().finish(tree).unwrap();
    let system = RigidBodySystem::new(tree.clone(), contact).unwrap();
    let system = system.with_generalized_forces().unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, dt, scheme).unwrap()
}

/// A robot in space, without damping.
fn robot(name: &str) -> RigidBodyTree<f64> {
    let file = data("models").join(format!("{name}.urdf"));
    let (mut tree, _) = UrdfReader::new().tree_from_file(file).unwrap();
    for parameter in tree.parameters() {
        if parameter.name.contains("/damping") || parameter.name.contains("gravity") {
            tree.set_parameter(&parameter.name, 0.0).unwrap();
        }
    }
    tree
}

fn tumbling(tree: &RigidBodyTree<f64>, speed: f64) -> State<f64> {
    let v = DVector::from_fn(tree.num_velocities(), |i, _| {
        speed * (1.7 * i as f64 + 0.3).sin()
    });
    State::new(tree.neutral_configuration(), v)
}

/// Kinetic energy with the velocities of a state where they were found, a step before.
fn energy_of_motion(tree: &RigidBodyTree<f64>, state: &State<f64>, dt: f64) -> f64 {
    let (mut q, mut workspace) = (tree.neutral_configuration(), tree.workspace());
    let v = state.v.as_slice();
    tree.integrate(state.q.as_slice(), v, -dt, q.as_mut_slice())
        .unwrap();
    tree.set_state(&mut workspace, q.as_slice(), v).unwrap();
    tree.kinetic_energy(&workspace).unwrap()
}

#[test]
fn motion_gains_no_energy_in_long_steps() {
    for (name, dt) in [("quadruped", 0.02), ("humanoid", 0.01), ("humanoid", 0.02)] {
        let tree = robot(name);
        for scheme in SCHEMES {
            let system = stepper(&tree, dt, scheme);
            let mut state = tumbling(&tree, 8.0);
            let mut workspace = system.workspace().unwrap();
            let mut placed = tree.workspace();
            let mut energy = |state: &State<f64>| {
                (tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())).unwrap();
                tree.kinetic_energy(&placed).unwrap()
            };
            let start = energy(&state);
            let input = vec![0.0; state.v.len()];
            let mut largest = start;
            for _ in 0..300 {
                let step = system.step(&mut workspace, &state, &input).unwrap();
                state.clone_from(step.state());
                largest = largest.max(energy(&state));
            }
            // Turning slowly, they gain a little by forces at the start of a step.
            assert!(
                largest <= 1.05 * start,
                "{name}, {scheme:?}: {start} J, {largest} J"
            );
        }
    }
}

/// A mass on a crank: forces at the start of a step keep its energy, a projection would not.
#[test]
fn a_crank_does_not_slow_down() {
    let mut builder = RigidBodyTreeBuilder::new();
    let mut inertia = SpatialInertia::solid_sphere(1.0, 0.01);
    inertia.center_of_mass = Vector3::new(0.1, 0.0, 0.0);
    let crank = builder.add_body("crank", inertia).unwrap();
    let axis = JointKind::Continuous { axis: Vector3::z() };
    let at = RigidTransform::identity();
    builder
        .add_joint("axis", axis, BodyIndex::WORLD, at, crank)
        .unwrap();
    let tree = builder.finish().unwrap();
    for scheme in SCHEMES {
        let system = stepper(&tree, 1e-3, scheme);
        let start = State::new(
            tree.neutral_configuration(),
            DVector::from_element(1, 150.0),
        );
        let last = system.rollout(&start, 1000).unwrap().last().v[0];
        assert!((last / 150.0 - 1.0).abs() < 1e-12, "{scheme:?}: {last}");
    }
}

/// What came of falls.
#[derive(Debug, Default)]
struct Falls {
    /// How many ended in a step that failed.
    failed: usize,
    /// How many had at any time 1 % more energy than they began with and were given.
    gained: usize,
    /// Parts that a step was made in, in the mean.
    parts: f64,
}

/// Falls of a robot from its first reference case, every second of them with a push at the base.
fn falls(
    robot: &str,
    (dt, duration): (f64, f64),
    damping: f64,
    runs: usize,
    options: SystemOptions,
) -> Falls {
    let reference = read(&format!("steps_{robot}.json")).unwrap();
    let mut system = robot_on_ground::system(&reference, dt)
        .with_options(options)
        .and_then(TimeSteppingRigidBodySystem::with_generalized_forces)
        .unwrap();
    for parameter in system.parameters() {
        if parameter.name.contains("/damping") {
            system.set_parameter(&parameter.name, damping).unwrap();
        }
    }
    let layout = robot_on_ground::layout(system.tree(), robot);
    let case = &reference["cases"][0];
    let x = [vector(&case["q"]), vector(&case["v"])].concat();
    let (mut found, mut steps, mut parts) = (Falls::default(), 0, 0);
    for run in 0..runs {
        let mut state = robot_on_ground::state(&layout, &x);
        for (i, v) in state.v.iter_mut().enumerate() {
            *v = 0.1 * (run as f64 + 1.3 * i as f64).sin();
        }
        let mut workspace = system.workspace().unwrap();
        let energy = |state: &State<f64>, input: &[f64]| {
            let energy = system.system().energy(state, input).unwrap();
            energy.kinetic + energy.gravitational + energy.stored_in_contact
        };
        let mut input = vec![0.0; system.num_inputs()];
        let (start, mut work, mut gains) = (energy(&state, &input), 0.0, false);
        for k in 0..(duration / dt) as usize {
            let time = k as f64 * dt;
            input[3] = match run % 2 == 1 && (0.5..0.7).contains(&time) {
                true => 150.0,
                false => 0.0,
            };
            let Ok(step) = system.step(&mut workspace, &state, &input) else {
                found.failed += 1;
                break;
            };
            (steps, parts) = (steps + 1, parts + step.status().parts);
            state.clone_from(step.state());
            work += input[3] * state.v[3] * dt;
            gains |= energy(&state, &input) > start + work + 0.01 * start.abs();
        }
        found.gained += usize::from(gains);
    }
    found.parts = parts as f64 / steps as f64;
    found
}

/// With all steps in one part each of them gains, 15 J to 120 kJ.
#[test]
fn falls_gain_no_energy() {
    for (robot, dt, damping) in [
        ("quadruped", 0.001, 0.0),
        ("quadruped", 0.002, 0.1),
        ("humanoid", 0.002, 0.0),
        ("quadruped", 0.005, 0.0),
        ("quadruped", 0.02, 0.0),
        ("quadruped", 0.02, 0.1),
        ("humanoid", 0.01, 0.0),
        ("humanoid", 0.02, 0.0),
    ] {
        let found = falls(robot, (dt, 0.8), damping, 2, SystemOptions::default());
        let energies = (found.failed, found.gained);
        assert_eq!(energies, (0, 0), "{robot}, {dt} s, damping {damping}");
    }
}

#[test]
#[ignore = "takes minutes, and prints a table of docs/RELIABILITY.md"]
fn falls_end() {
    for robot in ["quadruped", "humanoid"] {
        for damping in [0.0, 0.1] {
            for dt in [1e-3, 2e-3, 5e-3, 1e-2, 2e-2] {
                let runs = if dt < 5e-3 { 4 } else { 20 };
                let mut options = SystemOptions::default();
                let found = falls(robot, (dt, 10.0), damping, runs, options);
                options.max_turn = f64::INFINITY;
                let in_one = falls(robot, (dt, 10.0), damping, runs, options);
                println!(
                    "{robot}, damping {damping}, {dt} s, {runs} runs: {found:?}; in one part {in_one:?}"
                );
                assert_eq!(
                    (found.failed, found.gained),
                    (0, 0),
                    "{robot}, {damping}, {dt} s"
                );
            }
        }
    }
}

/// The quadruped on the ground, its legs turning by more than `max_turn` in a step of 20 ms.
fn scrambling() -> (TimeSteppingRigidBodySystem<f64>, State<f64>) {
    let reference = read("steps_quadruped.json").unwrap();
    let system = robot_on_ground::system(&reference, 0.02)
        .with_options(SystemOptions::default())
        .and_then(TimeSteppingRigidBodySystem::with_generalized_forces)
        .unwrap();
    let layout = robot_on_ground::layout(system.tree(), "quadruped");
    let case = &reference["cases"][0];
    let x = [vector(&case["q"]), vector(&case["v"])].concat();
    let mut state = robot_on_ground::state(&layout, &x);
    state.v = tumbling(system.tree(), 8.0).v;
    state.v[5] = -0.5;
    (system, state)
}

#[test]
fn derivatives_of_steps_in_parts_are_right() {
    let (system, state) = scrambling();
    let mut workspace = system.workspace().unwrap();
    let input = vec![0.5; system.num_inputs()];
    let step = system.step(&mut workspace, &state, &input).unwrap();
    let status = *step.status();
    assert!(status.parts > 2, "{status:?}");
    assert!(status.division_margin.unwrap() > 1e-5, "{status:?}");
    check_derivatives("in parts", &system, &state);
    // The adjoint takes the same way.
    let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
    let (mut jacobian, mut gradient) = (StepJacobian::default(), StepGradient::default());
    let end = (differentiator.jacobian(&state, &input, &mut jacobian)).unwrap();
    assert_eq!(end.time, 0.02);
    let covector: Vec<f64> = (0..jacobian.state.nrows())
        .map(|i| (i as f64).cos())
        .collect();
    (differentiator.pull_back(&state, &input, &covector, &mut gradient)).unwrap();
    let expected = jacobian.state.tr_mul(&DVector::from_vec(covector));
    assert!((&gradient.state - &expected).amax() <= 1e-12 * expected.amax());
}

/// Parts are steps in a row: their ledgers add up, and lose less than one step does not account for.
#[test]
fn the_energy_of_a_step_in_parts_is_that_of_its_parts() {
    let (system, state) = scrambling();
    let input = vec![0.0; system.num_inputs()];
    let mut options = SystemOptions::default();
    options.max_turn = f64::INFINITY;
    let in_one = system.clone().with_options(options).unwrap();
    let residuals = [&system, &in_one].map(|system| {
        let mut workspace = system.workspace().unwrap();
        let mut step = system.step(&mut workspace, &state, &input).unwrap();
        let (ledger, end) = (step.energy().unwrap(), step.state().clone());
        let energy = system.system().energy(&end, &input).unwrap();
        let total = energy.kinetic + energy.gravitational + energy.stored_in_contact;
        assert!((ledger.total().end / total - 1.0).abs() < 1e-12);
        assert!(ledger.dissipated_by_friction > 0.0);
        ledger.residual().abs()
    });
    assert!(residuals[0] < 0.5 * residuals[1], "{residuals:?}");
}

/// A lag that follows its input exactly shows that parts make up the step; without contact there are none.
#[test]
fn parts_make_up_a_step() {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.4).unwrap();
    let system = SystemBuilder::new()
        .floor("floor", rubber)
        .free_body(
            "box",
            Shape::new_box(Vector3::new(0.2, 0.1, 0.05)).unwrap(),
            1.0,
            rubber,
        )
        .compliant(0.01)
        .unwrap();
    let lag = FirstOrderLag::new("lag", 0.02, GeneralizedForce::new("force", 3)).unwrap();
    let system = system.with_actuators([lag]).unwrap();
    let mut workspace = system.workspace().unwrap();
    for (height, in_parts) in [(0.05, true), (5.0, false)] {
        let mut state = system.initial_state();
        (state.q[6], state.v[0], state.v[1]) = (height, 30.0, 10.0);
        let step = system.step(&mut workspace, &state, &[2.0]).unwrap();
        let status = *step.status();
        assert_eq!(status.parts > 1, in_parts, "{status:?}");
        assert!((status.turn - 0.01 * 1000f64.sqrt()).abs() < 1e-15);
        let expected = 2.0 * (1.0 - (-0.5f64).exp());
        assert!((step.state().actuators[0] - expected).abs() < 1e-14);
        assert_eq!(step.state().time, 0.01);
    }
}

/// A delay of samples does not shrink, and noise is drawn once, where steps are made in parts.
#[test]
fn a_step_in_parts_takes_one_sample() {
    let rubber = ContactMaterial::new(1e4, 0.3, 0.4).unwrap();
    let shape = Shape::new_box(Vector3::new(0.2, 0.1, 0.05)).unwrap();
    let system = SystemBuilder::new()
        .floor("floor", rubber)
        .free_body("box", shape, 1.0, rubber)
        .compliant(0.01)
        .unwrap();
    let late = Delayed::new(FullState::new(system.tree()), 3);
    let system = system.with_sensors([late]).unwrap();
    let mut workspace = system.workspace().unwrap();
    let mut state = system.initial_state();
    (state.q[6], state.v[0], state.v[1]) = (0.05, 30.0, 10.0);
    let mut samples: Vec<Vec<f64>> = Vec::new();
    for k in 0..8 {
        samples.push(state.q.iter().chain(&state.v).copied().collect());
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        assert!(k > 3 || step.status().parts > 1, "{:?}", step.status());
        if k >= 3 {
            assert_eq!(step.output().as_slice(), samples[k - 3]);
        }
        state.clone_from(step.state());
    }
}

/// A differentiator says the same of a step as the step.
#[test]
fn parts_are_in_the_status_of_derivatives() {
    let (system, mut state) = scrambling();
    let input = vec![0.0; system.num_inputs()];
    let mut workspace = system.workspace().unwrap();
    let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
    let mut jacobian = StepJacobian::default();
    for slower in [1.0, 0.01] {
        state.v *= slower;
        let step = system.step(&mut workspace, &state, &input).unwrap();
        let status = *step.status();
        assert_eq!(status.parts == 1, slower < 1.0);
        (differentiator.jacobian(&state, &input, &mut jacobian)).unwrap();
        let other = differentiator.status();
        assert_eq!(other.parts, status.parts);
        assert_eq!(other.division_margin, status.division_margin);
        assert!(status.division_margin.is_some());
    }
}

/// Three different moments of inertia, about the middle one: 60 % of energy in 10 s with the torque of the start.
#[test]
fn a_spinning_body_keeps_its_energy() {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(1.0, Vector3::new(0.01, 0.02, 0.027));
    tree.add_body("body", inertia).unwrap();
    let mut tree = tree.finish().unwrap();
    for axis in ["x", "y", "z"] {
        tree.set_parameter(&format!("gravity/{axis}"), 0.0).unwrap();
    }
    let dt = 0.01;
    for scheme in SCHEMES {
        let system = stepper(&tree, dt, scheme);
        let start = free_body(
            [1.0, 0.0, 0.0, 0.0],
            [0.0; 3],
            [1.0, 11.0, 2.0],
            [3.0, 0.0, 0.0],
        );
        let rollout = system.rollout(&start, 1000).unwrap();
        let (first, last) = (rollout.states.first().unwrap(), rollout.last());
        let energies = [first, last].map(|state| energy_of_motion(&tree, state, dt));
        assert!(
            (energies[1] / energies[0] - 1.0).abs() < 1e-5,
            "{energies:?}"
        );
        assert!((last.v[3] - 3.0).abs() < 1e-12);
    }
}

/// Derivatives of a step with the input 0.5 for all, against differences.
fn check_derivatives(label: &str, system: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>) {
    let input = vec![0.5; system.num_inputs()];
    let mut differentiator = StepDifferentiator::new(system, &["time_step"]).unwrap();
    let mut jacobian = StepJacobian::default();
    let next = differentiator
        .jacobian(state, &input, &mut jacobian)
        .unwrap()
        .clone();
    let mut workspace = system.workspace().unwrap();
    let mut step = |system: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>| {
        let step = system.step(&mut workspace, state, &input).unwrap();
        step.state().clone()
    };
    assert_eq!(next, step(system, state), "{label}");
    let scale = jacobian.state.amax();
    let h = 1e-6;
    let nq = state.q.len();
    let check = |column: &[f64], plus: State<f64>, minus: State<f64>| {
        let change_q = (plus.q - minus.q) / (2.0 * h);
        let change_v = (plus.v - minus.v) / (2.0 * h);
        let differences = change_q.iter().chain(change_v.iter());
        for (i, (&slope, &difference)) in column.iter().zip(differences).enumerate() {
            assert!(
                (slope - difference).abs() <= 1e-6 * scale,
                "{label}, row {i}: {slope} and {difference}"
            );
        }
    };
    // Quaternions leave the unit sphere along their components.
    for i in (4..nq + state.v.len()).step_by(3) {
        let moved = |h: f64| {
            let mut state = state.clone();
            match i.checked_sub(nq) {
                Some(i) => state.v[i] += h,
                None => state.q[i] += h,
            }
            state
        };
        let ends = [moved(h), moved(-h)].map(|state| step(system, &state));
        let [plus, minus] = ends;
        check(jacobian.state.column(i).as_slice(), plus, minus);
    }
    let ends = [h, -h].map(|h| {
        let mut system = system.clone();
        system
            .set_parameter("time_step", system.time_step() + h)
            .unwrap();
        step(&system, state)
    });
    let [plus, minus] = ends;
    check(jacobian.parameters.column(0).as_slice(), plus, minus);
}

/// Slow, fast, and between.
#[test]
fn derivatives_of_long_steps_are_right() {
    let tree = robot("quadruped");
    for (speed, dt) in [(0.1, 0.02), (8.0, 0.02), (11.0, 0.02), (40.0, 0.02)] {
        for scheme in SCHEMES {
            let system = stepper(&tree, dt, scheme);
            let mut state = tumbling(&tree, speed);
            for (i, q) in state.q.iter_mut().enumerate().skip(7) {
                *q = 0.3 * (2.0 * i as f64).cos();
            }
            check_derivatives(&format!("{speed} {scheme:?}"), &system, &state);
        }
    }
}
