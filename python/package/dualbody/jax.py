"""Steps and rollouts as functions of JAX.

``step(system)`` and ``rollout(system, steps)`` return functions of arrays that ``jit``, ``vmap`` and ``grad`` take: all copies
of a ``vmap`` go to one :class:`dualbody.Batch`. JAX has to compute with 64 bits::

    jax.config.update("jax_enable_x64", True)

A function has a rule for reverse mode (``mode="vjp"``, for ``jax.grad``) or one for forward mode (``mode="jvp"``, for
``jax.jvp`` and ``jax.jacfwd``). Second derivatives are exact, too, by forward mode over reverse mode:
``jax.jvp(jax.grad(loss), …)`` for the product of a Hessian with a direction, ``jax.hessian`` for all of it.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np

from ._batches import Batches

__all__ = ["rollout", "step"]


def _flat(array, axes):
    """Leading axes as one, and these."""
    array = np.asarray(array, dtype=np.float64)
    lead, rest = array.shape[: array.ndim - axes], array.shape[array.ndim - axes :]
    return np.ascontiguousarray(array.reshape((math.prod(lead), *rest))), lead


def _check_64_bits():
    if not jax.config.jax_enable_x64:
        raise TypeError('dualbody needs 64 bits: jax.config.update("jax_enable_x64", True)')


def _function(system, steps, names, threads, mode, of_step):
    if mode not in ("vjp", "jvp"):
        raise ValueError(f'mode: found {mode!r}, expected "vjp" or "jvp"')
    _check_64_bits()
    batches = Batches(system, threads)
    names = tuple(names)
    nx, nu, ny, np_ = system.nx, system.nu, system.ny, len(names)
    shapes = (
        jax.ShapeDtypeStruct((steps + 1, nx), jnp.float64),
        jax.ShapeDtypeStruct((steps, ny), jnp.float64),
    )

    def settings(p):
        return {name: np.ascontiguousarray(p[:, k]) for k, name in enumerate(names)}

    def host_forward(x, u, p):
        (x, lead), (u, _), (p, _) = _flat(x, 1), _flat(u, 2), _flat(p, 1)
        states, outputs = batches.of(len(x)).rollout(x, u, steps, parameters=settings(p))
        return states.reshape(*lead, steps + 1, nx), outputs.reshape(*lead, steps, ny)

    def host_vjp(x, u, p, dstates, doutputs):
        (x, lead), (u, _), (p, _) = _flat(x, 1), _flat(u, 2), _flat(p, 1)
        (dstates, _), (doutputs, _) = _flat(dstates, 2), _flat(doutputs, 2)
        dx, du, dp = batches.of(len(x)).rollout_vjp(
            x, u, steps, dstates=dstates, doutputs=doutputs, by=list(names), parameters=settings(p)
        )
        return dx.reshape(*lead, nx), du.reshape(*lead, steps, nu), dp.reshape(*lead, np_)

    def host_jvp(x, u, p, dx, du, dp):
        (x, lead), (u, _), (p, _) = _flat(x, 1), _flat(u, 2), _flat(p, 1)
        (dx, _), (du, _), (dp, _) = _flat(dx, 1), _flat(du, 2), _flat(dp, 1)
        states, outputs = batches.of(len(x)).rollout_jvp(
            x, u, steps, dx0=dx, du=du, dparameters=settings(dp), parameters=settings(p)
        )
        return states.reshape(*lead, steps + 1, nx), outputs.reshape(*lead, steps, ny)

    def host_hvp(x, u, p, dstates, doutputs, dx, du, dp):
        (x, lead), (u, _), (p, _) = _flat(x, 1), _flat(u, 2), _flat(p, 1)
        (dstates, _), (doutputs, _) = _flat(dstates, 2), _flat(doutputs, 2)
        (dx, _), (du, _), (dp, _) = _flat(dx, 1), _flat(du, 2), _flat(dp, 1)
        hx, hu, hp = batches.of(len(x)).rollout_hvp(
            x,
            u,
            steps,
            dstates=dstates,
            doutputs=doutputs,
            by=list(names),
            dx0=dx,
            du=du,
            dparameters=settings(dp),
            parameters=settings(p),
        )
        return hx.reshape(*lead, nx), hu.reshape(*lead, steps, nu), hp.reshape(*lead, np_)

    def call(host, shapes, *arguments):
        return jax.pure_callback(host, shapes, *arguments, vmap_method="broadcast_all")

    def forward(x, u, p):
        return call(host_forward, shapes, x, u, p)

    with_jvp = jax.custom_jvp(forward)

    @with_jvp.defjvp
    def _(arguments, tangents):
        return forward(*arguments), call(host_jvp, shapes, *arguments, *tangents)

    def like(arguments):
        return tuple(jax.ShapeDtypeStruct(a.shape, jnp.float64) for a in arguments)

    @jax.custom_jvp
    def gradient(*arguments):
        return call(host_vjp, like(arguments[:3]), *arguments)

    @gradient.defjvp
    def _(arguments, tangents):
        at = arguments[:3]
        of_arguments = call(host_hvp, like(at), *arguments, *tangents[:3])
        of_cotangents = call(host_vjp, like(at), *at, *tangents[3:])
        return gradient(*arguments), tuple(a + b for a, b in zip(of_arguments, of_cotangents))

    if mode == "vjp":
        function = jax.custom_vjp(with_jvp)

        def saved(x, u, p):
            return with_jvp(x, u, p), (x, u, p)

        function.defvjp(saved, lambda arguments, cotangents: gradient(*arguments, *cotangents))
    else:
        function = with_jvp

    parameters = system.parameters
    values = np.array([parameters[name] for name in names], dtype=np.float64)

    def with_defaults(x, u=None, p=None):
        x = jnp.asarray(x, dtype=jnp.float64)
        if u is None:
            u = jnp.zeros((steps, nu))
        u = jnp.asarray(u, dtype=jnp.float64)
        if of_step or u.ndim == 1:
            u = jnp.broadcast_to(u, (steps, nu))
        p = jnp.asarray(values if p is None else p, dtype=jnp.float64)
        if x.shape != (nx,) or u.shape != (steps, nu) or p.shape != (np_,):
            shapes = (x.shape, u.shape, p.shape)
            raise TypeError(f"found the shapes {shapes}, expected {((nx,), (steps, nu), (np_,))}; see jax.vmap")
        states, outputs = function(x, u, p)
        return states[1] if of_step else (states, outputs)

    return with_defaults


def step(system, *, parameters=(), threads=0, mode="vjp"):
    """A function ``(x, u=None, p=None) -> x`` of a step: ``x`` (nx,), ``u`` (nu,), ``p`` (np,) values of these parameters."""
    return _function(system, 1, parameters, threads, mode, True)


def rollout(system, steps, *, parameters=(), threads=0, mode="vjp"):
    """A function ``(x0, u=None, p=None) -> (states, outputs)`` of a rollout: ``x0`` (nx,), ``u`` (steps, nu) or (nu,), ``p`` (np,)
    values of these parameters; states (steps + 1, nx), outputs (steps, ny)."""
    return _function(system, steps, parameters, threads, mode, False)
