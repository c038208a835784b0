"""Edits of a scenario dict: one player or one job less, or other numbers, and all that refers to them follows.

Players are the tables of the kind's list (``[[agents]]``, ``[[organizations]]``, ``[[users]]``, of a kind of another
distribution every list of tables); a player's jobs are her list ``jobs``, an agent without such a list is one job.

A player takes along tables by name (``welfare.weights``, ``domain.lengths``), lists of names (``mechanism.order``,
where her own jobs stayed of a ``placement`` that used her machines), lists with an entry per player
(:data:`PER_PLAYER`), and permutations of the players (``mechanism.orderings``). A job takes along its host in
``placement``. Given priorities stay dense. A mention that nothing here follows (in a welfare expression) makes a
scenario that its reader refuses.

A neighbour (:func:`mutated`) has one number, one job or one player changed at random; it may be none that its kind
reads.

Numbers of the instance are integers and exact texts (``"3/2"``) wherever they stand, but for what says how the game is
played: ``[mechanism]`` (its ``thresholds`` and listed ``penalty`` are of the instance), ``[welfare]``, ``[fairness]``,
``format`` and ``seed``; and but for names, priorities and the keys of tables. A number is simpler than another if its
denominator is smaller, or is the same and its numerator nearer to 0.

>>> data = {"organizations": [{"jobs": [1, 2]}, {"jobs": [3]}], "placement": {"O1": ["O1", "O2"]}}
>>> without_player(named(data, ["O1", "O2"]), "organizations", 1)
{'organizations': [{'jobs': [1, 2], 'name': 'O1'}], 'placement': {'O1': ['O1', 'O1']}}
>>> without_job(data, "organizations", 0, 0, "O1")["placement"]
{'O1': ['O2']}
>>> data = {"format": 1, "agents": [{"name": "7", "length": "3/2"}, {"length": 4}], "mechanism": {"rounds": 2}}
>>> [(path, str(value)) for path, value in numbers(data)]
[(('agents', 0, 'length'), '3/2'), (('agents', 1, 'length'), '4')]
>>> list(map(str, simpler(Fraction(5, 3)))), list(map(str, simpler(Fraction(9))))
(['0', '1', '2', '3/2', '4/3'], ['0', '1', '5', '7', '8'])
>>> from numpy.random import default_rng
>>> mutated(data, default_rng(1)) != data
True
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

from numpy.random import Generator

from ...scenarios.scenario import plain
from ...support.errors import InputError
from ...support.exact import rational, scale

Data: TypeAlias = dict[str, Any]

PER_PLAYER: Final = (("mechanism", "thresholds"), ("mechanism", "penalty"), ("fairness", "weights"))
"""Lists with an entry for each player, in their order."""
ORDERINGS: Final = "orderings"
"""Key of ``[mechanism]`` with permutations of the players' numbers from 1."""
PLACEMENT: Final = "placement"


def players(data: Mapping[str, Any]) -> list[str]:
    """Keys of the lists of players."""
    return [
        key
        for key, value in data.items()
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    ]


def jobs_of(player: Mapping[str, Any]) -> list[Any]:
    """The jobs of a player that has a list of them; else none."""
    jobs = player.get("jobs")
    return jobs if isinstance(jobs, list) else []


def named(data: Mapping[str, Any], names: Sequence[str]) -> Data:
    """A copy in which players have their names written, if anything but the list of players refers to one by name."""
    result = copy.deepcopy(dict(data))
    listed = players(result)
    others = {key: value for key, value in result.items() if key not in listed}
    mentioned = set(_texts(others))
    if len(listed) == 1 and any(name in text for text in mentioned for name in names):
        for player, name in zip(result[listed[0]], names, strict=True):
            player.setdefault("name", name)
    return result


def without_player(data: Mapping[str, Any], key: str, number: int) -> Data:
    """The scenario without the player of that number (from 0) of a list of players."""
    result = copy.deepcopy(dict(data))
    gone = result[key].pop(number)
    for block, field in PER_PLAYER:
        entries = result.get(block, {}).get(field)
        if isinstance(entries, list) and len(entries) == len(result[key]) + 1:
            entries.pop(number)
    mechanism = result.get("mechanism", {})
    if ORDERINGS in mechanism:
        orders = [[n - (n > number + 1) for n in order if n != number + 1] for order in mechanism[ORDERINGS]]
        mechanism[ORDERINGS] = [order for i, order in enumerate(orders) if order not in orders[:i]]
    _dense_priorities(result[key])
    name = gone.get("name")
    if name is None:
        return result
    hosts = result.get(PLACEMENT)
    if isinstance(hosts, dict):
        hosts.pop(name, None)
        result[PLACEMENT] = {owner: [owner if host == name else host for host in row] for owner, row in hosts.items()}
    return {block: value if block == key else _forgotten(value, name) for block, value in result.items()}


def without_job(data: Mapping[str, Any], key: str, number: int, job: int, name: str) -> Data:
    """The scenario without a job (numbers from 0) of the player of that number, who is called ``name``."""
    result = copy.deepcopy(dict(data))
    result[key][number]["jobs"].pop(job)
    hosts = result.get(PLACEMENT, {}).get(name)
    if isinstance(hosts, list):
        hosts.pop(job)
    _dense_priorities(result[key])
    return result


def _dense_priorities(listed: Sequence[Mapping[str, Any]]) -> None:
    """Make given priorities 1, 2, ... in their order."""
    tables = [job for player in listed for job in jobs_of(player) if isinstance(job, dict) and "priority" in job]
    if not all(isinstance(job["priority"], int) for job in tables):
        return
    ranks = {priority: i + 1 for i, priority in enumerate(sorted({job["priority"] for job in tables}))}
    for job in tables:
        job["priority"] = ranks[job["priority"]]


def _forgotten(value: Any, name: str) -> Any:
    """A block without the table entries and the items of lists that are this name."""
    if isinstance(value, dict):
        return {key: _forgotten(item, name) for key, item in value.items() if key != name}
    if isinstance(value, list):
        return [_forgotten(item, name) for item in value if item != name]
    return value


def _texts(value: Any) -> Iterator[str]:
    """Every key and text inside a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


Path: TypeAlias = tuple[str | int, ...]

SETTINGS: Final = ("format", "kind", "title", "source", "mechanism", "welfare", "fairness", "seed", "expect")
"""Top-level keys that say what is asked, not of which instance."""
NEVER: Final = ("name", "priority", "file")
"""Keys of what is no quantity, whatever it looks like."""
COUNTS: Final = ("machines", "powers")
"""Keys of numbers that do not scale with the lengths of jobs."""


def numbers(data: Mapping[str, Any]) -> list[tuple[Path, Fraction]]:
    """Every number of the instance with its path."""
    places = [item for key, value in data.items() if key not in SETTINGS for item in _inside(value, (key,))]
    for block, field in PER_PLAYER[:2]:  # weights of fairness say how it is played
        table = data.get(block)
        if isinstance(table, Mapping) and isinstance(table.get(field), list):
            places += _inside(table[field], (block, field))
    return places


def _inside(value: Any, path: Path) -> Iterator[tuple[Path, Fraction]]:
    if path[-1] in NEVER or isinstance(value, bool) or value is None:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _inside(item, (*path, key))
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from _inside(item, (*path, i))
    else:
        try:
            yield path, rational(value)
        except InputError:
            return  # a name or another text


def simpler(number: Fraction) -> Iterator[Fraction]:
    """Simpler numbers of the same sign, the simplest first, the nearest last; none for 0."""
    sign, size = (-1 if number < 0 else 1), abs(number)
    tried: list[Fraction] = []
    if size.denominator == 1:
        whole = size.numerator
        tried += [Fraction(v) for v in (0, 1) if v < whole]
        step = whole // 2
        while step:
            tried.append(Fraction(whole - step))
            step //= 2
    else:
        rounded = (0, 1, math.floor(size), math.ceil(size), size.limit_denominator(size.denominator - 1))
        tried += [Fraction(v) for v in rounded]
        tried.append(Fraction(size.numerator - 1, size.denominator))
    yield from (sign * value for value in dict.fromkeys(tried))


def changed(data: Mapping[str, Any], values: Mapping[Path, Fraction]) -> dict[str, Any]:
    """The same with other numbers; what lies beside their paths is shared, as no scenario is changed in place."""
    result, own = dict(data), set[Path]()
    for path, value in values.items():
        here: Any = result
        for depth, step in enumerate(path[:-1], 1):
            if path[:depth] not in own:
                own.add(path[:depth])
                here[step] = copy.copy(here[step])
            here = here[step]
        here[path[-1]] = plain(value)
    return result


def scaled(data: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Copies whose lengths and times, or powers, have no common factor: all of them over their greatest one.

    >>> next(scaled({"agents": [{"length": "3/2"}, {"length": 3}]}))
    {'agents': [{'length': 1}, {'length': 2}]}
    """
    powers = {path: value for path, value in numbers(data) if "powers" in path}
    for group in (_times(data), powers):
        whole, denominator = scale(group.values())
        factor = Fraction(math.gcd(*whole), denominator)
        if factor not in (0, 1):
            yield changed(data, {path: value / factor for path, value in group.items()})


def unit(data: Mapping[str, Any]) -> Fraction:
    """The largest unit fraction (1, 1/2, 1/3, ...) of which all lengths and times are whole multiples.

    >>> unit({"agents": [{"length": "3/2"}, {"length": "2/3"}]})
    Fraction(1, 6)
    """
    return Fraction(1, scale(_times(data).values())[1])


def _times(data: Mapping[str, Any]) -> dict[Path, Fraction]:
    return {path: value for path, value in numbers(data) if not any(key in COUNTS for key in path)}


Change: TypeAlias = Callable[[Mapping[str, Any], Generator], dict[str, Any] | None]
"""A neighbour, or ``None`` where there is none of the sort."""


def mutated(data: Mapping[str, Any], rng: Generator) -> Data:
    """A neighbour; mostly with another number, the cheapest change, always where players are no tables."""
    changes = CHANGES if players(data) else OF_NUMBERS if numbers(data) else ()
    for _ in range(ATTEMPTS if changes else 0):
        change = changes[rng.integers(len(changes))]
        neighbour = change(data, rng)
        if neighbour is not None and neighbour != data:
            return neighbour
    return copy.deepcopy(dict(data))


def _nudged(data: Mapping[str, Any], rng: Generator) -> Data | None:
    """A number a little more or less."""
    places = numbers(data)
    if not places:
        return None
    path, value = places[rng.integers(len(places))]
    step = Fraction(int(rng.integers(1, 3)), value.denominator)
    return changed(data, {path: max(Fraction(0), value + step if rng.random() < 0.5 else value - step)})


def _tied(data: Mapping[str, Any], rng: Generator) -> Data | None:
    """A number made equal to another one, or all its occurrences redrawn: ties are where rules go wrong."""
    places = numbers(data)
    if not places:
        return None
    (path, value), (_, other) = (places[rng.integers(len(places))] for _ in range(2))
    if value != other:
        return changed(data, {path: other})
    drawn = Fraction(int(rng.integers(0, max(2, 2 * int(abs(value)) + 1))))
    return changed(data, {where: drawn for where, number in places if number == value})


def _one_more_job(data: Mapping[str, Any], rng: Generator) -> Data | None:
    """A copy of somebody's job for somebody."""
    key, number = _player(data, rng)
    every = [job for player in data[key] for job in jobs_of(player)]
    if "jobs" not in data[key][number] or not 0 < len(every) < MOST_JOBS:
        return None
    result = copy.deepcopy(dict(data))
    jobs: list[Any] = result[key][number]["jobs"]
    jobs.append(copy.deepcopy(every[rng.integers(len(every))]))
    if isinstance(jobs[-1], list):
        jobs.sort(key=lambda job: Fraction(job[0]) if isinstance(job, list) else 0)  # by release
    return result


def _one_job_less(data: Mapping[str, Any], rng: Generator) -> Data | None:
    key, number = _player(data, rng)
    player = data[key][number]
    if not jobs_of(player):
        return None
    return without_job(data, key, number, int(rng.integers(len(jobs_of(player)))), str(player.get("name", "")))


def _one_more_player(data: Mapping[str, Any], rng: Generator) -> Data | None:
    """A nameless copy of somebody."""
    key, number = _player(data, rng)
    if len(data[key]) >= MOST_PLAYERS:
        return None
    result = copy.deepcopy(dict(data))
    twin = {name: value for name, value in result[key][number].items() if name != "name"}
    result[key].insert(int(rng.integers(len(result[key]) + 1)), twin)
    return result


def _one_player_less(data: Mapping[str, Any], rng: Generator) -> Data | None:
    key, number = _player(data, rng)
    return without_player(data, key, number) if len(data[key]) > 1 else None


def _player(data: Mapping[str, Any], rng: Generator) -> tuple[str, int]:
    key = players(data)[0]
    return key, int(rng.integers(len(data[key])))


OF_NUMBERS: Final[tuple[Change, ...]] = (*(_nudged,) * 4, *(_tied,) * 3)
CHANGES: Final[tuple[Change, ...]] = (
    *OF_NUMBERS,
    _one_more_job,
    _one_job_less,
    _one_more_player,
    _one_player_less,
)
"""Sorts of changes, as often as they are likely."""
ATTEMPTS: Final = 20
MOST_PLAYERS: Final = 5
MOST_JOBS: Final = 14
"""Neighbours have no more: what is asked of them takes longer and longer."""
