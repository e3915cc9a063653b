//! Times of the dynamics of three robots, each from positions and velocities, kinematics included.

#[path = "../tests/support/mod.rs"]
mod support;

use criterion::{Criterion, criterion_group, criterion_main};
use dualbody::Scalar;
use dualbody::io::urdf::UrdfReader;
use dualbody::tree::RigidBodyTree;
use nalgebra::DMatrix;
use num_dual::DualSVec64;
use std::hint::black_box;
use support::reference::data;

/// Positions, velocities and forces or accelerations.
struct Input<T> {
    q: Vec<T>,
    v: Vec<T>,
    u: Vec<T>,
}

impl<T: Scalar> Input<T> {
    /// Away from any symmetry; eight derivatives if the scalar carries them.
    fn new(tree: &RigidBodyTree<T>, seed: impl Fn(usize, f64) -> T) -> Self {
        let (nq, nv) = (tree.num_positions(), tree.num_velocities());
        let wave = |i: usize, phase: f64| (1.7 * i as f64 + phase).sin();
        let zero = vec![T::zero(); nq];
        let mut q = zero.clone();
        let turn: Vec<T> = (0..nv).map(|i| T::from(wave(i, 0.3))).collect();
        let neutral = tree.neutral_configuration();
        tree.integrate_exponential(neutral.as_slice(), &turn, T::one(), &mut q)
            .expect("the neutral configuration is valid");
        for (i, q) in q.iter_mut().enumerate() {
            *q = seed(i, q.re());
        }
        Input {
            q,
            v: (0..nv).map(|i| seed(i + 3, wave(i, 0.8))).collect(),
            u: (0..nv).map(|i| seed(i + 6, wave(i, 1.4))).collect(),
        }
    }
}

fn dynamics(c: &mut Criterion) {
    for robot in ["arm7", "quadruped", "humanoid"] {
        let path = data(&format!("models/{robot}.urdf"));
        let (tree, _) = UrdfReader::new()
            .tree_from_file::<f64>(&path)
            .expect("a valid description");
        let mut group = c.benchmark_group(robot);
        let n = tree.num_velocities();
        let mut workspace = tree.workspace();
        let Input { q, v, u } = Input::new(&tree, |_, x| x);

        let mut tau = vec![0.0; n];
        group.bench_function("rnea", |b| {
            b.iter(|| {
                tree.set_state(&mut workspace, black_box(&q), black_box(&v))?;
                tree.inverse_dynamics(&mut workspace, black_box(&u), None, &mut tau)
            });
        });
        let mut mass_matrix = DMatrix::zeros(n, n);
        group.bench_function("crba", |b| {
            b.iter(|| {
                tree.set_positions(&mut workspace, black_box(&q))?;
                tree.mass_matrix(&mut workspace, &mut mass_matrix)
            });
        });
        group.bench_function("aba", |b| {
            b.iter(|| {
                tree.set_state(&mut workspace, black_box(&q), black_box(&v))?;
                tree.forward_dynamics(&mut workspace, black_box(&u), None, &mut tau)
            });
        });

        let mut derivatives = tree.new_inverse_dynamics_derivatives();
        group.bench_function("rnea_derivatives", |b| {
            b.iter(|| {
                tree.set_state(&mut workspace, black_box(&q), black_box(&v))?;
                let u = black_box(&u);
                tree.inverse_dynamics_derivatives(&mut workspace, u, None, &mut derivatives)
            });
        });
        let mut derivatives = tree.new_forward_dynamics_derivatives();
        group.bench_function("aba_derivatives", |b| {
            b.iter(|| {
                tree.set_state(&mut workspace, black_box(&q), black_box(&v))?;
                let u = black_box(&u);
                tree.forward_dynamics_derivatives(&mut workspace, u, None, &mut derivatives)
            });
        });

        let tree = tree.cast::<DualSVec64<8>>();
        let mut workspace = tree.workspace();
        let Input { q, v, u } = Input::new(&tree, |i, x| DualSVec64::from_re(x).derivative(i % 8));
        let mut tau = u.clone();
        group.bench_function("rnea_dual8", |b| {
            b.iter(|| {
                tree.set_state(&mut workspace, black_box(&q), black_box(&v))?;
                tree.inverse_dynamics(&mut workspace, black_box(&u), None, &mut tau)
            });
        });
        group.bench_function("aba_dual8", |b| {
            b.iter(|| {
                tree.set_state(&mut workspace, black_box(&q), black_box(&v))?;
                tree.forward_dynamics(&mut workspace, black_box(&u), None, &mut tau)
            });
        });
        group.finish();
    }
}

criterion_group!(benches, dynamics);
criterion_main!(benches);
