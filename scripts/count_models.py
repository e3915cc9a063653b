"""Counts the models of a folder that are read with every body and agree with MuJoCo (MJCF) or Pinocchio (URDF).

    python scripts/count_models.py FOLDER [--work WORK]

Every file under FOLDER that MuJoCo or Pinocchio reads counts, by the folder below FOLDER that it is in. What the two compute
(poses, mass matrix, bias forces, accelerations, actuators) is written to WORK, by the scripts in `scripts/reference`; the tests
`reference_mjcf` and `reference_urdf` compare with it to 1e-9, print the counts, and name what is refused or differs.

Needs mujoco, pin and numpy. A folder with models from packages:

    pip download --no-deps --dest PACKAGES dm-control==1.0.50 gymnasium-robotics==1.4.2 robosuite==1.5.2
    mkdir MODELS && for p in PACKAGES/*.whl; do unzip -q $p -d MODELS/$(basename $p .whl); done
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
REFERENCE = REPOSITORY / "scripts" / "reference"


def judge(script, *arguments):
    """Runs a script of references; what its peer refuses is listed on stderr or stdout."""
    command = [sys.executable, str(REFERENCE / script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]


def compare(test, reference):
    command = ["cargo", "test", "--all-features", "-p", "dualbody-tests", "--test", "tree", test]
    command += ["--", "--nocapture"]
    environment = {**os.environ, "DUALBODY_REFERENCE": str(reference)}
    return subprocess.run(command, cwd=REPOSITORY, env=environment, check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--work", type=Path, help="where references are written and kept")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        work = (arguments.work or Path(scratch)).resolve()
        agree = True
        if any(folder.rglob("*.xml")):
            refused = judge("mujoco_mjcf.py", folder, work / "mjcf")
            print(f"MuJoCo refuses {len(refused)} files")
            agree &= compare("reference_mjcf", work)
        descriptions = sorted(folder.rglob("*.urdf"))
        if descriptions:
            refused = judge("pinocchio_urdf.py", "--output", work, *descriptions)
            print(f"Pinocchio refuses {len(refused)} readings of {len(descriptions)} files")
            agree &= compare("reference_urdf", work)
    sys.exit(not agree)


main()
