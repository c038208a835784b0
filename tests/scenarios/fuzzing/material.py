"""What the fuzzer breaks: shipped scenarios that are quick, records of every verb and kind, job logs; and the cases."""

from __future__ import annotations

import itertools
import json
import random
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import consortium
from consortium.mechanisms.kinds import KINDS, verbs_of
from consortium.scenarios.reader import locate, shipped
from consortium.support.errors import ConsortiumError
from consortium.support.loading import load as load_reference
from consortium.verbs.options import flag_of, written

from .mutations import (
    JSON_ONLY,
    TEXTS,
    Raw,
    as_json,
    as_toml,
    broken_bytes,
    broken_tokens,
    broken_tree,
    hostile,
    toml_file,
)

VERBS = ("run", "search", "verify", "compare", "curve")
WRITING = frozenset({"store", "processes"})
SMALL = 700
"""Bytes of a shipped scenario that is quick under every verb, and of its record."""
LARGE = 12_000
"""Bytes of a record whose table takes long to draw."""
LIMIT = ("--time-limit", "0.05")
"""What a verb may take; one that has no such option is stopped by Ctrl-C."""
JOB_OPTIONS = ("--kind",)

SWF = "; MaxProcs: 8\n" + "".join(
    f"{job} {job * 10} 2 {90 + job} {1 + job % 3} -1 -1 1 -1 -1 1 {1 + job % 4} {1 + job % 2} -1 {job % 3} -1 -1 -1\n"
    for job in range(1, 19)
)
SACCT = "JobID|User|Account|Submit|Start|End|ElapsedRaw|NCPUS|State|Partition\n" + "".join(
    f"{job}|u{job % 3}|acc{job % 2}|2024-01-0{job}T00:00:00|2024-01-0{job}T00:01:00|2024-01-0{job}T01:00:00|3540|"
    f"{job}|COMPLETED|main\n"
    for job in range(1, 9)
)


@dataclass(frozen=True)
class Case:
    """One call of the command line: its arguments, what it finds on standard input, and the files beside it."""

    arguments: tuple[str, ...]
    files: dict[str, bytes]
    stdin: bytes = b""


@cache
def scenarios() -> dict[str, list[tuple[str, Any]]]:
    """By kind: text and tree of small shipped scenarios."""
    found: dict[str, list[tuple[str, Any]]] = {kind.name: [] for kind in KINDS}
    for name in shipped():
        text = locate(name).read_text(encoding="utf-8")
        if len(text) <= SMALL and "[trace]" not in text:
            tree = tomllib.loads(text, parse_float=Raw)
            found[tree["kind"]].append((text, tree))
    return found


@cache
def _owners(verb: str) -> list[str]:
    """Names of the shipped kinds that have a verb."""
    return [kind.name for kind in KINDS if kind.name in verbs_of(verb)]


def _record(rng: random.Random) -> str:
    """JSON of a record of some verb on a small scenario of some kind that has it."""
    while True:
        verb = rng.choice(("run", "search", "verify", "compare"))
        if found := records(rng.choice(_owners(verb)), verb):
            return rng.choice(found)


@cache
def records(kind: str, verb: str) -> tuple[str, ...]:
    """JSON of records of up to two small scenarios, made when the first is asked for."""
    return tuple(itertools.islice(_records(kind, verb), 2))


def _records(kind: str, verb: str) -> Iterator[str]:
    limit = {"time_limit": 0.5} if ("--time-limit", True) in _options(verb, kind) else {}
    for _, tree in scenarios()[kind]:
        scenario = json.loads(json.dumps(tree))
        scenario.pop("expect", None)
        one, few = ([scenario], {"rules": [tree["mechanism"]["rule"]]}) if verb == "compare" else (scenario, {})
        try:
            text = json.dumps(consortium.ask(verb, one, **few, **limit).to_dict())
        except ConsortiumError:
            continue
        if len(text) < LARGE:
            yield text


@cache
def _options(verb: str, kind: str | None = None) -> tuple[tuple[str, bool], ...]:
    """Options of a verb on the command line that only ask, and whether each takes a value; of all kinds or of one."""
    models = [load_reference(found.options) for name, found in verbs_of(verb).items() if kind in (None, name)]
    fields = {name: info for model in models for name, info in model.model_fields.items()}
    return tuple(
        (f"--{written(name, info)}", bool(flag_of(info).metavar))
        for name, info in sorted(fields.items())
        if "command" in flag_of(info).doors and name not in WRITING and not flag_of(info).positional
    )


def _broken_scenario(rng: random.Random, verb: str = "check") -> tuple[str, bytes]:
    """A kind, mostly one that has the verb, and a file of that kind, broken in one of three ways or not at all."""
    kind = rng.choice(_owners(verb) if verb in VERBS and rng.random() < 0.95 else sorted(scenarios()))
    text, tree = rng.choice(scenarios()[kind])
    how = rng.random()
    if how < 0.15:
        return kind, broken_bytes(rng, text)
    if how < 0.4:
        return kind, broken_tokens(rng, text, as_toml).encode(errors="surrogatepass")
    return kind, toml_file(broken_tree(rng, tree) if how < 0.93 else tree).encode(errors="surrogatepass")


def _broken_record(rng: random.Random) -> bytes:
    text = _record(rng)
    how = rng.random()
    if how < 0.15:
        return broken_bytes(rng, text)
    if how < 0.3:
        return broken_tokens(rng, text, as_json).encode(errors="surrogatepass")
    return as_json(broken_tree(rng, json.loads(text), JSON_ONLY)).encode(errors="surrogatepass")


def _given(rng: random.Random, verb: str, kind: str | None = None) -> Iterator[str]:
    """Options with values that nobody should write, mostly such as the kind has."""
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        name, valued = rng.choice((rng.random() < 0.9 and _options(verb, kind)) or _options(verb))
        yield name
        if valued:
            yield _argument(rng)
    if verb in VERBS and rng.random() < 0.15:
        where = rng.choice(("mechanism.rule", "agents[1].length", "organizations[2].jobs", "seed", "x", "a..b", "[1]"))
        yield from ("--set", f"{where}={as_toml(hostile(rng))}")
    if rng.random() < 0.3:
        yield "--json"
    if verb in VERBS and rng.random() < 0.15:
        yield "--dry-run"
    if ("--time-limit", True) in _options(verb, kind) and rng.random() < (0.5 if kind == "multiuser" else 0.98):
        yield from LIMIT


def _argument(rng: random.Random) -> str:
    """Text that an operating system takes as an argument."""
    text = rng.choice(TEXTS) if rng.random() < 0.5 else as_json(hostile(rng, JSON_ONLY))
    return text.replace("\0", "").encode(errors="replace").decode()


def case(seed: int, number: int) -> Case:
    """The case of that number; the same for the same seed."""
    rng = random.Random(f"{seed}:{number}")
    command = rng.choices(
        (*VERBS, "check", "check a record", "import", "audit", "schema"), (20, 14, 14, 14, 9, 13, 9, 4, 2, 1)
    )[0]
    if command == "schema":
        return Case((command, _argument(rng) if rng.random() < 0.9 else "declaration"), {})
    if command in ("import", "audit"):
        return _log_case(rng, command)
    if command == "check a record":
        return _piped(
            rng,
            Case(
                ("check", "record.json", *LIMIT, *(["--json"] if rng.random() < 0.5 else [])),
                {"record.json": _broken_record(rng)},
            ),
        )
    kind, broken = _broken_scenario(rng, command)
    files = {"scenario.toml": broken}
    if command == "check" and rng.random() < 0.3:
        return Case((command, "."), {**files, "other.toml": _broken_scenario(rng)[1]})
    if command == "check":
        return _piped(rng, Case((command, "scenario.toml"), files))
    sources = ["scenario.toml"]
    if command == "compare" and rng.random() < 0.3:
        sources, files = ["scenario.toml", "other.toml"], {**files, "other.toml": _broken_scenario(rng)[1]}
    if command == "curve":
        sources.append(rng.choice(("ann", "a1", "a2", _argument(rng))))
    return _piped(rng, Case((command, *_given(rng, command, kind), "--", *sources), files))


def _piped(rng: random.Random, case: Case) -> Case:
    """Now and then the first file comes from standard input."""
    if rng.random() < 0.95:
        return case
    name = next(iter(case.files))
    arguments = tuple("-" if argument == name else argument for argument in case.arguments)
    return Case(arguments, {k: v for k, v in case.files.items() if k != name}, case.files[name])


def _log_case(rng: random.Random, command: str) -> Case:
    text = rng.choice((SWF, SACCT))
    broken = (
        broken_bytes(rng, text) if rng.random() < 0.5 else broken_tokens(rng, text, as_json).encode(errors="replace")
    )
    kind = ("--kind", rng.choice([kind.name for kind in KINDS] * 3 + [_argument(rng)])) if command == "import" else ()
    rest = _given(rng, command) if command == "audit" else iter(())
    few = ("--windows", "1", "--rules", "fifo", "--processes", "1") if command == "audit" else ()
    return Case((command, *kind, *few, *rest, "--", "log.txt"), {"log.txt": broken})
