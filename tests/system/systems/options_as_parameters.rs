//! Numbers of the options as parameters: derivatives against closed forms and differences.

use crate::support::derivatives_of_steps::assert_step_jacobian_agrees;
use dualbody::constraint::JointLimitConstraint;
use dualbody::contact::{CollisionGeometry, ContactModelBuilder};
use dualbody::prelude::*;
use dualbody::system::Scheme;
use dualbody::tree::{BodyIndex, JointKind};
use num_dual::Dual64;

const SIDE: f64 = 0.1;

/// A slider along an axis of the world that carries a cube, above a floor.
fn slider(axis: Vector3<f64>, friction: f64) -> RigidBodySystem<f64> {
    let material = ContactMaterial::new(1e4, 0.2, friction).unwrap();
    let mut tree = RigidBodyTreeBuilder::new();
    let size = Vector3::repeat(SIDE);
    let cube = (tree.add_body("cube", SpatialInertia::solid_box(1.0, &size))).unwrap();
    let kind = JointKind::Prismatic { axis };
    let here = RigidTransform::from_translation(Vector3::new(0.0, 0.0, 0.5 * SIDE));
    (tree.add_joint("slide", kind, BodyIndex::WORLD, here, cube)).unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    for (name, body, shape) in [
        ("cube", cube, Shape::new_box(size).unwrap()),
        ("floor", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        let geometry = CollisionGeometry {
            name: name.to_owned(),
            body,
            pose_in_body: RigidTransform::identity(),
            shape,
            material,
        };
        contact.add_geometry(geometry).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    RigidBodySystem::new(tree, contact).unwrap()
}

/// z(t) = −o exp(−t/τ): how deep the cube is after ten steps of a fifth of τ.
#[test]
fn overlaps_decay_with_a_derivative() {
    type Machine<T> = TimeSteppingRigidBodySystem<T>;
    fn depth<T: Scalar>(machine: &Machine<T>, x: &[T]) -> Result<T> {
        let mut machine = machine.clone();
        machine.set_parameter("overlap_decay", x[0])?;
        let mut start = machine.initial_state();
        start.q[0] = T::from(-2e-3);
        Ok(-machine.rollout(&start, 10)?.last().q[0])
    }
    let machine = Machine::rigid(slider(Vector3::z(), 0.0), 0.01).unwrap();
    let (found, slope) = gradient!(depth, &machine, [0.05]).unwrap();
    let expected = 2e-3 * (-2.0f64).exp();
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    // The scheme is implicit: the closed form of its decay a step is exp(−δt/τ).
    assert!((slope[0] - expected * 2.0 / 0.05).abs() < 1e-7, "{slope}");
}

#[test]
fn jacobians_by_options_agree_with_differences() {
    let options = ["stiction_tolerance", "friction_softening"];
    let mut system = slider(Vector3::x(), 0.5);
    let mut start = system.initial_state();
    // Slip below the stiction tolerance, and above.
    for slip in [3e-4, 0.2] {
        start.v[0] = slip;
        let machine = TimeSteppingRigidBodySystem::compliant(system.clone(), 1e-3).unwrap();
        let mut sunk = start.clone();
        sunk.q[0] = 0.01;
        assert_step_jacobian_agrees(&machine, (&sunk, &[]), &options, 1e-7);
    }
    // Beyond a limit, which it comes back to.
    let slide = system.tree().joint_by_name("slide").unwrap();
    let limit = JointLimitConstraint::new("stop", system.tree(), slide, None, Some(0.3)).unwrap();
    system.add_constraint(limit).unwrap();
    start.q[0] = 0.32;
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let machine =
            TimeSteppingRigidBodySystem::with_scheme(system.clone(), 1e-3, scheme).unwrap();
        assert_step_jacobian_agrees(&machine, (&start, &[]), &["constraint_decay"], 1e-6);
    }
}

#[test]
fn parameters_and_options_are_the_same_numbers() {
    let mut system = slider(Vector3::z(), 0.3);
    assert_eq!(system.parameter("overlap_decay").unwrap(), f64::INFINITY);
    for (name, value) in [
        ("stiction_tolerance", 2e-3),
        ("friction_softening", 0.02),
        ("rebound_speed", 0.01),
        ("overlap_decay", 0.1),
        ("constraint_decay", 0.2),
    ] {
        system.set_parameter(name, value).unwrap();
        assert_eq!(system.parameter(name).unwrap(), value);
        assert!(system.set_parameter(name, -value).is_err());
    }
    let options = *system.options();
    assert_eq!(options.contact_solver.stiction_tolerance, 2e-3);
    assert_eq!(options.contact_solver.relative_tolerance, 0.02);
    assert_eq!(options.rebound_speed, 0.01);
    assert_eq!(
        (options.overlap_decay, options.constraint_decay),
        (0.1, 0.2)
    );
    let copy = slider(Vector3::z(), 0.3).with_options(options).unwrap();
    assert_eq!(copy.parameter("constraint_decay").unwrap(), 0.2);
}

/// What is not told by a parameter keeps its derivative when options are set.
#[test]
fn options_of_the_same_value_keep_derivatives() {
    let mut system = slider(Vector3::z(), 0.3).cast::<Dual64>();
    let decay = Dual64::from(0.1).derivative();
    system.set_parameter("constraint_decay", decay).unwrap();
    let mut options = *system.options();
    options.rebound_speed = 0.5;
    let system = system.with_options(options).unwrap();
    assert_eq!(system.parameter("constraint_decay").unwrap().eps, 1.0);
    assert_eq!(system.parameter("rebound_speed").unwrap().re, 0.5);
}
