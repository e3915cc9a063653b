# /// script
# requires-python = ">=3.10"
# dependencies = ["drake==1.51.1", "mujoco==4.0.0", "pin==4.1.0", "numpy", "matplotlib"]
# ///
"""Prints all that is measured beside other software, and the times of this crate alone, in one run.

In turn: dynamics and their derivatives beside Pinocchio, steps and their Jacobians beside Drake and MuJoCo, growth
with the number of bodies beside both, complementarity problems beside Drake, and without peers what parameters add to
a Jacobian, rollouts of 1000 steps with their gradients, rigid steps and the gradient of a contact solve. Each part
is also a script of its own, which says what it measures. Nothing else should run meanwhile.

    pip install drake==1.51.1 mujoco==4.0.0 pin==4.1.0 numpy matplotlib
    python benches/peers/table.py [rounds]
"""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import criterion
from criterion import REPOSITORY

PEERS = Path(__file__).resolve().parent
# Benchmarks that no other script runs.
OWN = ("adjoint", "rigid_step", "contact_solver")


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def output(*command: str) -> str:
    return subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout


def own(environment: dict[str, str]) -> None:
    folder = criterion.results()
    print(f"{'':58}{'µs':>12}")
    for robot in ("quadruped", "humanoid"):
        times = {
            what: 1e-3 * criterion.smallest(folder / robot / what)
            for what in ("step", "jacobian", "jacobian with parameters")
        }
        for what, value in times.items():
            print(f"{robot + ', ' + what:58}{value:12.1f}")
        more = (times["jacobian with parameters"] - times["jacobian"]) / times["step"]
        print(f"{robot}: twenty parameters cost {more:.2f} steps")
    start = time.time()
    for bench in OWN:
        options = ("--measurement-time", "2", "--warm-up-time", "1")
        criterion.run(bench, *options, environment=environment)
    for sample in sorted(folder.rglob("new/sample.json")):
        if sample.stat().st_mtime > start:
            of_bench = sample.parents[1]
            name = ", ".join(of_bench.relative_to(folder).parts)
            print(f"{name:58}{1e-3 * criterion.smallest(of_bench):12.1f}")


def main() -> None:
    rounds = sys.argv[1] if len(sys.argv) > 1 else "3"
    environment = {"RUSTFLAGS": "-C target-cpu=native"} | os.environ
    print(f"{processor()}, {os.cpu_count()} processors, {platform.system()} {platform.release()}")
    print(f"{output('rustc', '--version').strip()}, RUSTFLAGS {environment['RUSTFLAGS']}")
    print(f"commit {output('git', 'rev-parse', '--short', 'HEAD').strip()}", flush=True)
    for script, options in (
        ("pinocchio_dynamics.py", []),
        ("step_peers.py", [rounds]),
        ("growth.py", ["--rounds", rounds]),
        ("lcp.py", []),
    ):
        print(f"\n{script}", flush=True)
        command = [sys.executable, str(PEERS / script), *options]
        subprocess.run(command, cwd=REPOSITORY, check=True, env=environment)
    print("\nthis crate alone", flush=True)
    own(environment)


if __name__ == "__main__":
    main()
