//! The residual of the momentum balance of a step in the scalar of the caller, at the solution.
//!
//! Inverse dynamics at the velocity `v⁺` at the end of the step gives the residual without a mass
//! matrix or a Jacobian in `T`: with forces `F_c(v⁺)` of the contacts on the bodies, generalized forces
//! `τ_F(q, v⁺)` of force elements and actuators, and impulses λ of the active rows of constraints,
//!
//! ```text
//! r(v⁺, λ) = [δt (ID(q, v, (v⁺ − v)/δt) + D v⁺ − τ_F(q, v⁺) − Σ Jᵀ F_c(v⁺)) − Gᵀ λ;  G v⁺ + k]
//! ```

use super::rows::{Row, StepRows};
use crate::Scalar;
use crate::constraint::ConstraintKind;
use crate::contact::{ContactWorkspace, FoundContact, PointContact};
use crate::force::{ForceContext, Forces};
use crate::math::{RigidTransform, SpatialForce, SpatialVelocity};
use crate::system::applied_forces::Actuation;
use crate::system::error::SystemError;
use crate::system::kinematics::StepKinematics;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::system::stepper::Stepper;
use crate::tree::TreeWorkspace;
use nalgebra::Vector3;

/// The momentum balance of a step; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct MomentumBalance<T: Scalar> {
    contacts: Contacts<T>,
    rows: StepRows<T>,
    forces: Forces<T>,
    damping: Vec<T>,
    vdot: Vec<T>,
}

/// The contacts at the start of the step, and the velocities of the bodies at its end.
#[derive(Debug, Clone)]
struct Contacts<T: Scalar> {
    workspace: ContactWorkspace<T>,
    /// Origins of the bodies in W.
    origins: Vec<Vector3<T>>,
    velocities: Vec<SpatialVelocity<T>>,
}

/// A contact with its relative motion, and torque and force, in the contact frame.
pub(in crate::system) type PointForce<'a, T> =
    (&'a PointContact<T>, SpatialVelocity<T>, SpatialForce<T>);

impl<T: Scalar> Contacts<T> {
    /// The contacts at the velocities of the bodies, as [`MomentumBalance::contacts`].
    fn at_velocities(&self, interval: &Interval<'_, T>) -> impl Iterator<Item = PointForce<'_, T>> {
        let Stepper {
            system, time_step, ..
        } = interval.stepper;
        let law = system.regularization.contact_law(time_step);
        self.workspace.points.iter().map(move |point| {
            let [a, b] = [point.body_a.get(), point.body_b.get()]
                .map(|body| (&self.velocities[body], &self.origins[body]));
            let motion = point.relative_motion(a, b);
            let force = point.wrench(&law, &motion);
            (point, motion, force)
        })
    }
}

/// A step: where it starts, and what drives it.
#[derive(Debug)]
pub(in crate::system) struct Interval<'a, T: Scalar> {
    pub stepper: Stepper<'a, T>,
    pub start: &'a State<T>,
    pub input: &'a [T],
}

impl<T: Scalar> MomentumBalance<T> {
    pub fn new(system: &RigidBodySystem<T>) -> Self {
        let tree = &system.tree;
        let (bodies, nv) = (tree.num_bodies(), tree.num_velocities());
        MomentumBalance {
            contacts: Contacts {
                workspace: ContactWorkspace::new(),
                origins: vec![Vector3::zeros(); bodies],
                velocities: vec![SpatialVelocity::zero(); bodies],
            },
            rows: StepRows::default(),
            forces: Forces::new(tree),
            damping: vec![T::zero(); nv],
            vdot: vec![T::zero(); nv],
        }
    }

    /// Places bodies, contacts and constraints at the start of the step.
    pub fn place(
        &mut self,
        interval: &Interval<'_, T>,
        kinematics: &mut StepKinematics<T>,
        found: &[FoundContact],
    ) -> Result<(), SystemError> {
        let Interval { stepper, start, .. } = interval;
        let (system, dt) = (stepper.system, stepper.time_step);
        let tree = &system.tree;
        let state = (start.q.as_slice(), start.v.as_slice());
        kinematics.place(tree, state, dt, stepper.is_substep)?;
        let kinematics = &kinematics.bodies;
        (system.contact).evaluate_at(tree, kinematics, found, &mut self.contacts.workspace)?;
        tree.joint_damping(&mut self.damping)?;
        for (origin, body) in self.contacts.origins.iter_mut().zip(tree.bodies()) {
            *origin = tree.body_pose(kinematics, body.index())?.translation;
        }
        (self.rows).evaluate(system, kinematics, (start.time + dt, dt))?;
        Ok(())
    }

    /// Evaluates what the forces of actuators contribute to the balance, `−δt τ`, at the velocity `v` at the
    /// end of the step.
    pub fn actuation(
        &mut self,
        interval: &Interval<'_, T>,
        kinematics: &mut TreeWorkspace<T>,
        v: &[T],
        balance: &mut [T],
    ) -> Result<(), SystemError> {
        let Interval {
            stepper,
            start,
            input,
        } = interval;
        let (system, dt) = (stepper.system, stepper.time_step);
        let (tree, forces) = (&system.tree, &mut self.forces);
        let velocities = &mut self.contacts.velocities;
        tree.body_velocities(kinematics, v, velocities)?;
        let context = ForceContext::with_velocities(tree, kinematics, v, velocities)?
            .at_time(start.time)
            .over_step(dt);
        forces.clear();
        let state = start.actuators.as_slice();
        (system.actuators).add_forces(&context, input, state, forces)?;
        forces.project(tree, kinematics, balance)?;
        balance.iter_mut().for_each(|r| *r *= -dt);
        Ok(())
    }

    /// The contacts in the order in which they were found: the point, the relative motion, and the torque and the force at
    /// the velocity `v`, both in the contact frame.
    pub fn contacts(
        &mut self,
        interval: &Interval<'_, T>,
        kinematics: &TreeWorkspace<T>,
        v: &[T],
    ) -> Result<impl Iterator<Item = PointForce<'_, T>>, SystemError> {
        let velocities = &mut self.contacts.velocities;
        (interval.stepper.system.tree).body_velocities(kinematics, v, velocities)?;
        Ok(self.contacts.at_velocities(interval))
    }

    /// The poses of the geometries of a pair that has contacts.
    pub fn poses_of(&self, system: &RigidBodySystem<T>, pair: usize) -> [RigidTransform<T>; 2] {
        self.contacts.workspace.poses_of(&system.contact, pair)
    }

    /// Calls `visit` with every inequality: its row, and its value `g·v + k` at the velocity `v`.
    pub fn for_each_inequality(&self, v: &[T], mut visit: impl FnMut(&Row<T>, T)) {
        for i in 0..self.rows.len() {
            let row = self.rows.get(i);
            if row.kind == ConstraintKind::Unilateral {
                visit(row, self.rows.rate(i, v) + row.k);
            }
        }
    }

    /// Evaluates balance and constraints at the velocity `v⁺` at the end of the step and the impulses of
    /// the `active` rows, together `x`.
    pub fn residual(
        &mut self,
        interval: &Interval<'_, T>,
        kinematics: &mut StepKinematics<T>,
        active: &[usize],
        x: &[T],
        residual: &mut [T],
    ) -> Result<(), SystemError> {
        let Interval {
            stepper,
            start,
            input,
        } = interval;
        let (system, dt) = (stepper.system, stepper.time_step);
        let tree = &system.tree;
        let (v, impulses) = x.split_at(tree.num_velocities());
        let (balance, errors) = residual.split_at_mut(v.len());
        let MomentumBalance {
            contacts, forces, ..
        } = self;
        tree.body_velocities(&kinematics.bodies, v, &mut contacts.velocities)?;
        forces.clear();
        let on_bodies = forces.on_bodies_mut();
        for (point, _, force) in contacts.at_velocities(interval) {
            let (a, b) = (point.body_a.get(), point.body_b.get());
            on_bodies[a] += point.force_about(&force, &contacts.origins[a]);
            on_bodies[b] -= point.force_about(&force, &contacts.origins[b]);
        }
        if let Some(carrying) = kinematics.fast_rotation.forces() {
            (on_bodies.iter_mut().zip(carrying)).for_each(|(sum, &force)| *sum += force);
        }
        let velocities = &contacts.velocities;
        let context = ForceContext::with_velocities(tree, &kinematics.bodies, v, velocities)?
            .at_time(start.time)
            .over_step(dt);
        system.add_forces(&context, Actuation::of(start, input, dt), forces)?;
        for ((a, &v), &v0) in self.vdot.iter_mut().zip(v).zip(start.v.iter()) {
            *a = (v - v0) / dt;
        }
        let external = Some(self.forces.on_bodies());
        let StepKinematics { bodies, free, .. } = kinematics;
        tree.inverse_dynamics(bodies, &self.vdot, external, balance)?;
        tree.add_gyroscopic_forces(free, bodies, -T::one(), balance);
        let generalized = self.forces.generalized();
        for (i, r) in balance.iter_mut().enumerate() {
            *r = (*r + self.damping[i] * v[i] - generalized[i]) * dt;
        }
        for ((&i, &impulse), error) in active.iter().zip(impulses).zip(errors) {
            *error = self.rows.rate(i, v) + self.rows.get(i).k;
            for (r, g) in balance.iter_mut().zip(self.rows.direction(i)) {
                *r -= g * impulse;
            }
        }
        Ok(())
    }
}
