//! The energy ledger of every element, kind of friction and constraint closes in every scheme: of discrete steps to what
//! the solver leaves of the balance, in continuous time at the order of the method.

use crate::elements::every_element::{
    Element, LIVELY, Machine, actuators, constraints, forces, frictions, lively, mechanism,
    without_inputs,
};
use crate::support::user_elements::{Brake, Tether, Vortex};
use dualbody::force::AnyForce;
use dualbody::system::{
    EnergyLedger, IntegrationMethod, RigidBodySystem, Scheme, TimeSteppingRigidBodySystem,
};
use dualbody::tree::BodyIndex;

/// The ledgers of some steps; `None` where the scheme refuses the machine.
fn ledgers(
    system: &RigidBodySystem<f64>,
    state: usize,
    (scheme, dt, steps): (Scheme, f64, usize),
) -> Option<Vec<EnergyLedger<f64>>> {
    let mut state = lively(system, state);
    let stepper = TimeSteppingRigidBodySystem::with_scheme(system.clone(), dt, scheme).ok()?;
    let mut workspace = stepper.workspace().unwrap();
    let input = vec![0.6; system.num_inputs()];
    let one = |_| {
        let mut step = stepper.step(&mut workspace, &state, &input).unwrap();
        let ledger = step.energy().unwrap();
        state = step.state().clone();
        ledger
    };
    Some((0..steps).map(one).collect())
}

/// The largest energy in a ledger.
fn size(ledger: &EnergyLedger<f64>) -> f64 {
    let all = [
        ledger.kinetic.start,
        ledger.kinetic.end,
        ledger.dissipated(),
        ledger.work_of_constraints,
        ledger.loss.total(),
    ];
    all.iter().fold(1.0, |most, energy| most.max(energy.abs()))
}

/// What may be left over of a discrete step, relative to its largest energy. The forces of contacts and constraints are
/// found to about 1e-12 of the largest momentum; a loop that is closed from far away in one step takes large ones.
const CLOSED: f64 = 1e-9;

/// What touches its plane exactly in all states, or has a limit of zero.
const IDLE: [&str; 4] = [
    "direct contact of the arm",
    "bristle of the arm",
    "motor at its limit",
    "servo at its limit",
];

/// Looks for what is wrong with the ledgers of a machine, and for elements that leave the bare mechanism as it is.
fn check(name: &str, system: &Machine, bare: &Machine, wrong: &mut Vec<String>) {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let (mut refused, mut acts) = (0, IDLE.contains(&name));
        for state in 0..LIVELY.len() {
            let run = (scheme, 5e-3, 60);
            let Some(found) = ledgers(system, state, run) else {
                refused += 1;
                continue;
            };
            for (step, ledger) in found.iter().enumerate() {
                let rest = (ledger.residual() + ledger.loss.total()) / size(ledger);
                if rest.abs() > CLOSED {
                    wrong.push(format!(
                        "{name}, {scheme:?}, state {state}, step {step}: {rest:e}"
                    ));
                }
            }
            let end = |all: &[EnergyLedger<f64>]| all[all.len() - 1].kinetic.end;
            let alone = ledgers(bare, state, run).unwrap();
            acts |= (end(&found) - end(&alone)).abs() > 1e-6;
        }
        let is_compliant = scheme == Scheme::Compliant;
        if !acts && (is_compliant || refused == 0) {
            wrong.push(format!("{name} does nothing in {scheme:?} steps"));
        }
    }
    for (method, order) in [
        (IntegrationMethod::RungeKutta4, 4),
        (IntegrationMethod::Radau3, 3),
    ] {
        let substeps = 1;
        let scheme = Scheme::Continuous { method, substeps };
        for state in 0..LIVELY.len() {
            let sum = |halves: usize| -> f64 {
                let run = (scheme, 2e-3 / halves as f64, 4 * halves);
                let found = ledgers(system, state, run).unwrap();
                found.iter().map(EnergyLedger::residual).sum()
            };
            let [coarse, middle, fine] = [1, 2, 4].map(sum);
            let falls = 2f64.powi(-order);
            // Where the first term of the error passes zero it falls more, then less.
            let expected = (coarse.abs() * falls * falls).max(middle.abs() * falls);
            if fine.abs() > 1.6 * expected + 1e-12 {
                wrong.push(format!(
                    "{name}, {method:?}, state {state}: {coarse:e} {middle:e} {fine:e}"
                ));
            }
        }
    }
}

fn check_all(machines: Vec<Element>, bare: &Machine) {
    let mut wrong = Vec::new();
    for (name, machine) in machines {
        check(name, &machine, bare, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn of_force_elements() {
    check_all(forces(), &mechanism().0);
}

#[test]
fn of_actuators() {
    check_all(actuators(), &without_inputs().0);
}

#[test]
fn of_constraints() {
    check_all(constraints(), &mechanism().0);
}

#[test]
fn of_joints_and_of_every_friction() {
    check_all(frictions(), &mechanism().0);
}

#[test]
fn of_elements_written_outside_the_crate() {
    let (machine, _) = mechanism();
    let (tether, vortex, brake) = (
        Tether {
            bodies: [BodyIndex::new(2), BodyIndex::new(3)],
            stiffness: 20.0,
        },
        Vortex {
            body: BodyIndex::new(3),
            drag: 0.3,
            lift: 0.5,
            cubic: 0.2,
        },
        Brake {
            coordinate: 1,
            force: 0.5,
            speed: 0.2,
        },
    );
    let elements = [
        AnyForce::new(tether),
        AnyForce::new(vortex),
        AnyForce::new(brake),
    ];
    let system = machine.clone().with_forces(elements).unwrap();
    let mut wrong = Vec::new();
    check("elements of a user", &system, &machine, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
