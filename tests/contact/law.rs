//! The force law of a contact point, and restitution.

use dualbody::autodiff::{JacobianChecker, VectorFunction, check_jacobian};
use dualbody::contact::{ContactForceLaw, ContactMaterial, FrictionRule, PointContact};
use dualbody::tree::BodyIndex;
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DVector, Matrix3, Vector3};
use num_dual::{Dual64, HyperDual64};

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
            material: match x[10..] {
                [static_friction, velocity] => ContactMaterial::new(x[4], x[5], x[6])?
                    .with_static_friction(static_friction, velocity)?,
                _ => ContactMaterial::new(x[4], x[5], x[6])?,
            },
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

/// Static friction apart from dynamic friction: values, and derivatives of first and second order, at zero slip too.
#[test]
fn friction_falls_with_speed_along_its_curve() {
    for v in [[0.0, 0.0], [2e-3, -1e-3], [0.03, 0.04], [0.6, 0.8]] {
        let x = [
            v[0], v[1], -0.1, 2e-3, 1e4, 0.5, 0.3, 1e-3, 1e-2, 1e-4, 0.5, 0.05,
        ];
        let force = Force.eval(&x).unwrap();
        let square = v[0] * v[0] + v[1] * v[1] + 1e-8f64;
        let (sigma, mu) = (square.sqrt(), 0.3 + 0.2 / (1.0 + square / 0.0025));
        let s = (sigma / 1e-2).min(1.0);
        for i in 0..2 {
            let friction = -mu * s * (2.0 - s) * force[2] * v[i] / sigma;
            assert!((force[i] - friction).abs() < 1e-12 * force[2]);
        }
        let check = check_jacobian(&JacobianChecker::default(), &Force, &x).unwrap();
        check.assert_agrees();
        // Second derivatives with respect to all pairs, against differences of first ones.
        let first = |x: &[f64], k: usize| {
            let mut dual: Vec<Dual64> = x.iter().map(|&x| x.into()).collect();
            dual[k] = dual[k].derivative();
            Force.eval(&dual).unwrap().map(|f| f.eps)
        };
        for k in 0..x.len() {
            for l in 0..x.len() {
                let mut hyper: Vec<HyperDual64> = x.iter().map(|&x| x.into()).collect();
                hyper[k].eps1 = 1.0;
                hyper[l].eps2 = 1.0;
                let second = Force.eval(&hyper).unwrap().map(|f| f.eps1eps2);
                // Steps that are small beside what the law changes over.
                let h = 1e-4
                    * [
                        1e-4, 1e-4, 1e-1, 2e-3, 1e4, 0.5, 0.3, 1e-3, 1e-2, 1e-4, 0.5, 0.05,
                    ][l];
                let (mut above, mut below) = (x, x);
                (above[l], below[l]) = (x[l] + h, x[l] - h);
                let difference = (first(&above, k) - first(&below, k)) / (2.0 * h);
                let scale = first(&x, k).amax() / h * 1e-9 + 1e-5 * second.amax() + 1e-7;
                assert!(
                    (&second - &difference).amax() < scale,
                    "{v:?} {k} {l}: {second} {difference}"
                );
            }
        }
    }
}

#[test]
fn what_surfaces_combine_to_is_finite() {
    for bad in [1e101, 1e300, -1.0, f64::NAN, f64::INFINITY] {
        assert!(ContactMaterial::new(1e4, 0.1, bad).is_err(), "{bad}");
        assert!(ContactMaterial::new(1e4, bad, 0.5).is_err(), "{bad}");
        assert!(ContactMaterial::new(bad, 0.1, 0.5).is_err(), "{bad}");
        assert!(ContactMaterial::rigid(bad).is_err(), "{bad}");
        let fine = ContactMaterial::rigid(0.5).unwrap();
        assert!(fine.with_static_friction(bad, 0.1).is_err(), "{bad}");
    }
    let largest = (ContactMaterial::<f64>::new(1e100, 1e100, 1e100))
        .and_then(|material| material.with_static_friction(1e100, 0.1))
        .unwrap();
    for rule in [
        FrictionRule::HarmonicMean,
        FrictionRule::ArithmeticMean,
        FrictionRule::GeometricMean,
        FrictionRule::Minimum,
        FrictionRule::Maximum,
        FrictionRule::Product,
    ] {
        let pair = largest.combined_by(&largest, rule);
        let numbers = [pair.stiffness, pair.dissipation, pair.friction];
        assert!(numbers.iter().all(|x| x.is_finite()), "{rule:?}: {pair:?}");
        assert!(pair.static_friction().is_finite() && !pair.is_rigid());
    }
}

#[test]
fn surfaces_combine_by_the_rule_of_the_model() {
    let one = ContactMaterial::<f64>::new(1e4, 0.1, 0.2).unwrap();
    let two = ContactMaterial::<f64>::new(1e4, 0.1, 0.8).unwrap();
    let sticky = two.with_static_friction(1.2, 0.1).unwrap();
    for (rule, expected) in [
        (FrictionRule::HarmonicMean, 0.32),
        (FrictionRule::ArithmeticMean, 0.5),
        (FrictionRule::GeometricMean, 0.4),
        (FrictionRule::Minimum, 0.2),
        (FrictionRule::Maximum, 0.8),
        (FrictionRule::Product, 0.16),
    ] {
        for (a, b) in [(one, two), (two, one)] {
            let pair = a.combined_by(&b, rule);
            assert!((pair.friction - expected).abs() < 1e-15, "{rule:?}");
            assert_eq!((pair.stribeck, pair.stiffness), (None, 5e3));
        }
        // Surfaces with one coefficient have it at rest, too.
        let pair = sticky.combined_by(&one, rule);
        assert!((pair.friction - expected).abs() < 1e-15, "{rule:?}");
        assert_eq!(pair.static_friction(), rule.combine(1.2, 0.2));
        assert_eq!(pair.stribeck.unwrap().velocity, 0.1);
        let slower = one.with_static_friction(0.3, 0.3).unwrap();
        let pair = sticky.combined_by(&slower, rule);
        assert_eq!(pair.static_friction(), rule.combine(1.2, 0.3));
        assert_eq!(pair.stribeck.unwrap().velocity, 0.2);
        // Ice is ice, with every rule and derivative.
        let ice = rule.combine(Dual64::from(0.0).derivative(), Dual64::from(0.0));
        assert!(ice.re == 0.0 && ice.eps.is_finite(), "{rule:?}");
    }
    assert_eq!(
        one.combined(&two),
        one.combined_by(&two, FrictionRule::default())
    );
    let stone = ContactMaterial::rigid(0.8).unwrap();
    let pair = one.combined_by(&stone, FrictionRule::Maximum);
    assert_eq!((pair.stiffness, pair.friction), (1e4, 0.8));
}

#[test]
fn static_friction_that_makes_no_sense_is_refused() {
    let material = ContactMaterial::new(1e4, 0.1, 0.3).unwrap();
    for (mu, velocity, words) in [
        (-0.1, 0.1, "static friction"),
        (f64::NAN, 0.1, "static friction"),
        (0.5, 0.0, "Stribeck velocity"),
        (0.5, -0.1, "Stribeck velocity"),
        (0.5, f64::INFINITY, "Stribeck velocity"),
    ] {
        let error = material.with_static_friction(mu, velocity).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
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
            let e = material.restitution_at(speed).unwrap();
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
            let back: f64 = back.restitution_at(speed).unwrap();
            assert!((back - e).abs() < 1e-14, "{e} {speed}: {d} {back}");
        }
    }
    // Without dissipation or speed nothing is lost; to first order ⅔ d u is.
    let ideal = ContactMaterial::new(1e4, 0.0, 0.0).unwrap();
    assert_eq!(ideal.restitution_at(3.0).unwrap(), 1.0);
    let soft = ContactMaterial::<f64>::new(1e4, 1.0, 0.0).unwrap();
    assert_eq!(soft.restitution_at(0.0).unwrap(), 1.0);
    assert!((soft.restitution_at(1e-5).unwrap() - (1.0 - 2e-5 / 3.0)).abs() < 1e-10);
    // The series and the solution meet.
    let [below, above] = [1e-3 - 1e-12, 1e-3 + 1e-12].map(|u| soft.restitution_at(u).unwrap());
    assert!((above - below + 2e-12 * 2.0 / 3.0).abs() < 1e-14);
}

struct Restitution;

impl VectorFunction for Restitution {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let e = ContactMaterial::new(T::from(1e4), x[0], T::zero())?.restitution_at(x[1])?;
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
        assert!(material.restitution_at(speed).is_err());
    }
}
