# /// script
# requires-python = ">=3.10"
# ///
"""Counts the instructions of steps and their Jacobians, which other work on the machine does not change.

Runs the scenes of `cargo bench -p dualbody-benches --bench growth` under Valgrind with two numbers of steps; the difference, divided by that
of the steps, is the count of one. Compiled for any processor of its kind, so that counts of two commits compare; those of
one program differ from run to run by less than a thousandth.

    apt-get install valgrind
    python benches/instructions.py --out now.csv
    python benches/instructions.py --against before.csv
"""

import argparse
import csv
import os
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
# Scene, size, option, and the fewer of the two numbers of steps.
COUNTED = [
    ("quadruped", 1, "", 20),
    ("quadruped", 1, "--forward", 20),
    ("quadruped", 1, "--jacobian", 20),
    ("humanoid", 1, "", 20),
    ("humanoid", 1, "--forward", 20),
    ("humanoid", 1, "--jacobian", 20),
    ("boxes", 1, "", 20),
    ("boxes", 100, "", 5),
    ("boxes", 100, "--forward", 5),
    ("boxes", 100, "--jacobian", 5),
    ("wall", 30, "--forward", 5),
    ("chain", 100, "", 5),
    ("chain", 100, "--jacobian", 5),
]


def said(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found, text
    return found.group(1)


def program() -> str:
    """Compiles the bench and returns the path of its program."""
    command = ["cargo", "bench", "-p", "dualbody-benches", "--bench", "growth", "--no-run"]
    environment = {key: value for key, value in os.environ.items() if key != "RUSTFLAGS"}
    run = subprocess.run(
        command, cwd=REPOSITORY, check=True, stderr=subprocess.PIPE, text=True, env=environment
    )
    return str(REPOSITORY / said(r"Executable .*\((.*)\)", run.stderr))


def instructions(path: str, *arguments: str) -> int:
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", path, *arguments]
    run = subprocess.run(
        command, cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    return int(said(r"Collected : (\d+)", run.stderr))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, help="file (CSV) for the counts")
    parser.add_argument("--against", type=Path, help="file of an earlier run, to compare with")
    arguments = parser.parse_args()
    before = {}
    if arguments.against:
        with arguments.against.open(newline="") as file:
            before = {row["what"]: float(row["instructions"]) for row in csv.DictReader(file)}
    path, rows = program(), []
    print(f"{'':28}{'instructions':>14}{'to before':>11}" if before else f"{'':28}{'instructions':>14}")
    for scene, n, option, steps in COUNTED:
        options = [option] if option else []
        few, many = (instructions(path, scene, str(n), str(k), *options) for k in (steps, 3 * steps))
        count = (many - few) / (2 * steps)
        what = " ".join([scene, str(n), *options])
        rows.append({"what": what, "instructions": round(count)})
        line = f"{what:28}{count:14.0f}"
        if what in before:
            line += f"{count / before[what]:11.3f}"
        print(line, flush=True)
    if arguments.out:
        with arguments.out.open("w", newline="") as file:
            writer = csv.DictWriter(file, ("what", "instructions"))
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
