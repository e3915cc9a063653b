//! A builder for small machines.

use super::error::SystemError;
use super::rigid_body_system::RigidBodySystem;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::Scalar;
use crate::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use crate::geometry::Shape;
use crate::math::RigidTransform;
use crate::tree::{BodyIndex, RigidBodyTreeBuilder, TreeError};

/// Puts a machine of free bodies and fixed surfaces together; whatever more it needs (joints, sensors, a file), the
/// [tree](RigidBodyTreeBuilder) and the [contact model](ContactModelBuilder) take, of which a
/// [`RigidBodySystem`] is made. What has been built here has both: [`RigidBodySystem::tree`] and
/// [`RigidBodySystem::contact`].
///
/// ```
/// use dualbody::prelude::*;
///
/// let rubber = ContactMaterial::new(1e4, 0.2, 0.8)?; // N/m, s/m, 1
/// let system = SystemBuilder::new()
///     .floor("floor", rubber)
///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber) // kg
///     .compliant(1e-3)?; // s
/// let mut start = system.initial_state();
/// system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
/// let end = system.rollout(&start, 2000)?;
/// let rest: f64 = system.body_pose(end.last(), "ball")?.translation.z;
/// assert!((rest - 0.05).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SystemBuilder<T: Scalar> {
    tree: RigidBodyTreeBuilder<T>,
    contact: ContactModelBuilder<T>,
    /// The first thing that went wrong.
    error: Option<SystemError>,
}

impl<T: Scalar> Default for SystemBuilder<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Scalar> SystemBuilder<T> {
    /// An empty world with gravity (0, 0, −9.81) m/s².
    #[inline(never)]
    pub fn new() -> Self {
        SystemBuilder {
            tree: RigidBodyTreeBuilder::new(),
            contact: ContactModelBuilder::new(),
            error: None,
        }
    }

    /// Adds the ground z ≤ 0.
    pub fn floor(self, name: impl Into<String>, material: ContactMaterial<T>) -> Self {
        let pose = RigidTransform::identity();
        self.fixed(name, Shape::HalfSpace, pose, material)
    }

    /// Adds a shape that is fixed in the world, with its pose `X_WG`.
    pub fn fixed(
        mut self,
        name: impl Into<String>,
        shape: Shape<T>,
        pose: RigidTransform<T>,
        material: ContactMaterial<T>,
    ) -> Self {
        let name = name.into();
        self.attempt(|builder| builder.add_geometry(name, BodyIndex::WORLD, shape, pose, material));
        self
    }

    /// Adds a free body, with a collision geometry of the same name: a shape of uniform density about the
    /// origin of the body, with the mass `mass` in kg.
    pub fn free_body(
        mut self,
        name: impl Into<String>,
        shape: Shape<T>,
        mass: T,
        material: ContactMaterial<T>,
    ) -> Self {
        let name = name.into();
        self.attempt(|builder| {
            let inertia =
                (shape.solid_inertia(mass)).map_err(|source| TreeError::InvalidElement {
                    element: "body",
                    name: name.clone(),
                    source,
                })?;
            let body = builder.tree.add_body(&name, inertia)?;
            builder.add_geometry(name, body, shape, RigidTransform::identity(), material)
        });
        self
    }

    /// Sets the material of the contact of two geometries, by their names, in place of the combination of
    /// theirs; its friction is then the parameter `pair/{first}|{second}/friction`, with the names in either order.
    #[inline(never)]
    pub fn pair_material(
        mut self,
        first: &str,
        second: &str,
        material: ContactMaterial<T>,
    ) -> Self {
        self.attempt(|builder| Ok(builder.contact.set_pair_material(first, second, material)?));
        self
    }

    /// The description.
    ///
    /// # Errors
    /// The first thing that went wrong: a shape, mass or material that makes no sense, a name that is
    /// taken, a shape of no volume for a body.
    #[inline(never)]
    pub fn build(self) -> Result<RigidBodySystem<T>, SystemError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let tree = self.tree.finish()?;
        let contact = self.contact.finish(&tree)?;
        RigidBodySystem::new(tree, contact)
    }

    /// Steps of `time_step` seconds with compliant contact.
    ///
    /// # Errors
    /// As [`Self::build`] and [`TimeSteppingRigidBodySystem::compliant`].
    #[inline(never)]
    pub fn compliant(self, time_step: T) -> Result<TimeSteppingRigidBodySystem<T>, SystemError> {
        TimeSteppingRigidBodySystem::compliant(self.build()?, time_step)
    }

    /// Steps of `time_step` seconds with rigid contact.
    ///
    /// # Errors
    /// As [`Self::build`] and [`TimeSteppingRigidBodySystem::rigid`].
    #[inline(never)]
    pub fn rigid(self, time_step: T) -> Result<TimeSteppingRigidBodySystem<T>, SystemError> {
        TimeSteppingRigidBodySystem::rigid(self.build()?, time_step)
    }

    fn attempt(&mut self, add: impl FnOnce(&mut Self) -> Result<(), SystemError>) {
        if self.error.is_none() {
            self.error = add(self).err();
        }
    }

    fn add_geometry(
        &mut self,
        name: String,
        body: BodyIndex,
        shape: Shape<T>,
        pose_in_body: RigidTransform<T>,
        material: ContactMaterial<T>,
    ) -> Result<(), SystemError> {
        Ok(self.contact.add_geometry(CollisionGeometry {
            name,
            body,
            pose_in_body,
            shape,
            material,
        })?)
    }
}
