//! Block-bidiagonal least squares over a chain of states, by QR elimination.

use super::r_factor::RFactor;
use crate::Scalar;
use nalgebra::{DMatrix, DVector};
use std::ops::Range;

/// What was measured of one state `x_k` and its successor: rows `A x_k + B x_{k+1} + r`, the first of `x_k` alone.
#[derive(Clone)]
pub(super) struct Rows {
    /// `A`, rows × size.
    pub own: DMatrix<f64>,
    /// The last rows of `B`, which is zero in those before; the last state does without.
    pub next: Option<DMatrix<f64>>,
    /// `r`.
    pub residual: DVector<f64>,
    /// The derivatives of the rows by what is not eliminated.
    pub by_unknowns: DMatrix<f64>,
}

impl Rows {
    /// Row `i` of `[A B]`.
    pub fn weights(&self, i: usize) -> impl Iterator<Item = f64> {
        let next = self.next.as_ref().and_then(|next| {
            let last = i.checked_sub(self.own.nrows() - next.nrows())?;
            Some(next.row(last))
        });
        let own = self.own.row(i);
        let next = next.into_iter().flat_map(|row| row.into_iter().copied());
        own.into_iter().copied().chain(next)
    }
}

/// The triangular factor of the rows of a chain of K states of n numbers each.
///
/// # Mathematics
/// Orthogonal elimination of `x_0` from its rows leaves rows on `x_1`, which join those of `x_1`, and
/// so on:
///
/// ```text
/// ⎡ carried      0   z  ⎤      ⎡ R_k  S_k  z_k ⎤
/// ⎢ A_k         B_k  r_k⎥  →   ⎢  0   carried  ⎥      R_k x_k = −z_k − S_k x_{k+1}
/// ⎣ λ            0   0  ⎦      ⎣  0    0    ρ  ⎦
/// ```
///
/// K eliminations of fixed size, so that the cost is linear in K (the square-root information form of
/// the Kalman smoother: Bierman 1977, *Factorization Methods for Discrete Sequential Estimation*,
/// ch. V and X).
#[derive(Clone)]
pub(super) struct BlockElimination {
    links: Vec<Link>,
}

#[derive(Clone)]
struct Link {
    own: DMatrix<f64>,
    next: DMatrix<f64>,
    residual: DVector<f64>,
}

impl BlockElimination {
    /// Eliminates states of `size` numbers, with the weights of all rows, or none if they are 1, and the damping `λ`.
    pub fn new(size: usize, chain: &[Rows], weights: &[f64], damping: f64) -> Self {
        let mut carried = RFactor::new(size);
        let mut weights = weights.iter();
        let links = chain.iter().map(|rows| {
            let coupled = rows.next.as_ref().map_or(0, DMatrix::nrows);
            let alone = rows.residual.len() - coupled;
            let mut block = |range: Range<usize>, next: Option<&DMatrix<f64>>| {
                let more = next.map_or(0, DMatrix::ncols);
                let mut block = DMatrix::zeros(range.len(), size + more + 1);
                let own = rows.own.rows_range(range.clone());
                block.columns_mut(0, size).copy_from(&own);
                if let Some(next) = next {
                    block.columns_mut(size, more).copy_from(next);
                }
                block.set_column(size + more, &rows.residual.rows_range(range));
                for (mut row, weight) in block.row_iter_mut().zip(&mut weights) {
                    row *= weight.sqrt();
                }
                block
            };
            // Most rows are of the own state alone.
            carried.fold(block(0..alone, None).as_mut_slice());
            if damping > 0.0 {
                let mut damped = DMatrix::zeros(size, size + 1);
                damped.fill_diagonal(damping);
                carried.fold(damped.as_mut_slice());
            }
            let mut both = carried.widened(size);
            if let Some(next) = &rows.next {
                both.fold(block(alone..alone + coupled, Some(next)).as_mut_slice());
            }
            carried = both.trailing(size);
            let (factor, residual) = (both.jacobian(), both.residual());
            Link {
                own: factor.view((0, 0), (size, size)).into_owned(),
                next: factor.view((0, size), (size, size)).into_owned(),
                residual: residual.rows(0, size).into_owned(),
            }
        });
        BlockElimination {
            links: links.collect(),
        }
    }

    /// The states that minimise the sum of squares, one after the other; `None` where the rows leave
    /// one open.
    pub fn solution(&self) -> Option<Vec<f64>> {
        let mut negative: Vec<f64> = (self.links.iter())
            .flat_map(|link| link.residual.iter().map(|z| -z))
            .collect();
        self.back_substitute(&mut negative)?;
        Some(negative)
    }

    /// How much a solution reduces half the sum of squares, `½ ‖z‖²`, without damping.
    pub fn reduction(&self) -> f64 {
        let squares = self.links.iter().map(|link| link.residual.norm_squared());
        0.5 * squares.sum::<f64>()
    }

    /// Largest entry of the diagonals.
    pub fn size(&self) -> f64 {
        let diagonals = self.links.iter().map(|link| link.own.diagonal().amax());
        diagonals.fold(0.0, f64::max)
    }

    /// `(RᵀR)⁻¹ g` in place, for a gradient in any scalar.
    pub fn solve_normal<T: Scalar>(&self, g: &mut [T]) -> Option<()> {
        let n = self.links.first()?.own.nrows();
        for (k, link) in self.links.iter().enumerate() {
            let (before, here) = g.split_at_mut(k * n);
            if k > 0 {
                let previous = &before[(k - 1) * n..];
                subtract(&self.links[k - 1].next.transpose(), previous, here);
            }
            for i in 0..n {
                let column = link.own.column(i);
                let known = here[..i].iter().zip(column.iter());
                let sum = known.fold(here[i], |sum, (&x, &r)| sum - x * r);
                here[i] = quotient(sum, column[i])?;
            }
        }
        self.back_substitute(g)
    }

    /// `R⁻¹ y` in place.
    fn back_substitute<T: Scalar>(&self, y: &mut [T]) -> Option<()> {
        for (k, link) in self.links.iter().enumerate().rev() {
            let n = link.own.nrows();
            let (here, after) = y[k * n..].split_at_mut(n);
            if !after.is_empty() {
                subtract(&link.next, &after[..n], here);
            }
            for i in (0..n).rev() {
                let row = link.own.row(i);
                let known = here.iter().zip(row.iter()).skip(i + 1);
                let sum = known.fold(here[i], |sum, (&x, &r)| sum - x * r);
                here[i] = quotient(sum, row[i])?;
            }
        }
        Some(())
    }
}

fn quotient<T: Scalar>(x: T, pivot: f64) -> Option<T> {
    (pivot != 0.0).then(|| x * pivot.recip())
}

/// `y − A x`.
fn subtract<T: Scalar>(a: &DMatrix<f64>, x: &[T], y: &mut [T]) {
    for (row, y) in a.row_iter().zip(y) {
        for (&a, &x) in row.iter().zip(x) {
            *y -= x * a;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_the_dense_problem() {
        let (n, states, m, coupled) = (2, 4, 5, [5, 2, 3]);
        let number = |i: usize| (i as f64 * 1.7 + 0.3).sin();
        let chain: Vec<Rows> = (0..states)
            .map(|k| Rows {
                own: DMatrix::from_fn(m, n, |i, j| number(31 * k + 7 * i + j)),
                next: (k + 1 < states).then(|| {
                    DMatrix::from_fn(coupled[k], n, |i, j| number(17 * k + 5 * i + j + 100))
                }),
                residual: DVector::from_fn(m, |i, _| number(13 * k + i + 200)),
                by_unknowns: DMatrix::zeros(m, 0),
            })
            .collect();
        let mut a = DMatrix::zeros(m * states, n * states);
        let mut r = DVector::zeros(m * states);
        for (k, rows) in chain.iter().enumerate() {
            a.view_mut((m * k, n * k), (m, n)).copy_from(&rows.own);
            if let Some(next) = &rows.next {
                let first = m * k + m - next.nrows();
                a.view_mut((first, n * k + n), next.shape()).copy_from(next);
            }
            r.rows_mut(m * k, m).copy_from(&rows.residual);
        }
        for damping in [0.0, 0.7] {
            let gram = a.tr_mul(&a) + DMatrix::identity(8, 8) * damping * damping;
            let expected = gram.clone().cholesky().unwrap().solve(&-a.tr_mul(&r));
            let elimination = BlockElimination::new(n, &chain, &[], damping);
            let found = DVector::from_vec(elimination.solution().unwrap());
            assert!((&found - &expected).amax() < 1e-13, "{found} {expected}");
            let mut g = (-a.tr_mul(&r)).as_slice().to_vec();
            elimination.solve_normal(&mut g).unwrap();
            assert!((DVector::from_vec(g) - &expected).amax() < 1e-12);
            if damping == 0.0 {
                let after = (&a * &found + &r).norm_squared();
                let reduction = 0.5 * (r.norm_squared() - after);
                assert!((elimination.reduction() - reduction).abs() < 1e-13);
            }
        }
    }
}
