//! Inertias of solid shapes.

use super::shape::Shape;
use crate::math::SpatialInertia;
use crate::{InvalidInput, Scalar};
use nalgebra::Vector3;

impl<T: Scalar> Shape<T> {
    /// The inertia of the shape filled with uniform density, of the mass `mass` in kg, about the origin of
    /// its frame and expressed in it.
    ///
    /// A capsule of radius r and length l is a cylinder of mass `m_c` and two half balls of together
    /// `m_b`, whose centres of mass are 3r/8 beyond the ends of the cylinder:
    ///
    /// ```text
    /// I_zz = m_c r²/2 + m_b 2r²/5
    /// I_xx = m_c (3r² + l²)/12 + m_b (2r²/5 + l²/4 + 3 l r/8)
    /// ```
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] for a mass that is not positive, and for shapes without a volume of
    /// their own: points, height fields and the half space. [`InvalidInput::NotFinite`] where a shape is so large
    /// that its inertia is not a number.
    #[inline(never)]
    pub fn solid_inertia(&self, mass: T) -> Result<SpatialInertia<T>, InvalidInput> {
        InvalidInput::check_range("mass", &[mass], "a positive mass", |m| {
            m > 0.0 && m.is_finite()
        })?;
        self.validate()?;
        let inertia = match self {
            Shape::Sphere { radius } => SpatialInertia::solid_sphere(mass, *radius),
            Shape::Box { size } => SpatialInertia::solid_box(mass, size),
            Shape::Cylinder { radius, length } => {
                SpatialInertia::solid_cylinder(mass, *radius, *length)
            }
            Shape::Capsule { radius, length } => {
                let (r, l) = (*radius, *length);
                let ball = mass * r * (4.0 / 3.0) / (l + r * (4.0 / 3.0));
                let cylinder = mass - ball;
                let along = cylinder * r * r * 0.5 + ball * r * r * 0.4;
                let across = cylinder * (r * r * 3.0 + l * l) / 12.0
                    + ball * (r * r * 0.4 + l * l * 0.25 + l * r * 0.375);
                let moments = Vector3::new(across, across, along);
                SpatialInertia::principal(mass, moments)
            }
            Shape::Ellipsoid { semi_axes } => {
                let square = semi_axes.component_mul(semi_axes);
                let moments = Vector3::repeat(square.sum()) - square;
                SpatialInertia::principal(mass, moments * (mass * 0.2))
            }
            Shape::Convex { polyhedron } => polyhedron.solid_inertia(mass).0,
            Shape::Points { .. } | Shape::HeightField { .. } | Shape::HalfSpace => {
                return Err(InvalidInput::OutOfRange {
                    quantity: "volume of the shape",
                    index: None,
                    value: 0.0,
                    expected: "a shape that encloses a volume",
                });
            }
        };
        InvalidInput::check_finite("inertia of the shape", &inertia.to_standard_parameters())?;
        Ok(inertia)
    }
}
