//! A force element written outside the library: a magnet that pulls a pendulum.
//!
//! One generic implementation is all it takes: the library steps with it, and differentiates the
//! simulation with respect to the strength of the magnet as it does with respect to its own constants.
//!
//! Run with `cargo run --release --example custom_force [-- --quick]`.

use dualbody::contact::ContactModel;
use dualbody::force::{BodyPoint, ForceContext, ForceElement, ForceError, Forces};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::parameter::Parameter;
use dualbody::system::TimeSteppingRigidBodySystem;
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{InvalidInput, Parameters, Scalar};
use nalgebra::Vector3;
use num_dual::Dual64;
use std::error::Error;

/// Pulls a point of a body to a place with the force `s p/(‖p‖² + d²)²`, where `p` leads there.
#[derive(Debug, Clone)]
struct Magnet<T> {
    place: Vector3<f64>,
    point: BodyPoint<T>,
    /// `s` in N m³.
    strength: T,
    /// `d` in m: the force is largest at d/√3.
    distance: f64,
}

impl<T: Scalar> Magnet<T> {
    /// `p`, and `‖p‖² + d²`.
    fn gap(&self, context: &ForceContext<'_, T>) -> Result<(Vector3<T>, T), ForceError> {
        let gap = self.place.map(T::from) - self.point.position_in_world(context)?;
        let square = gap.norm_squared() + self.distance * self.distance;
        Ok((gap, square))
    }
}

impl<T: Scalar> ForceElement<T> for Magnet<T> {
    type Cast<U: Scalar> = Magnet<U>;

    fn cast<U: Scalar>(&self) -> Magnet<U> {
        Magnet {
            place: self.place,
            point: self.point.cast(),
            strength: U::from(self.strength.re()),
            distance: self.distance,
        }
    }

    fn name(&self) -> &str {
        "magnet"
    }

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

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        visit(Parameter {
            name: format_args!("magnet/strength"),
            unit: "N m³",
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            value: &mut self.strength,
        });
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        tree.body(self.point.body)?;
        InvalidInput::check_finite("strength of the magnet", &[self.strength])?;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let steps = if quick { 200 } else { 2000 };

    let mut builder = RigidBodyTreeBuilder::new();
    let bob = SpatialInertia::point_mass(0.2, Vector3::new(0.0, 0.0, -0.5));
    let bob = builder.add_body("bob", bob)?;
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    builder.add_joint(
        "hinge",
        hinge,
        BodyIndex::WORLD,
        RigidTransform::identity(),
        bob,
    )?;
    let tree = builder.finish()?;
    let magnet = Magnet {
        place: Vector3::new(-0.2, 0.0, -0.55),
        point: BodyPoint::new(bob, Vector3::new(0.0, 0.0, -0.5)),
        strength: 2e-4,
        distance: 0.03,
    };
    let system =
        TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 1e-3)?.with_forces(magnet)?;

    let mut system = system.cast::<Dual64>();
    let strength = system.parameter("magnet/strength")?;
    system.set_parameter("magnet/strength", strength.derivative())?;
    let mut start = system.neutral_state();
    start.q[0] = Dual64::from(0.6);
    let mut workspace = system.workspace()?;
    let rollout = system.rollout(&mut workspace, &start, steps, |_, _, _| {});
    let end = rollout.completed()?.last().clone();

    println!("a pendulum beside a magnet, after {} ms:", steps);
    println!("  angle {:+.6} rad", end.q[0].re);
    println!(
        "  its derivative with respect to the strength {:+.3} rad/(N m³)",
        end.q[0].eps
    );
    Ok(())
}
