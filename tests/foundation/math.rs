//! Rotations, inertias, factorisations: values and derivatives, singular states on purpose.

use crate::support::cases::cases;
use crate::support::probe::Probe;
use approx::{
    abs_diff_eq, assert_abs_diff_eq, assert_abs_diff_ne, assert_relative_eq, assert_relative_ne,
    relative_eq,
};
use dualbody::autodiff::{
    JacobianChecker, OnTangent, VectorFunction, Verdict, check_jacobian, compare_derivatives,
    hessian, implicit_step, jacobian,
};
use dualbody::constraint::{AccelerationSolution, VelocitySolution};
use dualbody::math::{
    Cholesky, Factorization, Lu, RigidTransform, RollPitchYaw, Singular, SpatialForce,
    SpatialInertia, SymmetricEigenError, rotation, symmetric_eigen,
};
use dualbody::system::State;
use dualbody::tree::{JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use dualbody::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, Matrix3, Quaternion, Vector3, dmatrix, dvector, vector};
use num_dual::{Dual2_64, Dual3_64, Dual64};
use proptest::prelude::*;

fn vector3() -> impl Strategy<Value = Vector3<f64>> {
    [-3.0..3.0f64, -3.0..3.0, -3.0..3.0].prop_map(Vector3::from)
}

fn dual_vector<T: Scalar>(x: &[T]) -> Vector3<T> {
    Vector3::new(x[0], x[1], x[2])
}

/// `log(exp(φ))`, through the quaternion, as a function of φ.
struct LogExp;
impl VectorFunction for LogExp {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let q = rotation::quaternion_exp(&dual_vector(x));
        Ok(DVector::from_column_slice(rotation::log(&q).as_slice()))
    }
}

/// The entries of `exp(φ)`.
struct Exp;
impl VectorFunction for Exp {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let r = rotation::exp(&dual_vector(x));
        Ok(DVector::from_column_slice(r.as_slice()))
    }
}

#[test]
fn exp_has_the_right_derivatives_at_the_identity() {
    let (_, j) = jacobian(&Exp, &[0.0; 3]).unwrap();
    for k in 0..3 {
        let expected = rotation::skew(&Vector3::<f64>::ith(k, 1.0));
        assert_eq!(j.column(k).as_slice(), expected.as_slice());
    }
    let (_, j) = jacobian(&LogExp, &[0.0; 3]).unwrap();
    assert!((j - DMatrix::identity(3, 3)).amax() < 1e-15);
}

/// `exp(φ)` on both sides of the hand-over from series to closed form, along a line, to order 3:
/// `d/dt exp(t a) = [a]× exp(t a)`.
#[test]
fn exp_is_exact_to_third_order() {
    let axis = Vector3::new(2.0, -1.0, 2.0) / 3.0;
    for t in [0.0, 1e-8, 0.3, 0.999999, 1.000001, 2.5, 7.0] {
        let phi = axis.map(|a| Dual3_64::along(t, 1.0) * a);
        let r = rotation::exp(&phi);
        let k = rotation::skew(&axis);
        let mut expected = r.map(|x| x.re);
        for order in 0..3 {
            expected = k * expected;
            let derivative = r.map(|x| x.derivatives()[order]);
            assert!(
                (derivative - expected).amax() < 1e-12,
                "t = {t}, order {}: {derivative} instead of {expected}",
                order + 1
            );
        }
    }
}

#[test]
fn log_of_small_and_large_angles() {
    for angle in [0f64, 1e-9, 1e-3, 0.1999, 0.2001, 1.0, 3.0, 3.1] {
        let phi = Vector3::new(0.6, 0.0, 0.8) * angle;
        let q = rotation::quaternion_exp(&phi);
        assert!(
            (rotation::log(&q) - phi).norm() < 1e-12 * angle.max(1.0),
            "{angle}"
        );
        assert!((rotation::log(&-q) - phi).norm() < 1e-12 * angle.max(1.0));
        assert!((rotation::angle(&q) - angle).abs() < 1e-12);
        let check = check_jacobian(&JacobianChecker::default(), &LogExp, phi.as_slice()).unwrap();
        check.assert_agrees();
    }
}

#[test]
fn interpolation_keeps_derivatives_where_rotations_coincide() {
    // Half way from q to exp(φ) q, at φ = 0: the rotation vector φ/2.
    let q = rotation::quaternion_exp(&Vector3::new(0.3, -0.2, 0.9)).map_dual();
    let phi = Vector3::new(Dual64::new(0.0, 1.0), Dual64::from(0.0), Dual64::from(0.0));
    let half = rotation::interpolate(&q, &(rotation::quaternion_exp(&phi) * q), Dual64::from(0.5));
    let turned = rotation::log(&(half * q.conjugate()));
    assert!((turned.map(|x| x.eps) - vector![0.5, 0.0, 0.0]).norm() < 1e-15);

    let a = Vector3::new(Dual64::new(0.0, 1.0), Dual64::from(2.0), Dual64::from(0.0));
    let b = Vector3::new(Dual64::from(0.0), Dual64::from(5.0), Dual64::from(0.0));
    let turn = rotation::log(&rotation::between(&a, &b));
    assert!((turn.map(|x| x.eps) - vector![0.0, 0.0, 0.5]).norm() < 1e-15);
    let back = rotation::between(&a, &-b);
    let turned = rotation::matrix_from_quaternion(&back) * a;
    assert!((turned.map(|x| x.re) - vector![0.0, -2.0, 0.0]).norm() < 1e-14);
}

trait MapDual {
    fn map_dual(self) -> Quaternion<Dual64>;
}
impl MapDual for Quaternion<f64> {
    fn map_dual(self) -> Quaternion<Dual64> {
        Quaternion::new(self.w.into(), self.i.into(), self.j.into(), self.k.into())
    }
}

#[test]
fn eigenvalues_of_what_is_not_finite_are_refused() {
    for x in [f64::NAN, f64::INFINITY] {
        for i in 0..9 {
            let mut a = Matrix3::<f64>::identity();
            a[i] = x;
            let error = symmetric_eigen(&a).unwrap_err();
            assert!(matches!(error, SymmetricEigenError::Invalid(_)));
        }
    }
    for x in [1e-320, 1e-200, 1e200, 1e307] {
        let (values, _) =
            symmetric_eigen(&(Matrix3::new(2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 5.0) * x))
                .unwrap();
        assert!(
            (values / x - Vector3::new(1.0, 3.0, 5.0)).amax() < 1e-3,
            "{x}: {values}"
        );
    }
    assert!(symmetric_eigen(&Matrix3::repeat(f64::MAX)).is_err());
    let error = symmetric_eigen(&Matrix3::<Dual2_64>::identity()).unwrap_err();
    assert!(matches!(error, SymmetricEigenError::Degenerate { .. }));
}

proptest! {
    #[test]
    fn rotation_representations_agree(phi in vector3()) {
        let r = rotation::exp(&phi);
        prop_assert!((r * r.transpose() - Matrix3::identity()).amax() < 1e-14);
        prop_assert!((r.determinant() - 1.0).abs() < 1e-14);
        let q = rotation::quaternion_exp(&phi);
        prop_assert!((rotation::matrix_from_quaternion(&q) - r).amax() < 1e-14);
        prop_assert!((rotation::matrix_from_quaternion(&(q * 0.9)) - r).amax() < 1e-14);
        let back = rotation::quaternion_from_matrix(&r);
        prop_assert!((back - q).norm().min((back + q).norm()) < 1e-14);
        let rpy = RollPitchYaw::from_matrix(&r);
        prop_assert!((rpy.to_matrix() - r).amax() < 1e-14);
        prop_assert!(rpy.pitch.abs() <= std::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn between_turns_one_direction_into_the_other(a in vector3(), b in vector3()) {
        prop_assume!(a.norm() > 1e-3 && b.norm() > 1e-3);
        let r = rotation::matrix_from_quaternion(&rotation::between(&a, &b));
        prop_assert!((r * a.normalize() - b.normalize()).norm() < 1e-7);
    }

    #[test]
    fn eigen_decomposition_with_derivatives(entries in prop::array::uniform6(-2.0..2.0f64),
                                            change in prop::array::uniform6(-1.0..1.0f64)) {
        let symmetric = |e: [Dual2_64; 6]| Matrix3::new(
            e[0], e[3], e[4],
            e[3], e[1], e[5],
            e[4], e[5], e[2]);
        let along = |t: f64| symmetric(std::array::from_fn(|i| {
            Dual2_64::new(entries[i] + t * change[i], change[i], 0.0)
        }));
        let a = along(0.0);
        let Ok((values, axes)) = symmetric_eigen(&a) else { return Ok(()) };
        let gap = (values[1].re - values[0].re).min(values[2].re - values[1].re);
        prop_assume!(gap > 0.05);
        let residual = a * axes - axes * Matrix3::from_diagonal(&values);
        let orthogonality = axes.tr_mul(&axes) - Matrix3::identity();
        for part in [|x: &Dual2_64| x.re, |x: &Dual2_64| x.v1, |x: &Dual2_64| x.v2] {
            let bound = 1e-11 / gap.powi(3);
            prop_assert!(residual.map(|x| part(&x)).amax() < bound);
            prop_assert!(orthogonality.map(|x| part(&x)).amax() < bound);
        }
    }

    #[test]
    fn factorisations_solve(entries in prop::collection::vec(-1.0..1.0f64, 25),
                            b in prop::collection::vec(-1.0..1.0f64, 5)) {
        let a = DMatrix::from_vec(5, 5, entries);
        let b = DVector::from_vec(b);
        let mut lu = Lu::identity(2);
        lu.factor(&a).unwrap();
        prop_assume!(a.clone().try_inverse().is_some_and(|inverse| inverse.amax() < 1e4));
        let mut x = b.clone();
        lu.solve_in_place(x.as_mut_slice()).unwrap();
        prop_assert!((&a * x - &b).amax() < 1e-10);
        let mut x = b.clone();
        lu.solve_transposed_in_place(x.as_mut_slice()).unwrap();
        prop_assert!((a.tr_mul(&x) - &b).amax() < 1e-10);
        let spd = &a * a.transpose() + DMatrix::identity(5, 5);
        let mut cholesky = Cholesky::identity(9);
        cholesky.factor(&spd).unwrap();
        let mut x = b.clone();
        cholesky.solve_in_place(x.as_mut_slice()).unwrap();
        prop_assert!((&spd * x - &b).amax() < 1e-10);
    }

    #[test]
    fn inertia_does_not_depend_on_where_it_is_seen_from(phi in vector3(), p in vector3(), c in vector3()) {
        let body = SpatialInertia {
            center_of_mass: c,
            ..SpatialInertia::solid_box(2.0, &Vector3::new(1.0, 2.0, 3.0))
        };
        let r = rotation::exp(&phi);
        let seen = body.transformed(&r, &p);
        let back = seen.transformed(&r.transpose(), &-(r.transpose() * p));
        prop_assert!((back.rotational_inertia - body.rotational_inertia).amax() < 1e-12);
        prop_assert!((back.center_of_mass - body.center_of_mass).amax() < 1e-12);
        seen.validate(1e-9).unwrap();
    }
}

#[test]
fn roll_pitch_yaw_at_gimbal_lock_gives_back_the_rotation() {
    for pitch in [std::f64::consts::FRAC_PI_2, -std::f64::consts::FRAC_PI_2] {
        let r = RollPitchYaw::new(0.4, pitch, -0.3).to_matrix();
        let back = RollPitchYaw::from_matrix(&r);
        assert!((back.to_matrix() - r).amax() < 1e-15);
        let dual = RollPitchYaw::from_matrix(&r.map(|x| Dual64::new(x, 1.0)));
        assert!(dual.roll.eps.is_finite() && dual.pitch.eps.is_finite());
    }
}

#[test]
fn half_turns_are_plus_pi_whatever_the_sign_of_a_zero() {
    use std::f64::consts::PI;
    for zero in [0.0, -0.0] {
        let yaw = nalgebra::matrix![-1.0, 0.0, 0.0; zero, -1.0, 0.0; 0.0, 0.0, 1.0];
        let roll = nalgebra::matrix![1.0, 0.0, 0.0; 0.0, -1.0, 0.0; 0.0, zero, -1.0];
        assert_eq!(RollPitchYaw::from_matrix(&yaw).yaw, PI);
        assert_eq!(RollPitchYaw::from_matrix(&roll).roll, PI);
        // Turning about z at 1 rad/s.
        let rate = nalgebra::matrix![0.0, -1.0, 0.0; 1.0, 0.0, 0.0; 0.0, 0.0, 0.0] * yaw;
        let turning = RollPitchYaw::from_matrix(&yaw.zip_map(&rate, Dual64::new));
        assert_eq!((turning.yaw.re, turning.yaw.eps), (PI, 1.0));
    }
}

/// A⁻¹ b for A and b that depend on two variables.
struct LinearSystem;
impl LinearSystem {
    fn data<T: Scalar>(x: &[T]) -> (DMatrix<T>, DVector<T>) {
        let (u, w) = (x[0], x[1]);
        let c = T::from;
        let a = dmatrix![
            u * u + 2.0, u * w, c(0.3);
            u * w, w * w + 3.0, u;
            c(0.3), u, w * w + 1.0
        ];
        (a, DVector::from_column_slice(&[u.sin(), w, u * w]))
    }
}
impl VectorFunction for LinearSystem {
    type Error = InvalidInput;
    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, InvalidInput> {
        let (a, b) = Self::data(x);
        let mut cholesky = Cholesky::identity(3);
        cholesky
            .factor(&a.map(|x| x.re()))
            .expect("positive definite");
        solve(&cholesky, &a, &b)
    }
}

/// `A x = b` with all derivatives, from the factors of the real part of A.
fn solve<T: Scalar>(
    factor: &impl Factorization,
    a: &DMatrix<T>,
    b: &DVector<T>,
) -> Result<DVector<T>, InvalidInput> {
    let mut x = b.map(|x| T::from(x.re()));
    factor.solve_in_place(x.as_mut_slice())?;
    let mut scratch = vec![T::zero(); b.len()];
    implicit_step(factor, x.as_mut_slice(), &mut scratch, |x, r| {
        let product = a * DVector::from_column_slice(x) - b;
        r.copy_from_slice(product.as_slice());
        Ok::<_, InvalidInput>(())
    })?;
    Ok(x)
}

#[test]
fn linear_systems_have_exact_derivatives_of_every_order() {
    let x = [0.8, -0.6];
    check_jacobian(&JacobianChecker::default(), &LinearSystem, &x)
        .unwrap()
        .assert_agrees();
    // Second route: nalgebra's LU carried through in dual numbers, to order 3.
    let t = |i: usize| Dual3_64::new(x[i], [1.0, -2.0][i], 0.4, 0.1);
    let (a, b) = LinearSystem::data(&[t(0), t(1)]);
    let direct = a.clone().lu().solve(&b).unwrap();
    for factor in [true, false] {
        let real = a.map(|x| x.re);
        let solution = if factor {
            let mut lu = Lu::identity(0);
            lu.factor(&real).unwrap();
            solve(&lu, &a, &b).unwrap()
        } else {
            let mut cholesky = Cholesky::identity(0);
            cholesky.factor(&real).unwrap();
            solve(&cholesky, &a, &b).unwrap()
        };
        for (l, d) in solution.iter().zip(&direct) {
            for (l, d) in [(l.re, d.re), (l.v1, d.v1), (l.v2, d.v2), (l.v3, d.v3)] {
                assert!(
                    (l - d).abs() < 1e-12 * d.abs().max(1.0),
                    "{l} instead of {d}"
                );
            }
        }
    }
}

#[test]
fn what_cannot_be_factored_is_an_error() {
    let mut lu = Lu::identity(3);
    let singular = dmatrix![1.0, 2.0; 2.0, 4.0];
    let error = lu.factor(&singular).unwrap_err();
    assert_eq!(
        error,
        Singular {
            size: 2,
            column: 1,
            pivot: 0.0
        }
    );
    assert!(lu.factor(&dmatrix![f64::NAN]).is_err());
    assert!(lu.factor(&dmatrix![1.0, 2.0]).is_err());
    assert!(
        Cholesky::identity(1)
            .factor(&dmatrix![1.0, 2.0; 2.0, 1.0])
            .is_err()
    );
    assert!(
        Cholesky::identity(1)
            .factor(&dmatrix![f64::INFINITY])
            .is_err()
    );
    assert!(Cholesky::identity(2).solve_in_place(&mut [1.0]).is_err());
    Lu::identity(0).factor(&DMatrix::zeros(0, 0)).unwrap();
}

#[test]
fn impossible_inertias_are_named() {
    let valid = SpatialInertia::solid_sphere(1.0, 0.5);
    valid.validate(1e-9).unwrap();
    SpatialInertia::<f64>::zero().validate(0.0).unwrap();
    let negative = SpatialInertia {
        mass: -1.0,
        ..valid
    };
    assert!(
        negative
            .validate(1e-9)
            .unwrap_err()
            .to_string()
            .contains("mass")
    );
    let needle = SpatialInertia::principal(1.0, Vector3::new(1.0, 1.0, 3.0));
    let message = needle.validate(1e-9).unwrap_err().to_string();
    assert!(message.contains("principal moment"), "{message}");
}

#[test]
fn combined_bodies_have_the_sum_of_masses_and_moments() {
    let a = SpatialInertia {
        center_of_mass: vector![1.0, 2.0, 0.0],
        ..SpatialInertia::solid_sphere(2.0, 0.3)
    };
    let b = SpatialInertia {
        center_of_mass: vector![-1.0, 0.5, 3.0],
        ..SpatialInertia::solid_sphere(3.0, 0.1)
    };
    let both = a.combined(&b);
    assert_eq!(both.mass, 5.0);
    let sum = a.rotational_inertia_about_origin() + b.rotational_inertia_about_origin();
    assert!((both.rotational_inertia_about_origin() - sum).amax() < 1e-14);
    let nothing = SpatialInertia::<f64>::zero();
    assert_eq!(nothing.combined(&nothing), nothing);
}

/// Second derivatives: Rosenbrock in five variables against its closed form.
#[test]
fn hessian_in_chunks() {
    struct Rosenbrock;
    impl dualbody::autodiff::ScalarFunction for Rosenbrock {
        type Error = InvalidInput;
        fn eval<T: Scalar>(&self, x: &[T]) -> Result<T, InvalidInput> {
            Ok(x.windows(2).fold(T::zero(), |sum, w| {
                let (a, b) = (-w[0] + 1.0, w[1] - w[0] * w[0]);
                sum + a * a + b * b * 100.0
            }))
        }
    }
    let x: Vec<f64> = (0..9).map(|i| 0.3 * i as f64 - 1.0).collect();
    let (value, gradient, h) = hessian(&Rosenbrock, &x).unwrap();
    let n = x.len();
    let mut expected = DMatrix::zeros(n, n);
    let mut slope = DVector::zeros(n);
    let mut total = 0.0;
    for i in 0..n - 1 {
        let b = x[i + 1] - x[i] * x[i];
        total += (1.0 - x[i]).powi(2) + 100.0 * b * b;
        slope[i] += -2.0 * (1.0 - x[i]) - 400.0 * b * x[i];
        slope[i + 1] += 200.0 * b;
        expected[(i, i)] += 2.0 - 400.0 * b + 800.0 * x[i] * x[i];
        expected[(i + 1, i + 1)] += 200.0;
        expected[(i, i + 1)] -= 400.0 * x[i];
        expected[(i + 1, i)] -= 400.0 * x[i];
    }
    assert!((value - total).abs() < 1e-12 * total);
    assert!((gradient - slope).amax() < 1e-10);
    assert!((h - expected).amax() < 1e-10);
}

/// Position of the end of an arm on a floating body, and the cosine of a turn of its ball joint.
struct Arm(RigidBodyTree<f64>);

impl Arm {
    fn new() -> Self {
        let mut builder = RigidBodyTreeBuilder::new();
        let inertia = SpatialInertia::solid_sphere(1.0, 0.2);
        let base = builder.add_body("base", inertia).unwrap();
        let hand = builder.add_body("hand", inertia).unwrap();
        let mut at = RigidTransform::identity();
        at.translation = vector![0.3, -0.2, 0.5];
        let kind = JointKind::Ball;
        builder.add_joint("shoulder", kind, base, at, hand).unwrap();
        Arm(builder.finish().unwrap())
    }
}

impl VectorFunction for Arm {
    type Error = TreeError;

    fn eval<T: Scalar>(&self, q: &[T]) -> Result<DVector<T>, TreeError> {
        let tree = self.0.cast::<T>();
        let mut workspace = tree.workspace();
        tree.set_positions(&mut workspace, q)?;
        let pose = tree.body_pose(&workspace, tree.body_by_name("hand")?)?;
        let end = pose.rotation * vector![0.1, 0.7, 0.0].map(T::from) + pose.translation;
        Ok(DVector::from_vec(vec![
            end.x,
            end.y,
            end.z,
            pose.rotation[(0, 0)],
        ]))
    }
}

proptest! {
    #![proptest_config(cases(16))]

    /// The tangent derivative is `∂f/∂q N(q)`, and central differences along the manifold agree.
    #[test]
    fn functions_of_quaternions_are_differentiated_along_the_tangent(
        phi in vector3(), psi in vector3(), p in vector3(),
    ) {
        let arm = Arm::new();
        let (a, b) = (rotation::quaternion_exp(&phi), rotation::quaternion_exp(&psi));
        let q = [a.w, a.i, a.j, a.k, p.x, p.y, p.z, b.w, b.i, b.j, b.k];
        let tangent = OnTangent { manifold: &arm.0, q: &q, f: &arm };
        let (value, along) = jacobian(&tangent, &tangent.origin()).unwrap();
        prop_assert!((value - arm.eval(&q).unwrap()).amax() < 1e-14);
        prop_assert_eq!(along.shape(), (4, 9));

        let (_, by_coordinate) = jacobian(&arm, &q).unwrap();
        let mut n = DMatrix::zeros(11, 9);
        for k in 0..9 {
            let mut v = [0.0; 9];
            v[k] = 1.0;
            arm.0.map_velocity_to_qdot(&q, &v, n.column_mut(k).as_mut_slice()).unwrap();
        }
        prop_assert!((&by_coordinate * n - &along).amax() < 1e-13);
        let checker = JacobianChecker::default();
        check_jacobian(&checker, &tangent, &tangent.origin()).unwrap().assert_agrees();

        // One sign wrong, and it is found.
        let mut wrong = along.clone();
        let (row, column) = along.iamax_full();
        wrong[(row, column)] *= -1.0;
        let check = checker.check(|delta| tangent.eval(delta), &tangent.origin(), &wrong).unwrap();
        let worst = check.worst().unwrap();
        prop_assert_eq!((worst.row, worst.column, worst.verdict), (row, column, Verdict::Mistake));
    }
}

#[test]
fn steps_below_the_resolution_of_a_variable_find_no_mistake() {
    let checker = JacobianChecker::default().scales([1e-6]);
    let square = |x: &[f64]| Ok::<_, InvalidInput>(DVector::from_element(1, x[0] * x[0]));
    let check = checker.check(square, &[1e12], &DMatrix::from_element(1, 1, 2e12));
    assert_eq!(check.unwrap().worst().unwrap().verdict, Verdict::Unresolved);
}

#[test]
fn values_are_compared_field_by_field() {
    let v = vector![1.0, 2.0, 3.0];
    let inertia = SpatialInertia::solid_box(2.0, &v);
    assert_relative_eq!(inertia, inertia);
    let pose = RigidTransform {
        rotation: rotation::exp(&v),
        translation: v,
    };
    let force = SpatialForce::new(v, -v);
    let h = Vector3::z() * 1e-6;
    let moved = RigidTransform {
        translation: v + h,
        ..pose
    };
    let turned = RigidTransform {
        rotation: rotation::exp(&(v + h)),
        ..pose
    };
    for other in [moved, turned] {
        assert_abs_diff_eq!(pose, other, epsilon = 1e-5);
        assert_abs_diff_ne!(pose, other, epsilon = 1e-7);
        assert_relative_ne!(pose, other, epsilon = 1e-9, max_relative = 1e-8);
    }
    for other in [SpatialForce::new(v + h, -v), SpatialForce::new(v, h - v)] {
        assert_relative_eq!(force, other, max_relative = 1e-6);
        assert_relative_ne!(force, other, max_relative = 1e-8);
    }
    let heavier = SpatialInertia {
        mass: 2.1,
        ..inertia
    };
    assert_abs_diff_ne!(inertia, heavier, epsilon = 0.05);
    let angles = RollPitchYaw::new(0.1, 0.2, 0.3);
    assert_relative_ne!(angles, RollPitchYaw::new(0.1, 0.2, 0.4));
    // Duals, too, by their values.
    let dual = inertia.cast::<Dual64>();
    assert_relative_eq!(dual, dual);
}

#[test]
fn states_and_solutions_compare_within_tolerances() {
    let mut state = State::new(dvector![0.5, 2.0], dvector![-1.0]);
    state.actuators = dvector![3.0];
    let change: [fn(&mut State<f64>, f64); 5] = [
        |s, h| s.time += h,
        |s, h| s.q[1] += h,
        |s, h| s.v[0] += h,
        |s, h| s.actuators[0] += h,
        |s, h| s.sensors.extend([h]),
    ];
    for (k, change) in change.iter().enumerate() {
        let mut other = state.clone();
        change(&mut other, 1e-6);
        assert_eq!(abs_diff_eq!(state, other, epsilon = 1e-5), k < 4);
        assert_eq!(
            relative_eq!(state, other, max_relative = 1e-5),
            (1..4).contains(&k)
        );
        assert_abs_diff_ne!(state, other, epsilon = 1e-7);
        assert_relative_ne!(other, state, max_relative = 1e-8);
        assert!(compare_derivatives(other.iter(), state.iter(), 1e-7).is_err());
    }
    let mut dual = state.cast::<Dual64>();
    let same = dual.clone();
    dual.v[0] = dual.v[0].derivative();
    assert_relative_eq!(dual, same);
    let mismatch = compare_derivatives(dual.iter(), same.iter(), 1e-7).unwrap_err();
    assert_eq!((mismatch.entry, mismatch.part), (3, 1));

    let mut found = AccelerationSolution::default();
    found.generalized_acceleration = dvector![1.0, -2.0];
    found.forces.packed = dvector![3.0];
    let mut other = found.clone();
    assert_abs_diff_eq!(found, other);
    other.forces.packed[0] += 1e-6;
    assert_abs_diff_eq!(found, other, epsilon = 1e-5);
    assert_relative_ne!(found, other, epsilon = 1e-7, max_relative = 1e-8);
    let mut found = VelocitySolution::default();
    found.generalized_velocity = dvector![1.0];
    assert_abs_diff_ne!(found, VelocitySolution::default());
}
