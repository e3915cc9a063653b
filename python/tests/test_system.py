"""Machines: files, names, parameters, configurations."""

import copy
import pickle
from collections.abc import Mapping

import dualbody as db
import numpy as np
import pytest
from dualbody._dualbody import BUILT_FOR
from dualbody._processor import check
from conftest import DATA


def test_files_and_texts_are_the_same():
    path = DATA / "models" / "arm7.urdf"
    a, b = db.System.from_urdf(path), db.System.from_urdf(path.read_text())
    assert a.to_json() == b.to_json()
    assert db.System.from_urdf(str(path)).joint_names == a.joint_names
    path = DATA / "mjcf" / "arm.xml"
    assert db.System.from_mjcf(path).joint_names == db.System.from_mjcf(path.read_text()).joint_names


def test_json_brings_back_every_bit(arm, tmp_path):
    again = db.System.from_json(arm.to_json())
    arm.save(tmp_path / "arm.json")
    for system in (again, db.System.from_json(tmp_path / "arm.json")):
        x = arm.state(q=arm.random_configuration(1))
        assert np.array_equal(system.step(x), arm.step(x))


def test_constants_go_back_into_descriptions(quadruped, actuated, tmp_path):
    path = DATA / "models" / "quadruped.urdf"
    text = path.read_text()
    assert quadruped.to_urdf(path) == quadruped.to_urdf(text) == text
    heavy = quadruped.with_parameters({"trunk/mass": 12.5})
    again = db.System.from_urdf(heavy.to_urdf(text), floor=0.7)
    assert again.parameters["trunk/mass"] == 12.5 and again.to_json() == heavy.to_json()
    with pytest.raises(db.DualbodyError, match="armature"):
        heavy.with_parameters({"FL_knee/armature": 0.1}).to_urdf(text)
    for name in ("FL_knee/gear_ratio", "gravity/z"):
        with pytest.raises(db.InputError, match="cannot be written into a URDF"):
            heavy.with_parameters({name: 2.0}).to_urdf(text)

    path = DATA / "mjcf" / "actuators.xml"
    name = next(name for name in actuated.parameters if name.endswith("/mass"))
    changed = actuated.with_parameters({name: 2 * actuated.parameters[name]})
    again = db.System.from_mjcf(changed.to_mjcf(path))
    assert again.parameters[name] == changed.parameters[name]
    assert actuated.to_mjcf(path) == actuated.to_mjcf(path.read_text()) == path.read_text()
    (tmp_path / "whole.xml").write_text('<mujoco model="actuators"><include file="part.xml"/></mujoco>')
    (tmp_path / "part.xml").write_text(
        path.read_text().replace("<mujoco", "<mujocoinclude").replace("</mujoco>", "</mujocoinclude>")
    )
    whole = db.System.from_mjcf(tmp_path / "whole.xml")
    name = next(name for name in whole.parameters if name.endswith("/mass"))
    with pytest.raises(db.InputError, match="part.xml, which it includes"):
        whole.with_parameters({name: 9.0}).to_mjcf(tmp_path / "whole.xml")


@pytest.mark.parametrize("name", ["arm", "quadruped", "actuated"])
def test_pickles_and_copies_move_alike(name, request):
    system = request.getfixturevalue(name)
    x = system.initial_state()
    for other in (pickle.loads(pickle.dumps(system)), copy.copy(system), copy.deepcopy(system), system.copy()):
        assert np.array_equal(other.initial_state(), x) and other.notes == system.notes
        assert np.array_equal(other.step(x), system.step(x))


def test_processors_that_it_is_not_for_are_refused():
    check("arm64", lambda: False)
    check("x86_64", lambda: True)
    check()
    if BUILT_FOR == "all processors":
        check("x86_64", lambda: False)
    else:
        with pytest.raises(ImportError, match="AVX2"):
            check("x86_64", lambda: False)


def test_key_frames_are_configurations():
    system = db.System.from_mjcf("""
        <mujoco model="ball">
          <worldbody>
            <body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
          </worldbody>
          <keyframe><key name="high" qpos="1 2 3 0 0 0 2"/></keyframe>
        </mujoco>""")
    assert list(system.configurations) == ["high"] and not db.System(system.to_json()).configurations
    expected = [0, 0, 0, 1, 1, 2, 3]  # a quaternion of unit length, then the position
    changed = system.with_parameters({"ball/mass": 2.0})
    for other in (system, system.copy(), changed, pickle.loads(pickle.dumps(system))):
        assert np.array_equal(other.configurations["high"], expected)
        assert np.array_equal(other.initial_state()[:7], [1, 0, 0, 0, 0, 0, 1])


def test_displacements_lead_there_and_back(quadruped):
    x = quadruped.initial_state()
    dx = 0.1 * np.random.default_rng(1).normal(size=2 * quadruped.nv)
    assert np.allclose(quadruped.displacement(x, quadruped.displace(x, dx)), dx, atol=1e-14)


def test_copies_have_parameters_of_their_own(arm):
    name = next(name for name in arm.parameters if name.endswith("mass"))
    other = arm.copy()
    other.parameters[name] = 9.0
    assert other.parameters[name] == 9.0 != arm.parameters[name]
    changed = arm.with_parameters({name: 7.0})
    assert changed.parameters[name] == 7.0 != arm.parameters[name]


def test_parameters_are_a_mapping(pendulum):
    parameters = pendulum.parameters
    assert isinstance(parameters, Mapping)
    names = list(parameters)
    assert len(parameters) == len(names) == len(dict(parameters.items())) == len(parameters.values())
    assert "lower/mass" in parameters and "nothing" not in parameters and 3 not in parameters
    assert parameters["lower/mass"] == 1.0
    parameters["lower/mass"] = 1.5
    assert pendulum.parameters["body/double_pendulum/lower/mass"] == 1.5
    parameters.update({"lower/mass": 2.0, "elbow/damping": 0.1})
    assert (parameters["lower/mass"], parameters["elbow/damping"]) == (2.0, 0.1)
    assert parameters.get("nothing") is None and parameters.get("nothing", 1.0) == 1.0
    info = parameters.info("elbow/damping")
    assert (info.unit, info.lower, info.upper, info.value) == ("N m s/rad", 0.0, np.inf, 0.1)
    with pytest.raises(db.UnknownNameError, match="elbow/damping"):
        parameters["elbow/dampin"]
    with pytest.raises(KeyError):
        parameters["nothing"]
    with pytest.raises(db.ParameterError):
        parameters["lower/mass"] = -1.0
    with pytest.raises(db.ParameterError):
        parameters.update({"elbow/damping": 0.3, "lower/mass": np.nan})
    assert parameters["elbow/damping"] == 0.1, "all, or none"
    with pytest.raises(TypeError):
        del parameters["lower/mass"]


def test_names_and_sizes(actuated):
    assert len(actuated.input_names) == actuated.nu > 0
    assert len(actuated.output_names) == actuated.ny
    assert actuated.nx == actuated.nq + actuated.nv + actuated.na + actuated.ns
    assert actuated.body_names[0] == "world"
    for joint in actuated.joint_names:
        q, v = actuated.joint_slices(joint)
        assert 0 <= q.start <= q.stop <= actuated.nq and v.stop <= actuated.nv


def test_configurations_are_a_manifold(quadruped, random):
    q0, q1 = quadruped.random_configuration(1), quadruped.random_configuration(2)
    assert np.array_equal(q0, quadruped.random_configuration(1)) and not np.array_equal(q0, q1)
    v = quadruped.difference(q0, q1)
    there = quadruped.integrate(q0, v)
    assert np.allclose(quadruped.difference(there, q1), 0.0, atol=1e-12)
    half = quadruped.integrate(q0, v, 0.5)
    assert np.allclose(quadruped.integrate(half, v, 0.5)[7:], there[7:])
    assert np.linalg.norm(quadruped.neutral()[:4]) == 1.0


def test_random_configurations_are_within_limits(arm):
    import json

    limits = json.loads(arm.to_json())["tree"]["joints"]
    q = np.array([arm.random_configuration(seed) for seed in range(50)])
    for joint in limits:
        where, _ = arm.joint_slices(joint["name"])
        for k, (low, high) in enumerate(zip(joint["limits"]["lower"], joint["limits"]["upper"])):
            column = q[:, where][:, k]
            assert (column >= float(low)).all() and (column <= float(high)).all()


def test_what_a_machine_looks_like(quadruped):
    assert "nv=" in repr(quadruped)
    assert quadruped._repr_html_().startswith("<iframe")
    assert repr(quadruped.parameters).startswith("Parameters(")


def test_subclasses_of_machines():
    class Mine(db.System):
        pass

    text = db.System.from_urdf(DATA / "models" / "cube.urdf").to_json()
    assert isinstance(Mine(text), Mine)


def test_builders_say_what_is_wrong():
    material = db.Material()
    for shape in [("sphere",), ("sphere", -1.0), ("ball", 1.0), 3, "sphere", ("box", 1.0, "a", 2.0), ()]:
        with pytest.raises(db.InputError):
            db.SystemBuilder().free_body("a", shape, 1.0, material)
    with pytest.raises(db.DualbodyError):
        db.SystemBuilder().free_body("a", ("sphere", 1.0), 1.0, material).free_body(
            "a", ("sphere", 1.0), 1.0, material
        ).build()
    with pytest.raises(db.InputError):
        db.SystemBuilder().build(time_step=-1.0)
    wall = db.SystemBuilder().fixed("wall", ("box", 1, 1, 1), material, position=[1, 0, 0], quaternion=[1, 0, 0, 0])
    assert wall.build().geometry_names == ["wall"]
