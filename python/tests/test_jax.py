"""Functions of JAX."""

import dualbody as db
import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.test_util  # noqa: E402

jax.config.update("jax_enable_x64", True)
jnp = jax.numpy

STEPS = 8


@pytest.fixture(params=["pendulum", "actuated"])
def rolled(request, random):
    system = request.getfixturevalue(request.param)
    names = [name for name in system.parameters if name.endswith(("mass", "damping"))][:2]
    x = system.initial_state()
    x[system.nq : system.nq + system.nv] = 0.1 * random.normal(size=system.nv)
    u = 0.1 * random.normal(size=(STEPS, system.nu))
    p = np.array([system.parameters[name] for name in names])
    return system, names, (jnp.array(x), jnp.array(u), jnp.array(p))


def test_values(rolled):
    from dualbody.jax import rollout, step

    system, names, (x, u, p) = rolled
    states, outputs = jax.jit(rollout(system, STEPS, parameters=names))(x, u, p)
    expected = system.rollout(x, u)
    assert np.array_equal(states, expected.states) and np.array_equal(outputs, expected.outputs)
    assert np.array_equal(step(system)(x, u[0]), expected.states[1])
    assert np.array_equal(step(system)(x), system.step(x))


def test_gradients(rolled, random):
    from dualbody.jax import rollout

    system, names, (x, u, p) = rolled
    weights = random.normal(size=(STEPS + 1, system.nx)), random.normal(size=(STEPS, system.ny))
    reverse = rollout(system, STEPS, parameters=names)
    forward = rollout(system, STEPS, parameters=names, mode="jvp")

    def loss(function):
        def value(x, u, p):
            return sum(jnp.sum(w * y**2) for w, y in zip(weights, function(x, u, p)))

        return value

    gradient = jax.jit(jax.grad(loss(reverse), argnums=(0, 1, 2)))(x, u, p)
    slopes = jax.jacfwd(loss(forward), argnums=(0, 1, 2))(x, u, p)
    for a, b in zip(gradient, slopes):
        assert np.allclose(a, b, rtol=1e-8, atol=1e-8)
    if system.nx == system.nq + system.nv and system.nq == system.nv:
        jax.test_util.check_grads(loss(reverse), (x, u, p), order=1, modes=["rev"], rtol=1e-4)


def test_vmap_is_one_batch(rolled):
    from dualbody.jax import rollout

    system, names, (x, u, p) = rolled
    function = rollout(system, STEPS, parameters=names)
    scales = jnp.linspace(0.9, 1.1, 5)
    states, _ = jax.vmap(lambda s: function(x, u * s, p * s))(scales)
    assert np.array_equal(states[3], function(x, u * scales[3], p * scales[3])[0])
    loss = lambda s: function(x, u * s, p * s)[0][-1].sum()
    gradients = jax.vmap(jax.grad(loss))(scales)
    assert np.allclose(gradients, [jax.grad(loss)(s) for s in scales])


def test_what_does_not_fit(rolled):
    from dualbody.jax import rollout

    system, _, (x, u, p) = rolled
    function = rollout(system, STEPS)
    with pytest.raises(TypeError):
        function(x[:-1], u)
    with pytest.raises(TypeError):
        function(x, u[:-1])
    with pytest.raises(ValueError):
        rollout(system, STEPS, mode="none")
    with pytest.raises(db.UnknownNameError):
        rollout(system, STEPS, parameters=["nothing"])


def test_second_derivatives(rolled, random):
    from dualbody.jax import rollout, step

    system, names, arguments = rolled
    weights = random.normal(size=(STEPS + 1, system.nx)), random.normal(size=(STEPS, system.ny))
    function = rollout(system, STEPS, parameters=names)

    def loss(x, u, p):
        return sum(jnp.sum(w * y**2) for w, y in zip(weights, function(x, u, p)))

    gradient = jax.grad(loss, argnums=(0, 1, 2))
    direction = tuple(jnp.array(random.normal(size=argument.shape)) for argument in arguments)
    values, products = jax.jit(lambda at, along: jax.jvp(gradient, at, along))(arguments, direction)
    h = 1e-5
    above, below = (gradient(*(a + s * h * d for a, d in zip(arguments, direction))) for s in (1, -1))
    for value, product, plus, minus, expected in zip(values, products, above, below, gradient(*arguments)):
        assert np.array_equal(value, expected)
        difference = (plus - minus) / (2 * h)
        assert np.allclose(product, difference, rtol=1e-5, atol=1e-6 * np.abs(difference).max())

    one = step(system)
    hessian = jax.hessian(lambda x: jnp.sum(weights[0][0] * one(x) ** 2))(arguments[0])
    assert np.allclose(hessian, hessian.T, rtol=1e-9, atol=1e-9) and np.isfinite(hessian).all()
