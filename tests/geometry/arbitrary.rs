//! Arbitrary numbers (not finite, subnormal, huge) and sizes: an error or finite results.

use crate::arbitrary_number;
use crate::cases::cases;
use dualbody::geometry::ray::{Ray, cast_ray};
use dualbody::geometry::{ConvexPolyhedron, HeightField, Shape, signed_distance, witnesses};
use dualbody::math::{RigidTransform, rotation};
use nalgebra::{Vector2, Vector3};
use proptest::prelude::*;
use std::error::Error;

type Failure = Box<dyn Error>;

fn number() -> impl Strategy<Value = f64> {
    arbitrary_number::number(6, 1)
}

fn points(x: &[f64]) -> Vec<Vector3<f64>> {
    x.chunks_exact(3).map(Vector3::from_column_slice).collect()
}

fn shape(kind: usize, columns: usize, x: &[f64]) -> Result<Shape<f64>, Failure> {
    let size = Vector3::new(x[0], x[1], x[2]);
    Ok(match kind {
        0 => Shape::new_sphere(x[0])?,
        1 => Shape::new_capsule(x[0], x[1])?,
        2 => Shape::new_cylinder(x[0], x[1])?,
        3 => Shape::new_box(size)?,
        4 => Shape::new_ellipsoid(size)?,
        5 => Shape::new_convex(&points(x))?,
        6 => Shape::new_points(points(x))?,
        7 => HeightField::new(columns, x[2..].to_vec(), Vector2::new(x[0], x[1]))?.into(),
        _ => Shape::HalfSpace,
    })
}

fn pose(x: &[f64]) -> RigidTransform<f64> {
    let turn = rotation::quaternion_exp(&Vector3::new(x[0], x[1], x[2]));
    RigidTransform {
        rotation: rotation::matrix_from_quaternion(&turn),
        translation: Vector3::new(x[3], x[4], x[5]),
    }
}

fn ask(kinds: [usize; 2], columns: usize, x: &[f64]) -> Result<(), Failure> {
    let (a, b) = (
        shape(kinds[0], columns, &x[..18])?,
        shape(kinds[1], columns, &x[18..36])?,
    );
    let (X_WA, X_WB) = (pose(&x[36..42]), RigidTransform::identity());
    if let Ok(inertia) = a.solid_inertia(x[42]) {
        let all = inertia.to_standard_parameters();
        assert!(all.iter().all(|x| x.is_finite()), "{a:?}: {all:?}");
    }
    if let Ok(ray) = Ray::new(
        Vector3::new(x[43], x[44], x[45]),
        Vector3::new(x[46], x[47], x[48]),
    ) && let Some(surface) = cast_ray(&a, &X_WA, &ray, x[49])
    {
        let hit = surface.hit(&a, &X_WA, &ray);
        assert!(hit.distance.is_finite(), "{a:?} {X_WA:?} {ray:?}: {hit:?}");
    }
    let mut found = Vec::new();
    if let Ok(change) = witnesses(&a, &X_WA, &b, &X_WB, x[50], &mut found) {
        assert!(change >= 0.0, "{a:?} {b:?} {X_WA:?}: {change}");
    }
    if let Ok(distance) = signed_distance(&a, &X_WA, &b, &X_WB) {
        assert!(distance.is_finite(), "{a:?} {b:?} {X_WA:?}: {distance}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn shapes_of_any_numbers_answer_or_refuse(
        kinds in [0usize..9, 0usize..9],
        columns in 0usize..6,
        x in prop::collection::vec(number(), 51),
        y in prop::collection::vec(0.01..1.0f64, 51),
        mixed in prop::collection::vec(0usize..16, 51),
    ) {
        let _ = ask(kinds, columns, &x);
        // Mostly sensible.
        let some: Vec<f64> = (0..51).map(|i| if mixed[i] == 0 { x[i] } else { y[i] }).collect();
        let _ = ask(kinds, columns, &some);
    }

    #[test]
    fn hulls_of_any_points_are_finite_or_errors(
        x in prop::collection::vec(number(), 0..40),
        most in 0usize..12,
    ) {
        let of = points(&x);
        if let Ok(hull) = ConvexPolyhedron::hull_of(&of) {
            prop_assert!(hull.volume().is_finite() && hull.extent().is_finite(), "{of:?}");
        }
        if let Ok((hull, deviation)) = ConvexPolyhedron::simplified_hull_of(&of, most) {
            prop_assert!(hull.vertices().len() <= most && deviation.is_finite(), "{of:?}");
        }
    }

    #[test]
    fn heights_of_any_numbers_are_finite_or_errors(
        columns in 0usize..6,
        heights in prop::collection::vec(number(), 0..20),
        x in prop::collection::vec(number(), 4),
    ) {
        if let Ok(field) = HeightField::new(columns, heights, Vector2::new(x[0], x[1])) {
            let height = field.height_at(x[2], x[3]);
            prop_assert!(height.is_none_or(f64::is_finite), "{field:?} {x:?}: {height:?}");
        }
    }
}

/// The search for what is nearest to a field looks further and further.
#[test]
fn a_distance_whose_square_is_not_finite_is_looked_for_once() {
    let field = HeightField::new(2, vec![0.1; 4], Vector2::new(0.5, 0.5));
    let (field, ball) = (Shape::from(field.unwrap()), Shape::new_sphere(0.3).unwrap());
    for far in [1e100, 1e155, 1.9e238, f64::MAX] {
        let above = RigidTransform::from_translation(Vector3::new(0.0, 0.0, far));
        let found = signed_distance(&ball, &above, &field, &RigidTransform::identity());
        assert!(
            found.is_ok_and(|distance| distance == far) || far > 1e150,
            "{far}"
        );
    }
}

#[test]
fn an_inertia_that_is_not_finite_is_refused() {
    let large = Vector3::new(0.5, 0.4, 1e200);
    for shape in [Shape::new_box(large), Shape::new_ellipsoid(large)] {
        let error = shape.unwrap().solid_inertia(1.0).unwrap_err();
        assert!(
            error.to_string().contains("inertia of the shape"),
            "{error}"
        );
    }
}
