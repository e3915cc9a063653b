//! Slopes of outcomes averaged over a width and over the phases of steps, where derivatives see teeth.

use crate::support::cases::tier;
use dualbody::autodiff::averaged_gradient;
use dualbody::prelude::*;
use std::error::Error;

const FALL: f64 = 0.8;
const RADIUS: f64 = 0.05;
const TIME: f64 = 0.75;

fn ball(stiffness: f64, time_step: f64) -> Result<TimeSteppingRigidBodySystem<f64>> {
    let material = ContactMaterial::new(stiffness, 0.0, 0.5)?;
    Ok(SystemBuilder::new()
        .floor("floor", material)
        .free_body("ball", Shape::new_sphere(RADIUS)?, 1.0, material)
        .pair_material("ball", "floor", material)
        .compliant(time_step)?)
}

/// The height after a fall from `x[0]` and a bounce, with the steps in the phase `x[1]`.
fn height(system: &TimeSteppingRigidBodySystem<f64>, x: &[f64]) -> Result<f64> {
    let mut start = system.initial_state();
    system.set_body_position(&mut start, "ball", vector![0.0, 0.0, x[0] + RADIUS])?;
    let steps = (TIME / system.time_step()).round() as usize;
    Ok(system
        .rollout_in_phase(&start, steps, x[1].clamp(1e-9, 1.0))?
        .last()
        .q[6])
}

/// Sixteen outcomes give the slope of the trend to two percent, whether or not impacts are resolved, and say how well they
/// know it.
#[test]
fn few_outcomes_give_the_slope_of_a_bounce() -> std::result::Result<(), Box<dyn Error>> {
    for (stiffness, time_step) in [
        (1e3, 5e-3),
        (1e4, 5e-3),
        (1e4, 1e-3),
        (1e5, 1e-3),
        (1e6, 2e-4),
    ]
    .into_iter()
    .take(tier(3, 5))
    {
        let system = ball(stiffness, time_step)?;
        let outcome = |x: &[f64]| height(&system, x);
        let slope = |pairs| averaged_gradient(outcome, &[FALL, 0.5], &[0.1, 0.5], &[0], pairs);
        let (few, many) = (slope(8)?[0], slope(100)?[0]);
        assert!(
            (few.slope / many.slope - 1.0).abs() < 0.02,
            "{stiffness} N/m, {time_step} s: {few:?} for {many:?}"
        );
        assert!((few.slope - many.slope).abs() < 3.0 * few.error);
    }
    Ok(())
}

/// Where an outcome is smooth, the slope is the derivative up to what the width bends.
#[test]
fn a_smooth_outcome_has_its_derivative() -> std::result::Result<(), Box<dyn Error>> {
    let outcome = |x: &[f64]| Ok::<f64, dualbody::Error>(x[0].sin() * x[1]);
    let found = averaged_gradient(outcome, &[0.3, 2.0], &[1e-3, 1e-3], &[1, 0], 4)?;
    assert!((found[0].slope - 0.3f64.sin()).abs() < 1e-6);
    assert!((found[1].slope - 2.0 * 0.3f64.cos()).abs() < 1e-6);
    Ok(())
}

#[test]
fn what_makes_no_sense_is_refused() {
    let outcome = |x: &[f64]| Ok::<f64, dualbody::InvalidInput>(x[0]);
    for (widths, by, pairs) in [
        (&[0.0][..], &[0][..], 1),
        (&[-1.0], &[0], 1),
        (&[1.0], &[1], 1),
        (&[1.0], &[0], 0),
        (&[1.0, 1.0], &[0], 1),
        (&[f64::NAN], &[0], 1),
    ] {
        assert!(averaged_gradient(outcome, &[0.0], widths, by, pairs).is_err());
    }
    let broken = |_: &[f64]| Ok::<f64, dualbody::InvalidInput>(f64::NAN);
    assert!(averaged_gradient(broken, &[0.0], &[1.0], &[0], 2).is_err());
}

/// A rollout in a phase takes the same time, and in the whole phase is the rollout.
#[test]
fn a_rollout_in_a_phase_takes_the_same_time() -> std::result::Result<(), Box<dyn Error>> {
    let system = ball(1e4, 1e-3)?;
    let mut start = system.initial_state();
    start.q[6] = 1.0;
    let whole = system.rollout(&start, 100)?;
    assert_eq!(system.rollout_in_phase(&start, 100, 1.0)?, whole);
    let shifted = system.rollout_in_phase(&start, 100, 0.3)?;
    assert_eq!(
        (
            shifted.states.len(),
            shifted.statuses.len(),
            shifted.inputs.len()
        ),
        (102, 101, 101)
    );
    assert!((shifted.states[1].time - 0.3e-3).abs() < 1e-12);
    assert!((shifted.last().time - whole.last().time).abs() < 1e-12);
    for phase in [0.0, -0.1, 1.1, f64::NAN] {
        assert!(system.rollout_in_phase(&start, 100, phase).is_err());
    }
    Ok(())
}
