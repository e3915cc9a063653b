//! A point that sticks by a spring, in every scheme: closed forms, energy, derivatives, files.

use crate::support::cases::tier;
use crate::support::scenes::free_body;
use dualbody::actuator::{Actuator, BristleContact};
use dualbody::contact::{ContactMaterial, ContactModel};
use dualbody::force::BodyPoint;
use dualbody::math::SpatialInertia;
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Parameters};
use nalgebra::{DVector, Vector3};
use num_dual::{Dual2_64, DualSVec64};

const G: f64 = 9.81;
const MASS: f64 = 1.0;
const STIFFNESS: f64 = 1e5;
const ACROSS: f64 = 8e4;

type System<T = f64> = TimeSteppingRigidBodySystem<T>;

fn tree(gravity: Vector3<f64>) -> RigidBodyTree<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.set_gravity(gravity).unwrap();
    tree.add_body("block", SpatialInertia::solid_sphere(MASS, 0.1))
        .unwrap();
    tree.finish().unwrap()
}

/// A body whose centre touches the plane z = 0.
fn machine(
    gravity: Vector3<f64>,
    material: ContactMaterial<f64>,
    damping: f64,
) -> RigidBodySystem<f64> {
    let tree = tree(gravity);
    let point = BodyPoint::origin(BodyIndex::new(1));
    let contact = BristleContact::new(
        "point",
        &tree,
        point,
        BodyIndex::WORLD,
        material,
        [ACROSS, damping],
        1e-5,
    );
    RigidBodySystem::new(tree, ContactModel::none())
        .unwrap()
        .with_actuators([contact.unwrap()])
        .unwrap()
}

fn material(friction: f64) -> ContactMaterial<f64> {
    ContactMaterial::new(STIFFNESS, 0.0, friction).unwrap()
}

/// With dissipation along the normal.
fn damped(friction: f64) -> ContactMaterial<f64> {
    ContactMaterial::new(STIFFNESS, 1.0, friction).unwrap()
}

fn schemes(dt: f64) -> [Scheme; 3] {
    let method = IntegrationMethod::RungeKutta4;
    let substeps = (dt / 5e-6).ceil() as usize;
    [
        Scheme::Compliant,
        Scheme::Rigid,
        Scheme::Continuous { method, substeps },
    ]
}

/// At a place with a velocity, its spring not strained.
fn start(position: [f64; 3], velocity: [f64; 3]) -> State<f64> {
    let mut state = free_body([1.0, 0.0, 0.0, 0.0], position, [0.0; 3], velocity);
    state.actuators = DVector::zeros(2);
    state
}

fn end(system: &System, start: &State<f64>, steps: usize) -> State<f64> {
    let rollout = system.rollout(start, steps).unwrap();
    rollout.completed().unwrap().last().clone()
}

/// Where springs with the mass have the frequencies `ωₙ` and `ωₜ`, the point leaves after half a period of the
/// first: `vₙ → −vₙ`, `vₜ → vₜ cos(π ωₜ/ωₙ)`, backwards.
#[test]
fn a_point_that_hits_rebounds_both_ways() {
    let (way, back) = ((ACROSS / STIFFNESS).sqrt() * std::f64::consts::PI, 0.3);
    let dt = 1e-5;
    for scheme in schemes(dt) {
        let machine = machine(Vector3::zeros(), material(10.0), 0.0);
        let system = System::with_scheme(machine, dt, scheme).unwrap();
        let start = start([0.0; 3], [back, -0.1, -0.5]);
        let v = end(&system, &start, 1100).v;
        for (found, expected) in [
            (v[3], back * way.cos()),
            (v[4], -0.1 * way.cos()),
            (v[5], 0.5),
        ] {
            assert!(
                (found - expected).abs() < 1.5e-2 * expected.abs(),
                "{scheme:?}: {found} {expected}"
            );
        }
    }
}

/// A solid ball that slides ends rolling at 5/7 of its speed, whatever the friction.
#[test]
fn a_ball_ends_rolling() {
    let (gravity, radius, dt) = (Vector3::new(0.0, 0.0, -9.81), 0.1, 2e-5);
    for scheme in schemes(dt) {
        let tree = tree(gravity);
        let center = BodyPoint::origin(BodyIndex::new(1));
        let ball = BristleContact::new(
            "ball",
            &tree,
            center,
            BodyIndex::WORLD,
            damped(0.3),
            [ACROSS, 0.2 * (ACROSS * MASS).sqrt()],
            1e-5,
        );
        let ball = ball.unwrap().with_radius(radius).unwrap();
        let machine = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
        let machine = machine.with_actuators([ball]).unwrap();
        assert_eq!(machine.parameter("ball/radius"), Ok(radius));
        let system = System::with_scheme(machine, dt, scheme).unwrap();
        let rest = radius - MASS * 9.81 / STIFFNESS;
        let end = end(&system, &start([0.0, 0.0, rest], [1.0, 0.0, 0.0]), 10_000);
        let (turning, speed) = (end.v[1], end.v[3]);
        assert!((speed - 5.0 / 7.0).abs() < 1e-3, "{scheme:?}: {speed}");
        assert!(
            (turning * radius - speed).abs() < 1e-3,
            "{scheme:?}: {turning}"
        );
        assert!((end.q[6] - rest).abs() < 1e-6, "{scheme:?}: {}", end.q[6]);
    }
    let tree = tree(gravity);
    let ball = BristleContact::new(
        "ball",
        &tree,
        BodyPoint::origin(BodyIndex::new(1)),
        BodyIndex::WORLD,
        damped(0.3),
        [ACROSS, 0.0],
        1e-5,
    );
    for radius in [-0.1, f64::NAN, f64::INFINITY] {
        let refused = ball.clone().unwrap().with_radius(radius);
        assert!(refused.unwrap_err().to_string().contains("radius"));
    }
}

/// Friction that the spring never catches up with takes `2 μ vₙ` of the slip.
#[test]
fn a_point_that_slides_through_is_braked() {
    let dt = 1e-5;
    for scheme in schemes(dt) {
        let machine = machine(Vector3::zeros(), material(0.2), 0.0);
        let system = System::with_scheme(machine, dt, scheme).unwrap();
        let v = end(&system, &start([0.0; 3], [3.0, 0.0, -0.5]), 1100).v;
        let expected = 3.0 - 2.0 * 0.2 * 0.5;
        assert!(
            (v[3] - expected).abs() < 3e-3,
            "{scheme:?}: {} {expected}",
            v[3]
        );
    }
}

/// On a slope below the limit it settles and does not creep; above, it slides with `g (sin α − μ cos α)`.
#[test]
fn a_block_on_a_slope_holds_still() {
    for (tangent, friction) in [(0.3f64, 0.5), (0.5, 0.3)] {
        let slope = tangent.atan();
        let down = Vector3::new(slope.sin(), 0.0, -slope.cos()) * G;
        let load = MASS * G * slope.cos();
        for scheme in schemes(1e-3) {
            let substep = if scheme == Scheme::Rigid { 1e-4 } else { 1e-3 };
            let steps = |time: f64| (time / substep).round() as usize;
            let machine = machine(down, damped(friction), 300.0);
            let system = System::with_scheme(machine, substep, scheme).unwrap();
            let start = start([0.0, 0.0, -load / STIFFNESS], [0.0; 3]);
            let settled = end(&system, &start, steps(0.3));
            let later = end(&system, &settled, steps(0.2));
            let way = later.q[4] - settled.q[4];
            let pull = G * (slope.sin() - friction * slope.cos());
            if pull < 0.0 {
                assert!(way.abs() < 1e-12, "{scheme:?}: {way}");
                // The deflection is the way that the point has gone, also step by step.
                let bent = later.actuators[0] - later.q[4];
                assert!(bent.abs() < 1e-12, "{scheme:?}: {bent}");
                let strain = MASS * G * slope.sin() / ACROSS;
                assert!(
                    (later.actuators[0] / strain - 1.0).abs() < 1e-6,
                    "{scheme:?}"
                );
            } else {
                let speed = 0.5 * pull;
                assert!(
                    (later.v[3] / speed - 1.0).abs() < 1e-2,
                    "{scheme:?}: {}",
                    later.v[3]
                );
            }
        }
    }
}

/// Pulled by a spring whose end moves slowly, a block with static friction sticks and slips: the pull rises to
/// `μ_s m g` and falls to `(2 μ_d − μ_s) m g`.
#[test]
fn a_block_that_is_pulled_sticks_and_slips() {
    let (r#static, dynamic) = (0.5, 0.3);
    let material = damped(dynamic)
        .with_static_friction(r#static, 2e-4)
        .unwrap();
    let dt = 1e-4;
    let machine = machine(Vector3::new(0.0, 0.0, -G), material, 20.0);
    let machine = machine.with_generalized_forces().unwrap();
    let system = System::with_scheme(machine, dt, Scheme::Compliant).unwrap();
    let (spring, speed) = (200.0, 0.02);
    let mut state = start([0.0, 0.0, -MASS * G / STIFFNESS], [0.0; 3]);
    let mut workspace = system.workspace().unwrap();
    let (mut turns, mut rising, mut last) = (Vec::new(), true, 0.0);
    for _ in 0..40_000 {
        let pull = spring * (speed * state.time - state.q[4]);
        // By more than the swinging of the bristles.
        if (if rising { last - pull } else { pull - last }) > 0.05 {
            turns.push(last / (MASS * G));
            rising = !rising;
            last = pull;
        } else {
            last = if rising {
                pull.max(last)
            } else {
                pull.min(last)
            };
        }
        let input = [0.0, 0.0, 0.0, pull, 0.0, 0.0];
        state = system
            .step(&mut workspace, &state, &input)
            .unwrap()
            .state()
            .clone();
    }
    assert!(turns.len() >= 6, "{turns:?}");
    for pair in turns.chunks_exact(2) {
        assert!((pair[0] - r#static).abs() < 0.02, "{turns:?}");
        assert!(
            (pair[1] - (2.0 * dynamic - r#static)).abs() < 0.04,
            "{turns:?}"
        );
    }
}

/// While it sticks, energy is kinetic or in the springs; sliding takes some, and the ledger knows.
#[test]
fn energy_is_in_the_ledger() {
    let method = IntegrationMethod::RungeKutta4;
    let continuous = Scheme::Continuous {
        method,
        substeps: 40,
    };
    for (friction, conserves) in [(10.0, true), (0.2, false)] {
        let machine = machine(Vector3::zeros(), material(friction), 0.0);
        let system = System::with_scheme(machine, 2e-4, continuous).unwrap();
        let mut state = start([0.0; 3], [0.3, -0.1, -0.5]);
        let mut workspace = system.workspace().unwrap();
        let (mut stored, mut residual, mut work) = (0.0f64, 0.0f64, 0.0);
        for _ in 0..60 {
            let mut step = system.step(&mut workspace, &state, &[]).unwrap();
            let ledger = step.energy().unwrap();
            stored = stored.max(ledger.stored_in_actuators.end);
            residual += ledger.residual();
            work += ledger.work_of_actuation;
            state = step.state().clone();
        }
        let (before, after) = (0.175, 0.5 * state.v.norm_squared());
        assert!(stored > 0.12, "{stored}");
        assert!((work - (after - before)).abs() < 2e-3, "{work} {after}");
        assert!(residual.abs() < 2e-3, "{residual}");
        if conserves {
            // The point leaves with its spring strained; what that holds is lost.
            let way = (ACROSS / STIFFNESS).sqrt() * std::f64::consts::PI;
            let expected = 0.125 + 0.05 * way.cos().powi(2);
            assert!((after - expected).abs() < 1e-3, "{after} {expected}");
        } else {
            assert!(before - after > 0.02, "{after}");
        }
    }
    // In steps it closes at their order.
    let errors = [1e-4, 5e-5].map(|dt| {
        let machine = machine(Vector3::zeros(), material(10.0), 0.0);
        let system = System::with_scheme(machine, dt, Scheme::Compliant).unwrap();
        let mut state = start([0.0; 3], [0.3, -0.1, -0.5]);
        let mut workspace = system.workspace().unwrap();
        let mut sum = 0.0;
        for _ in 0..(0.012 / dt) as usize {
            let mut step = system.step(&mut workspace, &state, &[]).unwrap();
            sum += step.energy().unwrap().residual();
            state = step.state().clone();
        }
        sum
    });
    let ratio = errors[0] / errors[1];
    assert!(
        errors[0].abs() < 0.03 && (ratio - 2.0).abs() < 0.3,
        "{errors:?}"
    );
}

const NAMES: [&str; 4] = [
    "point/stiffness",
    "point/friction",
    "point/tangential_stiffness",
    "point/tangential_damping",
];

/// A mix of the state after some steps that hold or slide.
fn mix_after<T: DefaultScalar>(scheme: Scheme, slides: bool, x: [T; 6]) -> T {
    let dt = if scheme == Scheme::Rigid { 1e-4 } else { 1e-3 };
    let machine = machine(Vector3::new(0.0, 0.0, -G), material(0.5), 10.0);
    let mut system = System::with_scheme(machine, dt, scheme)
        .unwrap()
        .cast::<T>();
    for (name, value) in NAMES.iter().zip(x) {
        system.set_parameter(name, value).unwrap();
    }
    let velocity = if slides {
        [1.0, 0.3, -0.1]
    } else {
        [0.0, 0.0, -0.1]
    };
    let mut state = start([0.0, 0.0, -1e-4], velocity).cast::<T>();
    state.v[3] += x[4];
    state.actuators[0] = x[5];
    state.actuators[1] = T::from(1e-6);
    let mut workspace = system.workspace().unwrap();
    for _ in 0..5 {
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        state = step.state().clone();
    }
    state.v[3] + state.v[5] * 2.0 + state.q[4] * 10.0 + state.actuators[0] * 1e3
}

/// First and second derivatives with respect to parameters, velocity and deflection.
#[test]
fn derivatives_are_those_of_differences() {
    let point = [STIFFNESS, 0.5, ACROSS, 10.0, 1e-3, 2e-6];
    let moved = |k: usize, h: f64| {
        let mut moved = point;
        moved[k] += h;
        moved
    };
    let steps = [10.0, 5e-5, 8.0, 1e-3, 1e-5, 1e-8];
    for scheme in schemes(1e-3) {
        for slides in [false, true] {
            let mut dual = point.map(DualSVec64::<8>::from_re);
            for (k, x) in dual.iter_mut().enumerate() {
                *x = x.derivative(k);
            }
            let slopes = mix_after(scheme, slides, dual).eps.0.unwrap();
            for k in (0..6).step_by(tier(4, 1)) {
                let (h, slope) = (steps[k], slopes[k]);
                let at = |h: f64| mix_after(scheme, slides, moved(k, h));
                let difference = (at(h) - at(-h)) / (2.0 * h);
                assert!(
                    (slope - difference).abs() < 1e-4 * slope.abs() + 1e-12 / h,
                    "{scheme:?} {slides} {k}: {slope} {difference}"
                );
                let along = |h: f64| {
                    let mut x = moved(k, h).map(Dual2_64::from_re);
                    x[k] = Dual2_64::new(x[k].re, 1.0, 0.0);
                    mix_after(scheme, slides, x)
                };
                let here = along(0.0);
                let error = (here.v1 - slope).abs();
                assert!(
                    error <= 1e-9 * slope.abs() + 1e-15 / h,
                    "{scheme:?} {k}: {error:e}"
                );
                let difference = (along(h).v1 - along(-h).v1) / (2.0 * h);
                // Relative to what would change the first derivative by a thousandth.
                let scale = here.v2.abs() + 1e-3 * slope.abs() / point[k];
                assert!(
                    (here.v2 - difference).abs() < 1e-3 * scale + 1e-12 / (h * h),
                    "{scheme:?} {slides} {k}: {} {difference}",
                    here.v2
                );
            }
        }
    }
}

/// In the air the spring comes to rest; without deflection and load nothing is singular.
#[test]
fn nothing_is_singular_in_the_air() {
    for scheme in schemes(1e-3) {
        let machine = machine(Vector3::zeros(), material(0.0), 0.0);
        let system = System::with_scheme(machine, 1e-3, scheme).unwrap();
        let mut above = start([0.0, 0.0, 0.1], [1.0, 0.0, 0.0]);
        above.actuators[0] = 1e-3;
        let after = end(&system, &above, 2);
        assert!(
            after.actuators[0].abs() < 1e-9,
            "{scheme:?}: {}",
            after.actuators[0]
        );
        for height in [0.1, 0.0, -1e-4] {
            let mut state = start([0.0, 0.0, height], [0.0; 3]).cast::<DualSVec64<8>>();
            for (k, x) in state.actuators.iter_mut().enumerate() {
                *x = x.derivative(k);
            }
            let end = system
                .cast::<DualSVec64<8>>()
                .rollout(&state, 2)
                .unwrap()
                .last()
                .clone();
            for x in end.q.iter().chain(end.v.iter()).chain(end.actuators.iter()) {
                assert!(
                    x.eps.0.unwrap_or_default().iter().all(|x| x.is_finite()),
                    "{scheme:?} {height}"
                );
            }
        }
    }
}

/// On a plane that is a body's, momentum is conserved.
#[test]
fn the_plane_feels_the_opposite() {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.set_gravity(Vector3::zeros()).unwrap();
    let inertia = SpatialInertia::solid_sphere(MASS, 0.1);
    let [point, plane] = ["point", "plane"].map(|name| tree.add_body(name, inertia).unwrap());
    let tree = tree.finish().unwrap();
    let contact = BristleContact::new(
        "touch",
        &tree,
        BodyPoint::new(point, Vector3::new(0.0, 0.02, -0.05)),
        plane,
        material(0.6),
        [ACROSS, 1.0],
        1e-5,
    );
    let machine = RigidBodySystem::new(tree, ContactModel::none())
        .unwrap()
        .with_actuators([contact.unwrap()])
        .unwrap();
    let system = System::with_scheme(machine, 1e-4, Scheme::Compliant).unwrap();
    let mut state = system.initial_state();
    state.q[6] = 0.0499;
    state.v.rows_mut(3, 3).copy_from_slice(&[0.3, 0.1, -0.5]);
    let before: Vec<f64> = (3..6).map(|i| state.v[i] + state.v[6 + i]).collect();
    let after = end(&system, &state, 100).v;
    assert!(after[5] > after[11], "they part: {after}");
    for i in 3..6 {
        assert!(
            (after[i] + after[6 + i] - before[i - 3]).abs() < 1e-12,
            "{after}"
        );
    }
}

#[test]
fn constants_are_checked() {
    let tree = tree(Vector3::zeros());
    let point = BodyPoint::origin(BodyIndex::new(1));
    let new = |material, tangential, time| {
        BristleContact::new(
            "point",
            &tree,
            point,
            BodyIndex::WORLD,
            material,
            tangential,
            time,
        )
    };
    let turning = material(0.5).with_rotational_friction(1e-3, 0.0).unwrap();
    for (contact, words) in [
        (new(material(0.5), [0.0, 0.0], 1e-3), "tangential_stiffness"),
        (new(material(0.5), [1.0, -1.0], 1e-3), "tangential_damping"),
        (new(material(0.5), [1.0, 0.0], 0.0), "relaxation_time"),
        (
            new(turning, [1.0, 0.0], 1e-3),
            "torsional and rolling friction",
        ),
        (
            new(ContactMaterial::rigid(0.5).unwrap(), [1.0, 0.0], 1e-3),
            "stiffness",
        ),
    ] {
        let message = contact.unwrap_err().to_string();
        assert!(
            message.contains(words) && message.contains("point"),
            "{message}"
        );
    }
    let contact = new(material(0.5), [1.0, 0.0], 1e-3).unwrap();
    assert_eq!(Actuator::<f64>::num_inputs(&contact), 0);
}

#[test]
fn files_hold_the_element() {
    let machine = machine(Vector3::new(0.0, 0.0, -G), material(0.5), 10.0);
    let system = System::compliant(machine, 1e-3).unwrap();
    let text = system.to_json().unwrap();
    let read = System::from_json(&text).unwrap();
    assert_eq!(read.to_json().unwrap(), text);
    assert_eq!(read.parameters(), system.parameters());
    let start = start([0.0, 0.0, -1e-4], [0.1, 0.0, 0.0]);
    assert_eq!(
        read.rollout(&start, 20).unwrap().last(),
        system.rollout(&start, 20).unwrap().last()
    );
}
