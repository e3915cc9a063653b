//! Constants of a tree go back into the model that it came from.

use crate::support::reference::data;
use dualbody::Parameters;
use dualbody::contact::{CollisionGeometry, ContactMaterial};
use dualbody::geometry::Shape;
use dualbody::io::mjcf::{MjcfElements, MjcfReader};
use dualbody::tree::{JointKind, RigidBodyTree};
use std::path::Path;

fn reader() -> MjcfReader {
    MjcfReader::new()
}

fn arm() -> String {
    std::fs::read_to_string(data("mjcf/arm.xml")).unwrap()
}

/// All constants of both trees whose values can be compared, to round-off.
fn assert_same(read: &RigidBodyTree<f64>, tree: &RigidBodyTree<f64>) {
    let (read, tree) = (read.parameters(), tree.parameters());
    assert_eq!(read.len(), tree.len());
    for (a, b) in read.iter().zip(&tree) {
        assert_eq!(a.name, b.name);
        if b.name.contains("/rotation/") || b.name.contains("/axis/") {
            continue; // relative to an orientation; of an axis only the direction counts
        }
        let difference = (a.value - b.value).abs();
        assert!(
            difference < 1e-13 * (1.0 + b.value.abs()),
            "{}: {} {}",
            a.name,
            a.value,
            b.value
        );
    }
}

#[test]
fn a_model_that_nothing_has_changed_stays_as_it_is() {
    let (tree, model) = reader().tree_from_str::<f64>(&arm()).unwrap();
    let updated = reader()
        .updated(&arm(), &tree, &model.collision_geometries, &model.elements)
        .unwrap();
    assert_eq!(updated, arm());
    let path = data("mjcf/floating.xml");
    let (tree, _) = reader().tree_from_file::<f64>(&path).unwrap();
    assert!(
        reader()
            .updated_file(&path, &tree, &[], &MjcfElements::default())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_has_changed_is_written_and_nothing_else() {
    let (mut tree, mut model) = reader().tree_from_str::<f64>(&arm()).unwrap();
    for (name, value) in [
        ("body/arm/hand/mass", 0.5),
        ("joint/arm/elbow/damping", 0.25),
        ("joint/arm/grip/upper_limit", 0.05),
        ("joint/arm/ball/armature/0", 0.0625),
        ("joint/arm/ball/armature/1", 0.0625),
        ("joint/arm/ball/armature/2", 0.0625),
        ("frame/arm/tool/origin/z", -0.125),
        ("gravity/z", -9.5),
    ] {
        tree.set_parameter(name, value).unwrap();
    }
    let floor = model
        .collision_geometries
        .iter_mut()
        .find(|g| g.name == "arm/floor")
        .unwrap();
    floor.material.friction = 0.5;
    let updated = reader()
        .updated(&arm(), &tree, &model.collision_geometries, &model.elements)
        .unwrap();
    let expected = arm()
        .replace(r#"mass="0.4""#, r#"mass="0.5""#)
        .replace(
            r#"<joint name="elbow""#,
            r#"<joint damping="0.25" name="elbow""#,
        )
        .replace(r#"range="0 0.04""#, r#"range="0 0.05""#)
        .replace(r#"armature="0.03""#, r#"armature="0.0625""#)
        .replace(r#"pos="0 0 -0.1"/>"#, r#"pos="0 0 -0.125"/>"#)
        .replace(r#"gravity="0.3 -0.2 -9.7""#, r#"gravity="0.3 -0.2 -9.5""#)
        .replace(
            r#"<geom name="floor""#,
            r#"<geom friction="0.5 0.005 0.0001" name="floor""#,
        );
    assert_eq!(updated, expected);
}

#[test]
fn friction_against_turning_is_written() {
    let text = r#"<mujoco model="m"><worldbody><body name="b"><freejoint/>
  <geom name="g" size="0.1" friction="0.5 0.01 0.002" condim="6"/></body></worldbody></mujoco>"#;
    let (tree, mut model) = reader().tree_from_str::<f64>(text).unwrap();
    let rotational = &mut model.collision_geometries[0].material.rotational;
    let friction = rotational.as_mut().unwrap();
    (friction.torsional, friction.rolling) = (0.02, 0.0);
    let updated = reader().updated(text, &tree, &model.collision_geometries, &model.elements);
    let expected = text.replace("0.5 0.01 0.002", "0.5 0.02 0");
    assert_eq!(updated.unwrap(), expected);
    // Without the dimension for it there is no place for rolling friction.
    let spins = text.replace(r#"condim="6""#, r#"condim="4""#);
    let (tree, mut model) = reader().tree_from_str::<f64>(&spins).unwrap();
    let rotational = &mut model.collision_geometries[0].material.rotational;
    rotational.as_mut().unwrap().rolling = 0.01;
    let refused = reader().updated(&spins, &tree, &model.collision_geometries, &model.elements);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("/g"), "{message}");
}

#[test]
fn mass_properties_that_came_from_geoms_become_explicit() {
    let text = std::fs::read_to_string(data("mjcf/scaled.xml")).unwrap();
    let (mut tree, model) = reader().tree_from_str::<f64>(&text).unwrap();
    for (name, value) in [
        ("body/cart/mass", 5.0),
        ("body/pole/center_of_mass/x", 0.015),
        ("body/pole/rotational_inertia/xy", 1e-4),
        ("joint/rail/effort_limit", 60.0),
        ("joint/rail/origin/z", 0.25),
    ] {
        tree.set_parameter(name, value).unwrap();
    }
    let mut geometries = model.collision_geometries.clone();
    geometries[0].shape = Shape::new_box(nalgebra::Vector3::new(0.5, 0.2, 0.1)).unwrap();
    let updated = reader()
        .updated(&text, &tree, &geometries, &model.elements)
        .unwrap();
    let (read, again) = reader().tree_from_str::<f64>(&updated).unwrap();
    assert_same(&read, &tree);
    assert_eq!(again.collision_geometries[0].shape, geometries[0].shape);
    assert!(!updated.contains("settotalmass") && updated.contains("A total mass, mass properties"));
}

#[test]
fn every_constant_of_a_model_with_classes_comes_back() {
    let (mut tree, _) = reader().tree_from_str::<f64>(&arm()).unwrap();
    let mut count = 0;
    for info in tree.parameters() {
        // Poses of joints of one body move together; those between its joints stay.
        let bodies = [
            "body/arm/fore/",
            "body/arm/hand/",
            "body/arm/finger/",
            "body/arm/shoulder/",
        ];
        let joints = [
            "joint/arm/elbow/",
            "joint/arm/grip/",
            "joint/arm/yaw/",
            "joint/arm/base/",
        ];
        // Bodies without mass between the joints of a body, and limits that would cross.
        let between = ["/yaw/", "/pitch/", "/lift/", "/elbow/", "/ball/"];
        let is_link =
            info.name.starts_with("body/") && between.iter().any(|joint| info.name.contains(joint));
        let is_fixed = is_link || info.name.contains("_limit");
        if (bodies.iter().chain(&joints)).any(|start| info.name.starts_with(start)) && !is_fixed {
            count += 1;
            let change = 1e-4 * (1.0 + f64::from(count % 7));
            let value = match info.name.contains("/rotational_inertia/") {
                true => info.value * (1.0 + change),
                false => info.value + change,
            };
            tree.set_parameter(&info.name, value).unwrap();
        }
    }
    assert!(count > 60);
    let updated = reader()
        .updated(&arm(), &tree, &[], &MjcfElements::default())
        .unwrap();
    let (read, _) = reader().tree_from_str::<f64>(&updated).unwrap();
    assert_same(&read, &tree);
    assert!(updated.contains(r#"<muscle name="pull""#));
}

#[test]
fn files_that_are_included_are_updated_apart() {
    let path = data("mjcf/floating.xml");
    let (mut tree, _) = reader().tree_from_file::<f64>(&path).unwrap();
    tree.set_parameter("joint/floating/knee/damping", 0.3)
        .unwrap();
    let updated = reader()
        .updated_file(&path, &tree, &[], &MjcfElements::default())
        .unwrap();
    assert_eq!(updated.len(), 1);
    let (file, text) = &updated[0];
    assert!(file.ends_with(Path::new("parts/leg.xml")));
    let was = std::fs::read_to_string(data("mjcf/parts/leg.xml")).unwrap();
    assert_eq!(*text, was.replace(r#"damping="0.05""#, r#"damping="0.3""#));
}

#[test]
fn what_the_format_cannot_hold_is_an_error() {
    let (tree, _) = reader().tree_from_str::<f64>(&arm()).unwrap();
    let error = |name: &str| {
        let mut tree = tree.clone();
        tree.set_parameter(name, 0.3).unwrap();
        reader()
            .updated(&arm(), &tree, &[], &MjcfElements::default())
            .unwrap_err()
            .to_string()
    };
    let lost = error("joint/arm/pitch/origin/x");
    assert!(
        lost.ends_with(r#"the model cannot hold the origin of "arm/pitch""#),
        "{lost}"
    );
    assert!(error("joint/arm/ball/damping/1").contains("arm/ball"));
    let other = reader().with_model_name("other");
    assert!(
        other
            .updated(&arm(), &tree, &[], &MjcfElements::default())
            .unwrap_err()
            .to_string()
            .contains("other/")
    );
    let includes = std::fs::read_to_string(data("mjcf/floating.xml")).unwrap();
    assert!(
        reader()
            .updated(&includes, &tree, &[], &MjcfElements::default())
            .is_err()
    );
}

/// Of two joints on a body the first carries a body of the tree that no element of the model gives mass properties.
const TWO_HINGES: &str = r#"<mujoco model="m"><worldbody>
  <body name="a"><joint name="i"/><geom name="h" size="0.1"/></body>
  <body name="b">
    <joint name="j"/><joint name="k" axis="0 1 0"/>
    <geom name="g" type="box" size="0.1 0.2 0.3"/>
  </body></worldbody></mujoco>"#;

#[test]
fn what_is_between_the_joints_of_a_body_is_not_lost_in_silence() {
    for (quantity, name) in [
        ("mass", "body/m/b/j/mass"),
        ("center of mass", "body/m/b/j/center_of_mass/x"),
    ] {
        let (mut tree, _) = reader().tree_from_str::<f64>(TWO_HINGES).unwrap();
        tree.set_parameter(name, 0.5).unwrap();
        let updated = reader().updated(TWO_HINGES, &tree, &[], &MjcfElements::default());
        assert_eq!(
            updated.unwrap_err().to_string(),
            format!(
                "MJCF text:4: worldbody/body \"b\"/joint \"j\": the model cannot hold the {quantity} of \"m/b/j\""
            )
        );
    }
}

#[test]
fn surfaces_and_connections_are_not_lost_in_silence() {
    let (tree, model) = reader().tree_from_str::<f64>(TWO_HINGES).unwrap();
    let error = |tree: &RigidBodyTree<f64>, geometries: &[CollisionGeometry<f64>]| {
        let updated = reader().updated(TWO_HINGES, tree, geometries, &MjcfElements::default());
        updated.unwrap_err().to_string()
    };
    type Change = fn(&mut ContactMaterial<f64>);
    let changes: [(&str, Change); 4] = [
        ("stiffness", |m| m.stiffness *= 2.0),
        ("dissipation", |m| m.dissipation *= 2.0),
        ("static friction", |m| {
            *m = m.with_static_friction(1.5, 1e-3).unwrap();
        }),
        ("restitution", |m| m.restitution = Some(0.5)),
    ];
    for (quantity, change) in changes {
        let mut geometries = model.collision_geometries.clone();
        change(&mut geometries[1].material);
        let expected = format!(
            "MJCF text:5: worldbody/body \"b\"/geom \"g\": the model cannot hold the {quantity} of the surface of \"m/g\""
        );
        assert_eq!(error(&tree, &geometries), expected);
    }
    let mut geometries = model.collision_geometries.clone();
    geometries[1].body = geometries[0].body;
    let message = error(&tree, &geometries);
    assert!(message.ends_with(r#"the body of "m/g""#), "{message}");
    let geom = r#"<geom name="h" size="0.1"/>"#;
    let nested = TWO_HINGES.replace(&format!("{geom}</body>"), geom);
    let nested = nested.replace("</worldbody>", "</body></worldbody>");
    for (other, lost) in [
        (
            TWO_HINGES.replace(r#"name="i""#, r#"name="i" type="slide""#),
            r#"kind of "m/i""#,
        ),
        (nested, r#"parent of "m/j""#),
    ] {
        let (tree, _) = reader().tree_from_str::<f64>(&other).unwrap();
        let message = error(&tree, &[]);
        assert!(message.ends_with(lost), "{message}");
    }
}

#[test]
fn axes_of_joints_in_frames_are_written_as_the_frames_have_them() {
    let text = r#"<mujoco model="m"><compiler angle="radian"/><worldbody><body name="b">
  <frame euler="0 0 1"><frame euler="0.5 0 0"><joint name="j" axis="1 0 0"/></frame></frame>
  <geom size="0.1"/></body></worldbody></mujoco>"#;
    let (mut tree, _) = reader().tree_from_str::<f64>(text).unwrap();
    tree.set_parameter("joint/m/j/axis/z", 0.75).unwrap();
    let updated = reader()
        .updated(text, &tree, &[], &MjcfElements::default())
        .unwrap();
    let (read, _) = reader().tree_from_str::<f64>(&updated).unwrap();
    let axis = |tree: &RigidBodyTree<f64>| {
        let joint = tree.joint(tree.joint_by_name("m/j").unwrap()).unwrap();
        match joint.kind() {
            JointKind::Revolute { axis } => axis.normalize(),
            kind => panic!("{kind:?}"),
        }
    };
    assert!((axis(&read) - axis(&tree)).amax() < 1e-15);
}

#[test]
fn limits_count_where_they_must_be_said_to() {
    let text = r#"<mujoco model="m"><compiler autolimits="false" angle="radian"/><worldbody><body name="b">
  <joint name="j" limited="true" range="-1 1" actuatorfrclimited="true" actuatorfrcrange="-5 5"/>
  <geom size="0.1"/></body></worldbody></mujoco>"#;
    let (tree, _) = reader().tree_from_str::<f64>(text).unwrap();
    let range = r#" limited="true" range="-1 1""#;
    let force = r#" actuatorfrclimited="true" actuatorfrcrange="-5 5""#;
    for (without, idle) in [
        ("", ""),
        (r#" limited="false""#, r#" actuatorfrclimited="false""#),
    ] {
        let unlimited = text.replace(range, without).replace(force, idle);
        let updated = reader().updated(&unlimited, &tree, &[], &MjcfElements::default());
        let (read, _) = reader().tree_from_str::<f64>(&updated.unwrap()).unwrap();
        assert_same(&read, &tree);
    }
}

#[test]
fn a_span_between_points_stays() {
    let text = r#"<mujoco model="m"><worldbody><body name="b"><freejoint/>
  <geom name="g" type="capsule" size="0.1" fromto="0 0 0 0 0 1"/></body></worldbody></mujoco>"#;
    let (tree, mut model) = reader().tree_from_str::<f64>(text).unwrap();
    model.collision_geometries[0].pose_in_body.translation.x = 1.0;
    let updated = reader().updated(text, &tree, &model.collision_geometries, &model.elements);
    let message = updated.unwrap_err().to_string();
    assert!(message.ends_with(r#"the pose of "m/g""#), "{message}");
}
