//! The same input gives the same bits: from run to run, in memory that is new or used, on any thread, and across an
//! interruption; with duals and without.

use crate::elements::every_element::{
    LIVELY, actuators, constraints, forces, frictions, lively, sensors,
};
use crate::support::cases::tier;
use crate::support::four_bar::{closed, four_bar};
use crate::support::scenes::{cube, free_body};
use dualbody::system::{
    IntegrationMethod, Scheme, State, Step, StepWorkspace, TimeSteppingRigidBodySystem,
};
use dualbody::{Parallelism, Scalar};
use num_dual::Dual64;

const STEPS: usize = 10_000;

fn toss(seed: usize) -> State<f64> {
    let x = |k: usize| ((seed * 31 + k) as f64 * 0.7).sin();
    free_body(
        [1.0, x(1), x(2), x(3)],
        [0.0, 0.0, 0.4 + 0.1 * x(4)],
        [10.0 * x(5), 10.0 * x(6), 10.0 * x(7)],
        [x(8), x(9), x(10)],
    )
}

/// What the hash of no bits is.
const NO_BITS: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of bits, after others.
fn hash_bits(hash: &mut u64, bits: impl Iterator<Item = u64>) {
    for byte in bits.flat_map(u64::to_le_bytes) {
        *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
}

/// Hashes every state, and returns the last of them.
fn run(
    system: &TimeSteppingRigidBodySystem<f64>,
    workspace: &mut StepWorkspace<f64>,
    start: &State<f64>,
    steps: usize,
    hash: &mut u64,
) -> State<f64> {
    let mut state = start.clone();
    for _ in 0..steps {
        let step = system.step(workspace, &state, &[]).unwrap();
        state.clone_from(step.state());
        hash_bits(hash, state.q.iter().chain(&state.v).map(|x| x.to_bits()));
    }
    state
}

/// What a function is of each of the first numbers, on threads of their own.
fn on_threads<R: Send>(count: usize, of: impl Fn(usize) -> R + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let of = &of;
        let all: Vec<_> = (0..count).map(|k| scope.spawn(move || of(k))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

#[test]
fn rollouts_have_the_same_bits() {
    let system = cube(1e-3);
    let hash_of = |seed: usize| {
        let (mut hash, mut workspace) = (NO_BITS, system.workspace().unwrap());
        run(&system, &mut workspace, &toss(seed), STEPS, &mut hash);
        hash
    };
    let serial: Vec<u64> = (0..4).map(hash_of).collect();
    assert!(serial.windows(2).all(|pair| pair[0] != pair[1]));
    assert_eq!(serial, on_threads(4, hash_of));
    // Interrupted, with the state written and read, in memory that others have used.
    let mut workspace = system.workspace().unwrap();
    for (seed, &expected) in serial.iter().enumerate() {
        let mut hash = NO_BITS;
        let middle = run(&system, &mut workspace, &toss(seed), 777, &mut hash);
        let mut bytes = Vec::new();
        middle.write(&mut bytes).unwrap();
        let mut read = system.neutral_state();
        read.read(&mut bytes.as_slice()).unwrap();
        run(&system, &mut workspace, &read, STEPS - 777, &mut hash);
        assert_eq!(hash, expected, "toss {seed}");
    }
}

/// A four-bar linkage whose motor swings it over the ground: joints, a closed loop, states of a motor, an encoder.
#[test]
fn rollouts_of_a_linkage_have_the_same_bits() {
    let (_, lowest) = closed(&four_bar(-1.0, 1e4, 1), 0.4);
    let machine = four_bar(lowest + 2e-3, 2e4, 1);
    for (scheme, dt, steps) in [
        (Scheme::Compliant, 1e-3, STEPS),
        (Scheme::Rigid, 2e-3, STEPS / 5),
    ] {
        let system = TimeSteppingRigidBodySystem::with_scheme(machine.clone(), dt, scheme).unwrap();
        let hash_of = |run: usize, workspace: &mut StepWorkspace<f64>| {
            let (mut state, _) = closed(&machine, 0.4);
            let (mut hash, mut touching) = (NO_BITS, 0);
            for _ in 0..steps {
                let torque = 1.5 * (1.3 * state.time + run as f64).sin();
                let mut step = system.step(workspace, &state, &[torque]).unwrap();
                hash_bits(&mut hash, bits(&step).into_iter());
                let contacts = step.contacts().unwrap();
                touching += usize::from(contacts.iter().any(|c| c.force.z > 0.0));
                state.clone_from(step.state());
            }
            assert!(touching > steps / 4, "{scheme:?}: {touching}");
            hash
        };
        let in_new_memory = |run: usize| hash_of(run, &mut system.workspace().unwrap());
        let serial: Vec<u64> = (0..2).map(in_new_memory).collect();
        assert_ne!(serial[0], serial[1], "{scheme:?}");
        assert_eq!(serial, on_threads(2, in_new_memory), "{scheme:?}");
        let mut used = system.workspace().unwrap();
        used.set_parallelism(Parallelism::default());
        let again: Vec<u64> = (0..2).map(|run| hash_of(run, &mut used)).collect();
        assert_eq!(serial, again, "{scheme:?}");
    }
}

/// Of what a step comes to, and of what is measured in it.
fn bits<T: Scalar>(step: &Step<'_, T>) -> Vec<u64> {
    let state = step.state();
    let parts = [&state.q, &state.v, &state.actuators, &state.sensors];
    let numbers = (parts.into_iter().chain([step.output()])).flat_map(|part| part.iter());
    numbers.map(|x| x.re().to_bits()).collect()
}

#[test]
fn duals_do_not_change_the_steps_of_any_element() {
    let continuous = |method| Scheme::Continuous {
        method,
        substeps: 1,
    };
    let schemes = [
        Scheme::Compliant,
        Scheme::Rigid,
        continuous(IntegrationMethod::RungeKutta4),
        continuous(IntegrationMethod::Radau3),
    ];
    let machines = [forces(), actuators(), sensors(), constraints(), frictions()];
    let mut differ = Vec::new();
    for (name, machine) in machines.into_iter().flatten() {
        let input = vec![0.6; machine.num_inputs()];
        let seeded: Vec<_> = input.iter().map(|u| Dual64::new(*u, 1.0)).collect();
        for scheme in schemes {
            let made = TimeSteppingRigidBodySystem::with_scheme(machine.clone(), 2e-3, scheme);
            // Some friction is not for rigid steps.
            let Ok(plain) = made else { continue };
            let dual = plain.cast::<Dual64>();
            let (mut here, mut there) = (plain.workspace().unwrap(), dual.workspace().unwrap());
            for number in 0..tier(1, LIVELY.len()) {
                let mut state = lively(&machine, number);
                let mut moving = state.cast::<Dual64>();
                for step in 0..5 {
                    let made = plain.step(&mut here, &state, &input).unwrap();
                    let expected = bits(&made);
                    state = made.state().clone();
                    let made = dual.step(&mut there, &moving, &seeded).unwrap();
                    moving = made.state().clone();
                    if bits(&made) != expected {
                        differ.push(format!("{name}, {scheme:?}, state {number}, step {step}"));
                        break;
                    }
                }
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn parts_that_threads_solve_have_the_same_bits() {
    use dualbody::contact::ContactMaterial;
    use dualbody::geometry::Shape;
    use dualbody::system::SystemBuilder;
    use nalgebra::Vector3;

    let material = ContactMaterial::new(1e5, 0.1, 0.5).unwrap();
    let mut builder = SystemBuilder::new().floor("floor", material);
    for k in 0..200 {
        let shape = Shape::new_box(Vector3::repeat(0.1)).unwrap();
        builder = builder.free_body(format!("box{k}"), shape, 1.0, material);
    }
    let system = builder.compliant(1e-3).unwrap();
    let mut start = system.initial_state();
    for k in 0..200 {
        let x = |i: usize| ((k * 7 + i) as f64 * 1.3).sin();
        // Stacks of one to three, so that parts have sizes of their own.
        let (stack, height) = (
            k / 6 * 3 + [0, 1, 1, 2, 2, 2][k % 6],
            [0, 0, 1, 0, 1, 2][k % 6],
        );
        start.q[7 * k + 4] = 0.3 * stack as f64 + 0.01 * x(0);
        start.q[7 * k + 6] = 0.0499 + 0.0998 * height as f64;
        (0..6).for_each(|i| start.v[6 * k + i] = 0.3 * x(i + 1));
    }
    let states = |parallelism: Parallelism| {
        let mut workspace = system.workspace().unwrap();
        workspace.set_parallelism(parallelism);
        let (mut state, mut found) = (start.clone(), Vec::new());
        for _ in 0..10 {
            let step = system.step(&mut workspace, &state, &[]).unwrap();
            found.push((bits(&step), format!("{:?}", step.status())));
            state.clone_from(step.state());
        }
        found
    };
    let serial = states(Parallelism::Serial);
    for threads in [1, 2, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let found = pool.unwrap().install(|| states(Parallelism::Threads));
        assert!(found == serial, "{threads} threads");
    }
}
