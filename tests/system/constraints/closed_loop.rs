//! A humanoid whose hands hold one bar: a loop through both arms, with motors, encoders and feet on the
//! ground, in every scheme.

use crate::support::reference::data;
use dualbody::actuator::PdServo;
use dualbody::constraint::{BallConstraint, WeldConstraint};
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::io::urdf::UrdfReader;
use dualbody::math::RigidTransform;
use dualbody::sensor::Encoder;
use dualbody::system::{
    IntegrationMethod, RigidBodySystem, Scheme, State, StepDifferentiator, StepJacobian,
    TimeSteppingRigidBodySystem,
};
use dualbody::tree::{BodyIndex, JointIndex, JointKind, RigidBodyTree};
use nalgebra::{DVector, Vector3};

type Humanoid = RigidBodySystem<f64>;

/// Where the bar is held, in the left hand.
fn grip() -> Vector3<f64> {
    Vector3::new(0.0, 0.0, -0.08)
}

/// Standing with its feet 1 mm in the ground, and the bar in its hands.
fn without_motors() -> (Humanoid, State<f64>, [BodyIndex; 2]) {
    let material = ContactMaterial::new(1e5, 0.5, 0.8).unwrap();
    let reader = UrdfReader::new().with_material(material).unwrap();
    let (tree, model) = reader
        .tree_from_file(data("models").join("humanoid.urdf"))
        .unwrap();
    let hands = ["left", "right"].map(|side| {
        tree.body_by_name(&format!("{side}_arm_wrist_roll"))
            .unwrap()
    });
    let mut contact = ContactModelBuilder::new();
    for geometry in model.collision_geometries {
        contact.add_geometry(geometry).unwrap();
    }
    let ground = CollisionGeometry {
        name: "ground".to_owned(),
        body: BodyIndex::WORLD,
        pose_in_body: RigidTransform::identity(),
        shape: Shape::HalfSpace,
        material,
    };
    contact.add_geometry(ground).unwrap();
    let contact = contact.finish(&tree).unwrap();
    let encoders: Vec<_> = turning(&tree)
        .map(|(joint, name)| {
            let name = format!("encoder {name}");
            Encoder::new(name, &tree, joint, 1e-4).unwrap()
        })
        .collect();
    let system = RigidBodySystem::new(tree, contact)
        .unwrap()
        .with_sensors(encoders)
        .unwrap();

    let mut start = system.initial_state();
    let lowest = (system.contact())
        .contacts(system.tree(), &placed(&system, &start), f64::INFINITY)
        .unwrap()
        .iter()
        .map(|c| -c.penetration)
        .fold(f64::INFINITY, f64::min);
    start.q[6] -= lowest + 1e-3;
    let [left, right] = ["left", "right"]
        .map(|side| (system.body_pose(&start, &format!("{side}_arm_wrist_roll"))).unwrap());
    let bar = right
        .inverse()
        .transform_point(&left.transform_point(&grip()));
    let ball = BallConstraint::new("bar", (hands[0], grip()), (hands[1], bar)).unwrap();
    let system = system.with_constraints([ball]).unwrap();
    (system, start, hands)
}

/// The same with servos of these gains.
fn with_servos(system: Humanoid, gains: [f64; 2]) -> Humanoid {
    let servos: Vec<_> = turning(system.tree())
        .map(|(joint, name)| {
            let name = format!("servo {name}");
            PdServo::new(name, system.tree(), joint, gains, None).unwrap()
        })
        .collect();
    system.with_actuators(servos).unwrap()
}

fn humanoid() -> (Humanoid, State<f64>, [BodyIndex; 2]) {
    let (system, start, hands) = without_motors();
    (with_servos(system, [100.0, 0.5]), start, hands)
}

fn turning(tree: &RigidBodyTree<f64>) -> impl Iterator<Item = (JointIndex, String)> + '_ {
    (tree.joints())
        .filter(|joint| matches!(joint.kind(), JointKind::Revolute { .. }))
        .map(|joint| (joint.index(), joint.name().to_owned()))
}

fn placed(system: &Humanoid, state: &State<f64>) -> dualbody::tree::TreeWorkspace<f64> {
    let mut placed = system.tree().workspace();
    (system.tree())
        .set_state(&mut placed, state.q.as_slice(), state.v.as_slice())
        .unwrap();
    placed
}

fn stepper(system: &Humanoid, dt: f64, scheme: Scheme) -> TimeSteppingRigidBodySystem<f64> {
    TimeSteppingRigidBodySystem::with_scheme(system.clone(), dt, scheme).unwrap()
}

#[test]
fn a_humanoid_holds_a_bar_in_every_scheme() {
    let (system, start, _) = humanoid();
    let inputs = system.num_inputs();
    assert_eq!((inputs, system.num_outputs()), (60, 90));
    let bar = |state: &State<f64>| {
        let right = system.body_pose(state, "right_arm_wrist_roll").unwrap();
        let left = system.body_pose(state, "left_arm_wrist_roll").unwrap();
        right
            .inverse()
            .transform_point(&left.transform_point(&grip()))
    };
    let held = bar(&start);
    let continuous = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 8,
    };
    let mut elbows = Vec::new();
    for (scheme, dt, drift) in [
        (Scheme::Compliant, 1e-3, 1e-5),
        (Scheme::Rigid, 1e-3, 1e-5),
        (continuous, 1e-3, 1e-5),
    ] {
        let stepper = stepper(&system, dt, scheme);
        let steps = (0.1 / dt).round() as usize;
        let mut workspace = stepper.workspace().unwrap();
        let mut state = start.clone();
        let mut most = 0.0_f64;
        for k in 0..steps {
            // One elbow is asked to bend; the bar takes the other arm along.
            let mut input = vec![0.0; inputs];
            let elbow = system.input_index("servo humanoid/left_arm_elbow_joint/position");
            input[elbow.unwrap()] = -0.5 * (k as f64 / steps as f64);
            let mut step = stepper.step(&mut workspace, &state, &input).unwrap();
            assert!(!step.contacts().unwrap().is_empty(), "{scheme:?}");
            assert_eq!(step.constraint_forces().unwrap().len(), 3, "{scheme:?}");
            let output = step.output().clone();
            state.clone_from(step.state());
            most = most.max((bar(&state) - held).norm());
            assert!(output.iter().all(|y| y.is_finite()));
        }
        assert!(most < drift, "{scheme:?}: {most:e}");
        let joint = |side: &str| {
            let joint = (system.tree()).joint_by_name(&format!("humanoid/{side}_arm_elbow_joint"));
            state.q[system
                .tree()
                .joint(joint.unwrap())
                .unwrap()
                .position_start()]
        };
        elbows.push([joint("left"), joint("right")]);
    }
    for other in &elbows[1..] {
        for (a, b) in elbows[0].iter().zip(other) {
            assert!((a - b).abs() < 0.02, "{elbows:?}");
        }
    }
    assert!(elbows[0][0] < -0.02, "{elbows:?}");
}

#[test]
fn the_step_of_a_humanoid_with_a_bar_has_the_slopes_of_differences() {
    let (system, mut start, _) = humanoid();
    for (i, v) in start.v.iter_mut().enumerate() {
        *v = 0.05 * (1.0 + i as f64).sin();
    }
    let stepper = stepper(&system, 1e-3, Scheme::Compliant);
    let input: Vec<f64> = (0..system.num_inputs())
        .map(|i| 0.1 * (i as f64).cos())
        .collect();
    let mut differentiator = StepDifferentiator::new(&stepper, &[]).unwrap();
    let mut jacobian = StepJacobian::default();
    differentiator
        .jacobian(&start, &input, &mut jacobian)
        .unwrap();
    let direction = |n: usize, phase: f64| DVector::from_fn(n, |i, _| (phase + i as f64).sin());
    let (dv, du) = (direction(start.v.len(), 0.3), direction(input.len(), 1.7));
    let mut workspace = stepper.workspace().unwrap();
    let mut end = |h: f64| {
        let mut state = start.clone();
        state.v += &dv * h;
        let input = DVector::from_column_slice(&input) + &du * h;
        let step = stepper.step(&mut workspace, &state, input.as_slice());
        step.unwrap().state().v.clone()
    };
    let mut central = |h: f64| (end(h) - end(-h)) / (2.0 * h);
    let expected = (central(1e-5) * 4.0 - central(2e-5)) / 3.0;
    let (nq, nv) = (start.q.len(), start.v.len());
    let found = jacobian.state.view((nq, nq), (nv, nv)) * dv + jacobian.input.rows(nq, nv) * du;
    let error = (&found - &expected).amax() / expected.amax();
    assert!(error < 1e-7, "{error:e}");
}

/// Forces that depend on velocities, even where they are zero, take steps along another way to the same root: springs about
/// multipliers in place of rows that are condensed out.
#[test]
fn two_ways_lead_to_one_step_with_contacts_and_a_bar() {
    let (plain, start, _) = without_motors();
    let idle = with_servos(plain.clone(), [0.0, 0.0]);
    let steppers = [&plain, &idle].map(|system| stepper(system, 1e-3, Scheme::Compliant));
    let mut workspaces = steppers
        .each_ref()
        .map(|stepper| stepper.workspace().unwrap());
    let mut state = start;
    let mut contacts = 0;
    for k in 0..300 {
        let ends = [0, 1].map(|i| {
            let input = vec![0.0; steppers[i].num_inputs()];
            let start = state.clone();
            let mut step = steppers[i]
                .step(&mut workspaces[i], &start, &input)
                .unwrap();
            contacts += step.contacts().unwrap().len();
            assert!(
                step.status().residual < 1e-11,
                "{k}, {i}: {:e}",
                step.status().residual
            );
            let impulses: Vec<f64> = (step.constraint_forces().unwrap().iter())
                .map(|force| force.force)
                .collect();
            (step.state().clone(), impulses)
        });
        let [(a, forces_a), (b, forces_b)] = &ends;
        let error = (&a.v - &b.v).amax() / a.v.amax();
        assert!(error < 1e-10, "{k}: {error:e}");
        for (a, b) in forces_a.iter().zip(forces_b) {
            assert!((a - b).abs() < 1e-8 * a.abs().max(1.0), "{k}: {a} and {b}");
        }
        state = a.clone();
    }
    assert!(contacts > 1000, "{contacts}");
}

/// Two bodies that are one, welded once more: rows that nothing can move have the round-off of positions for an error,
/// which is none.
#[test]
fn what_is_held_already_may_be_held_again() {
    use crate::support::random_contact::Random;
    use dualbody::contact::ContactModel;
    use dualbody::math::{SpatialInertia, rotation};
    use dualbody::tree::RigidBodyTreeBuilder;
    let mut random = Random::new(3);
    for case in 0..60 {
        let mut vector = |size: f64| Vector3::from_fn(|_, _| random.uniform(-size, size));
        let mut pose = || RigidTransform::new(rotation::exp(&vector(2.0)), vector(1.0));
        let (hung, fixed, welded) = (pose(), pose(), pose());
        let mut tree = RigidBodyTreeBuilder::new();
        let inertia = SpatialInertia::solid_sphere(1.0, 0.1);
        let bodies = ["one", "two"].map(|name| tree.add_body(name, inertia).unwrap());
        tree.add_joint("ball", JointKind::Ball, BodyIndex::WORLD, hung, bodies[0])
            .unwrap();
        tree.add_joint("fixed", JointKind::Fixed, bodies[0], fixed, bodies[1])
            .unwrap();
        let again = (bodies[1], fixed.inverse() * welded);
        let weld = WeldConstraint::new("weld", (bodies[0], welded), again).unwrap();
        let system = RigidBodySystem::new(tree.finish().unwrap(), ContactModel::none()).unwrap();
        let system = system.with_constraints([weld]).unwrap();
        for scheme in [Scheme::Compliant, Scheme::Rigid] {
            let system = TimeSteppingRigidBodySystem::with_scheme(system.clone(), 3e-3, scheme);
            let system = system.unwrap();
            let mut start = system.initial_state();
            start.v.copy_from_slice(vector(1.0).as_slice());
            let states = system.rollout(&start, 20);
            assert!(states.is_ok(), "{case}, {scheme:?}: {:?}", states.err());
        }
    }
}
