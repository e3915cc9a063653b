//! The tree of rigid bodies: its elements, found by name or index.

use super::body::{Body, Frame};
use super::column::Column;
#[cfg(feature = "serde")]
use super::document::TreeDocument;
use super::error::TreeError;
use super::index::{BodyIndex, FrameIndex, JointIndex};
use super::inertia::Inertia;
use super::joint::Joint;
use super::mobilized_body::{MobilizedBody, Motion};
use crate::default_scalar::is_constant;
use crate::math::RigidTransform;
use crate::spelling::nearest_paths;
use crate::{InvalidInput, Scalar};
use nalgebra::{DVector, Matrix3, Vector3};
use std::sync::atomic::{AtomicU64, Ordering};

/// Rigid bodies that joints connect to a tree whose root is the world.
///
/// Made by a [`RigidBodyTreeBuilder`](super::RigidBodyTreeBuilder). The constants of the bodies,
/// joints and frames are held in `T` and are [`Parameters`](crate::Parameters); the state is not
/// part of the tree but of a [`TreeWorkspace`](super::TreeWorkspace). Coordinates of joints are in the order that
/// [`finish`](super::RigidBodyTreeBuilder::finish) gives them: outwards from the world, and bodies without a joint last. See
/// the [module](super) for what is computed and how.
#[derive(Debug, Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(
        try_from = "TreeDocument<T>",
        into = "TreeDocument<T>",
        bound = "T: crate::io::json::Number"
    )
)]
pub struct RigidBodyTree<T> {
    pub(super) bodies: Vec<Body<T>>,
    pub(super) joints: Vec<Joint<T>>,
    pub(super) frames: Vec<Frame<T>>,
    pub(super) gravity: Vector3<T>,
    /// Every body after the one that carries it.
    pub(super) depth_first: Vec<BodyIndex>,
    pub(super) mobilized: Vec<MobilizedBody<T>>,
    pub(super) columns: Vec<Column<T>>,
    pub(super) num_positions: usize,
    pub(super) num_velocities: usize,
    /// Whether a joint follows another.
    pub(super) has_mimic: bool,
    /// Shared by the trees with the same bodies and joints: copies, casts.
    pub(super) topology: u64,
    /// Shared by the trees that also have the same parameters.
    pub(super) revision: u64,
}

/// A number that no other tree has had.
pub(super) fn unique_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl<T: Scalar> RigidBodyTree<T> {
    /// Number of position coordinates, the length of `q`.
    pub fn num_positions(&self) -> usize {
        self.num_positions
    }

    /// Number of velocity coordinates, the length of `v`.
    pub fn num_velocities(&self) -> usize {
        self.num_velocities
    }

    /// Number of bodies, with the world.
    pub fn num_bodies(&self) -> usize {
        self.bodies.len()
    }

    /// Number of joints, with fixed ones and those to the world that bodies without a joint got.
    pub fn num_joints(&self) -> usize {
        self.joints.len()
    }

    /// Number of frames that were added.
    pub fn num_frames(&self) -> usize {
        self.frames.len()
    }

    /// A body.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`].
    pub fn body(&self, index: BodyIndex) -> Result<&Body<T>, TreeError> {
        let len = self.bodies.len();
        self.bodies
            .get(index.get())
            .ok_or(TreeError::NoSuchBody { index, len })
    }

    /// A joint.
    ///
    /// # Errors
    /// [`TreeError::NoSuchJoint`].
    pub fn joint(&self, index: JointIndex) -> Result<&Joint<T>, TreeError> {
        let len = self.joints.len();
        self.joints
            .get(index.get())
            .ok_or(TreeError::NoSuchJoint { index, len })
    }

    /// A frame.
    ///
    /// # Errors
    /// [`TreeError::NoSuchFrame`].
    pub fn frame(&self, index: FrameIndex) -> Result<&Frame<T>, TreeError> {
        let len = self.frames.len();
        self.frames
            .get(index.get())
            .ok_or(TreeError::NoSuchFrame { index, len })
    }

    /// All bodies, the world first, then as they were added.
    pub fn bodies(&self) -> impl ExactSizeIterator<Item = &Body<T>> {
        self.bodies.iter()
    }

    /// All joints, as they were added; then those to the world that bodies without a joint got.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = &Joint<T>> {
        self.joints.iter()
    }

    /// All frames, as they were added.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = &Frame<T>> {
        self.frames.iter()
    }

    /// The body of this full name, or whose name has this last segment.
    ///
    /// # Errors
    /// [`TreeError::UnknownName`], and [`TreeError::AmbiguousName`] when several names end so.
    #[inline(never)]
    pub fn body_by_name(&self, name: &str) -> Result<BodyIndex, TreeError> {
        let names = self.bodies.iter().map(Body::name);
        find_by_name("body", names, name).map(BodyIndex::new)
    }

    /// The joint of this full name, or whose name has this last segment.
    ///
    /// # Errors
    /// [`TreeError::UnknownName`], and [`TreeError::AmbiguousName`] when several names end so.
    #[inline(never)]
    pub fn joint_by_name(&self, name: &str) -> Result<JointIndex, TreeError> {
        let names = self.joints.iter().map(Joint::name);
        find_by_name("joint", names, name).map(JointIndex::new)
    }

    /// The frame of this full name, or whose name has this last segment.
    ///
    /// # Errors
    /// [`TreeError::UnknownName`], and [`TreeError::AmbiguousName`] when several names end so.
    #[inline(never)]
    pub fn frame_by_name(&self, name: &str) -> Result<FrameIndex, TreeError> {
        let names = self.frames.iter().map(Frame::name);
        find_by_name("frame", names, name).map(FrameIndex::new)
    }

    /// Whether a body is the world or welded to it, so that it never moves.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`].
    pub fn is_anchored(&self, body: BodyIndex) -> Result<bool, TreeError> {
        Ok(self.body(body)?.mobilized == 0)
    }

    /// Whether two bodies are the same, or fixed joints hold them together.
    ///
    /// # Errors
    /// [`TreeError::NoSuchBody`].
    pub fn are_welded(&self, a: BodyIndex, b: BodyIndex) -> Result<bool, TreeError> {
        Ok(self.body(a)?.mobilized == self.body(b)?.mobilized)
    }

    /// The mass of a body of this tree and of all that is welded to it, in kg; infinite with the world.
    pub(crate) fn mass_with_welded(&self, body: BodyIndex) -> T {
        match self.bodies[body.get()].mobilized {
            0 => T::from(f64::INFINITY),
            mobilized => self.mobilized[mobilized].inertia.mass,
        }
    }

    /// Every body, the world too, after the one that carries it.
    pub(crate) fn outward(&self) -> &[BodyIndex] {
        &self.depth_first
    }

    /// The acceleration of gravity, expressed in W, in m/s².
    pub fn gravity(&self) -> &Vector3<T> {
        &self.gravity
    }

    /// The mass of all bodies, in kg.
    #[inline(never)]
    pub fn total_mass(&self) -> T {
        (self.mobilized.iter()).fold(T::zero(), |sum, m| sum + m.inertia.mass)
    }

    /// The configuration with all coordinates zero, and quaternions of no rotation.
    #[inline(never)]
    pub fn neutral_configuration(&self) -> DVector<T> {
        let mut q = DVector::zeros(self.num_positions);
        for m in self.mobilized.iter().filter(|m| m.motion.has_quaternion()) {
            q[m.position_start] = T::one();
        }
        q
    }

    /// The same tree in another scalar; only real parts are carried over.
    #[inline(never)]
    pub fn cast<U: Scalar>(&self) -> RigidBodyTree<U> {
        RigidBodyTree {
            bodies: self.bodies.iter().map(Body::cast).collect(),
            joints: self.joints.iter().map(Joint::cast).collect(),
            frames: self.frames.iter().map(Frame::cast).collect(),
            gravity: self.gravity.map(|x| U::from(x.re())),
            depth_first: self.depth_first.clone(),
            mobilized: self.mobilized.iter().map(MobilizedBody::cast).collect(),
            columns: self.columns.iter().map(Column::cast).collect(),
            num_positions: self.num_positions,
            num_velocities: self.num_velocities,
            has_mimic: self.has_mimic,
            topology: self.topology,
            revision: unique_number(),
        }
    }

    /// Lets the damping of joints in N m s act as armature in kg m², as over a step of one second.
    pub(crate) fn add_damping_to_armature(&mut self) {
        for joint in &mut self.joints {
            for (armature, &damping) in joint.armature.iter_mut().zip(&joint.damping) {
                *armature += damping;
            }
        }
        self.update_mobilized_bodies();
    }

    /// Brings what the recursions use up to date with the bodies, joints and frames: axes, poses of
    /// welded bodies, joint frames and inertias of the mobilized bodies.
    pub(super) fn update_mobilized_bodies(&mut self) {
        for m in &mut self.mobilized {
            m.inertia = Inertia::zero();
        }
        for &index in &self.depth_first {
            let Some(inboard_joint) = self.bodies[index.get()].inboard_joint else {
                continue; // the world
            };
            let joint = &self.joints[inboard_joint.get()];
            let frame = match &self.bodies[joint.parent.get()].welded_pose {
                Some(pose) => *pose * joint.mounting.pose,
                None => joint.mounting.pose,
            };
            let body = &mut self.bodies[index.get()];
            let mobilized = &mut self.mobilized[body.mobilized];
            if mobilized.joint == Some(inboard_joint) {
                mobilized.joint_frame = frame;
                mobilized.is_parallel =
                    frame.rotation == Matrix3::identity() && frame.rotation.iter().all(is_constant);
                mobilized.motion = Motion::of_joint(joint);
                let columns = &mut self.columns[mobilized.columns.clone()];
                let ratio = joint.multiplier() * joint.multiplier();
                for (dof, column) in columns.iter_mut().enumerate() {
                    column.armature = joint.armature[dof] * ratio;
                    column.axis = match &joint.mimic {
                        None => joint.kind.axis(dof),
                        Some(mimic) => joint.kind.axis(dof).scaled(mimic.multiplier),
                    };
                }
            } else {
                body.welded_pose = Some(frame);
            }
            let inertia = Inertia::of_body(&body.inertia, body.welded_pose.as_ref());
            mobilized.inertia.add(&inertia);
        }
        self.revision = unique_number();
    }

    /// The mobilized body that a body belongs to, and its pose there.
    pub(super) fn placement(
        &self,
        index: BodyIndex,
    ) -> Result<(usize, Option<&RigidTransform<T>>), TreeError> {
        let body = self.body(index)?;
        Ok((body.mobilized, body.welded_pose.as_ref()))
    }

    /// Checks a vector with one entry a velocity coordinate.
    pub(super) fn check_velocity_size(
        &self,
        quantity: &'static str,
        values: &[T],
    ) -> Result<(), TreeError> {
        InvalidInput::check_size(quantity, values.len(), self.num_velocities)?;
        Ok(())
    }
}

/// Position of the name that equals `wanted` or, if there is none, of the only one that ends in
/// `"/" + wanted`.
fn find_by_name<'a>(
    element: &'static str,
    names: impl Iterator<Item = &'a str> + Clone,
    wanted: &str,
) -> Result<usize, TreeError> {
    if let Some(position) = names.clone().position(|name| name == wanted) {
        return Ok(position);
    }
    let ends_so = |name: &str| {
        (name.strip_suffix(wanted)).is_some_and(|path| !wanted.is_empty() && path.ends_with('/'))
    };
    let mut matching = names.clone().enumerate().filter(|(_, n)| ends_so(n));
    match (matching.next(), matching.next()) {
        (Some((position, _)), None) => Ok(position),
        (None, _) => Err(TreeError::UnknownName {
            element,
            name: wanted.to_owned(),
            nearest: nearest_paths(names, wanted),
        }),
        (Some(_), Some(_)) => Err(TreeError::AmbiguousName {
            element,
            name: wanted.to_owned(),
            candidates: names.filter(|n| ends_so(n)).map(str::to_owned).collect(),
        }),
    }
}
