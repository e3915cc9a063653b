//! Matrices whose rows and columns have names.

use crate::failure::Outcome;
use crate::output;
use crate::table::{Table, figure};
use dualbody::nalgebra::DMatrix;
use serde_json::{Value, json};
use std::path::Path;

/// Tables with more columns are not printed for people.
const MOST_COLUMNS: usize = 10;

/// A matrix with names.
#[derive(Debug, Clone)]
pub struct LabelledMatrix {
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// As many as names.
    pub entries: DMatrix<f64>,
}

impl LabelledMatrix {
    /// As a table, with the names of columns in the first line and those of rows in the first column.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        let header: Vec<_> = std::iter::once("")
            .chain(self.columns.iter().map(String::as_str))
            .map(quoted)
            .collect();
        text += &(header.join(",") + "\n");
        for (i, name) in self.rows.iter().enumerate() {
            let entries = self.entries.row(i);
            let numbers = entries.iter().map(|x| format!("{x:?}"));
            let line: Vec<_> = std::iter::once(quoted(name)).chain(numbers).collect();
            text += &(line.join(",") + "\n");
        }
        text
    }

    /// As a list of rows.
    pub fn json(entries: &DMatrix<f64>) -> Value {
        entries
            .row_iter()
            .map(|row| json!(row.iter().collect::<Vec<_>>()))
            .collect()
    }

    /// For people.
    pub fn text(&self) -> String {
        let count = self.columns.len();
        if count > MOST_COLUMNS {
            return format!(
                "{} × {count} derivatives, see --json or --output\n",
                self.rows.len()
            );
        }
        let mut table =
            Table::new(std::iter::once("").chain(self.columns.iter().map(String::as_str)));
        for (i, name) in self.rows.iter().enumerate() {
            let numbers = self
                .entries
                .row(i)
                .iter()
                .map(|x| figure(*x))
                .collect::<Vec<_>>();
            table.row(std::iter::once(name.clone()).chain(numbers));
        }
        table.to_string()
    }

    /// Writes it into a file: as CSV, or what `json` says if the file is called so.
    pub fn save(&self, path: &Path, json: impl FnOnce() -> Value) -> Outcome<()> {
        match path
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            true => output::write(path, &format!("{:#}\n", json())),
            false => output::write(path, &self.csv()),
        }
    }
}

fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}
