//! The solver of constraint problems.

use super::accel_problem_data::ConstraintAccelProblemData;
use super::delassus::{Delassus, generalized_force};
use super::error::ConstraintError;
use super::forces::ConstraintForces;
use super::independent_rows::{independent_rows, least_norm};
use super::kink::nearest_kinks;
use super::operators::ConstraintOperators;
use super::vel_problem_data::ConstraintVelProblemData;
use super::view::View;
use crate::math::reset_matrix;
use crate::solver::lcp::{LcpError, LcpSolver, LcpSolverParameters, LinearComplementarityProblem};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

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
    lcp: LcpSolver<T>,
    view: View<T>,
    delassus: Delassus<T>,
    equations: Vec<usize>,
    variables: Vec<Variable>,
    matrix: DMatrix<T>,
    vector: Vec<T>,
    packed: Vec<T>,
}

/// A variable of the complementarity problem.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Variable {
    /// A force by its position in the packed vector, taken with this sign.
    Force { packed: usize, sign: f64 },
    /// The slip `λ` of a cone.
    Slip { cone: usize },
}

/// Equations whose squared distance from the others is less than this part of their square depend
/// on them.
const DEPENDENT: f64 = 1e-12;
/// An equation that depends on others contradicts them when it is violated by more than this part
/// of the rates that the forces and constants of the problem are apt to give it,
const CONTRADICTION: f64 = 1e-6;
/// and by more than this: round-off of positions, in m/s² or m/s.
const ROUND_OFF: f64 = 1e-9;

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

    fn with_lcp_solver(lcp: LcpSolver<T>) -> Self {
        ConstraintSolver {
            lcp,
            view: View::new(),
            delassus: Delassus::new(),
            equations: Vec::new(),
            variables: Vec::new(),
            matrix: DMatrix::zeros(0, 0),
            vector: Vec::new(),
            packed: Vec::new(),
        }
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
        let (forces, change) = self.solve(&mut data.operators, all_active)?;
        Ok(AccelerationSolution {
            forces,
            generalized_acceleration: self.total(&change),
            constraint_acceleration: change,
        })
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
        let (impulses, change) = self.solve(&mut data.operators, false)?;
        Ok(VelocitySolution {
            impulses,
            generalized_velocity: self.total(&change),
            velocity_change: change,
        })
    }

    fn total(&self, change: &DVector<T>) -> DVector<T> {
        let free = &self.delassus.free_motion;
        DVector::from_iterator(free.len(), free.iter().zip(change).map(|(&a, &b)| a + b))
    }

    /// The forces, and the change of motion that they cause.
    fn solve<O: ConstraintOperators<T>>(
        &mut self,
        operators: &mut O,
        all_active: bool,
    ) -> Result<(ConstraintForces<T>, DVector<T>), ConstraintError> {
        self.delassus.assemble(&self.view, operators)?;
        let layout = self.view.layout;
        let equations = if all_active {
            0..layout.size()
        } else {
            layout.bilateral()
        };
        let delassus = &self.delassus;
        let entry = |i: usize, j: usize| {
            delassus
                .frictionless_entry(equations.start + i, equations.start + j)
                .re()
        };
        self.equations = independent_rows(equations.len(), entry, DEPENDENT);
        for equation in &mut self.equations {
            *equation += equations.start;
        }
        self.choose_variables(all_active);
        self.write_problem(|delassus, i, j| delassus.matrix[(i, j)]);
        let free = self.equations.len();
        let problem = LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)?;
        let (kinks, residual, pivots) = match self.lcp.solve(problem) {
            Ok(solution) => {
                self.packed.clear();
                self.packed.resize(layout.size(), T::zero());
                for (&variable, &z) in self.variables.iter().zip(solution.z.iter()) {
                    if let Variable::Force { packed, sign } = variable {
                        self.packed[packed] += z * sign;
                    }
                }
                let kinks = nearest_kinks(&self.view, free, &self.vector, solution);
                (kinks, solution.residual, solution.pivots)
            }
            Err(error) => return Err(self.explain(error)),
        };
        let redundant: Vec<usize> = equations
            .clone()
            .filter(|e| self.equations.binary_search(e).is_err())
            .collect();
        self.check_redundant(&redundant, equations.start)?;
        let mut change = DVector::zeros(self.delassus.free_motion.len());
        for (&f, response) in self
            .packed
            .iter()
            .zip(self.delassus.responses.column_iter())
        {
            for (change, &x) in change.iter_mut().zip(response.iter()) {
                *change += x * f;
            }
        }
        if !redundant.is_empty() {
            let all: Vec<usize> = equations.collect();
            // Rows that are dependent in spite of the test keep the forces of the basic solution.
            let _ = least_norm(
                &self.equations,
                &all,
                &self.delassus.matrix,
                &mut self.packed,
            );
        }
        let mut generalized = DVector::zeros(change.len());
        generalized_force(
            operators,
            &self.view,
            &self.packed,
            generalized.as_mut_slice(),
        )?;
        // Operators may answer forces otherwise than the units that the matrices were made of.
        InvalidInput::check_finite("change of motion", change.as_slice())?;
        InvalidInput::check_finite("generalized constraint forces", generalized.as_slice())?;
        let forces = ConstraintForces {
            packed: DVector::from_column_slice(&self.packed),
            generalized,
            redundant,
            kinks,
            residual,
            pivots,
            layout,
            cones: self.view.cones.clone(),
            mu_sliding: self.view.mu_sliding.clone(),
        };
        Ok((forces, change))
    }

    /// Independent equations first, then normal forces, friction in both senses, slips, limits.
    fn choose_variables(&mut self, all_active: bool) {
        let layout = self.view.layout;
        let force = |sign: f64| move |packed: usize| Variable::Force { packed, sign };
        self.variables.clear();
        self.variables
            .extend(self.equations.iter().copied().map(force(1.0)));
        if all_active {
            return;
        }
        self.variables.extend(layout.normal().map(force(1.0)));
        self.variables.extend(layout.friction().map(force(1.0)));
        self.variables.extend(layout.friction().map(force(-1.0)));
        let cones = (0..self.view.cones.len()).map(|cone| Variable::Slip { cone });
        self.variables.extend(cones);
        self.variables.extend(layout.limit().map(force(1.0)));
    }

    /// The complementarity problem, with `entry` for the entries of the Delassus matrix.
    fn write_problem(&mut self, entry: impl Fn(&Delassus<T>, usize, usize) -> T) {
        let n = self.variables.len();
        let view = &self.view;
        let is_of = |packed: usize, cone: usize| {
            let directions = &view.cones[cone].directions;
            let friction = view.layout.friction();
            friction.contains(&packed) && directions.contains(&(packed - friction.start))
        };
        reset_matrix(&mut self.matrix, n, n);
        self.vector.clear();
        self.vector.resize(n, T::zero());
        for (i, &row) in self.variables.iter().enumerate() {
            if let Variable::Force { packed, sign } = row {
                self.vector[i] = self.delassus.vector[packed] * sign;
            }
            for (j, &column) in self.variables.iter().enumerate() {
                use Variable::{Force, Slip};
                self.matrix[(i, j)] = match (row, column) {
                    (Force { packed: p, sign: s }, Force { packed: q, sign: t }) => {
                        let coupling = entry(&self.delassus, p, q) * (s * t);
                        match view.gamma.get(p) {
                            Some(&gamma) if i == j => coupling + gamma,
                            _ => coupling,
                        }
                    }
                    (Force { packed, .. }, Slip { cone }) if is_of(packed, cone) => T::one(),
                    (Slip { cone }, Force { packed, .. }) if is_of(packed, cone) => -T::one(),
                    (Slip { cone }, Force { packed, .. }) if packed == view.cones[cone].contact => {
                        view.cones[cone].mu
                    }
                    (Slip { cone }, Slip { .. }) if i == j => {
                        view.gamma_cone.get(cone).copied().unwrap_or(T::zero())
                    }
                    _ => T::zero(),
                };
            }
        }
    }

    /// Says in terms of mechanics why there is no solution.
    fn explain(&mut self, error: LcpError) -> ConstraintError {
        match error {
            LcpError::Infeasible { violation } => {
                if self.is_solvable_without_sliding_friction() {
                    ConstraintError::PainleveInconsistency { violation }
                } else {
                    ConstraintError::Infeasible { violation }
                }
            }
            LcpError::Ray { pivots } => ConstraintError::Unbounded { pivots },
            LcpError::Invalid(invalid) => ConstraintError::Invalid(invalid),
            other => ConstraintError::Lcp(other),
        }
    }

    fn is_solvable_without_sliding_friction(&mut self) -> bool {
        if self.view.mu_sliding.is_empty() {
            return false;
        }
        self.write_problem(|delassus, i, j| delassus.frictionless_entry(i, j));
        let free = self.equations.len();
        LinearComplementarityProblem::mixed(&self.matrix, &self.vector, free)
            .is_ok_and(|problem| self.lcp.solve(problem).is_ok())
    }

    /// Checks that equations which depend on others agree with them.
    ///
    /// What remains of them is compared with `√Dᵢᵢ √(xᵀ M x)`, which bounds the rate `Jᵢ x` that a
    /// motion `x` gives row `i` (Cauchy and Schwarz); not with the terms of the row, which may all be
    /// round-off.
    fn check_redundant(&self, redundant: &[usize], first: usize) -> Result<(), ConstraintError> {
        if redundant.is_empty() {
            return Ok(());
        }
        let (delassus, n) = (&self.delassus, self.packed.len());
        let size = |i: usize| delassus.frictionless_entry(i, i).re().max(0.0).sqrt();
        let free = self.view.right_hand_side.iter().zip(&delassus.free_motion);
        let power: f64 = free.map(|(b, a)| b.re() * a.re()).sum();
        let forces = self.packed.iter().enumerate();
        let constants = self.view.k.iter().enumerate();
        let motion = (constants.filter(|&(j, _)| size(j) > 0.0))
            .map(|(j, k)| k.re().abs() / size(j))
            .chain(forces.map(|(j, f)| f.re().abs() * size(j)))
            .fold(power.max(0.0).sqrt(), f64::max);
        for &row in redundant {
            let change = (0..n).map(|j| delassus.matrix[(row, j)].re() * self.packed[j].re());
            let rest = (delassus.vector[row].re() + change.sum::<f64>()).abs();
            let rate = size(row) * motion;
            let violation = if rate > 0.0 { rest / rate } else { rest };
            // Written so that NaN is a contradiction.
            let agrees = rest <= ROUND_OFF || violation <= CONTRADICTION;
            if !agrees {
                return Err(ConstraintError::Inconsistent {
                    equation: row - first,
                    violation,
                });
            }
        }
        Ok(())
    }
}
