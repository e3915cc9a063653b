//! Times of a step of two robots that stand on the ground, in `f64`, and of its Jacobian with respect
//! to positions, velocities and the forces of the motors.

use criterion::{Criterion, criterion_group, criterion_main};
use dualbody::autodiff::CHUNK;
use dualbody::system::{State, StepError, StepWorkspace, TimeSteppingRigidBodySystem};
use dualbody::tree::RigidBodyTree;
use nalgebra::DMatrix;
use num_dual::DualSVec64;
use std::hint::black_box;

#[path = "../tests/support/mod.rs"]
mod support;

use support::reference::{number, read, vector};
use support::robot_on_ground::{layout, state, system};

/// Robots, the case of `steps_*.json` in which all their feet touch, and the points of contact.
const ROBOTS: [(&str, usize, usize); 2] = [("quadruped", 4, 4), ("humanoid", 0, 8)];

/// Velocity coordinates of the base, which no motor drives.
const BASE: usize = 6;

type Dual = DualSVec64<CHUNK>;

fn step(criterion: &mut Criterion) {
    for (robot, index, feet) in ROBOTS {
        let reference = read(&format!("steps_{robot}.json")).expect("reference cases");
        let case = &reference["cases"][index];
        let system = system(&reference, number(&case["dt"]));
        let x = [vector(&case["q"]), vector(&case["v"])].concat();
        let start = state(&layout(system.tree(), robot), &x);
        let tau = vec![0.0; system.tree().num_velocities()];
        let mut workspace = system.workspace().expect("valid parameters");
        let mut one = system.step(&mut workspace, &start, &tau).expect("a step");
        assert_eq!(one.contacts().expect("contacts").len(), feet);

        let mut group = criterion.benchmark_group(robot);
        group.bench_function("step", |bencher| {
            bencher.iter(|| {
                let step = system.step(&mut workspace, black_box(&start), &tau);
                black_box(step.expect("a step").state().v[0]);
            });
        });
        let mut jacobian = StepJacobian::new(&system);
        group.bench_function("jacobian", |bencher| {
            bencher.iter(|| {
                let matrix = jacobian.evaluate(system.tree(), black_box(&start));
                black_box(matrix.expect("a step")[(0, 0)]);
            });
        });
        group.finish();
    }
}

/// `∂(q⁺, v⁺)/∂(q, v, u)`, positions by velocity coordinates of the change, in chunks of directions.
struct StepJacobian {
    system: TimeSteppingRigidBodySystem<Dual>,
    workspace: StepWorkspace<Dual>,
    neutral: Vec<Dual>,
    change: Vec<Dual>,
    start: State<Dual>,
    tau: Vec<Dual>,
    next_q: Vec<f64>,
    qdot: Vec<f64>,
    jacobian: DMatrix<f64>,
}

impl StepJacobian {
    fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Self {
        let (nq, nv) = (
            system.tree().num_positions(),
            system.tree().num_velocities(),
        );
        let system = system.cast::<Dual>();
        StepJacobian {
            workspace: system.workspace().expect("valid parameters"),
            start: system.neutral_state(),
            system,
            neutral: vec![Dual::from(0.0); nq],
            change: vec![Dual::from(0.0); nv],
            tau: vec![Dual::from(0.0); nv],
            next_q: vec![0.0; nq],
            qdot: vec![0.0; nq],
            jacobian: DMatrix::zeros(2 * nv, 3 * nv - BASE),
        }
    }

    fn evaluate(
        &mut self,
        tree: &RigidBodyTree<f64>,
        state: &State<f64>,
    ) -> Result<&DMatrix<f64>, StepError> {
        let nv = self.change.len();
        for (q, &re) in self.neutral.iter_mut().zip(&state.q) {
            *q = Dual::from(re);
        }
        for first in (0..self.jacobian.ncols()).step_by(CHUNK) {
            let seed = |re: f64, direction: usize| match direction.checked_sub(first) {
                Some(k) if k < CHUNK => Dual::from(re).derivative(k),
                _ => Dual::from(re),
            };
            for i in 0..nv {
                self.change[i] = seed(0.0, i);
                self.start.v[i] = seed(state.v[i], nv + i);
            }
            for i in BASE..nv {
                self.tau[i] = seed(0.0, 2 * nv + i - BASE);
            }
            self.system.tree().integrate_exponential(
                &self.neutral,
                &self.change,
                Dual::from(1.0),
                self.start.q.as_mut_slice(),
            )?;
            let step = self
                .system
                .step(&mut self.workspace, &self.start, &self.tau)?;
            let next = step.state();
            for (q, dual) in self.next_q.iter_mut().zip(&next.q) {
                *q = dual.re;
            }
            let mut columns = self.jacobian.columns_range_mut(first..);
            for (k, mut column) in columns.column_iter_mut().take(CHUNK).enumerate() {
                let slope = |x: &Dual| x.eps.0.map_or(0.0, |eps| eps[k]);
                for (rate, q) in self.qdot.iter_mut().zip(&next.q) {
                    *rate = slope(q);
                }
                let (positions, velocities) = column.as_mut_slice().split_at_mut(nv);
                tree.map_qdot_to_velocity(&self.next_q, &self.qdot, positions)?;
                for (target, v) in velocities.iter_mut().zip(&next.v) {
                    *target = slope(v);
                }
            }
        }
        Ok(&self.jacobian)
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
