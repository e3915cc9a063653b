//! Inverse dynamics by the recursive Newton–Euler algorithm (RNEA): the forces that a motion takes.
//!
//! # Recursion
//! Outwards, the acceleration of each mobilized body follows from its parent's
//! ([velocity kinematics](super::velocity_kinematics)). With mass `m`, first moment `h = m p_BoBcm`
//! and rotational inertia `J` about Bo, Newton's and Euler's laws give the force that B takes, about
//! Bo:
//!
//! ```text
//! f = m a_Bo + α × h + w × (w × h)
//! τ = J α + w × J w + h × a_Bo
//! ```
//!
//! `J` is constant in B, so `α` and `w` are turned into B and the torque back. Inwards, the force
//! across a joint is that of B and of everything outward of it; its component along a column's axis
//! is the generalized force, `a_k·τ` for a rotation and `a_k·f` for a translation, and shifted by
//! `p_PoBo` it adds to the parent's. Gravity enters as an acceleration `−g` of the world.
//!
//! # Reference
//! Recursive Newton–Euler algorithm: Luh, Walker & Paul 1980, *ASME J. Dyn. Syst. Meas. Control*
//! 102(2), 69–76; Featherstone 2008, *Rigid Body Dynamics Algorithms*, §5.3.

use super::body::Body;
use super::column::ColumnKind;
use super::error::{TreeError, invalid};
use super::inertia::Inertia;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::math::{SpatialAcceleration, SpatialForce, rotation};
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Vector3};

impl<T: Scalar> RigidBodyTree<T> {
    /// Generalized forces `τ = M v̇ + C(q, v) v − τ_g − Σ Jᵀ F` that cause the accelerations `vdot`.
    ///
    /// `τ_g` are the [gravity forces](Self::gravity_forces); `external` holds a force on each body,
    /// torque about the body origin and force, expressed in W. Damping of joints is not part of it:
    /// see [`Self::joint_damping_forces`].
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when a size is wrong or an entry not finite (of the result, when
    /// numbers overflow), [`TreeError::InvalidElement`] for the force on a body that is not, [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`].
    #[doc(alias = "RNEA")]
    #[inline(never)]
    pub fn inverse_dynamics(
        &self,
        workspace: &mut TreeWorkspace<T>,
        vdot: &[T],
        external: Option<&[SpatialForce<T>]>,
        tau: &mut [T],
    ) -> Result<(), TreeError> {
        self.check_velocity_vector("vdot", vdot)?;
        self.check_dynamics(workspace, external, tau)?;
        let world = -self.gravity;
        self.newton_euler(workspace, world, |coordinate| vdot[coordinate]);
        self.subtract_external(workspace, external);
        self.project_forces(workspace, tau);
        self.add_armature_forces(vdot, tau);
        Ok(InvalidInput::check_finite("tau", tau)?)
    }

    /// Generalized forces `C(q, v) v` of Coriolis and centrifugal accelerations, without gravity.
    ///
    /// # Errors
    /// As [`Self::inverse_dynamics`].
    #[inline(never)]
    pub fn bias_forces(
        &self,
        workspace: &mut TreeWorkspace<T>,
        out: &mut [T],
    ) -> Result<(), TreeError> {
        self.check_dynamics(workspace, None, out)?;
        self.newton_euler(workspace, Vector3::zeros(), |_| T::zero());
        self.project_forces(workspace, out);
        Ok(InvalidInput::check_finite("bias forces", out)?)
    }

    /// Generalized forces that gravity applies, `τ_g = −∂V/∂q`, with the
    /// [potential energy](Self::potential_energy) V and derivatives along the velocity coordinates.
    ///
    /// # Errors
    /// As [`Self::inverse_dynamics`].
    #[inline(never)]
    pub fn gravity_forces(
        &self,
        workspace: &mut TreeWorkspace<T>,
        out: &mut [T],
    ) -> Result<(), TreeError> {
        self.check_dynamics(workspace, None, out)?;
        for (i, m) in self.mobilized.iter().enumerate() {
            let h = &workspace.positions[i].first_moment;
            workspace.forces[i] =
                SpatialForce::new(h.cross(&self.gravity), self.gravity * m.inertia.mass);
        }
        self.project_forces(workspace, out);
        Ok(InvalidInput::check_finite("gravity forces", out)?)
    }

    /// Generalized forces `−d v` that the viscous damping of the joints applies.
    ///
    /// # Errors
    /// As [`Self::inverse_dynamics`].
    #[inline(never)]
    pub fn joint_damping_forces(
        &self,
        workspace: &TreeWorkspace<T>,
        out: &mut [T],
    ) -> Result<(), TreeError> {
        self.check_dynamics(workspace, None, out)?;
        self.joint_damping(out)?;
        for (d, &v) in out.iter_mut().zip(&workspace.v) {
            *d = -*d * v;
        }
        Ok(InvalidInput::check_finite("damping forces", out)?)
    }

    /// The viscous damping `d` of each velocity coordinate, in N m s/rad or N s/m.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when the size of `out` is wrong.
    #[inline(never)]
    pub fn joint_damping(&self, out: &mut [T]) -> Result<(), TreeError> {
        self.check_velocity_size("output", out)?;
        out.fill(T::zero());
        for joint in &self.joints {
            // A follower moves by the multiplier, and its force acts through it.
            let ratio = joint.multiplier() * joint.multiplier();
            for (k, &damping) in joint.damping.iter().enumerate() {
                out[joint.velocity_start + k] += damping * ratio;
            }
        }
        Ok(())
    }

    /// Generalized forces `Σ Jᵀ F` of a force on each body: torque about the body origin and force,
    /// expressed in W.
    ///
    /// # Errors
    /// As [`Self::inverse_dynamics`].
    #[inline(never)]
    pub fn generalized_forces(
        &self,
        workspace: &mut TreeWorkspace<T>,
        forces: &[SpatialForce<T>],
        out: &mut [T],
    ) -> Result<(), TreeError> {
        self.check_dynamics(workspace, Some(forces), out)?;
        workspace.forces.fill(SpatialForce::zero());
        self.add_body_forces(workspace, forces, |sum, force| *sum += force);
        self.project_forces(workspace, out);
        Ok(InvalidInput::check_finite("generalized forces", out)?)
    }

    /// The accelerations of all bodies when the velocity coordinates change at the rate `vdot`: for
    /// each body `[α_WB; a_WBo]`, expressed in W.
    ///
    /// These are time derivatives of velocities; an accelerometer measures `a − g`.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when the size of `vdot` is not [`Self::num_velocities`] or that of
    /// `out` not [`Self::num_bodies`], and when numbers overflow; [`TreeError::ForeignWorkspace`],
    /// [`TreeError::OutdatedWorkspace`].
    #[inline(never)]
    pub fn body_accelerations(
        &self,
        workspace: &mut TreeWorkspace<T>,
        vdot: &[T],
        out: &mut [SpatialAcceleration<T>],
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        self.check_velocity_vector("vdot", vdot)?;
        InvalidInput::check_size("accelerations of bodies", out.len(), self.num_bodies())?;
        self.propagate_accelerations(workspace, Vector3::zeros(), |coordinate| vdot[coordinate]);
        for (body, out) in self.bodies.iter().zip(out) {
            *out = body.acceleration(workspace);
            InvalidInput::check_finite("accelerations of bodies", out.to_vector().as_slice())?;
        }
        Ok(())
    }

    /// Checks the arguments that all functions of this kind have.
    pub(super) fn check_dynamics(
        &self,
        workspace: &TreeWorkspace<T>,
        external: Option<&[SpatialForce<T>]>,
        out: &[T],
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        self.check_velocity_size("output", out)?;
        if let Some(forces) = external {
            InvalidInput::check_size("forces on bodies", forces.len(), self.num_bodies())?;
            for (body, force) in self.bodies.iter().zip(forces) {
                (InvalidInput::check_finite("torque", force.torque.as_slice()))
                    .and_then(|()| InvalidInput::check_finite("force", force.force.as_slice()))
                    .map_err(|source| invalid("body", &body.name, source))?;
            }
        }
        Ok(())
    }

    /// Accelerations of all mobilized bodies, from the linear acceleration of the world.
    pub(super) fn propagate_accelerations(
        &self,
        workspace: &mut TreeWorkspace<T>,
        world: Vector3<T>,
        vdot: impl Fn(usize) -> T,
    ) {
        workspace.accelerations[0] = SpatialAcceleration::new(Vector3::zeros(), world);
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let parent = workspace.accelerations[m.parent];
            let offset = &workspace.positions[i].offset;
            let mut acceleration = workspace.velocities[i].bias;
            acceleration.angular += parent.angular;
            acceleration.linear += parent.linear + parent.angular.cross(offset);
            let axes = &workspace.axes[m.columns.clone()];
            for (column, axis) in self.columns[m.columns.clone()].iter().zip(axes) {
                let contribution = axis * vdot(column.coordinate);
                match column.kind {
                    ColumnKind::Rotation => acceleration.angular += contribution,
                    ColumnKind::Translation => acceleration.linear += contribution,
                }
            }
            workspace.accelerations[i] = acceleration;
        }
    }

    /// The force that each mobilized body takes.
    pub(super) fn newton_euler(
        &self,
        workspace: &mut TreeWorkspace<T>,
        world: Vector3<T>,
        vdot: impl Fn(usize) -> T,
    ) {
        self.propagate_accelerations(workspace, world, vdot);
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let position = &workspace.positions[i];
            workspace.forces[i] = inertial_force(
                &m.inertia,
                &position.pose.rotation,
                &position.first_moment,
                &workspace.velocities[i].spatial.angular,
                &workspace.accelerations[i],
            );
        }
        workspace.forces[0] = SpatialForce::zero();
    }

    pub(super) fn subtract_external(
        &self,
        workspace: &mut TreeWorkspace<T>,
        external: Option<&[SpatialForce<T>]>,
    ) {
        if let Some(forces) = external {
            self.add_body_forces(workspace, forces, |sum, force| *sum -= force);
        }
    }

    /// Accumulates forces on bodies to the mobilized bodies that they belong to.
    fn add_body_forces(
        &self,
        workspace: &mut TreeWorkspace<T>,
        forces: &[SpatialForce<T>],
        accumulate: impl Fn(&mut SpatialForce<T>, SpatialForce<T>),
    ) {
        for (body, force) in self.bodies.iter().zip(forces) {
            let force = match &body.welded_pose {
                None => *force,
                Some(pose) => {
                    let r = &workspace.positions[body.mobilized].pose.rotation;
                    force.shift(&-(r * pose.translation))
                }
            };
            accumulate(&mut workspace.forces[body.mobilized], force);
        }
    }

    /// Adds what the armatures of the joints take of accelerations, or have of momentum at velocities.
    pub(crate) fn add_armature_forces(&self, rates: &[T], out: &mut [T]) {
        for column in &self.columns {
            out[column.coordinate] += column.armature * rates[column.coordinate];
        }
    }

    /// Generalized forces of the forces on the mobilized bodies.
    pub(super) fn project_forces(&self, workspace: &mut TreeWorkspace<T>, out: &mut [T]) {
        out.fill(T::zero());
        for (i, m) in self.mobilized.iter().enumerate().skip(1).rev() {
            let force = workspace.forces[i];
            let axes = &workspace.axes[m.columns.clone()];
            for (column, axis) in self.columns[m.columns.clone()].iter().zip(axes) {
                out[column.coordinate] += column.component(axis, &force);
            }
            if m.parent != 0 {
                workspace.forces[m.parent] += force.shift(&-workspace.positions[i].offset);
            }
        }
    }
}

impl<T: Scalar> Body<T> {
    /// The acceleration of its origin, from that of the mobilized body.
    pub(super) fn acceleration(&self, workspace: &TreeWorkspace<T>) -> SpatialAcceleration<T> {
        let acceleration = &workspace.accelerations[self.mobilized];
        match &self.welded_pose {
            None => *acceleration,
            Some(pose) => {
                let r = &workspace.positions[self.mobilized].pose.rotation;
                let w = &workspace.velocities[self.mobilized].spatial.angular;
                acceleration.shift(&(r * pose.translation), w)
            }
        }
    }
}

/// The force about Bo that the motion of a body takes, with its first moment `h` in W.
pub(super) fn inertial_force<T: Scalar>(
    inertia: &Inertia<T>,
    r: &Matrix3<T>,
    h: &Vector3<T>,
    w: &Vector3<T>,
    acceleration: &SpatialAcceleration<T>,
) -> SpatialForce<T> {
    let SpatialAcceleration { angular, linear } = acceleration;
    let (w_b, alpha_b) = (r.tr_mul(w), r.tr_mul(angular));
    let j = &inertia.rotational;
    let torque_b = j.times(&alpha_b) + w_b.cross(&j.times(&w_b));
    SpatialForce {
        torque: rotation::applied(r, &torque_b) + h.cross(linear),
        force: linear * inertia.mass + angular.cross(h) + w.cross(&w.cross(h)),
    }
}
