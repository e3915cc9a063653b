"""Steps, rollouts and their derivatives."""

import dualbody as db
import numpy as np
import pytest

MACHINES = ["pendulum", "arm", "quadruped", "actuated"]


def moving(system, random):
    """A state that moves a little, and inputs for some steps."""
    x = system.initial_state()
    x[system.nq : system.nq + system.nv] = 0.1 * random.normal(size=system.nv)
    return x, 0.1 * random.normal(size=(20, system.nu))


@pytest.mark.parametrize("name", MACHINES)
def test_rollouts_are_steps(name, request, random):
    system = request.getfixturevalue(name)
    x, u = moving(system, random)
    rollout = system.rollout(x, u)
    assert rollout.states.shape == (21, system.nx) and rollout.outputs.shape == (20, system.ny)
    for k in range(20):
        time = rollout.times[k]
        assert np.array_equal(system.output(rollout.states[k], u[k], time=time), rollout.outputs[k])
        assert np.array_equal(system.step(rollout.states[k], u[k], time=time), rollout.states[k + 1])
    assert np.array_equal(rollout.inputs, u) and len(rollout) == 20
    assert np.array_equal(rollout.q, rollout.states[:, : system.nq])
    assert np.array_equal(rollout.v, rollout.states[:, system.nq : system.nq + system.nv])
    assert np.array_equal(rollout.last, rollout.states[-1])
    again = system.rollout(x, u[0], 3)
    assert np.array_equal(again.states, system.rollout(x, np.tile(u[0], (3, 1))).states)
    assert np.array_equal(system.rollout(x, steps=2).states, system.rollout(x, np.zeros((2, system.nu))).states)


def test_rollouts_know_energies_and_contacts(sliding):
    system, x = sliding
    rollout = system.rollout(x, steps=100)
    energies = rollout.energies
    total = energies["kinetic"] + energies["gravitational"] + energies["stored"]
    assert all(energy.shape == (101,) for energy in energies.values())
    assert np.isclose(energies["kinetic"][0], 0.5) and total[-1] < total[0]
    contacts = rollout.contacts(50)
    assert contacts["forces"].shape == contacts["positions"].shape == (4, 3)
    assert contacts["penetrations"].shape == (4,) and set(contacts["pairs"][0]) == {"box", "floor"}
    sign = 1 if contacts["pairs"][0][0] == "box" else -1
    assert np.isclose(sign * contacts["forces"][:, 2].sum(), 9.81, rtol=0.05)
    assert rollout.nearest_kinks and all(distance >= 0 for _, distance, _ in rollout.nearest_kinks)
    with pytest.raises(db.InputError):
        rollout.contacts(100)


def test_rollouts_are_pages(sliding, tmp_path):
    system, x = sliding
    rollout = system.rollout(x, steps=10)
    assert rollout._repr_html_().startswith("<iframe")
    rollout.save_page(tmp_path / "slide.html")
    rollout.save_glb(tmp_path / "slide.glb")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["slide.glb", "slide.html"]
    with pytest.raises(db.FileError):
        rollout.save_page(tmp_path / "nowhere" / "slide.html")


@pytest.mark.parametrize("name", ["pendulum", "arm", "actuated"])
def test_step_jacobians_are_differences(name, request, random):
    system = request.getfixturevalue(name)
    x, u = moving(system, random)
    u = u[0]
    names = [name for name in system.parameters if name.endswith(("mass", "damping"))][:4]
    found = system.step_jacobian(x, u, parameters=names)
    assert np.array_equal(found.x, system.step(x, u))
    assert np.array_equal(found.y, system.output(x, u))
    if name == "actuated":
        # Quaternions have no derivatives along themselves.
        return
    checks = [
        (lambda x: system.step(x, u), x, found.A),
        (lambda u: system.step(x, u), u, found.B),
        (lambda x: system.output(x, u), x, found.C),
    ]
    for f, at, claimed in checks:
        if claimed.size:
            check = db.check_jacobian(f, at, claimed, relative=1e-5, absolute=1e-7, scales=np.full(len(at), 0.1))
            assert check.agrees, check
    for k, name in enumerate(names):
        value = system.parameters[name]
        h = 1e-6 * max(value, 1.0)
        above = system.with_parameters({name: value + h}).step(x, u)
        slope = (above - found.x) / h
        assert np.allclose(found.P[:, k], slope, rtol=1e-4, atol=1e-6)


def test_sparse_jacobians(quadruped, random):
    scipy = pytest.importorskip("scipy.sparse")
    x, u = moving(quadruped, random)
    dense = quadruped.step_jacobian(x, u[0], parameters=["gravity/z"])
    sparse = quadruped.step_jacobian(x, u[0], parameters=["gravity/z"], sparse=True)
    for name in "ABP":
        assert scipy.issparse(getattr(sparse, name))
        assert np.allclose(getattr(sparse, name).toarray(), getattr(dense, name))


@pytest.mark.parametrize("name", MACHINES)
def test_linear_models(name, request, random):
    system = request.getfixturevalue(name)
    x, u = moving(system, random)
    u = u[0]
    model = system.linearize(x, u)
    size = 2 * system.nv + system.na + system.ns
    assert model.A.shape == (size, size) and model.B.shape == (size, system.nu)
    assert model.C.shape == (system.ny, size) and model.D.shape == (system.ny, system.nu)
    assert len(model.states) == size and model.inputs == system.input_names
    assert np.array_equal(model.base, system.step(x, u))
    for k in range(system.nu):
        e = np.zeros(system.nu)
        e[k] = 1e-5
        slope = system.displacement(system.step(x, u - e), system.step(x, u + e)) / 2e-5
        assert np.allclose(model.B[:, k], slope, rtol=1e-4, atol=1e-6)
    if name == "pendulum":
        rates = system.linearize(x, u, continuous=True)
        euler = np.eye(size) + system.time_step * rates.A
        assert np.allclose(model.A, euler, atol=1e-2)


def test_equilibria(pendulum):
    x = pendulum.state(q=[0.3, -0.2])
    rest = pendulum.equilibrium(x)
    assert np.allclose(rest, 0.0, atol=1e-9)
    assert np.allclose(pendulum.step(rest), rest, atol=1e-10)


@pytest.mark.parametrize("name", MACHINES)
def test_forward_and_reverse_agree(name, request, random):
    system = request.getfixturevalue(name)
    x, u = moving(system, random)
    names = [name for name in system.parameters if name.endswith(("mass", "damping"))][:3] + ["time_step"]
    dx, du, dp = random.normal(size=system.nx), random.normal(size=u.shape), random.normal(size=len(names))
    of_states, of_outputs = system.rollout_jvp(x, u, dx0=dx, du=du, dparameters=dict(zip(names, dp)))
    states, outputs = random.normal(size=of_states.shape), random.normal(size=of_outputs.shape)
    gx, gu, gp = system.rollout_vjp(x, u, dstates=states, doutputs=outputs, parameters=names)
    forward = np.sum(of_states * states) + np.sum(of_outputs * outputs)
    reverse = gx @ dx + np.sum(gu * du) + gp @ dp
    assert np.isclose(forward, reverse, rtol=1e-9)
    by_parameters = system.rollout_jacobian(x, u, parameters=names)
    only, _ = system.rollout_jvp(x, u, dparameters={names[1]: 1.0})
    assert np.allclose(by_parameters[0][1], only, rtol=1e-12, atol=1e-14)


def test_a_derivative_says_how_far_it_holds(sliding):
    system, x = sliding
    name = "box|floor/friction"
    along = {name: 1.0}
    radius, nearest = system.rollout_radius(x, steps=400, dparameters=along)
    assert 0 < radius < 0.3 and "box|floor" in nearest
    # The way that the box slides is smooth within the radius, not where it does not come to rest.
    way = lambda friction: system.with_parameters({name: friction}).rollout(x, steps=400).last[4]
    slope = system.rollout_jvp(x, steps=400, dparameters=along)[0][-1, 4]
    h = 1e-2 * radius
    assert np.isclose((way(0.3 + h) - way(0.3 - h)) / (2 * h), slope, rtol=1e-4)
    twice, _ = system.rollout_radius(x, steps=400, dparameters={name: 2.0})
    assert np.isclose(2 * twice, radius, rtol=1e-9)
    assert system.rollout_radius(x, steps=400) == (np.inf, None)
    with pytest.raises(db.InputError, match="dx0"):
        system.rollout_radius(x, steps=400, dx0=np.zeros(3))


def test_gradients_of_losses(sliding):
    system, x = sliding
    name = "box|floor/friction"

    def way(states, outputs):
        return states[-1, 4]

    def way_and_slope(states, outputs):
        slope = np.zeros_like(states)
        slope[-1, 4] = 1.0
        return way(states, outputs), slope, None

    value, gradient = db.value_and_grad(system, way, x, steps=400, wrt=[name])
    again, adjoint = db.value_and_grad(system, way_and_slope, x, steps=400, wrt=[name, "x0"])
    assert value == again and np.isclose(gradient[name], adjoint[name], rtol=1e-8)
    h = 1e-6
    shifted = [system.with_parameters({name: 0.3 + dh}).rollout(x, steps=400).last[4] for dh in (h, -h)]
    assert np.isclose(gradient[name], (shifted[0] - shifted[1]) / (2 * h), rtol=1e-5)
    assert adjoint["x0"].shape == (system.nx,) and adjoint["x0"][system.nq + 3] > 0.1
    with pytest.raises(db.InputError):
        db.value_and_grad(system, way, x, steps=4, wrt=["x0"])


def test_noise_comes_from_a_seed(actuated):
    x = actuated.initial_state()
    a, b = (actuated.rollout(x, steps=5, seed=seed) for seed in (1, 1))
    assert np.array_equal(a.outputs, b.outputs)


def test_steps_that_fail_say_where(pendulum):
    with pytest.raises(db.DualbodyError):
        pendulum.rollout(pendulum.initial_state(), np.full((50, pendulum.nu), 1e200))
