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
fn joints_stand_where_one_body_can_have_them() {
    let copied =
        |inner: &str| format!(r#"<replicate count="2" offset="1 0 0">{inner}</replicate>"#);
    let frame = |inner: &str| format!("<frame>{inner}</frame>");
    for inner in ["<joint/>", "<freejoint/>"] {
        for wrong in [
            copied(inner),
            copied(&frame(inner)),
            frame(&copied(inner)),
            copied(&copied(inner)),
            copied(inner).replace('2', "1"),
        ] {
            let message = read(&arm("", &wrong, "")).map(|_| ()).unwrap_err();
            assert!(
                message.contains("joint: a joint is on one body"),
                "{message}"
            );
        }
    }
    let body = copied(r#"<body><joint/><geom size="0.1"/></body>"#);
    assert_eq!(read(&arm("", &body, "")).unwrap().0.num_velocities(), 3);

    let [hinge, slide, ball] =
        ["hinge", "slide", "ball"].map(|kind| format!(r#"<joint type="{kind}"/>"#));
    let hinge_here = r#"worldbody/body "a"/joint"#;
    for second in [&hinge, &ball] {
        let text = arm("", &format!("{ball}{slide}{second}"), "");
        assert_refused(&text, hinge_here, "that a ball joint turns");
    }
    for (joints, count) in [
        (hinge.repeat(6), 6),
        (slide.repeat(3) + &ball, 6),
        (format!("{ball}{slide}"), 4),
        (format!("{hinge}{ball}"), 4),
    ] {
        let (tree, _) = read(&arm("", &joints, "")).unwrap();
        assert_eq!(tree.num_velocities(), 1 + count);
    }
    for joints in [hinge.repeat(7), slide.repeat(7), slide.repeat(4) + &ball] {
        assert_refused(
            &arm("", &joints, ""),
            hinge_here,
            "more than 6 degrees of freedom",
        );
    }
}

#[test]
fn attributes_that_exclude_or_need_each_other_are_named() {
    let servo =
        |more: &str| format!(r#"<actuator><position joint="j" kp="10" {more}/></actuator>"#);
    for more in [
        r#"kv="1" dampratio="1""#,
        r#"kv="0" dampratio="1""#,
        r#"kv="1" dampratio="0""#,
    ] {
        let words = "dampratio = \"";
        assert_refused(
            &arm("", "<joint/>", &servo(more)),
            "actuator/position",
            words,
        );
    }
    let inherited = r#"<default><position kv="1"/></default>"#;
    read(&arm(inherited, "<joint/>", &servo(r#"dampratio="1""#))).unwrap();

    for kind in ["connect", "weld"] {
        let tie = |ends: &str| format!("<equality><{kind} {ends}/></equality>");
        let place = format!("equality/{kind}");
        for (ends, words) in [
            (
                r#"site1="s" site2="t" anchor="0 0 0""#,
                r#"anchor = "0 0 0", expected no sites"#,
            ),
            (
                r#"site1="s" site2="t" body1="a""#,
                r#"body1 = "a", expected no sites"#,
            ),
            (
                r#"body1="a" site2="t""#,
                r#"body1 = "a", expected no sites"#,
            ),
            (r#"site1="s""#, r#"attribute "site2" is missing"#),
            (r#"site2="t""#, r#"attribute "site1" is missing"#),
        ] {
            assert_refused(&arm("", "<joint/>", &tie(ends)), &place, words);
        }
        read(&arm("", "<joint/>", &tie(r#"site1="s" site2="t""#))).unwrap();
    }

    for kind in ["framepos", "framequat", "framelinvel"] {
        let sensor =
            |of: &str| format!(r#"<sensor><{kind} objtype="site" objname="s" {of}/></sensor>"#);
        for (given, missing) in [
            (r#"reftype="body""#, "refname"),
            (r#"refname="b""#, "reftype"),
        ] {
            let words = format!("attribute {missing:?} is missing");
            assert_refused(
                &arm("", "<joint/>", &sensor(given)),
                &format!("sensor/{kind}"),
                &words,
            );
        }
        let relative = sensor(r#"reftype="body" refname="b""#);
        assert_eq!(
            read(&arm("", "<joint/>", &relative))
                .unwrap()
                .1
                .report
                .left_out
                .len(),
            1
        );
    }
}

#[test]
fn values_that_do_not_count_are_numbers_all_the_same() {
    for attribute in ["springref", "margin", "solreflimit", "solimplimit", "user"] {
        let joint = format!(r#"<joint {attribute}="0.1 x"/>"#);
        let words = format!(r#"{attribute} = "0.1 x", expected numbers"#);
        assert_refused(&arm("", &joint, ""), r#"worldbody/body "a"/joint"#, &words);
    }
    for attribute in ["fitscale", "rgba", "solref", "solimp", "gap"] {
        let geom = format!(r#"<geom size="1" {attribute}="x"/>"#);
        let words = format!(r#"{attribute} = "x", expected "#);
        assert_refused(&arm("", &geom, ""), r#"worldbody/body "a"/geom"#, &words);
    }
    let sound = r#"<joint springref="inf" solreflimit=".02 1" user="1 2 3"/><geom size="1" rgba="1 0 0 1"/>"#;
    read(&arm("", sound, "")).unwrap();

    let hull = |number: &str| {
        let mesh = format!(
            r#"<asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" maxhullvert="{number}"/></asset>"#
        );
        arm(&mesh, "<joint/>", "")
    };
    for number in ["-2", "0", "3", "4.5"] {
        assert_refused(
            &hull(number),
            r#"asset/mesh "m""#,
            "an integer of at least 4",
        );
    }
    for number in ["-1", "4", "64"] {
        read(&hull(number)).unwrap();
    }

    let field = r#"<asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 .1" elevation="0 1 2 3"/></asset>"#;
    for more in ["", r#"contype="0" conaffinity="0""#] {
        let geom = format!(r#"<geom type="hfield" hfield="g" {more}/>"#);
        let text = arm(field, &geom, "");
        assert_refused(
            &text,
            r#"worldbody/body "a"/geom"#,
            r#"there is no height field "g""#,
        );
    }
}

#[test]
fn the_outermost_class_and_includes_are_plain() {
    for named in ["<default class=\"c\"/>", "<default/><default class=\"c\"/>"] {
        assert_refused(
            &arm(named, "", ""),
            "default",
            r#"class = "c", expected main"#,
        );
    }
    for plain in [
        "<default/>",
        "<default class=\"main\"/>",
        "<default class=\"\"/>",
    ] {
        let (tree, _) = read(&arm(plain, "<joint/>", "")).unwrap();
        assert_eq!(tree.num_velocities(), 2);
    }
    let full = r#"<include file="none.xml"><geom size="1"/></include>"#;
    assert_refused(&arm(full, "", ""), "geom", "an include has nothing in it");
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

/// Their names follow from the joint.
#[test]
fn several_actuators_without_names_act_on_a_joint() {
    let kinds = r#"<motor joint="j"/><position joint="j"/><position joint="j" name="j_position"/><position joint="j"/>"#;
    let text = arm("", "", &format!("<actuator>{kinds}</actuator>"));
    let (tree, model) = read(&text).unwrap();
    let system = model.system(tree).unwrap();
    let of_control = [
        "j_motor/torque",
        "j_position_2/position",
        "j_position/position",
        "j_position_3/position",
    ];
    let names = system.input_names();
    assert!(
        of_control
            .iter()
            .all(|name| names.iter().any(|n| n == name)),
        "{names:?}"
    );
}

#[test]
fn planes_and_height_fields_do_not_touch_each_other() {
    let (tree, model) = read(
        r#"<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
           <geom type="plane" size="1 1 1"/><geom type="hfield" hfield="h"/>
           <body><freejoint/><geom type="hfield" hfield="h"/></body>
           <body><freejoint/><geom size="1"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    let system = model.system(tree).unwrap();
    assert_eq!(system.contact().pairs().len(), 3);
}
