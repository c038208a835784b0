"""The map of shapes: for how many jobs of any lengths an equilibrium always exists, and what the largest prices are.

``python docs/published/shapes.py`` goes through all shapes of the map that is asked for, the smallest first, writes
each answer as a line of ``shapes.jsonl``, from which the page "The map of shapes" has its tables; what is decided
is not asked again. A theorem answers where one does, else a tree does; the certificates of shapes with up to
seven jobs are kept in ``shapes/``, of the others their digests. ``--question existence --organizations 4 --jobs 8``
takes a part, ``--time-limit`` leaves a shape open after so many seconds of the processor; ``--page`` asks nothing and
puts the tables into the page.

Existence is asked of shapes up to what cannot matter: organizations with one job are at home in some best response to
anything, and those without jobs only own a machine, so both stand last.

>>> [shape for shape in shapes_of(4, 5) if max(shape) < 4]
[(3, 2, 0, 0), (2, 3, 0, 0), (3, 1, 1, 0), (2, 2, 1, 0), (2, 1, 1, 1)]
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import comb
from pathlib import Path
from typing import Any, Final

from consortium.games.placement.all_lengths.answers import prove
from consortium.games.placement.all_lengths.shapes import Answer, Shape
from consortium.mechanisms.kinds import rules
from consortium.reports.markup import Table, text
from consortium.support.files import write_packed
from consortium.support.progress import Clock

HERE: Final = Path(__file__).parent
FILE: Final = HERE / "shapes.jsonl"
KEPT: Final = HERE / "shapes"
PAGE: Final = HERE.parent / "explanation" / "map-of-shapes.md"
JOBS_KEPT: Final = 7
"""Jobs of shapes up to which certificates are kept."""
QUESTIONS: Final = {
    "existence": "pure-equilibrium",
    "existence-by-jobs": "pure-equilibrium",
    "anarchy": "price-of-anarchy",
    "stability": "price-of-stability",
    "ratio": "ratio",
}
RULES: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "ilba": ("ilba", {}),
    "lpt-lpt": ("lpt-lpt", {}),
    "spt-lpt": ("spt-lpt", {}),
    "helped-lpt": ("less-helped-first", {"local_order": "lpt"}),
    "helped-listed": ("less-helped-first", {"local_order": "listed"}),
    "local": ("local", {}),
    "priority": ("priority-equilibrium", {"solver": "lpt"}),
    "priority-listed": ("priority-equilibrium", {"solver": "listed"}),
    "tomos": ("tomos", {"base": "ilba"}),
}
"""Central rules whose ratios are asked, as the columns of their table."""


class ProcessorClock(Clock):
    """A time limit in seconds of this process, whatever else runs."""

    def __init__(self, seconds: float) -> None:
        self._last = time.process_time() + seconds

    def expired(self) -> bool:
        """Whether the limit has passed."""
        return time.process_time() >= self._last

    def left(self) -> float:
        """Seconds left."""
        return max(0.0, self._last - time.process_time())


def shapes_of(organizations: int, jobs: int) -> Iterator[tuple[int, ...]]:
    """Shapes with so many jobs in all: those with several in every order, then the single jobs, then nothing."""
    for busy in range(1, organizations + 1):
        for parts in itertools.product(range(jobs, 1, -1), repeat=busy):
            single = jobs - sum(parts)
            if 0 <= single <= organizations - busy:
                yield (*parts, *(1,) * single, *(0,) * (organizations - busy - single))


def rankings_of(shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """All orders of the jobs of a shape, one of those that only exchange organizations with equally many jobs."""
    for order in itertools.permutations(range(1, sum(shape) + 1)):
        numbers = iter(order)
        ranks = tuple(tuple(itertools.islice(numbers, count)) for count in shape)
        if all(a <= b for (m, a), (n, b) in itertools.pairwise(zip(shape, ranks, strict=True)) if m == n):
            yield ranks


def questions(question: str, organizations: int, jobs: int) -> Iterator[tuple[Shape, str | None]]:
    """Shapes, and rules, that are asked about for so many organizations and jobs."""
    if question == "existence":
        yield from ((Shape(jobs_of), None) for jobs_of in shapes_of(organizations, jobs))
    elif question in ("existence-by-jobs", "ratio"):
        for jobs_of in shapes_of(organizations, jobs):
            if all(a >= b for a, b in itertools.pairwise(jobs_of)):  # ranks are the order
                if question == "existence-by-jobs":
                    yield from ((Shape(jobs_of, ranks), None) for ranks in rankings_of(jobs_of))
                elif all(jobs_of):
                    yield from ((Shape(jobs_of), rule) for rule in RULES)
    else:
        for jobs_of in itertools.product(range(jobs + 1), repeat=organizations):
            if sum(jobs_of) == jobs:
                yield Shape(jobs_of), None


def key_of(question: str, shape: Shape, rule: str | None = None) -> str:
    """A name for what is asked: of the line, and of the file."""
    ranks = [] if shape.ranks is None else ["".join(map(str, row)) or "-" for row in shape.ranks]
    return "-".join([question, *map(str, shape.jobs), *(["ranks", *ranks] if ranks else []), *([rule] if rule else [])])


def mechanism(rule: str) -> Any:
    """A central rule with its options."""
    name, options = RULES[rule]
    return rules("federation")[name].load()(**options)


def asked(question: str, shape: Shape, rule: str | None, seconds: float) -> dict[str, Any]:
    """One line of the map."""
    begun, clock = time.process_time(), ProcessorClock(seconds)
    answer = prove(shape, QUESTIONS[question], clock=clock, mechanism=rule and mechanism(rule))  # type: ignore[arg-type]
    row: dict[str, Any] = {
        "question": question,
        "rule": rule,
        "jobs": list(shape.jobs),
        "ranks": shape.ranks,
        "status": str(answer.status),
        "theorem": answer.theorem,
        "value": None if answer.value is None else str(answer.value),
        "at_least": None if answer.at_least is None else str(answer.at_least),
        "at_most": None if answer.at_most is None else str(answer.at_most),
        "attained": answer.attained,
        "leaves": answer.regions,
        "lengths": answer.lengths,
        "seconds": round(time.process_time() - begun, 2),
    }
    row = {name: value for name, value in row.items() if name != "rule" or value}
    return row | _kept(question, shape, answer)


def _kept(question: str, shape: Shape, answer: Answer) -> dict[str, Any]:
    """The digest of a certificate, and its file where it is kept."""
    if answer.certificate is None:
        return {}
    digest = {"sha256": hashlib.sha256(answer.certificate.encode()).hexdigest()}
    if question != "existence" or sum(shape.jobs) > JOBS_KEPT:
        return digest
    KEPT.mkdir(exist_ok=True)
    name = f"{key_of(question, shape)}.json.gz"
    write_packed(str(KEPT / name), answer.certificate)
    return digest | {"file": f"shapes/{name}"}


def lines() -> list[dict[str, Any]]:
    """The map as it is kept, the last answer to each question, by how many jobs it is about."""
    rows = [json.loads(line) for line in FILE.read_text().splitlines()] if FILE.exists() else []
    last = {_key(row): row for row in rows}.values()
    return sorted(last, key=lambda row: (sum(row["jobs"]), [-count for count in row["jobs"]]))


def rows_of(question: str, organizations: int) -> list[dict[str, Any]]:
    """Its lines about so many organizations."""
    return [row for row in lines() if row["question"] == question and len(row["jobs"]) == organizations]


def value_of(row: dict[str, Any]) -> str:
    """An exact value as a cell; one that no game has is only approached."""
    return f"< {row['value']}" if row["attained"] is False else row["value"]


def ratios(organizations: int) -> Table:
    """Ratios of central rules, a line for each shape."""
    values: dict[str, dict[str, str]] = {}
    for row in rows_of("ratio", organizations):
        if row["value"]:
            values.setdefault(_text(row["jobs"]), {})[row["rule"]] = value_of(row)
    return Table("", ("jobs", *RULES), tuple((jobs, *(row.get(k, "-") for k in RULES)) for jobs, row in values.items()))


def orders(organizations: int) -> Table:
    """How many orders of a shape's jobs a theorem answers, a cover, or a game without equilibrium."""
    counts: dict[str, Counter[str]] = {}
    for row in rows_of("existence-by-jobs", organizations):
        by = "refuted" if row["status"] == "refuted" else "theorem" if row["theorem"] else "cover"
        counts.setdefault(_text(row["jobs"]), Counter()).update(("all", by if row["status"] != "open" else "open"))
    columns = {"orders": "all", "by a theorem": "theorem", "by a cover": "cover", "without equilibrium": "refuted"}
    cells = ((jobs, *(str(count[k]) for k in columns.values())) for jobs, count in counts.items())
    return Table("", ("jobs", *columns), tuple(cells))


def prices(question: str, organizations: int) -> Table:
    """How many shapes of up to so many organizations have which largest price, by their jobs; the others are open."""
    counts: dict[tuple[int, int], Counter[str]] = {}
    for n in range(2, organizations + 1):
        for row in rows_of(question, n):
            if row["value"]:
                counts.setdefault((n, sum(row["jobs"])), Counter())[row["value"]] += 1
    values = sorted({value for count in counts.values() for value in count}, key=Fraction)
    heads = ("organizations", "jobs", "shapes", *(f"price {value}" for value in values), "open")
    cells = []
    for (n, jobs), count in counts.items():
        shapes = comb(jobs + n - 1, jobs)
        of_each = [count[value] for value in values]
        cells.append(tuple(map(str, (n, jobs, shapes, *of_each, shapes - count.total()))))
    return Table("", heads, tuple(cells))


def table(question: str, organizations: int) -> Table:
    """What no theorem answers, as a table."""
    summaries: dict[str, Callable[[int], Table]] = {"ratio": ratios, "orders": orders}
    summaries |= {f"{name}-prices": partial(prices, name) for name in ("anarchy", "stability")}
    if question in summaries:
        return summaries[question](organizations)
    rows = []
    for row in rows_of(question, organizations):
        if row["theorem"]:
            continue
        game = "; ".join(map(_text, row["lengths"] or ()))
        cells = {"jobs": _text(row["jobs"])}
        if row["ranks"]:
            if row["status"] != "refuted":
                continue  # of orders of jobs only those without equilibrium are listed
            cells["ranks"] = "; ".join(map(_text, row["ranks"]))
        answers = {"proved": value_of(row) if row["value"] else "exists", "refuted": f"none in {game}"}
        cells |= {"answer": answers.get(row["status"], row["status"])}
        if not row["ranks"]:
            leaves, digest = row["leaves"], row.get("sha256", "-")
            cells |= {"leaves": f"{leaves:,}" if leaves else "-", "seconds": str(row["seconds"]), "sha256": digest[:16]}
        rows.append(cells)
    return Table("", tuple(rows[0]) if rows else (), tuple(tuple(each.values()) for each in rows))


def _text(numbers: list[Any]) -> str:
    return ", ".join(map(str, numbers)) or "-"


def page() -> str:
    """The page with the tables of the map, each after its mark."""

    def shown(mark: re.Match[str]) -> str:
        body = "\n".join(line[2:].rstrip() for line in text([table(mark[1], int(mark[2]))]).strip("\n").splitlines())
        return f"<!-- {mark[1]} {mark[2]} -->\n```text\n{body}\n```\n"

    return re.sub(r"<!-- (\S+) (\d) -->\n(?:```text\n.*?```\n)?", shown, PAGE.read_text(), flags=re.DOTALL)


def main() -> int:
    """Ask what is missing, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--question", choices=QUESTIONS, default="existence")
    parser.add_argument("--organizations", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=8, help="up to so many in all")
    parser.add_argument("--time-limit", type=float, default=600, help="seconds of the processor for a shape")
    parser.add_argument("--page", action="store_true", help="only put the tables into the page")
    options = parser.parse_args()
    if options.page:
        PAGE.write_text(page())
        return 0
    decided = (row for row in lines() if row["status"] in ("proved", "refuted"))
    known = {_key(row) for row in decided}
    if options.question != "ratio":  # kernels are loaded before anything is timed
        prove(Shape((2, 1)), QUESTIONS[options.question], method="cover")  # type: ignore[arg-type]
    for jobs in range(1, options.jobs + 1):
        for shape, rule in questions(options.question, options.organizations, jobs):
            if key_of(options.question, shape, rule) not in known:
                row = asked(options.question, shape, rule, options.time_limit)
                with FILE.open("a") as file:
                    file.write(json.dumps(row, default=str) + "\n")
                print(
                    row["jobs"],
                    row["ranks"] or rule or "",
                    row["status"],
                    row["value"] or "",
                    row["seconds"],
                    flush=True,
                )
    return 0


def _key(row: dict[str, Any]) -> str:
    return key_of(row["question"], Shape(tuple(row["jobs"]), _tuples(row["ranks"])), row.get("rule"))


def _tuples(ranks: list[list[int]] | None) -> tuple[tuple[int, ...], ...] | None:
    return None if ranks is None else tuple(map(tuple, ranks))


if __name__ == "__main__":
    sys.exit(main())
