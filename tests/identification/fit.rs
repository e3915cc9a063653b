//! Estimation against closed forms, bounds, transforms, and what the data do not determine.

use super::common::{Normal, assert_close, unknown};
use dualbody::autodiff::JacobianChecker;
use dualbody::identification::{
    Bound, Experiment, Fit, Iteration, LevenbergMarquardt, Noise, Problem, Status, StopReason,
    Transform, Unknown, Verdict,
};
use dualbody::parameter::ParameterInfo;
use dualbody::{DefaultScalar, InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use std::convert::Infallible;
use std::ops::ControlFlow;

/// Residuals `A p − b`.
struct Linear {
    a: DMatrix<f64>,
    b: DVector<f64>,
}

impl Experiment for Linear {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.b.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        for (i, r) in residuals.iter_mut().enumerate() {
            *r = T::from(-self.b[i]);
            for (j, &p) in p.iter().enumerate() {
                *r += p * self.a[(i, j)];
            }
        }
        Ok(())
    }
}

/// `y = c exp(−k t)`, with unknowns c and k, at times 0, 0.5, 1, …
struct Decay {
    measured: Vec<f64>,
}

impl Decay {
    fn with_noise() -> Self {
        let noise = [0.02, -0.03, 0.01, 0.0, -0.01, 0.03, -0.02, 0.01];
        let measure = |(i, e): (usize, &f64)| 3.0 * (-0.7 * 0.5 * i as f64).exp() + e;
        Decay {
            measured: noise.iter().enumerate().map(measure).collect(),
        }
    }
}

impl Experiment for Decay {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        for (i, (r, &y)) in residuals.iter_mut().zip(&self.measured).enumerate() {
            *r = p[0] * (p[1] * (-0.5 * i as f64)).exp() - y;
        }
        Ok(())
    }
}

fn fit<X: Experiment>(unknowns: impl Into<Vec<Unknown>>, experiments: &[X]) -> Fit {
    let problem = Problem::new(unknowns, experiments).unwrap();
    LevenbergMarquardt::new().fit(&problem).unwrap()
}

#[test]
fn an_unknown_at_its_bound_has_its_value() {
    for k in 1..200 {
        let bound = -f64::from(k) / 7.0;
        let experiments = [Above];
        let guess = bound - f64::from(k).sqrt();
        let unknown = unknown("p", guess).bounds(2.0 * guess, bound).unwrap();
        let problem = Problem::new([unknown], &experiments).unwrap();
        let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
        assert_eq!(fit.estimates[0].status, Status::AtBound(Bound::Upper));
        assert_eq!(fit.estimates[0].value, bound);
    }
}

/// `p` measured as 1 and 2.
struct Above;

impl Experiment for Above {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        2
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        residuals[0] = p[0] - 1.0;
        residuals[1] = p[0] - 2.0;
        Ok(())
    }
}

#[test]
fn a_straight_line_has_the_textbook_estimates_and_errors() {
    // y = α + β x: β̂ = Sxy/Sxx, var β̂ = s²/Sxx, var α̂ = s² (1/n + x̄²/Sxx), cov = −s² x̄/Sxx.
    let x = [0.0, 1.0, 2.0, 4.0, 7.0, 9.0];
    let y = [1.1, 2.9, 5.2, 8.8, 15.1, 18.9];
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let sxx: f64 = x.iter().map(|x| (x - mean_x).powi(2)).sum();
    let sxy: f64 = (x.iter().zip(&y))
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let slope = sxy / sxx;
    let intercept = mean_y - slope * mean_x;
    let squares: f64 = (x.iter().zip(&y))
        .map(|(x, y)| (y - intercept - slope * x).powi(2))
        .sum();
    let variance = squares / (n - 2.0);

    // Two experiments, so that their triangles are put together.
    let part = |range: std::ops::Range<usize>| Linear {
        a: DMatrix::from_fn(range.len(), 2, |i, j| x[range.start + i].powi(j as i32)),
        b: DVector::from_row_slice(&y[range]),
    };
    let experiments = [part(0..1), part(1..6)];
    let fit = fit([unknown("α", 0.0), unknown("β", 0.0)], &experiments);

    assert_eq!(fit.stop, StopReason::Gradient);
    let names: Vec<&str> = fit.estimates.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["α", "β"]);
    assert!(
        fit.estimates
            .iter()
            .zip(&fit.unknowns)
            .all(|(e, u)| e.unit == u.unit())
    );
    assert_close(fit.estimates[0].value, intercept, 1e-12);
    assert_close(fit.estimates[1].value, slope, 1e-13);
    assert_close(fit.cost, 0.5 * squares, 1e-12);
    assert_close(fit.covariance(1, 1).unwrap(), variance / sxx, 1e-12);
    assert_close(
        fit.covariance(0, 1).unwrap(),
        -variance * mean_x / sxx,
        1e-12,
    );
    let of_intercept = variance * (1.0 / n + mean_x * mean_x / sxx);
    assert_close(fit.covariance(0, 0).unwrap(), of_intercept, 1e-12);
    let error = fit.estimates[0].standard_error.unwrap();
    assert_close(error, of_intercept.sqrt(), 1e-12);
    let correlation = -mean_x / (sxx / n + mean_x * mean_x).sqrt();
    assert_close(fit.correlation(1, 0).unwrap(), correlation, 1e-12);
    assert_close(
        fit.residual_standard_deviation().unwrap(),
        variance.sqrt(),
        1e-12,
    );
    assert_eq!((fit.degrees_of_freedom, fit.residual_count), (Some(4), 6));
    // 95 % quantile of Student's distribution with 4 degrees of freedom.
    let (low, high) = fit.confidence_interval(1, 0.95).unwrap().unwrap();
    assert_close(
        high - low,
        2.0 * 2.776_445_105 * (variance / sxx).sqrt(),
        1e-8,
    );
}

#[test]
fn known_noise_gives_the_covariance_without_estimating_it() {
    let experiments = [Linear {
        a: DMatrix::from_element(4, 1, 2.0),
        b: DVector::from_row_slice(&[1.0, 1.0, 1.0, 1.0]),
    }];
    let problem = Problem::new([unknown("p", 0.0)], &experiments).unwrap();
    let optimizer = LevenbergMarquardt::new();
    let estimated = optimizer.clone().fit(&problem).unwrap();
    assert!(estimated.estimates[0].standard_error.unwrap() < 1e-15);
    let known = optimizer.noise(Noise::Unit).fit(&problem).unwrap();
    assert_close(known.estimates[0].standard_error.unwrap(), 0.25, 1e-14);
    assert_eq!(known.degrees_of_freedom, None);
    let (low, high) = known.confidence_interval(0, 0.95).unwrap().unwrap();
    assert_close(high - low, 0.5 * 1.959_963_985, 1e-7);
}

#[test]
fn exponential_decay_solves_the_normal_equations() {
    let experiments = [Decay::with_noise()];
    let fit = fit([unknown("c", 1.0), unknown("k", 2.0)], &experiments);
    assert!(fit.stop.is_converged());
    // ∂F/∂c = Σ r e = 0 and ∂F/∂k = −Σ r c t e = 0, and the covariance from JᵀJ by hand.
    let (c, k) = (fit.estimates[0].value, fit.estimates[1].value);
    let residuals = &fit.experiments[0].residuals;
    let (mut gradient, mut gram) = ([0.0; 2], [[0.0; 2]; 2]);
    for (i, r) in residuals.iter().enumerate() {
        let t = 0.5 * i as f64;
        let row = [(-k * t).exp(), -c * t * (-k * t).exp()];
        for a in 0..2 {
            gradient[a] += row[a] * r;
            for b in 0..2 {
                gram[a][b] += row[a] * row[b];
            }
        }
    }
    assert!(gradient.iter().all(|g| g.abs() < 1e-11), "{gradient:?}");
    let variance = 2.0 * fit.cost / 6.0;
    let determinant = gram[0][0] * gram[1][1] - gram[0][1].powi(2);
    let errors = [gram[1][1], gram[0][0]].map(|g| (variance * g / determinant).sqrt());
    for (estimate, error) in fit.estimates.iter().zip(errors) {
        assert_close(estimate.standard_error.unwrap(), error, 1e-10);
        assert_eq!(estimate.relative_standard_error, None);
    }
    assert!((c - 3.0).abs() < 0.1 && (k - 0.7).abs() < 0.1);
}

#[test]
fn logarithmic_unknowns_give_the_same_estimates_and_relative_errors() {
    let experiments = [Decay::with_noise()];
    let linear = fit([unknown("c", 1.0), unknown("k", 2.0)], &experiments);
    let logarithmic = |name, initial| unknown(name, initial).logarithmic().unwrap();
    for (c, k) in [(1.0, 2.0), (1e3, 0.02), (1e-3, 5.0)] {
        let fit = fit([logarithmic("c", c), logarithmic("k", k)], &experiments);
        for (a, b) in fit.estimates.iter().zip(&linear.estimates) {
            assert_close(a.value, b.value, 1e-9);
            let error = b.standard_error.unwrap();
            assert_close(a.standard_error.unwrap(), error, 1e-8);
            assert_close(a.relative_standard_error.unwrap(), error / b.value, 1e-8);
        }
        let (low, high) = fit.confidence_interval(1, 0.95).unwrap().unwrap();
        assert_close(low * high, fit.estimates[1].value.powi(2), 1e-12);
    }
}

#[test]
fn units_do_not_matter() {
    // Powers of two, so that scaling is exact and every bit can be compared.
    struct Scaled(Decay, f64);
    impl Experiment for Scaled {
        type Error = Infallible;
        fn residual_count(&self) -> usize {
            self.0.residual_count()
        }
        fn residuals<T: DefaultScalar>(
            &self,
            p: &[T],
            residuals: &mut [T],
        ) -> Result<(), Infallible> {
            self.0.residuals(&[p[0] * self.1, p[1]], residuals)
        }
    }
    let unit = 2f64.powi(40);
    let plain = fit(
        [unknown("c", 1.0), unknown("k", 2.0)],
        &[Decay::with_noise()],
    );
    let experiments = [Scaled(Decay::with_noise(), unit)];
    let scaled = fit([unknown("c", 1.0 / unit), unknown("k", 2.0)], &experiments);
    assert_eq!(plain.iterations.len(), scaled.iterations.len());
    assert_eq!(plain.estimates[0].value, unit * scaled.estimates[0].value);
    assert_eq!(plain.estimates[1], scaled.estimates[1]);
}

#[test]
fn jacobians_of_experiments_are_exact() {
    let experiments = [Decay::with_noise()];
    let problem = Problem::new([unknown("c", 1.0), unknown("k", 2.0)], &experiments).unwrap();
    let p = [1.5, 0.4];
    let jacobian = problem.jacobian(0, &p).unwrap();
    JacobianChecker::default()
        .check(|p| problem.residuals(0, p), &p, &jacobian)
        .unwrap()
        .assert_agrees();
    let row = [(-0.4f64 * 1.5).exp(), -1.5 * 1.5 * (-0.4f64 * 1.5).exp()];
    assert_close(jacobian[(3, 0)], row[0], 1e-15);
    assert_close(jacobian[(3, 1)], row[1], 1e-15);
}

#[test]
fn more_unknowns_than_one_chunk_of_directions() {
    // 19 unknowns take three evaluations; the last has three directions only.
    let n = 19;
    let mut random = Normal::new(1);
    let a = DMatrix::from_fn(40, n, |_, _| random.draw());
    let truth = DVector::from_fn(n, |j, _| j as f64 - 9.0);
    let experiments = [Linear { b: &a * &truth, a }];
    let unknowns: Vec<_> = (0..n).map(|j| unknown(&format!("p{j}"), 1.0)).collect();
    let fit = fit(unknowns, &experiments);
    for (estimate, truth) in fit.estimates.iter().zip(truth.iter()) {
        assert!((estimate.value - truth).abs() < 1e-11);
    }
}

#[test]
fn an_active_bound_is_kept_and_reported() {
    // Without bounds the solution is (1, 2); with p₀ ≤ ½ the other follows by elimination.
    let a = DMatrix::from_row_slice(4, 2, &[1.0, 0.5, 0.2, 1.0, 1.0, 1.0, -0.3, 0.8]);
    let b =
        &a * DVector::from_row_slice(&[1.0, 2.0]) + DVector::from_row_slice(&[0.1, -0.1, 0.0, 0.2]);
    let rest: DVector<f64> = &b - a.column(0) * 0.5;
    let expected = a.column(1).dot(&rest) / a.column(1).norm_squared();
    let misfit: DVector<f64> = rest - a.column(1) * expected;
    let variance = misfit.norm_squared() / 3.0;
    let error = (variance / a.column(1).norm_squared()).sqrt();
    let experiments = [Linear { a, b }];
    let bounded = unknown("p", 0.0).bounds(-1.0, 0.5).unwrap();
    let fit = fit([bounded, unknown("q", 0.0)], &experiments);
    assert!(fit.stop.is_converged());
    assert_eq!(fit.estimates[0].value, 0.5);
    assert_eq!(fit.estimates[0].status, Status::AtBound(Bound::Upper));
    assert_eq!(fit.estimates[0].standard_error, None);
    assert_eq!(fit.correlation(0, 1), None);
    assert_close(fit.estimates[1].value, expected, 1e-12);
    // The other's error is that of a fit with the first fixed at its bound.
    assert_close(fit.estimates[1].standard_error.unwrap(), error, 1e-12);
    assert!(fit.to_string().contains("at its upper bound"), "{fit}");
}

/// Springs side by side, of which the sum is seen, and what each has of it hardly: where noise brings one to zero, another has
/// its part, and nothing of its own.
#[test]
fn what_rests_on_the_bounds_of_others_is_not_determined() {
    let (rows, mut resting) = (60, 0);
    for seed in 0..6 {
        let mut random = dualbody::Random::new(seed);
        let seen = |k: usize, x: f64| x * (1.0 + 1e-5 * (x * k as f64).cos());
        let a = DMatrix::from_fn(rows, 2, |i, k| seen(k, 0.1 * i as f64));
        let noise = DVector::from_fn(rows, |_, _| 1e-3 * random.normal());
        let b = &a * DVector::from_row_slice(&[50.0, 2.0]) + noise;
        let spring = |name, start| unknown(name, start).bounds(0.0, f64::INFINITY).unwrap();
        let fit = fit(
            [spring("left", 52.0), spring("right", 0.0)],
            &[Linear { a, b }],
        );
        let [left, right] = &fit.estimates[..] else {
            panic!("{fit}");
        };
        if right.status != Status::AtBound(Bound::Lower) {
            // Its error says it.
            assert!(
                left.standard_error.is_some_and(|error| error > 1.0),
                "{fit}"
            );
            continue;
        }
        resting += 1;
        assert_eq!(left.status, Status::Undetermined, "{fit}");
        let Some(Verdict::NotDetermined { directions }) = fit.verdict(0) else {
            panic!("{fit}");
        };
        let [of_left, of_right] = &directions[0][..] else {
            panic!("{directions:?}");
        };
        assert!((of_left.change + of_right.change).abs() < 1e-3 * of_left.change.abs());
    }
    assert!((1..6).contains(&resting), "{resting}");
}

/// What the data push far beyond its bound is there for good, and others are as the data say for it there.
#[test]
fn a_bound_that_the_data_ask_for_leaves_others_determined() {
    let rows = 60;
    let a = DMatrix::from_fn(rows, 2, |i, k| {
        let x = 0.1 * i as f64;
        x * (1.0 + 1e-2 * k as f64 * (7.0 * x).cos())
    });
    let noise = DVector::from_fn(rows, |i, _| 1e-6 * (i as f64 * 1.7).sin());
    let b = &a * DVector::from_row_slice(&[30.0, -5.0]) + noise;
    let positive = |name| unknown(name, 1.0).bounds(0.0, f64::INFINITY).unwrap();
    let fit = fit([positive("p"), positive("q")], &[Linear { a, b }]);
    assert_eq!(fit.estimates[1].status, Status::AtBound(Bound::Lower));
    assert_eq!(fit.estimates[0].status, Status::Determined);
}

#[test]
fn an_unknown_leaves_a_bound_that_it_starts_on() {
    let experiments = [Decay::with_noise()];
    let free = fit([unknown("c", 1.0), unknown("k", 2.0)], &experiments);
    let on_bound = unknown("k", 2.0).bounds(0.0, 2.0).unwrap();
    let fit = fit([unknown("c", 1.0), on_bound], &experiments);
    assert_eq!(fit.estimates[1].status, Status::Determined);
    assert_close(fit.estimates[1].value, free.estimates[1].value, 1e-9);
}

#[test]
fn bounds_of_logarithmic_unknowns_hold_to_the_bit() {
    let experiments = [Decay::with_noise()];
    let (lower, upper) = (0.9, 1.7);
    let k = unknown("k", 1.3)
        .bounds(lower, upper)
        .unwrap()
        .logarithmic()
        .unwrap();
    let fit = fit([unknown("c", 1.0), k], &experiments);
    assert_eq!(fit.estimates[1].value, lower);
    assert_eq!(fit.estimates[1].status, Status::AtBound(Bound::Lower));
    assert!(
        fit.iterations
            .iter()
            .all(|i| (lower..=upper).contains(&i.values[1]))
    );
}

proptest! {
    /// A bounded linear problem has one minimum; it is the best of those with every choice of
    /// unknowns fixed at a bound.
    #[test]
    fn bounded_linear_problems_reach_the_constrained_minimum(
        a in prop::collection::vec(-1.0f64..1.0, 18),
        b in prop::collection::vec(-3.0f64..3.0, 6),
    ) {
        let a = DMatrix::from_vec(6, 3, a);
        let b = DVector::from_vec(b);
        prop_assume!(a.clone().svd(false, false).singular_values.min() > 0.05);
        let mut best = f64::INFINITY;
        for choice in 0..27 {
            let digits = [choice % 3, choice / 3 % 3, choice / 9];
            let free: Vec<usize> = (0..3).filter(|&j| digits[j] == 0).collect();
            let mut p = DVector::from_fn(3, |j, _| [0.0, -0.5, 0.5][digits[j]]);
            if !free.is_empty() {
                let columns = a.select_columns(&free);
                let gram = columns.tr_mul(&columns);
                let solution = gram.lu().solve(&columns.tr_mul(&(&b - &a * &p))).unwrap();
                for (&j, &x) in free.iter().zip(solution.iter()) {
                    p[j] = x;
                }
            }
            if p.iter().all(|x| x.abs() <= 0.5 + 1e-12) {
                best = f64::min(best, 0.5 * (&a * &p - &b).norm_squared());
            }
        }
        let unknowns: Vec<_> = (0..3)
            .map(|j| unknown(&format!("p{j}"), 0.1).bounds(-0.5, 0.5).unwrap())
            .collect();
        let fit = fit(unknowns, &[Linear { a, b }]);
        prop_assert!(fit.stop.is_converged(), "{:?}", fit.stop);
        prop_assert!((fit.cost - best).abs() <= 1e-10 * (1.0 + best), "{} {best}", fit.cost);
        prop_assert!(fit.estimates.iter().all(|e| e.value.abs() <= 0.5));
    }
}

/// `y = a b exp(−k t)`: the data know the product of a and b only. The fourth unknown has no effect.
struct Product(Decay);

impl Experiment for Product {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.0.residual_count()
    }

    fn residuals<T: DefaultScalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        self.0.residuals(&[p[0] * p[1], p[2]], residuals)
    }
}

#[test]
fn combinations_that_the_data_do_not_determine_are_named() {
    let experiments = [Product(Decay::with_noise())];
    let reference = fit(
        [unknown("c", 1.0), unknown("k", 2.0)],
        &[Decay::with_noise()],
    );
    for logarithmic in [false, true] {
        let unknowns = [("a", 2.0), ("b", 1.0), ("k", 2.0), ("idle", 5.0)].map(|(name, p)| {
            let unknown = Unknown::new(name, "kg", p).unwrap();
            if logarithmic {
                unknown.logarithmic().unwrap()
            } else {
                unknown
            }
        });
        let fit = fit(unknowns, &experiments);
        assert!(fit.stop.is_converged());
        let status = fit.estimates.iter().map(|e| e.status);
        let (yes, no) = (Status::Determined, Status::Undetermined);
        assert_eq!(status.collect::<Vec<_>>(), [no, no, yes, no]);
        let values = fit.values();
        let (a, b) = (values[0], values[1]);
        assert_close(a * b, reference.estimates[0].value, 1e-9);
        assert_eq!(values[3], 5.0);
        // What is determined has the standard error of the problem without the others.
        let error = reference.estimates[1].standard_error.unwrap();
        // (two more unknowns, but the same rank and degrees of freedom)
        assert_close(fit.estimates[2].standard_error.unwrap(), error, 1e-8);
        assert!(fit.estimates[0].standard_error.is_none());
        // Directions: a and b against each other at a constant product, and the idle one alone.
        let directions = &fit.determinability.undetermined;
        assert_eq!(directions.len(), 2, "{fit}");
        let pair = directions.iter().find(|d| d.changes.len() == 2).unwrap();
        let [(0, da), (1, db)] = pair.changes[..] else {
            panic!("{pair:?}");
        };
        assert!((da * b + db * a).abs() < 1e-9 * (a * b), "{da} {db}");
        let single = directions.iter().find(|d| d.changes.len() == 1).unwrap();
        assert_eq!(single.changes[0].0, 3);
        assert_eq!(fit.determinability.singular_values.len(), 4);
        assert!(fit.determinability.condition_number() > 1e11);
        assert_eq!(fit.determinability.rank(), 2);
        assert!(
            fit.to_string()
                .contains("not determined by the data: idle + "),
            "{fit}"
        );
    }
}

#[test]
fn fewer_residuals_than_unknowns_are_reported_not_refused() {
    let experiments = [Linear {
        a: DMatrix::from_row_slice(1, 2, &[1.0, 1.0]),
        b: DVector::from_element(1, 3.0),
    }];
    let fit = fit([unknown("p", 1.0), unknown("q", 1.0)], &experiments);
    assert_close(fit.values().iter().sum::<f64>(), 3.0, 1e-12);
    assert!(
        fit.estimates
            .iter()
            .all(|e| e.status == Status::Undetermined)
    );
    assert_eq!(fit.residual_standard_deviation(), None);
}

#[test]
fn as_many_residuals_as_unknowns_leave_no_standard_errors() {
    let experiments = [Linear {
        a: DMatrix::identity(2, 2),
        b: DVector::from_row_slice(&[3.0, 4.0]),
    }];
    let fit = fit([unknown("p", 1.0), unknown("q", 1.0)], &experiments);
    assert_close(fit.estimates[1].value, 4.0, 1e-12);
    assert!(fit.estimates.iter().all(|e| e.status == Status::Determined));
    assert!(fit.estimates.iter().all(|e| e.standard_error.is_none()));
}

#[test]
fn no_unknowns_evaluate_the_cost() {
    let experiments = [Linear {
        a: DMatrix::zeros(3, 0),
        b: DVector::from_row_slice(&[1.0, 2.0, 2.0]),
    }];
    let fit = fit([], &experiments);
    assert_eq!(
        (fit.cost, fit.stop, fit.iterations.len()),
        (4.5, StopReason::Gradient, 0)
    );
    assert_eq!(fit.determinability.condition_number(), 1.0);
    assert!(fit.to_string().contains("cost 4.5"), "{fit}");
}

#[test]
fn zero_residuals_are_a_minimum_at_once() {
    let experiments = [Linear {
        a: DMatrix::identity(2, 1),
        b: DVector::from_row_slice(&[3.0, 0.0]),
    }];
    let fit = fit([unknown("p", 3.0)], &experiments);
    assert_eq!(
        (fit.cost, fit.stop, fit.iterations.len()),
        (0.0, StopReason::Gradient, 0)
    );
    assert_eq!(fit.estimates[0].standard_error, Some(0.0));
    assert_eq!(fit.correlation(0, 0), None);
}

#[test]
fn progress_is_reported_and_can_stop_the_fit() {
    let experiments = [Decay::with_noise()];
    let problem = Problem::new([unknown("c", 1.0), unknown("k", 2.0)], &experiments).unwrap();
    let optimizer = LevenbergMarquardt::new();
    let mut seen = Vec::new();
    let fit = optimizer
        .fit_from(&problem, &[1.0, 2.0], |iteration| {
            seen.push(iteration.clone());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(seen, fit.iterations);
    let last = fit.iterations.last().unwrap();
    assert_eq!((last.cost, &last.values), (fit.cost, &fit.values()));
    let costs = [fit.initial_cost]
        .into_iter()
        .chain(seen.iter().map(|i| i.cost));
    assert!(
        costs
            .collect::<Vec<_>>()
            .windows(2)
            .all(|c| c[1] <= c[0] * (1.0 + 1e-12))
    );

    let stopped = optimizer
        .fit_from(&problem, &[1.0, 2.0], |iteration| match iteration.number {
            3 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        })
        .unwrap();
    assert_eq!(
        (stopped.stop, stopped.iterations.len()),
        (StopReason::Callback, 3)
    );
    assert!(!stopped.stop.is_converged());
    // Near the minimum the cost falls by what the linear model expects of a step.
    let mut steps = fit.iterations.windows(2).rev();
    let falls = |pair: &&[Iteration]| pair[1].accepted && pair[0].cost - pair[1].cost > 1e-8;
    let [before, last] = steps.find(falls).unwrap() else {
        panic!();
    };
    let before = before.cost;
    let (fell, expected) = (before - last.cost, last.expected_reduction);
    assert!(
        (fell - expected).abs() < 1e-2 * expected,
        "{fell} {expected}"
    );
    let line = last.to_string();
    let start = format!("step {}: cost ", last.number);
    assert!(
        line.starts_with(&start) && line.ends_with(" less expected"),
        "{line}"
    );
    assert_eq!(stopped.iterations, fit.iterations[..3]);

    let limited = optimizer.clone().max_iterations(3).fit(&problem).unwrap();
    assert_eq!(limited.stop, StopReason::MaxIterations);
    assert_eq!(limited.iterations, fit.iterations[..3]);
    let text = limited.to_string();
    assert!(text.contains("\nwhat to do: allow more steps"), "{text}");
    assert!(!fit.to_string().contains("what to do"), "{fit}");
    let start = optimizer.max_iterations(0).fit(&problem).unwrap();
    assert_eq!(
        (start.cost, start.values()),
        (fit.initial_cost, vec![1.0, 2.0])
    );
}

/// Residuals |p| and 1: the minimum of the cost has a kink.
struct Kink;

impl Experiment for Kink {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        residuals[0] = (p[0] - 0.3).abs_lifted() + 1.0;
        Ok(())
    }
}

#[test]
fn a_kink_at_the_minimum_is_not_called_a_minimum() {
    let fit = fit([unknown("p", 1.0)], &[Kink]);
    assert_eq!(fit.stop, StopReason::NoDescent);
    assert!((fit.estimates[0].value - 0.3).abs() < 1e-9);
    assert!(fit.relative_offset > 0.5);
    assert!(fit.iterations.len() < 100);
}

#[test]
fn an_unknown_takes_over_what_a_model_says_of_its_parameter() {
    let damping = ParameterInfo {
        name: "quadruped/FL_knee/damping".to_owned(),
        unit: "N m s/rad",
        lower: 0.0,
        upper: f64::INFINITY,
        value: 0.2,
    };
    let unknown = Unknown::from_parameter(&damping).unwrap();
    assert_eq!(
        (unknown.name(), unknown.unit()),
        (&*damping.name, damping.unit)
    );
    assert_eq!(
        (unknown.lower(), unknown.upper(), unknown.initial()),
        (0.0, f64::INFINITY, 0.2)
    );
    assert_eq!(unknown.transform(), Transform::Linear { scale: 0.2 });
    let logarithmic = unknown.logarithmic().unwrap();
    assert_eq!(logarithmic.transform(), Transform::Logarithmic);
    let negative = ParameterInfo {
        value: -0.2,
        ..damping
    };
    assert!(Unknown::from_parameter(&negative).is_err());
}

#[test]
fn an_unknown_is_found_by_the_name_of_its_parameter() {
    use dualbody::prelude::*;
    let rubber = ContactMaterial::new(1e5, 0.5, 0.3).unwrap();
    let builder = SystemBuilder::new().floor("floor", rubber);
    let system = builder.fixed("wall", Shape::HalfSpace, RigidTransform::identity(), rubber);
    let system = system.compliant(1e-3).unwrap();
    let full = Unknown::of(&system, "geometry/floor/friction").unwrap();
    let index = system.parameter_index("floor/friction").unwrap();
    let listed = Unknown::from_parameter(&system.parameters()[index]).unwrap();
    assert_eq!(Unknown::of(&system, "floor/friction").unwrap(), full);
    assert_eq!(listed, full);
    let error = |name: &str| Unknown::of(&system, name).unwrap_err().to_string();
    assert_eq!(
        error("floor/frction"),
        "there is no parameter \"floor/frction\", is it \"geometry/floor/friction\"?"
    );
    assert!(
        error("friction")
            .starts_with("\"friction\" may be any of these: geometry/floor/friction, ")
    );
}

#[test]
fn tolerances_are_checked() {
    let optimizer = LevenbergMarquardt::new;
    for bad in [-1e-9, 1.0, f64::NAN] {
        assert!(optimizer().gradient_tolerance(bad).is_err());
        assert!(optimizer().step_tolerance(bad).is_err());
        assert!(optimizer().cost_tolerance(bad).is_err());
        let error = optimizer().rank_tolerance(bad).unwrap_err();
        let InvalidInput::OutOfRange { quantity, .. } = error else {
            panic!("{error}");
        };
        assert_eq!(quantity, "rank tolerance");
    }
    for bad in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(optimizer().initial_radius(bad).is_err());
    }
    assert!(optimizer().gradient_tolerance(0.0).is_ok());
}

#[test]
fn tighter_tolerances_stop_later() {
    let experiments = [Decay::with_noise()];
    let problem = Problem::new([unknown("c", 1.0), unknown("k", 2.0)], &experiments).unwrap();
    let steps = |tolerance: f64| {
        let optimizer = LevenbergMarquardt::new()
            .gradient_tolerance(tolerance)
            .unwrap();
        let fit = optimizer.fit(&problem).unwrap();
        assert_eq!(fit.stop, StopReason::Gradient);
        assert!(fit.relative_offset <= tolerance);
        fit.iterations.len()
    };
    assert!(steps(1e-1) < steps(1e-4) && steps(1e-4) < steps(1e-9));
}

/// `x + 1` and `λ x² + x − 1`, with the minimum at zero, which steps of Gauss and Newton approach by `−λ` each (Dennis &
/// Schnabel 1983, example 10.2.4).
struct LargeResiduals;

impl Experiment for LargeResiduals {
    type Error = InvalidInput;

    fn residual_count(&self) -> usize {
        2
    }

    fn residuals<T: Scalar>(&self, x: &[T], residuals: &mut [T]) -> Result<(), InvalidInput> {
        residuals[0] = x[0] + 1.0;
        residuals[1] = x[0] * x[0] * 0.7 + x[0] - 1.0;
        Ok(())
    }
}

/// Small steps down the slope that is left are no way out of a saddle.
#[test]
fn a_fit_ends_at_the_first_point_within_its_tolerance() {
    let problem = Problem::new([unknown("x", 0.4)], &[LargeResiduals]).unwrap();
    for tolerance in [0.1, 3e-2, 1e-2, 1e-3] {
        let optimizer = LevenbergMarquardt::new().gradient_tolerance(tolerance);
        let fit = optimizer.unwrap().fit(&problem).unwrap();
        let before = fit.iterations.iter().map(|i| i.relative_offset);
        assert!(
            fit.relative_offset <= tolerance && before.clone().all(|offset| offset > tolerance),
            "{tolerance}: {:?}",
            before.collect::<Vec<_>>()
        );
    }
}
