//! Rotations, spatial vectors and inertias, and the factorisations that work for every scalar.

mod cholesky;
mod comparison;
mod elimination;
mod factorization;
mod lu;
mod resize;
mod rigid_transform;
mod roll_pitch_yaw;
pub mod rotation;
mod sparse_columns;
mod spatial;
mod spatial_inertia;
mod symmetric_eigen;

pub use cholesky::Cholesky;
pub use factorization::Factorization;
pub use lu::{Lu, Singular};
pub(crate) use resize::{reserve_total, reset_matrix, reset_vector};
pub use rigid_transform::RigidTransform;
pub use roll_pitch_yaw::RollPitchYaw;
pub use sparse_columns::SparseColumns;
pub use spatial::{SpatialAcceleration, SpatialForce, SpatialVelocity};
pub use spatial_inertia::SpatialInertia;
pub use symmetric_eigen::{DegenerateEigenvalues, symmetric_eigen};
