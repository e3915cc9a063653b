//! Gradients of rollouts with actuators: the adjoint against forward duals.

use crate::support::scenes::geometry;
use dualbody::actuator::{
    Actuator, AnyActuator, FirstOrderLag, PdServo, SpatialForceSource, SpringDamper, TorqueSource,
};
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::force::{ForceContext, ForceError, Forces};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    Adjoint, RolloutObjective, Scheme, State, SystemError, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Parameters, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::Dual64;
use std::fmt;

const DT: f64 = 5e-3;
const STEPS: usize = 60;

/// An actuator with a state that depends on the state of the tree, and on time: a winch that winds itself up.
#[derive(Debug, Clone)]
struct Winch;

impl<T: Scalar> Actuator<T> for Winch {
    type Cast<U: DefaultScalar> = Winch;
    fn cast<U: DefaultScalar>(&self) -> Winch {
        Winch
    }
    fn num_inputs(&self) -> usize {
        1
    }
    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("winch/rate"));
    }
    fn num_states(&self) -> usize {
        1
    }
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let swell = (context.time() * 7.0).sin();
        forces.add_generalized(0, swell - state[0] * 2.0 - context.v()[0] * state[0] * 0.3)
    }
    fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        input: &[T],
        _: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        let motion = context.q()[0].sin() * context.v()[0];
        rate[0] = input[0] + motion * 3.0;
        Ok(())
    }
}

type Machine = TimeSteppingRigidBodySystem<f64>;

/// A wheel on an axle and a ball on the ground, tied together by a spring.
fn machine() -> Machine {
    let mut builder = RigidBodyTreeBuilder::new();
    let wheel = SpatialInertia::solid_sphere(2.0, 0.3);
    let wheel = builder.add_body("wheel", wheel).unwrap();
    let ball = SpatialInertia::solid_sphere(0.8, 0.1);
    let ball = builder.add_body("ball", ball).unwrap();
    let (axle, at) = (
        JointKind::Continuous { axis: Vector3::y() },
        RigidTransform::from_translation(Vector3::new(0.0, 0.0, 0.5)),
    );
    let axle = builder
        .add_joint("axle", axle, BodyIndex::WORLD, at, wheel)
        .unwrap();
    let out = RigidTransform::from_translation(Vector3::new(0.3, 0.0, 0.0));
    let rim = builder.add_frame("rim", wheel, out).unwrap();
    let top = RigidTransform::from_translation(Vector3::new(0.0, 0.0, 0.1));
    let top = builder.add_frame("top", ball, top).unwrap();
    let tree = builder.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let rubber = ContactMaterial::new(8e3, 0.5, 0.6).unwrap();
    for (name, body, shape) in [
        ("ball", ball, Shape::new_sphere(0.1).unwrap()),
        ("ground", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        contact
            .add_geometry(geometry(name, body, shape, rubber))
            .unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let motor = TorqueSource::new("motor", &tree, axle, 3.0, None).unwrap();
    let actuators = [
        AnyActuator::new(PdServo::new("servo", &tree, axle, [40.0, 2.0], None).unwrap()),
        AnyActuator::new(FirstOrderLag::new("lag", 0.03, motor).unwrap()),
        AnyActuator::new(SpatialForceSource::new("jet", top)),
        AnyActuator::new(SpringDamper::new("spring", &tree, [rim, top], [60.0, 1.0, 0.3]).unwrap()),
        AnyActuator::new(Winch),
    ];
    let system = TimeSteppingRigidBodySystem::new(tree, contact, DT).unwrap();
    system.with_actuators(actuators).unwrap()
}

const INPUTS: usize = 11;

const PARAMETERS: [&str; 11] = [
    "servo/proportional_gain",
    "motor/gear_ratio",
    "lag/time_constant",
    "spring/damping",
    "time_step",
    "body/ball/mass",
    "ball/friction",
    "ball/stiffness",
    "gravity/z",
    "spring/rest_length",
    "stiction_tolerance",
];

/// Where the ball goes, the wheel's speed, the motor's torque on the way, and the effort.
struct Cost;

impl RolloutObjective for Cost {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, input: &[T]) -> T {
        let (q, v) = (&state.q, &state.v);
        if step == STEPS {
            return q[5] * 3.0 + q[6] * q[6] + v[0] * v[1] * state.time + state.actuators[1];
        }
        let effort = input.iter().fold(T::zero(), |sum, &u| sum + u * u);
        (effort + state.actuators[0] * q[0] * 10.0 + v[4] * (state.time * 9.0).cos()) * 0.01
    }
}

fn inputs() -> DMatrix<f64> {
    DMatrix::from_fn(INPUTS, STEPS, |i, k| {
        0.8 * (0.13 * k as f64 + 1.7 * i as f64).sin()
    })
}

fn start(machine: &Machine) -> State<f64> {
    let mut state = machine.initial_state();
    let (turn, place) = ([0.8, 0.0, 0.6, 0.0], [0.35, 0.1, 0.102]);
    state.q[0] = 0.2;
    state.q.rows_mut(1, 4).copy_from_slice(&turn);
    state.q.rows_mut(5, 3).copy_from_slice(&place);
    (state.v).copy_from_slice(&[0.5, 1.0, -2.0, 0.3, 0.6, 0.2, -0.8]);
    state.actuators.copy_from_slice(&[0.3, -0.2]);
    state
}

/// The cost with the derivative along one direction of `[state; inputs; parameters]`.
fn forward(machine: &Machine, direction: usize) -> Dual64 {
    let mut dual = machine.cast::<Dual64>();
    let mut state = start(machine).cast::<Dual64>();
    let mut inputs = inputs().map(Dual64::from);
    let entries = (state.q.iter_mut())
        .chain(&mut state.v)
        .chain(&mut state.actuators)
        .chain(&mut inputs);
    let total = 17 + INPUTS * STEPS;
    match entries.into_iter().nth(direction) {
        Some(entry) => *entry = entry.derivative(),
        None => {
            let name = PARAMETERS[direction - total];
            let value = Dual64::from(machine.parameter(name).unwrap()).derivative();
            dual.set_parameter(name, value).unwrap();
        }
    }
    let mut workspace = dual.workspace().unwrap();
    let mut cost = Dual64::from(0.0);
    for k in 0..STEPS {
        let input = inputs.column(k);
        cost += Cost.evaluate(k, &state, input.as_slice());
        let step = dual.step(&mut workspace, &state, input.as_slice());
        state.clone_from(step.unwrap().state());
    }
    cost + Cost.evaluate(STEPS, &state, &[])
}

#[test]
fn the_adjoint_agrees_with_forward_duals() {
    agrees_with_forward_duals(&machine());
}

#[test]
fn the_adjoint_of_rigid_contact_agrees_with_forward_duals() {
    let system = machine().into_system();
    let parameters = agrees_with_forward_duals(&Machine::rigid(system, DT).unwrap());
    // Rigid contact knows no stiction velocity; stiffness says where in an overlap it acts.
    assert_eq!(parameters[10], 0.0);
}

/// The derivatives with respect to the parameters.
fn agrees_with_forward_duals(machine: &Machine) -> DVector<f64> {
    let mut adjoint = Adjoint::new(machine, &PARAMETERS).unwrap();
    let gradient = adjoint.gradient(&Cost, &start(machine), &inputs()).unwrap();
    let all: Vec<f64> = (gradient.initial_state.iter())
        .chain(&gradient.inputs)
        .chain(&gradient.parameters)
        .copied()
        .collect();
    assert_eq!(all.len(), 17 + INPUTS * STEPS + PARAMETERS.len());
    // Every state and parameter, and some inputs of every kind, early and late.
    let inputs = 17..17 + INPUTS * STEPS;
    let directions = (0..all.len()).filter(|i| !inputs.contains(i) || i % 17 == 3);
    let size = DVector::from_column_slice(&all).amax();
    for direction in directions {
        let exact = forward(machine, direction);
        assert!((gradient.value - exact.re).abs() < 1e-12 * exact.re.abs());
        let error = (all[direction] - exact.eps).abs();
        assert!(
            error < 1e-10 * exact.eps.abs().max(1e-4 * size),
            "direction {direction}: {} and {}",
            all[direction],
            exact.eps
        );
    }
    // The ball has touched the ground, and every actuator counts.
    let rigid = machine.scheme() == Scheme::Rigid;
    for (name, slope) in PARAMETERS.iter().zip(&gradient.parameters) {
        let of_compliance = *name == "stiction_tolerance";
        assert!(slope.abs() > 1e-8 || (rigid && of_compliance), "{name}");
    }
    assert!((gradient.inputs.row_iter()).all(|row| row.amax() > 1e-4));
    gradient.parameters
}

#[test]
fn checkpoints_change_no_bit() {
    let machine = machine();
    let run = |interval: Option<usize>| {
        let adjoint = Adjoint::new(&machine, &PARAMETERS[..2]).unwrap();
        let mut adjoint = match interval {
            Some(interval) => adjoint.with_checkpoint_interval(interval).unwrap(),
            None => adjoint,
        };
        adjoint
            .gradient(&Cost, &start(&machine), &inputs())
            .unwrap()
    };
    let gradient = run(None);
    for interval in [1, 7, STEPS, usize::MAX] {
        assert_eq!(run(Some(interval)), gradient);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let machine = machine();
    let mut adjoint = Adjoint::new(&machine, &[]).unwrap();
    let start = start(&machine);
    let no_steps = DMatrix::zeros(INPUTS, 0);
    let nothing = adjoint.gradient(&Cost, &start, &no_steps).unwrap();
    assert_eq!(nothing.last, start);
    assert!(
        adjoint
            .gradient(&Cost, &start, &DMatrix::zeros(3, 5))
            .is_err()
    );
    let mut short = start.clone();
    short.actuators = DVector::zeros(1);
    assert!(adjoint.gradient(&Cost, &short, &inputs()).is_err());
    let mut bad = inputs();
    bad[(0, 12)] = f64::NAN;
    let failure = adjoint.gradient(&Cost, &start, &bad).unwrap_err();
    assert_eq!(failure.step, 12);
    assert!((failure.time - 12.0 * DT).abs() < 1e-15);
    assert!(adjoint.clone().with_checkpoint_interval(0).is_err());
    assert!(matches!(
        Adjoint::new(&machine, &["nothing"]),
        Err(SystemError::Parameter(_))
    ));
}
