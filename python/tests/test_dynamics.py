"""Kinematics and dynamics, by identities and against Pinocchio and MuJoCo where they are installed."""

import dualbody as db
import numpy as np
import pytest
from conftest import DATA

STEP = 1e-6


def state(system, random):
    q = system.random_configuration(3)
    return q, random.normal(size=system.nv), random.normal(size=system.nv)


def directions(system, q, f):
    """Differences of a function of positions, in tangent space."""
    columns = []
    for k in range(system.nv):
        e = np.zeros(system.nv)
        e[k] = STEP
        columns.append((f(system.integrate(q, e)) - f(system.integrate(q, -e))) / (2 * STEP))
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("name", ["pendulum", "arm", "quadruped"])
def test_identities(name, request, random):
    system = request.getfixturevalue(name)
    q, v, vdot = state(system, random)
    mass = system.mass_matrix(q)
    assert np.allclose(mass, mass.T) and (np.linalg.eigvalsh(mass) > 0).all()
    tau = system.inverse_dynamics(q, v, vdot)
    assert np.allclose(mass @ vdot + system.bias_forces(q, v) - system.gravity_forces(q), tau)
    assert np.allclose(system.forward_dynamics(q, v, tau), vdot)
    assert np.isclose(system.kinetic_energy(q, v), v @ mass @ v / 2)
    gravity = directions(system, q, lambda q: np.array(system.potential_energy(q)))
    assert np.allclose(system.gravity_forces(q), -gravity, atol=1e-6)
    push = random.normal(size=(len(system.body_names), 6))
    pushed = system.forward_dynamics(q, v, tau, push)
    assert np.allclose(system.inverse_dynamics(q, v, pushed, push), tau)


@pytest.mark.parametrize("name", ["pendulum", "arm", "quadruped"])
def test_derivatives(name, request, random):
    system = request.getfixturevalue(name)
    q, v, vdot = state(system, random)
    inverse = system.inverse_dynamics_derivatives(q, v, vdot)
    assert np.allclose(inverse.dtau_dq, directions(system, q, lambda q: system.inverse_dynamics(q, v, vdot)), atol=1e-5)
    assert np.allclose(inverse.dtau_dvdot, system.mass_matrix(q))
    assert np.allclose(inverse.tau, system.inverse_dynamics(q, v, vdot))
    forward = system.forward_dynamics_derivatives(q, v, inverse.tau)
    assert np.allclose(forward.vdot, vdot)
    assert np.allclose(forward.dvdot_dtau @ inverse.dtau_dvdot, np.eye(system.nv), atol=1e-9)
    assert np.allclose(forward.dvdot_dq, -forward.dvdot_dtau @ inverse.dtau_dq, rtol=1e-6, atol=1e-6)
    assert np.allclose(forward.dvdot_dv, -forward.dvdot_dtau @ inverse.dtau_dv, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["pendulum", "arm", "quadruped"])
def test_frames(name, request, random):
    system = request.getfixturevalue(name)
    q, v, _ = state(system, random)
    body = system.body_names[-1]
    pose = system.frame_pose(q, body)
    assert np.array_equal(system.forward_kinematics(q)[body], pose)
    assert np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3))
    jacobian = system.frame_jacobian(q, body)
    assert np.allclose(jacobian @ v, system.frame_velocity(q, v, body))
    position = directions(system, q, lambda q: system.frame_pose(q, body)[:3, 3])
    assert np.allclose(jacobian[3:], position, atol=1e-7)
    poses = system.forward_kinematics(q)
    assert set(poses) == set(system.body_names)
    assert system.center_of_mass(q).shape == (3,)


def test_regressors(arm, random):
    q, v, vdot = state(arm, random)
    rubbing = [name for name in arm.parameters if name.endswith(("/damping", "/friction"))]
    arm.parameters.update(dict.fromkeys(rubbing, 0.0))
    values = np.array(list(arm.standard_parameters.values()))
    matrix = arm.regressor(q, v, vdot)
    assert matrix.shape == (arm.nv, len(values))
    assert np.allclose(matrix @ values, arm.inverse_dynamics(q, v, vdot))


def test_contacts_of_a_configuration(sliding):
    system, x = sliding
    x[6] = 0.049
    found = system.contacts(x[: system.nq])
    assert len(found) == 4
    for first, second, position, normal, penetration in found:
        assert {first, second} == {"box", "world"}
        assert np.isclose(abs(normal[2]), 1.0) and np.isclose(penetration, 1e-3) and position.shape == (3,)
    assert system.contacts(system.state(q=[1, 0, 0, 0, 0, 0, 1])[: system.nq]) == []


def test_pinocchio_agrees(random):
    pin = pytest.importorskip("pinocchio")
    path = DATA / "models" / "arm7.urdf"
    system = db.System.from_urdf(path)
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    assert (model.nq, model.nv) == (system.nq, system.nv)
    for seed in range(3):
        q, v, vdot = system.random_configuration(seed), random.normal(size=7), random.normal(size=7)
        assert np.allclose(system.inverse_dynamics(q, v, vdot), pin.rnea(model, data, q, v, vdot), atol=1e-10)
        pin.crba(model, data, q)
        upper = np.triu(data.M)
        assert np.allclose(np.triu(system.mass_matrix(q)), upper, atol=1e-10)
        assert np.allclose(system.forward_dynamics(q, v, vdot), pin.aba(model, data, q, v, vdot), atol=1e-8)
        pin.computeRNEADerivatives(model, data, q, v, vdot)
        found = system.inverse_dynamics_derivatives(q, v, vdot)
        assert np.allclose(found.dtau_dq, data.dtau_dq, atol=1e-9)
        assert np.allclose(found.dtau_dv, data.dtau_dv, atol=1e-9)
        nonlinear = system.bias_forces(q, v) - system.gravity_forces(q)
        assert np.allclose(nonlinear, pin.nonLinearEffects(model, data, q, v), atol=1e-10)


def test_mujoco_agrees(random):
    mujoco = pytest.importorskip("mujoco")
    path = DATA / "mjcf" / "limits.xml"
    system = db.System.from_mjcf(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    assert (model.nq, model.nv) == (system.nq, system.nv)
    assert np.allclose(system.initial_state()[: system.nq], model.qpos0)
    mujoco.mj_forward(model, data)
    acceleration = system.forward_dynamics(data.qpos, data.qvel, np.zeros(model.nv))
    mass = system.mass_matrix(data.qpos)
    assert np.allclose(mass @ acceleration, -data.qfrc_bias, rtol=1e-9, atol=1e-9)
    expected = np.zeros(model.nv)
    for k in range(model.nv):
        unit = np.eye(model.nv)[k]
        mujoco.mj_mulM(model, data, expected, unit)
        assert np.allclose(mass[:, k], expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", ["pendulum", "arm", "quadruped"])
def test_joint_reactions_carry_the_weight(name, request, random):
    system = request.getfixturevalue(name)
    q, _, _ = state(system, random)
    rest = np.zeros(system.nv)
    across = system.joint_reactions(q, rest, rest)
    assert across.shape == (len(system.joint_names), 6)
    force = -system.parameters["gravity/z"] * system.total_mass
    # The joint to the world carries all.
    assert np.isclose(across[:, 5].max(), force)
    assert np.allclose(across[:, 3:5], 0, atol=1e-9 * force)
    assert np.allclose(system.joint_reactions(q, rest, rest, np.zeros((len(system.body_names), 6))), across)
