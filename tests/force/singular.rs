//! Elements where lengths, slips and speeds vanish.

use crate::builtin::{CART, HINGE, cart, contact, drag, joint_spring, spring, stops, wing};
use crate::laws::check_element;
use dualbody::Parameters;
use dualbody::force::*;
use num_dual::Dual3_64;

#[test]
fn singular_states_are_finite_to_third_order() {
    // Everything along one direction of position and velocity, from where lengths and speeds vanish.
    let elements: Vec<BuiltinForce<f64>> = vec![
        LinearSpringDamper {
            second: BodyPoint::origin(CART),
            ..spring(0.5)
        }
        .into(),
        drag().into(),
        wing().into(),
        contact().into(),
        JointFriction {
            name: "friction".into(),
            speed: 1e-3,
        }
        .into(),
        stops().into(),
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
    let elements: [BuiltinForce<f64>; 8] = [
        at_origin.into(),
        without_length.into(),
        drag().into(),
        wing().into(),
        contact().into(),
        friction.into(),
        joint_spring(HINGE, JointMotion::Rotation).into(),
        stops().into(),
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
