"""Worker processes: what they answer, in which order, and what cannot be sent to them."""

from __future__ import annotations

import math
import signal
import sys
import time
from multiprocessing.pool import IMapIterator
from typing import Any

import pytest

from consortium.parallel.processes import travels, workers
from consortium.scheduling.progress import Clock


@pytest.mark.parametrize("processes", [1, 2])
def test_answers_come_in_order_where_that_is_asked(processes: int) -> None:
    with workers(processes) as results:
        assert list(results(math.factorial, range(20), ordered=True)) == [math.factorial(n) for n in range(20)]
        assert sorted(results(math.factorial, range(20))) == [math.factorial(n) for n in range(20)]


@pytest.mark.parametrize("processes", [1, 2])
def test_the_clock_ends_the_waiting(processes: int) -> None:
    with workers(processes) as results, pytest.raises(TimeoutError):
        for _ in results(time.sleep, [0.2] * 100, clock=Clock(0.3)):
            pass


def test_what_is_defined_inside_a_function_does_not_travel() -> None:
    class Inner:
        pass

    assert travels(Clock(1))
    assert not travels(Inner())


def test_ctrl_c_never_breaks_off_what_the_pool_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the middle of waiting it would leave a lock locked, and the end of the pool would wait for it for ever."""
    waiting, ended = IMapIterator.next, []

    def interrupted(self: Any, timeout: float | None = None) -> Any:
        signal.raise_signal(signal.SIGINT)
        try:
            return waiting(self, timeout)
        finally:
            ended.append(sys.exc_info()[0])

    monkeypatch.setattr(IMapIterator, "next", interrupted)
    with pytest.raises(KeyboardInterrupt), workers(2) as results:
        list(results(abs, [-1], ordered=True))
    assert ended
    assert KeyboardInterrupt not in ended
