//! What the tests share: poses, contacts, and a catalogue of states that shows every feature.

use dualbody::geometry::{ContactPoint, HeightField, Shape, Witness, witnesses};
use dualbody::math::{RigidTransform, rotation};
use nalgebra::{Quaternion, UnitQuaternion, Vector2, Vector3};
use proptest::prelude::*;
use serde_json::Value;
use std::path::PathBuf;

pub type Pose = RigidTransform<f64>;

/// A pose from a rotation vector and a position.
pub fn pose(rotation_vector: [f64; 3], translation: [f64; 3]) -> Pose {
    RigidTransform::new(
        rotation::exp(&Vector3::from(rotation_vector)),
        Vector3::from(translation),
    )
}

/// A pose with parallel axes.
pub fn at(x: f64, y: f64, z: f64) -> Pose {
    RigidTransform::from_translation(Vector3::new(x, y, z))
}

pub fn sphere(radius: f64) -> Shape<f64> {
    Shape::new_sphere(radius).unwrap()
}

pub fn capsule(radius: f64, length: f64) -> Shape<f64> {
    Shape::new_capsule(radius, length).unwrap()
}

pub fn cylinder(radius: f64, length: f64) -> Shape<f64> {
    Shape::new_cylinder(radius, length).unwrap()
}

pub fn cuboid(x: f64, y: f64, z: f64) -> Shape<f64> {
    Shape::new_box(Vector3::new(x, y, z)).unwrap()
}

pub fn points(list: &[[f64; 3]]) -> Shape<f64> {
    Shape::new_points(list.iter().map(|p| Vector3::from(*p)).collect()).unwrap()
}

pub fn convex(list: &[[f64; 3]]) -> Shape<f64> {
    let points: Vec<_> = list.iter().map(|p| Vector3::from(*p)).collect();
    Shape::new_convex(&points).unwrap()
}

pub fn ellipsoid(a: f64, b: f64, c: f64) -> Shape<f64> {
    Shape::new_ellipsoid(Vector3::new(a, b, c)).unwrap()
}

/// A polyhedron with faces of three, four and five corners.
pub fn rock() -> Shape<f64> {
    convex(&[
        [-0.4, -0.3, -0.3],
        [0.4, -0.3, -0.3],
        [0.5, 0.2, -0.3],
        [0.0, 0.5, -0.3],
        [-0.5, 0.2, -0.3],
        [0.3, -0.2, 0.25],
        [0.3, 0.3, 0.25],
        [-0.3, 0.3, 0.25],
        [-0.2, -0.3, 0.3],
    ])
}

/// A height field with the heights of a function of x and y.
pub fn field(
    columns: usize,
    rows: usize,
    [dx, dy]: [f64; 2],
    height: impl Fn(f64, f64) -> f64,
) -> Shape<f64> {
    let place = |k: usize, count: usize, d: f64| (k as f64 - 0.5 * (count - 1) as f64) * d;
    let heights = (0..columns * rows).map(|i| {
        height(
            place(i % columns, columns, dx),
            place(i / columns, rows, dy),
        )
    });
    HeightField::new(columns, heights.collect(), Vector2::new(dx, dy))
        .unwrap()
        .into()
}

/// A height field without pattern.
pub fn rough(columns: usize, rows: usize, spacing: [f64; 2], height: f64) -> Shape<f64> {
    field(columns, rows, spacing, |x, y| {
        height * (7.3 * x + 3.1 * y + 4.0 * (5.0 * x * y).sin()).sin()
    })
}

/// Two shapes in the world.
#[derive(Debug, Clone)]
pub struct Pair {
    pub a: Shape<f64>,
    pub X_WA: Pose,
    pub b: Shape<f64>,
    pub X_WB: Pose,
}

impl Pair {
    /// A at a pose in the frame of B, which is the world.
    pub fn in_b(a: Shape<f64>, X_BA: Pose, b: Shape<f64>) -> Pair {
        Pair {
            a,
            X_WA: X_BA,
            b,
            X_WB: Pose::identity(),
        }
    }

    pub fn swapped(&self) -> Pair {
        Pair {
            a: self.b.clone(),
            X_WA: self.X_WB,
            b: self.a.clone(),
            X_WB: self.X_WA,
        }
    }

    pub fn moved(&self, X: &Pose) -> Pair {
        Pair {
            X_WA: *X * self.X_WA,
            X_WB: *X * self.X_WB,
            ..self.clone()
        }
    }

    pub fn witnesses(&self, margin: f64) -> Vec<Witness> {
        let mut out = Vec::new();
        witnesses(&self.a, &self.X_WA, &self.b, &self.X_WB, margin, &mut out).unwrap();
        out
    }

    pub fn contact(&self, witness: Witness) -> ContactPoint<f64> {
        witness
            .contact_point(&self.a, &self.X_WA, &self.b, &self.X_WB)
            .unwrap()
    }

    pub fn contacts(&self, margin: f64) -> Vec<(Witness, ContactPoint<f64>)> {
        let witnesses = self.witnesses(margin);
        (witnesses.into_iter().map(|w| (w, self.contact(w)))).collect()
    }

    /// The contact of a pair that has a single one.
    pub fn only_contact(&self, margin: f64) -> (Witness, ContactPoint<f64>) {
        let contacts = self.contacts(margin);
        assert_eq!(contacts.len(), 1, "{contacts:?}");
        contacts[0]
    }

    pub fn deepest(&self, margin: f64) -> Option<ContactPoint<f64>> {
        (self.contacts(margin).into_iter().map(|(_, c)| c))
            .max_by(|a, b| a.penetration.total_cmp(&b.penetration))
    }

    pub fn signed_distance(&self) -> f64 {
        dualbody::geometry::signed_distance(&self.a, &self.X_WA, &self.b, &self.X_WB).unwrap()
    }
}

#[track_caller]
pub fn assert_close(actual: &Vector3<f64>, expected: &Vector3<f64>, tolerance: f64) {
    let error = (actual - expected).norm();
    assert!(
        error <= tolerance,
        "{actual:?} is {error:e} from {expected:?}"
    );
}

/// States that together show every feature of every supported pair, at generic poses.
pub fn catalogue() -> Vec<Pair> {
    let tilt = [0.4, -0.3, 0.2];
    let mut list = vec![Pair::in_b(sphere(0.3), at(0.4, 0.5, 0.3), sphere(0.5))];
    for p in [[0.35, 0.2, 0.1], [0.1, 0.2, 0.7], [0.1, 0.2, -0.7]] {
        list.push(Pair::in_b(sphere(0.3), pose(tilt, p), capsule(0.3, 1.0)));
    }
    for p in [
        [0.5, 0.2, 0.1],
        [0.3, 0.1, 0.05],
        [0.1, 0.2, 0.6],
        [0.1, 0.05, -0.45],
        [0.4, 0.25, 0.6],
        [-0.4, 0.25, -0.6],
    ] {
        list.push(Pair::in_b(sphere(0.3), pose(tilt, p), cylinder(0.4, 1.0)));
    }
    for p in [
        [0.5, 0.1, 0.2],
        [0.35, 0.1, 0.2],
        [-0.05, -0.45, 0.1],
        [0.5, 0.6, 0.1],
        [0.1, -0.6, 0.7],
        [-0.45, 0.55, 0.65],
    ] {
        list.push(Pair::in_b(
            sphere(0.3),
            pose(tilt, p),
            cuboid(0.8, 1.0, 1.2),
        ));
    }
    let ground = || Shape::HalfSpace;
    let low = pose(tilt, [0.3, -0.2, 0.1]);
    list.push(Pair::in_b(sphere(0.3), low, ground()));
    list.push(Pair::in_b(capsule(0.3, 1.0), low, ground()));
    list.push(Pair::in_b(cylinder(0.3, 1.0), low, ground()));
    list.push(Pair::in_b(cuboid(0.3, 0.5, 0.4), low, ground()));
    let feet = points(&[[0.1, 0.2, -0.3], [-0.1, 0.0, 0.4]]);
    list.push(Pair::in_b(feet, low, ground()));
    list.push(Pair::in_b(rock(), low, ground()));
    list.push(Pair::in_b(
        rock(),
        pose([0.002, 0.003, 0.0], [0.0, 0.0, 0.2995]),
        ground(),
    ));

    for X_BA in [
        pose([1.4, 0.2, 0.1], [0.3, 0.15, 0.4]),
        pose([0.1, 0.05, 0.0], [0.7, 0.05, 0.3]),
        pose([0.0, 0.3, 0.0], [0.1, 0.1, 1.6]),
    ] {
        list.push(Pair::in_b(capsule(0.3, 1.0), X_BA, capsule(0.4, 1.2)));
    }
    // A small box on a large one, the other way round, boxes that overlap in part, crossed boxes.
    let (large, small) = (cuboid(2.0, 1.6, 1.0), cuboid(0.5, 0.4, 0.6));
    let slightly = [0.05, -0.03, 0.4];
    list.push(Pair::in_b(
        small.clone(),
        pose(slightly, [0.2, 0.1, 0.78]),
        large.clone(),
    ));
    list.push(Pair::in_b(
        large.clone(),
        pose(slightly, [0.2, 0.1, 0.78]),
        small,
    ));
    list.push(Pair::in_b(
        cuboid(1.0, 1.1, 1.0),
        pose(slightly, [0.7, 0.6, 0.95]),
        large,
    ));
    list.push(Pair {
        a: cuboid(0.6, 1.4, 0.7),
        X_WA: pose([0.0, 0.75, 0.0], [0.05, 0.02, 0.86]),
        b: cuboid(1.4, 0.6, 0.7),
        X_WB: pose([0.7, 0.0, 0.0], [0.0; 3]),
    });
    list.push(Pair::in_b(ellipsoid(0.3, 0.5, 0.4), low, ground()));
    list.extend(by_support_points());
    list.extend(lying_flat());
    list.extend(points_and_shapes());
    list.extend(on_ground());
    list
}

/// Points beside, on and in shapes.
fn points_and_shapes() -> Vec<Pair> {
    let X = pose([0.4, -0.3, 0.2], [0.1, 0.05, 0.02]);
    let list = points(&[[0.4, 0.3, 0.1], [-0.05, 0.1, 0.15]]);
    let shapes = [
        sphere(0.3),
        capsule(0.2, 0.6),
        cylinder(0.3, 0.7),
        cuboid(0.5, 0.6, 0.4),
        ellipsoid(0.3, 0.5, 0.4),
        rock(),
    ];
    (shapes.into_iter())
        .map(|b| Pair::in_b(list.clone(), X, b))
        .collect()
}

/// Shapes on a height field with a ridge, a valley and slopes: on faces, edges and vertices, and below.
pub fn on_ground() -> Vec<Pair> {
    let ground = field(4, 3, [0.5, 0.4], |x, y| {
        0.3 * (1.0 - (x - 0.25).abs() / 0.5).max(0.0) - 0.2 * y.abs() + 0.03 * x
    });
    let tilt = [0.4, -0.3, 0.2];
    let mut list = Vec::new();
    for (shape, rotation, position) in [
        (sphere(0.2), tilt, [-0.4, 0.17, 0.1]),
        (sphere(0.2), tilt, [0.26, 0.21, 0.38]),
        (sphere(0.2), tilt, [0.24, 0.01, 0.47]),
        (sphere(0.2), tilt, [-0.31, -0.11, -0.3]),
        (sphere(0.2), tilt, [-0.15, -0.2, -0.36]),
        (capsule(0.1, 0.5), [1.45, 0.2, 0.1], [0.23, -0.17, 0.33]),
        (capsule(0.1, 0.5), [0.1, 1.4, 0.1], [0.23, -0.17, 0.3]),
        (cylinder(0.1, 0.5), [0.1, 1.4, 0.1], [0.23, -0.17, 0.3]),
        (cylinder(0.1, 0.5), tilt, [-0.4, 0.17, 0.2]),
        (cuboid(0.3, 0.5, 0.2), [0.1, 0.05, 0.3], [0.24, 0.03, 0.37]),
        (cuboid(0.3, 0.5, 0.2), tilt, [-0.3, 0.03, 0.1]),
        (ellipsoid(0.2, 0.3, 0.15), tilt, [-0.4, 0.17, 0.1]),
        (ellipsoid(0.2, 0.3, 0.15), tilt, [0.25, 0.21, 0.36]),
        (ellipsoid(0.2, 0.3, 0.15), tilt, [0.251, 0.002, 1.2]),
        (rock(), tilt, [-0.1, 0.05, 0.4]),
        (
            points(&[[0.0; 3], [0.4, 0.1, 0.0]]),
            tilt,
            [-0.2, 0.11, -0.05],
        ),
    ] {
        list.push(Pair::in_b(shape, pose(rotation, position), ground.clone()));
    }
    let pit = field(3, 3, [0.4, 0.4], |x, y| 0.5 * (x.abs() + y.abs()));
    list.push(Pair::in_b(sphere(0.1), pose(tilt, [0.01, 0.02, -0.3]), pit));
    list
}

/// Shapes that lie flat on each other, slightly tilted, and touch in several points.
pub fn lying_flat() -> Vec<Pair> {
    let tilt = [0.03, -0.02, 0.4];
    let lying = rotation::exp(&Vector3::new(1.57, 0.0, 0.0));
    let table = || cuboid(1.1, 0.9, 0.5);
    let place = |z| pose(tilt, [0.1, 0.07, z]);
    let beside = |x| pose([0.05, -0.01, 0.4], [x, 0.01, 0.11]);
    let on_side = |z| Pose::new(place(z).rotation * lying, place(z).translation);
    vec![
        Pair::in_b(rock(), place(0.549), table()),
        Pair::in_b(rock(), pose(tilt, [0.6, 0.4, 0.549]), table()),
        Pair::in_b(rock(), place(0.549), rock()),
        Pair::in_b(cuboid(0.3, 0.4, 0.6), place(0.549), rock()),
        Pair::in_b(cylinder(0.2, 0.6), place(0.549), table()),
        Pair::in_b(cylinder(0.2, 0.6), on_side(0.449), table()),
        Pair::in_b(cylinder(0.2, 0.6), on_side(0.449), rock()),
        Pair::in_b(capsule(0.2, 0.6), on_side(0.449), table()),
        Pair::in_b(capsule(0.2, 2.6), on_side(0.449), rock()),
        Pair::in_b(cuboid(0.3, 0.3, 0.6), place(0.549), cylinder(0.4, 0.5)),
        Pair::in_b(cylinder(0.3, 0.6), place(0.549), cylinder(0.4, 0.5)),
        Pair::in_b(capsule(0.2, 0.6), beside(0.449), capsule(0.25, 0.5)),
        Pair::in_b(capsule(0.2, 0.6), beside(0.449), cylinder(0.25, 0.5)),
        Pair::in_b(cylinder(0.2, 0.6), beside(0.449), cylinder(0.25, 0.5)),
    ]
}

/// How much deeper contacts may be than the shapes are, of pairs that prefer faces.
pub fn preference(pair: &Pair, depth: f64) -> f64 {
    use dualbody::geometry::ShapeKind::{Ellipsoid, HalfSpace, Sphere};
    let prefers = |shape: &Shape<f64>| !matches!(shape.kind(), Sphere | Ellipsoid | HalfSpace);
    match prefers(&pair.a) && prefers(&pair.b) {
        true => {
            let mut largest = 0.0;
            for shape in [&pair.a, &pair.b] {
                let visit = &mut |p: dualbody::parameter::Parameter<f64>| {
                    largest = p.value.abs().max(largest);
                };
                shape.clone().visit_parameters("", visit);
            }
            0.05 * depth.abs() + 1e-3 * largest
        }
        false => 0.0,
    }
}

/// Pairs without a form of their own, apart, touching a little and deep.
pub fn by_support_points() -> Vec<Pair> {
    let turned = [0.37, -0.81, 0.53];
    let brick = || cuboid(0.8, 0.6, 0.5);
    let egg = || ellipsoid(0.3, 0.5, 0.4);
    let mut list = Vec::new();
    for (a, b) in [
        (capsule(0.1, 0.9), brick()),
        (capsule(0.1, 0.9), cylinder(0.3, 0.7)),
        (cylinder(0.3, 0.7), cylinder(0.25, 0.8)),
        (cylinder(0.3, 0.7), brick()),
        (sphere(0.3), egg()),
        (capsule(0.1, 0.9), egg()),
        (cylinder(0.3, 0.7), egg()),
        (brick(), egg()),
        (ellipsoid(0.6, 0.2, 0.3), egg()),
        (sphere(0.2), rock()),
        (capsule(0.1, 0.9), rock()),
        (cylinder(0.3, 0.7), rock()),
        (brick(), rock()),
        (egg(), rock()),
        (rock(), rock()),
    ] {
        for p in [[0.45, 0.5, 0.73], [0.33, -0.28, 0.41], [0.12, 0.17, -0.24]] {
            list.push(Pair::in_b(a.clone(), pose(turned, p), b.clone()));
        }
    }
    list
}

/// Any pose within a few metres.
pub fn any_pose() -> impl Strategy<Value = Pose> {
    let component = -2.0..2.0;
    let angle = -3.0..3.0;
    (
        [angle.clone(), angle.clone(), angle],
        [component.clone(), component.clone(), component],
    )
        .prop_map(|(w, p)| pose(w, p))
}

/// Any shape with a volume, but the half space.
pub fn any_convex() -> impl Strategy<Value = Shape<f64>> {
    let l = || 0.2..1.5;
    prop_oneof![
        l().prop_map(sphere),
        (l(), l()).prop_map(|(r, l)| capsule(r, l)),
        (l(), l()).prop_map(|(r, l)| cylinder(r, l)),
        (l(), l(), l()).prop_map(|(x, y, z)| cuboid(x, y, z)),
        any_hull(),
    ]
}

/// The hull of some points.
pub fn any_hull() -> impl Strategy<Value = Shape<f64>> {
    let points = proptest::collection::vec([-0.7..0.7, -0.7..0.7, -0.7..0.7], 5..40);
    points.prop_filter_map("flat", |list| {
        let points: Vec<_> = list.into_iter().map(Vector3::from).collect();
        Shape::new_convex(&points).ok()
    })
}

/// Any supported pair of convex shapes near each other, overlapping or not.
pub fn any_pair() -> impl Strategy<Value = Pair> {
    let other = prop_oneof![4 => any_convex(), 1 => Just(Shape::HalfSpace)];
    (any_convex(), other, any_pose(), any_pose(), 0.0..1.0)
        .prop_filter("not supported", |(a, b, ..)| {
            dualbody::geometry::is_supported(a.kind(), b.kind())
        })
        .prop_map(|(a, b, X_WB, X_BA, nearness)| {
            let X_BA = Pose::new(X_BA.rotation, X_BA.translation * nearness);
            let X_WA = X_WB * X_BA;
            Pair { a, X_WA, b, X_WB }
        })
}

/// Two boxes near each other, at any angle or nearly flat on each other.
pub fn two_boxes() -> impl Strategy<Value = Pair> {
    let size = || [0.2..1.5, 0.2..1.5, 0.2..1.5];
    let position = [-1.0..1.0, -1.0..1.0, -1.0..1.0];
    let tilt = prop_oneof![Just(3.0), Just(0.1), Just(1e-3)];
    let angles = [-1.0..1.0, -1.0..1.0, -1.0..1.0];
    (size(), size(), position, angles, tilt).prop_map(|(a, b, p, w, tilt)| {
        let X_WA = pose(w.map(|w| w * tilt), p);
        Pair::in_b(cuboid(a[0], a[1], a[2]), X_WA, cuboid(b[0], b[1], b[2]))
    })
}

/// A collection of reference figures, if there is one.
pub fn reference(file: &str) -> Option<Value> {
    let folder = std::env::var_os("DUALBODY_REFERENCE").map(PathBuf::from);
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/data/reference");
    let path = folder.unwrap_or_else(|| default.into()).join(file);
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).unwrap())
}

/// Numbers of a reference.
pub fn numbers<const N: usize>(value: &Value) -> [f64; N] {
    let list = value.as_array().unwrap();
    std::array::from_fn(|k| list[k].as_f64().unwrap())
}

/// A shape of a reference, by its kind and dimensions.
pub fn described(value: &Value) -> Shape<f64> {
    let number = |name: &str| value[name].as_f64().unwrap();
    match value["kind"].as_str().unwrap() {
        "sphere" => sphere(number("radius")),
        "capsule" => capsule(number("radius"), number("length")),
        "cylinder" => cylinder(number("radius"), number("length")),
        "box" => Shape::new_box(Vector3::from(numbers(&value["size"]))).unwrap(),
        "ellipsoid" => Shape::new_ellipsoid(Vector3::from(numbers(&value["semi_axes"]))).unwrap(),
        "half_space" => Shape::HalfSpace,
        _ => {
            let points = value["points"].as_array().unwrap().iter();
            Shape::new_convex(
                &points
                    .map(|p| Vector3::from(numbers(p)))
                    .collect::<Vec<_>>(),
            )
            .unwrap()
        }
    }
}

/// The pose of a reference with a quaternion and a position.
pub fn placed(value: &Value) -> Pose {
    let [w, x, y, z] = numbers(&value["quaternion"]);
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z));
    Pose::new(
        rotation.to_rotation_matrix().into_inner(),
        Vector3::from(numbers(&value["position"])),
    )
}
