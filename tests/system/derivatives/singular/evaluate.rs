//! What a machine does along a curve through a state, in any scalar.

use crate::elements::every_element::Machine;
use dualbody::actuator::Actuator;
use dualbody::force::{ForceContext, ForceElement};
use dualbody::system::{IntegrationMethod, Scheme, State, StepKink, TimeSteppingRigidBodySystem};
use dualbody::{ElementKink, Scalar};

/// What is asked of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Task {
    Dynamics,
    Compliant,
    Rigid,
    Continuous,
}

impl Task {
    pub const ALL: [Self; 4] = [
        Self::Dynamics,
        Self::Compliant,
        Self::Rigid,
        Self::Continuous,
    ];
}

const TIME_STEP: f64 = 0.01;

/// A state and an input, and how they change along a parameter s.
#[derive(Debug, Clone)]
pub struct Curve {
    pub state: State<f64>,
    pub input: Vec<f64>,
    /// dq/ds as a velocity, dv/ds, and the rate of every input and of every state of an actuator.
    pub motion: Vec<f64>,
    pub acceleration: Vec<f64>,
    pub rate: f64,
}

impl Curve {
    fn at<T: Scalar>(&self, machine: &Machine<T>, s: T) -> (State<T>, Vec<T>) {
        let mut state = self.state.cast::<T>();
        let start = state.q.clone();
        let motion: Vec<T> = self.motion.iter().map(|x| T::from(*x)).collect();
        let q = state.q.as_mut_slice();
        (machine
            .tree()
            .integrate_exponential(start.as_slice(), &motion, s, q))
        .unwrap();
        for (v, a) in state.v.iter_mut().zip(&self.acceleration) {
            *v += s * *a;
        }
        state.actuators.iter_mut().for_each(|x| *x += s * self.rate);
        let input = self.input.iter().map(|u| s * self.rate + *u).collect();
        (state, input)
    }
}

/// All numbers of a result, and the lowest order of derivatives that jumps here, as the result says.
#[derive(Debug, Clone)]
pub struct Outcome<T> {
    pub values: Vec<T>,
    pub jump: Option<usize>,
}

/// Kinks nearer than this are at the state, to round-off.
const AT_STATE: f64 = 1e-9;

fn lower(jump: &mut Option<usize>, distance: f64, order: usize) {
    if distance <= AT_STATE {
        *jump = Some(jump.map_or(order, |other| other.min(order)));
    }
}

/// What comes of a task at several parameters of the curve.
pub fn evaluate<T: Scalar>(
    machine: &Machine<T>,
    task: Task,
    curve: &Curve,
    parameters: &[T],
) -> Vec<Result<Outcome<T>, String>> {
    let scheme = match task {
        Task::Dynamics => {
            let one = |s: &T| {
                let (state, input) = curve.at(machine, *s);
                let values = dynamics(machine, &state, &input);
                values.map(|(values, jump)| Outcome { values, jump })
            };
            return parameters.iter().map(one).collect();
        }
        Task::Compliant => Scheme::Compliant,
        Task::Rigid => Scheme::Rigid,
        Task::Continuous => Scheme::Continuous {
            method: IntegrationMethod::RungeKutta4,
            substeps: 1,
        },
    };
    let dt = T::from(TIME_STEP);
    let stepper = match TimeSteppingRigidBodySystem::with_scheme(machine.clone(), dt, scheme) {
        Ok(stepper) => stepper,
        Err(e) => return vec![Err(e.to_string()); parameters.len()],
    };
    let mut workspace = stepper.workspace().unwrap();
    workspace.set_kink_search(true);
    let one = |s: &T| {
        let (state, input) = curve.at(stepper.system(), *s);
        let mut step = (stepper.step(&mut workspace, &state, &input)).map_err(|e| e.to_string())?;
        let next = step.state();
        let parts = [&next.q, &next.v, &next.actuators, &next.sensors];
        let outputs = parts.into_iter().chain([step.output()]);
        let values = outputs.flat_map(|part| part.iter().copied()).collect();
        let status = step.status();
        let mut jump = None;
        for kink in status.nearest_kinks.iter() {
            lower(&mut jump, kink.distance(), 1);
        }
        if let Some(kink) = status.nearest_geometry_kink {
            lower(&mut jump, kink.distance, 1);
        }
        (step.visit_element_kinks(&mut |kink| lower(&mut jump, kink.distance.re(), kink.order)))
            .map_err(|e| e.to_string())?;
        Ok(Outcome { values, jump })
    };
    parameters.iter().map(one).collect()
}

/// Accelerations, the torques that need them, and energies.
fn dynamics<T: Scalar>(
    machine: &Machine<T>,
    state: &State<T>,
    input: &[T],
) -> Result<(Vec<T>, Option<usize>), String> {
    let mut workspace = machine.dynamics_workspace();
    let vdot = machine.accelerations(&mut workspace, state, input);
    let mut values = vdot.map_err(|e| e.to_string())?.to_vec();
    let tree = machine.tree();
    let mut placed = tree.workspace();
    tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())
        .unwrap();
    let mut tau = vec![T::zero(); values.len()];
    (tree.inverse_dynamics(&mut placed, &values, None, &mut tau)).map_err(|e| e.to_string())?;
    let mut back = tau.clone();
    (tree.forward_dynamics(&mut placed, &tau, None, &mut back)).map_err(|e| e.to_string())?;
    values.extend(tau);
    values.extend(back);
    let context = ForceContext::new(tree, &placed);
    let mut jump = None;
    let found = machine.nearest_kinks(&mut workspace, state, input, TIME_STEP);
    let (kinks, geometry) = found.map_err(|e| e.to_string())?;
    for distance in (kinks.iter().map(StepKink::distance)).chain(geometry.map(|kink| kink.distance))
    {
        lower(&mut jump, distance, 1);
    }
    let mut visit = |kink: ElementKink<'_, T>| lower(&mut jump, kink.distance.re(), kink.order);
    for force in machine.forces() {
        (force.visit_kinks(&context, &mut visit)).map_err(|e| e.to_string())?;
    }
    let (mut inputs, mut states) = (input, state.actuators.as_slice());
    for actuator in machine.actuators() {
        let (input, own);
        (input, inputs) = inputs.split_at(actuator.num_inputs());
        (own, states) = states.split_at(actuator.num_states());
        (actuator.visit_kinks(&context, input, own, &mut visit)).map_err(|e| e.to_string())?;
    }
    Ok((values, jump))
}
