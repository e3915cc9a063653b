//! One error for all of the crate.

use super::invalid_input::InvalidInput;
use std::fmt;

/// Any error of this crate, for programs that call several of its parts and pass on what goes wrong.
///
/// Every part has an error of its own, which says what can go wrong there; `?` turns each of them into this one, with its
/// sentence and its source. Its `Debug` form is that sentence, too, so that `fn main() -> dualbody::Result<()>` prints it.
/// A program that meets errors of others, too, takes a `Box<dyn std::error::Error>`.
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
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Many rollouts at once.
    #[error(transparent)]
    Batch(#[from] crate::system::BatchError),
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

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The result of a program that calls several parts of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
