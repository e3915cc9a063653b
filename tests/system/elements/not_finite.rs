//! Numbers of elements that are not finite are traced to the element, in every scheme and with derivatives.

use dualbody::actuator::Actuator;
use dualbody::constraint::{ConstraintError, ConstraintRows, TreeConstraint};
use dualbody::contact::ContactModel;
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces, UniformGravity};
use dualbody::math::{SpatialForce, SpatialInertia};
use dualbody::sensor::{Sensor, SensorContext, SensorError};
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, StepDifferentiator, StepJacobian,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::Vector3;
use std::fmt;

fn tree() -> (RigidBodyTree<f64>, BodyIndex) {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    let ball = builder.add_body("ball", inertia).unwrap();
    (builder.finish().unwrap(), ball)
}

fn machine() -> RigidBodySystem<f64> {
    RigidBodySystem::new(tree().0, ContactModel::none()).unwrap()
}

fn schemes() -> [Scheme; 3] {
    let method = IntegrationMethod::RungeKutta4;
    [
        Scheme::Compliant,
        Scheme::Rigid,
        Scheme::Continuous {
            method,
            substeps: 1,
        },
    ]
}

/// What a step, and its Jacobian, of a machine at rest say.
fn messages(machine: &RigidBodySystem<f64>, scheme: Scheme) -> [Option<String>; 2] {
    let plant = TimeSteppingRigidBodySystem::with_scheme(machine.clone(), 0.01, scheme).unwrap();
    let state = plant.initial_state();
    let input = vec![0.0; machine.num_inputs()];
    let mut workspace = plant.workspace().unwrap();
    let step = plant.step(&mut workspace, &state, &input).map(|_| ());
    let jacobian = StepDifferentiator::new(&plant, &[]).and_then(|mut differentiator| {
        let mut jacobian = StepJacobian::default();
        (differentiator.jacobian(&state, &input, &mut jacobian)).map(|_| ())
    });
    [step, jacobian].map(|result| result.err().map(|error| error.to_string()))
}

/// Drag by the square of the speed, as one writes it first.
#[derive(Debug, Clone)]
struct Drag<T> {
    body: BodyIndex,
    coefficient: T,
    lifted: bool,
}

impl<T: Scalar> ForceElement<T> for Drag<T> {
    type Cast<U: DefaultScalar> = Drag<U>;
    fn cast<U: DefaultScalar>(&self) -> Drag<U> {
        Drag {
            body: self.body,
            coefficient: U::from(self.coefficient.re()),
            lifted: self.lifted,
        }
    }
    fn name(&self) -> &str {
        "drag"
    }
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let v = context.body_velocity(self.body)?.linear;
        let speed = match self.lifted {
            true => T::norm_lifted(v.as_slice()),
            false => v.norm(),
        };
        let force = v * (-self.coefficient * speed);
        forces.add_on_body(self.body, &SpatialForce::new(Vector3::zeros(), force))
    }
}

#[test]
fn drag_by_a_plain_norm_is_named_at_rest() {
    let body = tree().1;
    for scheme in schemes() {
        for lifted in [false, true] {
            let drag = Drag {
                body,
                coefficient: 0.3,
                lifted,
            };
            // Beside one that is sound.
            let gravity = UniformGravity::new("gravity", &tree().0, Vector3::x()).unwrap();
            let machine = machine().with_forces([gravity]).unwrap();
            let machine = machine.with_forces([drag]).unwrap();
            let [step, jacobian] = messages(&machine, scheme);
            if lifted {
                assert_eq!([step, jacobian], [None, None], "{scheme:?}");
                continue;
            }
            let expected = r#"force element "drag" (Drag): the derivative of the force on "ball" along x is NaN; at zero, norms have a derivative as `norm_lifted`"#;
            let jacobian = jacobian.unwrap();
            assert!(jacobian.contains(expected), "{scheme:?}: {jacobian}");
            // In continuous time a step in `f64` needs no damping.
            if !matches!(scheme, Scheme::Continuous { .. }) {
                let step = step.unwrap();
                assert!(step.contains(expected), "{scheme:?}: {step}");
            }
        }
    }
}

/// A pull of constant size towards the origin, where it has no direction.
#[derive(Debug, Clone)]
struct Pull(BodyIndex);

impl<T: Scalar> ForceElement<T> for Pull {
    type Cast<U: DefaultScalar> = Pull;
    fn cast<U: DefaultScalar>(&self) -> Pull {
        self.clone()
    }
    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let force = -context.body_pose(self.0)?.translation.normalize();
        forces.add_on_body(self.0, &SpatialForce::new(Vector3::zeros(), force))
    }
}

#[test]
fn a_direction_that_does_not_exist_has_a_remedy() {
    let machine = machine().with_forces([Pull(tree().1)]).unwrap();
    let expected = r#"force element Pull: the force on "ball" along x is NaN; at zero, a norm that divides can be `soft_norm`"#;
    for scheme in schemes() {
        let [step, jacobian] = messages(&machine, scheme).map(Option::unwrap);
        assert!(step.contains(expected), "{scheme:?}: {step}");
        assert!(jacobian.contains(expected), "{scheme:?}: {jacobian}");
    }
}

/// NaN where it says.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Where {
    Force,
    Rate,
    Sample,
    Output,
    SensorRate,
    Phi,
    Jacobian,
}

#[derive(Debug, Clone)]
struct Broken(Where);

impl Broken {
    fn value<T: Scalar>(&self, at: Where) -> T {
        T::from(if self.0 == at { f64::NAN } else { 0.0 })
    }
}

impl<T: Scalar> ForceElement<T> for Broken {
    type Cast<U: DefaultScalar> = Broken;
    fn cast<U: DefaultScalar>(&self) -> Broken {
        self.clone()
    }
    fn depends_on_velocity(&self) -> bool {
        false
    }
    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        forces.add_generalized(3, self.value(Where::Force))
    }
}

impl<T: Scalar> Actuator<T> for Broken {
    type Cast<U: DefaultScalar> = Broken;
    fn cast<U: DefaultScalar>(&self) -> Broken {
        self.clone()
    }
    fn num_inputs(&self) -> usize {
        1
    }
    fn visit_input_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("motor/voltage"));
    }
    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        forces.add_generalized(4, self.value(Where::Force))
    }
    fn num_states(&self) -> usize {
        1
    }
    fn state_derivative(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        _: &[T],
        rate: &mut [T],
    ) -> Result<(), ForceError> {
        rate[0] = self.value(Where::Rate);
        Ok(())
    }
    fn update(
        &self,
        _: &ForceContext<'_, T>,
        _: &[T],
        _: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        state[0] += self.value::<T>(Where::Sample);
        Ok(())
    }
    fn is_sampled(&self) -> bool {
        self.0 == Where::Sample
    }
}

impl<T: Scalar> Sensor<T> for Broken {
    type Cast<U: DefaultScalar> = Broken;
    fn cast<U: DefaultScalar>(&self) -> Broken {
        self.clone()
    }
    fn num_outputs(&self) -> usize {
        1
    }
    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("gauge/pressure"));
    }
    fn measure(
        &self,
        _: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> Result<(), SensorError> {
        out[0] = self.value(Where::Output);
        Ok(())
    }
    fn num_states(&self) -> usize {
        1
    }
    fn state_derivative(
        &self,
        _: &SensorContext<'_, T>,
        _: &[T],
        rate: &mut [T],
    ) -> Result<(), SensorError> {
        rate[0] = self.value(Where::SensorRate);
        Ok(())
    }
}

impl<T: Scalar> TreeConstraint<T> for Broken {
    type Cast<U: DefaultScalar> = Broken;
    fn cast<U: DefaultScalar>(&self) -> Broken {
        self.clone()
    }
    fn name(&self) -> &str {
        "tie"
    }
    fn num_rows(&self) -> usize {
        1
    }
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        rows.phi[0] = self.value(Where::Phi);
        rows.jacobian[(0, 3)] = T::one();
        // Finite, with a derivative that is not.
        if self.0 == Where::Jacobian {
            let place = tree.body_pose(workspace, BodyIndex::new(1))?.translation;
            rows.jacobian[(0, 4)] = place.x.sqrt() * 0.0;
        }
        Ok(())
    }
}

#[test]
fn numbers_that_are_not_finite_are_traced() {
    use Where::{Force, Output, Phi, Rate, Sample, SensorRate};
    let actuator = |at| machine().with_actuators([Broken(at)]).unwrap();
    let sensor = |at| machine().with_sensors([Broken(at)]).unwrap();
    for (machine, expected) in [
        (
            machine().with_forces([Broken(Force)]).unwrap(),
            "force element Broken: the force on the velocity coordinate 3 is NaN",
        ),
        (
            actuator(Force),
            r#"actuator "motor/voltage" (Broken): the force on the velocity coordinate 4 is NaN"#,
        ),
        (actuator(Rate), r#"actuator "motor/voltage" (Broken): "#),
        (
            actuator(Sample),
            r#"actuator "motor/voltage" (Broken): state 0 is NaN"#,
        ),
        (
            sensor(Output),
            r#"sensor "gauge/pressure" (Broken): output 0 is NaN"#,
        ),
        (sensor(SensorRate), r#"sensor "gauge/pressure" (Broken): "#),
        (
            machine().with_constraints([Broken(Phi)]).unwrap(),
            r#"constraint "tie": phi of a constraint = NaN is not finite"#,
        ),
    ] {
        for scheme in schemes() {
            let [step, jacobian] = messages(&machine, scheme);
            let (step, jacobian) = (step.unwrap(), jacobian.unwrap());
            assert!(step.contains(expected), "{scheme:?}: {step}");
            assert!(jacobian.contains(expected), "{scheme:?}: {jacobian}");
        }
    }
}

#[test]
fn derivatives_of_constraints_that_are_not_finite_are_traced() {
    let machine = machine()
        .with_constraints([Broken(Where::Jacobian)])
        .unwrap();
    for scheme in schemes() {
        let [step, jacobian] = messages(&machine, scheme);
        assert_eq!(step, None, "{scheme:?}");
        let (jacobian, expected) = (
            jacobian.unwrap(),
            r#"constraint "tie": the derivative of the Jacobian is "#,
        );
        assert!(jacobian.contains(expected), "{scheme:?}: {jacobian}");
    }
}

/// Elements that are sound, but for numbers that overflow together, are not blamed.
#[test]
fn sums_that_overflow_are_errors() {
    #[derive(Debug, Clone)]
    struct Huge;
    impl<T: Scalar> ForceElement<T> for Huge {
        type Cast<U: DefaultScalar> = Huge;
        fn cast<U: DefaultScalar>(&self) -> Huge {
            Huge
        }
        fn add_forces(
            &self,
            _: &ForceContext<'_, T>,
            forces: &mut Forces<T>,
        ) -> Result<(), ForceError> {
            forces.add_generalized(3, T::from(1.5e308))
        }
    }
    let machine = machine().with_forces([Huge, Huge]).unwrap();
    for scheme in schemes() {
        assert!(messages(&machine, scheme)[0].is_some());
    }
}

/// What is given is named, too.
#[test]
fn states_and_inputs_that_are_not_finite_are_named() {
    let machine = machine().with_actuators([Broken(Where::Phi)]).unwrap();
    for scheme in schemes() {
        let plant = TimeSteppingRigidBodySystem::with_scheme(machine.clone(), 0.01, scheme);
        let plant = plant.unwrap();
        let mut workspace = plant.workspace().unwrap();
        let mut message = |q: f64, v: f64, input: f64| {
            let mut state = plant.initial_state();
            (state.q[4], state.v[1]) = (q, v);
            let error = plant.step(&mut workspace, &state, &[input]).unwrap_err();
            error.to_string()
        };
        let (nan, infinite) = (f64::NAN, f64::INFINITY);
        for (found, expected) in [
            (
                message(0.0, 0.0, nan),
                r#"input "motor/voltage": inputs = NaN is not finite"#,
            ),
            (message(nan, 0.0, 0.0), "\": q[4] = NaN is not finite"),
            (message(0.0, infinite, 0.0), "\": v[1] = inf is not finite"),
        ] {
            assert!(found.contains(expected), "{scheme:?}: {found}");
        }
    }
}

#[test]
fn forces_too_large_to_compute_with_are_named() {
    for scheme in schemes() {
        for size in [1e197, -1e308] {
            let gravity = UniformGravity::new("gravity", &tree().0, Vector3::x() * size).unwrap();
            let machine = machine().with_forces([gravity]).unwrap();
            let start =
                r#"force element "gravity" (UniformGravity): the force on "ball" along x is "#;
            let message = messages(&machine, scheme)[0].clone().unwrap();
            assert!(message.starts_with(start), "{message}");
            assert!(message.ends_with("at most 1e150 in size"), "{message}");
        }
    }
}
