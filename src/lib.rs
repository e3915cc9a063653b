//! Multibody dynamics with contact in which every component is generic over the scalar.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod actuator;
pub mod autodiff;
pub mod constraint;
pub mod contact;
pub mod error;
pub mod force;
pub mod geometry;
pub mod identification;
pub mod integrator;
pub mod math;
pub mod parameter;
pub mod scalar;
pub mod sensor;
pub mod solver;
pub mod system;
pub mod tree;

pub use error::InvalidInput;
pub use parameter::Parameters;
pub use scalar::Scalar;
