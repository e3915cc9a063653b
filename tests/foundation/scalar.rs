//! Every trap of dual numbers is closed, for every scalar type and order: the value is that of
//! `f64` bit for bit, the derivatives are finite and right.

use crate::for_every_scalar;
use crate::support::probe::{Probe, assert_parts};
use dualbody::autodiff::{ChunkDual, Derivatives, compare_derivatives, gradient_of, jacobian_of};
use dualbody::{InvalidInput, Scalar};
use nalgebra::DVector;
use num_dual::{
    Dual2_64, Dual2SVec64, Dual3_64, Dual64, DualNum, DualSVec64, HyperDual64, HyperDualSVec64,
    HyperHyperDual64,
};

/// x = 0.7 + 2t, so that slopes of 1 do not hide a missing factor.
fn at<T: Probe>(x: f64) -> T {
    T::along(x, 2.0)
}

/// Derivatives along t from derivatives in x.
fn scaled(d: [f64; 3]) -> [f64; 3] {
    [2.0 * d[0], 4.0 * d[1], 8.0 * d[2]]
}

#[test]
fn lift_applies_any_function() {
    fn check<T: Probe>() {
        for x in [-2.0, 0.0, 0.7] {
            let e = f64::exp(x);
            assert_parts(at::<T>(x).lift([e; 4]), e, scaled([e; 3]));
            let f = at::<T>(x).lift([-0.0, 1.0, -2.0, 3.0]);
            assert_parts(f, -0.0, scaled([1.0, -2.0, 3.0]));
        }
    }
    for_every_scalar!(check);
}

#[test]
fn with_real_keeps_the_bits_and_the_derivatives() {
    fn check<T: Probe>() {
        for re in [-0.0, 0.0, 1.0 / 3.0, 1e300, f64::MIN_POSITIVE] {
            let x = at::<T>(0.1) * at::<T>(0.1);
            assert_parts(x.with_real(re), re, [0.4, 8.0, 0.0]);
            assert_parts(x.infinitesimal(), 0.0, [0.4, 8.0, 0.0]);
        }
    }
    for_every_scalar!(check);
}

#[test]
fn tanh_saturates_instead_of_overflowing() {
    fn check<T: Probe>() {
        for x in [-800.0, 800.0, 1e300] {
            assert_parts(at::<T>(x).tanh_lifted(), x.tanh(), [0.0; 3]);
        }
        let t = f64::tanh(0.7);
        let s = 1.0 - t * t;
        let expected = [s, -2.0 * t * s, (6.0 * t * t - 2.0) * s];
        assert_parts(at::<T>(0.7).tanh_lifted(), t, scaled(expected));
    }
    for_every_scalar!(check);
}

#[test]
fn powers_are_finite_at_zero() {
    fn check<T: Probe>() {
        // x^1.5: the second derivative is infinite at 0 and is dropped, as documented.
        assert_parts(at::<T>(0.0).powf_lifted(1.5), 0.0, [0.0; 3]);
        assert_parts(at::<T>(0.0).powf_lifted(0.5), 0.0, [0.0; 3]);
        assert_parts(at::<T>(0.0).powf_lifted(1.0), 0.0, scaled([1.0, 0.0, 0.0]));
        assert_parts(at::<T>(0.0).powf_lifted(2.0), 0.0, scaled([0.0, 2.0, 0.0]));
        assert_parts(at::<T>(0.0).powf_lifted(3.0), 0.0, scaled([0.0, 0.0, 6.0]));
        assert_parts(at::<T>(0.0).powf_lifted(0.0), 1.0, [0.0; 3]);
        let x = 0.7f64;
        let expected = [
            1.5 * x.powf(0.5),
            0.75 * x.powf(-0.5),
            -0.375 * x.powf(-1.5),
        ];
        assert_parts(at::<T>(x).powf_lifted(1.5), x.powf(1.5), scaled(expected));
        let expected = [-2.0 / x.powi(3), 6.0 / x.powi(4), -24.0 / x.powi(5)];
        assert_parts(at::<T>(x).powf_lifted(-2.0), x.powf(-2.0), scaled(expected));
    }
    for_every_scalar!(check);
}

#[test]
fn division_is_that_of_f64() {
    fn check<T: Probe>() {
        let c = T::from(49.0);
        assert_parts(c.div_lifted(c), 1.0, [0.0; 3]);
        for (a, b) in [(49f64, 49f64), (1.0, 3.0), (0.0, 7.0), (-5.0, 0.3)] {
            // d/dt of (a + 2t)/(b + 2t): with g = 2(b − a), g/b², −4g/b³, 24g/b⁴.
            let g = 2.0 * (b - a);
            let expected = [g / (b * b), -4.0 * g / b.powi(3), 24.0 * g / b.powi(4)];
            assert_parts(at::<T>(a).div_lifted(at::<T>(b)), a / b, expected);
        }
    }
    for_every_scalar!(check);
}

#[test]
fn atan2_is_smooth_on_the_axes() {
    fn check<T: Probe>() {
        let c = |x: f64| T::from(x);
        // ∂/∂y atan2(y, x) = x/r², and the two higher derivatives of atan(y/x).
        for x in [3f64, -3.0] {
            let expected = [1.0 / x, 0.0, -2.0 / x.powi(3)];
            assert_parts(
                at::<T>(0.0).atan2_lifted(c(x)),
                0f64.atan2(x),
                scaled(expected),
            );
        }
        // On the y axis, ∂/∂x atan2(y, x) = −y/r².
        for y in [1f64, -4.0] {
            let expected = [-1.0 / y, 0.0, 2.0 / y.powi(3)];
            assert_parts(
                c(y).atan2_lifted(at::<T>(0.0)),
                y.atan2(0.0),
                scaled(expected),
            );
        }
        assert_parts(at::<T>(0.0).atan2_lifted(at::<T>(0.0)), 0.0, [0.0; 3]);
        assert_parts(
            (-at::<T>(0.0)).atan2_lifted(c(-1.0)),
            (-0.0f64).atan2(-1.0),
            [2.0, 0.0, -16.0],
        );
        // Along a circle the angle is the parameter.
        let (sin, cos) = at::<T>(2.5).sin_cos();
        let angle = sin.atan2_lifted(cos);
        assert_parts(angle, f64::sin(2.5).atan2(f64::cos(2.5)), [2.0, 0.0, 0.0]);
    }
    for_every_scalar!(check);
}

#[test]
fn roots_and_norms_are_finite_at_zero() {
    fn check<T: Probe>() {
        assert_parts(at::<T>(0.0).sqrt_lifted(), 0.0, [0.0; 3]);
        assert_parts(
            T::norm_lifted(&[at::<T>(0.0), -at::<T>(0.0)]),
            0.0,
            [0.0; 3],
        );
        assert_parts(T::norm_lifted(&[]), 0.0, [0.0; 3]);
        let x = 0.7f64;
        let s = x.sqrt();
        let expected = [0.5 / s, -0.25 / (s * x), 0.375 / (s * x * x)];
        assert_parts(at::<T>(x).sqrt_lifted(), s, scaled(expected));
        // ‖(3t', 4t')‖ = 5 t' is linear in t' = 0.7 + 2t.
        let norm = T::norm_lifted(&[at::<T>(x) * 3.0, at::<T>(x) * 4.0]);
        assert!((norm.re() - 3.5).abs() < 1e-15);
        assert_parts(norm.with_real(3.5), 3.5, [10.0, 0.0, 0.0]);
        // √(x² + ε²) at x = 0: 0, 1/ε, 0.
        let soft = T::soft_norm(&[at::<T>(0.0), T::from(0.0)], T::from(0.5));
        assert_parts(soft, 0.5, scaled([0.0, 2.0, 0.0]));
    }
    for_every_scalar!(check);
}

#[test]
fn max_and_min_ignore_nan_and_take_the_mean_at_ties() {
    fn check<T: Probe>() {
        let (nan, one) = (T::from(f64::NAN), at::<T>(1.0));
        let slope = [2.0, 0.0, 0.0];
        for x in [nan.max_lifted(one), one.max_lifted(nan)] {
            assert_parts(x, 1.0, slope);
        }
        for x in [nan.min_lifted(one), one.min_lifted(nan)] {
            assert_parts(x, 1.0, slope);
        }
        assert_parts(one.max_lifted(T::from(0.0)), 1.0, slope);
        assert_parts(T::from(2.0).min_lifted(one), 1.0, slope);
        assert_parts(one.max_lifted(T::from(1.0)), 1.0, [1.0, 0.0, 0.0]);
        assert_parts(one.min_lifted(T::from(1.0)), 1.0, [1.0, 0.0, 0.0]);
    }
    for_every_scalar!(check);
}

#[test]
fn clamp_and_abs_take_the_mean_at_kinks() {
    fn check<T: Probe>() {
        let clamp = |x: f64| at::<T>(x).clamp_lifted(T::from(-1.0), T::from(2.0));
        assert_parts(clamp(-3.0), -1.0, [0.0; 3]);
        assert_parts(clamp(-1.0), -1.0, [1.0, 0.0, 0.0]);
        assert_parts(clamp(0.5), 0.5, [2.0, 0.0, 0.0]);
        assert_parts(clamp(2.0), 2.0, [1.0, 0.0, 0.0]);
        assert_parts(clamp(9.0), 2.0, [0.0; 3]);
        assert_parts(at::<T>(-0.0).abs_lifted(), 0.0, [0.0; 3]);
        assert_parts(at::<T>(0.0).abs_lifted(), 0.0, [0.0; 3]);
        assert_parts(at::<T>(-3.0).abs_lifted(), 3.0, [-2.0, 0.0, 0.0]);
        assert_parts(at::<T>(3.0).abs_lifted(), 3.0, [2.0, 0.0, 0.0]);
    }
    for_every_scalar!(check);
}

#[test]
fn rounding_does_not_panic() {
    fn check<T: Probe>() {
        for x in [-1.5, -0.2, 0.0, 2.0, 2.5] {
            assert_parts(at::<T>(x).floor_lifted(), x.floor(), [0.0; 3]);
            assert_parts(at::<T>(x).round_lifted(), x.round(), [0.0; 3]);
            let remainder = at::<T>(x).rem_lifted(T::from(0.7));
            assert_parts(remainder, x % 0.7, [2.0, 0.0, 0.0]);
        }
        // The quotient 7.5/2 truncates to 3, so ∂(a mod b)/∂b = −3.
        let remainder = T::from(7.5).rem_lifted(at::<T>(2.0));
        assert_parts(remainder, 1.5, [-6.0, 0.0, 0.0]);
    }
    for_every_scalar!(check);
}

#[test]
fn comparisons_see_real_parts_only() {
    fn check<T: Probe>() {
        assert!(at::<T>(1.0) == T::from(1.0));
        assert!(at::<T>(1.0) < T::from(1.5));
        assert_eq!(at::<T>(1.0).max_lifted(T::from(0.5)).re(), 1.0);
    }
    for_every_scalar!(check);
}

/// Numbers of every size that `f64` has, the smallest of them subnormal.
fn sizes() -> impl Iterator<Item = f64> {
    (-320..=300).map(|exponent| 10f64.powf(f64::from(exponent)))
}

/// Whether a coefficient that is multiplied with derivatives can be held, is dropped, or is too near
/// the border to say.
fn held(coefficient: f64) -> Option<bool> {
    match coefficient.abs() {
        c if c < 1e291 => Some(true),
        c if c > 1e293 => Some(false),
        _ => None,
    }
}

/// Compares derivatives with those expected, or with zero where a coefficient cannot be held.
#[track_caller]
fn assert_held<T: Probe>(actual: T, expected: [f64; 3], coefficients: [f64; 3], context: f64) {
    for (order, a) in actual.derivatives().into_iter().enumerate() {
        let (e, c) = (expected[order], coefficients[order]);
        let right = match held(c) {
            Some(true) => (a - e).abs() <= 1e-12 * e.abs().max(1e-300),
            Some(false) => a == 0.0,
            None => a.is_finite(),
        };
        let name = std::any::type_name::<T>();
        assert!(
            right,
            "order {} at {context:e}: {a:e} instead of {e:e}, {name}",
            order + 1
        );
    }
}

#[test]
fn norms_of_every_size_have_their_derivatives() {
    fn check<T: Probe>() {
        for c in sizes() {
            let (x, d) = ([3.0 * c, -4.0 * c, 12.0 * c], [0.5, 1.0, -0.25]);
            let dual = [0, 1, 2].map(|i| T::along(x[i], d[i]));
            // In units of the largest component, so that nothing overflows.
            let big = 12.0 * c;
            let ratio = x.map(|x| x / big);
            let length = ratio.iter().map(|x| x * x).sum::<f64>().sqrt();
            let u = ratio.map(|x| x / length);
            let n = big * length;
            let t: f64 = (0..3).map(|i| u[i] * d[i]).sum();
            let across: f64 = (0..3).map(|i| (d[i] - t * u[i]).powi(2)).sum();
            let norm = T::norm_lifted(&dual);
            assert!((norm.re() / n - 1.0).abs() < 1e-15 || n < 1e-300, "{c:e}");
            let expected = [t, across / n, -3.0 * across * t / n / n];
            assert_held(norm, expected, [0.0, 1.0 / n, 1.0 / n / n], c);
            // A softening is one more component.
            let soft = T::soft_norm(&dual[..2], dual[2]);
            assert_eq!(soft.re().to_bits(), norm.re().to_bits());
            assert_eq!(soft.derivatives(), norm.derivatives());
        }
    }
    for_every_scalar!(check);
}

#[test]
fn angles_at_every_radius_have_their_derivatives() {
    fn check<T: Probe>() {
        for c in sizes() {
            for (x, y) in [(3.0, 4.0), (-4.0, 3.0), (0.0, -5.0), (5.0, 0.0)] {
                let (x, y) = (x * c, y * c);
                let (dx, dy) = (0.75, 0.5);
                let angle = T::along(y, dy).atan2_lifted(T::along(x, dx));
                assert_eq!(angle.re(), y.atan2(x));
                let big = x.abs().max(y.abs());
                let length = (x / big).hypot(y / big);
                let (cos, sin) = (x / big / length, y / big / length);
                let r = big * length;
                let (t, s) = (dx * cos + dy * sin, dy * cos - dx * sin);
                let expected = [
                    s / r,
                    -2.0 * s * t / r / r,
                    (6.0 * s * t * t - 2.0 * s.powi(3)) / r / r / r,
                ];
                let c1 = 1.0 / r;
                assert_held(angle, expected, [c1, c1 / r, c1 / r / r], c);
            }
        }
    }
    for_every_scalar!(check);
}

#[test]
fn quotients_and_roots_of_every_size_have_their_derivatives() {
    fn check<T: Probe>() {
        for c in sizes() {
            let (a, b, da, db) = (2.0 * c, 5.0 * c, 0.25, 0.5);
            let quotient = T::along(a, da).div_lifted(T::along(b, db));
            let q = a / b;
            assert_eq!(quotient.re(), q);
            let first = (da - q * db) / b;
            let expected = [
                first,
                -2.0 * first * (db / b),
                6.0 * first * (db / b) * (db / b),
            ];
            let c1 = 1.0 / b;
            assert_held(quotient, expected, [c1, c1 / b, c1 / b / b], c);

            let root = T::along(c, 1.0).sqrt_lifted();
            let s = c.sqrt();
            assert_eq!(root.re(), s);
            let expected = [0.5 / s, -0.25 / s / c, 0.375 / s / c / c];
            assert_held(root, expected, expected, c);
            for exponent in [0.5, 1.5, -2.0, 3.0, -0.1] {
                let power = T::along(c, 1.0).powf_lifted(exponent);
                assert_eq!(power.re(), c.powf(exponent));
                let mut coefficient = 1.0;
                let expected = [1, 2, 3].map(|order| {
                    coefficient *= exponent - f64::from(order - 1);
                    coefficient * c.powf(exponent - f64::from(order))
                });
                assert_held(power, expected, expected, c);
            }
        }
    }
    for_every_scalar!(check);
}

/// Drag is v ‖v‖: its derivatives are finite at every speed, whatever those of ‖v‖ are.
#[test]
fn drag_is_finite_at_every_speed() {
    fn check<T: Probe>() {
        for c in sizes().chain([0.0]).filter(|c| *c < 1e150) {
            let v = [T::along(c, 1.0), T::along(-c, 0.5), T::along(0.0, 0.25)];
            let speed = T::norm_lifted(&v);
            for drag in v.map(|v| v * speed) {
                let finite = drag.derivatives().iter().all(|d| d.is_finite());
                assert!(finite && drag.re().is_finite(), "{c:e}: {drag:?}");
            }
        }
    }
    check::<Dual64>();
    check::<DualSVec64<3>>();
    check::<Dual2_64>();
    check::<HyperDual64>();
    check::<Dual3_64>();
}

#[test]
fn powers_with_variable_exponents() {
    fn check<T: Probe>() {
        // x = 1.3 + 2t to the power y = 0.7 − t: with g = y ln x, the derivatives of exp g.
        for (x, y) in [(1.3f64, 0.7f64), (0.4, -2.0), (5.0, 3.0), (1e-3, 0.5)] {
            let power = T::along(x, 2.0).pow_lifted(T::along(y, -1.0));
            let (dx, dy, l) = (2.0, -1.0, x.ln());
            let g1 = dy * l + y * dx / x;
            let g2 = 2.0 * dy * dx / x - y * dx * dx / (x * x);
            let g3 = -3.0 * dy * dx * dx / (x * x) + 2.0 * y * dx.powi(3) / x.powi(3);
            let value = x.powf(y);
            let expected = [
                value * g1,
                value * (g1 * g1 + g2),
                value * (g1.powi(3) + 3.0 * g1 * g2 + g3),
            ];
            assert_parts(power, value, expected);
            // A constant exponent is that of powf.
            let constant = T::along(x, 2.0).pow_lifted(T::from(y));
            let plain = T::along(x, 2.0).powf_lifted(y);
            assert_eq!(constant.re().to_bits(), plain.re().to_bits());
            let derivatives = plain.derivatives().try_into();
            let mut padded = [0.0; 3];
            match derivatives {
                Ok(three) => padded = three,
                Err(fewer) => padded[..fewer.len()].copy_from_slice(&fewer),
            }
            assert_parts(constant, value, padded);
        }
        // At the base 0 the limits from above, and zero for what is infinite.
        let zero = |y: f64| T::along(0.0, 2.0).pow_lifted(T::along(y, -1.0));
        assert_parts(zero(3.5), 0.0, [0.0; 3]);
        assert_parts(zero(2.0), 0.0, [0.0, 8.0, 0.0]);
        assert_parts(zero(1.0), 0.0, [2.0, 0.0, 0.0]);
        assert_parts(zero(0.5), 0.0, [0.0; 3]);
        assert_parts(zero(0.0), 1.0, [0.0; 3]);
        // ∂³/∂x³ x^y = 6 at y = 3.
        assert_parts(zero(3.0), 0.0, [0.0, 0.0, 48.0]);
        // Of a negative base, as if the exponent were constant.
        let negative = T::along(-2.0, 1.0).pow_lifted(T::along(3.0, 5.0));
        assert_parts(negative, -8.0, [12.0, -12.0, 6.0]);
    }
    for_every_scalar!(check);
    let x = Dual3_64::from(0.5).derivative();
    // x^x at ½: x^x (ln x + 1).
    let y = x.pow_lifted(x);
    assert!((y.v1 - 0.5f64.powf(0.5) * (0.5f64.ln() + 1.0)).abs() < 1e-15);
}

#[test]
fn what_is_not_finite_has_the_value_of_f64() {
    fn check<T: Probe>() {
        let inf = f64::INFINITY;
        assert_eq!(at::<T>(1.0).div_lifted(at(0.0)).re(), inf);
        assert!(at::<T>(0.0).div_lifted(at(0.0)).re().is_nan());
        assert_eq!(at::<T>(1.0).div_lifted(T::from(inf)).re(), 0.0);
        assert_eq!(T::norm_lifted(&[T::from(inf), at(1.0)]).re(), inf);
        assert_eq!(at::<T>(1.0).atan2_lifted(T::from(inf)).re(), 0.0);
        assert_eq!(at::<T>(0.0).powf_lifted(-1.0).re(), inf);
        assert_eq!(at::<T>(0.0).pow_lifted(at(-1.0)).re(), inf);
        // What the documentation says of functions that are not lifted.
        assert_eq!(at::<T>(0.0).ln().re(), -inf);
        assert_eq!(at::<T>(1e200).exp().re(), inf);
    }
    for_every_scalar!(check);
}

/// Drivers return neither values nor derivatives that are not finite.
#[test]
fn drivers_refuse_what_is_not_finite() {
    type Function = fn(ChunkDual) -> ChunkDual;
    let functions: [(Function, f64); 6] = [
        (|x| x.ln(), 0.0),
        (|x| x.exp(), 1e200),
        (|x| x.sqrt(), 0.0),
        (|x| x.recip(), 0.0),
        (|x| x.powf(0.5), 0.0),
        (|x| x.ln(), -1.0),
    ];
    for (n, (f, x)) in functions.into_iter().enumerate() {
        let gradient = gradient_of(|x| Ok::<_, InvalidInput>(f(x[0])), &[x]);
        assert!(gradient.is_err(), "{n}: {gradient:?}");
        let values = |x: &[ChunkDual]| Ok::<_, InvalidInput>(DVector::from_element(1, f(x[0])));
        let jacobian = jacobian_of(values, &[x]);
        assert!(jacobian.is_err(), "{n}: {jacobian:?}");
    }
}

#[test]
fn every_part_of_every_scalar_is_compared() {
    fn check<T: Probe + Derivatives>(parts: usize) {
        let x = at::<T>(0.7).sin() * at::<T>(-0.4).exp();
        assert_eq!(x.parts().len(), parts, "{}", std::any::type_name::<T>());
        assert_eq!(x.parts()[0], x.re());
        for d in x.derivatives() {
            assert!(x.parts().contains(&d), "{d} is missing");
        }
        compare_derivatives(&[x, x], &[x, x], 0.0).unwrap();
        if parts > 1 {
            let changed = x + x.infinitesimal() * 1e-6;
            let mismatch = compare_derivatives(&[x, x], &[x, changed], 1e-9).unwrap_err();
            assert!(mismatch.entry == 1 && mismatch.part > 0);
            compare_derivatives(&[x], &[changed], 1e-5).unwrap();
        }
        assert!(compare_derivatives(&[x, x], &[x], 1.0).is_err());
        let infinite = x / 0.0;
        assert!(compare_derivatives(&[x], &[infinite], 1.0).is_err());
        assert!(compare_derivatives(&[infinite * -1.0], &[infinite], 1.0).is_err());
        assert!(compare_derivatives(&[x], &[x * f64::NAN], 1.0).is_err());
    }
    check::<f64>(1);
    check::<Dual64>(2);
    check::<DualSVec64<3>>(4);
    check::<Dual2_64>(3);
    check::<Dual2SVec64<2>>(7);
    check::<HyperDual64>(4);
    check::<HyperDualSVec64<2, 3>>(12);
    check::<Dual3_64>(4);
    check::<HyperHyperDual64>(8);
}
