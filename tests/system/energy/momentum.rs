//! Constraints between free bodies act on both alike: they leave the momentum of all as it is.

use crate::support::random_tree::Random;
use dualbody::constraint::{
    AnyConstraint, BallConstraint, DistanceConstraint, HingeConstraint, WeldConstraint,
};
use dualbody::contact::ContactMaterial;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialVelocity};
use dualbody::system::{
    IntegrationMethod, Scheme, State, SystemBuilder, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, RigidBodyTree};
use nalgebra::Vector3;

/// What may be lost, relative to the sum of the momenta of the bodies; rigid contacts leave more.
fn tolerance(scheme: Scheme) -> f64 {
    match scheme {
        Scheme::Rigid => 1e-10,
        _ => 1e-11,
    }
}

fn constraints() -> Vec<AnyConstraint<f64>> {
    let (a, b) = (BodyIndex::new(1), BodyIndex::new(2));
    let (p, q) = (Vector3::new(0.2, 0.05, 0.0), Vector3::new(-0.2, 0.0, 0.1));
    let at = RigidTransform::from_translation;
    vec![
        AnyConstraint::new(BallConstraint::new("ball", (a, p), (b, q)).unwrap()),
        AnyConstraint::new(DistanceConstraint::new("rod", (a, p), (b, q), 0.05).unwrap()),
        AnyConstraint::new(
            HingeConstraint::new("hinge", (a, p, Vector3::y()), (b, q, Vector3::y())).unwrap(),
        ),
        AnyConstraint::new(WeldConstraint::new("weld", (a, at(p)), (b, at(q))).unwrap()),
    ]
}

fn momentum(tree: &RigidBodyTree<f64>, state: &State<f64>) -> (Vector3<f64>, f64) {
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, state.q.as_slice(), state.v.as_slice())
        .unwrap();
    let momentum = tree.momentum(&workspace, &Vector3::zeros()).unwrap().linear;
    let bodies = tree.bodies().skip(1);
    let speed = |body| tree.body_velocity(&workspace, body).unwrap().linear.norm();
    let all = bodies
        .map(|body| body.inertia().mass * speed(body.index()))
        .sum();
    (momentum, all)
}

/// The constraints are violated at the start, so that steps pull them together hard, and the bodies touch: a light one
/// that sticks to the other has hardly a mobility left.
#[test]
fn is_conserved_by_constraints_in_every_scheme() {
    let mut random = Random::new(5);
    let continuous = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 4,
    };
    for constraint in constraints() {
        let material = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
        let box_of = |size| Shape::new_box(size).unwrap();
        let system = SystemBuilder::new()
            .free_body("a", box_of(Vector3::new(0.4, 0.2, 0.1)), 1.5, material)
            .free_body("b", box_of(Vector3::new(0.3, 0.1, 0.2)), 0.02, material)
            .build()
            .unwrap()
            .with_constraints([constraint.clone()])
            .unwrap();
        for scheme in [Scheme::Compliant, Scheme::Rigid, continuous] {
            let stepper =
                TimeSteppingRigidBodySystem::with_scheme(system.clone(), 2e-3, scheme).unwrap();
            let mut state = stepper.initial_state();
            stepper
                .set_body_position(&mut state, "b", Vector3::new(0.45, 0.06, -0.05))
                .unwrap();
            let moved = SpatialVelocity::new(random.vector() * 3.0, random.vector());
            stepper.set_body_velocity(&mut state, "b", &moved).unwrap();
            let mut workspace = stepper.workspace().unwrap();
            let tree = stepper.tree();
            for step in 0..300 {
                let (before, size) = momentum(tree, &state);
                state = stepper
                    .step(&mut workspace, &state, &[])
                    .unwrap_or_else(|e| {
                        panic!("{constraint:?}, {scheme:?}, step {step}: {e} {state:?}")
                    })
                    .state()
                    .clone();
                let (after, size_after) = momentum(tree, &state);
                let weight = tree.gravity() * (tree.total_mass() * 2e-3);
                let change = (after - before - weight).norm() / size.max(size_after);
                assert!(
                    change < tolerance(scheme),
                    "{constraint:?}, {scheme:?}, step {step}: {change:e}"
                );
            }
        }
    }
}
