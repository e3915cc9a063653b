//! Compliant steps that start from the velocities that their ends are expected to have, judged by steps that expect nothing.

use dualbody::force::JointFriction;
use dualbody::io::mjcf::MjcfReader;
use dualbody::prelude::*;
use dualbody::system::StepJacobian;

const ARM: &str = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
  <body pos="0 0 .3"><joint name="shoulder" axis="0 1 0" damping="0.1" frictionloss="0.2"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
    <body pos=".3 0 0"><joint name="elbow" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 .25 0 -.2" size=".03"/></body></body>
  <body pos=".9 0 .05"><freejoint/><geom type="sphere" size=".05"/></body></worldbody>
  <actuator><motor name="lift" joint="shoulder"/></actuator></mujoco>"#;

fn arm() -> TimeSteppingRigidBodySystem<f64> {
    let (tree, model) = MjcfReader::new().tree_from_str(ARM).unwrap();
    let mut system = model.system(tree).unwrap();
    let friction = JointFriction::new("dry", system.tree(), 1e-3).unwrap();
    system.add_force(friction).unwrap();
    TimeSteppingRigidBodySystem::compliant(system, 5e-3).unwrap()
}

#[test]
fn what_is_expected_changes_the_way_not_the_end() {
    let system = arm();
    let [mut cold, mut hot] = [system.workspace().unwrap(), system.workspace().unwrap()];
    let mut state = system.initial_state();
    let [mut all, mut fewer] = [0, 0];
    for step in 0..200 {
        let input = [3.0 * (0.05 * step as f64).sin()];
        let judge = system.step(&mut cold, &state, &input).unwrap();
        let next = judge.state().clone();
        all += judge.status().iterations;
        let wild = next.v.map(|v| 30.0 - 2.0 * v);
        for (expected, tolerance) in [(&next.v, 1e-9), (&wild, 1e-7), (&state.v, 1e-7)] {
            hot.expect_velocity(expected.as_slice()).unwrap();
            let step_as_expected = system.step(&mut hot, &state, &input).unwrap();
            assert!(step_as_expected.status().residual <= 1e-9, "{step}");
            let error = (&step_as_expected.state().v - &next.v).amax();
            assert!(error < tolerance, "{step}: {error}");
            fewer += usize::from(tolerance == 1e-9) * step_as_expected.status().iterations;
        }
        // It is said of one step only.
        let after = system.step(&mut hot, &state, &input).unwrap();
        assert_eq!(after.state().v, next.v, "{step}");
        state = next;
    }
    assert!(fewer < all / 2, "{fewer} of {all}");
}

#[test]
fn derivatives_are_those_of_the_same_step() {
    let system = arm();
    let mut differentiator = StepDifferentiator::new(&system, &["dry/speed"]).unwrap();
    let (mut state, mut workspace) = (system.initial_state(), system.workspace().unwrap());
    let [mut plain, mut expected] = [StepJacobian::default(), StepJacobian::default()];
    for step in 0..60 {
        let next = differentiator
            .jacobian(&state, &[1.0], &mut plain)
            .unwrap()
            .clone();
        differentiator.expect_velocity(next.v.as_slice()).unwrap();
        differentiator
            .jacobian(&state, &[1.0], &mut expected)
            .unwrap();
        for (a, b) in [
            (&plain.state, &expected.state),
            (&plain.input, &expected.input),
            (&plain.parameters, &expected.parameters),
        ] {
            assert!(
                (a - b).amax() <= 1e-6 * a.amax().max(1.0),
                "{step}: {}",
                (a - b).amax()
            );
        }
        state = system
            .step(&mut workspace, &state, &[1.0])
            .unwrap()
            .state()
            .clone();
    }
}

#[test]
fn what_cannot_be_expected_is_refused() {
    let system = arm();
    let mut workspace = system.workspace().unwrap();
    let n = system.initial_state().v.len();
    let message = workspace
        .expect_velocity(&vec![0.0; n + 1])
        .unwrap_err()
        .to_string();
    assert!(message.contains("expected velocities"), "{message}");
    let mut v = vec![0.0; n];
    v[1] = f64::NAN;
    assert!(workspace.expect_velocity(&v).is_err());
}
