//! Diagonal scaling of a problem.

use super::problem::FrictionConeProblem;
use crate::Scalar;
use nalgebra::{DMatrix, DVector};

/// A diagonal entry below this part of the largest is round-off: the force has no effect of its own.
const NO_EFFECT: f64 = 1e-13;

/// `Â = S A S`, `b̂ = S b`, with `f = S f̂`, `ŵ = S w`; the real parts.
#[derive(Debug, Clone)]
pub(super) struct Scaled {
    pub scales: Vec<f64>,
    pub matrix: DMatrix<f64>,
    pub vector: DVector<f64>,
    pub mu: Vec<f64>,
    pub equations: usize,
}

impl Scaled {
    pub fn of<T: Scalar>(problem: &FrictionConeProblem<'_, T>) -> Self {
        let n = problem.vector.len();
        let matrix = problem.matrix.map(|x| x.re());
        let largest = (0..n).fold(0.0, |most: f64, i| most.max(matrix[(i, i)].abs()));
        let scale = |diagonal: f64| match diagonal {
            d if d > NO_EFFECT * largest => d.sqrt().recip(),
            _ if largest > 0.0 => largest.sqrt().recip(),
            _ => 1.0,
        };
        let mut scales: Vec<f64> = (0..n).map(|i| scale(matrix[(i, i)].abs())).collect();
        let mut mu = Vec::with_capacity(problem.mu.len());
        for (contact, friction) in problem.mu.iter().enumerate() {
            let i = problem.normal(contact);
            let block = matrix.fixed_view::<2, 2>(i + 1, i + 1);
            // The larger eigenvalue of the symmetric part.
            let (mean, half) = (0.5 * block.trace(), 0.5 * (block[(0, 0)] - block[(1, 1)]));
            let off = 0.5 * (block[(0, 1)] + block[(1, 0)]);
            scales[i + 1] = scale(mean + half.hypot(off));
            scales[i + 2] = scales[i + 1];
            mu.push(friction.re() * scales[i] / scales[i + 1]);
        }
        Scaled {
            matrix: DMatrix::from_fn(n, n, |i, j| scales[i] * matrix[(i, j)] * scales[j]),
            vector: DVector::from_fn(n, |i, _| scales[i] * problem.vector[i].re()),
            scales,
            mu,
            equations: problem.equations,
        }
    }

    /// The first row of a contact.
    pub fn normal(&self, contact: usize) -> usize {
        self.equations + 3 * contact
    }

    /// The first inequality.
    pub fn inequalities(&self) -> usize {
        self.normal(self.mu.len())
    }

    pub fn rates(&self, f: &DVector<f64>) -> DVector<f64> {
        &self.matrix * f + &self.vector
    }

    /// The problem with forces drawn to `f`: `A + ε 1`, `b − ε f`.
    pub fn near(&self, f: &DVector<f64>, proximity: f64) -> Self {
        let mut near = self.clone();
        for i in 0..f.len() {
            near.matrix[(i, i)] += proximity;
        }
        near.vector.axpy(-proximity, f, 1.0);
        near
    }
}
