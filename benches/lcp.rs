//! Linear complementarity problems of 10, 30 and 100 variables, friction pyramids and semidefinite
//! matrices: a solve in `f64`, and a solve with derivatives with respect to 20 parameters that every
//! entry of the matrix and the vector depends on. The same for impacts by constraint data of which
//! every entry depends on the parameters: 18 velocities with 4 contacts, 60 with 30.
//!
//! When `DUALBODY_LCP_PROBLEMS` names a file, the problems are written there, for
//! `benches/peers/lcp.py`.

use criterion::{Criterion, criterion_group, criterion_main};
use dualbody::Scalar;
use dualbody::constraint::{
    ConstraintMatrices, ConstraintSolver, ConstraintVelProblemData, DenseInertia,
};
use dualbody::solver::lcp::{LcpSolver, LinearComplementarityProblem};
use nalgebra::{DMatrix, DVector};
use num_dual::DualSVec64;
use std::hint::black_box;

#[path = "../tests/support/mod.rs"]
mod support;

use support::random_lcp::{Lcp, friction, semidefinite};
use support::random_tree::Random;

const PROBLEMS: usize = 16;
const PARAMETERS: usize = 20;
type Dual = DualSVec64<PARAMETERS>;

fn problems(family: &str, size: usize) -> Vec<Lcp> {
    let mut random = Random::new(size as u64);
    (0..PROBLEMS)
        .map(|_| match family {
            // Six variables a contact.
            "friction" => {
                let contacts = size.div_ceil(6);
                friction(&mut random, contacts, 3 + 2 * contacts, 0)
            }
            _ => semidefinite(&mut random, size, size.div_ceil(2), false),
        })
        .collect()
}

fn solve<T: Scalar>(solver: &mut LcpSolver<T>, matrix: &DMatrix<T>, vector: &DVector<T>) -> T {
    let problem = LinearComplementarityProblem::new(matrix, vector.as_slice()).expect("valid");
    solver.solve(problem).expect("solvable").z[0]
}

fn lcp(criterion: &mut Criterion) {
    let mut written = serde_json::Map::new();
    for family in ["friction", "semidefinite"] {
        for size in [10, 30, 100] {
            let problems = problems(family, size);
            let rows = |m: &DMatrix<f64>| -> Vec<Vec<f64>> {
                m.row_iter().map(|r| r.iter().copied().collect()).collect()
            };
            let list = (problems.iter())
                .map(|p| serde_json::json!({"M": rows(&p.matrix), "q": p.vector.as_slice()}))
                .collect::<Vec<_>>();
            written.insert(format!("{family}/{size}"), list.into());
            let mut group = criterion.benchmark_group(format!("lcp {family} {size}"));
            let mut solver = LcpSolver::default();
            group.bench_function("solve", |bencher| {
                bencher.iter(|| {
                    for p in &problems {
                        black_box(solve(&mut solver, &p.matrix, &p.vector));
                    }
                });
            });
            let mut random = Random::new(1);
            let mut seed = |x: f64| {
                let parts: [f64; PARAMETERS] = std::array::from_fn(|_| random.signed());
                Dual::new(x, num_dual::Derivative::some(parts.into()))
            };
            let duals: Vec<_> = (problems.iter())
                .map(|p| (p.matrix.map(&mut seed), p.vector.map(&mut seed)))
                .collect();
            let mut solver = LcpSolver::default();
            group.bench_function("solve and 20 derivatives", |bencher| {
                bencher.iter(|| {
                    for (matrix, vector) in &duals {
                        black_box(solve(&mut solver, matrix, vector));
                    }
                });
            });
        }
    }
    if let Ok(path) = std::env::var("DUALBODY_LCP_PROBLEMS") {
        let text = serde_json::to_string(&written).expect("numbers");
        std::fs::write(path, text).expect("a writable file");
    }
}

type Impact<T> = ConstraintVelProblemData<T, ConstraintMatrices<T>>;

/// An impact with `nc` contacts and two bilateral constraints; `seed` makes every entry.
fn impact<T: Scalar>(nv: usize, nc: usize, mut seed: impl FnMut(f64) -> T) -> Impact<T> {
    let random = &mut Random::new(nv as u64);
    let root = DMatrix::from_fn(nv, nv, |_, _| random.signed());
    let inertia = &root * root.transpose() + DMatrix::identity(nv, nv) * 0.1;
    let inertia = DenseInertia::new(inertia.map(&mut seed)).expect("positive definite");
    let mut operators = ConstraintMatrices::unconstrained(inertia);
    let mut rows = |n: usize| DMatrix::from_fn(n, nv, |_, _| seed(random.signed()));
    (operators.n, operators.f, operators.g) = (rows(nc), rows(2 * nc), rows(2));
    let mut data = ConstraintVelProblemData::new(operators);
    data.set_rigid(2, DVector::from_fn(nc, |_, _| seed(0.6)), vec![2; nc], 0)
        .expect("small");
    data.Mv = DVector::from_fn(nv, |_, _| seed(random.signed()));
    data
}

fn impacts(criterion: &mut Criterion) {
    for (nv, nc) in [(18, 4), (60, 30)] {
        let mut group = criterion.benchmark_group(format!("impact {nv} velocities {nc} contacts"));
        let mut data = impact(nv, nc, |x| x);
        let mut solver = ConstraintSolver::<f64>::default();
        group.bench_function("solve", |bencher| {
            bencher.iter(|| {
                solver
                    .solve_velocities(&mut data)
                    .expect("solvable")
                    .impulses
                    .pivots
            });
        });
        let mut random = Random::new(1);
        let mut data = impact(nv, nc, |x| {
            let parts: [f64; PARAMETERS] = std::array::from_fn(|_| random.signed());
            Dual::new(x, num_dual::Derivative::some(parts.into()))
        });
        let mut solver = ConstraintSolver::<Dual>::default();
        group.bench_function("solve and 20 derivatives", |bencher| {
            bencher.iter(|| {
                solver
                    .solve_velocities(&mut data)
                    .expect("solvable")
                    .impulses
                    .pivots
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = lcp, impacts
}
criterion_main!(benches);
