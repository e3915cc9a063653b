#!/usr/bin/env python3
"""Accelerometer, gyroscope and encoder readings of Drake, for tests/elements/reference_sensors.rs.

Needs the Python package `drake`. Run in the root of the crate:

    python scripts/reference/drake_sensors.py > tests/data/reference/sensors.json
"""

import json
import sys

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.sensors import Accelerometer, Gyroscope, RotaryEncoders

ROBOTS = ["double_pendulum", "arm7"]


def read(robot, rng):
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.0)
    (model,) = Parser(plant).AddModels(f"tests/data/models/{robot}.urdf")
    root = plant.get_body(plant.GetBodyIndices(model)[0])
    children = {plant.get_joint(j).child_body().name() for j in plant.GetJointIndices(model)}
    if root.name() not in children:
        plant.WeldFrames(plant.world_frame(), root.body_frame())
    plant.Finalize()
    body = plant.get_body(plant.GetBodyIndices(model)[-1])
    mounting = RigidTransform(RollPitchYaw(rng.uniform(-1, 1, 3)), rng.uniform(-0.2, 0.2, 3))
    gravity = plant.gravity_field().gravity_vector()
    accelerometer = builder.AddSystem(Accelerometer(body, mounting, gravity))
    gyroscope = builder.AddSystem(Gyroscope(body, mounting))
    for sensor in (accelerometer, gyroscope):
        builder.Connect(plant.get_body_poses_output_port(), sensor.get_body_poses_input_port())
        velocities = plant.get_body_spatial_velocities_output_port()
        builder.Connect(velocities, sensor.get_body_velocities_input_port())
    accelerations = plant.get_body_spatial_accelerations_output_port()
    builder.Connect(accelerations, accelerometer.get_body_accelerations_input_port())
    diagram = builder.Build()
    context = diagram.CreateDefaultContext()
    plant_context = plant.GetMyContextFromRoot(context)
    q = rng.uniform(-1, 1, plant.num_positions())
    v = rng.uniform(-2, 2, plant.num_velocities())
    plant.SetPositions(plant_context, q)
    plant.SetVelocities(plant_context, v)
    if plant.num_actuators():
        plant.get_actuation_input_port().FixValue(plant_context, np.zeros(plant.num_actuators()))
    vdot = plant.EvalTimeDerivatives(plant_context).CopyToVector()[plant.num_positions():]
    joints = [plant.get_joint(j) for j in plant.GetJointIndices(model)]
    joints = [j for j in joints if j.num_positions() == 1]
    ticks = 4096
    encoders = RotaryEncoders([ticks] * plant.num_positions())
    encoder_context = encoders.CreateDefaultContext()
    encoders.get_input_port().FixValue(encoder_context, q)
    encoded = encoders.get_output_port().Eval(encoder_context)
    read_out = lambda s: s.get_measurement_output_port().Eval(s.GetMyContextFromRoot(context))
    return {
        "model": robot,
        "joints": [j.name() for j in joints],
        "q": [q[j.position_start()] for j in joints],
        "v": [v[j.velocity_start()] for j in joints],
        "vdot": [vdot[j.velocity_start()] for j in joints],
        "ticks_per_revolution": ticks,
        "encoders": [encoded[j.position_start()] for j in joints],
        "body": body.name(),
        "rotation": mounting.rotation().matrix().tolist(),
        "translation": mounting.translation().tolist(),
        "accelerometer": read_out(accelerometer).tolist(),
        "gyroscope": read_out(gyroscope).tolist(),
    }


rng = np.random.default_rng(5)
cases = [read(robot, rng) for robot in ROBOTS for _ in range(5)]
json.dump(cases, sys.stdout, indent=1)
print()
