//! A fit by jobs that share a folder.

use crate::options::Options;
use crate::stages::{self, Stage};
use crate::support::Failure;
use crate::{outcome, tosses::Toss};
use dualbody::identification::{Evaluator, IdentificationError, Parallelism, Problem};
use dualbody_cluster::{Ask, Asked, Journal, Journaled, Order, Shard, fold_shards, write_shard};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Which experiments of which data are fitted how.
pub fn name(options: &Options, tosses: &[Toss], stage: &Stage, scale: f64) -> String {
    let mut checksum = 0;
    for x in tosses.iter().flat_map(|toss| &toss.samples) {
        let numbers = [
            x.position.as_slice(),
            x.velocity.as_slice(),
            x.orientation.coords.as_slice(),
        ];
        for bits in numbers.concat().iter().map(|x| x.to_bits()) {
            checksum = bits.wrapping_add(5u64.wrapping_mul(checksum));
        }
    }
    let (name, substeps, extras) = (stage.name, options.substeps, options.extras);
    format!("{name}, scale {scale:?}, data {checksum:016x}, substeps {substeps}, {extras:?}")
}

/// Answers the question of an order for some of the experiments.
pub fn evaluate(
    options: &Options,
    at: &Path,
    shard: Shard,
    parallelism: Parallelism,
    to: &Path,
) -> Result<(), Failure> {
    let data = options.load()?;
    let cube = options.cube(&data)?;
    let order = Order::read(at)?;
    let scale = *order.settings.first().ok_or("the question has no scale")?;
    let stages = Stage::all()?;
    let stage =
        (stages.iter()).find(|stage| name(options, &data.fitted, stage, scale) == order.problem);
    let stage = stage
        .ok_or_else(|| format!("{}: the question is about {}", at.display(), order.problem))?;
    let segments = stage.segments(&cube, &data.fitted, scale);
    let problem = Problem::new(cube.unknowns.clone(), &segments)?;
    Ok(write_shard(
        &Evaluator::new(&problem),
        &order,
        shard,
        parallelism,
        to,
    )?)
}

/// Takes in shards, and writes the next question or shows the result.
pub fn fold(
    options: &Options,
    journal: &Path,
    at: &Path,
    shards: &[PathBuf],
) -> Result<(), Failure> {
    let mut journal = Journal::open(journal)?;
    if at.exists() && !shards.is_empty() {
        let order = Order::read(at)?;
        // A fold that was interrupted may have taken the shards in already.
        if order.number >= journal.len() {
            let answer: dualbody::identification::Answer = fold_shards(&order, shards)?;
            journal.name_problem(&order.problem);
            journal.append(&order.question, &answer)?;
        }
    }
    let data = options.load()?;
    let cube = options.cube(&data)?;
    let number = journal.len();
    let stages = stages::fit(&cube, &data.fitted, |attempt| {
        let problem = name(options, &data.fitted, attempt.stage, attempt.scale);
        journal.name_problem(&problem);
        let executor = Journaled {
            journal: &mut journal,
            executor: Ask {
                path: at.to_owned(),
                number,
                problem,
                settings: vec![attempt.scale],
            },
        };
        let (problem, start) = (attempt.problem, attempt.start);
        Ok((attempt.optimiser).fit_on(problem, start, executor, |_| ControlFlow::Continue(()))?)
    });
    match stages {
        Ok(stages) => {
            if at.exists() {
                std::fs::remove_file(at)?;
            }
            outcome::show(options, &data, &cube, &stages, None)
        }
        Err(error) => match error.downcast_ref() {
            Some(IdentificationError::Execution(cause)) if cause.is::<Asked>() => {
                println!("{cause}");
                Ok(())
            }
            _ => Err(error),
        },
    }
}
