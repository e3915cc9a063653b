//! First states of which a part is free, against dense solutions.

use dualbody_control::{
    ControlError, Ending, GapClosing, InputResidual, Linear, Problem, Solver, SolverOptions,
    StateResidual,
};
use nalgebra::{DMatrix, DVector, dmatrix};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const HORIZON: usize = 12;
const WEIGHTS: [f64; 2] = [1.0, 0.3];
const EFFORT: f64 = 0.1;

fn a() -> DMatrix<f64> {
    dmatrix![1.0, 0.2; -0.3, 0.9]
}

fn b() -> DMatrix<f64> {
    dmatrix![0.02; 0.2]
}

/// Where the state is to be at each stage.
fn references() -> Vec<Vec<f64>> {
    let at = |k: usize| vec![1.0 + (0.5 * k as f64).sin(), 0.2 * k as f64];
    (0..=HORIZON).map(at).collect()
}

fn problem(start: Vec<f64>) -> Result<Problem<Linear>, ControlError> {
    let [running, end] = [(); 2].map(|()| StateResidual::tracking(references()));
    let last = StateResidual::new(references()[HORIZON].clone());
    end?;
    Problem::new(Linear::new(a(), b(), 0.1)?, HORIZON, start)?
        .running_cost("state", running?, WEIGHTS.to_vec())?
        .running_cost("effort", InputResidual::of_size(1), vec![EFFORT])?
        .terminal_cost("end", last, WEIGHTS.to_vec())
}

/// The least cost over the entries of x₀ that are free and all inputs, by one dense solution: `[x₀; u]`.
fn by_normal_equations(start: [f64; 2], free: [bool; 2]) -> DVector<f64> {
    let size = 2 + HORIZON;
    let (mut hessian, mut right) = (DMatrix::zeros(size, size), DVector::zeros(size));
    // xₖ = M z.
    let mut m = DMatrix::zeros(2, size);
    m.view_mut((0, 0), (2, 2)).fill_with_identity();
    let weights = DMatrix::from_diagonal(&DVector::from_column_slice(&WEIGHTS));
    for (k, reference) in references().iter().enumerate() {
        hessian += m.transpose() * &weights * &m;
        right += m.transpose() * &weights * DVector::from_column_slice(reference);
        m = a() * m;
        if k < HORIZON {
            hessian[(2 + k, 2 + k)] += EFFORT;
            m.column_mut(2 + k).copy_from(&b());
        }
    }
    for i in (0..2).filter(|&i| !free[i]) {
        right -= hessian.column(i) * start[i];
        hessian.row_mut(i).fill(0.0);
        hessian.column_mut(i).fill(0.0);
        hessian[(i, i)] = 1.0;
        right[i] = start[i];
    }
    hessian.lu().solve(&right).unwrap()
}

fn assert_is(solver: &Solver<Linear>, expected: &DVector<f64>) {
    let first = solver.states()[0].iter();
    let found = first.chain(solver.inputs().iter().flatten());
    for (i, (found, expected)) in found.zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-9, "{i}: {found} {expected}");
    }
}

#[test]
fn free_entries_are_those_of_the_dense_solution_after_one_iteration() -> Outcome {
    let infinite = f64::INFINITY;
    for closing in [GapClosing::Rollout, GapClosing::Line] {
        for free in [[true, true], [true, false], [false, true], [false, false]] {
            let start = [0.5, -2.0];
            let width = free.map(|is_free| if is_free { infinite } else { 0.0 });
            let problem =
                problem(start.to_vec())?.free_start(width.map(|w| -w).to_vec(), width.to_vec())?;
            let mut options = SolverOptions::default();
            options.gap_closing = closing;
            let mut solver = Solver::new(problem, options)?;
            // From where it may not start, too.
            for moved in [0.0, 0.7] {
                let mut states = solver.states().to_vec();
                states.iter_mut().flatten().for_each(|x| *x += moved);
                let inputs = vec![vec![0.3]; HORIZON];
                solver.set_trajectory(&states, &inputs)?;
                let report = solver.solve()?;
                assert_eq!(report.ending, Ending::Converged, "{report:?}");
                assert_eq!(report.iterations, 1);
                assert_is(&solver, &by_normal_equations(start, free));
            }
        }
    }
    Ok(())
}

#[test]
fn limits_of_the_first_state_hold() -> Outcome {
    let free = by_normal_equations([0.0; 2], [true; 2]);
    let start = [free[0] - 1.0, 0.0];
    // The first entry would go further, the second stays inside.
    let problem = problem(start.to_vec())?.free_start(vec![-0.1, -50.0], vec![0.25, 50.0])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    assert_eq!(solver.states()[0][0], start[0] + 0.25);
    let held = by_normal_equations([start[0] + 0.25, 0.0], [false, true]);
    assert_is(&solver, &held);

    // Limits away from the initial state, and a policy that starts where the plan does.
    let problem = solver
        .problem()
        .clone()
        .free_start(vec![0.1; 2], vec![0.2; 2])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    assert_eq!(solver.states()[0][1], 0.1);
    let report = solver.solve()?;
    let cost = solver.replay()?;
    assert!(
        (cost - report.cost).abs() < 1e-12 * cost,
        "{cost} {report:?}"
    );
    Ok(())
}

#[test]
fn what_no_cost_depends_on_cannot_be_free() -> Outcome {
    let dynamics = Linear::new(DMatrix::identity(2, 2), dmatrix![1.0; 0.0], 0.1)?;
    let problem = Problem::new(dynamics, 3, vec![1.0, 2.0])?
        .running_cost("state", StateResidual::new(vec![0.0; 2]), vec![1.0, 0.0])?
        .running_cost("effort", InputResidual::of_size(1), vec![1.0])?;
    let infinite = vec![f64::INFINITY; 2];
    let free = problem
        .clone()
        .free_start(vec![f64::NEG_INFINITY; 2], infinite)?;
    let error = Solver::new(free, SolverOptions::default())?
        .solve()
        .unwrap_err();
    assert_eq!(error, ControlError::UndeterminedStart { entry: 1 });
    let error = problem.free_start(vec![0.0; 3], vec![0.0; 3]).unwrap_err();
    assert!(matches!(error, ControlError::Invalid(_)), "{error}");
    Ok(())
}
