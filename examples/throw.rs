//! Finds the release velocity for which a tossed cube comes to rest on a target, by gradient descent
//! through all of its impacts.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` makes fewer iterations.

#[path = "support/mod.rs"]
mod support;

use dualbody::Scalar;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{Adjoint, Rollout, RolloutObjective, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use nalgebra::{DMatrix, Vector3};
use std::f64::consts::TAU;
use std::time::Duration;
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

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

fn cube() -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
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

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: throw [--quick] [--out DIR]");
    let iterations = if arguments.flag("--quick") { 8 } else { 60 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let system = cube()?;
    let mut start = system.neutral_state();
    start.q[6] = 0.12;
    start.v.copy_from_slice(&[0.3, -0.2, 0.6, 1.2, 0.0, 0.4]);
    let mut adjoint = Adjoint::new(&system, &[])?;
    let no_inputs = DMatrix::zeros(0, STEPS);
    let mut workspace = system.workspace()?;
    let mut throw = |state: &State<f64>| {
        let rollout = system.rollout_with(&mut workspace, state, STEPS, |_, _, _| {});
        Ok::<_, Failure>(rollout.completed()?)
    };
    let path = |throw: &Rollout<f64>| -> Vec<(f64, f64)> {
        throw.states.iter().map(|s| (s.q[4], s.q[5])).collect()
    };
    let first = throw(&start)?;
    let mut between = Vec::new();
    let [x, y] = TARGET;
    let target = RigidTransform::from_translation(Vector3::new(x, y, -0.0005));
    // The first throw, two between, and the one so far.
    let scene = |last: &Rollout<f64>, between: &[Rollout<f64>]| {
        let mut scene = (last.scene(&system)?)
            .titled("A throw at a target")
            .about(
                "Gradient descent through all impacts finds the release velocity: first throw, two \
                 between, the last.",
            )
            .with_shape("world", &Shape::new_cylinder(0.02, 0.002)?, &target)?
            .with_ghost("first throw", first.scene(&system)?);
        for iteration in [0, 2] {
            if let Some(throw) = between.get(iteration) {
                let name = format!("after {} iterations", iteration + 1);
                scene = scene.with_ghost(name, throw.scene(&system)?);
            }
        }
        Ok::<_, Failure>(scene)
    };
    let page = folder.join("throw.html");
    println!(
        "While it runs, {} shows how far it has come.",
        page.display()
    );

    println!("A cube is tossed onto a floor. It shall come to rest at x = {x} m, y = {y} m.\n");
    println!("iteration  miss (mm)  release velocity (m/s)");
    let mut misses = Vec::new();
    let mut rate = 4.0;
    let mut current = adjoint.gradient(&Miss, &start, &no_inputs)?;
    for iteration in 0..iterations {
        let miss = 1e3 * (2.0 * current.value).sqrt();
        misses.push((iteration as f64, miss));
        println!(
            "{iteration:9}  {miss:9.3}  {:7.4} {:7.4} {:7.4}",
            start.v[3], start.v[4], start.v[5]
        );
        if miss < 0.01 {
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
            let next = adjoint.gradient(&Miss, &trial, &no_inputs)?;
            if next.value < current.value {
                (start, current, improved) = (trial, next, true);
                let last = throw(&start)?;
                let so_far = scene(&last, &between)?;
                so_far.live(Duration::from_secs(1)).save(&page)?;
                between.push(last);
                rate *= 1.5;
                break;
            }
            rate *= 0.5;
        }
        if !improved {
            break;
        }
    }
    let end = &current.last;
    let miss = (2.0 * current.value).sqrt();
    println!(
        "\nAfter {} s the cube lies at x = {:.5} m, y = {:.5} m, with {:.0e} m/s.",
        STEPS as f64 * TIME_STEP,
        end.q[4],
        end.q[5],
        end.v.rows(3, 3).norm()
    );
    if miss > 0.01 {
        return Err(format!("misses the target by {miss:.3} m").into());
    }

    let last = throw(&start)?;
    let turns = (0..=36).map(|i| TAU * f64::from(i) / 36.0);
    let around = turns.map(|angle| (x + 0.02 * angle.cos(), y + 0.02 * angle.sin()));
    let paths = Chart::new("Paths of the cube, seen from above", "x [m]", "y [m]")
        .with("first throw", Mark::Line, path(&first))
        .with("last throw", Mark::Line, path(&last))
        .with("2 cm around the target", Mark::Line, around.collect());
    let progress = Chart::new("Gradient descent", "iteration", "miss [mm]")
        .logarithmic()
        .with("distance from the target", Mark::Line, misses);
    let picture = folder.join("throw.svg");
    write_charts(&picture, &[paths, progress])?;
    println!("Picture: {}", picture.display());

    support::show(&scene(&last, &between)?, &folder, "throw")
}
