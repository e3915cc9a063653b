//! The visual model of a machine: what its bodies look like.

use super::mesh::Mesh;
use crate::geometry::Shape;
use crate::math::{RigidTransform, SpatialInertia, decompose_symmetric, rotation};
use crate::tree::{BodyIndex, JointKind, RigidBodyTree, TreeError};
use nalgebra::{Matrix3, Vector3};

/// Least density of what stands for a body, in kg/m³: that of water.
const DENSITY: f64 = 1000.0;
/// Radius of a bone as a part of its length.
const BONE: f64 = 0.03;

/// A pose as position and quaternion (x, y, z, w).
pub(super) type Pose = [f32; 7];

/// A body that moves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    pub name: String,
    /// The joint that carries it, and of what kind that is.
    pub joint: String,
    pub kind: &'static str,
    /// The motion that it is part of.
    pub motion: usize,
}

/// A mesh on a body, or on the world.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedMesh {
    pub name: String,
    pub body: Option<usize>,
    pub pose: Pose,
    /// The mesh; a half space has none.
    pub mesh: Option<usize>,
}

/// A frame on a body, or on the world.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlacedFrame {
    pub name: String,
    pub body: Option<usize>,
    pub pose: Pose,
}

/// Meshes, each with the shape that it came from.
pub(super) type Meshes = Vec<(Option<Shape<f64>>, Mesh)>;

/// The index of the mesh of a shape, which is made when it is not there yet.
pub(super) fn mesh_of(shape: &Shape<f64>, meshes: &mut Meshes) -> Option<usize> {
    let known = meshes.iter().position(|(s, _)| s.as_ref() == Some(shape));
    known.or_else(|| {
        let mesh = Mesh::of_shape(shape)?;
        meshes.push((Some(shape.clone()), mesh));
        Some(meshes.len() - 1)
    })
}

/// The index in a scene of a body of a tree whose first moving body has the index `first`.
pub(super) fn body_in_scene(body: BodyIndex, first: usize) -> Option<usize> {
    (body != BodyIndex::WORLD).then(|| first + body.get() - 1)
}

/// What stands for a body that no geometry shows: a box or ball of its mass properties, and bones from
/// its origin to its centre of mass and to the joints that it carries.
pub(super) fn stand_in(tree: &RigidBodyTree<f64>, body: BodyIndex) -> Result<Mesh, TreeError> {
    let mut mesh = Mesh::default();
    let inertia = tree.body(body)?.inertia();
    let center = inertia.center_of_mass;
    if inertia.mass > 0.0 {
        let (shape, turn) = equivalent_shape(inertia);
        if let Some(solid) = Mesh::of_shape(&shape) {
            mesh.add(&solid, &turn, &center);
        }
    }
    let joints = tree.joints().filter(|joint| joint.parent() == body);
    let joints = joints.map(|joint| joint.pose_in_parent().translation);
    let ends: Vec<Vector3<f64>> = joints.chain([center]).collect();
    for end in ends.iter().filter(|end| end.norm() > 1e-6) {
        mesh.add(&bone(end), &Matrix3::identity(), &Vector3::zeros());
    }
    Ok(mesh)
}

/// A rod from the origin of a body to a point on it.
pub(super) fn bone(to: &Vector3<f64>) -> Mesh {
    let mut mesh = Mesh::default();
    mesh.add_tube(&Vector3::zeros(), to, BONE * to.norm());
    mesh
}

/// The uniform box that has an inertia, with its orientation in the body, shrunk to the volume that
/// water of its mass has where it is larger; without moments, a ball of that volume.
fn equivalent_shape(inertia: &SpatialInertia<f64>) -> (Shape<f64>, Matrix3<f64>) {
    let volume = inertia.mass / DENSITY;
    if let Some(eigen) = decompose_symmetric(&inertia.rotational_inertia) {
        let sum = eigen.eigenvalues.sum();
        // A moment about an axis is m/12 times the sum of the squares of the other edges.
        let squares = (eigen.eigenvalues).map(|moment| 6.0 * (sum - 2.0 * moment) / inertia.mass);
        let largest = squares.max();
        if largest > 1e-12 {
            let edges = squares.map(|square| square.max(4e-4 * largest).sqrt());
            let edges = edges * (volume / edges.product()).cbrt().min(1.0);
            let mut turn = eigen.eigenvectors;
            if turn.determinant() < 0.0 {
                turn.column_mut(0).neg_mut();
            }
            return (Shape::Box { size: edges }, turn);
        }
    }
    let radius = (volume * 0.75 / std::f64::consts::PI).cbrt();
    (Shape::Sphere { radius }, Matrix3::identity())
}

/// The bodies of a tree, the world left out, as parts of a motion.
pub(super) fn bodies(tree: &RigidBodyTree<f64>, motion: usize) -> Result<Vec<Body>, TreeError> {
    let moving = tree.bodies().skip(1);
    let body = moving.map(|body| {
        let joint = body.inboard_joint().map(|index| tree.joint(index));
        let joint = joint.transpose()?;
        Ok(Body {
            name: body.name().to_owned(),
            joint: joint.map_or_else(String::new, |joint| joint.name().to_owned()),
            kind: joint.map_or("", |joint| kind_name(joint.kind())),
            motion,
        })
    });
    body.collect()
}

fn kind_name(kind: &JointKind<f64>) -> &'static str {
    match kind {
        JointKind::Fixed => "fixed",
        JointKind::Revolute { .. } => "revolute",
        JointKind::Continuous { .. } => "continuous",
        JointKind::Prismatic { .. } => "prismatic",
        JointKind::Planar { .. } => "planar",
        JointKind::Ball => "ball",
        JointKind::Floating => "floating",
    }
}

pub(super) fn pose(x: &RigidTransform<f64>) -> Pose {
    let q = rotation::quaternion_from_matrix(&x.rotation);
    let p = x.translation;
    [p.x, p.y, p.z, q.i, q.j, q.k, q.w].map(|x| x as f32)
}
