//! Forces that are found together with the motion, in all schemes.

use crate::support::cases::tier;
use crate::support::derivatives_of_steps::{assert_adjoint_agrees, assert_step_jacobian_agrees};
use crate::support::random_contact::Random;
use crate::support::scenes::geometry;
use dualbody::constraint::{
    ConstraintError, ConstraintForceLaw, ForceLawRow, InstantMotion, JointLimitConstraint,
    StepMotion,
};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::ForceContext;
use dualbody::geometry::Shape;
use dualbody::gradient_with_radius;
use dualbody::io::json::ElementTypes;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    IntegrationMethod, Kept, RigidBodySystem, RolloutObjective, Scheme, State, StepDifferentiator,
    StepJacobian, StepKink, SystemError, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{Parameters, Scalar, constants};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::{Dual2_64, Dual3_64, HyperDual64};

const SCHEMES: [Scheme; 3] = [
    Scheme::Compliant,
    Scheme::Rigid,
    Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 1,
    },
];

/// A rod without mass, or a rope, from a point of the world to one of a body.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
#[serde(bound(
    serialize = "T: Scalar + serde::Serialize",
    deserialize = "T: Scalar + serde::Deserialize<'de>"
))]
struct Tether<T> {
    name: String,
    body: BodyIndex,
    point: Vector3<T>,
    anchor: Vector3<T>,
    length: T,
    is_rope: bool,
}

impl<T: Scalar> Tether<T> {
    fn row(&self, phi: T) -> ForceLawRow<T> {
        match self.is_rope {
            true => ForceLawRow::inequality(-phi),
            false => ForceLawRow::equation(phi),
        }
    }
}

impl<T: Scalar> ConstraintForceLaw<T> for Tether<T> {
    constants! { ConstraintForceLaw for Tether {
        name;
        body: in_tree;
        point: any("m");
        anchor: any("m");
        length: positive("m");
        is_rope;
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let p = motion.end.point_position(self.body, &self.point)? - self.anchor;
        rows[0] = self.row(p.norm() - self.length);
        Ok(())
    }

    /// The acceleration of the length, which also comes back to what it should be.
    fn at_instant(
        &self,
        motion: &InstantMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let state = motion.state();
        let p = state.point_position(self.body, &self.point)? - self.anchor;
        let v = state.point_velocity(self.body, &self.point)?.linear;
        let a = motion.point_acceleration(self.body, &self.point)?;
        let length = p.norm();
        let rate = p.dot(&v) / length;
        let second = (p.dot(&a) + v.dot(&v) - rate * rate) / length;
        let back = (length - self.length) * T::from(2500.0) + rate * T::from(100.0);
        rows[0] = self.row(second + back);
        Ok(())
    }
}

/// Holds a joint at a speed by a force within bounds that grow with the force of the first row: dry friction of a
/// bearing under load, whose own directions are its coordinate.
#[derive(Debug, Clone)]
struct Brake<T> {
    coordinate: usize,
    limit: T,
}

impl<T: Scalar> ConstraintForceLaw<T> for Brake<T> {
    constants! { ConstraintForceLaw for Brake, named "brake" {
        coordinate;
        limit: not_negative("N m");
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let phi = motion.end.v()[self.coordinate];
        rows[0] = ForceLawRow::between(phi, -self.limit, self.limit);
        Ok(())
    }

    fn at_instant(
        &self,
        motion: &InstantMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let (v, vdot) = (motion.state().v(), motion.vdot());
        let phi = vdot[self.coordinate] + v[self.coordinate] * T::from(50.0);
        rows[0] = ForceLawRow::between(phi, -self.limit, self.limit);
        Ok(())
    }
}

/// A double pendulum in the plane y = 0 with a ball at its tip above the ground, a stop at its shoulder, and generalized
/// forces as inputs. The ball of 0.1 m touches the ground where the tip is at 0.1 m.
fn pendulum(ground: f64, lengths: [f64; 2]) -> RigidBodySystem<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let (y, world) = (Vector3::y(), BodyIndex::WORLD);
    let mut parent = world;
    let mut at = Vector3::new(0.0, 0.0, 1.0);
    let mut joints = Vec::new();
    for (name, length) in [("upper", lengths[0]), ("lower", lengths[1])] {
        let half = Vector3::new(0.0, 0.0, -0.5 * length);
        let link = SpatialInertia {
            center_of_mass: half,
            ..SpatialInertia::principal(1.0, Vector3::new(0.02, 0.02, 0.002))
        };
        let body = builder.add_body(name, link).unwrap();
        let kind = JointKind::Revolute { axis: y };
        let place = RigidTransform::from_translation(at);
        joints.push(builder.add_joint(name, kind, parent, place, body).unwrap());
        (parent, at) = (body, Vector3::new(0.0, 0.0, -length));
    }
    builder.set_damping(joints[1], &[0.05]).unwrap();
    let tree = builder.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let rubber = ContactMaterial::new(1e5, 0.5, 0.4).unwrap();
    let ball = Shape::new_sphere(0.1).unwrap();
    let mut ball = geometry("ball", parent, ball, rubber);
    ball.pose_in_body.translation = at;
    contact.add_geometry(ball).unwrap();
    let mut plane = geometry("ground", world, Shape::HalfSpace, rubber);
    plane.pose_in_body.translation.z = ground;
    contact.add_geometry(plane).unwrap();
    let contact = contact.finish(&tree).unwrap();
    let stop = JointLimitConstraint::new("stop", &tree, joints[0], Some(-0.9), None).unwrap();
    RigidBodySystem::new(tree, contact)
        .unwrap()
        .with_constraints([stop])
        .unwrap()
        .with_generalized_forces()
        .unwrap()
}

fn tether(length: f64, is_rope: bool) -> Tether<f64> {
    Tether {
        name: "tether".into(),
        body: BodyIndex::new(2),
        point: Vector3::new(0.0, 0.0, -0.4),
        anchor: Vector3::new(0.7, 0.0, 1.0),
        length,
        is_rope,
    }
}

fn stepper(
    system: RigidBodySystem<f64>,
    dt: f64,
    scheme: Scheme,
) -> TimeSteppingRigidBodySystem<f64> {
    TimeSteppingRigidBodySystem::with_scheme(system, dt, scheme).unwrap()
}

fn state(system: &RigidBodySystem<f64>, q: [f64; 2], v: [f64; 2]) -> State<f64> {
    State {
        q: DVector::from_column_slice(&q),
        v: DVector::from_column_slice(&v),
        ..system.initial_state()
    }
}

fn distance(system: &RigidBodySystem<f64>, state: &State<f64>, tether: &Tether<f64>) -> f64 {
    let lower = system.body_pose(state, "lower").unwrap();
    (lower.transform_point(&tether.point) - tether.anchor).norm()
}

/// A scene in which a tether is taut or a rod, the ball slides on the ground or hangs, a brake slips or holds.
fn scene(
    scheme: Scheme,
    is_rope: bool,
    limit: f64,
) -> (TimeSteppingRigidBodySystem<f64>, State<f64>) {
    let system = pendulum(-2.0, [0.5, 0.5]);
    let start = state(&system, [-0.3, 0.9], [0.4, -0.7]);
    let mut tether = tether(1.0, is_rope);
    tether.length = distance(&system, &start, &tether);
    let system = system.with_force_laws([tether]).unwrap();
    let brake = Brake {
        coordinate: 1,
        limit,
    };
    let system = system.with_force_laws([brake]).unwrap();
    (stepper(system, 1e-2, scheme), start)
}

#[derive(Debug)]
struct Ends(usize);

impl RolloutObjective for Ends {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, input: &[T]) -> T {
        match step == self.0 {
            true => state.q[0] * state.q[1] + state.v[0] * 0.3 - state.v[1] * state.v[1],
            false => input.iter().fold(T::zero(), |sum, &u| sum + u * u * 0.1),
        }
    }
}

const PARAMETERS: [&str; 6] = [
    "force_law/tether/length",
    "force_law/tether/anchor/x",
    "force_law/tether/point/z",
    "force_law/brake/limit",
    "body/lower/mass",
    "gravity/z",
];

#[test]
fn derivatives_agree_with_differences_in_all_schemes() {
    for scheme in SCHEMES {
        for (is_rope, limit) in [(false, 0.02), (true, 0.02), (false, 50.0)] {
            let (stepper, start) = scene(scheme, is_rope, limit);
            let parameters = match limit {
                50.0 => &PARAMETERS[..3],
                _ => &PARAMETERS[..],
            };
            assert_step_jacobian_agrees(&stepper, (&start, &[0.2, -0.1]), parameters, 3e-5);
        }
        // A brake that starts to slip between the stages of a step is a kink.
        let (limit, parameters) = match scheme {
            Scheme::Continuous { .. } => (50.0, &PARAMETERS[..3]),
            _ => (0.02, &PARAMETERS[..]),
        };
        let (stepper, start) = scene(scheme, false, limit);
        let inputs = DMatrix::from_fn(2, 3, |i, k| 0.1 * (i as f64 - 0.4) * (k as f64 + 1.0));
        assert_adjoint_agrees(&stepper, (&start, &inputs), parameters, &Ends(3), 3e-5);
    }
}

/// The first derivative along `q`, by a scalar of the second order and by differences of first ones.
#[test]
fn second_derivatives_agree_with_differences_of_first_ones() {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let (stepper, start) = scene(scheme, false, 0.02);
        let second = stepper.cast::<Dual2_64>();
        let mixed = stepper.cast::<HyperDual64>();
        let direction = [0.6, -0.4];
        let along = |h: f64| {
            let mut moved = start.cast::<Dual2_64>();
            for (q, d) in moved.q.iter_mut().zip(direction) {
                *q += Dual2_64::new(h * d, d, 0.0);
            }
            let input = [0.2, -0.1].map(Dual2_64::from);
            let mut workspace = second.workspace().unwrap();
            let step = second.step(&mut workspace, &moved, &input).unwrap();
            step.state().v.clone()
        };
        let at = along(0.0);
        let (ahead, behind) = (along(1e-4), along(-1e-4));
        let mut seeded = start.cast::<HyperDual64>();
        for (q, d) in seeded.q.iter_mut().zip(direction) {
            *q += HyperDual64::new(0.0, d, d, 0.0);
        }
        let input = [0.2, -0.1].map(HyperDual64::from);
        let mut workspace = mixed.workspace().unwrap();
        let step = mixed.step(&mut workspace, &seeded, &input).unwrap();
        for (i, v) in step.state().v.iter().enumerate() {
            let difference = (ahead[i].v1 - behind[i].v1) / 2e-4;
            let scale = 1.0 + difference.abs();
            assert!((at[i].v2 - difference).abs() < 1e-5 * scale, "{scheme:?}");
            assert!((at[i].v2 - v.eps1eps2).abs() < 1e-9 * scale, "{scheme:?}");
            assert_eq!(at[i].re, v.re);
        }
    }
}

/// Couples the angles of the elbow and the shoulder by a curve, with directions of its own.
#[derive(Debug, Clone)]
struct Cam<T> {
    amplitude: T,
}

impl<T: Scalar> ConstraintForceLaw<T> for Cam<T> {
    constants! { ConstraintForceLaw for Cam, named "cam" {
        amplitude: any("rad");
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let q = motion.end.q();
        rows[0] = ForceLawRow::equation(q[1] - self.amplitude * (q[0] * T::from(3.0)).sin());
        Ok(())
    }

    fn force_directions(
        &self,
        state: &ForceContext<'_, T>,
        directions: &mut DMatrix<T>,
    ) -> Result<bool, ConstraintError> {
        let angle = state.q()[0] * T::from(3.0);
        directions[(0, 0)] = self.amplitude * T::from(-3.0) * angle.cos();
        directions[(0, 1)] = T::one();
        Ok(true)
    }
}

/// The second derivative along `q`, by differences, is the third one.
#[test]
fn third_derivatives_agree_with_differences_of_second_ones() {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let system = pendulum(-2.0, [0.5, 0.5]);
        let start = state(&system, [-0.3, 0.7 * (-0.9f64).sin()], [0.4, -0.7]);
        let cam = Cam { amplitude: 0.7 };
        let stepper = stepper(system.with_force_laws([cam]).unwrap(), 1e-2, scheme);
        let (second, third) = (stepper.cast::<Dual2_64>(), stepper.cast::<Dual3_64>());
        let direction = [0.6, -0.4];
        let along = |h: f64| {
            let mut moved = start.cast::<Dual2_64>();
            for (q, d) in moved.q.iter_mut().zip(direction) {
                *q += Dual2_64::new(h * d, d, 0.0);
            }
            let mut workspace = second.workspace().unwrap();
            let input = [0.2, -0.1].map(Dual2_64::from);
            let step = second.step(&mut workspace, &moved, &input).unwrap();
            step.state().v.clone()
        };
        let mut moved = start.cast::<Dual3_64>();
        for (q, d) in moved.q.iter_mut().zip(direction) {
            *q += Dual3_64::new(0.0, d, 0.0, 0.0);
        }
        let mut workspace = third.workspace().unwrap();
        let input = [0.2, -0.1].map(Dual3_64::from);
        let step = third.step(&mut workspace, &moved, &input).unwrap();
        let (at, ahead, behind) = (along(0.0), along(1e-4), along(-1e-4));
        for (i, v) in step.state().v.iter().enumerate() {
            let difference = (ahead[i].v2 - behind[i].v2) / 2e-4;
            let scale = 1.0 + difference.abs();
            assert!(
                (v.v3 - difference).abs() < 1e-5 * scale,
                "{scheme:?}: {v} {difference}"
            );
            assert!((v.v2 - at[i].v2).abs() < 1e-9 * scale, "{scheme:?}");
            assert!(difference.abs() > 0.1, "{scheme:?}: {difference}");
        }
    }
}

/// A [`Tether`] that writes its directions itself.
#[derive(Debug, Clone)]
struct Told<T: Scalar>(Tether<T>);

impl<T: Scalar> ConstraintForceLaw<T> for Told<T> {
    type Cast<U: dualbody::DefaultScalar> = Told<U>;

    fn cast<U: dualbody::DefaultScalar>(&self) -> Told<U> {
        Told(self.0.cast())
    }

    fn name(&self) -> &str {
        "told"
    }

    fn num_rows(&self) -> usize {
        1
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        forces: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        self.0.over_step(motion, forces, rows)
    }

    fn force_directions(
        &self,
        state: &ForceContext<'_, T>,
        directions: &mut DMatrix<T>,
    ) -> Result<bool, ConstraintError> {
        let Tether { body, point, .. } = &self.0;
        let along = (state.point_position(*body, point)? - self.0.anchor).normalize();
        let mut jacobian = DMatrix::zeros(6, directions.ncols());
        state.spatial_jacobian(*body, point, &mut jacobian)?;
        directions.copy_from(&jacobian.rows(3, 3).tr_mul(&along).transpose());
        Ok(true)
    }
}

/// A law that writes its directions makes the step of one from which they follow, with third derivatives, too.
#[test]
fn directions_of_forces_on_bodies_may_be_told() {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let system = pendulum(-2.0, [0.5, 0.5]);
        let start = state(&system, [-0.3, 0.9], [0.4, -0.7]);
        let mut tether = tether(1.0, false);
        tether.length = distance(&system, &start, &tether);
        let machine = |system: RigidBodySystem<f64>| stepper(system, 1e-2, scheme);
        let told = machine(
            system
                .clone()
                .with_force_laws([Told(tether.clone())])
                .unwrap(),
        );
        let follows = machine(system.with_force_laws([tether]).unwrap());
        let second = |machine: &TimeSteppingRigidBodySystem<f64>, h: f64| {
            let machine = machine.cast::<Dual2_64>();
            let mut moved = start.cast::<Dual2_64>();
            moved.q[0] += Dual2_64::new(h, 1.0, 0.0);
            let mut workspace = machine.workspace().unwrap();
            let input = [0.2, -0.1].map(Dual2_64::from);
            let step = machine.step(&mut workspace, &moved, &input).unwrap();
            step.state().v.clone()
        };
        let third = |machine: &TimeSteppingRigidBodySystem<f64>| {
            let machine = machine.cast::<Dual3_64>();
            let mut moved = start.cast::<Dual3_64>();
            moved.q[0] += Dual3_64::new(0.0, 1.0, 0.0, 0.0);
            let mut workspace = machine.workspace().unwrap();
            let input = [0.2, -0.1].map(Dual3_64::from);
            let step = machine.step(&mut workspace, &moved, &input).unwrap();
            step.state().v.clone()
        };
        let (told_third, follows_third) = (third(&told), third(&follows));
        let (at, expected) = (second(&told, 0.0), second(&follows, 0.0));
        let (ahead, behind) = (second(&follows, 1e-4), second(&follows, -1e-4));
        for (i, v) in told_third.iter().enumerate() {
            let difference = (ahead[i].v2 - behind[i].v2) / 2e-4;
            let scale = 1.0 + difference.abs();
            let follows = follows_third[i].v3;
            assert!((v.v3 - follows).abs() < 1e-9 * scale, "{v} {follows}");
            assert!(
                (at[i].v2 - expected[i].v2).abs() < 1e-10 * scale,
                "{scheme:?}"
            );
            assert!((v.v3 - difference).abs() < 1e-5 * scale, "{v} {difference}");
        }
    }
}

/// Where third derivatives of a row have no slope, directions that follow from it have no third derivatives.
#[test]
fn third_derivatives_of_directions_that_are_not_smooth_are_refused() {
    let system = pendulum(-2.0, [0.5, 0.5]);
    let start = state(&system, [-0.3, 0.9], [0.4, -0.7]);
    let rough = Odd {
        kind: OddRows::Rough,
        place: 0.9,
    };
    let machine = stepper(
        system.with_force_laws([rough]).unwrap(),
        1e-2,
        Scheme::Compliant,
    );
    let input = [Dual3_64::from(0.0); 2];
    let mut moved = start.cast::<Dual3_64>();
    moved.q[1] = moved.q[1].derivative();
    let third = machine.cast();
    let mut workspace = third.workspace().unwrap();
    let made = third.step(&mut workspace, &moved, &input);
    let error = made.map(|_| ()).unwrap_err().to_string();
    assert!(
        error.contains("\"odd\" has no directions of its own"),
        "{error}"
    );
    let second = machine.cast::<Dual2_64>();
    let made = second.rollout(&start.cast(), 1);
    assert!(made.is_ok(), "{made:?}");
}

/// What a law of continuous time and one of steps make of the same rod: the same motion, as the step shrinks.
#[test]
fn schemes_agree_as_the_step_shrinks() {
    let ends = |scheme: Scheme, dt: f64| {
        let (stepper, mut start) = scene(scheme, false, 0.0);
        start.v.fill(0.0);
        let stepper = self::stepper(stepper.into_system(), dt, scheme);
        let rollout = stepper
            .rollout(&start, (0.2 / dt).round() as usize)
            .unwrap();
        rollout.last().q.clone()
    };
    let exact = ends(SCHEMES[2], 1e-3);
    for scheme in &SCHEMES[..2] {
        let errors = [4e-3, 2e-3, 1e-3].map(|dt| (ends(*scheme, dt) - &exact).amax());
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((1.8..2.2).contains(&ratio), "{scheme:?}: {errors:?}");
        }
    }
}

/// Beside contacts, a stop and each other, whatever the step: rows hold at its end, or it is an error.
#[test]
fn rows_hold_at_the_ends_of_steps_of_random_machines() {
    let (mut steps, mut acting, mut failed) = (0, 0, 0);
    // The search of the 51st once ran away to forces of 1e17 N, whose rows are round-off.
    for seed in (0..tier(40, 1000)).chain([51]) {
        let random = &mut Random::new(seed);
        let scheme = [Scheme::Compliant, Scheme::Rigid][seed as usize % 2];
        let lengths = [random.uniform(0.3, 0.6), random.uniform(0.3, 0.6)];
        let system = pendulum(random.uniform(0.0, 0.3), lengths);
        let mut tether = tether(1.0, true);
        tether.anchor.x = random.uniform(-0.8, 0.8);
        tether.point.z = -lengths[1] * random.uniform(0.3, 1.0);
        let brake = Brake {
            coordinate: random.index(2),
            limit: random.uniform(0.0, 0.5),
        };
        let start = state(
            &system,
            [random.uniform(-0.8, 1.0), random.uniform(-1.0, 1.0)],
            [random.uniform(-3.0, 3.0), random.uniform(-3.0, 3.0)],
        );
        tether.length = distance(&system, &start, &tether) * random.uniform(1.0, 1.1);
        let system = system.with_force_laws([tether.clone()]).unwrap();
        let system = system.with_force_laws([brake.clone()]).unwrap();
        let dt = [1e-3, 5e-3, 2e-2][random.index(3)];
        let stepper = stepper(system, dt, scheme);
        let (mut workspace, mut state) = (stepper.workspace().unwrap(), start);
        for _ in 0..30 {
            let mut step = match stepper.step(&mut workspace, &state, &[0.0, 0.0]) {
                Ok(step) => step,
                Err(error) => {
                    println!("{seed}, {scheme:?}: {error}");
                    failed += 1;
                    break;
                }
            };
            steps += 1;
            let (forces, next) = (step.law_forces().unwrap().to_vec(), step.state().clone());
            let slack = tether.length - distance(&stepper, &next, &tether);
            assert!(slack > -1e-9, "{seed}, {scheme:?}: {slack}");
            assert!(
                forces[0] >= 0.0 && forces[0] * slack.abs() < 1e-9,
                "{seed}: {forces:?}"
            );
            // It holds, or rubs with all it has.
            let (left, v) = (brake.limit - forces[1].abs(), next.v[brake.coordinate]);
            assert!(
                left >= 0.0 && left.min(v.abs()) < 1e-9,
                "{seed}, {scheme:?}: {left} {v}"
            );
            acting += usize::from(forces[0] > 0.0);
            state = next;
        }
    }
    println!("{steps} steps, the rope taut in {acting}; {failed} not made");
    assert!(acting > steps / 20, "{acting} of {steps}");
    assert!(1000 * failed <= steps, "{failed} of {steps}");
}

#[test]
fn what_no_force_holds_is_named() {
    let (stepper, start) = scene(Scheme::Compliant, false, 0.02);
    let mut second = tether(0.2, false);
    second.name = "second".into();
    second.anchor.x = 3.0;
    let mut stepper = stepper;
    stepper.add_force_law(second).unwrap();
    let error = stepper.rollout(&start, 1).unwrap_err();
    let SystemError::Constraint(ConstraintError::LawNotSatisfied { violation, .. }) = &error else {
        panic!("{error}");
    };
    assert!(*violation > 0.1, "{error}");
    assert!(
        error
            .to_string()
            .contains("no force that holds the row was found"),
        "{error}"
    );
}

#[test]
fn names_kinks_and_files() {
    let (stepper, start) = scene(Scheme::Rigid, true, 0.02);
    let mut again = stepper.system().clone();
    let error = again
        .add_force_law(tether(1.0, true))
        .unwrap_err()
        .to_string();
    assert!(error.contains("force_law/tether/"), "{error}");

    let mut workspace = stepper.workspace().unwrap();
    let step = stepper.step(&mut workspace, &start, &[0.0, 0.0]).unwrap();
    let kinks: Vec<StepKink> = step.status().nearest_kinks.iter().copied().collect();
    let rope = |kink: &StepKink| {
        matches!(kink, StepKink::ForceLaw { law: 0, row: 0, at_bound: false, distance } if *distance >= 0.0)
            && kink.unit() == "of the force"
    };
    let brake = |kink: &StepKink| {
        matches!(
            kink,
            StepKink::ForceLaw {
                law: 1,
                row: 0,
                at_bound: true,
                ..
            }
        )
    };
    assert!(
        kinks.iter().any(rope) && kinks.iter().any(brake),
        "{kinks:?}"
    );

    let system = pendulum(0.0, [0.5, 0.5])
        .with_force_laws([tether(0.9, true)])
        .unwrap();
    let error = system.to_json().unwrap_err().to_string();
    assert_eq!(
        error,
        "force_laws/0: the type of \"tether\" is not registered: register it in the `ElementTypes` of `to_json_with`"
    );
    let mut types = ElementTypes::default();
    types.register_force_law::<Tether<f64>>("Tether").unwrap();
    let text = system.to_json_with(&types).unwrap();
    let read = RigidBodySystem::from_json_with(&text, &types).unwrap();
    assert_eq!(read.to_json_with(&types).unwrap(), text);
    assert_eq!(read.parameters(), system.parameters());
    assert_eq!(read.force_laws().len(), 1);
}

/// A bead on a circle at an instant: the force is `m v²/r` more than what it weighs along the rod.
#[test]
fn accelerations_are_those_of_a_circle() {
    let mut builder = RigidBodyTreeBuilder::new();
    let bead = builder
        .add_body("bead", SpatialInertia::solid_sphere(2.0, 0.1))
        .unwrap();
    let tree = builder.finish().unwrap();
    let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    let rod = Tether {
        name: "rod".into(),
        body: bead,
        point: Vector3::zeros(),
        anchor: Vector3::zeros(),
        length: 0.5,
        is_rope: false,
    };
    let system = system.with_force_laws([rod]).unwrap();
    let mut state = system.initial_state();
    state.q[6] = -0.5;
    state.v[3] = 3.0;
    let mut workspace = system.dynamics_workspace();
    let vdot: &[f64] = system.accelerations(&mut workspace, &state, &[]).unwrap();
    assert!((vdot[5] - 9.0 / 0.5).abs() < 1e-12, "{vdot:?}");
    assert!(vdot[3].abs() < 1e-12, "{vdot:?}");
}

/// In continuous time the ledger knows the work of laws, and steps tell how near their rows are to a bound.
#[test]
fn continuous_time_has_ledgers_and_kinks_of_laws() {
    let (machine, start) = scene(SCHEMES[2], false, 0.02);
    let machine = stepper(machine.into_system(), 1e-3, SCHEMES[2]);
    let mut workspace = machine.workspace().unwrap();
    workspace.set_kink_search(true);
    let mut step = machine.step(&mut workspace, &start, &[0.2, -0.1]).unwrap();
    let kink = step.status().nearest_kinks.in_unit("of φ").copied();
    let Some(StepKink::ForceLaw {
        law: 1, distance, ..
    }) = kink
    else {
        panic!("{kink:?}");
    };
    let forces = step.law_forces().unwrap().to_vec();
    let ledger = step.energy().unwrap();
    assert!(ledger.work_of_actuation.abs() > 1e-4, "{ledger:?}");
    assert!(ledger.residual().abs() < 1e-7, "{ledger:?}");

    let mut workspace = machine.dynamics_workspace();
    let evaluated = machine.accelerations(&mut workspace, &start, &[0.2, -0.1]);
    assert!(evaluated.is_ok());
    assert_eq!(workspace.law_forces(), forces);
    let brake = workspace.law_forces()[1];
    assert!((brake.abs() - 0.02).abs() < 1e-15, "{brake}");
    let (kinks, _) = machine
        .nearest_kinks(&mut workspace, &start, &[0.2, -0.1], 1e-3)
        .unwrap();
    let at_start = kinks.in_unit("of φ").unwrap().distance();
    assert!(distance <= at_start, "{distance} {at_start}");
}

/// A derivative is good as far as the brake holds, in the push on its joint.
#[test]
fn the_radius_of_a_derivative_ends_where_a_row_changes_sides() {
    fn speed<T: Scalar>(
        machine: &TimeSteppingRigidBodySystem<T>,
        start: &State<T>,
        push: &[T],
    ) -> dualbody::Result<T> {
        let mut workspace = machine.workspace()?;
        let step = machine.step(&mut workspace, start, &[T::zero(), push[0]])?;
        Ok(step.state().v[1])
    }
    for scheme in SCHEMES {
        let (machine, mut start) = scene(scheme, true, 30.0);
        start.v.fill(0.0);
        let found = gradient_with_radius!(|m, push| speed(m, &start.cast(), push), &machine, [0.0]);
        let found = found.unwrap();
        let nearest = found.nearest[0].as_ref().unwrap();
        assert_eq!(nearest.place, "brake", "{scheme:?}");
        let change = "row 0: the force comes to a bound";
        assert_eq!((&*nearest.change, nearest.unit), (change, "of the force"));
        let slips = |push: f64| speed(&machine, &start, &[push]).unwrap().abs() > 1e-9;
        let radius = found.radius[0];
        assert!(
            !slips(0.99 * radius) && !slips(-0.99 * radius),
            "{scheme:?}, {radius}"
        );
        assert!(
            slips(1.01 * radius) || slips(-1.01 * radius),
            "{scheme:?}, {radius}"
        );
    }
}

/// What rows of [`Odd`] are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum OddRows {
    /// There are none.
    None,
    /// One, twice, in two units: a coordinate is where it should be.
    Twice,
    /// The same, of which the second takes another place for it, that is the same until someone changes it.
    Contradicting,
    /// A directions' matrix of another size.
    Directions,
    /// A derivative at zero that a norm does not have.
    Norm,
    /// No force is between the bounds.
    Bounds,
    /// The last row is not written.
    Forgotten,
    /// A row is infinite.
    NotFinite,
    /// As many as the place, rounded up.
    Growing,
    /// One that depends on no motion.
    Still,
    /// One of velocities alone, whose slope is infinite where a machine is.
    Slope,
    /// One whose third derivative has no slope at 0.9.
    Rough,
}

/// Rows as nobody should write them.
#[derive(Debug, Clone)]
struct Odd<T> {
    kind: OddRows,
    place: T,
}

impl<T: Scalar> Odd<T> {
    fn write(&self, q: T, rows: &mut [ForceLawRow<T>]) {
        let written = rows.len() - usize::from(matches!(self.kind, OddRows::Forgotten));
        for (i, row) in rows[..written].iter_mut().enumerate() {
            let place = match (self.kind, i) {
                (OddRows::Contradicting, 1) => T::from(self.place.re()),
                _ => self.place,
            };
            *row = match self.kind {
                OddRows::Norm => ForceLawRow::inequality((place * T::zero()).sqrt()),
                OddRows::Bounds => {
                    ForceLawRow::between(q, T::from(f64::INFINITY), T::from(f64::INFINITY))
                }
                OddRows::NotFinite => ForceLawRow::equation(q - place / T::zero()),
                OddRows::Still => ForceLawRow::equation(place),
                OddRows::Slope => ForceLawRow::equation((q - T::from(q.re())).sqrt()),
                OddRows::Rough => {
                    let from = q - T::from(0.9);
                    ForceLawRow::equation(from + from.abs_lifted().powf_lifted(3.5))
                }
                _ => ForceLawRow::equation((q - place) * T::from([1.0, 0.3][i])),
            };
        }
    }
}

impl<T: Scalar> ConstraintForceLaw<T> for Odd<T> {
    constants! { ConstraintForceLaw for Odd, named "odd" {
        kind;
        place: any("rad");
    } }

    fn num_rows(&self) -> usize {
        match self.kind {
            OddRows::None => 0,
            OddRows::Twice | OddRows::Contradicting | OddRows::Forgotten => 2,
            OddRows::Growing => self.place.re().ceil() as usize,
            _ => 1,
        }
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        self.write(motion.end.q()[1], rows);
        Ok(())
    }

    fn at_instant(
        &self,
        motion: &InstantMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        self.write(motion.vdot()[1], rows);
        Ok(())
    }

    fn force_directions(
        &self,
        _: &ForceContext<'_, T>,
        directions: &mut DMatrix<T>,
    ) -> Result<bool, ConstraintError> {
        match self.kind {
            OddRows::Directions => *directions = DMatrix::zeros(3, 1),
            OddRows::Norm | OddRows::Bounds => directions[(0, 1)] = T::one(),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Laws without rows do nothing; rows that follow from others have the derivatives of one of them; whatever cannot be is an error
/// that names the law.
#[test]
fn odd_rows_are_followed_or_named() {
    for scheme in SCHEMES {
        let system = pendulum(-2.0, [0.5, 0.5]);
        let start = state(&system, [-0.3, 0.9], [0.4, -0.7]);
        let with = |kind: OddRows, count: usize| {
            let law = Odd { kind, place: 0.88 };
            let laws = (0..count).map(|_| law.clone());
            stepper(system.clone().with_force_laws(laws).unwrap(), 1e-2, scheme)
        };
        let jacobian = |machine: &TimeSteppingRigidBodySystem<f64>, names: &[&str]| {
            let mut jacobian = StepJacobian::default();
            StepDifferentiator::new(machine, names)?.jacobian(
                &start,
                &[0.2, -0.1],
                &mut jacobian,
            )?;
            Ok::<_, SystemError>(jacobian)
        };
        let end = |machine: &TimeSteppingRigidBodySystem<f64>| {
            let mut workspace = machine.workspace().unwrap();
            let step = machine.step(&mut workspace, &start, &[0.2, -0.1]);
            step.unwrap().state().clone()
        };
        let (none, free) = (with(OddRows::None, 1), with(OddRows::None, 0));
        assert_eq!(end(&none), end(&free), "{scheme:?}");
        let (a, b) = (jacobian(&none, &[]).unwrap(), jacobian(&free, &[]).unwrap());
        assert!((a.state - b.state).amax() < 1e-12, "{scheme:?}");

        let once = stepper(
            system
                .clone()
                .with_force_laws([Clutch {
                    coordinate: 1,
                    angle: 0.88,
                    limit: 1e9,
                }])
                .unwrap(),
            1e-2,
            SCHEMES[0],
        );
        let twice = with(OddRows::Twice, 1);
        let found = jacobian(&twice, &["odd/place"]).unwrap();
        assert!(found.state.iter().all(|x| x.is_finite()));
        if scheme == Scheme::Compliant {
            let expected = jacobian(&once, &["clutch/angle"]).unwrap();
            assert!((end(&twice).v - end(&once).v).amax() < 1e-9);
            assert!((found.state - expected.state).amax() < 1e-8);
            assert!((found.parameters - expected.parameters).amax() < 1e-8);
        }
        let refused = |kind: OddRows| {
            let machine = with(kind, 1);
            jacobian(&machine, &["odd/place"]).unwrap_err().to_string()
        };
        for (kind, words) in [
            (
                OddRows::Contradicting,
                "the force law \"odd\" has no derivatives",
            ),
            (
                OddRows::Directions,
                "\"odd\": rows of directions of forces has size 3, expected 1",
            ),
            (
                OddRows::Norm,
                "force law \"odd\": the derivative of row 0 is",
            ),
            (OddRows::Bounds, "no force is between inf and inf"),
            (
                OddRows::Forgotten,
                "row 1 of the force law \"odd\" is not written",
            ),
            (OddRows::NotFinite, "force law \"odd\": row 0 is"),
            (
                OddRows::Still,
                match scheme {
                    Scheme::Continuous { .. } => "in continuous time φ has to depend on v̇",
                    _ => "and no force changes it: φ has to depend on the end of the step",
                },
            ),
            (
                OddRows::Slope,
                "row 0 by velocities is NaN; at zero, norms have a derivative as `norm_lifted`",
            ),
        ] {
            let error = refused(kind);
            assert!(error.contains(words), "{scheme:?}, {kind:?}: {error}");
        }
    }
}

/// Directions of forces are those of the machine as it is, not as it was when the memory was made.
#[test]
fn memory_follows_a_changed_machine() {
    for scheme in SCHEMES {
        let (mut stepper, start) = scene(scheme, false, 0.02);
        let mut kept = stepper.workspace().unwrap();
        let input = [0.2, -0.1];
        stepper.step(&mut kept, &start, &input).unwrap();
        stepper
            .set_parameter("force_law/tether/anchor/x", 0.72)
            .unwrap();
        let mut fresh = stepper.workspace().unwrap();
        let expected = stepper.step(&mut fresh, &start, &input).unwrap();
        let expected = expected.state().clone();
        let made = stepper.step(&mut kept, &start, &input).unwrap();
        assert_eq!(made.state(), &expected, "{scheme:?}");
    }
}

/// Also where a law has more rows, or fewer, by a parameter.
#[test]
fn memory_follows_the_number_of_rows() {
    for scheme in SCHEMES {
        let system = pendulum(-2.0, [0.5, 0.5]);
        let start = state(&system, [-0.3, 0.9], [0.4, -0.7]);
        let law = Odd {
            kind: OddRows::Growing,
            place: 0.9,
        };
        let mut stepper = stepper(system.with_force_laws([law]).unwrap(), 1e-2, scheme);
        let mut kept = stepper.workspace().unwrap();
        let mut end = |place: f64| {
            stepper.set_parameter("odd/place", place).unwrap();
            let step = stepper.step(&mut kept, &start, &[0.2, -0.1]).unwrap();
            let made = step.state().clone();
            let mut fresh = stepper.workspace().unwrap();
            let step = stepper.step(&mut fresh, &start, &[0.2, -0.1]).unwrap();
            assert_eq!(&made, step.state(), "{scheme:?}, {place}");
            made
        };
        let (one, two) = (end(0.95), end(1.05));
        assert_eq!(one, end(0.95), "{scheme:?}");
        assert_ne!(one, two, "{scheme:?}");
    }
}

/// Accelerations of a machine that forces of laws drive are those with its gravity and its masses of now.
#[test]
fn accelerations_follow_changed_gravity_and_masses() {
    let accelerations = |system: &RigidBodySystem<f64>, state: &State<f64>| {
        let mut workspace = system.dynamics_workspace();
        let input = vec![0.0; system.num_inputs()];
        let vdot = system.accelerations(&mut workspace, state, &input);
        vdot.unwrap().to_vec()
    };
    let (stepper, start) = scene(SCHEMES[2], false, 0.02);
    let mut system = stepper.into_system();
    let mut fresh = system.clone();
    let before = accelerations(&system, &start);
    system.set_gravity(Vector3::new(0.0, 0.0, -1.0)).unwrap();
    fresh.set_parameter("gravity/x", 0.0).unwrap();
    fresh.set_parameter("gravity/y", 0.0).unwrap();
    fresh.set_parameter("gravity/z", -1.0).unwrap();
    let light = accelerations(&system, &start);
    assert_eq!(light, accelerations(&fresh, &start));
    assert_ne!(light, before);
    system.set_body_mass("lower", 9.0).unwrap();
    let heavy = accelerations(&system, &start);
    fresh.set_body_mass("lower", 9.0).unwrap();
    assert_eq!(heavy, accelerations(&fresh.clone(), &start));
    assert_ne!(heavy, light);
}

/// Holds a coordinate at an angle by a force within bounds.
#[derive(Debug, Clone)]
struct Clutch<T> {
    coordinate: usize,
    angle: T,
    limit: T,
}

impl<T: Scalar> ConstraintForceLaw<T> for Clutch<T> {
    constants! { ConstraintForceLaw for Clutch, named "clutch" {
        coordinate;
        angle: any("rad");
        limit: not_negative("N m");
    } }

    fn num_rows(&self) -> usize {
        1
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let phi = motion.end.q()[self.coordinate] - self.angle;
        rows[0] = ForceLawRow::between(phi, -self.limit, self.limit);
        Ok(())
    }
}

/// Where a machine rests from positions with a parameter set to a value.
fn rests<T: dualbody::DefaultScalar>(
    system: &RigidBodySystem<f64>,
    guess: &State<f64>,
    (name, value): (&str, T),
) -> Result<State<T>, SystemError> {
    let mut system = system.cast::<T>();
    system.set_parameter(name, value)?;
    let input = vec![T::zero(); system.num_inputs()];
    system.equilibrium(&guess.cast(), &input, 1e-11)
}

fn with_rigid_contact(system: &RigidBodySystem<f64>) -> RigidBodySystem<f64> {
    let mut options = *system.options();
    options.rigid_contact = true;
    system.clone().with_options(options).unwrap()
}

/// A machine rests where its steps stay, with the derivatives of differences, compliant and rigid: on a rod, on a rope that
/// is taut or slack, in a clutch that holds or slips, and one that presses the ball on the ground, all it can.
#[test]
fn equilibria_know_laws() {
    let hanging = pendulum(-2.0, [0.5, 0.5]);
    let guess = state(&hanging, [-0.5, 0.8], [0.0, 0.0]);
    let clutch = |angle: f64, limit: f64| Clutch {
        coordinate: 0,
        angle,
        limit,
    };
    let with = |law: Tether<f64>| hanging.clone().with_force_laws([law]).unwrap();
    let held = |law: Clutch<f64>| hanging.clone().with_force_laws([law]).unwrap();
    let pressing = (pendulum(0.05, [0.5, 0.5]).with_force_laws([clutch(0.9, 4.0)])).unwrap();
    // The weight of both links has a torque of 9.81 (0.25 + 0.5) s₁ + 9.81 0.25 s₂ about the shoulder.
    for (system, holds, names) in [
        (
            with(tether(0.8, false)),
            true,
            &["tether/length", "tether/anchor/x", "tether/point/z"][..],
        ),
        (
            with(tether(0.8, true)),
            true,
            &["tether/length", "body/lower/mass"],
        ),
        (with(tether(1.9, true)), false, &["tether/length"]),
        (
            held(clutch(-0.3, 50.0)),
            true,
            &["clutch/angle", "clutch/limit"],
        ),
        (
            held(clutch(-0.3, 1.5)),
            false,
            &["clutch/angle", "clutch/limit", "gravity/z"],
        ),
    ]
    .into_iter()
    .flat_map(|(system, holds, names)| {
        [
            (with_rigid_contact(&system), holds, names),
            (system, holds, names),
        ]
    })
    .chain([(
        with_rigid_contact(&pressing),
        true,
        &["clutch/limit", "body/lower/mass"][..],
    )]) {
        let rest = system.equilibrium(&guess, &[0.0, 0.0], 1e-11).unwrap();
        let scheme = match system.options().rigid_contact {
            true => Scheme::Rigid,
            false => Scheme::Compliant,
        };
        let stepper = stepper(system.clone(), 1e-2, scheme);
        let mut workspace = stepper.workspace().unwrap();
        let mut step = stepper.step(&mut workspace, &rest, &[0.0, 0.0]).unwrap();
        assert!(step.state().v.amax() < 1e-9, "{}", step.state().v);
        assert_eq!(
            step.law_forces().unwrap()[0].abs() > 1e-3,
            holds || names.len() == 3
        );
        for name in names {
            let value = system.parameter(name).unwrap();
            let dual = num_dual::Dual64::from(value).derivative();
            let exact = rests(&system, &guess, (name, dual)).unwrap();
            let h = 1e-5;
            let [before, after] =
                [-h, h].map(|h| rests(&system, &guess, (name, value + h)).unwrap());
            for i in 0..2 {
                assert_eq!(exact.q[i].re, rest.q[i]);
                let difference = (after.q[i] - before.q[i]) / (2.0 * h);
                let error = exact.q[i].eps - difference;
                assert!(error.abs() < 1e-7, "{name}: {} {difference}", exact.q[i]);
            }
        }
    }
    // Slipping, the clutch gives all it has.
    let slipping = held(clutch(-0.3, 1.5));
    let rest = slipping.equilibrium(&guess, &[0.0, 0.0], 1e-11).unwrap();
    assert!(
        (9.81 * 0.75 * rest.q[0].sin() + 1.5).abs() < 1e-9,
        "{rest:?}"
    );
}

/// What is wrong when a law is added, and why a machine with one does not rest, is said by the name of the law.
#[test]
fn errors_name_the_law() {
    let system = pendulum(-2.0, [0.5, 0.5]);
    let refused = |law: Tether<f64>| {
        let with = system.clone().with_force_laws([law]);
        with.unwrap_err().to_string()
    };
    assert_eq!(
        refused(tether(f64::NAN, true)),
        "force law \"tether\": length = NaN, expected a positive number"
    );
    let mut elsewhere = tether(1.0, true);
    elsewhere.body = BodyIndex::new(9);
    assert_eq!(
        refused(elsewhere),
        "force law \"tether\": there is no body 9, the tree has 3"
    );
    let mut far = tether(0.2, false);
    far.anchor.x = 3.0;
    let system = system.with_force_laws([far]).unwrap();
    for system in [with_rigid_contact(&system), system] {
        let guess = state(&system, [-0.5, 0.8], [0.0, 0.0]);
        let error = system.equilibrium(&guess, &[0.0, 0.0], 1e-11).unwrap_err();
        let SystemError::NoEquilibrium { quantity, left, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(quantity, "row 0 of the force law \"tether\"");
        assert!(*left > 1.0, "{error}");
    }
}

/// Rollouts keep the forces of laws where that is asked for, in all schemes, with derivatives.
#[test]
fn rollouts_keep_forces() {
    for scheme in SCHEMES {
        let (stepper, start) = scene(scheme, false, 0.02);
        let kept = Kept {
            law_forces: true,
            ..Kept::default()
        };
        let force = |angle: num_dual::Dual64| {
            let mut start = start.cast::<num_dual::Dual64>();
            start.q[0] += angle;
            let rollout = stepper.cast().rollout_keeping(&start, 3, kept).unwrap();
            assert_eq!(rollout.law_forces.len(), 3);
            rollout.law_forces[2][0]
        };
        let slope = force(num_dual::Dual64::from(0.0).derivative()).eps;
        let [ahead, behind] = [1e-5, -1e-5].map(|h| force(h.into()).re);
        let difference = (ahead - behind) / 2e-5;
        assert!(
            (slope - difference).abs() < 1e-6 * (1.0 + slope.abs()),
            "{scheme:?}: {slope} {difference}"
        );
        assert!(stepper.rollout(&start, 3).unwrap().law_forces.is_empty());
    }
}

/// Dry friction holds at more than one place.
#[test]
fn what_laws_leave_open_at_rest_is_said() {
    let brake = Brake {
        coordinate: 0,
        limit: 3.0,
    };
    let system = (pendulum(-2.0, [0.5, 0.5]).with_force_laws([brake])).unwrap();
    let guess = state(&system, [0.2, -0.2], [0.0, 0.0]);
    let rest = system.equilibrium(&guess, &[0.0, 0.0], 1e-10).unwrap();
    assert!((rest.q[0] + rest.q[1]).abs() < 1e-9 && rest.q[0].abs() > 1e-3);
    let value = num_dual::Dual64::from(1.0).derivative();
    let result = rests(&system, &guess, ("body/lower/mass", value));
    assert!(matches!(result, Err(SystemError::IndifferentEquilibrium)));

    let rigid = with_rigid_contact(&system);
    let rest = rigid.equilibrium(&guess, &[0.0, 0.0], 1e-10).unwrap();
    assert!((rest.q[0] + rest.q[1]).abs() < 1e-9);
    let torque = 9.81 * (0.75 * rest.q[0].sin() + 0.25 * (rest.q[0] + rest.q[1]).sin());
    assert!(torque.abs() <= 3.0);
    let result = rests(&rigid, &guess, ("body/lower/mass", value));
    assert!(matches!(result, Err(SystemError::IndifferentEquilibrium)));
    let rope = pendulum(-2.0, [0.5, 0.5])
        .with_force_laws([tether(0.8, true)])
        .unwrap();
    let compliant = rope.equilibrium(&guess, &[0.0, 0.0], 1e-11).unwrap();
    let rigid = with_rigid_contact(&rope);
    let found = rigid.equilibrium(&guess, &[0.0, 0.0], 1e-11).unwrap();
    assert!((found.q - compliant.q).amax() < 1e-7);
}

/// No velocity across a skate, by a force across it, which the row alone tells.
#[derive(Debug, Clone)]
struct Skate;

impl<T: Scalar> ConstraintForceLaw<T> for Skate {
    constants! { ConstraintForceLaw for Skate as Skate, named "skate" {} }

    fn num_rows(&self) -> usize {
        1
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let (q, v) = (motion.end.q(), motion.end.v());
        rows[0] = ForceLawRow::equation(q[2].cos() * v[1] - q[2].sin() * v[0]);
        Ok(())
    }

    fn at_instant(
        &self,
        motion: &InstantMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let (q, v, a) = (motion.state().q(), motion.state().v(), motion.vdot());
        let (sin, cos) = q[2].sin_cos();
        let turning = v[2] * (cos * v[0] + sin * v[1]);
        rows[0] = ForceLawRow::equation(cos * a[1] - sin * a[0] - turning);
        Ok(())
    }
}

/// It glides on a circle: the force has no torque, at whatever heading, also where the row happens not to depend on one of
/// the velocities.
#[test]
fn forces_of_rows_of_velocities_act_along_velocities_alone() {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(1.0, Vector3::repeat(0.1));
    let body = tree.add_body("skate", inertia).unwrap();
    let kind = JointKind::Planar {
        x_axis: Vector3::x(),
        y_axis: Vector3::y(),
    };
    let here = RigidTransform::identity();
    (tree.add_joint("plane", kind, BodyIndex::WORLD, here, body)).unwrap();
    tree.set_gravity(Vector3::zeros()).unwrap();
    let system = RigidBodySystem::new(tree.finish().unwrap(), ContactModel::none())
        .unwrap()
        .with_force_laws([Skate])
        .unwrap();
    for scheme in SCHEMES {
        let machine = stepper(system.clone(), 1e-3, scheme);
        let mut start = machine.initial_state();
        (start.v[0], start.v[2]) = (2.0, 1.0);
        let last = machine.rollout(&start, 1000).unwrap().last().clone();
        assert!((last.v[2] - 1.0).abs() < 1e-9, "{scheme:?}: {}", last.v);
        let speed = last.v[0].hypot(last.v[1]);
        assert!((speed - 2.0).abs() < 5e-3, "{scheme:?}: {speed}");
        for heading in [0.0, 0.4] {
            let mut state = start.clone();
            state.q[2] = heading;
            (state.v[0], state.v[1]) = (2.0 * heading.cos(), 2.0 * heading.sin());
            assert_step_jacobian_agrees(&machine, (&state, &[]), &["skate/mass"], 1e-5);
        }
    }
}
