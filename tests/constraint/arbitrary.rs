//! Arbitrary numbers through constraints of trees and constraint problems: an error, or solutions that are finite.

use crate::support::arbitrary_number::number;
use crate::support::cases::cases;
use crate::support::constraint_problem::matrices;
use crate::support::scenes::geometry;
use dualbody::constraint::{
    BallConstraint, Baumgarte, ConstraintAccelProblemData, ConstraintError, ConstraintForces,
    ConstraintSolver, ConstraintVelProblemData, DistanceConstraint, GearConstraint,
    HingeConstraint, JointLimitConstraint, MotionProfile, MotionSpline, PrescribedMotion,
    TreeConstraint, TreeConstraints,
};
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::{DMatrix, DVector, Vector3};
use proptest::prelude::*;
use std::error::Error;

fn assert_finite(what: &str, forces: &ConstraintForces<f64>, motion: &DVector<f64>) {
    let numbers = forces
        .packed
        .iter()
        .chain(&forces.generalized)
        .chain(motion);
    assert!(numbers.into_iter().all(|x| x.is_finite()), "{what}");
}

fn boxed<C: TreeConstraint<f64> + 'static>(
    constraint: Result<C, ConstraintError>,
) -> Option<Box<dyn TreeConstraint<f64>>> {
    constraint.ok().map(|constraint| Box::new(constraint) as _)
}

/// Two arms and a ball over the ground, constrained in every way, with numbers for everything.
fn solve_tree(x: &[f64]) -> Result<(), Box<dyn Error>> {
    let mut tree = RigidBodyTreeBuilder::new();
    let mut parent = BodyIndex::WORLD;
    let mut joints = Vec::new();
    for name in ["upper", "lower"] {
        let body = tree.add_body(name, SpatialInertia::solid_sphere(1.0, 0.1))?;
        let pose = RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.5));
        let axis = Vector3::y();
        joints.push(tree.add_joint(name, JointKind::Revolute { axis }, parent, pose, body)?);
        parent = body;
    }
    let ball = tree.add_body("ball", SpatialInertia::solid_sphere(0.5, 0.1))?;
    let tree = tree.finish()?;
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e4, 0.5, x[0].abs())?;
    contact.add_geometry(geometry("ball", ball, Shape::new_sphere(0.1)?, material))?;
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, material);
    contact.add_geometry(ground)?;
    let contact = contact.finish(&tree)?;
    let point = Vector3::new(x[1], x[2], x[3]);
    let axis = Vector3::new(x[4], x[5], x[6]);
    let (arm, at) = ((parent, point), (ball, Vector3::zeros()));
    let gear = GearConstraint::new("gear", &tree, joints[0], joints[1], x[8]);
    let hinge = HingeConstraint::new("hinge", (parent, point, axis), (ball, point, Vector3::x()));
    let (lower, upper) = (Some(x[10]), Some(x[11]));
    let motion = MotionSpline::through(x[12], x[13], &x[14..18]).map(|spline| {
        let profile = MotionProfile::Spline(spline);
        PrescribedMotion::new("motion", &tree, joints[0], profile)
    });
    let constraints = [
        boxed(BallConstraint::new("ball", arm, at)),
        boxed(DistanceConstraint::new("rod", arm, at, x[7])),
        boxed(gear.and_then(|gear| gear.with_offset(x[9]))),
        boxed(hinge),
        boxed(JointLimitConstraint::new(
            "stop", &tree, joints[1], lower, upper,
        )),
        motion.ok().and_then(boxed),
    ];
    let stabilization = Baumgarte {
        alpha: x[18],
        beta: x[19],
    };
    let mut q = tree.neutral_configuration();
    let mut rest = x[20..].iter();
    // Coordinates of the arms, and the position of the ball.
    let movable = [0, 1, q.len() - 3, q.len() - 2, q.len() - 1];
    (movable.into_iter().zip(&mut rest)).for_each(|(i, x)| q[i] = *x);
    let v: Vec<f64> = rest.by_ref().take(tree.num_velocities()).copied().collect();
    let tau: Vec<f64> = rest.by_ref().take(v.len()).copied().collect();
    let dt = *rest.next().ok_or("too few numbers")?;
    let mut workspace = tree.workspace();
    let mut solver = ConstraintSolver::default();
    for constraint in constraints.iter().flatten() {
        let mut all = TreeConstraints::new();
        all.time = x[13];
        all.add(constraint.as_ref(), stabilization);
        all.set_contact(&contact, stabilization);
        tree.set_state(&mut workspace, q.as_slice(), &v)?;
        if let Ok(mut problem) = all.acceleration_problem(&tree, &mut workspace, &tau)
            && let Ok(solution) = solver.solve_accelerations(&mut problem.data)
        {
            let what = format!("accelerations with {}", constraint.name());
            assert_finite(&what, &solution.forces, &solution.generalized_acceleration);
        }
        if let Ok(mut problem) = all.time_step_problem(&tree, &mut workspace, &tau, dt)
            && let Ok((solution, scale)) = problem.solve(&mut solver)
        {
            let what = format!("a time step with {}", constraint.name());
            assert_finite(&what, &solution.impulses, &solution.generalized_velocity);
            assert!(scale.is_finite());
        }
        if let Ok(mut problem) = all.impact_problem(&tree, &mut workspace, x[0])
            && let Ok((solution, _)) = problem.solve(&mut solver)
        {
            let what = format!("an impact with {}", constraint.name());
            assert_finite(&what, &solution.impulses, &solution.generalized_velocity);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn trees_with_constraints_of_any_numbers_are_refused_or_solved(
        x in prop::collection::vec(number(3, 2), 60),
        y in prop::collection::vec(0.01..1.0f64, 60),
        mixed in prop::collection::vec(0usize..12, 60),
    ) {
        let _ = solve_tree(&x);
        // Mostly sensible.
        let some: Vec<f64> = (0..60).map(|i| if mixed[i] == 0 { x[i] } else { y[i] }).collect();
        let _ = solve_tree(&some);
        let sensible = solve_tree(&y);
        prop_assert!(sensible.is_ok(), "{sensible:?}");
    }

    #[test]
    fn constraint_problems_of_any_numbers_are_refused_or_solved(
        x in prop::collection::vec(number(6, 1), 64),
        mass in prop::collection::vec(0.1..2.0f64, 3),
        counts in prop::collection::vec(0usize..3, 4),
    ) {
        let nv = 3;
        let [nb, nc, nl] = [counts[0], counts[1], counts[2]];
        let entry = |from: usize| move |i: usize, j: usize| [from, i, j].iter().fold(0, |k, d| 7 * k + d) % 64;
        let operators = || {
            let mut inertia = DMatrix::from_diagonal(&DVector::from_column_slice(&mass));
            if counts[3] == 0 {
                inertia[(0, 0)] = x[63];
            }
            if inertia.iter().any(|x| !(x.is_finite() && *x >= 0.0)) || inertia[(0, 0)] == 0.0 {
                return None;
            }
            let mut operators = matrices(inertia);
            operators.g = DMatrix::from_fn(nb, nv, |i, j| x[entry(1)(i, j)]);
            operators.n = DMatrix::from_fn(nc, nv, |i, j| x[entry(2)(i, j)]);
            operators.f = DMatrix::from_fn(2 * nc, nv, |i, j| x[entry(3)(i, j)]);
            operators.l = DMatrix::from_fn(nl, nv, |i, j| x[entry(4)(i, j)]);
            Some(operators)
        };
        let list = |from: usize, n: usize| DVector::from_fn(n, |i, _| x[entry(from)(i, 0)]);
        let mut solver = ConstraintSolver::default();
        if let Some(operators) = operators() {
            let mut data = ConstraintVelProblemData::new(operators);
            if data.set_rigid(nb, list(5, nc), vec![2; nc], nl).is_ok() {
                data.Mv = list(6, nv);
                data.kG = list(7, nb);
                data.kN = list(8, nc);
                data.kL = list(9, nl);
                if let Ok(solution) = solver.solve_velocities(&mut data) {
                    assert_finite("velocities", &solution.impulses, &solution.generalized_velocity);
                }
            }
        }
        if let Some(operators) = operators() {
            let mut data = ConstraintAccelProblemData::new(operators);
            data.non_sliding_contacts = (0..nc).collect();
            data.r = vec![2; nc];
            data.mu_non_sliding = list(5, nc);
            data.tau = list(6, nv);
            data.kG = list(7, nb);
            data.kN = list(8, nc);
            data.kF = list(10, 2 * nc);
            data.kL = list(9, nl);
            if let Ok(solution) = solver.solve_accelerations(&mut data) {
                assert_finite("accelerations", &solution.forces, &solution.generalized_acceleration);
            }
        }
    }
}
