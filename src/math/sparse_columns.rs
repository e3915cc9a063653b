//! Sparse matrices by columns.

use nalgebra::DMatrix;
use std::ops::Range;

/// A matrix by the entries of its columns that may not be zero.
///
/// ```
/// use dualbody::math::SparseColumns;
/// use nalgebra::dmatrix;
///
/// let mut matrix = SparseColumns::zeros(3, 2);
/// matrix.add_column(1, [(0, 2.0), (2, 5.0)]);
/// assert_eq!(matrix.column(1).collect::<Vec<_>>(), [(0, 2.0), (2, 5.0)]);
/// assert_eq!(matrix.to_dense(), dmatrix![0.0, 2.0; 0.0, 0.0; 0.0, 5.0]);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseColumns {
    num_rows: usize,
    /// Where the entries of each column are.
    columns: Vec<Range<usize>>,
    rows: Vec<usize>,
    values: Vec<f64>,
}

impl SparseColumns {
    /// A matrix without entries, of the given shape.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        let mut matrix = SparseColumns::default();
        matrix.reset(rows, columns);
        matrix
    }

    /// Removes all entries and changes the shape; memory is kept.
    pub fn reset(&mut self, rows: usize, columns: usize) {
        self.num_rows = rows;
        self.columns.clear();
        self.columns.resize(columns, 0..0);
        self.rows.clear();
        self.values.clear();
    }

    /// Number of rows.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Number of columns.
    pub fn num_columns(&self) -> usize {
        self.columns.len()
    }

    /// Number of entries that are kept.
    pub fn num_entries(&self) -> usize {
        self.values.len()
    }

    /// Sets the entries of a column, each with its row, or adds entries in further rows to the column that
    /// was set last. Entries outside the matrix are left out.
    pub fn add_column(&mut self, column: usize, entries: impl IntoIterator<Item = (usize, f64)>) {
        let start = self.values.len();
        for (row, value) in entries {
            if row < self.num_rows {
                self.rows.push(row);
                self.values.push(value);
            }
        }
        self.give(column, start);
    }

    /// As [`Self::add_column`], by runs of rows of the matrix.
    pub(crate) fn add_runs<'a>(
        &mut self,
        column: usize,
        runs: impl Iterator<Item = (Range<usize>, &'a [f64])>,
    ) {
        let start = self.values.len();
        for (rows, values) in runs {
            self.rows.extend(rows);
            self.values.extend_from_slice(values);
        }
        self.give(column, start);
    }

    /// Gives a column the entries from `start` on.
    fn give(&mut self, column: usize, start: usize) {
        let Some(range) = self.columns.get_mut(column) else {
            self.rows.truncate(start);
            self.values.truncate(start);
            return;
        };
        if range.start == range.end || range.end != start {
            range.start = start;
        }
        range.end = self.values.len();
    }

    /// The rows and entries of a column, in the order in which they were set; none for a column that there
    /// is not.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.columns.get(column).cloned().unwrap_or_default();
        let rows = self.rows[range.clone()].iter().copied();
        rows.zip(self.values[range].iter().copied())
    }

    /// All entries that are kept.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The matrix with all its zeros.
    pub fn to_dense(&self) -> DMatrix<f64> {
        let mut dense = DMatrix::zeros(self.num_rows, self.num_columns());
        for j in 0..self.num_columns() {
            self.column(j).for_each(|(i, value)| dense[(i, j)] = value);
        }
        dense
    }
}
