//! Regressors: forces, momentum and energies as linear functions of the standard parameters.
//!
//! # Mathematics
//! The [standard parameters](RigidBodyTree::standard_parameters) `π` are linear in the mass
//! distribution, and so is all of dynamics:
//!
//! ```text
//! M v̇ + C(q, v) v − τ_g + d v + f sign v = Y(q, v, v̇) π
//! ```
//!
//! With the axes `b_i` of B and everything expressed in W about Bo, the force that the motion of a
//! body takes has these columns, where `a` is the acceleration of Bo less that of gravity:
//!
//! | column | torque | force |
//! |---|---|---|
//! | m | 0 | a |
//! | h_i | b_i × a | α × b_i + w × (w × b_i) |
//! | J_ij | E α + w × E w | 0 |
//!
//! with `E = b_i b_jᵀ + b_j b_iᵀ`, half of it on the diagonal. Carried inwards along the path to the
//! world, each column leaves its component on the axes of every joint it passes: the rows of the
//! joints that carry the body, O(n · depth) of them. All others are zero.
//!
//! # Reference
//! Atkeson, An & Hollerbach 1986, *Estimation of inertial parameters of manipulator loads and links*,
//! Int. J. Robotics Research 5(3), 101–119; Gautier & Khalil 1988 for energies.

use super::error::TreeError;
use super::index::BodyIndex;
use super::inertia::Inertia;
use super::inverse_dynamics::inertial_force;
use super::rigid_body_tree::RigidBodyTree;
use super::standard_parameters::{ENTRIES, PER_BODY, PER_DOF, dof_parameters};
use super::workspace::TreeWorkspace;
use crate::math::{SpatialAcceleration, SpatialForce, SpatialVelocity};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, Matrix3, Vector3};

/// Where a body is and how it moves, expressed in W.
struct BodyMotion<T> {
    mobilized: usize,
    rotation: Matrix3<T>,
    /// Bo from the origin of the mobilized body.
    offset: Vector3<T>,
    /// About Bo.
    velocity: SpatialVelocity<T>,
}

impl<T: Scalar> RigidBodyTree<T> {
    /// The matrix `Y(q, v, v̇)`, velocity coordinates × [standard
    /// parameters](Self::standard_parameters) `π`, for which `Y π` are the generalized forces that cause
    /// the accelerations `vdot` against inertia, gravity, viscous damping `d v` and dry friction
    /// `f sign v` of the joints: the [inverse dynamics](Self::inverse_dynamics) without external forces,
    /// less the [damping forces](Self::joint_damping_forces), and `f sign v` (0 at rest).
    ///
    /// Columns of bodies that are [anchored](Self::is_anchored) are zero.
    ///
    /// ```
    /// # use dualbody::math::{RigidTransform, SpatialInertia};
    /// # use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
    /// # use nalgebra::{DMatrix, DVector, Vector3};
    /// let mut builder = RigidBodyTreeBuilder::<f64>::new();
    /// let bob = SpatialInertia::point_mass(2.0, Vector3::new(0.0, 0.0, -0.5));
    /// let bob = builder.add_body("bob", bob)?;
    /// let hinge = JointKind::Revolute { axis: Vector3::y() };
    /// builder.add_joint("hinge", hinge, BodyIndex::WORLD, RigidTransform::identity(), bob)?;
    /// let tree = builder.finish()?;
    /// let mut workspace = tree.workspace();
    /// tree.set_state(&mut workspace, &[0.3], &[1.0])?;
    /// let mut regressor = DMatrix::zeros(1, tree.num_standard_parameters());
    /// tree.torque_regressor(&mut workspace, &[4.0], &mut regressor)?;
    /// let tau = &regressor * tree.standard_parameter_values();
    /// // m l² v̇ + m g l sin q
    /// assert!((tau[0] - (0.5 * 4.0 + 9.81 * 0.3f64.sin())).abs() < 1e-14);
    /// # Ok::<(), dualbody::tree::TreeError>(())
    /// ```
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when a size is wrong or an entry not finite,
    /// [`TreeError::ForeignWorkspace`], [`TreeError::OutdatedWorkspace`].
    #[inline(never)]
    pub fn torque_regressor(
        &self,
        workspace: &mut TreeWorkspace<T>,
        vdot: &[T],
        regressor: &mut DMatrix<T>,
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        self.check_velocity_vector("vdot", vdot)?;
        self.check_regressor(regressor, self.num_velocities)?;
        self.propagate_accelerations(workspace, -self.gravity, |coordinate| vdot[coordinate]);
        regressor.fill(T::zero());
        for (body, start) in (1..self.bodies.len()).zip((0..).step_by(PER_BODY)) {
            let (motion, forces) = self.unit_forces(workspace, body);
            self.project_to_joints(workspace, &motion, forces, |coordinate, k, component| {
                regressor[(coordinate, start + k)] += component;
            });
        }
        let mut column = self.joint_parameters_start();
        for joint in &self.joints {
            // A follower moves by the multiplier, and its force acts through it.
            let multiplier = joint.multiplier();
            let dofs = joint.velocity_start..joint.velocity_start + joint.damping.len();
            for (coordinate, k) in dofs.zip((column..).step_by(PER_DOF)) {
                let v = workspace.v[coordinate];
                let rate = v.re() * multiplier.re();
                let sign = if rate == 0.0 { 0.0 } else { rate.signum() };
                regressor[(coordinate, k)] = multiplier * multiplier * v;
                regressor[(coordinate, k + 1)] = multiplier * sign;
                regressor[(coordinate, k + 2)] = multiplier * multiplier * vdot[coordinate];
            }
            column += dof_parameters(joint);
        }
        Ok(InvalidInput::check_finite(
            "regressor",
            regressor.as_slice(),
        )?)
    }

    /// Calls `add` with the number of a change, a coordinate, and how much more generalized force the accelerations for
    /// which the workspace has [derivatives of inverse dynamics](Self::inverse_dynamics_derivatives) take there by the
    /// change. A change is of the ten standard parameters of a body.
    pub(crate) fn for_each_force_of_changes<'c>(
        &self,
        workspace: &TreeWorkspace<T>,
        changes: impl Iterator<Item = (BodyIndex, &'c [T; PER_BODY])>,
        mut add: impl FnMut(usize, usize, T),
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        for (number, (body, change)) in changes.enumerate() {
            self.body(body)?;
            let motion = self.body_motion(workspace, body.get());
            let acceleration = motion.acceleration(workspace);
            let inertia = Inertia::from_standard_parameters(change);
            let h = motion.rotation * inertia.first_moment;
            let w = &motion.velocity.angular;
            let force = inertial_force(&inertia, &motion.rotation, &h, w, &acceleration);
            self.project_to_joints(workspace, &motion, [force], |coordinate, _, component| {
                add(number, coordinate, component);
            });
        }
        Ok(())
    }

    /// The matrix, 6 × [standard parameters](Self::standard_parameters), whose product with them is the
    /// [momentum](Self::momentum) of all bodies about the point at `p_WQ`, expressed in W: angular
    /// in N m s, then linear in N s. Columns of joints are zero.
    ///
    /// # Errors
    /// As [`Self::torque_regressor`].
    #[inline(never)]
    pub fn momentum_regressor(
        &self,
        workspace: &TreeWorkspace<T>,
        p_wq: &Vector3<T>,
        regressor: &mut DMatrix<T>,
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        InvalidInput::check_finite("p_WQ", p_wq.as_slice())?;
        self.check_regressor(regressor, 6)?;
        regressor.fill(T::zero());
        for (body, start) in (1..self.bodies.len()).zip((0..).step_by(PER_BODY)) {
            let motion = self.body_motion(workspace, body);
            let p = workspace.positions[motion.mobilized].pose.translation + motion.offset - p_wq;
            for (k, momentum) in motion.momenta().into_iter().enumerate() {
                let mut column = regressor.column_mut(start + k);
                let about_q = momentum.shift(&-p);
                column.rows_mut(0, 3).copy_from(&about_q.torque);
                column.rows_mut(3, 3).copy_from(&about_q.force);
            }
        }
        Ok(InvalidInput::check_finite(
            "regressor",
            regressor.as_slice(),
        )?)
    }

    /// The matrix, 2 × [standard parameters](Self::standard_parameters), whose product with them is the
    /// [kinetic](Self::kinetic_energy) and the [potential energy](Self::potential_energy) in J.
    ///
    /// Between two moments their sum changes by the work of the forces, `∫ vᵀ(τ − d v − f sign v) dt`:
    /// an equation for the parameters without accelerations (Gautier & Khalil 1988, *On the
    /// identification of the inertial parameters of robots*, IEEE Conf. Decision and Control, 2264–2269).
    /// The rows of damping and friction are `∫ v² dt` and `∫ |v| dt`; here their columns are zero.
    ///
    /// # Errors
    /// As [`Self::torque_regressor`].
    #[inline(never)]
    pub fn energy_regressor(
        &self,
        workspace: &TreeWorkspace<T>,
        regressor: &mut DMatrix<T>,
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        self.check_regressor(regressor, 2)?;
        regressor.fill(T::zero());
        for (body, start) in (1..self.bodies.len()).zip((0..).step_by(PER_BODY)) {
            let motion = self.body_motion(workspace, body);
            for (k, momentum) in motion.momenta().into_iter().enumerate() {
                regressor[(0, start + k)] = momentum.power(&motion.velocity) * 0.5;
            }
            let origin = workspace.positions[motion.mobilized].pose.translation + motion.offset;
            regressor[(1, start)] = -self.gravity.dot(&origin);
            for k in 0..3 {
                regressor[(1, start + 1 + k)] = -self.gravity.dot(&motion.rotation.column(k));
            }
        }
        let mut column = self.joint_parameters_start();
        for joint in &self.joints {
            let multiplier = joint.multiplier();
            for k in 0..joint.damping.len() {
                let rate = workspace.v[joint.velocity_start + k] * multiplier;
                regressor[(0, column + PER_DOF * k + 2)] = rate * rate * 0.5;
            }
            column += dof_parameters(joint);
        }
        Ok(InvalidInput::check_finite(
            "regressor",
            regressor.as_slice(),
        )?)
    }

    fn check_regressor(&self, regressor: &DMatrix<T>, rows: usize) -> Result<(), TreeError> {
        let (expected, columns) = (self.num_standard_parameters(), regressor.ncols());
        InvalidInput::check_size("rows of the regressor", regressor.nrows(), rows)?;
        Ok(InvalidInput::check_size(
            "columns of the regressor",
            columns,
            expected,
        )?)
    }

    fn body_motion(&self, workspace: &TreeWorkspace<T>, body: usize) -> BodyMotion<T> {
        let body = &self.bodies[body];
        let r = &workspace.positions[body.mobilized].pose.rotation;
        let velocity = &workspace.velocities[body.mobilized].spatial;
        let (rotation, offset) = match &body.welded_pose {
            None => (*r, Vector3::zeros()),
            Some(pose) => (r * pose.rotation, r * pose.translation),
        };
        BodyMotion {
            mobilized: body.mobilized,
            rotation,
            offset,
            velocity: velocity.shift(&offset),
        }
    }

    /// The motion of a body, and the forces about Bo that unit parameters take at the accelerations of the workspace.
    fn unit_forces(
        &self,
        workspace: &TreeWorkspace<T>,
        body: usize,
    ) -> (BodyMotion<T>, [SpatialForce<T>; PER_BODY]) {
        let motion = self.body_motion(workspace, body);
        let forces = motion.forces(&motion.acceleration(workspace));
        (motion, forces)
    }

    /// Calls `add` with coordinate, index of the force and component for every joint that carries
    /// forces on a body about Bo.
    fn project_to_joints<const N: usize>(
        &self,
        workspace: &TreeWorkspace<T>,
        motion: &BodyMotion<T>,
        mut forces: [SpatialForce<T>; N],
        mut add: impl FnMut(usize, usize, T),
    ) {
        let (mut at, mut shift) = (motion.mobilized, motion.offset);
        while at != 0 {
            let m = &self.mobilized[at];
            let axes = &workspace.axes[m.columns.clone()];
            for (k, force) in forces.iter_mut().enumerate() {
                *force = force.shift(&-shift);
                for (column, axis) in self.columns[m.columns.clone()].iter().zip(axes) {
                    add(column.coordinate, k, column.component(axis, force));
                }
            }
            (at, shift) = (m.parent, workspace.positions[at].offset);
        }
    }
}

impl<T: Scalar> BodyMotion<T> {
    /// Of Bo, less that of gravity, at the accelerations of the workspace.
    fn acceleration(&self, workspace: &TreeWorkspace<T>) -> SpatialAcceleration<T> {
        workspace.accelerations[self.mobilized].shift(&self.offset, &self.velocity.angular)
    }

    fn axis(&self, i: usize) -> Vector3<T> {
        self.rotation.column(i).into()
    }

    /// `E x` of each entry of the inertia.
    fn inertia_columns(&self, x: &Vector3<T>) -> [Vector3<T>; 6] {
        let components = self.rotation.tr_mul(x);
        ENTRIES.map(|(i, j)| match i == j {
            true => self.axis(i) * components[i],
            false => self.axis(i) * components[j] + self.axis(j) * components[i],
        })
    }

    /// The forces about Bo that unit parameters take.
    fn forces(&self, acceleration: &SpatialAcceleration<T>) -> [SpatialForce<T>; PER_BODY] {
        let (w, a) = (&self.velocity.angular, &acceleration.linear);
        let alpha = &acceleration.angular;
        let mut forces = [SpatialForce::new(Vector3::zeros(), *a); PER_BODY];
        for i in 0..3 {
            let b = self.axis(i);
            forces[1 + i] = SpatialForce::new(b.cross(a), alpha.cross(&b) + w.cross(&w.cross(&b)));
        }
        let columns = self
            .inertia_columns(alpha)
            .into_iter()
            .zip(self.inertia_columns(w));
        for (force, (rate, momentum)) in forces[4..].iter_mut().zip(columns) {
            *force = SpatialForce::new(rate + w.cross(&momentum), Vector3::zeros());
        }
        forces
    }

    /// Angular and linear momentum about Bo of unit parameters, as torque and force.
    fn momenta(&self) -> [SpatialForce<T>; PER_BODY] {
        let SpatialVelocity { angular, linear } = &self.velocity;
        let mut momenta = [SpatialForce::new(Vector3::zeros(), *linear); PER_BODY];
        for i in 0..3 {
            let b = self.axis(i);
            momenta[1 + i] = SpatialForce::new(b.cross(linear), angular.cross(&b));
        }
        let columns = self.inertia_columns(angular);
        for (momentum, column) in momenta[4..].iter_mut().zip(columns) {
            *momentum = SpatialForce::new(column, Vector3::zeros());
        }
        momenta
    }
}
