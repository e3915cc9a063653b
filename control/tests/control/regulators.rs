//! Riccati and Lyapunov equations, and regulators of machines.

use crate::scenes::cart_pole;
use dualbody_control::{
    ControlError, LinearQuadratic, Regulator, controllability_gramian, lyapunov_continuous,
    lyapunov_discrete, observability_gramian, regulator_at_rest, steady_estimator,
};
use nalgebra::{DMatrix, DVector, dmatrix};
use serde_json::Value;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn matrix(value: &Value) -> DMatrix<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    DMatrix::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn difference(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (a - b).amax() / b.amax()
}

#[test]
fn solutions_are_those_of_scipy() -> Outcome {
    let file: Value = serde_json::from_str(include_str!("../data/riccati.json"))?;
    let problems = file["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 8);
    for problem in problems {
        let [a, b, q, r, s] = ["a", "b", "q", "r", "s"].map(|name| matrix(&problem[name]));
        let data = LinearQuadratic::new(a, b, q, r)?.with_cross(s)?;
        let discrete = Regulator::discrete(data.clone())?;
        let continuous = Regulator::continuous(data)?;
        let name = &problem["name"];
        let off = difference(&discrete.cost, &matrix(&problem["discrete"]));
        assert!(off < 1e-9, "{name}: discrete off by {off:e}");
        let off = difference(&continuous.cost, &matrix(&problem["continuous"]));
        assert!(off < 1e-8, "{name}: continuous off by {off:e}");
    }
    Ok(())
}

fn example(p: f64) -> LinearQuadratic {
    let a = dmatrix![1.0, 0.1 + 0.02 * p; -0.3 * p, 0.9];
    let b = dmatrix![0.0; 0.1 * (1.0 + p * p)];
    let q = dmatrix![1.0 + p, 0.1; 0.1, 0.5];
    let r = dmatrix![0.2 + 0.3 * p];
    LinearQuadratic::new(a, b, q, r).unwrap()
}

#[test]
fn the_derivative_of_a_solution_agrees_with_differences() -> Outcome {
    let (p, h) = (0.4, 1e-5);
    let (more, less) = (example(p + h), example(p - h));
    let slope = |a: &DMatrix<f64>, b: &DMatrix<f64>| (a - b) / (2.0 * h);
    let change = [
        slope(&more.a, &less.a),
        slope(&more.b, &less.b),
        slope(&more.q, &less.q),
        slope(&more.r, &less.r),
    ];
    for solve in [Regulator::discrete, Regulator::continuous] {
        let derivative = solve(example(p))?.derivative(&change)?;
        let (more, less) = (solve(more.clone())?, solve(less.clone())?);
        assert!(difference(&derivative.cost, &slope(&more.cost, &less.cost)) < 1e-7);
        assert!(difference(&derivative.gain, &slope(&more.gain, &less.gain)) < 1e-7);
    }
    Ok(())
}

#[test]
fn gramians_are_sums_of_powers() -> Outcome {
    let a = dmatrix![0.5, 0.4, 0.0; -0.2, 0.7, 0.1; 0.0, 0.3, -0.6];
    let b = dmatrix![1.0; 0.0; 0.5];
    let c = dmatrix![0.0, 1.0, 2.0];
    let (mut reach, mut seen) = (DMatrix::zeros(3, 3), DMatrix::zeros(3, 3));
    let mut power = DMatrix::identity(3, 3);
    for _ in 0..400 {
        let column = &power * &b;
        reach += &column * column.transpose();
        let row = &c * &power;
        seen += row.tr_mul(&row);
        power = &power * &a;
    }
    assert!(difference(&controllability_gramian(&a, &b)?, &reach) < 1e-13);
    assert!(difference(&observability_gramian(&a, &c)?, &seen) < 1e-13);

    let stable = &a - DMatrix::identity(3, 3) * 1.5;
    let q = DMatrix::identity(3, 3);
    let x = lyapunov_continuous(&stable, &q)?;
    assert!((stable.tr_mul(&x) + &x * &stable + q).amax() < 1e-13);
    Ok(())
}

#[test]
fn what_has_no_solution_is_an_error() {
    // The second mode grows, and no input moves it.
    let a = dmatrix![0.5, 0.0; 0.0, 1.2];
    let b = dmatrix![1.0; 0.0];
    let one = DMatrix::identity(2, 2);
    let r = dmatrix![1.0];
    let problem = LinearQuadratic::new(a.clone(), b, one.clone(), r).unwrap();
    for solve in [Regulator::discrete, Regulator::continuous] {
        let error = solve(problem.clone()).unwrap_err();
        assert!(
            matches!(error, ControlError::NotStabilizable { .. }),
            "{error}"
        );
    }
    let error = Regulator::discrete(problem.clone())
        .unwrap_err()
        .to_string();
    let mode = "no input reaches the mode of A with the eigenvalue 1.200000, mostly entry 1 of the state; ";
    assert!(error.contains(mode), "{error}");
    // The first neither grows nor decays, and has no weight.
    let lasting = dmatrix![1.0, 0.0; 0.0, 0.5];
    let weight = dmatrix![0.0, 0.0; 0.0, 1.0];
    let input = dmatrix![1.0; 1.0];
    let unseen = LinearQuadratic::new(
        lasting.clone(),
        input.clone(),
        weight.clone(),
        dmatrix![1.0],
    );
    let error = unseen
        .and_then(Regulator::discrete)
        .unwrap_err()
        .to_string();
    let mode = "the cost does not see the mode of A with the eigenvalue 1.000000, mostly entry 0 of the state; ";
    assert!(error.contains(mode), "{error}");
    let remedy = "actuate it, give it a weight, or leave out a coordinate that nothing depends on";
    assert!(error.ends_with(remedy), "{error}");
    let error = steady_estimator(&lasting, &weight, &one, &one)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no output sees the mode of A with"),
        "{error}"
    );
    let error = lyapunov_discrete(&a, &one).unwrap_err();
    assert!(error.to_string().contains("1.2"), "{error}");
    let error = LinearQuadratic::new(a.clone(), dmatrix![1.0; 1.0], one.clone(), dmatrix![-1.0])
        .and_then(Regulator::discrete)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("R is not positive definite, its diagonal"),
        "{error}"
    );
    let bad = dmatrix![0.0, f64::NAN; 0.0, 0.0];
    let error = LinearQuadratic::new(a, dmatrix![1.0; 1.0], bad, dmatrix![1.0]).unwrap_err();
    assert!(error.to_string().contains("Q[2] = NaN"), "{error}");
}

#[test]
fn a_pole_on_a_cart_is_held_upright() -> Outcome {
    let system = cart_pole()?;
    let q = DMatrix::from_diagonal(&DVector::from_vec(vec![10.0, 10.0, 1.0, 1.0]));
    let r = dmatrix![0.1];
    let resting = regulator_at_rest(&system, &system.initial_state(), &[0.0], &q, &r)?;
    let mut state = resting.state.clone();
    state.q[1] = 0.2;
    let mut workspace = system.workspace()?;
    let (mut cost, start) = (0.0, system.displacement(&resting.state, &state)?);
    for _ in 0..3000 {
        let x = system.displacement(&resting.state, &state)?;
        let input = resting.regulator.input(x.as_slice())?;
        cost += x.dot(&(&q * &x)) + r[(0, 0)] * input[0] * input[0];
        state = system.step(&mut workspace, &state, &input)?.state().clone();
    }
    assert!(state.q.amax() < 1e-6 && state.v.amax() < 1e-6);
    let expected = start.dot(&(&resting.regulator.cost * &start));
    assert!((cost / expected - 1.0).abs() < 0.1, "{cost} {expected}");
    Ok(())
}

#[test]
fn an_estimator_is_the_dual_of_a_regulator() -> Outcome {
    let a = dmatrix![1.0, 0.1; -0.2, 0.9];
    let c = dmatrix![1.0, 0.0];
    let (w, v) = (dmatrix![0.01, 0.0; 0.0, 0.04], dmatrix![0.1]);
    let estimator = steady_estimator(&a, &c, &w, &v)?;
    // The recursion of the filter, many times.
    let mut p = DMatrix::identity(2, 2);
    for _ in 0..500 {
        let innovation = &c * &p * c.transpose() + &v;
        let gain = &p * c.transpose() * innovation.try_inverse().unwrap();
        let corrected = &p - &gain * &c * &p;
        p = &a * corrected * a.transpose() + &w;
        assert!(gain.iter().all(|x| x.is_finite()));
    }
    assert!(difference(&estimator.covariance, &p) < 1e-12);
    Ok(())
}

#[test]
fn a_growing_mode_that_no_input_reaches_is_named_however_it_is_turned() {
    for k in 1..40 {
        let (sin, cos) = (0.15 * f64::from(k)).sin_cos();
        let turn = dmatrix![cos, -sin, 0.0; sin, cos, 0.0; 0.0, 0.0, 1.0]
            * dmatrix![1.0, 0.0, 0.0; 0.0, cos, -sin; 0.0, sin, cos];
        let a = dmatrix![0.3, 0.7, -0.4; 0.0, 1.3, 0.2; 0.0, -0.5, 1.1];
        let a = &turn * a * turn.transpose();
        let b = &turn * dmatrix![1.0; 0.0; 0.0];
        let problem = LinearQuadratic::new(a, b, DMatrix::identity(3, 3), dmatrix![1.0]);
        let error = problem.and_then(Regulator::discrete).unwrap_err();
        assert!(
            error.to_string().contains("no input reaches"),
            "{k}: {error}"
        );
    }
}

#[test]
fn small_weights_of_states_are_no_less_exact() -> Outcome {
    // x = a + √(a² + q) with unit input and weight.
    for (a, q) in [(1.0, 1e-16), (1.0, 1e-8), (1e4, 1.0), (1e8, 1.0)] {
        let problem = LinearQuadratic::new(dmatrix![a], dmatrix![1.0], dmatrix![q], dmatrix![1.0])?;
        let cost = Regulator::continuous(problem)?.cost[(0, 0)];
        let expected = a + f64::sqrt(a * a + q);
        assert!((cost / expected - 1.0).abs() < 1e-12, "{a} {q}: {cost}");
    }
    Ok(())
}

/// In millimetres beside megametres, a matrix is as stable as before.
#[test]
fn units_of_states_do_not_matter() -> Outcome {
    let a = dmatrix![0.0, 1.0, 0.0, 0.0; -2.0, -0.1, 1.0, 0.0; 0.0, 0.0, 0.0, 1.0; 1.0, 0.0, -3.0, -0.2];
    let q = DMatrix::identity(4, 4);
    let b = dmatrix![0.0; 1.0; 0.0; 0.0];
    let unstable = &a + DMatrix::identity(4, 4) * 0.3;
    let r = dmatrix![1.0];
    let regulate = |a: &DMatrix<f64>, b: &DMatrix<f64>, q: &DMatrix<f64>| {
        let problem = LinearQuadratic::new(a.clone(), b.clone(), q.clone(), r.clone())?;
        Ok::<_, ControlError>(Regulator::continuous(problem)?.cost)
    };
    let plain = [lyapunov_continuous(&a, &q)?, regulate(&unstable, &b, &q)?];
    let units = DVector::from_vec(vec![27, -20, 23, -27]).map(|k| 2f64.powi(k));
    let to = DMatrix::from_diagonal(&units);
    let from = DMatrix::from_diagonal(&units.map(|u| 1.0 / u));
    let (scaled_a, scaled_q) = (&from * &a * &to, &to * &q * &to);
    let scaled = [
        lyapunov_continuous(&scaled_a, &scaled_q)?,
        regulate(&(&from * &unstable * &to), &(&from * &b), &scaled_q)?,
    ];
    for (plain, scaled) in plain.iter().zip(scaled) {
        assert!(difference(&(&from * scaled * &from), plain) < 1e-9);
    }
    Ok(())
}

#[test]
fn a_solution_that_is_too_large_is_not_said_to_be_unstable() {
    let a = dmatrix![0.5, 1e200; 0.0, 0.5];
    let one = DMatrix::identity(2, 2);
    for error in [
        lyapunov_discrete(&a, &one).unwrap_err(),
        lyapunov_continuous(&(&a - &one), &one).unwrap_err(),
    ] {
        let text = error.to_string();
        assert!(text.contains("too large for a number"), "{text}");
    }
}
