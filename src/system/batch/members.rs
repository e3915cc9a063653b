//! Matrices with the numbers of all members, and the parts of single ones.

use crate::InvalidInput;
use crate::math::reset_matrix;
use nalgebra::DMatrix;

/// As many numbers may be in a matrix.
const MOST_NUMBERS: f64 = (1u64 << 34) as f64;

/// Numbers of all members, or the same for all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given<'a> {
    entries: &'a [f64],
    /// How many a member has.
    size: usize,
    is_shared: bool,
}

impl<'a> Given<'a> {
    /// From a matrix with so many rows, and so many columns for each of so many members, or for all.
    pub fn new(
        matrix: &'a DMatrix<f64>,
        [rows_of, columns_of]: [&'static str; 2],
        [rows, columns]: [usize; 2],
        members: usize,
    ) -> Result<Self, InvalidInput> {
        InvalidInput::check_size(rows_of, matrix.nrows(), rows)?;
        let is_shared = matrix.ncols() == columns && members != 1;
        if !is_shared {
            let expected = columns.saturating_mul(members);
            InvalidInput::check_size(columns_of, matrix.ncols(), expected)?;
        }
        Ok(Given {
            entries: matrix.as_slice(),
            size: rows * columns,
            is_shared,
        })
    }

    /// As [`Self::new`]; nothing of what is not given.
    pub fn optional(
        matrix: Option<&'a DMatrix<f64>>,
        names: [&'static str; 2],
        shape: [usize; 2],
        members: usize,
    ) -> Result<Self, InvalidInput> {
        match matrix {
            Some(matrix) => Given::new(matrix, names, shape, members),
            None => Ok(Given::shared(&[])),
        }
    }

    /// The same for all.
    pub fn shared(entries: &'a [f64]) -> Self {
        Given {
            entries,
            size: entries.len(),
            is_shared: true,
        }
    }

    /// Those of a member.
    pub fn of(&self, member: usize) -> &'a [f64] {
        match self.is_shared {
            true => self.entries,
            false => &self.entries[member * self.size..(member + 1) * self.size],
        }
    }
}

/// Gives a matrix so many rows, and so many columns for each member, of zeros.
pub(super) fn reset(
    matrix: &mut DMatrix<f64>,
    [rows, columns]: [usize; 2],
    members: usize,
) -> Result<(), InvalidInput> {
    let all = columns.saturating_mul(members);
    bounded(rows, all)?;
    reset_matrix(matrix, rows, all);
    Ok(())
}

/// The number of entries of so many rows and columns, if that is not too large.
pub(super) fn bounded(rows: usize, columns: usize) -> Result<usize, InvalidInput> {
    let given = rows.max(1) as f64 * columns as f64;
    let expected = "less than 2^34";
    InvalidInput::check_range("numbers in a matrix", &[given], expected, |entries| {
        entries < MOST_NUMBERS
    })?;
    Ok(rows * columns)
}

/// Numbers of consecutive members, to be written.
#[derive(Debug)]
pub(super) struct Results<'a> {
    entries: &'a mut [f64],
    /// How many a member has.
    size: usize,
}

impl<'a> Results<'a> {
    pub fn new(entries: &'a mut [f64], members: usize) -> Self {
        Results {
            size: entries.len().checked_div(members).unwrap_or(0),
            entries,
        }
    }

    /// Those of the first member, which are left out from then on.
    fn take_first(&mut self) -> Self {
        let entries = std::mem::take(&mut self.entries);
        let (first, rest) = entries.split_at_mut(self.size);
        self.entries = rest;
        Results {
            entries: first,
            size: self.size,
        }
    }
}

/// What is to be found of consecutive members: numbers, and one thing more.
#[derive(Debug)]
pub(super) struct Work<'a, F, const K: usize> {
    first: usize,
    results: [Results<'a>; K],
    found: &'a mut [Option<F>],
}

impl<'a, F: Send, const K: usize> Work<'a, F, K> {
    /// Of all members, as many as there is room for what is found.
    pub fn new(results: [&'a mut [f64]; K], found: &'a mut [Option<F>]) -> Self {
        let members = found.len();
        Work {
            first: 0,
            results: results.map(|entries| Results::new(entries, members)),
            found,
        }
    }

    /// The work on the first member, which is left out from then on.
    pub fn next(&mut self) -> Option<Self> {
        if self.found.is_empty() {
            return None;
        }
        let (before, after) = std::mem::take(&mut self.found).split_at_mut(1);
        self.found = after;
        self.first += 1;
        Some(Work {
            first: self.first - 1,
            results: self.results.each_mut().map(Results::take_first),
            found: before,
        })
    }

    /// Finds what there is of one member.
    pub fn alone(self, find: impl FnOnce(usize, [&mut [f64]; K]) -> Option<F>) {
        if let [found] = self.found {
            *found = find(self.first, self.results.map(|of| of.entries));
        }
    }
}
