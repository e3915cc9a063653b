//! Linear dynamics with quadratic costs, which have closed forms.

use dualbody_control::{
    Ending, GapClosing, InputResidual, Linear, LinearQuadratic, Problem, Solver, SolverOptions,
    StateResidual, TimeVaryingRegulator,
};
use nalgebra::{DMatrix, DVector, dmatrix};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn chain() -> Result<Linear, Box<dyn std::error::Error>> {
    let a = dmatrix![1.0, 0.1, 0.0; -0.2, 0.95, 0.1; 0.0, 0.3, 0.9];
    let b = dmatrix![0.0, 0.1; 0.1, 0.0; 0.05, -0.2];
    Ok(Linear::new(a, b, 0.1)?)
}

const STATE: [f64; 3] = [1.0, 0.5, 2.0];
const INPUT: [f64; 2] = [0.1, 0.3];
const END: [f64; 3] = [10.0, 20.0, 5.0];

fn problem(horizon: usize) -> Result<Problem<Linear>, Box<dyn std::error::Error>> {
    let zero = || StateResidual::new(vec![0.0; 3]);
    Ok(Problem::new(chain()?, horizon, vec![1.0, -2.0, 0.5])?
        .running_cost("state", zero(), STATE.to_vec())?
        .running_cost("input", InputResidual::of_size(2), INPUT.to_vec())?
        .terminal_cost("end", zero(), END.to_vec())?)
}

fn diagonal(entries: &[f64]) -> DMatrix<f64> {
    DMatrix::from_diagonal(&DVector::from_column_slice(entries))
}

#[test]
fn one_iteration_solves_it_and_gains_are_those_of_the_regulator() -> Outcome {
    let horizon = 30;
    let mut solver = Solver::new(problem(horizon)?, SolverOptions::default())?;
    let report = solver.solve()?;
    assert_eq!((report.ending, report.iterations), (Ending::Converged, 1));

    let zeros = vec![vec![0.0; 3]; horizon + 1];
    let regulator = TimeVaryingRegulator::along(
        &mut chain()?,
        &zeros,
        &vec![vec![0.0; 2]; horizon],
        &diagonal(&STATE),
        &diagonal(&INPUT),
        diagonal(&END),
    )?;
    let start = DVector::from_vec(vec![1.0, -2.0, 0.5]);
    let expected = 0.5 * start.dot(&(&regulator.costs[0] * &start));
    assert!((report.cost / expected - 1.0).abs() < 1e-13);
    for k in 0..horizon {
        let gain = solver.gain(k).unwrap();
        assert!((gain + &regulator.gains[k]).amax() < 1e-12);
        let x = DVector::from_column_slice(&solver.states()[k]);
        let u = DVector::from_column_slice(&solver.inputs()[k]);
        assert!((u + &regulator.gains[k] * x).amax() < 1e-11);
    }
    Ok(())
}

#[test]
fn gaps_close_in_one_iteration_too() -> Outcome {
    let horizon = 12;
    for gap_closing in [GapClosing::Rollout, GapClosing::Line] {
        let mut options = SolverOptions::default();
        options.gap_closing = gap_closing;
        let mut solver = Solver::new(problem(horizon)?, options)?;
        let expected = solver.solve()?.cost;
        let states: Vec<Vec<f64>> = (0..=horizon).map(|k| vec![k as f64, 1.0, -3.0]).collect();
        let inputs = vec![vec![0.3, -0.2]; horizon];
        solver.set_trajectory(&states, &inputs)?;
        let report = solver.solve()?;
        assert_eq!((report.ending, report.iterations), (Ending::Converged, 1));
        assert!(report.gap < 1e-12, "{}", report.gap);
        assert!((report.cost / expected - 1.0).abs() < 1e-12);
        let first = solver.history()[0];
        assert!(first.gap > 1.0 && first.merit < first.merit_before);
    }
    Ok(())
}

#[test]
fn weights_that_grow_long_lead_to_the_algebraic_equation() -> Outcome {
    let stage = LinearQuadratic::new(
        dmatrix![1.0, 0.1; 0.0, 1.0],
        dmatrix![0.005; 0.1],
        DMatrix::identity(2, 2),
        dmatrix![1.0],
    )?;
    let limit = dualbody_control::Regulator::discrete(stage.clone())?;
    let regulator = TimeVaryingRegulator::new(&vec![stage; 400], DMatrix::zeros(2, 2))?;
    assert!((&regulator.costs[0] - &limit.cost).amax() < 1e-10 * limit.cost.amax());
    assert!((&regulator.gains[0] - &limit.gain).amax() < 1e-10);
    Ok(())
}

#[test]
fn threads_give_the_same_bits() -> Outcome {
    let mut options = SolverOptions::default();
    let mut serial = Solver::new(problem(17)?, options)?;
    serial.solve()?;
    options.threads = 3;
    let mut threads = Solver::new(problem(17)?, options)?;
    threads.solve()?;
    assert_eq!(serial.inputs(), threads.inputs());
    Ok(())
}

#[test]
fn a_shift_takes_up_the_plan_where_it_is() -> Outcome {
    let mut solver = Solver::new(problem(30)?, SolverOptions::default())?;
    solver.solve()?;
    let (states, inputs) = (solver.states().to_vec(), solver.inputs().to_vec());
    solver.shift(0.25)?;
    for k in 0..27 {
        assert_eq!(solver.inputs()[k], inputs[k + 2]);
        let middle = 0.5 * (states[k + 2][1] + states[k + 3][1]);
        assert!((solver.states()[k][1] - middle).abs() < 1e-12);
    }
    assert_eq!(solver.inputs()[29], inputs[29]);
    solver.set_initial(&solver.states()[0].clone());
    assert!(solver.solve()?.iterations <= 1);
    Ok(())
}
