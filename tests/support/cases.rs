//! How many cases random tests draw, from a fixed seed.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The first of two numbers, as one waits for; the second with `DUALBODY_THOROUGH` in the environment.
pub fn tier<N>(everyday: N, thorough: N) -> N {
    match std::env::var_os("DUALBODY_THOROUGH") {
        Some(_) => thorough,
        None => everyday,
    }
}

/// The number of cases of a property: all of them in the thorough tier; else a tenth, but 24 if there are so many.
pub fn count(thorough: u32) -> u32 {
    tier(thorough.min((thorough / 10).max(24)), thorough)
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
