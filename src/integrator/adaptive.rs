//! Adaptive step-size control.

use super::dense_output::DenseOutput;
use super::error::IntegrationError;
use super::explicit_runge_kutta::ExplicitRungeKutta;
use super::system::ContinuousSystem;
use crate::{InvalidInput, Scalar};

/// Margin of the next step below the one that would just meet the tolerance.
const SAFETY: f64 = 0.9;
/// Bounds of the ratio of successive steps.
const STEP_RATIO: [f64; 2] = [0.2, 5.0];

/// A method with an estimate of its error, and steps of adaptive length: [`DormandPrince`](super::DormandPrince),
/// [`AdaptiveRadau`](super::AdaptiveRadau).
///
/// A step is accepted when the estimate, entry by entry divided by
/// `absolute + relative · max(|x| before, |x| after)`, has a root mean square of at most 1 (Hairer,
/// Nørsett & Wanner 1993, *Solving Ordinary Differential Equations I*, §II.4). Only real parts
/// count.
#[derive(Debug, Clone)]
pub struct AdaptiveIntegrator<T, M> {
    relative_tolerance: f64,
    absolute_tolerance: f64,
    max_step: f64,
    pub(super) max_steps: usize,
    pub(super) max_events: usize,
    pub(super) method: M,
    /// Rate at the start of a step from which an integration begins.
    rate: Vec<T>,
    error: Vec<f64>,
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

/// One step of a method, with an estimate of its error.
pub trait AdaptiveMethod<T: Scalar, S: ContinuousSystem<T>>
where
    S::Error: std::error::Error,
{
    /// The estimate is of the order of this power of the length of a step.
    const ERROR_ORDER: f64;

    /// Takes over where steps begin, with the rate there.
    fn begin(&mut self, rate: &[T]);

    /// Writes the state after a step from `x`, of which real parts count, and the estimate of its error; says
    /// whether there is one.
    ///
    /// # Errors
    /// [`IntegrationError`].
    fn attempt(
        &mut self,
        system: &mut S,
        step: (f64, f64),
        x: &[T],
        next: &mut Vec<T>,
        error: &mut Vec<f64>,
    ) -> Result<bool, IntegrationError<S::Error>>;

    /// Gives the state after a step that is accepted its derivatives, writes the solution within it as
    /// coefficients of [`DenseOutput`], and goes on to the next step.
    ///
    /// # Errors
    /// [`IntegrationError`].
    fn complete(
        &mut self,
        system: &mut S,
        step: (f64, f64),
        x: &[T],
        next: &mut [T],
        dense: &mut [Vec<T>; 5],
    ) -> Result<(), IntegrationError<S::Error>>;
}

impl<T: Scalar, M> AdaptiveIntegrator<T, M> {
    /// Of a method.
    pub(super) fn of(
        method: M,
        relative_tolerance: f64,
        absolute_tolerance: f64,
    ) -> Result<Self, InvalidInput> {
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
        Ok(AdaptiveIntegrator {
            relative_tolerance,
            absolute_tolerance,
            max_step: f64::INFINITY,
            max_steps: 1_000_000,
            max_events: 10_000,
            method,
            rate: Vec::new(),
            error: Vec::new(),
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

    /// Replaces the state `x` at time `start` by that at `end` (seconds, not before `start`), with derivatives by both.
    ///
    /// `observe` sees every accepted step with the solution in it.
    ///
    /// # Errors
    /// [`IntegrationError`]; `x` is then the state at the start of the step that failed.
    pub fn integrate<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        start: impl Into<T>,
        end: impl Into<T>,
        x: &mut [T],
        mut observe: impl FnMut(&DenseOutput<T>),
    ) -> Result<IntegrationStatistics, IntegrationError<S::Error>>
    where
        M: AdaptiveMethod<T, S>,
        S::Error: std::error::Error,
    {
        let mut statistics = IntegrationStatistics::default();
        let (start, end) = (start.into(), end.into());
        check(system, (start, end), x)?;
        self.flow(system, start, -start.infinitesimal(), x)?;
        let mut clock = self.begin(system, start.re(), x)?;
        let until = end.re();
        while clock.time < until {
            self.advance(system, until, x, &mut clock, &mut statistics)?;
            observe(&self.dense);
            self.accept(x, &mut clock, &mut statistics);
        }
        self.flow(system, T::from(until), end.infinitesimal(), x)?;
        Ok(statistics)
    }

    /// Carries the state `x` over the time `delta`. Over an infinitesimal one real parts stay, to the last bit.
    pub(super) fn flow<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        time: T,
        delta: T,
        x: &mut [T],
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let stays = delta.re() == 0.0;
        if T::NDERIV == 0 && stays {
            return Ok(());
        }
        let start = if stays { x.to_vec() } else { Vec::new() };
        let step = self.transition.step(system, time, delta, x);
        step.map_err(IntegrationError::at(time.re()))?;
        for (x, start) in x.iter_mut().zip(start) {
            *x = x.with_real(start.re());
        }
        Ok(())
    }

    /// Evaluates the first stage and chooses the first step.
    pub(super) fn begin<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        start: f64,
        x: &[T],
    ) -> Result<Clock, IntegrationError<S::Error>>
    where
        M: AdaptiveMethod<T, S>,
        S::Error: std::error::Error,
    {
        self.rate.clear();
        self.rate.resize(x.len(), T::zero());
        self.next.clear();
        self.next.extend_from_slice(x);
        system
            .project(&mut self.next)
            .and_then(|()| system.derivative(T::from(start), &self.next, &mut self.rate))
            .map_err(IntegrationError::at(start))?;
        InvalidInput::check_finite("rate at the start", &self.rate)?;
        self.method.begin(&self.rate);
        // A step over which an explicit Euler step would change the state by a hundredth.
        let size = self.norm(x, x, |i| x[i].re());
        let rate = self.norm(x, x, |i| self.rate[i].re());
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
        M: AdaptiveMethod<T, S>,
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
            let (next, error) = (&mut self.next, &mut self.error);
            let found = self.method.attempt(system, (time, h), x, next, error)?;
            let error = match found {
                true => self.norm(x, &self.next, |i| self.error[i]),
                false => f64::NAN,
            };
            let finite = error.is_finite();
            let ratio = if finite {
                (SAFETY * error.powf(-1.0 / M::ERROR_ORDER)).clamp(STEP_RATIO[0], STEP_RATIO[1])
            } else {
                STEP_RATIO[0]
            };
            if finite && error <= 1.0 {
                clock.step = h * ratio;
                let dense = &mut self.dense;
                (dense.start, dense.step, dense.end) = (time, h, next_time);
                let (next, coefficients) = (&mut self.next, &mut dense.coefficients);
                (self.method).complete(system, (time, h), x, next, coefficients)?;
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

/// Checks the arguments of an integration.
pub(super) fn check<T: Scalar, S: ContinuousSystem<T>>(
    system: &S,
    (start, end): (T, T),
    x: &[T],
) -> Result<(), InvalidInput> {
    InvalidInput::check_size("state", x.len(), system.size())?;
    InvalidInput::check_finite("state", x)?;
    InvalidInput::check_finite("start", &[start])?;
    InvalidInput::check_finite("end", &[end])?;
    InvalidInput::check_range("end", &[end.re()], "a time not before the start", |t| {
        t >= start.re()
    })
}

/// Where an integration is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    pub time: f64,
    /// Length of the next step.
    pub step: f64,
}
