//! Steps and rollouts with contact: closed forms, laws of physics, derivatives.

use crate::support::scenes::{body_over_ground, cube, free_body, geometry};
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian, jacobian};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder, Detection};
use dualbody::force::{AerodynamicDrag, BodyPoint};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia, SpatialVelocity, rotation};
use dualbody::sensor::FullState;
use dualbody::solver::implicit_stribeck::{KinkKind, Strategy};
use dualbody::system::{
    Kept, RigidBodySystem, Scheme, State, StepKink, SystemBuilder, SystemError, SystemOptions,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, InvalidInput, Parameters};
use nalgebra::{DVector, UnitQuaternion, Vector3, dvector};
use num_dual::{Dual2_64, Dual64, DualSVec64};

const G: f64 = 9.81;

/// The state after some steps, as a function of the initial state and of named parameters.
struct Toss<'a> {
    system: &'a TimeSteppingRigidBodySystem<f64>,
    start: State<f64>,
    parameters: &'a [&'a str],
    steps: usize,
}

impl Toss<'_> {
    /// Velocities (6), position (3), rotation vector (3), then the parameters.
    fn point(&self) -> Vec<f64> {
        let mut x: Vec<f64> = self.start.v.iter().copied().collect();
        x.extend(self.start.q.rows(4, 3).iter());
        x.extend([0.0; 3]);
        x.extend(
            self.parameters
                .iter()
                .map(|p| self.system.parameter(p).unwrap()),
        );
        x
    }

    fn rollout<T: DefaultScalar>(&self, x: &[T]) -> Vec<State<T>> {
        let mut system = self.system.cast::<T>();
        for (name, &value) in self.parameters.iter().zip(&x[12..]) {
            system.set_parameter(name, value).unwrap();
        }
        let mut start = self.start.cast::<T>();
        start.v.copy_from_slice(&x[..6]);
        start.q.rows_mut(4, 3).copy_from_slice(&x[6..9]);
        let q = nalgebra::Quaternion::new(start.q[0], start.q[1], start.q[2], start.q[3]);
        let turn = rotation::quaternion_exp(&Vector3::new(x[9], x[10], x[11]));
        let turned = turn * q;
        for (i, x) in [turned.w, turned.i, turned.j, turned.k]
            .into_iter()
            .enumerate()
        {
            start.q[i] = x;
        }
        let mut workspace = system.workspace().unwrap();
        let rollout = system.rollout_with(&mut workspace, &start, self.steps, |_, _, _| {});
        rollout.completed().unwrap().states
    }
}

impl VectorFunction for Toss<'_> {
    type Error = InvalidInput;
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let states = self.rollout(x);
        let last = &states[states.len() - 1];
        Ok(DVector::from_iterator(
            13,
            last.q.iter().chain(last.v.iter()).copied(),
        ))
    }
}

#[test]
fn free_fall_is_that_of_the_scheme() {
    let system = cube(1e-3);
    let start = free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 5.0],
        [0.0; 3],
        [1.0, 2.0, 0.0],
    );
    let mut workspace = system.workspace().unwrap();
    let rollout = system.rollout_with(&mut workspace, &start, 100, |_, _, _| {});
    let last = rollout.last();
    // Semi-implicit Euler: v = −n g δt, z = z₀ − n (n + 1)/2 g δt².
    assert!((last.v[5] + 0.1 * G).abs() < 1e-13);
    assert!((last.q[6] - (5.0 - 5050.0 * G * 1e-6)).abs() < 1e-12);
    assert!((last.q[4] - 0.1).abs() < 1e-13);
    assert_eq!(rollout.statuses.len(), 100);
    assert!(rollout.failure.is_none());
}

/// A small sphere that cannot turn (its inertia is huge) slides over the ground: it stops after
/// v²/(2 μ g), with the derivatives v/(μ g) and −v²/(2 μ² g), up to the step size.
#[test]
fn a_sliding_block_stops_where_it_must() {
    let (mu, v) = (0.4, 1.2);
    let material = ContactMaterial::new(1e5, 0.3, mu).unwrap();
    let shape = Shape::new_sphere(0.01).unwrap();
    let system = body_over_ground(shape, 1e6, material, 1e-4);
    let depth = 0.37 * G / 1e5;
    let start = free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.01 - depth],
        [0.0; 3],
        [v, 0.0, 0.0],
    );
    let toss = Toss {
        system: &system,
        start,
        parameters: &["body/shape/friction", "ground/friction"],
        steps: 3300,
    };
    let (end, j) = jacobian(&toss, &toss.point()).unwrap();
    let distance = v * v / (2.0 * mu * G);
    assert!((end[4] / distance - 1.0).abs() < 1e-3, "{}", end[4]);
    assert!(
        (j[(4, 3)] / (v / (mu * G)) - 1.0).abs() < 1e-3,
        "{}",
        j[(4, 3)]
    );
    // μ of the pair is the harmonic mean: each surface takes one half.
    let both = j[(4, 12)] + j[(4, 13)];
    assert!((both / (-distance / mu) - 1.0).abs() < 1e-3, "{both}");
    assert!((j[(4, 12)] - j[(4, 13)]).abs() < 1e-9);
}

/// On a slope the cube sticks below the angle of friction and slides with g (sin − μ cos) above.
#[test]
fn a_cube_on_a_slope_sticks_or_slides() {
    for (angle, slides) in [(0.15f64, false), (0.35, true)] {
        let mut system = cube(1e-3);
        let (sin, cos) = angle.sin_cos();
        system.set_parameter("gravity/x", G * sin).unwrap();
        system.set_parameter("gravity/z", -G * cos).unwrap();
        let depth = 0.37 * G * cos / (4.0 * 2e4);
        let start = free_body(
            [1.0, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0524 - depth],
            [0.0; 3],
            [0.0; 3],
        );
        let mut workspace = system.workspace().unwrap();
        let last = system
            .rollout_with(&mut workspace, &start, 500, |_, _, _| {})
            .last()
            .clone();
        if slides {
            let expected = 0.5 * G * (sin - 0.2 * cos);
            assert!((last.v[3] / expected - 1.0).abs() < 0.01, "{}", last.v[3]);
        } else {
            assert!(
                last.v[3] < 1e-4 && last.q[4] < 5e-5,
                "creeps at {}",
                last.v[3]
            );
        }
    }
}

#[test]
fn contact_forces_carry_the_weight_at_rest() {
    let system = cube(1e-3);
    let start = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0524], [0.0; 3], [0.0; 3]);
    let mut workspace = system.workspace().unwrap();
    let rollout = system.rollout_with(&mut workspace, &start, 400, |_, _, _| {});
    let last = rollout.last().clone();
    let mut step = system.step(&mut workspace, &last, &[]).unwrap();
    let contacts = step.contacts().unwrap();
    assert_eq!(contacts.len(), 4);
    let total: Vector3<f64> = contacts.iter().map(|c| c.force_on_a()).sum();
    assert!(
        (total - Vector3::new(0.0, 0.0, 0.37 * G)).norm() < 1e-6,
        "{total}"
    );
    for contact in contacts {
        assert_eq!(
            contact.names(system.contact()),
            Some(("body/shape", "ground"))
        );
        assert_eq!(contact.rotation.column(2).into_owned(), Vector3::z());
        assert_eq!(contact.force_on_b(), -contact.force_on_a());
        assert!(contact.penetration > 0.0 && contact.position.z.abs() < 1e-15);
    }
    // A cube comes to rest: all corners equal, no kink near.
    assert!(step.status().residual < 1e-9);
    let Some(StepKink::Contact(kink)) = step.status().nearest_kinks.iter().next() else {
        panic!("no kink of a contact");
    };
    assert_eq!(kink.kind, KinkKind::Touching);
    assert!(kink.distance > 1e-2);
}

/// Two balls in free flight collide: momentum is conserved, the distance law is symmetric.
#[test]
fn colliding_balls_conserve_momentum() {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
    for (name, mass) in [("a", 1.0), ("b", 3.0)] {
        let body = tree
            .add_body(name, SpatialInertia::solid_sphere(mass, 0.1))
            .unwrap();
        let shape = Shape::new_sphere(0.1).unwrap();
        contact
            .add_geometry(geometry(name, body, shape, material))
            .unwrap();
    }
    tree.set_gravity(Vector3::zeros()).unwrap();
    let tree = tree.finish().unwrap();
    let contact = contact.finish(&tree).unwrap();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-4).unwrap();
    let mut start = system.neutral_state();
    start.q[4] = -0.15;
    start.q[5] = 0.03;
    start.q[11] = 0.1;
    start.v[3] = 1.0;
    start.v[2] = 5.0;
    let mut workspace = system.workspace().unwrap();
    let rollout = system.rollout_with(&mut workspace, &start, 2000, |_, _, _| {});
    let mut tree_workspace = system.tree().workspace();
    let mut momentum = |state: &State<f64>| {
        let tree = system.tree();
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        tree.set_state(&mut tree_workspace, q, v).unwrap();
        let origin = Vector3::zeros();
        let m = tree.momentum(&tree_workspace, &origin).unwrap();
        (m.linear, m.angular)
    };
    let (before, after) = (momentum(&start), momentum(rollout.last()));
    assert!(rollout.last().v[9] > 0.1, "they have met");
    assert!((before.0 - after.0).norm() < 1e-10);
    // Positions move within a step while forces act where the step began: first order in δt.
    assert!((before.1 - after.1).norm() < 1e-4 * before.1.norm());
}

/// Damping is implicit: a hinge with damping d and inertia I slows by 1/(1 + δt d/I) a step, however
/// large d.
#[test]
fn joint_damping_is_implicit() {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(1.0, Vector3::repeat(0.5));
    let body = tree.add_body("wheel", inertia).unwrap();
    let hinge = JointKind::Revolute { axis: Vector3::z() };
    let joint = tree
        .add_joint(
            "hinge",
            hinge,
            BodyIndex::WORLD,
            RigidTransform::identity(),
            body,
        )
        .unwrap();
    tree.set_damping(joint, &[1e4]).unwrap();
    let tree = tree.finish().unwrap();
    let contact = ContactModelBuilder::new().finish(&tree).unwrap();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 0.01)
        .and_then(TimeSteppingRigidBodySystem::with_generalized_forces)
        .unwrap();
    let start = State::new(dvector![0.0], dvector![3.0]);

    let mut dual = system.cast::<Dual64>();
    dual.set_parameter("joint/hinge/damping", Dual64::from(1e4).derivative())
        .unwrap();
    let mut workspace = dual.workspace().unwrap();
    let step = dual
        .step(&mut workspace, &start.cast(), &[Dual64::from(0.7)])
        .unwrap();
    let factor = 1.0 + 0.01 * 1e4 / 0.5;
    let expected = (3.0 + 0.01 * 0.7 / 0.5) / factor;
    let v = step.state().v[0];
    assert!((v.re - expected).abs() < 1e-14);
    assert!((v.eps + expected / factor * 0.01 / 0.5).abs() < 1e-15);
    assert!((step.state().q[0].re - 0.01 * expected).abs() < 1e-15);
}

/// Everything that a step depends on, away from kinks: duals against finite differences.
#[test]
fn derivatives_of_a_toss_are_exact() {
    let system = cube(1e-3);
    let parameters = [
        "body/body/mass",
        "body/body/center_of_mass/x",
        "body/body/rotational_inertia/xx",
        "body/body/rotational_inertia/xy",
        "body/shape/size/y",
        "body/shape/origin/z",
        "body/shape/stiffness",
        "body/shape/dissipation",
        "body/shape/friction",
        "ground/friction",
        "gravity/x",
        "time_step",
        "stiction_tolerance",
    ];
    let start = free_body(
        [0.8, 0.3, 0.4, 0.2],
        [0.0, 0.0, 0.086],
        [1.0, -2.0, 0.5],
        [0.6, 0.2, -0.8],
    );
    let toss = Toss {
        system: &system,
        start,
        parameters: &parameters,
        steps: 12,
    };
    let x = toss.point();
    let states = toss.rollout::<f64>(&x);
    let v = |i: usize| states[i].v[5];
    assert!(
        v(12) - v(0) > -0.1,
        "the cube has hit the ground: {} {}",
        v(0),
        v(12)
    );
    let mut scales: Vec<f64> = x.iter().map(|x| 1e-3 * x.abs()).collect();
    for (scale, size) in scales.iter_mut().zip([1e-4; 12]) {
        *scale = size;
    }
    scales[13] = 1e-5;
    scales[15] = 1e-7;
    scales[17] = 1e-5;
    scales[22] = 1e-3;
    let checker = JacobianChecker::default()
        .tolerance(1e-5, 1e-6)
        .scales(scales);
    check_jacobian(&checker, &toss, &x).unwrap().assert_agrees();
}

#[test]
fn second_derivatives_agree_with_differences_of_first_ones() {
    let system = cube(1e-3);
    let start = free_body(
        [0.8, 0.3, 0.4, 0.2],
        [0.0, 0.0, 0.086],
        [1.0, -2.0, 0.5],
        [0.6, 0.2, -0.8],
    );
    let toss = Toss {
        system: &system,
        start,
        parameters: &[],
        steps: 12,
    };
    let x = toss.point();
    let along = |t: f64| -> Vec<f64> {
        x.iter()
            .enumerate()
            .map(|(i, x)| x + t * (1.0 + i as f64).sin())
            .collect()
    };
    let second: Vec<Dual2_64> = x
        .iter()
        .enumerate()
        .map(|(i, &x)| Dual2_64::new(x, (1.0 + i as f64).sin(), 0.0))
        .collect();
    let second = toss.eval(&second).unwrap();
    let first = |t: f64| {
        let direction: Vec<f64> = (0..x.len()).map(|i| (1.0 + i as f64).sin()).collect();
        let x = along(t);
        dualbody::autodiff::jacobian_vector_product(&toss, &x, &direction)
            .unwrap()
            .1
    };
    let h = 1e-6;
    let difference = (first(h) - first(-h)) / (2.0 * h);
    let scale = difference.amax();
    for (i, (s, d)) in second.iter().zip(difference.iter()).enumerate() {
        assert!((s.v1 - first(0.0)[i]).abs() < 1e-9 * first(0.0).amax());
        assert!((s.v2 - d).abs() < 1e-4 * scale, "{i}: {} and {d}", s.v2);
    }
}

#[test]
fn duals_follow_the_same_trajectory_bit_for_bit() {
    let system = cube(2e-3);
    let start = free_body(
        [0.8, 0.3, 0.4, 0.2],
        [0.0, 0.0, 0.15],
        [5.0, -2.0, 0.5],
        [1.0, 0.2, -0.8],
    );
    let mut workspace = system.workspace().unwrap();
    let plain = system.rollout_with(&mut workspace, &start, 300, |_, _, _| {});
    let dual_system = system.cast::<DualSVec64<8>>();
    let mut dual_start = start.cast::<DualSVec64<8>>();
    dual_start.v[3] = dual_start.v[3].derivative(0);
    let mut workspace = dual_system.workspace().unwrap();
    let dual = dual_system.rollout_with(&mut workspace, &dual_start, 300, |_, _, _| {});
    assert_eq!(plain.statuses, dual.statuses);
    for (a, b) in plain.states.iter().zip(&dual.states) {
        assert_eq!(a.q, b.q.map(|x| x.re));
        assert_eq!(a.v, b.v.map(|x| x.re));
    }
}

/// With anticipation the step is a continuous function of the height; without, it jumps when the
/// corner begins to overlap.
#[test]
fn anticipation_makes_steps_continuous() {
    for (detection, jumps) in [
        (Detection::Anticipating, false),
        (Detection::Overlapping, true),
    ] {
        let mut options = SystemOptions::default();
        options.detection = detection;
        let system = cube(1e-3).with_options(options).unwrap();
        let mut workspace = system.workspace().unwrap();
        let mut after = |height: f64| {
            let start = free_body(
                [1.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, height],
                [0.0; 3],
                [0.0, 0.0, -0.5],
            );
            system.step(&mut workspace, &start, &[]).unwrap().state().v[5]
        };
        let difference = (after(0.0524 + 1e-9) - after(0.0524 - 1e-9)).abs();
        assert_eq!(difference > 1e-2, jumps, "{difference}");
    }
}

/// Forces bring some of many balls together, and to the ground, further than their velocities say: the contacts of
/// these are looked for again, and every pair does what it does by itself.
#[test]
fn contacts_that_forces_make_are_found_among_many() {
    const PAIRS: usize = 12;
    const RADIUS: f64 = 0.05;
    let material = ContactMaterial::new(1e5, 0.2, 0.5).unwrap();
    let build = |balls: usize| {
        let mut builder = SystemBuilder::new().floor("floor", material);
        for i in 0..balls {
            let shape = Shape::new_sphere(RADIUS).unwrap();
            builder = builder.free_body(format!("ball {i}"), shape, 1.0, material);
        }
        builder.compliant(1e-2).unwrap()
    };
    // Every other pair lies on the ground; others hang in the air. Forces grow from pair to pair.
    let place = |pair: usize| {
        let height = if pair.is_multiple_of(2) { -1e-5 } else { 0.3 };
        let gap = 1e-3 * pair as f64;
        [0.0, 2.0 * RADIUS + gap].map(|x| [x, pair as f64, RADIUS + height])
    };
    let push = |pair: usize| {
        let force = 8.0 * pair as f64;
        [[force, 0.0, -force], [-force, 0.0, 0.0]]
    };
    let step = |pairs: &[usize]| {
        let system = build(2 * pairs.len()).with_generalized_forces().unwrap();
        let mut start = system.initial_state();
        let mut input = vec![0.0; start.v.len()];
        for (k, &pair) in pairs.iter().enumerate() {
            for ball in 0..2 {
                let i = 2 * k + ball;
                (start.q.rows_mut(7 * i + 4, 3)).copy_from_slice(&place(pair)[ball]);
                input[6 * i + 3..6 * i + 6].copy_from_slice(&push(pair)[ball]);
            }
        }
        let mut workspace = system.workspace().unwrap();
        let mut step = system.step(&mut workspace, &start, &input).unwrap();
        let forces = step.contacts().unwrap().iter().map(|c| c.force.norm());
        let touching = forces.filter(|force| *force > 0.0).count();
        (step.state().v.clone(), touching)
    };
    let all: Vec<usize> = (0..PAIRS).collect();
    let (together, touching) = step(&all);
    let mut alone = 0;
    for pair in all {
        let (v, touching) = step(&[pair]);
        let same = (v - together.rows(12 * pair, 12)).norm();
        assert!(same < 1e-12, "pair {pair}: {same:e}");
        alone += touching;
    }
    assert_eq!(touching, alone);
    // All on the ground lie there, and some in the air meet.
    assert!(touching > PAIRS, "{touching}");
}

#[test]
fn contact_results_carry_derivatives() {
    let system = cube(1e-3);
    let start = free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0523],
        [0.0; 3],
        [0.3, 0.0, 0.0],
    );
    let force = |stiffness: f64| {
        let mut system = system.clone();
        system
            .set_parameter("body/shape/stiffness", stiffness)
            .unwrap();
        let mut workspace = system.workspace().unwrap();
        let mut step = system.step(&mut workspace, &start, &[]).unwrap();
        step.contacts()
            .unwrap()
            .iter()
            .map(|c| c.force_on_a())
            .sum::<Vector3<f64>>()
    };
    let mut dual = system.cast::<Dual64>();
    dual.set_parameter("body/shape/stiffness", Dual64::from(2e4).derivative())
        .unwrap();
    let mut workspace = dual.workspace().unwrap();
    let mut step = dual.step(&mut workspace, &start.cast(), &[]).unwrap();
    let total = step
        .contacts()
        .unwrap()
        .iter()
        .fold(Vector3::zeros(), |sum, c| sum + c.force_on_a());
    let h = 1.0;
    let difference = (force(2e4 + h) - force(2e4 - h)) / (2.0 * h);
    assert!((total.map(|x| x.re) - force(2e4)).norm() < 1e-9);
    assert!((total.map(|x| x.eps) - difference).norm() < 1e-6 * difference.norm());
    assert!(difference.norm() > 1e-6);
}

#[test]
fn a_rollout_keeps_what_it_has_computed() {
    let system = cube(1e-3).with_generalized_forces().unwrap();
    let start = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]);
    let mut workspace = system.workspace().unwrap();
    let rollout = system.rollout_with(&mut workspace, &start, 20, |step, _, tau| {
        if step == 7 {
            tau[0] = f64::NAN;
        }
    });
    assert_eq!(rollout.states.len(), 8);
    assert_eq!(rollout.statuses.len(), 7);
    assert_eq!(rollout.last(), &rollout.states[7]);
    let failure = rollout.failure.clone().unwrap();
    assert_eq!(failure.step, 7);
    assert!((failure.time - 7e-3).abs() < 1e-15);
    assert!(failure.to_string().contains("inputs[0] = NaN"), "{failure}");
    assert!(rollout.completed().is_err());
}

#[test]
fn invalid_states_are_named() {
    let cube = || cube(1e-3).with_generalized_forces().unwrap();
    let system = cube();
    let mut workspace = system.workspace().unwrap();
    let good = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]);
    let mut message = |change: &dyn Fn(&mut State<f64>), tau: &[f64]| {
        let mut state = good.clone();
        change(&mut state);
        system
            .step(&mut workspace, &state, tau)
            .unwrap_err()
            .to_string()
    };
    let tau = [0.0; 6];
    assert!(message(&|s| s.q[0] = 2.0, &tau).contains("quaternion"));
    assert!(message(&|s| s.v[1] = f64::NAN, &tau).contains("v[1] = NaN"));
    assert!(message(&|s| s.q[5] = f64::INFINITY, &tau).contains("q[5] = inf"));
    assert!(message(&|s| s.v = DVector::zeros(2), &tau).contains("v has size 2"));
    assert!(message(&|s| s.q = DVector::zeros(2), &tau).contains("q has size 2"));
    assert!(message(&|_| {}, &tau[..3]).contains("inputs has size 3"));
    // The workspace of another system is not taken.
    let mut foreign = cube().workspace().unwrap();
    let error = system.step(&mut foreign, &good, &tau).unwrap_err();
    assert!(matches!(error, SystemError::Tree(_)), "{error}");
}

#[test]
fn systems_that_make_no_sense_are_rejected() {
    let build = |time_step: f64| {
        let tree = RigidBodyTreeBuilder::<f64>::new().finish().unwrap();
        let contact = ContactModelBuilder::new().finish(&tree).unwrap();
        TimeSteppingRigidBodySystem::new(tree, contact, time_step)
    };
    assert!(build(1e-3).is_ok());
    for time_step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(
            build(time_step)
                .unwrap_err()
                .to_string()
                .contains("time step")
        );
    }
    let mut system = cube(1e-3);
    assert!(system.set_parameter("time_step", 0.0).is_err());
    assert!(system.set_parameter("body/shape/size/x", -1.0).is_err());
    assert!(
        system
            .set_parameter("body/shap/size/x", 1.0)
            .unwrap_err()
            .to_string()
            .contains("body/shape/size/x")
    );
    // Nothing has changed.
    assert_eq!(system.time_step(), 1e-3);
    assert_eq!(system.parameter("body/shape/size/x").unwrap(), 0.1048);
}

#[test]
fn a_system_without_bodies_steps() {
    let tree = RigidBodyTreeBuilder::<f64>::new().finish().unwrap();
    let contact = ContactModelBuilder::new().finish(&tree).unwrap();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).unwrap();
    let mut workspace = system.workspace().unwrap();
    let step = system
        .step(&mut workspace, &system.neutral_state(), &[])
        .unwrap();
    assert_eq!(step.state().q.len(), 0);
    assert_eq!(step.status().strategy, Strategy::Newton);
}

/// A body that drifts through air, however slowly, can be stepped and differentiated.
#[test]
fn a_step_through_air_has_derivatives_at_every_speed() {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(2.0, 0.1);
    let body = tree.add_body("ball", inertia).unwrap();
    let drag = AerodynamicDrag {
        name: "air".into(),
        point: BodyPoint::new(body, Vector3::zeros()),
        density: 1.2,
        drag_area: 0.5,
    };
    tree.set_gravity(Vector3::zeros()).unwrap();
    let system =
        TimeSteppingRigidBodySystem::new(tree.finish().unwrap(), ContactModel::none(), 0.01)
            .unwrap()
            .with_forces([drag])
            .unwrap()
            .cast::<Dual2_64>();
    let mut workspace = system.workspace().unwrap();
    for exponent in [-320, -200, -110, -103, -80, -63, -40, -8, 0] {
        let speed = 10f64.powf(f64::from(exponent));
        let mut state = system.neutral_state();
        state.v[3] = Dual2_64::from(speed).derivative();
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        // m (v⁺ − v) = −½ ρ c_d A v⁺² δt.
        let k = 0.5 * 1.2 * 0.5 * 0.01 / 2.0;
        let root = (1.0 + 4.0 * k * speed).sqrt();
        let v = step.state().v[3];
        assert!(
            (v.re - 2.0 * speed / (1.0 + root)).abs() <= 1e-12 * speed,
            "{v:?}"
        );
        assert!((v.v1 - 1.0 / root).abs() < 1e-12, "{speed:e}: {v:?}");
        assert!(
            (v.v2 + 2.0 * k / root.powi(3)).abs() < 1e-12,
            "{speed:e}: {v:?}"
        );
    }
}

/// A body that floats from a frame of its own in the world is placed in the world all the same.
#[test]
fn bodies_are_placed_in_the_world() {
    let turned = UnitQuaternion::from_euler_angles(0.3, -0.4, 1.1).to_rotation_matrix();
    let frame = RigidTransform::new(turned.into_inner(), Vector3::new(0.2, -0.1, 1.0));
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    let [first, second] = ["first", "second"].map(|name| tree.add_body(name, inertia).unwrap());
    let floating = JointKind::Floating;
    (tree.add_joint("one", floating, BodyIndex::WORLD, frame, first)).unwrap();
    (tree.add_joint("two", floating, first, frame, second)).unwrap();
    let tree = tree.finish().unwrap();
    let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let mut state = system.initial_state();

    let place = Vector3::new(0.0, 0.1, 0.05);
    system
        .set_body_position(&mut state, "first", place)
        .unwrap();
    let pose = system.body_pose(&state, "first").unwrap();
    assert!((pose.translation - place).amax() < 1e-15);
    let pose = RigidTransform::new(turned.transpose().into_inner(), place);
    system.set_body_pose(&mut state, "first", &pose).unwrap();
    let found = system.body_pose(&state, "first").unwrap();
    assert!((found.translation - place).amax() < 1e-15);
    assert!((found.rotation - pose.rotation).amax() < 1e-15);
    let velocity = SpatialVelocity::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(4.0, 5.0, 6.0));
    system
        .set_body_velocity(&mut state, "first", &velocity)
        .unwrap();
    let found = system.body_velocity(&state, "first").unwrap();
    assert!((found.angular - velocity.angular).amax() < 1e-14);
    assert!((found.linear - velocity.linear).amax() < 1e-14);

    let error = system
        .set_body_position(&mut state, "second", place)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("\"second\" does not float in the world")
    );
    // Nothing is compared of states that are not of one size.
    let stepper = TimeSteppingRigidBodySystem::with_scheme(system, 1e-3, Scheme::Compliant);
    let stepper = stepper.unwrap();
    let mut other = state.clone();
    other.sensors = DVector::zeros(1);
    assert!(stepper.displacement(&state, &other).is_err());
    // What a displacement leads to is so far away.
    let displacement = [0.3, -0.2, 0.1, 1.0, 2.0, 3.0, -0.5, 0.4, 0.2, 0.1, 0.2, 0.3];
    let displacement = [displacement, displacement].concat();
    assert_eq!(state.num_displacements(), displacement.len());
    let mut other = state.clone();
    (state.displace(stepper.tree(), &displacement, &mut other)).unwrap();
    let found = stepper.displacement(&state, &other).unwrap();
    assert!((found - DVector::from_vec(displacement.clone())).amax() < 1e-15);
    for wrong in [&displacement[1..], &[f64::NAN; 24]] {
        assert!(state.displace(stepper.tree(), wrong, &mut other).is_err());
    }
}

/// Detection of what overlaps already, where there is nothing that could.
#[test]
fn overlapping_detection_needs_no_geometries() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    builder.add_body("ball", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let mut options = SystemOptions::default();
    options.detection = Detection::Overlapping;
    let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let system = system.with_options(options).unwrap();
    let plant = TimeSteppingRigidBodySystem::compliant(system, 0.01).unwrap();
    let mut workspace = plant.workspace().unwrap();
    let mut state = plant.initial_state();
    for _ in 0..3 {
        state = (plant.step(&mut workspace, &state, &[]).unwrap().state()).clone();
    }
    assert!((state.v[5] + 3.0 * 0.0981).abs() < 1e-12);
}

/// Outputs, contacts and energies are those of the steps, and nothing is kept that was not asked for.
#[test]
fn rollouts_keep_what_is_asked_for() {
    let system = cube(1e-3);
    let sensor = FullState::new(system.tree());
    let system = system.with_sensors([sensor]).unwrap();
    let upright = [1.0, 0.0, 0.0, 0.0];
    let start = free_body(upright, [0.0, 0.0, 0.0523], [0.0; 3], [0.3, 0.0, -0.1]);
    let bare = system.rollout(&start, 20).unwrap();
    assert!(bare.outputs.is_empty() && bare.contacts.is_empty() && bare.energies.is_empty());
    let all = system
        .rollout_keeping(&start, 20, Kept::EVERYTHING)
        .unwrap();
    assert_eq!((&all.states, &all.statuses), (&bare.states, &bare.statuses));
    let mut workspace = system.workspace().unwrap();
    for k in 0..20 {
        let state = &all.states[k];
        let mut step = system.step(&mut workspace, state, &[]).unwrap();
        assert_eq!(step.output(), &all.outputs[k]);
        assert_eq!(step.contacts().unwrap(), all.contacts[k]);
        assert_eq!(all.energies[k], system.energy(state, &[]).unwrap());
    }
    assert!(all.contacts.iter().all(|contacts| contacts.len() == 4));

    let dual = system.cast::<Dual64>();
    let mut start = start.cast::<Dual64>();
    start.v[3] = start.v[3].derivative();
    let kept = Kept {
        energies: true,
        ..Kept::default()
    };
    let energies = (dual.rollout_keeping(&start, 3, kept).unwrap()).energies;
    assert!((energies[0].kinetic.eps - 0.37 * 0.3).abs() < 1e-12);
    assert_eq!(energies[2].kinetic.re, all.energies[2].kinetic);
}
