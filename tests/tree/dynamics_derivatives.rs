//! Analytic derivatives of inverse and forward dynamics, against those by dual numbers.

use crate::support::cases::cases;
use crate::support::random_tree::{
    Random, Style, assert_near, constants, random_state, random_tree,
};
use dualbody::Scalar;
use dualbody::autodiff::{VectorFunction, jacobian};
use dualbody::math::{SpatialForce, SpatialInertia};
use dualbody::tree::{RigidBodyTree, RigidBodyTreeBuilder, TreeError};
use nalgebra::{DMatrix, DVector, Vector3};
use num_dual::Dual64;
use proptest::prelude::*;

/// Inverse or forward dynamics as a function of `[δ; v; u]`, where `q = q₀ exp(δ)`.
struct Dynamics<'a> {
    tree: &'a RigidBodyTree<f64>,
    q: Vec<f64>,
    external: Option<Vec<SpatialForce<f64>>>,
    is_forward: bool,
}

impl<'a> Dynamics<'a> {
    fn external<T: Scalar>(&self) -> Option<Vec<SpatialForce<T>>> {
        let cast =
            |f: &SpatialForce<f64>| SpatialForce::new(f.torque.map(T::from), f.force.map(T::from));
        (self.external.as_ref()).map(|forces| forces.iter().map(cast).collect())
    }

    fn position<T: Scalar>(
        &self,
        tree: &RigidBodyTree<T>,
        step: &[T],
    ) -> Result<Vec<T>, TreeError> {
        let mut q: Vec<T> = constants(&self.q);
        tree.integrate_exponential(&constants(&self.q), step, T::one(), &mut q)?;
        Ok(q)
    }

    /// Value and derivatives with respect to δ at zero, v and u, side by side, by the analytic route.
    fn analytic<T: Scalar>(&self, x: &[T]) -> (DVector<T>, DMatrix<T>) {
        let tree = self.tree.cast::<T>();
        let n = tree.num_velocities();
        let mut workspace = tree.workspace();
        let q = self.position(&tree, &x[..n]).unwrap();
        (tree.set_state(&mut workspace, &q, &x[n..2 * n])).unwrap();
        let external = self.external::<T>();
        let (external, u) = (external.as_deref(), &x[2 * n..]);
        let mut all = DMatrix::zeros(n, 3 * n);
        if self.is_forward {
            let mut out = tree.new_forward_dynamics_derivatives();
            // What was there before does not count.
            for _ in 0..2 {
                (tree.forward_dynamics_derivatives(&mut workspace, u, external, &mut out)).unwrap();
            }
            all.columns_mut(0, n).copy_from(&out.dvdot_dq);
            all.columns_mut(n, n).copy_from(&out.dvdot_dv);
            all.columns_mut(2 * n, n)
                .copy_from(&out.inverse_mass_matrix);
            (out.vdot, all)
        } else {
            let mut out = tree.new_inverse_dynamics_derivatives();
            for _ in 0..2 {
                (tree.inverse_dynamics_derivatives(&mut workspace, u, external, &mut out)).unwrap();
            }
            all.columns_mut(0, n).copy_from(&out.dtau_dq);
            all.columns_mut(n, n).copy_from(&out.dtau_dv);
            all.columns_mut(2 * n, n).copy_from(&out.mass_matrix);
            (out.tau, all)
        }
    }
}

impl VectorFunction for Dynamics<'_> {
    type Error = TreeError;

    fn eval<T: Scalar>(&self, x: &[T]) -> Result<DVector<T>, TreeError> {
        let tree = self.tree.cast::<T>();
        let n = tree.num_velocities();
        let mut workspace = tree.workspace();
        tree.set_state(
            &mut workspace,
            &self.position(&tree, &x[..n])?,
            &x[n..2 * n],
        )?;
        let external = self.external::<T>();
        let (external, u) = (external.as_deref(), &x[2 * n..]);
        let mut out = DVector::zeros(n);
        if self.is_forward {
            tree.forward_dynamics(&mut workspace, u, external, out.as_mut_slice())?;
        } else {
            tree.inverse_dynamics(&mut workspace, u, external, out.as_mut_slice())?;
        }
        Ok(out)
    }
}

fn style() -> impl Strategy<Value = Style> {
    prop_oneof![Just(Style::General), Just(Style::Mimic), Just(Style::Free)]
}

/// A state, with forces on the bodies or without.
fn random_dynamics(
    tree: &RigidBodyTree<f64>,
    seed: u64,
    has_external: bool,
    is_forward: bool,
) -> (Dynamics<'_>, Vec<f64>) {
    let (q, v) = random_state(tree, seed);
    let mut random = Random::new(seed ^ 0x5a);
    let external = has_external.then(|| random.forces(tree.num_bodies()));
    let mut x = vec![0.0; v.len()];
    x.extend(&v);
    x.extend(random.numbers(v.len()));
    let dynamics = Dynamics {
        tree,
        q,
        external,
        is_forward,
    };
    (dynamics, x)
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn inverse_dynamics_agree_with_duals(
        seed: u64, bodies in 1usize..12, style in style(), has_external: bool
    ) {
        let tree = random_tree(seed, bodies, style);
        let (dynamics, x) = random_dynamics(&tree, seed, has_external, false);
        let (value, expected) = jacobian(&dynamics, &x)?;
        let (tau, found) = dynamics.analytic(&x);
        assert_near(tau.as_slice(), value.as_slice(), 1e-12);
        assert_near(found.as_slice(), expected.as_slice(), 1e-12);
    }

    /// Relative to the largest entry, times what the mass matrix loses.
    #[test]
    fn forward_dynamics_agree_with_duals(
        seed: u64, bodies in 1usize..12, style in style(), has_external: bool
    ) {
        let tree = random_tree(seed, bodies, style);
        let (dynamics, x) = random_dynamics(&tree, seed, has_external, true);
        let (value, expected) = jacobian(&dynamics, &x)?;
        let (vdot, found) = dynamics.analytic(&x);
        prop_assert_eq!(vdot, value);
        let n = tree.num_velocities();
        for block in 0..3 {
            let part = |m: &DMatrix<f64>| m.columns(block * n, n).into_owned();
            assert_near(part(&found).as_slice(), part(&expected).as_slice(), 1e-12);
        }
    }

    /// Derivatives of the analytic derivatives by dual numbers are second derivatives: those along a
    /// direction agree with differences.
    #[test]
    fn second_derivatives_agree_with_differences(
        seed: u64, bodies in 1usize..6, style in style(), is_forward: bool
    ) {
        let tree = random_tree(seed, bodies, style);
        let (dynamics, x) = random_dynamics(&tree, seed, true, is_forward);
        let n = tree.num_velocities();
        // δ stays zero: a derivative along a step at another place than q₀ is another one.
        let mut direction = Random::new(!seed).numbers(3 * n);
        direction[..n].fill(0.0);
        let along = |t: f64| -> DMatrix<f64> {
            let x: Vec<f64> = x.iter().zip(&direction).map(|(x, d)| x + t * d).collect();
            dynamics.analytic(&x).1
        };
        let dual: Vec<Dual64> =
            x.iter().zip(&direction).map(|(&x, &d)| Dual64::new(x, d)).collect();
        let (_, found) = dynamics.analytic(&dual);
        let step = 1e-4;
        let (near, far) = (along(step) - along(-step), along(2.0 * step) - along(-2.0 * step));
        let expected = (near * 8.0 - far) / (12.0 * step);
        let values = found.map(|x| x.re);
        prop_assert_eq!(&values, &along(0.0));
        let scale = 1.0 + values.amax();
        assert_near(found.map(|x| x.eps / scale).as_slice(), (expected / scale).as_slice(), 1e-7);
    }
}

/// Far from the origin of W, and in a hurry.
#[test]
fn nothing_is_lost_far_away() {
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    for name in ["a", "b"] {
        let inertia = SpatialInertia {
            center_of_mass: Vector3::new(0.1, 0.2, -0.1),
            ..SpatialInertia::solid_box(2.0, &Vector3::new(0.1, 0.2, 0.3))
        };
        builder.add_body(name, inertia).unwrap();
    }
    let tree = builder.finish().unwrap();
    let (mut dynamics, x) = random_dynamics(&tree, 3, true, false);
    let near = dynamics.analytic(&x).1;
    for start in [4, 11] {
        dynamics.q[start] += 1e6;
    }
    let far = dynamics.analytic(&x).1;
    assert_near(far.as_slice(), near.as_slice(), 1e-12);
}

#[test]
fn what_belongs_to_another_tree_is_refused() {
    let (tree, other) = (
        random_tree(1, 4, Style::General),
        random_tree(2, 4, Style::General),
    );
    let n = tree.num_velocities();
    let (mut workspace, zeros) = (tree.workspace(), vec![0.0; n]);
    let mut foreign = other.new_inverse_dynamics_derivatives();
    let refused = tree.inverse_dynamics_derivatives(&mut workspace, &zeros, None, &mut foreign);
    assert_eq!(refused, Err(TreeError::ForeignWorkspace));
    let mut foreign = other.new_forward_dynamics_derivatives();
    let refused = tree.forward_dynamics_derivatives(&mut workspace, &zeros, None, &mut foreign);
    assert_eq!(refused, Err(TreeError::ForeignWorkspace));
    let mut own = tree.new_inverse_dynamics_derivatives();
    assert!(
        tree.inverse_dynamics_derivatives(&mut workspace, &[f64::NAN; 1], None, &mut own)
            .is_err()
    );
    let mut builder = RigidBodyTreeBuilder::<f64>::new();
    builder.add_body("ghost", SpatialInertia::zero()).unwrap();
    let ghost = builder.finish().unwrap();
    let mut out = ghost.new_forward_dynamics_derivatives();
    let refused =
        ghost.forward_dynamics_derivatives(&mut ghost.workspace(), &[0.0; 6], None, &mut out);
    assert!(matches!(refused, Err(TreeError::SingularInertia { .. })));
}
