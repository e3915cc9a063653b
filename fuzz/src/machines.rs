//! Machines of any bodies, joints, shapes, actuators and constraints with any numbers: refused, or moved in every
//! scheme to something finite.

#![no_main]

mod numbers;

use arbitrary::Unstructured;
use dualbody::actuator::{AnyActuator, PdServo, TorqueSource};
use dualbody::constraint::DistanceConstraint;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::nalgebra::Vector3;
use dualbody::system::{IntegrationMethod, RigidBodySystem, Scheme, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use libfuzzer_sys::fuzz_target;
use numbers::{number, numbers};

type Failure = Box<dyn std::error::Error>;

const MOST_BODIES: usize = 4;

fuzz_target!(|bytes: &[u8]| {
    let _ = exercise(&mut Unstructured::new(bytes));
});

fn exercise(bytes: &mut Unstructured) -> Result<(), Failure> {
    let system = machine(bytes)?;
    let time_step = number(bytes)?.abs().min(0.05);
    let mut state = system.initial_state();
    for x in state.q.iter_mut().chain(state.v.iter_mut()) {
        *x += number(bytes)?;
    }
    let input = numbers(system.num_inputs(), bytes)?;
    let method = IntegrationMethod::Radau3;
    for scheme in [
        Scheme::Compliant,
        Scheme::Rigid,
        Scheme::Continuous {
            method,
            substeps: 1,
        },
    ] {
        let stepper = TimeSteppingRigidBodySystem::with_scheme(system.clone(), time_step, scheme);
        let Ok(stepper) = stepper else { continue };
        let Ok(mut workspace) = stepper.workspace() else {
            continue;
        };
        let mut now = state.clone();
        for _ in 0..3 {
            let Ok(step) = stepper.step(&mut workspace, &now, &input) else {
                break;
            };
            let next = step.state();
            let finite = next.q.iter().chain(&next.v).all(|x| x.is_finite());
            assert!(finite, "{scheme:?}: {next:?}");
            now.clone_from(next);
        }
    }
    Ok(())
}

fn machine(bytes: &mut Unstructured) -> Result<RigidBodySystem<f64>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut bodies = vec![BodyIndex::WORLD];
    let mut contact = ContactModelBuilder::new();
    let count = bytes.int_in_range(1..=MOST_BODIES)?;
    for i in 0..count {
        let (mass, moments) = (number(bytes)?, vector(bytes)?);
        let mut inertia = SpatialInertia::principal(mass, Vector3::from(moments));
        if bytes.ratio(1, 4)? {
            inertia.center_of_mass = vector(bytes)?.into();
        }
        let body = tree.add_body(format!("body{i}"), inertia)?;
        if bytes.ratio(3, 4)? {
            let parent = *bytes.choose(&bodies)?;
            let joint = tree.add_joint(
                format!("joint{i}"),
                kind(bytes)?,
                parent,
                pose(bytes)?,
                body,
            )?;
            if bytes.ratio(1, 4)? {
                let damping = numbers(bytes.int_in_range(0..=6)?, bytes)?;
                tree.set_damping(joint, &damping)?;
            }
        }
        bodies.push(body);
    }
    let tree = tree.finish()?;
    for (i, &body) in bodies.iter().enumerate() {
        let shape = if i == 0 {
            Shape::HalfSpace
        } else {
            shape(bytes)?
        };
        contact.add_geometry(CollisionGeometry {
            name: format!("shape{i}"),
            body,
            pose_in_body: pose(bytes)?,
            shape,
            material: ContactMaterial::new(number(bytes)?, number(bytes)?, number(bytes)?)?,
        })?;
    }
    let contact = contact.finish(&tree)?;
    let mut actuators = Vec::new();
    let mut constraints = Vec::new();
    for i in 0..bytes.int_in_range(0..=2)? {
        let joint = format!("joint{i}");
        let Ok(joint) = tree.joint_by_name(&joint) else {
            continue;
        };
        actuators.push(if bytes.arbitrary()? {
            let gear = number(bytes)?;
            AnyActuator::new(TorqueSource::new(
                format!("motor{i}"),
                &tree,
                joint,
                gear,
                None,
            )?)
        } else {
            let gains = [number(bytes)?, number(bytes)?];
            AnyActuator::new(PdServo::new(
                format!("servo{i}"),
                &tree,
                joint,
                gains,
                None,
            )?)
        });
    }
    if count > 1 && bytes.ratio(1, 3)? {
        let (a, b, length) = (vector(bytes)?, vector(bytes)?, number(bytes)?);
        let ends = [(bodies[1], a.into()), (bodies[2], b.into())];
        constraints.push(DistanceConstraint::new("rod", ends[0], ends[1], length)?);
    }
    Ok(RigidBodySystem::new(tree, contact)?
        .with_actuators(actuators)?
        .with_constraints(constraints)?)
}

fn kind(bytes: &mut Unstructured) -> arbitrary::Result<JointKind<f64>> {
    let axis = Vector3::from(vector(bytes)?);
    Ok(match bytes.int_in_range(0..=5)? {
        0 => JointKind::Fixed,
        1 => JointKind::Prismatic { axis },
        2 => JointKind::Ball,
        3 => JointKind::Floating,
        4 => JointKind::Planar {
            x_axis: axis,
            y_axis: vector(bytes)?.into(),
        },
        _ => JointKind::Revolute { axis },
    })
}

fn pose(bytes: &mut Unstructured) -> arbitrary::Result<RigidTransform<f64>> {
    if bytes.ratio(1, 2)? {
        return Ok(RigidTransform::identity());
    }
    Ok(RigidTransform {
        rotation: rotation::exp(&vector(bytes)?.into()),
        translation: vector(bytes)?.into(),
    })
}

fn shape(bytes: &mut Unstructured) -> Result<Shape<f64>, Failure> {
    let [a, b, c] = vector(bytes)?;
    let size = Vector3::new(a, b, c);
    Ok(match bytes.int_in_range(0..=6)? {
        0 => Shape::new_capsule(a, b)?,
        1 => Shape::new_cylinder(a, b)?,
        2 => Shape::new_box(size)?,
        3 => Shape::new_ellipsoid(size)?,
        4 => Shape::new_points(vec![size, -size])?,
        5 => {
            let count = bytes.int_in_range(4..=8)?;
            let points: arbitrary::Result<Vec<Vector3<f64>>> =
                (0..count).map(|_| Ok(vector(bytes)?.into())).collect();
            Shape::new_convex(&points?)?
        }
        _ => Shape::new_sphere(a)?,
    })
}

fn vector(bytes: &mut Unstructured) -> arbitrary::Result<[f64; 3]> {
    Ok([number(bytes)?, number(bytes)?, number(bytes)?])
}
