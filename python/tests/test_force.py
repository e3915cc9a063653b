"""Forces that are functions of Python."""

import dualbody as db
import numpy as np
import pytest

K, D = 3.0, 0.2


def spring(q, v, time):
    return -K * q - D * v


def slopes(q, v, time):
    return -K * np.eye(2), -D * np.eye(2)


def test_a_spring_is_a_spring(pendulum):
    sprung = pendulum.with_force("spring", spring, slopes)
    with pytest.warns(UserWarning, match="differences"):
        by_differences = pendulum.with_force("spring", spring)
    x = pendulum.state(q=[0.4, -0.3], v=[0.1, 0.2])
    end = sprung.rollout(x, steps=100).last
    assert not np.allclose(end, pendulum.rollout(x, steps=100).last)
    assert np.allclose(end, by_differences.rollout(x, steps=100).last, atol=1e-8)
    A = sprung.linearize(x).A
    assert np.allclose(A, by_differences.linearize(x).A, atol=1e-7)
    nv = pendulum.nv
    for k in range(2 * nv):
        e = np.zeros(2 * nv)
        e[k] = 1e-6
        slope = (sprung.step(x + e) - sprung.step(x - e)) / 2e-6
        assert np.allclose(A[:, k], slope, atol=1e-7)
    states, _ = db.Batch(sprung, 3, 2).rollout(x, steps=100)
    assert np.array_equal(states[1, -1], end)


def test_forces_that_fail(pendulum):
    x = pendulum.initial_state()

    def failing(q, v, time):
        raise RuntimeError("out of order")

    for force, text in (
        (failing, "out of order"),
        (lambda q, v, time: np.zeros(3), "shape"),
        (lambda q, v, time: "text", "numbers"),
        (lambda q, v, time: np.full(2, np.nan), "NaN"),
        (3, "callable"),
    ):
        with pytest.raises(db.DualbodyError, match=text):
            pendulum.with_force("broken", force, slopes).step(x)
    wrong = pendulum.with_force("spring", spring, lambda q, v, time: (np.eye(3), np.eye(2)))
    with pytest.raises(db.DualbodyError, match="shape"):
        wrong.linearize(x)


def test_they_are_no_files(pendulum):
    import pickle

    sprung = pendulum.with_force("spring", spring, slopes)
    with pytest.raises(db.FileError):
        sprung.to_json()
    with pytest.raises(db.FileError):
        pickle.dumps(sprung)
    assert np.array_equal(sprung.copy().step([0.1, 0.2, 0, 0]), sprung.step([0.1, 0.2, 0, 0]))
