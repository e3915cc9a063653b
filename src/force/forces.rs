//! The accumulator of spatial and generalized forces.

use super::context::ForceContext;
use super::error::ForceError;
use crate::error::{are_finite, check_element};
use crate::math::{SpatialForce, SpatialVelocity};
use crate::tree::{BodyIndex, RigidBodyTree, TreeError, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

/// Forces on bodies and generalized forces on joints, added up.
#[derive(Debug, Clone, PartialEq)]
pub struct Forces<T> {
    on_bodies: Vec<SpatialForce<T>>,
    generalized: Vec<T>,
    is_empty: bool,
    /// Whether a force on a body has been added.
    acts_on_bodies: bool,
}

impl<T: Scalar> Forces<T> {
    /// No forces, on the bodies and joints of a tree.
    #[inline(never)]
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        Forces {
            on_bodies: vec![SpatialForce::zero(); tree.num_bodies()],
            generalized: vec![T::zero(); tree.num_velocities()],
            is_empty: true,
            acts_on_bodies: false,
        }
    }

    /// Removes all forces.
    pub fn clear(&mut self) {
        if self.acts_on_bodies {
            self.on_bodies.fill(SpatialForce::zero());
            self.acts_on_bodies = false;
        }
        if !self.is_empty {
            self.generalized.fill(T::zero());
            self.is_empty = true;
        }
    }

    /// Whether nothing has been added.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The force on each body: torque about the body origin and force, expressed in W.
    pub fn on_bodies(&self) -> &[SpatialForce<T>] {
        &self.on_bodies
    }

    pub(crate) fn on_bodies_mut(&mut self) -> &mut [SpatialForce<T>] {
        (self.is_empty, self.acts_on_bodies) = (false, true);
        &mut self.on_bodies
    }

    /// The generalized forces on the velocity coordinates, without those of the forces on bodies.
    pub fn generalized(&self) -> &[T] {
        &self.generalized
    }

    /// The generalized forces of elements that live by coordinates alone.
    pub(crate) fn on_coordinates(&self) -> Result<&[T], ForceError> {
        match self.acts_on_bodies {
            true => Err(ForceError::CoordinatesAlone),
            false => Ok(&self.generalized),
        }
    }

    /// Whether they are, with their derivatives.
    pub(crate) fn are_finite(&self) -> bool {
        let parts = |f: &SpatialForce<T>| [f.torque, f.force];
        let of_body = |f: &SpatialForce<T>| parts(f).iter().all(|x| are_finite(x.as_slice()));
        (!self.acts_on_bodies || self.on_bodies.iter().all(of_body))
            && are_finite(&self.generalized)
    }

    /// Adds a force on a body: torque about the body origin and force, expressed in W. One on the world, such as a reaction,
    /// moves nothing.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body.
    pub fn add_on_body(
        &mut self,
        body: BodyIndex,
        force: &SpatialForce<T>,
    ) -> Result<(), ForceError> {
        (self.is_empty, self.acts_on_bodies) = (false, true);
        let len = self.on_bodies.len();
        match self.on_bodies.get_mut(body.get()) {
            Some(sum) => {
                *sum += *force;
                Ok(())
            }
            None => Err(TreeError::NoSuchBody { index: body, len }.into()),
        }
    }

    /// Adds a force on a body, given as torque about the point at `p_WQ` and force, expressed in W.
    ///
    /// # Errors
    /// [`ForceError::Tree`] when there is no such body.
    pub fn add_at_point(
        &mut self,
        context: &ForceContext<'_, T>,
        body: BodyIndex,
        p_wq: &Vector3<T>,
        force: &SpatialForce<T>,
    ) -> Result<(), ForceError> {
        let p_qbo = context.body_pose(body)?.translation - p_wq;
        self.add_on_body(body, &force.shift(&p_qbo))
    }

    /// Adds a force on the first of two bodies, given as torque about the point at `p_WQ` and force, expressed in W, and its
    /// opposite on the other.
    ///
    /// # Errors
    /// As [`Self::add_at_point`].
    pub(crate) fn add_between(
        &mut self,
        context: &ForceContext<'_, T>,
        [a, b]: [BodyIndex; 2],
        p_wq: &Vector3<T>,
        force: &SpatialForce<T>,
    ) -> Result<(), ForceError> {
        self.add_at_point(context, a, p_wq, force)?;
        self.add_at_point(context, b, p_wq, &-*force)
    }

    /// Adds a generalized force on the velocity coordinate `index`, in N m or N.
    ///
    /// # Errors
    /// [`ForceError::Invalid`] when there is no such coordinate.
    pub fn add_generalized(&mut self, index: usize, force: T) -> Result<(), ForceError> {
        self.is_empty = false;
        match self.generalized.get_mut(index) {
            Some(sum) => {
                *sum += force;
                Ok(())
            }
            None => Err(InvalidInput::OutOfRange {
                quantity: "velocity coordinate",
                index: None,
                value: index as f64,
                expected: "one that the tree has",
            }
            .into()),
        }
    }

    /// Adds generalized forces on all velocity coordinates (nv), in N m or N.
    ///
    /// # Errors
    /// [`ForceError::Invalid`] when the size is wrong.
    pub fn add_all_generalized(&mut self, forces: &[T]) -> Result<(), ForceError> {
        let count = self.generalized.len();
        InvalidInput::check_size("generalized forces", forces.len(), count)?;
        self.is_empty = false;
        for (sum, &force) in self.generalized.iter_mut().zip(forces) {
            *sum += force;
        }
        Ok(())
    }

    /// All forces as generalized forces `τ + Σ Jᵀ F`, at the positions of the workspace.
    ///
    /// # Errors
    /// [`ForceError`] when a size is wrong or a force not finite, or the workspace does not belong to
    /// the tree.
    #[inline(never)]
    pub fn project(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &mut TreeWorkspace<T>,
        out: &mut [T],
    ) -> Result<(), ForceError> {
        self.check_tree(tree)?;
        InvalidInput::check_finite("generalized forces", &self.generalized)?;
        if self.acts_on_bodies {
            tree.generalized_forces(workspace, &self.on_bodies, out)?;
        } else {
            InvalidInput::check_size("generalized forces", out.len(), self.generalized.len())?;
            out.fill(T::zero());
        }
        for (out, &tau) in out.iter_mut().zip(&self.generalized) {
            *out += tau;
        }
        Ok(())
    }

    /// The power of all forces at the velocities of `context`, in W.
    ///
    /// # Errors
    /// [`ForceError`] when the forces are those of another tree.
    #[inline(never)]
    pub fn power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        self.check_tree(context.tree())?;
        let mut power = T::zero();
        for (i, force) in self.on_bodies.iter().enumerate() {
            let velocity: SpatialVelocity<T> = context.body_velocity(BodyIndex::new(i))?;
            power += force.power(&velocity);
        }
        for (&tau, &v) in self.generalized.iter().zip(context.v()) {
            power += tau * v;
        }
        Ok(power)
    }

    fn check_tree(&self, tree: &RigidBodyTree<T>) -> Result<(), InvalidInput> {
        let (bodies, joints) = (self.on_bodies.len(), self.generalized.len());
        InvalidInput::check_size("forces on bodies", bodies, tree.num_bodies())?;
        InvalidInput::check_size("generalized forces", joints, tree.num_velocities())
    }
}

/// Checks the forces of one element.
///
/// # Errors
/// What is not finite, with its `label`.
pub(crate) fn check_alone<T: Scalar>(
    context: &ForceContext<'_, T>,
    label: impl Fn() -> String,
    add: &dyn Fn(&mut Forces<T>) -> Result<(), ForceError>,
) -> Result<(), ForceError> {
    let tree = context.tree();
    let mut forces = Forces::new(tree);
    add(&mut forces)?;
    for (body, force) in tree.bodies().zip(&forces.on_bodies) {
        let name = body.name();
        for (what, vector) in [("torque", &force.torque), ("force", &force.force)] {
            let quantity =
                |i: usize| format!("the {what} on {name:?} along {}", ["x", "y", "z"][i]);
            check_element(vector.as_slice(), &label, quantity)?;
        }
    }
    let quantity = |i: usize| format!("the force on the velocity coordinate {i}");
    check_element(&forces.generalized, &label, quantity)?;
    Ok(())
}
