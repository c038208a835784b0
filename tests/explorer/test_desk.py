"""Work that is wanted while it is under way."""

import asyncio
import subprocess
import sys

import pytest

from consortium.explorer.desk import Latest, in_thread


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
from consortium.explorer.desk import in_thread

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
