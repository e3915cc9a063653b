//! One machine in three schemes: a four-bar linkage with a motor, an encoder and a foot on the ground.

use crate::support::cases::tier;
use crate::support::derivatives_of_steps::{assert_adjoint_agrees, assert_step_jacobian_agrees};
use crate::support::four_bar::{
    COUPLER, CRANK, FOOT, Machine, ROCKER, closed, four_bar, four_bar_on_a_plate,
};
use dualbody::actuator::{SpatialForceSource, SpringDamper};
use dualbody::constraint::BallConstraint;
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{ContactForce, Delayed, FullState};
use dualbody::system::{
    IntegrationMethod, RolloutObjective, Scheme, State, StepDifferentiator, StepJacobian,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{Parameters, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};

fn gap(system: &Machine, state: &State<f64>) -> f64 {
    let tip = |body: &str, length: f64| {
        let pose = system.body_pose(state, body).unwrap();
        pose.transform_point(&Vector3::new(length, 0.0, 0.0))
    };
    (tip("coupler", COUPLER) - tip("rocker", ROCKER)).norm()
}

const SCHEMES: [Scheme; 3] = [
    Scheme::Compliant,
    Scheme::Rigid,
    Scheme::Continuous {
        method: IntegrationMethod::Radau5,
        substeps: 1,
    },
];

fn stepper(system: &Machine, dt: f64, scheme: Scheme) -> TimeSteppingRigidBodySystem<f64> {
    TimeSteppingRigidBodySystem::with_scheme(system.clone(), dt, scheme).unwrap()
}

/// The crank after `time`, turned by the motor.
fn driven(system: &Machine, start: &State<f64>, dt: f64, scheme: Scheme, time: f64) -> State<f64> {
    let stepper = stepper(system, dt, scheme);
    let steps = (time / dt).round() as usize;
    let mut workspace = stepper.workspace().unwrap();
    let rollout = stepper.rollout_with(&mut workspace, start, steps, |_, _, input| input[0] = 0.1);
    rollout.completed().unwrap().last().clone()
}

#[test]
fn three_schemes_agree_as_the_step_shrinks() {
    let system = four_bar(-1.0, 1e4, 1);
    let (start, _) = closed(&system, 1.2);
    assert!(gap(&system, &start) < 1e-15);
    let exact = driven(&system, &start, 1e-4, SCHEMES[2], 0.2);
    for scheme in &SCHEMES[..2] {
        let errors = [2e-3, 1e-3, 5e-4].map(|dt| {
            let end = driven(&system, &start, dt, *scheme, 0.2);
            // Closed at the end of every step, but for what curvature leaves.
            assert!(
                gap(&system, &end) < 20.0 * dt * dt,
                "{}",
                gap(&system, &end)
            );
            (&end.q - &exact.q).amax()
        });
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((1.8..2.2).contains(&ratio), "{scheme:?}: {errors:?}");
        }
        assert!(errors[2] < 2e-2, "{scheme:?}: {errors:?}");
    }
}

/// The foot slides over a plate all the time: in compliant steps as in continuous time with the same material, in rigid steps as
/// in continuous time with rigid contact.
#[test]
fn three_schemes_agree_in_contact_as_the_step_shrinks() {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let rigid = scheme == Scheme::Rigid;
        // In continuous time a rigid contact is one that overlaps, if only by 0.1 µm.
        let depth = if rigid { 1e-7 } else { 1.2e-3 };
        let (mut system, mut start) = on_a_plate(depth);
        let mut options = *system.options();
        options.rigid_contact = rigid;
        system = system.with_options(options).unwrap();
        let foot = |h: f64| {
            let moved = State::new(&start.q + &start.v * h, start.v.clone());
            let coupler = system.body_pose(&moved, "coupler").unwrap();
            coupler.transform_point(&Vector3::new(COUPLER, 0.0, 0.0)).z
        };
        start.v[3] = (foot(1e-5) - foot(-1e-5)) / 2e-5;
        let run = |dt: f64, scheme: Scheme| {
            let stepper = stepper(&system, dt, scheme);
            let mut workspace = stepper.workspace().unwrap();
            let mut state = start.clone();
            for _ in 0..(0.1 / dt).round() as usize {
                let mut step = stepper.step(&mut workspace, &state, &[-0.3]).unwrap();
                let contact = step.contacts().unwrap()[0];
                assert!(contact.force.z > 4.0, "{scheme:?}: {}", contact.force);
                let slip = contact.velocity.xy().norm();
                assert!(slip > 0.2, "{scheme:?}: {slip}");
                let next = step.state().clone();
                state = next;
            }
            state.q
        };
        let exact = run(1e-4, SCHEMES[2]);
        let errors = [1e-3, 5e-4, 2.5e-4].map(|dt| (run(dt, scheme) - &exact).amax());
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((1.9..2.1).contains(&ratio), "{scheme:?}: {errors:?}");
        }
        assert!(errors[2] < 3e-4, "{scheme:?}: {errors:?}");
    }
}

/// The motor presses the foot onto the ground, where it comes to rest.
#[test]
fn three_schemes_come_to_the_same_rest_on_the_ground() {
    let probe = four_bar(-1.0, 1e4, 1);
    let (_, lowest) = closed(&probe, 2.0);
    let system = four_bar(lowest - 1e-3, 2e4, 1);
    let (start, _) = closed(&system, 2.0);
    // An impact asks an integrator for shorter steps.
    let short = Scheme::Continuous {
        method: IntegrationMethod::Radau5,
        substeps: tier(4, 20),
    };
    let ends =
        [SCHEMES[0], SCHEMES[1], short].map(|scheme| driven(&system, &start, 5e-4, scheme, 1.0));
    let heights = ends.each_ref().map(|end| {
        assert!(end.v.amax() < 1e-2, "{}", end.v);
        let foot = Vector3::new(COUPLER, 0.0, 0.0);
        let coupler = system.body_pose(end, "coupler").unwrap();
        coupler.transform_point(&foot).z - FOOT - (lowest - 1e-3)
    });
    let [compliant, rigid, continuous] = heights;
    assert!(rigid.abs() < 1e-4, "{heights:?}");
    assert!((compliant - continuous).abs() < 1e-4, "{heights:?}");
    // Of 2e4 N/m on either side, what the motor and the weight press.
    assert!((-3e-3..0.0).contains(&compliant), "{heights:?}");
}

#[test]
fn redundant_loops_change_nothing_and_contradicting_ones_are_named() {
    let (one, three) = (four_bar(-1.0, 1e4, 1), four_bar(-1.0, 1e4, 3));
    let (start, _) = closed(&one, 1.2);
    for scheme in SCHEMES {
        let a = driven(&one, &start, 1e-3, scheme, 0.05);
        let b = driven(&three, &start, 1e-3, scheme, 0.05);
        assert!((&a.q - &b.q).amax() < 1e-9, "{scheme:?}");
    }
    let (crank, rocker) = (BodyIndex::new(1), BodyIndex::new(3));
    let other = BallConstraint::new(
        "contradiction",
        (crank, Vector3::new(CRANK, 0.0, 0.0)),
        (rocker, Vector3::new(ROCKER / 2.0, 0.0, 0.0)),
    )
    .unwrap();
    let broken = one.with_constraints([other]).unwrap();
    let compliant = TimeSteppingRigidBodySystem::compliant(broken, 1e-3).unwrap();
    let error = compliant.rollout(&start, 1).unwrap_err().to_string();
    assert!(error.contains("contradict"), "{error}");
}

/// Of the state after one step, by central differences with one extrapolation.
fn differences(f: impl Fn(f64) -> DVector<f64>, h: f64) -> DVector<f64> {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (central(h) * 4.0 - central(2.0 * h)) / 3.0
}

fn flat(
    stepper: &TimeSteppingRigidBodySystem<f64>,
    state: &State<f64>,
    input: &[f64],
) -> DVector<f64> {
    let mut workspace = stepper.workspace().unwrap();
    let next = stepper
        .step(&mut workspace, state, input)
        .unwrap()
        .state()
        .clone();
    let parts = [next.q, next.v, next.actuators, next.sensors];
    DVector::from_vec(parts.iter().flat_map(|p| p.iter().copied()).collect())
}

/// The foot is in the ground, which the linkage turns it further into.
fn sunk() -> (Machine, State<f64>) {
    let probe = four_bar(-1.0, 1e4, 1);
    let (_, lowest) = closed(&probe, 2.0);
    let system = four_bar(lowest + 2e-3, 1e4, 1);
    let (mut start, _) = closed(&system, 2.0);
    start.v[0] = 0.7;
    start.actuators[0] = 0.3;
    (system, start)
}

/// Gives the closed linkage the velocities that it has when its crank turns with `rate`.
fn turn(start: &mut State<f64>, rate: f64) {
    let (free, h) = (four_bar(-1.0, 1e4, 1), 1e-4);
    let angles = |h: f64| closed(&free, start.q[0] + h).0.q;
    let rates = (angles(h) - angles(-h)) * (rate / (2.0 * h));
    start.v.rows_mut(0, 3).copy_from(&rates);
}

/// The foot comes down `above` the ground, which it reaches within a step of 1 ms.
fn coming_down(above: f64) -> (Machine, State<f64>) {
    let probe = four_bar(-1.0, 1e4, 1);
    let (_, lowest) = closed(&probe, 2.0);
    let system = four_bar(lowest - above, 1e4, 1);
    let (mut start, _) = closed(&system, 2.0);
    start.actuators[0] = 0.3;
    turn(&mut start, -4.0);
    (system, start)
}

/// The foot slides over a plate that a spring presses onto it, and overlaps with it by `depth`.
fn on_a_plate(depth: f64) -> (Machine, State<f64>) {
    let (probe, down) = (four_bar(-1.0, 1e4, 1), 3e-3);
    let (_, lowest) = closed(&probe, 2.0);
    let system = four_bar_on_a_plate(lowest + depth + down, 1e4);
    let (mut start, _) = closed(&system, 2.0);
    start.q[3] = -down;
    start.actuators[0] = -0.3;
    turn(&mut start, -2.0);
    (system, start)
}

/// The foot slides over a plate. Before rigid steps it is above the plate, which it reaches in the first step, before others in
/// the plate.
fn sliding(scheme: Scheme) -> (Machine, State<f64>) {
    let rigid = scheme == Scheme::Rigid;
    let (system, mut start) = on_a_plate(if rigid { -5e-4 } else { 1.2e-3 });
    if rigid {
        start.v[3] = 1.0;
    }
    (system, start)
}

const PARAMETERS: [&str; 6] = [
    "lag/time_constant",
    "drive/gear_ratio",
    "motor/damping",
    "foot/friction",
    "crank/mass",
    "foot/stiffness",
];

/// On the ground, where a rigid contact holds the linkage, and on a plate, where the foot slides.
#[test]
fn step_jacobians_agree_with_differences() {
    for scheme in SCHEMES {
        let (on_ground, width) = match scheme {
            Scheme::Rigid => (coming_down(1e-4), 2e-5),
            _ => (sunk(), 1e-4),
        };
        for (system, start) in [on_ground, sliding(scheme)] {
            let stepper = stepper(&system, 1e-3, scheme);
            let mut workspace = stepper.workspace().unwrap();
            let mut step = stepper.step(&mut workspace, &start, &[0.2]).unwrap();
            let force = step.contacts().unwrap()[0].force;
            assert!(force.z > 5.0 && force.y.abs() > 1.0, "{scheme:?}: {force}");
            let given: (_, &[f64]) = (&start, &[0.2]);
            assert_step_jacobian_agrees(&stepper, given, &PARAMETERS, width);
        }
    }
}

/// Where the linkage is at the end, how it turned and what the motor was asked for. Velocities are known to about 1e-12, which
/// differences show, positions better.
struct Turned(usize);

impl RolloutObjective for Turned {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, input: &[T]) -> T {
        match input {
            [] => (state.q.iter().enumerate()).fold(state.actuators[0], |sum, (i, &q)| {
                sum + (q * q + q) * (10.0 + 4.0 * i as f64)
            }),
            [u] => (*u * *u + state.v[2]) * (0.1 / self.0 as f64 * (step as f64 + 1.0)),
            _ => T::zero(),
        }
    }
}

#[test]
fn adjoints_agree_with_products_of_jacobians_and_differences() {
    let steps = 12;
    let inputs = DMatrix::from_fn(1, steps, |_, k| -0.1 - 0.01 * k as f64);
    for scheme in SCHEMES {
        let (system, start) = sliding(scheme);
        let stepper = stepper(&system, 1e-3, scheme);
        let mut workspace = stepper.workspace().unwrap();
        let mut state = start.clone();
        for input in inputs.iter() {
            let mut step = stepper.step(&mut workspace, &state, &[*input]).unwrap();
            let contact = step.contacts().unwrap()[0];
            assert!(
                contact.force.z > 5.0 && contact.velocity.y > 0.1,
                "{scheme:?}"
            );
            let next = step.state().clone();
            state = next;
        }
        // Rigid bodies have no stiffness.
        let felt = match scheme {
            Scheme::Rigid => &PARAMETERS[..5],
            _ => &PARAMETERS[..],
        };
        let given = (&start, &inputs);
        assert_adjoint_agrees(&stepper, given, felt, &Turned(steps), 1e-4);
    }
}

/// A ball on a vertical slide touches the ground; the force of the contact is the state of a delay.
fn sensed_ball() -> (TimeSteppingRigidBodySystem<f64>, State<f64>) {
    let mut tree = RigidBodyTreeBuilder::new();
    let ball = tree
        .add_body("ball", SpatialInertia::solid_sphere(0.2, 0.05))
        .unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::z() };
    let here = RigidTransform::identity();
    tree.add_joint("slide", kind, BodyIndex::WORLD, here, ball)
        .unwrap();
    let tree = tree.finish().unwrap();
    let material = ContactMaterial::new(1e4, 0.2, 0.8).unwrap();
    let mut contact = ContactModelBuilder::new();
    for (name, body, shape) in [
        ("ball", ball, Shape::new_sphere(0.05).unwrap()),
        ("ground", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        contact
            .add_geometry(crate::support::scenes::geometry(
                name, body, shape, material,
            ))
            .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let force = Delayed::new(ContactForce::new("force", ball), 1);
    let stepper = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3)
        .unwrap()
        .with_generalized_forces()
        .unwrap()
        .with_sensors([force])
        .unwrap();
    let mut start = stepper.initial_state();
    (start.q[0], start.v[0]) = (0.0499, -0.1);
    (stepper, start)
}

#[test]
fn inputs_are_felt_by_sensors_of_contact_as_differences_say() {
    let (stepper, start) = sensed_ball();
    assert_inputs_agree(&stepper, &start, &[0.1]);
}

/// More parameters than a chunk has directions, in two orders, and one of them twice.
#[test]
fn columns_of_parameters_do_not_depend_on_their_order() {
    let (stepper, start) = sensed_ball();
    let names: Vec<String> = stepper.parameters().into_iter().map(|p| p.name).collect();
    assert!(names.len() > 16);
    let columns = |names: &[&str]| {
        let mut differentiator = StepDifferentiator::new(&stepper, names).unwrap();
        let mut jacobian = StepJacobian::default();
        (differentiator.jacobian(&start, &[0.1], &mut jacobian)).unwrap();
        jacobian.parameters
    };
    let forward: Vec<&str> = names.iter().map(String::as_str).collect();
    let backward: Vec<&str> = forward.iter().rev().copied().collect();
    let (expected, reversed) = (columns(&forward), columns(&backward));
    let stiffness = "ball/stiffness";
    let twice = columns(&[stiffness, stiffness]);
    for (k, name) in names.iter().enumerate() {
        let column = expected.column(k);
        let other = reversed.column(names.len() - 1 - k);
        let error = (column - other).amax();
        assert!(error <= 1e-12 * column.amax(), "{name}: {error:e}");
        if name.ends_with(stiffness) {
            assert!(column.rows_range(2..).amax() > 0.0, "states of the sensor");
            assert_eq!((twice.column(0), twice.column(1)), (column, column));
        }
    }
}

/// More inputs than a chunk has directions, with damping between two bodies and a sensor.
#[test]
fn inputs_of_every_chunk_agree_with_differences() {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(0.5, 0.1);
    let bodies = ["first", "second"].map(|name| tree.add_body(name, inertia).unwrap());
    let frames = [0, 1].map(|k| {
        let pose = RigidTransform::from_translation(Vector3::new(0.05, 0.1, 0.0));
        tree.add_frame(format!("frame {k}"), bodies[k], pose)
            .unwrap()
    });
    let tree = tree.finish().unwrap();
    let sources = frames.map(|frame| SpatialForceSource::new(format!("at {frame:?}"), frame));
    let dampers: Vec<_> = (0..8)
        .map(|k| {
            SpringDamper::new(format!("damper {k}"), &tree, frames, [100.0, 20.0, 0.5]).unwrap()
        })
        .collect();
    let contact = ContactModel::none();
    let stepper = TimeSteppingRigidBodySystem::new(tree.clone(), contact, 1e-2)
        .unwrap()
        .with_actuators(sources)
        .unwrap()
        .with_actuators(dampers)
        .unwrap()
        .with_sensors([FullState::new(&tree)])
        .unwrap();
    let mut start = stepper.initial_state();
    start.q[11] = 0.8;
    start.v[3] = 1.0;
    start.v[10] = -0.3;
    let input: Vec<f64> = (0..20).map(|k| 0.05 * k as f64).collect();
    assert_inputs_agree(&stepper, &start, &input);
}

fn assert_inputs_agree(
    stepper: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
    input: &[f64],
) {
    let mut differentiator = StepDifferentiator::new(stepper, &[]).unwrap();
    let mut jacobian = StepJacobian::default();
    differentiator
        .jacobian(start, input, &mut jacobian)
        .unwrap();
    for k in 0..input.len() {
        let moved = |h: f64| {
            let mut input = input.to_vec();
            input[k] += h;
            flat(stepper, start, &input)
        };
        let expected = differences(moved, 1e-3);
        let error = (jacobian.input.column(k) - &expected).amax();
        assert!(
            error < 1e-7 * expected.amax().max(1.0),
            "input {k}: {error:e}"
        );
    }
}
