//! Equalities and limits of states, by multipliers.

use crate::scenes::pendulum;
use dualbody_control::{
    Ending, InputResidual, Linear, Machine, Problem, Solver, SolverOptions, StateResidual,
};
use nalgebra::dmatrix;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn double_integrator() -> Result<Linear, Box<dyn std::error::Error>> {
    Ok(Linear::new(
        dmatrix![1.0, 0.1; 0.0, 1.0],
        dmatrix![0.005; 0.1],
        0.1,
    )?)
}

#[test]
fn the_least_effort_between_two_states_is_that_of_the_gramian() -> Outcome {
    let horizon = 20;
    let problem = Problem::new(double_integrator()?, horizon, vec![0.0, 0.0])?
        .running_cost("input", InputResidual::of_size(1), vec![1.0])?
        .terminal_constraint(
            "end",
            StateResidual::new(vec![1.0, 0.0]),
            vec![0.0; 2],
            vec![0.0; 2],
        )?;
    let mut options = SolverOptions::default();
    options.violation_tolerance = 1e-10;
    let mut solver = Solver::new(problem, options)?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged);
    // ½ xᵀ W⁻¹ x with W = Σ AⁱB (AⁱB)ᵀ.
    let a = dmatrix![1.0, 0.1; 0.0, 1.0];
    let mut column = dmatrix![0.005; 0.1];
    let mut gramian = nalgebra::DMatrix::zeros(2, 2);
    for _ in 0..horizon {
        gramian += &column * column.transpose();
        column = &a * column;
    }
    let expected = 0.5 * gramian.try_inverse().unwrap()[(0, 0)];
    assert!(
        (report.cost / expected - 1.0).abs() < 1e-8,
        "{} {expected}",
        report.cost
    );
    Ok(())
}

/// Over 1 m in 5 s, with a speed limit in m/s.
fn fast(limit: f64) -> Result<Solver<Linear>, Box<dyn std::error::Error>> {
    let problem = Problem::new(double_integrator()?, 50, vec![0.0, 0.0])?
        .running_cost("input", InputResidual::of_size(1), vec![0.1])?
        .terminal_cost(
            "end",
            StateResidual::new(vec![1.0, 0.0]),
            vec![100.0, 100.0],
        )?
        .running_constraint(
            "speed",
            StateResidual::new(vec![0.0, 0.0]),
            vec![f64::NEG_INFINITY, -limit],
            vec![f64::INFINITY, limit],
        )?;
    Ok(Solver::new(problem, SolverOptions::default())?)
}

#[test]
fn a_speed_limit_is_kept() -> Outcome {
    // The fastest is at 0.3 m/s where there is no limit.
    let free = fast(f64::INFINITY)?.solve()?;
    let loose = fast(0.4)?.solve()?;
    assert_eq!(
        (free.ending, loose.ending),
        (Ending::Converged, Ending::Converged)
    );
    assert!((loose.cost / free.cost - 1.0).abs() < 1e-9);
    let limit = 0.22;
    let mut solver = fast(limit)?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged);
    assert!(report.cost > 1.01 * free.cost);
    let fastest = solver.states()[..50]
        .iter()
        .map(|x| x[1])
        .fold(0.0, f64::max);
    assert!((fastest - limit).abs() < 2e-6, "{fastest}");
    Ok(())
}

#[test]
fn a_pendulum_swings_up_within_its_torque() -> Outcome {
    let system = pendulum()?;
    let mut up = system.initial_state();
    up.q[0] = std::f64::consts::PI;
    let limit = 2.0; // less than half of what holds it level
    let problem = Problem::new(Machine::new(&system)?, 150, system.initial_state())?
        .running_cost("input", InputResidual::of_size(1), vec![0.01])?
        .running_cost("state", StateResidual::new(up.clone()), vec![0.01, 0.001])?
        .terminal_constraint("end", StateResidual::new(up), vec![0.0; 2], vec![0.0; 2])?
        .input_limits(vec![-limit], vec![limit])?;
    let mut options = SolverOptions::default();
    options.max_iterations = 300;
    let mut solver = Solver::new(problem, options)?;
    // At the bottom the slope is zero: a push, so that it swings.
    let inputs: Vec<Vec<f64>> = (0..150).map(|k| vec![(0.09 * k as f64).sin()]).collect();
    solver.set_inputs(&inputs)?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged, "{report:?}");
    let end = &solver.states()[150];
    assert!((end.q[0] - std::f64::consts::PI).abs() < 1e-6 && end.v[0].abs() < 1e-6);
    let largest = solver
        .inputs()
        .iter()
        .map(|u| u[0].abs())
        .fold(0.0, f64::max);
    assert!(largest <= limit);
    for step in solver.history() {
        assert!(step.merit <= step.merit_before + 1e-12 * step.merit_before.abs());
    }
    Ok(())
}

fn integrator(start: f64) -> Result<Problem<Linear>, Box<dyn std::error::Error>> {
    let integrator = Linear::new(dmatrix![1.0], dmatrix![1.0], 1.0)?;
    Ok(Problem::new(integrator, 1, vec![start])?)
}

#[test]
fn a_limit_that_pressed_before_does_not_press_from_afar() -> Outcome {
    let problem = integrator(0.0)?
        .running_cost("input", InputResidual::of_size(1), vec![1000.0])?
        .terminal_constraint(
            "end",
            StateResidual::new(vec![0.0]),
            vec![1.0],
            vec![f64::INFINITY],
        )?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    solver.solve()?;
    assert!((solver.inputs()[0][0] - 1.0).abs() < 1e-5);
    solver.set_initial(&vec![50.0]);
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    assert!(solver.inputs()[0][0].abs() < 1e-6, "{:?}", solver.inputs());
    Ok(())
}

#[test]
fn an_equality_that_holds_already_determines_its_input() -> Outcome {
    for start in [0.0, 1.0] {
        let goal = StateResidual::new(vec![0.0]);
        let problem = integrator(start)?.terminal_constraint("end", goal, vec![0.0], vec![0.0])?;
        let mut solver = Solver::new(problem, SolverOptions::default())?;
        assert_eq!(solver.solve()?.ending, Ending::Converged);
        assert!((solver.inputs()[0][0] + start).abs() < 1e-6);
    }
    Ok(())
}

#[test]
fn a_given_state_beyond_a_limit_does_not_make_a_problem_infeasible() -> Outcome {
    let problem = Problem::new(double_integrator()?, 50, vec![0.0, 0.31])?
        .running_cost("input", InputResidual::of_size(1), vec![0.1])?
        .terminal_cost("end", StateResidual::new(vec![1.0, 0.0]), vec![100.0; 2])?
        .running_constraint(
            "speed",
            StateResidual::new(vec![0.0, 0.0]),
            vec![f64::NEG_INFINITY, -0.3],
            vec![f64::INFINITY, 0.3],
        )?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged, "{report:?}");
    let speeds = solver.states()[1..50].iter().map(|x| x[1]);
    assert!(speeds.fold(0.0, f64::max) < 0.3 + 1e-5);
    Ok(())
}
