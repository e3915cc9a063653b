"""Tosses of an acrylic cube onto a table, simulated by MuJoCo, with measurement noise.

Writes mujoco_tosses.csv, the data set that `identify_contact` runs on when no other is given.
MuJoCo's contact model is not the one that is fitted: normal and friction forces come from a convex
optimisation with soft constraints. The columns are

    toss, t, qw, qx, qy, qz, px, py, pz, wx, wy, wz, vx, vy, vz

time in s, the unit quaternion R_WB, the position of the centre in m, the angular velocity in the
body frame in rad/s, the velocity of the centre in world in m/s.

    pip install mujoco==4.0.0 numpy
    python mujoco_tosses.py
"""

import pathlib

import mujoco
import numpy as np

SIDE = 0.1048
MASS = 0.37
INERTIA = 0.00081
TOSSES = 48
DURATION = 0.65
SAMPLES_PER_SECOND = 148
SUBSTEPS = 40
# Standard deviations of the measurement: orientation (rad), position, angular velocity, velocity.
NOISE = dict(rotation=0.004, position=0.0004, angular=0.04, linear=0.01)

MODEL = f"""
<mujoco>
  <option timestep="{1 / (SAMPLES_PER_SECOND * SUBSTEPS)}" cone="elliptic" integrator="implicitfast"/>
  <worldbody>
    <geom name="table" type="plane" size="5 5 0.1" condim="3" friction="0.25 0.005 0.0001"/>
    <body name="cube">
      <freejoint/>
      <inertial pos="0 0 0" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} {INERTIA}"/>
      <geom type="box" size="{SIDE / 2} {SIDE / 2} {SIDE / 2}" condim="3"
            friction="0.25 0.005 0.0001" solref="0.004 0.35" solimp="0.95 0.99 0.001"/>
    </body>
  </worldbody>
</mujoco>
"""


def random_start(rng):
    """A throw like that of a hand: about 1 m/s sideways, turning by a few rad/s."""
    heading = rng.uniform(0, 2 * np.pi)
    speed = rng.uniform(0.6, 1.3)
    quaternion = rng.normal(size=4)
    position = np.array([0.0, 0.0, rng.uniform(0.11, 0.17)])
    velocity = np.array([speed * np.cos(heading), speed * np.sin(heading), rng.uniform(-0.4, 0.1)])
    return quaternion / np.linalg.norm(quaternion), position, rng.normal(size=3) * 3.0, velocity


def measured(data, rng):
    """One noisy row: orientation, position, angular velocity (body), velocity (world)."""
    turn = np.zeros(4)
    axis = rng.normal(size=3) * NOISE["rotation"]
    mujoco.mju_axisAngle2Quat(turn, axis / np.linalg.norm(axis), np.linalg.norm(axis))
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, data.qpos[3:7], turn)
    return np.concatenate(
        [
            quaternion,
            data.qpos[0:3] + rng.normal(size=3) * NOISE["position"],
            data.qvel[3:6] + rng.normal(size=3) * NOISE["angular"],
            data.qvel[0:3] + rng.normal(size=3) * NOISE["linear"],
        ]
    )


def main():
    rng = np.random.default_rng(20)
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    lines = ["toss,t,qw,qx,qy,qz,px,py,pz,wx,wy,wz,vx,vy,vz"]
    for toss in range(TOSSES):
        mujoco.mj_resetData(model, data)
        quaternion, position, angular, velocity = random_start(rng)
        data.qpos[:] = np.concatenate([position, quaternion])
        data.qvel[:] = np.concatenate([velocity, angular])
        mujoco.mj_forward(model, data)
        for sample in range(int(DURATION * SAMPLES_PER_SECOND)):
            row = measured(data, rng)
            time = sample / SAMPLES_PER_SECOND
            lines.append(f"{toss},{time:.6f}," + ",".join(f"{x:.6g}" for x in row))
            mujoco.mj_step(model, data, nstep=SUBSTEPS)
    target = pathlib.Path(__file__).with_suffix(".csv")
    target.write_text("\n".join(lines) + "\n")
    print(f"{target.name}: {TOSSES} tosses, {len(lines) - 1} rows")


if __name__ == "__main__":
    main()
