//! Robots on the ground, as the reference cases of steps have them.

use super::reference::{data, folder, number, read, read_from};
use super::robots::{Layout, find_model, permuted};
use dualbody::Parameters;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder, Detection};
use dualbody::geometry::Shape;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::RigidTransform;
use dualbody::system::{State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTree};
use nalgebra::DVector;
use serde_json::Value;

/// The robot on the ground z ≤ 0, without damping in its joints, in Drake's steps.
pub fn system(reference: &Value, dt: f64) -> TimeSteppingRigidBodySystem<f64> {
    let given = &reference["contact"];
    let material = ContactMaterial::new(
        number(&given["point_stiffness"]),
        number(&given["dissipation"]),
        number(&given["friction"]),
    );
    let (mut tree, model) = UrdfReader::new()
        .with_material(material.unwrap())
        .unwrap()
        .tree_from_file(find_model(&folder(), reference["model"].as_str().unwrap()))
        .unwrap_or_else(|e| panic!("{e}"));
    for parameter in tree.parameters() {
        if parameter.name.contains("/damping") {
            tree.set_parameter(&parameter.name, 0.0).unwrap();
        }
    }
    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        contact.add_geometry(geometry).unwrap();
    }
    let ground = CollisionGeometry {
        name: "ground".to_owned(),
        body: BodyIndex::WORLD,
        pose_in_body: RigidTransform::identity(),
        shape: Shape::HalfSpace,
        material: ContactMaterial::new(1e15, 0.0, 1.0).unwrap(),
    };
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();
    let mut options = SystemOptions::default();
    options.detection = Detection::Overlapping;
    options.max_turn = f64::INFINITY;
    options.keep_momentum = false;
    options.contact_solver.stiction_tolerance = number(&given["stiction_tolerance"]);
    TimeSteppingRigidBodySystem::new(tree, contact, dt)
        .unwrap()
        .with_options(options)
        .unwrap()
}

/// Where the cases of a robot keep its coordinates.
pub fn layout(tree: &RigidBodyTree<f64>, robot: &str) -> Layout {
    let file = format!("dynamics_{robot}.json");
    let coordinates = read(&file)
        .or_else(|| read_from(&data("reference"), &file))
        .unwrap_or_else(|| panic!("no layout of the coordinates: {file}"));
    Layout::new(tree, &coordinates)
}

/// A state from `[q; v]` of a case.
pub fn state(layout: &Layout, x: &[f64]) -> State<f64> {
    let (q, v) = x.split_at(layout.positions.len());
    let mut q = DVector::from_vec(permuted(q, &layout.positions));
    q.rows_mut(0, 4).normalize_mut();
    State::new(q, DVector::from_vec(permuted(v, &layout.velocities)))
}
