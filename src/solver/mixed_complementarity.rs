//! Semismooth Newton method for mixed complementarity problems.
//!
//! Given functions `φ`, `l ≤ u` of `f`, it finds `f` with
//!
//! ```text
//! l ≤ f ≤ u,     φᵢ = 0 if lᵢ < fᵢ < uᵢ,     φᵢ ≥ 0 if fᵢ = lᵢ,     φᵢ ≤ 0 if fᵢ = uᵢ
//! ```
//!
//! With scales `wᵢ > 0` this is the root of `fᵢ − mid(lᵢ, fᵢ − φᵢ/wᵢ, uᵢ)`, whose Newton method decides which rows are
//! at a bound and solves the others as equations; where φ is affine it ends after finitely many steps. Far from a
//! solution it may run in circles. So a step is taken only if it lowers the merit `½‖Ψ‖²` of the Fischer–Burmeister
//! function for two bounds,
//!
//! ```text
//! Ψᵢ = ψ(fᵢ − lᵢ, ψ(uᵢ − fᵢ, −φᵢ/wᵢ)),     ψ(a, b) = √(a² + b²) − a − b
//! ```
//!
//! which is smooth where its roots are not degenerate; else the Newton step of Ψ is, or one that is damped as by
//! Levenberg and Marquardt.
//!
//! # References
//! - A. Fischer, "A special Newton-type optimization method", Optimization 24 (1992).
//! - S. C. Billups, "Algorithms for complementarity problems and generalized equations", thesis, University of Wisconsin
//!   (1995), section 3.2.
//! - M. Hintermüller, K. Ito, K. Kunisch, "The primal-dual active set strategy as a semismooth Newton method", SIAM J.
//!   Optim. 13 (2002).

use nalgebra::{DMatrix, DVector};

/// Most iterations, and most halvings of one step.
const ITERATIONS: usize = 100;
const HALVINGS: usize = 12;
/// Most evaluations that fail.
const FAILURES: usize = 200;
/// Of numbers that a row is made of, so many last bits may be left.
const LAST_BITS: f64 = 64.0 * f64::EPSILON;
/// A search whose forces add more than this many times the largest row at the guess to one ran away: what is left of rows is
/// round-off.
const RUN_AWAY: f64 = 1e9;
/// The part of the fall that a linear model promises that there must be.
const DECREASE: f64 = 1e-4;
/// A derivative below this part of the largest is round-off.
const ROUND_OFF: f64 = 1e-12;
/// A force so near to a bound, relative to `1 + |bound|`, is at it.
const AT_BOUND: f64 = 1e-9;

/// Functions of `f` with their derivatives by it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Functions {
    pub phi: DVector<f64>,
    pub lower: DVector<f64>,
    pub upper: DVector<f64>,
    /// `∂φ/∂f`, `∂l/∂f`, `∂u/∂f`; those of infinite bounds are not used.
    pub by_force: [DMatrix<f64>; 3],
}

impl Functions {
    pub fn zeros(size: usize) -> Self {
        Functions {
            phi: DVector::zeros(size),
            lower: DVector::zeros(size),
            upper: DVector::zeros(size),
            by_force: [0; 3].map(|_| DMatrix::zeros(size, size)),
        }
    }
}

/// Where a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Between its bounds, `φ = 0`.
    Between,
    AtLower,
    AtUpper,
}

impl Place {
    /// The equation of a row, with its force, that holds there.
    pub fn residual<T: crate::Scalar>(self, force: T, row: crate::constraint::ForceLawRow<T>) -> T {
        match self {
            Place::Between => row.phi,
            Place::AtLower => force - row.lower,
            Place::AtUpper => force - row.upper,
        }
    }
}

/// A solution, with the functions there.
#[derive(Debug, Clone)]
pub(crate) struct Solution {
    pub f: DVector<f64>,
    pub places: Vec<Place>,
    pub functions: Functions,
}

/// No solution was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct NotSolved {
    pub iterations: usize,
    /// The row that is violated most, and by how much, in the unit of `φ`.
    pub row: usize,
    pub violation: f64,
    /// Whether any force changes that row.
    pub is_moved: bool,
}

/// The solution from a guess; `evaluate` writes the functions at `f`, and may fail there, which the method avoids.
///
/// Rows hold to `tolerance` in their units, or as round-off lets them. Where no step from the guess helps, it starts once more from
/// the forces that hold all rows as equations: more of a normal force may push its row the wrong way while friction is at its
/// limit, and only friction that holds ends that (Painlevé 1895, *C. R. Acad. Sci.* 121, 112–115).
///
/// # Errors
/// Those of `evaluate` at the guess, and [`NotSolved`].
pub(crate) fn solve<E>(
    guess: DVector<f64>,
    tolerance: f64,
    mut evaluate: impl FnMut(&DVector<f64>, &mut Functions) -> Result<(), E>,
) -> Result<Result<Solution, NotSolved>, E> {
    let mut at = Functions::zeros(guess.len());
    evaluate(&guess, &mut at)?;
    if guess.is_empty() {
        let (f, places, functions) = (guess, Vec::new(), at);
        return Ok(Ok(Solution {
            f,
            places,
            functions,
        }));
    }
    let reach = RUN_AWAY * imbalance(&guess, &at);
    let failed = match search(
        (guess.clone(), at.clone()),
        [tolerance, reach],
        &mut evaluate,
    )? {
        Ok(solution) => return Ok(Ok(solution)),
        Err(failed) => failed,
    };
    let all = vec![Place::Between; guess.len()];
    let held = newton_of_places(&guess, &at, &all, &scales(&at)).map(|step| guess + step);
    let second = held.map(|held| {
        evaluate(&held, &mut at)?;
        search((held, at), [tolerance, reach], &mut evaluate)
    });
    Ok(match second {
        Some(Ok(Ok(solution))) => Ok(solution),
        _ => Err(failed),
    })
}

/// The largest row, as it stands or as the distance of its force from the bounds makes it.
fn imbalance(f: &DVector<f64>, at: &Functions) -> f64 {
    let scales = scales(at);
    let of_row = |i: usize| {
        let outside = f64::max(at.lower[i] - f[i], f[i] - at.upper[i]).max(0.0);
        f64::max(at.phi[i].abs(), outside * scales[i])
    };
    (0..f.len()).map(of_row).fold(0.0, f64::max)
}

/// What forces add to a row, without regard to signs.
fn terms(f: &DVector<f64>, at: &Functions, row: usize) -> f64 {
    at.by_force[0].row(row).abs().tr_dot(&f.abs())
}

/// The solution from one guess, with the functions there, to a tolerance. Terms of rows stay within a reach.
fn search<E>(
    (guess, mut at): (DVector<f64>, Functions),
    [tolerance, reach]: [f64; 2],
    evaluate: &mut impl FnMut(&DVector<f64>, &mut Functions) -> Result<(), E>,
) -> Result<Result<Solution, NotSolved>, E> {
    let size = guess.len();
    let mut f = guess;
    let (mut to, mut there) = (f.clone(), at.clone());
    let at_guess = at.phi.abs();
    let (mut iterations, mut failures) = (0, 0);
    loop {
        iterations += 1;
        let scales = scales(&at);
        let places = places(&f, &at, &scales);
        let violations = violations(&f, &at, &places, &scales);
        let violation = violations.max();
        let now = merit(&f, &at, &scales);
        let is_solved = violation <= tolerance;
        let damped = |k: i32| newton_of_merit(&f, &at, &scales, 1e-6 * 100f64.powi(k));
        // Where it is solved, one more step polishes it: convergence is quadratic.
        let directions = std::iter::once(newton_of_places(&f, &at, &places, &scales))
            .chain(std::iter::once_with(|| {
                newton_of_merit(&f, &at, &scales, 0.0)
            }))
            .chain((0..5).map(damped))
            .flatten()
            .take(if is_solved { 1 } else { 7 });
        let mut moved = false;
        'directions: for direction in directions {
            let mut length = 1.0;
            for _ in 0..if is_solved { 1 } else { HALVINGS } {
                to.copy_from(&f);
                to.axpy(length, &direction, 1.0);
                if failures == FAILURES {
                    break 'directions;
                }
                let is_within = |at: &Functions| (0..size).all(|i| terms(&to, at, i) <= reach);
                if evaluate(&to, &mut there).is_err() || !is_within(&there) {
                    failures += 1;
                } else {
                    let next = merit(&to, &there, &scales);
                    if next <= (1.0 - 2.0 * DECREASE * length) * now {
                        // Derivatives that are round-off lead anywhere.
                        let holds = || {
                            let scales = self::scales(&there);
                            let places = self::places(&to, &there, &scales);
                            self::violations(&to, &there, &places, &scales).max() <= violation
                        };
                        moved = next < now && (!is_solved || holds());
                        break 'directions;
                    }
                }
                length *= 0.5;
            }
        }
        if moved {
            std::mem::swap(&mut f, &mut to);
            std::mem::swap(&mut at, &mut there);
        }
        // What is left of a row when no step makes it less may be the round-off of what it is made of.
        let made_of = |i: usize| at_guess[i] + terms(&f, &at, i);
        let is_round_off = |i: usize| violations[i] <= tolerance.max(LAST_BITS * made_of(i));
        if is_solved || !moved && (0..size).all(is_round_off) {
            let mut places = self::places(&f, &at, &scales);
            for (i, place) in places.iter_mut().enumerate() {
                match place {
                    Place::AtLower if is_at(f[i], at.lower[i]) => f[i] = at.lower[i],
                    Place::AtUpper if is_at(f[i], at.upper[i]) => f[i] = at.upper[i],
                    // As a force without effect, which no bound holds.
                    _ => {
                        *place = Place::Between;
                        f[i] = f[i].max(at.lower[i]).min(at.upper[i]);
                    }
                }
            }
            return Ok(Ok(Solution {
                f,
                places,
                functions: at,
            }));
        }
        if !moved || iterations == ITERATIONS {
            let row = violations.imax();
            return Ok(Err(NotSolved {
                iterations,
                row,
                violation,
                is_moved: at.by_force[0].row(row).amax() > 0.0,
            }));
        }
    }
}

/// What a force of one makes of its row, or, where that is nothing but round-off, of any.
fn scales(at: &Functions) -> DVector<f64> {
    let d = &at.by_force[0];
    let largest = d.amax();
    DVector::from_fn(at.phi.len(), |i, _| {
        let own = d[(i, i)].abs();
        let row = d.row(i).amax();
        match () {
            () if own > ROUND_OFF * largest => own,
            () if row > ROUND_OFF * largest => row,
            () if largest > 0.0 => largest,
            () => 1.0,
        }
    })
}

fn places(f: &DVector<f64>, at: &Functions, scales: &DVector<f64>) -> Vec<Place> {
    (0..f.len())
        .map(|i| {
            let to = f[i] - at.phi[i] / scales[i];
            if to <= at.lower[i] {
                Place::AtLower
            } else if to >= at.upper[i] {
                Place::AtUpper
            } else {
                Place::Between
            }
        })
        .collect()
}

fn is_at(f: f64, bound: f64) -> bool {
    (f - bound).abs() <= AT_BOUND * (1.0 + bound.abs())
}

/// By how much rows are violated: by `φ` between bounds, by the distance from the bound as `φ` counts it at one.
fn violations(
    f: &DVector<f64>,
    at: &Functions,
    places: &[Place],
    scales: &DVector<f64>,
) -> DVector<f64> {
    let of_row = |i: usize| {
        let bound = match places[i] {
            Place::Between => return at.phi[i].abs(),
            Place::AtLower => at.lower[i],
            Place::AtUpper => at.upper[i],
        };
        let off = (f[i] - bound).abs();
        match at.lower[i] <= f[i] && f[i] <= at.upper[i] {
            _ if is_at(f[i], bound) => off * scales[i],
            true => at.phi[i].abs(),
            false => off.max(at.phi[i].abs()),
        }
    };
    DVector::from_fn(f.len(), |i, _| of_row(i))
}

/// `ψ(a, b)` and its derivatives; at the origin those along the diagonal.
fn fischer_burmeister(a: f64, b: f64) -> (f64, f64, f64) {
    let norm = a.hypot(b);
    if norm == 0.0 {
        let slope = std::f64::consts::FRAC_1_SQRT_2 - 1.0;
        return (0.0, slope, slope);
    }
    // Without the loss of digits of √(a² + b²) − a where b is small beside a > 0, and the other way round.
    let value = match a > 0.0 && b > 0.0 {
        true => -2.0 * a * b / (norm + a + b),
        false => norm - a - b,
    };
    (value, a / norm - 1.0, b / norm - 1.0)
}

/// `Ψᵢ`, and its derivatives by `φᵢ/wᵢ`, `fᵢ`, `lᵢ` and `uᵢ`.
fn psi(f: f64, phi: f64, lower: f64, upper: f64) -> (f64, [f64; 4]) {
    // ψ(∞, −φ) = φ.
    let (inner, by_phi, by_gap) = match upper.is_finite() {
        true => {
            let (value, by_gap, by_b) = fischer_burmeister(upper - f, -phi);
            (value, -by_b, by_gap)
        }
        false => (phi, 1.0, 0.0),
    };
    let (value, by_lower_gap, by_inner) = match lower.is_finite() {
        true => fischer_burmeister(f - lower, inner),
        false => (-inner, 0.0, -1.0),
    };
    let by_f = by_lower_gap - by_inner * by_gap;
    (
        value,
        [by_inner * by_phi, by_f, -by_lower_gap, by_inner * by_gap],
    )
}

fn merit(f: &DVector<f64>, at: &Functions, scales: &DVector<f64>) -> f64 {
    let of_row = |i: usize| psi(f[i], at.phi[i] / scales[i], at.lower[i], at.upper[i]).0;
    (0..f.len()).map(|i| of_row(i).powi(2)).sum::<f64>() * 0.5
}

/// The Jacobian of the rows as equations of where they are.
pub(crate) fn jacobian_of_places(at: &Functions, places: &[Place]) -> DMatrix<f64> {
    let [by_phi, by_lower, by_upper] = &at.by_force;
    let mut jacobian = by_phi.clone();
    for (i, place) in places.iter().enumerate() {
        let bound = match place {
            Place::Between => continue,
            Place::AtLower => by_lower,
            Place::AtUpper => by_upper,
        };
        jacobian.row_mut(i).copy_from(&-bound.row(i));
        jacobian[(i, i)] += 1.0;
    }
    jacobian
}

fn newton_of_places(
    f: &DVector<f64>,
    at: &Functions,
    places: &[Place],
    scales: &DVector<f64>,
) -> Option<DVector<f64>> {
    let mut jacobian = jacobian_of_places(at, places);
    let mut residual = DVector::from_fn(f.len(), |i, _| match places[i] {
        Place::Between => at.phi[i],
        Place::AtLower => f[i] - at.lower[i],
        Place::AtUpper => f[i] - at.upper[i],
    });
    for (i, place) in places.iter().enumerate() {
        if *place == Place::Between {
            jacobian.row_mut(i).unscale_mut(scales[i]);
            residual[i] /= scales[i];
        }
    }
    step(jacobian, residual, 0.0)
}

fn newton_of_merit(
    f: &DVector<f64>,
    at: &Functions,
    scales: &DVector<f64>,
    damping: f64,
) -> Option<DVector<f64>> {
    let [by_phi, by_lower, by_upper] = &at.by_force;
    let mut jacobian = DMatrix::zeros(f.len(), f.len());
    let mut residual = DVector::zeros(f.len());
    for i in 0..f.len() {
        let slopes;
        let phi = at.phi[i] / scales[i];
        (residual[i], slopes) = psi(f[i], phi, at.lower[i], at.upper[i]);
        let [of_phi, of_f, of_lower, of_upper] = slopes;
        let mut row = jacobian.row_mut(i);
        row += by_phi.row(i) * (of_phi / scales[i]);
        row[i] += of_f;
        if of_lower != 0.0 {
            row += by_lower.row(i) * of_lower;
        }
        if of_upper != 0.0 {
            row += by_upper.row(i) * of_upper;
        }
    }
    step(jacobian, residual, damping)
}

/// The solution of `J Δ = −r`; the shortest where there are many, or with damping relative to the largest entry.
fn step(jacobian: DMatrix<f64>, residual: DVector<f64>, damping: f64) -> Option<DVector<f64>> {
    if !jacobian.iter().chain(&residual).all(|x| x.is_finite()) {
        return None;
    }
    let solution = match damping {
        0.0 => {
            let scale = jacobian.amax();
            jacobian
                .svd(true, true)
                .solve(&-residual, 1e-13 * scale)
                .ok()?
        }
        _ => {
            let mut normal = jacobian.tr_mul(&jacobian);
            let shift = damping * normal.amax().max(f64::MIN_POSITIVE);
            for i in 0..normal.nrows() {
                normal[(i, i)] += shift;
            }
            normal.cholesky()?.solve(&-jacobian.tr_mul(&residual))
        }
    };
    solution.iter().all(|x| x.is_finite()).then_some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `φ = A f + b` between constant bounds.
    fn solve_affine(
        a: &DMatrix<f64>,
        b: &DVector<f64>,
        bounds: &[(f64, f64)],
    ) -> Result<Solution, NotSolved> {
        let n = b.len();
        let solved = solve(DVector::zeros(n), 1e-10, |f, at: &mut Functions| {
            at.phi = a * f + b;
            at.lower = DVector::from_iterator(n, bounds.iter().map(|b| b.0));
            at.upper = DVector::from_iterator(n, bounds.iter().map(|b| b.1));
            at.by_force[0].copy_from(a);
            Ok::<(), std::convert::Infallible>(())
        });
        solved.unwrap()
    }

    #[test]
    fn random_problems_are_solved() {
        const INF: f64 = f64::INFINITY;
        let mut state = 1u64;
        let mut random = move || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        for case in 0..300 {
            let n = 1 + case % 7;
            let l = DMatrix::from_fn(n, n, |_, _| random());
            let skew = DMatrix::from_fn(n, n, |_, _| random());
            let a = &l * l.transpose() + DMatrix::identity(n, n) * 0.1 + (&skew - skew.transpose());
            let b = DVector::from_fn(n, |_, _| 3.0 * random());
            let bounds: Vec<_> = (0..n)
                .map(|i| match (i + case) % 4 {
                    0 => (-INF, INF),
                    1 => (0.0, INF),
                    2 => (-INF, random()),
                    _ => (-random().abs(), random().abs()),
                })
                .collect();
            let solution = solve_affine(&a, &b, &bounds).unwrap();
            let phi = &a * &solution.f + &b;
            for (i, &(lower, upper)) in bounds.iter().enumerate() {
                let (f, phi) = (solution.f[i], phi[i]);
                assert!(lower - 1e-9 <= f && f <= upper + 1e-9, "{case}: {f}");
                match solution.places[i] {
                    Place::Between => assert!(phi.abs() < 1e-9, "{case}: {phi}"),
                    Place::AtLower => assert!(f == lower && phi > -1e-9, "{case}: {phi}"),
                    Place::AtUpper => assert!(f == upper && phi < 1e-9, "{case}: {phi}"),
                }
            }
        }
    }

    /// A force that does nothing, as that of a brake on what sticks, may be any; it stays where it is.
    #[test]
    fn a_force_without_effect_is_not_moved() {
        let a = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1e-17]));
        for rate in [3e-17, -3e-17] {
            let b = DVector::from_vec(vec![-1.0, rate]);
            let solution = solve_affine(&a, &b, &[(0.0, 5.0), (-0.4, 0.4)]).unwrap();
            assert!((solution.f[0] - 1.0).abs() < 1e-12);
            assert_eq!(solution.f[1], 0.0);
        }
    }

    /// The tip of a rod that friction turns into the ground while it slides.
    #[test]
    fn friction_that_pushes_into_the_ground_jams() {
        let a = DMatrix::from_row_slice(2, 2, &[1.75, 1.299, 1.299, 3.25]);
        for (fall, friction) in [(-0.01, 2.0), (-1e-4, 2.0), (-1e-4, 5.0), (0.0, 1.4)] {
            let b = DVector::from_vec(vec![fall, 1.0]);
            let solution = solve(DVector::zeros(2), 1e-12, |f, at: &mut Functions| {
                at.phi = &a * f + &b;
                at.lower = DVector::from_vec(vec![0.0, -friction * f[0].max(0.0)]);
                at.upper = DVector::from_vec(vec![f64::INFINITY, friction * f[0].max(0.0)]);
                let slope = if f[0] > 0.0 { friction } else { 0.0 };
                at.by_force = [0; 3].map(|_| DMatrix::zeros(2, 2));
                at.by_force[0].copy_from(&a);
                (at.by_force[1][(1, 0)], at.by_force[2][(1, 0)]) = (-slope, slope);
                Ok::<(), std::convert::Infallible>(())
            });
            let solution = solution.unwrap().unwrap();
            let phi = &a * &solution.f + &b;
            assert!(solution.f[0] >= 0.0 && phi[0] >= -1e-12, "{solution:?}");
            assert!((solution.f[0] * phi[0]).abs() < 1e-12, "{solution:?}");
            let limit = friction * solution.f[0];
            let slides = (solution.f[1] + limit).abs() < 1e-12 && phi[1] > -1e-12;
            let holds = solution.f[1].abs() <= limit && phi[1].abs() < 1e-12;
            assert!(slides || holds, "{solution:?}");
        }
    }

    /// Rows in fine units cannot become zero: what is left is the round-off of what they are made of.
    #[test]
    fn rows_hold_as_round_off_lets_them() {
        for k in 0..100 {
            let (stiffness, target) = (1e8, 0.1 + 0.001 * k as f64);
            let solved = solve(DVector::zeros(1), 1e-11, |f, at: &mut Functions| {
                at.phi[0] = stiffness * ((0.4 + 1e-3 * f[0]) - target);
                (at.lower[0], at.upper[0]) = (f64::NEG_INFINITY, f64::INFINITY);
                at.by_force[0][(0, 0)] = stiffness * 1e-3;
                Ok::<(), std::convert::Infallible>(())
            });
            let force = solved.unwrap().unwrap().f[0];
            assert!((force - 1e3 * (target - 0.4)).abs() < 1e-10, "{force}");
        }
    }

    #[test]
    fn what_has_no_solution_is_named() {
        let (a, b) = (DMatrix::zeros(1, 1), DVector::from_element(1, 2.0));
        let failed = solve_affine(&a, &b, &[(f64::NEG_INFINITY, f64::INFINITY)]).unwrap_err();
        assert_eq!((failed.row, failed.violation), (0, 2.0));
    }
}
