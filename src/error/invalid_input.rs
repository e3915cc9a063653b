//! The error for input that a component cannot accept.

use crate::Scalar;
use std::fmt;

/// Data that a component cannot accept: which quantity, where, its value, and what was expected.
///
/// The errors of the components wrap this one, so that a caller finds the same sentence for the
/// same mistake everywhere.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidInput {
    /// A vector or matrix has the wrong size.
    #[error("{quantity} has size {actual}, expected {expected}")]
    Dimension {
        /// The quantity, by its documented name.
        quantity: &'static str,
        /// The size that the component needs.
        expected: usize,
        /// The size that was given.
        actual: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{quantity}{} = {value} is not finite", At(*index))]
    NotFinite {
        /// The quantity, by its documented name.
        quantity: &'static str,
        /// Position of the entry (column-major for matrices); none of a single number.
        index: Option<usize>,
        /// The entry.
        value: f64,
    },
    /// An entry lies outside the values that make sense for the quantity.
    #[error("{quantity}{} = {}, expected {expected}", At(*index), Short(*value))]
    OutOfRange {
        /// The quantity, by its documented name.
        quantity: &'static str,
        /// Position of the entry (column-major for matrices); none of a single number.
        index: Option<usize>,
        /// The entry.
        value: f64,
        /// The valid range, in words.
        expected: &'static str,
    },
}

impl InvalidInput {
    /// Checks that `actual == expected`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] otherwise.
    pub fn check_size(
        quantity: &'static str,
        actual: usize,
        expected: usize,
    ) -> Result<(), InvalidInput> {
        if actual == expected {
            Ok(())
        } else {
            Err(InvalidInput::Dimension {
                quantity,
                expected,
                actual,
            })
        }
    }

    /// Checks that the real parts of all entries are finite.
    ///
    /// # Errors
    /// [`InvalidInput::NotFinite`] with the first entry that is not.
    pub fn check_finite<T: Scalar>(
        quantity: &'static str,
        values: &[T],
    ) -> Result<(), InvalidInput> {
        // Several at a time: of what is not finite no product is zero.
        let (chunks, rest) = values.as_chunks::<8>();
        let mut zeros = [0.0; 8];
        for chunk in chunks {
            (zeros.iter_mut().zip(chunk)).for_each(|(zero, x)| *zero += 0.0 * x.re());
        }
        if zeros == [0.0; 8] && rest.iter().all(|x| x.re().is_finite()) {
            return Ok(());
        }
        match values.iter().position(|x| !x.re().is_finite()) {
            None => Ok(()),
            Some(index) => Err(InvalidInput::NotFinite {
                quantity,
                index: (values.len() > 1).then_some(index),
                value: values[index].re(),
            }),
        }
    }

    /// Checks that the real parts of all entries satisfy `valid`, which NaN must not.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] with the first entry that does not; `expected` says in words
    /// what `valid` tests.
    pub fn check_range<T: Scalar>(
        quantity: &'static str,
        values: &[T],
        expected: &'static str,
        valid: impl Fn(f64) -> bool,
    ) -> Result<(), InvalidInput> {
        Self::check_each(quantity, values, expected, &valid)
    }

    fn check_each<T: Scalar>(
        quantity: &'static str,
        values: &[T],
        expected: &'static str,
        valid: &dyn Fn(f64) -> bool,
    ) -> Result<(), InvalidInput> {
        match values.iter().position(|x| !valid(x.re())) {
            None => Ok(()),
            Some(index) => Err(InvalidInput::OutOfRange {
                quantity,
                index: (values.len() > 1).then_some(index),
                value: values[index].re(),
                expected,
            }),
        }
    }
}

/// The position of an entry.
struct At(Option<usize>);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

/// A number as errors show it: with an exponent where it would have many zeros.
pub(crate) struct Short(pub f64);

impl Short {
    /// The number to so many digits.
    pub fn to_digits(x: f64, digits: usize) -> Self {
        let decimals = digits.saturating_sub(1);
        Short(format!("{x:.decimals$e}").parse().unwrap_or(x))
    }
}

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Short(x) = *self;
        if x == 0.0 || !x.is_finite() || (1e-5..1e16).contains(&x.abs()) {
            write!(f, "{x}")
        } else {
            write!(f, "{x:e}")
        }
    }
}
