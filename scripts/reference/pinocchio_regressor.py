"""Writes joint torque regressors of Pinocchio, for tests/tree/regressor.rs.

    python scripts/reference/pinocchio_regressor.py

reads tests/data/models/NAME.urdf and writes tests/data/reference/regressor_NAME.json: states, and of
each joint the regressor of its torques for every body that a joint carries, row by row; blocks of
zeros are left out. Columns are mass, first moment and xx, yy, zz, xy, xz, yz of the inertia about the
origin of the body; bodies without inertia of their own joint are merged by Pinocchio.

A floating base has q = (quaternion w, x, y, z; position), v = (angular, linear) in the world here, and
forces that belong to it.

Needs the packages pin and numpy.
"""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin

MODELS = {"arm7": (False, 2), "double_pendulum": (False, 1), "quadruped": (True, 1)}
DATA = Path(__file__).parents[2] / "tests/data"
# Pinocchio has m, h, xx, xy, yy, xz, yz, zz.
ORDER = [0, 1, 2, 3, 4, 6, 9, 5, 7, 8]


def case(model, floats, rng):
    data = model.createData()
    q = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv))
    v, vdot = rng.uniform(-2, 2, model.nv), rng.uniform(-3, 3, model.nv)
    regressor = np.eye(model.nv)
    coordinates = {}
    if floats:
        x, y, z, w = q[3:7]
        r = pin.Quaternion(w, x, y, z).toRotationMatrix()
        # From [v; w] in the body to [w; v] in the world; the spatial acceleration lacks w × v.
        world = {"q": [w, x, y, z, *q[:3]], "v": [*(r @ v[3:6]), *(r @ v[:3])]}
        linear = vdot[:3] + np.cross(v[3:6], v[:3])
        world["vdot"] = [*(r @ vdot[3:6]), *(r @ linear)]
        regressor[:6, :6] = 0
        regressor[:3, 3:6] = r
        regressor[3:6, :3] = r
    regressor = regressor @ pin.computeJointTorqueRegressor(model, data, q, v, vdot)
    blocks = []
    for i, name in enumerate(model.names):
        if i == 0:
            continue
        joint = model.joints[i]
        if joint.nq == joint.nv:
            at = slice(joint.idx_q, joint.idx_q + joint.nq)
            values = {"q": q[at], "v": v[joint.idx_v :][: joint.nv], "vdot": vdot[joint.idx_v :][: joint.nv]}
            coordinates[name] = {k: list(map(float, x)) for k, x in values.items()}
        elif joint.nq == 2:
            angle = float(np.arctan2(q[joint.idx_q + 1], q[joint.idx_q]))
            coordinates[name] = {"q": [angle], "v": [float(v[joint.idx_v])], "vdot": [float(vdot[joint.idx_v])]}
        else:
            coordinates[name] = {k: list(map(float, x)) for k, x in world.items()}
        for k, carried in enumerate(model.names):
            block = regressor[joint.idx_v : joint.idx_v + joint.nv, 10 * k - 10 : 10 * k]
            if k > 0 and np.any(block):
                blocks.append({"joint": name, "carried_by": carried, "rows": block[:, ORDER].tolist()})
    return {"state": coordinates, "blocks": blocks}


for name, (floats, count) in MODELS.items():
    path = str(DATA / "models" / f"{name}.urdf")
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if floats else pin.buildModelFromUrdf(path)
    model.armature = np.zeros(model.nv)
    rng = np.random.default_rng(5)
    reference = {
        "generator": f"Pinocchio {pin.__version__}, computeJointTorqueRegressor",
        "model": f"{name}.urdf",
        "floating_joint": model.names[1] if floats else None,
        "cases": [case(model, floats, rng) for _ in range(count)],
    }
    out = DATA / "reference" / f"regressor_{name}.json"
    out.write_text(json.dumps(reference) + "\n")
    print(out, out.stat().st_size)
