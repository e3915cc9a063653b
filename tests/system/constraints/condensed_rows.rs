//! Rows that are condensed out of a compliant step, beside springs about multipliers: two ways to one root.

use crate::elements::every_element::{self, HINGE};
use crate::support::random_contact::Random;
use dualbody::actuator::PdServo;
use dualbody::system::{Scheme, TimeSteppingRigidBodySystem};

/// A servo without gains adds no force, but forces that depend on velocities are not condensed with.
#[test]
fn an_idle_servo_does_not_change_constrained_steps() {
    let (mut steps, mut with_contacts, mut most_impulses) = (0, 0, 0.0_f64);
    for (what, machine) in every_element::constraints::<f64>() {
        let servo = PdServo::new("idle", machine.tree(), HINGE, [0.0, 0.0], None).unwrap();
        let idle = machine.clone().with_actuators([servo]).unwrap();
        let systems = [machine.clone(), idle].map(|machine| {
            TimeSteppingRigidBodySystem::with_scheme(machine, 2e-3, Scheme::Compliant).unwrap()
        });
        let mut workspaces = (systems.each_ref()).map(|system| system.workspace().unwrap());
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let mut state = every_element::lively(&machine, seed as usize % 3);
            for k in 0..10 {
                let ends = [0, 1].map(|i| {
                    let mut input = vec![0.3; systems[0].num_inputs()];
                    input.resize(systems[i].num_inputs(), 0.0);
                    let mut start = systems[i].initial_state();
                    start.q.copy_from(&state.q);
                    start.v.copy_from(&state.v);
                    let mut step = (systems[i].step(&mut workspaces[i], &start, &input))
                        .unwrap_or_else(|error| panic!("{what}, {seed}, {k}: {error}"));
                    with_contacts += usize::from(!step.contacts().unwrap().is_empty());
                    let forces = step.constraint_forces().unwrap();
                    let forces: Vec<f64> = forces.iter().map(|force| force.force).collect();
                    (step.state().clone(), forces)
                });
                let [(a, forces_a), (b, forces_b)] = &ends;
                let error = (&a.v - &b.v).amax() / a.v.amax().max(1e-3);
                assert!(error < 1e-9, "{what}, {seed}, {k}: {error:e}");
                let most = forces_a.iter().fold(1.0_f64, |m, f| m.max(f.abs()));
                for (a, b) in forces_a.iter().zip(forces_b) {
                    assert!(
                        (a - b).abs() < 1e-7 * most,
                        "{what}, {seed}, {k}: {a} and {b}"
                    );
                }
                most_impulses = most_impulses.max(most);
                steps += 1;
                state.clone_from(a);
                if k % 3 == 0 {
                    state
                        .v
                        .iter_mut()
                        .for_each(|v| *v += random.uniform(-0.1, 0.1));
                }
            }
        }
    }
    assert!(
        steps > 1000 && with_contacts > 100 && most_impulses > 10.0,
        "{steps}, {with_contacts}"
    );
}
