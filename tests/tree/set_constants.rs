//! Gravity and masses of bodies of a tree, set at once.

use crate::support::random_tree::{Style, random_state, random_tree};
use dualbody::Parameters;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{Body, BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use nalgebra::{Matrix3, Vector3, vector};
use num_dual::Dual64;

fn torques(tree: &RigidBodyTree<f64>, seed: u64) -> Vec<f64> {
    let (q, v) = random_state(tree, seed);
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let mut tau = v.clone();
    (tree.inverse_dynamics(&mut workspace, &v, None, &mut tau)).unwrap();
    tau
}

/// Set by the names of all parameters that a changed density changes.
fn set_mass_by_names(tree: &mut RigidBodyTree<f64>, body: BodyIndex, mass: f64) {
    let name = tree.body(body).unwrap().name().to_owned();
    let ratio = mass / tree.body(body).unwrap().inertia().mass;
    let mut values = vec![(
        tree.parameter_index(&format!("body/{name}/mass")).unwrap(),
        mass,
    )];
    for entry in ["xx", "yy", "zz", "xy", "xz", "yz"] {
        let path = format!("body/{name}/rotational_inertia/{entry}");
        let before = tree.parameter(&path).unwrap();
        values.push((tree.parameter_index(&path).unwrap(), before * ratio));
    }
    tree.set_parameters(&values).unwrap();
}

#[test]
fn what_is_set_at_once_is_what_names_set() {
    for seed in 0..6 {
        let mut at_once = random_tree(seed, 6, Style::General);
        let mut by_names = at_once.clone();
        let gravity = vector![0.3, -0.4, 1.62];
        at_once.set_gravity(gravity).unwrap();
        for (axis, g) in ["x", "y", "z"].into_iter().zip(gravity.iter()) {
            (by_names.set_parameter(&format!("gravity/{axis}"), *g)).unwrap();
        }
        assert_eq!(at_once.gravity(), &gravity);
        assert_eq!(torques(&at_once, seed), torques(&by_names, seed));
        let bodies: Vec<BodyIndex> = by_names.bodies().map(Body::index).collect();
        for &body in &bodies[1..] {
            let mass = 1.7 * by_names.body(body).unwrap().inertia().mass;
            if mass > 0.0 {
                set_mass_by_names(&mut by_names, body, mass);
                at_once.set_body_mass(body, mass).unwrap();
            }
        }
        assert_eq!(at_once.parameters(), by_names.parameters());
        assert_eq!(torques(&at_once, seed), torques(&by_names, seed));
    }
}

#[test]
fn a_tree_that_is_told_its_masses_weighs_them() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let size = Vector3::new(0.1, 0.2, 0.3);
    let a = (builder.add_body("a", SpatialInertia::solid_box(1.0, &size))).unwrap();
    let b = (builder.add_body("b", SpatialInertia::solid_box(2.0, &size))).unwrap();
    let at = RigidTransform::from_translation(Vector3::x());
    (builder.add_joint("weld", JointKind::Fixed, a, at, b)).unwrap();
    let mut tree = builder.finish().unwrap();
    tree.set_body_mass(b, 7.0).unwrap();
    assert_eq!(tree.total_mass(), 8.0);
    let inertia = tree.body(b).unwrap().inertia();
    let expected = SpatialInertia::solid_box(7.0, &size);
    let difference = inertia.rotational_inertia - expected.rotational_inertia;
    assert!(difference.amax() < 1e-15);
    assert_eq!(inertia.mass, 7.0);
}

#[test]
fn derivatives_pass_through() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let inertia = SpatialInertia::solid_sphere(2.0, 0.5);
    let ball = builder.add_body("ball", inertia).unwrap();
    let mut tree = builder.finish().unwrap().cast::<Dual64>();
    (tree.set_body_mass(ball, Dual64::from(3.0).derivative())).unwrap();
    let scaled = tree.body(ball).unwrap().inertia();
    assert_eq!((scaled.mass.re, scaled.mass.eps), (3.0, 1.0));
    let moment = scaled.rotational_inertia[(1, 1)];
    assert!((moment.re - 3.0 * 0.1).abs() < 1e-15 && (moment.eps - 0.1).abs() < 1e-15);
    let down = Dual64::from(-9.0).derivative();
    let zero = Dual64::from(0.0);
    tree.set_gravity(vector![zero, zero, down]).unwrap();
    let mut workspace = tree.workspace();
    let q = tree.neutral_configuration();
    (tree.set_state(&mut workspace, q.as_slice(), &[zero; 6])).unwrap();
    let mut weight = [zero; 6];
    tree.gravity_forces(&mut workspace, &mut weight).unwrap();
    // −9 m, with −9 + m for both together.
    assert_eq!((weight[5].re, weight[5].eps), (-27.0, -6.0));
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    let solid = SpatialInertia::solid_sphere(1.0, 0.1);
    let ball = builder.add_body("ball", solid).unwrap();
    let empty = builder.add_body("empty", SpatialInertia::zero()).unwrap();
    let at = RigidTransform::identity();
    (builder.add_joint("weld", JointKind::Fixed, ball, at, empty)).unwrap();
    let large = SpatialInertia {
        rotational_inertia: Matrix3::identity() * 1e300,
        ..solid
    };
    let large = builder.add_body("large", large).unwrap();
    let mut tree = builder.finish().unwrap();
    let stranger = {
        let mut builder = RigidBodyTreeBuilder::<f64>::new();
        (0..9).for_each(|k| drop(builder.add_body(format!("{k}"), solid)));
        builder.add_body("stranger", solid).unwrap()
    };
    let before = tree.parameters();
    for (body, mass, text) in [
        (
            ball,
            0.0,
            r#"body "ball": mass = 0, expected a positive number"#,
        ),
        (ball, -1.0, r#"body "ball": mass = -1, expected"#),
        (ball, f64::NAN, r#"body "ball": mass = NaN, expected"#),
        (ball, f64::INFINITY, r#"body "ball": mass = inf, expected"#),
        (ball, 1e200, "between 1e-150 and 1e150 kg"),
        (large, 1e140, r#"body "large": rotational inertia[0] = inf"#),
        (empty, 1.0, r#"body "empty": mass before = 0, expected"#),
        (BodyIndex::WORLD, 1.0, r#"body "world": mass before = 0"#),
        (stranger, 1.0, "there is no body 10, the tree has 4"),
    ] {
        let error = tree.set_body_mass(body, mass).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let error = tree.set_gravity(vector![0.0, bad, 0.0]).unwrap_err();
        assert!(matches!(error, TreeError::Invalid(_)), "{error}");
    }
    assert_eq!(tree.parameters(), before);
}

/// A workspace of before does not compute with the masses of before.
#[test]
fn workspaces_must_have_their_state_set_again() {
    let mut tree = random_tree(3, 4, Style::General);
    let (q, v) = random_state(&tree, 3);
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, &q, &v).unwrap();
    tree.kinetic_energy(&workspace).unwrap();
    tree.set_gravity(Vector3::zeros()).unwrap();
    assert!(tree.kinetic_energy(&workspace).is_err());
    tree.set_state(&mut workspace, &q, &v).unwrap();
    assert_eq!(tree.potential_energy(&workspace).unwrap(), 0.0);
}
