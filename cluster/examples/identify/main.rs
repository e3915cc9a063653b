//! Identifies the contact of a tossed cube, as the example `identify_contact` does and with its
//! options, on ranks of MPI or by jobs that share a folder.

#[path = "../../../examples/identify_contact/cube.rs"]
mod cube;
#[path = "../../../examples/identify_contact/free_flight.rs"]
mod free_flight;
mod jobs;
#[path = "../../../examples/identify_contact/options.rs"]
mod options;
#[path = "../../../examples/identify_contact/outcome.rs"]
mod outcome;
#[path = "../../../examples/identify_contact/plots.rs"]
mod plots;
#[path = "../../../examples/identify_contact/report.rs"]
mod report;
#[path = "../../../examples/identify_contact/score.rs"]
mod score;
#[path = "../../../examples/identify_contact/segment.rs"]
mod segment;
#[path = "../../../examples/identify_contact/stages.rs"]
mod stages;
#[path = "../../../examples/support/mod.rs"]
mod support;
#[path = "../../../examples/identify_contact/tosses.rs"]
mod tosses;

use dualbody::identification::{Iteration, Parallelism};
#[cfg(feature = "mpi")]
use dualbody_cluster::mpi::Ranks;
use dualbody_cluster::{Journal, Shard};
use options::Options;
use std::ops::ControlFlow;
use std::path::PathBuf;
use support::Failure;
use support::arguments::Arguments;

const USAGE: &str = "\
Identify stiffness, dissipation and friction of a tossed cube from measurements, on many machines.

usage:
  mpirun -n N identify [--journal FILE] [options]
      fit on N ranks of MPI (without mpirun, or built without the feature mpi: on one);
      with a journal a fit that was killed goes on where it was
  identify fold --journal FILE --at unknowns.json [options] [SHARD...]
      take in the answers of all shards, and write the next question to unknowns.json;
      without shards the first one; after the last there is no unknowns.json, but the result
  identify evaluate --at unknowns.json --shard I/N --to SHARD [options]
      answer the question for share I of N of the experiments

  --serial       evaluate on one thread; otherwise on all (with mpirun: default one, --threads: all)
  --stop FILE    stop the fit after a step when FILE is there";

fn main() -> std::process::ExitCode {
    support::exit_code(run())
}

fn run() -> Result<(), Failure> {
    let built = match cfg!(feature = "mpi") {
        true => "with",
        false => "without",
    };
    let options = options::OPTIONS;
    let usage = format!("{USAGE}\n\n{options}\n\nbuilt {built} MPI");
    let mut arguments = Arguments::of_process(&usage);
    let [serial, threads] = ["--serial", "--threads"].map(|name| arguments.flag(name));
    let on_one = std::env::var_os("OMPI_COMM_WORLD_SIZE").is_some() && !threads;
    let parallelism = match serial || on_one {
        true => Parallelism::Serial,
        false => Parallelism::Threads,
    };
    let options = Options::take(&mut arguments)?;
    let journal: Option<PathBuf> = arguments.option("--journal")?;
    let at: Option<PathBuf> = arguments.option("--at")?;
    let shard: Option<Shard> = arguments.option("--shard")?;
    let to = arguments.output_file("--to")?;
    let stop: Option<PathBuf> = arguments.option("--stop")?;
    match arguments.positional().as_deref() {
        None => {
            arguments.finish()?;
            fit(&options, parallelism, journal, stop)
        }
        Some("evaluate") => {
            arguments.finish()?;
            let at = at.ok_or("evaluate needs --at")?;
            let shard = shard.ok_or("evaluate needs --shard")?;
            jobs::evaluate(
                &options,
                &at,
                shard,
                parallelism,
                &to.ok_or("evaluate needs --to")?,
            )
        }
        Some("fold") => {
            let mut shards = Vec::new();
            while let Some(path) = arguments.positional() {
                shards.push(path.into());
            }
            arguments.finish()?;
            let journal = journal.ok_or("fold needs --journal")?;
            jobs::fold(&options, &journal, &at.ok_or("fold needs --at")?, &shards)
        }
        Some(other) => Err(format!("{other}: neither evaluate nor fold, see --help").into()),
    }
}

/// Fits on all ranks there are; rank 0 shows the result.
fn fit(
    options: &Options,
    parallelism: Parallelism,
    journal: Option<PathBuf>,
    stop: Option<PathBuf>,
) -> Result<(), Failure> {
    let data = options.load()?;
    let cube = options.cube(&data)?;
    #[cfg(feature = "mpi")]
    let ranks = Ranks::start(parallelism)?;
    #[cfg(feature = "mpi")]
    let (is_root, size) = (ranks.is_root(), ranks.size());
    #[cfg(not(feature = "mpi"))]
    let (is_root, size) = (true, 1);

    if is_root {
        let (fitted, test) = (data.fitted.len(), data.test.len());
        println!("{fitted} tosses to fit, {test} to test, ranks: {size}");
    }
    let mut journal = journal.filter(|_| is_root).map(Journal::open).transpose()?;
    let stages = stages::fit(&cube, &data.fitted, |attempt| {
        let (optimiser, problem, start) = (attempt.optimiser, attempt.problem, attempt.start);
        if let Some(journal) = &mut journal {
            let name = jobs::name(options, &data.fitted, attempt.stage, attempt.scale);
            journal.name_problem(name);
        }
        let progress = |iteration: &Iteration| {
            let (number, cost) = (iteration.number, iteration.cost);
            let name = attempt.stage.name;
            eprintln!("{name}: step {number}, cost {cost:.5}");
            match stop.as_ref().is_some_and(|path| path.exists()) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        #[cfg(feature = "mpi")]
        return Ok(ranks.fit(optimiser, problem, start, journal.as_mut(), progress)?);
        #[cfg(not(feature = "mpi"))]
        Ok(match &mut journal {
            Some(journal) => {
                let executor = dualbody_cluster::Journaled {
                    journal,
                    executor: parallelism,
                };
                optimiser.fit_on(problem, start, executor, progress)?
            }
            None => optimiser.fit_on(problem, start, parallelism, progress)?,
        })
    })?;
    if is_root {
        outcome::show(options, &data, &cube, &stages, None)?;
    }
    Ok(())
}
