//! Sweeps in pieces, and their tables.

use crate::decays::{alone, decays, optimiser, unknowns};
use dualbody::identification::{Executor, IdentificationError, MultiStart, Parallelism, Problem};
use dualbody_cluster::{
    ClusterError, Row, Shard, Summary, Sweep, TableWriter, quantile, read_table,
};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

fn outcome(draw: usize, random: &mut ChaCha8Rng) -> Result<Vec<f64>, String> {
    let x: f64 = random.random();
    match draw % 50 {
        49 => Err(format!("draw, {draw}\nfailed")),
        _ => Ok(vec![x, x.ln()]),
    }
}

fn rows(parallelism: Parallelism, range: std::ops::Range<usize>) -> Vec<Row> {
    let sweep = Sweep::new(10_000, 3, outcome);
    let mut rows = Vec::new();
    let mut executor = parallelism;
    sweep
        .run(&mut executor, range, |more| {
            rows.extend(more);
            Ok(())
        })
        .unwrap();
    rows
}

#[test]
fn draws_do_not_depend_on_the_division() {
    let all = rows(Parallelism::Threads, 0..10_000);
    let draws: Vec<usize> = all.iter().map(|row| row.draw).collect();
    assert_eq!(draws, (0..10_000).collect::<Vec<_>>());
    let mut shards = Vec::new();
    for i in 0..7 {
        let range = Shard::new(i, 7).unwrap().range(10_000);
        shards.extend(rows(Parallelism::Serial, range));
    }
    assert_eq!(shards, all);
    // Uniform numbers: mean 1/2 and standard deviation 1/√12, of streams that are independent.
    let x: Vec<f64> = all
        .iter()
        .filter_map(|row| Some(row.outcome.as_ref().ok()?[0]))
        .collect();
    let summary = Summary::of(&x).unwrap();
    assert!((summary.mean - 0.5).abs() < 4.0 * summary.standard_error);
    assert!(
        (summary.standard_error * (x.len() as f64).sqrt() - (1.0f64 / 12.0).sqrt()).abs() < 0.01
    );
    assert!(
        (summary.quantiles[0] - 0.05).abs() < 0.01 && (summary.quantiles[2] - 0.95).abs() < 0.01
    );
    let neighbours = x
        .windows(2)
        .map(|w| (w[0] - 0.5) * (w[1] - 0.5))
        .sum::<f64>();
    let correlation = 12.0 * neighbours / x.len() as f64;
    assert!(correlation.abs() < 0.04, "{correlation}");
}

#[test]
fn tables_are_whole_or_absent_and_read_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("draws.csv");
    let all = rows(Parallelism::Serial, 0..200);
    let mut table = TableWriter::new(&path, &["x", "ln x"]).unwrap();
    table.write(&all[..100]).unwrap();
    assert!(!path.exists());
    table.write(&all[100..]).unwrap();
    table.finish().unwrap();
    let (columns, read) = read_table(&path).unwrap();
    assert_eq!(columns, ["x", "ln x"]);
    assert_eq!(read, all);
    // A table that is given up leaves what was there.
    let before = std::fs::read(&path).unwrap();
    let mut table = TableWriter::new(&path, &["x"]).unwrap();
    let error = table.write(&all[..1]).unwrap_err();
    assert!(matches!(error, ClusterError::Malformed { .. }), "{error}");
    drop(table);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn starts_of_a_fit_are_a_sweep() {
    let experiments = decays(5);
    let problem = Problem::new(unknowns(0.3), &experiments).unwrap();
    let unknowns = problem.unknowns().to_vec();
    let bounded = unknowns[0].clone().bounds(0.5, 4.0).unwrap();
    let bounded = Problem::new([bounded, unknowns[1].clone()], &experiments).unwrap();
    let starts = MultiStart::new(12).unwrap().values(&bounded).unwrap();
    let optimiser = optimiser().parallelism(Parallelism::Serial);
    let sweep = Sweep::new(starts.len(), 0, |i, _| {
        let fit = optimiser.fit_from(&problem, &starts[i], |_| ControlFlow::Continue(()))?;
        Ok::<_, IdentificationError>([vec![fit.cost], fit.values()].concat())
    });
    let rows = |parallelism| {
        let mut executor: Parallelism = parallelism;
        executor.evaluate(&sweep, &(), 0..12).unwrap()
    };
    let found = rows(Parallelism::Threads);
    assert_eq!(found, rows(Parallelism::Serial));
    let costs: Vec<f64> = found
        .iter()
        .map(|row| row.outcome.as_ref().unwrap()[0])
        .collect();
    let best = costs.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(
        (best - alone(&experiments).cost).abs() < 1e-9 * best,
        "{costs:?}"
    );
}

#[test]
fn quantiles_are_those_of_the_definition() {
    let sorted = [1.0, 2.0, 4.0, 8.0];
    assert_eq!(quantile(&sorted, 0.0), Some(1.0));
    assert_eq!(quantile(&sorted, 0.5), Some(3.0));
    assert_eq!(quantile(&sorted, 1.0), Some(8.0));
    assert_eq!(quantile(&sorted, 0.75), Some(5.0));
    assert_eq!(quantile(&sorted, 1.5), None);
    assert_eq!(quantile(&[], 0.5), None);
    assert_eq!(Summary::of(&[]), None);
}
