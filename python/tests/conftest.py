"""Machines of the tests."""

from pathlib import Path

import dualbody as db
import numpy as np
import pytest

DATA = Path(__file__).parent.parent.parent / "tests" / "data"


@pytest.fixture
def pendulum():
    return db.System.from_urdf(DATA / "models" / "double_pendulum.urdf")


@pytest.fixture
def arm():
    return db.System.from_urdf(DATA / "models" / "arm7.urdf")


@pytest.fixture
def quadruped():
    return db.System.from_urdf(DATA / "models" / "quadruped.urdf", floor=0.7)


@pytest.fixture
def actuated():
    """With actuators that have states, and sensors."""
    return db.System.from_mjcf(DATA / "mjcf" / "actuators.xml")


@pytest.fixture
def sliding():
    """A box on a table, and a state in which it slides."""
    table = db.Material(1e5, 0.5, 0.3)
    builder = db.SystemBuilder().floor("floor", table).free_body("box", ("box", 0.1, 0.1, 0.1), 1.0, table)
    system = builder.pair_material("box", "floor", table).build(1e-3)
    return system, system.state(q=[1, 0, 0, 0, 0, 0, 0.05], v=[0, 0, 0, 1.0, 0, 0])


@pytest.fixture
def random():
    return np.random.default_rng(1)
