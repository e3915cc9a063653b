//! Derivatives of steps and rollouts of one machine in all schemes, against differences and duals.

use crate::support::cases::tier;
use crate::support::scenes::geometry;
use dualbody::actuator::{AnyActuator, FirstOrderLag, PdServo, TorqueSource};
use dualbody::autodiff::JacobianChecker;
use dualbody::constraint::{AnyConstraint, GearConstraint, JointLimitConstraint};
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::force::{BodyPoint, LinearSpringDamper};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{AnySensor, Encoder, Imu};
use dualbody::system::{
    Adjoint, IntegrationMethod, LinearModel, LinearModelSlope, RigidBodySystem, RolloutObjective,
    Scheme, State, StepDifferentiator, StepGradient, StepJacobian, SystemError,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, Parameters, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::{Dual2_64, Dual64};

const DT: f64 = 2e-3;

type Machine<T> = TimeSteppingRigidBodySystem<T>;

const SCHEMES: [Scheme; 4] = [
    Scheme::Compliant,
    Scheme::Rigid,
    Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 2,
    },
    Scheme::Continuous {
        method: IntegrationMethod::Radau5,
        substeps: 1,
    },
];

const PARAMETERS: [&str; 14] = [
    "actuator/lag/time_constant",
    "actuator/motor/gear_ratio",
    "actuator/servo/proportional_gain",
    "constraint/gear/ratio",
    "constraint/gear/offset",
    "constraint/stop/lower",
    "force/tie/stiffness",
    "force/tie/damping",
    "ball/mass",
    "shaft/damping",
    "geometry/ball/friction",
    "geometry/ball/stiffness",
    "gravity/z",
    "time_step",
];

/// What differentiation is with respect to: displacements of q, v, states of the lag and of the IMU,
/// inputs, parameters.
const NQ: usize = 10;
const NV: usize = 9;
const STATES: usize = NQ + NV + 1 + 6;
const INPUTS: usize = 3;

/// A motor whose torque lags turns a shaft that is geared to an arm; a flap on the arm has a servo and
/// runs against a stop. A spring ties the flap to a ball, which slides over the ground. An encoder reads
/// the shaft, an IMU rides on the flap.
fn machine(scheme: Scheme) -> Machine<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let shaft = SpatialInertia::principal(0.5, Vector3::repeat(0.01));
    let shaft = builder.add_body("shaft", shaft).unwrap();
    let arm = SpatialInertia::point_mass(0.8, Vector3::new(0.2, 0.0, 0.05));
    let arm = builder.add_body("arm", arm).unwrap();
    let flap = SpatialInertia::solid_sphere(0.4, 0.1);
    let flap = builder.add_body("flap", flap).unwrap();
    let ball = SpatialInertia::solid_sphere(1.2, 0.1);
    let ball = builder.add_body("ball", ball).unwrap();
    let mut hinge = |name: &str, axis, parent, at, child| {
        let kind = JointKind::Revolute { axis };
        let at = RigidTransform::from_translation(at);
        builder.add_joint(name, kind, parent, at, child).unwrap()
    };
    let (world, y, x) = (BodyIndex::WORLD, Vector3::y(), Vector3::x());
    let above = |x: f64| Vector3::new(x, 0.0, 0.6);
    let shaft = hinge("shaft", y, world, above(0.0), shaft);
    let arm_joint = hinge("arm", y, world, above(0.2), arm);
    let flap_joint = hinge("flap", x, arm, Vector3::new(0.3, 0.0, 0.0), flap);
    builder.set_damping(shaft, &[0.02]).unwrap();
    builder.set_damping(flap_joint, &[0.01]).unwrap();
    let tree = builder.finish().unwrap();

    let mut contact = ContactModelBuilder::new();
    let rubber = ContactMaterial::new(6e3, 0.4, 0.5).unwrap();
    for (name, body, shape) in [
        ("ball", ball, Shape::new_sphere(0.1).unwrap()),
        ("ground", world, Shape::HalfSpace),
    ] {
        let geometry = geometry(name, body, shape, rubber);
        contact.add_geometry(geometry).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();

    let ends = [
        BodyPoint::new(flap, Vector3::new(0.05, 0.02, 0.1)),
        BodyPoint::new(ball, Vector3::new(0.0, 0.03, 0.06)),
    ];
    let tie = LinearSpringDamper::new("tie", &tree, ends, 20.0, 2.0, 0.3, 1e-3).unwrap();
    let motor = TorqueSource::new("motor", &tree, shaft, 3.0, None).unwrap();
    let lag = FirstOrderLag::new("lag", 0.02, motor).unwrap();
    let servo = PdServo::new("servo", &tree, flap_joint, [5.0, 0.1], None).unwrap();
    let encoder = Encoder::new("encoder", &tree, shaft, 1e-3).unwrap();
    let at = RigidTransform::from_translation(Vector3::new(0.02, 0.01, -0.03));
    let imu = Imu::new("imu", &tree, flap, &at).unwrap();
    let imu = imu.with_bias(
        Vector3::new(0.1, -0.2, 0.3),
        Vector3::new(0.01, 0.02, -0.03),
    );
    let gear = GearConstraint::new("gear", &tree, arm_joint, shaft, -0.4).unwrap();
    let stop = JointLimitConstraint::new("stop", &tree, flap_joint, Some(-0.3), None).unwrap();
    let system = RigidBodySystem::new(tree, contact)
        .unwrap()
        .with_forces([tie])
        .unwrap()
        .with_actuators([AnyActuator::new(lag), AnyActuator::new(servo)])
        .unwrap()
        .with_sensors([AnySensor::new(encoder), AnySensor::new(imu)])
        .unwrap()
        .with_constraints([AnyConstraint::new(gear), AnyConstraint::new(stop)])
        .unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, DT, scheme).unwrap()
}

/// In contact and sliding; the flap moves against its stop, where the scheme can stop it: at the end of
/// the next steps, or by the stabilisation of the overlap.
fn start(machine: &Machine<f64>) -> State<f64> {
    let mut state = machine.initial_state();
    let before_stop = match machine.scheme() {
        Scheme::Continuous { .. } => -1e-3,
        _ => 1e-3,
    };
    state
        .q
        .rows_mut(0, 3)
        .copy_from_slice(&[0.5, -0.2, -0.3 + before_stop]);
    state
        .q
        .rows_mut(3, 4)
        .copy_from_slice(&[0.8, 0.0, 0.36, 0.48]);
    state.q.rows_mut(7, 3).copy_from_slice(&[0.4, 0.2, 0.098]);
    state
        .v
        .copy_from_slice(&[1.5, -0.6, -0.9, 1.0, -2.0, 0.5, 0.9, 0.5, -0.05]);
    state.actuators[0] = 0.2;
    state
}

fn input(k: usize) -> [f64; INPUTS] {
    let k = k as f64;
    [1.0 + 0.3 * (0.7 * k).sin(), -0.5 - 0.02 * k, 0.1]
}

/// The state of a displacement by `[δq; v; a; s]` from that of positions `base`.
fn displaced<T: Scalar>(machine: &Machine<T>, base: &State<T>, x: &[T]) -> State<T> {
    let mut state = base.clone();
    let (q, to) = (base.q.as_slice(), state.q.as_mut_slice());
    (machine
        .tree()
        .integrate_exponential(q, &x[..NV], T::one(), to))
    .unwrap();
    let rest = (state.v.iter_mut())
        .chain(&mut state.actuators)
        .chain(&mut state.sensors);
    rest.zip(&x[NV..]).for_each(|(entry, &x)| *entry = x);
    state
}

/// The value at which differences are taken: `[δq; v; a; s; u; p]`.
fn point(machine: &Machine<f64>, state: &State<f64>) -> Vec<f64> {
    let parameters = PARAMETERS.map(|name| machine.parameter(name).unwrap());
    let mut x = vec![0.0; NV];
    x.extend(state.v.iter().chain(&state.actuators).chain(&state.sensors));
    x.extend(input(0).iter().chain(&parameters));
    x
}

/// The change of an entry of a point over which steps are smooth.
fn scale(x: f64) -> f64 {
    if x.abs() < 1e-3 { 0.05 } else { 0.1 * x.abs() }
}

/// The columns of displacements from those of `q`.
fn of_displacements(
    machine: &Machine<f64>,
    state: &State<f64>,
    by_q: &DMatrix<f64>,
) -> DMatrix<f64> {
    let mut columns = DMatrix::zeros(by_q.nrows(), NV);
    for k in 0..NV {
        let unit: Vec<f64> = (0..NV).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
        let mut dq = DVector::zeros(NQ);
        let (q, to) = (state.q.as_slice(), dq.as_mut_slice());
        (machine.tree().map_velocity_to_qdot(q, &unit, to)).unwrap();
        columns.set_column(k, &(by_q * dq));
    }
    columns
}

/// States before every one of the steps that are looked at: the stop and the gear act in all but the
/// first, in which the flap arrives.
fn visited(machine: &Machine<f64>, steps: usize) -> Vec<State<f64>> {
    let mut workspace = machine.workspace().unwrap();
    let rollout = machine.rollout_with(&mut workspace, &start(machine), steps, |k, _, u| {
        u.copy_from_slice(&input(k));
    });
    rollout.completed().unwrap().states
}

#[test]
fn step_jacobians_agree_with_differences_in_all_schemes() {
    for scheme in SCHEMES {
        let machine = machine(scheme);
        let mut differentiator = StepDifferentiator::new(&machine, &PARAMETERS).unwrap();
        let mut workspace = machine.workspace().unwrap();
        for state in visited(&machine, 4).iter().step_by(tier(4, 2)) {
            let mut step = machine.step(&mut workspace, state, &input(0)).unwrap();
            assert!(step.contacts().unwrap()[0].force.z > 1.0, "{scheme:?}");
            assert!(!step.constraint_forces().unwrap().is_empty());

            let mut jacobian = StepJacobian::default();
            let next = differentiator
                .jacobian(state, &input(0), &mut jacobian)
                .unwrap();
            match scheme {
                // Integrated in duals, which round otherwise.
                Scheme::Continuous { .. } => {
                    let difference = (entries(next) - entries(step.state())).amax();
                    assert!(difference < 1e-13, "{scheme:?}: {difference}");
                }
                _ => assert_eq!(next, step.state(), "{scheme:?}"),
            }
            let [by_q, by_rest] = [(0, NQ), (NQ, STATES - NQ)]
                .map(|(first, count)| jacobian.state.columns(first, count).into_owned());
            let by_q = of_displacements(&machine, state, &by_q);
            let parts = [&by_q, &by_rest, &jacobian.input, &jacobian.parameters];
            let columns: Vec<_> = parts.iter().flat_map(|part| part.column_iter()).collect();
            let claimed = DMatrix::from_columns(&columns);

            let mut changed = machine.clone();
            let from = |x: &[f64]| {
                let (of_state, rest) = x.split_at(STATES - NQ + NV);
                let (u, p) = rest.split_at(INPUTS);
                for (name, &value) in PARAMETERS.iter().zip(p) {
                    changed.set_parameter(name, value)?;
                }
                let state = displaced(&changed, state, of_state);
                let step = changed.step(&mut workspace, &state, u)?;
                Ok::<_, SystemError>(entries(step.state()))
            };
            let x = point(&machine, state);
            let scales: Vec<f64> = x.iter().map(|x| scale(*x)).collect();
            let checker = JacobianChecker::default().scales(scales);
            let check = checker.tolerance(1e-6, 1e-8).check(from, &x, &claimed);
            println!("{scheme:?}");
            check.unwrap().assert_agrees();
        }
    }
}

fn entries<T: Scalar>(state: &State<T>) -> DVector<T> {
    let entries = (state.q.iter().chain(&state.v))
        .chain(&state.actuators)
        .chain(&state.sensors);
    DVector::from_vec(entries.copied().collect())
}

#[test]
fn pull_backs_are_rows_of_jacobians_in_all_schemes() {
    for scheme in SCHEMES {
        let machine = machine(scheme);
        let mut differentiator = StepDifferentiator::new(&machine, &PARAMETERS).unwrap();
        let (mut jacobian, mut gradient) = (StepJacobian::default(), StepGradient::default());
        for state in visited(&machine, 3) {
            (differentiator.jacobian(&state, &input(0), &mut jacobian)).unwrap();
            let covector = DVector::from_fn(STATES, |i, _| (1.3 * i as f64).sin());
            (differentiator.pull_back(&state, &input(0), covector.as_slice(), &mut gradient))
                .unwrap();
            for (matrix, vector) in [
                (&jacobian.state, &gradient.state),
                (&jacobian.input, &gradient.input),
                (&jacobian.parameters, &gradient.parameters),
            ] {
                let product = matrix.tr_mul(&covector);
                assert!(
                    (&product - vector).amax() < 1e-12 * product.amax(),
                    "{scheme:?}"
                );
            }
        }
    }
}

/// Depends on the state and input of every step.
struct Mixed(usize);

impl RolloutObjective for Mixed {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, input: &[T]) -> T {
        let effort = input.iter().fold(T::zero(), |sum, &u| sum + u * u);
        let running = (effort + state.actuators[0] * state.v[0] + state.q[2]) * 1e-2;
        if step < self.0 {
            return running;
        }
        let end = entries(state);
        (end.iter().enumerate()).fold(T::zero(), |sum, (i, &x)| sum + (x * (1.0 + i as f64)).sin())
    }
}

/// The objective, with the machine, start and inputs displaced by `t` along `direction`.
fn rolled_out<T: DefaultScalar>(
    machine: &Machine<f64>,
    steps: usize,
    t: T,
    direction: impl Fn(usize) -> f64,
) -> T {
    let mut count = 0..;
    let mut moved = |x: f64| t * direction(count.next().unwrap()) + x;
    let mut other = machine.cast::<T>();
    let mut state = start(machine).cast::<T>();
    let initial = (state.q.iter_mut().chain(&mut state.v))
        .chain(&mut state.actuators)
        .chain(&mut state.sensors);
    initial.for_each(|entry| *entry = moved(entry.re()));
    let inputs: Vec<Vec<T>> = (0..steps)
        .map(|k| input(k).into_iter().map(&mut moved).collect())
        .collect();
    for name in PARAMETERS {
        let value = moved(machine.parameter(name).unwrap());
        other.set_parameter(name, value).unwrap();
    }
    let objective = Mixed(steps);
    let mut workspace = other.workspace().unwrap();
    let mut sum = T::zero();
    for (k, input) in inputs.iter().enumerate() {
        sum += objective.evaluate(k, &state, input);
        let step = other.step(&mut workspace, &state, input).unwrap();
        state = step.state().clone();
    }
    sum + objective.evaluate(steps, &state, &[])
}

#[test]
fn adjoints_agree_with_duals_through_a_rollout_in_all_schemes() {
    let steps = 8;
    for scheme in SCHEMES {
        let machine = machine(scheme);
        let inputs = DMatrix::from_fn(INPUTS, steps, |i, k| input(k)[i]);
        let mut adjoint = Adjoint::new(&machine, &PARAMETERS).unwrap();
        let initial = start(&machine);
        let gradient = adjoint.gradient(&Mixed(steps), &initial, &inputs).unwrap();
        assert_eq!(Some(&gradient.last), visited(&machine, steps).last());
        let all: Vec<f64> = (gradient.initial_state.iter())
            .chain(&gradient.inputs)
            .chain(&gradient.parameters)
            .copied()
            .collect();
        assert_eq!(all.len(), STATES + INPUTS * steps + PARAMETERS.len());
        #[allow(clippy::needless_range_loop)] // the entry is varied, and named by its place
        for chosen in (0..all.len()).step_by(tier(7, 1)) {
            let direction = |i: usize| if i == chosen { 1.0 } else { 0.0 };
            let t = Dual64::from(0.0).derivative();
            let exact = rolled_out(&machine, steps, t, direction);
            assert!((exact.re - gradient.value).abs() < 1e-12, "{scheme:?}");
            assert!(
                (exact.eps - all[chosen]).abs() < 1e-10 * exact.eps.abs().max(1e-3),
                "{scheme:?}, entry {chosen}: {} and {}",
                exact.eps,
                all[chosen]
            );
        }
        // All at once: another dual type, and differences; quaternions stay as they are.
        let direction = |i: usize| match i {
            3..7 => 0.0,
            _ => 1e-2 * (0.7 * i as f64 + 0.3).sin(),
        };
        let sum: f64 = (all.iter().enumerate())
            .map(|(i, g)| g * direction(i))
            .sum();
        let second = Dual2_64::from(0.0).derivative();
        let exact = rolled_out(&machine, steps, second, direction);
        assert!((exact.v1 / sum - 1.0).abs() < 1e-10, "{scheme:?}");
        let difference = |h: f64| {
            let [after, before] = [h, -h].map(|t| rolled_out(&machine, steps, t, direction));
            (after - before) / (2.0 * h)
        };
        let h = 2e-4;
        let extrapolated = (4.0 * difference(0.5 * h) - difference(h)) / 3.0;
        assert!(
            (extrapolated / sum - 1.0).abs() < 1e-6,
            "{scheme:?}: {extrapolated} and {sum}"
        );
    }
}

/// ∂A/∂p, ∂B/∂p, ∂C/∂p and ∂D/∂p are differences of A, B, C and D, in steps and in continuous time.
#[test]
fn slopes_of_linear_models_agree_with_differences() {
    let parameters = [
        "actuator/servo/proportional_gain",
        "force/tie/stiffness",
        "ball/mass",
        "geometry/ball/stiffness",
        "gravity/z",
    ];
    let check = |found: &LinearModelSlope, models: [[&DMatrix<f64>; 4]; 3], h: f64, what: &str| {
        let [before, here, after] = models;
        for k in 0..4 {
            assert!((&found.matrices[k] - here[k]).amax() < 1e-9 * (1.0 + here[k].amax()));
            let difference = (after[k] - before[k]) / (2.0 * h);
            let error = (&found.slopes[k] - &difference).amax();
            let size = difference.amax().max(1e-4 * (1.0 + here[k].amax()));
            assert!(error < 1e-5 * size, "{what}, {k}: {error:e} of {size:e}");
        }
    };
    for scheme in SCHEMES {
        let machine = machine(scheme);
        let state = &visited(&machine, 3)[2];
        let input = input(0);
        for name in parameters {
            let value = machine.parameter(name).unwrap();
            let h = 1e-4 * value.abs();
            let models = [-h, 0.0, h].map(|h| {
                let mut changed = machine.clone();
                changed.set_parameter(name, value + h).unwrap();
                (
                    changed.linearize(state, &input).unwrap(),
                    changed.system().linearize(state, &input).unwrap(),
                )
            });
            let found = machine.linearize_by(state, &input, name).unwrap();
            let of_steps = [0, 1, 2].map(|i| {
                let model = &models[i].0;
                [&model.a, &model.b, &model.c, &model.d]
            });
            check(&found, of_steps, h, &format!("{scheme:?}, {name}"));
            let found = (machine.system().linearize_by(state, &input, name)).unwrap();
            let of_rates = [0, 1, 2].map(|i| {
                let model = &models[i].1;
                [&model.a, &model.b, &model.c, &model.d]
            });
            check(&found, of_rates, h, &format!("rates, {name}"));
        }
        let unknown = machine.linearize_by(state, &input, "bal/mas").unwrap_err();
        assert!(unknown.to_string().contains("ball"), "{unknown}");
    }
}

/// What made steps before makes the same linear model, and rates of positions by parameters are what `N(q⁺)` makes of those of
/// displacements.
fn tangent_jacobians_agree(
    differentiator: &mut StepDifferentiator,
    state: &State<f64>,
    model: &LinearModel,
) {
    assert_eq!(
        differentiator.linearize(state, &input(0)).as_ref(),
        Ok(model)
    );
    let (mut tangent, mut jacobian) = (StepJacobian::default(), StepJacobian::default());
    differentiator
        .tangent_jacobian(state, &input(0), &mut tangent)
        .unwrap();
    let next = differentiator
        .jacobian(state, &input(0), &mut jacobian)
        .unwrap()
        .clone();
    for (found, expected) in
        (tangent.parameters.column_iter()).zip(jacobian.parameters.column_iter())
    {
        let mut rates = DVector::zeros(NQ);
        let along = found.rows(0, NV).into_owned();
        (differentiator.system().tree())
            .map_velocity_to_qdot(next.q.as_slice(), along.as_slice(), rates.as_mut_slice())
            .unwrap();
        assert!((rates - expected.rows(0, NQ)).amax() <= 1e-9 * (1.0 + expected.amax()));
        assert_eq!(found.rows_range(NV..), expected.rows_range(NQ..));
    }
}

#[test]
fn linear_models_agree_with_differences_in_all_schemes() {
    for scheme in SCHEMES {
        let machine = machine(scheme);
        let mut workspace = machine.workspace().unwrap();
        let mut differentiator = StepDifferentiator::new(&machine, &PARAMETERS).unwrap();
        for state in visited(&machine, 3).iter().step_by(2) {
            let model = machine.linearize(state, &input(0)).unwrap();
            tangent_jacobians_agree(&mut differentiator, state, &model);
            // The first output is quantised.
            let (outputs, nx) = (model.c.nrows() - 1, NV + NV + 7);
            assert_eq!((outputs, model.a.ncols()), (8, nx));
            let mut claimed = DMatrix::zeros(nx + outputs, nx + INPUTS);
            for (matrix, row, column) in [
                (&model.a, 0, 0),
                (&model.b, 0, nx),
                (&model.c.rows(1, outputs).into_owned(), nx, 0),
                (&model.d.rows(1, outputs).into_owned(), nx, nx),
            ] {
                (claimed.view_mut((row, column), matrix.shape())).copy_from(matrix);
            }
            let from = |x: &[f64]| {
                let state = displaced(&machine, state, &x[..nx]);
                let step = machine.step(&mut workspace, &state, &x[nx..])?;
                let moved = machine.displacement(&model.base, step.state())?;
                // A sum with one, so that the checker sees the round-off of coordinates.
                let values =
                    (moved.iter().map(|d| 1.0 + d)).chain(step.output().iter().skip(1).copied());
                Ok::<_, SystemError>(DVector::from_vec(values.collect()))
            };
            let x = &point(&machine, state)[..nx + INPUTS];
            let scales: Vec<f64> = x.iter().map(|x| scale(*x)).collect();
            let checker = JacobianChecker::default().scales(scales);
            let check = checker.tolerance(1e-6, 1e-6).check(from, x, &claimed);
            println!("{scheme:?}");
            check.unwrap().assert_agrees();
        }
    }
}
