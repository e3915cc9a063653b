"""Steps and rollouts as functions of PyTorch.

``step(system)`` and ``rollout(system, steps)`` return functions of tensors of ``float64`` on the CPU, with any leading axes: all
copies go to one :class:`dualbody.Batch`. Gradients are of first order, by the adjoint.
"""

import math

import numpy as np
import torch

from ._batches import Batches

__all__ = ["rollout", "step"]


def _array(tensor):
    return np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype=np.float64)


class _Rollout(torch.autograd.Function):
    """Of copies along the first axis."""

    @staticmethod
    def forward(ctx, x, u, p, batch, steps, names):
        ctx.save_for_backward(x, u, p)
        ctx.of = (batch, steps, names)
        p = _array(p)
        settings = {name: np.ascontiguousarray(p[:, k]) for k, name in enumerate(names)}
        states, outputs = batch.rollout(_array(x), _array(u), steps, parameters=settings)
        return torch.from_numpy(states), torch.from_numpy(outputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dstates, doutputs):
        (batch, steps, names), (x, u, p) = ctx.of, ctx.saved_tensors
        p = _array(p)
        settings = {name: np.ascontiguousarray(p[:, k]) for k, name in enumerate(names)}
        found = batch.rollout_vjp(
            _array(x),
            _array(u),
            steps,
            dstates=_array(dstates),
            doutputs=_array(doutputs),
            by=list(names),
            parameters=settings,
        )
        return (*(torch.from_numpy(array) for array in found), None, None, None)


def _function(system, steps, names, threads, of_step):
    batches = Batches(system, threads)
    names = tuple(names)
    nx, nu, ny, np_ = system.nx, system.nu, system.ny, len(names)
    values = torch.tensor([system.parameters[name] for name in names], dtype=torch.float64)

    def function(x, u=None, p=None):
        lead = x.shape[:-1]
        n = math.prod(lead)
        u = torch.zeros(nu, dtype=torch.float64) if u is None else u
        p = values if p is None else p
        if of_step or u.ndim == 1:
            u = u.unsqueeze(-2)
        for name, tensor in (("x", x), ("u", u), ("p", p)):
            if tensor.dtype != torch.float64:
                raise TypeError(f"{name}: found {tensor.dtype}, expected torch.float64")
        x = x.reshape(n, nx)
        u = u.expand(*lead, steps, nu).reshape(n, steps, nu)
        p = p.expand(*lead, np_).reshape(n, np_)
        states, outputs = _Rollout.apply(x, u, p, batches.of(n), steps, names)
        states = states.reshape(*lead, steps + 1, nx)
        outputs = outputs.reshape(*lead, steps, ny)
        return states[..., 1, :] if of_step else (states, outputs)

    return function


def step(system, *, parameters=(), threads=0):
    """A function ``(x, u=None, p=None) -> x`` of a step: ``x`` (…, nx), ``u`` (…, nu), ``p`` (…, np) values of these parameters."""
    return _function(system, 1, parameters, threads, True)


def rollout(system, steps, *, parameters=(), threads=0):
    """A function ``(x0, u=None, p=None) -> (states, outputs)`` of a rollout: ``x0`` (…, nx), ``u`` (…, steps, nu) or (nu,), ``p`` (…,
    np) values of these parameters; states (…, steps + 1, nx), outputs (…, steps, ny)."""
    return _function(system, steps, parameters, threads, False)
