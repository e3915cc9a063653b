//! Identifies contact, hinge and inertia of two hinged blocks that are tossed on a table.
//!
//! The unknowns are fitted with exact Jacobians on short windows of measured tosses, which start at states
//! that are themselves estimated from the rows of the window; whole tosses that took no part in the fit
//! are then simulated from a start that is estimated from their first rows alone.
//!
//! Without arguments it runs on tosses that it simulates itself ([`synthetic`]). Run with `--help` for the
//! options.

#[path = "../support/mod.rs"]
mod support;

mod elbow;
mod flight;
mod plots;
mod report;
mod score;
mod segment;
mod smoothing;
mod stages;
mod start;
mod synthetic;
mod tosses;

use dualbody::scene::FitReport;
use elbow::Elbow;
use score::{Errors, score_tosses, score_windows};
use std::path::PathBuf;
use support::Failure;
use support::arguments::Arguments;
use support::chart::write_charts;
use support::fitted::save_report;
use tosses::Toss;

const USAGE: &str = "\
Identify contact, hinge and inertia of two hinged blocks from measured tosses.

usage: identify_elbow [options]

  --data FILE      tosses (CSV); every second one is fitted, the others are the test,
                   unless --test is given. Default: tosses that the example simulates
  --test FILE      tosses to test on; all of --data are then fitted
  --json FILE      write estimates, standard errors, history and scores
  --substeps N     simulated steps between two rows (default 4)
  --smoothing S    standard deviation in s of the filter that the rows went through (default
                   0.008)
  --fit-tosses N   fit at most N tosses, spread over the fitting set (default 60)
  --start-rows N   rows that the start of a whole toss is estimated from (default: those
                   before the first touch)
  --window-rows N  rows that the start of a window is estimated from (default 6)
  --out DIR        folder for the plots (default out)
  --quick          fit and test four tosses only, to see that it works";

/// What the command line asks for.
struct Options {
    data: Option<PathBuf>,
    test: Option<PathBuf>,
    json: Option<PathBuf>,
    substeps: usize,
    smoothing: f64,
    fit_tosses: usize,
    /// Those of the flight without.
    start_rows: Option<usize>,
    window_rows: usize,
    out: PathBuf,
    quick: bool,
}

impl Options {
    fn of_process() -> Result<Self, Failure> {
        let mut arguments = Arguments::of_process(USAGE);
        let quick = arguments.flag("--quick");
        let options = Options {
            quick,
            data: arguments.option("--data")?,
            test: arguments.option("--test")?,
            json: arguments.output_file("--json")?,
            substeps: arguments.option("--substeps")?.unwrap_or(4),
            smoothing: arguments.option("--smoothing")?.unwrap_or(0.008),
            fit_tosses: (arguments.option("--fit-tosses")?).unwrap_or(if quick { 4 } else { 60 }),
            start_rows: arguments.option("--start-rows")?,
            window_rows: arguments.option("--window-rows")?.unwrap_or(6),
            out: arguments.output_folder()?,
        };
        if options.substeps == 0 || options.fit_tosses == 0 {
            return Err("--substeps and --fit-tosses must be at least 1".into());
        }
        if options.start_rows == Some(0) || options.window_rows == 0 {
            return Err("--start-rows and --window-rows must be at least 1".into());
        }
        if !(0.0..=0.1).contains(&options.smoothing) {
            return Err("--smoothing must be between 0 and 0.1 s".into());
        }
        arguments.finish()?;
        Ok(options)
    }
}

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let options = Options::of_process()?;
    let data = match &options.data {
        Some(path) => tosses::read(path)?,
        None => synthetic::tosses(options.smoothing)?,
    };
    let other = options.test.as_deref().map(tosses::read).transpose()?;
    let (fitted, mut test): (Vec<&Toss>, Vec<&Toss>) = match &other {
        Some(other) => (data.iter().collect(), other.iter().collect()),
        None => (
            data.iter().step_by(2).collect(),
            data.iter().skip(1).step_by(2).collect(),
        ),
    };
    if test.is_empty() {
        return Err("one toss alone cannot be fitted and tested, give --test".into());
    }
    let every = fitted.len().div_ceil(options.fit_tosses);
    let fitted: Vec<&Toss> = fitted.into_iter().step_by(every).collect();
    if options.quick {
        test.truncate(4);
    }
    println!("{} tosses to fit, {} to test", fitted.len(), test.len());

    let interval = data[0].interval();
    let slower = (data.iter().chain(other.iter().flatten()))
        .find(|toss| (toss.interval() - interval).abs() > 0.01 * interval);
    if let Some(toss) = slower {
        let (number, other) = (toss.number, toss.interval());
        return Err(format!(
            "toss {number} has a row every {other} s, the first one every {interval} s"
        )
        .into());
    }

    let gravity = flight::gravity(&fitted).unwrap_or(-9.81);
    println!("Free flight: {gravity:.3} m/s² in measured lengths");
    let elbow = Elbow::new(interval, options.substeps, options.smoothing, gravity)?;
    let stages = stages::fit(&elbow, &fitted)?;
    for stage in &stages {
        println!("\nFit on {}\n{}", stage.name, stage.fit);
    }
    let trial = elbow.trial(&stages[stages.len() - 1].fit.values())?;
    let start_rows = |toss: &Toss| options.start_rows.unwrap_or_else(|| flight::rows(toss));
    let whole = score_tosses(&trial, &test, start_rows);
    let first_row = score_tosses(&trial, &test, |_| 0);
    let windows = score_windows(&trial, &test, options.window_rows);
    let first_row_windows = score_windows(&trial, &test, 0);
    println!("Tosses that were not fitted, means (medians):");
    print_errors("whole, start from several rows", &whole);
    print_errors("whole, start from the first row", &first_row);
    print_errors("windows, start from several rows", &windows);
    print_errors("windows, start from their first row", &first_row_windows);

    let order = plots::by_error(&whole);
    let typical = test[order.get(order.len() / 2).map_or(0, |&(_, index)| index)];
    let charts = plots::charts(&trial, typical, start_rows(typical))?;
    let plot = options.out.join("identify_elbow_toss.svg");
    write_charts(&plot, &charts)?;
    println!("\nMeasured and simulated toss: {}", plot.display());
    if let Some(path) = &options.json {
        let scores = [&whole, &windows, &first_row, &first_row_windows];
        let starts = test.iter().map(|toss| start_rows(toss)).collect::<Vec<_>>();
        report::write(
            path,
            &fitted,
            &test,
            &stages,
            scores,
            (&starts, options.window_rows),
        )?;
        println!("Report: {}", path.display());
    }

    let mut page = FitReport::new("Two hinged blocks", &stages[stages.len() - 1].fit);
    for (name, errors) in [
        ("whole tosses, start from several rows", &whole),
        ("whole tosses, start from the first row", &first_row),
        ("windows, start from several rows", &windows),
        ("windows, start from their first row", &first_row_windows),
    ] {
        let [p, r, h] = errors.statistics();
        let text = format!(
            "position {:.1} %, rotation {:.1}°, hinge {:.1}°",
            p.mean, r.mean, h.mean
        );
        page = page.with_score(name, text);
    }
    for (name, place) in [("Worst", order.last()), ("Best", order.first())] {
        if let Some(&(error, index)) = place {
            let heading = format!("{name}: {error:.1} % of the length of a block");
            let toss = test[index];
            page = page.with_scene(heading, plots::scene(&trial, toss, start_rows(toss))?);
        }
    }
    save_report(&page, &options.out, "identify_elbow")?;
    let scene = plots::scene(&trial, typical, start_rows(typical))?;
    support::show(&scene, &options.out, "identify_elbow")
}

fn print_errors(name: &str, errors: &Errors) {
    let [p, r, h] = errors.statistics();
    println!(
        "  {name:<36} position {:5.2} ({:5.2}) %, rotation {:5.2} ({:5.2})°, hinge {:5.2} ({:5.2})°",
        p.mean, p.median, r.mean, r.median, h.mean, h.median
    );
    if errors.failures > 0 {
        println!(
            "    {} could not be simulated and were left out",
            errors.failures
        );
    }
}
