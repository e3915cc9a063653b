//! Derivatives of steps as matrices and as an adjoint over rollouts, against forward duals.

use crate::support::scenes::{cube, free_body, geometry};
use dualbody::autodiff::JacobianChecker;
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    Adjoint, RolloutObjective, State, StepDifferentiator, StepGradient, StepJacobian, SystemError,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{Parameters, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::Dual64;

const PARAMETERS: [&str; 12] = [
    "body/body/mass",
    "body/shape/stiffness",
    "body/shape/dissipation",
    "body/shape/friction",
    "ground/friction",
    "time_step",
    "stiction_tolerance",
    "gravity/x",
    "gravity/z",
    "body/arm/mass",
    "joint/hinge/damping",
    "joint/hinge/origin/x",
];

/// A free box with an arm on a hinge, over the ground.
pub fn walker() -> TimeSteppingRigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let size = Vector3::new(0.3, 0.2, 0.1);
    let body = (tree.add_body("body", SpatialInertia::solid_box(2.0, &size))).unwrap();
    let inertia = SpatialInertia::principal(0.4, Vector3::repeat(0.002));
    let arm = tree.add_body("arm", inertia).unwrap();
    let (hinge, at) = (
        JointKind::Revolute { axis: Vector3::y() },
        RigidTransform::from_translation(Vector3::new(0.15, 0.0, 0.05)),
    );
    let hinge = tree.add_joint("hinge", hinge, body, at, arm).unwrap();
    tree.set_damping(hinge, &[0.05]).unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(3e3, 0.4, 0.5).unwrap();
    let shape = Shape::new_box(size).unwrap();
    contact
        .add_geometry(geometry("body/shape", body, shape, soft))
        .unwrap();
    let rigid = ContactMaterial::rigid(0.6).unwrap();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, rigid);
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 2e-3).unwrap();
    system.with_generalized_forces().unwrap()
}

/// Tilted, low and moving, so that it hits the ground and tumbles.
pub fn thrown(system: &TimeSteppingRigidBodySystem<f64>) -> State<f64> {
    let mut state = system.neutral_state();
    let norm = (0.95f64 * 0.95 + 0.2 * 0.2 + 0.1 * 0.1 + 0.15 * 0.15).sqrt();
    for (i, x) in [0.95, 0.2, 0.1, -0.15].iter().enumerate() {
        state.q[i] = x / norm;
    }
    state.q[6] = 0.14;
    state.q[7] = 0.4;
    state
        .v
        .copy_from_slice(&[1.0, -2.0, 0.5, 0.7, -0.3, -1.0, 2.0]);
    state
}

pub fn pushes(nv: usize, steps: usize) -> DMatrix<f64> {
    DMatrix::from_fn(nv, steps, |i, k| {
        0.2 * (1.3 * i as f64 + 0.05 * k as f64).sin()
    })
}

/// Depends on every state and every input.
pub struct Mixed(pub usize);

impl RolloutObjective for Mixed {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, tau: &[T]) -> T {
        let running = tau.iter().fold(T::zero(), |sum, &u| sum + u * u * 1e-3);
        let running = running + state.v[0] * state.q[6] * 1e-2;
        if step < self.0 {
            return running;
        }
        let end = state.q.iter().chain(state.v.iter()).enumerate();
        end.fold(T::zero(), |sum, (i, &x)| sum + (x * (1.0 + i as f64)).sin())
    }
}

/// The derivative of the objective along one direction of everything, by forward duals.
fn forward(
    system: &TimeSteppingRigidBodySystem<f64>,
    objective: &Mixed,
    initial: &State<f64>,
    inputs: &DMatrix<f64>,
    direction: impl Fn(usize) -> f64,
) -> Dual64 {
    let mut dual = system.cast::<Dual64>();
    let mut count = 0..;
    let mut next = |x: f64| Dual64::new(x, direction(count.next().unwrap()));
    let mut state = State::new(initial.q.map(&mut next), initial.v.map(&mut next));
    let inputs = inputs.map(&mut next);
    for name in PARAMETERS
        .iter()
        .filter(|p| system.parameter_index(p).is_ok())
    {
        let value = next(system.parameter(name).unwrap());
        dual.set_parameter(name, value).unwrap();
    }
    let mut workspace = dual.workspace().unwrap();
    let mut sum = Dual64::from(0.0);
    for (k, tau) in inputs.column_iter().enumerate() {
        let tau: Vec<Dual64> = tau.iter().copied().collect();
        sum += objective.evaluate(k, &state, &tau);
        state = dual
            .step(&mut workspace, &state, &tau)
            .unwrap()
            .state()
            .clone();
    }
    sum + objective.evaluate(inputs.ncols(), &state, &[])
}

#[test]
fn the_adjoint_agrees_with_forward_duals() {
    let system = walker();
    let (initial, steps) = (thrown(&system), 120);
    let inputs = pushes(7, steps);
    let objective = Mixed(steps);
    let mut adjoint = Adjoint::new(&system, &PARAMETERS).unwrap();
    let gradient = adjoint.gradient(&objective, &initial, &inputs).unwrap();
    let entries: Vec<f64> = (gradient.initial_state.iter())
        .chain(gradient.inputs.iter())
        .chain(gradient.parameters.iter())
        .copied()
        .collect();
    let (inputs_at, parameters_at) = (15, 15 + 7 * steps);
    let single = (0..15).chain((0..12).map(|k| inputs_at + 71 * k));
    let single = single.chain((0..12).map(|p| parameters_at + p));
    for chosen in single {
        let direction = |i: usize| if i == chosen { 1.0 } else { 0.0 };
        let exact = forward(&system, &objective, &initial, &inputs, direction);
        assert!((exact.re - gradient.value).abs() < 1e-13);
        assert!(
            (exact.eps - entries[chosen]).abs() < 1e-10 * exact.eps.abs().max(1e-3),
            "entry {chosen}: {} and {}",
            exact.eps,
            entries[chosen]
        );
    }
    // All at once.
    let direction = |i: usize| (0.7 * i as f64).sin();
    let exact = forward(&system, &objective, &initial, &inputs, direction).eps;
    let sum: f64 = entries
        .iter()
        .enumerate()
        .map(|(i, g)| g * direction(i))
        .sum();
    assert!((exact / sum - 1.0).abs() < 1e-10, "{exact} and {sum}");
}

#[test]
fn checkpoints_change_no_bit() {
    let system = walker();
    let (initial, inputs) = (thrown(&system), pushes(7, 50));
    let gradient = |interval: usize| {
        let adjoint = Adjoint::new(&system, &["body/body/mass"]).unwrap();
        let mut adjoint = adjoint.with_checkpoint_interval(interval).unwrap();
        adjoint.gradient(&Mixed(50), &initial, &inputs).unwrap()
    };
    let whole = gradient(1000);
    for interval in [1, 7, 50] {
        assert_eq!(gradient(interval), whole);
    }
    let adjoint = Adjoint::new(&system, &[]).unwrap();
    assert!(adjoint.with_checkpoint_interval(0).is_err());
}

#[test]
fn step_jacobians_agree_with_pull_backs_and_differences() {
    let system = walker();
    let mut state = thrown(&system);
    state.q[6] = 0.09; // in contact
    let tau = [0.1, -0.2, 0.3, 1.0, 0.5, -0.4, 0.05];
    let mut differentiator = StepDifferentiator::new(&system, &PARAMETERS).unwrap();
    let mut jacobian = StepJacobian::default();
    let next = differentiator
        .jacobian(&state, &tau, &mut jacobian)
        .unwrap()
        .clone();
    let mut workspace = system.workspace().unwrap();
    let mut step = system.step(&mut workspace, &state, &tau).unwrap();
    assert_eq!(step.state(), &next);
    assert!(!step.contacts().unwrap().is_empty());

    let mut gradient = StepGradient::default();
    for row in 0..15 {
        let covector: Vec<f64> = (0..15).map(|i| if i == row { 1.0 } else { 0.0 }).collect();
        let same = differentiator
            .pull_back(&state, &tau, &covector, &mut gradient)
            .unwrap();
        assert_eq!(same, &next);
        for (matrix, vector) in [
            (&jacobian.state, &gradient.state),
            (&jacobian.input, &gradient.input),
            (&jacobian.parameters, &gradient.parameters),
        ] {
            let scale = matrix.row(row).amax().max(1e-12);
            assert!((matrix.row(row).transpose() - vector).amax() < 1e-12 * scale);
        }
    }

    let mut at = |x: &[f64]| {
        let state = State::new(
            DVector::from_column_slice(&x[..8]),
            DVector::from_column_slice(&x[8..15]),
        );
        let step = system.step(&mut workspace, &state, &x[15..])?;
        let next = step.state();
        Ok::<_, SystemError>(DVector::from_iterator(
            15,
            next.q.iter().chain(&next.v).copied(),
        ))
    };
    let x: Vec<f64> = state
        .q
        .iter()
        .chain(&state.v)
        .chain(&tau)
        .copied()
        .collect();
    // Off the unit sphere the step divides by the norm; on it the derivatives agree.
    let mut claimed = DMatrix::zeros(15, 22);
    claimed.columns_mut(0, 15).copy_from(&jacobian.state);
    claimed.columns_mut(15, 7).copy_from(&jacobian.input);
    let scales = [[1e-3; 8].as_slice(), &[1e-2; 14]].concat();
    let checker = JacobianChecker::default().scales(scales);
    let check = checker
        .tolerance(1e-5, 1e-7)
        .check(&mut at, &x, &claimed)
        .unwrap();
    check.assert_agrees();
}

#[test]
fn failures_name_the_step() {
    let system = cube(1e-3).with_generalized_forces().unwrap();
    let start = free_body([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]);
    let mut adjoint = Adjoint::new(&system, &[]).unwrap();
    let mut inputs = DMatrix::zeros(6, 5);
    inputs[(2, 3)] = f64::NAN;
    let failure = adjoint.gradient(&Mixed(5), &start, &inputs).unwrap_err();
    assert_eq!(failure.step, 3);
    assert!(
        adjoint
            .gradient(&Mixed(5), &start, &DMatrix::zeros(5, 5))
            .is_err()
    );
    assert!(Adjoint::new(&system, &["no such parameter"]).is_err());
    // No steps: the objective alone.
    let none = adjoint
        .gradient(&Mixed(0), &start, &DMatrix::zeros(6, 0))
        .unwrap();
    assert_eq!(none.initial_state[0], 1f64.cos());
    let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
    let result =
        differentiator.pull_back(&start, &[0.0; 6], &[0.0; 4], &mut StepGradient::default());
    assert!(result.is_err());
}
