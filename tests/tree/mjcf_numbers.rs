//! Numbers in MJCF, as MuJoCo 4.0 reads them.

use dualbody::io::mjcf::{MjcfModel, MjcfReader};
use dualbody::tree::RigidBodyTree;

fn read(text: &str) -> Result<(RigidBodyTree<f64>, MjcfModel<f64>), String> {
    let read = MjcfReader::new().tree_from_str(text);
    read.map_err(|error| error.to_string())
}

fn body_at(number: &str) -> String {
    format!(r#"<mujoco><worldbody><body pos="{number} 0 0"/></worldbody></mujoco>"#)
}

#[test]
fn numbers_are_decimal_or_hexadecimal() {
    for (number, value) in [
        ("0x10", 16.0),
        ("-0X1.8p3", -12.0),
        ("+0x.8P-1", 0.25),
        ("0xfedcba9876543210", 18364758544493064720.0),
        ("0x0p2000", 0.0),
        ("0x1.0000000000000p-1074", 5e-324),
        ("5.", 5.0),
        ("+.5e+01", 5.0),
        ("1e-400", 0.0),
        (&format!("0.{}", "1".repeat(5000)), 1.0 / 9.0),
    ] {
        let (tree, model) = read(&body_at(number)).unwrap();
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &[], &[]).unwrap();
        let pose = tree.body_pose(&workspace, model.bodies[1]).unwrap();
        assert_eq!(pose.translation.x, value, "{number}");
    }
}

#[test]
fn what_is_no_finite_number_is_refused() {
    let digits = "1".repeat(400);
    for number in [
        "0x", "0x.", "0x+1", "0xg", "0x1p", "--1", "1_0", "1,2", "1e400", "0x1p2000", &digits,
        "inf", "nan",
    ] {
        let message = read(&body_at(number)).map(|_| ()).unwrap_err();
        let expected = format!("pos = \"{number} 0 0\", expected finite numbers");
        assert!(
            message.contains(&expected) || number.len() > 99,
            "{message}"
        );
        assert!(
            message.starts_with("MJCF text:1: worldbody/body: pos = "),
            "{message}"
        );
    }
}

#[test]
fn ranges_may_be_infinite_but_not_too_large_to_write() {
    let hinge = |upper: &str| {
        let joint = format!(r#"<joint range="-1 {upper}"/>"#);
        read(&format!(
            r#"<mujoco><worldbody><body>{joint}<geom size="1"/></body></worldbody></mujoco>"#
        ))
    };
    assert_eq!(hinge("inf").unwrap().0.num_velocities(), 1);
    let message = hinge("1e400").map(|_| ()).unwrap_err();
    assert!(message.contains("range = \"-1 1e400\""), "{message}");
}
