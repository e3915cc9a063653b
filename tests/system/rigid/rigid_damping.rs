//! Forces that depend on velocities, in steps with rigid contact: implicit, as in compliant steps.

use crate::support::scenes::geometry;
use dualbody::Parameters;
use dualbody::actuator::PdServo;
use dualbody::autodiff::JacobianChecker;
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder, ContactResult};
use dualbody::force::{
    AerodynamicDrag, AnyForce, BodyPoint, JointFriction, JointSpring, LinearSpringDamper,
};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{
    RigidBodySystem, Scheme, StepDifferentiator, StepJacobian, SystemError,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::{Dual2_64, DualNum};

const G: f64 = 9.81;
const DT: f64 = 0.01;
const MU: f64 = 0.3;

fn close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-10 * (1.0 + b.abs()), "{a} and {b}");
}

/// A box of 0.1 m on the ground.
fn on_the_ground(tree: &RigidBodyTree<f64>, body: BodyIndex) -> ContactModel<f64> {
    on_the_ground_with(tree, body, None)
}

fn on_the_ground_with(
    tree: &RigidBodyTree<f64>,
    body: BodyIndex,
    restitution: Option<f64>,
) -> ContactModel<f64> {
    let mut contact = ContactModelBuilder::new();
    let mut material = ContactMaterial::new(1e5, 0.0, MU).unwrap();
    material.restitution = restitution;
    let cube = Shape::new_box(Vector3::repeat(0.1)).unwrap();
    for (name, body, shape) in [
        ("box", body, cube),
        ("ground", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        let geometry = geometry(name, body, shape, material);
        contact.add_geometry(geometry).unwrap();
    }
    contact.finish(tree).unwrap()
}

/// A carriage of 1 kg slides along x and carries a box of 2 kg up and down, which rests on the ground.
fn carriage(damping: f64, damper: f64) -> TimeSteppingRigidBodySystem<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = |mass| SpatialInertia::solid_box(mass, &Vector3::repeat(0.1));
    let cart = builder.add_body("cart", inertia(1.0)).unwrap();
    let cube = builder.add_body("box", inertia(2.0)).unwrap();
    let world = BodyIndex::WORLD;
    let mut slide = |name: &str, axis, parent, child| {
        let kind = JointKind::Prismatic { axis };
        let at = RigidTransform::identity();
        builder.add_joint(name, kind, parent, at, child).unwrap()
    };
    let along = slide("along", Vector3::x(), world, cart);
    slide("up", Vector3::z(), cart, cube);
    builder.set_damping(along, &[damping]).unwrap();
    let tree = builder.finish().unwrap();
    let contact = on_the_ground(&tree, cube);
    let damper = JointSpring::new("damper", &tree, along, 0.0, damper, 0.0).unwrap();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let system = system.with_forces([damper]).unwrap();
    TimeSteppingRigidBodySystem::rigid(system, DT).unwrap()
}

#[test]
fn dampers_brake_as_at_the_end_of_the_step() {
    for (joint, damper) in [(5.0, 0.0), (5.0, 3.0), (1e6, 0.0), (0.0, 1e7)] {
        let mut system = carriage(joint, damper).cast::<Dual2_64>();
        let constant = Dual2_64::from(damper).derivative();
        system.set_parameter("damper/damping", constant).unwrap();
        let mut workspace = system.workspace().unwrap();
        let mut state = system.initial_state();
        state.q[1] = Dual2_64::from(0.05);
        state.v[0] = Dual2_64::from(2.0);
        let step = system.step(&mut workspace, &state, &[]).unwrap();
        let v = step.state().v[0];
        let momentum = 3.0 * 2.0 - DT * MU * 2.0 * G;
        let inertia = Dual2_64::from(3.0) + (constant + joint) * DT;
        let expected = inertia.recip() * f64::max(momentum, 0.0);
        close(v.re, expected.re);
        close(v.v1, expected.v1);
        close(v.v2, expected.v2);
        close(step.state().v[1].re, 0.0);
    }
}

/// `m (v⁺ − v) = −δt (½ ρ A v⁺² + μ m g)`, with the derivatives with respect to A.
#[test]
fn drag_is_that_of_the_end_of_the_step() {
    let mass = 0.5;
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_box(mass, &Vector3::repeat(0.1));
    let body = builder.add_body("box", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let contact = on_the_ground(&tree, body);
    let point = BodyPoint::new(body, Vector3::zeros());
    let drag = AerodynamicDrag::new("drag", &tree, point, 1.2, 10.0).unwrap();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let system = system.with_forces([drag]).unwrap();
    let system = TimeSteppingRigidBodySystem::rigid(system, DT).unwrap();
    for speed in [1.0, 30.0, 1e4] {
        for area in [0.01, 1.0, 100.0] {
            let real = {
                let mut system = system.clone();
                system.set_parameter("drag/drag_area", area).unwrap();
                let mut workspace = system.workspace().unwrap();
                let mut state = system.initial_state();
                (state.q[6], state.v[3]) = (0.05, speed);
                let step = system.step(&mut workspace, &state, &[]).unwrap();
                step.state().clone()
            };
            let area = Dual2_64::from(area).derivative();
            let mut system = system.cast::<Dual2_64>();
            system.set_parameter("drag/drag_area", area).unwrap();
            let mut workspace = system.workspace().unwrap();
            let mut state = system.initial_state();
            state.q[6] = Dual2_64::from(0.05);
            state.v[3] = Dual2_64::from(speed);
            let step = system.step(&mut workspace, &state, &[]).unwrap();
            let v = step.state().v[3];
            assert_eq!(v.re, real.v[3]);
            let a = area * (DT * 0.5 * 1.2 / mass);
            let rest = speed - DT * MU * G;
            let expected = ((a * (4.0 * rest) + 1.0).sqrt() + 1.0).recip() * (2.0 * rest);
            close(v.re, expected.re);
            close(v.v1, expected.v1);
            close(v.v2, expected.v2);
        }
    }
}

/// Two links, with damping and dry friction in the joints, a damper from the tip to the world and a servo that is far too
/// strong for explicit steps. The tip is a box.
fn arm(scheme: Scheme, restitution: Option<f64>) -> TimeSteppingRigidBodySystem<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let world = BodyIndex::WORLD;
    let link = SpatialInertia::point_mass(0.8, Vector3::new(0.2, 0.0, 0.0));
    let upper = builder.add_body("upper", link).unwrap();
    let lower = builder.add_body("lower", SpatialInertia::solid_sphere(0.4, 0.05));
    let lower = lower.unwrap();
    let mut hinge = |name: &str, parent, at, child| {
        let kind = JointKind::Revolute { axis: Vector3::y() };
        let at = RigidTransform::from_translation(at);
        builder.add_joint(name, kind, parent, at, child).unwrap()
    };
    let shoulder = hinge("shoulder", world, Vector3::new(0.0, 0.0, 0.3), upper);
    let elbow = hinge("elbow", upper, Vector3::new(0.4, 0.0, 0.0), lower);
    for joint in [shoulder, elbow] {
        builder.set_damping(joint, &[0.2]).unwrap();
        builder.set_friction(joint, &[0.3]).unwrap();
    }
    let tree = builder.finish().unwrap();
    let contact = on_the_ground_with(&tree, lower, restitution);
    let ends = [
        BodyPoint::new(lower, Vector3::new(0.05, 0.0, 0.0)),
        BodyPoint::new(world, Vector3::new(0.3, 0.1, 1.0)),
    ];
    let tie = LinearSpringDamper::new("tie", &tree, ends, 5.0, 30.0, 0.5, 1e-3).unwrap();
    let friction = JointFriction::new("friction", &tree, 1e-3).unwrap();
    let servo = PdServo::new("servo", &tree, elbow, [40.0, 50.0], None).unwrap();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let system = system
        .with_forces([AnyForce::new(tie), AnyForce::new(friction)])
        .unwrap();
    let system = system.with_actuators([servo]).unwrap();
    TimeSteppingRigidBodySystem::with_scheme(system, DT, scheme).unwrap()
}

/// Without contact the schemes differ in nothing.
#[test]
fn without_contact_rigid_and_compliant_steps_are_the_same() {
    let [rigid, compliant] = [Scheme::Rigid, Scheme::Compliant].map(|scheme| {
        let system = arm(scheme, None);
        let mut workspace = system.workspace().unwrap();
        let mut state = system.initial_state();
        state.q[0] = -0.6;
        (state.v[0], state.v[1]) = (2.0, -3.0);
        for _ in 0..50 {
            let mut step = system.step(&mut workspace, &state, &[0.3, 0.0]).unwrap();
            assert!(step.contacts().unwrap().iter().all(|c| c.force.z == 0.0));
            state = step.state().clone();
        }
        state
    });
    assert!((&rigid.q - &compliant.q).amax() < 1e-8);
    assert!((&rigid.v - &compliant.v).amax() < 1e-8);
    assert!(rigid.v.amax() > 1e-6);
}

/// On its way to the ground, in the impact and on it: derivatives by state, input and parameters against differences.
#[test]
fn derivatives_are_those_of_the_steps() {
    check_derivatives(None, 0.3);
}

/// The same of steps in which the tip rebounds, all of it or as much as gains no energy.
#[test]
fn derivatives_are_those_of_rebounds() {
    let limited = check_derivatives(Some(0.8), 0.3) + check_derivatives(Some(0.8), 1.0);
    assert!(limited > 0, "no rebound was limited");
}

/// Returns the number of steps that were looked at and whose rebound was limited.
fn check_derivatives(restitution: Option<f64>, mu: f64) -> usize {
    const PARAMETERS: [&str; 5] = [
        "tie/damping",
        "servo/derivative_gain",
        "friction/speed",
        "shoulder/damping",
        "time_step",
    ];
    let mut system = arm(Scheme::Rigid, restitution);
    system.set_parameter("friction/speed", 0.1).unwrap();
    for name in ["geometry/box/friction", "geometry/ground/friction"] {
        system.set_parameter(name, mu).unwrap();
    }
    let mut workspace = system.workspace().unwrap();
    let mut differentiator = StepDifferentiator::new(&system, &PARAMETERS).unwrap();
    let mut jacobian = StepJacobian::default();
    let mut state = system.initial_state();
    state.q[0] = 0.5;
    (state.v[0], state.v[1]) = (1.0, -1.0);
    let (mut touching, mut free, mut limited) = (0, 0, 0);
    for n in 0..40 {
        let input = [-0.4, 0.1];
        let mut step = system.step(&mut workspace, &state, &input).unwrap();
        let pushed = |c: &ContactResult<f64>| c.force.z > 1e-3;
        let touches = step.contacts().unwrap().iter().any(pushed);
        let share = step.status().rebound;
        limited += usize::from(share > 0.0 && share < 1.0);
        touching += usize::from(touches);
        free += usize::from(!touches);
        let next = step.state().clone();
        let made = differentiator.jacobian(&state, &input, &mut jacobian);
        assert_eq!(made.unwrap(), &next);
        if n % 3 == 0 || share < 1.0 {
            let parts = [&jacobian.state, &jacobian.input, &jacobian.parameters];
            let columns: Vec<_> = parts.iter().flat_map(|part| part.column_iter()).collect();
            let claimed = DMatrix::from_columns(&columns);
            let mut changed = system.clone();
            let from = |x: &[f64]| {
                for (name, &value) in PARAMETERS.iter().zip(&x[6..]) {
                    changed.set_parameter(name, value)?;
                }
                let mut state = state.clone();
                state.q.copy_from_slice(&x[..2]);
                state.v.copy_from_slice(&x[2..4]);
                let step = changed.step(&mut workspace, &state, &x[4..6])?;
                let entries: Vec<f64> = (step.state().q.iter().chain(&step.state().v))
                    .copied()
                    .collect();
                Ok::<_, SystemError>(DVector::from_vec(entries))
            };
            let mut x: Vec<f64> = state.q.iter().chain(&state.v).copied().collect();
            x.extend(input);
            x.extend(PARAMETERS.map(|name| system.parameter(name).unwrap()));
            let scales = x
                .iter()
                .map(|x: &f64| 1e-3 + 0.01 * x.abs())
                .collect::<Vec<_>>();
            let checker = JacobianChecker::default()
                .scales(scales)
                .tolerance(1e-6, 1e-8);
            checker.check(from, &x, &claimed).unwrap().assert_agrees();
        }
        state = next;
    }
    assert!(touching > 3 && free > 5, "{touching} and {free}");
    limited
}
