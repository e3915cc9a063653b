//! Fits and sweeps on ranks of MPI: this program, started again by `mpirun`.

use crate::decays::{Decay, alone, bits, decays, optimiser, unknowns};
use dualbody::identification::{
    Consequence, ExecutionError, Executor, Fit, IdentificationError, LevenbergMarquardt,
    Parallelism, Problem, StopReason,
};
use dualbody_cluster::mpi::Ranks;
use dualbody_cluster::{ClusterError, Journal, Sweep};
use rand::RngExt;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a test of this file that is otherwise ignored on ranks of MPI.
fn mpirun(ranks: usize, test: &str, folder: &Path) -> Output {
    Command::new("mpirun")
        .args(["--allow-run-as-root", "--oversubscribe", "-n"])
        .arg(ranks.to_string())
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--nocapture", "--test-threads=1", "--exact"])
        .arg(format!("ranks::{test}"))
        .env("DUALBODY_FOLDER", folder)
        .output()
        .unwrap()
}

fn check(ranks: usize, test: &str) {
    let folder = tempfile::tempdir().unwrap();
    let run = mpirun(ranks, test, folder.path());
    let said = [run.stdout, run.stderr].concat();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&said));
}

fn folder() -> std::path::PathBuf {
    std::env::var_os("DUALBODY_FOLDER").unwrap().into()
}

fn fit_from(
    ranks: &Ranks,
    start: [f64; 2],
    experiments: &[Decay],
    journal: Option<&mut Journal>,
) -> Result<Fit, IdentificationError> {
    let problem = Problem::new(unknowns(0.3), experiments).unwrap();
    ranks.fit(&optimiser(), &problem, &start, journal, |_| {
        ControlFlow::Continue(())
    })
}

#[test]
fn a_fit_on_ranks_has_the_bits_of_one_thread() {
    for ranks in [1, 2, 3, 4] {
        check(ranks, "fit");
    }
}

#[test]
#[ignore = "run on ranks"]
fn fit() {
    let ranks = Ranks::start(Parallelism::Serial).unwrap();
    for count in [1, 2, 7, 50] {
        let experiments = decays(count);
        let fit = fit_from(&ranks, [1.0, 0.3], &experiments, None).unwrap();
        assert_eq!(
            bits(&fit),
            bits(&alone(&experiments)),
            "{ranks:?}, {count} experiments"
        );
    }
}

#[test]
fn a_failure_on_one_rank_is_the_same_error_on_all() {
    check(4, "failures");
}

#[test]
#[ignore = "run on ranks"]
fn failures() {
    let ranks = Ranks::start(Parallelism::Serial).unwrap();
    let mut experiments = decays(9);
    for x in &mut experiments {
        x.broken = Some(7);
    }
    // One that fails at the start is left out, everywhere.
    let fitted = fit_from(&ranks, [1.0, 3.0], &experiments, None).unwrap();
    assert_eq!(fitted.left_out(), [7]);
    let failure = &fitted.failures[0];
    assert_eq!(failure.consequence, Consequence::LeftOut);
    assert_eq!(
        failure.cause.to_string(),
        "decay 7 has no solution at b = 3"
    );
    // One that has no finite residuals is an error, everywhere.
    experiments[5].measured[1] = f64::NAN;
    let error = fit_from(&ranks, [1.0, 0.3], &experiments, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "experiment 5: residual 1 = NaN, expected at most 1e140 in magnitude"
    );
    assert_eq!(
        matches!(error, IdentificationError::Experiment { experiment: 5, .. }),
        ranks.is_root()
    );
    // The ranks go on.
    let error = fit_from(&ranks, [1.0, -1.0], &experiments, None);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("unknown \"b\""), "{error}");
}

#[test]
fn rank_0_stops_the_fit_of_all() {
    check(3, "cancelled");
}

#[test]
#[ignore = "run on ranks"]
fn cancelled() {
    let ranks = Ranks::start(Parallelism::Threads).unwrap();
    let experiments = decays(9);
    let problem = Problem::new(unknowns(0.3), &experiments).unwrap();
    let is_root = ranks.is_root();
    let start = problem.initial_values();
    let fit = ranks.fit(
        &LevenbergMarquardt::new(),
        &problem,
        &start,
        None,
        |iteration| {
            assert!(is_root);
            match iteration.number {
                2 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        },
    );
    let fit = fit.unwrap();
    assert_eq!((fit.stop, fit.iterations.len()), (StopReason::Callback, 2));
}

#[test]
fn a_fit_whose_rank_was_killed_goes_on_to_the_same_bits() {
    let folder = tempfile::tempdir().unwrap();
    let run = mpirun(4, "killed", folder.path());
    assert!(!run.status.success());
    let journal = Journal::open(folder.path().join("fit.journal")).unwrap();
    assert!(journal.len() >= 2, "no step was kept");
    drop(journal);
    // On another number of ranks, and nobody dies this time.
    std::fs::write(folder.path().join("spared"), "").unwrap();
    let run = mpirun(2, "killed", folder.path());
    let said = [run.stdout, run.stderr].concat();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&said));
}

#[test]
#[ignore = "run on ranks"]
fn killed() {
    let ranks = Ranks::start(Parallelism::Serial).unwrap();
    let experiments = decays(20);
    let problem = Problem::new(unknowns(0.3), &experiments).unwrap();
    let mut journal =
        (ranks.is_root()).then(|| Journal::open(folder().join("fit.journal")).unwrap());
    let spared = folder().join("spared").exists();
    let killed = folder().join("step");
    if ranks.rank() == 2 && !spared {
        // Dies when rank 0 has taken a step, in the middle of what it does.
        std::thread::spawn(move || {
            while !killed.exists() {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            let own = std::process::id().to_string();
            Command::new("kill").args(["-9", &own]).status().unwrap();
        });
    }
    let answered = journal.as_ref().map_or(0, Journal::len);
    let start = problem.initial_values();
    let fit = ranks.fit(
        &optimiser(),
        &problem,
        &start,
        journal.as_mut(),
        |iteration| {
            if iteration.number == 2 && !spared {
                std::fs::write(folder().join("step"), "").unwrap();
                // The rank is dead before the next question.
                std::thread::sleep(std::time::Duration::from_secs(20));
            }
            ControlFlow::Continue(())
        },
    );
    assert!(spared, "rank 2 was not killed");
    assert_eq!(bits(&fit.unwrap()), bits(&alone(&experiments)));
    if let Some(journal) = journal {
        assert!(answered >= 2 && journal.len() > answered);
    }
}

#[test]
fn a_rank_that_panics_ends_all() {
    for rank in ["0", "2"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("panics"), rank).unwrap();
        let run = mpirun(3, "panics", folder.path());
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(
            !run.status.success() && said.contains("on purpose"),
            "{said}"
        );
    }
}

#[test]
#[ignore = "run on ranks"]
fn panics() {
    let ranks = Ranks::start(Parallelism::Serial).unwrap();
    let panics = std::fs::read_to_string(folder().join("panics")).unwrap();
    let rank = ranks.rank();
    let sweep = Sweep::new(500, 1, |_, _| -> Result<Vec<f64>, String> {
        assert_ne!(rank.to_string(), panics, "on purpose");
        // Slow enough that the others leave it something to do.
        std::thread::sleep(std::time::Duration::from_millis(10));
        Ok(Vec::new())
    });
    let all = ranks.run(&sweep, |executor| executor.evaluate(&sweep, &(), 0..500));
    assert_eq!(
        all.map(|rows| rows.len()).map_err(|e| e.to_string()),
        Ok(500)
    );
}

/// Ends the job after a while if it hangs.
fn check_it_ends(test: &str, says: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (done, ended) = std::sync::mpsc::channel();
    let path = folder.path().to_owned();
    let name = test.to_owned();
    std::thread::spawn(move || done.send(mpirun(3, &name, &path)));
    let run = ended.recv_timeout(std::time::Duration::from_secs(120));
    let run = run.unwrap_or_else(|_| panic!("{test}: the ranks wait for each other"));
    let said = String::from_utf8_lossy(&[run.stdout, run.stderr].concat()).into_owned();
    assert!(!run.status.success() && said.contains(says), "{said}");
}

#[test]
fn a_rank_that_leaves_alone_ends_all_with_its_error() {
    check_it_ends("rank_1_leaves", "rank 1: there is no such file");
    check_it_ends("rank_0_leaves", "rank 0: there is no such file");
    check_it_ends("rank_1_has_less", "rank 1 has 8 items, rank 0 has 9");
}

/// Fits some decays, except on one rank.
fn fit_without(leaves: usize) {
    let ranks = Ranks::start(Parallelism::Serial).unwrap();
    if ranks.rank() == leaves {
        drop(ranks);
        say(&format!("rank {leaves}: there is no such file"));
        std::process::exit(1);
    }
    fit_decays(&ranks, 9);
}

/// As a program whose `main` returns an error.
fn fit_decays(ranks: &Ranks, count: usize) {
    let experiments = decays(count);
    if let Err(error) = fit_from(ranks, [1.0, 0.3], &experiments, None) {
        say(&error.to_string());
    }
}

/// A line in one piece, into which no other rank can write.
fn say(line: &str) {
    let line = format!("{line}\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

#[test]
#[ignore = "run on ranks"]
fn rank_1_leaves() {
    fit_without(1);
}

#[test]
#[ignore = "run on ranks"]
fn rank_0_leaves() {
    fit_without(0);
}

#[test]
#[ignore = "run on ranks"]
fn rank_1_has_less() {
    let ranks = Ranks::start(Parallelism::Serial).unwrap();
    fit_decays(&ranks, 9 - usize::from(ranks.rank() == 1));
}

#[test]
fn ranks_with_other_data_than_the_journal_refuse_it() {
    check(2, "other_data");
}

#[test]
#[ignore = "run on ranks"]
fn other_data() {
    let ranks = Ranks::start(Parallelism::Serial).unwrap();
    let mut experiments = decays(9);
    let fit = |experiments: &[Decay]| {
        let path = folder().join("fit.journal");
        let mut journal = ranks.is_root().then(|| Journal::open(path).unwrap());
        fit_from(&ranks, [1.0, 0.3], experiments, journal.as_mut())
    };
    let first = fit(&experiments).unwrap();
    assert_eq!(bits(&fit(&experiments).unwrap()), bits(&first));
    experiments[4].measured[0] += 1e-9;
    let error = fit(&experiments).unwrap_err().to_string();
    assert!(error.contains("record 0 has another answer"), "{error}");
}

#[test]
fn a_sweep_on_ranks_has_the_rows_of_one_thread() {
    check(4, "sweep");
}

#[test]
#[ignore = "run on ranks"]
fn sweep() {
    let ranks = Ranks::start(Parallelism::Serial).unwrap();
    let sweep = Sweep::new(6000, 11, |draw, random| match draw {
        4321 => Err("this one fails"),
        _ => Ok(vec![draw as f64, random.random::<f64>()]),
    });
    let collect = |executor: &mut dyn Executor<_>| {
        let mut rows = Vec::new();
        let take = |more| {
            rows.extend::<Vec<dualbody_cluster::Row>>(more);
            Ok(())
        };
        sweep.run(&mut { executor }, 0..6000, take).map(|()| rows)
    };
    // Other ranks are ahead of rank 0 by two meetings.
    if ranks.is_root() {
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    ranks.barrier().unwrap();
    let rows = ranks.run(&sweep, |executor| collect(executor)).unwrap();
    assert_eq!(rows.len(), 6000);
    assert_eq!(rows, collect(&mut Parallelism::Serial).unwrap());
    assert_eq!(rows[4321].outcome, Err("this one fails".to_owned()));
    // What rank 0 fails at is an error of all.
    let error = ranks.run(&sweep, |_| {
        Err::<(), _>(ClusterError::from(ExecutionError::from("full")))
    });
    assert_eq!(error.unwrap_err().to_string(), "full");
}
