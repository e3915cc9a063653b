//! A rollout of 1000 steps of a quadruped with a PD control to its joints, and its gradients.

#[path = "../tests/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use dualbody::Scalar;
use dualbody::actuator::TorqueSource;
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::RigidTransform;
use dualbody::system::{
    Adjoint, RolloutObjective, State, StepDifferentiator, StepJacobian, TimeSteppingRigidBodySystem,
};
use dualbody::tree::BodyIndex;
use nalgebra::{DMatrix, Vector3};
use support::reference::data;

const STEPS: usize = 1000;

/// Where the trunk is at the end.
struct Travel;

impl RolloutObjective for Travel {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
        if step == STEPS { state.q[4] } else { T::zero() }
    }
}

fn standing_quadruped() -> TimeSteppingRigidBodySystem<f64> {
    let path = data("models/quadruped.urdf");
    let (tree, _) = UrdfReader::new()
        .tree_from_file(path)
        .expect("a valid description");
    let mut contact = ContactModelBuilder::new();
    let soft = ContactMaterial::new(2e4, 0.5, 0.8).expect("valid");
    for leg in ["FL", "FR", "RL", "RR"] {
        let name = format!("quadruped/{leg}_shank");
        let foot = CollisionGeometry {
            body: tree.body_by_name(&name).expect("the robot has this link"),
            name,
            pose_in_body: RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.22)),
            shape: Shape::new_sphere(0.02).expect("valid"),
            material: soft,
        };
        contact.add_geometry(foot).expect("valid");
    }
    let ground = CollisionGeometry {
        name: "ground".to_owned(),
        body: BodyIndex::WORLD,
        pose_in_body: RigidTransform::identity(),
        shape: Shape::HalfSpace,
        material: ContactMaterial::rigid(0.8).expect("valid"),
    };
    contact.add_geometry(ground).expect("valid");
    let contact = contact.finish(&tree).expect("valid");
    TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).expect("valid")
}

fn adjoint(c: &mut Criterion) {
    let quadruped = standing_quadruped();
    let system = quadruped.clone().with_generalized_forces().expect("valid");
    let mut start = system.neutral_state();
    for leg in 0..4 {
        start.q[7 + 3 * leg + 1] = 0.7;
        start.q[7 + 3 * leg + 2] = -1.4;
    }
    start.q[6] = 2.0 * 0.22 * 0.7f64.cos() + 0.019;
    let home = start.q.clone();
    let mut workspace = system.workspace().expect("valid");
    let mut inputs = DMatrix::zeros(18, STEPS);
    let mut control = |step: usize, state: &State<f64>, tau: &mut [f64]| {
        for j in 0..12 {
            tau[6 + j] = 80.0 * (home[7 + j] - state.q[7 + j]) - 2.0 * state.v[6 + j];
        }
        inputs.column_mut(step).copy_from_slice(tau);
    };
    let rollout = system.rollout_with(&mut workspace, &start, STEPS, &mut control);
    rollout.completed().expect("it stands");

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
    let joints = tree
        .joints()
        .filter(|(_, joint)| joint.num_velocities() == 1);
    let joints: Vec<_> = joints
        .map(|(index, joint)| (index, joint.velocity_start()))
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
