//! How far does a box slide, and what does that depend on?

use dualbody::prelude::*;

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

fn main() -> Result<()> {
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
    Ok(())
}
