//! Machines that several tests move.

use dualbody::actuator::TorqueSource;
use dualbody::contact::ContactModel;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::prelude::*;
use dualbody::sensor::Encoder;
use dualbody::tree::{BodyIndex, JointKind};

/// A pole on a cart with a motor and encoders, in steps of 5 ms; upright at zero.
pub fn cart_pole() -> Result<TimeSteppingRigidBodySystem<f64>> {
    let mut builder = RigidBodyTreeBuilder::new();
    let cart = SpatialInertia::solid_box(1.0, &Vector3::new(0.3, 0.2, 0.1));
    let cart = builder.add_body("cart", cart)?;
    let pole = SpatialInertia::point_mass(0.2, Vector3::new(0.0, 0.0, 0.6));
    let pole = builder.add_body("pole", pole)?;
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let at = RigidTransform::identity();
    let rail = builder.add_joint("rail", rail, BodyIndex::WORLD, at, cart)?;
    let hinge = builder.add_joint("hinge", hinge, cart, at, pole)?;
    builder.set_damping(hinge, &[0.002])?;
    let tree = builder.finish()?;
    let motor = TorqueSource::new("motor", &tree, rail, 1.0, None)?;
    let encoders = [
        Encoder::new("cart", &tree, rail, 0.0)?,
        Encoder::new("pole", &tree, hinge, 0.0)?,
    ];
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.005)?;
    Ok(system.with_actuators([motor])?.with_sensors(encoders)?)
}

/// A pendulum of 0.5 m and 1 kg with a motor, hanging at zero, in steps of 20 ms.
pub fn pendulum() -> Result<TimeSteppingRigidBodySystem<f64>> {
    let mut builder = RigidBodyTreeBuilder::new();
    let bob = SpatialInertia::point_mass(1.0, Vector3::new(0.0, 0.0, -0.5));
    let bob = builder.add_body("bob", bob)?;
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let at = RigidTransform::identity();
    let hinge = builder.add_joint("hinge", hinge, BodyIndex::WORLD, at, bob)?;
    builder.set_damping(hinge, &[0.05])?;
    let tree = builder.finish()?;
    let motor = TorqueSource::new("motor", &tree, hinge, 1.0, None)?;
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.02)?;
    Ok(system.with_actuators([motor])?)
}

/// A box that generalized forces push over the floor, in steps of 10 ms.
pub fn pushed_box() -> Result<TimeSteppingRigidBodySystem<f64>> {
    let material = ContactMaterial::new(2e3, 0.5, 0.5)?;
    let system = SystemBuilder::new()
        .floor("floor", material)
        .free_body(
            "box",
            Shape::new_box(Vector3::new(0.3, 0.2, 0.1))?,
            1.0,
            material,
        )
        .compliant(1e-2)?;
    Ok(system.with_generalized_forces()?)
}

/// The box at a height in m, turned and moving.
pub fn tilted(system: &TimeSteppingRigidBodySystem<f64>, height: f64) -> Result<State<f64>> {
    let mut state = system.initial_state();
    let turn = dualbody::math::rotation::exp(&Vector3::new(0.3, -0.2, 0.5));
    let pose = RigidTransform::new(turn, Vector3::new(0.1, 0.2, height));
    system.set_body_pose(&mut state, "box", &pose)?;
    state.v.copy_from_slice(&[0.4, 0.3, -0.2, 0.1, -0.3, -0.5]);
    Ok(state)
}
