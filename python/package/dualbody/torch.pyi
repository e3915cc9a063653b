from collections.abc import Callable, Sequence

import torch

from ._dualbody import System

def step(
    system: System, *, parameters: Sequence[str] = (), threads: int = 0
) -> Callable[..., torch.Tensor]: ...  # x (…, nx), u (…, nu), p (…, np) to (…, nx)
def rollout(
    system: System, steps: int, *, parameters: Sequence[str] = (), threads: int = 0
) -> Callable[..., tuple[torch.Tensor, torch.Tensor]]: ...  # to (…, N + 1, nx), (…, N, ny)
