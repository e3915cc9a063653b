//! Flows in which friction holds at the default stiction tolerance, by an implicit method.

use dualbody::Parameters;
use dualbody::contact::ContactMaterial;
use dualbody::geometry::Shape;
use dualbody::integrator::{AdaptiveRadau, DormandPrince, IntegrationError};
use dualbody::system::{
    IntegrationMethod, RigidBodyFlow, RigidBodySystem, Scheme, State, SystemBuilder,
    TimeSteppingRigidBodySystem,
};
use num_dual::Dual64;

const RADIUS: f64 = 0.05;

/// Balls, one over the other, over the floor.
fn balls(count: usize) -> RigidBodySystem<f64> {
    let rubber = ContactMaterial::new(2e3, 0.3, 0.4).unwrap();
    let mut builder = SystemBuilder::new().floor("floor", rubber);
    for ball in &["lower", "upper"][..count] {
        builder = builder.free_body(*ball, Shape::new_sphere(RADIUS).unwrap(), 0.3, rubber);
    }
    builder.build().unwrap()
}

/// A ball that falls 1 cm with spin and speed, after 0.06 s, and the steps that it took.
fn spinning(speed: Dual64, stiction: Dual64, tolerance: f64) -> (Vec<Dual64>, usize) {
    let mut system = balls(1).cast::<Dual64>();
    (system.set_parameter("stiction_tolerance", stiction)).unwrap();
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    let mut start = system.initial_state();
    (start.q[6], start.v[1], start.v[3]) = ((RADIUS + 0.01).into(), 3.0.into(), speed);
    let (mut x, mut events) = (Vec::new(), Vec::new());
    flow.write_state(&start, &mut x);
    let mut method = AdaptiveRadau::radau_5(tolerance, tolerance).unwrap();
    let statistics =
        (method.integrate_with_events(&mut flow, 0.0, 0.06, &mut x, |_| {}, &mut events)).unwrap();
    assert!(!events.is_empty());
    (x, statistics.steps.len())
}

/// Against differences of solutions of a tighter tolerance.
#[test]
fn derivatives_of_flows_that_stick_are_right() {
    let stiction = Dual64::from(1e-4);
    let (x, steps) = spinning(Dual64::new(0.2, 1.0), stiction, 1e-8);
    assert!(steps < 2000, "{steps}");
    let h = 1e-4;
    let [more, less] = [h, -h].map(|h| spinning((0.2 + h).into(), stiction, 1e-10).0);
    let mut largest = 0.0f64;
    for i in 0..x.len() {
        let slope = (more[i].re - less[i].re) / (2.0 * h);
        let error = (x[i].eps - slope).abs();
        assert!(
            error < 1e-5 * (1.0 + slope.abs()),
            "{i}: {} {slope}",
            x[i].eps
        );
        largest = largest.max(slope.abs());
    }
    assert!(largest > 0.1, "{largest}");
    // By the tolerance itself, while it sticks.
    let (x, _) = spinning(0.2.into(), Dual64::new(1e-4, 1.0), 1e-8);
    let h = 1e-6;
    let [more, less] = [h, -h].map(|h| spinning(0.2.into(), stiction + h, 1e-10).0);
    for i in 0..x.len() {
        let slope = (more[i].re - less[i].re) / (2.0 * h);
        let error = (x[i].eps - slope).abs();
        assert!(
            error < 1e-3 * (1.0 + slope.abs()),
            "{i}: {} {slope}",
            x[i].eps
        );
    }
}

/// By steps of one length: a box that slides straight turns by 1e-18, the round-off of moments that cancel, and its
/// friction has a steep slope where it comes to rest.
#[test]
fn a_box_slides_to_rest_by_every_implicit_method() {
    let material = ContactMaterial::new(1e5, 0.5, 0.7).unwrap();
    let size = nalgebra::Vector3::new(0.2, 0.15, 0.1);
    let system = (SystemBuilder::new().floor("floor", material))
        .free_body("box", Shape::new_box(size).unwrap(), 1.0, material)
        .build()
        .unwrap();
    let end = |method, substeps| {
        let scheme = Scheme::Continuous { method, substeps };
        let stepped = TimeSteppingRigidBodySystem::with_scheme(system.clone(), 1e-3, scheme);
        let stepped = stepped.unwrap();
        let mut start = stepped.initial_state();
        start.q[6] = 0.05 - 9.81 / 2e5;
        start.v[3] = 0.3;
        let rollout = stepped.rollout(&start, 150);
        State::<f64>::clone(rollout.unwrap().last())
    };
    let exact = end(IntegrationMethod::RungeKutta4, 100);
    assert!(exact.q[4] > 5e-3 && exact.v[3].abs() < 1e-2, "{}", exact.v);
    for (method, tolerance) in [
        (IntegrationMethod::ImplicitMidpoint, 2e-3),
        (IntegrationMethod::Radau3, 2e-4),
        (IntegrationMethod::Radau5, 1e-4),
    ] {
        for substeps in [1, 10] {
            let found = end(method, substeps);
            let error = (found.q[4] - exact.q[4]).abs();
            assert!(error < tolerance, "{method:?} {substeps}: {error:e}");
        }
    }
}

#[test]
fn stacked_balls_come_to_the_end() {
    let system = balls(2);
    let mut start = system.initial_state();
    (start.q[6], start.q[13], start.q[11]) = (RADIUS, 3.0 * RADIUS - 1e-3, 2e-3);
    start.v[1] = 1.0;
    let mut flow = RigidBodyFlow::new(&system).unwrap();
    let mut x = Vec::new();
    flow.write_state(&start, &mut x);
    let at_start = x.clone();
    let mut events = Vec::new();
    let mut method = AdaptiveRadau::radau_5(1e-6, 1e-6).unwrap();
    method = method.with_limits(2000, 100);
    (method.integrate_with_events(&mut flow, 0.0, 0.1, &mut x, |_| {}, &mut events)).unwrap();
    assert!(x[6] > 0.03 && x[13] > x[6] + RADIUS, "{x:?}");
    // So many steps lead an explicit method nowhere.
    let mut method = DormandPrince::new(1e-6, 1e-6)
        .unwrap()
        .with_limits(2000, 100);
    x.copy_from_slice(&at_start);
    let result = method.integrate_with_events(&mut flow, 0.0, 0.1, &mut x, |_| {}, &mut events);
    let Err(IntegrationError::TooManySteps { .. }) = result else {
        panic!("{result:?}");
    };
}

/// `ẋ = −λ (x − cos t) − sin t` from 1, whose solution is cos t for every λ (Prothero and Robinson), and the same with a
/// slower rate beside it.
mod stiff {
    use super::*;
    use dualbody::integrator::{
        ContinuousSystem, Crossing, EventOutcome, HybridSystem, StiffSystem,
    };
    use dualbody::{InvalidInput, Scalar};
    use nalgebra::DMatrix;

    const FAST: f64 = 1e7;

    struct Relaxation<T>(T);

    fn rate<T: Scalar>(slow: T, t: T, x: &[T], xdot: &mut [T]) {
        xdot[0] = -(x[0] - t.cos()) * FAST - t.sin();
        xdot[1] = -x[1] * slow;
    }

    impl<T: Scalar> ContinuousSystem<T> for Relaxation<T> {
        type Error = InvalidInput;
        fn size(&self) -> usize {
            2
        }
        fn derivative(&mut self, t: T, x: &[T], xdot: &mut [T]) -> Result<(), InvalidInput> {
            rate(self.0, t, x, xdot);
            Ok(())
        }
    }

    impl<T: Scalar> StiffSystem<T> for Relaxation<T> {
        fn real_derivative(
            &mut self,
            t: f64,
            x: &[f64],
            xdot: &mut [f64],
        ) -> Result<(), InvalidInput> {
            rate(self.0.re(), t, x, xdot);
            Ok(())
        }
        fn real_jacobian(
            &mut self,
            _: f64,
            _: &[f64],
            jacobian: &mut DMatrix<f64>,
        ) -> Result<(), InvalidInput> {
            (jacobian[(0, 0)], jacobian[(1, 1)]) = (-FAST, -self.0.re());
            Ok(())
        }
    }

    impl<T: Scalar> HybridSystem<T> for Relaxation<T> {
        fn num_guards(&self) -> usize {
            1
        }
        fn guards(&mut self, _: T, x: &[T], g: &mut [T]) -> Result<(), InvalidInput> {
            g[0] = x[1] - 0.5;
            Ok(())
        }
        fn crossing(&self, _: usize) -> Crossing {
            Crossing::Falling
        }
        fn reset(&mut self, _: usize, _: T, x: &mut [T]) -> Result<EventOutcome, InvalidInput> {
            x[1] += 1.0;
            Ok(EventOutcome::Return)
        }
    }

    #[test]
    fn stiff_systems_are_integrated_in_few_steps() {
        let slow = Dual64::from(2.0).derivative();
        for tolerance in [1e-5, 1e-8] {
            let mut method = AdaptiveRadau::radau_5(tolerance, tolerance).unwrap();
            let mut x = [Dual64::from(1.0); 2];
            let mut between = 0.0f64;
            let statistics = method
                .integrate(&mut Relaxation(slow), 0.0, 3.0, &mut x, |step| {
                    let t = 0.5 * (step.start() + step.end());
                    let mut y = [Dual64::from(0.0); 2];
                    step.state(t, &mut y);
                    between = between.max((y[1].re - (-2.0 * t).exp()).abs());
                })
                .unwrap();
            assert!(statistics.steps.len() < 400, "{}", statistics.steps.len());
            let decay = (-6.0f64).exp();
            for (error, what) in [
                (x[0].re - 3f64.cos(), "value"),
                (x[0].eps, "derivative of what does not depend on it"),
                (x[1].re - decay, "value"),
                (x[1].eps + 3.0 * decay, "derivative"),
                (between, "within steps"),
            ] {
                assert!(
                    error.abs() < 20.0 * tolerance,
                    "{tolerance}, {what}: {error}"
                );
            }
        }
        // An event at t = ln 2 / λ, and again when 1.5 has become 0.5.
        let mut method = AdaptiveRadau::radau_5(1e-9, 1e-9).unwrap();
        let (mut x, mut events) = ([Dual64::from(1.0); 2], Vec::new());
        (method.integrate_with_events(
            &mut Relaxation(slow),
            0.0,
            0.8,
            &mut x,
            |_| {},
            &mut events,
        ))
        .unwrap();
        assert_eq!(events.len(), 1);
        let time = 2f64.ln() / 2.0;
        assert!((events[0].time.re - time).abs() < 1e-7);
        assert!((events[0].time.eps + time / 2.0).abs() < 1e-7);
        // 1.5 exp(−λ (t − t*)) = 3 exp(−λ t).
        let end = 3.0 * (-1.6f64).exp();
        assert!((x[1].re - end).abs() < 1e-7 && (x[1].eps + 0.8 * end).abs() < 1e-7);
    }
}
