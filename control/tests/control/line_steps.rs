//! Steps along the straight line to the solution of the model.

use dualbody::actuator::TorqueSource;
use dualbody::contact::ContactModel;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody_control::{
    Ending, GapClosing, InputResidual, Machine, Problem, Solver, SolverOptions, StateResidual,
};
use nalgebra::Vector3;

type Failure = Box<dyn std::error::Error>;

const STAGES: usize = 40;

/// A pendulum of 1 kg and 0.5 m that swings up in 2 s, from states on the straight line to the top and zero inputs.
fn swing_up(gap_closing: GapClosing, max_iterations: usize) -> Result<Solver<Machine>, Failure> {
    swing_up_from(|k| k as f64 / STAGES as f64, gap_closing, max_iterations)
}

/// The same from states that are as far on the way as a function of their number says.
fn swing_up_from(
    part: impl Fn(usize) -> f64,
    gap_closing: GapClosing,
    max_iterations: usize,
) -> Result<Solver<Machine>, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::point_mass(1.0, Vector3::new(0.0, 0.0, -0.5));
    let bob = tree.add_body("bob", inertia)?;
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let here = RigidTransform::identity();
    let hinge = tree.add_joint("hinge", hinge, BodyIndex::WORLD, here, bob)?;
    let tree = tree.finish()?;
    let motor = TorqueSource::new("motor", &tree, hinge, 1.0, None)?;
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.05)?
        .with_actuators([motor])?;
    let start = system.initial_state();
    let at = |part: f64| {
        let mut state = start.clone();
        state.q[0] = part * std::f64::consts::PI;
        state
    };
    let states: Vec<State<f64>> = (0..=STAGES).map(|k| at(part(k))).collect();
    let problem = Problem::new(Machine::new(&system)?, STAGES, start.clone())?
        .running_cost("effort", InputResidual::of_size(1), vec![1e-2])?
        .running_cost(
            "guess",
            StateResidual::tracking(states.clone())?,
            vec![0.1, 0.0],
        )?
        .terminal_cost("end", StateResidual::new(at(1.0)), vec![100.0, 10.0])?;
    let mut options = SolverOptions::default();
    options.gap_closing = gap_closing;
    options.max_iterations = max_iterations;
    Ok(Solver::from_trajectory(
        problem,
        options,
        &states,
        &vec![vec![0.0]; STAGES],
    )?)
}

/// Whatever clocks the states had that a plan begins with.
#[test]
fn clocks_go_on_from_the_start() -> Result<(), Failure> {
    for gap_closing in [GapClosing::Line, GapClosing::Rollout] {
        let mut solver = swing_up(gap_closing, 2)?;
        let mut start = solver.problem().initial().clone();
        start.time = 3.0;
        solver.set_initial(&start);
        solver.solve()?;
        for (k, state) in solver.states().iter().enumerate() {
            assert!(
                (state.time - (3.0 + 0.05 * k as f64)).abs() < 1e-9,
                "{k} {}",
                state.time
            );
        }
    }
    Ok(())
}

#[test]
fn costs_of_states_and_inputs_come_out_as_the_model_says() -> Result<(), Failure> {
    let mut solver = swing_up(GapClosing::Line, 1)?;
    let report = solver.solve()?;
    let first = solver.history()[0];
    assert_eq!(first.step, 1.0);
    let predicted = first.merit_before - first.expected_reduction;
    assert!(
        (first.cost - predicted).abs() < 1e-9 * first.cost,
        "{first:?}"
    );
    // The dynamics are not linear: a gap is left, and it is the one that is reported.
    assert!(report.gap > 1e-6 && report.gap < first.gap, "{report:?}");
    let expected = report.gap;
    let mut options = *solver.options();
    options.max_iterations = 0;
    solver.set_options(options)?;
    assert!((solver.solve()?.gap - expected).abs() < 1e-12);
    Ok(())
}

#[test]
fn they_close_all_gaps_and_end_where_rollouts_do() -> Result<(), Failure> {
    let mut costs = Vec::new();
    for gap_closing in [GapClosing::Line, GapClosing::Rollout] {
        let mut solver = swing_up(gap_closing, 100)?;
        let report = solver.solve()?;
        assert_eq!(report.ending, Ending::Converged);
        assert!(report.gap <= solver.options().gap_tolerance);
        assert!((solver.states()[STAGES].q[0] - std::f64::consts::PI).abs() < 0.1);
        for iteration in solver.history() {
            assert!(
                iteration.merit <= iteration.merit_before + 1e-12,
                "{iteration:?}"
            );
        }
        costs.push(report.cost);
    }
    assert!((costs[0] / costs[1] - 1.0).abs() < 1e-6, "{costs:?}");
    Ok(())
}

/// Where it hangs at rest but for a small gap, the cost alone would have a line make larger ones.
#[test]
fn gaps_grow_no_more_than_allowed() -> Result<(), Failure> {
    let nearly_at_rest = |k| if k == STAGES / 2 { 1e-4 } else { 0.0 };
    for (growth, grow) in [(f64::INFINITY, true), (1.0, false)] {
        let mut solver = swing_up_from(nearly_at_rest, GapClosing::Line, 1)?;
        let mut options = *solver.options();
        options.gap_growth = growth;
        solver.set_options(options)?;
        let report = solver.solve()?;
        let first = solver.history()[0];
        assert!(first.step > 0.0 && first.cost < first.merit_before);
        let (before, after) = (first.gap, report.gap);
        assert_eq!(after > 10.0 * before, grow, "{growth}: {before} {after}");
        assert!(grow || after <= before, "{before} {after}");
    }
    Ok(())
}
