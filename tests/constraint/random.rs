//! Random constraint problems: complementarity, energy, derivatives through the operators.

use crate::support::constraint_problem::matrices;
use crate::support::random_lcp::number_of_problems;
use crate::support::random_tree::Random;
use dualbody::Scalar;
use dualbody::constraint::{
    ConstraintAccelProblemData, ConstraintError, ConstraintMatrices, ConstraintOperators,
    ConstraintSolver, ConstraintVelProblemData, DenseInertia,
};
use nalgebra::{DMatrix, DVector};
use num_dual::Dual2_64;

/// A random problem with `nc` contacts, and `G` with dependent rows.
fn random_operators(random: &mut Random, nv: usize, nc: usize) -> ConstraintMatrices<f64> {
    let entries = |random: &mut Random, rows| DMatrix::from_fn(rows, nv, |_, _| random.signed());
    let root = DMatrix::from_fn(nv, nv, |_, _| random.signed());
    let mut operators = matrices(&root * root.transpose() + DMatrix::identity(nv, nv) * 0.1);
    operators.n = entries(random, nc);
    operators.f = entries(random, 2 * nc);
    let rank = random.below(1 + nv / 4);
    let combinations = DMatrix::from_fn(rank + 2, rank, |_, _| random.signed());
    operators.g = combinations * entries(random, rank);
    let limits = random.below(3);
    operators.l = entries(random, limits);
    operators
}

fn assert_complementary(w: &[f64], f: &[f64], scale: f64, force: f64) {
    for (&w, &f) in w.iter().zip(f) {
        assert!(w >= -1e-9 * scale, "{w:e} of {scale:e}");
        assert!(f >= -1e-9 * force, "{f:e} of {force:e}");
        assert!(
            (w / scale).abs().min((f / force).abs()) < 1e-9,
            "{w:e} ⊥ {f:e}"
        );
    }
}

#[test]
fn random_impacts_are_solved() {
    let mut solver = ConstraintSolver::<f64>::default();
    for seed in 0..number_of_problems() {
        let random = &mut Random::new(seed);
        let large = seed % 20 == 0;
        let nv = 2 + random.below(if large { 59 } else { 15 });
        let nc = 1 + random.below(if large { 30 } else { 6 });
        let operators = random_operators(random, nv, nc);
        let (nb, nu) = (operators.g.nrows(), operators.l.nrows());
        let mut data = ConstraintVelProblemData::new(operators);
        let mu = DVector::from_fn(nc, |_, _| 1.0 + random.signed());
        data.set_rigid(nb, mu, vec![2; nc], nu).unwrap();
        data.Mv = DVector::from_fn(nv, |_, _| random.signed());
        let solution = solver.solve_velocities(&mut data).unwrap_or_else(|e| {
            panic!("{seed} ({nv} velocities, {nc} contacts, {nb} bilateral): {e}")
        });
        let v = &solution.generalized_velocity;
        let o = &data.operators;
        let impulses = &solution.impulses;
        let force = impulses.packed.amax().max(1e-12);
        let scale = impulses.packed.amax().max(1.0)
            * [&o.g, &o.n, &o.f, &o.l]
                .iter()
                .map(|j| j.amax())
                .fold(1.0, f64::max)
            * v.amax().max(solution.velocity_change.amax()).max(1.0);
        assert!(impulses.residual <= 1e-9, "{seed}: {:e}", impulses.residual);
        assert!((&o.g * v).amax() < 1e-9 * scale, "{seed}");
        // Without restitution no impact adds energy: v⁺·M v⁺ ≤ v⁻·M v⁻, with M v = p + the impulse.
        let before = data.Mv.dot(&(v - &solution.velocity_change));
        let after = (&data.Mv + &impulses.generalized).dot(v);
        assert!(
            after <= before * (1.0 + 1e-9) + 1e-12,
            "{seed}: {before} {after}"
        );
        assert_complementary((&o.n * v).as_slice(), impulses.normal(), scale, force);
        assert_complementary((&o.l * v).as_slice(), impulses.limit(), scale, force);
        let slip = &o.f * v;
        for c in 0..nc {
            let (f0, f1) = (impulses.friction()[2 * c], impulses.friction()[2 * c + 1]);
            let limit = data.mu[c] * impulses.normal()[c];
            assert!(f0.abs() + f1.abs() <= limit + 1e-9 * force, "{seed}");
            // Friction takes energy, as much as the cone allows: against the largest slip.
            let power = f0 * slip[2 * c] + f1 * slip[2 * c + 1];
            let largest = slip[2 * c].abs().max(slip[2 * c + 1].abs());
            assert!(
                (power + limit * largest).abs() <= 1e-8 * scale * force.max(1.0),
                "{seed}"
            );
        }
    }
}

#[test]
fn random_sliding_contacts_are_solved_or_refused() {
    let mut solver = ConstraintSolver::<f64>::default();
    let (mut solved, mut paradox) = (0, 0);
    for seed in 0..number_of_problems() {
        let random = &mut Random::new(seed + 1_000_000);
        let nv = 2 + random.below(20);
        let nc = 1 + random.below(8);
        let mut operators = random_operators(random, nv, nc);
        let q = DMatrix::from_fn(nc, nv, |i, _| {
            let entry = random.signed();
            if i % 2 == 0 { entry } else { 0.0 }
        });
        let sliding: Vec<usize> = (0..nc).step_by(2).collect();
        let others: Vec<usize> = (1..nc).step_by(2).collect();
        operators.f = operators.f.rows(0, 2 * others.len()).into_owned();
        let mut data = ConstraintAccelProblemData::new(operators);
        data.mu_sliding = DVector::from_fn(sliding.len(), |_, _| 1.0 + random.signed());
        data.operators.mu_q = DMatrix::from_fn(nc, nv, |i, j| {
            if i % 2 == 0 {
                q[(i, j)] * data.mu_sliding[i / 2]
            } else {
                0.0
            }
        });
        data.mu_non_sliding = DVector::from_fn(others.len(), |_, _| 1.0 + random.signed());
        data.r = vec![2; others.len()];
        (data.sliding_contacts, data.non_sliding_contacts) = (sliding, others);
        data.kG = DVector::zeros(data.operators.g.nrows());
        data.kN = DVector::from_fn(nc, |_, _| 0.1 * random.signed());
        data.kF = DVector::zeros(data.operators.f.nrows());
        data.kL = DVector::zeros(data.operators.l.nrows());
        data.tau = DVector::from_fn(nv, |_, _| random.signed());
        match solver.solve_accelerations(&mut data) {
            Ok(solution) => {
                solved += 1;
                assert!(solution.forces.residual <= 1e-9, "{seed}");
                let a = &solution.generalized_acceleration;
                let force = solution.forces.packed.amax().max(1e-12);
                let scale = force.max(1.0) * a.amax().max(1.0);
                let separation = &data.operators.n * a + &data.kN;
                let normal = solution.forces.normal();
                assert_complementary(separation.as_slice(), normal, scale, force);
                assert!((&data.operators.g * a).amax() < 1e-9 * scale);
            }
            Err(ConstraintError::PainleveInconsistency { .. }) => paradox += 1,
            Err(ConstraintError::Infeasible { .. } | ConstraintError::Unbounded { .. }) => {}
            Err(error) => panic!("{seed}: {error}"),
        }
    }
    assert!(solved > 0 && paradox > 0, "{solved} {paradox}");
}

#[test]
fn derivatives_through_every_operator_are_those_of_differences() {
    // Every matrix and vector moves along a random direction.
    let mut compared = 0;
    for seed in 0..60 {
        let random = &mut Random::new(seed + 2_000_000);
        let (nv, nc) = (6, 2);
        let base = random_operators(random, nv, nc);
        let mut base = base;
        // Independent equations, so that moving them keeps their rank.
        base.g = DMatrix::from_fn(2, nv, |_, _| random.signed());
        let inertia = {
            let root = DMatrix::from_fn(nv, nv, |_, _| random.signed());
            &root * root.transpose() + DMatrix::identity(nv, nv)
        };
        let symmetric = {
            let d = DMatrix::from_fn(nv, nv, |_, _| random.signed());
            &d + d.transpose()
        };
        let nu = base.l.nrows();
        let mut direction = |rows: usize| DMatrix::from_fn(rows, nv, |_, _| random.signed());
        let (dg, dn, df, dl) = (
            direction(2),
            direction(nc),
            direction(2 * nc),
            direction(nu),
        );
        let momentum = DVector::from_fn(nv, |_, _| random.signed());
        let dp = DVector::from_fn(nv, |_, _| random.signed());
        fn move_along<T: Scalar>(a: &DMatrix<f64>, d: &DMatrix<f64>, t: T) -> DMatrix<T> {
            a.zip_map(d, |a, d| t * d + a)
        }
        let solve = |t: Dual2_64| {
            let mut operators = matrices(move_along(&inertia, &symmetric, t));
            operators.g = move_along(&base.g, &dg, t);
            operators.n = move_along(&base.n, &dn, t);
            operators.f = move_along(&base.f, &df, t);
            operators.l = move_along(&base.l, &dl, t);
            let mut data = ConstraintVelProblemData::new(operators);
            data.set_rigid(2, DVector::from_element(nc, t + 0.6), vec![2; nc], nu)
                .unwrap();
            data.kN = DVector::from_element(nc, t * 0.3 - 0.1);
            data.kG = DVector::from_element(2, t * 0.2);
            data.gammaN = DVector::from_element(nc, t * 0.1 + 0.01);
            data.gammaF = DVector::from_element(2 * nc, t * 0.1 + 0.02);
            data.gammaE = DVector::from_element(nc, t * 0.1 + 0.03);
            data.gammaL = DVector::from_element(nu, t * 0.1 + 0.04);
            data.Mv = momentum.zip_map(&dp, |a, d| t * d + a);
            ConstraintSolver::default()
                .solve_velocities(&mut data)
                .unwrap()
        };
        let at = Dual2_64::from(0.0).derivative();
        let solution = solve(at);
        let distances = solution.impulses.kinks.iter().map(|k| k.distance);
        let kink = distances.fold(1.0, f64::min);
        if kink < 0.01 {
            continue;
        }
        compared += 1;
        let value = |t: f64| solve(Dual2_64::from(t)).generalized_velocity.map(|v| v.re);
        let (h, wide) = (1e-6, 1e-4);
        let first = (value(h) - value(-h)) / (2.0 * h);
        let second = (value(wide) - value(0.0) * 2.0 + value(-wide)) / (wide * wide);
        for i in 0..nv {
            let v = solution.generalized_velocity[i];
            let scale = 1.0 + first.amax();
            assert!(
                (v.v1 - first[i]).abs() < 1e-5 * scale,
                "{seed}: {} {}",
                v.v1,
                first[i]
            );
            let scale = 1.0 + second.amax();
            assert!(
                (v.v2 - second[i]).abs() < 1e-2 * scale,
                "{seed}: {} {}",
                v.v2,
                second[i]
            );
        }
    }
    assert!(compared > 20, "{compared}");
}

/// Operators that can only multiply.
struct Products<T: Scalar>(ConstraintMatrices<T>);

macro_rules! pass_on {
    ($($method:ident),*) => {
        $(fn $method(&mut self, x: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
            self.0.$method(x, out)
        })*
    };
}

impl<T: Scalar> ConstraintOperators<T> for Products<T> {
    fn num_velocities(&self) -> usize {
        self.0.num_velocities()
    }
    fn solve_inertia(&mut self, b: &mut [T]) -> Result<(), ConstraintError> {
        self.0.solve_inertia(b)
    }
    pass_on!(
        g_mult,
        g_transpose_mult,
        n_mult,
        n_transpose_mult,
        n_minus_mu_q_transpose_mult,
        f_mult,
        f_transpose_mult,
        l_mult,
        l_transpose_mult
    );
}

#[test]
fn products_give_what_matrices_give_and_duals_the_bits_of_f64() {
    let (mut sliding, mut redundant) = (0, 0);
    for seed in 0..200 {
        let random = &mut Random::new(seed + 3_000_000);
        let (nv, nc) = (3 + random.below(8), 1 + random.below(4));
        let mut real = random_operators(random, nv, nc);
        let slides = random.below(nc + 1);
        real.mu_q = DMatrix::from_fn(nc, nv, |i, _| {
            let entry = random.signed();
            if i < slides { 0.2 * entry } else { 0.0 }
        });
        real.f = real.f.rows(0, 2 * (nc - slides)).into_owned();
        let mut seeds = Random::new(seed);
        let mut dual = |x: f64| Dual2_64::new(x, 0.1 * seeds.signed(), 0.0);
        let mut operators = matrices(DMatrix::from_fn(nv, nv, |i, j| {
            Dual2_64::new(if i == j { 2.0 } else { 0.1 }, 0.1 * (i + j) as f64, 0.0)
        }));
        real.inertia = DenseInertia::new(DMatrix::from_fn(
            nv,
            nv,
            |i, j| {
                if i == j { 2.0 } else { 0.1 }
            },
        ))
        .unwrap();
        // Equations keep their rank.
        operators.g = real.g.map(Dual2_64::from);
        operators.n = real.n.map(&mut dual);
        operators.mu_q = real.mu_q.map(&mut dual);
        operators.f = real.f.map(&mut dual);
        operators.l = real.l.map(&mut dual);
        fn problem<T: Scalar, O: ConstraintOperators<T>>(
            operators: O,
            [nb, nc, nu]: [usize; 3],
            slides: usize,
            k: f64,
        ) -> ConstraintAccelProblemData<T, O> {
            let mut data = ConstraintAccelProblemData::new(operators);
            data.sliding_contacts = (0..slides).collect();
            data.non_sliding_contacts = (slides..nc).collect();
            data.r = vec![2; nc - slides];
            data.mu_sliding = DVector::from_element(slides, T::from(0.2));
            data.mu_non_sliding = DVector::from_element(nc - slides, T::from(0.6));
            data.kG = DVector::zeros(nb);
            data.kN = DVector::from_element(nc, T::from(k));
            data.kF = DVector::from_element(2 * (nc - slides), T::from(0.1));
            data.kL = DVector::from_element(nu, T::from(-0.1));
            data.tau.fill(T::from(0.3));
            data
        }
        let sizes = [real.g.nrows(), nc, real.l.nrows()];
        let k = random.signed();
        let expected =
            ConstraintSolver::default().solve_accelerations(&mut problem(real, sizes, slides, k));
        let by_matrices = ConstraintSolver::default().solve_accelerations(&mut problem(
            operators.clone(),
            sizes,
            slides,
            k,
        ));
        let by_products = ConstraintSolver::default().solve_accelerations(&mut problem(
            Products(operators),
            sizes,
            slides,
            k,
        ));
        let (Ok(expected), Ok(by_matrices), Ok(by_products)) =
            (&expected, &by_matrices, &by_products)
        else {
            assert!(expected.is_err() && by_matrices.is_err() && by_products.is_err());
            continue;
        };
        sliding += slides.min(1);
        redundant += by_matrices.forces.redundant.len().min(1);
        for (real, dual) in expected
            .forces
            .packed
            .iter()
            .zip(&by_matrices.forces.packed)
        {
            assert!(
                (real - dual.re).abs() <= 1e-12 * (1.0 + real.abs()),
                "{seed}"
            );
        }
        let motion = &by_matrices.generalized_acceleration;
        assert_eq!(
            expected.generalized_acceleration,
            motion.map(|a| a.re),
            "{seed}"
        );
        let products = &by_products.generalized_acceleration;
        for (a, b) in motion.iter().zip(products) {
            for (a, b) in [(a.re, b.re), (a.v1, b.v1), (a.v2, b.v2)] {
                assert!((a - b).abs() <= 1e-7 * (1.0 + a.abs()), "{seed}: {a} {b}");
            }
        }
    }
    assert!(sliding > 20 && redundant > 20, "{sliding} {redundant}");
}
