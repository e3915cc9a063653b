//! Explicit Runge–Kutta methods.

use super::system::ContinuousSystem;
use crate::{InvalidInput, Scalar};

/// Coefficients of an explicit Runge–Kutta method (Hairer, Nørsett & Wanner 1993, *Solving Ordinary
/// Differential Equations I*, §II.1).
#[derive(Debug)]
pub(super) struct Tableau {
    /// Row `i` holds the weights of the stages before stage `i`.
    pub coefficients: &'static [&'static [f64]],
    /// Times of the stages, as fractions of the step.
    pub nodes: &'static [f64],
    /// Weights of the result.
    pub weights: &'static [f64],
}

static EULER: Tableau = Tableau {
    coefficients: &[&[]],
    nodes: &[0.0],
    weights: &[1.0],
};

static CLASSICAL: Tableau = Tableau {
    coefficients: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    nodes: &[0.0, 0.5, 0.5, 1.0],
    weights: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
};

/// An explicit method with steps of a given length:
///
/// ```text
/// kᵢ = f(t + cᵢ h, π(x + h Σ aᵢⱼ kⱼ)),      x ← π(x + h Σ bᵢ kᵢ)
/// ```
///
/// Holds the memory of a step; after the first step of a system nothing is allocated.
#[derive(Debug, Clone)]
pub struct ExplicitRungeKutta<T> {
    tableau: &'static Tableau,
    /// State of the stage that is evaluated.
    pub(super) stage: Vec<T>,
    /// Derivatives of the stages.
    pub(super) k: Vec<Vec<T>>,
}

impl<T: Scalar> ExplicitRungeKutta<T> {
    /// Explicit Euler, of order 1.
    pub fn euler() -> Self {
        Self::new(&EULER)
    }

    /// The classical method of order 4.
    pub fn classical() -> Self {
        Self::new(&CLASSICAL)
    }

    pub(super) fn new(tableau: &'static Tableau) -> Self {
        ExplicitRungeKutta {
            tableau,
            stage: Vec::new(),
            k: vec![Vec::new(); tableau.nodes.len()],
        }
    }

    /// Replaces the state `x` at time `t` by that at `t + h` (seconds).
    ///
    /// `h` may be negative, and may carry derivatives.
    ///
    /// # Errors
    /// [`InvalidInput`] when the size of `x` is not that of the state or an entry of the result is
    /// not finite (`x` is then undefined), and the errors of the system.
    pub fn step<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        t: T,
        h: T,
        x: &mut [T],
    ) -> Result<(), S::Error> {
        InvalidInput::check_size("state", x.len(), system.size())?;
        self.stages(system, t, h, x, 0)?;
        self.combine(self.tableau.weights, h, x);
        system.project(x)?;
        Ok(InvalidInput::check_finite("state", x)?)
    }

    /// Evaluates the stages from number `first` on.
    pub(super) fn stages<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        t: T,
        h: T,
        x: &[T],
        first: usize,
    ) -> Result<(), S::Error> {
        for k in &mut self.k {
            k.resize(x.len(), T::zero());
        }
        for i in first..self.k.len() {
            let mut stage = std::mem::take(&mut self.stage);
            stage.clear();
            stage.extend_from_slice(x);
            self.combine(self.tableau.coefficients[i], h, &mut stage);
            system.project(&mut stage)?;
            let time = t + h * self.tableau.nodes[i];
            let result = system.derivative(time, &stage, &mut self.k[i]);
            self.stage = stage;
            result?;
        }
        Ok(())
    }

    /// `x ← x + h Σ wᵢ kᵢ`.
    fn combine(&self, weights: &[f64], h: T, x: &mut [T]) {
        for (j, x) in x.iter_mut().enumerate() {
            let sum = (weights.iter().zip(&self.k))
                .filter(|(weight, _)| **weight != 0.0)
                .fold(T::zero(), |sum, (&weight, k)| sum + k[j] * weight);
            *x += sum * h;
        }
    }
}
