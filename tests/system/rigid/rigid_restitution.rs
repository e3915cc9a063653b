//! Restitution in rigid steps and in rigid contact in continuous time.

use crate::support::random_tree::Random;
use crate::support::scenes::{bodies_over_ground, free_body};
use dualbody::Parameters;
use dualbody::constraint::{Baumgarte, ConstraintKinkKind, ConstraintSolver, TreeConstraints};
use dualbody::contact::{ContactMaterial, FrictionRule};
use dualbody::geometry::{HeightField, Shape};
use dualbody::integrator::DormandPrince;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    RigidBodyFlow, State, StepDifferentiator, StepJacobian, SystemBuilder, SystemOptions,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::RigidBodyTreeBuilder;
use nalgebra::{DVector, Rotation3, Vector3};

const G: f64 = 9.81;
const RADIUS: f64 = 0.05;

/// Bodies of 1 kg over the ground with the restitution and the friction of all surfaces.
fn bodies(shapes: &[Shape<f64>], [e, mu]: [f64; 2], dt: f64) -> TimeSteppingRigidBodySystem<f64> {
    let material = ContactMaterial::new(1e5, 0.1, mu)
        .unwrap()
        .with_restitution(e)
        .unwrap();
    // Like a ball's, so that there are no gyroscopic torques.
    let inertia = SpatialInertia::principal(1.0, Vector3::repeat(0.002));
    let system = bodies_over_ground(RigidBodyTreeBuilder::new(), shapes, inertia, material);
    let mut options = SystemOptions::default();
    options.rigid_contact = true;
    TimeSteppingRigidBodySystem::rigid(system.with_options(options).unwrap(), dt).unwrap()
}

fn ball(parameters: [f64; 2], dt: f64) -> TimeSteppingRigidBodySystem<f64> {
    bodies(&[Shape::new_sphere(RADIUS).unwrap()], parameters, dt)
}

/// A state of free bodies, upright, at these heights.
fn at_heights(system: &TimeSteppingRigidBodySystem<f64>, heights: &[f64]) -> State<f64> {
    let mut state = system.initial_state();
    for (k, height) in heights.iter().enumerate() {
        state.q[7 * k + 6] = *height;
    }
    state
}

fn energy(system: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>) -> f64 {
    let tree = system.tree();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, state.q.as_slice(), state.v.as_slice())
        .unwrap();
    tree.kinetic_energy(&workspace).unwrap() + tree.potential_energy(&workspace).unwrap()
}

/// Height above the ground after a fall from `h` and bounces with `e`.
fn bouncing(h: f64, e: f64, end: f64) -> f64 {
    let mut time = (2.0 * h / G).sqrt();
    let mut speed = G * time;
    loop {
        speed *= e;
        let flight = 2.0 * speed / G;
        if time + flight > end {
            let since = end - time;
            return speed * since - 0.5 * G * since * since;
        }
        time += flight;
    }
}

#[test]
fn a_ball_bounces_as_in_closed_form_as_the_step_shrinks() {
    let (h, e, end) = (0.5, 0.8, 1.3);
    for dt in [1e-2, 2e-3, 4e-4, 1e-4] {
        let system = ball([e, 0.3], dt);
        let start = at_heights(&system, &[h + RADIUS]);
        let steps = (end / dt).round() as usize;
        let state = system.rollout(&start, steps).unwrap();
        let error = state.last().q[6] - RADIUS - bouncing(h, e, end);
        assert!(error.abs() < 8.0 * dt, "{dt}: {error}");
    }
    // The same constant in continuous time.
    let system = ball([e, 0.3], 1e-3);
    let mut flow = RigidBodyFlow::new(system.system()).unwrap();
    let (mut x, mut events) = (Vec::new(), Vec::new());
    flow.write_state(&at_heights(&system, &[h + RADIUS]), &mut x);
    let mut method = DormandPrince::new(1e-9, 1e-9).unwrap();
    (method.integrate_with_events(&mut flow, 0.0, end, &mut x, |_| {}, &mut events)).unwrap();
    assert!((x[6] - RADIUS - bouncing(h, e, end)).abs() < 1e-8);
    assert_eq!(events.len(), 3);
}

#[test]
fn bounces_end_and_slow_impacts_are_plastic() {
    let system = ball([0.7, 0.3], 2e-3);
    let end = system
        .rollout(&at_heights(&system, &[0.1 + RADIUS]), 1000)
        .unwrap();
    assert!((end.last().q[6] - RADIUS).abs() < 1e-6 && end.last().v.amax() < 1e-12);
    let mut options = SystemOptions::default();
    options.rebound_speed = 0.5;
    let system = system.with_options(options).unwrap();
    let mut workspace = system.workspace().unwrap();
    for (speed, parts) in [(0.49, false), (0.51, true)] {
        let mut state = at_heights(&system, &[RADIUS]);
        state.v[5] = -speed;
        let next = system.step(&mut workspace, &state, &[]).unwrap();
        let expected = if parts { 0.7 * speed - G * 2e-3 } else { 0.0 };
        assert!((next.state().v[5] - expected).abs() < 1e-12);
    }
}

/// Cubes that fall on their corners, on the ground and on each other, with friction that turns slip round.
#[test]
fn no_step_gains_energy() {
    let cube = Shape::new_box(Vector3::repeat(0.1)).unwrap();
    let (mut held, mut rebounds, mut checked) = (0, 0, 0);
    for seed in 0..16 {
        let random = &mut Random::new(seed);
        let e = [1.0, 0.9, 0.6, 0.3][seed as usize % 4];
        let mu = [0.1, 0.5, 1.5][seed as usize % 3];
        let system = bodies(&[cube.clone(), cube.clone()], [e, mu], 2e-3);
        let mut state = at_heights(&system, &[0.12, 0.3]);
        for k in 0..2 {
            for j in 0..3 {
                state.q[7 * k + 1 + j] = 0.5 * random.signed();
                state.v[6 * k + j] = 20.0 * random.signed();
                state.v[6 * k + 3 + j] = 2.0 * random.signed();
            }
            let norm = state.q.rows(7 * k, 4).norm();
            state.q.rows_mut(7 * k, 4).unscale_mut(norm);
        }
        let mut workspace = system.workspace().unwrap();
        let mut before = energy(&system, &state);
        for step in 0..300 {
            let mut next = (system.step(&mut workspace, &state, &[]))
                .unwrap_or_else(|error| panic!("{seed} {step}: {error}"));
            let contacts = next.contacts().unwrap();
            let pressed = contacts.iter().any(|c| c.force.z > 0.0);
            let parts = contacts
                .iter()
                .any(|c| c.force.z > 0.0 && c.velocity.z > 0.1);
            let now = energy(&system, next.state());
            assert!(now <= before + 1e-11, "{seed} {step}: {}", now - before);
            rebounds += usize::from(parts);
            let kinks = next.status().nearest_kinks.iter().map(|k| k.distance());
            let distance = kinks.fold(f64::INFINITY, f64::min);
            let last = std::mem::replace(&mut state, next.state().clone());
            // Less the error of free flight, ½ m g² δt² for each.
            if e < 0.95 && pressed && parts && now - before > -4.2e-4 {
                held += 1;
                if distance > 1e-3 && checked < 4 {
                    check_columns_of_velocities(&system, &last);
                    checked += 1;
                }
            }
            before = now;
        }
    }
    assert!(rebounds > 100, "{rebounds}");
    assert!(held > 0, "friction would never have added energy");
    assert!(checked > 0);
}

/// Derivatives with respect to velocities, where friction and restitution together keep all energy.
fn check_columns_of_velocities(system: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>) {
    let mut differentiator = StepDifferentiator::new(system, &[]).unwrap();
    let mut jacobian = StepJacobian::default();
    (differentiator.jacobian(state, &[], &mut jacobian)).unwrap();
    let mut workspace = system.workspace().unwrap();
    for i in 0..12 {
        let [above, below] = [1e-7, -1e-7].map(|h| {
            let mut moved = state.clone();
            moved.v[i] += h;
            let step = system.step(&mut workspace, &moved, &[]).unwrap();
            step.state().v.clone()
        });
        let difference = (above - below) / 2e-7;
        let column = jacobian.state.view((14, 14 + i), (12, 1));
        let error = (&difference - column).amax();
        assert!(error < 1e-5 * (1.0 + difference.amax()), "{i}: {error}");
    }
}

#[test]
fn balls_in_a_row_are_one_impact() {
    // The first with 1 m/s on two that touch: Newton's law for all three at once, not the cradle's.
    let sphere = || Shape::new_sphere(RADIUS).unwrap();
    let mut system = bodies(&[sphere(), sphere(), sphere()], [1.0, 0.0], 1e-3);
    system.set_parameter("gravity/z", 0.0).unwrap();
    let mut state = at_heights(&system, &[1.0, 1.0, 1.0]);
    for k in 0..3 {
        state.q[7 * k + 4] = (2.0 * RADIUS - 1e-9) * k as f64;
    }
    state.v[3] = 1.0;
    let mut workspace = system.workspace().unwrap();
    let next = system.step(&mut workspace, &state, &[]).unwrap();
    let v: Vec<f64> = (0..3).map(|k| next.state().v[6 * k + 3]).collect();
    for (v, expected) in v.iter().zip([-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
        assert!((v - expected).abs() < 1e-12, "{v} {expected}");
    }
}

#[test]
fn an_impact_is_differentiated() {
    let brick = Shape::new_box(Vector3::new(0.3, 0.2, 0.1)).unwrap();
    let slides = ([0.3, 0.4, -0.2], [3.0, 0.4, -1.5], [0.6, 0.2]);
    let sticks = ([-1.0, 0.4, 0.2], [0.01, 0.0, -1.5], [0.5, 1.2]);
    for (w, v, [e, mu]) in [slides, sticks] {
        let system = bodies(std::slice::from_ref(&brick), [e, mu], 5e-3)
            .with_generalized_forces()
            .unwrap();
        let start = free_body([0.95, 0.2, -0.15, 0.1], [0.0, 0.0, 0.124], w, v);
        let names = [
            "body0/restitution",
            "body0/friction",
            "body0/mass",
            "gravity/z",
            "time_step",
        ];
        let mut differentiator = StepDifferentiator::new(&system, &names).unwrap();
        let mut jacobian = StepJacobian::default();
        let next = differentiator
            .jacobian(&start, &[0.0; 6], &mut jacobian)
            .unwrap();
        let step = |system: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>, u: &[f64]| {
            let mut workspace = system.workspace().unwrap();
            let mut step = system.step(&mut workspace, state, u).unwrap();
            let rebounds = |c: &dualbody::contact::ContactResult<f64>| c.force.z > 0.0;
            assert!(
                step.contacts().unwrap().iter().any(rebounds),
                "it does not touch"
            );
            let next = step.state();
            DVector::from_iterator(13, next.q.iter().chain(&next.v).copied())
        };
        assert!(next.v[5] > v[2] + 0.05, "{}", next.v[5]);
        let h = 1e-6;
        let check = |label: &str, column: DVector<f64>, f: &dyn Fn(f64) -> DVector<f64>| {
            let difference = (f(h) - f(-h)) / (2.0 * h);
            let error = (&column - &difference).amax();
            assert!(
                error < 1e-6 * (1.0 + difference.amax()),
                "{label}: {column} {difference}"
            );
        };
        for i in 0..13 {
            check(&format!("x{i}"), jacobian.state.column(i).into(), &|h| {
                let mut moved = start.clone();
                if i < 7 {
                    moved.q[i] += h;
                    let norm = moved.q.rows(0, 4).norm();
                    moved.q.rows_mut(0, 4).unscale_mut(norm);
                } else {
                    moved.v[i - 7] += h;
                }
                step(&system, &moved, &[0.0; 6])
            });
        }
        for i in 0..6 {
            check(&format!("u{i}"), jacobian.input.column(i).into(), &|h| {
                let mut u = [0.0; 6];
                u[i] = h;
                step(&system, &start, &u)
            });
        }
        for (i, name) in names.iter().enumerate() {
            check(name, jacobian.parameters.column(i).into(), &|h| {
                let mut changed = system.clone();
                let list = system.parameters();
                let value = list[system.parameter_index(name).unwrap()].value;
                changed.set_parameter(name, value + h).unwrap();
                step(&changed, &start, &[0.0; 6])
            });
        }
    }
}

#[test]
fn the_ledger_of_an_impact_closes() {
    let brick = Shape::new_box(Vector3::new(0.3, 0.2, 0.1)).unwrap();
    for dt in [1e-3, 1e-4] {
        let system = bodies(std::slice::from_ref(&brick), [0.6, 0.4], dt);
        let start = free_body(
            [0.95, 0.2, -0.15, 0.1],
            [0.0, 0.0, 0.117],
            [0.0; 3],
            [0.5, 0.0, -1.5],
        );
        let mut workspace = system.workspace().unwrap();
        let mut step = system.step(&mut workspace, &start, &[]).unwrap();
        let ledger = step.energy().unwrap();
        assert!(
            ledger.residual().abs() < 3.0 * dt,
            "{dt}: {}",
            ledger.residual()
        );
        assert!(ledger.dissipated_by_contact_normal > 0.01);
        assert!(ledger.dissipated_by_friction > 0.0);
    }
}

#[test]
fn coefficients_combine_and_are_checked() {
    let with = |e: f64| ContactMaterial::rigid(0.3).unwrap().with_restitution(e);
    let without = ContactMaterial::new(1e4, 0.2, 0.3).unwrap();
    let (a, b) = (with(0.8).unwrap(), with(0.4).unwrap());
    assert!((a.combined(&b).restitution.unwrap() - 0.6).abs() < 1e-15);
    assert_eq!(
        without.combined_by(&a, FrictionRule::default()).restitution,
        Some(0.8)
    );
    assert_eq!(without.combined(&without).restitution, None);
    assert_eq!(a.restitution_at(3.0).unwrap(), 0.8);
    assert!(without.restitution_at(3.0).unwrap() < 0.8);
    for bad in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
        assert!(with(bad).is_err());
    }
    let mut system = ball([0.5, 0.3], 1e-3);
    assert!(system.set_parameter("body0/restitution", 1.5).is_err());
    system.set_parameter("body0/restitution", 0.25).unwrap();
    assert_eq!(
        system.contact().geometries()[1].material.restitution,
        Some(0.25)
    );
}

#[test]
fn restitution_is_written_and_read() {
    let material = ContactMaterial::new(1e4, 0.2, 0.3).unwrap();
    let material = material.with_restitution(0.1 + 0.2).unwrap();
    let text = serde_json::to_string(&material).unwrap();
    assert_eq!(
        serde_json::from_str::<ContactMaterial<f64>>(&text).unwrap(),
        material
    );
    // Files without it are those of before.
    let material: ContactMaterial<f64> =
        serde_json::from_str(r#"{"stiffness": 1e4, "dissipation": 0.1, "friction": 0.5}"#).unwrap();
    assert_eq!(material.restitution, None);
    assert!(
        !serde_json::to_string(&material)
            .unwrap()
            .contains("restitution")
    );
}

/// Bodies with gyroscopic torques, on a plane or a height field and on each other: no step fails, and none gains energy.
#[test]
fn whatever_spins_and_rebounds_gains_no_energy() {
    let sizes = Vector3::new;
    let shapes = [
        Shape::new_sphere(0.1).unwrap(),
        Shape::new_capsule(0.05, 0.2).unwrap(),
        Shape::new_cylinder(0.1, 0.06).unwrap(),
        Shape::new_box(sizes(0.2, 0.14, 0.1)).unwrap(),
        Shape::new_ellipsoid(sizes(0.1, 0.07, 0.12)).unwrap(),
    ];
    let mut bounded = 0;
    for seed in 0..60 {
        let random = &mut Random::new(seed);
        let [e, mu] = [
            [0.0, 0.5, 1.0, 0.9][seed as usize % 4],
            [0.0, 0.4, 1.0][seed as usize % 3],
        ];
        let material = ContactMaterial::new(1e5, 0.1, mu).unwrap();
        let material = material.with_restitution(e).unwrap();
        let ground = match seed % 5 {
            0 => {
                let heights = (0..81).map(|_| 0.02 * random.signed()).collect();
                let spacing = nalgebra::Vector2::new(0.2, 0.22);
                HeightField::new(9, heights, spacing).unwrap().into()
            }
            _ => Shape::HalfSpace,
        };
        let [first, second] = [seed as usize, seed as usize / 5].map(|k| shapes[k % 5].clone());
        let system = SystemBuilder::new()
            .fixed("ground", ground, RigidTransform::identity(), material)
            .free_body("first", first, 1.0, material)
            .free_body("second", second, 0.5, material)
            .rigid([1e-3, 5e-3][seed as usize / 2 % 2])
            .unwrap();
        let mut state = at_heights(&system, &[0.2, 0.5]);
        for j in 0..3 {
            state.q[1 + j] = random.signed();
            state.v[j] = 4.0 * random.signed();
            state.v[3 + j] = random.signed();
        }
        let norm = state.q.rows(0, 4).norm();
        state.q.rows_mut(0, 4).unscale_mut(norm);
        state.q[11] = 0.03;
        let mut workspace = system.workspace().unwrap();
        let start = energy(&system, &state);
        let mut before = start;
        for step in 0..150 {
            let next = (system.step(&mut workspace, &state, &[]))
                .unwrap_or_else(|error| panic!("{seed} {step}: {error}"));
            bounded += usize::from(next.status().rebound < 1.0);
            state.clone_from(next.state());
            let now = energy(&system, &state);
            assert!(
                now <= before + 1e-6 * start.abs(),
                "{seed} {step}: {before} {now}"
            );
            before = now;
        }
    }
    assert!(bounded > 0);
}

/// A cube that falls on its corners, into which it overlaps.
#[test]
fn a_bounded_rebound_drives_overlaps_out() {
    let cube = Shape::new_box(Vector3::repeat(0.1)).unwrap();
    let system = bodies(&[cube], [1.0, 1.5], 2e-3);
    let tree = system.tree();
    let stabilization = Baumgarte {
        alpha: 10.0,
        beta: 10.0,
    };
    let mut constraints = TreeConstraints::new();
    constraints.set_contact(system.contact(), stabilization);
    let (mut solver, mut bounded) = (ConstraintSolver::default(), 0);
    for seed in 0..200 {
        let random = &mut Random::new(seed);
        let mut state = at_heights(&system, &[0.08]);
        for j in 0..3 {
            state.q[1 + j] = random.signed();
            state.v[j] = 20.0 * random.signed();
            state.v[3 + j] = 2.0 * random.signed();
        }
        let norm = state.q.rows(0, 4).norm();
        state.q.rows_mut(0, 4).unscale_mut(norm);
        let mut placed = tree.workspace();
        tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())
            .unwrap();
        let mut problem =
            (constraints.time_step_problem(tree, &mut placed, &[0.0; 6], 2e-3)).unwrap();
        let (_, share) = problem.solve(&mut solver).unwrap();
        assert!((0.0..=1.0).contains(&share));
        if share < 1.0 {
            for &(contact, _) in &problem.rebounds {
                let (k, push) = (problem.data.kN[contact], problem.data.pushN[contact]);
                assert_eq!(push, k.min(0.0));
                bounded += usize::from(push < 0.0);
            }
        }
    }
    assert!(bounded > 0);
}

#[test]
fn the_kink_of_a_rebound_is_in_metres_per_second() {
    let (dt, gap) = (5e-3, 1e-5);
    let system = ball([0.5, 0.3], dt);
    let state = at_heights(&system, &[RADIUS + gap]);
    let tree = system.tree();
    let mut placed = tree.workspace();
    tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())
        .unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.set_contact(system.contact(), Baumgarte::none());
    let mut problem = (constraints.time_step_problem(tree, &mut placed, &[0.0; 6], dt)).unwrap();
    let (solution, _) = problem.solve(&mut ConstraintSolver::default()).unwrap();
    let kinks = &solution.impulses.kinks;
    let distance = |kind| kinks.iter().find(|k| k.kind == kind).unwrap().distance;
    assert!((distance(ConstraintKinkKind::Touching) - gap).abs() < 1e-12);
    assert!((distance(ConstraintKinkKind::Rebounding) - gap / dt).abs() < 1e-9);
}

/// A ball that bounces off a slope would touch the floor in the same step, or just not: the floor presses only where it
/// makes the ball rebound, and the velocity after the step jumps.
#[test]
fn a_rebound_that_begins_where_nothing_presses_is_named_on_both_sides() {
    let (dt, speed) = (1e-3, 1.0);
    let material = ContactMaterial::new(1e4, 0.2, 0.0).unwrap();
    let material = material.with_restitution(0.5).unwrap();
    let tilt = Rotation3::from_axis_angle(&Vector3::y_axis(), 0.5);
    let mut slope = RigidTransform::identity();
    slope.rotation = tilt.into_inner();
    let system = SystemBuilder::new()
        .floor("floor", material)
        .fixed("slope", Shape::HalfSpace, slope, material)
        .free_body("ball", Shape::new_sphere(RADIUS).unwrap(), 0.3, material)
        .rigid(dt)
        .unwrap();
    let after = |gap: f64| {
        let mut state = at_heights(&system, &[RADIUS + gap]);
        // It touches the slope there.
        let up = tilt * Vector3::z();
        state.q[4] = (RADIUS - up.z * state.q[6]) / up.x;
        state.v[5] = -speed;
        let mut workspace = system.workspace().unwrap();
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        let kink = step.status().nearest_kinks.in_unit("m/s");
        (step.state().v[5], kink.map(|kink| kink.distance()))
    };
    let (change, threshold) = (1e-9, speed * dt);
    let [(with, near), (without, far)] = [-change, change].map(|x| after(threshold + x));
    assert!(with - without > 0.1, "{with} {without}");
    for kink in [near, far] {
        let distance = kink.unwrap();
        assert!(distance < 1.1 * change / dt, "{distance:e}");
    }
}

/// A rod that falls on one end while it slides: friction that turns its slip round would add energy from some speed on.
#[test]
fn the_kink_where_rebounds_are_limited_is_named() {
    let rod = Shape::new_capsule(0.02, 0.4).unwrap();
    let system = bodies(&[rod], [0.95, 0.8], 1e-3);
    let mut workspace = system.workspace().unwrap();
    let mut rebound = |angle: f64, speed: f64| {
        let mut state = at_heights(&system, &[0.0]);
        (state.q[0], state.q[2]) = ((angle / 2.0).cos(), (angle / 2.0).sin());
        // The lower end is 0.1 mm above the ground.
        state.q[6] = 0.2 * angle.cos().abs() + 0.02 + 1e-4;
        (state.v[3], state.v[5]) = (speed, -2.0);
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        let status = *step.status();
        let kink = status
            .nearest_kinks
            .in_unit("J")
            .map(|kink| kink.distance());
        (status.rebound, kink)
    };
    let mut crossings = 0;
    for angle in (1..15).map(|k| 0.1 * k as f64) {
        let speeds: Vec<f64> = (-20..=20).map(|k| 0.137 * k as f64).collect();
        for pair in speeds.windows(2) {
            let (mut a, mut b) = (pair[0], pair[1]);
            let is_limited = [a, b].map(|speed| rebound(angle, speed).0 < 1.0);
            if is_limited[0] == is_limited[1] {
                continue;
            }
            for _ in 0..45 {
                let middle = 0.5 * (a + b);
                match (rebound(angle, middle).0 < 1.0) == is_limited[0] {
                    true => a = middle,
                    false => b = middle,
                }
            }
            let sides = [a, b].map(|speed| rebound(angle, speed).1);
            if let [Some(x), Some(y)] = sides {
                crossings += usize::from(x < 1e-9 && y < 1e-9);
                // Or other kinks of the step are there too.
                assert!(x.min(y) < 1e-9, "{angle} {a}: {sides:?}");
            }
        }
    }
    assert!(crossings > 3, "{crossings}");
}
