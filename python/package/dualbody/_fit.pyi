from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal

from numpy.typing import ArrayLike

from ._dualbody import FitResult, System

class Fit:
    def __init__(self, system: System) -> None: ...
    def measure(
        self,
        name: str,
        kind: Literal["joint_position", "joint_velocity", "point", "output"],
        target: str | None = None,
        *,
        deviation: ArrayLike,
        estimate_deviation: bool = False,
        position: Sequence[float] | None = None,  # (3,)
    ) -> Fit: ...
    def estimate(
        self,
        name: str,
        kind: Literal["parameter", "delay", "bias", "gain", "mounting"] = "parameter",
        *,
        initial: float | None = None,
        lower: float | None = None,
        upper: float | None = None,
        scale: float | None = None,
        logarithmic: bool = False,
        prior: Sequence[float] | None = None,  # (2,)
        channel: str | None = None,
        entry: int = 0,
    ) -> Fit: ...
    def add(
        self,
        name: str,
        signals: Mapping[str, ArrayLike] | Sequence[Mapping[str, ArrayLike]] | Any,  # each (samples,)
        *,
        start: ArrayLike | None = None,  # (nx,)
        start_is_known: bool = False,
        held_out: bool = False,
    ) -> Fit: ...
    def run(
        self,
        *,
        first: int = 20,
        deviations: Sequence[float] = (0.02, 0.5, 1.0, 1.0),
        loss: Literal["least_squares"] | tuple[Literal["huber", "soft_l1", "cauchy"], float] = ("huber", 3.0),
        noise: Literal["unit", "estimated", "independent"] = "unit",
        threads: bool = True,
        progress: Callable[[int, int, float], object] | None = None,
    ) -> FitResult: ...

def fit_file(
    path: str | PathLike[str],
    *,
    first: int = 20,
    threads: bool = True,
    progress: Callable[[int, int, float], object] | None = None,
) -> FitResult: ...
