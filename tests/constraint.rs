//! Constraint problems: closed forms of mechanics, their derivatives, and what is refused.

mod support;

use dualbody::constraint::{
    AccelerationSolution, ConstraintAccelProblemData, ConstraintError, ConstraintKinkKind,
    ConstraintMatrices, ConstraintOperators, ConstraintSolver, ConstraintVelProblemData,
    DenseInertia, VelocitySolution,
};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, Vector2, Vector3, dmatrix, dvector};
use num_dual::{Dual2_64, Dual64, DualNum, DualSVec64, HyperDual64};
use support::random_lcp::number_of_problems;
use support::random_tree::Random;

const G: f64 = 9.81;

fn matrices<T: Scalar>(inertia: DMatrix<T>) -> ConstraintMatrices<T> {
    ConstraintMatrices::unconstrained(DenseInertia::new(inertia).unwrap())
}

fn accelerate<T: Scalar>(
    mut data: ConstraintAccelProblemData<T, ConstraintMatrices<T>>,
) -> Result<AccelerationSolution<T>, ConstraintError> {
    ConstraintSolver::default().solve_accelerations(&mut data)
}

fn collide<T: Scalar>(
    mut data: ConstraintVelProblemData<T, ConstraintMatrices<T>>,
) -> Result<VelocitySolution<T>, ConstraintError> {
    ConstraintSolver::default().solve_velocities(&mut data)
}

fn diagonal<T: Scalar>(entries: &[T]) -> DMatrix<T> {
    DMatrix::from_diagonal(&DVector::from_column_slice(entries))
}

fn c<T: Scalar>(x: f64) -> T {
    T::from(x)
}

/// A block of mass `m` at rest on a slope of the angle `θ`: x points down the slope, y away from
/// it.
fn block_on_incline<T: Scalar>(
    m: T,
    theta: T,
    mu: T,
) -> ConstraintAccelProblemData<T, ConstraintMatrices<T>> {
    let mut operators = matrices(diagonal(&[m, m]));
    operators.n = dmatrix![c(0.0), c(1.0)];
    operators.f = dmatrix![c(1.0), c(0.0)];
    let mut data = ConstraintAccelProblemData::new(operators);
    data.non_sliding_contacts = vec![0];
    data.r = vec![1];
    data.mu_non_sliding = dvector![mu];
    data.kN = dvector![c(0.0)];
    data.kF = dvector![c(0.0)];
    data.tau = dvector![m * theta.sin() * G, -m * theta.cos() * G];
    data
}

/// The same block, sliding down.
fn block_sliding_down<T: Scalar>(
    m: T,
    theta: T,
    mu: T,
) -> ConstraintAccelProblemData<T, ConstraintMatrices<T>> {
    let mut data = block_on_incline(m, theta, mu);
    data.operators.q = dmatrix![c(1.0), c(0.0)];
    data.operators.f = DMatrix::zeros(0, 2);
    data.sliding_contacts = vec![0];
    data.mu_sliding = dvector![mu];
    data.non_sliding_contacts = vec![];
    data.mu_non_sliding = DVector::zeros(0);
    data.r = vec![];
    data.kF = DVector::zeros(0);
    data
}

#[test]
fn block_sticks_below_the_friction_angle() {
    let data = block_on_incline(2.0, 0.3, 0.5);
    let frames = data.clone();
    let solution = accelerate(data).unwrap();
    assert!(solution.generalized_acceleration.amax() < 1e-14);
    let (normal, friction) = (2.0 * G * 0.3f64.cos(), -2.0 * G * 0.3f64.sin());
    assert!((solution.forces.normal()[0] - normal).abs() < 1e-13);
    assert!((solution.forces.friction()[0] - friction).abs() < 1e-13);
    let force = solution.forces.in_planar_contact_frames(&frames).unwrap()[0];
    assert!((force - Vector2::new(friction, normal)).amax() < 1e-13);
    let slack = 0.5 * normal + friction;
    let kinks = &solution.forces.kinks;
    let slipping = kinks
        .iter()
        .find(|k| k.kind == ConstraintKinkKind::Slipping);
    assert!((slipping.unwrap().distance - slack).abs() < 1e-13);
    assert_eq!(
        solution.forces.nearest_kink().unwrap().kind,
        ConstraintKinkKind::Slipping
    );
}

#[test]
fn block_slides_above_the_friction_angle_with_its_derivatives() {
    // ẍ = g (sin θ − μ cos θ), whether it starts to slide or slides already.
    for build in [block_on_incline, block_sliding_down] {
        let (theta, mu) = (0.7f64, 0.4f64);
        let t = Dual2_64::from(theta).derivative();
        let a = accelerate(build(c(2.0), t, c(mu))).unwrap();
        let a = a.generalized_acceleration[0];
        let first = G * (theta.cos() + mu * theta.sin());
        let second = G * (-theta.sin() + mu * theta.cos());
        assert!((a.re - G * (theta.sin() - mu * theta.cos())).abs() < 1e-14);
        assert!((a.v1 - first).abs() < 1e-13 && (a.v2 - second).abs() < 1e-13);

        let m = Dual2_64::from(mu).derivative();
        let a = accelerate(build(c(2.0), c(theta), m)).unwrap();
        let a = a.generalized_acceleration[0];
        assert!((a.v1 + G * theta.cos()).abs() < 1e-14 && a.v2.abs() < 1e-13);

        let mass = Dual2_64::from(2.0).derivative();
        let solution = accelerate(build(mass, c(theta), c(mu))).unwrap();
        let normal = solution.forces.normal()[0];
        assert!((normal.v1 - G * theta.cos()).abs() < 1e-13 && normal.v2.abs() < 1e-12);
        assert!(solution.generalized_acceleration[0].v1.abs() < 1e-13);
    }
}

#[test]
fn sliding_friction_is_given_in_the_contact_frame() {
    let data = block_sliding_down(2.0, 0.7, 0.4);
    let solution = accelerate(data.clone()).unwrap();
    let normal = 2.0 * G * 0.7f64.cos();
    let force = solution.forces.in_contact_frames(&data).unwrap()[0];
    assert!((force - Vector3::new(-0.4 * normal, 0.0, normal)).amax() < 1e-13);
}

#[test]
fn at_the_friction_angle_the_kink_is_at_hand() {
    let mu = 0.5f64;
    let solution = accelerate(block_on_incline(2.0, mu.atan(), mu)).unwrap();
    assert!(solution.generalized_acceleration.amax() < 1e-14);
    assert!(solution.forces.nearest_kink().unwrap().distance < 1e-13);
    // The derivative jumps from 0 to that of sliding.
    for (offset, slope) in [
        (-1e-6, 0.0),
        (1e-6, G * (mu.atan().cos() + mu * mu.atan().sin())),
    ] {
        let theta = Dual64::from(mu.atan() + offset).derivative();
        let solution = accelerate(block_on_incline(c(2.0), theta, c(mu))).unwrap();
        assert!((solution.generalized_acceleration[0].eps - slope).abs() < 1e-4);
    }
}

/// A rod of 1 kg and half length 1 m at the angle `θ` to the ground, whose lower end slides towards
/// negative x; θ̇ = `rate`.
fn rod<T: Scalar>(
    theta: T,
    mu: T,
    rate: T,
) -> ConstraintAccelProblemData<T, ConstraintMatrices<T>> {
    let (sin, cos) = (theta.sin(), theta.cos());
    let mut operators = matrices(diagonal(&[c(1.0), c(1.0), c(1.0 / 3.0)]));
    operators.n = dmatrix![c(0.0), c(1.0), -cos];
    operators.q = dmatrix![c::<T>(-1.0), c(0.0), -sin];
    let mut data = ConstraintAccelProblemData::new(operators);
    data.sliding_contacts = vec![0];
    data.mu_sliding = dvector![mu];
    data.kN = dvector![sin * rate * rate];
    data.tau = dvector![c(0.0), c(-G), c(0.0)];
    data
}

/// Change of the normal acceleration with the normal force.
fn rod_mobility<T: Scalar>(theta: T, mu: T) -> T {
    (theta.cos() - mu * theta.sin()) * theta.cos() * 3.0 + 1.0
}

#[test]
fn sliding_rod_has_the_force_of_the_closed_form() {
    let (theta, mu) = (0.9, 0.8);
    let probes = [Dual2_64::from(theta).derivative(), c(theta)];
    for (k, t) in probes.into_iter().enumerate() {
        let m = if k == 0 {
            c(mu)
        } else {
            Dual2_64::from(mu).derivative()
        };
        let solution = accelerate(rod(t, m, c(0.5))).unwrap();
        let expected = (-t.sin() * 0.25 + G) / rod_mobility(t, m);
        let actual = solution.forces.normal()[0];
        for (a, e) in [
            (actual.re, expected.re),
            (actual.v1, expected.v1),
            (actual.v2, expected.v2),
        ] {
            assert!((a - e).abs() < 1e-11 * (1.0 + e.abs()), "{a} {e}");
        }
    }
}

#[test]
fn painleve_rod_has_no_acceleration_but_an_impact() {
    let (theta, mu) = (1.1f64, 2.5);
    assert!(rod_mobility(theta, mu) < 0.0);
    let error = accelerate(rod(theta, mu, 0.0)).unwrap_err();
    assert!(
        matches!(error, ConstraintError::PainleveInconsistency { .. }),
        "{error}"
    );
    // Turning so fast that the end lifts off, the rod may also stay free: that is returned.
    let free = accelerate(rod(theta, mu, 10.0)).unwrap();
    assert_eq!(free.forces.normal(), [0.0]);
    // An impact without collision stops the sliding or the approach.
    let (sin, cos) = (theta.sin(), theta.cos());
    let mut operators = matrices(diagonal(&[1.0, 1.0, 1.0 / 3.0]));
    operators.n = dmatrix![0.0, 1.0, -cos];
    operators.f = dmatrix![1.0, 0.0, sin];
    let mut data = ConstraintVelProblemData::new(operators);
    data.set_rigid(0, dvector![mu], vec![1], 0);
    data.Mv = dvector![-1.0, -1e-3, 0.0];
    let solution = collide(data).unwrap();
    let v = &solution.generalized_velocity;
    assert!(v[1] - cos * v[2] > -1e-12);
    assert!(f64::abs(v[0] + sin * v[2]) < 1.0);
}

/// Masses m₁ and m₂ (upwards) and a pulley (moment J, radius R) that the first mass turns.
fn atwood<T: Scalar>(m1: T, m2: T) -> ConstraintAccelProblemData<T, ConstraintMatrices<T>> {
    let mut operators = matrices(diagonal(&[m1, m2, c(0.02)]));
    operators.g = dmatrix![c(1.0), c(1.0), c(0.0); c(1.0), c(0.0), c(-0.1)];
    let mut data = ConstraintAccelProblemData::new(operators);
    data.kG = dvector![c(0.0), c(0.0)];
    data.tau = dvector![-m1 * G, -m2 * G, c(0.0)];
    data
}

fn atwood_acceleration<T: Scalar>(m1: T, m2: T) -> T {
    (m2 - m1) * G / (m1 + m2 + 0.02 / 0.01)
}

#[test]
fn atwood_machine_by_gearing() {
    let m1 = HyperDual64::from(1.5).derivative1();
    let m2 = HyperDual64::from(2.5).derivative2();
    let solution = accelerate(atwood(m1, m2)).unwrap();
    let (a, e) = (
        solution.generalized_acceleration[0],
        atwood_acceleration(m1, m2),
    );
    for (a, e) in [
        (a.re, e.re),
        (a.eps1, e.eps1),
        (a.eps2, e.eps2),
        (a.eps1eps2, e.eps1eps2),
    ] {
        assert!((a - e).abs() < 1e-13, "{a} {e}");
    }
    let change = &solution.constraint_acceleration + dvector![c(-G), c(-G), c(0.0)];
    assert!((change - solution.generalized_acceleration).amax().re < 1e-14);
}

#[test]
fn redundant_gears_share_their_forces_by_least_squares() {
    let mut data = atwood(1.5, 2.5);
    let expected: f64 = atwood_acceleration(1.5, 2.5);
    // v₂ + R ω = 0 follows from the other two.
    data.operators.g = data.operators.g.insert_row(2, 0.0);
    data.operators
        .g
        .row_mut(2)
        .copy_from(&dmatrix![0.0, 1.0, 0.1]);
    data.kG = DVector::zeros(3);
    let solution = accelerate(data.clone()).unwrap();
    assert!((solution.generalized_acceleration[0] - expected).abs() < 1e-13);
    assert_eq!(solution.forces.redundant.len(), 1);
    let g = &data.operators.g;
    let inverse = diagonal(&[1.0 / 1.5, 1.0 / 2.5, 50.0]);
    let delassus = g * &inverse * g.transpose();
    let right = -(g * inverse * &data.tau);
    let pseudo = delassus.pseudo_inverse(1e-9).unwrap() * right;
    for (a, e) in solution.forces.bilateral().iter().zip(pseudo.iter()) {
        assert!(f64::abs(a - e) < 1e-10, "{a} {e}");
    }
    let force = g.transpose() * DVector::from_column_slice(solution.forces.bilateral());
    assert!((force - &solution.forces.generalized).amax() < 1e-12);

    // With derivatives of the masses, which keep the equations dependent.
    let mass = |m: f64| Dual64::from(m).derivative();
    let mut dual = atwood(mass(1.5), c(2.5));
    dual.operators.g = g.map(Dual64::from);
    dual.kG = DVector::zeros(3);
    let solution = accelerate(dual).unwrap();
    let e = atwood_acceleration(mass(1.5), c(2.5));
    assert!((solution.generalized_acceleration[0].eps - e.eps).abs() < 1e-12);

    data.kG[2] = 1.0;
    let error = accelerate(data).unwrap_err();
    assert!(
        matches!(error, ConstraintError::Inconsistent { .. }),
        "{error}"
    );
}

/// The accelerations of a parallelogram linkage of three rods in the plane, with the coordinates
/// (x, y, angle) of each: crank, coupler, rocker; crank and rocker of length `a` at the angle `φ`.
fn parallelogram<T: Scalar>(
    phi: T,
    rate: T,
    a: T,
    masses: [T; 3],
) -> ConstraintAccelProblemData<T, ConstraintMatrices<T>> {
    let b = 1.3; // length of the coupler and of the ground
    let (sin, cos) = (phi.sin(), phi.cos());
    let inertia = |m: T, length: T| m * length * length / 12.0;
    let [m1, m2, m3] = masses;
    let moments = [inertia(m1, a), inertia(m2, c(b)), inertia(m3, a)];
    let mut operators = matrices(diagonal(&[
        m1, m1, moments[0], m2, m2, moments[1], m3, m3, moments[2],
    ]));
    // A point at `s` half lengths along a rod has the velocity (ẋ − y' ω, ẏ + x' ω) with (x', y') its
    // place from the centre; its acceleration without v̇ is −ω² (x', y').
    let half = [
        (a * cos * 0.5, a * sin * 0.5),
        (c(0.5 * b), c(0.0)),
        (a * cos * 0.5, a * sin * 0.5),
    ];
    let rates = [rate, c(0.0), rate];
    let mut g = DMatrix::zeros(8, 9);
    let mut k = DVector::zeros(8);
    let mut add = |row: usize, rod: usize, side: f64, sign: f64| {
        let (x, y) = (half[rod].0 * side, half[rod].1 * side);
        g[(row, 3 * rod)] += c::<T>(sign);
        g[(row, 3 * rod + 2)] -= y * sign;
        g[(row + 1, 3 * rod + 1)] += c::<T>(sign);
        g[(row + 1, 3 * rod + 2)] += x * sign;
        let square = rates[rod] * rates[rod] * sign;
        k[row] -= x * square;
        k[row + 1] -= y * square;
    };
    add(0, 0, -1.0, 1.0); // the crank on the ground
    add(2, 0, 1.0, 1.0); // crank and coupler
    add(2, 1, -1.0, -1.0);
    add(4, 1, 1.0, 1.0); // coupler and rocker
    add(4, 2, 1.0, -1.0);
    add(6, 2, -1.0, 1.0); // the rocker on the ground
    operators.g = g;
    let mut data = ConstraintAccelProblemData::new(operators);
    data.kG = k;
    data.tau = DVector::zeros(9);
    for (rod, &m) in masses.iter().enumerate() {
        data.tau[3 * rod + 1] = -m * G;
    }
    data
}

#[test]
fn four_bar_linkage_has_its_closed_form_acceleration() {
    // A parallelogram: crank and rocker turn about their ends, the coupler moves on a circle.
    let masses = [0.7, 1.1, 0.4];
    let closed_form = |phi: Dual2_64, a: Dual2_64| {
        let [m1, m2, m3] = masses;
        let inertia = a * a * ((m1 + m3) / 3.0 + m2);
        -phi.cos() * a * G * (0.5 * (m1 + m3) + m2) / inertia
    };
    let (phi, a) = (0.8, 0.6);
    for k in 0..2 {
        let (p, l) = if k == 0 {
            (Dual2_64::from(phi).derivative(), c(a))
        } else {
            (c(phi), Dual2_64::from(a).derivative())
        };
        // φ̈ does not depend on φ̇, the forces do.
        for rate in [0.0, 2.0] {
            let data = parallelogram(p, c(rate), l, masses.map(c));
            let solution = accelerate(data).unwrap();
            let (actual, expected) = (solution.generalized_acceleration[2], closed_form(p, l));
            for (x, e) in [
                (actual.re, expected.re),
                (actual.v1, expected.v1),
                (actual.v2, expected.v2),
            ] {
                assert!((x - e).abs() < 1e-10 * (1.0 + e.abs()), "{x} {e}");
            }
        }
    }
}

#[test]
fn equal_balls_exchange_their_velocities() {
    let solve = |v: [DualSVec64<2>; 2], e: f64| {
        let mut operators = matrices(diagonal(&[c(1.0), c(1.0)]));
        operators.n = dmatrix![c(-1.0), c(1.0)];
        let mut data = ConstraintVelProblemData::new(operators);
        data.set_rigid(0, dvector![c(0.0)], vec![0], 0);
        data.Mv = dvector![v[0], v[1]];
        data.kN = dvector![(v[1] - v[0]) * e];
        collide(data).unwrap()
    };
    let v: [DualSVec64<2>; 2] = [
        DualSVec64::from_re(1.0).derivative(0),
        DualSVec64::from_re(0.0).derivative(1),
    ];
    let after = solve(v, 1.0).generalized_velocity;
    let gradient = after.map(|v| v.eps.0.unwrap_or_default());
    assert_eq!((after[0].re, after[1].re), (0.0, 1.0));
    assert_eq!((gradient[0][0], gradient[0][1]), (0.0, 1.0));
    assert_eq!((gradient[1][0], gradient[1][1]), (1.0, 0.0));
    // Without restitution both go on with the mean.
    let after = solve(v, 0.0).generalized_velocity;
    let gradient = after.map(|v| v.eps.0.unwrap_or_default());
    assert_eq!((gradient[0][0], gradient[1][1]), (0.5, 0.5));
    // Balls that part already are left alone.
    let apart = solve([v[1], v[0]], 1.0);
    assert_eq!(apart.impulses.normal()[0].re, 0.0);
    assert_eq!(apart.impulses.kinks[0].kind, ConstraintKinkKind::Closing);
}

#[test]
fn acceleration_limits_push_only_when_reached() {
    // 0 ≤ −v̇ + r.
    for (torque, force) in [(1.0, 0.0), (5.0, 3.0)] {
        let mut operators = matrices(diagonal(&[1.0]));
        operators.l = dmatrix![-1.0];
        let mut data = ConstraintAccelProblemData::new(operators);
        data.kL = dvector![2.0];
        data.tau = dvector![torque];
        let solution = accelerate(data).unwrap();
        assert_eq!(solution.forces.limit(), [force]);
        assert_eq!(solution.generalized_acceleration[0], torque - force);
    }
    // Two limits that leave nothing.
    let mut operators = matrices(diagonal(&[1.0]));
    operators.l = dmatrix![-1.0; 1.0];
    let mut data = ConstraintAccelProblemData::new(operators);
    data.kL = dvector![-1.0, -1.0];
    let error = accelerate(data).unwrap_err();
    assert!(
        matches!(error, ConstraintError::Infeasible { .. }),
        "{error}"
    );
}

#[test]
fn the_linear_path_agrees_where_everything_is_active() {
    let theta = Dual64::from(0.3).derivative();
    let mut data = block_on_incline(c(2.0), theta, c(0.5));
    let expected = accelerate(data.clone()).unwrap();
    data.use_complementarity_problem_solver = false;
    let solution = accelerate(data.clone()).unwrap();
    for (a, e) in solution.forces.packed.iter().zip(&expected.forces.packed) {
        assert!((a.re - e.re).abs() < 1e-13 && (a.eps - e.eps).abs() < 1e-13);
    }
    assert!(solution.forces.kinks.is_empty());
    // Two contacts at one place share the force.
    data.operators.n = data.operators.n.insert_row(1, c(0.0));
    data.operators.n[(1, 1)] = c(1.0);
    data.operators.f = data.operators.f.insert_row(1, c(0.0));
    data.operators.f[(1, 0)] = c(1.0);
    data.non_sliding_contacts = vec![0, 1];
    data.r = vec![1, 1];
    data.mu_non_sliding = dvector![c(0.5), c(0.5)];
    data.kN = DVector::zeros(2);
    data.kF = DVector::zeros(2);
    let shared = accelerate(data).unwrap();
    for (k, e) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        let (a, e) = (shared.forces.packed[k], expected.forces.packed[e] * 0.5);
        assert!((a.re - e.re).abs() < 1e-12 && (a.eps - e.eps).abs() < 1e-12);
    }
}

#[test]
fn compliance_softens_a_stop() {
    // A mass of 2 kg at 1 m/s meets a stop with 0 = v + γ f.
    let mut operators = matrices(diagonal(&[2.0]));
    operators.l = dmatrix![-1.0];
    let mut data = ConstraintVelProblemData::new(operators);
    data.set_rigid(0, DVector::zeros(0), vec![], 1);
    data.Mv = dvector![2.0];
    data.gammaL = dvector![0.5];
    let solution = collide(data.clone()).unwrap();
    // −v + γ f = 0, 2 v = 2 − f.
    assert!((solution.impulses.limit()[0] - 1.0f64).abs() < 1e-15);
    assert!((solution.generalized_velocity[0] - 0.5f64).abs() < 1e-15);
    assert!((solution.packed_forces(0.1).unwrap()[0] - 10.0f64).abs() < 1e-14);
    assert!(solution.packed_forces(0.0).is_err());
    data.gammaL = dvector![-0.5];
    assert!(matches!(
        collide(data),
        Err(ConstraintError::Invalid(InvalidInput::OutOfRange {
            quantity: "gammaL",
            ..
        }))
    ));
}

#[test]
fn forces_can_be_applied_by_themselves() {
    let mut data = block_on_incline(2.0, 0.7, 0.4);
    let solution = accelerate(data.clone()).unwrap();
    let packed = solution.forces.packed.as_slice();
    let close = |a: DVector<f64>, b: &DVector<f64>| assert!((a - b).amax() < 1e-13);
    close(
        data.generalized_force(packed).unwrap(),
        &solution.forces.generalized,
    );
    close(
        data.generalized_acceleration(packed).unwrap(),
        &solution.generalized_acceleration,
    );
    close(
        data.generalized_acceleration_from_constraint_forces(packed)
            .unwrap(),
        &solution.constraint_acceleration,
    );
    assert!(data.generalized_force(&[1.0]).is_err());
}

#[test]
fn data_is_checked() {
    let good = || block_on_incline(1.0, 0.3, 0.5);
    type Data = ConstraintAccelProblemData<f64, ConstraintMatrices<f64>>;
    let name = |change: &dyn Fn(&mut Data)| {
        let mut data = good();
        change(&mut data);
        match accelerate(data) {
            Err(ConstraintError::Invalid(
                InvalidInput::Dimension { quantity, .. }
                | InvalidInput::NotFinite { quantity, .. }
                | InvalidInput::OutOfRange { quantity, .. },
            )) => quantity,
            Err(ConstraintError::ContactIndex { list, .. }) => list,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(name(&|d| d.tau = dvector![1.0]), "tau");
    assert_eq!(name(&|d| d.kN = dvector![]), "kN");
    assert_eq!(name(&|d| d.kF = dvector![1.0, 2.0]), "kF");
    assert_eq!(name(&|d| d.r = vec![]), "r");
    assert_eq!(
        name(&|d| d.mu_non_sliding = dvector![-0.1]),
        "mu_non_sliding"
    );
    assert_eq!(name(&|d| d.kN = dvector![f64::NAN]), "kN");
    assert_eq!(
        name(&|d| d.non_sliding_contacts = vec![1]),
        "non_sliding_contacts"
    );
    assert_eq!(name(&|d| d.kG = dvector![1.0]), "G");
    assert_eq!(name(&|d| d.operators.f = DMatrix::zeros(1, 3)), "F");
    let unsorted = |d: &mut Data| {
        d.sliding_contacts = vec![1, 0];
        d.non_sliding_contacts = vec![2];
    };
    assert_eq!(name(&unsorted), "sliding_contacts");
    let indefinite = DenseInertia::new(dmatrix![1.0, 2.0; 2.0, 1.0]);
    assert!(matches!(
        indefinite,
        Err(ConstraintError::SingularInertia(_))
    ));
}

/// Operators of which only the inertia is implemented, and one transposed product is wrong.
struct Unfinished {
    wrong: bool,
}

impl ConstraintOperators<f64> for Unfinished {
    fn num_velocities(&self) -> usize {
        2
    }
    fn solve_inertia(&mut self, b: &mut [f64]) -> Result<(), ConstraintError> {
        b[0] *= 0.5;
        Ok(())
    }
    fn l_mult(&mut self, v: &[f64], out: &mut [f64]) -> Result<(), ConstraintError> {
        out[0] = v[0] - 3.0 * v[1];
        Ok(())
    }
    fn l_transpose_mult(&mut self, f: &[f64], out: &mut [f64]) -> Result<(), ConstraintError> {
        out[0] = f[0];
        out[1] = if self.wrong { 3.0 } else { -3.0 } * f[0];
        Ok(())
    }
}

#[test]
fn wrong_transposes_are_found_and_defaults_are_those_of_no_constraint() {
    let mut data = ConstraintAccelProblemData::new(Unfinished { wrong: false });
    data.kL = dvector![0.0];
    data.check_adjoints().unwrap();
    let mut solver = ConstraintSolver::default();
    assert!(solver.solve_accelerations(&mut data).is_ok());
    data.operators.wrong = true;
    let error = data.check_adjoints().unwrap_err();
    assert!(
        matches!(error, ConstraintError::NotAdjoint { operator: "L", .. }),
        "{error}"
    );
    // No G, so no rows of G.
    data.kG = dvector![0.0];
    assert!(matches!(
        solver.solve_accelerations(&mut data),
        Err(ConstraintError::Invalid(InvalidInput::Dimension {
            quantity: "G v",
            ..
        }))
    ));
}

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
        data.set_rigid(nb, mu, vec![2; nc], nu);
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
        assert!((&o.g * v).amax() < 1e-9 * scale, "{seed}");
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
        operators.q = DMatrix::from_fn(nc, nv, |i, _| {
            let entry = random.signed();
            if i % 2 == 0 { entry } else { 0.0 }
        });
        let sliding: Vec<usize> = (0..nc).step_by(2).collect();
        let others: Vec<usize> = (1..nc).step_by(2).collect();
        operators.f = operators.f.rows(0, 2 * others.len()).into_owned();
        let mut data = ConstraintAccelProblemData::new(operators);
        data.mu_sliding = DVector::from_fn(sliding.len(), |_, _| 1.0 + random.signed());
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
            data.set_rigid(2, DVector::from_element(nc, t + 0.6), vec![2; nc], nu);
            data.kN = DVector::from_element(nc, t * 0.3 - 0.1);
            data.kG = DVector::from_element(2, t * 0.2);
            data.gammaN = DVector::from_element(nc, t * 0.1 + 0.01);
            data.gammaF = DVector::from_element(2 * nc, t * 0.1 + 0.02);
            data.gammaE = DVector::from_element(nc, t * 0.1 + 0.03);
            data.gammaL = DVector::from_element(nu, t * 0.1 + 0.04);
            data.Mv = momentum.zip_map(&dp, |a, d| t * d + a);
            collide(data).unwrap()
        };
        let at = Dual2_64::from(0.0).derivative();
        let solution = solve(at);
        let kink = solution.impulses.nearest_kink().map_or(1.0, |k| k.distance);
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
