"""Shapes are in comments: n bodies, nq, nv, nx, nu, ny as the properties of `System`, N steps, np parameters."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypeVar, final, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array: TypeAlias = NDArray[np.float64]
_T = TypeVar("_T")
_Path: TypeAlias = str | PathLike[str]
_Scheme: TypeAlias = Literal["compliant", "rigid", "continuous", "rk4", "midpoint", "radau3"]

@final
class ParameterInfo:
    @property
    def name(self) -> str: ...
    @property
    def unit(self) -> str: ...
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def value(self) -> float: ...

@final
class Parameters(Mapping[str, float]):
    def __getitem__(self, name: str) -> float: ...
    def __setitem__(self, name: str, value: float) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    @overload
    def get(self, name: str, default: None = None) -> float | None: ...
    @overload
    def get(self, name: str, default: _T) -> float | _T: ...
    def update(self, values: dict[str, float]) -> None: ...
    def info(self, name: str) -> ParameterInfo: ...

@final
class InverseDynamicsDerivatives:
    @property
    def tau(self) -> _Array: ...  # (nv,)
    @property
    def dtau_dq(self) -> _Array: ...  # (nv, nv)
    @property
    def dtau_dv(self) -> _Array: ...  # (nv, nv)
    @property
    def dtau_dvdot(self) -> _Array: ...  # (nv, nv)

@final
class ForwardDynamicsDerivatives:
    @property
    def vdot(self) -> _Array: ...  # (nv,)
    @property
    def dvdot_dq(self) -> _Array: ...  # (nv, nv)
    @property
    def dvdot_dv(self) -> _Array: ...  # (nv, nv)
    @property
    def dvdot_dtau(self) -> _Array: ...  # (nv, nv)

@final
class StepJacobian:
    @property
    def x(self) -> _Array: ...  # (nx,)
    @property
    def y(self) -> _Array: ...  # (ny,)
    @property
    def A(self) -> Any: ...  # (nx, nx), an array or of scipy.sparse
    @property
    def B(self) -> Any: ...  # (nx, nu), as A
    @property
    def P(self) -> Any: ...  # (nx, np), as A
    @property
    def C(self) -> _Array: ...  # (ny, nx)
    @property
    def D(self) -> _Array: ...  # (ny, nu)
    @property
    def Q(self) -> _Array: ...  # (ny, np)

@final
class LinearModel:
    # nd = 2 nv + na + ns displacements
    @property
    def A(self) -> _Array: ...  # (nd, nd)
    @property
    def B(self) -> _Array: ...  # (nd, nu)
    @property
    def C(self) -> _Array: ...  # (ny, nd)
    @property
    def D(self) -> _Array: ...  # (ny, nu)
    @property
    def states(self) -> list[str]: ...  # nd
    @property
    def inputs(self) -> list[str]: ...  # nu
    @property
    def outputs(self) -> list[str]: ...  # ny
    @property
    def base(self) -> _Array: ...  # (nx,), or rates (nd,)
    @property
    def output(self) -> _Array: ...  # (ny,)

@final
class Rollout:
    @property
    def states(self) -> _Array: ...  # (N + 1, nx)
    @property
    def outputs(self) -> _Array: ...  # (N, ny)
    @property
    def inputs(self) -> _Array: ...  # (N, nu)
    @property
    def q(self) -> _Array: ...  # (N + 1, nq)
    @property
    def v(self) -> _Array: ...  # (N + 1, nv)
    @property
    def times(self) -> _Array: ...  # (N + 1,)
    @property
    def last(self) -> _Array: ...  # (nx,)
    @property
    def energies(self) -> dict[str, _Array]: ...  # each (N + 1,)
    @property
    def nearest_kinks(self) -> list[tuple[int, float, str]]: ...
    def contacts(self, step: int) -> dict[str, Any]: ...
    def to_html(self) -> str: ...
    def save_page(self, path: _Path) -> None: ...
    def save_glb(self, path: _Path) -> None: ...
    def __len__(self) -> int: ...

class System:
    def __new__(
        cls,
        json: str,
        start: ArrayLike | None = None,
        configurations: dict[str, ArrayLike] | None = None,
        notes: Sequence[str] = [],
    ) -> System: ...
    @staticmethod
    def from_urdf(
        source: _Path,
        *,
        base: Literal["fixed", "floating"] | None = None,
        floor: float | None = None,
        drive: Literal["joints", "all", "none"] = "joints",
        self_contact: bool = False,
        mesh_folders: Sequence[_Path] = [],
        lenient: bool = False,
        scheme: _Scheme = "compliant",
        time_step: float = 1e-3,
    ) -> System: ...
    @staticmethod
    def from_mjcf(
        source: _Path, *, lenient: bool = False, scheme: _Scheme = "compliant", time_step: float | None = None
    ) -> System: ...
    @staticmethod
    def from_json(source: _Path) -> System: ...
    def to_json(self) -> str: ...
    def save(self, path: _Path) -> None: ...
    def to_urdf(
        self,
        source: _Path,
        *,
        base: Literal["fixed", "floating"] | None = None,
        mesh_folders: Sequence[_Path] = [],
        lenient: bool = False,
    ) -> str: ...
    def to_mjcf(self, source: _Path, *, lenient: bool = False) -> str: ...
    def copy(self) -> System: ...
    def __copy__(self) -> System: ...
    def __deepcopy__(self, memo: Any) -> System: ...
    def with_parameters(self, values: dict[str, float]) -> System: ...
    def with_force(
        self,
        name: str,
        force: Callable[[_Array, _Array, float], ArrayLike],  # (nq,), (nv,) to (nv,)
        jacobian: Callable[[_Array, _Array, float], tuple[ArrayLike, ArrayLike]] | None = None,  # (nv, nq), (nv, nv)
    ) -> System: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def configurations(self) -> dict[str, _Array]: ...  # each (nq,)
    @property
    def nq(self) -> int: ...
    @property
    def nv(self) -> int: ...
    @property
    def na(self) -> int: ...
    @property
    def ns(self) -> int: ...
    @property
    def nx(self) -> int: ...
    @property
    def nu(self) -> int: ...
    @property
    def ny(self) -> int: ...
    @property
    def time_step(self) -> float: ...
    @property
    def scheme(self) -> str: ...
    @property
    def recommended_time_step(self) -> float | None: ...
    @property
    def total_mass(self) -> float: ...
    @property
    def body_names(self) -> list[str]: ...
    @property
    def joint_names(self) -> list[str]: ...
    @property
    def frame_names(self) -> list[str]: ...
    @property
    def geometry_names(self) -> list[str]: ...
    @property
    def input_names(self) -> list[str]: ...
    @property
    def output_names(self) -> list[str]: ...
    @property
    def parameters(self) -> Parameters: ...
    @property
    def standard_parameters(self) -> dict[str, float]: ...
    def joint_slices(self, joint: str) -> tuple[slice, slice]: ...
    def neutral(self) -> _Array: ...  # (nq,)
    def initial_state(self) -> _Array: ...  # (nx,)
    def state(self, q: ArrayLike | None = None, v: ArrayLike | None = None) -> _Array: ...  # (nx,)
    def random_configuration(self, seed: int = 0) -> _Array: ...  # (nq,)
    def integrate(self, q: ArrayLike, v: ArrayLike, dt: float = 1.0) -> _Array: ...  # (nq,)
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> _Array: ...  # (nv,)
    def forward_kinematics(self, q: ArrayLike) -> dict[str, _Array]: ...  # each (4, 4)
    def frame_pose(self, q: ArrayLike, name: str) -> _Array: ...  # (4, 4)
    def frame_velocity(self, q: ArrayLike, v: ArrayLike, name: str) -> _Array: ...  # (6,)
    def frame_jacobian(self, q: ArrayLike, name: str) -> _Array: ...  # (6, nv)
    def center_of_mass(self, q: ArrayLike) -> _Array: ...  # (3,)
    def mass_matrix(self, q: ArrayLike) -> _Array: ...  # (nv, nv)
    def bias_forces(self, q: ArrayLike, v: ArrayLike) -> _Array: ...  # (nv,)
    def gravity_forces(self, q: ArrayLike) -> _Array: ...  # (nv,)
    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        external: ArrayLike | None = None,  # (n, 6)
    ) -> _Array: ...  # (nv,)
    def joint_reactions(
        self,
        q: ArrayLike,
        v: ArrayLike,
        vdot: ArrayLike,
        external: ArrayLike | None = None,  # (n, 6)
    ) -> _Array: ...  # (joints, 6)
    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: ArrayLike | None = None,  # (n, 6)
    ) -> _Array: ...  # (nv,)
    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike, external: ArrayLike | None = None
    ) -> InverseDynamicsDerivatives: ...
    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, external: ArrayLike | None = None
    ) -> ForwardDynamicsDerivatives: ...
    def regressor(self, q: ArrayLike, v: ArrayLike, vdot: ArrayLike) -> _Array: ...  # (nv, standard parameters)
    def kinetic_energy(self, q: ArrayLike, v: ArrayLike) -> float: ...
    def potential_energy(self, q: ArrayLike) -> float: ...
    def contacts(self, q: ArrayLike, margin: float = 0.0) -> list[tuple[str, str, _Array, _Array, float]]: ...
    def step(self, x: ArrayLike, u: ArrayLike | None = None, *, time: float = 0.0) -> _Array: ...  # (nx,)
    def output(self, x: ArrayLike, u: ArrayLike | None = None, *, time: float = 0.0) -> _Array: ...  # (ny,)
    def equilibrium(self, x: ArrayLike, u: ArrayLike | None = None, *, tolerance: float = 1e-9) -> _Array: ...  # (nx,)
    def rollout(
        self,
        x0: ArrayLike | None = None,
        u: ArrayLike | None = None,  # (N, nu) or (nu,)
        steps: int | None = None,
        *,
        time: float = 0.0,
        seed: int | None = None,
    ) -> Rollout: ...
    def step_jacobian(
        self,
        x: ArrayLike,
        u: ArrayLike | None = None,
        *,
        parameters: Sequence[str] = [],
        time: float = 0.0,
        sparse: bool = False,
    ) -> StepJacobian: ...
    def linearize(
        self, x: ArrayLike, u: ArrayLike | None = None, *, time: float = 0.0, continuous: bool = False
    ) -> LinearModel: ...
    def displacement(self, x0: ArrayLike, x1: ArrayLike) -> _Array: ...  # (2 nv + na + ns,)
    def displace(self, x: ArrayLike, dx: ArrayLike) -> _Array: ...  # (nx,)
    def nearest_kinks(
        self, x: ArrayLike, u: ArrayLike | None = None, *, time: float = 0.0
    ) -> list[tuple[float, str]]: ...
    def rollout_jvp(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,
        steps: int | None = None,
        *,
        dx0: ArrayLike | None = None,  # (nx,)
        du: ArrayLike | None = None,  # (N, nu)
        dparameters: dict[str, float] | None = None,
        time: float = 0.0,
    ) -> tuple[_Array, _Array]: ...  # (N + 1, nx), (N, ny)
    def rollout_radius(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,
        steps: int | None = None,
        *,
        dx0: ArrayLike | None = None,  # (nx,)
        du: ArrayLike | None = None,  # (N, nu)
        dparameters: dict[str, float] | None = None,
        time: float = 0.0,
    ) -> tuple[float, str | None]: ...
    def rollout_jacobian(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,
        steps: int | None = None,
        *,
        parameters: Sequence[str],
        time: float = 0.0,
    ) -> tuple[_Array, _Array]: ...  # (np, N + 1, nx), (np, N, ny)
    def regulator_at_rest(
        self,
        x: ArrayLike,
        u: ArrayLike | None = None,
        *,
        Q: ArrayLike,  # (nd, nd)
        R: ArrayLike,  # (nu, nu)
    ) -> Regulator: ...
    def rollout_vjp(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,
        steps: int | None = None,
        *,
        dstates: ArrayLike | None = None,  # (N + 1, nx)
        doutputs: ArrayLike | None = None,  # (N, ny)
        parameters: Sequence[str] = [],
        time: float = 0.0,
    ) -> tuple[_Array, _Array, _Array]: ...  # (nx,), (N, nu), (np,)
    def rollout_hvp(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,
        steps: int | None = None,
        *,
        dstates: ArrayLike | None = None,  # (N + 1, nx)
        doutputs: ArrayLike | None = None,  # (N, ny)
        parameters: Sequence[str] = [],
        dx0: ArrayLike | None = None,  # (nx,)
        du: ArrayLike | None = None,  # (N, nu)
        dparameters: dict[str, float] | None = None,
        time: float = 0.0,
    ) -> tuple[_Array, _Array, _Array]: ...  # (nx,), (N, nu), (np,)

@final
class Material:
    def __new__(
        cls,
        stiffness: float = 1e5,
        dissipation: float = 0.5,
        friction: float = 0.7,
        *,
        restitution: float | None = None,
    ) -> Material: ...

@final
class SystemBuilder:
    def __new__(cls) -> SystemBuilder: ...
    def floor(self, name: str, material: Material) -> SystemBuilder: ...
    def fixed(
        self,
        name: str,
        shape: tuple[Any, ...],
        material: Material,
        *,
        position: ArrayLike | None = None,  # (3,)
        quaternion: ArrayLike | None = None,  # (4,)
    ) -> SystemBuilder: ...
    def free_body(self, name: str, shape: tuple[Any, ...], mass: float, material: Material) -> SystemBuilder: ...
    def pair_material(self, first: str, second: str, material: Material) -> SystemBuilder: ...
    def build(self, time_step: float = 1e-3, scheme: _Scheme = "compliant") -> System: ...

@final
class Batch:
    def __new__(cls, system: System, n: int, threads: int = 0) -> Batch: ...
    @property
    def n(self) -> int: ...
    @property
    def threads(self) -> int: ...
    def step(
        self,
        x: ArrayLike,  # (n, nx) or (nx,)
        u: ArrayLike | None = None,  # (n, nu) or (nu,)
        *,
        parameters: dict[str, ArrayLike] | None = None,  # each (n,) or a number
        time: float = 0.0,
    ) -> _Array: ...  # (n, nx)
    def rollout(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,  # (n, N, nu) or (N, nu)
        steps: int | None = None,
        *,
        parameters: dict[str, ArrayLike] | None = None,
        time: float = 0.0,
        seeds: Sequence[int] | None = None,  # n
    ) -> tuple[_Array, _Array]: ...  # (n, N + 1, nx), (n, N, ny)
    def step_jacobian(
        self,
        x: ArrayLike,
        u: ArrayLike | None = None,
        *,
        by: Sequence[str] = [],
        parameters: dict[str, ArrayLike] | None = None,
        time: float = 0.0,
    ) -> tuple[_Array, _Array, _Array, _Array]: ...  # (n, nx), (n, nx, nx), (n, nx, nu), (n, nx, np)
    def rollout_vjp(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,
        steps: int | None = None,
        *,
        dstates: ArrayLike | None = None,  # (n, N + 1, nx)
        doutputs: ArrayLike | None = None,  # (n, N, ny)
        by: Sequence[str] = [],
        parameters: dict[str, ArrayLike] | None = None,
        time: float = 0.0,
    ) -> tuple[_Array, _Array, _Array]: ...  # (n, nx), (n, N, nu), (n, np)
    def rollout_hvp(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,
        steps: int | None = None,
        *,
        dstates: ArrayLike | None = None,  # (n, N + 1, nx)
        doutputs: ArrayLike | None = None,  # (n, N, ny)
        by: Sequence[str] = [],
        dx0: ArrayLike | None = None,  # (n, nx)
        du: ArrayLike | None = None,  # (n, N, nu)
        dparameters: dict[str, ArrayLike] | None = None,
        parameters: dict[str, ArrayLike] | None = None,
        time: float = 0.0,
    ) -> tuple[_Array, _Array, _Array]: ...  # (n, nx), (n, N, nu), (n, np)
    def rollout_jvp(
        self,
        x0: ArrayLike,
        u: ArrayLike | None = None,
        steps: int | None = None,
        *,
        dx0: ArrayLike | None = None,  # (n, nx)
        du: ArrayLike | None = None,  # (n, N, nu)
        dparameters: dict[str, ArrayLike] | None = None,  # each (n,) or a number
        parameters: dict[str, ArrayLike] | None = None,
        time: float = 0.0,
    ) -> tuple[_Array, _Array]: ...  # (n, N + 1, nx), (n, N, ny)

@final
class EntryCheck:
    @property
    def row(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def claimed(self) -> float: ...
    @property
    def difference(self) -> float: ...
    @property
    def error(self) -> float: ...
    @property
    def verdict(self) -> Literal["agrees", "unresolved", "kink", "mistake"]: ...
    @property
    def text(self) -> str: ...

@final
class JacobianCheck:
    @property
    def differences(self) -> _Array: ...  # (m, n)
    @property
    def agrees(self) -> bool: ...
    @property
    def entries(self) -> list[EntryCheck]: ...
    @property
    def worst(self) -> EntryCheck | None: ...
    def __bool__(self) -> bool: ...

def check_jacobian(
    f: Callable[[_Array], ArrayLike],  # (n,) to (m,)
    x: ArrayLike,
    jacobian: ArrayLike | Callable[[_Array], ArrayLike],  # (m, n)
    *,
    relative: float = 1e-6,
    absolute: float = 1e-8,
    scales: ArrayLike | None = None,  # (n,)
) -> JacobianCheck: ...

# nd = 2 nv + na + ns displacements
_Kind: TypeAlias = Literal[
    "state",
    "input",
    "output",
    "position",
    "rotation",
    "velocity",
    "center_of_mass",
    "contact_force",
    "energy",
    "dissipation",
]
_Target: TypeAlias = ArrayLike | dict[str, float]
_GapClosing: TypeAlias = Literal["rollout", "line"]

@final
class ControlProblem:
    def __new__(
        cls,
        system: System,
        horizon: int,  # N
        x0: ArrayLike | None = None,  # (nx,)
        *,
        time: float = 0.0,
        parameters: Mapping[str, tuple[float, float]] | None = None,  # lower and upper limits by name
    ) -> ControlProblem: ...
    def running_cost(
        self,
        name: str,
        kind: _Kind,
        target: _Target | None = None,
        *,
        weights: ArrayLike,  # (entries,) or a number
        frame: str | None = None,
        point: ArrayLike | None = None,  # (3,)
        by: str | None = None,
    ) -> ControlProblem: ...
    def terminal_cost(
        self,
        name: str,
        kind: _Kind,
        target: _Target | None = None,
        *,
        weights: ArrayLike,  # (entries,) or a number
        frame: str | None = None,
        point: ArrayLike | None = None,  # (3,)
        by: str | None = None,
    ) -> ControlProblem: ...
    def running_limit(
        self,
        name: str,
        kind: _Kind,
        target: _Target | None = None,
        *,
        lower: ArrayLike | None = None,  # (entries,) or a number
        upper: ArrayLike | None = None,  # as lower
        frame: str | None = None,
        point: ArrayLike | None = None,  # (3,)
        by: str | None = None,
    ) -> ControlProblem: ...
    def terminal_limit(
        self,
        name: str,
        kind: _Kind,
        target: _Target | None = None,
        *,
        lower: ArrayLike | None = None,  # (entries,) or a number
        upper: ArrayLike | None = None,  # as lower
        frame: str | None = None,
        point: ArrayLike | None = None,  # (3,)
        by: str | None = None,
    ) -> ControlProblem: ...
    def input_limits(
        self,
        lower: ArrayLike | None = None,  # (nu,) or a number
        upper: ArrayLike | None = None,  # as lower
    ) -> ControlProblem: ...
    def free_start(
        self,
        lower: ArrayLike | None = None,  # (nd,) or a number
        upper: ArrayLike | None = None,  # as lower
    ) -> ControlProblem: ...
    @property
    def horizon(self) -> int: ...

@final
class ControlReport:
    @property
    def ending(
        self,
    ) -> Literal["converged", "iteration_limit", "time_limit", "stalled", "infeasible", "cancelled", "other"]: ...
    @property
    def converged(self) -> bool: ...
    @property
    def iterations(self) -> int: ...
    @property
    def cost(self) -> float: ...
    @property
    def violation(self) -> float: ...
    @property
    def gap(self) -> float: ...
    @property
    def seconds(self) -> float: ...

@final
class ControlSolution:
    @property
    def states(self) -> _Array: ...  # (N + 1, nx)
    @property
    def inputs(self) -> _Array: ...  # (N, nu)
    @property
    def gains(self) -> _Array: ...  # (N, nu, nd + np)
    @property
    def report(self) -> ControlReport: ...
    @property
    def cost(self) -> float: ...
    @property
    def converged(self) -> bool: ...
    @property
    def ending(self) -> str: ...
    @property
    def iterations(self) -> int: ...
    @property
    def cost_planned(self) -> float | None: ...
    @property
    def cost_replayed(self) -> float | None: ...
    @property
    def history(self) -> dict[str, _Array]: ...  # each (iterations,)
    @property
    def parameters(self) -> dict[str, float]: ...
    def policy(self, stage: int, x: ArrayLike) -> _Array: ...  # (nx,) to (nu,)
    def costs_over(
        self,
        parameters: Sequence[str],  # p of them
        covariance: ArrayLike,  # (p, p)
    ) -> _Array: ...  # (2 p,)
    def to_html(self) -> str: ...
    def save_page(self, path: _Path) -> None: ...
    def _repr_html_(self) -> str: ...

def solve_ocp(
    problem: ControlProblem,
    *,
    states: ArrayLike | None = None,  # (N + 1, nx)
    inputs: ArrayLike | None = None,  # (N, nu)
    distances: Sequence[float] = [],  # m
    half_widths: Sequence[ArrayLike] = [],  # (nd + nu,) each
    pairs: int = 8,
    where_short: bool = False,
    iterations: int = 100,
    tolerance: float = 1e-9,
    gap_tolerance: float = 1e-9,
    limit_tolerance: float = 1e-6,
    time_limit: float | None = None,  # s
    threads: int = 1,
    gap_closing: _GapClosing = "rollout",
    exact_hessians: bool = False,
    progress: Callable[[int, float, float], object] | None = None,
) -> ControlSolution: ...

@final
class ExpectedSolution:
    @property
    def inputs(self) -> _Array: ...  # (N, nu)
    @property
    def states(self) -> _Array: ...  # (2 p, N + 1, nx)
    @property
    def report(self) -> ControlReport: ...
    @property
    def cost(self) -> float: ...
    @property
    def converged(self) -> bool: ...

def solve_expected(
    problem: ControlProblem,
    parameters: Sequence[str],  # p of them
    covariance: ArrayLike,  # (p, p)
    *,
    inputs: ArrayLike | None = None,  # (N, nu)
    iterations: int = 100,
    tolerance: float = 1e-9,
    limit_tolerance: float = 1e-6,
    time_limit: float | None = None,  # s
    threads: int = 1,
    exact_hessians: bool = False,
    progress: Callable[[int, float, float], object] | None = None,
) -> ExpectedSolution: ...

@final
class Mpc:
    def __new__(
        cls,
        problem: ControlProblem,
        *,
        states: ArrayLike | None = None,  # (N + 1, nx)
        inputs: ArrayLike | None = None,  # (N, nu)
        iterations: int = 10,
        time_limit: float | None = None,  # s
        threads: int = 1,
        rollout: bool = False,
        gap_closing: _GapClosing = "rollout",
        gap_growth: float = ...,
    ) -> Mpc: ...
    def step(self, x: ArrayLike, *, time: float | None = None) -> _Array: ...  # (nx,) to (nu,)
    def act(self, x: ArrayLike, time: float) -> _Array: ...  # (nx,) to (nu,)
    @property
    def states(self) -> _Array: ...  # (N + 1, nx)
    @property
    def inputs(self) -> _Array: ...  # (N, nu)
    @property
    def report(self) -> ControlReport | None: ...

@final
class Regulator:
    @property
    def x(self) -> _Array: ...  # (nx,)
    @property
    def u(self) -> _Array: ...  # (nu,)
    @property
    def K(self) -> _Array: ...  # (nu, nd)
    @property
    def P(self) -> _Array: ...  # (nd, nd)
    def input(self, x: ArrayLike) -> _Array: ...  # (nx,) to (nu,)

@final
class FitResult:
    @property
    def estimates(self) -> dict[str, float]: ...
    @property
    def standard_errors(self) -> dict[str, float | None]: ...
    @property
    def correlated_standard_errors(self) -> dict[str, float | None]: ...
    @property
    def status(self) -> dict[str, str]: ...
    @property
    def data_shares(self) -> dict[str, float | None]: ...
    @property
    def units(self) -> dict[str, str]: ...
    @property
    def correlations(self) -> _Array: ...  # (unknowns, unknowns)
    @property
    def values(self) -> _Array: ...  # (unknowns,)
    @property
    def held_out(self) -> dict[str, float]: ...
    @property
    def scatter(self) -> dict[str, float | None]: ...
    @property
    def explains_data(self) -> bool: ...
    @property
    def warnings(self) -> list[str]: ...
    @property
    def cost(self) -> float: ...
    @property
    def converged(self) -> bool: ...
    @property
    def stop(self) -> str: ...
    def intervals(self, level: float = 0.95) -> dict[str, tuple[float, float] | None]: ...
    def identified(self) -> System: ...
    def to_json(self) -> str: ...
    def save(self, path: _Path) -> None: ...
    def to_html(self, title: str = "A machine and its recordings") -> str: ...
    def save_page(self, path: _Path, title: str = "A machine and its recordings") -> None: ...

def fit_motion(
    system: System,
    channels: list[dict[str, Any]],
    unknowns: list[dict[str, Any]],
    recordings: list[tuple[str, dict[str, _Array], ArrayLike | None, bool, bool]],
    state_deviations: list[float],
    loss: tuple[str, float],
    noise: str,
    first: int,
    threads: bool,
    progress: Callable[[int, int, float], object] | None = None,
) -> FitResult: ...
def fit_file(
    path: _Path, first: int = 20, threads: bool = True, progress: Callable[[int, int, float], object] | None = None
) -> FitResult: ...
