//! Fits of long motions in segments whose states are eliminated.

use crate::common::{Normal, assert_close, assert_standard_normal};
use crate::support::cases::tier;
use dualbody::Parameters;
use dualbody::identification::{
    Blocks, Experiment, Fit, LevenbergMarquardt, MultipleShooting, Noise, Problem,
    SegmentedTrajectory, Shooting, Stage, Unknown,
};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use std::convert::Infallible;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicUsize, Ordering};

const STEPS: usize = 200;
/// s
const STEP: f64 = 0.01;
/// rad, rad/s
const NOISE: [f64; 2] = [1e-3, 1e-2];
/// Mass of the payload in kg, damping of the joints in N m s/rad.
const TRUTH: [f64; 4] = [2.0, 0.3, 0.2, 0.1];

/// An arm of three joints that swings a payload, with torques on its joints.
struct Arm {
    tree: RigidBodyTree<f64>,
    /// Angles and rates at every step, the first too.
    measured: Vec<[f64; 6]>,
}

impl Arm {
    fn new() -> Self {
        let mut builder = RigidBodyTreeBuilder::new();
        let mut parent = BodyIndex::WORLD;
        let axes = [Vector3::z(), Vector3::y(), Vector3::y()];
        for (k, axis) in axes.into_iter().enumerate() {
            let mut link = SpatialInertia::solid_box(1.0, &Vector3::new(0.4, 0.06, 0.05));
            link.center_of_mass = Vector3::new(0.2, 0.0, 0.0);
            let link = builder.add_body(format!("link{k}"), link).unwrap();
            let offset = if k == 0 { 0.0 } else { 0.4 };
            let pose = RigidTransform::from_translation(Vector3::new(offset, 0.0, 0.0));
            let kind = JointKind::Revolute { axis };
            builder
                .add_joint(format!("joint{k}"), kind, parent, pose, link)
                .unwrap();
            parent = link;
        }
        let payload = SpatialInertia::solid_sphere(0.5, 0.05);
        let payload = builder.add_body("payload", payload).unwrap();
        let tip = RigidTransform::from_translation(Vector3::new(0.4, 0.0, 0.0));
        builder
            .add_joint("grip", JointKind::Fixed, parent, tip, payload)
            .unwrap();
        let mut arm = Arm {
            tree: builder.finish().unwrap(),
            measured: vec![[0.0; 6]; STEPS + 1],
        };
        let mut state = [0.3, -0.4, 0.8, 0.0, 0.0, 0.0];
        let mut random = Normal::new(1);
        for k in 0..=STEPS {
            arm.measured[k] = std::array::from_fn(|i| state[i] + NOISE[i / 3] * random.draw());
            if k < STEPS {
                arm.simulate(&TRUTH, k..k + 1, &mut state, |_, _| {})
                    .unwrap();
            }
        }
        arm
    }

    fn simulate<T: Scalar>(
        &self,
        unknowns: &[T],
        steps: Range<usize>,
        state: &mut [T],
        mut measure: impl FnMut(usize, &[T]),
    ) -> Result<(), TreeError> {
        let mut tree = self.tree.cast::<T>();
        tree.set_parameter("body/payload/mass", unknowns[0])
            .unwrap();
        let (mut ws, mut vdot) = (tree.workspace(), [T::zero(); 3]);
        for step in steps {
            tree.set_state(&mut ws, &state[..3], &state[3..])?;
            let time = STEP * step as f64;
            let torque = |i: usize| 6.0 * ((2.0 + i as f64) * time + i as f64).sin();
            let tau: [T; 3] =
                std::array::from_fn(|i| T::from(torque(i)) - unknowns[1 + i] * state[3 + i]);
            tree.forward_dynamics(&mut ws, &tau, None, &mut vdot)?;
            for i in 0..3 {
                state[3 + i] += vdot[i] * STEP;
                let rate = state[3 + i];
                state[i] += rate * STEP;
            }
            measure(step + 1, state);
        }
        Ok(())
    }
}

impl SegmentedTrajectory for Arm {
    type Error = TreeError;

    fn interval_count(&self) -> usize {
        STEPS
    }

    fn residual_count(&self, intervals: Range<usize>) -> usize {
        6 * intervals.len()
    }

    fn state_deviations(&self) -> Vec<f64> {
        (0..6).map(|i| NOISE[i / 3]).collect()
    }

    fn guess(&self, interval: usize) -> Vec<f64> {
        self.measured[interval].to_vec()
    }

    fn is_start_known(&self) -> bool {
        false
    }

    fn shoot<T: Scalar>(
        &self,
        unknowns: &[T],
        intervals: Range<usize>,
        state: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), TreeError> {
        let mut residuals = residuals.chunks_exact_mut(6);
        self.simulate(unknowns, intervals, state, |step, state| {
            for (i, r) in residuals.next().into_iter().flatten().enumerate() {
                *r = (state[i] - self.measured[step][i]) * NOISE[i / 3].recip();
            }
        })
    }
}

/// The payload is guessed forty times too heavy, the damping as next to none.
fn poor_guess() -> Vec<Unknown> {
    let payload = Unknown::new("payload", "kg", 80.0).unwrap();
    let mut unknowns = vec![payload.logarithmic().unwrap()];
    for i in 0..3 {
        let damping = Unknown::new(format!("damping {i}"), "N m s/rad", 1e-3).unwrap();
        unknowns.push(damping.scale(0.1).unwrap().bounds(0.0, 50.0).unwrap());
    }
    unknowns
}

#[test]
fn a_poor_guess_that_one_shoot_does_not_survive() {
    let arms = [Arm::new()];
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let carry_on = |_: usize, _: &_| ControlFlow::Continue(());

    let whole = MultipleShooting::new(optimiser.clone(), STEPS).unwrap();
    let one = whole.fit(&poor_guess(), &arms, carry_on).unwrap();
    assert!(one.stages.is_empty());
    assert!(one.fit.initial_cost > 1e9, "{:e}", one.fit.initial_cost);
    let expected = 0.5 * one.fit.residual_count as f64;
    assert!(one.fit.cost > 100.0 * expected, "{}", one.fit);

    let staged = MultipleShooting::new(optimiser, 5).unwrap();
    let found = staged.fit(&poor_guess(), &arms, carry_on).unwrap();
    let segments: Vec<usize> = found.stages.iter().map(|s| s.segment).collect();
    assert_eq!(segments, [5, 20, 80]);
    assert!(found.fit.stop.is_converged(), "{}", found.fit);
    assert!(
        (0.8..1.2).contains(&(found.fit.cost / expected)),
        "{}",
        found.fit
    );
    for (estimate, truth) in found.fit.estimates.iter().zip(TRUTH) {
        let error = estimate.standard_error.unwrap();
        assert!(
            (estimate.value - truth).abs() < 4.0 * error,
            "{}",
            found.fit
        );
        assert!(error < 0.05 * truth, "{}", found.fit);
    }
    let start = [0.3, -0.4, 0.8, 0.0, 0.0, 0.0];
    for (i, (found, truth)) in found.starts[0].iter().flatten().zip(start).enumerate() {
        assert!((found - truth).abs() < 4.0 * NOISE[i / 3]);
    }
}

/// `x⁺ = A x + p`, bent by a sine, and a residual of each coordinate; counts the intervals that were
/// simulated.
struct Linear {
    count: usize,
    is_known: bool,
    /// How much the first coordinate bends the second.
    bend: f64,
    simulated: AtomicUsize,
}

const DEVIATIONS: [f64; 2] = [0.5, 2.0];

fn data(k: usize, i: usize) -> f64 {
    (1.3 * k as f64 + 0.7 * i as f64).sin()
}

fn advance<T: Scalar>(x: [T; 2], p: &[T]) -> [T; 2] {
    [
        x[0] * 0.9 + x[1] * 0.2 + p[0],
        x[1] * 0.8 - x[0] * 0.3 + p[1],
    ]
}

impl Linear {
    fn new(count: usize, is_known: bool) -> Self {
        let simulated = AtomicUsize::new(0);
        Linear {
            count,
            is_known,
            bend: 0.0,
            simulated,
        }
    }
}

impl SegmentedTrajectory for Linear {
    type Error = Infallible;

    fn interval_count(&self) -> usize {
        self.count
    }

    fn residual_count(&self, intervals: Range<usize>) -> usize {
        2 * intervals.len()
    }

    fn state_deviations(&self) -> Vec<f64> {
        DEVIATIONS.to_vec()
    }

    fn guess(&self, interval: usize) -> Vec<f64> {
        vec![data(interval, 0), data(interval, 1)]
    }

    fn is_start_known(&self) -> bool {
        self.is_known
    }

    fn shoot<T: Scalar>(
        &self,
        unknowns: &[T],
        intervals: Range<usize>,
        state: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), Infallible> {
        self.simulated.fetch_add(intervals.len(), Ordering::Relaxed);
        for (k, r) in intervals.zip(residuals.chunks_exact_mut(2)) {
            let next = advance([state[0], state[1]], unknowns);
            state.copy_from_slice(&next);
            if self.bend != 0.0 {
                state[1] += (state[0] * 2.0).sin() * self.bend;
            }
            for i in 0..2 {
                r[i] = (state[i] - data(k + 1, i)) * 5.0;
            }
        }
        Ok(())
    }
}

/// The gradient of the cost is exact away from its minimum, where the derivatives of single residuals
/// leave out a part.
#[test]
fn gradient_of_the_cost_is_that_of_differences() {
    let mut trajectory = Linear::new(24, false);
    trajectory.bend = 0.3;
    let shootings = [Shooting::new(&trajectory, 6).unwrap()];
    let unknown = |name| Unknown::new(name, "1", 0.5).unwrap();
    let problem = Problem::new([unknown("p0"), unknown("p1")], &shootings).unwrap();
    let values = [0.4, -0.6];
    let cost = |p: &[f64]| 0.5 * problem.residuals(0, p).unwrap().norm_squared();
    let jacobian = problem.jacobian(0, &values).unwrap();
    let gradient = jacobian.tr_mul(&problem.residuals(0, &values).unwrap());
    for j in 0..2 {
        let [mut plus, mut minus] = [values; 2];
        plus[j] += 1e-5;
        minus[j] -= 1e-5;
        let difference = (cost(&plus) - cost(&minus)) / 2e-5;
        assert_close(gradient[j], difference, 1e-6);
    }
}

/// Estimates and standard errors are those of a fit of unknowns and all states together.
#[test]
fn elimination_gives_the_estimates_and_errors_of_all_unknowns_together() {
    for is_known in [false, true] {
        let linear = [Linear::new(12, is_known)];
        let shootings = [Shooting::new(&linear[0], 3).unwrap()];
        let unknown = |name| Unknown::new(name, "1", 0.5).unwrap();
        let problem = Problem::new([unknown("p0"), unknown("p1")], &shootings).unwrap();
        let fit = LevenbergMarquardt::new()
            .noise(Noise::Unit)
            .fit(&problem)
            .unwrap();

        // Unknowns p, s_0 … s_3; what is held starts at its data.
        let residuals = |x: &[f64]| {
            let mut r = Vec::new();
            for i in 0..2 {
                let weight = if is_known { 1e6 } else { 1.0 };
                r.push(weight * (x[2 + i] - data(0, i)) / DEVIATIONS[i]);
            }
            for k in 0..4 {
                let mut state = [x[2 + 2 * k], x[3 + 2 * k]];
                for step in 3 * k..3 * k + 3 {
                    state = advance(state, &x[..2]);
                    r.extend((0..2).map(|i| 5.0 * (state[i] - data(step + 1, i))));
                }
                if k < 3 {
                    r.extend((0..2).map(|i| (state[i] - x[4 + 2 * k + i]) / DEVIATIONS[i]));
                }
            }
            DVector::from_vec(r)
        };
        let zero = residuals(&[0.0; 10]);
        let columns: Vec<_> = (0..10)
            .map(|j| {
                residuals(&std::array::from_fn::<f64, 10, _>(|i| {
                    f64::from(u8::from(i == j))
                })) - &zero
            })
            .collect();
        let a = DMatrix::from_columns(&columns);
        let covariance = a.tr_mul(&a).try_inverse().unwrap();
        let expected = -(&covariance * a.tr_mul(&zero));
        let cost = 0.5 * (&a * &expected + &zero).norm_squared();
        assert_close(fit.cost, cost, 1e-8);
        let states = shootings[0].states(&fit.values()).unwrap();
        for j in 0..2 {
            assert_close(fit.estimates[j].value, expected[j], 1e-7);
            assert_close(
                fit.estimates[j].standard_error.unwrap(),
                covariance[(j, j)].sqrt(),
                1e-7,
            );
            for k in 0..4 {
                assert!((states[k][j] - expected[2 + 2 * k + j]).abs() < 1e-7);
            }
        }
        let held = usize::from(!is_known) * 2;
        assert_eq!(shootings[0].residual_count(), 24 + 6 + held);
    }
}

/// Eight times the segments are eight times the intervals that are simulated, for values and for duals.
#[test]
fn work_is_linear_in_the_number_of_segments() {
    let work = |segments: usize| {
        let linear = Linear::new(2 * segments, false);
        let shootings = [Shooting::new(&linear, 2).unwrap()];
        let unknown = |name| Unknown::new(name, "1", 0.5).unwrap();
        let problem = Problem::new([unknown("p0"), unknown("p1")], &shootings).unwrap();
        problem.residuals(0, &[0.4, 0.3]).unwrap();
        problem.jacobian(0, &[0.4, 0.3]).unwrap();
        linear.simulated.load(Ordering::Relaxed)
    };
    let few = work(8);
    assert_eq!(work(64), 8 * few);
    assert_eq!(work(512), 64 * few);
}

#[test]
fn descriptions_that_make_no_sense_are_errors() {
    let linear = Linear::new(4, false);
    assert!(Shooting::new(&linear, 0).is_err());
    assert!(Shooting::new(&Linear::new(0, false), 1).is_err());
    assert!(MultipleShooting::new(LevenbergMarquardt::new(), 0).is_err());
    let staged = MultipleShooting::new(LevenbergMarquardt::new(), 2).unwrap();
    assert!(staged.clone().growth(1).is_err());
    let none: [Linear; 0] = [];
    assert!(
        staged
            .fit(&[], &none, |_, _| ControlFlow::Continue(()))
            .is_err()
    );
    // A wish to stop ends the stages.
    let unknown = Unknown::new("p0", "1", 0.5).unwrap();
    let second = Unknown::new("p1", "1", 0.5).unwrap();
    let fit = staged.fit(&[unknown, second], &[linear], |_, _| ControlFlow::Break(()));
    assert!(fit.unwrap().stages.is_empty());
}

#[test]
fn a_trajectory_that_fails_is_left_out() {
    /// Falls from rest, or cannot be simulated.
    struct Fall(bool);

    impl SegmentedTrajectory for Fall {
        type Error = TreeError;

        fn interval_count(&self) -> usize {
            8
        }

        fn residual_count(&self, intervals: Range<usize>) -> usize {
            intervals.len()
        }

        fn state_deviations(&self) -> Vec<f64> {
            vec![0.01]
        }

        fn guess(&self, interval: usize) -> Vec<f64> {
            vec![2.0 * interval as f64]
        }

        fn is_start_known(&self) -> bool {
            true
        }

        fn shoot<T: Scalar>(
            &self,
            unknowns: &[T],
            intervals: Range<usize>,
            state: &mut [T],
            residuals: &mut [T],
        ) -> Result<(), TreeError> {
            if self.0 {
                return Err(dualbody::InvalidInput::NotFinite {
                    quantity: "speed",
                    index: None,
                    value: f64::NAN,
                }
                .into());
            }
            for (r, interval) in residuals.iter_mut().zip(intervals) {
                state[0] += unknowns[0];
                *r = (state[0] - 2.0 * (interval as f64 + 1.0)) * 100.0;
            }
            Ok(())
        }
    }

    let shooting = MultipleShooting::new(LevenbergMarquardt::new().noise(Noise::Unit), 2).unwrap();
    let speed = [Unknown::new("speed", "m/s", 1.0).unwrap()];
    let found = shooting.fit(&speed, &[Fall(false), Fall(true)], |_, _| {
        ControlFlow::Continue(())
    });
    let found = found.unwrap();
    assert_eq!(found.fit.left_out(), [1]);
    assert_close(found.fit.estimates[0].value, 2.0, 1e-9);
    assert_eq!(found.starts, [Some(vec![0.0]), None]);
}

/// An oscillation of which the angle is measured to 0.01 rad, and hardly anything is known of the rate at the start.
struct Ringing {
    angles: Vec<f64>,
    /// Of states between segments.
    deviations: [f64; 2],
}

const RINGING_DEVIATIONS: [f64; 2] = [0.01, 3.0];

impl Ringing {
    fn advance<T: Scalar>(stiffness: T, state: &mut [T]) {
        for _ in 0..10 {
            let acceleration = -stiffness * state[0];
            state[1] += acceleration * 0.01;
            let rate = state[1];
            state[0] += rate * 0.01;
        }
    }

    fn draw(random: &mut Normal) -> Self {
        let mut state = [random.draw(), 3.0 * random.draw()];
        let angles = (0..4).map(|k| {
            if k > 0 {
                Self::advance(20.0, &mut state);
            }
            state[0] + 0.01 * random.draw()
        });
        Ringing {
            angles: angles.collect(),
            deviations: RINGING_DEVIATIONS,
        }
    }
}

impl SegmentedTrajectory for Ringing {
    type Error = Infallible;

    fn interval_count(&self) -> usize {
        self.angles.len() - 1
    }

    fn residual_count(&self, intervals: Range<usize>) -> usize {
        intervals.len()
    }

    fn state_deviations(&self) -> Vec<f64> {
        self.deviations.to_vec()
    }

    fn guess(&self, interval: usize) -> Vec<f64> {
        vec![self.angles[interval], 0.0]
    }

    fn is_start_known(&self) -> bool {
        false
    }

    fn shoot<T: Scalar>(
        &self,
        unknowns: &[T],
        intervals: Range<usize>,
        state: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), Infallible> {
        for (r, k) in residuals.iter_mut().zip(intervals) {
            Self::advance(unknowns[0], state);
            *r = (state[0] - self.angles[k + 1]) * 100.0;
        }
        Ok(())
    }
}

/// All of them, with their starts among the unknowns.
struct Together<'a>(&'a [Ringing]);

impl Experiment for Together<'_> {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        5 * self.0.len()
    }

    fn residuals<T: DefaultScalar>(
        &self,
        unknowns: &[T],
        residuals: &mut [T],
    ) -> Result<(), Infallible> {
        let starts = unknowns[1..].chunks_exact(2);
        for ((ringing, start), r) in self.0.iter().zip(starts).zip(residuals.chunks_exact_mut(5)) {
            let guess = ringing.guess(0);
            for i in 0..2 {
                r[i] = (start[i] - guess[i]) / T::from(RINGING_DEVIATIONS[i]);
            }
            ringing.shoot(unknowns, 0..3, &mut start.to_vec(), &mut r[2..])?;
        }
        Ok(())
    }
}

#[test]
fn eliminated_starts_take_their_degrees_of_freedom() {
    let mut random = Normal::new(100);
    let ringing: Vec<Ringing> = (0..30).map(|_| Ringing::draw(&mut random)).collect();
    let stiffness = Unknown::new("stiffness", "1/s²", 18.0).unwrap();
    let optimiser = LevenbergMarquardt::new();
    let shooting = MultipleShooting::new(optimiser.clone(), 3).unwrap();
    let carry_on = |_: usize, _: &_| ControlFlow::Continue(());
    let found = shooting.fit(std::slice::from_ref(&stiffness), &ringing, carry_on);
    let fit = found.unwrap().fit;

    let mut unknowns = vec![stiffness];
    for (k, ringing) in ringing.iter().enumerate() {
        unknowns.push(Unknown::new(format!("angle {k}"), "rad", ringing.angles[0]).unwrap());
        unknowns.push(Unknown::new(format!("rate {k}"), "rad/s", 0.0).unwrap());
    }
    let together = [Together(&ringing)];
    let all = optimiser.fit(&Problem::new(unknowns, &together).unwrap());
    let all = all.unwrap();

    assert_eq!(fit.eliminated_count, 60);
    assert_eq!(fit.degrees_of_freedom, Some(89));
    assert_eq!(all.degrees_of_freedom, Some(89));
    assert_close(fit.estimates[0].value, all.estimates[0].value, 1e-7);
    let error = |fit: &Fit| fit.estimates[0].standard_error.unwrap();
    assert_close(error(&fit), error(&all), 1e-5);
    let deviation = |fit: &Fit| fit.residual_standard_deviation().unwrap();
    assert_close(deviation(&fit), deviation(&all), 1e-7);
    let scale = |fit: &Fit| fit.robust_residual_scale().unwrap();
    assert_close(scale(&fit), scale(&all), 1e-4);
}

/// Three points of a straight line `p t` from an offset, which is eliminated.
struct Offset([f64; 3]);

impl Experiment for Offset {
    type Error = Infallible;

    fn residual_count(&self) -> usize {
        3
    }

    fn eliminated_count(&self) -> usize {
        1
    }

    fn residuals<T: Scalar>(&self, p: &[T], residuals: &mut [T]) -> Result<(), Infallible> {
        let mean = self.0.iter().sum::<f64>() / 3.0;
        for (i, (r, y)) in residuals.iter_mut().zip(self.0).enumerate() {
            *r = p[0] * (i as f64 - 1.0) - (y - mean);
        }
        Ok(())
    }
}

#[test]
fn errors_of_independent_residuals_count_what_was_eliminated() {
    let mut random = Normal::new(7);
    let mut scores = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..tier(400, 2000) {
        let experiments: Vec<Offset> = (0..40)
            .map(|k| {
                let offset = f64::from(k);
                Offset([-1.0, 0.0, 1.0].map(|t| offset + 2.0 * t + random.draw()))
            })
            .collect();
        let problem = Problem::new([Unknown::new("p", "1", 1.0).unwrap()], &experiments).unwrap();
        for (scores, blocks) in
            scores
                .iter_mut()
                .zip([Blocks::Residual, Blocks::Experiment, Blocks::Consecutive(3)])
        {
            let optimiser = LevenbergMarquardt::new().noise(Noise::Independent);
            let estimate = optimiser
                .blocks(blocks)
                .unwrap()
                .fit(&problem)
                .unwrap()
                .estimates[0]
                .clone();
            scores.push((estimate.value - 2.0) / estimate.standard_error.unwrap());
        }
    }
    // Blocks of as many residuals as an experiment has are experiments.
    assert!(scores[1] == scores[2]);
    for scores in &scores {
        assert_standard_normal(scores);
    }
}

/// A state that a residual is far off, whose law is one of the tests.
struct OneState<F> {
    intervals: usize,
    law: F,
}

trait Law: Sync {
    /// The residual after as many intervals, from the state at their start.
    fn residual<T: Scalar>(&self, unknown: T, state: T, intervals: usize) -> Result<T, TooLong>;
}

#[derive(Debug, thiserror::Error)]
#[error("{0} intervals are too many")]
struct TooLong(usize);

impl<F: Law> SegmentedTrajectory for OneState<F> {
    type Error = TooLong;

    fn interval_count(&self) -> usize {
        self.intervals
    }

    fn residual_count(&self, intervals: Range<usize>) -> usize {
        intervals.len()
    }

    fn state_deviations(&self) -> Vec<f64> {
        vec![1.0]
    }

    fn guess(&self, _: usize) -> Vec<f64> {
        vec![0.0]
    }

    fn is_start_known(&self) -> bool {
        false
    }

    fn shoot<T: Scalar>(
        &self,
        unknowns: &[T],
        intervals: Range<usize>,
        state: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), TooLong> {
        for r in residuals {
            *r = (self.law).residual(unknowns[0], state[0], intervals.len())?;
        }
        Ok(())
    }
}

/// Cannot be simulated for long.
struct Short;

impl Law for Short {
    fn residual<T: Scalar>(&self, unknown: T, state: T, intervals: usize) -> Result<T, TooLong> {
        match intervals {
            0..=4 => Ok(unknown - 2.0 + state),
            _ => Err(TooLong(intervals)),
        }
    }
}

#[test]
fn a_stage_that_cannot_start_leaves_those_before_it() {
    let short = |intervals| {
        [OneState {
            intervals,
            law: Short,
        }]
    };
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let shooting = MultipleShooting::new(optimiser, 2).unwrap();
    let shooting = shooting.growth(2).unwrap();
    let p = [Unknown::new("p", "1", 1.0).unwrap()];
    let carry_on = |_: usize, _: &_| ControlFlow::Continue(());
    let found = shooting.fit(&p, &short(16), carry_on).unwrap();
    let failed = found.failed.unwrap();
    assert_eq!((failed.segment, found.segment), (8, 4));
    let message = "all 1 experiments fail at the start; the first: 8 intervals are too many";
    assert_eq!(failed.cause.to_string(), message);
    assert_eq!(found.stages.len(), 1);
    assert_close(found.fit.estimates[0].value, 2.0, 1e-9);
    assert!(found.starts[0].is_some());

    let found = shooting.fit(&p, &short(4), carry_on).unwrap();
    assert!(found.failed.is_none());
    let first = MultipleShooting::new(LevenbergMarquardt::new(), 8).unwrap();
    assert!(first.fit(&p, &short(16), carry_on).is_err());
}

/// Long segments lead elsewhere: to a minimum far off, or to none.
struct Astray {
    has_minimum: bool,
}

impl Law for Astray {
    fn residual<T: Scalar>(&self, unknown: T, state: T, intervals: usize) -> Result<T, TooLong> {
        Ok(match intervals {
            0..=4 => unknown - 2.0 + state,
            _ if self.has_minimum => unknown - 50.0 + state,
            _ => (unknown - 2.3).abs_lifted() * 10.0 + state + 5.0,
        })
    }
}

#[test]
fn the_last_stage_at_a_minimum_that_the_motion_allows_is_the_result() {
    for has_minimum in [true, false] {
        let law = Astray { has_minimum };
        let motion = [OneState { intervals: 16, law }];
        let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
        let shooting = MultipleShooting::new(optimiser, 2).unwrap();
        let shooting = shooting.growth(2).unwrap();
        let p = [Unknown::new("p", "1", 1.0).unwrap()];
        let found = (shooting.fit(&p, &motion, |_, _| ControlFlow::Continue(()))).unwrap();
        let later: Vec<_> = found.discarded.iter().map(|stage| stage.segment).collect();
        assert_eq!((found.segment, later), (4, vec![8, 16]), "{has_minimum}");
        assert!(found.fit.stop.is_converged() && found.failed.is_none());
        assert_close(found.fit.estimates[0].value, 2.0, 1e-9);
        let converged = |stage: &Stage| stage.fit.stop.is_converged();
        assert!(
            found
                .discarded
                .iter()
                .all(|stage| converged(stage) == has_minimum)
        );
    }
}

/// The distance from the state to the unknown and more, which has a kink, or its difference from it.
struct Distance {
    has_kink: bool,
}

impl Law for Distance {
    fn residual<T: Scalar>(&self, unknown: T, state: T, _: usize) -> Result<T, TooLong> {
        let difference = state - unknown;
        Ok(match self.has_kink {
            false => difference,
            true if difference.re() < 0.0 => -difference + 100.0,
            true => difference + 100.0,
        })
    }
}

#[test]
fn states_that_are_no_smooth_minimum_are_said() {
    let distances = [false, true, false].map(|has_kink| OneState {
        intervals: 1,
        law: Distance { has_kink },
    });
    for distance in &distances {
        let shooting = Shooting::new(distance, 1).unwrap();
        let is_minimum = shooting.is_minimum(&[3.0]).unwrap();
        assert_eq!(is_minimum, !distance.law.has_kink);
        let [start] = &shooting.states(&[3.0]).unwrap()[..] else {
            panic!("one segment");
        };
        let expected = if is_minimum { 1.5 } else { 3.0 };
        assert!((start[0] - expected).abs() < 1e-9, "{start:?}");
    }
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let shooting = MultipleShooting::new(optimiser.max_iterations(0), 1).unwrap();
    let p = [Unknown::new("p", "1", 3.0).unwrap()];
    let found = shooting.fit(&p, &distances, |_, _| ControlFlow::Continue(()));
    assert_eq!(found.unwrap().unsettled, [1]);
}

/// A change of the state that is lost in the sum.
struct Lost(AtomicUsize);

impl Law for Lost {
    fn residual<T: Scalar>(&self, unknown: T, state: T, _: usize) -> Result<T, TooLong> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(state + 1.0 - unknown)
    }
}

#[test]
fn a_search_ends_where_round_off_forbids_descent() {
    let lost = OneState {
        intervals: 1,
        law: Lost(AtomicUsize::new(0)),
    };
    let shooting = Shooting::new(&lost, 1).unwrap();
    assert!(shooting.is_minimum(&[1.0 - 0.5 * f64::EPSILON]).unwrap());
    let evaluations = lost.law.0.load(Ordering::Relaxed);
    assert!(evaluations < 10, "{evaluations}");
}

/// Gaps between segments may be as wide as the deviations say, so that segments know less than the motion says; a whole
/// trajectory knows all.
#[test]
fn standard_errors_of_segments_are_larger_than_the_scatter() {
    let deviations = [0.01, 0.03];
    for (segment, range) in [(5, 1.4..3.0), (60, 0.8..1.3)] {
        let mut squares = 0.0;
        let mut random = Normal::new(7);
        for _ in 0..60 {
            let mut state = [1.0 + random.draw(), deviations[1] * random.draw()];
            let angles = (0..=60).map(|k| {
                if k > 0 {
                    Ringing::advance(20.0, &mut state);
                }
                state[0] + 0.01 * random.draw()
            });
            let ringing = [Ringing {
                angles: angles.collect(),
                deviations,
            }];
            let shootings = [Shooting::new(&ringing[0], segment).unwrap()];
            let stiffness = Unknown::new("stiffness", "1/s²", 19.9).unwrap();
            let problem = Problem::new([stiffness], &shootings).unwrap();
            let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
            let fit = optimiser.fit(&problem).unwrap();
            let error = fit.estimates[0].standard_error.unwrap();
            squares += ((fit.estimates[0].value - 20.0) / error).powi(2);
        }
        let too_large = (60.0 / squares).sqrt();
        assert!(range.contains(&too_large), "{segment}: {too_large}");
    }
}

/// A pendulum with dry friction that a torque moves to and fro, of which the angle is measured; unknown are g/l in 1/s², damping in
/// 1/s and friction in 1/s². The tally has the intervals that were simulated.
struct Rubbing {
    phase: f64,
    angles: Vec<f64>,
    tally: AtomicUsize,
}

impl Rubbing {
    const SAMPLES: usize = 150;
    const TRUTH: [f64; 3] = [20.0, 0.3, 3.0];

    fn new(phase: f64, random: &mut Normal) -> Self {
        let mut rubbing = Rubbing {
            phase,
            angles: vec![0.0; Self::SAMPLES],
            tally: AtomicUsize::new(0),
        };
        let mut state = [0.5, 0.0];
        for k in 0..Self::SAMPLES {
            rubbing.angles[k] = state[0] + NOISE[0] * random.draw();
            rubbing.swing(&Self::TRUTH, k, &mut state);
        }
        rubbing
    }

    fn swing<T: Scalar>(&self, p: &[T], interval: usize, state: &mut [T]) {
        for step in 5 * interval..5 * (interval + 1) {
            let torque = 12.0 * (0.011 * step as f64 + self.phase).sin();
            let rubs = state[1].div_lifted(T::soft_norm(&[state[1]], T::from(1e-2)));
            let acceleration = -p[0] * state[0].sin() - p[1] * state[1] - p[2] * rubs + torque;
            state[1] += acceleration * 2e-3;
            let rate = state[1];
            state[0] += rate * 2e-3;
        }
    }
}

impl SegmentedTrajectory for Rubbing {
    type Error = Infallible;

    fn interval_count(&self) -> usize {
        Self::SAMPLES - 1
    }

    fn residual_count(&self, intervals: Range<usize>) -> usize {
        intervals.len()
    }

    fn state_deviations(&self) -> Vec<f64> {
        vec![0.02, 0.5]
    }

    fn guess(&self, interval: usize) -> Vec<f64> {
        let next = (interval + 1).min(Self::SAMPLES - 1);
        let rate = (self.angles[next] - self.angles[next - 1]) / 1e-2;
        vec![self.angles[interval], rate]
    }

    fn is_start_known(&self) -> bool {
        false
    }

    fn shoot<T: DefaultScalar>(
        &self,
        p: &[T],
        intervals: Range<usize>,
        state: &mut [T],
        residuals: &mut [T],
    ) -> Result<(), Infallible> {
        self.tally.fetch_add(intervals.len(), Ordering::Relaxed);
        for (k, r) in intervals.zip(residuals) {
            self.swing(p, k, state);
            *r = (state[0] - self.angles[k + 1]) / T::from(NOISE[0]);
        }
        Ok(())
    }
}

#[test]
fn dry_friction_takes_few_simulations() {
    let mut random = Normal::new(7);
    let recordings = [0.0, 1.0].map(|phase| Rubbing::new(phase, &mut random));
    let unknowns = [
        Unknown::new("g/l", "1/s²", 15.0).unwrap(),
        Unknown::new("damping", "1/s", 0.1).unwrap(),
        Unknown::new("friction", "1/s²", 1.0).unwrap(),
    ];
    let optimiser = LevenbergMarquardt::new().noise(Noise::Unit);
    let optimiser = optimiser.noise_tolerance(1e-3).unwrap();
    let shooting = MultipleShooting::new(optimiser, 20).unwrap();
    let mut steps = Vec::new();
    let found = shooting
        .fit(&unknowns, &recordings, |segment, step| {
            steps.push((segment, step.number));
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(found.failed.is_none() && found.discarded.is_empty());
    // The states are settled, and the steps before and after that are those of one fit.
    assert!(found.unsettled.is_empty());
    let last = steps
        .iter()
        .filter(|(segment, _)| *segment == found.segment);
    let numbers: Vec<usize> = last.map(|(_, number)| *number).collect();
    let kept: Vec<usize> = found.fit.iterations.iter().map(|i| i.number).collect();
    assert_eq!(kept, numbers);
    assert_eq!(kept, (1..=kept.len()).collect::<Vec<_>>());
    for (estimate, truth) in found.fit.estimates.iter().zip(Rubbing::TRUTH) {
        let error = (estimate.value - truth) / estimate.standard_error.unwrap();
        assert!(error.abs() < 4.0, "{}", found.fit);
    }
    let simulated: usize = recordings
        .iter()
        .map(|r| r.tally.load(Ordering::Relaxed))
        .sum();
    let times = simulated / (2 * (Rubbing::SAMPLES - 1));
    assert!(times < 60, "simulated {times} times; {}", found.fit);
}
