"""Many at once."""

import threading

import dualbody as db
import numpy as np
import pytest

N, STEPS = 7, 10


@pytest.fixture(params=["pendulum", "quadruped", "actuated"])
def lanes(request, random):
    system = request.getfixturevalue(request.param)
    x = np.tile(system.initial_state(), (N, 1))
    x[:, system.nq : system.nq + system.nv] = 0.1 * random.normal(size=(N, system.nv))
    return system, x, 0.1 * random.normal(size=(N, STEPS, system.nu))


def test_batches_are_single_rollouts(lanes):
    system, x, u = lanes
    states, outputs = db.Batch(system, N, 2).rollout(x, u)
    assert states.shape == (N, STEPS + 1, system.nx) and outputs.shape == (N, STEPS, system.ny)
    for k in range(N):
        rollout = system.rollout(x[k], u[k])
        assert np.array_equal(rollout.states, states[k]) and np.array_equal(rollout.outputs, outputs[k])


def test_inputs_of_all_steps(lanes):
    system, x, u = lanes
    held, _ = db.Batch(system, N, 2).rollout(x, u[0, 0], steps=STEPS)
    each, _ = db.Batch(system, N, 2).rollout(x, np.tile(u[0, 0], (STEPS, 1)))
    assert np.array_equal(held, each)


def test_the_same_bits_for_any_number_of_threads(lanes, random):
    system, x, u = lanes
    name = next(name for name in system.parameters if name.endswith("mass"))
    masses = {name: system.parameters[name] * np.linspace(0.9, 1.1, N)}
    covectors = {"dstates": random.normal(size=(N, STEPS + 1, system.nx))}
    covectors["doutputs"] = random.normal(size=(N, STEPS, system.ny))
    found = []
    for threads in (1, 2, 3):
        batch = db.Batch(system, N, threads)
        assert (batch.n, batch.threads) == (N, threads)
        for _ in range(2):
            parts = [*batch.rollout(x, u), *batch.rollout(x, u, parameters=masses, seeds=list(range(N)))]
            parts += [*batch.step_jacobian(x, u[:, 0], by=[name]), batch.step(x, u[:, 0])]
            parts += [*batch.rollout_vjp(x, u, by=[name], **covectors)]
            parts += [*batch.rollout_jvp(x, u, dx0=x, dparameters={name: np.ones(N)})]
            found.append(parts)
    for parts in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], parts))


def test_parameters_of_each(lanes):
    system, x, u = lanes
    name = next(name for name in system.parameters if name.endswith("mass"))
    masses = system.parameters[name] * np.linspace(0.9, 1.1, N)
    states, _ = db.Batch(system, N, 2).rollout(x, u, parameters={name: masses})
    for k in (0, N - 1):
        other = system.with_parameters({name: masses[k]})
        assert np.array_equal(other.rollout(x[k], u[k]).states, states[k])
    # A number is for all.
    same, _ = db.Batch(system, N, 2).rollout(x, u, parameters={name: float(masses[0])})
    assert np.array_equal(same[-1], system.with_parameters({name: masses[0]}).rollout(x[-1], u[-1]).states)


def test_derivatives_of_each(lanes, random):
    system, x, u = lanes
    name = next(name for name in system.parameters if name.endswith("mass"))
    batch = db.Batch(system, N, 2)
    end, A, B, P = batch.step_jacobian(x, u[:, 0], by=[name])
    dstates = random.normal(size=(N, STEPS + 1, system.nx))
    gx, gu, gp = batch.rollout_vjp(x, u, dstates=dstates, by=[name])
    for k in (0, N - 1):
        single = system.step_jacobian(x[k], u[k, 0], parameters=[name])
        for a, b in ((end, single.x), (A, single.A), (B, single.B), (P, single.P)):
            assert np.array_equal(a[k], b)
        pulled = system.rollout_vjp(x[k], u[k], dstates=dstates[k], parameters=[name])
        assert all(np.array_equal(a[k], b) for a, b in zip((gx, gu, gp), pulled))


def test_arrays_for_all(lanes):
    system, x, u = lanes
    batch = db.Batch(system, N, 2)
    states, _ = batch.rollout(x[0], u[0])
    assert all(np.array_equal(states[0], other) for other in states)
    states, _ = batch.rollout(x, steps=3)
    assert states.shape == (N, 4, system.nx)


def test_batches_of_the_wrong_size(lanes):
    system, x, u = lanes
    batch = db.Batch(system, N, 2)
    for wrong in (x[:3], x[:, :-1], x[0, :2], np.zeros((0, system.nx)), x * np.nan):
        with pytest.raises(db.InputError):
            batch.rollout(wrong, u)
    with pytest.raises(db.InputError):
        batch.rollout(x, u[:, :, :-1])
    with pytest.raises(db.InputError):
        batch.rollout(x)
    with pytest.raises(db.InputError):
        batch.rollout(x, u, seeds=[1])
    with pytest.raises(db.InputError):
        db.Batch(system, 0)
    with pytest.raises(db.UnknownNameError):
        batch.rollout(x, u, parameters={"nothing": 1.0})


def test_python_threads_share_a_machine(lanes):
    system, x, u = lanes
    batch = db.Batch(system, N, 2)
    expected = batch.rollout(x, u)[0]
    name = next(name for name in system.parameters if name.endswith("mass"))
    mass, failures = system.parameters[name], []

    def work(k):
        try:
            for _ in range(20):
                assert np.array_equal(batch.rollout(x, u)[0], expected)
                assert np.array_equal(system.rollout(x[k], u[k]).states, expected[k])
                system.parameters[name] = mass
                system.mass_matrix(x[k, : system.nq])
        except Exception as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
