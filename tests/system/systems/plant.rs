//! Actuators and sensors on time-stepping systems: closed forms, names, derivatives, checkpoints.

use crate::support::scenes::geometry;
use dualbody::actuator::{
    Actuator, AnyActuator, FirstOrderLag, GeneralizedForce, PdServo, Propeller, Saturation,
    SpatialForceSource, SpringDamper, TorqueSource,
};
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{BodyPoint, DirectContact};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{AnySensor, Encoder, FullState, Imu, ImuNoise, Sensor};
use dualbody::system::{
    Adjoint, RigidBodySystem, RolloutObjective, State, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, InvalidInput, Parameters, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::Dual64;

const DT: f64 = 0.01;
const INERTIA: f64 = 0.5;

/// A wheel of inertia 0.5 kg m² about the vertical, and a free ball of 2 kg with the frame `top` 0.1 m
/// above its centre; `peg` is a frame on the world.
fn tree() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(1.0, Vector3::repeat(INERTIA));
    let wheel = builder.add_body("wheel", inertia).unwrap();
    let (kind, at) = (
        JointKind::Continuous { axis: Vector3::z() },
        RigidTransform::identity(),
    );
    builder
        .add_joint("axle", kind, BodyIndex::WORLD, at, wheel)
        .unwrap();
    let inertia = SpatialInertia::principal(2.0, Vector3::repeat(0.3));
    let ball = builder.add_body("ball", inertia).unwrap();
    let top = RigidTransform::from_translation(Vector3::new(0.0, 0.0, 0.1));
    builder.add_frame("top", ball, top).unwrap();
    builder
        .add_frame("center", ball, RigidTransform::identity())
        .unwrap();
    let peg = RigidTransform::from_translation(Vector3::new(1.0, 0.0, 0.0));
    builder.add_frame("peg", BodyIndex::WORLD, peg).unwrap();
    builder.set_gravity(Vector3::zeros()).unwrap();
    builder.finish().unwrap()
}

fn system(tree: RigidBodyTree<f64>) -> TimeSteppingRigidBodySystem<f64> {
    TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), DT).unwrap()
}

/// The state after one step with an actuator; x starts as q[0], v[0], then the ball.
fn step(actuator: impl Actuator<f64> + Clone, start: &State<f64>, input: &[f64]) -> State<f64> {
    let system = system(tree()).with_actuators([actuator]).unwrap();
    let mut workspace = system.workspace().unwrap();
    let step = system.step(&mut workspace, start, input).unwrap();
    step.state().clone()
}

fn rest() -> State<f64> {
    system(tree()).neutral_state()
}

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} and {b}");
}

#[test]
fn torque_sources_have_gears_and_limits() {
    let tree = tree();
    let axle = tree.joint_by_name("axle").unwrap();
    let motor = TorqueSource::new("motor", &tree, axle, 5.0, Some(2.0)).unwrap();
    for (u, torque) in [(0.7, 3.5), (3.0, 10.0), (-3.0, -10.0)] {
        close(
            step(motor.clone(), &rest(), &[u]).v[0],
            torque / INERTIA * DT,
        );
    }
    close(
        step(GeneralizedForce::new("push", 0), &rest(), &[3.0]).v[0],
        3.0 / INERTIA * DT,
    );
    let ball = tree.joint_by_name("ball").unwrap();
    assert!(TorqueSource::new("motor", &tree, ball, 1.0, None).is_err());
    assert!(TorqueSource::new("motor", &tree, axle, 1.0, Some(-1.0)).is_err());
    let nowhere = GeneralizedForce::new("push", 7);
    assert!(system(tree).with_actuators([nowhere]).is_err());
}

/// Backward Euler for the joint, however large the gains.
#[test]
fn servos_are_implicit() {
    let tree = tree();
    let axle = tree.joint_by_name("axle").unwrap();
    let mut start = rest();
    (start.q[0], start.v[0]) = (0.4, -0.3);
    for [kp, kd] in [[10.0, 1.0], [1e9, 1e5]] {
        let servo = PdServo::new("servo", &tree, axle, [kp, kd], None).unwrap();
        let after = step(servo, &start, &[1.0, 0.2]);
        let h = DT / INERTIA;
        let expected = (-0.3 + h * (kp * 0.6 + kd * 0.2)) / (1.0 + h * (kd + DT * kp));
        close(after.v[0], expected);
        close(after.q[0], 0.4 + DT * expected);
    }
    let servo = PdServo::new("servo", &tree, axle, [1e9, 0.0], Some([-0.2, 0.5])).unwrap();
    for (target, force) in [(5.0, 0.5), (-5.0, -0.2)] {
        let after = step(servo.clone(), &start, &[target, 0.0]);
        close(after.v[0], -0.3 + force * DT / INERTIA);
    }
    // A servo that pulls with one force has no gain.
    let limits = |limits| PdServo::new("servo", &tree, axle, [1e9, 0.0], Some(limits));
    let after = step(limits([0.1, 0.1]).unwrap(), &start, &[0.4, 0.0]);
    close(after.v[0], -0.3 + 0.1 * DT / INERTIA);
    let error = limits([0.5, -0.2]).unwrap_err().to_string();
    assert!(error.contains("not below the lower"), "{error}");
}

#[test]
fn forces_act_on_frames() {
    let tree = tree();
    let [top, center, peg] = ["top", "center", "peg"].map(|f| tree.frame_by_name(f).unwrap());
    // A force along x, 0.1 m above the centre: 2 kg and 0.3 kg m².
    let source = SpatialForceSource::new("jet", top);
    let after = step(source, &rest(), &[0.0, 0.0, 0.6, 4.0, 0.0, 0.0]);
    close(after.v[4], 4.0 / 2.0 * DT);
    close(after.v[2], 0.1 * 4.0 / 0.3 * DT);
    close(after.v[3], 0.6 / 0.3 * DT);
    // Thrust and reaction.
    let propeller = Propeller::new("rotor", &tree, top, 2e-3, 1e-4).unwrap();
    let after = step(propeller.clone(), &rest(), &[50.0]);
    close(after.v[6], 2e-3 * 2500.0 / 2.0 * DT);
    close(after.v[3], -1e-4 * 2500.0 / 0.3 * DT);
    close(
        step(propeller, &rest(), &[-50.0]).v[6],
        -2e-3 * 2500.0 / 2.0 * DT,
    );
    // The ball is 1 m from the peg and approaches; damping is implicit.
    let spring = SpringDamper::new("spring", &tree, [center, peg], [30.0, 1e4, 0.8]).unwrap();
    let mut start = rest();
    start.v[4] = 0.5;
    let after = step(spring.clone(), &start, &[0.05]);
    close(
        after.v[4],
        (0.5 + DT / 2.0 * 30.0 * 0.15) / (1.0 + DT / 2.0 * 1e4),
    );
    // At the peg the line has no direction.
    start.q[5] = 1.0;
    close(step(spring, &start, &[0.0]).v[4], 0.5);
}

#[test]
fn force_elements_need_no_inputs() {
    let contact = DirectContact {
        name: "foot".to_owned(),
        point: BodyPoint::origin(tree().body_by_name("ball").unwrap()),
        plane: BodyIndex::WORLD.into(),
        stiffness: 1e4,
        damping: 50.0,
        friction: 0.5,
    };
    let system = system(tree());
    let system = system.with_forces([contact]).unwrap();
    let mut workspace = system.workspace().unwrap();
    let mut step = |start: &State<f64>| {
        let step = system.step(&mut workspace, start, &[]).unwrap();
        step.state().clone()
    };
    let mut start = rest();
    start.q[7] = -0.001; // φ = −1 mm: 10 N
    for (speed, expected) in [
        (3.0, 3.0 - 0.5 * DT / 2.0 * (10.0 - 50.0 * 0.04)),
        (0.0001, 0.0001 / (1.0 + 50.0 * DT / 2.0)),
    ] {
        start.v[4] = speed;
        let after = step(&start);
        // Normal: v⁺ = δt/m (k·1 mm − b v⁺).
        let normal = (DT / 2.0 * 10.0) / (1.0 + DT / 2.0 * 50.0);
        close(after.v[6], normal);
        let force = 10.0 - 50.0 * normal;
        let sliding = 3.0 - 0.5 * DT / 2.0 * force;
        close(after.v[4], if speed > 1.0 { sliding } else { expected });
    }
    start.q[7] = 0.001;
    close(step(&start).v[6], 0.0);
}

#[test]
fn lags_follow_exactly() {
    let force = GeneralizedForce::new("push", 0);
    let lag = FirstOrderLag::new("motor", 0.05, force).unwrap();
    let machine = system(tree()).with_actuators([lag]).unwrap();
    let mut machine = machine.cast::<Dual64>();
    let time = Dual64::from(0.05).derivative();
    machine.set_parameter("motor/time_constant", time).unwrap();
    assert_eq!(machine.input_names(), ["push/force"]);
    let mut workspace = machine.workspace().unwrap();
    let mut state = machine.initial_state();
    for _ in 0..10 {
        let step = machine.step(&mut workspace, &state, &[Dual64::from(3.0)]);
        state = step.unwrap().state().clone();
    }
    let y = state.actuators[0];
    // y = u (1 − e^{−t/T}), ∂y/∂T = −u t/T² e^{−t/T}.
    close(y.re, 3.0 * (1.0 - (-2.0f64).exp()));
    close(y.eps, -3.0 * 0.1 / 0.0025 * (-2.0f64).exp());
    // The force of a step is that of the state at its start.
    let impulse: f64 = (0..10)
        .map(|k| 3.0 * (1.0 - (-0.2 * k as f64).exp()) * DT)
        .sum();
    close(state.v[0].re, impulse / INERTIA);
    assert!(FirstOrderLag::new("motor", 0.0, GeneralizedForce::new("push", 0)).is_err());
}

#[test]
fn inputs_are_held_within_their_ranges() {
    let force = GeneralizedForce::new("push", 0);
    let range = Saturation::new("range", &[[-1.0, 2.0]], force).unwrap();
    let machine = system(tree()).with_actuators([range]).unwrap();
    for (input, held, slopes) in [
        (-1.5, -1.0, [0.0, 0.0]),
        (-1.0, -1.0, [1.0, 0.0]),
        (0.5, 0.5, [1.0, 0.0]),
        (2.0, 2.0, [1.0, 0.0]),
        (2.5, 2.0, [0.0, 1.0]),
    ] {
        // With respect to the input, and to its upper bound.
        for (seeds, slope) in [[1.0, 0.0], [0.0, 1.0]].into_iter().zip(slopes) {
            let mut machine = machine.cast::<Dual64>();
            let [input, upper] = [Dual64::new(input, seeds[0]), Dual64::new(2.0, seeds[1])];
            machine.set_parameter("range/upper/0", upper).unwrap();
            let mut workspace = machine.workspace().unwrap();
            let start = machine.initial_state();
            let step = machine.step(&mut workspace, &start, &[input]).unwrap();
            let v = step.state().v[0];
            close(v.re, held * DT / INERTIA);
            close(v.eps, slope * DT / INERTIA);
        }
    }
    // Ranges of one number have no kinks.
    let kinks = |range: [f64; 2]| {
        let saturation = Saturation::new("range", &[range], GeneralizedForce::new("push", 0));
        let machine = system(tree())
            .with_actuators([saturation.unwrap()])
            .unwrap();
        let mut workspace = machine.workspace().unwrap();
        let mut step = machine
            .step(&mut workspace, &machine.initial_state(), &[0.5])
            .unwrap();
        let mut found = Vec::new();
        step.visit_element_kinks(&mut |k| found.push((k.change, k.distance, k.unit)))
            .unwrap();
        found
    };
    let unit = "N m or N";
    assert_eq!(
        kinks([-1.0, 2.0]),
        [("lower bound", 1.5, unit), ("upper bound", 1.5, unit)]
    );
    assert_eq!(kinks([0.5, 0.5]), []);
    // What is not a range.
    let force = || GeneralizedForce::new("push", 0);
    let error = |ranges: &[[f64; 2]]| Saturation::new("range", ranges, force()).unwrap_err();
    for ranges in [
        &[][..],
        &[[0.0, 1.0], [0.0, 1.0]],
        &[[1.0, 0.0]],
        &[[f64::NAN, 0.0]],
        &[[f64::INFINITY, f64::INFINITY]],
    ] {
        assert!(error(ranges).to_string().contains("range"));
    }
}

fn machine() -> TimeSteppingRigidBodySystem<f64> {
    let tree = tree();
    let axle = tree.joint_by_name("axle").unwrap();
    let [top, peg] = ["top", "peg"].map(|f| tree.frame_by_name(f).unwrap());
    let motor = TorqueSource::new("motor", &tree, axle, 3.0, None).unwrap();
    let actuators = [
        AnyActuator::new(PdServo::new("servo", &tree, axle, [40.0, 2.0], None).unwrap()),
        AnyActuator::new(FirstOrderLag::new("lag", 0.03, motor).unwrap()),
        AnyActuator::new(SpatialForceSource::new("jet", top)),
        AnyActuator::new(SpringDamper::new("spring", &tree, [top, peg], [20.0, 1.0, 0.5]).unwrap()),
    ];
    let at = RigidTransform::from_translation(Vector3::new(0.02, 0.0, 0.05));
    let noise = ImuNoise {
        specific_force: 0.1,
        angular_rate_walk: 0.01,
        ..ImuNoise::default()
    };
    let imu = Imu::new("imu", &tree, tree.body_by_name("ball").unwrap(), &at)
        .unwrap()
        .with_noise(noise)
        .unwrap();
    let sensors = [
        AnySensor::new(FullState::new(&tree)),
        AnySensor::new(imu),
        AnySensor::new(Encoder::new("encoder", &tree, axle, 0.001).unwrap()),
    ];
    let machine = system(tree).with_actuators(actuators).unwrap();
    machine.with_sensors(sensors).unwrap()
}

/// Next state and output (without what is quantised) from state, input and parameters.
struct OneStep(TimeSteppingRigidBodySystem<f64>);

const PARAMETERS: [&str; 7] = [
    "servo/proportional_gain",
    "motor/gear_ratio",
    "lag/time_constant",
    "spring/damping",
    "time_step",
    "imu/origin/x",
    "body/ball/mass",
];

impl VectorFunction for OneStep {
    type Error = InvalidInput;
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let mut machine = self.0.cast::<T>();
        for (name, &value) in PARAMETERS.iter().zip(&x[32..]) {
            machine.set_parameter(name, value).unwrap();
        }
        let mut state = machine.initial_state();
        state.q.copy_from_slice(&x[..8]);
        state.v.copy_from_slice(&x[8..15]);
        state.actuators.copy_from_slice(&x[15..16]);
        state.sensors.copy_from_slice(&x[16..22]);
        let mut workspace = machine.workspace().unwrap();
        let step = machine.step(&mut workspace, &state, &x[22..32]).unwrap();
        let (next, y) = (step.state(), step.output());
        let tree = next.q.iter().chain(&next.v);
        let own = next.actuators.iter().chain(&next.sensors);
        let smooth = y.iter().take(21);
        Ok(DVector::from_vec(
            tree.chain(own).chain(smooth).copied().collect(),
        ))
    }
}

#[test]
fn machines_are_differentiable() {
    let machine = machine();
    assert_eq!((machine.num_inputs(), machine.num_outputs()), (10, 24));
    assert_eq!(machine.input_index("motor/torque").unwrap(), 2);
    assert_eq!(machine.output_index("encoder/position").unwrap(), 21);
    let unknown = |name: &str| machine.input_index(name).unwrap_err().to_string();
    assert_eq!(unknown("wind"), "there is no signal \"wind\"");
    assert!(unknown("motor/torqe").ends_with("is it \"motor/torque\"?"));
    let mut x = vec![0.3, 0.8, 0.0, 0.6, 0.0, 0.1, 0.2, 0.3];
    x.extend((0..24).map(|i| 0.3 * (1.7 * i as f64).sin()));
    x.extend(PARAMETERS.map(|p| machine.parameter(p).unwrap()));
    let checker = JacobianChecker::default()
        .scales(vec![1e-2; x.len()])
        .tolerance(1e-5, 1e-7);
    check_jacobian(&checker, &OneStep(machine), &x)
        .unwrap()
        .assert_agrees();
}

/// Where the wheel is at the end.
struct Angle(usize);

impl RolloutObjective for Angle {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
        if step == self.0 {
            state.q[0]
        } else {
            T::zero()
        }
    }
}

#[test]
fn the_adjoint_knows_of_actuators() {
    let machine = machine();
    let start = machine.initial_state();
    let mut input = [0.0; 10];
    input[0] = 0.7;
    let mut adjoint = Adjoint::new(&machine, &["servo/proportional_gain"]).unwrap();
    let inputs = DMatrix::from_fn(10, 30, |i, _| input[i]);
    let gradient = adjoint.gradient(&Angle(30), &start, &inputs).unwrap();
    let mut dual = machine.cast::<Dual64>();
    let gain = Dual64::from(40.0).derivative();
    dual.set_parameter("servo/proportional_gain", gain).unwrap();
    let mut state = dual.initial_state();
    let mut workspace = dual.workspace().unwrap();
    let input: Vec<Dual64> = input.iter().map(|x| Dual64::from(*x)).collect();
    for _ in 0..30 {
        let step = dual.step(&mut workspace, &state, &input).unwrap();
        state = step.state().clone();
    }
    close(state.q[0].re, gradient.value);
    close(state.q[0].eps, gradient.parameters[0]);
    assert!(gradient.parameters[0].abs() > 1e-4);
}

#[test]
fn a_run_resumes_with_the_same_bits() {
    let machine = machine();
    let mut workspace = machine.workspace().unwrap();
    // A generator whose state is a number, which the caller keeps with the checkpoint.
    let noise = |seed: &mut u64| {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut go = |mut state: State<f64>, seed: &mut u64, steps: std::ops::Range<usize>| {
        let mut outputs = Vec::new();
        for k in steps {
            let input: Vec<f64> = (0..10).map(|i| (0.1 * (i * k) as f64).sin()).collect();
            let step = machine
                .step_with_noise(&mut workspace, &state, &input, &mut || noise(seed))
                .unwrap();
            outputs.push(step.output().clone());
            state = step.state().clone();
        }
        (state, outputs)
    };
    let mut seed = 7;
    let start = self::machine().initial_state();
    let (whole, outputs) = go(start.clone(), &mut seed, 0..50);
    let mut seed = 7;
    let (half, _) = go(start.clone(), &mut seed, 0..20);
    let mut file = Vec::new();
    half.write(&mut file).unwrap();
    let mut resumed = start.clone();
    resumed.read(&mut file.as_slice()).unwrap();
    assert_eq!(resumed, half);
    let (end, rest) = go(resumed, &mut seed, 20..50);
    assert_eq!((end, rest.as_slice()), (whole, &outputs[20..]));
    // A state of another size, or half of one, is refused and changes nothing.
    let mut other = self::rest();
    let before = other.clone();
    assert!(other.read(&mut file.as_slice()).is_err());
    assert!(other.read(&mut &file[..30]).is_err());
    assert_eq!(other, before);
}

#[test]
fn elements_of_another_tree_are_refused() {
    let tree = tree();
    let axle = tree.joint_by_name("axle").unwrap();
    let motor = TorqueSource::new("motor", &tree, axle, 3.0, None).unwrap();
    let encoder = Encoder::new("encoder", &tree, axle, 0.001).unwrap();
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
    for name in ["other", "wheel"] {
        let body = builder.add_body(name, inertia).unwrap();
        let (kind, at) = match name {
            "wheel" => (JointKind::Continuous { axis: Vector3::y() }, "axle"),
            _ => (JointKind::Floating, "other"),
        };
        let pose = RigidTransform::identity();
        builder
            .add_joint(at, kind, BodyIndex::WORLD, pose, body)
            .unwrap();
    }
    let other = builder.finish().unwrap();
    assert!(Sensor::validate(&encoder, &tree).is_ok());
    assert!(Actuator::validate(&motor, &tree).is_ok());
    assert!(Sensor::validate(&encoder, &other).is_err());
    assert!(Actuator::validate(&motor, &other).is_err());
    let squeezed = RigidTransform::from_rotation(nalgebra::Matrix3::identity() * 0.9);
    assert!(Imu::new("imu", &tree, BodyIndex::new(1), &squeezed).is_err());
}

/// With more, fewer and as many bodies and joints.
#[test]
fn contact_models_of_another_tree_are_refused() {
    let chain = |parents: &[usize]| {
        let mut builder = RigidBodyTreeBuilder::new();
        let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
        for (n, &parent) in parents.iter().enumerate() {
            let body = builder.add_body(format!("body {n}"), inertia).unwrap();
            let (kind, parent) = match parent {
                0 => (JointKind::Floating, BodyIndex::WORLD),
                _ => (
                    JointKind::Revolute { axis: Vector3::y() },
                    BodyIndex::new(parent),
                ),
            };
            let pose = RigidTransform::identity();
            (builder.add_joint(format!("joint {n}"), kind, parent, pose, body)).unwrap();
        }
        builder.finish().unwrap()
    };
    let model = |tree: &RigidBodyTree<f64>| {
        let mut builder = ContactModelBuilder::new();
        let material = ContactMaterial::new(1e5, 0.5, 0.5).unwrap();
        let ball = Shape::new_sphere(0.1).unwrap();
        for (name, body, shape) in [
            ("ball", BodyIndex::new(1), ball),
            ("ground", BodyIndex::WORLD, Shape::HalfSpace),
        ] {
            let geometry = geometry(name, body, shape, material);
            builder.add_geometry(geometry).unwrap();
        }
        builder.finish(tree).unwrap()
    };
    let trees = [&[0usize, 1][..], &[0, 0], &[0], &[0, 1, 1], &[0, 1, 2]].map(chain);
    for (i, own) in trees.iter().enumerate() {
        for (j, other) in trees.iter().enumerate() {
            let system = RigidBodySystem::new(other.clone(), model(own));
            match system {
                Ok(_) => assert_eq!(i, j),
                Err(error) => {
                    assert_ne!(i, j);
                    assert!(error.to_string().contains("another tree"), "{error}");
                }
            }
        }
    }
}

#[test]
fn wrong_sizes_are_errors() {
    let machine = machine();
    let mut workspace = machine.workspace().unwrap();
    let state = machine.initial_state();
    let mut go =
        |state: &State<f64>, input: &[f64]| machine.step(&mut workspace, state, input).is_err();
    assert!(!go(&state, &[0.0; 10]));
    assert!(go(&state, &[0.0; 9]));
    assert!(go(&state, &[f64::NAN; 10]));
    let mut short = state.clone();
    short.sensors = DVector::zeros(5);
    assert!(go(&short, &[0.0; 10]));
    short = state.clone();
    short.actuators = DVector::zeros(0);
    assert!(go(&short, &[0.0; 10]));
    short = state.clone();
    short.q = DVector::zeros(3);
    assert!(go(&short, &[0.0; 10]));
}
