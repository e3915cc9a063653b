//! Identifies the twelve constants of a bushing from poses of a body that rings down in it.
//!
//! A body of known inertia hangs in a bushing, is displaced and let go; its pose is measured at 200 Hz
//! with noise. The data come from another simulator (examples/data/drake_bushing.py). Fitted are the
//! constants and the pose at the start of every release. A release in a plane is fitted first, and
//! determines half of the constants; all releases together determine all. The estimates are compared
//! with the true constants, their standard errors with the scatter of repeated fits to fresh noise.
//!
//! Run with `cargo run --release -p dualbody --example identify_bushing [-- --help]`.

#[path = "../support/mod.rs"]
mod support;

mod data;
mod estimation;
mod plots;
mod ring_down;

use dualbody::identification::{Fit, Status};
use estimation::{TRUTH, fit, guess, scatter};
use ring_down::{CONSTANTS, HangingBody, Motion};
use support::Failure;
use support::arguments::Arguments;
use support::fitted::save_report;

const USAGE: &str = "\
Identify the constants of a bushing from the ring-down of a body that hangs in it.

usage: identify_bushing [options]

  --draws N    repeated fits to fresh noise that confirm the standard errors (default 30)
  --out DIR    folder for plots and page (default out)
  --quick      the first 0.2 s of two releases and three draws, to see that it works";

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let quick = arguments.flag("--quick");
    let draws = arguments
        .option("--draws")?
        .unwrap_or(if quick { 3 } else { 30 });
    let out = arguments.output_folder()?;
    arguments.finish()?;
    if draws == 0 {
        return Err("--draws must be at least 1".into());
    }

    let mut releases = data::embedded()?;
    if quick {
        releases.truncate(2);
        releases.iter_mut().for_each(|r| r.samples.truncate(41));
    }
    let model = HangingBody::new()?;
    let samples: usize = releases.iter().map(|r| r.samples.len()).sum();
    println!(
        "A box of 2 kg rings down in a bushing: {} releases, {samples} measured poses.",
        releases.len()
    );

    println!("\nThe first release alone, which stays in the plane y = 0:\n");
    let planar = fit(&model, &releases[..1], Motion::Plane, &guess())?;
    report(&planar);

    println!("\nAll releases:\n");
    let fitted = fit(&model, &releases, Motion::Space, &guess())?;
    report(&fitted);

    println!(
        "\nErrors of {draws} fits to fresh noise, root mean square relative to the standard error:\n"
    );
    let ratios = scatter(&model, &releases, &fitted, draws)?;
    for ((name, ..), ratio) in TRUTH.iter().zip(&ratios) {
        println!("  {name:20} {ratio:6.2}");
    }
    let mean_square = ratios.iter().map(|r| r * r).sum::<f64>() / CONSTANTS as f64;
    println!("  {:20} {:6.2}", "all", mean_square.sqrt());

    let [deformations, deviations] = plots::write(&out, &model, &releases, &fitted)?;
    println!("\nMeasured and fitted motion: {}", deformations.display());
    println!("Measured less fitted: {}", deviations.display());
    save_report(
        &plots::report(&model, &releases, &fitted)?,
        &out,
        "identify_bushing",
    )?;
    let scene = plots::scene(&model, &releases, &fitted, plots::widest(&releases))?;
    support::show(&scene, &out, "identify_bushing")
}

/// Says which of the constants the data determine, and how far the estimates are from the truth.
fn report(fit: &Fit) {
    println!(
        "  {:20} {:>10} {:>10} {:>9}  error/σ",
        "constant", "estimate", "true", "σ"
    );
    let mut undetermined = Vec::new();
    for ((name, unit, truth), estimate) in TRUTH.iter().zip(&fit.estimates) {
        let value = estimate.value;
        match (estimate.status, estimate.standard_error) {
            (Status::Determined, Some(sigma)) => {
                let deviation = (value - truth) / sigma;
                // Two digits of σ.
                let decimals = (1.0 - sigma.log10().floor()).clamp(0.0, 9.0) as usize;
                println!(
                    "  {name:20} {value:10.decimals$} {truth:10} {sigma:9.decimals$}  {deviation:+7.2}  {unit}"
                );
            }
            _ => undetermined.push(*name),
        }
    }
    match undetermined.as_slice() {
        [] => println!("\n  The data determine all constants."),
        names => println!(
            "\n  The data do not determine {}; they keep their first guess.",
            names.join(", ")
        ),
    }
    let freedom = fit.residual_count - fit.determinability.rank();
    let reduced = 2.0 * fit.cost / freedom as f64;
    println!("  Reduced χ² {reduced:.3} with {freedom} degrees of freedom.");
}
