//! The contact problem of a step, in `f64`.

use super::error::StepError;
use super::model::Model;
use super::state::State;
use crate::InvalidInput;
use crate::Scalar;
use crate::contact::{ContactWorkspace, Detection, FoundContact};
use crate::math::reset_matrix;
use crate::solver::implicit_stribeck::TwoWayCoupledProblem;
use crate::tree::{BodyIndex, TreeWorkspace};
use nalgebra::{DMatrix, DVector};

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
    normal_jacobian: DMatrix<f64>,
    tangent_jacobian: DMatrix<f64>,
    x0: Vec<f64>,
    stiffness: Vec<f64>,
    dissipation: Vec<f64>,
    mu: Vec<f64>,
}

impl RealStep {
    pub fn new(model: &Model<f64>) -> Self {
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
            normal_jacobian: DMatrix::zeros(0, 0),
            tangent_jacobian: DMatrix::zeros(0, 0),
            x0: Vec::new(),
            stiffness: Vec::new(),
            dissipation: Vec::new(),
            mu: Vec::new(),
        }
    }

    /// Velocities at the start of the step.
    pub fn v(&self) -> &[f64] {
        &self.v
    }

    /// Finds the contacts of the step from `state` and sets up their problem.
    pub fn prepare<T: Scalar>(
        &mut self,
        model: &Model<f64>,
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

    fn write_contacts(&mut self, model: &Model<f64>) -> Result<(), StepError> {
        let points = &self.contact.points;
        let (nc, nv) = (points.len(), self.v.len());
        reset_matrix(&mut self.normal_jacobian, nc, nv);
        reset_matrix(&mut self.tangent_jacobian, 2 * nc, nv);
        for buffer in [
            &mut self.x0,
            &mut self.stiffness,
            &mut self.dissipation,
            &mut self.mu,
        ] {
            buffer.clear();
        }
        for (c, point) in points.iter().enumerate() {
            let (jn, jt) = (&mut self.normal_jacobian, &mut self.tangent_jacobian);
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
            self.x0.push(point.penetration);
            self.stiffness.push(point.material.stiffness);
            self.dissipation.push(point.material.dissipation);
            self.mu.push(point.material.friction);
        }
        Ok(())
    }

    /// The contact problem.
    pub fn problem(&self) -> Result<TwoWayCoupledProblem<'_, f64>, InvalidInput> {
        TwoWayCoupledProblem::new(
            &self.mass,
            &self.normal_jacobian,
            &self.tangent_jacobian,
            &self.p_star,
            &self.x0,
            &self.stiffness,
            &self.dissipation,
            &self.mu,
        )
    }

    /// Positions at the end of the step, from the velocities there.
    pub fn integrate(&mut self, model: &Model<f64>, v: &DVector<f64>) -> Result<&[f64], StepError> {
        let next_q = &mut self.next_q;
        model
            .tree
            .integrate(&self.q, v.as_slice(), model.time_step, next_q)?;
        Ok(next_q)
    }
}

fn copy_real<T: Scalar>(target: &mut [f64], source: &[T]) {
    for (x, y) in target.iter_mut().zip(source) {
        *x = y.re();
    }
}
