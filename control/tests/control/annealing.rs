//! From plans on variations to the dynamics themselves.

use crate::scalar_step::ScalarStep;
use dualbody_control::{
    ControlError, Ending, InputResidual, Problem, Solver, SolverOptions, StateResidual,
    solve_annealed,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// What the plan is made for is steady; the truth runs away, and there are no steps far out.
fn dynamics() -> Result<[ScalarStep; 2], ControlError> {
    let steady = ScalarStep::new(|x, u| [x + u, 1.0, 1.0, 0.0])?;
    let growing = ScalarStep::new(|x, u| {
        let far = if x.abs() > 5.0 { f64::NAN } else { 0.0 };
        [3.0 * x + u + far, 3.0, 1.0, 0.0]
    })?;
    Ok([steady, growing])
}

#[test]
fn a_replay_that_goes_astray_is_no_place_to_go_on_from() -> Outcome {
    let [steady, growing] = dynamics()?;
    let zero = || StateResidual::new(vec![0.0]);
    let problem = Problem::new(steady.clone(), 12, vec![0.3])?
        .running_cost("state", zero(), vec![1.0])?
        .running_cost("effort", InputResidual::of_size(1), vec![1.0])?
        .terminal_cost("end", zero(), vec![1.0])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let annealed = solve_annealed(&mut solver, &[steady], &growing)?;
    assert_eq!(annealed.cost_replayed, f64::INFINITY);
    let report = annealed.reports[1];
    assert_eq!((report.ending, report.gap), (Ending::Converged, 0.0));
    // The cost of Riccati's equation, p = 1 + 9 p/(1 + p) after so many steps.
    let p = 0.5 * (9.0 + 85.0_f64.sqrt());
    assert!(
        (annealed.cost - 0.5 * p * 0.09).abs() < 1e-6,
        "{annealed:?}"
    );

    // Without a plan there is nothing else to go on from.
    let astray = Problem::new(growing.clone(), 12, vec![6.0])?
        .running_cost("state", zero(), vec![1.0])?
        .running_cost("effort", InputResidual::of_size(1), vec![1.0])?;
    let inputs = vec![vec![0.0]; 12];
    let states = vec![vec![6.0]; 13];
    let mut solver = Solver::from_trajectory(astray, SolverOptions::default(), &states, &inputs)?;
    assert!(solve_annealed(&mut solver, &[], &growing).is_err());
    Ok(())
}
