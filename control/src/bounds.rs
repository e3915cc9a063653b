//! Bounds, and their augmented Lagrangian terms.
//!
//! With the multiplier λ and the penalty ρ of `l ≤ c ≤ h`, the term is that of a residual,
//!
//! ```text
//! ½ ρ d²,      d = z − clamp(z, l, h),      z = c + λ/ρ,      λ ← ρ d
//! ```
//!
//! for equalities, inequalities and both at once (Hestenes 1969; Rockafellar 1973; Bertsekas, *Constrained Optimization and
//! Lagrange Multiplier Methods*, ch. 2 and 3).

use crate::ControlError;
use dualbody::InvalidInput;

/// Lower and upper limits, entry by entry; equal for an equality, infinite for none.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bounds {
    pub lower: Vec<f64>,
    pub upper: Vec<f64>,
}

impl Bounds {
    /// No limits.
    pub fn none(size: usize) -> Self {
        Bounds {
            lower: vec![f64::NEG_INFINITY; size],
            upper: vec![f64::INFINITY; size],
        }
    }

    /// Zero and nothing else.
    pub fn zero(size: usize) -> Self {
        Bounds {
            lower: vec![0.0; size],
            upper: vec![0.0; size],
        }
    }

    /// Limits of what has this name and size.
    ///
    /// # Errors
    /// For other sizes, NaN, and limits that nothing satisfies.
    pub fn new(
        name: &str,
        size: usize,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Result<Self, ControlError> {
        InvalidInput::check_size("lower limits", lower.len(), size)?;
        InvalidInput::check_size("upper limits", upper.len(), size)?;
        InvalidInput::check_range("lower limits", &lower, "a number below ∞", |l| {
            l < f64::INFINITY
        })?;
        InvalidInput::check_range("upper limits", &upper, "a number above −∞", |h| {
            h > f64::NEG_INFINITY
        })?;
        match lower.iter().zip(&upper).position(|(l, h)| l > h) {
            None => Ok(Bounds { lower, upper }),
            Some(index) => Err(ControlError::EmptyBounds {
                name: name.to_owned(),
                index,
                lower: lower[index],
                upper: upper[index],
            }),
        }
    }

    /// Sets the limits of an entry, which has a name.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn set(
        &mut self,
        entry: usize,
        name: &str,
        lower: f64,
        upper: f64,
    ) -> Result<(), ControlError> {
        let one = Bounds::new(name, 1, vec![lower], vec![upper])?;
        (self.lower[entry], self.upper[entry]) = (one.lower[0], one.upper[0]);
        Ok(())
    }

    /// How far a value is outside, with its sign.
    pub fn excess(&self, entry: usize, value: f64) -> f64 {
        value - self.clamp(entry, value)
    }

    /// Brings all entries to the nearest values that are allowed.
    pub fn clamp_all(&self, values: &mut [f64]) {
        for (i, value) in values.iter_mut().enumerate() {
            *value = self.clamp(i, *value);
        }
    }

    /// The nearest value that is allowed; NaN of NaN.
    pub fn clamp(&self, entry: usize, value: f64) -> f64 {
        value.clamp(self.lower[entry], self.upper[entry])
    }
}
