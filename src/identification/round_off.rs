//! Detection of derivatives that are nothing but round-off.

use super::unknown::Unknown;

/// Round-off of a residual relative to what it is made of: 4096 units in the last place, what some
/// 10⁷ operations leave if their errors are independent.
pub(super) const ROUND_OFF: f64 = 4096.0 * f64::EPSILON;
/// Relative size of a column that may be round-off, of terms that are larger than the residuals by as much as 256.
const SUSPECT: f64 = 256.0 * ROUND_OFF;
/// Round-off of a residual relative to itself that may be the same nearby, as it is where every step rounds alike.
const ALIKE: f64 = 0.5 * ROUND_OFF;
/// How far away a derivative is looked at once more, relative to the size of its unknown.
const NEARBY: f64 = 1e-6;
/// Part of itself by which a derivative may change over that distance.
const SAME: f64 = 1e-2;

/// The derivatives of residuals `r` by coordinates of sizes `|z|`, column by column.
///
/// A derivative `J_ij` that ought to vanish comes out as round-off of the terms that cancel in it:
/// a change of the unknown by its own size (`max(|z_j|, 1)`, since 1 is its scale) seems to change
/// the residual by some `ε` of these terms, which may be larger than the residual. Within an experiment the column of an
/// unknown is therefore *suspect* if
///
/// ```text
/// max(|z_j|, 1) |J_ij| ≤ 2²⁰ ε max_kl (|r_l|, max(|z_k|, 1) |J_lk|)      for all i.
/// ```
///
/// A derivative that is only small looks the same: that of a residual of 1 beside one of 10¹³, or by an unknown that is
/// guessed at 0 and has the size 10¹². But nearby it is the same, where round-off is another. A suspect column is kept
/// if it comes out again, to a hundredth, with the suspects changed by 10⁻⁶ of their size, each row relative to
/// `s_i = max(|r_i|, max_k max(|z_k|, 1) |J_ik|)`, and `max(|z_j|, 1) |J_ij|` is above 2048 ε s_i in half of the rows
/// in which it is not 0, or above 4096 ε max_i s_i in one; else it is zero.
pub(super) struct Derivatives<'a> {
    pub jacobian: &'a [f64],
    pub residuals: &'a [f64],
    /// `max_k max(|z_k|, 1) |J_ik|` for every row.
    pub rows: &'a [f64],
    /// `max(|z_j|, 1)`.
    pub magnitudes: &'a [f64],
}

impl Derivatives<'_> {
    fn column(&self, j: usize) -> &[f64] {
        let m = self.residuals.len();
        &self.jacobian[j * m..(j + 1) * m]
    }

    /// Whether no derivative of the column is above a part of the largest size of a row.
    fn is_below(&self, part: f64, j: usize) -> bool {
        let residuals = self.residuals.iter().map(|r| r.abs());
        let largest = (residuals.chain(self.rows.iter().copied())).fold(0.0, f64::max);
        let mut column = self.column(j).iter();
        column.all(|dr| self.magnitudes[j] * dr.abs() <= part * largest)
    }

    /// The columns that are suspect and not zero.
    pub fn suspects(&self) -> Vec<usize> {
        (0..self.magnitudes.len())
            .filter(|&j| self.is_below(SUSPECT, j) && self.column(j).iter().any(|&dr| dr != 0.0))
            .collect()
    }

    /// Whether a suspect column is the same nearby, and more than what may round alike there.
    pub fn is_same(&self, suspect: usize, nearby: &[f64]) -> bool {
        let m = self.residuals.len();
        let column = self.column(suspect).iter().zip(&nearby[suspect * m..]);
        let sizes = self.residuals.iter().zip(self.rows);
        let (mut size, mut change, mut parts) = (0.0f64, 0.0f64, Vec::new());
        for ((dr, near), (r, row)) in column.zip(sizes) {
            let scale = r.abs().max(*row);
            if scale > 0.0 {
                size = size.hypot(dr / scale);
                change = change.hypot((near - dr) / scale);
            }
            if *dr != 0.0 {
                parts.push(self.magnitudes[suspect] * dr.abs() / scale);
            }
        }
        parts.sort_by(f64::total_cmp);
        let median = parts.get(parts.len() / 2).copied().unwrap_or(0.0);
        change <= SAME * size && (median > ALIKE || !self.is_below(ROUND_OFF, suspect))
    }
}

/// Values close by: those of the suspects are changed a little, within their bounds.
pub(super) fn nearby(unknowns: &[Unknown], values: &[f64], suspects: &[usize]) -> Vec<f64> {
    let mut nearby = values.to_vec();
    for &j in suspects {
        let (unknown, p) = (&unknowns[j], values[j]);
        let z = unknown.coordinate(p);
        let change = NEARBY * unknown.magnitude(p).max(1.0);
        let above = unknown.value(z + change);
        nearby[j] = if above > p {
            above
        } else {
            unknown.value(z - change)
        };
    }
    nearby
}
