# /// script
# requires-python = ">=3.10"
# dependencies = ["mujoco==4.0.0", "pin==4.1.0", "numpy"]
# ///
"""Measures the Python package beside Pinocchio and MuJoCo, where these are installed.

    pip install ./python mujoco==4.0.0 pin==4.1.0
    python python/benches/speed.py --json speed.json

A four-legged robot on its feet is one text, which both read; dynamics are of the arm of the tests. Times are the smallest of
many means, so that other work on the machine counts little; but two threads need two processors. The package has to be
built as pip does, with optimisation.
"""

import argparse
import json
import os
import time
from pathlib import Path

import dualbody as db
import numpy as np

MODELS = Path(__file__).parent.parent.parent / "tests" / "data" / "models"
COPIES, STEPS = 16, 25


def leg(name, x, y):
    return f"""
    <body name="{name} thigh" pos="{x} {y} 0">
      <joint name="{name} abduction" axis="1 0 0" damping="0.1"/>
      <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="1" contype="0" conaffinity="0"/>
      <body name="{name} shank" pos="0 0 -0.2">
        <joint name="{name} knee" axis="0 1 0" damping="0.1"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="0.3" contype="0" conaffinity="0"/>
        <geom type="sphere" size="0.03" pos="0 0 -0.2" mass="0.1"/>
      </body>
    </body>"""


def robot():
    """On its feet, with a motor at each joint."""
    legs = {"FL": (0.2, 0.15), "FR": (0.2, -0.15), "RL": (-0.2, 0.15), "RR": (-0.2, -0.15)}
    joints = [f"{name} {joint}" for name in legs for joint in ("abduction", "knee")]
    motors = "".join(f'<motor name="{joint}" joint="{joint}"/>' for joint in joints)
    return f"""
    <mujoco model="robot">
      <option timestep="0.002"/>
      <worldbody>
        <geom name="floor" type="plane" size="10 10 1"/>
        <body name="trunk" pos="0 0 0.43">
          <freejoint name="root"/>
          <geom type="box" size="0.25 0.12 0.05" mass="10" contype="0" conaffinity="0"/>
          {"".join(leg(name, *at) for name, at in legs.items())}
        </body>
      </worldbody>
      <actuator>{motors}</actuator>
    </mujoco>"""


def smallest(call, number):
    """Time of a call in s: the smallest mean of so many, which are best done within a millisecond, over a second."""
    call()
    times = []
    end = time.perf_counter() + 1.0
    while time.perf_counter() < end or len(times) < 5:
        start = time.perf_counter()
        for _ in range(number):
            call()
        times.append((time.perf_counter() - start) / number)
    return min(times)


class Table:
    """Times that are printed, and kept for a file."""

    def __init__(self):
        self.rows = []

    def row(self, what, seconds, peer=None, name=""):
        beside = "" if peer is None else f"{1e6 * peer:12.2f}  {name} ({seconds / peer:.2f})"
        print(f"{what:<62}{1e6 * seconds:12.2f}{beside}")
        of_peer = {} if peer is None else {"peer": name, "peer_seconds": peer}
        self.rows.append({"what": what, "seconds": seconds, **of_peer})

    def goal(self, what, value, unit, wanted):
        print(f"{what}: {value:.2f} {unit}, wanted: {wanted}")
        self.rows.append({"what": what, "value": value, "unit": unit, "wanted": wanted})


def dynamics(table):
    arm = db.System.from_urdf(MODELS / "arm7.urdf")
    q, v, a = arm.random_configuration(1), np.full(7, 0.1), np.full(7, 0.2)
    times = {
        "nq, a property": smallest(lambda: arm.nq, 100),
        "potential energy": smallest(lambda: arm.potential_energy(q), 100),
        "inverse dynamics": smallest(lambda: arm.inverse_dynamics(q, v, a), 100),
        "forward dynamics": smallest(lambda: arm.forward_dynamics(q, v, a), 100),
        "mass matrix": smallest(lambda: arm.mass_matrix(q), 100),
        "derivatives of inverse dynamics": smallest(lambda: arm.inverse_dynamics_derivatives(q, v, a), 30),
        "derivatives of forward dynamics": smallest(lambda: arm.forward_dynamics_derivatives(q, v, a), 30),
    }
    peers = {}
    try:
        import pinocchio as pin

        model = pin.buildModelFromUrdf(str(MODELS / "arm7.urdf"))
        data = model.createData()
        peers = {
            "inverse dynamics": smallest(lambda: pin.rnea(model, data, q, v, a), 100),
            "forward dynamics": smallest(lambda: pin.aba(model, data, q, v, a), 100),
            "mass matrix": smallest(lambda: pin.crba(model, data, q), 100),
            "derivatives of inverse dynamics": smallest(lambda: pin.computeRNEADerivatives(model, data, q, v, a), 30),
            "derivatives of forward dynamics": smallest(lambda: pin.computeABADerivatives(model, data, q, v, a), 30),
        }
    except ImportError:
        print("without Pinocchio")
    for what, seconds in times.items():
        table.row(f"arm, {what}", seconds, peers.get(what), "Pinocchio")


def batches(table):
    text = robot()
    system = db.System.from_mjcf(text)
    x, u = system.initial_state(), np.zeros((STEPS, system.nu))
    x = system.rollout(x, steps=50).last
    starts = np.tile(x, (COPIES, 1))
    starts[:, system.nq :] += 0.01 * np.random.default_rng(1).normal(size=(COPIES, system.nv))
    each = COPIES * STEPS
    one, two = (db.Batch(system, COPIES, threads) for threads in (1, 2))
    alone = smallest(lambda: one.rollout(starts, u), 1) / each
    both = smallest(lambda: two.rollout(starts, u), 1) / each
    jacobians = smallest(lambda: two.step_jacobian(starts, u[0]), 1) / COPIES
    single = smallest(lambda: system.step_jacobian(x, u[0]), 20)
    rollout, jacobian = None, None
    try:
        import mujoco
        from mujoco import rollout as mujoco_rollout

        model = mujoco.MjModel.from_xml_string(text)
        datas = [mujoco.MjData(model) for _ in range(2)]
        data = datas[0]
        data.qpos[:3], data.qpos[3:7], data.qpos[7:] = x[4:7], x[:4], x[7 : system.nq]
        mujoco.mj_forward(model, data)
        full = mujoco.mjtState.mjSTATE_FULLPHYSICS
        start = np.zeros(mujoco.mj_stateSize(model, full))
        mujoco.mj_getState(model, data, start, full)
        states = np.tile(start, (COPIES, 1))
        control = np.zeros((COPIES, STEPS, model.nu))
        threads = mujoco_rollout.Rollout(nthread=2)
        rollout = smallest(lambda: threads.rollout(model, datas, states, control), 1) / each
        n = 2 * model.nv
        A, B = np.zeros((n, n)), np.zeros((n, model.nu))
        jacobian = smallest(lambda: mujoco.mjd_transitionFD(model, data, 1e-6, True, A, B, None, None), 2)
    except ImportError:
        print("without MuJoCo")
    table.row("robot on its feet, a step, batch on one thread", alone)
    table.row("robot on its feet, a step, batch on two threads", both, rollout, "MuJoCo's rollout on two")
    half = None if jacobian is None else jacobian / 2
    table.row("its Jacobian, a call", single, jacobian, "MuJoCo's differences")
    table.row("its Jacobian, batch on two threads", jacobians, half, "MuJoCo's differences, half of a call")
    table.goal("two threads beside one", alone / both, "times as fast", "at least 1.8")
    if rollout is not None:
        table.goal("rollouts beside MuJoCo's", rollout / both, "times as fast", "at least 1")
        table.goal("Jacobians beside MuJoCo's differences", half / jacobians, "times as fast", "at least 20")


def calls(table):
    """A step by itself beside one of many in a call, of a machine at rest."""
    text = (MODELS / "double_pendulum.urdf").read_text()
    system = db.System.from_urdf(text)
    x, u = system.initial_state(), np.zeros(system.nu)
    assert np.allclose(system.step(x, u), x, atol=1e-12)
    inside = smallest(lambda: system.rollout(x, u, 200), 1) / 200
    outside = smallest(lambda: system.step(x, u), 100)
    table.row("double pendulum at rest, a step, within a rollout", inside)
    table.row("double pendulum at rest, a step, from Python", outside)
    table.goal("a call beside its work", 1e6 * (outside - inside), "µs", "at most 1")


def main():
    parser = argparse.ArgumentParser(description="Measures the Python package beside Pinocchio and MuJoCo.")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures, times in s")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} processors; µs, and in parentheses the ratio to the peer's\n")
    table = Table()
    dynamics(table)
    batches(table)
    calls(table)
    if arguments.json:
        arguments.json.write_text(json.dumps({"processors": os.cpu_count(), "figures": table.rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
