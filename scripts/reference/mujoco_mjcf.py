"""Dynamics of models in MJCF by MuJoCo, for the test `reference_mjcf`.

    python3 mujoco_mjcf.py FOLDER OUT     every model under FOLDER that MuJoCo loads

writes a JSON file for each into OUT, with the names of its bodies, joints and actuators, its key frames, and with the
poses of bodies, the mass matrix, the bias forces (with gravity) and the accelerations under random forces, in MuJoCo's
coordinates. Only joints, their springs and their damping
act: no contact, constraint, actuator, tendon, fluid, gravity compensation. What actuators do is written apart, under
controls within and beyond their ranges. For the models of this repository both folders are tests/data/mjcf. Models in packages (from a folder with `pip download --no-deps
dm-control==1.0.50 gymnasium-robotics==1.4.2 robosuite==1.5.2 icub-models==3.2.0`, each unpacked):

    python3 mujoco_mjcf.py UNPACKED reference/mjcf && DUALBODY_REFERENCE=reference cargo test mjcf
"""

import json
import sys
from pathlib import Path

import mujoco
import numpy as np

CASES = 3
WITHOUT_CONTACT = mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT


def cases(m, rng):
    d = mujoco.MjData(m)
    m.opt.disableflags |= int(WITHOUT_CONTACT | mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    m.opt.density = m.opt.viscosity = 0
    m.body_gravcomp[:] = 0
    for values in (m.tendon_stiffness, m.tendon_damping, m.tendon_armature):
        values[:] = 0
    # Springs of ball and free joints are not represented.
    several = m.jnt_type < int(mujoco.mjtJoint.mjJNT_SLIDE)
    m.jnt_stiffness[several] = 0
    for _ in range(CASES):
        qpos = m.qpos0.copy()
        mujoco.mj_integratePos(m, qpos, 0.6 * rng.uniform(-1, 1, m.nv), 1)
        d.qpos[:], d.qvel[:] = qpos, rng.uniform(-1, 1, m.nv)
        d.qfrc_applied[:] = rng.uniform(-1, 1, m.nv)
        mujoco.mj_forward(m, d)
        mass = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, mass)
        yield {
            "qpos": d.qpos.tolist(),
            "qvel": d.qvel.tolist(),
            "force": d.qfrc_applied.tolist(),
            "mass_matrix": mass.tolist(),
            "bias": d.qfrc_bias.tolist(),
            "qacc": d.qacc.tolist(),
            "positions": d.xpos.ravel().tolist(),
            "rotations": d.xmat.ravel().tolist(),
        }


def actuation(m, rng):
    d = mujoco.MjData(m)
    m.opt.disableflags |= int(WITHOUT_CONTACT)
    m.body_gravcomp[:] = 0
    # Joints hold the force of an actuator that acts on them alone.
    of_joint = np.isin(m.actuator_trntype, [0, 1])
    counts = np.bincount(m.actuator_trnid[of_joint, 0], minlength=m.njnt)
    m.jnt_actfrclimited[counts != 1] = 0
    sizes = np.where(m.actuator_ctrllimited, np.abs(m.actuator_ctrlrange).max(axis=1), 1)
    for _ in range(CASES):
        d.qpos[:] = m.qpos0
        mujoco.mj_integratePos(m, d.qpos, 0.6 * rng.uniform(-1, 1, m.nv), 1)
        d.qvel[:] = rng.uniform(-1, 1, m.nv)
        d.ctrl[:] = 2 * sizes * rng.uniform(-1, 1, m.nu)
        d.act[:] = rng.uniform(-1, 1, m.na)
        mujoco.mj_forward(m, d)
        yield {
            "qpos": d.qpos.tolist(),
            "qvel": d.qvel.tolist(),
            "control": d.ctrl.tolist(),
            "activation": d.act.tolist(),
            "activation_rate": d.act_dot.tolist(),
            "force": d.qfrc_actuator.tolist(),
        }


def actuators(m, rng):
    return {
        "names": [m.actuator(i).name for i in range(m.nactuator)],
        "gear": m.actuator_gear[:, 0].tolist(),
        "is_position": (m.actuator_biasprm[:, 1] != 0).tolist(),
        "activations": m.actuator_actnum.tolist(),
        "cases": list(actuation(m, rng)),
    }


def main():
    folder, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.rglob("*.xml")):
        try:
            m = mujoco.MjModel.from_xml_path(str(path))
        except (ValueError, mujoco.FatalError) as error:
            print(f"{path}: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        name = "__".join(path.relative_to(folder).with_suffix("").parts)
        inside = out.resolve() == folder
        reference = {
            "mjcf": str(path.relative_to(folder)) if inside else str(path),
            "mujoco": mujoco.__version__,
            "nq": m.nq,
            "nv": m.nv,
            "meshes": m.nmesh,
            "bodies": [m.body(i).name for i in range(m.nbody)],
            "joints": [m.joint(i).name for i in range(m.njnt)],
            "reference": m.qpos0.tolist(),
            "keys": {m.key(i).name: m.key_qpos[i].tolist() for i in range(m.nkey)},
            "actuators": actuators(m, np.random.default_rng(8)),
            "cases": list(cases(m, np.random.default_rng(7))),
        }
        (out / f"{name}.json").write_text(json.dumps(reference))


main()
