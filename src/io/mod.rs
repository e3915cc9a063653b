//! Models from files, and in files.

#[cfg(feature = "serde")]
pub mod json;
#[cfg(feature = "urdf")]
pub mod mesh;
#[cfg(feature = "urdf")]
pub mod urdf;
mod whole_file;

pub(crate) use whole_file::write_whole;
