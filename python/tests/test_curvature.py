"""Second derivatives of rollouts against differences of exact first ones."""

import dualbody as db
import numpy as np
import pytest

STEPS = 6


def gradient(system, names, values, x, u, weights):
    changed = system.with_parameters(dict(zip(names, values)))
    found = changed.rollout_vjp(x, u, dstates=weights[0], doutputs=weights[1], parameters=names)
    return np.concatenate([part.ravel() for part in found])


@pytest.fixture(params=["pendulum", "actuated", "sliding", "quadruped"])
def case(request, random):
    """A system, names and values of parameters, a state, inputs, weights of states and outputs."""
    system = request.getfixturevalue(request.param)
    if request.param == "sliding":
        system, x = system
    else:
        x = system.initial_state()
        x[system.nq : system.nq + system.nv] += 0.1 * random.normal(size=system.nv)
    endings = ("mass", "damping", "friction", "time_step")
    names = [name for name in system.parameters if name.endswith(endings)][-3:]
    values = np.array([system.parameters[name] for name in names])
    u = 0.1 * random.normal(size=(STEPS, system.nu))
    weights = random.normal(size=(STEPS + 1, system.nx)), random.normal(size=(STEPS, system.ny))
    return system, names, values, x, u, weights


def test_products_with_a_hessian(case, random):
    system, names, values, x, u, weights = case
    dx = np.zeros(system.nx)
    # Quaternions stay of unit length.
    free = slice(4, None) if system.nq > system.nv else slice(None)
    dx[free] = random.normal(size=system.nx)[free]
    du, dp = random.normal(size=u.shape), 0.1 * random.normal(size=len(names)) * values
    found = system.rollout_hvp(
        x,
        u,
        dstates=weights[0],
        doutputs=weights[1],
        parameters=names,
        dx0=dx,
        du=du,
        dparameters=dict(zip(names, dp)),
    )
    h = 1e-6
    above = gradient(system, names, values + h * dp, x + h * dx, u + h * du, weights)
    below = gradient(system, names, values - h * dp, x - h * dx, u - h * du, weights)
    expected = (above - below) / (2 * h)
    found = np.concatenate([part.ravel() for part in found])
    assert np.abs(expected).max() > 1e-6
    assert np.allclose(found, expected, rtol=1e-4, atol=1e-6 * np.abs(expected).max())


def test_hessians_are_symmetric(pendulum, random):
    x, weights = 0.3 * random.normal(size=4), random.normal(size=(STEPS + 1, 4))
    columns = [pendulum.rollout_hvp(x, steps=STEPS, dstates=weights, dx0=direction)[0] for direction in np.eye(4)]
    assert np.allclose(columns, np.transpose(columns), rtol=1e-10, atol=1e-12)
    assert np.abs(columns).max() > 1e-6


def test_batches(pendulum, random):
    names = ["lower/mass", "elbow/damping"]
    x, u = 0.3 * random.normal(size=(3, 4)), random.normal(size=(3, STEPS, 2))
    weights, dx = random.normal(size=(STEPS + 1, 4)), random.normal(size=(3, 4))
    parameters = {"lower/mass": np.array([1.0, 1.2, 1.4])}
    found = [
        db.Batch(pendulum, 3, threads).rollout_hvp(
            x, u, dstates=weights, by=names, dx0=dx, dparameters={"elbow/damping": 1.0}, parameters=parameters
        )
        for threads in (1, 2)
    ]
    assert all(np.array_equal(a, b) for a, b in zip(*found))
    one = pendulum.with_parameters({"lower/mass": 1.2}).rollout_hvp(
        x[1], u[1], dstates=weights, parameters=names, dx0=dx[1], dparameters={"elbow/damping": 1.0}
    )
    assert all(np.array_equal(many[1], single) for many, single in zip(found[0], one))


def test_what_has_none(pendulum):
    pushed = pendulum.with_force("push", lambda q, v, t: -q, lambda q, v, t: (-np.eye(2), np.zeros((2, 2))))
    with pytest.raises(db.SimulationError, match="second order"):
        pushed.rollout_hvp(np.zeros(4), steps=2, dx0=np.ones(4))
    for wrong in (np.ones(3), np.full(4, np.nan), "text"):
        with pytest.raises((db.DualbodyError, TypeError)):
            pendulum.rollout_hvp(np.zeros(4), steps=2, dx0=wrong)
    with pytest.raises(db.DualbodyError):
        pendulum.rollout_hvp(np.zeros(4), steps=2, dparameters={"lower/mass": np.nan})
