//! Shapes.

mod shapes;
