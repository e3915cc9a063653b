# /// script
# requires-python = ">=3.10"
# ///
"""Times what one waits for: README's two commands, a user's program, a change, in a fresh clone of the last commit.

Nothing else should run. Dependencies are fetched before the clock starts. Lines of LLVM IR are counted where
`cargo llvm-lines` is installed. It takes half an hour and some gigabytes in the folder for temporary files.

    python benches/building.py [--only NAME …] [--json FILE]
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
DEVELOPMENT = '\n[profile.dev.package."*"]\nopt-level = 3\n'


def run(command: str, folder: Path) -> float:
    """Seconds of a command."""
    environment = {key: value for key, value in os.environ.items() if key != "CARGO_TARGET_DIR"}
    start = time.monotonic()
    subprocess.run(command, shell=True, cwd=folder, check=True, env=environment, capture_output=True)
    return time.monotonic() - start


def readme(folder: Path, start: str) -> str:
    """The first command of README that starts so."""
    return next(line for line in (folder / "README.md").read_text().splitlines() if line.startswith(start))


def program(clone: Path, folder: Path, features: str, profile: str = "") -> Path:
    """README's first program as a package of its own."""
    folder.mkdir()
    source = re.search(r"## A first program.*?```rust\n(.*?)```", (clone / "README.md").read_text(), re.S)
    assert source, "README has a first program"
    (folder / "src").mkdir()
    (folder / "src/main.rs").write_text(source.group(1))
    (folder / "Cargo.toml").write_text(
        '[package]\nname = "first"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\n'
        f'dualbody = {{ path = "{clone}"{features} }}\n{profile}'
    )
    shutil.copy(clone / "Cargo.lock", folder / "Cargo.lock")
    run("cargo fetch", folder)
    return folder


def after_an_edit(folder: Path, command: str, file: str) -> float:
    """Seconds of a command that was done before, after one line more in a file."""
    path = folder / file
    path.write_text(path.read_text() + "\n// one line more\n")
    return run(command, folder)


def ir_lines(folder: Path, arguments: str) -> int:
    output = subprocess.run(
        f"cargo llvm-lines {arguments}", shell=True, cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    return int(re.search(r"(\d+) .*\(TOTAL\)", output).group(1))


def figures(base: Path):
    """Name, and what measures it, in an order in which each builds on what is there."""
    clone = base / "dualbody"
    run(f"git clone {REPOSITORY} {clone}", base)
    run("cargo fetch", clone)
    user = program(clone, base / "user", "")
    yield "user, cold release, s", lambda: run("cargo build --release", user)
    yield "user, edit to built, release, s", lambda: after_an_edit(user, "cargo build --release", "src/main.rs")
    small = program(clone, base / "small", ", default-features = false")
    yield "user, cold release without default features, s", lambda: run("cargo build --release", small)
    development = program(clone, base / "development", "", DEVELOPMENT)
    yield "user, cold dev, s", lambda: run("cargo build", development)
    yield "user, edit to built, dev, s", lambda: after_an_edit(development, "cargo build", "src/main.rs")
    yield "README's first command, cold, s", lambda: run(readme(clone, "cargo run --release"), clone)
    yield "README's second command, cold, s", lambda: run(readme(clone, "cargo test"), clone)
    one = "cargo test --all-features --test system rollout"
    yield "edit of a test to its run, s", lambda: after_an_edit(clone, one, "tests/system/main.rs")
    yield "edit of the library to a test's run, s", lambda: after_an_edit(clone, one, "src/system/rollout.rs")
    if shutil.which("cargo-llvm-lines"):
        yield "IR of the library, lines", lambda: ir_lines(clone, "-p dualbody --release --lib")
        tests = "-p dualbody-tests --all-features --test system"
        yield "IR of tests/system, lines", lambda: ir_lines(clone, tests)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="words of the names of the figures to measure")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as base:
        for name, measure in figures(Path(base)):
            if not arguments.only or any(word in name for word in arguments.only):
                found[name] = round(measure(), 1)
                print(f"{name:<50} {found[name]:>12}", flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
