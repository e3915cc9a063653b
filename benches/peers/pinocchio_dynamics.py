# /// script
# requires-python = ">=3.10"
# dependencies = ["pin==4.1.0", "numpy"]
# ///
"""Compares the dynamics of this crate with those of Pinocchio, on the same robots in one run.

Runs `cargo bench -p dualbody-benches --bench dynamics`, measures Pinocchio's Python functions (compiled C++), and
prints a table. A call from Python costs time by itself: the same call for a model without joints
is measured and subtracted. What remains of `crba` still contains filling the second triangle of the
matrix and copying it, which the C++ function leaves to its caller.

    pip install pin==4.1.0 numpy
    python benches/peers/pinocchio_dynamics.py
"""

import os
import time

import criterion
import numpy as np
import pinocchio as pin
from criterion import REPOSITORY

ROBOTS = ["arm7", "quadruped", "humanoid"]
ALGORITHMS = ["rnea", "crba", "aba", "rnea_derivatives", "aba_derivatives"]


def call_time(call) -> float:
    """Shortest mean time over some calls in ns."""
    repetitions, calls = 1000, 50
    times = []
    for _ in range(repetitions):
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        times.append((time.perf_counter_ns() - start) / calls)
    return min(times)


def calls(model: pin.Model) -> dict:
    """The algorithms of a model, each from positions and velocities."""
    data = model.createData()
    wave = np.sin(1.7 * np.arange(model.nv) + 0.3)
    q = pin.integrate(model, pin.neutral(model), wave)
    v, u = wave + 0.1, wave - 0.2
    return {
        "rnea": lambda: pin.rnea(model, data, q, v, u),
        "crba": lambda: pin.crba(model, data, q),
        "aba": lambda: pin.aba(model, data, q, v, u),
        "rnea_derivatives": lambda: pin.computeRNEADerivatives(model, data, q, v, u),
        "aba_derivatives": lambda: pin.computeABADerivatives(model, data, q, v, u),
    }


def load(robot: str) -> pin.Model:
    path = str(REPOSITORY / "tests" / "data" / "models" / f"{robot}.urdf")
    if robot == "arm7":
        return pin.buildModelFromUrdf(path)
    return pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer())


def main() -> None:
    results = criterion.run("dynamics")
    overhead = {name: call_time(call) for name, call in calls(pin.Model()).items()}
    print(f"Pinocchio {pin.__version__}, {os.cpu_count()} processors; times in ns")
    print(f"{'':28}{'dualbody':>10}{'Python':>10}{'of a call':>10}{'Pinocchio':>10}{'ratio':>8}")
    for robot in ROBOTS:
        model_calls = calls(load(robot))
        for algorithm in ALGORITHMS:
            ours = criterion.smallest(results / robot / algorithm)
            python = call_time(model_calls[algorithm])
            net = python - overhead[algorithm]
            print(
                f"{robot + ' ' + algorithm:28}{ours:10.0f}{python:10.0f}"
                f"{overhead[algorithm]:10.0f}{net:10.0f}{ours / net:8.2f}"
            )


if __name__ == "__main__":
    main()
