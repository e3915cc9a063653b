//! The principal pivoting method of Dantzig and Cottle.
//!
//! While a constant is negative, its complement is increased (the *driving variable*); variables
//! that are not negative are kept so. When one of them blocks, it leaves and its complement drives
//! on. With `xᵀ M x ≥ 0` the distinguished variable never decreases meanwhile, so it reaches zero,
//! or nothing blocks and the inequalities contradict each other. Each such major cycle leaves one
//! negative constant less.
//!
//! # Reference
//! Cottle & Dantzig 1968, *Linear Algebra and its Applications* 1(1), 103–125; Cottle, Pang & Stone
//! 1992, §4.2–4.3.

use super::dictionary::{Dictionary, Place};
use super::lemke::Ending;

/// Constants above this are not negative.
const NEGATIVE: f64 = -1e-13;

/// Pivots from a fresh dictionary; the covering variable stays zero.
pub(super) fn solve(dictionary: &mut Dictionary, limit: usize, pivots: &mut usize) -> Ending {
    let n = dictionary.size();
    let mut left = limit;
    loop {
        let negative = (0..n).filter(|&i| dictionary.constant(i) < NEGATIVE);
        let Some(distinguished) =
            negative.min_by(|&i, &j| dictionary.constant(i).total_cmp(&dictionary.constant(j)))
        else {
            return Ending::Complementary;
        };
        let mut leaving = dictionary.basic(distinguished);
        loop {
            let Place::Column(column) = dictionary.place(dictionary.complement(leaving)) else {
                return Ending::PivotLimit; // does not happen: one member of a pair just left
            };
            let Some(row) = blocking_row(dictionary, distinguished, column) else {
                return Ending::Ray;
            };
            if left == 0 {
                return Ending::PivotLimit;
            }
            left -= 1;
            *pivots += 1;
            leaving = dictionary.basic(row);
            dictionary.exchange(row, column);
            if row == distinguished {
                break;
            }
        }
    }
}

/// The row whose variable first reaches zero: the distinguished one from below, others from above.
fn blocking_row(dictionary: &mut Dictionary, distinguished: usize, column: usize) -> Option<usize> {
    let noise = dictionary.noise(column);
    let slope = dictionary.entry(distinguished, column);
    let own = (slope > noise).then(|| -dictionary.constant(distinguished) / slope);
    let other = dictionary.ratio_test(column, dictionary.basic(distinguished), |d, i| {
        i != distinguished && d.constant(i) >= NEGATIVE
    });
    match (own, other) {
        (Some(own), Some(row)) => {
            let ratio = -dictionary.constant(row) / dictionary.entry(row, column);
            Some(if ratio < own { row } else { distinguished })
        }
        (Some(_), None) => Some(distinguished),
        (None, other) => other,
    }
}
