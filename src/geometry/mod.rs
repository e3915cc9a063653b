//! Shapes of bodies.

mod shape;

pub use shape::{Shape, ShapeKind};
