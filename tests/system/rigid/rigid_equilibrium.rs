//! Equilibria of machines with rigid contact.

use crate::support::four_bar::{closed, four_bar};
use crate::support::random_tree::Random;
use crate::support::scenes::{bodies_over_ground, geometry};
use dualbody::actuator::PdServo;
use dualbody::constraint::{
    AccelerationLimit, ConstraintError, ConstraintKind, ConstraintLevel, ConstraintRows,
    TreeConstraint,
};
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::force::{BodyPoint, LinearSpringDamper};
use dualbody::geometry::{HeightField, Shape};
use dualbody::math::{RigidTransform, SpatialInertia, rotation};
use dualbody::system::{RigidBodySystem, State, SystemError};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeWorkspace};
use dualbody::{Parameters, Scalar, constants};
use nalgebra::{Quaternion, UnitQuaternion, Vector2, Vector3};
use num_dual::{Dual2_64, Dual64, DualNum};

const MASS: f64 = 1.3;
const LENGTH: f64 = 0.7;
const RADIUS: f64 = 0.1;

fn material() -> ContactMaterial<f64> {
    ContactMaterial::new(1e9, 0.0, 0.5).unwrap()
}

fn with_rigid_contact(system: RigidBodySystem<f64>, rigid: bool) -> RigidBodySystem<f64> {
    let mut options = *system.options();
    options.rigid_contact = rigid;
    system.with_options(options).unwrap()
}

/// The half space below a plane through `point` that is turned by `angle` about y from the horizontal.
fn plane(name: &str, point: Vector3<f64>, angle: f64) -> CollisionGeometry<f64> {
    let mut plane = geometry(name, BodyIndex::WORLD, Shape::HalfSpace, material());
    plane.pose_in_body = RigidTransform::new(rotation::exp(&(Vector3::y() * angle)), point);
    plane
}

/// A ball on a rod that hangs from a hinge about y, beside a wall whose surface is x = `wall`.
fn beside_a_wall(wall: f64, rigid: bool) -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let center = Vector3::new(0.0, 0.0, -LENGTH);
    let bob = tree
        .add_body("bob", SpatialInertia::point_mass(MASS, center))
        .unwrap();
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    tree.add_joint(
        "hinge",
        hinge,
        BodyIndex::WORLD,
        RigidTransform::identity(),
        bob,
    )
    .unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let mut ball = geometry("ball", bob, Shape::new_sphere(RADIUS).unwrap(), material());
    ball.pose_in_body = RigidTransform::from_translation(center);
    contact.add_geometry(ball).unwrap();
    let quarter = std::f64::consts::FRAC_PI_2;
    contact
        .add_geometry(plane("wall", Vector3::x() * wall, quarter))
        .unwrap();
    let contact = contact.finish(&tree).unwrap();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    with_rigid_contact(system, rigid)
}

/// A ball that moves in x and z over some ground.
fn ball_over(ground: impl IntoIterator<Item = CollisionGeometry<f64>>) -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let slide = SpatialInertia::point_mass(0.2, Vector3::zeros());
    let slide = tree.add_body("slide", slide).unwrap();
    let ball = SpatialInertia::point_mass(MASS, Vector3::zeros());
    let ball = tree.add_body("bob", ball).unwrap();
    for (name, axis, parent, child) in [
        ("x", Vector3::x(), BodyIndex::WORLD, slide),
        ("z", Vector3::z(), slide, ball),
    ] {
        let kind = JointKind::Prismatic { axis };
        tree.add_joint(name, kind, parent, RigidTransform::identity(), child)
            .unwrap();
    }
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let shape = Shape::new_sphere(RADIUS).unwrap();
    contact
        .add_geometry(geometry("ball", ball, shape, material()))
        .unwrap();
    for geometry in ground {
        contact.add_geometry(geometry).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    let system = RigidBodySystem::new(tree, contact).unwrap();
    with_rigid_contact(system, true)
}

/// A ball in a groove of two planes through the origin.
fn in_a_groove([left, right]: [f64; 2]) -> RigidBodySystem<f64> {
    let planes = [("left", left), ("right", right)];
    ball_over(planes.map(|(name, slope)| plane(name, Vector3::zeros(), slope)))
}

fn rigid_bodies(shapes: &[Shape<f64>]) -> RigidBodySystem<f64> {
    let inertia = SpatialInertia::principal(1.0, Vector3::new(0.01, 0.011, 0.012));
    let system = bodies_over_ground(RigidBodyTreeBuilder::new(), shapes, inertia, material());
    with_rigid_contact(system, true)
}

fn set_pose(state: &mut State<f64>, body: usize, turn: Vector3<f64>, position: Vector3<f64>) {
    let turn = UnitQuaternion::from_scaled_axis(turn).into_inner();
    let Quaternion { coords } = turn;
    let q = &mut state.q.as_mut_slice()[7 * body..][..7];
    q.copy_from_slice(&[
        coords.w, coords.x, coords.y, coords.z, position.x, position.y, position.z,
    ]);
}

/// The largest acceleration at a state, which no search for equilibria has computed.
fn acceleration(system: &RigidBodySystem<f64>, state: &State<f64>) -> f64 {
    let mut workspace = system.dynamics_workspace();
    let vdot = system.accelerations(&mut workspace, state, &[]).unwrap();
    vdot.iter().fold(0.0, |largest, a| a.abs().max(largest))
}

#[test]
fn a_pendulum_leans_on_a_wall_or_hangs_free_of_it() {
    for guess in [-1.2, -0.4, 0.0, 0.3] {
        let leaning = beside_a_wall(0.05, true);
        let mut start = leaning.initial_state();
        start.q[0] = guess;
        let rest = leaning.equilibrium(&start, &[], 1e-10).unwrap();
        let expected = -((0.05 + RADIUS) / LENGTH).asin();
        assert!(
            (rest.q[0] - expected).abs() < 1e-10,
            "{guess}: {}",
            rest.q[0]
        );
        assert!(acceleration(&leaning, &rest) < 1e-8);
        let free = beside_a_wall(-0.2, true);
        let rest = free.equilibrium(&start, &[], 1e-10).unwrap();
        assert!(rest.q[0].abs() < 1e-10, "{guess}: {}", rest.q[0]);
    }
}

#[test]
fn a_stiff_compliant_contact_comes_near_a_rigid_one() {
    let [rigid, compliant] = [true, false].map(|rigid| {
        let system = beside_a_wall(0.05, rigid);
        let mut start = system.initial_state();
        start.q[0] = -0.25;
        system.equilibrium(&start, &[], 1e-7).unwrap().q[0]
    });
    assert!((rigid - compliant).abs() < 1e-7, "{rigid} {compliant}");
}

#[test]
fn what_rigid_contact_holds_has_derivatives() {
    // sin θ = −(w + r)/l, by r, twice.
    let system = beside_a_wall(0.05, true).cast::<Dual2_64>();
    let radius = Dual2_64::from(RADIUS).derivative();
    let mut leaning = system.clone();
    leaning.set_parameter("ball/radius", radius).unwrap();
    let rest = leaning
        .equilibrium(&leaning.initial_state(), &[], 1e-11)
        .unwrap();
    let expected = -((radius + 0.05) / LENGTH).asin();
    for (found, expected) in [
        (rest.q[0].re, expected.re),
        (rest.q[0].v1, expected.v1),
        (rest.q[0].v2, expected.v2),
    ] {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
    // The mass has no say.
    let mut heavier = system.clone();
    let mass = Dual2_64::from(MASS).derivative();
    heavier.set_parameter("body/bob/mass", mass).unwrap();
    let rest = heavier
        .equilibrium(&heavier.initial_state(), &[], 1e-11)
        .unwrap();
    assert!(rest.q[0].v1.abs() < 1e-10 && rest.q[0].v2.abs() < 1e-10);
    // Of one that hangs free neither has the radius.
    let mut hanging = beside_a_wall(-0.2, true).cast::<Dual64>();
    let radius = Dual64::from(RADIUS).derivative();
    hanging.set_parameter("ball/radius", radius).unwrap();
    let rest = hanging
        .equilibrium(&hanging.initial_state(), &[], 1e-11)
        .unwrap();
    assert!(rest.q[0].eps.abs() < 1e-12);
}

/// Two contacts that hold both coordinates: the center is where planes a radius above the two meet.
#[test]
fn a_ball_rests_in_a_groove() {
    for (left, right) in [(0.7, -0.7), (0.3, -1.1), (1.2, -0.2)] {
        let system = in_a_groove([left, right]);
        for (x, z) in [(0.0, 1.0), (0.3, 0.9), (-0.5, 0.7), (0.01, 0.05)] {
            let mut dual = system.cast::<Dual64>();
            let radius = Dual64::from(RADIUS).derivative();
            dual.set_parameter("ball/radius", radius).unwrap();
            let mut start = dual.initial_state();
            start.q.copy_from_slice(&[x.into(), z.into()]);
            let rest = dual.equilibrium(&start, &[], 1e-10).unwrap();
            // n·p = r for both normals n = (sin, cos) of the slopes.
            let determinant = f64::sin(left - right);
            let expected = [
                (right.cos() - left.cos()) / determinant,
                (left.sin() - right.sin()) / determinant,
            ];
            for (found, per_radius) in rest.q.iter().zip(expected) {
                assert!((found.re - per_radius * RADIUS).abs() < 1e-9, "{found}");
                assert!((found.eps - per_radius).abs() < 1e-9, "{found}");
            }
            assert!(acceleration(&system, &rest.cast()) < 1e-7);
        }
    }
    // On planes that fall the same way it does not rest.
    let slope = in_a_groove([0.3, 0.5]);
    let mut start = slope.initial_state();
    start.q[1] = 0.3;
    let result = slope.equilibrium(&start, &[], 1e-9);
    assert!(matches!(result, Err(SystemError::NoEquilibrium { .. })));
}

#[test]
fn boxes_come_to_lie_on_each_other() {
    let size = Vector3::new(0.2, 0.3, 0.1);
    let shape = Shape::new_box(size).unwrap();
    for count in [1, 2, 3] {
        let system = rigid_bodies(&vec![shape.clone(); count]);
        let mut start = system.initial_state();
        for k in 0..count {
            let turn = Vector3::z() * (0.4 - 0.3 * k as f64);
            let at = Vector3::new(0.02 * k as f64, 0.01, 0.08 + 0.12 * k as f64);
            set_pose(&mut start, k, turn, at);
        }
        let rest = system.equilibrium(&start, &[], 1e-8).unwrap();
        for k in 0..count {
            let height = size.z * (k as f64 + 0.5);
            let found = rest.q[7 * k + 6];
            assert!((found - height).abs() < 1e-8, "{count} {k}: {found}");
        }
        assert!(acceleration(&system, &rest) < 1e-6);
        // They could lie elsewhere.
        let dual = system.cast::<Dual64>();
        let result = dual.equilibrium(&rest.cast(), &[], 1e-8);
        assert!(matches!(result, Err(SystemError::IndifferentEquilibrium)));
    }
}

#[test]
fn bodies_of_every_shape_come_to_rest() {
    let shapes = [
        Shape::new_sphere(0.1).unwrap(),
        Shape::new_box(Vector3::new(0.2, 0.15, 0.1)).unwrap(),
        Shape::new_capsule(0.06, 0.2).unwrap(),
        Shape::new_cylinder(0.08, 0.15).unwrap(),
        Shape::new_ellipsoid(Vector3::new(0.1, 0.12, 0.08)).unwrap(),
    ];
    let mut random = Random::new(7);
    for shape in shapes {
        for _ in 0..5 {
            let system = rigid_bodies(std::slice::from_ref(&shape));
            let mut start = system.initial_state();
            let turn = random.vector() * 2.0;
            set_pose(&mut start, 0, turn, Vector3::new(0.3, -0.2, 0.35));
            let rest = system.equilibrium(&start, &[], 1e-8).unwrap();
            let left = acceleration(&system, &rest);
            assert!(left < 1e-5, "{shape:?} {turn}: {left}");
        }
    }
}

#[test]
fn heaps_come_to_rest() {
    let mut random = Random::new(3);
    for _ in 0..6 {
        let shapes = [
            Shape::new_sphere(0.1).unwrap(),
            Shape::new_box(Vector3::new(0.2, 0.15, 0.1)).unwrap(),
            Shape::new_capsule(0.06, 0.2).unwrap(),
        ];
        let system = rigid_bodies(&shapes);
        let mut start = system.initial_state();
        for k in 0..shapes.len() {
            let aside = random.vector() * 0.1;
            let at = Vector3::new(aside.x, aside.y, 0.2 + 0.25 * k as f64);
            set_pose(&mut start, k, random.vector() * 2.0, at);
        }
        let rest = system.equilibrium(&start, &[], 1e-8).unwrap();
        let left = acceleration(&system, &rest);
        assert!(left < 1e-5, "{left}");
    }
}

/// An arm of two links with a ball at its end that servos press on a slope.
fn arm_on_a_slope() -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let (mut parent, mut at) = (BodyIndex::WORLD, Vector3::zeros());
    let mut last = parent;
    for name in ["shoulder", "elbow"] {
        let mut link = SpatialInertia::principal(0.8, Vector3::repeat(0.01));
        link.center_of_mass = Vector3::new(0.2, 0.0, 0.0);
        last = tree.add_body(format!("{name} link"), link).unwrap();
        let hinge = JointKind::Revolute { axis: Vector3::y() };
        let pose = RigidTransform::from_translation(at);
        tree.add_joint(name, hinge, parent, pose, last).unwrap();
        (parent, at) = (last, Vector3::new(0.4, 0.0, 0.0));
    }
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let mut ball = geometry("ball", last, Shape::new_sphere(RADIUS).unwrap(), material());
    ball.pose_in_body = RigidTransform::from_translation(at);
    contact.add_geometry(ball).unwrap();
    contact
        .add_geometry(plane("slope", Vector3::z() * -0.4, 0.2))
        .unwrap();
    let contact = contact.finish(&tree).unwrap();
    let servos = ["shoulder", "elbow"].map(|name| {
        let joint = tree.joint_by_name(name).unwrap();
        PdServo::new(format!("{name} servo"), &tree, joint, [30.0, 1.0], None).unwrap()
    });
    let system = RigidBodySystem::new(tree, contact).unwrap();
    with_rigid_contact(system.with_actuators(servos).unwrap(), true)
}

#[test]
fn an_arm_that_presses_on_a_slope_has_the_derivatives_of_differences() {
    let system = arm_on_a_slope();
    let targets = [0.5, 0.3, 0.0, 0.0];
    let input = targets[..system.num_inputs()].to_vec();
    let rest = |name: &str, change: f64| {
        let mut system = system.clone();
        let value = system.parameter(name).unwrap();
        system.set_parameter(name, value + change).unwrap();
        let rest = system.equilibrium(&system.initial_state(), &input, 1e-11);
        rest.unwrap().q
    };
    let mut workspace = system.dynamics_workspace();
    let at = system.equilibrium(&system.initial_state(), &input, 1e-11);
    let at = at.unwrap();
    system.accelerations(&mut workspace, &at, &input).unwrap();
    let touching = workspace.contacts().iter().filter(|c| c.force.z > 0.1);
    assert_eq!(touching.count(), 1);
    let mut moved = 0;
    for name in system.parameters().into_iter().map(|p| p.name) {
        let mut dual = system.cast::<Dual2_64>();
        let value = dual.parameter(&name).unwrap().derivative();
        dual.set_parameter(&name, value).unwrap();
        let input: Vec<_> = input.iter().map(|&u| Dual2_64::from(u)).collect();
        let exact = dual.equilibrium(&dual.initial_state(), &input, 1e-11);
        let exact = exact.unwrap_or_else(|error| panic!("{name}: {error}"));
        let h = 1e-5;
        // Not every constant may fall below its value.
        let Ok(()) = system.clone().set_parameter(&name, value.re - h) else {
            continue;
        };
        let [less, middle, more] = [-h, 0.0, h].map(|change| rest(&name, change));
        for i in 0..2 {
            let first = (more[i] - less[i]) / (2.0 * h);
            let second = (more[i] - 2.0 * middle[i] + less[i]) / (h * h);
            let (v1, v2) = (exact.q[i].v1, exact.q[i].v2);
            assert!(
                (v1 - first).abs() < 1e-7 * (1.0 + v1.abs()),
                "{name}: {v1} {first}"
            );
            assert!(
                (v2 - second).abs() < 1e-3 * (1.0 + v2.abs()),
                "{name}: {v2} {second}"
            );
            moved += usize::from(v1.abs() > 1e-6);
        }
    }
    assert!(moved > 20, "{moved}");
}

#[test]
fn a_closed_loop_rests_with_its_foot_on_the_ground() {
    let high = four_bar(-1.0, 1e6, 1);
    let (_, height) = closed(&high, 0.9);
    for loops in [1, 2] {
        let rigid = |ground| with_rigid_contact(four_bar(ground, 1e6, loops), true);
        let system = rigid(height);
        for crank in [0.5, 0.9, 1.2] {
            let start = closed(&system, crank).0;
            let rest = system.equilibrium(&start, &[0.0], 1e-9).unwrap();
            assert!((rest.q[0] - 0.9).abs() < 1e-7, "{crank}: {}", rest.q[0]);
            let mut workspace = system.dynamics_workspace();
            let vdot = system.accelerations(&mut workspace, &rest, &[0.0]).unwrap();
            assert!(vdot.iter().all(|a| a.abs() < 1e-5));
        }
        // High above the ground it hangs as low as it can.
        let high = rigid(-1.0);
        let start = closed(&high, 0.9).0;
        let rest = high.equilibrium(&start, &[0.0], 1e-9).unwrap();
        let mut workspace = high.dynamics_workspace();
        let vdot = high.accelerations(&mut workspace, &rest, &[0.0]).unwrap();
        assert!(vdot.iter().all(|a| a.abs() < 1e-6));
    }
}

#[test]
fn robots_stand_on_their_servos() {
    use crate::support::reference::{data, read_from};
    use crate::support::robot_on_ground;
    for (robot, height) in [("quadruped", 0.6), ("humanoid", 1.2)] {
        let reference = read_from(&data("reference"), &format!("steps_{robot}.json")).unwrap();
        let stepper = robot_on_ground::system(&reference, 1e-3);
        let (system, tree) = (stepper.system(), stepper.tree());
        let servos = tree.joints().filter_map(|joint| {
            let name = format!("{} servo", joint.name());
            PdServo::new(name, tree, joint.index(), [60.0, 1.0], None).ok()
        });
        let system = with_rigid_contact(system.clone(), true);
        let system = system.with_actuators(servos).unwrap();
        let mut start = system.initial_state();
        start.q[6] = height;
        let input = vec![0.0; system.num_inputs()];
        let rest = system.equilibrium(&start, &input, 1e-8).unwrap();
        let mut workspace = system.dynamics_workspace();
        let vdot = system.accelerations(&mut workspace, &rest, &input).unwrap();
        assert!(vdot.iter().all(|a| a.abs() < 1e-6), "{robot}: {vdot:?}");
        let pushing = workspace.contacts().iter().filter(|c| c.force.z > 1.0);
        assert!(pushing.count() >= 3, "{robot}");
    }
}

/// A belt that drives a coordinate: at rest only if it stands.
#[derive(Debug, Clone)]
struct Belt<T> {
    speed: T,
    kind: ConstraintKind,
}

impl<T: Scalar> TreeConstraint<T> for Belt<T> {
    constants! { TreeConstraint for Belt, named "belt" { speed: any("m/s"); kind; } }
    fn num_rows(&self) -> usize {
        1
    }
    fn kind(&self) -> ConstraintKind {
        self.kind
    }
    fn level(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }
    fn evaluate(
        &self,
        _: &RigidBodyTree<T>,
        _: &TreeWorkspace<T>,
        _: T,
        rows: &mut ConstraintRows<T>,
    ) -> Result<(), ConstraintError> {
        rows.jacobian[(0, 0)] = T::one();
        rows.explicit_rate[0] = -self.speed;
        Ok(())
    }
}

#[test]
fn nothing_rests_that_a_belt_moves() {
    for rigid in [false, true] {
        for (kind, speed, rests) in [
            (ConstraintKind::Bilateral, 0.0, true),
            (ConstraintKind::Bilateral, 0.3, false),
            (ConstraintKind::Unilateral, 0.3, false),
            (ConstraintKind::Unilateral, -0.3, true),
        ] {
            let system = beside_a_wall(-0.2, rigid);
            let system = system.with_constraints([Belt { speed, kind }]).unwrap();
            let mut start = system.initial_state();
            start.q[0] = 0.2;
            let result = system.equilibrium(&start, &[], 1e-9);
            match result {
                Ok(rest) => assert!(rests && rest.q[0].abs() < 1e-9, "{kind:?} {speed}"),
                Err(SystemError::NoEquilibrium { .. }) => assert!(!rests, "{kind:?} {speed}"),
                Err(error) => panic!("{error}"),
            }
        }
    }
}

#[test]
fn limits_of_acceleration_let_machines_rest() {
    for rigid in [false, true] {
        let system = beside_a_wall(0.05, rigid);
        let hinge = system.tree().joint_by_name("hinge").unwrap();
        let limit = AccelerationLimit::new("limit", system.tree(), hinge, 2.0).unwrap();
        let system = system.with_constraints([limit]).unwrap();
        let rest = system
            .equilibrium(&system.initial_state(), &[], 1e-7)
            .unwrap();
        let expected = -((0.05 + RADIUS) / LENGTH).asin();
        assert!((rest.q[0] - expected).abs() < 1e-7, "{}", rest.q[0]);
    }
}

#[test]
fn what_cannot_move_rests() {
    let system = rigid_bodies(&[]);
    let rest = system
        .equilibrium(&system.initial_state(), &[], 1e-9)
        .unwrap();
    assert_eq!(rest, system.initial_state());
}

/// A spring of 0.5 m from a point of the world to one of a body.
fn spring_between(
    tree: &RigidBodyTree<f64>,
    world: Vector3<f64>,
    (body, position): (BodyIndex, Vector3<f64>),
    stiffness: f64,
) -> LinearSpringDamper<f64> {
    let points = [(BodyIndex::WORLD, world), (body, position)];
    let points = points.map(|(body, position)| BodyPoint { body, position });
    LinearSpringDamper::new("spring", tree, points, stiffness, 0.0, 0.5, 1e-6).unwrap()
}

/// A cube that moves in the plane of x and z, on a spring along x.
fn soft_cube(stiffness: f64) -> RigidBodySystem<f64> {
    let mut tree = RigidBodyTreeBuilder::new();
    let shape = Shape::new_box(Vector3::repeat(0.1)).unwrap();
    let cube = tree
        .add_body("cube", shape.solid_inertia(1.0).unwrap())
        .unwrap();
    let planar = JointKind::Planar {
        x_axis: Vector3::x(),
        y_axis: Vector3::z(),
    };
    let here = RigidTransform::identity();
    tree.add_joint("planar", planar, BodyIndex::WORLD, here, cube)
        .unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    contact
        .add_geometry(geometry("box", cube, shape, material()))
        .unwrap();
    contact
        .add_geometry(plane("ground", Vector3::zeros(), 0.0))
        .unwrap();
    let contact = contact.finish(&tree).unwrap();
    let spring = spring_between(
        &tree,
        Vector3::new(1.0, 0.0, 0.05),
        (cube, Vector3::zeros()),
        stiffness,
    );
    let system = RigidBodySystem::new(tree, contact).unwrap();
    with_rigid_contact(system.with_forces([spring]).unwrap(), true)
}

/// What would fall over if the ground did not hold it does not slow what is soft.
#[test]
fn a_cube_slides_on_a_soft_spring() {
    for stiffness in [1e3, 1e2, 1e1, 1.0, 0.1] {
        let system = soft_cube(stiffness);
        let mut start = system.initial_state();
        for (z, turn) in [(0.05, 0.0), (0.2, 0.3)] {
            start.q.copy_from_slice(&[0.0, z, turn]);
            let rest = system.equilibrium(&start, &[], 1e-9).unwrap();
            let expected = [0.5, 0.05, 0.0];
            for (found, expected) in rest.q.iter().zip(expected) {
                let near = 1e-8 / stiffness.min(1.0);
                assert!((found - expected).abs() < near, "{stiffness}: {}", rest.q);
            }
            // Either corner may carry it: forces are not determined.
            let dual = system.cast::<Dual64>();
            let result = dual.equilibrium(&rest.cast(), &[], 1e-9);
            assert!(matches!(result, Err(SystemError::IndifferentEquilibrium)));
        }
    }
}

fn is_indifferent(system: &RigidBodySystem<f64>, start: &State<f64>, parameter: &str) -> bool {
    let mut dual = system.cast::<Dual64>();
    let value = dual.parameter(parameter).unwrap().derivative();
    dual.set_parameter(parameter, value).unwrap();
    let result = dual.equilibrium(&start.cast(), &[], 1e-9);
    matches!(result, Err(SystemError::IndifferentEquilibrium))
}

/// A body of 2 kg whose center of mass is beside its origin.
fn lopsided() -> SpatialInertia<f64> {
    let mut inertia = SpatialInertia::principal(2.0, Vector3::repeat(0.05));
    inertia.center_of_mass = Vector3::new(0.3, 0.1, 0.2);
    inertia
}

#[test]
fn a_door_whose_hinge_is_vertical_but_for_round_off_has_no_derivative() {
    let mut random = Random::new(11);
    for rigid in [false, true] {
        for _ in 0..20 {
            let mut tree = RigidBodyTreeBuilder::new();
            let door = tree.add_body("door", lopsided()).unwrap();
            let frame = random.rotation();
            let hinge = JointKind::Revolute {
                axis: frame.transpose() * Vector3::z(),
            };
            let pose = RigidTransform::from_rotation(frame);
            tree.add_joint("hinge", hinge, BodyIndex::WORLD, pose, door)
                .unwrap();
            let tree = tree.finish().unwrap();
            let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
            let system = with_rigid_contact(system, rigid);
            for name in ["body/door/mass", "gravity/x"] {
                let start = system.initial_state();
                assert!(is_indifferent(&system, &start, name), "{rigid} {name}");
            }
        }
    }
}

/// It turns about the vertical through its hook, a mixture of all its coordinates.
#[test]
fn a_body_that_hangs_on_a_spring_has_no_derivative() {
    let mut random = Random::new(12);
    for rigid in [false, true] {
        for k in 0..20 {
            let mut tree = RigidBodyTreeBuilder::new();
            let inertia = match k % 2 {
                0 => lopsided(),
                _ => SpatialInertia::principal(1.0, Vector3::repeat(0.01)),
            };
            let lamp = tree.add_body("lamp", inertia).unwrap();
            let tree = tree.finish().unwrap();
            // One hangs by its origin.
            let eye = random.vector() * if k == 0 { 0.0 } else { 0.3 };
            let hook = Vector3::new(0.0, 0.0, 2.0);
            let spring = spring_between(&tree, hook, (lamp, eye), 100.0);
            let system = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
            let system = with_rigid_contact(system, rigid);
            let system = system.with_forces([spring]).unwrap();
            let mut start = system.initial_state();
            set_pose(&mut start, 0, random.vector(), random.vector() * 0.1);
            let rest = system.equilibrium(&start, &[], 1e-9).unwrap();
            for name in ["body/lamp/mass", "gravity/x"] {
                for from in [&start, &rest] {
                    assert!(is_indifferent(&system, from, name), "{rigid} {k} {name}");
                }
            }
        }
    }
}

#[test]
fn a_contact_that_just_touches_has_no_derivative() {
    let mut touching = beside_a_wall(-RADIUS, true).cast::<Dual64>();
    let radius = Dual64::from(RADIUS).derivative();
    touching.set_parameter("ball/radius", radius).unwrap();
    for guess in [-0.3, 0.0, 0.3] {
        let mut start = touching.initial_state();
        start.q[0] = guess.into();
        let result = touching.equilibrium(&start, &[], 1e-9);
        let is_refused = matches!(result, Err(SystemError::IndifferentEquilibrium));
        assert!(is_refused, "{guess}: {result:?}");
    }
}

#[test]
fn guesses_may_be_far_off() {
    let system = rigid_bodies(&[Shape::new_sphere(0.01).unwrap()]);
    for height in [-5.0, -0.3, 0.3, 10.0, 30.0] {
        let mut start = system.initial_state();
        set_pose(&mut start, 0, Vector3::zeros(), Vector3::z() * height);
        let rest = system.equilibrium(&start, &[], 1e-9).unwrap();
        assert!((rest.q[6] - 0.01).abs() < 1e-9, "{height}: {}", rest.q[6]);
    }
}

#[test]
fn a_ball_finds_the_bottom_of_a_valley() {
    let row = (-4..=4).map(|i: i32| 0.02 * f64::from(i * i));
    let heights = row.cycle().take(81).collect();
    let field = HeightField::new(9, heights, Vector2::repeat(0.2)).unwrap();
    let field = geometry("field", BodyIndex::WORLD, field.into(), material());
    let system = ball_over([field]);
    for step in -6..=6 {
        let x = 0.1 * f64::from(step) + 0.013;
        let mut start = system.initial_state();
        start.q.copy_from_slice(&[x, 0.12 + 0.5 * x * x]);
        let rest = system.equilibrium(&start, &[], 1e-9).unwrap();
        assert!(rest.q[0].abs() < 1e-6, "{x}: {}", rest.q);
        assert!(acceleration(&system, &rest) < 1e-6);
    }
}
