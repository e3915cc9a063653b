//! Building trees, finding their elements, parameters, and what is refused.

use crate::support::random_tree::{Style, assert_near, random_state, random_tree};
use dualbody::contact::ContactModelBuilder;
use dualbody::math::{RigidTransform, SpatialForce, SpatialInertia, SpatialVelocity, rotation};
use dualbody::parameter::ParameterError;
use dualbody::system::TimeSteppingRigidBodySystem;
use dualbody::tree::{
    BodyIndex, FrameIndex, JointIndex, JointKind, Mimic, RigidBodyTree, RigidBodyTreeBuilder,
    TreeError,
};
use dualbody::{InvalidInput, Parameters};
use nalgebra::{DMatrix, Matrix3, Vector3};
use num_dual::Dual64;

const HINGE: JointKind = JointKind::Revolute {
    axis: Vector3::new(0.0, 1.0, 0.0),
};

fn ball() -> SpatialInertia<f64> {
    SpatialInertia::solid_sphere(1.0, 0.1)
}

fn at_origin() -> RigidTransform<f64> {
    RigidTransform::identity()
}

/// World – a – b – c by hinges; free body d.
fn chain() -> RigidBodyTreeBuilder<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let mut parent = BodyIndex::WORLD;
    for name in ["a", "b", "c"] {
        let body = builder.add_body(format!("robot/{name}"), ball()).unwrap();
        let offset = RigidTransform::from_translation(Vector3::new(0.2, 0.0, 0.0));
        (builder.add_joint(format!("robot/to_{name}"), HINGE, parent, offset, body)).unwrap();
        parent = body;
    }
    builder.add_body("d", ball()).unwrap();
    builder
}

fn error<R: std::fmt::Debug>(result: Result<R, TreeError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn coordinates_are_numbered_depth_first() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    // Added from the leaves inwards, and the free body first.
    let [free, leaf, middle, other, root] = ["free", "leaf", "middle", "other", "root"]
        .map(|name| builder.add_body(name, ball()).unwrap());
    let mut add = |name: &str, kind, parent, child| {
        builder
            .add_joint(name, kind, parent, at_origin(), child)
            .unwrap()
    };
    let j_leaf = add("j_leaf", JointKind::Ball, middle, leaf);
    let j_middle = add("j_middle", JointKind::Fixed, root, middle);
    let j_other = add("j_other", HINGE, root, other);
    let j_root = add("j_root", JointKind::Floating, BodyIndex::WORLD, root);
    let tree = builder.finish().unwrap();
    let j_free = tree.joint_by_name("free").unwrap();
    let ranges = [j_root, j_middle, j_leaf, j_other, j_free].map(|j| {
        let j = tree.joint(j).unwrap();
        (
            j.position_start(),
            j.num_positions(),
            j.velocity_start(),
            j.num_velocities(),
        )
    });
    // The joints on "root" as they were added: "j_middle", with "j_leaf" outward of it, first.
    assert_eq!(
        ranges,
        [
            (0, 7, 0, 6),
            (7, 0, 6, 0),
            (7, 4, 6, 3),
            (11, 1, 9, 1),
            (12, 7, 10, 6)
        ]
    );
    assert_eq!((tree.num_positions(), tree.num_velocities()), (19, 16));
    assert_eq!(tree.body(middle).unwrap().name(), "middle");
    assert_eq!(tree.body(free).unwrap().inboard_joint(), Some(j_free));
    assert_eq!(tree.joint(j_free).unwrap().kind(), &JointKind::Floating);
    assert_eq!(tree.num_joints(), 5);
    assert_eq!(tree.total_mass(), 5.0);
    let q = tree.neutral_configuration();
    let ones: Vec<usize> = (0..q.len()).filter(|&i| q[i] != 0.0).collect();
    assert_eq!(ones, [0, 7, 12]);
}

#[test]
fn elements_are_found_by_name_or_its_last_segment() {
    let mut builder = chain();
    builder.add_body("other/a", ball()).unwrap();
    builder
        .add_frame("robot/tool", BodyIndex::new(3), at_origin())
        .unwrap();
    let tree = builder.finish().unwrap();
    assert_eq!(tree.body_by_name("world"), Ok(BodyIndex::WORLD));
    assert_eq!(tree.body_by_name("robot/a"), Ok(BodyIndex::new(1)));
    assert_eq!(tree.body_by_name("b"), Ok(BodyIndex::new(2)));
    assert_eq!(tree.joint_by_name("to_c"), Ok(JointIndex::new(2)));
    assert_eq!(tree.frame_by_name("tool"), Ok(FrameIndex::new(0)));
    assert_eq!(
        error(tree.body_by_name("a")),
        r#""a" may be any of these: robot/a, other/a"#
    );
    assert_eq!(
        error(tree.body_by_name("to_c")),
        r#"there is no body "to_c""#
    );
    assert_eq!(error(tree.joint_by_name("")), r#"there is no joint """#);
    assert_eq!(
        error(tree.joint_by_name("robot/to_d")),
        r#"there is no joint "robot/to_d", is it "robot/to_a", "robot/to_b" or "robot/to_c"?"#
    );
    assert_eq!(
        error(tree.frame_by_name("tol")),
        r#"there is no frame "tol", is it "robot/tool"?"#
    );
    assert!(tree.body_by_name("obot/a").is_err());
    assert!(tree.frame_by_name("a").is_err());
}

#[test]
fn builder_refuses_what_is_not_a_tree() {
    let mut builder = chain();
    let (a, c) = (BodyIndex::new(1), BodyIndex::new(3));
    assert_eq!(error(builder.add_body("", ball())), "a body needs a name");
    assert_eq!(
        error(builder.add_body("world", ball())),
        r#"there are two bodies "world""#
    );
    let mut join = |name: &str, parent, child| {
        error(builder.add_joint(name, HINGE, parent, at_origin(), child))
    };
    assert_eq!(
        join("robot/to_a", c, a),
        r#"there are two joints "robot/to_a""#
    );
    assert_eq!(
        join("x", c, a),
        r#"joint "x" cannot carry body "robot/a", joint "robot/to_a" already does"#
    );
    assert_eq!(
        join("x", c, BodyIndex::WORLD),
        r#"joint "x" cannot carry body "world", nothing carries the world"#
    );
    assert_eq!(
        join("x", c, BodyIndex::new(9)),
        "there is no body 9, the tree has 5"
    );
    assert_eq!(join("", c, BodyIndex::new(4)), "a joint needs a name");
    // A frame may be named as a joint, but not as a frame.
    builder.add_frame("robot/to_a", a, at_origin()).unwrap();
    let frame = builder.add_frame("robot/to_a".to_owned(), a, at_origin());
    assert_eq!(error(frame), r#"there are two frames "robot/to_a""#);

    let mut builder = RigidBodyTreeBuilder::new();
    let [a, b, c] = ["a", "b", "c"].map(|name| builder.add_body(name, ball()).unwrap());
    for (name, parent, child) in [("ab", a, b), ("ba", b, a), ("bc", b, c)] {
        builder
            .add_joint(name, HINGE, parent, at_origin(), child)
            .unwrap();
    }
    let message = error(builder.finish().map(|_| ()));
    assert!(
        message.contains("leads back to it and never to the world"),
        "{message}"
    );
    assert!(
        message.contains(r#""a""#) || message.contains(r#""b""#),
        "{message}"
    );
}

#[test]
fn builder_refuses_bad_numbers() {
    let mut builder = chain();
    let with_mass = |mass| SpatialInertia { mass, ..ball() };
    assert_eq!(
        error(builder.add_body("x", with_mass(-1.0))),
        r#"body "x": mass = -1, expected a number that is not negative"#
    );
    assert!(builder.add_body("x", with_mass(f64::NAN)).is_err());
    let skewed = SpatialInertia {
        rotational_inertia: Matrix3::new(1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        ..ball()
    };
    assert!(error(builder.add_body("x", skewed)).contains("asymmetry"));
    let message = error(builder.add_body("x", with_mass(1e-308)));
    assert!(
        message.starts_with(r#"body "x": mass = 1e-308, "#),
        "{message}"
    );
    assert!(message.ends_with("expected zero, or between 1e-150 and 1e150 kg"));
    // No distribution of mass has these moments; one with less than 1e-6 too much is rounded.
    let principal = |x, y, z| SpatialInertia::principal(1.0, Vector3::new(x, y, z));
    assert_eq!(
        error(builder.add_body("x", principal(1.0, 0.1, 0.1))),
        r#"body "x": largest principal moment less the sum of the others = 0.8, expected not positive"#
    );
    let mut coupled = principal(0.1, 0.1, 0.1);
    (
        coupled.rotational_inertia.m12,
        coupled.rotational_inertia.m21,
    ) = (50.0, 50.0);
    assert!(error(builder.add_body("x", coupled)).contains("principal moments[0] = -49.9"));
    assert!(
        builder
            .add_body("x", principal(0.2, 0.1, 0.1 - 1e-5))
            .is_err()
    );
    builder
        .add_body("plate", principal(0.2, 0.1, 0.1 - 1e-8))
        .unwrap();
    let turn = rotation::exp(&Vector3::new(0.3, -0.7, 1.1));
    let rod = principal(0.1, 0.1, 0.0).transformed(&turn, &Vector3::zeros());
    builder.add_body("rod", rod).unwrap();
    let point = SpatialInertia::point_mass(1.0, Vector3::x());
    builder.add_body("point", point).unwrap();
    // What descriptions say is taken as it stands if that is asked for.
    builder.add_body_as_given("given", coupled).unwrap();
    assert!(builder.add_body_as_given("x", with_mass(-1.0)).is_err());

    let d = BodyIndex::new(4);
    let mut join = |kind, pose| error(builder.add_joint("x", kind, BodyIndex::WORLD, pose, d));
    let zero = JointKind::Prismatic {
        axis: Vector3::zeros(),
    };
    assert_eq!(
        join(zero, at_origin()),
        r#"joint "x": axis = 0, expected a vector that is not zero"#
    );
    let infinite = JointKind::Continuous {
        axis: Vector3::new(f64::INFINITY, 0.0, 0.0),
    };
    assert!(join(infinite, at_origin()).contains("not finite"));
    let oblique = JointKind::Planar {
        x_axis: Vector3::x(),
        y_axis: Vector3::new(0.1, 1.0, 0.0),
    };
    assert!(join(oblique, at_origin()).contains("cosine"));
    let stretched = RigidTransform::from_rotation(Matrix3::identity() * 1.01);
    assert!(join(HINGE, stretched).contains("orthonormal"));
    let mirrored = RigidTransform::from_rotation(-Matrix3::identity());
    assert!(join(HINGE, mirrored).contains("determinant"));
    let nowhere = RigidTransform::from_translation(Vector3::repeat(f64::NAN));
    assert!(join(HINGE, nowhere).contains("not finite"));

    let joint = JointIndex::new(0);
    assert!(error(builder.set_damping(joint, &[1.0, 2.0])).contains("has size 2, expected 1"));
    assert!(error(builder.set_damping(joint, &[-1.0])).contains(r#"joint "robot/to_a": damping"#));
    assert!(builder.set_friction(joint, &[f64::INFINITY]).is_err());
    assert!(builder.set_armature(joint, &[-0.1]).is_err());
    assert!(builder.set_armature(joint, &[0.1, 0.1]).is_err());
    assert!(builder.set_position_limits(joint, &[1.0], &[-1.0]).is_err());
    assert!(
        builder
            .set_position_limits(joint, &[f64::NAN], &[1.0])
            .is_err()
    );
    assert!(builder.set_velocity_limits(joint, &[-1.0]).is_err());
    assert!(
        builder
            .set_effort_limits(JointIndex::new(7), &[1.0])
            .is_err()
    );
    assert!(builder.set_gravity(Vector3::repeat(f64::NAN)).is_err());
}

#[test]
fn properties_of_joints_are_kept() {
    let mut builder = chain();
    let joint = JointIndex::new(1);
    builder.set_damping(joint, &[0.5]).unwrap();
    builder.set_friction(joint, &[0.25]).unwrap();
    builder.set_position_limits(joint, &[-1.0], &[2.0]).unwrap();
    builder.set_velocity_limits(joint, &[3.0]).unwrap();
    builder.set_effort_limits(joint, &[4.0]).unwrap();
    let tree = builder.finish().unwrap().cast::<Dual64>();
    let joint = tree.joint(joint).unwrap();
    assert_eq!((joint.name(), joint.damping()[0].re), ("robot/to_b", 0.5));
    assert_eq!(joint.friction()[0].re, 0.25);
    let limits = joint.limits();
    assert_eq!(
        (limits.lower[0], limits.upper[0]),
        ((-1.0).into(), 2.0.into())
    );
    assert_eq!((limits.velocity[0].re, limits.effort[0].re), (3.0, 4.0));
    let unlimited = tree.joint(JointIndex::new(0)).unwrap().limits();
    assert_eq!(unlimited.upper, [Dual64::from(f64::INFINITY)]);
}

/// The coupled tree does what the uncoupled one does at the coupled coordinates.
#[test]
fn followers_follow() {
    let build = |coupled: bool| {
        let mut builder = chain();
        for joint in 0..3 {
            builder.set_damping(JointIndex::new(joint), &[1.0]).unwrap();
        }
        if coupled {
            let mimic = |joint, multiplier, offset| Mimic {
                joint: JointIndex::new(joint),
                multiplier,
                offset,
            };
            // c follows b, and b follows a: q_c = −2 (3 q_a + 0.1) + 0.2.
            builder
                .set_mimic(JointIndex::new(2), mimic(1, -2.0, 0.2))
                .unwrap();
            builder
                .set_mimic(JointIndex::new(1), mimic(0, 3.0, 0.1))
                .unwrap();
        }
        builder.finish().unwrap()
    };
    let (coupled, uncoupled) = (build(true), build(false));
    assert_eq!((coupled.num_positions(), coupled.num_velocities()), (8, 7));
    let resolved = coupled.joint(JointIndex::new(2)).unwrap().mimic().unwrap();
    assert_eq!((resolved.joint.get(), resolved.multiplier), (0, -6.0));
    assert_near(&[resolved.offset], &[0.0], 1e-15);

    let (qa, va) = (0.3, 0.7);
    let free = [1.0, 0.0, 0.0, 0.0, 0.1, 0.2, 0.3];
    let q = [&[qa][..], &free].concat();
    let v = [va, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let q_full = [&[qa, 3.0 * qa + 0.1, -6.0 * qa][..], &free].concat();
    let v_full = [va, 3.0 * va, -6.0 * va, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let (mut ws, mut ws_full) = (coupled.workspace(), uncoupled.workspace());
    coupled.set_state(&mut ws, &q, &v).unwrap();
    uncoupled.set_state(&mut ws_full, &q_full, &v_full).unwrap();
    let tip = BodyIndex::new(3);
    let (x, y) = (
        coupled.body_pose(&ws, tip).unwrap(),
        uncoupled.body_pose(&ws_full, tip).unwrap(),
    );
    assert_near(x.translation.as_slice(), y.translation.as_slice(), 1e-15);
    let energies = [
        coupled.kinetic_energy(&ws).unwrap(),
        uncoupled.kinetic_energy(&ws_full).unwrap(),
    ];
    assert_near(&energies[..1], &energies[1..], 1e-14);
    // Damping of a follower acts through the multiplier: 1 + 3² + 6² times that of one joint.
    let mut damping = [f64::NAN; 7];
    coupled.joint_damping_forces(&ws, &mut damping).unwrap();
    assert_near(&damping, &[-46.0 * va, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], 1e-14);
    // M = Gᵀ M_full G with v_full = G v.
    let mut m = DMatrix::zeros(7, 7);
    let mut m_full = DMatrix::zeros(9, 9);
    coupled.mass_matrix(&mut ws, &mut m).unwrap();
    uncoupled.mass_matrix(&mut ws_full, &mut m_full).unwrap();
    let mut g = DMatrix::zeros(9, 7);
    g.view_mut((0, 0), (3, 1))
        .copy_from_slice(&[1.0, 3.0, -6.0]);
    g.view_mut((3, 1), (6, 6)).fill_with_identity();
    let expected = g.transpose() * m_full * &g;
    assert_near(m.as_slice(), expected.as_slice(), 1e-14);
}

#[test]
fn followers_that_cannot_follow_are_refused() {
    let mimic = |joint| Mimic {
        joint: JointIndex::new(joint),
        multiplier: 1.0,
        offset: 0.0,
    };
    let mut builder = chain();
    builder.set_mimic(JointIndex::new(0), mimic(1)).unwrap();
    builder.set_mimic(JointIndex::new(1), mimic(2)).unwrap();
    builder.set_mimic(JointIndex::new(2), mimic(0)).unwrap();
    assert!(error(builder.finish().map(|_| ())).contains("round in a circle"));

    let mut builder = chain();
    let d = BodyIndex::new(4);
    let ball = builder
        .add_joint("ball", JointKind::Ball, BodyIndex::WORLD, at_origin(), d)
        .unwrap();
    let refused = error(builder.set_mimic(ball, mimic(0)));
    assert!(refused.contains("one degree of freedom"), "{refused}");
    assert!(builder.set_mimic(JointIndex::new(0), mimic(9)).is_err());
    let nan = Mimic {
        multiplier: f64::NAN,
        ..mimic(1)
    };
    assert!(builder.set_mimic(JointIndex::new(0), nan).is_err());

    let huge = |joint| Mimic {
        multiplier: 1e200,
        ..mimic(joint)
    };
    let mut builder = chain();
    builder.set_mimic(JointIndex::new(1), huge(0)).unwrap();
    let tree = builder.finish().unwrap();
    let mut q = tree.neutral_configuration();
    q[0] = 1e120;
    let refused = error(tree.set_positions(&mut tree.workspace(), q.as_slice()));
    assert!(refused.contains("joint that follows"), "{refused}");
    let mut builder = chain();
    builder.set_mimic(JointIndex::new(1), huge(0)).unwrap();
    builder.set_mimic(JointIndex::new(2), huge(1)).unwrap();
    let refused = error(builder.finish().map(|_| ()));
    assert!(refused.contains("multiplier"), "{refused}");
}

#[test]
fn parameters_are_listed_and_set_by_name() {
    let mut builder = chain();
    builder
        .add_frame("robot/tool", BodyIndex::new(3), at_origin())
        .unwrap();
    let mut tree = builder.finish().unwrap();
    let list = tree.parameters();
    // Ten a body; pose, axis, damping, friction and armature a joint; one frame, gravity.
    assert_eq!(list.len(), 4 * 10 + 3 * (6 + 3 + 3) + (6 + 3 * 6) + 6 + 3);
    let unit = |name: &str| {
        let found = list.iter().find(|p| p.name == name);
        found.unwrap_or_else(|| panic!("no {name}")).unit
    };
    assert_eq!(unit("body/robot/a/mass"), "kg");
    assert_eq!(unit("body/robot/a/center_of_mass/y"), "m");
    assert_eq!(unit("body/robot/a/rotational_inertia/xz"), "kg m²");
    assert_eq!(unit("joint/robot/to_b/damping"), "N m s/rad");
    assert_eq!(unit("joint/d/damping/5"), "N s/m");
    assert_eq!(unit("joint/d/friction/0"), "N m");
    assert_eq!(unit("joint/robot/to_b/armature"), "kg m²");
    assert_eq!(unit("frame/robot/tool/origin/x"), "m");
    assert_eq!(unit("gravity/z"), "m/s²");

    tree.set_parameter("body/robot/c/mass", 2.5).unwrap();
    tree.set_parameter("body/robot/c/rotational_inertia/xy", 1e-4)
        .unwrap();
    tree.set_parameter("gravity/z", -1.62).unwrap();
    let c = tree.body(BodyIndex::new(3)).unwrap().inertia();
    assert_eq!((c.mass, c.rotational_inertia[(1, 0)]), (2.5, 1e-4));
    assert_eq!((tree.total_mass(), tree.gravity().z), (5.5, -1.62));
    let refused = tree.set_parameter("body/robot/c/mass", -1.0);
    assert!(matches!(refused, Err(ParameterError::OutOfBounds { .. })));
    let refused = tree.set_parameter("joint/robot/to_a/origin/x", f64::INFINITY);
    assert!(matches!(refused, Err(ParameterError::OutOfBounds { .. })));
}

/// A chain with limits, a follower, a planar joint and a frame that is turned already.
fn adjustable() -> RigidBodyTree<f64> {
    let mut builder = chain();
    let [a, c] = [0, 2].map(JointIndex::new);
    builder.set_position_limits(a, &[-1.0], &[2.0]).unwrap();
    builder.set_velocity_limits(a, &[3.0]).unwrap();
    builder.set_effort_limits(a, &[4.0]).unwrap();
    let mimic = Mimic {
        joint: a,
        multiplier: 0.5,
        offset: 0.1,
    };
    builder.set_mimic(c, mimic).unwrap();
    let disk = builder.add_body("disk", ball()).unwrap();
    let plane = JointKind::Planar {
        x_axis: Vector3::x(),
        y_axis: Vector3::y(),
    };
    (builder.add_joint("plane", plane, BodyIndex::WORLD, at_origin(), disk)).unwrap();
    let pitched = rotation::exp(&Vector3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let pitched = RigidTransform::from_rotation(pitched);
    builder.add_frame("tool", disk, pitched).unwrap();
    builder.finish().unwrap()
}

#[test]
fn every_constant_is_a_parameter() {
    let mut tree = adjustable();
    let list = tree.parameters();
    for (name, unit) in [
        ("joint/robot/to_a/axis/y", "1"),
        ("joint/robot/to_a/rotation/z", "rad"),
        ("joint/robot/to_a/lower_limit", "rad"),
        ("joint/robot/to_a/velocity_limit", "rad/s"),
        ("joint/robot/to_a/effort_limit", "N m"),
        ("joint/robot/to_c/mimic/multiplier", "1"),
        ("joint/robot/to_c/mimic/offset", "rad"),
        ("joint/plane/x_axis/x", "1"),
        ("joint/plane/damping/0", "N s/m"),
        ("joint/plane/friction/2", "N m"),
        ("frame/tool/rotation/x", "rad"),
    ] {
        let found = list.iter().find(|p| p.name == name);
        assert_eq!(found.unwrap_or_else(|| panic!("no {name}")).unit, unit);
    }
    // Limits are parameters where there are any.
    assert!(
        tree.parameter_index("joint/robot/to_b/upper_limit")
            .is_err()
    );
    assert_eq!(list.len(), {
        let names: std::collections::HashSet<_> = list.iter().map(|p| &p.name).collect();
        names.len()
    });

    // What is set is read, and moves the tree.
    let mut set = |name: &str, value: f64| {
        tree.set_parameter(name, value).unwrap();
        assert_eq!(tree.parameter(name), Ok(value));
    };
    set("joint/robot/to_a/rotation/z", 0.3);
    set("joint/robot/to_a/axis/x", 1.0);
    set("joint/robot/to_a/upper_limit", 2.5);
    set("joint/robot/to_c/mimic/multiplier", -2.0);
    set("joint/robot/to_c/mimic/offset", 0.7);
    set("frame/tool/rotation/x", 0.4);
    set("joint/plane/y_axis/x", 3.0);
    let a = tree.joint(JointIndex::new(0)).unwrap();
    assert_eq!(a.limits().upper, [2.5]);
    let turned = rotation::exp(&Vector3::new(0.0, 0.0, 0.3));
    assert_near(
        a.pose_in_parent().rotation.as_slice(),
        turned.as_slice(),
        1e-15,
    );
    let axis = Vector3::new(1.0, 1.0, 0.0);
    assert_eq!(*a.kind(), JointKind::Revolute { axis });
    let frame = tree.frames().next().unwrap();
    let pitched = rotation::exp(&Vector3::new(0.0, std::f64::consts::FRAC_PI_2, 0.0));
    let expected = pitched * rotation::exp(&Vector3::new(0.4, 0.0, 0.0));
    assert_near(
        frame.pose_in_body().rotation.as_slice(),
        expected.as_slice(),
        1e-15,
    );

    let mut ws = tree.workspace();
    let (plane, q_a) = (
        tree.joint(JointIndex::new(3)).unwrap().position_start(),
        0.9,
    );
    let mut q = tree.neutral_configuration();
    q[0] = q_a;
    (q[plane], q[plane + 1]) = (2.0, 5.0);
    tree.set_positions(&mut ws, q.as_slice()).unwrap();
    let rotation_of = |body: usize| tree.body_pose(&ws, BodyIndex::new(body)).unwrap().rotation;
    let hinge = |angle: f64| rotation::exp(&(axis.normalize() * angle));
    assert_near(
        rotation_of(1).as_slice(),
        (turned * hinge(q_a)).as_slice(),
        1e-15,
    );
    // b is at zero; c follows a.
    let follower = rotation::exp(&Vector3::new(0.0, -2.0 * q_a + 0.7, 0.0));
    let expected = turned * hinge(q_a) * follower;
    assert_near(rotation_of(3).as_slice(), expected.as_slice(), 1e-15);
    // The component of the y axis along the x axis does not count.
    let disk = tree
        .body_pose(&ws, tree.body_by_name("disk").unwrap())
        .unwrap();
    assert_near(disk.translation.as_slice(), &[2.0, 5.0, 0.0], 1e-15);
}

#[test]
fn values_that_make_no_tree_are_refused() {
    let mut tree = adjustable();
    let refused = |values: &[(&str, f64)]| {
        let index = |name: &str| tree.parameter_index(name).unwrap();
        let values: Vec<_> = values.iter().map(|(name, x)| (index(name), *x)).collect();
        let mut changed = tree.clone();
        changed.set_parameters(&values).unwrap_err().to_string()
    };
    assert!(
        refused(&[("joint/robot/to_a/lower_limit", 2.1)]).contains(
            r#"joint "robot/to_a": lower limits = 2.1, expected at most the upper limit"#
        )
    );
    assert!(
        refused(&[("body/robot/b/rotational_inertia/xy", 50.0)])
            .contains(r#"body "robot/b": principal moments[0] = -"#)
    );
    assert!(
        refused(&[("body/robot/b/rotational_inertia/zz", 1.0)])
            .contains("largest principal moment less the sum of the others")
    );
    assert!(
        refused(&[("body/robot/b/mass", 1e-308)]).contains("zero, or between 1e-150 and 1e150 kg")
    );
    assert!(
        refused(&[("joint/robot/to_b/axis/y", 0.0)])
            .contains(r#"joint "robot/to_b": axis = 0, expected a vector that is not zero"#)
    );
    assert!(
        refused(&[("joint/plane/x_axis/x", 0.0), ("joint/plane/x_axis/y", 1.0)])
            .contains("sine of the angle between the x axis and the y axis")
    );
    // Together they are right.
    let index = |name: &str| tree.parameter_index(name).unwrap();
    let values = [
        (index("joint/robot/to_a/lower_limit"), 2.1),
        (index("joint/robot/to_a/upper_limit"), 2.2),
        (index("joint/robot/to_b/axis/y"), 0.0),
        (index("joint/robot/to_b/axis/z"), -3.0),
        (index("body/robot/b/rotational_inertia/zz"), 0.008),
    ];
    tree.set_parameters(&values).unwrap();

    // A body that was given as it stands stays free.
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let impossible = SpatialInertia::principal(1.0, Vector3::new(1.0, 0.1, -0.1));
    builder.add_body_as_given("given", impossible).unwrap();
    let mut tree = builder.finish().unwrap();
    tree.set_parameter("body/given/rotational_inertia/xy", 50.0)
        .unwrap();
    tree.set_parameter("body/given/mass", 2.0).unwrap();
    assert!(tree.set_parameter("body/given/mass", -2.0).is_err());
}

/// Values of a tree in dual numbers have the bits of the `f64` tree after parameters have changed too.
#[test]
fn values_do_not_depend_on_the_scalar_after_a_change() {
    for (seed, style) in (0..20).zip([Style::General, Style::Mimic].into_iter().cycle()) {
        let mut tree = random_tree(seed, 8, style);
        let mut dual = tree.cast::<Dual64>();
        let (q, v) = random_state(&tree, seed);
        for change in [None, Some("/rotation/"), Some("axis/")] {
            for p in tree.parameters() {
                if change.is_some_and(|change| p.name.contains(change)) {
                    let value = p.value + 0.125;
                    tree.set_parameter(&p.name, value).unwrap();
                    (dual.set_parameter(&p.name, Dual64::from(value).derivative())).unwrap();
                }
            }
            dual.set_parameter("gravity/x", Dual64::from(0.5).derivative())
                .unwrap();
            tree.set_parameter("gravity/x", 0.5).unwrap();
            let mut tau = v.clone();
            let mut ws = tree.workspace();
            tree.set_state(&mut ws, &q, &v).unwrap();
            tree.inverse_dynamics(&mut ws, &v, None, &mut tau).unwrap();
            let [q, v] = [&q, &v].map(|x| x.iter().map(|&x| x.into()).collect::<Vec<Dual64>>());
            let mut dual_tau = v.clone();
            let mut ws = dual.workspace();
            dual.set_state(&mut ws, &q, &v).unwrap();
            dual.inverse_dynamics(&mut ws, &v, None, &mut dual_tau)
                .unwrap();
            assert_eq!(tau, dual_tau.iter().map(|x| x.re).collect::<Vec<_>>());
        }
    }
}

/// An inertia that is symmetric to round-off is so to the last bit in a tree, where parameters are its upper triangle.
#[test]
fn setting_a_parameter_to_its_value_changes_nothing() {
    let brick = SpatialInertia::solid_box(1.3, &Vector3::new(0.1, 0.2, 0.4));
    let turned = brick.transformed(&rotation::exp(&Vector3::new(0.3, -0.7, 1.1)), &Vector3::x());
    let entries = turned.rotational_inertia;
    assert_ne!(entries, entries.transpose(), "no round-off to see");
    let mut builder = RigidBodyTreeBuilder::new();
    let body = builder.add_body("turned", turned).unwrap();
    let mut tree = builder.finish().unwrap();
    let before = *tree.body(body).unwrap().inertia();
    let mass = tree.parameter("turned/mass").unwrap();
    tree.set_parameter("turned/mass", mass).unwrap();
    assert_eq!(*tree.body(body).unwrap().inertia(), before);
}

#[test]
fn workspaces_are_checked() {
    let mut tree = chain().finish().unwrap();
    let other = random_tree(3, 4, Style::General);
    let (q, v) = random_state(&tree, 0);
    let mut ws = tree.workspace();
    let mut foreign = other.workspace();
    assert_eq!(
        tree.set_state(&mut foreign, &q, &v),
        Err(TreeError::ForeignWorkspace)
    );
    assert_eq!(
        tree.kinetic_energy(&foreign),
        Err(TreeError::ForeignWorkspace)
    );

    tree.set_state(&mut ws, &q, &v).unwrap();
    let copy = tree.clone();
    let energy = tree.kinetic_energy(&ws).unwrap();
    assert_eq!(copy.kinetic_energy(&ws), Ok(energy));
    tree.set_parameter("body/robot/c/mass", 2.0).unwrap();
    assert_eq!(tree.kinetic_energy(&ws), Err(TreeError::OutdatedWorkspace));
    assert_eq!(copy.kinetic_energy(&ws), Ok(energy));
    tree.set_state(&mut ws, &q, &v).unwrap();
    assert!(tree.kinetic_energy(&ws).unwrap() > energy);

    // What is refused leaves the state as it was.
    let before = ws.q().to_vec();
    let mut bad = q.clone();
    bad[3] = 1.1;
    bad[4..7].fill(0.0);
    let refused = tree.set_state(&mut ws, &bad, &v).unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!(
            "the quaternion of joint \"d\" has the squared norm {}, expected 1 within 1e-3 (for differences by it, take \
             dualbody::autodiff::OnTangent)",
            1.1 * 1.1
        )
    );
    bad[0] = f64::NAN;
    assert!(matches!(
        tree.set_positions(&mut ws, &bad),
        Err(TreeError::Invalid(InvalidInput::NotFinite {
            index: Some(0),
            ..
        }))
    ));
    assert!(tree.set_state(&mut ws, &q, &v[1..]).is_err());
    assert!(tree.set_state(&mut ws, &q[1..], &v).is_err());
    assert_eq!(ws.q(), before);
    assert_eq!(ws.v(), v);
}

/// Whatever a workspace was used for before, results are those of a new one.
#[test]
fn nothing_is_left_of_earlier_states() {
    for style in [Style::General, Style::Mimic] {
        let tree = random_tree(11, 8, style);
        let n = tree.num_velocities();
        let mut used = tree.workspace();
        for seed in 0..4 {
            let (q, v) = random_state(&tree, seed);
            let mut new = tree.workspace();
            let results = [&mut used, &mut new].map(|ws| {
                let mut vdot = vec![f64::NAN; n];
                tree.set_state(ws, &q, &v).unwrap();
                tree.forward_dynamics(ws, &v, None, &mut vdot).unwrap();
                tree.set_positions(ws, &q).unwrap();
                let mut at_rest = vec![f64::NAN; n];
                tree.bias_forces(ws, &mut at_rest).unwrap();
                (
                    vdot,
                    at_rest,
                    ws.v().to_vec(),
                    tree.kinetic_energy(ws).unwrap(),
                )
            });
            assert_eq!(results[0], results[1]);
            assert_eq!(results[0].1, vec![0.0; n]);
            assert_eq!(results[0].3, 0.0);
        }
    }
}

#[test]
fn wrong_sizes_and_indices_are_refused() {
    let tree = chain().finish().unwrap();
    let n = tree.num_velocities();
    let mut ws = tree.workspace();
    let (mut short, mut long) = (vec![0.0; n - 1], vec![0.0; n + 1]);
    let nan = vec![f64::NAN; n];
    let mut out = vec![0.0; n];
    assert!(tree.bias_forces(&mut ws, &mut short).is_err());
    assert!(tree.gravity_forces(&mut ws, &mut long).is_err());
    assert!(tree.joint_damping_forces(&ws, &mut long).is_err());
    assert!(
        tree.inverse_dynamics(&mut ws, &short, None, &mut out)
            .is_err()
    );
    assert!(
        tree.inverse_dynamics(&mut ws, &nan, None, &mut out)
            .is_err()
    );
    assert!(
        tree.forward_dynamics(&mut ws, &nan, None, &mut out)
            .is_err()
    );
    let zeros = vec![0.0; n];
    let few = [SpatialForce::zero()];
    assert!(
        tree.forward_dynamics(&mut ws, &zeros, Some(&few), &mut out)
            .is_err()
    );
    let mut forces = [SpatialForce::zero(); 5];
    forces[2].force.x = f64::NAN;
    let error = tree.forward_dynamics(&mut ws, &zeros, Some(&forces), &mut out);
    let name = tree.body(BodyIndex::new(2)).unwrap().name();
    let expected = format!("body {name:?}: force[0] = NaN is not finite");
    assert_eq!(error.unwrap_err().to_string(), expected);
    assert!(tree.solve_mass_matrix(&mut ws, &mut short).is_err());
    let mut overflowing = tree.workspace();
    let (q, fast) = (tree.neutral_configuration(), vec![1e200; n]);
    (tree.set_state(&mut overflowing, q.as_slice(), &fast)).unwrap();
    for result in [
        tree.inverse_dynamics(&mut overflowing, &zeros, None, &mut out),
        tree.forward_dynamics(&mut overflowing, &zeros, None, &mut out),
    ] {
        assert!(matches!(
            result,
            Err(TreeError::Invalid(InvalidInput::NotFinite { .. }))
        ));
    }
    assert!(
        tree.mass_matrix(&mut ws, &mut DMatrix::zeros(n, n + 1))
            .is_err()
    );
    assert!(
        tree.body_velocities(&ws, &zeros, &mut [SpatialVelocity::zero()])
            .is_err()
    );

    let (body, point) = (BodyIndex::new(5), Vector3::zeros());
    let no_body = TreeError::NoSuchBody {
        index: body,
        len: 5,
    };
    assert_eq!(tree.body_pose(&ws, body), Err(no_body.clone()));
    assert_eq!(tree.bias_acceleration(&ws, body, &point), Err(no_body));
    assert!(
        tree.point_jacobian(&ws, body, &point, &mut DMatrix::zeros(3, n))
            .is_err()
    );
    let body = BodyIndex::new(1);
    assert!(
        tree.point_jacobian(&ws, body, &point, &mut DMatrix::zeros(6, n))
            .is_err()
    );
    assert!(
        tree.spatial_jacobian(&ws, body, &point, &mut DMatrix::zeros(6, 2))
            .is_err()
    );
    assert!(tree.frame_pose(&ws, FrameIndex::new(0)).is_err());
    assert!(tree.joint(JointIndex::new(4)).is_err());
    assert!(tree.is_anchored(BodyIndex::new(5)).is_err());
}

/// The joint that nothing resists is named, in trees with and without followers.
#[test]
fn motion_without_inertia_is_refused() {
    let massless = SpatialInertia::zero();
    let build = |leaf: SpatialInertia<f64>, kind: JointKind, with_mimic: bool| {
        let mut builder = chain();
        let body = builder.add_body("leaf", leaf).unwrap();
        builder
            .add_joint("last", kind, BodyIndex::new(3), at_origin(), body)
            .unwrap();
        if with_mimic {
            let followed = Mimic {
                joint: JointIndex::new(0),
                multiplier: 0.5,
                offset: 0.0,
            };
            builder.set_mimic(JointIndex::new(1), followed).unwrap();
        }
        builder.finish().unwrap()
    };
    let accelerate = |tree: &RigidBodyTree<f64>| {
        let mut ws = tree.workspace();
        let (q, v) = random_state(tree, 4);
        tree.set_state(&mut ws, &q, &v).unwrap();
        let n = tree.num_velocities();
        tree.forward_dynamics(&mut ws, &vec![0.1; n], None, &mut vec![0.0; n])
    };
    let singular = Err(TreeError::SingularInertia {
        joint: "last".to_owned(),
        body: "leaf".to_owned(),
    });
    let slide = JointKind::Prismatic {
        axis: Vector3::new(0.3, 0.2, 0.9),
    };
    for kind in [HINGE, slide, JointKind::Ball, JointKind::Floating] {
        assert_eq!(accelerate(&build(massless, kind, false)), singular);
        assert_eq!(accelerate(&build(massless, kind, true)), singular);
    }
    // A point mass resists a hinge beside it, but not a ball joint: it can spin about the line
    // that joins them, and at the joint it resists no rotation at all.
    let point = |x: f64| SpatialInertia::point_mass(1.0, Vector3::new(x, 0.2 * x, 0.7 * x));
    for with_mimic in [false, true] {
        let point = |x: f64, kind| accelerate(&build(point(x), kind, with_mimic));
        assert_eq!(point(0.3, HINGE), Ok(()));
        assert_eq!(point(0.3, JointKind::Ball), singular);
        assert_eq!(point(0.0, HINGE), singular);
    }
    // Two slides along, or two hinges about, one axis, with a body without mass between them.
    for kind in [slide, HINGE] {
        let mut builder = RigidBodyTreeBuilder::<f64>::new();
        let inner = builder.add_body("inner", massless).unwrap();
        let outer = builder.add_body("outer", point(0.3)).unwrap();
        (builder.add_joint("first", kind, BodyIndex::WORLD, at_origin(), inner)).unwrap();
        (builder.add_joint("second", kind, inner, at_origin(), outer)).unwrap();
        assert_eq!(
            accelerate(&builder.finish().unwrap()),
            Err(TreeError::SingularInertia {
                joint: "first".to_owned(),
                body: "inner".to_owned()
            })
        );
    }
    // A body without mass that something outward of it holds is no obstacle.
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let inner = builder.add_body("inner", massless).unwrap();
    let outer = builder.add_body("outer", ball()).unwrap();
    builder
        .add_joint("first", slide, BodyIndex::WORLD, at_origin(), inner)
        .unwrap();
    builder
        .add_joint("second", HINGE, inner, at_origin(), outer)
        .unwrap();
    assert_eq!(accelerate(&builder.finish().unwrap()), Ok(()));
}

/// A time step of a free body without mass names it.
#[test]
fn steps_name_what_has_no_inertia() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    builder.add_body("box", ball()).unwrap();
    builder.add_body("ghost", SpatialInertia::zero()).unwrap();
    let tree = builder.finish().unwrap();
    let contact = ContactModelBuilder::new().finish(&tree).unwrap();
    let system = TimeSteppingRigidBodySystem::new(tree, contact, 1e-3).unwrap();
    let mut workspace = system.workspace().unwrap();
    let rollout = system.rollout_with(&mut workspace, &system.neutral_state(), 1, |_, _, _| {});
    let message = rollout.completed().unwrap_err().to_string();
    let expected = r#"joint "ghost" moves body "ghost" and what it carries without resistance"#;
    assert!(message.contains(expected), "{message}");
}

#[test]
fn centre_of_mass_of_some_bodies() {
    let mut builder = chain();
    let base = builder.add_body("base", ball()).unwrap();
    let mount = RigidTransform::from_translation(Vector3::new(0.0, 5.0, 2.0));
    (builder.add_joint("mount", JointKind::Fixed, BodyIndex::WORLD, mount, base)).unwrap();
    let tree = builder.finish().unwrap();
    let ws = tree.workspace();
    assert_eq!(tree.is_anchored(base), Ok(true));
    assert_eq!(tree.is_anchored(BodyIndex::new(1)), Ok(false));
    let all = tree.center_of_mass(&ws).unwrap();
    assert_near(all.as_slice(), &[1.2 / 5.0, 1.0, 0.4], 1e-15);
    let energy = tree.potential_energy(&ws).unwrap();
    assert_near(&[energy], &[9.81 * 2.0], 1e-14);
    let everything = tree.bodies().map(|body| body.index());
    assert_near(
        tree.center_of_mass_of(&ws, everything).unwrap().as_slice(),
        all.as_slice(),
        1e-15,
    );
    let robot = (1..=3).map(BodyIndex::new);
    let center = tree.center_of_mass_of(&ws, robot).unwrap();
    assert_near(center.as_slice(), &[0.4, 0.0, 0.0], 1e-15);
    assert_eq!(
        tree.center_of_mass_of(&ws, [BodyIndex::WORLD]),
        Err(TreeError::NoMass)
    );
}

#[test]
fn the_world_alone_is_a_tree() {
    let tree = RigidBodyTreeBuilder::<f64>::new().finish().unwrap();
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, &[], &[]).unwrap();
    tree.mass_matrix(&mut ws, &mut DMatrix::zeros(0, 0))
        .unwrap();
    tree.forward_dynamics(&mut ws, &[], None, &mut []).unwrap();
    assert_eq!(tree.kinetic_energy(&ws), Ok(0.0));
    assert_eq!(tree.center_of_mass(&ws), Err(TreeError::NoMass));
    assert_eq!(tree.is_anchored(BodyIndex::WORLD), Ok(true));
}

/// Far deeper than any call stack.
#[test]
fn long_chains_are_no_obstacle() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let mut parent = BodyIndex::WORLD;
    let offset = RigidTransform::from_translation(Vector3::new(0.1, 0.0, 0.0));
    for i in 0..20_000 {
        let body = builder.add_body(format!("{i}"), ball()).unwrap();
        let kind = if i < 19_990 { JointKind::Fixed } else { HINGE };
        builder
            .add_joint(format!("{i}"), kind, parent, offset, body)
            .unwrap();
        parent = body;
    }
    let tree = builder.finish().unwrap();
    let ws = tree.workspace();
    let tip = tree.body_pose(&ws, parent).unwrap().translation;
    assert_near(tip.as_slice(), &[2000.0, 0.0, 0.0], 1e-9);
}
