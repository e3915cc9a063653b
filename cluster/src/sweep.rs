//! Many independent draws of the same experiment.

use crate::ClusterError;
use crate::file::{begin, complete};
use dualbody::identification::{Executor, Items};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::BufWriter;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Draws whose results are in memory together.
const BLOCK: usize = 4096;

/// Draws that are evaluated by a function of their own random numbers.
///
/// Draw `i` has the stream `i` of ChaCha with eight rounds, whose numbers are a function of seed,
/// stream and counter: the same whoever evaluates the draw, and in whichever order.
///
/// ```
/// use dualbody::identification::Parallelism;
/// use dualbody_cluster::Sweep;
/// use rand_chacha::rand_core::Rng;
///
/// let sweep = Sweep::new(1000, 7, |_, random| Ok::<_, String>(vec![f64::from(random.next_u32())]));
/// let mut all = Vec::new();
/// sweep.run(&mut Parallelism::default(), 0..1000, |rows| { all.extend(rows); Ok(()) })?;
/// let mut last = Vec::new();
/// sweep.run(&mut Parallelism::Serial, 990..1000, |rows| { last.extend(rows); Ok(()) })?;
/// assert_eq!(all[990..], last[..]);
/// # Ok::<(), dualbody_cluster::ClusterError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Sweep<F> {
    draws: usize,
    seed: u64,
    outcome: F,
}

/// What a draw came to: its numbers, or why there are none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Number of the draw.
    pub draw: usize,
    /// One number for each column.
    pub outcome: Result<Vec<f64>, String>,
}

impl<F, E> Sweep<F>
where
    F: Fn(usize, &mut ChaCha8Rng) -> Result<Vec<f64>, E> + Sync,
    E: std::fmt::Display,
{
    /// So many draws from a seed; `outcome` has the number of the draw and its random numbers.
    pub fn new(draws: usize, seed: u64, outcome: F) -> Self {
        Sweep {
            draws,
            seed,
            outcome,
        }
    }

    /// Evaluates a range of draws, and passes the rows on in order, some thousand at a time.
    ///
    /// # Errors
    /// As the executor, and as `take`.
    pub fn run(
        &self,
        executor: &mut impl Executor<Self>,
        range: Range<usize>,
        mut take: impl FnMut(Vec<Row>) -> Result<(), ClusterError>,
    ) -> Result<(), ClusterError> {
        for start in range.clone().step_by(BLOCK) {
            let block = start..range.end.min(start + BLOCK);
            take(executor.evaluate(self, &(), block)?)?;
        }
        Ok(())
    }
}

impl<F, E> Items for Sweep<F>
where
    F: Fn(usize, &mut ChaCha8Rng) -> Result<Vec<f64>, E> + Sync,
    E: std::fmt::Display,
{
    type Question = ();
    type Part = Vec<Row>;
    type Workspace = ();

    fn count(&self) -> usize {
        self.draws
    }

    fn evaluate(&self, (): &mut (), (): &(), draw: usize) -> Vec<Row> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(draw as u64);
        let outcome = (self.outcome)(draw, &mut random).map_err(|error| error.to_string());
        vec![Row { draw, outcome }]
    }
}

/// Rows as CSV: `draw`, the columns, `error`. The file appears when it is complete.
pub struct TableWriter {
    path: PathBuf,
    columns: usize,
    writer: csv::Writer<BufWriter<tempfile::NamedTempFile>>,
}

impl std::fmt::Debug for TableWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("TableWriter")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl TableWriter {
    /// Begins a table with these columns.
    ///
    /// # Errors
    /// [`ClusterError::File`].
    pub fn new(path: impl Into<PathBuf>, columns: &[&str]) -> Result<Self, ClusterError> {
        let path = path.into();
        let file = begin(&path).map_err(ClusterError::file(&path))?;
        let mut table = TableWriter {
            path,
            columns: columns.len(),
            writer: csv::Writer::from_writer(BufWriter::new(file)),
        };
        let header = ["draw"].iter().chain(columns).chain(&["error"]);
        table.record(header.map(|name| (*name).to_owned()))?;
        Ok(table)
    }

    /// Adds rows.
    ///
    /// # Errors
    /// [`ClusterError::File`]; [`ClusterError::Malformed`] for a row with another number of columns.
    pub fn write(&mut self, rows: &[Row]) -> Result<(), ClusterError> {
        for row in rows {
            let (numbers, error) = match &row.outcome {
                Ok(numbers) if numbers.len() == self.columns => (
                    numbers.iter().map(f64::to_string).collect::<Vec<_>>(),
                    String::new(),
                ),
                Ok(numbers) => {
                    let (draw, found, wanted) = (row.draw, numbers.len(), self.columns);
                    let what = format!("draw {draw} has {found} numbers, not {wanted}");
                    return Err(ClusterError::malformed(&self.path, what));
                }
                Err(error) => (vec![String::new(); self.columns], error.clone()),
            };
            let draw = [row.draw.to_string()].into_iter();
            self.record(draw.chain(numbers).chain([error]))?;
        }
        Ok(())
    }

    fn record(&mut self, fields: impl IntoIterator<Item = String>) -> Result<(), ClusterError> {
        (self.writer.write_record(fields))
            .map_err(|error| ClusterError::malformed(&self.path, error))
    }

    /// Completes the file.
    ///
    /// # Errors
    /// [`ClusterError::File`]; a file that was there before is then still there.
    pub fn finish(self) -> Result<(), ClusterError> {
        let path = self.path;
        let whole = || {
            let buffer = self
                .writer
                .into_inner()
                .map_err(csv::IntoInnerError::into_error)?;
            let file = buffer
                .into_inner()
                .map_err(std::io::IntoInnerError::into_error)?;
            complete(file, &path)
        };
        whole().map_err(ClusterError::file(&path))
    }
}

/// Reads what [`TableWriter`] has written: names of the columns, and rows.
///
/// # Errors
/// [`ClusterError::File`], and [`ClusterError::Malformed`] with the line.
pub fn read_table(path: &Path) -> Result<(Vec<String>, Vec<Row>), ClusterError> {
    let file = File::open(path).map_err(ClusterError::file(path))?;
    let mut reader = csv::Reader::from_reader(file);
    let malformed = |error: &dyn std::fmt::Display| ClusterError::malformed(path, error);
    let header = reader.headers().map_err(|error| malformed(&error))?.clone();
    let columns = header.len().saturating_sub(2);
    if header.get(0) != Some("draw") || header.get(columns + 1) != Some("error") {
        return Err(malformed(&"the header is not that of a sweep"));
    }
    let mut rows = Vec::new();
    for (line, record) in (2..).zip(reader.records()) {
        let record = record.map_err(|error| malformed(&error))?;
        let number = |text: &str| {
            let error = || malformed(&format!("line {line}: {text:?} is not a number"));
            text.parse::<f64>().map_err(|_| error())
        };
        let draw = record[0].parse();
        let draw =
            draw.map_err(|_| malformed(&format!("line {line}: {:?} is no draw", &record[0])))?;
        let outcome = match &record[columns + 1] {
            "" => Ok((1..=columns)
                .map(|k| number(&record[k]))
                .collect::<Result<_, _>>()?),
            error => Err(error.to_owned()),
        };
        rows.push(Row { draw, outcome });
    }
    let names = header.iter().skip(1).take(columns).map(str::to_owned);
    Ok((names.collect(), rows))
}
