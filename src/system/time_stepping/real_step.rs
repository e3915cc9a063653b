//! The velocities at the end of a step, in `f64`.

use super::force_damping::{DampingModel, DampingScalar, ForceEvaluation};
use super::linearized_forces::LinearizedForces;
use super::model::Model;
use super::step::StepStatus;
use crate::InvalidInput;
use crate::Scalar;
use crate::contact::{ContactWorkspace, Detection, FoundContact};
use crate::force::ForceElement;
use crate::math::reset_matrix;
use crate::solver::ImplicitStribeckSolver;
use crate::solver::implicit_stribeck::{
    FrictionLaw, ImplicitStribeckSolverParameters, Linearization, NormalLaw, TwoWayCoupledProblem,
};
use crate::system::error::StepError;
use crate::system::state::State;
use crate::tree::{BodyIndex, TreeWorkspace};
use nalgebra::DMatrix;

/// Number of linearisations after which the search for a velocity is given up.
const MAX_LINEARIZATIONS: usize = 100;

/// Data and memory of the contact problem.
#[derive(Debug, Clone)]
pub(super) struct RealStep {
    tree: TreeWorkspace<f64>,
    contact: ContactWorkspace<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    next_q: Vec<f64>,
    vdot: Vec<f64>,
    p_star: Vec<f64>,
    damping: Vec<f64>,
    mass: DMatrix<f64>,
    next_v: Vec<f64>,
    forces: ForceEvaluation<f64>,
    linearized: Option<LinearizedForces>,
    contact_data: ContactData,
}

/// What the contacts contribute to their problem.
#[derive(Debug, Clone)]
struct ContactData {
    normal_jacobian: DMatrix<f64>,
    tangent_jacobian: DMatrix<f64>,
    x0: Vec<f64>,
    stiffness: Vec<f64>,
    dissipation: Vec<f64>,
    mu: Vec<f64>,
}

/// How friction is regularised.
struct FrictionRegularization {
    stiction_tolerance: f64,
    softening: f64,
}

impl FrictionRegularization {
    fn of(parameters: &ImplicitStribeckSolverParameters<f64>) -> Self {
        FrictionRegularization {
            stiction_tolerance: parameters.stiction_tolerance,
            softening: parameters.stiction_tolerance * parameters.relative_tolerance,
        }
    }
}

impl ContactData {
    /// Power along `d` of the contact forces at the velocity `v`.
    fn power(&self, dt: f64, friction: &FrictionRegularization, v: &[f64], d: &[f64]) -> f64 {
        let velocity = |jacobian: &DMatrix<f64>, row: usize, v: &[f64]| -> f64 {
            jacobian.row(row).iter().zip(v).map(|(j, v)| j * v).sum()
        };
        let (jn, jt) = (&self.normal_jacobian, &self.tangent_jacobian);
        let mut power = 0.0;
        for (c, &mu) in self.mu.iter().enumerate() {
            let rows = [(jn, c), (jt, 2 * c), (jt, 2 * c + 1)];
            let [vn, vt0, vt1] = rows.map(|(j, row)| velocity(j, row, v));
            let normal = NormalLaw {
                x0: self.x0[c],
                stiffness: self.stiffness[c],
                dissipation: self.dissipation[c],
            }
            .force(dt, vn);
            let [f0, f1] = FrictionLaw {
                mu,
                stiction_tolerance: friction.stiction_tolerance,
                softening: friction.softening,
            }
            .force(normal, [vt0, vt1]);
            for (force, (j, row)) in [normal, f0, f1].into_iter().zip(rows) {
                power += force * velocity(j, row, d);
            }
        }
        power
    }
}

impl RealStep {
    pub fn new<F: ForceElement<f64>>(model: &Model<f64, F>) -> Self {
        let (nq, nv) = (model.tree.num_positions(), model.tree.num_velocities());
        RealStep {
            tree: model.tree.workspace(),
            contact: ContactWorkspace::new(),
            q: vec![0.0; nq],
            v: vec![0.0; nv],
            next_q: vec![0.0; nq],
            vdot: vec![0.0; nv],
            p_star: vec![0.0; nv],
            damping: vec![0.0; nv],
            mass: DMatrix::zeros(nv, nv),
            next_v: vec![0.0; nv],
            forces: ForceEvaluation::new(&model.tree),
            linearized: None,
            contact_data: ContactData {
                normal_jacobian: DMatrix::zeros(0, 0),
                tangent_jacobian: DMatrix::zeros(0, 0),
                x0: Vec::new(),
                stiffness: Vec::new(),
                dissipation: Vec::new(),
                mu: Vec::new(),
            },
        }
    }

    /// Velocities at the end of the step, once they have been found.
    pub fn next_v(&self) -> &[f64] {
        &self.next_v
    }

    /// Finds the contacts of the step from `state` and sets up their problem.
    pub fn prepare<T: Scalar, F: ForceElement<f64>>(
        &mut self,
        model: &Model<f64, F>,
        detection: Detection,
        state: &State<T>,
        tau: &[T],
        found: &mut Vec<FoundContact>,
    ) -> Result<(), StepError> {
        InvalidInput::check_size("q", state.q.len(), self.q.len())?;
        InvalidInput::check_size("v", state.v.len(), self.v.len())?;
        InvalidInput::check_size("tau", tau.len(), self.v.len())?;
        InvalidInput::check_finite("tau", tau)?;
        copy_real(&mut self.q, state.q.as_slice());
        copy_real(&mut self.v, state.v.as_slice());
        let dt = model.time_step;
        let (tree, workspace) = (&model.tree, &mut self.tree);
        tree.set_state(workspace, &self.q, &self.v)?;
        model
            .contact
            .detect(tree, workspace, (detection, dt), &mut self.contact, found)?;

        // With v̇ = −v/δt inverse dynamics gives −M v/δt + C v − τ_g in one recursion.
        for (a, v) in self.vdot.iter_mut().zip(&self.v) {
            *a = -v / dt;
        }
        tree.inverse_dynamics(workspace, &self.vdot, None, &mut self.p_star)?;
        for (p, tau) in self.p_star.iter_mut().zip(tau) {
            *p = dt * (tau.re() - *p);
        }
        tree.mass_matrix(workspace, &mut self.mass)?;
        tree.joint_damping(&mut self.damping)?;
        for (i, d) in self.damping.iter().enumerate() {
            self.mass[(i, i)] += dt * d;
        }
        self.write_contacts(model)
    }

    fn write_contacts<F>(&mut self, model: &Model<f64, F>) -> Result<(), StepError> {
        let points = &self.contact.points;
        let (nc, nv) = (points.len(), self.v.len());
        let data = &mut self.contact_data;
        reset_matrix(&mut data.normal_jacobian, nc, nv);
        reset_matrix(&mut data.tangent_jacobian, 2 * nc, nv);
        for buffer in [
            &mut data.x0,
            &mut data.stiffness,
            &mut data.dissipation,
            &mut data.mu,
        ] {
            buffer.clear();
        }
        for (c, point) in points.iter().enumerate() {
            let (jn, jt) = (&mut data.normal_jacobian, &mut data.tangent_jacobian);
            let mut add = |body: BodyIndex, sign: f64| {
                let tree = &model.tree;
                tree.for_each_point_column(&self.tree, body, &point.position, |j, column| {
                    let v = point.rotation.tr_mul(column) * sign;
                    jt[(2 * c, j)] += v.x;
                    jt[(2 * c + 1, j)] += v.y;
                    jn[(c, j)] += v.z;
                })
            };
            add(point.body_a, 1.0)?;
            add(point.body_b, -1.0)?;
            data.x0.push(point.penetration);
            data.stiffness.push(point.material.stiffness);
            data.dissipation.push(point.material.dissipation);
            data.mu.push(point.material.friction);
        }
        Ok(())
    }

    /// Finds the velocities at the end of the step.
    pub fn solve<F: ForceElement<f64>, D: ForceElement<DampingScalar>>(
        &mut self,
        model: &Model<f64, F>,
        damping: Option<&DampingModel<D>>,
        solver: &mut ImplicitStribeckSolver<f64>,
    ) -> Result<StepStatus, StepError> {
        match damping {
            Some(damping) => self.solve_with_damping(model, damping, solver),
            None => {
                self.add_constant_forces(model)?;
                let solution = solver.solve(self.problem()?, model.time_step, &self.v)?;
                self.next_v.copy_from_slice(solution.velocities.as_slice());
                Ok(StepStatus::of(solution))
            }
        }
    }

    /// As [`Self::solve`], with the Jacobian of the momentum balance there.
    pub fn linearize<'s, F: ForceElement<f64>, D: ForceElement<DampingScalar>>(
        &mut self,
        model: &Model<f64, F>,
        damping: Option<&DampingModel<D>>,
        solver: &'s mut ImplicitStribeckSolver<f64>,
    ) -> Result<(StepStatus, Linearization<'s>), StepError> {
        let dt = model.time_step;
        let Some(damping) = damping else {
            self.add_constant_forces(model)?;
            let linearization = solver.linearize(self.problem()?, dt, &self.v)?;
            let solution = linearization.solution();
            self.next_v.copy_from_slice(solution.velocities.as_slice());
            return Ok((StepStatus::of(solution), linearization));
        };
        let status = self.solve_with_damping(model, damping, solver)?;
        let mut linearized = self.take_linearized_forces(damping);
        linearized.point.copy_from_slice(&self.next_v);
        linearized.linearize(damping, dt, &self.mass, &self.p_star)?;
        let linearized = self.linearized.insert(linearized);
        let (mass, p_star) = (&linearized.mass, &linearized.p_star);
        let problem = contact_problem(&self.contact_data, mass, p_star)?;
        Ok((status, solver.linearize(problem, dt, &self.next_v)?))
    }

    /// Adds the forces of elements that do not depend on the velocity to the momentum.
    fn add_constant_forces<F: ForceElement<f64>>(
        &mut self,
        model: &Model<f64, F>,
    ) -> Result<(), StepError> {
        let (tree, dt) = (&model.tree, model.time_step);
        let tau = (self.forces).evaluate_at_state(tree, &mut self.tree, &model.forces)?;
        for (p, tau) in self.p_star.iter_mut().zip(tau) {
            *p += dt * tau;
        }
        Ok(())
    }

    fn solve_with_damping<F: ForceElement<f64>, D: ForceElement<DampingScalar>>(
        &mut self,
        model: &Model<f64, F>,
        damping: &DampingModel<D>,
        solver: &mut ImplicitStribeckSolver<f64>,
    ) -> Result<StepStatus, StepError> {
        let mut linearized = self.take_linearized_forces(damping);
        let result = self.iterate(model, damping, solver, &mut linearized);
        self.next_v.clone_from(&linearized.best_solution);
        self.linearized = Some(linearized);
        result
    }

    fn iterate<F: ForceElement<f64>, D: ForceElement<DampingScalar>>(
        &mut self,
        model: &Model<f64, F>,
        damping: &DampingModel<D>,
        solver: &mut ImplicitStribeckSolver<f64>,
        linearized: &mut LinearizedForces,
    ) -> Result<StepStatus, StepError> {
        let dt = model.time_step;
        let tolerance = solver.parameters().residual_tolerance;
        let friction = FrictionRegularization::of(solver.parameters());
        let mut iterations = 0;
        linearized.start(damping, &self.q, &self.v)?;
        for _ in 0..MAX_LINEARIZATIONS {
            linearized.linearize(damping, dt, &self.mass, &self.p_star)?;
            let (mass, p_star) = (&linearized.mass, &linearized.p_star);
            let problem = contact_problem(&self.contact_data, mass, p_star)?;
            let solution = solver.solve(problem, dt, &linearized.point)?;
            let mut status = StepStatus::of(solution);
            iterations += status.iterations;
            let v = solution.velocities.as_slice();
            let (tree, workspace) = (&model.tree, &mut self.tree);
            let forces = (self.forces).evaluate(tree, workspace, &model.forces, v)?;
            if linearized.take(dt, v, forces, tolerance) {
                status.iterations = iterations;
                return Ok(status);
            }
            linearized.advance(|v, d| self.slope(model, &friction, v, d))?;
        }
        Err(StepError::ForcesNotConverged {
            linearizations: MAX_LINEARIZATIONS,
            error: linearized.best_error,
        })
    }

    /// `d·r(v)` with the residual `r(v) = M v − p* − δt (τ_F(v) + Jᵀ f(v))` of the momentum balance.
    fn slope<F: ForceElement<f64>>(
        &mut self,
        model: &Model<f64, F>,
        friction: &FrictionRegularization,
        v: &[f64],
        d: &[f64],
    ) -> Result<f64, StepError> {
        let (tree, dt) = (&model.tree, model.time_step);
        let forces = (self.forces).evaluate(tree, &mut self.tree, &model.forces, v)?;
        let mut slope = 0.0;
        for (i, &d) in d.iter().enumerate() {
            let momentum: f64 = self.mass.row(i).iter().zip(v).map(|(m, v)| m * v).sum();
            slope += d * (momentum - self.p_star[i] - dt * forces[i]);
        }
        Ok(slope - dt * self.contact_data.power(dt, friction, v, d))
    }

    fn take_linearized_forces<D>(&mut self, damping: &DampingModel<D>) -> LinearizedForces {
        (self.linearized.take()).unwrap_or_else(|| LinearizedForces::new(damping))
    }

    /// The contact problem without forces that depend on the velocity.
    fn problem(&self) -> Result<TwoWayCoupledProblem<'_, f64>, InvalidInput> {
        contact_problem(&self.contact_data, &self.mass, &self.p_star)
    }

    /// Positions at the end of the step, once the velocities there have been found.
    pub fn integrate<F>(&mut self, model: &Model<f64, F>) -> Result<&[f64], StepError> {
        let (v, next_q) = (&self.next_v, &mut self.next_q);
        (model.tree).integrate(&self.q, v, model.time_step, next_q)?;
        Ok(next_q)
    }
}

fn contact_problem<'a>(
    data: &'a ContactData,
    mass: &'a DMatrix<f64>,
    p_star: &'a [f64],
) -> Result<TwoWayCoupledProblem<'a, f64>, InvalidInput> {
    let ContactData {
        normal_jacobian,
        tangent_jacobian,
        x0,
        stiffness,
        dissipation,
        mu,
    } = data;
    TwoWayCoupledProblem::new(
        mass,
        normal_jacobian,
        tangent_jacobian,
        p_star,
        x0,
        stiffness,
        dissipation,
        mu,
    )
    .map(TwoWayCoupledProblem::with_damped_mass)
}

fn copy_real<T: Scalar>(target: &mut [f64], source: &[T]) {
    for (x, y) in target.iter_mut().zip(source) {
        *x = y.re();
    }
}
