//! Constraints that are not linear in accelerations and forces.

use super::accel_problem_data::ConstraintAccelProblemData;
use super::error::ConstraintError;
use super::inertia::InertiaOperator;
use super::matrices::ConstraintMatrices;
use super::solver::{AccelerationSolution, ConstraintSolver};
use super::tree_constraints::TreeConstraints;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

/// A constraint `φ(q, v, t, v̇, f) = 0` on accelerations `v̇` (nv) and its own forces `f`, as many as it has
/// rows: drives whose force depends on itself or on accelerations, other laws of friction.
pub trait NonlinearConstraint<T: Scalar> {
    /// The name, by which errors call the constraint.
    fn name(&self) -> &str;

    /// Number of rows, and of forces.
    fn num_rows(&self) -> usize;

    /// Writes the rows at the state of the workspace, the time in s, and `(v̇, f)`.
    ///
    /// # Errors
    /// As the implementation says, when the constraint is not defined there.
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        time: T,
        at: (&[T], &[T]),
        rows: &mut NonlinearRows<T>,
    ) -> Result<(), ConstraintError>;
}

/// A constraint and its derivatives at one `(v̇, f)`; zero beforehand.
#[derive(Debug, Clone, PartialEq)]
pub struct NonlinearRows<T: Scalar> {
    /// `φ` (rows).
    pub phi: DVector<T>,
    /// `∂φ/∂v̇` (rows × nv).
    pub by_acceleration: DMatrix<T>,
    /// `∂φ/∂f` (rows × rows).
    pub by_force: DMatrix<T>,
    /// Generalized forces (rows × nv) of unit forces, which may depend on the state and the time only.
    pub force_directions: DMatrix<T>,
}

impl<T: Scalar> NonlinearRows<T> {
    /// Zeros.
    pub fn zeros(rows: usize, nv: usize) -> Self {
        NonlinearRows {
            phi: DVector::zeros(rows),
            by_acceleration: DMatrix::zeros(rows, nv),
            by_force: DMatrix::zeros(rows, rows),
            force_directions: DMatrix::zeros(rows, nv),
        }
    }

    fn check(&self, m: usize, nv: usize) -> Result<(), InvalidInput> {
        InvalidInput::check_size("phi of a constraint", self.phi.len(), m)?;
        InvalidInput::check_finite("phi of a constraint", self.phi.as_slice())?;
        for (quantity, matrix, columns) in [
            ("derivatives by accelerations", &self.by_acceleration, nv),
            ("derivatives by forces", &self.by_force, m),
            ("directions of forces", &self.force_directions, nv),
        ] {
            InvalidInput::check_size(quantity, matrix.nrows(), m)?;
            InvalidInput::check_size(quantity, matrix.ncols(), columns)?;
            InvalidInput::check_finite(quantity, matrix.as_slice())?;
        }
        Ok(())
    }
}

/// Most iterations, and most halvings of a step.
const ITERATIONS: usize = 50;
/// Newton's method ends when accelerations and forces change by less than this part of themselves, with
/// one more iteration.
const SMALL_STEP: f64 = 1e-9;

impl<T: Scalar> TreeConstraints<'_, T> {
    /// Accelerations and forces at the state of the workspace, as of
    /// [`Self::acceleration_problem`], under nonlinear constraints beside the others. The forces of these
    /// come last among the bilateral ones.
    ///
    /// Newton's method on real parts: linearised at `(v̇₀, f₀)` the constraints are
    /// `0 = φ₀ + φ_v̇ (v̇ − v̇₀) + φ_f (f − f₀)`, and all constraints are solved together. Steps are halved
    /// until `‖φ‖` decreases. Derivatives are those of the implicit function, by a linearisation in `T` for
    /// every order.
    ///
    /// # Errors
    /// As [`Self::acceleration_problem`] and [`ConstraintSolver::solve_accelerations`], and
    /// [`ConstraintError::NotConverged`].
    #[inline(never)]
    pub fn solve_nonlinear(
        &self,
        nonlinear: &[&dyn NonlinearConstraint<T>],
        tree: &RigidBodyTree<T>,
        workspace: &mut TreeWorkspace<T>,
        tau: &[T],
        solver: &mut ConstraintSolver<T>,
    ) -> Result<AccelerationSolution<T>, ConstraintError> {
        let here = workspace.clone();
        let time = self.time;
        let mut problem = self.acceleration_problem(tree, workspace, tau)?;
        let data = &mut problem.data;
        let (nv, linear) = (tree.num_velocities(), data.kG.len());
        let sizes: Vec<usize> = nonlinear.iter().map(|c| c.num_rows()).collect();
        let m: usize = sizes.iter().sum();
        let evaluate = |vdot: &[T], f: &[T]| -> Result<NonlinearRows<T>, ConstraintError> {
            let (mut all, mut first) = (NonlinearRows::zeros(m, nv), 0);
            for (constraint, &size) in nonlinear.iter().zip(&sizes) {
                let mut rows = NonlinearRows::zeros(size, nv);
                let at = (vdot, &f[first..first + size]);
                (constraint.evaluate(tree, &here, time, at, &mut rows))
                    .and_then(|()| Ok(rows.check(size, nv)?))
                    .map_err(|error| error.in_constraint(constraint.name()))?;
                all.phi.rows_mut(first, size).copy_from(&rows.phi);
                let mut block = all.by_acceleration.rows_mut(first, size);
                block.copy_from(&rows.by_acceleration);
                let mut block = all.by_force.view_mut((first, first), (size, size));
                block.copy_from(&rows.by_force);
                let mut block = all.force_directions.rows_mut(first, size);
                block.copy_from(&rows.force_directions);
                first += size;
            }
            Ok(all)
        };
        let constant = |x: &[f64]| -> Vec<T> { x.iter().map(|&x| T::from(x)).collect() };
        let size_of = |rows: &NonlinearRows<T>| rows.phi.map(|x| x.re()).amax();
        let (mut vdot, mut f) = (vec![0.0; nv], vec![0.0; m]);
        let mut rows = evaluate(&constant(&vdot), &constant(&f))?;
        extend(data, linear, m);
        let mut converged = false;
        for _ in 0..ITERATIONS {
            linearize(data, linear, &rows, (&constant(&vdot), &constant(&f)));
            let solution = solver.solve_accelerations(data)?;
            let to_vdot = solution.generalized_acceleration.map(|x| x.re());
            let to_f: Vec<f64> = (solution.forces.bilateral()[linear..].iter())
                .map(|x| x.re())
                .collect();
            let change = (distance(&vdot, to_vdot.as_slice()), distance(&f, &to_f));
            let before = size_of(&rows);
            let mut part = 1.0;
            for halving in 0.. {
                let towards = |from: &[f64], to: &[f64]| -> Vec<f64> {
                    let step = |(&a, &b): (&f64, &f64)| a + part * (b - a);
                    from.iter().zip(to).map(step).collect()
                };
                let (next_vdot, next_f) = (towards(&vdot, to_vdot.as_slice()), towards(&f, &to_f));
                let next = evaluate(&constant(&next_vdot), &constant(&next_f));
                // Near the solution ‖φ‖ is round-off.
                let accepted = change.0.max(change.1) <= SMALL_STEP
                    || next.as_ref().is_ok_and(|next| size_of(next) < before)
                    || before == 0.0
                    || halving == ITERATIONS;
                if accepted {
                    (vdot, f, rows) = (next_vdot, next_f, next?);
                    break;
                }
                part *= 0.5;
            }
            if change.0.max(change.1) <= SMALL_STEP {
                converged = true;
                break;
            }
        }
        if !converged {
            return Err(ConstraintError::NotConverged {
                iterations: ITERATIONS,
                residual: size_of(&rows),
            });
        }
        let (mut vdot, mut f) = (constant(&vdot), constant(&f));
        let mut order = 1;
        loop {
            linearize(data, linear, &evaluate(&vdot, &f)?, (&vdot, &f));
            let solution = solver.solve_accelerations(data)?;
            if order >= T::NDERIV {
                return Ok(solution);
            }
            vdot.copy_from_slice(solution.generalized_acceleration.as_slice());
            f.copy_from_slice(&solution.forces.bilateral()[linear..]);
            order += 1;
        }
    }
}

/// The largest difference of entries, relative to the largest entry of `b`.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    let largest = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0f64, |m, x| m.max(x.abs()));
    let difference = largest(&mut a.iter().zip(b).map(|(a, b)| a - b));
    if difference == 0.0 {
        return 0.0;
    }
    difference / largest(&mut b.iter().copied())
}

type Data<T, I> = ConstraintAccelProblemData<T, ConstraintMatrices<T, I>>;

/// Makes room for `m` rows after the linear ones.
fn extend<T: Scalar, I: InertiaOperator<T>>(data: &mut Data<T, I>, linear: usize, m: usize) {
    let (n, nv) = (linear + m, data.operators.g.ncols());
    data.kG = data.kG.clone().resize_vertically(n, T::zero());
    let g = std::mem::replace(&mut data.operators.g, DMatrix::zeros(0, 0));
    data.operators.g = g.resize(n, nv, T::zero());
    data.couplingG = DMatrix::zeros(n, n);
    let directions = (linear..n).map(|row| (row, DVector::zeros(nv)));
    data.operators.own_directions.extend(directions);
}

/// Writes the rows after the linear ones, linearised at `(v̇, f)`.
fn linearize<T: Scalar, I: InertiaOperator<T>>(
    data: &mut Data<T, I>,
    linear: usize,
    rows: &NonlinearRows<T>,
    (vdot, f): (&[T], &[T]),
) {
    let m = rows.phi.len();
    let (vdot, f) = (
        DVector::from_column_slice(vdot),
        DVector::from_column_slice(f),
    );
    let constant = &rows.phi - &rows.by_acceleration * vdot - &rows.by_force * f;
    data.kG.rows_mut(linear, m).copy_from(&constant);
    let mut g = data.operators.g.rows_mut(linear, m);
    g.copy_from(&rows.by_acceleration);
    let mut coupling = data.couplingG.view_mut((linear, linear), (m, m));
    coupling.copy_from(&rows.by_force);
    let directions = data.operators.own_directions.iter_mut();
    for (row, direction) in directions.filter(|(row, _)| *row >= linear) {
        direction.tr_copy_from(&rows.force_directions.row(*row - linear));
    }
}
