//! Finds the release velocity for which a tossed cube comes to rest on a target, by gradient descent
//! through all of its impacts.
//!
//! `cargo run --release --example throw [-- --quick]`

mod plot;

use dualbody::Scalar;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{Adjoint, RolloutObjective, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use nalgebra::{DMatrix, Vector3};
use std::error::Error;

const TIME_STEP: f64 = 2e-3;
const STEPS: usize = 600;
const SIDE: f64 = 0.1;
const TARGET: [f64; 2] = [0.55, 0.2];

/// Half the squared distance of the cube from the target at the end.
struct Miss;

impl RolloutObjective for Miss {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
        if step < STEPS {
            return T::zero();
        }
        let (x, y) = (state.q[4] - TARGET[0], state.q[5] - TARGET[1]);
        (x * x + y * y) * 0.5
    }
}

fn cube() -> Result<TimeSteppingRigidBodySystem<f64>, Box<dyn Error>> {
    let size = Vector3::repeat(SIDE);
    let mut builder = RigidBodyTreeBuilder::new();
    let body = builder.add_body("cube", SpatialInertia::solid_box(0.4, &size))?;
    let tree = builder.finish()?;
    let mut contact = ContactModelBuilder::new();
    for (name, body, shape, material) in [
        (
            "cube",
            body,
            Shape::new_box(size)?,
            ContactMaterial::new(5e3, 1.0, 0.3)?,
        ),
        (
            "floor",
            BodyIndex::WORLD,
            Shape::HalfSpace,
            ContactMaterial::rigid(0.3)?,
        ),
    ] {
        contact.add_geometry(CollisionGeometry {
            name: name.to_owned(),
            body,
            pose_in_body: RigidTransform::identity(),
            shape,
            material,
        })?;
    }
    let contact = contact.finish(&tree)?;
    Ok(TimeSteppingRigidBodySystem::new(tree, contact, TIME_STEP)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let system = cube()?;
    let mut start = system.neutral_state();
    start.q[6] = 0.12;
    start.v.copy_from_slice(&[0.3, -0.2, 0.6, 1.2, 0.0, 0.4]);
    let mut adjoint = Adjoint::new(&system, &[])?;
    let nothing = DMatrix::zeros(6, STEPS);
    let mut workspace = system.workspace()?;
    let mut path = |state: &State<f64>| {
        let rollout = system.rollout(&mut workspace, state, STEPS, |_, _, _| {});
        let points = rollout.states.iter().map(|s| (s.q[4], s.q[5]));
        points.collect::<Vec<_>>()
    };
    let mut lines = vec![("first throw".to_owned(), path(&start))];

    println!("target: x = {} m, y = {} m", TARGET[0], TARGET[1]);
    println!("iteration  miss (mm)  release velocity (m/s)");
    let iterations = if plot::is_quick() { 15 } else { 60 };
    let mut rate = 4.0;
    let mut current = adjoint.gradient(&Miss, &start, &nothing)?;
    for iteration in 0..iterations {
        let miss = (2.0 * current.value).sqrt();
        println!(
            "{iteration:9}  {:9.3}  {:7.4} {:7.4} {:7.4}",
            1e3 * miss,
            start.v[3],
            start.v[4],
            start.v[5]
        );
        if miss < 1e-5 {
            break;
        }
        // Halve the step until the cube comes nearer.
        let slope = current.initial_state.rows(10, 3).into_owned();
        let mut improved = false;
        for _ in 0..20 {
            let mut trial = start.clone();
            for (v, g) in trial.v.rows_mut(3, 3).iter_mut().zip(slope.iter()) {
                *v -= rate * g;
            }
            let next = adjoint.gradient(&Miss, &trial, &nothing)?;
            if next.value < current.value {
                (start, current, improved) = (trial, next, true);
                rate *= 1.5;
                break;
            }
            rate *= 0.5;
        }
        if !improved {
            break;
        }
    }
    let last = &current.last;
    let miss = (2.0 * current.value).sqrt();
    println!(
        "comes to rest at x = {:.5} m, y = {:.5} m, with {:.1e} m/s",
        last.q[4],
        last.q[5],
        last.v.rows(3, 3).norm()
    );
    if miss > 0.01 {
        return Err(format!("misses the target by {miss} m").into());
    }
    lines.push(("last throw".to_owned(), path(&start)));
    let [x, y] = TARGET;
    let d = 0.01;
    let cross = vec![
        (x - d, y - d),
        (x + d, y + d),
        (x, y),
        (x - d, y + d),
        (x + d, y - d),
    ];
    lines.push(("target".to_owned(), cross));
    let axes = ["x in m", "y in m"];
    plot::draw("throw", "Paths of the cube, seen from above", axes, &lines)
}
