//! The momentum balance of a step in the scalar of the caller, evaluated at the solution.
//!
//! Inverse dynamics at the velocity `v⁺` at the end of the step gives the residual without a mass
//! matrix or a Jacobian in `T`: with forces `F_c(v⁺)` of the contacts on the bodies, and generalized
//! forces `τ_F(q, v⁺)` of the force elements,
//!
//! ```text
//! r(v⁺) = δt [ID(q, v, (v⁺ − v)/δt) + D v⁺ − τ − τ_F(q, v⁺) − Σ Jᵀ F_c(v⁺)]
//!       = (M + δt D) v⁺ − p* − δt τ_F(q, v⁺) − δt Σ Jᵀ F_c(v⁺)
//! ```

use super::model::Model;
use crate::Scalar;
use crate::contact::{ContactWorkspace, FoundContact, PointContact};
use crate::force::{ForceContext, ForceElement, Forces};
use crate::math::SpatialVelocity;
use crate::solver::implicit_stribeck::{FrictionLaw, NormalLaw};
use crate::system::error::StepError;
use crate::system::state::State;
use crate::tree::TreeWorkspace;
use nalgebra::Vector3;

/// The momentum balance of a step; a workspace.
#[derive(Debug, Clone)]
pub(super) struct LiftedStep<T: Scalar> {
    tree: TreeWorkspace<T>,
    /// Origins of the bodies in W.
    origins: Vec<Vector3<T>>,
    contacts: Contacts<T>,
    forces: Forces<T>,
    damping: Vec<T>,
    vdot: Vec<T>,
}

/// The contacts at the start of the step.
#[derive(Debug, Clone)]
struct Contacts<T: Scalar> {
    workspace: ContactWorkspace<T>,
    velocities: Vec<SpatialVelocity<T>>,
}

impl<T: Scalar> LiftedStep<T> {
    pub fn new<F: ForceElement<T>>(model: &Model<T, F>) -> Self {
        let (bodies, nv) = (model.tree.num_bodies(), model.tree.num_velocities());
        LiftedStep {
            tree: model.tree.workspace(),
            origins: vec![Vector3::zeros(); bodies],
            contacts: Contacts {
                workspace: ContactWorkspace::new(),
                velocities: vec![SpatialVelocity::zero(); bodies],
            },
            forces: Forces::new(&model.tree),
            damping: vec![T::zero(); nv],
            vdot: vec![T::zero(); nv],
        }
    }

    /// Places bodies and contacts at the start of the step.
    pub fn prepare<F: ForceElement<T>>(
        &mut self,
        model: &Model<T, F>,
        start: &State<T>,
        found: &[FoundContact],
    ) -> Result<(), StepError> {
        let (q, v) = (start.q.as_slice(), start.v.as_slice());
        model.tree.set_state(&mut self.tree, q, v)?;
        let tree = &model.tree;
        let workspace = &mut self.contacts.workspace;
        (model.contact).evaluate_at(tree, &self.tree, found, workspace)?;
        tree.joint_damping(&mut self.damping)?;
        for (origin, (body, _)) in self.origins.iter_mut().zip(tree.bodies()) {
            *origin = tree.body_pose(&self.tree, body)?.translation;
        }
        Ok(())
    }

    /// Calls `visit` with every contact: its position in the list of those found, the point, the
    /// relative velocity and the force at the velocity `v`, both in the contact frame.
    pub fn for_each_contact<F: ForceElement<T>>(
        &mut self,
        model: &Model<T, F>,
        softening: T,
        v: &[T],
        visit: impl FnMut(usize, &PointContact<T>, Vector3<T>, Vector3<T>),
    ) -> Result<(), StepError> {
        (self.contacts).for_each(model, (&self.tree, &self.origins), softening, v, visit)
    }

    /// Evaluates the balance at the velocity `v` at the end of the step.
    pub fn residual<F: ForceElement<T>>(
        &mut self,
        model: &Model<T, F>,
        softening: T,
        start: &State<T>,
        tau: &[T],
        v: &[T],
        residual: &mut [T],
    ) -> Result<(), StepError> {
        let (dt, forces) = (model.time_step, &mut self.forces);
        let origins = &self.origins;
        forces.clear();
        let placed = (&self.tree, origins.as_slice());
        (self.contacts).for_each(model, placed, softening, v, |_, point, _, force| {
            let (a, b) = (point.body_a.get(), point.body_b.get());
            let on_bodies = forces.on_bodies_mut();
            on_bodies[a] += point.force_about(&force, &origins[a]);
            on_bodies[b] -= point.force_about(&force, &origins[b]);
        })?;
        let velocities = &self.contacts.velocities;
        let context = ForceContext::with_velocities(&model.tree, &self.tree, v, velocities)?;
        model.forces.add_forces(&context, forces)?;
        for ((a, &v), &v0) in self.vdot.iter_mut().zip(v).zip(start.v.iter()) {
            *a = (v - v0) / dt;
        }
        let external = Some(forces.on_bodies());
        (model.tree).inverse_dynamics(&mut self.tree, &self.vdot, external, residual)?;
        for (i, r) in residual.iter_mut().enumerate() {
            *r = (*r + self.damping[i] * v[i] - tau[i] - self.forces.generalized()[i]) * dt;
        }
        Ok(())
    }
}

impl<T: Scalar> Contacts<T> {
    fn for_each<F: ForceElement<T>>(
        &mut self,
        model: &Model<T, F>,
        (tree, origins): (&TreeWorkspace<T>, &[Vector3<T>]),
        softening: T,
        v: &[T],
        mut visit: impl FnMut(usize, &PointContact<T>, Vector3<T>, Vector3<T>),
    ) -> Result<(), StepError> {
        let Contacts {
            workspace,
            velocities,
        } = self;
        model.tree.body_velocities(tree, v, velocities)?;
        for (index, point) in workspace.points.iter().enumerate() {
            let (a, b) = (point.body_a.get(), point.body_b.get());
            let velocity = point
                .relative_velocity((&velocities[a], &origins[a]), (&velocities[b], &origins[b]));
            let normal = NormalLaw {
                x0: point.penetration,
                stiffness: point.material.stiffness,
                dissipation: point.material.dissipation,
            }
            .force(model.time_step, velocity.z);
            let [t1, t2] = FrictionLaw {
                mu: point.material.friction,
                stiction_tolerance: model.stiction_tolerance,
                softening,
            }
            .force(normal, [velocity.x, velocity.y]);
            visit(index, point, velocity, Vector3::new(t1, t2, normal));
        }
        Ok(())
    }
}
