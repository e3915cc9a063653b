//! Small systems with contact.

use dualbody::Scalar;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{RigidBodySystem, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use nalgebra::{DVector, Vector3};

/// A shape that is fixed on a body, at its origin.
pub fn geometry<T: Scalar>(
    name: &str,
    body: BodyIndex,
    shape: Shape<T>,
    material: ContactMaterial<T>,
) -> CollisionGeometry<T> {
    CollisionGeometry {
        name: name.to_owned(),
        body,
        pose_in_body: RigidTransform::identity(),
        shape,
        material,
    }
}

/// Free bodies of one inertia, one for each shape, over the ground; all surfaces are of one material.
pub fn bodies_over_ground(
    mut tree: RigidBodyTreeBuilder<f64>,
    shapes: &[Shape<f64>],
    inertia: SpatialInertia<f64>,
    material: ContactMaterial<f64>,
) -> RigidBodySystem<f64> {
    let mut contact = ContactModelBuilder::new();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, material);
    contact.add_geometry(ground).unwrap();
    for (k, shape) in shapes.iter().enumerate() {
        let name = format!("body{k}");
        let body = tree.add_body(&name, inertia).unwrap();
        let shape = geometry(&name, body, shape.clone(), material);
        contact.add_geometry(shape).unwrap();
    }
    let tree = tree.finish().unwrap();
    let contact = contact.finish(&tree).unwrap();
    RigidBodySystem::new(tree, contact).unwrap()
}

/// One free body of 0.37 kg over the ground z ≤ 0. The ground is rigid, with the friction of the
/// body.
pub fn body_over_ground(
    shape: Shape<f64>,
    inertia: f64,
    material: ContactMaterial<f64>,
    time_step: f64,
) -> TimeSteppingRigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(0.37, Vector3::repeat(inertia));
    let body = tree.add_body("body", inertia).unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let ground = ContactMaterial::rigid(material.friction).unwrap();
    contact
        .add_geometry(geometry("body/shape", body, shape, material))
        .unwrap();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, ground);
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();
    TimeSteppingRigidBodySystem::new(tree, contact, time_step).unwrap()
}

/// The acrylic cube, side 0.1048 m.
pub fn cube(time_step: f64) -> TimeSteppingRigidBodySystem<f64> {
    let material = ContactMaterial::new(2e4, 0.5, 0.2).unwrap();
    let shape = Shape::new_box(Vector3::repeat(0.1048)).unwrap();
    body_over_ground(shape, 0.00081, material, time_step)
}

/// A state of one free body.
pub fn free_body(
    quaternion: [f64; 4],
    position: [f64; 3],
    angular: [f64; 3],
    linear: [f64; 3],
) -> State<f64> {
    let norm = quaternion.iter().map(|x| x * x).sum::<f64>().sqrt();
    State::new(
        DVector::from_iterator(7, quaternion.map(|x| x / norm).into_iter().chain(position)),
        DVector::from_iterator(6, angular.into_iter().chain(linear)),
    )
}
