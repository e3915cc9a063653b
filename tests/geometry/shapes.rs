//! Construction, conversion and parameters.

use dualbody::InvalidInput;
use dualbody::geometry::Shape;
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
    let mut shape = Shape::new_box(Vector3::new(1.0, 2.0, 3.0)).unwrap();
    let expected = [("size/x", 1.0), ("size/y", 2.0), ("size/z", 3.0)];
    assert_eq!(list(&mut shape), expected.map(|(s, x)| (name(s), true, x)));
    assert_eq!(shape, Shape::new_box(Vector3::new(2.0, 3.0, 4.0)).unwrap());
    for mut shape in [
        Shape::new_capsule(0.5, 2.0).unwrap(),
        Shape::new_cylinder(0.5, 2.0).unwrap(),
    ] {
        let expected = [("radius", 0.5), ("length", 2.0)];
        assert_eq!(list(&mut shape), expected.map(|(s, x)| (name(s), true, x)));
    }
    assert_eq!(
        list(&mut Shape::new_sphere(0.5).unwrap()),
        [(name("radius"), true, 0.5)]
    );
    assert_eq!(list(&mut Shape::HalfSpace), []);
    let last = list(
        &mut Shape::new_points([[0.0; 3], [1.0, 2.0, 3.0]].map(Vector3::from).to_vec()).unwrap(),
    )
    .pop();
    assert_eq!(last, Some((name("points/1/z"), false, 3.0)));
}

#[test]
fn a_changed_dimension_is_checked_again() {
    let mut shape = Shape::new_capsule(0.5, 2.0).unwrap();
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
        Shape::new_sphere(0.1).unwrap(),
        Shape::new_capsule(0.1, 0.2).unwrap(),
        Shape::new_cylinder(0.1, 0.2).unwrap(),
        Shape::new_box(Vector3::new(0.1, 0.2, 0.3)).unwrap(),
        Shape::new_points([[0.1, 0.2, 0.3]].map(Vector3::from).to_vec()).unwrap(),
        Shape::HalfSpace,
    ];
    for shape in shapes {
        let mut dual = shape.cast::<Dual64>();
        dual.visit_parameters("", &mut |p| *p.value = p.value.derivative());
        assert_eq!(dual.kind(), shape.kind());
        assert_eq!(dual.cast::<f64>(), shape);
    }
}
