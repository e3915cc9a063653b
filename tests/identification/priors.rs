//! What is known of unknowns before they are fitted.

use super::common::{Normal, Point, assert_close, assert_standard_normal, unknown};
use dualbody::identification::{
    Fit, LevenbergMarquardt, Loss, Noise, Problem, ProfileLikelihood, Status, Unknown,
};

/// Points whose noise is larger than they say.
fn points(count: u16, [height, slope]: [f64; 2], noise: f64, seed: u64) -> Vec<Point> {
    let mut random = Normal::new(seed);
    let point = |i: u16| {
        let x = f64::from(i) / f64::from(count);
        let y = height + slope * x + noise * random.draw();
        Point { x, y }
    };
    (0..count).map(point).collect()
}

fn fit(optimiser: &LevenbergMarquardt, unknowns: &[Unknown], points: &[Point]) -> Fit {
    let fit = (optimiser.fit(&Problem::new(unknowns, points).unwrap())).unwrap();
    assert!(fit.stop.is_converged(), "{fit}");
    fit
}

/// Of a mean everything is known in closed form.
#[test]
fn a_mean_with_a_prior_is_that_of_the_posterior_density() {
    let (count, mean, deviation) = (20, 3.0, 2.0);
    let points = points(count, [5.0, 0.0], 8.0, 11);
    let slope = unknown("slope", 0.0).bounds(0.0, 0.0).unwrap();
    let height = unknown("height", 1.0).with_prior(mean, deviation).unwrap();
    let fit = fit(&LevenbergMarquardt::new(), &[height, slope], &points);

    let n = f64::from(count);
    let average = points.iter().map(|p| p.y).sum::<f64>() / n;
    let (mut square, mut estimate, mut share) = (1.0, 0.0, 0.0);
    for _ in 0..200 {
        let (data, prior) = (n / square, 1.0 / (deviation * deviation));
        estimate = (data * average + prior * mean) / (data + prior);
        share = data / (data + prior);
        let squares: f64 = points.iter().map(|p| (p.y - estimate).powi(2)).sum();
        square = squares / (n - share);
    }
    let found = &fit.estimates[0];
    assert_close(found.value, estimate, 1e-6);
    let error = (n / square + 1.0 / (deviation * deviation)).powf(-0.5);
    assert_close(found.standard_error.unwrap(), error, 1e-6);
    assert_close(found.data_share.unwrap(), share, 1e-6);
    let scatter = fit.residual_standard_deviation().unwrap();
    assert_close(scatter, square.sqrt(), 1e-6);
    // Half the sum of squares of the data, and the prior in units of the noise.
    let prior = 0.5 * square * ((estimate - mean) / deviation).powi(2);
    assert_close(fit.prior_cost, prior, 1e-5);
    assert_close(fit.cost, 0.5 * (n - share) * square + prior, 1e-5);
}

/// The data say nothing of the second unknown, and eight times too much of the first.
#[test]
fn what_only_a_prior_says_is_as_certain_as_it_says() {
    for noise in [0.125, 1.0, 8.0] {
        let points: Vec<Point> = (points(50, [5.0, 0.0], noise, 3).into_iter())
            .map(|p| Point { x: 0.0, ..p })
            .collect();
        let slope = unknown("slope", 0.0).with_prior(2.0, 0.3).unwrap();
        let stiffness = unknown("stiffness", 7.0).logarithmic().unwrap();
        let unknowns = [
            unknown("height", 1.0),
            slope,
            stiffness.with_prior(9.0, 0.2).unwrap(),
        ];
        for optimiser in [
            LevenbergMarquardt::new(),
            LevenbergMarquardt::new().noise(Noise::Unit),
            LevenbergMarquardt::new().noise(Noise::Independent),
            LevenbergMarquardt::new().loss(Loss::huber(3.0).unwrap()),
        ] {
            let fit = fit(&optimiser, &unknowns, &points);
            let [height, slope, stiffness] = &fit.estimates[..] else {
                panic!("{fit}")
            };
            assert_eq!(height.status, Status::Determined);
            assert_close(height.data_share.unwrap(), 1.0, 1e-12);
            for (estimate, mean) in [(slope, 2.0), (stiffness, 9.0)] {
                assert_eq!(estimate.status, Status::HeldByPrior);
                assert!(estimate.data_share.unwrap() < 1e-9);
                assert_close(estimate.value, mean, 1e-7);
            }
            assert_close(slope.standard_error.unwrap(), 0.3, 1e-6);
            assert_close(stiffness.relative_standard_error.unwrap(), 0.2, 1e-6);
            assert!(fit.to_string().contains("held by the prior"), "{fit}");
        }
    }
}

/// Only the sum of two unknowns is measured, and one is known before: so is the other then.
#[test]
fn the_prior_of_another_unknown_holds_an_estimate_too() {
    let points: Vec<Point> = (points(100, [5.0, 0.0], 0.1, 5).into_iter())
        .map(|p| Point { x: 1.0, ..p })
        .collect();
    let slope = unknown("slope", 0.0).with_prior(2.0, 0.3).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let fit = fit(&optimiser, &[unknown("height", 1.0), slope], &points);
    let square = fit.residual_standard_deviation().unwrap().powi(2) / 100.0;
    assert_close(
        fit.estimates[0].standard_error.unwrap(),
        (square + 0.09).sqrt(),
        1e-6,
    );
    assert_close(
        fit.estimates[0].data_share.unwrap(),
        square / (square + 0.09),
        1e-5,
    );
    assert_eq!(fit.estimates[0].status, Status::HeldByPrior);
    // Nothing is determined of the difference by the data, all of the sum.
    let errors = fit.standard_errors_of(&nalgebra::dmatrix![1.0, 1.0; 1.0, -1.0]);
    let [sum, difference] = errors.unwrap()[..] else {
        panic!()
    };
    assert_close(sum.unwrap(), square.sqrt(), 1e-6);
    assert_close(difference.unwrap(), (4.0 * 0.09 + square).sqrt(), 1e-6);
}

/// Truths drawn from the prior lie as far from the estimates as the standard errors say, whatever is known of the noise.
#[test]
fn estimates_with_priors_scatter_as_they_say() {
    let cases = if std::env::var_os("DUALBODY_THOROUGH").is_some() {
        4000
    } else {
        400
    };
    for (noise, optimiser) in [
        (3.0, LevenbergMarquardt::new()),
        (1.0, LevenbergMarquardt::new().noise(Noise::Unit)),
        (1.5, LevenbergMarquardt::new().noise(Noise::Independent)),
        (
            1.0,
            LevenbergMarquardt::new().loss(Loss::huber(1.5).unwrap()),
        ),
    ] {
        let (mut heights, mut slopes) = (Vec::new(), Vec::new());
        let mut random = Normal::new(1);
        for seed in 0..cases {
            let slope = 2.0 + random.draw();
            let points = points(60, [5.0, slope], noise, 1000 + seed);
            let before = unknown("slope", 0.0).with_prior(2.0, 1.0).unwrap();
            let fit = fit(&optimiser, &[unknown("height", 1.0), before], &points);
            let score = |j: usize, truth: f64| {
                let estimate = &fit.estimates[j];
                (estimate.value - truth) / estimate.standard_error.unwrap()
            };
            heights.push(score(0, 5.0));
            slopes.push(score(1, slope));
        }
        assert_standard_normal(&heights);
        assert_standard_normal(&slopes);
    }
}

/// In a linear model the profile is that of the standard error.
#[test]
fn profiles_hold_with_priors() {
    let points = points(30, [5.0, 1.0], 4.0, 9);
    let slope = unknown("slope", 0.0).with_prior(2.0, 1.0).unwrap();
    let unknowns = [unknown("height", 1.0), slope];
    let problem = Problem::new(unknowns, &points).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let fit = optimiser.fit(&problem).unwrap();
    let profiles = ProfileLikelihood::new(optimiser, 0.9).unwrap();
    for j in 0..2 {
        let (low, high) = fit.confidence_interval(j, 0.9).unwrap().unwrap();
        let profile = profiles.profile(&problem, &fit, j).unwrap();
        let width = high - low;
        assert!((profile.lower.unwrap() - low).abs() < 2e-3 * width);
        assert!((profile.upper.unwrap() - high).abs() < 2e-3 * width);
    }
}

/// Leaving data out says nothing of what a prior leaves open.
#[test]
fn what_priors_leave_open_is_in_the_standard_errors_of_cross_validation() {
    let points: Vec<Point> = (points(50, [5.0, 0.0], 4.0, 3).into_iter())
        .map(|p| Point { x: 0.0, ..p })
        .collect();
    let slope = unknown("slope", 0.0).with_prior(2.0, 0.3).unwrap();
    let problem = Problem::new([unknown("height", 1.0), slope], &points).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let fit = optimiser.fit(&problem).unwrap();
    let validation = optimiser.cross_validate(&problem, &fit, 10).unwrap();
    assert_close(validation.standard_errors[1].unwrap(), 0.3, 1e-6);
}

#[test]
fn the_order_of_a_logarithm_and_a_prior_does_not_matter() {
    let first = unknown("k", 2.0)
        .logarithmic()
        .unwrap()
        .with_prior(3.0, 0.1);
    let second = unknown("k", 2.0)
        .with_prior(3.0, 0.1)
        .unwrap()
        .logarithmic();
    assert_eq!(first.unwrap(), second.unwrap());
}

#[test]
fn priors_that_make_no_sense_are_refused() {
    for (mean, deviation) in [
        (0.0, 0.0),
        (0.0, -1.0),
        (f64::NAN, 1.0),
        (0.0, f64::INFINITY),
    ] {
        let error = unknown("k", 2.0).with_prior(mean, deviation).unwrap_err();
        assert!(error.to_string().contains("of the prior"), "{error}");
    }
    let logarithmic = unknown("k", 2.0).logarithmic().unwrap();
    assert!(logarithmic.with_prior(-1.0, 1.0).is_err());
    let linear = unknown("k", 2.0).with_prior(-1.0, 1.0).unwrap();
    assert!(linear.logarithmic().is_err());
}
