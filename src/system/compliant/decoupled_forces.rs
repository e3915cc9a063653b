//! Decouples non-collocated constraint forces by inverting the mobility `G A⁻¹ Ĝᵀ`.
//!
//! The force of a row is non-collocated where its direction `ĝ` is not the row `g` itself, as that of a motor which holds
//! another point than it acts on. Such a force may move its own row less than others, or not at all. With the mobility
//! `W = G A⁻¹ Ĝᵀ` of the bilateral rows, the combination of forces in a column of `W⁻¹` changes one row by one and no other
//! row; the method of multipliers enforces a row by that combination. Collocated forces stay as they are.

use super::problem::StepProblem;
use super::rows::StepRows;
use crate::constraint::{ConstraintKind, NonCollocatedRows};
use crate::math::{Factorization, IndependentRows, Lu, reset_matrix};
use crate::system::error::SystemError;
use nalgebra::DMatrix;

/// Squared sine of the angle below which a row counts as depending on others.
const DEPENDENT: f64 = 1e-12;

/// The combinations of forces of a step, one for each row with a non-collocated force; a workspace.
#[derive(Debug, Clone)]
pub(super) struct DecoupledForces {
    /// A of the tree, factored.
    dense: DMatrix<f64>,
    lu: Lu,
    /// `A⁻¹ Ĝᵀ` of all rows.
    responses: DMatrix<f64>,
    /// `W` of all rows.
    mobility: DMatrix<f64>,
    /// The active bilateral rows whose forces act along them.
    along: Vec<usize>,
    independent: IndependentRows,
    /// The lengths of the rows of the basis and of their directions in the norm of `A⁻¹`, and the motion along a row.
    lengths: Vec<[f64; 2]>,
    motion: Vec<f64>,
    non_collocated: NonCollocatedRows,
    /// The rows with non-collocated forces, ascending.
    own: Vec<usize>,
    /// The bilateral rows whose forces are combined, ascending.
    pub basis: Vec<usize>,
    basis_mobility: DMatrix<f64>,
    basis_lu: Lu,
    /// The forces of the basis in each combination.
    forces: DMatrix<f64>,
    /// The generalized force of each combination.
    directions: DMatrix<f64>,
}

impl Default for DecoupledForces {
    fn default() -> Self {
        let empty = || DMatrix::zeros(0, 0);
        DecoupledForces {
            dense: empty(),
            lu: Lu::identity(0),
            responses: empty(),
            mobility: empty(),
            along: Vec::new(),
            independent: IndependentRows::default(),
            lengths: Vec::new(),
            motion: Vec::new(),
            non_collocated: NonCollocatedRows::default(),
            own: Vec::new(),
            basis: Vec::new(),
            basis_mobility: empty(),
            basis_lu: Lu::identity(0),
            forces: empty(),
            directions: empty(),
        }
    }
}

impl DecoupledForces {
    /// Evaluates the mobility of the rows; returns whether any has a non-collocated force.
    pub fn start(
        &mut self,
        rows: &StepRows<f64>,
        problem: &StepProblem,
    ) -> Result<bool, SystemError> {
        self.own.clear();
        (self.own).extend((0..rows.len()).filter(|&i| rows.has_own_direction(i)));
        self.basis.clear();
        if self.own.is_empty() {
            return Ok(false);
        }
        problem.write_dense(&mut self.dense);
        self.lu.factor(&self.dense)?;
        let (n, nv) = (rows.len(), self.dense.nrows());
        reset_matrix(&mut self.responses, nv, n);
        reset_matrix(&mut self.mobility, n, n);
        for j in 0..n {
            let response = &mut self.responses.as_mut_slice()[j * nv..(j + 1) * nv];
            for (target, direction) in response.iter_mut().zip(rows.direction(j)) {
                *target = direction;
            }
            self.lu.solve_in_place(response)?;
            for i in 0..n {
                self.mobility[(i, j)] = rows.rate(i, response);
            }
        }
        Ok(true)
    }

    /// Combines the forces of the bilateral rows that are `active`; the row that none enforce, and how little they do, if there
    /// is one.
    pub fn combine(
        &mut self,
        rows: &StepRows<f64>,
        active: &[bool],
    ) -> Result<Option<(usize, f64)>, SystemError> {
        let (mobility, own) = (&self.mobility, &self.own);
        let is_own = |i: usize| own.binary_search(&i).is_ok();
        let along = &mut self.along;
        along.clear();
        along.extend(
            (0..rows.len()).filter(|&i| {
                active[i] && rows.get(i).kind == ConstraintKind::Bilateral && !is_own(i)
            }),
        );
        let entry = |i: usize, j: usize| mobility[(along[i], along[j])];
        let independent = self.independent.find(along.len(), entry, DEPENDENT);
        let basis = &mut self.basis;
        basis.clear();
        basis.extend(independent.iter().map(|&i| along[i]));
        basis.extend_from_slice(own);
        basis.sort_unstable();

        let n = basis.len();
        let (lengths, motion) = (&mut self.lengths, &mut self.motion);
        lengths.clear();
        for &i in &*basis {
            motion.clear();
            motion.extend(rows.gradient(i));
            self.lu.solve_in_place(motion)?;
            let response = self.responses.column(i);
            let along: f64 = (rows.direction(i).zip(response.iter()))
                .map(|(d, x)| d * x)
                .sum();
            lengths.push([rows.rate(i, motion), along].map(|l| l.max(0.0).sqrt()));
        }
        let missing = self.non_collocated.find_missing(
            n,
            |i| is_own(basis[i]),
            |i, j| mobility[(basis[i], basis[j])],
            |i| lengths[i],
        );
        if let Some((i, effect)) = missing {
            return Ok(Some((basis[i], effect)));
        }
        // Scaled, so that units do not choose the pivots.
        reset_matrix(&mut self.basis_mobility, n, n);
        for (j, &column) in basis.iter().enumerate() {
            for (i, &row) in basis.iter().enumerate() {
                let scale = lengths[i][0] * lengths[j][1];
                self.basis_mobility[(i, j)] = mobility[(row, column)] / scale;
            }
        }
        self.basis_lu.factor(&self.basis_mobility)?;
        reset_matrix(&mut self.forces, n, own.len());
        reset_matrix(&mut self.directions, self.dense.nrows(), own.len());
        for (column, i) in own.iter().enumerate() {
            let forces = &mut self.forces.as_mut_slice()[column * n..(column + 1) * n];
            let position = basis.partition_point(|row| row < i);
            forces[position] = 1.0 / lengths[position][0];
            self.basis_lu.solve_in_place(forces)?;
            let mut direction = self.directions.column_mut(column);
            for ((force, &row), [_, length]) in forces.iter_mut().zip(&*basis).zip(&*lengths) {
                *force /= length;
                for (sum, d) in direction.iter_mut().zip(rows.direction(row)) {
                    *sum += *force * d;
                }
            }
        }
        Ok(None)
    }

    /// The rate of a row by its own unit force.
    pub fn own_mobility(&self, i: usize) -> f64 {
        self.mobility[(i, i)]
    }

    /// The largest rate that one of the impulses gives a row.
    pub fn largest_rate(&self, i: usize, impulses: &[f64]) -> f64 {
        let rates = (self.basis.iter()).map(|&j| (self.mobility[(i, j)] * impulses[j]).abs());
        rates.fold(0.0, f64::max)
    }

    /// The rows with non-collocated forces.
    pub fn own(&self) -> &[usize] {
        &self.own
    }

    /// The combination of a row, if its force is non-collocated.
    pub fn of(&self, i: usize) -> Option<usize> {
        self.own.binary_search(&i).ok()
    }

    /// The generalized force (nv) of a combination.
    pub fn direction(&self, combination: usize) -> impl Iterator<Item = f64> + '_ {
        self.directions.column(combination).into_iter().copied()
    }

    /// The rows and forces of a combination.
    pub fn forces(&self, combination: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let forces = self.forces.column(combination).into_iter().copied();
        self.basis.iter().copied().zip(forces)
    }
}
