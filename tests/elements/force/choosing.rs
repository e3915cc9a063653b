//! Choosing constants of bushings: published tables, exact roots, joint types.

use crate::support::arbitrary_number::number;
use crate::support::cases::cases;
use dualbody::force::bushing::BushingConstants;
use dualbody::force::bushing::choosing::*;
use nalgebra::{Vector2, Vector3};
use num_dual::{Dual3_64, Dual64};
use proptest::prelude::*;

#[test]
fn critical_damping_settles_as_tabulated() {
    for (ratio, angle) in [(0.01, 6.64), (0.02, 5.83), (0.05, 4.74), (0.10, 3.89)] {
        let natural_frequency: f64 = critically_damped_natural_frequency(2.0, ratio).unwrap();
        assert!((natural_frequency * 2.0 - angle).abs() < 0.005);
        let x = natural_frequency * 2.0;
        assert!(((1.0 + x) * (-x).exp() / ratio - 1.0).abs() < 1e-13);
    }
}

/// Errors of the approximation in percent, by settling ratio and damping ratio.
#[test]
fn the_overdamped_approximation_errs_as_tabulated() {
    let ratios = [0.01, 0.02, 0.05, 0.10];
    let dampings = [1.01, 1.1, 1.2, 1.3, 1.5];
    let table = [
        [1.98, 0.005, 2.9e-5, 1.6e-7, 2.4e-12],
        [2.91, 0.016, 1.8e-4, 2.1e-6, 1.6e-10],
        [5.10, 0.076, 2.3e-3, 7.0e-5, 4.4e-8],
        [8.28, 0.258, 1.6e-2, 1.0e-3, 3.3e-6],
    ];
    for (ratio, row) in ratios.into_iter().zip(table) {
        for (damping, expected) in dampings.into_iter().zip(row) {
            let exact: f64 = overdamped_natural_frequency(damping, 3.0, ratio).unwrap();
            let approximate: f64 =
                overdamped_natural_frequency_approximate(damping, 3.0, ratio).unwrap();
            let percent = 100.0 * (approximate / exact - 1.0);
            // Two digits are tabulated; the smallest errors are near the round-off of f64.
            let allowed = 0.06 * expected + 2e-13;
            assert!(
                (percent - expected).abs() < allowed,
                "{ratio} {damping}: {percent:e}"
            );
            // The exact root is one.
            let x = exact * 3.0;
            let sz = (damping * damping - 1.0).sqrt();
            let (s1, s2) = (damping - sz, damping + sz);
            let response = (s2 * (-s1 * x).exp() - s1 * (-s2 * x).exp()) / (s2 - s1);
            assert!((response / ratio - 1.0).abs() < 1e-12);
        }
    }
    // Toward ζ = 1 the exact root is that of critical damping.
    let critical: f64 = critically_damped_natural_frequency(1.0, 0.05).unwrap();
    let nearly: f64 = overdamped_natural_frequency(1.0 + 1e-9, 1.0, 0.05).unwrap();
    assert!((nearly / critical - 1.0).abs() < 1e-8);
    for damping in [1.0 + 1e-15, 10.0, 1e6, 1e100] {
        let x: f64 = overdamped_natural_frequency(damping, 1.0, 0.5).unwrap();
        assert!(x.is_finite() && x > 0.0);
    }
}

#[test]
fn underdamped_vibrations_stay_within_their_envelope() {
    for (ratio, angle) in [(0.01, 4.6), (0.05, 3.0)] {
        let usual: f64 = underdamped_natural_frequency(0.5, 2.0, ratio).unwrap();
        assert!((usual * 0.5 * 2.0 - angle).abs() < 0.01);
        let wn: f64 = underdamped_natural_frequency_of_envelope(0.5, 2.0, ratio).unwrap();
        let wd = wn * 0.75f64.sqrt();
        for i in 0..1000 {
            let t = 2.0 + 0.01 * i as f64;
            let phase = wd * t;
            let x = (-0.5 * wn * t).exp() * (phase.cos() + 0.5 * wn / wd * phase.sin());
            assert!(x.abs() <= ratio * (1.0 + 1e-12));
        }
    }
}

/// The vibration from 1 at rest, in the dimensionless time ωₙ t.
fn vibration(zeta: f64, angle: f64) -> f64 {
    let s = ((1.0 - zeta) * (1.0 + zeta)).sqrt();
    let (sin, cos) = (s * angle).sin_cos();
    (-zeta * angle).exp() * (cos + zeta / s * sin)
}

#[test]
fn underdamped_vibrations_settle_exactly() {
    for zeta in [1e-3, 0.05, 0.2, 0.5, 0.7, 0.9, 0.99, 0.9999] {
        for ratio in [1e-9, 1e-3, 0.02, 0.05, 0.3, 0.9, 0.999] {
            let wn: f64 = underdamped_natural_frequency_exact(zeta, 2.0, ratio).unwrap();
            let angle = 2.0 * wn;
            let here = vibration(zeta, angle).abs();
            assert!((here / ratio - 1.0).abs() < 1e-6, "{zeta} {ratio}: {here}");
            // It leaves the band for the last time there.
            assert!(vibration(zeta, angle - 1e-5 * angle.min(1.0)).abs() > ratio);
            for i in 1..2000 {
                let later = angle + 0.01 * i as f64;
                assert!(vibration(zeta, later).abs() <= ratio, "{zeta} {ratio}: {i}");
            }
            let envelope: f64 =
                underdamped_natural_frequency_of_envelope(zeta, 2.0, ratio).unwrap();
            assert!(wn <= envelope * (1.0 + 1e-12));
        }
    }
    let critical: f64 = critically_damped_natural_frequency(1.0, 0.05).unwrap();
    let nearly: f64 = underdamped_natural_frequency_exact(1.0 - 1e-9, 1.0, 0.05).unwrap();
    assert!((nearly / critical - 1.0).abs() < 1e-6);
    // As the first peak exp(−π ζ/s) begins to reach ε, the time grows by what is left of half a period.
    let peak = |zeta: f64| (-std::f64::consts::PI * zeta / (1.0 - zeta * zeta).sqrt()).exp();
    let zeta = 0.6;
    let below: f64 =
        underdamped_natural_frequency_exact(zeta, 1.0, peak(zeta) * (1.0 + 1e-9)).unwrap();
    let above: f64 =
        underdamped_natural_frequency_exact(zeta, 1.0, peak(zeta) * (1.0 - 1e-9)).unwrap();
    assert!((above * 0.8 - std::f64::consts::PI).abs() < 1e-3 && below < 0.8 * above);
}

#[test]
fn the_exact_settling_of_vibrations_carries_derivatives() {
    let difference = |f: &dyn Fn(f64) -> f64, x: f64| (f(x + 1e-6) - f(x - 1e-6)) / 2e-6;
    for (zeta, ratio) in [(0.1, 0.02), (0.45, 0.05), (0.8, 0.01)] {
        let along = |z: f64| {
            let (z, time) = (Dual3_64::from(z).derivative(), Dual3_64::from(1.5));
            underdamped_natural_frequency_exact(z, time, Dual3_64::from(ratio)).unwrap()
        };
        let here = along(zeta);
        for (found, lower) in [
            (here.v1, difference(&|z| along(z).re, zeta)),
            (here.v2, difference(&|z| along(z).v1, zeta)),
            (here.v3, difference(&|z| along(z).v2, zeta)),
        ] {
            assert!((found / lower - 1.0).abs() < 1e-5, "{found} {lower}");
        }
        let r = Dual64::from(ratio).derivative();
        let by_ratio = underdamped_natural_frequency_exact(zeta.into(), 1.5.into(), r).unwrap();
        let f = |r| underdamped_natural_frequency_exact::<f64>(zeta, 1.5, r).unwrap();
        let expected = (f(ratio + 1e-8) - f(ratio - 1e-8)) / 2e-8;
        assert!((by_ratio.eps / expected - 1.0).abs() < 1e-5);
    }
}

#[test]
fn a_measured_decay_gives_back_the_oscillator() {
    let (inertia, stiffness, damping) = (0.3, 40.0, 0.9);
    let wn = f64::sqrt(stiffness / inertia);
    let zeta = damping / (2.0 * f64::sqrt(inertia * stiffness));
    let period = 2.0 * std::f64::consts::PI / (wn * (1.0 - zeta * zeta).sqrt());
    let decay = (-zeta * wn * period).exp();
    let measured: f64 = damping_ratio_from_decay(decay).unwrap();
    assert!((measured / zeta - 1.0).abs() < 1e-12);
    let by_inertia: f64 = damping_from_inertia(measured, inertia, stiffness).unwrap();
    let by_frequency: f64 = damping_from_natural_frequency(measured, stiffness, wn).unwrap();
    assert!((by_inertia / damping - 1.0).abs() < 1e-12);
    assert!((by_frequency / damping - 1.0).abs() < 1e-12);
    let stiff: f64 = stiffness_from_natural_frequency(inertia, wn).unwrap();
    assert!((stiff / stiffness - 1.0).abs() < 1e-12);
    assert_eq!(stiffness_from_static_test(100.0, 1e-3), Ok(1e5));
    assert_eq!(stiffness_from_maximum_displacement(100.0, 1e-3), Ok(1e5));
}

#[test]
fn roots_carry_derivatives() {
    let difference = |f: &dyn Fn(f64) -> f64, x: f64| (f(x + 1e-6) - f(x - 1e-6)) / 2e-6;
    for ratio in [0.01, 0.3, 0.9] {
        let f = |r| critically_damped_natural_frequency::<f64>(1.5, r).unwrap();
        let dual = critically_damped_natural_frequency(
            Dual64::from(1.5),
            Dual64::from(ratio).derivative(),
        );
        let dual = dual.unwrap();
        assert!((dual.eps / difference(&f, ratio) - 1.0).abs() < 1e-6);
        for zeta in [1.1, 2.0, 7.0] {
            let f = |z| overdamped_natural_frequency::<f64>(z, 1.5, ratio).unwrap();
            let along = |z: f64| {
                let z = Dual3_64::from(z).derivative();
                overdamped_natural_frequency(z, Dual3_64::from(1.5), Dual3_64::from(ratio))
            };
            let here = along(zeta).unwrap();
            assert!((here.v1 / difference(&f, zeta) - 1.0).abs() < 1e-5);
            let second = difference(&|z| along(z).unwrap().v1, zeta);
            let third = difference(&|z| along(z).unwrap().v2, zeta);
            assert!((here.v2 / second - 1.0).abs() < 1e-4);
            assert!((here.v3 / third - 1.0).abs() < 1e-4);
        }
    }
}

/// One function for all damping ratios is the three of its parts, and goes smoothly from one to the next.
#[test]
fn settling_is_one_function_of_the_damping_ratio() {
    let (time, ratio) = (2.0, 0.05);
    let of = |zeta: f64| natural_frequency_from_settling_time(zeta, time, ratio).unwrap();
    for (zeta, expected) in [
        (0.3, underdamped_natural_frequency_exact(0.3, time, ratio)),
        (1.0, critically_damped_natural_frequency(time, ratio)),
        (3.0, overdamped_natural_frequency(3.0, time, ratio)),
        (1.004, overdamped_natural_frequency(1.004, time, ratio)),
        (
            0.996,
            underdamped_natural_frequency_exact(0.996, time, ratio),
        ),
    ] {
        let found = of(zeta);
        assert!((found / expected.unwrap() - 1.0).abs() < 1e-13, "{zeta}");
    }
    for zeta in [1.0, 0.9999, 1.0001, 1.003, 0.98, 1.2] {
        let dual = Dual3_64::from(zeta).derivative();
        let found = natural_frequency_from_settling_time(dual, time.into(), ratio.into()).unwrap();
        let h = 1e-4;
        let first = (of(zeta + h) - of(zeta - h)) / (2.0 * h);
        let second = (of(zeta + h) - 2.0 * of(zeta) + of(zeta - h)) / (h * h);
        assert!(
            (found.v1 - first).abs() < 1e-6 * first.abs().max(1.0),
            "{zeta}"
        );
        assert!(
            (found.v2 - second).abs() < 1e-3 * second.abs().max(1.0),
            "{zeta}"
        );
    }
}

/// Constants that were chosen for an oscillator are those of it.
#[test]
fn constants_give_back_what_they_were_chosen_for() {
    let (inertia, frequency, zeta) = (0.3, 7.0, 1.7);
    let stiffness: f64 = stiffness_from_natural_frequency(inertia, frequency).unwrap();
    let damping = damping_from_inertia(zeta, inertia, stiffness).unwrap();
    let of = natural_frequency_of(inertia, stiffness).unwrap();
    assert!((of / frequency - 1.0).abs() < 1e-15);
    let of = damping_ratio_of(inertia, stiffness, damping).unwrap();
    assert!((of / zeta - 1.0).abs() < 1e-15);
    assert!(damping_ratio_of(0.0, stiffness, damping).is_err());
    assert!(natural_frequency_of(inertia, -1.0).is_err());
}

#[test]
fn joint_types_leave_their_freedom() {
    let (k, d) = (Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3));
    let (k2, d2) = (Vector2::new(7.0, 8.0), Vector2::new(0.7, 0.8));
    let revolute = BushingConstants::revolute(k2, d2, 0.01, k, d).unwrap();
    assert_eq!(revolute.torque_stiffness, Vector3::new(7.0, 8.0, 0.0));
    assert_eq!(revolute.torque_damping, Vector3::new(0.7, 0.8, 0.01));
    assert_eq!((revolute.force_stiffness, revolute.force_damping), (k, d));
    let prismatic = BushingConstants::prismatic(k, d, k2, d2, 0.02).unwrap();
    assert_eq!(prismatic.force_stiffness, Vector3::new(0.0, 7.0, 8.0));
    assert_eq!(prismatic.force_damping, Vector3::new(0.02, 0.7, 0.8));
    assert_eq!(
        (prismatic.torque_stiffness, prismatic.torque_damping),
        (k, d)
    );
    let ball = BushingConstants::ball(d, k, d).unwrap();
    assert_eq!(
        (ball.torque_stiffness, ball.torque_damping),
        (Vector3::zeros(), d)
    );
    let weld = BushingConstants::weld(k, d, k * 2.0, d * 2.0).unwrap();
    assert_eq!(
        (weld.force_stiffness, weld.force_damping),
        (k * 2.0, d * 2.0)
    );
    assert!(BushingConstants::weld(k, -d, k, d).is_err());
    assert!(BushingConstants::revolute(k2, d2, -0.01, k, d).is_err());
}

#[test]
fn values_out_of_range_are_named() {
    let named = |result: Result<f64, dualbody::InvalidInput>, quantity: &str| {
        let text = result.unwrap_err().to_string();
        assert!(text.contains(quantity), "{text}");
    };
    named(stiffness_from_static_test(1.0, 0.0), "displacement");
    named(stiffness_from_static_test(-1.0, 1.0), "load");
    named(stiffness_from_natural_frequency(0.0, 1.0), "inertia");
    named(damping_from_inertia(1.0, 1.0, f64::NAN), "stiffness");
    named(stiffness_from_static_test(1e300, 1e-300), "stiffness");
    named(stiffness_from_natural_frequency(1.0, 1e200), "stiffness");
    named(damping_from_inertia(1e300, 1e300, 1e300), "damping");
    named(
        critically_damped_natural_frequency(1e-309, 0.1),
        "natural frequency",
    );
    // The product of inertia and stiffness would overflow, its root does not.
    assert_eq!(damping_from_inertia(0.5, 1e200, 1e200), Ok(1e200));
    named(
        damping_from_natural_frequency(1.0, 1.0, 0.0),
        "natural frequency",
    );
    named(damping_ratio_from_decay(1.0), "decay ratio");
    named(
        underdamped_natural_frequency(1.0, 1.0, 0.1),
        "damping ratio",
    );
    named(
        underdamped_natural_frequency_exact(1.0, 1.0, 0.1),
        "damping ratio",
    );
    named(
        underdamped_natural_frequency_exact(1e-320, 1.0, 0.1),
        "phase of the last peak",
    );
    named(
        critically_damped_natural_frequency(1.0, 0.0),
        "settling ratio",
    );
    named(
        critically_damped_natural_frequency(-1.0, 0.1),
        "settling time",
    );
    named(overdamped_natural_frequency(1.0, 1.0, 0.1), "damping ratio");
    named(
        overdamped_natural_frequency(f64::INFINITY, 1.0, 0.1),
        "damping ratio",
    );
}

proptest! {
    #![proptest_config(cases(1000))]

    #[test]
    fn any_numbers_are_refused_or_give_positive_constants(
        x in prop::collection::vec(number(3, 2), 3),
        y in prop::collection::vec(0.01..2.0f64, 3),
        mixed in 0usize..4,
    ) {
        // All, or one, of any size.
        let [a, b, c]: [f64; 3] = std::array::from_fn(|i| if mixed == 3 || mixed == i { x[i] } else { y[i] });
        let lift = |x| Dual64::new(x, 1.0);
        let (p, q, r) = (lift(a), lift(b), lift(c));
        let results = [
            ("static test", stiffness_from_static_test(p, q)),
            ("maximum displacement", stiffness_from_maximum_displacement(p, q)),
            ("stiffness", stiffness_from_natural_frequency(p, q)),
            ("damping from frequency", damping_from_natural_frequency(p, q, r)),
            ("damping from inertia", damping_from_inertia(p, q, r)),
            ("decay", damping_ratio_from_decay(p)),
            ("critical", critically_damped_natural_frequency(p, q)),
            ("overdamped", overdamped_natural_frequency(p, q, r)),
            ("about overdamped", overdamped_natural_frequency_approximate(p, q, r)),
            ("underdamped", underdamped_natural_frequency(p, q, r)),
            ("exactly underdamped", underdamped_natural_frequency_exact(p, q, r)),
            ("envelope", underdamped_natural_frequency_of_envelope(p, q, r)),
        ];
        for (name, result) in results {
            if let Ok(x) = result {
                prop_assert!(x.re >= 0.0 && x.re.is_finite(), "{name} of {a:e}, {b:e}, {c:e}: {x}");
                let is_moderate = [a, b, c].iter().all(|x| (1e-50..1e50).contains(x));
                prop_assert!(!is_moderate || x.eps.is_finite(), "{name} of {a:e}, {b:e}, {c:e}: {x}");
            }
        }
    }
}
