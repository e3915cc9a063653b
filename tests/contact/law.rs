//! The force law of a contact point, and restitution.

use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::{ContactForceLaw, ContactMaterial, PointContact};
use dualbody::tree::BodyIndex;
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DVector, Matrix3, Vector3};

/// The force of a point as a function of velocity, penetration, material and regularisation.
struct Force;

impl VectorFunction for Force {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let point = PointContact {
            body_a: BodyIndex::new(1),
            body_b: BodyIndex::WORLD,
            position: Vector3::zeros(),
            rotation: Matrix3::identity(),
            penetration: x[3],
            material: ContactMaterial::new(x[4], x[5], x[6])?,
        };
        let law = ContactForceLaw {
            time_step: x[7],
            stiction_tolerance: x[8],
            softening: x[9],
        };
        let force = point.force(&law, &Vector3::new(x[0], x[1], x[2]));
        Ok(DVector::from_column_slice(force.as_slice()))
    }
}

#[test]
fn force_is_that_of_the_formula_and_differentiable() {
    for (v, vn) in [([1e-4, -2e-4], -0.1), ([0.3, 0.4], 0.2), ([0.0, 0.0], 0.0)] {
        let x = [v[0], v[1], vn, 2e-3, 1e4, 0.5, 0.3, 1e-3, 1e-2, 1e-4];
        let force = Force.eval(&x).unwrap();
        let normal: f64 = 1e4 * (1.0 - 0.5 * vn) * (2e-3 - 1e-3 * vn);
        assert!((force[2] - normal).abs() < 1e-12 * normal);
        let sigma = (v[0] * v[0] + v[1] * v[1] + 1e-8f64).sqrt();
        let s = (sigma / 1e-2).min(1.0);
        for i in 0..2 {
            let friction = -0.3 * s * (2.0 - s) * normal * v[i] / sigma;
            assert!((force[i] - friction).abs() < 1e-12 * normal);
        }
        let check = check_jacobian(&JacobianChecker::default(), &Force, &x).unwrap();
        check.assert_agrees();
    }
    // Apart by the end of the step, or faster than at 1/d, nothing acts.
    for (vn, x0) in [(0.1, 0.5e-4), (2.5, 5e-3)] {
        let x = [0.1, 0.0, vn, x0, 1e4, 0.5, 0.3, 1e-3, 1e-2, 1e-4];
        assert_eq!(Force.eval(&x).unwrap(), DVector::zeros(3));
    }
}

/// The speed at which a mass parts that meets a surface, by Runge and Kutta's method.
fn bounce(mass: f64, k: f64, d: f64, speed: f64) -> f64 {
    let rate = |[x, u]: [f64; 2]| [u, -k / mass * x * (1.0 + d * u)];
    let h = 1e-4 * (mass / k).sqrt();
    let mut y = [0.0, speed];
    loop {
        let add = |y: [f64; 2], r: [f64; 2], h: f64| [y[0] + h * r[0], y[1] + h * r[1]];
        let a = rate(y);
        let b = rate(add(y, a, 0.5 * h));
        let c = rate(add(y, b, 0.5 * h));
        let e = rate(add(y, c, h));
        let sum = [0, 1].map(|i| (a[i] + 2.0 * b[i] + 2.0 * c[i] + e[i]) / 6.0);
        let next = add(y, sum, h);
        if next[0] < 0.0 {
            // Where the line between crosses zero.
            let part = y[0] / (y[0] - next[0]);
            return -(y[1] + part * (next[1] - y[1]));
        }
        y = next;
    }
}

#[test]
fn restitution_is_that_of_an_integrated_bounce() {
    for (mass, k) in [(0.1, 1e3), (2.0, 1e5)] {
        for (d, speed) in [(0.1, 0.01), (0.1, 1.0), (0.5, 2.0), (2.0, 2.0), (1.0, 8.0)] {
            let material = ContactMaterial::new(k, d, 0.0).unwrap();
            let e = material.restitution(speed).unwrap();
            let expected = bounce(mass, k, d, speed) / speed;
            assert!((e - expected).abs() < 1e-7, "{d} {speed}: {e} {expected}");
        }
    }
}

#[test]
fn dissipation_and_restitution_are_inverse() {
    for e in [1e-3f64, 0.1, 0.3, 0.5, 0.9, 0.999, 1.0 - 1e-6, 1.0] {
        for speed in [1e-2, 1.0, 30.0] {
            let d = ContactMaterial::dissipation_of(e, speed).unwrap();
            let back = ContactMaterial::new(1e4, d, 0.0).unwrap();
            let back: f64 = back.restitution(speed).unwrap();
            assert!((back - e).abs() < 1e-14, "{e} {speed}: {d} {back}");
        }
    }
    // Without dissipation or speed nothing is lost; to first order ⅔ d u is.
    let ideal = ContactMaterial::new(1e4, 0.0, 0.0).unwrap();
    assert_eq!(ideal.restitution(3.0).unwrap(), 1.0);
    let soft = ContactMaterial::<f64>::new(1e4, 1.0, 0.0).unwrap();
    assert_eq!(soft.restitution(0.0).unwrap(), 1.0);
    assert!((soft.restitution(1e-5).unwrap() - (1.0 - 2e-5 / 3.0)).abs() < 1e-10);
    // The series and the solution meet.
    let [below, above] = [1e-3 - 1e-12, 1e-3 + 1e-12].map(|u| soft.restitution(u).unwrap());
    assert!((above - below + 2e-12 * 2.0 / 3.0).abs() < 1e-14);
}

struct Restitution;

impl VectorFunction for Restitution {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let e = ContactMaterial::new(T::from(1e4), x[0], T::zero())?.restitution(x[1])?;
        let d = ContactMaterial::dissipation_of(x[2], x[1])?;
        Ok(DVector::from_column_slice(&[e, d]))
    }
}

#[test]
fn restitution_and_dissipation_are_differentiable() {
    for x in [[0.5, 1.0, 0.8], [0.05, 1.0, 0.99], [3.0, 2.0, 0.2]] {
        let checker = JacobianChecker::default().tolerance(1e-6, 1e-7);
        let check = check_jacobian(&checker, &Restitution, &x).unwrap();
        check.assert_agrees();
    }
}

#[test]
fn restitution_outside_its_range_is_an_error() {
    for (e, speed) in [
        (0.0, 1.0),
        (1.1, 1.0),
        (-0.1, 1.0),
        (f64::NAN, 1.0),
        (0.5, 0.0),
        (0.5, f64::NAN),
    ] {
        assert!(ContactMaterial::dissipation_of(e, speed).is_err());
    }
    let material = ContactMaterial::new(1e4, 1.0, 0.0).unwrap();
    for speed in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(material.restitution(speed).is_err());
    }
}
