//! Steps that are long for what turns in them: they do not feed energy into motion.

use crate::support::reference::{data, read, vector};
use crate::support::robot_on_ground;
use crate::support::scenes::free_body;
use dualbody::Parameters;
use dualbody::contact::ContactModelBuilder;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    RigidBodySystem, Scheme, State, StepDifferentiator, StepJacobian, SystemOptions,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};

const SCHEMES: [Scheme; 2] = [Scheme::Compliant, Scheme::Rigid];

fn stepper(tree: &RigidBodyTree<f64>, dt: f64, scheme: Scheme) -> TimeSteppingRigidBodySystem<f64> {
    let contact = ContactModelBuilder::new().finish(tree).unwrap();
    let system = RigidBodySystem::new(tree.clone(), contact).unwrap();
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
            let start = energy_of_motion(&tree, &state, dt);
            let input = vec![0.0; system.num_inputs()];
            let mut largest = start;
            for _ in 0..300 {
                let step = system.step(&mut workspace, &state, &input).unwrap();
                state.clone_from(step.state());
                largest = largest.max(energy_of_motion(&tree, &state, dt));
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

/// Falls of 10 s, half of them with a push at the base.
#[test]
#[ignore = "takes minutes, and prints a table of docs/RELIABILITY.md"]
fn falls_end() {
    for (robot, dt) in ["quadruped", "humanoid"]
        .into_iter()
        .flat_map(|robot| [1e-3, 2e-3, 5e-3, 1e-2, 2e-2].map(|dt| (robot, dt)))
    {
        let reference = read(&format!("steps_{robot}.json")).unwrap();
        for damping in [0.0, 0.1] {
            let mut system = robot_on_ground::system(&reference, dt)
                .with_options(SystemOptions::default())
                .unwrap();
            for parameter in system.parameters() {
                if parameter.name.contains("/damping") {
                    system.set_parameter(&parameter.name, damping).unwrap();
                }
            }
            let runs = if dt < 5e-3 { 4 } else { 20 };
            let (mut failed, mut gained) = (0, 0);
            for run in 0..runs {
                let layout = robot_on_ground::layout(system.tree(), robot);
                let case = &reference["cases"][0];
                let x = [vector(&case["q"]), vector(&case["v"])].concat();
                let mut state = robot_on_ground::state(&layout, &x);
                state.v.fill(0.0);
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
                for k in 0..(10.0 / dt) as usize {
                    let time = k as f64 * dt;
                    input[3] = match run % 2 == 1 && (0.5..0.7).contains(&time) {
                        true => 150.0,
                        false => 0.0,
                    };
                    match system.step(&mut workspace, &state, &input) {
                        Ok(step) => state.clone_from(step.state()),
                        Err(_) => {
                            failed += 1;
                            break;
                        }
                    }
                    work += input[3] * state.v[3] * dt;
                    gains |= energy(&state, &input) > start + work + 0.01 * start.abs();
                }
                gained += usize::from(gains);
            }
            println!(
                "{robot}, damping {damping}, {dt} s: {failed} failed, {gained} gained energy, of {runs}"
            );
        }
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
            let input = vec![0.5; system.num_inputs()];
            let mut differentiator = StepDifferentiator::new(&system, &["time_step"]).unwrap();
            let mut jacobian = StepJacobian::default();
            let next = differentiator
                .jacobian(&state, &input, &mut jacobian)
                .unwrap()
                .clone();
            let mut workspace = system.workspace().unwrap();
            let mut step = |system: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>| {
                let step = system.step(&mut workspace, state, &input).unwrap();
                step.state().clone()
            };
            assert_eq!(next, step(&system, &state), "{speed} {scheme:?}");
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
                        "{speed} {scheme:?}, row {i}: {slope} and {difference}"
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
                let ends = [moved(h), moved(-h)].map(|state| step(&system, &state));
                let [plus, minus] = ends;
                check(jacobian.state.column(i).as_slice(), plus, minus);
            }
            let ends = [h, -h].map(|h| {
                let mut system = system.clone();
                system.set_parameter("time_step", dt + h).unwrap();
                step(&system, &state)
            });
            let [plus, minus] = ends;
            check(jacobian.parameters.column(0).as_slice(), plus, minus);
        }
    }
}
