//! A four-bar linkage with a motor, an encoder and a foot on the ground.

use dualbody::actuator::{FirstOrderLag, TorqueSource};
use dualbody::constraint::BallConstraint;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::force::JointSpring;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::Encoder;
use dualbody::system::{RigidBodySystem, State};
use dualbody::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;

pub const CRANK: f64 = 0.2;
pub const COUPLER: f64 = 0.5;
pub const ROCKER: f64 = 0.4;
/// Where the rocker is hinged.
const PIVOT: f64 = 0.5;
pub const FOOT: f64 = 0.03;
/// Mass of the plate, and stiffness of the spring under it.
const PLATE: f64 = 0.5;
const BED: f64 = 2e3;

pub type Machine = RigidBodySystem<f64>;

/// The linkage in the plane of x and z, with the ground at the height `ground`. The loop is closed by
/// `loops` ball joints, of which each has a row too many and all but one are redundant.
pub fn four_bar(ground: f64, stiffness: f64, loops: usize) -> Machine {
    linkage((ground, false), stiffness, loops)
}

/// The linkage with the ground on a plate that gives way vertically, on a spring: a loop whose foot the ground holds can
/// not move, one on a plate slides. The spring is relaxed, but for the weight of the plate, where the ground is at the
/// height `ground`.
pub fn four_bar_on_a_plate(ground: f64, stiffness: f64) -> Machine {
    linkage((ground, true), stiffness, 1)
}

fn linkage((ground, gives_way): (f64, bool), stiffness: f64, loops: usize) -> Machine {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut bar = |name: &str, length: f64| {
        let size = Vector3::new(length, 0.02, 0.02);
        let inertia = SpatialInertia::solid_box(2.0 * length, &size);
        let at_middle = Vector3::new(length / 2.0, 0.0, 0.0);
        let inertia = inertia.transformed(&nalgebra::Matrix3::identity(), &at_middle);
        tree.add_body(name, inertia).unwrap()
    };
    let (crank, coupler) = (bar("crank", CRANK), bar("coupler", COUPLER));
    let rocker = bar("rocker", ROCKER);
    let mut hinge = |name: &str, parent, x: f64, child| -> JointIndex {
        let kind = JointKind::Revolute { axis: Vector3::y() };
        let pose = RigidTransform::from_translation(Vector3::new(x, 0.0, 0.0));
        tree.add_joint(name, kind, parent, pose, child).unwrap()
    };
    let motor = hinge("motor", BodyIndex::WORLD, 0.0, crank);
    hinge("elbow", crank, CRANK, coupler);
    hinge("pivot", BodyIndex::WORLD, PIVOT, rocker);
    tree.set_damping(motor, &[0.05]).unwrap();
    let floor = match gives_way {
        true => {
            let inertia = SpatialInertia::principal(PLATE, Vector3::repeat(0.01));
            let plate = tree.add_body("plate", inertia).unwrap();
            let (kind, here) = (
                JointKind::Prismatic { axis: Vector3::z() },
                RigidTransform::identity(),
            );
            (tree.add_joint("bed", kind, BodyIndex::WORLD, here, plate)).unwrap();
            plate
        }
        false => BodyIndex::WORLD,
    };
    let tree = tree.finish().unwrap();

    let material = ContactMaterial::new(stiffness, 1.0, 0.4).unwrap();
    let mut contact = ContactModelBuilder::new();
    for (name, body, at, shape) in [
        (
            "foot",
            coupler,
            Vector3::new(COUPLER, 0.0, 0.0),
            Shape::new_sphere(FOOT).unwrap(),
        ),
        (
            "ground",
            floor,
            Vector3::new(0.0, 0.0, ground),
            Shape::HalfSpace,
        ),
    ] {
        let pose_in_body = RigidTransform::from_translation(at);
        let name = name.to_owned();
        contact
            .add_geometry(CollisionGeometry {
                name,
                body,
                pose_in_body,
                shape,
                material,
            })
            .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let motor = TorqueSource::new("drive", &tree, motor, 5.0, None).unwrap();
    let motor = FirstOrderLag::new("lag", 0.02, motor).unwrap();
    let joint = tree.joint_by_name("motor").unwrap();
    let encoder = Encoder::new("encoder", &tree, joint, 1e-3).unwrap();
    let end = |length: f64| Vector3::new(length, 0.0, 0.0);
    let ball = |k: usize| {
        let (a, b) = ((coupler, end(COUPLER)), (rocker, end(ROCKER)));
        BallConstraint::new(format!("loop {k}"), a, b).unwrap()
    };
    let spring = tree.joint_by_name("bed").ok().map(|joint| {
        let relaxed = PLATE * 9.81 / BED;
        JointSpring::new("spring", &tree, joint, BED, 2.0, relaxed).unwrap()
    });
    RigidBodySystem::new(tree, contact)
        .unwrap()
        .with_forces(spring)
        .unwrap()
        .with_actuators([motor])
        .unwrap()
        .with_sensors([encoder])
        .unwrap()
        .with_constraints((0..loops).map(ball))
        .unwrap()
}

/// The closed loop at rest, with the crank at an angle, and the height of the foot's lowest point.
pub fn closed(system: &Machine, crank: f64) -> (State<f64>, f64) {
    let b = (CRANK * crank.cos(), -CRANK * crank.sin());
    let (dx, dz) = (PIVOT - b.0, -b.1);
    let d = dx.hypot(dz);
    let along = (COUPLER * COUPLER - ROCKER * ROCKER + d * d) / (2.0 * d);
    let across = (COUPLER * COUPLER - along * along).sqrt();
    let c = (
        b.0 + (along * dx + across * dz) / d,
        b.1 + (along * dz - across * dx) / d,
    );
    let angle = |from: (f64, f64)| -(c.1 - from.1).atan2(c.0 - from.0);
    let mut state = system.initial_state();
    let angles = [crank, angle(b) - crank, angle((PIVOT, 0.0))];
    state.q.rows_mut(0, 3).copy_from_slice(&angles);
    (state, c.1 - FOOT)
}
