//! Random numbers that are the same everywhere.

/// A generator of random numbers, the same for a seed on every machine: SplitMix64 (Steele, Lea & Flood 2014, *Fast
/// splittable pseudorandom number generators*).
///
/// ```
/// use dualbody::Random;
/// let mut random = Random::new(1);
/// let mean = (0..10_000).map(|_| random.normal()).sum::<f64>() / 1e4;
/// assert!(mean.abs() < 0.03 && (0.0..1.0).contains(&random.uniform()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random(u64);

impl Random {
    /// That of a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// Evenly distributed in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^= x >> 31;
        (x >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Normally distributed, of mean 0 and variance 1 (Box & Muller 1958, *Ann. Math. Statist.* 29(2), 610–611).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}
