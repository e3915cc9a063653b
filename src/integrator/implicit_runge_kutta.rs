//! Collocation methods, for stiff systems.

use super::error::IntegrationError;
use super::system::StiffSystem;
use crate::autodiff::implicit_step;
use crate::math::{Factorization, Lu, reset_matrix};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// Iterations of Newton's method in a step.
const MAX_ITERATIONS: usize = 25;
/// Where no equation is violated by more than this part of its terms, one more correction is the last.
const TOLERANCE: f64 = 1e-12;
/// Violations below this that no longer fall are round-off.
const ROUND_OFF: f64 = 1e-8;

/// Coefficients of a collocation method.
#[derive(Debug)]
struct Tableau {
    coefficients: &'static [&'static [f64]],
    nodes: &'static [f64],
    /// `bᵀ A⁻¹`: the result from the increments of the stages.
    result: &'static [f64],
}

static MIDPOINT: Tableau = Tableau {
    coefficients: &[&[0.5]],
    nodes: &[0.5],
    result: &[2.0],
};

static RADAU_3: Tableau = Tableau {
    coefficients: &[&[5.0 / 12.0, -1.0 / 12.0], &[0.75, 0.25]],
    nodes: &[1.0 / 3.0, 1.0],
    result: &[0.0, 1.0],
};

/// √6.
const S6: f64 = 2.449_489_742_783_178;

static RADAU_5: Tableau = Tableau {
    coefficients: &[
        &[
            (88.0 - 7.0 * S6) / 360.0,
            (296.0 - 169.0 * S6) / 1800.0,
            (-2.0 + 3.0 * S6) / 225.0,
        ],
        &[
            (296.0 + 169.0 * S6) / 1800.0,
            (88.0 + 7.0 * S6) / 360.0,
            (-2.0 - 3.0 * S6) / 225.0,
        ],
        &[(16.0 - S6) / 36.0, (16.0 + S6) / 36.0, 1.0 / 9.0],
    ],
    nodes: &[(4.0 - S6) / 10.0, (4.0 + S6) / 10.0, 1.0],
    result: &[0.0, 0.0, 1.0],
};

/// An implicit Runge–Kutta method with steps of a given length.
///
/// The increments `zᵢ` of the stages are the root of
///
/// ```text
/// rᵢ = zᵢ − h Σ aᵢⱼ f(t + cⱼ h, π(x + zⱼ)) = 0,      x ← π(x + Σ dᵢ zᵢ),  dᵀ = bᵀ A⁻¹
/// ```
///
/// found by Newton's method with the exact Jacobian in `f64`, and differentiated at the root by
/// [`implicit_step`]. (Hairer & Wanner 1996, *Solving Ordinary Differential Equations II*, §IV.5 for
/// Radau IIA and §IV.8 for the increments.)
#[derive(Debug, Clone)]
pub struct ImplicitRungeKutta<T> {
    tableau: &'static Tableau,
    /// Increments of all stages, in `f64` and in `T`.
    pub(super) real: Vec<f64>,
    pub(super) z: Vec<T>,
    residual: Vec<f64>,
    lifted_residual: Vec<T>,
    /// Rates of all stages.
    real_rates: Vec<f64>,
    rates: Vec<T>,
    stage: Vec<T>,
    real_stage: Vec<f64>,
    stage_jacobian: DMatrix<f64>,
    jacobian: DMatrix<f64>,
    lu: Lu,
}

impl<T: Scalar> ImplicitRungeKutta<T> {
    /// The implicit midpoint rule: order 2, symplectic, A-stable.
    pub fn midpoint() -> Self {
        Self::new(&MIDPOINT)
    }

    /// Radau IIA with two stages: order 3, L-stable.
    pub fn radau_3() -> Self {
        Self::new(&RADAU_3)
    }

    /// Radau IIA with three stages: order 5, L-stable.
    pub fn radau_5() -> Self {
        Self::new(&RADAU_5)
    }

    fn new(tableau: &'static Tableau) -> Self {
        ImplicitRungeKutta {
            tableau,
            real: Vec::new(),
            z: Vec::new(),
            residual: Vec::new(),
            lifted_residual: Vec::new(),
            real_rates: Vec::new(),
            rates: Vec::new(),
            stage: Vec::new(),
            real_stage: Vec::new(),
            stage_jacobian: DMatrix::zeros(0, 0),
            jacobian: DMatrix::zeros(0, 0),
            lu: Lu::identity(0),
        }
    }

    /// Replaces the state `x` at time `t` by that at `t + h` (seconds).
    ///
    /// # Errors
    /// [`IntegrationError::NotConverged`] when Newton's method does not find the stages,
    /// [`IntegrationError::System`], and [`IntegrationError::Invalid`] when the size of `x` is not
    /// that of the state or an entry of the result is not finite. `x` is then as before, but for an
    /// error of the projection.
    pub fn step<S: StiffSystem<T>>(
        &mut self,
        system: &mut S,
        t: T,
        h: T,
        x: &mut [T],
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        InvalidInput::check_size("state", x.len(), system.size())?;
        self.solve(system, (t.re(), h.re()), x, MAX_ITERATIONS)?;
        self.lift(system, t, h, x)?;
        let n = x.len();
        for (i, x) in x.iter_mut().enumerate() {
            for (j, &weight) in self.tableau.result.iter().enumerate() {
                if weight != 0.0 {
                    *x += self.z[j * n + i] * weight;
                }
            }
        }
        system.project(x).map_err(IntegrationError::at(t.re()))
    }

    /// Gives the increments that have been found their derivatives.
    pub(super) fn lift<S: StiffSystem<T>>(
        &mut self,
        system: &mut S,
        t: T,
        h: T,
        x: &[T],
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let (n, stages) = (x.len(), self.tableau.nodes.len());
        for buffer in [&mut self.z, &mut self.lifted_residual, &mut self.rates] {
            buffer.clear();
            buffer.resize(n * stages, T::zero());
        }
        let at = IntegrationError::at(t.re());
        for (z, &real) in self.z.iter_mut().zip(&self.real) {
            *z = T::from(real);
        }
        if T::NDERIV > 0 {
            self.linearize(system, t.re(), h.re(), x)?;
            let (tableau, rates, stage) = (self.tableau, &mut self.rates, &mut self.stage);
            let (z, scratch) = (&mut self.z, &mut self.lifted_residual);
            implicit_step(&self.lu, z, scratch, |z, r| {
                for (j, node) in tableau.nodes.iter().enumerate() {
                    stage.clear();
                    stage.extend(x.iter().zip(&z[j * n..]).map(|(&x, &z)| x + z));
                    system.project(stage)?;
                    system.derivative(t + h * *node, stage, &mut rates[j * n..(j + 1) * n])?;
                }
                write_residual(tableau, h, z, rates, r);
                Ok::<(), S::Error>(())
            })
            .map_err(&at)?;
        }
        match InvalidInput::check_finite("increments", &self.z) {
            Ok(()) => Ok(()),
            Err(_) => Err(IntegrationError::NotConverged {
                time: t.re(),
                step: h.re(),
                correction: f64::NAN,
            }),
        }
    }

    /// Finds the increments in `f64`.
    pub(super) fn solve<S: StiffSystem<T>>(
        &mut self,
        system: &mut S,
        (t, h): (f64, f64),
        x: &[T],
        max_iterations: usize,
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let n = x.len();
        for buffer in [&mut self.real, &mut self.residual, &mut self.real_rates] {
            buffer.clear();
            buffer.resize(n * self.tableau.nodes.len(), 0.0);
        }
        let (mut correction, mut violation) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..max_iterations {
            for (j, node) in self.tableau.nodes.iter().enumerate() {
                self.write_real_stage(x, j);
                let rates = &mut self.real_rates[j * n..(j + 1) * n];
                (system.real_derivative(t + h * node, &self.real_stage, rates))
                    .map_err(IntegrationError::at(t))?;
            }
            write_residual(
                self.tableau,
                h,
                &self.real,
                &self.real_rates,
                &mut self.residual,
            );
            self.linearize(system, t, h, x)?;
            let before = violation;
            violation = self.violation(x);
            self.lu.solve_in_place(&mut self.residual)?;
            for (z, dz) in self.real.iter_mut().zip(&self.residual) {
                *z -= dz;
            }
            correction = self.residual.iter().fold(0.0, |m: f64, d| m.max(d.abs()));
            if !(correction.is_finite() && violation.is_finite()) {
                break;
            }
            // Either converged, or as close as round-off allows.
            let stalls = violation < ROUND_OFF && violation >= 0.5 * before;
            if violation <= TOLERANCE || stalls {
                return Ok(());
            }
        }
        Err(IntegrationError::NotConverged {
            time: t,
            step: h,
            correction,
        })
    }

    /// The largest residual, each relative to the terms of its own equation: those of the linearised
    /// equation, so that entries of very different sizes are all resolved.
    fn violation(&self, x: &[T]) -> f64 {
        let n = x.len();
        let size = |i: usize| x[i % n].re().abs() + self.real[i].abs();
        let mut largest = 0.0;
        for (i, r) in self.residual.iter().enumerate() {
            let row = self.jacobian.row(i);
            let terms = (row.iter().enumerate()).map(|(j, slope)| slope.abs() * size(j));
            let scale = terms.sum::<f64>() + (self.real[i] - r).abs();
            let relative = if *r == 0.0 { 0.0 } else { r.abs() / scale };
            if relative > largest || relative.is_nan() {
                largest = relative;
            }
        }
        largest
    }

    /// Factors `∂r/∂z` at the increments.
    fn linearize<S: StiffSystem<T>>(
        &mut self,
        system: &mut S,
        t: f64,
        h: f64,
        x: &[T],
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let (n, stages) = (x.len(), self.tableau.nodes.len());
        reset_matrix(&mut self.jacobian, n * stages, n * stages);
        for (j, node) in self.tableau.nodes.iter().enumerate() {
            self.write_real_stage(x, j);
            reset_matrix(&mut self.stage_jacobian, n, n);
            let jacobian = &mut self.stage_jacobian;
            (system.real_jacobian(t + h * node, &self.real_stage, jacobian))
                .map_err(IntegrationError::at(t))?;
            for (i, row) in self.tableau.coefficients.iter().enumerate() {
                let mut block = self.jacobian.view_mut((i * n, j * n), (n, n));
                block.copy_from(&self.stage_jacobian);
                block *= -h * row[j];
            }
        }
        for i in 0..n * stages {
            self.jacobian[(i, i)] += 1.0;
        }
        self.lu
            .factor(&self.jacobian)
            .map_err(|_| IntegrationError::NotConverged {
                time: t,
                step: h,
                correction: f64::INFINITY,
            })
    }

    fn write_real_stage(&mut self, x: &[T], j: usize) {
        let z = &self.real[j * x.len()..];
        self.real_stage.clear();
        (self.real_stage).extend(x.iter().zip(z).map(|(x, z)| x.re() + z));
    }
}

/// `rᵢ = zᵢ − h Σ aᵢⱼ kⱼ`.
fn write_residual<T: Scalar>(tableau: &Tableau, h: T, z: &[T], rates: &[T], r: &mut [T]) {
    let n = z.len() / tableau.nodes.len();
    for (i, row) in tableau.coefficients.iter().enumerate() {
        for e in 0..n {
            let sum =
                (row.iter().enumerate()).fold(T::zero(), |sum, (j, &a)| sum + rates[j * n + e] * a);
            r[i * n + e] = z[i * n + e] - sum * h;
        }
    }
}
