//! Constraints of trees: kinematics by duals, closed loops, gears, contacts, limits.

use crate::support::random_tree::{Random, Style, random_state, random_tree};
use crate::support::scenes::geometry;
use dualbody::Scalar;
use dualbody::constraint::{
    AccelerationLimit, BallConstraint, Baumgarte, ConstraintRows, ConstraintSolver,
    DistanceConstraint, GearConstraint, HingeConstraint, JointLimitConstraint, MotionProfile,
    PrescribedMotion, TreeConstraint, TreeConstraints, WeldConstraint,
};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{
    BodyIndex, JointIndex, JointKind, Mimic, RigidBodyTree, RigidBodyTreeBuilder,
};
use nalgebra::{DVector, Matrix3, Vector3};
use num_dual::{Dual2_64, Dual64};

const G: f64 = 9.81;

fn c<T: Scalar>(x: f64) -> T {
    T::from(x)
}

fn vector<T: Scalar>(v: Vector3<f64>) -> Vector3<T> {
    v.map(T::from)
}

/// The rows of a constraint at a state.
fn rows<T: Scalar>(
    tree: &RigidBodyTree<T>,
    constraint: &dyn TreeConstraint<T>,
    q: &[T],
    v: &[T],
) -> ConstraintRows<T> {
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, q, v).unwrap();
    let mut rows = ConstraintRows::zeros(constraint.num_rows(), tree.num_velocities());
    constraint
        .evaluate(tree, &workspace, T::zero(), &mut rows)
        .unwrap();
    rows
}

/// Rates, and biases of the first rows, are the first and second derivatives of `φ` along the motion
/// of constant `v`; those of the first three rows as a body sees them, if there is one.
fn check_kinematics(
    seed: u64,
    biases: usize,
    seen_by: Option<BodyIndex>,
    build: impl Fn(&RigidBodyTree<f64>, &[f64]) -> Box<dyn TreeConstraint<Dual2_64>>,
) {
    let tree = random_tree(seed, 6, Style::General);
    let (q, v) = random_state(&tree, seed);
    let (q, v) = (q.as_slice(), v.as_slice());
    let constraint = build(&tree, q);
    let tree = tree.cast::<Dual2_64>();
    let cast = |x: &[f64]| -> Vec<Dual2_64> { x.iter().map(|&x| c(x)).collect() };
    let (q, v) = (cast(q), cast(v));
    let here = rows(&tree, constraint.as_ref(), &q, &v);
    let mut moved = q.clone();
    let t = Dual2_64::from(0.0).derivative();
    tree.integrate_exponential(&q, &v, t, &mut moved).unwrap();
    let mut along = rows(&tree, constraint.as_ref(), &moved, &v);
    if let Some(body) = seen_by {
        let rotation = |q: &[Dual2_64]| {
            let mut workspace = tree.workspace();
            tree.set_positions(&mut workspace, q).unwrap();
            tree.body_pose(&workspace, body).unwrap().rotation
        };
        let phi = Vector3::new(along.phi[0], along.phi[1], along.phi[2]);
        let seen = rotation(&q) * rotation(&moved).tr_mul(&phi);
        along.phi.rows_mut(0, 3).copy_from(&seen);
    }
    let rate = &here.jacobian * DVector::from_column_slice(&v);
    for row in 0..constraint.num_rows() {
        let phi = along.phi[row];
        assert!(
            (phi.v1 - rate[row].re).abs() < 1e-10,
            "{seed} {row}: {} {}",
            phi.v1,
            rate[row].re
        );
        if row < biases {
            let bias = here.bias[row].re;
            assert!(
                (phi.v2 - bias).abs() < 1e-9,
                "{seed} {row}: {} {bias}",
                phi.v2
            );
        }
    }
}

#[test]
fn rates_and_biases_are_derivatives_along_the_motion() {
    for seed in 0..20 {
        let random = &mut Random::new(seed);
        let (p, q) = (random.vector(), random.vector());
        let (a, b) = (random.vector(), random.vector());
        let (body_a, body_b) = (BodyIndex::new(6), BodyIndex::new(random.below(6)));
        check_kinematics(seed, 5, Some(body_b), |_, _| {
            Box::new(BallConstraint::new("ball", (body_a, vector(p)), (body_b, vector(q))).unwrap())
        });
        check_kinematics(seed, 5, None, |_, _| {
            Box::new(
                DistanceConstraint::new("rod", (body_a, vector(p)), (body_b, vector(q)), c(0.5))
                    .unwrap(),
            )
        });
        check_kinematics(seed, 5, Some(body_b), |_, _| {
            Box::new(
                HingeConstraint::new(
                    "hinge",
                    (body_a, vector(p), vector(a)),
                    (body_b, vector(q), vector(b)),
                )
                .unwrap(),
            )
        });
        // The rotation of a weld has its exact rate where the frames coincide, and its exact bias
        // where they also move together.
        check_kinematics(seed, 3, Some(body_b), |tree, state| {
            let mut workspace = tree.workspace();
            tree.set_positions(&mut workspace, state).unwrap();
            let x_wa = tree.body_pose(&workspace, body_a).unwrap();
            let x_wb = tree.body_pose(&workspace, body_b).unwrap();
            let x_ba = x_wb.inverse() * x_wa;
            Box::new(
                WeldConstraint::new(
                    "weld",
                    (body_a, RigidTransform::identity()),
                    (body_b, x_ba.cast()),
                )
                .unwrap(),
            )
        });
    }
}

/// A rod of length `l` along x from its hinge, turning about y.
fn rod<T: Scalar>(m: T, l: T) -> SpatialInertia<T> {
    let moment = m * l * l / 12.0;
    SpatialInertia {
        mass: m,
        center_of_mass: Vector3::new(l * 0.5, c(0.0), c(0.0)),
        rotational_inertia: Matrix3::from_diagonal(&Vector3::new(c(0.0), moment, moment)),
    }
}

/// A parallelogram linkage in the plane y = 0 as a tree: crank, coupler, rocker; the last hinge is
/// open.
fn linkage<T: Scalar>(a: T) -> (RigidBodyTree<T>, BodyIndex) {
    let b = 1.3;
    let mut builder = RigidBodyTreeBuilder::new();
    let axis = Vector3::y();
    let mut parent = BodyIndex::WORLD;
    let mut at = c(0.0);
    for (name, m, l) in [
        ("crank", 0.7, a),
        ("coupler", 1.1, c(b)),
        ("rocker", 0.4, a),
    ] {
        let body = builder.add_body(name, rod(c(m), l)).unwrap();
        let pose = RigidTransform::new(Matrix3::identity(), Vector3::new(at, c(0.0), c(0.0)));
        let kind = JointKind::Revolute { axis };
        builder
            .add_joint(format!("{name} hinge"), kind, parent, pose, body)
            .unwrap();
        (parent, at) = (body, l);
    }
    (builder.finish().unwrap(), parent)
}

fn crank_acceleration<T: Scalar>(phi: T, a: T, hinge: bool) -> (T, usize) {
    let (tree, rocker) = linkage(a);
    // Positive angles about y turn x downwards.
    let q = [-phi, phi, c::<T>(std::f64::consts::PI) - phi];
    let rate = c::<T>(1.5);
    let v = [rate, -rate, rate];
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let (end, ground) = (
        Vector3::new(a, c(0.0), c(0.0)),
        Vector3::new(c(1.3), c(0.0), c(0.0)),
    );
    let ball = BallConstraint::new("ball", (rocker, end), (BodyIndex::WORLD, ground)).unwrap();
    let closure = HingeConstraint::new(
        "hinge",
        (rocker, end, Vector3::y()),
        (BodyIndex::WORLD, ground, Vector3::y()),
    )
    .unwrap();
    let mut constraints = TreeConstraints::new();
    if hinge {
        constraints.add(&closure, Baumgarte::none());
    } else {
        constraints.add(&ball, Baumgarte::none());
    }
    let mut problem =
        (constraints.acceleration_problem(&tree, &mut workspace, &[c(0.0); 3])).unwrap();
    problem.data.check_adjoints().unwrap();
    let solution = ConstraintSolver::default()
        .solve_accelerations(&mut problem.data)
        .unwrap();
    (
        -solution.generalized_acceleration[0],
        solution.forces.redundant.len(),
    )
}

#[test]
fn closed_loops_move_as_the_closed_form_with_redundant_equations() {
    let (phi, a) = (0.8, 0.6);
    for k in 0..2 {
        let (p, l) = if k == 0 {
            (Dual2_64::from(phi).derivative(), c(a))
        } else {
            (c(phi), Dual2_64::from(a).derivative())
        };
        let inertia = l * l * ((0.7 + 0.4) / 3.0 + 1.1);
        let expected = -num_dual::DualNum::cos(&p) * l * G * (0.5 * (0.7 + 0.4) + 1.1) / inertia;
        for (hinge, redundant) in [(false, 1), (true, 3)] {
            let (actual, left_out) = crank_acceleration(p, l, hinge);
            assert_eq!(left_out, redundant);
            assert!(
                (actual.re - expected.re).abs() < 1e-11,
                "{actual} {expected}"
            );
            assert!(
                (actual.v1 - expected.v1).abs() < 1e-9,
                "{actual} {expected}"
            );
            assert!(
                (actual.v2 - expected.v2).abs() < 1e-8,
                "{actual} {expected}"
            );
        }
    }
}

/// Two arms that hang from the world, the second driven by the first if `mimic`.
fn arms(mimic: bool) -> (RigidBodyTree<f64>, [JointIndex; 2]) {
    let mut builder = RigidBodyTreeBuilder::new();
    let mut arm = |name: &str, m: f64, l: f64| {
        let body = builder.add_body(name, rod(m, l)).unwrap();
        let kind = JointKind::Revolute { axis: Vector3::y() };
        let pose = RigidTransform::identity();
        builder
            .add_joint(format!("{name} joint"), kind, BodyIndex::WORLD, pose, body)
            .unwrap()
    };
    let joints = [arm("first", 0.8, 0.5), arm("second", 1.4, 0.3)];
    if mimic {
        let follow = Mimic {
            joint: joints[0],
            multiplier: -2.5,
            offset: 0.2,
        };
        builder.set_mimic(joints[1], follow).unwrap();
    }
    (builder.finish().unwrap(), joints)
}

#[test]
fn gears_move_as_joints_that_follow() {
    let (tree, _) = arms(true);
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &[0.4], &[1.2]).unwrap();
    let mut expected = [0.0];
    tree.forward_dynamics(&mut workspace, &[0.7], None, &mut expected)
        .unwrap();

    let (tree, [driving, driven]) = arms(false);
    let gear = GearConstraint::new("gear", &tree, driven, driving, -2.5)
        .unwrap()
        .with_offset(0.2)
        .unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.add(&gear, Baumgarte::critical(0.1).unwrap());
    let mut workspace = tree.workspace();
    let state = [0.4, -2.5 * 0.4 + 0.2];
    tree.set_state(&mut workspace, &state, &[1.2, -3.0])
        .unwrap();
    let mut problem = constraints
        .acceleration_problem(&tree, &mut workspace, &[0.7, 0.0])
        .unwrap();
    let solution = ConstraintSolver::default()
        .solve_accelerations(&mut problem.data)
        .unwrap();
    assert!((solution.generalized_acceleration[0] - expected[0]).abs() < 1e-12);
    assert!((solution.generalized_acceleration[1] + 2.5 * expected[0]).abs() < 1e-12);
}

#[test]
fn prescribed_motion_needs_the_torque_of_inverse_dynamics() {
    let (tree, joints) = arms(false);
    let (q, v, a) = ([0.4, -0.3], [1.2, 0.5], [2.0, -1.0]);
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let mut torque = [0.0; 2];
    tree.inverse_dynamics(&mut workspace, &a, None, &mut torque)
        .unwrap();
    let motors = [0, 1].map(|k| {
        PrescribedMotion::new(
            "motor",
            &tree,
            joints[k],
            MotionProfile::Polynomial {
                coefficients: vec![q[k], v[k], a[k] / 2.0],
            },
        )
        .unwrap()
    });
    let mut constraints = TreeConstraints::new();
    constraints.add(&motors[0], Baumgarte::critical(0.01).unwrap());
    constraints.add(&motors[1], Baumgarte::critical(0.01).unwrap());
    let mut problem = constraints
        .acceleration_problem(&tree, &mut workspace, &[0.0; 2])
        .unwrap();
    let solution = ConstraintSolver::default()
        .solve_accelerations(&mut problem.data)
        .unwrap();
    for k in 0..2 {
        assert!((solution.generalized_acceleration[k] - a[k]).abs() < 1e-12);
        assert!((solution.forces.bilateral()[k] - torque[k]).abs() < 1e-12);
    }
}

#[test]
fn limits_act_where_they_are_reached() {
    let (tree, joints) = arms(false);
    let stop = JointLimitConstraint::new("limit", &tree, joints[0], None, Some(0.5)).unwrap();
    let slow = AccelerationLimit::new("slow", &tree, joints[1], 3.0).unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.add(&stop, Baumgarte::none());
    constraints.add(&slow, Baumgarte::none());
    let mut solver = ConstraintSolver::default();
    let mut accelerate = |q: f64, v: f64| {
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &[q, 0.0], &[v, 0.0])
            .unwrap();
        let mut problem = constraints
            .acceleration_problem(&tree, &mut workspace, &[0.0; 2])
            .unwrap();
        let solution = solver.solve_accelerations(&mut problem.data).unwrap();
        (solution.generalized_acceleration, problem.unilateral)
    };
    // Rods fall with 3g/(2l) cos q.
    let (free, sources) = accelerate(0.4, 0.0);
    assert!((free[0] - 1.5 * G / 0.5 * 0.4f64.cos()).abs() < 1e-12);
    assert_eq!(sources, [(1, 0)]);
    assert!((free[1] - 3.0).abs() < 1e-12);
    let (held, sources) = accelerate(0.5, 0.0);
    assert!(held[0].abs() < 1e-12);
    assert_eq!(sources, [(0, 0), (1, 0)]);
    // Leaving the stop, it is free again.
    assert!(accelerate(0.5, -1.0).0[0] > 1.0);

    // A time step stops exactly at the bound, and does not accelerate the other beyond its limit.
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &[0.49, 0.0], &[2.0, 1.0])
        .unwrap();
    let dt = 0.01;
    let mut problem = constraints
        .time_step_problem(&tree, &mut workspace, &[0.0; 2], dt)
        .unwrap();
    let v = solver
        .solve_velocities(&mut problem.data)
        .unwrap()
        .generalized_velocity;
    assert!((0.49 + dt * v[0] - 0.5f64).abs() < 1e-14);
    assert!((v[1] - 1.0 - 3.0 * dt).abs() < 1e-14);
}

/// One body on the ground z ≤ 0, with gravity turned by `slope` about y.
fn on_ground<T: Scalar>(shape: Shape<T>, slope: f64, mu: T) -> (RigidBodyTree<T>, ContactModel<T>) {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(c(2.0), vector(Vector3::new(0.02, 0.03, 0.04)));
    let body = builder.add_body("body", inertia).unwrap();
    let gravity = Vector3::new(G * slope.sin(), 0.0, -G * slope.cos());
    builder.set_gravity(vector(gravity)).unwrap();
    let tree = builder.finish().unwrap();
    let mut model = ContactModelBuilder::new();
    let soft = ContactMaterial::new(c(1e5), c(0.0), mu).unwrap();
    let ground = ContactMaterial::rigid(mu).unwrap();
    model
        .add_geometry(geometry("body", body, shape, soft))
        .unwrap();
    model
        .add_geometry(geometry(
            "ground",
            BodyIndex::WORLD,
            Shape::HalfSpace,
            ground,
        ))
        .unwrap();
    let model = model.finish(&tree).unwrap();
    (tree, model)
}

fn acceleration<T: Scalar>(
    (tree, model): &(RigidBodyTree<T>, ContactModel<T>),
    q: &[T],
    v: &[T],
) -> (DVector<T>, Vec<T>) {
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, q, v).unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.set_contact(model, Baumgarte::none());
    let tau = vec![c(0.0); tree.num_velocities()];
    let mut problem = constraints
        .acceleration_problem(tree, &mut workspace, &tau)
        .unwrap();
    problem.data.check_adjoints().unwrap();
    let solution = ConstraintSolver::default()
        .solve_accelerations(&mut problem.data)
        .unwrap();
    let normal = solution.forces.normal().to_vec();
    (solution.generalized_acceleration, normal)
}

fn pose<T: Scalar>(z: f64) -> [T; 7] {
    [1.0, 0.0, 0.0, 0.0, 0.3, -0.2, z].map(T::from)
}

#[test]
fn box_on_a_slope_sticks_or_slides() {
    let size = Vector3::new(0.4, 0.3, 0.1);
    let shape = || Shape::new_box(vector(size)).unwrap();
    let rest = [c::<Dual64>(0.0); 6];
    let (sticking, normal) = acceleration(&on_ground(shape(), 0.3, c(0.5)), &pose(0.05), &rest);
    assert!(sticking.amax().re < 1e-12);
    let total: f64 = normal.iter().map(|f| f.re).sum();
    assert!((total - 2.0 * G * 0.3f64.cos()).abs() < 1e-11);
    // It slides down, from rest or already, with g (sin θ − μ cos θ).
    let mu = Dual64::from(0.2).derivative();
    let slope = 0.5f64;
    for speed in [0.0, 0.7] {
        let mut v = rest;
        v[3] = c(speed);
        let (a, _) = acceleration(&on_ground(shape(), slope, mu), &pose(0.05), &v);
        let expected = G * (slope.sin() - 0.2 * slope.cos());
        assert!((a[3].re - expected).abs() < 1e-11, "{} {expected}", a[3].re);
        assert!((a[3].eps + G * slope.cos()).abs() < 1e-10, "{}", a[3].eps);
        assert!(a.rows(0, 3).amax().re < 1e-10 && a[5].re.abs() < 1e-11);
    }
}

#[test]
fn rolling_spheres_press_with_their_weight() {
    // A point of the sphere's surface is accelerated towards its centre, but the contact is not.
    let scene = on_ground(Shape::new_sphere(0.25).unwrap(), 0.0, 0.5);
    for v in [
        [0.0, 8.0, 0.0, 2.0, 0.0, 0.0],
        [3.0, 5.0, 2.0, 1.0, -0.3, 0.0],
    ] {
        let (a, normal) = acceleration(&scene, &pose(0.25), &v);
        assert!((normal[0] - 2.0 * G).abs() < 1e-9, "{}", normal[0]);
        assert!(a[5].abs() < 1e-9);
    }
}

#[test]
fn a_standing_rod_that_turns_is_lighter() {
    // A box that pivots about its lower edges: kN = −r w² of the corner's circle.
    let shape = Shape::new_points(vec![Vector3::new(0.0, 0.0, -0.5)]).unwrap();
    let scene = on_ground(shape, 0.0, 0.9);
    let w = 1.2f64;
    let (a, normal) = acceleration(&scene, &pose(0.5), &[0.0, w, 0.0, 0.5 * w, 0.0, 0.0]);
    // The tip stays; the centre turns about it: z̈ = −0.5 w².
    assert!((a[5] + 0.5 * w * w).abs() < 1e-9, "{}", a[5]);
    assert!((normal[0] - 2.0 * (G - 0.5 * w * w)).abs() < 1e-8);
}

#[test]
fn impacts_of_trees_bounce_with_the_restitution() {
    let (tree, model) = on_ground(Shape::new_sphere(0.25).unwrap(), 0.0, 0.0);
    let tree = tree.cast::<Dual64>();
    let model = model.cast::<Dual64>();
    let mut workspace = tree.workspace();
    let mut v = [0.0, 0.0, 0.0, 0.4, 0.0, -3.0].map(Dual64::from);
    v[5] = v[5].derivative();
    tree.set_state(&mut workspace, &pose(0.25), &v).unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.set_contact(&model, Baumgarte::none());
    let mut problem = constraints
        .impact_problem(&tree, &mut workspace, c(0.7))
        .unwrap();
    let after = ConstraintSolver::default()
        .solve_velocities(&mut problem.data)
        .unwrap()
        .generalized_velocity;
    assert!((after[5].re - 2.1).abs() < 1e-13 && (after[5].eps + 0.7).abs() < 1e-13);
    assert!((after[3].re - 0.4).abs() < 1e-14);
    let mut workspace = tree.workspace();
    assert!(
        constraints
            .impact_problem(&tree, &mut workspace, c(1.5))
            .is_err()
    );
}

#[test]
fn baumgarte_drives_errors_out() {
    // A point mass on a rod without mass, drawn 1 mm too far, in explicit steps.
    let mut builder = RigidBodyTreeBuilder::new();
    let body = builder
        .add_body("bob", SpatialInertia::principal(1.0, Vector3::repeat(0.1)))
        .unwrap();
    let tree = builder.finish().unwrap();
    let rod = DistanceConstraint::new(
        "rod",
        (body, Vector3::zeros()),
        (BodyIndex::WORLD, Vector3::zeros()),
        1.0,
    )
    .unwrap();
    let error_after = |baumgarte: Baumgarte<f64>| {
        let mut constraints = TreeConstraints::new();
        constraints.add(&rod, baumgarte);
        let (mut q, mut v) = (vec![1.0, 0.0, 0.0, 0.0, 1.001, 0.0, 0.0], vec![0.0; 6]);
        let (mut workspace, mut next) = (tree.workspace(), q.clone());
        let mut solver = ConstraintSolver::default();
        let dt = 1e-3;
        for _ in 0..150 {
            tree.set_state(&mut workspace, &q, &v).unwrap();
            let mut problem = constraints
                .acceleration_problem(&tree, &mut workspace, &[0.0; 6])
                .unwrap();
            let solution = solver.solve_accelerations(&mut problem.data).unwrap();
            for (v, a) in v.iter_mut().zip(&solution.generalized_acceleration) {
                *v += dt * a;
            }
            tree.integrate_exponential(&q, &v, dt, &mut next).unwrap();
            q.copy_from_slice(&next);
        }
        (Vector3::new(q[4], q[5], q[6]).norm() - 1.0).abs()
    };
    assert!(error_after(Baumgarte::none()) > 9e-4);
    // What remains is of the integrator.
    let stabilized = error_after(Baumgarte::critical(0.02).unwrap());
    assert!(stabilized < 1e-4, "{stabilized}");
    assert!(Baumgarte::critical(0.0).is_err());
}

#[test]
fn constraints_that_are_not_defined_are_refused() {
    let (tree, joints) = arms(false);
    let mut workspace = tree.workspace();
    let point = DistanceConstraint::new(
        "rod",
        (BodyIndex::new(1), Vector3::zeros()),
        (BodyIndex::WORLD, Vector3::zeros()),
        1.0,
    )
    .unwrap();
    let nowhere = BallConstraint::new(
        "ball",
        (BodyIndex::new(7), Vector3::zeros()),
        (BodyIndex::WORLD, Vector3::zeros()),
    )
    .unwrap();
    let all: [(&dyn TreeConstraint<f64>, &str); 2] =
        [(&point, "constraint \"rod\""), (&nowhere, "body 7")];
    for (constraint, what) in all {
        let mut constraints = TreeConstraints::new();
        constraints.add(constraint, Baumgarte::none());
        let result = constraints.acceleration_problem(&tree, &mut workspace, &[0.0; 2]);
        let message = result.unwrap_err().to_string();
        assert!(message.contains(what), "{message}");
    }
    assert!(nowhere.validate(&tree).is_err());
    let world = || (BodyIndex::WORLD, Vector3::zeros());
    assert!(DistanceConstraint::new("rod", world(), world(), -1.0).is_err());
    let nan = || (BodyIndex::WORLD, Vector3::new(0.0, f64::NAN, 0.0));
    assert!(BallConstraint::new("ball", world(), nan()).is_err());
    let axis = |x: f64| {
        (
            BodyIndex::WORLD,
            Vector3::zeros(),
            Vector3::new(x, 0.0, 0.0),
        )
    };
    assert!(HingeConstraint::new("hinge", axis(1.0), axis(0.0)).is_err());
    let stretched = RigidTransform::from_rotation(Matrix3::identity() * 2.0);
    let welded = (BodyIndex::WORLD, RigidTransform::identity());
    assert!(WeldConstraint::new("weld", welded, (BodyIndex::WORLD, stretched)).is_err());
    let limit = |lower, upper| {
        JointLimitConstraint::new("limit", &tree, joints[0], Some(lower), Some(upper))
    };
    assert!(limit(0.0, f64::NAN).is_err() && limit(1.0, 0.5).is_err());
    assert!(GearConstraint::new("gear", &tree, joints[0], joints[1], f64::INFINITY).is_err());
    let mut none = TreeConstraints::<f64>::new();
    assert!(
        none.acceleration_problem(&tree, &mut workspace, &[0.0])
            .is_err()
    );
    assert!(
        none.time_step_problem(&tree, &mut workspace, &[0.0; 2], -1.0)
            .is_err()
    );
    let changes: [fn(&mut TreeConstraints<'_, f64>); 4] = [
        |all| all.speed_tolerance = f64::NAN,
        |all| all.touch_tolerance = -1.0,
        |all| all.touch_tolerance = f64::INFINITY,
        |all| all.spanning_directions = usize::MAX,
    ];
    for change in changes {
        none = TreeConstraints::new();
        change(&mut none);
        assert!(
            none.acceleration_problem(&tree, &mut workspace, &[0.0; 2])
                .is_err()
        );
        assert!(none.impact_problem(&tree, &mut workspace, 0.5).is_err());
    }
    let hold = JointLimitConstraint::new("limit", &tree, joints[0], Some(0.0), None).unwrap();
    for (alpha, beta) in [(-1.0, 0.0), (0.0, f64::NAN), (f64::INFINITY, 0.0)] {
        let mut constraints = TreeConstraints::new();
        constraints.add(&hold, Baumgarte { alpha, beta });
        assert!(
            constraints
                .time_step_problem(&tree, &mut workspace, &[0.0; 2], 0.01)
                .is_err()
        );
    }
}

#[test]
fn rods_pull_with_the_tension_of_the_pendulum() {
    // A bob of mass m at the angle θ from the vertical: m l w² + m g cos θ, and l θ̈ = −g sin θ.
    let (m, w, theta) = (1.7, 2.3, 0.6f64);
    let length = Dual2_64::from(0.9).derivative();
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(c(m), vector(Vector3::repeat(0.1)));
    let bob = builder.add_body("bob", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let rod = DistanceConstraint::new(
        "rod",
        (bob, Vector3::zeros()),
        (BodyIndex::WORLD, Vector3::zeros()),
        length,
    )
    .unwrap();
    let (radial, tangent) = (
        Vector3::new(theta.sin(), 0.0, -theta.cos()),
        Vector3::new(theta.cos(), 0.0, theta.sin()),
    );
    let mut q = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0].map(c::<Dual2_64>);
    let mut v = [c::<Dual2_64>(0.0); 6];
    for k in 0..3 {
        q[4 + k] = length * radial[k];
        v[3 + k] = length * w * tangent[k];
    }
    let mut constraints = TreeConstraints::new();
    constraints.add(&rod, Baumgarte::critical(c(0.01)).unwrap());
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let mut problem = constraints
        .acceleration_problem(&tree, &mut workspace, &[c(0.0); 6])
        .unwrap();
    let solution = ConstraintSolver::default()
        .solve_accelerations(&mut problem.data)
        .unwrap();
    // Positive pushes apart.
    let force = solution.forces.bilateral()[0];
    assert!((force.re + m * (0.9 * w * w + G * theta.cos())).abs() < 1e-10);
    assert!((force.v1 + m * w * w).abs() < 1e-10 && force.v2.abs() < 1e-8);
    let a = solution.generalized_acceleration;
    let along: f64 = (0..3).map(|k| a[3 + k].re * tangent[k]).sum();
    assert!((along + G * theta.sin()).abs() < 1e-12);
}

#[test]
fn welded_bodies_move_as_one() {
    // Two free bodies that are welded, and the same two with a fixed joint between them.
    let part = |mass: f64| SpatialInertia::solid_box(mass, &Vector3::new(0.3, 0.2, 0.1));
    let place = RigidTransform::new(
        nalgebra::Rotation3::from_euler_angles(0.4, 0.2, -0.9).into_inner(),
        Vector3::new(0.25, -0.1, 0.3),
    );
    let mut builder = RigidBodyTreeBuilder::new();
    let a = builder.add_body("a", part(1.5)).unwrap();
    let b = builder.add_body("b", part(0.8)).unwrap();
    builder
        .add_joint("joint", JointKind::Fixed, a, place, b)
        .unwrap();
    let fixed = builder.finish().unwrap();
    let (q, v) = random_state(&fixed, 3);
    let mut workspace = fixed.workspace();
    fixed
        .set_state(&mut workspace, q.as_slice(), v.as_slice())
        .unwrap();
    let push = [0.3, -0.2, 0.5, 1.0, 2.0, -0.7];
    let mut expected = [0.0; 6];
    fixed
        .forward_dynamics(&mut workspace, &push, None, &mut expected)
        .unwrap();
    let pose = fixed.body_pose(&workspace, b).unwrap();
    let motion = fixed
        .point_velocity(&workspace, b, &Vector3::zeros())
        .unwrap();

    let mut builder = RigidBodyTreeBuilder::new();
    let a = builder.add_body("a", part(1.5)).unwrap();
    let b = builder.add_body("b", part(0.8)).unwrap();
    let tree = builder.finish().unwrap();
    let weld = WeldConstraint::new("weld", (a, place), (b, RigidTransform::identity())).unwrap();
    let turn = nalgebra::UnitQuaternion::from_matrix(&pose.rotation);
    let mut both = [q.as_slice(), &[turn.w, turn.i, turn.j, turn.k]].concat();
    both.extend(pose.translation.iter());
    let mut rates = v.as_slice().to_vec();
    rates.extend(motion.angular.iter().chain(motion.linear.iter()));
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &both, &rates).unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.add(&weld, Baumgarte::critical(0.1).unwrap());
    let tau = [push.as_slice(), &[0.0; 6]].concat();
    let mut problem = constraints
        .acceleration_problem(&tree, &mut workspace, &tau)
        .unwrap();
    let solution = ConstraintSolver::default()
        .solve_accelerations(&mut problem.data)
        .unwrap();
    for (actual, expected) in solution.generalized_acceleration.iter().zip(expected) {
        assert!((actual - expected).abs() < 1e-9, "{actual} {expected}");
    }
    // In a time step of the same forces, the parts stay together.
    let mut problem = constraints
        .time_step_problem(&tree, &mut workspace, &tau, 1e-3)
        .unwrap();
    let solution = ConstraintSolver::default()
        .solve_velocities(&mut problem.data)
        .unwrap();
    let after = solution.generalized_velocity;
    let (turn_a, turn_b) = (after.rows(0, 3), after.rows(6, 3));
    assert!((turn_a - turn_b).amax() < 1e-10);
}

#[test]
fn redundant_equations_that_are_round_off_do_not_contradict() {
    // The same linkage in a tilted plane: rows out of the plane are zero to round-off only.
    let tilt = nalgebra::Rotation3::from_euler_angles(0.3, -0.7, 1.1).into_inner();
    for (gravity, rate) in [(0.0, 0.0), (0.0, 1.5), (G, 0.0), (G, 1.5)] {
        let (tree, rocker, end, ground) = tilted_linkage(&tilt, gravity);
        let q = [-0.8, 0.8, std::f64::consts::PI - 0.8];
        let v = [rate, -rate, rate];
        let axis = tilt * Vector3::y();
        let closure = HingeConstraint::new(
            "hinge",
            (rocker, end, axis),
            (BodyIndex::WORLD, ground, axis),
        )
        .unwrap();
        let mut constraints = TreeConstraints::new();
        constraints.add(&closure, Baumgarte::critical(0.01).unwrap());
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &q, &v).unwrap();
        let mut problem = constraints
            .acceleration_problem(&tree, &mut workspace, &[0.0; 3])
            .unwrap();
        let solution = ConstraintSolver::default()
            .solve_accelerations(&mut problem.data)
            .unwrap_or_else(|e| panic!("{gravity} {rate}: {e}"));
        assert_eq!(solution.forces.redundant.len(), 3);
        let inertia = 0.36 * ((0.7 + 0.4) / 3.0 + 1.1);
        let expected = -0.8f64.cos() * 0.6 * gravity * (0.5 * (0.7 + 0.4) + 1.1) / inertia;
        assert!((-solution.generalized_acceleration[0] - expected).abs() < 1e-10);
    }
}

/// The parallelogram linkage with everything turned by `tilt`: the tree, the rocker, and the points
/// where its open hinge belongs, on the rocker and on the ground.
fn tilted_linkage(
    tilt: &Matrix3<f64>,
    gravity: f64,
) -> (RigidBodyTree<f64>, BodyIndex, Vector3<f64>, Vector3<f64>) {
    let mut builder = RigidBodyTreeBuilder::new();
    let kind = JointKind::Revolute {
        axis: tilt * Vector3::y(),
    };
    let (mut parent, mut at) = (BodyIndex::WORLD, 0.0);
    for (name, m, l) in [
        ("crank", 0.7, 0.6),
        ("coupler", 1.1, 1.3),
        ("rocker", 0.4, 0.6),
    ] {
        let upright = rod(m, l);
        let turned = SpatialInertia {
            mass: m,
            center_of_mass: tilt * upright.center_of_mass,
            rotational_inertia: tilt * upright.rotational_inertia * tilt.transpose(),
        };
        let body = builder.add_body(name, turned).unwrap();
        let pose = RigidTransform::new(Matrix3::identity(), tilt * Vector3::new(at, 0.0, 0.0));
        builder
            .add_joint(format!("{name} hinge"), kind, parent, pose, body)
            .unwrap();
        (parent, at) = (body, l);
    }
    builder
        .set_gravity(tilt * Vector3::new(0.0, 0.0, -gravity))
        .unwrap();
    let place = |x: f64| tilt * Vector3::new(x, 0.0, 0.0);
    (builder.finish().unwrap(), parent, place(0.6), place(1.3))
}
