//! From an active set to a solution at round-off.

use crate::InvalidInput;
use crate::math::{Factorization, Lu, Singular};
use nalgebra::DMatrix;

/// The active set, and the solution of its equations.
#[derive(Debug, Clone)]
pub(super) struct ActiveSet {
    /// Whether each variable is determined by its row: free, or active.
    pub is_basic: Vec<bool>,
    /// The indices of these, ascending.
    pub basic: Vec<usize>,
    /// Factor of the rows and columns of `M` that belong to them.
    pub lu: Lu,
    pub z: Vec<f64>,
    /// The rows `M z + q`.
    pub w: Vec<f64>,
    correction: Vec<f64>,
}

/// A matrix, a vector, the number of free variables, and the scaling.
#[derive(Clone, Copy)]
pub(super) struct RealProblem<'a> {
    pub matrix: &'a DMatrix<f64>,
    pub vector: &'a [f64],
    pub free: usize,
    pub scaling: &'a [f64],
}

impl<'a> RealProblem<'a> {
    fn column(self, j: usize) -> &'a [f64] {
        let n = self.vector.len();
        &self.matrix.as_slice()[j * n..(j + 1) * n]
    }
}

/// What the polish reached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Accuracy {
    /// See [`LcpSolution::residual`](super::LcpSolution::residual).
    pub residual: f64,
    /// The largest term of a scaled row.
    pub row_scale: f64,
    /// The largest scaled variable.
    pub variable_scale: f64,
}

const REFINEMENTS: usize = 1;
/// How often indices of the wrong sign may change sides.
const REPAIRS: usize = 8;

impl ActiveSet {
    pub fn new() -> Self {
        ActiveSet {
            is_basic: Vec::new(),
            basic: Vec::new(),
            lu: Lu::identity(0),
            z: Vec::new(),
            w: Vec::new(),
            correction: Vec::new(),
        }
    }

    /// Solves for the active set in `is_basic`, and mends it where a sign is wrong.
    pub fn polish(
        &mut self,
        problem: RealProblem<'_>,
        tolerance: f64,
    ) -> Result<Accuracy, PolishError> {
        let mut accuracy = self.solve(problem)?;
        for _ in 0..REPAIRS {
            if accuracy.residual <= tolerance || !self.repair(problem, accuracy, tolerance) {
                break;
            }
            accuracy = self.solve(problem)?;
        }
        Ok(accuracy)
    }

    fn solve(&mut self, problem: RealProblem<'_>) -> Result<Accuracy, PolishError> {
        let n = problem.vector.len();
        while let Err(singular) = self.factor(problem) {
            // The column depends on those before it: their variables can do without its own.
            match self.basic.get(singular.column) {
                Some(&i) if i >= problem.free => self.is_basic[i] = false,
                _ => return Err(PolishError),
            }
        }
        self.z.clear();
        self.z.resize(n, 0.0);
        for _ in 0..=REFINEMENTS {
            self.update_rows(problem);
            self.correction.clear();
            self.correction
                .extend(self.basic.iter().map(|&i| self.w[i]));
            self.lu.solve_in_place(&mut self.correction)?;
            for (&i, &d) in self.basic.iter().zip(&self.correction) {
                self.z[i] -= d;
            }
        }
        self.update_rows(problem);
        Ok(self.accuracy(problem))
    }

    fn factor(&mut self, problem: RealProblem<'_>) -> Result<(), Singular> {
        self.basic.clear();
        let basic = (0..problem.vector.len()).filter(|&i| self.is_basic[i]);
        self.basic.extend(basic);
        let basic = &self.basic;
        self.lu.factor_dense(basic.len(), |factors| {
            let columns = factors.chunks_exact_mut(basic.len().max(1));
            for (column, &j) in columns.zip(basic) {
                let source = problem.column(j);
                for (entry, &i) in column.iter_mut().zip(basic) {
                    *entry = source[i];
                }
            }
        })
    }

    /// `w = M z + q`.
    fn update_rows(&mut self, problem: RealProblem<'_>) {
        self.w.clear();
        self.w.extend_from_slice(problem.vector);
        for &j in &self.basic {
            let z = self.z[j];
            if z != 0.0 {
                for (w, &m) in self.w.iter_mut().zip(problem.column(j)) {
                    *w += m * z;
                }
            }
        }
    }

    fn accuracy(&mut self, problem: RealProblem<'_>) -> Accuracy {
        let RealProblem {
            vector,
            free,
            scaling,
            ..
        } = problem;
        let terms = &mut self.correction;
        terms.clear();
        terms.extend(vector.iter().map(|q| q.abs()));
        for &j in &self.basic {
            let z = self.z[j];
            for (term, &m) in terms.iter_mut().zip(problem.column(j)) {
                *term = term.max((m * z).abs());
            }
        }
        let largest = |values: &mut dyn Iterator<Item = f64>| {
            let largest = values.fold(0.0f64, f64::max);
            if largest > 0.0 { largest } else { 1.0 }
        };
        let row_scale = largest(&mut terms.iter().zip(scaling).map(|(t, s)| t * s));
        let variable_scale = largest(&mut (self.z.iter().zip(scaling)).map(|(z, s)| z.abs() / s));
        let mut residual = 0.0f64;
        for (i, &s) in scaling.iter().enumerate() {
            let w = self.w[i] * s / row_scale;
            let z = self.z[i] / s / variable_scale;
            let violation = if i < free {
                w.abs()
            } else {
                (-w).max(-z).max(w.abs().min(z.abs()))
            };
            // Not `max`, which loses NaN.
            if violation.is_nan() || violation > residual {
                residual = violation;
            }
        }
        Accuracy {
            residual: if residual.is_nan() {
                f64::INFINITY
            } else {
                residual
            },
            row_scale,
            variable_scale,
        }
    }

    /// Lets indices of the wrong sign change sides; returns whether there are any.
    fn repair(&mut self, problem: RealProblem<'_>, accuracy: Accuracy, tolerance: f64) -> bool {
        let mut any = false;
        for i in problem.free..problem.vector.len() {
            let s = problem.scaling[i];
            let wrong = if self.is_basic[i] {
                self.z[i] / s < -tolerance * accuracy.variable_scale
            } else {
                self.w[i] * s < -tolerance * accuracy.row_scale
            };
            if wrong {
                self.is_basic[i] = !self.is_basic[i];
                any = true;
            }
        }
        any
    }
}

/// The equations of an active set cannot be solved.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolishError;

impl From<Singular> for PolishError {
    fn from(_: Singular) -> Self {
        PolishError
    }
}

impl From<InvalidInput> for PolishError {
    fn from(_: InvalidInput) -> Self {
        PolishError
    }
}
