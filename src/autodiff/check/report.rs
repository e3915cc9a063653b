//! The comparison of all entries of a Jacobian.

use super::entry::{EntryCheck, Verdict};
use super::pattern::{Described, MistakePattern};
use super::tolerance::Tolerance;
use std::borrow::Cow;
use std::fmt;

/// The most entries that are printed.
const MOST_LINES: usize = 100;

/// The comparison of all entries of a Jacobian.
///
/// It prints every entry that does not agree (the first hundred), and of a mistake what it
/// [looks like](JacobianCheck::patterns).
#[derive(Debug, Clone, PartialEq)]
pub struct JacobianCheck {
    pub(super) entries: Vec<EntryCheck>,
    pub(super) rows: usize,
    pub(super) point: Vec<f64>,
    pub(super) tolerance: Tolerance,
    pub(super) value_names: Vec<String>,
    pub(super) variable_names: Vec<String>,
}

impl JacobianCheck {
    /// Gives the values of the function (rows) and its variables (columns) names, with which entries are printed. One
    /// without a name is `f[row]` or `x[column]`.
    pub fn with_names<N: Into<String>>(
        mut self,
        values: impl IntoIterator<Item = N>,
        variables: impl IntoIterator<Item = N>,
    ) -> Self {
        self.value_names = values.into_iter().map(Into::into).collect();
        self.variable_names = variables.into_iter().map(Into::into).collect();
        self
    }

    /// All entries, column by column.
    pub fn entries(&self) -> &[EntryCheck] {
        &self.entries
    }

    /// The entries that are not the derivative, column by column.
    pub fn mistakes(&self) -> impl Iterator<Item = &EntryCheck> {
        self.of(Verdict::Mistake)
    }

    /// The entry with the worst verdict and, among those, the largest deviation; `None` for an
    /// empty Jacobian.
    pub fn worst(&self) -> Option<&EntryCheck> {
        self.entries
            .iter()
            .max_by(|a, b| (a.verdict.cmp(&b.verdict)).then(a.excess.total_cmp(&b.excess)))
    }

    /// Whether every entry agrees.
    pub fn agrees(&self) -> bool {
        self.entries.iter().all(|e| e.verdict == Verdict::Agrees)
    }

    /// Asserts that every entry agrees.
    ///
    /// # Panics
    /// Otherwise, with what is printed. This is the assertion form for tests.
    #[track_caller]
    pub fn assert_agrees(&self) {
        assert!(self.agrees(), "{self}");
    }

    pub(super) fn entry(&self, row: usize, column: usize) -> Option<&EntryCheck> {
        self.column(column).get(row)
    }

    /// The entries of a column; none of one that there is not.
    pub(super) fn column(&self, column: usize) -> &[EntryCheck] {
        let start = column.saturating_mul(self.rows);
        let end = start.saturating_add(self.rows);
        self.entries.get(start..end).unwrap_or_default()
    }

    pub(super) fn value_name(&self, row: usize) -> Cow<'_, str> {
        match self.value_names.get(row) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("f[{row}]")),
        }
    }

    pub(super) fn variable_name(&self, column: usize) -> Cow<'_, str> {
        match self.variable_names.get(column) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("x[{column}]")),
        }
    }

    fn of(&self, verdict: Verdict) -> impl Iterator<Item = &EntryCheck> {
        self.entries.iter().filter(move |e| e.verdict == verdict)
    }
}

impl fmt::Display for JacobianCheck {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [agree, mistakes, kinks, unresolved] = [
            Verdict::Agrees,
            Verdict::Mistake,
            Verdict::Kink,
            Verdict::Unresolved,
        ]
        .map(|verdict| self.of(verdict).count());
        write!(
            f,
            "{agree} of {} entries of the Jacobian agree with central differences ({mistakes} mistakes, {kinks} at a kink, \
             {unresolved} unresolved)",
            self.entries.len(),
        )?;
        let disagreeing = [Verdict::Mistake, Verdict::Kink, Verdict::Unresolved]
            .into_iter()
            .flat_map(|verdict| self.of(verdict));
        let mut sphere = None;
        for entry in disagreeing.take(MOST_LINES) {
            let names = [self.value_name(entry.row), self.variable_name(entry.column)];
            f.write_str("\n  ")?;
            entry.write(f, names.each_ref().map(|name| &**name))?;
            for (k, pattern) in self.patterns(entry).into_iter().enumerate() {
                let separator = if k == 0 { ":" } else { ", or" };
                let described = Described {
                    check: self,
                    entry,
                    pattern,
                };
                write!(f, "{separator} {described}")?;
                if let MistakePattern::OffUnitSphere(start) = pattern {
                    sphere.get_or_insert(start);
                }
            }
        }
        let left = (mistakes + kinks + unresolved).saturating_sub(MOST_LINES);
        if left > 0 {
            write!(f, "\n  and {left} more")?;
        }
        match sphere {
            None => Ok(()),
            Some(start) => write!(
                f,
                "\n{} to {} have the length 1, as a quaternion has, and the differences leave the unit sphere: \
                 dualbody::autodiff::OnTangent keeps them on it",
                self.variable_name(start),
                self.variable_name(start + 3)
            ),
        }
    }
}
