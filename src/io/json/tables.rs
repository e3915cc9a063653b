//! Tables of signals that a fit names.

use super::document::load_bytes;
use super::error::JsonError;
use crate::identification::motion::{MotionError, Signals};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One table or several.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a table, FILE or {\"file\": FILE, \"titles\": {TITLE: NAME}}, or a list of tables"
)]
pub(super) enum TablesDocument {
    One(TableDocument),
    Several(Vec<TableDocument>),
}

/// A table, and which of its columns are read with other titles.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a table, FILE or {\"file\": FILE, \"titles\": {TITLE: NAME}}"
)]
pub(super) enum TableDocument {
    File(PathBuf),
    Columns(ColumnsDocument),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnsDocument {
    file: PathBuf,
    titles: BTreeMap<String, String>,
}

impl TablesDocument {
    pub fn tables(&self) -> &[TableDocument] {
        match self {
            TablesDocument::One(table) => std::slice::from_ref(table),
            TablesDocument::Several(tables) => tables,
        }
    }
}

impl TableDocument {
    pub fn file(&self) -> &Path {
        match self {
            TableDocument::File(file) => file,
            TableDocument::Columns(columns) => &columns.file,
        }
    }

    /// Reads the table, and returns its bytes, too.
    pub fn read(&self, folder: &Path, place: &str) -> Result<(Signals, Vec<u8>), JsonError> {
        let path = folder.join(self.file());
        let bytes = load_bytes(&path)?;
        let titles = match self {
            TableDocument::File(_) => None,
            TableDocument::Columns(columns) => Some(&columns.titles),
        };
        let is_parquet = path
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("parquet"));
        let signals = match is_parquet {
            true => parquet(&bytes, titles),
            false => match titles {
                None => Signals::from_csv(bytes.as_slice()),
                Some(titles) => Signals::from_csv_columns(bytes.as_slice(), titles),
            },
        };
        let failed = |error: MotionError| {
            JsonError::value(format!("{place}, {}", path.display()), error.to_string())
        };
        let signals = signals.map_err(failed)?;
        Ok((signals.in_file(path.display().to_string()), bytes))
    }
}

#[cfg(feature = "parquet")]
fn parquet(
    bytes: &[u8],
    titles: Option<&BTreeMap<String, String>>,
) -> Result<Signals, MotionError> {
    match titles {
        None => Signals::from_parquet(bytes.to_vec()),
        Some(titles) => Signals::from_parquet_columns(bytes.to_vec(), titles),
    }
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &[u8], _: Option<&BTreeMap<String, String>>) -> Result<Signals, MotionError> {
    Err(MotionError::Table {
        line: 1,
        reason: "a table in Parquet is read with the feature \"parquet\" of this library"
            .to_owned(),
    })
}
