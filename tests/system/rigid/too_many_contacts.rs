//! Rigid steps with more contacts than memory holds dense matrices of.

use dualbody::constraint::ConstraintError;
use dualbody::prelude::*;
use dualbody::system::{Scheme, SystemError, SystemOptions};

/// As many boxes at one place.
fn heap(boxes: usize, round_friction_cones: bool) -> Result<TimeSteppingRigidBodySystem<f64>> {
    let material = ContactMaterial::new(1e5, 0.1, 0.5)?;
    let shape = Shape::new_box(Vector3::new(0.1, 0.2, 0.3))?;
    let mut builder = SystemBuilder::new().floor("floor", material);
    for k in 0..boxes {
        builder = builder.free_body(format!("box {k}"), shape.clone(), 1.0, material);
    }
    let mut options = SystemOptions::default();
    options.round_friction_cones = round_friction_cones;
    let system = builder.build()?.with_options(options)?;
    Ok(TimeSteppingRigidBodySystem::with_scheme(
        system,
        1e-3,
        Scheme::Rigid,
    )?)
}

fn check(error: &SystemError) {
    let SystemError::Constraint(ConstraintError::TooLarge {
        contacts,
        variables,
        bytes,
    }) = error
    else {
        panic!("{error}");
    };
    // A normal force, friction in both senses of two directions, and a slip each.
    assert!(*contacts >= 1770 && *variables == 6 * contacts, "{error}");
    assert!(*bytes > 1 << 32, "{error}");
    let text = error.to_string();
    assert!(text.contains(&format!("{contacts} contacts")), "{text}");
}

#[test]
fn a_heap_of_sixty_boxes_is_an_error_that_says_what_it_would_take() -> Result<()> {
    for round in [false, true] {
        let system = heap(60, round)?;
        let mut workspace = system.workspace()?;
        let state = system.initial_state();
        check(&system.step(&mut workspace, &state, &[]).err().unwrap());
    }
    // The same memory makes another step.
    let system = heap(2, false)?;
    let mut workspace = system.workspace()?;
    let state = system.initial_state();
    system.step(&mut workspace, &state, &[])?;
    Ok(())
}
