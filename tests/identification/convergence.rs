//! Where a fit ends, and what it may say of the unknowns there.

use super::common::{Normal, assert_close, unknown};
use crate::support::cases::count;
use dualbody::identification::{
    Experiment, Fit, LevenbergMarquardt, LinearExperiment, Loss, Noise, Problem, Status,
    StopReason, Unknown,
};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::DMatrix;

/// Positions of a point thrown up, measured to 1 mm, by a model in which the mass cancels but for
/// round-off.
struct Toss {
    measured: Vec<f64>,
}

impl Toss {
    fn predict<T: Scalar>(mass: T, height: T, velocity: T, t: f64) -> T {
        // Forces over the mass, momentum over the mass.
        let force = mass * -9.81 + mass * 0.37 - mass * 0.29;
        let acceleration = force * mass.recip();
        height + mass * velocity * mass.recip() * t + acceleration * (0.5 * t * t)
    }

    fn new(seed: u64) -> Self {
        let mut random = Normal::new(seed);
        let measured = (0..40)
            .map(|i| Toss::predict(0.37, 1.2, 3.1, 0.01 * f64::from(i)) + 1e-3 * random.draw());
        Toss {
            measured: measured.collect(),
        }
    }
}

impl Experiment for Toss {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        for (i, (r, &y)) in (0..).zip(residuals.iter_mut().zip(&self.measured)) {
            *r = (Toss::predict(p[0], p[1], p[2], 0.01 * f64::from(i)) - y) / T::from(1e-3);
        }
        Ok(())
    }
}

#[test]
fn a_derivative_that_is_round_off_is_no_information() {
    for seed in 0..10 {
        let experiments = [Toss::new(seed)];
        for logarithmic in [false, true] {
            let mass = unknown("mass", 0.41);
            let mass = if logarithmic {
                mass.logarithmic().unwrap()
            } else {
                mass
            };
            let unknowns = [mass, unknown("height", 1.0), unknown("velocity", 2.0)];
            let problem = Problem::new(unknowns, &experiments).unwrap();
            let jacobian = problem.jacobian(0, &[0.41, 1.2, 3.1]).unwrap();
            let lost = jacobian.column(0).norm();
            assert!(0.0 < lost && lost < 1e-9, "{lost:e}");
            let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
            assert!(fit.stop.is_converged(), "{fit}");
            let status = [Status::Undetermined, Status::Determined, Status::Determined];
            for (estimate, status) in fit.estimates.iter().zip(status) {
                assert_eq!(estimate.status, status, "{fit}");
            }
            assert_eq!(fit.estimates[0].value, 0.41);
            let velocity = &fit.estimates[2];
            let error = velocity.standard_error.unwrap();
            // Slope of a straight line through 40 points 0.01 s apart.
            assert_close(
                error,
                fit.residual_standard_deviation().unwrap() * 1e-3 / 0.73,
                0.01,
            );
            assert!((velocity.value - 3.1).abs() < 4.0 * error, "{fit}");
        }
    }
}

/// Test functions of their unknowns.
#[derive(Clone, Copy)]
enum Function {
    /// `e^(p k t)` measured for t = 1 … 10, with a given k and true p.
    Growth { rate: f64, truth: f64 },
    /// Two straight lines `p₀ t`, `p₁ t` with given slopes.
    Lines([f64; 2]),
    /// `a t + b t² + c (t² + part·t)`: c is as good as b and a small part of a.
    Confounded { part: f64 },
    /// `p t − y` next to a constant.
    Constant(f64),
    /// A constant next to p₀, which many residuals hold at 1, and `e^(p₁/2) − 3`, times a factor.
    Misfit { constant: f64, factor: f64 },
    /// Straight lines `p₀ t` and `p₁ t` whose residuals have given sizes.
    Sizes([f64; 2]),
    /// `p₀ t` and `p₁ t` with given slopes, measured to 1.
    Slopes([f64; 2]),
    /// `cos p − ½` and its half.
    Cosine,
    /// `p² − 4` and p: at 0 the Jacobian has full rank, and the cost a maximum.
    Hump,
    /// Interpolation by a polynomial of degree 7 over [1, 2], with exact data.
    Polynomial,
}

impl Function {
    fn fill<T: Scalar>(&self, p: &[T], residuals: &mut [T]) {
        for (i, r) in residuals.iter_mut().enumerate() {
            let t = 1.0 + i as f64;
            // Noise of ±1 that repeats with the period 4.
            let noise = [1.0, -1.0, -1.0, 1.0][i % 4];
            *r = match *self {
                Function::Growth { rate, truth } => {
                    (p[0] * (rate * t)).exp() - (truth * rate * t).exp() + 1e-3 * noise
                }
                Function::Lines(truth) => {
                    let k = i % 2;
                    (p[k] / T::from(truth[k]) - 1.0) * t + 1e-3 * noise
                }
                Function::Confounded { part } => {
                    p[0] * t + (p[1] + p[2]) * (t * t) + p[2] * (part * t)
                        - (3.0 * t + 2.0 * t * t + noise)
                }
                Function::Constant(constant) if i == 0 => T::from(constant),
                Function::Constant(_) => p[0] * t - 2.0 * t + noise,
                Function::Sizes(sizes) => {
                    let k = i % 2;
                    ((p[k] - (2.0 + k as f64)) * t + 1e-2 * noise) * sizes[k]
                }
                Function::Slopes(truth) => {
                    let k = i % 2;
                    (p[k] - truth[k]) * t + noise
                }
                Function::Misfit { constant, factor } => {
                    let misfit = match i {
                        0 => p[0] + constant,
                        1..16 => (p[0] - 1.0) * 1e6,
                        _ => (p[1] * 0.5).exp() - 3.0 + noise,
                    };
                    misfit * factor
                }
                Function::Cosine => (p[0].cos() - 0.5) * t.recip(),
                Function::Hump if i == 0 => p[0] * p[0] - 4.0,
                Function::Hump => p[0],
                Function::Polynomial => {
                    let x = 1.0 + i as f64 / 19.0;
                    let terms = p.iter().rev();
                    let truth = (0..8)
                        .rev()
                        .fold(0.0, |sum, k| sum * x + 1.0 + f64::from(k));
                    terms.fold(T::from(0.0), |sum, &c| sum * x + c) - truth
                }
            };
        }
    }
}

impl Experiment for Function {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        match self {
            Function::Growth { .. } => 10,
            Function::Hump | Function::Cosine => 2,
            _ => 20,
        }
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        self.fill(p, residuals);
        Ok(())
    }
}

fn fit(function: Function, starts: &[f64]) -> Fit {
    let unknowns: Vec<Unknown> = (starts.iter().enumerate())
        .map(|(j, &start)| unknown(&format!("p{j}"), start))
        .collect();
    let experiments = [function];
    let problem = Problem::new(unknowns, &experiments).unwrap();
    LevenbergMarquardt::new().fit(&problem).unwrap()
}

#[test]
fn the_unit_of_an_unknown_does_not_end_a_fit() {
    for truth in [2e-15, 2e-11, 2.0, 2e11] {
        let found = fit(
            Function::Growth {
                rate: 0.5 / truth,
                truth,
            },
            &[0.0],
        );
        assert!(found.stop.is_converged(), "{found}");
        assert_close(found.estimates[0].value, truth, 1e-3);
    }
    let found = fit(Function::Lines([3e-12, 5e12]), &[1e-12, 1e12]);
    assert!(found.stop.is_converged(), "{found}");
    assert_close(found.estimates[0].value, 3e-12, 1e-3);
    assert_close(found.estimates[1].value, 5e12, 1e-3);
}

#[test]
fn robust_straight_lines_end_at_their_minimum() {
    for seed in 0..u64::from(count(2000)) {
        let mut random = Normal::new(seed);
        let heights: Vec<f64> = (0..20)
            .map(|i| {
                let outlier = if i % 7 == 0 { 10.0 } else { 1.0 };
                3.0 + 0.5 * f64::from(i) + outlier * random.draw()
            })
            .collect();
        let experiments = [Heights(heights)];
        let unknowns = [unknown("offset", 0.0), unknown("slope", 1.0)];
        let problem = Problem::new(unknowns, &experiments).unwrap();
        for loss in [Loss::huber(1.345), Loss::cauchy(2.385)] {
            let optimizer = LevenbergMarquardt::new().loss(loss.unwrap());
            let found = optimizer.fit(&problem).unwrap();
            assert!(found.stop.is_converged(), "{seed}: {found}");
        }
    }
}

struct Heights(Vec<f64>);

impl Experiment for Heights {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        self.0.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        for (i, (r, &y)) in (0..).zip(residuals.iter_mut().zip(&self.0)) {
            *r = p[0] + p[1] * f64::from(i) - y;
        }
        Ok(())
    }
}

#[test]
fn however_small_its_part_in_an_undetermined_direction_an_unknown_is_undetermined() {
    for part in [1.0, 1e-3, 1e-6] {
        let found = fit(Function::Confounded { part }, &[1.0, 1.0, 1.0]);
        assert!(found.stop.is_converged(), "{found}");
        for estimate in &found.estimates {
            assert_eq!(estimate.status, Status::Undetermined, "{part}: {found}");
            assert_eq!(estimate.standard_error, None);
        }
        assert_eq!(found.determinability.undetermined[0].changes.len(), 3);
    }
    let found = fit(Function::Confounded { part: 0.0 }, &[1.0, 1.0, 1.0]);
    assert_eq!(found.estimates[0].status, Status::Determined, "{found}");
    assert_eq!(found.estimates[1].status, Status::Undetermined, "{found}");
}

#[test]
fn a_constant_residual_does_not_hide_the_others() {
    let alone = fit(Function::Constant(0.0), &[1.0]).estimates[0].value;
    for constant in [1e5, 1e10, 1e15] {
        let found = fit(Function::Constant(constant), &[1.0]);
        assert!(found.stop.is_converged(), "{found}");
        assert_close(found.estimates[0].value, alone, 1e-9);
    }
}

#[test]
fn a_huge_residual_that_hardly_responds_does_not_end_the_fit_of_the_others() {
    let fit = |noise, constant, factor, start| {
        let experiments = [Function::Misfit { constant, factor }];
        let unknowns = [unknown("p0", 1.0), unknown("p1", start)];
        let problem = Problem::new(unknowns, &experiments).unwrap();
        let fit = LevenbergMarquardt::new()
            .noise(noise)
            .fit(&problem)
            .unwrap();
        assert!(fit.stop.is_converged(), "{constant:e} {start}: {fit}");
        fit.estimates[1].clone()
    };
    for start in [13.0, 30.0, -5.0] {
        for constant in [0.0, 1e6, 5e11] {
            let found = fit(Noise::Unit, constant, 1.0, start);
            // Four residuals with a slope of 3/2.
            assert_close(found.standard_error.unwrap(), 1.0 / 3.0, 1e-6);
            assert!((found.value - 2.0 * 3f64.ln()).abs() < 1e-8, "{found:?}");
            let found = fit(Noise::Independent, constant, 1.0, start);
            assert!((found.value - 2.0 * 3f64.ln()).abs() < 1e-8, "{found:?}");
        }
        // Residuals that are all far larger than the noise is said to be are no reason not to end.
        for factor in [1e-6, 1e3, 1e6, 1e9, 1e12] {
            let found = fit(Noise::Unit, 1.0, factor, start);
            assert!((found.value - 2.0 * 3f64.ln()).abs() < 1e-6, "{found:?}");
        }
    }
}

/// Two huge residuals that respond against each other, beside one that says what the unknown is.
#[test]
fn steps_that_are_damped_are_expected_to_do_less() {
    let regressor = DMatrix::from_column_slice(3, 1, &[1.0, -1.0, 1e4]);
    let measured = [-1e12, -1e12, 3e4];
    let experiments = [LinearExperiment::new(regressor, measured, &[1.0]).unwrap()];
    for start in [1.0, 1e3, -1e6] {
        let problem = Problem::new([unknown("p", start)], &experiments).unwrap();
        let fit = LevenbergMarquardt::new().noise(Noise::Unit).fit(&problem);
        let fit = fit.unwrap();
        assert!(fit.stop.is_converged(), "{fit}");
        assert!((fit.estimates[0].value - 3.0).abs() < 1e-5, "{fit}");
    }
}

#[test]
fn a_mass_that_cancels_is_undetermined_alone_too() {
    for seed in 0..100 {
        let experiments = [Thrown(Toss::new(seed))];
        let mass = unknown("mass", 0.3 + 0.0137 * seed as f64);
        let problem = Problem::new([mass], &experiments).unwrap();
        let found = LevenbergMarquardt::new().fit(&problem).unwrap();
        assert!(found.stop.is_converged(), "{seed}: {found}");
        assert_eq!(found.estimates[0].status, Status::Undetermined, "{found}");
    }
}

/// A [`Toss`] whose start is known.
struct Thrown(Toss);

impl Experiment for Thrown {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        self.0.residual_count()
    }

    fn residuals<T: DefaultScalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        self.0
            .residuals(&[p[0], T::from(1.2), T::from(3.1)], residuals)
    }
}

#[test]
fn large_residuals_do_not_make_round_off_of_the_derivatives_of_small_ones() {
    for size in [1.0, 1e6, 1e12, 1e15, 1e30] {
        let found = fit(Function::Sizes([size, 1.0]), &[1.0, 1.0]);
        assert!(found.stop.is_converged(), "{size:e}: {found}");
        for (estimate, truth) in found.estimates.iter().zip([2.0, 3.0]) {
            assert_eq!(estimate.status, Status::Determined, "{size:e}: {found}");
            assert!(
                size > 1e12 || (estimate.value - truth).abs() < 1e-2,
                "{found}"
            );
        }
    }
}

#[test]
fn an_unknown_may_be_guessed_at_nothing_however_large_it_is() {
    for slope in [1e3, 1e12, 2e12] {
        for start in [0.0, 1.0] {
            let found = fit(Function::Slopes([slope, 3.0]), &[start, 1.0]);
            assert!(found.stop.is_converged(), "{slope:e}: {found}");
            for (estimate, truth) in found.estimates.iter().zip([slope, 3.0]) {
                assert_eq!(estimate.status, Status::Determined, "{slope:e}: {found}");
                assert!((estimate.value - truth).abs() < 1.0, "{slope:e}: {found}");
            }
        }
    }
}

#[test]
fn a_start_at_a_maximum_is_left() {
    let found = fit(Function::Cosine, &[0.0]);
    assert!(found.stop.is_converged(), "{found}");
    assert_close(
        found.estimates[0].value.abs(),
        std::f64::consts::FRAC_PI_3,
        1e-9,
    );
    let found = fit(Function::Hump, &[0.0]);
    assert!(found.stop.is_converged(), "{found}");
    assert_close(found.estimates[0].value.abs(), 3.5f64.sqrt(), 1e-6);
}

#[test]
fn exact_data_of_a_badly_conditioned_model_are_fitted_to_a_minimum() {
    let found = fit(Function::Polynomial, &[0.5; 8]);
    assert!(found.determinability.condition_number() > 1e6);
    assert!(found.stop.is_converged(), "{found}");
    assert!(found.cost < 1e-20, "{found}");
}

#[test]
fn equal_bounds_fix_an_unknown() {
    let experiments = [Function::Confounded { part: 0.0 }];
    let unknowns = || {
        [
            unknown("a", 1.0),
            unknown("b", 1.0),
            unknown("c", 0.25).bounds(0.25, 0.25).unwrap(),
        ]
    };
    let problem = Problem::new(unknowns(), &experiments).unwrap();
    let found = LevenbergMarquardt::new().fit(&problem).unwrap();
    assert!(found.stop.is_converged(), "{found}");
    assert_eq!(found.estimates[2].value, 0.25);
    assert_eq!(found.estimates[2].status, Status::Fixed);
    assert_eq!(found.estimates[2].standard_error, None);
    // The others are those of a fit without it.
    let free = fit(Function::Confounded { part: 0.0 }, &[1.0, 1.0, 0.25]);
    let sum = free.estimates[1].value + free.estimates[2].value;
    assert_eq!(found.estimates[1].status, Status::Determined);
    assert_close(found.estimates[1].value, sum - 0.25, 1e-9);
    assert!(found.to_string().contains("fixed"), "{found}");
}

#[test]
fn a_fit_that_did_not_converge_claims_no_errors() {
    let experiments = [Function::Growth {
        rate: 0.5,
        truth: 1.0,
    }];
    let problem = Problem::new([unknown("p", 5.0)], &experiments).unwrap();
    let fit = |steps| {
        LevenbergMarquardt::new()
            .max_iterations(steps)
            .fit(&problem)
            .unwrap()
    };
    let stopped = fit(2);
    assert_eq!(stopped.stop, StopReason::MaxIterations);
    assert_eq!(stopped.estimates[0].standard_error, None);
    assert_eq!(stopped.covariance(0, 0), None);
    let report = stopped.to_string();
    assert!(
        report.contains("none") && !report.contains("determined"),
        "{report}"
    );
    assert!(fit(100).estimates[0].standard_error.is_some());
}
