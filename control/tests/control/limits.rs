//! Limits of inputs, against a conic solver and a closed form.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SupportedConeT, ZeroConeT,
};
use dualbody_control::{
    Ending, InputResidual, Linear, Problem, Solver, SolverOptions, StateResidual,
};
use nalgebra::{DMatrix, DVector, dmatrix};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Dynamics with weights, a start and limits of the inputs.
struct Case {
    a: DMatrix<f64>,
    b: DMatrix<f64>,
    start: Vec<f64>,
    weights: [Vec<f64>; 3],
    limit: f64,
    horizon: usize,
}

/// The inputs of the quadratic program in all states and inputs, by clarabel.
fn by_clarabel(case: &Case) -> Vec<Vec<f64>> {
    let (n, m, horizon) = (case.a.nrows(), case.b.ncols(), case.horizon);
    let (x, u) = (|k: usize| (k - 1) * n, |k: usize| horizon * n + k * m);
    let variables = horizon * (n + m);
    let mut weights = vec![0.0; variables];
    for k in 1..=horizon {
        let of_stage = if k == horizon {
            &case.weights[2]
        } else {
            &case.weights[0]
        };
        weights[x(k)..x(k) + n].copy_from_slice(of_stage);
        weights[u(k - 1)..u(k - 1) + m].copy_from_slice(&case.weights[1]);
    }
    let hessian = DMatrix::from_diagonal(&weights.clone().into());
    let rows = horizon * n + 2 * horizon * m;
    let mut matrix = DMatrix::zeros(rows, variables);
    let mut right = vec![0.0; rows];
    for k in 0..horizon {
        // x⁺ − A x − B u = 0.
        let row = k * n;
        matrix
            .view_mut((row, x(k + 1)), (n, n))
            .fill_with_identity();
        matrix.view_mut((row, u(k)), (n, m)).copy_from(&-&case.b);
        if k > 0 {
            matrix.view_mut((row, x(k)), (n, n)).copy_from(&-&case.a);
        } else {
            let moved = &case.a * nalgebra::DVector::from_column_slice(&case.start);
            right[..n].copy_from_slice(moved.as_slice());
        }
    }
    for (i, sign) in [1.0, -1.0].into_iter().enumerate() {
        let first = horizon * n + i * horizon * m;
        for j in 0..horizon * m {
            matrix[(first + j, u(0) + j)] = sign;
            right[first + j] = case.limit;
        }
    }
    let sparse = |m: &DMatrix<f64>| -> CscMatrix<f64> {
        let rows: Vec<Vec<f64>> = m.row_iter().map(|r| r.iter().copied().collect()).collect();
        CscMatrix::from(&rows)
    };
    let cones: [SupportedConeT<f64>; 2] =
        [ZeroConeT(horizon * n), NonnegativeConeT(2 * horizon * m)];
    let settings = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-14)
        .tol_gap_rel(1e-14)
        .tol_feas(1e-14)
        .build()
        .unwrap();
    let zeros = vec![0.0; variables];
    let mut solver = DefaultSolver::new(
        &sparse(&hessian),
        &zeros,
        &sparse(&matrix),
        &right,
        &cones,
        settings,
    )
    .unwrap();
    solver.solve();
    let inputs = &solver.solution.x[horizon * n..];
    inputs.chunks(m).map(<[f64]>::to_vec).collect()
}

fn solved(case: &Case) -> Result<Solver<Linear>, Box<dyn std::error::Error>> {
    let (n, m) = (case.a.nrows(), case.b.ncols());
    let dynamics = Linear::new(case.a.clone(), case.b.clone(), 0.1)?;
    let zero = || StateResidual::new(vec![0.0; n]);
    let [state, input, end] = case.weights.clone();
    let problem = Problem::new(dynamics, case.horizon, case.start.clone())?
        .running_cost("state", zero(), state)?
        .running_cost("input", InputResidual::of_size(m), input)?
        .terminal_cost("end", zero(), end)?
        .input_limits(vec![-case.limit; m], vec![case.limit; m])?;
    let mut options = SolverOptions::default();
    options.tolerance = 1e-14;
    let mut solver = Solver::new(problem, options)?;
    let report = solver.solve()?;
    assert!(
        matches!(report.ending, Ending::Converged | Ending::Stalled),
        "{report:?}"
    );
    for step in solver.history() {
        assert!(step.merit <= step.merit_before * (1.0 + 1e-12));
    }
    Ok(solver)
}

/// Numbers between −1 and 1.
fn numbers(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// The gradient of the cost is zero, or points out of the limits, wherever the search has begun: sums of a value and the way
/// to a limit need not be that limit.
#[test]
fn single_stages_end_where_no_input_may_gain() -> Outcome {
    let mut seed = 1;
    for case in 0..4000 {
        let m = 2 + case % 4;
        let b = DMatrix::from_fn(m, m, |_, _| numbers(&mut seed));
        let goal: Vec<f64> = (0..m).map(|_| 3.0 * numbers(&mut seed)).collect();
        let [lower, upper] = [-1.0, 1.0].map(|side: f64| -> Vec<f64> {
            (0..m)
                .map(|_| side * (0.5 + 0.4 * numbers(&mut seed)))
                .collect()
        });
        let dynamics = Linear::new(DMatrix::identity(m, m), b.clone(), 0.1)?;
        let problem = Problem::new(dynamics, 1, vec![0.0; m])?
            .running_cost("input", InputResidual::of_size(m), vec![0.1; m])?
            .terminal_cost("goal", StateResidual::new(goal.clone()), vec![1.0; m])?
            .input_limits(lower.clone(), upper.clone())?;
        let mut solver = Solver::new(problem, SolverOptions::default())?;
        let start = (0..m).map(|_| numbers(&mut seed)).collect();
        solver.set_inputs(&[start])?;
        let report = solver.solve()?;
        assert_eq!(report.ending, Ending::Converged, "{case}");
        let u = DVector::from_column_slice(&solver.inputs()[0]);
        let gradient = b.transpose() * (&b * &u - DVector::from_vec(goal)) + 0.1 * &u;
        for i in 0..m {
            let (u, g) = (u[i], gradient[i]);
            let outward = (u <= lower[i] + 1e-9 && g >= 0.0) || (u >= upper[i] - 1e-9 && g <= 0.0);
            assert!(
                outward || g.abs() < 1e-6,
                "{case}: {u} in {:?}, slope {g}",
                (lower[i], upper[i])
            );
        }
    }
    Ok(())
}

#[test]
fn solutions_are_those_of_clarabel() -> Outcome {
    let cases = [
        Case {
            a: dmatrix![1.0, 0.1; 0.0, 1.0],
            b: dmatrix![0.005; 0.1],
            start: vec![2.0, 0.5],
            weights: [vec![1.0, 0.1], vec![0.05], vec![20.0, 5.0]],
            limit: 0.8,
            horizon: 40,
        },
        Case {
            a: dmatrix![1.0, 0.1, 0.0; -0.2, 0.95, 0.1; 0.0, 0.3, 0.9],
            b: dmatrix![0.0, 0.1; 0.1, 0.0; 0.05, -0.2],
            start: vec![1.0, -2.0, 0.5],
            weights: [vec![1.0, 0.5, 2.0], vec![0.1, 0.3], vec![10.0, 20.0, 5.0]],
            limit: 0.6,
            horizon: 25,
        },
    ];
    for case in &cases {
        let solver = solved(case)?;
        let expected = by_clarabel(case);
        let at_limit = (expected.iter().flatten()).filter(|u| u.abs() > case.limit - 1e-9);
        assert!(at_limit.count() > 5);
        for (k, (input, expected)) in solver.inputs().iter().zip(&expected).enumerate() {
            for (u, expected) in input.iter().zip(expected) {
                assert!(u.abs() <= case.limit);
                assert!((u - expected).abs() < 1e-8, "stage {k}: {u} {expected}");
            }
        }
    }
    Ok(())
}

#[test]
fn a_double_integrator_in_the_least_time_is_bang_bang() -> Outcome {
    // From rest over 1 m with at most 1 m/s²: 2 s, at full force, then at full brake.
    let (dt, horizon) = (0.05, 40);
    let case = Case {
        a: dmatrix![1.0, dt; 0.0, 1.0],
        b: dmatrix![0.5 * dt * dt; dt],
        start: vec![1.0, 0.0],
        weights: [vec![0.0, 0.0], vec![1e-9], vec![1e3, 1e3]],
        limit: 1.0,
        horizon,
    };
    let solver = solved(&case)?;
    for (k, input) in solver.inputs().iter().enumerate() {
        let expected = if k < horizon / 2 { -1.0 } else { 1.0 };
        assert!(
            (input[0] - expected).abs() < 1e-6,
            "stage {k}: {}",
            input[0]
        );
    }
    let end = &solver.states()[horizon];
    assert!(end[0].abs() < 1e-6 && end[1].abs() < 1e-6);
    Ok(())
}
