//! What elements at rest say of kinks: those that are there, and no others.

use dualbody::actuator::{AnyActuator, PdServo, Propeller, SpringDamper, TorqueSource};
use dualbody::contact::ContactModel;
use dualbody::force::{AerodynamicDrag, AnyForce, BodyPoint, FlatPlateWing};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::Vector3;

/// A slider along x with frames at its origin.
fn tree() -> (RigidBodyTree<f64>, BodyIndex, JointIndex) {
    let mut builder = RigidBodyTreeBuilder::new();
    builder.set_gravity(Vector3::zeros()).unwrap();
    let inertia = SpatialInertia::solid_sphere(0.5, 0.1);
    let slider = builder.add_body("slider", inertia).unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::x() };
    let here = RigidTransform::identity();
    let joint = (builder.add_joint("rail", kind, BodyIndex::WORLD, here, slider)).unwrap();
    builder.add_frame("own", slider, here).unwrap();
    builder.add_frame("fixed", BodyIndex::WORLD, here).unwrap();
    (builder.finish().unwrap(), slider, joint)
}

/// The kinks that a step of a machine at rest is on.
fn on_kinks(machine: RigidBodySystem<f64>) -> Vec<(&'static str, bool)> {
    let plant = TimeSteppingRigidBodySystem::compliant(machine, 0.01).unwrap();
    let mut workspace = plant.workspace().unwrap();
    let input = vec![0.0; plant.system().num_inputs()];
    let state = plant.initial_state();
    let mut step = plant.step(&mut workspace, &state, &input).unwrap();
    let mut found = Vec::new();
    step.visit_element_kinks(&mut |kink| {
        if kink.distance == 0.0 {
            found.push((kink.change, kink.is_one_sided()));
        }
    })
    .unwrap();
    found
}

#[test]
fn air_at_rest_has_first_derivatives() {
    let (tree, body, _) = tree();
    let (point, normal) = (BodyPoint::origin(body), Vector3::x());
    let drag = AerodynamicDrag::new("drag", &tree, point, 1.2, 0.1).unwrap();
    let wing = FlatPlateWing::new("wing", &tree, point, normal, 1.2, 0.1).unwrap();
    let machine = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let forces = [AnyForce::new(drag), AnyForce::new(wing)];
    let found = on_kinks(machine.with_forces(forces).unwrap());
    assert_eq!(found, [("rest", false), ("rest", false)]);
}

#[test]
fn what_cannot_act_has_no_kink() {
    let (tree, _, joint) = tree();
    let [own, fixed] = ["own", "fixed"].map(|name| tree.frame_by_name(name).unwrap());
    let torque = |gear, limit| {
        AnyActuator::new(TorqueSource::new("motor", &tree, joint, gear, Some(limit)).unwrap())
    };
    let servo = |gain, limits| {
        AnyActuator::new(PdServo::new("servo", &tree, joint, [gain, 0.0], Some(limits)).unwrap())
    };
    let propeller =
        |thrust| AnyActuator::new(Propeller::new("propeller", &tree, own, thrust, 0.0).unwrap());
    let spring = |stiffness, damping, length| {
        let frames = [fixed, own];
        let constants = [stiffness, damping, length];
        let spring = SpringDamper::new("spring", &tree, frames, constants);
        AnyActuator::new(spring.unwrap())
    };
    for (actuator, expected) in [
        (torque(1.0, 0.0), None),
        (torque(0.0, 0.0), None),
        (torque(1.0, 1.0), None),
        (servo(0.0, [0.0, 1.0]), None),
        (servo(2.0, [0.0, 1.0]), Some(("lower limit", true))),
        (propeller(0.0), None),
        (propeller(1.0), Some(("direction of rotation", false))),
        (spring(0.0, 0.0, 1.0), None),
        (spring(5.0, 0.0, 0.0), None),
        (spring(5.0, 1.0, 0.0), Some(("coincident ends", true))),
        (spring(5.0, 0.0, 1.0), Some(("coincident ends", true))),
    ] {
        let machine = RigidBodySystem::new(tree.clone(), ContactModel::none()).unwrap();
        let shown = format!("{actuator:?}");
        let found = on_kinks(machine.with_actuators([actuator]).unwrap());
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{shown}");
    }
}
