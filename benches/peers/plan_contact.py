# /// script
# requires-python = ">=3.10"
# dependencies = ["crocoddyl==3.2.1", "mujoco==4.0.0", "numpy"]
# ///
"""Compares plans of the example `plan_contact` with those of MuJoCo and Crocoddyl, where they apply.

- the spinner, with MuJoCo: differential dynamic programming on its centred differences (`mjd_transitionFD`), with rollouts
  and the costs of the example, from zero inputs and from random ones; a contact is felt over a margin of 0.1 m. How many
  starts end within 0.2 rad, at what cost, and how long an iteration takes, which is mostly NumPy's
- the quadruped that stands up, with Crocoddyl: FDDP with four feet that are said to hold, costs of the example, one
  thread. The time of an iteration; contact is not found by it

    pip install crocoddyl==3.2.1 mujoco==4.0.0 numpy
    python benches/peers/plan_contact.py [--peers-only]
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import crocoddyl
import mujoco
import numpy as np
import pinocchio

# Trial rollouts that explode are part of the search.
mujoco.set_mju_user_warning(lambda _: None)

REPOSITORY = Path(__file__).resolve().parents[2]
SEEDS = 8

SPINNER = """
<mujoco>
  <option timestep="0.05" gravity="0 0 0" integrator="implicitfast"/>
  <default><joint axis="0 1 0" damping="0.1"/><geom friction="0.5" margin="{margin}" gap="0"/></default>
  <worldbody>
    <body>
      <joint name="one"/>
      <inertial pos="0 0 0.5" mass="1" diaginertia="0.0839 0.0839 0.00125"/>
      <body pos="0 0 1">
        <joint name="two"/>
        <inertial pos="0 0 0.5" mass="1" diaginertia="0.0839 0.0839 0.00125"/>
        <geom type="sphere" size="0.05" pos="0 0 0.95"/>
      </body>
    </body>
    <body pos="1.5 0 1">
      <joint name="three"/>
      <inertial pos="0 0 0" mass="1" diaginertia="0.054 0.074 0.022"/>
      <geom type="sphere" size="0.25"/>
    </body>
  </worldbody>
  <actuator><motor joint="one"/><motor joint="two"/></actuator>
</mujoco>
"""


class Spinner:
    """The problem of the example on MuJoCo's steps; costs are sums of weighted squares."""

    stages, step, turn = 40, 0.05, 2.0

    def __init__(self, margin: float) -> None:
        self.model = mujoco.MjModel.from_xml_string(SPINNER.format(margin=margin))
        self.data = mujoco.MjData(self.model)
        start = np.array([0.3, 1.5, 0.0, 0.0, 0.0, 0.0])
        self.nominal = np.tile(start, (self.stages + 1, 1))
        self.nominal[:, 2] = self.turn * np.linspace(0.0, 1.0, self.stages + 1)
        self.running = self.step * np.diag([1.0, 1.0, 1.0, 0.1, 0.1, 0.1])
        self.final = np.diag([10.0, 10.0, 10.0, 0.1, 0.1, 0.1])
        self.effort = self.step * 0.1 * np.eye(2)

    def set(self, state: np.ndarray, inputs: np.ndarray) -> None:
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:], self.data.qvel[:], self.data.ctrl[:] = state[:3], state[3:], inputs

    def follow(self, states: np.ndarray, inputs: np.ndarray, feedforward, gains, length: float):
        """A rollout of the policy; states, inputs and the cost."""
        new_states, new_inputs, cost = [self.nominal[0]], [], 0.0
        for k in range(self.stages):
            x = new_states[-1]
            u = inputs[k] + length * feedforward[k] + gains[k] @ (x - states[k])
            away = x - self.nominal[k]
            cost += away @ self.running @ away + u @ self.effort @ u
            self.set(x, u)
            mujoco.mj_step(self.model, self.data)
            new_states.append(np.concatenate([self.data.qpos, self.data.qvel]))
            new_inputs.append(u)
        away = new_states[-1] - self.nominal[-1]
        cost += away @ self.final @ away
        finite = np.isfinite(new_states).all()
        return np.array(new_states), np.array(new_inputs), cost if finite else np.inf

    def policy(self, states: np.ndarray, inputs: np.ndarray, regularization: float):
        """The Riccati recursion on differences of the steps."""
        feedforward, gains = np.zeros((self.stages, 2)), np.zeros((self.stages, 2, 6))
        hessian = 2.0 * self.final
        slope = hessian @ (states[-1] - self.nominal[-1])
        a, b = np.zeros((6, 6)), np.zeros((6, 2))
        for k in reversed(range(self.stages)):
            self.set(states[k], inputs[k])
            mujoco.mjd_transitionFD(self.model, self.data, 1e-6, True, a, b, None, None)
            qx = 2.0 * self.running @ (states[k] - self.nominal[k]) + a.T @ slope
            qu = 2.0 * self.effort @ inputs[k] + b.T @ slope
            qxx = 2.0 * self.running + a.T @ hessian @ a
            qux = b.T @ hessian @ a
            quu = 2.0 * self.effort + b.T @ hessian @ b
            raised = quu + regularization * np.diag(np.diag(quu))
            feedforward[k] = -np.linalg.solve(raised, qu)
            gains[k] = -np.linalg.solve(raised, qux)
            slope = qx + gains[k].T @ (quu @ feedforward[k] + qu) + qux.T @ feedforward[k]
            hessian = qxx + gains[k].T @ quu @ gains[k] + gains[k].T @ qux + qux.T @ gains[k]
            hessian = 0.5 * (hessian + hessian.T)
        return feedforward, gains

    def solve(self, inputs: np.ndarray, iterations: int = 200) -> tuple[float, float, int]:
        """Turn at the end, cost and iterations."""
        none = np.zeros((self.stages, 2)), np.zeros((self.stages, 2, 6))
        states, inputs, cost = self.follow(np.zeros((self.stages + 1, 6)), inputs, *none, 0.0)
        regularization, done = 0.0, 0
        while done < iterations and regularization < 1e8:
            done += 1
            policy = self.policy(states, inputs, regularization)
            for length in 0.5 ** np.arange(10):
                candidate = self.follow(states, inputs, *policy, length)
                if candidate[2] < cost:
                    break
            else:
                regularization = max(10.0 * regularization, 1e-6)
                continue
            gain = cost - candidate[2]
            states, inputs, cost = candidate
            regularization *= 0.1
            if gain < 1e-6 * (1.0 + cost):
                break
        return states[-1][2], cost, done


def mujoco_spinner(margin: float) -> dict:
    random = np.random.default_rng(0)
    spinner = Spinner(margin)
    results, begin = [], time.perf_counter()
    for seed in range(SEEDS):
        scale = 0.0 if seed == 0 else 0.1
        results.append(spinner.solve(scale * random.standard_normal((spinner.stages, 2))))
    seconds = time.perf_counter() - begin
    iterations = sum(done for _, _, done in results)
    return {
        "from zero": results[0][1],
        "solved": sum(abs(turn - spinner.turn) < 0.2 for turn, _, _ in results),
        "best cost": min(cost for _, cost, _ in results),
        "iterations": iterations / SEEDS,
        "ms": 1e3 * seconds / iterations,
    }


def quadruped() -> tuple[pinocchio.Model, list[int]]:
    """The machine of the example, and the frames of its feet."""
    model = pinocchio.Model()
    place = lambda *p: pinocchio.SE3(np.eye(3), np.array(p))  # noqa: E731

    def add(parent, joint, pose, name, mass, height, moments):
        index = model.addJoint(parent, joint, pose, name)
        inertia = pinocchio.Inertia(mass, np.array([0.0, 0.0, height]), np.diag(moments))
        model.appendBodyToJoint(index, inertia, pinocchio.SE3.Identity())
        return index

    free = pinocchio.JointModelFreeFlyer()
    trunk = add(0, free, place(0, 0, 0), "root_joint", 12.0, 0.0, [0.0769, 0.2644, 0.3125])
    feet = []
    for leg, front, left in [("FL", 1, 1), ("FR", 1, -1), ("HL", -1, 1), ("HR", -1, -1)]:
        roll, pitch = pinocchio.JointModelRX, pinocchio.JointModelRY
        at = place(0.22 * front, 0.06 * left, 0)
        hip = add(trunk, roll(), at, leg + "_roll", 0.7, 0.0, [5e-4, 7e-4, 5e-4])
        at, moments = place(0, 0.09 * left, 0), [4.13e-3, 4.13e-3, 2e-4]
        thigh = add(hip, pitch(), at, leg + "_pitch", 1.0, -0.11, moments)
        moments = [8.1e-4, 8.1e-4, 1.4e-5]
        shank = add(thigh, pitch(), place(0, 0, -0.22), leg + "_knee", 0.2, -0.11, moments)
        frame = pinocchio.Frame(leg, shank, place(0, 0, -0.22), pinocchio.FrameType.OP_FRAME)
        feet.append(model.addFrame(frame))
    return model, feet


def crocoddyl_stand() -> dict:
    """Stands up with feet that hold, in 20 stages of 0.05 s."""
    model, feet = quadruped()
    data = model.createData()

    def on_feet(pitch):
        q = pinocchio.neutral(model)
        q[2] = 0.44 * np.cos(pitch)
        q[7:] = np.tile([0.0, pitch, -2.0 * pitch], 4)
        return np.concatenate([q, np.zeros(model.nv)])

    start, stand = on_feet(1.25), on_feet(0.8)
    pinocchio.framesForwardKinematics(model, data, start[: model.nq])
    state = crocoddyl.StateMultibody(model)
    actuation = crocoddyl.ActuationModelFloatingBase(state)
    # Of position, rotation and joints; velocities in the same order.
    q = [20.0, 20.0, 100.0, 100.0, 100.0, 20.0] + 4 * [2.0, 2.0, 5.0]
    v = [5.0, 5.0, 1.0, 1.0, 1.0, 1.0] + 12 * [0.02]

    def stage():
        contacts = crocoddyl.ContactModelMultiple(state, actuation.nu)
        for foot in feet:
            contact = crocoddyl.ContactModel3D(
                state,
                foot,
                data.oMf[foot].translation,
                pinocchio.LOCAL_WORLD_ALIGNED,
                actuation.nu,
                np.array([0.0, 50.0]),
            )
            contacts.addContact(model.frames[foot].name, contact)
        costs = crocoddyl.CostModelSum(state, actuation.nu)
        activation = crocoddyl.ActivationModelWeightedQuad(np.array(q + v))
        away = crocoddyl.ResidualModelState(state, stand, actuation.nu)
        costs.addCost("state", crocoddyl.CostModelResidual(state, activation, away), 1.0)
        effort = crocoddyl.ResidualModelControl(state, actuation.nu)
        costs.addCost("input", crocoddyl.CostModelResidual(state, effort), 2e-4)
        continuous = crocoddyl.DifferentialActionModelContactFwdDynamics(
            state, actuation, contacts, costs, 0.0, True
        )
        return crocoddyl.IntegratedActionModelEuler(continuous, 0.05)

    problem = crocoddyl.ShootingProblem(start, [stage() for _ in range(20)], stage())
    problem.nthreads = 1
    solver = crocoddyl.SolverFDDP(problem)
    times = []
    for _ in range(20):
        begin = time.perf_counter()
        solver.solve([start] * 21, [np.zeros(actuation.nu)] * 20, 50, False)
        times.append((time.perf_counter() - begin) / max(solver.iter, 1))
    height = solver.xs[-1][2] - stand[2]
    return {"iterations": solver.iter, "ms": 1e3 * min(times), "height left": height}


def ours(name: str) -> dict:
    """The figures of the example."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.json"
        example = ["cargo", "run", "--release", "-p", "dualbody-control", "--example", "plan_contact"]
        options = ["--only", name, "--json", path, "--out", folder]
        subprocess.run([*example, "--", *options], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL)
        figures = json.loads(path.read_text())[0]
    keys = ("seeds", "solved", "cost_true", "iterations", "ms_per_iteration", "rate_hz", "falls")
    return {key: figures[key] for key in keys}


def line(who: str, figures: dict) -> None:
    words = (f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in figures.items())
    print(f"{who:30}" + ", ".join(words))


def main() -> None:
    with_ours = "--peers-only" not in sys.argv[1:]
    print("spinner")
    for margin in (0.0, 0.1):
        line(f"  MuJoCo, margin {margin} m", mujoco_spinner(margin))
    if with_ours:
        line("  dualbody", ours("spinner"))
    print("quadruped stands up")
    line("  Crocoddyl, feet prescribed", crocoddyl_stand())
    if with_ours:
        line("  dualbody, MPC", ours("stand"))


if __name__ == "__main__":
    main()
