//! LTDL factorisation of mass matrices, which keeps their zeros between branches.
//!
//! Entries of a mass matrix between coordinates on different branches are zero. Eliminated from the
//! leaves inwards, `M = Lᵀ D L` with unit lower triangular L has no entries where M has none, so it
//! costs O(n d²) for n coordinates at depth d, and a solution O(n d).
//!
//! # Reference
//! Featherstone 2008, *Rigid Body Dynamics Algorithms*, §6.5.

use super::forward_dynamics::SINGULARITY;
use super::rigid_body_tree::RigidBodyTree;
use crate::Scalar;
use nalgebra::DMatrix;

/// The pattern of a tree, the factor in it, and the inverse.
#[derive(Debug, Clone)]
pub(super) struct LtdlFactor {
    /// Coordinates inward of each, the nearest first.
    inward: Vec<Vec<usize>>,
    /// The end of the run of coordinates that starts at each and is outward of it.
    ends: Vec<usize>,
    /// Coordinates that the mass matrix couples with each.
    coupled: Vec<Vec<usize>>,
    /// Row k of L in column k; D on the diagonal.
    factor: DMatrix<f64>,
    inverse: DMatrix<f64>,
}

impl LtdlFactor {
    pub fn new<T: Scalar>(tree: &RigidBodyTree<T>) -> Self {
        let n = tree.num_velocities;
        let mut inward: Vec<Vec<usize>> = Vec::with_capacity(n);
        if tree.has_mimic {
            // Coordinates that several joints share couple branches.
            inward.extend((0..n).map(|k| (0..k).rev().collect()));
        } else {
            for m in &tree.mobilized[1..] {
                let parent = &tree.mobilized[m.parent].columns;
                for k in m.columns.clone() {
                    let nearest = if k > m.columns.start {
                        Some(k - 1)
                    } else {
                        parent.clone().next_back()
                    };
                    let further = nearest.map_or(vec![], |j| inward[j].clone());
                    inward.push(nearest.into_iter().chain(further).collect());
                }
            }
        }
        let mut ends: Vec<usize> = (1..=n).collect();
        for k in (0..n).rev() {
            for &i in &inward[k] {
                ends[i] = ends[i].max(k + 1);
            }
        }
        let coupled = (inward.iter().zip(&ends).enumerate())
            .map(|(k, (inward, &end))| inward.iter().copied().chain(k..end).collect())
            .collect();
        LtdlFactor {
            inward,
            ends,
            coupled,
            factor: DMatrix::zeros(n, n),
            inverse: DMatrix::zeros(n, n),
        }
    }

    /// The coordinates that the mass matrix couples with `k`.
    pub fn coupled(&self, k: usize) -> &[usize] {
        &self.coupled[k]
    }

    /// The inverse of the real part of a mass matrix of the tree.
    ///
    /// # Errors
    /// The coordinate that moves no inertia.
    pub fn invert<T: Scalar>(&mut self, m: &DMatrix<T>) -> Result<&DMatrix<f64>, usize> {
        self.factorize(m)?;
        let n = m.nrows();
        let (l, x) = (self.factor.as_slice(), self.inverse.as_mut_slice());
        // With X = L⁻¹ D⁻¹ L⁻ᵀ: rows of L⁻ᵀ in the columns of `x`.
        x.fill(0.0);
        for k in 0..n {
            x[k * (n + 1)] = 1.0;
        }
        for k in (0..n).rev() {
            for &i in &self.inward[k] {
                let (inner, outer) = x.split_at_mut(k * n);
                let run = k..self.ends[k];
                subtract(&mut inner[i * n..][run.clone()], l[i + k * n], &outer[run]);
            }
        }
        // Of the symmetric result only what is at or below the diagonal.
        for k in 0..n {
            let (inner, outer) = x.split_at_mut(k * n);
            let column = &mut outer[k..n];
            let inverse = 1.0 / l[k * (n + 1)];
            column.iter_mut().for_each(|x| *x *= inverse);
            subtract_columns(column, inner, (n, k), &self.inward[k], |i| l[i + k * n]);
        }
        self.inverse.fill_upper_triangle_with_lower_triangle();
        Ok(&self.inverse)
    }

    fn factorize<T: Scalar>(&mut self, m: &DMatrix<T>) -> Result<(), usize> {
        let n = m.nrows();
        let (h, m) = (self.factor.as_mut_slice(), m.as_slice());
        for k in 0..n {
            h[k * (n + 1)] = m[k * (n + 1)].re();
            for &i in &self.inward[k] {
                h[i + k * n] = m[i + k * n].re();
            }
        }
        for k in (0..n).rev() {
            let (inner, outer) = h.split_at_mut(k * n);
            let pivot = outer[k];
            if !(pivot > SINGULARITY * m[k * (n + 1)].re() && pivot > 0.0) {
                return Err(k);
            }
            let inverse = 1.0 / pivot;
            let inward = &self.inward[k];
            for (position, &i) in inward.iter().enumerate() {
                let share = outer[i] * inverse;
                for &j in &inward[position..] {
                    inner[j + i * n] -= share * outer[j];
                }
                outer[i] = share;
            }
        }
        Ok(())
    }
}

/// Subtracts `factor · x`.
fn subtract(y: &mut [f64], factor: f64, x: &[f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= factor * x;
    }
}

/// Subtracts from `y` the rows from `start` on of `Σ factor(j) · column j` of a matrix with `rows`
/// rows, over the given columns: four at a time, so that `y` is read and written less often.
pub(crate) fn subtract_columns<T: Scalar>(
    y: &mut [T],
    matrix: &[T],
    (rows, start): (usize, usize),
    columns: &[usize],
    factor: impl Fn(usize) -> T,
) {
    let len = y.len();
    let column = |j: usize| &matrix[j * rows + start..][..len];
    let (fours, rest) = columns.as_chunks::<4>();
    for &[a, b, c, d] in fours {
        let (xa, xb, xc, xd) = (column(a), column(b), column(c), column(d));
        let (fa, fb, fc, fd) = (factor(a), factor(b), factor(c), factor(d));
        for i in 0..len {
            y[i] -= (xa[i] * fa + xb[i] * fb) + (xc[i] * fc + xd[i] * fd);
        }
    }
    for &j in rest {
        let (x, f) = (column(j), factor(j));
        for i in 0..len {
            y[i] -= x[i] * f;
        }
    }
}
