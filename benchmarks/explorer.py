"""How long the explorer takes to answer: ``python -m benchmarks.explorer [server|browser]``, by default both.

``server``: for every shipped declaration scenario each agent's declaration is moved through ten positions. Processor
milliseconds of all that the server does for a move but the curve, which follows; the median and the worst of each
scenario's moves, its first left out, and the slowest scenarios.

``browser``: milliseconds of wall time in Chromium, from the moment of the key or the click to the frame in which the
answer is painted, for the largest shipped scenarios of each kind and others between. The next move follows at once, as
from a hand that does not wait: what the page does in the background (curves, who wants to move) goes on meanwhile. The
first move of a scenario stands by itself; it may have to load a kernel. On a machine that does other things the wall
says little: beside it stand the processor milliseconds of the page and of the server for a move (Linux alone tells).
"""

from __future__ import annotations

import os
import re
import runpy
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import consortium
from consortium.explorer import declaration as state
from consortium.explorer.drawing import as_html
from consortium.explorer.view import View
from consortium.reports.markup import Table, text
from consortium.reports.tables import tables_of
from consortium.scenarios.scenario import Scenario
from consortium.support.errors import ConsortiumError

MOVES: Final = 10
LARGEST, OTHERS = 5, 4
"""Scenarios of each kind: the largest, and others spread over the rest by size."""
PATIENCE: Final = 60_000
"""Milliseconds after which the benchmark gives up."""
WATCH: Final = """
([selector, patience]) => {
  const parts = () => [...document.querySelectorAll(selector)];
  const before = new Map(parts().map(part => [part, part.textContent]));
  const fresh = () => parts().some(part => before.get(part) !== part.textContent);
  window.answered = new Promise(resolve => {
    let start;
    for (const kind of ["keydown", "click"])
      window.addEventListener(kind, event => { start ??= event.timeStamp }, { capture: true, once: true });
    const eyes = new MutationObserver(() => {
      if (start === undefined || !fresh()) return;
      eyes.disconnect();
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
    });
    eyes.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    setTimeout(() => resolve(null), patience);
  });
}
"""
"""Promises the time from the next key or click until parts of the page that are new, or read differently, are there."""


# --- the server alone -----------------------------------------------------------------------------------------------


def moves(name: str) -> list[float]:
    """Milliseconds of each move."""
    view, found = View.opened(name), []
    scale = state.Scale.over(view)
    for agent in range(len(view.scenario.spec.agents)):
        for move in range(MOVES + 1):
            start = time.thread_time()
            view = state.declares(view, agent, scale.value(1 + move * (scale.positions - 1) // MOVES))
            record = state.played(view)
            state.schedule(record)
            as_html(tables_of(record))
            view.command("run")
            _ = view.file
            found.append(1000 * (time.thread_time() - start))
    return found[1:]


def server() -> None:
    """Measure the server, and print."""
    taken = {scenario.name: moves(scenario.name) for scenario in consortium.listed("declaration")}
    every = [value for values in taken.values() for value in values]
    print(f"{len(taken)} scenarios, {len(every)} moves:", end=" ")
    print(f"median {statistics.median(every):.1f} ms, worst {max(every):.1f}")
    for name in sorted(taken, key=lambda name: -max(taken[name]))[:5]:
        print(f"{name}: median {statistics.median(taken[name]):.1f} ms, worst {max(taken[name]):.1f}")


# --- the whole, as a person sees it ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Measure:
    """What is done by hand to scenarios of a kind.

    Attributes
    ----------
    size
        Of a scenario, to find the largest.
    changes
        A selector of what is new on the page when the answer is there.
    acts
        Prepares moves on an open page; each of its values makes one.
    """

    size: Callable[[Scenario], int]
    changes: str
    acts: Callable[[Any, str], Iterator[Callable[[], None]]]


def slid(page: Any, name: str) -> Iterator[Callable[[], None]]:
    """What the first agent declares, and what the last has, in turn by the arrow key on its slider."""
    told, had = page.get_by_label("declares: slider").first, page.get_by_label("has: slider").last
    for slider in (told, had):
        slider.press("Home")
    page.locator("section[aria-label^='Utility'] .line").first.wait_for(state="attached")
    for move in range(MOVES):
        slider = (told, had)[move % 2]
        slider.focus()
        yield lambda: page.keyboard.press("ArrowRight")


def carried(page: Any, name: str) -> Iterator[Callable[[], None]]:
    """The first job from organization to organization, by the arrow key."""
    page.get_by_label("Costs").locator("table").wait_for()
    choose = page.get_by_role("button", name="let them choose")
    if choose.count():
        choose.click()
    job = page.locator("[data-job]").first
    job.wait_for()
    key = f"[data-job='{job.get_attribute('data-job')}']"
    for _ in range(MOVES):
        page.locator(key).focus()
        yield lambda: page.keyboard.press("ArrowRight")


def ruled(page: Any, name: str) -> Iterator[Callable[[], None]]:
    """The rules that fit, one by one."""
    view = View.opened(name)
    page.locator("section[aria-label='Schedule'] .plot").first.wait_for()
    for rule in [rule for rule in view.rules() if rule != view.rule and fits(view, rule)][:MOVES]:
        page.get_by_role("combobox", name="rule", exact=True).click()
        option = page.get_by_role("option", name=re.compile(f"^{rule}:"))
        option.scroll_into_view_if_needed()
        option.hover()
        yield option.click


def fits(view: View, rule: str) -> bool:
    """Whether a scenario can be looked at under a rule."""
    try:
        view.under(rule)
    except ConsortiumError:
        return False
    return True


def chosen(page: Any, name: str) -> Iterator[Callable[[], None]]:
    """Pareto points, by the enter key."""
    page.locator("[data-key]").first.wait_for()
    for key in range(min(MOVES, page.locator("[data-key]").count())):
        page.locator(f"[data-key='{key}']").focus()
        yield lambda: page.keyboard.press("Enter")


MEASURES: Final = {
    "declaration": Measure(
        lambda s: len(s.spec.agents), "section[aria-label='What everybody gets'] table", slid
    ),
    "federation": Measure(
        lambda s: sum(map(len, s.spec.federation.sizes)), "section[aria-label^='Schedule'] .plot", carried
    ),
    "sharing": Measure(
        lambda s: sum(len(org.jobs) for org in s.spec.organizations), "section[aria-label='Schedule'] > *", ruled
    ),
    "multiuser": Measure(
        lambda s: sum(len(user.jobs) for user in s.spec.users), "[data-key][aria-pressed='true']", chosen
    ),
}  # fmt: skip


def some(kind: str) -> list[tuple[int, str]]:
    """The largest scenarios of a kind, and others between; sizes and names."""
    size = MEASURES[kind].size
    every = sorted(((size(scenario), scenario.name) for scenario in consortium.listed(kind)), reverse=True)
    rest = every[LARGEST:]
    return every[:LARGEST] + rest[:: max(1, len(rest) // OTHERS)][:OTHERS]


@contextmanager
def served(name: str) -> Iterator[tuple[str, int]]:
    """The address of an explorer that shows a scenario, and the number of its process."""
    command = [sys.executable, "-m", "consortium", "explore", name, "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.pid
        finally:
            process.terminate()


def spent(server: int) -> float:
    """Processor milliseconds so far of the server and of the threads that show pages."""
    threads = list(Path(f"/proc/{server}/task").glob("*/schedstat"))
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has just ended
            if b"--type=renderer" in line.read_bytes():
                threads.append(line.with_name("schedstat"))
    return sum(map(_spent_by, threads)) / 1e6


def _spent_by(thread: Path) -> int:
    """Processor nanoseconds so far, none of a thread that has just ended."""
    with suppress(OSError):
        return int(thread.read_text().split()[0])
    return 0


def seen(visitor: Any, kind: str, name: str) -> list[tuple[float, float]]:
    """Milliseconds of each move on a scenario, and processor milliseconds."""
    found, measure = [], MEASURES[kind]
    with served(name) as (address, process):
        page = visitor.open(address)
        page.set_default_timeout(PATIENCE)
        for act in measure.acts(page, name):
            page.evaluate(WATCH, [measure.changes, PATIENCE])
            before = spent(process)
            act()
            took = page.evaluate("window.answered")
            if took is None:
                raise SystemExit(f"{name}: no answer in {PATIENCE / 1000:g} s")
            found.append((float(took), spent(process) - before))
        visitor.close()
    if visitor.troubles:
        raise SystemExit(f"{name}: {visitor.troubles}")
    return found


def browser() -> None:
    """Measure the page, and print a table."""
    tool = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[1] / "tests" / "browser.py")))
    rows = []
    print(f"load {os.getloadavg()[0]:.1f} at the beginning")
    with tool.chromium() as chromium:
        visitor = tool.Visitor(chromium)
        for kind in MEASURES:
            for size, name in some(kind):
                first, *rest = seen(visitor, kind, name)
                walls, works = zip(*(rest or [first]), strict=True)
                numbers = (first[0], statistics.median(walls), max(walls), statistics.median(works), max(works))
                rows.append((kind, name, str(size), str(1 + len(rest)), *(f"{number:.0f}" for number in numbers)))
                print(*rows[-1], flush=True)
    heads = ("kind", "scenario", "agents or jobs", "moves", "first", "median", "worst", "work", "most work")
    print(f"load {os.getloadavg()[0]:.1f} at the end\n")
    print(text([Table("milliseconds", heads, tuple(rows))]))


def main() -> None:
    """Measure what is asked for."""
    for part in sys.argv[1:] or ["server", "browser"]:
        {"server": server, "browser": browser}[part]()


if __name__ == "__main__":
    main()
