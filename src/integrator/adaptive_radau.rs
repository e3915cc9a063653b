//! Radau IIA of order 5, with step-size control.

use super::adaptive::{AdaptiveIntegrator, AdaptiveMethod};
use super::error::IntegrationError;
use super::implicit_runge_kutta::ImplicitRungeKutta;
use super::system::StiffSystem;
use crate::math::{Factorization, Lu, reset_matrix};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// √6.
const S6: f64 = 2.449_489_742_783_178;
/// The real eigenvalue of `A⁻¹`: `30/(6 + 81^{1/3} − 9^{1/3})`.
const EIGENVALUE: f64 = 3.637_834_252_744_496;
/// Weights of the increments in the estimate of the error.
const ERROR: [f64; 3] = [
    -(13.0 + 7.0 * S6) / 3.0,
    (-13.0 + 7.0 * S6) / 3.0,
    -1.0 / 3.0,
];
/// Iterations of Newton's method after which a shorter step costs less.
const MAX_ITERATIONS: usize = 8;
/// Nodes of the first two stages.
const NODES: [f64; 2] = [(4.0 - S6) / 10.0, (4.0 + S6) / 10.0];

/// Radau IIA with three stages ([`ImplicitRungeKutta::radau_5`]) with steps of [adaptive](AdaptiveIntegrator) length:
/// for stiff systems. Its steps do not grow shorter with what dies out fast, and what dies out fast does so in the
/// derivatives, too.
///
/// The estimate of the error `(γ/h − ∂f/∂x)⁻¹ (f(x) + Σ eᵢ zᵢ/h)`, with the increments zᵢ of the stages, is of order 3
/// (Hairer & Wanner 1996, *Solving Ordinary Differential Equations II*, §IV.8).
pub type AdaptiveRadau<T> = AdaptiveIntegrator<T, RadauPair<T>>;

impl<T: Scalar> AdaptiveRadau<T> {
    /// The method with a relative and an absolute tolerance for every entry of the state.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] unless the relative tolerance is at least 1e-14 and the absolute
    /// one positive and finite.
    pub fn radau_5(relative_tolerance: f64, absolute_tolerance: f64) -> Result<Self, InvalidInput> {
        let method = RadauPair {
            method: ImplicitRungeKutta::radau_5(),
            jacobian: DMatrix::zeros(0, 0),
            lu: Lu::identity(0),
            start: Vec::new(),
            rate: Vec::new(),
        };
        Self::of(method, relative_tolerance, absolute_tolerance)
    }
}

/// Radau IIA of order 5 with an estimate of its error: the method of [`AdaptiveRadau`].
#[doc(alias = "Radau IIA")]
#[derive(Debug, Clone)]
pub struct RadauPair<T> {
    method: ImplicitRungeKutta<T>,
    jacobian: DMatrix<f64>,
    lu: Lu,
    /// The start of the step, and the rate there.
    start: Vec<f64>,
    rate: Vec<f64>,
}

impl<T: Scalar, S: StiffSystem<T>> AdaptiveMethod<T, S> for RadauPair<T>
where
    S::Error: std::error::Error,
{
    const ERROR_ORDER: f64 = 4.0;

    fn begin(&mut self, _: &[T]) {}

    fn attempt(
        &mut self,
        system: &mut S,
        (time, h): (f64, f64),
        x: &[T],
        next: &mut Vec<T>,
        error: &mut Vec<f64>,
    ) -> Result<bool, IntegrationError<S::Error>> {
        match self.method.solve(system, (time, h), x, MAX_ITERATIONS) {
            Err(IntegrationError::NotConverged { .. }) => return Ok(false),
            result => result?,
        }
        let n = x.len();
        let z = &self.method.real;
        next.clear();
        next.extend((0..n).map(|i| T::from(x[i].re() + z[2 * n + i])));
        self.start.clear();
        self.start.extend(x.iter().map(|x| x.re()));
        self.rate.resize(n, 0.0);
        let at = IntegrationError::at(time);
        (system.real_derivative(time, &self.start, &mut self.rate)).map_err(&at)?;
        reset_matrix(&mut self.jacobian, n, n);
        (system.real_jacobian(time, &self.start, &mut self.jacobian)).map_err(&at)?;
        self.jacobian.neg_mut();
        for i in 0..n {
            self.jacobian[(i, i)] += EIGENVALUE / h;
        }
        if self.lu.factor(&self.jacobian).is_err() {
            return Ok(false);
        }
        error.clear();
        error.extend((0..n).map(|i| {
            let increments = (0..3).map(|j| ERROR[j] * z[j * n + i]);
            self.rate[i] + increments.sum::<f64>() / h
        }));
        self.lu.solve_in_place(error)?;
        Ok(true)
    }

    fn complete(
        &mut self,
        system: &mut S,
        (time, h): (f64, f64),
        x: &[T],
        next: &mut [T],
        dense: &mut [Vec<T>; 5],
    ) -> Result<(), IntegrationError<S::Error>> {
        (self.method).differentiate(system, T::from(time), T::from(h), x)?;
        let (n, z) = (x.len(), &self.method.z);
        for c in dense.iter_mut() {
            c.clear();
            c.resize(n, T::zero());
        }
        let [c0, c1, c2, c3, _] = dense;
        for i in 0..n {
            let end = z[2 * n + i];
            next[i] = x[i] + end;
            // The cubic through the start and the stages.
            let [a, b] = [0, 1].map(|j| {
                let node = NODES[j];
                (z[j * n + i] / node - end) / (1.0 - node)
            });
            c0[i] = x[i];
            c1[i] = end;
            c3[i] = (b - a) / (NODES[1] - NODES[0]);
            c2[i] = a - c3[i] * NODES[0];
        }
        system.project(next).map_err(IntegrationError::at(time))
    }
}
