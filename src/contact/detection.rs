//! Finding the contacts of a configuration.

use super::error::ContactError;
use super::model::{ContactModel, GeometryPair};
use super::point_contact::{FoundContact, PointContact};
use crate::Scalar;
use crate::geometry::{GeometryError, Shape, Witness, witnesses};
use crate::math::RigidTransform;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::Vector3;

/// Which pairs count as contacts of a time step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Those that overlap, and those that are so near that they may touch during the step.
    ///
    /// The step is then a continuous function of the state: a contact that is about to be made
    /// exerts no force until it is made, and the derivative of a step knows of it.
    #[default]
    Anticipating,
    /// Those that overlap at the start of the step, as Drake does. The step jumps where a contact
    /// begins to overlap, which no derivative shows.
    Overlapping,
}

/// Reusable memory for finding and evaluating contacts.
#[derive(Debug, Clone)]
pub(crate) struct ContactWorkspace<T> {
    /// Pose in W of each geometry.
    poses: Vec<RigidTransform<T>>,
    witnesses: Vec<Witness>,
    /// The contacts, evaluated.
    pub points: Vec<PointContact<T>>,
}

impl<T: Scalar> ContactWorkspace<T> {
    pub fn new() -> Self {
        ContactWorkspace {
            poses: Vec::new(),
            witnesses: Vec::new(),
            points: Vec::new(),
        }
    }
}

impl<T: Scalar> ContactModel<T> {
    /// All points that overlap, or are nearer to each other than `margin` (in metres), at the
    /// state of the workspace.
    ///
    /// # Errors
    /// [`ContactError`] when a pose or a dimension is not finite, the margin is negative or NaN, the
    /// tree lacks a body of the model, or the workspace does not belong to the tree.
    pub fn contacts(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        margin: f64,
    ) -> Result<Vec<PointContact<T>>, ContactError> {
        let mut memory = ContactWorkspace::new();
        self.find(tree, workspace, margin, &mut memory, &mut Vec::new())?;
        Ok(memory.points)
    }

    /// Finds all points that overlap, or are nearer to each other than `margin`, at the state of the
    /// workspace, and evaluates them.
    pub(crate) fn find(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        margin: f64,
        memory: &mut ContactWorkspace<T>,
        found: &mut Vec<FoundContact>,
    ) -> Result<(), ContactError> {
        self.place(tree, workspace, memory)?;
        found.clear();
        for index in 0..self.pairs().len() {
            self.find_pair(index, margin, memory, found)?;
        }
        self.evaluate_all(found, memory)
    }

    /// Finds the contacts of a step of length `dt` from the state of the workspace, and evaluates
    /// them.
    pub(crate) fn detect(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        (detection, dt): (Detection, f64),
        memory: &mut ContactWorkspace<T>,
        found: &mut Vec<FoundContact>,
    ) -> Result<(), ContactError> {
        self.place(tree, workspace, memory)?;
        found.clear();
        for index in 0..self.pairs().len() {
            let margin = match detection {
                Detection::Overlapping => 0.0,
                Detection::Anticipating => self.reach(index, tree, workspace, dt, memory)?,
            };
            self.find_pair(index, margin, memory, found)?;
        }
        self.evaluate_all(found, memory)
    }

    /// Evaluates contacts that have been found before, in this scalar, at the state of the
    /// workspace.
    pub(crate) fn evaluate_at(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        found: &[FoundContact],
        memory: &mut ContactWorkspace<T>,
    ) -> Result<(), ContactError> {
        self.place(tree, workspace, memory)?;
        self.evaluate_all(found, memory)
    }

    fn place(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        memory: &mut ContactWorkspace<T>,
    ) -> Result<(), ContactError> {
        memory.poses.clear();
        for geometry in self.geometries() {
            let body = tree.body_pose(workspace, geometry.body)?;
            memory.poses.push(body * geometry.pose_in_body);
        }
        Ok(())
    }

    fn evaluate_all(
        &self,
        found: &[FoundContact],
        memory: &mut ContactWorkspace<T>,
    ) -> Result<(), ContactError> {
        memory.points.clear();
        for contact in found {
            memory.points.push(self.evaluate(contact, &memory.poses)?);
        }
        Ok(())
    }

    fn find_pair(
        &self,
        index: usize,
        margin: f64,
        memory: &mut ContactWorkspace<T>,
        found: &mut Vec<FoundContact>,
    ) -> Result<(), ContactError> {
        let pair = self.pair(index);
        let (a, b) = (
            &self.geometries()[pair.first],
            &self.geometries()[pair.second],
        );
        let (x_wa, x_wb) = (&memory.poses[pair.first], &memory.poses[pair.second]);
        memory.witnesses.clear();
        witnesses(
            &a.shape,
            x_wa,
            &b.shape,
            x_wb,
            margin,
            &mut memory.witnesses,
        )
        .map_err(|source| self.geometry_error(pair, source))?;
        found.extend(memory.witnesses.iter().map(|&witness| FoundContact {
            pair: index,
            witness,
        }));
        Ok(())
    }

    /// How far the surfaces of a pair may approach each other during the step: twice the way that
    /// they make at the speed they have, and that gravity gives them.
    fn reach(
        &self,
        index: usize,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        dt: f64,
        memory: &ContactWorkspace<T>,
    ) -> Result<f64, ContactError> {
        let pair = self.pair(index);
        let (a, b) = (
            &self.geometries()[pair.first],
            &self.geometries()[pair.second],
        );
        let center = memory.poses[pair.first].translation;
        let p_bo = tree.body_pose(workspace, b.body)?.translation;
        let velocity_a = tree.point_velocity(workspace, a.body, &a.pose_in_body.translation)?;
        let velocity_b = tree
            .body_velocity(workspace, b.body)?
            .shift(&(center - p_bo));
        let relative = velocity_a - velocity_b;
        let speed = length(&relative.linear) + length(&relative.angular) * extent(&a.shape);
        Ok(2.0 * dt * (speed + length(tree.gravity()) * dt))
    }

    pub(super) fn geometry_error(
        &self,
        pair: &GeometryPair<T>,
        source: GeometryError,
    ) -> ContactError {
        ContactError::Geometry {
            first: self.geometries()[pair.first].name.clone(),
            second: self.geometries()[pair.second].name.clone(),
            source,
        }
    }
}

fn length<T: Scalar>(v: &Vector3<T>) -> f64 {
    v.map(|x| x.re()).norm()
}

/// Largest distance of a point of the shape from its origin.
fn extent<T: Scalar>(shape: &Shape<T>) -> f64 {
    match shape {
        Shape::Sphere { radius } => radius.re(),
        Shape::Capsule { radius, length } => radius.re() + 0.5 * length.re(),
        Shape::Cylinder { radius, length } => radius.re().hypot(0.5 * length.re()),
        Shape::Box { size } => 0.5 * length(size),
        Shape::Points { points } => points.iter().map(length).fold(0.0, f64::max),
        Shape::HalfSpace => f64::INFINITY,
    }
}
