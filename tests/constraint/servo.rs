//! Constraints whose forces do not act along the rows of their Jacobians.

use dualbody::constraint::{
    Baumgarte, ConstraintError, ConstraintKind, ConstraintLevel, ConstraintRows, ConstraintSolver,
    HingeConstraint, TreeConstraint, TreeConstraints,
};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace};
use dualbody::{Scalar, constants};
use nalgebra::{DMatrix, Matrix3, Vector3};
use num_dual::Dual64;

/// A drive on the coordinate `drive` makes the coordinate `led` accelerate as told: `v̇ = a`.
#[derive(Debug, Clone)]
struct Servo<T> {
    led: usize,
    drive: usize,
    acceleration: T,
    kind: ConstraintKind,
}

impl<T: Scalar> TreeConstraint<T> for Servo<T> {
    constants! { TreeConstraint for Servo, named "servo" {
        led;
        drive;
        acceleration: any("rad/s²");
        kind;
    } }
    fn num_rows(&self) -> usize {
        1
    }
    fn kind(&self) -> ConstraintKind {
        self.kind
    }
    fn level(&self) -> ConstraintLevel {
        ConstraintLevel::Acceleration
    }
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        _workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        rows.jacobian[(0, self.led)] = T::one();
        rows.bias[0] = -self.acceleration;
        let mut directions = DMatrix::zeros(1, tree.num_velocities());
        directions[(0, self.drive)] = T::one();
        rows.force_directions = Some(directions);
        Ok(())
    }
}

fn servo<T>(led: usize, drive: usize, acceleration: T) -> Servo<T> {
    let kind = ConstraintKind::Bilateral;
    Servo {
        led,
        drive,
        acceleration,
        kind,
    }
}

/// A cart of 2 kg along x with a pole that hangs from it.
fn cart_pole() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(2.0, Vector3::repeat(0.1));
    let cart = builder.add_body("cart", inertia).unwrap();
    let mut pole = SpatialInertia::principal(0.7, Vector3::repeat(0.02));
    pole.center_of_mass = Vector3::new(0.0, 0.0, -0.4);
    let pole = builder.add_body("pole", pole).unwrap();
    let here = RigidTransform::identity();
    let slide = JointKind::Prismatic { axis: Vector3::x() };
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    builder
        .add_joint("slide", slide, BodyIndex::WORLD, here, cart)
        .unwrap();
    builder.add_joint("hinge", hinge, cart, here, pole).unwrap();
    builder.finish().unwrap()
}

#[test]
fn a_cart_turns_its_pole_as_told() {
    // Inverse dynamics is linear in the accelerations: the cart accelerates so that the hinge needs no
    // torque, and the force on the cart is what inverse dynamics asks for.
    let tree = cart_pole();
    let (q, v, alpha) = ([0.3, 0.5], [0.4, -1.1], 3.0);
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let mut torque = |a: [f64; 2]| {
        let mut tau = [0.0; 2];
        tree.inverse_dynamics(&mut workspace, &a, None, &mut tau)
            .unwrap();
        tau
    };
    let (rest, cart, turn) = (torque([0.0; 2]), torque([1.0, 0.0]), torque([0.0, 1.0]));
    let [[m00, m01], [m10, m11]] = [0, 1].map(|i| [cart[i] - rest[i], turn[i] - rest[i]]);
    let a = -(rest[1] + m11 * alpha) / m10;
    let force = rest[0] + m00 * a + m01 * alpha;
    let (slope, force_slope) = (-m11 / m10, m01 - m00 * m11 / m10);

    let tree = tree.cast::<Dual64>();
    let drive = servo(1, 0, Dual64::from(alpha).derivative());
    let mut constraints = TreeConstraints::new();
    constraints.add(&drive, Baumgarte::none());
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q.map(Dual64::from), &v.map(Dual64::from))
        .unwrap();
    let tau = [Dual64::from(0.0); 2];
    let mut problem = constraints
        .acceleration_problem(&tree, &mut workspace, &tau)
        .unwrap();
    problem.data.check_adjoints().unwrap();
    let mut solver = ConstraintSolver::default();
    let solution = solver.solve_accelerations(&mut problem.data).unwrap();
    let (vdot, f) = (
        &solution.generalized_acceleration,
        solution.forces.bilateral()[0],
    );
    assert!((vdot[1].re - alpha).abs() < 1e-12 && (vdot[1].eps - 1.0).abs() < 1e-12);
    assert!((vdot[0].re - a).abs() < 1e-11 && (vdot[0].eps - slope).abs() < 1e-11);
    assert!((f.re - force).abs() < 1e-11 && (f.eps - force_slope).abs() < 1e-11);
    assert!((solution.forces.generalized[0].re - force).abs() < 1e-11);
    assert_eq!(solution.forces.generalized[1].re, 0.0);

    // In a time step too: the pole has gained δt α.
    let dt = Dual64::from(1e-3);
    let mut problem = constraints
        .time_step_problem(&tree, &mut workspace, &tau, dt)
        .unwrap();
    let after = solver.solve_velocities(&mut problem.data).unwrap();
    assert!((after.generalized_velocity[1].re - v[1] - alpha * 1e-3).abs() < 1e-14);
    assert_eq!(after.impulses.generalized[1].re, 0.0);
    assert!((after.impulses.bilateral()[0].re / 1e-3 - force).abs() < 1e-9);
}

/// A rod of length `l` along x from its hinge, turning about y.
fn rod(m: f64, l: f64) -> SpatialInertia<f64> {
    let moment = m * l * l / 12.0;
    SpatialInertia {
        mass: m,
        center_of_mass: Vector3::new(l * 0.5, 0.0, 0.0),
        rotational_inertia: Matrix3::from_diagonal(&Vector3::new(0.0, moment, moment)),
    }
}

#[test]
fn servos_drive_closed_loops_with_redundant_equations() {
    // The rocker of a parallelogram turns as fast as the crank, so that a drive on either needs the same
    // torque: the one along the row of the crank, and the one on the last hinge.
    let mut builder = RigidBodyTreeBuilder::new();
    let kind = JointKind::Revolute { axis: Vector3::y() };
    let (mut parent, mut at) = (BodyIndex::WORLD, 0.0);
    for (name, m, l) in [
        ("crank", 0.7, 0.6),
        ("coupler", 1.1, 1.3),
        ("rocker", 0.4, 0.6),
    ] {
        let body = builder.add_body(name, rod(m, l)).unwrap();
        let pose = RigidTransform::from_translation(Vector3::new(at, 0.0, 0.0));
        builder
            .add_joint(format!("{name} hinge"), kind, parent, pose, body)
            .unwrap();
        (parent, at) = (body, l);
    }
    let tree = builder.finish().unwrap();
    let closure = HingeConstraint::new(
        "closure",
        (parent, Vector3::new(0.6, 0.0, 0.0), Vector3::y()),
        (BodyIndex::WORLD, Vector3::new(1.3, 0.0, 0.0), Vector3::y()),
    )
    .unwrap();
    let mut workspace = tree.workspace();
    let q = [-0.8, 0.8, std::f64::consts::PI - 0.8];
    let results = [0, 2].map(|drive| {
        let motor = servo(0, drive, 2.0);
        let mut constraints = TreeConstraints::new();
        constraints.add(&motor, Baumgarte::none());
        constraints.add(&closure, Baumgarte::none());
        tree.set_state(&mut workspace, &q, &[1.5, -1.5, 1.5])
            .unwrap();
        let mut problem = constraints
            .acceleration_problem(&tree, &mut workspace, &[0.0; 3])
            .unwrap();
        assert_eq!(problem.bilateral[0], (0, 0));
        let solution = ConstraintSolver::default()
            .solve_accelerations(&mut problem.data)
            .unwrap();
        assert_eq!(solution.forces.redundant.len(), 3);
        assert!((solution.generalized_acceleration[0] - 2.0).abs() < 1e-11);
        (
            solution.forces.bilateral()[0],
            solution.generalized_acceleration,
        )
    });
    let [(along, motion), (own, same)] = results;
    assert!(
        along.abs() > 1.0 && (along - own).abs() < 1e-10,
        "{along} {own}"
    );
    assert!((motion - same).amax() < 1e-10);
}

#[test]
fn drives_that_cannot_do_it_are_refused() {
    let tree = cart_pole();
    let mut workspace = tree.workspace();
    // The pole is level: the cart cannot turn it.
    let level = [0.0, std::f64::consts::FRAC_PI_2];
    tree.set_state(&mut workspace, &level, &[0.0; 2]).unwrap();
    let drive = servo(1, 0, 1.0);
    let mut inequality = servo(1, 0, 1.0);
    inequality.kind = ConstraintKind::Unilateral;
    let mut constraints = TreeConstraints::new();
    constraints.add(&inequality, Baumgarte::none());
    let result = constraints.acceleration_problem(&tree, &mut workspace, &[0.0; 2]);
    let message = result.unwrap_err().to_string();
    assert!(
        message.contains("servo") && message.contains("directions"),
        "{message}"
    );
    constraints = TreeConstraints::new();
    constraints.add(&drive, Baumgarte::none());
    let mut problem = constraints
        .acceleration_problem(&tree, &mut workspace, &[0.0; 2])
        .unwrap();
    // cos(π/2) is not zero in floating point: a force of 10¹⁶ N would do it.
    let result = ConstraintSolver::default().solve_accelerations(&mut problem.data);
    let refused =
        matches!(result, Err(ConstraintError::NotUpheld { equation: 0, effect }) if effect < 1e-15);
    assert!(refused, "{result:?}");
}
