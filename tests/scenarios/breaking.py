"""How a text and a tree of values are broken, by a random generator; nothing here knows what the values mean."""

from __future__ import annotations

import copy
import json
import random
import re
from typing import Any


class Raw(str):
    """Text that is written as it is, where a value stands: what no value of Python's is written as."""


NUMBERS: tuple[Any, ...] = (
    0, 1, 2, 3, 5, 9, -1, -3, 100, 2**31, 2**53 + 1, 2**61, 2**63 - 1, 2**63, -(2**63) - 1, 10**18, 10**30, 10**300,
    10**999, 10**1001, 10**5000, Raw("0.1"), Raw("-0.0"), Raw("1e-9"), Raw("1e3"), Raw("1e18"), Raw("1e400"),
    Raw("1e-400"), Raw("1e1001"), Raw("1e999999999"), Raw("nan"), Raw("-inf"), Raw("0x7f"), Raw("1_000"), Raw("1__0"),
)  # fmt: skip
TEXTS: tuple[Any, ...] = (
    "", " ", "0", "1", "1/0", "0/1", "3/2", "-1/2", "1/3", "1e400", "1e-400", "9" * 400, "9" * 1200, "1/" + "7" * 900,
    "inf", "nan", "none", "null", "all", "true", "x", "O1", "a1", "ann", "u1", "Ünïcödé", "日本", "a.b", "a b",
    "a'b", "\x1b[31m", "\x00", "\x7f", "\n", "\t", "x" * 300, "x" * 5000, "../../etc/passwd", "/dev/zero",
    "/dev/stdin", "/dev/null", "/", ".", "os:system", "builtins:exec", "__class__", "-", "--", "%s%n", "{0}", "$(id)",
    "ann + bob", "-(a1 + a2)", "a1/(a2 - a2)", "(a1/a2)**9", "((((a1))))", "max(a1, a2)**9 * a1**9", "1e300*a1",
    "a1**-1",
)  # fmt: skip
OTHERS: tuple[Any, ...] = (
    True, False, [], {}, [[]], [1], [1, 2], [0, 0], ["x"], [[0, 3]], [[0, 1], [0, 0]], [-1], [1, "1/2", "x"],
    [[[[[1]]]]],
    {"x": 1}, {"scale": 2}, {"from": 0, "to": 3}, {"value": 1, "within": 0}, {"": ""}, [{}], [{"length": 1}],
    [{"name": "x"}, {"name": "x"}], list(range(50)), [1] * 400, Raw("1979-05-27"), Raw("07:32:00"),
)  # fmt: skip
KEYS = (
    "", "name", "length", "jobs", "machines", "rule", "penalty", "goal", "lengths", "options", "sample", "store",
    "processes", "replay", "file", "value", "within", "a.b", "0", "1/2", "\x1b", "é", "x" * 400, "__proto__", "None",
)  # fmt: skip
JSON_ONLY = (None, Raw("NaN"), Raw("-Infinity"), Raw("1e400"), Raw('"\\ud800"'), Raw("[" * 60 + "]" * 60), 1.5)
FRAGMENTS = (
    "\x00", "\udcff", "\udced\udca0\udc80", "\ufeff", "\r\n", "\r", "\x1b[2J", '"', "'''", "[", "]", "{", "}", "=",
    ".", ",", "#", "-", "e", "9" * 50, "\\u", "\\", "\n[[agents]]\n", "\n[expect.run]\n",
)  # fmt: skip
"""What is put between; the second and third are bytes that are not UTF-8."""
TOKEN = re.compile(r"\s+|#[^\n]*|\"(?:[^\"\\\n]|\\.)*\"|[\w.+-]+|\[\[|\]\]|.", re.DOTALL)
"""What TOML and JSON are made of, roughly."""


def hostile(rng: random.Random, extra: tuple[Any, ...] = ()) -> Any:
    """A value that nobody should write; a copy, because it may be changed where it is put."""
    return copy.deepcopy(rng.choice((*NUMBERS, *TEXTS, *OTHERS, *extra)))


def broken_text(rng: random.Random, text: str) -> bytes:
    """A text with up to three of its tokens or characters left out, doubled, swapped or replaced."""
    pieces = (TOKEN.findall(text) if rng.random() < 0.6 else list(text)) or [""]
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at, other, span = rng.randrange(len(pieces)), rng.randrange(len(pieces)), rng.choice((1, 1, 2, 8, 60))
        match rng.randrange(6):
            case 0:
                pieces[at : at + span] = [""]
            case 1:
                pieces[at:at] = pieces[other : other + span]
            case 2:
                pieces[at], pieces[other] = pieces[other], pieces[at]
            case 3:
                pieces[at] = as_json(hostile(rng))
            case _:
                pieces[at] += rng.choice(FRAGMENTS)
    return "".join(pieces).encode(errors="surrogateescape")


def places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where in a tree something stands."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return ([here] if here else []) + [place for key, item in items for place in places(item, (*here, key))]


def broken_tree(rng: random.Random, tree: Any, extra: tuple[Any, ...] = ()) -> Any:
    """A copy of a tree of values with one to three changes."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        if known := [place for place in places(tree) if isinstance(_at(tree, place[:-1]), dict | list)]:
            place = rng.choice(known)
            _change(rng, _at(tree, place[:-1]), place[-1], copy.deepcopy(_at(tree, rng.choice(known))), extra)
    return tree


def _change(rng: random.Random, above: Any, last: Any, other: Any, extra: tuple[Any, ...]) -> None:
    """Change what stands at ``last``; ``other`` stands somewhere else."""
    match rng.randrange(8):
        case 0:
            del above[last]
        case 1:
            above[last] = other
        case 2:
            above[last] = [above[last]]
        case 3 if isinstance(above, list):
            above.append(other)
        case 3 if isinstance(above, dict):
            above[rng.choice(KEYS)] = above.pop(last) if rng.random() < 0.5 else hostile(rng, extra)
        case 4 if isinstance(above[last], int) and not isinstance(above[last], bool):
            above[last] = rng.choice((above[last] + 1, above[last] - 1, -above[last], above[last] * 10**18, 0))
        case 5 if isinstance(above[last], str) and above[last]:
            at = rng.randrange(len(above[last]))
            above[last] = above[last][:at] + rng.choice(("", "x", "/", " ", "é")) + above[last][at + 1 :]
        case _:
            above[last] = hostile(rng, extra)


def _at(tree: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        tree = tree[key]
    return tree


def as_json(value: Any) -> str:
    """JSON of a tree that may hold :class:`Raw` text."""
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {as_json(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_json, value)) + "]"
    return _digits(value) if isinstance(value, int) and not isinstance(value, bool) else json.dumps(value)


def as_toml(value: Any) -> str:
    """A TOML value, tables inline; :class:`Raw` text as it is."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_quoted(str(key))} = {as_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(as_toml, value)) + "]"
    if isinstance(value, str) and not isinstance(value, Raw):
        return _quoted(value)
    return as_json(value)


def toml_file(data: Any) -> str:
    """A TOML file, one line for each key at the top."""
    return "".join(f"{_quoted(str(key))} = {as_toml(item)}\n" for key, item in data.items())


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _digits(value: int) -> str:
    """``str`` without Python's limit on the number of digits."""
    if value.bit_length() < 13_000:
        return str(value)
    return ("-" if value < 0 else "") + "1" + "0" * (len(hex(value)) * 6 // 5)
