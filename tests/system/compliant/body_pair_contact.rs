//! The contacts of a step as resultants between pairs of bodies.

use crate::support::scenes::{cube, free_body};
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::body_pair_contacts;
use dualbody::contact::{
    CollisionGeometry, ContactDetail, ContactMaterial, ContactModelBuilder,
    ContactResultantForceCalculator,
};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::TimeSteppingRigidBodySystem;
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, InvalidInput, Parameters};
use nalgebra::{DVector, Vector3};

#[test]
fn a_standing_cube_is_carried_below_its_center() {
    let system = cube(1e-3);
    let depth = 0.37 * 9.81 / (4.0 * 2e4);
    let start = free_body(
        [1.0, 0.0, 0.0, 0.0],
        [0.3, -0.2, 0.0524 - depth],
        [0.0; 3],
        [0.0; 3],
    );
    let mut workspace = system.workspace().unwrap();
    let mut step = system.step(&mut workspace, &start, &[]).unwrap();
    let contacts = step.contacts().unwrap();
    let pairs = body_pair_contacts(contacts).unwrap();
    assert_eq!(pairs.len(), 1);
    let pair = &pairs[0];
    assert_eq!(
        (pair.body_a, pair.body_b),
        (BodyIndex::new(1), BodyIndex::WORLD)
    );
    assert_eq!(pair.num_contacts, 4);
    let weight = Vector3::new(0.0, 0.0, 0.37 * 9.81);
    assert!((pair.resultant.force() - weight).amax() < 1e-6);
    assert!(
        (pair.resultant.application_point().xy() - nalgebra::Vector2::new(0.3, -0.2)).amax() < 1e-6
    );
    assert!((pair.resultant.normal() - Vector3::z()).amax() < 1e-12);
    assert!(pair.resultant.pure_torque().amax() < 1e-6);
    // The same by hand, through details.
    let mut details: Vec<Box<dyn ContactDetail<f64>>> = Vec::new();
    let mut calculator = ContactResultantForceCalculator::with_accumulator(&mut details);
    for contact in contacts {
        calculator.add_detail(Box::new(*contact)).unwrap();
    }
    assert_eq!(calculator.resultant().unwrap(), pair.resultant);
    assert!(body_pair_contacts::<f64>(&[]).unwrap().is_empty());
    // In the air there is no pair.
    let high = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]);
    let mut step = system.step(&mut workspace, &high, &[]).unwrap();
    assert!(
        body_pair_contacts(step.contacts().unwrap())
            .unwrap()
            .is_empty()
    );
}

/// Two feet of one body on two knobs of another, one listed before its knob and one after.
#[test]
fn contacts_count_for_their_pair_in_either_order() {
    let mut builder = RigidBodyTreeBuilder::new();
    builder.set_gravity(Vector3::zeros()).unwrap();
    let inertia = SpatialInertia::solid_box(1.0, &Vector3::repeat(0.2));
    let [walker, base] = ["walker", "base"].map(|n| builder.add_body(n, inertia).unwrap());
    let tree = builder.finish().unwrap();
    let material = ContactMaterial::new(1e4, 0.5, 0.3).unwrap();
    let mut contact = ContactModelBuilder::new();
    for (name, body, x) in [
        ("left foot", walker, -0.2),
        ("left knob", base, -0.2),
        ("right knob", base, 0.3),
        ("right foot", walker, 0.3),
    ] {
        let pose_in_body = RigidTransform::from_translation(Vector3::x() * x);
        (contact.add_geometry(CollisionGeometry {
            name: name.to_owned(),
            body,
            pose_in_body,
            shape: Shape::new_sphere(0.05).unwrap(),
            material,
        }))
        .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).unwrap();
    // The feet are 1 mm deep in the knobs below.
    let mut start = system.neutral_state();
    start.q[13] = -0.099;
    let mut workspace = system.workspace().unwrap();
    let mut step = system.step(&mut workspace, &start, &[]).unwrap();
    let contacts = step.contacts().unwrap();
    assert_ne!(contacts[0].body_a, contacts[1].body_a);
    let pairs = body_pair_contacts(contacts).unwrap();
    assert_eq!((pairs.len(), pairs[0].num_contacts), (1, 2));
    let on_walker = if pairs[0].body_a == walker {
        pairs[0].resultant
    } else {
        pairs[0].resultant.reaction()
    };
    let sum: Vector3<f64> = (contacts.iter())
        .map(|c| {
            if c.body_a == walker {
                c.force_on_a()
            } else {
                c.force_on_b()
            }
        })
        .sum();
    assert!((on_walker.force() - sum).amax() < 1e-12 && sum.z > 1.0);
    assert!((on_walker.normal() - Vector3::z()).amax() < 1e-12);
    let x = on_walker.application_point().x;
    assert!((-0.2..0.3).contains(&x));
}

/// Resultant of the cube on the ground after a step, as a function of velocities and of friction.
struct Carried;

impl VectorFunction for Carried {
    type Error = InvalidInput;
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let mut system = cube(1e-3).cast::<T>();
        system.set_parameter("body/shape/friction", x[6]).unwrap();
        // On two corners, one lower than the other.
        let start = free_body(
            [1.0, 0.15, 0.01, 0.0],
            [0.0, 0.0, 0.0638],
            [0.0; 3],
            [0.0; 3],
        );
        let mut state = start.cast::<T>();
        state.v.copy_from_slice(&x[..6]);
        let mut workspace = system.workspace().unwrap();
        let mut step = (system.step(&mut workspace, &state, &[])).unwrap();
        let pairs = body_pair_contacts(step.contacts().unwrap()).unwrap();
        let [pair] = pairs.as_slice() else {
            panic!("one pair of bodies, not {}", pairs.len())
        };
        assert_eq!(pair.num_contacts, 2);
        assert!(pair.kinks.normal_resultant > 1.0);
        let resultant = &pair.resultant;
        let vectors = [
            resultant.application_point(),
            resultant.force(),
            resultant.pure_torque(),
        ];
        let values = vectors.into_iter().flat_map(|v| v.iter().copied());
        Ok(DVector::from_iterator(9, values))
    }
}

#[test]
fn resultants_of_a_step_are_differentiable() {
    let x = [0.3, -0.2, 0.4, 0.5, 0.3, -0.3, 0.2];
    let checker = JacobianChecker::default().tolerance(1e-6, 1e-7);
    check_jacobian(&checker, &Carried, &x)
        .unwrap()
        .assert_agrees();
}
