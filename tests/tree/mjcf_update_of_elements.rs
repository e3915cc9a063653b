//! Constants of springs, actuators and equality constraints go back into the model that they came from.

use crate::support::reference::data;
use dualbody::Parameters;
use dualbody::actuator::Actuator;
use dualbody::constraint::{ConstraintRows, TreeConstraint};
use dualbody::force::ForceElement;
use dualbody::io::mjcf::{MjcfElements, MjcfModel, MjcfReader};
use dualbody::parameter::Parameter;
use dualbody::tree::RigidBodyTree;

const MODEL: &str = r#"<mujoco model="m">
  <compiler angle="degree"/>
  <default>
    <position kp="30" kv="2" forcerange="-5 5"/>
    <default class="soft"><position kp="8" inheritrange="1"/></default>
    <default class="numbers"><general gainprm="4 0 1" biasprm="0 -4 -0.5"/></default>
    <default class="geared"><motor gear="3 0 1" ctrlrange="-1 1"/></default>
  </default>
  <worldbody>
    <body name="a" pos="0 0 1" euler="10 20 30">
      <joint name="a" axis="0 1 0" ref="20" range="-40 90" springdamper="0.2 0.7"/>
      <geom size="0.1"/>
      <body name="b" pos="0.5 0 0">
        <joint name="b" axis="0 0 1" ref="-5" stiffness="3" springref="30"/>
        <geom size="0.1"/>
        <site name="tip" pos="0.1 0.2 0.3" euler="0 0 30"/>
      </body>
    </body>
    <body name="c" pos="0 1 0">
      <joint name="c" type="slide" ref="0.1" range="-1 2" stiffness="7" springref="0.2"/>
      <geom size="0.1"/>
      <site name="hook" pos="0.2 0 0"/>
    </body>
    <body name="d" pos="1 1 0"><freejoint/><geom size="0.1"/></body>
  </worldbody>
  <actuator>
    <position name="servo" joint="a"/>
    <position name="soft" class="soft" joint="c" gear="2"/>
    <general name="general" class="numbers" joint="b" gear="-2" biastype="affine"/>
    <velocity name="rate" joint="b" kv="1.5"/>
    <motor name="motor" class="geared" joint="c"/>
  </actuator>
  <equality>
    <connect name="pin" body1="b" body2="c" anchor="0.1 0 0.2"/>
    <connect name="sites" site1="tip" site2="hook"/>
    <weld name="weld" body1="d" body2="a"/>
    <weld name="posed" body1="b" relpose="0.1 0.2 0.3 1 2 0 1" anchor="0.3 0 0"/>
    <joint name="linked" joint1="a" joint2="b" polycoef="0.1 0.5 0 0 0"/>
    <joint name="held" joint1="c"/>
  </equality>
</mujoco>"#;

fn read(text: &str) -> (RigidBodyTree<f64>, MjcfModel<f64>) {
    MjcfReader::new().tree_from_str(text).unwrap()
}

fn write(text: &str, tree: &RigidBodyTree<f64>, elements: &MjcfElements<f64>) -> String {
    let written = MjcfReader::new().updated(text, tree, &[], elements);
    written.unwrap_or_else(|e| panic!("{e}"))
}

/// Calls `visit` with every constant of what is written back.
fn visit(elements: &mut MjcfElements<f64>, visit: &mut dyn FnMut(Parameter<'_, f64>)) {
    (elements.forces.iter_mut()).for_each(|e| e.visit_parameters(visit));
    (elements.actuators.iter_mut()).for_each(|e| e.visit_parameters(visit));
    (elements.constraints.iter_mut()).for_each(|e| e.visit_parameters(visit));
}

/// Sets constants by name, each of which there is.
fn set(elements: &mut MjcfElements<f64>, values: &[(&str, f64)]) {
    let mut count = 0;
    visit(elements, &mut |p| {
        let name = p.name.to_string();
        for (_, value) in values.iter().filter(|(wanted, _)| *wanted == name) {
            *p.value = *value;
            count += 1;
        }
    });
    assert_eq!(count, values.len());
}

fn constants(elements: &MjcfElements<f64>) -> Vec<(String, f64)> {
    let mut all = vec![];
    visit(&mut elements.clone(), &mut |p| {
        all.push((p.name.to_string(), *p.value));
    });
    all
}

#[track_caller]
fn assert_same(found: &MjcfElements<f64>, wanted: &MjcfElements<f64>) {
    let (found, wanted) = (constants(found), constants(wanted));
    assert_eq!(found.len(), wanted.len());
    for ((a, x), (b, y)) in found.iter().zip(&wanted) {
        assert_eq!(a, b);
        assert!(
            x == y || (x - y).abs() < 1e-12 * y.abs().max(0.1),
            "{a}: {x} {y}"
        );
    }
}

/// What is to be written in place of what the model says.
#[track_caller]
fn check(changes: &[(&str, f64)], replacements: &[(&str, &str)]) {
    let (tree, mut model) = read(MODEL);
    set(&mut model.elements, changes);
    let mut expected = MODEL.to_owned();
    for (was, is) in replacements {
        assert!(expected.contains(was), "{was}");
        expected = expected.replace(was, is);
    }
    let written = write(MODEL, &tree, &model.elements);
    assert_eq!(written, expected);
    assert_same(&read(&written).1.elements, &model.elements);
}

#[test]
fn elements_that_nothing_has_changed_stay_as_they_are() {
    check(&[], &[]);
}

#[test]
fn what_a_class_gave_an_actuator_is_written_on_the_element() {
    check(
        &[("m/servo/proportional_gain", 40.0)],
        &[(
            r#"<position name="servo""#,
            r#"<position kp="40" name="servo""#,
        )],
    );
    check(
        &[("m/servo/lower_limit", -4.0)],
        &[(
            r#"<position name="servo""#,
            r#"<position forcerange="-4 5" name="servo""#,
        )],
    );
    // Of the joint, whose motion is half that of the actuator.
    check(
        &[("m/soft/derivative_gain", 4.0), ("m/soft/upper/0", 1.5)],
        &[(
            r#"<position name="soft""#,
            r#"<position kv="1" ctrlrange="-1 3" inheritrange="0" name="soft""#,
        )],
    );
    check(
        &[("m/general/proportional_gain", 20.0)],
        &[(
            r#"<general name="general""#,
            r#"<general gainprm="5" biasprm="0 -5 -0.5" name="general""#,
        )],
    );
    check(
        &[("m/rate/derivative_gain", 0.5)],
        &[(r#"kv="1.5""#, r#"kv="0.5""#)],
    );
    check(
        &[("m/motor/gear_ratio", 2.5), ("m/motor/limit", 0.75)],
        &[(
            r#"<motor name="motor""#,
            r#"<motor gear="2.5" ctrlrange="-0.75 0.75" name="motor""#,
        )],
    );
}

#[test]
fn springs_are_written() {
    check(
        &[("m/b/stiffness", 4.0), ("m/c/nominal_position", 0.25)],
        &[
            (r#"stiffness="3""#, r#"stiffness="4""#),
            (r#"springref="0.2""#, r#"springref="0.25""#),
        ],
    );
    // A time constant and a ratio give way to what they stand for.
    let (mut tree, mut model) = read(MODEL);
    set(&mut model.elements, &[("m/a/stiffness", 5.0)]);
    tree.set_parameter("joint/m/a/damping", 0.25).unwrap();
    let written = write(MODEL, &tree, &model.elements);
    let now = r#"stiffness="5" name="a" axis="0 1 0" ref="20" range="-40 90" springdamper="0 0""#;
    assert!(written.contains(now), "{written}");
    let (again, _) = read(&written);
    assert_eq!(again.parameter("joint/m/a/damping"), Ok(0.25));
    // So do they where a mass from which they follow has changed.
    let (mut tree, model) = read(MODEL);
    tree.set_parameter("body/m/b/mass", 9.0).unwrap();
    let (again, found) = read(&write(MODEL, &tree, &model.elements));
    assert_same(&found.elements, &model.elements);
    let damping = |tree: &RigidBodyTree<f64>| tree.parameter("joint/m/a/damping").unwrap();
    assert_eq!(damping(&again), damping(&tree));
}

#[test]
fn couplings_are_written() {
    check(
        &[("m/linked/ratio", 0.25), ("m/held/coefficients/0", 0.3)],
        &[
            // The constant is where both joints are at their references.
            (
                r#"polycoef="0.1 0.5 0 0 0""#,
                &format!(
                    r#"polycoef="{} 0.25 0 0 0""#,
                    (20f64.to_radians() + 0.1 + 0.5 * 5f64.to_radians())
                        - 20f64.to_radians()
                        - 0.25 * 5f64.to_radians()
                ),
            ),
            (
                r#"<joint name="held""#,
                &format!(r#"<joint polycoef="{}" name="held""#, 0.3 - 0.1),
            ),
        ],
    );
}

/// How far the constraints are from being met, somewhere.
fn errors(tree: &RigidBodyTree<f64>, elements: &MjcfElements<f64>) -> Vec<f64> {
    let mut workspace = tree.workspace();
    let (start, mut q) = (tree.neutral_configuration(), tree.neutral_configuration());
    let v = vec![0.3; tree.num_velocities()];
    (tree.integrate_exponential(start.as_slice(), &v, 1.0, q.as_mut_slice())).unwrap();
    tree.set_positions(&mut workspace, q.as_slice()).unwrap();
    let mut all = vec![];
    for constraint in &elements.constraints {
        let mut rows = ConstraintRows::zeros(constraint.num_rows(), tree.num_velocities());
        (constraint.evaluate(tree, &workspace, 0.0, &mut rows)).unwrap();
        all.extend(rows.phi.iter());
    }
    all
}

#[test]
fn points_and_frames_that_coincide_are_written() {
    let written_with = |changes: &[(&str, f64)]| {
        let (tree, mut model) = read(MODEL);
        set(&mut model.elements, changes);
        let written = write(MODEL, &tree, &model.elements);
        let (again, found) = read(&written);
        let (found, wanted) = (found.elements, model.elements);
        for (x, y) in errors(&again, &found).iter().zip(errors(&tree, &wanted)) {
            assert!((x - y).abs() < 1e-13, "{x} {y}");
        }
        for ((a, x), (_, y)) in constants(&found).iter().zip(constants(&wanted)) {
            // Rotations count from those of the file.
            assert!(
                *x == y || (x - y).abs() < 1e-13 || a.contains("/rotation_"),
                "{a}: {x} {y}"
            );
        }
        written
    };
    let posed = [
        ("m/posed/point_a/z", 0.5),
        ("m/posed/point_b/x", 0.4),
        ("m/posed/rotation_a/y", 0.2),
    ];
    let written = written_with(&posed);
    assert!(!written.contains("<site name=\"posed") && written.contains(r#"anchor="0.4 0 0""#));
    // A point on one body, which that on the other follows.
    let anchor = r#"anchor="0.3 0 0.2""#;
    let (tree, moved) = read(&MODEL.replace(r#"anchor="0.1 0 0.2""#, anchor));
    let written = write(MODEL, &tree, &moved.elements);
    assert!(written.contains(anchor) && !written.contains("pin_a"));
    assert_same(&read(&written).1.elements, &moved.elements);
    // Points and frames that do not follow.
    let written = written_with(&[
        ("m/pin/point_a/x", 0.3),
        ("m/sites/point_b/y", 0.7),
        ("m/weld/rotation_b/y", 0.1),
        ("m/posed/rotation_b/x", -0.2),
    ]);
    for constraint in [
        r#"<connect site1="pin_a" site2="pin_b" name="pin"/>"#,
        r#"<connect name="sites" site1="sites_a" site2="sites_b"/>"#,
        r#"<weld site1="weld_a" site2="weld_b" name="weld"/>"#,
        r#"<weld site1="posed_a" site2="posed_b" name="posed"/>"#,
    ] {
        assert!(written.contains(constraint), "{written}");
    }
    // Several on a body of which there is nothing else.
    let text = r#"<mujoco model="m"><worldbody><body name="p" mocap="true"/>
  <body name="b"><freejoint/><geom size="0.1"/></body></worldbody><equality>
  <connect body1="p" body2="b" anchor="0 0 0"/><connect body1="b" body2="p" anchor="1 0 0"/>
</equality></mujoco>"#;
    let (tree, mut model) = read(text);
    let apart = [("m/connect0/point_a/x", 0.5), ("m/connect1/point_b/y", 0.5)];
    set(&mut model.elements, &apart);
    let written = write(text, &tree, &model.elements);
    assert!(
        written.contains(r#"pos="1 0.5 0" quat="1 0 0 0"/></body>"#),
        "{written}"
    );
    assert_same(&read(&written).1.elements, &model.elements);
}

#[test]
fn a_ratio_of_damping_gives_way_to_the_damping() {
    let text = MODEL.replace(
        r#"<position name="servo" joint="a"/>"#,
        r#"<position name="servo" joint="a" dampratio="0.7"/>"#,
    );
    let (mut tree, mut model) = read(&text);
    let was = constants(&model.elements);
    let damping = was
        .iter()
        .find(|(name, _)| name == "m/servo/derivative_gain");
    let damping = damping.unwrap().1;
    set(&mut model.elements, &[("m/servo/proportional_gain", 40.0)]);
    let servo = format!(r#"<position kp="40" kv="{damping:?}" name="servo" joint="a"/>"#);
    let expected = text.replace(
        r#"<position name="servo" joint="a" dampratio="0.7"/>"#,
        &servo,
    );
    assert_eq!(write(&text, &tree, &model.elements), expected);
    // So it does where the inertia that it is of changes, if the damping is given.
    let (_, model) = read(&text);
    tree.set_parameter("body/m/b/mass", 9.0).unwrap();
    let written = write(&text, &tree, &model.elements);
    assert_same(&read(&written).1.elements, &model.elements);
    let written = write(&text, &tree, &MjcfElements::default());
    assert!(written.contains(r#"dampratio="0.7""#));
}

#[test]
fn constants_that_follow_from_the_tree_stay_where_it_changes() {
    let (mut tree, model) = read(MODEL);
    for (name, value) in [("joint/m/b/origin/x", 0.6), ("joint/m/c/upper_limit", 2.5)] {
        tree.set_parameter(name, value).unwrap();
    }
    let written = write(MODEL, &tree, &model.elements);
    let (_, again) = read(&written);
    assert_same(&again.elements, &model.elements);
    // The range of the control is no longer that of the joint.
    assert!(written.contains(r#"inheritrange="0""#));
    // Those that are not given follow.
    let written = write(MODEL, &tree, &MjcfElements::default());
    assert!(written.contains(r#"<position name="soft" class="soft" joint="c" gear="2"/>"#));
}

#[test]
fn all_constants_of_all_kinds_of_actuators_come_back() {
    for (file, least) in [("actuators", 70), ("arm", 14)] {
        let text = std::fs::read_to_string(data(&format!("mjcf/{file}.xml"))).unwrap();
        let (tree, mut model) = read(&text);
        let mut count = 0;
        visit(&mut model.elements, &mut |p| {
            if p.value.is_finite() && *p.value != 0.0 {
                count += 1;
                *p.value *= 1.0 + 1e-3 * f64::from(count % 7 + 1);
            }
        });
        assert!(count >= least, "{count}");
        let written = write(&text, &tree, &model.elements);
        assert_same(&read(&written).1.elements, &model.elements);
    }
}

#[test]
fn what_the_format_cannot_hold_of_an_element_is_an_error() {
    let error = |constant: &str, value: f64| {
        let (tree, mut model) = read(MODEL);
        set(&mut model.elements, &[(constant, value)]);
        let written = MjcfReader::new().updated(MODEL, &tree, &[], &model.elements);
        written.unwrap_err().to_string()
    };
    for (constant, value, place) in [
        (
            "m/rate/proportional_gain",
            1.0,
            r#"30: actuator/velocity "rate""#,
        ),
        (
            "m/servo/proportional_gain",
            0.0,
            r#"27: actuator/position "servo""#,
        ),
        (
            "m/b/damping",
            0.1,
            r#"14: worldbody/body "a"/body "b"/joint "b""#,
        ),
    ] {
        let message = error(constant, value);
        let element = constant.rsplit_once('/').unwrap().0;
        let expected =
            format!("MJCF text:{place}: the model cannot hold the value of \"{element}/");
        assert!(message.starts_with(&expected), "{message}");
    }
}

/// What a joint limits the force of its actuator to is a limit of the control that depends on the gear.
#[test]
fn a_gear_changes_where_the_joint_limits_the_force() {
    let text = |motor: &str, range: &str| {
        format!(
            r#"<mujoco model="m"><worldbody><body name="b"><joint name="j" actuatorfrcrange="{range}"/>
               <geom size="0.1"/></body></worldbody>
               <actuator><motor name="a" joint="j" {motor}/></actuator></mujoco>"#
        )
    };
    for (motor, range) in [
        (r#"gear="2""#, "-3 3"),
        (r#"gear="2""#, "-3 2"),
        (r#"gear="2" ctrlrange="-2 3""#, "-3 3"),
    ] {
        let model = text(motor, range);
        let (tree, mut read_model) = read(&model);
        set(&mut read_model.elements, &[("m/a/gear_ratio", 1.25)]);
        let written = write(&model, &tree, &read_model.elements);
        assert_same(&read(&written).1.elements, &read_model.elements);
        // The joint does not let through what the wider limit would.
        set(&mut read_model.elements, &[("m/a/gear_ratio", 4.0)]);
        let refused = MjcfReader::new().updated(&model, &tree, &[], &read_model.elements);
        let message = refused.unwrap_err().to_string();
        assert!(message.contains(r#"the value of "m/a"#), "{message}");
    }
    // The narrower range of the control stays as it is.
    let model = text(r#"gear="2" ctrlrange="-0.5 0.5""#, "-3 3");
    let (tree, mut read_model) = read(&model);
    set(&mut read_model.elements, &[("m/a/gear_ratio", 1.25)]);
    let written = write(&model, &tree, &read_model.elements);
    assert_eq!(written, model.replace("gear=\"2\"", "gear=\"1.25\""));
}
