//! Problems that cannot be solved end in errors, or say so.

use crate::scalar_residual::ScalarResidual;
use crate::scenes::{cart_pole, pendulum};
use dualbody_control::{
    ControlError, Design, Dynamics, Ending, Ensemble, InputResidual, Linear, LinearQuadratic,
    Machine, Mpc, OutputModel, Problem, Regulator, Solver, SolverOptions, StateResidual,
    TimeVaryingRegulator,
};
use nalgebra::{DMatrix, dmatrix};
use std::ops::ControlFlow;
use std::time::Duration;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn integrator() -> Linear {
    Linear::new(dmatrix![1.0], dmatrix![1.0], 0.1).unwrap()
}

fn plain() -> Problem<Linear> {
    Problem::new(integrator(), 3, vec![1.0])
        .and_then(|p| p.running_cost("input", InputResidual::of_size(1), vec![1.0]))
        .and_then(|p| p.terminal_cost("end", StateResidual::new(vec![0.0]), vec![1.0]))
        .unwrap()
}

#[test]
fn what_cannot_be_posed_is_an_error_that_says_what() {
    let says = |error: ControlError, words: &str| {
        assert!(error.to_string().contains(words), "{error}");
    };
    says(
        Problem::new(integrator(), 0, vec![1.0]).unwrap_err(),
        "horizon = 0",
    );
    let error = plain().input_limits(vec![1.0], vec![-1.0]).unwrap_err();
    says(
        error,
        "the limits of \"input\" contradict each other: entry 0 is to be from 1 to -1",
    );
    let error = plain().input_limits(vec![f64::NAN], vec![1.0]).unwrap_err();
    says(error, "lower limits = NaN");
    let again = InputResidual::of_size(1);
    says(
        plain().running_cost("input", again, vec![1.0]).unwrap_err(),
        "named \"input\"",
    );
    let more = InputResidual::of_size(1);
    says(
        plain()
            .running_cost("more", more, vec![1.0, 2.0])
            .unwrap_err(),
        "weights has size 2",
    );
    let negative = InputResidual::of_size(1);
    says(
        plain().running_cost("x", negative, vec![-1.0]).unwrap_err(),
        "weights = -1",
    );
    let mut options = SolverOptions::default();
    options.tolerance = f64::NAN;
    says(
        Solver::new(plain(), options).unwrap_err(),
        "tolerance = NaN",
    );
    options = SolverOptions::default();
    options.threads = 0;
    says(Solver::new(plain(), options).unwrap_err(), "threads = 0");
    options = SolverOptions::default();
    options.max_penalty = 1.0;
    says(
        Solver::new(plain(), options).unwrap_err(),
        "largest penalty = 1",
    );
    let mut solver = Solver::new(plain(), SolverOptions::default()).unwrap();
    says(
        solver.set_inputs(&[vec![0.0]]).unwrap_err(),
        "stages with inputs has size 1",
    );
    says(solver.shift(f64::NAN).unwrap_err(), "shift = NaN");
}

#[test]
fn what_is_too_much_is_refused_or_cut() -> Outcome {
    let endless = Problem::new(integrator(), usize::MAX, vec![1.0]).unwrap_err();
    assert!(endless.to_string().contains("1e6 stages"), "{endless}");
    let mut options = SolverOptions::default();
    options.threads = usize::MAX;
    let mut solver = Solver::new(plain(), options)?;
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    solver.set_options(options)?;
    let far = StateResidual::new(vec![1e10]);
    let problem = plain().running_cost("far", far, vec![1e300])?;
    let error = Solver::new(problem, options)?
        .solve()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("\"far\" at stage 0: sum of weighted squares"),
        "{error}"
    );
    Ok(())
}

#[test]
fn states_of_other_machines_are_refused() -> Outcome {
    let system = cart_pole()?;
    let machine = Machine::new(&system)?;
    let other = pendulum()?.initial_state();
    let start = system.initial_state();
    let mut derivative = DMatrix::zeros(4, 4);
    assert!(
        machine
            .difference_derivative(&start, &other, &mut derivative)
            .is_err()
    );
    let mut small = DMatrix::zeros(1, 4);
    assert!(
        machine
            .difference_derivative(&start, &start, &mut small)
            .is_err()
    );
    let mut machine = machine;
    let (mut a, mut b) = (DMatrix::zeros(3, 4), DMatrix::zeros(4, 1));
    let mut next = start.clone();
    assert!(
        machine
            .linearize(&start, &[0.0], &mut next, &mut a, &mut b)
            .is_err()
    );
    let mut outputs = OutputModel::new(&system);
    let mut value = vec![0.0; system.num_outputs()];
    let error = outputs
        .evaluate(&other, &[0.0], &mut value)
        .unwrap_err()
        .to_string();
    assert!(error.contains("positions has size 1"), "{error}");
    Ok(())
}

#[test]
fn a_search_that_stalls_leaves_gains_that_hold() -> Outcome {
    let kinked = ScalarResidual::of_state(|x| {
        let slope = if x < 0.0 { -1.0 } else { 1.0 };
        [x.abs() + 1.0, slope, 0.0]
    });
    let problem = Problem::new(integrator(), 1, vec![0.0])?
        .running_cost("input", InputResidual::of_size(1), vec![1e-3])?
        .terminal_cost("kink", kinked, vec![1.0])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    assert_eq!(solver.solve()?.ending, Ending::Stalled);
    let gain = solver.gain(0).unwrap()[(0, 0)];
    assert!((gain + 1.0).abs() < 0.01, "{gain}");
    Ok(())
}

#[test]
fn a_cost_that_is_not_a_number_is_named_with_its_stage() -> Outcome {
    let broken = ScalarResidual::of_state(|x| {
        let value = if x > 0.5 { f64::NAN } else { x };
        [value, 1.0, 0.0]
    });
    let problem = plain().running_cost("broken", broken, vec![1.0])?;
    let error = Solver::new(problem, SolverOptions::default())?
        .solve()
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("\"broken\" at stage 0: residual = NaN"),
        "{text}"
    );
    Ok(())
}

#[test]
fn sizes_that_do_not_fit_are_named_where_they_are_met() -> Outcome {
    let options = SolverOptions::default();
    let says = |error: ControlError, words: &str| {
        assert!(error.to_string().contains(words), "{error}");
    };
    // States of other sizes, and not finite.
    let of_two = Problem::new(integrator(), 3, vec![1.0, 2.0])?;
    says(
        Solver::new(of_two, options).unwrap_err(),
        "the step of stage 0: state has size 2",
    );
    let infinite = Problem::new(integrator(), 3, vec![f64::NAN])?;
    says(
        Solver::new(infinite, options).unwrap_err(),
        "the step of stage 0: difference of states = NaN",
    );
    let mut solver = Solver::new(plain(), options)?;
    solver.set_initial(&vec![1.0, 2.0]);
    says(solver.solve().unwrap_err(), "state has size 2");
    // Inputs of another size, and those of a state in which there are none.
    let two = plain().running_cost("two", InputResidual::of_size(2), vec![1.0; 2])?;
    says(
        Solver::new(two, options)?.solve().unwrap_err(),
        "\"two\" at stage 0: input has size 1",
    );
    let last = plain().terminal_cost("last", InputResidual::of_size(1), vec![1.0])?;
    says(
        Solver::new(last, options)?.solve().unwrap_err(),
        "\"last\" at stage 3: input has size 0",
    );
    Ok(())
}

#[test]
fn a_plant_of_other_states_ends_a_run_with_what_does_not_fit() -> Outcome {
    let model = pendulum()?;
    let problem = Problem::new(Machine::new(&model)?, 5, model.initial_state())?.running_cost(
        "input",
        InputResidual::of_size(1),
        vec![1.0],
    )?;
    let mut mpc = Mpc::new(Solver::new(problem, SolverOptions::default())?);
    let plant = cart_pole()?;
    let start = plant.initial_state();
    let mut machine = Machine::new(&plant)?;
    let run = mpc.run(&mut machine, &start, 10, 0.02, |_, _| {}, Clone::clone)?;
    let error = run.failure.ok_or("no failure")?.to_string();
    assert!(error.contains("size"), "{error}");
    assert_eq!((run.states.len(), run.inputs.len()), (1, 0));
    let error = (mpc.run(&mut machine, &start, 10, 0.0, |_, _| {}, Clone::clone)).unwrap_err();
    assert!(error.to_string().contains("period of plans = 0"), "{error}");
    Ok(())
}

#[test]
fn an_input_on_which_no_cost_depends_is_named() -> Outcome {
    let problem = Problem::new(
        Linear::new(dmatrix![1.0], dmatrix![1.0, 0.0], 0.1)?,
        3,
        vec![1.0],
    )?
    .terminal_cost("end", StateResidual::new(vec![0.0]), vec![1.0])?;
    let error = Solver::new(problem.clone(), SolverOptions::default())?
        .solve()
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("no cost depends on input 1 of stage 2"),
        "{text}"
    );
    // With a weight of its own it is determined, and a singular one of the other input is none the worse.
    let problem = problem.running_cost("input", InputResidual::of_size(2), vec![0.0, 1.0])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    assert!(solver.states()[3][0].abs() < 1e-12);
    Ok(())
}

#[test]
fn a_horizon_of_one_stage_is_a_least_squares_problem() -> Outcome {
    let problem = Problem::new(integrator(), 1, vec![1.0])?
        .running_cost("input", InputResidual::of_size(1), vec![1.0])?
        .terminal_cost("end", StateResidual::new(vec![0.0]), vec![3.0])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let report = solver.solve()?;
    assert_eq!((report.ending, report.iterations), (Ending::Converged, 1));
    assert!((solver.inputs()[0][0] + 0.75).abs() < 1e-14);
    assert!((report.cost - 0.375).abs() < 1e-14);
    Ok(())
}

#[test]
fn a_step_into_what_cannot_be_evaluated_is_shortened() -> Outcome {
    let broken = ScalarResidual::of_state(|x| {
        let value = if x > 0.7 { f64::NAN } else { x };
        [value, 1.0, 0.0]
    });
    // The target is beyond the bound.
    let problem = Problem::new(integrator(), 3, vec![0.0])?
        .running_cost("input", InputResidual::of_size(1), vec![1e-3])?
        .terminal_cost("end", StateResidual::new(vec![2.0]), vec![1.0])?
        .running_cost("broken", broken, vec![0.0])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let report = solver.solve()?;
    assert!(report.cost.is_finite() && report.cost < 2.0);
    assert!(solver.states()[..3].iter().all(|x| x[0] <= 0.7));
    Ok(())
}

#[test]
fn limits_that_the_dynamics_cannot_keep_end_as_infeasible() -> Outcome {
    let problem = plain()
        .input_limits(vec![-0.1], vec![0.1])?
        .terminal_constraint("far", StateResidual::new(vec![9.0]), vec![0.0], vec![0.0])?;
    let mut options = SolverOptions::default();
    options.max_iterations = 1000;
    let mut solver = Solver::new(problem, options)?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Infeasible, "{report:?}");
    assert!((report.violation - 7.7).abs() < 1e-6);
    assert!(solver.inputs().iter().all(|u| (u[0] - 0.1).abs() < 1e-12));
    Ok(())
}

#[test]
fn a_limit_of_the_first_input_counts_where_its_slope_is_zero() -> Outcome {
    let unit = ScalarResidual::of_input(|u| [u * u - 1.0, 2.0 * u, 2.0]);
    let problem = Problem::new(integrator(), 1, vec![0.0])?
        .running_cost("input", InputResidual::of_size(1), vec![1.0])?
        .running_constraint("unit", unit, vec![0.0], vec![0.0])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let report = solver.solve()?;
    assert_eq!((report.ending, report.violation), (Ending::Infeasible, 1.0));
    // From any other input it is found.
    solver.set_inputs(&[vec![0.1]])?;
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    assert!((solver.inputs()[0][0] - 1.0).abs() < 1e-6);
    Ok(())
}

#[test]
fn a_machine_that_cannot_step_says_where() -> Outcome {
    let system = pendulum()?;
    let problem = Problem::new(Machine::new(&system)?, 5, system.initial_state())?.running_cost(
        "input",
        InputResidual::of_size(1),
        vec![1.0],
    )?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let mut inputs = vec![vec![0.0]; 5];
    inputs[2] = vec![f64::MAX];
    let error = solver.set_inputs(&inputs).unwrap_err();
    assert!(error.to_string().contains("the step of stage"), "{error}");
    inputs[2] = vec![f64::INFINITY];
    let error = solver.set_inputs(&inputs).unwrap_err();
    assert!(error.to_string().contains("input = inf"), "{error}");
    Ok(())
}

#[test]
fn limits_of_iterations_and_time_and_a_cancel_are_reported() -> Outcome {
    let system = pendulum()?;
    let mut up = system.initial_state();
    up.q[0] = std::f64::consts::PI;
    let problem = Problem::new(Machine::new(&system)?, 50, system.initial_state())?
        .running_cost("input", InputResidual::of_size(1), vec![1e-4])?
        .terminal_cost("end", StateResidual::new(up), vec![100.0, 1.0])?;
    let mut options = SolverOptions::default();
    options.max_iterations = 2;
    let mut solver = Solver::new(problem.clone(), options)?;
    assert_eq!(solver.solve()?.ending, Ending::IterationLimit);
    assert_eq!(solver.history().len(), 2);
    options.time_limit = Some(Duration::ZERO);
    let mut solver = Solver::new(problem.clone(), options)?;
    let report = solver.solve()?;
    assert_eq!((report.ending, report.iterations), (Ending::TimeLimit, 0));
    (options.max_iterations, options.time_limit) = (usize::MAX, Some(Duration::MAX));
    let mut solver = Solver::new(problem.clone(), options)?;
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let report = solver.solve_with(&mut |_| ControlFlow::Break(()))?;
    assert_eq!((report.ending, report.iterations), (Ending::Cancelled, 1));
    Ok(())
}

#[test]
fn matrices_of_other_sizes_are_refused() -> Outcome {
    let (one, two) = (DMatrix::zeros(1, 1), DMatrix::zeros(2, 2));
    let says = |error: ControlError, words: &str| {
        assert!(error.to_string().contains(words), "{error}");
    };
    let state = vec![1.0];
    let linear = integrator().linearize(
        &state,
        &[0.0],
        &mut vec![0.0],
        &mut two.clone(),
        &mut one.clone(),
    );
    says(linear.unwrap_err(), "A has size 2");
    let mut both = Ensemble::new(vec![integrator(), integrator()])?;
    let states = vec![state.clone(); 2];
    let linear = both.linearize(
        &states,
        &[0.0],
        &mut states.clone(),
        &mut two.clone(),
        &mut one.clone(),
    );
    says(linear.unwrap_err(), "B has size 1");
    let curved = both.add_curvature(&states, &[0.0], &[1.0], &mut two.clone());
    says(curved.unwrap_err(), "covector has size 1");
    let derivative = both.difference_derivative(&states, &states, &mut one.clone());
    says(derivative.unwrap_err(), "derivative has size 1");
    let design = Design::new(&pendulum()?, &["bob/mass"])?;
    let start = design.state(pendulum()?.initial_state());
    let linear = design.clone().linearize(
        &start,
        &[0.0],
        &mut start.clone(),
        &mut two.clone(),
        &mut one.clone(),
    );
    says(linear.unwrap_err(), "A has size 2");

    // Two members of one entry are not one of two.
    let mut solver = Solver::new(
        plain().expected_over(vec![integrator(), integrator()])?,
        SolverOptions::default(),
    )?;
    let one_of_two = Linear::new(two.clone(), dmatrix![1.0; 1.0], 0.1)?;
    solver.set_dynamics(Ensemble::new(vec![one_of_two])?)?;
    let start = vec![vec![0.0; 2]];
    solver.set_initial(&start);
    solver.set_trajectory(&vec![start; 4], &vec![vec![0.0]; 3])?;
    says(
        solver.solve().unwrap_err(),
        "members has size 1, expected 2",
    );

    says(
        TimeVaryingRegulator::new(&[], DMatrix::zeros(2, 3)).unwrap_err(),
        "cost of the first stage has size 3",
    );
    says(
        Regulator::expected_cost(&DMatrix::zeros(2, 3), &DMatrix::zeros(2, 3)).unwrap_err(),
        "cost has size 3",
    );
    Ok(())
}

#[test]
fn what_is_too_large_for_a_number_is_an_error() -> Outcome {
    let one = dmatrix![1.0];
    let stage = |a| LinearQuadratic::new(dmatrix![a], one.clone(), one.clone(), one.clone());
    let costs = TimeVaryingRegulator::new(&[stage(1e200)?], one.clone());
    let error = costs.unwrap_err().to_string();
    assert!(error.contains("cost of the first stage = "), "{error}");
    let error = Regulator::discrete(stage(0.5)?)?
        .input(&[f64::NAN])
        .unwrap_err();
    assert!(error.to_string().contains("displacement = NaN"), "{error}");
    let steep = Problem::new(Linear::new(dmatrix![1e3], one.clone(), 0.1)?, 3, vec![1.0])?
        .running_cost("input", InputResidual::of_size(1), vec![1.0])?
        .terminal_cost("end", StateResidual::new(vec![0.0]), vec![1.0])?;
    let mut solver = Solver::new(steep, SolverOptions::default())?;
    solver.solve()?;
    let error = solver
        .policy(0, &vec![1e307], &mut [0.0])
        .unwrap_err()
        .to_string();
    assert!(error.contains("input = -inf"), "{error}");
    let error = Mpc::new(solver)
        .act(0.0, &vec![1e307])
        .unwrap_err()
        .to_string();
    assert!(error.contains("input = -inf"), "{error}");
    Ok(())
}
