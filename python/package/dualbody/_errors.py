"""One tree of exceptions, whose texts are those of the library."""


class DualbodyError(Exception):
    """Whatever the library has to say against a call."""


class InputError(DualbodyError, ValueError):
    """An array or a number is not what it should be: its type, its shape, its value."""


class UnknownNameError(DualbodyError, KeyError):
    """There is no body, joint, signal or parameter of this name, or there are several."""

    __str__ = Exception.__str__


class ParameterError(DualbodyError, ValueError):
    """A parameter cannot have this value."""


class FileError(DualbodyError):
    """A file or a text cannot be read or written; the text says where in it."""


class SimulationError(DualbodyError, ArithmeticError):
    """A step, an equilibrium or a solver failed."""


class IdentificationError(DualbodyError):
    """A fit cannot be made, or failed."""


class ControlError(DualbodyError):
    """There is no regulator, or no equilibrium to hold."""
