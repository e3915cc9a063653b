//! File formats: URDF, SRDF, MJCF, meshes, JSON.

#[cfg(feature = "urdf")]
mod body_inertia;
#[cfg(feature = "urdf")]
mod configuration;
mod csv;
#[cfg(feature = "urdf")]
mod dry_friction;
#[cfg(feature = "urdf")]
mod hulls;
#[cfg(feature = "serde")]
pub mod json;
#[cfg(feature = "urdf")]
pub mod mesh;
#[cfg(feature = "urdf")]
pub mod mjcf;
#[cfg(feature = "urdf")]
mod quaternion;
#[cfg(feature = "urdf")]
mod round_trip;
#[cfg(feature = "urdf")]
pub mod srdf;
#[cfg(feature = "urdf")]
mod unique_names;
#[cfg(feature = "urdf")]
pub mod urdf;
mod whole_file;
#[cfg(feature = "urdf")]
mod xml;

pub(crate) use csv::quoted;
#[cfg(feature = "serde")]
use whole_file::replace_file;
pub(crate) use whole_file::write_whole;
#[cfg(feature = "urdf")]
pub use {configuration::NamedConfiguration, xml::XmlPlace};
