//! Constraints that a system owns: functions of time, parameters, casts.

use dualbody::constraint::{
    AccelerationLimit, AnyConstraint, BallConstraint, Baumgarte, ConstraintRows, ConstraintSolver,
    DistanceConstraint, GearConstraint, HingeConstraint, JointLimitConstraint, MotionProfile,
    MotionSpline, PrescribedMotion, TreeConstraint, TreeConstraints, WeldConstraint,
};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::parameter::Parameter;
use dualbody::tree::{
    BodyIndex, JointIndex, JointKind, Mimic, RigidBodyTree, RigidBodyTreeBuilder,
};
use dualbody::{DefaultScalar, Scalar};
use nalgebra::{Rotation3, Vector3};
use num_dual::{Dual2_64, Dual3_64, Dual64};

const G: f64 = 9.81;

/// A slider of 2 kg along z, and a flywheel of 0.3 kg m² about z that follows nothing.
fn slider_and_wheel<T: Scalar>() -> (RigidBodyTree<T>, [JointIndex; 2]) {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(T::from(2.0), Vector3::repeat(T::from(0.3)));
    let mut add = |name: &str, kind| {
        let body = builder.add_body(name, inertia).unwrap();
        let here = RigidTransform::identity();
        builder
            .add_joint(format!("{name} joint"), kind, BodyIndex::WORLD, here, body)
            .unwrap()
    };
    let axis = Vector3::z();
    let joints = [
        add("slider", JointKind::Prismatic { axis }),
        add("wheel", JointKind::Revolute { axis }),
    ];
    builder
        .set_position_limits(joints[0], &[T::from(-0.5)], &[T::from(f64::INFINITY)])
        .unwrap();
    builder
        .set_position_limits(joints[1], &[T::from(-1.0)], &[T::from(2.0)])
        .unwrap();
    (builder.finish().unwrap(), joints)
}

fn profiles() -> Vec<MotionProfile<f64>> {
    let samples = [0.2, 0.5, -0.3, 0.1, 0.4];
    vec![
        MotionProfile::Polynomial {
            coefficients: vec![0.1, -0.4, 0.3, 0.2],
        },
        MotionProfile::Polynomial {
            coefficients: vec![],
        },
        MotionProfile::Harmonic {
            mean: 0.1,
            amplitude: 0.2,
            angular_frequency: 3.0,
            phase: 0.7,
        },
        MotionProfile::Spline(MotionSpline::through(0.1, 0.2, &samples).unwrap()),
        MotionProfile::Spline(MotionSpline::through(-0.2, 0.7, &samples[..2]).unwrap()),
    ]
}

#[test]
fn velocities_and_accelerations_are_derivatives_by_time() {
    let (tree, joints) = slider_and_wheel::<f64>();
    for profile in profiles() {
        let motion = PrescribedMotion::new("m", &tree, joints[0], profile.clone()).unwrap();
        let dual = motion.cast::<Dual2_64>();
        for time in [-0.4, 0.1, 0.17, 0.3, 0.55, 0.9, 0.93, 2.0] {
            let [x, v, a] = profile.at(time);
            let along = dual.profile().at(Dual2_64::from(time).derivative())[0];
            assert!((along.re - x).abs() < 1e-14, "{profile:?} {time}");
            assert!((along.v1 - v).abs() < 1e-12, "{profile:?} {time}");
            // At the end of a spline the acceleration jumps.
            let jumps = matches!(profile, MotionProfile::Spline(_));
            if !jumps || time != 0.1 && time != 0.9 {
                assert!((along.v2 - a).abs() < 1e-10, "{profile:?} {time}");
            }
        }
    }
}

#[test]
fn splines_pass_through_their_samples_smoothly() {
    let samples = [0.2, 0.5, -0.3, 0.1, 0.4];
    let spline = MotionProfile::Spline(MotionSpline::through(0.1, 0.2, &samples).unwrap());
    for (k, y) in samples.into_iter().enumerate() {
        let knot = 0.1 + 0.2 * k as f64;
        assert!((spline.at(knot)[0] - y).abs() < 1e-14);
        let [before, after] = [knot - 1e-9, knot + 1e-9].map(|t| spline.at(t));
        assert!((before[1] - after[1]).abs() < 1e-6);
        if (1..4).contains(&k) {
            assert!((before[2] - after[2]).abs() < 1e-4);
        }
    }
    // At rest before and after.
    for (time, y) in [(0.1, 0.2), (-3.0, 0.2), (0.9, 0.4), (5.0, 0.4)] {
        let [x, v, _] = spline.at(time);
        assert!((x - y).abs() < 1e-14 && v.abs() < 1e-12);
    }
    // It is linear in the samples, with their derivatives.
    let changed = samples.map(|y| Dual64::from(y) + Dual64::from(1.0).derivative() - 1.0);
    let changed = MotionSpline::through(0.1.into(), 0.2.into(), &changed).unwrap();
    let [x, v, _] = MotionProfile::Spline(changed).at(Dual64::from(0.44));
    assert!((x.eps - 1.0).abs() < 1e-14 && v.eps.abs() < 1e-13);
    for (spacing, samples) in [(0.2, &samples[..1]), (0.0, &samples), (f64::NAN, &samples)] {
        assert!(MotionSpline::through(0.0, spacing, samples).is_err());
    }
}

#[test]
fn all_constants_of_motions_are_parameters() {
    let (tree, joints) = slider_and_wheel::<f64>();
    for profile in profiles() {
        let mut motion = PrescribedMotion::new("m", &tree, joints[0], profile).unwrap();
        let mut names = Vec::new();
        motion.visit_parameters(&mut |p| names.push(p.name.to_string()));
        if matches!(motion.profile(), MotionProfile::Spline(_)) {
            assert_eq!([&names[0], names.last().unwrap()], ["m/start", "m/spacing"]);
        }
        for (wanted, name) in names.iter().enumerate() {
            for time in [0.17, 0.45, 2.0] {
                let at = |change: f64| {
                    let (mut motion, mut index) = (motion.cast::<Dual64>(), 0);
                    motion.visit_parameters(&mut |p| {
                        if index == wanted {
                            *p.value = (*p.value + change).derivative();
                        }
                        index += 1;
                    });
                    motion.profile().at(Dual64::from(time))
                };
                let (h, here) = (1e-6, at(0.0));
                let (before, after) = (at(-h), at(h));
                for k in 0..3 {
                    let difference = (after[k].re - before[k].re) / (2.0 * h);
                    let error = (here[k].eps - difference).abs();
                    let allowed = 1e-6 * (1.0 + difference.abs());
                    assert!(error < allowed, "{name} {time} {k}: {error}");
                }
            }
        }
    }
}

#[test]
fn prescribed_motions_go_on_with_time() {
    // A slider on a motor: f = m (g + ẍ(t)) at every time, by the constants of the profile too.
    let (tree, joints) = slider_and_wheel::<f64>();
    let profile = MotionProfile::Harmonic {
        mean: 0.0,
        amplitude: 0.2,
        angular_frequency: 3.0,
        phase: 0.7,
    };
    let motion = PrescribedMotion::new("motor", &tree, joints[0], profile).unwrap();
    let tree = tree.cast::<Dual64>();
    for time in [0.0, 0.3, 1.1] {
        let mut motor = motion.cast::<Dual64>();
        motor.visit_parameters(&mut |p| {
            if p.name.to_string() == "motor/amplitude" {
                *p.value = p.value.derivative();
            }
        });
        let [x, v, _] = motor.profile().at(time.into());
        let zero = Dual64::from(0.0);
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &[x, zero], &[v, zero])
            .unwrap();
        let mut constraints = TreeConstraints::new();
        constraints.time = time.into();
        constraints.add(&motor, Baumgarte::critical(0.1.into()).unwrap());
        let mut problem = constraints
            .acceleration_problem(&tree, &mut workspace, &[zero; 2])
            .unwrap();
        let force = ConstraintSolver::default()
            .solve_accelerations(&mut problem.data)
            .unwrap()
            .forces
            .bilateral()[0];
        let rate = -9.0 * (3.0 * time + 0.7f64).sin();
        assert!((force.re - 2.0 * (G + 0.2 * rate)).abs() < 1e-11);
        assert!((force.eps - 2.0 * rate).abs() < 1e-11, "{}", force.eps);
    }
    let mut constraints = TreeConstraints::new();
    constraints.time = Dual64::from(f64::NAN);
    let mut workspace = tree.workspace();
    let tau = [0.0.into(); 2];
    assert!(
        constraints
            .acceleration_problem(&tree, &mut workspace, &tau)
            .is_err()
    );
}

fn every_constraint(tree: &RigidBodyTree<f64>) -> Vec<AnyConstraint<f64>> {
    let [slider, wheel] = [0, 1].map(JointIndex::new);
    let world = (BodyIndex::WORLD, Vector3::new(0.1, 0.2, 0.3));
    let body = (BodyIndex::new(1), Vector3::new(-0.2, 0.4, 0.1));
    let turned = Rotation3::from_euler_angles(0.3, -0.2, 0.9).into_inner();
    let pose = RigidTransform::new(turned, body.1);
    let axis = Vector3::new(0.3, 1.0, -0.2);
    let profile = MotionProfile::Polynomial {
        coefficients: vec![0.1, 0.2, 0.3],
    };
    let ball = BallConstraint::new("ball", body, world);
    let hinge = HingeConstraint::new("hinge", (body.0, body.1, axis), (world.0, world.1, axis));
    let weld = WeldConstraint::new(
        "weld",
        (body.0, pose),
        (world.0, RigidTransform::identity()),
    );
    let rod = DistanceConstraint::new("rod", body, world, 0.7);
    let gear = GearConstraint::new("gear", tree, wheel, slider, 3.0).unwrap();
    let motor = PrescribedMotion::new("motor", tree, slider, profile);
    let limit = JointLimitConstraint::new("limit", tree, wheel, Some(-1.0), Some(1.5));
    let slow = AccelerationLimit::new("slow", tree, slider, 2.0);
    vec![
        AnyConstraint::new(ball.unwrap()),
        AnyConstraint::new(hinge.unwrap()),
        AnyConstraint::new(weld.unwrap()),
        AnyConstraint::new(rod.unwrap()),
        AnyConstraint::new(gear.with_offset(0.2).unwrap()),
        AnyConstraint::new(motor.unwrap()),
        AnyConstraint::new(limit.unwrap()),
        AnyConstraint::new(slow.unwrap()),
    ]
}

fn all_rows<T: Scalar>(
    tree: &RigidBodyTree<T>,
    constraints: &[AnyConstraint<T>],
) -> Vec<ConstraintRows<T>> {
    let mut workspace = tree.workspace();
    let (q, v) = ([0.3, -0.4].map(T::from), [1.1, 0.7].map(T::from));
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let rows_of = |constraint: &AnyConstraint<T>| {
        let mut rows = ConstraintRows::zeros(constraint.num_rows(), tree.num_velocities());
        constraint
            .evaluate(tree, &workspace, T::from(0.6), &mut rows)
            .unwrap();
        rows
    };
    constraints.iter().map(rows_of).collect()
}

fn cast<U: DefaultScalar>(constraints: &[AnyConstraint<f64>]) -> Vec<AnyConstraint<U>> {
    constraints.iter().map(|c| c.cast()).collect()
}

/// Calls `visit` with every constant of all of them.
fn visit<T: Scalar>(constraints: &mut [AnyConstraint<T>], visit: &mut dyn FnMut(Parameter<'_, T>)) {
    for constraint in constraints {
        constraint.visit_parameters(visit);
    }
}

fn names<T: Scalar>(constraints: &[AnyConstraint<T>]) -> Vec<(String, &'static str)> {
    let mut names = Vec::new();
    visit(&mut constraints.to_vec(), &mut |p| {
        names.push((p.name.to_string(), p.unit));
    });
    names
}

#[test]
fn every_constant_is_a_parameter_that_acts() {
    let (tree, _) = slider_and_wheel::<f64>();
    let set = every_constraint(&tree);
    set.iter().for_each(|c| c.validate(&tree).unwrap());
    let names = names(&set);
    let expected = [3 + 3, 12, 12, 7, 2, 3, 2, 1].iter().sum::<usize>();
    assert_eq!(names.len(), expected);
    for (name, unit) in [
        ("ball/point_a/x", "m"),
        ("hinge/axis_b/z", "1"),
        ("weld/rotation_a/y", "rad"),
        ("rod/length", "m"),
        ("gear/ratio", "rad/m"),
        ("gear/offset", "rad"),
        ("motor/coefficients/2", "m/s²"),
        ("limit/lower", "rad"),
        ("slow/limit", "m/s²"),
    ] {
        assert!(names.contains(&(name.to_owned(), unit)), "{name}");
    }
    // The derivative of all rows by each of them, against differences.
    let dual_tree = tree.cast::<Dual64>();
    for (k, (name, _)) in names.iter().enumerate() {
        let mut dual = cast::<Dual64>(&set);
        let mut index = 0;
        visit(&mut dual, &mut |p| {
            if index == k {
                *p.value = p.value.derivative();
            }
            index += 1;
        });
        let exact = all_rows(&dual_tree, &dual);
        let moved = |h: f64| {
            let (mut moved, mut index) = (set.clone(), 0);
            visit(&mut moved, &mut |p| {
                if index == k {
                    *p.value += h;
                }
                index += 1;
            });
            all_rows(&tree, &moved)
        };
        let (h, mut acts) = (1e-6, false);
        let (plus, minus) = (moved(h), moved(-h));
        for ((exact, plus), minus) in exact.iter().zip(&plus).zip(&minus) {
            let parts = |rows: &ConstraintRows<f64>| {
                let vectors = [&rows.phi, &rows.explicit_rate, &rows.bias];
                let vectors = vectors.into_iter().flat_map(|v| v.iter());
                vectors.chain(rows.jacobian.iter()).copied().collect()
            };
            let (plus, minus): (Vec<f64>, Vec<f64>) = (parts(plus), parts(minus));
            let vectors = [&exact.phi, &exact.explicit_rate, &exact.bias];
            let vectors = vectors.into_iter().flat_map(|v| v.iter());
            for (i, x) in vectors.chain(exact.jacobian.iter()).enumerate() {
                let difference = (plus[i] - minus[i]) / (2.0 * h);
                assert!(
                    (x.eps - difference).abs() < 1e-8,
                    "{name} {i}: {x} {difference}"
                );
                acts |= x.eps.abs() > 1e-6;
            }
        }
        assert!(acts, "{name} has no effect");
    }
}

#[test]
fn constraints_of_any_type_are_what_they_hold() {
    let (tree, [slider, wheel]) = slider_and_wheel::<f64>();
    let limits = JointLimitConstraint::of_tree(&tree).unwrap();
    let sizes: Vec<_> = limits.iter().map(|l| (l.name(), l.num_rows())).collect();
    assert_eq!(
        sizes,
        [("slider joint/limits", 1), ("wheel joint/limits", 2)]
    );
    let mut set: Vec<_> = limits.iter().cloned().map(AnyConstraint::new).collect();
    let gear = GearConstraint::new("gear", &tree, wheel, slider, 1.0).unwrap();
    set.push(AnyConstraint::new(gear.clone()));
    let slow = AccelerationLimit::new("slow", &tree, slider, 1.0).unwrap();
    set.push(AnyConstraint::new(slow));
    let order: Vec<_> = set.iter().map(|c| (c.name(), c.num_rows())).collect();
    assert_eq!(order, [&sizes[..], &[("gear", 1), ("slow", 1)]].concat());
    assert_eq!(names(&cast::<Dual3_64>(&set)), names(&set));
    assert_eq!(names(&set).len(), 3 + 2 + 1);
    assert_eq!(set[2].downcast_ref(), Some(&gear));
    assert_eq!(
        AnyConstraint::new(set[2].clone()).downcast_ref(),
        Some(&gear)
    );
    assert_eq!(set[3].downcast_ref::<GearConstraint<f64>>(), None);

    // A tree of another kind is refused.
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let body = builder
        .add_body("body", SpatialInertia::solid_sphere(1.0, 0.1))
        .unwrap();
    let free = builder.finish().unwrap();
    for constraint in &set {
        assert!(constraint.validate(&tree).is_ok() && constraint.validate(&free).is_err());
    }
    let ball = |body| {
        let ends = [body, BodyIndex::WORLD].map(|body| (body, Vector3::zeros()));
        AnyConstraint::new(BallConstraint::new("x", ends[0], ends[1]).unwrap())
    };
    assert!(ball(body).validate(&free).is_ok());
    assert!(ball(BodyIndex::new(5)).validate(&free).is_err());
}

#[test]
fn limits_hold_at_both_bounds_of_joints_and_of_their_followers() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let inertia = SpatialInertia::principal(1.0, Vector3::repeat(0.1));
    let mut add = |name: &str| {
        let body = builder.add_body(name, inertia).unwrap();
        let kind = JointKind::Prismatic { axis: Vector3::x() };
        let here = RigidTransform::identity();
        builder
            .add_joint(name, kind, BodyIndex::WORLD, here, body)
            .unwrap()
    };
    let (leader, follower) = (add("leader"), add("follower"));
    let mimic = Mimic {
        joint: leader,
        multiplier: -2.0,
        offset: 0.1,
    };
    builder.set_mimic(follower, mimic).unwrap();
    builder
        .set_position_limits(follower, &[-0.5], &[0.7])
        .unwrap();
    let tree = builder.finish().unwrap();
    let limits = JointLimitConstraint::of_tree(&tree).unwrap();
    let mut constraints = TreeConstraints::new();
    for limit in &limits {
        constraints.add(limit, Baumgarte::none());
    }
    let mut solver = ConstraintSolver::default();
    // −0.5 ≤ −2 q + 0.1 ≤ 0.7 means −0.3 ≤ q ≤ 0.3.
    for (speed, end) in [(5.0, 0.3), (-5.0, -0.3)] {
        let mut workspace = tree.workspace();
        tree.set_state(&mut workspace, &[0.25 * end / 0.3], &[speed])
            .unwrap();
        let mut problem = constraints
            .time_step_problem(&tree, &mut workspace, &[0.0], 0.1)
            .unwrap();
        let v = solver
            .solve_velocities(&mut problem.data)
            .unwrap()
            .generalized_velocity[0];
        assert!((0.25 * end / 0.3 + 0.1 * v - end).abs() < 1e-14);
    }
}
