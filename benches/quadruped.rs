//! A quadruped that stands on four feet, with a PD control to its joints.

use crate::support::reference::data;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::RigidTransform;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::BodyIndex;
use nalgebra::{DMatrix, Vector3};

/// Its feet are soft, the ground is rigid.
pub fn standing_quadruped() -> TimeSteppingRigidBodySystem<f64> {
    let path = data("models/quadruped.urdf");
    let (tree, _) = UrdfReader::new()
        .tree_from_file(path)
        .expect("a valid description");
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(2e4, 0.5, 0.8).expect("valid");
    for leg in ["FL", "FR", "RL", "RR"] {
        let name = format!("quadruped/{leg}_shank");
        let foot = CollisionGeometry {
            body: tree.body_by_name(&name).expect("the robot has this link"),
            name,
            pose_in_body: RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.22)),
            shape: Shape::new_sphere(0.02).expect("valid"),
            material: soft,
        };
        contact.add_geometry(foot).expect("valid");
    }
    let ground = CollisionGeometry {
        name: "ground".to_owned(),
        body: BodyIndex::WORLD,
        pose_in_body: RigidTransform::identity(),
        shape: Shape::HalfSpace,
        material: ContactMaterial::rigid(0.8).expect("valid"),
    };
    contact.add_geometry(ground).expect("valid");
    let contact = contact.finish(&tree).expect("valid");
    TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).expect("valid")
}

/// The state in which it stands, with an input for each velocity coordinate.
pub fn stance(system: &TimeSteppingRigidBodySystem<f64>) -> State<f64> {
    let mut start = system.neutral_state();
    for leg in 0..4 {
        start.q[7 + 3 * leg + 1] = 0.7;
        start.q[7 + 3 * leg + 2] = -1.4;
    }
    start.q[6] = 2.0 * 0.22 * 0.7f64.cos() + 0.019;
    start
}

/// The forces of the control over so many steps.
pub fn controlled(
    system: &TimeSteppingRigidBodySystem<f64>,
    start: &State<f64>,
    steps: usize,
) -> DMatrix<f64> {
    let home = start.q.clone();
    let mut inputs = DMatrix::zeros(18, steps);
    let mut control = |step: usize, state: &State<f64>, tau: &mut [f64]| {
        for j in 0..12 {
            tau[6 + j] = 80.0 * (home[7 + j] - state.q[7 + j]) - 2.0 * state.v[6 + j];
        }
        inputs.column_mut(step).copy_from_slice(tau);
    };
    let mut workspace = system.workspace().expect("valid");
    let rollout = system.rollout_with(&mut workspace, start, steps, &mut control);
    rollout.completed().expect("it stands");
    inputs
}
