//! Robot descriptions: what becomes of their elements, and what is said of mistakes.

use crate::support::reference::data;
use dualbody::Parameters;
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::io::urdf::{
    UrdfBase, UrdfError, UrdfMimic, UrdfMistakes, UrdfModel, UrdfProblem, UrdfReader,
};
use dualbody::math::{RollPitchYaw, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use nalgebra::{DMatrix, Matrix3, Vector3};
use num_dual::Dual64;

const INERTIAL: &str = r#"<inertial>
    <origin xyz="0.1 -0.2 0.3" rpy="0.4 0.5 -0.6"/>
    <mass value="2.5"/>
    <inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/>
  </inertial>"#;

fn read(text: &str, reader: &UrdfReader) -> (RigidBodyTree<f64>, UrdfModel<f64>) {
    reader.tree_from_str(text).unwrap_or_else(|e| panic!("{e}"))
}

/// Two links and a joint between them.
fn two_links(joint_type: &str, in_joint: &str) -> String {
    format!(
        r#"<robot name="r">
  <link name="a">{INERTIAL}</link>
  <link name="b">{INERTIAL}</link>
  <joint name="j" type="{joint_type}">
    <parent link="a"/> <child link="b"/>
    {in_joint}
  </joint>
</robot>"#
    )
}

fn joint_kind(joint_type: &str, in_joint: &str) -> JointKind {
    let (tree, model) = read(&two_links(joint_type, in_joint), &UrdfReader::new());
    *tree.joint(model.joints[0]).unwrap().kind()
}

#[test]
fn joint_types_become_kinds() {
    let axis = r#"<axis xyz="0 0 -2"/>"#;
    let down = -Vector3::z();
    for (name, kind) in [
        ("fixed", JointKind::Fixed),
        ("revolute", JointKind::Revolute { axis: down }),
        ("continuous", JointKind::Continuous { axis: down }),
        ("prismatic", JointKind::Prismatic { axis: down }),
        ("floating", JointKind::Floating),
        ("spherical", JointKind::Ball),
    ] {
        assert_eq!(joint_kind(name, axis), kind);
    }
    let x_axis = JointKind::Revolute { axis: Vector3::x() };
    assert_eq!(joint_kind("revolute", ""), x_axis);
}

/// Squares of their numbers would underflow or overflow.
#[test]
fn axes_may_be_of_any_length() {
    for mistakes in [UrdfMistakes::Refused, UrdfMistakes::Repaired] {
        let reader = UrdfReader::new().with_mistakes(mistakes);
        for length in ["1e-300", "1e-170", "1", "1e170", "1e300"] {
            let axis = format!(r#"<axis xyz="0 {length} 0"/><limit lower="-1" upper="1"/>"#);
            for (name, expected) in [
                ("revolute", JointKind::Revolute { axis: Vector3::y() }),
                (
                    "planar",
                    JointKind::Planar {
                        x_axis: Vector3::z(),
                        y_axis: Vector3::x(),
                    },
                ),
            ] {
                let (tree, model) = read(&two_links(name, &axis), &reader);
                let joint = tree.joint(model.joints[0]).unwrap();
                assert_eq!(*joint.kind(), expected, "{length}");
                let listed = model.report.repairs.len();
                let wanted = mistakes == UrdfMistakes::Repaired && length != "1";
                assert_eq!(listed, usize::from(wanted), "{length}");
            }
        }
    }
}

#[test]
fn planar_joints_move_perpendicular_to_their_axis() {
    let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
    for (axis, x_axis, y_axis) in [
        ("0 0 1", x, y),
        ("3 0 0", y, z),
        ("0 1 0", z, x),
        ("0 0 -1", x, -y),
    ] {
        let kind = joint_kind("planar", &format!(r#"<axis xyz="{axis}"/>"#));
        assert_eq!(kind, JointKind::Planar { x_axis, y_axis });
    }
    let JointKind::Planar { x_axis, y_axis } = joint_kind("planar", r#"<axis xyz="1 -2 3"/>"#)
    else {
        panic!("not planar");
    };
    let normal: Vector3<f64> = Vector3::new(1.0, -2.0, 3.0).normalize();
    assert!((x_axis.cross(&y_axis) - normal).amax() < 1e-15);
    assert!(x_axis.x > 0.0 && (x_axis.cross(&normal).cross(&normal) + x_axis).amax() < 1e-15);
}

#[test]
fn inertia_is_turned_and_moved_by_its_origin() {
    let (tree, model) = read(&two_links("fixed", ""), &UrdfReader::new());
    let actual = tree.body(model.bodies[1]).unwrap().inertia();
    let r = RollPitchYaw::new(0.4, 0.5, -0.6).to_matrix();
    let i = Matrix3::new(0.3, 0.01, -0.02, 0.01, 0.4, 0.03, -0.02, 0.03, 0.5);
    assert_eq!(actual.mass, 2.5);
    assert_eq!(actual.center_of_mass, Vector3::new(0.1, -0.2, 0.3));
    assert!((actual.rotational_inertia - r * i * r.transpose()).amax() < 1e-16);
}

#[test]
fn orientations_may_be_quaternions() {
    let of_version = |version: &str, origin: &str| {
        let robot = format!(r#"<robot name="r" {version}>"#);
        two_links("fixed", origin).replace(r#"<robot name="r">"#, &robot)
    };
    let pose = |origin: &str| {
        let text = of_version(r#"version="1.1""#, origin);
        let (tree, model) = read(&text, &UrdfReader::new());
        *tree.joint(model.joints[0]).unwrap().pose_in_parent()
    };
    let by_angles = pose(r#"<origin rpy="0 0 1.2" xyz="1 2 3"/>"#);
    let (s, c): (f64, f64) = (1.2f64 / 2.0).sin_cos();
    let by_quaternion = pose(&format!(
        r#"<origin quat_xyzw="0 0 {} {}" xyz="1 2 3"/>"#,
        3.0 * s,
        3.0 * c
    ));
    assert_eq!(by_angles.translation, Vector3::new(1.0, 2.0, 3.0));
    assert_eq!(by_quaternion.translation, by_angles.translation);
    assert!((by_quaternion.rotation - by_angles.rotation).amax() < 1e-15);
    for extreme in ["1e-300", "1e300"] {
        let pose = pose(&format!(r#"<origin quat_xyzw="0 0 {extreme} {extreme}"/>"#));
        let quarter = RollPitchYaw::new(0.0, 0.0, std::f64::consts::FRAC_PI_2).to_matrix();
        assert!((pose.rotation - quarter).amax() < 1e-15);
    }
    let zero = of_version(r#"version="1.1""#, r#"<origin quat_xyzw="0 0 0 0"/>"#);
    assert!(message(&zero).contains("expected four finite numbers"));
    let both = r#"<origin rpy="0 0 1.2" quat_xyzw="0 0 0 1" xyz="1 2 3"/>"#;
    for version in [r#"version="1.1""#, r#"version="1.2""#] {
        let error = message(&of_version(version, both));
        let expected =
            r#"URDF text:14: joint "j"/origin: quat_xyzw = "0 0 0 1", expected no rpy beside it"#;
        assert_eq!(error, expected);
    }
    // Of other versions the angles count, whatever else there is.
    for version in ["", r#"version="1.0""#] {
        let (tree, model) = read(&of_version(version, both), &UrdfReader::new());
        let joint = tree.joint(model.joints[0]).unwrap();
        assert_eq!(*joint.pose_in_parent(), by_angles);
        assert_eq!(model.report.skipped["origin/@quat_xyzw"], 1);
    }
}

#[test]
fn limits_damping_and_friction_are_kept() {
    let text = two_links(
        "revolute",
        r#"<limit lower="-1" upper="2.5" effort="30" velocity="4"/>
           <dynamics damping="0.7" friction="0.2"/>"#,
    );
    let (tree, model) = read(&text, &UrdfReader::new());
    let joint = tree.joint(model.joints[0]).unwrap();
    let limits = joint.limits();
    assert_eq!(
        (&limits.lower[..], &limits.upper[..]),
        (&[-1.0][..], &[2.5][..])
    );
    assert_eq!((limits.velocity[0], limits.effort[0]), (4.0, 30.0));
    assert_eq!((joint.damping()[0], joint.friction()[0]), (0.7, 0.2));
    let report = &model.report;
    for list in [
        &report.position_limits,
        &report.velocity_limits,
        &report.effort_limits,
        &report.damping,
        &report.friction,
    ] {
        assert_eq!(list, &["r/j"]);
    }
    assert!(report.without_limits.is_empty());
}

#[test]
fn limits_that_are_absent() {
    let limits = |joint_type: &str, version: &str, in_joint: &str| {
        let text = two_links(joint_type, in_joint);
        let text = text.replace(r#"name="r""#, &format!(r#"name="r" {version}"#));
        let (tree, model) = read(&text, &UrdfReader::new());
        let limits = tree.joint(model.joints[0]).unwrap().limits().clone();
        (
            limits.lower[0],
            limits.upper[0],
            limits.velocity[0],
            limits.effort[0],
        )
    };
    let inf = f64::INFINITY;
    let bare = r#"<limit effort="3" velocity="2"/>"#;
    assert_eq!(limits("revolute", "", bare), (0.0, 0.0, 2.0, 3.0));
    let new = r#"version="1.2""#;
    let given = r#"<limit lower="-1" upper="2"/>"#;
    assert_eq!(limits("prismatic", new, given), (-1.0, 2.0, inf, inf));
    assert_eq!(limits("continuous", new, bare), (-inf, inf, 2.0, 3.0));
    assert_eq!(limits("continuous", "", bare), (-inf, inf, 2.0, 3.0));
    assert_eq!(limits("prismatic", "", ""), (-inf, inf, inf, inf));
    let (_, model) = read(&two_links("prismatic", ""), &UrdfReader::new());
    assert_eq!(model.report.without_limits, ["r/j"]);
    let zero = limits("prismatic", "", bare).0;
    assert!(zero.is_sign_positive());
    // From version 1.2 both are asked for.
    for (limit, missing) in [
        (bare, "lower"),
        (r#"<limit lower="-1"/>"#, "upper"),
        (r#"<limit upper="1"/>"#, "lower"),
    ] {
        let text = two_links("revolute", limit);
        let text = text.replace(r#"name="r""#, r#"name="r" version="1.2""#);
        let expected =
            format!(r#"URDF text:14: joint "j"/limit: attribute {missing:?} is missing"#);
        assert_eq!(message(&text), expected);
    }
}

#[test]
fn versions_are_those_that_there_are() {
    for version in ["1.0", "1.1", "1.2", "01.00"] {
        let text = two_links("fixed", "");
        let text = text.replace(r#"name="r""#, &format!(r#"name="r" version="{version}""#));
        read(&text, &UrdfReader::new());
    }
    for version in [
        "1", "1.", ".1", "1.3", "2.0", "1.0 ", "1.0.0", "-1.0", "1.x", "",
    ] {
        let text = two_links("fixed", "");
        let text = text.replace(r#"name="r""#, &format!(r#"name="r" version="{version}""#));
        let expected = format!("URDF text:1: version = {version:?}, expected 1.0, 1.1 or 1.2");
        assert_eq!(message(&text), expected);
    }
}

#[test]
fn joints_of_several_freedoms_have_the_damping_in_each() {
    let text = two_links(
        "planar",
        r#"<dynamics damping="0.5"/><limit effort="1" velocity="1"/>"#,
    );
    let (tree, model) = read(&text, &UrdfReader::new());
    assert_eq!(tree.joint(model.joints[0]).unwrap().damping(), [0.5; 3]);
    assert_eq!(model.report.skipped["joint without an axis/limit"], 1);
    let (_, model) = read(
        &two_links("fixed", r#"<dynamics damping="1"/>"#),
        &UrdfReader::new(),
    );
    assert_eq!(model.report.skipped["fixed joint/dynamics"], 1);
}

#[test]
fn the_base_floats_unless_it_is_the_world() {
    let free = two_links("continuous", "");
    let anchored = free.replace(r#""a""#, r#""world""#);
    let count = |text: &str, base| {
        let (tree, model) = read(text, &UrdfReader::new().with_base(base));
        let anchored = tree.is_anchored(model.root).unwrap();
        (tree.num_velocities(), tree.num_bodies(), anchored)
    };
    assert_eq!(count(&free, UrdfBase::Automatic), (7, 3, false));
    assert_eq!(count(&free, UrdfBase::Floating), (7, 3, false));
    assert_eq!(count(&free, UrdfBase::Fixed), (1, 3, true));
    assert_eq!(count(&anchored, UrdfBase::Automatic), (1, 2, true));
    assert_eq!(count(&anchored, UrdfBase::Fixed), (1, 2, true));
    assert_eq!(count(&anchored, UrdfBase::Floating), (7, 3, false));
    let (_, model) = read(&anchored, &UrdfReader::new());
    assert_eq!(model.root, BodyIndex::WORLD);
    assert_eq!(model.report.skipped["link/inertial"], 1);
}

#[test]
fn robots_share_a_tree() {
    let text = two_links("continuous", "");
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let box_inertia = SpatialInertia::solid_box(1.0, &Vector3::repeat(0.1));
    let table = builder.add_body("table", box_inertia).unwrap();
    let mut add = |name: &str, base| {
        let reader = UrdfReader::new().with_base(base).with_model_name(name);
        reader.read_str(&text, &mut builder).unwrap()
    };
    let left = add("left", UrdfBase::Fixed);
    let right = add("right", UrdfBase::Floating);
    assert_ne!(left.root, right.root);
    // A base that floats can be put on something before the tree is finished.
    let pose = dualbody::math::RigidTransform::identity();
    builder
        .add_joint("mount", JointKind::Fixed, table, pose, right.root)
        .unwrap();
    let tree = builder.finish().unwrap();
    assert_eq!(tree.num_velocities(), 6 + 1 + 1);
    assert!(tree.are_welded(table, right.root).unwrap());
    assert_eq!(tree.body_by_name("right/b").unwrap(), right.bodies[1]);
    assert_eq!(tree.joint_by_name("left/j").unwrap(), left.joints[0]);
}

#[test]
fn parameters_have_the_names_of_the_model() {
    let reader = UrdfReader::new();
    let (tree, model) = reader
        .tree_from_file::<Dual64>(data("models/quadruped.urdf"))
        .unwrap();
    assert_eq!(model.name, "quadruped");
    assert_eq!(
        tree.parameter("joint/quadruped/FL_knee/damping")
            .unwrap()
            .re,
        0.1
    );
    assert_eq!(
        tree.parameter("body/quadruped/trunk/mass").unwrap().re,
        12.0
    );
    let bare = UrdfReader::new().with_model_name("");
    let (mut tree, _) = bare
        .tree_from_file::<Dual64>(data("models/quadruped.urdf"))
        .unwrap();
    let mass = Dual64::new(12.0, 1.0);
    tree.set_parameter("body/trunk/mass", mass).unwrap();
    assert_eq!(tree.total_mass().eps, 1.0);
}

const SHAPES: &str = r#"<robot name="r"><link name="a">
  <collision><geometry><box size="1 2 3"/></geometry></collision>
  <collision><origin xyz="0 0 1"/><geometry><sphere radius="0.5"/></geometry></collision>
  <collision name="tube"><geometry><cylinder radius="0.1" length="2"/></geometry></collision>
  <collision name="tube"><geometry><capsule radius="0.2" length="3"/></geometry></collision>
  <collision><geometry><mesh filename="package://hull.stl" scale="1 1 2"/></geometry></collision>
</link></robot>"#;

#[test]
fn collision_elements_become_geometries() {
    let material = ContactMaterial::new(3e4, 0.1, 0.4).unwrap();
    let reader = UrdfReader::new().with_material(material).unwrap();
    let (tree, model) = read(SHAPES, &reader);
    let geometries = &model.collision_geometries;
    let names: Vec<&str> = geometries.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(
        names,
        ["r/a/collision", "r/a/collision_2", "r/a/tube", "r/a/tube_2"]
    );
    let shapes: Vec<Shape<f64>> = geometries.iter().map(|g| g.shape.clone()).collect();
    let expected = [
        Shape::new_box(Vector3::new(1.0, 2.0, 3.0)),
        Shape::new_sphere(0.5),
        Shape::new_cylinder(0.1, 2.0),
        Shape::new_capsule(0.2, 3.0),
    ];
    assert_eq!(shapes, expected.map(Result::unwrap));
    assert_eq!(geometries[1].pose_in_body.translation, Vector3::z());
    assert!(
        geometries
            .iter()
            .all(|g| g.body == model.root && g.material == material)
    );
    let mesh = &model.report.meshes[0];
    assert_eq!(
        (mesh.body.as_str(), mesh.file_name.as_str()),
        ("r/a", "package://hull.stl")
    );
    assert_eq!(mesh.scale, Vector3::new(1.0, 1.0, 2.0));

    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        contact.add_geometry(geometry).unwrap();
    }
    assert_eq!(contact.finish(&tree).unwrap().geometries().len(), 4);
    assert!(
        UrdfReader::new()
            .with_material(ContactMaterial {
                friction: -1.0,
                ..material
            })
            .is_err()
    );
}

#[test]
fn what_does_not_matter_is_left_out_and_counted() {
    // Empty textures, prefixes that nobody declared, and the like.
    let text = two_links(
        "continuous",
        "<safety_controller/><calibration rising=\"0\"/>",
    )
    .replace(
        "</robot>",
        r#"<material name="red"><texture/></material>
           <gazebo><controller:gazebo_ros_camera name="c"/></gazebo><gazebo/>
           <transmission name="t"/></robot>"#,
    );
    let text = text.replace(
        "<inertial>",
        "<visual><material><texture/></material></visual><inertial>",
    );
    let (_, model) = read(&text, &UrdfReader::new());
    let skipped: Vec<(&str, usize)> = model
        .report
        .skipped
        .iter()
        .map(|(name, &count)| (name.as_str(), count))
        .collect();
    assert_eq!(
        skipped,
        [
            ("joint/calibration", 1),
            ("joint/safety_controller", 1),
            ("link/visual", 2),
            ("robot/gazebo", 2),
            ("robot/material", 1),
            ("robot/transmission", 1),
        ]
    );
    let text = model.report.to_string();
    assert!(
        text.contains("1 joint/calibration, 1 joint/safety_controller, 2 link/visual"),
        "{text}"
    );
}

/// A slider that a finger drives, which a base carries; with a second follower of the follower.
fn gripper() -> String {
    let link = |name: &str| format!(r#"<link name="{name}">{INERTIAL}</link>"#);
    let joint = |name: &str, kind: &str, parent: &str, child: &str, mimic: &str| {
        format!(
            r#"<joint name="{name}" type="{kind}">
                 <parent link="{parent}"/><child link="{child}"/>
                 <origin xyz="0.1 0.2 0" rpy="0.3 0 1"/><axis xyz="0 1 1"/>
                 <dynamics damping="0.3"/>{mimic}
               </joint>"#
        )
    };
    [
        r#"<robot name="gripper">"#.to_owned(),
        link("base") + &link("finger") + &link("slider") + &link("tip"),
        joint(
            "j3",
            "revolute",
            "slider",
            "tip",
            r#"<mimic joint="j2" multiplier="3"/>"#,
        ),
        joint(
            "j2",
            "prismatic",
            "finger",
            "slider",
            r#"<mimic joint="j1" multiplier="-0.5" offset="0.2"/>"#,
        ),
        joint("j1", "revolute", "base", "finger", ""),
        "</robot>".to_owned(),
    ]
    .concat()
}

/// With the independent coordinates `q = A u + b`, the coupled mechanism has the mass matrix
/// `Aᵀ M A`, and the forces and accelerations that belong to it.
#[test]
fn coupled_mimic_joints_reduce_the_dynamics_exactly() {
    let reader = UrdfReader::new().with_base(UrdfBase::Fixed);
    let (tree, model) = read(&gripper(), &reader);
    let (free, free_model) = read(
        &gripper(),
        &reader.clone().with_mimic(UrdfMimic::Independent),
    );
    assert_eq!((tree.num_velocities(), free.num_velocities()), (1, 3));
    let pair = |a: &str, b: &str| (format!("gripper/{a}"), format!("gripper/{b}"));
    let pairs = [pair("j3", "j2"), pair("j2", "j1")];
    assert_eq!(model.report.coupled_mimics, pairs);
    assert_eq!(free_model.report.independent_mimics, pairs);

    // j1, j2, j3 lie depth first.
    let ratio = [1.0, -0.5, -1.5];
    let offset = [0.0, 0.2, 0.6];
    let (u, u_dot, u_ddot, tau) = (0.7, -1.3, 2.1, 0.9);
    let along = |x: f64| ratio.map(|a| a * x);
    let q: Vec<f64> = (0..3).map(|i| ratio[i] * u + offset[i]).collect();
    let (mut ws, mut free_ws) = (tree.workspace(), free.workspace());
    tree.set_state(&mut ws, &[u], &[u_dot]).unwrap();
    free.set_state(&mut free_ws, &q, &along(u_dot)).unwrap();
    let close = |actual: f64, expected: f64| {
        assert!(
            (actual - expected).abs() < 1e-12 * expected.abs(),
            "{actual} {expected}"
        );
    };

    let (mut m, mut full) = (DMatrix::zeros(1, 1), DMatrix::zeros(3, 3));
    tree.mass_matrix(&mut ws, &mut m).unwrap();
    free.mass_matrix(&mut free_ws, &mut full).unwrap();
    let a = nalgebra::Vector3::from(ratio);
    close(m[(0, 0)], (a.transpose() * &full * a)[0]);

    let project = |forces: &[f64]| forces.iter().zip(ratio).map(|(f, a)| f * a).sum::<f64>();
    let (mut out, mut free_out) = ([0.0], [0.0; 3]);
    tree.inverse_dynamics(&mut ws, &[u_ddot], None, &mut out)
        .unwrap();
    free.inverse_dynamics(&mut free_ws, &along(u_ddot), None, &mut free_out)
        .unwrap();
    close(out[0], project(&free_out));
    tree.joint_damping_forces(&ws, &mut out).unwrap();
    free.joint_damping_forces(&free_ws, &mut free_out).unwrap();
    close(out[0], project(&free_out));

    tree.forward_dynamics(&mut ws, &[tau], None, &mut out)
        .unwrap();
    let vdot = out[0];
    free.inverse_dynamics(&mut free_ws, &along(vdot), None, &mut free_out)
        .unwrap();
    close(project(&free_out), tau);
    close(
        tree.kinetic_energy(&ws).unwrap(),
        free.kinetic_energy(&free_ws).unwrap(),
    );
}

#[test]
fn mimics_that_cannot_be_coupled() {
    let mimic = |name: &str| format!(r#"<mimic joint="{name}"/>"#);
    let (_, model) = read(&two_links("fixed", &mimic("j")), &UrdfReader::new());
    assert_eq!(model.report.skipped["fixed joint/mimic"], 1);
    assert!(model.report.coupled_mimics.is_empty());

    let independent = UrdfReader::new().with_mimic(UrdfMimic::Independent);
    let (tree, model) = read(&two_links("revolute", &mimic("absent")), &independent);
    assert_eq!(tree.num_velocities(), 7);
    let pair = ("r/j".to_owned(), "r/absent".to_owned());
    assert_eq!(model.report.independent_mimics, [pair]);

    let message = message(&two_links("planar", &mimic("j")));
    assert!(
        message.contains("both must have one degree of freedom"),
        "{message}"
    );
}

#[test]
fn joints_that_follow_each_other_in_a_circle_are_named() {
    // Those of the circle from the last in the description on, not one that leads into it.
    let follows = [("h", "i"), ("i", "k"), ("j", "i"), ("k", "j"), ("l", "k")];
    let joints = follows.map(|(joint, followed)| {
        format!(
            "<link name=\"of_{joint}\"/><joint name=\"{joint}\" type=\"continuous\"><parent link=\"a\"/>\
             <child link=\"of_{joint}\"/><mimic joint=\"{followed}\"/></joint>\n"
        )
    });
    let text = format!(
        "<robot name=\"r\"><link name=\"a\"/>\n{}</robot>",
        joints.concat()
    );
    let expected = r#"URDF text:5: joint "k": joints follow each other in a circle: "#;
    let message = message(&text);
    let circle = message
        .strip_prefix(expected)
        .unwrap_or_else(|| panic!("{message}"));
    assert!(
        circle.contains(r#""i" -> "k" -> "j""#) || circle.contains(r#""k" -> "j" -> "i""#),
        "{circle}"
    );
    let independent = UrdfReader::new().with_mimic(UrdfMimic::Independent);
    read(&text, &independent);
}

#[test]
fn a_collision_has_the_first_of_several_shapes() {
    let shapes = r#"<box size="1 2 3"/><sphere radius="2"/><box size="4 5 6"/>"#;
    let collision = format!("<collision><geometry>{shapes}</geometry></collision>");
    let text = format!(r#"<robot name="r"><link name="a">{collision}</link></robot>"#);
    let (_, model) = read(&text, &UrdfReader::new());
    assert_eq!(model.collision_geometries.len(), 1);
    let first = Shape::new_box(Vector3::new(1.0, 2.0, 3.0)).unwrap();
    assert_eq!(model.collision_geometries[0].shape, first);
    let skipped: Vec<_> = model.report.skipped.into_iter().collect();
    let left_out = [("geometry/box", 1), ("geometry/sphere", 1)];
    assert_eq!(
        skipped,
        left_out.map(|(name, count)| (name.to_owned(), count))
    );
}

#[test]
fn massless_links_load() {
    // A massless link between two others, and one at the end of a chain.
    let text = format!(
        r#"<robot name="r"><link name="world"/><link name="a"/><link name="b">{INERTIAL}</link>
          <link name="c"/>
          <joint name="j1" type="continuous"><parent link="world"/><child link="a"/></joint>
          <joint name="j2" type="continuous"><parent link="a"/><child link="b"/>
            <axis xyz="0 1 0"/></joint>
          <joint name="j3" type="continuous"><parent link="b"/><child link="c"/></joint>
        </robot>"#
    );
    let (tree, model) = read(&text, &UrdfReader::new());
    assert_eq!(model.report.without_inertia, ["r/a", "r/c"]);
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &[0.1, 0.2, 0.3], &[1.0, 1.0, 1.0])
        .unwrap();
    let (mut m, mut out) = (DMatrix::zeros(3, 3), [0.0; 3]);
    tree.mass_matrix(&mut ws, &mut m).unwrap();
    tree.inverse_dynamics(&mut ws, &[1.0; 3], None, &mut out)
        .unwrap();
    assert_eq!(out[2], 0.0);
    let error = tree
        .forward_dynamics(&mut ws, &[0.0; 3], None, &mut out)
        .unwrap_err();
    assert!(matches!(error, TreeError::SingularInertia { joint, .. } if joint == "r/j3"));
}

#[test]
fn implausible_inertia_is_reported() {
    for entry in [r#"izz="5""#, r#"izz="-0.5""#] {
        let text = two_links("fixed", "").replacen(r#"izz="0.5""#, entry, 1);
        let (mut tree, model) = read(&text, &UrdfReader::new());
        assert_eq!(model.report.implausible_inertia.len(), 1);
        assert_eq!(model.report.implausible_inertia[0].0, "r/a");
        // It does not stand in the way of parameters.
        tree.set_parameter("body/r/a/mass", 3.0).unwrap();
        // The other body is held to what a body can have.
        let zz = "body/r/b/rotational_inertia/zz";
        assert!(tree.set_parameter(zz, 5.0).is_err());
    }
    let massless = two_links("fixed", "").replacen(r#"value="2.5""#, r#"value="0""#, 1);
    let (_, model) = read(&massless, &UrdfReader::new());
    let (body, reason) = &model.report.implausible_inertia[0];
    assert_eq!(body, "r/a");
    assert_eq!(
        reason.to_string(),
        "mass = 0, expected more than zero with a rotational inertia"
    );
    // Figures that are rounded are no news.
    let inertia = r#"ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5""#;
    let rounded = r#"ixx="0.3" ixy="0" ixz="0" iyy="0.4" iyz="0" izz="0.7003""#;
    let text = two_links("fixed", "").replacen(inertia, rounded, 1);
    let (_, model) = read(&text, &UrdfReader::new());
    assert!(model.report.implausible_inertia.is_empty());
}

#[test]
fn links_that_are_missing_are_named_with_their_like() {
    let text = r#"<robot name="r"><link name="base"/><link name="wheel"/>
        <joint name="axle" type="continuous"><parent link="base"/><child link="wheeel"/></joint>
        </robot>"#;
    assert_eq!(
        message(text),
        r#"URDF text:2: joint "axle": there is no link "wheeel", is it "wheel"?"#
    );
    let mimic = two_links("revolute", r#"<mimic joint="jj"/>"#);
    assert!(message(&mimic).contains(r#"there is no joint "jj", is it "j"?"#));
    let roots = r#"<robot name="r"><link name="a"/><link name="b"/></robot>"#;
    assert!(message(roots).contains(r#""a" and "b" are both roots"#));
}

#[test]
fn slips_of_the_pen_are_reported() {
    let text = r#"<robot name="r" xmlns:xacro="http://wiki.ros.org/xacro">
        <link name="a"><inertal><mass value="1"/></inertal></link>
        <link name="b"><visual/></link>
        <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
          <limit lower="-1" uper="1"/>
          <dynamics daming="3" rotor="4"/>
        </joint></robot>"#;
    let (_, model) = read(text, &UrdfReader::new());
    let slips = model.report.misspelt.iter();
    let slips: Vec<_> = slips
        .map(|m| (m.line, m.found.as_str(), m.nearest))
        .collect();
    assert_eq!(
        slips,
        [
            (2, "inertal", "inertial"),
            (5, "uper", "upper"),
            (6, "daming", "damping")
        ]
    );
    let skipped = |name: &str| model.report.skipped.get(name).copied();
    assert_eq!(skipped("limit/@uper"), Some(1));
    assert_eq!(skipped("dynamics/@rotor"), Some(1));
    assert_eq!(skipped("link/inertal"), Some(1));
    assert_eq!(model.report.skipped.len(), 5);
    let text = model.report.to_string();
    assert!(
        text.contains("inertal in line 2 (is it inertial?)"),
        "{text}"
    );
}

#[test]
fn a_floating_robot_that_nothing_touches_is_reported() {
    let shape = "<collision><geometry><sphere radius=\"1\"/></geometry></collision>";
    let robot = |shape: &str| format!("<robot name=\"r\"><link name=\"a\">{shape}</link></robot>");
    let is_untouchable = |shape: &str, base| {
        let (_, model) = read(&robot(shape), &UrdfReader::new().with_base(base));
        let says_so = model.report.to_string().contains("falls through any floor");
        assert_eq!(says_so, model.report.is_untouchable);
        says_so
    };
    assert!(is_untouchable("", UrdfBase::Automatic));
    assert!(!is_untouchable("", UrdfBase::Fixed));
    assert!(!is_untouchable(shape, UrdfBase::Automatic));
}

#[test]
fn expressions_of_macros_are_recognised() {
    let text = r#"<robot name="r">
        <link name="${prefix}base"/></robot>"#;
    assert_eq!(
        message(text),
        r#"URDF text:2: link "${prefix}base": name = "${prefix}base" is an expression, expand the description with xacro first"#
    );
    // What is not read need not make sense.
    let unread = r#"<robot name="r"><link name="a"><visual name="${x}"/></link></robot>"#;
    read(unread, &UrdfReader::new());
}

#[test]
fn round_off_in_inertia_is_no_mistake() {
    let text = two_links("fixed", "");
    let inertia = text.find("<inertia ").unwrap()..text.find("izz=\"0.5\"/>").unwrap() + 12;
    let noise = r#"<inertia ixx="-5e-20" ixy="0" ixz="0" iyy="-5e-20" iyz="0" izz="0"/>"#;
    let (mut tree, model) = read(&text.replacen(&text[inertia], noise, 1), &UrdfReader::new());
    assert!(model.report.implausible_inertia.is_empty());
    tree.set_parameter("body/r/a/mass", 3.0).unwrap();
}

/// The message of the error that a description gives.
fn message(text: &str) -> String {
    match UrdfReader::new().tree_from_str::<f64>(text) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("accepted: {text}"),
    }
}

#[test]
fn mistakes_are_located() {
    let joint = |old: &str, new: &str| {
        let text = two_links(
            "revolute",
            r#"<origin xyz="1 2 3"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/><dynamics damping="1"/>"#,
        );
        assert!(text.contains(old), "{old}");
        message(&text.replacen(old, new, 1))
    };
    for (old, new, expected) in [
        (
            r#"type="revolute""#,
            r#"type="screw""#,
            r#"URDF text:12: joint "j": type = "screw", expected one of continuous"#,
        ),
        (
            r#"type="revolute""#,
            "",
            r#"joint "j": attribute "type" is missing"#,
        ),
        (
            r#"xyz="1 2 3""#,
            r#"xyz="1 2""#,
            r#"URDF text:14: joint "j"/origin: xyz = "1 2", expected three finite numbers"#,
        ),
        (
            r#"xyz="1 2 3""#,
            r#"xyz="1 x 2 3""#,
            r#"xyz = "1 x 2 3", expected three finite numbers"#,
        ),
        (
            r#"xyz="1 2 3""#,
            r#"xyz="1 nan 3""#,
            r#"joint "j"/origin: xyz = "1 nan 3", expected three finite numbers"#,
        ),
        (
            r#"xyz="1 2 3""#,
            r#"rpy="${pi} 0 0""#,
            r#"URDF text:14: joint "j"/origin: rpy = "${pi} 0 0" is an expression, expand the description with xacro first"#,
        ),
        (
            r#"xyz="0 0 1""#,
            r#"xyz="0 0 0""#,
            r#"URDF text:12: joint "j": axis = 0, expected a vector that is not zero"#,
        ),
        (
            r#"xyz="0 0 1""#,
            r#"xyz="inf 0 1""#,
            r#"xyz = "inf 0 1", expected three finite"#,
        ),
        (
            r#"xyz="0 0 1""#,
            "",
            r#"joint "j"/axis: attribute "xyz" is missing"#,
        ),
        (
            r#"upper="1""#,
            r#"upper="-2""#,
            r#"joint "j": lower limits = -1, expected at most the upper limit"#,
        ),
        (
            r#"upper="1""#,
            r#"velocity="-2""#,
            r#"velocity limits = -2"#,
        ),
        (
            r#"damping="1""#,
            r#"damping="-1""#,
            r#"joint "j": damping = -1"#,
        ),
        (
            r#"damping="1""#,
            r#"friction="soft""#,
            r#"joint "j"/dynamics: friction = "soft", expected a number"#,
        ),
        (
            r#"<child link="b"/>"#,
            r#"<child link="c"/>"#,
            r#"URDF text:12: joint "j": there is no link "c""#,
        ),
        (
            r#"<child link="b"/>"#,
            "",
            r#"joint "j": <child> is missing"#,
        ),
        (
            r#"<parent link="a"/>"#,
            r#"<parent link="c"/>"#,
            r#"URDF text:12: joint "j": there is no link "c""#,
        ),
        (
            r#"<parent link="a"/>"#,
            r#"<parent/>"#,
            r#"joint "j"/parent: attribute "link" is missing"#,
        ),
        (
            r#"<parent link="a"/>"#,
            r#"<parent link="b"/>"#,
            r#"URDF text:7: link "b": following the joints inwards from body "r/b" leads back to it"#,
        ),
        (
            r#"<origin xyz="1 2 3"/>"#,
            r#"<mimic joint="k"/>"#,
            r#"joint "j": there is no joint "k""#,
        ),
        (
            r#"<origin xyz="1 2 3"/>"#,
            r#"<mimic/>"#,
            r#"joint "j"/mimic: attribute "joint" is missing"#,
        ),
        (
            r#"<origin xyz="1 2 3"/>"#,
            r#"<mimic joint="j"/>"#,
            r#"URDF text:12: joint "j": joints follow each other in a circle: "j" -> "j""#,
        ),
        (
            r#"lower="-1" upper="1""#,
            r#"lower="inf" upper="inf""#,
            r#"joint "j": lower limits = inf, expected a number below infinity"#,
        ),
        (
            r#"lower="-1" upper="1""#,
            r#"lower="-inf" upper="-inf""#,
            r#"joint "j": upper limits = -inf, expected a number above minus infinity"#,
        ),
        (
            r#"<origin xyz="1 2 3"/>"#,
            r#"<mimic joint="j" multiplier="x"/>"#,
            r#"multiplier = "x", expected a number"#,
        ),
        (
            r#"value="2.5""#,
            r#"value="-2""#,
            r#"link "a": mass = -2, expected a number that is not negative"#,
        ),
        (
            r#"value="2.5""#,
            r#"value="heavy""#,
            r#"URDF text:4: link "a"/inertial/mass: value = "heavy", expected a number"#,
        ),
        (
            r#"<mass value="2.5"/>"#,
            "",
            r#"URDF text:2: link "a"/inertial: <mass> is missing"#,
        ),
        (
            r#"ixx="0.3""#,
            "",
            r#"link "a"/inertial/inertia: attribute "ixx" is missing"#,
        ),
        (r#"ixx="0.3""#, r#"ixx="inf""#, r#"link "a": "#),
        (
            r#"<link name="a">"#,
            r#"<link name="b">"#,
            r#"there are two links "b""#,
        ),
        (
            r#"<link name="a">"#,
            r#"<link>"#,
            r#"URDF text:2: link: attribute "name" is missing"#,
        ),
        (
            r#"<link name="a">"#,
            r#"<link name="">"#,
            r#"URDF text:2: link "": name = "", expected a name"#,
        ),
        (
            r#"<joint name="j""#,
            r#"<joint name="""#,
            r#"URDF text:12: joint "": name = "", expected a name"#,
        ),
        (
            r#"<robot name="r">"#,
            r#"<robot>"#,
            r#"attribute "name" is missing"#,
        ),
        (
            r#"<robot name="r">"#,
            r#"<robot name="r" version="new">"#,
            r#"version = "new""#,
        ),
        (
            r#"<joint name="j""#,
            r#"<joint"#,
            r#"joint: attribute "name" is missing"#,
        ),
    ] {
        let message = joint(old, new);
        assert!(
            message.contains(expected),
            "{message}\n   instead of {expected}"
        );
    }
    let collision = |geometry: &str| {
        message(&format!(
            r#"<robot name="r"><link name="a"><collision name="c">{geometry}</collision></link></robot>"#
        ))
    };
    let at = r#"URDF text:1: link "a"/collision "c""#;
    for (geometry, expected) in [
        ("", ": <geometry> is missing".to_owned()),
        (
            "<geometry/>",
            "/geometry: there is no shape, expected one of box, capsule".to_owned(),
        ),
        (
            "<geometry><torus/></geometry>",
            "/geometry: unknown shape <torus>".to_owned(),
        ),
        (
            r#"<geometry><box size="1 1"/></geometry>"#,
            r#"/geometry/box: size = "1 1""#.to_owned(),
        ),
        (
            r#"<geometry><box/></geometry>"#,
            r#"/geometry/box: attribute "size""#.to_owned(),
        ),
        (
            r#"<geometry><sphere radius="-1"/></geometry>"#,
            "/geometry/sphere: radius = -1".to_owned(),
        ),
        (
            r#"<geometry><mesh/></geometry>"#,
            r#"/geometry/mesh: attribute "filename""#.to_owned(),
        ),
    ] {
        let (message, expected) = (collision(geometry), format!("{at}{expected}"));
        assert!(
            message.starts_with(&expected),
            "{message}\n   instead of {expected}"
        );
    }
}

#[test]
fn texts_that_are_not_descriptions_are_refused() {
    let deep = "<a>".repeat(100_000);
    for (text, line) in [
        ("", 1),
        ("hello", 1),
        ("<", 1),
        ("<robot name='r'>\n\n<link", 3),
        ("<robot name='r'>\n<link name='a'></joint></robot>", 2),
        ("<robot name='r'>\n<link name='a'>", 2),
        ("<robot name='r' name='s'/>", 1),
        ("<robot name='&nothing;'/>", 1),
        ("<robot name='r'/>\n<robot name='r'/>", 2),
        ("</robot>", 1),
        ("\u{feff}\0", 1),
        ("garbage\n<robot name='r'><link name='a'/></robot>", 1),
        ("<robot name='r'><link name='a'/></robot>\ngarbage", 2),
        (
            "<!-- -->\n<![CDATA[x]]><robot name='r'><link name='a'/></robot>",
            2,
        ),
        ("<robot name='r'><link name='a'/></robot>\n<![CDATA[x]]>", 2),
        ("<robot name='r'><link name='a'/></robot>\n&amp;", 2),
        (&deep, 1),
    ] {
        match UrdfReader::new().tree_from_str::<f64>(text) {
            Err(UrdfError::Invalid { place, problem }) => {
                assert!(matches!(*problem, UrdfProblem::Syntax { .. }), "{problem}");
                assert_eq!(place.line, line, "{text:.60}");
            }
            other => panic!("{text:.60}: {other:?}"),
        }
    }
    let surrounded = "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE robot>\n <!-- a --><?p i?>
        <robot name='r'> text <link name='a'/><![CDATA[x]]></robot>\n<!-- z -->\n<?p i?>\n";
    read(surrounded, &UrdfReader::new());
    assert!(message("<sdf/>").contains("expected <robot>, found <sdf>"));
    let macros = "<robot name='r'><link name='a'/>\n<xacro:leg side='left'/></robot>";
    assert!(message(macros).starts_with("URDF text:2: xacro:leg: this is a macro"));
    assert!(message("<robot name='r'/>").contains("there is no root"));
    let circle = two_links("fixed", "").replace(
        "</robot>",
        r#"<joint name="k" type="fixed"><parent link="b"/><child link="a"/></joint></robot>"#,
    );
    assert!(message(&circle).contains("there is no root"));
    let twice = two_links("fixed", "").replace(
        "</robot>",
        r#"<joint name="k" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"#,
    );
    assert!(message(&twice).contains(r#"joint "r/k" cannot carry body "r/b""#));
    let twice = two_links("fixed", "").replace(
        "</robot>",
        r#"<link name="c"/><joint name="j" type="fixed"><parent link="a"/><child link="c"/></joint></robot>"#,
    );
    assert!(message(&twice).contains(r#"there are two joints "j""#));
    let error = UrdfReader::new()
        .tree_from_file::<f64>("no/such.urdf")
        .unwrap_err();
    assert!(error.to_string().starts_with("no/such.urdf: "));
}

/// Whatever is cut out of a description or put into it, reading returns.
#[test]
fn mutilated_descriptions_never_panic() {
    let text = std::fs::read_to_string(data("models/double_pendulum.urdf")).unwrap();
    let read = |text: &str| UrdfReader::new().tree_from_str::<f64>(text).is_ok();
    assert!(read(&text));
    let mut refused = 0;
    for cut in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
        refused += usize::from(!read(&text[..cut]));
        for insert in ["\"", "<", "-", "e9999", "nan", "\0"] {
            refused += usize::from(!read(&format!("{}{insert}{}", &text[..cut], &text[cut..])));
        }
    }
    assert!(refused > text.len());
}

#[test]
fn errors_leave_the_builder_as_it_was() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let text = two_links("continuous", "");
    let broken = text.replace(r#"link="a"/>"#, r#"link="z"/>"#);
    assert!(UrdfReader::new().read_str(&broken, &mut builder).is_err());
    UrdfReader::new().read_str(&text, &mut builder).unwrap();
    assert!(UrdfReader::new().read_str(&text, &mut builder).is_err());
    assert_eq!(builder.finish().unwrap().num_bodies(), 3);
}

#[test]
fn meshes_are_found_by_schemes_of_several_kinds() {
    let folder = std::env::temp_dir().join(format!("dualbody_schemes_{}", std::process::id()));
    std::fs::create_dir_all(folder.join("arm")).unwrap();
    let file = folder.join("arm/corner.obj");
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    std::fs::write(&file, text).unwrap();
    let path = file.display();
    let names = [
        "package://arm/corner.obj".to_owned(),
        "package:///arm/corner.obj".to_owned(),
        "model://arm/corner.obj".to_owned(),
        "arm/corner.obj".to_owned(),
        path.to_string(),
        format!("file:{path}"),
        format!("file://{path}"),
        format!("file://localhost{path}"),
    ];
    let reader = UrdfReader::new().with_mesh_folder(&folder);
    let found = names.map(|name| {
        let mesh = format!(
            r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="{name}"/></geometry></collision></link></robot>"#
        );
        let (_, model) = read(&mesh, &reader);
        (name, model.collision_geometries.len())
    });
    std::fs::remove_dir_all(&folder).unwrap();
    for (name, geometries) in found {
        assert_eq!(geometries, 1, "{name}");
    }
}

/// Reads with repairs: the tree, what was mended, and that the strict reader refuses the text.
fn repaired(text: &str) -> (RigidBodyTree<f64>, UrdfModel<f64>) {
    let strict = UrdfReader::new().tree_from_str::<f64>(text);
    assert!(strict.is_err(), "{text}");
    let reader = UrdfReader::new().with_mistakes(UrdfMistakes::Repaired);
    let (tree, model) = read(text, &reader);
    assert!(!model.report.repairs.is_empty());
    let report = model.report.to_string();
    assert!(report.contains("repaired ("), "{report}");
    (tree, model)
}

fn case(name: &str) -> std::path::PathBuf {
    data("urdf/cases").join(name)
}

#[test]
fn mistakes_with_one_reading_are_repaired() {
    let joint = r#"<axis xyz="0 0 1"/><limit lower="-1" upper="1"/>"#;
    let text = two_links("revolute", joint);
    let (sound, _) = read(&text, &UrdfReader::new());
    let zero = r#"ixy="0.01""#;
    for (old, new, is_as_sound, expected) in [
        (
            r#"lower="-1" upper="1""#,
            r#"lower="1" upper="-1""#,
            true,
            r#"URDF text:14: joint "j"/limit: lower = 1 is above upper = -1: swapped"#,
        ),
        (
            r#"type="revolute""#,
            r#"type=" Revolute""#,
            true,
            r#"joint "j": type = " Revolute": read as "revolute""#,
        ),
        (
            r#"xyz="0 0 1""#,
            r#"xyz="0, 0, 1""#,
            true,
            r#"xyz = "0, 0, 1": read as "0 0 1""#,
        ),
        (
            r#"xyz="0 0 1""#,
            r#"xyz="0 0 0""#,
            false,
            r#"joint "j"/axis: xyz = "0 0 0" is no direction: read as 1 0 0, as without <axis>"#,
        ),
        (r#"xyz="0 0 1""#, "", false, r#"read as "1 0 0""#),
        (
            r#"<child link="b"/>"#,
            r#"<child link=" b"/>"#,
            true,
            r#"joint "j"/child: link = " b": read as "b""#,
        ),
        (
            r#"upper="1""#,
            r#"upper="1" effort="""#,
            true,
            r#"joint "j"/limit: effort = "": read as "inf""#,
        ),
        (
            r#"ixy="0.01""#,
            r#"iyx="0.01""#,
            true,
            "there is no ixy, but iyx: read as that",
        ),
        (
            r#"<robot name="r">"#,
            "<robot>",
            false,
            r#"attribute "name" is missing: read as """#,
        ),
        (
            zero,
            "",
            false,
            r#"link "a"/inertial/inertia: attribute "ixy" is missing: read as "0", axes are principal"#,
        ),
        (
            r#"<inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/>"#,
            "",
            false,
            r#"link "a"/inertial: <inertia> is missing: read as that of a point mass, zero"#,
        ),
        (
            r#"<inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/>"#,
            "<inertia/>",
            false,
            r#"attribute "ixx" is missing: read as "0", it is that of a point mass"#,
        ),
    ] {
        assert!(text.contains(old), "{old}");
        let (tree, model) = repaired(&text.replacen(old, new, 1));
        let repairs: Vec<_> = model.report.repairs.iter().map(|r| r.to_string()).collect();
        assert!(repairs[0].contains(expected), "{repairs:?}\n{expected}");
        assert_eq!(tree.num_bodies(), sound.num_bodies());
        if is_as_sound {
            let [a, b] = [&tree, &sound].map(|tree| {
                let joint = tree.joint(tree.joint_by_name("r/j").unwrap()).unwrap();
                (*joint.kind(), joint.limits().clone())
            });
            assert_eq!(a, b);
        }
    }
    // An axis that no joint has cannot be wrong.
    let fixed = two_links("fixed", r#"<axis xyz="up"/>"#);
    let (_, model) = repaired(&fixed);
    assert!(model.report.repairs[0].action.ends_with("left out"));
    // What has several readings stays a mistake.
    let reader = UrdfReader::new().with_mistakes(UrdfMistakes::Repaired);
    for (old, new) in [
        (r#"ixx="0.3""#, ""),
        (r#"<mass value="2.5"/>"#, ""),
        (r#"value="2.5""#, r#"value="-1""#),
        (r#"xyz="0 0 1""#, r#"xyz="0 1""#),
        (r#"type="revolute""#, r#"type="screw""#),
        (r#"lower="-1""#, r#"lower="low""#),
    ] {
        let text = text.replacen(old, new, 1);
        assert!(reader.tree_from_str::<f64>(&text).is_err(), "{new}");
    }
    // A sound description is read as it is, and nothing is listed.
    let (tree, model) = read(&text, &reader);
    assert!(model.report.repairs.is_empty());
    let (a, b) = (tree.parameters(), sound.parameters());
    assert_eq!(a.len(), b.len());
    assert!(
        a.iter()
            .zip(&b)
            .all(|(a, b)| a.name == b.name && a.value == b.value)
    );
}

#[test]
fn shapes_that_nothing_can_touch_are_left_out_when_repairing() {
    for (geometry, left, expected) in [
        (
            r#"<geometry><sphere radius="0"/></geometry>"#,
            0,
            "it has no volume: left out",
        ),
        (
            r#"<geometry><box size="1 0 1"/></geometry>"#,
            0,
            "it has no volume: left out",
        ),
        (
            r#"<geometry><cylinder radius="1" length="0"/></geometry>"#,
            0,
            "no volume",
        ),
        (
            r#"<geometry><capsule radius="1" length="0"/></geometry>"#,
            1,
            "read as a sphere",
        ),
        ("", 0, "there is no shape: left out"),
        ("<geometry/>", 0, "there is no shape: left out"),
        (
            r#"<geometry><plane normal="0 0 1"/></geometry>"#,
            0,
            "no shape <plane>: left out",
        ),
    ] {
        let text = format!(
            r#"<robot name="r"><link name="a"><collision>{geometry}</collision><collision name="c"><geometry><sphere radius="1"/></geometry></collision></link></robot>"#
        );
        let (_, model) = repaired(&text);
        let names: Vec<_> = model
            .collision_geometries
            .iter()
            .map(|g| g.name.as_str())
            .collect();
        assert_eq!(names.len(), left + 1, "{geometry}");
        assert_eq!(names.last(), Some(&"r/a/c"));
        let repair = model.report.repairs[0].to_string();
        assert!(repair.contains(expected), "{repair}");
    }
    // What may be a slip of the pen stays a mistake.
    let text = r#"<robot name="r"><link name="a"><collision><geometry><spere radius="1"/></geometry></collision></link></robot>"#;
    let reader = UrdfReader::new().with_mistakes(UrdfMistakes::Repaired);
    assert!(reader.tree_from_str::<f64>(text).is_err());
}

#[test]
fn small_mistakes_of_robots_are_repaired() {
    for (name, num_velocities, repairs) in [
        ("u16_small_mistakes.urdf", 1, 2),
        ("u03_degenerate.urdf", 3, 1),
        ("u10_unit_axis.urdf", 1, 1),
    ] {
        let text = std::fs::read_to_string(case(name)).unwrap();
        let (tree, model) = repaired(&text);
        assert_eq!(tree.num_velocities(), num_velocities, "{name}");
        assert_eq!(model.report.repairs.len(), repairs, "{}", model.report);
    }
}

#[test]
fn repaired_descriptions_are_updated() {
    let text = two_links(
        "revolute",
        r#"<axis xyz="0 0 1"/><limit lower="1" upper="-1"/>"#,
    )
    .replacen(
        r#"<inertia ixx="0.3" ixy="0.01" ixz="-0.02" iyy="0.4" iyz="0.03" izz="0.5"/>"#,
        "",
        1,
    );
    let (mut tree, _) = repaired(&text);
    let reader = UrdfReader::new().with_mistakes(UrdfMistakes::Repaired);
    assert_eq!(reader.updated(&text, &tree, &[]).unwrap(), text);
    tree.set_parameter("body/r/a/mass", 3.0).unwrap();
    tree.set_parameter("joint/r/j/upper_limit", 0.5).unwrap();
    let updated = reader.updated(&text, &tree, &[]).unwrap();
    let (again, _) = read(&updated, &reader);
    let upper = again.joint(again.joint_by_name("r/j").unwrap()).unwrap();
    assert_eq!(upper.limits().upper, [0.5]);
    assert_eq!(again.total_mass(), tree.total_mass());
}

#[test]
fn meshes_are_found_under_other_spellings() {
    for name in ["u07_mesh_bs.urdf", "u07_mesh_case.urdf"] {
        let (_, model) = UrdfReader::new().tree_from_file::<f64>(case(name)).unwrap();
        assert_eq!(model.collision_geometries.len(), 1, "{name}");
    }
    let folder = std::env::temp_dir().join(format!("dualbody_spellings_{}", std::process::id()));
    let meshes = folder.join("My Arm/Meshes");
    std::fs::create_dir_all(&meshes).unwrap();
    std::fs::copy(case("tet.obj"), meshes.join("upper arm.obj")).unwrap();
    for name in ["Twin.obj", "TWIN.obj"] {
        std::fs::copy(case("tet.obj"), meshes.join(name)).unwrap();
    }
    let inside = meshes.display().to_string();
    let names = [
        (r"My Arm\Meshes\upper arm.obj".to_owned(), 1),
        ("My%20Arm/Meshes/upper%20arm.obj".to_owned(), 1),
        (r"package://my arm\meshes\UPPER ARM.OBJ".to_owned(), 1),
        ("package://My%20Arm/Meshes/upper%20arm.obj".to_owned(), 1),
        (
            "file://".to_owned() + &inside.replace(' ', "%20") + "/Upper%20Arm.obj",
            1,
        ),
        (inside.clone() + "/UPPER arm.obj", 1),
        ("My Arm/Meshes/TWIN.obj".to_owned(), 1),
        ("My Arm/Meshes/twin.obj".to_owned(), 0),
        ("My Arm/Meshes/100%.obj".to_owned(), 0),
        ("My Arm/Meshes/%e4%zz.obj".to_owned(), 0),
    ];
    let reader = UrdfReader::new().with_mesh_folder(&folder);
    let found = names.map(|(name, expected)| {
        let mesh = format!(
            r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="{name}"/></geometry></collision></link></robot>"#
        );
        let (_, model) = read(&mesh, &reader);
        (name, model.collision_geometries.len(), expected)
    });
    std::fs::remove_dir_all(&folder).unwrap();
    for (name, geometries, expected) in found {
        assert_eq!(geometries, expected, "{name}");
    }
}

#[test]
fn meshes_that_cannot_be_read_are_left_out_when_repairing() {
    let folder = std::env::temp_dir().join(format!("dualbody_broken_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(
        folder.join("flat.obj"),
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    )
    .unwrap();
    std::fs::copy(case("tet.obj"), folder.join("tet.obj")).unwrap();
    let text = |scale: &str, file: &str| {
        format!(
            r#"<robot name="r"><link name="a"><collision><geometry><mesh filename="{file}" scale="{scale}"/></geometry></collision></link></robot>"#
        )
    };
    let read = |text: &str, mistakes: UrdfMistakes| {
        let reader = UrdfReader::new().with_mesh_folder(&folder);
        reader.with_mistakes(mistakes).tree_from_str::<f64>(text)
    };
    let flat = text("1 1 1", "flat.obj");
    assert!(read(&flat, UrdfMistakes::Refused).is_err());
    let (_, model) = read(&flat, UrdfMistakes::Repaired).unwrap();
    assert!(model.report.repairs[0].action.ends_with(": left out"));
    assert!(model.report.meshes[0].hull.is_none());
    let scaled = text("2", "tet.obj");
    assert!(read(&scaled, UrdfMistakes::Refused).is_err());
    let (_, model) = read(&scaled, UrdfMistakes::Repaired).unwrap();
    assert_eq!(model.report.meshes[0].scale, Vector3::repeat(2.0));
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Whatever is cut out of a description or put into it, repairing returns.
#[test]
fn repairing_mutilated_descriptions_never_panics() {
    let text = std::fs::read_to_string(case("u16_small_mistakes.urdf")).unwrap();
    let reader = UrdfReader::new().with_mistakes(UrdfMistakes::Repaired);
    let mut read = 0;
    for cut in (0..text.len()).filter(|&i| text.is_char_boundary(i)) {
        for end in [cut + 1, cut + 9, cut + 40] {
            let rest = text.get(end..).unwrap_or_default();
            let mutilated = format!("{}{rest}", &text[..cut]);
            if let Ok((tree, _)) = reader.tree_from_str::<f64>(&mutilated) {
                let _ = reader.updated(&mutilated, &tree, &[]);
                read += 1;
            }
        }
    }
    assert!(read > 0);
}
