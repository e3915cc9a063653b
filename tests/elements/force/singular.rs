//! Elements where lengths, slips and speeds vanish.

use super::builtin::{CART, HINGE, RAIL, cart, contact, drag, joint_spring, spring, stops, wing};
use super::laws::check_element;
use dualbody::force::bushing::{BushingConstants, BushingOrientation};
use dualbody::force::*;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, ElementKink, Parameters};
use nalgebra::Vector3;
use num_dual::{Dual3_64, Dual64};

#[test]
fn singular_states_are_finite_to_third_order() {
    // Everything along one direction of position and velocity, from where lengths and speeds vanish.
    let elements = [
        AnyForce::new(LinearSpringDamper {
            second: BodyPoint::origin(CART),
            ..spring(0.5)
        }),
        AnyForce::new(drag()),
        AnyForce::new(wing()),
        AnyForce::new(contact()),
        AnyForce::new(JointFriction {
            name: "friction".into(),
            speed: 1e-3,
        }),
        AnyForce::new(stops()),
    ];
    let tree = cart().cast::<Dual3_64>();
    let t = Dual3_64::from(0.0).derivative();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &[t, t], &[t, t]).unwrap();
    for element in &elements {
        let element = ForceElement::<f64>::cast::<Dual3_64>(element);
        let mut forces = Forces::new(&tree);
        let context = ForceContext::new(&tree, &workspace);
        element.add_forces(&context, &mut forces).unwrap();
        let mut out = [t; 2];
        forces.project(&tree, &mut workspace, &mut out).unwrap();
        for x in out {
            let finite = [x.re, x.v1, x.v2, x.v3].iter().all(|x| x.is_finite());
            assert!(finite, "{}: {x:?}", element.name());
        }
    }
}

#[test]
fn derivatives_are_exact_at_singular_states() {
    // With respect to state and parameters, where lengths, slips and speeds vanish.
    let at_origin = LinearSpringDamper {
        second: BodyPoint::origin(CART),
        softening: 0.1,
        ..spring(0.5)
    };
    let without_length = LinearSpringDamper {
        free_length: 0.0,
        ..at_origin.clone()
    };
    let friction = JointFriction {
        name: "friction".into(),
        speed: 0.1,
    };
    let elements = [
        AnyForce::new(at_origin),
        AnyForce::new(without_length),
        AnyForce::new(drag()),
        AnyForce::new(wing()),
        AnyForce::new(contact()),
        AnyForce::new(friction),
        AnyForce::new(joint_spring(HINGE, JointMotion::Rotation)),
        AnyForce::new(stops()),
    ];
    let mut tree = cart();
    tree.set_parameter("joint/rail/friction", 5.0).unwrap();
    for element in &elements {
        check_element(&tree, element, &[0.0; 2], &[0.0; 2]);
    }
}

#[test]
fn a_contact_without_grip_has_no_friction_at_rest() {
    let smooth = DirectContact {
        friction: 0.0,
        ..contact()
    };
    let tree = cart();
    let damping = check_element(&tree, &smooth, &[0.0; 2], &[0.0; 2]);
    assert_eq!(damping.amax(), 0.0);
    let damping = check_element(&tree, &contact(), &[0.0; 2], &[0.0; 2]);
    assert_eq!(damping[(0, 0)], 20.0);
}

/// Generalized forces of an element on the cart.
fn generalized<T: DefaultScalar>(
    element: &(impl ForceElement<f64> + Clone),
    q: [T; 2],
    v: [T; 2],
) -> [T; 2] {
    let tree = cart().cast::<T>();
    let element = element.cast::<T>();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let mut forces = Forces::new(&tree);
    let context = ForceContext::new(&tree, &workspace);
    element.add_forces(&context, &mut forces).unwrap();
    let mut out = [T::zero(); 2];
    forces.project(&tree, &mut workspace, &mut out).unwrap();
    out
}

/// Change, distance, unit and order of all kinks.
fn kinks(
    element: &(impl ForceElement<f64> + Clone),
    q: [f64; 2],
    v: [f64; 2],
) -> Vec<(&'static str, f64, &'static str, usize)> {
    let tree = cart();
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let context = ForceContext::new(&tree, &workspace);
    let mut all = Vec::new();
    element
        .visit_kinks(&context, &mut |k| {
            assert_eq!(k.element, element.name());
            all.push((k.change, k.distance, k.unit, k.order));
        })
        .unwrap();
    all
}

#[test]
fn a_joint_at_its_stop_has_the_derivative_of_the_free_joint() {
    let stop = JointStops::new("stop", &cart(), RAIL, 100.0, 0.5, [-1.0, 2.0]).unwrap();
    let slope = |x: f64| {
        let x = Dual64::from(x).derivative();
        generalized(&stop, [x, 0.0.into()], [0.0.into(); 2])[0].eps
    };
    assert_eq!([slope(-1.0), slope(2.0)], [0.0, 0.0]);
    assert_eq!([slope(-1.5), slope(2.5)], [-100.0, -100.0]);
    let near = kinks(&stop, [2.0, 0.0], [0.0; 2]);
    assert!(near.contains(&("upper stop", 0.0, "m", 1)));
    assert!(near.contains(&("lower stop", 3.0, "m", 1)));
    // Released faster than 1/d the stop does not act; at that rate it begins to.
    let released = kinks(&stop, [2.5, 0.0], [-3.0, 0.0]);
    assert!(released.contains(&("release of the stop", 1.0, "m/s", 1)));
    assert!(!released.iter().any(|k| k.0 == "upper stop"));
    let tree = cart();
    let workspace = tree.workspace();
    let context = ForceContext::new(&tree, &workspace);
    let several = [
        AnyForce::new(stop),
        AnyForce::new(drag()),
        AnyForce::new(joint_spring(HINGE, JointMotion::Rotation)),
    ];
    let mut at = Vec::new();
    let mut visit = |kink: ElementKink<'_>| {
        if kink.is_one_sided() {
            at.push((kink.element.to_owned(), kink.change, kink.order));
        }
    };
    for element in &several {
        element.visit_kinks(&context, &mut visit).unwrap();
    }
    // Drag at rest has first derivatives.
    assert_eq!(at, []);
}

#[test]
fn contact_begins_without_a_jump() {
    // A point that comes down on a plane that moves with the cart: heights by the pose of the plane.
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::point_mass(2.0, Vector3::zeros());
    let body = builder.add_body("body", inertia).unwrap();
    let slide = JointKind::Prismatic { axis: Vector3::z() };
    let at = RigidTransform::identity();
    builder
        .add_joint("slide", slide, BodyIndex::WORLD, at, body)
        .unwrap();
    let tree = builder.finish().unwrap();
    let (k, b) = (400.0, 20.0);
    let point = BodyPoint::origin(body);
    let contact = DirectContact::new("foot", &tree, point, BodyIndex::WORLD, k, b, 0.5).unwrap();
    let force = |height: f64, rate: f64| {
        let tree = tree.cast::<Dual64>();
        let contact = contact.cast::<Dual64>();
        let mut workspace = tree.workspace();
        let height = Dual64::from(height).derivative();
        tree.set_state(&mut workspace, &[height], &[rate.into()])
            .unwrap();
        let mut forces = Forces::new(&tree);
        let context = ForceContext::new(&tree, &workspace);
        contact.add_forces(&context, &mut forces).unwrap();
        let mut kink = f64::INFINITY;
        (contact.visit_kinks(&context, &mut |k| kink = kink.min(k.distance.re))).unwrap();
        let mut out = [Dual64::from(0.0)];
        forces.project(&tree, &mut workspace, &mut out).unwrap();
        (out[0].re, out[0].eps, kink)
    };
    for rate in [-3.0, -0.5, 0.0, 0.5] {
        // Where the force begins, and where the point arrives.
        for height in [-b * rate / k, 0.0] {
            let (before, after) = (force(height + 1e-9, rate).0, force(height - 1e-9, rate).0);
            assert!((before - after).abs() < 1e-6, "{rate}: {before} {after}");
        }
        let (above, below) = (
            force(-b * rate / k + 0.1, rate),
            force(-b * rate / k - 0.1, rate),
        );
        assert_eq!((above.0, above.1), (0.0, 0.0));
        assert!((below.0 - 40.0).abs() < 1e-9 && below.1 == -k);
        // Above, 40 N are missing to touch; below, friction of a point at rest is 20 N from its limit.
        assert!((above.2 - 40.0).abs() < 1e-9 && (below.2 - 20.0).abs() < 1e-9);
    }
    assert_eq!(force(0.0, 0.0), (0.0, 0.0, 0.0));
    // The limit of friction: b ‖v_t‖ = 60 N of the damper, μ f_n = 20 N.
    let sliding = kinks(&super::builtin::contact(), [0.0; 2], [3.0, 0.0]);
    assert!((sliding[1].1 - 40.0).abs() < 1e-9 && sliding[1].0 == "limit of friction");
}

/// Angles at which the torque of a bushing jumps.
#[test]
fn bushings_say_how_far_their_jumps_are() {
    let k = Vector3::new(1.0, 2.0, 3.0);
    let constants = BushingConstants::weld(k, k, k, k).unwrap();
    let arm = BodyIndex::new(2);
    let linear = LinearBushingRollPitchYaw::new("mount", CART, arm, constants).unwrap();
    let by_vector = BushingOrientation::RotationVector;
    let other = ConservativeBushing::new("mount", CART, arm, by_vector, constants).unwrap();
    // The arm turns about y: pitch.
    let angle = 1.0;
    let near = kinks(&linear, [0.0, angle], [0.0; 2]);
    let pi = std::f64::consts::PI;
    let expected = [
        ("roll", pi),
        ("yaw", pi),
        ("reversal of the axis", pi - angle),
    ];
    for ((change, distance, unit, order), (name, gap)) in near.into_iter().zip(expected) {
        assert_eq!((change, unit, order), (name, "rad", 0));
        assert!((distance - gap).abs() < 1e-12);
    }
    let near = kinks(&other, [0.0, 3.0], [0.0; 2]);
    assert_eq!(near.len(), 1);
    assert!((near[0].1 - (pi - 3.0)).abs() < 1e-12);
    // Across it the torque jumps.
    let torque = |x: f64| generalized(&other, [0.0, x], [0.0; 2])[1];
    assert!((torque(pi - 1e-6) - torque(pi + 1e-6)).abs() > 6.0);
}

#[test]
fn the_direction_of_a_normal_counts() {
    let long = FlatPlateWing {
        normal: wing().normal * 7.0,
        ..wing()
    };
    let at = |element: &FlatPlateWing<f64>| generalized(element, [0.0f64; 2], [3.0, 0.0])[0];
    assert!((at(&long) - at(&wing())).abs() < 1e-12);
    let mut parts = 0;
    (long.clone()).visit_parameters(&mut |p| {
        parts += usize::from(p.name.to_string().starts_with("wing/normal/"));
    });
    assert_eq!(parts, 3);
    check_element(&cart(), &long, &[0.1, 0.2], &[1.0, -0.5]);
}
