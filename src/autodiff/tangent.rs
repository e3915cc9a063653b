//! Derivatives along a manifold, in its tangent space.

use super::function::{ScalarFunction, VectorFunction};
use crate::{DefaultScalar, InvalidInput};
use nalgebra::DVector;

/// A set of configurations `q` that small displacements `δ` lead around in: quaternions have four
/// components and turn in three directions.
///
/// [`RigidBodyTree`](crate::tree::RigidBodyTree) is the manifold of its configurations, with
/// displacements in the coordinates of its velocities.
pub trait Manifold {
    /// What can go wrong in a displacement.
    type Error;

    /// The number of directions.
    fn dimension(&self) -> usize;

    /// The configuration `q ⊕ δ`, which is `q` for `δ = 0`.
    ///
    /// # Errors
    /// As the implementation says.
    fn retract<T: DefaultScalar>(&self, q: &[f64], delta: &[T]) -> Result<Vec<T>, Self::Error>;
}

/// A function of a configuration as the function `δ ↦ f(q ⊕ δ)` of displacements.
///
/// Every driver takes it, at [`OnTangent::origin`]: [`jacobian`](crate::autodiff::jacobian()) gives the
/// tangent derivative `∂f(q ⊕ δ)/∂δ` (m × nv), which is `∂f/∂q N(q)` where `f` is a function of
/// any `q`; [`check_jacobian`](crate::autodiff::check_jacobian) compares it with differences that stay
/// on the manifold.
///
/// ```
/// use dualbody::autodiff::{
///     JacobianChecker, OnTangent, VectorFunction, check_jacobian, jacobian,
/// };
/// use dualbody::math::{SpatialInertia, rotation};
/// use dualbody::tree::{RigidBodyTreeBuilder, TreeError};
/// use dualbody::DefaultScalar;
/// use nalgebra::{DVector, Quaternion, Vector3, vector};
///
/// /// Where the point `p_BoQ_B` of a floating body is in the world, from `q = [quaternion, p_WBo]`.
/// struct Tip(Vector3<f64>);
///
/// impl VectorFunction for Tip {
///     type Error = TreeError;
///     fn eval<T: DefaultScalar>(&self, q: &[T]) -> Result<DVector<T>, TreeError> {
///         let r = rotation::matrix_from_quaternion(&Quaternion::new(q[0], q[1], q[2], q[3]));
///         let p = r * self.0.map(T::from) + Vector3::new(q[4], q[5], q[6]);
///         Ok(DVector::from_column_slice(p.as_slice()))
///     }
/// }
///
/// let mut builder = RigidBodyTreeBuilder::<f64>::new();
/// builder.add_body("body", SpatialInertia::solid_sphere(1.0, 0.1))?;
/// let tree = builder.finish()?;
/// let q = [0.6, 0.0, 0.8, 0.0, 1.0, 2.0, 3.0];
/// let tip = OnTangent { manifold: &tree, q: &q, f: &Tip(vector![0.5, 0.0, 0.0]) };
///
/// // [w; v] of the body move the point with v + w × R p, so that the Jacobian is [−[R p]×, I].
/// let (_, jacobian) = jacobian(&tip, &tip.origin())?;
/// let turned = vector![-0.14, 0.0, -0.48];
/// assert!((jacobian.columns(0, 3) + rotation::skew(&turned)).amax() < 1e-15);
/// assert_eq!(jacobian.columns(3, 3), nalgebra::Matrix3::identity());
///
/// check_jacobian(&JacobianChecker::default(), &tip, &tip.origin())?.assert_agrees();
/// # Ok::<(), TreeError>(())
/// ```
#[derive(Debug)]
pub struct OnTangent<'a, M, F> {
    /// The manifold.
    pub manifold: &'a M,
    /// The configuration at which displacements start.
    pub q: &'a [f64],
    /// The function of a configuration.
    pub f: &'a F,
}

impl<M: Manifold, F> OnTangent<'_, M, F> {
    /// No displacement, zeros in all directions.
    pub fn origin(&self) -> Vec<f64> {
        vec![0.0; self.manifold.dimension()]
    }

    fn configuration<T: DefaultScalar, E>(&self, delta: &[T]) -> Result<Vec<T>, E>
    where
        E: From<InvalidInput> + From<M::Error>,
    {
        InvalidInput::check_size("displacement", delta.len(), self.manifold.dimension())?;
        Ok(self.manifold.retract(self.q, delta)?)
    }
}

impl<M: Manifold, F: ScalarFunction<Error: From<M::Error>>> ScalarFunction for OnTangent<'_, M, F> {
    type Error = F::Error;

    fn eval<T: DefaultScalar>(&self, delta: &[T]) -> Result<T, F::Error> {
        self.f.eval(&self.configuration::<T, F::Error>(delta)?)
    }
}

impl<M: Manifold, F: VectorFunction<Error: From<M::Error>>> VectorFunction for OnTangent<'_, M, F> {
    type Error = F::Error;

    fn eval<T: DefaultScalar>(&self, delta: &[T]) -> Result<DVector<T>, F::Error> {
        self.f.eval(&self.configuration::<T, F::Error>(delta)?)
    }

    fn value_names(&self) -> Vec<String> {
        self.f.value_names()
    }
}
