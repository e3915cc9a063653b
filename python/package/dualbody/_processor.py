"""Refuses processors that the package is not compiled for, where it would end the interpreter."""

import platform
from importlib.util import find_spec
from pathlib import Path

import numpy as _numpy

# What `_dualbody.BUILT_FOR` says where it is compiled for them.
_MARK = b"processors with AVX2"


def has_avx2():
    """Whether the processor has AVX2, as far as numpy knows."""
    core = getattr(_numpy, "_core", None) or _numpy.core
    return core._multiarray_umath.__cpu_features__.get("AVX2", False)


def check(machine=None, has=has_avx2):
    """Raises ImportError for a processor that the compiled module is not for, without loading it."""
    if (machine or platform.machine()).lower() not in ("x86_64", "amd64") or has():
        return
    spec = find_spec("dualbody._dualbody")
    if spec is not None and _MARK in Path(spec.origin).read_bytes():
        raise ImportError(
            "dualbody is compiled for processors with AVX2, and this one has none: "
            "build it from source with RUSTFLAGS= in the environment"
        )
