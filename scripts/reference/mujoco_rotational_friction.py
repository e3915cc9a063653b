"""Balls that spin and roll on a plane by MuJoCo, with torsional and rolling friction.

    python scripts/reference/mujoco_rotational_friction.py --output FOLDER

writes FOLDER/rotational_friction.json, which `cargo test --test system reference_rotational_friction` compares with:
models, velocities at the start and after some time. Cones are elliptic; one kind of friction is at its limit at a time,
as MuJoCo's cone couples all of them. Needs mujoco.
"""

import argparse
import json
import pathlib

import mujoco

TIME = 0.1

# Radius, friction, contact dimension, gravity, velocity of the free joint (linear in W, angular in the body).
CASES = {
    "spins": (0.1, (0.8, 0.002, 0.0001), 4, (0, 0, -9.81), (0, 0, 0, 0, 0, 2)),
    "spins backwards": (0.05, (0.5, 0.004, 0.0001), 6, (0, 0, -9.81), (0, 0, 0, 0, 0, -6)),
    "rolls": (0.1, (0.9, 0.005, 0.004), 6, (0, 0, -9.81), (0.2, 0, 0, 0, 2, 0)),
    "rolls askew": (0.2, (0.9, 0.005, 0.01), 6, (0, 0, -9.81), (0.3, 0.4, 0, -2, 1.5, 0)),
    "rolls down": (0.1, (0.9, 0.005, 0.002), 6, (0.8, 0, -9.8), (0, 0, 0, 0, 0, 0)),
    "stays": (0.1, (0.9, 0.005, 0.01), 6, (0.8, 0, -9.8), (0, 0, 0, 0, 0, 0)),
}


def model(radius, friction, dimension, gravity):
    text = lambda values: " ".join(repr(float(x)) for x in values)
    return f"""<mujoco model="m">
  <option timestep="0.0001" cone="elliptic" gravity="{text(gravity)}" impratio="100" iterations="200" tolerance="1e-14"/>
  <default><geom friction="{text(friction)}" condim="{dimension}" solref="0.005 1" solimp="0.99 0.999 0.001"/></default>
  <worldbody>
    <geom name="floor" type="plane" size="10 10 1"/>
    <body name="ball" pos="0 0 {radius!r}"><freejoint/><geom name="ball" size="{radius!r}" mass="1.5"/></body>
  </worldbody>
</mujoco>"""


def simulate(xml, velocity):
    model = mujoco.MjModel.from_xml_string(xml)
    data = mujoco.MjData(model)
    # First it sinks in to where it is carried.
    for _ in range(3000):
        mujoco.mj_step(model, data)
        data.qvel[:2] = data.qvel[3:] = 0
    data.qvel[:] = velocity
    for _ in range(round(TIME / model.opt.timestep)):
        mujoco.mj_step(model, data)
    # Angular velocity to W.
    rotation = data.xmat[1].reshape(3, 3)
    return data.qvel[:3].tolist() + (rotation @ data.qvel[3:]).tolist()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--output", type=pathlib.Path, required=True)
    folder = parser.parse_args().output
    cases = []
    for name, (radius, friction, dimension, gravity, velocity) in CASES.items():
        xml = model(radius, friction, dimension, gravity)
        end = simulate(xml, velocity)
        cases.append({"name": name, "model": xml, "radius": radius, "time": TIME, "start": velocity, "end": end})
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rotational_friction.json").write_text(json.dumps(cases, indent=1) + "\n")
