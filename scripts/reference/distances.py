"""Signed distances and normals of pairs of convex shapes by MuJoCo and by Drake, at random poses.

    python scripts/reference/distances.py --output FOLDER

writes FOLDER/distances.json, which `cargo test --test geometry reference_distances` compares with. Shapes overlap
in part of the pairs, and sizes reach from 1 mm to 100 m. Needs mujoco, drake and numpy.
"""

import argparse
import importlib.metadata
import json
import pathlib

import mujoco
import numpy as np
from pydrake.geometry import Box, Capsule, Convex, Cylinder, Ellipsoid, HalfSpace, Sphere
from pydrake.math import RigidTransform
from pydrake.common.eigen_geometry import Quaternion
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, CoulombFriction
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.framework import DiagramBuilder

KINDS = ["sphere", "capsule", "cylinder", "box", "ellipsoid", "convex", "half_space"]
SCALES = [1.0, 1.0, 1e-3, 1e2]


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


def geom(name, s, quaternion, position):
    text = lambda values: " ".join(repr(float(x)) for x in values)
    place = f'pos="{text(position)}" quat="{text(quaternion)}"'
    if s["kind"] == "convex":
        vertices = text(np.ravel(s["points"]))
        asset = f'<asset><mesh name="{name}" vertex="{vertices}"/></asset>'
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


def by_mujoco(a, b, pose_a, pose_b, scale):
    """Distance and normal from b to a; no normal where the distance is too small to tell."""
    asset_a, geom_a = geom("a", a, *pose_a)
    asset_b, geom_b = geom("b", b, *pose_b)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--each", type=int, default=12)
    arguments = parser.parse_args()
    rng = np.random.default_rng(1)
    cases = []
    for i, first in enumerate(KINDS[:-1]):
        for second in KINDS[i:]:
            for k in range(arguments.each):
                scale = SCALES[k // 3 % 4]
                a, b = shape(first, scale, rng), shape(second, scale, rng)
                reach = [0.3, 0.8, 1.5][k % 3]
                pose_a = unit(rng), (scale * rng.uniform(-reach, reach, 3)).tolist()
                pose_b = unit(rng), (scale * rng.uniform(-0.1, 0.1, 3)).tolist()
                cases.append(
                    {
                        "a": a,
                        "b": b,
                        "pose_a": {"quaternion": pose_a[0], "position": pose_a[1]},
                        "pose_b": {"quaternion": pose_b[0], "position": pose_b[1]},
                        "scale": scale,
                        "mujoco": by_mujoco(a, b, pose_a, pose_b, scale),
                        "drake": by_drake(a, b, pose_a, pose_b),
                    }
                )
    arguments.output.mkdir(parents=True, exist_ok=True)
    programs = [f"{name} {importlib.metadata.version(name)}" for name in ("mujoco", "drake")]
    document = {"program": ", ".join(programs), "cases": cases}
    (arguments.output / "distances.json").write_text(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
