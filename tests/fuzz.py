"""Broken files, records, logs and options at random: ``python -m tests.fuzz --seconds 60`` runs commands on them.

A command ends with 0 to 3 and a sentence, soon after Ctrl-C where it takes long, and without a traceback. The tool
prints how often each exit code came, and fails as well where nearly all are the same: then it is itself that is broken.
A case is made of the seed and its number, which ``--first`` begins with, so that each can be run again.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import io
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.cli import app, verbs
from consortium.mechanisms.kinds import KINDS, verbs_of
from consortium.scenarios.reader import locate, shipped
from consortium.studies.blocks import schema as of_studies
from consortium.support.errors import ConsortiumError
from consortium.support.jit import COMPILED
from consortium.support.loading import load as load_reference
from consortium.verbs.options import flag_of, written
from consortium.verbs.schema import schema

from .scenarios.breaking import (
    JSON_ONLY,
    TEXTS,
    Raw,
    as_json,
    as_toml,
    broken_text,
    broken_tree,
    hostile,
    toml_file,
)  # fmt: skip

ROOT = Path(__file__).resolve().parents[1]
VERBS = ("run", "search", "verify", "compare", "curve", "prove")
WRITING = frozenset({"store", "processes", "certificate"})
SMALL = 700
"""Bytes of a shipped scenario that is quick under every verb."""
LARGE = 12_000
"""Bytes of a record that takes long to check."""
LONG = 5.0
"""Seconds of the processor that no case may take."""
PATIENCE = 3.0
"""Such seconds after which Ctrl-C is pressed: a valid scenario may ask for a lot, but it stops when it is told to."""
WAITED = 15.0
"""Seconds on the clock after which Ctrl-C is pressed for a process, which may have to compile first."""
ALIKE, ENOUGH = 0.97, 100
"""A larger share with one exit code, of so many cases, says that the commands never come to their work."""
SWF = "; MaxProcs: 8\n" + "".join(
    f"{job} {job * 10} 2 {90 + job} {1 + job % 3} -1 -1 1 -1 -1 1 {1 + job % 4} {1 + job % 2} -1 {job % 3} -1 -1 -1\n"
    for job in range(1, 19)
)
SACCT = "JobID|User|Account|Submit|Start|End|ElapsedRaw|NCPUS|State|Partition\n" + "".join(
    f"{job}|u{job % 3}|acc{job % 2}|2024-01-0{job}T00:00:00|2024-01-0{job}T00:01:00|2024-01-0{job}T01:00:00|3540|"
    f"{job}|COMPLETED|main\n"
    for job in range(1, 9)
)


@cache
def scenarios() -> dict[str, list[tuple[str, Any]]]:
    """By kind: text and tree of small shipped scenarios."""
    by_kind: dict[str, list[tuple[str, Any]]] = {kind.name: [] for kind in KINDS}
    for text in (locate(name).read_text(encoding="utf-8") for name in shipped()):
        if len(text) <= SMALL and "[trace]" not in text:
            tree = tomllib.loads(text, parse_float=Raw)
            by_kind[tree["kind"]].append((text, tree))
    return by_kind


@cache
def studies() -> list[tuple[str, Any]]:
    """Text and tree of shipped studies, but for those of which one task takes seconds."""
    texts = (path.read_text(encoding="utf-8") for path in sorted((ROOT / "studies" / "shipped").rglob("*.toml")))
    return [(text, tomllib.loads(text, parse_float=Raw)) for text in texts if "duration = 50" not in text]


@cache
def known(kind: str) -> Any:
    """The JSON Schema of a kind's files, or of studies."""
    return of_studies() if kind == "study" else schema(kind)


@cache
def certificate() -> str:
    """JSON of a proof for all lengths."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "certificate.json"
        consortium.prove("agmon2003/7.3-vcg-postpone", property="dominant", certificate=path)
        return path.read_text()


def extended(rng: random.Random, tree: Any, schema: Any, root: Any) -> None:
    """Add a key that a schema knows, wherever there is a table, so that keys of any age are tried."""
    schema = resolved(rng, schema, root)
    inside = [(tree[key], each) for key, each in schema.get("properties", {}).items() if key in tree]
    tables = [(value, each) for value, each in inside if isinstance(value, dict) and value]
    tables += [(value, each["items"]) for values, each in inside if isinstance(values, list) and "items" in each
               for value in values if isinstance(value, dict)]  # fmt: skip
    missing = sorted(schema.get("properties", {}).keys() - tree.keys())
    if tables and (not missing or rng.random() < 0.7):
        extended(rng, *rng.choice(tables), root)
    elif missing:
        key = rng.choice(missing)
        tree[key] = described(rng, schema["properties"][key], root)


def described(rng: random.Random, schema: Any, root: Any) -> Any:
    """A value of the shape that a schema describes; conditions between keys are left to chance."""
    schema = resolved(rng, schema, root)
    if "const" in schema or "enum" in schema:
        return rng.choice(schema.get("enum") or [schema["const"]])
    types = schema.get("type", "object" if "properties" in schema else "string")
    match rng.choice([one for one in types if one != "null"]) if isinstance(types, list) else types:
        case "object":
            keys = [
                key for key in schema.get("properties", ()) if key in schema.get("required", ()) or rng.random() < 0.3
            ]
            return {key: described(rng, schema["properties"][key], root) for key in keys}
        case "array":
            return [described(rng, schema.get("items", {}), root) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        case "boolean":
            return rng.random() < 0.5
        case "integer" | "number":
            return rng.choice((0, 1, 2, 3, 7))
    return rng.choice(("1", "2", "3/2", "inf", *TEXTS[20:26]))


def resolved(rng: random.Random, schema: Any, root: Any) -> Any:
    """A schema without references and alternatives, one of which is taken."""
    while isinstance(schema, dict) and (chosen := schema.keys() & {"$ref", "anyOf", "oneOf"}):
        if "$ref" in chosen:
            schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
        else:
            options = [each for each in schema[chosen.pop()] if each.get("type") != "null"]
            schema = rng.choice(options) if options else {}
    return schema if isinstance(schema, dict) else {}


@cache
def records(kind: str, verb: str) -> tuple[str, ...]:
    """JSON of records of up to two small scenarios."""
    return tuple(itertools.islice(_records(kind, verb), 2))


def _records(kind: str, verb: str) -> Iterator[str]:
    limit = {"time_limit": 0.5} if ("--time-limit", True) in valued_options(verb, kind) else {}
    for _, tree in scenarios()[kind]:
        scenario = {key: value for key, value in json.loads(json.dumps(tree)).items() if key != "expect"}
        one, few = ([scenario], {"rules": [tree["mechanism"]["rule"]]}) if verb == "compare" else (scenario, {})
        with contextlib.suppress(ConsortiumError):
            text = json.dumps(consortium.ask(verb, one, **few, **limit).to_dict())
            if len(text) < LARGE:
                yield text


@cache
def valued_options(verb: str, kind: str | None = None) -> tuple[tuple[str, bool], ...]:
    """Options of a verb on the command line that only ask, and whether each takes a value; of all kinds or of one."""
    models = [load_reference(entry.options) for name, entry in verbs_of(verb).items() if kind in (None, name)]
    fields = {name: info for model in models for name, info in model.model_fields.items()}
    return tuple(
        (f"--{written(name, info)}", bool(flag_of(info).metavar))
        for name, info in sorted(fields.items())
        if "command" in flag_of(info).doors and name not in WRITING and not flag_of(info).positional
    )


@dataclass
class Case:
    """One call of the command line: its arguments, the files beside it, what it finds on standard input."""

    arguments: list[str]
    files: dict[str, bytes]
    stdin: bytes = b""


def case(rng: random.Random) -> Case:
    """A call; now and then its first file comes from standard input."""
    commands = (*VERBS, "check", "check a record", "import", "audit", "schema", "certificate", "study", "hunt")
    command = rng.choices(commands, (20, 14, 14, 14, 9, 3, 13, 9, 4, 2, 1, 2, 3, 1))[0]
    if command == "schema":
        return Case([command, argument(rng)], {})
    if command == "hunt":
        rule, claim = rng.choice(("light-vcg", "fifo", argument(rng))), rng.choice(("just", "truthful", argument(rng)))
        return Case(["hunt", f"--rule={rule}", f"--claim={claim}", "--time-limit=0.05", "--processes=1"], {})
    if command == "study":
        words = ["--store", "kept.db", "--time-limit", "0.05", "--processes", "1"]
        return Case(["study", "run", *words, "--", "study.toml"], {"study.toml": broken_file(rng, "study", studies())})
    if command == "certificate":
        broken = as_json(broken_tree(rng, json.loads(certificate()), JSON_ONLY))
        return Case(["check", "proof.json"], {"proof.json": broken.encode(errors="surrogatepass")})
    if command in ("import", "audit"):
        if command == "import":
            words = ["--kind", rng.choice([kind.name for kind in KINDS] * 3 + [argument(rng)])]
        else:
            words = ["--windows", "1", "--rules", "fifo", "--processes", "1", *given_options(rng, command)]
        return Case([command, *words, "--", "log.txt"], {"log.txt": broken_text(rng, rng.choice((SWF, SACCT)))})
    if command == "check a record":
        made = Case(["check", "record.json", "--time-limit", "0.05"], {"record.json": broken_record(rng)})
    else:
        kind_name, broken = broken_scenario(rng, command)
        made = Case([command, "scenario.toml"], {"scenario.toml": broken})
        if command in ("check", "compare") and rng.random() < 0.3:
            made.files["other.toml"] = broken_scenario(rng, command)[1]
            made.arguments = [command, "."] if command == "check" else [*made.arguments, "other.toml"]
        if command == "curve":
            made.arguments.append(rng.choice(("ann", "a1", "a2", argument(rng))))
        if command != "check":
            made.arguments[1:1] = [*given_options(rng, command, kind_name), "--"]
    if rng.random() < 0.05 and (name := next(iter(made.files))) in made.arguments:
        made.arguments[made.arguments.index(name)] = "-"
        made.stdin = made.files.pop(name)
    return made


def broken_scenario(rng: random.Random, verb: str) -> tuple[str, bytes]:
    """A kind, mostly one that has the verb, and a file of that kind, broken or not."""
    owners = sorted(verbs_of(verb).keys() & scenarios().keys()) if verb in VERBS and rng.random() < 0.95 else []
    kind = rng.choice(owners or sorted(scenarios()))
    return kind, broken_file(rng, kind, scenarios()[kind])


def broken_file(rng: random.Random, kind: str, files: Sequence[tuple[str, Any]]) -> bytes:
    """One of these files, broken, or with a key more, or both, or as it is."""
    text, tree = rng.choice(files)
    how = rng.random()
    if how < 0.3:
        return broken_text(rng, text)
    if how > 0.6:
        tree = copy.deepcopy(tree)
        extended(rng, tree, known(kind), known(kind))
    return toml_file(broken_tree(rng, tree) if how < 0.75 else tree).encode(errors="surrogatepass")


def broken_record(rng: random.Random) -> bytes:
    """A broken record of some verb on a small scenario."""
    have = [(kind.name, verb) for verb in ("run", "search", "verify", "compare") for kind in KINDS]
    text = rng.choice([record for one in have if one[0] in verbs_of(one[1]) for record in records(*one)])
    if rng.random() < 0.3:
        return broken_text(rng, text)
    return as_json(broken_tree(rng, json.loads(text), JSON_ONLY)).encode(errors="surrogatepass")


def given_options(rng: random.Random, verb: str, kind: str | None = None) -> Iterator[str]:
    """Options with values that nobody should write, mostly such as the kind has."""
    own = valued_options(verb, kind)
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        name, valued = rng.choice((rng.random() < 0.9 and own) or valued_options(verb))
        yield from (name, argument(rng)) if valued else (name,)
    if verb in VERBS and rng.random() < 0.15:
        where = rng.choice(("mechanism.rule", "agents[1].length", "organizations[2].jobs", "seed", "x", "a..b", "[1]"))
        yield from ("--set", f"{where}={as_toml(hostile(rng))}")
    if rng.random() < 0.4:
        yield rng.choice(("--json", "--json", "--dry-run")) if verb in VERBS else "--json"
    if ("--time-limit", True) in own and rng.random() < (0.5 if kind == "multiuser" else 0.98):
        yield from ("--time-limit", "0.05")


def argument(rng: random.Random) -> str:
    """Text that an operating system takes as an argument."""
    text = rng.choice(TEXTS) if rng.random() < 0.5 else as_json(hostile(rng, JSON_ONLY))
    return text.replace("\0", "").encode(errors="replace").decode()


def judge(code: int | None, stderr: str, seconds: float, limit: float = LONG) -> None:
    """An exit code of those documented, a sentence for bad input, in time."""
    assert code in (0, 1, 2, 3), stderr
    assert "Traceback (most recent call last)" not in stderr, stderr
    assert "RuntimeWarning" not in stderr, stderr
    assert stderr.strip() or code != 2, "bad input without a word"
    if seconds > limit:
        raise LateError(f"took {seconds:.1f} s; expected at most {limit}")


class LateError(AssertionError):
    """A case took too long: it may have had to compile, or the machine was busy."""


@contextlib.contextmanager
def pressing_ctrl_c() -> Iterator[None]:
    """Press Ctrl-C after :data:`PATIENCE` seconds, and again and again; one that gets lost in a callback is no matter.

    A process of its own raises such a one again (:mod:`consortium.cli.stopping`).
    """
    told, sys.unraisablehook = sys.unraisablehook, lambda lost: lost.exc_type is KeyboardInterrupt or told(lost)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    signal.signal(signal.SIGPROF, lambda number, frame: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_PROF, PATIENCE, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = told


def check_in_process(one: Case) -> int | None:
    """Call the command's function; RuntimeWarnings are errors, streams hold UTF-8 and nothing else. The exit code."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=how) for how in ("strict", "backslashreplace"))
    before = time.process_time()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
        pressing_ctrl_c(),
    ):
        for name, content in one.files.items():
            Path(name).write_bytes(content)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(one.stdin), encoding="utf-8"))
        warnings.simplefilter("error", RuntimeWarning)
        code = app.ended(one.arguments)
    err.flush()
    judge(code, err.buffer.getvalue().decode(), time.process_time() - before)  # type: ignore[attr-defined]
    return code


def check_process(one: Case) -> int:
    """Start the command; what takes longer than :data:`WAITED` is stopped, and has to stop soon. The exit code."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / ".types"), "PYTHONWARNINGS": "default::RuntimeWarning"}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in one.files.items():
            (Path(folder) / name).write_bytes(content)
        started = subprocess.Popen(
            [sys.executable, "-m", "consortium", *one.arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment,
        )  # fmt: skip
        before = time.perf_counter()
        try:
            _, stderr = started.communicate(one.stdin, timeout=WAITED)
            before = time.perf_counter()
        except subprocess.TimeoutExpired:
            before = time.perf_counter()
            started.send_signal(signal.SIGINT)
            _, stderr = started.communicate(timeout=120)
    judge(started.returncode, stderr.decode(errors="replace"), time.perf_counter() - before, 4 * WAITED)
    return started.returncode


def warm(check: Callable[[Case], int | None], one: Case) -> int | None:
    """The exit code; what is late, or goes wrong while kernels are loaded or compiled, is tried again."""
    kernels = len(COMPILED)
    try:
        return check(one)
    except AssertionError as error:
        if len(COMPILED) == kernels and not isinstance(error, LateError):
            raise
    return check(one)


@contextlib.contextmanager
def parsers_made_once() -> Iterator[None]:
    """Keep the parsers of the commands, which a process makes once."""
    kept = cache(verbs.command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(verbs, "command", lambda verb, arguments=(): kept(verb))
        yield


def main() -> int:
    """Try cases until the time or their number is over; exit code 1 if one went wrong, or if nearly all end alike."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="for all cases (60)")
    parser.add_argument("--cases", type=int, default=10**9, help="at most so many")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="of the first case (0)")
    parser.add_argument("--seed", type=int, default=0, help="of all cases (0)")
    parser.add_argument("--processes", action="store_true", help="a process for each case")
    options = parser.parse_args()
    check = check_process if options.processes else check_in_process
    codes: Counter[str] = Counter()
    table: Counter[tuple[str, str]] = Counter()
    end = time.monotonic() + options.seconds
    with parsers_made_once():
        for number in range(options.first, options.first + options.cases):
            one = case(random.Random(f"{options.seed}/{number}"))
            try:
                code = f"exit {warm(check, one)}"
            except Exception as error:  # an assertion of judge, or what nobody caught
                code = "wrong"
                print(f"--seed {options.seed} --first {number}: {one}\n{error!r}\n", flush=True)
            codes[code] += 1
            table[one.arguments[0], code] += 1
            if time.monotonic() > end:
                break
    for code, count in sorted(codes.items()):
        of = ", ".join(f"{command} {n:,}" for (command, each), n in sorted(table.items()) if each == code)
        print(f"{code}: {count:,} ({of})")
    if codes.total() >= ENOUGH and max(codes.values()) > ALIKE * codes.total():
        print(f"wrong: more than {ALIKE:.0%} of {codes.total():,} cases end alike")
        return 1
    return int("wrong" in codes)


if __name__ == "__main__":
    sys.exit(main())
