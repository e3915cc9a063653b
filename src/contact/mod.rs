//! Contact between the bodies of a tree: geometries, materials, contact points.

mod collision_geometry;
mod detection;
mod error;
mod material;
mod model;
mod point_contact;
pub mod resultant;

pub use collision_geometry::CollisionGeometry;
pub(crate) use detection::ContactWorkspace;
pub use detection::Detection;
pub use error::ContactError;
pub use material::ContactMaterial;
pub use model::{ContactModel, ContactModelBuilder};
pub use point_contact::{FoundContact, PointContact};
pub use resultant::{ContactDetail, ContactForce, ContactResultantForceCalculator, ResultantKinks};
