//! Values of MJCF at the edge of what makes sense: read, or refused, as by MuJoCo 4.0.

use dualbody::Parameters;
use dualbody::io::mjcf::{MjcfModel, MjcfReader};
use dualbody::tree::RigidBodyTree;

fn read(text: &str) -> Result<(RigidBodyTree<f64>, MjcfModel<f64>), String> {
    MjcfReader::new()
        .tree_from_str(text)
        .map_err(|error| error.to_string())
}

/// A body with a joint of these attributes, on the second line.
fn with_joint(joint: &str) -> String {
    format!(
        "<mujoco><compiler angle=\"radian\"/><worldbody><body name=\"b\">\n<joint name=\"j\" {joint}/>\n<geom size=\"0.1\"/></body>\
         </worldbody></mujoco>"
    )
}

/// Lower and upper bound of the joint of one coordinate, if it has a limit.
fn limits(joint: &str) -> Result<Option<[f64; 2]>, String> {
    let (tree, model) = read(&with_joint(joint))?;
    let found = tree.joint(model.joints[0]).unwrap().limits();
    let limits = [found.lower[0], found.upper[0]];
    Ok(Some(limits).filter(|limits| limits.iter().all(|x| x.is_finite())))
}

#[test]
fn ranges_of_joints_count_where_they_ascend() {
    for kind in ["hinge", "slide"] {
        for (range, given) in [
            ("", None),
            (r#"range="-1 2""#, Some([-1.0, 2.0])),
            (r#"range="1 2""#, Some([1.0, 2.0])),
            (r#"range="1 -1""#, None),
            (r#"range="1 1""#, None),
            (r#"range="0 0""#, None),
        ] {
            for limited in ["auto", "false", "true"] {
                let joint = format!(r#"type="{kind}" limited="{limited}" {range}"#);
                let found = limits(&joint);
                match limited {
                    "auto" => assert_eq!(found, Ok(given), "{joint}"),
                    "false" => assert_eq!(found, Ok(None), "{joint}"),
                    _ if given.is_some() => assert_eq!(found, Ok(given), "{joint}"),
                    _ => {
                        let message = found.unwrap_err();
                        let place = r#"MJCF text:2: worldbody/body "b"/joint "j": "#;
                        let words = match range {
                            "" => r#"attribute "range" is missing"#,
                            _ => "expected a smaller number before a larger one",
                        };
                        assert!(message.starts_with(place), "{message}");
                        assert!(message.ends_with(words), "{message}");
                    }
                }
            }
        }
    }
}

/// They start at zero; without one, a limit is of no angle at all.
#[test]
fn ranges_of_ball_joints_start_at_zero() {
    let count = |joint: &str| -> Result<usize, String> {
        let (tree, model) = read(&with_joint(&format!(r#"type="ball" {joint}"#)))?;
        Ok(model.system(tree).unwrap().constraints().len())
    };
    for (joint, expected) in [
        ("", 0),
        (r#"range="0 1""#, 1),
        (r#"range="1 0""#, 0),
        (r#"range="0 4""#, 0),
        (r#"limited="true""#, 1),
        (r#"limited="true" range="0 -1""#, 1),
        (r#"limited="false" range="1 2""#, 0),
    ] {
        assert_eq!(count(joint), Ok(expected), "{joint}");
    }
    for joint in [
        r#"range="1 2""#,
        r#"range="-1 1""#,
        r#"limited="true" range="2 1""#,
    ] {
        let message = count(joint).unwrap_err();
        assert!(
            message.contains(r#"text:2: worldbody/body "b"/joint "j": range = "#),
            "{message}"
        );
        assert!(message.ends_with("expected 0 before an angle"), "{message}");
    }
    // A free joint has none, whatever is said of it.
    assert!(read(&with_joint(r#"type="free" limited="true" range="2 1""#)).is_ok());
}

#[test]
fn ranges_of_forces_and_controls_count_where_they_ascend() {
    let with_motor = |motor: &str| {
        format!(
            "<mujoco><worldbody><body><joint name=\"j\"/><geom size=\"0.1\"/></body></worldbody><actuator>\n\
             <motor joint=\"j\" {motor}/></actuator></mujoco>"
        )
    };
    for what in ["ctrl", "force"] {
        let plain = read(&with_motor("")).unwrap().1.elements.actuators;
        for range in ["1 -1", "1 1"] {
            let idle = read(&with_motor(&format!(r#"{what}range="{range}""#))).unwrap();
            let [plain, idle] = [&plain, &idle.1.elements.actuators].map(|a| format!("{a:?}"));
            assert_eq!(plain, idle);
        }
        let limited = format!(r#"{what}limited="true""#);
        for (motor, words) in [
            (
                limited.clone(),
                format!(r#"attribute "{what}range" is missing"#),
            ),
            (
                format!(r#"{limited} {what}range="1 -1""#),
                "expected a smaller number before a larger one".to_owned(),
            ),
        ] {
            let message = read(&with_motor(&motor)).unwrap_err();
            assert!(
                message.starts_with("MJCF text:2: actuator/motor: "),
                "{message}"
            );
            assert!(message.ends_with(&words), "{message}");
        }
    }
    let range = r#"actuatorfrcrange="1 -1""#;
    assert!(read(&with_joint(range)).is_ok());
    assert!(
        read(&with_joint(&format!(
            r#"{range} actuatorfrclimited="true""#
        )))
        .is_err()
    );
    assert!(
        read(&with_joint(&format!(
            r#"type="ball" {range} actuatorfrclimited="true""#
        )))
        .is_ok()
    );
}

#[test]
fn friction_below_zero_is_none() {
    let (tree, model) = read(&with_joint(r#"frictionloss="-1""#)).unwrap();
    assert_eq!(tree.joint(model.joints[0]).unwrap().friction(), [0.0]);
    let left_out = model.report.left_out.iter().map(|omission| omission.reason);
    assert_eq!(
        left_out.collect::<Vec<_>>(),
        ["has a friction below zero, which drives it"]
    );
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1" friction="-2"/>
<body><freejoint/><geom size="0.1" friction="-1"/></body></worldbody></mujoco>"#;
    let (tree, model) = read(text).unwrap();
    let parameters = model.system(tree).unwrap().parameters();
    let friction = parameters.iter().filter(|p| p.name.ends_with("/friction"));
    let friction: Vec<f64> = friction.map(|p| p.value).collect();
    assert!(
        !friction.is_empty() && friction.iter().all(|x| *x == 0.0),
        "{friction:?}"
    );
}

#[test]
fn springdampers_are_both_positive_or_none() {
    assert!(read(&with_joint(r#"springdamper="0 0""#)).is_ok());
    for pair in ["1 -1", "-1 1", "0 1", "1 0"] {
        let message = read(&with_joint(&format!(r#"springdamper="{pair}""#))).unwrap_err();
        assert!(
            message.ends_with("expected two positive numbers, or two zeros"),
            "{message}"
        );
    }
}

#[test]
fn equalities_do_not_tie_what_is_one() {
    let with_equality = |equality: &str| {
        format!(
            "<mujoco><worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"0.1\"/><site name=\"s\"/><body name=\"c\">\
             <joint name=\"k\"/><geom size=\"0.1\"/><site name=\"t\"/></body></body></worldbody><equality>\n{equality}</equality></mujoco>"
        )
    };
    for (same, other) in [
        (
            r#"<joint joint1="j" joint2="j"/>"#,
            r#"<joint joint1="j" joint2="k"/>"#,
        ),
        (
            r#"<joint joint1="j" joint2="j" active="false"/>"#,
            r#"<joint joint1="j"/>"#,
        ),
        (
            r#"<weld body1="b" body2="b"/>"#,
            r#"<weld body1="b" body2="c"/>"#,
        ),
        (r#"<weld body1="world"/>"#, r#"<weld body1="b"/>"#),
        (
            r#"<weld site1="s" site2="s"/>"#,
            r#"<weld site1="s" site2="t"/>"#,
        ),
        (
            r#"<connect body1="b" body2="b" anchor="0 0 0"/>"#,
            r#"<connect body1="b" anchor="0 0 0"/>"#,
        ),
        (
            r#"<connect site1="t" site2="t"/>"#,
            r#"<connect site1="s" site2="t"/>"#,
        ),
    ] {
        let message = read(&with_equality(same)).unwrap_err();
        assert!(message.starts_with("MJCF text:2: equality/"), "{message}");
        assert!(
            message.ends_with("expected another than the one that it is tied to"),
            "{message}"
        );
        assert!(read(&with_equality(other)).is_ok(), "{other}");
    }
}

/// Unless the compiler raises them.
#[test]
fn moments_of_inertia_are_not_negative() {
    let with_moments = |compiler: &str| {
        format!(
            "<mujoco><compiler {compiler}/><worldbody><body><joint/>\n<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"-1 1 1\"/>\
             </body></worldbody></mujoco>"
        )
    };
    let message = read(&with_moments("")).unwrap_err();
    assert_eq!(
        message,
        r#"MJCF text:2: worldbody/body/inertial: diaginertia = "-1 1 1", expected numbers that are not negative"#
    );
    let (tree, model) = read(&with_moments(r#"boundinertia="0.5""#)).unwrap();
    let inertia = tree.body(model.bodies[1]).unwrap().inertia();
    assert!((inertia.rotational_inertia.diagonal().min() - 0.5).abs() < 1e-15);
}

#[test]
fn full_inertias_are_positive_definite() {
    let with_inertia = |compiler: &str, full: &str| {
        format!(
            "<mujoco><compiler {compiler}/><worldbody><body><joint/>\n<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"{full}\"/>\
             <geom size=\"0.1\"/></body></worldbody></mujoco>"
        )
    };
    for compiler in ["", r#"inertiafromgeom="true""#] {
        for good in [
            "1 1 1 0 0 0",
            "1 1 2 0.9999999999 0 0",
            "1e-9 1e-9 1e-9 0 0 0",
        ] {
            assert!(read(&with_inertia(compiler, good)).is_ok(), "{good}");
        }
        for bad in [
            "1 1 1 2 0 0",
            "1 1 1 1 0 0",
            "1 1 0 0 0 0",
            "-1 1 1 0 0 0",
            "0 0 0 0 0 0",
            "1e-16 1e-16 1e-16 0 0 0",
        ] {
            let message = read(&with_inertia(compiler, bad)).unwrap_err();
            assert!(
                message.starts_with("MJCF text:2: worldbody/body/inertial: "),
                "{message}"
            );
            assert!(
                message.ends_with("expected a positive definite matrix"),
                "{message}"
            );
        }
    }
}

/// A motor, two sensors and keys on the lines 4 to 6, of a hinge.
fn with_sections(motors: &str, sensors: &str, keys: &str) -> Result<MjcfModel<f64>, String> {
    let text = format!(
        r#"<mujoco><worldbody><body name="b">
<joint name="j"/><site name="s"/><geom size="0.1"/></body></worldbody>

<actuator><motor name="m" joint="j"/>{motors}</actuator>
<sensor><gyro name="g" site="s"/>{sensors}</sensor>
<keyframe><key name="k" qpos="0.1"/><key qpos="0.2"/>{keys}</keyframe></mujoco>"#
    );
    read(&text).map(|(_, model)| model)
}

#[test]
fn elements_of_a_kind_have_names_of_their_own() {
    let names = |model: MjcfModel<f64>| -> Vec<String> {
        model.key_frames.into_iter().map(|key| key.name).collect()
    };
    let model = with_sections("", "", r#"<key name="key1" qpos="0.3"/>"#).unwrap();
    assert_eq!(names(model), ["k", "key1_2", "key1"]);
    for (motors, sensors, keys, message) in [
        (
            r#"<position name="m" joint="j"/>"#,
            "",
            "",
            r#"MJCF text:4: actuator/position "m": there are two actuators "m""#,
        ),
        (
            "",
            r#"<clock name="g"/>"#,
            "",
            r#"MJCF text:5: sensor/clock "g": there are two sensors "g""#,
        ),
        (
            "",
            "",
            r#"<key name="k"/>"#,
            r#"MJCF text:6: keyframe/key "k": there are two keys "k""#,
        ),
    ] {
        assert_eq!(with_sections(motors, sensors, keys).unwrap_err(), message);
    }
}

#[test]
fn noise_is_not_negative_and_keys_are_no_longer_than_the_model() {
    for (sensors, keys, words) in [
        (
            r#"<accelerometer name="a" site="s" noise="-1"/>"#,
            "",
            r#"noise = "-1", expected a number that is not negative"#,
        ),
        (
            r#"<clock cutoff="-0.5"/>"#,
            "",
            r#"cutoff = "-0.5", expected a number that is not negative"#,
        ),
        (
            "",
            r#"<key name="l" qvel="1 2"/>"#,
            r#"qvel = "1 2", expected a number for each velocity of the model"#,
        ),
        (
            "",
            r#"<key name="l" ctrl="1 2"/>"#,
            r#"ctrl = "1 2", expected a number for each actuator"#,
        ),
        (
            "",
            r#"<key name="l" qvel="fast"/>"#,
            r#"qvel = "fast", expected finite numbers separated by spaces"#,
        ),
    ] {
        let message = with_sections("", sensors, keys).unwrap_err();
        assert!(message.ends_with(words), "{message}");
    }
    let keys = r#"<key name="l" qvel="1" ctrl="1"/>"#;
    with_sections("", r#"<gyro name="h" site="s" noise="0.1"/>"#, keys).unwrap();
}
