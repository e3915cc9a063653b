//! Every built-in element in every state.

use super::evaluate::Task;
use super::states::*;
use super::{Check, report};
use crate::every_element::{self, Element, Machine, mechanism};

/// An element, and what a machine with it does.
struct Component {
    name: &'static str,
    machine: Machine,
    tasks: &'static [Task],
}

/// Whether certificates name kinks of contacts and constraints too: those of discrete steps.
fn is_step(task: Task) -> bool {
    matches!(task, Task::Compliant | Task::Rigid)
}

const STEPS: &[Task] = &[Task::Dynamics, Task::Compliant];
const MEASURED: &[Task] = &[Task::Compliant, Task::Continuous];
const ALL: &[Task] = &[
    Task::Dynamics,
    Task::Compliant,
    Task::Rigid,
    Task::Continuous,
];

/// Each machine, with these tasks.
fn with_tasks(machines: Vec<Element>, tasks: &'static [Task]) -> Vec<Component> {
    let component = |(name, machine)| Component {
        name,
        machine,
        tasks,
    };
    machines.into_iter().map(component).collect()
}

fn mechanisms() -> Vec<Component> {
    let (machine, _) = mechanism();
    let mut options = *machine.options();
    options.rigid_contact = true;
    let rigid = machine.clone().with_options(options).unwrap();
    vec![
        Component {
            name: "mechanism",
            machine,
            tasks: ALL,
        },
        Component {
            name: "mechanism with rigid contact",
            machine: rigid,
            tasks: &[Task::Dynamics, Task::Continuous],
        },
    ]
}

/// Every component in every state; names those that fail.
fn walk(components: &[Component]) {
    let (mut failures, mut refused) = (Vec::new(), 0);
    for component in components {
        for singular in STATES {
            for number in 0..CURVES {
                let curve = singular.curve(&component.machine, number);
                for &task in component.tasks {
                    let machine = &component.machine;
                    let check = Check {
                        machine,
                        task,
                        curve: &curve,
                        // Kinks of contacts and of an element, at once.
                        many_sided: !is_step(task) && singular.touches(),
                    };
                    match check.run() {
                        Ok(true) => {}
                        Ok(false) => {
                            refused += 1;
                            println!("refused: {}, {task:?}, {}", component.name, singular.name);
                        }
                        Err(what) => failures.push(format!(
                            "{}, {task:?}, {}, curve {number}: {what}",
                            component.name, singular.name
                        )),
                    }
                }
            }
        }
    }
    println!("{refused} refused");
    report(&failures);
}

#[test]
fn mechanisms_are_differentiable_in_every_state() {
    walk(&mechanisms());
}

#[test]
fn force_elements_are_differentiable_in_every_state() {
    walk(&with_tasks(every_element::forces(), STEPS));
}

#[test]
fn actuators_are_differentiable_in_every_state() {
    walk(&with_tasks(every_element::actuators(), STEPS));
}

#[test]
fn sensors_are_differentiable_in_every_state() {
    walk(&with_tasks(every_element::sensors(), MEASURED));
}

#[test]
fn constraints_are_differentiable_in_every_state() {
    walk(&with_tasks(every_element::constraints(), ALL));
}
