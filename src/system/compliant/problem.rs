//! The contact problem of a step, in `f64`.

use crate::InvalidInput;
use crate::contact::PointContact;
use crate::math::reset_matrix;
use crate::solver::implicit_stribeck::{FrictionLaw, NormalLaw, TwoWayCoupledProblem};
use crate::system::error::SystemError;
use crate::tree::{BodyIndex, RigidBodyTree, TreeWorkspace};
use nalgebra::DMatrix;

/// What the contacts contribute to the momentum balance.
#[derive(Debug, Clone)]
pub(super) struct ContactData {
    normal_jacobian: DMatrix<f64>,
    tangent_jacobian: DMatrix<f64>,
    x0: Vec<f64>,
    stiffness: Vec<f64>,
    dissipation: Vec<f64>,
    mu: Vec<f64>,
}

impl Default for ContactData {
    fn default() -> Self {
        ContactData {
            normal_jacobian: DMatrix::zeros(0, 0),
            tangent_jacobian: DMatrix::zeros(0, 0),
            x0: Vec::new(),
            stiffness: Vec::new(),
            dissipation: Vec::new(),
            mu: Vec::new(),
        }
    }
}

impl ContactData {
    /// Writes the Jacobians and constants of contact points.
    pub fn write(
        &mut self,
        tree: &RigidBodyTree<f64>,
        placed: &TreeWorkspace<f64>,
        points: &[PointContact<f64>],
    ) -> Result<(), SystemError> {
        let (nc, nv) = (points.len(), tree.num_velocities());
        reset_matrix(&mut self.normal_jacobian, nc, nv);
        reset_matrix(&mut self.tangent_jacobian, 2 * nc, nv);
        let buffers = [
            &mut self.x0,
            &mut self.stiffness,
            &mut self.dissipation,
            &mut self.mu,
        ];
        buffers.into_iter().for_each(Vec::clear);
        for (c, point) in points.iter().enumerate() {
            let (jn, jt) = (&mut self.normal_jacobian, &mut self.tangent_jacobian);
            let mut add = |body: BodyIndex, sign: f64| {
                tree.for_each_point_column(placed, body, &point.position, |j, column| {
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

    /// The problem with the momentum balance `A v = p` of everything but contact.
    pub fn problem<'a>(
        &'a self,
        a: &'a DMatrix<f64>,
        p: &'a [f64],
    ) -> Result<TwoWayCoupledProblem<'a, f64>, InvalidInput> {
        let problem = TwoWayCoupledProblem::new(
            a,
            &self.normal_jacobian,
            &self.tangent_jacobian,
            p,
            &self.x0,
            &self.stiffness,
            &self.dissipation,
            &self.mu,
        )?;
        Ok(problem.with_damped_mass())
    }

    /// Power along `d` of the contact forces at the velocity `v`.
    pub fn power(
        &self,
        dt: f64,
        (stiction_tolerance, softening): (f64, f64),
        v: &[f64],
        d: &[f64],
    ) -> f64 {
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
                stiction_tolerance,
                softening,
            }
            .force(normal, [vt0, vt1]);
            for (force, (j, row)) in [normal, f0, f1].into_iter().zip(rows) {
                power += force * velocity(j, row, d);
            }
        }
        power
    }
}
