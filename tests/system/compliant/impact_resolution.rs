//! The time step that a machine recommends, and the impacts that too few steps resolve.

use dualbody::prelude::*;
use dualbody::system::STEPS_OF_IMPACT;
use std::error::Error;
use std::f64::consts::PI;

const STIFFNESS: f64 = 1e4;

fn rubber() -> Result<ContactMaterial<f64>> {
    Ok(ContactMaterial::new(STIFFNESS, 0.0, 0.0)?)
}

/// A ball of 1 kg, 5 cm above the floor, that falls at 1 m/s.
fn ball(time_step: f64) -> Result<(TimeSteppingRigidBodySystem<f64>, State<f64>)> {
    let system = SystemBuilder::new()
        .floor("floor", rubber()?)
        .free_body("ball", Shape::new_sphere(0.05)?, 1.0, rubber()?)
        .pair_material("ball", "floor", rubber()?)
        .compliant(time_step)?;
    let mut start = system.initial_state();
    system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.1])?;
    start.v[5] = -1.0;
    Ok((system, start))
}

#[test]
fn the_recommended_step_is_of_the_stiffest_pair_with_all_its_points()
-> std::result::Result<(), Box<dyn Error>> {
    let build = |shape: Shape<f64>, mass: f64| {
        Ok::<_, dualbody::Error>(
            SystemBuilder::new()
                .floor("floor", rubber()?)
                .free_body("body", shape, mass, rubber()?)
                .free_body("heavy", Shape::new_sphere(0.05)?, 1e3, rubber()?)
                .pair_material("body", "floor", rubber()?)
                .pair_material("heavy", "floor", rubber()?)
                .build()?,
        )
    };
    let shapes = [
        (Shape::new_sphere(0.1)?, 1.0),
        (Shape::new_capsule(0.1, 0.2)?, 2.0),
        (Shape::new_box(Vector3::repeat(0.1))?, 4.0),
    ];
    for (shape, points) in shapes {
        let system = build(shape, 0.5)?;
        let recommended = (system.recommended_time_step()).ok_or("there are impacts")?;
        let right = PI * (0.5 / (points * STIFFNESS)).sqrt() / STEPS_OF_IMPACT;
        assert!((recommended.time_step / right - 1.0).abs() < 1e-14);
        assert_eq!(recommended.impact.geometries, ["body", "floor"]);
        let impacts = system.impacts();
        assert_eq!(impacts.first(), Some(&recommended.impact));
        assert!(impacts.is_sorted_by_key(|impact| impact.duration) && impacts.len() == 3);
    }
    let nothing = SystemBuilder::<f64>::new().build()?;
    assert_eq!(nothing.recommended_time_step(), None);
    Ok(())
}

#[test]
fn a_step_as_recommended_keeps_nine_tenths_of_a_bounce() -> std::result::Result<(), Box<dyn Error>>
{
    let recommended = ball(1e-3)?
        .0
        .system()
        .recommended_time_step()
        .ok_or("impacts")?;
    let (system, start) = ball(0.999 * recommended.time_step)?;
    let rollout = system.rollout(&start, (0.1 / recommended.time_step) as usize)?;
    let fastest = rollout
        .states
        .iter()
        .map(|state| state.v[5])
        .fold(0.0, f64::max);
    let arrival = (1.0f64 + 2.0 * 9.81 * 0.05).sqrt();
    assert!(fastest > 0.9 * arrival && fastest < arrival);
    assert_eq!(system.coarse_impacts(&rollout, 0.0)?, []);
    Ok(())
}

#[test]
fn an_impact_in_too_few_steps_is_named() -> std::result::Result<(), Box<dyn Error>> {
    let (system, start) = ball(2e-3)?;
    let rollout = system.rollout(&start, 60)?;
    let coarse = system.coarse_impacts(&rollout, 0.1)?;
    let [first, ..] = coarse.as_slice() else {
        return Err("no impact was found".into());
    };
    let [before, at] = [first.step - 1, first.step].map(|step| rollout.states[step].q[6]);
    assert!(before > 0.05 && at <= 0.05);
    let [fallen, slowed] = [first.step - 1, first.step].map(|step| -rollout.states[step].v[5]);
    assert!((first.speed - fallen.max(slowed)).abs() < 1e-12);
    assert!((first.steps - PI * (1.0 / STIFFNESS).sqrt() / 2e-3).abs() < 1e-9);
    assert!(system.coarse_impacts(&rollout, 10.0)?.is_empty());
    Ok(())
}

/// One step takes all of the speed away, where bodies do not overlap yet.
#[test]
fn the_coarsest_impacts_are_told() -> std::result::Result<(), Box<dyn Error>> {
    for time_step in [0.01, 0.03, 0.1, 0.3] {
        let (system, start) = ball(time_step)?;
        let rollout = system.rollout(&start, (1.5 / time_step) as usize)?;
        let told = system.coarse_impacts(&rollout, 0.1)?;
        let first = told.first().ok_or(format!("{time_step} s"))?;
        assert!(first.speed > 0.9, "{first}");
    }
    Ok(())
}

/// Bodies that start as if they had just met have an impact; those that rest or go deeper do not.
#[test]
fn an_impact_can_be_that_of_the_start() -> std::result::Result<(), Box<dyn Error>> {
    let (system, mut start) = ball(2e-3)?;
    let weight = 9.81 / STIFFNESS;
    for (overlap, speed, is_impact) in [
        (0.0, 1.0, true),
        (1e-9, 1.0, true),
        (1.9e-3, 1.0, true),
        (2.1e-3, 1.0, false),
        (weight, 0.0, false),
        (weight, 1e-6, false),
    ] {
        start.q[6] = 0.05 - overlap;
        start.v[5] = -speed;
        let rollout = system.rollout(&start, 1)?;
        let told = system.coarse_impacts(&rollout, 0.0)?;
        assert_eq!(
            told.len(),
            usize::from(is_impact),
            "{overlap} m, {speed} m/s"
        );
    }
    Ok(())
}

/// A box stands on one edge of its face, and falls onto the other.
#[test]
fn an_impact_can_be_of_points_of_a_pair_that_touches() -> std::result::Result<(), Box<dyn Error>> {
    let (time_step, tilt) = (2e-3, 0.1f64);
    let system = SystemBuilder::new()
        .floor("floor", rubber()?)
        .free_body("box", Shape::new_box(Vector3::repeat(0.2))?, 1.0, rubber()?)
        .pair_material("box", "floor", rubber()?)
        .compliant(time_step)?;
    let mut start = system.initial_state();
    start.q[0] = (tilt / 2.0).cos();
    start.q[2] = (tilt / 2.0).sin();
    start.q[6] = 0.1 * (tilt.cos() + tilt.sin()) - 9.81 / (2.0 * STIFFNESS);
    let rollout = system.rollout(&start, 200)?;
    let told = system.coarse_impacts(&rollout, 0.1)?;
    let first = told.first().ok_or("the face meets the floor")?;
    let height = |step: usize| {
        let q = &rollout.states[step].q;
        let tilt = 2.0 * q[2].atan2(q[0]);
        q[6] - 0.1 * (tilt.cos() - tilt.sin())
    };
    let heights = [first.step - 1, first.step].map(height);
    assert!(
        heights[0] > 0.0 && heights[1] <= 0.0,
        "{first}: {heights:?}"
    );
    Ok(())
}
