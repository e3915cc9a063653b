//! Building a tree from bodies, joints and frames.

use super::body::{Body, Frame};
use super::error::{TreeError, invalid};
use super::index::{BodyIndex, FrameIndex, JointIndex};
use super::joint::{Joint, JointKind, JointLimits, Mimic};
use super::mounting::Mounting;
use super::rigid_body_tree::RigidBodyTree;
use super::validation::{check_inertia, check_pose, check_position_limits, with_unit_axes};
use crate::math::{RigidTransform, SpatialInertia};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;
use std::collections::HashSet;

/// Collects the bodies, joints and frames of a [`RigidBodyTree`].
///
/// Indices that the builder hands out hold in the finished tree.
///
/// ```
/// use dualbody::math::{RigidTransform, SpatialInertia};
/// use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
/// use nalgebra::Vector3;
///
/// // A point mass of 2 kg on a massless rod of 0.5 m that swings about the world's y axis.
/// let mut builder = RigidBodyTreeBuilder::<f64>::new();
/// let bob = SpatialInertia::point_mass(2.0, Vector3::new(0.0, 0.0, -0.5));
/// let bob = builder.add_body("pendulum/bob", bob)?;
/// let hinge = JointKind::Revolute { axis: Vector3::y() };
/// let at_origin = RigidTransform::identity();
/// let hinge = builder.add_joint("pendulum/hinge", hinge, BodyIndex::WORLD, at_origin, bob)?;
/// builder.set_damping(hinge, &[0.1])?;
/// let tree = builder.finish()?;
///
/// let mut workspace = tree.workspace();
/// tree.set_state(&mut workspace, &[0.3], &[0.0])?;
/// let mut acceleration = [0.0];
/// tree.forward_dynamics(&mut workspace, &[0.0], None, &mut acceleration)?;
/// assert!((acceleration[0] + 9.81 / 0.5 * 0.3f64.sin()).abs() < 1e-12);
/// # Ok::<(), dualbody::tree::TreeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RigidBodyTreeBuilder<T> {
    bodies: Vec<Body<T>>,
    joints: Vec<Joint<T>>,
    frames: Vec<Frame<T>>,
    gravity: Vector3<T>,
    body_names: HashSet<String>,
    joint_names: HashSet<String>,
    frame_names: HashSet<String>,
}

impl<T: Scalar> Default for RigidBodyTreeBuilder<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Scalar> RigidBodyTreeBuilder<T> {
    /// The world alone, with gravity (0, 0, −9.81) m/s².
    #[inline(never)]
    pub fn new() -> Self {
        RigidBodyTreeBuilder {
            bodies: vec![Body::new(
                BodyIndex::WORLD,
                "world".to_owned(),
                SpatialInertia::zero(),
                true,
            )],
            joints: vec![],
            frames: vec![],
            gravity: Vector3::new(T::zero(), T::zero(), T::from(-9.81)),
            body_names: HashSet::from(["world".to_owned()]),
            joint_names: HashSet::new(),
            frame_names: HashSet::new(),
        }
    }

    /// Adds a body with its mass properties in its own frame.
    ///
    /// They must be those of a distribution of mass, as [`SpatialInertia::validate`] tests it with the
    /// tolerance 1e-6; point masses, rods and plates are. Setting parameters of the tree is held to
    /// the same.
    ///
    /// # Errors
    /// [`TreeError::EmptyName`], [`TreeError::DuplicateName`], and [`TreeError::InvalidElement`]
    /// for mass properties that are not acceptable.
    pub fn add_body(
        &mut self,
        name: impl Into<String>,
        inertia: SpatialInertia<T>,
    ) -> Result<BodyIndex, TreeError> {
        self.push_body(name.into(), inertia, true)
    }

    /// Adds a body whose rotational inertia need not be one that a distribution of mass can have.
    ///
    /// Descriptions of real robots hold such figures, rounded or made up. They are used as they
    /// stand: a mass matrix that is not positive definite may come of them. Setting parameters of
    /// this body is not held to more.
    ///
    /// # Errors
    /// [`TreeError::EmptyName`], [`TreeError::DuplicateName`], and [`TreeError::InvalidElement`]
    /// when the mass is neither zero nor between 1e-150 and 1e150 kg, the rotational inertia is not
    /// symmetric or an entry not finite.
    pub fn add_body_as_given(
        &mut self,
        name: impl Into<String>,
        inertia: SpatialInertia<T>,
    ) -> Result<BodyIndex, TreeError> {
        self.push_body(name.into(), inertia, false)
    }

    pub(super) fn push_body(
        &mut self,
        name: String,
        mut inertia: SpatialInertia<T>,
        is_checked: bool,
    ) -> Result<BodyIndex, TreeError> {
        check_new_name("body", "bodies", &name, &self.body_names)?;
        check_inertia(&inertia, is_checked).map_err(|e| invalid("body", &name, e))?;
        // As it is after parameters have been set: symmetric to the last bit.
        (inertia.rotational_inertia).fill_lower_triangle_with_upper_triangle();
        self.body_names.insert(name.clone());
        let index = BodyIndex::new(self.bodies.len());
        let body = Body::new(index, name, inertia, is_checked);
        self.bodies.push(body);
        Ok(index)
    }

    /// Adds a joint by which `parent` carries `child`.
    ///
    /// `pose_in_parent` is the pose `X_PF` of the joint's frame on the parent. The frame of the
    /// child coincides with it when the coordinates are zero.
    ///
    /// # Errors
    /// [`TreeError::EmptyName`], [`TreeError::DuplicateName`], [`TreeError::NoSuchBody`],
    /// [`TreeError::TwoInboardJoints`], and [`TreeError::InvalidElement`] for an axis of length
    /// zero, axes of a planar joint that are not perpendicular, a matrix that is not a rotation or
    /// an entry that is not finite.
    pub fn add_joint(
        &mut self,
        name: impl Into<String>,
        kind: JointKind<T>,
        parent: BodyIndex,
        pose_in_parent: RigidTransform<T>,
        child: BodyIndex,
    ) -> Result<JointIndex, TreeError> {
        let name = name.into();
        let kind = with_unit_axes(kind).map_err(|e| invalid("joint", &name, e))?;
        check_pose(&pose_in_parent).map_err(|e| invalid("joint", &name, e))?;
        self.push_checked_joint(name, kind, parent, Mounting::new(pose_in_parent), child)
    }

    /// Adds a joint whose axes and pose make sense.
    pub(super) fn push_checked_joint(
        &mut self,
        name: String,
        kind: JointKind<T>,
        parent: BodyIndex,
        mounting: Mounting<T>,
        child: BodyIndex,
    ) -> Result<JointIndex, TreeError> {
        check_new_name("joint", "joints", &name, &self.joint_names)?;
        self.check_body(parent)?;
        self.check_body(child)?;
        let taken = |reason: String| TreeError::TwoInboardJoints {
            joint: name.clone(),
            body: self.bodies[child.get()].name.clone(),
            reason,
        };
        if child == BodyIndex::WORLD {
            return Err(taken("nothing carries the world".to_owned()));
        }
        if let Some(other) = self.bodies[child.get()].inboard_joint {
            let other = &self.joints[other.get()].name;
            return Err(taken(format!("joint {other:?} already does")));
        }
        Ok(self.push_joint(name, kind, parent, mounting, child))
    }

    /// Adds a frame that is fixed on a body, with the pose `X_BF`.
    ///
    /// # Errors
    /// [`TreeError::EmptyName`], [`TreeError::DuplicateName`], [`TreeError::NoSuchBody`], and
    /// [`TreeError::InvalidElement`] for a matrix that is not a rotation or an entry that is not
    /// finite.
    pub fn add_frame(
        &mut self,
        name: impl Into<String>,
        body: BodyIndex,
        pose_in_body: RigidTransform<T>,
    ) -> Result<FrameIndex, TreeError> {
        let name = name.into();
        check_pose(&pose_in_body).map_err(|e| invalid("frame", &name, e))?;
        self.push_frame(name, body, Mounting::new(pose_in_body))
    }

    /// Adds a frame whose pose makes sense.
    pub(super) fn push_frame(
        &mut self,
        name: String,
        body: BodyIndex,
        mounting: Mounting<T>,
    ) -> Result<FrameIndex, TreeError> {
        check_new_name("frame", "frames", &name, &self.frame_names)?;
        self.check_body(body)?;
        self.frame_names.insert(name.clone());
        let index = FrameIndex::new(self.frames.len());
        self.frames.push(Frame {
            index,
            name,
            body,
            mounting,
        });
        Ok(index)
    }

    /// Sets the acceleration of gravity, expressed in W, in m/s².
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when an entry is not finite.
    #[inline(never)]
    pub fn set_gravity(&mut self, gravity: Vector3<T>) -> Result<(), TreeError> {
        InvalidInput::check_finite("gravity", gravity.as_slice())?;
        self.gravity = gravity;
        Ok(())
    }

    /// Sets the viscous damping of each degree of freedom of a joint, in N m s/rad or N s/m.
    ///
    /// # Errors
    /// [`TreeError::NoSuchJoint`], and [`TreeError::InvalidElement`] when the number of values is
    /// not that of the degrees of freedom or one is negative or not finite.
    #[inline(never)]
    pub fn set_damping(&mut self, joint: JointIndex, damping: &[T]) -> Result<(), TreeError> {
        self.set_not_negative("damping", joint, damping, |j| &mut j.damping)
    }

    /// Sets the magnitude of Coulomb friction of each degree of freedom of a joint, in N m or N.
    ///
    /// # Errors
    /// As [`Self::set_damping`].
    #[inline(never)]
    pub fn set_friction(&mut self, joint: JointIndex, friction: &[T]) -> Result<(), TreeError> {
        self.set_not_negative("friction", joint, friction, |j| &mut j.friction)
    }

    /// Sets the inertia that each degree of freedom of a joint has beside that of the bodies, in kg m² or
    /// kg, as [`Joint::armature`](super::Joint::armature) says.
    ///
    /// # Errors
    /// As [`Self::set_damping`].
    #[inline(never)]
    pub fn set_armature(&mut self, joint: JointIndex, armature: &[T]) -> Result<(), TreeError> {
        self.set_not_negative("armature", joint, armature, |j| &mut j.armature)
    }

    /// Sets the range of each position coordinate of a joint, in rad or m.
    ///
    /// # Errors
    /// [`TreeError::NoSuchJoint`], and [`TreeError::InvalidElement`] when the number of values is
    /// not that of the position coordinates, or there is no number from a lower limit to the upper.
    #[inline(never)]
    pub fn set_position_limits(
        &mut self,
        joint: JointIndex,
        lower: &[T],
        upper: &[T],
    ) -> Result<(), TreeError> {
        self.update_joint(joint, |j| {
            let n = j.kind.num_positions();
            InvalidInput::check_size("lower limits", lower.len(), n)?;
            InvalidInput::check_size("upper limits", upper.len(), n)?;
            check_position_limits(lower, upper)?;
            j.limits.lower = lower.to_vec();
            j.limits.upper = upper.to_vec();
            Ok(())
        })
    }

    /// Sets the largest magnitude of each velocity coordinate of a joint, in rad/s or m/s.
    ///
    /// # Errors
    /// [`TreeError::NoSuchJoint`], and [`TreeError::InvalidElement`] when the number of values is
    /// not that of the degrees of freedom or one is negative or NaN.
    #[inline(never)]
    pub fn set_velocity_limits(
        &mut self,
        joint: JointIndex,
        limits: &[T],
    ) -> Result<(), TreeError> {
        self.set_magnitude_limits("velocity limits", joint, limits, |l| &mut l.velocity)
    }

    /// Sets the largest magnitude of the generalized force that an actuator can apply to each
    /// degree of freedom of a joint, in N m or N.
    ///
    /// # Errors
    /// As [`Self::set_velocity_limits`].
    #[inline(never)]
    pub fn set_effort_limits(&mut self, joint: JointIndex, limits: &[T]) -> Result<(), TreeError> {
        self.set_magnitude_limits("effort limits", joint, limits, |l| &mut l.effort)
    }

    /// Lets a joint follow another: `q = multiplier · q_followed + offset`.
    ///
    /// Both must have one degree of freedom. The joint then has no coordinates of its own. A joint
    /// that is followed may itself follow a third.
    ///
    /// # Errors
    /// [`TreeError::NoSuchJoint`], [`TreeError::InvalidMimic`] for joints with another number of
    /// degrees of freedom than one, and [`TreeError::InvalidElement`] for a multiplier or offset
    /// that is not finite.
    #[inline(never)]
    pub fn set_mimic(&mut self, joint: JointIndex, mimic: Mimic<T>) -> Result<(), TreeError> {
        self.check_joint(joint)?;
        self.check_joint(mimic.joint)?;
        let dofs = |j: JointIndex| self.joints[j.get()].kind.num_velocities();
        if dofs(joint) != 1 || dofs(mimic.joint) != 1 {
            return Err(TreeError::InvalidMimic {
                joint: self.joints[joint.get()].name.clone(),
                followed: self.joints[mimic.joint.get()].name.clone(),
                reason: "both must have one degree of freedom",
            });
        }
        self.update_joint(joint, |j| {
            InvalidInput::check_finite("multiplier", &[mimic.multiplier])?;
            InvalidInput::check_finite("offset", &[mimic.offset])?;
            j.mimic = Some(mimic);
            Ok(())
        })
    }

    /// The tree.
    ///
    /// Bodies that no joint carries get a floating joint to the world, of the name of the body.
    /// Coordinates are numbered depth first: a joint, then the joints outward of it, those on the
    /// same body as they were added.
    ///
    /// # Errors
    /// [`TreeError::KinematicLoop`], and [`TreeError::InvalidMimic`] for joints that follow each
    /// other in a circle.
    #[inline(never)]
    pub fn finish(mut self) -> Result<RigidBodyTree<T>, TreeError> {
        for index in 1..self.bodies.len() {
            if self.bodies[index].inboard_joint.is_none() {
                let name = self.free_joint_name(&self.bodies[index].name);
                let mounting = Mounting::new(RigidTransform::identity());
                let (kind, child) = (JointKind::Floating, BodyIndex::new(index));
                self.push_joint(name, kind, BodyIndex::WORLD, mounting, child);
            }
        }
        super::topology::assemble(self.bodies, self.joints, self.frames, self.gravity)
    }

    fn push_joint(
        &mut self,
        name: String,
        kind: JointKind<T>,
        parent: BodyIndex,
        mounting: Mounting<T>,
        child: BodyIndex,
    ) -> JointIndex {
        let index = JointIndex::new(self.joints.len());
        self.joint_names.insert(name.clone());
        self.bodies[child.get()].inboard_joint = Some(index);
        let dofs = kind.num_velocities();
        self.joints.push(Joint {
            index,
            name,
            kind,
            parent,
            child,
            mounting,
            damping: vec![T::zero(); dofs],
            friction: vec![T::zero(); dofs],
            armature: vec![T::zero(); dofs],
            limits: JointLimits::none(&kind),
            mimic: None,
            position_start: 0,
            velocity_start: 0,
        });
        index
    }

    /// `name`, followed by as many underscores as make it new.
    fn free_joint_name(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.joint_names.contains(&name) {
            name.push('_');
        }
        name
    }

    fn check_body(&self, index: BodyIndex) -> Result<(), TreeError> {
        let len = self.bodies.len();
        if index.get() < len {
            Ok(())
        } else {
            Err(TreeError::NoSuchBody { index, len })
        }
    }

    fn check_joint(&self, index: JointIndex) -> Result<(), TreeError> {
        let len = self.joints.len();
        if index.get() < len {
            Ok(())
        } else {
            Err(TreeError::NoSuchJoint { index, len })
        }
    }

    fn update_joint(
        &mut self,
        index: JointIndex,
        update: impl FnOnce(&mut Joint<T>) -> Result<(), InvalidInput>,
    ) -> Result<(), TreeError> {
        self.check_joint(index)?;
        let joint = &mut self.joints[index.get()];
        update(joint).map_err(|e| invalid("joint", &joint.name, e))
    }

    fn set_not_negative(
        &mut self,
        quantity: &'static str,
        joint: JointIndex,
        values: &[T],
        field: impl FnOnce(&mut Joint<T>) -> &mut Vec<T>,
    ) -> Result<(), TreeError> {
        self.update_joint(joint, |j| {
            InvalidInput::check_size(quantity, values.len(), j.kind.num_velocities())?;
            InvalidInput::check_range(quantity, values, "a number that is not negative", |x| {
                x >= 0.0 && x.is_finite()
            })?;
            *field(j) = values.to_vec();
            Ok(())
        })
    }

    fn set_magnitude_limits(
        &mut self,
        quantity: &'static str,
        joint: JointIndex,
        values: &[T],
        field: impl FnOnce(&mut JointLimits<T>) -> &mut Vec<T>,
    ) -> Result<(), TreeError> {
        self.update_joint(joint, |j| {
            InvalidInput::check_size(quantity, values.len(), j.kind.num_velocities())?;
            InvalidInput::check_range(quantity, values, "not negative", |x| x >= 0.0)?;
            *field(&mut j.limits) = values.to_vec();
            Ok(())
        })
    }
}

fn check_new_name(
    element: &'static str,
    elements: &'static str,
    name: &str,
    others: &HashSet<String>,
) -> Result<(), TreeError> {
    if name.is_empty() {
        return Err(TreeError::EmptyName { element });
    }
    if others.contains(name) {
        return Err(TreeError::DuplicateName {
            elements,
            name: name.to_owned(),
        });
    }
    Ok(())
}
