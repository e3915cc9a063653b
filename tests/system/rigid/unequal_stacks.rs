//! Stacks of very unequal masses rest on rigid contacts.

use dualbody::prelude::*;
use std::error::Error;

/// A box on a box on the floor, of these masses in kg, stays where it is.
fn check_rest(masses: [f64; 2]) -> std::result::Result<(), Box<dyn Error>> {
    let material = ContactMaterial::new(1e5, 0.1, 0.5)?;
    let shape = Shape::new_box(Vector3::repeat(0.1))?;
    let system = SystemBuilder::new()
        .floor("floor", material)
        .free_body("low", shape.clone(), masses[0], material)
        .free_body("high", shape, masses[1], material)
        .rigid(1e-3)?;
    let mut state = system.initial_state();
    (state.q[6], state.q[13]) = (0.05, 0.15);
    let mut workspace = system.workspace()?;
    for k in 0..300 {
        let mut step = system.step(&mut workspace, &state, &[])?;
        let next = step.state().clone();
        let weight = 9.81 * (masses[0] + masses[1]);
        let floor = step.contacts()?.iter().filter(|c| c.position.z < 0.05);
        let carried: f64 = floor.map(|contact| contact.force.z).sum();
        assert!(
            (carried / weight - 1.0).abs() < 1e-3,
            "{masses:?}, step {k}: {carried} N"
        );
        state = next;
        let moved = (state.q[6] - 0.05).abs().max((state.q[13] - 0.15).abs());
        // Speeds of the light box are differences of the forces on it, known to the residual.
        assert!(moved < 1e-6, "{masses:?}, step {k}: by {moved:e}");
    }
    Ok(())
}

#[test]
fn a_light_box_carries_a_heavy_one() -> std::result::Result<(), Box<dyn Error>> {
    (4..=9).try_for_each(|exponent| {
        check_rest([1e-3, 1e-3 * 10f64.powi(exponent)])?;
        println!("1 : 1e{exponent} rests");
        Ok(())
    })
}

#[test]
fn a_heavy_box_carries_a_light_one() -> std::result::Result<(), Box<dyn Error>> {
    (4..=9).try_for_each(|exponent| check_rest([1e-3 * 10f64.powi(exponent), 1e-3]))
}

#[test]
fn a_stack_of_five_takes_a_bounded_number_of_pivots() -> std::result::Result<(), Box<dyn Error>> {
    let material = ContactMaterial::new(1e5, 0.0, 0.5)?;
    let mut builder = SystemBuilder::new().floor("floor", material);
    let masses = [2.5, 3.1e4, 41.0, 3.9e4, 9.6e4];
    for (k, mass) in masses.into_iter().enumerate() {
        let x = 0.01 * k as f64;
        let shape = Shape::new_box(Vector3::new(0.13 + x, 0.15 - x, 0.1))?;
        builder = builder.free_body(format!("box {k}"), shape, mass, material);
    }
    let system = builder.rigid(2e-3)?;
    let mut state = system.initial_state();
    for k in 0..masses.len() {
        let x = k as f64;
        let place = [0.003 * x, -0.002 * x, 0.05 + 0.1 * x];
        state.q.as_mut_slice()[7 * k + 4..7 * k + 7].copy_from_slice(&place);
    }
    let mut workspace = system.workspace()?;
    for k in 0..20 {
        let step = system.step(&mut workspace, &state, &[])?;
        let pivots = step.status().iterations;
        // One of 150 variables, of which 30 are velocities.
        assert!(pivots <= 1000, "step {k}: {pivots} pivots");
        let next = step.state().clone();
        state = next;
        assert!(state.v.amax() < 1e-6, "step {k}: {:e}", state.v.amax());
    }
    Ok(())
}

/// Boxes on each other whose masses grow or alternate stay where they are.
#[test]
fn stacks_of_several_boxes_rest() -> std::result::Result<(), Box<dyn Error>> {
    let stacks: [(&[f64], f64); 2] = [(&[1.0, 1e4, 1e8], 0.02), (&[0.5, 5e7, 0.5, 5e7, 0.5], 0.3)];
    for (masses, size) in stacks {
        let material = ContactMaterial::new(1e5, 0.1, 0.5)?;
        let mut builder = SystemBuilder::new().floor("floor", material);
        for (k, &mass) in masses.iter().enumerate() {
            let shape = Shape::new_box(Vector3::repeat(size))?;
            builder = builder.free_body(format!("box {k}"), shape, mass, material);
        }
        let system = builder.rigid(1e-2)?;
        let mut start = system.initial_state();
        for k in 0..masses.len() {
            start.q[7 * k + 6] = size * (k as f64 + 0.5);
        }
        let mut workspace = system.workspace()?;
        let mut state = start.clone();
        for _ in 0..150 {
            state.clone_from(system.step(&mut workspace, &state, &[])?.state());
        }
        let moved = (&state.q - &start.q).amax();
        assert!(moved < 1e-7, "{masses:?}: by {moved:e}");
    }
    Ok(())
}
