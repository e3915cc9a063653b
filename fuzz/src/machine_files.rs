//! Machines and states as JSON, and signals. A machine that is read is written again, read to the same text, and makes
//! a step.

#![no_main]

use dualbody::system::{RigidBodySystem, TimeSteppingRigidBodySystem, read_signal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else {
        let _ = read_signal(&mut &*bytes);
        return;
    };
    if let Ok(machine) = TimeSteppingRigidBodySystem::from_json(text) {
        let written = machine.to_json().expect("what is read can be written");
        let again =
            TimeSteppingRigidBodySystem::from_json(&written).expect("what is written can be read");
        assert_eq!(again.to_json().expect("as before"), written);
        step(&machine);
    } else if let Ok(machine) = RigidBodySystem::from_json(text) {
        let _ = machine.to_json().expect("what is read can be written");
        if let Ok(state) = machine.state_from_json(text) {
            assert!(state.q.iter().all(|x| x.is_finite()));
        }
    }
});

fn step(machine: &TimeSteppingRigidBodySystem<f64>) {
    let Ok(mut workspace) = machine.workspace() else {
        return;
    };
    let state = machine.initial_state();
    let input = vec![0.1; machine.num_inputs()];
    if let Ok(step) = machine.step(&mut workspace, &state, &input) {
        let next = step.state();
        assert!(next.q.iter().chain(&next.v).all(|x| x.is_finite()));
    }
}
