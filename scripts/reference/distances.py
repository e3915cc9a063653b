"""Signed distances and normals of pairs of convex shapes by MuJoCo and by Drake, at random and at special poses.

    python scripts/reference/distances.py --output FOLDER

writes FOLDER/distances.json, which `cargo test --test geometry reference_distances` compares with. Shapes overlap
in part of the pairs, and sizes reach from 1 mm to 100 m. FOLDER/special_distances.json is for
`reference_special_distances`. It has `special_poses` and their `largest_separation`, a third reference: at such poses
both programs end early or on another side in many a case, and their results are kept where it confirms them. Needs
mujoco, drake and numpy.
"""

import argparse
import importlib.metadata
import json
import multiprocessing
import pathlib

import mujoco
import numpy as np
from pydrake.geometry import Box, Capsule, Convex, Cylinder, Ellipsoid, HalfSpace, Sphere
from pydrake.math import RigidTransform
from pydrake.common.eigen_geometry import Quaternion
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.framework import DiagramBuilder

from largest_separation import largest_separation
from special_poses import KINDS, special_poses

SCALES = [1.0, 1.0, 1e-3, 1e2]

# Numbers of poses by seeds: shallow overlaps with several ways out, points a little beside a cap or an edge.
FOUND = {102: [591, 675], 103: [1050], 104: [585, 732], 105: [351, 708], 107: [932], 108: [707], 112: [906]}


def shape(kind, scale, rng):
    """Dimensions as this library has them."""
    if kind == "half_space":
        return {"kind": kind}
    d = [scale * round(x, 6) for x in rng.uniform(0.2, 0.8, 3)]
    if kind == "sphere":
        return {"kind": kind, "radius": d[0]}
    if kind in ("capsule", "cylinder"):
        return {"kind": kind, "radius": d[0], "length": d[1]}
    if kind == "box":
        return {"kind": kind, "size": d}
    if kind == "ellipsoid":
        return {"kind": kind, "semi_axes": d}
    points = scale * rng.uniform(-0.6, 0.6, (12, 3)).round(6)
    return {"kind": kind, "points": points.tolist()}


def geom(name, s, quaternion, position, inertia):
    text = lambda values: " ".join(repr(float(x)) for x in values)
    place = f'pos="{text(position)}" quat="{text(quaternion)}"'
    if s["kind"] == "convex":
        vertices = text(np.ravel(s["points"]))
        asset = f'<asset><mesh name="{name}" vertex="{vertices}"{inertia}/></asset>'
        return asset, f'<geom name="{name}" type="mesh" mesh="{name}" {place}/>'
    if s["kind"] == "half_space":
        return "", f'<geom name="{name}" type="plane" size="1 1 1" {place}/>'
    size = {
        "sphere": lambda: [s["radius"]],
        "capsule": lambda: [s["radius"], 0.5 * s["length"]],
        "cylinder": lambda: [s["radius"], 0.5 * s["length"]],
        "box": lambda: [0.5 * x for x in s["size"]],
        "ellipsoid": lambda: s["semi_axes"],
    }[s["kind"]]()
    return "", f'<geom name="{name}" type="{s["kind"]}" size="{text(size)}" {place}/>'


def unit(rng):
    q = rng.normal(size=4)
    return (q / np.linalg.norm(q)).tolist()


def by_mujoco(a, b, pose_a, pose_b, scale, inertia=""):
    """Distance and normal from b to a; no normal where the distance is too small to tell."""
    asset_a, geom_a = geom("a", a, *pose_a, inertia)
    asset_b, geom_b = geom("b", b, *pose_b, inertia)
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option ccd_tolerance="1e-13" ccd_iterations="2000"/>
        <compiler fusestatic="false"/>{asset_a}{asset_b}
        <worldbody><body>{geom_a}</body><body>{geom_b}</body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    ends = np.zeros(6)
    distance = mujoco.mj_geomDistance(model, data, 0, 1, 100.0 * scale, ends)
    way = (ends[:3] - ends[3:]) * np.sign(distance)
    length = np.linalg.norm(way)
    normal = (way / length).tolist() if length > 0.01 * scale else None
    return {"distance": distance, "normal": normal}


def drake_shape(s):
    return {
        "sphere": lambda: Sphere(s["radius"]),
        "capsule": lambda: Capsule(s["radius"], s["length"]),
        "cylinder": lambda: Cylinder(s["radius"], s["length"]),
        "box": lambda: Box(*s["size"]),
        "ellipsoid": lambda: Ellipsoid(*s["semi_axes"]),
        "convex": lambda: Convex(np.array(s["points"]).T, "convex"),
        "half_space": lambda: HalfSpace(),
    }[s["kind"]]()


def by_drake(a, b, pose_a, pose_b):
    """Distance and normal from b to a; of a half space the penetration only, as Drake has no distance from it."""
    builder = DiagramBuilder()
    plant, scene = AddMultibodyPlantSceneGraph(builder, 0.0)
    ids = []
    for name, s in (("a", a), ("b", b)):
        body = plant.AddRigidBody(name, SpatialInertia.SolidBoxWithMass(1.0, 1.0, 1.0, 1.0))
        friction = CoulombFriction(1.0, 1.0)
        ids.append(plant.RegisterCollisionGeometry(body, RigidTransform(), drake_shape(s), name, friction))
    plant.Finalize()
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    for name, (q, p) in (("a", pose_a), ("b", pose_b)):
        place = RigidTransform(Quaternion(q), p)
        plant.SetFreeBodyPose(plant.GetMyContextFromRoot(context), plant.GetBodyByName(name), place)
    query = scene.get_query_output_port().Eval(scene.GetMyContextFromRoot(context))
    if "half_space" in (a["kind"], b["kind"]) and "sphere" not in (a["kind"], b["kind"]):
        pairs = query.ComputePointPairPenetration()
        if not pairs:
            return None
        (pair,) = pairs
        # Its normal points from B to A in the order of the pair.
        sign = 1.0 if pair.id_A == ids[0] else -1.0
        return {"distance": -pair.depth, "normal": (sign * pair.nhat_BA_W).tolist()}
    pair = query.ComputeSignedDistancePairClosestPoints(*ids)
    return {"distance": pair.distance, "normal": pair.nhat_BA_W.tolist()}


def random_poses(each, rng):
    for i, first in enumerate(KINDS[:-1]):
        for second in KINDS[i:]:
            for k in range(each):
                scale = SCALES[k // 3 % 4]
                a, b = shape(first, scale, rng), shape(second, scale, rng)
                reach = [0.3, 0.8, 1.5][k % 3]
                pose_a = unit(rng), (scale * rng.uniform(-reach, reach, 3)).tolist()
                pose_b = unit(rng), (scale * rng.uniform(-0.1, 0.1, 3)).tolist()
                yield {
                    **described(a, b, pose_a, pose_b, scale),
                    "mujoco": by_mujoco(a, b, pose_a, pose_b, scale),
                    "drake": by_drake(a, b, pose_a, pose_b),
                }


def described(a, b, pose_a, pose_b, scale):
    return {
        "a": a,
        "b": b,
        "pose_a": {"quaternion": pose_a[0], "position": pose_a[1]},
        "pose_b": {"quaternion": pose_b[0], "position": pose_b[1]},
        "scale": scale,
    }


def within(seconds, function, arguments):
    """What a function returns, in a process of its own that ends if it takes too long."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply_async(function, arguments).get(seconds)


def confirmed(program, case, separation):
    """What a program computes, if the largest separation confirms it; otherwise none."""
    distance, scale = separation[0], case[-1]
    try:
        # MuJoCo refuses thin meshes, unless only their surface has mass.
        by = {"mujoco": lambda: by_mujoco(*case, ' inertia="shell"'), "drake": lambda: within(5.0, by_drake, case[:-1])}
        result = by[program]()
    except (RuntimeError, multiprocessing.TimeoutError):
        return None  # Drake's search refuses some, and of some it does not end.
    # Vertices of meshes are in single precision in MuJoCo.
    has_mesh = program == "mujoco" and "convex" in (case[0]["kind"], case[1]["kind"])
    allowed = (1e-7 if has_mesh else 1e-9) * scale
    if result is None or not abs(result["distance"] - distance) < allowed:
        return None
    # Drake has no normal where centres coincide.
    is_normal = result["normal"] is not None and np.isfinite(result["normal"]).all()
    return {**result, "normal": result["normal"] if is_normal else None}


def found_before():
    """Poses at which this library was wrong once, of those that other seeds draw."""
    for seed, numbers in FOUND.items():
        poses = list(special_poses(48, np.random.default_rng(seed)))
        yield from (poses[number] for number in numbers)


def at_special_poses(poses):
    for pose in poses:
        name = pose.pop("pose")
        case = [*pose.values()]
        separation = largest_separation(*case)
        distance, normal, gap, is_only = separation
        yield {
            **described(**pose),
            "pose": name,
            "distance": distance,
            "gap": gap,
            "normal": normal.tolist() if is_only else None,
            **{program: confirmed(program, case, separation) for program in ("mujoco", "drake")},
        }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--each", type=int, default=12)
    parser.add_argument("--special", type=int, default=48)
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    programs = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("mujoco", "drake"))

    def write(file, cases):
        document = {"program": programs, "cases": list(cases)}
        for program in ("mujoco", "drake"):
            count = sum(case[program] is not None for case in document["cases"])
            print(f"{file}: {count} of {len(document['cases'])} cases by {program}")
        (arguments.output / file).write_text(json.dumps(document, allow_nan=False) + "\n")

    write("distances.json", random_poses(arguments.each, np.random.default_rng(1)))
    poses = [*special_poses(arguments.special, np.random.default_rng(2)), *found_before()]
    write("special_distances.json", at_special_poses(poses))


if __name__ == "__main__":
    main()
