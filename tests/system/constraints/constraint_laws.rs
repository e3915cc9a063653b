//! Constraints of trees as force laws: exact at the ends of steps, and inequalities with forces of their own.

use crate::support::derivatives_of_steps::assert_step_jacobian_agrees;
use dualbody::constants;
use dualbody::constraint::{
    ConstraintError, ConstraintKind, ConstraintLaw, ConstraintRows, DistanceConstraint,
    TreeConstraint,
};
use dualbody::contact::ContactModel;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::prelude::*;
use dualbody::system::{IntegrationMethod, Scheme};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace};
use nalgebra::{DMatrix, Vector3};

const DISCRETE: [Scheme; 2] = [Scheme::Compliant, Scheme::Rigid];

/// The first joint is not below zero, by a force between it and what it carries.
#[derive(Debug, Clone)]
struct Kick<T> {
    least: T,
}

impl<T: Scalar> TreeConstraint<T> for Kick<T> {
    constants! { TreeConstraint for Kick, named "kick" { least: any("m"); } }

    fn num_rows(&self) -> usize {
        1
    }

    fn kind(&self) -> ConstraintKind {
        ConstraintKind::Unilateral
    }

    fn evaluate(
        &self,
        _: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _: T,
        rows: &mut ConstraintRows<T>,
    ) -> std::result::Result<(), ConstraintError> {
        rows.phi[0] = workspace.q()[0] - self.least;
        rows.jacobian[(0, 0)] = T::one();
        // What the cart carries is pushed back, which pushes the cart on.
        rows.force_directions = Some(DMatrix::from_row_slice(1, 2, &[T::zero(), -T::one()]));
        Ok(())
    }
}

/// A cart of 2 kg that carries another of 1 kg, on one rail.
fn carts() -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let mut parent = BodyIndex::WORLD;
    for (name, mass) in [("cart", 2.0), ("load", 1.0)] {
        let inertia = SpatialInertia::point_mass(mass, Vector3::zeros());
        let body = tree.add_body(name, inertia).unwrap();
        tree.add_joint(name, rail, parent, RigidTransform::identity(), body)
            .unwrap();
        parent = body;
    }
    RigidBodySystem::new(tree.finish().unwrap(), ContactModel::none()).unwrap()
}

/// It stops the cart where it may not go on; the load takes all momentum.
#[test]
fn an_inequality_is_upheld_by_a_force_elsewhere() {
    for scheme in DISCRETE {
        let mut system = carts();
        system
            .add_force_law(ConstraintLaw::new(Kick { least: 0.0 }))
            .unwrap();
        let machine = TimeSteppingRigidBodySystem::with_scheme(system, 0.01, scheme).unwrap();
        let mut state = machine.neutral_state();
        (state.q[0], state.v[0]) = (0.095, -1.0);
        let mut workspace = machine.workspace().unwrap();
        let mut pushes = 0;
        for _ in 0..30 {
            let mut step = machine.step(&mut workspace, &state, &[]).unwrap();
            let force = step.law_forces().unwrap()[0];
            let next = step.state();
            assert!(next.q[0] > -1e-12 && force >= 0.0, "{scheme:?}: {next:?}");
            assert!((force * next.q[0]).abs() < 1e-9, "{scheme:?}: {force}");
            // Momentum of both, which no force between them changes.
            let momentum = 2.0 * next.v[0] + (next.v[0] + next.v[1]);
            assert!((momentum + 3.0).abs() < 1e-9, "{scheme:?}: {momentum}");
            pushes += usize::from(force > 0.0);
            state = next.clone();
        }
        assert!(pushes > 0 && state.v[0].abs() < 1e-9, "{state:?}");
        assert!((state.v[1] + 3.0).abs() < 1e-9, "{state:?}");
        // Before, while and after it acts.
        for q in [0.5, 0.004] {
            (state.q[0], state.v[0], state.v[1]) = (q, -1.0, 0.2);
            assert_step_jacobian_agrees(&machine, (&state, &[]), &["kick/least"], 1e-6);
        }
    }
}

#[test]
fn equations_hold_at_the_ends_of_long_steps() {
    let continuous = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 4,
    };
    for scheme in [Scheme::Compliant, Scheme::Rigid, continuous] {
        let mut tree = RigidBodyTreeBuilder::new();
        let bob = tree
            .add_body("bob", SpatialInertia::solid_sphere(2.0, 0.05))
            .unwrap();
        let mut system =
            RigidBodySystem::new(tree.finish().unwrap(), ContactModel::none()).unwrap();
        let origin = (BodyIndex::WORLD, Vector3::zeros());
        let rod = DistanceConstraint::new("rod", (bob, Vector3::zeros()), origin, 1.0).unwrap();
        system.add_force_law(ConstraintLaw::new(rod)).unwrap();
        let machine = TimeSteppingRigidBodySystem::with_scheme(system, 0.02, scheme).unwrap();
        let mut state = machine.neutral_state();
        machine
            .set_body_position(&mut state, "bob", Vector3::x())
            .unwrap();
        let tolerance = if scheme == continuous { 1e-5 } else { 1e-10 };
        for state in machine.rollout(&state, 100).unwrap().states {
            let pose: RigidTransform<f64> = machine.body_pose(&state, "bob").unwrap();
            let off = (pose.translation.norm() - 1.0).abs();
            assert!(off < tolerance, "{scheme:?}: {off}");
        }
    }
}

#[test]
fn what_it_cannot_do_is_said() {
    let mut system = carts();
    system.add_constraint(Kick { least: 0.0 }).unwrap();
    let error = TimeSteppingRigidBodySystem::rigid(system, 0.01).unwrap_err();
    assert!(
        error.to_string().contains("\"kick\" is an inequality"),
        "{error}"
    );

    let mut system = carts();
    system
        .add_force_law(ConstraintLaw::new(Kick { least: 0.0 }))
        .unwrap();
    let continuous = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 1,
    };
    let error = TimeSteppingRigidBodySystem::with_scheme(system, 0.01, continuous).unwrap_err();
    assert!(error.to_string().contains("continuous"), "{error}");
}
