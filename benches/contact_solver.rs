//! The implicit Stribeck solver on random problems of 1, 2, 5 and 10 free bodies with up to four
//! contacts each: a solve in f64, and a solve with the gradient with respect to the velocities at
//! the start, friction, stiffness, dissipation and penetration.

use criterion::{Criterion, criterion_group, criterion_main};
use dualbody::solver::ImplicitStribeckSolver;
use std::hint::black_box;

#[path = "../tests/support/mod.rs"]
mod support;

use support::random_contact::{EVERYDAY, Random, problem};

fn contact_solver(criterion: &mut Criterion) {
    const PROBLEMS: usize = 64;
    for bodies in [1, 2, 5, 10] {
        let mut random = Random::new(bodies as u64);
        let problems: Vec<_> = (0..PROBLEMS)
            .map(|_| problem(&mut random, bodies, &EVERYDAY))
            .collect();
        let mut group =
            criterion.benchmark_group(format!("{PROBLEMS} problems of {bodies} bodies"));
        let mut solver = ImplicitStribeckSolver::new(problems[0].parameters()).expect("valid");
        group.bench_function("solve", |bencher| {
            bencher.iter(|| {
                for data in &problems {
                    let solution = solver.solve(data.two_way(), data.dt, &data.v0);
                    black_box(solution.expect("solved").velocities[0]);
                }
            });
        });
        group.bench_function("solve and gradient", |bencher| {
            bencher.iter(|| {
                for data in &problems {
                    let linearization =
                        solver.solve_with_derivatives(data.two_way(), data.dt, &data.v0);
                    black_box(
                        linearization
                            .expect("solved")
                            .gradient()
                            .expect("finite")
                            .dv_dv0[0],
                    );
                }
            });
        });
    }
}

criterion_group!(benches, contact_solver);
criterion_main!(benches);
