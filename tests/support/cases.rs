//! How many cases random tests draw, from a fixed seed.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The number of cases of a property: all of them with `DUALBODY_THOROUGH` in the environment; else as many as one waits
/// for: a tenth, but 64 if there are so many.
pub fn count(thorough: u32) -> u32 {
    match std::env::var_os("DUALBODY_THOROUGH") {
        Some(_) => thorough,
        None => thorough.min((thorough / 10).max(64)),
    }
}

/// As many cases of a property.
pub fn cases(thorough: u32) -> ProptestConfig {
    ProptestConfig {
        cases: count(thorough),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    }
}
