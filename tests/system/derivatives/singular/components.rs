//! Every built-in element in every state.

use super::super::other_scalars::OtherScalars;
use super::evaluate::Task;
use super::states::*;
use super::{Build, Check, report};
use crate::elements::every_element::{
    Element, actuators, constraints, forces, frictions, mechanism, sensors,
};
use crate::support::cases::tier;
use dualbody::Scalar;

/// What machines show.
enum Of {
    Mechanisms,
    Forces,
    Actuators,
    Sensors,
    Constraints,
    Frictions,
}

impl Build for Of {
    fn build<T: Scalar>(&self) -> Vec<Element<T>> {
        match self {
            Of::Mechanisms => mechanisms(),
            Of::Forces => forces(),
            Of::Actuators => actuators(),
            Of::Sensors => sensors(),
            Of::Constraints => constraints(),
            Of::Frictions => frictions(),
        }
    }
}

fn mechanisms<T: Scalar>() -> Vec<Element<T>> {
    let (machine, _) = mechanism();
    let mut options = *machine.options();
    options.rigid_contact = true;
    let rigid = machine.clone().with_options(options).unwrap();
    vec![
        ("mechanism", machine),
        ("mechanism with rigid contact", rigid),
    ]
}

/// Whether certificates name kinks of contacts and constraints too: those of discrete steps.
fn is_step(task: Task) -> bool {
    matches!(task, Task::Compliant | Task::Rigid)
}

/// The orders of derivatives that are compared. A rigid contact that brings the ball to rest leaves it without
/// wind to round-off only, where second derivatives of what goes by the wind jump, and third ones have no bound.
/// Rotational friction that sticks in continuous time is too stiff for differences of second derivatives.
fn compared_orders(element: &str, task: Task, state: &Singular) -> usize {
    let by_wind = ["drag", "drag off the centre", "wing"].contains(&element);
    let rotational = element == "torsional and rolling friction";
    match (task, state.touches()) {
        (Task::Rigid, true) if by_wind => 1,
        (Task::Continuous, true) if rotational => 2,
        _ => 3,
    }
}

/// Every machine in every state does every task, except for those that are said to be refused: by machine, task
/// and state. Names what fails.
fn walk(of: Of, is_refused: impl Fn(&str, Task, &Singular) -> bool) {
    let mut failures = Vec::new();
    let others = OtherScalars::of(&of);
    for (machine_number, (name, machine)) in of.build().iter().enumerate() {
        // Of a few states for each machine, others for the next.
        let stride = tier(6, 1);
        for singular in STATES.iter().skip(machine_number % stride).step_by(stride) {
            for number in 0..tier(1, CURVES) {
                let curve = singular.curve(machine, number);
                for task in Task::ALL {
                    let check = Check {
                        machine,
                        others: &others,
                        number: machine_number,
                        task,
                        curve: &curve,
                        // Kinks of contacts and of an element, at once.
                        many_sided: !is_step(task) && singular.touches(),
                        orders: compared_orders(name, task, singular),
                    };
                    let refused = is_refused(name, task, singular);
                    let what = match check.run() {
                        Ok(done) if done != refused => continue,
                        Ok(true) => "is not refused".to_owned(),
                        Ok(false) => "is refused".to_owned(),
                        Err(what) => what,
                    };
                    failures.push(format!(
                        "{name}, {task:?}, {}, curve {number}: {what}",
                        singular.name
                    ));
                }
            }
        }
    }
    report(&failures);
}

/// Roll, pitch and yaw do not say how a bushing is twisted.
fn is_gimbal_lock(state: &Singular) -> bool {
    // The upper limit of the hinge is a quarter turn.
    state.name.starts_with("gimbal lock") || state.name.starts_with("upper limits")
}

/// A rod without length has no direction.
fn is_coincident(state: &Singular) -> bool {
    let names = ["half-turn about x", "half-turn about y", "gimbal lock"];
    names.contains(&state.name) || state.name.contains("coincident points")
}

#[test]
fn mechanisms_are_differentiable_in_every_state() {
    walk(Of::Mechanisms, |_, _, _| false);
}

#[test]
fn force_elements_are_differentiable_in_every_state() {
    walk(Of::Forces, |name, _, state| {
        ["quasi-symmetric bushing", "bushing by angles"].contains(&name) && is_gimbal_lock(state)
    });
}

#[test]
fn actuators_are_differentiable_in_every_state() {
    walk(Of::Actuators, |_, _, _| false);
}

#[test]
fn sensors_are_differentiable_in_every_state() {
    walk(Of::Sensors, |_, _, _| false);
}

#[test]
fn constraints_are_differentiable_in_every_state() {
    walk(Of::Constraints, |name, _, state| {
        name == "distance" && is_coincident(state)
    });
}

#[test]
fn frictions_are_differentiable_in_every_state() {
    walk(Of::Frictions, |name, task, _| {
        task == Task::Rigid && name == "torsional and rolling friction"
    });
}
