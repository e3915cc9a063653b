//! Constraints of time steps: overlaps that cannot be driven out, kinks of the data.

use crate::support::random_tree::Random;
use crate::support::scenes::geometry;
use dualbody::constraint::{
    Baumgarte, ConstraintKink, ConstraintKinkKind, ConstraintKinkSource, ConstraintSolver,
    DistanceConstraint, JointLimitConstraint, TreeConstraints, VelocitySolution,
};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{Rotation3, Vector3};

const G: f64 = 9.81;
const RADIUS: f64 = 0.1;
const DT: f64 = 0.01;

/// A ball of 1 kg between walls through the origin that lean away from the vertical by `half_angle`, or on
/// the ground for a quarter turn.
fn ball_in_trough(half_angle: f64, mu: f64) -> (RigidBodyTree<f64>, ContactModel<f64>) {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(1.0, RADIUS);
    let body = builder.add_body("ball", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let mut model = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e5, 0.0, mu).unwrap();
    let ball = Shape::new_sphere(RADIUS).unwrap();
    model
        .add_geometry(geometry("ball", body, ball, material))
        .unwrap();
    let tilt = std::f64::consts::FRAC_PI_2 - half_angle;
    let walls: &[(&str, f64)] = if tilt == 0.0 {
        &[("ground", 0.0)]
    } else {
        &[("left", 1.0), ("right", -1.0)]
    };
    for &(name, side) in walls {
        let mut wall = geometry(name, BodyIndex::WORLD, Shape::HalfSpace, material);
        let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), side * tilt);
        wall.pose_in_body = RigidTransform::from_rotation(turn.into_inner());
        model.add_geometry(wall).unwrap();
    }
    let model = model.finish(&tree).unwrap();
    (tree, model)
}

/// One step from the position `p` of the centre and the velocity `v` of the ball.
fn step(
    (tree, model): &(RigidBodyTree<f64>, ContactModel<f64>),
    p: Vector3<f64>,
    v: [f64; 6],
) -> VelocitySolution<f64> {
    let mut constraints = TreeConstraints::new();
    constraints.set_contact(model, Baumgarte::critical(0.02).unwrap());
    let mut workspace = tree.workspace();
    let q = [1.0, 0.0, 0.0, 0.0, p.x, p.y, p.z];
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let mut problem = constraints
        .time_step_problem(tree, &mut workspace, &[0.0; 6], DT)
        .unwrap();
    ConstraintSolver::default()
        .solve_velocities(&mut problem.data)
        .unwrap()
}

#[test]
fn a_squeezed_ball_loses_the_push_and_not_the_step() {
    // Between plates that are too near to each other, nothing drives both overlaps out.
    let (mu, depth) = (0.3, 1e-4);
    let (tree, _) = ball_in_trough(1.0, mu);
    let material = ContactMaterial::new(1e5, 0.0, mu).unwrap();
    let mut model = ContactModelBuilder::new();
    let ball = Shape::new_sphere(RADIUS).unwrap();
    model
        .add_geometry(geometry("ball", BodyIndex::new(1), ball, material))
        .unwrap();
    for (name, turn) in [("floor", 0.0), ("ceiling", std::f64::consts::PI)] {
        let mut plate = geometry(name, BodyIndex::WORLD, Shape::HalfSpace, material);
        let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), turn);
        let height = turn * Vector3::z() * -(RADIUS - depth);
        plate.pose_in_body = RigidTransform::new(turn.into_inner(), height);
        model.add_geometry(plate).unwrap();
    }
    let model = model.finish(&tree).unwrap();
    let squeezed = step(&(tree, model), Vector3::zeros(), [0.0; 6]);
    assert!(squeezed.without_push);
    assert!(squeezed.generalized_velocity.amax() < 1e-12);
    assert!((squeezed.impulses.generalized[5] - G * DT).abs() < 1e-12);
}

#[test]
fn overlaps_are_driven_out_where_they_can_be() {
    let half_angle = 20f64.to_radians();
    let depth = 1e-4;
    let centre = Vector3::new(0.0, 0.0, (RADIUS - depth) / half_angle.sin());
    let free = step(&ball_in_trough(half_angle, 0.0), centre, [0.0; 6]);
    let speed = depth * (1.0 - (-DT / 0.02f64).exp()) / DT / half_angle.sin();
    assert!(!free.without_push);
    assert!((free.generalized_velocity[5] - speed).abs() < 1e-10);
}

#[test]
fn balls_that_drop_into_a_trough_come_to_rest() {
    let mut left_out = 0;
    for seed in 0..40 {
        let random = &mut Random::new(seed);
        let half_angle = (25.0 + 15.0 * random.signed()).to_radians();
        let scene = ball_in_trough(half_angle, 0.6 + 0.4 * random.signed());
        let mut p = Vector3::new(
            0.05 * random.signed(),
            0.0,
            RADIUS / half_angle.sin() + 0.05 * (1.2 + random.signed()),
        );
        let mut v = [0.0; 6];
        for _ in 0..80 {
            let solution = step(&scene, p, v);
            left_out += usize::from(solution.without_push);
            v.copy_from_slice(solution.generalized_velocity.as_slice());
            p += Vector3::new(v[3], v[4], v[5]) * DT;
        }
        let speed = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        assert!(speed < 1e-2, "{seed}: {v:?}");
    }
    assert!(left_out > 0);
}

fn touching(kinks: &[ConstraintKink]) -> Option<(ConstraintKinkSource, f64)> {
    let of_kind = |k: &&ConstraintKink| k.kind == ConstraintKinkKind::Touching;
    kinks.iter().find(of_kind).map(|k| (k.source, k.distance))
}

#[test]
fn a_resting_contact_sits_on_the_kink_of_its_gap() {
    let scene = ball_in_trough(std::f64::consts::FRAC_PI_2, 0.5);
    let at = |gap: f64| step(&scene, Vector3::new(0.0, 0.0, RADIUS + gap), [0.0; 6]);
    let kink = |gap: f64| touching(&at(gap).impulses.kinks);
    let source = ConstraintKinkSource::Contact(0);
    let (found, distance) = kink(0.0).unwrap();
    assert!(found == source && distance < 1e-15);
    for gap in [1e-5, -1e-5] {
        let (found, distance) = kink(gap).unwrap();
        assert!(found == source && (distance - 1e-5).abs() < 1e-15);
    }
    // From above it falls to the ground, from below it is driven out: the derivative of the height after
    // the step is 0 or exp(−δt/τ).
    let after = |gap: f64| gap + DT * at(gap).generalized_velocity[5];
    let h = 1e-7;
    assert!((after(h) / h).abs() < 1e-6);
    assert!((after(-h) / -h - (-DT / 0.02f64).exp()).abs() < 1e-6);
    // A ball that does not reach the ground has no such kink.
    assert_eq!(kink(0.01), None);
}

/// A rod and friction hold a slider against the same motion: how they share a load is open, and friction gives way when
/// the rod moves. On rods across its way, nothing is.
#[test]
fn what_is_held_twice_sits_on_a_kink() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::solid_sphere(0.5, RADIUS);
    let [cart, ball] = ["cart", "ball"].map(|name| builder.add_body(name, inertia).unwrap());
    for (name, axis, parent, child) in [
        ("along", Vector3::x(), BodyIndex::WORLD, cart),
        ("up", Vector3::z(), cart, ball),
    ] {
        let (kind, here) = (JointKind::Prismatic { axis }, RigidTransform::identity());
        builder.add_joint(name, kind, parent, here, child).unwrap();
    }
    let tree = builder.finish().unwrap();
    let mut model = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e5, 0.0, 0.5).unwrap();
    for (name, body, shape) in [
        ("ball", ball, Shape::new_sphere(RADIUS).unwrap()),
        ("ground", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        model
            .add_geometry(geometry(name, body, shape, material))
            .unwrap();
    }
    let model = model.finish(&tree).unwrap();
    let nearest = |anchor: Vector3<f64>| {
        let ends = [(cart, Vector3::zeros()), (BodyIndex::WORLD, anchor)];
        let rod = DistanceConstraint::new("rod", ends[0], ends[1], anchor.norm()).unwrap();
        let mut constraints = TreeConstraints::new();
        constraints.set_contact(&model, Baumgarte::critical(0.02).unwrap());
        constraints.add(&rod, Baumgarte::critical(0.02).unwrap());
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &[0.0, RADIUS], &[0.0; 2])
            .unwrap();
        let problem = constraints.time_step_problem(&tree, &mut workspace, &[0.0; 2], DT);
        let mut problem = problem.unwrap();
        let solution = ConstraintSolver::default().solve_velocities(&mut problem.data);
        let kinks = solution.unwrap().impulses.kinks;
        let of_force = kinks
            .iter()
            .filter(|k| k.kind == ConstraintKinkKind::Parting);
        of_force.map(|k| k.distance).reduce(f64::min).unwrap()
    };
    assert_eq!(nearest(Vector3::new(3.0, 0.0, 0.0)), 0.0);
    let across = nearest(Vector3::new(0.0, 3.0, 0.0));
    assert!((across - 0.5 * DT * G).abs() < 1e-9, "{across}");
}

#[test]
fn a_joint_on_its_limit_sits_on_a_kink_too() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(1.0, Vector3::repeat(0.1));
    let body = builder.add_body("slider", inertia).unwrap();
    let kind = JointKind::Prismatic { axis: Vector3::z() };
    let here = RigidTransform::identity();
    let joint = builder
        .add_joint("guide", kind, BodyIndex::WORLD, here, body)
        .unwrap();
    builder.set_position_limits(joint, &[-0.5], &[0.5]).unwrap();
    let tree = builder.finish().unwrap();
    let limits = JointLimitConstraint::of_tree(&tree).unwrap();
    let mut constraints = TreeConstraints::new();
    for limit in &limits {
        constraints.add(limit, Baumgarte::none());
    }
    for (q, expected) in [(-0.5, Some(0.0)), (-0.5 - 1e-3, Some(1e-3)), (0.2, None)] {
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &[q], &[0.0]).unwrap();
        let mut problem = constraints
            .time_step_problem(&tree, &mut workspace, &[0.0], DT)
            .unwrap();
        assert_eq!(problem.unilateral, [(0, 0), (0, 1)]);
        let solution = ConstraintSolver::default()
            .solve_velocities(&mut problem.data)
            .unwrap();
        let found = touching(&solution.impulses.kinks);
        assert_eq!(found.is_some(), expected.is_some());
        if let (Some((source, distance)), Some(expected)) = (found, expected) {
            assert_eq!(source, ConstraintKinkSource::Unilateral(0));
            assert!((distance - expected).abs() < 1e-15);
        }
    }
}
#[test]
fn a_jammed_ball_loses_the_push_and_not_the_step() {
    let half_angle = 20f64.to_radians();
    let depth = 1e-4;
    let height = (RADIUS - depth) / half_angle.sin();
    let centre = Vector3::new(0.0, 0.0, height);
    // Without friction it is pushed out along both normals.
    let free = step(&ball_in_trough(half_angle, 0.0), centre, [0.0; 6]);
    let speed = depth * (1.0 - (-DT / 0.02f64).exp()) / DT / half_angle.sin();
    assert!(!free.without_push);
    assert!((free.generalized_velocity[5] - speed).abs() < 1e-10);
    // With μ above the tangent of the half angle no forces of the walls lift it.
    for mu in [0.4, 0.8, 1.5] {
        let jammed = step(&ball_in_trough(half_angle, mu), centre, [0.0; 6]);
        assert!(
            jammed.without_push,
            "{mu}: {:?}",
            jammed.generalized_velocity
        );
        assert!(jammed.generalized_velocity.amax() < 1e-10);
        let weight: f64 = jammed.impulses.generalized[5];
        assert!((weight - G * DT).abs() < 1e-12);
    }
}
