//! A hopper on one leg that a motor holds.

use crate::scenes::pendulum;
use dualbody::Parameters;
use dualbody::io::mjcf::MjcfReader;
use dualbody::prelude::*;
use dualbody::system::SystemError;
use dualbody_control::{ControlError, regulator_at_rest};
use nalgebra::{DMatrix, dvector};

type Outcome = std::result::Result<(), Box<dyn std::error::Error>>;

const G: f64 = 9.81;

/// A trunk of 3 kg above a foot of 0.6 kg, in steps of 2 ms. The foot just touches the floor at zero.
fn hopper(guide: &str, spring: f64) -> Result<TimeSteppingRigidBodySystem<f64>> {
    let text = format!(
        r#"<mujoco>
        <option timestep="0.002"/>
        <worldbody>
            <geom name="floor" type="plane" size="5 5 0.1"/>
            <body name="trunk" pos="0 0 0.35">
                {guide}
                <joint name="z" type="slide" axis="0 0 1"/>
                <geom name="trunk" type="sphere" size="0.1" mass="3" contype="0" conaffinity="0"/>
                <body name="leg" pos="0 0 -0.3">
                    <joint name="leg" type="slide" axis="0 0 1" range="-0.15 0.15" limited="true" stiffness="{spring}"/>
                    <geom name="foot" type="sphere" size="0.05" mass="0.6"/>
                </body>
            </body>
        </worldbody>
        <actuator><motor name="motor" joint="leg"/></actuator>
        </mujoco>"#
    );
    let (tree, model) = MjcfReader::new().tree_from_str::<f64>(&text)?;
    Ok(TimeSteppingRigidBodySystem::compliant(
        model.system(tree)?,
        model.time_step,
    )?)
}

#[test]
fn an_equilibrium_at_a_limit_that_the_guess_is_not_at_is_an_error() -> Outcome {
    let system = hopper("", 0.0)?;
    let (q, r) = (DMatrix::identity(4, 4), DMatrix::identity(1, 1));
    let mut guess = system.initial_state();
    // Two thirds of what the trunk weighs.
    let refused = regulator_at_rest(&system, &guess, &[-2.0 * G], &q, &r);
    let error = refused.unwrap_err();
    let ControlError::AtLimit { joint, limit, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((joint.as_str(), *limit), ("leg", 0.15));
    // The motor carries the trunk, but the foot is in the air.
    guess.q[0] = 0.01;
    let refused = regulator_at_rest(&system, &guess, &[-3.0 * G], &q, &r);
    assert!(
        matches!(refused, Err(ControlError::AtLimit { limit: -0.15, .. })),
        "{refused:?}"
    );
    // Who starts at the limit means it.
    guess.q.copy_from_slice(&[-0.15, 0.15]);
    regulator_at_rest(&system, &guess, &[-2.0 * G], &q, &r)?;
    Ok(())
}

#[test]
fn a_regulator_at_rest_says_how_far_it_is_from_the_guess() -> Outcome {
    let system = hopper("", 0.0)?;
    let (q, r) = (DMatrix::identity(4, 4), DMatrix::identity(1, 1));
    let guess = system.initial_state();
    let resting = regulator_at_rest(&system, &guess, &[-3.0 * G], &q, &r)?;
    let moved = system.displacement(&guess, &resting.state)?;
    assert_eq!(resting.moved, moved.as_slice());
    assert!(moved.amax() > 1e-4 && moved.amax() < 1e-3, "{moved}");
    Ok(())
}

#[test]
fn the_whole_input_is_that_which_holds_and_the_correction() -> Outcome {
    let system = hopper("", 0.0)?;
    let q = DMatrix::from_diagonal(&dvector![100.0, 100.0, 1.0, 1.0]);
    let r = DMatrix::identity(1, 1) * 1e-5;
    let held = -3.0 * G;
    let resting = regulator_at_rest(&system, &system.initial_state(), &[held], &q, &r)?;
    assert_eq!(resting.input_for(&resting.state)?, [held]);
    let mut state = resting.state.clone();
    state.q[0] -= 0.02;
    state.q[1] += 0.02;
    let away = system.displacement(&resting.state, &state)?;
    let change = resting.regulator.input(away.as_slice())?;
    assert_eq!(resting.input_for(&state)?, [held + change[0]]);
    let mut workspace = system.workspace()?;
    for _ in 0..2000 {
        let input = resting.input_for(&state)?;
        state = system.step(&mut workspace, &state, &input)?.state().clone();
    }
    let away = system.displacement(&resting.state, &state)?;
    assert!(away.amax() < 1e-4, "{away}");
    state.q = nalgebra::DVector::zeros(3);
    assert!(resting.input_for(&state).is_err());
    Ok(())
}

/// A foot that sticks to the floor is not moved along it by a motor of the leg.
#[test]
fn an_error_names_the_mode_that_nothing_reaches() -> Outcome {
    let guide = r#"<joint name="x" type="slide" axis="1 0 0"/>"#;
    for spring in [0.0, 500.0] {
        let system = hopper(guide, spring)?;
        let mut guess = system.initial_state();
        guess.q[1] = -0.001;
        for weight in [1.0, 0.0] {
            let mut q = DMatrix::identity(6, 6);
            q[(0, 0)] = weight;
            let r = DMatrix::identity(1, 1);
            let error = regulator_at_rest(&system, &guess, &[-3.0 * G], &q, &r).unwrap_err();
            let text = error.to_string();
            let mode = "no input reaches the mode of A with the eigenvalue 1.000000, mostly \"x/position\"; ";
            assert!(text.contains(mode) && text.contains("leave out"), "{text}");
        }
    }
    Ok(())
}

/// A foot that sticks gives way to a spring along the floor with the time constant of the page on control.
#[test]
fn a_contact_that_sticks_creeps() -> Outcome {
    let stiffness = 1000.0;
    let guide = format!(r#"<joint name="x" type="slide" axis="1 0 0" stiffness="{stiffness}"/>"#);
    let system = hopper(&guide, 500.0)?;
    let mut guess = system.initial_state();
    guess.q[1] = -0.001;
    let (q, r) = (DMatrix::identity(6, 6), DMatrix::identity(1, 1));
    let resting = regulator_at_rest(&system, &guess, &[-3.0 * G], &q, &r)?;
    let values = resting.regulator.closed_loop.complex_eigenvalues();
    let slowest = values.iter().map(|z| z.norm()).fold(0.0, f64::max);
    // The coefficient of friction of MJCF is 1.
    let tolerance = system.parameter("stiction_tolerance")?;
    let expected = 2.0 * 3.6 * G / (stiffness * tolerance);
    let found = -system.time_step() / slowest.ln();
    assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    Ok(())
}

/// The motor pulls the foot up, or it is above the floor: what is left is the weight, and the error says that nothing carries it.
#[test]
fn an_error_says_that_nothing_carries_the_weight() -> Outcome {
    let system = hopper("", 0.0)?;
    let mut guess = system.initial_state();
    guess.q[0] = 0.01;
    let error = system.equilibrium(&guess, &[3.0 * G], 1e-10).unwrap_err();
    assert!(
        matches!(
            error,
            SystemError::NoEquilibrium {
                nothing_touches: true,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error.to_string().contains("no contact carries this"),
        "{error}"
    );
    // More torque than the weight can hold, of a machine without shapes.
    let pendulum = pendulum()?;
    let error = pendulum
        .equilibrium(&pendulum.initial_state(), &[20.0], 1e-10)
        .unwrap_err();
    assert!(
        error.to_string().contains("check that the inputs can hold"),
        "{error}"
    );
    Ok(())
}
