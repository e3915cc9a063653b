//! What most programs need: `use dualbody::prelude::*;`.

pub use crate::contact::ContactMaterial;
pub use crate::geometry::Shape;
pub use crate::math::{RigidTransform, SpatialInertia, SpatialVelocity};
pub use crate::system::{
    RigidBodySystem, State, StepDifferentiator, SystemBuilder, TimeSteppingRigidBodySystem,
};
pub use crate::tree::RigidBodyTreeBuilder;
pub use crate::{
    DefaultScalar, Parameters, Result, Scalar, assert_jacobian, gradient, gradient_with_radius,
    jacobian, jacobian_with_radius,
};
pub use nalgebra::{self, DVector, Vector3, vector};
pub use num_dual;
