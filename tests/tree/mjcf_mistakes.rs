//! Mistakes in MJCF that MuJoCo 4.0 refuses, and what looks like one and is none.

use dualbody::io::mjcf::{MjcfModel, MjcfReader};
use dualbody::tree::RigidBodyTree;

fn read(text: &str) -> Result<(RigidBodyTree<f64>, MjcfModel<f64>), String> {
    let read = MjcfReader::new().tree_from_str(text);
    read.map_err(|error| error.to_string())
}

/// Two bodies with hinges and sites, the first with this in it, and these sections before and behind.
fn arm(before: &str, in_body: &str, behind: &str) -> String {
    format!(
        r#"<mujoco>{before}<worldbody>
           <body name="a">{in_body}<geom size="0.1"/><site name="s"/></body>
           <body name="b"><joint name="j"/><geom size="0.1"/><site name="t"/></body>
           </worldbody>{behind}</mujoco>"#
    )
}

fn assert_refused(text: &str, place: &str, words: &str) {
    let message = read(text).map(|_| ()).unwrap_err();
    assert!(message.contains(&format!(": {place}: ")), "{message}");
    assert!(message.contains(words), "{message}");
}

#[test]
fn empty_numbers_are_as_if_absent() {
    let joint = |attributes: &str| {
        let class = r#"<default><joint damping="2"/><geom pos="0 0 1"/></default>"#;
        let text = arm(class, &format!("<joint name=\"k\" {attributes}/>"), "");
        read(&text).unwrap()
    };
    let (tree, model) =
        joint(r#"armature="" damping="" pos="" axis=" " range="" ref="" springdamper="""#);
    let (plain, _) = joint("");
    let found = [&tree, &plain].map(|tree| tree.joint(model.joints[0]).unwrap());
    assert_eq!(found[0].damping(), [2.0]);
    assert_eq!(found[0].armature(), found[1].armature());
    assert_eq!(found[0].kind(), found[1].kind());
    let center = |more: &str| {
        let class = r#"<default><geom pos="0 0 1" quat="0 1 0 0"/></default>"#;
        let text = arm(class, &format!(r#"<joint/><geom size="1" {more}/>"#), "");
        let (tree, model) = read(&text).unwrap();
        *tree.body(model.bodies[1]).unwrap().inertia()
    };
    assert_eq!(center(r#"pos="" quat="" mass="" friction="""#), center(""));
    let inertial = r#"<joint/><inertial pos="" mass="1" diaginertia="1 1 1"/>"#;
    let words = r#"attribute "pos" is missing"#;
    assert_refused(
        &arm("", inertial, ""),
        r#"worldbody/body "a"/inertial"#,
        words,
    );
}
