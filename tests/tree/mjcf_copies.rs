//! Copies in MJCF: what becomes of `<replicate>` and `<attach>`. Bodies, coordinates, key frames and dynamics are compared with
//! MuJoCo's in `reference_mjcf`.

use crate::support::reference::data;
use dualbody::actuator::Actuator;
use dualbody::contact::ContactModelBuilder;
use dualbody::io::mjcf::{MjcfError, MjcfModel, MjcfOmission, MjcfReader};
use dualbody::tree::{RigidBodyTree, RigidBodyTreeBuilder};

fn read(text: &str) -> (RigidBodyTree<f64>, MjcfModel<f64>) {
    MjcfReader::new()
        .tree_from_str(text)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn error(result: Result<(RigidBodyTree<f64>, MjcfModel<f64>), MjcfError>) -> String {
    result.map(|_| ()).unwrap_err().to_string()
}

fn error_of_text(text: &str) -> String {
    error(MjcfReader::new().tree_from_str(text))
}

/// Bodies with a hinge, so many.
fn row(count: &str) -> String {
    format!(
        r#"<replicate count="{count}" offset="1 0 0"><body name="b"><joint name="j" damping="1"/>
           <geom name="g" size="0.1"/></body></replicate>"#
    )
}

fn input_names(model: &MjcfModel<f64>) -> Vec<String> {
    let mut names = vec![];
    for actuator in &model.elements.actuators {
        actuator.visit_input_names(&mut |name| names.push(name.to_string()));
    }
    names
}

#[test]
fn copies_have_the_names_and_elements_of_the_format() {
    let reader = MjcfReader::new();
    let (tree, model) = (reader.tree_from_file::<f64>(data("mjcf/replicate.xml"))).unwrap();
    for name in ["arm_2", "finger1_0", "once0", "many10", "last"] {
        let name = format!("copies/{name}");
        assert!(tree.body_by_name(&name).is_ok(), "{name}");
    }
    assert!(tree.frame_by_name("copies/touch1_2").is_ok());
    let inputs = input_names(&model);
    assert_eq!(inputs[..2], ["copies/e/torque", "copies/m_0/torque"]);
    assert_eq!(inputs.len(), 4 + 2 * 6);
    assert_eq!(model.elements.sensors.len(), 6);
    // A loop and a coupling of two that are no copies, and three joints to the world that are.
    assert_eq!(model.elements.constraints.len(), 4);
    // Its joints are in copies of two levels.
    let [lost] = &model.report.left_out[..] else {
        panic!("{}", model.report);
    };
    assert_eq!(lost.place.element, "joint");
    let contact: ContactModelBuilder<f64> = model.contact_model_builder().unwrap();
    assert!(contact.finish(&tree).is_ok());
}

/// What refers to nothing is no part of what is copied: MuJoCo doubles it with every copy, and twenty make a million.
#[test]
fn what_refers_to_nothing_is_not_copied() {
    let text = format!(
        r#"<mujoco><worldbody>{}<body name="o"><geom size="0.1"/><joint name="o"/></body><attach body="o" prefix="p"/>
           </worldbody><actuator><motor name="m" jnt="j"/><motor name="n" joint="j"/></actuator>
           <sensor><clock/><jointpos joint="j"/></sensor></mujoco>"#,
        row("40")
    );
    let (tree, model) = read(&text);
    assert_eq!(tree.num_velocities(), 42);
    assert_eq!(input_names(&model).len(), 40);
    assert_eq!(model.elements.sensors.len(), 40);
    let of_clocks = |lost: &&MjcfOmission| lost.place.element.contains("clock");
    assert!(model.report.left_out.iter().filter(of_clocks).count() <= 1);
}

/// Bodies of the world need no pairs with each other; too many that move are refused.
#[test]
fn large_scenes_are_read_or_refused() {
    let copies = |inside: &str| {
        let world = format!(r#"<replicate count="10000">{inside}</replicate>"#);
        let text = format!("<mujoco><worldbody>{world}</worldbody></mujoco>");
        let (tree, model) = read(&text);
        model.contact_model_builder().and_then(|b| b.finish(&tree))
    };
    let fixed = copies(r#"<geom size="0.1"/>"#).unwrap();
    assert_eq!(fixed.pairs().len(), 0);
    let moving = copies(r#"<body><freejoint/><geom size="0.1"/></body>"#);
    let message = moving.map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("of the 10000 geometries"), "{message}");
}

#[test]
fn an_attached_model_keeps_its_compiler_classes_and_meshes() {
    let reader = MjcfReader::new();
    let (tree, model) = (reader.tree_from_file::<f64>(data("mjcf/attach.xml"))).unwrap();
    // Of the child radians, of the model degrees; ranges, damping and the axis are those of the child's classes.
    let knee = tree.joint_by_name("walker/front_l_hip").unwrap();
    let knee = tree.joint(knee).unwrap();
    assert_eq!((knee.damping(), knee.limits().upper[0]), (&[0.2][..], 1.0));
    let elbow = tree.joint_by_name("walker/copy_elbow").unwrap();
    assert_eq!(tree.joint(elbow).unwrap().damping(), [7.0]);
    assert_eq!(model.elements.sensors.len(), 4);
    assert_eq!(*tree.gravity(), nalgebra::Vector3::new(0.0, 0.0, -9.81));
    let keys: Vec<&str> = model.key_frames.iter().map(|key| &*key.name).collect();
    let expected = ["start", "l_bent", "r_bent", "front_home", "solo_bent"];
    assert!(expected.iter().all(|key| keys.contains(key)), "{keys:?}");
    assert!(model.report.unknown_inertia.is_empty());
    assert_eq!(model.report.skipped.get("asset/model"), None);
}

/// What refers to the world of a model refers to the body that its world becomes, except an equality.
#[test]
fn the_world_of_a_model_is_attached_as_a_body() {
    let reader = MjcfReader::new();
    let (tree, model) = (reader.tree_from_file::<f64>(data("mjcf/attach_world.xml"))).unwrap();
    let pedestal = tree.body_by_name("stand/whole_world").unwrap();
    let tail = tree.body_by_name("stand/whole_tail").unwrap();
    let post = tree.body_by_name("stand/post").unwrap();
    let parent = |body| {
        let inboard = tree.body(body).unwrap().inboard_joint().unwrap();
        tree.joint(inboard).unwrap().parent()
    };
    assert_eq!((parent(tail), parent(pedestal)), (pedestal, post));
    assert!(
        model
            .report
            .left_out
            .iter()
            .all(|o| o.reason == "is a tendon")
    );
}

#[test]
fn copies_keep_what_ties_them_to_the_world() {
    let ties = r#"<weld body1="world" body2="a"/><connect body1="a" body2="world" anchor="0 0 0"/><weld body1="a"/>"#;
    let a = r#"<body name="a"><joint type="ball"/><geom size="0.1"/></body>"#;
    for (copies, count) in [
        (format!(r#"<replicate count="3">{a}</replicate>"#), 9),
        (format!(r#"{a}<attach body="a" prefix="p_"/>"#), 6),
    ] {
        let (_, model) = read(&format!(
            "<mujoco><worldbody>{copies}</worldbody><equality>{ties}</equality></mujoco>"
        ));
        assert_eq!(model.elements.constraints.len(), count);
        assert!(model.report.left_out.is_empty(), "{}", model.report);
    }
}

#[test]
fn mistakes_in_copies_are_located() {
    let with = |body: &str| format!("<mujoco><worldbody>\n{body}</worldbody></mujoco>");
    for (body, expected) in [
        (
            r#"<replicate><body/></replicate>"#,
            r#"MJCF text:2: worldbody/replicate: attribute "count" is missing"#,
        ),
        (
            r#"<replicate count="2.5"/>"#,
            r#"MJCF text:2: worldbody/replicate: count = "2.5", expected an integer"#,
        ),
        (
            r#"<replicate count="2" offset="1"/>"#,
            r#"MJCF text:2: worldbody/replicate: offset = "1", expected more numbers"#,
        ),
        (
            r#"<attach model="m" body="b"/>"#,
            r#"MJCF text:2: worldbody/attach: attribute "prefix" is missing"#,
        ),
        (
            r#"<attach model="m" prefix="x"/>"#,
            r#"MJCF text:2: worldbody/attach: there is no model "m""#,
        ),
        (
            r#"<body name="b"/><attach body="c" prefix="x"/>"#,
            r#"MJCF text:2: worldbody/attach: there is no body "c""#,
        ),
        (
            r#"<attach prefix="x"/>"#,
            r#"MJCF text:2: worldbody/attach: attribute "frame" is missing"#,
        ),
        (
            r#"<body name="b"/><attach body="b" prefix=""/>"#,
            r#"MJCF text:2: worldbody/frame/body "b": there are two bodies "b""#,
        ),
    ] {
        assert_eq!(error_of_text(&with(body)), expected);
    }
    let many = r#"<replicate count="2000000000"><body/><body/></replicate>"#;
    let found = error_of_text(&with(many));
    assert!(found.contains("more than 500000 elements"), "{found}");
    let deep = (0..40).fold("<geom/>".to_owned(), |inner, _| {
        format!(r#"<replicate count="9">{inner}</replicate>"#)
    });
    let found = error_of_text(&with(&deep));
    assert!(found.contains("more than 500000 elements"), "{found}");
}

#[test]
fn a_model_does_not_attach_itself() {
    let folder = std::env::temp_dir().join(format!("dualbody_attach_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let attach = |file: &str| {
        format!(
            r#"<mujoco><asset><model name="m" file="{file}"/></asset>
               <worldbody><attach model="m" prefix="p_"/></worldbody></mujoco>"#
        )
    };
    std::fs::write(folder.join("a.xml"), attach("b.xml")).unwrap();
    std::fs::write(folder.join("b.xml"), attach("a.xml")).unwrap();
    std::fs::write(folder.join("c.xml"), attach("missing.xml")).unwrap();
    let of_file = |name: &str| error(MjcfReader::new().tree_from_file(folder.join(name)));
    let found = of_file("a.xml");
    assert!(found.contains("attaches itself"), "{found}");
    let found = of_file("c.xml");
    assert!(found.contains("asset/model \"m\": "), "{found}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn bodies_that_are_not_read_are_refused_unless_the_reader_is_lenient() {
    for element in ["composite", "flexcomp"] {
        let text = format!(
            r#"<mujoco><worldbody><body name="b"><geom size="0.1"/>
               <{element} name="rope"/></body></worldbody></mujoco>"#
        );
        let found = error_of_text(&text);
        let place = format!("MJCF text:2: worldbody/body \"b\"/{element} \"rope\": holds bodies");
        assert!(found.starts_with(&place), "{found}");
        let reader = MjcfReader::new().lenient();
        let model = reader.tree_from_str::<f64>(&text).unwrap().1;
        assert_eq!(model.report.left_out[0].reason, "holds bodies");
    }
}

#[test]
fn copies_of_a_model_are_updated_together() {
    let text = format!("<mujoco><worldbody>{}</worldbody></mujoco>", row("2"));
    let (tree, model) = read(&text);
    let joints = ["j0", "j1"].map(|name| tree.joint_by_name(name).unwrap());
    let updated = |changed: &[usize]| {
        let mut builder = RigidBodyTreeBuilder::new();
        MjcfReader::new()
            .read_str::<f64>(&text, &mut builder)
            .unwrap();
        for &k in changed {
            builder.set_damping(joints[k], &[3.0]).unwrap();
        }
        let tree = builder.finish().unwrap();
        MjcfReader::new().updated(&text, &tree, &[], &model.elements)
    };
    assert_eq!(updated(&[]).unwrap(), text);
    let both = updated(&[0, 1]).unwrap();
    assert!(both.contains(r#"damping="3""#), "{both}");
    let one = updated(&[1]).unwrap_err().to_string();
    assert!(one.contains("cannot hold the damping"), "{one}");
}

#[test]
fn what_follows_the_model_is_left_out() {
    let model = r#"<mujoco><worldbody><body name="b"/></worldbody></mujoco>"#;
    assert!(
        read(&format!("{model}</mujoco></x>"))
            .1
            .report
            .left_out
            .is_empty()
    );
    let left_out = read(&format!("{model}\n<robot/>")).1.report.left_out;
    assert_eq!(left_out[0].reason, "follows the outermost element");
    assert_eq!(left_out[0].place.to_string(), "MJCF text:2: robot");
    let found = error_of_text(&format!("{model}\nmore"));
    assert!(
        found.starts_with("MJCF text:2: there is text outside"),
        "{found}"
    );
}

#[test]
fn a_mesh_of_a_plugin_is_left_out() {
    let reader = MjcfReader::new();
    let path = data("mjcf/plugin_mesh.xml");
    let (tree, model) = reader.tree_from_file::<f64>(path).unwrap();
    assert_eq!(model.bodies.len(), 3);
    assert_eq!(model.report.unknown_inertia, ["body1"]);
    assert_eq!(model.report.left_out.len(), 1);
    assert!(tree.body_by_name("other").is_ok());
}
