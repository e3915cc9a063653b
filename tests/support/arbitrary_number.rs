//! Numbers of every kind.

use proptest::prelude::*;

/// Not finite, subnormal, tiny, huge.
pub const HOSTILE: [f64; 9] = [
    0.0,
    -1.0,
    f64::MIN_POSITIVE / 3.0,
    1e-160,
    1e160,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Any bits, and numbers of a size that gets further; `sensible` and `any` are how many there are of numbers about one
/// and of any bits, for one that is large or small and one of [`HOSTILE`].
pub fn number(sensible: u32, any: u32) -> impl Strategy<Value = f64> {
    prop_oneof![
        sensible => -2.0..2.0f64,
        any => proptest::num::f64::ANY,
        1 => (-320.0..308.0f64).prop_map(|e| 10f64.powf(e)),
        1 => prop::sample::select(&HOSTILE[..]),
    ]
}
