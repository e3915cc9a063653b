//! The solver of constraint problems.

use super::accel_problem_data::ConstraintAccelProblemData;
use super::decision::Decision;
use super::delassus::{Delassus, generalized_force};
use super::derivatives::{DerivativeMemory, differentiate};
use super::error::ConstraintError;
use super::forces::ConstraintForces;
use super::inertia::DenseInertia;
use super::least_norm::LeastNorm;
use super::matrices::ConstraintMatrices;
use super::operators::ConstraintOperators;
use super::real_products::{ProductMemory, RealProducts};
use super::vel_problem_data::ConstraintVelProblemData;
use super::view::View;
use crate::math::{compare_fields, reset_vector};
use crate::solver::lcp::{LcpSolver, LcpSolverParameters};
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

/// Accelerations and the forces that go with them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct VelocitySolution<T: Scalar> {
    /// Constraint impulses.
    pub impulses: ConstraintForces<T>,
    /// Velocities `v` (nv) after the impulses.
    pub generalized_velocity: DVector<T>,
    /// What the impulses changed: `v − M⁻¹ p`.
    pub velocity_change: DVector<T>,
    /// Whether overlaps are not driven out, because there is no solution in which they are:
    /// [`pushN`](ConstraintVelProblemData::pushN) and [`pushL`](ConstraintVelProblemData::pushL), and perhaps
    /// [`pushG`](ConstraintVelProblemData::pushG), are left out.
    pub without_push: bool,
}

compare_fields! {
    AccelerationSolution { forces; generalized_acceleration, constraint_acceleration }
    VelocitySolution { impulses; generalized_velocity, velocity_change }
}

impl<T: Scalar> Default for AccelerationSolution<T> {
    /// Of a problem without velocities.
    fn default() -> Self {
        AccelerationSolution {
            forces: ConstraintForces::none(),
            generalized_acceleration: DVector::zeros(0),
            constraint_acceleration: DVector::zeros(0),
        }
    }
}

impl<T: Scalar> Default for VelocitySolution<T> {
    /// Of a problem without velocities.
    fn default() -> Self {
        VelocitySolution {
            impulses: ConstraintForces::none(),
            generalized_velocity: DVector::zeros(0),
            velocity_change: DVector::zeros(0),
            without_push: false,
        }
    }
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
#[doc(alias = "Delassus")]
#[derive(Debug, Clone)]
pub struct ConstraintSolver<T: Scalar> {
    view: View<T>,
    decision: Decision,
    /// The real parts of operators that have them.
    real: ConstraintMatrices<f64>,
    products: ProductMemory<T>,
    derivatives: DerivativeMemory<T>,
    least_norm: LeastNorm<T>,
    delassus: Delassus<T>,
    equations: Vec<usize>,
    part: Vec<T>,
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
            real: ConstraintMatrices::of_size(0, DenseInertia::default()),
            products: ProductMemory::new(),
            derivatives: DerivativeMemory::new(),
            least_norm: LeastNorm::new(),
            delassus: Delassus::new(),
            equations: Vec::new(),
            part: Vec::new(),
        }
    }

    /// As [`LcpSolver::set_warm_start`], for problems that resemble the last.
    pub fn set_warm_start(&mut self, warm_start: bool) {
        self.decision.set_warm_start(warm_start);
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
        let mut solution = AccelerationSolution::default();
        self.solve_accelerations_into(data, &mut solution)?;
        Ok(solution)
    }

    /// As [`Self::solve_accelerations`], in the memory of another solution: problems of no larger size than those before
    /// allocate nothing, unless [directions](ConstraintMatrices::own_directions) of forces are their own. After an error
    /// the solution is of no use.
    ///
    /// # Errors
    /// As [`Self::solve_accelerations`].
    pub fn solve_accelerations_into<O: ConstraintOperators<T>>(
        &mut self,
        data: &mut ConstraintAccelProblemData<T, O>,
        solution: &mut AccelerationSolution<T>,
    ) -> Result<(), ConstraintError> {
        data.validate()?;
        self.view.set_accel(data);
        let all_active = !data.use_complementarity_problem_solver;
        let AccelerationSolution {
            forces,
            generalized_acceleration,
            constraint_acceleration,
        } = solution;
        let motion = (generalized_acceleration, constraint_acceleration);
        self.solve(&mut data.operators, all_active, forces, motion)
    }

    /// Finds the velocities after an impact or a time step, and constraint impulses.
    ///
    /// # Errors
    /// As [`Self::solve_accelerations`].
    pub fn solve_velocities<O: ConstraintOperators<T>>(
        &mut self,
        data: &mut ConstraintVelProblemData<T, O>,
    ) -> Result<VelocitySolution<T>, ConstraintError> {
        let mut solution = VelocitySolution::default();
        self.solve_velocities_into(data, &mut solution)?;
        Ok(solution)
    }

    /// As [`Self::solve_velocities`], in memory as [`Self::solve_accelerations_into`].
    ///
    /// # Errors
    /// As [`Self::solve_accelerations`].
    pub fn solve_velocities_into<O: ConstraintOperators<T>>(
        &mut self,
        data: &mut ConstraintVelProblemData<T, O>,
        solution: &mut VelocitySolution<T>,
    ) -> Result<(), ConstraintError> {
        data.validate()?;
        self.view.set_vel(data);
        let operators = &mut data.operators;
        let VelocitySolution {
            impulses,
            generalized_velocity: v,
            velocity_change: change,
            without_push,
        } = solution;
        *without_push = false;
        let mut result = self.solve(operators, false, impulses, (&mut *v, &mut *change));
        let bilateral = self.view.layout.bilateral();
        for rows in [0..bilateral.start, bilateral] {
            let is_without_solution = result
                .as_ref()
                .is_err_and(ConstraintError::is_without_solution);
            if is_without_solution && self.view.drop_position_correction(rows) {
                *without_push = true;
                result = self.solve(operators, false, impulses, (&mut *v, &mut *change));
            }
        }
        result
    }

    /// Impulses and velocities in place of forces and accelerations, if the view is of such a problem.
    fn solve<O: ConstraintOperators<T>>(
        &mut self,
        operators: &mut O,
        all_active: bool,
        forces: &mut ConstraintForces<T>,
        (motion, change): (&mut DVector<T>, &mut DVector<T>),
    ) -> Result<(), ConstraintError> {
        let (view, decision) = (&self.view, &mut self.decision);
        view.write_real(&mut decision.view);
        if operators.write_real_parts(&mut self.real)? {
            decision.decide(&mut self.real, all_active)?;
        } else {
            let memory = &mut self.products;
            decision.decide(&mut RealProducts { operators, memory }, all_active)?;
        }
        let ConstraintForces {
            packed,
            generalized,
            ..
        } = &mut *forces;
        reset_vector(packed, decision.packed.len());
        for (packed, &f) in packed.iter_mut().zip(&decision.packed) {
            *packed = T::from(f);
        }
        let packed = packed.as_mut_slice();
        match &decision.round {
            Some(round) if T::NDERIV > 0 => {
                self.delassus.assemble(view, operators)?;
                round.solve(view, &self.delassus, (&mut *packed, false))?;
                for (f, &real) in packed.iter_mut().zip(&decision.packed) {
                    *f = f.with_real(real);
                }
            }
            Some(_) => {}
            None => differentiate(operators, view, decision, packed, &mut self.derivatives)?,
        }
        let free = &decision.delassus.free_motion;
        write_motion(operators, free, motion, |_, out| {
            out.copy_from_slice(&view.right_hand_side);
            Ok(())
        })?;
        let part = &mut self.part;
        write_motion(operators, &decision.change, change, |operators, out| {
            generalized_force(operators, view, packed, out, part)
        })?;
        for (x, &change) in motion.iter_mut().zip(&*change) {
            *x += change;
        }
        if !decision.redundant.is_empty() {
            self.share_forces(operators, packed)?;
        }
        let (view, decision) = (&self.view, &self.decision);
        reset_vector(generalized, change.len());
        let out = generalized.as_mut_slice();
        generalized_force(operators, view, packed, out, &mut self.part)?;
        // Operators may answer forces otherwise than the units that the matrices were made of.
        InvalidInput::check_finite("change of motion", change.as_slice())?;
        InvalidInput::check_finite("motion", motion.as_slice())?;
        InvalidInput::check_finite("generalized constraint forces", generalized.as_slice())?;
        forces.redundant.clone_from(&decision.redundant);
        forces.kinks.clone_from(&decision.kinks);
        (forces.residual, forces.pivots) = (decision.residual, decision.pivots);
        forces.layout = view.layout;
        forces.cones.clone_from(&view.cones);
        forces.mu_sliding.clone_from(&view.mu_sliding);
        Ok(())
    }

    /// Distributes the forces of equations over those that depend on each other.
    fn share_forces<O: ConstraintOperators<T>>(
        &mut self,
        operators: &mut O,
        packed: &mut [T],
    ) -> Result<(), ConstraintError> {
        let Decision {
            delassus: real,
            equations,
            redundant,
            ..
        } = &self.decision;
        let all = &mut self.equations;
        all.clone_from(equations);
        all.extend_from_slice(redundant);
        all.sort_unstable();
        // Rows that are dependent in spite of the test keep the forces of the basic solution.
        let _ = if T::NDERIV == 0 {
            let entry = |i: usize, j: usize| T::from(real.matrix[(i, j)]);
            self.least_norm.replace(equations, all, entry, packed)
        } else {
            self.delassus.assemble(&self.view, operators)?;
            let entry = |i: usize, j: usize| self.delassus.matrix[(i, j)];
            self.least_norm.replace(equations, all, entry, packed)
        };
        Ok(())
    }
}

/// Writes the solution with the inertia whose real part is `real`; `force` writes the right-hand side.
fn write_motion<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    real: &[f64],
    motion: &mut DVector<T>,
    force: impl FnOnce(&mut O, &mut [T]) -> Result<(), ConstraintError>,
) -> Result<(), ConstraintError> {
    reset_vector(motion, real.len());
    if T::NDERIV > 0 {
        force(operators, motion.as_mut_slice())?;
        operators.solve_inertia(motion.as_mut_slice())?;
    }
    for (x, &real) in motion.iter_mut().zip(real) {
        *x = x.with_real(real);
    }
    Ok(())
}
