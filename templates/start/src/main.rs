//! A box on a floor: a gradient, a fit and a test of a derivative, to be replaced by your own.

use dualbody::identification::{Experiment, LevenbergMarquardt, Problem, Unknown};
use dualbody::prelude::*;

type Machine<T> = TimeSteppingRigidBodySystem<T>;

fn machine() -> Result<Machine<f64>> {
    let material = ContactMaterial::new(1e5, 0.5, 0.3)?; // N/m, s/m, 1
    SystemBuilder::new()
        .floor("floor", material)
        .free_body("box", Shape::new_box(Vector3::repeat(0.1))?, 1.0, material) // m, kg
        .pair_material("box", "floor", material)
        .compliant(1e-3) // s
        .map_err(Into::into)
}

/// The distance in m that the box slides, from its initial speed in m/s and the coefficient of friction.
fn slide<T: Scalar>(machine: &Machine<T>, x: &[T]) -> Result<T> {
    let mut machine = machine.clone();
    machine.set_parameter("box|floor/friction", x[1])?;
    let mut start = machine.initial_state();
    machine.set_body_position(&mut start, "box", [0.0, 0.0, 0.05].map(T::from).into())?;
    start.v[3] = x[0]; // v = [w; v] of the box
    let end = machine.rollout(&start, 400)?;
    Ok(machine.body_pose(end.last(), "box")?.translation.x)
}

/// Slides that were measured: speeds in m/s, distances in m.
struct Slides {
    machine: Machine<f64>,
    measured: Vec<(f64, f64)>,
}

const NOISE: f64 = 1e-3; // m

impl Experiment for Slides {
    type Error = dualbody::Error;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: DefaultScalar>(&self, p: &[T], residuals: &mut [T]) -> Result<()> {
        let machine = self.machine.cast::<T>();
        for (residual, &(speed, distance)) in residuals.iter_mut().zip(&self.measured) {
            *residual = (slide(&machine, &[T::from(speed), p[0]])? - distance) / NOISE;
        }
        Ok(())
    }
}

pub fn main() -> Result<()> {
    let machine = machine()?;
    let (way, slope) = gradient!(slide, &machine, [1.0, 0.3])?;
    println!(
        "{way:.4} m, {:.4} m per m/s, {:.4} m per unit of friction",
        slope[0], slope[1]
    );

    let measured = vec![(0.6, 0.0618), (0.8, 0.1090), (1.0, 0.1702), (1.1, 0.2064)];
    let experiments = [Slides { machine, measured }];
    let unknowns = [Unknown::new("friction", "1", 0.2)?.logarithmic()?];
    let fit = LevenbergMarquardt::new().fit(&Problem::new(unknowns, &experiments)?)?;
    println!("{fit}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slides<T: Scalar>(machine: &Machine<T>, x: &[T]) -> Result<Vec<T>> {
        Ok(vec![slide(machine, x)?])
    }

    #[test]
    fn the_derivative_is_that_of_differences() {
        assert_jacobian!(slides, &machine().unwrap(), [1.0, 0.3]);
    }
}
