//! Functions of continuous time of a system that is in a stepper: those of the system by itself, to the bit.

use crate::elements::every_element::{
    LIVELY, Machine, actuators, constraints, forces, frictions, lively, sensors,
};
use dualbody::Parameters;
use dualbody::system::{Scheme, State, TimeSteppingRigidBodySystem};

const DT: f64 = 0.01;

/// Of accelerations, outputs, energies and powers, rates and their derivatives, and kinks, or what the errors say.
fn of_an_instant(machine: &Machine, state: &State<f64>) -> Vec<String> {
    let input = vec![0.6; machine.num_inputs()];
    let mut workspace = machine.dynamics_workspace();
    let mut output = vec![0.0; machine.num_outputs()];
    let accelerations = machine
        .accelerations(&mut workspace, state, &input)
        .map(<[f64]>::to_vec);
    let measured = machine.output(&mut workspace, state, &input, &mut || 0.0, &mut output);
    // Round-trip formatting tells all numbers apart.
    vec![
        format!("{accelerations:?}"),
        format!("{measured:?} {output:?}"),
        format!("{:?}", machine.energy(state, &input)),
        format!("{:?}", machine.linearize(state, &input)),
        format!(
            "{:?}",
            machine.nearest_kinks(&mut workspace, state, &input, DT)
        ),
    ]
}

#[test]
fn an_instant_of_a_stepper_is_that_of_its_system() {
    let machines = [forces(), actuators(), sensors(), constraints(), frictions()];
    for (name, machine) in machines.into_iter().flatten() {
        for scheme in [Scheme::Compliant, Scheme::Rigid] {
            let made = TimeSteppingRigidBodySystem::with_scheme(machine.clone(), DT, scheme);
            // Some friction is not for rigid steps.
            let Ok(mut stepper) = made else { continue };
            stepper.set_parameter("time_step", 2.0 * DT).unwrap();
            for number in 0..LIVELY.len() {
                let state = lively(&machine, number);
                let expected = of_an_instant(&machine, &state);
                for (way, system) in [("system()", stepper.system()), ("Deref", &*stepper)] {
                    let found = of_an_instant(system, &state);
                    assert_eq!(found, expected, "{name}, {scheme:?}, state {number}, {way}");
                }
            }
        }
    }
}
