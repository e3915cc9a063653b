//! Dense output: the solution between the ends of a step.

use crate::Scalar;

/// The solution within a step of an [`AdaptiveIntegrator`](super::AdaptiveIntegrator).
///
/// Of [`DormandPrince`](super::DormandPrince) it is the polynomial of order 4 of Hairer, Nørsett & Wanner 1993,
/// *Solving Ordinary Differential Equations I*, §II.6 (their code `DOPRI5`), which has the values and slopes of the
/// solution at both ends; of [`AdaptiveRadau`](super::AdaptiveRadau) that of collocation, of order 3.
#[derive(Debug, Clone)]
pub struct DenseOutput<T> {
    pub(super) start: f64,
    /// Length of the step that the polynomial belongs to.
    pub(super) step: f64,
    /// Where the solution stops being valid, because an event happened.
    pub(super) end: f64,
    pub(super) coefficients: [Vec<T>; 5],
}

impl<T: Scalar> DenseOutput<T> {
    pub(super) fn new() -> Self {
        DenseOutput {
            start: 0.0,
            step: 0.0,
            end: 0.0,
            coefficients: Default::default(),
        }
    }

    /// Time at the start of the step, in seconds.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Time at the end of the step, in seconds.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// Writes the state at the time `t` (seconds), which should lie within the step; times outside
    /// extrapolate the polynomial. Derivatives by `t` are those of the polynomial.
    ///
    /// Quaternions are of unit length up to the error of the interpolation. Entries beyond the size
    /// of the state are left as they are.
    pub fn state(&self, t: impl Into<T>, x: &mut [T]) {
        let theta = if self.step == 0.0 {
            T::zero()
        } else {
            (t.into() - self.start) / self.step
        };
        let rest = -theta + 1.0;
        let [c0, c1, c2, c3, c4] = &self.coefficients;
        for (i, x) in x.iter_mut().enumerate().take(c0.len()) {
            *x = c0[i] + (c1[i] + (c2[i] + (c3[i] + c4[i] * rest) * theta) * rest) * theta;
        }
    }
}
