//! Construction, conversion, parameters, and the pairs that are supported.

use super::support::{
    Pair, at, capsule, catalogue, cuboid, cylinder, ellipsoid, points, pose, rock, rough, sphere,
};
use dualbody::InvalidInput;
use dualbody::geometry::{
    AxisSet, End, GeometryError, OverlapEdge, Shape, ShapeKind, Witness, is_supported,
    signed_distance, witnesses,
};
use nalgebra::Vector3;
use num_dual::Dual64;

#[test]
fn constructors_reject_what_is_no_size() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for shape in [
            Shape::new_sphere(bad),
            Shape::new_capsule(bad, 1.0),
            Shape::new_capsule(1.0, bad),
            Shape::new_cylinder(bad, 1.0),
            Shape::new_cylinder(1.0, bad),
            Shape::new_box(Vector3::new(1.0, bad, 1.0)),
        ] {
            assert!(matches!(shape, Err(InvalidInput::OutOfRange { .. })));
        }
    }
    let error = Shape::new_box(Vector3::new(1.0, -2.0, 1.0)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "size[1] = -2, expected a positive finite number"
    );
    assert!(Shape::<f64>::new_points(vec![]).is_err());
    let points = vec![Vector3::zeros(), Vector3::new(0.0, f64::INFINITY, 0.0)];
    let error = Shape::new_points(points).unwrap_err();
    assert_eq!(error.to_string(), "points[4] = inf is not finite");
}

#[test]
fn parameters_are_named_and_can_be_changed() {
    let list = |shape: &mut Shape<f64>| {
        let mut list = Vec::new();
        shape.visit_parameters(format_args!("robot/{}", "foot"), &mut |p| {
            assert_eq!(p.unit, "m");
            list.push((p.name.to_string(), p.lower > 0.0, *p.value));
            *p.value += 1.0;
        });
        list
    };
    let name = |s: &str| format!("robot/foot/{s}");
    let mut shape = cuboid(1.0, 2.0, 3.0);
    let expected = [("size/x", 1.0), ("size/y", 2.0), ("size/z", 3.0)];
    assert_eq!(list(&mut shape), expected.map(|(s, x)| (name(s), true, x)));
    assert_eq!(shape, cuboid(2.0, 3.0, 4.0));
    for mut shape in [capsule(0.5, 2.0), cylinder(0.5, 2.0)] {
        let expected = [("radius", 0.5), ("length", 2.0)];
        assert_eq!(list(&mut shape), expected.map(|(s, x)| (name(s), true, x)));
    }
    assert_eq!(list(&mut sphere(0.5)), [(name("radius"), true, 0.5)]);
    assert_eq!(list(&mut Shape::HalfSpace), []);
    let last = list(&mut points(&[[0.0; 3], [1.0, 2.0, 3.0]])).pop();
    assert_eq!(last, Some((name("points/1/z"), false, 3.0)));
}

#[test]
fn a_changed_dimension_is_checked_again() {
    let mut shape = capsule(0.5, 2.0);
    assert!(shape.validate().is_ok());
    shape.visit_parameters("", &mut |p| *p.value -= 0.5);
    assert!(matches!(
        shape.validate(),
        Err(InvalidInput::OutOfRange {
            quantity: "radius",
            ..
        })
    ));
}

#[test]
fn cast_keeps_kind_and_real_parts() {
    let shapes = [
        sphere(0.1),
        capsule(0.1, 0.2),
        cylinder(0.1, 0.2),
        cuboid(0.1, 0.2, 0.3),
        points(&[[0.1, 0.2, 0.3]]),
        rough(3, 3, [1.0, 1.0], 0.1),
        Shape::HalfSpace,
    ];
    for shape in shapes {
        let mut dual = shape.cast::<Dual64>();
        dual.visit_parameters("", &mut |p| *p.value = p.value.derivative());
        assert_eq!(dual.kind(), shape.kind());
        assert_eq!(dual.cast::<f64>(), shape);
    }
}

#[test]
fn supported_pairs_have_witnesses_and_others_an_error() {
    let shapes = [
        sphere(0.1),
        capsule(0.1, 0.2),
        cylinder(0.1, 0.2),
        cuboid(0.1, 0.2, 0.3),
        ellipsoid(0.1, 0.2, 0.3),
        rock(),
        points(&[[0.1, 0.2, 0.3]]),
        rough(3, 3, [1.0, 1.0], 0.1),
        Shape::HalfSpace,
    ];
    let X_WA = pose([0.1, 0.2, 0.3], [0.01, 0.02, 0.03]);
    let mut supported = 0;
    for a in &shapes {
        for b in &shapes {
            let pair = Pair::in_b(a.clone(), X_WA, b.clone());
            let mut out = Vec::new();
            let result = witnesses(a, &X_WA, b, &pair.X_WB, 1.0, &mut out);
            let distance = signed_distance(a, &X_WA, b, &pair.X_WB);
            if is_supported(a.kind(), b.kind()) {
                supported += 1;
                assert!(result.is_ok_and(|margin| margin >= 0.0));
                assert!(!out.is_empty(), "{pair:?}");
                assert!(distance.is_ok());
            } else {
                let error = GeometryError::UnsupportedPair {
                    a: a.kind(),
                    b: b.kind(),
                };
                assert_eq!(result, Err(error.clone()));
                assert_eq!(distance, Err(error));
            }
        }
    }
    // Six shapes with a volume against each other and against points, and all these against the half space and a height
    // field, in either order.
    assert_eq!(supported, 6 * 6 + 2 * (6 + 7 + 7));
    let error = GeometryError::UnsupportedPair {
        a: ShapeKind::Points,
        b: ShapeKind::Points,
    };
    assert_eq!(
        error.to_string(),
        "contact of points and points is not supported"
    );
}

#[test]
fn features_of_other_shapes_are_an_error() {
    let pairs = catalogue();
    for pair in &pairs {
        for (witness, _) in pair.contacts(10.0) {
            for other in &pairs {
                let result = witness.contact_point(&other.a, &other.X_WA, &other.b, &other.X_WB);
                let (p, q) = (pair.swapped(), other.swapped());
                let kinds = |p: &Pair| (p.a.kind(), p.b.kind());
                // Vertices and faces of convex shapes are numbers, which others have as well.
                let is_general =
                    matches!(witness, Witness::Convex(..) | Witness::ConvexPatch { .. })
                        && other.b.kind() != ShapeKind::HalfSpace
                        || matches!(witness, Witness::Points(..)) && p.b.kind() == q.b.kind()
                        || q.a.kind() == ShapeKind::HeightField;
                if !is_general && kinds(&p) != kinds(&q) && kinds(pair) != kinds(&q) {
                    assert!(
                        matches!(result, Err(GeometryError::WitnessMismatch { .. })),
                        "{witness:?} of {other:?}: {result:?}"
                    );
                }
            }
        }
    }
    let (feet, ground) = (points(&[[0.0; 3]]), Shape::HalfSpace);
    let X = at(0.0, 0.0, 0.0);
    let result = Witness::PointsHalfSpace(1).contact_point(&feet, &X, &ground, &X);
    assert!(matches!(result, Err(GeometryError::WitnessMismatch { .. })));
    let fifth_quarter = Witness::CylinderHalfSpace {
        end: End::Lower,
        quarter: 4,
    };
    let result = fifth_quarter.contact_point(&cylinder(1.0, 1.0), &X, &ground, &X);
    assert!(matches!(result, Err(GeometryError::WitnessMismatch { .. })));
}

#[test]
fn features_that_do_not_meet_are_an_error() {
    let (X, brick, ground) = (at(0.0, 0.0, 0.0), cuboid(1.0, 1.0, 1.0), Shape::HalfSpace);
    // The face, the edge and the vertex of a box nearest to a ball.
    let [face, edge, vertex] = [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0; 3]].map(|p| {
        let pair = Pair::in_b(sphere(0.1), at(p[0], p[1], p[2]), brick.clone());
        match pair.only_contact(10.0).0 {
            Witness::SphereBox(feature) => feature,
            other => panic!("{other:?}"),
        }
    });
    for feature in [face, edge] {
        let result = Witness::BoxHalfSpace(feature).contact_point(&brick, &X, &ground, &X);
        assert!(matches!(result, Err(GeometryError::WitnessMismatch { .. })));
    }
    let on_top = Pair::in_b(brick.clone(), at(0.1, 0.2, 0.99), brick.clone());
    let (
        Witness::BoxBoxFace {
            faces,
            reference,
            corner,
            axes,
        },
        _,
    ) = on_top.contacts(0.0)[0]
    else {
        panic!("boxes on each other touch on a face");
    };
    let face_witness = |faces, corner, axes| Witness::BoxBoxFace {
        faces,
        reference,
        corner,
        axes,
    };
    let nothing = OverlapEdge {
        first: None,
        second: None,
    };
    for witness in [
        Witness::BoxBoxEdges {
            edges: (edge, vertex),
            axes,
        },
        Witness::BoxBoxEdges {
            edges: (face, edge),
            axes,
        },
        face_witness((edge, faces.1), corner, axes),
        face_witness((faces.0, vertex), corner, axes),
        face_witness(faces, [nothing, corner[1]], axes),
        face_witness(faces, [corner[0], corner[0]], axes),
        face_witness(faces, corner, AxisSet::default()),
    ] {
        let result = witness.contact_point(&brick, &X, &brick, &X);
        assert!(matches!(result, Err(GeometryError::WitnessMismatch { .. })));
    }
}

#[test]
fn poses_and_margins_that_are_not_numbers_are_an_error() {
    let (ball, ground) = (sphere(0.5), Shape::HalfSpace);
    let (X, mut out) = (at(0.0, 0.0, 0.0), Vec::new());
    for margin in [-1e-3, f64::NAN] {
        assert!(witnesses(&ball, &X, &ground, &X, margin, &mut out).is_err());
    }
    let bad = at(0.0, f64::NAN, 0.0);
    assert!(witnesses(&ball, &bad, &ground, &X, 0.0, &mut out).is_err());
    assert!(witnesses(&ball, &X, &ground, &bad, 0.0, &mut out).is_err());
    assert!(signed_distance(&ball, &bad, &ground, &X).is_err());
    assert!(
        Witness::SphereHalfSpace
            .contact_point(&ball, &bad, &ground, &X)
            .is_err()
    );
    let (feet, witness) = (points(&[[0.0; 3]]), Witness::PointsHalfSpace(0));
    assert!(witness.contact_point(&feet, &X, &ground, &bad).is_err());
    let huge = at(1.5e308, 1.5e308, 0.0);
    assert!(signed_distance(&ball, &huge, &ball, &X).is_err());
    assert!(out.is_empty());
}

#[test]
fn a_witness_is_small() {
    assert!(size_of::<Witness>() <= 32);
}
