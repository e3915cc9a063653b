//! A force element written outside the library: a magnet that pulls a pendulum.
//!
//! One generic implementation is all it takes: the library steps with it, and differentiates the
//! simulation with respect to the strength of the magnet as it does with respect to its own constants.
//! The derivative of the whole motion comes from one simulation with dual numbers and is compared with
//! central differences.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` simulates a shorter time.

#[path = "support/mod.rs"]
mod support;

use dualbody::contact::ContactModel;
use dualbody::force::{BodyPoint, ForceContext, ForceElement, ForceError, Forces};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{Rollout, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Parameters, Scalar, constants};
use nalgebra::Vector3;
use num_dual::Dual64;
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const TIME_STEP: f64 = 1e-3;
const STRENGTH: f64 = 2e-4;
/// Where the magnet is, in m.
const PLACE: [f64; 3] = [-0.2, 0.0, -0.55];

/// Pulls a point of a body to a place with the force `s p/(‖p‖² + d²)²`, where `p` leads there.
#[derive(Debug, Clone)]
struct Magnet<T> {
    place: Vector3<T>,
    point: BodyPoint<T>,
    /// `s` in N m³.
    strength: T,
    /// `d` in m: the force is largest at d/√3.
    distance: T,
}

impl<T: Scalar> Magnet<T> {
    /// `p`, and `‖p‖² + d²`.
    fn gap(&self, context: &ForceContext<'_, T>) -> Result<(Vector3<T>, T), ForceError> {
        let gap = self.place - self.point.position_in_world(context)?;
        let square = gap.norm_squared() + self.distance * self.distance;
        Ok((gap, square))
    }
}

impl<T: Scalar> ForceElement<T> for Magnet<T> {
    constants! { ForceElement for Magnet, named "magnet" {
        place: any("m");
        point: any("m") in_tree;
        strength: any("N m³");
        distance: positive("m");
    } }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (gap, square) = self.gap(context)?;
        let force = gap * (self.strength / (square * square));
        self.point.add_force(context, forces, force)
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let (_, square) = self.gap(context)?;
        Ok(-self.strength / square * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let (gap, square) = self.gap(context)?;
        let velocity = self.point.velocity(context)?;
        Ok(gap.dot(&velocity) * self.strength / (square * square))
    }
}

/// A pendulum of half a metre with the magnet beside its lowest point.
fn pendulum() -> Result<TimeSteppingRigidBodySystem<f64>, Failure> {
    let mut builder = RigidBodyTreeBuilder::new();
    let end = Vector3::new(0.0, 0.0, -0.5);
    let bob = builder.add_body("bob", SpatialInertia::point_mass(0.2, end))?;
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    let at = RigidTransform::identity();
    builder.add_joint("hinge", hinge, BodyIndex::WORLD, at, bob)?;
    let magnet = Magnet {
        place: PLACE.into(),
        point: BodyPoint::new(bob, end),
        strength: STRENGTH,
        distance: 0.03,
    };
    let tree = builder.finish()?;
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), TIME_STEP)?;
    Ok(system.with_forces([magnet])?)
}

/// The pendulum with a magnet of the given strength, and its swing.
fn swing<T: DefaultScalar>(
    strength: T,
    steps: usize,
) -> Result<(TimeSteppingRigidBodySystem<T>, Rollout<T>), Failure> {
    let mut system = pendulum()?.cast::<T>();
    system.set_parameter("magnet/strength", strength)?;
    let mut start = system.neutral_state();
    start.q[0] = T::from(0.6);
    let mut workspace = system.workspace()?;
    let rollout = system.rollout_with(&mut workspace, &start, steps, |_, _, _| {});
    let rollout = rollout.completed()?;
    Ok((system, rollout))
}

/// The angle after every step with a magnet of the given strength.
fn angles<T: DefaultScalar>(strength: T, steps: usize) -> Result<Vec<T>, Failure> {
    let (_, rollout) = swing(strength, steps)?;
    Ok(rollout.states.iter().map(|state| state.q[0]).collect())
}

/// Values over the time in s.
fn over_time(values: impl IntoIterator<Item = f64>) -> Vec<(f64, f64)> {
    let times = (0..).map(|step| f64::from(step) * TIME_STEP);
    times.zip(values).collect()
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: custom_force [--quick] [--out DIR]");
    let steps = if arguments.flag("--quick") { 400 } else { 2000 };
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let pulled = angles(Dual64::from(STRENGTH).derivative(), steps)?;
    let free = angles(0.0, steps)?;
    let change = 1e-5 * STRENGTH;
    let (more, less) = (
        angles(STRENGTH + change, steps)?,
        angles(STRENGTH - change, steps)?,
    );
    let differences: Vec<f64> = (more.iter().zip(&less))
        .map(|(more, less)| (more - less) / (2.0 * change))
        .collect();

    println!(
        "A pendulum beside a magnet of {STRENGTH} N m³, after {} s:",
        steps as f64 * TIME_STEP
    );
    let end = pulled[steps];
    println!(
        "  angle {:+.6} rad, without magnet {:+.6} rad",
        end.re, free[steps]
    );
    println!("  derivative with respect to the strength, in rad/(N m³):");
    println!("    {:+.4} by dual numbers", end.eps);
    println!("    {:+.4} by central differences", differences[steps]);

    let angle = Chart::new("A pendulum beside a magnet", "time [s]", "angle [rad]")
        .with(
            "with the magnet",
            Mark::Line,
            over_time(pulled.iter().map(|x| x.re)),
        )
        .with("without", Mark::Dashes, over_time(free));
    let every = 25;
    let derivative = Chart::new(
        "Derivative of the angle with respect to the strength of the magnet",
        "time [s]",
        "derivative [rad/(N m³)]",
    )
    .with(
        "dual numbers",
        Mark::Line,
        over_time(pulled.iter().map(|x| x.eps)),
    )
    .with(
        "central differences",
        Mark::Dots,
        over_time(differences).into_iter().step_by(every).collect(),
    );
    let path = folder.join("custom_force.svg");
    write_charts(&path, &[angle, derivative])?;
    println!("Motion and derivative: {}", path.display());

    let (dual, rollout) = swing(Dual64::from(STRENGTH).derivative(), steps)?;
    let (without, free) = swing(0.0, steps)?;
    let place = RigidTransform::from_translation(Vector3::from(PLACE));
    let scene = (rollout.scene(&dual)?)
        .titled("A pendulum beside a magnet")
        .about("The magnet is a force element that was written outside the library.")
        .with_shape(
            "world",
            &Shape::new_box(Vector3::new(0.03, 0.05, 0.05))?,
            &place,
        )?
        .with_sensitivity("strength ± 20 %", &dual, &rollout.states, 0.2 * STRENGTH)?
        .with_ghost("without the magnet", free.scene(&without)?);
    support::show(&scene, &folder, "custom_force")
}
