"""What breaks off work waits while it must not be torn."""

from __future__ import annotations

import signal
import time
from types import FrameType

import pytest

from consortium.support.interrupts import shielded


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
def test_a_ctrl_c_that_comes_again_by_timer_waits_as_well() -> None:
    """The command line tries again a little later where it could not answer at once, as in an import."""

    def again(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    whole: list[bool] = []

    @shielded()
    def work() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        time.sleep(0.05)
        whole.append(True)

    before = signal.signal(signal.SIGALRM, again)
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.signal(signal.SIGALRM, before)
    assert whole
