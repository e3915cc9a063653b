//! Numbers of every kind.

use proptest::prelude::*;

/// Any bits, and numbers of a size that gets further; `sensible` and `any` are how many there are of numbers about one
/// and of any bits, for one that is large or small and one at an end of the range.
pub fn number(sensible: u32, any: u32) -> impl Strategy<Value = f64> {
    prop_oneof![
        sensible => -2.0..2.0f64,
        any => proptest::num::f64::ANY,
        1 => (-320.0..308.0f64).prop_map(|e| 10f64.powf(e)),
        1 => prop_oneof![Just(0.0), Just(-0.0), Just(f64::MAX), Just(f64::MIN_POSITIVE / 3.0)],
    ]
}
