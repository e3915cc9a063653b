//! Machines and states as JSON: what is read back moves with the same bits, and what is hostile is an
//! error.

use crate::support::random_tree::{Random, Style, random_tree};
use crate::support::scenes::geometry;
use dualbody::Parameters;
use dualbody::actuator::*;
use dualbody::constraint::*;
use dualbody::contact::{
    CollisionGeometry, ContactMaterial, ContactModel, ContactModelBuilder, Detection,
};
use dualbody::force::bushing::{BushingConstants, BushingOrientation};
use dualbody::force::*;
use dualbody::geometry::Shape;
use dualbody::io::json::JsonError;
use dualbody::math::{RigidTransform, SpatialForce, SpatialInertia, rotation};
use dualbody::sensor::*;
use dualbody::system::{
    IntegrationMethod, Recording, RigidBodySystem, Scheme, State, TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, FrameIndex, JointIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::{Vector3, vector};
use serde_json::{Value, json};
use std::fmt::Debug;

type Machine = RigidBodySystem<f64>;
type SteppedMachine = TimeSteppingRigidBodySystem<f64>;

/// Elements, with numbers that tell all bits.
fn written(elements: &[impl Debug]) -> String {
    format!("{elements:?}")
}

/// The bits of everything that is recorded of some steps with moving inputs and noise.
fn recorded(system: &SteppedMachine, start: &State<f64>, steps: usize) -> Vec<Vec<u64>> {
    let (mut state, mut recording, mut k) = (start.clone(), Recording::default(), 0.0f64);
    let mut normal = || {
        k += 1.0;
        (0.7 * k).sin()
    };
    let inputs = |k: usize, _: &State<f64>, _: &[f64], input: &mut [f64]| {
        for (i, u) in input.iter_mut().enumerate() {
            *u = 0.3 * (0.2 * k as f64 + i as f64).sin();
        }
    };
    let end = system.record(&mut state, steps, inputs, &mut normal, &mut recording);
    assert!(!recording.rows().is_empty(), "{end:?}");
    let bits = |row: &Vec<f64>| row.iter().map(|x| x.to_bits()).collect();
    recording.rows().iter().map(bits).collect()
}

/// Writes and reads a machine, and compares what both go through.
fn check(system: &SteppedMachine, start: &State<f64>, steps: usize) -> SteppedMachine {
    let text = system.to_json().unwrap();
    let read = SteppedMachine::from_json(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(read.to_json().unwrap(), text);
    assert_eq!(read.parameters(), system.parameters());
    assert_eq!(written(read.forces()), written(system.forces()));
    assert_eq!(written(read.actuators()), written(system.actuators()));
    assert_eq!(written(read.sensors()), written(system.sensors()));
    assert_eq!(written(read.constraints()), written(system.constraints()));
    assert_eq!(read.initial_state(), system.initial_state());
    assert_eq!(
        recorded(&read, start, steps),
        recorded(system, start, steps)
    );
    read
}

const CART: BodyIndex = BodyIndex::new(1);
const ARM: BodyIndex = BodyIndex::new(2);
const BALL: BodyIndex = BodyIndex::new(3);
const RAIL: JointIndex = JointIndex::new(0);
const ELBOW: JointIndex = JointIndex::new(1);
const HOOK: FrameIndex = FrameIndex::new(0);
const TIP: FrameIndex = FrameIndex::new(1);

/// As [`scene`], with a generalized force on each velocity coordinate.
fn driven() -> Machine {
    scene().with_generalized_forces().unwrap()
}

/// A cart on a rail with an arm, and a ball that touches the ground.
fn scene() -> Machine {
    let mut tree = RigidBodyTreeBuilder::new();
    let cart = SpatialInertia::solid_box(1.3, &vector![0.1, 0.2, 0.3]);
    assert_eq!(tree.add_body("cart", cart).unwrap(), CART);
    let arm = SpatialInertia::point_mass(0.4, vector![0.1, 0.0, -0.3]);
    assert_eq!(tree.add_body_as_given("arm", arm).unwrap(), ARM);
    tree.add_body("ball", SpatialInertia::solid_sphere(0.7, 0.1))
        .unwrap();
    let turned = rotation::exp(&vector![0.3, -0.2, 0.1]);
    let (rail, elbow) = (
        JointKind::Prismatic {
            axis: vector![1.0, 0.2, 0.0],
        },
        JointKind::Revolute {
            axis: vector![0.0, 1.0, 0.3],
        },
    );
    let above = RigidTransform::new(turned, vector![0.0, 0.0, 1.0]);
    tree.add_joint("rail", rail, BodyIndex::WORLD, above, CART)
        .unwrap();
    tree.add_joint(
        "elbow",
        elbow,
        CART,
        RigidTransform::new(turned, vector![0.0, 0.0, 0.1]),
        ARM,
    )
    .unwrap();
    tree.set_position_limits(ELBOW, &[-0.01], &[f64::INFINITY])
        .unwrap();
    tree.set_damping(ELBOW, &[0.1]).unwrap();
    tree.set_friction(ELBOW, &[0.05]).unwrap();
    tree.add_frame("hook", CART, above).unwrap();
    tree.add_frame("tip", ARM, above).unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let rubber = ContactMaterial::new(1e4, 0.3, 0.6).unwrap();
    let sphere = Shape::new_sphere(0.1).unwrap();
    contact
        .add_geometry(geometry("sphere", BALL, sphere, rubber))
        .unwrap();
    let ground = ContactMaterial::rigid(0.8).unwrap();
    contact
        .add_geometry(geometry(
            "ground",
            BodyIndex::WORLD,
            Shape::HalfSpace,
            ground,
        ))
        .unwrap();
    let contact = contact.finish(&tree).unwrap();
    Machine::new(tree, contact).unwrap()
}

fn start(machine: &Machine) -> State<f64> {
    let mut start = machine.initial_state();
    machine
        .set_body_position(&mut start, "ball", vector![0.3, 0.1, 0.0995])
        .unwrap();
    start.v[machine.tree().num_velocities() - 3] = 0.7;
    start
}

fn bushing_constants() -> BushingConstants<f64> {
    BushingConstants {
        torque_stiffness: vector![1.0, 2.0, 3.0],
        torque_damping: vector![0.1, 0.2, 0.3],
        force_stiffness: vector![10.0, 20.0, 1.0 / 3.0],
        force_damping: vector![0.4, 0.5, 0.6],
    }
}

fn forces(machine: &Machine) -> Vec<AnyForce<f64>> {
    let tree = machine.tree();
    let at = |body| BodyPoint::new(body, vector![0.1, -0.2, 0.05]);
    let load = SpatialForce::new(vector![0.1, 0.2, 0.3], vector![1.0, 2.0, 3.0]);
    let stops = [f64::NEG_INFINITY, 0.005];
    vec![
        AnyForce::new(
            LinearBushingRollPitchYaw::new("rpy", CART, TIP, bushing_constants()).unwrap(),
        ),
        AnyForce::new(
            ConservativeBushing::new(
                "conservative",
                HOOK,
                BALL,
                BushingOrientation::RotationVector,
                bushing_constants(),
            )
            .unwrap(),
        ),
        AnyForce::new(
            LinearSpringDamper::new("spring", tree, [at(ARM), at(BALL)], 7.0, 0.3, 0.2, 1e-3)
                .unwrap(),
        ),
        AnyForce::new(JointSpring::new("elbow spring", tree, ELBOW, 5.0, 0.1, 0.2).unwrap()),
        AnyForce::new(JointStops::new("stops", tree, RAIL, 1e3, 0.2, stops).unwrap()),
        AnyForce::new(JointFriction::new("friction", tree, 0.01).unwrap()),
        AnyForce::new(AppliedForce::new("load", tree, at(ARM), load, ExpressedIn::Body).unwrap()),
        AnyForce::new(UniformGravity::new("moon", tree, vector![0.1, 0.0, -1.6]).unwrap()),
        AnyForce::new(AerodynamicDrag::new("drag", tree, at(BALL), 1.2, 0.3).unwrap()),
        AnyForce::new(
            FlatPlateWing::new("wing", tree, at(ARM), vector![0.0, 0.3, 1.0], 1.2, 0.2).unwrap(),
        ),
        AnyForce::new(
            DirectContact::new("foot", tree, at(BALL), BodyIndex::WORLD, 500.0, 3.0, 0.4).unwrap(),
        ),
    ]
}

fn actuators(machine: &Machine) -> Vec<AnyActuator<f64>> {
    let tree = machine.tree();
    let servo = |name| PdServo::new(name, tree, ELBOW, [20.0, 0.7], Some([-2.0, 3.0])).unwrap();
    let lagged = PdServo::new("slow servo", tree, RAIL, [9.0, 0.1], None).unwrap();
    vec![
        AnyActuator::new(GeneralizedForces::of_tree(tree)),
        AnyActuator::new(GeneralizedForce::new("force", 2)),
        AnyActuator::new(TorqueSource::new("motor", tree, ELBOW, 7.5, Some(0.1)).unwrap()),
        AnyActuator::new(servo("servo")),
        AnyActuator::new(SpatialForceSource::new("thruster", TIP)),
        AnyActuator::new(SpringDamper::new("tendon", tree, [HOOK, TIP], [30.0, 0.2, 0.1]).unwrap()),
        AnyActuator::new(Propeller::new("propeller", tree, HOOK, 0.2, 0.01).unwrap()),
        AnyActuator::new(
            BristleContact::new(
                "bristle",
                tree,
                BodyPoint::new(ARM, vector![0.1, 0.0, -0.2]),
                BodyIndex::WORLD,
                ContactMaterial::new(50.0, 0.1, 0.5).unwrap(),
                [30.0, 0.5],
                0.05,
            )
            .and_then(|contact| contact.with_radius(0.02))
            .unwrap(),
        ),
        AnyActuator::new(FirstOrderLag::new("lag", 0.02, lagged).unwrap()),
        AnyActuator::new(
            Saturation::new(
                "range",
                &[[-0.3, f64::INFINITY], [f64::NEG_INFINITY, 2.0]],
                servo("held servo"),
            )
            .unwrap(),
        ),
    ]
}

fn sensors(machine: &Machine) -> Vec<AnySensor<f64>> {
    let tree = machine.tree();
    let pose = RigidTransform::new(
        rotation::exp(&vector![0.3, 0.1, 2.0]),
        vector![0.1, 0.0, 0.2],
    );
    let noise = ImuNoise {
        specific_force: 0.1,
        angular_rate: 0.2,
        specific_force_walk: 0.3,
        angular_rate_walk: 0.4,
    };
    let imu = Imu::new("imu", tree, CART, &pose)
        .unwrap()
        .with_noise(noise)
        .unwrap();
    let rays = Lidar::fan(5, -2.0, 2.0);
    let encoder = |name: &str| {
        Encoder::new(name, tree, ELBOW, 1e-3)
            .unwrap()
            .with_offset(0.1)
    };
    vec![
        AnySensor::new(FullState::new(tree)),
        AnySensor::new(encoder("encoder")),
        AnySensor::new(imu.with_bias(vector![0.1, 0.2, 0.3], vector![0.0, 0.0, 0.1])),
        AnySensor::new(Lidar::new("lidar", tree, ARM, &pose, &rays, [0.01, 5.0]).unwrap()),
        AnySensor::new(ContactForce::new("foot", BALL)),
        AnySensor::new(FramePose::new("tip pose", TIP)),
        AnySensor::new(Delayed::new(encoder("late"), 3)),
    ]
}

fn constraints(machine: &Machine) -> Vec<AnyConstraint<f64>> {
    let tree = machine.tree();
    let at = |body| (body, vector![0.1, -0.2, 0.05]);
    let pose = |body| {
        (
            body,
            RigidTransform::new(
                rotation::exp(&vector![0.3, 0.1, 2.0]),
                vector![0.1, 0.0, 0.2],
            ),
        )
    };
    let profiles = [
        MotionProfile::Polynomial {
            coefficients: vec![0.0, 0.1, 0.3],
        },
        MotionProfile::Harmonic {
            mean: 0.0,
            amplitude: 0.1,
            angular_frequency: 3.0,
            phase: 0.0,
        },
        MotionProfile::Spline(MotionSpline::through(0.0, 0.1, &[0.0, 0.1, 0.3]).unwrap()),
    ];
    let mut all = vec![
        AnyConstraint::new(BallConstraint::new("ball", at(CART), at(BALL)).unwrap()),
        AnyConstraint::new(
            HingeConstraint::new(
                "hinge",
                (CART, Vector3::x(), Vector3::y()),
                (BALL, Vector3::z(), vector![1.0, 1.0, 0.0]),
            )
            .unwrap(),
        ),
        AnyConstraint::new(WeldConstraint::new("weld", pose(CART), pose(BALL)).unwrap()),
        AnyConstraint::new(DistanceConstraint::new("rod", at(CART), at(BALL), 0.9).unwrap()),
        AnyConstraint::new(GearConstraint::new("gear", tree, RAIL, ELBOW, 0.3).unwrap()),
        AnyConstraint::new(
            JointLimitConstraint::new("limit", tree, ELBOW, Some(-0.3), None).unwrap(),
        ),
        AnyConstraint::new(AccelerationLimit::new("acceleration", tree, RAIL, 3.0).unwrap()),
    ];
    all.extend(profiles.map(|profile| {
        AnyConstraint::new(PrescribedMotion::new("motion", tree, RAIL, profile).unwrap())
    }));
    all
}

#[test]
fn every_force_actuator_and_sensor_comes_back_with_its_bits() {
    let (scene, driven) = (scene(), driven());
    let step = |machine: Machine| {
        let start = start(&machine);
        check(
            &SteppedMachine::compliant(machine, 1e-3).unwrap(),
            &start,
            8,
        );
    };
    for force in forces(&scene) {
        step(driven.clone().with_forces([force]).unwrap());
    }
    for actuator in actuators(&scene) {
        step(scene.clone().with_actuators([actuator]).unwrap());
    }
    for sensor in sensors(&scene) {
        step(driven.clone().with_sensors([sensor]).unwrap());
    }
}

#[test]
fn every_constraint_comes_back_with_its_bits() {
    let driven = driven();
    let method = IntegrationMethod::RungeKutta4;
    for constraint in constraints(&driven) {
        let machine = driven.clone().with_constraints([constraint]).unwrap();
        let start = start(&machine);
        let scheme = Scheme::Continuous {
            method,
            substeps: 2,
        };
        check(
            &SteppedMachine::with_scheme(machine, 1e-3, scheme).unwrap(),
            &start,
            3,
        );
    }
}

pub fn everything() -> SteppedMachine {
    let scene = scene();
    let (forces, actuators) = (forces(&scene), actuators(&scene));
    let (sensors, mut constraints) = (sensors(&scene), constraints(&scene));
    constraints.truncate(8);
    let machine = scene
        .with_forces(forces)
        .unwrap()
        .with_actuators(actuators)
        .unwrap();
    let machine = machine
        .with_sensors(sensors)
        .unwrap()
        .with_constraints(constraints)
        .unwrap();
    SteppedMachine::compliant(machine, 1e-3).unwrap()
}

#[test]
fn changed_parameters_and_options_come_back() {
    let mut machine = driven();
    let mut options = *machine.options();
    options.detection = Detection::Overlapping;
    options.friction_edges = 8;
    options.overlap_decay = 0.1;
    options.constraint_decay = f64::INFINITY;
    machine = machine.with_options(options).unwrap();
    for (name, value) in [
        ("joint/rail/axis/x", 3.7), // not of unit length
        ("joint/rail/rotation/y", 0.3),
        ("frame/tip/rotation/z", -0.3),
        ("geometry/ground/rotation/x", 0.02),
        ("body/cart/rotational_inertia/xy", 1e-3),
        ("stiction_tolerance", 0.017),
        ("gravity/x", 0.1),
    ] {
        machine.set_parameter(name, value).unwrap();
    }
    let start = start(&machine);
    let read = check(
        &SteppedMachine::compliant(machine, 1e-3).unwrap(),
        &start,
        20,
    );
    assert_eq!(read.parameter("stiction_tolerance").unwrap(), 0.017);
    assert_eq!(read.options().overlap_decay, 0.1);
    assert_eq!(read.options().constraint_decay, f64::INFINITY);
    assert_eq!(read.options().detection, Detection::Overlapping);
    let limits = read.tree().joint(ELBOW).unwrap().limits();
    assert_eq!((limits.lower[0], limits.upper[0]), (-0.01, f64::INFINITY));
}

#[test]
fn machines_from_before_directions_were_parameters_are_read() {
    let machine = scene();
    let sensors = sensors(&machine);
    let mut machine = machine.with_sensors(sensors).unwrap();
    let name = "sensor/lidar/directions/1/z";
    let text = machine.to_json().unwrap();
    let mut old: Value = serde_json::from_str(&text).unwrap();
    let units = old["units"].as_object_mut().unwrap();
    let before = units.len();
    units.retain(|name, _| !name.contains("/directions/") && !name.starts_with("geometry/"));
    assert!(units.len() < before);
    assert_eq!(
        Machine::from_json(&old.to_string()).unwrap().parameters(),
        machine.parameters()
    );
    machine.set_parameter(name, 0.25).unwrap();
    let read = Machine::from_json(&machine.to_json().unwrap()).unwrap();
    assert_eq!(read.parameter(name), Ok(0.25));
    assert_eq!(written(read.sensors()), written(machine.sensors()));
}

#[test]
fn every_shape_comes_back_with_its_bits() {
    let points = vec![
        vector![0.1, 0.0, -0.1],
        vector![-0.1, 0.1, -0.1],
        vector![0.0, -0.1, -0.1],
    ];
    for shape in [
        Shape::new_sphere(0.1),
        Shape::new_capsule(0.1, 0.2),
        Shape::new_cylinder(0.1, 0.2),
        Shape::new_box(vector![0.2, 0.3, 0.2]),
        Shape::new_points(points),
    ] {
        let mut tree = RigidBodyTreeBuilder::new();
        let body = tree
            .add_body("body", SpatialInertia::solid_sphere(1.0, 0.1))
            .unwrap();
        let tree = tree.finish().unwrap();
        let mut contact = ContactModelBuilder::new();
        let soft = ContactMaterial::new(1e4 / 3.0, 0.1, 0.4).unwrap();
        let pose_in_body = RigidTransform::new(
            rotation::exp(&vector![0.1, 0.2, 0.3]),
            vector![0.01, 0.0, 0.0],
        );
        let (name, shape) = ("shape".to_owned(), shape.unwrap());
        contact
            .add_geometry(CollisionGeometry {
                name,
                body,
                pose_in_body,
                shape: shape.clone(),
                material: soft,
            })
            .unwrap();
        contact
            .add_geometry(geometry("ghost", BodyIndex::WORLD, Shape::HalfSpace, soft))
            .unwrap();
        contact
            .add_geometry(geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, soft))
            .unwrap();
        contact.exclude("shape", "ghost").unwrap();
        contact
            .set_pair_material(
                "shape",
                "ground",
                ContactMaterial::new(2e4, 0.2, 0.1).unwrap(),
            )
            .unwrap();
        let contact = contact.finish(&tree).unwrap();
        let machine = Machine::new(tree, contact)
            .and_then(Machine::with_generalized_forces)
            .unwrap();
        let mut start = machine.initial_state();
        machine
            .set_body_position(&mut start, "body", vector![0.0, 0.0, 0.05])
            .unwrap();
        let read = check(
            &SteppedMachine::compliant(machine, 1e-3).unwrap(),
            &start,
            10,
        );
        assert_eq!(read.contact().geometries()[0].shape, shape);
        assert_eq!(read.contact().pairs().collect::<Vec<_>>(), [(0, 2)]);
    }
}

#[test]
fn random_trees_come_back_with_their_bits() {
    let (mut kinds, mut followers) = (std::collections::HashSet::new(), 0);
    for seed in 0..24 {
        let style = [Style::General, Style::Mimic, Style::Free][seed as usize % 3];
        let tree = random_tree(seed, 6, style);
        for joint in tree.joints() {
            kinds.insert(std::mem::discriminant(joint.kind()));
            followers += usize::from(joint.mimic().is_some());
        }
        let machine = Machine::new(tree, ContactModel::none())
            .and_then(Machine::with_generalized_forces)
            .unwrap();
        let mut start = machine.initial_state();
        let speeds = Random::new(seed).numbers(start.v.len());
        start.v.copy_from_slice(&speeds);
        let text = machine.state_to_json(&start).unwrap();
        assert_eq!(machine.state_from_json(&text).unwrap(), start);
        check(
            &SteppedMachine::compliant(machine, 1e-3).unwrap(),
            &start,
            4,
        );
    }
    assert_eq!(kinds.len(), 7);
    assert!(followers > 0);
}

pub fn quadruped() -> Machine {
    use dualbody::io::urdf::UrdfReader;
    let rubber = ContactMaterial::new(1e4, 0.3, 0.6).unwrap();
    let reader = UrdfReader::new().with_material(rubber).unwrap();
    let (tree, model) = reader
        .tree_from_file(crate::support::reference::data("models").join("quadruped.urdf"))
        .unwrap();
    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        contact.add_geometry(geometry).unwrap();
    }
    contact
        .add_geometry(geometry(
            "floor",
            BodyIndex::WORLD,
            Shape::HalfSpace,
            rubber,
        ))
        .unwrap();
    let contact = contact.finish(&tree).unwrap();
    let stops = JointStops::of_tree(&tree, |_| (100.0, 0.1));
    let friction = JointFriction::new("friction", &tree, 0.01).unwrap();
    let servos = tree.joints().filter(|joint| joint.num_velocities() == 1);
    let servos = servos.map(|joint| {
        PdServo::new(
            joint.name(),
            &tree,
            joint.index(),
            [30.0, 1.0],
            Some([-20.0, 20.0]),
        )
        .unwrap()
    });
    let servos: Vec<_> = servos.collect();
    assert!(!servos.is_empty());
    let machine = Machine::new(tree, contact).unwrap();
    machine
        .with_forces(stops)
        .unwrap()
        .with_forces([friction])
        .unwrap()
        .with_actuators(servos)
        .unwrap()
}

#[test]
fn a_quadruped_comes_back_with_its_bits_in_all_schemes() {
    let machine = quadruped();
    let mut start = machine.initial_state();
    let floating = machine
        .tree()
        .joints()
        .find(|j| *j.kind() == JointKind::Floating)
        .unwrap();
    start.q[floating.position_start() + 6] = 0.3;
    for scheme in [
        Scheme::Compliant,
        Scheme::Rigid,
        Scheme::Continuous {
            method: IntegrationMethod::RungeKutta4,
            substeps: 8,
        },
    ] {
        let system = SteppedMachine::with_scheme(machine.clone(), 1e-3, scheme).unwrap();
        let read = check(&system, &start, 12);
        assert_eq!((read.scheme(), read.time_step()), (scheme, 1e-3));
    }
}

#[test]
fn files_are_whole_and_states_go_by_joints() {
    let system = everything();
    let folder = std::env::temp_dir().join(format!("dualbody-json-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (machine, state) = (folder.join("machine.json"), folder.join("state.json"));
    let mut start = start(system.system());
    start.time = 1.0 / 3.0;
    start.sensors[2] = -0.0;
    system.save(&machine).unwrap();
    system.save_state(&state, &start).unwrap();
    let read = SteppedMachine::load(&machine).unwrap();
    let loaded = read.load_state(&state).unwrap();
    assert_eq!(loaded, start);
    assert!(loaded.sensors[2].is_sign_negative());
    Machine::load(&machine).unwrap().save(&machine).unwrap();
    let error = SteppedMachine::load(&machine).unwrap_err().to_string();
    let expected = format!("{}: steps: ", machine.display());
    assert!(error.starts_with(&expected), "{error}");
    // What is no JSON at all is in a file, too, and that is what `main` prints.
    std::fs::write(&state, "{ no").unwrap();
    let error: dualbody::Error = system.load_state(&state).unwrap_err().into();
    let expected = format!("{}: not valid JSON: ", state.display());
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
    assert!(matches!(
        system.save(folder.join("no/where")),
        Err(JsonError::File { .. })
    ));
    assert!(matches!(
        Machine::load(folder.join("none")),
        Err(JsonError::File { .. })
    ));
    std::fs::remove_dir_all(&folder).unwrap();

    let text = system.state_to_json(&start).unwrap();
    let changed = |pointer: &str, value: Value| {
        let mut state: Value = serde_json::from_str(&text).unwrap();
        *state.pointer_mut(pointer).unwrap() = value;
        system
            .state_from_json(&state.to_string())
            .unwrap_err()
            .to_string()
    };
    for (pointer, value, expected) in [
        (
            "/format",
            json!("dualbody machine"),
            "format: found \"dualbody machine\"",
        ),
        (
            "/positions/elbow",
            json!([1.0, 2.0]),
            "positions/elbow: found 2 numbers, expected 1",
        ),
        (
            "/positions",
            json!({}),
            "positions/rail: found 0 numbers, expected 1",
        ),
        (
            "/positions/ball",
            json!([2, 0, 0, 0, 0, 0, 0]),
            "state: the quaternion of joint \"ball\"",
        ),
        (
            "/velocities/elbow/0",
            json!("NaN"),
            "velocities/elbow/0: invalid type: string \"NaN\"",
        ),
        (
            "/velocities/elbow/0",
            json!(null),
            "velocities/elbow/0: invalid type: null",
        ),
        ("/sensors", json!([]), "state: states of sensors has size 0"),
        ("/time", json!([]), "time: "),
    ] {
        let error = changed(pointer, value);
        assert!(error.starts_with(expected), "{error}");
    }
    let unknown = text.replace("\"rail\"", "\"road\"");
    assert!(system.state_from_json(&unknown).is_err());
    start.q[0] = f64::NAN;
    assert!(system.state_to_json(&start).is_err());
    start.q = start.q.remove_row(0);
    assert!(system.state_to_json(&start).is_err());
}

#[test]
fn errors_name_place_value_and_expectation() {
    let text = everything().to_json().unwrap();
    let original: Value = serde_json::from_str(&text).unwrap();
    let changed = |pointer: &str, value: Value| {
        let mut machine = original.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match machine.pointer_mut(parent).unwrap() {
            Value::Array(list) => list[key.parse::<usize>().unwrap()] = value,
            object => object[key] = value,
        }
        Machine::from_json(&machine.to_string())
            .unwrap_err()
            .to_string()
    };
    let mut wrong = Vec::new();
    for (pointer, value, expected) in [
        ("/version", json!(2), "version: found 2, expected 1"),
        (
            "/format",
            json!("urdf"),
            "format: found \"urdf\", expected \"dualbody machine\"",
        ),
        (
            "/tree/gravity/2",
            json!("NaN"),
            "tree/gravity/2: invalid type: string \"NaN\", expected f64",
        ),
        (
            "/tree/bodies/0/inertia/mass",
            json!(-1.0),
            "tree: body \"cart\": mass = -1",
        ),
        (
            "/tree/joints/0/parent",
            json!("nobody"),
            "tree/joints/0/parent: found \"nobody\", expected the name of a body",
        ),
        (
            "/tree/joints/0/parent",
            json!("wrld"),
            "tree/joints/0/parent: found \"wrld\", expected the name of a body, is it \"world\"?",
        ),
        (
            "/tree/joints/0/parent",
            json!(0),
            "tree/joints/0/parent: found 0, expected the name of a body",
        ),
        (
            "/tree/joints/0/parent",
            json!("arm"),
            "tree: following the joints inwards",
        ),
        (
            "/tree/joints/0/mounting/orientation/0",
            json!(3.0),
            "tree/joints/0/mounting: departure of the rotation",
        ),
        (
            "/tree/joints/1/limits/lower/0",
            json!("nan"),
            "tree/joints/1/limits/lower/0: invalid value: string \"nan\", expected a number, \"inf\" or \"-inf\"",
        ),
        (
            "/tree/joints/1/damping",
            json!([]),
            "tree: joint \"elbow\": damping has size 0, expected 1",
        ),
        (
            "/forces/3/JointSpring/stiffness",
            json!("soft"),
            "forces/3/JointSpring/stiffness: invalid type: string \"soft\", expected f64",
        ),
        (
            "/forces/3/JointSpring/colour",
            json!(1),
            "forces/3/JointSpring/colour: unknown field `colour`",
        ),
        (
            "/forces/3",
            json!({"Magic": 1}),
            "forces/3: unknown type `Magic`, expected one of `LinearBushingRollPitchYaw`, ",
        ),
        (
            "/forces/3/JointSpring/stiffness",
            json!(-5),
            "forces: force element \"elbow spring\": stiffness = -5",
        ),
        (
            "/forces/3/JointSpring/motion",
            json!("Translation"),
            "forces: ",
        ),
        (
            "/actuators/2/TorqueSource/joint",
            json!("ball"),
            "actuators: ",
        ),
        (
            "/sensors/6/Delayed/samples",
            json!(1e18 as u64),
            "sensors: samples of delay = 1e18",
        ),
        ("/sensors/0/FullState/positions", json!(7), "sensors: "),
        (
            "/constraints/7/PrescribedMotion/profile",
            json!({"Spline": {"start": 0, "spacing": 1, "coefficients": []}}),
            "constraints: ",
        ),
        ("/constraints/2/WeldConstraint", json!(0), "constraints/2"),
        ("/constraints/2/Weld/a/made/0", json!(7), "constraints: "),
        (
            "/contact/pairs/0/geometry_a",
            json!("nothing"),
            "contact/pairs/0/geometry_a: found \"nothing\", expected the name of a geometry",
        ),
        (
            "/contact/pairs/0/geometry_a",
            json!("ground"),
            "contact: contact of \"ground\" (a half space) with \"ground\"",
        ),
        (
            "/contact/geometries/0/shape",
            json!({"Sphere": {"radius": 0}}),
            "contact: geometry \"sphere\": radius = 0",
        ),
        (
            "/options/friction_edges",
            json!(3),
            "options: edges of the friction cone = 3",
        ),
        (
            "/units/stiction_tolerance",
            json!("km/h"),
            "units/stiction_tolerance: found \"km/h\", expected \"m/s\"",
        ),
        (
            "/units/charm",
            json!("1"),
            "units/charm: the machine has no such parameter",
        ),
        (
            "/units/stiction_tolerence",
            json!("1"),
            "units/stiction_tolerence: the machine has no such parameter, is it \"stiction_tolerance\"?",
        ),
        ("/colour", json!("red"), "colour: unknown field `colour`"),
    ] {
        let error = changed(pointer, value);
        if !error.starts_with(expected) {
            wrong.push(format!("{pointer}: {error}\nexpected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut slow = original.clone();
    slow["steps"]["time_step"] = json!(0.0);
    let error = SteppedMachine::from_json(&slow.to_string())
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("steps: "), "{error}");
}

#[test]
fn hostile_text_is_an_error() {
    let text = driven().to_json().unwrap();
    for part in (0..text.trim_end().len())
        .step_by(37)
        .filter_map(|end| text.get(..end))
    {
        assert!(Machine::from_json(part).is_err());
    }
    let huge = text.replace("-9.81", "-9.81e999");
    assert_ne!(huge, text);
    for bad in [
        "null",
        "7",
        "[]",
        "{}",
        "\"\"",
        "NaN",
        &"[".repeat(100_000),
        &"{\"a\":".repeat(100_000),
        &huge,
    ] {
        assert!(Machine::from_json(bad).is_err());
    }
    // Nested too deeply to be read, so not written either.
    let scene = scene();
    let nested = (0..200).fold(sensors(&scene).remove(1), |s, _| {
        AnySensor::new(Delayed::new(s, 0))
    });
    assert!(scene.with_sensors([nested]).unwrap().to_json().is_err());
}

/// Puts `value` in place of the leaf with this number; whether there is one.
pub fn replace_leaf(at: &mut Value, number: &mut usize, value: &Value) -> bool {
    match at {
        Value::Object(map) => map.values_mut().any(|v| replace_leaf(v, number, value)),
        Value::Array(list) => list.iter_mut().any(|v| replace_leaf(v, number, value)),
        leaf if *number == 0 => {
            *leaf = value.clone();
            true
        }
        _ => {
            *number -= 1;
            false
        }
    }
}

#[test]
fn no_leaf_makes_reading_panic() {
    let mut original: Value = serde_json::from_str(&everything().to_json().unwrap()).unwrap();
    original.as_object_mut().unwrap().remove("units");
    let hostile = [
        json!(null),
        json!(-1.0),
        json!(1e300),
        json!(u64::MAX),
        json!("inf"),
        json!({}),
        json!([]),
    ];
    let (mut rejected, mut number) = (0, 0);
    loop {
        let value = &hostile[number % hostile.len()];
        let mut machine = original.clone();
        if !replace_leaf(&mut machine, &mut number.clone(), value) {
            break;
        }
        match SteppedMachine::from_json(&machine.to_string()) {
            Ok(system) => drop((system.initial_state(), system.to_json())),
            Err(error) => rejected += usize::from(!error.to_string().is_empty()),
        }
        number += 1;
    }
    assert!(
        number > 300 && rejected > number / 2,
        "{rejected} of {number}"
    );
}

#[test]
fn the_documents_of_the_documentation_are_read() {
    let docs = include_str!("../../../src/io/json/mod.rs");
    let block = |format: &str| {
        let blocks = docs.split("//! ```json\n").skip(1);
        let mut blocks =
            blocks.map(|block| block.split("//! ```").next().unwrap().replace("//!", ""));
        blocks.find(|block| block.contains(format)).unwrap()
    };
    let system = SteppedMachine::from_json(&block("dualbody machine")).unwrap();
    let state = system.state_from_json(&block("dualbody state")).unwrap();
    assert_eq!(state.q[0], 0.3);
    check(&system, &state, 5);
    // Neither units, steps nor options have to be given, nor the joint of a body that floats.
    let mut machine: Value = serde_json::from_str(&block("dualbody machine")).unwrap();
    for part in ["units", "steps"] {
        machine.as_object_mut().unwrap().remove(part);
    }
    for part in ["forces", "actuators"] {
        machine[part] = json!([]);
    }
    (machine["options"], machine["tree"]["joints"]) = (json!({}), json!([]));
    let machine = Machine::from_json(&machine.to_string()).unwrap();
    assert_eq!(machine.tree().num_positions(), 7);
    assert_eq!(*machine.options(), Default::default());
}
