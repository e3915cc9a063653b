//! What `<joint>` says: kind, pose, limits, damping, friction, and what it follows.

use super::error::UrdfError;
use super::node::Node;
use crate::math::RigidTransform;
use crate::tree::JointKind;
use nalgebra::Vector3;

const JOINT_TYPES: &str =
    "one of continuous, fixed, floating, planar, prismatic, revolute, spherical";

/// The contents of `<joint>`.
pub(super) struct Joint<'a> {
    pub kind: JointKind,
    pub parent: &'a str,
    pub child: &'a str,
    /// The pose `X_PF` of the joint's frame on the parent link.
    pub pose: RigidTransform<f64>,
    pub limits: Option<Limits>,
    pub damping: f64,
    pub friction: f64,
    pub mimic: Option<Mimic<'a>>,
}

/// The contents of `<limit>`; infinite where there is none.
pub(super) struct Limits {
    pub lower: f64,
    pub upper: f64,
    pub velocity: f64,
    pub effort: f64,
}

/// The contents of `<mimic>`.
pub(super) struct Mimic<'a> {
    pub joint: &'a str,
    pub multiplier: f64,
    pub offset: f64,
}

/// Reads `<joint>`; `omitted_limit` is what the format's version says of `lower` and `upper` that
/// are not given.
pub(super) fn joint<'a>(node: &Node<'a>, omitted_limit: f64) -> Result<Joint<'a>, UrdfError> {
    let dynamics = node.child("dynamics");
    let dynamics = |name| match &dynamics {
        Some(dynamics) => Ok(dynamics.number(name)?.unwrap_or(0.0)),
        None => Ok(0.0),
    };
    Ok(Joint {
        kind: kind(node)?,
        parent: node.required_child("parent")?.required_attribute("link")?,
        child: node.required_child("child")?.required_attribute("link")?,
        pose: node.origin()?,
        limits: limits(node, omitted_limit)?,
        damping: dynamics("damping")?,
        friction: dynamics("friction")?,
        mimic: mimic(node)?,
    })
}

fn kind(node: &Node) -> Result<JointKind, UrdfError> {
    let axis = match node.child("axis") {
        Some(axis) => {
            axis.required_attribute("xyz")?;
            axis.vector("xyz")?.unwrap_or_default()
        }
        None => Vector3::x(),
    };
    let name = node.required_attribute("type")?;
    Ok(match name {
        "continuous" => JointKind::Continuous { axis },
        "fixed" => JointKind::Fixed,
        "floating" => JointKind::Floating,
        "planar" => {
            let (x_axis, y_axis) = axes_of_plane(&axis);
            JointKind::Planar { x_axis, y_axis }
        }
        "prismatic" => JointKind::Prismatic { axis },
        "revolute" => JointKind::Revolute { axis },
        "spherical" => JointKind::Ball,
        _ => return Err(node.value("type", name, JOINT_TYPES)),
    })
}

/// Perpendicular axes whose cross product is the normal: of the normals x, y and z the pairs
/// (y, z), (z, x) and (x, y), of others the nearest to such a pair. Zero for a normal of zero.
fn axes_of_plane(normal: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>) {
    let normal = normal.try_normalize(0.0).unwrap_or_default();
    let x_axis = Vector3::ith((normal.iamax() + 1) % 3, 1.0);
    let x_axis = (x_axis - normal * normal.dot(&x_axis)).normalize();
    (x_axis, normal.cross(&x_axis))
}

fn limits(node: &Node, omitted: f64) -> Result<Option<Limits>, UrdfError> {
    let Some(limit) = node.child("limit") else {
        return Ok(None);
    };
    Ok(Some(Limits {
        lower: limit.number("lower")?.unwrap_or(-omitted),
        upper: limit.number("upper")?.unwrap_or(omitted),
        velocity: limit.number("velocity")?.unwrap_or(f64::INFINITY),
        effort: limit.number("effort")?.unwrap_or(f64::INFINITY),
    }))
}

fn mimic<'a>(node: &Node<'a>) -> Result<Option<Mimic<'a>>, UrdfError> {
    let Some(mimic) = node.child("mimic") else {
        return Ok(None);
    };
    Ok(Some(Mimic {
        joint: mimic.required_attribute("joint")?,
        multiplier: mimic.number("multiplier")?.unwrap_or(1.0),
        offset: mimic.number("offset")?.unwrap_or(0.0),
    }))
}
