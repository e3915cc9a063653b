"""Batches of a system by their number of copies."""

import threading

from ._dualbody import Batch


class Batches:
    """A batch for each number of copies, made when it is needed, of the system as it was."""

    def __init__(self, system, threads):
        self._system = system.copy()
        self._threads = threads
        self._made = {}
        self._lock = threading.Lock()

    def of(self, n):
        """That of so many copies."""
        with self._lock:
            if n not in self._made:
                self._made[n] = Batch(self._system, n, self._threads)
            return self._made[n]
