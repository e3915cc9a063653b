//! Reading models from files.

#[cfg(feature = "urdf")]
pub mod urdf;
