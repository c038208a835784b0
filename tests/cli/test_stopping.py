"""Ctrl-C and SIGTERM at random moments of many commands: exit code 3, what is known, nothing left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import consortium
from consortium.cli.stopping import GRACE, Stops

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")

ROOT = Path(__file__).resolve().parent.parent.parent
FEDERATION = """
format = 1
kind = "federation"
[[organizations]]
machines = 2
jobs = [97, 83, 71, 67, 61, 59, 53, 47]
[[organizations]]
machines = 2
jobs = [89, 79, 73, 43, 41, 37, 31]
[[organizations]]
machines = 3
jobs = [101, 103, 29, 23, 19, 17, 13]
[mechanism]
"""
DECLARATION = """
format = 1
kind = "declaration"
[cluster]
powers = [1, "3/2", 2]
[mechanism]
rule = "evcg-renice"
[domain]
lengths = [1, 2, 3, 4]
declarations = [1, 2, 3, 4, 5]
""" + "\n".join(f"[[agents]]\nlength = {length}" for length in (1, 2, 3, 4, 2))
USERS = """
format = 1
kind = "multiuser"
machines = 2
[mechanism]
rule = "pareto"
""" + "\n".join(f"[[users]]\njobs = {jobs}" for jobs in ([31, 27, 19, 8], [23, 29, 11], [17, 13, 37, 5]))
POOL = """
format = 1
kind = "sharing"
[mechanism]
rule = "ref"
[trace]
file = "log.swf"
duration = 4000
windows = 6
organizations = 5
machines = 12
"""

SHAPE = """
format = 1
kind = "federation"
organizations = [{ jobs = 3 }, { jobs = 3 }, { jobs = 1 }, { jobs = 1 }]
mechanism = { rule = "coordination" }
"""


@dataclass(frozen=True)
class Command:
    """A command with the code that it ends with when nobody stops it."""

    words: str
    code: int = 0

    def __str__(self) -> str:
        return self.words


COMMANDS = (
    Command("run agmon2003/5.2.1"),
    Command("run optimal.toml --json"),
    Command("run users.toml --json"),
    Command("search small.toml --json"),
    Command("search agmon2003/5.2.1 --plot found.svg --json"),
    Command("verify declaration.toml --json", 1),
    Command("verify skowron-rzadca2013/figure-2", 1),
    Command("compare declaration.toml --sample 2000 --json", 3),
    Command("compare small.toml --rules lpt-lpt,ilba,optimal --json"),
    Command("compare pool.toml --processes 2 --store windows.jsonl --rules rand,fifo"),
    Command("audit log.swf --organizations 4 --windows 3 --duration 3000 --processes 2 --machines 10 --json"),
    Command("curve agmon2003/5.2.1 ann --json"),
    Command("prove declaration.toml", 1),
    Command("prove shape.toml --method cover --processes 2"),
    Command("hunt --rule coordination --largest price_of_anarchy --time-limit 20", 3),
    Command("study run open/cycles --store cycles.db --processes 2"),
    Command("report declaration.toml small.toml --verb run,verify -o page.html"),
    Command("check agmon2003 cordeiro2012"),
    Command("check record.json"),
    Command("import log.swf --kind sharing --machines 10"),
    Command("scenarios --json"),
    Command("schema"),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("interrupted")
    central = FEDERATION + 'rule = "optimal"\nconstraints = ["local"]\n'
    (folder / "optimal.toml").write_text(central)
    (folder / "declaration.toml").write_text(DECLARATION)
    (folder / "users.toml").write_text(USERS)
    (folder / "pool.toml").write_text(POOL)
    (folder / "small.toml").write_text(
        'format = 1\nkind = "federation"\n[mechanism]\nrule = "coordination"\npriority = "organizations"\n'
        "[[organizations]]\njobs = [5, 4, 3]\n[[organizations]]\njobs = [4, 4]\n[[organizations]]\njobs = [7]\n"
    )
    (folder / "shape.toml").write_text(SHAPE)
    record = consortium.verify("agmon2003/5.2.1").to_dict()
    (folder / "record.json").write_text(json.dumps(record))
    rows = [
        f"{j} {7 * j} 0 {50 + 37 * j % 900} 1 -1 -1 1 -1 -1 1 {j % 9} {j % 3} -1 1 -1 -1 -1" for j in range(1, 3000)
    ]
    (folder / "log.swf").write_text("\n".join(rows) + "\n")
    return folder


@dataclass(frozen=True)
class Ended:
    """How a command ended; ``seconds`` from the signal."""

    code: int
    out: str
    err: str
    left: list[str]
    seconds: float


def interrupted(words: str, folder: Path, after: float, number: int, group: bool) -> Ended:
    """Run a command and send it a signal so many seconds after it has begun to listen, alone or with its children."""
    command = [sys.executable, "-m", "consortium", *words.split()]
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / ".types")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_with_default_signals,
    )
    while not listens(process.pid) and process.poll() is None:
        time.sleep(0.001)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        (os.killpg if group else os.kill)(process.pid, number)
    sent = time.monotonic()
    try:
        out, err = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    seconds = time.monotonic() - sent
    return Ended(process.returncode, out, err, left_of(process.pid), seconds)


def _with_default_signals() -> None:
    """A test run in the background of a shell ignores Ctrl-C, and so would its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def listens(pid: int) -> bool:
    """Whether a process catches SIGTERM: Python does not by itself, so the command line has begun."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
    caught = next((line for line in status.splitlines() if line.startswith("SigCgt:")), "SigCgt: 0")
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def left_of(session: int) -> list[str]:
    """Command lines of processes of a session that do not end by themselves within two seconds."""
    end = time.monotonic() + 2
    while True:
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                state, _, _, of = path.read_text().rpartition(")")[2].split()[:4]
                words = path.with_name("cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if int(of) == session and state != "Z":
                found.append(words)
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.02)


def check_ended(command: Command, ended: Ended) -> None:
    assert ended.code in (3, command.code), ended.err
    assert "Traceback" not in ended.err
    assert "Exception ignored" not in ended.err
    assert ended.left == []
    if ended.code != command.code:
        assert "ncomplete" in ended.err or "Stopped by" in ended.err, ended.out
    if "--json" in command.words and ended.out:
        json.loads(ended.out)


def moments(count: int, seed: int, longest: float = 8.0) -> list[tuple[Command, float, int, bool]]:
    """Commands in turn, each with a moment (early ones more often), a signal, and whether its children get it too."""
    rng = random.Random(seed)
    found = []
    for i in range(count):
        after = rng.choice([0.05, 0.25, 1.0]) * longest * rng.random()
        number = signal.SIGTERM if rng.random() < 0.15 else signal.SIGINT
        found.append((COMMANDS[5 * i % len(COMMANDS)], after, number, number == signal.SIGINT and rng.random() < 0.5))
    return found


@pytest.mark.parametrize(("command", "after", "number", "group"), moments(8, seed=24, longest=2.0), ids=str)
def test_signals_at_random_moments(folder: Path, command: Command, after: float, number: int, group: bool) -> None:
    check_ended(command, interrupted(command.words, folder, after, number, group))


@pytest.mark.exhaustive
@pytest.mark.parametrize(("command", "after", "number", "group"), moments(200, seed=200), ids=str)
def test_signals_at_two_hundred_random_moments(
    folder: Path, command: Command, after: float, number: int, group: bool
) -> None:
    check_ended(command, interrupted(command.words, folder, after, number, group))


def test_work_that_goes_on_after_a_signal_is_given_time_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever has caught Ctrl-C prints what is known meanwhile; only long after is it raised again."""
    stops, now = Stops(), [100.0]
    monkeypatch.setattr("consortium.cli.stopping.time.monotonic", lambda: now[0])

    def raised(work: Callable[[], None]) -> bool:
        try:
            work()
        except KeyboardInterrupt:
            return True
        return False

    assert not raised(stops.insist)
    assert raised(lambda: stops.arrived(signal.SIGINT, None))
    for later, again in ((0.0, False), (GRACE, False), (GRACE + 1, True)):
        now[0] = 100 + later
        assert raised(stops.insist) == again


TWICE = """
import time
from consortium.cli import app, stopping

def answer(*arguments, **options):
    stopping.STOPS.by = "SIGTERM"
    stopping.STOPS.retry()  # as where a signal comes during an import, which then ends with an error of its own
    raise ValueError("half an import")

told = app.fail
app._commands = lambda: answer
app.fail = lambda text: (time.sleep(0.2), told(text))
print(app.ended(["run"]))
"""


def test_a_stop_that_is_answered_does_not_come_again() -> None:
    """The timer that tries it again would break off the sentence, and a second one would follow."""
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout, done.stderr) == ("3\n", "Stopped by SIGTERM before there was an answer.\n")


LOADING = """
import os, signal, time
from consortium.cli import stopping

stopping.answer_signals()
lines = "os.kill(os.getpid(), signal.SIGTERM)\\nfor _ in range(1000): pass\\nprint('loaded')"
try:
    exec(compile(lines, "/lib/llvmlite/binding/executionengine.py", "exec"))
    time.sleep(20)
except KeyboardInterrupt:
    print("stopped")
"""


def test_a_signal_waits_until_compiled_code_is_loaded() -> None:
    """Between LLVM taking a module and Python noting it, an interrupt was a segmentation fault."""
    done = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.stdout, done.stderr) == ("loaded\nstopped\n", "")
