//! Intervals and bands.

use crate::common::{Normal, assert_close, unknown};
use dualbody::autodiff::VectorFunction;
use dualbody::identification::{
    Blocks, Experiment, Fit, LevenbergMarquardt, Loss, Noise, Problem, ProfileEnd,
    ProfileLikelihood, Unknown,
};
use dualbody::{InvalidInput, Scalar};
use nalgebra::DVector;
use std::convert::Infallible;

/// Values at abscissae, with the standard deviation 0.1.
struct Points<F> {
    data: Vec<[f64; 2]>,
    model: F,
}

trait Model: Sync {
    fn at<T: Scalar>(&self, p: &[T], x: f64) -> T;
}

impl<F: Model> Experiment for Points<F> {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.data.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], r: &mut [T]) -> Result<(), Infallible> {
        for (r, [x, y]) in r.iter_mut().zip(&self.data) {
            *r = (self.model.at(p, *x) - *y) * 10.0;
        }
        Ok(())
    }
}

struct Line;

impl Model for Line {
    fn at<T: Scalar>(&self, p: &[T], x: f64) -> T {
        p[0] + p[1] * x
    }
}

struct Decay;

impl Model for Decay {
    fn at<T: Scalar>(&self, p: &[T], x: f64) -> T {
        (-p[0] * x).exp()
    }
}

fn line() -> [Points<Line>; 1] {
    let data = vec![[0.0, 1.0], [1.0, 3.1], [2.0, 4.9], [3.0, 7.0], [5.0, 10.8]];
    [Points { data, model: Line }]
}

#[test]
fn profile_of_a_linear_model_is_its_confidence_interval() {
    for noise in [Noise::Unit, Noise::Estimated] {
        let points = line();
        let unknowns = [unknown("height", 0.0), unknown("slope", 0.0)];
        let problem = Problem::new(unknowns, &points).unwrap();
        let optimiser = LevenbergMarquardt::new().noise(noise);
        let fit = optimiser.fit(&problem).unwrap();
        let profiles = ProfileLikelihood::new(optimiser, 0.95).unwrap();
        for j in 0..2 {
            let profile = profiles.profile(&problem, &fit, j).unwrap();
            let (lower, upper) = fit.confidence_interval(j, 0.95).unwrap().unwrap();
            let width = upper - lower;
            assert!((profile.lower.unwrap() - lower).abs() < 2e-3 * width);
            assert!((profile.upper.unwrap() - upper).abs() < 2e-3 * width);
            let error = fit.estimates[j].standard_error.unwrap();
            assert!(profile.points.len() > 6);
            for point in &profile.points {
                let expected = (point.value - fit.estimates[j].value) / error;
                assert!((point.tau - expected).abs() < 1e-6, "{point:?} {expected}");
            }
        }
    }
}

/// Groups of points on a line with offsets of their own, of which a few are far off.
#[test]
fn profiles_of_blocks_and_robust_losses_are_as_wide_as_their_standard_errors_say() {
    let mut random = Normal::new(16);
    let groups: Vec<_> = (0..40)
        .map(|k| {
            let size = if k % 10 == 4 { 5.0 } else { 0.1 };
            let offset = size * random.draw();
            let mut point = |i: i32| {
                let x = f64::from(i) + random.draw();
                [x, 1.0 + 2.0 * x + offset + 0.01 * random.draw()]
            };
            let data = (0..3 + k % 4).map(&mut point).collect();
            Points { data, model: Line }
        })
        .collect();
    let huber = Loss::huber(1.345).unwrap();
    let per_group = Blocks::Experiment;
    for (loss, blocks, tolerance) in [
        (Loss::least_squares(), Blocks::Residual, 1e-2),
        (Loss::least_squares(), per_group, 1e-2),
        (huber, Blocks::Residual, 0.2),
        (huber, per_group, 0.2),
        (Loss::soft_l1(1.0).unwrap(), per_group, 0.2),
    ] {
        let unknowns = [unknown("height", 0.0), unknown("slope", 0.0)];
        let problem = Problem::new(unknowns, &groups).unwrap();
        let optimiser = LevenbergMarquardt::new().noise(Noise::Independent);
        let optimiser = optimiser.loss(loss).blocks(blocks).unwrap();
        let fit = optimiser.fit(&problem).unwrap();
        let profiles = ProfileLikelihood::new(optimiser, 0.95).unwrap();
        for j in 0..2 {
            let profile = profiles.profile(&problem, &fit, j).unwrap();
            let (lower, upper) = fit.confidence_interval(j, 0.95).unwrap().unwrap();
            let (found, width) = ([profile.lower, profile.upper], upper - lower);
            for (found, expected) in found.into_iter().zip([lower, upper]) {
                let found = found.unwrap();
                assert!(
                    (found - expected).abs() < tolerance * width,
                    "{loss:?} {blocks:?}: {found} is not {expected}, width {width}"
                );
            }
        }
    }

    // Without standard error nothing says how uncertain a robust estimate is.
    let same = [Points {
        data: vec![[1.0, 1.0], [1.0, 1.1], [1.0, 0.9]],
        model: Line,
    }];
    let unknowns = [unknown("height", 0.0), unknown("slope", 0.0)];
    let problem = Problem::new(unknowns, &same).unwrap();
    let optimiser = LevenbergMarquardt::new().loss(huber);
    let fit = optimiser.fit(&problem).unwrap();
    let profiles = ProfileLikelihood::new(optimiser, 0.95).unwrap();
    let error = profiles.profile(&problem, &fit, 0).unwrap_err().to_string();
    assert!(error.contains("standard error of the unknown"), "{error}");
}

/// A rate that is too fast for the one sample has a lower end, in closed form, and no upper one.
#[test]
fn what_the_data_bound_on_one_side_has_one_end() {
    let points = [Points {
        data: vec![[1.0, 0.01]],
        model: Decay,
    }];
    let rate = unknown("rate", 1.0).bounds(0.0, 1e3).unwrap();
    let problem = Problem::new([rate], &points).unwrap();
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let fit = optimiser.fit(&problem).unwrap();
    assert_close(fit.estimates[0].value, -0.01f64.ln(), 1e-6);
    let profiles = ProfileLikelihood::new(optimiser, 0.95).unwrap();
    let profile = profiles.profile(&problem, &fit, 0).unwrap();
    assert_close(
        profile.lower.unwrap(),
        -(0.01 + 0.1 * 1.959_964f64).ln(),
        2e-3,
    );
    assert_eq!(profile.upper, None);
    assert_eq!(profile.ends, [ProfileEnd::Found, ProfileEnd::Unbounded]);
    assert_eq!(profile.points.last().unwrap().value, 1e3);
    assert!(profile.points.windows(2).all(|p| p[0].value < p[1].value));
}

#[test]
fn profiles_that_make_no_sense_are_errors() {
    let optimiser = LevenbergMarquardt::new();
    assert!(ProfileLikelihood::new(optimiser.clone(), 1.0).is_err());
    let points = line();
    let unknowns = [unknown("height", 0.0), unknown("slope", 0.0)];
    let problem = Problem::new(unknowns, &points).unwrap();
    let fit = optimiser.fit(&problem).unwrap();
    let profiles = ProfileLikelihood::new(optimiser.clone(), 0.9).unwrap();
    assert!(profiles.profile(&problem, &fit, 2).is_err());
    // As many points as unknowns say nothing of the noise.
    let two = [Points {
        data: vec![[0.0, 1.0], [1.0, 2.0]],
        model: Line,
    }];
    let problem = Problem::new([unknown("height", 0.0), unknown("slope", 0.0)], &two).unwrap();
    let fit = optimiser.fit(&problem).unwrap();
    assert!(profiles.profile(&problem, &fit, 0).is_err());
}

/// The line at given abscissae.
struct At(Vec<f64>);

impl VectorFunction for At {
    type Error = InvalidInput;

    fn eval<T: Scalar>(&self, p: &[T]) -> Result<DVector<T>, InvalidInput> {
        let values = self.0.iter().map(|&x| Line.at(p, x));
        Ok(DVector::from_vec(values.collect()))
    }
}

/// σ √(1/n + (x − x̄)²/Σ(xᵢ − x̄)²), and with the noise of a measurement.
#[test]
fn band_of_a_line_has_the_closed_form() {
    let points = line();
    let unknowns = [unknown("height", 0.0), unknown("slope", 0.0)];
    let problem = Problem::new(unknowns, &points).unwrap();
    let fit: Fit = LevenbergMarquardt::new()
        .noise(Noise::Unit)
        .fit(&problem)
        .unwrap();
    let xs = vec![-1.0, 2.2, 8.0];
    for deviation in [0.0, 0.1] {
        let band = fit
            .prediction_band(&At(xs.clone()), 0.95, deviation)
            .unwrap();
        for (k, x) in xs.iter().enumerate() {
            let squares: f64 = [0.0, 1.0, 2.0, 3.0, 5.0]
                .iter()
                .map(|x: &f64| (x - 2.2).powi(2))
                .sum();
            let variance = 0.01 * (0.2 + (x - 2.2) * (x - 2.2) / squares) + deviation * deviation;
            assert_close(
                band.half_widths[k].unwrap(),
                1.959_963_985 * variance.sqrt(),
                1e-7,
            );
            let values = fit.values();
            assert_close(band.values[k], values[0] + values[1] * x, 1e-12);
        }
    }
    assert!(fit.prediction_band(&At(xs.clone()), 0.0, 0.0).is_err());
    assert!(fit.prediction_band(&At(xs), 0.5, -1.0).is_err());
}

#[test]
fn a_logarithmic_unknown_may_have_no_lower_end() {
    // A level of 0.05 ± 0.1: nothing is too small.
    let data = vec![[0.0, 0.05]];
    let points = [Points { data, model: Level }];
    let level = Unknown::new("level", "1", 0.1).unwrap();
    let level = level.logarithmic().unwrap();
    let problem = Problem::new([level], &points).unwrap();
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let fit = optimiser.fit(&problem).unwrap();
    let profile = ProfileLikelihood::new(optimiser, 0.95).unwrap();
    let profile = profile.profile(&problem, &fit, 0).unwrap();
    assert_eq!(profile.lower, None);
    assert_close(profile.upper.unwrap(), 0.05 + 0.195996, 1e-3);
}

#[test]
fn an_undetermined_unknown_has_no_ends() {
    let data = vec![[1.0, 1.0], [1.0, 1.1], [1.0, 0.9]];
    let points = [Points { data, model: Line }];
    let problem = Problem::new([unknown("a", 0.3), unknown("b", 0.3)], &points).unwrap();
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let fit = optimiser.fit(&problem).unwrap();
    let profile = ProfileLikelihood::new(optimiser, 0.95).unwrap();
    for i in 0..2 {
        let profile = profile.profile(&problem, &fit, i).unwrap();
        assert_eq!((profile.lower, profile.upper), (None, None));
    }
}

#[test]
fn points_say_whether_their_fits_have_converged() {
    let points = line();
    let problem = Problem::new([unknown("a", 1.0), unknown("b", 1.0)], &points).unwrap();
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let fit = optimiser.fit(&problem).unwrap();
    let converged = |optimiser: LevenbergMarquardt| {
        let profile = ProfileLikelihood::new(optimiser, 0.95).unwrap();
        let profile = profile.profile(&problem, &fit, 0).unwrap();
        (profile.points.iter())
            .filter(|p| !p.stop.is_converged())
            .count()
    };
    assert_eq!(converged(optimiser.clone()), 0);
    assert!(converged(optimiser.max_iterations(0)) > 0);
}

struct Level;

impl Model for Level {
    fn at<T: Scalar>(&self, p: &[T], _: f64) -> T {
        p[0]
    }
}

/// A residual of one unknown, which is a misfit in standard deviations, or nothing.
struct Misfit(fn(f64) -> Option<[f64; 2]>);

#[derive(Debug, thiserror::Error)]
#[error("there is no misfit at {0}")]
struct Missing(f64);

impl Experiment for Misfit {
    type Error = Missing;

    fn residual_count(&self) -> usize {
        1
    }

    /// From its value and slope.
    fn residuals<T: Scalar>(&self, p: &[T], r: &mut [T]) -> Result<(), Missing> {
        let [value, slope] = self.0(p[0].re()).ok_or(Missing(p[0].re()))?;
        r[0] = p[0].infinitesimal() * slope + value;
        Ok(())
    }
}

/// The quantile is 1.96, and steps aim at 0.588.
#[test]
fn ends_that_are_not_found_are_told_apart() {
    let profile = |misfit| {
        let experiments = [Misfit(misfit)];
        let problem = Problem::new([unknown("p", 0.0)], &experiments).unwrap();
        let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
        let fit = optimiser.fit(&problem).unwrap();
        let profile = ProfileLikelihood::new(optimiser, 0.95).unwrap();
        profile.profile(&problem, &fit, 0).unwrap()
    };
    // Where it is the quantile above the estimate there is no value.
    let hole = profile(|p| (!(1.9..2.0).contains(&p)).then_some([p, 1.0]));
    assert_eq!(hole.ends, [ProfileEnd::Found, ProfileEnd::Enclosed]);
    assert_close(hole.lower.unwrap(), -1.959_964, 1e-3);
    let (upper, last) = (hole.upper.unwrap(), hole.points.last().unwrap());
    assert!(upper >= 2.0 && upper == last.value, "{upper}");

    // It jumps over the quantile.
    let jump = profile(|p| Some([if p > 1.8 { p + 5.0 } else { p }, 1.0]));
    assert_eq!(jump.ends, [ProfileEnd::Found, ProfileEnd::Enclosed]);
    let upper = jump.upper.unwrap();
    assert!(1.8 < upper && upper < 1.801, "{upper}");

    // There are no values above.
    let edge = profile(|p| (p < 1.0).then_some([p, 1.0]));
    assert_eq!(edge.ends, [ProfileEnd::Found, ProfileEnd::Failed]);
    assert_eq!(edge.upper, None);

    // It goes up and down by what a step aims at, always less than the quantile.
    let steps = profile(|p| match (p.abs() / 0.588).round() {
        0.0 => Some([p, 1.0]),
        number => Some([0.588 * (2.0 - number % 2.0), 1.0]),
    });
    assert_eq!(steps.ends, [ProfileEnd::MaxPoints; 2]);
    assert_eq!((steps.lower, steps.upper), (None, None));
}
