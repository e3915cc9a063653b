//! MJCF: mass properties of the surfaces of shapes (`shellinertia`).

use crate::geometry::Shape;
use crate::math::SpatialInertia;
use nalgebra::Vector3;
use std::f64::consts::PI;

/// Of a layer around an ellipsoid, in m: the format's, and it shows.
const THICKNESS: f64 = 1e-6;

/// The exponent of Thomsen's formula for the surface of an ellipsoid, which is accurate to 1 %.
const THOMSEN: f64 = 1.6075;

/// The area of the surface of a primitive shape; none of others.
pub(super) fn area(shape: &Shape<f64>) -> Option<f64> {
    Some(match shape {
        Shape::Sphere { radius } => 4.0 * PI * radius * radius,
        Shape::Capsule { radius, length } => 2.0 * PI * radius * (2.0 * radius + length),
        Shape::Cylinder { radius, length } => 2.0 * PI * radius * (radius + length),
        Shape::Box { size } => 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x),
        Shape::Ellipsoid { semi_axes: s } => {
            let powers = [s.x * s.y, s.y * s.z, s.z * s.x].map(|x| x.powf(THOMSEN));
            4.0 * PI * (powers.iter().sum::<f64>() / 3.0).powf(1.0 / THOMSEN)
        }
        _ => return None,
    })
}

/// The mass properties of the surface of a primitive shape, with the mass spread evenly over it; none of others. Around an
/// ellipsoid it is a layer between two ellipsoids, as the format has it.
pub(super) fn shell_inertia(shape: &Shape<f64>, mass: f64) -> Option<SpatialInertia<f64>> {
    let all = area(shape)?;
    let moments = match shape {
        Shape::Sphere { radius } => Vector3::repeat(mass * radius * radius * 2.0 / 3.0),
        &Shape::Capsule {
            radius: r,
            length: l,
        } => {
            let ball = mass * 4.0 * PI * r * r / all;
            let tube = mass - ball;
            let across = tube * (r * r / 2.0 + l * l / 12.0)
                + ball * (r * r * 2.0 / 3.0 + l * l / 4.0 + l * r / 2.0);
            let along = tube * r * r + ball * r * r * 2.0 / 3.0;
            Vector3::new(across, across, along)
        }
        &Shape::Cylinder {
            radius: r,
            length: l,
        } => {
            let ends = mass * 2.0 * PI * r * r / all;
            let tube = mass - ends;
            let across = tube * (r * r / 2.0 + l * l / 12.0) + ends * (r * r / 4.0 + l * l / 4.0);
            let along = tube * r * r + ends * r * r / 2.0;
            Vector3::new(across, across, along)
        }
        Shape::Box { size } => {
            // The second moments of three pairs of sides, each at right angles to one of the axes.
            let sides = [0, 1, 2].map(|k| 2.0 * size.product() / size[k] * mass / all);
            let mut second = Vector3::zeros();
            for (normal, side) in sides.into_iter().enumerate() {
                for axis in 0..3 {
                    let part = if axis == normal { 4.0 } else { 12.0 };
                    second[axis] += side * size[axis] * size[axis] / part;
                }
            }
            Vector3::repeat(second.sum()) - second
        }
        Shape::Ellipsoid { semi_axes } => {
            // Of a solid of density 15/(4 π).
            let moments = |s: Vector3<f64>| {
                let squares = s.component_mul(&s);
                (Vector3::repeat(squares.sum()) - squares) * s.product()
            };
            let outer = semi_axes.add_scalar(THICKNESS);
            let mass_of_both = 5.0 * (outer.product() - semi_axes.product());
            (moments(outer) - moments(*semi_axes)) * (mass / mass_of_both)
        }
        _ => return None,
    };
    Some(SpatialInertia::principal(mass, moments))
}
