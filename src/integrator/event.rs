//! Events: zero crossings of guards, state resets, and their derivatives (saltation).
//!
//! A touch-down, a lift-off or a change from sticking to slipping happens when a guard `g(t, x)`
//! passes through zero. Then the state may jump, `x ← R(x)`, or the system go on by another law.
//!
//! # Location
//! Guards are sampled on the dense output of each step; where one changes sign, the time is bisected
//! (with the Illinois variant of the secant rule) on real parts to the resolution of the clock. A
//! guard that changes sign twice between two samples, an eighth of a step apart, goes unnoticed; a system that
//! knows better bounds its steps ([`HybridSystem::max_step`]).
//!
//! # Derivative
//! The time `t*` of an event depends on parameters, by `g(t*, φ(t*)) = 0`. With `t₀` the time that
//! `f64` has found, `t* = t₀ + δ` with an infinitesimal `δ`, and the state there is `φ_δ(x(t₀))`. One
//! step of a Runge–Kutta method of order 4 of the length `δ` gives that exactly, since `δ⁴ = 0` in
//! every supported scalar; so `δ` follows from the chord iteration `δ ← δ − g(φ_δ)/ġ`. Then the reset
//! is applied, and the state is carried back to the fixed time `t₀` under the law that holds after
//! the event:
//!
//! ```text
//! x⁺(t₀) = φ⁺_{−δ}( R( φ⁻_δ( x(t₀) ) ) )
//! ```
//!
//! To first order this is the saltation matrix `DR + (f⁺ − DR f⁻) ∇gᵀ/ġ` (Aizerman & Gantmakher 1958;
//! Hiskens & Pai 2000, *IEEE Trans. Circuits Syst. I* 47(2), 204–220); here it holds to every order
//! that `T` carries. The gradient is that of the flow, whatever the steps were.

use super::adaptive::{AdaptiveIntegrator, AdaptiveMethod, IntegrationStatistics, check};
use super::dense_output::DenseOutput;
use super::error::IntegrationError;
use super::system::ContinuousSystem;
use crate::{InvalidInput, Scalar};

/// Parts of a step at whose ends the guards are sampled.
const SAMPLES: usize = 8;
/// Iterations that locate an event; bisection alone takes about 60.
const LOCATION_ITERATIONS: usize = 120;
/// Step of the difference for the slope of a guard, relative to the step of the integrator,
const SLOPE_STEP: f64 = 1e-5;
/// and its least number of ticks of the clock.
const SLOPE_TICKS: f64 = 4096.0;
/// Sweeps of the chord iteration beyond the order of the derivative: each takes the error of the
/// slope, about 1e-6, out of what is left.
const EXTRA_SWEEPS: usize = 3;

/// Which sign changes of a guard are events.
///
/// A guard that is zero at the start of an integration has its event there if it falls ([`Self::Falling`])
/// or rises ([`Self::Rising`]) from zero; leaving the surface is none for [`Self::Either`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crossing {
    /// From positive to negative.
    Falling,
    /// From negative to positive.
    Rising,
    /// Both.
    Either,
}

/// How the integration goes on after an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventOutcome {
    /// The guard goes on to the other sign.
    Cross,
    /// The guard returns to the sign it came from, as after a bounce.
    Return,
    /// The integration ends here.
    Stop,
}

/// A system with events.
pub trait HybridSystem<T: Scalar>: ContinuousSystem<T> {
    /// Number of guards; the same all the time.
    fn num_guards(&self) -> usize;

    /// Writes the guards `g(t, x)`, of the mode that the system is in.
    ///
    /// # Errors
    /// As the implementation says.
    fn guards(&mut self, t: T, x: &[T], g: &mut [T]) -> Result<(), Self::Error>;

    /// Which sign changes of a guard are events.
    fn crossing(&self, guard: usize) -> Crossing;

    /// Applies event number `guard` to the state and to the mode of the system.
    ///
    /// A reset that carries the state across the surface of another event triggers that one at the
    /// same time.
    ///
    /// # Errors
    /// As the implementation says.
    fn reset(&mut self, guard: usize, t: T, x: &mut [T]) -> Result<EventOutcome, Self::Error>;

    /// The longest step in seconds from a state that passes over no event; by default any.
    ///
    /// # Errors
    /// As the implementation says.
    fn max_step(&mut self, t: T, x: &[T]) -> Result<f64, Self::Error> {
        let _ = (t, x);
        Ok(f64::INFINITY)
    }

    /// Called before an integration with events, with its start: sets the mode of the state, which may
    /// jump at once. By default the mode is as it was.
    ///
    /// # Errors
    /// As the implementation says.
    fn start(&mut self, t: T, x: &mut [T]) -> Result<(), Self::Error> {
        let _ = (t, x);
        Ok(())
    }

    /// Whether [`Self::show`] wants to be called.
    fn is_observed(&self) -> bool {
        false
    }

    /// Shown a number that decides about an event of a guard: where it changes its sign, another event comes first, one
    /// more or less, or none. `change` says which in words.
    fn show(&mut self, guard: usize, time: f64, change: &'static str, number: T) {
        let _ = (guard, time, change, number);
    }

    /// Called after an integration with events, successful or not.
    fn finish(&mut self) {}
}

/// An event that has happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event<T> {
    /// Number of the guard.
    pub guard: usize,
    /// Its time in seconds, with derivatives.
    pub time: T,
    /// The state at that time, before the reset; its derivatives include those of the time.
    pub before: Vec<T>,
    /// The state at that time, after the reset.
    pub after: Vec<T>,
}

/// Which side of each guard's surface the state is on.
struct Sides {
    /// 1, −1, or 0 on a surface that the state has not left yet.
    signs: Vec<f64>,
    /// The guard that has just returned to the side it came from.
    returning: Option<usize>,
}

impl<T: Scalar, M> AdaptiveIntegrator<T, M> {
    /// Replaces the state `x` at time `start` by that at `end` (seconds, not before `start`), with
    /// events, and derivatives by both times.
    ///
    /// `observe` sees every accepted step; one in which an event happens ends there. When an event
    /// stops the integration, `x` is the state at the real part of its time. Appends to `events`.
    ///
    /// # Errors
    /// [`IntegrationError`].
    pub fn integrate_with_events<S: HybridSystem<T>>(
        &mut self,
        system: &mut S,
        start: impl Into<T>,
        end: impl Into<T>,
        x: &mut [T],
        observe: impl FnMut(&DenseOutput<T>),
        events: &mut Vec<Event<T>>,
    ) -> Result<IntegrationStatistics, IntegrationError<S::Error>>
    where
        M: AdaptiveMethod<T, S>,
        S::Error: std::error::Error,
    {
        let (start, end) = (start.into(), end.into());
        check(system, (start, end), x)?;
        let result = (system.start(start, x))
            .map_err(IntegrationError::at(start.re()))
            .and_then(|()| self.follow_events(system, (start, end), x, observe, events));
        system.finish();
        result
    }

    fn follow_events<S: HybridSystem<T>>(
        &mut self,
        system: &mut S,
        (start, until): (T, T),
        x: &mut [T],
        mut observe: impl FnMut(&DenseOutput<T>),
        events: &mut Vec<Event<T>>,
    ) -> Result<IntegrationStatistics, IntegrationError<S::Error>>
    where
        M: AdaptiveMethod<T, S>,
        S::Error: std::error::Error,
    {
        let mut statistics = IntegrationStatistics::default();
        // Under the law that holds at the start.
        self.flow(system, start, -start.infinitesimal(), x)?;
        let (start, end) = (start.re(), until.re());
        let mut clock = self.begin(system, start, x)?;
        let mut g = vec![T::zero(); system.num_guards()];
        system
            .guards(T::from(start), x, &mut g)
            .map_err(IntegrationError::at(start))?;
        let mut sides = Sides {
            signs: (g.iter().enumerate())
                .map(|(guard, g)| start_side(g.re(), system.crossing(guard)))
                .collect(),
            returning: None,
        };
        let mut count = 0;
        let mut watch = Watch::new(system.is_observed(), &g);
        while clock.time < end {
            let longest = (system.max_step(T::from(clock.time), x))
                .map_err(IntegrationError::at(clock.time))?;
            clock.step = clock.step.min(longest);
            self.advance(system, end, x, &mut clock, &mut statistics)?;
            let found = self.first_crossing(system, &mut sides, &mut g, &mut watch)?;
            let Some((guard, time)) = found else {
                observe(&self.dense);
                self.accept(x, &mut clock, &mut statistics);
                continue;
            };
            count += 1;
            if count > self.max_events {
                return Err(IntegrationError::TooManyEvents {
                    events: self.max_events,
                    time,
                });
            }
            if sides.returning == Some(guard) && time <= clock.time {
                return Err(IntegrationError::EventNotLeft { event: guard, time });
            }
            self.dense.end = time;
            observe(&self.dense);
            statistics.steps.push(time - clock.time);
            self.dense.state(time, x);
            system.project(x).map_err(IntegrationError::at(time))?;
            let (event, outcome) = self.apply(system, guard, time, x, &mut g)?;
            watch.event(system, &event, end);
            events.push(event);
            sides.returning = None;
            match outcome {
                EventOutcome::Cross => sides.signs[guard] = -sides.signs[guard],
                EventOutcome::Return => sides.returning = Some(guard),
                EventOutcome::Stop => return Ok(statistics),
            }
            clock = self.begin(system, time, x)?;
            watch.forget();
        }
        watch.end(system, end);
        self.flow(system, T::from(end), until.infinitesimal(), x)?;
        Ok(statistics)
    }

    /// The guard that changes sign first in the step, and when; brings `sides` up to date to there.
    fn first_crossing<S: HybridSystem<T>>(
        &mut self,
        system: &mut S,
        sides: &mut Sides,
        g: &mut [T],
        watch: &mut Watch<T>,
    ) -> Result<Option<(usize, f64)>, IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let (start, end) = (self.dense.start, self.dense.end);
        let mut from = start;
        for sample in 1..=SAMPLES {
            let to = if sample == SAMPLES {
                end
            } else {
                start + (end - start) * (sample as f64 / SAMPLES as f64)
            };
            self.guards_at(system, to, g)?;
            let mut first: Option<(usize, f64)> = None;
            for guard in 0..g.len() {
                let value = g[guard].re();
                if value * sides.signs[guard] >= 0.0 {
                    continue;
                }
                let counts = match system.crossing(guard) {
                    Crossing::Falling => value < 0.0,
                    Crossing::Rising => value > 0.0,
                    Crossing::Either => true,
                };
                if counts {
                    let sign = sides.signs[guard];
                    let time = self.locate(system, guard, sign, (from, to), g)?;
                    if first.is_none_or(|(_, earliest)| time < earliest) {
                        first = Some((guard, time));
                    }
                    self.guards_at(system, to, g)?;
                }
            }
            if first.is_some() {
                return Ok(first);
            }
            watch.sample(system, to, g);
            for (sign, g) in sides.signs.iter_mut().zip(&*g) {
                if g.re() != 0.0 {
                    *sign = side(g.re());
                }
            }
            sides.returning = None;
            from = to;
        }
        Ok(None)
    }

    /// The last time at which the guard is still on the side `sign`, to the resolution of the clock.
    fn locate<S: HybridSystem<T>>(
        &mut self,
        system: &mut S,
        guard: usize,
        sign: f64,
        (mut a, mut b): (f64, f64),
        g: &mut [T],
    ) -> Result<f64, IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let mut value = |this: &mut Self, t: f64| {
            this.guards_at(system, t, g)?;
            Ok::<f64, IntegrationError<S::Error>>(g[guard].re() * sign)
        };
        let (mut ga, mut gb) = (value(self, a)?, value(self, b)?);
        if ga <= 0.0 {
            return Ok(a);
        }
        let mut kept = 0;
        for iteration in 0..LOCATION_ITERATIONS {
            let secant = a + (b - a) * (ga / (ga - gb));
            let middle = 0.5 * (a + b);
            // A bisection from time to time bounds the number of iterations.
            let t = if iteration % 3 != 2 && secant > a && secant < b {
                secant
            } else {
                middle
            };
            if t <= a || t >= b {
                break;
            }
            let gt = value(self, t)?;
            if gt > 0.0 {
                (a, ga) = (t, gt);
                gb *= if kept == 1 { 0.5 } else { 1.0 };
                kept = 1;
            } else {
                (b, gb) = (t, gt);
                ga *= if kept == -1 { 0.5 } else { 1.0 };
                kept = -1;
            }
            if gt == 0.0 {
                return Ok(t);
            }
        }
        Ok(a)
    }

    fn guards_at<S: HybridSystem<T>>(
        &mut self,
        system: &mut S,
        t: f64,
        g: &mut [T],
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let [state, _] = &mut self.scratch;
        state.resize(system.size(), T::zero());
        self.dense.state(t, state);
        (system.project(state)).map_err(IntegrationError::at(t))?;
        (system.guards(T::from(t), state, g)).map_err(IntegrationError::at(t))?;
        Ok(InvalidInput::check_finite("guards", g)?)
    }

    /// Gives the event time its derivative and resets the state `x` at `time`.
    fn apply<S: HybridSystem<T>>(
        &mut self,
        system: &mut S,
        guard: usize,
        time: f64,
        x: &mut [T],
        g: &mut [T],
    ) -> Result<(Event<T>, EventOutcome), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let at = IntegrationError::at(time);
        let delta = if T::NDERIV == 0 {
            T::zero()
        } else {
            self.time_derivative(system, guard, time, x, g)?
        };
        let t = T::from(time) + delta;
        self.flow(system, T::from(time), delta, x)?;
        let before = x.to_vec();
        let outcome = system.reset(guard, t, x).map_err(&at)?;
        InvalidInput::check_finite("state after an event", x)?;
        let after = x.to_vec();
        // Back to the fixed time, under the law that holds now.
        self.flow(system, t, -delta, x)?;
        let event = Event {
            guard,
            time: t,
            before,
            after,
        };
        Ok((event, outcome))
    }

    /// The infinitesimal part of the time of an event.
    fn time_derivative<S: HybridSystem<T>>(
        &mut self,
        system: &mut S,
        guard: usize,
        time: f64,
        x: &[T],
        g: &mut [T],
    ) -> Result<T, IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let mut state = std::mem::take(&mut self.scratch[1]);
        let mut guard_after = |this: &mut Self, delta: T| {
            state.clear();
            state.extend_from_slice(x);
            this.flow(system, T::from(time), delta, &mut state)?;
            (system.guards(T::from(time) + delta, &state, g))
                .map_err(IntegrationError::at(time))?;
            Ok::<T, IntegrationError<S::Error>>(g[guard])
        };
        let h = (SLOPE_STEP * self.dense.step).max(SLOPE_TICKS * f64::EPSILON * time.abs());
        // Differences of times that the clock shows.
        let (backward, forward) = ((time - h) - time, (time + h) - time);
        let early = guard_after(self, T::from(backward))?.re();
        let late = guard_after(self, T::from(forward))?.re();
        let slope = (late - early) / (forward - backward);
        let mut delta = T::zero();
        if slope == 0.0 || !slope.is_finite() {
            return Err(IntegrationError::Grazing { event: guard, time });
        }
        for _ in 0..T::NDERIV + EXTRA_SWEEPS {
            let g = guard_after(self, delta)?.infinitesimal();
            delta -= g / slope;
        }
        self.scratch[1] = state;
        Ok(delta.with_real(0.0))
    }
}

/// What guards do between events, for who observes.
struct Watch<T> {
    is_observed: bool,
    /// The last samples of the guards, the older first, as many as there are since an event.
    last: [Vec<T>; 2],
    samples: usize,
    /// The time of the last event.
    event: Option<T>,
}

impl<T: Scalar> Watch<T> {
    fn new(is_observed: bool, g: &[T]) -> Self {
        let size = if is_observed { g.len() } else { 0 };
        Watch {
            is_observed,
            last: [vec![T::zero(); size], vec![T::zero(); size]],
            samples: 0,
            event: None,
        }
    }

    /// A guard that comes near to zero between samples and turns back grazes.
    fn sample<S: HybridSystem<T>>(&mut self, system: &mut S, time: f64, g: &[T]) {
        if !self.is_observed {
            return;
        }
        let [before, last] = &mut self.last;
        for guard in 0..g.len() {
            let [a, b, c] = [before[guard], last[guard], g[guard]].map(|g| g.re().abs());
            if self.samples > 1 && b < a && b <= c {
                system.show(guard, time, "grazing", last[guard]);
            }
        }
        std::mem::swap(before, last);
        last.copy_from_slice(g);
        self.samples += 1;
    }

    /// An event comes after the one before, and before the end.
    fn event<S: HybridSystem<T>>(&mut self, system: &mut S, event: &Event<T>, end: f64) {
        if !self.is_observed {
            return;
        }
        let (guard, time) = (event.guard, event.time);
        if let Some(before) = self.event {
            system.show(guard, time.re(), "order of events", time - before);
        }
        system.show(guard, time.re(), "event before the end", -time + end);
        self.event = Some(time);
    }

    fn forget(&mut self) {
        self.samples = 0;
    }

    /// An event of a guard that is near to zero at the end comes after it.
    fn end<S: HybridSystem<T>>(&mut self, system: &mut S, end: f64) {
        if self.samples > 0 {
            for (guard, &value) in self.last[1].iter().enumerate() {
                system.show(guard, end, "event after the end", value);
            }
        }
    }
}

/// The side on which an integration starts: on the surface, that from which the guard has events.
fn start_side(value: f64, crossing: Crossing) -> f64 {
    match crossing {
        _ if value != 0.0 => side(value),
        Crossing::Falling => 1.0,
        Crossing::Rising => -1.0,
        Crossing::Either => 0.0,
    }
}

/// The sign of a guard; 1 for zero.
fn side(value: f64) -> f64 {
    if value < 0.0 { -1.0 } else { 1.0 }
}
