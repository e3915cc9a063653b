# /// script
# requires-python = ">=3.10"
# dependencies = ["drake==1.51.1", "numpy"]
# ///
"""Compares the complementarity solver of this crate with Drake's MobyLcpSolver, on the same matrices.

Runs `cargo bench -p dualbody-benches --bench lcp`, which writes its problems to a file, solves them with Drake (compiled
C++ behind a Python call), and prints a table of times for one problem. A call from Python and the
mathematical program around the solver cost time by themselves: the same call for a problem of the
same size whose solution is z = 0 is measured and subtracted. Drake's answers are checked; problems
that it does not solve are counted, and their time is part of the mean.

    pip install drake==1.51.1 numpy
    python benches/peers/lcp.py
"""

import json
import tempfile
import time
from pathlib import Path

import criterion
import numpy as np
from pydrake.solvers import MathematicalProgram, MobyLcpSolver


def run_bench() -> tuple[dict, Path]:
    """Runs the Rust benchmark; returns its problems and the folder of its results."""
    with tempfile.TemporaryDirectory() as folder:
        problems = Path(folder) / "problems.json"
        results = criterion.run("lcp", environment={"DUALBODY_LCP_PROBLEMS": str(problems)})
        return json.loads(problems.read_text()), results


def bench_time(results: Path, group: str, function: str) -> float:
    """Median time of the whole list of problems in µs."""
    path = results / group / function / "new" / "estimates.json"
    return json.loads(path.read_text())["median"]["point_estimate"] / 1e3


def program(matrix: np.ndarray, vector: np.ndarray) -> MathematicalProgram:
    prog = MathematicalProgram()
    z = prog.NewContinuousVariables(len(vector))
    prog.AddLinearComplementarityConstraint(matrix, vector, z)
    return prog


def is_solution(matrix: np.ndarray, vector: np.ndarray, z: np.ndarray) -> bool:
    w = matrix @ z + vector
    scale = (np.abs(matrix) @ np.abs(z) + np.abs(vector)).max()
    size = max(np.abs(z).max(), 1e-300)
    return bool(
        (w >= -1e-6 * scale).all()
        and (z >= -1e-6 * size).all()
        and (np.minimum(w / scale, z / size) <= 1e-6).all()
    )


def drake_time(problems: list) -> tuple[float, int]:
    """Median time of the whole list in µs, overhead subtracted, and the number of failures."""
    solver = MobyLcpSolver()
    real, trivial, failures = [], [], 0
    for p in problems:
        matrix, vector = np.array(p["M"]), np.array(p["q"])
        real.append(program(matrix, vector))
        trivial.append(program(matrix, np.abs(vector)))
        result = solver.Solve(real[-1])
        solved = result.is_success()
        if not (solved and is_solution(matrix, vector, result.get_x_val())):
            failures += 1

    def time_of(programs: list) -> float:
        times, end = [], time.perf_counter() + 2.0
        while len(times) < 5 or time.perf_counter() < end:
            start = time.perf_counter_ns()
            for prog in programs:
                solver.Solve(prog)
            times.append((time.perf_counter_ns() - start) / 1e3)
        return float(np.median(times))

    return time_of(real) - time_of(trivial), failures


def main() -> None:
    data, results = run_bench()
    print("µs a problem        this crate   + 20 derivatives   Drake   ratio   Drake fails")
    for name, problems in data.items():
        group = f"lcp {name.replace('/', ' ')}"
        count = len(problems)
        own = bench_time(results, group, "solve") / count
        derivatives = bench_time(results, group, "solve and 20 derivatives") / count
        drake, failures = drake_time(problems)
        drake /= count
        print(
            f"{name:18} {own:11.1f} {derivatives:9.1f} ({derivatives / own:4.2f}) "
            f"{drake:10.1f} {drake / own:7.1f}   {failures} of {count}"
        )


if __name__ == "__main__":
    main()
