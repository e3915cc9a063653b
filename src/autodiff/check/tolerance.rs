//! Tolerances of the comparison of a Jacobian with differences.

/// `absolute + relative · size`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Tolerance {
    pub relative: f64,
    pub absolute: f64,
}

impl Tolerance {
    /// How far two numbers may be apart.
    pub fn allowed(&self, a: f64, b: f64) -> f64 {
        self.absolute + self.relative * a.abs().max(b.abs())
    }

    /// Whether two numbers are the same, of which one is known up to an error.
    pub fn is_close(&self, a: f64, b: f64, error: f64) -> bool {
        (a - b).abs() <= self.allowed(a, b) + error
    }

    /// Whether a number is zero, as far as it is known up to an error.
    pub fn is_zero(&self, x: f64, error: f64) -> bool {
        x.abs() <= 10.0 * (self.absolute + error)
    }
}
