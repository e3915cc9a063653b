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

/// Chains as long as is allowed need less than half of the stack that a thread has.
#[test]
fn long_chains_are_read_on_a_small_stack() {
    let nested = |count: usize, tag: &str, inner: &str| {
        let close = format!("</{tag}>");
        format!("<{tag}>{inner}").repeat(count) + &close.repeat(count)
    };
    let run = |text: String| {
        let thread = std::thread::Builder::new().stack_size(1 << 20);
        let read = move || {
            let (tree, model) = read(&text)?;
            let again = MjcfReader::new().updated(&text, &tree, &[], &model.elements);
            assert_eq!(again.unwrap(), text);
            Ok::<_, String>(tree.num_velocities())
        };
        thread.spawn(read).unwrap().join().unwrap()
    };
    let bodies = |count| nested(count, "body", r#"<joint/><geom size=".1" pos="0 0 .1"/>"#);
    let model = |inner: String| format!("<mujoco><worldbody>{inner}</worldbody></mujoco>");
    assert_eq!(run(model(bodies(998))), Ok(998));
    assert_eq!(
        run(model(
            nested(997, "frame", "") + r#"<body><joint/><geom size=".1"/></body>"#
        )),
        Ok(1)
    );
    let copies = format!(r#"<replicate count="2">{}</replicate>"#, bodies(996));
    assert_eq!(run(model(copies)), Ok(2 * 996));
    let message = run(model(bodies(999))).unwrap_err();
    assert!(message.contains("nested more than 1000 deep"), "{message}");
}
