//! Constants of a tree go back into the description that it came from.

use crate::support::reference::data;
use dualbody::Parameters;
use dualbody::contact::{CollisionGeometry, ContactMaterial};
use dualbody::geometry::Shape;
use dualbody::io::urdf::{UrdfBase, UrdfReader};
use dualbody::tree::RigidBodyTree;

const ARM: &str = r#"<?xml version="1.0"?>
<!-- An arm -->
<robot name='arm' version='1.1'>
  <material name="grey"><color rgba="0.5 0.5 0.5 1"/></material>
  <link name="base"/>
  <link  name="upper" >
    <visual><geometry><mesh filename="package://arm/upper.dae"/></geometry></visual>
    <inertial>
      <origin rpy="0.3 0.2 -0.1" xyz='0 0 0.1'/>
      <mass value="2.0" /> <!-- weighed -->
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.03" iyz="0" izz="0.04"/>
    </inertial>
    <collision><geometry><mesh filename="upper.stl"/></geometry></collision>
    <collision><origin xyz="0 0 1"/><geometry><cylinder radius="0.05" length="0.3"/></geometry></collision>
  </link>
  <link name="tip"></link>
  <joint name="shoulder" type="revolute">
    <origin quat_xyzw="0 0 0 1"/>
    <parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="3"/>
  </joint>
  <joint name="flange" type="prismatic"><parent link="upper"/><child link="tip"/>
    <dynamics friction="0.5"/><mimic joint="shoulder"/></joint>
</robot>
"#;

fn reader() -> UrdfReader {
    UrdfReader::new().with_base(UrdfBase::Fixed)
}

#[test]
fn a_description_that_nothing_has_changed_stays_as_it_is() {
    let files = [
        "models/arm7.urdf",
        "models/humanoid.urdf",
        "urdf/tilted_chain.urdf",
        "urdf/gripper.urdf",
    ];
    for file in files {
        let text = std::fs::read_to_string(data(file)).unwrap();
        let (tree, model) = reader().tree_from_str::<f64>(&text).unwrap();
        let updated = reader()
            .updated(&text, &tree, &model.collision_geometries)
            .unwrap();
        assert_eq!(updated, text);
    }
}

#[test]
fn what_has_changed_is_written_and_nothing_else() {
    let (mut tree, model) = reader().tree_from_str::<f64>(ARM).unwrap();
    for (name, value) in [
        ("body/arm/upper/mass", 2.25),
        ("joint/arm/shoulder/damping", 0.125),
        ("joint/arm/shoulder/upper_limit", 1.5),
        ("joint/arm/flange/friction", 0.75),
        ("joint/arm/flange/mimic/offset", 0.1),
    ] {
        tree.set_parameter(name, value).unwrap();
    }
    let updated = reader()
        .updated(ARM, &tree, &model.collision_geometries)
        .unwrap();
    let expected = ARM
        .replace(r#"<mass value="2.0" />"#, r#"<mass value="2.25" />"#)
        .replace(
            r#"type="revolute">"#,
            r#"type="revolute"><dynamics damping="0.125"/>"#,
        )
        .replace(r#"upper="1""#, r#"upper="1.5""#)
        .replace(r#"friction="0.5""#, r#"friction="0.75""#)
        .replace(r#"<mimic joint"#, r#"<mimic offset="0.1" joint"#);
    assert_eq!(updated, expected);
}

#[test]
fn every_constant_comes_back() {
    let (mut tree, model) = reader().tree_from_str::<f64>(ARM).unwrap();
    let mut count = 0;
    for info in tree.parameters() {
        let is_of_robot = info.name.contains("/arm/upper") || info.name.contains("/arm/shoulder");
        if is_of_robot && !info.name.contains("armature") {
            count += 1;
            let change = 1e-3 * (1.0 + f64::from(count % 7));
            tree.set_parameter(&info.name, info.value + change).unwrap();
        }
    }
    assert!(count > 20);
    // A link without mass properties gets some.
    tree.set_parameter("body/arm/tip/mass", 0.3).unwrap();
    let mut geometries = model.collision_geometries.clone();
    geometries[0].shape = Shape::new_cylinder(0.06, 0.31).unwrap();
    geometries[0].pose_in_body.translation.x = 0.02;
    let updated = reader().updated(ARM, &tree, &geometries).unwrap();
    let (read, again) = reader().tree_from_str::<f64>(&updated).unwrap();
    assert_eq!(again.collision_geometries, geometries);
    for info in tree.parameters() {
        if info.name.contains("/rotation/") || info.name.contains("/axis/") {
            continue; // relative to an orientation; of an axis only the direction counts
        }
        let back = read.parameter(&info.name).unwrap();
        assert!(
            (back - info.value).abs() < 1e-14,
            "{}: {back} {}",
            info.name,
            info.value
        );
    }
    // All else is as it was.
    for kept in [
        "<!-- weighed -->",
        "<material name=\"grey\">",
        "rpy=\"0.3 0.2 -0.1\"",
        "upper.stl",
    ] {
        assert!(updated.contains(kept), "{updated}");
    }
    let again = reader().updated(&updated, &tree, &geometries).unwrap();
    let (twice, _) = reader().tree_from_str::<f64>(&again).unwrap();
    assert!((twice.total_mass() - tree.total_mass()).abs() < 1e-14);
}

#[test]
fn what_the_format_cannot_hold_is_an_error() {
    let (mut tree, model) = reader().tree_from_str::<f64>(ARM).unwrap();
    tree.set_parameter("joint/arm/shoulder/armature", 0.1)
        .unwrap();
    let error = reader().updated(ARM, &tree, &[]).unwrap_err().to_string();
    assert_eq!(
        error,
        r#"URDF text:17: joint "shoulder": the description cannot hold the armature of "arm/shoulder""#
    );
    tree.set_parameter("joint/arm/shoulder/armature", 0.0)
        .unwrap();
    let mut geometries = model.collision_geometries;
    geometries[0].shape = Shape::new_sphere(0.1).unwrap();
    let error = reader()
        .updated(ARM, &tree, &geometries)
        .unwrap_err()
        .to_string();
    assert!(error.contains("arm/upper/collision"), "{error}");
    let other = reader().with_model_name("other");
    assert!(
        other
            .updated(ARM, &tree, &[])
            .unwrap_err()
            .to_string()
            .contains("other/")
    );
}

/// The format says nothing of these.
#[test]
fn surfaces_are_not_lost_in_silence() {
    let (mut tree, model) = reader().tree_from_str::<f64>(ARM).unwrap();
    let error = |tree: &RigidBodyTree<f64>, geometries: &[CollisionGeometry<f64>]| {
        let updated = reader().updated(ARM, tree, geometries);
        updated.unwrap_err().to_string()
    };
    type Change = fn(&mut ContactMaterial<f64>);
    let changes: [(&str, Change); 6] = [
        ("stiffness", |m| m.stiffness *= 2.0),
        ("dissipation", |m| m.dissipation *= 2.0),
        ("friction", |m| m.friction *= 2.0),
        ("static friction", |m| {
            *m = m.with_static_friction(1.0, 1e-3).unwrap();
        }),
        ("restitution", |m| m.restitution = Some(0.5)),
        ("rotational friction", |m| {
            *m = m.with_rotational_friction(1e-3, 0.0).unwrap();
        }),
    ];
    for (quantity, change) in changes {
        let mut geometries = model.collision_geometries.clone();
        change(&mut geometries[0].material);
        assert_eq!(
            error(&tree, &geometries),
            format!(
                "URDF text:14: link \"upper\"/collision: the description cannot hold the {quantity} of the surface of \
                 \"arm/upper/collision\""
            )
        );
    }
    // What the reader itself puts there is no change.
    let rubber = ContactMaterial::new(1e4, 0.1, 1.2).unwrap();
    let of_rubber = reader().with_material(rubber).unwrap();
    let (_, model) = of_rubber.tree_from_str::<f64>(ARM).unwrap();
    let updated = of_rubber.updated(ARM, &tree, &model.collision_geometries);
    assert_eq!(updated.unwrap(), ARM);
    // Where the robot is to stand is not of the robot.
    tree.set_parameter("gravity/z", -1.6).unwrap();
    assert_eq!(reader().updated(ARM, &tree, &[]).unwrap(), ARM);
}

#[test]
fn a_byte_order_mark_stays() {
    let marked = format!("\u{feff}{ARM}");
    let (mut tree, _) = reader().tree_from_str::<f64>(&marked).unwrap();
    for (name, value) in [
        ("body/arm/tip/mass", 0.25),
        ("joint/arm/shoulder/damping", 0.125),
        ("joint/arm/shoulder/origin/x", 0.5),
    ] {
        tree.set_parameter(name, value).unwrap();
    }
    let updated = reader().updated(ARM, &tree, &[]).unwrap();
    let of_marked = reader().updated(&marked, &tree, &[]).unwrap();
    assert_eq!(of_marked, format!("\u{feff}{updated}"));
}

/// Of a chain of joints that follow each other the tree has the ratios to the first.
#[test]
fn chains_of_joints_that_follow_are_written_link_by_link() {
    let links = ["a", "b", "c", "d", "e"].map(|name| format!(r#"<link name="{name}"/>"#));
    let joint = |name: &str, parent: &str, child: &str, mimic: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>{mimic}</joint>"#
        )
    };
    let text = [
        "<robot name=\"r\">".to_owned(),
        links.concat(),
        joint("i", "a", "b", ""),
        joint(
            "k",
            "b",
            "c",
            r#"<mimic joint="j" multiplier="3" offset="0.25"/>"#,
        ),
        joint(
            "j",
            "c",
            "d",
            r#"<mimic joint="i" multiplier="2" offset="0.5"/>"#,
        ),
        joint("l", "d", "e", r#"<mimic joint="k"/>"#),
        "</robot>".to_owned(),
    ]
    .concat();
    let (tree, _) = reader().tree_from_str::<f64>(&text).unwrap();
    let of = |tree: &RigidBodyTree<f64>| {
        ["j", "k", "l"].map(|joint| {
            let constant = |name| tree.parameter(&format!("joint/r/{joint}/mimic/{name}"));
            [constant("multiplier").unwrap(), constant("offset").unwrap()]
        })
    };
    assert_eq!(of(&tree), [[2.0, 0.5], [6.0, 1.75], [6.0, 1.75]]);
    assert_eq!(reader().updated(&text, &tree, &[]).unwrap(), text);
    for wanted in [
        [[2.0, 0.5], [8.0, 1.0], [6.0, 1.75]],
        [[-0.3, 0.5], [6.0, 1.75], [6.0, 1.75]],
        [[2.0, 0.1], [6.0, 1.75], [0.0, -1.0]],
        [[1.1, 0.2], [0.7, -0.4], [-0.9, 0.3]],
    ] {
        let mut changed = tree.clone();
        for (joint, values) in ["j", "k", "l"].iter().zip(wanted) {
            for (name, value) in ["multiplier", "offset"].iter().zip(values) {
                let name = format!("joint/r/{joint}/mimic/{name}");
                changed.set_parameter(&name, value).unwrap();
            }
        }
        let updated = reader().updated(&text, &changed, &[]).unwrap();
        let (read, _) = reader().tree_from_str::<f64>(&updated).unwrap();
        for (found, wanted) in of(&read).iter().flatten().zip(wanted.iter().flatten()) {
            assert!((found - wanted).abs() < 1e-14, "{found} {wanted}");
        }
    }
    let mut stuck = tree.clone();
    stuck
        .set_parameter("joint/r/j/mimic/multiplier", 0.0)
        .unwrap();
    let error = reader().updated(&text, &stuck, &[]).unwrap_err();
    let lost = r#"joint "k": the description cannot hold the mimic of "r/k""#;
    assert!(error.to_string().ends_with(lost), "{error}");
}

/// Before version 1.1 a quaternion is no orientation, and stays as it is.
#[test]
fn orientations_are_written_as_the_version_has_them() {
    for (version, is_kept) in [("1.0", true), ("1.1", false)] {
        let text = ARM.replace("version='1.1'", &format!("version='{version}'"));
        let (mut tree, _) = reader().tree_from_str::<f64>(&text).unwrap();
        tree.set_parameter("joint/arm/shoulder/rotation/x", 0.5)
            .unwrap();
        let updated = reader().updated(&text, &tree, &[]).unwrap();
        assert_eq!(updated.contains("quat_xyzw"), is_kept, "{updated}");
        assert!(updated.contains("<origin rpy=\"0.5 0 0\""), "{updated}");
    }
}

#[test]
fn limits_are_added_with_those_of_the_position_only() {
    let limit = r#"<limit lower="-1" upper="1" effort="10" velocity="3"/>"#;
    for version in ["1.0", "1.2"] {
        let text = ARM.replace("version='1.1'", &format!("version='{version}'"));
        let text = text.replace("quat_xyzw=\"0 0 0 1\"", "");
        let unlimited = text.replace(limit, "");
        let updated = |limit_of_tree: &str| {
            let limited = text.replace(limit, limit_of_tree);
            let (tree, _) = reader().tree_from_str::<f64>(&limited).unwrap();
            reader().updated(&unlimited, &tree, &[])
        };
        for (of_tree, lost) in [
            (r#"<limit lower="-inf" upper="2"/>"#, "limits"),
            (
                r#"<limit lower="-inf" upper="inf" effort="2"/>"#,
                "effort limits",
            ),
        ] {
            let error = updated(of_tree).unwrap_err().to_string();
            let lost = format!(r#"cannot hold the {lost} of "arm/shoulder""#);
            assert!(error.ends_with(&lost), "{error}");
        }
        let added = r#"<limit lower="-2" upper="2"/>"#;
        assert!(updated(added).unwrap().contains(added));
    }
}

#[test]
fn what_is_connected_otherwise_is_an_error() {
    let (_, model) = reader().tree_from_str::<f64>(ARM).unwrap();
    for (old, new, lost) in [
        (
            r#"<parent link="upper"/>"#,
            r#"<parent link="base"/>"#,
            r#"parent of "arm/flange""#,
        ),
        ("prismatic", "continuous", r#"kind of "arm/flange""#),
        ("revolute", "continuous", r#"kind of "arm/shoulder""#),
        (
            r#"<mimic joint="shoulder"/>"#,
            "",
            r#"mimic of "arm/flange""#,
        ),
    ] {
        let other = ARM.replace(old, new);
        let (tree, _) = reader().tree_from_str::<f64>(&other).unwrap();
        let error = reader().updated(ARM, &tree, &[]).unwrap_err().to_string();
        assert!(error.ends_with(lost), "{error}");
    }
    let (tree, _) = reader().tree_from_str::<f64>(ARM).unwrap();
    let mut geometries = model.collision_geometries;
    geometries[0].body = tree.body_by_name("arm/tip").unwrap();
    let error = reader().updated(ARM, &tree, &geometries).unwrap_err();
    let lost = r#"body of "arm/upper/collision""#;
    assert!(error.to_string().ends_with(lost), "{error}");
}

/// A mesh is found from the file; without it, and where the world holds the robot, nothing is lost in silence.
#[test]
fn meshes_are_found_beside_the_file() {
    let folder = std::env::temp_dir().join(format!("dualbody-urdf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n";
    let faces = "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::fs::write(folder.join("part.obj"), format!("{corners}{faces}")).unwrap();
    let text = r#"<robot name="r"><link name="world"/><link name="a">
        <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision name="hull"><geometry><mesh filename="part.obj"/></geometry></collision></link>
        <joint name="hold" type="fixed"><parent link="world"/><child link="a"/></joint></robot>"#;
    let path = folder.join("r.urdf");
    std::fs::write(&path, text).unwrap();
    let (mut tree, model) = reader().tree_from_file::<f64>(&path).unwrap();
    let mut geometries = model.collision_geometries;
    assert_eq!(
        reader().updated_file(&path, &tree, &geometries).unwrap(),
        text
    );
    geometries[0].pose_in_body.translation.x = 0.25;
    let updated = reader().updated_file(&path, &tree, &geometries).unwrap();
    assert!(updated.contains(r#"<origin xyz="0.25 0 0"/>"#), "{updated}");
    let error = reader().updated(text, &tree, &geometries).unwrap_err();
    assert!(error.to_string().contains("r/a/hull"), "{error}");
    let named = text.replace("part.obj", &folder.join("part.obj").display().to_string());
    let (_, model) = reader().tree_from_str::<f64>(&named).unwrap();
    assert!(model.report.meshes[0].hull.is_some());
    let missing = reader().updated_file(folder.join("other.urdf"), &tree, &[]);
    assert!(missing.unwrap_err().to_string().contains("other.urdf"));
    std::fs::remove_dir_all(&folder).unwrap();

    tree.set_parameter("joint/r/hold/origin/x", 0.5).unwrap();
    let updated = reader().updated(text, &tree, &[]).unwrap();
    assert!(updated.contains(r#"<origin xyz="0.5 0 0"/>"#), "{updated}");
    let (mut tree, _) = reader().tree_from_str::<f64>(ARM).unwrap();
    let base = (tree.parameters().into_iter()).find(|p| p.name.starts_with("joint/arm/world"));
    if let Some(base) = base {
        tree.set_parameter(&base.name, 0.5).unwrap();
        let error = reader().updated(ARM, &tree, &[]).unwrap_err();
        assert!(error.to_string().contains("world"), "{error}");
    } else {
        panic!(
            "{:?}",
            tree.parameters()
                .iter()
                .map(|p| p.name.clone())
                .collect::<Vec<_>>()
        );
    }
}
