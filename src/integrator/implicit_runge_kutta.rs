//! Implicit Runge–Kutta (collocation) methods, for stiff systems.

use super::error::IntegrationError;
use super::system::StiffSystem;
use crate::autodiff::implicit_step;
use crate::math::{Factorization, Lu, reset_matrix};
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

/// Iterations of Newton's method in a step, those that shorten a correction among them.
const MAX_ITERATIONS: usize = 100;
/// How often a correction is halved until it leads nearer.
const MAX_HALVINGS: usize = 6;
/// Where no equation is violated by more than this part of its terms, one more correction is the last.
const TOLERANCE: f64 = 1e-12;
/// Violations below this that no longer fall are round-off.
const ROUND_OFF: f64 = 1e-8;
/// And so are those below this part of the largest terms of all equations, if none has fallen for some iterations.
const FLOOR: f64 = 1e-13;
const PATIENCE: usize = 8;

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
/// found by Newton's method with the exact Jacobian in `f64`, with shorter corrections where whole ones lead away, and
/// differentiated at the root by [`implicit_step`]. A step across a kink of `f`, as in an impact, may not be solved where
/// shorter ones are. (Hairer & Wanner 1996, *Solving Ordinary Differential Equations II*, §IV.5 for Radau IIA and §IV.8
/// for the increments.)
#[derive(Debug, Clone)]
pub struct ImplicitRungeKutta<T> {
    tableau: &'static Tableau,
    /// Increments of all stages, in `f64` and in `T`.
    pub(super) real: Vec<f64>,
    pub(super) z: Vec<T>,
    residual: Vec<f64>,
    correction: Vec<f64>,
    /// The size of the terms of each equation, and its least residual.
    scale: Vec<f64>,
    least: Vec<f64>,
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
            correction: Vec::new(),
            scale: Vec::new(),
            least: Vec::new(),
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
    /// error of the projection and a result that is not finite.
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
        self.differentiate(system, t, h, x)?;
        let n = x.len();
        for (i, x) in x.iter_mut().enumerate() {
            for (j, &weight) in self.tableau.result.iter().enumerate() {
                if weight != 0.0 {
                    *x += self.z[j * n + i] * weight;
                }
            }
        }
        system.project(x).map_err(IntegrationError::at(t.re()))?;
        Ok(InvalidInput::check_finite("state", x)?)
    }

    /// Gives the increments that have been found their derivatives.
    pub(super) fn differentiate<S: StiffSystem<T>>(
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
            self.factor_stages(system, t.re(), h.re(), x)?;
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
        for buffer in [
            &mut self.real,
            &mut self.residual,
            &mut self.real_rates,
            &mut self.correction,
            &mut self.scale,
            &mut self.least,
        ] {
            buffer.clear();
            buffer.resize(n * self.tableau.nodes.len(), 0.0);
        }
        self.least.fill(f64::INFINITY);
        let (mut violation, mut most) = (f64::INFINITY, f64::INFINITY);
        let (mut halvings, mut idle) = (0, 0);
        for _ in 0..max_iterations {
            self.evaluate(system, (t, h), x)?;
            // Of equations that bend a whole correction may lead further away.
            if halvings < MAX_HALVINGS && self.merit() > most.max(ROUND_OFF) {
                halvings += 1;
                for (z, dz) in self.real.iter_mut().zip(&mut self.correction) {
                    *dz *= 0.5;
                    *z += *dz;
                }
                continue;
            }
            halvings = 0;
            self.factor_stages(system, t, h, x)?;
            self.write_scale(x);
            most = self.merit();
            let before = violation;
            violation = self.violation();
            self.correction.copy_from_slice(&self.residual);
            // Either converged, or as close as round-off allows.
            let stalls = violation >= 0.5 * before;
            idle = if self.advances() { 0 } else { idle + 1 };
            let is_found = violation <= TOLERANCE
                || stalls && violation < ROUND_OFF
                || idle >= PATIENCE && self.is_round_off();
            self.lu.solve_in_place(&mut self.correction)?;
            if !(violation.is_finite() && self.correction.iter().all(|d| d.is_finite())) {
                break;
            }
            for (z, dz) in self.real.iter_mut().zip(&self.correction) {
                *z -= dz;
            }
            if is_found {
                return Ok(());
            }
        }
        let correction = (self.correction.iter()).fold(0.0, |m: f64, d| m.max(d.abs()));
        Err(IntegrationError::NotConverged {
            time: t,
            step: h,
            correction,
        })
    }

    /// Writes the residual.
    fn evaluate<S: StiffSystem<T>>(
        &mut self,
        system: &mut S,
        (t, h): (f64, f64),
        x: &[T],
    ) -> Result<(), IntegrationError<S::Error>>
    where
        S::Error: std::error::Error,
    {
        let n = x.len();
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
        Ok(())
    }

    /// Whether an equation that is not solved has come nearer than ever, to half.
    fn advances(&mut self) -> bool {
        let mut advances = false;
        for ((r, scale), least) in (self.residual.iter().zip(&self.scale)).zip(&mut self.least) {
            advances |= r.abs() > TOLERANCE * scale && r.abs() < 0.5 * *least;
            *least = least.min(r.abs());
        }
        advances
    }

    fn largest_scale(&self) -> f64 {
        self.scale.iter().fold(f64::MIN_POSITIVE, |m, s| m.max(*s))
    }

    /// Whether what is not solved are small sums of large terms that cancel, of which the Jacobian does not tell: of bodies
    /// that move straight, turns of 1e-18.
    fn is_round_off(&self) -> bool {
        let floor = FLOOR * self.largest_scale();
        let mut equations = self.residual.iter().zip(&self.scale);
        equations.all(|(r, scale)| r.abs() <= (TOLERANCE * scale).max(floor))
    }

    /// The sum of the squares of the residuals, relative to the terms of their equations when these were linear last, and
    /// without those that round-off may dominate.
    fn merit(&self) -> f64 {
        let floor = ROUND_OFF * self.largest_scale();
        let equations = self.residual.iter().zip(&self.scale);
        (equations.map(|(r, scale)| (r / (scale + floor)).powi(2))).sum()
    }

    /// Writes the sizes of the terms of each equation: those of the linearised equation, so that entries of very
    /// different sizes are all resolved.
    fn write_scale(&mut self, x: &[T]) {
        let n = x.len();
        for (i, r) in self.residual.iter().enumerate() {
            let size = |j: usize| x[j % n].re().abs() + self.real[j].abs();
            let row = self.jacobian.row(i);
            let terms = (row.iter().enumerate()).map(|(j, slope)| slope.abs() * size(j));
            self.scale[i] = terms.sum::<f64>() + (self.real[i] - r).abs();
        }
    }

    /// The largest residual, each relative to the terms of its own equation.
    fn violation(&self) -> f64 {
        let mut largest = 0.0;
        for (r, scale) in self.residual.iter().zip(&self.scale) {
            let relative = if *r == 0.0 { 0.0 } else { r.abs() / scale };
            if relative > largest || relative.is_nan() {
                largest = relative;
            }
        }
        largest
    }

    /// Factors `∂r/∂z` at the increments.
    fn factor_stages<S: StiffSystem<T>>(
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
