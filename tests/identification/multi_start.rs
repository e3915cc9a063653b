//! Fits from many starts.

use super::common::{assert_close, unknown};
use dualbody::Scalar;
use dualbody::identification::{
    Experiment, IdentificationError, LevenbergMarquardt, LocalFit, MultiStart, Problem, StopReason,
    Unknown,
};
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// A sine of known amplitude: the cost has a minimum in the frequency for every phase slip.
struct Sine {
    measured: Vec<f64>,
}

impl Sine {
    fn of(frequency: f64) -> Self {
        let sample = |i: usize| (frequency * 0.1 * i as f64).sin();
        Sine {
            measured: (0..60).map(sample).collect(),
        }
    }
}

impl Experiment for Sine {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        for (i, (r, &y)) in residuals.iter_mut().zip(&self.measured).enumerate() {
            *r = (p[0] * (0.1 * i as f64)).sin() - y;
        }
        Ok(())
    }
}

#[test]
fn the_best_of_many_minima_is_found_and_the_others_are_kept() {
    let experiments = [Sine::of(5.0)];
    let frequency = unknown("frequency", 1.0).bounds(0.5, 15.0).unwrap();
    let problem = Problem::new([frequency], &experiments).unwrap();
    let optimizer = LevenbergMarquardt::new();
    let single = optimizer.fit(&problem).unwrap();
    assert!(
        single.cost > 1.0,
        "the first guess leads to a local minimum"
    );
    let all = optimizer
        .fit_multi_start(&problem, &MultiStart::new(40).unwrap())
        .unwrap();
    assert_close(all.fits[0].fit.estimates[0].value, 5.0, 1e-10);
    assert_eq!(all.fits.len(), 40);
    assert!(all.fits.windows(2).all(|f| f[0].fit.cost <= f[1].fit.cost));
    let guess = all.fits.iter().find(|f| f.start == [1.0]).unwrap();
    assert_eq!(guess.fit.values(), single.values());
    let minima: std::collections::BTreeSet<_> = (all.fits.iter())
        .map(|f| (f.fit.estimates[0].value * 1e6).round() as i64)
        .collect();
    assert!(minima.len() > 5, "{minima:?}");
}

#[test]
fn starts_are_spread_evenly_within_bounds_and_repeatable() {
    let experiments = [Sine::of(5.0)];
    let unknowns = [
        unknown("frequency", 1.0).bounds(0.0, 2.0).unwrap(),
        unknown("stiffness", 10.0)
            .bounds(1e-2, 1e4)
            .unwrap()
            .logarithmic()
            .unwrap(),
        unknown("offset", 0.0).bounds(-3.0, 1.0).unwrap(),
    ];
    let problem = Problem::new(unknowns, &experiments).unwrap();
    let starts = MultiStart::new(1001)
        .unwrap()
        .seed(5)
        .values(&problem)
        .unwrap();
    assert_eq!(starts[0], [1.0, 10.0, 0.0]);
    // Fractions of the range of each: a box of a third in every direction holds 1/27 of them.
    let fraction = |s: &Vec<f64>| [s[0] / 2.0, (s[1].log10() + 2.0) / 6.0, (s[2] + 3.0) / 4.0];
    let points: Vec<_> = starts[1..].iter().map(fraction).collect();
    assert!(points.iter().flatten().all(|x| (0.0..=1.0).contains(x)));
    for cell in 0..27 {
        let corner = [cell % 3, cell / 3 % 3, cell / 9];
        let inside = |p: &&[f64; 3]| (0..3).all(|j| (p[j] * 3.0) as usize == corner[j]);
        let count = points.iter().filter(inside).count();
        assert!(
            (30..=44).contains(&count),
            "{corner:?}: {count} instead of 37"
        );
    }
    assert_eq!(
        starts,
        MultiStart::new(1001)
            .unwrap()
            .seed(5)
            .values(&problem)
            .unwrap()
    );
    let other = MultiStart::new(1001)
        .unwrap()
        .seed(6)
        .values(&problem)
        .unwrap();
    assert!(starts[1..].iter().zip(&other[1..]).all(|(a, b)| a != b));
}

/// Bounds whose difference is no number: starts on both sides of 0, most of them large.
#[test]
fn starts_fill_the_widest_bounds() {
    let sines = [Sine::of(1.0)];
    let widest = unknown("widest", 1.0).bounds(-1e308, 1e308).unwrap();
    let fixed = unknown("fixed", 0.3).bounds(0.3, 0.3).unwrap();
    let problem = Problem::new([widest, fixed], &sines).unwrap();
    let starts = MultiStart::new(9).unwrap().values(&problem).unwrap();
    let below = starts[1..].iter().filter(|start| start[0] < 0.0).count();
    assert_eq!(below, 4, "{starts:?}");
    let large = |start: &Vec<f64>| (1e306..1e308).contains(&start[0].abs());
    assert!(starts[1..].iter().all(large), "{starts:?}");
    assert!(starts.iter().all(|start| start[1] == 0.3));
}

#[test]
fn starts_need_finite_bounds() {
    let experiments = [Sine::of(5.0)];
    let failure = |unknown: Unknown| {
        let problem = Problem::new([unknown], &experiments).unwrap();
        let one = MultiStart::new(1).unwrap();
        assert_eq!(one.values(&problem).unwrap(), [[1.0]]);
        MultiStart::new(2).unwrap().values(&problem).unwrap_err()
    };
    let half_open = unknown("p", 1.0).bounds(0.0, f64::INFINITY).unwrap();
    let to_zero = unknown("p", 1.0)
        .bounds(0.0, 2.0)
        .unwrap()
        .logarithmic()
        .unwrap();
    for unknown in [unknown("p", 1.0), half_open, to_zero] {
        let error = failure(unknown);
        assert!(
            matches!(error, IdentificationError::Unknown { .. }),
            "{error}"
        );
    }
}

/// `p` measured as 1, by a model that has no solution above 3, and one that is NaN above 6.
enum Partial {
    Fragile,
    Broken,
}

#[derive(Debug, thiserror::Error)]
#[error("no solution")]
struct NoSolution;

impl Experiment for Partial {
    type Error = NoSolution;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), NoSolution> {
        let limit = match self {
            Partial::Fragile if p[0].re() > 3.0 => return Err(NoSolution),
            Partial::Fragile => 0.0,
            Partial::Broken if p[0].re() > 6.0 => f64::NAN,
            Partial::Broken => 5.0,
        };
        residuals[0] = p[0] - 1.0 - limit * 0.1;
        Ok(())
    }
}

#[test]
fn costs_of_fewer_experiments_do_not_win() {
    let experiments = [Partial::Fragile, Partial::Broken];
    let p = unknown("p", 2.0).bounds(0.0, 8.0).unwrap();
    let problem = Problem::new([p], &experiments).unwrap();
    let starts = MultiStart::new(16).unwrap();
    let all = LevenbergMarquardt::new()
        .fit_multi_start(&problem, &starts)
        .unwrap();
    // From above 3 the first experiment is left out, and the cost of the other alone is zero.
    let (complete, partial): (Vec<_>, Vec<_>) =
        (all.fits.iter()).partition(|f| f.fit.left_out().is_empty());
    assert!(!complete.is_empty() && !partial.is_empty());
    assert!(
        partial
            .iter()
            .all(|f| f.fit.cost < 1e-20 && f.start[0] > 3.0)
    );
    assert!(
        all.fits[..complete.len()]
            .iter()
            .all(|f| f.fit.left_out().is_empty())
    );
    assert_close(all.fits[0].fit.estimates[0].value, 1.25, 1e-12);
    // Above 6 there is nothing to start from.
    assert!(!all.failed.is_empty());
    assert!(all.failed.iter().all(|(start, _)| start[0] > 6.0));
    assert_eq!(all.fits.len() + all.failed.len(), 16);

    let hopeless = unknown("p", 7.0).bounds(6.5, 8.0).unwrap();
    let problem = Problem::new([hopeless], &experiments).unwrap();
    assert!(
        LevenbergMarquardt::new()
            .fit_multi_start(&problem, &starts)
            .is_err()
    );
}

#[test]
fn a_callback_sees_every_start_and_ends_all() {
    let experiments = [Sine::of(5.0)];
    let frequency = unknown("frequency", 1.0).bounds(0.5, 15.0).unwrap();
    let problem = Problem::new([frequency], &experiments).unwrap();
    let optimizer = LevenbergMarquardt::new();
    let starts = MultiStart::new(200).unwrap();

    let seen = Mutex::new(vec![0; 200]);
    let all = optimizer
        .fit_multi_start_with(&problem, &starts, |start, iteration| {
            seen.lock().unwrap()[start] = iteration.number;
            ControlFlow::Continue(())
        })
        .unwrap();
    let mut steps: Vec<usize> = (all.fits.iter()).map(|f| f.fit.iterations.len()).collect();
    let mut seen = seen.into_inner().unwrap();
    steps.sort_unstable();
    seen.sort_unstable();
    assert_eq!(seen, steps);
    let quiet = optimizer.fit_multi_start(&problem, &starts).unwrap();
    assert!((all.fits.iter().zip(&quiet.fits)).all(|(a, b)| a.fit.values() == b.fit.values()));

    let stopped = optimizer
        .fit_multi_start_with(&problem, &starts, |_, iteration| match iteration.number {
            ..3 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        })
        .unwrap();
    assert!(
        (1..150).contains(&stopped.fits.len()),
        "{}",
        stopped.fits.len()
    );
    let by_callback = |f: &LocalFit| f.fit.stop == StopReason::Callback;
    assert!(stopped.fits.iter().any(by_callback));
}
