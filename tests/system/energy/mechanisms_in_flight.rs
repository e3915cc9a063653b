//! Mechanisms that nothing holds keep their momentum at any length of step, whatever their joints do.

use crate::compliant::step_jacobian;
use crate::support::derivatives_of_steps::{assert_step_jacobian_agrees, entries};
use crate::support::random_tree::{Style, random_state, random_tree};
use crate::support::reference::data;
use dualbody::Parameters;
use dualbody::constraint::BallConstraint;
use dualbody::contact::ContactModelBuilder;
use dualbody::force::JointFriction;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    RigidBodySystem, Scheme, State, StepDifferentiator, StepJacobian, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};

const SCHEMES: [Scheme; 2] = [Scheme::Compliant, Scheme::Rigid];
/// The first of these are on the floating joint.
const FREE: usize = 6;

fn stepper(tree: &RigidBodyTree<f64>, dt: f64, scheme: Scheme) -> TimeSteppingRigidBodySystem<f64> {
    let contact = ContactModelBuilder::new().finish(tree).unwrap();
    let system = RigidBodySystem::new(tree.clone(), contact).unwrap();
    let system = system.with_generalized_forces().unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, dt, scheme).unwrap()
}

fn without_gravity(mut tree: RigidBodyTree<f64>) -> RigidBodyTree<f64> {
    for axis in ["x", "y", "z"] {
        tree.set_parameter(&format!("gravity/{axis}"), 0.0).unwrap();
    }
    tree
}

fn robot(name: &str) -> RigidBodyTree<f64> {
    let file = data("models").join(format!("{name}.urdf"));
    UrdfReader::new().tree_from_file(file).unwrap().0
}

fn without_damping(mut tree: RigidBodyTree<f64>) -> RigidBodyTree<f64> {
    for parameter in tree.parameters() {
        if parameter.name.contains("/damping") {
            tree.set_parameter(&parameter.name, 0.0).unwrap();
        }
    }
    tree
}

/// Two bodies with their centres of mass and a hinge across their axes.
fn two_links() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let mut inertia = SpatialInertia::principal(1.5, Vector3::new(0.02, 0.03, 0.04));
    inertia.center_of_mass = Vector3::new(0.1, -0.02, 0.03);
    let a = builder.add_body("a", inertia).unwrap();
    let mut inertia = SpatialInertia::principal(0.7, Vector3::new(0.01, 0.015, 0.008));
    inertia.center_of_mass = Vector3::new(-0.05, 0.1, 0.02);
    let b = builder.add_body("b", inertia).unwrap();
    let axis = Vector3::new(1.0, 2.0, -0.5).normalize();
    let at = RigidTransform::from_translation(Vector3::new(0.2, 0.05, -0.1));
    builder
        .add_joint("hinge", JointKind::Continuous { axis }, a, at, b)
        .unwrap();
    builder.finish().unwrap()
}

/// Tilted, with all joints away from zero, and all velocities of a size.
fn tumbling(tree: &RigidBodyTree<f64>, speed: f64) -> State<f64> {
    let mut q = tree.neutral_configuration();
    q.as_mut_slice()[..4].copy_from_slice(&[0.5, -0.5, 0.7, 0.1]);
    let norm = q.rows(0, 4).norm();
    q.rows_mut(0, 4).unscale_mut(norm);
    for (i, q) in q.iter_mut().enumerate().skip(4) {
        *q = 0.3 * (2.0 * i as f64).cos();
    }
    let v = DVector::from_fn(tree.num_velocities(), |i, _| {
        speed * (1.7 * i as f64 + 0.3).sin()
    });
    State::new(q, v)
}

/// What has changed the most over some steps, relative to the start.
#[derive(Debug, Default)]
struct Drift {
    angular: f64,
    linear: f64,
    energy: f64,
    turn: f64,
}

/// Makes steps with forces in the joints.
fn drift(
    system: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
    (steps, force): (usize, f64),
) -> Drift {
    let tree = system.tree();
    let (mut memory, mut placed) = (system.workspace().unwrap(), tree.workspace());
    let mut at = |state: &State<f64>| {
        (tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())).unwrap();
        let momentum = tree.momentum_about_center_of_mass(&placed).unwrap();
        (momentum, tree.kinetic_energy(&placed).unwrap())
    };
    let (first, energy) = at(start);
    let weight = tree.gravity() * (tree.total_mass() * system.time_step());
    let (mut drift, mut state) = (Drift::default(), start.clone());
    for step in 1..=steps {
        let mut input = vec![0.0; system.num_inputs()];
        for (i, input) in input.iter_mut().enumerate().skip(FREE) {
            *input = force * (0.1 * step as f64 + i as f64).sin();
        }
        let made = system.step(&mut memory, &state, &input).unwrap();
        drift.turn = drift.turn.max(made.status().turn);
        state.clone_from(made.state());
        let (momentum, now) = at(&state);
        let linear = first.linear + weight * step as f64;
        let scale = first.linear.norm() + linear.norm();
        let angular = (momentum.angular - first.angular).norm() / first.angular.norm();
        drift.angular = drift.angular.max(angular);
        drift.linear = (drift.linear).max((momentum.linear - linear).norm() / scale);
        drift.energy = drift.energy.max((now / energy - 1.0).abs());
    }
    drift
}

/// In free fall, with motors and dampers in the joints, up to steps in which bodies turn far.
#[test]
fn momentum_is_kept_at_any_length_of_step() {
    let mut furthest = 0.0f64;
    for (tree, force) in [
        (two_links(), 0.05),
        (robot("quadruped"), 2.0),
        (robot("humanoid"), 2.0),
    ] {
        for dt in [1e-3, 4e-3, 1.0 / 60.0] {
            for scheme in SCHEMES {
                let system = stepper(&tree, dt, scheme);
                let drift = drift(&system, &tumbling(&tree, 8.0), (300, force));
                assert!(
                    drift.angular < 1e-11 && drift.linear < 1e-11,
                    "{scheme:?}, {dt} s: {drift:?}"
                );
                furthest = furthest.max(drift.turn);
            }
        }
    }
    assert!(furthest > 0.6, "{furthest}");
}

/// A robot with the last bodies of two branches on each other: its steps solve for forces.
fn in_a_loop(name: &str, dt: f64) -> (TimeSteppingRigidBodySystem<f64>, State<f64>) {
    let tree = robot(name);
    let start = tumbling(&tree, 1.0);
    let mut placed = tree.workspace();
    tree.set_positions(&mut placed, start.q.as_slice()).unwrap();
    let is_last = |body: &BodyIndex| tree.joints().all(|joint| joint.parent() != *body);
    let bodies = tree.bodies().skip(2).map(|body| body.index());
    let last: Vec<BodyIndex> = bodies.filter(is_last).collect();
    let (a, b) = (last[0], last[1]);
    let [of_a, of_b] = [a, b].map(|body| tree.body_pose(&placed, body).unwrap());
    let on_b = of_b.inverse_transform_point(&of_a.translation);
    let ball = BallConstraint::new("loop", (a, Vector3::zeros()), (b, on_b)).unwrap();
    let system = stepper(&tree, dt, Scheme::Compliant);
    (system.with_constraints([ball]).unwrap(), start)
}

#[test]
fn momentum_is_kept_by_forces_within() {
    for name in ["quadruped", "humanoid"] {
        for dt in [1e-3, 4e-3, 1.0 / 60.0] {
            let (system, start) = in_a_loop(name, dt);
            let drift = drift(&system, &start, (300, 1.0));
            assert!(
                drift.angular < 1e-11 && drift.linear < 1e-11,
                "{name}, {dt} s: {drift:?}"
            );
        }
        let (system, start) = in_a_loop(name, 4e-3);
        let input = DVector::from_fn(system.num_inputs(), |i, _| (0.7 * i as f64).sin());
        step_jacobian::check(&system, &start, input.as_slice(), name);
    }
}

/// Steps without forces that depend on velocities are made without the mass matrix, and others with it. Armatures of the
/// floating joint act from outside.
#[test]
fn momentum_is_the_same_with_the_mass_matrix_and_without() {
    let mut tree = robot("quadruped");
    for parameter in tree.parameters() {
        if parameter.name.contains("/armature") {
            tree.set_parameter(&parameter.name, 0.01).unwrap();
        } else if parameter.name.contains("/friction") {
            tree.set_parameter(&parameter.name, 0.0).unwrap();
        }
    }
    let without = stepper(&tree, 4e-3, Scheme::Compliant);
    let nothing = JointFriction::new("nothing", &tree, 0.1).unwrap();
    let with = without.clone().with_forces([nothing]).unwrap();
    let input = vec![0.1; without.num_inputs()];
    let ends = [without, with].map(|system| {
        let (mut memory, mut state) = (system.workspace().unwrap(), tumbling(&tree, 8.0));
        for _ in 0..50 {
            let step = system.step(&mut memory, &state, &input).unwrap();
            state.clone_from(step.state());
        }
        state
    });
    let difference = (&ends[0].v - &ends[1].v).amax();
    assert!(difference < 1e-10 * ends[0].v.amax(), "{difference}");
    assert_ne!(ends[0].v, ends[1].v);
}

#[test]
fn many_steps_keep_momentum_and_energy() {
    let robot = |name| without_gravity(without_damping(robot(name)));
    for (tree, speed, dt, energy) in [
        (without_gravity(two_links()), 10.0, 1e-3, 1e-3),
        (without_gravity(two_links()), 10.0, 1.0 / 60.0, 1e-2),
        (robot("quadruped"), 2.0, 1e-3, 1e-3),
        (robot("quadruped"), 0.6, 1.0 / 60.0, 3e-2),
        (robot("humanoid"), 1.0, 1e-3, 0.1),
    ] {
        for scheme in SCHEMES {
            let system = stepper(&tree, dt, scheme);
            let drift = drift(&system, &tumbling(&tree, speed), (10_000, 0.0));
            println!(
                "{} dof, {scheme:?}, {dt} s: {drift:?}",
                tree.num_velocities()
            );
            assert!(
                drift.angular < 1e-10 && drift.linear < 1e-10 && drift.energy < energy,
                "{} dof, {scheme:?}, {dt} s: {drift:?}",
                tree.num_velocities()
            );
        }
    }
}

/// A torque on the first body and a force at its origin change momentum by what they give.
#[test]
fn forces_from_outside_give_their_impulse() {
    let tree = without_gravity(without_damping(robot("quadruped")));
    let dt = 0.01;
    for scheme in SCHEMES {
        let system = stepper(&tree, dt, scheme);
        let start = tumbling(&tree, 5.0);
        let mut input = vec![0.0; system.num_inputs()];
        input[..6].copy_from_slice(&[1.0, -3.0, 2.0, 10.0, 4.0, -7.0]);
        let mut placed = tree.workspace();
        let mut at = |state: &State<f64>| {
            (tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())).unwrap();
            let momentum = tree.momentum_about_center_of_mass(&placed).unwrap();
            (momentum, tree.center_of_mass(&placed).unwrap())
        };
        let (before, center) = at(&start);
        let mut memory = system.workspace().unwrap();
        let step = system.step(&mut memory, &start, &input).unwrap();
        let (after, _) = at(step.state());
        let force = Vector3::new(10.0, 4.0, -7.0);
        let lever = Vector3::from_column_slice(&start.q.as_slice()[4..7]) - center;
        let torque = Vector3::new(1.0, -3.0, 2.0) + lever.cross(&force);
        let errors = [
            after.angular - before.angular - torque * dt,
            after.linear - before.linear - force * dt,
        ];
        let scale = before.angular.norm() + before.linear.norm();
        assert!(
            errors.iter().all(|e| e.norm() < 1e-13 * scale),
            "{errors:?}"
        );
    }
}

#[test]
fn derivatives_are_those_of_duals() {
    for (name, tree) in [
        ("two links", two_links()),
        ("quadruped", robot("quadruped")),
        ("humanoid", robot("humanoid")),
    ] {
        // All of the derivative by hand, then with fast rotation, in duals.
        for speed in [0.5, 2.0, 20.0] {
            let system = stepper(&tree, 4e-3, Scheme::Compliant);
            let state = tumbling(&tree, speed);
            let input = DVector::from_fn(system.num_inputs(), |i, _| (0.7 * i as f64).sin());
            step_jacobian::check(
                &system,
                &state,
                input.as_slice(),
                &format!("{name}, {speed}"),
            );
        }
    }
}

#[test]
fn derivatives_are_those_of_differences() {
    let tree = two_links();
    let parameters = ["time_step", "a/mass", "b/mass", "hinge/damping"];
    let mut tree = tree.clone();
    tree.set_parameter("hinge/damping", 0.02).unwrap();
    for scheme in SCHEMES {
        for speed in [0.3, 5.0] {
            let system = stepper(&tree, 0.01, scheme);
            let state = tumbling(&tree, speed);
            let input = DVector::from_fn(system.num_inputs(), |i, _| (0.7 * i as f64).sin());
            let at = (&state, input.as_slice());
            assert_step_jacobian_agrees(&system, at, &parameters, 1e-4);
        }
    }
}

/// The end of a step follows the speed at its start: nothing is treated in another way from some speed on.
#[test]
fn nothing_jumps_with_the_speed() {
    let tree = two_links();
    let (dt, h) = (0.01, 1e-4);
    for scheme in SCHEMES {
        let system = stepper(&tree, dt, scheme);
        let (mut workspace, input) = (system.workspace().unwrap(), vec![0.0; system.num_inputs()]);
        let mut end = |turn: f64| {
            let state = tumbling(&tree, turn / dt);
            let step = system.step(&mut workspace, &state, &input).unwrap();
            let mut end = entries(step.state());
            end.rows_mut(tree.num_positions(), tree.num_velocities())
                .scale_mut(dt);
            end
        };
        for k in 10..4000 {
            let turn = k as f64 * h;
            let bend = (end(turn + h) - end(turn) * 2.0 + end(turn - h)).amax();
            assert!(bend <= 20.0 * h * h, "{scheme:?}, {turn} rad: {bend:e}");
        }
    }
}

/// Steps that gain much say so, as the ledger has it, also those of duals and of Jacobians; others do not.
#[test]
fn steps_that_gain_energy_say_so() {
    let tree = without_gravity(without_damping(robot("humanoid")));
    for (scheme, speed, often) in [
        (Scheme::Compliant, 6.0, true),
        (Scheme::Rigid, 6.0, true),
        (Scheme::Compliant, 0.3, false),
    ] {
        let system = stepper(&tree, 1.0 / 60.0, scheme);
        let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
        let (mut memory, mut placed) = (system.workspace().unwrap(), tree.workspace());
        let mut energy = |state: &State<f64>| {
            (tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())).unwrap();
            tree.kinetic_energy(&placed).unwrap()
        };
        let mut state = tumbling(&tree, speed);
        let (mut told, input) = (0, vec![0.0; system.num_inputs()]);
        for k in 0..100 {
            let before = energy(&state);
            let step = system.step(&mut memory, &state, &input).unwrap();
            let (status, next) = (*step.status(), step.state().clone());
            let gained = energy(&next) - before;
            match status.inertial_gain {
                Some(gain) => {
                    assert!(status.turn > 0.05 && gain > 0.0);
                    // No force does work here.
                    let error = (gain - gained).abs() / before;
                    assert!(error < 1e-10, "{scheme:?}, step {k}: {error:e}");
                    told += 1;
                }
                None if status.turn > 0.05 => assert!(gained < 0.0102 * before, "{k}: {gained}"),
                None => {}
            }
            if k % 20 == 0 {
                let mut jacobian = StepJacobian::default();
                (differentiator.jacobian(&state, &input, &mut jacobian)).unwrap();
                assert_eq!(differentiator.status().inertial_gain, status.inertial_gain);
            }
            state = next;
        }
        assert_eq!(
            told > 0,
            often,
            "{scheme:?}, {speed} rad/s: {told} of 100 steps"
        );
    }
}

/// Whatever joints a mechanism has, and rotors: a step that gains much beside the work of its forces says so.
#[test]
fn no_gain_of_random_mechanisms_is_left_out() {
    let mut told = 0;
    for seed in 0..300 {
        let style = [Style::Free, Style::General, Style::Mimic][seed as usize % 3];
        let tree = without_gravity(without_damping(random_tree(
            seed,
            1 + seed as usize % 5,
            style,
        )));
        let (q, v) = random_state(&tree, seed);
        let state = State::new(DVector::from_vec(q), DVector::from_vec(v));
        let mut placed = tree.workspace();
        let mut energy = |state: &State<f64>| {
            (tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())).unwrap();
            tree.kinetic_energy(&placed).unwrap()
        };
        for (scheme, dt) in SCHEMES
            .into_iter()
            .flat_map(|s| [0.05, 0.1, 0.3].map(|dt| (s, dt)))
        {
            let system = stepper(&tree, dt, scheme);
            let input = vec![0.0; system.num_inputs()];
            let mut workspace = system.workspace().unwrap();
            let step = system.step(&mut workspace, &state, &input).unwrap();
            let (gain, before) = (energy(step.state()) - energy(&state), energy(&state));
            let status = step.status();
            if status.turn <= 0.05 {
                continue;
            }
            let case = format!("seed {seed}, {scheme:?}, {dt} s: {gain} of {before}, {status:?}");
            match status.inertial_gain {
                Some(said) => {
                    assert!((said - gain).abs() <= 1e-10 * before, "{case}");
                    told += 1;
                }
                None => assert!(gain <= 0.01001 * before, "{case}"),
            }
        }
    }
    assert!(told > 50, "{told} steps");
}

/// What slides across a turn gains too little in a step to be told, and much in many: the ledger has all of it.
#[test]
fn slow_gains_are_in_the_ledger() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_box(1.0, &Vector3::new(0.3, 0.2, 0.1));
    let a = builder.add_body("a", inertia).unwrap();
    let b = builder.add_body("b", inertia).unwrap();
    let at = RigidTransform::from_translation(Vector3::new(0.2, 0.1, 0.1));
    let plane = JointKind::Planar {
        x_axis: Vector3::x(),
        y_axis: Vector3::y(),
    };
    builder.add_joint("plane", plane, a, at, b).unwrap();
    let tree = without_gravity(builder.finish().unwrap());
    let system = stepper(&tree, 0.02, Scheme::Compliant);
    let v = vec![0.5, 1.0, -0.7, 0.0, 0.0, 0.0, 0.5, 0.4, 0.3];
    let mut state = State::new(tree.neutral_configuration(), DVector::from_vec(v));
    let input = vec![0.0; system.num_inputs()];
    let (mut workspace, mut lost, mut energies) = (system.workspace().unwrap(), 0.0, vec![]);
    for _ in 0..1000 {
        let mut step = system.step(&mut workspace, &state, &input).unwrap();
        let ledger = step.energy().unwrap();
        lost += ledger.loss.total();
        energies.extend([ledger.kinetic.start, ledger.kinetic.end]);
        assert_eq!(step.status().inertial_gain, None);
        state = step.state().clone();
    }
    let (first, last) = (energies[0], energies[energies.len() - 1]);
    assert!(last > 4.0 * first, "{}", last / first);
    assert!((last - first + lost).abs() < 1e-9 * last, "{lost}");
}

/// Without the flight, steps that change the momentum much say so, also those of Jacobians; with it, none does.
#[test]
fn steps_that_gain_momentum_say_so() {
    let tree = without_gravity(two_links());
    for (scheme, keeps) in SCHEMES.into_iter().flat_map(|s| [(s, false), (s, true)]) {
        let system = stepper(&tree, 0.05, scheme);
        let mut options = *system.options();
        options.keep_momentum = keeps;
        let system = system.system().clone().with_options(options).unwrap();
        let system = TimeSteppingRigidBodySystem::with_scheme(system, 0.05, scheme).unwrap();
        let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
        let (mut memory, mut placed) = (system.workspace().unwrap(), tree.workspace());
        let mut momentum = |state: &State<f64>| {
            (tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())).unwrap();
            (tree.momentum_about_center_of_mass(&placed).unwrap()).angular
        };
        let (mut state, mut told) = (tumbling(&tree, 8.0), 0);
        for k in 0..40 {
            let before = momentum(&state);
            let step = system.step(&mut memory, &state, &[0.0; 7]).unwrap();
            let (status, next) = (*step.status(), step.state().clone());
            let change = (momentum(&next) - before).norm();
            match status.momentum_gain {
                Some(gain) => {
                    assert!(!keeps && status.turn > 0.05, "{status:?}");
                    let error = (gain / change - 1.0).abs();
                    assert!(error < 1e-9, "{scheme:?}, step {k}: {gain} {change}");
                    told += 1;
                }
                None => assert!(change < 0.1 * before.norm(), "{k}: {change}, {status:?}"),
            }
            let mut jacobian = StepJacobian::default();
            (differentiator.jacobian(&state, &[0.0; 7], &mut jacobian)).unwrap();
            assert_eq!(differentiator.status().momentum_gain, status.momentum_gain);
            state = next;
        }
        assert_eq!(told > 0, !keeps, "{scheme:?}: {told} of 40 steps");
    }
}
