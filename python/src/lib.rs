//! The library `dualbody` for Python: `f64` arrays at the surface, dual numbers inside.
//!
//! Everything here converts arguments, releases the interpreter, and calls the library.
#![deny(missing_docs)]

mod array;
mod batch;
mod builder;
mod check;
mod control;
mod curvature;
mod derivatives;
mod error;
mod force;
mod identification;
mod kinematics;
mod parameters;
mod random;
mod rollout;
mod source;
mod system;
mod threads;
mod trajectory;
mod write_back;

/// What of the package is compiled.
#[pyo3::pymodule(gil_used = false)]
mod _dualbody {
    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::builder::{Builder, Material};
    #[pymodule_export]
    use crate::check::{Check, Entry, check_jacobian};
    #[pymodule_export]
    use crate::control::{
        ControlProblem, ControlReport, ControlSolution, ExpectedSolution, Mpc, Regulator,
        solve_expected, solve_ocp,
    };
    #[pymodule_export]
    use crate::derivatives::{Jacobian, Linear};
    #[pymodule_export]
    use crate::identification::{FitResult, fit_file, fit_motion};
    #[pymodule_export]
    use crate::kinematics::{ForwardDynamicsDerivatives, InverseDynamicsDerivatives};
    #[pymodule_export]
    use crate::parameters::{ParameterInfo, Parameters};
    #[pymodule_export]
    use crate::rollout::Rollout;
    #[pymodule_export]
    use crate::system::System;

    /// What `_processor.py` looks for.
    #[pymodule_export]
    const BUILT_FOR: &str = match cfg!(target_feature = "avx2") {
        true => "processors with AVX2",
        false => "all processors",
    };
}
