"""Jacobians of functions of Python."""

import dualbody as db
import numpy as np
import pytest


def polar(x):
    return np.array([np.hypot(*x), np.arctan2(x[1], x[0])])


def slopes(x):
    r = np.hypot(*x)
    return np.array([[x[0] / r, x[1] / r], [-x[1] / r**2, x[0] / r**2]])


def test_right_and_wrong():
    x = np.array([0.3, -0.4])
    right = db.check_jacobian(polar, x, slopes)
    assert right and right.agrees and len(right.entries) == 4
    assert np.allclose(right.differences, slopes(x), atol=1e-9)
    wrong = db.check_jacobian(polar, x, slopes(x) * [[1.0, 1.0], [-1.0, 1.0]])
    assert not wrong.agrees
    worst = wrong.worst
    assert (worst.row, worst.column, worst.verdict) == (1, 0, "mistake")
    assert np.isclose(worst.difference, slopes(x)[1, 0]) and "1" in repr(worst)


def test_kinks_and_numbers():
    check = db.check_jacobian(lambda x: abs(x[0]), [0.0], [1.0])
    assert check.entries[0].verdict == "kink" and not check.agrees
    assert db.check_jacobian(lambda x: x[0] ** 2, [3.0], [[6.0]])


def test_functions_that_fail():
    def failing(x):
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        db.check_jacobian(failing, [1.0], [[1.0]])
    with pytest.raises(db.InputError):
        db.check_jacobian(lambda x: "text", [1.0], [[1.0]])
    with pytest.raises(db.InputError):
        db.check_jacobian(polar, [1.0, 1.0], np.zeros((3, 2)))
    with pytest.raises(db.InputError):
        db.check_jacobian(polar, [[1.0, 1.0]], np.zeros((2, 2)))
    with pytest.raises(db.InputError):
        db.check_jacobian(lambda x: np.full(2, np.nan), [1.0, 1.0], np.zeros((2, 2)))
    with pytest.raises(TypeError):
        db.check_jacobian(3, [1.0], [[1.0]])
