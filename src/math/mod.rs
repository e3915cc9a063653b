//! Rotations, spatial vectors and inertias, and the factorisations that work for every scalar.

mod cholesky;
mod comparison;
mod dense;
mod elimination;
mod factorization;
mod independent_rows;
mod lu;
mod partition;
mod permutation;
mod pseudo_inverse;
mod resize;
mod rigid_transform;
mod roll_pitch_yaw;
pub mod rotation;
mod singular_values;
mod sparse_columns;
mod sparse_lu;
mod spatial;
mod spatial_inertia;
mod symmetric_eigen;

pub use cholesky::Cholesky;
pub(crate) use comparison::compare_fields;
pub(crate) use dense::{MOST_BYTES, bytes_of_squares, check_squares};
pub(crate) use elimination::{Elimination, Lists};
pub use factorization::{Factorization, RightHandSide};
pub(crate) use independent_rows::IndependentRows;
pub(crate) use lu::dot;
pub use lu::{Lu, Singular};
pub(crate) use partition::Partition;
pub(crate) use permutation::Permutation;
pub(crate) use pseudo_inverse::PseudoInverse;
pub(crate) use resize::{
    copy_matrix, copy_to_vector, real_parts, reset_matrix, reset_vector, resize_matrix, take_memory,
};
pub use rigid_transform::RigidTransform;
pub use roll_pitch_yaw::RollPitchYaw;
pub(crate) use singular_values::SingularValues;
pub use sparse_columns::SparseColumns;
pub(crate) use sparse_lu::SparseLu;
pub use spatial::{SpatialAcceleration, SpatialForce, SpatialVelocity};
pub use spatial_inertia::SpatialInertia;
pub(crate) use symmetric_eigen::decompose as decompose_symmetric;
pub use symmetric_eigen::{SymmetricEigenError, symmetric_eigen};
