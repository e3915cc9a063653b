//! What holds the joints of a model in MJCF back, and what presses on its sites.

use crate::support::reference::data;
use dualbody::force::{AnyForce, JointFriction};
use dualbody::io::mjcf::MjcfReader;
use dualbody::system::{RigidBodySystem, State, TimeSteppingRigidBodySystem};
use nalgebra::DVector;

type Scheme = fn(
    RigidBodySystem<f64>,
    f64,
) -> Result<TimeSteppingRigidBodySystem<f64>, dualbody::system::SystemError>;

const SCHEMES: [Scheme; 2] = [
    TimeSteppingRigidBodySystem::compliant,
    TimeSteppingRigidBodySystem::rigid,
];

fn system(text: &str) -> RigidBodySystem<f64> {
    let (tree, model) = MjcfReader::new().tree_from_str(text).unwrap();
    model.system(tree).unwrap()
}

/// The last state of two seconds of motion.
fn moved(system: RigidBodySystem<f64>, scheme: Scheme) -> State<f64> {
    let stepper = scheme(system, 0.002).unwrap();
    let initial = stepper.initial_state();
    stepper.rollout(&initial, 1000).unwrap().last().clone()
}

#[test]
fn joints_stay_in_their_ranges() {
    for scheme in SCHEMES {
        let path = data("mjcf/limits.xml");
        let system = MjcfReader::new().system_from_file::<f64>(path).unwrap().0;
        let stepper = scheme(system, 0.002).unwrap();
        let mut initial = stepper.initial_state();
        initial.v[0] = 1.0;
        let rollout = stepper.rollout(&initial, 1000).unwrap();
        let mut most = [0.0, 0.0];
        for state in &rollout.states {
            let q = &state.q;
            most[0] = f64::max(most[0], q[0].abs());
            let ball = 2.0
                * (q[2] * q[2] + q[3] * q[3] + q[4] * q[4])
                    .sqrt()
                    .atan2(q[1].abs());
            most[1] = f64::max(most[1], ball);
        }
        for (found, range) in most.into_iter().zip([30f64, 40.0]) {
            let range = range.to_radians();
            assert!((range - 1e-6..range + 1e-3).contains(&found), "{most:?}");
        }
    }
}

#[test]
fn ranges_count_as_the_format_says() {
    let limits = |compiler: &str, joint: &str| {
        let text = format!(
            r#"<mujoco><compiler angle="radian" {compiler}/><worldbody><body>
               <joint axis="0 1 0" {joint}/><geom size="0.1" pos="0 0 0.5"/></body>
               </worldbody></mujoco>"#
        );
        system(&text).constraints().len()
    };
    for (compiler, joint, expected) in [
        ("", r#"range="-1 1""#, 1),
        ("", r#"range="-1 1" limited="false""#, 0),
        ("", "", 0),
        (r#"autolimits="false""#, r#"range="-1 1" limited="true""#, 1),
        ("", r#"type="ball" range="0 1""#, 1),
        ("", r#"type="ball" range="0 1" limited="false""#, 0),
        ("", r#"type="slide" range="0 1""#, 1),
        (
            "/><option><flag limit=\"disable\"/></option><compiler",
            r#"range="-1 1""#,
            0,
        ),
    ] {
        assert_eq!(limits(compiler, joint), expected, "{compiler} {joint}");
    }
}

#[test]
fn friction_holds_a_joint_that_is_loaded_less() {
    let text = |friction: f64, flag: &str| {
        format!(
            r#"<mujoco><option><flag frictionloss="{flag}"/></option><worldbody><body><joint axis="0 1 0" frictionloss="{friction}"/>
               <geom size="0.01" pos="0.1 0 0" mass="1"/></body></worldbody></mujoco>"#
        )
    };
    for scheme in SCHEMES {
        let held = moved(system(&text(2.0, "enable")), scheme);
        assert!(held.q[0].abs() < 0.02 && held.v[0].abs() < 0.01, "{held:?}");
        let slips = moved(system(&text(0.3, "enable")), scheme);
        assert!(slips.q[0] > 0.5, "{slips:?}");
        let free = moved(system(&text(2.0, "disable")), scheme);
        assert!(free.q[0] > 0.5, "{free:?}");
    }
    let is_friction = |force: &AnyForce<f64>| force.downcast_ref::<JointFriction<f64>>().is_some();
    assert!(
        system(&text(2.0, "enable"))
            .forces()
            .iter()
            .any(is_friction)
    );
}

#[test]
fn a_joint_beyond_its_range_comes_back_gently() {
    let text = r#"<mujoco><option gravity="0 0 0"/><compiler angle="radian"/><worldbody><body><joint axis="0 1 0" range="0.5 1"/>
        <geom size="0.1" pos="0.1 0 0"/></body></worldbody></mujoco>"#;
    for scheme in SCHEMES {
        let stepper = scheme(system(text), 0.002).unwrap();
        let rollout = stepper.rollout(&stepper.initial_state(), 500).unwrap();
        let fastest = rollout.states.iter().map(|s| s.v[0].abs());
        // With the time constant of 0.05 s, not within a step, but for the last millimetre.
        assert!(fastest.fold(0.0, f64::max) < 0.5 / 0.05 + 0.5);
        let last = rollout.last();
        assert!((0.5 - 1e-9..1.0 + 1e-9).contains(&last.q[0]), "{last:?}");
    }
}

#[test]
fn a_touch_sensor_feels_what_presses_on_its_site() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 0.1"><freejoint/><geom size="0.1" mass="2"/>
        <site name="sole" pos="0 0 -0.1" size="0.02"/><site name="inside" size="0.02"/>
        <site name="crown" pos="0 0 0.1" size="0.02"/></body></worldbody>
        <sensor><touch name="below" site="sole"/><touch name="above" site="crown"/>
        <touch name="within" site="inside"/></sensor></mujoco>"#;
    let (tree, model) = MjcfReader::new().tree_from_str::<f64>(text).unwrap();
    let mut q = tree.neutral_configuration();
    model.reference.write(&tree, q.as_mut_slice()).unwrap();
    let system = model.system(tree).unwrap();
    for scheme in SCHEMES {
        let stepper = scheme(system.clone(), 0.002).unwrap();
        let mut workspace = stepper.workspace().unwrap();
        let mut state = stepper.initial_state();
        state.q = DVector::from_column_slice(q.as_slice());
        let mut outputs = vec![];
        for _ in 0..1000 {
            let step = stepper.step(&mut workspace, &state, &[]).unwrap();
            outputs = step.output().as_slice().to_vec();
            state = step.state().clone();
        }
        let weight = 2.0 * 9.81;
        assert!((outputs[0] - weight).abs() < 1e-3 * weight, "{outputs:?}");
        assert_eq!(outputs[1..], [0.0, 0.0]);
    }
}
