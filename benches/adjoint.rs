//! A rollout of 1000 steps of a quadruped with a PD control to its joints, and its gradients.

#[path = "../tests/support/mod.rs"]
mod support;

mod quadruped;

use criterion::{Criterion, criterion_group, criterion_main};
use dualbody::Scalar;
use dualbody::actuator::TorqueSource;
use dualbody::system::{
    Adjoint, RolloutObjective, State, StepDifferentiator, StepJacobian, TimeSteppingRigidBodySystem,
};
use nalgebra::DMatrix;
use quadruped::{controlled, stance, standing_quadruped};

const STEPS: usize = 1000;

/// Where the trunk is at the end.
struct Travel;

impl RolloutObjective for Travel {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
        if step == STEPS { state.q[4] } else { T::zero() }
    }
}

fn adjoint(c: &mut Criterion) {
    let quadruped = standing_quadruped();
    let system = quadruped.clone().with_generalized_forces().expect("valid");
    let start = stance(&system);
    let inputs = controlled(&system, &start, STEPS);
    let mut workspace = system.workspace().expect("valid");

    let mut group = c.benchmark_group("quadruped, 1000 steps");
    group.sample_size(10);
    group.bench_function("rollout", |b| {
        b.iter(|| {
            system.rollout_with(&mut workspace, &start, STEPS, |k, _, tau| {
                tau.copy_from_slice(inputs.column(k).as_slice());
            })
        });
    });
    let mut differentiator = StepDifferentiator::new(&system, &[]).expect("valid");
    let mut jacobian = StepJacobian::default();
    group.bench_function("rollout with Jacobians", |b| {
        b.iter(|| {
            let mut state = start.clone();
            for tau in inputs.column_iter() {
                let next = differentiator.jacobian(&state, tau.as_slice(), &mut jacobian);
                state = next.expect("as before").clone();
            }
            state
        });
    });
    let mut adjoint = Adjoint::new(&system, &[]).expect("valid");
    group.bench_function("gradient by the adjoint", |b| {
        b.iter(|| {
            adjoint
                .gradient(&Travel, &start, &inputs)
                .expect("as before")
        });
    });
    for motors in [1, 2] {
        let (motorised, commands) = motorised(&quadruped, &inputs, motors);
        let mut adjoint = Adjoint::new(&motorised, &[]).expect("valid");
        let name = format!("gradient by {} inputs of actuators", 12 * motors);
        group.bench_function(name, |b| {
            b.iter(|| {
                adjoint
                    .gradient(&Travel, &start, &commands)
                    .expect("as before")
            });
        });
    }
    group.finish();
}

/// A system with motors at each joint that share its torque, and their inputs.
fn motorised(
    system: &TimeSteppingRigidBodySystem<f64>,
    torques: &DMatrix<f64>,
    motors: usize,
) -> (TimeSteppingRigidBodySystem<f64>, DMatrix<f64>) {
    let tree = system.tree();
    let joints = tree.joints().filter(|joint| joint.num_velocities() == 1);
    let joints: Vec<_> = joints
        .map(|joint| (joint.index(), joint.velocity_start()))
        .collect();
    let mut sources = Vec::new();
    let mut inputs = DMatrix::zeros(joints.len() * motors, torques.ncols());
    for i in 0..joints.len() * motors {
        let (joint, row) = joints[i % joints.len()];
        let source = TorqueSource::new(format!("motor {i}"), tree, joint, 1.0, None);
        sources.push(source.expect("valid"));
        inputs.set_row(i, &(torques.row(row) / motors as f64));
    }
    let motorised = system.clone().with_actuators(sources);
    (motorised.expect("valid"), inputs)
}

criterion_group!(benches, adjoint);
criterion_main!(benches);
