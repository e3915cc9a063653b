//! Round-trip check: whether a description that was written reads back with the same constants.

use crate::contact::{CollisionGeometry, ContactMaterial};
use crate::math::{RigidTransform, SpatialInertia};
use crate::tree::{Body, BodyIndex, Frame, Joint, JointKind, RigidBodyTree, TreeError};
use nalgebra::Vector3;
use std::mem::discriminant;

/// How far figures may be from those that were to be written, relative to the largest of their kind:
/// descriptions hold angles and principal axes, which a tree does not.
const ROUND_OFF: f64 = 1e-12;

/// A tree with the constants that were to be written, and the one that is read again.
#[derive(Clone, Copy)]
pub(in crate::io) struct RoundTrip<'t> {
    pub wanted: &'t RigidBodyTree<f64>,
    pub found: &'t RigidBodyTree<f64>,
}

/// The name of the first quantity that differs, if one does.
type Difference = Result<Option<&'static str>, TreeError>;

impl<'t> RoundTrip<'t> {
    pub fn gravity(&self) -> Option<&'static str> {
        (self.wanted.gravity() != self.found.gravity()).then_some("gravity")
    }

    pub fn body(&self, name: &str) -> Difference {
        let body = |tree: &'t RigidBodyTree<f64>| of_name("body", tree.bodies(), name, Body::name);
        let (a, b) = (body(self.wanted)?.inertia(), body(self.found)?.inertia());
        Ok(inertia(a, b))
    }

    pub fn joint(&self, name: &str) -> Difference {
        let joint =
            |tree: &'t RigidBodyTree<f64>| of_name("joint", tree.joints(), name, Joint::name);
        let (a, b) = (joint(self.wanted)?, joint(self.found)?);
        let (p, q) = (a.limits(), b.limits());
        let mimic = |joint: &Joint<f64>| {
            let mimic = joint.mimic();
            mimic.map_or(vec![], |m| vec![m.multiplier, m.offset])
        };
        Ok(first_different([
            ("kind", discriminant(a.kind()) == discriminant(b.kind())),
            ("parent", self.same_body(a.parent(), b.parent())),
            ("child", self.same_body(a.child(), b.child())),
            ("origin", same_pose(a.pose_in_parent(), b.pose_in_parent())),
            ("axis", same(&directions(a.kind()), &directions(b.kind()))),
            ("damping", same(a.damping(), b.damping())),
            ("friction", same(a.friction(), b.friction())),
            ("armature", same(a.armature(), b.armature())),
            (
                "mimic",
                same(&mimic(a), &mimic(b)) && followed(self.wanted, a) == followed(self.found, b),
            ),
            (
                "limits",
                same(&p.lower, &q.lower) && same(&p.upper, &q.upper),
            ),
            ("velocity limits", same(&p.velocity, &q.velocity)),
            ("effort limits", same(&p.effort, &q.effort)),
        ]))
    }

    pub fn frame(&self, name: &str) -> Difference {
        let frame =
            |tree: &'t RigidBodyTree<f64>| of_name("frame", tree.frames(), name, Frame::name);
        let (a, b) = (frame(self.wanted)?, frame(self.found)?);
        Ok(first_different([
            ("body", self.same_body(a.body(), b.body())),
            ("pose", same_pose(a.pose_in_body(), b.pose_in_body())),
        ]))
    }

    /// Of a geometry on a body of the one tree, and of one on a body of the other.
    pub fn geometry(
        &self,
        wanted: &CollisionGeometry<f64>,
        found: &CollisionGeometry<f64>,
    ) -> Option<&'static str> {
        let geometry = first_different([
            ("body", self.same_body(wanted.body, found.body)),
            ("shape", wanted.shape == found.shape),
            ("pose", same_pose(&wanted.pose_in_body, &found.pose_in_body)),
        ]);
        geometry.or_else(|| surface(&wanted.material, &found.material))
    }

    fn same_body(&self, wanted: BodyIndex, found: BodyIndex) -> bool {
        let name = |tree: &'t RigidBodyTree<f64>, index| tree.body(index).ok().map(Body::name);
        name(self.wanted, wanted) == name(self.found, found)
    }
}

fn inertia(a: &SpatialInertia<f64>, b: &SpatialInertia<f64>) -> Option<&'static str> {
    first_different([
        ("mass", a.mass == b.mass),
        (
            "center of mass",
            same(a.center_of_mass.as_slice(), b.center_of_mass.as_slice()),
        ),
        (
            "rotational inertia",
            same(
                a.rotational_inertia.as_slice(),
                b.rotational_inertia.as_slice(),
            ),
        ),
    ])
}

fn surface(a: &ContactMaterial<f64>, b: &ContactMaterial<f64>) -> Option<&'static str> {
    first_different([
        ("stiffness of the surface", a.stiffness == b.stiffness),
        ("dissipation of the surface", a.dissipation == b.dissipation),
        ("friction of the surface", a.friction == b.friction),
        ("static friction of the surface", a.stribeck == b.stribeck),
        ("restitution of the surface", a.restitution == b.restitution),
        (
            "rotational friction of the surface",
            a.rotational == b.rotational,
        ),
    ])
}

fn first_different<const N: usize>(same: [(&'static str, bool); N]) -> Option<&'static str> {
    let different = same.into_iter().find(|(_, same)| !same);
    different.map(|(quantity, _)| quantity)
}

fn of_name<'t, E>(
    element: &'static str,
    mut elements: impl Iterator<Item = &'t E>,
    name: &str,
    name_of: impl Fn(&E) -> &str,
) -> Result<&'t E, TreeError> {
    let found = elements.find(|element| name_of(element) == name);
    found.ok_or_else(|| TreeError::UnknownName {
        element,
        name: name.to_owned(),
        nearest: Vec::new(), // a tree of another file is not misspelt
    })
}

/// The name of the joint that a joint follows.
fn followed<'t>(tree: &'t RigidBodyTree<f64>, joint: &Joint<f64>) -> Option<&'t str> {
    tree.joint(joint.mimic()?.joint).ok().map(Joint::name)
}

pub(in crate::io) fn axis(kind: &JointKind) -> Option<Vector3<f64>> {
    match kind {
        JointKind::Revolute { axis }
        | JointKind::Continuous { axis }
        | JointKind::Prismatic { axis } => Some(*axis),
        _ => None,
    }
}

fn directions(kind: &JointKind) -> Vec<f64> {
    match kind {
        JointKind::Planar { x_axis, y_axis } => [x_axis.as_slice(), y_axis.as_slice()].concat(),
        _ => axis(kind).map_or(vec![], |axis| axis.normalize().as_slice().to_vec()),
    }
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

pub(in crate::io) fn same_pose(a: &RigidTransform<f64>, b: &RigidTransform<f64>) -> bool {
    same(a.rotation.as_slice(), b.rotation.as_slice())
        && same(a.translation.as_slice(), b.translation.as_slice())
}
