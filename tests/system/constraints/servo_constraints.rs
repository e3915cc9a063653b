//! Constraints whose forces do not act along the rows of their Jacobians, in steps of all schemes.

use crate::support::cases::tier;
use crate::support::derivatives_of_steps::{
    assert_adjoint_agrees, assert_step_jacobian_agrees, entries,
};
use crate::support::scenes::geometry;
use dualbody::actuator::{FirstOrderLag, TorqueSource};
use dualbody::constraint::{
    ConstraintError, ConstraintKind, ConstraintLevel, ConstraintRows, TreeConstraint,
};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    EnergyLedger, IntegrationMethod, RigidBodySystem, RolloutObjective, Scheme, State,
    StepDifferentiator, StepJacobian, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace};
use dualbody::{DefaultScalar, Parameters, Scalar, constants};
use nalgebra::{DMatrix, Vector3, dmatrix};
use num_dual::Dual64;

const SCHEMES: [Scheme; 3] = [
    Scheme::Compliant,
    Scheme::Rigid,
    Scheme::Continuous {
        method: IntegrationMethod::Radau5,
        substeps: 1,
    },
];

const LEVELS: [ConstraintLevel; 3] = [
    ConstraintLevel::Position,
    ConstraintLevel::Velocity,
    ConstraintLevel::Acceleration,
];

/// The coordinates.
const CART: usize = 0;
const POLE: usize = 1;
const SLED: usize = 2;
const HEIGHT: usize = 3;

/// A drive on a cart makes its pole swing as told, `θ = angle + amplitude sin(rate t)`. It pushes a sled back, by a lever that
/// turns with the pole: the generalized force of a unit force is 1 on the cart and `−leverage cos θ` on the sled.
#[derive(Debug, Clone)]
struct Servo<T> {
    level: ConstraintLevel,
    angle: T,
    amplitude: T,
    rate: T,
    leverage: T,
}

impl<T: Scalar> Servo<T> {
    /// The angle that the pole is told, its velocity and acceleration.
    fn told(&self, time: T) -> [T; 3] {
        let (sin, cos) = (self.rate * time).sin_cos();
        let [a, r] = [self.amplitude, self.rate];
        [self.angle + a * sin, a * r * cos, -a * r * r * sin]
    }
}

impl<T: Scalar> TreeConstraint<T> for Servo<T> {
    constants! { TreeConstraint for Servo, named "servo" {
        level;
        angle: any("rad");
        amplitude: any("rad");
        rate: any("rad/s");
        leverage: any("1");
    } }
    fn num_rows(&self) -> usize {
        1
    }
    fn is_angular(&self) -> bool {
        true
    }
    fn level(&self) -> ConstraintLevel {
        self.level
    }
    fn evaluate(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        let [angle, velocity, acceleration] = self.told(time);
        let is = workspace.q()[POLE];
        rows.phi[0] = is - angle;
        rows.explicit_rate[0] = -velocity;
        rows.bias[0] = -acceleration;
        rows.jacobian[(0, POLE)] = T::one();
        let mut directions = DMatrix::zeros(1, tree.num_velocities());
        directions[(0, CART)] = T::one();
        directions[(0, SLED)] = -self.leverage * is.cos();
        rows.force_directions = Some(directions);
        Ok(())
    }
}

type Machine = RigidBodySystem<f64>;
type Stepper = TimeSteppingRigidBodySystem<f64>;

/// That of a machine.
fn servo(system: &Machine) -> &Servo<f64> {
    system.constraints()[0].downcast_ref().unwrap()
}

const MASS: f64 = 2.0;
const POLE_MASS: f64 = 0.7;
const SLED_MASS: f64 = 1.5;
const RADIUS: f64 = 0.1;
const STIFFNESS: f64 = 4e3;
const FRICTION: f64 = 0.3;
const G: f64 = 9.81;

/// A cart with a pole that hangs from it and has a weak motor, and a sled on the ground, that can move in x and z.
fn machine(servo: Servo<f64>) -> Machine {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = |mass| SpatialInertia::principal(mass, Vector3::repeat(0.02));
    let mut pole = inertia(POLE_MASS);
    pole.center_of_mass = Vector3::new(0.0, 0.0, -0.4);
    let (cart, pole) = (
        tree.add_body("cart", inertia(MASS)).unwrap(),
        tree.add_body("pole", pole).unwrap(),
    );
    let nothing = SpatialInertia::point_mass(0.0, Vector3::zeros());
    let runner = tree.add_body("runner", nothing).unwrap();
    let sled = tree.add_body("sled", inertia(SLED_MASS)).unwrap();
    let along = |axis| JointKind::Prismatic { axis };
    let (x, z, world) = (Vector3::x(), Vector3::z(), BodyIndex::WORLD);
    let hinge = JointKind::Continuous { axis: Vector3::y() };
    let here = RigidTransform::identity();
    let mut join =
        |name: &str, kind, parent, child| tree.add_joint(name, kind, parent, here, child).unwrap();
    let slide = join("slide", along(x), world, cart);
    let hinge = join("hinge", hinge, cart, pole);
    join("run", along(x), world, runner);
    join("lift", along(z), runner, sled);
    tree.set_damping(slide, &[0.3]).unwrap();
    tree.set_damping(hinge, &[0.05]).unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(2.0 * STIFFNESS, 0.5, FRICTION).unwrap();
    for (name, body, shape) in [
        ("sled", sled, Shape::new_sphere(RADIUS).unwrap()),
        ("ground", world, Shape::HalfSpace),
    ] {
        let geometry = geometry(name, body, shape, material);
        contact.add_geometry(geometry).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let motor = TorqueSource::new("motor", &tree, hinge, 2.0, None).unwrap();
    let motor = FirstOrderLag::new("lag", 0.02, motor).unwrap();
    RigidBodySystem::new(tree, contact)
        .unwrap()
        .with_actuators([motor])
        .unwrap()
        .with_constraints([servo])
        .unwrap()
}

fn swinging(level: ConstraintLevel) -> Servo<f64> {
    Servo {
        level,
        angle: 0.4,
        amplitude: 0.2,
        rate: 6.0,
        leverage: 0.6,
    }
}

fn stepper(system: &Machine, dt: f64, scheme: Scheme) -> Stepper {
    TimeSteppingRigidBodySystem::with_scheme(system.clone(), dt, scheme).unwrap()
}

/// The pole as it is told, and the sled sliding on the ground, which bears its weight.
fn sliding(system: &Machine, scheme: Scheme) -> State<f64> {
    let mut start = system.initial_state();
    let [angle, velocity, _] = servo(system).told(0.0);
    (start.q[POLE], start.v[POLE]) = (angle, velocity);
    start.v[CART] = 0.3;
    start.v[SLED] = -1.5;
    let sunk = match scheme {
        Scheme::Rigid => 0.0,
        _ => SLED_MASS * G / STIFFNESS,
    };
    start.q[HEIGHT] = RADIUS - sunk;
    start
}

/// The states of a rollout in which the motor is asked for something.
fn rollout(system: &Machine, dt: f64, scheme: Scheme, time: f64) -> Vec<State<f64>> {
    let stepper = stepper(system, dt, scheme);
    let mut workspace = stepper.workspace().unwrap();
    let (start, steps) = (sliding(system, scheme), (time / dt).round() as usize);
    let control = |_, _: &State<f64>, input: &mut [f64]| input[0] = 0.2;
    let rollout = stepper.rollout_with(&mut workspace, &start, steps, control);
    rollout.completed().unwrap().states
}

#[test]
fn poles_move_as_told() {
    let dt = 2e-3;
    for level in LEVELS {
        let system = machine(swinging(level));
        for scheme in SCHEMES {
            let states = rollout(&system, dt, scheme, 0.4);
            let mut worst = 0.0_f64;
            for pair in states.windows(2) {
                let [angle, velocity, acceleration] = servo(&system).told(pair[1].time);
                let v = pair[1].v[POLE];
                let error = match (scheme, level) {
                    (Scheme::Continuous { .. }, _) => {
                        (pair[1].q[POLE] - angle).abs().max((v - velocity).abs())
                    }
                    (_, ConstraintLevel::Position) => pair[1].q[POLE] - angle,
                    (_, ConstraintLevel::Velocity) => v - velocity,
                    (_, ConstraintLevel::Acceleration) => v - pair[0].v[POLE] - acceleration * dt,
                };
                worst = worst.max(error.abs());
            }
            let allowed = match scheme {
                Scheme::Continuous { .. } => 1e-7,
                _ => 1e-12,
            };
            assert!(worst < allowed, "{level:?}, {scheme:?}: {worst:e}");
        }
    }
}

#[test]
fn three_schemes_agree_as_the_step_shrinks() {
    for level in LEVELS {
        let system = machine(swinging(level));
        let exact = rollout(&system, 5e-4, SCHEMES[2], 0.3);
        let exact = entries(exact.last().unwrap());
        for scheme in &SCHEMES[..2] {
            let errors = [2e-3, 1e-3, 5e-4].map(|dt| {
                let states = rollout(&system, dt, *scheme, 0.3);
                let error = entries(states.last().unwrap()) - &exact;
                // Rigid bodies do not sink in.
                [CART, POLE, SLED].map(|i| error[i].abs())
            });
            for pair in errors.windows(2) {
                for i in [CART, SLED] {
                    let ratio = pair[0][i] / pair[1][i];
                    assert!(
                        (1.8..2.2).contains(&ratio),
                        "{level:?}, {scheme:?}: {errors:?}"
                    );
                }
            }
            for error in errors[2] {
                assert!(error < 5e-3, "{level:?}, {scheme:?}: {errors:?}");
            }
        }
    }
}

/// The servo holds the pole where it is, and nothing damps.
fn held() -> Machine {
    let mut system = machine(Servo {
        amplitude: 0.0,
        ..swinging(ConstraintLevel::Position)
    });
    for name in ["slide/damping", "hinge/damping"] {
        system.set_parameter(name, 0.0).unwrap();
    }
    system
}

/// A pole that is held at an angle θ needs an acceleration `g tan θ` of its cart. Steps of constant accelerations are known: they
/// go by `½ a t δt` too far.
#[test]
fn a_held_pole_accelerates_its_cart() {
    let (system, dt, steps) = (held(), 2e-3, 150);
    let angle = servo(&system).angle;
    let cart = G * angle.tan();
    let force = (MASS + POLE_MASS) * cart;
    let push = -0.6 * angle.cos() * force;
    let sled = (push + FRICTION * SLED_MASS * G) / SLED_MASS;
    for scheme in SCHEMES {
        let stepper = stepper(&system, dt, scheme);
        let mut workspace = stepper.workspace().unwrap();
        let start = sliding(&system, scheme);
        let (mut state, mut work) = (start.clone(), 0.0);
        for _ in 0..steps {
            let mut step = stepper.step(&mut workspace, &state, &[0.0]).unwrap();
            let found = step.constraint_forces().unwrap()[0].force;
            let error = (found / force - 1.0).abs();
            assert!(error < 1e-8, "{scheme:?}: {found} and {force}, {error:e}");
            work += step.energy().unwrap().work_of_constraints;
            state = step.state().clone();
        }
        let t = dt * steps as f64;
        let too_far = match scheme {
            Scheme::Continuous { .. } => 0.0,
            _ => dt,
        };
        let way = |i: usize, a: f64, time: f64| start.v[i] * t + 0.5 * a * t * time;
        for (i, a) in [(CART, cart), (SLED, sled)] {
            let error = [
                state.v[i] - start.v[i] - a * t,
                state.q[i] - way(i, a, t + too_far),
            ];
            assert!(
                error.iter().all(|e| e.abs() < 1e-9),
                "{scheme:?}, {i}: {error:?}"
            );
        }
        let expected = force * way(CART, cart, t) + push * way(SLED, sled, t);
        assert!(
            (work / expected - 1.0).abs() < 1e-9,
            "{scheme:?}: {work} and {expected}"
        );
    }
}

/// Momenta of a step, and accelerations, change by the forces that are not of the servo, and by that of the servo along its directions.
#[test]
fn forces_act_along_their_directions() {
    for level in LEVELS {
        let system = machine(swinging(level));
        let tree = system.tree();
        for scheme in SCHEMES {
            let dt = 1e-3;
            let stepper = stepper(&system, dt, scheme);
            let mut start = sliding(&system, scheme);
            start.actuators[0] = 0.5;
            let mut workspace = stepper.workspace().unwrap();
            let mut placed = tree.workspace();
            let discrete = !matches!(scheme, Scheme::Continuous { .. });
            let (change, acts, forces, contact) = if discrete {
                let mut step = stepper.step(&mut workspace, &start, &[0.2]).unwrap();
                let forces = step.constraint_forces().unwrap().to_vec();
                let contact = step.contacts().unwrap()[0];
                let v = &step.state().v;
                ((v - &start.v) / dt, v.clone(), forces, contact)
            } else {
                let mut dynamics = system.dynamics_workspace();
                let vdot = system
                    .accelerations(&mut dynamics, &start, &[0.2])
                    .unwrap()
                    .to_vec();
                (
                    vdot.into(),
                    start.v.clone(),
                    dynamics.constraint_forces().to_vec(),
                    dynamics.contacts()[0],
                )
            };
            tree.set_state(&mut placed, start.q.as_slice(), start.v.as_slice())
                .unwrap();
            let mut left = [0.0; 4];
            tree.inverse_dynamics(&mut placed, change.as_slice(), None, &mut left)
                .unwrap();
            left[CART] += 0.3 * acts[CART];
            left[POLE] += 0.05 * acts[POLE] - 2.0 * 0.5;
            let ground = contact.rotation * contact.force;
            left[SLED] -= ground.x;
            left[HEIGHT] -= ground.z;
            let force = forces[0].force;
            let lever = 0.6 * start.q[POLE].cos();
            let errors = [
                left[CART] - force,
                left[POLE],
                left[SLED] + lever * force,
                left[HEIGHT],
            ];
            assert!(force.abs() > 1.0);
            assert!(
                errors.iter().all(|e| e.abs() < 1e-9),
                "{level:?}, {scheme:?}: {errors:?}"
            );
        }
    }
}

/// The first is felt at the level of positions only.
const PARAMETERS: [&str; 12] = [
    "servo/angle",
    "servo/amplitude",
    "servo/rate",
    "servo/leverage",
    "cart/mass",
    "pole/mass",
    "slide/damping",
    "hinge/damping",
    "sled/friction",
    "lag/time_constant",
    "motor/gear_ratio",
    "gravity/z",
];

/// The pole a little off, the sled in the ground, or before rigid steps above the ground, which it reaches.
fn disturbed(system: &Machine, scheme: Scheme) -> State<f64> {
    let mut start = sliding(system, scheme);
    start.time = 0.1;
    let [angle, velocity, _] = servo(system).told(start.time);
    (start.q[POLE], start.v[POLE]) = (angle + 2e-4, velocity - 0.1);
    start.actuators[0] = 0.3;
    if scheme == Scheme::Rigid {
        start.q[HEIGHT] = RADIUS + 5e-4;
    }
    start.v[HEIGHT] = -1.1;
    start
}

/// What differences are taken over.
const WIDTH: f64 = 1e-4;

#[test]
fn step_jacobians_agree_with_differences() {
    for level in LEVELS {
        let system = machine(swinging(level));
        for scheme in SCHEMES {
            let stepper = stepper(&system, 1e-3, scheme);
            let start = disturbed(&system, scheme);
            let mut workspace = stepper.workspace().unwrap();
            let mut step = stepper.step(&mut workspace, &start, &[0.2]).unwrap();
            let contact = step.contacts().unwrap()[0];
            assert!(
                contact.force.z > 1.0 && contact.force.y.abs() > 0.5,
                "{contact:?}"
            );
            let given: (_, &[f64]) = (&start, &[0.2]);
            assert_step_jacobian_agrees(&stepper, given, &PARAMETERS, WIDTH);
        }
    }
}

/// Where the machine is at the end, and what the motor was asked for.
struct Moved(usize);

impl RolloutObjective for Moved {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, input: &[T]) -> T {
        match input {
            [u] => (*u * *u + state.v[CART]) * (0.1 / self.0 as f64 * (step as f64 + 1.0)),
            _ => (state.q.iter().chain(&state.v).chain(&state.actuators))
                .enumerate()
                .fold(T::zero(), |sum, (i, &x)| {
                    sum + (x * x + x) * (1.3 * i as f64 + 0.5).sin()
                }),
        }
    }
}

#[test]
fn adjoints_agree_with_products_of_jacobians_and_differences() {
    for level in LEVELS {
        let system = machine(swinging(level));
        for scheme in SCHEMES {
            let stepper = stepper(&system, 1e-3, scheme);
            let start = disturbed(&system, scheme);
            let steps = tier(4, 10);
            let inputs = DMatrix::from_fn(1, steps, |_, k| 0.1 + 0.01 * k as f64);
            let felt = match level {
                ConstraintLevel::Position => &PARAMETERS[..],
                _ => &PARAMETERS[1..],
            };
            let given = (&start, &inputs);
            assert_adjoint_agrees(&stepper, given, felt, &Moved(steps), WIDTH);
        }
    }
}

fn ledgers(system: &Machine, dt: f64, scheme: Scheme, time: f64) -> Vec<EnergyLedger<f64>> {
    let stepper = stepper(system, dt, scheme);
    let mut workspace = stepper.workspace().unwrap();
    let mut state = sliding(system, scheme);
    let one = |_| {
        let mut step = stepper.step(&mut workspace, &state, &[0.2]).unwrap();
        let ledger = step.energy().unwrap();
        state = step.state().clone();
        ledger
    };
    (0..(time / dt).round() as usize).map(one).collect()
}

#[test]
fn the_ledger_balances() {
    let sum = |all: &[EnergyLedger<f64>], entry: fn(&EnergyLedger<f64>) -> f64| {
        all.iter().map(entry).sum::<f64>()
    };
    for level in LEVELS {
        let system = machine(swinging(level));
        for scheme in SCHEMES {
            let [coarse, fine] = [2e-3, 1e-3].map(|dt| ledgers(&system, dt, scheme, 0.2));
            let [of_coarse, of_fine] = [&coarse, &fine].map(|all| sum(all, EnergyLedger::residual));
            let order = match scheme {
                Scheme::Continuous { .. } => 4,
                _ => {
                    for ledger in &fine {
                        let rest = ledger.residual() + ledger.loss.total();
                        assert!(rest.abs() < 1e-11, "{level:?}, {scheme:?}: {rest:e}");
                    }
                    let ratio = coarse[0].residual() / fine[0].residual();
                    assert!(
                        (3.6..4.4).contains(&ratio),
                        "{level:?}, {scheme:?}: {ratio}"
                    );
                    1
                }
            };
            let ratio = of_coarse / of_fine / 2f64.powi(order);
            assert!(
                (0.9..1.1).contains(&ratio),
                "{level:?}, {scheme:?}: {ratio}, {of_fine:e}"
            );
            assert!(of_fine.abs() < 1e-3, "{level:?}, {scheme:?}: {of_fine:e}");
            for entry in [
                sum(&fine, |l| l.work_of_constraints),
                sum(&fine, |l| l.dissipated_by_friction),
                sum(&fine, |l| l.dissipated_by_joints),
                sum(&fine, |l| l.work_of_actuation),
            ] {
                assert!(entry > 0.02, "{level:?}, {scheme:?}: {entry}");
            }
            for pair in fine.windows(2) {
                let jump = pair[1].total().start - pair[0].total().end;
                assert!(jump.abs() < 1e-12, "{level:?}, {scheme:?}: {jump:e}");
            }
        }
    }
}

/// By the leverage and the velocity of the sled: against differences.
#[test]
fn the_ledger_is_differentiable() {
    fn after<T: DefaultScalar>(system: &Machine, scheme: Scheme, h: T) -> [T; 5] {
        let stepper = stepper(system, 2e-3, scheme);
        let mut stepper = stepper.cast::<T>();
        let leverage = T::from(servo(system).leverage) + h;
        (stepper.set_parameter("servo/leverage", leverage)).unwrap();
        let mut state = disturbed(system, scheme).cast::<T>();
        state.v[SLED] += h * 2.0;
        let mut workspace = stepper.workspace().unwrap();
        let mut step = (stepper.step(&mut workspace, &state, &[T::from(0.2)])).unwrap();
        let ledger = step.energy().unwrap();
        [
            ledger.kinetic.end,
            ledger.work_of_constraints,
            ledger.dissipated_by_friction,
            ledger.residual(),
            ledger.loss.total(),
        ]
    }
    for level in LEVELS {
        let system = machine(swinging(level));
        for scheme in SCHEMES {
            let exact = after(&system, scheme, Dual64::from(0.0).derivative());
            let h = 1e-3;
            let [more, less] = [h, -h].map(|h| after(&system, scheme, h));
            let [far, near] = [2.0 * h, -2.0 * h].map(|h| after(&system, scheme, h));
            for i in 0..exact.len() {
                let fine = (more[i] - less[i]) / (2.0 * h);
                let expected = (fine * 4.0 - (far[i] - near[i]) / (4.0 * h)) / 3.0;
                let error = (exact[i].eps - expected).abs() / expected.abs().max(1.0);
                assert!(error < 1e-8, "{level:?}, {scheme:?}, {i}: {error:e}");
            }
        }
    }
}

/// Rows `J q = c` of sliders, upheld by forces along `d`.
#[derive(Debug, Clone)]
struct Sliders<T> {
    name: String,
    kind: ConstraintKind,
    level: ConstraintLevel,
    jacobian: DMatrix<f64>,
    directions: Option<DMatrix<f64>>,
    told: Vec<T>,
}

impl<T: Scalar> TreeConstraint<T> for Sliders<T> {
    constants! { TreeConstraint for Sliders {
        name;
        kind;
        level;
        jacobian;
        directions;
        told: value;
    } }
    fn num_rows(&self) -> usize {
        self.told.len()
    }
    fn kind(&self) -> ConstraintKind {
        self.kind
    }
    fn level(&self) -> ConstraintLevel {
        self.level
    }
    fn evaluate(
        &self,
        _tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        _time: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        rows.jacobian = self.jacobian.map(T::from);
        for (i, &told) in self.told.iter().enumerate() {
            let row = rows.jacobian.row(i);
            let is = row.iter().zip(workspace.q());
            rows.phi[i] = is.fold(-told, |sum, (&j, &q)| sum + j * q);
            rows.explicit_rate[i] = -told;
            rows.bias[i] = -told;
        }
        rows.force_directions = (self.directions.as_ref()).map(|d| d.map(T::from));
        Ok(())
    }
}

fn sliders(jacobian: DMatrix<f64>, directions: DMatrix<f64>, told: &[f64]) -> Sliders<f64> {
    Sliders {
        name: "told".into(),
        kind: ConstraintKind::Bilateral,
        level: ConstraintLevel::Position,
        jacobian,
        directions: Some(directions),
        told: told.to_vec(),
    }
}

/// Sliders along x.
fn on_sliders(
    masses: &[f64],
    constraints: impl IntoIterator<Item = Sliders<f64>>,
) -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    for (i, &mass) in masses.iter().enumerate() {
        let inertia = SpatialInertia::principal(mass, Vector3::repeat(0.02));
        let body = tree.add_body(format!("slider {i}"), inertia).unwrap();
        let kind = JointKind::Prismatic { axis: Vector3::x() };
        let (name, here) = (format!("slide {i}"), RigidTransform::identity());
        (tree.add_joint(name, kind, BodyIndex::WORLD, here, body)).unwrap();
    }
    RigidBodySystem::new(tree.finish().unwrap(), ContactModel::none())
        .unwrap()
        .with_constraints(constraints)
        .unwrap()
}

/// Nothing, but as far as a machine knows a force that depends on velocities.
#[derive(Debug, Clone)]
struct Nothing;

impl<T: Scalar> ForceElement<T> for Nothing {
    constants! { ForceElement for Nothing as Nothing, named "nothing" {} }

    fn add_forces(
        &self,
        _: &ForceContext<'_, T>,
        _: &mut Forces<T>,
    ) -> std::result::Result<(), ForceError> {
        Ok(())
    }
}

/// What each scheme says when its machine is built; what it says of a step from rest, where something may couple more than
/// masses do; then what the search for an equilibrium says.
fn refusals(masses: &[f64], constraint: Sliders<f64>) -> Vec<String> {
    let system = on_sliders(masses, [constraint]);
    let start = system.initial_state();
    let mut said: Vec<String> = (SCHEMES.iter())
        .flat_map(|&scheme| {
            let build = |system| TimeSteppingRigidBodySystem::with_scheme(system, 1e-2, scheme);
            let built = match build(system.clone()) {
                Ok(_) => format!("{scheme:?} is built"),
                Err(error) => error.to_string(),
            };
            let stepped = match build(system.clone().with_forces([Nothing]).unwrap()) {
                Ok(stepper) => {
                    let mut workspace = stepper.workspace().unwrap();
                    match stepper.step(&mut workspace, &start, &[]) {
                        Ok(step) => format!("goes on with {:?}", step.state().v.as_slice()),
                        Err(error) => error.to_string(),
                    }
                }
                Err(error) => error.to_string(),
            };
            [built, stepped]
        })
        .collect();
    said.push(match system.equilibrium(&start, &[], 1e-9) {
        Ok(_) => "rests".to_owned(),
        Err(error) => error.to_string(),
    });
    said
}

#[test]
fn directions_of_the_wrong_size_are_refused_by_name() {
    let unit = DMatrix::identity(2, 2);
    let one_row = dmatrix![1.0, 0.0];
    let one_column = dmatrix![1.0; 1.0];
    let mut inequality = sliders(unit.clone(), unit.clone(), &[0.0, 0.0]);
    inequality.kind = ConstraintKind::Unilateral;
    for constraint in [
        sliders(unit.clone(), one_row, &[0.0, 1.0]),
        sliders(unit, one_column, &[0.0, 1.0]),
        inequality,
    ] {
        let said = refusals(&[1.0, 1.0], constraint.clone());
        for said in said {
            assert!(
                said.contains("\"told\"") && said.contains("direction"),
                "{said}"
            );
        }
        let system = on_sliders(&[1.0, 1.0], [constraint]);
        let start = system.initial_state();
        let error = system.constraint_violation(&start).unwrap_err().to_string();
        assert!(error.contains("\"told\""), "{error}");
    }
}

/// Forces that do not move their row, alone or beside those of other rows; by round-off, or where the row moves nothing.
#[test]
fn rows_that_no_force_upholds_are_refused_by_name() {
    let three = [1.0, 1.0, 1.0];
    let alike = dmatrix![1.0, 1.0, 1.0; 1.0, 1.0, 1.0];
    let unit = DMatrix::identity(2, 2);
    for level in LEVELS {
        for (masses, jacobian, directions, told) in [
            (&[1.0, 2.0][..], dmatrix![0.0, 1.0], dmatrix![1.0, 0.0], 0.0),
            (&[1.0, 2.0], dmatrix![0.0, 1.0], dmatrix![1.0, 0.0], 1e-3),
            (&[1.0, 2.0], dmatrix![0.0, 1.0], dmatrix![0.0, 0.0], 0.0),
            (&[1.0, 2.0], dmatrix![0.0, 0.0], dmatrix![1.0, 0.0], 0.0),
            (&[0.3, 0.1], dmatrix![1.0, 1.0], dmatrix![0.3, -0.1], 1e-3),
            (&[0.3, 0.1], dmatrix![1.0, 1.0], dmatrix![0.3, -0.1], 0.0),
            (
                &[1.0, 1.0],
                unit.clone(),
                dmatrix![1.0, 1.0; 1.0, 1.0],
                1e-3,
            ),
            (
                &three,
                alike.clone(),
                dmatrix![1.0, 0.0, 0.0; 1.0, 0.0, 0.0],
                1e-3,
            ),
            (
                &three,
                alike.clone(),
                dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0],
                1e-3,
            ),
        ] {
            let told = vec![told; jacobian.nrows()];
            let mut constraint = sliders(jacobian, directions, &told);
            constraint.level = level;
            let said = refusals(masses, constraint.clone());
            for said in &said[..2 * SCHEMES.len()] {
                assert!(
                    said.contains("\"told\" is not upheld"),
                    "{constraint:?}: {said}"
                );
            }
        }
    }
}

/// Forces that do not move their own row, or less than others.
#[test]
fn forces_uphold_rows_together() {
    let unit = DMatrix::identity(2, 2);
    let mut cases = vec![
        (vec![1.0, 2.0], unit.clone(), dmatrix![0.0, 1.0; 1.0, 0.0]),
        (
            vec![1.0, 1.0],
            unit.clone(),
            dmatrix![1.0, 1.001; 1.001, 1.0],
        ),
        (vec![1.0, 1.0], unit.clone(), dmatrix![1.0, 2.0; 2.0, 1.0]),
        (vec![1.0, 1.0], unit.clone(), dmatrix![1.0, 1e4; 1e4, 1.0]),
        (
            vec![1.0, 1.0],
            unit.clone(),
            dmatrix![1.0, -10.0; 10.0, 1.0],
        ),
        (vec![1.0, 1.0], unit.clone(), dmatrix![4e-5, 1.0; 0.5, 4e-5]),
        (vec![1.0, 1.0], unit.clone(), dmatrix![1e-6, 1.0; 0.0, 1.0]),
        (vec![1.0, 1.0], unit, dmatrix![-1.0, 0.3; 0.2, -4.0]),
        (vec![1.0, 1.0], dmatrix![1.0, 1.0], dmatrix![1.0, -0.9]),
        (vec![1.0, 1.0], dmatrix![1.0, 1.0], dmatrix![1.0, -0.999]),
    ];
    let mut seed = 7;
    for trial in 0..200 {
        let (rows, nv) = (1 + trial % 3, 3 + trial % 2);
        let mut random = |rows: usize| {
            DMatrix::from_fn(rows, nv, |_, _| match uniform(&mut seed) {
                x if trial % 2 == 0 && x.abs() < 0.4 => 0.0,
                x => x,
            })
        };
        let masses = random(1).map(|x| 1.0 + 0.8 * x).as_slice().to_vec();
        cases.push((masses, random(rows), random(rows)));
    }
    let mut worst = [0.0_f64; 2];
    let mut solved = 0;
    for (masses, jacobian, directions) in cases {
        let told: Vec<f64> = (0..jacobian.nrows())
            .map(|i| 1e-3 * (i + 1) as f64)
            .collect();
        for with_ordinary in [false, true] {
            let ordinary = Sliders {
                name: "ordinary".into(),
                directions: None,
                ..sliders(
                    DMatrix::from_element(2, masses.len(), 1.0),
                    DMatrix::zeros(0, 0),
                    &[2e-3, 2e-3],
                )
            };
            let mut constraints = vec![sliders(jacobian.clone(), directions.clone(), &told)];
            let (mut all, mut along) = (jacobian.clone(), directions.clone());
            let mut rates = told.clone();
            if with_ordinary {
                constraints.push(ordinary);
                let n = all.nrows();
                (all, along) = (all.insert_row(n, 1.0), along.insert_row(n, 1.0));
                rates.push(2e-3);
            }
            let dt = 1e-2;
            let inverse = DMatrix::from_fn(masses.len(), masses.len(), |i, j| {
                if i == j { 1.0 / masses[i] } else { 0.0 }
            });
            let response = &inverse * along.transpose();
            let mobility = &all * &response;
            let of_rows = (&all * &inverse * all.transpose()).map_diagonal(f64::sqrt);
            let of_forces = (&along * &response).map_diagonal(f64::sqrt);
            let cosines = DMatrix::from_fn(rates.len(), rates.len(), |i, j| {
                mobility[(i, j)] / of_rows[i] / of_forces[j]
            });
            if cosines.iter().any(|x| !x.is_finite()) {
                continue;
            }
            let least = cosines.singular_values().min();
            if least < 1e-5 {
                continue;
            }
            let impulses = (mobility.lu())
                .solve(&(DMatrix::from_column_slice(rates.len(), 1, &rates) / dt))
                .unwrap();
            let exact = &response * &impulses;
            let system = on_sliders(&masses, constraints);
            for (scheme, worst) in SCHEMES.iter().zip(&mut worst) {
                let stepper =
                    TimeSteppingRigidBodySystem::with_scheme(system.clone(), dt, *scheme).unwrap();
                let mut workspace = stepper.workspace().unwrap();
                let start = stepper.initial_state();
                let mut step = (stepper.step(&mut workspace, &start, &[]))
                    .unwrap_or_else(|error| panic!("{scheme:?}, {all} {along}: {error}"));
                let found = step.constraint_forces().unwrap()[0].force * dt;
                let of_force = (found - impulses[0]).abs() / impulses.amax();
                let v = (step.state().v.iter().zip(exact.iter()))
                    .map(|(v, exact)| (v - exact).abs())
                    .fold(of_force * exact.amax(), f64::max);
                let error = v / exact.amax() * least * least;
                *worst = worst.max(error);
                assert!(error < 1e-10, "{scheme:?}, {all} {along}: {error:e}");
            }
            solved += 1;
        }
    }
    assert!(solved > 300, "{solved}");
    assert!(worst[1] < 1e-12, "{worst:?}");
}

/// Between −1 and 1.
fn uniform(seed: &mut u64) -> f64 {
    *seed = (seed.wrapping_mul(6364136223846793005)).wrapping_add(1442695040888963407);
    (*seed >> 33) as f64 / f64::from(1 << 30) - 1.0
}

/// Without contacts, compliant steps are those of the rigid scheme; beside rows that occur twice, too.
#[test]
fn jacobians_of_rows_upheld_together_agree_across_schemes() {
    let ordinary = Sliders {
        name: "ordinary".into(),
        directions: None,
        ..sliders(
            dmatrix![0.0, 0.0, 1.0, 0.5; 0.0, 0.0, 1.0, 0.5],
            DMatrix::zeros(0, 0),
            &[1e-3, 1e-3],
        )
    };
    let together = sliders(
        dmatrix![1.0, 0.0, 0.2, 0.0; 0.0, 1.0, 0.0, 0.0],
        dmatrix![0.0, 1.0, 0.0, 0.3; 1.0, 0.0, 0.4, 0.0],
        &[1e-3, 2e-3],
    );
    let system = on_sliders(&[1.0, 2.0, 0.7, 1.3], [ordinary, together])
        .with_generalized_forces()
        .unwrap();
    let start = system.initial_state();
    let [compliant, rigid] = [Scheme::Compliant, Scheme::Rigid].map(|scheme| {
        let stepper =
            TimeSteppingRigidBodySystem::with_scheme(system.clone(), 1e-2, scheme).unwrap();
        let mut jacobian = StepJacobian::default();
        let parameters = ["slider 0/mass", "slider 2/mass"];
        (StepDifferentiator::new(&stepper, &parameters).unwrap())
            .jacobian(&start, &[0.1, 0.2, -0.3, 0.4], &mut jacobian)
            .unwrap();
        [jacobian.state, jacobian.input, jacobian.parameters]
    });
    for (compliant, rigid) in compliant.iter().zip(&rigid) {
        let error = (compliant - rigid).amax() / rigid.amax();
        assert!(error < 1e-10, "{error:e}");
    }
}
