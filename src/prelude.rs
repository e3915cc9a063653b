//! What most programs need: `use dualbody::prelude::*;`.

pub use crate::contact::ContactMaterial;
pub use crate::geometry::Shape;
pub use crate::math::{RigidTransform, SpatialInertia, SpatialVelocity};
pub use crate::system::{
    RigidBodySystem, State, StepDifferentiator, SystemBuilder, TimeSteppingRigidBodySystem,
};
pub use crate::tree::RigidBodyTreeBuilder;
pub use crate::{Parameters, Scalar, gradient, jacobian};
pub use nalgebra::{self, DVector, Vector3, vector};
pub use num_dual;

/// The result of a program that can meet errors of any kind.
pub type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;
