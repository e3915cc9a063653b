//! How often intervals hold the truth, over many seeds. `docs/RELIABILITY.md` says how it is run.

use crate::common::{Normal, moments, unknown};
use dualbody::Scalar;
use dualbody::identification::{Experiment, LevenbergMarquardt, Loss, Problem};
use std::convert::Infallible;

/// Fits of each kind: `DUALBODY_FITS`, or 400.
fn fits() -> u64 {
    let given = std::env::var("DUALBODY_FITS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(400)
}

/// Signals of several channels, that take turns, about one straight line.
struct Channels(Vec<f64>);

impl Experiment for Channels {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.0.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        let count = self.0.len() as f64;
        for (i, (r, &y)) in residuals.iter_mut().zip(&self.0).enumerate() {
            *r = p[0] + p[1] * (i as f64 / count) - y;
        }
        Ok(())
    }
}

/// With noise that has a memory in each of one to twelve channels: the share of fits that are warned of, and those of plain
/// intervals and of intervals by long stretches that hold the truth. Of white noise the plain ones do.
#[test]
#[ignore = "long"]
fn intervals_cover_the_truth_with_any_number_of_channels() {
    const ROWS: usize = 150;
    let fits = fits();
    for channels in 1..=12 {
        for memory in [0.0, 0.5, 0.8] {
            let (mut warned, mut plain, mut long) = (0.0, 0.0, 0.0);
            for seed in 0..fits {
                let mut random = Normal::new(1 + seed + 1000 * channels as u64);
                let mut noise = vec![0.0; channels];
                let y = (0..ROWS * channels).map(|i| {
                    let noise = &mut noise[i % channels];
                    *noise = memory * *noise + random.draw();
                    1.0 + 0.5 * (i as f64 / (ROWS * channels) as f64) + *noise
                });
                let experiments = [Channels(y.collect())];
                let unknowns = [unknown("offset", 0.0), unknown("slope", 0.0)];
                let problem = Problem::new(unknowns, &experiments).unwrap();
                let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
                warned += fit.autocorrelated().len() as f64 / fits as f64;
                for (estimate, truth) in fit.estimates.iter().zip([1.0, 0.5]) {
                    let own = estimate.standard_error.unwrap();
                    let counted = estimate.correlated_standard_error.unwrap_or(own);
                    let holds = |error: f64| (estimate.value - truth).abs() < 1.96 * error;
                    plain += f64::from(u8::from(holds(own))) / (2 * fits) as f64;
                    long += f64::from(u8::from(holds(counted))) / (2 * fits) as f64;
                }
            }
            let named = format!(
                "{channels} channels, memory {memory}: {warned:.3} warned, {plain:.3} plain, {long:.3} by stretches"
            );
            println!("{named}");
            // Three standard deviations of the share that chance leaves of 95 %.
            let chance = 3.0 * (0.05 * 0.95 / (2 * fits) as f64).sqrt();
            // Of a short memory, 150 samples of few channels do not always show anything.
            let holds = match memory {
                0.0 => warned < 0.01 + chance && plain > 0.94 - chance,
                0.5 => long > 0.8 && long > plain,
                _ => warned > 0.97 && plain < 0.75 && long > 0.92 - chance,
            };
            assert!(holds, "{named}");
        }
    }
}

/// A reading of a constant, of which the distance and more is missed: the cost has a kink at each.
struct Missed(f64);

impl Experiment for Missed {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        let distance = p[0] - self.0;
        let sign = if distance.re() < 0.0 { -1.0 } else { 1.0 };
        residuals[0] = distance * sign + 100.0;
        Ok(())
    }
}

/// A reading of a constant with an outlier now and then.
struct Reading(f64);

impl Experiment for Reading {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        residuals[0] = p[0] - self.0;
        Ok(())
    }
}

/// How far the estimates from two halves of the data are apart, in what their standard errors by held-out groups say.
fn apart<X: Experiment>(optimiser: &LevenbergMarquardt, halves: [Vec<X>; 2]) -> f64
where
    X::Error: std::fmt::Debug,
{
    let of = |half: &[X]| {
        let problem = Problem::new([unknown("constant", 0.0)], half).unwrap();
        let fit = optimiser.fit(&problem).unwrap();
        let validation = optimiser.cross_validate(&problem, &fit, 10).unwrap();
        let error = validation.standard_errors[0].unwrap();
        (fit.estimates[0].value, error)
    };
    let [(a, of_a), (b, of_b)] = halves.each_ref().map(|half| of(half));
    (a - b) / of_a.hypot(of_b)
}

/// Standard errors by leaving out groups hold between disjoint halves, at kinks and with outliers.
#[test]
#[ignore = "long"]
fn errors_by_held_out_groups_hold_between_halves() {
    let kinks = LevenbergMarquardt::new().cost_tolerance(1e-6).unwrap();
    let robust = LevenbergMarquardt::new().loss(Loss::huber(1.5).unwrap());
    let (mut at_kinks, mut with_outliers) = (Vec::new(), Vec::new());
    for seed in 0..fits() {
        let mut random = Normal::new(40_000 + seed);
        let halves = [0, 1].map(|_| (0..101).map(|_| Missed(5.0 + random.draw())).collect());
        at_kinks.push(apart(&kinks, halves));
        let mut reading = |i: usize| {
            let size = if i % 9 == 4 { 8.0 } else { 1.0 };
            Reading(5.0 + size * random.draw())
        };
        let halves = [0, 1].map(|_| (0..100).map(&mut reading).collect());
        with_outliers.push(apart(&robust, halves));
    }
    for (scores, name) in [(&at_kinks, "kinks"), (&with_outliers, "outliers")] {
        let (mean, scatter) = moments(scores);
        println!("{name}: mean {mean:.3}, scatter {scatter:.3}");
        assert!(
            mean.abs() < 0.25 && (0.75..1.3).contains(&scatter),
            "{name}: {mean} {scatter}"
        );
    }
}
