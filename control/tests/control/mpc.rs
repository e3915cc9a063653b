//! Receding horizons.

use crate::scenes::cart_pole;
use dualbody::Parameters;
use dualbody::system::TimeSteppingRigidBodySystem;
use dualbody_control::{
    InputResidual, Machine, Mpc, Problem, Solver, SolverOptions, StateResidual,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn controller(delta: f64) -> Result<Mpc<Machine>, Box<dyn std::error::Error>> {
    let system = cart_pole()?;
    let slow = TimeSteppingRigidBodySystem::compliant(system.into_system(), delta)?;
    let start = slow.initial_state();
    let weights = vec![1.0, 5.0, 0.1, 0.1];
    let problem = Problem::new(Machine::new(&slow)?, 25, start.clone())?
        .running_cost("input", InputResidual::of_size(1), vec![1e-3])?
        .running_cost("state", StateResidual::new(start.clone()), weights)?
        .terminal_cost(
            "end",
            StateResidual::new(start),
            vec![50.0, 50.0, 10.0, 10.0],
        )?
        .input_limits(vec![-15.0], vec![15.0])?;
    let mut options = SolverOptions::default();
    options.max_iterations = 3;
    Ok(Mpc::new(Solver::new(problem, options)?))
}

#[test]
fn a_heavier_pole_is_held_in_spite_of_pushes() -> Outcome {
    let mut mpc = controller(0.04)?;
    let mut heavy = cart_pole()?;
    let mass = heavy.parameter("body/pole/mass")?;
    heavy.set_parameter("body/pole/mass", 1.1 * mass)?;
    let mut plant = Machine::new(&heavy)?;
    let mut start = heavy.initial_state();
    start.q[1] = 0.3;
    let push = |step: usize, state: &mut dualbody::system::State<f64>| {
        if step == 400 {
            state.v[0] += 0.5;
        }
    };
    let run = mpc.run(&mut plant, &start, 1200, 0.02, push, Clone::clone)?;
    assert!(run.failure.is_none(), "{:?}", run.failure);
    assert_eq!(run.reports.len(), 300);
    let end = &run.states[1200];
    assert!(end.q.amax() < 0.02 && end.v.amax() < 0.05, "{end:?}");
    assert!(run.inputs.iter().all(|u| u[0].abs() <= 15.0));
    assert!(run.rate() > 0.0 && run.slowest().as_secs_f64() > 0.0);
    Ok(())
}

#[test]
fn a_plan_is_made_for_when_it_is_there() -> Outcome {
    let mut mpc = controller(0.04)?;
    let mut start = mpc.solver().states()[0].clone();
    start.q[1] = 0.2;
    mpc.plan(0.0, &start)?;
    mpc.plan_ahead(0.0, &start, 0.04)?;
    // The plan begins where the policy has led by then, and when.
    let begin = &mpc.solver().states()[0];
    assert!((begin.q[1] - start.q[1]).abs() > 1e-6);
    assert!((begin.time - 0.04).abs() < 1e-12, "{}", begin.time);
    let error = mpc.plan_ahead(0.1, &start, 0.5).unwrap_err();
    assert!(error.to_string().contains("delay = 0.5"), "{error}");
    Ok(())
}

#[test]
fn a_run_acts_by_the_plan_before_until_the_next_is_there() -> Outcome {
    let mut plant = Machine::new(&cart_pole()?)?;
    let mut start = plant.system().initial_state();
    start.q[1] = 0.2;
    let mut run = |delay: f64| -> Result<_, Box<dyn std::error::Error>> {
        let mut mpc = controller(0.04)?;
        mpc.set_delay(delay)?;
        let first = mpc.act(0.0, &start)?.to_vec();
        let run = mpc.run(&mut plant, &start, 1200, 0.02, |_, _| {}, Clone::clone)?;
        assert!(run.failure.is_none(), "{:?}", run.failure);
        Ok((first, run))
    };
    let (first, at_once) = run(0.0)?;
    assert_ne!(first, at_once.inputs[0]);
    // Where times of plans are not exact multiples of a delay as long as a step of the plan.
    run(0.04)?;
    // As long as there is from one plan to the next: the first is there at the second instant.
    let (first, late) = run(0.02)?;
    assert_eq!(first, late.inputs[0]);
    assert_eq!([at_once.reports.len(), late.reports.len()], [300, 299]);
    for end in [&at_once.states[1200], &late.states[1200]] {
        assert!(end.q.amax() < 0.02 && end.v.amax() < 0.05, "{end:?}");
    }
    let error = controller(0.04)?.set_delay(0.05).unwrap_err();
    assert!(error.to_string().contains("delay = 0.05"), "{error}");
    Ok(())
}

#[test]
fn plans_that_begin_with_a_rollout_have_no_gaps() -> Outcome {
    let gap_after_push = |rolls_out: bool| -> Result<f64, Box<dyn std::error::Error>> {
        let mut mpc = controller(0.04)?;
        mpc.set_rollout(rolls_out);
        let mut state = mpc.solver().states()[0].clone();
        state.q[1] = 0.2;
        mpc.plan(0.0, &state)?;
        state = mpc.solver().states()[1].clone();
        state.v[0] += 0.3;
        mpc.plan(0.04, &state)?;
        Ok(mpc.solver().history()[0].gap)
    };
    assert!((gap_after_push(false)? - 0.3).abs() < 1e-9);
    assert!(gap_after_push(true)? < 1e-12);
    Ok(())
}

const CHANGE: usize = 50;
const STAGES: usize = 25;
const STEP: f64 = 0.04;

/// The cart is to be at one place for two seconds, then at another; a plan reaches one second ahead.
fn between_places(threads: usize) -> Result<Mpc<Machine>, Box<dyn std::error::Error>> {
    let slow = TimeSteppingRigidBodySystem::compliant(cart_pole()?.into_system(), STEP)?;
    let start = slow.initial_state();
    let mut moved = start.clone();
    moved.q[0] = 0.1;
    let references = |k: usize| if k < CHANGE { &start } else { &moved };
    let references: Vec<_> = (0..=CHANGE).map(|k| references(k).clone()).collect();
    let way = || StateResidual::tracking(references.clone());
    let problem = Problem::new(Machine::new(&slow)?, STAGES, start.clone())?
        .running_cost("input", InputResidual::of_size(1), vec![1e-3])?
        .running_cost("way", way()?, vec![1.0, 5.0, 0.1, 0.1])?
        .terminal_cost("end", way()?, vec![50.0, 50.0, 10.0, 10.0])?;
    let mut options = SolverOptions::default();
    options.threads = threads;
    Ok(Mpc::new(Solver::new(problem, options)?))
}

#[test]
fn references_of_stages_stay_where_they_are_in_time() -> Outcome {
    let mut runs = Vec::new();
    for threads in [1, 2] {
        let mut mpc = between_places(threads)?;
        let mut plant = mpc.solver().problem().dynamics().clone();
        let start = mpc.solver().states()[0].clone();
        let run = mpc.run(&mut plant, &start, 200, STEP, |_, _| {}, Clone::clone)?;
        assert!(run.failure.is_none(), "{:?}", run.failure);
        runs.push(run);
    }
    // Nothing is to be done before the end of a plan reaches the second place.
    let waiting = &runs[0].states[..CHANGE - STAGES];
    assert!(waiting.iter().all(|state| state.q.amax() < 1e-6));
    let end = &runs[0].states[200];
    assert!((end.q[0] - 0.1).abs() < 0.01, "{end:?}");
    assert_eq!(runs[0].states, runs[1].states);
    Ok(())
}

/// A period that is shorter than a step of the plant has one plan a step.
#[test]
fn a_step_has_one_plan_at_most() -> Outcome {
    let mut mpc = controller(0.04)?;
    let mut plant = Machine::new(&cart_pole()?)?;
    let mut start = mpc.solver().states()[0].clone();
    start.q[1] = 0.1;
    let run = mpc.run(&mut plant, &start, 20, 1e-4, |_, _| (), Clone::clone)?;
    assert!(run.failure.is_none(), "{:?}", run.failure);
    assert_eq!(run.reports.len(), 20);
    Ok(())
}

#[test]
fn times_that_make_no_sense_are_refused() -> Outcome {
    let mut mpc = controller(0.04)?;
    let start = mpc.solver().states()[0].clone();
    mpc.plan(0.1, &start)?;
    for time in [0.05, f64::NAN, f64::INFINITY] {
        let error = mpc.plan(time, &start).unwrap_err().to_string();
        assert!(error.contains("time of a plan"), "{error}");
    }
    let error = mpc.act(f64::NAN, &start).unwrap_err().to_string();
    assert!(error.contains("time of an input = NaN"), "{error}");
    // It is as before.
    mpc.plan(0.1, &start)?;
    // The last reference counts for ever.
    let mut tracking = between_places(1)?;
    let start = tracking.solver().states()[0].clone();
    tracking.plan(1e300, &start)?;
    Ok(())
}
