//! Plans over several members, against closed forms and a dense solution.

use crate::scenes::pendulum;
use dualbody::Parameters;
use dualbody_control::{
    ControlError, Dynamics, Ending, InputResidual, Linear, Machine, Problem, Solver, SolverOptions,
    StateResidual, machines_over,
};
use nalgebra::{DMatrix, DVector, dmatrix};

type Outcome = Result<(), Box<dyn std::error::Error>>;

const HORIZON: usize = 8;

/// `x⁺ = a x + b u` for one of these.
const MEMBERS: [[f64; 2]; 3] = [[0.9, 1.0], [1.0, 0.7], [1.1, 0.4]];

fn member([a, b]: [f64; 2]) -> Result<Linear, ControlError> {
    Linear::new(dmatrix![a], dmatrix![b], 0.1)
}

fn problem() -> Result<Problem<Linear>, ControlError> {
    let zero = || StateResidual::new(vec![0.0]);
    Problem::new(member(MEMBERS[0])?, HORIZON, vec![2.0])?
        .running_cost("state", zero(), vec![0.3])?
        .running_cost("effort", InputResidual::of_size(1), vec![0.5])?
        .terminal_cost("end", zero(), vec![4.0])
}

fn members() -> Result<Vec<Linear>, ControlError> {
    MEMBERS.into_iter().map(member).collect()
}

#[test]
fn the_mean_cost_is_the_least_of_the_dense_solution() -> Outcome {
    let mut solver = Solver::new(
        problem()?.expected_over(members()?)?,
        SolverOptions::default(),
    )?;
    let report = solver.solve()?;
    assert_eq!((report.ending, report.iterations), (Ending::Converged, 1));
    let (mut hessian, mut right) = (
        DMatrix::identity(HORIZON, HORIZON) * 0.5,
        DVector::zeros(HORIZON),
    );
    let mut constant = 0.0;
    for [a, b] in MEMBERS {
        // xₖ = c + m·u.
        let (mut c, mut m) = (2.0, DVector::zeros(HORIZON));
        for k in 0..=HORIZON {
            let weight = if k == HORIZON { 4.0 } else { 0.3 } / 3.0;
            hessian += &m * m.transpose() * weight;
            right -= &m * (weight * c);
            constant += 0.5 * weight * c * c;
            c *= a;
            m *= a;
            if k < HORIZON {
                m[k] += b;
            }
        }
    }
    let expected = hessian.clone().lu().solve(&right).unwrap();
    let inputs: Vec<f64> = solver.inputs().iter().flatten().copied().collect();
    assert!((DVector::from_vec(inputs) - &expected).amax() < 1e-10);
    let cost = 0.5 * expected.dot(&(hessian * &expected)) - right.dot(&expected) + constant;
    assert!((report.cost - cost).abs() < 1e-10 * cost);

    // The same inputs, without gains, on each of them.
    let mut one = Solver::new(problem()?, SolverOptions::default())?;
    one.set_inputs(solver.inputs())?;
    let costs = one.costs_on(&members()?)?;
    let mean = costs.iter().sum::<f64>() / 3.0;
    assert!((mean - cost).abs() < 1e-10 * cost, "{costs:?} {cost}");
    // With the gains of a plan, they cost less.
    one.solve()?;
    let with_gains = one.costs_on(&members()?)?.iter().sum::<f64>() / 3.0;
    assert!(with_gains < cost, "{with_gains} {cost}");
    assert_eq!(one.problem().dynamics(), &member(MEMBERS[0])?);
    Ok(())
}

#[test]
fn members_start_alike_where_the_start_is_free() -> Outcome {
    // Towards 3 at the end, from anywhere near 2.
    let end = StateResidual::new(vec![3.0]);
    let problem = problem()?.terminal_cost("far", end, vec![8.0])?;
    let infinite = f64::INFINITY;
    for (limits, hold) in [([-infinite, infinite], None), ([-0.1, 0.1], Some(1.9))] {
        let free = problem
            .clone()
            .free_start(vec![limits[0]], vec![limits[1]])?;
        let mut solver = Solver::new(free.expected_over(members()?)?, SolverOptions::default())?;
        // From members that do not start alike, too.
        for moved in [0.0, 1.0] {
            let mut states = solver.states().to_vec();
            (states.iter_mut()).for_each(|members| members[0][0] += moved);
            let inputs = solver.inputs().to_vec();
            solver.set_trajectory(&states, &inputs)?;
            let report = solver.solve()?;
            assert_eq!(report.ending, Ending::Converged, "{report:?}");
            // [x₀; u] by one dense solution.
            let size = 1 + HORIZON;
            let (mut hessian, mut right) =
                (DMatrix::identity(size, size) * 0.5, DVector::zeros(size));
            hessian[(0, 0)] = 0.0;
            for [a, b] in MEMBERS {
                let mut m = DVector::zeros(size);
                m[0] = 1.0;
                for k in 0..=HORIZON {
                    let weight = if k == HORIZON { 12.0 } else { 0.3 } / 3.0;
                    hessian += &m * m.transpose() * weight;
                    if k == HORIZON {
                        right += &m * (8.0 * 3.0 / 3.0);
                    } else {
                        m *= a;
                        m[1 + k] += b;
                    }
                }
            }
            if let Some(start) = hold {
                right -= hessian.column(0) * start;
                hessian.row_mut(0).fill(0.0);
                hessian.column_mut(0).fill(0.0);
                (hessian[(0, 0)], right[0]) = (1.0, start);
            }
            let expected = hessian.lu().solve(&right).unwrap();
            for members in &solver.states()[..1] {
                for x in members {
                    assert!((x[0] - expected[0]).abs() < 1e-9, "{members:?} {expected}");
                }
            }
            for (found, expected) in solver
                .inputs()
                .iter()
                .flatten()
                .zip(expected.iter().skip(1))
            {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
        }
    }
    Ok(())
}

/// Members that start apart fit a goal that none of a common start does.
#[test]
fn a_plan_from_members_that_start_apart_is_none_yet() -> Outcome {
    let members = vec![member([1.0, 1.0])?, member([-1.0, 1.0])?];
    let problem = Problem::new(members[0].clone(), 1, vec![0.0])?
        .running_cost("effort", InputResidual::of_size(1), vec![1.0])?
        .terminal_cost("end", StateResidual::new(vec![0.5]), vec![1.0])?
        .free_start(vec![-1.0], vec![1.0])?
        .expected_over(members)?;
    let states = [vec![vec![0.5], vec![-0.5]], vec![vec![0.5], vec![0.5]]];
    let options = SolverOptions::default();
    let mut solver = Solver::from_trajectory(problem, options, &states, &[vec![0.0]])?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged);
    assert!((report.cost - 0.0625).abs() < 1e-12, "{report:?}");
    assert!((solver.inputs()[0][0] - 0.25).abs() < 1e-9);
    assert!(solver.states()[0].iter().all(|x| x[0].abs() < 1e-9));
    Ok(())
}

#[test]
fn limits_hold_on_all_members() -> Outcome {
    let state = StateResidual::new(vec![0.0]);
    let problem = problem()?.terminal_constraint("near", state, vec![-0.5], vec![0.5])?;
    let mut solver = Solver::new(problem.expected_over(members()?)?, SolverOptions::default())?;
    let report = solver.solve()?;
    assert_eq!(report.ending, Ending::Converged, "{report:?}");
    let ends: Vec<f64> = solver.states()[HORIZON].iter().map(|x| x[0]).collect();
    assert!(ends.iter().all(|x| x.abs() < 0.5 + 1e-5), "{ends:?}");
    assert!(ends.iter().any(|x| x.abs() > 0.5 - 1e-5), "{ends:?}");
    Ok(())
}

#[test]
fn machines_over_a_covariance_have_its_moments() -> Outcome {
    let system = pendulum()?;
    let names = ["bob/mass", "hinge/damping"];
    let covariance = dmatrix![0.04, 1e-4; 1e-4, 1e-6];
    let machines = machines_over(&system, &names, &covariance)?;
    assert_eq!(machines.len(), 4);
    let mut moment = DMatrix::zeros(2, 2);
    let mut mean = DVector::zeros(2);
    for machine in &machines {
        let values = names.map(|name| machine.system().parameter(name));
        let [mass, damping] = values;
        let moved = DVector::from_vec(vec![
            mass? - system.parameter(names[0])?,
            damping? - system.parameter(names[1])?,
        ]);
        mean += &moved / 4.0;
        moment += &moved * moved.transpose() / 4.0;
    }
    assert!(mean.amax() < 1e-15);
    assert!((moment - &covariance).amax() < 1e-12);

    // A swing that is good for all of them is better on average than one that is good for the mean.
    let mut goal = system.initial_state();
    goal.q[0] = 2.0;
    let problem = Problem::new(Machine::new(&system)?, 30, system.initial_state())?
        .running_cost("effort", InputResidual::of_size(1), vec![1e-3])?
        .terminal_cost("goal", StateResidual::new(goal), vec![10.0, 1.0])?;
    let mut one = Solver::new(problem.clone(), SolverOptions::default())?;
    one.solve()?;
    let mut all = Solver::new(
        problem.clone().expected_over(machines.clone())?,
        SolverOptions::default(),
    )?;
    all.set_inputs(one.inputs())?;
    let report = all.solve()?;
    assert_eq!(report.ending, Ending::Converged, "{report:?}");
    let open = |inputs: &[Vec<f64>]| -> Result<f64, ControlError> {
        let mut open = Solver::new(problem.clone(), SolverOptions::default())?;
        open.set_inputs(inputs)?;
        Ok(open.costs_on(&machines)?.iter().sum::<f64>() / 4.0)
    };
    let (of_mean, of_all) = (open(one.inputs())?, open(all.inputs())?);
    assert!((of_all - report.cost).abs() < 1e-9 * of_all);
    assert!(of_all < 0.99 * of_mean, "{of_all} {of_mean}");
    Ok(())
}

#[test]
fn ensembles_that_make_no_sense_are_errors() -> Outcome {
    let error = problem()?.expected_over(Vec::new()).unwrap_err();
    assert!(error.to_string().contains("members"), "{error}");
    let other = Linear::new(DMatrix::identity(2, 2), DMatrix::zeros(2, 1), 0.1)?;
    let error = problem()?.expected_over(vec![other]).unwrap_err();
    assert!(
        error.to_string().contains("displacements of a member"),
        "{error}"
    );
    let system = pendulum()?;
    let over = |name, variance: f64| machines_over(&system, &[name], &dmatrix![variance]);
    assert!(over("bob/mas", 1.0).is_err());
    let error = over("bob/mass", -1.0).unwrap_err();
    assert!(
        matches!(error, ControlError::NotPositiveDefinite { .. }),
        "{error}"
    );
    let error = over("bob/mass", 100.0).unwrap_err();
    assert!(error.to_string().contains("bob/mass"), "{error}");
    assert_eq!(Machine::new(&system)?.num_inputs(), 1);
    Ok(())
}
