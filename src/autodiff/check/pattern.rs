//! Typical mistakes in a Jacobian (sign, factor, transposition, …), recognised from its entries.

use super::entry::{EntryCheck, Verdict};
use super::report::JacobianCheck;
use crate::error::Short;
use std::f64::consts::{PI, TAU};
use std::fmt;

/// Factors by which entries are often wrong, and their reciprocals.
const SMALL_FACTORS: [f64; 3] = [2.0, 3.0, 4.0];

/// Factors between units, and which units these are.
const UNITS: [(f64, &str); 7] = [
    (1e3, "m and mm"),
    (1e2, "m and cm"),
    (1e6, "MPa and Pa"),
    (180.0 / PI, "degrees and radians"),
    (TAU, "turns and radians"),
    (60.0 / TAU, "revolutions per minute and rad/s"),
    (60.0, "minutes and seconds"),
];

/// What an entry looks like that is not the derivative: a guess at what went wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum MistakePattern {
    /// It is the derivative with the other sign.
    Sign,
    /// It is so many times the derivative: 2, 3, 4 or one of their reciprocals, or a factor that other mistakes in its
    /// row or column have, too.
    Factor(f64),
    /// It is so many times the derivative, as if it had another unit: 1000, π/180, ….
    Unit(f64),
    /// It is the derivative that belongs across the diagonal of the matrix, or of a square block of it, and the entry there
    /// is the one that belongs here.
    Transposed,
    /// Its whole column is the derivative by another variable: columns are shifted or exchanged.
    OtherColumn(usize),
    /// It is zero, and the derivative is not.
    Missing,
    /// It is not zero, and the derivative is.
    Superfluous,
    /// A term of this size is missing, in so many entries that are wrong.
    Term {
        /// The derivative less the entry.
        missing: f64,
        /// The number of mistakes that lack the same.
        entries: usize,
    },
    /// It deviates along the unit vector `x[k..k + 4]` only: if that is a quaternion, the entry is right for rotations, and
    /// the differences leave the unit sphere. [`OnTangent`](crate::autodiff::OnTangent) keeps them on it.
    OffUnitSphere(usize),
}

impl JacobianCheck {
    /// What a mistake looks like, in comparison with the differences of all entries: every pattern that fits, the most
    /// usual first. None for an entry that is not finite, and one that is no mistake.
    pub fn patterns(&self, mistake: &EntryCheck) -> Vec<MistakePattern> {
        let is_own = self.entry(mistake.row, mistake.column) == Some(mistake);
        if !is_own || mistake.verdict != Verdict::Mistake || !mistake.claimed.is_finite() {
            return Vec::new();
        }
        let found: Vec<MistakePattern> = [
            self.usual_multiple(mistake),
            (self.transposed_with(mistake)).map(|_| MistakePattern::Transposed),
            (self.other_column(mistake)).map(MistakePattern::OtherColumn),
            (self.off_unit_sphere(mistake)).map(MistakePattern::OffUnitSphere),
        ]
        .into_iter()
        .flatten()
        .collect();
        match found.is_empty() {
            true => self.lone_patterns(mistake),
            false => found,
        }
    }

    /// Of a mistake that nothing else explains.
    fn lone_patterns(&self, mistake: &EntryCheck) -> Vec<MistakePattern> {
        if mistake.claimed == 0.0 {
            return vec![MistakePattern::Missing];
        }
        if self.is_zero(mistake) {
            return vec![MistakePattern::Superfluous];
        }
        let mut found = Vec::from_iter(self.shared_multiple(mistake));
        let missing = mistake.difference - mistake.claimed;
        let entries = (self.mistakes())
            .filter(|other| self.lacks(other, missing))
            .count();
        if found.is_empty() || entries > 1 {
            found.push(MistakePattern::Term { missing, entries });
        }
        found
    }

    /// Whether the derivative is zero, or too small to be known to some digits.
    fn is_zero(&self, entry: &EntryCheck) -> bool {
        (self.tolerance).is_zero(entry.difference, entry.difference_error)
    }

    /// Whether an entry is a multiple of the derivative.
    fn is_multiple(&self, entry: &EntryCheck, factor: f64) -> bool {
        let (difference, error) = (entry.difference, entry.difference_error);
        !self.is_zero(entry)
            && (self.tolerance).is_close(entry.claimed, factor * difference, factor.abs() * error)
    }

    fn usual_multiple(&self, entry: &EntryCheck) -> Option<MistakePattern> {
        if self.is_multiple(entry, -1.0) {
            return Some(MistakePattern::Sign);
        }
        let sign = (entry.claimed * entry.difference).signum();
        let find = |factor: f64| {
            let either = [factor, 1.0 / factor].map(|factor| sign * factor);
            either.into_iter().find(|&c| self.is_multiple(entry, c))
        };
        let small = SMALL_FACTORS.into_iter().find_map(find);
        let unit = || UNITS.into_iter().find_map(|(factor, _)| find(factor));
        small
            .map(MistakePattern::Factor)
            .or_else(|| unit().map(MistakePattern::Unit))
    }

    fn shared_multiple(&self, entry: &EntryCheck) -> Option<MistakePattern> {
        let factor = entry.claimed / entry.difference;
        let is_beside =
            |other: &&EntryCheck| (other.row == entry.row) != (other.column == entry.column);
        let mut beside = self.mistakes().filter(is_beside);
        (self.is_multiple(entry, factor) && beside.any(|other| self.is_multiple(other, factor)))
            .then_some(MistakePattern::Factor(factor))
    }

    /// Whether an entry is the derivative that belongs to another.
    fn is_derivative_of(&self, entry: &EntryCheck, other: &EntryCheck) -> bool {
        (self.tolerance).is_close(entry.claimed, other.difference, other.difference_error)
    }

    /// The entry with which an entry is exchanged: across the diagonal of the matrix, or else of the smallest square block
    /// that is transposed.
    fn transposed_with(&self, entry: &EntryCheck) -> Option<&EntryCheck> {
        let is_exchanged = |other: &&EntryCheck| {
            self.is_derivative_of(entry, other) && self.is_derivative_of(other, entry)
        };
        let mirrored = self.entry(entry.column, entry.row).filter(is_exchanged);
        mirrored.or_else(|| {
            let (i, j) = (entry.row, entry.column);
            // Blocks with both entries in their corners: the other one is on the same antidiagonal.
            (1..self.rows.min(self.point.len())).find_map(|size| {
                let below = j
                    .checked_sub(size)
                    .map(|left| ((i, left), (i + size, left)));
                let above = i.checked_sub(size).map(|top| ((top, j), (top, j + size)));
                let mut both = below.into_iter().chain(above);
                both.find_map(|(first, (row, column))| {
                    self.is_block_transposed(first, size + 1)
                        .then(|| self.entry(row, column))
                        .flatten()
                })
            })
        })
    }

    /// Whether the square block with this first row and column is the transpose of the derivative's, and has more than one
    /// entry that is not zero.
    fn is_block_transposed(&self, (row, column): (usize, usize), size: usize) -> bool {
        let mut entries = 0;
        for (i, j) in (0..size).flat_map(|i| (0..size).map(move |j| (i, j))) {
            let entry = self.entry(row + i, column + j);
            let mirrored = self.entry(row + j, column + i);
            let (Some(entry), Some(mirrored)) = (entry, mirrored) else {
                return false;
            };
            if !self.is_derivative_of(entry, mirrored) {
                return false;
            }
            entries += usize::from(!self.is_zero(entry));
        }
        entries > 1
    }

    /// The variable by which the values have the derivatives that are claimed for another, the nearest one.
    fn other_column(&self, entry: &EntryCheck) -> Option<usize> {
        let claimed = self.column(entry.column);
        if claimed.iter().all(|e| e.claimed == 0.0) {
            return None;
        }
        let is_claimed = |column: usize| {
            (claimed.iter().zip(self.column(column))).all(|(a, b)| {
                (self.tolerance).is_close(a.claimed, b.difference, b.difference_error)
            })
        };
        let others = (0..self.point.len()).filter(|&k| k != entry.column && is_claimed(k));
        others.min_by_key(|k| k.abs_diff(entry.column))
    }

    fn lacks(&self, entry: &EntryCheck, missing: f64) -> bool {
        let own = entry.difference - entry.claimed;
        (self.tolerance).is_close(own, missing, entry.difference_error)
    }

    /// The first of four variables that make a unit vector, along which alone the row of an entry deviates.
    fn off_unit_sphere(&self, entry: &EntryCheck) -> Option<usize> {
        let starts = entry.column.saturating_sub(3)..=entry.column;
        // The nearest first: the real part of a quaternion leads, and of no rotation it is the only entry.
        starts.rev().find(|&start| {
            let Some(x) = self.point.get(start..start + 4) else {
                return false;
            };
            let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            let row: Vec<&EntryCheck> = (start..start + 4)
                .filter_map(|column| self.entry(entry.row, column))
                .collect();
            let deviation = |e: &EntryCheck| e.claimed - e.difference;
            let along: f64 = row.iter().zip(x).map(|(e, x)| deviation(e) * x).sum();
            let error: f64 = row.iter().map(|e| e.difference_error).sum();
            (norm - 1.0).abs() < 1e-9
                && row.iter().zip(x).all(|(e, x)| {
                    let tangent = deviation(e) - along * x;
                    tangent.abs() <= self.tolerance.allowed(e.claimed, e.difference) + error
                })
        })
    }
}

/// A pattern with the names of variables.
pub(super) struct Described<'a> {
    pub check: &'a JacobianCheck,
    pub entry: &'a EntryCheck,
    pub pattern: MistakePattern,
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Described { check, entry, .. } = self;
        match self.pattern {
            MistakePattern::Sign => f.write_str("the sign is wrong"),
            MistakePattern::Factor(factor) => {
                write!(
                    f,
                    "it is {} times the derivative",
                    Short::to_digits(factor, 6)
                )
            }
            MistakePattern::Unit(factor) => {
                let is_between = |c: f64| c == factor.abs() || 1.0 / c == factor.abs();
                let units = UNITS.iter().find(|(c, _)| is_between(*c));
                let units = units.map_or("units", |(_, units)| units);
                let factor = Short::to_digits(factor, 6);
                write!(f, "it is {factor} times the derivative, as between {units}")
            }
            MistakePattern::Transposed => {
                let other = check.transposed_with(entry).unwrap_or(entry);
                let (value, variable) = (
                    check.value_name(other.row),
                    check.variable_name(other.column),
                );
                write!(f, "it is ∂{value}/∂{variable}, ")?;
                f.write_str(
                    match other.row == entry.column && other.column == entry.row {
                        true => "transposed",
                        false => "as in a block that is transposed",
                    },
                )
            }
            MistakePattern::OtherColumn(column) => {
                let (own, other) = (
                    check.variable_name(entry.column),
                    check.variable_name(column),
                );
                write!(f, "the column of {own} is that of {other}")
            }
            MistakePattern::Missing => f.write_str("the derivative is missing"),
            MistakePattern::Superfluous => f.write_str("the derivative is zero"),
            MistakePattern::Term { missing, entries } => {
                write!(f, "a term of {} is missing", Short::to_digits(missing, 6))?;
                match entries {
                    0 | 1 => Ok(()),
                    _ => write!(f, ", as in {entries} entries"),
                }
            }
            MistakePattern::OffUnitSphere(start) => {
                let (first, last) = (check.variable_name(start), check.variable_name(start + 3));
                write!(
                    f,
                    "it is wrong only across the unit sphere of {first} to {last}"
                )
            }
        }
    }
}
