//! URDF: the element `<link>`, mass properties and shapes.

use super::error::{UrdfError, UrdfProblem};
use super::node::Node;
use crate::geometry::Shape;
use crate::math::{RigidTransform, SpatialInertia};
use nalgebra::{Matrix3, Vector3};

/// The mass properties in the link's frame; `None` without `<inertial>`.
///
/// The rotational inertia of the format is about the centre of mass and expressed in the frame of
/// `<inertial>`, whose pose in the link is `<origin>`.
pub(super) fn inertia(link: &Node) -> Result<Option<SpatialInertia<f64>>, UrdfError> {
    let Some(inertial) = link.child("inertial") else {
        return Ok(None);
    };
    let mass = inertial.required_child("mass")?.required_number("value")?;
    let entries = inertial.required_child("inertia")?;
    let entry = |name| entries.required_number(name);
    let (xx, yy, zz) = (entry("ixx")?, entry("iyy")?, entry("izz")?);
    let (xy, xz, yz) = (entry("ixy")?, entry("ixz")?, entry("iyz")?);
    let RigidTransform {
        rotation,
        translation,
    } = inertial.origin()?;
    let inertia = SpatialInertia {
        mass,
        center_of_mass: Vector3::zeros(),
        rotational_inertia: Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz),
    };
    let mut inertia = inertia.transformed(&rotation, &translation);
    clear_round_off(&mut inertia);
    Ok(Some(inertia))
}

/// Sets to zero what is round-off: a whole inertia with radii of gyration below 10⁻⁸ m, and moments
/// that are negative by the round-off of the largest. Programs that write descriptions leave such
/// figures.
fn clear_round_off(inertia: &mut SpatialInertia<f64>) {
    let largest = inertia.rotational_inertia.amax();
    if largest <= f64::EPSILON * inertia.mass {
        inertia.rotational_inertia.fill(0.0);
    }
    for i in 0..3 {
        let moment = &mut inertia.rotational_inertia[(i, i)];
        if *moment < 0.0 && *moment >= -8.0 * f64::EPSILON * largest {
            *moment = 0.0;
        }
    }
}

/// What `<collision>` puts on a link.
pub(super) struct Collision {
    pub name: Option<String>,
    pub pose: RigidTransform<f64>,
    pub geometry: Geometry,
}

/// A shape, or a file that holds one.
pub(super) enum Geometry {
    Shape(Shape<f64>),
    Mesh {
        file_name: String,
        scale: Vector3<f64>,
    },
}

/// Reads `<collision>`.
pub(super) fn collision(node: &Node) -> Result<Collision, UrdfError> {
    let geometry = node.required_child("geometry")?;
    let Some(shape) = geometry.all_children().next() else {
        return Err(geometry.error(UrdfProblem::NoShape));
    };
    let length = |name| shape.required_number(name);
    let primitive = match shape.tag() {
        "box" => {
            shape.required_attribute("size")?;
            Shape::new_box(shape.vector("size")?.unwrap_or_default())
        }
        "capsule" => Shape::new_capsule(length("radius")?, length("length")?),
        "cylinder" => Shape::new_cylinder(length("radius")?, length("length")?),
        "sphere" => Shape::new_sphere(length("radius")?),
        "mesh" => {
            return Ok(Collision {
                name: name(node),
                pose: node.origin()?,
                geometry: Geometry::Mesh {
                    file_name: shape.required_attribute("filename")?.to_owned(),
                    scale: shape.vector("scale")?.unwrap_or(Vector3::repeat(1.0)),
                },
            });
        }
        other => {
            let found = other.to_owned();
            return Err(geometry.error(UrdfProblem::UnknownShape { found }));
        }
    };
    Ok(Collision {
        name: name(node),
        pose: node.origin()?,
        geometry: Geometry::Shape(primitive.map_err(|e| shape.error(UrdfProblem::Shape(e)))?),
    })
}

fn name(node: &Node) -> Option<String> {
    let name = node.attribute("name").filter(|name| !name.is_empty());
    name.map(str::to_owned)
}
