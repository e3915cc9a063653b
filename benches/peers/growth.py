# /// script
# requires-python = ">=3.10"
# dependencies = ["drake==1.51.1", "mujoco==4.0.0", "numpy", "matplotlib"]
# ///
"""How the time of a step grows with the system, beside MuJoCo, in one run.

Takes turns between `cargo bench -p dualbody-benches --bench growth` and MuJoCo (a contact model of its own, at its defaults) on
the same scenes: two robots that stand and collapse, boxes side by side on the ground, towers, walls and chains of
revolute joints. Both step forward, each step from the last with a warm start, and after 100 steps from the first
state again. `cold` is this crate's time for a step from the first state with nothing before it. Heaps, whose states
are those of this crate's own drop, are measured for this crate alone.

`jacobian` is a step of this crate with its derivatives by positions, velocities and forces, without the zeros between
bodies that do not act on each other; beside it, for boxes, MuJoCo's centred differences, which are dense, and a step of
Drake (TAMSI, spheres at the lower corners).

This crate is compiled for the processor at hand, or with the RUSTFLAGS that are set, as in `step_peers.py`.

Prints the smallest times and the exponents of growth, and writes them to `--out` (default
`out/growth.csv`); with `--figure FILE` a picture, too.

    pip install drake==1.51.1 mujoco==4.0.0 numpy matplotlib
    python benches/peers/growth.py [--rounds 3] [--out FILE] [--figure FILE]
"""

import argparse
import csv
import math
import os
import subprocess
import time
from pathlib import Path

import mujoco
import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
# Scenes whose contacts grow faster than their bodies.
PILES = ("tower", "wall", "heap")
# What is measured of a scene, in µs.
TIMES = ("us", "cold_us", "mujoco_us", "drake_us", "jacobian_us", "mujoco_jacobian_us")
# Boxes up to which what grows with the square or the cube of their number is measured.
LARGEST_DENSE = 100
# As in benches/growth.rs.
DT, SIDE, MASS, OVERLAP, HORIZON = 1e-3, 0.1, 1.0, 2e-5, 100


def box_positions(scene: str, n: int) -> list[list[float]]:
    high = SIDE - OVERLAP
    width = math.ceil(math.sqrt(n))
    if scene == "boxes":
        return [[0.15 * i, 0.0, SIDE / 2 - OVERLAP] for i in range(n)]
    if scene == "tower":
        return [[0.0, 0.0, high * (i + 0.5)] for i in range(n)]
    return [
        [1.02 * SIDE * (i % width + 0.5 * (i // width % 2)), 0.0, high * (i // width + 0.5)]
        for i in range(n)
    ]


def boxes(scene: str, n: int) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    for position in box_positions(scene, n):
        body = spec.worldbody.add_body(pos=position)
        body.add_freejoint()
        body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=[SIDE / 2] * 3, mass=MASS)
    return spec


def chain(n: int) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    body = spec.worldbody
    for i in range(n):
        body = body.add_body(pos=[0, 0, -0.1], mass=0.1, inertia=[0.4 * 0.1 * 0.02**2] * 3)
        body.explicitinertial = True
        body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[1 - i % 2, i % 2, 0])
    return spec


def robot(name: str) -> tuple[mujoco.MjModel, np.ndarray]:
    """A robot of step_peers.py, and where it stands."""
    from step_peers import ROBOTS, mujoco_model, reference

    case = reference(f"steps_{name}.json")["cases"][ROBOTS[name][0]]
    model = mujoco_model(name, case["dt"])
    # MuJoCo has the position before the quaternion.
    qpos = np.array(case["q"][4:7] + case["q"][0:4] + [0.0] * (model.nq - 7))
    for joint in reference(f"dynamics_{name}.json")["layout"]:
        if joint["nq"] == 1:
            qpos[model.joint(joint["joint"]).qposadr[0]] = case["q"][joint["q_start"]]
    return model, qpos


def mujoco_start(scene: str, n: int) -> tuple[mujoco.MjModel, np.ndarray, np.ndarray]:
    """A scene, its first positions and velocities."""
    if scene in ("quadruped", "humanoid"):
        model, qpos = robot(scene)
        return model, qpos, np.zeros(model.nv)
    spec = chain(n) if scene == "chain" else boxes(scene, n)
    spec.option.timestep = DT
    model = spec.compile()
    if scene == "chain":
        qpos = np.array([0.3 * math.sin(i) for i in range(n)])
        return model, qpos, np.array([math.cos(i) for i in range(n)])
    return model, model.qpos0.copy(), np.zeros(model.nv)


def mujoco_time(scene: str, n: int) -> float:
    """Smallest mean time of a step in µs."""
    model, qpos, qvel = mujoco_start(scene, n)
    data = mujoco.MjData(model)

    def steps() -> float:
        data.qpos[:], data.qvel[:] = qpos, qvel
        start = time.perf_counter()
        mujoco.mj_step(model, data, HORIZON)
        return (time.perf_counter() - start) / HORIZON

    first = steps()
    batches = int(min(max(0.3 / (first * HORIZON), 3), 1000))
    return 1e6 * min(steps() for _ in range(batches))


def mujoco_jacobian_time(scene: str, n: int) -> float:
    """Smallest time of the derivatives of a step by differences in µs."""
    model, qpos, _ = mujoco_start(scene, n)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    a = np.zeros((2 * model.nv, 2 * model.nv))
    times = []
    for _ in range(3):
        start = time.perf_counter()
        mujoco.mjd_transitionFD(model, data, 1e-6, 1, a, None, None, None)
        times.append(time.perf_counter() - start)
    return 1e6 * min(times)


def drake_boxes_time(n: int) -> float:
    """Smallest mean time of a step of boxes side by side in µs."""
    from pydrake.geometry import HalfSpace, Sphere
    from pydrake.math import RigidTransform
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, DiscreteContactApproximation
    from pydrake.multibody.tree import SpatialInertia
    from pydrake.systems.framework import DiagramBuilder
    from step_peers import net_time, proximity

    radius = 1e-3
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, DT)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kTamsi)
    plant.SetUseSampledOutputPorts(False)
    ground = proximity(1e15, 0.0, 1.0)
    plant.RegisterCollisionGeometry(
        plant.world_body(), RigidTransform(), HalfSpace(), "ground", ground
    )
    inertia = SpatialInertia.SolidBoxWithMass(MASS, SIDE, SIDE, SIDE)
    for i in range(n):
        body = plant.AddRigidBody(f"box{i}", inertia)
        for corner in range(4):
            signs = [2 * (corner & 1) - 1, (corner & 2) - 1, -1]
            pose = RigidTransform([sign * (SIDE / 2 - radius) for sign in signs])
            surface = proximity(1e5, 0.5, 0.5)
            plant.RegisterCollisionGeometry(body, pose, Sphere(radius), f"corner{corner}", surface)
    plant.Finalize()
    diagram = builder.Build()
    context = plant.GetMyMutableContextFromRoot(diagram.CreateDefaultContext())
    x = np.zeros(13 * n)
    for i, position in enumerate(box_positions("boxes", n)):
        x[7 * i : 7 * i + 7] = [1, 0, 0, 0, *position]
    plant.SetPositionsAndVelocities(context, x)
    points = plant.get_contact_results_output_port().Eval(context).num_point_pair_contacts()
    assert points == 4 * n, points
    updates = plant.AllocateDiscreteVariables()
    return 1e-3 * net_time(
        lambda: plant.SetPositionsAndVelocities(context, x),
        lambda: plant.CalcForcedDiscreteVariableUpdate(context, updates),
        max(1, 500 // n**2),
    )


def own_times(*options: str) -> list[dict]:
    command = ["cargo", "bench", "-p", "dualbody-benches", "--bench", "growth", "--", *options]
    environment = {"RUSTFLAGS": "-C target-cpu=native"} | os.environ
    run = subprocess.run(
        command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True, env=environment
    )
    lines = run.stdout.splitlines()
    return list(csv.DictReader(lines[lines.index("scene,n,velocities,contacts,us") :]))


def exponent(rows: list[dict], key: str, over: str = "n") -> float:
    """Slope of the logarithm of the time over that of n, or of contacts, over the upper half of the sizes."""
    rows = [row for row in rows if math.isfinite(float(row[key]))]
    rows = rows[len(rows) // 2 - 1 :] if len(rows) > 2 else rows
    if len(rows) < 2:
        return math.nan
    n, times = ([math.log(float(row[k])) for row in rows] for k in (over, key))
    return float(np.polyfit(n, times, 1)[0])


def draw(rows: list[dict], path: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6.4, 4.8))
    scenes = [s for s in dict.fromkeys(row["scene"] for row in rows) if s not in ("quadruped", "humanoid")]
    for color, scene in enumerate(scenes):
        own = [row for row in rows if row["scene"] == scene]
        n = [int(row["n"]) for row in own]
        axes.loglog(n, [float(row["us"]) for row in own], f"C{color}o-", label=scene)
        if math.isfinite(float(own[0]["mujoco_us"])):
            axes.loglog(n, [float(row["mujoco_us"]) for row in own], f"C{color}x:", label=f"{scene}, MuJoCo")
    axes.set_xlabel("bodies")
    axes.set_ylabel("time of a step in µs")
    axes.grid(True, which="major", alpha=0.4)
    axes.legend(fontsize="small")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "out/growth.csv")
    parser.add_argument("--figure", type=Path)
    arguments = parser.parse_args()
    rows: dict[tuple, dict] = {}
    for _ in range(arguments.rounds):
        for key, options in (("us", ["--forward"]), ("cold_us", []), ("jacobian_us", ["--jacobian"])):
            for own in own_times(*options):
                row = rows.setdefault((own["scene"], own["n"]), own | dict.fromkeys(TIMES, "inf"))
                row[key] = min(row[key], own["us"], key=float)
        for (scene, n), row in rows.items():
            keep = lambda key, peer: min(float(row[key]), round(peer, 3))
            if scene != "heap":
                row["mujoco_us"] = keep("mujoco_us", mujoco_time(scene, int(n)))
            if scene == "boxes" and int(n) <= LARGEST_DENSE:
                jacobian = mujoco_jacobian_time(scene, int(n))
                row["mujoco_jacobian_us"] = keep("mujoco_jacobian_us", jacobian)
                row["drake_us"] = keep("drake_us", drake_boxes_time(int(n)))
    table = list(rows.values())
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0].keys())
        writer.writeheader()
        writer.writerows(table)
    print(f"Best of {arguments.rounds} rounds, {os.cpu_count()} processors; times in µs")
    titles = ("dualbody", "cold", "MuJoCo", "Drake", "Jacobian", "differences", "ratio")
    print(f"{'scene':10}{'n':>6}{'contacts':>9}" + "".join(f"{title:>12}" for title in titles))
    for row in table:
        times = [float(row[key]) for key in TIMES]
        cells = [f"{t:12.1f}" if math.isfinite(t) else f"{'':12}" for t in times]
        ratio = times[0] / times[2]
        cells.append(f"{ratio:12.2f}" if ratio else "")
        print(f"{row['scene']:10}{row['n']:>6}{row['contacts']:>9}{''.join(cells)}".rstrip())
    for scene in dict.fromkeys(row["scene"] for row in table):
        of_scene = [row for row in table if row["scene"] == scene]
        if len(of_scene) > 1:
            own, peer = exponent(of_scene, "us"), exponent(of_scene, "mujoco_us")
            line = f"{scene}: grows with n to the power {own:.2f} (MuJoCo {peer:.2f})"
            line += f", its Jacobian {exponent(of_scene, 'jacobian_us'):.2f}"
            if scene in PILES:
                line += f"; with contacts {exponent(of_scene, 'us', 'contacts'):.2f}"
            print(line)
    if arguments.figure:
        draw(table, arguments.figure)


if __name__ == "__main__":
    main()
