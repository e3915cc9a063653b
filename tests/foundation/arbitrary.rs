//! Numbers of every size through rotations, transforms, inertias, eigenvalues, factors: an error, or results and
//! derivatives that are finite.

use crate::support::arbitrary_number;
use crate::support::cases::cases;
use dualbody::math::{
    RigidTransform, RollPitchYaw, SpatialAcceleration, SpatialForce, SpatialInertia,
    SpatialVelocity, rotation, symmetric_eigen,
};
use nalgebra::{Matrix3, Quaternion, Vector3};
use num_dual::Dual3_64;
use proptest::prelude::*;

/// Of a size whose powers to the fifth, up and down, are numbers.
fn moderate() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => -4.0..4.0f64,
        2 => (-60.0..60.0f64, any::<bool>()).prop_map(|(e, s)| if s { -10f64.powf(e) } else { 10f64.powf(e) }),
        1 => Just(0.0),
    ]
}

fn along(x: &[f64], rates: &[f64]) -> Vec<Dual3_64> {
    let pairs = x.iter().zip(rates);
    pairs
        .map(|(x, rate)| Dual3_64::new(*x, *rate, 0.0, 0.0))
        .collect()
}

fn vector(x: &[Dual3_64]) -> Vector3<Dual3_64> {
    Vector3::new(x[0], x[1], x[2])
}

fn is_finite(x: &[Dual3_64]) -> bool {
    x.iter().all(|x| [x.re, x.v1].iter().all(|x| x.is_finite()))
}

fn is_number(x: &[Dual3_64]) -> bool {
    x.iter()
        .all(|x| x.re.is_finite() && ![x.v1, x.v2, x.v3].iter().any(|x| x.is_nan()))
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn rotations_of_vectors_of_any_size_are_finite(
        x in prop::collection::vec(moderate(), 6),
        rates in prop::collection::vec(-1.0..1.0f64, 6),
    ) {
        let x = along(&x, &rates);
        let (a, b) = (vector(&x), vector(&x[3..]));
        prop_assert!(is_finite(rotation::exp(&a).as_slice()), "exp {a:?}");
        let q = rotation::quaternion_exp(&a);
        prop_assert!(is_finite(q.coords.as_slice()), "quaternion {a:?}: {q:?}");
        prop_assert!(is_finite(rotation::log(&q).as_slice()), "log {a:?}: {q:?}");
        prop_assert!(is_finite(&[rotation::angle(&q)]), "angle {a:?}");
        prop_assert!(is_finite(rotation::left_jacobian(&a).as_slice()), "Jacobian {a:?}");
        let r = rotation::matrix_from_quaternion(&q);
        prop_assert!(is_finite(r.as_slice()), "matrix {a:?}");
        prop_assert!(is_finite(rotation::quaternion_from_matrix(&r).coords.as_slice()), "{r:?}");
        let rpy = RollPitchYaw::from_matrix(&r);
        prop_assert!(is_number(&[rpy.roll, rpy.pitch, rpy.yaw]), "{r:?}: {rpy:?}");
        prop_assert!(is_finite(rpy.to_matrix().as_slice()), "{r:?}: {rpy:?}");
        let other = rotation::quaternion_exp(&b);
        let t = Dual3_64::new(0.3, 1.0, 0.0, 0.0);
        prop_assert!(is_finite(rotation::interpolate(&q, &other, t).coords.as_slice()), "{a:?} {b:?}");
        let [length_a, length_b] = [a, b].map(|v| v.map(|x| x.re).norm());
        if length_a > 0.0 && length_b > 0.0 {
            let q = rotation::between(&a, &b);
            prop_assert!(is_number(q.coords.as_slice()), "between {a:?} {b:?}: {q:?}");
            let norm = q.coords.map(|x| x.re).norm();
            prop_assert!((norm - 1.0).abs() < 1e-12, "between {a:?} {b:?}: {norm}");
            let turned = rotation::matrix_from_quaternion(&q).map(|x| x.re) * a.map(|x| x.re / length_a);
            let error = (turned - b.map(|x| x.re / length_b)).amax();
            prop_assert!(error < 1e-6, "between {a:?} {b:?}: {error}");
        }
    }

    #[test]
    fn logarithms_of_quaternions_of_any_size_are_finite(
        x in prop::collection::vec(moderate(), 4),
        rates in prop::collection::vec(-1.0..1.0f64, 4),
    ) {
        prop_assume!(x.iter().any(|x| *x != 0.0));
        let x = along(&x, &rates);
        let q = Quaternion::new(x[0], x[1], x[2], x[3]);
        let phi = rotation::log(&q);
        prop_assert!(is_number(phi.as_slice()), "{q:?}: {phi:?}");
        prop_assert!(phi.map(|x| x.re).norm() <= std::f64::consts::PI + 1e-12, "{q:?}: {phi:?}");
        prop_assert!(is_number(&[rotation::angle(&q)]), "{q:?}");
    }

    #[test]
    fn inertias_of_any_numbers_are_refused_or_finite(
        x in prop::collection::vec(arbitrary_number::number(4, 1), 10),
        at in prop::collection::vec(moderate(), 6),
    ) {
        let r = rotation::exp(&Vector3::new(at[0], at[1], at[2]));
        let p = Vector3::new(at[3], at[4], at[5]);
        let (size, mass) = (Vector3::new(x[1], x[2], x[3]), x[0]);
        let numbers: [f64; 10] = std::array::from_fn(|i| x[i]);
        let mut all = vec![
            SpatialInertia::solid_sphere(mass, x[1]),
            SpatialInertia::solid_cylinder(mass, x[1], x[2]),
            SpatialInertia::solid_box(mass, &size),
            SpatialInertia::point_mass(mass, size),
            SpatialInertia::principal(mass, size),
        ];
        all.extend(SpatialInertia::from_standard_parameters(&numbers));
        for inertia in all {
            if inertia.validate(1e-9).is_ok() {
                let _ = inertia.to_standard_parameters();
                let moved = inertia.transformed(&r, &p);
                let sum = inertia.combined(&moved);
                for i in [&moved, &sum] {
                    let finite = i.rotational_inertia.iter().chain(&i.center_of_mass).all(|x| x.is_finite());
                    let large = x.iter().chain(&at).any(|x| x.abs() > 1e70);
                    prop_assert!(finite || large, "{inertia:?} {at:?}: {i:?}");
                }
                let _ = symmetric_eigen(&inertia.rotational_inertia).map(|(lambda, axes)| {
                    assert!(lambda.iter().chain(&axes).all(|x| x.is_finite()));
                });
            }
        }
    }

    #[test]
    fn eigenvalues_of_any_numbers_are_refused_or_finite(
        x in prop::collection::vec(arbitrary_number::number(4, 1), 6),
        rates in prop::collection::vec(-1.0..1.0f64, 6),
    ) {
        let x = along(&x, &rates);
        let a = Matrix3::new(x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5]);
        if let Ok((lambda, axes)) = symmetric_eigen(&a.map(|x| x.re)) {
            prop_assert!(lambda.iter().chain(&axes).all(|x| x.is_finite()), "{a}");
        }
        if let Ok((lambda, axes)) = symmetric_eigen(&a) {
            prop_assert!(!lambda.iter().any(|x| x.re.is_nan() || x.v1.is_nan()), "{a:?}: {lambda:?}");
            prop_assert!(axes.iter().all(|x| x.re.is_finite()), "{a:?}: {axes:?}");
        }
    }

    #[test]
    fn moved_vectors_of_moderate_size_are_finite(x in prop::collection::vec(moderate(), 12)) {
        let v = |i: usize| Vector3::new(x[i], x[i + 1], x[i + 2]);
        let pose = RigidTransform::new(rotation::exp(&v(0)), v(3));
        let both = pose * pose.inverse();
        prop_assert!(both.translation.iter().all(|x| x.is_finite()));
        prop_assert!(pose.inverse_transform_point(&pose.transform_point(&v(6))).iter().all(|x| x.is_finite()));
        let force = SpatialForce::new(v(0), v(3)).shift(&v(6));
        let velocity = SpatialVelocity::new(v(3), v(6)).shift(&v(9));
        prop_assert!(force.power(&velocity).is_finite());
        let acceleration = SpatialAcceleration::new(v(0), v(3)).shift(&v(6), &(v(9) * 1e-30));
        prop_assert!(acceleration.to_vector().iter().all(|x| x.is_finite()));
    }
}
