//! Rates of the velocities at contacts, as the contacts move over both surfaces.

use crate::support::random_tree::{Random, random_state};
use crate::support::scenes::geometry;
use dualbody::Scalar;
use dualbody::constraint::{Baumgarte, ConstraintSolver, TreeConstraints};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::geometry::{ConvexFeature, FieldFeature, HeightField, Shape, Witness};
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::tree::{BodyIndex, RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::{DVector, Rotation3, Vector2, Vector3};
use num_dual::{Dual2_64, Dual64};
use std::collections::BTreeSet;

const G: f64 = 9.81;

type Scene<T> = (RigidBodyTree<T>, ContactModel<T>);

/// Two free bodies with a shape each, placed askew on them, one three times as stiff as the other.
fn pair(shapes: [Shape<f64>; 2], random: &mut Random) -> Scene<f64> {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(2.0, Vector3::new(0.02, 0.03, 0.04));
    let bodies = ["a", "b"].map(|name| builder.add_body(name, inertia).unwrap());
    let tree = builder.finish().unwrap();
    let mut model = ContactModelBuilder::new();
    for (k, shape) in shapes.into_iter().enumerate() {
        let stiffness = 1e4 * (1.0 + 2.0 * k as f64);
        let material = ContactMaterial::new(stiffness, 0.1, 0.5).unwrap();
        let name = ["a", "b"][k];
        let mut shape = geometry(name, bodies[k], shape, material);
        let axis = random.vector() * 2.0;
        shape.pose_in_body = RigidTransform::new(
            Rotation3::from_scaled_axis(axis).into_inner(),
            random.vector() * 0.1,
        );
        model.add_geometry(shape).unwrap();
    }
    let model = model.finish(&tree).unwrap();
    (tree, model)
}

/// Witnesses of the contacts within 1 m; velocities in the contact frames; and their rates when `v̇ = 0`,
/// all three as (t1, t2, n).
fn velocities_and_rates<T: Scalar>(
    (tree, model): &Scene<T>,
    q: &[T],
    v: &[T],
) -> (Vec<Witness>, DVector<T>, DVector<T>) {
    let mut constraints = TreeConstraints::new();
    constraints.set_contact(model, Baumgarte::none());
    constraints.touch_tolerance = 1.0;
    // No contact slides or parts.
    constraints.speed_tolerance = 1e6;
    let mut workspace = tree.workspace();
    tree.set_state(&mut workspace, q, v).unwrap();
    let tau = vec![T::zero(); v.len()];
    let problem = constraints
        .acceleration_problem(tree, &mut workspace, &tau)
        .unwrap();
    let (data, v) = (problem.data, DVector::from_column_slice(v));
    let (along, across) = (&data.operators.n * &v, &data.operators.f * &v);
    let together = |n: &DVector<T>, t: &DVector<T>| {
        let of_contact = |i: usize| [t[2 * i], t[2 * i + 1], n[i]];
        DVector::from_iterator(3 * n.len(), (0..n.len()).flat_map(of_contact))
    };
    let witnesses = problem.found.iter().map(|f| f.witness).collect();
    let rates = together(&data.kN, &data.kF);
    (witnesses, together(&along, &across), rates)
}

#[test]
fn rates_are_those_along_the_motion_for_every_pair_of_features() {
    let capsule = || Shape::new_capsule(0.1, 0.5).unwrap();
    let cylinder = || Shape::new_cylinder(0.15, 0.3).unwrap();
    let ball = || Shape::new_sphere(0.2).unwrap();
    let block = || Shape::new_box(Vector3::new(0.4, 0.3, 0.2)).unwrap();
    let points = || Shape::new_points(vec![Vector3::new(0.1, -0.2, 0.05), Vector3::x()]).unwrap();
    let egg = || Shape::new_ellipsoid(Vector3::new(0.2, 0.3, 0.25)).unwrap();
    let rock = || {
        let corners = [
            [0.3, 0.1, -0.1],
            [-0.2, 0.2, -0.2],
            [-0.1, -0.3, 0.0],
            [0.1, 0.0, 0.3],
            [0.2, -0.2, -0.2],
        ];
        Shape::new_convex(&corners.map(Vector3::from)).unwrap()
    };
    let hills = || {
        let heights = (0..81).map(|k| 0.1 * (2.3 * f64::from(k)).sin()).collect();
        HeightField::new(9, heights, Vector2::new(0.2, 0.25))
            .unwrap()
            .into()
    };
    let convex: [&dyn Fn() -> Shape<f64>; 6] = [&ball, &capsule, &cylinder, &block, &egg, &rock];
    let mut pairs = vec![[points(), Shape::HalfSpace], [points(), hills()]];
    for (k, a) in convex.iter().enumerate() {
        pairs.extend([[a(), Shape::HalfSpace], [a(), hills()], [points(), a()]]);
        pairs.extend(convex[k..].iter().map(|b| [a(), b()]));
    }
    let mut seen = BTreeSet::new();
    for (k, shapes) in pairs.iter().enumerate() {
        for seed in 0..40 {
            let random = &mut Random::new(1000 * k as u64 + seed);
            let (tree, model) = pair(shapes.clone(), random);
            let (mut q, v) = random_state(&tree, seed);
            // Near each other.
            for axis in 0..3 {
                q[11 + axis] = q[4 + axis] + 0.35 * random.signed();
            }
            let scene = (tree.cast::<Dual2_64>(), model.cast::<Dual2_64>());
            let cast = |x: &[f64]| -> Vec<Dual2_64> { x.iter().map(|&x| x.into()).collect() };
            let (q, v) = (cast(q.as_slice()), cast(v.as_slice()));
            let t = Dual2_64::from(0.0).derivative();
            let mut moved = q.clone();
            tree.cast::<Dual2_64>()
                .integrate_exponential(&q, &v, t, &mut moved)
                .unwrap();
            let (witnesses, velocities, rates) = velocities_and_rates(&scene, &moved, &v);
            let (again, _, real) = velocities_and_rates(
                &(tree, model),
                &q.iter().map(|x| x.re).collect::<Vec<_>>(),
                &v.iter().map(|x| x.re).collect::<Vec<_>>(),
            );
            assert_eq!(again, witnesses);
            for (i, (velocity, rate)) in velocities.iter().zip(&rates).enumerate() {
                let what = format!("{} {:?} {seed}", kind(witnesses[i / 3]), witnesses[i / 3]);
                let scale = 1.0 + velocity.v1.abs();
                // Normals of curved features are roots.
                let exact = if what.contains("curved") { 1e-5 } else { 1e-9 };
                assert!(
                    (rate.re - velocity.v1).abs() < exact * scale,
                    "{what}: {rate} {velocity}"
                );
                let scale = 1.0 + velocity.v2.abs();
                assert!(
                    (rate.v1 - velocity.v2).abs() < 1e2 * exact * scale,
                    "{what}: {rate} {velocity}"
                );
                assert!((rate.re - real[i]).abs() < 1e-9 * scale);
            }
            for witness in witnesses {
                seen.insert(kind(witness));
            }
        }
    }
    assert_eq!(seen.len(), 104, "{seen:#?}");
}

fn part(feature: ConvexFeature) -> &'static str {
    match feature {
        ConvexFeature::Vertex(_) => "vertex",
        ConvexFeature::Edge(..) => "edge",
        ConvexFeature::Face(_) => "face",
        ConvexFeature::Rim(_) => "curved rim",
        ConvexFeature::Side => "side",
        ConvexFeature::Cap(_) => "cap",
        ConvexFeature::Surface => "curved surface",
    }
}

/// The pair and the kinds of its features.
fn kind(witness: Witness) -> String {
    match witness {
        Witness::Convex(a, b) => format!("Convex {} {}", part(a), part(b)),
        Witness::Points(_, b) => format!("Points {}", part(b)),
        Witness::ConvexPatch { parts, corner, .. } => {
            let names = format!("{:?}", corner).replace(|c: char| c.is_numeric(), "");
            format!("ConvexPatch {} {} {names}", part(parts[0]), part(parts[1]))
        }
        Witness::HeightFieldPlane {
            feature,
            is_below,
            part: of,
            ..
        } => {
            let on = match feature {
                FieldFeature::Face(_) => "face",
                FieldFeature::Edge(_) => "edge",
                FieldFeature::Vertex(_) => "vertex",
            };
            format!("HeightFieldPlane {on} {is_below} {}", part(of))
        }
        Witness::HeightFieldEdge {
            end,
            part: of,
            corner,
            ..
        } => {
            let (end, corner) = (end.is_some(), corner.is_some());
            format!("HeightFieldEdge {end} {} {corner}", part(of))
        }
        Witness::ConvexHalfSpace(_) => "ConvexHalfSpace".to_owned(),
        Witness::SphereBox(feature) => format!("SphereBox {}", feature.dimension()),
        Witness::BoxHalfSpace(_) => "BoxHalfSpace".to_owned(),
        Witness::PointsHalfSpace(_) => "PointsHalfSpace".to_owned(),
        Witness::BoxBoxFace {
            reference, corner, ..
        } => {
            let of_first = corner.iter().filter(|e| e.first.is_some()).count();
            format!("BoxBoxFace {reference:?} {of_first}")
        }
        Witness::BoxBoxEdges { .. } => "BoxBoxEdges".to_owned(),
        other => format!("{other:?}")
            .replace("Upper", "end")
            .replace("Lower", "end"),
    }
}

/// The normal force and the acceleration of the centre of a body of 2 kg, whose centre is at `p` and has
/// the velocity `v` with the angular velocity `w`, on a fixed shape at the origin.
fn pressed<T: Scalar>(
    body: Shape<T>,
    fixed: Shape<T>,
    p: [T; 3],
    (w, v): ([T; 3], [T; 3]),
) -> (T, Vector3<T>) {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(T::from(2.0), Vector3::repeat(T::from(0.02)));
    let index = builder.add_body("body", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let mut model = ContactModelBuilder::new();
    let soft = ContactMaterial::new(T::from(1e5), T::zero(), T::from(0.5)).unwrap();
    model
        .add_geometry(geometry("body", index, body, soft))
        .unwrap();
    let world = BodyIndex::WORLD;
    model
        .add_geometry(geometry("fixed", world, fixed, soft))
        .unwrap();
    let model = model.finish(&tree).unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.set_contact(&model, Baumgarte::none());
    let mut workspace = tree.workspace();
    let q = [T::one(), T::zero(), T::zero(), T::zero(), p[0], p[1], p[2]];
    tree.set_state(&mut workspace, &q, &[w, v].concat())
        .unwrap();
    let mut problem = constraints
        .acceleration_problem(&tree, &mut workspace, &[T::zero(); 6])
        .unwrap();
    let solution = ConstraintSolver::default()
        .solve_accelerations(&mut problem.data)
        .unwrap();
    let a = solution.generalized_acceleration;
    (solution.forces.normal()[0], Vector3::new(a[3], a[4], a[5]))
}

#[test]
fn a_ball_on_a_ball_presses_less_the_faster_it_rolls() {
    // N = m (g cos θ − u²/(R + r)), by the speed and by the radius of either ball.
    let (r, big, u, theta) = (0.1, 0.4, 0.8, 0.3f64);
    let c = Dual64::from;
    for k in 0..3 {
        let mut x = [c(r), c(big), c(u)];
        x[k] = x[k].derivative();
        let [r, big, u] = x;
        let (zero, sum) = (c(0.0), r + big);
        let p = [sum * theta.sin(), zero, sum * theta.cos()];
        let v = [u * theta.cos(), zero, -u * theta.sin()];
        // Rolling: the lowest point stands.
        let w = [zero, u / r, zero];
        let (ball, ground) = (
            Shape::new_sphere(r).unwrap(),
            Shape::new_sphere(big).unwrap(),
        );
        let (normal, _) = pressed(ball, ground, p, (w, v));
        let expected = (-u * u / sum + G * theta.cos()) * 2.0;
        assert!(
            (normal.re - expected.re).abs() < 1e-11,
            "{normal} {expected}"
        );
        assert!(
            (normal.eps - expected.eps).abs() < 1e-10,
            "{normal} {expected}"
        );
    }
}

#[test]
fn a_ball_that_slides_over_an_edge_circles_it() {
    // N = m (g cos θ − u²/r).
    let (r, u, theta) = (Dual64::from(0.2).derivative(), 0.5, 0.4f64);
    let (sin, cos) = theta.sin_cos();
    let zero = Dual64::from(0.0);
    let half = Dual64::from(0.5);
    let block = Shape::new_box(Vector3::repeat(half * 2.0)).unwrap();
    let p = [half + r * sin, zero, half + r * cos];
    let v = [(u * cos).into(), zero, (-u * sin).into()];
    let (normal, _) = pressed(Shape::new_sphere(r).unwrap(), block, p, ([zero; 3], v));
    let expected = (-Dual64::from(u * u) / r + G * cos) * 2.0;
    assert!(
        (normal.re - expected.re).abs() < 1e-11,
        "{normal} {expected}"
    );
    assert!(
        (normal.eps - expected.eps).abs() < 1e-10,
        "{normal} {expected}"
    );
}

#[test]
fn a_disc_that_rolls_upright_presses_with_its_weight() {
    // A disc about y, lying on both rims; it rolls on as it rolled.
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(2.0, Vector3::new(0.02, 0.02, 0.04));
    let body = builder.add_body("disc", inertia).unwrap();
    let tree = builder.finish().unwrap();
    let mut model = ContactModelBuilder::new();
    let soft = ContactMaterial::new(1e5, 0.0, 0.5).unwrap();
    let disc = Shape::new_cylinder(0.25, 0.1).unwrap();
    for (name, body, shape) in [
        ("disc", body, disc),
        ("ground", BodyIndex::WORLD, Shape::HalfSpace),
    ] {
        model
            .add_geometry(geometry(name, body, shape, soft))
            .unwrap();
    }
    let model = model.finish(&tree).unwrap();
    let mut constraints = TreeConstraints::new();
    constraints.set_contact(&model, Baumgarte::none());
    let mut workspace = tree.workspace();
    // z of the disc along y of the world.
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let q = [half, -half, 0.0, 0.0, 0.3, -0.2, 0.25];
    // Angular velocities are in the world's frame, and positions are of the disc's centre.
    let v = [0.0, 8.0, 0.0, 2.0, 0.0, 0.0];
    tree.set_state(&mut workspace, &q, &v).unwrap();
    let mut problem = constraints
        .acceleration_problem(&tree, &mut workspace, &[0.0; 6])
        .unwrap();
    let solution = ConstraintSolver::default()
        .solve_accelerations(&mut problem.data)
        .unwrap();
    let normal: f64 = solution.forces.normal().iter().sum();
    assert!((normal - 2.0 * G).abs() < 1e-11, "{normal}");
    assert!(solution.generalized_acceleration.amax() < 1e-10);
}

/// Two cylinders end to end whose axes are parallel, so far apart that their inscribed squares do not meet: the normal
/// is that of the cap of B.
#[test]
fn rates_between_caps_follow_the_normal_of_the_other_body() {
    let mut builder = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(2.0, Vector3::new(0.02, 0.03, 0.04));
    let bodies = ["a", "b"].map(|name| builder.add_body(name, inertia).unwrap());
    let tree = builder.finish().unwrap();
    let mut model = ContactModelBuilder::new();
    for (name, body) in ["a", "b"].into_iter().zip(bodies) {
        let cylinder = Shape::new_cylinder(0.15, 0.3).unwrap();
        let material = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
        let shape = geometry(name, body, cylinder, material);
        model.add_geometry(shape).unwrap();
    }
    let model = model.finish(&tree).unwrap();
    let mut seen = BTreeSet::new();
    for gap in [-0.01, 0.02] {
        for seed in 0..10 {
            let (_, v) = random_state(&tree, seed);
            let d = 0.26 / 2f64.sqrt();
            let q = [
                1.0,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                1.0,
                0.0,
                0.0,
                0.0,
                d,
                d,
                0.3 + gap,
            ];
            let scene = (tree.cast::<Dual64>(), model.cast::<Dual64>());
            let cast = |x: &[f64]| -> Vec<Dual64> { x.iter().map(|&x| x.into()).collect() };
            let (q, v) = (cast(&q), cast(v.as_slice()));
            let mut moved = q.clone();
            (scene.0)
                .integrate_exponential(&q, &v, Dual64::from(0.0).derivative(), &mut moved)
                .unwrap();
            let (witnesses, velocities, rates) = velocities_and_rates(&scene, &moved, &v);
            for (i, (velocity, rate)) in velocities.iter().zip(&rates).enumerate() {
                seen.insert(kind(witnesses[i / 3]));
                let error = (rate.re - velocity.eps).abs();
                assert!(
                    error < 1e-9 * (1.0 + velocity.eps.abs()),
                    "{:?}: {rate} {velocity}",
                    witnesses[i / 3]
                );
            }
        }
    }
    assert!(seen.iter().any(|kind| kind.contains("cap")), "{seen:?}");
}
