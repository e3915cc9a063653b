//! Parameters that are found together with a motion, against closed forms and searches.

use crate::scenes::pushed_box;
use dualbody::Parameters;
use dualbody::contact::ContactModel;
use dualbody::force::JointSpring;
use dualbody::prelude::*;
use dualbody::tree::{BodyIndex, JointKind};
use dualbody_control::{
    ControlError, Design, Dynamics, Ending, InputResidual, MachineDynamics, Problem, Solver,
    SolverOptions, StateResidual,
};
use nalgebra::DMatrix;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A mass of 2 kg that slides up and down, with a spring of `stiffness` N/m and no gravity if that is positive.
fn slider(stiffness: f64, time_step: f64) -> Result<TimeSteppingRigidBodySystem<f64>> {
    let mut tree = RigidBodyTreeBuilder::new();
    if stiffness > 0.0 {
        tree.set_gravity(Vector3::zeros())?;
    }
    let mass = tree.add_body("mass", SpatialInertia::solid_sphere(2.0, 0.1))?;
    let up = JointKind::Prismatic { axis: Vector3::z() };
    let joint = tree.add_joint("up", up, BodyIndex::WORLD, RigidTransform::identity(), mass)?;
    let tree = tree.finish()?;
    let spring = JointSpring::new("spring", &tree, joint, stiffness.max(1.0), 0.0, 0.0)?;
    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), time_step)?;
    Ok(match stiffness > 0.0 {
        true => system.with_forces([spring])?,
        false => system,
    })
}

const HORIZON: usize = 50;

/// From 1 m to −1 m and at rest there, which takes a spring half a period.
fn half_a_period(
    limits: [f64; 2],
) -> std::result::Result<Solver<Design>, Box<dyn std::error::Error>> {
    let system = slider(20.0, 0.01)?;
    let design = Design::new(&system, &["spring/stiffness", "mass/mass"])?;
    let mut start = system.initial_state();
    start.q[0] = 1.0;
    let mut goal = design.state(start.clone());
    goal.machine.q[0] = -1.0;
    let problem = Problem::new(design.clone(), HORIZON, design.state(start))?
        .terminal_cost("end", StateResidual::new(goal), vec![1.0, 0.1, 0.0, 0.0])?
        .parameter_limits(&[("spring/stiffness", limits[0], limits[1])])?;
    Ok(Solver::new(problem, SolverOptions::default())?)
}

/// The cost of a stiffness, by a simulation.
fn cost(stiffness: f64) -> Result<f64> {
    let system = slider(stiffness, 0.01)?;
    let mut start = system.initial_state();
    start.q[0] = 1.0;
    let end = system.rollout(&start, HORIZON)?.last().clone();
    Ok(0.5 * (end.q[0] + 1.0).powi(2) + 0.05 * end.v[0] * end.v[0])
}

#[test]
fn a_spring_is_found_that_swings_in_time() -> Outcome {
    let mut solver = half_a_period([1.0, 1000.0])?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged, "{report:?}");
    let found = solver.states()[0].parameters[0];
    let pi = std::f64::consts::PI;
    let expected = 2.0 * (pi / 0.5) * (pi / 0.5);
    assert!((found / expected - 1.0).abs() < 0.03, "{found} {expected}");
    // No stiffness about it is better.
    let best = cost(found)?;
    assert!((best - report.cost).abs() < 1e-12);
    for change in [-1e-3, 1e-3] {
        assert!(cost(found * (1.0 + change))? > best);
    }
    // What is not free has not changed, and nothing changes on the way.
    for state in solver.states() {
        assert_eq!(state.parameters, [found, 2.0]);
    }
    let system = (solver.problem().dynamics()).system_at(&solver.states()[0])?;
    assert_eq!(system.parameter("spring/stiffness")?, found);

    let mut solver = half_a_period([1.0, 50.0])?;
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    assert_eq!(solver.states()[HORIZON].parameters[0], 50.0);
    Ok(())
}

#[test]
fn limits_of_parameters_do_not_move_with_the_state() -> Outcome {
    let mut solver = half_a_period([1.0, 50.0])?;
    let mut start = solver.problem().initial().clone();
    start.parameters[0] = 40.0;
    solver.set_initial(&start);
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    assert_eq!(solver.states()[HORIZON].parameters[0], 50.0);
    Ok(())
}

/// Those that were given last count, once, whatever else of the start is free, and after a state that is none.
#[test]
fn limits_of_parameters_stay() -> Outcome {
    let given = half_a_period([1.0, 1000.0])?.problem().clone();
    let none = vec![0.0; 4];
    let problem = given
        .parameter_limits(&[("spring/stiffness", 1.0, 50.0)])?
        .free_start(none.clone(), none)?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let mut start = solver.problem().initial().clone();
    start.parameters[0] = 40.0;
    let mut wrong = start.clone();
    wrong.parameters[0] = f64::NAN;
    solver.set_initial(&wrong);
    assert!(solver.solve().is_err());
    solver.set_initial(&start);
    assert_eq!(solver.solve()?.ending, Ending::Converged);
    assert_eq!(solver.states()[HORIZON].parameters[0], 50.0);
    Ok(())
}

/// Of which one does not know how heavy the mass is.
#[test]
fn a_spring_is_found_that_is_good_on_average() -> Outcome {
    let masses = [1.6, 2.4];
    let mut system = slider(20.0, 0.01)?;
    let mut start = system.initial_state();
    start.q[0] = 1.0;
    let mut members = Vec::new();
    for mass in masses {
        system.set_parameter("mass/mass", mass)?;
        members.push(Design::new(&system, &["spring/stiffness"])?);
    }
    let design = members[0].clone();
    let mut goal = design.state(start.clone());
    goal.machine.q[0] = -1.0;
    let problem = Problem::new(design.clone(), HORIZON, design.state(start.clone()))?
        .terminal_cost("end", StateResidual::new(goal), vec![1.0, 0.1, 0.0])?
        .parameter_limits(&[("spring/stiffness", 1.0, 1000.0)])?
        .expected_over(members)?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged, "{report:?}");
    let stiffnesses = [0, 1].map(|member| solver.states()[0][member].parameters[0]);
    assert_eq!(stiffnesses[0], stiffnesses[1]);
    let mut mean = |stiffness: f64| -> Result<f64> {
        let mut sum = 0.0;
        for mass in masses {
            system.set_parameter("mass/mass", mass)?;
            system.set_parameter("spring/stiffness", stiffness)?;
            let end = system.rollout(&start, HORIZON)?.last().clone();
            sum += 0.5 * (end.q[0] + 1.0).powi(2) + 0.05 * end.v[0] * end.v[0];
        }
        Ok(sum / 2.0)
    };
    let best = mean(stiffnesses[0])?;
    assert!((best - report.cost).abs() < 1e-12, "{best} {report:?}");
    for change in [-1e-3, 1e-3] {
        assert!(mean(stiffnesses[0] * (1.0 + change))? > best);
    }
    Ok(())
}

#[test]
fn the_length_of_a_step_is_found_that_falls_to_the_ground() -> Outcome {
    let system = slider(0.0, 0.01)?;
    let design = Design::new(&system, &["time_step"])?;
    let mut start = system.initial_state();
    start.q[0] = 1.0;
    let ground = design.state(system.initial_state());
    let problem = Problem::new(design.clone(), HORIZON, design.state(start))?
        .terminal_cost("ground", StateResidual::new(ground), vec![1.0, 0.0, 0.0])?
        .parameter_limits(&[("time_step", 1e-4, 0.1)])?;
    let mut solver = Solver::new(problem, SolverOptions::default())?;
    let report = solver.solve()?;
    // z = z₀ − g h² N (N + 1)/2.
    let n = HORIZON as f64;
    let expected = (2.0 / (9.81 * n * (n + 1.0))).sqrt();
    let found = solver.states()[0].parameters[0];
    assert!(
        (found - expected).abs() < 1e-6,
        "{report:?} {found} {expected}"
    );
    Ok(())
}

#[test]
fn derivatives_by_parameters_agree_with_differences() -> Outcome {
    let system = pushed_box()?;
    let design = Design::new(&system, &["box/mass", "time_step", "floor/stiffness"])?;
    let state = design.state(crate::scenes::tilted(&system, 0.1)?);
    let input = [0.1, 0.2, -0.3, 0.4, -0.5, 0.6];
    let mut steps = design.clone();
    let (n, m) = (design.num_displacements(), design.num_inputs());
    assert_eq!((n, m), (15, 6));
    let (mut a, mut b) = (DMatrix::zeros(n, n), DMatrix::zeros(n, m));
    let mut next = state.clone();
    steps.linearize(&state, &input, &mut next, &mut a, &mut b)?;
    for j in 0..n {
        let h = 1e-6
            * if j < 12 {
                1.0
            } else {
                state.parameters[j - 12]
            };
        let mut ends = [vec![0.0; n], vec![0.0; n]];
        for (end, change) in ends.iter_mut().zip([h, -h]) {
            let mut displacement = vec![0.0; n];
            displacement[j] = change;
            let (mut moved, mut after) = (state.clone(), next.clone());
            design.displace(&state, &displacement, &mut moved)?;
            steps.step(&moved, &input, &mut after)?;
            design.difference(&next, &after, end)?;
        }
        for i in 0..n {
            let slope = (ends[0][i] - ends[1][i]) / (2.0 * h);
            let scale = a.column(j).amax();
            let error = (slope - a[(i, j)]).abs();
            assert!(
                error < 2e-6 * (1.0 + scale),
                "{i} {j}: {slope} {}",
                a[(i, j)]
            );
        }
    }
    Ok(())
}

#[test]
fn designs_that_make_no_sense_are_errors() -> Outcome {
    let system = slider(20.0, 0.01)?;
    assert!(Design::new(&system, &["spring/stifness"]).is_err());
    let design = Design::new(&system, &["spring/stiffness"])?;
    let start = design.state(system.initial_state());
    let problem = Problem::new(design.clone(), 3, start.clone())?;
    let limits = |limits| problem.clone().parameter_limits(&[limits]).unwrap_err();
    let error = limits(("mass/mass", 1.0, 2.0));
    assert!(error.to_string().contains("mass/mass"), "{error}");
    let error = limits(("spring/stiffness", 2.0, 1.0));
    assert!(matches!(error, ControlError::EmptyBounds { .. }), "{error}");
    let error = limits(("spring/stiffness", f64::NAN, 1.0));
    assert!(matches!(error, ControlError::Invalid(_)), "{error}");

    // A start without parameters.
    let mut without = start.clone();
    without.parameters.clear();
    let error = Problem::new(design.clone(), 3, without)?
        .parameter_limits(&[("spring/stiffness", 1.0, 2.0)])
        .unwrap_err();
    assert!(error.to_string().contains("parameters"), "{error}");

    // A start that the machine rejects.
    let mut wrong = start;
    wrong.parameters[0] = f64::NAN;
    let problem = Problem::new(design, 3, wrong)?.running_cost(
        "effort",
        InputResidual::of_size(0),
        vec![],
    )?;
    let solver = Solver::new(problem, SolverOptions::default());
    assert!(solver.is_err());
    Ok(())
}

#[test]
fn a_parameter_is_no_two_unknowns() -> Outcome {
    let system = slider(20.0, 0.01)?;
    let twice = ["mass/mass", "body/mass/mass"];
    let error = Design::new(&system, &twice).unwrap_err().to_string();
    assert!(error.contains("named \"body/mass/mass\""), "{error}");
    let covariance = DMatrix::identity(2, 2) * 1e-3;
    assert!(dualbody_control::machines_over(&system, &twice, &covariance).is_err());
    Ok(())
}
