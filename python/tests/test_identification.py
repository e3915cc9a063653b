"""Constants from recordings."""

import json

import dualbody as db
import numpy as np
import pytest

TRUE = {"lower/mass": 1.6, "elbow/damping": 0.08}


def recording(system, angle, random):
    """Encoders at 100 Hz while torques swing it, with noise."""
    true = system.with_parameters(TRUE)
    steps = np.arange(400)
    u = 0.5 * np.sin(0.01 * np.outer(steps // 10, [0.7, 1.1]) * 10 + angle)
    rollout = true.rollout(true.state(q=[angle, -0.5]), u)
    table = {"time": rollout.times[:-1:10]}
    for joint in ("shoulder", "elbow"):
        where, _ = system.joint_slices(joint)
        column = rollout.q[:-1:10, where][:, 0]
        table[joint] = column + 1e-3 * random.normal(size=len(column))
    for k, name in enumerate(system.input_names):
        table[name] = u[::10, k]
    return table


@pytest.fixture
def fit(pendulum, random):
    fit = db.Fit(pendulum)
    for joint in ("shoulder", "elbow"):
        fit.measure(joint, "joint_position", deviation=1e-3)
    fit.estimate("lower/mass", logarithmic=True).estimate("elbow/damping", initial=0.3)
    fit.add("slow", recording(pendulum, 0.3, random)).add("fast", recording(pendulum, -0.8, random))
    return fit.add("other", recording(pendulum, 0.6, random), held_out=True)


def test_constants_are_found(fit, pendulum):
    told = []
    result = fit.run(progress=lambda segment, step, cost: told.append((segment, step, cost)))
    assert result.converged and told and told[0][0] == 20
    for (name, estimate), true in zip(result.estimates.items(), TRUE.values()):
        error = result.standard_errors[name]
        assert abs(estimate - true) < 4 * error < 0.1 * true
        low, high = result.intervals()[name]
        assert low < estimate < high and result.units[name]
    assert result.held_out["other"] < 1.3
    assert np.allclose(np.diag(result.correlations), 1.0)
    identified = result.identified()
    assert identified.parameters["lower/mass"] == result.values[0]
    assert "95 %" in result.to_html() and result._repr_html_().startswith("<iframe")
    assert "estimate" in str(result) and "unknowns" in repr(result)


def test_data_frames(fit, pendulum, random):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(recording(pendulum, 0.1, random))
    table["elbow [deg]"] = np.degrees(table.pop("elbow"))
    fit.add("third", table)
    assert fit.run().converged


def test_channels_with_times_of_their_own(pendulum, random):
    fit = db.Fit(pendulum).estimate("lower/mass", logarithmic=True).estimate("elbow/damping", initial=0.3)
    for joint in ("shoulder", "elbow"):
        fit.measure(joint, "joint_position", deviation=1e-3)
    for name, angle in [("slow", 0.3), ("fast", -0.8)]:
        table = recording(pendulum, angle, random)
        # Every second sample of the elbow, every seventh of which came to nothing.
        kept = np.delete(np.arange(0, 40, 2), slice(None, None, 7))
        elbow = {"time": table["time"][kept], "elbow": table.pop("elbow")[kept]}
        fit.add(name, [table, elbow])
    result = fit.run()
    assert result.converged
    for (name, estimate), true in zip(result.estimates.items(), TRUE.values()):
        assert abs(estimate - true) < 4 * result.standard_errors[name] < 0.2 * true


def test_outliers_hardly_move_estimates_and_are_named(fit, pendulum, random):
    clean = fit.run()
    table = recording(pendulum, 0.1, random)
    table["elbow"][17] += 1.0
    spoiled = fit.add("spoiled", table).run()
    plain = fit.run(loss="least_squares")
    mass, error = clean.estimates["lower/mass"], clean.standard_errors["lower/mass"]
    assert abs(spoiled.estimates["lower/mass"] - mass) < 2 * error < abs(plain.estimates["lower/mass"] - mass)
    outlier = [warning for warning in spoiled.warnings if "outlier" in warning]
    assert len(outlier) == 1 and "spoiled" in outlier[0] and "elbow" in outlier[0]
    for loss in ("huber", ("nothing", 1.0), ("huber", -1.0), 3.0, ("huber", "x")):
        with pytest.raises(db.DualbodyError):
            fit.run(loss=loss)
    with pytest.raises(db.InputError, match="noise"):
        fit.run(noise="loud")


def test_a_model_that_does_not_explain_the_data(fit, pendulum):
    assert fit.run().explains_data
    heavy = db.Fit(pendulum.with_parameters({"upper/mass": 5.0}))
    for joint in ("shoulder", "elbow"):
        heavy.measure(joint, "joint_position", deviation=1e-3)
    heavy._recordings = fit._recordings
    result = heavy.estimate("lower/mass", logarithmic=True).estimate("elbow/damping", initial=0.3).run()
    assert "does not explain the data" in str(result)
    assert not result.explains_data and max(result.scatter.values()) > 2
    errors = result.correlated_standard_errors
    assert errors.keys() == result.estimates.keys() and errors["lower/mass"]


def test_deviations_are_estimated(pendulum, random):
    fit = db.Fit(pendulum).estimate("lower/mass", logarithmic=True).estimate("elbow/damping", initial=0.3)
    for joint in ("shoulder", "elbow"):
        fit.measure(joint, "joint_position", deviation=0.02, estimate_deviation=True)
    result = fit.add("slow", recording(pendulum, 0.3, random)).run()
    assert "scatter" not in " ".join(result.warnings)


def test_what_is_not_known_is_said(pendulum, random):
    table = recording(pendulum, 0.3, random)
    few = db.Fit(pendulum).measure("elbow", "joint_position", deviation=1e-3).estimate("lower/mass", logarithmic=True)
    result = few.add("few", {name: values[:4] for name, values in table.items() if name != "shoulder"}).run()
    assert not result.explains_data and any("too few" in warning for warning in result.warnings)

    fit = db.Fit(pendulum).estimate("lower/mass", logarithmic=True).estimate("elbow/damping", initial=0.3)
    for joint in ("shoulder", "elbow"):
        fit.measure(joint, "joint_position", deviation=1e-3)
    fit.add("slow", table).estimate("upper/rotational_inertia/xx")
    spoiled = {**table, "elbow": table["elbow"] + np.where(np.arange(40) == 20, 1.0, 0.0)}
    result = fit.add("spoiled", spoiled, held_out=True).run()
    assert result.status["upper/rotational_inertia/xx"] == "not determined"
    said = " ".join(result.warnings)
    assert (
        '"upper/rotational_inertia/xx" is not determined' in said and 'recording "spoiled", which was held back' in said
    )
    with pytest.raises(db.InputError, match="no dry friction acts"):
        fit.estimate("elbow/friction", initial=0.1).run()
    with pytest.raises(db.InputError, match="no dry friction acts"):
        pendulum.parameters["elbow/friction"] = 0.1


def test_results_are_saved(fit, tmp_path):
    result = fit.run()
    result.save(tmp_path / "fit.json")
    result.save_page(tmp_path / "fit.html", "An arm")
    found = json.loads((tmp_path / "fit.json").read_text())
    assert found == json.loads(result.to_json())
    assert found["estimates"]["lower/mass"]["value"] == result.estimates["lower/mass"]
    assert found["held_out_standard_deviations"] == result.held_out
    page = (tmp_path / "fit.html").read_text()
    assert "An arm" in page and "segments of 20 samples" in page and "<svg" in page
    with pytest.raises(db.FileError):
        result.save(tmp_path / "nowhere" / "fit.json")


def test_units_of_columns_and_ends_of_their_names(pendulum, random):
    table = recording(pendulum, 0.1, random)
    converted = {"time [ms]": 1e3 * table["time"]}
    for name, values in table.items():
        if name in pendulum.input_names:
            converted["/".join(name.split("/")[-2:]) + " [mN m]"] = 1e3 * values
        elif name != "time":
            converted[name + " [mrad]"] = 1e3 * values
    assert not set(converted) & set(table)
    estimates = []
    for signals in (table, converted):
        one = db.Fit(pendulum).estimate("lower/mass", logarithmic=True).estimate("elbow/damping", initial=0.3)
        for joint in ("shoulder", "elbow"):
            one.measure(joint, "joint_position", deviation=1e-3)
        estimates.append(one.add("one", signals).run().estimates["lower/mass"])
    assert abs(estimates[0] - estimates[1]) < 1e-6


def test_times_that_may_not_be_in_seconds(fit, pendulum, random):
    table = recording(pendulum, 0.1, random)
    short = {name: values[:6] for name, values in table.items()}
    fit.add("slow", {**short, "time": 1e3 * short["time"]})

    def stop(segment, step, cost):
        raise KeyboardInterrupt

    with (
        pytest.warns(UserWarning, match="'slow': samples are 10 s apart, 10000 time steps"),
        pytest.raises(KeyboardInterrupt),
    ):
        fit.run(progress=stop)


def test_an_interrupted_fit(fit):
    def stop(segment, step, cost):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit.run(progress=stop)


def test_what_does_not_fit(pendulum, random):
    table = recording(pendulum, 0.3, random)
    good = lambda: db.Fit(pendulum).measure("elbow", "joint_position", deviation=1e-3).estimate("lower/mass")
    with pytest.raises(db.InputError):
        good().measure("x", "nothing", deviation=1.0)
    with pytest.raises(db.DualbodyError):
        good().measure("nothing", "joint_position", deviation=1.0).add("a", table).run()
    with pytest.raises(db.DualbodyError):
        good().estimate("nothing").add("a", table).run()
    with pytest.raises(db.DualbodyError):
        good().run()
    with pytest.raises(db.InputError):
        good().add("a", [1, 2])
    for change in (
        {"time": table["time"][::-1]},
        {"time": table["time"][:3]},
        {"time": table["time"] * np.nan},
        {"elbow": table["elbow"][:, None]},
    ):
        with pytest.raises(db.DualbodyError):
            good().add("a", {**table, **change}).run()
    with pytest.raises(db.InputError, match="time"):
        good().add("a", {"elbow": table["elbow"]}).run()


def test_fits_from_files(pendulum, random, tmp_path):
    pendulum.save(tmp_path / "arm.json")
    table = recording(pendulum, 0.3, random)
    units = {"time": "s", "shoulder": "rad", "elbow": "rad"}
    titles = [f"{name} [{units.get(name, 'N m')}]" for name in table]
    lines = [",".join(titles), *(",".join(map(repr, map(float, row))) for row in zip(*table.values()))]
    (tmp_path / "slow.csv").write_text("\n".join(lines) + "\n")
    channel = lambda joint: {"name": joint, "measures": {"JointPosition": joint}, "deviations": [1e-3]}
    document = {
        "format": "dualbody fit",
        "version": 1,
        "machine": "arm.json",
        "channels": [channel("shoulder"), channel("elbow")],
        "unknowns": [{"name": "lower/mass"}, {"name": "elbow/damping"}],
        "state_deviations": {"position": 0.02, "velocity": 0.5, "actuators": 1.0, "sensors": 1.0},
        "experiments": [{"name": "slow", "signals": "slow.csv", "start": "Measured"}],
    }
    (tmp_path / "fit.json").write_text(json.dumps(document))
    result = db.fit_file(tmp_path / "fit.json")
    assert abs(result.estimates["lower/mass"] - 1.6) < 0.05
    with pytest.raises(db.FileError, match="nowhere.json"):
        db.fit_file(tmp_path / "nowhere.json")
