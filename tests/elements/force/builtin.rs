//! The other elements of the crate: laws, closed forms, singular states, errors.

use super::laws::{check_action_and_reaction, check_element};
use crate::support::random_tree::{Random, Style, random_state, random_tree};
use crate::support::scenes::cube;
use dualbody::Parameters;
use dualbody::contact::ContactModel;
use dualbody::force::*;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::tree::{
    BodyIndex, JointIndex, JointKind, Mimic, RigidBodyTree, RigidBodyTreeBuilder,
};
use nalgebra::{Vector3, dvector};

/// A mass on a rail along x and, on it, an arm that turns about y.
pub fn cart() -> RigidBodyTree<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    builder.set_gravity(Vector3::zeros()).unwrap();
    let inertia = SpatialInertia::solid_box(2.0, &Vector3::repeat(0.2));
    let body = builder.add_body("cart", inertia).unwrap();
    let arm = builder.add_body("arm", inertia).unwrap();
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    let at = RigidTransform::identity();
    builder
        .add_joint("rail", rail, BodyIndex::WORLD, at, body)
        .unwrap();
    builder.add_joint("hinge", hinge, body, at, arm).unwrap();
    builder.finish().unwrap()
}

pub const CART: BodyIndex = BodyIndex::new(1);
pub const RAIL: JointIndex = JointIndex::new(0);
pub const HINGE: JointIndex = JointIndex::new(1);

fn generalized(element: &(impl ForceElement<f64> + Clone), q: [f64; 2], v: [f64; 2]) -> [f64; 2] {
    let tree = cart();
    element.validate(&tree).unwrap();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let mut forces = Forces::new(&tree);
    let context = ForceContext::new(&tree, &workspace);
    element.add_forces(&context, &mut forces).unwrap();
    let mut out = [0.0; 2];
    forces.project(&tree, &mut workspace, &mut out).unwrap();
    out
}

fn near(actual: [f64; 2], expected: [f64; 2]) {
    for (a, e) in actual.iter().zip(expected) {
        assert!(
            (a - e).abs() < 1e-12 * (1.0 + e.abs()),
            "{actual:?} {expected:?}"
        );
    }
}

pub fn spring(free_length: f64) -> LinearSpringDamper<f64> {
    LinearSpringDamper {
        name: "spring".into(),
        first: BodyPoint::origin(BodyIndex::WORLD),
        second: BodyPoint::new(CART, Vector3::new(0.1, 0.0, 0.0)),
        stiffness: 30.0,
        damping: 2.0,
        free_length,
        softening: 1e-3,
    }
}

pub fn joint_spring(joint: JointIndex, motion: JointMotion) -> JointSpring<f64> {
    JointSpring {
        name: "joint".into(),
        joint,
        motion,
        stiffness: 5.0,
        damping: 0.5,
        nominal_position: 0.2,
    }
}

pub fn stops() -> JointStops<f64> {
    JointStops {
        name: "stops".into(),
        joint: RAIL,
        motion: JointMotion::Translation,
        stiffness: 100.0,
        dissipation: 0.5,
        lower: -1.0,
        upper: 2.0,
    }
}

pub fn contact() -> DirectContact<f64> {
    DirectContact {
        name: "contact".into(),
        point: BodyPoint::new(CART, Vector3::new(0.0, 0.0, -0.1)),
        plane: BodyIndex::WORLD.into(),
        stiffness: 400.0,
        damping: 20.0,
        friction: 0.5,
    }
}

pub fn wing() -> FlatPlateWing<f64> {
    FlatPlateWing {
        name: "wing".into(),
        point: BodyPoint::new(CART, Vector3::new(0.0, 0.3, 0.0)),
        normal: Vector3::new(0.6, 0.0, 0.8),
        density: 1.2,
        area: 0.5,
    }
}

pub fn drag() -> AerodynamicDrag<f64> {
    AerodynamicDrag {
        name: "drag".into(),
        point: BodyPoint::new(CART, Vector3::new(0.0, 0.1, 0.2)),
        density: 1.2,
        drag_area: 0.7,
    }
}

fn thruster(expressed_in: ExpressedIn) -> AppliedForce<f64> {
    AppliedForce {
        name: "thruster".into(),
        point: BodyPoint::new(CART, Vector3::new(0.1, 0.2, 0.3)),
        torque: Vector3::new(0.1, 0.2, 0.3),
        force: Vector3::new(1.0, 2.0, 3.0),
        expressed_in,
    }
}

fn gravity() -> UniformGravity<f64> {
    UniformGravity {
        name: "field".into(),
        acceleration: Vector3::new(1.0, 2.0, -3.0),
    }
}

#[test]
fn the_laws_hold_for_all() {
    for seed in 0..4 {
        let tree = random_tree(seed, 5, Style::General);
        let (q, v) = random_state(&tree, seed);
        let mut random = Random::new(seed);
        let mut point = |body: usize| BodyPoint::new(BodyIndex::new(body), random.vector());
        let spring = LinearSpringDamper {
            first: point(2),
            second: point(5),
            softening: 0.1,
            ..spring(0.7)
        };
        check_element(&tree, &spring, &q, &v);
        check_action_and_reaction(&tree, &spring, &q, &v);
        check_element(&tree, &thruster(ExpressedIn::World), &q, &v);
        check_element(&tree, &thruster(ExpressedIn::Body), &q, &v);
        check_element(&tree, &gravity(), &q, &v);
        check_element(&tree, &wing(), &q, &v);
        let damping = check_element(&tree, &drag(), &q, &v);
        assert!((&damping - damping.transpose()).amax() < 1e-9);
        assert!(damping.symmetric_eigenvalues().min() > -1e-9);
        let friction = JointFriction {
            name: "friction".into(),
            speed: 0.5,
        };
        check_element(&tree, &friction, &q, &v);
        // A plane on one body, below a point of another.
        let contact = DirectContact {
            point: point(4),
            plane: BodyIndex::new(1).into(),
            ..contact()
        };
        check_element(&tree, &contact, &q, &v);
        check_action_and_reaction(&tree, &contact, &q, &v);
        for joint in tree.joints() {
            let index = joint.index();
            let motion = match joint.kind() {
                JointKind::Prismatic { .. } => JointMotion::Translation,
                JointKind::Revolute { .. } | JointKind::Continuous { .. } => JointMotion::Rotation,
                _ => continue,
            };
            check_element(&tree, &joint_spring(index, motion), &q, &v);
            let stops = JointStops {
                joint: index,
                motion,
                lower: 0.05,
                upper: 0.06,
                ..stops()
            };
            check_element(&tree, &AnyForce::new(stops), &q, &v);
        }
    }
}

#[test]
fn forces_are_those_of_the_formulas() {
    // ℓ = √(0.4² + 10⁻⁶), pulled back along x.
    let length = f64::hypot(0.4, 1e-3);
    let pull = (30.0 * (length - 0.3) + 2.0 * 0.4 / length * 0.5) * 0.4 / length;
    near(
        generalized(&spring(0.3), [0.3, 0.0], [0.5, 0.0]),
        [-pull, 0.0],
    );
    let rail = joint_spring(RAIL, JointMotion::Translation);
    near(generalized(&rail, [0.5, 1.0], [2.0, 3.0]), [-2.5, 0.0]);
    let hinge = joint_spring(HINGE, JointMotion::Rotation);
    near(generalized(&hinge, [0.5, 1.0], [2.0, 3.0]), [0.0, -5.5]);
    for (x, v, force) in [
        (0.0, 9.0, 0.0),
        (-1.2, 0.0, 20.0),
        (-1.2, -1.0, 30.0),
        (2.1, 1.0, -15.0),
        (2.1, -3.0, 0.0),
    ] {
        near(generalized(&stops(), [x, 0.0], [v, 0.0]), [force, 0.0]);
    }
    let one_sided = JointStops {
        lower: f64::NEG_INFINITY,
        ..stops()
    };
    near(generalized(&one_sided, [-100.0, 0.0], [0.0; 2]), [0.0; 2]);
    near(
        generalized(&drag(), [0.0; 2], [3.0, 0.0]),
        [-0.5 * 1.2 * 0.7 * 9.0, 0.0],
    );
    // n·v = 0.6·3, along n.
    near(
        generalized(&wing(), [0.0; 2], [3.0, 0.0]),
        [-1.2 * 0.5 * 3.0 * 1.8 * 0.6, 0.0],
    );
    near(
        generalized(&thruster(ExpressedIn::World), [0.0; 2], [0.0; 2]),
        [1.0, 0.0],
    );
    near(generalized(&gravity(), [0.0; 2], [0.0; 2]), [4.0, 0.0]);
    // Sliding at 3 m/s, 0.1 m deep: μ f_n = 20 N limits b ‖v_t‖ = 60 N; at 0.5 m/s it is 10 N.
    near(generalized(&contact(), [0.0; 2], [3.0, 0.0]), [-20.0, 0.0]);
    near(generalized(&contact(), [0.0; 2], [0.5, 0.0]), [-10.0, 0.0]);
    let above = DirectContact {
        point: BodyPoint::origin(CART),
        ..contact()
    };
    near(generalized(&above, [0.0; 2], [3.0, 0.0]), [0.0; 2]);
}

#[test]
fn dry_friction_holds_and_gives_way() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::point_mass(2.0, Vector3::zeros());
    let body = builder.add_body("cart", inertia).unwrap();
    let rail = JointKind::Prismatic { axis: Vector3::x() };
    let at = RigidTransform::identity();
    builder
        .add_joint("rail", rail, BodyIndex::WORLD, at, body)
        .unwrap();
    let mut tree = builder.finish().unwrap();
    tree.set_parameter("joint/rail/friction", 5.0).unwrap();
    let friction = JointFriction {
        name: "friction".into(),
        speed: 1e-4,
    };
    let system = (TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 0.01).unwrap())
        .with_forces([friction])
        .unwrap()
        .with_generalized_forces()
        .unwrap();
    let mut workspace = system.workspace().unwrap();
    let run = |workspace: &mut _, v: f64, push: f64| {
        let start = State::new(dvector![0.0], dvector![v]);
        let rollout = system.rollout_with(workspace, &start, 100, |_, _, tau| tau[0] = push);
        rollout.completed().unwrap().last().clone()
    };
    // It stops within v²/(2 f/m) and stays; a push below f does not move it, one above does.
    let end = run(&mut workspace, 1.0, 0.0);
    assert!(end.v[0].abs() < 1e-6 && (end.q[0] - 0.2).abs() < 0.01);
    assert!(run(&mut workspace, 0.0, 4.9).v[0] < 1e-3);
    assert!((run(&mut workspace, 0.0, 7.0).v[0] - 1.0).abs() < 1e-3);
}

/// Two hanging links, of which the second joint has limits and the third follows it half as far.
#[test]
fn limits_of_a_tree_become_stops() {
    let mut builder = RigidBodyTreeBuilder::new();
    let mut carrier = BodyIndex::WORLD;
    let at = RigidTransform::from_translation(Vector3::new(0.0, 0.0, -0.5));
    let mut joints = Vec::new();
    for name in ["upper", "middle", "lower"] {
        let inertia = SpatialInertia::point_mass(1.0, Vector3::new(0.0, 0.0, -0.4));
        let link = builder.add_body(name, inertia).unwrap();
        let hinge = JointKind::Revolute { axis: Vector3::y() };
        let name = format!("{name}_hinge");
        joints.push(builder.add_joint(&name, hinge, carrier, at, link).unwrap());
        carrier = link;
    }
    let infinite = f64::INFINITY;
    (builder.set_position_limits(joints[1], &[-infinite], &[0.3])).unwrap();
    (builder.set_position_limits(joints[2], &[-1.0], &[0.2])).unwrap();
    let half_as_far = Mimic {
        joint: joints[1],
        multiplier: 0.5,
        offset: 0.1,
    };
    builder.set_mimic(joints[2], half_as_far).unwrap();
    let tree = builder.finish().unwrap();
    let stops = JointStops::of_tree(&tree, |motion| {
        assert_eq!(motion, JointMotion::Rotation);
        (2e4, 0.5)
    });
    let limits: Vec<_> = stops.iter().map(|s| (s.joint, s.lower, s.upper)).collect();
    let expected = [(joints[1], -infinite, 0.3), (joints[2], -1.0, 0.2)];
    assert_eq!(limits, expected);

    let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 1e-3).unwrap();
    let farthest = |system: &TimeSteppingRigidBodySystem<f64>| {
        let mut workspace = system.workspace().unwrap();
        let start = State::new(dvector![-1.5, -1.0], dvector![0.0, 0.0]);
        let rollout = system.rollout_with(&mut workspace, &start, 2000, |_, _, _| {});
        let states = rollout.completed().unwrap().states;
        states.iter().map(|s| s.q[1]).fold(f64::MIN, f64::max)
    };
    assert!(farthest(&system) > 0.5);
    // The one that follows is at its limit when the other has turned by 0.2.
    let stopped = farthest(&system.with_forces(stops).unwrap());
    assert!(0.2 < stopped && stopped < 0.3, "{stopped}");
}

#[test]
fn what_does_not_fit_is_named() {
    let tree = cart();
    let rejected = |element: &dyn ForceElement<f64>, expected: &str| {
        let text = element.validate(&tree).unwrap_err().to_string();
        assert!(
            text.contains(expected),
            "{text} does not contain {expected}"
        );
    };
    let missing = BodyPoint::origin(BodyIndex::new(9));
    let bad = BodyPoint::new(CART, Vector3::repeat(f64::NAN));
    rejected(
        &LinearSpringDamper {
            first: missing,
            ..spring(0.1)
        },
        "no body 9",
    );
    rejected(
        &LinearSpringDamper {
            first: bad,
            ..spring(0.1)
        },
        "first[0]",
    );
    rejected(
        &LinearSpringDamper {
            stiffness: -1.0,
            ..spring(0.1)
        },
        "stiffness",
    );
    rejected(
        &LinearSpringDamper {
            softening: 0.0,
            ..spring(0.1)
        },
        "softening",
    );
    rejected(&joint_spring(RAIL, JointMotion::Rotation), "revolute");
    rejected(&joint_spring(HINGE, JointMotion::Translation), "prismatic");
    rejected(
        &joint_spring(JointIndex::new(7), JointMotion::Rotation),
        "no joint 7",
    );
    rejected(
        &JointStops {
            lower: 3.0,
            ..stops()
        },
        "upper limit",
    );
    rejected(
        &JointStops {
            dissipation: f64::NAN,
            ..stops()
        },
        "dissipation",
    );
    rejected(
        &JointFriction {
            name: "f".into(),
            speed: 0.0,
        },
        "speed",
    );
    rejected(
        &FlatPlateWing {
            normal: Vector3::zeros(),
            ..wing()
        },
        "length of the normal",
    );
    rejected(
        &AerodynamicDrag {
            density: -1.0,
            ..drag()
        },
        "density",
    );
    rejected(
        &DirectContact {
            friction: -0.1,
            ..contact()
        },
        "friction",
    );
    rejected(
        &DirectContact {
            plane: BodyIndex::new(8).into(),
            ..contact()
        },
        "no body 8",
    );
    let mut field = gravity();
    field.acceleration.y = f64::INFINITY;
    rejected(&field, "acceleration");
    // A joint with other degrees of freedom, or none, is an error even without validation.
    let system = cube(1e-3);
    let workspace = system.tree().workspace();
    let context = ForceContext::new(system.tree(), &workspace);
    let mut forces = Forces::new(system.tree());
    for joint in [0, 5] {
        let element = joint_spring(JointIndex::new(joint), JointMotion::Rotation);
        assert!(element.add_forces(&context, &mut forces).is_err());
    }
    assert!(forces.is_empty());
}

#[test]
fn a_list_of_elements_lists_its_parameters() {
    let elements = [
        AnyForce::new(drag()),
        AnyForce::new(joint_spring(HINGE, JointMotion::Rotation)),
    ];
    let system = (TimeSteppingRigidBodySystem::new(cart(), ContactModel::none(), 0.01).unwrap())
        .with_forces(elements)
        .unwrap();
    let listed = system.parameters();
    let find = |name: &str| listed.iter().find(|p| p.name == name).unwrap();
    assert_eq!(
        (
            find("force/drag/drag_area").unit,
            find("force/drag/drag_area").value
        ),
        ("m²", 0.7)
    );
    assert_eq!(find("force/joint/stiffness").unit, "N m/rad");
    assert_eq!(
        find("force/joint/nominal_position").lower,
        f64::NEG_INFINITY
    );
}
