//! The memory that dense matrices take.

use crate::InvalidInput;

/// The most bytes that the dense matrices of one problem may take together: 4 GiB.
pub(crate) const MOST_BYTES: u64 = 1 << 32;

/// The bytes of square matrices of numbers `T`.
pub(crate) fn bytes_of_squares<T>(matrices: u64, rows: usize) -> u64 {
    let rows = rows as u64;
    (rows.saturating_mul(rows))
        .saturating_mul(matrices)
        .saturating_mul(size_of::<T>() as u64)
}

/// Checks, before there is any, that square matrices of so many rows are not too large.
///
/// # Errors
/// [`InvalidInput::OutOfRange`] with the number of rows.
pub(crate) fn check_squares<T>(
    quantity: &'static str,
    matrices: u64,
    rows: usize,
) -> Result<(), InvalidInput> {
    let expected = "so many that their dense matrices take at most 4 GiB";
    let fits = bytes_of_squares::<T>(matrices, rows) <= MOST_BYTES;
    InvalidInput::check_range(quantity, &[rows as f64], expected, |_| fits)
}
