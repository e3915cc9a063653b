//! Static friction apart from dynamic friction, in every scheme: closed forms, derivatives, files.

use crate::compliant::step_jacobian::check;
use crate::support::scenes::{free_body, geometry};
use dualbody::constraint::GearConstraint;
use dualbody::contact::{ContactMaterial, ContactModelBuilder, FrictionRule};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::solver::implicit_stribeck::KinkKind;
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, StepKink, SystemBuilder,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Parameters, Random, gradient_with_radius};
use nalgebra::Vector3;
use num_dual::DualSVec64;

const G: f64 = 9.81;
/// Static and dynamic friction, and where one turns into the other.
const STATIC: f64 = 0.6;
const DYNAMIC: f64 = 0.3;
const VELOCITY: f64 = 0.02;
/// A step in which that falls steeper than the mass outweighs, in s.
const LONG: f64 = 0.05;

/// A box of 1 kg on a plane that falls by `slope` along x, with a rule that keeps the friction of equal surfaces.
fn box_on_a_plane(slope: f64) -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let down = Vector3::new(G * slope.sin(), 0.0, -G * slope.cos());
    tree.set_gravity(down).unwrap();
    let size = Vector3::new(0.3, 0.2, 0.1);
    let body = tree
        .add_body("box", SpatialInertia::solid_box(1.0, &size))
        .unwrap();
    on_a_plane(tree.finish().unwrap(), body, size)
}

/// Bodies of which one is a box on a plane.
fn on_a_plane(
    tree: RigidBodyTree<f64>,
    body: BodyIndex,
    size: Vector3<f64>,
) -> RigidBodySystem<f64> {
    let material = ContactMaterial::new(1e5, 0.5, DYNAMIC)
        .and_then(|material| material.with_static_friction(STATIC, VELOCITY))
        .unwrap();
    let mut contact = ContactModelBuilder::new();
    contact.set_friction_rule(FrictionRule::GeometricMean);
    for (name, body, shape) in [
        ("box", body, Shape::new_box(size).unwrap()),
        ("plane", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        contact
            .add_geometry(geometry(name, body, shape, material))
            .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    RigidBodySystem::new(tree, contact).unwrap()
}

fn stepper(slope: f64, scheme: Scheme, dt: f64) -> TimeSteppingRigidBodySystem<f64> {
    TimeSteppingRigidBodySystem::with_scheme(box_on_a_plane(slope), dt, scheme).unwrap()
}

/// The box where it rests on its springs, with a speed along x.
fn start(slope: f64, scheme: Scheme, speed: f64) -> State<f64> {
    let depth = match scheme {
        Scheme::Rigid => 0.0,
        // Four points of two springs in series.
        _ => G * slope.cos() / (4.0 * 5e4),
    };
    free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.05 - depth],
        [0.0; 3],
        [speed, 0.0, 0.0],
    )
}

/// All schemes, with steps of `dt`; the explicit integrator must resolve how steeply friction grows from rest.
fn schemes(dt: f64) -> [Scheme; 3] {
    let explicit = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: (dt / 5e-6).round() as usize,
    };
    [Scheme::Compliant, Scheme::Rigid, explicit]
}

/// On a slope between the two coefficients a box stays if it rests, and goes on if it slides.
#[test]
fn a_box_on_a_slope_rests_or_slides() {
    let slope = 0.45f64.atan();
    for scheme in schemes(1e-3) {
        let system = stepper(slope, scheme, 1e-3);
        let end = |speed: f64| {
            let start = start(slope, scheme, speed);
            let rollout = system.rollout(&start, 200).unwrap().completed().unwrap();
            rollout.last().v[3]
        };
        assert!(end(0.0).abs() < 1e-4, "{scheme:?}: {}", end(0.0));
        // At the speed of the end little is left of static friction.
        let speed = end(0.5);
        let acceleration = G * slope.cos() * (0.45 - DYNAMIC);
        let expected = 0.5 + 0.2 * acceleration;
        assert!(
            (speed / expected - 1.0).abs() < 5e-3,
            "{scheme:?}: {speed} {expected}"
        );
        assert!(speed < expected, "{scheme:?}: static friction brakes");
    }
}

/// The energy v²/2 that a box on level ground loses on its way, `g ∫ μ(v) dx`, has a closed form in the speed:
/// `dx = −v dv/(g μ(v))`.
#[test]
fn a_sliding_box_stops_where_the_curve_says() {
    let speed = 0.3;
    // ∫ v/(μ_d + Δ u²/(u² + v²)) dv = ∫ v (u² + v²)/(μ_s u² + μ_d v²) dv.
    let (u2, d, s) = (VELOCITY * VELOCITY, DYNAMIC, STATIC);
    let antiderivative =
        |v2: f64| v2 / (2.0 * d) + u2 / (2.0 * d) * (1.0 - s / d) * (s * u2 + d * v2).ln();
    let way = (antiderivative(speed * speed) - antiderivative(0.0)) / G;
    let (dt, steps) = (1e-4, 1200);
    for scheme in schemes(dt) {
        let system = stepper(0.0, scheme, dt);
        let rollout = system.rollout(&start(0.0, scheme, speed), steps).unwrap();
        let end = rollout.completed().unwrap().last().clone();
        assert!(end.v[3].abs() < 1e-3, "{scheme:?} {}", end.v[3]);
        assert!(
            (end.q[4] / way - 1.0).abs() < 2e-3,
            "{scheme:?}: {} {way}",
            end.q[4]
        );
    }
}

/// The Jacobian of a step by hand, against duals, where contacts hold, break away and slide.
#[test]
fn steps_agree_with_duals() {
    let system = stepper(0.3, Scheme::Compliant, 1e-3);
    let system = system.with_generalized_forces().unwrap();
    for (speed, push) in [(0.0, 0.0), (0.0, 3.5), (0.02, 0.0), (1.0, 0.0)] {
        let mut state = start(0.3, Scheme::Compliant, speed);
        (state.v[1], state.v[2]) = (0.02, 0.1 * speed);
        let input = [0.0, 0.0, 0.0, push, 0.1, 0.0];
        assert_eq!(
            check(&system, &state, &input, &format!("{speed} {push}")),
            4
        );
    }
}

const NAMES: [&str; 6] = [
    "geometry/box/friction",
    "geometry/plane/friction",
    "geometry/box/static_friction",
    "geometry/plane/static_friction",
    "geometry/box/stribeck_velocity",
    "geometry/plane/stribeck_velocity",
];

/// The speed of the box after some steps, as a function of the parameters.
fn speed_after<T: DefaultScalar>(scheme: Scheme, values: [T; 6]) -> T {
    let mut system = stepper(0.5, scheme, 1e-3).cast::<T>();
    for (name, value) in NAMES.iter().zip(values) {
        system.set_parameter(name, value).unwrap();
    }
    let start = start(0.5, scheme, 0.05).cast::<T>();
    system.rollout(&start, 20).unwrap().last().v[3]
}

#[test]
fn parameters_have_names_and_derivatives() {
    let values = [0.3, 0.32, 0.6, 0.58, 0.02, 0.03];
    for scheme in schemes(1e-3) {
        let mut dual = values.map(DualSVec64::<8>::from_re);
        for (k, x) in dual.iter_mut().enumerate() {
            *x = x.derivative(k);
        }
        let slopes = speed_after(scheme, dual).eps.0.unwrap();
        for k in 0..6 {
            let h = 1e-5 * values[k];
            let at = |h: f64| {
                let mut moved = values;
                moved[k] += h;
                speed_after(scheme, moved)
            };
            let difference = (at(h) - at(-h)) / (2.0 * h);
            let error = (slopes[k] - difference).abs();
            assert!(
                slopes[k] != 0.0 && error < 1e-5 * slopes[k].abs(),
                "{scheme:?} {}: {} {difference}",
                NAMES[k],
                slopes[k]
            );
        }
    }
    let mut system = stepper(0.5, Scheme::Compliant, 1e-3);
    let listed = system.parameters();
    for (name, value) in NAMES
        .iter()
        .zip([DYNAMIC, DYNAMIC, STATIC, STATIC, VELOCITY, VELOCITY])
    {
        let found = listed.iter().find(|p| p.name == *name).unwrap();
        assert_eq!(found.value, value);
    }
    for name in &NAMES[2..] {
        assert!(system.set_parameter(name, -0.1).is_err(), "{name}");
    }
}

#[test]
fn files_hold_curves_and_rules() {
    let system = stepper(0.2, Scheme::Compliant, 1e-3);
    let text = system.to_json().unwrap();
    let read = TimeSteppingRigidBodySystem::from_json(&text).unwrap();
    assert_eq!(read.to_json().unwrap(), text);
    assert_eq!(read.parameters(), system.parameters());
    assert_eq!(read.contact().friction_rule(), FrictionRule::GeometricMean);
    for (from, to, words) in [
        ("0.02", "-0.02", "Stribeck velocity"),
        ("0.6", "-0.6", "static friction"),
        ("GeometricMean", "Average", "Average"),
        ("static_friction", "sticking", "sticking"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let error = TimeSteppingRigidBodySystem::from_json(&text.replace(from, to)).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

/// The push that holds the box in a step of [`LONG`], and one that lets it slip, next to each other.
fn where_it_jumps(mut speed: impl FnMut(f64) -> f64) -> [f64; 2] {
    let (mut holds, mut slips) = (0.5 * STATIC * G, 1.5 * STATIC * G);
    for _ in 0..25 {
        let push = 0.5 * (holds + slips);
        if speed(push) < 0.02 {
            holds = push;
        } else {
            slips = push;
        }
    }
    [holds, slips]
}

/// The radius of a derivative ends where the solution does.
#[test]
fn a_radius_ends_at_a_fold() {
    let system = stepper(0.0, Scheme::Compliant, LONG);
    let system = system.with_generalized_forces().unwrap();
    let state = start(0.0, Scheme::Compliant, 0.0);
    fn speed<T: DefaultScalar>(
        system: &TimeSteppingRigidBodySystem<T>,
        (state, push): (&State<f64>, T),
    ) -> dualbody::Result<T> {
        let mut input = [T::zero(); 6];
        input[3] = push;
        let mut workspace = system.workspace()?;
        let step = system.step(&mut workspace, &state.cast(), &input)?;
        Ok(step.state().v[3])
    }
    let [holds, _] = where_it_jumps(|push| speed(&system, (&state, push)).unwrap());
    for short in [1e-4, 1e-3] {
        let at = [holds - short];
        let found =
            gradient_with_radius!(|system, x| speed(system, (&state, x[0])), &system, at).unwrap();
        let nearest = found.nearest[0].clone().unwrap();
        assert_eq!(nearest.change, "folding", "{short}: {nearest:?}");
        let change = nearest.change_of_input;
        assert!((change / short - 1.0).abs() < 0.05, "{short}: {nearest:?}");
    }
}

/// Where friction falls so steeply that a step has two solutions, the velocity jumps as the push grows past static friction:
/// the step says how near that is.
#[test]
fn a_step_says_how_near_it_is_to_a_fold() {
    let system = stepper(0.0, Scheme::Compliant, LONG);
    let system = system.with_generalized_forces().unwrap();
    let mut workspace = system.workspace().unwrap();
    let state = start(0.0, Scheme::Compliant, 0.0);
    let mut step = |push: f64| {
        let input = [0.0, 0.0, 0.0, push, 0.0, 0.0];
        let step = system.step(&mut workspace, &state, &input).unwrap();
        let kink = *step.status().nearest_kinks.in_unit("m/s").unwrap();
        let StepKink::Contact(kink) = kink else {
            panic!("{kink:?}");
        };
        (step.state().v[3], kink)
    };
    let [holds, slips] = where_it_jumps(|push| step(push).0);
    let [before, after] = [holds, slips].map(&mut step);
    assert!(before.0 < 0.01 && after.0 > 0.05, "{before:?} {after:?}");
    assert_eq!(before.1.kind, KinkKind::Folding);
    assert!(before.1.distance < 1e-4, "{before:?}");
    // The slip speed of what holds ends where the slope of friction outweighs the inertia: 2 Δμ σ/v_S² = 1/(g δt).
    let last = VELOCITY * VELOCITY / (2.0 * (STATIC - DYNAMIC) * G * LONG);
    assert!((before.0 / last - 1.0).abs() < 0.1, "{before:?} {last}");
    let near = step(holds - 1e-3).1;
    assert_eq!(near.kind, KinkKind::Folding);
    assert!(before.1.distance < near.distance && near.distance < last);
}

/// Where a step has two solutions, both say so, and where it has one, that does not: the same balance is solved from rest and
/// from a speed.
#[test]
fn a_step_says_that_it_has_another_solution() {
    let system = stepper(0.0, Scheme::Compliant, LONG);
    let system = system.with_generalized_forces().unwrap();
    let mut workspace = system.workspace().unwrap();
    let mut step = |push: f64, speed: f64| {
        let state = start(0.0, Scheme::Compliant, speed);
        let input = [0.0, 0.0, 0.0, push - speed / LONG, 0.0, 0.0];
        let step = system.step(&mut workspace, &state, &input).unwrap();
        (step.state().v[3], step.status().other_solution)
    };
    for push in [5.0, 5.5] {
        let [held, slipping] = [0.0, 0.15].map(|speed| step(push, speed));
        assert!(held.0 < 0.01 && slipping.0 > 0.05, "{held:?} {slipping:?}");
        let between = slipping.0 - held.0;
        let distances = [held, slipping].map(|found| found.1.unwrap());
        for distance in distances {
            assert!(
                distance > 0.0 && distance < between,
                "{distances:?} {between}"
            );
        }
        // Both tell where the unstable one is between them.
        let sum = distances[0] + distances[1];
        assert!((sum / between - 1.0).abs() < 0.2, "{distances:?} {between}");
    }
    for push in [1.0, 3.0, 9.0] {
        let [a, b] = [0.0, 0.15].map(|speed| step(push, speed));
        assert!(
            (a.0 - b.0).abs() < 1e-9 && a.1.is_none(),
            "{push}: {a:?} {b:?}"
        );
    }
}

/// A box on guides along x and z, with a slider of 100 kg beside it that a gear may make it move with.
fn beside_a_slider(geared: bool) -> TimeSteppingRigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let size = Vector3::new(0.3, 0.2, 0.1);
    let (at, world) = (RigidTransform::identity(), BodyIndex::WORLD);
    let [along, up] = [Vector3::x(), Vector3::z()].map(|axis| JointKind::Prismatic { axis });
    let guide = tree.add_body("guide", SpatialInertia::zero()).unwrap();
    let box_inertia = SpatialInertia::solid_box(1.0, &size);
    let body = tree.add_body("box", box_inertia).unwrap();
    let slider = SpatialInertia::solid_box(100.0, &size);
    let slider = tree.add_body("slider", slider).unwrap();
    let x = tree.add_joint("x", along, world, at, guide).unwrap();
    tree.add_joint("z", up, guide, at, body).unwrap();
    let beside = tree.add_joint("beside", along, world, at, slider).unwrap();
    let tree = tree.finish().unwrap();
    let gear = GearConstraint::new("gear", &tree, x, beside, 1.0).unwrap();
    let mut system = on_a_plane(tree, body, size);
    if geared {
        system = system.with_constraints([gear]).unwrap();
    }
    let system = system.with_generalized_forces().unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, LONG, Scheme::Compliant).unwrap()
}

/// What a constraint makes a body move with is inertia, too: with it a step has one solution.
#[test]
fn a_mass_that_a_constraint_adds_takes_other_solutions_away() {
    let status = [false, true].map(|geared| {
        let system = beside_a_slider(geared);
        let mut state = system.initial_state();
        let height = 0.05 - G / (4.0 * 5e4);
        (system.set_joint_position(&mut state, "z", &[height])).unwrap();
        let mut workspace = system.workspace().unwrap();
        let mut input = vec![0.0; 3];
        input[0] = 5.5;
        *system
            .step(&mut workspace, &state, &input)
            .unwrap()
            .status()
    });
    let is_fold = |kink: &StepKink| match kink {
        StepKink::Contact(kink) => kink.kind == KinkKind::Folding,
        _ => false,
    };
    let [alone, geared] = status;
    assert!(alone.other_solution.is_some(), "{alone:?}");
    assert!(geared.other_solution.is_none(), "{geared:?}");
    assert!(!geared.nearest_kinks.iter().any(is_fold), "{geared:?}");
}

/// Two boxes on the ground are pushed against each other: what slips and what holds changes with the push in jumps, of which
/// the step tells on either side.
#[test]
fn jumps_of_a_pair_are_told() {
    const GRID: usize = 60;
    let mut jumps = 0;
    for seed in 0..4u64 {
        let mut random = Random::new(seed);
        let mut between = |low: f64, high: f64| low + (high - low) * random.uniform();
        let velocity = 10f64.powf(between(-3.0, -2.0));
        let material = ContactMaterial::new(1e4, 0.5, between(0.1, 0.4))
            .and_then(|m| m.with_static_friction(2.0 * m.friction, velocity))
            .unwrap();
        let shape = Shape::new_box(Vector3::repeat(0.1)).unwrap();
        let system = SystemBuilder::new()
            .floor("floor", material)
            .free_body("a", shape.clone(), 0.5, material)
            .free_body("b", shape, 0.3, material)
            .compliant(LONG)
            .and_then(|system| system.with_generalized_forces())
            .unwrap();
        let mut state = system.initial_state();
        for (place, x) in [(6, 0.0499), (11, 0.02), (13, 0.1497)] {
            state.q[place] = x;
        }
        let force: Vec<f64> = (0..12)
            .map(|i| match i % 6 {
                2 => between(-0.1, 0.1),
                3 | 4 => between(-8.0, 8.0),
                _ => 0.0,
            })
            .collect();
        let mut workspace = system.workspace().unwrap();
        let mut step = |part: f64| {
            let input: Vec<f64> = force.iter().map(|f| part * f).collect();
            // At a fold itself there may be no solution to find.
            let step = system.step(&mut workspace, &state, &input).ok()?;
            let status = step.status();
            let kink = status.nearest_kinks.in_unit("m/s");
            let is_near = kink.is_some_and(|kink| kink.distance() < 1e-5 * velocity.max(1e-2));
            let is_told = is_near || status.other_solution.is_some();
            Some((step.state().v.clone(), is_told))
        };
        for k in 0..GRID {
            let [mut low, mut high] = [k, k + 1].map(|k| k as f64 / GRID as f64);
            let [Some(mut before), Some(mut after)] = [low, high].map(&mut step) else {
                continue;
            };
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                let Some(found) = step(middle) else {
                    break;
                };
                if (&found.0 - &before.0).amax() > (&after.0 - &found.0).amax() {
                    (high, after) = (middle, found);
                } else {
                    (low, before) = (middle, found);
                }
            }
            if high - low < 1e-10 && (&after.0 - &before.0).amax() > 1e-3 * velocity {
                jumps += 1;
                assert!(before.1 || after.1, "{seed}, {low}");
            }
        }
    }
    assert!(jumps > 5, "{jumps}");
}
