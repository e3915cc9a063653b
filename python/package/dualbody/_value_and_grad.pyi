from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._dualbody import System

def value_and_grad(
    system: System,
    loss: Callable[[NDArray[np.float64], NDArray[np.float64]], Any],  # (N + 1, nx), (N, ny)
    x0: ArrayLike | None,  # (nx,)
    u: ArrayLike | None = None,  # (N, nu) or (nu,)
    steps: int | None = None,
    *,
    wrt: str | Sequence[str],
    time: float = 0.0,
) -> tuple[float, dict[str, Any]]: ...
