//! Stiffness, damping and initial state of a damped oscillator, from noisy measurements.

use super::common::{Normal, assert_close, assert_standard_normal, moments};
use crate::support::cases::tier;
use dualbody::autodiff::JacobianChecker;
use dualbody::identification::{Experiment, Fit, LevenbergMarquardt, Noise, Problem, Unknown};
use dualbody::{DefaultScalar, Scalar};
use std::convert::Infallible;

const MASS: f64 = 2.0;
const SIGMA: f64 = 2e-3;
/// k in N/m, d in N s/m, then position in m and velocity in m/s at the start of each of two runs.
const TRUTH: [f64; 6] = [180.0, 1.6, 0.05, 0.0, -0.02, 0.4];

/// Position of `m ẍ + d ẋ + k x = 0`: with γ = d/2m and ω² = k/m − γ²,
/// `x = e^(−γt) (x₀ cos ωt + (v₀ + γ x₀)/ω sin ωt)`.
fn position<T: Scalar>(k: T, d: T, x0: T, v0: T, t: f64) -> T {
    let gamma = d / (2.0 * MASS);
    let omega = (k / MASS - gamma * gamma).sqrt_lifted();
    let (sin, cos) = (omega * t).sin_cos();
    (gamma * -t).exp() * (x0 * cos + (v0 + gamma * x0) / omega * sin)
}

/// One run: which initial state it has, and measured positions every 20 ms.
struct Run {
    state: usize,
    measured: Vec<f64>,
}

impl Run {
    fn measure(state: usize, random: &mut Normal) -> Self {
        let [k, d] = [TRUTH[0], TRUTH[1]];
        let [x0, v0] = [TRUTH[2 + 2 * state], TRUTH[3 + 2 * state]];
        let sample = |i: usize| position(k, d, x0, v0, 0.02 * i as f64) + SIGMA * random.draw();
        Run {
            state,
            measured: (0..60).map(sample).collect(),
        }
    }
}

impl Experiment for Run {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        let [x0, v0] = [p[2 + 2 * self.state], p[3 + 2 * self.state]];
        for (i, (r, &y)) in residuals.iter_mut().zip(&self.measured).enumerate() {
            *r = (position(p[0], p[1], x0, v0, 0.02 * i as f64) - y) / T::from(SIGMA);
        }
        Ok(())
    }
}

fn unknowns() -> Vec<Unknown> {
    let unknown = |name: &str, unit: &str, initial| Unknown::new(name, unit, initial).unwrap();
    let length = |name: &str| unknown(name, "m", 0.0).scale(0.05).unwrap();
    let velocity = |name: &str| unknown(name, "m/s", 0.0).scale(0.5).unwrap();
    vec![
        unknown("k", "N/m", 120.0)
            .bounds(10.0, 1e4)
            .unwrap()
            .logarithmic()
            .unwrap(),
        unknown("d", "N s/m", 5.0)
            .bounds(0.01, 20.0)
            .unwrap()
            .logarithmic()
            .unwrap(),
        length("run 0/x"),
        velocity("run 0/v"),
        length("run 1/x"),
        velocity("run 1/v"),
    ]
}

fn fit(noise: Noise, random: &mut Normal) -> Fit {
    let runs = [Run::measure(0, random), Run::measure(1, random)];
    let problem = Problem::new(unknowns(), &runs).unwrap();
    let fit = LevenbergMarquardt::new()
        .noise(noise)
        .fit(&problem)
        .unwrap();
    assert!(fit.stop.is_converged(), "{fit}");
    fit
}

#[test]
fn exact_measurements_give_the_exact_unknowns() {
    let exact = |state: usize| Run {
        state,
        measured: (0..60)
            .map(|i| {
                let [x0, v0] = [TRUTH[2 + 2 * state], TRUTH[3 + 2 * state]];
                position(TRUTH[0], TRUTH[1], x0, v0, 0.02 * i as f64)
            })
            .collect(),
    };
    let runs = [exact(0), exact(1)];
    let problem = Problem::new(unknowns(), &runs).unwrap();
    let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
    for (estimate, truth) in fit.estimates.iter().zip(TRUTH) {
        assert!(
            (estimate.value - truth).abs() < 1e-10 * (1.0 + truth),
            "{fit}"
        );
    }
    assert!(
        fit.stop.is_converged() && fit.iterations.len() < 25,
        "{fit}"
    );
}

#[test]
fn the_jacobian_is_exact() {
    let runs = [
        Run::measure(0, &mut Normal::new(1)),
        Run::measure(1, &mut Normal::new(2)),
    ];
    let problem = Problem::new(unknowns(), &runs).unwrap();
    let jacobian = problem.jacobian(1, &TRUTH).unwrap();
    JacobianChecker::default()
        .scales([100.0, 1.0, 0.1, 1.0, 0.1, 1.0])
        .tolerance(1e-6, 1e-6)
        .check(|p| problem.residuals(1, p), &TRUTH, &jacobian)
        .unwrap()
        .assert_agrees();
    assert!(
        jacobian.columns(2, 2).amax() == 0.0,
        "the other run's state has no effect"
    );
}

#[test]
fn standard_errors_are_those_of_repeated_draws() {
    let (mut random, draws) = (Normal::new(42), tier(200, 800));
    for noise in [Noise::Estimated, Noise::Unit] {
        let fits: Vec<Fit> = (0..draws).map(|_| fit(noise, &mut random)).collect();
        for (j, truth) in TRUTH.into_iter().enumerate() {
            let score = |fit: &Fit| {
                let estimate = &fit.estimates[j];
                (estimate.value - truth) / estimate.standard_error.unwrap()
            };
            let scores: Vec<f64> = fits.iter().map(score).collect();
            assert_standard_normal(&scores);
        }
        // Correlation of stiffness and damping, by the draws and by the fits.
        let values = |j: usize| {
            fits.iter()
                .map(|f| f.estimates[j].value)
                .collect::<Vec<_>>()
        };
        let (d, v) = (values(1), values(3));
        let ((mean_d, sd), (mean_v, sv)) = (moments(&d), moments(&v));
        let covariance: f64 = d
            .iter()
            .zip(&v)
            .map(|(d, v)| (d - mean_d) * (v - mean_v))
            .sum();
        let drawn = covariance / (f64::from(draws - 1) * sd * sv);
        let claimed = fits[0].correlation(1, 3).unwrap();
        assert!(
            (drawn - claimed).abs() < 4.0 / f64::from(draws).sqrt(),
            "{drawn} {claimed}"
        );
        let sigma: Vec<f64> = fits
            .iter()
            .map(|f| f.residual_standard_deviation().unwrap())
            .collect();
        assert_close(moments(&sigma).0, 1.0, 0.28 / f64::from(draws).sqrt());
    }
}

#[test]
fn confidence_intervals_of_few_measurements_cover_the_truth_as_often_as_they_say() {
    // Four positions and two unknowns leave two degrees of freedom, for which a normal interval
    // would cover 81 % instead of 95 %.
    let mut random = Normal::new(7);
    let draws = 2000;
    let mut covered = [0; 2];
    for _ in 0..draws {
        let mut run = Run::measure(0, &mut random);
        run.measured.truncate(4);
        let problem_unknowns = [("x", 0.05), ("v", 0.0)]
            .map(|(name, initial)| Unknown::new(name, "1", initial).unwrap());
        let runs = [KnownSpring(run)];
        let problem = Problem::new(problem_unknowns, &runs).unwrap();
        let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
        for (j, covered) in covered.iter_mut().enumerate() {
            let (low, high) = fit.confidence_interval(j, 0.95).unwrap().unwrap();
            if (low..=high).contains(&TRUTH[2 + j]) {
                *covered += 1;
            }
        }
    }
    let expected = 0.95 * draws as f64;
    let spread = (0.95f64 * 0.05 * draws as f64).sqrt();
    for count in covered {
        assert!(
            (count as f64 - expected).abs() < 4.0 * spread,
            "{count} of {draws}"
        );
    }
}

/// A run of which only the initial state is unknown.
struct KnownSpring(Run);

impl Experiment for KnownSpring {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.0.residual_count()
    }

    fn residuals<T: DefaultScalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        let known = [TRUTH[0], TRUTH[1]].map(T::from);
        self.0
            .residuals(&[known[0], known[1], p[0], p[1]], residuals)
    }
}

#[test]
fn the_report_reads_as_a_table() {
    let report = fit(Noise::Estimated, &mut Normal::new(4)).to_string();
    let line = |name: &str| report.lines().find(|l| l.starts_with(name)).unwrap();
    assert!(line("k ").contains("N/m (± 0."), "{report}");
    assert!(line("run 1/v").ends_with("m/s"), "{report}");
    assert!(
        line("cost").contains("residuals: 120, experiments: 2"),
        "{report}"
    );
    assert!(line("at a minimum").contains("steps: "), "{report}");
    println!("{report}");
}
