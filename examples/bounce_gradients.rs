//! What the gradient of a simulated impact means.
//!
//! A ball falls on a floor and bounces; how high it is a moment later is differentiated with respect to the
//! height of its fall, in fixed steps through a compliant contact, and compared with the gradient of the flow:
//! an elastic impact at the instant of touching. `docs/GRADIENTS.md` says what is to be seen.
//!
//! `--out DIR` is the folder for picture and page (default `out`), `--quick` computes fewer points.

#[path = "support/mod.rs"]
mod support;

use dualbody::num_dual::Dual64;
use dualbody::prelude::*;
use dualbody::scene::Scene;
use dualbody::system::Rollout;
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const RADIUS: f64 = 0.05;
const MASS: f64 = 1.0;
const G: f64 = 9.81;
/// From the start to the end, in s; the fall takes 0.4 s.
const TIME: f64 = 0.75;
const FALL: f64 = 0.8;

/// The motion after a fall from a height in m.
fn bounce<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, fall: T) -> Result<Rollout<T>> {
    let mut start = system.initial_state();
    let centre = Vector3::new(T::zero(), T::zero(), fall + RADIUS);
    system.set_body_position(&mut start, "ball", centre)?;
    let steps = (TIME / system.time_step().re()).round() as usize;
    Ok(system.rollout(&start, steps)?)
}

/// The height of the ball above the floor at the end, in m, from that of its fall.
fn end<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
    let rollout = bounce(system, x[0])?;
    Ok(system.body_pose(rollout.last(), "ball")?.translation.z - RADIUS)
}

/// The height at a time with an elastic impact of no duration, and its derivative.
fn flow(fall: f64, time: f64) -> (f64, f64) {
    let (impact, speed) = ((2.0 * fall / G).sqrt(), (2.0 * G * fall).sqrt());
    let rest = time - impact;
    if rest < 0.0 {
        return (fall - 0.5 * G * time * time, 1.0);
    }
    let height = speed * rest - 0.5 * G * rest * rest;
    (height, (2.0 * G * rest - speed) / speed)
}

fn system(stiffness: f64, dt: f64) -> Result<TimeSteppingRigidBodySystem<f64>> {
    let material = ContactMaterial::new(stiffness, 0.0, 0.5)?;
    Ok(SystemBuilder::new()
        .floor("floor", material)
        .free_body("ball", Shape::new_sphere(RADIUS)?, MASS, material)
        .pair_material("ball", "floor", material)
        .compliant(dt)?)
}

/// Gradients beside those of the flow, over heights of fall that differ by what is fallen in two steps.
struct Study {
    /// Steps that an elastic contact of this stiffness would last.
    steps_in_contact: f64,
    /// Heights of fall and gradients.
    gradients: Vec<(f64, f64)>,
    /// The difference of the ends over that of the heights, for the first and the last fall: over jumps.
    difference: f64,
    mean: f64,
    spread: f64,
    wrong_signs: usize,
}

fn study(stiffness: f64, dt: f64, points: usize) -> Result<Study> {
    let system = system(stiffness, dt)?;
    let width = 2.0 * dt * (2.0 * G * FALL).sqrt();
    let (mut gradients, mut ends) = (Vec::new(), Vec::new());
    for i in 0..points {
        let fall = FALL + width * (i as f64 / (points - 1) as f64 - 0.5);
        let (height, gradient) = gradient!(end, &system, [fall])?;
        gradients.push((fall, gradient[0]));
        ends.push(height);
    }
    let count = points as f64;
    let mean = gradients.iter().map(|(_, g)| g).sum::<f64>() / count;
    let variance = gradients
        .iter()
        .map(|(_, g)| (g - mean).powi(2))
        .sum::<f64>()
        / count;
    Ok(Study {
        steps_in_contact: std::f64::consts::PI * (MASS / stiffness).sqrt() / dt,
        wrong_signs: (gradients.iter())
            .filter(|(fall, g)| g * flow(*fall, TIME).1 < 0.0)
            .count(),
        difference: (ends[points - 1] - ends[0]) / width,
        mean,
        spread: variance.sqrt(),
        gradients,
    })
}

/// A fall that is resolved, where it would be from another height, and beside it the elastic impact and the
/// same in too few steps; with their gradients over time.
fn scene() -> Result<Scene> {
    let differentiated = |stiffness, dt| {
        let system = system(stiffness, dt)?.cast::<Dual64>();
        let rollout = bounce(&system, Dual64::from(FALL).derivative())?;
        Ok::<_, dualbody::Error>((system, rollout))
    };
    let gradient = |rollout: &Rollout<Dual64>| {
        let states = rollout.states.iter().step_by(4);
        states.map(|s| (s.time.re, s.q[6].eps)).collect::<Vec<_>>()
    };
    let (system, resolved) = differentiated(1e5, 2e-4)?;
    let (coarse_system, coarse) = differentiated(1e5, 1e-3)?;
    // Beside the ball, so that all are to be seen.
    let aside = |states: Vec<State<f64>>, x: f64| {
        let moved = states.into_iter().map(|mut state| {
            state.q[4] = x;
            state
        });
        moved.collect::<Vec<_>>()
    };
    let elastic: Vec<State<f64>> = (resolved.states.iter())
        .map(|state| {
            let mut state = state.cast();
            state.q[6] = flow(FALL, state.time).0 + RADIUS;
            state
        })
        .collect();
    let few = coarse.states.iter().map(State::cast).collect();
    let real = system.cast::<f64>();
    let elastic = Scene::of_states(real.system(), &aside(elastic, 0.2))?;
    let few = Scene::of_states(coarse_system.cast::<f64>().system(), &aside(few, -0.2))?;
    let times: Vec<f64> = resolved.states.iter().map(|s| s.time.re).collect();
    let of_flow = times.iter().step_by(4).map(|&t| (t, flow(FALL, t).1));
    let chart = Chart::new("Gradient of the height", "time [s]", "gradient [m/m]")
        .with("steps of 0.2 ms", Mark::Line, gradient(&resolved))
        .with("steps of 1 ms", Mark::Line, gradient(&coarse))
        .with("elastic impact", Mark::Dashes, of_flow.collect());
    Ok((resolved.scene(&system)?)
        .titled("The gradient of a bounce")
        .about(
            "In the middle steps that resolve the impact, with ghosts for a higher and a lower fall; on the \
             right an elastic impact, on the left steps that are too long.",
        )
        .with_sensitivity("fall ± 0.1 m", &system, &resolved.states, 0.1)?
        .with_ghost("elastic impact", elastic)
        .with_ghost("steps of 1 ms", few)
        .with_chart(chart))
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> std::result::Result<(), Failure> {
    let mut arguments = Arguments::of_process("usage: bounce_gradients [--quick] [--out DIR]");
    let quick = arguments.flag("--quick");
    let folder = arguments.output_folder()?;
    arguments.finish()?;
    let points = if quick { 9 } else { 81 };

    let (height, exact) = flow(FALL, TIME);
    println!(
        "A ball falls {FALL} m and bounces. After {TIME} s an elastic one is {height:.4} m high, and {exact:.4} m \
         higher for each metre of fall.\nGradients of fixed steps, over falls that end in all phases of a step:\n"
    );
    println!(
        "{:>9} {:>7}  {:>16}  {:>9} {:>9} {:>11} {:>12}",
        "k [N/m]", "dt [ms]", "steps in contact", "mean", "spread", "wrong sign", "difference"
    );
    let mut by_resolution = Vec::new();
    let mut charts = Vec::new();
    for dt in [5e-3, 1e-3, 2e-4] {
        if quick && dt < 1e-3 {
            continue;
        }
        let mut chart = Chart::new(
            format!(
                "Gradient against the height of fall, steps of {} ms",
                dt * 1e3
            ),
            "height of fall [m]",
            "gradient of the end [m/m]",
        );
        for stiffness in [1e3, 1e4, 1e5, 1e6] {
            let study = study(stiffness, dt, points)?;
            println!(
                "{stiffness:>9.0e} {:>7}  {:>16.1}  {:>9.3} {:>9.3} {:>9} % {:>12.3}",
                dt * 1e3,
                study.steps_in_contact,
                study.mean,
                study.spread,
                100 * study.wrong_signs / points,
                study.difference
            );
            by_resolution.push((study.steps_in_contact, study.spread));
            if [1e4, 1e6].contains(&stiffness) {
                let name = format!("k = {stiffness:.0e} N/m");
                chart = chart.with(name, Mark::Dots, study.gradients);
            }
        }
        let width = dt * (2.0 * G * FALL).sqrt();
        let falls = [FALL - width, FALL + width];
        charts.push(chart.with(
            "flow",
            Mark::Line,
            falls.map(|fall| (fall, flow(fall, TIME).1)).to_vec(),
        ));
    }
    by_resolution.sort_by(|a, b| a.0.total_cmp(&b.0));
    let chart = Chart::new(
        "Spread of the gradient over the phases of a step",
        "steps in contact",
        "standard deviation [m/m]",
    );
    charts.push(chart.logarithmic().logarithmic_abscissa().with(
        "simulated",
        Mark::Line,
        by_resolution,
    ));
    let picture = folder.join("bounce_gradients.svg");
    write_charts(&picture, &charts)?;
    println!("\nPicture: {}", picture.display());
    support::show(&scene()?, &folder, "bounce_gradients")
}
