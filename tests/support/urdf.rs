//! Trees from robot descriptions.

use dualbody::math::{RigidTransform, RollPitchYaw, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, Mimic, RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use nalgebra::{Matrix3, Vector3};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Path of a file in `tests/data`.
pub fn data(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(relative)
}

/// What carries the root link of a robot, unless it is called "world".
#[derive(Clone, Copy, PartialEq)]
pub enum Base {
    Floating,
    Fixed,
}

/// Whether joints follow others as the description says.
#[derive(Clone, Copy, PartialEq)]
pub enum Mimics {
    Coupled,
    Independent,
}

/// The tree of a robot description: links, inertias, joints with damping, and what follows what.
pub fn load_urdf(path: &Path, base: Base, mimics: Mimics) -> Result<RigidBodyTree<f64>, TreeError> {
    let robot = urdf_rs::read_file(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let named = |name: &str| format!("{}/{name}", robot.name);
    let mut builder = RigidBodyTreeBuilder::new();
    let mut bodies = HashMap::new();
    for link in &robot.links {
        let index = if link.name == "world" {
            BodyIndex::WORLD
        } else {
            builder.add_body(&named(&link.name), inertia(&link.inertial))?
        };
        bodies.insert(link.name.clone(), index);
    }
    let mut joints = HashMap::new();
    for joint in &robot.joints {
        let axis = Vector3::from(joint.axis.xyz.0);
        let kind = match joint.joint_type {
            urdf_rs::JointType::Fixed => JointKind::Fixed,
            urdf_rs::JointType::Revolute => JointKind::Revolute { axis },
            urdf_rs::JointType::Continuous => JointKind::Continuous { axis },
            urdf_rs::JointType::Prismatic => JointKind::Prismatic { axis },
            ref other => panic!("{}: joint type {other:?}", path.display()),
        };
        let (parent, child) = (bodies[&joint.parent.link], bodies[&joint.child.link]);
        let index = builder.add_joint(
            &named(&joint.name),
            kind,
            parent,
            pose(&joint.origin),
            child,
        )?;
        joints.insert(joint.name.clone(), index);
        if let (Some(dynamics), true) = (&joint.dynamics, kind != JointKind::Fixed) {
            builder.set_damping(index, &[dynamics.damping])?;
        }
    }
    for joint in &robot.joints {
        if let (Some(mimic), Mimics::Coupled) = (&joint.mimic, mimics) {
            let mimic = Mimic {
                joint: joints[&mimic.joint],
                multiplier: mimic.multiplier.unwrap_or(1.0),
                offset: mimic.offset.unwrap_or(0.0),
            };
            builder.set_mimic(joints[&joint.name], mimic)?;
        }
    }
    if base == Base::Fixed {
        let is_child = |name: &str| robot.joints.iter().any(|j| j.child.link == name);
        for root in robot.links.iter().filter(|l| !is_child(&l.name)) {
            if root.name != "world" {
                let (pose, child) = (RigidTransform::identity(), bodies[&root.name]);
                let name = named("base to world");
                builder.add_joint(&name, JointKind::Fixed, BodyIndex::WORLD, pose, child)?;
            }
        }
    }
    builder.finish()
}

fn pose(origin: &urdf_rs::Pose) -> RigidTransform<f64> {
    let [roll, pitch, yaw] = origin.rpy.0;
    let rotation = RollPitchYaw::new(roll, pitch, yaw).to_matrix();
    RigidTransform::new(rotation, Vector3::from(origin.xyz.0))
}

fn inertia(inertial: &urdf_rs::Inertial) -> SpatialInertia<f64> {
    let i = &inertial.inertia;
    let pose = pose(&inertial.origin);
    SpatialInertia {
        mass: inertial.mass.value,
        center_of_mass: Vector3::zeros(),
        rotational_inertia: Matrix3::new(
            i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz,
        ),
    }
    .transformed(&pose.rotation, &pose.translation)
}
