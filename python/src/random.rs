//! Random numbers of a kind.

use dualbody::Random;

/// Even between two numbers.
pub fn within(random: &mut Random, lower: f64, upper: f64) -> f64 {
    lower + (upper - lower) * random.uniform()
}

/// An even orientation, w, x, y, z.
pub fn quaternion(random: &mut Random) -> [f64; 4] {
    let entries = [0; 4].map(|_| random.normal());
    let norm = entries.iter().map(|x| x * x).sum::<f64>().sqrt();
    entries.map(|x| x / norm)
}
