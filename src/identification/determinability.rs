//! Identifiability: which unknowns, and which combinations of them, the data determine.

use super::covariance::normal_basis;
use super::gauss_newton::GaussNewton;
use nalgebra::{DMatrix, DVector};

/// An unknown takes part in a determined direction if its component is at least this fraction of the
/// largest.
const TAKES_PART: f64 = 1e-3;
/// The same for an undetermined direction, of which the smallest component counts.
const ROUND_OFF: f64 = 1e-10;
/// A bound holds an unknown that the data pull beyond it by more than so many standard errors.
const PULLED: f64 = 3.0;
/// An unknown rests on the bound of another if it follows that by more than so many of its standard errors.
const RESTING: f64 = 10.0;

/// What the singular values of the Jacobian say of the unknowns.
///
/// The columns of the Jacobian of the free unknowns are scaled to norm 1, so that units do not
/// matter, and decomposed, `Ĵ = U Σ Vᵀ`. A small change of the unknowns along `v_k` changes the
/// residuals by `σ_k` times its size. Where `σ_k ≤ tolerance · σ₁` (default 10⁻¹¹) the change is lost
/// in round-off: the direction is undetermined. So is every unknown that takes part in one: if its
/// axis has the component `n_j` in the undetermined directions, it may be off by `n_j` times any
/// length, however small `n_j`. Only a component that a relative error of the Jacobian as large as the
/// tolerance explains, `n_j ≤ tolerance · √(Σ_k V_jk²/σ_k²)` over the determined directions (first-order
/// perturbation of singular vectors; Stewart & Sun 1990, *Matrix Perturbation Theory*, V.2), is none.
///
/// A derivative that is round-off of the terms that cancel in it is taken for zero: within an
/// experiment, where no residual changes by more than 2²⁰ ε of the largest residual and of the changes
/// that the other unknowns cause, if every unknown changes by the larger of its value and its scale, and
/// where the derivatives come out different if such unknowns are changed by 10⁻⁶ of that, or the same but no larger than what may
/// round alike (2048 ε in half of its rows, 4096 ε of the largest), or cannot be evaluated there.
///
/// A direction may be determined on paper and useless in practice. How well, its standard errors
/// tell; [`weakest`](Determinability::weakest) names the worst.
#[doc(alias = "identifiability")]
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Determinability {
    /// Singular values of the column-scaled Jacobian of the free unknowns, largest first.
    pub singular_values: Vec<f64>,
    /// Directions that the data do not determine; empty if all is well.
    pub undetermined: Vec<Direction>,
    /// The determined direction with the smallest singular value.
    pub weakest: Option<Direction>,
}

/// A combination of unknowns: a small change of all of them together.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Direction {
    /// Index of each unknown that takes part, and its change in its physical unit. The changes are
    /// scaled so that the largest, in the coordinate of its unknown, is 1: one scale of a linear
    /// unknown, 100 % of a logarithmic one.
    pub changes: Vec<(usize, f64)>,
}

impl Determinability {
    /// Ratio of the largest and the smallest singular value, infinite if one is 0; 1 without free
    /// unknowns.
    pub fn condition_number(&self) -> f64 {
        match (self.singular_values.first(), self.singular_values.last()) {
            (Some(largest), Some(smallest)) if *smallest > 0.0 => largest / smallest,
            (Some(_), _) => f64::INFINITY,
            _ => 1.0,
        }
    }

    /// Number of determined directions.
    pub fn rank(&self) -> usize {
        self.singular_values.len() - self.undetermined.len()
    }

    /// The findings of a model, and which unknowns are undetermined. `slopes` are the derivatives
    /// of the values with respect to the coordinates.
    pub(super) fn of(model: &GaussNewton, slopes: &[f64]) -> (Self, Vec<bool>) {
        let (free, rank) = (model.free(), model.rank());
        let right = &model.decomposition().right;
        let mut undetermined = vec![false; slopes.len()];
        for (i, &j) in free.iter().enumerate() {
            let determined = right.row(i).columns_range(..rank).into_owned();
            let weakness = (determined.iter().zip(&model.decomposition().values))
                .map(|(v, sigma)| (v / sigma).powi(2))
                .sum::<f64>()
                .sqrt();
            let explained = (model.rank_tolerance() * weakness).min(TAKES_PART);
            undetermined[j] = right.row(i).columns_range(rank..).norm() > explained;
        }
        let null = right.columns_range(rank..).into_owned();
        let direction = |v: &DVector<f64>, part| Direction::new(v, part, model, slopes);
        let findings = Determinability {
            singular_values: model.decomposition().values.clone(),
            undetermined: sparse_basis(null)
                .column_iter()
                .map(|v| direction(&v.into_owned(), ROUND_OFF))
                .collect(),
            weakest: rank
                .checked_sub(1)
                .map(|k| direction(&right.column(k).into_owned(), TAKES_PART)),
        };
        (findings, undetermined)
    }

    /// Adds the directions in which others follow unknowns at `bounds` that noise of this deviation may have brought there. Those
    /// that move by much more than their standard error seem to be determined only because the former stay where they are: by a
    /// standard error of these, at most by their size.
    pub(super) fn add_resting_on_bounds(
        &mut self,
        model: &GaussNewton,
        (bounds, deviation): (&[usize], f64),
        (z, slopes): (&[f64], &[f64]),
        undetermined: &mut [bool],
    ) {
        let open = model.releasing(bounds);
        let lost = Determinability::of(&open, slopes).1;
        let [held, open] = [model, &open].map(normal_basis);
        for &bound in bounds {
            let error = open.row(bound).norm();
            let is_pulled = model.slope_along(bound).abs() * error > PULLED * deviation;
            if is_pulled && !lost[bound] {
                continue;
            }
            let size = z[bound].abs().max(1.0);
            let way = if lost[bound] {
                size
            } else {
                size.min(error * deviation)
            };
            let mut direction = model.response(bound);
            let rests = |&&j: &&usize| {
                !undetermined[j]
                    && direction[j].abs() * way > RESTING * held.row(j).norm() * deviation
            };
            let resting: Vec<usize> = model.free().iter().filter(rests).copied().collect();
            if resting.is_empty() {
                continue;
            }
            direction[bound] = 1.0;
            let with_bound = model.releasing(&[bound]);
            let free = with_bound.free();
            let scaled = free.iter().map(|&j| direction[j] * model.scales()[j]);
            let scaled = DVector::from_iterator(free.len(), scaled);
            let direction = Direction::new(&scaled, TAKES_PART, &with_bound, slopes);
            self.undetermined.push(direction);
            for j in resting {
                undetermined[j] = true;
            }
        }
    }

    /// Adds the direction of the undamped step at the end of a fit that is [below the noise](super::StopReason::BelowNoise),
    /// where it would move an unknown by more than `part` of its standard error with noise of variance 1; such unknowns are
    /// not determined. Along a curved valley the linear model promises a long way that the cost does not reward. Returns the
    /// step in the units of the unknowns, if it moves one so far.
    pub(super) fn add_unsettled(
        &mut self,
        model: &GaussNewton,
        (z, slopes): (&[f64], &[f64]),
        part: f64,
        undetermined: &mut [bool],
    ) -> Vec<f64> {
        let step = model.undamped_step();
        // Beyond a change of the size of an unknown the linear model says nothing.
        let longest = (step.iter().zip(z)).map(|(step, z)| step.abs() / z.abs().max(1.0));
        let step = &step / longest.fold(1.0, f64::max);
        let basis = normal_basis(model);
        let mut moves = false;
        for &j in model.free() {
            let is_far = step[j].abs() > part * basis.row(j).norm();
            undetermined[j] |= is_far;
            moves |= is_far;
        }
        if !moves {
            return Vec::new();
        }
        let scaled = model.free().iter().map(|&j| match undetermined[j] {
            true => step[j] * model.scales()[j],
            false => 0.0,
        });
        let scaled = DVector::from_iterator(model.free().len(), scaled);
        let direction = Direction::new(&scaled, ROUND_OFF, model, slopes);
        self.undetermined.push(direction);
        step.iter()
            .zip(slopes)
            .map(|(step, slope)| step * slope)
            .collect()
    }
}

impl Direction {
    /// The direction with components `v` in the scaled coordinates of the free unknowns, of which
    /// those take part that are at least a given part of the largest.
    fn new(v: &DVector<f64>, part: f64, model: &GaussNewton, slopes: &[f64]) -> Self {
        let negligible = part * v.amax();
        let changes: Vec<_> = (model.free().iter().zip(v.iter()))
            .filter(|(_, v)| v.abs() >= negligible)
            .map(|(&j, &v)| (j, v / model.scales()[j]))
            .collect();
        let largest = changes
            .iter()
            .map(|(_, dz)| *dz)
            .fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
        Direction {
            changes: changes
                .into_iter()
                .map(|(j, dz)| (j, dz / largest * slopes[j]))
                .collect(),
        }
    }
}

/// A basis of the same space with as few components as elimination finds: every vector has one that
/// the others do not.
fn sparse_basis(mut basis: DMatrix<f64>) -> DMatrix<f64> {
    for k in 0..basis.ncols() {
        let (row, _) = basis
            .column(k)
            .iter()
            .enumerate()
            .fold(
                (0, 0.0),
                |best, (i, x)| {
                    if x.abs() > best.1 { (i, x.abs()) } else { best }
                },
            );
        let pivot = basis.column(k).into_owned();
        for other in (0..basis.ncols()).filter(|&other| other != k) {
            let factor = basis[(row, other)] / pivot[row];
            basis.column_mut(other).axpy(-factor, &pivot, 1.0);
        }
        for other in k + 1..basis.ncols() {
            let norm = basis.column(other).norm();
            if norm > 0.0 {
                basis.column_mut(other).unscale_mut(norm);
            }
        }
    }
    basis
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::dmatrix;

    #[test]
    fn mixed_directions_are_separated() {
        // The directions (1, −1, 0, 0)/√2, (0, 0, 3, 4)/5 and (0, 0, 0, 0, 1), mixed by a rotation.
        let (a, b) = (0.5f64.sqrt(), 0.2);
        let apart = dmatrix![
            a, 0.0, 0.0;
            -a, 0.0, 0.0;
            0.0, 3.0 * b, 0.0;
            0.0, 4.0 * b, 0.0;
            0.0, 0.0, 1.0
        ];
        let turn = nalgebra::Rotation3::from_euler_angles(0.4, -0.9, 1.3);
        let mixed: DMatrix<f64> = DMatrix::from_fn(5, 3, |i, j| {
            (0..3).map(|k| apart[(i, k)] * turn[(k, j)]).sum()
        });
        let sparse = sparse_basis(mixed);
        let mut found = [false; 3];
        for vector in sparse.column_iter() {
            let along: Vec<f64> = apart.column_iter().map(|d| d.dot(&vector).abs()).collect();
            let (k, _) = vector_max(&along);
            assert!(
                (along[k] - vector.norm()).abs() < 1e-12 * vector.norm(),
                "{vector}"
            );
            found[k] = true;
        }
        assert_eq!(found, [true; 3]);
    }

    fn vector_max(values: &[f64]) -> (usize, f64) {
        let larger = |a: (usize, f64), b: (usize, f64)| if b.1 > a.1 { b } else { a };
        values.iter().copied().enumerate().fold((0, 0.0), larger)
    }
}
