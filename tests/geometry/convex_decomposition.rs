//! Convex parts of meshes: those that have notches, and those that are no solids.

use crate::cases::tier;
use dualbody::geometry::{ConvexDecomposition, ConvexPolyhedron, Shape, signed_distance};
use dualbody::math::RigidTransform;
use nalgebra::{Rotation3, Vector3};

type Mesh = (Vec<Vector3<f64>>, Vec<[usize; 3]>);

/// The solid between z = 0 and 1 over a union of unit squares; with the faces between squares left out.
fn prism(squares: &[[i32; 2]]) -> Mesh {
    let (mut points, mut triangles) = (vec![], vec![]);
    let mut quad = |corners: [[i32; 3]; 4]| {
        let first = points.len();
        points.extend(corners.map(|c| Vector3::from(c.map(f64::from))));
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    for &[x, y] in squares {
        quad([[x, y, 1], [x + 1, y, 1], [x + 1, y + 1, 1], [x, y + 1, 1]]);
        quad([[x, y, 0], [x, y + 1, 0], [x + 1, y + 1, 0], [x + 1, y, 0]]);
        let sides = [
            ([x, y - 1], [x, y], [x + 1, y]),
            ([x + 1, y], [x + 1, y], [x + 1, y + 1]),
            ([x, y + 1], [x + 1, y + 1], [x, y + 1]),
            ([x - 1, y], [x, y + 1], [x, y]),
        ];
        for (neighbour, [ax, ay], [bx, by]) in sides {
            if !squares.contains(&neighbour) {
                quad([[ax, ay, 0], [bx, by, 0], [bx, by, 1], [ax, ay, 1]]);
            }
        }
    }
    (points, triangles)
}

const L: &[[i32; 2]] = &[[0, 0], [1, 0], [2, 0], [0, 1], [0, 2]];
const U: &[[i32; 2]] = &[[0, 0], [1, 0], [2, 0], [0, 1], [0, 2], [2, 1], [2, 2]];

fn turned((points, triangles): Mesh) -> Mesh {
    let turn = Rotation3::from_scaled_axis(Vector3::new(0.3, -0.5, 0.7));
    let points = points
        .iter()
        .map(|p| turn * p * 0.05 + Vector3::new(1.0, -2.0, 0.5));
    (points.collect(), triangles)
}

fn parts((points, triangles): &Mesh, options: ConvexDecomposition) -> Vec<ConvexPolyhedron<f64>> {
    options.parts_of(points, triangles, usize::MAX).unwrap().0
}

fn volume(parts: &[ConvexPolyhedron<f64>]) -> f64 {
    parts.iter().map(ConvexPolyhedron::volume).sum()
}

/// How far a ball is from the nearest of some parts.
fn distance(parts: &[ConvexPolyhedron<f64>], center: [f64; 3], radius: f64) -> f64 {
    let ball = Shape::new_sphere(radius).unwrap();
    let at = RigidTransform::from_translation(center.into());
    let distances = parts.iter().map(|part| {
        let part = Shape::from(part.clone());
        signed_distance(&ball, &at, &part, &RigidTransform::identity()).unwrap()
    });
    distances.fold(f64::INFINITY, f64::min)
}

#[test]
fn a_ball_enters_a_notch() {
    for (squares, center, number) in [(L, [1.5, 1.5, 0.5], 2), (U, [1.5, 2.0, 0.5], 4)] {
        let mesh = prism(squares);
        let parts = parts(&mesh, ConvexDecomposition::default());
        assert_eq!(parts.len(), number);
        approx::assert_relative_eq!(volume(&parts), squares.len() as f64, max_relative = 1e-12);
        approx::assert_relative_eq!(distance(&parts, center, 0.3), 0.2, epsilon = 1e-9);
        // The hull pushes it out.
        let hull = ConvexPolyhedron::hull_of(&mesh.0).unwrap();
        assert!(distance(&[hull], center, 0.3) < -0.2);
    }
}

#[test]
fn cuts_need_not_be_along_walls() {
    for squares in [L, U] {
        let mesh = turned(prism(squares));
        let exact = squares.len() as f64 * 0.05f64.powi(3);
        let hull = ConvexPolyhedron::hull_of(&mesh.0).unwrap().volume();
        // What of the notch is filled.
        let error = |options| (volume(&parts(&mesh, options)) - exact) / (hull - exact);
        let coarse = error(ConvexDecomposition::default());
        let mut options = ConvexDecomposition::default();
        (options.resolution, options.concavity, options.max_parts) = (64, 0.001, 64);
        let fine = error(options);
        assert!(
            0.0 < fine && fine < 0.6 * coarse && coarse < 0.5,
            "{coarse} {fine}"
        );
        let again = parts(&mesh, ConvexDecomposition::default());
        assert_eq!(again, parts(&mesh, ConvexDecomposition::default()));
    }
}

#[test]
fn options_bound_the_parts() {
    let mesh = turned(prism(U));
    let mut options = ConvexDecomposition::default();
    for number in [1, 2, 5] {
        options.max_parts = number;
        assert_eq!(parts(&mesh, options).len(), number);
    }
    options.max_parts = 16;
    options.concavity = 1.0;
    assert_eq!(
        parts(&mesh, options),
        [ConvexPolyhedron::hull_of(&mesh.0).unwrap()]
    );
    let (few, deviation) = options.parts_of(&mesh.0, &mesh.1, 6).unwrap();
    assert!(few[0].vertices().len() == 6 && deviation > 0.0);
}

/// A convex mesh is one part whatever the size of cells: its hull.
#[test]
fn convex_meshes_are_not_divided() {
    let golden = |i: usize| {
        let (z, angle) = (
            1.0 - (2 * i + 1) as f64 / 200.0,
            2.399963229728653 * i as f64,
        );
        let r = (1.0 - z * z).sqrt();
        Vector3::new(r * angle.cos(), 0.6 * r * angle.sin(), 0.2 * z)
    };
    let round: Vec<_> = (0..200).map(golden).collect();
    let hull = ConvexPolyhedron::hull_of(&round).unwrap();
    let fans = hull
        .faces()
        .iter()
        .flat_map(|face| face[1..].windows(2).map(|pair| [face[0], pair[0], pair[1]]));
    let mesh = (hull.vertices().to_vec(), fans.collect());
    for mesh in [mesh, turned(prism(&[[0, 0]]))] {
        for resolution in [8, 21, 32] {
            let mut options = ConvexDecomposition::default();
            (options.resolution, options.concavity) = (resolution, 0.0);
            assert_eq!(
                parts(&mesh, options),
                [ConvexPolyhedron::hull_of(&mesh.0).unwrap()]
            );
        }
    }
}

#[test]
fn meshes_that_are_no_solids() {
    let options = ConvexDecomposition::default();
    // Without a lid, and with triangles turned over: walls with the thickness of cells.
    let (points, mut triangles) = prism(U);
    triangles.drain(..2);
    triangles.iter_mut().step_by(3).for_each(|t| t.swap(0, 1));
    let open = (points.clone(), triangles.clone());
    assert!(distance(&parts(&open, options), [1.5, 2.0, 0.5], 0.3) > 0.1);
    let flat = parts(&(points.clone(), triangles[..2].to_vec()), options);
    assert_eq!(flat.len(), 1);
    // Triangles through each other.
    let wild: Vec<_> = (0..100)
        .map(|i| [i * 7 % 56, i * 11 % 56, i * 13 % 56])
        .collect();
    let parts = parts(&(points.clone(), wild), options);
    assert!(parts.len() <= 16 && parts.iter().all(|part| part.volume() > 0.0));
}

#[test]
fn mistakes_are_named() {
    let options = ConvexDecomposition::default();
    let message =
        |options: ConvexDecomposition, points: &[Vector3<f64>], triangles: &[[usize; 3]]| {
            let error = options.parts_of(points, triangles, 64).unwrap_err();
            error.to_string()
        };
    let (mut points, mut triangles) = prism(U);
    assert!(message(options, &points, &[]).contains("extent of the triangles"));
    assert!(message(options, &points, &[[0, 0, 0]]).contains("extent of the triangles"));
    assert!(message(options, &[], &triangles).contains("thickness of the points"));
    let flat: Vec<_> = points.iter().map(|p| Vector3::new(p.x, p.y, 0.0)).collect();
    assert!(message(options, &flat, &triangles).contains("thickness of the points"));
    let changed = |change: fn(&mut ConvexDecomposition)| {
        let mut options = ConvexDecomposition::default();
        change(&mut options);
        message(options, &points, &triangles)
    };
    assert!(changed(|o| o.max_parts = 0).contains("number of parts = 0"));
    assert!(changed(|o| o.concavity = f64::NAN).contains("concavity = NaN"));
    assert!(changed(|o| o.resolution = 129).contains("resolution = 129"));
    // As many triangles as large files have, each as large as the mesh.
    let many = vec![triangles[0]; 1_000_000];
    assert!(message(options, &points, &many).contains("fewer triangles"));
    triangles[5][1] = 1000;
    assert!(message(options, &points, &triangles).contains("corners of triangles[16] = 1000"));
    points[3].y = f64::NAN;
    assert!(message(options, &points, &triangles).contains("points[10] = NaN"));
    let huge = points
        .iter()
        .map(|p| p.map(|x| if x.is_nan() { 0.0 } else { x * 1e200 }));
    assert!(message(options, &huge.collect::<Vec<_>>(), &triangles).contains("size of the points"));
}

/// A million triangles of an uneven ring: bounded by what they say of cells.
#[test]
fn many_triangles_are_divided() {
    let N = tier(250, 707);
    let point = |i: usize, j: usize| {
        let [a, b] = [i, j].map(|i| i as f64 / N as f64 * std::f64::consts::TAU);
        let r = 0.3 + 0.002 * (17.0 * a).sin();
        Vector3::new(
            (1.0 + r * b.cos()) * a.cos(),
            (1.0 + r * b.cos()) * a.sin(),
            r * b.sin(),
        )
    };
    let points: Vec<_> = (0..N * N).map(|n| point(n / N, n % N)).collect();
    let mut triangles = vec![];
    for n in 0..N * N {
        let (i, j) = (n / N, n % N);
        let [a, b, c, d] =
            [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| i % N * N + j % N);
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    let mut options = ConvexDecomposition::default();
    options.resolution = 16;
    let (parts, deviation) = options.parts_of(&points, &triangles, 32).unwrap();
    let exact = 2.0 * std::f64::consts::PI.powi(2) * 0.09;
    let error = volume(&parts) / exact - 1.0;
    assert!(
        (0.0..0.25).contains(&error) && deviation < 0.05,
        "{} parts, {error}, {deviation}",
        parts.len()
    );
    assert!(distance(&parts, [0.0; 3], 0.3) > 0.0);
}
