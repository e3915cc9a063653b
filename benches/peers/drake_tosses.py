# /// script
# requires-python = ">=3.10"
# dependencies = ["drake==1.51.1", "numpy"]
# ///
"""Scores Drake's TAMSI on tosses of a cube, as the example `identify_contact` scores this crate.

Every toss is simulated from its first sample, with eight corner points over a half space. Prints mean
and standard deviation over the tosses of the mean distance (% of the width) and the mean angle.

    pip install drake==1.51.1 numpy
    python benches/peers/drake_tosses.py TOSSES.csv --stiffness 5.4e4 --dissipation 2.6 --friction 0.18
"""

import argparse
import csv
from collections import defaultdict

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import AddContactMaterial, HalfSpace, ProximityProperties, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.plant import (
    AddMultibodyPlantSceneGraph,
    ContactModel,
    CoulombFriction,
    DiscreteContactApproximation,
)
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

WIDTH = 0.1048
MASS = 0.37
INERTIA = 0.00081


def read_tosses(path: str) -> list[np.ndarray]:
    """Rows of t, quaternion, position, angular velocity (body frame) and velocity, by toss."""
    tosses = defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            values = list(row.values())
            tosses[values[0]].append([float(value) for value in values[1:]])
    return [np.array(rows) for rows in tosses.values()]


def simulate(options: argparse.Namespace, toss: np.ndarray) -> tuple[float, float]:
    """Mean distance in % of the width, mean angle in degrees."""
    interval = (toss[-1, 0] - toss[0, 0]) / (len(toss) - 1)
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, interval / options.substeps)
    plant.set_discrete_contact_approximation(DiscreteContactApproximation.kTamsi)
    plant.set_contact_model(ContactModel.kPoint)
    unit = UnitInertia(*[INERTIA / MASS] * 3)
    cube = plant.AddRigidBody("cube", SpatialInertia(MASS, np.zeros(3), unit))

    def add(body, position, shape, name, stiffness, dissipation):
        properties = ProximityProperties()
        AddContactMaterial(
            dissipation=dissipation,
            point_stiffness=stiffness,
            friction=CoulombFriction(options.friction, options.friction),
            properties=properties,
        )
        plant.RegisterCollisionGeometry(
            body, RigidTransform(position), shape, name, properties
        )

    for corner in range(8):
        position = [(0.5 if corner >> axis & 1 else -0.5) * WIDTH for axis in range(3)]
        sphere = Sphere(1e-7)
        add(cube, position, sphere, f"corner{corner}", options.stiffness, options.dissipation)
    add(plant.world_body(), np.zeros(3), HalfSpace(), "table", 1e15, 0.0)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())

    orientations = toss[:, 1:5] / np.linalg.norm(toss[:, 1:5], axis=1, keepdims=True)
    first = Quaternion(orientations[0])
    pose = RigidTransform(first, toss[0, 5:8] / options.scale)
    plant.SetFreeBodyPose(context, cube, pose)
    omega = RotationMatrix(first) @ toss[0, 8:11]
    velocity = SpatialVelocity(omega, toss[0, 11:14] / options.scale)
    plant.SetFreeBodySpatialVelocity(context=context, body=cube, V_JpJc=velocity)
    simulator.Initialize()
    distances, angles = [], []
    for index, sample in enumerate(toss):
        simulator.AdvanceTo(index * interval)
        pose = plant.EvalBodyPoseInWorld(context, cube)
        distances.append(np.linalg.norm(pose.translation() * options.scale - sample[5:8]))
        cosine = abs(pose.rotation().ToQuaternion().wxyz() @ orientations[index])
        angles.append(2.0 * np.arccos(min(cosine, 1.0)))
    return 100.0 * np.mean(distances) / WIDTH, np.degrees(np.mean(angles))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tosses")
    parser.add_argument("--stiffness", type=float, required=True, help="N/m")
    parser.add_argument("--dissipation", type=float, required=True, help="s/m")
    parser.add_argument("--friction", type=float, required=True)
    parser.add_argument("--scale", type=float, default=1.0, help="measured to true lengths")
    parser.add_argument("--substeps", type=int, default=4, help="steps between samples")
    options = parser.parse_args()
    scores = np.array([simulate(options, toss) for toss in read_tosses(options.tosses)])
    mean, deviation = scores.mean(axis=0), scores.std(axis=0, ddof=1)
    print(f"{len(scores)} tosses")
    print(f"position {mean[0]:5.1f} ± {deviation[0]:4.1f} % of the width")
    print(f"rotation {mean[1]:5.1f} ± {deviation[1]:4.1f}°")


if __name__ == "__main__":
    main()
