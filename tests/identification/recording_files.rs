//! Recordings that are not as their fit says.

use crate::motion::{DOCUMENT, files_of_a_fit};
use dualbody::identification::Experiment;
use dualbody::io::json::MotionFit;
use std::path::PathBuf;

/// A fit whose document and table are written anew.
struct Files {
    folder: PathBuf,
    table: String,
}

impl Files {
    fn new(purpose: &str) -> Self {
        let (folder, table) = files_of_a_fit(purpose);
        Files { folder, table }
    }

    fn load(&self, document: &str, table: &str) -> Result<MotionFit, String> {
        std::fs::write(self.folder.join("swing.csv"), table).unwrap();
        let path = self.folder.join("fit.json");
        std::fs::write(&path, document).unwrap();
        MotionFit::load(&path).map_err(|error| error.to_string())
    }

    fn refused(&self, table: &str) -> String {
        let error = self.load(DOCUMENT, table).unwrap_err();
        let file = self.folder.join("swing.csv");
        let place = format!("experiments/0: recording \"swing\", {}: ", file.display());
        assert!(error.contains(&place), "{error}");
        error
    }

    /// The table with a column of another title and other cells.
    fn with_column(&self, title: &str, new: &str, change: impl Fn(f64) -> String) -> String {
        let mut lines = self.table.lines();
        let header = lines.next().unwrap();
        let column = header.split(',').position(|t| t == title).unwrap();
        let mut table = header.replace(title, new);
        for line in lines {
            let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
            cells[column] = change(cells[column].parse().unwrap());
            table += &format!("\n{}", cells.join(","));
        }
        table
    }

    fn residuals(&self, document: &str, table: &str) -> Vec<f64> {
        let fit = self.load(document, table).unwrap();
        let values: Vec<f64> = fit.model.unknowns().iter().map(|u| u.initial()).collect();
        let mut residuals = vec![f64::NAN; Experiment::residual_count(&fit.experiments[0])];
        (fit.experiments[0].residuals(&values, &mut residuals)).unwrap();
        residuals
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

const FORCE: &str = "joint/elbow/force [N m]";

/// The document with lists beside the others. It measures the shoulder and a marker.
fn document(lists: &str) -> String {
    let start = "\"experiments\": [";
    DOCUMENT.replace(start, &format!("{lists}, {start}"))
}

#[test]
fn columns_and_inputs_belong_to_each_other() {
    let files = Files::new("columns");
    let table = files.table.as_str();
    let plain = files.residuals(DOCUMENT, table);
    let error = files.refused(&table.replace("joint/shoulder/force", "joint/shouldr/force"));
    let expected = "signal \"joint/shouldr/force\": neither a channel nor an input takes it, \
                    is it \"joint/shoulder/force\"?";
    assert!(error.ends_with(expected), "{error}");
    let error = files.refused(&table.replace("marker/y", "marker/yy"));
    let expected = "signal \"marker/y\": there is none of this name among \"angle\", ";
    assert!(error.contains(expected), "{error}");
    let proposed = "\"joint/elbow/force\", is it \"marker/yy\"?";
    assert!(error.ends_with(proposed), "{error}");

    // An end of the path of an input names it, where no other input has it.
    let shorter = table.replace(",joint/elbow/force", ",elbow/force");
    assert_ne!(shorter, table);
    assert_eq!(files.residuals(DOCUMENT, &shorter), plain);
    let error = files.refused(&table.replace(",joint/elbow/force", ",force"));
    assert!(
        error.contains("signal \"force\": neither a channel"),
        "{error}"
    );

    // A column that is not to be taken is named, and so is an input that was zero.
    let more = files.with_column("time [s]", "time [s],heat [K]", |t| format!("{t},300"));
    let error = files.refused(&more);
    assert!(error.contains("signal \"heat\": neither"), "{error}");
    let unused = document("\"unused_columns\": [\"heat\"]");
    assert_eq!(files.residuals(&unused, &more), plain);
    let zeros = files.with_column(FORCE, FORCE, |_| "0".to_owned());
    let fewer: Vec<&str> = zeros
        .lines()
        .map(|l| l.rsplit_once(',').unwrap().0)
        .collect();
    let fewer = fewer.join("\n");
    let error = files.refused(&fewer);
    let expected =
        "signal \"joint/elbow/force\": no signal feeds this input, there are \"angle\", ";
    assert!(error.contains(expected), "{error}");
    let zero = document("\"zero_inputs\": [\"joint/elbow/force\"]");
    assert_eq!(
        files.residuals(&zero, &fewer),
        files.residuals(DOCUMENT, &zeros)
    );
    let misspelt = document("\"zero_inputs\": [\"joint/elbw/force\"]");
    let error = files.load(&misspelt, table).unwrap_err();
    let expected = error.contains("zero_inputs/0: ") && error.contains("\"joint/elbow/force\"?");
    assert!(expected, "{error}");
}

#[test]
fn inputs_have_units() {
    let files = Files::new("units");
    let plain = files.residuals(DOCUMENT, &files.table);
    for (unit, factor) in [("mN m", 1e3), ("mNm", 1e3), ("N·mm", 1e3), ("kN m", 1e-3)] {
        let title = format!("joint/elbow/force [{unit}]");
        let table = files.with_column(FORCE, &title, |u| (u * factor).to_string());
        for (a, b) in files.residuals(DOCUMENT, &table).iter().zip(&plain) {
            assert!((a - b).abs() < 1e-6, "{unit}: {a} {b}");
        }
    }
    for unit in [" [V]", " [counts]", ""] {
        let error = files.refused(&files.table.replace(" [N m]", unit));
        assert!(error.ends_with("expected \"N m\" or \"N\""), "{error}");
    }
}

#[test]
fn samples_are_named_by_their_lines() {
    let files = Files::new("lines");
    let count = std::cell::Cell::new(0);
    let table = files.with_column(FORCE, FORCE, |u| {
        count.set(count.get() + 1);
        match count.get() {
            5 => String::new(),
            _ => u.to_string(),
        }
    });
    let error = files.load(DOCUMENT, &table).unwrap_err();
    let file = files.folder.join("swing.csv");
    let expected = format!(
        "experiments/0: recording \"swing\", {}, signal \"joint/elbow/force\", line 6 (0.04 s): no sample for 0.02 s, \
         where most are 0.01 s apart",
        file.display()
    );
    assert!(error.contains(&expected), "{error}");
    let error = files.refused(&files.table.replace("\n0.03,", "\n0.03x,"));
    assert!(error.contains(": line 5: time is \"0.03x\""), "{error}");
}
