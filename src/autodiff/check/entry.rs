//! The comparison of one entry.

use crate::error::Short;
use std::fmt;

/// Differences have no more digits.
const DIGITS: usize = 10;

/// What the comparison says of an entry, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The entry is the derivative, to the tolerance.
    Agrees,
    /// The differences are too noisy to tell.
    Unresolved,
    /// The one-sided derivatives differ: there is no derivative to compare with.
    Kink,
    /// The entry is not the derivative.
    Mistake,
}

/// The comparison of one entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EntryCheck {
    /// Row: which value of the function.
    pub row: usize,
    /// Column: which variable.
    pub column: usize,
    /// The entry of the Jacobian under test.
    pub claimed: f64,
    /// The extrapolated central difference.
    pub difference: f64,
    /// Estimated error of `difference`.
    pub difference_error: f64,
    /// One-sided difference towards larger values of the variable.
    pub forward: f64,
    /// One-sided difference towards smaller values of the variable.
    pub backward: f64,
    /// What this says of the entry.
    pub verdict: Verdict,
    /// Deviation as a multiple of the tolerance.
    pub excess: f64,
}

impl EntryCheck {
    /// Writes the entry as the derivative of a value by a variable, which have these names.
    pub(super) fn write(
        &self,
        f: &mut fmt::Formatter,
        [value, variable]: [&str; 2],
    ) -> fmt::Result {
        let [claimed, difference, forward, backward] =
            [self.claimed, self.difference, self.forward, self.backward]
                .map(|x| Short::to_digits(x, DIGITS));
        write!(f, "∂{value}/∂{variable}: claimed {claimed}, ")?;
        let error = self.difference_error;
        match self.verdict {
            Verdict::Agrees => write!(f, "central difference {difference} ± {error:.0e}"),
            Verdict::Mistake => write!(
                f,
                "central difference {difference} ± {error:.0e} ({:.1e} times the tolerance)",
                self.excess
            ),
            Verdict::Unresolved => write!(
                f,
                "central difference {difference} ± {error:.0e}, too noisy to tell"
            ),
            Verdict::Kink => write!(
                f,
                "one-sided differences {forward} and {backward}: the function has a kink here"
            ),
        }
    }
}

impl fmt::Display for EntryCheck {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names = [format!("f[{}]", self.row), format!("x[{}]", self.column)];
        self.write(f, names.each_ref().map(String::as_str))
    }
}
