//! What the stiction tolerance makes of a gradient.
//!
//! A box that slides to rest is differentiated with respect to friction, and a box that friction holds with respect
//! to the force that pulls at it, for stiction tolerances over seven decades; beside Coulomb's law, by which the
//! one comes to rest after `v²/(2 μ g)` and the other does not move. `docs/GRADIENTS.md` says what is to be seen.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` computes fewer points.

#[path = "support/mod.rs"]
mod support;

use dualbody::num_dual::Dual64;
use dualbody::prelude::*;
use dualbody::system::Rollout;
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const HALF: f64 = 0.05;
const MASS: f64 = 1.0;
const G: f64 = 9.81;
const STIFFNESS: f64 = 1e5;
const FRICTION: f64 = 0.3;
const SPEED: f64 = 1.0;
/// The force in N that friction holds, a third of what it could.
const PULL: f64 = 1.0;
/// From the start to the end, in s; the box slides for 0.34 s.
const TIME: f64 = 0.6;

fn system(dt: f64) -> Result<TimeSteppingRigidBodySystem<f64>> {
    let material = ContactMaterial::new(STIFFNESS, 1.0, FRICTION)?;
    Ok(SystemBuilder::new()
        .floor("floor", material)
        .free_body(
            "box",
            Shape::new_box(Vector3::repeat(2.0 * HALF))?,
            MASS,
            material,
        )
        .pair_material("box", "floor", material)
        .compliant(dt)?
        .with_generalized_forces()?)
}

/// The motion of a box with a speed in m/s, a coefficient of friction and a force along x in N.
fn motion<T: Scalar>(
    system: &TimeSteppingRigidBodySystem<T>,
    [tolerance, speed, friction, pull]: [T; 4],
) -> Result<Rollout<T>> {
    let mut system = system.clone();
    system.set_parameter("stiction_tolerance", tolerance)?;
    system.set_parameter("box|floor/friction", friction)?;
    // As deep as it rests, so that nothing but friction moves it.
    let depth = MASS * G / 4.0 / STIFFNESS;
    let mut start = system.initial_state();
    let centre = Vector3::new(0.0, 0.0, HALF - depth).map(T::from);
    system.set_body_position(&mut start, "box", centre)?;
    start.v[3] = speed;
    // Through the middle of the contacts, so that it does not tip.
    let arm = T::from(depth - HALF);
    let steps = (TIME / system.time_step().re()).round() as usize;
    let mut workspace = system.workspace()?;
    let pulled = |_, _: &State<T>, input: &mut [T]| (input[3], input[1]) = (pull, arm * pull);
    let rollout = system.rollout_with(&mut workspace, &start, steps, pulled);
    Ok(rollout.completed()?)
}

/// Where a box comes to rest, from its coefficient of friction.
fn slide<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
    let [tolerance, friction] = [x[0], x[1]];
    let rollout = motion(system, [tolerance, T::from(SPEED), friction, T::zero()])?;
    Ok(rollout.last().q[4])
}

/// Where a box that is held is at the end, from the force.
fn creep<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
    let [tolerance, pull] = [x[0], x[1]];
    let rollout = motion(system, [tolerance, T::zero(), T::from(FRICTION), pull])?;
    Ok(rollout.last().q[4])
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> std::result::Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: friction_gradients [--quick] [--out DIR]");
    let quick = arguments.flag("--quick");
    let folder = arguments.output_folder()?;
    arguments.finish()?;

    let limit = FRICTION * MASS * G;
    let coulomb = -SPEED * SPEED / (2.0 * FRICTION * FRICTION * G);
    println!(
        "By Coulomb's law the end of the slide moves by {coulomb:.4} m per unit of friction, and a pull moves nothing.\n"
    );
    println!(
        "{:>7} {:>10}  {:>14} {:>9}  {:>11} {:>15}",
        "dt [ms]", "v_s [m/s]", "slide [m/1]", "error", "creep [m/N]", "regularised law"
    );
    let [mut errors, mut creeps] = [
        ("Slide: error of the gradient", "relative error"),
        ("Held: gradient of the end", "gradient [m/N]"),
    ]
    .map(|(title, label)| {
        let chart = Chart::new(title, "stiction tolerance [m/s]", label);
        chart.logarithmic().logarithmic_abscissa()
    });
    for dt in [1e-3, 1e-4] {
        if quick && dt < 1e-3 {
            continue;
        }
        let system = system(dt)?;
        let (mut error, mut creeping) = (Vec::new(), Vec::new());
        for i in 0..if quick { 4 } else { 15 } {
            let tolerance = 10f64.powf(-7.0 + 0.5 * f64::from(i));
            let (_, by_friction) = gradient!(slide, &system, [tolerance, FRICTION])?;
            let (_, by_pull) = gradient!(creep, &system, [tolerance, PULL])?;
            let off = (by_friction[1] / coulomb - 1.0).abs();
            println!(
                "{:>7} {tolerance:>10.1e}  {:>14.5} {:>7.2} %  {:>11.2e} {:>15.2e}",
                dt * 1e3,
                by_friction[1],
                100.0 * off,
                by_pull[1],
                TIME * tolerance / (2.0 * limit * (1.0 - PULL / limit).sqrt())
            );
            error.push((tolerance, off));
            creeping.push((tolerance, by_pull[1].abs()));
        }
        let name = format!("steps of {} ms", dt * 1e3);
        errors = errors.with(name.clone(), Mark::Line, error);
        creeps = creeps.with(name, Mark::Line, creeping);
    }
    let picture = folder.join("friction_gradients.svg");
    write_charts(&picture, &[errors, creeps])?;
    println!("\nPicture: {}", picture.display());

    let system = system(1e-3)?.cast::<Dual64>();
    let at = |tolerance: f64| {
        let friction = Dual64::from(FRICTION).derivative();
        motion(
            &system,
            [tolerance.into(), SPEED.into(), friction, 0.0.into()],
        )
    };
    let (sharp, soft) = (at(1e-4)?, at(0.3)?);
    let scene = (sharp.scene(&system)?)
        .titled("A slide and its friction")
        .about("With a stiction tolerance of 0.1 mm/s, with ghosts for more and less friction; and of 0.3 m/s, which creeps.")
        .with_sensitivity("friction ± 0.05", &system, &sharp.states, 0.05)?
        .with_ghost("tolerance of 0.3 m/s", soft.scene(&system)?);
    support::show(&scene, &folder, "friction_gradients")
}
