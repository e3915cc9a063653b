"""Writes what Pinocchio computes of URDF models with a fixed base, for tests/tree/reference_urdf.rs.

    python scripts/reference/pinocchio_urdf.py tests/data/urdf/*.urdf

writes NAME.json beside every NAME.urdf, and NAME_coupled.json if joints follow others. With
--output FOLDER both go to FOLDER/urdf, with copies of the descriptions, so that the test can run on
any collection of robots:

    python scripts/reference/pinocchio_urdf.py --output FOLDER ROBOTS/*/*/*.urdf
    DUALBODY_REFERENCE=FOLDER cargo test --test tree reference_urdf

Needs the packages pin and numpy.

A planar joint is replaced by two prismatic joints and a continuous one in a row, because Pinocchio
knows planes with the normal z only and expresses their velocities in the moving frame. A joint with
several coordinates appears in `order` once for each, and its entries of `q`, `v` and `tau` are
lists. Coupled joints are reduced here: with v = A u of constant A, the mass matrix is A' M A and a
force A' f.
"""

import argparse
import json
import re
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pinocchio as pin

GRAVITY = [0.0, 0.0, -9.81]
CASES = 3
# The directions of x and y, and the normal.
PLANES = {"0 0 1": ("1 0 0", "0 1 0"), "1 0 0": ("0 1 0", "0 0 1"), "0 1 0": ("0 0 1", "1 0 0")}


def expand_planar_joints(robot):
    """Replaces planar joints; returns the coordinates (joint, index) by the name of the new joint."""
    coordinates = {}
    for joint in list(robot.iter("joint")):
        name, kind = joint.get("name"), joint.get("type")
        if kind == "planar":
            normal = joint.find("axis").get("xyz")
            parent, child = joint.find("parent").get("link"), joint.find("child").get("link")
            links = [parent, f"{name}.1", f"{name}.2", child]
            steps = zip(["prismatic", "prismatic", "continuous"], [*PLANES[normal], normal])
            for k, (step, axis) in enumerate(steps):
                new = ET.SubElement(robot, "joint", name=f"{name}.{k}", type=step)
                ET.SubElement(new, "parent", link=links[k])
                ET.SubElement(new, "child", link=links[k + 1])
                ET.SubElement(new, "axis", xyz=axis)
                if step == "prismatic":
                    ET.SubElement(new, "limit", lower="-9", upper="9", effort="9", velocity="9")
                    ET.SubElement(robot, "link", name=links[k + 1])
                if k == 0:
                    new.append(joint.find("origin"))
                coordinates[f"{name}.{k}"] = (name, k)
            robot.remove(joint)
        elif kind != "fixed":
            coordinates[name] = (name, None)
    return coordinates


def coupling(robot, names):
    """`q = A u + b` in independent coordinates u, and which of the names those are."""
    mimics = {j.get("name"): j.find("mimic") for j in robot.iter("joint")}
    mimics = {name: mimics[name] for name in names if mimics.get(name) is not None}
    free = [n for n in names if n not in mimics]
    a, b = np.zeros((len(names), len(free))), np.zeros(len(names))
    for row, name in enumerate(names):
        ratio, offset = 1.0, 0.0
        while name in mimics:
            mimic = mimics[name]
            offset += ratio * float(mimic.get("offset", 0))
            ratio *= float(mimic.get("multiplier", 1))
            name = mimic.get("joint")
        a[row, free.index(name)], b[row] = ratio, offset
    return a, b, free


def by_joint(names, coordinates, values):
    result = {}
    for name, value in zip(names, values):
        joint, index = coordinates[name]
        if index is None:
            result[joint] = value
        else:
            result.setdefault(joint, []).append(value)
    return result


def reference(model, names, coordinates, a, b, free, rng):
    # A continuous joint has cosine and sine for coordinates in Pinocchio.
    data = model.createData()
    u, u_dot, tau = (rng.uniform(-1, 1, len(free)) for _ in range(3))
    tau = 5 * tau
    angles, v = a @ u + b, a @ u_dot
    q = pin.neutral(model)
    for name, angle in zip(names, angles):
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 2:
            q[joint.idx_q : joint.idx_q + 2] = [np.cos(angle), np.sin(angle)]
        else:
            q[joint.idx_q] = angle
    mass_matrix = pin.crba(model, data, q)
    mass_matrix = np.triu(mass_matrix) + np.triu(mass_matrix, 1).T
    mass_matrix = a.T @ mass_matrix @ a
    bias = a.T @ pin.nonLinearEffects(model, data, q, v)
    energy = pin.computeKineticEnergy(model, data, q, v)
    center = pin.centerOfMass(model, data, q)
    give = lambda values: by_joint(free, coordinates, values.tolist())
    return {
        "q": give(u),
        "v": give(u_dot),
        "tau": give(tau),
        "expected": {
            "mass_matrix": mass_matrix.tolist(),
            "bias_with_gravity": bias.tolist(),
            "vdot": accelerations(mass_matrix, tau - bias),
            "kinetic_energy": energy,
            "center_of_mass": center.tolist(),
        },
    }


def accelerations(mass_matrix, forces):
    """None where a joint moves next to no mass."""
    if np.linalg.cond(mass_matrix) > 1e5:
        return None
    return np.linalg.solve(mass_matrix, forces).tolist()


def write(path, coupled):
    # Simulators' extensions often use prefixes that are not declared.
    text = re.sub(r"(</?|\s)([A-Za-z_]+):", r"\1\2_", path.read_text())
    robot = ET.fromstring(text)
    coordinates = expand_planar_joints(robot)
    model = pin.buildModelFromXML(ET.tostring(robot, encoding="unicode"))
    model.armature = np.zeros(model.nv)
    names = list(model.names)[1:]
    if not names:
        raise ValueError("no joint that moves")
    if coupled:
        a, b, free = coupling(robot, names)
        if len(free) == len(names):
            return
    else:
        a, b, free = np.eye(len(names)), np.zeros(len(names)), names
    rng = np.random.default_rng(0)
    cases = [reference(model, names, coordinates, a, b, free, rng) for _ in range(CASES)]
    result = {
        "urdf": path.name,
        "base": "fixed",
        "mimic": "coupled" if coupled else "independent",
        "gravity": GRAVITY,
        "order": [coordinates[name][0] for name in free],
        "nv": len(free),
        "cases": cases,
    }
    output = path.with_name(path.stem + ("_coupled" if coupled else "") + ".json")
    output.write_text(json.dumps(result, separators=(",", ":"), allow_nan=False) + "\n")


parser = argparse.ArgumentParser(description="Reference values of URDF models.")
parser.add_argument("--output", type=Path)
parser.add_argument("descriptions", nargs="+", type=Path)
arguments = parser.parse_args()
for path in arguments.descriptions:
    if arguments.output:
        copy = arguments.output / "urdf" / "__".join(path.parts[-3:])
        copy.parent.mkdir(parents=True, exist_ok=True)
        path = Path(shutil.copyfile(path, copy))
    for coupled in (False, True):
        try:
            write(path, coupled)
        except (ValueError, KeyError, ET.ParseError) as error:
            print(f"{path}, {'coupled' if coupled else 'independent'}: {error}")
