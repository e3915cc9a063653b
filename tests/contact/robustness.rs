//! The implicit Stribeck solver on anything that a user may pass: solved, or refused for a reason.

use crate::support::cases::tier;
use crate::support::contact_problem::{Data, Normal};
use crate::support::probe::Probe;
use crate::support::random_contact::{Random, add_rotational_friction, any_problem};
use dualbody::math::Factorization;
use dualbody::solver::ImplicitStribeckSolver;
use dualbody::solver::implicit_stribeck::{
    ImplicitStribeckSolverError, OneWayCoupledProblem, Solution, Strategy, StribeckCurve,
    TwoWayCoupledProblem,
};
use nalgebra::{DMatrix, DVector, RowDVector, dmatrix};
use num_dual::Dual64;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

fn solve<'s, T: dualbody::Scalar>(
    solver: &'s mut ImplicitStribeckSolver<T>,
    data: &Data<T>,
    guess: &[T],
) -> Result<&'s Solution<T>, ImplicitStribeckSolverError> {
    match data.normal {
        Normal::Given(_) => solver.solve(data.one_way(), data.dt, guess),
        Normal::Compliant { .. } => solver.solve(data.two_way(), data.dt, guess),
    }
}

/// `‖M v − p* − δt F‖ / max(‖p*‖, ‖δt F‖)` with the contact forces `F` of a solution, in the norm
/// that the solver promises.
fn residual(data: &Data<f64>, s: &Solution<f64>) -> f64 {
    let p = DVector::from_column_slice(&data.p_star);
    let impulse = &s.generalized_contact_forces * data.dt;
    let diagonal = data.mass.diagonal();
    let norm = |x: &DVector<f64>| x.component_div(&diagonal).dot(x).sqrt();
    let r = &data.mass * &s.velocities - &p - &impulse;
    norm(&r) / norm(&p).max(norm(&impulse))
}

/// The residual at the velocities of a solution, with contact velocities in twice the precision.
fn residual_of_velocities(data: &Data<f64>, v: &DVector<f64>) -> f64 {
    let product = |row: nalgebra::MatrixView1xX<'_, f64, nalgebra::Dyn, nalgebra::Dyn>| {
        let (mut sum, mut lost) = (0.0, 0.0);
        for (j, v) in row.iter().zip(v) {
            let term = j * v;
            let total: f64 = sum + term;
            let part = total - sum;
            lost += j.mul_add(*v, -term) + (sum - (total - part)) + (term - part);
            sum = total;
        }
        sum + lost
    };
    let tolerance = data.stiction_tolerance;
    let mut impulse = DVector::zeros(v.len());
    for c in 0..data.mu.len() {
        let vn = product(data.jn.row(c).as_view());
        let vt = [0, 1].map(|t| product(data.jt.row(2 * c + t).as_view()));
        let normal = match &data.normal {
            Normal::Given(forces) => forces[c],
            Normal::Compliant {
                x0,
                stiffness,
                dissipation,
            } => {
                let penetration = (x0[c] - data.dt * vn).max(0.0);
                stiffness[c] * (1.0 - dissipation[c] * vn).max(0.0) * penetration
            }
        };
        let slip = f64::hypot(
            f64::hypot(vt[0], vt[1]),
            tolerance * data.relative_tolerance,
        );
        let s = slip / tolerance;
        let mu = data.mu[c] * if s < 1.0 { s * (2.0 - s) } else { 1.0 };
        impulse += data.jn.row(c).transpose() * (normal * data.dt);
        for (t, vt) in vt.iter().enumerate() {
            let friction = -mu * normal * vt / slip;
            impulse += data.jt.row(2 * c + t).transpose() * (friction * data.dt);
        }
    }
    let p = DVector::from_column_slice(&data.p_star);
    let diagonal = data.mass.diagonal();
    let norm = |x: &DVector<f64>| x.component_div(&diagonal).dot(x).sqrt();
    norm(&(&data.mass * v - &p - &impulse)) / norm(&p).max(norm(&impulse))
}

/// What is said of the velocities that are returned, which are `f64`, is true of them.
#[test]
fn a_solution_says_the_residual_of_its_rounded_velocities() {
    let (mut random, mut coarse) = (Random::new(7), 0);
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    for i in 0..20_000 {
        let data = any_problem(&mut random);
        // One body, so one island, and forces that all act.
        if data.p_star.len() > 6 || data.friction_only.contains(&true) {
            continue;
        }
        let s = solve(&mut solver, &data, &data.v0).unwrap();
        let (said, is) = (
            s.statistics.rounded_residual,
            residual_of_velocities(&data, &s.velocities),
        );
        assert!(said >= 0.0 && s.statistics.residual <= 1e-9);
        if said > 1e-9 {
            coarse += 1;
            assert!(
                (said / is - 1.0).abs() < 1e-2,
                "problem {i}: {said:e} {is:e}"
            );
        } else {
            assert!(is < 1.1e-9, "problem {i}: {said:e} {is:e}");
        }
    }
    assert!(coarse > 0);
}

/// A sum of products with its rounding errors.
#[derive(Clone, Copy, Default)]
struct ExactSum {
    sum: f64,
    lost: f64,
}

impl ExactSum {
    fn add(&mut self, a: f64, b: f64) {
        let term = a * b;
        let total = self.sum + term;
        let part = total - self.sum;
        self.lost += a.mul_add(b, -term) + (self.sum - (total - part)) + (term - part);
        self.sum = total;
    }
}

/// The residual of the velocities and forces of a solution, with sums in twice the precision.
fn exact_residual(data: &Data<f64>, s: &Solution<f64>) -> f64 {
    let nv = data.p_star.len();
    let (mut residual, mut impulse) = (0.0f64, 0.0f64);
    let mut start = 0.0f64;
    for i in 0..nv {
        let [mut r, mut of_contacts] = [ExactSum::default(); 2];
        for c in 0..data.mu.len() {
            let rows = [
                (data.jn[(c, i)], s.normal_forces[c]),
                (data.jt[(2 * c, i)], s.friction_forces[2 * c]),
                (data.jt[(2 * c + 1, i)], s.friction_forces[2 * c + 1]),
            ];
            for (j, force) in rows {
                let product = data.dt * force;
                of_contacts.add(j, product);
                of_contacts.add(j, data.dt.mul_add(force, -product));
            }
        }
        for j in 0..nv {
            r.add(data.mass[(i, j)], s.velocities[j]);
        }
        for term in [data.p_star[i], of_contacts.sum, of_contacts.lost] {
            r.add(-1.0, term);
        }
        let weight = 1.0 / data.mass[(i, i)];
        residual += weight * (r.sum + r.lost).powi(2);
        impulse += weight * (of_contacts.sum + of_contacts.lost).powi(2);
        start += weight * data.p_star[i].powi(2);
    }
    (residual / start.max(impulse)).sqrt()
}

/// A body between pairs of contacts that press on it from opposite sides, so that little is left of their forces.
fn squeezed(random: &mut Random) -> Data<f64> {
    let (nv, pairs) = (6, 1 + random.index(3));
    let nc = 2 * pairs;
    let mut data = Data {
        dt: random.logarithmic(1e-4, 1e-2),
        mass: DMatrix::from_diagonal(&DVector::from_fn(nv, |_, _| random.uniform(0.5, 2.0))),
        jn: DMatrix::zeros(nc, nv),
        jt: DMatrix::zeros(2 * nc, nv),
        v0: vec![0.0; nv],
        p_star: (0..nv).map(|_| random.uniform(-0.1, 0.1)).collect(),
        mu: vec![random.uniform(0.1, 1.0); nc],
        stribeck: Vec::new(),
        friction_only: Vec::new(),
        normal: Normal::Given(Vec::new()),
        stiction_tolerance: 1e-4,
        relative_tolerance: 1e-2,
    };
    let (mut x0, mut stiffness) = (Vec::new(), Vec::new());
    for pair in 0..pairs {
        let (depth, k) = (random.uniform(1e-4, 1e-3), random.logarithmic(1e8, 1e12));
        for side in [0, 1] {
            let c = 2 * pair + side;
            x0.push(depth);
            stiffness.push(k);
            for i in 0..nv {
                data.jn[(c, i)] = match side {
                    0 => random.uniform(-1.0, 1.0),
                    _ => -data.jn[(c - 1, i)],
                };
                for t in [2 * c, 2 * c + 1] {
                    data.jt[(t, i)] = random.uniform(-1.0, 1.0);
                }
            }
        }
    }
    data.normal = Normal::Compliant {
        x0,
        stiffness,
        dissipation: vec![0.0; nc],
    };
    data
}

/// What is said of velocities and forces is true of them as they are returned, also where forces that are much larger than the
/// momenta balance each other.
#[test]
fn a_solution_says_the_residual_of_its_forces() {
    let (mut random, mut coarse) = (Random::new(3), 0);
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    for i in 0..tier(300, 3000) {
        let data = match i % 3 {
            0 => any_problem(&mut random),
            _ => squeezed(&mut random),
        };
        if data.p_star.len() > 6 || data.friction_only.contains(&true) {
            continue;
        }
        let (said, is) = match solve(&mut solver, &data, &data.v0) {
            Ok(s) => (s.statistics.residual, exact_residual(&data, s)),
            Err(ImplicitStribeckSolverError::NotConverged { last }) => {
                (last.statistics.residual, exact_residual(&data, &last))
            }
            Err(error) => panic!("problem {i}: {error}"),
        };
        coarse += usize::from(is > 1e-10);
        assert!(
            (said - is).abs() <= 1e-3 * is + 1e-12,
            "problem {i}: {said:e} {is:e}"
        );
    }
    assert!(coarse > 10, "{coarse}");
}

/// How many problems: `DUALBODY_CONTACT_PROBLEMS`, or a number that a test can afford.
fn count() -> usize {
    std::env::var("DUALBODY_CONTACT_PROBLEMS").map_or(2000, |n| n.parse().expect("a number"))
}

/// No failure, no success with more than the promised residual, and 99.9 % of the problems within 30 times the
/// iterations, of all strategies that were tried, of the median of problems of the same size: bodies, contacts to a
/// body, and kind of mass matrix. Prints what solved how many, and how long it took.
#[test]
fn every_problem_is_solved() {
    solve_many(any_problem, 30.0);
}

/// Nor where static friction is apart from dynamic friction, above or below it, and the one turns into the other
/// within any speed.
#[test]
fn every_problem_with_static_friction_is_solved() {
    let draw = |random: &mut Random| {
        let mut data = any_problem(random);
        draw_curves(&mut data, random);
        data
    };
    solve_many(draw, 60.0);
}

/// Nor where contacts resist spinning and rolling, which nothing bounds but their own law.
#[test]
fn every_problem_with_rotational_friction_is_solved() {
    let draw = |random: &mut Random| {
        let mut data = any_problem(random);
        add_rotational_friction(&mut data, random);
        data
    };
    solve_many(draw, 60.0);
}

/// An error holds the last iterate with the residual of the problem itself, not of one on the way to it.
#[test]
fn an_error_says_the_residual_of_its_iterate() {
    let (mut random, mut failed) = (Random::new(5), 0);
    while failed < tier(3, 20) {
        let data = any_problem(&mut random);
        let mut parameters = data.parameters();
        parameters.max_iterations = 2;
        let mut solver = ImplicitStribeckSolver::new(parameters).unwrap();
        // The residual of a problem is the largest of those of its islands.
        if data.p_star.len() > 6 {
            continue;
        }
        if let Err(ImplicitStribeckSolverError::NotConverged { last }) =
            solve(&mut solver, &data, &data.v0)
        {
            let (said, is) = (last.statistics.residual, residual(&data, &last));
            assert!(
                said > 1e-9 && (said / is - 1.0).abs() < 1e-3,
                "{said:e} {is:e}"
            );
            failed += 1;
        }
    }
}

/// A solve ends after as many iterations as it may make, whatever it tries.
#[test]
fn iterations_of_all_strategies_are_bounded() {
    let mut random = Random::new(9);
    let (mut ended, mut strategies) = (0, BTreeSet::new());
    for _ in 0..tier(600, 3000) {
        let data = any_problem(&mut random);
        for most in [1, 7, 40, 200] {
            let mut parameters = data.parameters();
            (parameters.max_iterations, parameters.max_total_iterations) = (4, most);
            let mut solver = ImplicitStribeckSolver::new(parameters).unwrap();
            let statistics = match solve(&mut solver, &data, &data.v0) {
                Ok(solution) => solution.statistics.clone(),
                Err(ImplicitStribeckSolverError::NotConverged { last }) => {
                    ended += 1;
                    strategies.insert(last.statistics.strategy);
                    last.statistics
                }
                Err(ImplicitStribeckSolverError::SingularJacobian { last, .. }) => last.statistics,
                Err(error) => panic!("{error}"),
            };
            assert!(
                statistics.iterations() <= most,
                "{}",
                statistics.iterations()
            );
        }
    }
    assert!(ended > 10 && strategies.len() > 1, "{ended} {strategies:?}");
}

fn draw_curves(data: &mut Data<f64>, random: &mut Random) {
    let curve = |_: &f64| StribeckCurve {
        static_friction: random.uniform(0.0, 3.0),
        velocity: random.logarithmic(1e-5, 1e1),
    };
    data.stribeck = data.mu.iter().map(curve).collect();
}

fn solve_many(draw: impl Fn(&mut Random) -> Data<f64>, most_iterations: f64) {
    let mut random = Random::new(1);
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    let mut strategies = BTreeMap::new();
    let mut sizes: BTreeMap<_, Vec<(f64, usize)>> = BTreeMap::new();
    let mut worst = 0.0f64;
    for i in 0..count() {
        let data = draw(&mut random);
        let start = Instant::now();
        let solution = solve(&mut solver, &data, &data.v0);
        let time = start.elapsed().as_secs_f64();
        let s = solution.unwrap_or_else(|error| panic!("problem {i}: {error}"));
        assert!(
            s.statistics.residual <= 1e-9,
            "problem {i}: {:e}",
            s.statistics.residual
        );
        let residual = residual(&data, s);
        assert!(residual <= 1.01e-9, "problem {i}: {residual:e}");
        worst = worst.max(residual);
        *strategies
            .entry(format!("{:?}", s.statistics.strategy))
            .or_insert(0) += 1;
        let (nv, nc) = (data.p_star.len(), data.mu.len());
        let size = (nv, (6 * nc).div_ceil(nv), data.mass[(0, 1)] != 0.0);
        (sizes.entry(size).or_default()).push((time, s.statistics.iterations()));
    }
    println!("{strategies:?}, largest residual {worst:e}");
    for (what, of) in [
        ("time", (|x| x.0) as fn(&(f64, usize)) -> f64),
        ("iterations", |x| x.1 as f64),
    ] {
        let mut ratios = Vec::new();
        for problems in sizes.values() {
            let mut values: Vec<f64> = problems.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            let median = values[values.len() / 2];
            ratios.extend(values.iter().map(|x| x / median));
        }
        ratios.sort_by(f64::total_cmp);
        let quantile = |q: f64| ratios[((ratios.len() - 1) as f64 * q) as usize];
        println!(
            "{what} in medians: 99 % {:.1}, 99.9 % {:.1}, largest {:.1}",
            quantile(0.99),
            quantile(0.999),
            quantile(1.0)
        );
        if what == "iterations" {
            let most = quantile(0.999);
            assert!(most <= most_iterations, "{most} medians of iterations");
        }
    }
    assert!(strategies.len() == 3, "not hard enough: {strategies:?}");
}

/// The data but for the matrices along a line.
fn along<T: Probe>(data: &Data<f64>, t: f64) -> Data<T> {
    let t = T::along(t, 1.0);
    let mut random = Random::new(7);
    let mut result = data.cast::<T>();
    let mut vary = |values: &mut [T]| {
        for x in values {
            *x *= t * random.uniform(-1.0, 1.0) + 1.0;
        }
    };
    vary(&mut result.p_star);
    vary(&mut result.mu);
    for curve in &mut result.stribeck {
        vary(std::slice::from_mut(&mut curve.static_friction));
        vary(std::slice::from_mut(&mut curve.velocity));
    }
    vary(std::slice::from_mut(&mut result.dt));
    match &mut result.normal {
        Normal::Given(forces) => vary(forces),
        Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        } => [x0, stiffness, dissipation]
            .into_iter()
            .for_each(|x| vary(x)),
    }
    result
}

/// Whatever strategy found a solution: its derivatives are those of differences of solutions nearby,
/// which are found from the one here.
#[test]
fn derivatives_are_right_whatever_found_the_solution() {
    let (mut random, mut of_curves) = (Random::new(5), Random::new(6));
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    let mut dual_solver = ImplicitStribeckSolver::<Dual64>::new(Default::default()).unwrap();
    let (mut lagged, mut followed) = (0, 0);
    for i in 0..4000 {
        let mut data = any_problem(&mut random);
        if i % 3 == 0 {
            draw_curves(&mut data, &mut of_curves);
        } else if i % 3 == 1 {
            add_rotational_friction(&mut data, &mut of_curves);
        }
        let here = solve(&mut solver, &data, &data.v0).unwrap().clone();
        let counter = match here.statistics.strategy {
            Strategy::LaggedFriction if lagged < 60 => &mut lagged,
            Strategy::PathFollowing => &mut followed,
            _ => continue,
        };
        let dual_data = along::<Dual64>(&data, 0.0);
        let dual = solve(&mut dual_solver, &dual_data, &dual_data.v0).unwrap();
        assert_eq!(dual.velocities.map(|v| v.re), here.velocities);
        // Differences that stay on this side of every kink, and in one part of the friction law.
        let contact = dual
            .normal_velocities
            .iter()
            .chain(dual.tangential_velocities.iter());
        let change = contact.fold(1e-12f64, |m, u| m.max(u.eps.abs()));
        let room = here
            .nearest_kink(2)
            .map_or(1e-4, |kink| kink.distance.min(1e-4));
        let h = f64::min(2e-2 * room / change, 1e-6);
        let scale = dual
            .velocities
            .iter()
            .fold(0.0f64, |m, v| m.max(v.eps.abs()));
        if h * scale < 1e-7 {
            continue;
        }
        let guess: Vec<f64> = here.velocities.as_slice().to_vec();
        let mut at = |t| {
            solve(&mut solver, &along(&data, t), &guess)
                .unwrap()
                .velocities
                .clone()
        };
        let differences = (at(h) - at(-h)) / (2.0 * h);
        for (v, difference) in dual.velocities.iter().zip(differences.iter()) {
            assert!(
                (v.eps - difference).abs() <= 1e-3 * scale,
                "{i}: {} and {difference} at scale {scale}",
                v.eps
            );
        }
        *counter += 1;
        // The other exact route: A⁻¹ applied to a change of p*.
        let mut seeded = data.cast::<Dual64>();
        let direction = DVector::from_fn(data.p_star.len(), |i, _| (1.3 * i as f64).sin());
        for (p, d) in seeded.p_star.iter_mut().zip(direction.iter()) {
            p.eps = *d;
        }
        let by_duals = solve(&mut dual_solver, &seeded, &seeded.v0)
            .unwrap()
            .velocities
            .map(|v| v.eps);
        let linearization = match data.normal {
            Normal::Given(_) => solver.solve_with_derivatives(data.one_way(), data.dt, &data.v0),
            Normal::Compliant { .. } => {
                solver.solve_with_derivatives(data.two_way(), data.dt, &data.v0)
            }
        }
        .unwrap();
        let mut by_factors = direction.clone();
        linearization
            .solve_in_place(by_factors.as_mut_slice())
            .unwrap();
        assert!(
            (&by_duals - &by_factors).amax() <= 1e-6 * by_factors.amax(),
            "{i}"
        );
    }
    assert!(
        lagged >= 30 && followed >= 3,
        "{lagged} lagged, {followed} followed"
    );
}

/// What the solver says to a problem with this mass matrix and no contact.
fn refusal(mass: &DMatrix<f64>, damped: bool) -> Option<String> {
    let nv = mass.nrows();
    let none = DMatrix::zeros(0, nv);
    let p_star = vec![1.0; nv];
    let problem = match OneWayCoupledProblem::new(mass, &none, &none, &p_star, &[], &[]) {
        Ok(problem) if damped => problem.with_damped_mass(),
        Ok(problem) => problem,
        Err(error) => return Some(error.to_string()),
    };
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    let result = solver.solve(problem, 1e-3, &vec![0.0; nv]);
    result.err().map(|error| error.to_string())
}

#[test]
fn a_mass_matrix_is_symmetric_and_positive_definite() {
    let refused = |mass: &DMatrix<f64>, words: &str| {
        let message = refusal(mass, false).expect(words);
        assert!(message.contains(words), "{message} should mention {words}");
    };
    refused(&dmatrix![2.0, 0.5; 0.4, 2.0], "M[1] = 0.4");
    refused(
        &dmatrix![2.0, 0.0, 0.5; 0.0, 2.0, 0.0; 0.0, 0.0, 2.0],
        "symmetric",
    );
    refused(&dmatrix![1.0, 2.0; 2.0, 1.0], "pivot of M[1] = -3");
    refused(&dmatrix![1.0, 1.0; 1.0, 1.0], "pivot of M[1] = 0");
    refused(
        &dmatrix![2.0, 0.0, 1.0, 0.0; 0.0, 1.0, 0.0, 3.0; 1.0, 0.0, 2.0, 0.0; 0.0, 3.0, 0.0, 1.0],
        "pivot of M[3] = -8",
    );
    refused(&dmatrix![1e-308], "diagonal of M[0]");
    refused(&dmatrix![1e300], "diagonal of M[0]");
    // Round-off is no asymmetry, and light on heavy is not singular.
    assert_eq!(refusal(&dmatrix![2.0, 0.5; 0.5 + 1e-13, 2.0], false), None);
    assert_eq!(refusal(&dmatrix![1e8, 1.0; 1.0, 1.0], false), None);
    assert_eq!(refusal(&dmatrix![2.0, 0.5; 0.4, 2.0], true), None);
    assert_eq!(refusal(&dmatrix![1.0, 2.0; 2.0, 1.0], true), None);
}

#[test]
fn what_overflows_is_named() {
    let mass = DMatrix::from_diagonal_element(3, 3, 1.0);
    let (jn, jt) = (
        dmatrix![0.0, 0.0, 1.0],
        dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0],
    );
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    let mut message = |p: f64, x0: f64, k: f64| {
        let (p, x0, k) = ([0.0, p, -1.0], [x0], [k]);
        let problem =
            TwoWayCoupledProblem::new(&mass, &jn, &jt, &p, &x0, &k, &[0.1], &[0.5]).unwrap();
        let result = solver.solve(problem, 1e-3, &[0.0; 3]);
        result
            .map(|s| s.statistics.residual)
            .map_err(|error| error.to_string())
    };
    assert!(message(1e200, 1e-4, 1e5).unwrap_err().contains("p*[1] = 1"));
    assert!(
        message(1.0, 1e10, 1e300)
            .unwrap_err()
            .contains("normal force[0]")
    );
    assert!(message(1.0, 1e-4, 1e5).unwrap() <= 1e-9);
}

/// 200 contacts on one body, all of them alike in pairs, some without any effect.
#[test]
fn redundant_contacts_are_solved() {
    let mut random = Random::new(2);
    let nc = 200;
    let mass = DMatrix::from_diagonal(&DVector::from_vec(vec![0.01, 0.02, 0.03, 2.0, 2.0, 2.0]));
    for speed in [0.0, 0.1, 10.0] {
        let (mut jn, mut jt) = (DMatrix::zeros(nc, 6), DMatrix::zeros(2 * nc, 6));
        let mut point = [0.0; 3];
        for c in (0..nc).filter(|c| c % 10 != 9) {
            // Every second one is where the one before it is.
            if c % 2 == 0 {
                point = [random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), -0.05];
            }
            let [x, y, z] = point;
            for (axis, [a, b, n]) in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
                .into_iter()
                .enumerate()
            {
                let column = [y * n - z * b, z * a - x * n, x * b - y * a, a, b, n];
                let row = RowDVector::from_row_slice(&column);
                match axis {
                    2 => jn.set_row(c, &row),
                    t => jt.set_row(2 * c + t, &row),
                }
            }
        }
        let v0: Vec<f64> = (0..6).map(|_| speed * random.uniform(-1.0, 1.0)).collect();
        let mut p_star = &mass * DVector::from_column_slice(&v0);
        p_star[5] -= 2.0 * 9.81 * 1e-3;
        let mut random_list = |low, high| (0..nc).map(|_| random.uniform(low, high)).collect();
        let data = Data {
            dt: 1e-3,
            normal: Normal::Compliant {
                x0: random_list(-1e-5, 1e-4),
                stiffness: random_list(1e3, 1e7),
                dissipation: random_list(0.0, 20.0),
            },
            mu: random_list(0.0, 2.0),
            stribeck: Vec::new(),
            friction_only: Vec::new(),
            mass: mass.clone(),
            jn,
            jt,
            p_star: p_star.as_slice().to_vec(),
            v0: v0.clone(),
            stiction_tolerance: 1e-4,
            relative_tolerance: 1e-2,
        };
        let mut solver = ImplicitStribeckSolver::new(data.parameters()).unwrap();
        let s = solve(&mut solver, &data, &v0).unwrap();
        assert!(s.statistics.residual <= 1e-9 && residual(&data, s) <= 1.01e-9);
    }
}

/// Masses from 1e-4 to 1e4 kg that press on each other.
#[test]
fn large_mass_ratios_are_solved() {
    let mut random = Random::new(9);
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    for i in 0..300 {
        let mut data = any_problem(&mut random);
        let nv = data.p_star.len();
        let factors = DVector::from_fn(nv, |k, _| {
            let factor = [1e-4, 1.0, 1e4][(k / 6 + i) % 3];
            factor / data.mass[(6 * (k / 6) + 5, 6 * (k / 6) + 5)]
        });
        for j in 0..nv {
            for k in 0..nv {
                data.mass[(j, k)] *= (factors[j] * factors[k]).sqrt();
            }
        }
        let mass = &data.mass;
        data.mass = (mass + mass.transpose()) * 0.5;
        let p_star = &data.mass * DVector::from_column_slice(&data.v0);
        data.p_star = p_star.as_slice().to_vec();
        let s = solve(&mut solver, &data, &data.v0).unwrap_or_else(|e| panic!("{i}: {e}"));
        assert!(
            s.statistics.residual <= 1e-9 && residual(&data, s) <= 1.01e-9,
            "{i}"
        );
    }
}

/// Masses in a row that slide and are thrown back, each at a speed of its own: that one of them turns does not hold up
/// the others.
#[test]
fn iterations_do_not_grow_with_the_number_of_contacts_that_turn() {
    let iterations = |n: usize| {
        let mut random = Random::new(3);
        let nv = 3 * n;
        let mass = DMatrix::from_fn(nv, nv, |i, j| match i.abs_diff(j) {
            0 => 1.0,
            3 => -0.2,
            _ => 0.0,
        });
        let jn = DMatrix::from_fn(n, nv, |c, j| f64::from(j == 3 * c + 2));
        let jt = DMatrix::from_fn(2 * n, nv, |r, j| f64::from(j == 3 * (r / 2) + r % 2));
        let weight = -9.81e-3;
        let mut draw = |vertical: f64| {
            let sliding = (0..n).flat_map(|_| {
                let (angle, speed) = (random.uniform(0.0, 6.0), random.logarithmic(1e-3, 1.0));
                [speed * angle.cos(), speed * angle.sin(), vertical]
            });
            sliding.collect::<Vec<f64>>()
        };
        let data = Data {
            dt: 1e-3,
            mass,
            jn,
            jt,
            v0: draw(0.0),
            p_star: draw(weight),
            mu: vec![0.5; n],
            stribeck: Vec::new(),
            friction_only: Vec::new(),
            normal: Normal::Compliant {
                x0: vec![1e-4; n],
                stiffness: vec![1e5; n],
                dissipation: vec![1.0; n],
            },
            stiction_tolerance: 1e-4,
            relative_tolerance: 1e-2,
        };
        let mut solver = ImplicitStribeckSolver::new(data.parameters()).unwrap();
        let solution = solve(&mut solver, &data, &data.v0).unwrap();
        assert_eq!(solution.statistics.strategy, Strategy::Newton);
        solution.statistics.iterations()
    };
    let (few, many) = (iterations(8), iterations(80));
    assert!(many <= few + 6, "{few} with 8, {many} with 80");
}
