//! Integrators: orders of convergence, manifolds, stiffness, derivatives, events.

use crate::support::arbitrary_number::number;
use crate::support::cases::cases;
use dualbody::autodiff::{JacobianWorkspace, jacobian_into};
use dualbody::integrator::{
    AdaptiveRadau, ContinuousSystem, Crossing, DenseOutput, DormandPrince, Event, EventOutcome,
    ExplicitRungeKutta, HybridSystem, ImplicitRungeKutta, IntegrationError, MechanicalSystem,
    SemiImplicitEuler, StiffSystem,
};
use dualbody::math::rotation;
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DMatrix, Quaternion, Vector3};
use num_dual::{Dual2_64, Dual3_64, Dual64, DualNum, DualSVec64};
use proptest::prelude::*;

/// A pendulum whose support is driven: not linear, not autonomous.
#[derive(Clone)]
struct Pendulum<T> {
    stiffness: T,
    jacobian: JacobianWorkspace,
}

impl<T: Scalar> Pendulum<T> {
    fn new(stiffness: T) -> Self {
        Pendulum {
            stiffness,
            jacobian: JacobianWorkspace::default(),
        }
    }
}

fn pendulum<T: Scalar>(stiffness: T, t: T, x: &[T], xdot: &mut [T]) {
    xdot[0] = x[1];
    xdot[1] = -x[0].sin() * stiffness + (t * 2.0).cos() * 0.5 - x[1] * 0.1;
}

impl<T: Scalar> ContinuousSystem<T> for Pendulum<T> {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        2
    }
    fn derivative(&mut self, t: T, x: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
        pendulum(self.stiffness, t, x, xdot);
        Ok(())
    }
}

impl<T: Scalar> MechanicalSystem<T> for Pendulum<T> {
    fn num_positions(&self) -> usize {
        1
    }
    fn num_velocities(&self) -> usize {
        1
    }
    fn position_derivative(&mut self, _: &[T], v: &[T], qdot: &mut [T]) -> Result<(), Self::Error> {
        qdot[0] = v[0];
        Ok(())
    }
}

impl<T: Scalar> StiffSystem<T> for Pendulum<T> {
    fn real_derivative(&mut self, t: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), Self::Error> {
        pendulum(self.stiffness.re(), t, x, xdot);
        Ok(())
    }
    fn real_jacobian(
        &mut self,
        t: f64,
        x: &[f64],
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), Self::Error> {
        let k = self.stiffness.re();
        jacobian_into(
            |x, y| {
                pendulum(DualSVec64::from(k), DualSVec64::from(t), x, y);
                Ok::<(), InvalidInput>(())
            },
            x,
            &mut self.jacobian,
            &mut [0.0; 2],
            jacobian.as_mut_slice(),
        )
    }
}

/// The state at t = 2 by steps of the given number.
type Method<'m, T> = &'m dyn Fn(&mut Pendulum<T>, T, T, &mut [T]);

fn run<T: Scalar>(method: Method<T>, stiffness: T, start: [T; 2], steps: usize) -> [T; 2] {
    let mut system = Pendulum::new(stiffness);
    let h = 2.0 / steps as f64;
    let mut x = start;
    for i in 0..steps {
        method(&mut system, T::from(i as f64 * h), T::from(h), &mut x);
    }
    x
}

fn reference<T: Scalar>(stiffness: T, start: [T; 2]) -> [T; 2] {
    let mut x = start;
    accurate()
        .integrate(&mut Pendulum::new(stiffness), 0.0, 2.0, &mut x, |_| {})
        .unwrap();
    x
}

fn step_explicit<T: Scalar>(
    method: ExplicitRungeKutta<T>,
) -> impl Fn(&mut Pendulum<T>, T, T, &mut [T]) {
    let method = std::cell::RefCell::new(method);
    move |s, t, h, x| method.borrow_mut().step(s, t, h, x).unwrap()
}

fn step_implicit<T: Scalar>(
    method: ImplicitRungeKutta<T>,
) -> impl Fn(&mut Pendulum<T>, T, T, &mut [T]) {
    let method = std::cell::RefCell::new(method);
    move |s, t, h, x| method.borrow_mut().step(s, t, h, x).unwrap()
}

/// Halving the step divides the error of value and derivative by 2^order.
#[test]
fn methods_converge_with_their_order() {
    type T = Dual64;
    let (k, start) = (T::from(3.0).derivative(), [T::from(1.2), T::from(-0.4)]);
    let exact = reference(k, start);
    let semi_implicit = |s: &mut Pendulum<T>, t: T, h: T, x: &mut [T]| {
        SemiImplicitEuler::new().step(s, t, h, x).unwrap();
    };
    let dormand_prince = |s: &mut Pendulum<T>, t: T, h: T, x: &mut [T]| {
        let mut method = DormandPrince::new(1.0, 1.0).unwrap();
        method.replay(s, t.re, &[h.re], x).unwrap();
    };
    let methods: [(&str, Method<T>, f64, usize); 7] = [
        (
            "euler",
            &step_explicit(ExplicitRungeKutta::euler()),
            1.0,
            400,
        ),
        ("semi-implicit", &semi_implicit, 1.0, 400),
        (
            "classical",
            &step_explicit(ExplicitRungeKutta::classical()),
            4.0,
            40,
        ),
        ("dormand-prince", &dormand_prince, 5.0, 20),
        (
            "midpoint",
            &step_implicit(ImplicitRungeKutta::midpoint()),
            2.0,
            100,
        ),
        (
            "radau 3",
            &step_implicit(ImplicitRungeKutta::radau_3()),
            3.0,
            60,
        ),
        (
            "radau 5",
            &step_implicit(ImplicitRungeKutta::radau_5()),
            5.0,
            15,
        ),
    ];
    for (name, method, order, steps) in methods {
        let error = |steps| {
            let x = run(method, k, start, steps);
            let value: f64 = (x[0].re - exact[0].re).hypot(x[1].re - exact[1].re);
            let slope: f64 = (x[0].eps - exact[0].eps).hypot(x[1].eps - exact[1].eps);
            [value, slope]
        };
        let (coarse, fine) = (error(steps), error(2 * steps));
        for (what, c, f) in [("value", coarse[0], fine[0]), ("slope", coarse[1], fine[1])] {
            let observed = (c / f).log2();
            assert!(
                (observed - order).abs() < 0.35,
                "{name}, {what}: order {observed}, errors {c:e} and {f:e}"
            );
        }
    }
}

#[test]
fn dense_output_is_of_order_four() {
    let error = |h: f64| {
        let mut method = DormandPrince::new(1e3, 1e3)
            .unwrap()
            .with_max_step(h)
            .unwrap();
        let mut x = [1.2, -0.4];
        let mut worst: f64 = 0.0;
        let mut exact = (0.0, [1.2f64, -0.4]);
        let mut fine = DormandPrince::new(1e-13, 1e-13).unwrap();
        method
            .integrate(&mut Pendulum::new(3.0), 0.0, 2.0, &mut x, |dense| {
                for fraction in [0.3, 0.55, 0.8] {
                    let t = dense.start() + fraction * (dense.end() - dense.start());
                    let mut system = Pendulum::new(3.0);
                    fine.integrate(&mut system, exact.0, t, &mut exact.1, |_| {})
                        .unwrap();
                    exact.0 = t;
                    let mut y = [0.0; 2];
                    dense.state(t, &mut y);
                    worst = worst.max((y[0] - exact.1[0]).abs());
                }
            })
            .unwrap();
        worst
    };
    let order: f64 = (error(0.2) / error(0.1)).log2();
    assert!((3.5..5.6).contains(&order), "order {order}");
}

/// A rigid body that turns without torque; the state is [quaternion, angular velocity in the body].
struct Top {
    inertia: Vector3<f64>,
}

impl<T: Scalar> ContinuousSystem<T> for Top {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        7
    }
    fn derivative(&mut self, _: T, x: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
        let norm = T::norm_lifted(&x[..4]).re();
        assert!(
            (norm - 1.0).abs() < 1e-15,
            "evaluated off the manifold: {norm}"
        );
        let q = Quaternion::new(x[0], x[1], x[2], x[3]);
        let w = Vector3::new(x[4], x[5], x[6]);
        let rate = q * Quaternion::from_imag(w * T::from(0.5));
        xdot[..4].copy_from_slice(&[rate.w, rate.i, rate.j, rate.k]);
        let inertia = self.inertia.map(T::from);
        let torque = -w.cross(&inertia.component_mul(&w));
        xdot[4..].copy_from_slice(torque.component_div(&inertia).as_slice());
        Ok(())
    }
    fn project(&self, x: &mut [T]) -> Result<(), InvalidInput> {
        let norm = T::norm_lifted(&x[..4]);
        for x in &mut x[..4] {
            *x /= norm;
        }
        Ok(())
    }
}

#[test]
fn quaternions_stay_on_their_sphere_and_keep_the_order() {
    let start = [1.0, 0.0, 0.0, 0.0, 0.3, 4.0, 0.2];
    let mut top = Top {
        inertia: Vector3::new(1.0, 2.0, 3.0),
    };
    let run = |top: &mut Top, steps: usize| {
        let mut x = start;
        let mut method = ExplicitRungeKutta::classical();
        for _ in 0..steps {
            method.step(top, 0.0, 1.0 / steps as f64, &mut x).unwrap();
        }
        x
    };
    let mut exact = start;
    let mut adaptive = DormandPrince::new(1e-13, 1e-13).unwrap();
    adaptive
        .integrate(&mut top, 0.0, 1.0, &mut exact, |_| {})
        .unwrap();
    let error = |x: [f64; 7]| {
        (0..7)
            .map(|i| (x[i] - exact[i]).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let (coarse, fine) = (error(run(&mut top, 40)), error(run(&mut top, 80)));
    assert!(
        ((coarse / fine).log2() - 4.0).abs() < 0.4,
        "{coarse:e} {fine:e}"
    );
    // Angular momentum in the world is conserved.
    let momentum = |x: &[f64]| {
        let q = Quaternion::new(x[0], x[1], x[2], x[3]);
        let w = Vector3::new(x[4], x[5], x[6]);
        rotation::matrix_from_quaternion(&q) * top.inertia.component_mul(&w)
    };
    assert!((momentum(&start) - momentum(&exact)).norm() < 1e-11);
    assert!((exact[..4].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-15);
}

#[test]
fn duals_take_the_steps_of_f64() {
    let mut adaptive = DormandPrince::new(1e-6, 1e-8).unwrap();
    let mut x = [1.2, -0.4];
    let steps = adaptive
        .integrate(&mut Pendulum::new(3.0), 0.0, 2.0, &mut x, |_| {})
        .unwrap();
    let mut dual = [Dual64::from(1.2), Dual64::from(-0.4)];
    let mut system = Pendulum::new(Dual64::from(3.0).derivative());
    let mut adaptive = DormandPrince::new(1e-6, 1e-8).unwrap();
    let same = adaptive
        .integrate(&mut system, 0.0, 2.0, &mut dual, |_| {})
        .unwrap();
    assert_eq!(steps, same);
    assert!(steps.rejected < steps.steps.len());
    assert_eq!(x, dual.map(|x| x.re));
    // The derivative of the discrete map, by differences of the replay.
    let at = |k: f64| {
        let mut x = [1.2, -0.4];
        let mut method = DormandPrince::new(1.0, 1.0).unwrap();
        method
            .replay(&mut Pendulum::new(k), 0.0, &steps.steps, &mut x)
            .unwrap();
        x
    };
    assert_eq!(at(3.0), x);
    let h = 1e-5;
    for (i, dual) in dual.iter().enumerate() {
        let difference = (at(3.0 + h)[i] - at(3.0 - h)[i]) / (2.0 * h);
        assert!((difference - dual.eps).abs() < 1e-9);
    }
}

/// ∂x/∂t₁ = f(t₁, x), and differences by the start, to the second order; dense output by its time.
#[test]
fn both_times_have_derivatives() {
    let run = |start: f64, end: f64| {
        let mut x = [1.2, -0.4];
        let mut system = Pendulum::new(3.0);
        (accurate().integrate(&mut system, start, end, &mut x, |_| {})).unwrap();
        x
    };
    let (start, end) = (0.3, 1.7);
    for (of_start, of_end) in [(1.0, 0.0), (0.0, 1.0), (0.4, -2.0)] {
        let time = |at: f64, rate: f64| Dual2_64::new(at, rate, 0.0);
        let (from, to) = (time(start, of_start), time(end, of_end));
        let mut x = [1.2, -0.4].map(Dual2_64::from);
        let mut system = Pendulum::new(Dual2_64::from(3.0));
        (accurate().integrate(&mut system, from, to, &mut x, |_| {})).unwrap();
        let at = |h: f64| run(start + h * of_start, end + h * of_end);
        let h = 1e-3;
        let [minus, here, plus] = [at(-h), at(0.0), at(h)];
        for (i, x) in x.iter().enumerate() {
            assert_eq!(x.re, here[i]);
            let first = (plus[i] - minus[i]) / (2.0 * h);
            assert!((x.v1 - first).abs() < 1e-4, "{x} {first}");
            let second = (plus[i] - 2.0 * here[i] + minus[i]) / (h * h);
            assert!((x.v2 - second).abs() < 1e-3, "{x} {second}");
        }
    }
    let mut rate = [0.0; 2];
    let mut system = Pendulum::new(3.0);
    let mut dual = Pendulum::new(Dual64::from(3.0));
    let mut x = [1.2, -0.4].map(Dual64::from);
    let look = |dense: &DenseOutput<Dual64>| {
        let middle = 0.5 * (dense.start() + dense.end());
        let mut at = [Dual64::from(0.0); 2];
        dense.state(Dual64::from(middle).derivative(), &mut at);
        (system.derivative(middle, &at.map(|x| x.re), &mut rate)).unwrap();
        for (at, rate) in at.iter().zip(rate) {
            assert!((at.eps - rate).abs() < 1e-6, "{at} {rate}");
        }
    };
    (accurate().integrate(&mut dual, 0.0, 2.0, &mut x, look)).unwrap();
}

fn accurate<T: Scalar>() -> DormandPrince<T> {
    let method = DormandPrince::new(1e-13, 1e-13).unwrap();
    method.with_max_step(0.02).unwrap()
}

#[test]
fn energy_does_not_drift_with_symplectic_methods() {
    struct Spring;
    impl ContinuousSystem<f64> for Spring {
        type Error = InvalidInput;
        fn size(&self) -> usize {
            2
        }
        fn derivative(&mut self, _: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), InvalidInput> {
            (xdot[0], xdot[1]) = (x[1], -x[0]);
            Ok(())
        }
    }
    impl MechanicalSystem<f64> for Spring {
        fn num_positions(&self) -> usize {
            1
        }
        fn num_velocities(&self) -> usize {
            1
        }
        fn position_derivative(
            &mut self,
            _: &[f64],
            v: &[f64],
            qdot: &mut [f64],
        ) -> Result<(), InvalidInput> {
            qdot[0] = v[0];
            Ok(())
        }
    }
    let (mut symplectic, mut explicit) = ([1.0, 0.0], [1.0, 0.0]);
    let mut semi = SemiImplicitEuler::new();
    let mut euler = ExplicitRungeKutta::euler();
    for _ in 0..20_000 {
        semi.step(&mut Spring, 0.0, 0.05, &mut symplectic).unwrap();
        euler
            .step(&mut Spring, 0.0, 0.05, &mut explicit)
            .unwrap_or_default();
    }
    let energy = |x: [f64; 2]| 0.5 * (x[0] * x[0] + x[1] * x[1]);
    assert!((energy(symplectic) - 0.5).abs() < 0.03);
    assert!(energy(explicit) > 1e10);
}

/// ẋ = λ (x − cos(t + φ)) − sin(t + φ), with the solution cos(t + φ) (Prothero & Robinson).
struct Stiff<T> {
    lambda: f64,
    phase: T,
}

fn stiff<T: Scalar>(lambda: f64, phase: T, t: T, x: T) -> T {
    let (sin, cos) = (t + phase).sin_cos();
    (x - cos) * lambda - sin
}

impl<T: Scalar> ContinuousSystem<T> for Stiff<T> {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        1
    }
    fn derivative(&mut self, t: T, x: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
        xdot[0] = stiff(self.lambda, self.phase, t, x[0]);
        Ok(())
    }
}

impl<T: Scalar> StiffSystem<T> for Stiff<T> {
    fn real_derivative(&mut self, t: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), Self::Error> {
        xdot[0] = stiff(self.lambda, self.phase.re(), t, x[0]);
        Ok(())
    }
    fn real_jacobian(
        &mut self,
        _: f64,
        _: &[f64],
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), Self::Error> {
        jacobian[(0, 0)] = self.lambda;
        Ok(())
    }
}

/// A rate of 1 that has no value in duals after half a second.
struct Undefined;

impl ContinuousSystem<Dual64> for Undefined {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        1
    }
    fn derivative(
        &mut self,
        t: Dual64,
        _: &[Dual64],
        xdot: &mut [Dual64],
    ) -> Result<(), InvalidInput> {
        xdot[0] = Dual64::from(if t.re > 0.5 { f64::NAN } else { 1.0 });
        Ok(())
    }
}

impl StiffSystem<Dual64> for Undefined {
    fn real_derivative(&mut self, _: f64, _: &[f64], xdot: &mut [f64]) -> Result<(), Self::Error> {
        xdot[0] = 1.0;
        Ok(())
    }
    fn real_jacobian(
        &mut self,
        _: f64,
        _: &[f64],
        _: &mut DMatrix<f64>,
    ) -> Result<(), Self::Error> {
        Ok(())
    }
}

#[test]
fn a_step_without_derivatives_says_when_it_was() {
    let mut method = ImplicitRungeKutta::radau_5();
    let mut x = [Dual64::from(0.0)];
    let mut step = |t: f64| method.step(&mut Undefined, t.into(), 0.25.into(), &mut x);
    step(0.0).unwrap();
    let Err(IntegrationError::NotConverged { time, step, .. }) = step(0.4) else {
        panic!("no error");
    };
    assert_eq!((time, step), (0.4, 0.25));
}

#[test]
fn implicit_methods_take_long_steps_through_stiff_systems() {
    let phase = Dual2_64::from(0.2).derivative();
    for (name, mut method, tolerance) in [
        ("midpoint", ImplicitRungeKutta::midpoint(), 2e-3),
        ("radau 3", ImplicitRungeKutta::radau_3(), 1e-7),
        ("radau 5", ImplicitRungeKutta::radau_5(), 1e-9),
    ] {
        let mut system = Stiff {
            lambda: -1e6,
            phase,
        };
        let mut x = [phase.cos()];
        for i in 0..20 {
            let t = Dual2_64::from(0.1 * i as f64);
            method
                .step(&mut system, t, Dual2_64::from(0.1), &mut x)
                .unwrap();
        }
        let exact = (phase + 2.0).cos();
        let error = [x[0].re - exact.re, x[0].v1 - exact.v1, x[0].v2 - exact.v2];
        assert!(
            error.iter().all(|e| e.abs() < tolerance),
            "{name}: {error:?}"
        );
    }
    // An explicit method is bound by stability: hundreds of thousands of steps.
    let mut system = Stiff {
        lambda: -1e6,
        phase: 0.2,
    };
    let mut adaptive = DormandPrince::new(1e-6, 1e-6).unwrap().with_limits(2000, 1);
    let mut x = [0.2f64.cos()];
    let result = adaptive.integrate(&mut system, 0.0, 2.0, &mut x, |_| {});
    assert!(matches!(
        result,
        Err(IntegrationError::TooManySteps { steps: 2000, .. })
    ));
}

/// A ball that bounces on a floor that rises with the speed `floor`.
#[derive(Clone)]
struct Ball<T> {
    gravity: T,
    restitution: T,
    floor: T,
    outcome: EventOutcome,
}

impl<T: Scalar> ContinuousSystem<T> for Ball<T> {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        2
    }
    fn derivative(&mut self, _: T, x: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
        (xdot[0], xdot[1]) = (x[1], -self.gravity);
        Ok(())
    }
}

impl<T: Scalar> HybridSystem<T> for Ball<T> {
    fn num_guards(&self) -> usize {
        1
    }
    fn guards(&mut self, t: T, x: &[T], g: &mut [T]) -> Result<(), InvalidInput> {
        g[0] = x[0] - self.floor * t;
        Ok(())
    }
    fn crossing(&self, _: usize) -> Crossing {
        Crossing::Falling
    }
    fn reset(&mut self, _: usize, _: T, x: &mut [T]) -> Result<EventOutcome, InvalidInput> {
        x[1] = self.floor - (x[1] - self.floor) * self.restitution;
        Ok(self.outcome)
    }
}

/// The state at the end, and the bounces.
type Bounced<T> = ([T; 2], Vec<Event<T>>);

fn bounce<T: Scalar>(
    [z, v, g, e, floor]: [T; 5],
    end: f64,
    tolerance: f64,
) -> Result<Bounced<T>, IntegrationError<InvalidInput>> {
    let mut ball = Ball {
        gravity: g,
        restitution: e,
        floor,
        outcome: EventOutcome::Return,
    };
    let (mut x, mut events) = ([z, v], Vec::new());
    let mut method = DormandPrince::new(tolerance, tolerance)?;
    method.integrate_with_events(&mut ball, 0.0, end, &mut x, |_| {}, &mut events)?;
    Ok((x, events))
}

/// Time of the first bounce, and the state at `end` after one bounce.
fn bounce_in_closed_form<T: Scalar>([z, v, g, e, floor]: [T; 5], end: f64) -> (T, [T; 2]) {
    let u = v - floor; // relative to the floor
    let hit = (u + (u * u + g * z * 2.0).sqrt()) / g;
    let after = (g * hit - u) * e;
    let rest = -hit + end;
    let height = after * rest - g * rest * rest * 0.5 + floor * end;
    (hit, [height, after - g * rest + floor])
}

/// Value and derivatives to third order along one direction.
fn parts(x: Dual3_64) -> [f64; 4] {
    [x.re, x.v1, x.v2, x.v3]
}

#[test]
fn the_gradient_of_a_bounce_is_that_of_the_flow() {
    let point = [1.0, 0.3, 9.81, 0.8, 0.05];
    for tolerance in [1e-3, 1e-10] {
        for seed in 0..5 {
            let mut p = point.map(Dual3_64::from);
            p[seed] = p[seed].derivative();
            let (x, events) = bounce(p, 0.9, tolerance).unwrap();
            let (hit, exact) = bounce_in_closed_form(p, 0.9);
            assert_eq!(events.len(), 1);
            for (a, b) in [(events[0].time, hit), (x[0], exact[0]), (x[1], exact[1])] {
                for (order, (a, b)) in parts(a).into_iter().zip(parts(b)).enumerate() {
                    assert!(
                        (a - b).abs() < 1e-11 * (1.0 + b.abs()),
                        "direction {seed}, order {order}: {a} and {b}"
                    );
                }
            }
            // At the event the state is on the floor, whatever the direction.
            let gap = events[0].before[0] - p[4] * events[0].time;
            assert!(parts(gap).iter().all(|g| g.abs() < 1e-12), "{gap:?}");
        }
    }
}

#[test]
fn many_bounces_agree_with_differences() {
    let point = [1.0, 0.3, 9.81, 0.8, 0.0];
    let (_, events) = bounce(point, 2.5, 1e-9).unwrap();
    assert!(events.len() >= 4);
    for seed in 0..4 {
        let mut p = point.map(Dual64::from);
        p[seed] = p[seed].derivative();
        let (x, _) = bounce(p, 2.5, 1e-9).unwrap();
        let at = |h: f64| {
            let mut p = point;
            p[seed] += h;
            bounce(p, 2.5, 1e-9).unwrap().0
        };
        let (h, y) = (1e-5, [at(1e-5), at(-1e-5)]);
        for i in 0..2 {
            let difference = (y[0][i] - y[1][i]) / (2.0 * h);
            assert!((x[i].eps - difference).abs() < 1e-5 * (1.0 + difference.abs()));
        }
    }
}

#[test]
fn bounces_that_accumulate_are_reported() {
    let result = bounce([0.1, 0.0, 9.81, 0.5, 0.0], 5.0, 1e-9);
    assert!(
        matches!(
            result,
            Err(IntegrationError::EventNotLeft { event: 0, time }
                | IntegrationError::StepTooSmall { time, .. }) if time < 0.5
        ),
        "{result:?}"
    );
}

/// A parabola whose vertex touches the floor has an event without a derivative.
#[test]
fn a_grazing_event_has_no_derivative() {
    struct Parabola;
    impl<T: Scalar> ContinuousSystem<T> for Parabola {
        type Error = InvalidInput;
        fn size(&self) -> usize {
            1
        }
        fn derivative(&mut self, _: T, _: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
            xdot[0] = T::zero();
            Ok(())
        }
    }
    impl<T: Scalar> HybridSystem<T> for Parabola {
        fn num_guards(&self) -> usize {
            1
        }
        fn guards(&mut self, t: T, _: &[T], g: &mut [T]) -> Result<(), InvalidInput> {
            // Positive until t = 1, then zero for good measure, then negative; flat around 1.
            let s = -t + 1.0;
            g[0] = if s.re().abs() < 0.25 { T::zero() } else { s };
            Ok(())
        }
        fn crossing(&self, _: usize) -> Crossing {
            Crossing::Falling
        }
        fn reset(&mut self, _: usize, _: T, _: &mut [T]) -> Result<EventOutcome, InvalidInput> {
            Ok(EventOutcome::Cross)
        }
    }
    let mut method = DormandPrince::new(1e-6, 1e-6).unwrap();
    let mut x = [Dual64::from(1.0).derivative()];
    let mut events = Vec::new();
    let result = method.integrate_with_events(&mut Parabola, 0.0, 2.0, &mut x, |_| {}, &mut events);
    assert!(
        matches!(result, Err(IntegrationError::Grazing { event: 0, .. })),
        "{result:?}"
    );
}

#[test]
fn an_integration_can_stop_at_an_event() {
    let mut ball = Ball {
        gravity: 9.81,
        restitution: 0.5,
        floor: 0.0,
        outcome: EventOutcome::Stop,
    };
    let (mut x, mut events) = ([1.0, 0.0], Vec::new());
    let mut method = DormandPrince::new(1e-9, 1e-9).unwrap();
    let mut end = 0.0;
    method
        .integrate_with_events(&mut ball, 0.0, 9.0, &mut x, |d| end = d.end(), &mut events)
        .unwrap();
    assert_eq!((events.len(), events[0].time), (1, end));
    assert!((end - (2.0f64 / 9.81).sqrt()).abs() < 1e-14);
    assert!((0.0..1e-14).contains(&x[0]));
}

/// A block that slides until friction stops it, and then sticks.
struct Block<T> {
    friction: T,
    slides: bool,
}

impl<T: Scalar> ContinuousSystem<T> for Block<T> {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        2
    }
    fn derivative(&mut self, _: T, x: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
        xdot[0] = x[1];
        xdot[1] = if self.slides {
            -self.friction * 9.81
        } else {
            T::zero()
        };
        Ok(())
    }
}

impl<T: Scalar> HybridSystem<T> for Block<T> {
    fn num_guards(&self) -> usize {
        1
    }
    fn guards(&mut self, _: T, x: &[T], g: &mut [T]) -> Result<(), InvalidInput> {
        g[0] = if self.slides { x[1] } else { T::one() };
        Ok(())
    }
    fn crossing(&self, _: usize) -> Crossing {
        Crossing::Falling
    }
    fn reset(&mut self, _: usize, _: T, x: &mut [T]) -> Result<EventOutcome, InvalidInput> {
        (self.slides, x[1]) = (false, T::zero());
        Ok(EventOutcome::Return)
    }
}

#[test]
fn sliding_turns_into_sticking_with_the_right_derivative() {
    for seed in 0..2 {
        let mut p = [1.5, 0.4].map(Dual2_64::from);
        p[seed] = p[seed].derivative();
        let [v, friction] = p;
        let mut block = Block {
            friction,
            slides: true,
        };
        let (mut x, mut events) = ([Dual2_64::from(0.0), v], Vec::new());
        let mut method = DormandPrince::new(1e-8, 1e-8).unwrap();
        method
            .integrate_with_events(&mut block, 0.0, 1.0, &mut x, |_| {}, &mut events)
            .unwrap();
        let exact = v * v / (friction * (2.0 * 9.81));
        assert_eq!(events.len(), 1);
        for (a, b) in [
            (x[0].re, exact.re),
            (x[0].v1, exact.v1),
            (x[0].v2, exact.v2),
            (x[1].re, 0.0),
            (x[1].v1, 0.0),
            (x[1].v2, 0.0),
        ] {
            assert!((a - b).abs() < 1e-11, "{a} and {b}");
        }
    }
}

#[test]
fn bad_input_is_an_error() {
    let mut method = DormandPrince::new(1e-6, 1e-6).unwrap();
    let mut system = Pendulum::new(1.0);
    let mut go = |start: f64, end: f64, x: &mut [f64]| {
        method
            .integrate(&mut system, start, end, x, |_| {})
            .map(|_| ())
    };
    assert!(go(0.0, 1.0, &mut [0.0; 3]).is_err());
    assert!(go(0.0, 1.0, &mut [0.0, f64::NAN]).is_err());
    assert!(go(0.0, f64::NAN, &mut [0.0; 2]).is_err());
    assert!(go(1.0, 0.0, &mut [0.0; 2]).is_err());
    assert!(go(f64::INFINITY, f64::INFINITY, &mut [0.0; 2]).is_err());
    assert!(go(1.0, 1.0, &mut [0.0; 2]).is_ok());
    assert!(DormandPrince::<f64>::new(0.0, 1e-6).is_err());
    assert!(DormandPrince::<f64>::new(1e-6, f64::NAN).is_err());
    assert!(
        DormandPrince::<f64>::new(1e-6, 1e-6)
            .unwrap()
            .with_max_step(-1.0)
            .is_err()
    );
    let mut x = [1.0, f64::INFINITY];
    let mut system = Pendulum::new(1.0);
    assert!(
        ExplicitRungeKutta::classical()
            .step(&mut system, 0.0, 0.1, &mut x)
            .is_err()
    );
    assert!(
        ImplicitRungeKutta::radau_5()
            .step(&mut system, 0.0, 0.1, &mut x)
            .is_err()
    );
    assert!(
        ImplicitRungeKutta::radau_5()
            .step(&mut system, 0.0, 0.1, &mut [0.0; 3])
            .is_err()
    );
}

/// `ẏ = −k y³` after `p` entries of the size `large` that do not move.
struct Cubic {
    still: usize,
    k: f64,
}

impl ContinuousSystem<f64> for Cubic {
    type Error = InvalidInput;
    fn size(&self) -> usize {
        self.still + 1
    }
    fn derivative(&mut self, _: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), InvalidInput> {
        xdot.fill(0.0);
        xdot[self.still] = -self.k * x[self.still].powi(3);
        Ok(())
    }
}

impl StiffSystem<f64> for Cubic {
    fn real_derivative(&mut self, t: f64, x: &[f64], xdot: &mut [f64]) -> Result<(), Self::Error> {
        self.derivative(t, x, xdot)
    }
    fn real_jacobian(
        &mut self,
        _: f64,
        x: &[f64],
        jacobian: &mut DMatrix<f64>,
    ) -> Result<(), Self::Error> {
        jacobian[(self.still, self.still)] = -3.0 * self.k * x[self.still].powi(2);
        Ok(())
    }
}

/// The stages of an entry are solved, however large others are, and however small it is itself.
#[test]
fn implicit_methods_solve_the_equation_of_every_entry() {
    type Method = fn() -> ImplicitRungeKutta<f64>;
    let methods: [(&str, Method); 3] = [
        ("midpoint", ImplicitRungeKutta::midpoint),
        ("radau 3", ImplicitRungeKutta::radau_3),
        ("radau 5", ImplicitRungeKutta::radau_5),
    ];
    for (name, method) in methods {
        // The same motion in a unit in which it is of the size of one.
        let mut unit = [1.0];
        let mut system = Cubic { still: 0, k: 2.5e4 };
        method().step(&mut system, 0.0, 1.0, &mut unit).unwrap();
        if name == "midpoint" {
            let middle = 0.5 * (1.0 + unit[0]);
            let expected = 1.0 - 2.5e4 * middle.powi(3);
            assert!((unit[0] - expected).abs() < 1e-9, "{} {expected}", unit[0]);
        }
        for (size, large) in [
            (5e-3, 1.0),
            (5e-3, 1e6),
            (5e-3, 1e12),
            (1e-9, 1.0),
            (1e-9, 1e6),
        ] {
            let k = 2.5e4 / (size * size);
            let mut alone = [size];
            let mut system = Cubic { still: 0, k };
            method().step(&mut system, 0.0, 1.0, &mut alone).unwrap();
            let mut beside = [large, size];
            let mut system = Cubic { still: 1, k };
            method().step(&mut system, 0.0, 1.0, &mut beside).unwrap();
            assert_eq!(beside[0], large);
            for y in [alone[0], beside[1]] {
                let error = (y / size - unit[0]).abs();
                assert!(
                    error < 1e-11,
                    "{name} {size} {large}: {y} {}",
                    unit[0] * size
                );
            }
        }
    }
}

/// Every method sees the rate at the projected start.
#[test]
fn an_integration_may_start_off_the_manifold() {
    let mut top = Top {
        inertia: Vector3::new(1.0, 2.0, 3.0),
    };
    let start = [1.0 + 1e-9, 0.0, 0.0, 1e-9, 0.3, 4.0, 0.2];
    let mut projected = start;
    ContinuousSystem::<f64>::project(&top, &mut projected).unwrap();
    let mut method = DormandPrince::new(1e-9, 1e-9).unwrap();
    let mut run = |mut x: [f64; 7]| {
        method
            .integrate(&mut top, 0.0, 0.1, &mut x, |_| {})
            .unwrap();
        x
    };
    for (a, b) in run(start).into_iter().zip(run(projected)) {
        assert!((a - b).abs() < 1e-8, "{a} {b}");
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// With every method, from any state over any time: an error or a finite state, with derivatives that are finite
    /// where their products stay in range.
    #[test]
    fn steps_of_any_numbers_are_refused_or_finite(x in prop::collection::vec(number(4, 1), 7)) {
        let stiffness = Dual64::new(x[0], 1.0);
        let [t, h] = [x[1], x[2]];
        let [time, step] = [t, h].map(|x| Dual64::new(x, 0.5));
        let start = [x[3], x[4]].map(|x| Dual64::new(x, -0.7));
        let system = &mut Pendulum::new(stiffness);
        let check = |what: &str, y: &[Dual64]| {
            let moderate = x.iter().chain(y.iter().map(|y| &y.re)).all(|x| x.abs() < 1e10);
            let is_finite = |y: &Dual64| y.re.is_finite() && (!moderate || y.eps.is_finite());
            assert!(y.iter().all(is_finite), "{what}: {y:?}");
        };
        for (name, mut method) in [
            ("Euler", ExplicitRungeKutta::euler()),
            ("Runge–Kutta", ExplicitRungeKutta::classical()),
        ] {
            let mut y = start;
            if method.step(system, time, step, &mut y).is_ok() {
                check(name, &y);
            }
        }
        let mut y = start;
        if SemiImplicitEuler::new().step(system, time, step, &mut y).is_ok() {
            check("semi-implicit Euler", &y);
        }
        for (name, mut method) in [
            ("midpoint", ImplicitRungeKutta::midpoint()),
            ("Radau 3", ImplicitRungeKutta::radau_3()),
            ("Radau 5", ImplicitRungeKutta::radau_5()),
        ] {
            let mut y = start;
            if method.step(system, time, step, &mut y).is_ok() {
                check(name, &y);
            }
        }
        let end = t + h;
        if let Ok(method) = DormandPrince::new(x[5], x[6]) {
            let mut y = start;
            let mut method = method.with_limits(100, 10);
            if method.integrate(system, t, end, &mut y, |_| {}).is_ok() {
                check("Dormand–Prince", &y);
            }
        }
        if let Ok(method) = AdaptiveRadau::radau_5(x[5], x[6]) {
            let mut y = start;
            let mut method = method.with_limits(100, 10);
            if method.integrate(system, t, end, &mut y, |_| {}).is_ok() {
                check("adaptive Radau", &y);
            }
        }
    }
}
