//! The context of a force evaluation: kinematics, time and length of the step.

use super::error::ForceError;
use crate::math::{RigidTransform, SpatialVelocity, rotation};
use crate::tree::{BodyIndex, FrameIndex, RigidBodyTree, TreeError, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, Vector3};

/// The velocities that forces see.
#[derive(Debug, Clone, Copy)]
enum Velocities<'a, T> {
    OfWorkspace,
    /// Of coordinates, and of bodies.
    Given(&'a [T], &'a [SpatialVelocity<T>]),
    /// Of coordinates; nothing is known of bodies, not even where they are.
    OfCoordinates(&'a [T]),
}

/// Poses and velocities of a tree, computed once for all force elements.
#[derive(Debug, Clone, Copy)]
pub struct ForceContext<'a, T> {
    tree: &'a RigidBodyTree<T>,
    workspace: &'a TreeWorkspace<T>,
    velocities: Velocities<'a, T>,
    time: T,
    time_step: T,
}

impl<'a, T: Scalar> ForceContext<'a, T> {
    /// The state of a workspace.
    pub fn new(tree: &'a RigidBodyTree<T>, workspace: &'a TreeWorkspace<T>) -> Self {
        ForceContext {
            tree,
            workspace,
            velocities: Velocities::OfWorkspace,
            time: T::zero(),
            time_step: T::zero(),
        }
    }

    /// The positions of a workspace with other velocities: coordinates `v`, and of each body
    /// `[w_WB; v_WBo]` in W, as [`RigidBodyTree::body_velocities`] gives them for `v`.
    ///
    /// # Errors
    /// [`ForceError::Invalid`] when a size is wrong.
    #[inline(never)]
    pub fn with_velocities(
        tree: &'a RigidBodyTree<T>,
        workspace: &'a TreeWorkspace<T>,
        v: &'a [T],
        body_velocities: &'a [SpatialVelocity<T>],
    ) -> Result<Self, ForceError> {
        InvalidInput::check_size("v", v.len(), tree.num_velocities())?;
        let bodies = tree.num_bodies();
        InvalidInput::check_size("velocities of bodies", body_velocities.len(), bodies)?;
        Ok(ForceContext {
            tree,
            workspace,
            velocities: Velocities::Given(v, body_velocities),
            time: T::zero(),
            time_step: T::zero(),
        })
    }

    /// The position coordinates of a workspace, whose bodies need not be placed, and the velocity coordinates `v`: for elements
    /// that live by these alone.
    pub(crate) fn of_coordinates(
        tree: &'a RigidBodyTree<T>,
        workspace: &'a TreeWorkspace<T>,
        v: &'a [T],
    ) -> Self {
        ForceContext {
            velocities: Velocities::OfCoordinates(v),
            ..ForceContext::new(tree, workspace)
        }
    }

    /// Refuses to tell of bodies of which nothing is known.
    fn check_bodies(&self) -> Result<(), ForceError> {
        match self.velocities {
            Velocities::OfCoordinates(_) => Err(ForceError::CoordinatesAlone),
            _ => Ok(()),
        }
    }

    /// The same state at a time in seconds; the time is zero otherwise.
    pub fn at_time(mut self, time: T) -> Self {
        self.time = time;
        self
    }

    /// The same state at the start of a discrete step of `time_step` seconds, whose velocities are those at its end.
    pub fn over_step(mut self, time_step: T) -> Self {
        self.time_step = time_step;
        self
    }

    /// The length in seconds of the discrete step over which forces act, zero where they are those of an instant, as
    /// in continuous time. With velocities v at its end, positions lead to `q ⊕ time_step·v` there, for forces that are
    /// implicit in these.
    pub fn time_step(&self) -> T {
        self.time_step
    }

    /// The time in seconds.
    pub fn time(&self) -> T {
        self.time
    }

    pub(crate) fn workspace(&self) -> &'a TreeWorkspace<T> {
        self.workspace
    }

    /// The tree.
    pub fn tree(&self) -> &'a RigidBodyTree<T> {
        self.tree
    }

    /// The position coordinates.
    pub fn q(&self) -> &'a [T] {
        self.workspace.q()
    }

    /// The velocity coordinates.
    pub fn v(&self) -> &'a [T] {
        match self.velocities {
            Velocities::Given(v, _) | Velocities::OfCoordinates(v) => v,
            Velocities::OfWorkspace => self.workspace.v(),
        }
    }

    /// The pose `X_WB` of a body.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body; [`ForceError::CoordinatesAlone`].
    pub fn body_pose(&self, body: BodyIndex) -> Result<RigidTransform<T>, ForceError> {
        self.check_bodies()?;
        Ok(self.tree.body_pose(self.workspace, body)?)
    }

    /// The velocity `[w_WB; v_WBo]` of a body about its origin, expressed in W.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body; [`ForceError::CoordinatesAlone`].
    pub fn body_velocity(&self, body: BodyIndex) -> Result<SpatialVelocity<T>, ForceError> {
        match self.velocities {
            Velocities::OfWorkspace => Ok(self.tree.body_velocity(self.workspace, body)?),
            Velocities::Given(_, velocities) => match velocities.get(body.get()) {
                Some(velocity) => Ok(*velocity),
                None => Err(self.no_such_body(body).into()),
            },
            Velocities::OfCoordinates(_) => Err(ForceError::CoordinatesAlone),
        }
    }

    /// The pose `X_WF` of a frame.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such frame; [`ForceError::CoordinatesAlone`].
    pub fn frame_pose(&self, frame: FrameIndex) -> Result<RigidTransform<T>, ForceError> {
        self.check_bodies()?;
        Ok(self.tree.frame_pose(self.workspace, frame)?)
    }

    /// The velocity `[w_WF; v_WFo]` of a frame about its origin, expressed in W.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such frame; [`ForceError::CoordinatesAlone`].
    pub fn frame_velocity(&self, frame: FrameIndex) -> Result<SpatialVelocity<T>, ForceError> {
        let frame = self.tree.frame(frame)?;
        self.point_velocity(frame.body(), &frame.pose_in_body().translation)
    }

    /// The position `p_WQ` of a point that is fixed on a body at `p_BoQ_B`.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body; [`ForceError::CoordinatesAlone`].
    pub fn point_position(
        &self,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
    ) -> Result<Vector3<T>, ForceError> {
        Ok(self.body_pose(body)?.transform_point(p_boq_b))
    }

    /// The velocity `[w_WB; v_WQ]` of a body about a point that is fixed on it at `p_BoQ_B`,
    /// expressed in W.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body; [`ForceError::CoordinatesAlone`].
    pub fn point_velocity(
        &self,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
    ) -> Result<SpatialVelocity<T>, ForceError> {
        let offset = rotation::applied(&self.body_pose(body)?.rotation, p_boq_b);
        Ok(self.body_velocity(body)?.shift(&offset))
    }

    /// The Jacobian (6×nv) of [`Self::point_velocity`]: `[w_WB; v_WQ] = J v`. Its transpose takes a force on the body, torque
    /// about Q and force, expressed in W, to generalized forces.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body, or the matrix has the wrong size; [`ForceError::CoordinatesAlone`].
    pub fn spatial_jacobian(
        &self,
        body: BodyIndex,
        p_boq_b: &Vector3<T>,
        jacobian: &mut DMatrix<T>,
    ) -> Result<(), ForceError> {
        self.check_bodies()?;
        let (tree, workspace) = (self.tree, self.workspace);
        Ok(tree.spatial_jacobian(workspace, body, p_boq_b, jacobian)?)
    }

    fn no_such_body(&self, index: BodyIndex) -> TreeError {
        let len = self.tree.num_bodies();
        TreeError::NoSuchBody { index, len }
    }
}
