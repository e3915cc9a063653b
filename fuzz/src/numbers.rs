//! Numbers of every kind from the bytes of a fuzzer.

use arbitrary::{Result, Unstructured};

/// Half of them of a size that gets further than any bits do.
pub fn number(bytes: &mut Unstructured) -> Result<f64> {
    Ok(match bytes.arbitrary::<u8>()? {
        kind if kind < 160 => f64::from(bytes.arbitrary::<i16>()?) / 16384.0,
        kind if kind < 200 => 10f64.powi(i32::from(bytes.arbitrary::<i8>()?) * 3),
        kind if kind < 220 => 0.0,
        _ => bytes.arbitrary()?,
    })
}

/// So many of them.
pub fn numbers(count: usize, bytes: &mut Unstructured) -> Result<Vec<f64>> {
    (0..count).map(|_| number(bytes)).collect()
}
