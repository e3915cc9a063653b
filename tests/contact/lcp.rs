//! The solver of linear complementarity problems: random problems, enumeration, derivatives.

use crate::support::probe::Probe;
use crate::support::random_lcp::{Lcp, arbitrary, friction, number_of_problems, semidefinite};
use crate::support::random_tree::Random;
use crate::support::scenes::geometry;
use dualbody::constraint::{
    ConstraintError, ConstraintMatrices, ConstraintSolver, ConstraintVelProblemData, DenseInertia,
};
use dualbody::contact::{ContactMaterial, ContactModelBuilder};
use dualbody::geometry::Shape;
use dualbody::math::SpatialInertia;
use dualbody::solver::lcp::{
    LcpError, LcpKinkKind, LcpMethod, LcpSolution, LcpSolver, LcpSolverParameters,
    LinearComplementarityProblem,
};
use dualbody::system::{RigidBodySystem, State, SystemOptions, TimeSteppingRigidBodySystem};
use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, Vector3, dmatrix, dvector};
use num_dual::{Dual2_64, Dual3_64, Dual64, DualSVec64, HyperDual64};

fn solver<T: Scalar>(method: LcpMethod) -> LcpSolver<T> {
    let mut parameters = LcpSolverParameters::default();
    parameters.method = method;
    LcpSolver::new(parameters).unwrap()
}

fn solve(solver: &mut LcpSolver<f64>, lcp: &Lcp) -> Result<LcpSolution<f64>, LcpError> {
    let vector = lcp.vector.as_slice();
    let problem = LinearComplementarityProblem::mixed(&lcp.matrix, vector, lcp.free)?;
    solver.solve(problem).cloned()
}

/// Checks a solution by the definition, without the help of the solver.
#[track_caller]
fn assert_solves(lcp: &Lcp, solution: &LcpSolution<f64>) {
    let w = &lcp.matrix * &solution.z + &lcp.vector;
    let terms = lcp.matrix.abs() * solution.z.abs() + lcp.vector.abs();
    let (w_scale, z_scale) = (terms.amax(), solution.z.amax());
    for i in 0..w.len() {
        let (w, z) = (
            w[i] / w_scale.max(1e-300),
            solution.z[i] / z_scale.max(1e-300),
        );
        assert!((w - solution.w[i] / w_scale.max(1e-300)).abs() < 1e-9);
        if i < lcp.free {
            assert!(w.abs() < 1e-9, "equation {i}: {w:e}");
        } else {
            assert!(solution.z[i] >= 0.0 && solution.w[i] >= 0.0);
            assert!(w > -1e-9, "w[{i}] = {w:e}");
            assert!(w.abs().min(z.abs()) < 1e-9, "w ⊥ z at {i}: {w:e}, {z:e}");
        }
    }
    assert!(solution.residual <= 1e-11, "{:e}", solution.residual);
}

#[test]
fn solutions_compare_within_a_tolerance() {
    let (matrix, vector) = (dmatrix![2.0], dvector![-1.0]);
    let lcp = Lcp {
        matrix,
        vector,
        free: 0,
    };
    let found = solve(&mut solver(LcpMethod::Lemke), &lcp).unwrap();
    let mut other = found.clone();
    approx::assert_relative_eq!(found, other);
    other.z[0] += 1e-6;
    approx::assert_abs_diff_eq!(found, other, epsilon = 1e-5);
    approx::assert_relative_ne!(found, other, epsilon = 1e-7, max_relative = 1e-7);
}

#[test]
fn semidefinite_problems_are_solved_by_both_methods() {
    let mut lemke = solver(LcpMethod::Lemke);
    let mut principal = solver(LcpMethod::PrincipalPivoting);
    for seed in 0..number_of_problems() {
        let random = &mut Random::new(seed);
        let n = 1 + random.below(25);
        let rank = random.below(n + 1);
        let lcp = semidefinite(random, n, rank, seed % 2 == 0);
        let a = solve(&mut lemke, &lcp).unwrap_or_else(|e| panic!("{seed} Lemke: {e}"));
        let b = solve(&mut principal, &lcp).unwrap_or_else(|e| panic!("{seed} principal: {e}"));
        assert_solves(&lcp, &a);
        assert_solves(&lcp, &b);
        if seed % 2 == 1 {
            // w is unique for a symmetric semidefinite matrix.
            let scale = a.z.amax().max(b.z.amax()).max(1.0) * n as f64;
            assert!((&a.w - &b.w).amax() < 1e-9 * scale, "{seed}");
        }
    }
}

#[test]
fn friction_problems_are_solved_with_repeated_contacts_too() {
    let mut lemke = solver(LcpMethod::Lemke);
    for seed in 0..number_of_problems() {
        let random = &mut Random::new(seed + 1_000_000);
        let contacts = 1 + random.below(if seed % 50 == 0 { 30 } else { 6 });
        let nv = 3 + random.below(2 * contacts);
        let equations = random.below(nv.min(3));
        let lcp = friction(random, contacts, nv, equations);
        let solution = solve(&mut lemke, &lcp)
            .unwrap_or_else(|e| panic!("{seed}: {contacts} contacts, {nv} velocities: {e}"));
        assert_solves(&lcp, &solution);
    }
}

/// Every complementary basis of a small problem that gives a solution.
fn enumerate(lcp: &Lcp) -> Vec<DVector<f64>> {
    let n = lcp.vector.len();
    let mut solutions = Vec::new();
    for set in 0..1usize << n {
        let active: Vec<usize> = (0..n).filter(|i| set >> i & 1 == 1).collect();
        let block = lcp.matrix.select_rows(&active).select_columns(&active);
        let x = if set == 0 {
            Some(DVector::zeros(0))
        } else {
            block.lu().solve(&-lcp.vector.select_rows(&active))
        };
        let Some(x) = x else {
            continue;
        };
        let mut z = DVector::zeros(n);
        for (&i, &x) in active.iter().zip(x.iter()) {
            z[i] = x;
        }
        let w = &lcp.matrix * &z + &lcp.vector;
        if z.iter().all(|&z| z >= -1e-12) && w.iter().all(|&w| w >= -1e-12) {
            solutions.push(z);
        }
    }
    solutions
}

#[test]
fn small_problems_agree_with_enumeration() {
    let (mut solved, mut infeasible, mut rays) = (0, 0, 0);
    for seed in 0..number_of_problems() {
        let random = &mut Random::new(seed + 2_000_000);
        let n = 1 + random.below(5);
        let lcp = arbitrary(random, n);
        let all = enumerate(&lcp);
        match solve(&mut solver(LcpMethod::Lemke), &lcp) {
            Ok(solution) => {
                solved += 1;
                assert_solves(&lcp, &solution);
                let nearest = all.iter().map(|z| (z - &solution.z).amax());
                assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-8, "{seed}");
            }
            Err(LcpError::Infeasible { violation }) => {
                infeasible += 1;
                assert!(violation > 0.0 && all.is_empty(), "{seed}");
            }
            // A ray says nothing about solutions for such matrices.
            Err(LcpError::Ray { .. }) => rays += 1,
            Err(error) => panic!("{seed}: {error}"),
        }
    }
    assert!(solved > 0 && infeasible > 0 && rays > 0);
}

#[test]
fn semidefinite_problems_without_solution_are_infeasible() {
    // z₁ and z₂ push the same mass in opposite directions: w₁ = z₁ − z₂ − 1, w₂ = z₂ − z₁ − 1.
    let lcp = Lcp {
        matrix: dmatrix![1.0, -1.0; -1.0, 1.0],
        vector: DVector::from_element(2, -1.0),
        free: 0,
    };
    for method in [LcpMethod::Lemke, LcpMethod::PrincipalPivoting] {
        let result = solve(&mut solver(method), &lcp);
        let Err(LcpError::Infeasible { violation }) = result else {
            panic!("{method:?}: {result:?}");
        };
        assert!((violation - 1.0f64).abs() < 1e-12);
    }
}

#[test]
fn a_ray_is_not_infeasibility() {
    // w₁ = 0 z₁ + z₂ − 1 … with M = [0 1; 0 0], q = [−1, 0]: z₂ ≥ 1 satisfies the inequalities, and
    // w₂ = 0 always. z₁ = 0, z₂ = 1 is a solution.
    let solvable = Lcp {
        matrix: dmatrix![0.0, 1.0; 0.0, 0.0],
        vector: DVector::from_vec(vec![-1.0, 0.0]),
        free: 0,
    };
    // With q₂ = 1, w₂ = 1 forbids z₂ > 0: feasible, without solution.
    let ray = Lcp {
        vector: DVector::from_vec(vec![-1.0, 1.0]),
        matrix: solvable.matrix.clone(),
        free: 0,
    };
    assert!(enumerate(&ray).is_empty());
    let result = solve(&mut solver(LcpMethod::Lemke), &ray);
    assert!(matches!(result, Err(LcpError::Ray { .. })), "{result:?}");
    let result = solve(&mut solver(LcpMethod::PrincipalPivoting), &ray);
    assert!(matches!(result, Err(LcpError::Ray { .. })), "{result:?}");
}

#[test]
fn murty_and_fathi_need_exponentially_many_pivots_and_are_solved() {
    // Lemke's method with a covering vector of ones takes 2ⁿ pivots on these (Murty 1978); the
    // solution is known.
    let n = 8;
    let matrix = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 2.0,
    });
    let lcp = Lcp {
        matrix,
        vector: DVector::from_element(n, -1.0),
        free: 0,
    };
    for method in [LcpMethod::Lemke, LcpMethod::PrincipalPivoting] {
        let solution = solve(&mut solver(method), &lcp).unwrap();
        let expected = DVector::from_fn(n, |i, _| f64::from(u8::from(i == 0)));
        assert_eq!(solution.z, expected);
    }
}

#[test]
fn badly_scaled_problems_keep_their_digits() {
    let mut lemke = solver(LcpMethod::Lemke);
    for seed in 0..200 {
        let random = &mut Random::new(seed + 3_000_000);
        let n = 2 + random.below(8);
        let mut lcp = semidefinite(random, n, n, false);
        lcp.matrix += DMatrix::identity(n, n) * 0.1;
        let reference = solve(&mut lemke, &lcp).unwrap();
        let scale = DVector::from_fn(n, |_, _| 10.0f64.powf(6.0 * random.signed()));
        let s = DMatrix::from_diagonal(&scale);
        let scaled = Lcp {
            matrix: &s * &lcp.matrix * &s,
            vector: &s * &lcp.vector,
            free: 0,
        };
        let solution = solve(&mut lemke, &scaled).unwrap();
        assert_eq!(solution.active, reference.active);
        for i in 0..n {
            let z = solution.z[i] * scale[i];
            assert!(
                (z - reference.z[i]).abs() <= 1e-10 * reference.z.amax(),
                "{seed}"
            );
        }
    }
}

#[test]
fn extreme_and_empty_problems_end() {
    let mut lemke = solver(LcpMethod::Lemke);
    let empty = Lcp {
        matrix: DMatrix::zeros(0, 0),
        vector: DVector::zeros(0),
        free: 0,
    };
    assert!(solve(&mut lemke, &empty).unwrap().kinks.is_empty());
    for (m, q) in [
        (0.0, 0.0),
        (0.0, 1.0),
        (1e300, -1e-300),
        (1e-300, -1e300),
        (1e300, -1e300),
        (f64::MIN_POSITIVE, -1.0),
        (1.0, -f64::MIN_POSITIVE),
        (f64::MAX, -f64::MAX),
    ] {
        let lcp = Lcp {
            matrix: dmatrix![m],
            vector: DVector::from_element(1, q),
            free: 0,
        };
        match solve(&mut lemke, &lcp) {
            Ok(solution) => assert!(solution.z[0].is_finite() && solution.w[0].is_finite()),
            Err(error) => assert!(!matches!(error, LcpError::Invalid(_)), "{m} {q}: {error}"),
        }
    }
    let zero = Lcp {
        matrix: dmatrix![0.0],
        vector: DVector::from_element(1, -1.0),
        free: 0,
    };
    let result = solve(&mut lemke, &zero);
    assert!(
        matches!(result, Err(LcpError::Infeasible { .. })),
        "{result:?}"
    );
    // An equation 0 = 0 z does not determine z.
    let free = Lcp { free: 1, ..zero };
    let result = solve(&mut lemke, &free);
    assert!(
        matches!(result, Err(LcpError::SingularEquations(_))),
        "{result:?}"
    );
}

#[test]
fn limits_are_checked_and_respected() {
    let parameters = |max_pivots_per_variable| {
        let mut parameters = LcpSolverParameters::default();
        parameters.max_pivots_per_variable = max_pivots_per_variable;
        parameters
    };
    assert!(LcpSolver::<f64>::new(parameters(0)).is_err());
    let mut zero_tolerance = LcpSolverParameters::default();
    zero_tolerance.residual_tolerance = 0.0;
    assert!(LcpSolver::<f64>::new(zero_tolerance).is_err());
    // With one pivot a variable a path may end early, which must not pass for a solution.
    for seed in 0..50 {
        let lcp = friction(&mut Random::new(seed), 12, 18, 0);
        let mut hurried = LcpSolver::new(parameters(1)).unwrap();
        match solve(&mut hurried, &lcp) {
            Ok(solution) => assert_solves(&lcp, &solution),
            Err(LcpError::PivotLimit { pivots }) => assert!(pivots > 0),
            Err(error) => panic!("{seed}: {error}"),
        }
        assert_solves(&lcp, &solve(&mut default_solver(), &lcp).unwrap());
    }
}

#[test]
fn data_is_checked() {
    let (square, wide) = (DMatrix::<f64>::identity(2, 2), DMatrix::<f64>::zeros(2, 3));
    fn check(m: &DMatrix<f64>, q: &[f64], free: usize) -> &'static str {
        let problem = LinearComplementarityProblem::mixed(m, q, free).map_err(LcpError::Invalid);
        match problem.and_then(|p| default_solver().solve(p).cloned()) {
            Err(LcpError::Invalid(
                InvalidInput::Dimension { quantity, .. }
                | InvalidInput::OutOfRange { quantity, .. }
                | InvalidInput::NotFinite { quantity, .. },
            )) => quantity,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(check(&wide, &[1.0, 1.0], 0), "columns of M");
    assert_eq!(check(&square, &[1.0], 0), "rows of M");
    assert_eq!(check(&square, &[1.0, 1.0], 3), "number of free variables");
    assert_eq!(check(&square, &[1.0, f64::NAN], 0), "q");
    let infinite = dmatrix![f64::INFINITY];
    assert_eq!(check(&infinite, &[1.0], 0), "M");
}

/// A direction in the space of `M` and `q`.
fn along<T: Probe>(lcp: &Lcp, direction: &Lcp) -> (DMatrix<T>, DVector<T>) {
    (
        lcp.matrix.zip_map(&direction.matrix, T::along),
        lcp.vector.zip_map(&direction.vector, T::along),
    )
}

/// `z` by Gaussian elimination in dual numbers on the given active set, a second route.
fn by_elimination<T: Scalar>(
    matrix: &DMatrix<T>,
    vector: &DVector<T>,
    basic: &[usize],
) -> DVector<T> {
    if basic.is_empty() {
        return DVector::zeros(vector.len());
    }
    let block = matrix.select_rows(basic).select_columns(basic);
    let x = block.lu().solve(&-vector.select_rows(basic)).unwrap();
    let mut z = DVector::zeros(vector.len());
    for (&i, &x) in basic.iter().zip(x.iter()) {
        z[i] = x;
    }
    z
}

fn check_derivatives<T: Probe>() {
    for seed in 0..100 {
        let random = &mut Random::new(seed + 4_000_000);
        let (lcp, n) = if seed % 2 == 0 {
            let lcp = friction(random, 1, 6, 2);
            let n = lcp.vector.len();
            (lcp, n)
        } else {
            let n = 1 + random.below(8);
            (semidefinite(random, n, n, true), n)
        };
        let direction = arbitrary(random, n);
        let (matrix, vector) = along::<T>(&lcp, &direction);
        let problem =
            LinearComplementarityProblem::mixed(&matrix, vector.as_slice(), lcp.free).unwrap();
        let mut solver = solver::<T>(LcpMethod::Lemke);
        let solution = solver.solve(problem).unwrap();
        let basic: Vec<usize> = (0..lcp.free)
            .chain(solution.active.iter().copied())
            .collect();
        let expected = by_elimination(&matrix, &vector, &basic);
        let w = &matrix * &expected + &vector;
        for i in 0..n {
            let is_basic = basic.contains(&i);
            let w = if is_basic { T::zero() } else { w[i] };
            for (actual, expected) in [(solution.z[i], expected[i]), (solution.w[i], w)] {
                let (a, e) = (actual.derivatives(), expected.derivatives());
                for (a, e) in a.iter().zip(&e) {
                    let scale = e.abs().max(1.0) * solution.z.amax().re().max(1.0);
                    assert!((a - e).abs() < 1e-6 * scale, "{seed} {i}: {a} {e}");
                }
            }
            if !is_basic {
                assert!(solution.z[i].derivatives().iter().all(|&d| d == 0.0));
            }
        }
        // The real part is that of the f64 solve, bit for bit.
        let real = solve(&mut default_solver(), &lcp).unwrap();
        assert_eq!(solution.z.map(|z| z.re()), real.z);
        assert_eq!(solution.w.map(|w| w.re()), real.w);
    }
}

fn default_solver() -> LcpSolver<f64> {
    solver(LcpMethod::Lemke)
}

#[test]
fn derivatives_are_those_of_elimination_with_every_scalar() {
    check_derivatives::<Dual64>();
    check_derivatives::<DualSVec64<3>>();
    check_derivatives::<Dual2_64>();
    check_derivatives::<HyperDual64>();
    check_derivatives::<Dual3_64>();
}

#[test]
fn derivatives_are_those_of_central_differences() {
    let h = 1e-6;
    let mut compared = 0;
    for seed in 0..100 {
        let random = &mut Random::new(seed + 5_000_000);
        let n = 2 + random.below(6);
        let lcp = semidefinite(random, n, n, false);
        let direction = arbitrary(random, n);
        let moved = |t: f64| Lcp {
            matrix: &lcp.matrix + &direction.matrix * t,
            vector: &lcp.vector + &direction.vector * t,
            free: 0,
        };
        let (matrix, vector) = along::<Dual2_64>(&lcp, &direction);
        let problem = LinearComplementarityProblem::new(&matrix, vector.as_slice()).unwrap();
        let mut dual = solver::<Dual2_64>(LcpMethod::Lemke);
        let solution = dual.solve(problem).unwrap();
        let nearest = solution.kinks.iter().map(|k| k.distance);
        if nearest.fold(f64::INFINITY, f64::min) < 0.01 || solution.z.amax().re > 20.0 {
            continue;
        }
        compared += 1;
        let at = |t: f64| solve(&mut default_solver(), &moved(t)).unwrap().z;
        let (plus, minus, wide) = (at(h), at(-h), 1e-4);
        let (above, here, below) = (at(wide), at(0.0), at(-wide));
        for i in 0..n {
            let first = (plus[i] - minus[i]) / (2.0 * h);
            let second = (above[i] - 2.0 * here[i] + below[i]) / (wide * wide);
            let z = solution.z[i];
            assert!((z.v1 - first).abs() < 1e-4 * (1.0 + first.abs()), "{seed}");
            assert!(
                (z.v2 - second).abs() < 1e-2 * (1.0 + second.abs()) * 10.0,
                "{seed}"
            );
        }
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn kinks_have_their_distance_and_weakly_active_indices_are_named() {
    let solve = |q: f64| {
        let lcp = Lcp {
            matrix: dmatrix![2.0, 0.0; 0.0, 1.0],
            vector: DVector::from_vec(vec![q, 3.0]),
            free: 0,
        };
        solve(&mut default_solver(), &lcp).unwrap()
    };
    let pushed = solve(-1.0);
    assert_eq!(pushed.active, [0]);
    let kinks: Vec<_> = (pushed.kinks.iter())
        .map(|k| (k.kind, k.index, k.distance))
        .collect();
    assert_eq!(
        kinks,
        [
            (LcpKinkKind::Release, 0, 0.5),
            (LcpKinkKind::Activation, 1, 3.0)
        ]
    );
    assert!(pushed.weakly_active.is_empty());
    let touching = solve(0.0);
    assert_eq!(touching.weakly_active, [0]);
    assert_eq!(touching.kinks[0].distance, 0.0);
}

#[test]
fn results_are_reproducible_after_other_problems() {
    let random = &mut Random::new(9);
    let (first, other) = (friction(random, 3, 8, 1), friction(random, 5, 9, 2));
    let mut solver = default_solver();
    let fresh = solve(&mut solver, &first).unwrap();
    solve(&mut solver, &other).unwrap();
    assert_eq!(solve(&mut solver, &first).unwrap(), fresh);
}

/// A mass of 1 kg between two planar contacts with normals (±cos a, sin a), at rest, that stabilisation
/// moves out of both at the speed `−k`.
fn wedge(a: f64, mu: f64, k: f64) -> ConstraintVelProblemData<f64, ConstraintMatrices<f64>> {
    let (sin, cos) = a.sin_cos();
    let inertia = DenseInertia::new(DMatrix::identity(2, 2)).unwrap();
    let mut operators = ConstraintMatrices::unconstrained(inertia);
    operators.n = dmatrix![cos, sin; -cos, sin];
    operators.f = dmatrix![-sin, cos; sin, cos];
    let mut data = ConstraintVelProblemData::new(operators);
    data.set_rigid(0, dvector![mu, mu], vec![1, 1], 0).unwrap();
    data.kN = dvector![k, k];
    data
}

/// Where friction jams the mass, no impulse moves it out of both: its normal forces press on each other.
#[test]
fn jammed_contacts_are_an_error_and_others_are_solved() {
    let mut solver = ConstraintSolver::<f64>::default();
    let (mut solved, mut jammed) = (0, 0);
    for i in 0..40 {
        let a = 0.0615f64 + 0.01 * i as f64;
        for factor in [0.5, 0.9, 0.99, 1.01, 1.1, 2.0, 5.0] {
            for k in [-0.01, -1e-3, 0.0, 1e-9] {
                let mut data = wedge(a, factor * a.tan(), k);
                match solver.solve_velocities(&mut data) {
                    Ok(solution) => {
                        solved += 1;
                        assert!(k >= 0.0 || factor < 1.0, "{a} {factor} {k}");
                        let separation = &data.operators.n * solution.generalized_velocity;
                        assert!(separation.min() + k > -1e-12, "{a} {factor} {k}");
                        let each = (-k).max(0.0) / (2.0 * a.sin().powi(2) * (1.0 - factor).abs());
                        for &normal in solution.impulses.normal() {
                            assert!((normal - each).abs() <= 1e-9 * each, "{a} {factor} {k}");
                        }
                    }
                    Err(ConstraintError::Unbounded { .. }) => {
                        jammed += 1;
                        assert!(k < 0.0 && factor > 1.0, "{a} {factor} {k}");
                    }
                    Err(error) => panic!("{a} {factor} {k}: {error}"),
                }
            }
        }
    }
    assert!(solved == 40 * (3 * 4 + 4 * 2) && jammed == 40 * 4 * 2);
}

/// A row is judged by its own size, not by that of others that have nothing to do with it.
#[test]
fn small_rows_beside_large_ones_are_solved_too() {
    for large in [1e6, 1e12, 1e18, 1e100] {
        for method in [LcpMethod::Lemke, LcpMethod::PrincipalPivoting] {
            let lcp = Lcp {
                matrix: DMatrix::identity(4, 4),
                vector: dvector![-large, -1.0, -2.0, 3.0],
                free: 0,
            };
            let solution = solve(&mut solver(method), &lcp).unwrap();
            assert_eq!(solution.z, dvector![large, 1.0, 2.0, 0.0], "{method:?}");
            assert_eq!(solution.w, dvector![0.0, 0.0, 0.0, 3.0], "{method:?}");
        }
    }
}

/// An exact solution of 10¹⁵ times the size of `q` says more about the last bits of `M` than about `q`.
#[test]
fn solutions_in_which_q_is_lost_are_refused() {
    let lcp = Lcp {
        matrix: dmatrix![1.0, -1.0; -1.0, 1.0 + 4.0 * f64::EPSILON],
        vector: dvector![-1.0, -1.0],
        free: 0,
    };
    for method in [LcpMethod::Lemke, LcpMethod::PrincipalPivoting] {
        let result = solve(&mut solver(method), &lcp);
        assert!(result.is_err(), "{method:?}: {result:?}");
    }
}

/// Ten boxes on each other, the uppermost of 69 kg: as many ways to share the weight as there are
/// corners, and velocities at rest that are round-off.
#[test]
fn a_heavy_box_on_a_stack_is_solved_whatever_the_round_off() {
    let (count, size) = (10, Vector3::new(0.4, 0.4, 0.2));
    let mut tree = RigidBodyTreeBuilder::new();
    let mut contact = ContactModelBuilder::new();
    let material = ContactMaterial::new(1e5, 0.0, 0.5).unwrap();
    let ground = geometry("ground", BodyIndex::WORLD, Shape::HalfSpace, material);
    contact.add_geometry(ground).unwrap();
    for k in 0..count {
        let (name, mass) = (format!("box{k}"), if k + 1 == count { 69.0 } else { 1.0 });
        let inertia = SpatialInertia::solid_box(mass, &size);
        let body = tree.add_body(&name, inertia).unwrap();
        let shape = Shape::new_box(size).unwrap();
        contact
            .add_geometry(geometry(&name, body, shape, material))
            .unwrap();
    }
    let tree = tree.finish().unwrap();
    let contact = contact.finish(&tree).unwrap();
    let mut options = SystemOptions::default();
    options.overlap_decay = 0.05;
    let system = RigidBodySystem::new(tree, contact).unwrap();
    let system = system.with_options(options).unwrap();
    let system = TimeSteppingRigidBodySystem::rigid(system, 0.01).unwrap();
    let mut q = system.tree().neutral_configuration();
    for k in 0..count {
        q[7 * k + 6] = 0.1 + 0.2 * k as f64;
    }
    let mut workspace = system.workspace().unwrap();
    for seed in 0..24 {
        let random = &mut Random::new(seed);
        let speed = 10f64.powi(-7 - (seed % 6) as i32);
        let v = DVector::from_fn(6 * count, |_, _| speed * random.signed());
        let mut step = system
            .step(&mut workspace, &State::new(q.clone(), v), &[])
            .unwrap_or_else(|error| panic!("{seed}: {error}"));
        let contacts = step.contacts().unwrap().iter();
        let weight: f64 = contacts.take(4).map(|c| c.force_on_a().z).sum();
        assert!((weight - 78.0 * 9.81).abs() < 1e-2, "{seed}: {weight}");
    }
}

/// A mechanism of one degree of freedom, with two equations, whose foot comes to rest on the ground: its normal
/// and its sliding stop at once, so that the rows of both say the same. Forces without friction solve it.
#[test]
fn a_contact_that_stops_a_mechanism_in_both_directions_is_solved() {
    let (n, t, c) = (
        2.690_609_484_428_937,
        0.915_728_853_788_518_4,
        1.333_703_827_624_002_8,
    );
    let (a, b, d) = (
        4.665_650_456_936_583,
        -0.224_010_641_704_422_75,
        1.256_435_071_238_699_1,
    );
    let (e, f) = (2.962_605_539_922_210_4, 0.748_288_829_304_211_5);
    #[rustfmt::skip]
    let m = DMatrix::from_row_slice(8, 8, &[
        a, b, f, 0.0, d, 0.0, -d, 0.0,
        b, e, n, 0.0, t, 0.0, -t, 0.0,
        f, n, n, 0.0, t, 0.0, -t, 0.0,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        d, t, t, 0.0, c, 0.0, -c, 1.0,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        -d, -t, -t, 0.0, -c, 0.0, c, 1.0,
        0.0, 0.0, 0.4, -1.0, -1.0, -1.0, -1.0, 0.0,
    ]);
    let slide = 0.002_317_642_499_214_853_4;
    let q = DVector::from_vec(vec![
        -0.003_815_086_746_960_552,
        -0.006_031_454_879_729_595,
        -0.006_565_111_140_995_975_5,
        0.0,
        -slide,
        0.0,
        slide,
        0.0,
    ]);
    let problem = LinearComplementarityProblem::mixed(&m, q.as_slice(), 2).unwrap();
    let mut solver = LcpSolver::default();
    let solution = solver.solve(problem).unwrap();
    assert!(solution.z[2] > 1e-3 && solution.residual < 1e-9);
    let w = &m * &solution.z + &q;
    assert!(w.rows(0, 2).amax() < 1e-12 && w.rows(2, 6).min() > -1e-12);
}

/// Forty rows of which three are independent, all active at the start: 37 variables are left out, and no path is
/// followed.
#[test]
fn an_active_set_of_dependent_rows_is_reduced_to_independent_ones() {
    const ROWS: usize = 40;
    let mut random = Random::new(11);
    for case in 0..20 {
        let mut solver = LcpSolver::default();
        solver.set_warm_start(true);
        let apart = DMatrix::identity(ROWS, ROWS);
        let all = vec![-1.0; ROWS];
        let problem = LinearComplementarityProblem::new(&apart, &all).unwrap();
        assert_eq!(solver.solve(problem).unwrap().active.len(), ROWS);

        let rows = DMatrix::from_fn(ROWS, 3, |_, _| 1.0 + 0.5 * random.signed());
        let matrix = &rows * rows.transpose();
        // What forces of all of them would move.
        let forces = DVector::from_fn(ROWS, |_, _| 0.55 + 0.45 * random.signed());
        let vector = -&matrix * forces;
        let problem = LinearComplementarityProblem::new(&matrix, vector.as_slice()).unwrap();
        let solution = solver.solve(problem).unwrap();
        assert_eq!(solution.pivots, 0, "case {case}");
        assert!(solution.active.len() <= 3, "{:?}", solution.active);
        assert!(solution.z.iter().all(|&z| z >= 0.0));
        let w = &matrix * &solution.z + &vector;
        assert!(w.amax() < 1e-10 * vector.amax(), "{w}");
    }
}

/// A problem that is not solved leaves nothing that the next one could go on from.
#[test]
fn nothing_goes_on_from_a_problem_without_solution() {
    let solvable = (DMatrix::identity(2, 2), [-1.0, -2.0]);
    for size in [1, 5] {
        let impossible = (DMatrix::zeros(size, size), vec![-1.0; size]);
        let mut solver = LcpSolver::new(Default::default()).unwrap();
        for warm_start in [false, true] {
            solver.set_warm_start(warm_start);
            let problem = LinearComplementarityProblem::new(&solvable.0, &solvable.1).unwrap();
            assert_eq!(solver.solve(problem).unwrap().z.as_slice(), [1.0, 2.0]);
            solver.set_warm_start(false);
            let problem = LinearComplementarityProblem::new(&impossible.0, &impossible.1).unwrap();
            assert!(solver.solve(problem).is_err());
        }
    }
}
