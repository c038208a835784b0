"""Answers of a tab: work that is wanted while it is under way, and long questions in a process of their own."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from consortium.explorer import answers, page
from consortium.explorer.answers import Latest, Work, in_thread
from consortium.explorer.tab import Tab
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


class Trouble:
    """What stands where a tab complains."""

    text = ""


def tab() -> Tab:
    made = Tab(View.opened("agmon2003/5.2.1"))
    made._trouble = Trouble()
    return made


def test_what_does_not_answer_is_given_up_and_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file on a disk that is gone: other tabs go on, what is opened next is shown, and the end is not awaited."""
    monkeypatch.setattr(answers, "LATE", 0.5)
    gone, read = threading.Event(), View.opened

    def hanging() -> View:
        gone.wait(60)
        return read("minimal/sharing")

    async def visit() -> None:
        one, other = tab(), tab()
        slow = asyncio.create_task(one.open("/net/gone.toml", hanging))
        await asyncio.sleep(0)
        assert await other.look(lambda view: view.changed({"agents[1].declares": 3}))
        assert not slow.done()
        assert await slow is False
        assert one._trouble.text == "/net/gone.toml: no answer within 0 seconds"
        assert one.view.source == "agmon2003/5.2.1"
        slow = asyncio.create_task(one.open("/net/gone.toml", hanging))
        await asyncio.sleep(0)
        assert await one.open("minimal/sharing", partial(read, "minimal/multiuser"))
        assert await slow is False
        assert (one.view.source, one._trouble.text) == ("minimal/multiuser", "")

    asyncio.run(visit())
    gone.set()
    with pytest.raises(TimeoutError, match="of its own"):
        asyncio.run(in_thread(raising, TimeoutError("of its own")))


def raising(error: BaseException) -> None:
    raise error


def test_changes_are_made_one_after_the_other_and_only_of_what_they_were_meant_for() -> None:
    async def visit() -> None:
        both, knob = tab(), object()
        seen: list[View] = []

        async def show(anew: bool) -> None:
            seen.append(both.view)

        both.on_view = show

        def said(value: int, agent: int, slow: float = 0) -> Callable[[View], View]:
            def change(view: View) -> View:
                time.sleep(slow)
                return view.changed({f"agents[{agent}].declares": value})

            return change

        first = [both.look(said(3, 1, 0.05))]
        moved = [both.look(said(value, 2), by=knob) for value in range(2, 9)]
        assert await asyncio.gather(*first, *moved) == [True] * 8
        assert both.view.changes == {"agents[1].declares": 3, "agents[2].declares": 8}
        assert len(seen) == 2
        assert await both.look(lambda view: view)
        assert len(seen) == 2  # nothing else is looked at
        late, opened = both.look(said(5, 1, 0.1)), both.open("other", partial(View.opened, "minimal/declaration"))
        assert await asyncio.gather(late, opened) == [False, True] or both.view.source == "minimal/declaration"
        assert both.view.changes == {}
        assert not await both.look(said(0, 1))
        assert "agents[1].declares: found 0" in both._trouble.text

    asyncio.run(visit())


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


class Pressed:
    """A button of a page that nobody looks at."""

    def __init__(self, action: Callable[[], None]) -> None:
        self.press, self.enabled = action, True
        self.disable = partial(self.set_enabled, False)

    def set_enabled(self, enabled: bool) -> None:
        self.enabled = enabled


def test_while_a_question_is_open_it_can_be_stopped_and_no_other_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: dict[str, Pressed] = {}
    monkeypatch.setattr(
        page, "buttons", lambda **actions: shown.update({k: Pressed(f) for k, f in actions.items()}) or shown
    )
    for name in ("ui", "card", "tables", "Work"):
        monkeypatch.setattr(page, name, mock.MagicMock())
    work = page.Work.return_value
    work.verb = "verify"
    tasks = page.Tasks(tab(), mock.Mock())

    def enabled() -> set[str]:
        return {name for name, button in shown.items() if button.enabled}

    verbs = set(shown) - {"stop"}
    assert (enabled(), verbs > {"verify"}) == (verbs, True)
    shown["verify"].press()
    work.look.return_value = False
    tasks._look()
    assert enabled() == {"stop"}
    shown["stop"].press()
    work.look.return_value, work.answer = True, {"complete": False}
    tasks._look()
    assert (enabled(), work.stop.call_count) == (verbs, 1)
    assert tasks._status.text == "verify: stopped; this is what is known"


ASKING = """
import signal, time
from consortium.explorer.answers import Work
from consortium.explorer.view import View

if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda *_: None)  # the server's business
    view = View.opened("cordeiro2012/figure-5.5-k6")
    works = [Work("search", view) for _ in range(2)]
    print("asked", flush=True)
    input()
    for work in works:
        work.close()
"""


@pytest.mark.parametrize("wait", [0, 0.3, 1.5])
def test_ctrl_c_of_the_terminal_reaches_no_process_of_a_question(wait: float, tmp_path: Path) -> None:
    """It goes to the whole process group, also to one that is just being started, which would print a traceback."""
    (tmp_path / "asking.py").write_text(ASKING.format(wait=wait))
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    asking = subprocess.Popen([sys.executable, tmp_path / "asking.py"], text=True, start_new_session=True, **pipes)
    assert asking.stdout is not None
    assert asking.stdout.readline() == "asked\n"
    time.sleep(wait)
    os.killpg(asking.pid, signal.SIGINT)
    time.sleep(0.3)
    _, errors = asking.communicate("\n", timeout=60)
    assert (asking.returncode, errors) == (0, "")
