//! Every element that the crate has, on one mechanism: a link without mass on a rail, an arm that turns on it, and a
//! free ball.

use crate::support::scenes::geometry;
use dualbody::Parameters;
use dualbody::actuator::*;
use dualbody::constraint::*;
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::force::bushing::{BushingConstants, BushingOrientation};
use dualbody::force::*;
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialForce, SpatialInertia};
use dualbody::sensor::*;
use dualbody::system::{BuiltinParts, Elements, RigidBodySystem, State, SystemOptions};
use dualbody::tree::{BodyIndex, FrameIndex, JointIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;
use std::collections::BTreeSet;
use std::f64::consts::FRAC_PI_2;

pub type Machine<T = f64> = RigidBodySystem<T, BuiltinParts<T>>;

/// What an element is, in words, and the mechanism with it.
pub type Element = (&'static str, Machine);

pub const LINK: BodyIndex = BodyIndex::new(1);
pub const ARM: BodyIndex = BodyIndex::new(2);
pub const BALL: BodyIndex = BodyIndex::new(3);
pub const RAIL: JointIndex = JointIndex::new(0);
pub const HINGE: JointIndex = JointIndex::new(1);
/// In m.
pub const REACH: f64 = 0.5;
pub const RADIUS: f64 = 0.125;
pub const GROUND: f64 = -1.0;
/// Of the rail, in m, and of the hinge, in rad.
pub const RAIL_LIMITS: [f64; 2] = [-0.25, 0.5];
pub const HINGE_LIMITS: [f64; 2] = [-1.0, FRAC_PI_2];

/// The mechanism, with the frames at the tip of the arm and in the ball.
pub fn mechanism() -> (Machine, [FrameIndex; 2]) {
    mechanism_of(ContactMaterial::new(200.0, 1.0, 0.5).unwrap())
}

/// As [`mechanism`], with the material of ball and ground.
pub fn mechanism_of(material: ContactMaterial<f64>) -> (Machine, [FrameIndex; 2]) {
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
    let system = RigidBodySystem::of_builtin_parts(tree, contact).unwrap();
    (system.with_options(options).unwrap(), frames)
}

/// Of the arm, in the plane z = 0 of the world, and of the ball, which can lie on that of the arm.
fn points_that_touch() -> [BodyPoint<f64>; 2] {
    let lowest = Vector3::new(0.0, 0.0, -RADIUS);
    [BodyPoint::origin(ARM), BodyPoint::new(BALL, lowest)]
}

pub fn forces() -> Vec<Element> {
    let (machine, _) = mechanism();
    let tree = machine.tree();
    let tip = BodyPoint::new(ARM, Vector3::new(REACH, 0.0, 0.0));
    let points = || [tip, BodyPoint::origin(BALL)];
    let stiff = Vector3::new(3.0, 2.0, 4.0);
    let constants = BushingConstants::weld(stiff, stiff * 0.1, stiff * 5.0, stiff * 0.2).unwrap();
    let frames = || (ARM, BALL);
    let spring =
        |length| LinearSpringDamper::new("spring", tree, points(), 20.0, 1.0, length, 0.1).unwrap();
    let bushing = |orientation| {
        let (a, c) = frames();
        ConservativeBushing::new("bushing", a, c, orientation, constants).unwrap()
    };
    let wrench = SpatialForce::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(1.0, -2.0, 0.5));
    let applied =
        |expressed_in| AppliedForce::new("push", tree, tip, wrench, expressed_in).unwrap();
    let off_centre = BodyPoint::new(BALL, Vector3::new(0.0, 0.05, 0.1));
    let normal = Vector3::new(0.6, 0.0, 0.8);
    let stops = |joint, limits| JointStops::new("stop", tree, joint, 50.0, 0.5, limits).unwrap();
    let [lower, under] = points_that_touch();
    let all: Vec<(&str, BuiltinForce<f64>)> = vec![
        (
            "quasi-symmetric bushing",
            LinearBushingRollPitchYaw::new("bushing", ARM, BALL, constants)
                .unwrap()
                .into(),
        ),
        (
            "bushing by angles",
            bushing(BushingOrientation::RollPitchYaw).into(),
        ),
        (
            "bushing by rotation vector",
            bushing(BushingOrientation::RotationVector).into(),
        ),
        ("spring", spring(0.2).into()),
        ("spring without length", spring(0.0).into()),
        (
            "joint spring",
            JointSpring::new("spring", tree, HINGE, 5.0, 0.5, 0.0)
                .unwrap()
                .into(),
        ),
        ("stops of the rail", stops(RAIL, RAIL_LIMITS).into()),
        ("stops of the hinge", stops(HINGE, HINGE_LIMITS).into()),
        (
            "joint friction",
            JointFriction::new("friction", tree, 0.1).unwrap().into(),
        ),
        ("weight", applied(ExpressedIn::World).into()),
        ("thruster", applied(ExpressedIn::Body).into()),
        (
            "uniform gravity",
            UniformGravity::new("field", tree, normal).unwrap().into(),
        ),
        (
            "drag",
            AerodynamicDrag::new("drag", tree, BodyPoint::origin(BALL), 1.2, 0.7)
                .unwrap()
                .into(),
        ),
        (
            "drag off the centre",
            AerodynamicDrag::new("drag", tree, off_centre, 1.2, 0.7)
                .unwrap()
                .into(),
        ),
        (
            "wing",
            FlatPlateWing::new("wing", tree, BodyPoint::origin(BALL), normal, 1.2, 0.5)
                .unwrap()
                .into(),
        ),
        (
            "direct contact of the arm",
            DirectContact::new("contact", tree, lower, BodyIndex::WORLD, 50.0, 5.0, 0.5)
                .unwrap()
                .into(),
        ),
        (
            "direct contact of the ball",
            DirectContact::new("contact", tree, under, ARM, 50.0, 5.0, 0.5)
                .unwrap()
                .into(),
        ),
    ];
    let with = |(name, element)| (name, machine.clone().with_forces(vec![element]).unwrap());
    all.into_iter().map(with).collect()
}

pub fn actuators() -> Vec<Element> {
    let (machine, frames) = mechanism();
    let tree = machine.tree();
    let [lower, under] = points_that_touch();
    let torque = |limit| TorqueSource::new("motor", tree, HINGE, 2.0, limit).unwrap();
    let servo = |limits| PdServo::new("servo", tree, HINGE, [8.0, 0.5], limits).unwrap();
    let rubber = ContactMaterial::new(50.0, 0.1, 0.5).unwrap();
    let bristle = |point, plane| {
        BristleContact::new("bristle", tree, point, plane, rubber, [30.0, 0.5], 0.05)
            .and_then(|contact| contact.with_radius(0.02))
            .unwrap()
    };
    let spring = |length| SpringDamper::new("tendon", tree, frames, [20.0, 1.0, length]).unwrap();
    let all: Vec<(&str, BuiltinActuator<f64>)> = vec![
        (
            "generalized forces",
            GeneralizedForces::of_tree(tree).into(),
        ),
        (
            "generalized force",
            GeneralizedForce::new("force", 0).into(),
        ),
        ("motor", torque(None).into()),
        ("motor at its limit", torque(Some(0.0)).into()),
        ("servo", servo(None).into()),
        ("servo at its limit", servo(Some([0.0, 0.0])).into()),
        ("servo with limits", servo(Some([-8.0, 6.0])).into()),
        (
            "wrench",
            SpatialForceSource::new("wrench", frames[0]).into(),
        ),
        ("tendon", spring(0.2).into()),
        ("tendon without length", spring(0.0).into()),
        (
            "propeller at rest",
            Propeller::new("propeller", tree, frames[1], 0.1, 0.02)
                .unwrap()
                .into(),
        ),
        (
            "bristle of the arm",
            bristle(lower, BodyIndex::WORLD).into(),
        ),
        ("bristle of the ball", bristle(under, ARM).into()),
        (
            "lag",
            FirstOrderLag::new("lag", 0.1, Box::new(torque(Some(1.0)).into()))
                .unwrap()
                .into(),
        ),
        (
            "saturation at its bound",
            Saturation::new("range", &[[0.0, 2.0]], Box::new(torque(None).into()))
                .unwrap()
                .into(),
        ),
        (
            "saturation of one input",
            Saturation::new(
                "range",
                &[[-0.5, 0.5], [f64::NEG_INFINITY, f64::INFINITY]],
                Box::new(servo(None).into()),
            )
            .unwrap()
            .into(),
        ),
    ];
    let with = |(name, element)| (name, machine.clone().with_actuators(vec![element]).unwrap());
    all.into_iter().map(with).collect()
}

pub fn sensors() -> Vec<Element> {
    let (machine, frames) = mechanism();
    let tree = machine.tree();
    let at = RigidTransform::identity();
    let fan = Lidar::fan(3, -0.5, 0.5);
    let all: Vec<(&str, BuiltinSensor<f64>)> = vec![
        ("full state", FullState::new(tree).into()),
        (
            "encoder",
            Encoder::new("encoder", tree, HINGE, 0.25).unwrap().into(),
        ),
        ("imu", Imu::new("imu", tree, BALL, &at).unwrap().into()),
        (
            "imu of the link without mass",
            Imu::new("imu", tree, LINK, &at).unwrap().into(),
        ),
        (
            "lidar",
            Lidar::new("lidar", tree, ARM, &at, &fan, [0.05, 2.0])
                .unwrap()
                .into(),
        ),
        (
            "lidar at its lower limit",
            Lidar::new("lidar", tree, ARM, &at, &fan, [0.375, 2.0])
                .unwrap()
                .into(),
        ),
        (
            "lidar at its upper limit",
            Lidar::new("lidar", tree, ARM, &at, &fan, [0.05, 0.375])
                .unwrap()
                .into(),
        ),
        ("contact force", ContactForce::new("force", BALL).into()),
        ("pose", FramePose::new("pose", frames[1]).into()),
        (
            "delayed encoder",
            Delayed::new(
                Box::new(Encoder::new("encoder", tree, RAIL, 0.25).unwrap().into()),
                2,
            )
            .into(),
        ),
    ];
    let with = |(name, element)| (name, machine.clone().with_sensors(vec![element]).unwrap());
    all.into_iter().map(with).collect()
}

pub fn constraints() -> Vec<Element> {
    let (machine, _) = mechanism();
    let tree = machine.tree();
    let tip = Vector3::new(REACH, 0.0, 0.0);
    let (a, b) = ((ARM, tip), (BALL, Vector3::zeros()));
    let pose = RigidTransform::from_translation(tip);
    let limits = |joint, [lower, upper]: [f64; 2]| {
        JointLimitConstraint::new("stop", tree, joint, Some(lower), Some(upper)).unwrap()
    };
    let profile = MotionProfile::Polynomial {
        coefficients: vec![0.0, 0.1, 0.2],
    };
    let all: Vec<(&str, BuiltinConstraint<f64>)> = vec![
        (
            "ball joint",
            BallConstraint::new("ball", a, b).unwrap().into(),
        ),
        (
            "hinge constraint",
            HingeConstraint::new("hinge", (a.0, a.1, Vector3::y()), (b.0, b.1, Vector3::y()))
                .unwrap()
                .into(),
        ),
        (
            "weld",
            WeldConstraint::new("weld", (ARM, pose), (BALL, RigidTransform::identity()))
                .unwrap()
                .into(),
        ),
        (
            "distance",
            DistanceConstraint::new("rod", a, b, 0.25).unwrap().into(),
        ),
        (
            "gear",
            GearConstraint::new("gear", tree, HINGE, RAIL, 2.0)
                .unwrap()
                .into(),
        ),
        (
            "prescribed motion",
            PrescribedMotion::new("motion", tree, HINGE, profile)
                .unwrap()
                .into(),
        ),
        ("limits of the rail", limits(RAIL, RAIL_LIMITS).into()),
        ("limits of the hinge", limits(HINGE, HINGE_LIMITS).into()),
        (
            "acceleration limit",
            AccelerationLimit::new("limit", tree, HINGE, 3.0)
                .unwrap()
                .into(),
        ),
    ];
    let with = |(name, element)| {
        (
            name,
            machine.clone().with_constraints(vec![element]).unwrap(),
        )
    };
    all.into_iter().map(with).collect()
}

/// Joints that resist, and every kind of friction of contacts.
pub fn frictions() -> Vec<Element> {
    let rubber = || ContactMaterial::new(150.0, 0.8, 0.45).unwrap();
    let of = |material| mechanism_of(material).0;
    let mut joints = mechanism().0;
    for (name, value) in [("damping", 0.3), ("armature", 0.2)] {
        joints
            .set_parameter(&format!("joint/hinge/{name}"), value)
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

/// States of rail, hinge and ball in which much happens: near the tip of the arm; on the ground and beyond upper limits; in the air and beyond
/// lower limits.
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
pub fn lively<E: Elements<f64>>(system: &RigidBodySystem<f64, E>, number: usize) -> State<f64> {
    let (q, v) = &LIVELY[number];
    let mut state = system.initial_state();
    state.q.copy_from_slice(q);
    let norm = state.q.rows(2, 4).norm();
    state.q.rows_mut(2, 4).unscale_mut(norm);
    state.v.copy_from_slice(v);
    state.actuators.fill(0.01);
    state
}

/// The variants of the enum of elements that a source declares.
fn declared(source: &str) -> BTreeSet<String> {
    let (_, body) = source.split_once("compose_enum! {").unwrap();
    let names = body.lines().filter_map(|line| line.trim().split_once('('));
    let is_name = |name: &&str| name.starts_with(char::is_uppercase);
    names
        .map(|(name, _)| name)
        .filter(is_name)
        .map(str::to_owned)
        .collect()
}

/// The variants that elements are.
fn listed<E: std::fmt::Debug>(
    machines: &[Element],
    element: impl Fn(&Machine) -> &E,
) -> BTreeSet<String> {
    let name = |(_, machine): &Element| {
        let text = format!("{:?}", element(machine));
        text.split('(').next().unwrap_or_default().to_owned()
    };
    machines.iter().map(name).collect()
}

#[test]
fn no_element_is_left_out() {
    for (source, listed) in [
        (
            include_str!("../../src/force/composition.rs"),
            listed(&forces(), |m| &m.forces()[0]),
        ),
        (
            include_str!("../../src/actuator/composition.rs"),
            listed(&actuators(), |m| &m.actuators()[0]),
        ),
        (
            include_str!("../../src/sensor/composition.rs"),
            listed(&sensors(), |m| &m.sensors()[0]),
        ),
        (
            include_str!("../../src/constraint/composition.rs"),
            listed(&constraints(), |m| &m.constraints()[0]),
        ),
    ] {
        assert!(listed.len() > 5);
        assert_eq!(listed, declared(source));
    }
}
