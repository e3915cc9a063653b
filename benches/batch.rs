//! Many rollouts of a quadruped at once, and their gradients: one thread and two, in turns.

#[path = "../tests/support/mod.rs"]
mod support;

mod clock;
mod quadruped;

use clock::{median, seconds};
use dualbody::Scalar;
use dualbody::system::{
    Batch, BatchGradients, BatchPlan, RolloutObjective, State, TimeSteppingRigidBodySystem,
};
use nalgebra::DMatrix;
use quadruped::{controlled, stance, standing_quadruped};

const STEPS: usize = 500;

const PARAMETERS: [&str; 5] = [
    "body/quadruped/trunk/mass",
    "quadruped/FL_shank/friction",
    "quadruped/FR_shank/stiffness",
    "quadruped/RL_shank/dissipation",
    "quadruped/FL_knee/damping",
];

/// Where the trunk is at the end.
struct Travel;

impl RolloutObjective for Travel {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
        if step == STEPS { state.q[4] } else { T::zero() }
    }
}

/// Values, then gradients, of all members.
fn round(
    batch: &mut Batch,
    plan: &BatchPlan<'_>,
    (ends, gradients): &mut (DMatrix<f64>, BatchGradients),
) -> [[f64; 2]; 2] {
    [
        seconds(|| batch.ends(plan, ends).expect("it stands")),
        seconds(|| (batch.gradients(plan, |_| Travel, gradients)).expect("it stands")),
    ]
}

fn starts(system: &TimeSteppingRigidBodySystem<f64>, members: usize) -> DMatrix<f64> {
    let start = stance(system);
    let entries: Vec<f64> = start.iter().skip(1).copied().collect();
    DMatrix::from_fn(entries.len(), members, |i, member| {
        // Speeds of the trunk, in m/s, and of joints, in rad/s.
        let moves = i >= start.q.len() + 3;
        let pattern = (1.7 * i as f64 + 0.3 * member as f64).sin();
        entries[i] + if moves { 0.05 * pattern } else { 0.0 }
    })
}

fn main() {
    let given = std::env::args().filter_map(|text| text.parse().ok()).next();
    let members: usize = given.unwrap_or(1000);
    let rounds = 5;
    let system = standing_quadruped()
        .with_generalized_forces()
        .expect("valid");
    let inputs = controlled(&system, &stance(&system), STEPS);
    let starts = starts(&system, members);
    let own = DMatrix::from_fn(PARAMETERS.len(), members, |k, member| {
        let value: f64 = dualbody::Parameters::parameter(&system, PARAMETERS[k]).expect("is there");
        value * (1.0 + 1e-4 * (member + k) as f64 / members as f64)
    });
    let plan = BatchPlan {
        inputs: Some(&inputs),
        ..BatchPlan::new(&starts, STEPS)
    };
    let of_each = BatchPlan {
        parameters: Some(&own),
        ..plan
    };
    println!("{members} rollouts of {STEPS} steps, median of {rounds} rounds");
    let batch = || Batch::new(&system, &PARAMETERS).expect("valid");
    let mut one = batch();
    let mut two = batch().with_threads(2).expect("threads");
    let mut memory = (DMatrix::zeros(0, 0), BatchGradients::default());
    for (what, plan) in [
        ("the same parameters", plan),
        ("parameters of each", of_each),
    ] {
        // By threads, by what is found, by the kind of time.
        let mut times: [[[Vec<f64>; 2]; 2]; 2] = Default::default();
        for k in 0..=rounds {
            for (batch, times) in [&mut one, &mut two].into_iter().zip(&mut times) {
                let found = round(batch, &plan, &mut memory);
                let all = times.iter_mut().flatten().zip(found.into_iter().flatten());
                all.filter(|_| k > 0)
                    .for_each(|(times, time)| times.push(time));
            }
        }
        let [one, two] = times.map(|of| of.map(|of| of.map(median)));
        println!("{what}:");
        for (name, kind) in [("by the clock", 0), ("of processors", 1)] {
            let [[values, gradients], [values_of_two, gradients_of_two]] =
                [one, two].map(|of| of.map(|of| of[kind]));
            println!(
                "  {name}: values {values:.3} s, gradients {gradients:.3} s, {:.2} of the values; \
                 on two threads {:.2} and {:.2} of that",
                gradients / values,
                values_of_two / values,
                gradients_of_two / gradients,
            );
        }
    }
}
