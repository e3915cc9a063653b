//! Constraint problems: closed forms of mechanics and their derivatives.

use crate::support::constraint_problem::{G, block_on_incline, diagonal, matrices};
use dualbody::constraint::ConstraintKinkQuantity::Force;
use dualbody::constraint::{
    AccelerationSolution, ConstraintAccelProblemData, ConstraintClosures, ConstraintError,
    ConstraintKinkKind, ConstraintMatrices, ConstraintOperators, ConstraintSolver,
    ConstraintVelProblemData, VelocitySolution,
};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, Vector2, Vector3, dmatrix, dvector};
use num_dual::{Dual2_64, Dual64, DualNum, DualSVec64, HyperDual64};

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

fn c<T: Scalar>(x: f64) -> T {
    T::from(x)
}

/// The same block, sliding down.
fn block_sliding_down<T: Scalar>(
    m: T,
    theta: T,
    mu: T,
) -> ConstraintAccelProblemData<T, ConstraintMatrices<T>> {
    let mut data = block_on_incline(m, theta, mu);
    data.operators.mu_q = dmatrix![mu, c(0.0)];
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
    let solution = accelerate(block_on_incline(2.0, 0.3, 0.5)).unwrap();
    assert!(solution.generalized_acceleration.amax() < 1e-14);
    let (normal, friction) = (2.0 * G * 0.3f64.cos(), -2.0 * G * 0.3f64.sin());
    assert!((solution.forces.normal()[0] - normal).abs() < 1e-13);
    assert!((solution.forces.friction()[0] - friction).abs() < 1e-13);
    let force = solution.forces.in_planar_contact_frames().unwrap()[0];
    assert!((force - Vector2::new(friction, normal)).amax() < 1e-13);
    let slack = 0.5 * normal + friction;
    let kinks = &solution.forces.kinks;
    let slipping = kinks
        .iter()
        .find(|k| k.kind == ConstraintKinkKind::Slipping);
    assert!((slipping.unwrap().distance - slack).abs() < 1e-13);
    assert_eq!(
        solution.forces.nearest_kink(Force).unwrap().kind,
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
    let solution = accelerate(block_sliding_down(2.0, 0.7, 0.4)).unwrap();
    let normal = 2.0 * G * 0.7f64.cos();
    let force = solution.forces.in_contact_frames()[0];
    assert!((force - Vector3::new(-0.4 * normal, 0.0, normal)).amax() < 1e-13);
}

#[test]
fn at_the_friction_angle_the_kink_is_at_hand() {
    let mu = 0.5f64;
    let solution = accelerate(block_on_incline(2.0, mu.atan(), mu)).unwrap();
    assert!(solution.generalized_acceleration.amax() < 1e-14);
    assert!(solution.forces.nearest_kink(Force).unwrap().distance < 1e-13);
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
    operators.mu_q = dmatrix![-mu, c(0.0), -mu * sin];
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
    data.set_rigid(0, dvector![mu], vec![1], 0).unwrap();
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
        data.set_rigid(0, dvector![c(0.0)], vec![0], 0).unwrap();
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
    data.set_rigid(0, DVector::zeros(0), vec![], 1).unwrap();
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
fn slip_has_the_kinks_of_its_cone() {
    // A puck of 1 kg on ice gets pushed; friction pyramid, μ = 0.1, so f = 0.981 N against the larger
    // component of the slip.
    let solve = |fx: f64, fy: f64| {
        let mut operators = matrices(diagonal(&[1.0, 1.0, 1.0]));
        operators.n = dmatrix![0.0, 0.0, 1.0];
        operators.f = dmatrix![1.0, 0.0, 0.0; 0.0, 1.0, 0.0];
        let mut data = ConstraintAccelProblemData::new(operators);
        data.non_sliding_contacts = vec![0];
        data.r = vec![2];
        data.mu_non_sliding = dvector![0.1];
        data.kN = dvector![0.0];
        data.kF = dvector![0.0, 0.0];
        data.tau = dvector![fx, fy, -G];
        accelerate(data).unwrap()
    };
    let slipping = solve(2.0, 0.3);
    let kink = |kind| {
        let kinks = &slipping.forces.kinks;
        kinks.iter().find(|k| k.kind == kind).map(|k| k.distance)
    };
    let rate: f64 = 2.0 - 0.1 * G;
    assert!((slipping.generalized_acceleration[0] - rate).abs() < 1e-14);
    assert!((slipping.generalized_acceleration[1] - 0.3).abs() < 1e-14);
    // The slip stops when its rate vanishes, and turns when the other component is as large.
    assert!((kink(ConstraintKinkKind::Sticking).unwrap() - rate).abs() < 1e-13);
    assert!((kink(ConstraintKinkKind::Turning).unwrap() - (rate - 0.3)).abs() < 1e-13);
    assert!((kink(ConstraintKinkKind::Parting).unwrap() - G).abs() < 1e-13);
    assert_eq!(kink(ConstraintKinkKind::Slipping), None);
    // With forces in both directions within the pyramid, nothing moves.
    let sticking = solve(0.5, -0.3);
    assert!(sticking.generalized_acceleration.amax() < 1e-14);
    let nearest = sticking.forces.nearest_kink(Force).unwrap();
    assert_eq!(nearest.kind, ConstraintKinkKind::Slipping);
    assert!((nearest.distance - (0.1 * G - 0.8)).abs() < 1e-13);
}

/// A block of 2 kg on a slope, with the operators of Drake's structure and no other; it slides with `mu`.
fn closures<'a>(mu: f64) -> ConstraintClosures<'a, f64> {
    ConstraintClosures::<f64>::new(2, |b| b.iter_mut().for_each(|b| *b /= 2.0))
        .with_contacts(
            |v, out| out[0] = v[1],
            move |f, out| out.copy_from_slice(&[-mu * f[0], f[0]]),
        )
        .with_friction(
            |v, out| out[0] = v[0],
            |f, out| out.copy_from_slice(&[f[0], 0.0]),
        )
}

/// The data of a problem with other operators.
fn with_operators<O: ConstraintOperators<f64>>(
    from: ConstraintAccelProblemData<f64, ConstraintMatrices<f64>>,
    operators: O,
) -> ConstraintAccelProblemData<f64, O> {
    let mut data = ConstraintAccelProblemData::new(operators);
    data.sliding_contacts = from.sliding_contacts;
    data.non_sliding_contacts = from.non_sliding_contacts;
    data.r = from.r;
    (data.mu_sliding, data.mu_non_sliding) = (from.mu_sliding, from.mu_non_sliding);
    (data.tau, data.kN, data.kF) = (from.tau, from.kN, from.kF);
    data
}

#[test]
fn the_operators_of_drake_are_enough() {
    let mut solver = ConstraintSolver::default();
    // Sticking, slipping from rest, sliding.
    for problem in [
        block_on_incline(2.0, 0.3, 0.5),
        block_on_incline(2.0, 0.6, 0.5),
        block_sliding_down(2.0, 0.3, 0.2),
    ] {
        let mut data = with_operators(problem.clone(), closures(0.2));
        data.check_adjoints().unwrap();
        let actual = solver.solve_accelerations(&mut data).unwrap();
        let expected = accelerate(problem).unwrap();
        let difference = &actual.generalized_acceleration - &expected.generalized_acceleration;
        assert!(difference.amax() < 1e-14, "{difference}");
        assert!((actual.forces.packed - expected.forces.packed).amax() < 1e-13);
    }
    // An impact.
    let mut impact = ConstraintVelProblemData::new(closures(0.0));
    impact.set_rigid(0, dvector![0.5], vec![1], 0).unwrap();
    impact.Mv = dvector![2.0 * 1.0, -2.0 * 3.0];
    let after = solver.solve_velocities(&mut impact).unwrap();
    assert!(after.generalized_velocity.amax() < 1e-14);
    assert!((after.impulses.normal()[0] - 6.0).abs() < 1e-14);
    // And the search for the cause where there is no solution.
    let (theta, mu) = (1.1f64, 2.5);
    let (sin, cos) = theta.sin_cos();
    let rod_operators = ConstraintClosures::new(3, |b: &mut [f64]| b[2] *= 3.0).with_contacts(
        |v, out| out[0] = v[1] - cos * v[2],
        |f, out| {
            let slip = mu * f[0];
            out.copy_from_slice(&[slip, f[0], slip * sin - cos * f[0]]);
        },
    );
    let mut data = with_operators(rod(theta, mu, 0.0), rod_operators);
    let error = solver.solve_accelerations(&mut data).unwrap_err();
    assert!(
        matches!(error, ConstraintError::PainleveInconsistency { .. }),
        "{error}"
    );
}

#[test]
fn closures_of_normals_are_enough_where_nothing_slides() {
    let operators = || {
        ConstraintClosures::<f64>::new(2, |b| b.iter_mut().for_each(|b| *b /= 2.0)).with_normals(
            |v, out| out[0] = v[1],
            |f, out| out.copy_from_slice(&[0.0, f[0]]),
        )
    };
    let mut solver = ConstraintSolver::default();
    let mut data = ConstraintAccelProblemData::new(operators());
    data.sliding_contacts = vec![0];
    data.mu_sliding = dvector![0.5];
    data.kN = dvector![0.0];
    data.tau = dvector![3.0, -2.0 * G];
    let error = solver.solve_accelerations(&mut data).unwrap_err();
    assert!(matches!(error, ConstraintError::NoSlidingForces), "{error}");
    (data.sliding_contacts, data.mu_sliding) = (vec![], DVector::zeros(0));
    (data.non_sliding_contacts, data.r) = (vec![0], vec![0]);
    data.mu_non_sliding = dvector![0.0];
    data.check_adjoints().unwrap();
    let solution = solver.solve_accelerations(&mut data).unwrap();
    assert!((solution.generalized_acceleration[0] - 1.5).abs() < 1e-15);
    assert!((solution.forces.normal()[0] - 2.0 * G).abs() < 1e-13);
}

#[test]
fn closures_of_bilateral_and_unilateral_constraints() {
    // A block of 2 kg, on a track with y = 2 x, and with x ≥ 0; forces along y press it against that or lead away.
    let solve = |force: f64| {
        let operators = ConstraintClosures::<f64>::new(2, |b| b.iter_mut().for_each(|b| *b /= 2.0))
            .with_bilateral(
                |v, out| out[0] = v[1] - 2.0 * v[0],
                |f, out| out.copy_from_slice(&[-2.0 * f[0], f[0]]),
            )
            .with_unilateral(
                |v, out| out[0] = v[0],
                |f, out| out.copy_from_slice(&[f[0], 0.0]),
            );
        let mut data = ConstraintAccelProblemData::new(operators);
        (data.kG, data.kL) = (dvector![0.0], dvector![0.0]);
        data.tau = dvector![0.0, force];
        data.check_adjoints().unwrap();
        let solution = ConstraintSolver::default().solve_accelerations(&mut data);
        solution.unwrap()
    };
    let held = solve(-10.0);
    assert!(held.generalized_acceleration.amax() < 1e-14);
    assert!((held.forces.bilateral()[0] - 10.0).abs() < 1e-13);
    assert!((held.forces.limit()[0] - 20.0).abs() < 1e-13);
    // Along the track the mass is 2 (1 + 4) kg in x, and the force 2 · 10 N.
    let free = solve(10.0);
    let a = &free.generalized_acceleration;
    assert!((a - dvector![2.0, 4.0]).amax() < 1e-14, "{a}");
    assert_eq!(free.forces.limit()[0], 0.0);
}
