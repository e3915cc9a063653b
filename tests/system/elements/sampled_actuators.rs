//! What an actuator holds from one sample to the next: in the step, in its parts, and in the ledger of its energy.

use crate::support::scenes::{body_over_ground, free_body};
use dualbody::actuator::Actuator;
use dualbody::contact::ContactMaterial;
use dualbody::force::{ForceContext, ForceError, Forces};
use dualbody::geometry::Shape;
use dualbody::system::{
    IntegrationMethod, Scheme, State, StepDifferentiator, StepJacobian, TimeSteppingRigidBodySystem,
};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::Vector3;
use num_dual::Dual64;
use std::fmt;

/// A spring and damper along x by a digital controller: holds `−k x − c ẋ` of the sample before. Its velocity coordinate
/// is that of a free body along x.
#[derive(Debug, Clone)]
struct Digital;

const GAINS: [f64; 2] = [300.0, 8.0];

impl<T: Scalar> Actuator<T> for Digital {
    type Cast<U: DefaultScalar> = Digital;
    fn cast<U: DefaultScalar>(&self) -> Digital {
        Digital
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
        forces.add_generalized(3, state[0])
    }
    fn num_states(&self) -> usize {
        1
    }
    fn update(
        &self,
        context: &ForceContext<'_, T>,
        _: &[T],
        _: T,
        state: &mut [T],
    ) -> Result<(), ForceError> {
        state[0] = -(context.q()[4] * GAINS[0] + context.v()[3] * GAINS[1]);
        Ok(())
    }
    fn is_sampled(&self) -> bool {
        true
    }
}

/// A cube over the ground that turns about y, with the controller.
fn tumbling(scheme: Scheme, dt: f64) -> (TimeSteppingRigidBodySystem<f64>, State<f64>) {
    let material = ContactMaterial::new(2e4, 0.5, 0.2).unwrap();
    let cube = Shape::new_box(Vector3::repeat(0.1)).unwrap();
    let system = body_over_ground(cube, 0.001, material, dt).into_system();
    let system = system.with_actuators([Digital]).unwrap();
    let system = TimeSteppingRigidBodySystem::with_scheme(system, dt, scheme).unwrap();
    let mut state = system.initial_state();
    let free = free_body(
        [1.0, 0.1, 0.2, 0.3],
        [0.05, 0.0, 0.08],
        [0.5, 12.0, -0.4],
        [0.7, 0.1, -0.3],
    );
    (state.q, state.v) = (free.q, free.v);
    state.actuators[0] = 6.0;
    (system, state)
}

fn of_sample(state: &State<f64>) -> f64 {
    -(GAINS[0] * state.q[4] + GAINS[1] * state.v[3])
}

/// The work of what the step holds is that force along the way; after the step it holds what the sample said.
#[test]
fn a_force_is_held_over_a_step_and_in_its_ledger() {
    let continuous = |method| Scheme::Continuous {
        method,
        substeps: 4,
    };
    for (scheme, dt, in_parts, tolerance) in [
        (Scheme::Compliant, 1e-3, false, 1e-12),
        (Scheme::Compliant, 0.02, true, 1e-12),
        (Scheme::Rigid, 0.02, false, 1e-12),
        (
            continuous(IntegrationMethod::RungeKutta4),
            1e-3,
            false,
            1e-6,
        ),
        (continuous(IntegrationMethod::Radau3), 1e-3, false, 1e-6),
    ] {
        let (system, mut state) = tumbling(scheme, dt);
        let (mut workspace, mut divided) = (system.workspace().unwrap(), false);
        for number in 0..5 {
            let what = format!("{scheme:?}, {dt} s, step {number}");
            let mut step = system.step(&mut workspace, &state, &[]).unwrap();
            divided |= step.status().parts > 1;
            let ledger = step.energy().unwrap();
            let end = step.state().clone();
            assert_eq!(end.actuators[0], of_sample(&state), "{what}");
            // In rigid steps forces do their work at the mean of the velocities.
            let way = match scheme {
                Scheme::Rigid => 0.5 * dt * (state.v[3] + end.v[3]),
                _ => end.q[4] - state.q[4],
            };
            let work = ledger.work_of_actuation;
            let expected = state.actuators[0] * way;
            assert!(
                (work - expected).abs() < tolerance * expected.abs().max(1e-3),
                "{what}: {work} {expected}"
            );
            let energy = system.energy(&end, &[]).unwrap();
            let kinetic = ledger.kinetic.end;
            assert!((kinetic - energy.kinetic).abs() < 1e-12 * kinetic, "{what}");
            let open = ledger.residual() + ledger.loss.total();
            let tolerance = tolerance * ledger.total().start;
            assert!(open.abs() < tolerance, "{what}: open by {open} J");
            state = end;
        }
        assert_eq!(divided, in_parts, "{scheme:?}, {dt} s");
    }
}

/// What the sample at the start of a step in parts says is differentiated with it.
#[test]
fn samples_of_steps_in_parts_are_differentiated() {
    let (system, state) = tumbling(Scheme::Compliant, 0.02);
    let mut differentiator = StepDifferentiator::new(&system, &[]).unwrap();
    let (mut jacobian, row) = (StepJacobian::default(), state.q.len() + state.v.len());
    (differentiator.jacobian(&state, &[], &mut jacobian)).unwrap();
    let held = jacobian.state.row(row);
    for (column, &slope) in held.iter().enumerate() {
        let expected = match column {
            4 => -GAINS[0],
            10 => -GAINS[1],
            _ => 0.0,
        };
        assert_eq!(slope, expected, "column {column}");
    }
    let dual = system.cast::<Dual64>();
    let mut seeded = state.cast::<Dual64>();
    seeded.q[4].eps = 1.0;
    let mut workspace = dual.workspace().unwrap();
    let step = dual.step(&mut workspace, &seeded, &[]).unwrap();
    assert_eq!(step.state().actuators[0].eps, -GAINS[0]);
}
