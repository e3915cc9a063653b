//! Experiments that cannot be evaluated, input that cannot be accepted, and the bits of parallel
//! fits.

use super::common::{Normal, assert_close, unknown};
use dualbody::identification::{
    Blocks, Consequence, EvaluationError, Experiment, Fit, IdentificationError, LevenbergMarquardt,
    Loss, MultiStart, Noise, Parallelism, Problem, StopReason, Unknown,
};
use dualbody::{DefaultScalar, Scalar};
use std::ops::ControlFlow;

/// The model has no solution at these unknowns.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("no solution at {at}")]
struct NoSolution {
    at: f64,
}

/// `1/p` measured, by a model that has no solution below some `p`, and is broken below another.
#[derive(Clone)]
struct Reciprocal {
    measured: f64,
    no_solution_below: f64,
    not_a_number_below: f64,
}

impl Reciprocal {
    fn of(measured: f64) -> Self {
        Reciprocal {
            measured,
            no_solution_below: f64::NEG_INFINITY,
            not_a_number_below: f64::NEG_INFINITY,
        }
    }
}

impl Experiment for Reciprocal {
    type Error = NoSolution;

    fn residual_count(&self) -> usize {
        2
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), NoSolution> {
        let at = p[0].re();
        if at < self.no_solution_below {
            return Err(NoSolution { at });
        }
        residuals[0] = p[0].recip() - self.measured;
        if at >= self.not_a_number_below {
            residuals[1] = p[0].recip() - self.measured;
        }
        Ok(())
    }
}

/// Takes the whole Gauss–Newton step at first, which goes to −3 from 3.
fn bold() -> LevenbergMarquardt {
    LevenbergMarquardt::new().initial_radius(100.0).unwrap()
}

#[test]
fn an_experiment_that_fails_at_the_start_is_left_out_and_reported() {
    let broken = Reciprocal {
        no_solution_below: 10.0,
        ..Reciprocal::of(77.0)
    };
    let experiments = [Reciprocal::of(0.9), broken, Reciprocal::of(1.1)];
    let problem = Problem::new([unknown("p", 2.0)], &experiments).unwrap();
    let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
    assert_close(fit.estimates[0].value, 1.0, 1e-9);
    assert_eq!(fit.left_out(), [1]);
    assert_eq!((fit.residual_count, fit.experiments.len()), (4, 2));
    assert_eq!(fit.experiments[1].experiment, 2);
    assert_close(fit.cost, 4.0 * 0.5 * 0.01, 1e-9);
    let [failure] = &fit.failures[..] else {
        panic!("{:?}", fit.failures);
    };
    let (iteration, consequence) = (failure.iteration, failure.consequence);
    assert_eq!((iteration, consequence), (0, Consequence::LeftOut));
    let EvaluationError::Failed(error) = &failure.cause else {
        panic!("{failure:?}");
    };
    assert_eq!(error.downcast_ref(), Some(&NoSolution { at: 2.0 }));
    let report = fit.to_string();
    assert!(
        report.contains("left out: experiment 1, no solution at 2"),
        "{report}"
    );
}

/// Errors of several kinds, in a box.
struct Boxed(Reciprocal);

impl Experiment for Boxed {
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn residual_count(&self) -> usize {
        self.0.residual_count()
    }

    fn residuals<T: DefaultScalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        if self.0.measured > 50.0 {
            return Err("measured on another day".into());
        }
        Ok(self.0.residuals(p, residuals)?)
    }
}

#[test]
fn errors_in_boxes_come_out_as_they_are() {
    let broken = Reciprocal {
        no_solution_below: 10.0,
        ..Reciprocal::of(7.0)
    };
    let experiments = [0.9, 77.0, 1.1].map(Reciprocal::of).into_iter();
    let experiments: Vec<Boxed> = experiments.chain([broken]).map(Boxed).collect();
    let problem = Problem::new([unknown("p", 2.0)], &experiments).unwrap();
    let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
    assert_close(fit.estimates[0].value, 1.0, 1e-9);
    assert_eq!(fit.left_out(), [1, 3]);
    let [words, named] = &fit.failures[..] else {
        panic!("{:?}", fit.failures);
    };
    assert_eq!(words.cause.to_string(), "measured on another day");
    let EvaluationError::Failed(error) = &named.cause else {
        panic!("{named:?}");
    };
    assert_eq!(error.downcast_ref(), Some(&NoSolution { at: 2.0 }));
}

#[test]
fn a_step_to_a_failure_is_rejected_like_an_increase() {
    let fragile = Reciprocal {
        no_solution_below: 0.2,
        ..Reciprocal::of(5.0)
    };
    let experiments = [Reciprocal::of(0.1), fragile];
    let problem = Problem::new([unknown("p", 3.0)], &experiments).unwrap();
    let fit = bold().fit(&problem).unwrap();
    // The first step goes far below 0.2, where the first experiment alone costs less than both do
    // at the start.
    let others = problem.residuals(0, &[-10.0]).unwrap().norm_squared();
    assert!(0.5 * others < fit.initial_cost);
    assert!(!fit.iterations[0].accepted);
    assert_eq!(fit.iterations[0].trial_cost, f64::INFINITY);
    assert_eq!(fit.iterations[0].cost, fit.initial_cost);
    let failure = &fit.failures[0];
    assert_eq!((failure.experiment, failure.iteration), (1, 1));
    assert_eq!(failure.consequence, Consequence::StepRejected);
    // It takes part in the fit all the same.
    assert!(fit.left_out().is_empty() && fit.stop.is_converged());
    assert_eq!(fit.experiments.len(), 2);
    assert_close(fit.estimates[0].value, 1.0 / 2.55, 1e-9);
    assert!(
        fit.to_string().contains("experiment 1 failed")
            && fit.to_string().contains("during steps that were not taken"),
        "{fit}"
    );
}

/// `a + b t + c t²` measured for t = 0 … 5, by a model that has no solution from a = 1 on.
struct Edge {
    truth: [f64; 3],
}

impl Experiment for Edge {
    type Error = NoSolution;

    fn residual_count(&self) -> usize {
        6
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), NoSolution> {
        let at = p[0].re();
        if at >= 1.0 {
            return Err(NoSolution { at });
        }
        for (i, r) in residuals.iter_mut().enumerate() {
            let t = i as f64;
            let [a, b, c] = std::array::from_fn(|k| p[k] - self.truth[k]);
            *r = a + b * t + c * (t * t);
        }
        Ok(())
    }
}

fn fit_from_the_edge(truth: [f64; 3]) -> Fit {
    let experiments = [Edge { truth }];
    let unknowns = [
        unknown("a", 1.0 - 1e-8),
        unknown("b", 0.0),
        unknown("c", 0.0),
    ];
    let problem = Problem::new(unknowns, &experiments).unwrap();
    LevenbergMarquardt::new().fit(&problem).unwrap()
}

#[test]
fn a_fit_goes_along_the_edge_of_what_can_be_evaluated() {
    let inside = fit_from_the_edge([0.9999, 3.0, 4.0]);
    assert!(inside.stop.is_converged(), "{inside}");
    assert!(inside.blocking().is_empty());
    for (estimate, truth) in inside.estimates.iter().zip([0.9999, 3.0, 4.0]) {
        assert_close(estimate.value, truth, 1e-9);
    }
    let beyond = fit_from_the_edge([2.0, 3.0, 4.0]);
    assert_eq!(beyond.stop, StopReason::Blocked, "{beyond}");
    assert_eq!(beyond.blocking(), [0]);
    assert!(beyond.to_string().contains("experiment fails"), "{beyond}");
    // With a = 1 the parabola is the best through −1 + (b − 3) t + (c − 4) t²: its coefficients solve
    // Σt² b + Σt³ c = Σt and Σt³ b + Σt⁴ c = Σt², with the sums 55, 225, 979 and 15, 55.
    let determinant = 55.0 * 979.0 - 225.0 * 225.0;
    let b = (15.0 * 979.0 - 225.0 * 55.0) / determinant;
    let c = (55.0 * 55.0 - 225.0 * 15.0) / determinant;
    for (estimate, expected) in beyond.estimates.iter().zip([1.0, 3.0 + b, 4.0 + c]) {
        assert_close(estimate.value, expected, 1e-6);
    }
}

#[test]
fn a_fit_along_the_edge_ends_when_it_is_told_to() {
    let whole = fit_from_the_edge([2.0, 3.0, 4.0]).iterations.len();
    let experiments = [Edge {
        truth: [2.0, 3.0, 4.0],
    }];
    let start = [1.0 - 1e-8, 0.0, 0.0];
    let unknowns = [0, 1, 2].map(|k| unknown(["a", "b", "c"][k], start[k]));
    let problem = Problem::new(unknowns, &experiments).unwrap();
    for last in 1..whole {
        let stopped = LevenbergMarquardt::new().fit_from(&problem, &start, |iteration| {
            if iteration.number == last {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let stopped = stopped.unwrap();
        assert_eq!(stopped.stop, StopReason::Callback, "{last}");
        assert!(stopped.blocking().is_empty());
        let out = LevenbergMarquardt::new().max_iterations(last).fit(&problem);
        assert_eq!(out.unwrap().stop, StopReason::MaxIterations, "{last}");
    }
}

#[test]
fn a_step_to_something_not_a_number_is_rejected() {
    let fragile = Reciprocal {
        not_a_number_below: 0.2,
        ..Reciprocal::of(1.1)
    };
    let problem_experiments = [Reciprocal::of(0.9), fragile];
    let problem = Problem::new([unknown("p", 3.0)], &problem_experiments).unwrap();
    let fit = bold().fit(&problem).unwrap();
    assert_close(fit.estimates[0].value, 1.0, 1e-9);
    let EvaluationError::NotFinite { residual, value } = fit.failures[0].cause else {
        panic!("{:?}", fit.failures[0]);
    };
    assert_eq!((fit.failures[0].experiment, residual), (1, 1));
    assert!(value.is_nan());
}

#[test]
fn a_residual_that_is_not_finite_at_the_start_is_an_error() {
    let not_written = Reciprocal {
        not_a_number_below: 10.0,
        ..Reciprocal::of(1.0)
    };
    let experiments = [Reciprocal::of(1.0), not_written];
    let problem = Problem::new([unknown("p", 3.0)], &experiments).unwrap();
    let error = LevenbergMarquardt::new().fit(&problem).unwrap_err();
    assert_eq!(
        error.to_string(),
        "experiment 1: residual 1 = NaN, expected at most 1e140 in magnitude"
    );
    assert!(matches!(
        problem.residuals(1, &[3.0]).unwrap_err(),
        IdentificationError::Experiment { experiment: 1, .. }
    ));
    let measured = [Reciprocal::of(f64::INFINITY)];
    let problem = Problem::new([unknown("p", 3.0)], &measured).unwrap();
    let error = LevenbergMarquardt::new().fit(&problem).unwrap_err();
    assert_eq!(
        error.to_string(),
        "experiment 0: residual 0 = -inf, expected at most 1e140 in magnitude"
    );
    let measured = [Reciprocal::of(-1e300)];
    let problem = Problem::new([unknown("p", 3.0)], &measured).unwrap();
    let error = LevenbergMarquardt::new().fit(&problem).unwrap_err();
    assert_eq!(
        error.to_string(),
        "experiment 0: residual 0 = 1e300, expected at most 1e140 in magnitude"
    );
}

/// `√p`, which has no derivative at 0.
struct Root;

impl Experiment for Root {
    type Error = NoSolution;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), NoSolution> {
        residuals[0] = num_dual::DualNum::sqrt(&p[0]) - 1.0;
        Ok(())
    }
}

#[test]
fn a_derivative_that_is_not_finite_at_the_start_is_an_error() {
    let problem = Problem::new([unknown("p", 0.0)], &[Root]).unwrap();
    let error = LevenbergMarquardt::new().fit(&problem).unwrap_err();
    let IdentificationError::Experiment { experiment, cause } = error else {
        panic!("{error}");
    };
    let EvaluationError::DerivativeNotFinite {
        residual, unknown, ..
    } = cause
    else {
        panic!("{cause}");
    };
    assert_eq!((experiment, residual, unknown), (0, 0, 0));
}

#[test]
fn nothing_to_learn_from_is_an_error() {
    let none: [Reciprocal; 0] = [];
    let error = Problem::new([unknown("p", 1.0)], &none).unwrap_err();
    assert!(matches!(error, IdentificationError::NoExperiments));
    let broken = Reciprocal {
        no_solution_below: 10.0,
        ..Reciprocal::of(1.0)
    };
    let experiments = [broken.clone(), broken];
    let problem = Problem::new([unknown("p", 1.0)], &experiments).unwrap();
    let error = LevenbergMarquardt::new().fit(&problem).unwrap_err();
    let expected = "all 2 experiments fail at the start; the first: no solution at 1";
    assert_eq!(error.to_string(), expected);
}

/// Residuals of any number, none of which depends on anything.
struct Constant(usize);

impl Experiment for Constant {
    type Error = NoSolution;

    fn residual_count(&self) -> usize {
        self.0
    }

    fn residuals<T: Scalar>(&self, _: &[T], residuals: &mut [T]) -> Result<(), NoSolution> {
        residuals.fill(T::from(1.0));
        Ok(())
    }
}

#[test]
fn experiments_without_residuals_are_an_error_only_if_there_are_no_others() {
    let empty = [Constant(0), Constant(0)];
    let error = Problem::new([unknown("p", 1.0)], &empty).unwrap_err();
    assert!(matches!(error, IdentificationError::NoResiduals));
    let some = [Constant(0), Constant(3), Constant(0)];
    let problem = Problem::new([unknown("p", 1.0)], &some).unwrap();
    for blocks in [Blocks::Residual, Blocks::Experiment, Blocks::Consecutive(3)] {
        let optimizer = LevenbergMarquardt::new().blocks(blocks).unwrap();
        let optimizer = optimizer.loss(Loss::cauchy(1.0).unwrap());
        let fit = optimizer.fit(&problem).unwrap();
        assert_eq!((fit.residual_count, fit.stop), (3, StopReason::Gradient));
        assert_close(fit.cost, 1.5 * 2f64.ln(), 1e-14);
    }
}

#[test]
fn residuals_that_do_not_divide_into_blocks_are_an_error() {
    let experiments = [Constant(6), Constant(4)];
    let problem = Problem::new([unknown("p", 1.0)], &experiments).unwrap();
    let optimizer = LevenbergMarquardt::new()
        .blocks(Blocks::Consecutive(3))
        .unwrap();
    let error = optimizer.fit(&problem).unwrap_err();
    let expected = "experiment 1 has 4 residuals, not a multiple of the block size 3";
    assert_eq!(error.to_string(), expected);
    assert!(
        LevenbergMarquardt::new()
            .blocks(Blocks::Consecutive(0))
            .is_err()
    );
}

#[test]
fn unknowns_that_make_no_sense_are_an_error() {
    let message = |result: Result<Unknown, IdentificationError>| result.unwrap_err().to_string();
    let mass = |initial| Unknown::new("mass", "kg", initial);
    assert_eq!(
        message(mass(f64::NAN)),
        "unknown \"mass\": initial value = NaN, expected a finite number"
    );
    let two = || mass(2.0).unwrap();
    assert!(message(two().bounds(3.0, 4.0)).contains("lower bound = 3"));
    assert!(message(two().bounds(0.0, 1.0)).contains("upper bound = 1"));
    assert!(message(two().bounds(f64::NAN, 3.0)).contains("lower bound = NaN"));
    assert!(message(two().bounds(0.0, f64::NAN)).contains("upper bound = NaN"));
    assert!(message(two().scale(0.0)).contains("scale = 0"));
    assert!(message(two().scale(f64::INFINITY)).contains("scale = inf"));
    assert!(message(two().logarithmic().unwrap().scale(1.0)).contains("logarithmic"));
    assert!(message(two().logarithmic().unwrap().bounds(-1.0, 3.0)).contains("not negative"));
    assert!(message(two().bounds(-1.0, 3.0).unwrap().logarithmic()).contains("not negative"));
    assert!(message(mass(0.0).unwrap().logarithmic()).contains("positive"));
    assert_eq!(two().logarithmic().unwrap().lower(), 0.0);

    let twice = [unknown("p", 1.0), unknown("p", 2.0)];
    let error = Problem::new(twice, &[Constant(1)]).unwrap_err();
    assert_eq!(error.to_string(), "there are two unknowns named \"p\"");
}

#[test]
fn starts_that_make_no_sense_are_an_error() {
    let experiments = [Reciprocal::of(1.0)];
    let bounded = unknown("p", 1.0).bounds(0.5, 2.0).unwrap();
    let problem = Problem::new([bounded], &experiments).unwrap();
    let optimizer = LevenbergMarquardt::new();
    for start in [&[][..], &[1.0, 1.0], &[0.4], &[3.0], &[f64::NAN]] {
        let go_on = |_: &_| std::ops::ControlFlow::Continue(());
        assert!(
            optimizer.fit_from(&problem, start, go_on).is_err(),
            "{start:?}"
        );
    }
    assert!(problem.residuals(1, &[1.0]).is_err());
    assert!(problem.residuals(0, &[1.0, 1.0]).is_err());
    assert!(problem.jacobian(0, &[]).is_err());
    let fit = optimizer.fit(&problem).unwrap();
    assert!(fit.confidence_interval(0, 1.0).is_err());
    assert!(fit.confidence_interval(0, f64::NAN).is_err());
    assert!(fit.confidence_interval(1, 0.9).is_err());
    assert_eq!((fit.covariance(0, 1), fit.correlation(1, 1)), (None, None));
    assert!(Loss::huber(0.0).is_err() && Loss::cauchy(f64::NAN).is_err());
    assert!(Loss::soft_l1(f64::INFINITY).is_err() && MultiStart::new(0).is_err());
}

/// A sum of three exponentials, every tenth measurement an outlier.
struct Exponentials {
    measured: Vec<f64>,
    fails: bool,
}

impl Experiment for Exponentials {
    type Error = NoSolution;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), NoSolution> {
        if self.fails {
            return Err(NoSolution { at: p[0].re() });
        }
        for (i, (r, &y)) in residuals.iter_mut().zip(&self.measured).enumerate() {
            let t = -0.1 * i as f64;
            *r = p[0] * (p[1] * t).exp() + p[2] * (p[3] * t).exp() - y;
        }
        Ok(())
    }
}

/// Everything that a fit computes, as bits.
fn bits(parallelism: Parallelism) -> Vec<u64> {
    let mut random = Normal::new(3);
    // More experiments than one batch, of different sizes.
    let experiments: Vec<_> = (0..150)
        .map(|k| Exponentials {
            measured: (0..10 + 2 * (k % 7))
                .map(|i| {
                    let t = 0.1 * i as f64;
                    let outlier = if i % 10 == 9 { 1.0 } else { 0.0 };
                    2.0 * (-t).exp() + (-3.0 * t).exp() + 0.05 * random.draw() + outlier
                })
                .collect(),
            fails: k % 40 == 7,
        })
        .collect();
    let unknowns = [("a", 1.0), ("k", 0.5), ("b", 2.0), ("l", 5.0)].map(|(n, p)| unknown(n, p));
    let problem = Problem::new(unknowns, &experiments).unwrap();
    let optimizer = LevenbergMarquardt::new()
        .loss(Loss::huber(0.1).unwrap())
        .blocks(Blocks::Consecutive(2))
        .unwrap()
        .noise(Noise::Independent)
        .parallelism(parallelism);
    let fit = optimizer.fit(&problem).unwrap();
    assert!(fit.stop.is_converged());
    assert_eq!(fit.left_out(), [7, 47, 87, 127]);
    let mut numbers = vec![fit.cost, fit.relative_offset];
    numbers.extend(fit.values());
    numbers.extend((0..16).map(|k| fit.covariance(k / 4, k % 4).unwrap()));
    numbers.extend(&fit.determinability.singular_values);
    for i in &fit.iterations {
        numbers.extend([i.cost, i.trial_cost, i.step, i.damping]);
        numbers.extend(&i.values);
    }
    numbers.extend(fit.experiments.iter().flat_map(|e| &e.residuals));
    numbers.into_iter().map(f64::to_bits).collect()
}

#[test]
fn a_fit_is_the_same_bit_for_bit_every_time() {
    assert_eq!(bits(Parallelism::Serial), bits(Parallelism::Serial));
    assert_eq!(bits(Parallelism::default()), bits(Parallelism::Serial));
}

#[test]
fn a_parallel_fit_has_the_bits_of_the_serial_one() {
    let serial = bits(Parallelism::Serial);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        assert_eq!(
            pool.install(|| bits(Parallelism::Threads)),
            serial,
            "{threads} threads"
        );
    }
}

fn assert_comes_back(fit: &dualbody::identification::Fit) {
    let text = serde_json::to_string(fit).unwrap();
    let read: dualbody::identification::Fit = serde_json::from_str(&text).unwrap();
    assert_eq!(format!("{read:?}"), format!("{fit:?}"), "{text}");
}

/// Bounds that are infinite, a step away from 0, an experiment that fails and one that is not a number.
#[test]
fn every_fit_comes_back_from_json() {
    let fit = |unknown: Unknown, experiments: &[Reciprocal]| {
        let problem = Problem::new([unknown], experiments).unwrap();
        bold().fit(&problem).unwrap()
    };
    let steps = fit(
        unknown("p", 3.0),
        &[Reciprocal::of(1.0), Reciprocal::of(1.1)],
    );
    assert!(steps.unknowns[0].upper().is_infinite() && !steps.iterations.is_empty());
    assert_comes_back(&steps);

    let not_a_number = Reciprocal {
        not_a_number_below: 0.2,
        ..Reciprocal::of(1.1)
    };
    let failed = fit(unknown("p", 3.0), &[Reciprocal::of(0.9), not_a_number]);
    assert!(failed.iterations.iter().any(|i| i.trial_cost.is_infinite()));
    assert!(matches!(
        failed.failures[0].cause,
        EvaluationError::NotFinite { value, .. } if value.is_nan()
    ));
    assert_comes_back(&failed);

    let from_zero = Problem::new([unknown("p", 0.0)], &[Tiny]).unwrap();
    let from_zero = LevenbergMarquardt::new().fit(&from_zero).unwrap();
    assert!(from_zero.iterations[0].step.is_infinite());
    assert_comes_back(&from_zero);
}

/// A mean of small numbers.
struct Tiny;

impl Experiment for Tiny {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        4
    }

    fn residuals<T: Scalar>(&self, p: &[T], r: &mut [T]) -> Result<(), Self::Error> {
        for (r, y) in r.iter_mut().zip([1.0, 2.0, 4.0, 3.0]) {
            *r = (p[0] - y) * 1e-130;
        }
        Ok(())
    }
}
