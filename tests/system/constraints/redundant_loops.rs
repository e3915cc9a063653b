//! Loops of more rows than they need, as of planar linkages that are closed in space.

use crate::support::cases::tier;
use dualbody::Parameters;
use dualbody::constraint::{
    AnyConstraint, BallConstraint, DistanceConstraint, HingeConstraint, WeldConstraint,
};
use dualbody::contact::ContactModel;
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, StepDifferentiator, StepJacobian,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3, vector};
use num_dual::Dual2_64;

type System = TimeSteppingRigidBodySystem<f64>;

const DT: f64 = 1e-3;

const SCHEMES: [Scheme; 4] = [
    Scheme::Compliant,
    Scheme::Rigid,
    Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 1,
    },
    Scheme::Continuous {
        method: IntegrationMethod::Radau5,
        substeps: 1,
    },
];

#[derive(Debug, Clone, Copy)]
enum Closure {
    Ball,
    Hinge,
    Weld,
}

const CLOSURES: [Closure; 3] = [Closure::Ball, Closure::Hinge, Closure::Weld];

/// A parallelogram of a crank, a coupler and a rocker on a base, which floats or is mounted turned by a rotation vector,
/// with the gravity in its frame.
fn parallelogram(
    closure: Closure,
    mount: Option<Vector3<f64>>,
    gravity: Vector3<f64>,
    scheme: Scheme,
) -> System {
    parallelogram_closed(1, closure, mount, gravity, scheme)
}

/// The same, with the loop closed so many times.
fn parallelogram_closed(
    times: usize,
    closure: Closure,
    mount: Option<Vector3<f64>>,
    gravity: Vector3<f64>,
    scheme: Scheme,
) -> System {
    let mut tree = RigidBodyTreeBuilder::new();
    let turn = rotation::exp(&mount.unwrap_or_default());
    tree.set_gravity(turn * gravity).unwrap();
    let rod = |mass: f64, along: Vector3<f64>| {
        let mut inertia = SpatialInertia::solid_box(mass, &along.add_scalar(0.02));
        inertia.center_of_mass = along * 0.5;
        inertia
    };
    let at = |x: f64, z: f64| RigidTransform::from_translation(vector![x, 0.0, z]);
    let y = Vector3::y();
    let pin = JointKind::Revolute { axis: y };
    let base = SpatialInertia::solid_box(6.0, &vector![0.5, 0.3, 0.08]);
    let base = tree.add_body("base", base).unwrap();
    if mount.is_some() {
        let pose = RigidTransform::from_rotation(turn);
        (tree.add_joint("mount", JointKind::Fixed, BodyIndex::WORLD, pose, base)).unwrap();
    }
    let (up, across) = (vector![0.0, 0.0, 0.2], vector![0.15, 0.0, 0.0]);
    let crank = tree.add_body("crank", rod(0.3, up)).unwrap();
    (tree.add_joint("shoulder", pin, base, at(-0.1, 0.06), crank)).unwrap();
    let coupler = tree.add_body("coupler", rod(0.8, across)).unwrap();
    (tree.add_joint("elbow", pin, crank, at(0.0, 0.2), coupler)).unwrap();
    let rocker = tree.add_body("rocker", rod(0.2, up)).unwrap();
    (tree.add_joint("rocker hinge", pin, base, at(0.05, 0.06), rocker)).unwrap();
    let tool = tree.add_body("tool", rod(0.1, up * 0.5)).unwrap();
    (tree.add_joint("tool hinge", pin, rocker, at(0.0, 0.2), tool)).unwrap();
    let tree = tree.finish().unwrap();
    let constraint = |name: String| match closure {
        Closure::Ball => {
            AnyConstraint::new(BallConstraint::new(name, (coupler, across), (rocker, up)).unwrap())
        }
        Closure::Hinge => {
            let (a, b) = ((coupler, across, y), (rocker, up, y));
            AnyConstraint::new(HingeConstraint::new(name, a, b).unwrap())
        }
        Closure::Weld => {
            let a = (coupler, RigidTransform::from_translation(across));
            let b = (tool, RigidTransform::identity());
            AnyConstraint::new(WeldConstraint::new(name, a, b).unwrap())
        }
    };
    let constraints = (0..times).map(|i| constraint(format!("loop {i}")));
    let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let system = system.with_constraints(constraints).unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, DT, scheme).unwrap()
}

/// At the crank angle 0.3 rad, with the loop closed but for `opening`.
fn start(system: &System, opening: f64) -> State<f64> {
    let mut state = system.initial_state();
    for (joint, angle) in [
        ("shoulder", 0.3),
        ("elbow", -0.3 + opening / 0.15),
        ("rocker hinge", 0.3),
        ("tool hinge", -0.3),
    ] {
        (system.set_joint_position(&mut state, joint, &[angle])).unwrap();
    }
    state
}

fn crank_angle(system: &System, state: &State<f64>) -> f64 {
    system.joint_position(state, "shoulder").unwrap()[0]
}

/// A machine and the gravity turned together move as before.
#[test]
fn a_redundant_loop_does_not_depend_on_how_it_is_mounted() {
    let gravity = vector![1.0, 0.0, -9.81];
    for closure in CLOSURES {
        for scheme in SCHEMES {
            let angle = |mount: Vector3<f64>| {
                let system = parallelogram(closure, Some(mount), gravity, scheme);
                let start = start(&system, 0.0);
                crank_angle(&system, system.rollout(&start, 100).unwrap().last())
            };
            let straight = angle(Vector3::zeros());
            assert!((straight - 0.3).abs() > 0.05, "{closure:?} {straight}");
            let mounts = [
                vector![0.3, 0.5, 0.7],
                vector![0.0, 0.0, 1e-6],
                vector![0.0, 0.0, 0.3],
                vector![0.3, 0.0, 0.0],
                vector![0.0, 0.4, 0.0],
                vector![-2.0, 1.0, 0.5],
            ];
            for mount in mounts.into_iter().take(tier(2, 6)) {
                let turned = angle(mount);
                assert!(
                    (turned - straight).abs() < 1e-9,
                    "{closure:?} {scheme:?} {mount:?}: {turned} {straight}"
                );
            }
        }
    }
}

/// A loop that floats and turns keeps its momentum, and is not stopped by the round-off with which it is closed.
#[test]
fn a_floating_redundant_loop_keeps_its_momentum() {
    for closure in CLOSURES {
        for scheme in SCHEMES {
            let run = |opening: f64| {
                let system = parallelogram(closure, None, Vector3::zeros(), scheme);
                let mut start = start(&system, opening);
                let q = rotation::quaternion_exp(&vector![0.3, 0.5, 0.7]);
                start
                    .q
                    .rows_mut(0, 4)
                    .copy_from_slice(&[q.w, q.i, q.j, q.k]);
                start.v.rows_mut(0, 3).copy_from(&vector![0.4, 0.1, 1.0]);
                let rollout = system.rollout(&start, 50).unwrap();
                let tree = system.tree();
                let mut placed = tree.workspace();
                let mut momentum = |state: &State<f64>| {
                    let (q, v) = (state.q.as_slice(), state.v.as_slice());
                    tree.set_state(&mut placed, q, v).unwrap();
                    tree.momentum_about_center_of_mass(&placed).unwrap().angular
                };
                let (before, after) = (momentum(&start), momentum(rollout.last()));
                let lost = (before - after).norm() / before.norm();
                (crank_angle(&system, rollout.last()), lost)
            };
            let (closed, _) = run(0.0);
            let openings = [1e-13, 1e-9, 1e-5, 0.0, 1e-15, 1e-11, 1e-7];
            for opening in openings.into_iter().take(tier(3, 7)) {
                let (angle, lost) = run(opening);
                let label = format!("{closure:?} {scheme:?} open by {opening:e} m");
                // Of the order of the step, but for that.
                assert!(lost < 1e-4, "{label}: {lost:e} of the angular momentum");
                let moved = (angle - closed).abs();
                assert!(moved < 1e-9 + 100.0 * opening, "{label}: {angle} {closed}");
            }
        }
    }
}

/// Rows of a planar loop that is turned in space depend on each other, and so do those of a loop that is there twice, of which
/// each then carries half.
#[test]
fn rows_that_depend_on_each_other_share_their_forces() {
    let (mount, gravity) = (vector![0.3, 0.5, 0.7], vector![1.0, 0.0, -9.81]);
    for closure in CLOSURES {
        let [once, twice] = [1, 2].map(|times| {
            parallelogram_closed(times, closure, Some(mount), gravity, Scheme::Compliant)
        });
        let mut state = start(&once, 0.0);
        let forces = |system: &System, state: &State<f64>| {
            let mut workspace = system.workspace().unwrap();
            let mut step = system.step(&mut workspace, state, &[]).unwrap();
            let forces = step.constraint_forces().unwrap().iter();
            let forces: Vec<f64> = forces.map(|force| force.force).collect();
            (forces, step.state().clone())
        };
        for _ in 0..5 {
            let (whole, next) = forces(&once, &state);
            let (halves, _) = forces(&twice, &state);
            let largest = whole.iter().fold(0.0f64, |m, f| m.max(f.abs()));
            assert!(largest > 0.5, "{closure:?} {whole:?}");
            let (first, second) = halves.split_at(whole.len());
            for ((f, a), b) in whole.iter().zip(first).zip(second) {
                let error = (a - b).abs().max((a + b - f).abs());
                assert!(error < 1e-9 * largest, "{closure:?} {whole:?} {halves:?}");
            }
            state = next;
        }
    }
}

#[test]
fn steps_of_redundant_loops_are_differentiable() {
    const H: f64 = 1e-6;
    for closure in CLOSURES {
        for scheme in &SCHEMES[..3] {
            let gravity = vector![0.0, 0.0, -9.81];
            let system = parallelogram(closure, None, gravity, *scheme)
                .with_generalized_forces()
                .unwrap();
            let mut state = start(&system, 0.0);
            state.v.rows_mut(0, 3).copy_from(&vector![0.4, 0.1, 1.0]);
            let mut workspace = system.workspace().unwrap();
            let input = vec![0.0; state.v.len()];
            for _ in 0..3 {
                let step = system.step(&mut workspace, &state, &input).unwrap();
                state = step.state().clone();
            }
            let mut next = |v: &DVector<f64>, u: &[f64]| {
                let moved = State {
                    v: v.clone(),
                    ..state.clone()
                };
                let step = system.step(&mut workspace, &moved, u).unwrap();
                step.state().v.clone()
            };
            let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
            let mut jacobian = StepJacobian::default();
            (differentiator.jacobian(&state, &input, &mut jacobian)).unwrap();
            let (nq, nv) = (state.q.len(), state.v.len());
            for i in 0..nv {
                let [above, below] = [H, -H].map(|h| {
                    let mut v = state.v.clone();
                    v[i] += h;
                    next(&v, &input)
                });
                let difference = (above - below) / (2.0 * H);
                let column = jacobian.state.view((nq, nq + i), (nv, 1));
                let error = (column - &difference).amax();
                assert!(error < 1e-6, "{closure:?} {scheme:?} v{i}: {error:e}");
                let [above, below] = [H, -H].map(|h| {
                    let mut u = input.clone();
                    u[i] += h;
                    next(&state.v, &u)
                });
                let difference = (above - below) / (2.0 * H);
                let column = jacobian.input.view((nq, i), (nv, 1));
                let error = (column - &difference).amax();
                assert!(error < 1e-6, "{closure:?} {scheme:?} u{i}: {error:e}");
            }
        }
    }
}

/// A rod that is too short for the loop: steps come as near as they can, and the violation says so.
#[test]
fn a_loop_that_cannot_close_is_seen() {
    for closure in CLOSURES {
        for scheme in &SCHEMES[..2] {
            let mut system =
                parallelogram(closure, Some(Vector3::zeros()), Vector3::zeros(), *scheme);
            let state = start(&system, 0.0);
            let violation = |system: &System, state: &State<f64>| {
                (system.system()).constraint_violation(state).unwrap()
            };
            let closed = violation(&system, &state).map_or(0.0, |found| found.error);
            assert!(closed < 1e-15, "{closed}");
            // The rocker hinge is 1 m away, and the links reach 0.55 m.
            (system.set_parameter("joint/rocker hinge/origin/x", 0.9)).unwrap();
            let rollout =
                system.rollout_with(&mut system.workspace().unwrap(), &state, 20, |_, _, _| {});
            let found = violation(&system, rollout.last()).unwrap();
            assert_eq!(found.constraint, "loop 0");
            assert!(found.error > 0.4, "{closure:?} {scheme:?}: {found:?}");
        }
    }
}

/// A door on a post that leans, with a constraint.
fn door(
    constraint: Option<AnyConstraint<f64>>,
    post: Vector3<f64>,
    axis: Vector3<f64>,
    scheme: Scheme,
) -> System {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut inertia = SpatialInertia::solid_box(10.0, &vector![0.8, 0.04, 2.0]);
    inertia.center_of_mass = vector![0.4, 0.0, 1.0];
    let door = tree.add_body("door", inertia).unwrap();
    let pin = JointKind::Revolute { axis };
    let pose = RigidTransform::from_translation(post);
    (tree.add_joint("hinge", pin, BodyIndex::WORLD, pose, door)).unwrap();
    let tree = tree.finish().unwrap();
    let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let system = system.with_constraints(constraint).unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, DT, scheme).unwrap()
}

/// Rows that are zero but for round-off, with no others beside them to tell them from.
#[test]
fn constraints_that_hold_already_change_nothing() {
    let (world, door_body) = (BodyIndex::WORLD, BodyIndex::new(1));
    let axis = vector![0.1, 0.2, 0.97].normalize();
    for post in [Vector3::zeros(), vector![7.0, -3.0, 0.4], axis * -50.0] {
        let on_axis = axis * 1.8;
        let hinge = || {
            let ends = [(door_body, on_axis), (world, post + on_axis)];
            let [a, b] = ends.map(|(body, point)| (body, point, axis));
            AnyConstraint::new(HingeConstraint::new("hinge", a, b).unwrap())
        };
        let ball = || {
            let (a, b) = ((door_body, on_axis), (world, post + on_axis));
            AnyConstraint::new(BallConstraint::new("ball", a, b).unwrap())
        };
        let rod = |body: bool, other, to: Vector3<f64>| {
            let (a, b) = ((door_body, on_axis), (other, to));
            let length = match body {
                true => (to - on_axis).norm(),
                false => (to - post - on_axis).norm(),
            };
            AnyConstraint::new(DistanceConstraint::new("rod", a, b, length).unwrap())
        };
        let constraints = [
            hinge(),
            ball(),
            rod(true, door_body, vector![0.7, 0.3, -0.2]),
            rod(false, world, post + vector![0.5, 0.4, -0.3]),
        ];
        for scheme in SCHEMES {
            let free = door(None, post, axis, scheme);
            let mut start = free.initial_state();
            (start.q[0], start.v[0]) = (0.3, 0.7);
            let expected = free.rollout(&start, 50).unwrap();
            let slopes = free.linearize(&start, &[]).unwrap();
            for constraint in &constraints {
                let held = door(Some(constraint.clone()), post, axis, scheme);
                let found = held.rollout(&start, 50).unwrap();
                for (found, expected) in found.states.iter().zip(&expected.states) {
                    let difference = (found.v[0] - expected.v[0]).abs();
                    assert!(
                        difference < 1e-12,
                        "{scheme:?} {constraint:?} {difference:e}"
                    );
                }
                let found = held.linearize(&start, &[]).unwrap();
                let difference = (found.a - &slopes.a).amax();
                assert!(
                    difference < 1e-9,
                    "{scheme:?} {constraint:?} {difference:e}"
                );
            }
        }
    }
}

/// Two hinges that hold a point which a ball holds, too: three rows, of which round-off does not choose.
#[test]
fn second_derivatives_of_redundant_rows_are_those_nearby() {
    fn speed(scheme: Scheme, along: [f64; 2], t: Dual2_64) -> Dual2_64 {
        let vector = |x: f64, y: f64, z: f64| vector![x, y, z].map(Dual2_64::from);
        let mut tree = RigidBodyTreeBuilder::new();
        let mut bodies = vec![BodyIndex::WORLD];
        for (name, axis, at) in [
            ("a", vector(0.6, 0.0, 0.8), 0.0),
            ("b", vector(0.0, 0.8, 0.6), 0.1),
        ] {
            let inertia = SpatialInertia::solid_box(Dual2_64::from(1.0), &vector(0.1, 0.2, 0.3));
            let body = tree.add_body(name, inertia).unwrap();
            let pose = RigidTransform::from_translation(vector(at, 0.0, 0.0));
            let pin = JointKind::Revolute { axis };
            (tree.add_joint(name, pin, bodies[bodies.len() - 1], pose, body)).unwrap();
            bodies.push(body);
        }
        let tree = tree.finish().unwrap();
        let (on_b, in_world) = (vector(0.11, 0.07, -0.05), vector(0.21, 0.07, -0.05));
        let pin = BallConstraint::new("pin", (bodies[2], on_b), (BodyIndex::WORLD, in_world));
        let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
        let system = system.with_constraints([pin.unwrap()]).unwrap();
        let step = Dual2_64::from(DT);
        let system = TimeSteppingRigidBodySystem::with_scheme(system, step, scheme).unwrap();
        let mut start = system.initial_state();
        for (q, along) in start.q.iter_mut().zip(along) {
            *q = t * along;
        }
        (start.v[0], start.v[1]) = (Dual2_64::from(0.3), Dual2_64::from(-0.2));
        let mut workspace = system.workspace().unwrap();
        let step = system.step(&mut workspace, &start, &[]).unwrap();
        step.state().v[0]
    }
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        for along in [[1.0, 0.0], [0.0, 1.0], [1.0, 0.5], [1.0, -1.3]] {
            let at = |t: f64| speed(scheme, along, Dual2_64::from(t).derivative());
            let here = at(0.0);
            for t in [1e-12, -1e-12, 1e-9, -1e-9, 1e-7, -1e-7] {
                let there = at(t);
                let (first, second) = ((there.v1 - here.v1).abs(), (there.v2 - here.v2).abs());
                let size = 1.0 + here.v2.abs();
                assert!(
                    first < 2.0 * t.abs() * size + 1e-9 && second < 1e-3 * size,
                    "{scheme:?} {along:?} {t:e}: {here} {there}"
                );
            }
        }
    }
}

#[test]
fn velocities_of_joints_are_set_and_read_by_name() {
    let scheme = SCHEMES[0];
    let system = parallelogram(CLOSURES[0], None, Vector3::zeros(), scheme);
    let mut state = system.initial_state();
    (system.set_joint_velocity(&mut state, "elbow", &[-2.5])).unwrap();
    assert_eq!(system.joint_velocity(&state, "elbow").unwrap(), [-2.5]);
    assert_eq!(system.joint_velocity(&state, "shoulder").unwrap(), [0.0]);
    assert_eq!(system.joint_position(&state, "elbow").unwrap(), [0.0]);
    let elbow = system.tree().joint_by_name("elbow").unwrap();
    let place = system.tree().joint(elbow).unwrap().velocity_start();
    assert_eq!(state.v[place], -2.5);
    assert!(
        system
            .set_joint_velocity(&mut state, "elbow", &[1.0, 2.0])
            .is_err()
    );
    assert!(system.joint_velocity(&state, "knee").is_err());
}
