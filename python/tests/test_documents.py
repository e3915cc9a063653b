"""The programs of the pages, and a log that names an arm's payload."""

import re

import dualbody as db
import numpy as np
import pytest
from conftest import DATA

ROOT = DATA.parent.parent


def programs(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)


def test_readme(tmp_path, monkeypatch, capsys):
    first, second, third = programs("python/README.md")
    exec(first, {})
    assert "m per unit of friction" in capsys.readouterr().out
    robot = (DATA / "models" / "quadruped.urdf").read_text().replace("FL_knee", "knee")
    (tmp_path / "robot.urdf").write_text(robot)
    monkeypatch.chdir(tmp_path)
    scope = {"db": db}
    exec(second.replace("1000", "10"), scope)
    exec(third, scope)
    assert scope["u"].shape == (12,) and np.isfinite(scope["u"]).all()


def test_page(tmp_path, monkeypatch, pendulum, capsys, random):
    hopper, held, payload, control, uncertain, jax = programs("docs/PYTHON.md")
    scope = {}
    exec(hopper, scope)
    exec(held, scope)
    exec(control, scope)
    exec(uncertain, scope)
    if has("jax"):
        exec(jax, scope)
        assert all(np.isfinite(slope).all() for slope in scope["slopes"])
    if not has("pandas"):
        return
    # The arm of the page, and its logs: tables with units in their titles.
    text = (DATA / "models" / "double_pendulum.urdf").read_text().replace("lower", "hand")
    (tmp_path / "arm.urdf").write_text(text)
    arm = db.System.from_urdf(text).with_parameters({"hand/mass": 1.4})
    for name, angle in (("swing", 0.4), ("other", -0.7)):
        rollout = arm.rollout(arm.state(q=[angle, 0.3]), steps=300)
        angles = rollout.q[::10] + 1e-3 * random.normal(size=(31, 2))
        rows = [f"{time},{a},{b},0,0" for time, (a, b) in zip(rollout.times[::10], angles)]
        torques = ",".join(f"{name} [N m]" for name in arm.input_names)
        title = f"time [s],shoulder [rad],elbow [rad],{torques}"
        (tmp_path / f"{name}.csv").write_text("\n".join([title, *rows]))
    monkeypatch.chdir(tmp_path)
    exec(payload, scope)
    assert abs(scope["result"].estimates["hand/mass"] - 1.4) < 0.1


def has(module):
    try:
        return bool(pytest.importorskip(module))
    except pytest.skip.Exception:
        return False
