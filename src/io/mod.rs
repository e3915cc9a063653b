//! Models from files, and in files.

mod csv;
#[cfg(feature = "serde")]
pub mod json;
#[cfg(feature = "urdf")]
pub mod urdf;
mod whole_file;

pub(crate) use csv::quoted;
pub(crate) use whole_file::write_whole;
