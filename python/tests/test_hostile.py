"""What nobody should give is an exception, never a crash."""

import dualbody as db
import numpy as np
import pytest


def wrong_vectors(good):
    """Arrays that are not what they should be, in place of a good one."""
    n = len(good)
    return [
        "text",
        object(),
        [object()] * n,
        np.zeros(n, dtype=complex),
        np.zeros(n, dtype=bool),
        np.array(["a"] * n),
        np.zeros(n, dtype="datetime64[s]"),
        np.zeros(n, dtype=[("a", float)]),
        np.zeros(n + 1),
        np.zeros(max(n - 1, 0)),
        np.zeros((n, 1)),
        np.zeros((1, n)),
        np.zeros(()),
        np.zeros(0),
        np.full(n, np.nan),
        np.full(n, np.inf),
        {},
        1.0,
        [[1.0], [1.0, 2.0]],
    ]


def good_vectors(good):
    """The same numbers in other clothes."""
    wide = np.zeros((len(good), 3))
    wide[:, 1] = good
    backward = good[::-1].copy()
    locked = good.copy()
    locked.flags.writeable = False
    return [
        good.tolist(),
        tuple(good.tolist()),
        wide[:, 1],
        backward[::-1],
        locked,
        good.astype(">f8"),
        np.asfortranarray(good),
        good.astype(object).tolist(),
    ]


@pytest.fixture
def calls(arm):
    """Every function of vectors, each with its good arguments."""
    q, v = arm.random_configuration(1), np.full(arm.nv, 0.1)
    x, u = arm.state(q, v), np.full(arm.nu, 0.2)
    body = arm.body_names[-1]
    return [
        (arm.forward_kinematics, [q]),
        (lambda q: arm.frame_pose(q, body), [q]),
        (lambda q, v: arm.frame_velocity(q, v, body), [q, v]),
        (lambda q: arm.frame_jacobian(q, body), [q]),
        (arm.center_of_mass, [q]),
        (arm.mass_matrix, [q]),
        (arm.bias_forces, [q, v]),
        (arm.gravity_forces, [q]),
        (arm.inverse_dynamics, [q, v, v]),
        (arm.forward_dynamics, [q, v, v]),
        (arm.inverse_dynamics_derivatives, [q, v, v]),
        (arm.forward_dynamics_derivatives, [q, v, v]),
        (arm.regressor, [q, v, v]),
        (arm.kinetic_energy, [q, v]),
        (arm.potential_energy, [q]),
        (arm.contacts, [q]),
        (arm.integrate, [q, v]),
        (arm.difference, [q, q]),
        (arm.step, [x, u]),
        (arm.output, [x, u]),
        (arm.step_jacobian, [x, u]),
        (arm.linearize, [x, u]),
        (arm.nearest_kinks, [x, u]),
        (arm.displacement, [x, x]),
        (arm.displace, [x, x]),
        (lambda x, u: arm.rollout(x, u, 2), [x, u]),
        (lambda x: arm.rollout_vjp(x, steps=2), [x]),
        (lambda x: arm.rollout_jvp(x, steps=2), [x]),
        (lambda x: arm.rollout_radius(x, steps=2, dx0=x), [x]),
        (lambda x: arm.rollout_hvp(x, steps=1, dx0=x), [x]),
        (lambda x: arm.rollout_jacobian(x, steps=2, parameters=["gravity/z"]), [x]),
        (db.Batch(arm, 2).step, [x, u]),
        (lambda x: db.Batch(arm, 2).rollout(x, steps=2), [x]),
        (db.Batch(arm, 2).step_jacobian, [x, u]),
    ]


def test_wrong_arrays(calls):
    for function, good in calls:
        function(*good)
        for place in range(len(good)):
            for wrong in wrong_vectors(good[place]):
                arguments = [*good[:place], wrong, *good[place + 1 :]]
                with pytest.raises((db.DualbodyError, TypeError)):
                    function(*arguments)


def test_good_arrays(arm):
    x, u = arm.state(arm.random_configuration(1)), np.full(arm.nu, 0.25)
    expected = arm.step(x, u)
    for same in good_vectors(x):
        assert np.array_equal(arm.step(same, u), expected)
    for same in good_vectors(u):
        assert np.array_equal(arm.step(x, same), expected)
    whole = np.round(u).astype(int)
    assert np.array_equal(arm.step(x, whole), arm.step(x, np.round(u)))
    assert np.allclose(arm.step(x.astype(np.float32), u), expected, atol=1e-5)


def test_shapes_are_named(arm):
    with pytest.raises(db.InputError, match=r"x: found the shape \(3,\), expected \(14,\)"):
        arm.step([1, 2, 3])
    with pytest.raises(db.InputError, match=r"u: found the shape \(2, 3\), expected \(steps, 7\)"):
        arm.rollout(arm.initial_state(), np.zeros((2, 3)))
    with pytest.raises(db.InputError, match="object"):
        arm.step(None)
    with pytest.raises(db.InputError, match=r"x: number 3 is NaN"):
        arm.step(np.where(np.arange(14) == 3, np.nan, 0.0))
    with pytest.raises(db.InputError, match="complex128"):
        arm.step(np.zeros(14, dtype=complex))


def test_wrong_names(arm):
    q = arm.neutral()
    for call in (
        lambda: arm.frame_pose(q, "nothing"),
        lambda: arm.joint_slices("nothing"),
        lambda: arm.step_jacobian(arm.initial_state(), parameters=["nothing"]),
        lambda: arm.parameters["mass"],
        lambda: arm.rollout_vjp(arm.initial_state(), steps=1, parameters=["nothing"]),
    ):
        with pytest.raises(db.UnknownNameError):
            call()


def test_misspelt_frames_have_a_proposal():
    system = db.System.from_mjcf(
        '<mujoco><worldbody><body name="trunk"><freejoint/><geom size="0.1"/><site name="head"/></body></worldbody></mujoco>'
    )
    for wrong, right in (("hed", "head"), ("trunc", "trunk")):
        with pytest.raises(db.UnknownNameError, match=right):
            system.frame_pose(system.neutral(), wrong)


def test_wrong_numbers(arm):
    x = arm.initial_state()
    for call in (
        lambda: arm.rollout(x),
        lambda: arm.rollout(x, steps=-1),
        lambda: arm.rollout(x, steps=1 << 60),
        lambda: arm.rollout(x, steps=1.5),
        lambda: arm.step(x, time=np.nan),
        lambda: arm.integrate(arm.neutral(), np.zeros(7), np.nan),
        lambda: db.Batch(arm, -1),
        lambda: db.Batch(arm, 10**12),
        lambda: db.Batch(arm, 1 << 62),
        lambda: arm.rollout(x, np.broadcast_to(np.zeros(7), (10**11, 7))),
        lambda: db.Batch(arm, 2).rollout(x, np.broadcast_to(np.zeros(7), (10**11, 7))),
        lambda: db.Batch(arm, 10**6).rollout(x, steps=10**4),
        lambda: arm.step(np.broadcast_to(0.0, (10**12,))),
        lambda: db.Batch(arm, 2, 1 << 40),
        lambda: arm.equilibrium(x, tolerance=np.nan),
        lambda: db.System.from_urdf("<robot"),
        lambda: db.System.from_urdf("no/such/file.urdf"),
        lambda: db.System.from_urdf(3),
        lambda: db.System.from_mjcf("<mujoco>" + "<a>" * 100_000),
        lambda: db.System.from_json("{" * 100_000),
        lambda: db.System("[]"),
        lambda: db.System.from_urdf("<robot name='a'><link name='b'/></robot>", scheme="none"),
        lambda: db.System.from_urdf("<robot name='a'><link name='b'/></robot>", time_step=0.0),
        lambda: db.System.from_urdf("<robot name='a'><link name='b'/></robot>", floor=-1.0),
    ):
        with pytest.raises((db.DualbodyError, TypeError, OverflowError)):
            call()


def test_errors_name_file_and_line(tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text('<robot name="a">\n\n<link/></robot>')
    with pytest.raises(db.FileError, match="robot.urdf:3"):
        db.System.from_urdf(path)


def test_machines_without_anything():
    system = db.SystemBuilder().build()
    assert system.nx == system.nu == 0
    assert system.step([]).shape == (0,)
    assert system.rollout([], steps=3).states.shape == (4, 0)
    assert system.mass_matrix(np.zeros(0)).shape == (0, 0)
    assert system.linearize(np.zeros(0)).A.shape == (0, 0)
    assert db.Batch(system, 2).rollout(np.zeros((2, 0)), steps=2)[0].shape == (2, 3, 0)


def test_exceptions_are_one_tree():
    for name in db.__all__:
        kind = getattr(db, name)
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert issubclass(kind, db.DualbodyError)
