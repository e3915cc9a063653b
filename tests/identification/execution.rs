//! Who evaluates the experiments does not matter: executors that divide them in any way.

use super::common::unknown;
use crate::support::cases::cases;
use dualbody::Scalar;
use dualbody::identification::{
    Answer, Blocks, Evaluator, ExecutionError, Executor, Experiment, Fit, IdentificationError,
    Items, LevenbergMarquardt, Loss, Noise, Parallelism, Part, Parts, Problem, Question,
};
use proptest::prelude::*;
use std::ops::{ControlFlow, Range};

/// `a e^(−b t)` at some times, in an experiment of its own scale; outliers now and then.
struct Decay {
    scale: f64,
    measured: Vec<f64>,
}

fn decays(count: usize) -> Vec<Decay> {
    (0..count)
        .map(|i| {
            let scale = 1.0 + 0.37 * i as f64;
            let noise = |k: usize| ((i * 31 + k * 17) as f64).sin() * 0.03;
            let outlier = if i % 7 == 3 { 0.8 } else { 0.0 };
            let measured = (0..4 + i % 3)
                .map(|k| scale * 2.0 * (-0.7 * k as f64).exp() + noise(k) + outlier)
                .collect();
            Decay { scale, measured }
        })
        .collect()
}

impl Experiment for Decay {
    type Error = std::convert::Infallible;

    fn residual_count(&self) -> usize {
        self.measured.len()
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Self::Error> {
        for (k, (r, &y)) in residuals.iter_mut().zip(&self.measured).enumerate() {
            *r = p[0] * (p[1] * -(k as f64)).exp() * self.scale - T::from(y);
        }
        Ok(())
    }
}

/// Evaluates pieces between given bounds, the last piece first, each with a new evaluator, as a
/// process that knows the problem only.
struct Pieces<'a> {
    problem: &'a Problem<'a, Decay>,
    bounds: Vec<usize>,
}

impl<'a> Executor<Evaluator<'a, Decay>> for Pieces<'a> {
    fn evaluate(
        &mut self,
        items: &Evaluator<'a, Decay>,
        question: &Question,
        range: Range<usize>,
    ) -> Result<Answer, ExecutionError> {
        assert_eq!(range, 0..items.count());
        let mut bounds = vec![range.start, range.end];
        bounds.extend(self.bounds.iter().map(|b| b % (range.end + 1)));
        bounds.sort_unstable();
        let mut all = Parts::default();
        for bounds in bounds.windows(2).rev() {
            let mut parts = Parts::default();
            let piece = bounds[0]..bounds[1];
            let elsewhere = Evaluator::new(self.problem);
            Parallelism::Serial.extend(&mut parts, &elsewhere, question, piece);
            all.merge(parts);
        }
        Ok(all.whole(range).unwrap())
    }
}

fn optimisers() -> [LevenbergMarquardt; 2] {
    let robust = (LevenbergMarquardt::new().loss(Loss::cauchy(0.1).unwrap()))
        .blocks(Blocks::Experiment)
        .unwrap()
        .noise(Noise::Independent);
    [LevenbergMarquardt::new(), robust]
}

fn bits(fit: &Fit) -> Vec<u64> {
    let mut numbers: Vec<f64> = vec![fit.cost, fit.initial_cost, fit.relative_offset];
    for iteration in &fit.iterations {
        numbers.extend([iteration.trial_cost, iteration.step, iteration.damping]);
        numbers.extend(&iteration.values);
    }
    numbers.extend(fit.estimates.iter().filter_map(|e| e.standard_error));
    numbers.extend(fit.experiments.iter().flat_map(|e| &e.residuals));
    numbers.extend(fit.residual_standard_deviation());
    numbers.iter().map(|x| x.to_bits()).collect()
}

proptest! {
    #![proptest_config(cases(16))]
    #[test]
    fn a_fit_has_the_same_bits_however_its_experiments_are_divided(
        count in 1usize..40,
        bounds in prop::collection::vec(0usize..1000, 0..8),
    ) {
        let experiments = decays(count);
        let problem = Problem::new([unknown("a", 1.0), unknown("b", 0.3)], &experiments).unwrap();
        for optimiser in optimisers() {
            let alone = optimiser.fit(&problem).unwrap();
            let divided = Pieces { problem: &problem, bounds: bounds.clone() };
            let divided = optimiser
                .fit_on(&problem, &problem.initial_values(), divided, |_| ControlFlow::Continue(()))
                .unwrap();
            prop_assert_eq!(bits(&divided), bits(&alone));
        }
    }

    #[test]
    fn parts_join_in_order_and_along_the_same_tree(
        count in 1usize..70,
        order in any::<u64>(),
    ) {
        // Sums of numbers whose order matters to the last bit.
        #[derive(Debug, Clone, Default, PartialEq)]
        struct Sum { total: f64, items: Vec<usize> }
        impl Part for Sum {
            fn absorb(&mut self, mut next: Self) {
                self.total += next.total;
                self.items.append(&mut next.items);
            }
        }
        let leaf = |i: usize| Sum { total: 0.1 + (i as f64).sqrt(), items: vec![i] };
        let mut in_order = Parts::default();
        (0..count).for_each(|i| in_order.insert(i, 1, leaf(i)));
        let mut shuffled: Vec<usize> = (0..count).collect();
        shuffled.sort_by_key(|&i| (i as u64 + 1).wrapping_mul(order | 1).rotate_left(17));
        let mut halves = [Parts::default(), Parts::default()];
        for (k, &i) in shuffled.iter().enumerate() {
            halves[k % 2].insert(i, 1, leaf(i));
        }
        let [mut all, rest] = halves;
        all.merge(rest);
        prop_assert!(all.ranges().count() <= 1 + count.ilog2() as usize);
        prop_assert_eq!(all.missing(0..count + 1), Some(count));
        let whole = all.whole(0..count).unwrap();
        prop_assert_eq!(&whole.items, &(0..count).collect::<Vec<_>>());
        prop_assert_eq!(Some(whole), in_order.whole(0..count));
    }
}

#[test]
fn a_missing_item_is_named() {
    let mut parts = Parts::default();
    for i in [0, 1, 2, 4, 5] {
        parts.insert(i, 1, vec![i]);
    }
    assert_eq!(parts.missing(0..6), Some(3));
    assert_eq!(parts.missing(4..6), None);
    assert_eq!(parts.whole(0..6), None);
}

/// Answers so many questions and then no more.
struct Patience(usize);

impl<I: Items> Executor<I> for Patience {
    fn evaluate(
        &mut self,
        items: &I,
        question: &I::Question,
        range: Range<usize>,
    ) -> Result<I::Part, ExecutionError> {
        self.0 = self.0.checked_sub(1).ok_or("nobody is there")?;
        Parallelism::Serial.evaluate(items, question, range)
    }
}

#[test]
fn a_fit_ends_with_the_error_of_its_executor() {
    let experiments = decays(5);
    let problem = Problem::new([unknown("a", 1.0), unknown("b", 0.3)], &experiments).unwrap();
    for patience in [0, 1, 2, 5] {
        let fit = LevenbergMarquardt::new().fit_on(
            &problem,
            &problem.initial_values(),
            Patience(patience),
            |_| ControlFlow::Continue(()),
        );
        let Err(IdentificationError::Execution(error)) = fit else {
            panic!("{patience}: {fit:?}");
        };
        assert_eq!(error.to_string(), "nobody is there");
    }
}

#[test]
fn a_fit_without_residuals_is_the_same_fit() {
    let experiments = decays(9);
    let problem = Problem::new([unknown("a", 1.0), unknown("b", 0.3)], &experiments).unwrap();
    for optimiser in optimisers() {
        let with = optimiser.fit(&problem).unwrap();
        let without = optimiser.keep_residuals(false).fit(&problem).unwrap();
        assert!(without.experiments.is_empty());
        assert_eq!(without.experiment_count, 9);
        assert_eq!(with.experiment_count, with.experiments.len());
        assert_eq!(without.estimates, with.estimates);
        let deviation = with.residual_standard_deviation();
        assert_eq!(without.residual_standard_deviation(), deviation);
        assert_eq!(without.robust_residual_scale(), None);
        let squares = with
            .experiments
            .iter()
            .flat_map(|e| &e.residuals)
            .map(|r| r * r);
        let spare = (with.residual_count - 2) as f64;
        let expected = (squares.sum::<f64>() / spare).sqrt();
        assert!((deviation.unwrap() - expected).abs() < 1e-14 * expected);
    }
}
