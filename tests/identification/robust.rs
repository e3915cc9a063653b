//! Robust losses: outliers, whole bad experiments, and the standard errors that go with them.

use super::common::{Normal, assert_close, assert_standard_normal, moments, unknown};
use crate::support::cases::tier;
use dualbody::Scalar;
use dualbody::identification::{Blocks, Experiment, Fit, LevenbergMarquardt, Loss, Noise, Problem};
use nalgebra::{DMatrix, DVector};
use std::convert::Infallible;

/// A straight line `y = α + β x` through measured points.
#[derive(Clone)]
struct Line {
    points: Vec<(f64, f64)>,
}

impl Experiment for Line {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.points.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        for (r, &(x, y)) in residuals.iter_mut().zip(&self.points) {
            *r = p[0] + p[1] * x - y;
        }
        Ok(())
    }
}

/// Fits α and β, whose first guesses are 0.
fn fit(optimizer: LevenbergMarquardt, experiments: &[Line]) -> Fit {
    let unknowns = [unknown("α", 0.0), unknown("β", 0.0)];
    let fit = optimizer
        .fit(&Problem::new(unknowns, experiments).unwrap())
        .unwrap();
    assert!(fit.stop.is_converged(), "{fit}");
    fit
}

fn losses() -> [Loss; 3] {
    [Loss::huber(1.3), Loss::soft_l1(1.3), Loss::cauchy(1.3)].map(Result::unwrap)
}

#[test]
fn losses_start_as_squares_and_their_derivatives_are_derivatives() {
    for loss in losses() {
        for s in [0.0, 1e-6, 0.3, 1.6, 1.7, 5.0, 1e4] {
            let [rho, first, second] = loss.evaluate(s);
            assert!(rho <= s && first > 0.0 && first <= 1.0 && second <= 0.0);
            let h = 1e-5 * (0.1 + s);
            if s > h {
                let (above, below) = (loss.evaluate(s + h), loss.evaluate(s - h));
                assert!(((above[0] - below[0]) / (2.0 * h) - first).abs() < 1e-8 * (1.0 + s));
                assert!(((above[1] - below[1]) / (2.0 * h) - second).abs() < 1e-8);
            }
        }
        let small = loss.evaluate(1e-9);
        assert_close(small[0], 1e-9, 1e-8);
    }
    // At its threshold Huber's loss and slope are continuous.
    let huber = Loss::huber(1.3).unwrap();
    let (inside, outside) = (huber.evaluate(1.69), huber.evaluate(1.69 + 1e-12));
    assert_close(outside[0], inside[0], 1e-11);
    assert_close(outside[1], inside[1], 1e-11);
}

/// Points of `1 + 2x` with noise 0.1, every fifth far off above.
fn with_outliers() -> Line {
    let mut random = Normal::new(11);
    let point = |i: usize| {
        let x = 0.1 * i as f64;
        let outlier = if i % 5 == 2 { 30.0 + 3.0 * x } else { 0.0 };
        (x, 1.0 + 2.0 * x + 0.1 * random.draw() + outlier)
    };
    Line {
        points: (0..50).map(point).collect(),
    }
}

#[test]
fn outliers_mislead_least_squares_but_not_robust_losses() {
    let experiments = [with_outliers()];
    let plain = fit(LevenbergMarquardt::new(), &experiments);
    assert!((plain.estimates[0].value - 1.0).abs() > 3.0);
    let thresholds = [Loss::huber(0.15), Loss::soft_l1(0.15), Loss::cauchy(0.15)];
    for loss in thresholds.map(Result::unwrap) {
        let allowed = 0.1;
        let robust = fit(LevenbergMarquardt::new().loss(loss), &experiments);
        let (alpha, beta) = (robust.estimates[0].value, robust.estimates[1].value);
        assert!((alpha - 1.0).abs() < allowed, "{loss:?}: {alpha}");
        assert!((beta - 2.0).abs() < 0.5 * allowed, "{loss:?}: {beta}");
        for (i, &weight) in robust.experiments[0].weights.iter().enumerate() {
            let outlier = i % 5 == 2;
            assert!(
                if outlier { weight < 0.05 } else { weight > 0.1 },
                "{i}: {weight}"
            );
        }
    }
}

#[test]
fn robust_estimates_are_minima_of_the_robust_cost() {
    let experiments = [with_outliers()];
    for loss in losses() {
        let fit = fit(LevenbergMarquardt::new().loss(loss), &experiments);
        let cost = |alpha: f64, beta: f64| -> f64 {
            let points = experiments[0].points.iter();
            let squares = points.map(|(x, y)| (alpha + beta * x - y).powi(2));
            squares.map(|s| 0.5 * loss.evaluate(s)[0]).sum()
        };
        let (alpha, beta) = (fit.estimates[0].value, fit.estimates[1].value);
        assert_close(fit.cost, cost(alpha, beta), 1e-13);
        let h = 1e-5;
        let by_alpha = (cost(alpha + h, beta) - cost(alpha - h, beta)) / (2.0 * h);
        let by_beta = (cost(alpha, beta + h) - cost(alpha, beta - h)) / (2.0 * h);
        assert!(
            by_alpha.abs() < 1e-7 && by_beta.abs() < 1e-7,
            "{by_alpha} {by_beta}"
        );
        let costs: Vec<_> = fit.iterations.iter().map(|i| i.cost).collect();
        assert!(
            costs.windows(2).all(|c| c[1] <= c[0] * (1.0 + 1e-12)),
            "{costs:?}"
        );
    }
}

#[test]
fn a_bad_experiment_is_recognised_as_a_whole() {
    // Three of ten trajectories are shifted by 4: a residual there is not large enough to be
    // suspected on its own account (threshold 3), but its block is.
    let mut random = Normal::new(12);
    let experiments: Vec<_> = (0..10)
        .map(|k| {
            let shift = if k % 3 == 1 { 4.0 } else { 0.0 };
            let mut point = |i: usize| {
                let x = 0.2 * i as f64;
                (x, 1.0 + 2.0 * x + random.draw() + shift)
            };
            Line {
                points: (0..20).map(&mut point).collect(),
            }
        })
        .collect();
    let optimizer = LevenbergMarquardt::new().loss(Loss::cauchy(1.0).unwrap());
    let optimizer = optimizer.blocks(Blocks::Experiment).unwrap();
    let by_experiment = fit(optimizer, &experiments);
    for e in &by_experiment.experiments {
        let [weight] = e.weights[..] else {
            panic!("{:?}", e.weights);
        };
        assert_eq!(
            weight < 0.2,
            e.experiment % 3 == 1,
            "{}: {weight}",
            e.experiment
        );
    }
    assert!(
        (by_experiment.estimates[0].value - 1.0).abs() < 0.4,
        "{by_experiment}"
    );
    // The cost by its definition, Σ ½ N ρ(‖r‖²/N).
    let rho = |r: &[f64]| (1.0 + r.iter().map(|r| r * r).sum::<f64>() / 20.0).ln();
    let cost: f64 = (by_experiment.experiments.iter())
        .map(|e| 10.0 * rho(&e.residuals))
        .sum();
    assert_close(by_experiment.cost, cost, 1e-13);
}

#[test]
fn blocks_of_one_residual_are_residuals() {
    let experiments = [with_outliers()];
    let optimizer = LevenbergMarquardt::new().loss(Loss::huber(1.0).unwrap());
    let single = fit(optimizer.clone(), &experiments);
    let blocks = fit(
        optimizer.blocks(Blocks::Consecutive(1)).unwrap(),
        &experiments,
    );
    assert_eq!(single.values(), blocks.values());
    assert_eq!(single.covariance(0, 1), blocks.covariance(0, 1));
}

#[test]
fn the_variance_of_a_robust_mean_is_that_of_the_textbook() {
    // Huber's estimate of location: (n−1)/n Σ(ψ/(1−h))² / (Σψ′)² with leverages h = w/Σw.
    struct Location(Vec<f64>);
    impl Experiment for Location {
        type Error = Infallible;
        fn residual_count(&self) -> usize {
            self.0.len()
        }
        fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
            for (r, &y) in residuals.iter_mut().zip(&self.0) {
                *r = p[0] - y;
            }
            Ok(())
        }
    }
    let experiments = [Location(vec![
        0.1, -0.4, 0.9, 0.3, -1.1, 7.0, 0.6, -0.2, -5.0, 0.8,
    ])];
    let problem = Problem::new([unknown("mean", 0.0)], &experiments).unwrap();
    let c = 0.7;
    let optimizer = LevenbergMarquardt::new().loss(Loss::huber(c).unwrap());
    let fit = optimizer.fit(&problem).unwrap();
    let residuals = &fit.experiments[0].residuals;
    let psi = residuals.iter().map(|r| r.clamp(-c, c));
    assert!(psi.clone().sum::<f64>().abs() < 1e-9);
    let weights: f64 = residuals.iter().map(|r| (c / r.abs()).min(1.0)).sum();
    let without = |r: &f64| r.clamp(-c, c) / (1.0 - (c / r.abs()).min(1.0) / weights);
    let squares: f64 = residuals.iter().map(|r| without(r).powi(2)).sum();
    let inside = residuals.iter().filter(|r| r.abs() < c).count() as f64;
    assert!(inside < 10.0);
    let variance = 0.9 * squares / (inside * inside);
    assert_close(fit.covariance(0, 0).unwrap(), variance, 1e-9);
    assert_eq!(fit.degrees_of_freedom, Some(9));
}

#[test]
fn the_sandwich_over_experiments_is_that_of_the_textbook() {
    let mut random = Normal::new(13);
    let experiments: Vec<_> = (0..7)
        .map(|_| Line {
            points: (0..4).map(|_| (random.draw(), random.draw())).collect(),
        })
        .collect();
    let optimizer = LevenbergMarquardt::new().noise(Noise::Independent);
    let optimizer = optimizer.blocks(Blocks::Experiment).unwrap();
    let values =
        |experiments: &[Line]| DVector::from_vec(fit(optimizer.clone(), experiments).values());
    // A straight line is linear: the jackknife, fits with one experiment left out, is exact.
    let all = values(&experiments);
    let mut expected = DMatrix::zeros(2, 2);
    for left_out in 0..7 {
        let mut rest = experiments.clone();
        rest.remove(left_out);
        let off = values(&rest) - &all;
        expected += &off * off.transpose() * (6.0 / 7.0);
    }
    let fit = fit(optimizer.clone(), &experiments);
    for (i, j) in [(0, 0), (0, 1), (1, 1)] {
        assert_close(fit.covariance(i, j).unwrap(), expected[(i, j)], 1e-10);
    }
    // Robust, blocks of two, against differences of the score.
    let loss = Loss::cauchy(0.8).unwrap();
    let optimizer = LevenbergMarquardt::new().loss(loss);
    let robust = fit_robust(optimizer, &experiments);
    let score_of = |p: [f64; 2], points: &[(f64, f64)]| {
        let r: Vec<f64> = points.iter().map(|(x, y)| p[0] + p[1] * x - y).collect();
        let weight = loss.evaluate(r.iter().map(|r| r * r).sum::<f64>() / r.len() as f64)[1];
        let slope: f64 = points.iter().zip(&r).map(|((x, _), r)| x * r).sum();
        DVector::from_row_slice(&[r.iter().sum::<f64>(), slope]) * weight
    };
    let blocks: Vec<_> = experiments
        .iter()
        .flat_map(|e| e.points.chunks(2))
        .collect();
    let (alpha, beta) = (robust.estimates[0].value, robust.estimates[1].value);
    let total = |p: [f64; 2]| {
        let scores = blocks.iter().map(|b| score_of(p, b));
        scores.fold(DVector::zeros(2), |sum, s| sum + s)
    };
    let h = 1e-5;
    let columns = [
        (total([alpha + h, beta]) - total([alpha - h, beta])) / (2.0 * h),
        (total([alpha, beta + h]) - total([alpha, beta - h])) / (2.0 * h),
    ];
    let inverse = DMatrix::from_columns(&columns).try_inverse().unwrap();
    // Jacobian, residuals and weight of a block.
    let parts = |points: &[(f64, f64)]| {
        let j = DMatrix::from_fn(2, 2, |i, k| points[i].0.powi(k as i32));
        let r = DVector::from_fn(2, |i, _| alpha + beta * points[i].0 - points[i].1);
        let weight = loss.evaluate(r.norm_squared() / 2.0)[1];
        (j, r, weight)
    };
    let gram = blocks.iter().fold(DMatrix::zeros(2, 2), |sum, b| {
        let (j, _, weight) = parts(b);
        sum + j.tr_mul(&j) * weight
    });
    let gram_inverse = gram.try_inverse().unwrap();
    let meat = blocks.iter().fold(DMatrix::zeros(2, 2), |sum, b| {
        let (j, r, weight) = parts(b);
        let leverage = &j * &gram_inverse * j.transpose() * weight;
        let rest = (DMatrix::identity(2, 2) - leverage).try_inverse().unwrap();
        let score = j.tr_mul(&(rest * r)) * weight;
        sum + &score * score.transpose()
    });
    let expected = &inverse * meat * inverse.transpose() * (13.0 / 14.0);
    for (i, j) in [(0, 0), (0, 1), (1, 1)] {
        assert_close(robust.covariance(i, j).unwrap(), expected[(i, j)], 1e-6);
    }
}

fn fit_robust(optimizer: LevenbergMarquardt, experiments: &[Line]) -> Fit {
    fit(
        optimizer.blocks(Blocks::Consecutive(2)).unwrap(),
        experiments,
    )
}

#[test]
fn as_few_blocks_as_unknowns_leave_no_standard_errors() {
    let line = |k: usize| Line {
        points: (0..4).map(|i| (i as f64, (i * k) as f64 + 0.1)).collect(),
    };
    let experiments = [line(1), line(2)];
    let optimizer = LevenbergMarquardt::new().noise(Noise::Independent);
    let fit = fit(optimizer.blocks(Blocks::Experiment).unwrap(), &experiments);
    assert!(fit.estimates.iter().all(|e| e.standard_error.is_none()));
}

/// Z-scores of the slope over many draws, whose true value is 2.
fn z_scores(
    optimizer: &LevenbergMarquardt,
    draws: usize,
    mut experiments: impl FnMut() -> Vec<Line>,
) -> Vec<f64> {
    let score = |_| {
        let estimate = &fit(optimizer.clone(), &experiments()).estimates[1];
        (estimate.value - 2.0) / estimate.standard_error.unwrap()
    };
    (0..draws).map(score).collect()
}

#[test]
fn robust_standard_errors_are_those_of_repeated_draws() {
    // One measurement in ten has ten times the noise.
    let mut random = Normal::new(14);
    let mut draw = || {
        let mut point = |i: usize| {
            let x = (0.37 * i as f64).sin();
            let noise = if random.uniform() < 0.1 { 10.0 } else { 1.0 };
            (x, 1.0 + 2.0 * x + noise * random.draw())
        };
        vec![Line {
            points: (0..150).map(&mut point).collect(),
        }]
    };
    for loss in losses() {
        let optimizer = LevenbergMarquardt::new().loss(loss);
        assert_standard_normal(&z_scores(&optimizer, 800, &mut draw));
    }
}

#[test]
fn standard_errors_of_correlated_residuals_are_those_of_repeated_draws() {
    // Every experiment has its own x and its own offset.
    let mut random = Normal::new(15);
    let mut draw = || {
        (0..100)
            .map(|k| {
                let offset = random.draw();
                let x = (0.7 * k as f64).sin();
                let mut point = |_| (x, 1.0 + 2.0 * x + offset + 0.3 * random.draw());
                Line {
                    points: (0..10).map(&mut point).collect(),
                }
            })
            .collect()
    };
    let clustered = LevenbergMarquardt::new().noise(Noise::Independent);
    let clustered = clustered.blocks(Blocks::Experiment).unwrap();
    assert_standard_normal(&z_scores(&clustered, 800, &mut draw));
    // Taken for independent, the residuals promise three times too much.
    let (_, deviation) = moments(&z_scores(&LevenbergMarquardt::new(), 200, &mut draw));
    assert!(deviation > 2.5, "{deviation}");
}

/// How often the 95 % interval of the slope of a line through so many points with t-distributed noise
/// (3 degrees of freedom) contains the truth.
fn coverage(points: usize, loss: Loss, draws: u64) -> f64 {
    let hits = (0..draws).filter(|&seed| {
        let mut random = Normal::new(1000 + seed);
        let y = (0..points)
            .map(|i| {
                let square: f64 = (0..3).map(|_| random.draw().powi(2)).sum();
                1.0 + 2.0 * i as f64 / points as f64 + random.draw() / (square / 3.0).sqrt()
            })
            .collect();
        let experiments = [Points(y)];
        let unknowns = [unknown("offset", 0.0), unknown("slope", 0.0)];
        let problem = Problem::new(unknowns, &experiments).unwrap();
        let fit = LevenbergMarquardt::new().loss(loss).fit(&problem).unwrap();
        let interval = fit.confidence_interval(1, 0.95).unwrap();
        interval.is_some_and(|(low, high)| low < 2.0 && 2.0 < high)
    });
    hits.count() as f64 / draws as f64
}

/// Points of a straight line over [0, 1).
struct Points(Vec<f64>);

impl Experiment for Points {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        self.0.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        let m = self.0.len() as f64;
        for (i, (r, &y)) in residuals.iter_mut().zip(&self.0).enumerate() {
            let slope = p.get(1).map_or(T::zero(), |&slope| slope);
            *r = p[0] + slope * (i as f64 / m) - y;
        }
        Ok(())
    }
}

#[test]
fn robust_intervals_of_few_points_cover_the_truth() {
    for loss in [Loss::huber(1.345).unwrap(), Loss::cauchy(2.385).unwrap()] {
        let covered = coverage(20, loss, 2000);
        println!("{loss:?}: {covered}");
        assert!((0.935..0.975).contains(&covered), "{loss:?}: {covered}");
    }
}

#[test]
fn autocorrelated_residuals_are_warned_of() {
    let draw = |memory: f64, seed| {
        let (mut random, mut noise) = (Normal::new(seed), 0.0);
        let y = (0..100).map(|i| {
            noise = memory * noise + random.draw();
            1.0 + f64::from(i) + noise
        });
        Points(y.collect())
    };
    let unknowns = [unknown("offset", 0.0), unknown("slope", 0.0)];
    let experiments: Vec<Points> = (0..40)
        .map(|seed| draw(if seed % 2 == 0 { 0.0 } else { 0.8 }, seed))
        .collect();
    let problem = Problem::new(unknowns, &experiments).unwrap();
    let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
    let odd: Vec<usize> = (0..40).filter(|k| k % 2 == 1).collect();
    assert_eq!(fit.autocorrelated(), odd);
    let report = fit.to_string();
    assert!(
        report.contains("the residuals of experiment 1 are autocorrelated"),
        "{report}"
    );
    for e in fit.experiments.iter().filter(|e| e.experiment % 2 == 1) {
        assert!(e.autocorrelation.unwrap().lag_one > 0.5);
    }
    // Blocks of whole experiments do not take their residuals for independent.
    let by_blocks = LevenbergMarquardt::new()
        .noise(Noise::Independent)
        .blocks(Blocks::Experiment)
        .unwrap();
    assert!(by_blocks.fit(&problem).unwrap().autocorrelated().is_empty());
}

/// Of channels that take turns, each with memory, which neighbours do not show.
#[test]
fn autocorrelated_channels_are_warned_of() {
    const CHANNELS: usize = 20;
    for seed in 0..60 {
        let mut random = Normal::new(seed);
        let mut noise = [0.0; CHANNELS];
        let y = (0..60 * CHANNELS).map(|i| {
            let noise = &mut noise[i % CHANNELS];
            *noise = 0.7 * *noise + random.draw();
            1.0 + 0.5 * (i as f64 / (60 * CHANNELS) as f64) + *noise
        });
        let experiments = [Points(y.collect())];
        let unknowns = [unknown("offset", 0.0), unknown("slope", 0.0)];
        let problem = Problem::new(unknowns, &experiments).unwrap();
        let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
        assert_eq!(fit.autocorrelated(), [0]);
        assert_eq!(fit.experiments[0].autocorrelation.unwrap().stride, CHANNELS);
    }
    let mut random = Normal::new(7);
    let white = [Points((0..1200).map(|_| random.draw()).collect())];
    let problem = Problem::new([unknown("mean", 0.1)], &white).unwrap();
    let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
    assert!(fit.autocorrelated().is_empty());
}

/// Of channels with memory that take turns: the plain errors hold the truth in a third to two thirds of fits, those of long
/// stretches in 19 of 20, one recording or nine, whether outliers count less or not.
#[test]
fn errors_of_autocorrelated_residuals_cover_the_truth() {
    const ROWS: usize = 150;
    let optimizers = || {
        let huber = Loss::huber(2.0).unwrap();
        let robust = LevenbergMarquardt::new().loss(huber);
        [LevenbergMarquardt::new(), robust]
    };
    let sizes = [(1, 1), (4, 1), (11, 1), (20, 1), (2, 9)];
    for (channels, recordings) in sizes.into_iter().step_by(tier(2, 1)) {
        for (kind, optimizer) in optimizers().into_iter().enumerate() {
            let (mut plain, mut covered, mut count) = (0, 0, 0);
            for seed in 0..200 {
                let mut random = Normal::new(1000 + seed);
                let experiments: Vec<Points> = (0..recordings)
                    .map(|_| {
                        let mut noise = vec![0.0; channels];
                        let y = (0..ROWS * channels).map(|i| {
                            let noise = &mut noise[i % channels];
                            *noise = 0.8 * *noise + random.draw();
                            1.0 + 0.5 * (i as f64 / (ROWS * channels) as f64) + *noise
                        });
                        Points(y.collect())
                    })
                    .collect();
                let unknowns = [unknown("offset", 0.0), unknown("slope", 0.0)];
                let problem = Problem::new(unknowns, &experiments).unwrap();
                let fit = optimizer.clone().fit(&problem).unwrap();
                for (estimate, truth) in fit.estimates.iter().zip([1.0, 0.5]) {
                    let error = (estimate.value - truth).abs() / 1.96;
                    count += 1;
                    plain += usize::from(error < estimate.standard_error.unwrap());
                    covered += usize::from(error < estimate.correlated_standard_error.unwrap());
                }
            }
            let share = |n: usize| n as f64 / f64::from(count);
            println!(
                "{channels} × {recordings}, {kind}: {} {}",
                share(plain),
                share(covered)
            );
            assert!(share(plain) < 0.75, "{}", share(plain));
            assert!((0.9..0.985).contains(&share(covered)), "{}", share(covered));
        }
    }
    // White residuals have none.
    let mut random = Normal::new(5);
    let white = [Points((0..400).map(|_| random.draw()).collect())];
    let problem = Problem::new([unknown("mean", 0.1)], &white).unwrap();
    let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
    assert_eq!(fit.estimates[0].correlated_standard_error, None);
}

/// A straight line, with an offset of its own in some recordings.
struct Own {
    offset: Option<usize>,
    y: Vec<f64>,
}

impl Experiment for Own {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        self.y.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        let m = self.y.len() as f64;
        for (i, (r, &y)) in residuals.iter_mut().zip(&self.y).enumerate() {
            let offset = self.offset.map_or(T::zero(), |k| p[k + 1]);
            *r = offset + p[0] * (i as f64 / m) - y;
        }
        Ok(())
    }
}

/// What one recording alone determines has the variance of independent residuals with blocks, and no error by stretches.
#[test]
fn what_one_part_alone_determines_is_not_certain() {
    let (mut off, mut covered, mut count) = (0.0, 0, 0);
    for seed in 0..60 {
        let mut random = Normal::new(300 + seed);
        let mut draw = |memory: f64| -> Vec<Own> {
            (0..12)
                .map(|recording| {
                    let mut noise = 0.0;
                    let y = (0..120).map(|i| {
                        noise = memory * noise + random.draw();
                        0.5 * (f64::from(i) / 120.0) + noise
                    });
                    Own {
                        offset: Some(recording).filter(|k| *k < 4),
                        y: y.collect(),
                    }
                })
                .collect()
        };
        let mut unknowns = vec![unknown("slope", 0.1)];
        unknowns.extend((0..4).map(|k| unknown(&format!("offset {k}"), 0.1)));
        let (white, correlated) = (draw(0.0), draw(0.8));
        let problem = Problem::new(unknowns.clone(), &white).unwrap();
        let blocks = LevenbergMarquardt::new().noise(Noise::Independent);
        let blocks = blocks.blocks(Blocks::Experiment).unwrap();
        let fit = blocks.fit(&problem).unwrap();
        for estimate in &fit.estimates[1..] {
            off += (estimate.value / estimate.standard_error.unwrap()).powi(2) / (60.0 * 4.0);
        }
        let problem = Problem::new(unknowns, &correlated).unwrap();
        let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
        for estimate in &fit.estimates[1..] {
            assert_eq!(estimate.correlated_standard_error, None);
        }
        let slope = &fit.estimates[0];
        let error = slope.correlated_standard_error.unwrap();
        count += 1;
        covered += usize::from((slope.value - 0.5).abs() < 1.96 * error);
    }
    assert!((0.6..1.5).contains(&off), "{off}");
    assert!(covered * 100 >= count * 88, "{covered} of {count}");
}

/// Recordings of very different lengths count by what they hold.
#[test]
fn long_and_short_recordings_are_not_alike() {
    for lengths in [&[1500, 30][..], &[1500, 1500, 40, 40, 40, 40]] {
        let mut covered = 0;
        for seed in 0..200 {
            let mut random = Normal::new(900 + seed);
            let experiments: Vec<Points> = lengths
                .iter()
                .map(|&length| {
                    let mut noise = 0.0;
                    let y = (0..length).map(|_| {
                        noise = 0.8 * noise + random.draw();
                        1.0 + noise
                    });
                    Points(y.collect())
                })
                .collect();
            let problem = Problem::new([unknown("mean", 0.1)], &experiments).unwrap();
            let fit = LevenbergMarquardt::new().fit(&problem).unwrap();
            let mean = &fit.estimates[0];
            let error = mean.correlated_standard_error.unwrap();
            covered += usize::from((mean.value - 1.0).abs() < 1.96 * error);
        }
        println!("{lengths:?}: {covered} of 200");
        assert!((180..=198).contains(&covered), "{lengths:?}: {covered}");
    }
}

/// With 40 residuals as with any other number, though the deviates of 40 are above 4 in one of a thousand tests.
#[test]
fn white_residuals_are_not_warned_of() {
    let mut random = Normal::new(11);
    let experiments: Vec<Points> = (0..6000)
        .map(|_| Points((0..40).map(|_| random.draw()).collect()))
        .collect();
    let deviates = experiments.iter().map(|experiment| {
        let problem = Problem::new([unknown("mean", 0.1)], std::slice::from_ref(experiment));
        let fit = LevenbergMarquardt::new().fit(&problem.unwrap()).unwrap();
        assert!(fit.autocorrelated().is_empty(), "{fit}");
        fit.experiments[0].autocorrelation.unwrap().deviate
    });
    let above = deviates.filter(|&deviate| deviate > 4.0).count();
    assert!((2..15).contains(&above), "{above}");
}

#[test]
fn outliers_do_not_spoil_the_robust_scale() {
    let mut random = Normal::new(5);
    let y = (0..1000).map(|i| 2.0 * random.draw() + if i % 10 == 0 { 500.0 } else { 0.0 });
    let experiments = [Points(y.collect())];
    let problem = Problem::new([unknown("a", 0.0), unknown("b", 0.0)], &experiments).unwrap();
    let optimizer = LevenbergMarquardt::new().loss(Loss::cauchy(5.0).unwrap());
    let fit = optimizer.fit(&problem).unwrap();
    // A tenth of outliers moves the median from 0.6745 to the quantile of 5/9, 0.7647.
    assert_close(
        fit.robust_residual_scale().unwrap(),
        2.0 * 0.7647 * 1.4826,
        0.1,
    );
    assert!(fit.residual_standard_deviation().unwrap() > 100.0);
}

/// Thresholds and residuals of all sizes that are accepted: numbers in between those of the neighbouring laws.
#[test]
fn losses_do_not_overflow() {
    let made = [Loss::huber, Loss::soft_l1, Loss::cauchy];
    for make in made {
        for c in [1e-140, 1e-100, 1e-3, 1.0, 1e3, 1e100, 1e140] {
            let loss = make(c).unwrap();
            for s in [0.0, 1e-280, 1e-6, 2.0, 1e10, 1e280, f64::MAX] {
                let [rho, slope, second] = loss.evaluate(s);
                assert!((0.0..=s).contains(&rho), "{loss:?} at {s:e}: {rho:e}");
                assert!((0.0..=1.0).contains(&slope), "{loss:?} at {s:e}: {slope:e}");
                assert!(second.is_finite() && second <= 0.0, "{loss:?} at {s:e}");
                // ρ(s) = c² ρ₁(s/c²), where that is a number.
                let scaled = s / (c * c);
                let [unit, unit_slope, _] = make(1.0).unwrap().evaluate(scaled);
                if (1e-12..1e290).contains(&scaled) {
                    assert_close(rho, c * c * unit, 1e-12);
                    assert_close(slope, unit_slope, 1e-12);
                }
            }
        }
        for c in [1e-170, 1e170, 0.0, -1.0, f64::INFINITY, f64::NAN] {
            let error = make(c).unwrap_err().to_string();
            assert!(error.contains("from 1e-140 to 1e140"), "{error}");
        }
    }
}
