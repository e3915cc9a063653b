//! Derivatives of generic functions of a model: `gradient!`, `jacobian!`, `hessian!`.

use dualbody::autodiff::{self, ScalarFunction};
use dualbody::contact::{CollisionGeometry, ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::parameter::ParameterError;
use dualbody::system::{SystemError, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use dualbody::{InvalidInput, Parameters, Scalar, gradient, hessian, jacobian};
use nalgebra::{DVector, Vector3};
use std::cell::Cell;

type System<T> = TimeSteppingRigidBodySystem<T>;

/// An error of the user's own.
#[derive(Debug, thiserror::Error)]
enum SlideError {
    #[error(transparent)]
    Input(#[from] InvalidInput),
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    #[error(transparent)]
    System(#[from] SystemError),
}

/// The state after a push, from initial speed and friction.
fn slide<T: Scalar>(system: &System<T>, x: &[T]) -> Result<DVector<T>, SlideError> {
    let mut system = system.clone();
    for name in ["box/friction", "floor/friction"] {
        system.set_parameter(name, x[1])?;
    }
    let mut state = system.neutral_state();
    state.q[6] = T::from(0.05);
    state.v[3] = x[0];
    let mut workspace = system.workspace()?;
    for _ in 0..400 {
        state = system.step(&mut workspace, &state, &[])?.state().clone();
    }
    Ok(state.q)
}

fn distance<T: Scalar>(system: &System<T>, x: &[T]) -> Result<T, SlideError> {
    Ok(slide(system, x)?[4])
}

fn sliding_box() -> System<f64> {
    let size = Vector3::repeat(0.1);
    let mut tree = RigidBodyTreeBuilder::new();
    let body = tree
        .add_body("body", SpatialInertia::solid_box(1.0, &size))
        .unwrap();
    let tree = tree.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    for (name, body, shape, material) in [
        (
            "box",
            body,
            Shape::new_box(size).unwrap(),
            ContactMaterial::new(1e5, 0.5, 0.3).unwrap(),
        ),
        (
            "floor",
            BodyIndex::WORLD,
            Shape::HalfSpace,
            ContactMaterial::rigid(0.3).unwrap(),
        ),
    ] {
        let (name, pose_in_body) = (name.into(), RigidTransform::identity());
        let geometry = CollisionGeometry {
            name,
            body,
            pose_in_body,
            shape,
            material,
        };
        contact.add_geometry(geometry).unwrap();
    }
    let contact = contact.finish(&tree).unwrap();
    System::new(tree, contact, 1e-3).unwrap()
}

#[test]
fn a_sliding_box_has_the_gradient_of_coulomb() {
    let system = sliding_box();
    let (v, mu, g) = (1.0, 0.3, 9.81);
    let (way, slope) = gradient!(distance, &system, [v, mu]).unwrap();
    assert_eq!(way, distance(&system, &[v, mu]).unwrap());
    assert!((way / (v * v / (2.0 * mu * g)) - 1.0).abs() < 0.01);
    assert!((slope[0] / (v / (mu * g)) - 1.0).abs() < 0.01);
    assert!((slope[1] / (-v * v / (2.0 * mu * mu * g)) - 1.0).abs() < 0.01);

    let x = vec![v, mu];
    let (q, slopes) = jacobian!(slide, system, x).unwrap();
    assert_eq!(
        (q[4], slopes[(4, 0)], slopes[(4, 1)]),
        (way, slope[0], slope[1])
    );
    assert_eq!(slopes.shape(), (7, 2));

    let (value, first, second) = hessian!(distance, &system, &x[..]).unwrap();
    assert_eq!(value, way);
    assert!((first - slope).norm() < 1e-12);
    // Differences at a step h are off by 1e7 h² of the curvature: the box stops within a step.
    let h = 1e-7;
    for j in 0..2 {
        let side = |h: f64| {
            let mut x = x.clone();
            x[j] += h;
            gradient!(distance, &system, x).unwrap().1
        };
        let difference = (side(h) - side(-h)) / (2.0 * h);
        let exact = second.column(j);
        assert!(
            (&difference - exact).norm() < 1e-5 * exact.norm(),
            "{difference} {exact}"
        );
    }
}

#[test]
fn the_first_error_comes_back_as_it_is() {
    let system = sliding_box();
    let refused = gradient!(distance, &system, [1.0, -0.3]).unwrap_err();
    let SlideError::Parameter(ParameterError::OutOfBounds { name, .. }) = refused else {
        panic!("{refused}");
    };
    assert_eq!(name, "geometry/box/friction");
    let refused = gradient!(distance, &system, [f64::NAN, 0.3]).unwrap_err();
    assert!(matches!(
        refused,
        SlideError::Input(InvalidInput::NotFinite { .. })
    ));
}

/// Σ (i + 1) xᵢ²/2, with many entries.
struct Squares;

impl ScalarFunction for Squares {
    type Error = InvalidInput;

    fn eval<T: Scalar>(&self, x: &[T]) -> Result<T, InvalidInput> {
        squares(x)
    }
}

fn squares<T: Scalar>(x: &[T]) -> Result<T, InvalidInput> {
    let terms = x
        .iter()
        .enumerate()
        .map(|(i, &x)| x * x * (0.5 * (i + 1) as f64));
    Ok(terms.fold(T::zero(), |sum, term| sum + term))
}

#[test]
fn closures_and_functions_agree_with_a_type_at_every_size() {
    for n in [0usize, 1, 7, 8, 9, 17] {
        let x: Vec<f64> = (0..n).map(|i| 1.0 - 0.3 * i as f64).collect();
        let calls = Cell::new(0);
        let counted = |x: &[_]| {
            calls.set(calls.get() + 1);
            squares(x)
        };
        let (value, slope) = gradient!(counted, x).unwrap();
        assert_eq!(calls.get(), n.div_ceil(autodiff::CHUNK).max(1));
        assert_eq!(
            (value, slope.clone()),
            autodiff::gradient(&Squares, &x).unwrap()
        );
        assert_eq!(value, squares(&x).unwrap());
        for i in 0..n {
            assert_eq!(slope[i], (i + 1) as f64 * x[i]);
        }
        let (_, first, second) = hessian!(squares, x).unwrap();
        assert!((first - &slope).amax() <= 1e-15);
        for i in 0..n {
            for j in 0..n {
                assert_eq!(second[(i, j)], if i == j { (i + 1) as f64 } else { 0.0 });
            }
        }
        let (values, rows) = jacobian!(
            |x| Ok::<_, InvalidInput>(vec![squares(x)?, x.iter().sum()]),
            x
        )
        .unwrap();
        assert_eq!((values.len(), rows.shape()), (2, (2, n)));
        assert_eq!(rows.row(0).transpose(), slope);
        assert!(rows.row(1).iter().all(|&d| d == 1.0));
    }
}
