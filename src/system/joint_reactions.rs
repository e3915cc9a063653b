//! Forces across joints in a motion of a system.
//!
//! [Inverse dynamics](RigidBodyTree::joint_reactions) of the accelerations gives them, with all forces on bodies from
//! outside: of force elements and actuators, of contacts, and of constraints that act at points. Generalized forces
//! (motors, limits, and constraints of an own kind) act between the bodies of a joint, and so along its axes alone.

use super::applied_forces::AppliedForces;
use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use crate::Scalar;
use crate::constraint::{ConstraintForce, for_each_point_force};
use crate::contact::ContactResult;
use crate::force::ForceContext;
use crate::math::SpatialForce;
use crate::tree::{JointKind, TreeWorkspace};

/// Forces across joints; a workspace.
#[derive(Debug, Clone)]
pub(super) struct JointReactions<T: Scalar> {
    /// Forces on bodies from outside.
    pub applied: AppliedForces<T>,
    rows: Vec<T>,
    pub across: Vec<SpatialForce<T>>,
}

impl<T: Scalar> JointReactions<T> {
    pub fn new(system: &RigidBodySystem<T>) -> Self {
        JointReactions {
            applied: AppliedForces::new(&system.tree),
            rows: Vec::new(),
            across: vec![SpatialForce::zero(); system.tree.num_joints()],
        }
    }

    /// Adds the forces of contacts to the applied ones.
    pub fn add_contacts(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &TreeWorkspace<T>,
        contacts: &[ContactResult<T>],
    ) -> Result<(), SystemError> {
        let context = ForceContext::new(&system.tree, kinematics);
        for contact in contacts {
            let bodies = [contact.body_a, contact.body_b];
            let on_a = SpatialForce::new(contact.torque_on_a(), contact.force_on_a());
            let forces = &mut self.applied.forces;
            forces.add_between(&context, bodies, &contact.position, &on_a)?;
        }
        Ok(())
    }

    /// Adds the forces of constraints at points to the applied ones.
    pub fn add_constraints(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &TreeWorkspace<T>,
        forces: &[ConstraintForce<T>],
    ) -> Result<(), SystemError> {
        let context = ForceContext::new(&system.tree, kinematics);
        let JointReactions { applied, rows, .. } = self;
        let state = (&system.tree, kinematics);
        for_each_point_force(system.constraints(), state, forces, rows, |_, at| {
            let on_a = SpatialForce::new(at.torque, at.force);
            let bodies = [at.body_a, at.body_b];
            Ok(applied
                .forces
                .add_between(&context, bodies, &at.point, &on_a)?)
        })
    }

    /// Finds the forces across joints at the state and the accelerations of a motion; none across floating ones.
    pub fn find(
        &mut self,
        system: &RigidBodySystem<T>,
        kinematics: &mut TreeWorkspace<T>,
        vdot: &[T],
    ) -> Result<&[SpatialForce<T>], SystemError> {
        let external = Some(self.applied.forces.on_bodies());
        (system.tree).joint_reactions(kinematics, vdot, external, &mut self.across)?;
        for joint in system.tree.joints() {
            let index = joint.index();
            if *joint.kind() == JointKind::Floating {
                self.across[index.get()] = SpatialForce::zero();
            }
        }
        Ok(&self.across)
    }
}
