//! Identifies the twelve constants of a bushing from poses of a body that rings down in it.
//!
//! A body of known inertia hangs in a bushing, is displaced and let go; its pose is measured at 200 Hz
//! with noise. The data come from another simulator (examples/data/drake_bushing.py). Fitted are the
//! constants and the pose at the start of every release. The estimates are compared with the true
//! constants, their standard errors with the scatter of repeated fits to fresh noise.
//!
//! Run with `cargo run --release --example identify_bushing [-- --help]`.

#[path = "../support/mod.rs"]
mod support;

mod data;
mod ring_down;

use data::{Normal, Release, Sample};
use dualbody::force::bushing::BushingConstants;
use dualbody::identification::{Fit, LevenbergMarquardt, Noise, Problem, Status, Unknown};
use dualbody::math::RollPitchYaw;
use dualbody::math::rotation;
use nalgebra::Vector3;
use ring_down::{CONSTANTS, HangingBody, NOISE, POSE, RingDown};
use std::path::Path;
use support::Failure;
use support::arguments::Arguments;
use support::chart::{Chart, Mark, write_charts};

const USAGE: &str = "\
Identify the constants of a bushing from the ring-down of a body that hangs in it.

usage: identify_bushing [options]

  --data FILE  poses (CSV: release,t,qw,qx,qy,qz,px,py,pz). Default: four releases made with Drake
  --draws N    repeated fits to fresh noise that confirm the standard errors (default 30)
  --out DIR    folder for the plots (default out)
  --quick      the first 0.2 s of two releases and three draws, to see that it works";

const EMBEDDED: &str = include_str!("../data/drake_bushing.csv");

/// Name, unit and true value of the constants, in the order of the bushing's parameters.
const TRUTH: [(&str, &str, f64); CONSTANTS] = [
    ("torque_stiffness/0", "N m/rad", 8.0),
    ("torque_stiffness/1", "N m/rad", 5.0),
    ("torque_stiffness/2", "N m/rad", 3.0),
    ("torque_damping/0", "N m s/rad", 0.06),
    ("torque_damping/1", "N m s/rad", 0.05),
    ("torque_damping/2", "N m s/rad", 0.03),
    ("force_stiffness/x", "N/m", 800.0),
    ("force_stiffness/y", "N/m", 1200.0),
    ("force_stiffness/z", "N/m", 2000.0),
    ("force_damping/x", "N s/m", 4.0),
    ("force_damping/y", "N s/m", 5.0),
    ("force_damping/z", "N s/m", 9.0),
];
/// Where the search starts, the same for the constants of a kind.
const GUESS: [f64; 4] = [4.0, 0.1, 1000.0, 10.0];

fn main() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let quick = arguments.flag("--quick");
    let path: Option<String> = arguments.option("--data")?;
    let draws = arguments
        .option("--draws")?
        .unwrap_or(if quick { 3 } else { 30 });
    let out = arguments.output_folder()?;
    arguments.finish()?;
    let text = match path {
        Some(path) => std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?,
        None => EMBEDDED.to_owned(),
    };
    let mut releases = data::parse(&text)?;
    if quick {
        releases.truncate(2);
        releases.iter_mut().for_each(|r| r.samples.truncate(41));
    }
    let model = HangingBody::new(BushingConstants::weld(
        Vector3::repeat(GUESS[0]),
        Vector3::repeat(GUESS[1]),
        Vector3::repeat(GUESS[2]),
        Vector3::repeat(GUESS[3]),
    )?)?;

    println!("One release in the plane y = 0:");
    let planar = fit(&model, &releases[..1], &guess(1))?;
    report_determined(&planar);

    println!("\nAll {} releases:", releases.len());
    let fitted = fit(&model, &releases, &guess(releases.len()))?;
    report_determined(&fitted);
    report_estimates(&fitted);

    let ratios = confirm_standard_errors(&model, &releases, &fitted, draws)?;
    println!("\nScatter of {draws} fits to fresh noise, relative to the standard error:");
    for ((name, ..), ratio) in TRUTH.iter().zip(&ratios) {
        println!("  {name:20} {ratio:6.2}");
    }
    let mean_square = ratios.iter().map(|r| r * r).sum::<f64>() / CONSTANTS as f64;
    println!("  root mean square     {:6.2}", mean_square.sqrt());

    let file = out.join("identify_bushing.svg");
    plot(&file, &model, &releases, &fitted)?;
    println!("\nMeasured against fitted: {}", file.display());
    Ok(())
}

/// The start of the search: constants, then no correction of the initial poses.
fn guess(releases: usize) -> Vec<f64> {
    let constants = (0..CONSTANTS).map(|i| GUESS[i / 3]);
    constants
        .chain(std::iter::repeat_n(0.0, POSE * releases))
        .collect()
}

fn experiments<'a>(model: &'a HangingBody, releases: &'a [Release]) -> Vec<RingDown<'a>> {
    (releases.iter().enumerate())
        .map(|(index, release)| RingDown {
            model,
            first_unknown: CONSTANTS + POSE * index,
            release,
        })
        .collect()
}

fn fit(model: &HangingBody, releases: &[Release], start: &[f64]) -> Result<Fit, Failure> {
    let mut unknowns = Vec::new();
    for ((name, unit, _), &initial) in TRUTH.iter().zip(start) {
        let unknown = Unknown::new(*name, *unit, initial)?;
        unknowns.push(unknown.bounds(1e-4, 1e6)?.logarithmic()?);
    }
    for (index, &initial) in start.iter().enumerate().skip(CONSTANTS) {
        let (release, component) = ((index - CONSTANTS) / POSE, (index - CONSTANTS) % POSE);
        let (unit, scale) = if component < 3 {
            ("rad", NOISE.0)
        } else {
            ("m", NOISE.1)
        };
        let name = format!("release {release}/pose/{component}");
        unknowns.push(Unknown::new(name, unit, initial)?.scale(scale)?);
    }
    let experiments = experiments(model, releases);
    let problem = Problem::new(unknowns, &experiments)?;
    let fit = LevenbergMarquardt::new().noise(Noise::Unit).fit(&problem)?;
    if !fit.stop.is_converged() {
        return Err(format!("the fit did not converge: {:?}", fit.stop).into());
    }
    Ok(fit)
}

/// Says which of the constants the data determine.
fn report_determined(fit: &Fit) {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    for ((name, ..), estimate) in TRUTH.iter().zip(&fit.estimates) {
        let is_known = estimate.status == Status::Determined
            && estimate.relative_standard_error.is_some_and(|e| e < 0.3);
        if is_known { &mut known } else { &mut unknown }.push(*name);
    }
    println!("  determined within 30 %: {}", list(&known));
    println!("  not determined:         {}", list(&unknown));
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.join(", ")
}

fn report_estimates(fit: &Fit) {
    println!(
        "\n  {:20} {:>10} {:>10} {:>9}  error/σ",
        "constant", "estimate", "true", "σ"
    );
    for ((name, unit, truth), estimate) in TRUTH.iter().zip(&fit.estimates) {
        let value = estimate.value;
        match estimate.standard_error {
            Some(sigma) => {
                let deviation = (value - truth) / sigma;
                println!(
                    "  {name:20} {value:10.4} {truth:10.4} {sigma:9.4}  {deviation:+5.2}  {unit}"
                );
            }
            None => println!(
                "  {name:20} {value:10.4} {truth:10.4} {:>9}         {unit}",
                "-"
            ),
        }
    }
    let freedom = fit.residual_count - fit.unknowns.len();
    let reduced = 2.0 * fit.cost / freedom as f64;
    println!("  reduced χ² {reduced:.3} with {freedom} degrees of freedom");
}

/// Fits fresh noise on the fitted motion again and again. The scatter of every constant, relative to
/// its standard error.
fn confirm_standard_errors(
    model: &HangingBody,
    releases: &[Release],
    fitted: &Fit,
    draws: usize,
) -> Result<Vec<f64>, Failure> {
    let values = fitted.values();
    let mut ideal: Vec<Vec<Sample>> = Vec::new();
    for experiment in experiments(model, releases) {
        ideal.push(experiment.predict(&values)?);
    }
    let mut random = Normal::new(7);
    let mut squares = [0.0; CONSTANTS];
    for _ in 0..draws {
        let noisy: Vec<Release> = (ideal.iter())
            .map(|samples| Release {
                samples: samples.iter().map(|s| random.disturb(s, NOISE)).collect(),
            })
            .collect();
        // Poses are measured from the first sample, so only the constants are known to begin with.
        let mut start = guess(releases.len());
        start[..CONSTANTS].copy_from_slice(&values[..CONSTANTS]);
        let again = fit(model, &noisy, &start)?;
        for (i, square) in squares.iter_mut().enumerate() {
            let sigma = fitted.estimates[i].standard_error.unwrap_or(f64::NAN);
            *square += ((again.estimates[i].value - values[i]) / sigma).powi(2);
        }
    }
    Ok(squares.iter().map(|s| (s / draws as f64).sqrt()).collect())
}

fn plot(path: &Path, model: &HangingBody, releases: &[Release], fit: &Fit) -> Result<(), Failure> {
    let mut charts = Vec::new();
    for (index, experiment) in experiments(model, releases).iter().enumerate() {
        let predicted = experiment.predict(&fit.values())?;
        let measured = &experiment.release.samples;
        let mut positions = Chart::new(format!("Release {index}: position"), "t in s", "m");
        let mut angles = Chart::new(format!("Release {index}: angles"), "t in s", "rad");
        for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
            let offset = if axis == 2 { 0.2 } else { 0.0 };
            let along = |s: &Sample| (s.time, s.position[axis] + offset);
            let name = if axis == 2 { "z + 0.2 m" } else { name };
            positions = positions
                .with(
                    format!("{name} measured"),
                    Mark::Dots,
                    measured.iter().map(along).collect(),
                )
                .with(
                    format!("{name} fitted"),
                    Mark::Line,
                    predicted.iter().map(along).collect(),
                );
        }
        for (axis, name) in ["roll", "pitch", "yaw"].into_iter().enumerate() {
            let along = |s: &Sample| {
                let matrix = rotation::matrix_from_quaternion(&s.orientation);
                let RollPitchYaw { roll, pitch, yaw } = RollPitchYaw::from_matrix(&matrix);
                (s.time, [roll, pitch, yaw][axis])
            };
            angles = angles
                .with(
                    format!("{name} measured"),
                    Mark::Dots,
                    measured.iter().map(along).collect(),
                )
                .with(
                    format!("{name} fitted"),
                    Mark::Line,
                    predicted.iter().map(along).collect(),
                );
        }
        charts.extend([positions, angles]);
    }
    write_charts(path, &charts)
}
