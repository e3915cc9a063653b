//! Contact events that a flow finds by itself, against closed forms and differences.

use crate::support::cases::tier;
use dualbody::contact::ContactMaterial;
use dualbody::geometry::Shape;
use dualbody::integrator::DormandPrince;
use dualbody::system::{
    ContactEventKind, RigidBodyFlow, RigidBodySystem, SystemBuilder, SystemOptions,
};
use dualbody::{DefaultScalar, Parameters, Scalar};
use nalgebra::Vector3;
use num_dual::{Dual2_64, Dual64, DualNum};

const RADIUS: f64 = 0.05;

/// A body over the floor, which have the same material.
fn thrown(shape: Shape<f64>, material: ContactMaterial<f64>, rigid: bool) -> RigidBodySystem<f64> {
    let mut options = SystemOptions::default();
    options.rigid_contact = rigid;
    SystemBuilder::new()
        .floor("floor", material)
        .free_body("body", shape, 0.3, material)
        .pair_material("body", "floor", material)
        .build()
        .unwrap()
        .with_options(options)
        .unwrap()
}

fn ball(dissipation: f64, rigid: bool) -> RigidBodySystem<f64> {
    let shape = Shape::new_sphere(RADIUS).unwrap();
    thrown(
        shape,
        ContactMaterial::new(2e3, dissipation, 0.4).unwrap(),
        rigid,
    )
}

/// The state at the end, and what happened when.
type Flown<T> = (Vec<T>, Vec<(ContactEventKind, T)>);

/// From `[q; v]` with changes of some parameters.
fn fly<T: DefaultScalar>(
    system: &RigidBodySystem<f64>,
    parameters: &[(&str, T)],
    start: [T; 13],
    end: f64,
) -> Flown<T> {
    let mut system = system.cast::<T>();
    // Smooth enough for an explicit method.
    system
        .set_parameter("stiction_tolerance", T::from(0.02))
        .unwrap();
    for &(name, value) in parameters {
        system.set_parameter(name, value).unwrap();
    }
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    let (mut x, mut events) = (start.to_vec(), Vec::new());
    let mut method = DormandPrince::new(1e-11, 1e-11).unwrap();
    method
        .integrate_with_events(&mut flow, 0.0, end, &mut x, |_| {}, &mut events)
        .unwrap();
    let kind = |guard| flow.contact_event(guard).unwrap().kind;
    let happened = events.iter().map(|e| (kind(e.guard), e.time)).collect();
    (x, happened)
}

/// At rest at the height z.
fn at_height<T: Scalar>(z: T) -> [T; 13] {
    let mut x = [T::zero(); 13];
    (x[0], x[6]) = (T::one(), z);
    x
}

#[track_caller]
fn assert_equal(found: Dual2_64, exact: Dual2_64, tolerance: f64) {
    assert_orders(found, exact, [tolerance; 3]);
}

/// With a tolerance for each order.
#[track_caller]
fn assert_orders(found: Dual2_64, exact: Dual2_64, tolerances: [f64; 3]) {
    let orders = [
        (found.re, exact.re),
        (found.v1, exact.v1),
        (found.v2, exact.v2),
    ];
    for (order, ((a, b), tolerance)) in orders.into_iter().zip(tolerances).enumerate() {
        let error: f64 = a - b;
        assert!(
            error.abs() < tolerance * (1.0 + b.abs()),
            "order {order}: {a} and {b}"
        );
    }
}

/// Height and speed after a fall from h and some bounces, each with e(d u) of its speed u.
fn bounces<T: Scalar>([h, g, d]: [T; 3], end: f64) -> ([T; 2], usize) {
    let material = ContactMaterial {
        stiffness: T::one(),
        dissipation: d,
        friction: T::zero(),
        stribeck: None,
        restitution: None,
        rotational: None,
    };
    let mut time = (h * 2.0 / g).sqrt();
    let (mut speed, mut count) = (g * time, 0);
    loop {
        speed = material.restitution_at(speed).unwrap() * speed;
        count += 1;
        let flight = speed * 2.0 / g;
        if (time + flight).re() > end {
            let since = -time + end;
            return (
                [speed * since - g * since * since * 0.5, speed - g * since],
                count,
            );
        }
        time += flight;
    }
}

#[test]
fn a_rigid_ball_bounces_as_in_closed_form() {
    let system = ball(0.1, true);
    let point = [1.0, 9.81, 0.1];
    for seed in 0..3 {
        let mut p = point.map(Dual2_64::from);
        p[seed] = p[seed].derivative();
        let [h, g, d] = p;
        let parameters = [("gravity/z", -g), ("body|floor/dissipation", d)];
        let (x, events) = fly(&system, &parameters, at_height(h + RADIUS), 2.3);
        let ([z, v], count) = bounces(p, 2.3);
        assert!(count >= 3 && events.len() == count, "{events:?}");
        assert!(events.iter().all(|e| e.0 == ContactEventKind::Touching));
        assert_equal(x[6] - RADIUS, z, 1e-9);
        assert_equal(x[12], v, 1e-9);
    }
}

/// By the restitution of the first impact.
#[test]
fn the_gradient_by_the_restitution_is_that_of_the_flow() {
    let (height, g) = (1.0, 9.81f64);
    let speed = (2.0 * height * g).sqrt();
    let e = Dual2_64::from(0.8).derivative();
    let d = ContactMaterial::dissipation_of(e, Dual2_64::from(speed)).unwrap();
    let system = ball(0.1, true);
    let parameters = [("body|floor/dissipation", d)];
    let (x, _) = fly(
        &system,
        &parameters,
        at_height((height + RADIUS).into()),
        0.8,
    );
    let since = 0.8 - speed / g;
    assert_equal(
        x[6] - RADIUS,
        e * (speed * since) - 0.5 * g * since * since,
        1e-9,
    );
}

/// Without dissipation contact is half a swing about the equilibrium.
#[test]
fn a_compliant_ball_bounces_as_in_closed_form() {
    let system = ball(0.0, false);
    let mass = 0.3;
    for seed in 0..3 {
        let mut p = [0.4, 9.81, 2e3].map(Dual2_64::from);
        p[seed] = p[seed].derivative();
        let [h, g, k] = p;
        let parameters = [("gravity/z", -g), ("body|floor/stiffness", k)];
        let start = at_height(h + RADIUS);
        let (fall, rate) = ((h * 2.0 / g).sqrt(), (k / mass).sqrt());
        let (speed, sag) = (g * fall, g * mass / k);
        // In contact z = −sag + sag cos ωt − (u/ω) sin ωt, which is zero again at 2 π/ω − 2 atan(…).
        let angle = (speed / rate / sag).atan();
        let contact = (Dual2_64::from(std::f64::consts::PI) - angle) * 2.0 / rate;
        let (sin, cos) = (rate * 0.02).sin_cos();
        let (x, events) = fly(&system, &parameters, start, fall.re + 0.02);
        assert_eq!(events.len(), 1);
        let since = -fall + fall.re + 0.02;
        let (sin_since, cos_since) = (rate * since).sin_cos();
        let deep = sag * cos_since - sag - speed / rate * sin_since;
        assert!((sin.re - sin_since.re).abs() < 1e-12 && (cos.re - cos_since.re).abs() < 1e-12);
        assert_equal(x[6] - RADIUS, deep, 1e-8);
        // After the bounce.
        let (x, events) = fly(&system, &parameters, start, 0.7);
        let kinds: Vec<_> = events.iter().map(|e| e.0).collect();
        assert_eq!(
            kinds,
            [ContactEventKind::Touching, ContactEventKind::Leaving]
        );
        assert_equal(events[0].1, fall, 1e-9);
        assert_equal(events[1].1, fall + contact, 1e-9);
        let since = -fall - contact + 0.7;
        assert_equal(x[6] - RADIUS, speed * since - g * since * since * 0.5, 1e-8);
    }
}

/// Hunt and Crossley's dissipation, and spin that friction takes up, against differences.
#[test]
fn compliant_bounces_agree_with_differences() {
    let system = ball(0.3, false);
    fn run<T: DefaultScalar>(system: &RigidBodySystem<f64>, x: [T; 3]) -> Vec<T> {
        let mut start = at_height(T::from(0.3));
        (start[9], start[10], start[6]) = (x[0], x[1], x[2]);
        fly(system, &[], start, 0.6).0
    }
    let point = [3.0, 0.5, 0.3];
    for seed in 0..tier(1, 3) {
        let mut p = point.map(Dual2_64::from);
        p[seed] = p[seed].derivative();
        let exact = run(&system, p);
        let at = |h: f64| {
            let mut p = point;
            p[seed] += h;
            run(&system, p)
        };
        let h = 2.5e-4;
        let [far, near] = [2.0 * h, h].map(|h| [at(h), at(-h)]);
        for i in [4, 6, 8, 10, 12] {
            let slope = |y: &[Vec<f64>; 2], h: f64| (y[0][i] - y[1][i]) / (2.0 * h);
            let bend =
                |y: &[Vec<f64>; 2], h: f64| (y[0][i] + y[1][i] - 2.0 * exact[i].re) / (h * h);
            let extrapolate = |far: f64, near: f64| (4.0 * near - far) / 3.0;
            let slope = extrapolate(slope(&far, 2.0 * h), slope(&near, h));
            let bend = extrapolate(bend(&far, 2.0 * h), bend(&near, h));
            assert!(
                (exact[i].v1 - slope).abs() < 1e-5 * (1.0 + slope.abs()),
                "{i} {seed}: {} {slope}",
                exact[i].v1
            );
            // Second derivatives of what friction, smooth to first order only, has no part in.
            if [6, 12].contains(&i) {
                let error = (exact[i].v2 - bend).abs();
                assert!(
                    error < 1e-5 * (1.0 + bend.abs()),
                    "{i} {seed}: {} {bend}",
                    exact[i].v2
                );
            }
        }
    }
}

/// A ball that slides rolls from t = 2 v/(7 μ g) on, with 5/7 of its speed: up to the slip of 10⁻⁶ m/s at which
/// contact holds. The direction of so little slip, where round-off has a say in it, has no second derivative.
#[test]
fn sliding_that_ends_has_the_derivative_of_the_flow() {
    let system = ball(0.1, true);
    for (direction, bend) in [([1.0, 0.0], 1e-6), ([0.6, 0.8], 0.1)] {
        for seed in 0..2 {
            let mut p = [2.0, 0.4].map(Dual2_64::from);
            p[seed] = p[seed].derivative();
            let [speed, friction] = p;
            let mut start = at_height(Dual2_64::from(RADIUS));
            (start[10], start[11]) = (speed * direction[0], speed * direction[1]);
            let (x, events) = fly(&system, &[("body|floor/friction", friction)], start, 0.5);
            let kinds: Vec<_> = events.iter().map(|e| e.0).collect();
            assert_eq!(kinds, [ContactEventKind::Sticking]);
            let (g, end) = (9.81, 0.5);
            let time = speed * 2.0 / (friction * (7.0 * g));
            let slid = speed * time - friction * g * time * time * 0.5;
            let way = slid + speed * (5.0 / 7.0) * (-time + end);
            let tolerances = [1e-6, 1e-6, bend];
            assert_orders(events[0].1, time, tolerances);
            assert_orders(x[4], way * direction[0], tolerances);
            assert_orders(x[5], way * direction[1], tolerances);
            assert_equal(x[6], RADIUS.into(), 1e-9);
        }
    }
}

/// Bounces that become slower than the rebound speed end, and the body rests.
#[test]
fn bodies_come_to_rest() {
    let rubber = ContactMaterial::new(2e3, 0.8, 0.5).unwrap();
    let side = Vector3::new(0.1, 0.08, 0.06);
    for (shape, rest) in [
        (Shape::new_sphere(RADIUS).unwrap(), RADIUS),
        (Shape::new_box(side).unwrap(), 0.03),
    ] {
        let system = thrown(shape, rubber, true);
        let mut options = *system.options();
        options.rebound_speed = 0.1;
        let system = system.with_options(options).unwrap();
        let (x, events) = fly(&system, &[], at_height(rest + 0.2), 3.0);
        assert!((3..60).contains(&events.len()), "{events:?}");
        assert!((x[6] - rest).abs() < 1e-6 && x[12].abs() < 1e-6, "{x:?}");
        // It starts at rest, and nothing happens.
        let (x, events) = fly(&system, &[], at_height(rest), 1.0);
        assert!(events.is_empty(), "{events:?}");
        assert!((x[6] - rest).abs() < 1e-9);
    }
}

/// Free flight is exact however long a step is, and bodies meet all the same: head-on, off the centre, and thin plates.
#[test]
fn bodies_do_not_pass_through_each_other() {
    let hard = ContactMaterial::new(1e6, 0.0, 0.0).unwrap();
    let sphere = || Shape::new_sphere(RADIUS).unwrap();
    let plate = || Shape::new_box(Vector3::new(0.01, 0.4, 0.4)).unwrap();
    let (distance, speed) = (10.0, 200.0);
    for (shape, offset, between) in [
        (sphere(), 0.0, 2.0 * RADIUS),
        (sphere(), 0.08, 0.06),
        (plate(), 0.3, 0.01),
    ] {
        for rigid in [true, false] {
            let mut options = SystemOptions::default();
            options.rigid_contact = rigid;
            let mut system = SystemBuilder::new()
                .free_body("first", shape.clone(), 0.3, hard)
                .free_body("second", shape.clone(), 0.3, hard)
                .build()
                .unwrap()
                .with_options(options)
                .unwrap();
            system.set_parameter("gravity/z", 0.0).unwrap();
            let mut start = system.initial_state();
            (start.q[11], start.q[12], start.v[9]) = (distance, offset, -speed);
            let (mut x, mut events) = (Vec::new(), Vec::new());
            let mut flow = RigidBodyFlow::new(&system).unwrap();
            flow.write_state(&start, &mut x);
            let mut method = DormandPrince::new(1e-8, 1e-8).unwrap();
            (method.integrate_with_events(&mut flow, 0.0, 0.2, &mut x, |_| {}, &mut events))
                .unwrap();
            assert!(!events.is_empty(), "offset {offset}, rigid {rigid}");
            let meets = (distance - between) / speed;
            assert!((events[0].time - meets).abs() < 1e-9);
        }
    }
}

/// A box dropped askew: corners meet the floor one by one, with and without compliance.
#[test]
fn a_tumbling_box_agrees_with_differences() {
    let shape = Shape::new_box(Vector3::new(0.1, 0.08, 0.06)).unwrap();
    let rubber = ContactMaterial::new(2e3, 0.2, 0.3).unwrap();
    for rigid in [false, true] {
        let system = thrown(shape.clone(), rubber, rigid);
        fn run<T: DefaultScalar>(system: &RigidBodySystem<f64>, p: [T; 2]) -> Flown<T> {
            let mut start = at_height(p[0]);
            let q = [0.9, 0.3, 0.25, 0.1];
            let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            for (x, q) in start.iter_mut().zip(q) {
                *x = (q / norm).into();
            }
            (start[8], start[10]) = (p[1], 0.4.into());
            fly(system, &[], start, 0.6)
        }
        let point = [0.3, 1.0];
        for seed in 0..tier(1, 2) {
            let mut p = point.map(Dual2_64::from);
            p[seed] = p[seed].derivative();
            let (exact, events) = run(&system, p);
            assert!(events.len() >= 2, "{events:?}");
            let at = |h: f64| {
                let mut p = point;
                p[seed] += h;
                run(&system, p).0
            };
            let h = 1e-5;
            let [more, less] = [at(h), at(-h)];
            for i in 0..13 {
                let slope = (more[i] - less[i]) / (2.0 * h);
                let found = exact[i].v1;
                assert!(
                    (found - slope).abs() < 1e-4 * (1.0 + slope.abs()),
                    "{rigid} {i} {seed}: {found} {slope}"
                );
            }
        }
    }
}

#[test]
fn corners_of_compliant_boxes_touch_and_leave_one_after_the_other() {
    let shape = Shape::new_box(Vector3::new(0.1, 0.12, 0.06)).unwrap();
    for (dissipation, friction) in [(0.0, 0.0), (0.5, 0.4)] {
        let material = ContactMaterial::new(1e4, dissipation, friction).unwrap();
        let mut system = thrown(shape.clone(), material, false);
        (system.set_parameter("stiction_tolerance", 0.02)).unwrap();
        let mut flow = RigidBodyFlow::new(&system).unwrap();
        for attitude in 0..12 {
            let turn = |k: usize| (1.3 * attitude as f64 + 2.1 * k as f64).sin();
            let mut x = at_height(0.2);
            let on_an_edge = [1.0, 0.3, 0.0, 0.0];
            let q: [f64; 4] = std::array::from_fn(|k| match attitude {
                0 => on_an_edge[k],
                _ => turn(k),
            });
            let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            (0..4).for_each(|k| x[k] = q[k] / norm);
            let (mut x, mut events) = (x.to_vec(), Vec::new());
            let mut method = DormandPrince::new(1e-8, 1e-8).unwrap();
            let end =
                method.integrate_with_events(&mut flow, 0.0, 2.0, &mut x, |_| {}, &mut events);
            end.unwrap_or_else(|error| panic!("attitude {attitude}: {error}"));
            assert!(x[6] > 0.0 && events.len() < 5000);
        }
    }
}

/// A rod that hits the floor at 2 m/s, tilted, at a speed along it; and where it starts.
fn falling_rod(friction: f64, restitution: f64) -> RigidBodySystem<f64> {
    let shape = Shape::new_capsule(0.02, 0.4).unwrap();
    let material = ContactMaterial::new(1e4, 0.0, friction).unwrap();
    thrown(shape, material.with_restitution(restitution).unwrap(), true)
}

fn start_of_rod<T: Scalar>(tilt: T, along: T) -> [T; 13] {
    let (half, z) = (tilt * 0.5, tilt.cos() * 0.2 + 0.0201);
    let zero = T::zero();
    [
        half.cos(),
        zero,
        half.sin(),
        zero,
        zero,
        zero,
        z,
        zero,
        zero,
        zero,
        along,
        zero,
        T::from(-2.0),
    ]
}

#[test]
fn impacts_with_friction_gain_no_energy() {
    for (friction, restitution) in [(0.0, 0.9), (0.3, 0.9), (0.6, 0.9), (0.8, 0.5), (0.8, 1.0)] {
        let system = falling_rod(friction, restitution);
        let mut state = system.initial_state();
        let (mut held, mut count) = (0, 0);
        for k in 0..15 {
            for along in [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0] {
                let mut x = start_of_rod(0.05 + 0.1 * f64::from(k), along).to_vec();
                let mut flow = RigidBodyFlow::new(&system).unwrap();
                let mut events = Vec::new();
                DormandPrince::new(1e-10, 1e-10)
                    .unwrap()
                    .integrate_with_events(&mut flow, 0.0, 1e-3, &mut x, |_| {}, &mut events)
                    .unwrap();
                let mut energy = |x: &[f64]| {
                    flow.read_state(x, &mut state).unwrap();
                    let energy = system.energy(&state, &[]).unwrap();
                    energy.kinetic + energy.gravitational
                };
                let Some(impact) = events.first() else {
                    continue;
                };
                let (before, after) = (energy(&impact.before), energy(&impact.after));
                assert!(after <= before * (1.0 + 1e-12), "{before} J to {after} J");
                count += 1;
                held += usize::from(after > before * (1.0 - 1e-12));
            }
        }
        assert!(count > 90, "{count}");
        // Newton's law alone would add energy there.
        let expected = if restitution == 1.0 { 30 } else { 5 };
        let adds = friction > 0.0 && restitution > 0.5;
        assert!(
            if adds {
                held >= expected
            } else {
                friction == 0.0 || held == 0
            },
            "{held} of {count}"
        );
    }
}

#[test]
fn derivatives_of_impacts_that_would_gain_energy_agree_with_differences() {
    let system = falling_rod(0.8, 1.0);
    let end = |tilt: f64, along: f64| fly(&system, &[], start_of_rod(tilt, along), 2e-3).0;
    let dual = |x: f64| Dual64::from(x);
    let h = 1e-5;
    for (seeded, [lower, upper]) in [
        (
            [dual(0.75).derivative(), dual(1.0)],
            [end(0.75 - h, 1.0), end(0.75 + h, 1.0)],
        ),
        (
            [dual(0.75), dual(1.0).derivative()],
            [end(0.75, 1.0 - h), end(0.75, 1.0 + h)],
        ),
    ] {
        let (x, events) = fly(&system, &[], start_of_rod(seeded[0], seeded[1]), 2e-3);
        assert_eq!(events.len(), 1);
        for (i, x) in x.iter().enumerate() {
            let difference = (upper[i] - lower[i]) / (2.0 * h);
            assert!(
                (x.eps - difference).abs() < 1e-5,
                "{i}: {} {difference}",
                x.eps
            );
        }
    }
}

/// However many events there are, and whatever is differentiated.
#[test]
fn duals_do_not_change_a_bit_of_a_flow() {
    let shapes = [
        Shape::new_sphere(0.1).unwrap(),
        Shape::new_box(Vector3::new(0.2, 0.24, 0.16)).unwrap(),
    ];
    let material = ContactMaterial::new(1e4, 0.2, 0.5).unwrap();
    let material = material.with_restitution(0.6).unwrap();
    for (shape, rigid) in shapes.iter().flat_map(|s| [(s, true), (s, false)]) {
        let system = thrown(shape.clone(), material, rigid);
        let mut start = at_height(0.3);
        let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.2, 0.1));
        (start[0], start[1], start[2], start[3]) = (turn.w, turn.i, turn.j, turn.k);
        start[7..11].copy_from_slice(&[1.0, 2.0, 3.0, 0.5]);
        let (x, events) = fly(&system, &[], start, 0.6);
        assert!(events.len() > 2, "{}", events.len());
        for seed in [Some(6), None, Some(10)].into_iter().take(tier(1, 3)) {
            let mut duals = start.map(Dual2_64::from);
            if let Some(seed) = seed {
                duals[seed] = duals[seed].derivative();
            }
            let (y, _) = fly(&system, &[], duals, 0.6);
            for (i, (x, y)) in x.iter().zip(&y).enumerate() {
                assert_eq!(
                    x.to_bits(),
                    y.re.to_bits(),
                    "{rigid} {seed:?} {i}: {x:e} {:e}",
                    y.re
                );
            }
        }
    }
}
