//! Every element that the crate has, on one mechanism: a link without mass on a rail, an arm that turns on it, and a
//! free ball.

use crate::support::scenes::geometry;
use dualbody::actuator::*;
use dualbody::constraint::*;
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::force::bushing::{BushingConstants, BushingOrientation};
use dualbody::force::*;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialForce, SpatialInertia};
use dualbody::sensor::*;
use dualbody::system::{RigidBodySystem, State, SystemOptions};
use dualbody::tree::{BodyIndex, FrameIndex, JointIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{Parameters, Scalar};
use nalgebra::Vector3;
use std::f64::consts::FRAC_PI_2;

pub type Machine<T = f64> = RigidBodySystem<T>;

/// What an element is, in words, and the mechanism with it.
pub type Element<T = f64> = (&'static str, Machine<T>);

pub const LINK: BodyIndex = BodyIndex::new(1);
pub const ARM: BodyIndex = BodyIndex::new(2);
pub const BALL: BodyIndex = BodyIndex::new(3);
pub const RAIL: JointIndex = JointIndex::new(0);
pub const HINGE: JointIndex = JointIndex::new(1);
pub const FLIGHT: JointIndex = JointIndex::new(2);
/// In m.
pub const REACH: f64 = 0.5;
pub const RADIUS: f64 = 0.125;
pub const GROUND: f64 = -1.0;
/// Of the rail, in m, and of the hinge, in rad.
pub const RAIL_LIMITS: [f64; 2] = [-0.25, 0.5];
pub const HINGE_LIMITS: [f64; 2] = [-1.0, FRAC_PI_2];

/// The mechanism with a generalized force on each velocity coordinate, and the frames at the tip of the arm and in the
/// ball.
pub fn mechanism<T: Scalar>() -> (Machine<T>, [FrameIndex; 2]) {
    let (machine, frames) = without_inputs();
    (machine.with_generalized_forces().unwrap(), frames)
}

/// As [`mechanism`], without inputs.
pub fn without_inputs<T: Scalar>() -> (Machine<T>, [FrameIndex; 2]) {
    of_material(ContactMaterial::new(200.0, 1.0, 0.5).unwrap())
}

/// As [`without_inputs`], with the material of ball and ground.
fn of_material<T: Scalar>(material: ContactMaterial<f64>) -> (Machine<T>, [FrameIndex; 2]) {
    let mut tree = RigidBodyTreeBuilder::new();
    let at = RigidTransform::identity();
    let link = tree.add_body("link", SpatialInertia::zero()).unwrap();
    let arm = SpatialInertia::solid_box(1.0, &Vector3::new(0.4, 0.1, 0.2));
    let arm = tree.add_body("arm", arm).unwrap();
    let sphere = SpatialInertia::solid_sphere(0.5, 0.2);
    let ball = tree.add_body("ball", sphere).unwrap();
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let rail = tree
        .add_joint("rail", rail, BodyIndex::WORLD, at, link)
        .unwrap();
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    let hinge = tree.add_joint("hinge", hinge, link, at, arm).unwrap();
    tree.set_friction(rail, &[0.5]).unwrap();
    tree.set_friction(hinge, &[0.2]).unwrap();
    let end = RigidTransform::from_translation(Vector3::new(REACH, 0.0, 0.0));
    let frames = [("tip", arm, end), ("hub", ball, at)];
    let frames = frames.map(|(name, body, pose)| tree.add_frame(name, body, pose).unwrap());
    let tree = tree.finish().unwrap();
    let ground = RigidTransform::from_translation(Vector3::new(0.0, 0.0, GROUND));
    let mut contact = ContactModelBuilder::new();
    let mut half_space = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, material);
    half_space.pose_in_body = ground;
    let sphere = Shape::new_sphere(RADIUS).unwrap();
    let sphere = geometry("sphere", ball, sphere, material);
    contact.add_geometry(half_space).unwrap();
    contact.add_geometry(sphere).unwrap();
    let contact = contact.finish(&tree).unwrap();
    let mut options = SystemOptions::default();
    options.contact_solver.stiction_tolerance = 0.05;
    let system = RigidBodySystem::new(tree.cast(), contact.cast()).unwrap();
    (system.with_options(options).unwrap(), frames)
}

/// Of the arm, in the plane z = 0 of the world, and of the ball, which can lie on that of the arm.
fn points_that_touch<T: Scalar>() -> [BodyPoint<T>; 2] {
    let lowest = Vector3::new(0.0, 0.0, -RADIUS);
    [
        BodyPoint::origin(ARM),
        BodyPoint::new(BALL, lowest.map(T::from)),
    ]
}

pub fn forces<T: Scalar>() -> Vec<Element<T>> {
    let (machine, _) = mechanism();
    let tree = machine.tree();
    let number = |x: f64| T::from(x);
    let vector = |x: f64, y: f64, z: f64| Vector3::new(x, y, z).map(T::from);
    let tip = BodyPoint::new(ARM, vector(REACH, 0.0, 0.0));
    let ball = BodyPoint::origin(BALL);
    let stiff = vector(3.0, 2.0, 4.0);
    let [torque_damping, force_stiffness, force_damping] =
        [0.1, 5.0, 0.2].map(|factor| stiff * number(factor));
    let constants =
        BushingConstants::weld(stiff, torque_damping, force_stiffness, force_damping).unwrap();
    let spring = |length| {
        let [stiffness, damping, length, softening] = [20.0, 1.0, length, 0.1].map(T::from);
        let spring = LinearSpringDamper::new(
            "spring",
            tree,
            [tip, ball],
            stiffness,
            damping,
            length,
            softening,
        );
        AnyForce::new(spring.unwrap())
    };
    let bushing = |orientation| {
        AnyForce::new(
            ConservativeBushing::new("bushing", ARM, BALL, orientation, constants).unwrap(),
        )
    };
    let wrench = SpatialForce::new(vector(0.1, 0.2, 0.3), vector(1.0, -2.0, 0.5));
    let applied = |expressed_in| {
        AnyForce::new(AppliedForce::new("push", tree, tip, wrench, expressed_in).unwrap())
    };
    let drag = |point| {
        AnyForce::new(AerodynamicDrag::new("drag", tree, point, number(1.2), number(0.7)).unwrap())
    };
    let off_centre = BodyPoint::new(BALL, vector(0.0, 0.05, 0.1));
    let normal = vector(0.6, 0.0, 0.8);
    let stops = |joint, limits: [f64; 2]| {
        let [stiffness, dissipation] = [50.0, 0.5].map(T::from);
        let limits = limits.map(T::from);
        AnyForce::new(JointStops::new("stop", tree, joint, stiffness, dissipation, limits).unwrap())
    };
    let [stiffness, damping, position] = [5.0, 0.5, 0.0].map(T::from);
    let joint_spring = JointSpring::new("spring", tree, HINGE, stiffness, damping, position);
    let wing = FlatPlateWing::new("wing", tree, ball, normal, number(1.2), number(0.5));
    let [lower, under] = points_that_touch();
    let contact = |point, plane| {
        let [stiffness, damping, friction] = [50.0, 5.0, 0.5].map(T::from);
        let contact =
            DirectContact::new("contact", tree, point, plane, stiffness, damping, friction);
        AnyForce::new(contact.unwrap())
    };
    let all = [
        (
            "quasi-symmetric bushing",
            AnyForce::new(LinearBushingRollPitchYaw::new("bushing", ARM, BALL, constants).unwrap()),
        ),
        (
            "bushing by angles",
            bushing(BushingOrientation::RollPitchYaw),
        ),
        (
            "bushing by rotation vector",
            bushing(BushingOrientation::RotationVector),
        ),
        ("spring", spring(0.2)),
        ("spring without length", spring(0.0)),
        ("joint spring", AnyForce::new(joint_spring.unwrap())),
        ("stops of the rail", stops(RAIL, RAIL_LIMITS)),
        ("stops of the hinge", stops(HINGE, HINGE_LIMITS)),
        (
            "joint friction",
            AnyForce::new(JointFriction::new("friction", tree, number(0.1)).unwrap()),
        ),
        ("weight", applied(ExpressedIn::World)),
        ("thruster", applied(ExpressedIn::Body)),
        (
            "uniform gravity",
            AnyForce::new(UniformGravity::new("field", tree, normal).unwrap()),
        ),
        ("drag", drag(ball)),
        ("drag off the centre", drag(off_centre)),
        ("wing", AnyForce::new(wing.unwrap())),
        (
            "direct contact of the arm",
            contact(lower, BodyIndex::WORLD),
        ),
        ("direct contact of the ball", contact(under, ARM)),
    ];
    let with = |(name, element)| (name, machine.clone().with_forces([element]).unwrap());
    all.into_iter().map(with).collect()
}

pub fn actuators<T: Scalar>() -> Vec<Element<T>> {
    let (machine, frames) = without_inputs();
    let tree = machine.tree();
    let number = |x: f64| T::from(x);
    let [lower, under] = points_that_touch();
    let torque = |limit: Option<f64>| {
        TorqueSource::new("motor", tree, HINGE, number(2.0), limit.map(T::from)).unwrap()
    };
    let servo = |limits: Option<[f64; 2]>| {
        let limits = limits.map(|limits| limits.map(T::from));
        PdServo::new("servo", tree, HINGE, [8.0, 0.5].map(T::from), limits).unwrap()
    };
    let rubber = ContactMaterial::new(50.0, 0.1, 0.5).unwrap().cast();
    let bristle = |point, plane| {
        let (tangential, relaxation) = ([30.0, 0.5].map(T::from), number(0.05));
        BristleContact::new(
            "bristle", tree, point, plane, rubber, tangential, relaxation,
        )
        .and_then(|contact| contact.with_radius(number(0.02)))
        .map(AnyActuator::new)
        .unwrap()
    };
    let spring = |length| {
        let constants = [20.0, 1.0, length].map(T::from);
        AnyActuator::new(SpringDamper::new("tendon", tree, frames, constants).unwrap())
    };
    let propeller = Propeller::new("propeller", tree, frames[1], number(0.1), number(0.02));
    let lag = FirstOrderLag::new("lag", number(0.1), torque(Some(1.0)));
    let bounded = Saturation::new("range", &[[0.0, 2.0].map(T::from)], torque(None));
    let ranges = [[-0.5, 0.5], [f64::NEG_INFINITY, f64::INFINITY]].map(|range| range.map(T::from));
    let of_one_input = Saturation::new("range", &ranges, servo(None));
    let all = [
        (
            "generalized forces",
            AnyActuator::new(GeneralizedForces::of_tree(tree)),
        ),
        (
            "generalized force",
            AnyActuator::new(GeneralizedForce::new("force", 0)),
        ),
        ("motor", AnyActuator::new(torque(None))),
        ("motor at its limit", AnyActuator::new(torque(Some(0.0)))),
        ("servo", AnyActuator::new(servo(None))),
        (
            "servo at its limit",
            AnyActuator::new(servo(Some([0.0, 0.0]))),
        ),
        (
            "servo with limits",
            AnyActuator::new(servo(Some([-8.0, 6.0]))),
        ),
        (
            "wrench",
            AnyActuator::new(SpatialForceSource::new("wrench", frames[0])),
        ),
        ("tendon", spring(0.2)),
        ("tendon without length", spring(0.0)),
        ("propeller at rest", AnyActuator::new(propeller.unwrap())),
        ("bristle of the arm", bristle(lower, BodyIndex::WORLD)),
        ("bristle of the ball", bristle(under, ARM)),
        ("lag", AnyActuator::new(lag.unwrap())),
        (
            "saturation at its bound",
            AnyActuator::new(bounded.unwrap()),
        ),
        (
            "saturation of one input",
            AnyActuator::new(of_one_input.unwrap()),
        ),
    ];
    let with = |(name, element)| (name, machine.clone().with_actuators([element]).unwrap());
    all.into_iter().map(with).collect()
}

pub fn sensors<T: Scalar>() -> Vec<Element<T>> {
    let (machine, frames) = mechanism();
    let tree = machine.tree();
    let at = RigidTransform::identity();
    let number = |x: f64| T::from(x);
    let fan = Lidar::fan(3, number(-0.5), number(0.5));
    let encoder = |joint| Encoder::new("encoder", tree, joint, number(0.25)).unwrap();
    let imu = |body| AnySensor::new(Imu::new("imu", tree, body, &at).unwrap());
    let lidar = |limits: [f64; 2]| {
        let limits = limits.map(T::from);
        AnySensor::new(Lidar::new("lidar", tree, ARM, &at, &fan, limits).unwrap())
    };
    let skin = Shape::new_sphere(2.0 * RADIUS).unwrap();
    let touch = Touch::new("touch", frames[1], skin);
    let all = [
        ("full state", AnySensor::new(FullState::new(tree))),
        ("encoder", AnySensor::new(encoder(HINGE))),
        ("imu", imu(BALL)),
        ("imu of the link without mass", imu(LINK)),
        ("lidar", lidar([0.05, 2.0])),
        ("lidar at its lower limit", lidar([0.375, 2.0])),
        ("lidar at its upper limit", lidar([0.05, 0.375])),
        (
            "contact force",
            AnySensor::new(ContactForce::new("force", BALL)),
        ),
        (
            "force across a joint",
            AnySensor::new(ForceTorque::new("wrist", frames[0])),
        ),
        ("pose", AnySensor::new(FramePose::new("pose", frames[1]))),
        ("touch", AnySensor::new(touch.unwrap())),
        (
            "delayed encoder",
            AnySensor::new(Delayed::new(encoder(RAIL), 2)),
        ),
    ];
    let with = |(name, element)| (name, machine.clone().with_sensors([element]).unwrap());
    all.into_iter().map(with).collect()
}

pub fn constraints<T: Scalar>() -> Vec<Element<T>> {
    let (machine, _) = mechanism();
    let tree = machine.tree();
    let number = |x: f64| T::from(x);
    let tip = Vector3::new(REACH, 0.0, 0.0).map(T::from);
    let (a, b) = ((ARM, tip), (BALL, Vector3::zeros()));
    let [on_a, on_b] = [(a.0, a.1, Vector3::y()), (b.0, b.1, Vector3::y())];
    let pose = RigidTransform::from_translation(tip);
    let here = RigidTransform::identity();
    let limits = |joint, limits: [f64; 2]| {
        let [lower, upper] = limits.map(|limit| Some(number(limit)));
        AnyConstraint::new(JointLimitConstraint::new("stop", tree, joint, lower, upper).unwrap())
    };
    let profile = MotionProfile::Polynomial {
        coefficients: [0.0, 0.1, 0.2].map(T::from).into(),
    };
    let gear = GearConstraint::new("gear", tree, HINGE, RAIL, number(2.0));
    let motion = PrescribedMotion::new("motion", tree, HINGE, profile);
    let limit = AccelerationLimit::new("limit", tree, HINGE, number(3.0));
    let all = [
        (
            "ball joint",
            AnyConstraint::new(BallConstraint::new("ball", a, b).unwrap()),
        ),
        (
            "hinge constraint",
            AnyConstraint::new(HingeConstraint::new("hinge", on_a, on_b).unwrap()),
        ),
        (
            "weld",
            AnyConstraint::new(WeldConstraint::new("weld", (ARM, pose), (BALL, here)).unwrap()),
        ),
        (
            "distance",
            AnyConstraint::new(DistanceConstraint::new("rod", a, b, number(0.25)).unwrap()),
        ),
        ("gear", AnyConstraint::new(gear.unwrap())),
        ("prescribed motion", AnyConstraint::new(motion.unwrap())),
        ("limits of the rail", limits(RAIL, RAIL_LIMITS)),
        ("limits of the hinge", limits(HINGE, HINGE_LIMITS)),
        ("acceleration limit", AnyConstraint::new(limit.unwrap())),
    ];
    let with = |(name, element)| (name, machine.clone().with_constraints([element]).unwrap());
    all.into_iter().map(with).collect()
}

/// The limit of the turn of the ball, which has no derivative where that is half a turn.
fn limit_of_turn<T: Scalar>() -> Element<T> {
    let (machine, _) = mechanism();
    let cone = BallLimitConstraint::new("cone", machine.tree(), FLIGHT, T::from(1.0)).unwrap();
    (
        "limit of the ball",
        machine.with_constraints([cone]).unwrap(),
    )
}

/// Joints that resist, and every kind of friction of contacts.
pub fn frictions<T: Scalar>() -> Vec<Element<T>> {
    let rubber = || ContactMaterial::new(150.0, 0.8, 0.45).unwrap();
    let of = |material| of_material(material).0.with_generalized_forces().unwrap();
    let mut joints = mechanism().0;
    for (name, value) in [("damping", 0.3), ("armature", 0.2)] {
        joints
            .set_parameter(&format!("joint/hinge/{name}"), T::from(value))
            .unwrap();
    }
    let mut rigid = of(rubber().with_static_friction(0.6, 0.1).unwrap());
    let mut options = *rigid.options();
    options.rigid_contact = true;
    rigid = rigid.with_options(options).unwrap();
    vec![
        ("damping and armature of joints", joints),
        (
            "static friction",
            of(rubber().with_static_friction(0.9, 0.3).unwrap()),
        ),
        (
            "torsional and rolling friction",
            of(rubber().with_rotational_friction(0.02, 0.01).unwrap()),
        ),
        ("restitution", of(rubber().with_restitution(0.7).unwrap())),
        ("rigid contact", rigid),
    ]
}

/// States of rail, hinge and ball in which much happens: near the tip of the arm; on the ground and beyond upper limits;
/// in the air and beyond lower limits.
pub const LIVELY: [([f64; 9], [f64; 8]); 3] = [
    (
        [0.1, 0.15, 0.9, 0.1, -0.15, 0.2, 0.62, 0.01, -0.08],
        [0.3, -0.4, 0.7, -0.5, 0.9, 0.4, 1.6, -0.3],
    ),
    (
        [
            0.52,
            1.6,
            0.9,
            0.3,
            -0.2,
            0.1,
            0.5,
            0.05,
            GROUND + RADIUS - 0.02,
        ],
        [0.4, 0.3, 1.7, -2.5, 0.9, 1.4, 0.5, -0.2],
    ),
    (
        [-0.27, -1.05, 0.9, 0.3, -0.2, 0.1, 0.3, 0.2, 0.1],
        [-0.4, -0.3, 1.7, -2.5, 0.9, 1.4, 0.5, -0.2],
    ),
];

/// One of these.
pub fn lively(system: &RigidBodySystem<f64>, number: usize) -> State<f64> {
    let (q, v) = &LIVELY[number];
    let mut state = system.initial_state();
    state.q.copy_from_slice(q);
    let norm = state.q.rows(2, 4).norm();
    state.q.rows_mut(2, 4).unscale_mut(norm);
    state.v.copy_from_slice(v);
    state.actuators.fill(0.01);
    state
}

/// Every type of element that can be written as JSON is in the lists.
#[test]
fn no_element_is_left_out() {
    use serde_json::{Value, json};
    use std::collections::BTreeSet;

    for (family, machines) in [
        ("forces", forces::<f64>()),
        ("actuators", actuators()),
        ("sensors", sensors()),
        (
            "constraints",
            [constraints(), vec![limit_of_turn()]].concat(),
        ),
    ] {
        let written = machines
            .iter()
            .map(|(_, machine)| machine.to_json().unwrap());
        let documents: Vec<Value> = written.map(|text| text.parse().unwrap()).collect();
        let types = documents.iter().map(|document| &document[family][0]);
        let listed: BTreeSet<&str> = types
            .map(|element| element.as_object().unwrap().keys().next().unwrap().as_str())
            .collect();
        let mut unknown = documents[0].clone();
        unknown[family] = json!([{ "?": {} }]);
        // It names all types that there are.
        let error = Machine::from_json(&unknown.to_string())
            .unwrap_err()
            .to_string();
        let (_, names) = error.split_once("expected one of ").unwrap();
        let known: BTreeSet<&str> = names
            .split(", ")
            .map(|name| name.trim_matches('`'))
            .collect();
        assert!(listed.len() > 5);
        assert_eq!(listed, known);
    }
}
