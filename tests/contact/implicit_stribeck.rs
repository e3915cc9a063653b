//! The implicit Stribeck solver: laws of friction, derivatives by every route, edge cases.

use crate::support::contact_problem::{Data, Normal};
use crate::support::probe::Probe;
use crate::support::random_contact::{
    EVERYDAY, HARD, Random, add_rotational_friction, any_problem, problem,
};
use dualbody::autodiff::JacobianChecker;
use dualbody::math::Factorization;
use dualbody::solver::ImplicitStribeckSolver;
use dualbody::solver::implicit_stribeck::{
    ImplicitStribeckSolverError, ImplicitStribeckSolverParameters, KinkKind, OneWayCoupledProblem,
    Solution, Strategy, StribeckCurve, TwoWayCoupledProblem,
};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, dmatrix};
use num_dual::{Dual2_64, Dual3_64, Dual64, DualSVec64, HyperDual64};

fn solve<T: Scalar>(data: &Data<T>) -> Solution<T> {
    let mut solver = ImplicitStribeckSolver::new(data.parameters()).unwrap();
    let result = match data.normal {
        Normal::Given(_) => solver.solve(data.one_way(), data.dt, &data.v0),
        Normal::Compliant { .. } => solver.solve(data.two_way(), data.dt, &data.v0),
    };
    result.unwrap_or_else(|error| panic!("{error}")).clone()
}

/// The same contacts with their normal forces given instead of compliant.
fn with_given_forces(data: &Data<f64>, random: &mut Random) -> Data<f64> {
    let forces = data.mu.iter().map(|_| random.uniform(0.0, 20.0)).collect();
    Data {
        normal: Normal::Given(forces),
        ..data.clone()
    }
}

/// The same contacts with static friction apart from dynamic friction.
fn with_static_friction(data: Data<f64>, random: &mut Random) -> Data<f64> {
    let curve = |mu: &f64| StribeckCurve {
        static_friction: mu * random.uniform(0.8, 1.5),
        velocity: random.logarithmic(0.05, 1.0),
    };
    Data {
        stribeck: data.mu.iter().map(curve).collect(),
        ..data
    }
}

/// The coefficient of friction of a contact at a slip speed above the stiction tolerance.
fn coefficient(data: &Data<f64>, c: usize, slip: f64) -> f64 {
    data.stribeck.get(c).map_or(data.mu[c], |curve| {
        let share = 1.0 / (1.0 + (slip / curve.velocity).powi(2));
        data.mu[c] * (1.0 - share) + curve.static_friction * share
    })
}

/// A sequence of everyday problems, one-way and two-way in turn, with one coefficient of friction and with two.
fn everyday_problems(count: usize) -> impl Iterator<Item = Data<f64>> {
    let (mut random, mut of_curves) = (Random::new(1), Random::new(11));
    (0..count).map(move |i| {
        let mut data = problem(&mut random, 1 + i % 3, &EVERYDAY);
        if i % 4 == 3 {
            data = with_given_forces(&data, &mut random);
        }
        if i % 5 > 2 {
            data = with_static_friction(data, &mut of_curves);
        }
        if i % 5 == 1 {
            add_rotational_friction(&mut data, &mut of_curves);
        }
        data
    })
}

#[test]
fn forces_obey_the_laws_of_contact() {
    for data in everyday_problems(200) {
        let s = solve(&data);
        for c in 0..data.mu.len() {
            let (fn_, ft) = (s.normal_forces[c], s.friction_forces.rows(2 * c, 2));
            let vt = s.tangential_velocities.rows(2 * c, 2);
            assert!(fn_ >= 0.0);
            let mu = coefficient(&data, c, vt.norm());
            let limit = if vt.norm() > 2e-4 {
                mu
            } else {
                mu.max(coefficient(&data, c, 0.0))
            };
            assert!(ft.norm() <= limit * fn_ * (1.0 + 1e-5));
            assert!(ft.dot(&vt) <= 0.0, "friction must oppose slip");
            if vt.norm() > 2e-4 {
                assert!(ft.norm() >= mu * fn_ * (1.0 - 1e-3), "sliding at the limit");
            }
            if let Normal::Compliant { x0, .. } = &data.normal {
                let open = x0[c] - data.dt * s.normal_velocities[c] <= 0.0;
                assert!(!open || fn_ == 0.0, "no force without penetration");
            }
        }
        let residual = data.relative_residual(&s.velocities, &s.generalized_contact_forces);
        assert!(residual < 1e-9, "{residual:e}");
    }
}

/// Nothing depends on which two tangents span the contact plane, nor on the order of contacts.
#[test]
fn solutions_compare_within_a_tolerance() {
    let data = everyday_problems(1).next().unwrap();
    let (found, mut other) = (solve(&data), solve(&data));
    approx::assert_relative_eq!(found, other);
    other.normal_forces[0] += 1e-6;
    approx::assert_abs_diff_eq!(found, other, epsilon = 1e-5);
    approx::assert_abs_diff_ne!(found, other, epsilon = 1e-7);
}

#[test]
fn solutions_do_not_depend_on_the_choice_of_tangents() {
    for data in everyday_problems(60) {
        let nc = data.mu.len();
        let (sin, cos) = 0.7f64.sin_cos();
        let mut turned = data.clone();
        for c in 0..nc {
            let (a, b) = (data.jt.row(2 * c), data.jt.row(2 * c + 1));
            turned.jt.set_row(2 * c, &(a * cos + b * sin));
            turned.jt.set_row(2 * c + 1, &(b * cos - a * sin));
        }
        let (s, t) = (solve(&data), solve(&turned));
        assert!((&s.velocities - &t.velocities).amax() < 1e-9);
        assert!((&s.normal_forces - &t.normal_forces).amax() < 1e-5);
    }
}

/// Two contacts in one place share the force of one that is twice as stiff, and only their number decides in
/// which velocities a problem is solved.
#[test]
fn two_halves_of_a_contact_are_one_contact() {
    let mut few = 0;
    for data in everyday_problems(300).filter(|data| data.friction_only.is_empty()) {
        let nc = data.mu.len();
        let twice = |x: &[f64], factor: f64| -> Vec<f64> {
            (0..2 * nc).map(|c| factor * x[c % nc]).collect()
        };
        let mut halves = data.clone();
        let rows = |j: &DMatrix<f64>| {
            DMatrix::from_fn(2 * j.nrows(), j.ncols(), |i, k| j[(i % j.nrows(), k)])
        };
        (halves.jn, halves.jt) = (rows(&data.jn), rows(&data.jt));
        halves.mu = twice(&data.mu, 1.0);
        halves.stribeck.extend_from_slice(&data.stribeck);
        halves.normal = match &data.normal {
            Normal::Given(forces) => Normal::Given(twice(forces, 0.5)),
            Normal::Compliant {
                x0,
                stiffness,
                dissipation,
            } => Normal::Compliant {
                x0: twice(x0, 1.0),
                stiffness: twice(stiffness, 0.5),
                dissipation: twice(dissipation, 1.0),
            },
        };
        few += usize::from(3 * nc <= data.v0.len() && 6 * nc > data.v0.len());
        let (one, two) = (solve(&data), solve(&halves));
        assert!((&one.velocities - &two.velocities).amax() < 1e-9);
        assert!((one.statistics.iterations()).abs_diff(two.statistics.iterations()) <= 3);
        assert!(one.statistics.residual <= 1e-9 && two.statistics.residual <= 1e-9);
    }
    assert!(
        few > 50,
        "{few} problems change the velocities they are solved in"
    );
}

/// A block of mass 2 pushed along the ground: it sticks under a push below μ m g and slides with
/// the acceleration (F − μ m g)/m above.
#[test]
fn a_pushed_block_sticks_or_slides() {
    let (m, g, mu, dt) = (2.0, 9.81, 0.5, 1e-3f64);
    let mass = DMatrix::from_diagonal_element(3, 3, m);
    let jn = dmatrix![0.0, 0.0, 1.0];
    let jt = dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0];
    let (weight, friction) = ([m * g], [mu]);
    for push in [0.5f64, 0.9, 1.1, 3.0] {
        let force = push * mu * m * g;
        let p_star = [dt * force, 0.0, -dt * m * g];
        let problem =
            OneWayCoupledProblem::new(&mass, &jn, &jt, &p_star, &weight, &friction).unwrap();
        let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
        let s = solver.solve(problem, dt, &[0.0; 3]).unwrap();
        let (v, f) = (s.velocities[0], s.friction_forces[0]);
        if push < 1.0 {
            assert!(
                v > 0.0 && v < 1e-4,
                "creeps below the stiction tolerance: {v}"
            );
            assert!((f + force - m * v / dt).abs() < 1e-9);
        } else {
            // The softened norm takes 1 − σ/‖v‖ < ε²/2v² of the friction.
            assert!(
                (v / (dt * (force - mu * m * g) / m) - 1.0).abs() < 1e-4,
                "{v}"
            );
            assert!((f / (mu * m * g) + 1.0).abs() < 1e-5);
        }
        assert!(s.velocities[2].abs() < 1e-15);
    }
}

/// A curve between equal coefficients changes no bit, whatever finds the solution.
#[test]
fn equal_coefficients_are_one_coefficient() {
    let (mut random, mut rescued) = (Random::new(3), 0);
    for i in 0..400 {
        let data = if i % 2 == 0 {
            problem(&mut random, 1 + i % 4, &HARD)
        } else {
            any_problem(&mut random)
        };
        let curve = |&mu: &f64| StribeckCurve {
            static_friction: mu,
            velocity: random.logarithmic(1e-4, 1.0),
        };
        let curves = Data {
            stribeck: data.mu.iter().map(curve).collect(),
            ..data.clone()
        };
        let (one, two) = (solve(&data), solve(&curves));
        // One-way coupled problems with curves take another route where Newton's method fails.
        let strategy = one.statistics.strategy;
        if matches!(data.normal, Normal::Compliant { .. }) || strategy == Strategy::Newton {
            assert_eq!(one, two);
        }
        rescued += usize::from(strategy != Strategy::Newton);
    }
    assert!(rescued > 10, "{rescued}");
}

/// A block at rest holds against a push up to the static limit; one that slides is braked by the coefficient of
/// its speed, and by that of sliding when it is fast.
#[test]
fn a_pushed_block_breaks_away_at_static_friction() {
    let (m, g, dt) = (2.0, 9.81, 1e-3f64);
    let mass = DMatrix::from_diagonal_element(3, 3, m);
    let jn = dmatrix![0.0, 0.0, 1.0];
    let jt = dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0];
    let curve = [StribeckCurve {
        static_friction: 0.6,
        velocity: 0.05,
    }];
    let (weight, mu) = ([m * g], [0.4]);
    let step = |push: f64, v0: f64| {
        let p_star = [m * v0 + dt * push * m * g, 0.0, 0.0];
        let problem = OneWayCoupledProblem::new(&mass, &jn, &jt, &p_star, &weight, &mu)
            .and_then(|problem| problem.with_stribeck(&curve))
            .unwrap();
        let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
        let s = solver.solve(problem, dt, &[v0, 0.0, 0.0]).unwrap();
        (s.velocities[0], -s.friction_forces[0] / (m * g))
    };
    // Between the coefficients: what rests stays, what slides goes on.
    for push in [0.45, 0.55, 0.59] {
        let (v, friction) = step(push, 0.0);
        assert!(v < 1e-4 && (friction + v / dt / g - push).abs() < 1e-12);
        let (v, friction) = step(push, 1.0);
        assert!(v > 1.0 && (friction - 0.4).abs() < 1e-3);
    }
    let (v, _) = step(0.65, 0.0);
    assert!(v > 1e-4);
    // Half way between at the velocity of the curve.
    let v0 = 0.05 - dt * (0.7 - 0.5) * g;
    let (v, friction) = step(0.7, v0);
    assert!((v - 0.05).abs() < 1e-6 && (friction - 0.5).abs() < 1e-5);
}

/// A disc that stands on its axis: its spin falls by `δt μ_t fₙ/I` under the force of another contact, to which it adds
/// none.
#[test]
fn a_spinning_disc_is_braked_under_the_load_of_another_contact() {
    let (inertia, m, dt) = (0.02, 2.0, 1e-3);
    let mass = dmatrix![inertia, 0.0; 0.0, m];
    let (jn, mut jt) = (dmatrix![0.0, 1.0; 0.0, 1.0], DMatrix::zeros(4, 2));
    jt[(2, 0)] = 1.0;
    let p_star = [inertia * 3.0, -dt * m * 9.81];
    let (x0, k, d) = ([1e-4; 2], [1e5; 2], [0.1; 2]);
    let solve = |mu: [f64; 2], flags: [bool; 2]| {
        let problem =
            TwoWayCoupledProblem::new(&mass, &jn, &jt, &p_star, &x0, &k, &d, &mu).unwrap();
        assert!(problem.with_friction_only(&flags[..1]).is_err());
        let problem = problem.with_friction_only(&flags).unwrap();
        let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
        solver.solve(problem, dt, &[3.0, 0.0]).unwrap().clone()
    };
    let s = solve([0.5, 4e-3], [false, true]);
    let load = s.normal_forces[0];
    assert!(load > 5.0 && s.normal_forces[1] == load);
    assert!((s.velocities[0] - (3.0 - dt * 4e-3 * load / inertia)).abs() < 1e-12);
    assert!((s.generalized_contact_forces[1] - load).abs() < 1e-12);
    assert!((m * s.velocities[1] - p_star[1] - dt * load).abs() < 1e-12);
    let both = solve([0.5, 4e-3], [false, false]);
    assert!(both.velocities[1] > s.velocities[1]);
}

/// One velocity, one frictionless contact: v solves a quadratic, with a known root and gradient.
#[test]
fn a_bouncing_point_has_its_closed_form() {
    let (m, dt, k, d, x0, v0) = (0.5, 1e-3, 2e4, 0.3, 2e-4, -0.4);
    let closed_form = |[m, dt, k, d, x0, p]: [Dual3_64; 6]| {
        // m v − p = δt k (1 − d v)(x₀ − δt v), the smaller root for v.
        let (a, b, c) = (
            k * dt * dt * d,
            -(m + k * dt * (dt + d * x0)),
            p + k * dt * x0,
        );
        let root = (b * b - a * c * 4.0).sqrt_lifted();
        c * 2.0 / (root - b)
    };
    let values = [m, dt, k, d, x0, m * v0];
    for seeded in 0..6 {
        let mut x = values.map(Dual3_64::from);
        x[seeded] = x[seeded].derivative();
        let expected = closed_form(x);
        let [m, dt, k, d, x0, p] = x;
        let (mass, jn, jt) = (
            dmatrix![m],
            dmatrix![Dual3_64::from(1.0)],
            DMatrix::zeros(2, 1),
        );
        let (p, x0, k, d, mu) = ([p], [x0], [k], [d], [Dual3_64::from(0.0)]);
        let problem = TwoWayCoupledProblem::new(&mass, &jn, &jt, &p, &x0, &k, &d, &mu).unwrap();
        let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
        let v = solver
            .solve(problem, dt, &[Dual3_64::from(v0)])
            .unwrap()
            .velocities[0];
        for (a, e) in [
            (v.re, expected.re),
            (v.v1, expected.v1),
            (v.v2, expected.v2),
            (v.v3, expected.v3),
        ] {
            assert!(
                (a - e).abs() <= 1e-9 * e.abs().max(1e-12),
                "{seeded}: {a} instead of {e}"
            );
        }
    }
}

/// All data of a problem as one vector, to differentiate with respect to everything.
fn pack<T: Scalar>(data: &Data<T>) -> Vec<T> {
    let mut x: Vec<T> = Vec::new();
    x.extend(data.mass.iter().chain(data.jn.iter()).chain(data.jt.iter()));
    x.extend(data.p_star.iter().chain(&data.mu));
    match &data.normal {
        Normal::Given(forces) => x.extend(forces),
        Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        } => x.extend(x0.iter().chain(stiffness).chain(dissipation)),
    }
    x.extend(data.stribeck.iter().map(|curve| curve.static_friction));
    x.extend(data.stribeck.iter().map(|curve| curve.velocity));
    x.extend([data.dt, data.stiction_tolerance]);
    x
}

fn unpack<T: Scalar>(data: &Data<f64>, x: &[T]) -> Data<T> {
    let mut result = data.cast::<T>();
    let mut x = x.iter().copied();
    let mut fill = |target: &mut [T]| {
        for (t, x) in target.iter_mut().zip(&mut x) {
            *t = x;
        }
    };
    fill(result.mass.as_mut_slice());
    fill(result.jn.as_mut_slice());
    fill(result.jt.as_mut_slice());
    fill(&mut result.p_star);
    fill(&mut result.mu);
    match &mut result.normal {
        Normal::Given(forces) => fill(forces),
        Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        } => {
            fill(x0);
            fill(stiffness);
            fill(dissipation);
        }
    }
    for curve in &mut result.stribeck {
        fill(std::slice::from_mut(&mut curve.static_friction));
    }
    for curve in &mut result.stribeck {
        fill(std::slice::from_mut(&mut curve.velocity));
    }
    fill(std::slice::from_mut(&mut result.dt));
    fill(std::slice::from_mut(&mut result.stiction_tolerance));
    result
}

/// ∂v/∂(everything) by duals, eight columns at a time.
fn jacobian_by_duals(data: &Data<f64>) -> DMatrix<f64> {
    let x = pack(data);
    let mut jacobian = DMatrix::zeros(data.p_star.len(), x.len());
    for start in (0..x.len()).step_by(8) {
        let mut dual: Vec<_> = x.iter().map(|&x| DualSVec64::<8>::from_re(x)).collect();
        for (k, x) in dual[start..].iter_mut().take(8).enumerate() {
            *x = x.derivative(k);
        }
        let solution = solve(&unpack(data, &dual));
        for (i, v) in solution.velocities.iter().enumerate() {
            let eps = v.eps.0.unwrap_or_default();
            for j in start..x.len().min(start + 8) {
                jacobian[(i, j)] = eps[j - start];
            }
        }
    }
    jacobian
}

fn relative_difference(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    if a.is_empty() {
        return 0.0;
    }
    (a - b).amax() / a.amax().max(b.amax()).max(f64::MIN_POSITIVE)
}

/// Three exact routes agree: duals, the matrices, and the adjoint.
#[test]
fn duals_matrices_and_adjoint_agree_on_every_input() {
    // Forces and stiffnesses of zero have derivatives, too.
    let without_force = |mut data: Data<f64>| {
        match &mut data.normal {
            Normal::Given(forces) => forces[0] = 0.0,
            Normal::Compliant { stiffness, .. } => stiffness[0] = 0.0,
        }
        data
    };
    for data in everyday_problems(40).flat_map(|data| [data.clone(), without_force(data)]) {
        let (nv, nc) = (data.p_star.len(), data.mu.len());
        let by_duals = jacobian_by_duals(&data);
        let mut solver = ImplicitStribeckSolver::new(data.parameters()).unwrap();
        let mut linearization = match data.normal {
            Normal::Given(_) => solver.solve_with_derivatives(data.one_way(), data.dt, &data.v0),
            Normal::Compliant { .. } => {
                solver.solve_with_derivatives(data.two_way(), data.dt, &data.v0)
            }
        }
        .unwrap();

        let start = nv * nv + 3 * nc * nv;
        let block =
            |offset: usize, columns: usize| by_duals.columns(start + offset, columns).into_owned();
        let gradient = linearization.gradient().unwrap().clone();
        let given = matches!(data.normal, Normal::Given(_));
        let after_forces = nv + nc + if given { nc } else { 3 * nc };
        let (curves, last) = (2 * data.stribeck.len(), after_forces);
        let last = block(last + curves, 2);
        let mut pairs = vec![
            ("v0", gradient.dv_dv0, block(0, nv) * &data.mass),
            ("mu", gradient.dv_dmu, block(nv, nc)),
            (
                "dt",
                DMatrix::from_columns(&[gradient.dv_ddt]),
                last.columns(0, 1).into_owned(),
            ),
            (
                "stiction tolerance",
                DMatrix::from_columns(&[gradient.dv_dstiction_tolerance]),
                last.columns(1, 1).into_owned(),
            ),
        ];
        if given {
            pairs.push(("fn", gradient.dv_dnormal_forces, block(nv + nc, nc)));
        } else {
            pairs.push(("x0", gradient.dv_dx0, block(nv + nc, nc)));
            pairs.push(("k", gradient.dv_dstiffness, block(nv + 2 * nc, nc)));
            pairs.push(("d", gradient.dv_ddissipation, block(nv + 3 * nc, nc)));
        }
        assert_eq!(gradient.dv_dstatic_friction.ncols(), data.stribeck.len());
        if curves > 0 {
            let (by_static, by_velocity) =
                (gradient.dv_dstatic_friction, gradient.dv_dstribeck_velocity);
            pairs.push(("static friction", by_static, block(after_forces, nc)));
            let expected = block(after_forces + nc, nc);
            pairs.push(("Stribeck velocity", by_velocity, expected));
        }
        for (name, by_matrices, by_duals) in &pairs {
            let difference = relative_difference(by_matrices, by_duals);
            assert!(difference < 1e-7, "{name}: {difference:e}");
        }

        let mut inverse = DMatrix::identity(nv, nv);
        for mut column in inverse.column_iter_mut() {
            linearization.solve_in_place(column.as_mut_slice()).unwrap();
        }
        let difference = relative_difference(&inverse, &block(0, nv));
        assert!(difference < 1e-7, "p*: {difference:e}");

        let weights: Vec<f64> = (0..nv).map(|i| (1.3 * i as f64).sin()).collect();
        let adjoint = linearization.adjoint(&weights).unwrap();
        let mut packed: Vec<f64> = Vec::new();
        packed.extend(adjoint.mass_matrix.iter());
        packed.extend(adjoint.normal_jacobian.iter());
        packed.extend(adjoint.tangent_jacobian.iter());
        for part in [
            &adjoint.p_star,
            &adjoint.mu,
            &adjoint.normal_forces,
            &adjoint.x0,
            &adjoint.stiffness,
            &adjoint.dissipation,
            &adjoint.static_friction,
            &adjoint.stribeck_velocity,
        ] {
            packed.extend(part.iter());
        }
        packed.extend([adjoint.dt, adjoint.stiction_tolerance]);
        let expected = by_duals.tr_mul(&DVector::from_vec(weights));
        assert_eq!(packed.len(), expected.len());
        // Blocks have very different magnitudes: each is compared by its own.
        let mut offset = 0;
        let sizes = [nv * nv, nc * nv, 2 * nc * nv, nv];
        let rest = if given { vec![nc; 2] } else { vec![nc; 4] };
        let curves = if curves > 0 { vec![nc; 2] } else { vec![] };
        let sizes = sizes.into_iter().chain(rest).chain(curves);
        for size in sizes.chain([1, 1]) {
            let (a, e) = (&packed[offset..offset + size], expected.rows(offset, size));
            let scale = e.amax().max(1e-300);
            for (a, e) in a.iter().zip(e.iter()) {
                assert!(
                    (a - e).abs() <= 1e-7 * scale,
                    "{a} instead of {e} at {offset}"
                );
            }
            offset += size;
        }
    }
}

#[test]
fn duals_agree_with_finite_differences() {
    let mut checked = 0;
    for data in everyday_problems(60) {
        let solution = solve(&data);
        if solution.nearest_kink(1).is_some_and(|k| k.distance < 1e-3) {
            continue;
        }
        // Differences of the velocities and the contact parameters; the matrices are covered by
        // the exact routes.
        let (nv, nc) = (data.p_star.len(), data.mu.len());
        let x = pack(&data);
        let first = nv * nv + 3 * nc * nv;
        let claimed = jacobian_by_duals(&data).columns_range(first..).into_owned();
        let mut scales: Vec<f64> = x[first..]
            .iter()
            .map(|x| 1e-3 * x.abs().max(1e-9))
            .collect();
        for (scale, i) in scales.iter_mut().zip(0..nv) {
            *scale = 1e-4 * data.mass[(i, i)];
        }
        let f = |y: &[f64]| {
            let mut all = x.clone();
            all[first..].copy_from_slice(y);
            Ok::<_, InvalidInput>(solve(&unpack(&data, &all)).velocities)
        };
        let check = JacobianChecker::default()
            .tolerance(1e-5, 1e-6 * claimed.amax())
            .scales(scales)
            .check(f, &x[first..], &claimed)
            .unwrap();
        check.assert_agrees();
        checked += 1;
    }
    assert!(checked > 20, "{checked}");
}

/// A one-dimensional cut through the space of all data: `x(t) = x + t w + t² u`.
fn along<T: Probe>(data: &Data<f64>, t: f64) -> Solution<T> {
    let t = T::along(t, 1.0);
    let mut random = Random::new(7);
    let x: Vec<T> = pack(data)
        .into_iter()
        .map(|x| {
            let (w, u) = (random.uniform(-1e-4, 1e-4), random.uniform(-1e-3, 1e-3));
            T::from(x) + (t * w + t * t * u) * x
        })
        .collect();
    solve(&unpack(data, &x))
}

#[test]
fn second_and_third_order_are_exact() {
    let mut checked = 0;
    for data in everyday_problems(40) {
        let solution = solve(&data);
        if solution.nearest_kink(2).is_some_and(|k| k.distance < 1e-4) {
            continue;
        }
        let third = along::<Dual3_64>(&data, 0.0);
        let second = along::<Dual2_64>(&data, 0.0);
        let hyper = along::<HyperDual64>(&data, 0.0);
        let first = along::<Dual64>(&data, 0.0);
        // Differences of lower orders, which the other types give exactly.
        let h = 1e-3;
        let (plus, minus) = (along::<Dual2_64>(&data, h), along::<Dual2_64>(&data, -h));
        for i in 0..data.p_star.len() {
            let d = third.velocities[i].derivatives();
            let scale = d.iter().fold(1e-12f64, |m, d| m.max(d.abs()));
            let close = |a: f64, b: f64, tolerance: f64| {
                assert!(
                    (a - b).abs() <= tolerance * scale,
                    "{a} and {b} at scale {scale}"
                );
            };
            assert_eq!(third.velocities[i].re, solution.velocities[i]);
            close(first.velocities[i].eps, d[0], 1e-10);
            close(second.velocities[i].v1, d[0], 1e-10);
            close(second.velocities[i].v2, d[1], 1e-9);
            close(hyper.velocities[i].eps1eps2, d[1], 1e-9);
            let (p, m) = (plus.velocities[i], minus.velocities[i]);
            close((p.v1 - m.v1) / (2.0 * h), d[1], 1e-3);
            close((p.v2 - m.v2) / (2.0 * h), d[2], 1e-3);
        }
        checked += 1;
    }
    assert!(checked > 15, "{checked}");
}

/// Forces and contact velocities have derivatives too: those of the velocities through the law.
#[test]
fn every_result_carries_derivatives() {
    let data = everyday_problems(1).next().unwrap();
    let s = along::<Dual64>(&data, 0.0);
    let h = 1e-4;
    let (p, m) = (along::<f64>(&data, h), along::<f64>(&data, -h));
    for (dual, p, m) in [
        (
            &s.normal_velocities,
            &p.normal_velocities,
            &m.normal_velocities,
        ),
        (
            &s.tangential_velocities,
            &p.tangential_velocities,
            &m.tangential_velocities,
        ),
        (&s.normal_forces, &p.normal_forces, &m.normal_forces),
        (&s.friction_forces, &p.friction_forces, &m.friction_forces),
        (
            &s.generalized_friction_forces,
            &p.generalized_friction_forces,
            &m.generalized_friction_forces,
        ),
        (
            &s.generalized_contact_forces,
            &p.generalized_contact_forces,
            &m.generalized_contact_forces,
        ),
    ] {
        let scale = dual.iter().fold(1e-12f64, |m, x| m.max(x.eps.abs()));
        for ((dual, p), m) in dual.iter().zip(p.iter()).zip(m.iter()) {
            assert!((dual.eps - (p - m) / (2.0 * h)).abs() < 1e-4 * scale);
        }
    }
}

#[test]
fn duals_do_not_change_a_bit_of_the_solution() {
    for data in everyday_problems(30) {
        let plain = solve(&data);
        let dual = solve(&data.cast::<Dual2_64>());
        assert_eq!(dual.velocities.map(|x| x.re), plain.velocities);
        assert_eq!(dual.friction_forces.map(|x| x.re), plain.friction_forces);
        assert_eq!(dual.normal_forces.map(|x| x.re), plain.normal_forces);
        assert_eq!(
            dual.generalized_contact_forces.map(|x| x.re),
            plain.generalized_contact_forces
        );
        assert_eq!(dual.statistics, plain.statistics);
    }
}

#[test]
fn every_hard_problem_is_solved() {
    let mut random = Random::new(3);
    let mut rescued = 0;
    for i in 0..1500 {
        let data = problem(&mut random, 1 + i % 4, &HARD);
        let mut solver = ImplicitStribeckSolver::new(data.parameters()).unwrap();
        let solution = solver.solve(data.two_way(), data.dt, &data.v0);
        let statistics = &solution.unwrap_or_else(|e| panic!("{i}: {e}")).statistics;
        rescued += usize::from(statistics.strategy != Strategy::Newton);
        assert!(statistics.residual <= 1e-9);
    }
    assert!(rescued > 0, "the generator is not hard enough");
}

#[test]
fn no_contacts_and_no_velocities() {
    let none = DMatrix::<f64>::zeros(0, 2);
    let mass = dmatrix![2.0, 0.5; 0.5, 3.0];
    let p_star = [1.0, -2.0];
    let problem =
        TwoWayCoupledProblem::new(&mass, &none, &none, &p_star, &[], &[], &[], &[]).unwrap();
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    let s = solver.solve(problem, 0.01, &[5.0, 5.0]).unwrap();
    assert!((&mass * &s.velocities - DVector::from_column_slice(&p_star)).amax() < 1e-14);
    assert_eq!(s.nearest_kink(3), None);

    let empty = DMatrix::<Dual64>::zeros(0, 0);
    let problem = OneWayCoupledProblem::new(&empty, &empty, &empty, &[], &[], &[]).unwrap();
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    let s = solver.solve(problem, Dual64::from(0.1), &[]).unwrap();
    assert_eq!(s.velocities.len(), 0);
    assert_eq!(s.statistics.residual, 0.0);
}

/// A coupling counts whichever triangle of the mass matrix says so.
#[test]
fn no_entry_of_the_mass_matrix_is_overlooked() {
    let none = DMatrix::<f64>::zeros(0, 3);
    let lower = dmatrix![2.0, 0.0, 0.0; 0.0, 3.0, 0.0; 0.5, 0.0, 4.0];
    let p_star = [1.0, -2.0, 3.0];
    for mass in [lower.transpose(), lower] {
        let problem =
            TwoWayCoupledProblem::new(&mass, &none, &none, &p_star, &[], &[], &[], &[]).unwrap();
        let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
        let s = (solver.solve(problem.with_damped_mass(), 0.01, &[0.0; 3])).unwrap();
        assert!((&mass * &s.velocities - DVector::from_column_slice(&p_star)).amax() < 1e-14);
    }
}

/// Zero slip, zero normal force, touching, everything at rest: finite derivatives of every order.
#[test]
fn singular_states_have_finite_derivatives() {
    let c = Dual3_64::from;
    let t = |x: f64| Dual3_64::from(x).derivative();
    let mass = DMatrix::from_diagonal_element(3, 3, c(1.0));
    let jn = dmatrix![c(0.0), c(0.0), c(1.0)];
    let jt = dmatrix![c(1.0), c(0.0), c(0.0); c(0.0), c(1.0), c(0.0)];
    let curve = [StribeckCurve {
        static_friction: t(0.8),
        velocity: t(0.1),
    }];
    for p in [[t(0.0), c(0.0), c(0.0)], [c(0.0), c(0.0), t(0.0)]] {
        for x0 in [c(0.0), t(0.0), c(1e-5), c(-1.0)] {
            let (x0, k, d, mu) = ([x0], [c(1e4)], [c(0.5)], [t(0.6)]);
            let problem = TwoWayCoupledProblem::new(&mass, &jn, &jt, &p, &x0, &k, &d, &mu).unwrap();
            let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
            for problem in [problem, problem.with_stribeck(&curve).unwrap()] {
                let s = solver.solve(problem, c(1e-3), &[c(0.0); 3]).unwrap();
                for v in s.velocities.iter().chain(s.friction_forces.iter()) {
                    assert!(v.re.is_finite());
                    assert!(v.derivatives().iter().all(|d| d.is_finite()), "{v:?}");
                }
            }
        }
    }
}

#[test]
fn kinks_are_reported_with_their_distance() {
    let mass = DMatrix::from_diagonal_element(3, 3, 1.0);
    let jn = dmatrix![0.0, 0.0, 1.0];
    let jt = dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0];
    let dt = 1e-3;
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    let mut kinks = |p: [f64; 3], x0: f64, d: f64| {
        let (x0, d) = ([x0], [d]);
        let problem =
            TwoWayCoupledProblem::new(&mass, &jn, &jt, &p, &x0, &[1e4], &d, &[0.5]).unwrap();
        solver.solve(problem, dt, &p).unwrap().clone()
    };
    // Just touching: x₀ − δt v is 2e-6 m short of contact at v = −1.
    let s = kinks([0.0, 0.0, -1.0], -dt - 2e-6, 0.1);
    let kink = s.nearest_kink(1).unwrap();
    assert_eq!((kink.kind, kink.contact), (KinkKind::Touching, 0));
    assert!((kink.distance - 2e-3).abs() < 1e-9, "{kink:?}");
    // Opening at almost 1/d.
    let s = kinks([0.0, 0.0, 1.9], 0.1, 0.5);
    let kink = s
        .kinks
        .iter()
        .find(|k| k.kind == KinkKind::Clamping)
        .unwrap();
    assert!((kink.distance - (2.0 - s.normal_velocities[0])).abs() < 1e-9);
    // Sliding at 0.3 m/s under load: the boundary of stiction matters from the second order on.
    let s = kinks([0.3, 0.0, 0.0], 1e-3, 0.1);
    let sticking = s
        .kinks
        .iter()
        .find(|k| k.kind == KinkKind::Sticking)
        .unwrap();
    let slip = s.tangential_velocities.norm();
    assert!((sticking.distance - (slip - 1e-4)).abs() < 1e-8);
    assert_ne!(s.nearest_kink(1).unwrap().kind, KinkKind::Sticking);
}

/// The stiffness is a factor of the normal force.
fn in_duals_forces_at_the_iterate_are_those_of_the_data() {
    let number = |x: f64| Dual64::from(x);
    let (mass, jn) = (DMatrix::identity(2, 2), dmatrix![number(0.6), number(-0.8)]);
    let jt = dmatrix![number(0.0), number(0.0); number(0.8), number(0.6)];
    let [p, x0, d, mu] = [&[1.0, 2.0][..], &[1e-3], &[0.0], &[2.0]]
        .map(|x| x.iter().map(|&x| number(x)).collect::<Vec<_>>());
    let k = [number(1e7).derivative()];
    let problem = TwoWayCoupledProblem::new(&mass, &jn, &jt, &p, &x0, &k, &d, &mu).unwrap();
    let mut parameters = ImplicitStribeckSolverParameters::default();
    parameters.max_total_iterations = 1;
    let mut solver = ImplicitStribeckSolver::new(parameters).unwrap();
    let error = solver.solve(problem, number(1e-3), &p).unwrap_err();
    assert!(solver.last_solution().is_none());
    let (last, iterate) = (error.last().unwrap(), solver.last_iterate().unwrap());
    let force = iterate.normal_forces[0];
    assert_eq!(force.re, last.normal_forces[0]);
    assert!(force.re > 0.0 && (force.eps - force.re / 1e7).abs() <= 1e-14 * force.eps);
    assert!(iterate.velocities.iter().all(|v| v.eps == 0.0));
}

/// A mass matrix that is not positive definite can leave the momentum balance without a root: along
/// (1, −1) this one has the mass −1, and the contact pushes the wrong way.
#[test]
fn failures_keep_the_last_iterate() {
    let mass = dmatrix![1.0, 2.0; 2.0, 1.0];
    let s = 0.5f64.sqrt();
    let (jn, jt) = (dmatrix![s, -s], dmatrix![0.0, 0.0; s, s]);
    let (p, x0, k, d, mu) = ([s, -s], [1e-3], [1e7], [0.0], [0.5]);
    let problem = TwoWayCoupledProblem::new(&mass, &jn, &jt, &p, &x0, &k, &d, &mu).unwrap();
    let mut solver = ImplicitStribeckSolver::new(Default::default()).unwrap();
    let problem = problem.with_damped_mass();
    let one = DMatrix::identity(2, 2);
    let other = TwoWayCoupledProblem::new(&one, &jn, &jt, &p, &x0, &k, &d, &mu).unwrap();
    assert!(solver.last_solution().is_none());
    let solved = solver.solve(other, 1e-3, &[0.0; 2]).unwrap().clone();
    assert_eq!(solver.last_solution(), Some(&solved));
    let error = solver.solve(problem, 1e-3, &[0.0; 2]).unwrap_err();
    assert!(solver.last_solution().is_none());
    let message = error.to_string();
    let shown = format!("{error:?}");
    assert!(
        shown.starts_with("NotConverged { velocities: ") && shown.len() < 200,
        "{shown}"
    );
    let ImplicitStribeckSolverError::NotConverged { last } = error else {
        panic!("{message}");
    };
    assert!(message.contains("relative residual"), "{message}");
    assert!(last.velocities.iter().all(|v| v.is_finite()));
    assert_eq!(last.normal_forces.len(), 1);
    assert!(last.statistics.iterations() > 0);
    assert!(last.statistics.residual > 1e-3 && last.statistics.residual.is_finite());
    assert_eq!(solver.last_iterate(), Some(&*last));
    in_duals_forces_at_the_iterate_are_those_of_the_data();

    let mass = dmatrix![1.0, 1.0; 1.0, 1.0];
    let none = DMatrix::zeros(0, 2);
    let problem = OneWayCoupledProblem::new(&mass, &none, &none, &p, &[], &[]).unwrap();
    let problem = problem.with_damped_mass();
    let error = solver.solve(problem, 1e-3, &[3.0, 4.0]).unwrap_err();
    let ImplicitStribeckSolverError::SingularJacobian { last, cause } = error else {
        panic!("{error}");
    };
    assert_eq!((cause.size, cause.column), (2, 1));
    assert!(last.velocities.iter().all(|v| v.is_finite()));

    // The solver is as good as new.
    let data = everyday_problems(1).next().unwrap();
    assert!(solver.solve(data.two_way(), data.dt, &data.v0).is_ok());
}

#[test]
fn invalid_data_are_named() {
    let data = everyday_problems(1).next().unwrap();
    let Normal::Compliant {
        x0,
        stiffness,
        dissipation,
    } = &data.normal
    else {
        panic!()
    };
    let expect = |change: &dyn Fn(&mut Data<f64>), words: &str| {
        let mut data = data.clone();
        change(&mut data);
        let Normal::Compliant {
            x0,
            stiffness,
            dissipation,
        } = &data.normal
        else {
            panic!()
        };
        let error = TwoWayCoupledProblem::new(
            &data.mass,
            &data.jn,
            &data.jt,
            &data.p_star,
            x0,
            stiffness,
            dissipation,
            &data.mu,
        )
        .unwrap_err();
        assert!(
            error.to_string().contains(words),
            "{error} should mention {words}"
        );
    };
    expect(&|d| d.mass[(1, 1)] = f64::NAN, "M[7] = NaN");
    expect(&|d| d.mass[(1, 1)] = -1.0, "diagonal of M[1] = -1");
    expect(&|d| d.mass[(1, 1)] = 1e-308, "diagonal of M[1] = 1e-308");
    expect(&|d| d.jn = DMatrix::zeros(1, 1), "Jn has size");
    expect(&|d| d.jt[(0, 0)] = f64::INFINITY, "Jt[0] = inf");
    expect(&|d| d.p_star[2] = f64::NAN, "p*[2] = NaN");
    expect(&|d| d.mu[0] = -0.1, "mu[0] = -0.1");
    expect(&|d| d.mu.push(1.0), "Jn has size");
    let _ = (x0, stiffness, dissipation);
    let negative = |which: usize| {
        move |d: &mut Data<f64>| {
            let Normal::Compliant {
                x0,
                stiffness,
                dissipation,
            } = &mut d.normal
            else {
                panic!()
            };
            [x0, stiffness, dissipation][which][0] = [f64::NAN, -1.0, -1.0][which];
        }
    };
    expect(&negative(0), "x0[0] = NaN");
    expect(&negative(1), "stiffness[0] = -1");
    expect(&negative(2), "dissipation[0] = -1");

    let mut solver = ImplicitStribeckSolver::new(data.parameters()).unwrap();
    let mut message = |dt: f64, guess: &[f64]| {
        solver
            .solve(data.two_way(), dt, guess)
            .unwrap_err()
            .to_string()
    };
    assert!(message(0.0, &data.v0).contains("dt = 0"));
    assert!(message(f64::NAN, &data.v0).contains("dt = NaN"));
    assert!(message(1e-3, &[0.0]).contains("guess has size 1, expected"));
    let mut guess = data.v0.clone();
    guess[3] = f64::INFINITY;
    assert!(message(1e-3, &guess).contains("guess[3] = inf"));

    type Parameters = ImplicitStribeckSolverParameters<f64>;
    let invalid: [fn(&mut Parameters); 6] = [
        |p| p.stiction_tolerance = 0.0,
        |p| p.max_iterations = 0,
        |p| p.relative_tolerance = 1.0,
        |p| p.residual_tolerance = f64::NAN,
        |p| p.theta_max = 2.0,
        |p| p.theta_max = 0.0,
    ];
    for change in invalid {
        let mut parameters = Parameters::default();
        change(&mut parameters);
        assert!(
            ImplicitStribeckSolver::new(parameters).is_err(),
            "{parameters:?}"
        );
    }
    let parameters = Parameters::default();
    assert_eq!(parameters.stiction_tolerance, 1e-4);
    assert_eq!(parameters.max_iterations, 100);
    assert_eq!(parameters.relative_tolerance, 1e-2);
    assert_eq!(parameters.theta_max, std::f64::consts::FRAC_PI_3);
}
