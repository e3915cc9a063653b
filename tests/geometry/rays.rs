//! Ray casts: against marching with signed distances, closed forms, derivatives.

use super::support::{Pose, at, capsule, cuboid, cylinder, points, pose, sphere};
use crate::cases::cases;
use dualbody::autodiff::{JacobianChecker, VectorFunction, jacobian};
use dualbody::geometry::{End, Ray, RaySurface, Shape, cast_ray, signed_distance};
use dualbody::math::{RigidTransform, rotation};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DVector, Vector3, dvector};
use num_dual::Dual64;
use proptest::prelude::*;

fn shapes() -> Vec<Shape<f64>> {
    vec![
        sphere(0.4),
        capsule(0.2, 0.7),
        cylinder(0.3, 0.8),
        cuboid(0.5, 0.3, 0.9),
        Shape::HalfSpace,
    ]
}

fn ray(origin: [f64; 3], direction: [f64; 3]) -> Ray<f64> {
    Ray::new(origin.into(), direction.into()).unwrap()
}

/// Radius of the ball that feels the way.
const PROBE: f64 = 1e-9;

/// Distance to the shape, by steps as long as the signed distance allows; `None` past 20 m.
fn march(shape: &Shape<f64>, X_WS: &Pose, ray: &Ray<f64>) -> Option<f64> {
    let probe = sphere(PROBE);
    let mut t = 0.0;
    for _ in 0..100_000 {
        let p = ray.origin() + ray.direction() * t;
        let gap = signed_distance(&probe, &at(p.x, p.y, p.z), shape, X_WS).unwrap() + PROBE;
        if gap < 1e-10 {
            return Some(t);
        }
        t += gap;
        if t > 20.0 {
            return None;
        }
    }
    panic!("marching does not end");
}

proptest! {
    #![proptest_config(cases(400))]
    #[test]
    fn rays_end_where_marching_does(
        which in 0usize..5,
        turn in prop::array::uniform3(-3.0f64..3.0),
        shift in prop::array::uniform3(-0.5f64..0.5),
        origin in prop::array::uniform3(-3.0f64..3.0),
        aim in prop::array::uniform3(-0.6f64..0.6),
    ) {
        let (shape, X_WS) = (&shapes()[which], pose(turn, shift));
        let probe = signed_distance(&sphere(PROBE), &at(origin[0], origin[1], origin[2]), shape, &X_WS);
        prop_assume!(probe.unwrap() > 1e-3);
        let direction = std::array::from_fn(|i| aim[i] - origin[i]);
        let ray = ray(origin, direction);
        let found = cast_ray(shape, &X_WS, &ray, 20.0);
        match (march(shape, &X_WS, &ray), found) {
            (Some(t), Some(surface)) => {
                let hit = surface.hit(shape, &X_WS, &ray);
                // Marching stops 1e-10 before the surface, measured along the normal.
                let incidence = -hit.normal.dot(ray.direction());
                prop_assert!((hit.distance - t).abs() < 1e-7 + 2e-10 / incidence, "{} and {t}", hit.distance);
                prop_assert!(incidence > 0.0 && (hit.normal.norm() - 1.0).abs() < 1e-9);
                let p = hit.point;
                let gap = signed_distance(&sphere(PROBE), &at(p.x, p.y, p.z), shape, &X_WS).unwrap();
                prop_assert!(gap.abs() < 1e-8);
                // A limit just short of the hit, and one just beyond.
                prop_assert!(cast_ray(shape, &X_WS, &ray, hit.distance * (1.0 - 1e-12)).is_none());
                prop_assert!(cast_ray(shape, &X_WS, &ray, hit.distance * (1.0 + 1e-12)).is_some());
            }
            (None, None) => {}
            (marched, found) => prop_assert!(false, "{marched:?} and {found:?}"),
        }
    }
}

#[test]
fn every_surface_is_found() {
    let capsule = capsule(0.1, 0.4);
    let cylinder = cylinder(0.1, 0.4);
    let cuboid = cuboid(0.2, 0.4, 0.6);
    let face = |axis, positive| RaySurface::Face { axis, positive };
    let cases = [
        (
            &sphere(0.5),
            [2.0, 0.0, 0.0],
            [-1.0, 0.0, 0.0],
            RaySurface::Sphere,
            1.5,
        ),
        (
            &capsule,
            [1.0, 0.0, 0.1],
            [-2.0, 0.0, 0.0],
            RaySurface::Tube,
            0.9,
        ),
        (
            &capsule,
            [0.0, 0.0, 1.0],
            [0.0, 0.0, -1.0],
            RaySurface::Cap(End::Upper),
            0.7,
        ),
        (
            &capsule,
            [0.0, 0.0, -1.0],
            [0.0, 0.0, 1.0],
            RaySurface::Cap(End::Lower),
            0.7,
        ),
        (
            &cylinder,
            [0.0, 1.0, 0.1],
            [0.0, -2.0, 0.0],
            RaySurface::Tube,
            0.9,
        ),
        (
            &cylinder,
            [0.05, 0.0, 1.0],
            [0.0, 0.0, -1.0],
            RaySurface::Disc(End::Upper),
            0.8,
        ),
        (
            &cylinder,
            [0.05, 0.0, -1.0],
            [0.0, 0.0, 1.0],
            RaySurface::Disc(End::Lower),
            0.8,
        ),
        (
            &cuboid,
            [1.0, 0.1, 0.1],
            [-1.0, 0.0, 0.0],
            face(0, true),
            0.9,
        ),
        (
            &cuboid,
            [-1.0, 0.1, 0.1],
            [1.0, 0.0, 0.0],
            face(0, false),
            0.9,
        ),
        (
            &cuboid,
            [0.0, 1.0, 0.1],
            [0.0, -1.0, 0.0],
            face(1, true),
            0.8,
        ),
        (
            &cuboid,
            [0.0, 0.1, -1.0],
            [0.0, 0.0, 1.0],
            face(2, false),
            0.7,
        ),
        (
            &Shape::HalfSpace,
            [0.0, 0.0, 3.0],
            [0.0, 3.0, -4.0],
            RaySurface::Plane,
            3.75,
        ),
    ];
    for (shape, origin, direction, surface, distance) in cases {
        let ray = ray(origin, direction);
        let found = cast_ray(shape, &Pose::identity(), &ray, f64::INFINITY);
        assert_eq!(found, Some(surface));
        let hit = surface.hit(shape, &Pose::identity(), &ray);
        assert!((hit.distance - distance).abs() < 1e-15, "{surface:?}");
    }
}

#[test]
fn misses() {
    let away = ray([2.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    let inside = ray([0.01, 0.02, 0.05], [0.3, 0.1, 1.0]);
    for shape in &shapes()[..4] {
        assert_eq!(
            cast_ray(shape, &Pose::identity(), &away, f64::INFINITY),
            None
        );
        assert_eq!(
            cast_ray(shape, &Pose::identity(), &inside, f64::INFINITY),
            None
        );
    }
    // Inside a capsule, along its axis: entered by the lower cap, behind the origin.
    let along = ray([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
    assert_eq!(
        cast_ray(&capsule(0.2, 0.7), &Pose::identity(), &along, 9.0),
        None
    );
    assert_eq!(
        cast_ray(&Shape::HalfSpace, &Pose::identity(), &along, 9.0),
        None
    );
    let below = ray([0.0, 0.0, -1.0], [0.0, 0.0, -1.0]);
    assert_eq!(
        cast_ray(&Shape::HalfSpace, &Pose::identity(), &below, 9.0),
        None
    );
    // Touching, and along the faces.
    let touching = ray([0.4, 0.0, -2.0], [0.0, 0.0, 1.0]);
    assert_eq!(
        cast_ray(&sphere(0.4), &Pose::identity(), &touching, 9.0),
        None
    );
    let along_face = ray([0.25, 0.0, -2.0], [0.0, 0.0, 1.0]);
    assert_eq!(
        cast_ray(&cuboid(0.5, 0.3, 0.9), &Pose::identity(), &along_face, 9.0),
        None
    );
    let grid = points(&[[0.0, 0.0, 0.0]]);
    assert_eq!(
        cast_ray(&grid, &Pose::identity(), &away, f64::INFINITY),
        None
    );
    assert_eq!(
        cast_ray(&sphere(0.4), &Pose::identity(), &away, f64::NAN),
        None
    );
    assert!(Ray::new(Vector3::zeros(), Vector3::<f64>::zeros()).is_err());
    assert!(Ray::new(Vector3::repeat(f64::NAN), Vector3::x()).is_err());
    assert!(Ray::new(Vector3::zeros(), Vector3::repeat(f64::INFINITY)).is_err());
}

/// A surface that does not belong to the shape gives NaN, not a panic.
#[test]
fn a_foreign_surface_gives_no_number() {
    let down = ray([0.0, 0.0, 2.0], [0.0, 0.0, -1.0]);
    let hit = RaySurface::Tube.hit(&sphere(1.0), &Pose::identity(), &down);
    assert!(hit.distance.is_nan());
}

/// Distance, point and normal as functions of the pose, the ray and the dimensions.
struct Cast {
    shape: Shape<f64>,
    surface: RaySurface,
    X_WS: Pose,
}

impl VectorFunction for Cast {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let vector = |i: usize| Vector3::new(x[i], x[i + 1], x[i + 2]);
        let base = self.X_WS.cast::<T>();
        let X_WS = RigidTransform::new(
            rotation::exp(&vector(0)) * base.rotation,
            base.translation + vector(3),
        );
        let ray = Ray::new(vector(6), vector(9))?;
        let mut shape = self.shape.cast::<T>();
        let mut next = 12;
        shape.visit_parameters("", &mut |p| {
            *p.value = x[next];
            next += 1;
        });
        let hit = self.surface.hit(&shape, &X_WS, &ray);
        let mut out = dvector![hit.distance];
        out.extend(hit.point.iter().chain(hit.normal.iter()).copied());
        Ok(out)
    }
}

#[test]
fn derivatives_agree_with_differences() {
    let X_WS = pose([0.3, -0.5, 0.2], [0.1, 0.05, -0.1]);
    for mut shape in shapes() {
        let mut surfaces = std::collections::HashSet::new();
        let mut dimensions = Vec::new();
        shape.visit_parameters("", &mut |p| dimensions.push(*p.value));
        for k in 0..60 {
            let angle = 0.7 * k as f64;
            let origin = Vector3::new(angle.sin(), angle.cos(), 1.3 * (2.1 * angle).sin()) * 2.0;
            let aim = X_WS.translation + Vector3::new(0.02, 0.03, 0.25 * (3.3 * angle).cos());
            let ray = Ray::new(origin, aim - origin).unwrap();
            let Some(surface) = cast_ray(&shape, &X_WS, &ray, 9.0) else {
                continue;
            };
            if !surfaces.insert(surface) {
                continue;
            }
            let mut x = vec![0.0; 6];
            x.extend(origin.iter().chain(&(aim - origin)));
            x.extend(&dimensions);
            let cast = Cast {
                shape: shape.clone(),
                surface,
                X_WS,
            };
            let (_, claimed) = jacobian(&cast, &x).unwrap();
            JacobianChecker::default()
                .scales(vec![0.05; x.len()])
                .check(|x| cast.eval(x), &x, &claimed)
                .unwrap()
                .assert_agrees();
        }
        let expected = match shape {
            Shape::Capsule { .. } | Shape::Cylinder { .. } => 3,
            Shape::Box { .. } => 5,
            _ => 1,
        };
        assert!(surfaces.len() >= expected, "{shape:?}: only {surfaces:?}");
    }
}

/// What is hit has the same bits in every scalar, also where polyhedra divide by numbers of corners.
#[test]
fn duals_do_not_change_bits() {
    let mut all = shapes();
    all.push(super::support::rock());
    all.push(super::support::ellipsoid(0.3, 0.4, 0.5));
    let mut hits = 0;
    for shape in &all {
        for k in 0..200 {
            let at = |j: usize| (12.9898 * (7 * k + j) as f64 + 1.3).sin();
            let X_WS = pose([2.0 * at(0), at(1), at(2)], [0.1 * at(3), 0.0, 0.1 * at(4)]);
            let aim = [-2.0, 0.2 * at(6) - at(5), -1.5];
            let ray = ray([2.0, at(5), 1.5], aim);
            let Some(surface) = cast_ray(shape, &X_WS, &ray, 20.0) else {
                continue;
            };
            hits += 1;
            let real = surface.hit(shape, &X_WS, &ray);
            let origin = ray.origin().map(|x| Dual64::from(x).derivative());
            let dual = Ray::new(origin, Vector3::from(aim).map(Dual64::from)).unwrap();
            let dual = surface.hit(&shape.cast::<Dual64>(), &X_WS.cast(), &dual);
            assert_eq!(real.distance, dual.distance.re, "{shape:?} {k}");
            assert_eq!(real.point, dual.point.map(|x| x.re), "{shape:?} {k}");
            assert_eq!(real.normal, dual.normal.map(|x| x.re), "{shape:?} {k}");
        }
    }
    assert!(hits > 500, "{hits}");
}
