"""Multibody dynamics with contact and exact derivatives.

Arrays are of ``float64`` and units are SI. A :class:`System` is a machine in steps of fixed length, read from URDF, MJCF or
JSON; a state is an array ``x = [q, v, a, s]``. :class:`Batch` works on many at once, :class:`Fit` finds constants from
recordings, :func:`solve_ocp` and :class:`Mpc` plan motions, ``dualbody.jax`` and ``dualbody.torch`` make steps and rollouts
functions of these frameworks.
"""

from collections.abc import Mapping as _Mapping

from ._processor import check as _check_processor

_check_processor()

from ._dualbody import (
    Batch,
    ControlProblem,
    ControlReport,
    ControlSolution,
    EntryCheck,
    ExpectedSolution,
    FitResult,
    ForwardDynamicsDerivatives,
    InverseDynamicsDerivatives,
    JacobianCheck,
    LinearModel,
    Material,
    Mpc,
    ParameterInfo,
    Parameters,
    Regulator,
    Rollout,
    StepJacobian,
    System,
    SystemBuilder,
    check_jacobian,
    solve_expected,
    solve_ocp,
)
from ._errors import (
    ControlError,
    DualbodyError,
    FileError,
    IdentificationError,
    InputError,
    ParameterError,
    SimulationError,
    UnknownNameError,
)
from ._fit import Fit, fit_file
from ._value_and_grad import value_and_grad

__version__ = "0.1.0"

_Mapping.register(Parameters)

__all__ = [
    "Batch",
    "ControlError",
    "ControlProblem",
    "ControlReport",
    "ControlSolution",
    "DualbodyError",
    "EntryCheck",
    "ExpectedSolution",
    "FileError",
    "Fit",
    "FitResult",
    "ForwardDynamicsDerivatives",
    "IdentificationError",
    "InputError",
    "InverseDynamicsDerivatives",
    "JacobianCheck",
    "LinearModel",
    "Material",
    "Mpc",
    "ParameterError",
    "ParameterInfo",
    "Parameters",
    "Regulator",
    "Rollout",
    "SimulationError",
    "StepJacobian",
    "System",
    "SystemBuilder",
    "UnknownNameError",
    "check_jacobian",
    "fit_file",
    "solve_expected",
    "solve_ocp",
    "value_and_grad",
]
