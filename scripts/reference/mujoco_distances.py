"""Signed distances of pairs of convex shapes by MuJoCo, at random poses.

    python scripts/reference/mujoco_distances.py --output FOLDER

writes FOLDER/distances.json, which `cargo test --test geometry reference_distances` compares with. Shapes overlap
in part of the pairs. Needs mujoco and numpy.
"""

import argparse
import json
import pathlib

import mujoco
import numpy as np

KINDS = ["sphere", "capsule", "cylinder", "box", "ellipsoid", "convex"]


def shape(kind, rng):
    """Dimensions as this library has them."""
    d = [round(x, 6) for x in rng.uniform(0.2, 0.8, 3)]
    if kind == "sphere":
        return {"kind": kind, "radius": d[0]}
    if kind in ("capsule", "cylinder"):
        return {"kind": kind, "radius": d[0], "length": d[1]}
    if kind == "box":
        return {"kind": kind, "size": d}
    if kind == "ellipsoid":
        return {"kind": kind, "semi_axes": d}
    points = rng.uniform(-0.6, 0.6, (12, 3)).round(6)
    return {"kind": kind, "points": points.tolist()}


def geom(name, s, quaternion, position):
    text = lambda values: " ".join(repr(float(x)) for x in values)
    place = f'pos="{text(position)}" quat="{text(quaternion)}"'
    if s["kind"] == "convex":
        vertices = text(np.ravel(s["points"]))
        asset = f'<asset><mesh name="{name}" vertex="{vertices}"/></asset>'
        return asset, f'<geom name="{name}" type="mesh" mesh="{name}" {place}/>'
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


def distance(a, b, pose_a, pose_b):
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
    return mujoco.mj_geomDistance(model, data, 0, 1, 100.0, ends)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--each", type=int, default=12)
    arguments = parser.parse_args()
    rng = np.random.default_rng(1)
    cases = []
    for i, first in enumerate(KINDS):
        for second in KINDS[i:]:
            for k in range(arguments.each):
                a, b = shape(first, rng), shape(second, rng)
                reach = [0.3, 0.8, 1.5][k % 3]
                pose_a = unit(rng), rng.uniform(-reach, reach, 3).tolist()
                pose_b = unit(rng), rng.uniform(-0.1, 0.1, 3).tolist()
                cases.append(
                    {
                        "a": a,
                        "b": b,
                        "pose_a": {"quaternion": pose_a[0], "position": pose_a[1]},
                        "pose_b": {"quaternion": pose_b[0], "position": pose_b[1]},
                        "distance": distance(a, b, pose_a, pose_b),
                    }
                )
    arguments.output.mkdir(parents=True, exist_ok=True)
    document = {"program": f"MuJoCo {mujoco.__version__}", "cases": cases}
    (arguments.output / "distances.json").write_text(json.dumps(document) + "\n")


if __name__ == "__main__":
    main()
