//! Whether what was written is what is read again.

use crate::contact::CollisionGeometry;
use crate::math::{RigidTransform, SpatialInertia};
use crate::tree::{Joint, JointKind};
use nalgebra::Vector3;

/// How far figures may be from those that were to be written, relative to the largest of their kind:
/// descriptions hold angles and principal axes, which a tree does not.
const ROUND_OFF: f64 = 1e-12;

pub(in crate::io) fn axis(kind: &JointKind) -> Option<Vector3<f64>> {
    match kind {
        JointKind::Revolute { axis }
        | JointKind::Continuous { axis }
        | JointKind::Prismatic { axis } => Some(*axis),
        _ => None,
    }
}

pub(in crate::io) fn of_name<'t, I, E>(
    mut elements: impl Iterator<Item = (I, &'t E)>,
    name: &str,
    name_of: impl Fn(&E) -> &str,
) -> Option<&'t E> {
    elements
        .find(|(_, element)| name_of(element) == name)
        .map(|(_, element)| element)
}

/// Whether values are the same up to round-off of the largest.
pub(in crate::io) fn same(a: &[f64], b: &[f64]) -> bool {
    let largest = a
        .iter()
        .filter(|x| x.is_finite())
        .fold(0.0_f64, |m, x| m.max(x.abs()));
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| a == b || (a - b).abs() <= ROUND_OFF * largest)
}

pub(in crate::io) fn same_inertia(a: &SpatialInertia<f64>, b: &SpatialInertia<f64>) -> bool {
    a.mass == b.mass
        && same(a.center_of_mass.as_slice(), b.center_of_mass.as_slice())
        && same(
            a.rotational_inertia.as_slice(),
            b.rotational_inertia.as_slice(),
        )
}

pub(in crate::io) fn same_pose(a: &RigidTransform<f64>, b: &RigidTransform<f64>) -> bool {
    same(a.rotation.as_slice(), b.rotation.as_slice())
        && same(a.translation.as_slice(), b.translation.as_slice())
}

pub(in crate::io) fn same_joint(a: &Joint<f64>, b: &Joint<f64>) -> bool {
    let axes = |kind: &JointKind| match kind {
        JointKind::Planar { x_axis, y_axis } => [x_axis.as_slice(), y_axis.as_slice()].concat(),
        _ => axis(kind).map_or(vec![], |axis| axis.normalize().as_slice().to_vec()),
    };
    let mimic = |joint: &Joint<f64>| {
        joint
            .mimic()
            .map_or(vec![], |m| vec![m.multiplier, m.offset])
    };
    let (p, q) = (a.limits(), b.limits());
    same_pose(a.pose_in_parent(), b.pose_in_parent())
        && same(&axes(a.kind()), &axes(b.kind()))
        && same(a.damping(), b.damping())
        && same(a.friction(), b.friction())
        && same(a.armature(), b.armature())
        && same(&mimic(a), &mimic(b))
        && same(&p.lower, &q.lower)
        && same(&p.upper, &q.upper)
        && same(&p.velocity, &q.velocity)
        && same(&p.effort, &q.effort)
}

pub(in crate::io) fn same_geometry(a: &CollisionGeometry<f64>, b: &CollisionGeometry<f64>) -> bool {
    a.shape == b.shape && same_pose(&a.pose_in_body, &b.pose_in_body)
}
