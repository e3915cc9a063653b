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
mod plots;
mod report;
mod score;
mod segment;
mod stages;
mod tosses;

use cube::{Cube, Extras};
use indicatif::{ProgressBar, ProgressStyle};
use score::{Score, score};
use std::path::PathBuf;
use support::Failure;
use support::arguments::Arguments;
use support::fitted::save_report;
use tosses::Toss;

const USAGE: &str = "\
Identify stiffness, dissipation and friction of a tossed cube from measurements.

usage: identify_contact [options]

  --data FILE    tosses (CSV); every second one is fitted, the others are the test,
                 unless --test is given. Default: 48 tosses simulated with MuJoCo
  --test FILE    tosses to test on; all of --data are then fitted
  --json FILE    write estimates, standard errors, history and scores
  --scale        estimate the ratio of measured to true lengths
  --inertia      estimate the moment of inertia
  --radius       estimate the rounding of the corners
  --tilt         estimate the slope of the table
                 (without these four: scale, inertia and rounding)
  --contact      estimate none of these
  --substeps N   simulated steps between two samples (default 4)
  --fit-tosses N fit the first N tosses of the fitting set only
  --out DIR      folder for the plots (default out)
  --quick        fit six tosses only, to see that it works";

const EMBEDDED: &str = include_str!("../data/mujoco_tosses.csv");

struct Options {
    data: Option<PathBuf>,
    test: Option<PathBuf>,
    json: Option<PathBuf>,
    extras: Extras,
    substeps: usize,
    fit_tosses: usize,
    out: PathBuf,
}

impl Options {
    fn of_process() -> Result<Self, Failure> {
        let mut arguments = Arguments::of_process(USAGE);
        let quick = arguments.flag("--quick");
        let mut extras = Extras {
            scale: arguments.flag("--scale"),
            inertia: arguments.flag("--inertia"),
            radius: arguments.flag("--radius"),
            tilt: arguments.flag("--tilt"),
        };
        let contact_alone = arguments.flag("--contact");
        if contact_alone && extras != Extras::default() {
            return Err("--contact excludes --scale, --inertia, --radius and --tilt".into());
        }
        if !contact_alone && extras == Extras::default() {
            extras = Extras::BEST;
        }
        let options = Options {
            extras,
            data: arguments.option("--data")?,
            test: arguments.option("--test")?,
            json: arguments.option("--json")?,
            substeps: arguments.option("--substeps")?.unwrap_or(4),
            fit_tosses: (arguments.option("--fit-tosses")?).unwrap_or(if quick {
                6
            } else {
                usize::MAX
            }),
            out: arguments.output_folder()?,
        };
        arguments.finish()?;
        if options.substeps == 0 || options.fit_tosses == 0 {
            return Err("--substeps and --fit-tosses must be at least 1".into());
        }
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
        None => tosses::parse("examples/data/mujoco_tosses.csv", EMBEDDED)?,
    };
    let other = options.test.as_deref().map(tosses::read).transpose()?;
    let (mut fitted, test): (Vec<&Toss>, Vec<&Toss>) = match &other {
        Some(other) => (data.iter().collect(), other.iter().collect()),
        None => (
            data.iter().step_by(2).collect(),
            data.iter().skip(1).step_by(2).collect(),
        ),
    };
    if test.is_empty() {
        return Err("one toss alone cannot be fitted and tested, give --test".into());
    }
    fitted.truncate(options.fit_tosses);
    println!("{} tosses to fit, {} to test", fitted.len(), test.len());

    let interval = data[0].interval();
    let slower = (data.iter().chain(other.iter().flatten()))
        .find(|toss| (toss.interval() - interval).abs() > 0.01 * interval);
    if let Some(toss) = slower {
        return Err(format!(
            "toss {} has a sample every {} s, the others every {interval} s",
            toss.number,
            toss.interval()
        )
        .into());
    }
    let cube = Cube::new(interval, options.substeps, options.extras)?;

    let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template(
        "{spinner} {elapsed_precise} {msg}",
    )?);
    let stages = stages::fit(&cube, &fitted, |stage, start, iteration| {
        let (number, cost) = (iteration.number, iteration.cost);
        let start = start + 1;
        bar.set_message(format!(
            "{}, start {start}: step {number}, cost {cost:.5}",
            stage.name
        ));
        bar.tick();
    })?;
    bar.finish_and_clear();

    for stage in &stages {
        println!("\nFit on {}\n{}", stage.name, stage.fit);
    }

    let last = &stages[stages.len() - 1].fit;
    let values = last.values();
    let trial = cube.trial(&values)?;
    let guess: Vec<f64> = cube.unknowns.iter().map(|u| u.initial()).collect();
    let before = score(&cube.trial(&guess)?, cube.substeps, &test, |toss| {
        toss.samples[0]
    });
    let after = score(&trial, cube.substeps, &test, |toss| toss.samples[0]);
    let scale = cube.scale(&values);
    let smoothed = score(&trial, cube.substeps, &test, |toss| {
        free_flight::smoothed_start(toss, scale)
    });
    println!("Whole tosses that were not fitted, mean ± standard deviation over tosses:");
    print_score("first guess", &before);
    print_score("identified", &after);
    print_score("identified, start smoothed over the flight", &smoothed);

    let fitted_cube = plots::FittedCube {
        cube: &cube,
        trial: &trial,
        fit: last,
    };
    let plots = plots::write(&options.out, &fitted_cube, &stages, &test, &after)?;
    println!(
        "\nPlots: {}",
        plots.map(|p| p.display().to_string()).join(", ")
    );
    if let Some(path) = &options.json {
        report::write(path, &fitted, &test, &stages, &smoothed, &after)?;
        println!("Report: {}", path.display());
    }
    let scores = [
        ("first guess", &before),
        ("identified", &after),
        ("identified, start smoothed over the flight", &smoothed),
    ];
    let page = fitted_cube.report(&test, &scores)?;
    save_report(&page, &options.out, "identify_contact")?;
    let scene = fitted_cube.scene(plots::typical(&test, &after))?;
    support::show(&scene, &options.out, "identify_contact")
}

fn print_score(name: &str, score: &Score) {
    let (p, r) = (score.position(), score.rotation());
    println!(
        "  {name:<44} position {:5.1} ± {:4.1} % of the width, rotation {:5.1} ± {:4.1}°",
        p.mean, p.std, r.mean, r.std
    );
    for (toss, error) in &score.failures {
        println!("    toss {toss} of the test was left out: {error}");
    }
}
