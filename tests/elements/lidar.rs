//! Derivatives of lidar ranges with respect to pose, mounting and geometry, for every shape.

use crate::support::scenes::geometry;
use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::{ContactMaterial, ContactModel, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::sensor::{Lidar, Sensor, SensorContext};
use dualbody::tree::{BodyIndex, RigidBodyTree, RigidBodyTreeBuilder};
use dualbody::{DefaultScalar, InvalidInput, Parameters};
use nalgebra::{DVector, Vector3};

/// Ranges of three rays of a lidar on a free body, as a function of the position of the body, the
/// mounting, the directions, and all parameters of the scene in front of it.
struct Ranges {
    tree: RigidBodyTree<f64>,
    lidar: Lidar<f64>,
    scene: ContactModel<f64>,
}

impl VectorFunction for Ranges {
    type Error = InvalidInput;
    fn eval<T: DefaultScalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let tree = self.tree.cast::<T>();
        let (mut lidar, mut scene) = (self.lidar.cast::<T>(), self.scene.cast::<T>());
        let mut values = x[3..18].iter();
        lidar.visit_parameters(&mut |p| {
            if let Some(value) = values.next() {
                *p.value = *value;
            }
        });
        let indices: Vec<(usize, T)> = x[18..].iter().copied().enumerate().collect();
        scene.set_parameters(&indices).unwrap();
        let mut q = [T::zero(); 7];
        q[0] = T::one();
        q[4..].copy_from_slice(&x[..3]);
        let mut workspace = tree.workspace();
        tree.set_positions(&mut workspace, &q).unwrap();
        let context = SensorContext::new(&tree, &workspace, &scene);
        let mut out = DVector::zeros(lidar.num_outputs());
        lidar
            .measure(&context, &[], &mut || 0.0, out.as_mut_slice())
            .unwrap();
        Ok(out)
    }
}

fn in_front_of(shape: Shape<f64>) -> Ranges {
    let mut builder = RigidBodyTreeBuilder::new();
    let body = builder
        .add_body("body", SpatialInertia::solid_sphere(1.0, 0.1))
        .unwrap();
    let tree = builder.finish().unwrap();
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e4, 0.1, 0.5).unwrap();
    let mut obstacle = geometry("obstacle", BodyIndex::WORLD, shape, material);
    // A half space rises along x.
    let angles = Vector3::new(0.3, -1.2, 0.4);
    let rotation = dualbody::math::rotation::exp(&angles);
    obstacle.pose_in_body = RigidTransform::new(rotation, Vector3::new(2.0, 0.1, -0.1));
    contact.add_geometry(obstacle).unwrap();
    let scene = contact.finish(&tree).unwrap();
    let at = RigidTransform::from_translation(Vector3::new(0.1, 0.0, 0.05));
    let mut directions = Lidar::fan(2, -0.05, 0.08);
    directions.push(Vector3::new(2.0, 0.1, -0.2));
    let lidar = Lidar::new("lidar", &tree, body, &at, &directions, [0.2, 30.0]).unwrap();
    Ranges { tree, lidar, scene }
}

fn point(ranges: &Ranges) -> Vec<f64> {
    let mut x = vec![0.02, -0.03, 0.04, 0.1, 0.0, 0.05, 0.03, -0.02, 0.05];
    let mut lidar = ranges.lidar.clone();
    lidar.visit_parameters(&mut |p| {
        if p.name.to_string().starts_with("lidar/directions/") {
            x.push(*p.value);
        }
    });
    x.extend(ranges.scene.parameters().iter().map(|p| p.value));
    x
}

#[test]
fn hits_are_differentiable_for_every_shape() {
    for shape in [
        Shape::new_sphere(0.5).unwrap(),
        Shape::new_capsule(0.4, 0.6).unwrap(),
        Shape::new_cylinder(0.5, 0.8).unwrap(),
        Shape::new_box(Vector3::new(0.8, 0.9, 1.0)).unwrap(),
        Shape::HalfSpace,
    ] {
        let ranges = in_front_of(shape);
        let x = point(&ranges);
        for range in ranges.eval(&x).unwrap().iter() {
            assert!((1.0..4.0).contains(range), "{range}");
        }
        let checker = JacobianChecker::default().tolerance(1e-6, 1e-8);
        check_jacobian(&checker, &ranges, &x)
            .unwrap()
            .assert_agrees();
    }
}

#[test]
fn a_dimension_of_what_is_hit_is_a_parameter() {
    let ranges = in_front_of(Shape::new_sphere(0.5).unwrap());
    let names = ranges.scene.parameters();
    assert!(names.iter().any(|p| p.name == "geometry/obstacle/radius"));
}

#[test]
fn a_geometry_turns_from_where_it_was_added() {
    let mut scene = in_front_of(Shape::HalfSpace).scene;
    let nominal = scene.geometries()[0].pose_in_body;
    let turn = Vector3::new(0.1, -0.2, 0.3);
    for (axis, angle) in ["x", "y", "z"].into_iter().zip(turn.iter()) {
        let name = format!("geometry/obstacle/rotation/{axis}");
        assert_eq!(scene.parameter(&name), Ok(0.0));
        scene.set_parameter(&name, *angle).unwrap();
        assert_eq!(scene.parameter(&name), Ok(*angle));
    }
    let turned = scene.geometries()[0].pose_in_body;
    let expected = nominal.rotation * dualbody::math::rotation::exp(&turn);
    assert_eq!(turned.translation, nominal.translation);
    assert!((turned.rotation - expected).norm() < 1e-15);
    let index = scene.parameter_index("rotation/x").unwrap();
    let back: Vec<(usize, f64)> = (index..index + 3).map(|i| (i, 0.0)).collect();
    scene.set_parameters(&back).unwrap();
    assert_eq!(scene.geometries()[0].pose_in_body, nominal);
}

#[test]
fn lengths_of_directions_do_not_count() {
    let ranges = in_front_of(Shape::new_sphere(0.5).unwrap());
    let x = point(&ranges);
    let mut longer = x.clone();
    longer[15..18].iter_mut().for_each(|d| *d *= 3.0);
    let [a, b] = [&x, &longer].map(|x| ranges.eval(x).unwrap());
    assert!((a - b).norm() < 1e-14);
    let mut none = ranges.lidar.clone();
    none.visit_parameters(&mut |p| {
        if p.name.to_string().starts_with("lidar/directions/2/") {
            *p.value = 0.0;
        }
    });
    assert!(Sensor::<f64>::validate(&none, &ranges.tree).is_err());
}

#[test]
fn points_and_misses_read_the_upper_limit_and_near_hits_the_lower() {
    let points = Shape::new_points(vec![Vector3::zeros()]).unwrap();
    let ranges = in_front_of(points);
    assert_eq!(ranges.eval(&point(&ranges)).unwrap().as_slice(), [30.0; 3]);
    let ranges = in_front_of(Shape::new_sphere(0.5).unwrap());
    let mut x = point(&ranges);
    x[0] = 1.3;
    assert_eq!(ranges.eval(&x).unwrap()[2], 0.2);
}
