"""Fits of a machine to recordings."""

import warnings
from collections.abc import Mapping

import numpy as np

from . import _dualbody
from ._errors import InputError

_KINDS = ("joint_position", "joint_velocity", "point", "output")


def _name(value, quantity):
    if not isinstance(value, str):
        raise InputError(f"{quantity}: found {value!r}, expected a name")
    return value


def _floats(values, quantity, size=None):
    try:
        array = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError) as error:
        raise InputError(f"{quantity}: {error}") from None
    if array.ndim != 1 or (size is not None and len(array) != size):
        raise InputError(f"{quantity}: found the shape {array.shape}, expected ({size or 'entries'},)")
    return array.tolist()


def _warn_of_times(name, table, time_step):
    """Where samples are seconds and hundreds of steps apart, times may be in another unit than s."""
    try:
        interval = float(np.median(np.diff(np.asarray(table.get("time", table.get("time [s]")), dtype=float))))
    except (TypeError, ValueError):
        return
    if interval >= 1.0 and interval > 200 * time_step:
        warnings.warn(
            f"recording {name!r}: samples are {interval:g} s apart, {interval / time_step:.0f} time steps, and a fit simulates "
            "them all: if times are not in s, call them 'time [ms]'",
            stacklevel=3,
        )


def _loss(loss):
    """Its name and its threshold."""
    if isinstance(loss, str):
        loss = (loss, 1.0) if loss == "least_squares" else (loss,)
    if not isinstance(loss, (tuple, list)) or len(loss) != 2:
        raise InputError(f"loss: found {loss!r}, expected 'least_squares' or a name and a threshold, as ('huber', 3.0)")
    return _name(loss[0], "loss"), _floats(loss[1], "threshold of the loss", 1)[0]


class Fit:
    """A machine, what was measured on it, what is not known, and recordings.

    ``fit.measure`` says what a signal is, ``fit.estimate`` what is not known, ``fit.add`` adds a recording, ``fit.run`` finds the
    unknowns. Motions are cut into segments that grow from stage to stage, so that poor guesses do.
    """

    def __init__(self, system):
        self._system = system
        self._channels = []
        self._unknowns = []
        self._recordings = []

    def measure(self, name, kind, target=None, *, deviation, estimate_deviation=False, position=None):
        """Signals of this name are a ``"joint_position"`` or ``"joint_velocity"`` of the joint ``target``, the position of a
        ``"point"`` of the body ``target`` at ``position`` (3,) in its frame (signals ``name/x``, ``name/y``, ``name/z``), or
        the ``"output"`` ``target``; ``deviation`` is the standard deviation of its noise, a number or one for each entry, or a
        first guess of it if ``estimate_deviation`` says so."""
        if _name(kind, "kind") not in _KINDS:
            raise InputError(f"kind: found {kind!r}, expected one of {_KINDS}")
        name = _name(name, "name")
        target = name if target is None else _name(target, "target")
        deviations = _floats(deviation, "deviation")
        if kind == "point" and len(deviations) == 1:
            deviations = 3 * deviations
        point = None if position is None else _floats(position, "position", 3)
        channel = {"name": name, "kind": kind, "target": target, "deviations": deviations, "position": point}
        channel["estimate_deviations"] = bool(estimate_deviation)
        self._channels.append(channel)
        return self

    def estimate(
        self,
        name,
        kind="parameter",
        *,
        initial=None,
        lower=None,
        upper=None,
        scale=None,
        logarithmic=False,
        prior=None,
        channel=None,
        entry=0,
    ):
        """The parameter of this name is not known, or else a ``"delay"`` of a channel (s), the ``"bias"`` or ``"gain"`` of its
        ``entry``, or where the point of a channel is along the axis ``entry``, its ``"mounting"`` (m). ``prior`` is the mean and
        the standard deviation of what is known of it before; the deviation is that of the logarithm if it is
        ``logarithmic``."""
        name, kind = _name(name, "name"), _name(kind, "kind")
        unknown = {"name": name, "kind": kind, "initial": initial, "lower": lower, "upper": upper}
        unknown |= {"scale": scale, "logarithmic": bool(logarithmic), "channel": channel, "entry": entry}
        unknown["prior"] = None if prior is None else tuple(_floats(prior, "prior", 2))
        self._unknowns.append(unknown)
        return self

    def add(self, name, signals, *, start=None, start_is_known=False, held_out=False):
        """A recording: a data frame or a mapping with ``time`` (s) and a column for each channel and input of the machine, in SI
        units or called ``name [unit]``, or a list of such tables, each with times of its own; NaN is a sample that is missing.
        ``start`` is the state (nx,) at its beginning, a guess unless it is known; without it, it is what was measured. What is
        held out judges the fit."""
        tables = list(signals) if isinstance(signals, (list, tuple)) else [signals]
        for table in tables:
            if not isinstance(table, Mapping) and not hasattr(table, "columns"):
                raise InputError("signals: expected a mapping or a data frame, or a list of them")
        columns = [{_name(column, "column"): np.asarray(table[column]) for column in table} for table in tables]
        self._recordings.append((_name(name, "name"), columns, start, bool(start_is_known), bool(held_out)))
        return self

    def run(
        self,
        *,
        first=20,
        deviations=(0.02, 0.5, 1.0, 1.0),
        loss=("huber", 3.0),
        noise="unit",
        threads=True,
        progress=None,
    ):
        """The :class:`FitResult`. ``first`` is the number of samples of the first segments; ``deviations`` say how well states at
        the start are known (positions, velocities, states of actuators and of sensors); ``progress(segment, step, cost)`` is
        called after each step. ``loss`` is that of each residual: ``"huber"``, ``"soft_l1"`` or ``"cauchy"`` with the number of
        deviations from which a residual counts less, so that outliers hardly move estimates, or ``"least_squares"``. ``noise``
        says of least squares whether deviations are right (``"unit"``), right but for a common factor (``"estimated"``), or
        recordings are independent of each other and nothing else (``"independent"``)."""
        for name, tables, *_ in self._recordings:
            for table in tables:
                _warn_of_times(name, table, self._system.time_step)
        return _dualbody.fit_motion(
            self._system,
            self._channels,
            self._unknowns,
            self._recordings,
            _floats(deviations, "deviations", 4),
            _loss(loss),
            _name(noise, "noise"),
            first,
            threads,
            progress,
        )

    def __repr__(self):
        channels, unknowns, recordings = self._channels, self._unknowns, self._recordings
        return f"<dualbody.Fit: {len(channels)} channels, {len(unknowns)} unknowns, {len(recordings)} recordings>"


def fit_file(path, *, first=20, threads=True, progress=None):
    """Fits what a file (JSON) describes: a machine, what was measured on it, what is not known, and tables of signals. It is
    that of ``dualbody fit``, for which the library's module ``io::json`` has its parts."""
    return _dualbody.fit_file(path, first, threads, progress)
