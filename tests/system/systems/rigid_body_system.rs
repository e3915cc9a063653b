//! Systems in continuous time, linear models, equilibria, recordings.

use crate::support::scenes::geometry;
use dualbody::Parameters;
use dualbody::actuator::{FirstOrderLag, GeneralizedForce, PdServo, TorqueSource};
use dualbody::constraint::{DistanceConstraint, JointLimitConstraint};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::integrator::{DormandPrince, ExplicitRungeKutta, ImplicitRungeKutta};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{AnySensor, ContactForce, FullState, Imu, ImuNoise};
use dualbody::system::{
    Recording, RigidBodyFlow, RigidBodySystem, State, SystemError, SystemOptions,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};
use num_dual::{Dual2_64, Dual64, DualNum};

const G: f64 = 9.81;
const L: f64 = 0.7;
const M: f64 = 1.3;

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-10 * (1.0 + b.abs()), "{a} and {b}");
}

/// A point mass on a rod that hangs from a hinge about y.
fn pendulum() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let bob = SpatialInertia::point_mass(M, Vector3::new(0.0, 0.0, -L));
    let bob = builder.add_body("bob", bob).unwrap();
    let (hinge, at) = (
        JointKind::Revolute { axis: Vector3::y() },
        RigidTransform::identity(),
    );
    builder
        .add_joint("hinge", hinge, BodyIndex::WORLD, at, bob)
        .unwrap();
    builder.finish().unwrap()
}

/// A system without contacts and inputs.
fn free(tree: RigidBodyTree<f64>) -> RigidBodySystem<f64> {
    RigidBodySystem::new(tree, ContactModel::none()).unwrap()
}

fn rigid_contact() -> SystemOptions {
    let mut options = SystemOptions::default();
    options.rigid_contact = true;
    options
}

#[test]
fn options_hold_the_stiction_tolerance_that_was_set() {
    let mut system = free(pendulum()).cast::<Dual64>();
    let tolerance = Dual64::from(0.02).derivative();
    system
        .set_parameter("stiction_tolerance", tolerance)
        .unwrap();
    let mut options = *system.options();
    assert_eq!(options.contact_solver.stiction_tolerance, 0.02);
    // Other options leave it, with its derivative.
    options.friction_edges = 8;
    let mut system = system.with_options(options).unwrap();
    assert_eq!(system.parameter("stiction_tolerance").unwrap(), tolerance);
    assert_eq!(
        system.parameter("stiction_tolerance").unwrap().eps,
        tolerance.eps
    );
    // A value that is refused leaves it too.
    let refused = system.set_parameter("stiction_tolerance", (-1.0).into());
    assert!(refused.is_err());
    assert_eq!(system.options().contact_solver.stiction_tolerance, 0.02);
    let system = system.with_options(SystemOptions::default()).unwrap();
    let found = system.parameter("stiction_tolerance").unwrap();
    let default = SystemOptions::default().contact_solver.stiction_tolerance;
    assert_eq!((found.re, found.eps), (default, 0.0));
}

/// A ball of 2 kg and radius 0.1 m over the ground: on a vertical rail, or free.
fn ball(free: bool) -> (RigidBodyTree<f64>, ContactModel<f64>) {
    let mut builder = RigidBodyTreeBuilder::new();
    let ball = builder
        .add_body("ball", SpatialInertia::solid_sphere(2.0, 0.1))
        .unwrap();
    if !free {
        let (rail, at) = (
            JointKind::Prismatic { axis: Vector3::z() },
            RigidTransform::identity(),
        );
        builder
            .add_joint("rail", rail, BodyIndex::WORLD, at, ball)
            .unwrap();
    }
    let tree = builder.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let rubber = ContactMaterial::new(5e3, 0.5, 0.6).unwrap();
    let shape = Shape::new_sphere(0.1).unwrap();
    contact
        .add_geometry(geometry("ball", ball, shape, rubber))
        .unwrap();
    let ground = ContactMaterial::rigid(0.6).unwrap();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, ground);
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();
    (tree, contact)
}

#[test]
fn a_driven_pendulum_accelerates_as_it_must() {
    let tree = pendulum();
    let hinge = tree.joint_by_name("hinge").unwrap();
    let motor = TorqueSource::new("motor", &tree, hinge, 1.0, None).unwrap();
    let lag = FirstOrderLag::new("lag", 0.2, motor).unwrap();
    let system = free(tree).with_actuators([lag]).unwrap();
    let mut workspace = system.dynamics_workspace();
    // The motor's torque is its state, not the input.
    let torque = 5.0;
    let mut state = system.initial_state();
    (state.q[0], state.v[0], state.actuators[0]) = (0.4, 0.3, 0.9);
    let vdot = system
        .accelerations(&mut workspace, &state, &[torque])
        .unwrap();
    close(vdot[0], -G / L * 0.4f64.sin() + 0.9 / (M * L * L));
    assert_eq!(system.input_index("motor/torque").unwrap(), 0);
    assert!(system.output_index("nothing").is_err());
    assert!(system.accelerations(&mut workspace, &state, &[]).is_err());
    state.actuators = DVector::zeros(0);
    let without = system.accelerations(&mut workspace, &state, &[0.0]);
    assert!(without.is_err());
    // The lag in time: y = u (1 − e^{−t/T}).
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    flow.set_input(&[torque]).unwrap();
    let mut x = vec![0.0; 3];
    let mut method = DormandPrince::new(1e-11, 1e-11).unwrap();
    method
        .integrate(&mut flow, 0.0, 0.3, &mut x, |_| {})
        .unwrap();
    assert!((x[2] - torque * (1.0 - (-1.5f64).exp())).abs() < 1e-9);
}

#[test]
fn energy_and_unit_quaternions_are_kept() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(1.0, Vector3::new(0.1, 0.2, 0.25));
    builder.add_body("stone", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let system = free(tree);
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    let mut x = vec![
        1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2, 5.0, 0.1, 1.0, 0.0, 4.0,
    ];
    let mut tree = system.tree().workspace();
    let mut energy = |x: &[f64]| {
        system
            .tree()
            .set_state(&mut tree, &x[..7], &x[7..])
            .unwrap();
        let kinetic = system.tree().kinetic_energy(&tree).unwrap();
        kinetic + system.tree().potential_energy(&tree).unwrap()
    };
    let before = energy(&x);
    let mut method = DormandPrince::new(1e-10, 1e-10).unwrap();
    method
        .integrate(&mut flow, 0.0, 3.0, &mut x, |_| {})
        .unwrap();
    assert!((energy(&x) / before - 1.0).abs() < 1e-8);
    assert!((x[..4].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
    close(x[6], 4.0 * 3.0 - 0.5 * G * 9.0);
    // Steps that are far too long do not leave the sphere either.
    ExplicitRungeKutta::euler()
        .step(&mut flow, 0.0, 0.5, &mut x)
        .unwrap();
    assert!((x[..4].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
}

/// Biases that walk from sample to sample are for steps, not for a flow.
#[test]
fn flows_refuse_states_that_are_sampled() {
    let (tree, contact) = ball(false);
    let imu = |noise| {
        let body = tree.body_by_name("ball").unwrap();
        let imu = Imu::new("imu", &tree, body, &RigidTransform::identity()).unwrap();
        let imu = imu.with_noise(noise).unwrap();
        let system = RigidBodySystem::new(tree.clone(), contact.clone()).unwrap();
        system.with_sensors([imu]).unwrap()
    };
    let mut noise = ImuNoise::default();
    (noise.specific_force, noise.angular_rate) = (0.1, 0.2);
    assert!(RigidBodyFlow::new(&imu(noise)).is_ok());
    noise.angular_rate_walk = 0.01;
    let what = "states of sensors";
    let refused = RigidBodyFlow::new(&imu(noise)).map(|_| ());
    assert_eq!(refused, Err(SystemError::SampledState { what }));
}

/// A ball drops on soft ground and comes to rest m g/k deep, with the derivative −m g/k² by the
/// stiffness; sensors feel its weight.
#[test]
fn a_ball_comes_to_rest_on_the_ground() {
    let (tree, contact) = ball(false);
    let body = tree.body_by_name("ball").unwrap();
    let at = RigidTransform::identity();
    let sensors = [
        AnySensor::new(Imu::new("imu", &tree, body, &at).unwrap()),
        AnySensor::new(ContactForce::new("foot", body)),
    ];
    let system = RigidBodySystem::new(tree, contact)
        .unwrap()
        .with_sensors(sensors)
        .unwrap();
    let mut system = system.cast::<Dual64>();
    let stiffness = Dual64::from(5e3).derivative();
    system.set_parameter("ball/stiffness", stiffness).unwrap();
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    let mut state = system.initial_state();
    state.q[0] = Dual64::from(0.15);
    let mut x = Vec::new();
    flow.write_state(&state, &mut x);
    let mut method = ImplicitRungeKutta::radau_5();
    // Dissipation of Hunt and Crossley's law fades with the motion: give it time.
    let h = Dual64::from(0.01);
    for k in 0..1500 {
        method.step(&mut flow, h * k as f64, h, &mut x).unwrap();
    }
    flow.read_state(&x, &mut state).unwrap();
    let depth = 2.0 * G / 5e3;
    assert!(
        (state.q[0].re - (0.1 - depth)).abs() < 2e-3 * depth,
        "{}",
        x[0].re
    );
    // The equilibrium itself, by Newton's method, to higher order.
    let mut system = system.cast::<Dual2_64>();
    let stiffness = Dual2_64::from(5e3).derivative();
    system.set_parameter("ball/stiffness", stiffness).unwrap();
    let mut guess = system.initial_state();
    guess.q[0] = Dual2_64::from(0.0995);
    let state = system.equilibrium(&guess, &[], 1e-11).unwrap();
    let z = state.q[0];
    close(z.re, 0.1 - depth);
    assert!((z.v1 / (depth / 5e3) - 1.0).abs() < 1e-10);
    assert!((z.v2 / (-2.0 * depth / 25e6) - 1.0).abs() < 1e-10);
    let mut workspace = system.dynamics_workspace();
    let mut out = vec![Dual2_64::from(0.0); 12];
    system
        .output(&mut workspace, &state, &[], &mut || 0.0, &mut out)
        .unwrap();
    close(out[2].re, G);
    close(out[11].re, 2.0 * G);
    assert!(out[11].v1.abs() < 1e-10);
    assert_eq!(workspace.contacts().len(), 1);
}

#[test]
fn equilibria_have_derivatives_or_say_why_not() {
    let tree = pendulum();
    let hinge = tree.joint_by_name("hinge").unwrap();
    let motor = TorqueSource::new("motor", &tree, hinge, 1.0, None).unwrap();
    let system = free(tree).with_actuators([motor]).unwrap();
    let dual = system.cast::<Dual64>();
    let torque = Dual64::from(3.0).derivative();
    let state = dual
        .equilibrium(&dual.initial_state(), &[torque], 1e-12)
        .unwrap();
    // sin θ = τ/(m g l).
    let weight = M * G * L;
    close(state.q[0].re, (3.0 / weight).asin());
    close(
        state.q[0].eps,
        1.0 / (weight * (1.0 - (3.0 / weight).powi(2)).sqrt()),
    );
    // More torque than the weight can hold.
    let result = system.equilibrium(&system.initial_state(), &[20.0], 1e-12);
    assert!(matches!(result, Err(SystemError::NoEquilibrium { .. })));
    // A free ball on the ground rolls: many equilibria.
    let (tree, contact) = ball(true);
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let mut guess = system.initial_state();
    guess.q[6] = 0.0995;
    let state = system.equilibrium(&guess, &[], 1e-10).unwrap();
    close(state.q[6], 0.1 - 2.0 * G / 5e3);
    let dual = system.cast::<Dual64>();
    let result = dual.equilibrium(&guess.cast(), &[], 1e-10);
    assert_eq!(result, Err(SystemError::IndifferentEquilibrium));
}

/// A free ball on a rod is a pendulum; the rod and its derivative come from the constraint solver.
#[test]
fn constraint_forces_are_found_with_the_accelerations() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(M, Vector3::repeat(0.01));
    let bob = builder.add_body("bob", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let rod = DistanceConstraint::new(
        "rod",
        (BodyIndex::WORLD, Vector3::zeros()),
        (bob, Vector3::zeros()),
        L,
    )
    .unwrap();
    let system = free(tree);
    let system = system.with_constraints([rod]).unwrap();
    let angle = Dual64::from(0.5).derivative();
    let (sin, cos) = (angle.sin(), angle.cos());
    let rate = 1.1;
    let zero = Dual64::from(0.0);
    let one = Dual64::from(1.0);
    let q = [one, zero, zero, zero, sin * L, zero, -cos * L];
    let v = [zero, zero, zero, cos * L * rate, zero, sin * L * rate];
    let dual = system.cast::<Dual64>();
    let mut workspace = dual.dynamics_workspace();
    let state = State::new(
        DVector::from_column_slice(&q),
        DVector::from_column_slice(&v),
    );
    let vdot = dual.accelerations(&mut workspace, &state, &[]).unwrap();
    let alpha = -sin * (G / L);
    let expected = [
        (cos * alpha - sin * (rate * rate)) * L,
        (sin * alpha + cos * (rate * rate)) * L,
    ];
    for (a, b) in [(vdot[3], expected[0]), (vdot[5], expected[1])] {
        close(a.re, b.re);
        close(a.eps, b.eps);
    }
    // The rod pulls, which is negative.
    let [force] = workspace.constraint_forces() else {
        panic!("one row");
    };
    assert_eq!((force.constraint, force.row), (0, 0));
    close(force.force.re, -M * (G * cos.re + L * rate * rate));
    close(force.force.eps, M * G * sin.re);
    // It swings, and its length stays.
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    let mut x: Vec<f64> = q.iter().chain(&v).map(|x| x.re).collect();
    let mut method = DormandPrince::new(1e-9, 1e-9).unwrap();
    method
        .integrate(&mut flow, 0.0, 2.0, &mut x, |_| {})
        .unwrap();
    assert!((x[4].hypot(x[6]) - L).abs() < 1e-7);
    let energy = |x: &[f64]| 0.5 * M * (x[10] * x[10] + x[12] * x[12]) + M * G * x[6];
    let start: Vec<f64> = q.iter().chain(&v).map(|x| x.re).collect();
    assert!((energy(&x) - energy(&start)).abs() < 1e-6);
}

#[test]
fn equilibria_of_constrained_systems_have_derivatives() {
    // A bob that slides along x and z hangs on a rod; a force pushes it along x.
    let mut builder = RigidBodyTreeBuilder::new();
    let carriage = builder
        .add_body("carriage", SpatialInertia::solid_sphere(0.5, 0.1))
        .unwrap();
    let bob = builder
        .add_body("bob", SpatialInertia::solid_sphere(M, 0.1))
        .unwrap();
    let at = RigidTransform::identity();
    for (name, axis, parent, child) in [
        ("x", Vector3::x(), BodyIndex::WORLD, carriage),
        ("z", Vector3::z(), carriage, bob),
    ] {
        let kind = JointKind::Prismatic { axis };
        builder.add_joint(name, kind, parent, at, child).unwrap();
    }
    let tree = builder.finish().unwrap();
    let rod = DistanceConstraint::new(
        "rod",
        (BodyIndex::WORLD, Vector3::zeros()),
        (bob, Vector3::zeros()),
        L,
    )
    .unwrap();
    let push = GeneralizedForce::new("push", 0);
    let system = free(tree).with_actuators([push]).unwrap();
    let system = system.with_constraints([rod]).unwrap().cast::<Dual64>();
    let mut guess = system.initial_state();
    guess.q[1] = Dual64::from(-0.5);
    let force = Dual64::from(4.0).derivative();
    let state = system.equilibrium(&guess, &[force], 1e-12).unwrap();
    // tan θ = F/(m g).
    let angle = (force / (M * G)).atan();
    for (q, expected) in [
        (state.q[0], angle.sin() * L),
        (state.q[1], -angle.cos() * L),
    ] {
        close(q.re, expected.re);
        close(q.eps, expected.eps);
    }
    // By the length of the rod, a parameter of the constraint.
    let mut longer = system.clone();
    let length = Dual64::from(L).derivative();
    longer.set_parameter("rod/length", length).unwrap();
    let state = longer
        .equilibrium(&guess, &[Dual64::from(4.0)], 1e-12)
        .unwrap();
    close(state.q[0].eps, angle.sin().re);
    close(state.q[1].eps, -angle.cos().re);
    // Without a contact, it is the same where contact is rigid.
    let rigid = system.with_options(rigid_contact()).unwrap();
    let state = rigid.equilibrium(&guess, &[force], 1e-12).unwrap();
    close(state.q[0].re, (angle.sin() * L).re);
    close(state.q[0].eps, (angle.sin() * L).eps);
    let result = rigid.equilibrium(&guess, &[force], f64::NAN);
    assert!(matches!(result, Err(SystemError::Invalid(_))));
}

/// A pendulum that leans on a stop: where it does, the stop says where it is; elsewhere it has no say.
#[test]
fn equilibria_at_limits_have_derivatives() {
    let limits = (-0.5, 0.3);
    let tree = pendulum();
    let hinge = tree.joint_by_name("hinge").unwrap();
    let motor = TorqueSource::new("motor", &tree, hinge, 1.0, None).unwrap();
    let (lower, upper) = (Some(limits.0), Some(limits.1));
    let stops = JointLimitConstraint::new("stops", &tree, hinge, lower, upper).unwrap();
    let system = free(tree).with_actuators([motor]).unwrap();
    let system = system.with_constraints([stops]).unwrap();
    let angle = |torque: f64, (parameter, change): (&str, f64), guess: f64| {
        let mut system = system.clone();
        let value = system.parameter(parameter).unwrap();
        system.set_parameter(parameter, value + change).unwrap();
        let mut start = system.initial_state();
        start.q[0] = guess;
        system.equilibrium(&start, &[torque], 1e-12).unwrap().q[0]
    };
    let free = (1.0 / (M * G * L)).asin();
    let upper = ("stops/upper", 0.0);
    for guess in [-0.7, -0.2, 0.0, 0.25, 0.6] {
        close(angle(1.0, upper, guess), free);
        close(angle(5.0, upper, guess), limits.1);
        close(angle(-7.0, upper, guess), limits.0);
    }
    // The torque, both stops and the mass, against differences.
    let h = 1e-6;
    for torque in [1.0, 5.0, -7.0] {
        let parameters = ["stops/upper", "stops/lower", "body/bob/mass", "gravity/z"];
        for parameter in parameters {
            let mut dual = system.cast::<Dual64>();
            let value = dual.parameter(parameter).unwrap().derivative();
            dual.set_parameter(parameter, value).unwrap();
            let start = dual.initial_state();
            let state = dual.equilibrium(&start, &[torque.into()], 1e-12).unwrap();
            let [more, less] = [h, -h].map(|h| angle(torque, (parameter, h), 0.0));
            let difference = (more - less) / (2.0 * h);
            let exact = state.q[0].eps;
            assert!(
                (exact - difference).abs() < 1e-8,
                "{torque} {parameter}: {exact} {difference}"
            );
        }
        let dual = system.cast::<Dual64>();
        let input = Dual64::from(torque).derivative();
        let state = dual
            .equilibrium(&dual.initial_state(), &[input], 1e-12)
            .unwrap();
        let [more, less] = [h, -h].map(|h| angle(torque + h, upper, 0.0));
        assert!((state.q[0].eps - (more - less) / (2.0 * h)).abs() < 1e-8);
        assert_eq!(state.q[0].eps.abs() > 1e-3, torque == 1.0);
    }
    // A torque that just reaches the stop: the position is there, derivatives are finite or refused.
    let just = M * G * L * limits.1.sin();
    assert!((angle(just, upper, 0.0) - limits.1).abs() < 1e-5);
    let dual = system.cast::<Dual64>();
    let input = Dual64::from(just).derivative();
    match dual.equilibrium(&dual.initial_state(), &[input], 1e-12) {
        Ok(state) => assert!(state.q[0].eps.is_finite()),
        Err(error) => assert_eq!(error, SystemError::IndifferentEquilibrium),
    }
}

#[test]
fn rigid_contacts_stick_and_slip() {
    let (tree, contact) = ball(true);
    let push = GeneralizedForce::new("push", 3);
    let feel = ContactForce::new("feel", BodyIndex::WORLD);
    let system = RigidBodySystem::new(tree, contact)
        .unwrap()
        .with_actuators([push])
        .unwrap()
        .with_sensors([feel])
        .unwrap()
        .with_options(rigid_contact())
        .unwrap();
    let mut system = system.cast::<Dual64>();
    let friction = Dual64::from(0.6).derivative();
    system.set_parameter("ball/friction", friction).unwrap();
    system.set_parameter("ground/friction", friction).unwrap();
    let mut workspace = system.dynamics_workspace();
    let mut state = system.initial_state();
    state.q[6] = Dual64::from(0.1);
    let mut accelerate = |speed: f64, force: f64| {
        state.v[3] = Dual64::from(speed);
        let mut out = [Dual64::from(0.0); 6];
        system
            .output(
                &mut workspace,
                &state,
                &[Dual64::from(force)],
                &mut || 0.0,
                &mut out,
            )
            .unwrap();
        let [contact] = workspace.contacts() else {
            panic!("one contact");
        };
        close(contact.force.z.re, 2.0 * G);
        close(out[5].re, -2.0 * G);
        let vdot = system.accelerations(&mut workspace, &state, &[Dual64::from(force)]);
        (vdot.unwrap()[3], out[3])
    };
    // Slips: friction μ m g, whatever pushes.
    let (a, on_ground) = accelerate(1.0, 5.0);
    close(a.re, 2.5 - 0.6 * G);
    close(a.eps, -G);
    close(on_ground.re, 0.6 * 2.0 * G);
    // Rolls without slipping: F = m a + I a/r², whatever the friction.
    let (a, _) = accelerate(0.0, 5.0);
    close(a.re, 5.0 / (2.0 * 1.4));
    close(a.eps, 0.0);
}

/// The linear model of a hanging pendulum is that of the scheme.
#[test]
fn linear_models_are_addressed_by_name() {
    let tree = pendulum();
    let sensor = FullState::new(&tree);
    let dt = 0.01;
    let system = free(tree)
        .with_actuators([GeneralizedForce::new("push", 0)])
        .unwrap()
        .with_sensors([sensor])
        .unwrap();
    let plant = TimeSteppingRigidBodySystem::compliant(system, dt).unwrap();
    let mut state = plant.initial_state();
    state.q[0] = 0.4;
    let model = plant.linearize(&state, &[0.2]).unwrap();
    let stiffness = G / L * 0.4f64.cos();
    for (row, column, gain) in [
        (
            "hinge/position",
            "hinge/position",
            1.0 - dt * dt * stiffness,
        ),
        ("hinge/position", "hinge/velocity", dt),
        ("hinge/velocity", "hinge/position", -dt * stiffness),
        ("hinge/velocity", "hinge/velocity", 1.0),
        ("hinge/velocity", "push/force", dt / (M * L * L)),
        ("state/q/0", "hinge/position", 1.0),
        ("state/v/0", "hinge/velocity", 1.0),
        ("state/v/0", "push/force", 0.0),
    ] {
        close(model.gain(row, column).unwrap(), gain);
    }
    assert_eq!(model.gain("hinge/position", "nothing"), None);
}

/// Displacements of quaternions, states of actuators and outputs, against differences.
#[test]
fn linear_models_agree_with_differences() {
    let (tree, contact) = ball(true);
    let imu = Imu::new("imu", &tree, BodyIndex::new(1), &RigidTransform::identity()).unwrap();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).unwrap();
    let force = FirstOrderLag::new("lag", 0.01, GeneralizedForce::new("push", 3)).unwrap();
    let plant = system
        .with_actuators([force])
        .unwrap()
        .with_sensors([imu])
        .unwrap();
    let mut state = plant.initial_state();
    state
        .q
        .copy_from_slice(&[0.8, 0.0, 0.6, 0.0, 0.1, 0.2, 0.099]);
    state.v.copy_from_slice(&[1.0, -2.0, 0.5, 0.3, 0.2, -0.1]);
    state.actuators[0] = 0.7;
    let model = plant.linearize(&state, &[0.4]).unwrap();
    assert_eq!(model.states.len(), 19);
    assert_eq!(model.states[2], "ball/position/2");
    assert_eq!(
        (model.states[12].as_str(), model.states[18].as_str()),
        ("actuators/0", "sensors/5")
    );
    let mut workspace = plant.workspace().unwrap();
    let h = 1e-6;
    for j in 0..20 {
        let mut at = |h: f64| {
            let (mut moved, mut input) = (state.clone(), [0.4]);
            match j {
                0..6 => {
                    let mut d = [0.0; 6];
                    d[j] = h;
                    let q = state.q.as_slice();
                    let to = moved.q.as_mut_slice();
                    plant.tree().integrate_exponential(q, &d, 1.0, to).unwrap();
                }
                6..12 => moved.v[j - 6] += h,
                12 => moved.actuators[0] += h,
                13..19 => moved.sensors[j - 13] += h,
                _ => input[0] += h,
            }
            let step = plant.step(&mut workspace, &moved, &input).unwrap();
            let d = plant.displacement(&model.base, step.state()).unwrap();
            (d, step.output().clone())
        };
        let ((dx, y), (dx_, y_)) = (at(h), at(-h));
        let (state_column, output_column) = if j < 19 {
            (model.a.column(j), model.c.column(j))
        } else {
            (model.b.column(0), model.d.column(0))
        };
        assert!(
            (state_column - (dx - dx_) / (2.0 * h)).amax() < 1e-6,
            "column {j}"
        );
        let scale = 1.0 + output_column.amax();
        assert!(
            (output_column - (y - y_) / (2.0 * h)).amax() < 1e-5 * scale,
            "column {j}"
        );
    }
}

/// Rates of a spinning body with an actuator's state, against differences of the flow.
#[test]
fn linear_rates_agree_with_differences_of_the_flow() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(1.3, Vector3::new(0.1, 0.2, 0.25));
    builder.add_body("stone", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let lag = FirstOrderLag::new("lag", 0.2, GeneralizedForce::new("twist", 1)).unwrap();
    let sensor = FullState::new(&tree);
    let system = free(tree)
        .with_actuators([lag])
        .unwrap()
        .with_sensors([sensor])
        .unwrap();
    let mut state = system.initial_state();
    (state.q.rows_mut(0, 4)).copy_from_slice(&[0.5, 0.5, -0.5, 0.5]);
    (state.v).copy_from_slice(&[1.0, -2.0, 0.7, 0.4, 0.5, -0.6]);
    state.actuators[0] = 0.3;
    let model = system.linearize(&state, &[0.8]).unwrap();
    assert_eq!(
        (model.a.nrows(), model.b.ncols(), model.c.nrows()),
        (13, 1, 13)
    );
    close(model.gain("actuators/0", "twist/force").unwrap(), 5.0);
    close(model.gain("actuators/0", "actuators/0").unwrap(), -5.0);
    close(
        model.gain("stone/velocity/3", "stone/velocity/3").unwrap(),
        0.0,
    );
    close(model.base[12], (0.8 - 0.3) * 5.0);
    // How fast the displacement from the state changes, by the flow from a displaced state.
    let tree = system.tree();
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    let mut method = ExplicitRungeKutta::classical();
    let mut rate = |x: &[f64]| {
        flow.set_input(&x[13..]).unwrap();
        let mut displaced = state.clone();
        let q = state.q.as_slice();
        tree.integrate_exponential(q, &x[..6], 1.0, displaced.q.as_mut_slice())
            .unwrap();
        let own = (displaced.v.iter_mut()).chain(&mut displaced.actuators);
        own.zip(&x[6..13]).for_each(|(entry, d)| *entry += d);
        let h = 1e-3;
        let [after, before] = [h, -h].map(|h| {
            let (mut y, mut end) = (Vec::new(), displaced.clone());
            flow.write_state(&displaced, &mut y);
            method.step(&mut flow, 0.0, h, &mut y).unwrap();
            flow.read_state(&y, &mut end).unwrap();
            let mut d = vec![0.0; 6];
            tree.difference(q, end.q.as_slice(), &mut d).unwrap();
            d.extend(end.v.iter().chain(&end.actuators));
            d
        });
        let rates = after.iter().zip(&before).map(|(a, b)| (a - b) / (2.0 * h));
        rates.collect::<Vec<f64>>()
    };
    let mut at = vec![0.0; 13];
    at.push(0.8);
    for j in 0..14 {
        let [after, before] = [1e-4, -1e-4].map(|h| {
            let mut x = at.clone();
            x[j] += h;
            rate(&x)
        });
        for i in 0..13 {
            let difference = (after[i] - before[i]) / 2e-4;
            let exact = if j < 13 {
                model.a[(i, j)]
            } else {
                model.b[(i, 0)]
            };
            assert!(
                (exact - difference).abs() < 1e-4,
                "({i}, {j}): {exact} {difference}"
            );
        }
    }
    assert!(system.linearize(&state, &[]).is_err());
}

#[test]
fn recordings_are_tables() {
    let tree = pendulum();
    let hinge = tree.joint_by_name("hinge").unwrap();
    let servo = PdServo::new("servo", &tree, hinge, [30.0, 3.0], None).unwrap();
    let sensor = FullState::new(&tree);
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.01).unwrap();
    let plant = system
        .with_actuators([servo])
        .unwrap()
        .with_sensors([sensor])
        .unwrap();
    let mut state = plant.initial_state();
    let mut recording = Recording::default();
    let target = |_: usize, _: &_, _: &[f64], input: &mut [f64]| input[0] = 0.5;
    plant
        .record(&mut state, 900, target, &mut || 0.0, &mut recording)
        .unwrap();
    assert_eq!(recording.rows().len(), 900);
    assert_eq!(recording.column("servo/position").unwrap()[7], 0.5);
    assert_eq!(recording.column("state/q/0"), recording.column("q/0"));
    assert_eq!(recording.column("contact/count").unwrap()[0], 0.0);
    close(recording.column("energy/potential").unwrap()[0], -M * G * L);
    // k_p (q_d − q) = m g l sin q at rest.
    let q = state.q[0];
    assert!((30.0 * (0.5 - q) - M * G * L * q.sin()).abs() < 1e-4);
    let mut csv = Vec::new();
    recording.write_csv(&mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap().split(',').count(),
        recording.columns().len()
    );
    for (line, row) in lines.zip(recording.rows()) {
        let read: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        assert_eq!(&read, row);
    }
    // An error keeps what has been recorded.
    let bad = |k: usize, _: &_, _: &[f64], input: &mut [f64]| {
        input[0] = if k == 3 { f64::NAN } else { 0.0 };
    };
    let mut recording = Recording::default();
    let result = plant.record(&mut state, 10, bad, &mut || 0.0, &mut recording);
    let failure = result.unwrap_err();
    assert_eq!((failure.step, recording.rows().len()), (3, 3));
}
