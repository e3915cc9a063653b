//! Identifies the contact of a tossed cube with a table from measured trajectories.
//!
//! Stiffness, dissipation and friction of the contact are estimated from tosses by a least-squares fit
//! with exact Jacobians, first on short stretches, then on whole tosses; tosses that took no part
//! in the fit are then simulated from their first sample and compared with what was measured.
//!
//! Without arguments it runs on tosses that another simulator made (examples/data). Run with
//! `--help` for the options.

#[path = "../support/mod.rs"]
mod support;

mod cube;
mod free_flight;
mod options;
mod outcome;
mod plots;
mod report;
mod score;
mod segment;
mod stages;
mod tosses;

use indicatif::{ProgressBar, ProgressStyle};
use options::Options;
use std::ops::ControlFlow;
use support::Failure;
use support::arguments::Arguments;

const USAGE: &str = "\
Identify stiffness, dissipation and friction of a tossed cube from measurements.

usage: identify_contact [options]
";

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let mut arguments = Arguments::of_process(&format!("{USAGE}\n{}", options::OPTIONS));
    let options = Options::take(&mut arguments)?;
    arguments.finish()?;
    let data = options.load()?;
    let (fitted, test) = (data.fitted.len(), data.test.len());
    println!("{fitted} tosses to fit, {test} to test");
    let cube = options.cube(&data)?;

    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template(
        "{spinner} {elapsed_precise} {msg}",
    )?);
    let stages = stages::fit(&cube, &data.fitted, |attempt| {
        let fit = (attempt.optimiser).fit_from(attempt.problem, attempt.start, |iteration| {
            let name = attempt.stage.name;
            bar.set_message(format!("{name}, {iteration}"));
            bar.tick();
            ControlFlow::Continue(())
        });
        Ok(fit?)
    })?;
    bar.set_message("tosses held out in turn");
    let validation = stages::cross_validate(&cube, &data.fitted, &stages)?;
    bar.finish_and_clear();
    outcome::show(&options, &data, &cube, &stages, validation.as_ref())
}
