"""What breaks off work waits while it must not be torn."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from types import FrameType

import pytest

from consortium.support.interrupts import noticed, shielded

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")


@pytest.fixture(autouse=True)
def _again() -> Iterator[None]:
    """The command line tries again a little later where it could not answer at once, as in an import."""

    def again(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, again)
    yield
    signal.signal(signal.SIGALRM, before)


def test_a_ctrl_c_that_comes_again_by_timer_waits_as_well() -> None:
    whole: list[bool] = []

    @shielded()
    def work() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        time.sleep(0.05)
        whole.append(True)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert whole


def test_a_ctrl_c_that_comes_again_by_timer_is_noticed_as_well() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    with noticed() as stopped, suppress(KeyboardInterrupt):
        time.sleep(5)
    assert stopped()
