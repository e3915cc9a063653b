//! Models in MJCF: what becomes of their elements, and what is said of mistakes.

use crate::support::mutation::in_time;
use crate::support::reference::data;
use approx::assert_relative_eq;
use dualbody::Parameters;
use dualbody::actuator::{Actuator, AnyActuator};
use dualbody::constraint::TreeConstraint;
use dualbody::contact::{CollisionGeometry, ContactMaterial};
use dualbody::force::JointSpring;
use dualbody::geometry::{Shape, ShapeKind};
use dualbody::io::mjcf::{MjcfError, MjcfModel, MjcfProblem, MjcfReader, MjcfReport};
use dualbody::math::SpatialInertia;
use dualbody::parameter::Parameter;
use dualbody::sensor::{Encoder, FramePose, Imu, Sensor, Touch};
use dualbody::system::RigidBodySystem;
use dualbody::tree::{JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use num_dual::Dual64;

fn read(text: &str) -> (RigidBodyTree<f64>, MjcfModel<f64>) {
    MjcfReader::new()
        .tree_from_str(text)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn error(text: &str) -> String {
    MjcfReader::new()
        .tree_from_str::<f64>(text)
        .map(|_| ())
        .unwrap_err()
        .to_string()
}

/// A body with a hinge and whatever else.
fn hinged(in_model: &str) -> String {
    format!(
        r#"<mujoco><worldbody><body name="b">
  <joint name="j"/><geom name="g" size="0.1"/></body></worldbody>
{in_model}</mujoco>"#
    )
}

fn input_names(actuator: &AnyActuator<f64>) -> Vec<String> {
    let mut names = vec![];
    actuator.visit_input_names(&mut |name| names.push(name.to_string()));
    names
}

#[test]
fn friction_cones_are_those_of_the_model() {
    for (option, round) in [
        ("", false),
        (r#"<option cone="pyramidal"/>"#, false),
        (r#"<option cone="elliptic"/>"#, true),
    ] {
        let (tree, model) = read(&hinged(option));
        assert_eq!(model.round_friction_cones, round);
        let system = model.system(tree).unwrap();
        assert_eq!(system.options().round_friction_cones, round);
    }
    let message = error(&hinged(r#"<option cone="oval"/>"#));
    assert!(
        message.contains("oval") && message.contains("pyramidal or elliptic"),
        "{message}"
    );
}

#[test]
fn elements_of_a_model_are_found_by_name() {
    let (tree, model) = MjcfReader::new()
        .tree_from_file::<f64>(data("mjcf/arm.xml"))
        .unwrap();
    assert_eq!((model.name.as_str(), model.time_step), ("arm", 0.004));
    assert_eq!(*tree.gravity(), Vector3::new(0.3, -0.2, -9.7));
    let joint = |name| tree.joint(tree.joint_by_name(name).unwrap()).unwrap();
    let yaw = joint("arm/yaw");
    assert_eq!((yaw.friction(), yaw.armature()), (&[0.1][..], &[0.01][..]));
    assert!((yaw.limits().lower[0] + 100f64.to_radians()).abs() < 1e-15);
    assert_eq!(joint("lift").limits().upper, [0.3]);
    assert_eq!(joint("ball").damping(), [0.4; 3]);
    // Body frames are those of the format, whatever anchors joints have.
    let reference = &model.reference;
    let mut q = tree.neutral_configuration();
    reference.write(&tree, q.as_mut_slice()).unwrap();
    let mut ws = tree.workspace();
    tree.set_positions(&mut ws, q.as_slice()).unwrap();
    let pose = |name| {
        tree.body_pose(&ws, tree.body_by_name(name).unwrap())
            .unwrap()
    };
    let in_base = pose("base").inverse() * pose("shoulder");
    assert!((in_base.translation - Vector3::new(0.0, 0.1, 0.3)).amax() < 1e-15);
    let angle: f64 = (in_base.rotation.trace() - 1.0) / 2.0;
    assert!((angle.acos() - 70f64.to_radians()).abs() < 1e-14);

    let springs = model.elements.forces.iter().map(|force| {
        let spring = force.downcast_ref::<JointSpring<f64>>().unwrap();
        (spring.name.as_str(), spring.stiffness)
    });
    assert_eq!(
        springs.collect::<Vec<_>>(),
        [("arm/lift", 40.0), ("arm/elbow", 3.0), ("arm/grip", 3.0)]
    );
    let inputs: Vec<_> = model.elements.actuators.iter().map(input_names).collect();
    assert_eq!(inputs[0], ["arm/turn/torque"]);
    assert_eq!(inputs[1], ["arm/hold/position", "arm/hold/rate"]);
    assert_eq!(
        inputs[2],
        ["arm/elbow_general/position", "arm/elbow_general/rate"]
    );
    let [encoder, gyro, accelerometer, pose, touch] = &model.elements.sensors[..] else {
        panic!("{:?}", model.elements.sensors);
    };
    assert!(encoder.downcast_ref::<Encoder<f64>>().is_some());
    for imu in [gyro, accelerometer] {
        assert!(imu.downcast_ref::<Imu<f64>>().is_some());
    }
    assert!(pose.downcast_ref::<FramePose>().is_some());
    assert!(touch.downcast_ref::<Touch>().is_some());
    let mut outputs = vec![];
    for sensor in &model.elements.sensors {
        let mut names = vec![];
        sensor.visit_output_names(&mut |name| names.push(name.to_string()));
        outputs.push(names.swap_remove(0));
    }
    let expected = [
        "arm/angle/position",
        "arm/gyro/specific_force/x",
        "arm/acc/specific_force/x",
        "arm/where/position/x",
        "arm/touch/force",
    ];
    assert_eq!(outputs, expected);
    assert_eq!(model.elements.constraints.len(), 1);
    let egg = Shape::new_ellipsoid(Vector3::new(0.1, 0.05, 0.08)).unwrap();
    assert!(model.collision_geometries.iter().any(|g| g.shape == egg));
    let left_out: Vec<_> = model
        .report
        .left_out
        .iter()
        .map(|o| &*o.place.element)
        .collect();
    assert_eq!(left_out, [r#"actuator/muscle "pull""#]);
    assert_eq!(model.report.skipped["worldbody/light"], 1);
    assert!(model.report.misspelt.is_empty(), "{}", model.report);

    let bent = &model.key_frames[0];
    bent.write(&tree, q.as_mut_slice()).unwrap();
    assert_eq!((bent.name.as_str(), q[0], q[4]), ("bent", 0.5, 1.0));
}

#[test]
fn forces_that_are_not_read_are_named() {
    let text = |gravcomp: &str, density: &str, tendon: &str| {
        format!(
            r#"<mujoco><option density="{density}" wind="0 0 0"/>
              <worldbody><body name="a" gravcomp="{gravcomp}"><joint name="j"/><geom size="0.1"/></body></worldbody>
              {tendon}</mujoco>"#
        )
    };
    let reasons = |text: String| {
        let report = read(&text).1.report;
        assert!(report.misspelt.is_empty(), "{report}");
        report.left_out.iter().map(|o| o.reason).collect::<Vec<_>>()
    };
    assert!(reasons(text("0", "0.0", "<tendon/>")).is_empty());
    let tendon = r#"<tendon><fixed stiffness="3"><joint joint="j" coef="1"/></fixed></tendon>"#;
    let found = reasons(text("1", "1.2", tendon));
    assert_eq!(
        found,
        [
            "has a density of the medium",
            "has a gravcomp",
            "is a tendon"
        ]
    );
}

#[test]
fn a_free_body_starts_where_it_is_described() {
    let path = data("mjcf/floating.xml");
    let (tree, model) = MjcfReader::new().tree_from_file::<f64>(path).unwrap();
    let root = tree.joint(tree.joint_by_name("root").unwrap()).unwrap();
    assert_eq!(*root.kind(), JointKind::Floating);
    let mut q = tree.neutral_configuration();
    model.reference.write(&tree, q.as_mut_slice()).unwrap();
    let length = (0.81f64 + 0.01 + 0.04 + 0.09).sqrt();
    assert!((q[0] - 0.9 / length).abs() < 1e-15 && (q[2] + 0.2 / length).abs() < 1e-15);
    assert_eq!(q.as_slice()[4..7], [0.0, 0.0, 1.0]);
    // The bounds of the compiler.
    let crumb = tree
        .body(tree.body_by_name("crumb").unwrap())
        .unwrap()
        .inertia();
    assert_eq!(
        (crumb.mass, crumb.rotational_inertia[(0, 0)]),
        (0.05, 0.0004)
    );
    // The weld is not active, the other two constraints are, and hold in the reference configuration.
    assert_eq!(model.elements.constraints.len(), 2);
    let inactive = model
        .report
        .left_out
        .iter()
        .filter(|o| o.reason == "is not active");
    assert_eq!(inactive.count(), 1);
    let shank = model
        .collision_geometries
        .iter()
        .find(|g| g.name == "floating/shank")
        .unwrap();
    assert_eq!(shank.shape.kind(), ShapeKind::Capsule);
    assert_eq!(
        shank.pose_in_body.translation,
        Vector3::new(0.0, 0.0, -0.15)
    );
    let ball = model
        .collision_geometries
        .iter()
        .find(|g| g.name == "floating/ball")
        .unwrap();
    assert_eq!(ball.material.friction, 0.4);
}

#[test]
fn masses_are_scaled_and_limits_must_be_said_to_hold() {
    let path = data("mjcf/scaled.xml");
    let (tree, _) = MjcfReader::new().tree_from_file::<f64>(path).unwrap();
    assert!((tree.total_mass() - 12.0).abs() < 1e-14);
    let joints: Vec<_> = tree.joints().map(|joint| joint.limits()).collect();
    assert_eq!((joints[0].lower[0], joints[0].effort[0]), (-1.8, 80.0));
    assert_eq!(joints[1].upper, [f64::INFINITY]);
}

#[test]
fn actuators_act_as_the_format_says() {
    // τ = gear · clamp(kp (u − gear q) − kv gear q̇), and the same by gains and biases.
    let model = |actuators: &str| {
        let text = hinged(&format!("<actuator>{actuators}</actuator>"));
        let (tree, model) = read(&text);
        (model.system(tree).unwrap(), model)
    };
    let force = |actuator: &str, inputs: &[f64]| {
        let (system, model) = model(actuator);
        let tree = system.tree();
        let inertia = tree
            .body(tree.body_by_name("b").unwrap())
            .unwrap()
            .inertia();
        let moment = inertia.rotational_inertia[(2, 2)];
        assert!(model.report.left_out.is_empty(), "{}", model.report);
        let mut state = system.initial_state();
        state.q[0] = 0.2;
        state.v[0] = 0.5;
        let mut workspace = system.dynamics_workspace();
        system
            .accelerations(&mut workspace, &state, inputs)
            .unwrap()[0]
            * moment
    };
    let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
    close(force(r#"<motor joint="j" gear="3"/>"#, &[0.7]), 2.1);
    close(
        force(
            r#"<motor joint="j" gear="3" ctrlrange="-0.5 0.5"/>"#,
            &[0.7],
        ),
        1.5,
    );
    close(
        force(
            r#"<motor joint="j" gear="-3" forcerange="-0.6 0.6"/>"#,
            &[0.7],
        ),
        -1.8,
    );
    let servo = r#"<position joint="j" gear="2" kp="5" kv="0.3"/>"#;
    // The control 1 is the position 0.5.
    let expected = 2.0 * (5.0 * (1.0 - 2.0 * 0.2) - 0.3 * 2.0 * 0.5);
    close(force(servo, &[0.5, 0.0]), expected);
    let general =
        r#"<general joint="j" gear="2" gainprm="5" biastype="affine" biasprm="0 -5 -0.3"/>"#;
    close(force(general, &[0.5, 0.0]), expected);
    let limited = r#"<position joint="j" gear="2" kp="5" kv="0.3" forcerange="-1 1"/>"#;
    close(force(limited, &[0.5, 0.0]), 2.0);
    let unequal = r#"<position joint="j" gear="-2" kp="5" kv="0.3" forcerange="-1 3"/>"#;
    for (position, force_of_actuator) in [(2.0, -1.0), (-2.0, 3.0)] {
        close(force(unequal, &[position, 0.0]), -2.0 * force_of_actuator);
    }
    close(
        force(r#"<velocity joint="j" kv="4"/>"#, &[9.0, 2.0]),
        4.0 * 1.5,
    );
}

#[test]
fn ranges_of_controls_are_those_of_joints_where_they_are_inherited() {
    let left_out = |range: &str| {
        let text = format!(
            r#"<mujoco><worldbody><body name="b"><joint name="j" {range}/><geom size="0.1"/></body></worldbody>
                <actuator><position joint="j" inheritrange="0.5"/></actuator></mujoco>"#
        );
        let left_out = read(&text).1.report.left_out;
        left_out.into_iter().map(|o| o.reason).collect::<Vec<_>>()
    };
    assert!(left_out(r#"range="-1 1""#).is_empty());
    let reason = "inherits a range that its joint does not have";
    for unbounded in ["", r#"range="-inf 1""#, r#"range="-1 inf""#] {
        assert_eq!(left_out(unbounded), [reason]);
    }
    // Nothing has the control that is wanted.
    let text =
        hinged(r#"<actuator><position joint="j" ctrlrange="2 1" ctrllimited="true"/></actuator>"#);
    let error = MjcfReader::new().tree_from_str::<f64>(&text).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("expected a smaller number before a larger one"),
        "{message}"
    );
}

/// What the last says of the range of a control counts, and an element says one thing.
#[test]
fn a_range_that_is_inherited_and_given_is_refused() {
    let both = r#"<actuator><position joint="j" ctrlrange="-1 1" inheritrange="1"/></actuator>"#;
    let error = (MjcfReader::new().tree_from_str::<f64>(&hinged(both))).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("no ctrlrange beside it"), "{message}");
}

#[test]
fn what_only_the_tree_holds_is_reported() {
    let text = r#"<mujoco><compiler angle="radian"/><worldbody><body name="b"><geom size="0.1"/>
        <joint name="j" range="-1 1" frictionloss="0.5" actuatorfrcrange="-2 2"/></body></worldbody></mujoco>"#;
    let report = read(text).1.report;
    let held = |attribute| (String::from("j"), attribute);
    assert_eq!(report.not_enforced, [held("actuatorfrcrange")]);
    let line = "actuatorfrcrange of 1 joints";
    assert!(report.to_string().contains(line), "{report}");
    // What acts alone is held, what acts with others is not.
    let motor = r#"<motor joint="j"/>"#;
    for (range, motors, not_enforced, left_out) in [
        ("-2 2", motor, 0, 0),
        ("-2 1", motor, 0, 0),
        (
            "-2 2",
            r#"<motor joint="j"/><motor name="other" joint="j"/>"#,
            1,
            0,
        ),
        (
            "-2 1",
            r#"<motor joint="j"/><motor name="other" joint="j"/>"#,
            0,
            1,
        ),
        ("-2 1", "", 0, 1),
    ] {
        let text = format!(
            r#"<mujoco><worldbody><body name="b"><geom size="0.1"/>
               <joint name="j" actuatorfrcrange="{range}"/></body></worldbody>
               <actuator>{motors}</actuator></mujoco>"#
        );
        let report = read(&text).1.report;
        assert_eq!(report.not_enforced.len(), not_enforced, "{range} {motors}");
        assert_eq!(report.left_out.len(), left_out, "{range} {motors}");
    }
}

#[test]
fn servos_that_are_not_here_are_left_out_by_name() {
    let left_out = |actuator: &str| {
        let text = hinged(&format!("<actuator>{actuator}</actuator>"));
        let left_out = read(&text).1.report.left_out;
        left_out.into_iter().map(|o| o.reason).collect::<Vec<_>>()
    };
    let general = |numbers: &str| {
        let servo = r#"<general joint="j" biastype="affine""#;
        left_out(&format!("{servo} {numbers}/>"))
    };
    let damping = ["has a damping below zero"];
    assert_eq!(general(r#"gainprm="5" biasprm="0 -10 1""#), damping);
    assert_eq!(general(r#"gainprm="5" biasprm="0 0 1""#), damping);
    assert!(general(r#"gainprm="10" biasprm="0 -10 1""#).is_empty());
    for negative in [r#"dampratio="-1""#, r#"kv="-1""#, r#"timeconst="-1""#] {
        let actuator = format!(r#"<actuator><position joint="j" {negative}/></actuator>"#);
        let message = error(&hinged(&actuator));
        assert!(message.contains("not negative"), "{message}");
    }
    // Nothing opposes the joints.
    let massless = r#"<mujoco><worldbody><body><joint name="j"/><joint name="k"/>
  <geom size="0.1" mass="0"/></body></worldbody>
<actuator><position joint="j" dampratio="1"/></actuator></mujoco>"#;
    let left_out = read(massless).1.report.left_out;
    assert_eq!(
        left_out[0].reason,
        "has a ratio of damping where a joint moves no mass"
    );
    assert_eq!(
        general(r#"gainprm="-10" biasprm="0 10 0""#),
        ["has a stiffness below zero"]
    );
}

#[test]
fn names_of_many_geoms_are_made_up_in_no_time() {
    let geoms = r#"<geom size="0.1"/>"#.repeat(20_000);
    let text = format!(
        r#"<mujoco><worldbody><body name="b"><geom name="b/geom_3" size="1"/>{geoms}</body></worldbody></mujoco>"#
    );
    let ((_, model), _) = in_time("geoms without names", || read(&text));
    let names = model.collision_geometries.iter().map(|g| g.name.as_str());
    let names: Vec<_> = names.collect();
    assert_eq!(names[..4], ["b/geom_3", "b/geom", "b/geom_2", "b/geom_4"]);
    assert_eq!(names[20_000], "b/geom_20001");
}

#[test]
fn bodies_touch_what_they_are_hinged_to_where_the_format_lets_them() {
    let arm = |parent: &str| {
        format!(
            r#"<body name="base">{parent}<geom name="base" size="0.1"/>
                 <body name="arm" pos="0.3 0 0"><joint axis="0 1 0"/><geom name="arm" size="0.1"/></body>
               </body>"#
        )
    };
    let pairs = |body: &str, more: &str| {
        let text = format!("<mujoco><worldbody>{body}</worldbody>{more}</mujoco>");
        let (tree, model) = read(&text);
        let system = model.system(tree).unwrap();
        // What is written and read has the same pairs.
        {
            let read = RigidBodySystem::from_json(&system.to_json().unwrap()).unwrap();
            assert!(read.contact().pairs().eq(system.contact().pairs()));
        }
        system.contact().pairs().count()
    };
    let (fixed, free) = (arm(""), arm("<freejoint/>"));
    let unfiltered = r#"<option><flag filterparent="disable"/></option>"#;
    let listed = r#"<contact><pair geom1="base" geom2="arm"/></contact>"#;
    assert_eq!(pairs(&fixed, ""), 1);
    assert_eq!(pairs(&free, ""), 0);
    assert_eq!(pairs(&free, unfiltered), 1);
    assert_eq!(pairs(&free, listed), 1);
    let excluded = r#"<contact><exclude body1="base" body2="arm"/></contact>"#;
    assert_eq!(pairs(&fixed, excluded), 0);
}

#[test]
fn pairs_touch_by_bits_and_lists() {
    let text = r#"
<mujoco model="m">
  <default><geom size="0.1"/></default>
  <worldbody>
    <geom name="floor" type="plane"/>
    <body name="a"><freejoint/><geom name="a"/>
      <body name="c"><joint/><geom name="c"/>
        <body name="welded"><geom name="w"/>
          <body name="d"><joint/><geom name="d" conaffinity="0" contype="2"/></body>
        </body>
      </body>
    </body>
    <body name="b"><freejoint/><geom name="b" contype="0" conaffinity="2"/></body>
    <body name="ghost"><freejoint/><geom name="ghost" contype="0" conaffinity="0"/>
      <geom name="seen" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact>
    <exclude body1="c" body2="world"/>
    <pair geom1="seen" geom2="floor" friction="0.25"/>
  </contact>
</mujoco>"#;
    let disabled = text.replace(
        "<contact>",
        r#"<option><flag contact="disable"/></option><contact>"#,
    );
    let contact = |text: &str| {
        let (tree, model) = read(text);
        let builder = model.contact_model_builder().unwrap();
        (builder.finish(&tree).unwrap(), model)
    };
    assert_eq!(contact(&disabled).0.pairs().count(), 0);
    let (contact, model) = contact(text);
    let name = |i: usize| contact.geometries()[i].name.strip_prefix("m/").unwrap();
    let mut pairs: Vec<String> = contact
        .pairs()
        .map(|(i, j)| {
            let mut names = [name(i), name(j)];
            names.sort();
            names.join(" ")
        })
        .collect();
    pairs.sort();
    // d touches by contype 2 what has conaffinity 2; parents and children do not touch, also by welds.
    assert_eq!(pairs, ["a floor", "b d", "floor seen", "floor w"]);
    assert_eq!(model.report.skipped["geom/that touches nothing"], 1);
    let floor = contact
        .geometries()
        .iter()
        .find(|g| g.name == "m/floor")
        .unwrap();
    assert_eq!(floor.material.friction, 1.0);
}

#[test]
fn dimensions_of_contacts_say_what_resists_turning() {
    let text = r#"<mujoco model="m"><default><geom size="0.1"/></default><worldbody>
    <geom name="floor" type="plane"/>
    <body><freejoint/><geom name="slides" friction="0.5 0.01 0.002"/></body>
    <body><freejoint/><geom name="spins" friction="0.5 0.01 0.002" condim="4"/></body>
    <body><freejoint/><geom name="rolls" friction="0.5 0.01 0.002" condim="6"/></body>
    <body><freejoint/><geom name="pair" condim="6"/></body>
    <body><freejoint/><geom name="bare" condim="6"/></body>
  </worldbody>
  <contact>
    <pair geom1="pair" geom2="floor" friction="0.25 0.25 0.02 0.004 0.004"/>
    <pair geom1="bare" geom2="floor" condim="3"/>
    <pair geom1="slides" geom2="floor" condim="4"/>
  </contact>
</mujoco>"#;
    let (tree, model) = read(text);
    let of = |name: &str| {
        let geometries = &model.collision_geometries;
        let found = geometries.iter().find(|g| g.name.ends_with(name)).unwrap();
        found.material.rotational.map(|r| [r.torsional, r.rolling])
    };
    assert_eq!(of("floor"), None);
    assert_eq!(of("slides"), None);
    assert_eq!(of("spins"), Some([0.01, 0.0]));
    assert_eq!(of("rolls"), Some([0.01, 0.002]));
    assert_eq!(of("bare"), Some([0.005, 0.0001]));
    let builder = model.contact_model_builder().unwrap();
    let contact = builder.finish(&tree).unwrap();
    let parameters = contact.parameters();
    for (pair, constant, expected) in [
        ("pair", "friction", Some(0.25)),
        // Its dimension, too, is the format's: 3.
        ("pair", "torsional_friction", None),
        ("pair", "rolling_friction", None),
        ("bare", "torsional_friction", None),
        // Of the format, not of the geoms.
        ("slides", "friction", Some(1.0)),
        ("slides", "torsional_friction", Some(0.005)),
        ("slides", "rolling_friction", Some(0.0)),
    ] {
        // The names of a pair come in the order of the kinds of its shapes.
        let names = [
            format!("pair/m/{pair}|m/floor/{constant}"),
            format!("pair/m/floor|m/{pair}/{constant}"),
        ];
        let found = parameters.iter().find(|p| names.contains(&p.name));
        assert_eq!(found.map(|p| p.value), expected, "{names:?}");
    }
    let message = error(&text.replacen(r#"condim="4""#, r#"condim="5""#, 1));
    assert!(
        message.contains(r#"condim = "5", expected 1, 3, 4 or 6"#),
        "{message}"
    );
}

#[test]
fn friction_that_differs_by_direction_is_reported() {
    let report = |attributes: &str| {
        let text = format!(
            r#"<mujoco><worldbody><geom name="floor" type="plane"/>
<body><freejoint/><geom name="ball" size="0.1" solmix="2"/></body></worldbody>
<contact><pair geom1="ball" geom2="floor" {attributes}/></contact></mujoco>"#
        );
        read(&text).1.report
    };
    for (attributes, differs) in [
        ("", false),
        (r#"friction="0.3 0.3""#, false),
        // The second coefficient is then the format's: 1.
        (r#"friction="0.3""#, true),
        (r#"friction="0.3 0.4" condim="1""#, false),
        (r#"friction="0.3 0.3 0.1 0.1 0.2" condim="4""#, false),
        (r#"friction="0.3 0.3 0.1 0.1 0.2" condim="6""#, true),
    ] {
        let report = report(attributes);
        let said = report.to_string();
        assert_eq!(said.contains("rubs alike"), differs, "{attributes}: {said}");
        assert_eq!(report.skipped["geom/@solmix"], 1);
    }
}

#[test]
fn what_falls_through_the_floor_is_reported() {
    let model = |floor: &str, bits: &str| {
        let text = format!(
            r#"<mujoco><default><geom size="0.1"/></default><worldbody>{floor}
<body name="robot"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
  <body name="leg"><joint/><geom {bits}/></body></body>
<body name="ball"><freejoint/><geom/></body></worldbody></mujoco>"#
        );
        read(&text).1
    };
    let (floor, ghost) = (r#"<geom type="plane"/>"#, r#"contype="2" conaffinity="2""#);
    let through = model(floor, ghost);
    assert_eq!(through.report.untouchable, ["robot"]);
    let message = through.report.to_string();
    assert!(
        message.contains("can touch the floor (1): robot"),
        "{message}"
    );
    // A leg that touches, and nothing to fall through.
    assert!(model(floor, "").report.untouchable.is_empty());
    assert!(model("", ghost).report.untouchable.is_empty());
}

#[test]
fn a_machine_comes_of_a_file_in_any_scalar() {
    let path = data("mjcf/scaled.xml");
    let read = || -> dualbody::prelude::Result<_> {
        Ok(MjcfReader::new().system_from_file::<Dual64>(&path)?)
    };
    let (system, model) = read().unwrap();
    assert_eq!(system.tree().num_velocities(), 2);
    assert_eq!(model.elements.actuators.len(), 0);
    assert_eq!(system.num_inputs(), 0);
    assert_eq!(system.with_generalized_forces().unwrap().num_inputs(), 2);
}

#[test]
fn several_models_share_a_tree() {
    let text = hinged("");
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    for name in ["left", "right"] {
        let reader = MjcfReader::new().with_model_name(name);
        reader.read_str(&text, &mut builder).unwrap();
    }
    // A mistake leaves the builder as it was.
    let reader = MjcfReader::new().with_model_name("left");
    reader.read_str(&text, &mut builder).unwrap_err();
    assert_eq!(builder.finish().unwrap().num_velocities(), 2);
    let rough = ContactMaterial {
        stiffness: -1.0,
        dissipation: 0.5,
        friction: 0.7,
        stribeck: None,
        restitution: None,
        rotational: None,
    };
    assert!(MjcfReader::new().with_material(rough).is_err());
}

#[test]
fn mistakes_are_located() {
    for (in_model, expected) in [
        (
            r#"<actuator><motor joint="i"/></actuator>"#,
            r#"MJCF text:3: actuator/motor: there is no joint "i""#,
        ),
        (
            r#"<default><joint damping="low"/></default>"#,
            r#"MJCF text:3: default/joint: damping = "low", expected finite numbers separated by spaces"#,
        ),
        (
            r#"<worldbody><body name="b"/></worldbody>"#,
            r#"MJCF text:3: worldbody/body "b": there are two bodies "b""#,
        ),
        (
            r#"<worldbody><body><geom class="thin"/></body></worldbody>"#,
            r#"MJCF text:3: worldbody/body/geom: there is no class "thin""#,
        ),
        (
            r#"<worldbody><body><body><freejoint/></body></body></worldbody>"#,
            "MJCF text:3: worldbody/body/body/freejoint: a free joint must be alone on a body of the world",
        ),
        (
            r#"<worldbody><geom size="1 2" type="box"/></worldbody>"#,
            "MJCF text:3: worldbody/geom: size[2] = 0, expected a positive finite number",
        ),
        (
            r#"<worldbody><geom size="${r}"/></worldbody>"#,
            r#"MJCF text:3: worldbody/geom: size = "${r}" is an expression, expand the model with xacro first"#,
        ),
        (
            r#"<compiler coordinate="global"/>"#,
            r#"MJCF text:3: compiler: coordinate = "global", expected local"#,
        ),
        (
            r#"<worldbody><body quat="0 0 0 0"/></worldbody>"#,
            r#"MJCF text:3: worldbody/body: quat = "0 0 0 0", expected not all zero"#,
        ),
        (
            r#"<worldbody><body><joint range="2 1" limited="true"/><geom size="1"/></body></worldbody>"#,
            r#"MJCF text:3: worldbody/body/joint: range = "2 1", expected a smaller number before a larger one"#,
        ),
        (
            r#"<keyframe><key qpos="1 2"/></keyframe>"#,
            r#"MJCF text:3: keyframe/key: qpos = "1 2", expected fewer numbers"#,
        ),
        (
            r#"<contact><pair geom1="g" geom2="h"/></contact>"#,
            r#"MJCF text:3: contact/pair: there is no geom "h""#,
        ),
        ("<option", "MJCF text:3: "),
    ] {
        let message = error(&hinged(in_model));
        assert!(
            message.starts_with(expected),
            "{message}\ninstead of\n{expected}"
        );
    }
    assert_eq!(
        error("<robot/>"),
        "MJCF text:1: robot: expected <mujoco>, found <robot>"
    );
}

/// As MuJoCo does.
#[test]
fn what_contradicts_itself_is_refused() {
    let model = |compiler: &str, in_body: &str, rest: &str| {
        format!(
            "<mujoco>{compiler}<worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"0.1\"/>\n{in_body}</body></worldbody>{rest}</mujoco>"
        )
    };
    let inertial = |rest: &str| {
        let inertial = format!("<inertial mass=\"1\" {rest}/>");
        model("", &inertial, "")
    };
    let unlimited = "<compiler autolimits=\"false\"/>";
    let joint = |rest: &str| model(unlimited, &format!("<joint {rest}/>"), "");
    let motor = |rest: &str| {
        model(
            unlimited,
            "",
            &format!("<actuator><motor joint=\"j\" {rest}/></actuator>"),
        )
    };
    let geom = |rest: &str| model("", &format!("<geom size=\"0.1\" {rest}/>"), "");
    let full = r#"pos="0 0 0" fullinertia="1 1 1 0 0 0""#;
    let fromto = r#"fromto="0 0 0 0 0 1""#;
    for (text, expected) in [
        (
            inertial(r#"diaginertia="1 1 1""#),
            r#"b"/inertial: attribute "pos" is missing"#,
        ),
        (
            inertial(&format!(r#"{full} euler="0 0 0""#)),
            r#"b"/inertial: fullinertia = "1 1 1 0 0 0", expected no orientation"#,
        ),
        (
            inertial(&format!(r#"{full} diaginertia="1 1 1""#)),
            r#"b"/inertial: fullinertia = "1 1 1 0 0 0", expected no orientation"#,
        ),
        (
            inertial(r#"pos="0 0 0" diaginertia="1 1 1" quat="1 0 0 0" zaxis="0 0 1""#),
            r#"b"/inertial: quat = "1 0 0 0", expected no other orientation"#,
        ),
        (
            geom(r#"euler="0 0 1" axisangle="0 0 1 0""#),
            r#"b"/geom: axisangle = "0 0 1 0", expected no other orientation"#,
        ),
        (
            geom(&format!(r#"{fromto} type="capsule" pos="1 0 0""#)),
            r#"b"/geom: pos = "1 0 0", expected no fromto beside it"#,
        ),
        (
            geom(fromto),
            r#"b"/geom: fromto = "0 0 0 0 0 1", expected a capsule"#,
        ),
        (
            geom(&format!(r#"{fromto} type="capsule" mesh="m""#)),
            r#"b"/geom: fromto = "0 0 0 0 0 1", expected a capsule"#,
        ),
        (
            model("", &format!("<site {fromto}/>"), ""),
            r#"b"/site: fromto = "0 0 0 0 0 1", expected a capsule"#,
        ),
        (
            joint(r#"range="-1 1""#),
            r#"b"/joint: attribute "limited" is missing"#,
        ),
        (
            joint(r#"range="-1 1" limited="auto""#),
            r#"b"/joint: attribute "limited" is missing"#,
        ),
        (
            joint(r#"actuatorfrcrange="-1 1""#),
            r#"b"/joint: attribute "actuatorfrclimited" is missing"#,
        ),
        (
            motor(r#"ctrlrange="-1 1""#),
            r#"attribute "ctrllimited" is missing"#,
        ),
        (
            motor(r#"forcerange="-1 1""#),
            r#"attribute "forcelimited" is missing"#,
        ),
    ] {
        let message = error(&text);
        assert!(message.starts_with("MJCF text:2: "), "{message}");
        assert!(message.contains(expected), "{message}\n{expected}");
    }
    for text in [
        geom(&format!(r#"{fromto} type="box" pos="0 0 0" euler="0 0 1""#)),
        joint(r#"range="-1 1" limited="false""#),
        joint(r#"range="0 0""#),
        motor(r#"ctrlrange="-1 1" ctrllimited="false""#),
        inertial(full),
    ] {
        read(&text);
    }
}

#[test]
fn slips_of_the_pen_are_reported() {
    let text = r#"<mujoco><worldbody>
<body nmae="b"><joint dampign="1" rgba="1 0 0 1"/><gemo/><geom size="1" fritcion="2"/></body>
</worldbody></mujoco>"#;
    let (_, model) = read(text);
    let found: Vec<_> = model
        .report
        .misspelt
        .iter()
        .map(|m| (&*m.found, m.nearest))
        .collect();
    let expected = [
        ("nmae", "name"),
        ("dampign", "damping"),
        ("gemo", "geom"),
        ("fritcion", "friction"),
    ];
    assert_eq!(found, expected);
    assert!(model.report.misspelt.iter().all(|m| m.place.line == 2));
    let report = model.report.to_string();
    assert!(
        report.contains("dampign at MJCF text:2: worldbody/body/joint (is it damping?)"),
        "{report}"
    );
}

#[test]
fn meshes_that_are_not_there_are_reported() {
    let text = r#"<mujoco>
<asset><mesh file="nowhere/x.stl"/><mesh name="made" builtin="sphere" params="3"/></asset><worldbody>
<body name="a"><joint/><geom name="m" type="mesh" mesh="x"/></body>
<body name="b"><joint/><geom type="mesh" mesh="x"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
<body name="c"><geom type="mesh" mesh="made"/></body>
<body name="d"><joint/><geom type="mesh" mesh="x" mass="0"/></body>
</worldbody></mujoco>"#;
    assert_eq!(
        error(text),
        "MJCF text:3: worldbody/body \"a\"/geom \"m\": the mass of the body is that of a mesh, nowhere/x.stl is not found; \
         a lenient reader leaves it out"
    );
    let reader = MjcfReader::new().lenient();
    let (tree, model) = reader.tree_from_str::<f64>(text).unwrap();
    assert_eq!(model.report.unknown_inertia, ["a"]);
    assert_eq!(model.report.without_inertia, ["d"]);
    assert_eq!(model.report.left_out.len(), 4);
    assert_eq!(tree.total_mass(), 1.0);
}

#[test]
fn hulls_of_meshes_touch() {
    let path = data("mjcf/meshes.xml");
    let reader = MjcfReader::new().with_hull_vertices(8).unwrap();
    let (tree, model) = reader.tree_from_file::<f64>(&path).unwrap();
    let report = &model.report;
    assert!(report.left_out.is_empty(), "{report}");
    let hulls: Vec<_> = (report.meshes.iter())
        .map(|mesh| (&*mesh.name, mesh.triangles, mesh.vertices))
        .collect();
    let expected = [
        ("exact", 16, 8),
        ("mirrored", 16, 8),
        ("own", 6, 5),
        ("points", 0, 4),
        ("shell", 16, 8),
        ("wedge", 16, 8),
    ];
    assert_eq!(hulls, expected);
    assert!(
        report
            .to_string()
            .contains("hulls of meshes (6): exact, mirrored")
    );
    // A corner of the mesh, where the format has it: moved, turned back and scaled.
    let corner = Vector3::new(f64::from(0.2f32), f64::from(0.12f32), 0.0);
    let turn = nalgebra::Quaternion::new(0.9, 0.1, -0.3, 0.2).normalize();
    let turned = nalgebra::UnitQuaternion::new_unchecked(turn)
        .inverse_transform_vector(&(corner - Vector3::new(0.1, 0.03, -0.02)));
    let placed = turned.component_mul(&Vector3::new(-1.0, 1.3, 0.9));
    let shapes = model.collision_geometries.iter().map(|g| &g.shape);
    let has_corner = |shape: &Shape<f64>| match shape {
        Shape::Convex { polyhedron, .. } => {
            (polyhedron.vertices().iter()).any(|v| (v - placed).norm() < 1e-15)
        }
        _ => false,
    };
    assert_eq!(shapes.filter(|shape| has_corner(shape)).count(), 1);
    assert_eq!(tree.num_velocities(), 14);
    // Poses are written back.
    let mut geometries = model.collision_geometries.clone();
    geometries[1].pose_in_body.translation.x += 0.25;
    let changed = reader
        .updated_file(&path, &tree, &geometries, &model.elements)
        .unwrap();
    assert!(
        changed[0].1.contains(r#"mesh="wedge" pos="0.35"#),
        "{changed:?}"
    );
    assert!(MjcfReader::new().with_hull_vertices(3).is_err());
}

/// Dimension and friction of the contacts that MuJoCo 4.0 makes of these geoms.
#[test]
fn geoms_share_friction_as_in_the_format() {
    let text = r#"<mujoco model="m"><default><geom size="0.1"/></default><worldbody>
    <geom name="floor" type="plane"/>
    <body><freejoint/><geom name="slides" friction="0.5 0.01 0.002"/></body>
    <body><freejoint/><geom name="bare" condim="6"/></body>
    <body><freejoint/><geom name="one" condim="1" friction="1.5 0.01 0.002"/></body>
    <body><freejoint/><geom name="four" condim="4" friction="0.3 0.002 0.0002"/></body>
    <body><freejoint/><geom name="first" condim="1" priority="2" friction="0.3 0.002 0.0002"/></body>
    <body><freejoint/><geom name="two" condim="1" friction="0.9"/></body></worldbody></mujoco>"#;
    let (tree, model) = read(text);
    let builder = model.contact_model_builder().unwrap();
    let contact = builder.finish(&tree).unwrap();
    let parameters = contact.parameters();
    for (a, b, dimension, friction) in [
        ("floor", "one", 3, [1.5, 0.01, 0.002]),
        ("floor", "first", 1, [0.3, 0.002, 0.0002]),
        ("floor", "two", 3, [1.0, 0.005, 0.0001]),
        ("slides", "bare", 6, [1.0, 0.01, 0.002]),
        ("slides", "four", 4, [0.5, 0.01, 0.002]),
        ("slides", "first", 1, [0.3, 0.002, 0.0002]),
        ("slides", "two", 3, [0.9, 0.01, 0.002]),
        ("bare", "one", 6, [1.5, 0.01, 0.002]),
        ("bare", "four", 6, [1.0, 0.005, 0.0002]),
        ("one", "four", 4, [1.5, 0.01, 0.002]),
        ("one", "two", 1, [1.5, 0.01, 0.002]),
        ("four", "first", 1, [0.3, 0.002, 0.0002]),
        ("four", "two", 4, [0.9, 0.005, 0.0002]),
    ] {
        let surface = |name: &str| {
            let is_named = |g: &&CollisionGeometry<f64>| g.name == format!("m/{name}");
            contact.geometries().iter().find(is_named).unwrap().material
        };
        let larger = surface(a).combined_by(&surface(b), contact.friction_rule());
        let turning = larger
            .rotational
            .map_or([0.0; 2], |r| [r.torsional, r.rolling]);
        let own = |constant: &str| {
            let named = |x: &&str, y: &&str| format!("pair/m/{x}|m/{y}/{constant}");
            let names = [named(&a, &b), named(&b, &a)];
            parameters
                .iter()
                .find(|p| names.contains(&p.name))
                .map(|p| p.value)
        };
        let constants = ["friction", "torsional_friction", "rolling_friction"];
        let found = match own("friction") {
            Some(_) => constants.map(|name| own(name).unwrap_or(0.0)),
            None => [larger.friction, turning[0], turning[1]],
        };
        let expected = [0, 1, 2].map(|k| {
            if dimension >= [2, 4, 6][k] {
                friction[k]
            } else {
                0.0
            }
        });
        assert_eq!(found, expected, "{a} {b}");
    }
}

/// Elevations of images, by MuJoCo.
#[test]
fn reference_height_fields_are_those_of_images() {
    use serde_json::Value;
    let folder = std::env::var_os("DUALBODY_REFERENCE").map(std::path::PathBuf::from);
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/data/reference");
    let path = folder.unwrap_or_else(|| default.into());
    let Ok(text) = std::fs::read_to_string(path.join("height_fields.json")) else {
        return; // Another collection, without images.
    };
    let reference: Value = serde_json::from_str(&text).unwrap();
    let folder = std::env::temp_dir().join(format!("dualbody-png-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("model.xml");
    let text = r#"<mujoco><asset><hfield name="h" file="h.png" size="1 1 0.5 1"/></asset>
<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>"#;
    std::fs::write(&model, text).unwrap();
    let read = |png: &[u8]| {
        std::fs::write(folder.join("h.png"), png).unwrap();
        MjcfReader::new().tree_from_file::<f64>(&model)
    };
    for image in reference["images"].as_array().unwrap() {
        let hex = image["png"].as_str().unwrap().as_bytes().chunks(2);
        let png: Vec<u8> = hex
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        let (_, found) = read(&png).unwrap();
        let Shape::HeightField { field, .. } = &found.collision_geometries[0].shape else {
            panic!("{}", image["name"]);
        };
        assert_eq!((field.columns(), field.rows()), (3, 2));
        let expected = image["elevations"].as_array().unwrap();
        for (height, expected) in field.heights().iter().zip(expected) {
            let expected = 0.5 * expected.as_f64().unwrap();
            assert!((height - expected).abs() < 1e-7, "{}", image["name"]);
        }
        for damaged in [&png[..png.len() / 2], &png[8..], &png[..40]] {
            let message = read(damaged).unwrap_err().to_string();
            assert!(
                message.contains("model.xml:1") && message.contains("h.png"),
                "{message}"
            );
        }
        let mut random = crate::support::random_contact::Random::new(6);
        for i in 0..crate::support::mutation::count() {
            let mut damaged = png.clone();
            damaged[random.index(png.len())] = random.index(256) as u8;
            let (found, _) = in_time(&format!("mutation {i}"), || read(&damaged));
            if let Ok((_, model)) = found {
                model.collision_geometries[0].shape.validate().unwrap();
            }
        }
        let mut huge = png.clone();
        huge[16..20].copy_from_slice(&[0x7f; 4]);
        assert!(read(&huge).is_err());
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Elevations of which MuJoCo 4.0 makes the heights that are expected here.
#[test]
fn height_fields_are_ground() {
    let folder = std::env::temp_dir().join(format!("dualbody-hfield-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut binary: Vec<u8> = [2i32, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
    binary.extend(
        [1f32, 2.0, 3.0, 4.0, 5.0, 9.0]
            .iter()
            .flat_map(|x| x.to_le_bytes()),
    );
    std::fs::write(folder.join("binary.bin"), &binary).unwrap();
    std::fs::write(folder.join("short.bin"), &binary[..20]).unwrap();
    let model = |file: &str| {
        let path = folder.join("model.xml");
        let text = format!(
            r#"<mujoco><asset>
<hfield name="inline" nrow="2" ncol="3" size="2 1 0.5 0.1" elevation="1 2 3  4 5 9"/>
<hfield file="{file}" size="2 1 0.5 0.1" name="file"/>
</asset><worldbody>
<geom type="hfield" hfield="inline" pos="0 0 0.1"/><geom type="hfield" hfield="file"/>
<body><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#
        );
        std::fs::write(&path, text).unwrap();
        MjcfReader::new().tree_from_file::<f64>(&path)
    };
    let (_, found) = model("binary.bin").unwrap();
    assert!(found.report.left_out.is_empty(), "{}", found.report);
    let heights = |k: usize| match &found.collision_geometries[k].shape {
        Shape::HeightField { field, .. } => {
            assert_eq!((field.columns(), field.rows()), (3, 2));
            assert_eq!(*field.spacing(), nalgebra::Vector2::new(2.0, 2.0));
            field.heights().iter().map(|h| h / 0.5).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    // From the largest y down in the text, up in the file.
    assert_eq!(heights(0), [0.375, 0.5, 1.0, 0.0, 0.125, 0.25]);
    assert_eq!(heights(1), [0.0, 0.125, 0.25, 0.375, 0.5, 1.0]);
    for image in ["ground.png", "nowhere.bin"] {
        let (_, found) = model(image).unwrap();
        assert_eq!(found.report.left_out.len(), 1, "{}", found.report);
    }
    let message = model("short.bin").unwrap_err().to_string();
    assert!(
        message.contains("model.xml:3") && message.contains("2 × 3"),
        "{message}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
    let asset = |attributes: &str| {
        format!(
            r#"<mujoco><asset><hfield name="h" {attributes}/></asset>
<worldbody><geom type="hfield" hfield="h"/></worldbody></mujoco>"#
        )
    };
    for (attributes, part) in [
        (r#"nrow="2" ncol="2""#, "size"),
        (r#"nrow="1" ncol="2" size="1 1 1 1""#, "nrow"),
        (r#"nrow="2" ncol="1e9" size="1 1 1 1""#, "ncol"),
        (r#"nrow="2" ncol="2" size="1 1 0 1""#, "size"),
        (
            r#"nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3""#,
            "elevation",
        ),
        (
            r#"nrow="2" ncol="2" size="1 1 1 1" elevation="1 2 3 nan""#,
            "elevation",
        ),
    ] {
        let message = error(&asset(attributes));
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn mistakes_in_meshes_are_located() {
    let error = |mesh: &str| {
        error(&format!(
            "<mujoco><asset>\n<mesh name=\"m\" {mesh}/></asset><worldbody><body><joint/><geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>"
        ))
    };
    for (mesh, expected) in [
        ("", r#"attribute "vertex" is missing"#),
        (
            r#"vertex="0 0 0 1""#,
            "expected three numbers for each point",
        ),
        (
            r#"vertex="0 0 0 1 0 0 0 1 0" face="0 1 3""#,
            "expected numbers of points",
        ),
        (
            r#"vertex="0 0 0 1 0 0 0 1 0" face="0 1 2""#,
            "encloses no volume",
        ),
        (r#"vertex="0 0 0 1 0 0 0 1 0""#, "thickness of the points"),
        (
            r#"vertex="0 0 0" inertia="full""#,
            "expected legacy, exact, convex or shell",
        ),
        (
            r#"vertex="0 0 0" scale="1 0 1""#,
            "expected none that is zero",
        ),
        (
            r#"vertex="0 0 0" refquat="0 0 0 0""#,
            "expected not all zero",
        ),
    ] {
        let message = error(mesh);
        assert!(
            message.starts_with(r#"MJCF text:2: asset/mesh "m": "#),
            "{message}"
        );
        assert!(message.contains(expected), "{message}");
    }
    let twice = r#"<mujoco><asset><mesh file="a.stl"/><mesh file="b/a.obj"/></asset></mujoco>"#;
    assert!(self::error(twice).ends_with(r#"there are two meshes "a""#));
    let unknown = r#"<mujoco><asset><mesh file="leg.stl"/></asset><worldbody>
<geom type="mesh" mesh="lge"/></worldbody></mujoco>"#;
    assert!(self::error(unknown).ends_with(r#"there is no mesh "lge", is it "leg"?"#));
}

#[test]
fn includes_that_fail_say_where() {
    let folder = std::env::temp_dir().join(format!("dualbody-mjcf-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("sub")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let include = |file: &str| format!("<mujoco>\n<include file=\"{file}\"/></mujoco>");
    write("cycle.xml", &include("sub/back.xml"));
    write("sub/back.xml", &include("../cycle.xml"));
    write("missing.xml", &include("nowhere.xml"));
    write("folder.xml", &include("sub"));
    write("broken.xml", &include("sub/broken.xml"));
    write("sub/broken.xml", "<mujoco>\n\n<body></mujoco>");
    write(
        "twice.xml",
        "<mujoco><include file=\"sub/x.xml\"/>\n<include file=\"sub/x.xml\"/></mujoco>",
    );
    write("sub/x.xml", "<mujoco/>");
    write("nameless.xml", "<mujoco><include/></mujoco>");
    // Relative to the file that includes, where the outermost folder does not have it.
    write("good.xml", &include("sub/good.xml"));
    write("sub/good.xml", &include("inner.xml"));
    write("sub/inner.xml", &hinged(""));
    let deep = format!("{}{}", "<frame>".repeat(600), "</frame>".repeat(600));
    write(
        "deep.xml",
        &format!(
            "<mujoco><worldbody>{}<include file=\"sub/deep.xml\"/>{}</worldbody></mujoco>",
            "<frame>".repeat(500),
            "</frame>".repeat(500)
        ),
    );
    write("sub/deep.xml", &format!("<mujoco>{deep}</mujoco>"));
    let error = |name: &str| {
        let path = folder.join(name);
        let error = MjcfReader::new()
            .tree_from_file::<f64>(path)
            .map(|_| ())
            .unwrap_err();
        error.to_string()
    };
    for (name, line, reason) in [
        (
            "cycle.xml",
            "back.xml:2",
            "is included twice, or includes itself",
        ),
        ("missing.xml", "missing.xml:2", "No such file"),
        ("folder.xml", "folder.xml:2", "is not a file"),
        ("broken.xml", "broken.xml:3", "expected `</body>`"),
        ("twice.xml", "twice.xml:2", "is included twice"),
        (
            "nameless.xml",
            "nameless.xml:1",
            r#"attribute "file" is missing"#,
        ),
        ("deep.xml", "deep.xml:1", "nested more than 1000 deep"),
    ] {
        let message = error(name);
        assert!(
            message.contains(line) && message.contains(reason),
            "{message}"
        );
    }
    let path = folder.join("good.xml");
    let (tree, _) = MjcfReader::new().tree_from_file::<f64>(path).unwrap();
    assert_eq!(tree.num_velocities(), 1);
    let nothing = MjcfReader::new().tree_from_file::<f64>(folder.join("nothing.xml"));
    assert!(matches!(nothing, Err(MjcfError::Io { .. })));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn hostile_texts_are_refused() {
    let nested = format!("<mujoco><worldbody>{}", "<body>".repeat(100_000));
    assert!(error(&nested).contains("nested more than 1000 deep"));
    let bomb = r#"<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>
<mujoco model="&b;"/>"#;
    assert!(error(bomb).starts_with("MJCF text:2: "), "{}", error(bomb));
    for number in ["nan", "inf", "1e999", "-1e999", "1e-999x", "0x", "1,2"] {
        let message = error(&hinged(&format!(r#"<option timestep="{number}"/>"#)));
        assert!(message.contains("expected finite numbers"), "{message}");
    }
    for size in ["1e200", "1e-200", "-1", "0"] {
        // Volumes that overflow or vanish, no panic.
        let _ = MjcfReader::new().tree_from_str::<f64>(&hinged(&format!(
            r#"<worldbody><body><joint/><geom size="{size}"/></body></worldbody>"#
        )));
    }
    let many: String = (0..2000).map(|i| format!(" a{i}=\"\"")).collect();
    let problem = MjcfReader::new().tree_from_str::<f64>(&format!("<mujoco{many}/>"));
    let Err(MjcfError::Invalid { problem, .. }) = problem else {
        panic!("accepted");
    };
    assert!(matches!(*problem, MjcfProblem::Syntax { .. }));
    let class = r#"<default><default class="main"/></default>"#;
    assert!(error(&hinged(class)).contains("there are two classes"));
}

/// Texts with bytes exchanged, cut out, doubled and moved: an error or a model, never a panic.
#[test]
fn damaged_texts_never_panic() {
    let texts = ["arm.xml", "scaled.xml", "parts/leg.xml"]
        .map(|name| std::fs::read_to_string(data("mjcf").join(name)).unwrap());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let words = [
        "\"", "<", ">", "/", "-", "1e300", "nan", "0", "ball", "free", "&amp;", "é", " ", "b",
    ];
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
    for round in 0..2000 {
        let text = &texts[round % texts.len()];
        let mut chars: Vec<char> = text.chars().collect();
        for _ in 0..1 + below(4) {
            let (i, n) = (below(chars.len()), below(12));
            let end = (i + n).min(chars.len());
            match below(3) {
                0 => drop(chars.drain(i..end)),
                1 => drop(chars.splice(i..end, words[below(words.len())].chars())),
                _ => {
                    let piece: Vec<char> = chars[i..end].to_vec();
                    let to = below(chars.len());
                    drop(chars.splice(to..to, piece));
                }
            }
        }
        let damaged: String = chars.into_iter().collect();
        if let Ok((tree, _)) = MjcfReader::new().tree_from_str::<f64>(&damaged) {
            assert!(tree.total_mass().is_finite());
        }
        if std::time::Instant::now() > deadline {
            assert!(round > 100, "a damaged text takes too long");
            break;
        }
    }
}

/// The first body with a geom that is not symmetric, turned as an element and the classes of its surroundings say.
fn turned(defaults: &str, geom: &str) -> (SpatialInertia<f64>, MjcfReport) {
    let text = format!(
        r#"<mujoco>{defaults}<worldbody><body name="a"><joint/>
        <geom type="box" size="0.1 0.2 0.3" {geom}/></body></worldbody></mujoco>"#
    );
    let (tree, model) = read(&text);
    (*tree.body(model.bodies[1]).unwrap().inertia(), model.report)
}

#[test]
fn the_innermost_orientation_counts_of_whatever_kind_it_is() {
    let ways = [
        r#"euler="0 0 30""#,
        r#"axisangle="1 0 0 40""#,
        r#"xyaxes="0 1 0 0 0 1""#,
        r#"zaxis="1 1 0""#,
        r#"quat="0.5 0.5 -0.5 0.5""#,
    ];
    for outer in ways {
        for inner in ways {
            let (alone, _) = turned("", inner);
            let class = format!("<default><geom {outer}/></default>");
            assert_eq!(turned(&class, inner).0, alone, "{outer} {inner}");
            let nested = format!(
                r#"<default><geom {outer}/><default class="in"><geom {inner}/></default></default>"#
            );
            assert_eq!(turned(&nested, r#"class="in""#).0, alone, "{outer} {inner}");
        }
    }
}

#[test]
fn classes_hold_what_their_surroundings_were_when_they_were_read() {
    let first = r#"<default><default class="x"/><geom mass="2"/></default>"#;
    let then = r#"<default><geom mass="3"/></default>"#;
    let mass = |text: &str, geom: &str| turned(text, geom).0.mass;
    assert_eq!(mass(&format!("{first}{then}"), r#"class="x""#), 2.0);
    assert_eq!(mass(&format!("{first}{then}"), ""), 3.0);
}

#[test]
fn mass_properties_in_frames_are_those_of_the_body() {
    let text = |inside: &str| {
        format!(
            r#"<mujoco><worldbody><body name="a"><joint/>{inside}<geom size="0.1"/></body></worldbody></mujoco>"#
        )
    };
    let inertia = |text: &str| {
        let (tree, model) = read(text);
        *tree.body(model.bodies[1]).unwrap().inertia()
    };
    let of_body = inertia(&text(
        r#"<inertial mass="1" pos="1 2 3" quat="0.5 0.5 0.5 0.5" diaginertia="1 2 2.5"/>"#,
    ));
    let in_frames = text(
        r#"<frame pos="1 0 3"><frame quat="0.5 0.5 0.5 0.5"><inertial mass="1" pos="2 0 0" diaginertia="1 2 2.5"/></frame></frame>"#,
    );
    let found = inertia(&in_frames);
    assert_relative_eq!(
        found.center_of_mass,
        of_body.center_of_mass,
        epsilon = 1e-15
    );
    assert_relative_eq!(
        found.rotational_inertia,
        of_body.rotational_inertia,
        epsilon = 1e-14
    );
    // Where it is changed, it is written in its frame.
    let (tree, model) = read(&in_frames);
    let mut changed = tree.clone();
    for (name, by) in [("center_of_mass/x", 0.5), ("rotational_inertia/yy", 0.25)] {
        let name = format!("body/a/{name}");
        let value = changed.parameter(&name).unwrap();
        changed.set_parameter(&name, value + by).unwrap();
    }
    let moved = *changed.body(model.bodies[1]).unwrap().inertia();
    let geometries = &model.collision_geometries;
    let updated = MjcfReader::new().updated(&in_frames, &changed, geometries, &model.elements);
    let again = inertia(&updated.unwrap());
    assert_relative_eq!(again.center_of_mass, moved.center_of_mass, epsilon = 1e-14);
    assert_relative_eq!(
        again.rotational_inertia,
        moved.rotational_inertia,
        epsilon = 1e-13
    );
    let twice = text(
        r#"<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/>"#,
    );
    assert_eq!(inertia(&twice).mass, 1.0);
    let left_out = read(&twice).1.report.left_out;
    assert_eq!(left_out[0].reason, "is not the first of its body");
}

#[test]
fn a_weld_holds_the_anchor_where_the_pose_says() {
    let text = |weld: &str| {
        format!(
            r#"<mujoco><worldbody><body name="a" pos="0 0 1"><joint/><geom size="0.1"/></body>
            <body name="b" pos="0.3 0 0"><joint/><geom size="0.1"/></body></worldbody>
            <equality><weld body1="a" body2="b" anchor="0.2 0.1 0" {weld}/></equality></mujoco>"#
        )
    };
    let points = |text: &str| {
        let (_, mut model) = read(text);
        let mut values = vec![];
        let visit = &mut |parameter: Parameter<'_, f64>| values.push(*parameter.value);
        model.elements.constraints[0].visit_parameters(visit);
        <[f64; 6]>::try_from(&values[..6]).unwrap()
    };
    let given = points(&text(r#"relpose="0.1 0.2 0.3 0.5 0.5 0.5 0.5""#));
    assert_eq!(given, [0.1, 0.2, 0.3, 0.2, 0.1, 0.0]);
    let found = points(&text(""));
    assert_relative_eq!(
        found[..],
        [0.5, 0.1, -1.0, 0.2, 0.1, 0.0][..],
        epsilon = 1e-15
    );
}

#[test]
fn what_changes_the_motion_and_is_not_read_is_named() {
    let text = |option: &str, joint: &str, motor: &str| {
        format!(
            r#"<mujoco>{option}<worldbody><body name="a"><joint name="j" {joint}/><geom size="0.1"/></body></worldbody>
            <actuator><motor joint="j" {motor}/></actuator></mujoco>"#
        )
    };
    let reasons = |option: &str, joint: &str, motor: &str| -> Vec<&str> {
        let report = read(&text(option, joint, motor)).1.report;
        report.left_out.iter().map(|o| o.reason).collect()
    };
    for flag in [
        "spring",
        "damper",
        "actuation",
        "equality",
        "constraint",
        "clampctrl",
        "sensor",
    ] {
        let option = |value: &str| format!(r#"<option><flag {flag}="{value}"/></option>"#);
        assert_eq!(reasons(&option("disable"), "", "").len(), 1, "{flag}");
        assert!(reasons(&option("enable"), "", "").is_empty(), "{flag}");
    }
    let groups = r#"<option actuatorgroupdisable="0"/>"#;
    assert_eq!(reasons(groups, "", ""), ["disables actuators"]);
    assert!(reasons("", "", r#"armature="0" delay="0" actearly="false""#).is_empty());
    assert_eq!(reasons("", "", r#"armature="0.1""#), ["has an armature"]);
    assert_eq!(reasons("", "", r#"damping="0.1""#), ["has a damping"]);
    assert_eq!(
        reasons("", r#"damping="1 2 0""#, ""),
        ["has a damping or a stiffness that is not constant"]
    );
    assert!(reasons("", r#"damping="1 0 0" range="-inf inf""#, "").is_empty());
    // Friction and armature are single numbers.
    for name in ["frictionloss", "armature"] {
        let refused = error(&text("", &format!(r#"{name}="1 2 3""#), ""));
        assert!(refused.contains("expected fewer numbers"), "{refused}");
    }
    // Of another kind of actuator.
    let report = read(&text("", "", r#"kp="3""#)).1.report;
    assert_eq!(report.skipped["motor/@kp"], 1);
}

#[test]
fn quaternions_of_key_frames_are_normalised() {
    let text = |quaternion: &str| {
        format!(
            r#"<mujoco><worldbody><body name="a"><freejoint/><geom size="0.1"/></body></worldbody>
            <keyframe><key qpos="1 2 3 {quaternion}"/></keyframe></mujoco>"#
        )
    };
    let (tree, model) = read(&text("2 0 0 2"));
    let mut q = vec![0.0; 7];
    model.key_frames[0].write(&tree, &mut q).unwrap();
    let half = 0.5f64.sqrt();
    assert_relative_eq!(
        q[..],
        [half, 0.0, 0.0, half, 1.0, 2.0, 3.0][..],
        epsilon = 1e-15
    );
    // As no rotation.
    let (tree, model) = read(&text("0 0 0 0"));
    model.key_frames[0].write(&tree, &mut q).unwrap();
    assert_eq!(q, [1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
}

/// Mass, and moments along the axes of the body, of the only body of a model that moves; MuJoCo 4.0's figures.
#[test]
fn masses_are_those_of_mujoco() {
    let solid = |compiler: &str, mass: &str| {
        format!(
            r#"<mujoco><compiler {compiler}/><worldbody><body name="b"><joint name="j" axis="0 0 1"/>{mass}</body></worldbody></mujoco>"#
        )
    };
    let own = r#"<inertial pos="0 0 0" mass="3" diaginertia=".1 .2 .15"/>"#;
    let geom = |attributes: &str| format!(r#"<geom size=".1" {attributes}/>"#);
    let without = [
        // The geoms of a body come first, but where none has a mass.
        (
            solid(
                r#"inertiafromgeom="true""#,
                &(own.to_owned() + &geom(r#"mass="0""#)),
            ),
            (3.0, [0.1, 0.2, 0.15]),
        ),
        (
            solid(
                r#"inertiafromgeom="true" inertiagrouprange="0 2""#,
                &(own.to_owned() + &geom(r#"mass="1" group="3""#)),
            ),
            (3.0, [0.1, 0.2, 0.15]),
        ),
        // Bounds are those of bodies without a mass, too.
        (
            solid(
                r#"boundmass="0.05" boundinertia="0.01""#,
                &geom(r#"mass="0""#),
            ),
            (0.05, [0.01; 3]),
        ),
        (
            solid(r#"boundmass="0.05" boundinertia="0.01""#, ""),
            (0.05, [0.01; 3]),
        ),
    ];
    for (text, (mass, moments)) in without {
        let (tree, _) = read(&text);
        let inertia = *tree
            .body(tree.body_by_name("b").unwrap())
            .unwrap()
            .inertia();
        assert_relative_eq!(inertia.mass, mass, max_relative = 1e-12);
        let diagonal = inertia.rotational_inertia.diagonal();
        assert_relative_eq!(diagonal, Vector3::from(moments), max_relative = 1e-12);
    }
    // The surface of a mesh that is the hull of its vertices.
    let (tree, _) = read(
        r#"<mujoco><asset><mesh name="t" inertia="shell" vertex="-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1 -.1 -.1 .1
  .1 -.1 .1 -.1 .1 .1 .1 .12 .1"/></asset><worldbody><body name="b"><joint name="j" type="slide"/>
  <geom type="mesh" mesh="t" density="1000"/></body></worldbody></mujoco>"#,
    );
    let inertia = *tree
        .body(tree.body_by_name("b").unwrap())
        .unwrap()
        .inertia();
    assert_relative_eq!(inertia.mass, 244.19950877916295, max_relative = 1e-9);
    let center = Vector3::new(0.001092, 0.00292635, 0.001092);
    assert_relative_eq!(inertia.center_of_mass, center, epsilon = 1e-7);
    let trace = 2.80942665 + 2.80853252 + 2.69376938;
    assert_relative_eq!(
        inertia.rotational_inertia.trace(),
        trace,
        max_relative = 1e-7
    );
}
