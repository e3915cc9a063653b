//! Constraints that are nonlinear in accelerations and forces.

use dualbody::Scalar;
use dualbody::constraint::{
    AccelerationSolution, Baumgarte, ConstraintError, ConstraintSolver, GearConstraint,
    JointLimitConstraint, NonlinearConstraint, NonlinearRows, TreeConstraints,
};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{
    BodyIndex, JointIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace,
};
use nalgebra::Vector3;
use num_dual::{Dual2_64, Dual64};

const G: f64 = 9.81;

/// A drive on the first coordinate: `φ = f + a f² + b f³ + c v̇ + d v̇² − u`.
struct Drive<T> {
    a: T,
    b: T,
    c: T,
    d: T,
    u: T,
}

fn drive<T: Scalar>(constants: [T; 5]) -> Drive<T> {
    let [a, b, c, d, u] = constants;
    Drive { a, b, c, d, u }
}

impl<T: Scalar> NonlinearConstraint<T> for Drive<T> {
    fn name(&self) -> &str {
        "drive"
    }
    fn num_rows(&self) -> usize {
        1
    }
    fn evaluate(
        &self,
        _tree: &RigidBodyTree<T>,
        _workspace: &TreeWorkspace<T>,
        _time: T,
        (vdot, f): (&[T], &[T]),
        rows: &mut NonlinearRows<T>,
    ) -> Result<(), ConstraintError> {
        let (x, f) = (vdot[0], f[0]);
        rows.phi[0] = f * (f * (f * self.b + self.a) + 1.0) + x * (x * self.d + self.c) - self.u;
        rows.by_acceleration[(0, 0)] = x * self.d * 2.0 + self.c;
        rows.by_force[(0, 0)] = f * (f * self.b * 3.0 + self.a * 2.0) + 1.0;
        rows.force_directions[(0, 0)] = T::one();
        Ok(())
    }
}

/// Sliders of 2 kg along the axis, each with an upper bound of nothing and a lower bound of 0.
fn sliders<T: Scalar>(axis: Vector3<f64>) -> (RigidBodyTree<T>, [JointIndex; 2]) {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::point_mass(T::from(2.0), Vector3::zeros());
    let joints = ["first", "second"].map(|name| {
        let body = builder.add_body(name, inertia).unwrap();
        let kind = JointKind::Prismatic {
            axis: axis.map(T::from),
        };
        let here = RigidTransform::identity();
        builder
            .add_joint(name, kind, BodyIndex::WORLD, here, body)
            .unwrap()
    });
    (builder.finish().unwrap(), joints)
}

fn accelerate<T: Scalar>(
    constraints: &TreeConstraints<'_, T>,
    tree: &RigidBodyTree<T>,
    drive: &Drive<T>,
) -> Result<AccelerationSolution<T>, ConstraintError> {
    let mut workspace = tree.workspace();
    let rest = [T::zero(); 2];
    tree.set_state(&mut workspace, &rest, &rest).unwrap();
    let mut solver = ConstraintSolver::default();
    constraints.solve_nonlinear(&[drive], tree, &mut workspace, &rest, &mut solver)
}

#[test]
fn a_drive_has_the_force_of_its_law_with_derivatives_of_both_orders() {
    // v̇ = f/m, so that u is a polynomial of f, and f its inverse function.
    let (a, b, c, d, m) = (0.3, 0.05, 0.7, 0.2, 2.0);
    for force in [0.0, 0.4, 3.0, 40.0] {
        let u = |f: f64| f + (a + d / (m * m)) * f * f + b * f.powi(3) + c * f / m;
        let slope = 1.0 + 2.0 * (a + d / (m * m)) * force + 3.0 * b * force * force + c / m;
        let curvature = 2.0 * (a + d / (m * m)) + 6.0 * b * force;
        let (tree, _) = sliders::<Dual2_64>(Vector3::x());
        let [a, b, c, d] = [a, b, c, d].map(Dual2_64::from);
        let law = drive([a, b, c, d, Dual2_64::from(u(force)).derivative()]);
        let solution = accelerate(&TreeConstraints::new(), &tree, &law).unwrap();
        let f = solution.forces.bilateral()[0];
        let scale = 1.0 + force;
        assert!((f.re - force).abs() < 1e-12 * scale, "{force}: {f}");
        assert!((f.v1 - 1.0 / slope).abs() < 1e-12, "{force}: {f}");
        assert!(
            (f.v2 + curvature / slope.powi(3)).abs() < 1e-11,
            "{force}: {f}"
        );
        let x = solution.generalized_acceleration[0];
        assert!((x.re - force / m).abs() < 1e-12 * scale && (x.v1 - 0.5 / slope).abs() < 1e-12);
        assert_eq!(solution.generalized_acceleration[1].re, 0.0);
    }
}

#[test]
fn drives_act_with_the_other_constraints() {
    // Sliders on their stops, geared one to one: the law of the drive has v̇ = 0 until it lifts both.
    let (tree, [first, second]) = sliders::<Dual64>(Vector3::z());
    let zero = Dual64::from(0.0);
    let stop = |name, joint| JointLimitConstraint::new(name, &tree, joint, Some(zero), None);
    let one = Dual64::from(1.0);
    let stop = stop("stop", first).unwrap();
    let gear = GearConstraint::new("gear", &tree, first, second, one).unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.add(&stop, Baumgarte::none());
    constraints.add(&gear, Baumgarte::none());
    let weight = 2.0 * 2.0 * G;
    for force in [5.0f64, 30.0, 50.0] {
        let lifts = force > weight;
        let acceleration = if lifts { (force - weight) / 4.0 } else { 0.0 };
        let (b, c) = (0.02, 0.4);
        let u = force + b * force.powi(3) + c * acceleration;
        let slope = 1.0 + 3.0 * b * force * force + if lifts { c / 4.0 } else { 0.0 };
        let law = [
            0.0.into(),
            b.into(),
            c.into(),
            zero,
            Dual64::from(u).derivative(),
        ];
        let solution = accelerate(&constraints, &tree, &drive(law)).unwrap();
        let (forces, vdot) = (&solution.forces, &solution.generalized_acceleration);
        // The gear first, then the drive.
        let f = forces.bilateral()[1];
        assert!((f.re - force).abs() < 1e-10, "{f}");
        assert!((f.eps - 1.0 / slope).abs() < 1e-12, "{f}");
        let held = forces.limit()[0];
        assert!(
            (held.re - (weight - force).max(0.0)).abs() < 1e-10,
            "{held}"
        );
        assert!((held.eps + if lifts { 0.0 } else { 1.0 / slope }).abs() < 1e-12);
        for x in vdot {
            assert!((x.re - acceleration).abs() < 1e-10, "{x}");
        }
    }
}

#[test]
fn laws_without_a_solution_are_refused() {
    let (tree, _) = sliders::<f64>(Vector3::x());
    let none = TreeConstraints::new();
    // f² + f + 1.3 has no zero.
    let error = accelerate(&none, &tree, &drive([1.0, 0.0, 0.0, 0.0, -1.3])).unwrap_err();
    assert!(
        matches!(
            error,
            ConstraintError::NotConverged { .. } | ConstraintError::Lcp(_)
        ),
        "{error}"
    );
    let error = accelerate(&none, &tree, &drive([1.0, 0.0, 0.0, 0.0, f64::NAN])).unwrap_err();
    assert!(error.to_string().contains("\"drive\""), "{error}");
}
