//! Fits by jobs that share a folder.

use crate::decays::{Decay, alone, bits, decays, optimiser, unknowns};
use dualbody::identification::{Answer, Evaluator, Fit, IdentificationError, Parallelism, Problem};
use dualbody_cluster::{
    Ask, Asked, ClusterError, Journal, Journaled, Order, Shard, fold_shards, write_shard,
};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// One step of the program that folds: the fit, or the next question.
fn advance(experiments: &[Decay], b: f64, folder: &Path) -> Result<Fit, IdentificationError> {
    advance_with(experiments, b, folder, &[])
}

/// The same, after taking in the answers to the question before.
fn advance_with(
    experiments: &[Decay],
    b: f64,
    folder: &Path,
    files: &[PathBuf],
) -> Result<Fit, IdentificationError> {
    let problem = Problem::new(unknowns(b), experiments)?;
    let mut journal = Journal::open(folder.join("fit.journal")).unwrap();
    if !files.is_empty() {
        let order = Order::read(&folder.join("unknowns.json")).unwrap();
        assert_eq!(order.number, journal.len());
        let answer: Answer = fold_shards(&order, files).unwrap();
        journal.append(&order.question, &answer).unwrap();
    }
    let number = journal.len();
    let executor = Journaled {
        journal: &mut journal,
        executor: Ask {
            path: folder.join("unknowns.json"),
            number,
            problem: "decays".to_owned(),
            settings: vec![1.5],
        },
    };
    let start = problem.initial_values();
    optimiser().fit_on(&problem, &start, executor, |_| ControlFlow::Continue(()))
}

/// The job of a shard.
fn evaluate(experiments: &[Decay], folder: &Path, shard: Shard) -> PathBuf {
    let order = Order::read(&folder.join("unknowns.json")).unwrap();
    let problem = Problem::new(unknowns(0.3), experiments).unwrap();
    let path = folder.join(format!("{}.shard", shard.to_string().replace('/', "-of-")));
    let items = Evaluator::new(&problem);
    write_shard(&items, &order, shard, Parallelism::Serial, &path).unwrap();
    path
}

fn shards(count: usize) -> Vec<Shard> {
    (0..count).map(|i| Shard::new(i, count).unwrap()).collect()
}

fn is_asked(error: &IdentificationError) -> bool {
    matches!(error, IdentificationError::Execution(cause) if cause.is::<Asked>())
}

/// Asks and answers, in so many shards, until there is a fit.
fn fit(experiments: &[Decay], guess: f64, folder: &Path, count: usize) -> Fit {
    let mut files = Vec::new();
    loop {
        match advance_with(experiments, guess, folder, &files) {
            Ok(fit) => return fit,
            Err(error) => assert!(is_asked(&error), "{error}"),
        }
        let answers = shards(count).into_iter();
        files = (answers.map(|shard| evaluate(experiments, folder, shard))).collect();
        files.reverse();
    }
}

#[test]
fn jobs_find_the_bits_of_one_thread() {
    let experiments = decays(11);
    let expected = bits(&alone(&experiments));
    for count in [1, 3, 20] {
        let folder = tempfile::tempdir().unwrap();
        let fit = fit(&experiments, 0.3, folder.path(), count);
        assert_eq!(bits(&fit), expected, "{count} shards");
    }
}

/// The first question, and its answers in three shards.
fn asked(folder: &Path) -> (Order, Vec<PathBuf>) {
    let experiments = decays(11);
    assert!(is_asked(&advance(&experiments, 0.3, folder).unwrap_err()));
    let files = shards(3)
        .into_iter()
        .map(|shard| evaluate(&experiments, folder, shard));
    let files = files.collect();
    (Order::read(&folder.join("unknowns.json")).unwrap(), files)
}

#[test]
fn wrong_missing_doubled_and_old_shards_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (order, files) = asked(folder);
    let fold = |order: &Order, files: &[PathBuf]| fold_shards::<Answer>(order, files).unwrap_err();

    let error = fold(&order, &[files[0].clone(), files[2].clone()]).to_string();
    assert_eq!(error, "shard 1/3 is missing");
    assert!(
        fold(&order, &[])
            .to_string()
            .contains("shard 0/1 is missing")
    );

    let copy = folder.join("copy.shard");
    std::fs::copy(&files[1], &copy).unwrap();
    let doubled = [&files[..], std::slice::from_ref(&copy)].concat();
    let error = fold(&order, &doubled).to_string();
    assert!(
        error.starts_with("shard 1/3 is in both") && error.contains("copy.shard"),
        "{error}"
    );

    let mut next = order.clone();
    next.number += 1;
    let error = fold(&next, &files).to_string();
    assert!(error.contains("answers question 0, not 1"), "{error}");

    let mut other = order.clone();
    other.problem = "other data".to_owned();
    let error = fold(&other, &files).to_string();
    assert!(
        error.contains("0-of-3.shard") && error.contains("other data"),
        "{error}"
    );

    // The same number of a fit with another start.
    let elsewhere = tempfile::tempdir().unwrap();
    assert!(is_asked(
        &advance(&decays(11), 0.4, elsewhere.path()).unwrap_err()
    ));
    let other = Order::read(&elsewhere.path().join("unknowns.json")).unwrap();
    let error = fold(&other, &files).to_string();
    assert!(error.contains("another fit"), "{error}");

    let error = fold(&order, &[files[0].clone(), folder.join("nowhere.shard")]).to_string();
    assert!(error.contains("nowhere.shard"), "{error}");

    let other_count = evaluate(&decays(11), folder, Shard::new(1, 2).unwrap());
    let error = fold(&order, &[files[0].clone(), other_count]).to_string();
    assert!(error.contains("2 shards, not of 3 shards"), "{error}");
}

#[test]
fn any_change_of_a_shard_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (order, files) = asked(folder.path());
    let whole = std::fs::read(&files[0]).unwrap();
    let fold = || fold_shards::<Answer>(&order, &files);
    for byte in 0..whole.len() {
        let mut changed = whole.clone();
        changed[byte] ^= 0x10;
        std::fs::write(&files[0], &changed).unwrap();
        let error = fold().unwrap_err();
        assert!(
            matches!(
                error,
                ClusterError::Malformed { .. } | ClusterError::Damaged { .. }
            ),
            "{byte}: {error}"
        );
        std::fs::write(&files[0], &whole[..byte]).unwrap();
        let error = fold().unwrap_err().to_string();
        assert!(
            error.contains("cut off") && error.contains("0-of-3.shard"),
            "{byte}: {error}"
        );
    }
    std::fs::write(&files[0], [&whole[..], &[0]].concat()).unwrap();
    assert!(
        fold()
            .unwrap_err()
            .to_string()
            .contains("something follows")
    );
    std::fs::write(&files[0], whole).unwrap();
    assert!(fold().is_ok());
}

#[test]
fn an_order_for_other_experiments_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (order, _) = asked(folder.path());
    let experiments = decays(12);
    let problem = Problem::new(unknowns(0.3), &experiments).unwrap();
    let items = Evaluator::new(&problem);
    let path = folder.path().join("other.shard");
    let shard = Shard::new(0, 1).unwrap();
    let error = write_shard(&items, &order, shard, Parallelism::Serial, &path).unwrap_err();
    assert!(
        error.to_string().contains("12 experiments, not of 11"),
        "{error}"
    );
    assert!(!path.exists());
}

#[test]
fn shards_are_read_as_they_are_written() {
    for text in ["", "3", "1/0", "4/4", "-1/4", "0/x"] {
        let error = text.parse::<Shard>().unwrap_err().to_string();
        assert!(error.contains("is not a shard"), "{error}");
    }
    let shard: Shard = "2/7".parse().unwrap();
    assert_eq!(
        (shard.to_string(), shard.range(10)),
        ("2/7".to_owned(), 2..4)
    );
    let ranges: Vec<_> = shards(7)
        .into_iter()
        .flat_map(|shard| shard.range(10))
        .collect();
    assert_eq!(ranges, (0..10).collect::<Vec<_>>());
}

#[test]
fn failures_cross_files_with_their_names() {
    let mut experiments = decays(6);
    for x in &mut experiments {
        x.broken = Some(4);
    }
    let problem = Problem::new(unknowns(3.0), &experiments).unwrap();
    let expected = optimiser().fit(&problem).unwrap();
    assert_eq!(expected.left_out(), [4]);
    let folder = tempfile::tempdir().unwrap();
    let fit = fit(&experiments, 3.0, folder.path(), 2);
    assert_eq!(fit.to_string(), expected.to_string());
    assert_eq!(
        fit.failures[0].cause.to_string(),
        "decay 4 has no solution at b = 3"
    );
}
