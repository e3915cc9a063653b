//! What force elements, actuators and sensors have in common, also those from outside the crate: states in time, kinks.

use crate::support::scenes::geometry;
use dualbody::actuator::{
    Actuator, AnyActuator, FirstOrderLag, GeneralizedForce, PdServo, Propeller, SpringDamper,
    TorqueSource,
};
use dualbody::constraint::JointLimitConstraint;
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{AnyForce, ForceContext, ForceElement, ForceError, Forces};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialAcceleration, SpatialInertia};
use dualbody::sensor::{
    AnySensor, Delayed, Encoder, FramePose, FullState, Imu, ImuNoise, Lidar, Sensor, SensorContext,
    SensorError,
};
use dualbody::system::{IntegrationMethod, RigidBodySystem, Scheme, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, ElementKink, InvalidInput, Parameters, Scalar, constants};
use nalgebra::Vector3;
use num_dual::Dual64;
use std::fmt;

const DT: f64 = 0.01;
const MASS: f64 = 0.5;

/// A slider of 0.5 kg along x.
fn tree() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(MASS, 0.1);
    let slider = builder.add_body("slider", inertia).unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::x() };
    let here = RigidTransform::identity();
    builder
        .add_joint("rail", kind, BodyIndex::WORLD, here, slider)
        .unwrap();
    builder.finish().unwrap()
}

fn machine() -> RigidBodySystem<f64> {
    RigidBodySystem::new(tree(), ContactModel::none()).unwrap()
}

fn stepper(machine: RigidBodySystem<f64>) -> TimeSteppingRigidBodySystem<f64> {
    TimeSteppingRigidBodySystem::compliant(machine, DT).unwrap()
}

/// A spring that acts at the position of the end of the step.
#[derive(Debug, Clone)]
struct ImplicitSpring<T> {
    stiffness: T,
}

impl<T: Scalar> ForceElement<T> for ImplicitSpring<T> {
    type Cast<U: DefaultScalar> = ImplicitSpring<U>;
    fn cast<U: DefaultScalar>(&self) -> ImplicitSpring<U> {
        ImplicitSpring {
            stiffness: U::from(self.stiffness.re()),
        }
    }
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let end = context.q()[0] + context.time_step() * context.v()[0];
        forces.add_generalized(0, -self.stiffness * end)
    }
}

/// The same as an actuator, without inputs.
#[derive(Debug, Clone)]
struct ImplicitDrive<T>(ImplicitSpring<T>);

impl<T: Scalar> Actuator<T> for ImplicitDrive<T> {
    type Cast<U: DefaultScalar> = ImplicitDrive<U>;
    fn cast<U: DefaultScalar>(&self) -> ImplicitDrive<U> {
        ImplicitDrive(ForceElement::<T>::cast(&self.0))
    }
    fn num_inputs(&self) -> usize {
        0
    }
    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        self.0.add_forces(context, forces)
    }
}

/// Backward Euler.
#[test]
fn elements_know_the_time_step() {
    let spring = || ImplicitSpring { stiffness: 1e6 };
    let drive = || ImplicitDrive(spring());
    let ratio = DT * DT * 1e6 / MASS;
    let expected = 1.0 / (1.0 + ratio);
    for machine in [
        machine().with_forces([spring()]),
        machine().with_forces([AnyForce::new(AnyForce::new(spring()))]),
        machine().with_actuators([drive()]),
        machine().with_actuators([AnyActuator::new(drive())]),
    ] {
        let plant = stepper(machine.unwrap());
        let mut workspace = plant.workspace().unwrap();
        let mut state = plant.initial_state();
        state.q[0] = 1.0;
        let step = plant.step(&mut workspace, &state, &[]).unwrap();
        let found = step.state().q[0];
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

/// A hydraulic valve whose spool swings, `ẍ = ω² (u − x) − 2 ζ ω ẋ`, and pushes until it is fully open;
/// only its rate is known.
#[derive(Debug, Clone)]
struct Valve<T> {
    name: String,
    joint: JointIndex,
    frequency: T,
    damping: T,
    opening: T,
}

impl<T: Scalar> Valve<T> {
    fn check_damping(&self, _: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let underdamped = |x: f64| x < 1.0;
        InvalidInput::check_range("damping", &[self.damping], "less than 1", underdamped)
            .map_err(ForceError::invalid(&self.name))
    }
}

impl<T: Scalar> Actuator<T> for Valve<T> {
    constants! { Actuator for Valve, checked by check_damping {
        name;
        joint: in_tree;
        frequency: positive("rad/s");
        damping: not_negative("1");
        opening: positive("N");
    } }
    fn num_inputs(&self) -> usize {
        1
    }
    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/command", self.name));
    }
    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        forces.add_generalized(0, state[0].min_lifted(self.opening))
    }
    fn num_states(&self) -> usize {
        2
    }
    fn state_derivative(
        &self,
        _: &ForceContext<'_, T>,
        input: &[T],
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        let w = self.frequency;
        rate[0] = state[1];
        rate[1] = w * w * (input[0] - state[0]) - w * state[1] * self.damping * 2.0;
        Ok(())
    }
    fn visit_kinks<'a>(
        &'a self,
        _: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        visit(ElementKink {
            element: &self.name,
            change: "fully open",
            distance: (self.opening - state[0]).abs_lifted(),
            unit: "N",
            order: 1,
        });
        Ok(())
    }
}

fn valve() -> Valve<f64> {
    Valve {
        name: "valve".into(),
        joint: JointIndex::new(0),
        frequency: 20.0,
        damping: 0.3,
        opening: 5.0,
    }
}

/// A counter of samples that holds its input.
#[derive(Debug, Clone)]
struct Hold;

impl<T: Scalar> Actuator<T> for Hold {
    type Cast<U: DefaultScalar> = Hold;
    fn cast<U: DefaultScalar>(&self) -> Hold {
        Hold
    }
    fn num_inputs(&self) -> usize {
        1
    }
    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("hold/force"));
    }
    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        forces.add_generalized(0, state[1])
    }
    fn num_states(&self) -> usize {
        2
    }
    fn update(
        &self,
        _: &ForceContext<'_, T>,
        input: &[T],
        _: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        state[0] += T::one();
        state[1] = input[0];
        Ok(())
    }
    fn is_sampled(&self) -> bool {
        true
    }
}

/// Low-pass filter of a position with a number of equal stages.
#[derive(Debug, Clone)]
struct Filter {
    name: &'static str,
    time_constant: f64,
    stages: usize,
}

impl<T: Scalar> Sensor<T> for Filter {
    type Cast<U: DefaultScalar> = Filter;
    fn cast<U: DefaultScalar>(&self) -> Filter {
        self.clone()
    }
    fn num_outputs(&self) -> usize {
        1
    }
    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/position", self.name));
    }
    fn measure(
        &self,
        _: &SensorContext<'_, T>,
        state: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        out[0] = state[self.stages - 1];
        Ok(())
    }
    fn num_states(&self) -> usize {
        self.stages
    }
    fn state_derivative(
        &self,
        context: &SensorContext<'_, T>,
        state: &[T],
        rate: &mut [T],
    ) -> Result<(), SensorError> {
        let mut before = context.q()[0];
        for (rate, &x) in rate.iter_mut().zip(state) {
            *rate = (before - x) / self.time_constant;
            before = x;
        }
        Ok(())
    }
}

#[test]
fn own_elements_go_with_those_of_the_crate() {
    let joint = JointIndex::new(0);
    let filter = Filter {
        name: "slow",
        time_constant: 0.1,
        stages: 2,
    };
    let encoder = Encoder::new("encoder", &tree(), joint, 0.1).unwrap();
    let stop = JointLimitConstraint::new("stop", &tree(), joint, None, Some(1.0)).unwrap();
    let machine = machine()
        .with_actuators([valve()])
        .and_then(|machine| machine.with_sensors([encoder]))
        .and_then(|machine| machine.with_sensors([filter]))
        .and_then(|machine| machine.with_constraints([stop]));
    let mut plant = stepper(machine.unwrap()).cast::<Dual64>();
    for (name, value) in [
        ("valve/damping", 0.9),
        ("encoder/resolution", 0.5),
        ("stop/upper", 0.25),
    ] {
        plant.set_parameter(name, value.into()).unwrap();
    }
    let mut workspace = plant.workspace().unwrap();
    let mut start = plant.initial_state();
    (start.q[0], start.v[0]) = (0.25.into(), 1.0.into());
    let step = plant.step(&mut workspace, &start, &[0.0.into()]).unwrap();
    assert!((step.state().q[0].re - 0.25).abs() < 1e-6);
}

/// The swing of the spool from rest, at the command `u`.
fn swing(w: f64, damping: f64, u: f64, t: f64) -> f64 {
    let wd = w * (1.0 - damping * damping).sqrt();
    let (sin, cos) = (wd * t).sin_cos();
    u * (1.0 - (-damping * w * t).exp() * (cos + damping * w / wd * sin))
}

/// An actuator that says its rate moves in discrete time as in continuous time, with its derivatives.
#[test]
fn rates_move_states_in_discrete_time() {
    let (w, damping) = (20.0, 0.3);
    let actuators = [AnyActuator::new(valve()), AnyActuator::new(Hold)];
    assert_eq!(actuators.each_ref().map(|a| a.is_sampled()), [false, true]);
    let plant = stepper(machine().with_actuators(actuators).unwrap());
    let plant = plant.cast::<Dual64>();
    let mut workspace = plant.workspace().unwrap();
    let mut state = plant.initial_state();
    let command = Dual64::from(2.0).derivative();
    for _ in 0..10 {
        let input = [command, Dual64::from(7.0)];
        let step = plant.step(&mut workspace, &state, &input).unwrap();
        state = step.state().clone();
    }
    let exact = swing(w, damping, 2.0, 10.0 * DT);
    assert!((state.actuators[0].re - exact).abs() < 1e-4 * exact);
    assert!((state.actuators[0].eps - exact / 2.0).abs() < 1e-4 * exact);
    assert_eq!([state.actuators[2].re, state.actuators[3].re], [10.0, 7.0]);
}

/// Convergence of the default step is of fourth order, with few states and with many.
#[test]
fn advancing_by_rates_is_of_fourth_order() {
    let tree = tree();
    let (contact, mut workspace) = (ContactModel::none(), tree.workspace());
    tree.set_positions(&mut workspace, &[1.0]).unwrap();
    let context = SensorContext::new(&tree, &workspace, &contact);
    for stages in [1, 2, 20] {
        let filter = Filter {
            name: "filter",
            time_constant: 0.5,
            stages,
        };
        let error = |steps: usize| {
            let h = 1.0 / steps as f64;
            let mut state = vec![0.0; stages];
            for _ in 0..steps {
                filter.advance(&context, h, &mut state).unwrap();
            }
            // The first stages: 1 − e^{−s} and 1 − (1 + s) e^{−s} at s = 2.
            let exact = [1.0 - (-2.0f64).exp(), 1.0 - 3.0 * (-2.0f64).exp()];
            let errors = state.iter().zip(exact).map(|(x, y)| (x - y).abs());
            errors.fold(0.0, f64::max)
        };
        let ratio = error(10) / error(20);
        assert!((12.0..24.0).contains(&ratio), "{stages} stages: {ratio}");
    }
}

/// A filter in a plant sees the position of the start of each step, beside sensors that are sampled.
#[test]
fn sensors_have_continuous_and_discrete_states() {
    let filter = |name| Filter {
        name,
        time_constant: 0.05,
        stages: 1,
    };
    let sensors = [
        AnySensor::new(Delayed::new(filter("late"), 1)),
        AnySensor::new(filter("filter")),
    ];
    assert_eq!(sensors.each_ref().map(|s| s.is_sampled()), [true, false]);
    let plant = stepper(machine().with_sensors(sensors).unwrap());
    let mut workspace = plant.workspace().unwrap();
    let mut state = plant.initial_state();
    state.q[0] = 1.0;
    let mut last = 0.0;
    for k in 0..5 {
        let step = plant.step(&mut workspace, &state, &[]).unwrap();
        let y = step.output();
        let exact = 1.0 - (-DT / 0.05 * k as f64).exp();
        assert!((y[1] - exact).abs() < 1e-5, "{} {exact}", y[1]);
        assert_eq!(y[0], last);
        last = y[1];
        state = step.state().clone();
    }
    assert!(last > 0.5);
}

/// A state that only discrete time would move, by `advance` or by an `update` that is no sample.
#[derive(Debug, Clone)]
struct Frozen {
    advances: bool,
    sampled: bool,
}

/// A force that there is on one side only, and nowhere without its state.
#[derive(Debug, Clone)]
struct OneSided;

impl<T: Scalar> Actuator<T> for OneSided {
    type Cast<U: DefaultScalar> = OneSided;
    fn cast<U: DefaultScalar>(&self) -> OneSided {
        OneSided
    }
    fn num_inputs(&self) -> usize {
        0
    }
    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}
    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        _: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        Ok(())
    }
    fn num_states(&self) -> usize {
        1
    }
    fn state_derivative(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        rate[0] = context.q()[0];
        InvalidInput::check_range("q", rate, "positive", |q| q > 0.0)?;
        Ok(())
    }
}

impl<T: Scalar> Actuator<T> for Frozen {
    type Cast<U: DefaultScalar> = Frozen;
    fn cast<U: DefaultScalar>(&self) -> Frozen {
        self.clone()
    }
    fn num_inputs(&self) -> usize {
        0
    }
    fn visit_input_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}
    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        state: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        forces.add_generalized(0, state[0])
    }
    fn num_states(&self) -> usize {
        1
    }
    fn advance(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        dt: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        state[0] += if self.advances { dt } else { T::zero() };
        Ok(())
    }
    fn update(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        _: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        state[0] += T::from(if self.advances { 0.0 } else { 1.0 });
        Ok(())
    }
    fn is_sampled(&self) -> bool {
        self.sampled
    }
}

impl<T: Scalar> Sensor<T> for Frozen {
    type Cast<U: DefaultScalar> = Frozen;
    fn cast<U: DefaultScalar>(&self) -> Frozen {
        self.clone()
    }
    fn num_outputs(&self) -> usize {
        0
    }
    fn visit_output_names(&self, _: &mut dyn FnMut(fmt::Arguments<'_>)) {}
    fn measure(
        &self,
        _: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        _: &mut [T],
    ) -> Result<(), SensorError> {
        Ok(())
    }
    fn num_states(&self) -> usize {
        1
    }
    fn advance(&self, _: &SensorContext<'_, T>, dt: T, state: &mut [T]) -> Result<(), SensorError> {
        state[0] += dt;
        Ok(())
    }
    fn update(
        &self,
        _: &SensorContext<'_, T>,
        _: T,
        _: &mut dyn FnMut() -> f64,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        state[0] += T::one();
        Ok(())
    }
    fn is_sampled(&self) -> bool {
        self.sampled
    }
}

/// A state that would stand still in continuous time is refused when the machine is built, wherever it is.
#[test]
fn states_without_a_rate_are_refused() {
    fn refused(actuators: &[AnyActuator<f64>], sensors: &[AnySensor<f64>]) -> String {
        (machine().with_actuators(actuators.to_vec()))
            .and_then(|machine| machine.with_sensors(sensors.to_vec()))
            .map(|_| ())
            .unwrap_err()
            .to_string()
    }
    let valve = AnyActuator::new(valve());
    for (advances, sampled) in [(true, false), (false, false), (true, true)] {
        let frozen = || Frozen { advances, sampled };
        let actuator = || AnyActuator::new(frozen());
        let sensor = || AnySensor::new(frozen());
        let delayed = |samples| AnySensor::new(Delayed::new(frozen(), samples));
        let lag = FirstOrderLag::new("lag", 0.1, frozen()).unwrap();
        for error in [
            refused(&[actuator()], &[]),
            refused(&[valve.clone(), AnyActuator::new(Hold), actuator()], &[]),
            refused(&[AnyActuator::new(lag)], &[]),
            refused(&[AnyActuator::new(OneSided), actuator()], &[]),
            refused(&[], &[sensor()]),
            refused(std::slice::from_ref(&valve), &[delayed(0)]),
            refused(&[], &[delayed(1), sensor()]),
        ] {
            assert!(
                error.contains("Frozen") && error.contains("state_derivative"),
                "{error}"
            );
        }
    }
}

/// The way since the last sample, and how often there was one.
#[derive(Debug, Clone)]
struct Odometer(&'static str);

impl<T: Scalar> Sensor<T> for Odometer {
    type Cast<U: DefaultScalar> = Odometer;
    fn cast<U: DefaultScalar>(&self) -> Odometer {
        self.clone()
    }
    fn num_outputs(&self) -> usize {
        2
    }
    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("{}/way", self.0));
        visit(format_args!("{}/samples", self.0));
    }
    fn measure(
        &self,
        _: &SensorContext<'_, T>,
        state: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        out.copy_from_slice(state);
        Ok(())
    }
    fn num_states(&self) -> usize {
        2
    }
    fn state_derivative(
        &self,
        context: &SensorContext<'_, T>,
        _: &[T],
        rate: &mut [T],
    ) -> Result<(), SensorError> {
        rate[0] = context.v()[0];
        rate[1] = T::zero();
        Ok(())
    }
    fn update(
        &self,
        _: &SensorContext<'_, T>,
        _: T,
        _: &mut dyn FnMut() -> f64,
        state: &mut [T],
    ) -> Result<(), SensorError> {
        state[0] = T::zero();
        state[1] += T::one();
        Ok(())
    }
    fn is_sampled(&self) -> bool {
        true
    }
}

/// What a sensor integrates goes on from what a sample makes of it, in every scheme.
#[test]
fn sensors_are_sampled_before_their_states_move() {
    let filter = Filter {
        name: "filter",
        time_constant: 0.05,
        stages: 1,
    };
    let sensors = [
        AnySensor::new(Odometer("odometer")),
        AnySensor::new(Delayed::new(filter, 1)),
        AnySensor::new(Delayed::new(Odometer("late odometer"), 2)),
    ];
    let system = machine().with_generalized_forces().unwrap();
    let system = system.with_sensors(sensors).unwrap();
    let method = IntegrationMethod::RungeKutta4;
    let continuous = Scheme::Continuous {
        method,
        substeps: 1,
    };
    for scheme in [Scheme::Compliant, Scheme::Rigid, continuous] {
        let plant = TimeSteppingRigidBodySystem::with_scheme(system.clone(), DT, scheme).unwrap();
        let mut workspace = plant.workspace().unwrap();
        let mut state = plant.initial_state();
        (state.q[0], state.v[0]) = (1.0, 0.0);
        for k in 0..6 {
            // Pushed so that it moves with 1 m/s from the first step on.
            let push = if k == 0 { MASS / DT } else { 0.0 };
            state.q[0] = 1.0; // the filter sees a place
            let step = plant.step(&mut workspace, &state, &[push]).unwrap();
            let y = step.output();
            let samples = f64::from(k);
            // Discrete steps integrate the velocity at their start, continuous ones that within.
            let way = match (k, scheme == continuous) {
                (0, _) | (1, false) => 0.0,
                (1, true) => 0.5 * DT,
                _ => DT,
            };
            assert!((y[0] - way).abs() < 1e-12, "{scheme:?} {k}: {}", y[0]);
            assert_eq!(y[1], samples, "{scheme:?}");
            let filtered = 1.0 - (-DT / 0.05 * (samples - 1.0).max(0.0)).exp();
            assert!(
                (y[2] - filtered).abs() < 5e-3,
                "{scheme:?} {k}: {} {filtered}",
                y[2]
            );
            assert_eq!(y[4], (samples - 2.0).max(0.0), "{scheme:?}");
            state = step.state().clone();
        }
    }
}

/// What is not sampled is not updated either, also where its output is delayed.
#[test]
fn delays_update_only_what_is_sampled() {
    let (tree, contact) = (tree(), ContactModel::none());
    let workspace = tree.workspace();
    let context = SensorContext::new(&tree, &workspace, &contact);
    for (sampled, expected) in [(false, 0.0), (true, 1.0)] {
        let counter = Frozen {
            advances: false,
            sampled,
        };
        let mut state = [0.0; 1];
        let delayed = Delayed::new(counter, 1);
        delayed
            .update(&context, DT, &mut || 0.0, &mut state)
            .unwrap();
        assert_eq!(state, [expected]);
    }
}

/// All that an actuator says of itself.
fn describe<A: Actuator<f64> + Clone>(actuator: &A) -> Vec<String> {
    let mut all = vec![format!(
        "{} {} {} {actuator:?}",
        actuator.num_inputs(),
        actuator.num_states(),
        actuator.depends_on_velocity()
    )];
    actuator.visit_input_names(&mut |name| all.push(name.to_string()));
    (actuator.clone()).visit_parameters(&mut |p| all.push(format!("{} {}", p.name, p.value)));
    all
}

/// An actuator in a box is the actuator, also in another scalar and in another box, bit for bit.
#[test]
fn boxed_actuators_are_what_they_hold() {
    let tree = tree();
    let rail = tree.joint_by_name("rail").unwrap();
    let servo = PdServo::new("servo", &tree, rail, [40.0, 2.0], Some([-3.0, 3.0])).unwrap();
    let motor = TorqueSource::new("motor", &tree, rail, 3.0, None).unwrap();
    let lag = FirstOrderLag::new("lag", 0.03, motor.clone()).unwrap();
    let push = GeneralizedForce::new("push", 0);
    let boxes = [
        AnyActuator::new(servo.clone()),
        AnyActuator::new(FirstOrderLag::new("lag", 0.03, AnyActuator::new(motor)).unwrap()),
        AnyActuator::new(AnyActuator::new(push.clone())),
        AnyActuator::new(Hold),
    ];
    let described = boxes.each_ref().map(describe);
    assert_eq!(described[0], describe(&servo));
    assert_eq!(described[1], describe(&lag));
    assert_eq!(described[2], describe(&push));
    assert_eq!(described[3], describe(&Hold));
    assert!(boxes[2].downcast_ref::<GeneralizedForce>().is_some());
    assert!(boxes[2].downcast_ref::<Hold>().is_none());
    fn run(machine: RigidBodySystem<f64>) -> [f64; 8] {
        let mut plant = stepper(machine).cast::<Dual64>();
        let constant = Dual64::from(0.04).derivative();
        plant.set_parameter("lag/time_constant", constant).unwrap();
        let mut workspace = plant.workspace().unwrap();
        let mut state = plant.initial_state();
        for k in 0..20 {
            let input = [0.3, 0.1, 0.2, -0.1, 0.05 * k as f64].map(Dual64::from);
            let step = plant.step(&mut workspace, &state, &input).unwrap();
            state = step.state().clone();
        }
        let all = [
            state.q[0],
            state.v[0],
            state.actuators[0],
            state.actuators[2],
        ];
        std::array::from_fn(|i| if i < 4 { all[i].re } else { all[i - 4].eps })
    }
    let mut one_by_one = machine();
    assert_eq!(one_by_one.add_actuator(servo), Ok(0));
    assert_eq!(one_by_one.add_actuator(lag), Ok(1));
    let one_by_one = (one_by_one.with_actuators([push]))
        .and_then(|machine| machine.with_actuators([Hold]))
        .unwrap();
    let expected = run(one_by_one);
    assert_eq!(run(machine().with_actuators(boxes).unwrap()), expected);
    assert!(expected[..6].iter().all(|x| *x != 0.0));
}

/// What is not taken leaves the machine as it was.
#[test]
fn elements_that_are_refused_are_not_added() {
    let mut machine = machine().with_actuators([valve()]).unwrap();
    let error = machine.add_actuator(valve()).unwrap_err().to_string();
    assert!(error.contains("valve"), "{error}");
    let nowhere = GeneralizedForce::new("push", 7);
    assert!(machine.add_actuator(nowhere).is_err());
    assert_eq!(machine.actuators().len(), 1);
    assert_eq!(machine.input_names(), ["valve/command"]);
}

/// A sensor in a box is the sensor.
#[test]
fn boxed_sensors_are_what_they_hold() {
    let tree = tree();
    let rail = tree.joint_by_name("rail").unwrap();
    let at = RigidTransform::from_translation(Vector3::new(0.02, 0.0, 0.05));
    let imu = Imu::new("imu", &tree, BodyIndex::new(1), &at).unwrap();
    let noise = ImuNoise {
        specific_force: 0.1,
        angular_rate_walk: 0.01,
        ..ImuNoise::default()
    };
    let imu = imu.with_noise(noise).unwrap();
    let encoder = Encoder::new("encoder", &tree, rail, 0.25).unwrap();
    fn run<S: Sensor<f64> + Clone>(
        tree: &RigidBodyTree<f64>,
        sensor: &S,
    ) -> (Vec<String>, Vec<f64>) {
        let mut names = Vec::new();
        sensor.visit_output_names(&mut |name| names.push(name.to_string()));
        (sensor.clone()).visit_parameters(&mut |p| names.push(p.name.to_string()));
        names.push(sensor.is_sampled().to_string());
        let sensor = sensor.cast::<f64>();
        sensor.validate(tree).unwrap();
        let (contact, mut workspace) = (ContactModel::none(), tree.workspace());
        let accelerations = vec![SpatialAcceleration::zero(); tree.num_bodies()];
        let mut state = vec![0.0; sensor.num_states()];
        sensor.write_initial_state(&mut state);
        let (mut out, mut all) = (vec![0.0; sensor.num_outputs()], Vec::new());
        let mut count = 0.0;
        let mut normal = || {
            count += 1.0;
            count
        };
        for k in 0..4 {
            tree.set_state(&mut workspace, &[0.3 * k as f64], &[1.0])
                .unwrap();
            let context = SensorContext::new(tree, &workspace, &contact);
            let context = context.with_accelerations(&accelerations).unwrap();
            sensor
                .measure(&context, &state, &mut normal, &mut out)
                .unwrap();
            sensor
                .update(&context, DT, &mut normal, &mut state)
                .unwrap();
            sensor.advance(&context, DT, &mut state).unwrap();
            all.extend_from_slice(&out);
            all.extend_from_slice(&state);
        }
        (names, all)
    }
    let state = FullState::new(&tree);
    let delayed = Delayed::new(imu.clone(), 2);
    let in_boxes = Delayed::new(AnySensor::new(imu), 2);
    for (expected, found) in [
        (run(&tree, &state), AnySensor::new(state)),
        (run(&tree, &delayed), AnySensor::new(in_boxes)),
        (run(&tree, &encoder), AnySensor::new(encoder)),
    ] {
        assert_eq!(run(&tree, &found), expected);
        assert!(expected.1.iter().any(|x| *x != 0.0));
    }
}

/// The time comes to an element that asks for it.
#[test]
fn contexts_know_the_time() {
    let tree = tree();
    let (contact, workspace) = (ContactModel::none(), tree.workspace());
    let forces = ForceContext::new(&tree, &workspace);
    let sensors = SensorContext::new(&tree, &workspace, &contact);
    assert_eq!((forces.time(), sensors.time()), (0.0, 0.0));
    assert_eq!(forces.at_time(1.5).time(), 1.5);
    assert_eq!(sensors.at_time(2.5).time(), 2.5);
}

/// An element outside the crate has all that those of the crate have.
#[test]
fn constants_of_an_own_element_are_named_and_checked() {
    let tree = tree();
    let mut names = Vec::new();
    valve().visit_parameters(&mut |p| names.push((p.name.to_string(), p.unit)));
    let expected = [
        ("valve/frequency".to_owned(), "rad/s"),
        ("valve/damping".to_owned(), "1"),
        ("valve/opening".to_owned(), "N"),
    ];
    assert_eq!(names, expected);
    assert!(valve().validated(&tree).is_ok());
    let bad = |change: &dyn Fn(&mut Valve<f64>)| {
        let mut valve = valve();
        change(&mut valve);
        valve.validated(&tree).unwrap_err().to_string()
    };
    for (text, words) in [
        (bad(&|v| v.frequency = 0.0), ["\"valve\"", "frequency"]),
        (bad(&|v| v.damping = 1.5), ["\"valve\"", "less than 1"]),
        (bad(&|v| v.opening = f64::NAN), ["\"valve\"", "opening"]),
        (bad(&|v| v.joint = JointIndex::new(3)), ["no joint", "3"]),
    ] {
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
}

/// At a limit the derivative is that below it, and the actuator says so.
#[test]
fn actuators_say_how_far_their_limits_are() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(MASS, 0.1);
    let slider = builder.add_body("slider", inertia).unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::x() };
    let here = RigidTransform::identity();
    let rail = builder
        .add_joint("rail", kind, BodyIndex::WORLD, here, slider)
        .unwrap();
    let frames = [("peg", BodyIndex::WORLD), ("hook", slider)]
        .map(|(name, body)| builder.add_frame(name, body, here).unwrap());
    let tree = builder.finish().unwrap();
    let motor = TorqueSource::new("motor", &tree, rail, 3.0, Some(2.0)).unwrap();
    let servo = PdServo::new("servo", &tree, rail, [40.0, 2.0], Some([-1.0, 3.0])).unwrap();
    let rotor = Propeller::new("rotor", &tree, frames[1], 1.0, 0.1).unwrap();
    let spring = SpringDamper::new("spring", &tree, frames, [1.0, 1.0, 0.1]).unwrap();
    let lag = FirstOrderLag::new("lag", 0.1, motor.clone()).unwrap();
    let all = [
        AnyActuator::new(motor.clone()),
        AnyActuator::new(servo.clone()),
        AnyActuator::new(rotor),
        AnyActuator::new(spring),
        AnyActuator::new(lag),
        AnyActuator::new(valve()),
    ];
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &[0.25], &[0.5]).unwrap();
    let context = ForceContext::new(&tree, &workspace);
    let given: [(&[f64], &[f64]); 6] = [
        (&[1.5], &[]),
        (&[0.3, 0.5], &[]),
        (&[-7.0], &[]),
        (&[0.0], &[]),
        (&[9.0], &[-4.5]),
        (&[5.0], &[5.0, 0.0]),
    ];
    let mut found = Vec::new();
    for (actuator, (input, state)) in all.iter().zip(given) {
        actuator
            .visit_kinks(&context, input, state, &mut |k| {
                found.push((
                    k.element,
                    k.change,
                    (k.distance * 1e6).round() / 1e6,
                    k.order,
                ));
            })
            .unwrap();
    }
    let expected = [
        ("motor", "lower limit", 3.5, 1),
        ("motor", "upper limit", 0.5, 1),
        ("servo", "lower limit", 3.0, 1), // 40 · 0.05 N
        ("servo", "upper limit", 1.0, 1),
        ("rotor", "direction of rotation", 7.0, 2),
        ("spring", "coincident ends", 0.25, 0),
        ("motor", "lower limit", 2.5, 1), // behind the lag
        ("motor", "upper limit", 6.5, 1),
        ("valve", "fully open", 0.0, 1),
    ];
    assert_eq!(found, expected);
    for (input, slope) in [(2.0, 3.0), (-2.0, 3.0), (2.1, 0.0)] {
        let (tree, motor) = (tree.cast::<Dual64>(), motor.cast::<Dual64>());
        let workspace = tree.workspace();
        let context = ForceContext::new(&tree, &workspace);
        let mut forces = Forces::new(&tree);
        let input = [Dual64::from(input).derivative()];
        motor
            .add_forces(&context, &input, &[], &mut forces)
            .unwrap();
        assert_eq!(forces.generalized()[0].eps, slope);
    }
    // At q = v = 0 the force reaches its limits at −1/40 m and 3/40 m.
    for (input, slope) in [(-0.025, 40.0), (0.075, 40.0), (-0.026, 0.0), (0.076, 0.0)] {
        let (tree, servo) = (tree.cast::<Dual64>(), servo.cast::<Dual64>());
        let workspace = tree.workspace();
        let context = ForceContext::new(&tree, &workspace);
        let mut forces = Forces::new(&tree);
        let input = [Dual64::from(input).derivative(), Dual64::from(0.0)];
        (servo.add_forces(&context, &input, &[], &mut forces)).unwrap();
        assert_eq!(forces.generalized()[0].eps, slope);
    }
}

#[test]
fn sensors_say_how_far_their_events_are() {
    let tree = tree();
    let rail = tree.joint_by_name("rail").unwrap();
    let encoder = Encoder::new("encoder", &tree, rail, 0.25).unwrap();
    let ahead = [Vector3::x(), -Vector3::x()];
    let here = RigidTransform::identity();
    let slider = BodyIndex::new(1);
    let lidar = Lidar::new("lidar", &tree, slider, &here, &ahead, [0.2, 4.0]).unwrap();
    let mut contact = ContactModelBuilder::new();
    let sphere = Shape::new_sphere(0.5).unwrap();
    let rubber = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
    for (name, place) in [("ahead", [4.0, 0.0]), ("aside", [2.05, 2.0])] {
        let mut sphere = geometry(name, BodyIndex::WORLD, sphere.clone(), rubber);
        let place = Vector3::new(place[0], place[1], 0.0);
        sphere.pose_in_body = RigidTransform::from_translation(place);
        contact.add_geometry(sphere).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let mut workspace = tree.workspace();
    tree.set_positions(&mut workspace, &[0.55]).unwrap();
    let context = SensorContext::new(&tree, &workspace, &contact);
    let mut found = Vec::new();
    let mut visit = |k: ElementKink<'_>| {
        found.push((k.change, (k.distance * 1e9).round() / 1e9, k.order));
    };
    encoder.visit_kinks(&context, &[], &mut visit).unwrap();
    lidar.visit_kinks(&context, &[], &mut visit).unwrap();
    // The ray ahead sees a sphere at 2.95 m, through its middle; the other one nothing.
    let expected = [
        ("count", 0.05, 0),
        ("count", 0.2, 0),
        ("grazing", 0.5, 0),
        ("grazing", 1.5, 0),
        ("lower limit", 2.75, 1),
        ("upper limit", 1.05, 1),
        ("grazing", 2.95, 0),
        ("grazing", 2.0, 0),
    ];
    assert_eq!(found, expected);
    // A quaternion whose largest component is about to be overtaken by a negative one.
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let inertia = SpatialInertia::solid_sphere(MASS, 0.1);
    let ball = builder.add_body("ball", inertia).unwrap();
    let frame = builder.add_frame("center", ball, here).unwrap();
    let free = builder.finish().unwrap();
    let pose = FramePose::new("pose", frame);
    let read = |angle: f64| {
        let (sin, cos) = (angle / 2.0).sin_cos();
        let mut workspace = free.workspace();
        let q = [cos, -sin, 0.0, 0.0, 0.0, 0.0, 0.0];
        free.set_positions(&mut workspace, &q).unwrap();
        let context = SensorContext::new(&free, &workspace, &contact);
        let mut out = [0.0; 7];
        pose.measure(&context, &[], &mut || 0.0, &mut out).unwrap();
        let mut kinks = Vec::new();
        let mut visit = |kink: ElementKink<'_>| kinks.push((kink.order, kink.unit, kink.distance));
        pose.visit_kinks(&context, &[], &mut visit).unwrap();
        let nearest = kinks.iter().map(|k| k.2).fold(f64::INFINITY, f64::min);
        assert!(kinks.iter().all(|k| (k.0, k.1) == (0, "1")));
        assert!((nearest - (cos - sin).abs()).abs() < 1e-12);
        out[4]
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    assert!(read(quarter - 0.1) < -0.6 && read(quarter + 0.1) > 0.6);
    // What the rays read at their limits moves with the limits.
    let (tree, contact) = (tree.cast::<Dual64>(), contact.cast::<Dual64>());
    let mut lidar = lidar.cast::<Dual64>();
    lidar.visit_parameters(&mut |p| {
        if p.name.to_string() == "lidar/upper_limit" {
            *p.value = p.value.derivative();
        }
    });
    let workspace = tree.workspace();
    let context = SensorContext::new(&tree, &workspace, &contact);
    let mut out = [Dual64::from(0.0); 2];
    lidar.measure(&context, &[], &mut || 0.0, &mut out).unwrap();
    assert_eq!([out[0].eps, out[1].eps], [0.0, 1.0]);
    assert_eq!([out[0].re, out[1].re], [3.5, 4.0]);
}
