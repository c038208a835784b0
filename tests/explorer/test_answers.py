"""Answers of a tab: work that is wanted while it is under way, and long questions in a process of their own."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time

import pytest

from consortium.explorer import answers
from consortium.explorer.answers import Latest, Work, in_thread
from consortium.explorer.view import View


def test_who_wishes_waits_for_work_that_began_after_the_wish() -> None:
    """A button pressed while the page still works must find the answer of the work, or of its repetition."""
    began: list[int] = []
    done: list[int] = []

    async def asked() -> None:
        gate = asyncio.Event()

        async def work() -> None:
            began.append(len(began))
            await gate.wait()
            done.append(len(done))

        work_of = Latest(work)
        first = asyncio.create_task(work_of())
        await asyncio.sleep(0)
        others = [asyncio.create_task(work_of()) for _ in range(3)]
        await asyncio.sleep(0)
        assert began == [0]
        assert done == []
        assert not any(task.done() for task in (first, *others))
        gate.set()
        await asyncio.gather(first, *others)

    asyncio.run(asked())
    assert began == done == [0, 1]  # once more for all three who wished in the meantime


def test_who_waits_is_let_go_when_the_work_fails() -> None:
    async def asked() -> list[object]:
        gate = asyncio.Event()

        async def work() -> None:
            await gate.wait()
            raise ValueError

        work_of = Latest(work)
        both = [asyncio.create_task(work_of()) for _ in range(2)]
        await asyncio.sleep(0)
        gate.set()
        return list(await asyncio.wait_for(asyncio.gather(*both, return_exceptions=True), 5))

    first, second = asyncio.run(asked())
    assert isinstance(first, ValueError)
    assert second is None


LEFT = """
import asyncio, time
from consortium.explorer.answers import in_thread

async def visit():
    asyncio.ensure_future(in_thread(time.sleep, 60))
    await asyncio.sleep(0.05)

asyncio.run(visit())
print("ended")
"""


def test_the_end_waits_for_no_answer_however_long_a_loaded_machine_takes_for_it() -> None:
    """What was estimated as quick may take a minute beside others: neither the loop nor the interpreter waits."""
    done = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, timeout=30, check=True)
    assert (done.stdout, done.stderr) == ("ended\n", "")


def test_a_thread_hands_over_its_answer_or_its_error() -> None:
    assert asyncio.run(in_thread(divmod, 7, 2)) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        asyncio.run(in_thread(divmod, 7, 0))


# --- long questions --------------------------------------------------------------------------------------------------


def ended(work: Work, seconds: float = 60) -> Work:
    end = time.monotonic() + seconds
    while not work.look():
        assert time.monotonic() < end
        time.sleep(0.02)
    return work


def test_it_answers_what_the_command_that_it_names_would() -> None:
    view = View.opened("agmon2003/5.2.1").changed({"mechanism.rule": "vcg-postpone"})
    assert view.command("verify") == "consortium verify agmon2003/5.2.1 --set mechanism.rule=vcg-postpone"
    work = ended(Work("verify", view))
    assert work.answer is not None
    assert work.answer["dominant"]["holds"] is True
    work.close()


def test_what_cannot_be_asked_is_said() -> None:
    work = ended(Work("search", View.opened("minimal/multiuser")))
    assert work.answer is None
    assert "have no such verb" in work.trouble


def test_it_stops_with_what_is_known_or_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    view = View.opened("cordeiro2012/figure-5.5-k6")
    work = Work("search", view)
    while work.status == "starting" and not work.look():
        time.sleep(0.02)
    assert "best-response moves" in work.status
    work.stop()
    ended(work, answers.PATIENCE + 5)
    assert work.answer is not None
    assert work.answer["complete"] is False
    assert work.answer["profiles"] > 10**6
    monkeypatch.setattr(answers, "PATIENCE", 0.0)
    other = Work("search", view)
    other.stop()
    assert ended(other).answer is None
