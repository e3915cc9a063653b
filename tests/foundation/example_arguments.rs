//! Command lines of the examples: what is wrong is said before work begins, with what is expected.

use crate::arguments::Arguments;
use std::path::{Path, PathBuf};

const USAGE: &str = "usage: example [--steps N] [--json FILE] [--out DIR]";

/// What becomes of a command line.
fn parse(line: &[&str]) -> Result<Option<usize>, String> {
    let mut arguments = Arguments::new(USAGE, line.iter().map(|word| word.to_string()));
    arguments.flag("--quick");
    let steps = arguments.option("--steps")?;
    arguments.output_file("--json")?;
    arguments.output_folder()?;
    arguments.finish()?;
    Ok(steps)
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn bad_options_say_what_is_expected() {
    let folder = scratch("bad_options");
    let out = folder.to_str().unwrap();
    for (line, problem) in [
        (&["--steps", "x"][..], "--steps x: invalid digit"),
        (&["--steps", "-1"], "--steps -1: invalid digit"),
        (&["--steps"], "--steps needs a value"),
        (&["--json", "--steps", "3"], "--json needs a value"),
        (&["--stepz", "3"], "unknown argument --stepz"),
        (&["3"], "unknown argument 3"),
    ] {
        let line: Vec<_> = line.iter().copied().chain(["--out", out]).collect();
        let error = parse(&line).unwrap_err();
        assert!(error.contains(problem), "{line:?}: {error}");
        assert!(error.ends_with(USAGE), "{line:?}: {error}");
    }
    assert!(!folder.exists(), "made for a line that is wrong");
    let line = ["--quick", "--steps", "3", "--out", out];
    assert_eq!(parse(&line).unwrap(), Some(3));
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn outputs_are_tried_before_work_begins() {
    let folder = scratch("outputs");
    let nowhere = folder.join("nowhere");
    let file = nowhere.join("report.json");
    let line = |out: &Path, json: &Path| {
        let [out, json] = [out, json].map(|path| path.to_str().unwrap().to_owned());
        parse(&["--out", &out, "--json", &json])
    };
    assert!(line(&folder, &file).unwrap_err().contains("report.json"));
    assert!(!folder.exists(), "nobody asked for the folder of a report");
    assert!(line(&folder, Path::new("report.json")).is_ok());
    // A file where the folder should be.
    let taken = folder.join("taken");
    std::fs::write(&taken, "").unwrap();
    let report = folder.join("report.json");
    assert!(line(&taken, &report).unwrap_err().contains("taken"));
    assert!(line(&taken.join("deeper"), &report).is_err());
    assert!(line(&folder, &taken.join("report.json")).is_err());
    assert!(line(&folder, &report).is_ok());
    // A folder where the file should be, and nothing.
    for file in [
        folder.as_path(),
        Path::new(""),
        Path::new("/"),
        Path::new(".."),
    ] {
        let error = line(&folder, file).unwrap_err();
        assert!(error.ends_with("not the name of a file"), "{error}");
    }
}
