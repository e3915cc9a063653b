//! That a step is a continuous function of poses where other features begin to touch, that its
//! derivatives are those of the function, and that jumps which remain are announced.

mod support;

use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder, Detection};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use nalgebra::{Unit, UnitQuaternion, Vector3};
use num_dual::Dual64;

type System = TimeSteppingRigidBodySystem<f64>;

/// Free boxes of the given sizes, and the ground.
fn boxes(sizes: &[Vector3<f64>], dt: f64) -> System {
    let mut tree = RigidBodyTreeBuilder::new();
    let bodies: Vec<_> = (sizes.iter().enumerate())
        .map(|(i, size)| {
            let inertia = SpatialInertia::solid_box(1.0, size);
            tree.add_body(&format!("box{i}"), inertia).unwrap()
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
    let tau = vec![0.0; start.v.len()];
    let step = system.step(&mut workspace, start, &tau).unwrap();
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
    let tau = vec![Dual64::from(0.0); start.v.len()];
    let step = system.step(&mut workspace, &state, &tau).unwrap();
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
    let _ = (
        Detection::Anticipating,
        rotation::exp(&Vector3::<f64>::zeros()),
        Unit::new_normalize(Vector3::<f64>::x()),
    );
}
