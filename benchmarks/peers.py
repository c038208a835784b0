"""Beside peers: the same work given to this package and to other programs, in the same process, one after the other.

``pip install -r benchmarks/peers.txt`` installs the other programs, as far as they can be had; then

``python benchmarks/peers.py [WORD...] [--rounds 5] [--limit 60]`` gives out the tasks of ``peers_equilibria.py``,
``peers_games.py`` and ``peers_schedules.py`` whose text contains one of the words (none: all), keeps what it finds in
``peers.json``, and writes the tables of ``docs/explanation/beside-peers.md`` from it; ``--table`` writes the tables
alone. A row is kept as soon as it is known.

Each row is measured in a process of its own. Everybody gets the instance in its own form, answers once so that
kernels are compiled, and the answers are compared; then ours and theirs alternate for so many rounds. Seconds are
processor seconds of all threads, the median of the rounds; a call that takes less than a hundredth of a second is
repeated within a round, and one of more than two seconds is timed once. A peer that has not answered after the limit is
killed. Beside each row stands what a loop of fixed work took then, which says how quick the machine was.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import importlib.metadata
import importlib.util
import json
import math
import multiprocessing
import os
import platform
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from peers_equilibria import EQUILIBRIA  # noqa: E402
from peers_games import GAMES  # noqa: E402
from peers_schedules import SCHEDULES  # noqa: E402
from peers_tasks import Beside, Task  # noqa: E402

from consortium.support.errors import InputError  # noqa: E402

KEPT = HERE / "peers.json"
PAGE = HERE.parent / "docs" / "explanation" / "beside-peers.md"
PEERS = {
    "AccaSim": ("accasim", "accasim"),
    "coopgt": ("coopgt", "coopgt"),
    "Gambit": ("pygambit", "pygambit"),
    "MechAudit": ("mechaudit", "mechaudit"),
    "nashpy": ("nashpy", "nashpy"),
    "numpy": ("numpy", "numpy"),
    "OpenSpiel": ("pyspiel", "open_spiel"),
    "OR-Tools": ("ortools", "ortools"),
    "PyJobShop": ("pyjobshop", "pyjobshop"),
    "QuantEcon": ("quantecon", "quantecon"),
    "SciPy": ("scipy", "scipy"),
    "shapiq": ("shapiq", "shapiq"),
}
"""What is imported, and the distribution that it comes with."""
SPACE = "\N{NO-BREAK SPACE}"
FORK = multiprocessing.get_context("fork")
COMPILED, LONG = 8.0, 2.0
"""A call that took longer than the first is not made again; one that took longer than the second is timed once."""
SHORT = 0.01
"""Shorter calls are repeated within a round."""


def key(task: Task, beside: Beside) -> str:
    """What a row is kept under."""
    return f"{task.theme}; {task.work}; {beside.peer} {beside.call}"


def pairs() -> Iterator[tuple[Task, Beside]]:
    """All rows, in the order of the page."""
    for task in (*EQUILIBRIA, *GAMES, *SCHEDULES):
        for beside in task.beside:
            yield task, beside


# --- one row, in a process of its own --------------------------------------------------------------------------------


def measured(task: Task, beside: Beside, rounds: int, limit: float) -> Iterator[dict[str, Any]]:
    """What is known of a row, more and more of it."""
    instance = task.make()
    ours, _ = once(task.ask, instance)
    row: dict[str, Any] = {"ours": each(task.ask, instance), "unit": round(unit(), 4)}
    yield row
    allow(limit)
    theirs, row["built"] = once(beside.make, instance)
    yield row
    allow(limit)
    answer, row["theirs"] = once(beside.ask, theirs)
    row |= {"rounds": 1} | task.compare(ours, beside.read(answer))._asdict()
    yield row
    if row["theirs"] < COMPILED:
        allow(limit)
        row["theirs"] = each(beside.ask, theirs)
        yield row
        if max(row["theirs"], row["ours"]) < LONG:
            took = [(each(task.ask, instance), each(beside.ask, theirs)) for _ in range(rounds)]
            row["ours"], row["theirs"] = map(statistics.median, zip(*took, strict=True))
            yield row | {"rounds": rounds}


def allow(limit: float) -> None:
    """Have this process killed after so many more processor seconds."""
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + limit), resource.RLIM_INFINITY))


def once(ask: Callable[[Any], Any], instance: Any) -> tuple[Any, float]:
    """An answer and its processor seconds."""
    began = time.process_time()
    answer = ask(instance)
    return answer, time.process_time() - began


def each(ask: Callable[[Any], Any], instance: Any) -> float:
    """Processor seconds of one of as many calls as take a hundredth of a second."""
    times = 1
    while True:
        began = time.process_time()
        for _ in range(times):
            ask(instance)
        took = time.process_time() - began
        if took >= SHORT:
            return took / times
        times = max(2 * times, math.ceil(times * SHORT / took) if took else 0)


def unit() -> float:
    """Processor seconds of a loop of fixed work, the median of five."""
    return statistics.median(once(lambda n: sum(k * k for k in range(n)), 1_000_000)[1] for _ in range(5))


def child(task: Task, beside: Beside, rounds: int, limit: float, rows: Connection) -> None:
    """Send a row whenever more is known."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # some peers print
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for row in measured(task, beside, rounds, limit):
                rows.send(row)
        except InputError as error:  # a log that is not at hand
            rows.send({"missing": str(error)})
        except ModuleNotFoundError as error:  # whose games these are
            rows.send({"missing": f"needs `{error.name}`"})


def row_of(task: Task, beside: Beside, rounds: int, limit: float) -> dict[str, Any]:
    """Have a row measured in a process of its own."""
    row = installed(beside.peer)
    if "missing" in row:
        return row
    here, there = FORK.Pipe(duplex=False)
    process = FORK.Process(target=child, args=(task, beside, rounds, limit, there))
    process.start()
    there.close()
    with contextlib.suppress(EOFError):
        while True:
            row |= here.recv()
    process.join()
    if process.exitcode and process.exitcode > 0:
        raise SystemExit(process.exitcode)
    return row if "theirs" in row or "missing" in row else row | {"theirs": None, "limit": limit}


def installed(peer: str) -> dict[str, Any]:
    """The version of a peer, or how to have it."""
    module, distribution = PEERS[peer]
    if importlib.util.find_spec(module) is None:
        return {"missing": f"not installed: `pip install {distribution}`"}
    return {"version": importlib.metadata.version(distribution)}


# --- the tables ------------------------------------------------------------------------------------------------------


def kept() -> dict[str, Any]:
    """What was measured: ``machine``, and ``rows`` by key."""
    results: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {"machine": {}, "rows": {}}
    return results


def machine() -> dict[str, Any]:
    """Where and when."""
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d, %H:%M UTC"),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def table(theme: str, rows: dict[str, dict[str, Any]]) -> str:
    """As Markdown."""
    lines = [
        "| work | peer | theirs / ours | theirs | ours | the same answer? |",
        "|---|---|---:|---:|---:|---|",
    ]
    before = None
    for task, beside in pairs():
        row = rows.get(key(task, beside))
        if task.theme == theme and row:
            work = "" if task.work == before else task.work
            before = task.work
            peer = f"{beside.peer} `{beside.call}`, {beside.numbers}"
            lines.append(f"| {work} | {peer} | {' | '.join(cells(row))} |")
    return "\n".join(lines) + "\n"


def cells(row: dict[str, Any]) -> list[str]:
    """All but the first two of a line."""
    if "missing" in row:
        return ["", "", "", row["missing"]]
    ours = row["ours"]
    if row["theirs"] is None:
        limit = row["limit"]
        why = "no answer" if "built" in row else "not built"
        return [f"> {ratio(limit / ours)}", f"> {seconds(limit)}", seconds(ours), why]
    verdict = row["says"] if row["same"] else f"**no**: {row['says']}"
    quotient = row["theirs"] / ours
    shown = ratio(quotient) if quotient >= 1 else f"**{ratio(quotient)}**"
    return [shown, seconds(row["theirs"]), seconds(ours), verdict]


def ratio(number: float) -> str:
    """Two digits that count."""
    number = float(f"{number:.1e}")
    return f"{number:,.{max(1 - math.floor(math.log10(number)), 0)}f}"


def seconds(number: float) -> str:
    """Two digits and a unit."""
    for scale, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if number >= 0.995 * scale or name == "µs":
            return f"{ratio(number / scale)}{SPACE}{name}"
    raise AssertionError(number)


def taken(results: dict[str, Any]) -> str:
    """When and on what, with the versions."""
    machine, rows = results["machine"], results["rows"]
    versions = {beside.peer: rows[key(task, beside)] for task, beside in pairs() if key(task, beside) in rows}
    names = [
        f"{peer} {row['version']}"
        for peer, row in sorted(versions.items(), key=lambda item: item[0].lower())
        if "version" in row
    ]
    units = [1000 * row["unit"] for row in rows.values() if "unit" in row]
    return (
        f"Taken on {machine['date']}, {machine['system']}, {machine['cores']} cores, Python {machine['python']}; "
        f"{', '.join(names)}. The loop of fixed work took {min(units):.0f} to {max(units):.0f} ms.\n"
    )


def written(page: str, results: dict[str, Any]) -> str:
    """The page with each table in its place."""
    parts = {task.theme: table(task.theme, results["rows"]) for task, _ in pairs()} | {"taken": taken(results)}
    for name, text in parts.items():
        mark, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
        before, rest = page.split(mark)
        _, after = rest.split(end)
        page = f"{before}{mark}\n{text}\n{end}{after}"
    return page


def main() -> None:
    """Measure, keep, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("words", nargs="*", help="parts of the tasks' texts")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--limit", type=float, default=60, help="processor seconds for a peer (default: 60)")
    parser.add_argument("--table", action="store_true", help="only write the tables of what is kept")
    given = parser.parse_args()
    names = [key(task, beside) for task, beside in pairs()]
    for task, beside in () if given.table else pairs():
        name = key(task, beside)
        if not given.words or any(word in name for word in given.words):
            row = row_of(task, beside, given.rounds, given.limit)
            print(name, json.dumps(row), flush=True)
            results = kept()
            rows = results["rows"] | {name: row}
            results = {"machine": machine(), "rows": {name: rows[name] for name in names if name in rows}}
            whole = KEPT.with_suffix(".new")
            whole.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
            whole.replace(KEPT)
    PAGE.write_text(written(PAGE.read_text(), kept()))


if __name__ == "__main__":
    main()
