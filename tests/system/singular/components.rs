//! Every built-in element in every state.

use super::evaluate::{Machine, Task};
use super::states::*;
use super::{Check, report};
use dualbody::actuator::*;
use dualbody::constraint::*;
use dualbody::force::bushing::{BushingConstants, BushingOrientation};
use dualbody::force::*;
use dualbody::math::{RigidTransform, SpatialForce};
use dualbody::sensor::*;
use dualbody::tree::BodyIndex;
use nalgebra::Vector3;

/// An element, and what a machine with it does.
struct Component {
    name: &'static str,
    machine: Machine,
    tasks: &'static [Task],
}

impl Component {
    fn is_constrained(&self) -> bool {
        !self.machine.constraints().is_empty()
    }
}

/// Whether certificates name kinks of contacts and constraints too: those of discrete steps.
fn is_step(task: Task) -> bool {
    matches!(task, Task::Compliant | Task::Rigid)
}

const STEPS: &[Task] = &[Task::Dynamics, Task::Compliant];
const ALL: &[Task] = &[
    Task::Dynamics,
    Task::Compliant,
    Task::Rigid,
    Task::Continuous,
];

fn forces() -> Vec<Component> {
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
    let under = BodyPoint::new(BALL, Vector3::new(0.0, 0.0, -0.125));
    let lower = BodyPoint::new(ARM, Vector3::new(0.0, 0.0, 0.0));
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
    let component = |(name, force): (&'static str, _)| Component {
        name,
        machine: machine.clone().with_forces(vec![force]).unwrap(),
        tasks: STEPS,
    };
    all.into_iter().map(component).collect()
}

fn actuators() -> Vec<Component> {
    let (machine, frames) = mechanism();
    let tree = machine.tree();
    let torque = |limit| TorqueSource::new("motor", tree, HINGE, 2.0, limit).unwrap();
    let servo = |limit| PdServo::new("servo", tree, HINGE, [8.0, 0.5], limit).unwrap();
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
        ("servo at its limit", servo(Some(0.0)).into()),
        ("servo with a limit", servo(Some(8.0)).into()),
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
            "lag",
            FirstOrderLag::new("lag", 0.1, Box::new(torque(Some(1.0)).into()))
                .unwrap()
                .into(),
        ),
    ];
    let component = |(name, actuator): (&'static str, _)| Component {
        name,
        machine: machine.clone().with_actuators(vec![actuator]).unwrap(),
        tasks: STEPS,
    };
    all.into_iter().map(component).collect()
}

fn sensors() -> Vec<Component> {
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
    let component = |(name, sensor): (&'static str, _)| Component {
        name,
        machine: machine.clone().with_sensors(vec![sensor]).unwrap(),
        tasks: &[Task::Compliant, Task::Continuous],
    };
    all.into_iter().map(component).collect()
}

fn constraints() -> Vec<Component> {
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
    let component = |(name, constraint): (&'static str, _)| Component {
        name,
        machine: machine.clone().with_constraints(vec![constraint]).unwrap(),
        tasks: ALL,
    };
    all.into_iter().map(component).collect()
}

fn mechanisms() -> Vec<Component> {
    let (machine, _) = mechanism();
    let mut options = *machine.options();
    options.rigid_contact = true;
    let rigid = machine.clone().with_options(options).unwrap();
    vec![
        Component {
            name: "mechanism",
            machine,
            tasks: ALL,
        },
        Component {
            name: "mechanism with rigid contact",
            machine: rigid,
            tasks: &[Task::Dynamics, Task::Continuous],
        },
    ]
}

/// Every component in every state; names those that fail.
fn walk(components: &[Component]) {
    let (mut failures, mut refused) = (Vec::new(), 0);
    for component in components {
        for singular in STATES {
            for number in 0..CURVES {
                let curve = singular.curve(&component.machine, number);
                for &task in component.tasks {
                    let machine = &component.machine;
                    let check = Check {
                        machine,
                        task,
                        curve: &curve,
                        certified: is_step(task)
                            || !(singular.touches() || component.is_constrained()),
                        // Kinks of contacts and of an element, at once.
                        many_sided: !is_step(task) && singular.touches(),
                    };
                    match check.run() {
                        Ok(true) => {}
                        Ok(false) => {
                            refused += 1;
                            println!("refused: {}, {task:?}, {}", component.name, singular.name);
                        }
                        Err(what) => failures.push(format!(
                            "{}, {task:?}, {}, curve {number}: {what}",
                            component.name, singular.name
                        )),
                    }
                }
            }
        }
    }
    println!("{refused} refused");
    report(&failures);
}

#[test]
fn mechanisms_are_differentiable_in_every_state() {
    walk(&mechanisms());
}

#[test]
fn force_elements_are_differentiable_in_every_state() {
    walk(&forces());
}

#[test]
fn actuators_are_differentiable_in_every_state() {
    walk(&actuators());
}

#[test]
fn sensors_are_differentiable_in_every_state() {
    walk(&sensors());
}

#[test]
fn constraints_are_differentiable_in_every_state() {
    walk(&constraints());
}
