//! Characteristic lengths of shapes.

use super::Shape;
use crate::Scalar;

impl<T: Scalar> Shape<T> {
    /// The largest distance of a point of the shape from its origin, in m.
    pub(crate) fn extent(&self) -> f64 {
        match self {
            Shape::Sphere { radius } => radius.re(),
            Shape::Capsule { radius, length } => radius.re() + 0.5 * length.re(),
            Shape::Cylinder { radius, length } => radius.re().hypot(0.5 * length.re()),
            Shape::Box { size } => 0.5 * size.map(|x| x.re()).norm(),
            Shape::Ellipsoid { semi_axes } => semi_axes.map(|x| x.re()).max(),
            Shape::Convex { polyhedron } => polyhedron.extent(),
            Shape::Points { points } => (points.iter())
                .map(|point| point.map(|x| x.re()).norm())
                .fold(0.0, f64::max),
            Shape::HeightField { field } => field.extent(),
            Shape::HalfSpace => f64::INFINITY,
        }
    }

    /// How thick the shape is where it is thinnest, in m; infinite where it has no other side.
    pub(crate) fn thickness(&self) -> f64 {
        match self {
            Shape::Sphere { radius } | Shape::Capsule { radius, .. } => 2.0 * radius.re(),
            Shape::Cylinder { radius, length } => length.re().min(2.0 * radius.re()),
            Shape::Box { size } => size.map(|x| x.re()).min(),
            Shape::Ellipsoid { semi_axes } => 2.0 * semi_axes.map(|x| x.re()).min(),
            Shape::Convex { polyhedron } => polyhedron.thickness(),
            Shape::Points { .. } => 0.0,
            Shape::HalfSpace | Shape::HeightField { .. } => f64::INFINITY,
        }
    }
}
