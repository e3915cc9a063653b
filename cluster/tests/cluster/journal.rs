//! Fits that end and go on.

use crate::decays::{Decay, alone, bits, decays, optimiser, unknowns};
use dualbody::identification::{
    ExecutionError, Executor, Fit, IdentificationError, Items, Parallelism, Problem,
};
use dualbody_cluster::{ClusterError, Journal, Journaled};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::process::Command;

/// Answers so many questions.
struct Lives(usize);

impl<I: Items> Executor<I> for Lives {
    fn evaluate(
        &mut self,
        items: &I,
        question: &I::Question,
        range: Range<usize>,
    ) -> Result<I::Part, ExecutionError> {
        self.0 = self.0.checked_sub(1).ok_or("killed")?;
        Parallelism::Serial.evaluate(items, question, range)
    }
}

fn fit(
    experiments: &[Decay],
    journal: &mut Journal,
    lives: usize,
) -> Result<Fit, IdentificationError> {
    let problem = Problem::new(unknowns(0.3), experiments)?;
    let executor = Journaled {
        journal,
        executor: Lives(lives),
    };
    optimiser().fit_on(&problem, &problem.initial_values(), executor, |_| {
        ControlFlow::Continue(())
    })
}

#[test]
fn a_fit_that_ended_goes_on_to_the_same_bits() {
    let experiments = decays(13);
    let expected = bits(&alone(&experiments));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.journal");
    // Three questions at a time.
    for answered in (0..).step_by(3) {
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.len(), answered);
        match fit(&experiments, &mut journal, 3) {
            Ok(fit) => {
                assert_eq!(bits(&fit), expected);
                assert!(answered > 6);
                break;
            }
            Err(error) => assert_eq!(error.to_string(), "killed"),
        }
    }
    // All of it is in the journal now.
    let mut journal = Journal::open(&path).unwrap();
    assert_eq!(bits(&fit(&experiments, &mut journal, 0).unwrap()), expected);
}

#[test]
fn one_journal_serves_fits_that_follow_each_other() {
    let (first, second) = (decays(5), decays(8));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fits.journal");
    let mut journal = Journal::open(&path).unwrap();
    fit(&first, &mut journal, 1000).unwrap();
    assert_eq!(
        fit(&second, &mut journal, 2).unwrap_err().to_string(),
        "killed"
    );
    drop(journal);
    let mut journal = Journal::open(&path).unwrap();
    let replayed = fit(&first, &mut journal, 0).unwrap();
    assert_eq!(bits(&replayed), bits(&alone(&first)));
    let fitted = fit(&second, &mut journal, 1000).unwrap();
    assert_eq!(bits(&fitted), bits(&alone(&second)));
}

/// A journal of a whole fit.
fn complete(path: &Path, experiments: &[Decay]) -> Vec<u8> {
    fit(experiments, &mut Journal::open(path).unwrap(), 1000).unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn a_record_that_was_cut_off_is_dropped_wherever_it_was() {
    let experiments = decays(4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.journal");
    let whole = complete(&path, &experiments);
    let records = Journal::open(&path).unwrap().len();
    let mut seen = 0;
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let journal = Journal::open(&path).unwrap();
        assert!(journal.len() >= seen && journal.len() < records, "{length}");
        seen = journal.len();
    }
    assert_eq!(seen, records - 1);
    // A file system has put zeros in place of the end.
    std::fs::write(&path, [&whole[..], &[0; 30]].concat()).unwrap();
    assert_eq!(Journal::open(&path).unwrap().len(), records);
    std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    // What follows is written over the rest of the record.
    let mut journal = Journal::open(&path).unwrap();
    fit(&experiments, &mut journal, 1).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn damage_and_other_files_are_named() {
    let experiments = decays(4);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.journal");
    let whole = complete(&path, &experiments);
    // After the header: the frame of record 0 has 12 bytes.
    let mut damaged = whole.clone();
    damaged[16 + 12 + 3] ^= 1;
    std::fs::write(&path, damaged).unwrap();
    let error = Journal::open(&path).unwrap_err();
    assert!(
        matches!(error, ClusterError::Damaged { record: 0, .. }),
        "{error}"
    );
    for (byte, what) in [
        (0, "not a file of dualbody"),
        (8, "another version"),
        (12, "another kind"),
    ] {
        let mut other = whole.clone();
        other[byte] ^= 0x40;
        std::fs::write(&path, other).unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(
            error.contains(what) && error.contains("fit.journal"),
            "{error}"
        );
    }
}

#[test]
fn a_journal_of_another_fit_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.journal");
    complete(&path, &decays(4));
    let mut other = decays(4);
    other[2].measured[0] += 1e-9;
    let error = fit(&other, &mut Journal::open(&path).unwrap(), 1000);
    assert!(error.is_ok(), "what is neither named nor checked");
    // Names, say with a checksum of the data.
    let mut journal = Journal::open(&path).unwrap();
    journal.name_problem("4 decays, data 17af");
    let error = fit(&decays(4), &mut journal, 1000).unwrap_err().to_string();
    assert!(
        error.contains("record 0 is of the problem \"\", not of \"4 decays, data 17af\""),
        "{error}"
    );
    drop(journal);
    // The first answer, asked for again.
    let checked = |experiments: &[Decay], lives| {
        let mut journal = Journal::open(&path).unwrap();
        journal.check_next();
        fit(experiments, &mut journal, lives)
    };
    assert!(checked(&decays(4), 1).is_ok());
    assert_eq!(checked(&decays(4), 0).unwrap_err().to_string(), "killed");
    let error = checked(&other, 1).unwrap_err().to_string();
    assert!(error.contains("record 0 has another answer"), "{error}");
    let problem = Problem::new(unknowns(0.31), &other).unwrap();
    let mut journal = Journal::open(&path).unwrap();
    let executor = Journaled {
        journal: &mut journal,
        executor: Parallelism::Serial,
    };
    let start = problem.initial_values();
    let error = optimiser().fit_on(&problem, &start, executor, |_| ControlFlow::Continue(()));
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains("record 0 answers another question"),
        "{error}"
    );
}

#[test]
fn a_journal_serves_one_fit_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.journal");
    let journal = Journal::open(&path).unwrap();
    let error = Journal::open(&path).unwrap_err().to_string();
    assert!(
        error.contains("another fit has the journal open"),
        "{error}"
    );
    drop(journal);
    Journal::open(&path).unwrap();
}

/// Runs in a process of its own whose files may not grow beyond a limit.
#[test]
#[ignore = "run by a_full_disk_loses_nothing"]
fn in_little_space() {
    let path = std::env::var_os("DUALBODY_JOURNAL").unwrap();
    let mut journal = Journal::open(path).unwrap();
    let before = journal.len();
    let error = fit(&decays(40), &mut journal, 1000)
        .unwrap_err()
        .to_string();
    assert!(error.contains("File too large"), "{error}");
    assert!(journal.len() > before, "nothing was written");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fit.journal");
    let experiments = decays(40);
    // ulimit -f counts 1024 bytes; without the trap the signal would end the process.
    let script = "ulimit -f 2; trap '' XFSZ; \
                  exec \"$0\" --ignored --exact journal::in_little_space";
    let run = (Command::new("bash").arg("-c").arg(script))
        .arg(std::env::current_exe().unwrap())
        .env("DUALBODY_JOURNAL", &path)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stdout)
    );
    let mut journal = Journal::open(&path).unwrap();
    assert!(!journal.is_empty());
    let fit = fit(&experiments, &mut journal, 1000).unwrap();
    assert_eq!(bits(&fit), bits(&alone(&experiments)));
}
