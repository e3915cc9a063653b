//! That a step is a continuous function of poses where other features begin to touch, that its
//! derivatives are those of the function, and that jumps which remain are announced.

use crate::support::scenes::geometry;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, Scheme, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use nalgebra::{UnitQuaternion, Vector3};
use num_dual::Dual64;

type System = TimeSteppingRigidBodySystem<f64>;

/// Free boxes of the given sizes, and the ground.
fn boxes(sizes: &[Vector3<f64>], dt: f64) -> System {
    let mut tree = RigidBodyTreeBuilder::new();
    let bodies: Vec<_> = (sizes.iter().enumerate())
        .map(|(i, size)| {
            let inertia = SpatialInertia::solid_box(1.0, size);
            tree.add_body(format!("box{i}"), inertia).unwrap()
        })
        .collect();
    let tree = tree.finish().unwrap();
    let material = ContactMaterial::new(1e4, 0.5, 0.5).unwrap();
    let mut contact = ContactModelBuilder::new();
    let shapes = sizes.iter().map(|size| Shape::new_box(*size).unwrap());
    let places = bodies.into_iter().zip(shapes);
    for (i, (body, shape)) in places
        .chain([(BodyIndex::WORLD, Shape::HalfSpace)])
        .enumerate()
    {
        (contact.add_geometry(CollisionGeometry {
            name: format!("shape{i}"),
            body,
            pose_in_body: RigidTransform::identity(),
            shape,
            material,
        }))
        .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    TimeSteppingRigidBodySystem::new(tree, contact, dt).unwrap()
}

fn stack() -> (System, State<f64>) {
    let system = boxes(&[Vector3::repeat(0.1); 2], 1e-3);
    let mut start = system.neutral_state();
    (start.q[6], start.q[13]) = (0.0499, 0.1497);
    (system, start)
}

fn step(system: &System, start: &State<f64>) -> Vec<f64> {
    let mut workspace = system.workspace().unwrap();
    let step = system.step(&mut workspace, start, &[]).unwrap();
    step.state().v.as_slice().to_vec()
}

/// The start with one body turned by a rotation vector and moved.
fn moved(start: &State<f64>, body: usize, w: Vector3<f64>, p: Vector3<f64>) -> State<f64> {
    let mut state = start.clone();
    let turn = UnitQuaternion::from_scaled_axis(w);
    let q = &mut state.q.as_mut_slice()[7 * body..7 * (body + 1)];
    let old = nalgebra::Quaternion::new(q[0], q[1], q[2], q[3]);
    let new = turn.into_inner() * old;
    q[..4].copy_from_slice(&[new.w, new.i, new.j, new.k]);
    for (x, d) in q[4..].iter_mut().zip(p.iter()) {
        *x += d;
    }
    state
}

/// Derivatives of the velocities along a motion of one body, by duals.
fn slope(
    system: &System,
    start: &State<f64>,
    body: usize,
    w: Vector3<f64>,
    p: Vector3<f64>,
) -> Vec<f64> {
    let system = system.cast::<Dual64>();
    let mut state = start.cast::<Dual64>();
    let q = &mut state.q.as_mut_slice()[7 * body..7 * (body + 1)];
    let old = nalgebra::Quaternion::new(q[0].re, q[1].re, q[2].re, q[3].re);
    let rate = nalgebra::Quaternion::new(0.0, w.x, w.y, w.z) * old * 0.5;
    let rates = [rate.w, rate.i, rate.j, rate.k, p.x, p.y, p.z];
    for (x, d) in q.iter_mut().zip(rates) {
        x.eps = d;
    }
    let mut workspace = system.workspace().unwrap();
    let step = system.step(&mut workspace, &state, &[]).unwrap();
    step.state().v.iter().map(|v| v.eps).collect()
}

fn largest_difference(x: &[f64], y: &[f64]) -> f64 {
    x.iter()
        .zip(y)
        .fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs()))
}

/// The motions of a body along and about every axis.
fn motions() -> impl Iterator<Item = (Vector3<f64>, Vector3<f64>)> {
    let zero = Vector3::zeros();
    let turns = (0..3).map(move |i| (Vector3::ith(i, 1.0), zero));
    turns.chain((0..3).map(move |i| (zero, Vector3::ith(i, 1.0))))
}

#[test]
fn derivatives_of_a_square_stack_are_those_of_its_motion() {
    let (system, start) = stack();
    for body in [0, 1] {
        for (w, p) in motions() {
            let exact = slope(&system, &start, body, w, p);
            let scale = exact.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
            for h in [1e-5, 1e-6, 1e-7] {
                let plus = step(&system, &moved(&start, body, w * h, p * h));
                let minus = step(&system, &moved(&start, body, -w * h, -p * h));
                let difference: Vec<_> = plus
                    .iter()
                    .zip(&minus)
                    .map(|(x, y)| (x - y) / (2.0 * h))
                    .collect();
                let error = largest_difference(&exact, &difference);
                assert!(
                    error < 2e-3 * scale,
                    "{body} {w:?} {p:?} {h}: {error} of {scale}\n{exact:?}\n{difference:?}"
                );
            }
        }
    }
}

#[test]
fn a_stack_does_not_jump_when_it_is_turned_or_no_longer_flush() {
    let (system, start) = stack();
    let at_rest = step(&system, &start);
    for body in [0, 1] {
        for (w, p) in motions() {
            for h in [1e-12, 1e-10, 3e-9, 1e-8, 1e-7] {
                for sign in [-1.0, 1.0] {
                    let near = step(
                        &system,
                        &moved(&start, body, w * (h * sign), p * (h * sign)),
                    );
                    let change = largest_difference(&near, &at_rest);
                    assert!(
                        change < 100.0 * h + 1e-9,
                        "{body} {w:?} {p:?} {h}: {change}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_pushed_body_makes_the_contacts_that_it_reaches() {
    // A cube at rest over the ground, pushed down with five times its weight.
    let system = boxes(&[Vector3::repeat(0.1)], 5e-3)
        .with_generalized_forces()
        .unwrap();
    let tau = [0.0, 0.0, 0.0, 0.0, 0.0, -5.0 * 9.81];
    let after = |gap: f64| {
        let mut start = system.neutral_state();
        start.q[6] = 0.05 + gap;
        let mut workspace = system.workspace().unwrap();
        let step = system.step(&mut workspace, &start, &tau).unwrap();
        step.state().v[5]
    };
    // Without contact it falls 6 g δt² = 1.47 mm in the step; from there on nothing changes.
    let gaps = (0..400).map(|i| 5e-6 * f64::from(i));
    let speeds: Vec<f64> = gaps.map(after).collect();
    for pair in speeds.windows(2) {
        assert!((pair[1] - pair[0]).abs() < 2e-3, "{} {}", pair[0], pair[1]);
    }
    assert!((speeds[399] + 6.0 * 9.81 * 5e-3).abs() < 1e-12);
    assert!(speeds[0] > -0.2);
}

/// A quadruped crouches over the ground at rest, and its knees push the legs down: no step ends in what it did not find,
/// however high the feet are.
#[test]
fn legs_that_are_pushed_down_meet_what_they_reach() {
    let (machine, mut touched_late) = (crate::systems::json::quadruped(), 0);
    let (tree, contact) = (machine.tree(), machine.contact());
    let knees = || (tree.joints()).filter(|joint| joint.name().ends_with("knee"));
    assert_eq!(knees().count(), 4);
    let mut crouched = machine.initial_state();
    for joint in knees() {
        crouched.q[joint.position_start()] = -1.5;
        crouched.q[joint.position_start() - 1] = 0.8;
    }
    let mut placed = tree.workspace();
    let mut touching = |state: &State<f64>, margin: f64| {
        let (q, v) = (state.q.as_slice(), state.v.as_slice());
        tree.set_state(&mut placed, q, v).unwrap();
        contact.contacts(tree, &placed, margin).unwrap()
    };
    // The floor is that of the world, which is body B of its pairs.
    let of_ground = |c: &dualbody::contact::PointContact<f64>| c.body_b == BodyIndex::WORLD;
    crouched.q[6] = 0.0;
    let depths = touching(&crouched, 1.0);
    let lowest = (depths.iter().filter(|c| of_ground(c))).map(|c| c.penetration);
    let lowest = lowest.fold(f64::NEG_INFINITY, f64::max);
    for (scheme, dt) in [
        (Scheme::Compliant, 2e-3),
        (Scheme::Compliant, 0.01),
        (Scheme::Rigid, 2e-3),
        (Scheme::Rigid, 0.01),
    ] {
        let system = RigidBodySystem::new(tree.clone(), contact.clone())
            .and_then(RigidBodySystem::with_generalized_forces)
            .unwrap();
        let system = TimeSteppingRigidBodySystem::with_scheme(system, dt, scheme).unwrap();
        let mut workspace = system.workspace().unwrap();
        for (torque, k) in [20.0, 60.0]
            .into_iter()
            .flat_map(|t| (0..40).map(move |k| (t, k)))
        {
            let gap = 5e-4 * f64::from(k);
            let mut start = system.initial_state();
            start.q.copy_from(&crouched.q);
            start.q[6] = lowest + gap;
            let mut tau = vec![0.0; system.num_inputs()];
            knees().for_each(|joint| tau[joint.velocity_start()] = torque);
            let mut step = system.step(&mut workspace, &start, &tau).unwrap();
            let end = step.state().clone();
            let found = step.contacts().unwrap();
            for c in touching(&end, 0.0) {
                let pair = [c.body_a, c.body_b];
                let is_found = found.iter().any(|f| [f.body_a, f.body_b] == pair);
                assert!(
                    is_found || c.penetration < 1e-9,
                    "{scheme:?}, {dt} s, {torque} N m, {gap} m: {} m deep in bodies {pair:?}",
                    c.penetration
                );
            }
            // Further away than gravity alone leads in the step, or than a body falls that nothing pushes.
            let acting = found.iter().any(|c| c.force.z > 0.0);
            touched_late += usize::from(gap > 2.0 * 9.81 * dt * dt && acting);
        }
    }
    assert!(touched_late > 20, "{touched_late}");
}

/// A ball flies through a place where two others are, unless they stop it: contacts that are found on the way are not
/// lost when the ball turns out to be slower.
#[test]
fn contacts_that_are_found_one_by_one_all_act() {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.set_gravity(Vector3::zeros()).unwrap();
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(2e5, 0.0, 0.0).unwrap();
    let places = [0.0, 0.3, 0.55];
    for name in ["x", "a", "b"] {
        let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
        let body = tree.add_body(name, inertia).unwrap();
        let shape = Shape::new_sphere(0.1).unwrap();
        (contact.add_geometry(geometry(name, body, shape, material))).unwrap();
    }
    let tree = tree.finish().unwrap();
    let contact = contact.finish(&tree).unwrap();
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let system = RigidBodySystem::new(tree.clone(), contact.clone())
            .and_then(RigidBodySystem::with_generalized_forces)
            .unwrap();
        let system = TimeSteppingRigidBodySystem::with_scheme(system, 0.01, scheme).unwrap();
        let mut start = system.neutral_state();
        for (k, x) in places.into_iter().enumerate() {
            start.q[7 * k + 4] = x;
        }
        let mut tau = vec![0.0; 18];
        tau[3] = 2400.0;
        let mut workspace = system.workspace().unwrap();
        let mut step = system.step(&mut workspace, &start, &tau).unwrap();
        let [a, b] = [step.state().v[9], step.state().v[15]];
        let contacts = step.contacts().unwrap();
        let acting = contacts.iter().filter(|contact| contact.force.z > 0.0);
        let pushes: Vec<f64> = acting.map(|contact| 0.01 * contact.force.z).collect();
        // X pushes A, which pushes B.
        let expected = [a + b, b];
        assert_eq!(pushes.len(), 2, "{scheme:?}");
        for (push, expected) in pushes.iter().zip(expected) {
            assert!(
                b > 1.0 && (push - expected).abs() < 1e-9,
                "{scheme:?}: {pushes:?} {a} {b}"
            );
        }
    }
}

#[test]
fn the_pair_nearest_to_a_change_of_features_is_named() {
    let (system, start) = stack();
    let kink = |start: &State<f64>, margin: f64| {
        let (tree, contact) = (system.tree(), system.contact());
        let mut workspace = tree.workspace();
        tree.set_positions(&mut workspace, start.q.as_slice())
            .unwrap();
        contact
            .nearest_geometry_kink(tree, &workspace, margin)
            .unwrap()
    };
    // The boxes are flush; the ground has no features.
    let flush = kink(&start, 0.0).unwrap();
    assert_eq!(system.contact().pairs().nth(flush.pair), Some((0, 1)));
    assert_eq!(flush.distance, 0.0);
    let offset = Vector3::new(1e-3, 2e-3, 0.0);
    let aside = kink(&moved(&start, 1, Vector3::zeros(), offset), 0.0).unwrap();
    assert!((aside.distance - 1e-3).abs() < 1e-9, "{aside:?}");
    let apart = moved(&start, 1, Vector3::zeros(), Vector3::z());
    assert_eq!(kink(&apart, 0.0), None);
}

#[test]
fn steps_name_the_pair_nearest_to_a_change_of_features() {
    let (system, start) = stack();
    let aside = moved(&start, 1, Vector3::zeros(), Vector3::new(1e-3, 2e-3, 0.0));
    let distances = [Scheme::Compliant, Scheme::Rigid].map(|scheme| {
        let machine = system.system().clone();
        let system = System::with_scheme(machine, 1e-3, scheme).unwrap();
        let mut workspace = system.workspace().unwrap();
        let step = system.step(&mut workspace, &aside, &[]).unwrap();
        step.status().nearest_geometry_kink.unwrap().distance
    });
    for distance in distances {
        assert!((distance - 1e-3).abs() < 1e-9, "{distance}");
    }
}
