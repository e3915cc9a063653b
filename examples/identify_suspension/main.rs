//! Identifies the suspension of a mobile base from its measured motion and the wrench on a force plate.
//!
//! Springs that creep, stops, and the balance of momentum of what stands on them predict the wrench from the motion of
//! three markers ([`model`]). A held-out part of what may be fitted says which of them the record needs ([`choice`]).
//! Prediction and measurement are compared below 2.5 Hz on a part of the record that was not fitted, beside two
//! linear least squares.
//!
//! Without arguments it runs on a record that it makes itself ([`synthetic`]). Run with `--help` for the
//! options.

#[path = "../support/mod.rs"]
mod support;

mod choice;
mod linear;
mod model;
mod observation;
mod plots;
mod record;
mod report;
mod score;
mod signal;
mod synthetic;

use choice::Tried;
use dualbody::scene::FitReport;
use model::{Roll, Suspension, force_signs};
use observation::Observation;
use score::Score;
use std::path::PathBuf;
use support::Failure;
use support::arguments::Arguments;
use support::chart::write_charts;
use support::fitted::save_report;

const USAGE: &str = "\
Identify the suspension of a base from its motion and the wrench on a force plate.

usage: identify_suspension [options]

  --data FILE   markers and wrench (CSV); the first 70 % are fitted, the rest is the test,
                unless --test is given. Default: a record made by the example
  --test FILE   a record to test on; all of --data is then fitted. Where it goes on from
                the end of --data, so do the states of the suspension
  --skip S      seconds at the start of --data that are not fitted (default 3)
  --json FILE   write estimates, standard errors, history and scores
  --out DIR     folder for the plots (default out)
  --quick       ten steps of the fit only, to see that it works";

/// Channels of the wrench.
pub const CHANNELS: [&str; 6] = ["fx", "fy", "fz", "mx", "my", "mz"];

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(USAGE);
    let quick = arguments.flag("--quick");
    let data: Option<PathBuf> = arguments.option("--data")?;
    let test: Option<PathBuf> = arguments.option("--test")?;
    let json = arguments.output_file("--json")?;
    let skip: f64 = arguments.option("--skip")?.unwrap_or(3.0);
    let out = arguments.output_folder()?;
    arguments.finish()?;

    let data = match &data {
        Some(path) => record::read(path)?,
        None => synthetic::record()?,
    };
    let (record, split) = match &test {
        Some(path) => data.followed_by(record::read(path)?),
        None => {
            let split = data.len() * 7 / 10;
            (data, split)
        }
    };
    let (fitted, tested) = (record.time(0, split), record.time(split, record.len()));
    if !(0.0..fitted - 5.0).contains(&skip) || tested < 2.0 {
        return Err(format!(
            "{fitted:.1} s to fit less {skip} s and {tested:.1} s to test are too short"
        )
        .into());
    }
    let observation = Observation::new(&record, split, skip);
    println!("{fitted:.1} s to fit less the first {skip} s, {tested:.1} s to test");
    for (axis, sign) in ["x", "y"].iter().zip(force_signs(&observation)) {
        if sign < 0.0 {
            println!(
                "The balance of momentum says that f{axis} is measured with the opposite sign."
            );
        }
    }

    let steps = if quick { 10 } else { 60 };
    let tried = choice::try_all(&record.first(split), skip, steps)?;
    println!("\nErrors on the last fifth of what may be fitted, in deviations:");
    for tried in &tried {
        let (name, unknowns) = (tried.roll.name(), tried.unknowns);
        println!("  {name}, {unknowns} unknowns: {:.3}", tried.held_out());
    }
    let best = |a: &Tried, b: &Tried| a.held_out().total_cmp(&b.held_out());
    let roll = (tried.iter().min_by(|a, b| best(a, b))).map_or(Roll::Spring, |tried| tried.roll);
    let fit = choice::fit(&observation, roll, steps)?;
    println!("\n{fit}");

    let predicted = Suspension::new(&observation).predict(&fit.values());
    let score = Score::of(&observation, &predicted);
    let diagonal = Score::of(&observation, &linear::diagonal(&observation)?);
    let full = Score::of(&observation, &linear::full(&observation)?);
    println!("Root mean square error on the test, below 2.5 Hz (N, N·m):");
    println!(
        "  {:<34} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6}",
        "", "fx", "fy", "fz", "mx", "my", "mz"
    );
    for (name, score) in [
        ("suspension", &score),
        ("least squares, own pose and rate", &diagonal),
        ("least squares, all poses and rates", &full),
    ] {
        let row: Vec<String> = score.rmse.iter().map(|x| format!("{x:6.2}")).collect();
        println!("  {name:<34} {}", row.join(" "));
    }

    let charts = plots::charts(&observation, &predicted);
    let plot = out.join("identify_suspension_wrench.svg");
    write_charts(&plot, &charts)?;
    println!("\nMeasured and predicted wrench: {}", plot.display());
    if let Some(path) = &json {
        report::write(path, &observation, &tried, &fit, &score, [&diagonal, &full])?;
        println!("Report: {}", path.display());
    }

    let mut page = FitReport::new("Suspension of a mobile base", &fit);
    for tried in &tried {
        let text = format!(
            "{:.3} deviations with {} unknowns",
            tried.held_out(),
            tried.unknowns
        );
        page = page.with_score(format!("held out to choose: {}", tried.roll.name()), text);
    }
    for (c, name) in CHANNELS.iter().enumerate() {
        let [own, diagonal, full] = [&score, &diagonal, &full].map(|score| score.rmse[c]);
        let text = format!("rms {own:.2}, least squares {diagonal:.2} and {full:.2}");
        let unit = plots::unit(c);
        page = page.with_score(format!("{name} in {unit}"), text);
    }
    page = charts.into_iter().fold(page, FitReport::with_chart);
    save_report(&page, &out, "identify_suspension")?;
    let scene = plots::scene(&observation, &predicted)?;
    support::show(&scene, &out, "identify_suspension")
}
