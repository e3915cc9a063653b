//! The error that every component returns for data it cannot accept, and one for all errors of the crate.

use crate::Scalar;
use std::fmt;

/// Data that a component cannot accept: which quantity, where, its value, and what was expected.
///
/// The errors of the components wrap this one, so that a caller finds the same sentence for the
/// same mistake everywhere.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidInput {
    /// A vector or matrix has the wrong size.
    #[error("{quantity} has size {actual}, expected {expected}")]
    Dimension {
        /// The quantity, by its documented name.
        quantity: &'static str,
        /// The size that the component needs.
        expected: usize,
        /// The size that was given.
        actual: usize,
    },
    /// An entry is NaN or infinite.
    #[error("{quantity}[{index}] = {value} is not finite")]
    NotFinite {
        /// The quantity, by its documented name.
        quantity: &'static str,
        /// Position of the entry (column-major for matrices, 0 for scalars).
        index: usize,
        /// The entry.
        value: f64,
    },
    /// An entry lies outside the values that make sense for the quantity.
    #[error("{quantity}[{index}] = {}, expected {expected}", Short(*value))]
    OutOfRange {
        /// The quantity, by its documented name.
        quantity: &'static str,
        /// Position of the entry (column-major for matrices, 0 for scalars).
        index: usize,
        /// The entry.
        value: f64,
        /// The valid range, in words.
        expected: &'static str,
    },
}

impl InvalidInput {
    /// Checks that `actual == expected`.
    ///
    /// # Errors
    /// [`InvalidInput::Dimension`] otherwise.
    pub fn check_size(
        quantity: &'static str,
        actual: usize,
        expected: usize,
    ) -> Result<(), InvalidInput> {
        if actual == expected {
            Ok(())
        } else {
            Err(InvalidInput::Dimension {
                quantity,
                expected,
                actual,
            })
        }
    }

    /// Checks that the real parts of all entries are finite.
    ///
    /// # Errors
    /// [`InvalidInput::NotFinite`] with the first entry that is not.
    pub fn check_finite<T: Scalar>(
        quantity: &'static str,
        values: &[T],
    ) -> Result<(), InvalidInput> {
        // Without a way out the loop takes several entries at a time.
        if (values.iter()).fold(true, |all, x| all & x.re().is_finite()) {
            return Ok(());
        }
        match values.iter().position(|x| !x.re().is_finite()) {
            None => Ok(()),
            Some(index) => Err(InvalidInput::NotFinite {
                quantity,
                index,
                value: values[index].re(),
            }),
        }
    }

    /// Checks that the real parts of all entries satisfy `valid`, which NaN must not.
    ///
    /// # Errors
    /// [`InvalidInput::OutOfRange`] with the first entry that does not; `expected` says in words
    /// what `valid` tests.
    pub fn check_range<T: Scalar>(
        quantity: &'static str,
        values: &[T],
        expected: &'static str,
        valid: impl Fn(f64) -> bool,
    ) -> Result<(), InvalidInput> {
        match values.iter().position(|x| !valid(x.re())) {
            None => Ok(()),
            Some(index) => Err(InvalidInput::OutOfRange {
                quantity,
                index,
                value: values[index].re(),
                expected,
            }),
        }
    }
}

/// Any error of this crate, for programs that call several of its parts and pass on what goes wrong.
///
/// Every part has an error of its own, which says what can go wrong there; `?` turns each of them into this one, with its
/// sentence and its source. A program that meets errors of others, too, takes a `Box<dyn std::error::Error>`.
///
/// ```
/// use dualbody::contact::ContactMaterial;
/// use dualbody::tree::RigidBodyTreeBuilder;
///
/// fn masses() -> dualbody::Result<usize> {
///     ContactMaterial::new(1e5, 0.5, 0.3)?;
///     Ok(RigidBodyTreeBuilder::<f64>::new().finish()?.num_positions())
/// }
/// # masses()?;
/// # Ok::<(), dualbody::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A constraint problem or a constraint of a tree.
    #[error(transparent)]
    Constraint(#[from] crate::constraint::ConstraintError),
    /// A contact model.
    #[error(transparent)]
    Contact(#[from] crate::contact::ContactError),
    /// A comparison of derivatives.
    #[error(transparent)]
    Derivatives(#[from] crate::autodiff::DerivativeMismatch),
    /// The evaluation of an experiment.
    #[error(transparent)]
    Evaluation(#[from] crate::identification::EvaluationError),
    /// A force element or an actuator.
    #[error(transparent)]
    Force(#[from] crate::force::ForceError),
    /// A distance of shapes.
    #[error(transparent)]
    Geometry(#[from] crate::geometry::GeometryError),
    /// An identification.
    #[error(transparent)]
    Identification(#[from] crate::identification::IdentificationError),
    /// Data that a component cannot accept.
    #[error(transparent)]
    Input(#[from] InvalidInput),
    /// The integration of a system in continuous time.
    #[error(transparent)]
    Integration(#[from] crate::integrator::IntegrationError<crate::system::SystemError>),
    /// A file.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A machine, a state or a fit as JSON.
    #[cfg(feature = "serde")]
    #[error(transparent)]
    Json(#[from] crate::io::json::JsonError),
    /// A complementarity problem.
    #[error(transparent)]
    Lcp(#[from] crate::solver::lcp::LcpError),
    /// A mesh.
    #[cfg(feature = "urdf")]
    #[error(transparent)]
    Mesh(#[from] crate::io::mesh::MeshError),
    /// A model in MJCF.
    #[cfg(feature = "urdf")]
    #[error(transparent)]
    Mjcf(#[from] crate::io::mjcf::MjcfError),
    /// A fit to signals of a machine.
    #[error(transparent)]
    Motion(#[from] crate::identification::motion::MotionError),
    /// A parameter.
    #[error(transparent)]
    Parameter(#[from] crate::parameter::ParameterError),
    /// A chart or a page.
    #[cfg(feature = "plot")]
    #[error(transparent)]
    Plot(#[from] crate::plot::PlotError),
    /// A rollout.
    #[error(transparent)]
    Rollout(#[from] crate::system::RolloutFailure),
    /// A sensor.
    #[error(transparent)]
    Sensor(#[from] crate::sensor::SensorError),
    /// A factorisation of a matrix.
    #[error(transparent)]
    Singular(#[from] crate::math::Singular),
    /// The implicit Stribeck solver.
    #[error(transparent)]
    Stribeck(#[from] crate::solver::implicit_stribeck::ImplicitStribeckSolverError),
    /// Eigenvalues of a symmetric matrix.
    #[error(transparent)]
    SymmetricEigen(#[from] crate::math::SymmetricEigenError),
    /// A system.
    #[error(transparent)]
    System(#[from] crate::system::SystemError),
    /// A tree.
    #[error(transparent)]
    Tree(#[from] crate::tree::TreeError),
    /// A robot description.
    #[cfg(feature = "urdf")]
    #[error(transparent)]
    Urdf(#[from] crate::io::urdf::UrdfError),
}

/// The result of a program that calls several parts of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A number as errors show it: with an exponent where it would have many zeros.
pub(crate) struct Short(pub f64);

impl fmt::Display for Short {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Short(x) = *self;
        if x == 0.0 || !x.is_finite() || (1e-5..1e16).contains(&x.abs()) {
            write!(f, "{x}")
        } else {
            write!(f, "{x:e}")
        }
    }
}
