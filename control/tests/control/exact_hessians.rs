//! Second derivatives of steps and residuals, and what a solver makes of them.

use crate::scalar_residual::ScalarResidual;
use crate::scalar_step::ScalarStep;
use crate::scenes::{pendulum, pushed_box, tilted};
use dualbody::system::State;
use dualbody_control::{
    BodyPosition, ByDuals, ContactForce, ControlError, Design, Dynamics, Ending, Ensemble, Hessian,
    InputResidual, Linear, Machine, Point, Problem, Residual, Solver, SolverOptions, StateResidual,
    machines_over,
};
use nalgebra::{DMatrix, Vector3, dmatrix};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The second derivatives of a function of a displacement and the inputs at zero, by central differences.
fn by_differences(size: usize, f: impl Fn(&[f64]) -> Result<f64, ControlError>) -> DMatrix<f64> {
    let h = 2e-4;
    DMatrix::from_fn(size, size, |i, j| {
        let at = |a: f64, b: f64| {
            let mut z = vec![0.0; size];
            z[i] += a * h;
            z[j] += b * h;
            f(&z).unwrap()
        };
        (at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)) / (4.0 * h * h)
    })
}

fn assert_close(found: &DMatrix<f64>, expected: &DMatrix<f64>) {
    let scale = expected.amax();
    assert!(scale > 1e-3, "{expected}");
    let error = (found - expected).amax();
    assert!(error < 1e-4 * (1.0 + scale), "{error}: {found} {expected}");
}

/// Compares the second derivatives of a step with differences.
fn check_step<D: Dynamics>(mut dynamics: D, state: &D::State, input: &[f64]) -> Outcome {
    let (n, m) = (dynamics.num_displacements(), dynamics.num_inputs());
    let covector: Vec<f64> = (0..n).map(|i| (1.0 + i as f64).sin()).collect();
    let mut found = DMatrix::zeros(n + m, n + m);
    dynamics.add_curvature(state, input, &covector, &mut found)?;
    let mut end = state.clone();
    dynamics.step(state, input, &mut end)?;
    let expected = by_differences(n + m, |z| {
        let mut dynamics = dynamics.clone();
        let (mut moved, mut next) = (state.clone(), end.clone());
        dynamics.displace(state, &z[..n], &mut moved)?;
        let input: Vec<f64> = input.iter().zip(&z[n..]).map(|(u, d)| u + d).collect();
        dynamics.step(&moved, &input, &mut next)?;
        let mut difference = vec![0.0; n];
        dynamics.difference(&end, &next, &mut difference)?;
        Ok(difference.iter().zip(&covector).map(|(d, c)| d * c).sum())
    });
    assert_close(&found, &expected);
    Ok(())
}

const INPUT: [f64; 6] = [0.1, 0.2, -0.3, 0.4, -0.5, 0.6];

#[test]
fn second_derivatives_of_steps_agree_with_differences() -> Outcome {
    let system = pendulum()?;
    let mut state = system.initial_state();
    state.q[0] = 0.7;
    state.v[0] = 2.0;
    check_step(Machine::new(&system)?, &state, &[0.3])?;
    // In contact, and turned: displacements are those of a quaternion.
    let system = pushed_box()?;
    let state = tilted(&system, 0.1)?;
    check_step(Machine::new(&system)?, &state, &INPUT)?;
    let design = Design::new(&system, &["box/mass"])?;
    let start = design.state(state);
    check_step(design, &start, &INPUT)?;
    // Members share the inputs.
    let member = |f| ScalarStep::new(f);
    let members = vec![
        member(|x, u| [x + u * u * u, 1.0, 3.0 * u * u, 6.0 * u])?,
        member(|x, u| [x + u.sin(), 1.0, u.cos(), -u.sin()])?,
    ];
    check_step(Ensemble::new(members)?, &vec![vec![0.3], vec![0.1]], &[0.7])
}

/// A pendulum is drawn to where it cannot be, and its weight is not known.
#[test]
fn exact_hessians_of_ensembles_converge_where_those_of_gauss_and_newton_creep() -> Outcome {
    let system = pendulum()?;
    let body = system.tree().body_by_name("bob")?;
    let far = BodyPosition {
        body,
        point: Vector3::new(0.0, 0.0, -0.5),
        target: Vector3::new(5.0, 0.0, 5.0),
    };
    let members = machines_over(&system, &["bob/mass"], &dmatrix![0.01])?;
    let problem = Problem::new(Machine::new(&system)?, 10, system.initial_state())?
        .running_cost("effort", InputResidual::of_size(1), vec![1e-2])?
        .terminal_cost("far", ByDuals::new(&system, far), vec![1.0; 3])?
        .expected_over(members)?;
    let iterations = [Hessian::GaussNewton, Hessian::Exact].map(|hessian| {
        let mut options = SolverOptions::default();
        options.hessian = hessian;
        let mut solver = Solver::new(problem.clone(), options)?;
        let report = solver.solve()?;
        assert_eq!(report.ending, Ending::Converged, "{report:?}");
        Ok::<_, ControlError>(report.iterations)
    });
    let [creeping, exact] = iterations;
    let (creeping, exact) = (creeping?, exact?);
    assert!(2 * exact < creeping, "{exact} {creeping}");
    Ok(())
}

fn at<'a>(machine: &'a Machine, state: &'a State<f64>, input: &'a [f64]) -> Point<'a, Machine> {
    Point {
        dynamics: machine,
        stage: 0,
        moved: 0,
        state,
        input,
    }
}

#[test]
fn second_derivatives_of_residuals_agree_with_differences() -> Outcome {
    let system = pushed_box()?;
    let state = tilted(&system, 0.1)?;
    let body = system.tree().body_by_name("box")?;
    let machine = Machine::new(&system)?;
    let position = BodyPosition {
        body,
        point: Vector3::new(0.1, 0.2, 0.3),
        target: Vector3::zeros(),
    };
    let force = ContactForce {
        body,
        by: None,
        target: Vector3::zeros(),
    };
    let residuals: [Box<dyn Residual<Machine>>; 2] = [
        Box::new(ByDuals::new(&system, position)),
        Box::new(ByDuals::new(&system, force)),
    ];
    for mut residual in residuals {
        let covector = [0.5, -1.0, 2.0];
        let mut found = DMatrix::zeros(18, 18);
        residual.add_curvature(&at(&machine, &state, &INPUT), &covector, &mut found)?;
        let expected = by_differences(18, |z| {
            let mut moved = state.clone();
            machine.displace(&state, &z[..12], &mut moved)?;
            let input: Vec<f64> = INPUT.iter().zip(&z[12..]).map(|(u, d)| u + d).collect();
            let mut value = [0.0; 3];
            let place = at(&machine, &moved, &input);
            residual.clone().evaluate(&place, &mut value)?;
            Ok(value.iter().zip(&covector).map(|(r, c)| r * c).sum())
        });
        assert_close(&found, &expected);
    }
    Ok(())
}

/// `√(1 + (y − 3)²)`, whose half square is a parabola: of the input, or of the state.
fn disguise(y: f64) -> [f64; 3] {
    let r = (1.0 + (y - 3.0) * (y - 3.0)).sqrt();
    let slope = (y - 3.0) / r;
    [r, slope, (1.0 - slope * slope) / r]
}

/// As a step: `x⁺ = √(1 + (u − 3)²)`.
fn disguised_step() -> Result<ScalarStep, ControlError> {
    ScalarStep::new(|_, u| {
        let [next, slope, second] = disguise(u);
        [next, 0.0, slope, second]
    })
}

fn exact() -> SolverOptions {
    let mut options = SolverOptions::default();
    options.hessian = Hessian::Exact;
    options
}

#[test]
fn a_parabola_in_disguise_takes_one_iteration() -> Outcome {
    let plain = Linear::new(dmatrix![0.0], dmatrix![0.0], 1.0)?;
    let of_input = Problem::new(plain, 2, vec![0.0])?.running_cost(
        "disguised",
        ScalarResidual::of_input(disguise),
        vec![2.0],
    )?;
    let of_step = Problem::new(disguised_step()?, 1, vec![0.0])?.terminal_cost(
        "disguised",
        StateResidual::new(vec![0.0]),
        vec![2.0],
    )?;
    let mut solver = Solver::new(of_input, exact())?;
    let report = solver.solve()?;
    assert_eq!((report.ending, report.iterations), (Ending::Converged, 1));
    assert!(
        solver
            .inputs()
            .iter()
            .flatten()
            .all(|u| (u - 3.0).abs() < 1e-12)
    );
    let mut solver = Solver::new(of_step.clone(), exact())?;
    let report = solver.solve()?;
    assert_eq!((report.ending, report.iterations), (Ending::Converged, 1));
    assert!((solver.inputs()[0][0] - 3.0).abs() < 1e-12);
    // Gauss and Newton see a valley without curvature at its bottom.
    let mut solver = Solver::new(of_step, SolverOptions::default())?;
    assert!(solver.solve()?.iterations > 3);
    Ok(())
}

#[test]
fn a_pendulum_that_cannot_reach_its_goal_converges_quadratically() -> Outcome {
    let system = pendulum()?;
    let start = system.initial_state();
    let mut goal = start.clone();
    goal.q[0] = 3.0;
    let mut results = Vec::new();
    let problem = Problem::new(Machine::new(&system)?, 40, start)?
        .running_cost("effort", InputResidual::of_size(1), vec![0.02])?
        .terminal_cost("goal", StateResidual::new(goal), vec![4.0, 0.1])?
        .input_limits(vec![-2.0], vec![2.0])?;
    for (hessian, threads) in [
        (Hessian::GaussNewton, 1),
        (Hessian::Exact, 1),
        (Hessian::Exact, 3),
    ] {
        let mut options = SolverOptions::default();
        options.hessian = hessian;
        options.threads = threads;
        options.tolerance = 1e-13;
        options.max_iterations = 500;
        let mut solver = Solver::new(problem.clone(), options)?;
        let report = solver.solve()?;
        for step in solver.history() {
            assert!(step.merit <= step.merit_before * (1.0 + 1e-12));
        }
        let expected = solver.history().iter().map(|step| step.expected_reduction);
        let expected: Vec<f64> = expected.collect();
        results.push((report, solver.inputs().to_vec(), expected));
    }
    let [gauss_newton, exact, threaded] = &results[..] else {
        unreachable!()
    };
    assert_eq!(exact, threaded);
    assert_eq!(exact.0.ending, Ending::Converged, "{:?}", exact.0);
    assert!((exact.0.cost - gauss_newton.0.cost).abs() < 1e-9 * exact.0.cost);
    assert!(2 * exact.0.iterations < gauss_newton.0.iterations);
    // What is left is about squared.
    let [.., before, after] = exact.2[..] else {
        panic!("{:?}", exact.2)
    };
    assert!(before < 1e-2 && after < before.powf(1.8), "{:?}", exact.2);
    Ok(())
}
