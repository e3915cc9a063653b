"""Steps and rollouts as functions of PyTorch.

``step(system)`` and ``rollout(system, steps)`` return functions of tensors of ``float64`` on the CPU, with any leading axes: all
copies go to one :class:`dualbody.Batch`. Gradients are by the adjoint, and can be differentiated once more, exactly:
``torch.autograd.functional.vhp`` and ``hessian``.
"""

import math

import numpy as np
import torch

from ._batches import Batches

__all__ = ["rollout", "step"]


def _array(tensor):
    return np.ascontiguousarray(tensor.detach().cpu().numpy(), dtype=np.float64)


def _settings(p, names):
    p = _array(p)
    return {name: np.ascontiguousarray(p[:, k]) for k, name in enumerate(names)}


def _tensors(arrays):
    return tuple(torch.from_numpy(array) for array in arrays)


class _Rollout(torch.autograd.Function):
    """Of copies along the first axis."""

    @staticmethod
    def forward(ctx, x, u, p, batch, steps, names):
        ctx.save_for_backward(x, u, p)
        ctx.of = (batch, steps, names)
        return _tensors(batch.rollout(_array(x), _array(u), steps, parameters=_settings(p, names)))

    @staticmethod
    def backward(ctx, dstates, doutputs):
        return (*_Gradient.apply(*ctx.saved_tensors, dstates, doutputs, *ctx.of), None, None, None)


class _Gradient(torch.autograd.Function):
    """Of a weighted sum of states and outputs, by the arguments of a rollout."""

    @staticmethod
    def forward(ctx, x, u, p, dstates, doutputs, batch, steps, names):
        ctx.save_for_backward(x, u, p, dstates, doutputs)
        ctx.of = (batch, steps, names)
        found = batch.rollout_vjp(
            _array(x),
            _array(u),
            steps,
            dstates=_array(dstates),
            doutputs=_array(doutputs),
            by=list(names),
            parameters=_settings(p, names),
        )
        return _tensors(found)

    @staticmethod
    def backward(ctx, dx, du, dp):
        return (*_Change.apply(*ctx.saved_tensors, dx, du, dp, *ctx.of), None, None, None)


class _Change(torch.autograd.Function):
    """Of that gradient, and of states and outputs, in a direction of the arguments."""

    @staticmethod
    def forward(ctx, x, u, p, dstates, doutputs, dx, du, dp, batch, steps, names):
        at = (_array(x), _array(u), steps)
        along = {"dx0": _array(dx), "du": _array(du), "dparameters": _settings(dp, names)}
        along["parameters"] = _settings(p, names)
        weights = {"dstates": _array(dstates), "doutputs": _array(doutputs)}
        of_gradient = batch.rollout_hvp(*at, by=list(names), **weights, **along)
        return *_tensors(of_gradient), *_tensors(batch.rollout_jvp(*at, **along))

    @staticmethod
    def backward(ctx, *_):
        raise RuntimeError(
            "derivatives are of second order at most; torch.autograd.functional.vhp takes two, hvp three"
        )


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
