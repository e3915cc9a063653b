"""The gradient of a loss of a rollout, in one call."""

import numpy as np

from ._errors import InputError

# Along a derivative: the cube root of round-off.
_STEP = 6e-6


def value_and_grad(system, loss, x0, u=None, steps=None, *, wrt, time=0.0):
    """The value of a loss of a rollout, and its gradient.

    ``loss(states, outputs)`` of arrays (N + 1, nx) and (N, ny) is a number, or ``(number, dstates, doutputs)`` with its own
    derivatives (None for zeros). ``wrt`` lists names of parameters, ``"x0"`` and ``"u"``; the gradient is a dict with numbers for
    parameters and arrays for these.

    With its own derivatives a loss goes through the adjoint, whose cost does not grow with the number of unknowns. Without,
    the rollout is differentiated exactly in the direction of each unknown, and the loss alone by a central difference along
    it, which takes two evaluations of the loss; ``"x0"`` and ``"u"`` need derivatives of the loss.
    """
    names = [wrt] if isinstance(wrt, str) else list(wrt)
    parameters = [name for name in names if name not in ("x0", "u")]
    x0 = system.initial_state() if x0 is None else x0
    rollout = system.rollout(x0, u, steps, time=time)
    steps = len(rollout)
    states, outputs = np.asarray(rollout.states), np.asarray(rollout.outputs)
    found = loss(states, outputs)
    if isinstance(found, tuple):
        value, dstates, doutputs = found
        pulled = system.rollout_vjp(x0, u, steps, dstates=dstates, doutputs=doutputs, parameters=parameters, time=time)
        dx0, du, dparameters = pulled
        gradient = dict(zip(parameters, dparameters.tolist()))
        if "x0" in names:
            gradient["x0"] = dx0
        if "u" in names:
            # One array of inputs for all steps.
            shared = u is not None and np.ndim(u) == 1
            gradient["u"] = du.sum(axis=0) if shared else du
        return float(value), {name: gradient[name] for name in names}
    if len(parameters) < len(names):
        raise InputError('wrt: "x0" and "u" need a loss with derivatives: (value, dstates, doutputs)')
    of_states, of_outputs = system.rollout_jacobian(x0, u, steps, parameters=parameters, time=time)
    gradient = {}
    for name, dx, dy in zip(parameters, of_states, of_outputs):
        size = max(np.abs(dx).max(initial=0.0), np.abs(dy).max(initial=0.0))
        if size == 0.0:
            gradient[name] = 0.0
            continue
        h = _STEP * max(np.abs(states).max(initial=0.0), 1.0) / size
        above = float(loss(states + h * dx, outputs + h * dy))
        below = float(loss(states - h * dx, outputs - h * dy))
        gradient[name] = (above - below) / (2.0 * h)
    return float(found), gradient
