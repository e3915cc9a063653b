//! Elements are drawn where they are, and their forces where they act.

use crate::scene::{Result, data, floats, integers};
use dualbody::actuator::TorqueSource;
use dualbody::constraint::DistanceConstraint;
use dualbody::contact::{CollisionGeometry, ContactModelBuilder};
use dualbody::force::bushing::BushingConstants;
use dualbody::force::{BodyPoint, FlatPlateWing, LinearBushingRollPitchYaw, LinearSpringDamper};
use dualbody::math::RigidTransform;
use dualbody::prelude::*;
use dualbody::sensor::Lidar;
use dualbody::system::Rollout;
use dualbody::tree::{BodyIndex, JointKind};
use serde_json::Value;

/// A block on a bushing carries an arm with a motor, a spring, a wing and a rod, and looks at a wall.
fn machine() -> Result<TimeSteppingRigidBodySystem<f64>> {
    let world = BodyIndex::WORLD;
    let mut builder = RigidBodyTreeBuilder::new();
    let block = builder.add_body(
        "block",
        SpatialInertia::solid_box(3.0, &Vector3::repeat(0.2)),
    )?;
    let arm = builder.add_body("arm", SpatialInertia::solid_box(1.0, &Vector3::repeat(0.1)))?;
    let ball = builder.add_body("ball", SpatialInertia::solid_sphere(0.5, 0.04))?;
    let axis = JointKind::Revolute { axis: Vector3::y() };
    let at = RigidTransform::from_translation;
    let hinge = builder.add_joint("hinge", axis, block, at(Vector3::z()), arm)?;
    builder.set_position_limits(hinge, &[-0.7], &[0.8])?;
    let mount = builder.add_frame("mount", block, at(vector![0.1, 0.0, 0.0]))?;
    let tree = builder.finish()?;

    let rubber = ContactMaterial::new(1e4, 0.3, 0.5)?;
    let mut contact = ContactModelBuilder::new();
    contact.add_geometry(CollisionGeometry {
        name: "wall".to_owned(),
        body: world,
        pose_in_body: at(vector![5.0, 0.0, 0.0]),
        shape: Shape::new_box(vector![2.0, 9.0, 9.0])?,
        material: rubber,
    })?;
    let contact = contact.finish(&tree)?;

    let constants = BushingConstants {
        torque_stiffness: Vector3::repeat(9.0),
        torque_damping: Vector3::repeat(0.1),
        force_stiffness: Vector3::repeat(1e3),
        force_damping: Vector3::repeat(1.0),
    };
    let bushing = LinearBushingRollPitchYaw::new("bushing", world, mount, constants)?;
    let ends = [
        BodyPoint::new(world, vector![1.0, 1.0, 1.0]),
        BodyPoint::new(arm, vector![0.3, 0.0, 0.0]),
    ];
    let spring = LinearSpringDamper::new("spring", &tree, ends, 30.0, 0.5, 0.1, 1e-3)?;
    let wing = FlatPlateWing::new(
        "wing",
        &tree,
        BodyPoint::origin(arm),
        Vector3::x(),
        1.2,
        0.04,
    )?;
    let rod = DistanceConstraint::new(
        "rod",
        (arm, Vector3::zeros()),
        (ball, Vector3::zeros()),
        0.2,
    )?;
    let motor = TorqueSource::new("motor", &tree, hinge, 2.0, None)?;
    let rays = [Vector3::x(), -Vector3::x()];
    let lidar = Lidar::new(
        "lidar",
        &tree,
        block,
        &at(Vector3::zeros()),
        &rays,
        [0.1, 30.0],
    )?;
    Ok(TimeSteppingRigidBodySystem::new(tree, contact, 1e-3)?
        .with_forces([bushing])?
        .with_forces([spring])?
        .with_forces([wing])?
        .with_constraints([rod])?
        .with_actuators([motor])?
        .with_sensors([lidar])?)
}

fn page() -> Result<Value> {
    let system = machine()?;
    let mut start = system.initial_state();
    system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.8])?;
    let mut workspace = system.workspace()?;
    let push = |_: usize, _: &State<f64>, input: &mut [f64]| input[0] = 0.25;
    let rollout: Rollout<f64> = system.rollout_with(&mut workspace, &start, 50, push);
    assert!(rollout.failure.is_none(), "{:?}", rollout.failure);
    data(&rollout.scene(&system)?.html())
}

/// The first arrow of a kind with a label: where it is, and itself.
fn first(page: &Value, kind: &str, label: &str) -> Result<[f64; 6]> {
    let arrows = page["arrows"].as_array().ok_or("no arrows")?;
    let arrows = arrows
        .iter()
        .find(|a| a["name"] == kind)
        .ok_or("no such kind")?;
    let labels = arrows["labels"].as_array().ok_or("no labels")?;
    let label = labels
        .iter()
        .position(|l| l == label)
        .ok_or("no such label")?;
    let at = integers(&arrows["label"])?
        .iter()
        .position(|&l| l == label)
        .ok_or("not drawn")?;
    let vectors = floats(&arrows["vectors"])?;
    Ok(vectors[6 * at..6 * at + 6].try_into()?)
}

#[test]
fn every_kind_of_element_has_a_symbol() -> Result<()> {
    let page = page()?;
    let symbols = page["symbols"].as_array().ok_or("no symbols")?;
    let text = |symbol: &Value, key: &str| symbol[key].as_str().unwrap_or_default().to_owned();
    let found: Vec<_> = symbols
        .iter()
        .map(|s| (text(s, "name"), text(s, "kind")))
        .collect();
    let expected = [
        ("bushing", "bushing"),
        ("spring", "spring and damper"),
        ("wing", "wing"),
        ("rod", "rod"),
        ("lidar", "sensor"),
        ("hinge", "dial"),
    ];
    assert_eq!(
        found,
        expected.map(|(name, kind)| (name.to_owned(), kind.to_owned()))
    );
    let ends = &symbols[0]["ends"];
    assert_eq!(
        (&ends[0]["body"], &ends[1]["body"]),
        (&Value::Null, &Value::from(0))
    );
    assert!((ends[1]["pose"][0].as_f64().unwrap_or(0.0) - 0.1).abs() < 1e-6);
    assert_eq!(symbols[5]["numbers"], Value::from(vec![-0.7, 0.8]));
    Ok(())
}

#[test]
fn forces_of_elements_are_drawn_where_they_act() -> Result<()> {
    let page = page()?;
    let is = |found: [f64; 6], expected: [f64; 6], what: &str| {
        let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-4, "{what}: {found:?}");
    };
    // Half-way between frames A and C, 0.1 m apart, 1000 N/m.
    let pull = first(&page, "element forces", "bushing on block")?;
    is(pull, [0.05, 0.0, 0.0, -100.0, 0.0, 0.0], "bushing");
    // From the end on the arm to the end on the world.
    let pull = first(&page, "element forces", "spring on arm")?;
    let way: Vector3<f64> = vector![0.7, 1.0, 0.0];
    let length = (way.norm_squared() + 1e-6).sqrt();
    let force = way * (30.0 * (length - 0.1) / length);
    assert!(
        (pull[3..].iter().zip(force.iter())).all(|(a, b)| (a - b).abs() < 1e-3),
        "{pull:?}"
    );
    let middle = [0.65, 0.5, 1.0];
    assert!(
        pull[..3]
            .iter()
            .zip(middle)
            .all(|(a, b)| (a - b).abs() < 1e-5),
        "{pull:?}"
    );
    // The gear ratio times the input, about the axis, at the hinge.
    let torque = first(&page, "joint torques", "actuator at joint hinge")?;
    is(torque, [0.0, 0.0, 1.0, 0.0, 0.5, 0.0], "motor");
    // To the wall, and as far as the sensor sees.
    is(
        first(&page, "rays", "lidar")?,
        [0.0, 0.0, 0.0, 4.0, 0.0, 0.0],
        "ray",
    );
    Ok(())
}

#[test]
fn charts_show_joints_with_limits_bushings_inputs_and_outputs() -> Result<()> {
    let page = page()?;
    let charts = page["charts"].as_array().ok_or("no charts")?;
    let titles: Vec<_> = charts
        .iter()
        .filter_map(|chart| chart["title"].as_str())
        .collect();
    assert_eq!(
        titles,
        [
            "Angles of joints",
            "Deflection of bushing",
            "Inputs",
            "Energy",
            "Outputs: lidar/range"
        ]
    );
    let deflection = floats(&charts[1]["series"][0]["y"])?;
    assert!((deflection[0] - 0.1).abs() < 1e-6);
    assert_eq!(floats(&charts[2]["series"][0]["y"])?[0], 0.25);
    Ok(())
}
