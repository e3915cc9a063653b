//! Screws, universal joints and balls by angles, against closed forms and against joints that move alike.

use dualbody::math::{RigidTransform, RollPitchYaw, SpatialAcceleration, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{Rotation3, Vector3};
use std::error::Error;
use std::f64::consts::TAU;

type Checked = Result<(), Box<dyn Error>>;

const PITCH: f64 = 0.02;

fn inertia() -> SpatialInertia<f64> {
    let mut inertia = SpatialInertia::solid_box(2.0, &Vector3::new(0.3, 0.2, 0.5));
    inertia.center_of_mass = Vector3::new(0.1, -0.2, 0.05);
    inertia
}

fn at() -> RigidTransform<f64> {
    let rotation = Rotation3::from_euler_angles(0.3, -0.2, 0.5).into_inner();
    RigidTransform::new(rotation, Vector3::new(0.4, 0.1, -0.3))
}

fn builder() -> Result<(RigidBodyTreeBuilder<f64>, BodyIndex), Box<dyn Error>> {
    let mut builder = RigidBodyTreeBuilder::new();
    let body = builder.add_body("body", inertia())?;
    Ok((builder, body))
}

fn pose(tree: &RigidBodyTree<f64>, q: &[f64]) -> Result<RigidTransform<f64>, Box<dyn Error>> {
    let mut workspace = tree.workspace();
    tree.set_positions(&mut workspace, q)?;
    Ok(tree.body_pose(&workspace, tree.body_by_name("body")?)?)
}

/// A nut of mass m and moment J about a vertical screw of pitch p falls as a mass of `m + J (2π/p)²`.
#[test]
fn a_nut_falls_slowly_down_a_screw() -> Checked {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let (mass, moments) = (0.3, Vector3::new(2e-4, 2e-4, 5e-5));
    let nut = builder.add_body("body", SpatialInertia::principal(mass, moments))?;
    let screw = (Vector3::z() * 3.0, PITCH);
    let joints = builder.add_screw_joint("screw", screw, BodyIndex::WORLD, at(), nut)?;
    let tree = builder.finish()?;
    assert_eq!((tree.num_positions(), tree.num_velocities()), (1, 1));
    assert_eq!(tree.joint(joints[1])?.name(), "screw/slide");
    let angle = 7.3;
    let expected = at()
        * RigidTransform::new(
            Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner(),
            Vector3::z() * (PITCH * angle / TAU),
        );
    let found = pose(&tree, &[angle])?;
    assert!((found.rotation - expected.rotation).norm() < 1e-14);
    assert!((found.translation - expected.translation).norm() < 1e-14);

    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &[angle], &[2.0])?;
    let mut vdot = [0.0];
    tree.forward_dynamics(&mut workspace, &[0.0], None, &mut vdot)?;
    let along = at().rotation.column(2).dot(tree.gravity());
    let lead = PITCH / TAU;
    let expected = mass * along * lead / (moments.z + mass * lead * lead);
    assert!(
        (vdot[0] / expected - 1.0).abs() < 1e-12,
        "{} {expected}",
        vdot[0]
    );
    Ok(())
}

#[test]
fn a_universal_joint_turns_about_x_then_y() -> Checked {
    let (mut builder, body) = builder()?;
    builder.add_universal_joint("cardan", BodyIndex::WORLD, at(), body)?;
    let tree = builder.finish()?;
    assert_eq!(tree.num_velocities(), 2);
    let turn = |axis, angle| Rotation3::from_axis_angle(&axis, angle);
    let turned = turn(Vector3::x_axis(), 0.7) * turn(Vector3::y_axis(), -1.1);
    let found = pose(&tree, &[0.7, -1.1])?;
    assert!((found.rotation - at().rotation * turned.matrix()).norm() < 1e-14);
    assert!((found.translation - at().translation).norm() < 1e-14);
    Ok(())
}

/// As a ball joint with a quaternion moves: the same pose, energy, and angular acceleration.
#[test]
fn a_ball_by_angles_moves_as_a_ball() -> Checked {
    let (mut builder, body) = builder()?;
    builder.add_roll_pitch_yaw_joint("ball", BodyIndex::WORLD, at(), body)?;
    let by_angles = builder.finish()?;
    let (mut builder, body) = self::builder()?;
    builder.add_joint("ball", JointKind::Ball, BodyIndex::WORLD, at(), body)?;
    let ball = builder.finish()?;

    let [roll, pitch, yaw] = [0.4, -0.9, 1.3];
    let q = [yaw, pitch, roll];
    let turned = at().rotation * RollPitchYaw { roll, pitch, yaw }.to_matrix();
    assert!((pose(&by_angles, &q)?.rotation - turned).norm() < 1e-14);
    let v = [0.7, -1.2, 0.4];
    let mut workspace = by_angles.workspace();
    by_angles.set_state(&mut workspace, &q, &v)?;
    let index = by_angles.body_by_name("body")?;
    let w = by_angles.body_velocity(&workspace, index)?.angular;
    let mut vdot = [0.0; 3];
    by_angles.forward_dynamics(&mut workspace, &[0.0; 3], None, &mut vdot)?;
    let energy = by_angles.kinetic_energy(&workspace)?;
    let mut accelerations = vec![SpatialAcceleration::zero(); 4];
    by_angles.body_accelerations(&mut workspace, &vdot, &mut accelerations)?;
    let found = accelerations[index.get()].angular;

    let in_frame = nalgebra::UnitQuaternion::from_matrix(&(at().rotation.transpose() * turned));
    let q = [in_frame.w, in_frame.i, in_frame.j, in_frame.k];
    let mut workspace = ball.workspace();
    ball.set_state(&mut workspace, &q, at().rotation.tr_mul(&w).as_slice())?;
    assert!((ball.kinetic_energy(&workspace)? / energy - 1.0).abs() < 1e-12);
    ball.forward_dynamics(&mut workspace, &[0.0; 3], None, &mut vdot)?;
    let expected = at().rotation * Vector3::from(vdot);
    assert!((found - expected).norm() < 1e-10 * expected.norm());
    Ok(())
}

#[test]
fn what_is_refused_leaves_the_builder_as_it_was() -> Checked {
    let (mut builder, body) = builder()?;
    let other = builder.add_body("ball/pitched", inertia())?;
    let world = BodyIndex::WORLD;
    let error = builder.add_roll_pitch_yaw_joint("ball", world, at(), body);
    assert!(error.is_err_and(|e| e.to_string().contains("ball/pitched")));
    let error = builder.add_screw_joint("screw", (Vector3::zeros(), PITCH), world, at(), body);
    assert!(error.is_err_and(|e| e.to_string().contains("axis")));
    let error = builder.add_screw_joint("screw", (Vector3::x(), f64::NAN), world, at(), body);
    assert!(error.is_err_and(|e| e.to_string().contains("multiplier")));
    builder.add_universal_joint("ball", world, at(), body)?;
    builder.add_screw_joint("screw", (Vector3::x(), PITCH), body, at(), other)?;
    assert_eq!(builder.finish()?.num_velocities(), 3);
    Ok(())
}
