//! URDF: the machine of a description.

use super::model::UrdfModel;
use crate::Scalar;
use crate::actuator::TorqueSource;
use crate::contact::{CollisionGeometry, ContactError, ContactMaterial, ContactModelBuilder};
use crate::geometry::{Shape, signed_distance};
use crate::io::dry_friction::dry_friction;
use crate::math::RigidTransform;
use crate::system::{RigidBodySystem, State, SystemError};
use crate::tree::{BodyIndex, Joint, JointKind, RigidBodyTree};

/// What drives a robot, and what it can touch: the format says nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UrdfSurroundings {
    /// The coefficient of friction of the ground z = 0, a geometry [`FLOOR`](Self::FLOOR); no ground without.
    pub floor: Option<f64>,
    /// Whether the bodies can touch each other, but for geometries that overlap where all coordinates are zero.
    pub self_contact: bool,
    /// What drives it.
    pub drive: UrdfDrive,
}

/// What drives a robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UrdfDrive {
    /// A torque or force at each joint of one coordinate of its own ([`TorqueSource::at_joints`]).
    #[default]
    Joints,
    /// A force on every velocity coordinate ([`RigidBodySystem::with_generalized_forces`]).
    All,
    /// Nothing.
    None,
}

impl UrdfSurroundings {
    /// The name of the ground.
    pub const FLOOR: &'static str = "floor";
}

impl<T: Scalar> UrdfModel<T> {
    /// The machine of a tree that holds the robot, in its surroundings. Where a joint of it has dry friction, it acts: as the force
    /// `ROBOT/friction` ([`JointFriction`](crate::force::JointFriction) with a speed of 0.01 rad/s or m/s). Limits of joints
    /// do not act.
    ///
    /// ```
    /// use dualbody::io::urdf::{UrdfReader, UrdfSurroundings};
    /// use dualbody::system::TimeSteppingRigidBodySystem;
    /// let text = r#"
    /// <robot name="puck">
    ///   <link name="body">
    ///     <inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
    ///     <collision><origin xyz="0 0 0.1"/><geometry><box size="1 1 1"/></geometry></collision>
    ///   </link>
    /// </robot>"#;
    /// let (tree, puck) = UrdfReader::new().tree_from_str::<f64>(text)?;
    /// let ground = UrdfSurroundings { floor: Some(0.5), ..UrdfSurroundings::default() };
    /// let machine = puck.system(tree, &ground)?;
    /// let mut state = machine.initial_state();
    /// puck.stand(&machine, &mut state)?;
    /// assert_eq!(machine.body_pose(&state, "puck/body")?.translation.z, 0.4);
    /// let system = TimeSteppingRigidBodySystem::compliant(machine, 1e-3)?;
    /// assert!(system.rollout(&state, 500)?.last().v.amax() < 1e-3);
    /// # Ok::<(), dualbody::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`SystemError`] for a tree that the robot is not part of, pairs of shapes that have no contact, and a coefficient of
    /// friction that is not one.
    pub fn system(
        &self,
        tree: RigidBodyTree<T>,
        surroundings: &UrdfSurroundings,
    ) -> Result<RigidBodySystem<T>, SystemError> {
        let mut contact = ContactModelBuilder::new();
        for geometry in &self.collision_geometries {
            contact.add_geometry(geometry.clone())?;
        }
        if surroundings.self_contact {
            let mut placed = tree.workspace();
            tree.set_positions(&mut placed, tree.neutral_configuration().as_slice())?;
            contact.exclude_overlapping(&tree, &placed)?;
        } else {
            contact.exclude_within(&self.bodies);
        }
        if let Some(friction) = surroundings.floor {
            contact.add_geometry(CollisionGeometry {
                name: UrdfSurroundings::FLOOR.to_owned(),
                body: BodyIndex::WORLD,
                pose_in_body: RigidTransform::identity(),
                shape: Shape::HalfSpace,
                material: ContactMaterial::rigid(T::from(friction))?,
            })?;
        }
        let contact = contact.finish(&tree)?;
        let friction = dry_friction(&tree, &self.joints, &self.name)?;
        let motors = match surroundings.drive {
            UrdfDrive::Joints => TorqueSource::at_joints(&tree)?,
            UrdfDrive::All | UrdfDrive::None => Vec::new(),
        };
        let system = RigidBodySystem::new(tree, contact)?
            .with_forces(friction)?
            .with_actuators(motors)?;
        match surroundings.drive {
            UrdfDrive::All => system.with_generalized_forces(),
            UrdfDrive::Joints | UrdfDrive::None => Ok(system),
        }
    }

    /// Moves what floats of the robot in the world so that its lowest point is at z = 0; nothing, where it has no geometry.
    ///
    /// # Errors
    /// [`SystemError`] for a state of another machine, and geometries without distance to a plane.
    pub fn stand(
        &self,
        system: &RigidBodySystem<T>,
        state: &mut State<T>,
    ) -> Result<(), SystemError> {
        let (tree, ground) = (system.tree(), RigidTransform::identity());
        let mut placed = tree.workspace();
        tree.set_positions(&mut placed, state.q.as_slice())?;
        let mut lowest = T::from(f64::INFINITY);
        for geometry in &self.collision_geometries {
            let pose = tree.body_pose(&placed, geometry.body)? * geometry.pose_in_body;
            let height = signed_distance(&geometry.shape, &pose, &Shape::HalfSpace, &ground);
            let height = height.map_err(|source| ContactError::Geometry {
                first: geometry.name.clone(),
                second: "z = 0".to_owned(),
                source,
            })?;
            if height.re() < lowest.re() {
                lowest = height;
            }
        }
        let floats = |joint: &&Joint<T>| {
            *joint.kind() == JointKind::Floating
                && joint.parent() == BodyIndex::WORLD
                && self.bodies.contains(&joint.child())
        };
        for joint in (tree.joints().filter(floats)).filter(|_| lowest.re().is_finite()) {
            let mut position = tree.body_pose(&placed, joint.child())?.translation;
            position.z -= lowest;
            system.set_body_position(state, tree.body(joint.child())?.name(), position)?;
        }
        Ok(())
    }
}
