//! Systems and integrators under extreme input: an error or finite numbers, never a panic or a hang.

use crate::support::cases::cases;
use crate::support::scenes::geometry;
use dualbody::actuator::{
    AnyActuator, FirstOrderLag, PdServo, Propeller, SpatialForceSource, SpringDamper, TorqueSource,
};
use dualbody::constraint::JointLimitConstraint;
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::integrator::{
    DormandPrince, ExplicitRungeKutta, ImplicitRungeKutta, SemiImplicitEuler,
};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{AnySensor, Delayed, Encoder, FullState, Imu, Lidar};
use dualbody::system::{
    IntegrationMethod, RigidBodyFlow, RigidBodySystem, Scheme, State, SystemError,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};
use proptest::prelude::*;
use std::error::Error;

type Failure = Box<dyn Error>;

type Actuators = [AnyActuator<f64>; 5];
type Sensors = [AnySensor<f64>; 4];

/// A free ball and an arm on a hinge, over the ground.
fn scene() -> (RigidBodyTree<f64>, ContactModel<f64>) {
    let mut builder = RigidBodyTreeBuilder::new();
    let at = RigidTransform::identity();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    let [ball, arm] = ["ball", "arm"].map(|name| builder.add_body(name, inertia).unwrap());
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    builder
        .add_joint("hinge", hinge, BodyIndex::WORLD, at, arm)
        .unwrap();
    let tip = RigidTransform::from_translation(Vector3::new(0.1, 0.0, 0.0));
    builder.add_frame("on ball", ball, tip).unwrap();
    builder.add_frame("on arm", arm, tip).unwrap();
    let tree = builder.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let rubber = ContactMaterial::new(5e3, 0.5, 0.6).unwrap();
    let sphere = || Shape::new_sphere(0.1).unwrap();
    for (name, body, shape) in [
        ("ball", ball, sphere()),
        ("arm", arm, sphere()),
        ("ground", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        contact
            .add_geometry(geometry(name, body, shape, rubber))
            .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    (tree, contact)
}

fn elements(tree: &RigidBodyTree<f64>, c: &[f64]) -> Result<(Actuators, Sensors), Failure> {
    let hinge = tree.joint_by_name("hinge")?;
    let (ball, arm) = (
        tree.frame_by_name("on ball")?,
        tree.frame_by_name("on arm")?,
    );
    let body = tree.body_by_name("ball")?;
    let identity = RigidTransform::identity();
    let motor = TorqueSource::new("motor", tree, hinge, c[0], Some(c[1].abs()))?;
    let gains = [c[3].abs(), c[4].abs()];
    let spring = [c[5].abs(), c[6].abs(), c[7].abs()];
    let actuators = [
        AnyActuator::new(FirstOrderLag::new("lag", c[2].abs(), motor)?),
        AnyActuator::new(PdServo::new("servo", tree, hinge, gains, None)?),
        AnyActuator::new(SpringDamper::new("spring", tree, [ball, arm], spring)?),
        AnyActuator::new(Propeller::new("propeller", tree, ball, c[8], c[9])?),
        AnyActuator::new(SpatialForceSource::new("thrust", arm)),
    ];
    let fan = Lidar::fan(3, c[10], c[11]);
    let bias = Vector3::repeat(c[13]);
    let imu = Imu::new("imu", tree, body, &identity)?.with_bias(bias, Vector3::zeros());
    let sensors = [
        AnySensor::new(Encoder::new("encoder", tree, hinge, c[12].abs())?),
        AnySensor::new(imu),
        AnySensor::new(Lidar::new(
            "lidar",
            tree,
            body,
            &identity,
            &fan,
            [0.0, 10.0],
        )?),
        AnySensor::new(Delayed::new(FullState::new(tree), 2)),
    ];
    Ok((actuators, sensors))
}

fn finite<'a>(values: impl IntoIterator<Item = &'a f64>) -> bool {
    values.into_iter().all(|x| x.is_finite())
}

/// Everything that a system does from a state, with a length of a step.
fn exercise(
    (actuators, sensors): (Actuators, Sensors),
    (numbers, h): (&[f64], f64),
) -> Result<(), Failure> {
    let (tree, contact) = scene();
    let hinge = tree.joint_by_name("hinge")?;
    let stop = JointLimitConstraint::new("stop", &tree, hinge, Some(-0.9), Some(0.3))?;
    let blind = RigidBodySystem::new(tree, contact)?.with_actuators(actuators)?;
    let free = blind.clone().with_sensors(sensors.clone())?;
    let mut state = free.initial_state();
    let ball = free.tree().joint(free.tree().joint_by_name("ball")?)?;
    let (quaternion, nq) = (ball.position_start(), state.q.len());
    state.q.copy_from_slice(&numbers[..nq]);
    state.v.copy_from_slice(&numbers[8..15]);
    state.actuators[0] = numbers[15];
    let norm = state.q.rows(quaternion, 4).norm();
    state.q.rows_mut(quaternion, 4).unscale_mut(norm);
    let input = &numbers[16..27];

    let mut unseen = state.clone();
    unseen.sensors = DVector::zeros(0);
    for stops in [vec![], vec![stop]] {
        let blind = blind.clone().with_constraints(stops)?;
        integrate(&blind, &unseen, input, h);
        exercise_system(&blind.with_sensors(sensors.clone())?, &state, input, h)?;
    }
    Ok(())
}

fn exercise_system(
    system: &RigidBodySystem<f64>,
    state: &State<f64>,
    input: &[f64],
    h: f64,
) -> Result<(), Failure> {
    let mut workspace = system.dynamics_workspace();
    let mut out = vec![0.0; system.num_outputs()];
    if (system.output(&mut workspace, state, input, &mut || 0.5, &mut out)).is_ok() {
        assert!(finite(&out));
    }
    if let Ok(rest) = system.equilibrium(state, input, 1e-9) {
        assert!(finite(&rest.q));
    }
    // Delayed sensors move from sample to sample.
    assert!(RigidBodyFlow::new(system).is_err());

    let integrated = |method, substeps| Scheme::Continuous { method, substeps };
    for scheme in [
        Scheme::Compliant,
        Scheme::Rigid,
        integrated(IntegrationMethod::RungeKutta4, 3),
        integrated(IntegrationMethod::Radau5, 1),
    ] {
        let system = TimeSteppingRigidBodySystem::with_scheme(system.clone(), h, scheme)?;
        let mut workspace = system.workspace()?;
        let step = system.step_with_noise(&mut workspace, state, input, &mut || 0.5);
        if let Ok(mut step) = step {
            assert!(finite(step.output()));
            let next = step.state();
            assert!(finite(&next.q) && finite(&next.v));
            assert!(finite(&next.actuators) && finite(&next.sensors));
            if let Ok(contacts) = step.contacts() {
                assert!(contacts.iter().all(|c| finite(&c.force)));
            }
            if let Ok(forces) = step.constraint_forces() {
                assert!(forces.iter().all(|f| f.force.is_finite()));
            }
        }
        if let Ok(model) = system.linearize(state, input) {
            for matrix in [&model.a, &model.b, &model.c, &model.d] {
                assert!(finite(matrix));
            }
        }
    }
    Ok(())
}

fn integrate(system: &RigidBodySystem<f64>, state: &State<f64>, input: &[f64], h: f64) {
    let mut flow = RigidBodyFlow::new(system).unwrap();
    if flow.set_input(input).is_err() {
        return;
    }
    let mut start = Vec::new();
    flow.write_state(state, &mut start);
    let mut method = DormandPrince::new(1e-3, 1e-3).unwrap().with_limits(50, 10);
    for kind in 0..4 {
        let mut x = start.clone();
        let done = match kind {
            0 => (ExplicitRungeKutta::classical().step(&mut flow, 0.0, h, &mut x)).is_ok(),
            1 => (SemiImplicitEuler::new().step(&mut flow, 0.0, h, &mut x)).is_ok(),
            2 => (ImplicitRungeKutta::radau_5().step(&mut flow, 0.0, h, &mut x)).is_ok(),
            _ => (method.integrate(&mut flow, 0.0, h.abs(), &mut x, |_| {})).is_ok(),
        };
        assert!(!done || finite(&x), "method {kind}");
    }
}

/// Mostly ordinary numbers, and now and then one that is not.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        12 => -1.0..1.0,
        1 => prop::sample::select(vec![
            0.0, f64::MIN_POSITIVE, 1e-320, -1e-150, 1e150, -1e300, f64::MAX, f64::INFINITY, f64::NAN,
        ]),
    ]
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn extreme_input_gives_errors_or_finite_numbers(
        constants in prop::collection::vec(number(), 14),
        numbers in prop::collection::vec(number(), 27),
        h in number(),
    ) {
        // What does not make sense is refused here or there.
        if let Ok(elements) = elements(&scene().0, &constants) {
            let _ = exercise(elements, (&numbers, h));
        }
    }
}

#[test]
fn workspaces_of_other_systems_are_refused() {
    let constants = [0.5; 14];
    let machine = |with_sensors: bool| {
        let (tree, contact) = scene();
        let (actuators, sensors) = elements(&tree, &constants).unwrap();
        let system = TimeSteppingRigidBodySystem::new(tree, contact, 0.01).unwrap();
        let system = system.with_actuators(actuators).unwrap();
        let [encoder, ..] = sensors;
        let sensors = with_sensors.then_some(encoder);
        system.with_sensors(sensors).unwrap()
    };
    let (blind, seeing) = (machine(false), machine(true));
    for (system, other) in [(&blind, &seeing), (&seeing, &blind)] {
        let mut workspace = other.workspace().unwrap();
        let state = system.initial_state();
        let result = system.step(&mut workspace, &state, &[0.0; 11]);
        assert_eq!(result.err(), Some(SystemError::ForeignWorkspace));
    }

    let (tree, contact) = scene();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let (tree, contact) = scene();
    let other = RigidBodySystem::new(tree, contact).unwrap();
    let mut workspace = other.dynamics_workspace();
    let state = system.initial_state();
    let result = system.accelerations(&mut workspace, &state, &[]);
    assert!(result.is_err());
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let at = |system: &RigidBodySystem<f64>| {
            TimeSteppingRigidBodySystem::with_scheme(system.clone(), 0.01, scheme).unwrap()
        };
        let mut workspace = at(&other).workspace().unwrap();
        assert!(at(&system).step(&mut workspace, &state, &[]).is_err());
    }
}
