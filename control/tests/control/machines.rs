//! Plans of machines in contact.

use crate::scenes::pushed_box;
use dualbody_control::{
    Dynamics, InputResidual, Machine, Problem, Solver, SolverOptions, StateResidual,
    TimeVaryingRegulator,
};
use nalgebra::{DMatrix, DVector};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const WEIGHTS: [f64; 12] = [
    0.1, 0.1, 0.1, 1.0, 1.0, 0.1, 0.01, 0.01, 0.01, 0.1, 0.1, 0.1,
];

#[test]
fn a_box_slides_to_its_place_and_turns() -> Outcome {
    let system = pushed_box()?;
    let mut start = system.initial_state();
    let rest = 0.05 - 9.81 / (4.0 * 1e3);
    system.set_body_position(&mut start, "box", nalgebra::Vector3::new(0.0, 0.0, rest))?;
    let start = system.rollout(&start, 100)?.last().clone();
    let mut goal = start.clone();
    let turn = dualbody::math::rotation::exp(&nalgebra::Vector3::new(0.0, 0.0, 0.6));
    let mut pose = system.body_pose(&start, "box")?;
    pose.rotation = turn * pose.rotation;
    pose.translation.x += 0.2;
    system.set_body_pose(&mut goal, "box", &pose)?;
    let horizon = 60;
    let end: Vec<f64> = WEIGHTS.iter().map(|w| 1e3 * w).collect();
    let problem = Problem::new(Machine::new(&system)?, horizon, start)?
        .running_cost("input", InputResidual::of_size(6), vec![1e-3; 6])?
        .running_cost("state", StateResidual::new(goal.clone()), WEIGHTS.to_vec())?
        .terminal_cost("end", StateResidual::new(goal.clone()), end.clone())?;
    let mut options = SolverOptions::default();
    options.max_iterations = 200;
    let mut solver = Solver::new(problem, options)?;
    let before = solver.solve_with(&mut |_| std::ops::ControlFlow::Break(()))?;
    let report = solver.solve()?;
    assert!(report.cost < before.cost, "{report:?}");
    for step in solver.history() {
        assert!(step.merit <= step.merit_before * (1.0 + 1e-12));
    }
    let machine = solver.problem().dynamics().clone();
    let mut left = vec![0.0; 12];
    machine.difference(&goal, &solver.states()[horizon], &mut left)?;
    assert!(
        left[..6].iter().all(|d| d.abs() < 0.02),
        "{report:?} {left:?}"
    );

    // Its page shows everything that a plan has.
    let page = solver.scene(solver.history())?.html();
    for text in [
        "Inputs and their limits",
        "Contacts",
        "iterations",
        "at 0.12 s",
        "at 0.60 s",
        "Normal forces",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert!(!page.contains("\"Inputs\""));

    // At convergence gains are those of the regulator along the plan, where no residual is curved.
    if report.ending == dualbody_control::Ending::Converged {
        let regulator = TimeVaryingRegulator::along(
            &mut machine.clone(),
            solver.states(),
            solver.inputs(),
            &DMatrix::from_diagonal(&DVector::from_column_slice(&WEIGHTS)),
            &(DMatrix::identity(6, 6) * 1e-3),
            DMatrix::from_diagonal(&DVector::from_column_slice(&end)),
        )?;
        let last = horizon - 1;
        let gain = solver.gain(last).unwrap();
        assert!((gain + &regulator.gains[last]).amax() < 0.05 * gain.amax());
    }
    Ok(())
}
