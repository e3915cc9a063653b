//! Forces across joints in a motion of a system.
//!
//! [Inverse dynamics](RigidBodyTree::joint_reactions) of the accelerations gives them, with all forces on bodies from
//! outside: of force elements and actuators, of contacts, and of constraints that act at points. Generalized forces
//! (motors, limits, and constraints of an own kind) act between the bodies of a joint, and so along its axes alone.

use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use crate::Scalar;
use crate::constraint::{ConstraintForce, TreeConstraint};
use crate::contact::ContactResult;
use crate::force::Forces;
use crate::math::SpatialForce;
use crate::tree::{JointKind, TreeWorkspace};

/// Forces across joints; a workspace.
#[derive(Debug, Clone)]
pub(super) struct JointReactions<T: Scalar> {
    pub external: Forces<T>,
    rows: Vec<T>,
    pub across: Vec<SpatialForce<T>>,
}

impl<T: Scalar> JointReactions<T> {
    pub fn new(system: &RigidBodySystem<T>) -> Self {
        JointReactions {
            external: Forces::new(&system.tree),
            rows: Vec::new(),
            across: vec![SpatialForce::zero(); system.tree.num_joints()],
        }
    }

    /// Adds the forces of contacts to the external ones.
    pub fn add_contacts(
        &mut self,
        system: &RigidBodySystem<T>,
        placed: &TreeWorkspace<T>,
        contacts: &[ContactResult<T>],
    ) -> Result<(), SystemError> {
        for contact in contacts {
            let on_a = SpatialForce::new(contact.torque_on_a(), contact.force_on_a());
            for (body, force) in [(contact.body_a, on_a), (contact.body_b, -on_a)] {
                let origin = system.tree.body_pose(placed, body)?.translation;
                let about_origin = force.shift(&(origin - contact.position));
                self.external.add_on_body(body, &about_origin)?;
            }
        }
        Ok(())
    }

    /// Adds the forces of constraints at points to the external ones.
    pub fn add_constraints(
        &mut self,
        system: &RigidBodySystem<T>,
        placed: &TreeWorkspace<T>,
        forces: &[ConstraintForce<T>],
    ) -> Result<(), SystemError> {
        for (index, constraint) in system.constraints.iter().enumerate() {
            self.rows.clear();
            self.rows.resize(constraint.num_rows(), T::zero());
            let mut acts = false;
            for force in forces.iter().filter(|force| force.constraint == index) {
                self.rows[force.row] = force.force;
                acts = true;
            }
            if !acts {
                continue;
            }
            let Some(at) = constraint.point_force(&system.tree, placed, &self.rows)? else {
                continue;
            };
            let on_a = SpatialForce::new(at.torque, at.force);
            for (body, force) in [(at.body_a, on_a), (at.body_b, -on_a)] {
                let origin = system.tree.body_pose(placed, body)?.translation;
                let about_origin = force.shift(&(origin - at.point));
                self.external.add_on_body(body, &about_origin)?;
            }
        }
        Ok(())
    }

    /// Finds the forces across joints at the state and the accelerations of a motion; none across floating ones.
    pub fn find(
        &mut self,
        system: &RigidBodySystem<T>,
        placed: &mut TreeWorkspace<T>,
        vdot: &[T],
    ) -> Result<&[SpatialForce<T>], SystemError> {
        let external = Some(self.external.on_bodies());
        (system.tree).joint_reactions(placed, vdot, external, &mut self.across)?;
        for (index, joint) in system.tree.joints() {
            if *joint.kind() == JointKind::Floating {
                self.across[index.get()] = SpatialForce::zero();
            }
        }
        Ok(&self.across)
    }
}
