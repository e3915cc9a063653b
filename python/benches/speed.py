# /// script
# requires-python = ">=3.10"
# dependencies = ["drake==1.51.1", "mujoco==4.0.0", "numpy", "pin==4.1.0"]
# ///
"""Measures the Python package beside Pinocchio, MuJoCo and Drake, where these are installed.

    pip install ./python mujoco==4.0.0 pin==4.1.0 drake==1.51.1
    python python/benches/speed.py --json speed.json

Dynamics are of the arm of the tests. Steps are of two four-legged robots and a humanoid on their feet, which dualbody, MuJoCo and
Drake read from one text; each is put into the state in which it comes to rest there by itself. What is compared takes turns, and a time is the
smallest of many means, so that other work on the machine counts little; but two threads need two processors. The package has
to be built as pip does, with optimisation.

- Rollouts keep all states, MuJoCo's too (``mujoco.rollout``, with its warm start). Nobody has sensors.
- Jacobians are of the whole state after a step by the whole state before it and all inputs, A and B: dualbody's are exact.
  MuJoCo's are those of ``mjd_transitionFD`` with the tolerance that models have by default; centred, as its tutorials take
  them for regulators, with errors of the size of eps², and one-sided, with those of the size of eps, which take half as many
  steps. On two threads it is called by two Python threads, during which it holds no lock.
- Drake makes its own discrete steps (TAMSI), one on one thread; its Jacobian is that of ``AutoDiffXd``. Its bindings have to
  be told positions and velocities first, which is counted, because everybody who calls it does that.
"""

import argparse
import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dualbody as db
import numpy as np

MODELS = Path(__file__).parent.parent.parent / "tests" / "data" / "models"
COPIES, STEPS = 16, 25


def limb(name, place, links, foot=()):
    """Links below each other, each an axis, a length in m and a mass in kg, and spheres at the end of the last."""
    axis, length, mass = links[0]
    end = f"0 0 {-length}"
    if links[1:]:
        inner = limb(f"{name}+", end, links[1:], foot)
    else:
        sphere = '<geom type="sphere" size="0.03" pos="{} {}" mass="0.1"/>'
        inner = "".join(sphere.format(place, -length) for place in foot)
    shape = f'type="capsule" fromto="0 0 0 {end}" size="0.02"' if length > 0 else 'type="sphere" size="0.04"'
    return f"""
    <body name="{name}" pos="{place}">
      <joint name="{name}" axis="{axis}" damping="0.1"/>
      <geom {shape} mass="{mass}" contype="0" conaffinity="0"/>
      {inner}
    </body>"""


X, Y, Z = "1 0 0", "0 1 0", "0 0 1"
CORNERS = {"FL": "0.2 0.15 0", "FR": "0.2 -0.15 0", "RL": "-0.2 0.15 0", "RR": "-0.2 -0.15 0"}
SIDES = {"L": 1, "R": -1}


def legs(links):
    return [limb(name, place, links, ["0 0"]) for name, place in CORNERS.items()]


def human_limbs():
    leg = [(Z, 0, 0.5), (X, 0, 0.5), (Y, 0.2, 3), (Y, 0.2, 2), (Y, 0, 0.5), (X, 0.03, 0.5)]
    sole = [f"{x} {y}" for x in (-0.05, 0.12) for y in (-0.04, 0.04)]
    arm = [(Y, 0, 0.5), (X, 0, 0.5), (Z, 0.2, 1.5), (Y, 0.2, 1)]
    limbs = [limb(f"{name} leg", f"0 {0.1 * side} 0", leg, sole) for name, side in SIDES.items()]
    return limbs + [limb(f"{name} arm", f"0 {0.2 * side} 0.4", arm) for name, side in SIDES.items()]


# What a robot has for limbs, and how many points of it touch the floor.
ROBOTS = {
    "two joints a leg": (legs([(X, 0.2, 1), (Y, 0.2, 0.3)]), 4),
    "three joints a leg": (legs([(X, 0, 0.3), (Y, 0.2, 1), (Y, 0.2, 0.3)]), 4),
    "humanoid": (human_limbs(), 8),
}


def robot(limbs):
    """On its feet, with a motor at each joint."""
    limbs = "".join(limbs)
    joints = re.findall('<joint name="(.*?)"', limbs)
    motors = "".join(f'<motor name="{joint}" joint="{joint}"/>' for joint in joints)
    return f"""
    <mujoco model="robot">
      <option timestep="0.002"/>
      <worldbody>
        <geom name="floor" type="plane" size="10 10 1"/>
        <body name="trunk" pos="0 0 {0.46 if "arm" in limbs else 0.43}">
          <freejoint name="root"/>
          <geom type="box" size="0.25 0.12 0.05" mass="10" contype="0" conaffinity="0"/>
          {limbs}
        </body>
      </worldbody>
      <actuator>{motors}</actuator>
    </mujoco>"""


def smallest(calls, seconds=1.5):
    """Times of calls in s, of each the smallest mean over a few milliseconds; they take turns for so long, each."""
    chunks = {}
    for name, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        chunks[name] = max(1, int(2e-3 / (time.perf_counter() - start)))
    times = dict.fromkeys(calls, np.inf)
    end = time.perf_counter() + seconds * len(calls)
    while time.perf_counter() < end:
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(chunks[name]):
                call()
            times[name] = min(times[name], (time.perf_counter() - start) / chunks[name])
    return times


class Table:
    """Times that are printed, and kept for a file."""

    def __init__(self):
        self.rows = []

    def compare(self, what, calls, each=1):
        """Measures calls by name, dualbody's first, which do something so many times."""
        times = {name: seconds / each for name, seconds in smallest(calls).items()}
        own = next(iter(times.values()))
        cells = [f"{name} {1e6 * seconds:.2f} ({own / seconds:.2f})" for name, seconds in times.items()]
        print(f"{what:<40}{1e6 * own:10.2f}   {'   '.join(cells[1:])}")
        self.rows.append({"what": what, "seconds": times})
        return times

    def goal(self, what, value, unit, wanted):
        print(f"{what}: {value:.2f} {unit}, wanted: {wanted}")
        self.rows.append({"what": what, "value": value, "unit": unit, "wanted": wanted})


def pinocchio_dynamics(q, v, a):
    """Calls by what they compute, of a peer that is installed."""
    import pinocchio as pin

    model = pin.buildModelFromUrdf(str(MODELS / "arm7.urdf"))
    data = model.createData()
    return {
        "inverse dynamics": lambda: pin.rnea(model, data, q, v, a),
        "forward dynamics": lambda: pin.aba(model, data, q, v, a),
        "mass matrix": lambda: pin.crba(model, data, q),
        "derivatives of inverse dynamics": lambda: pin.computeRNEADerivatives(model, data, q, v, a),
        "derivatives of forward dynamics": lambda: pin.computeABADerivatives(model, data, q, v, a),
    }


def mujoco_dynamics(q, v, a):
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(MODELS / "arm7.urdf"))
    data = mujoco.MjData(model)
    data.qpos, data.qvel, data.qacc = q, v, a
    full = np.zeros((model.nv, model.nv))

    def inverse():
        mujoco.mj_inverse(model, data)

    def mass():
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        mujoco.mj_fullM(model, data, full)

    return {"inverse dynamics": inverse, "mass matrix": mass}


def drake_dynamics(q, v, a):
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.multibody.tree import MultibodyForces

    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(MODELS / "arm7.urdf"))
    plant.Finalize()
    context, forces = plant.CreateDefaultContext(), MultibodyForces(plant)
    x = np.concatenate([q, v])

    def inverse():
        plant.SetPositionsAndVelocities(context, x)
        plant.CalcInverseDynamics(context, a, forces)

    def mass():
        plant.SetPositions(context, q)
        plant.CalcMassMatrix(context)

    return {"inverse dynamics": inverse, "mass matrix": mass}


def installed(name, make, *arguments):
    """What a peer is asked for, or nothing."""
    try:
        return {name: make(*arguments)}
    except ImportError:
        print(f"without {name}")
        return {}


def dynamics(table):
    arm = db.System.from_urdf(MODELS / "arm7.urdf")
    q, v, a = arm.random_configuration(1), np.full(7, 0.1), np.full(7, 0.2)
    table.compare("arm, nq, a property", {"dualbody": lambda: arm.nq})
    table.compare("arm, potential energy", {"dualbody": lambda: arm.potential_energy(q)})
    peers = installed("Pinocchio", pinocchio_dynamics, q, v, a)
    peers |= installed("MuJoCo", mujoco_dynamics, q, v, a)
    peers |= installed("Drake", drake_dynamics, q, v, a)
    for what, call in {
        "inverse dynamics": lambda: arm.inverse_dynamics(q, v, a),
        "forward dynamics": lambda: arm.forward_dynamics(q, v, a),
        "mass matrix": lambda: arm.mass_matrix(q),
        "derivatives of inverse dynamics": lambda: arm.inverse_dynamics_derivatives(q, v, a),
        "derivatives of forward dynamics": lambda: arm.forward_dynamics_derivatives(q, v, a),
    }.items():
        of_peers = {name: calls[what] for name, calls in peers.items() if what in calls}
        table.compare(f"arm, {what}", {"dualbody": call} | of_peers)


def mujoco_steps(text, contacts):
    import mujoco
    from mujoco import rollout

    model = mujoco.MjModel.from_xml_string(text)
    datas = [mujoco.MjData(model) for _ in range(2)]
    for data in datas:
        mujoco.mj_step(model, data, 50)
        mujoco.mj_forward(model, data)
    assert datas[0].ncon == contacts
    full = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.zeros(mujoco.mj_stateSize(model, full))
    mujoco.mj_getState(model, datas[0], start, full)
    states, control = np.tile(start, (COPIES, 1)), np.zeros((COPIES, STEPS, model.nu))
    velocities = states[:, 1 + model.nq : 1 + model.nq + model.nv]
    velocities += 0.01 * np.random.default_rng(1).normal(size=velocities.shape)
    pools = {threads: rollout.Rollout(nthread=threads if threads > 1 else 0) for threads in (1, 2)}

    n = 2 * model.nv
    matrices = [(np.zeros((n, n)), np.zeros((n, model.nu))) for _ in datas]
    workers = ThreadPoolExecutor(2)

    def some(which, centred):
        """Of every other state, on a thread."""
        (A, B), data = matrices[which], datas[which]
        for state in states[which::2]:
            mujoco.mj_setState(model, data, state, full)
            mujoco.mjd_transitionFD(model, data, 1e-6, centred, A, B, None, None)

    def jacobians(threads, centred):
        if threads == 1:
            some(0, centred), some(1, centred)
        else:
            list(workers.map(some, range(2), [centred] * 2))

    return {
        "rollout": {n: lambda n=n: pools[n].rollout(model, datas[:n], states, control) for n in pools},
        "centred": {n: lambda n=n: jacobians(n, True) for n in pools},
        "one-sided": {n: lambda n=n: jacobians(n, False) for n in pools},
    }


def drake_steps(text):
    from pydrake.autodiffutils import InitializeAutoDiffTuple
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, DiscreteContactApproximation
    from pydrake.systems.framework import DiagramBuilder

    def made(diagram, x, u):
        """A call that makes a step, and what it writes."""
        plant = diagram.GetSubsystemByName("plant")
        context = plant.GetMyMutableContextFromRoot(diagram.CreateDefaultContext())
        plant.get_actuation_input_port().FixValue(context, u)
        end = plant.AllocateDiscreteVariables()

        def step():
            plant.SetPositionsAndVelocities(context, x)
            plant.CalcForcedDiscreteVariableUpdate(context, end)

        return step, end

    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.002)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kTamsi)
    plant.SetUseSampledOutputPorts(False)
    Parser(plant).AddModelsFromString(text, "xml")
    plant.Finalize()
    diagram = builder.Build()
    x, u = plant.GetPositionsAndVelocities(plant.CreateDefaultContext()), np.zeros(plant.num_actuators())
    for _ in range(50):
        step, end = made(diagram, x, u)
        step()
        x = end.value(0).copy()
    step, _ = made(diagram, x, u)
    jacobian, _ = made(diagram.ToAutoDiffXd(), *InitializeAutoDiffTuple(x, u))
    return {"step": step, "jacobian": jacobian}


def steps(table, name):
    limbs, contacts = ROBOTS[name]
    text = robot(limbs)
    system = db.System.from_mjcf(text)
    x, u = system.initial_state(), np.zeros((STEPS, system.nu))
    x = system.rollout(x, steps=50).last
    starts = np.tile(x, (COPIES, 1))
    starts[:, system.nq :] += 0.01 * np.random.default_rng(1).normal(size=(COPIES, system.nv))
    batches = {threads: db.Batch(system, COPIES, threads) for threads in (1, 2)}
    mujoco = installed("MuJoCo", mujoco_steps, text, contacts).get("MuJoCo")
    drake = installed("Drake", drake_steps, text).get("Drake")

    each, found = COPIES * STEPS, {}
    for threads, batch in batches.items():
        calls = {"dualbody": lambda batch=batch: batch.rollout(starts, u)}
        if mujoco:
            calls["MuJoCo"] = mujoco["rollout"][threads]
        found["rollout", threads] = table.compare(f"{name}, a step, {threads} threads", calls, each)
        calls = {"dualbody": lambda batch=batch: batch.step_jacobian(starts, u[0])}
        if mujoco:
            calls |= {f"MuJoCo {kind}": mujoco[kind][threads] for kind in ("centred", "one-sided")}
        found["jacobian", threads] = table.compare(f"{name}, its Jacobian, {threads} threads", calls, COPIES)
    calls = {"dualbody": lambda: system.step(x, u[0])}
    table.compare(f"{name}, a step, a call", calls | ({"Drake": drake["step"]} if drake else {}))
    calls = {"dualbody": lambda: system.step_jacobian(x, u[0])}
    table.compare(f"{name}, its Jacobian, a call", calls | ({"Drake": drake["jacobian"]} if drake else {}))

    one, two = (found["rollout", threads]["dualbody"] for threads in batches)
    table.goal(f"{name}: two threads beside one", one / two, "times as fast", "at least 1.8")
    if mujoco:
        times = found["rollout", 2]
        ratio = times["MuJoCo"] / times["dualbody"]
        table.goal(f"{name}: rollouts beside MuJoCo's", ratio, "times as fast", "at least 1")
        for kind in ("centred", "one-sided"):
            times = found["jacobian", 2]
            value = times[f"MuJoCo {kind}"] / times["dualbody"]
            what = f"{name}: Jacobians beside MuJoCo's differences, {kind}"
            table.goal(what, value, "times as fast", "at least 20")
        value = found["jacobian", 1]["MuJoCo centred"] / found["jacobian", 2]["dualbody"]
        what = f"{name}: a batch on two threads beside MuJoCo's function, which has one, centred"
        table.goal(what, value, "times as fast", "at least 20")


def calls(table):
    """A step by itself beside one of many in a call, of a machine at rest."""
    text = (MODELS / "double_pendulum.urdf").read_text()
    system = db.System.from_urdf(text)
    x, u = system.initial_state(), np.zeros(system.nu)
    assert np.allclose(system.step(x, u), x, atol=1e-12)
    times = smallest({"inside": lambda: system.rollout(x, u, 200), "outside": lambda: system.step(x, u)})
    inside, outside = times["inside"] / 200, times["outside"]
    print(f"double pendulum at rest, a step: {1e6 * inside:.2f} within a rollout, {1e6 * outside:.2f} from Python")
    table.goal("a call beside its work", 1e6 * (outside - inside), "µs", "at most 1")


def main():
    parser = argparse.ArgumentParser(description="Measures the Python package beside Pinocchio, MuJoCo and Drake.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures, times in s")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} processors; µs, and in parentheses the ratio to the peer's\n")
    table = Table()
    dynamics(table)
    for name in ROBOTS:
        steps(table, name)
    calls(table)
    if arguments.json:
        arguments.json.write_text(json.dumps({"processors": os.cpu_count(), "figures": table.rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
