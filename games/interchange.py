r"""Games to and from other programs: numpy payoff arrays, nashpy, QuantEcon, Gambit's ``.nfg``.

Everybody else maximises: payoffs are the negated costs of a game of costs, the given payoffs of a game of payoffs.
Axis orders differ. Ours: axis ``i`` is player ``i``'s strategy, for every player's array. QuantEcon: a player's array
has her own strategy on axis 0, then the players after her, then those before her. A ``.nfg`` lists the cells with the
*first* player's strategy varying fastest (Fortran order).

Two forms of ``.nfg`` bodies are read: payoffs cell by cell, or a list of outcomes and one outcome number per cell
(0 = all payoffs zero). The payoff form is written. Numbers stay exact: integers, decimals and fractions.

>>> from consortium.games.normal_form import NormalFormGame
>>> game = NormalFormGame.from_arrays([[[3, 0], [5, 1]], [[3, 5], [0, 1]]], sense="payoff")
>>> print(to_nfg(game, title="Prisoners"))
NFG 1 R "Prisoners" { "p1" "p2" }
<BLANKLINE>
{ { "0" "1" }
{ "0" "1" }
}
""
<BLANKLINE>
3 3 5 0 0 5 1 1
<BLANKLINE>
>>> from_nfg(to_nfg(game)).payoffs(0).tolist()
[[3, 0], [5, 1]]
"""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ..support.errors import InputError, TooLargeError
from ..support.exact import rational
from ..support.files import name_of, read_text, write_text
from ..support.loading import optional
from ..support.numbers import Floats
from .normal_form import MAX_BYTES, NormalFormGame
from .protocol import Game

MAX_EFG_NODES: Final = 2_000
"""Gambit goes down a tree by recursion, which ends the process some ten thousand levels deep, and hears no Ctrl-C."""


def payoff_arrays(game: Game, *, max_bytes: int = MAX_BYTES) -> list[NDArray[Any]]:
    """One exact payoff array (objects) per player, axis ``i`` the strategy of player ``i``."""
    arrays = NormalFormGame.from_game(game, max_bytes=max_bytes)
    return [arrays.payoffs(k) for k in range(len(arrays.players))]


def quantecon_arrays(game: Game, *, max_bytes: int = MAX_BYTES) -> list[NDArray[Any]]:
    """Exact payoff arrays in QuantEcon's axis order: own strategy first, then the players after, then those before.

    ``[quantecon.game_theory.Player(a.astype(float)) for a in quantecon_arrays(game)]`` makes its players.

    >>> from consortium.games.normal_form import NormalFormGame
    >>> game = NormalFormGame.from_arrays([[[1, 2, 3]], [[4, 5, 6]]], sense="payoff")
    >>> [a.tolist() for a in quantecon_arrays(game)]
    [[[1, 2, 3]], [[4], [5], [6]]]
    """
    arrays = payoff_arrays(game, max_bytes=max_bytes)
    n = len(arrays)
    return [np.transpose(a, [(k + j) % n for j in range(n)]) for k, a in enumerate(arrays)]


def from_quantecon_arrays(arrays: Sequence[NDArray[Any]], **options: Any) -> NormalFormGame:
    """The inverse of :func:`quantecon_arrays`; options as of :meth:`NormalFormGame.from_arrays` (sense is payoff)."""
    n = len(arrays)
    ours = [np.transpose(np.asarray(a), [(axis - k) % n for axis in range(n)]) for k, a in enumerate(arrays)]
    return NormalFormGame.from_arrays(ours, sense="payoff", **options)


def to_nashpy(game: Game) -> Any:
    """A ``nashpy.Game`` of float payoffs; raises InputError unless there are two players with finite costs.

    nashpy computes in floats: recompute the regrets of what it returns, or ask
    :func:`consortium.games.equilibria.mixed.mixed_equilibria`.
    """
    import nashpy

    if len(game.players) != 2:
        raise InputError(f"nashpy: found {len(game.players)} players; expected 2")
    rows, columns = payoff_arrays(game)
    return nashpy.Game(_floats(rows), _floats(columns))


def _floats(array: NDArray[Any]) -> NDArray[np.float64]:
    out = np.array([[float(v) for v in row] for row in array])
    if not np.isfinite(out).all():
        raise InputError("payoffs: found an infinite one; expected finite payoffs")
    return out


def to_nfg(game: Game, *, title: str = "", comment: str = "", max_bytes: int = MAX_BYTES) -> str:
    """The game as text in Gambit's strategic form, payoff body; strategies are labelled by ``str``.

    Raises InputError for infinite payoffs, which the format cannot hold.
    """
    arrays = NormalFormGame.from_game(game, max_bytes=max_bytes)
    names = " ".join(_quoted(p) for p in arrays.players)
    labels = "\n".join("{ " + " ".join(_quoted(_label(s)) for s in own) + " }" for own in arrays.labels)
    n = len(arrays.players)
    cells = np.stack([arrays.payoffs(k).reshape(-1, order="F") for k in range(n)], axis=1).reshape(-1)
    body = " ".join(map(str, cells.tolist()))
    if "inf" in body:
        raise InputError(".nfg: found an infinite payoff; expected finite payoffs")
    return f"NFG 1 R {_quoted(title)} {{ {names} }}\n\n{{ {labels}\n}}\n{_quoted(comment)}\n\n{body}\n"


def write_nfg(game: Game, path: str | Path, *, title: str = "", comment: str = "") -> None:
    """Write :func:`to_nfg` to a file (UTF-8). Raises InputError when it cannot be written."""
    write_text(path, to_nfg(game, title=title, comment=comment))


def read_nfg(path: str | os.PathLike[str], *, social: Any = "sum", floats: Floats = "decimal") -> NormalFormGame:
    """Read a ``.nfg`` file; see :func:`from_nfg`. Raises InputError for a file that cannot be read."""
    return from_nfg(read_text(path, "a .nfg file"), where=name_of(path), social=social, floats=floats)


def read_efg(path: str | os.PathLike[str], *, social: Any = "sum", floats: Floats = "decimal") -> NormalFormGame:
    """Read a game in extensive form, an ``.efg`` file of Gambit, as the game of its reduced strategies.

    Raises InputError for a file that cannot be read, and without pygambit (extra ``gambit``), which reads it;
    TooLargeError for a tree of more than :data:`MAX_EFG_NODES` nodes with a choice.
    """
    text, where = read_text(path, "an .efg file"), name_of(path)
    nodes = sum(token in ("p", "c") for token in _TOKEN.findall(text))
    if nodes > MAX_EFG_NODES:
        raise TooLargeError(f"{where}: found {nodes:,} nodes with a choice; the limit is {MAX_EFG_NODES:,}")
    pygambit = optional("pygambit", "gambit")
    try:
        tree = pygambit.read_efg(io.StringIO(text))
    except Exception as error:  # whatever Gambit says of a file that is none
        raise InputError(f"{where}: found {str(error) or type(error).__name__}; expected an .efg file") from None
    return from_pygambit(tree, where=where, social=social, floats=floats)


def from_pygambit(
    game: Any, *, where: str = "the game of pygambit", social: Any = "sum", floats: Floats = "decimal"
) -> NormalFormGame:
    """A game of pygambit, in strategic or extensive form; see :func:`from_nfg`."""
    try:
        text = game.to_nfg()
    except Exception as error:
        raise InputError(f"{where}: cannot be written as a .nfg file ({error or type(error).__name__})") from None
    return from_nfg(text, where=where, social=social, floats=floats)


def from_nfg(text: str, *, where: str = ".nfg", social: Any = "sum", floats: Floats = "decimal") -> NormalFormGame:
    """A game of payoffs from Gambit's strategic form, either body.

    Strategies are labelled by the file's labels where these are all different and not empty, else by 0, 1, ...;
    decimals are exact, with ``floats="binary"`` what programs that compute in floats take them for. An empty title is
    none. ``social`` as in :meth:`NormalFormGame.from_arrays`.

    >>> from_nfg('NFG 1 R "t" { "a" "b" } { 2 1 } 1 2 3.5 -4').payoffs(0).tolist()
    [[1], [Fraction(7, 2)]]
    """
    title, players, labels, body = _header(text, where)
    if not players:
        raise InputError(f"{where}: found no player; expected at least one")
    shape = tuple(map(len, labels))
    size, n = math.prod(shape), len(players)
    if body.lstrip().startswith("{"):
        rows = _outcome_body(body, size, n, where, floats)
    else:
        rows = _numbers(body, where, floats)
        if rows.size != size * n:
            raise InputError(f"{where}: found {rows.size} payoffs; expected {size} cells of {n} ({size * n})")
        rows = rows.reshape(size, n)
    arrays = [np.ascontiguousarray(rows[:, k].reshape(shape, order="F")) for k in range(n)]
    game = NormalFormGame.from_arrays(arrays, sense="payoff", players=players, labels=labels, social=social)
    return replace(game, title=title or None)


_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[{}]|[^\s{}"]+)')


def _tokens(text: str, where: str) -> Iterator[tuple[str, int]]:
    """Tokens with the position after each, as far as the caller reads."""
    place = 0
    while match := _TOKEN.match(text, place):
        place = match.end()
        yield match.group(1), place
    if text[place:].strip():
        raise InputError(f"{where}: cannot read {text[place : place + 20].strip()!r}")


def _header(text: str, where: str) -> tuple[str, list[str], list[list[Any]], str]:
    """Title, players, strategies, and the text of the body."""
    tokens = _tokens(text, where)
    end = 0

    def take(expected: str | None = None) -> str:
        nonlocal end
        token, end = next(tokens, ("end of file", end))
        if (expected is not None and token != expected) or token == "end of file":
            raise InputError(f"{where}: found {token!r}; expected {expected or 'more'!r}")
        return token

    take("NFG")
    take("1")
    kind = take()
    if kind not in ("R", "D"):
        raise InputError(f"{where}: found {kind!r}; expected the number type R or D")
    title = _unquoted(take(), where)
    take("{")
    players = []
    while (token := take()) != "}":
        players.append(_unquoted(token, where))
    take("{")
    labels: list[list[Any]] = []
    while (token := take()) != "}":
        if token == "{":
            own = []
            while (name := take()) != "}":
                own.append(_unquoted(name, where))
            labels.append(own if len(set(own)) == len(own) and "" not in own else list(range(len(own))))
        elif token.isdigit():
            labels.append(list(range(int(token))))
        else:
            raise InputError(f"{where}: found {token!r}; expected strategy labels or a number of strategies")
    if len(labels) != len(players) or not all(labels):
        raise InputError(
            f"{where}: found strategies for {len(labels)} players; expected {len(players)}, at least one each"
        )
    named = len(set(players)) == len(players) and "" not in players
    names = players if named else [f"p{k + 1}" for k in range(len(players))]
    after = text[end:].lstrip()
    if after.startswith('"'):  # an optional comment
        _, used = next(_tokens(after, where))
        after = after[used:]
    return title, names, labels, after


_OUTCOME = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"([^{}"]*)\}')
_LIST_END = re.compile(r"\s*\}")


def _outcome_body(body: str, size: int, n: int, where: str, floats: Floats) -> NDArray[Any]:
    """Cells of the outcome form: ``{ { "name" p1, p2 } ... } index index ...``."""
    outcomes = [" ".join(["0"] * n)]
    place = body.index("{") + 1
    while match := _OUTCOME.match(body, place):
        outcomes.append(match.group(1).replace(",", " "))
        place = match.end()
    bad = next((i for i, o in enumerate(outcomes) if len(o.split()) != n), None)
    if bad is not None:
        raise InputError(f"{where}: outcome {bad} has {len(outcomes[bad].split())} payoffs; expected {n}")
    end = _LIST_END.match(body, place)
    if end is None:
        raise InputError(
            f"{where}: found {body[place : place + 20].strip()!r}; expected an outcome or the end of the list"
        )
    cells = _numbers(body[end.end() :], where)
    if cells.size != size or cells.dtype != np.int64 or cells.min() < 0 or cells.max() >= len(outcomes):
        raise InputError(
            f"{where}: found {cells.size} cells; expected {size} numbers of outcomes (0 to {len(outcomes) - 1})"
        )
    payoffs = _numbers(" ".join(outcomes), where, floats).reshape(-1, n)
    return np.asarray(payoffs[cells])


def _numbers(text: str, where: str, floats: Floats = "decimal") -> NDArray[Any]:
    """Exact numbers: int64 at numpy's speed when all are plain short integers, else objects."""
    if not re.search(r"[^\s\d+-]|\d{18}|\d[+-]|[+-](?!\d)", text):
        return np.fromstring(text, dtype=np.int64, sep=" ")  # type: ignore[call-overload, no-any-return, unused-ignore]
    tokens = text.split()
    out = np.empty(len(tokens), dtype=object)
    out[:] = [_number(token, where, floats) for token in tokens]
    return out


def _number(token: str, where: str, floats: Floats) -> Fraction:
    """An exact number; what is no integer and no fraction is written as a float, where floats are binary."""
    exact = rational(token, where)
    if floats != "binary" or "/" in token or exact.denominator == 1:
        return exact
    return Fraction(float(exact))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _unquoted(token: str, where: str) -> str:
    if not token.startswith('"'):
        raise InputError(f"{where}: found {token!r}; expected a quoted name")
    return re.sub(r"\\(.)", r"\1", token[1:-1])


def _label(strategy: Any) -> str:
    """Text of a strategy: tuples without brackets and quotes."""
    return " ".join(map(str, strategy)) if isinstance(strategy, tuple) else str(strategy)
