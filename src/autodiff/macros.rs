//! The macros `gradient!`, `jacobian!` and `hessian!`: derivatives of generic functions.

/// Value and gradient of a generic function: `gradient!(f, &model, x)` or `gradient!(f, x)`.
///
/// `f` is a function `fn f<T: Scalar>(model: &Model<T>, x: &[T]) -> Result<T, E>` with any error type
/// that an [`InvalidInput`](crate::InvalidInput) converts into, or a closure that computes the same.
/// The model is anything with a method `cast::<U>()`: a tree, a contact model, a system. It is cast
/// once, to [`ChunkDual`](crate::autodiff::ChunkDual); `x` is an array, a slice or a `Vec` of `f64`.
/// The result is that of [`autodiff::gradient`](crate::autodiff::gradient()).
///
/// ```
/// use dualbody::math::SpatialInertia;
/// use dualbody::tree::{RigidBodyTree, RigidBodyTreeBuilder, TreeError};
/// use dualbody::{Parameters, Scalar, gradient};
///
/// /// The kinetic energy of a falling ball after a time, from its mass.
/// fn energy<T: Scalar>(tree: &RigidBodyTree<T>, x: &[T]) -> Result<T, Box<dyn std::error::Error>> {
///     let mut tree = tree.clone();
///     tree.set_parameter("ball/mass", x[0])?;
///     let mut workspace = tree.workspace();
///     let fallen = tree.gravity() * x[1];
///     let mut v = vec![T::zero(); 6];
///     v[3..].copy_from_slice(fallen.as_slice());
///     tree.set_state(&mut workspace, tree.neutral_configuration().as_slice(), &v)?;
///     Ok(tree.kinetic_energy(&workspace)?)
/// }
///
/// let mut builder = RigidBodyTreeBuilder::<f64>::new();
/// builder.add_body("ball", SpatialInertia::solid_sphere(1.0, 0.1))?;
/// let tree = builder.finish()?;
/// let (energy, slope) = gradient!(energy, &tree, [2.0, 0.5])?;
/// let g = 9.81f64;
/// assert!((energy - g * g * 0.25).abs() < 1e-12); // ½ m (g t)²
/// assert!((slope[0] - 0.5 * g * g * 0.25).abs() < 1e-12); // ½ (g t)²
/// assert!((slope[1] - 2.0 * g * g * 0.5).abs() < 1e-12); // m g² t
///
/// // Of numbers only.
/// fn product<T: Scalar>(x: &[T]) -> Result<T, TreeError> {
///     Ok(x[0] * x[1])
/// }
/// assert_eq!(gradient!(product, [2.0, 3.0])?.1.as_slice(), [3.0, 2.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! gradient {
    ($f:expr, $($argument:expr),+ $(,)?) => {
        $crate::derivative_of!(gradient_of, ChunkDual, $f, $($argument),+)
    };
}

/// Value and Jacobian of a generic function: `jacobian!(f, &model, x)` or `jacobian!(f, x)`, for a
/// function that returns a `DVector` or a `Vec`.
///
/// As [`gradient!`](crate::gradient!); the result is that of
/// [`autodiff::jacobian`](crate::autodiff::jacobian()).
///
/// ```
/// use dualbody::{InvalidInput, Scalar, jacobian};
///
/// fn polar<T: Scalar>(x: &[T]) -> Result<Vec<T>, InvalidInput> {
///     Ok(vec![T::norm_lifted(x), x[1].atan2_lifted(x[0])])
/// }
/// let (value, slopes) = jacobian!(polar, [0.0, 2.0])?;
/// assert_eq!((value[0], slopes[(0, 1)], slopes[(1, 0)]), (2.0, 1.0, -0.5));
/// # Ok::<(), InvalidInput>(())
/// ```
#[macro_export]
macro_rules! jacobian {
    ($f:expr, $($argument:expr),+ $(,)?) => {
        $crate::derivative_of!(jacobian_of, ChunkDual, $f, $($argument),+)
    };
}

/// Asserts that the Jacobian of a generic function by dual numbers agrees with central differences:
/// `assert_jacobian!(f, &model, x)` or `assert_jacobian!(f, x)`, one line in a test.
///
/// `f` is a function as [`jacobian!`](crate::jacobian!) takes it, no closure, since it is evaluated with dual numbers and
/// with `f64`. The comparison is that of a [`JacobianChecker`](crate::autodiff::JacobianChecker) with its default
/// tolerances, and prints what is wrong.
///
/// # Panics
/// When an entry does not agree, and on an error of `f`.
///
/// ```
/// use dualbody::{InvalidInput, Scalar, assert_jacobian};
///
/// fn polar<T: Scalar>(x: &[T]) -> Result<Vec<T>, InvalidInput> {
///     Ok(vec![T::norm_lifted(x), x[1].atan2_lifted(x[0])])
/// }
/// assert_jacobian!(polar, [0.3, 2.0]);
/// ```
#[macro_export]
macro_rules! assert_jacobian {
    ($f:expr, $x:expr $(,)?) => {
        $crate::assert_jacobian_of!($f, $f, $x)
    };
    ($f:expr, $model:expr, $x:expr $(,)?) => {
        $crate::assert_jacobian_of!(
            $crate::autodiff::with_model(($model).cast::<$crate::autodiff::ChunkDual>(), $f),
            $crate::autodiff::with_model(($model).cast::<f64>(), $f),
            $x
        )
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! assert_jacobian_of {
    ($dual:expr, $real:expr, $x:expr) => {
        match $crate::autodiff::check_jacobian_of(
            $dual,
            $real,
            ::std::convert::AsRef::<[f64]>::as_ref(&$x),
        ) {
            ::std::result::Result::Ok(check) => check.assert_agrees(),
            ::std::result::Result::Err(error) => ::std::panic!("{error}"),
        }
    };
}

/// Value and gradient of a generic function, and how far each derivative holds: `gradient_with_radius!(f, &model, x)`.
///
/// As [`gradient!`](crate::gradient!), with the same function. The model is one that shows its decisions
/// ([`Observable`](crate::Observable)): a [`RigidBodySystem`](crate::system::RigidBodySystem) or a
/// [`TimeSteppingRigidBodySystem`](crate::system::TimeSteppingRigidBodySystem). The result is that of
/// [`autodiff::gradient_with_radius_of`](crate::autodiff::gradient_with_radius_of).
///
/// ```
/// use dualbody::prelude::*;
///
/// /// The height of a ball after a second, from the height from which it falls.
/// fn end<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
///     let mut start = system.initial_state();
///     system.set_body_position(&mut start, "ball", [T::zero(), T::zero(), x[0]].into())?;
///     Ok(system.rollout(&start, 1000)?.last().q[6])
/// }
///
/// let rubber = ContactMaterial::new(1e4, 0.1, 0.4)?;
/// let system = SystemBuilder::new()
///     .floor("floor", rubber)
///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
///     .compliant(1e-3)?;
/// let found = gradient_with_radius!(end, &system, [0.3])?;
/// let nearest = found.nearest[0].as_ref().ok_or("a contact")?;
/// assert_eq!(nearest.place, "ball|floor");
/// assert!(found.radius[0] < 0.01); // m: then a bounce begins or ends in another step
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[macro_export]
macro_rules! gradient_with_radius {
    ($f:expr, $model:expr, $x:expr $(,)?) => {
        $crate::derivative_with_radius_of!(gradient_with_radius_of, $f, $model, $x)
    };
}

/// Value and Jacobian of a generic function, and how far its columns hold: as
/// [`gradient_with_radius!`](crate::gradient_with_radius!), for a function that returns a `DVector` or a `Vec`. The result is
/// that of [`autodiff::jacobian_with_radius_of`](crate::autodiff::jacobian_with_radius_of).
#[macro_export]
macro_rules! jacobian_with_radius {
    ($f:expr, $model:expr, $x:expr $(,)?) => {
        $crate::derivative_with_radius_of!(jacobian_with_radius_of, $f, $model, $x)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! derivative_with_radius_of {
    ($driver:ident, $f:expr, $model:expr, $x:expr) => {
        $crate::autodiff::$driver(
            $crate::autodiff::with_observed_model(
                ($model).cast::<$crate::autodiff::ChunkDual>(),
                $f,
            ),
            ::std::convert::AsRef::<[f64]>::as_ref(&$x),
        )
    };
}

/// Value, gradient and Hessian of a generic function: `hessian!(f, &model, x)` or `hessian!(f, x)`.
///
/// As [`gradient!`](crate::gradient!); the result is that of
/// [`autodiff::hessian`](crate::autodiff::hessian()).
///
/// ```
/// use dualbody::{InvalidInput, hessian};
///
/// let stiffness = 3.0;
/// let energy = |x: &[_]| Ok::<_, InvalidInput>((x[1] - x[0]) * (x[1] - x[0]) * (0.5 * stiffness));
/// let (_, _, curvature) = hessian!(energy, [2.0, 5.0])?;
/// assert_eq!(curvature.as_slice(), [3.0, -3.0, -3.0, 3.0]);
/// # Ok::<(), InvalidInput>(())
/// ```
#[macro_export]
macro_rules! hessian {
    ($f:expr, $($argument:expr),+ $(,)?) => {
        $crate::derivative_of!(hessian_of, HessianDual, $f, $($argument),+)
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! derivative_of {
    ($driver:ident, $dual:ident, $f:expr, $x:expr) => {
        $crate::autodiff::$driver($f, ::std::convert::AsRef::<[f64]>::as_ref(&$x))
    };
    ($driver:ident, $dual:ident, $f:expr, $model:expr, $x:expr) => {
        $crate::autodiff::$driver(
            $crate::autodiff::with_model(($model).cast::<$crate::autodiff::$dual>(), $f),
            ::std::convert::AsRef::<[f64]>::as_ref(&$x),
        )
    };
}

/// A function of a model and numbers at one model.
#[doc(hidden)]
pub fn with_model<M, T, Y>(model: M, f: impl Fn(&M, &[T]) -> Y) -> impl Fn(&[T]) -> Y {
    move |x| f(&model, x)
}
