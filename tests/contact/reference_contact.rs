//! The implicit Stribeck solver on reference problems, and on problems that defeat others.

use crate::support::contact_problem::{Data, Normal};
use crate::support::reference::{cases, matrix, vector};
use dualbody::solver::ImplicitStribeckSolver;
use dualbody::solver::implicit_stribeck::Solution;
use nalgebra::{DMatrix, DVector};
use num_dual::DualSVec64;
use serde_json::Value;

fn solve(data: &Data<f64>) -> Solution<f64> {
    let mut solver = ImplicitStribeckSolver::new(data.parameters()).unwrap();
    let result = match data.normal {
        Normal::Given(_) => solver.solve(data.one_way(), data.dt, &data.v0),
        Normal::Compliant { .. } => solver.solve(data.two_way(), data.dt, &data.v0),
    };
    result.unwrap_or_else(|error| panic!("{error}")).clone()
}

/// Largest deviation relative to the largest expected entry, or to `floor`.
fn deviation(actual: &DVector<f64>, expected: &Value, floor: f64) -> f64 {
    let expected = DVector::from_vec(vector(expected));
    assert_eq!(actual.len(), expected.len());
    if actual.is_empty() {
        return 0.0;
    }
    (actual - &expected).amax() / expected.amax().max(floor)
}

/// Solves every case of a file and compares with the expected answer. Where the problem has several
/// solutions another one than the expected may be found: it counts when its residual is round-off.
fn check_file(name: &str) -> usize {
    let cases = cases(name);
    for (index, case) in cases.iter().enumerate() {
        let data = Data::read(case);
        let solution = solve(&data);
        let residual =
            data.relative_residual(&solution.velocities, &solution.generalized_contact_forces);
        assert!(residual < 1e-9, "{name}[{index}]: residual {residual:e}");
        let expected = &case["expected"];
        let velocity = deviation(&solution.velocities, &expected["v"], 1e-3);
        if velocity > 1e-7 {
            assert!(
                residual < 1e-11,
                "{name}[{index}]: v deviates by {velocity:e}"
            );
            println!("{name}[{index}]: another solution, residual {residual:e}");
            continue;
        }
        let force_scale = data.p_star.iter().fold(0.0f64, |m, p| m.max(p.abs())) / data.dt;
        for (quantity, actual, floor) in [
            ("normal_velocities", &solution.normal_velocities, 1e-3),
            (
                "tangential_velocities",
                &solution.tangential_velocities,
                1e-3,
            ),
            ("normal_forces", &solution.normal_forces, force_scale),
            ("friction_forces", &solution.friction_forces, force_scale),
            (
                "generalized_contact_forces",
                &solution.generalized_contact_forces,
                force_scale,
            ),
        ] {
            let deviation = deviation(actual, &expected[quantity], floor);
            assert!(
                deviation < 1e-6,
                "{name}[{index}]: {quantity} deviates by {deviation:e}"
            );
        }
    }
    println!("{name}: {} cases", cases.len());
    cases.len()
}

#[test]
fn solutions_agree_with_the_reference() {
    let count: usize = [
        "contact_one_way.json",
        "contact_two_way.json",
        "contact_two_way_large.json",
        "contact_two_way_gradient.json",
    ]
    .into_iter()
    .map(check_file)
    .sum();
    println!("{count} cases");
    assert!(count > 0, "no reference cases found");
}

/// One directional derivative per evaluation: seeds entry `k` of a data vector.
fn derivative_by_duals(data: &Data<f64>, seed: impl Fn(&mut Data<DualSVec64<1>>)) -> DVector<f64> {
    let mut dual = data.cast::<DualSVec64<1>>();
    seed(&mut dual);
    let mut solver = ImplicitStribeckSolver::new(dual.parameters()).unwrap();
    let solution = solver.solve(dual.two_way(), dual.dt, &dual.v0).unwrap();
    solution
        .velocities
        .map(|v| v.eps.0.map_or(0.0, |eps| eps[0]))
}

fn columns(count: usize, column: impl Fn(usize) -> DVector<f64>) -> DMatrix<f64> {
    let columns: Vec<_> = (0..count).map(column).collect();
    if columns.is_empty() {
        DMatrix::zeros(0, 0)
    } else {
        DMatrix::from_columns(&columns)
    }
}

#[test]
fn gradients_agree_with_the_reference() {
    let name = "contact_two_way_gradient.json";
    let cases = cases(name);
    for (index, case) in cases.iter().enumerate() {
        let data = Data::read(case);
        let (nv, nc) = (data.p_star.len(), data.mu.len());
        let one = |x: f64| DualSVec64::from_re(x).derivative(0);
        let by_duals = [
            (
                "dv_dv0",
                columns(nv, |k| {
                    derivative_by_duals(&data, |d| {
                        for i in 0..nv {
                            let slope = one(0.0) * data.mass[(i, k)];
                            d.p_star[i] += slope;
                        }
                    })
                }),
            ),
            (
                "dv_dmu",
                columns(nc, |k| {
                    derivative_by_duals(&data, |d| d.mu[k] = one(data.mu[k]))
                }),
            ),
            ("dv_dx0", columns(nc, |k| contact_derivative(&data, k, 0))),
            (
                "dv_dstiffness",
                columns(nc, |k| contact_derivative(&data, k, 1)),
            ),
            (
                "dv_ddissipation",
                columns(nc, |k| contact_derivative(&data, k, 2)),
            ),
        ];
        for (quantity, actual) in by_duals {
            let expected = &case["gradient"][quantity];
            let expected = matrix(expected, expected[0].as_array().map_or(0, Vec::len));
            let deviation = (&actual - &expected).amax() / expected.amax().max(f64::MIN_POSITIVE);
            assert!(
                deviation < 1e-6,
                "{name}[{index}]: {quantity} deviates by {deviation:e}"
            );
        }
    }
    println!("{name}: {} gradients", cases.len());
    assert!(!cases.is_empty(), "no reference gradients found");
}

/// `∂v/∂x₀ₖ`, `∂v/∂kₖ` or `∂v/∂dₖ`.
fn contact_derivative(data: &Data<f64>, k: usize, which: usize) -> DVector<f64> {
    derivative_by_duals(data, |d| {
        let Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        } = &mut d.normal
        else {
            panic!("not a two-way problem");
        };
        let entry = &mut [x0, stiffness, dissipation][which][k];
        *entry = DualSVec64::from_re(entry.re).derivative(0);
    })
}

/// Problems on which another solver gives up or stops early. Any root of the momentum balance is
/// a solution. One of them (impulses a thousand times the momentum that they change) cannot be
/// balanced below some 1e-8 of that momentum in double precision.
#[test]
fn hard_problems_are_solved() {
    let name = "contact_hard.json";
    let cases = cases(name);
    for (index, case) in cases.iter().enumerate() {
        let data = Data::read(case);
        let solution = solve(&data);
        let residual =
            data.relative_residual(&solution.velocities, &solution.generalized_contact_forces);
        assert!(
            solution.statistics.residual < 1e-9 && residual < 1e-8,
            "{name}[{index}]: residual {residual:e}"
        );
    }
    println!("{name}: {} problems solved", cases.len());
}
