//! Feasibility: whether some `z ≥ 0` satisfies `M z + q ≥ 0`.
//!
//! The first phase of the simplex method: the least `z₀ ≥ 0` with `M z + d z₀ + q ≥ 0`, by Bland's
//! rule (1977, *Mathematics of Operations Research* 2(2), 103–107), which does not cycle.

use super::dictionary::{Dictionary, Place};
use super::lemke::most_negative;

/// The least `z₀`, from a fresh dictionary whose covering column is positive: 0 when the
/// inequalities can be satisfied; `None` when it was not found within the limit.
pub(super) fn least_cover(
    dictionary: &mut Dictionary,
    limit: usize,
    pivots: &mut usize,
) -> Option<f64> {
    let n = dictionary.size();
    let Some(first) = most_negative(dictionary) else {
        return Some(0.0);
    };
    dictionary.exchange(first, n);
    let z0 = dictionary.z0();
    for _ in 0..limit {
        let Place::Row(objective) = dictionary.place(z0) else {
            return Some(0.0);
        };
        // Bland: of the variables that lower z₀, the one with the smallest number.
        let lowers = |variable: usize| match dictionary.place(variable) {
            Place::Column(column) if dictionary.entry(objective, column) < -1e-11 => Some(column),
            _ => None,
        };
        let Some(column) = (0..z0).find_map(lowers) else {
            return Some(dictionary.constant(objective));
        };
        let row = dictionary.ratio_test(column, z0, |_, _| true)?;
        dictionary.exchange(row, column);
        *pivots += 1;
    }
    None
}
