//! Events that change the law of motion, against closed forms with their second derivatives.

use dualbody::integrator::{
    ContinuousSystem, Crossing, DormandPrince, EventOutcome, HybridSystem, IntegrationError,
};
use dualbody::{InvalidInput, Scalar};
use num_dual::{Dual2_64, DualNum};

const G: f64 = 9.81;

/// Something that a surface holds until a guard says otherwise.
trait Released<T: Scalar> {
    fn acceleration(&self, released: bool, t: T, x: &[T]) -> T;
    /// Positive as long as the surface holds.
    fn margin(&self, t: T) -> T;
}

struct Mode<S> {
    system: S,
    released: bool,
}

impl<T: Scalar, S: Released<T>> ContinuousSystem<T> for Mode<S> {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        2
    }
    fn derivative(&mut self, t: T, x: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
        (xdot[0], xdot[1]) = (x[1], self.system.acceleration(self.released, t, x));
        Ok(())
    }
}

impl<T: Scalar, S: Released<T>> HybridSystem<T> for Mode<S> {
    fn num_guards(&self) -> usize {
        1
    }
    fn guards(&mut self, t: T, _: &[T], g: &mut [T]) -> Result<(), InvalidInput> {
        g[0] = if self.released {
            T::one()
        } else {
            self.system.margin(t)
        };
        Ok(())
    }
    fn crossing(&self, _: usize) -> Crossing {
        Crossing::Falling
    }
    fn reset(&mut self, _: usize, _: T, _: &mut [T]) -> Result<EventOutcome, InvalidInput> {
        self.released = true;
        Ok(EventOutcome::Return)
    }
}

/// A mass on a platform whose height is A sin ωt, until the platform falls faster than it.
struct Platform<T> {
    amplitude: T,
    rate: T,
}

impl<T: Scalar> Released<T> for Platform<T> {
    fn acceleration(&self, released: bool, t: T, _: &[T]) -> T {
        if released {
            T::from(-G)
        } else {
            -self.amplitude * self.rate * self.rate * (self.rate * t).sin()
        }
    }
    fn margin(&self, t: T) -> T {
        self.acceleration(false, t, &[]) + G
    }
}

/// A block of 1 kg on a table, pulled by a spring whose end moves.
struct Pulled<T> {
    friction: T,
    stiffness: T,
    speed: T,
}

impl<T: Scalar> Released<T> for Pulled<T> {
    fn acceleration(&self, released: bool, t: T, x: &[T]) -> T {
        if released {
            self.stiffness * (self.speed * t - x[0]) - self.friction * G
        } else {
            T::zero()
        }
    }
    fn margin(&self, t: T) -> T {
        self.friction * G - self.stiffness * self.speed * t
    }
}

const END: f64 = 0.6;

/// The state at the end and the time of the event.
fn run<S: Released<Dual2_64>>(system: S, start: [Dual2_64; 2], tolerance: f64) -> [Dual2_64; 3] {
    let mut mode = Mode {
        system,
        released: false,
    };
    let (mut x, mut events) = (start, Vec::new());
    DormandPrince::new(tolerance, tolerance)
        .unwrap()
        .integrate_with_events(&mut mode, 0.0, END, &mut x, |_| {}, &mut events)
        .unwrap();
    assert_eq!(events.len(), 1);
    [x[0], x[1], events[0].time]
}

/// The start a, v by t₀ = 0 and the end t₁: what the platform throws flies freely at the end, and its lift-off does not
/// depend on t₁.
#[test]
fn the_state_after_an_event_has_derivatives_by_both_times() {
    let (amplitude, rate) = (0.2, 9.0);
    let run = |start: Dual2_64, end: Dual2_64| {
        let platform = Platform {
            amplitude: Dual2_64::from(amplitude),
            rate: Dual2_64::from(rate),
        };
        let mut mode = Mode {
            system: platform,
            released: false,
        };
        let mut x = [0.0, amplitude * rate].map(Dual2_64::from);
        DormandPrince::new(1e-12, 1e-12)
            .unwrap()
            .integrate_with_events(&mut mode, start, end, &mut x, |_| {}, &mut Vec::new())
            .unwrap();
        x
    };
    let time = |at: f64, rate: f64| Dual2_64::new(at, rate, 0.0);
    let found = run(time(0.0, 0.0), time(END, 1.0));
    assert!((found[0].v1 - found[1].re).abs() < 1e-9);
    assert!((found[0].v2 + G).abs() < 1e-9 && (found[1].v1 + G).abs() < 1e-9);
    // From another start the state there is another: by differences.
    let found = run(time(0.0, 1.0), time(END, 0.0));
    let h = 1e-4;
    let [minus, plus] = [-h, h].map(|h| run(time(h, 0.0), time(END, 0.0)));
    for i in 0..2 {
        let difference = (plus[i].re - minus[i].re) / (2.0 * h);
        assert!((found[i].v1 - difference).abs() < 1e-5, "{i}: {difference}");
    }
}

fn assert_equal(found: [Dual2_64; 3], exact: [Dual2_64; 3], tolerance: f64) {
    for (a, b) in found.into_iter().zip(exact) {
        for (a, b) in [(a.re, b.re), (a.v1, b.v1), (a.v2, b.v2)] {
            let error: f64 = a - b;
            assert!(error.abs() < tolerance * (1.0 + b.abs()), "{a} and {b}");
        }
    }
}

#[test]
fn lift_off_has_the_derivative_of_the_flow() {
    for seed in 0..2 {
        let mut p = [0.2, 9.0].map(Dual2_64::from);
        p[seed] = p[seed].derivative();
        let [amplitude, rate] = p;
        let platform = Platform { amplitude, rate };
        let start = [Dual2_64::from(0.0), amplitude * rate];
        let found = run(platform, start, 1e-12);
        let time = (amplitude * rate * rate)
            .recip()
            .mul_add(G.into(), 0.0.into());
        let time = time.asin() / rate;
        let (sin, cos) = (rate * time).sin_cos();
        let rest = -time + END;
        let (z, v) = (amplitude * sin, amplitude * rate * cos);
        let exact = [z + v * rest - rest * rest * (0.5 * G), v - rest * G, time];
        assert_equal(found, exact, 1e-8);
    }
}

#[test]
fn slip_has_the_derivative_of_the_flow() {
    for seed in 0..3 {
        let mut p = [0.3, 40.0, 0.5].map(Dual2_64::from);
        p[seed] = p[seed].derivative();
        let [friction, stiffness, speed] = p;
        let block = Pulled {
            friction,
            stiffness,
            speed,
        };
        let found = run(block, [Dual2_64::from(0.0); 2], 1e-12);
        // x = s τ − s/ω sin ωτ from the slip on.
        let time = friction * G / (stiffness * speed);
        let (rate, since) = (stiffness.sqrt(), -time + END);
        let (sin, cos) = (rate * since).sin_cos();
        let exact = [
            speed * since - speed / rate * sin,
            speed - speed * cos,
            time,
        ];
        assert_equal(found, exact, 1e-8);
    }
}

/// Steps do not start below the resolution of a clock that shows a large time.
#[test]
fn late_clocks_are_no_obstacle() {
    struct Decay;
    impl ContinuousSystem<f64> for Decay {
        type Error = InvalidInput;
        fn size(&self) -> usize {
            1
        }
        fn derivative(&mut self, _: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), InvalidInput> {
            xdot[0] = -x[0];
            Ok(())
        }
    }
    let mut method = DormandPrince::new(1e-8, 1e-8).unwrap();
    let mut x = [1e-6];
    let start = 1e12;
    method
        .integrate(&mut Decay, start, start + 1.0, &mut x, |_| {})
        .unwrap();
    assert!((x[0] / (1e-6 * (-1.0f64).exp()) - 1.0).abs() < 0.02);
    // A rate that is not a number is named, not searched for a step.
    struct Undefined;
    impl ContinuousSystem<f64> for Undefined {
        type Error = InvalidInput;
        fn size(&self) -> usize {
            1
        }
        fn derivative(&mut self, _: f64, _: &[f64], xdot: &mut [f64]) -> Result<(), InvalidInput> {
            xdot[0] = f64::NAN;
            Ok(())
        }
    }
    let result = method.integrate(&mut Undefined, 0.0, 1.0, &mut x, |_| {});
    assert!(matches!(result, Err(IntegrationError::Invalid(_))));
}

/// A guard `s (t − start)`, zero at the start: falls or rises from there.
struct Clock<T> {
    start: T,
    slope: f64,
    crossing: Crossing,
}

impl<T: Scalar> ContinuousSystem<T> for Clock<T> {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        1
    }
    fn derivative(&mut self, _: T, _: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
        xdot[0] = T::one();
        Ok(())
    }
}

impl<T: Scalar> HybridSystem<T> for Clock<T> {
    fn num_guards(&self) -> usize {
        1
    }
    fn guards(&mut self, t: T, _: &[T], g: &mut [T]) -> Result<(), InvalidInput> {
        g[0] = (t - self.start) * self.slope;
        Ok(())
    }
    fn crossing(&self, _: usize) -> Crossing {
        self.crossing
    }
    fn reset(&mut self, _: usize, _: T, _: &mut [T]) -> Result<EventOutcome, InvalidInput> {
        Ok(EventOutcome::Cross)
    }
}

fn events_of_clock<T: Scalar>(mut clock: Clock<T>, start: f64, longest: f64) -> Vec<T> {
    let mut method = DormandPrince::new(1e-6, 1e-6).unwrap();
    method = method.with_max_step(longest).unwrap();
    let (mut x, mut events) = ([T::zero()], Vec::new());
    method
        .integrate_with_events(
            &mut clock,
            start,
            start + 10.0 * longest,
            &mut x,
            |_| {},
            &mut events,
        )
        .unwrap();
    events.iter().map(|event| event.time).collect()
}

/// Falling and rising are mirror images, on the surface too.
#[test]
fn a_guard_that_is_zero_at_the_start_has_its_event_there() {
    for (crossing, slope, expected) in [
        (Crossing::Falling, -1.0, 1),
        (Crossing::Falling, 1.0, 0),
        (Crossing::Rising, 1.0, 1),
        (Crossing::Rising, -1.0, 0),
        (Crossing::Either, 1.0, 0),
        (Crossing::Either, -1.0, 0),
    ] {
        let (start, slope) = (0.5, slope);
        let clock = Clock {
            start,
            slope,
            crossing,
        };
        let times = events_of_clock(clock, start, 0.1);
        assert_eq!(times, vec![start; expected], "{crossing:?} {slope}");
    }
}

/// The difference that gives the slope of a guard is one that a clock with a large time shows.
#[test]
fn late_events_do_not_graze() {
    for start in [0.0, 1e8, -1e8, 1e12] {
        let longest = f64::max(1e-6, 1e-14 * f64::abs(start));
        let at = Dual2_64::from(start + 5.0 * longest).derivative();
        let clock = Clock {
            start: at,
            slope: 1.0,
            crossing: Crossing::Rising,
        };
        let times = events_of_clock(clock, start, longest);
        assert_eq!(times.len(), 1);
        let [slope, bend] = [times[0].v1, times[0].v2];
        assert!(
            (slope - 1.0).abs() < 1e-9 && bend.abs() < 1e-9,
            "{start}: {slope} {bend}"
        );
    }
}
