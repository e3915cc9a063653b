//! What a fit says of each unknown, for programs to act on.

use crate::common::{Normal, Point};
use dualbody::identification::{Fit, LevenbergMarquardt, Noise, Problem, Unknown, Verdict};

/// A line with noise of 1 on both sides of `x = 0`, with a true height of 5 and a true slope of 2.
fn points(width: f64) -> Vec<Point> {
    let mut random = Normal::new(3);
    let x = (0..100).map(|i| width * (f64::from(i) / 49.5 - 1.0));
    x.map(|x| Point {
        x,
        y: 5.0 + 2.0 * x + random.draw(),
    })
    .collect()
}

fn fit(slope: Unknown, width: f64) -> Fit {
    let points = points(width);
    let height = Unknown::new("height", "m", 1.0).unwrap();
    let problem = Problem::new([height, slope], &points).unwrap();
    LevenbergMarquardt::new()
        .noise(Noise::Unit)
        .fit(&problem)
        .unwrap()
}

fn slope() -> Unknown {
    Unknown::new("slope", "1", 1.0).unwrap()
}

/// The standard error of the slope is 0.1715 over the width.
fn name(slope: Unknown, width: f64) -> &'static str {
    let fit = fit(slope, width);
    assert_eq!(fit.verdict(0), Some(Verdict::Determined), "{fit}");
    let error = fit.estimates[1].standard_error.unwrap();
    assert!((error * width - 0.1715).abs() < 1e-3, "{fit}");
    fit.verdict(1).unwrap().name()
}

#[test]
fn an_error_larger_than_the_unknown_is_poor() {
    assert_eq!(name(slope(), 1.0), "determined");
    assert_eq!(name(slope(), 1e-3), "poorly_determined");
    let found = fit(slope(), 1e-3);
    let Some(Verdict::PoorlyDetermined { relative_error }) = found.verdict(1) else {
        panic!("{found}");
    };
    let estimate = &found.estimates[1];
    let size = estimate.value.abs().max(1.0);
    assert!((relative_error * size / estimate.standard_error.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(found.relative_error(1), Some(relative_error));
    assert_eq!(found.relative_error(2), None);
    assert!(found.to_string().contains("poorly determined"), "{found}");
    // An offset near zero is as well known as its scale says.
    assert_eq!(name(slope().scale(1e3).unwrap(), 1e-3), "determined");
    assert_eq!(name(slope().scale(1e2).unwrap(), 1e-3), "poorly_determined");
}

#[test]
fn an_error_larger_than_the_range_is_poor() {
    // The range has a standard deviation of 0.29, 0.58.
    let slope = || Unknown::new("slope", "1", 2.0).unwrap();
    let within = |half: f64| slope().bounds(2.0 - half, 2.0 + half).unwrap();
    assert_eq!(name(within(0.5), 0.4), "poorly_determined");
    assert_eq!(name(within(1.0), 0.4), "determined");
    let half_open = slope().bounds(-1e3, f64::INFINITY).unwrap();
    assert_eq!(name(half_open, 0.4), "determined");
}

#[test]
fn a_logarithm_is_compared_with_a_factor_of_e() {
    let of = |width: f64| {
        let slope = slope().logarithmic().unwrap();
        fit(slope, width).relative_error(1).unwrap()
    };
    let fit_of = |lower: f64, upper: f64| {
        let slope = slope().bounds(lower, upper).unwrap().logarithmic().unwrap();
        fit(slope, 1.0)
    };
    assert!(of(1.0) < 0.2);
    let plain = of(1.0);
    // ln(3)/√12 = 0.317.
    let bounded = fit_of(1.0, 3.0).relative_error(1).unwrap();
    assert!(
        (bounded * 0.3171 / plain - 1.0).abs() < 1e-3,
        "{bounded} {plain}"
    );
}
