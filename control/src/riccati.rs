//! The linear-quadratic regulator (LQR): algebraic Riccati equations and their derivatives.
//!
//! ```text
//! X = AᵀX A − (AᵀX B + S)(R + BᵀX B)⁻¹(BᵀX A + Sᵀ) + Q      in steps
//! AᵀX + X A − (X B + S) R⁻¹(BᵀX + Sᵀ) + Q = 0               in continuous time
//! ```
//!
//! Both are solved by structure-preserving doubling, whose k-th iterate is the Riccati recursion over 2ᵏ steps: Chu, Fan,
//! Lin and Wang (2004, *International Journal of Control* 77, 767–788). The continuous equation is brought to that form by
//! the Cayley transform of Chu, Fan and Lin (2005, *Linear Algebra and its Applications* 396, 55–80). Newton's method,
//! each step of which is a Lyapunov equation (Kleinman 1968, *IEEE Transactions on Automatic Control* 13, 114–115), takes
//! off what round-off has left.
//!
//! With `F = A − B K` the solution changes with the data as a Lyapunov equation says, because the cost is stationary in K:
//!
//! ```text
//! dX = FᵀdX F + dFᵀX F + FᵀX dF + dQ + KᵀdR K,      dF = dA − dB K
//! ```

use crate::ControlError;
use crate::linear_quadratic::{LinearQuadratic, LinearQuadraticChange};
use crate::lyapunov::{eigenvalues, lyapunov_continuous, lyapunov_discrete, mean_magnitude};
use crate::matrix::{check_matrix, positive_definite, solve, symmetrize};
use dualbody::InvalidInput;
use nalgebra::linalg::SVD;
use nalgebra::{Complex, DMatrix};

const MAX_DOUBLINGS: usize = 60;
const MAX_REFINEMENTS: usize = 3;
/// Modes that grow or decay by less than this in a step count as neither.
const NEUTRAL: f64 = 1e-4;
/// The shift of the Cayley transform, relative to the mean of the closed loop's eigenvalues: where weights are small they are
/// those of A but for signs, and the shift must be none of these.
const APART: f64 = 1.7;
/// Of an entry of a matrix, relative to the largest.
const HIDDEN: f64 = 1e-6;

/// The regulator `u = −K x` that minimises the cost over an infinite time.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Regulator {
    /// `X`, n×n: `xᵀX x` is the cost from x on.
    pub cost: DMatrix<f64>,
    /// `K`, m×n.
    pub gain: DMatrix<f64>,
    /// `A − B K`, n×n.
    pub closed_loop: DMatrix<f64>,
    problem: LinearQuadratic,
    is_discrete: bool,
}

/// How a [`Regulator`] changes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RegulatorChange {
    /// `dX`, n×n.
    pub cost: DMatrix<f64>,
    /// `dK`, m×n.
    pub gain: DMatrix<f64>,
}

impl Regulator {
    /// Of dynamics in steps.
    ///
    /// # Errors
    /// [`ControlError::NotStabilizable`], [`ControlError::NotPositiveDefinite`] for `R`, and as
    /// [`LinearQuadratic::new`].
    pub fn discrete(problem: LinearQuadratic) -> Result<Self, ControlError> {
        Self::solve(problem, true, &Wording::default())
    }

    /// Of dynamics in continuous time.
    ///
    /// # Errors
    /// As [`Self::discrete`].
    pub fn continuous(problem: LinearQuadratic) -> Result<Self, ControlError> {
        Self::solve(problem, false, &Wording::default())
    }

    pub(crate) fn solve(
        problem: LinearQuadratic,
        is_discrete: bool,
        terms: &Wording<'_>,
    ) -> Result<Self, ControlError> {
        problem.check()?;
        let factor = positive_definite("R", &problem.r)?;
        // Without the cross term: u = w − R⁻¹Sᵀx.
        let crossed = solve(&factor, &problem.cross.transpose())?;
        let a = &problem.a - &problem.b * &crossed;
        let mut q = &problem.q - &problem.cross * &crossed;
        let mut g = &problem.b * solve(&factor, &problem.b.transpose())?;
        symmetrize(&mut q);
        symmetrize(&mut g);
        let start = match is_discrete {
            true => Some((a.clone(), g, q.clone())),
            false => cayley_transform(&a, &g, &q),
        };
        let b = problem.b.clone();
        let failure = |noticed: &str| ControlError::NotStabilizable {
            equation: if is_discrete {
                "discrete"
            } else {
                "continuous"
            },
            reason: match hidden_mode([&a, &b, &q], is_discrete, terms) {
                Some(mode) => format!("{mode}; {}", terms.demand),
                None => format!("{noticed}; {}", terms.demand),
            },
        };
        let (start_a, start_g, start_q) =
            start.ok_or_else(|| failure("the Cayley transform is singular"))?;
        let cost = doubling(start_a, start_g, start_q)
            .ok_or_else(|| failure("the costs of 1, 2, 4, … steps do not converge"))?;
        let explained = |error| match error {
            ControlError::Unstable { .. } => failure("the closed loop is not stable"),
            ControlError::NotPositiveDefinite { .. } => {
                failure("the costs of 1, 2, 4, … steps end in one that is negative")
            }
            other => other,
        };
        let mut regulator = Self::of_cost(problem, cost, is_discrete).map_err(explained)?;
        let mut error = regulator.residual();
        for _ in 0..MAX_REFINEMENTS {
            let source = regulator.problem.closed_loop_cost(&regulator.gain);
            let refined = regulator.lyapunov(&source).map_err(explained)?;
            let refined = Self::of_cost(regulator.problem.clone(), refined, is_discrete)
                .map_err(explained)?;
            let left = refined.residual();
            if left >= error {
                break;
            }
            (regulator, error) = (refined, left);
        }
        if error > 1e-6 || error.is_nan() {
            return Err(failure(&format!("a relative error of {error:e} is left")));
        }
        Ok(regulator)
    }

    fn of_cost(
        problem: LinearQuadratic,
        cost: DMatrix<f64>,
        is_discrete: bool,
    ) -> Result<Self, ControlError> {
        let LinearQuadratic { a, b, cross, .. } = &problem;
        let bx = b.tr_mul(&cost);
        let right = match is_discrete {
            true => &bx * a + cross.transpose(),
            false => &bx + cross.transpose(),
        };
        let gain = solve(
            &positive_definite("R + BᵀX B", &weight(&problem, &cost, is_discrete))?,
            &right,
        )?;
        Ok(Regulator {
            closed_loop: a - b * &gain,
            cost,
            gain,
            problem,
            is_discrete,
        })
    }

    /// What is left of the Riccati equation, relative to its solution.
    fn residual(&self) -> f64 {
        let (f, x) = (&self.closed_loop, &self.cost);
        let source = self.problem.closed_loop_cost(&self.gain);
        let (left, scale) = match self.is_discrete {
            true => (f.tr_mul(x) * f + source - x, x.amax()),
            false => {
                let product = x * f;
                let scale = product.amax();
                (product.transpose() + product + source, scale)
            }
        };
        left.amax() / scale.max(f64::MIN_POSITIVE)
    }

    /// The solution `Y` of `Y = FᵀY F + M`, or of `FᵀY + Y F + M = 0`.
    fn lyapunov(&self, source: &DMatrix<f64>) -> Result<DMatrix<f64>, ControlError> {
        let mut source = source.clone();
        symmetrize(&mut source);
        match self.is_discrete {
            true => lyapunov_discrete(&self.closed_loop, &source),
            false => lyapunov_continuous(&self.closed_loop, &source),
        }
    }

    /// What it regulates.
    pub fn problem(&self) -> &LinearQuadratic {
        &self.problem
    }

    /// The derivative of the solution along a change `[dA, dB, dQ, dR]` of the data, by the implicit function theorem.
    ///
    /// # Errors
    /// For sizes that do not fit and entries that are not finite.
    pub fn derivative(
        &self,
        change: &LinearQuadraticChange,
    ) -> Result<RegulatorChange, ControlError> {
        let [da, db, dq, dr] = change;
        let LinearQuadratic { b, .. } = &self.problem;
        let (n, m) = (b.nrows(), b.ncols());
        check_matrix("dA", da, n, n)?;
        check_matrix("dB", db, n, m)?;
        check_matrix("dQ", dq, n, n)?;
        check_matrix("dR", dr, m, m)?;
        let (k, x, f) = (&self.gain, &self.cost, &self.closed_loop);
        let df = da - db * k;
        let half = match self.is_discrete {
            true => df.tr_mul(&(x * f)),
            false => df.tr_mul(x),
        };
        let source = &half + half.transpose() + dq + k.tr_mul(&(dr * k));
        let dx = self.lyapunov(&source)?;
        let right = match self.is_discrete {
            true => db.tr_mul(&(x * f)) + b.tr_mul(&(&dx * f)) + b.tr_mul(&(x * df)) - dr * k,
            false => db.tr_mul(x) + b.tr_mul(&dx) - dr * k,
        };
        let weight = weight(&self.problem, x, self.is_discrete);
        let gain = solve(&positive_definite("R + BᵀX B", &weight)?, &right)?;
        Ok(RegulatorChange { cost: dx, gain })
    }

    /// The expected cost `tr(X W)` of a start with the covariance `W`, n×n; of a [`RegulatorChange`], its derivative.
    ///
    /// # Errors
    /// For sizes that do not fit and entries that are not finite.
    pub fn expected_cost(
        cost: &DMatrix<f64>,
        covariance: &DMatrix<f64>,
    ) -> Result<f64, ControlError> {
        check_matrix("cost", cost, cost.nrows(), cost.nrows())?;
        check_matrix("covariance", covariance, cost.nrows(), cost.nrows())?;
        Ok(cost.component_mul(&covariance.transpose()).sum())
    }

    /// The input `−K δx` for a displacement, n to m entries.
    ///
    /// # Errors
    /// For a size that does not fit and entries that are not finite.
    pub fn input(&self, displacement: &[f64]) -> Result<Vec<f64>, ControlError> {
        let (m, n) = self.gain.shape();
        InvalidInput::check_size("displacement", displacement.len(), n)?;
        InvalidInput::check_finite("displacement", displacement)?;
        let entry = |i: usize| {
            -(0..n)
                .map(|j| self.gain[(i, j)] * displacement[j])
                .sum::<f64>()
        };
        Ok((0..m).map(entry).collect())
    }
}

/// `R + BᵀX B` in steps, `R` in continuous time.
fn weight(problem: &LinearQuadratic, cost: &DMatrix<f64>, is_discrete: bool) -> DMatrix<f64> {
    let LinearQuadratic { b, r, .. } = problem;
    let mut weight = match is_discrete {
        true => r + b.tr_mul(&(cost * b)),
        false => r.clone(),
    };
    symmetrize(&mut weight);
    weight
}

/// The limit `H` of the recursion over 2ᵏ steps.
fn doubling(mut a: DMatrix<f64>, mut g: DMatrix<f64>, mut h: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = a.nrows();
    let identity = DMatrix::identity(n, n);
    for _ in 0..MAX_DOUBLINGS {
        let factor = (&identity + &g * &h).lu();
        let step = factor.solve(&a)?;
        let reached = factor.solve(&g)?;
        let added = a.tr_mul(&h) * &step;
        h += &added;
        g += &a * reached * a.transpose();
        a *= &step;
        symmetrize(&mut h);
        symmetrize(&mut g);
        if !h.iter().chain(&g).all(|x| x.is_finite()) {
            return None;
        }
        if added.amax() <= 1e-15 * h.amax() {
            return Some(h);
        }
    }
    None
}

/// The discrete equation with the same solution, `(A, G, H)`.
fn cayley_transform(
    a: &DMatrix<f64>,
    g: &DMatrix<f64>,
    q: &DMatrix<f64>,
) -> Option<(DMatrix<f64>, DMatrix<f64>, DMatrix<f64>)> {
    let n = a.nrows();
    let mut hamiltonian = DMatrix::zeros(2 * n, 2 * n);
    hamiltonian.view_mut((0, 0), (n, n)).copy_from(a);
    hamiltonian.view_mut((0, n), (n, n)).copy_from(&-g);
    hamiltonian.view_mut((n, 0), (n, n)).copy_from(&-q);
    hamiltonian
        .view_mut((n, n), (n, n))
        .copy_from(&-a.transpose());
    let shift = APART * mean_magnitude(&eigenvalues(&hamiltonian)?);
    let identity = DMatrix::identity(n, n);
    let inverse = (a - &identity * shift).try_inverse()?;
    let w = (a.transpose() - &identity * shift + q * &inverse * g).try_inverse()?;
    let a = identity + w.transpose() * (2.0 * shift);
    let mut reach = &inverse * g * &w * (2.0 * shift);
    let mut cost = &w * q * &inverse * (2.0 * shift);
    symmetrize(&mut reach);
    symmetrize(&mut cost);
    Some((a, reach, cost))
}

/// In which words an error speaks of a problem.
pub(crate) struct Wording<'a> {
    /// The beginning of a sentence about a mode outside the range of B.
    pub unreached: &'static str,
    /// The beginning of a sentence about a mode that Q does not contain.
    pub unseen: &'static str,
    /// What has to hold, and what to do.
    pub demand: &'static str,
    /// The name of an entry of the state.
    pub name: &'a dyn Fn(usize) -> String,
}

impl Default for Wording<'_> {
    fn default() -> Self {
        Wording {
            unreached: "no input reaches",
            unseen: "the cost does not see",
            demand: "a mode that is not stable must be reached by an input and seen by the cost: actuate it, give it a \
                     weight, or leave out a coordinate that nothing depends on",
            name: &|k| format!("entry {k} of the state"),
        }
    }
}

/// The mode that is not stable and not reached, or not seen, in words: a left eigenvector of A that is orthogonal to B, or an
/// eigenvector in the kernel of Q (Hautus 1969, *Indagationes Mathematicae* 31, 443–448).
fn hidden_mode(
    [a, b, q]: [&DMatrix<f64>; 3],
    is_discrete: bool,
    terms: &Wording<'_>,
) -> Option<String> {
    let values = eigenvalues(a)?;
    let growth = |z: &Complex<f64>| match is_discrete {
        true => z.norm() - 1.0,
        false => z.re / a.amax().max(f64::MIN_POSITIVE),
    };
    let (transposed, inputs) = (a.transpose(), b.transpose());
    let mut growing = values.iter().filter(|&z| growth(z) > -NEUTRAL);
    let mut neutral = values.iter().filter(|&z| growth(z).abs() < NEUTRAL);
    let unreached =
        growing.find_map(|&z| Some((terms.unreached, z, kernel_entry(&transposed, &inputs, z)?)));
    let (hidden, z, k) = unreached
        .or_else(|| neutral.find_map(|&z| Some((terms.unseen, z, kernel_entry(a, q, z)?))))?;
    let value = if z.im == 0.0 {
        format!("{:.6}", z.re)
    } else {
        format!("{z:.6}")
    };
    let name = (terms.name)(k);
    Some(format!(
        "{hidden} the mode of A with the eigenvalue {value}, mostly {name}"
    ))
}

/// The largest entry of a vector with `A x = λ x` and `C x = 0`, if there is one.
fn kernel_entry(a: &DMatrix<f64>, c: &DMatrix<f64>, value: Complex<f64>) -> Option<usize> {
    let n = a.nrows();
    let scale = |m: &DMatrix<f64>| m.amax().max(f64::MIN_POSITIVE);
    let (of_a, of_c) = (scale(a), scale(c));
    let both = DMatrix::from_fn(n + c.nrows(), n, |i, j| match i.checked_sub(n) {
        Some(i) => Complex::from(c[(i, j)] / of_c),
        None if i == j => (a[(i, j)] - value) / of_a,
        None => Complex::from(a[(i, j)] / of_a),
    });
    let svd = SVD::try_new(both, false, true, f64::EPSILON, 200 * n)?;
    let least = svd.singular_values.argmin();
    let vector = svd.v_t?.row(least.0).map(|x| x.norm());
    (least.1 < HIDDEN).then(|| vector.transpose().argmax().0)
}
