//! Hulls, their faces, and how they touch the ground.

use super::support::*;
use crate::cases::cases;
use dualbody::geometry::{ContactPoint, ConvexPolyhedron, Ray, Shape, Witness, cast_ray};
use dualbody::math::SpatialInertia;
use nalgebra::Vector3;
use num_dual::Dual64;
use proptest::prelude::*;

fn corners(x: f64, y: f64, z: f64) -> Vec<Vector3<f64>> {
    let sign = |i: usize, k: usize| if i >> k & 1 == 0 { -0.5 } else { 0.5 };
    (0..8)
        .map(|i| Vector3::new(x * sign(i, 0), y * sign(i, 1), z * sign(i, 2)))
        .collect()
}

/// A ball of points, `n` around the equator.
fn ball(n: usize, radius: f64) -> Vec<Vector3<f64>> {
    let mut points = vec![Vector3::z() * radius, Vector3::z() * -radius];
    for i in 1..n / 2 {
        let (s, c) = (std::f64::consts::PI * i as f64 / (n / 2) as f64).sin_cos();
        for j in 0..n {
            let (t, u) = (std::f64::consts::TAU * j as f64 / n as f64).sin_cos();
            points.push(Vector3::new(s * u, s * t, c) * radius);
        }
    }
    points
}

fn is_closed(hull: &ConvexPolyhedron<f64>) -> bool {
    let mut edges = std::collections::HashSet::new();
    for face in hull.faces() {
        for (k, &i) in face.iter().enumerate() {
            assert!(edges.insert((i, face[(k + 1) % face.len()])));
        }
    }
    let euler = hull.vertices().len() + hull.faces().len() - edges.len() / 2;
    euler == 2 && edges.iter().all(|&(i, j)| edges.contains(&(j, i)))
}

fn is_around(hull: &ConvexPolyhedron<f64>, points: &[Vector3<f64>], tolerance: f64) -> bool {
    hull.faces().iter().all(|face| {
        let corner = |k: usize| hull.vertices()[face[k % face.len()]];
        let turns =
            (0..face.len()).map(|k| (corner(k) - corner(0)).cross(&(corner(k + 1) - corner(0))));
        let normal = turns.sum::<Vector3<f64>>().normalize();
        let middle = (0..face.len()).map(corner).sum::<Vector3<f64>>() / face.len() as f64;
        points
            .iter()
            .all(|p| normal.dot(&(p - middle)) <= tolerance)
    })
}

#[test]
fn points_inside_on_faces_and_on_edges_are_dropped() {
    let mut points = corners(1.0, 2.0, 3.0);
    let n = 12;
    for i in 0..=n {
        for j in 0..=n {
            let (u, v) = (
                f64::from(i) / f64::from(n) - 0.5,
                f64::from(j) / f64::from(n) - 0.5,
            );
            points.push(Vector3::new(u, 2.0 * v, 1.5));
            points.push(Vector3::new(-0.5, 2.0 * u, 3.0 * v));
            points.push(Vector3::new(0.5 * u, v, u * v));
        }
    }
    for X in [at(0.0, 0.0, 0.0), pose([0.3, -0.8, 0.4], [5.0, -2.0, 1.0])] {
        let moved: Vec<_> = points.iter().map(|p| X.transform_point(p)).collect();
        let hull = ConvexPolyhedron::hull_of(&moved).unwrap();
        assert_eq!((hull.vertices().len(), hull.faces().len()), (8, 6));
        assert!(is_closed(&hull) && is_around(&hull, &moved, 1e-14));
        assert!((hull.volume() - 6.0).abs() < 1e-13);
    }
}

#[test]
fn a_fine_ball_keeps_its_shape_with_few_vertices() {
    let points = ball(40, 0.5);
    let exact = ConvexPolyhedron::hull_of(&points).unwrap();
    assert_eq!(exact.vertices().len(), points.len());
    let mut last = f64::INFINITY;
    for number in [4, 8, 16, 32, 64, 128] {
        let (hull, deviation) = ConvexPolyhedron::simplified_hull_of(&points, number).unwrap();
        assert_eq!(hull.vertices().len(), number);
        assert!(is_closed(&hull) && is_around(&hull, &points, deviation + 1e-12));
        assert!(!is_around(&hull, &points, deviation - 1e-9) && deviation < last);
        last = deviation;
    }
    assert!(last < 0.03);
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn a_hull_is_closed_and_around_its_points(
        list in proptest::collection::vec([-4..=4, -4..=4, -4..=4], 4..200),
        scale in prop_oneof![Just(1e-6), Just(1.0), Just(0.1), Just(1e7)],
        X in any_pose(),
    ) {
        // On a grid many points are in a plane or a line, or the same.
        let points: Vec<_> = list
            .into_iter()
            .map(|p| X.transform_point(&(Vector3::from(p.map(f64::from)) * 0.25)) * scale)
            .collect();
        if let Ok(hull) = ConvexPolyhedron::hull_of(&points) {
            prop_assert!(is_closed(&hull), "{points:?}");
            prop_assert!(is_around(&hull, &points, 3e-5 * scale));
        }
    }
}

#[test]
fn what_has_no_hull() {
    let hull = |points: &[Vector3<f64>]| ConvexPolyhedron::hull_of(points).unwrap_err().to_string();
    assert!(hull(&[]).contains("enclose a volume"));
    assert!(hull(&[Vector3::x(); 5]).contains("enclose a volume"));
    let flat: Vec<_> = corners(1.0, 1.0, 1e-8);
    assert!(
        hull(&flat).starts_with("thickness of the points = 1e-8"),
        "{}",
        hull(&flat)
    );
    let line: Vec<_> = (0..9)
        .map(|i| Vector3::new(1.0, 2.0, 3.0) * f64::from(i))
        .collect();
    assert!(hull(&line).contains("enclose a volume"));
    let mut points = corners(1.0, 1.0, 1.0);
    points[3].y = f64::NAN;
    assert!(hull(&points).starts_with("points[10] = NaN"));
    points[3].y = 1e300;
    assert!(hull(&points).contains("size of the points"));
    let few = ConvexPolyhedron::simplified_hull_of(&corners(1.0, 1.0, 1.0), 3);
    assert!(few.unwrap_err().to_string().contains("at least 4"));
}

#[test]
fn the_inertia_of_a_box_wherever_it_is() {
    let X = pose([0.4, 0.2, -0.9], [0.3, -0.5, 2.0]);
    let size = Vector3::new(0.3, 0.5, 0.7);
    let points: Vec<_> = (corners(size.x, size.y, size.z).iter())
        .map(|p| X.transform_point(p))
        .collect();
    let inertia = Shape::new_convex(&points)
        .unwrap()
        .solid_inertia(2.0)
        .unwrap();
    let expected = SpatialInertia::solid_box(2.0, &size).transformed(&X.rotation, &X.translation);
    assert_close(&inertia.center_of_mass, &expected.center_of_mass, 1e-14);
    let error = inertia.rotational_inertia - expected.rotational_inertia;
    assert!(error.norm() < 1e-14, "{error}");
}

fn total(contacts: &[(Witness, ContactPoint<f64>)]) -> (f64, Vector3<f64>) {
    let mut sum = (0.0, Vector3::zeros());
    for (_, c) in contacts {
        let force = c.weight * c.penetration.max(0.0);
        sum.0 += force;
        sum.1 += c.p_WCa.cross(&(c.nhat_BA_W * force));
    }
    sum
}

#[test]
fn flat_on_the_ground_it_is_a_box() {
    let cube = Shape::new_convex(&corners(0.2, 0.3, 0.4)).unwrap();
    let ground = || Shape::HalfSpace;
    let X = pose([0.0, 0.0, 0.7], [1.0, 2.0, 0.199]);
    let (force, moment) = total(&Pair::in_b(cube, X, ground()).contacts(0.0));
    let (expected, expected_moment) =
        total(&Pair::in_b(cuboid(0.2, 0.3, 0.4), X, ground()).contacts(0.0));
    assert!((force - expected).abs() < 1e-15);
    assert_close(&moment, &expected_moment, 1e-15);
}

/// The energy of a finely divided ball of radius r is `2 k x³/β`, with the band `β`: the contact stands for the curved
/// surface, not for the vertices that there happen to be.
#[test]
fn the_stiffness_of_a_ball_does_not_depend_on_how_fine_it_is() {
    let band = 2.5e-3 * 0.2 * 3f64.sqrt();
    let force = |n: usize, depth: f64| {
        let ball = Shape::new_convex(&ball(n, 0.1)).unwrap();
        let X = pose([0.3, 0.2, 0.1], [0.0, 0.0, 0.1 - depth]);
        total(&Pair::in_b(ball, X, Shape::HalfSpace).contacts(0.0)).0
    };
    for (n, tolerance) in [(80, 0.25), (160, 0.1)] {
        let expected = 6.0 * 0.005f64.powi(2) / band;
        let found = force(n, 0.005);
        assert!(
            (found / expected - 1.0).abs() < tolerance,
            "{n}: {}",
            found / expected
        );
    }
    // It stands about as deep as four points would.
    for n in [20, 40, 80, 160] {
        let part = force(n, 0.7 * band) / (4.0 * 0.7 * band);
        assert!((0.2..3.0).contains(&part), "{n}: {part}");
    }
}

/// What is pressed in comes out again, whichever vertices touch meanwhile.
#[test]
fn forces_are_the_gradient_of_an_energy_as_it_rolls() {
    let rock = rock();
    let at_angle = |angle: f64| {
        let X = pose([0.8 * angle, angle, 0.3 * angle], [0.1, 0.0, 0.32]);
        let contacts = Pair::in_b(rock.clone(), X, Shape::HalfSpace).contacts(0.0);
        let energy = |c: &ContactPoint<f64>| 0.5 * c.weight * c.penetration.max(0.0).powi(2);
        let energy: f64 = contacts.iter().map(|(_, c)| energy(c)).sum();
        let (force, moment) = total(&contacts);
        let about_center = moment - X.translation.cross(&(Vector3::z() * force));
        (energy, about_center, X.rotation)
    };
    let (step, mut largest) = (1e-4, 0.0);
    for i in 0..3000 {
        let angle = step * (10 * i) as f64;
        let [before, at, after] = [-step, 0.0, step].map(|turn| at_angle(angle + turn));
        let turn = (after.2 * before.2.transpose() - before.2 * after.2.transpose()) / (4.0 * step);
        let turning = Vector3::new(turn[(2, 1)], turn[(0, 2)], turn[(1, 0)]);
        let power = at.1.dot(&turning);
        let slope = (after.0 - before.0) / (2.0 * step);
        assert!((slope + power).abs() < 1e-4, "at {angle}: {slope} {power}");
        largest = power.abs().max(largest);
    }
    assert!(largest > 1e-2);
}

#[test]
fn vertices_are_parameters() {
    let mut shape = Shape::<f64>::new_convex(&corners(1.0, 1.0, 1.0)).unwrap();
    let mut names = Vec::new();
    shape.visit_parameters("foot", &mut |p| {
        names.push(p.name.to_string());
        if names.len() == 5 {
            *p.value = 3.0;
        }
    });
    assert_eq!((names.len(), names[4].as_str()), (24, "foot/vertices/1/y"));
    let error = shape.validate().unwrap_err().to_string();
    assert!(error.contains("take the hull again"), "{error}");
}

#[test]
fn rays_enter_where_they_enter_a_box() {
    let size = Vector3::new(0.4, 0.6, 0.8);
    let points = corners(size.x, size.y, size.z);
    let (hull, cube) = (Shape::new_convex(&points).unwrap(), cuboid(0.4, 0.6, 0.8));
    let X = pose([0.4, -0.3, 0.2], [0.1, 0.0, 0.2]);
    for i in 0..400 {
        let t = f64::from(i);
        let origin = Vector3::new((1.3 * t).sin(), (0.7 * t).cos(), (2.9 * t).sin()) * 1.5;
        let target = Vector3::new((5.1 * t).sin(), (3.3 * t).sin(), (0.9 * t).cos()) * 0.5;
        let ray = Ray::new(origin, target - origin).unwrap();
        let hit = |shape: &Shape<f64>| Some(cast_ray(shape, &X, &ray, 10.0)?.hit(shape, &X, &ray));
        match (hit(&hull), hit(&cube)) {
            (None, None) => {}
            (Some(x), Some(y)) => {
                assert!((x.distance - y.distance).abs() < 1e-12);
                assert_close(&x.normal, &y.normal, 1e-12);
            }
            other => panic!("{i}: {other:?}"),
        }
    }
}

#[test]
fn penetration_changes_with_a_vertex() {
    let mut shape = Shape::<Dual64>::new_convex(
        &corners(1.0, 1.0, 1.0)
            .iter()
            .map(|p| p.map(Dual64::from))
            .collect::<Vec<_>>(),
    )
    .unwrap();
    shape.visit_parameters("", &mut |p| {
        if p.name.to_string() == "/vertices/0/z" {
            *p.value = p.value.derivative();
        }
    });
    let X = pose([0.3, -0.2, 0.0], [0.0, 0.0, 0.6]).cast::<Dual64>();
    let ground = dualbody::math::RigidTransform::identity();
    let contact = Witness::ConvexHalfSpace(0).contact_point(&shape, &X, &Shape::HalfSpace, &ground);
    let slope = contact.unwrap().penetration.eps;
    assert!((slope + X.rotation[(2, 2)].re).abs() < 1e-15);
}
