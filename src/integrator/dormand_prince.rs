//! The embedded pair of Dormand and Prince, with step control.

use super::dense_output::DenseOutput;
use super::error::IntegrationError;
use super::explicit_runge_kutta::{ExplicitRungeKutta, Tableau};
use super::system::ContinuousSystem;
use crate::{InvalidInput, Scalar};

/// Dormand & Prince 1980, *Journal of Computational and Applied Mathematics* 6(1), 19–26, table 2.
/// The last stage is the first of the next step.
static TABLEAU: Tableau = Tableau {
    coefficients: &[
        &[],
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[
            19372.0 / 6561.0,
            -25360.0 / 2187.0,
            64448.0 / 6561.0,
            -212.0 / 729.0,
        ],
        &[
            9017.0 / 3168.0,
            -355.0 / 33.0,
            46732.0 / 5247.0,
            49.0 / 176.0,
            -5103.0 / 18656.0,
        ],
        WEIGHTS,
    ],
    nodes: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    weights: WEIGHTS,
};

const WEIGHTS: &[f64] = &[
    35.0 / 384.0,
    0.0,
    500.0 / 1113.0,
    125.0 / 192.0,
    -2187.0 / 6784.0,
    11.0 / 84.0,
];

/// Weights of the difference between the results of order 5 and 4.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Weights of the last coefficient of the dense output.
const DENSE: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

/// Margin of the next step below the one that would just meet the tolerance.
const SAFETY: f64 = 0.9;
/// Bounds of the ratio of successive steps.
const STEP_RATIO: [f64; 2] = [0.2, 5.0];

/// The pair of order 5(4) of Dormand and Prince with steps of adaptive length.
///
/// A step is accepted when the difference of the two results, entry by entry divided by
/// `absolute + relative · max(|x| before, |x| after)`, has a root mean square of at most 1 (Hairer,
/// Nørsett & Wanner 1993, *Solving Ordinary Differential Equations I*, §II.4). Only real parts
/// count.
#[derive(Debug, Clone)]
pub struct DormandPrince<T> {
    relative_tolerance: f64,
    absolute_tolerance: f64,
    max_step: f64,
    pub(super) max_steps: usize,
    pub(super) max_events: usize,
    pub(super) method: ExplicitRungeKutta<T>,
    /// State at the end of the step.
    pub(super) next: Vec<T>,
    pub(super) dense: DenseOutput<T>,
    pub(super) transition: ExplicitRungeKutta<T>,
    pub(super) scratch: [Vec<T>; 2],
}

/// What an integration took.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct IntegrationStatistics {
    /// Lengths of the accepted steps, in seconds; the last may have been cut short by an event.
    pub steps: Vec<f64>,
    /// Number of steps that were tried and not accepted.
    pub rejected: usize,
}

impl<T: Scalar> DormandPrince<T> {
    /// The method with a relative and an absolute tolerance for every entry of the state.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless the relative tolerance is at least 1e-14 and the absolute
    /// one positive and finite.
    pub fn new(relative_tolerance: f64, absolute_tolerance: f64) -> Result<Self, InvalidInput> {
        InvalidInput::check_range(
            "relative tolerance",
            &[relative_tolerance],
            "at least 1e-14 and finite",
            |x| (1e-14..f64::INFINITY).contains(&x),
        )?;
        InvalidInput::check_range(
            "absolute tolerance",
            &[absolute_tolerance],
            "positive and finite",
            |x| x > 0.0 && x.is_finite(),
        )?;
        Ok(DormandPrince {
            relative_tolerance,
            absolute_tolerance,
            max_step: f64::INFINITY,
            max_steps: 1_000_000,
            max_events: 10_000,
            method: ExplicitRungeKutta::new(&TABLEAU),
            next: Vec::new(),
            dense: DenseOutput::new(),
            transition: ExplicitRungeKutta::classical(),
            scratch: [Vec::new(), Vec::new()],
        })
    }

    /// Sets the longest step, in seconds (default: none).
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless it is positive.
    pub fn with_max_step(mut self, max_step: f64) -> Result<Self, InvalidInput> {
        InvalidInput::check_range("longest step", &[max_step], "positive", |x| x > 0.0)?;
        self.max_step = max_step;
        Ok(self)
    }

    /// Sets the largest numbers of steps (default: 10⁶) and of events (default: 10⁴) of an
    /// integration.
    pub fn with_limits(mut self, max_steps: usize, max_events: usize) -> Self {
        (self.max_steps, self.max_events) = (max_steps, max_events);
        self
    }

    /// Replaces the state `x` at time `start` by that at `end` (seconds, not before `start`).
    ///
    /// `observe` sees every accepted step with the solution in it.
    ///
    /// # Errors
    /// [`IntegrationError`]; `x` is then the state at the start of the step that failed.
    pub fn integrate<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        start: f64,
        end: f64,
        x: &mut [T],
        mut observe: impl FnMut(&DenseOutput<T>),
    ) -> Result<IntegrationStatistics, IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let mut statistics = IntegrationStatistics::default();
        let mut clock = self.begin(system, start, end, x)?;
        while clock.time < end {
            self.advance(system, end, x, &mut clock, &mut statistics)?;
            observe(&self.dense);
            self.accept(x, &mut clock, &mut statistics);
        }
        Ok(statistics)
    }

    /// Replaces the state `x` at time `start` by that after the given steps (seconds), without step
    /// control.
    ///
    /// With the steps of an integration of the same system in `f64`, whatever tolerances it had, a
    /// run with duals takes them bit for bit.
    ///
    /// # Errors
    /// [`IntegrationError`], when the system cannot be evaluated.
    pub fn replay<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        start: f64,
        steps: &[f64],
        x: &mut [T],
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        InvalidInput::check_finite("steps", steps)?;
        let mut time = start;
        for &h in steps {
            (self.method.step(system, T::from(time), T::from(h), x))
                .map_err(IntegrationError::at(time))?;
            time += h;
        }
        Ok(())
    }

    /// Checks the arguments, evaluates the first stage and chooses the first step.
    pub(super) fn begin<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        start: f64,
        end: f64,
        x: &[T],
    ) -> Result<Clock, IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        InvalidInput::check_size("state", x.len(), system.size())?;
        InvalidInput::check_finite("state", x)?;
        InvalidInput::check_finite("start", &[start])?;
        InvalidInput::check_range("end", &[end], "a time not before the start", |t| {
            t >= start && t.is_finite()
        })?;
        for k in &mut self.method.k {
            k.resize(x.len(), T::zero());
        }
        self.next.clear();
        self.next.extend_from_slice(x);
        system
            .project(&mut self.next)
            .and_then(|()| system.derivative(T::from(start), &self.next, &mut self.method.k[0]))
            .map_err(IntegrationError::at(start))?;
        InvalidInput::check_finite("rate at the start", &self.method.k[0])?;
        // A step over which an explicit Euler step would change the state by a hundredth.
        let size = self.norm(x, x, |i| x[i].re());
        let rate = self.norm(x, x, |i| self.method.k[0][i].re());
        let guess = if size < 1e-5 || rate < 1e-5 {
            1e-6
        } else {
            0.01 * size / rate
        };
        let resolution = 16.0 * f64::EPSILON * start.abs();
        Ok(Clock {
            time: start,
            step: guess.max(resolution).min(self.max_step),
        })
    }

    /// Makes one step that meets the tolerance, from `x` to `self.next`, with dense output.
    pub(super) fn advance<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        end: f64,
        x: &[T],
        clock: &mut Clock,
        statistics: &mut IntegrationStatistics,
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        loop {
            let time = clock.time;
            if statistics.steps.len() + statistics.rejected >= self.max_steps {
                return Err(IntegrationError::TooManySteps {
                    steps: self.max_steps,
                    time,
                });
            }
            let remaining = end - time;
            let h = clock.step.min(self.max_step);
            let (h, next_time) = if h >= remaining {
                (remaining, end)
            } else {
                (h, time + h)
            };
            if next_time <= time {
                return Err(IntegrationError::StepTooSmall { time, step: h });
            }
            (self.method.stages(system, T::from(time), T::from(h), x, 1))
                .map_err(IntegrationError::at(time))?;
            let k = &self.method.k;
            let difference =
                |i: usize| ERROR.iter().zip(k).map(|(e, k)| e * k[i].re()).sum::<f64>() * h;
            let error = self.norm(x, &self.method.stage, difference);
            let finite = error.is_finite();
            let ratio = if finite {
                (SAFETY * error.powf(-0.2)).clamp(STEP_RATIO[0], STEP_RATIO[1])
            } else {
                STEP_RATIO[0]
            };
            if finite && error <= 1.0 {
                clock.step = h * ratio;
                self.next.clone_from(&self.method.stage);
                self.write_dense_output(time, h, next_time, x);
                return Ok(());
            }
            clock.step = h * ratio.min(1.0);
            statistics.rejected += 1;
        }
    }

    /// Goes on from the end of the step.
    pub(super) fn accept(
        &mut self,
        x: &mut [T],
        clock: &mut Clock,
        statistics: &mut IntegrationStatistics,
    ) {
        x.copy_from_slice(&self.next);
        clock.time = self.dense.end;
        statistics.steps.push(self.dense.step);
        if let [first, .., last] = self.method.k.as_mut_slice() {
            std::mem::swap(first, last);
        }
    }

    fn write_dense_output(&mut self, time: f64, h: f64, end: f64, x: &[T]) {
        let (dense, k) = (&mut self.dense, &self.method.k);
        (dense.start, dense.step, dense.end) = (time, h, end);
        for c in &mut dense.coefficients {
            c.resize(x.len(), T::zero());
        }
        let [c0, c1, c2, c3, c4] = &mut dense.coefficients;
        for i in 0..x.len() {
            let change = self.next[i] - x[i];
            let bend = k[0][i] * h - change;
            c0[i] = x[i];
            c1[i] = change;
            c2[i] = bend;
            c3[i] = change - k[6][i] * h - bend;
            c4[i] = (DENSE.iter().zip(k)).fold(T::zero(), |sum, (&d, k)| sum + k[i] * d) * h;
        }
    }

    /// Root mean square of `entry(i)` over its tolerance; 0 for a system without state.
    fn norm(&self, before: &[T], after: &[T], entry: impl Fn(usize) -> f64) -> f64 {
        let mut sum = 0.0;
        for (i, (a, b)) in before.iter().zip(after).enumerate() {
            let largest = a.re().abs().max(b.re().abs());
            let scaled = entry(i) / (self.absolute_tolerance + self.relative_tolerance * largest);
            sum += scaled * scaled;
        }
        (sum / before.len().max(1) as f64).sqrt()
    }
}

/// Where an integration is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub time: f64,
    /// Length of the next step.
    pub step: f64,
}
