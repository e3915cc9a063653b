//! Errors of the library as exceptions of Python.

use dualbody::parameter::ParameterError;
use dualbody::system::{BatchError, SystemError};
use dualbody::tree::TreeError;
use dualbody_control::ControlError;
use pyo3::PyErr;

mod exceptions {
    //! Those of `dualbody._errors`.
    pyo3::import_exception!(dualbody._errors, ControlError);
    pyo3::import_exception!(dualbody._errors, DualbodyError);
    pyo3::import_exception!(dualbody._errors, FileError);
    pyo3::import_exception!(dualbody._errors, IdentificationError);
    pyo3::import_exception!(dualbody._errors, InputError);
    pyo3::import_exception!(dualbody._errors, ParameterError);
    pyo3::import_exception!(dualbody._errors, SimulationError);
    pyo3::import_exception!(dualbody._errors, UnknownNameError);
}

/// What went wrong, on the way to Python.
#[derive(Debug)]
pub enum Failure {
    /// In the library.
    Library(Box<dualbody::Error>),
    /// In control.
    Control(Box<ControlError>),
    /// With an argument.
    Argument(String),
    /// In Python.
    Python(PyErr),
}

/// The result of a method.
pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// An argument that is not what it should be.
    pub fn argument(message: impl Into<String>) -> Self {
        Failure::Argument(message.into())
    }

    /// As a text.
    pub fn message(&self) -> String {
        match self {
            Failure::Library(error) => error.to_string(),
            Failure::Control(error) => error.to_string(),
            Failure::Argument(message) => message.clone(),
            Failure::Python(error) => error.to_string(),
        }
    }
}

impl Failure {
    /// What went wrong with a copy.
    pub fn of_copy(self, lane: usize) -> Self {
        match self {
            Failure::Library(error) => Failure::Library(error),
            other => Failure::argument(format!("copy {lane}: {}", other.message())),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Failure::Python(error)
    }
}

macro_rules! from_library {
    ($($error:ty),* $(,)?) => { $(
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::Library(Box::new(error.into()))
            }
        }
    )* };
}

from_library! {
    dualbody::Error,
    dualbody::InvalidInput,
    dualbody::contact::ContactError,
    dualbody::force::ForceError,
    dualbody::geometry::GeometryError,
    dualbody::identification::EvaluationError,
    dualbody::identification::IdentificationError,
    dualbody::identification::motion::MotionError,
    dualbody::io::json::JsonError,
    dualbody::io::mjcf::MjcfError,
    dualbody::io::urdf::UrdfError,
    dualbody::plot::PlotError,
    dualbody::system::RolloutFailure,
    BatchError,
    std::io::Error,
    ParameterError,
    SystemError,
    TreeError,
}

impl From<ControlError> for Failure {
    fn from(error: ControlError) -> Self {
        Failure::Control(Box::new(error))
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Python(error) => error,
            Failure::Argument(message) => exceptions::InputError::new_err(message),
            Failure::Library(error) => of_library(&error),
            Failure::Control(error) => of_control(&error),
        }
    }
}

fn of_library(error: &dualbody::Error) -> PyErr {
    use dualbody::Error;
    let text = error.to_string();
    match error {
        Error::Batch(error) => of_batch(error, text),
        Error::Input(_) => exceptions::InputError::new_err(text),
        Error::Parameter(error) => of_parameter(error, text),
        Error::Tree(error) => of_tree(error, text),
        Error::System(error) => of_system(error, text),
        Error::Rollout(_)
        | Error::Stribeck(_)
        | Error::Lcp(_)
        | Error::Integration(_)
        | Error::Constraint(_) => exceptions::SimulationError::new_err(text),
        Error::Identification(_) | Error::Evaluation(_) | Error::Motion(_) => {
            exceptions::IdentificationError::new_err(text)
        }
        Error::Io(_) | Error::Json(_) | Error::Mesh(_) | Error::Mjcf(_) | Error::Urdf(_) => {
            exceptions::FileError::new_err(text)
        }
        _ => exceptions::DualbodyError::new_err(text),
    }
}

fn of_batch(error: &BatchError, text: String) -> PyErr {
    let BatchError::Members { failures } = error else {
        return exceptions::InputError::new_err(text);
    };
    match failures.first().map(|failure| &*failure.source.source) {
        Some(SystemError::Parameter(error)) => of_parameter(error, text),
        _ => exceptions::SimulationError::new_err(text),
    }
}

fn of_parameter(error: &ParameterError, text: String) -> PyErr {
    match error {
        ParameterError::Unknown { .. } | ParameterError::Ambiguous { .. } => {
            exceptions::UnknownNameError::new_err(text)
        }
        _ => exceptions::ParameterError::new_err(text),
    }
}

fn of_tree(error: &TreeError, text: String) -> PyErr {
    match error {
        TreeError::UnknownName { .. } | TreeError::AmbiguousName { .. } => {
            exceptions::UnknownNameError::new_err(text)
        }
        TreeError::Invalid(_) => exceptions::InputError::new_err(text),
        _ => exceptions::SimulationError::new_err(text),
    }
}

fn of_system(error: &SystemError, text: String) -> PyErr {
    match error {
        SystemError::Invalid(_) => exceptions::InputError::new_err(text),
        SystemError::Parameter(error) => of_parameter(error, text),
        SystemError::Tree(error) => of_tree(error, text),
        SystemError::UnknownSignal { .. } => exceptions::UnknownNameError::new_err(text),
        _ => exceptions::SimulationError::new_err(text),
    }
}

fn of_control(error: &ControlError) -> PyErr {
    let text = error.to_string();
    match error {
        ControlError::Invalid(_)
        | ControlError::EmptyBounds { .. }
        | ControlError::DuplicateName { .. } => exceptions::InputError::new_err(text),
        ControlError::System(error) => of_system(error, text),
        ControlError::Step { .. } | ControlError::Residual { .. } => {
            exceptions::SimulationError::new_err(text)
        }
        _ => exceptions::ControlError::new_err(text),
    }
}
