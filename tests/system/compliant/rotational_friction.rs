//! Torsional and rolling friction: closed forms, derivatives, energy, wrenches, files.

use crate::compliant::step_jacobian::{check, check_balls};
use crate::support::scenes::{free_body, geometry};
use dualbody::contact::{
    ContactError, ContactMaterial, ContactModelBuilder, FrictionRule, RotationalFriction,
    body_pair_contacts,
};
use dualbody::geometry::Shape;
use dualbody::math::SpatialInertia;
use dualbody::sensor::ContactForce;
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, SystemError, SystemOptions,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Parameters};
use nalgebra::{DVector, Vector3};
use num_dual::{Dual2_64, DualSVec64};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;
const MASS: f64 = 2.0;
const INERTIA: f64 = 0.4 * MASS * RADIUS * RADIUS;
const STIFFNESS: f64 = 1e5;

/// A ball on a rigid plane that falls by `slope` along x.
fn ball_on_a_plane(slope: f64, material: ContactMaterial<f64>) -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let down = Vector3::new(G * slope.sin(), 0.0, -G * slope.cos());
    tree.set_gravity(down).unwrap();
    let inertia = SpatialInertia::solid_sphere(MASS, RADIUS);
    let body = tree.add_body("ball", inertia).unwrap();
    let tree = tree.finish().unwrap();
    let plane = ContactMaterial::rigid(material.friction).unwrap();
    let mut contact = ContactModelBuilder::new();
    for (name, body, shape, material) in [
        ("ball", body, Shape::new_sphere(RADIUS).unwrap(), material),
        ("plane", BodyIndex::WORLD, Shape::HalfSpace, plane),
    ] {
        contact
            .add_geometry(geometry(name, body, shape, material))
            .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    RigidBodySystem::new(tree, contact).unwrap()
}

fn felt(torsional: f64, rolling: f64) -> ContactMaterial<f64> {
    ContactMaterial::new(STIFFNESS, 0.5, 0.8)
        .and_then(|material| material.with_rotational_friction(torsional, rolling))
        .unwrap()
}

/// The ball where its spring carries it.
fn start(slope: f64, angular: [f64; 3], linear: [f64; 3]) -> State<f64> {
    let depth = MASS * G * slope.cos() / STIFFNESS;
    let position = [0.0, 0.0, RADIUS - depth];
    free_body([1.0, 0.0, 0.0, 0.0], position, angular, linear)
}

/// The schemes that have this friction; the explicit integrator resolves its ramp.
fn schemes(dt: f64) -> [Scheme; 2] {
    let explicit = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: (dt / 2e-5).round() as usize,
    };
    [Scheme::Compliant, explicit]
}

fn stepper(
    slope: f64,
    material: ContactMaterial<f64>,
    scheme: Scheme,
) -> TimeSteppingRigidBodySystem<f64> {
    let mut options = SystemOptions::default();
    if scheme != Scheme::Compliant {
        options.contact_solver.stiction_tolerance = 1e-3;
    }
    let system = ball_on_a_plane(slope, material)
        .with_options(options)
        .unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, 1e-3, scheme).unwrap()
}

fn velocities_after(
    system: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
    steps: usize,
) -> DVector<f64> {
    let rollout = system.rollout(start, steps).unwrap();
    rollout.completed().unwrap().last().v.clone()
}

/// `ω̇ = −μ_t m g/I` until it stops.
#[test]
fn a_spinning_ball_slows_down() {
    let (spin, torsional) = (1.0, 2e-3);
    let slowing = torsional * MASS * G / INERTIA;
    for scheme in schemes(1e-3) {
        let system = stepper(0.0, felt(torsional, 0.0), scheme);
        let start = start(0.0, [0.0, 0.0, spin], [0.0; 3]);
        let after = |steps| velocities_after(&system, &start, steps)[2];
        let expected = spin - 0.1 * slowing;
        assert!(
            (after(100) / expected - 1.0).abs() < 1e-4,
            "{scheme:?}: {} {expected}",
            after(100)
        );
        let steps = (1.05e3 * spin / slowing) as usize;
        assert!(after(steps).abs() < 1e-4, "{scheme:?}: {}", after(steps));
    }
}

/// `v̇ = −(5/7) μ_r g/r`, with the friction of slip that keeps it rolling, until it stops.
#[test]
fn a_rolling_ball_slows_down() {
    let (speed, rolling) = (0.1, 4e-3);
    let slowing = 5.0 / 7.0 * rolling * G / RADIUS;
    for scheme in schemes(1e-3) {
        let system = stepper(0.0, felt(0.0, rolling), scheme);
        let start = start(0.0, [0.0, speed / RADIUS, 0.0], [speed, 0.0, 0.0]);
        let after = |steps| velocities_after(&system, &start, steps)[3];
        let expected = speed - 0.1 * slowing;
        // The spring takes a little of the radius, and slip is the creep of regularised friction.
        assert!(
            (after(100) / expected - 1.0).abs() < 2e-3,
            "{scheme:?}: {} {expected}",
            after(100)
        );
        let steps = (1.05e3 * speed / slowing) as usize;
        assert!(after(steps).abs() < 3e-5, "{scheme:?}: {}", after(steps));
    }
}

/// On a slope it stays where `tan α < μ_r/r`, and rolls with `(5/7) g (sin α − cos α μ_r/r)` above.
#[test]
fn a_ball_on_a_slope_stays_or_rolls() {
    let rolling = 5e-3;
    for scheme in schemes(1e-3) {
        for tangent in [0.04, 0.06] {
            let slope = f64::atan(tangent);
            let system = stepper(slope, felt(0.0, rolling), scheme);
            let start = start(slope, [0.0; 3], [0.0; 3]);
            let speed = velocities_after(&system, &start, 300)[3];
            let pull = G * (slope.sin() - slope.cos() * rolling / RADIUS);
            let expected = 0.3 * 5.0 / 7.0 * pull.max(0.0);
            assert!(
                (speed - expected).abs() < 1e-4 + 1e-2 * expected,
                "{scheme:?} {tangent}: {speed} {expected}"
            );
        }
    }
}

/// Coefficients of zero, and those of no contact, leave every bit as it is.
#[test]
fn no_friction_against_turning_costs_no_bit() {
    let plain = ContactMaterial::new(STIFFNESS, 0.5, 0.8).unwrap();
    let start = start(0.0, [3.0, 1.0, 5.0], [0.4, 0.1, -0.3]);
    for scheme in schemes(1e-3) {
        let [with, without] = [felt(0.0, 0.0), plain].map(|material| {
            let rollout = stepper(0.1, material, scheme).rollout(&start, 60).unwrap();
            rollout.completed().unwrap().last().clone()
        });
        assert_eq!(with, without, "{scheme:?}");
    }
}

/// The torque on the body, as sensors and resultants have it, is that of a disc that spins.
#[test]
fn wrenches_hold_the_torque() {
    let system = ball_on_a_plane(0.0, felt(2e-3, 4e-3))
        .with_sensors([ContactForce::new("wrench", BodyIndex::new(1))])
        .unwrap();
    let system = TimeSteppingRigidBodySystem::compliant(system, 1e-4).unwrap();
    let start = start(0.0, [0.3, 0.0, 2.0], [0.0, -0.03, 0.0]);
    let mut workspace = system.workspace().unwrap();
    let mut step = system.step(&mut workspace, &start, &[]).unwrap();
    let contact = step.contacts().unwrap()[0];
    let load = contact.force.z;
    let torque = contact.torque_on_a();
    assert!((torque.z + 2e-3 * load).abs() < 1e-6 * load, "{torque}");
    assert!((torque.x + 4e-3 * load).abs() < 1e-6 * load, "{torque}");
    assert!(
        (contact.rotation * contact.angular_velocity - Vector3::new(0.3, 0.0, 2.0)).amax() < 0.1
    );
    let pair = body_pair_contacts(step.contacts().unwrap()).unwrap()[0];
    let about = pair.resultant.spatial_force_about(&contact.position);
    assert!((about.torque - torque).amax() < 1e-12);
    assert!((about.force - contact.force_on_a()).amax() < 1e-12);
    let measured = step.output().clone();
    let arm = contact.position - Vector3::new(start.q[4], start.q[5], start.q[6]);
    let expected = arm.cross(&contact.force_on_a()) + torque;
    for k in 0..3 {
        assert!(
            (measured[k] - expected[k]).abs() < 1e-12,
            "{measured:?} {expected}"
        );
    }
}

/// What is dissipated is never negative, and the ledger closes at the order of the step.
#[test]
fn energy_is_dissipated_and_accounted_for() {
    let start = start(0.05, [4.0, -2.0, 9.0], [0.3, 0.1, 0.0]);
    let mut errors = Vec::new();
    for dt in [5e-4, 2.5e-4] {
        let system = ball_on_a_plane(0.05, felt(3e-3, 2e-3));
        let system = TimeSteppingRigidBodySystem::compliant(system, dt).unwrap();
        let mut workspace = system.workspace().unwrap();
        let (mut state, mut error, mut turning) = (start.clone(), 0.0, 0.0);
        for _ in 0..(0.2 / dt) as usize {
            let mut step = system.step(&mut workspace, &state, &[]).unwrap();
            for contact in step.contacts().unwrap() {
                let power = contact.torque.dot(&contact.angular_velocity);
                assert!(power <= 0.0, "{power}");
                turning -= dt * power;
            }
            let ledger = step.energy().unwrap();
            assert!(ledger.dissipated_by_friction >= 0.0);
            error += ledger.residual();
            state = step.state().clone();
        }
        assert!(turning > 0.05, "{turning}");
        errors.push(error);
    }
    let ratio = errors[0] / errors[1];
    assert!(
        errors[0].abs() < 1e-2 && (ratio - 2.0).abs() < 0.3,
        "{errors:?}"
    );
    // In continuous time it closes better.
    let system = stepper(0.05, felt(3e-3, 2e-3), schemes(1e-3)[1]);
    let mut workspace = system.workspace().unwrap();
    let state = self::start(0.05, [4.0, -2.0, 9.0], [0.3, 0.1, 0.0]);
    let mut step = system.step(&mut workspace, &state, &[]).unwrap();
    let ledger = step.energy().unwrap();
    assert!(ledger.dissipated_by_friction > 1e-3);
    assert!(ledger.residual().abs() < 1e-9, "{}", ledger.residual());
}

/// States of the ball: spinning and rolling, both within and beyond the ramp, at rest, and in the air.
fn states() -> [(&'static str, State<f64>); 6] {
    let mut above = start(0.0, [1.0, 2.0, 3.0], [0.0; 3]);
    above.q[6] += 0.1;
    [
        ("rolling", start(0.0, [0.3, 2.0, 0.4], [0.2, 0.05, 0.0])),
        ("spinning", start(0.0, [0.0, 0.0, 1.0], [0.0; 3])),
        (
            "creeping",
            start(0.0, [2e-5, 3e-5, -4e-5], [2e-6, -1e-6, 0.0]),
        ),
        ("at rest", start(0.0, [0.0; 3], [0.0; 3])),
        ("sliding", start(0.0, [0.0; 3], [1.0, 0.5, -0.1])),
        ("in the air", above),
    ]
}

/// The Jacobian of a step by hand, against duals, also where a ball lies on another that moves.
#[test]
fn steps_agree_with_duals() {
    for rotational in [[2e-3, 4e-3], [2e-3, 0.0], [0.0, 4e-3]] {
        let system = stepper(0.1, felt(rotational[0], rotational[1]), Scheme::Compliant)
            .with_generalized_forces()
            .unwrap();
        for (context, state) in states() {
            let input = [0.01, -0.02, 0.005, 0.3, 0.1, 0.0];
            let contacts = check(&system, &state, &input, context);
            assert_eq!(contacts, usize::from(context != "in the air"), "{context}");
        }
    }
    let mut forces = 0;
    let material = ContactMaterial::new(1e3, 0.3, 0.5)
        .and_then(|m| m.with_rotational_friction(0.02, 0.01))
        .unwrap();
    for seed in 0..12 {
        forces += check_balls(seed, material);
    }
    assert!(forces > 20, "{forces}");
}

const NAMES: [&str; 4] = [
    "geometry/ball/torsional_friction",
    "geometry/ball/rolling_friction",
    "geometry/ball/stiffness",
    "stiction_tolerance",
];

/// A mix of the velocities after some steps, as a function of parameters, spin and torque.
fn velocity_after<T: DefaultScalar>(scheme: Scheme, steps: usize, x: [T; 6]) -> T {
    let system = stepper(0.02, felt(1e-3, 1e-3), scheme);
    let mut system = system.with_generalized_forces().unwrap().cast::<T>();
    for (name, value) in NAMES.iter().zip(x) {
        system.set_parameter(name, value).unwrap();
    }
    let mut state = start(0.02, [0.2, 0.5, 0.0], [0.05, 0.01, 0.0]).cast::<T>();
    state.v[2] = x[4];
    let mut input = [T::zero(); 6];
    input[1] = x[5];
    let mut workspace = system.workspace().unwrap();
    for _ in 0..steps {
        state = system
            .step(&mut workspace, &state, &input)
            .unwrap()
            .state()
            .clone();
    }
    state.v[2] + state.v[1] * 2.0 + state.v[0] * 0.5 + state.v[3] * 3.0
}

const POINT: [f64; 6] = [2e-3, 4e-3, STIFFNESS, 1e-3, 0.6, 0.01];

fn moved(k: usize, h: f64) -> [f64; 6] {
    let mut moved = POINT;
    moved[k] += h;
    moved
}

/// First derivatives with respect to parameters, state and force against differences, second ones too.
#[test]
fn derivatives_are_those_of_differences() {
    for scheme in schemes(1e-3) {
        let steps = 3;
        let mut dual = POINT.map(DualSVec64::<8>::from_re);
        for (k, x) in dual.iter_mut().enumerate() {
            *x = x.derivative(k);
        }
        let slopes = velocity_after(scheme, steps, dual).eps.0.unwrap();
        for k in 0..6 {
            let h = 1e-4 * POINT[k];
            let at = |h: f64| velocity_after(scheme, steps, moved(k, h));
            let difference = (at(h) - at(-h)) / (2.0 * h);
            let error = (slopes[k] - difference).abs();
            assert!(
                slopes[k] != 0.0 && error < 2e-5 * slopes[k].abs() + 1e-13,
                "{scheme:?} {k}: {} {difference}",
                slopes[k]
            );
            let along = |h: f64, dx: f64| {
                let mut x = moved(k, h).map(Dual2_64::from_re);
                x[k] = Dual2_64::new(x[k].re, dx, 0.0);
                velocity_after(scheme, steps, x)
            };
            let (here, h) = (along(0.0, 1.0), 1e-3 * POINT[k]);
            assert!((here.v1 - slopes[k]).abs() <= 1e-9 * slopes[k].abs());
            let difference = (along(h, 1.0).v1 - along(-h, 1.0).v1) / (2.0 * h);
            let error = (here.v2 - difference).abs();
            // Relative to what the first derivative is at this distance.
            let scale = here.v2.abs() + 1e-3 * slopes[k].abs() / POINT[k];
            assert!(
                error < 1e-3 * scale,
                "{scheme:?} {k}: {} {difference}",
                here.v2
            );
        }
    }
}

/// At rest derivatives with respect to the coefficients are zero; of a ball that turns freely they are not, at
/// coefficients of zero.
#[test]
fn coefficients_of_zero_have_derivatives() {
    let slopes = |spin: f64| {
        let mut system = stepper(0.0, felt(0.0, 0.0), Scheme::Compliant).cast::<DualSVec64<8>>();
        for (k, name) in NAMES[..2].iter().enumerate() {
            (system.set_parameter(name, DualSVec64::from_re(0.0).derivative(k))).unwrap();
        }
        let start = start(0.0, [0.0, spin, spin], [RADIUS * spin, 0.0, 0.0]).cast();
        let end = system.rollout(&start, 1).unwrap().last().v.clone();
        [0, 1].map(|k| {
            let slope = |i: usize| end[i].eps.0.unwrap_or_default()[k];
            [slope(2), slope(1) * INERTIA + RADIUS * MASS * slope(3)]
        })
    };
    assert_eq!(slopes(0.0), [[0.0; 2]; 2]);
    // δt m g/I, and the change of angular momentum about the contact.
    let [[spin, _], [_, roll]] = slopes(1.0);
    assert!(
        (spin + 1e-3 * MASS * G / INERTIA).abs() < 1e-3 * spin.abs(),
        "{spin}"
    );
    assert!((roll + 1e-3 * MASS * G).abs() < 3e-3 * roll.abs(), "{roll}");
}

#[test]
fn rigid_contact_refuses() {
    let error = |result: Result<_, SystemError>| match result.err() {
        Some(SystemError::Contact(error)) => error,
        other => panic!("{other:?}"),
    };
    let system = || ball_on_a_plane(0.0, felt(0.0, 1e-3));
    let refused = error(TimeSteppingRigidBodySystem::rigid(system(), 1e-3).map(|_| ()));
    assert!(
        matches!(refused, ContactError::RotationalFriction { .. }),
        "{refused}"
    );
    assert!(
        refused.to_string().contains("\"plane\" on \"ball\"")
            || refused.to_string().contains("\"ball\" on \"plane\""),
        "{refused}"
    );
    let mut options = SystemOptions::default();
    options.rigid_contact = true;
    assert_eq!(error(system().with_options(options).map(|_| ())), refused);
    let plain = ContactMaterial::new(STIFFNESS, 0.5, 0.8).unwrap();
    assert!(TimeSteppingRigidBodySystem::rigid(ball_on_a_plane(0.0, plain), 1e-3).is_ok());
}

#[test]
fn surfaces_combine() {
    let (a, b) = (felt(1e-3, 2e-3), felt(3e-3, 2e-3));
    let plain = ContactMaterial::<f64>::new(1e5, 0.1, 0.5).unwrap();
    let of = |a: &ContactMaterial<f64>, b, rule| a.combined_by(b, rule).rotational;
    let pair = |torsional, rolling| Some(RotationalFriction { torsional, rolling });
    assert_eq!(of(&a, &b, FrictionRule::Maximum), pair(3e-3, 2e-3));
    assert_eq!(of(&a, &b, FrictionRule::ArithmeticMean), pair(2e-3, 2e-3));
    let product = of(&a, &b, FrictionRule::Product).unwrap();
    assert!((product.torsional - 0.8 * 4e-3).abs() < 1e-15);
    // One that says nothing leaves it to the other; two rigid ones as well.
    assert_eq!(of(&a, &plain, FrictionRule::HarmonicMean), a.rotational);
    assert_eq!(of(&plain, &a, FrictionRule::HarmonicMean), a.rotational);
    assert_eq!(of(&plain, &plain, FrictionRule::HarmonicMean), None);
    assert_eq!(a.cast::<DualSVec64<8>>().cast::<f64>(), a);
    for [torsional, rolling] in [
        [-1.0, 0.0],
        [0.0, f64::NAN],
        [0.0, 1e10],
        [f64::INFINITY, 0.0],
    ] {
        assert!(plain.with_rotational_friction(torsional, rolling).is_err());
    }
}

#[test]
fn files_hold_the_coefficients() {
    let system = stepper(0.2, felt(0.0025, 0.00125), Scheme::Compliant);
    let text = system.to_json().unwrap();
    let read = TimeSteppingRigidBodySystem::from_json(&text).unwrap();
    assert_eq!(read.to_json().unwrap(), text);
    assert_eq!(read.parameters(), system.parameters());
    for (from, to, words) in [
        ("0.0025", "-0.0025", "torsional friction"),
        ("0.00125", "-0.00125", "rolling friction"),
        ("\"rolling\"", "\"roling\"", "roling"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let error = TimeSteppingRigidBodySystem::from_json(&text.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}
