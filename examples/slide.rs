//! How far does a box slide, and what does that depend on?
//!
//! `--out DIR` is the folder for the page (default `out`); `--quick` changes nothing here.

#[path = "support/mod.rs"]
mod support;

use dualbody::num_dual::Dual64;
use dualbody::prelude::*;
use support::arguments::Arguments;

/// The distance in m that a box slides, from its initial speed in m/s and the coefficient of friction.
fn slide<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
    let mut system = system.clone();
    system.set_parameter("box|floor/friction", x[1])?;
    let mut start = system.initial_state();
    system.set_body_position(&mut start, "box", [0.0, 0.0, 0.05].map(T::from).into())?;
    start.v[3] = x[0]; // v = [w; v] of the box
    let end = system.rollout(&start, 400)?;
    Ok(system.body_pose(end.last(), "box")?.translation.x)
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), support::Failure> {
    let mut arguments = Arguments::of_process("usage: slide [--quick] [--out DIR]");
    arguments.flag("--quick");
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let material = ContactMaterial::new(1e5, 0.5, 0.3)?; // N/m, s/m, 1
    let system = SystemBuilder::new()
        .floor("floor", material)
        .free_body("box", Shape::new_box(Vector3::repeat(0.1))?, 1.0, material) // kg
        .pair_material("box", "floor", material)
        .compliant(1e-3)?; // s
    let (way, slope) = gradient!(slide, &system, [1.0, 0.3])?;
    println!(
        "{way} m, {} m per m/s, {} m per unit of friction",
        slope[0], slope[1]
    );

    // The same with friction as a dual number, to look at.
    let mut dual = system.cast::<Dual64>();
    dual.set_parameter("box|floor/friction", Dual64::new(0.3, 1.0))?;
    let mut start = dual.initial_state();
    dual.set_body_position(&mut start, "box", [0.0, 0.0, 0.05].map(Dual64::from).into())?;
    start.v[3] = Dual64::from(1.0);
    let rollout = dual.rollout(&start, 400)?;
    let scene = (rollout.scene(&dual)?)
        .titled("A box slides over the floor")
        .about("The ghosts show where it would be with more and with less friction, by the derivative.")
        .with_sensitivity("friction ± 0.05", &dual, &rollout.states, 0.05)?;
    support::show(&scene, &folder, "slide")
}
