//! Experiments that are held out of a fit in turn.

use super::common::{Normal, Point, assert_close, unknown};
use crate::support::cases::tier;
use dualbody::identification::{
    Experiment, IdentificationError, LevenbergMarquardt, Problem, StopReason,
};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::{DMatrix, DVector};

fn line() -> Vec<Point> {
    let mut random = Normal::new(3);
    let point = |i: u8| {
        let x = 0.3 * f64::from(i);
        Point {
            x,
            y: 4.0 + 0.7 * x + 0.1 * random.draw(),
        }
    };
    (0..12).map(point).collect()
}

#[test]
fn points_of_a_line_move_it_as_their_leverage_says() {
    let points = line();
    let n = points.len() as f64;
    for logarithmic in [false, true] {
        let height = match logarithmic {
            true => unknown("height", 1.0).logarithmic().unwrap(),
            false => unknown("height", 1.0),
        };
        let problem = Problem::new([height, unknown("slope", 0.0)], &points).unwrap();
        let optimiser = LevenbergMarquardt::new();
        let fit = optimiser.fit(&problem).unwrap();
        let validation = optimiser
            .cross_validate(&problem, &fit, points.len())
            .unwrap();

        let design = DMatrix::from_fn(points.len(), 2, |i, j| [1.0, points[i].x][j]);
        let inverse = (design.transpose() * &design).try_inverse().unwrap();
        let estimates = DVector::from_vec(fit.values());
        let mut moved = Vec::new();
        for (i, (point, held_out)) in points.iter().zip(&validation.groups).enumerate() {
            let row = design.row(i);
            let error = point.y - (row * &estimates)[0];
            let leverage = (row * &inverse * row.transpose())[0];
            let without = &estimates - &inverse * row.transpose() * (error / (1.0 - leverage));
            for j in 0..2 {
                assert_close(held_out.fit.values()[j], without[j], 1e-9);
            }
            // A residual is prediction less measurement.
            assert_eq!(held_out.predicted[0].experiment, i);
            assert_close(
                held_out.predicted[0].residuals[0],
                -error / (1.0 - leverage),
                1e-7,
            );
            moved.push(without);
        }
        for j in 0..2 {
            let coordinate = |p: f64| if j == 0 && logarithmic { p.ln() } else { p };
            let slope = if j == 0 && logarithmic {
                estimates[0]
            } else {
                1.0
            };
            let mean = moved.iter().map(|p| coordinate(p[j])).sum::<f64>() / n;
            let squares: f64 = moved
                .iter()
                .map(|p| (coordinate(p[j]) - mean).powi(2))
                .sum();
            let error = slope * ((n - 1.0) / n * squares).sqrt();
            assert_close(validation.jackknife[j].unwrap(), error, 1e-7);
            // Deviations from the mean are a little smaller than from the estimate.
            let larger = validation.standard_errors[j].unwrap();
            assert!(error <= larger && larger < 1.1 * error);
        }
        let rms = validation.root_mean_square().unwrap();
        assert_close(validation.cost(), 0.5 * n * rms * rms, 1e-12);
        assert!(validation.cost() > fit.cost);
    }
}

#[test]
fn a_group_is_held_out_as_if_it_were_not_there() {
    let points = line();
    let unknowns = [
        unknown("height", 1.0).logarithmic().unwrap(),
        unknown("slope", 0.0),
    ];
    let problem = Problem::new(unknowns.clone(), &points).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let fit = optimiser.fit(&problem).unwrap();
    let validation = optimiser.cross_validate(&problem, &fit, 3).unwrap();
    for (g, group) in validation.groups.iter().enumerate() {
        let (held_out, others): (Vec<usize>, Vec<usize>) =
            (0..points.len()).partition(|i| i % 3 == g);
        let fitted: Vec<Point> = others.iter().map(|&i| points[i]).collect();
        let alone = Problem::new(unknowns.clone(), &fitted).unwrap();
        let alone = optimiser.fit(&alone).unwrap();
        assert_eq!(group.fit.stop, alone.stop);
        assert_eq!(group.fit.residual_count, fitted.len());
        assert_eq!(group.fit.experiment_count, fitted.len());
        assert_close(group.fit.cost, alone.cost, 1e-12);
        for (a, b) in group.fit.estimates.iter().zip(&alone.estimates) {
            assert_close(a.value, b.value, 1e-9);
            assert_close(a.standard_error.unwrap(), b.standard_error.unwrap(), 1e-9);
        }
        let numbers =
            |experiments: &mut dyn Iterator<Item = usize>| experiments.collect::<Vec<_>>();
        let of_fit = &mut group.fit.experiments.iter().map(|x| x.experiment);
        assert_eq!(numbers(of_fit), others);
        assert_eq!(
            numbers(&mut group.predicted.iter().map(|x| x.experiment)),
            held_out
        );
    }
}

/// A reading of a constant, of which the distance and more is missed: the cost has a kink at each.
#[derive(Clone)]
struct Missed(f64);

impl Experiment for Missed {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        let distance = p[0] - self.0;
        residuals[0] = if distance.re() < 0.0 {
            -distance
        } else {
            distance
        } + 100.0;
        Ok(())
    }
}

/// The curvature of a cost with kinks says nothing of the scatter of its minimum; fits without some of the readings
/// do. The minimum is nearly the median.
#[test]
fn standard_errors_at_a_kink() {
    let (mut errors, mut minima) = (Vec::new(), Vec::new());
    for seed in 0..30 {
        let mut random = Normal::new(seed);
        let readings: Vec<Missed> = (0..101).map(|_| Missed(5.0 + random.draw())).collect();
        let problem = Problem::new([unknown("constant", 0.0)], &readings).unwrap();
        let optimiser = LevenbergMarquardt::new().cost_tolerance(1e-6).unwrap();
        let fit = optimiser.fit(&problem).unwrap();
        assert_eq!(fit.stop, StopReason::NoDescent, "seed {seed}");
        assert_eq!(fit.estimates[0].standard_error, None);
        // Where no step above the tolerance descends the fit is over, and no step is tried twice.
        assert!(fit.iterations.len() < 30, "{} steps", fit.iterations.len());
        for pair in fit.iterations.windows(2) {
            let again = pair[0].trial_cost == pair[1].trial_cost && pair[0].step == pair[1].step;
            assert!(pair[0].accepted || !again, "step {}", pair[1].number);
        }
        let validation = optimiser.cross_validate(&problem, &fit, 5).unwrap();
        errors.push(validation.standard_errors[0].unwrap().powi(2));
        minima.push((fit.estimates[0].value - 5.0).powi(2));
    }
    let mean = |squares: &[f64]| (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
    let ratio = mean(&errors) / mean(&minima);
    assert!((0.7..1.4).contains(&ratio), "{ratio}");
}

/// A reading, or none.
#[derive(Clone)]
struct MayBeEmpty(Option<Missed>);

impl Experiment for MayBeEmpty {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        self.0.iter().len()
    }

    fn residuals<T: DefaultScalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        self.0.iter().try_for_each(|x| x.residuals(p, residuals))
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the value is above {0}")]
struct TooLarge(f64);

/// Cannot be evaluated above a limit.
struct Limited {
    reading: f64,
    limit: f64,
}

impl Experiment for Limited {
    type Error = TooLarge;

    fn residual_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        if p[0].re() > self.limit {
            return Err(TooLarge(self.limit));
        }
        residuals[0] = p[0] - self.reading;
        Ok(())
    }
}

#[test]
fn an_experiment_that_cannot_be_predicted_is_named() {
    let limited = |reading, limit| Limited { reading, limit };
    let experiments = [
        limited(1.0, 2.0),
        limited(2.0, 9.0),
        limited(2.4, 9.0),
        limited(2.2, 9.0),
    ];
    let problem = Problem::new([unknown("constant", 1.0)], &experiments).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let fit = optimiser.fit(&problem).unwrap();
    let validation = optimiser.cross_validate(&problem, &fit, 4).unwrap();
    let (group, others) = validation.groups.split_first().unwrap();
    assert!(group.predicted.is_empty());
    assert!(matches!(
        group.failed[..],
        [(0, IdentificationError::Experiment { experiment: 0, .. })]
    ));
    assert!(others.iter().all(|g| g.failed.is_empty()));
    assert_eq!(
        validation.root_mean_square().map(f64::is_finite),
        Some(true)
    );
}

/// A group that is all there is to fit: without it nothing is.
#[test]
fn a_group_without_a_fit_leaves_the_others() {
    let experiments = [Some(Missed(3.0)), None].map(MayBeEmpty);
    let problem = Problem::new([unknown("constant", 0.0)], &experiments).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let fit = optimiser.fit(&problem).unwrap();
    let validation = optimiser.cross_validate(&problem, &fit, 2).unwrap();
    assert!(matches!(
        validation.failed[..],
        [(0, IdentificationError::NoResiduals)]
    ));
    assert_eq!(validation.groups.len(), 1);
    assert_eq!(validation.standard_errors, [None]);
    assert_eq!(validation.root_mean_square(), None);
}

/// Without the highest reading the mean is further away than six steps come. The others scatter as the jackknife says
/// of five groups that each leave out a sixth.
#[test]
fn unfinished_fits_count_nowhere_and_do_not_make_standard_errors_smaller() {
    let experiments = [1.0, 2.0, 3.0, 4.0, 5.0, 45.0].map(|reading| Limited {
        reading,
        limit: f64::INFINITY,
    });
    let problem = Problem::new([unknown("constant", 1.0)], &experiments).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let fit = optimiser.fit(&problem).unwrap();
    let few = optimiser.clone().max_iterations(6);
    let validation = few.cross_validate_from(&problem, &fit, 6, 0).unwrap();
    assert!(validation.failed.is_empty());
    assert_eq!(validation.groups[5].fit.stop, StopReason::MaxIterations);
    let settled: Vec<_> = validation.groups.iter().map(|g| g.is_settled()).collect();
    assert_eq!(settled, [true, true, true, true, true, false]);
    // The means 11.8, 11.6, 11.4, 11.2 and 11.
    let variance = 25.0 / (6.0 * 4.0) * (2.0 * 0.4f64.powi(2) + 2.0 * 0.2f64.powi(2));
    assert_close(validation.jackknife[0].unwrap(), variance.sqrt(), 1e-7);
    let squares: f64 = [10.8f64, 9.6, 8.4, 7.2, 6.0].iter().map(|r| r * r).sum();
    let rms = validation.root_mean_square().unwrap();
    assert_close(rms, (squares / 5.0).sqrt(), 1e-7);

    let none = optimiser.max_iterations(0);
    let validation = none.cross_validate(&problem, &fit, 6).unwrap();
    assert_eq!(validation.groups.len(), 6);
    assert_eq!(validation.standard_errors, [None]);
    assert_eq!(validation.root_mean_square(), None);
}

#[test]
fn numbers_of_groups_and_fits_that_do_not_belong_are_refused() {
    let points = line();
    let problem = Problem::new([unknown("height", 1.0), unknown("slope", 0.0)], &points).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let fit = optimiser.fit(&problem).unwrap();
    for groups in [0, 1, 13, usize::MAX] {
        let error = optimiser
            .cross_validate(&problem, &fit, groups)
            .unwrap_err();
        assert!(error.to_string().contains("number of groups"), "{error}");
    }
    let missed = [Missed(1.0), Missed(2.0)];
    let other = Problem::new([unknown("constant", 0.0)], &missed).unwrap();
    let error = optimiser.cross_validate(&other, &fit, 2).unwrap_err();
    assert!(error.to_string().contains("unknowns of the fit"), "{error}");
}

/// A reading of a constant, and a small wave of the constant that makes a minimum at every two hundredth.
struct Wavy(f64);

impl Experiment for Wavy {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        2
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        residuals[0] = p[0] - self.0;
        let phase = p[0] * (std::f64::consts::TAU / 0.01);
        residuals[1] = phase.sin() * 0.03;
        Ok(())
    }
}

/// Each group follows its mean only if it leaves the small minimum of the whole fit.
#[test]
fn groups_are_fitted_from_several_starts() {
    let [mut alone, mut restarted] = [Vec::new(), Vec::new()];
    let seeds = tier(8, 20);
    for seed in 0..seeds {
        let mut random = Normal::new(seed);
        let readings: Vec<Wavy> = (0..100).map(|_| Wavy(5.0 + random.draw())).collect();
        let mean = readings.iter().map(|r| r.0).sum::<f64>() / 100.0;
        let start = (100.0 * mean).round() / 100.0;
        let problem = Problem::new([unknown("constant", start)], &readings).unwrap();
        let optimiser = LevenbergMarquardt::new();
        let fit = optimiser.fit(&problem).unwrap();
        assert!(fit.stop.is_converged(), "{fit}");
        let validation = optimiser
            .cross_validate_from(&problem, &fit, 10, 0)
            .unwrap();
        alone.push(validation.jackknife[0].unwrap());
        let validation = optimiser
            .cross_validate_from(&problem, &fit, 10, 12)
            .unwrap();
        restarted.push(validation.standard_errors[0].unwrap());
        let sentences = validation.differences();
        assert!(sentences[0].contains("different minima"), "{sentences:?}");
        assert!(validation.groups.iter().any(|group| group.is_restarted));
    }
    // A mean of 100 readings scatters by 0.1.
    let root = |errors: &[f64]| (errors.iter().map(|e| e * e).sum::<f64>() / seeds as f64).sqrt();
    assert!(root(&alone) < 0.03, "{}", root(&alone));
    assert!(
        (0.05..0.14).contains(&root(&restarted)),
        "{}",
        root(&restarted)
    );
}
