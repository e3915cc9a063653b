//! Steps that are long for what turns in them: they do not feed energy into motion.

use crate::support::reference::data;
use crate::support::scenes::free_body;
use dualbody::Parameters;
use dualbody::contact::ContactModelBuilder;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::SpatialInertia;
use dualbody::system::{
    RigidBodySystem, Scheme, State, StepDifferentiator, StepJacobian, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{RigidBodyTree, RigidBodyTreeBuilder};
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
            let mut energy = energy_of_motion(&tree, &state, dt);
            let input = vec![0.0; system.num_inputs()];
            for k in 0..300 {
                let step = system.step(&mut workspace, &state, &input).unwrap();
                let turn = step.status().turn;
                state.clone_from(step.state());
                let next = energy_of_motion(&tree, &state, dt);
                // While bodies turn slowly their forces are those of the start of a step.
                let slack = if turn > 0.1 { 1e-12 } else { 1e-3 };
                assert!(
                    next <= energy * (1.0 + slack),
                    "{name}, {scheme:?}: {energy} J, then {next} J in step {k} that turns by {turn}"
                );
                energy = next;
            }
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
    for (speed, dt) in [(0.1, 0.02), (2.5, 0.02), (3.3, 0.02), (15.0, 0.02)] {
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
