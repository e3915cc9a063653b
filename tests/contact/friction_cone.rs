//! Contact problems with round friction cones: the law, clarabel, derivatives.

use crate::support::cases::tier;
use crate::support::random_tree::Random;
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT,
    SolverStatus, SupportedConeT,
};
use dualbody::solver::friction_cone::{
    ConeState, FrictionConeError, FrictionConeProblem, FrictionConeSolution,
};
use nalgebra::{DMatrix, DVector, Vector2, dmatrix};
use num_dual::{Dual2_64, Dual64};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// `A = J Jᵀ` and `b = J v₀ + k` of rows `J` that many velocities have; some rows of contacts are combinations of others.
#[derive(Debug)]
struct Case {
    rows: DMatrix<f64>,
    free: DVector<f64>,
    equations: usize,
    mu: Vec<f64>,
}

fn random_case(random: &mut Random) -> Case {
    let contacts = random.below(5);
    let (equations, inequalities) = (random.below(3), random.below(3));
    let n = equations + 3 * contacts + inequalities;
    let velocities = n.max(1) + 2;
    let velocities = if random.below(3) == 0 {
        velocities
    } else {
        (n + 3) / 2 + equations
    };
    let mut entry = |_, _| random.signed();
    let mut rows = DMatrix::from_fn(n, velocities, &mut entry);
    // Two contacts of one body that touches a plane share their tangents.
    if contacts > 1 {
        let first = equations;
        for t in 1..3 {
            let row = rows.row(first + t).into_owned();
            rows.row_mut(first + 3 + t).copy_from(&row);
        }
    }
    let free = DVector::from_fn(velocities, |_, _| random.signed());
    let mu = (0..contacts).map(|_| 0.8 * random.signed().abs()).collect();
    Case {
        rows,
        free,
        equations,
        mu,
    }
}

impl Case {
    fn matrix(&self) -> DMatrix<f64> {
        &self.rows * self.rows.transpose()
    }

    fn vector(&self) -> DVector<f64> {
        &self.rows * &self.free
    }

    fn solve(&self) -> Result<FrictionConeSolution<f64>, FrictionConeError> {
        let (matrix, vector) = (self.matrix(), self.vector());
        FrictionConeProblem::new(&matrix, vector.as_slice(), self.equations, &self.mu)?.solve(None)
    }
}

fn tangents(x: &[f64]) -> Vector2<f64> {
    Vector2::new(x[1], x[2])
}

/// The law, from forces alone.
fn assert_solves(case: &Case, solution: &FrictionConeSolution<f64>) {
    let f = DVector::from_column_slice(&solution.forces);
    let w = case.matrix() * &f + case.vector();
    assert!((&w - DVector::from_column_slice(&solution.rates)).amax() < 1e-12 * (1.0 + w.amax()));
    let scale = 1e-7 * (1.0 + f.amax());
    let first = case.equations;
    assert!(w.rows(0, first).iter().all(|w| w.abs() < scale));
    for (c, &mu) in case.mu.iter().enumerate() {
        let i = first + 3 * c;
        let (f, w) = (&f.as_slice()[i..i + 3], &w.as_slice()[i..i + 3]);
        let (friction, slip) = (tangents(f), tangents(w));
        assert!(
            f[0] >= 0.0 && w[0] > -scale && f[0].min(w[0]) < scale,
            "{f:?} {w:?}"
        );
        assert!(friction.norm() <= mu * f[0] + scale, "{f:?}");
        let against = friction * slip.norm() + slip * (mu * f[0]);
        assert!(against.norm() < scale, "{f:?} {w:?}");
        let state = solution.contacts[c];
        assert!(state != ConeState::Open || f[0] == 0.0);
        assert!(state != ConeState::Sticking || slip.norm() < scale);
    }
    for i in first + 3 * case.mu.len()..f.len() {
        assert!(
            f[i] >= 0.0 && w[i] > -scale && f[i].min(w[i]) < scale,
            "{i} {f:?} {w:?} {solution:?} {case:?}"
        );
    }
}

#[test]
fn random_problems_are_solved() {
    let mut random = Random::new(1);
    let (mut states, mut unsolved) = ([0; 3], 0);
    for _ in 0..tier(1_000, 20_000) {
        let problem = random_case(&mut random);
        // More rows than velocities may leave no motion.
        let Ok(solution) = problem.solve() else {
            unsolved += 1;
            continue;
        };
        assert_solves(&problem, &solution);
        for state in &solution.contacts {
            states[*state as usize] += 1;
        }
    }
    assert!(unsolved <= 1, "{unsolved}");
    assert!(states.iter().all(|n| *n > 100), "{states:?}");
}

/// With the speeds `μ‖w_T‖` given, the problem is the optimum of a convex one.
#[test]
fn motions_are_those_of_clarabel() -> Outcome {
    let mut random = Random::new(2);
    let (mut slid, mut compared) = (0, 0);
    for _ in 0..50 {
        let case = random_case(&mut random);
        let n = case.rows.nrows();
        if n == case.equations {
            continue;
        }
        let solution = case.solve()?;
        let mut q = case.vector();
        let mut cones: Vec<SupportedConeT<f64>> = Vec::new();
        let (first, contacts) = (case.equations, case.mu.len());
        // −S f + s = 0 with s in the cones: (μ f_N, f_T), and f of inequalities. Those of equations are free.
        let mut scale = DVector::from_element(n, 1.0);
        for (c, &mu) in case.mu.iter().enumerate() {
            let i = first + 3 * c;
            q[i] += mu * tangents(&solution.rates[i..i + 3]).norm();
            scale[i] = mu;
            cones.push(SecondOrderConeT(3));
            slid += usize::from(solution.contacts[c] == ConeState::Sliding);
        }
        let rest = n - first - 3 * contacts;
        if rest > 0 {
            cones.push(NonnegativeConeT(rest));
        }
        let dense = DMatrix::from_fn(
            n - first,
            n,
            |r, c| if c == r + first { -scale[c] } else { 0.0 },
        );
        let rows: Vec<Vec<f64>> = dense
            .row_iter()
            .map(|r| r.iter().copied().collect())
            .collect();
        let a = CscMatrix::from(&rows);
        let matrix = case.matrix();
        let upper: Vec<Vec<f64>> = (0..n)
            .map(|i| {
                (0..n)
                    .map(|j| if j >= i { matrix[(i, j)] } else { 0.0 })
                    .collect()
            })
            .collect();
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .tol_gap_abs(1e-11)
            .tol_gap_rel(1e-11)
            .tol_feas(1e-11)
            .build()?;
        let zeros = vec![0.0; n - first];
        let mut clarabel = DefaultSolver::new(
            &CscMatrix::from(&upper),
            q.as_slice(),
            &a,
            &zeros,
            &cones,
            settings,
        )?;
        clarabel.solve();
        let change = case.rows.tr_mul(
            &(DVector::from_column_slice(&solution.forces)
                - DVector::from_vec(clarabel.solution.x.clone())),
        );
        if clarabel.solution.status == SolverStatus::Solved {
            assert!(change.amax() < 1e-6, "{change:?}");
            compared += 1;
        }
    }
    assert!(slid > 20 && compared > 35, "{slid} {compared}");
    Ok(())
}

/// First and second derivatives of motions by all of the data along a line, against differences.
#[test]
fn motions_have_the_derivatives_of_differences() -> Outcome {
    let mut random = Random::new(3);
    let (mut compared, mut slid) = (0, 0);
    'cases: for _ in 0..tier(200, 2_000) {
        let case = random_case(&mut random);
        let (n, nv) = (case.rows.nrows(), case.rows.ncols());
        let rows = DMatrix::from_fn(n, nv, |_, _| 0.3 * random.signed());
        let free = DVector::from_fn(nv, |_, _| random.signed());
        let mu: Vec<f64> = case.mu.iter().map(|mu| mu * random.signed()).collect();
        let mut rows = rows;
        if case.mu.len() > 1 {
            for t in 1..3 {
                let row = rows.row(case.equations + t).into_owned();
                rows.row_mut(case.equations + 3 + t).copy_from(&row);
            }
        }
        let motion = |h: Dual2_64| -> Result<(Vec<Dual2_64>, Vec<ConeState>), FrictionConeError> {
            let j = DMatrix::from_fn(n, nv, |i, k| h * rows[(i, k)] + case.rows[(i, k)]);
            let v = DVector::from_fn(nv, |k, _| h * free[k] + case.free[k]);
            let (matrix, vector) = (&j * j.transpose(), &j * &v);
            let mu: Vec<Dual2_64> = case
                .mu
                .iter()
                .zip(&mu)
                .map(|(mu, d)| h * *d + *mu)
                .collect();
            let problem =
                FrictionConeProblem::new(&matrix, vector.as_slice(), case.equations, &mu)?;
            let solution = problem.solve(None)?;
            let change = j.tr_mul(&DVector::from_vec(solution.forces));
            Ok(((change + v).iter().copied().collect(), solution.contacts))
        };
        let (at, states) = motion(Dual2_64::from(0.0).derivative())?;
        // The smallest errors of differences: of higher orders in long steps, of round-off in short ones.
        let mut errors = vec![[f64::INFINITY; 2]; at.len()];
        for h in [1e-3, 1e-4, 1e-5] {
            let (above, of_above) = motion(Dual2_64::from(h).derivative())?;
            let (below, of_below) = motion(Dual2_64::from(-h).derivative())?;
            if of_above != states || of_below != states {
                continue;
            }
            for (i, at) in at.iter().enumerate() {
                let first = (above[i].re - below[i].re) / (2.0 * h);
                let second = (above[i].v1 - below[i].v1) / (2.0 * h);
                let size = 1.0 + at.v1.abs() + at.v2.abs();
                errors[i][0] = errors[i][0].min((at.v1 - first).abs() / size);
                errors[i][1] = errors[i][1].min((at.v2 - second).abs() / size.powi(2));
            }
        }
        for [first, second] in errors {
            if first == f64::INFINITY {
                continue 'cases;
            }
            assert!(first < 1e-6 && second < 1e-4, "{first} {second} {case:?}");
        }
        compared += 1;
        slid += states.iter().filter(|s| **s == ConeState::Sliding).count();
    }
    assert!(compared > 150 && slid > 100, "{compared} {slid}");
    Ok(())
}

/// The answer turns with the question, to round-off.
#[test]
fn cones_are_round() -> Outcome {
    let matrix = DMatrix::identity(3, 3) * 2.0;
    for degrees in 0..360 {
        let angle = f64::from(degrees).to_radians();
        let vector = [-1.0, 3.0 * angle.cos(), 3.0 * angle.sin()];
        let solution = FrictionConeProblem::new(&matrix, &vector, 0, &[0.7])?.solve(None)?;
        let slip = tangents(&solution.rates);
        assert!(
            (slip.norm() - 2.3).abs() < 1e-14
                && (slip.y.atan2(slip.x) - vector[2].atan2(vector[1])).abs() < 1e-14
        );
    }
    Ok(())
}

/// Without friction a contact that rests gives way along its tangents, with all derivatives.
#[test]
fn nothing_sticks_without_friction() -> Outcome {
    let matrix = DMatrix::identity(3, 3);
    let push = Dual64::from(0.0).derivative();
    let vector = [Dual64::from(-1.0), push, Dual64::from(0.0)];
    let mu = [Dual64::from(0.0)];
    let matrix = matrix.map(|x: f64| Dual64::from(x));
    let solution = FrictionConeProblem::new(&matrix, &vector, 0, &mu)?.solve(None)?;
    assert_eq!((solution.forces[0].re, solution.forces[1].re), (1.0, 0.0));
    assert_eq!((solution.rates[1].re, solution.rates[1].eps), (0.0, 1.0));
    // A coefficient that comes in acts against slip.
    let vector = [-1.0, 2.0, 0.0].map(Dual64::from);
    let mu = [Dual64::from(0.0).derivative()];
    let solution = FrictionConeProblem::new(&matrix, &vector, 0, &mu)?.solve(None)?;
    assert!((solution.rates[1].re - 2.0).abs() < 1e-15);
    assert!((solution.rates[1].eps + 1.0).abs() < 1e-15);
    Ok(())
}

/// Numbers that overflow are errors.
#[test]
fn huge_and_tiny_numbers_are_no_trap() -> Outcome {
    for a in [1e-300, 1e-150, 1e150, 1e300] {
        for b in [1e-300, 1.0, 1e300] {
            let mut matrix = DMatrix::identity(3, 3);
            matrix[(0, 0)] = a;
            matrix[(0, 1)] = b;
            let vector = [-b, a, -b];
            let problem = FrictionConeProblem::new(&matrix, &vector, 0, &[0.5])?;
            if let Ok(solution) = problem.solve(None) {
                assert!(
                    solution.forces.iter().all(|f: &f64| f.is_finite()),
                    "{a} {b} {solution:?}"
                );
            }
        }
    }
    Ok(())
}

#[test]
fn what_does_not_fit_is_refused() -> Outcome {
    let one = DMatrix::identity(3, 3);
    let of = |b: &[f64], equations: usize, mu: &[f64]| {
        FrictionConeProblem::new(&one, b, equations, mu).map(|_| ())
    };
    assert!(of(&[0.0; 3], 0, &[0.5]).is_ok());
    for (b, equations, mu) in [
        (&[0.0; 4][..], 0, &[0.5][..]),
        (&[0.0; 3], 1, &[0.5]),
        (&[0.0; 3], 0, &[-0.5]),
        (&[0.0, f64::NAN, 0.0], 0, &[0.5]),
        (&[0.0; 3], usize::MAX, &[]),
    ] {
        assert!(of(b, equations, mu).is_err(), "{b:?} {equations} {mu:?}");
    }
    let vector = [0.0; 3];
    let problem = FrictionConeProblem::new(&one, &vector, 0, &[0.5])?;
    assert!(problem.solve(Some(&[0.0; 2])).is_err());
    assert!(problem.solve(Some(&[f64::INFINITY; 3])).is_err());
    // No force can do anything about it.
    let none = DMatrix::zeros(3, 3);
    let pressed = FrictionConeProblem::new(&none, &[-1.0, 0.0, 0.0], 0, &[0.5])?;
    assert!(matches!(
        pressed.solve(None),
        Err(FrictionConeError::NotConverged { .. })
    ));
    // Nothing at all.
    let empty = DMatrix::<f64>::zeros(0, 0);
    assert!(
        FrictionConeProblem::new(&empty, &[], 0, &[])?
            .solve(None)?
            .forces
            .is_empty()
    );
    let singular = dmatrix![1.0, 1.0; 1.0, 1.0];
    let contradicting = FrictionConeProblem::new(&singular, &[0.0, 1.0], 2, &[])?;
    assert!(contradicting.solve(None).is_err());
    let vector = [Dual64::from(-1.0)];
    let dual = DMatrix::from_element(1, 1, Dual64::from(2.0).derivative());
    let problem = FrictionConeProblem::new(&dual, &vector, 0, &[])?;
    let force = problem.solve(None)?.forces[0];
    assert!((force.re - 0.5).abs() < 1e-15 && (force.eps + 0.25).abs() < 1e-15);
    Ok(())
}
