# /// script
# requires-python = ">=3.10"
# dependencies = ["drake==1.51.1", "mujoco==4.0.0", "numpy"]
# ///
"""Compares a step of a standing robot, and its Jacobian, with Drake and MuJoCo in one run.

Takes turns between `cargo bench -p dualbody-benches --bench step`, Drake (TAMSI: the same scheme, geometries and
materials) and MuJoCo (a contact model of its own), on the same robots in the same state, and prints the
smallest times and their ratios. The Jacobians are those of the state after a step of 1 ms:

- this crate: `StepDifferentiator`, with respect to positions, velocities and generalized forces
- Drake: AutoDiffXd, with respect to positions, velocities and motors
- MuJoCo: mjd_transitionFD, centred finite differences, with respect to the tangents of positions, to
  velocities and motors

Steps of this crate and of MuJoCo are measured in three ways: without a guess of the result (MuJoCo without its
warm start); repeated, from the result that was found before in the same state; and a hundred that go on from
the standing state without torques, each from what the one before suggests.

Setting the state from Python costs time by itself; it is measured and subtracted. MuJoCo's packages are
compiled for processors with AVX; this crate is compiled for the processor at hand (`target-cpu=native`),
or with the RUSTFLAGS that are set.

    pip install drake==1.51.1 mujoco==4.0.0 numpy
    python benches/peers/step_peers.py [rounds]
"""

import json
import os
import sys
import time

import criterion
import mujoco
import numpy as np
from criterion import REPOSITORY
from pydrake.autodiffutils import InitializeAutoDiffTuple
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, RoleAssign
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.systems.framework import DiagramBuilder

# The case of steps_*.json in which all feet touch, as in benches/step.rs, and their contact points.
WHAT = ("step", "repeated step", "hundred steps", "jacobian")
ROBOTS = {"quadruped": (4, 4), "humanoid": (0, 8)}


def reference(name: str) -> dict:
    return json.loads((REPOSITORY / "tests/data/reference" / name).read_text())


def model_path(robot: str) -> str:
    return str(REPOSITORY / "tests/data/models" / f"{robot}.urdf")


def call_time(call, calls: int) -> float:
    """Smallest mean time of a call in ns."""
    times = []
    for _ in range(5):
        start = time.perf_counter_ns()
        for _ in range(calls):
            call()
        times.append((time.perf_counter_ns() - start) / calls)
    return min(times)


def net_time(prepare, call, calls: int) -> float:
    """Time of a call without that of its preparation."""

    def both():
        prepare()
        call()

    return call_time(both, calls) - call_time(prepare, calls)


def proximity(stiffness: float, dissipation: float, friction: float) -> ProximityProperties:
    properties = ProximityProperties()
    AddContactMaterial(
        dissipation=dissipation,
        point_stiffness=stiffness,
        friction=CoulombFriction(friction, friction),
        properties=properties,
    )
    return properties


def drake(robot: str) -> dict[str, float]:
    index, points = ROBOTS[robot]
    cases = reference(f"steps_{robot}.json")
    case, contact = cases["cases"][index], cases["contact"]
    builder = DiagramBuilder()
    plant, scene_graph = AddMultibodyPlantSceneGraph(builder, case["dt"])
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kTamsi)
    plant.set_stiction_tolerance(contact["stiction_tolerance"])
    plant.SetUseSampledOutputPorts(False)
    (model,) = Parser(plant).AddModels(model_path(robot))
    surface = proximity(contact["point_stiffness"], contact["dissipation"], contact["friction"])
    for body in plant.GetBodyIndices(model):
        for geometry in plant.GetCollisionGeometriesForBody(plant.get_body(body)):
            scene_graph.AssignRole(plant.get_source_id(), geometry, surface, RoleAssign.kReplace)
    ground = proximity(1e15, 0.0, 1.0)
    plant.RegisterCollisionGeometry(
        plant.world_body(), RigidTransform(), HalfSpace(), "ground", ground
    )
    for joint in plant.GetJointIndices(model):
        joint = plant.get_joint(joint)
        if joint.num_velocities() == 1:
            joint.set_default_damping(0.0)
            plant.AddJointActuator(joint.name(), joint)
    plant.Finalize()
    diagram = builder.Build()

    x, u = np.array(case["q"] + case["v"]), np.zeros(plant.num_actuators())
    root = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(root)
    plant.get_actuation_input_port().FixValue(context, u)
    plant.SetPositionsAndVelocities(context, x)
    results = plant.get_contact_results_output_port().Eval(context)
    assert results.num_point_pair_contacts() == points
    updates = plant.AllocateDiscreteVariables()
    step = net_time(
        lambda: plant.SetPositionsAndVelocities(context, x),
        lambda: plant.CalcForcedDiscreteVariableUpdate(context, updates),
        500,
    )

    diagram = diagram.ToAutoDiffXd()
    plant = diagram.GetSubsystemByName(plant.get_name())
    root = diagram.CreateDefaultContext()
    context = plant.GetMyMutableContextFromRoot(root)
    x, u = InitializeAutoDiffTuple(x, u)
    plant.get_actuation_input_port().FixValue(context, u)
    updates = plant.AllocateDiscreteVariables()
    jacobian = net_time(
        lambda: plant.SetPositionsAndVelocities(context, x),
        lambda: plant.CalcForcedDiscreteVariableUpdate(context, updates),
        5,
    )
    assert updates.value(0)[-1].derivatives().size == x.size + u.size
    return {"step": step, "jacobian": jacobian}


def mujoco_model(robot: str, dt: float) -> mujoco.MjModel:
    spec = mujoco.MjSpec.from_file(model_path(robot))
    spec.compiler.fusestatic = False
    spec.option.timestep = dt
    spec.worldbody.first_body().add_freejoint()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1])
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.damping = 0 * np.asarray(joint.damping)
            spec.add_actuator(
                name=joint.name, target=joint.name, trntype=mujoco.mjtTrn.mjTRN_JOINT
            )
    return spec.compile()


def mujoco_times(robot: str) -> dict[str, float]:
    index, points = ROBOTS[robot]
    case = reference(f"steps_{robot}.json")["cases"][index]
    model = mujoco_model(robot, case["dt"])
    data = mujoco.MjData(model)
    # MuJoCo has the position before the quaternion.
    qpos = np.array(case["q"][4:7] + case["q"][0:4] + [0.0] * (model.nq - 7))
    for joint in reference(f"dynamics_{robot}.json")["layout"]:
        if joint["nq"] == 1:
            qpos[model.joint(joint["joint"]).qposadr[0]] = case["q"][joint["q_start"]]
    assert not np.any(case["v"]), "the robot stands still"

    def reset():
        data.qpos[:] = qpos
        data.qvel[:] = 0.0

    reset()
    mujoco.mj_forward(model, data)
    assert data.ncon == points, data.ncon
    repeated = net_time(reset, lambda: mujoco.mj_step(model, data), 2000)
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_WARMSTART
    step = net_time(reset, lambda: mujoco.mj_step(model, data), 2000)
    model.opt.disableflags = 0
    hundred = net_time(reset, lambda: mujoco.mj_step(model, data, 100), 50)
    reset()
    a = np.zeros((2 * model.nv, 2 * model.nv))
    b = np.zeros((2 * model.nv, model.nu))
    jacobian = call_time(
        lambda: mujoco.mjd_transitionFD(model, data, 1e-6, 1, a, b, None, None), 20
    )
    return {
        "step": step,
        "repeated step": repeated,
        "hundred steps": hundred,
        "jacobian": jacobian,
    }


def dualbody() -> dict[str, dict[str, float]]:
    """Runs the Rust benchmark; smallest mean times of a call in ns, as of the others."""
    environment = {"RUSTFLAGS": os.environ.get("RUSTFLAGS", "-C target-cpu=native")}
    options = ("--measurement-time", "2", "--warm-up-time", "1")
    folder = criterion.run("step", *options, environment=environment)
    return {
        robot: {what: criterion.smallest(folder / robot / what) for what in WHAT}
        for robot in ROBOTS
    }


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    best = {}
    for _ in range(rounds):
        ours = dualbody()
        for robot in ROBOTS:
            for name, times in [
                ("dualbody", ours[robot]),
                ("Drake", drake(robot)),
                ("MuJoCo", mujoco_times(robot)),
            ]:
                for what, value in times.items():
                    key = (robot, what, name)
                    best[key] = min(value, best.get(key, np.inf))
    print(f"Best of {rounds} rounds, {os.cpu_count()} processors; times in µs")
    print(f"{'':24}{'dualbody':>10}{'Drake':>10}{'MuJoCo':>10}{'/Drake':>9}{'/MuJoCo':>9}")
    for robot in ROBOTS:
        for what in WHAT:
            ours, drakes, mujocos = (
                best.get((robot, what, name), np.nan) / 1e3
                for name in ("dualbody", "Drake", "MuJoCo")
            )
            print(
                f"{robot + ' ' + what:24}{ours:10.1f}{drakes:10.1f}{mujocos:10.1f}"
                f"{ours / drakes:9.3f}{ours / mujocos:9.3f}"
            )
        ours = best[(robot, "jacobian", "dualbody")] / best[(robot, "step", "dualbody")]
        print(f"{robot}: a Jacobian costs {ours:.1f} steps")


if __name__ == "__main__":
    main()
