//! Derivatives of kinematics and dynamics, against finite differences and second exact routes.

use crate::support::cases::cases;
use crate::support::random_tree::{
    Random, Style, assert_near, constants, flow, random_state, random_tree, with_rate,
};
use dualbody::autodiff::{
    EntryCheck, JacobianChecker, VectorFunction, Verdict, check_jacobian, jacobian,
};
use dualbody::math::{RigidTransform, SpatialForce, SpatialInertia, rotation};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use dualbody::{Parameters, Scalar};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::{
    Dual2_64, Dual2SVec64, Dual3_64, Dual64, DualSVec64, HyperDual64, HyperDualSVec64,
    HyperHyperDual64,
};
use proptest::prelude::*;

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![Just(Style::General), Just(Style::Mimic), Just(Style::Free)]
}

/// A quantity of a tree as a function of `x = [δ; v; u]`, where `q = q₀ exp(δ)`.
struct OfState<'a> {
    tree: &'a RigidBodyTree<f64>,
    q: Vec<f64>,
    external: Vec<SpatialForce<f64>>,
    quantity: Quantity,
}

#[derive(Clone, Copy)]
enum Quantity {
    InverseDynamics,
    ForwardDynamics,
    MassMatrix,
    Everything,
}

impl VectorFunction for OfState<'_> {
    type Error = TreeError;

    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, TreeError> {
        let tree = self.tree.cast::<T>();
        let n = tree.num_velocities();
        let mut q: Vec<T> = constants(&self.q);
        tree.integrate_exponential(&constants(&self.q), &x[..n], T::one(), &mut q)?;
        let mut ws = tree.workspace();
        tree.set_state(&mut ws, &q, &x[n..2 * n])?;
        let u = &x[2 * n..];
        let external: Vec<SpatialForce<T>> = (self.external.iter())
            .map(|f| SpatialForce::new(f.torque.map(T::from), f.force.map(T::from)))
            .collect();
        let mut out = vec![T::zero(); n];
        match self.quantity {
            Quantity::InverseDynamics => {
                tree.inverse_dynamics(&mut ws, u, Some(&external), &mut out)?;
            }
            Quantity::ForwardDynamics => {
                tree.forward_dynamics(&mut ws, u, Some(&external), &mut out)?;
            }
            Quantity::MassMatrix => {
                let mut m = DMatrix::zeros(n, n);
                tree.mass_matrix(&mut ws, &mut m)?;
                out = m.as_slice().to_vec();
            }
            Quantity::Everything => {
                tree.joint_damping_forces(&ws, &mut out)?;
                out.push(tree.kinetic_energy(&ws)?);
                out.push(tree.potential_energy(&ws)?);
                out.extend(tree.center_of_mass(&ws)?.iter());
                let momentum = tree.momentum_about_center_of_mass(&ws)?;
                out.extend(momentum.angular.iter().chain(momentum.linear.iter()));
                let (body, point) = (BodyIndex::new(tree.num_bodies() - 1), Vector3::repeat(0.3));
                let point: Vector3<T> = point.map(T::from);
                out.extend(tree.body_pose(&ws, body)?.rotation.iter());
                let mut j = DMatrix::zeros(6, n);
                tree.spatial_jacobian(&ws, body, &point, &mut j)?;
                out.extend(j.iter());
                out.extend(
                    tree.bias_acceleration(&ws, body, &point)?
                        .to_vector()
                        .iter(),
                );
                let mut v = vec![T::zero(); n];
                tree.difference(&constants(&self.q), &q, &mut v)?;
                out.extend(v);
            }
        }
        Ok(DVector::from_vec(out))
    }
}

impl<'a> OfState<'a> {
    fn new(tree: &'a RigidBodyTree<f64>, seed: u64, quantity: Quantity) -> (Self, Vec<f64>) {
        let (q, v) = random_state(tree, seed);
        let mut random = Random::new(seed ^ 0x77);
        let external = random.forces(tree.num_bodies());
        let mut x: Vec<f64> = random.numbers(v.len()).iter().map(|x| 0.3 * x).collect();
        x.extend(&v);
        x.extend(random.numbers(v.len()));
        let function = OfState {
            tree,
            q,
            external,
            quantity,
        };
        (function, x)
    }
}

/// Asserts that derivatives agree with central differences.
///
/// Mechanics has no kinks: what the checker takes for one in a badly conditioned tree is round-off,
/// and the central difference decides.
fn assert_derivatives_agree<F: VectorFunction<Error = TreeError>>(f: &F, x: &[f64]) {
    let checker = JacobianChecker::default().tolerance(1e-6, 1e-6);
    let check = check_jacobian(&checker, f, x).unwrap();
    let agrees = |e: &EntryCheck| e.verdict == Verdict::Agrees || e.excess <= 1.0;
    assert!(check.entries().iter().all(agrees), "{check}");
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn derivatives_agree_with_differences(seed: u64, bodies in 1usize..6, style in style()) {
        let tree = random_tree(seed, bodies, style);
        for quantity in [
            Quantity::InverseDynamics,
            Quantity::ForwardDynamics,
            Quantity::MassMatrix,
            Quantity::Everything,
        ] {
            let (f, x) = OfState::new(&tree, seed, quantity);
            assert_derivatives_agree(&f, &x);
        }
    }

    /// `FD(ID(v̇)) = v̇`, so `d(FD) = −M⁻¹ d(ID)` at the accelerations of the solution.
    #[test]
    fn forward_dynamics_differentiate_as_the_inverse(
        seed: u64, bodies in 1usize..10, style in style()
    ) {
        let tree = random_tree(seed, bodies, style);
        let n = tree.num_velocities();
        let (forward, x) = OfState::new(&tree, seed, Quantity::ForwardDynamics);
        let (vdot, d_forward) = jacobian(&forward, &x)?;
        let inverse = OfState { quantity: Quantity::InverseDynamics, ..forward };
        let mut y = x.clone();
        y[2 * n..].copy_from_slice(vdot.as_slice());
        let (_, d_inverse) = jacobian(&inverse, &y)?;
        // The last n columns of d(ID) are M, those of d(FD) its inverse.
        let m = d_inverse.columns(2 * n, n);
        let product = m * d_forward.columns(0, 2 * n) + d_inverse.columns(0, 2 * n);
        let scale = 1e-9 * d_inverse.amax();
        assert_near(product.as_slice(), &vec![0.0; 2 * n * n], scale.max(1e-9));
        let product = m * d_forward.columns(2 * n, n);
        assert_near(product.as_slice(), DMatrix::identity(n, n).as_slice(), 1e-9);
    }

    /// Third route: the mass matrix in dual numbers and a linear system with derivatives.
    #[test]
    fn forward_dynamics_agree_with_a_solution_in_duals(
        seed: u64, bodies in 1usize..10, style in style()
    ) {
        let tree = random_tree(seed, bodies, style);
        let n = tree.num_velocities();
        let (q, v) = random_state(&tree, seed);
        let rate = Random::new(seed).numbers(n);
        let (q, v) = flow(&tree, &q, &v, &rate);
        let tree = tree.cast::<Dual64>();
        let mut ws = tree.workspace();
        tree.set_state(&mut ws, &q, &v)?;
        let tau = with_rate(&Random::new(!seed).numbers(n), &rate);
        let (mut vdot, mut bias) = (tau.clone(), tau.clone());
        tree.forward_dynamics(&mut ws, &tau, None, &mut vdot)?;
        let zero = vec![Dual64::from(0.0); n];
        tree.inverse_dynamics(&mut ws, &zero, None, &mut bias)?;
        let mut m = DMatrix::zeros(n, n);
        tree.mass_matrix(&mut ws, &mut m)?;
        let rhs = DVector::from_fn(n, |i, _| tau[i] - bias[i]);
        let expected = m.cholesky().unwrap().solve(&rhs);
        let parts = |x: &[Dual64]| x.iter().map(|x| x.eps).collect::<Vec<_>>();
        assert_near(&parts(&vdot), &parts(expected.as_slice()), 1e-9);

        let mut x = rhs.clone();
        tree.solve_mass_matrix(&mut ws, x.as_mut_slice())?;
        assert_near(&parts(x.as_slice()), &parts(expected.as_slice()), 1e-9);
    }

    /// `∂(½ vᵀ M v)/∂v = M v`.
    #[test]
    fn slope_of_kinetic_energy_is_momentum(seed: u64, bodies in 1usize..10, style in style()) {
        let tree = random_tree(seed, bodies, style);
        let (q, v) = random_state(&tree, seed);
        let mut ws = tree.workspace();
        tree.set_state(&mut ws, &q, &v)?;
        let mut momentum = v.clone();
        tree.multiply_mass_matrix(&mut ws, &v, &mut momentum)?;
        let dual = tree.cast::<Dual64>();
        let mut ws = dual.workspace();
        for k in 0..v.len() {
            let mut direction = vec![0.0; v.len()];
            direction[k] = 1.0;
            dual.set_state(&mut ws, &constants::<Dual64>(&q), &with_rate(&v, &direction))?;
            assert_near(&[dual.kinetic_energy(&ws)?.eps], &[momentum[k]], 1e-11);
        }
    }

    /// Inverse dynamics as a function of all parameters.
    #[test]
    fn parameter_derivatives_agree_with_differences(
        seed: u64, bodies in 1usize..5, style in style()
    ) {
        let tree = random_tree(seed, bodies, style);
        let (f, x) = OfParameters::new(&tree, seed);
        assert_derivatives_agree(&f, &x);
    }

    /// The mass, the rotational inertia, gravity and damping enter linearly: derivative and
    /// difference are the same number.
    #[test]
    fn linear_parameters_have_exact_differences(seed: u64, bodies in 1usize..5, style in style()) {
        let tree = random_tree(seed, bodies, style);
        let (f, x) = OfParameters::new(&tree, seed);
        let (value, derivative) = jacobian(&f, &x).unwrap();
        for (i, p) in tree.parameters().iter().enumerate() {
            let is_linear = ["/mass", "/rotational_inertia/", "gravity/", "/damping"];
            if is_linear.iter().any(|part| p.name.contains(part)) {
                let mut x = x.clone();
                x[i] += 1.0;
                let difference = f.eval::<f64>(&x).unwrap() - &value;
                assert_near(difference.as_slice(), derivative.column(i).as_slice(), 1e-10);
            }
        }
    }

    /// Exact second derivatives of the accelerations, by two kinds of dual numbers and by
    /// differences of exact first derivatives.
    #[test]
    fn second_derivatives_agree(seed: u64, bodies in 1usize..6, style in style()) {
        let tree = random_tree(seed, bodies, style);
        let (f, x) = OfState::new(&tree, seed, Quantity::ForwardDynamics);
        let direction = Random::new(seed).numbers(x.len());
        let along = |t: f64| -> Vec<f64> {
            x.iter().zip(&direction).map(|(x, d)| x + t * d).collect()
        };
        let first = |t: f64| {
            let y = f.eval(&with_rate(&along(t), &direction)).unwrap();
            y.map(|y| y.eps)
        };
        let dual2: Vec<Dual2_64> = (x.iter().zip(&direction))
            .map(|(&x, &d)| Dual2_64::new(x, d, 0.0))
            .collect();
        let dual2 = f.eval(&dual2).unwrap();
        let hyper: Vec<HyperDual64> = (x.iter().zip(&direction))
            .map(|(&x, &d)| HyperDual64::new(x, d, d, 0.0))
            .collect();
        let hyper = f.eval(&hyper).unwrap();
        assert_near(dual2.map(|y| y.v1).as_slice(), first(0.0).as_slice(), 1e-10);
        let second = dual2.map(|y| y.v2);
        assert_near(second.as_slice(), hyper.map(|y| y.eps1eps2).as_slice(), 1e-9);
        let claimed = DMatrix::from_column_slice(second.len(), 1, second.as_slice());
        let checker = JacobianChecker::default().tolerance(1e-5, 1e-5);
        checker
            .check(|t| Ok::<_, TreeError>(first(t[0])), &[0.0], &claimed)?
            .assert_agrees();
    }

    /// Whatever the scalar, the value has the bits of the `f64` computation.
    #[test]
    fn values_do_not_depend_on_the_scalar(seed: u64, bodies in 1usize..8, style in style()) {
        let tree = random_tree(seed, bodies, style);
        for quantity in [
            Quantity::InverseDynamics,
            Quantity::ForwardDynamics,
            Quantity::MassMatrix,
        ] {
            let (q, v) = random_state(&tree, seed);
            let u = Random::new(seed).numbers(v.len());
            let expected = values(&tree, &q, &v, &u, quantity);
            let check = |found: Vec<u64>| assert_eq!(found, bits(&expected));
            fn of<T: Scalar>(
                tree: &RigidBodyTree<f64>,
                state: [&[f64]; 3],
                quantity: Quantity,
                seed: impl Fn(usize, f64) -> T,
            ) -> Vec<u64> {
                let [q, v, u] = state.map(|x| -> Vec<T> {
                    x.iter().enumerate().map(|(i, &x)| seed(i, x)).collect()
                });
                bits(&values(&tree.cast::<T>(), &q, &v, &u, quantity))
            }
            let s = [&q[..], &v[..], &u[..]];
            check(of(&tree, s, quantity, |_, x| Dual64::from(x).derivative()));
            check(of(&tree, s, quantity, |i, x| DualSVec64::<8>::from(x).derivative(i % 8)));
            check(of(&tree, s, quantity, |_, x| Dual2_64::from(x).derivative()));
            check(of(&tree, s, quantity, |i, x| Dual2SVec64::<2>::from(x).derivative(i % 2)));
            check(of(&tree, s, quantity, |_, x| Dual3_64::from(x).derivative()));
            check(of(&tree, s, quantity, |_, x| HyperDual64::from(x).derivative1().derivative2()));
            check(of(&tree, s, quantity, |i, x| {
                HyperDualSVec64::<2, 3>::from(x).derivative1(i % 2).derivative2(i % 3)
            }));
            check(of(&tree, s, quantity, |_, x| {
                HyperHyperDual64::from(x).derivative1().derivative2().derivative3()
            }));
        }
    }
}

fn bits<T: Scalar>(values: &[T]) -> Vec<u64> {
    values.iter().map(|x| x.re().to_bits()).collect()
}

fn values<T: Scalar>(
    tree: &RigidBodyTree<T>,
    q: &[T],
    v: &[T],
    u: &[T],
    quantity: Quantity,
) -> Vec<T> {
    let n = v.len();
    let mut ws = tree.workspace();
    tree.set_state(&mut ws, q, v).unwrap();
    let mut out = vec![T::zero(); n];
    match quantity {
        Quantity::InverseDynamics => tree.inverse_dynamics(&mut ws, u, None, &mut out).unwrap(),
        Quantity::ForwardDynamics => tree.forward_dynamics(&mut ws, u, None, &mut out).unwrap(),
        _ => {
            let mut m = DMatrix::zeros(n, n);
            tree.mass_matrix(&mut ws, &mut m).unwrap();
            out = m.as_slice().to_vec();
        }
    }
    out
}

/// Inverse dynamics less damping as a function of all parameters of a tree.
struct OfParameters<'a> {
    tree: &'a RigidBodyTree<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    vdot: Vec<f64>,
}

impl<'a> OfParameters<'a> {
    fn new(tree: &'a RigidBodyTree<f64>, seed: u64) -> (Self, Vec<f64>) {
        let (q, v) = random_state(tree, seed);
        let vdot = Random::new(seed).numbers(v.len());
        let x = tree.parameters().iter().map(|p| p.value).collect();
        (OfParameters { tree, q, v, vdot }, x)
    }
}

impl VectorFunction for OfParameters<'_> {
    type Error = TreeError;

    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, TreeError> {
        let mut tree = self.tree.cast::<T>();
        // Not through `set_parameters`: differences step across bounds.
        let mut values = x.iter();
        tree.visit_parameters(&mut |p| *p.value = *values.next().unwrap());
        let _ = tree.parameters_changed();
        let mut ws = tree.workspace();
        tree.set_state(&mut ws, &constants::<T>(&self.q), &constants::<T>(&self.v))?;
        let n = self.v.len();
        let (mut tau, mut damping) = (vec![T::zero(); n], vec![T::zero(); n]);
        tree.inverse_dynamics(&mut ws, &constants::<T>(&self.vdot), None, &mut tau)?;
        tree.joint_damping_forces(&ws, &mut damping)?;
        let frame = tree.frames().next().ok_or(TreeError::NoMass)?;
        let pose = tree.frame_pose(&ws, frame.index())?;
        Ok(DVector::from_iterator(
            n + 12,
            (tau.iter().zip(&damping))
                .map(|(&tau, &damping)| tau - damping)
                .chain(pose.translation.iter().copied())
                .chain(pose.rotation.iter().copied()),
        ))
    }
}

/// At rest in the neutral configuration: identity rotations, zero velocities.
#[test]
fn derivatives_at_rest_in_the_neutral_configuration() {
    for seed in 0..8 {
        let tree = random_tree(seed, 5, Style::General);
        for quantity in [
            Quantity::InverseDynamics,
            Quantity::ForwardDynamics,
            Quantity::Everything,
        ] {
            let (mut f, mut x) = OfState::new(&tree, seed, quantity);
            f.q = tree.neutral_configuration().as_slice().to_vec();
            x[..2 * tree.num_velocities()].fill(0.0);
            assert_derivatives_agree(&f, &x);
        }
    }
}

/// A tree that is built in dual numbers keeps the derivatives of its joint frames and sensor mounts,
/// also where their rotation is the identity.
#[test]
fn rotations_of_mounts_are_differentiated() {
    let angle = Dual64::from(0.0).derivative();
    let zero = Dual64::from(0.0);
    let tilted = RigidTransform::from_rotation(rotation::exp(&Vector3::new(angle, zero, zero)));
    let mut builder = RigidBodyTreeBuilder::<Dual64>::new();
    let bob = SpatialInertia::point_mass(2.0.into(), Vector3::new(0.5.into(), zero, zero));
    let bob = builder.add_body("bob", bob).unwrap();
    let hinge = JointKind::Revolute { axis: Vector3::y() };
    builder
        .add_joint("hinge", hinge, BodyIndex::WORLD, tilted, bob)
        .unwrap();
    let sensor = builder.add_frame("sensor", bob, tilted).unwrap();
    let tree = builder.finish().unwrap();
    let mut ws = tree.workspace();
    tree.set_positions(&mut ws, &[Dual64::from(0.3)]).unwrap();
    // The axis turns with the mount about x: ∂a/∂angle = x × y = z, and so does the bob.
    let mut jacobian = DMatrix::zeros(6, 1);
    tree.spatial_jacobian(&ws, bob, &Vector3::zeros(), &mut jacobian)
        .unwrap();
    let slopes: Vec<f64> = jacobian.iter().map(|x| x.eps).collect();
    assert_near(&slopes, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 1e-15);
    // The sensor turns twice: with the mount about the world's x, and about the bob's.
    let pose = tree.frame_pose(&ws, sensor).unwrap();
    let rate = pose.rotation.map(|x| x.eps) * pose.rotation.map(|x| x.re).transpose();
    let (sin, cos) = 0.3_f64.sin_cos();
    let turn = [rate[(2, 1)], rate[(0, 2)], rate[(1, 0)]];
    assert_near(&turn, &[1.0 + cos, 0.0, -sin], 1e-15);
}
