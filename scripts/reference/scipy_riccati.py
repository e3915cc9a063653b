#!/usr/bin/env python3
"""Writes Riccati solutions of scipy as JSON: python3 scipy_riccati.py > control/tests/data/riccati.json

Problems are random with a fixed seed, and two of them known: a double integrator, and the inverted pendulum on a cart.
Each has the matrices A, B, Q, R, S by rows, and the solution X of the discrete and of the continuous equation.
"""

import json
import sys

import numpy as np
import scipy
from scipy.linalg import solve_continuous_are, solve_discrete_are


def problem(name, a, b, q, r, s):
    """The matrices and both solutions."""
    return {
        "name": name,
        "a": a.tolist(),
        "b": b.tolist(),
        "q": q.tolist(),
        "r": r.tolist(),
        "s": s.tolist(),
        "discrete": solve_discrete_are(a, b, q, r, s=s).tolist(),
        "continuous": solve_continuous_are(a, b, q, r, s=s).tolist(),
    }


def random_problem(rng, n, m, crossed):
    """A problem whose weight [Q S; Sᵀ R] is positive definite."""
    a = rng.normal(size=(n, n)) / np.sqrt(n) * rng.uniform(0.3, 1.5)
    b = rng.normal(size=(n, m))
    root = rng.normal(size=(n + m, n + m))
    weight = root @ root.T + 0.1 * np.eye(n + m)
    s = weight[:n, n:] if crossed else np.zeros((n, m))
    return problem(f"random {n} {m}", a, b, weight[:n, :n], weight[n:, n:], s)


def main():
    rng = np.random.default_rng(20261128)
    sizes = [(1, 1), (2, 1), (4, 2), (6, 2), (10, 3), (20, 5)]
    problems = [random_problem(rng, n, m, k % 2 == 1) for k, (n, m) in enumerate(sizes)]
    a = np.array([[1.0, 0.1], [0.0, 1.0]])
    b = np.array([[0.005], [0.1]])
    problems.append(problem("double integrator", a, b, np.eye(2), np.eye(1), np.zeros((2, 1))))
    a = np.array([[0, 0, 1, 0], [0, 0, 0, 1], [0, -1.962, 0, 0], [0, 19.62, 0, 0]])
    b = np.array([[0.0], [0.0], [1.0], [-1.0 / 0.6]])
    weights = np.diag([10.0, 10.0, 1.0, 1.0])
    problems.append(problem("cart and pole", a, b, weights, 0.1 * np.eye(1), np.zeros((4, 1))))
    json.dump({"scipy": scipy.__version__, "problems": problems}, sys.stdout)
    print()


if __name__ == "__main__":
    main()
