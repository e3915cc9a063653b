//! Semismooth Newton method with line search, and its fallbacks.

use super::equations::differentiate;
use super::error::FrictionConeError;
use super::gauss_seidel::sweep;
use super::problem::FrictionConeProblem;
use super::projection::Projection;
use super::scaled::Scaled;
use super::solution::{ConeState, FrictionConeSolution};
use crate::math::check_squares;
use crate::{InvalidInput, Scalar};
use nalgebra::{Cholesky, DMatrix, DVector};

/// Square matrices of as many rows as a problem has that solving it makes at most: the scaled one, that of the proximal point
/// method, products, derivative and normal equations, and the vectors of its singular values.
const MATRICES: u64 = 8;
/// Iterations of Newton's method from one start.
const ITERATIONS: usize = 30;
/// Sweeps where Newton's method gets stuck, four times as many the next time.
const SWEEPS: usize = 16;
/// Where it gets stuck: the weight of the distance in the proximal point method, in parts of the residual (a contradiction of
/// so much between rows moves forces by its inverse), and the weight `ρ` of motions. What is stuck with one seldom is with all.
const ATTEMPTS: [(f64, f64); 7] = [
    (10.0, 30.0),
    (10.0, 1000.0),
    (10.0, 0.03),
    (10.0, 300.0),
    (10.0, 0.3),
    (1e3, 3e4),
    (1e3, 1.0),
];
/// Most steps of the proximal point method.
const PROXIMAL_STEPS: usize = 60;
/// Damping of steps, in parts of the largest singular value, and lengths of steps.
const DAMPINGS: [f64; 6] = [0.0, 1e-9, 1e-7, 1e-5, 1e-3, 0.1];
const LENGTHS: [f64; 4] = [1.0, 0.5, 0.125, 0.015625];
/// Damping of the step that is tried first, in parts of the Frobenius norm.
const LIGHT: f64 = 1e-7;
/// A step that lowers the merit to this part is taken at once.
const FAST: f64 = 1e-2;
/// Residuals that are round-off, those that are if the first step does not lower them, and those that will do where no step
/// does.
const SOLVED: f64 = 1e-15;
const ROUND_OFF: f64 = 1e-13;
const GOOD: f64 = 1e-8;
/// Slip that is less than this part of all motion is none.
const NO_SLIP: f64 = 1e-12;
/// A singular value below this part of the largest is round-off.
const RANK: f64 = 1e-12;

/// Where the search is.
struct Point {
    f: DVector<f64>,
    at: Projection,
    merit: f64,
}

impl Point {
    fn new(scaled: &Scaled, f: DVector<f64>, weight: f64) -> Self {
        let at = Projection::at(scaled, &f, weight);
        let merit = at.difference.norm_squared();
        Point { f, at, merit }
    }
}

impl<T: Scalar> FrictionConeProblem<'_, T> {
    /// Finds forces, near a `guess` of all of them if there is one, and differentiates them. See the
    /// [module](super) for the method.
    ///
    /// ```
    /// use dualbody::solver::friction_cone::{ConeState, FrictionConeProblem};
    /// use nalgebra::DMatrix;
    ///
    /// // A particle of 1 kg that slides at (3, 4) m/s; gravity takes 1 m/s from its normal velocity.
    /// let inverse_mass = DMatrix::<f64>::identity(3, 3);
    /// let problem = FrictionConeProblem::new(&inverse_mass, &[-1.0, 3.0, 4.0], 0, &[0.5])?;
    /// let solution = problem.solve(None)?;
    /// assert_eq!(solution.contacts, [ConeState::Sliding]);
    /// assert!((solution.forces[0] - 1.0).abs() < 1e-14);
    /// assert!((solution.forces[1] + 0.3).abs() < 1e-14 && (solution.forces[2] + 0.4).abs() < 1e-14);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`FrictionConeError`]: for a guess of another size or that is not finite, for so many rows that their dense matrices
    /// would take more than 4 GiB (some 8,000), and when no solution is found.
    pub fn solve(
        &self,
        guess: Option<&[f64]>,
    ) -> Result<FrictionConeSolution<T>, FrictionConeError> {
        self.solve_by(guess, &ATTEMPTS)
    }

    /// As [`Self::solve`], by Newton's method alone.
    pub(crate) fn solve_near(
        &self,
        guess: &[f64],
    ) -> Result<FrictionConeSolution<T>, FrictionConeError> {
        self.solve_by(Some(guess), &[])
    }

    /// `attempts` are those where Newton's method gets stuck.
    fn solve_by(
        &self,
        guess: Option<&[f64]>,
        attempts: &[(f64, f64)],
    ) -> Result<FrictionConeSolution<T>, FrictionConeError> {
        let n = self.vector.len();
        check_squares::<f64>("rows", MATRICES, n)?;
        let scaled = Scaled::of(self);
        let start = match guess {
            Some(guess) => {
                InvalidInput::check_size("guess of forces", guess.len(), n)?;
                InvalidInput::check_finite("guess of forces", guess)?;
                DVector::from_fn(n, |i, _| guess[i] / scaled.scales[i])
            }
            None => DVector::zeros(n),
        };
        let (Point { f, mut at, .. }, iterations, residual) = find(&scaled, start, attempts)?;
        let size = f.amax().max(scaled.vector.amax());
        let mut forces: Vec<T> = (f.iter().zip(&scaled.scales))
            .map(|(f, s)| T::from(f * s))
            .collect();
        for (contact, state) in at.contacts.iter_mut().enumerate() {
            let i = scaled.normal(contact);
            let slip = at.rates[i + 1].hypot(at.rates[i + 2]);
            let can_stick = scaled.mu[contact] > 0.0;
            if *state == ConeState::Sliding && can_stick && slip <= NO_SLIP * size {
                *state = ConeState::Sticking;
            }
            match *state == ConeState::Open {
                true => forces[i..i + 3].fill(T::zero()),
                false => forces[i] = not_negative(forces[i]),
            }
        }
        for (force, acts) in forces[scaled.inequalities()..].iter_mut().zip(&at.active) {
            *force = if *acts {
                not_negative(*force)
            } else {
                T::zero()
            };
        }
        differentiate(self, &scaled, &at, &mut forces)?;
        let mut rates = vec![T::zero(); n];
        self.rates(&forces, &mut rates);
        Ok(FrictionConeSolution {
            forces,
            rates,
            contacts: at.contacts,
            active: at.active,
            residual,
            iterations,
        })
    }
}

/// A force without the round-off below zero.
fn not_negative<T: Scalar>(force: T) -> T {
    if force.re() < 0.0 { T::zero() } else { force }
}

/// The solution, iterations and residual.
fn find(
    scaled: &Scaled,
    start: DVector<f64>,
    attempts: &[(f64, f64)],
) -> Result<(Point, usize, f64), FrictionConeError> {
    let mut iterations = 0;
    let mut point = descend(scaled, (start.clone(), 1.0), &mut iterations);
    let mut residual = point.at.residual(&point.f, scaled);
    let mut best = residual;
    let mut swept = start;
    for (attempt, &(proximity, weight)) in attempts.iter().enumerate() {
        if residual <= GOOD {
            break;
        }
        sweep(scaled, &mut swept, SWEEPS << (2 * attempt));
        if !swept.iter().all(|f| f.is_finite()) {
            break;
        }
        let mut f = swept.clone();
        point = descend(scaled, (f.clone(), weight), &mut iterations);
        residual = point.at.residual(&point.f, scaled);
        let proximity = (proximity * residual).clamp(1e-11, 1.0);
        for _ in 0..PROXIMAL_STEPS {
            if residual <= GOOD {
                break;
            }
            f = descend(&scaled.near(&f, proximity), (f, weight), &mut iterations).f;
            point = Point::new(scaled, f.clone(), 1.0);
            residual = point.at.residual(&point.f, scaled);
            if residual <= GOOD {
                point = descend(scaled, (f.clone(), weight), &mut iterations);
                residual = point.at.residual(&point.f, scaled);
            }
        }
        best = best.min(residual);
    }
    match residual <= GOOD {
        true => Ok((point, iterations, residual)),
        false => Err(FrictionConeError::NotConverged {
            iterations,
            residual: best,
        }),
    }
}

/// Newton's method, with a weight of motions, until nothing gets better.
fn descend(scaled: &Scaled, (f, weight): (DVector<f64>, f64), iterations: &mut usize) -> Point {
    let mut point = Point::new(scaled, f, weight);
    for _ in 0..ITERATIONS {
        let residual = point.at.residual(&point.f, scaled);
        if residual <= SOLVED {
            break;
        }
        *iterations += 1;
        let jacobian = point.at.jacobian(scaled);
        if !jacobian.iter().all(|x| x.is_finite()) {
            break;
        }
        let next = match lightly_damped(scaled, &point, &jacobian) {
            None if residual > ROUND_OFF => best_damped(scaled, &point, jacobian),
            next => next,
        };
        match next {
            Some(next) => point = next,
            None => break,
        }
    }
    Point::new(scaled, point.f, 1.0)
}

/// The point after Newton's step, by the normal equations with a damping just above their round-off, if it is fast.
fn lightly_damped(scaled: &Scaled, point: &Point, jacobian: &DMatrix<f64>) -> Option<Point> {
    let mut normal = jacobian.tr_mul(jacobian);
    let damping = LIGHT * LIGHT * jacobian.norm_squared();
    (0..normal.nrows()).for_each(|i| normal[(i, i)] += damping);
    let mut step = jacobian.tr_mul(&point.at.difference);
    Cholesky::new(normal)?.solve_mut(&mut step);
    let next = Point::new(scaled, &point.f - step, point.at.weight);
    (next.merit <= FAST * point.merit).then_some(next)
}

/// The point after the step that lowers the merit most: Newton's, or one that is damped as by Levenberg and Marquardt.
fn best_damped(scaled: &Scaled, point: &Point, jacobian: DMatrix<f64>) -> Option<Point> {
    let svd = jacobian.svd(true, true);
    let (u, v_t) = (svd.u.as_ref()?, svd.v_t.as_ref()?);
    let largest = svd.singular_values.max();
    let along = u.tr_mul(&point.at.difference);
    let mut best: Option<Point> = None;
    for damping in DAMPINGS {
        let share = along.zip_map(&svd.singular_values, |x, s| match s > RANK * largest {
            true => -x * s / (s * s + (damping * largest).powi(2)),
            false => 0.0,
        });
        let step = v_t.tr_mul(&share);
        for length in LENGTHS {
            let next = Point::new(scaled, &point.f + &step * length, point.at.weight);
            let least = best.as_ref().map_or(point.merit, |best| best.merit);
            if next.merit < least {
                let is_fast = next.merit <= FAST * point.merit;
                best = Some(next);
                if is_fast {
                    return best;
                }
            }
        }
    }
    best
}
