from collections.abc import Callable, Sequence
from typing import Literal

import jax

from ._dualbody import System

def step(
    system: System, *, parameters: Sequence[str] = (), threads: int = 0, mode: Literal["vjp", "jvp"] = "vjp"
) -> Callable[..., jax.Array]: ...  # x (nx,), u (nu,), p (np,) to (nx,)
def rollout(
    system: System,
    steps: int,
    *,
    parameters: Sequence[str] = (),
    threads: int = 0,
    mode: Literal["vjp", "jvp"] = "vjp",
) -> Callable[..., tuple[jax.Array, jax.Array]]: ...  # x0 (nx,), u (N, nu), p (np,) to (N + 1, nx), (N, ny)
