//! What holds of the solution of any problem: the merit falls, limits of inputs hold in every iterate, and at the end the gains
//! are those of the regulator along the trajectory.

use crate::scenes::pendulum;
use dualbody_control::{
    Ending, GapClosing, InputResidual, Machine, Problem, Solver, SolverOptions, StateResidual,
    TimeVaryingRegulator,
};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

type Failure = Box<dyn std::error::Error>;

const HORIZON: usize = 25;

/// A pendulum that is to go from a state to another.
#[derive(Debug, Clone)]
struct Case {
    start: [f64; 2],
    goal: [f64; 2],
    running: [f64; 2],
    end: [f64; 2],
    effort: f64,
    /// The largest torque, N m.
    limit: f64,
    gap_closing: GapClosing,
}

fn cases() -> impl Strategy<Value = Case> {
    let state = || [-2.0..2.0, -3.0..3.0];
    let weights = || [0.0..2.0, 0.0..0.2];
    let ends = [0.0..50.0, 0.0..5.0];
    let ways = prop_oneof![Just(GapClosing::Rollout), Just(GapClosing::Line)];
    (state(), state(), weights(), ends, 1e-3..0.1, 0.2..5.0, ways).prop_map(
        |(start, goal, running, end, effort, limit, gap_closing)| Case {
            start,
            goal,
            running,
            end,
            effort,
            limit,
            gap_closing,
        },
    )
}

/// From states that stand still at the start, between which there are gaps.
fn solver(case: &Case, limit: f64, max_iterations: usize) -> Result<Solver<Machine>, Failure> {
    let system = pendulum()?;
    let at = |[q, v]: [f64; 2]| {
        let mut state = system.initial_state();
        (state.q[0], state.v[0]) = (q, v);
        state
    };
    let goal = || StateResidual::new(at(case.goal));
    let problem = Problem::new(Machine::new(&system)?, HORIZON, at(case.start))?
        .running_cost("state", goal(), case.running.to_vec())?
        .running_cost("effort", InputResidual::of_size(1), vec![case.effort])?
        .terminal_cost("end", goal(), case.end.to_vec())?
        .input_limits(vec![-limit], vec![limit])?;
    let mut options = SolverOptions::default();
    options.max_iterations = max_iterations;
    options.gap_closing = case.gap_closing;
    let states = vec![at(case.start); HORIZON + 1];
    let inputs = vec![vec![10.0]; HORIZON];
    Ok(Solver::from_trajectory(problem, options, &states, &inputs)?)
}

fn check(case: &Case) -> Result<(), Failure> {
    for iterations in [0, 1, 2, 3, 1000] {
        let mut solver = solver(case, case.limit, iterations)?;
        let report = solver.solve()?;
        for u in solver.inputs().iter().flatten() {
            assert!(u.abs() <= case.limit, "{u} after {iterations}");
        }
        for step in solver.history() {
            assert!(step.merit <= step.merit_before * (1.0 + 1e-12), "{step:?}");
        }
        if iterations == 1000 {
            assert_eq!(report.ending, Ending::Converged, "{report:?}");
        }
    }
    let mut solver = solver(case, f64::INFINITY, 1000)?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged, "{report:?}");
    let diagonal = |entries: &[f64]| DMatrix::from_diagonal(&DVector::from_column_slice(entries));
    let regulator = TimeVaryingRegulator::along(
        &mut solver.problem().dynamics().clone(),
        solver.states(),
        solver.inputs(),
        &diagonal(&case.running),
        &diagonal(&[case.effort]),
        diagonal(&case.end),
    )?;
    for (stage, expected) in regulator.gains.iter().enumerate() {
        let gain = solver.gain(stage).ok_or("no gain")?;
        let error = (gain + expected).amax();
        assert!(error < 1e-8 * (1.0 + expected.amax()), "{stage}: {error}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn solutions_are_what_they_are_to_be(case in cases()) {
        if let Err(error) = check(&case) {
            return Err(TestCaseError::fail(error.to_string()));
        }
    }
}
