//! The solver of constraint problems.

use super::accel_problem_data::ConstraintAccelProblemData;
use super::decision::Decision;
use super::delassus::{Delassus, generalized_force};
use super::derivatives::differentiate;
use super::error::ConstraintError;
use super::forces::ConstraintForces;
use super::independent_rows::least_norm;
use super::operators::ConstraintOperators;
use super::real_products::RealProducts;
use super::vel_problem_data::ConstraintVelProblemData;
use super::view::View;
use crate::solver::lcp::{LcpSolver, LcpSolverParameters};
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// Accelerations and the forces that go with them.
#[derive(Debug, Clone, PartialEq)]
pub struct AccelerationSolution<T: Scalar> {
    /// Constraint forces.
    pub forces: ConstraintForces<T>,
    /// Accelerations `v̇` (nv) under all forces.
    pub generalized_acceleration: DVector<T>,
    /// The part of them that constraint forces cause, without external forces: `v̇ − M⁻¹ τ`.
    pub constraint_acceleration: DVector<T>,
}

/// Velocities and the impulses that lead to them.
#[derive(Debug, Clone, PartialEq)]
pub struct VelocitySolution<T: Scalar> {
    /// Constraint impulses.
    pub impulses: ConstraintForces<T>,
    /// Velocities `v` (nv) after the impulses.
    pub generalized_velocity: DVector<T>,
    /// What the impulses changed: `v − M⁻¹ p`.
    pub velocity_change: DVector<T>,
    /// Whether overlaps are not driven out, because there is no solution in which they are:
    /// [`pushN`](ConstraintVelProblemData::pushN) and [`pushL`](ConstraintVelProblemData::pushL) are left
    /// out.
    pub without_push: bool,
}

impl<T: Scalar> VelocitySolution<T> {
    /// The packed mean forces of a time step of length `dt`: impulses divided by it.
    ///
    /// # Errors
    /// [`InvalidInput`] when `dt` is not positive.
    pub fn packed_forces(&self, dt: T) -> Result<DVector<T>, InvalidInput> {
        InvalidInput::check_range("time step", &[dt], "a positive time", |t| {
            t > 0.0 && t.is_finite()
        })?;
        Ok(self.impulses.packed.map(|f| f / dt))
    }
}

/// Solves constraint problems, and differentiates the solutions.
///
/// Which constraints are active is decided on real parts; derivatives are those of the active
/// constraints, with respect to everything in the problem data, the operators included. See the
/// [module](super) for the method.
#[derive(Debug, Clone)]
pub struct ConstraintSolver<T: Scalar> {
    view: View<T>,
    decision: Decision,
    packed: Vec<T>,
}

impl<T: Scalar> Default for ConstraintSolver<T> {
    /// With the default parameters of the complementarity solver.
    fn default() -> Self {
        Self::with_lcp_solver(LcpSolver::default())
    }
}

impl<T: Scalar> ConstraintSolver<T> {
    /// A solver whose complementarity problems are solved with these parameters.
    ///
    /// # Errors
    /// [`InvalidInput`] for a parameter outside its range.
    pub fn new(parameters: LcpSolverParameters) -> Result<Self, InvalidInput> {
        Ok(Self::with_lcp_solver(LcpSolver::new(parameters)?))
    }

    fn with_lcp_solver(lcp: LcpSolver<f64>) -> Self {
        ConstraintSolver {
            view: View::new(),
            decision: Decision::new(lcp),
            packed: Vec::new(),
        }
    }

    /// As [`LcpSolver::set_warm_start`], for problems that resemble the last.
    pub fn set_warm_start(&mut self, warm_start: bool) {
        self.decision.lcp.set_warm_start(warm_start);
    }

    /// Finds accelerations and constraint forces.
    ///
    /// # Errors
    /// [`ConstraintError`]: for data that is not valid, equations that contradict each other, no
    /// solution at all, Painlevé's paradox, forces without bound.
    pub fn solve_accelerations<O: ConstraintOperators<T>>(
        &mut self,
        data: &mut ConstraintAccelProblemData<T, O>,
    ) -> Result<AccelerationSolution<T>, ConstraintError> {
        data.validate()?;
        self.view.set_accel(data);
        let all_active = !data.use_complementarity_problem_solver;
        self.solve(&mut data.operators, all_active)
    }

    /// Finds the velocities after an impact or a time step, and constraint impulses.
    ///
    /// # Errors
    /// As [`Self::solve_accelerations`].
    pub fn solve_velocities<O: ConstraintOperators<T>>(
        &mut self,
        data: &mut ConstraintVelProblemData<T, O>,
    ) -> Result<VelocitySolution<T>, ConstraintError> {
        data.validate()?;
        self.view.set_vel(data);
        let operators = &mut data.operators;
        let mut without_push = false;
        let solution = match self.solve(operators, false) {
            Err(error) if error.is_without_solution() && self.view.leave_push_out() => {
                without_push = true;
                self.solve(operators, false)
            }
            result => result,
        }?;
        Ok(VelocitySolution {
            without_push,
            impulses: solution.forces,
            generalized_velocity: solution.generalized_acceleration,
            velocity_change: solution.constraint_acceleration,
        })
    }

    /// Impulses and velocities in place of forces and accelerations, if the view is of such a problem.
    fn solve<O: ConstraintOperators<T>>(
        &mut self,
        operators: &mut O,
        all_active: bool,
    ) -> Result<AccelerationSolution<T>, ConstraintError> {
        let (view, decision) = (&self.view, &mut self.decision);
        decision.view = view.real();
        match operators.real_parts()? {
            Some(mut matrices) => decision.decide(&mut matrices, all_active)?,
            None => decision.decide(&mut RealProducts::new(operators), all_active)?,
        }
        self.packed.clear();
        self.packed
            .extend(decision.packed.iter().map(|&f| T::from(f)));
        differentiate(operators, view, decision, &mut self.packed)?;
        let free = &decision.delassus.free_motion;
        let free = motion(operators, free, |_, out| {
            out.copy_from_slice(&view.right_hand_side);
            Ok(())
        })?;
        let change = motion(operators, &decision.change(), |operators, out| {
            generalized_force(operators, view, &self.packed, out)
        })?;
        if !decision.redundant.is_empty() {
            share_forces(operators, view, decision, &mut self.packed)?;
        }
        let mut generalized = DVector::zeros(change.len());
        generalized_force(operators, view, &self.packed, generalized.as_mut_slice())?;
        // Operators may answer forces otherwise than the units that the matrices were made of.
        InvalidInput::check_finite("change of motion", change.as_slice())?;
        InvalidInput::check_finite("generalized constraint forces", generalized.as_slice())?;
        let forces = ConstraintForces {
            packed: DVector::from_column_slice(&self.packed),
            generalized,
            redundant: decision.redundant.clone(),
            kinks: decision.kinks.clone(),
            residual: decision.residual,
            pivots: decision.pivots,
            layout: view.layout,
            cones: view.cones.clone(),
            mu_sliding: view.mu_sliding.clone(),
        };
        Ok(AccelerationSolution {
            forces,
            generalized_acceleration: free + &change,
            constraint_acceleration: change,
        })
    }
}

/// Distributes the forces of equations over those that depend on each other.
fn share_forces<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    decision: &Decision,
    packed: &mut [T],
) -> Result<(), ConstraintError> {
    let Decision {
        delassus,
        equations,
        redundant,
        ..
    } = decision;
    let mut all = [equations.as_slice(), redundant.as_slice()].concat();
    all.sort_unstable();
    // Rows that are dependent in spite of the test keep the forces of the basic solution.
    let _ = if T::NDERIV == 0 {
        let entry = |i: usize, j: usize| T::from(delassus.matrix[(i, j)]);
        least_norm(equations, &all, entry, packed)
    } else {
        let mut delassus = Delassus::new();
        delassus.assemble(view, operators)?;
        least_norm(equations, &all, |i, j| delassus.matrix[(i, j)], packed)
    };
    Ok(())
}

/// The solution with the inertia whose real part is `real`; `force` writes the right-hand side.
fn motion<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    real: &[f64],
    force: impl FnOnce(&mut O, &mut [T]) -> Result<(), ConstraintError>,
) -> Result<DVector<T>, ConstraintError> {
    let mut motion = DVector::from_iterator(real.len(), real.iter().map(|&x| T::from(x)));
    if T::NDERIV > 0 {
        force(operators, motion.as_mut_slice())?;
        operators.solve_inertia(motion.as_mut_slice())?;
        for (x, &real) in motion.iter_mut().zip(real) {
            *x = x.with_real(real);
        }
    }
    Ok(motion)
}
