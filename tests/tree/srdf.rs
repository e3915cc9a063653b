//! Semantic descriptions applied to robots.

use dualbody::contact::ContactModelBuilder;
use dualbody::io::srdf::Srdf;
use dualbody::io::urdf::{UrdfModel, UrdfReader};
use dualbody::tree::RigidBodyTree;

const ROBOT: &str = r#"<robot name="r">
  <link name="a"><collision><geometry><sphere radius="0.1"/></geometry></collision>
    <collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="b"/>
  <link name="c"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="ball" type="spherical"><parent link="a"/><child link="b"/></joint>
  <joint name="turn" type="continuous"><parent link="b"/><child link="c"/></joint>
</robot>"#;

fn robot() -> (RigidBodyTree<f64>, UrdfModel<f64>) {
    UrdfReader::new().tree_from_str(ROBOT).unwrap()
}

fn pairs(srdf: &str) -> (usize, Vec<String>) {
    let (tree, model) = robot();
    let mut builder = ContactModelBuilder::new();
    for geometry in &model.collision_geometries {
        builder.add_geometry(geometry.clone()).unwrap();
    }
    let srdf = Srdf::from_text(srdf).unwrap();
    let unknown = srdf.exclude(&tree, &model, &mut builder).unwrap();
    let unknown = unknown
        .iter()
        .map(|u| format!("{} {}", u.place, u.name))
        .collect();
    (builder.finish(&tree).unwrap().pairs().len(), unknown)
}

#[test]
fn links_that_need_not_be_watched_pass_through_each_other() {
    let disable = |a: &str, b: &str| {
        format!("<robot name=\"r\">\n<disable_collisions link1=\"{a}\" link2=\"{b}\"/></robot>")
    };
    assert_eq!(pairs("<robot/>").0, 2);
    assert_eq!(pairs(&disable("a", "b")).0, 2);
    assert_eq!(pairs(&disable("c", "a")), (0, vec![]));
    let (count, unknown) = pairs(&disable("d", "a"));
    assert_eq!(
        (count, unknown),
        (2, vec!["SRDF text:2: disable_collisions d".to_owned()])
    );
}

#[test]
fn states_of_groups_become_positions() {
    let srdf = Srdf::from_text(
        r#"<robot name="r"><group name="all"/>
  <group_state name="home" group="all">
    <joint name="root_joint" value="1 2 3 0 0 0.6 0.8"/>
    <joint name="ball" value="0.6 0 0 0.8"/>
    <joint name="turn" value="0 1"/>
    <joint name="hand" value="1"/>
  </group_state></robot>"#,
    )
    .unwrap();
    assert_eq!(srdf.skipped["group"], 1);
    let (tree, model) = robot();
    let state = &srdf.group_states[0];
    let (home, unknown) = state.configuration(&tree, &model).unwrap();
    assert_eq!((home.name.as_str(), state.group.as_str()), ("home", "all"));
    assert_eq!(unknown.len(), 1);
    assert_eq!(
        (unknown[0].name.as_str(), unknown[0].place.line),
        ("hand", 6)
    );
    let mut q = vec![0.0; tree.num_positions()];
    home.write(&tree, &mut q).unwrap();
    let half_turn = std::f64::consts::FRAC_PI_2;
    assert_eq!(
        q,
        [
            0.8, 0.0, 0.0, 0.6, 1.0, 2.0, 3.0, 0.8, 0.6, 0.0, 0.0, half_turn
        ]
    );
    assert!(home.write(&tree, &mut [0.0; 3]).is_err());
    let mut wrong = home.clone();
    wrong.joints[1].1.pop();
    assert!(wrong.write(&tree, &mut q).is_err());
}

#[test]
fn joints_that_are_fixed_in_a_variant_have_no_position() {
    let variant = ROBOT.replace(r#""turn" type="continuous""#, r#""turn" type="fixed""#);
    let (tree, model) = UrdfReader::new().tree_from_str::<f64>(&variant).unwrap();
    let srdf = Srdf::from_text(
        r#"<robot name="r"><group_state name="home">
  <joint name="ball" value="0.6 0 0 0.8"/><joint name="turn" value="0.3"/>
</group_state></robot>"#,
    );
    let home = srdf.unwrap().group_states[0].configuration(&tree, &model);
    let (home, unknown) = home.unwrap();
    let mut q = tree.neutral_configuration();
    home.write(&tree, q.as_mut_slice()).unwrap();
    assert_eq!(q.as_slice()[7..], [0.8, 0.6, 0.0, 0.0]);
    assert!(unknown.is_empty());
}

#[test]
fn another_number_of_values_than_the_joint_has_is_located() {
    let (tree, model) = robot();
    for (joint, value) in [
        ("turn", "0 1 2"),
        ("ball", "0.5"),
        ("root_joint", "1 2 3 0 0 0 1"),
    ] {
        let text = format!(
            "<robot><group_state name=\"s\">\n<joint name=\"{joint}\" value=\"{value}\"/></group_state></robot>"
        );
        let srdf = Srdf::from_text(&text).unwrap();
        let read = srdf.group_states[0].configuration(&tree, &model);
        if joint == "root_joint" {
            assert_eq!(read.unwrap().0.joints.len(), 1);
            continue;
        }
        let expected = format!(
            "SRDF text:2: group_state \"s\"/joint \"{joint}\": value = {value:?}, expected as many numbers as the joint \
             has positions"
        );
        assert_eq!(read.unwrap_err().to_string(), expected);
    }
}

#[test]
fn slips_of_the_pen_are_reported() {
    let srdf = Srdf::from_text(
        r#"<robot name="r"><end_effector name="e" parent_link="a"/>
  <disable_colisions link1="a" link2="b"/><group_sate name="s"/>
  <disable_collisions link1="a" link2="b" raeson="Never"/>
  <group_state name="s" gruop="all">
    <jont name="j" value="0"/><joint name="j" value="0" vlaue="1"/></group_state></robot>"#,
    )
    .unwrap();
    let found = srdf.misspelt.iter();
    let found: Vec<_> = found.map(|m| (m.line, &*m.found, m.nearest)).collect();
    let expected = [
        (2, "disable_colisions", "disable_collisions"),
        (2, "group_sate", "group_state"),
        (3, "raeson", "reason"),
        (4, "gruop", "group"),
        (5, "jont", "joint"),
        (5, "vlaue", "value"),
    ];
    assert_eq!(found, expected);
    assert_eq!(srdf.skipped["end_effector"], 1);
}

#[test]
fn mistakes_are_located() {
    for (text, expected) in [
        ("<sdf/>", "SRDF text:1: expected <robot>, found <sdf>"),
        (
            "<robot>\n<disable_collisions link1=\"a\"/></robot>",
            "SRDF text:2: disable_collisions: attribute \"link2\" is missing",
        ),
        (
            "<robot><group_state name=\"s\">\n<joint name=\"j\" value=\"1 x\"/></group_state></robot>",
            "SRDF text:2: group_state \"s\"/joint \"j\": value = \"1 x\", expected finite numbers",
        ),
        (
            "<robot><disable_collisions link1=\"${p}a\" link2=\"b\"/></robot>",
            "SRDF text:1: disable_collisions: link1 = \"${p}a\" is an expression, expand",
        ),
        (
            "<robot><xacro:x/></robot>",
            "SRDF text:1: xacro:x: this is a macro, expand",
        ),
        ("<robot><group_state></robot>", "SRDF text:1: "),
    ] {
        let error = Srdf::from_text(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(
        Srdf::from_file("no/such.srdf")
            .unwrap_err()
            .to_string()
            .starts_with("no/such.srdf: ")
    );
}

#[test]
fn damaged_documents_never_panic() {
    let text = r#"<robot name="r"><group_state name="s"><joint name="j" value="1 2"/></group_state>
<disable_collisions link1="a" link2="b" reason="Never"/></robot>"#;
    for cut in 0..text.len() {
        for insert in ["", "\"", "<", "/", "nan", "&b;"] {
            let _ = Srdf::from_text(&format!("{}{insert}{}", &text[..cut], &text[cut..]));
            let _ = Srdf::from_text(&format!("{}{insert}", &text[..cut]));
        }
    }
}
