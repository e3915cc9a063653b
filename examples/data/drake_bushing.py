"""A body that hangs in a bushing rings down: poses simulated by Drake, with measurement noise.

Writes drake_bushing.csv, the data set that `identify_bushing` runs on. The columns are

    release, t, qw, qx, qy, qz, px, py, pz

time in s, the unit quaternion R_WB and the position p_WBo in m. Every release starts from rest. The
first stays in the plane y = 0, the others move in all directions.

    pip install drake==1.51.1 numpy
    python drake_bushing.py
"""

import pathlib

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    LinearBushingRollPitchYaw,
    SpatialInertia,
    UnitInertia,
)
from pydrake.systems.analysis import Simulator

MASS = 2.0
SIZE = [0.2, 0.3, 0.4]
# Where frame C sits on the body: at the middle of its upper face.
TOP = [0.0, 0.0, 0.2]
TORQUE_STIFFNESS = [8.0, 5.0, 3.0]
TORQUE_DAMPING = [0.06, 0.05, 0.03]
FORCE_STIFFNESS = [800.0, 1200.0, 2000.0]
FORCE_DAMPING = [4.0, 5.0, 9.0]
# Standard deviations of the measurement: orientation (rad), position (m).
NOISE_ROTATION = 2e-3
NOISE_POSITION = 2e-4
SAMPLES_PER_SECOND = 200
DURATION = 0.6
# Roll, pitch, yaw and displacement of frame C from frame A at the start.
RELEASES = [
    ([0.0, 0.3, 0.0], [0.02, 0.0, 0.01]),
    ([0.4, -0.2, 0.3], [-0.02, 0.03, 0.0]),
    ([-0.3, 0.2, -0.5], [0.01, -0.02, -0.03]),
    ([0.2, 0.4, 0.6], [0.03, 0.02, 0.02]),
]


def build():
    plant = MultibodyPlant(0.0)
    unit = UnitInertia.SolidBox(*SIZE)
    body = plant.AddRigidBody("body", SpatialInertia(MASS, [0.0, 0.0, 0.0], unit))
    frame_c = plant.AddFrame(
        FixedOffsetFrame("C", body.body_frame(), RigidTransform(TOP))
    )
    plant.AddForceElement(
        LinearBushingRollPitchYaw(
            plant.world_frame(),
            frame_c,
            TORQUE_STIFFNESS,
            TORQUE_DAMPING,
            FORCE_STIFFNESS,
            FORCE_DAMPING,
        )
    )
    plant.Finalize()
    return plant, body


def simulate(rpy, displacement):
    plant, body = build()
    simulator = Simulator(plant)
    context = simulator.get_mutable_context()
    pose_c = RigidTransform(RollPitchYaw(rpy), displacement)
    pose = pose_c @ RigidTransform(TOP).inverse()
    plant.SetFreeBodyPose(context, body, pose)
    # The default integrator is an error-controlled Runge-Kutta method of third order.
    simulator.get_mutable_integrator().set_target_accuracy(1e-10)
    simulator.get_mutable_integrator().set_maximum_step_size(1e-3)
    simulator.Initialize()
    for index in range(round(DURATION * SAMPLES_PER_SECOND) + 1):
        simulator.AdvanceTo(index / SAMPLES_PER_SECOND)
        pose = plant.EvalBodyPoseInWorld(context, body)
        yield index / SAMPLES_PER_SECOND, pose


def rotated(quaternion, vector):
    """The quaternion after a further small rotation, given in the world frame."""
    angle = np.linalg.norm(vector)
    w = np.cos(angle / 2)
    v = np.sin(angle / 2) * vector / angle
    qw, qv = quaternion[0], quaternion[1:]
    return np.concatenate([[w * qw - v @ qv], w * qv + qw * v + np.cross(v, qv)])


def main():
    random = np.random.default_rng(20)
    lines = ["release,t,qw,qx,qy,qz,px,py,pz"]
    for release, (rpy, displacement) in enumerate(RELEASES):
        for time, pose in simulate(rpy, displacement):
            quaternion = pose.rotation().ToQuaternion().wxyz()
            quaternion = rotated(quaternion, NOISE_ROTATION * random.standard_normal(3))
            position = pose.translation() + NOISE_POSITION * random.standard_normal(3)
            values = [*quaternion, *position]
            lines.append(f"{release},{time:.3f}," + ",".join(f"{x:.6f}" for x in values))
    path = pathlib.Path(__file__).with_name("drake_bushing.csv")
    path.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
