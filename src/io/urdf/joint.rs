//! URDF: the element `<joint>`, kind, pose, limits, damping, friction, mimic.

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

/// Reads `<joint>`.
pub(super) fn joint<'a>(node: &Node<'a>) -> Result<Joint<'a>, UrdfError> {
    let dynamics = node.child("dynamics");
    let dynamics = |name| match &dynamics {
        Some(dynamics) => Ok(dynamics.number(name)?.unwrap_or(0.0)),
        None => Ok(0.0),
    };
    let kind = kind(node)?;
    Ok(Joint {
        kind,
        parent: node.required_child("parent")?.required_attribute("link")?,
        child: node.required_child("child")?.required_attribute("link")?,
        pose: node.origin()?,
        limits: limits(node, &kind)?,
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
    // Scaled by the largest first, so that squaring cannot underflow or overflow.
    let normal = (normal / normal.amax())
        .try_normalize(0.0)
        .unwrap_or_default();
    let x_axis = Vector3::ith((normal.iamax() + 1) % 3, 1.0);
    let x_axis = (x_axis - normal * normal.dot(&x_axis)).normalize();
    (x_axis, normal.cross(&x_axis))
}

/// Whether the format limits the position of such joints.
pub(super) fn is_bounded(kind: &JointKind) -> bool {
    matches!(
        kind,
        JointKind::Revolute { .. } | JointKind::Prismatic { .. }
    )
}

fn limits(node: &Node, kind: &JointKind) -> Result<Option<Limits>, UrdfError> {
    let Some(limit) = node.child("limit") else {
        return Ok(None);
    };
    let position = |name| match limit.number(name)? {
        Some(position) => Ok(position),
        None if is_bounded(kind) && node.version().asks_for_limits() => limit.required_number(name),
        None => Ok(0.0),
    };
    Ok(Some(Limits {
        lower: position("lower")?,
        upper: position("upper")?,
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
