//! Every trap of dual numbers is closed, for every scalar type and order: the value is that of
//! `f64` bit for bit, the derivatives are finite and right.

mod support;

use support::probe::{Probe, assert_parts};

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
