//! The regulator of a machine in contact by a parameter; alone, because it compiles machines in hyper-dual numbers.

use dualbody::Parameters;
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::TimeSteppingRigidBodySystem;
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{Regulator, regulator_at_rest, regulator_sensitivity};
use nalgebra::{DMatrix, Vector3, dmatrix};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn difference(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (a - b).amax() / b.amax()
}

/// A mass on a soft spring of contact: a piston that rests on the ground.
fn piston() -> Result<TimeSteppingRigidBodySystem<f64>, Box<dyn std::error::Error>> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mass = tree.add_body("mass", SpatialInertia::solid_sphere(2.0, 0.1))?;
    let guide = JointKind::Prismatic { axis: Vector3::z() };
    let at = RigidTransform::identity();
    let guide = tree.add_joint("guide", guide, BodyIndex::WORLD, at, mass)?;
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(500.0, 0.3, 0.5)?;
    for (name, body, shape) in [
        ("ball", mass, Shape::new_sphere(0.1)?),
        ("ground", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        contact.add_geometry(CollisionGeometry {
            name: name.into(),
            body,
            pose_in_body: at,
            shape,
            material: soft,
        })?;
    }
    contact.set_pair_material("ball", "ground", soft)?;
    let contact = contact.finish(&tree)?;
    let motor = TorqueSource::new("motor", &tree, guide, 1.0, None)?;
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 0.01)?;
    Ok(system.with_actuators([motor])?)
}

#[test]
fn a_stiffness_changes_the_regulator_of_a_machine_in_contact() -> Outcome {
    let system = piston()?;
    let mut guess = system.initial_state();
    guess.q[0] = 0.06;
    let (q, r) = (DMatrix::identity(2, 2), dmatrix![0.01]);
    let name = "pair/ball|ground/stiffness";
    let sensitivity = regulator_sensitivity(&system, &guess, &[0.0], (&q, &r), name)?;
    let rest = sensitivity.resting.state.q[0];
    assert!((rest - (0.1 - 2.0 * 9.81 / 500.0)).abs() < 1e-9, "{rest}");
    let h = 0.05;
    let at = |stiffness: f64| -> Result<Regulator, Box<dyn std::error::Error>> {
        let mut system = system.clone();
        system.set_parameter(name, stiffness)?;
        Ok(regulator_at_rest(&system, &guess, &[0.0], &q, &r)?.regulator)
    };
    let (more, less, here) = (at(500.0 + h)?, at(500.0 - h)?, at(500.0)?);
    assert!(difference(&sensitivity.resting.regulator.cost, &here.cost) < 1e-9);
    let cost = (&more.cost - &less.cost) / (2.0 * h);
    assert!(difference(&sensitivity.change.cost, &cost) < 1e-5);
    let gain = (&more.gain - &less.gain) / (2.0 * h);
    assert!(difference(&sensitivity.change.gain, &gain) < 1e-5);
    // The expected cost of a start with a covariance, and its derivative.
    let covariance = dmatrix![1e-4, 0.0; 0.0, 1e-2];
    let expected = |x: &DMatrix<f64>| Regulator::expected_cost(x, &covariance);
    let slope = (expected(&more.cost)? - expected(&less.cost)?) / (2.0 * h);
    let exact = expected(&sensitivity.change.cost)?;
    assert!((exact / slope - 1.0).abs() < 1e-5);
    Ok(())
}
