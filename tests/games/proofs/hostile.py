"""Certificates of somebody who wants the checker to run for ever or out of memory: each for one reason."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

REFUSAL = {"refused": "never"}


def proof(nodes: list[Any], agents: int = 1, **more: Any) -> dict[str, Any]:
    """A certificate of one tree, without lemmas, which says that lies do not pay."""
    return {
        "format": 1,
        "kind": "proof",
        "about": "nothing",
        "agents": agents,
        "values": [[0, 1]] * agents,
        "lengths": {"from": [0, 1], "to": None},
        "statements": [{"name": "dominant", "assuming": []}],
        "trees": [nodes],
        "lemmas": [],
    } | more


def leaf(agents: int = 1, payment: Any = None) -> dict[str, Any]:
    """Nobody runs."""
    return {"outputs": [None] * agents, "payments": [payment] * agents}


def chain(length: int) -> list[Any]:
    """A question after the other, each "no" a leaf."""
    inner = [{"test": [k * k + 1, -k - 1, 0], "yes": 2 * k + 2, "no": 2 * k + 1} for k in range(length)]
    return [node for question in inner for node in (question, leaf())] + [leaf()]


def bushy(depth: int) -> list[Any]:
    """All answers to so many questions."""
    inner = 2**depth - 1
    questions = [{"test": [k + 1, -1 - k * k, 0], "yes": 2 * k + 1, "no": 2 * k + 2} for k in range(inner)]
    return [*questions, *[leaf()] * (inner + 1)]


def shared(depth: int) -> list[Any]:
    """Both answers lead on to one and the same question."""
    return [{"test": [k, -1, 0], "yes": k + 1, "no": k + 1} for k in range(depth)] + [leaf()]


def least(forms: int) -> list[Any]:
    """Which of many forms is the least?"""
    rows = [[k * k, k, 0] for k in range(forms)]
    return [{"least": rows, "then": list(range(1, forms + 1))}, *[REFUSAL] * forms]


def lemmas(count: int) -> dict[str, Any]:
    """The same contradiction under many names, each with a row of its own that nobody needs."""
    rows = [[[1, 0, 0], [-1, 0, 0], [0, k, 1], [0, -k, -1]] for k in range(count)]
    listed = [{"forms": forms, "strict": [0], "multipliers": [1, 1, 1, 1]} for forms in rows]
    return proof(bushy(9), lemmas=listed)


def denominators(agents: int) -> dict[str, Any]:
    """Payments whose sum has a denominator as long as the file."""
    payments = [[[k] * (1 + 2 * agents), 10**3900 + k] for k in range(agents)]
    node = {"outputs": [None] * agents, "payments": payments}
    return proof([node], agents, statements=[{"name": "rent-nonnegative", "assuming": []}])


def strict_rows() -> dict[str, Any]:
    """A lemma that is right, with a list in which every row is looked up."""
    count = 100_000
    lemma = {"forms": [[0, 0, 0]] * count, "strict": [*range(count)], "multipliers": [1] * count}
    return proof([leaf()], lemmas=[lemma])


def text(data: Any) -> Callable[[], bytes]:
    """The bytes of a certificate."""
    return lambda: json.dumps(data() if callable(data) else data).encode()


HOSTILE: dict[str, tuple[Callable[[], bytes], set[int]]] = {
    "least of 2,000 forms": (text(lambda: proof(least(2000))), {3}),
    "shared children, 2^60 paths": (text(lambda: proof(shared(60))), {2}),
    "chain of 20,000 questions": (text(lambda: proof(chain(20_000))), {3}),
    "2^13 leaves, 2^26 pairs": (text(lambda: proof(bushy(13))), {3}),
    "50,000 agents": (text(lambda: proof([REFUSAL], 50_000)), {3}),
    "1,500 agents": (text(lambda: proof([REFUSAL], 1500)), {3}),
    "20,000 lemmas": (text(lambda: lemmas(20_000)), {1, 3}),
    "20,000 statements": (
        text(lambda: proof(chain(5), statements=[{"name": "dominant", "assuming": []}] * 20_000)),
        {3},
    ),
    "100,000 strict rows": (text(strict_rows), {0, 3}),
    "denominators of 3,900 digits": (text(lambda: denominators(30)), {3}),
    "gzipped spaces, 200 MB": (lambda: gzip.compress(b" " * 200_000_000, 1), {3}),
    "gzipped lists, 9 MB": (lambda: gzip.compress(b"[" + b"[]," * 3_000_000 + b"[]]", 1), {3}),
    "gzipped objects, 12 MB": (lambda: gzip.compress(b"[" + b'{"a":0},' * 1_500_000 + b"0]", 1), {2, 3}),
    "300,000 keys": (lambda: json.dumps({f"{k}": 0 for k in range(300_000)}).encode(), {2}),
    "nested a million deep": (lambda: b"[" * 1_000_000, {2}),
    "a million digits": (lambda: b"9" * 1_000_000, {2}),
    "a key twice": (lambda: b'{"format": 1, "format": 1}', {2}),
    "no number": (lambda: json.dumps(proof([leaf()], about=float("nan"))).encode(), {2}),
}
"""By what is hostile: the bytes of the file, and the exit codes that the checker may end with."""
