"""Runs benchmarks of this crate and reads what Criterion has written of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def run(bench: str, *options: str, environment: dict[str, str] | None = None) -> Path:
    """Runs a benchmark with additional environment variables; returns the folder of all results."""
    command = ["cargo", "bench", "-p", "dualbody-benches", "--bench", bench, *(["--", *options] if options else [])]
    environment = dict(os.environ) | (environment or {})
    subprocess.run(command, cwd=REPOSITORY, check=True, stdout=sys.stderr, env=environment)
    return results()


def results() -> Path:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps"]
    metadata = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True)
    return Path(json.loads(metadata.stdout)["target_directory"]) / "criterion"


def smallest(of_bench: Path) -> float:
    """Smallest mean time of a call in ns; other work on the machine only adds to times."""
    sample = json.loads((of_bench / "new" / "sample.json").read_text())
    return min(time / calls for time, calls in zip(sample["times"], sample["iters"]))
