//! Lemke's method: complementary pivots with a lexicographic rule.
//!
//! `w = M z + d z₀ + q` with a positive *covering vector* `d` has the solution `z = 0` for large
//! `z₀`. Lowering `z₀` until some `w` reaches zero gives the start of a path of *almost
//! complementary* solutions: one pair has both members nonbasic, and the member of it that has not
//! just left the basis enters. The path ends where `z₀` leaves, at a solution, or on a ray.
//!
//! The path visits no basis twice when ties between rows are decided as if `q` were
//! `q + (ε, ε², …, εⁿ)` with a small `ε`: lexicographically.
//!
//! # Reference
//! Lemke 1965, *Management Science* 11(7), 681–689; Cottle, Pang & Stone 1992, §4.4 (method) and
//! §4.9 (degeneracy).

use super::dictionary::{Dictionary, Place};

/// Where a path of pivots ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// At a complementary basis without negative constants.
    Complementary,
    /// Where a variable may grow without bound.
    Ray,
    /// Nowhere within the limit.
    PivotLimit,
}

/// Follows Lemke's path from a fresh dictionary whose covering column is positive. After every `refresh` pivots the
/// dictionary is computed anew.
pub(super) fn solve(
    dictionary: &mut Dictionary,
    limit: usize,
    refresh: usize,
    pivots: &mut usize,
) -> Ending {
    let n = dictionary.size();
    let Some(first) = most_negative(dictionary) else {
        return Ending::Complementary;
    };
    let z0 = dictionary.z0();
    let mut leaving = dictionary.basic(first);
    dictionary.exchange(first, n);
    *pivots += 1;
    for pivot in 1..limit {
        if pivot % refresh == 0 {
            dictionary.refresh();
        }
        let Place::Column(column) = dictionary.place(dictionary.complement(leaving)) else {
            return Ending::PivotLimit; // does not happen: one member of a pair just left
        };
        let Some(row) = dictionary.ratio_test(column, z0, |_, _| true) else {
            return Ending::Ray;
        };
        leaving = dictionary.basic(row);
        dictionary.exchange(row, column);
        *pivots += 1;
        if leaving == z0 {
            return Ending::Complementary;
        }
    }
    Ending::PivotLimit
}

/// The row that needs the largest `z₀`, if any needs one; of several the last, as the
/// lexicographic rule has it.
pub(super) fn most_negative(dictionary: &Dictionary) -> Option<usize> {
    let n = dictionary.size();
    let need = |i: usize| -dictionary.constant(i) / dictionary.entry(i, n);
    (0..n)
        .filter(|&i| dictionary.constant(i) < 0.0)
        .max_by(|&i, &j| need(i).total_cmp(&need(j)))
}
