//! The embedded Runge–Kutta pair of Dormand and Prince (RK45), with step-size control.

use super::adaptive::{AdaptiveIntegrator, AdaptiveMethod};
use super::error::IntegrationError;
use super::explicit_runge_kutta::{ExplicitRungeKutta, Tableau};
use super::system::ContinuousSystem;
use crate::{InvalidInput, Scalar};

/// Dormand & Prince 1980, *Journal of Computational and Applied Mathematics* 6(1), 19–26, table 2.
/// The last stage is the first of the next step.
static TABLEAU: Tableau = Tableau {
    coefficients: &[
        &[],
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
        &[
            19372.0 / 6561.0,
            -25360.0 / 2187.0,
            64448.0 / 6561.0,
            -212.0 / 729.0,
        ],
        &[
            9017.0 / 3168.0,
            -355.0 / 33.0,
            46732.0 / 5247.0,
            49.0 / 176.0,
            -5103.0 / 18656.0,
        ],
        WEIGHTS,
    ],
    nodes: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    weights: WEIGHTS,
};

const WEIGHTS: &[f64] = &[
    35.0 / 384.0,
    0.0,
    500.0 / 1113.0,
    125.0 / 192.0,
    -2187.0 / 6784.0,
    11.0 / 84.0,
];

/// Weights of the difference between the results of order 5 and 4.
const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Weights of the last coefficient of the dense output.
const DENSE: [f64; 7] = [
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];

/// The pair of order 5(4) of Dormand and Prince with steps of [adaptive](AdaptiveIntegrator) length.
pub type DormandPrince<T> = AdaptiveIntegrator<T, ExplicitRungeKutta<T>>;

impl<T: Scalar> DormandPrince<T> {
    /// The method with a relative and an absolute tolerance for every entry of the state.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless the relative tolerance is at least 1e-14 and the absolute
    /// one positive and finite.
    pub fn new(relative_tolerance: f64, absolute_tolerance: f64) -> Result<Self, InvalidInput> {
        let method = ExplicitRungeKutta::new(&TABLEAU);
        Self::of(method, relative_tolerance, absolute_tolerance)
    }

    /// Replaces the state `x` at time `start` by that after the given steps (seconds), without step
    /// control.
    ///
    /// With the steps of an integration of the same system in `f64`, whatever tolerances it had, a
    /// run with duals takes them bit for bit, with derivatives by the start.
    ///
    /// # Errors
    /// [`IntegrationError`], when the system cannot be evaluated.
    pub fn replay<S: ContinuousSystem<T>>(
        &mut self,
        system: &mut S,
        start: impl Into<T>,
        steps: &[f64],
        x: &mut [T],
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        InvalidInput::check_finite("steps", steps)?;
        let mut time = start.into();
        for &h in steps {
            (self.method.step(system, time, T::from(h), x))
                .map_err(IntegrationError::at(time.re()))?;
            time += T::from(h);
        }
        Ok(())
    }
}

impl<T: Scalar, S: ContinuousSystem<T>> AdaptiveMethod<T, S> for ExplicitRungeKutta<T>
where
    S::Error: std::error::Error,
{
    const ERROR_ORDER: f64 = 5.0;

    fn begin(&mut self, rate: &[T]) {
        for k in &mut self.k {
            k.resize(rate.len(), T::zero());
        }
        self.k[0].copy_from_slice(rate);
    }

    fn attempt(
        &mut self,
        system: &mut S,
        (time, h): (f64, f64),
        x: &[T],
        next: &mut Vec<T>,
        error: &mut Vec<f64>,
    ) -> Result<bool, IntegrationError<S::Error>> {
        (self.stages(system, T::from(time), T::from(h), x, 1))
            .map_err(IntegrationError::at(time))?;
        next.clone_from(&self.stage);
        error.clear();
        error.extend((0..x.len()).map(|i| {
            let rates = ERROR.iter().zip(&self.k);
            rates.map(|(e, k)| e * k[i].re()).sum::<f64>() * h
        }));
        Ok(true)
    }

    fn complete(
        &mut self,
        _: &mut S,
        (_, h): (f64, f64),
        x: &[T],
        next: &mut [T],
        dense: &mut [Vec<T>; 5],
    ) -> Result<(), IntegrationError<S::Error>> {
        let k = &self.k;
        for c in dense.iter_mut() {
            c.resize(x.len(), T::zero());
        }
        let [c0, c1, c2, c3, c4] = dense;
        for i in 0..x.len() {
            let change = next[i] - x[i];
            let bend = k[0][i] * h - change;
            c0[i] = x[i];
            c1[i] = change;
            c2[i] = bend;
            c3[i] = change - k[6][i] * h - bend;
            c4[i] = (DENSE.iter().zip(k)).fold(T::zero(), |sum, (&d, k)| sum + k[i] * d) * h;
        }
        // The last stage is the first of the next step.
        if let [first, .., last] = self.k.as_mut_slice() {
            std::mem::swap(first, last);
        }
        Ok(())
    }
}
