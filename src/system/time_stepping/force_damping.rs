//! Force elements as generalized forces of the velocity, and their damping `D = −∂τ/∂v`.
//!
//! The damping comes from dual numbers, some directions at a time, at the positions of the step.

use super::model::Model;
use crate::Scalar;
use crate::autodiff::CHUNK;
use crate::force::{ForceContext, ForceElement, ForceError, Forces};
use crate::math::SpatialVelocity;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::DMatrix;
use num_dual::DualSVec64;

/// The scalar that damping is taken in.
pub(super) type DampingScalar = DualSVec64<CHUNK>;

/// A tree and its force elements where their damping is taken.
#[derive(Debug, Clone)]
pub(super) struct DampingModel<D> {
    tree: RigidBodyTree<DampingScalar>,
    pub(super) forces: D,
}

impl<D> DampingModel<D> {
    /// `None` if no force depends on the velocity.
    pub fn new<T: Scalar, F>(model: &Model<T, F>) -> Option<Self>
    where
        F: ForceElement<T, Cast<DampingScalar> = D>,
    {
        model.forces.depends_on_velocity().then(|| DampingModel {
            tree: model.tree.cast(),
            forces: model.forces.cast::<DampingScalar>(),
        })
    }
}

/// Evaluates generalized forces of force elements; a workspace.
#[derive(Debug, Clone)]
pub(super) struct ForceEvaluation<T: Scalar> {
    velocities: Vec<SpatialVelocity<T>>,
    forces: Forces<T>,
    generalized: Vec<T>,
}

impl<T: Scalar> ForceEvaluation<T> {
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        ForceEvaluation {
            velocities: vec![SpatialVelocity::zero(); tree.num_bodies()],
            forces: Forces::new(tree),
            generalized: vec![T::zero(); tree.num_velocities()],
        }
    }

    /// Generalized forces at the state of the workspace.
    pub fn evaluate_at_state<F: ForceElement<T>>(
        &mut self,
        tree: &RigidBodyTree<T>,
        workspace: &mut TreeWorkspace<T>,
        elements: &F,
    ) -> Result<&[T], ForceError> {
        self.forces.clear();
        elements.add_forces(&ForceContext::new(tree, workspace), &mut self.forces)?;
        self.project(tree, workspace)
    }

    /// Generalized forces at the positions of the workspace and the velocities `v`.
    pub fn evaluate<F: ForceElement<T>>(
        &mut self,
        tree: &RigidBodyTree<T>,
        workspace: &mut TreeWorkspace<T>,
        elements: &F,
        v: &[T],
    ) -> Result<&[T], ForceError> {
        tree.body_velocities(workspace, v, &mut self.velocities)?;
        self.forces.clear();
        let context = ForceContext::with_velocities(tree, workspace, v, &self.velocities)?;
        elements.add_forces(&context, &mut self.forces)?;
        self.project(tree, workspace)
    }

    fn project(
        &mut self,
        tree: &RigidBodyTree<T>,
        workspace: &mut TreeWorkspace<T>,
    ) -> Result<&[T], ForceError> {
        if self.forces.is_empty() {
            self.generalized.fill(T::zero());
        } else {
            let out = &mut self.generalized;
            self.forces.project(tree, workspace, out)?;
        }
        Ok(&self.generalized)
    }
}

/// Generalized forces and their damping; a workspace.
#[derive(Debug, Clone)]
pub(super) struct DampingEvaluation {
    tree: TreeWorkspace<DampingScalar>,
    evaluation: ForceEvaluation<DampingScalar>,
    coordinates: Vec<DampingScalar>,
    /// Forces τ at the velocities.
    pub forces: Vec<f64>,
    /// `D = −∂τ/∂v` there.
    pub damping: DMatrix<f64>,
}

impl DampingEvaluation {
    pub fn new<D>(model: &DampingModel<D>) -> Self {
        let nv = model.tree.num_velocities();
        DampingEvaluation {
            tree: model.tree.workspace(),
            evaluation: ForceEvaluation::new(&model.tree),
            coordinates: Vec::new(),
            forces: vec![0.0; nv],
            damping: DMatrix::zeros(nv, nv),
        }
    }

    pub fn set_positions<D>(
        &mut self,
        model: &DampingModel<D>,
        q: &[f64],
    ) -> Result<(), ForceError> {
        let q = q.iter().map(|&q| DampingScalar::from(q));
        self.coordinates.clear();
        self.coordinates.extend(q);
        Ok((model.tree).set_positions(&mut self.tree, &self.coordinates)?)
    }

    /// Evaluates forces and damping at the positions that have been set and the velocities `v`.
    pub fn evaluate<D: ForceElement<DampingScalar>>(
        &mut self,
        model: &DampingModel<D>,
        v: &[f64],
    ) -> Result<(), ForceError> {
        for start in (0..v.len()).step_by(CHUNK) {
            let seeds = v.iter().enumerate().map(|(j, &v)| {
                let v = DampingScalar::from(v);
                match j.checked_sub(start) {
                    Some(direction) if direction < CHUNK => v.derivative(direction),
                    _ => v,
                }
            });
            self.coordinates.clear();
            self.coordinates.extend(seeds);
            let DampingModel { tree, forces } = model;
            let v = &self.coordinates;
            let tau = (self.evaluation).evaluate(tree, &mut self.tree, forces, v)?;
            for (i, tau) in tau.iter().enumerate() {
                self.forces[i] = tau.re;
                let slopes = tau.eps.0.unwrap_or_default();
                for (j, slope) in (start..v.len()).zip(slopes.iter()) {
                    self.damping[(i, j)] = -slope;
                }
            }
        }
        Ok(())
    }
}
