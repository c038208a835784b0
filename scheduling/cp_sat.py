"""The one door to CP-SAT: how the house makes models, searches them and reads the answer.

Every search runs with one worker and a fixed seed, so the same model gets the same answer with the same version of
CP-SAT. It runs in a thread of its own, so that Ctrl-C and a time limit stop it in the same way. What is known by then
comes back as an :class:`Answer` that is neither optimal nor infeasible; a caller who cannot use a part says
``partial=False`` and gets the ``KeyboardInterrupt``.

Importing this module is light; ortools is imported with the first model.

>>> model = new_model()
>>> x = model.new_int_var(0, 9, "x")
>>> model.add(2 * x >= 5)  # doctest: +ELLIPSIS
<...>
>>> model.minimize(x)
>>> answer = solve(model)
>>> answer.status, answer.value(x), answer.bound
('optimal', 3, 3.0)
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from ..support.errors import TooLargeError
from ..support.loading import load
from ..support.progress import Progress

if TYPE_CHECKING:
    from ortools.sat.python.cp_model import CpModel

Status: TypeAlias = Literal["optimal", "feasible", "infeasible", "stopped"]
"""``feasible``: stopped with a solution in hand; ``stopped``: without one. The other two are proved."""

LIMIT: Final = 2**50
"""Largest sums that the house hands to CP-SAT, whose integers are int64 and whose bounds are floats."""
OVERFLOW: Final = 2**62
"""What the terms of one constraint may add up to at most, or CP-SAT refuses the model."""
TICK: Final = 0.25
"""Seconds between two reports of a search."""
SLACK: Final = 1e-6
"""What a float bound may lie above the integer that it means."""


class _Absent(ModuleType):
    """Stands for a module while another one is imported that looks for its types; afterwards it is the real one."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is not self:
            return load(f"{self.__name__}:{name}")
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


@cache
def cp_model() -> Any:
    """``ortools.sat.python.cp_model`` without pandas, which it imports for series of variables that nobody here makes.

    That saves 0.3 of 0.45 s. With pandas, should a version of ortools want more than names of it.
    """
    if "pandas" not in sys.modules:
        sys.modules["pandas"] = _Absent("pandas")
        try:
            from ortools.sat.python import cp_model as without

            return without
        except Exception:
            pass  # and once more, with the real one
        finally:
            del sys.modules["pandas"]
    from ortools.sat.python import cp_model as whole

    return whole


def new_model() -> CpModel:
    """An empty model."""
    model: CpModel = cp_model().CpModel()
    return model


@dataclass(frozen=True)
class Answer:
    """What a search ended with.

    Attributes
    ----------
    status
        See :data:`Status`.
    bound
        What is proved of the objective, a float; only meaningful with a solution.
    value
        Value of a variable or an expression in the best solution.
    interrupted
        Whether Ctrl-C ended it.
    """

    status: Status
    bound: float
    value: Callable[[Any], int]
    interrupted: bool = False

    @property
    def has_solution(self) -> bool:
        """Whether there is a solution."""
        return self.status in ("optimal", "feasible")

    @property
    def ended(self) -> bool:
        """Whether the search ended by itself, with a proof."""
        return self.status in ("optimal", "infeasible")

    @property
    def least(self) -> int:
        """The bound of a minimisation over integers as an integer."""
        return math.ceil(self.bound - SLACK)


class Search:
    """A search in a thread of its own, under way once this is made; see :func:`solve`."""

    def __init__(self, model: CpModel, seconds: float | None = None, *, seed: int = 1) -> None:
        self._model, self._solver = model, cp_model().CpSolver()
        parameters = self._solver.parameters
        parameters.num_workers = 1
        parameters.random_seed = seed
        # else 9.15 drops enforcement literals of nearly equal terms of ten digits and calls what is left optimal
        parameters.presolve_inclusion_work_limit = 0
        parameters.catch_sigint_signal = False  # else Python would not hear of Ctrl-C
        if seconds is not None:
            parameters.max_time_in_seconds = max(seconds, 0.0)
        self._status: Status = "stopped"
        self._error: BaseException | None = None
        # Ctrl-C in Thread.join would take the thread for ended; in Event.wait it may release a lock that nobody holds
        self._ended, self._bell = False, SimpleQueue[None]()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        names: dict[Any, Status] = {
            cp_model().OPTIMAL: "optimal",
            cp_model().FEASIBLE: "feasible",
            cp_model().INFEASIBLE: "infeasible",
            cp_model().UNKNOWN: "stopped",
        }
        try:
            status = self._solver.solve(self._model)
            if status == cp_model().MODEL_INVALID:
                reason = " ".join(self._model.validate().split())
                raise TooLargeError(f"constraint solver: it refuses the model, whose numbers are too large: {reason}")
            self._status = names[status]
        except BaseException as error:  # raised again where it is waited for
            self._error = error
        finally:
            self._ended = True
            self._bell.put(None)

    def wait(self, progress: Progress | None = None) -> Answer:
        """Wait until it has ended, telling the seconds; raises ``KeyboardInterrupt`` when that comes first."""
        began = time.monotonic()
        while not self._within(TICK):
            if progress is not None:
                progress(int(time.monotonic() - began), None, "seconds in the solver")
        if self._error is not None:
            raise self._error
        bound = self._solver.best_objective_bound if self._status != "infeasible" else math.nan
        return Answer(self._status, bound, self._solver.value)

    def stop(self) -> Answer:
        """Ask it to stop until it has; a request before the thread has begun to solve would be lost."""
        self._solver.stop_search()
        while not self._within(0.02):
            self._solver.stop_search()
        return self.wait()

    def _within(self, seconds: float) -> bool:
        """Whether it has ended, at the latest after so many seconds.

        No wait is without an end: a signal that the system gives to the solver's thread wakes nobody here.
        """
        if not self._ended:
            with suppress(Empty):
                self._bell.get(timeout=seconds)
        return self._ended


def solve(
    model: CpModel,
    seconds: float | None = None,
    *,
    seed: int = 1,
    partial: bool = True,
    progress: Progress | None = None,
) -> Answer:
    """Search a model to its end, or until time is up or Ctrl-C comes.

    Parameters
    ----------
    model
        What :func:`new_model` made.
    seconds
        Time limit; ``None`` for none.
    seed
        Of the search.
    partial
        Whether Ctrl-C returns what is known; False raises ``KeyboardInterrupt`` when the search has stopped.
    progress
        Told the seconds since the start, a few times a second.

    Examples
    --------
    >>> model = new_model()
    >>> model.add(model.new_int_var(0, 1, "x") >= 2)  # doctest: +ELLIPSIS
    <...>
    >>> solve(model).status
    'infeasible'
    """
    search = Search(model, seconds, seed=seed)
    try:
        return search.wait(progress)
    except KeyboardInterrupt:
        answer = search.stop()
        if not partial:
            raise
    return Answer(answer.status, answer.bound, answer.value, interrupted=True)
