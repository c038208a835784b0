"""What makes a placement an equilibrium, in forms of the lengths: kept for every placement once, for all regions.

A placement is an equilibrium where for every deviation of every organization some term of the deviation is at least
all terms of what is paid now. Such a *group* of conditions has a *choice* for each term of the deviation, and a choice
is a list of forms that must not be negative. Choices lose what is never negative, groups with an empty choice go, and
equal groups stand once. If makespans have a bound, each way to share the jobs among machines is one more group, whose
choices are the loads.
"""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from ....support.jit import Ints, jit, overwrite
from .points import Game, advance, queued

FULL = -1
"""What :func:`add_placement` answers where the store is too small."""


class Store(NamedTuple):
    """Placements with their groups, by ranges: of a placement, its groups; of a group, its choices; their forms.

    ``table``: numbers of forms (plus 1) by their hash. ``sizes``: how many forms, entries of choices, choices, groups
    and placements there are; then the number of the region that is looked at. ``value``, ``inside``: of a form at its
    point, and whether its rows imply it, where ``stamp`` is the region's number.
    """

    forms: Ints
    entries: Ints
    choices: Ints
    groups: Ints
    places: Ints
    hosts: Ints
    table: Ints
    sizes: Ints
    value: Ints
    inside: Ints
    stamp: Ints

    @classmethod
    def empty(cls, n: int, room: int = 1024) -> Self:
        """A store for ``n`` jobs."""
        rows = [(room, n), (room * 16,), (room * 8,), (room * 4,), (room // 4,), (room // 4, n), (room * 4,), (6,)]
        return cls._make(np.zeros(shape, np.int64) for shape in [*rows, (room,), (room,), (room,)])

    def grown(self) -> Self:
        """The same in twice the room."""
        larger = type(self).empty(self.forms.shape[1], 2 * len(self.forms))
        for form in self.forms[: self.sizes[0]]:
            _number(form, larger)
        for new, old in zip(larger[1:6], self[1:6], strict=True):
            new[: len(old)] = old
        larger.sizes[1:] = self.sizes[1:]
        return larger


@jit
def _number(form: Ints, store: Store) -> int:
    """The number of a form without a common divisor, entered where it is new."""
    common = 0
    for value in form:
        a, b = common, abs(value)
        while b:
            a, b = b, a % b
        common = a
    if common > 1:
        for j in range(form.size):
            form[j] //= common
    mask = store.table.size - 1
    at = 0
    for value in form:
        at = (at * 1000003 + value) & 0xFFFFFFFF
    at = (at ^ (at >> 15)) & mask
    while store.table[at] > 0:
        number = store.table[at] - 1
        same = True
        for j in range(form.size):
            if store.forms[number, j] != form[j]:
                same = False
                break
        if same:
            return int(number)
        at = (at + 1) & mask
    number = store.sizes[0]
    overwrite(store.forms[number], form)
    store.table[at] = number + 1
    store.sizes[0] += 1
    return int(number)


@jit
def accumulate(game: Game, form: Ints) -> None:
    """Jobs that are counted become a form, in place."""
    for j in range(1, form.size):
        if game.owner[j] == game.owner[j - 1]:
            form[j] += form[j - 1]


@jit
def term(game: Game, a: int, hosts: Ints, strategy: Ints, host: int, form: Ints) -> bool:
    """Whether organization ``a``'s strategy uses a host, and what it pays there, in differences, put into ``form``.

    The others' jobs are where ``hosts`` says.
    """
    first = game.start[a]
    for j in range(form.size):
        form[j] = 0
    used = False
    if game.until.size > 0:
        jobs = queued(game, a, hosts, strategy, host)
        used = jobs > 0
        for j in range(form.size):
            form[j] = jobs >> j & 1
    for i in range(0 if game.until.size > 0 else game.start[a + 1] - first):
        if strategy[i] == host:
            used = True
            form[first + i] = 1
            if host != a:
                for j in range(hosts.size):
                    if hosts[j] == host and game.owner[j] != a and (game.owner[j] == host or game.ahead[j, first + i]):
                        form[j] = 1
    accumulate(game, form)
    return used


@jit
def _choice(deviated: Ints, terms: Ints, num: int, den: int, store: Store) -> bool:
    """Enter ``num`` times a term of the deviation at least ``den`` times all terms; whether it says anything."""
    begin = store.sizes[1]
    form = np.empty(deviated.size, np.int64)
    for k in range(terms.shape[0]):
        trivial = True
        for j in range(form.size):
            form[j] = num * deviated[j] - den * terms[k, j]
            trivial = trivial and form[j] >= 0
        if not trivial:
            number = _number(form, store)
            old = False
            for entry in range(begin, store.sizes[1]):
                old = old or store.entries[entry] == number
            if not old:
                store.entries[store.sizes[1]] = number
                store.sizes[1] += 1
    store.sizes[2] += 1
    store.choices[store.sizes[2]] = store.sizes[1]
    return bool(store.sizes[1] > begin)


@jit
def above(form: Ints, row: Ints) -> bool:
    """Whether no coefficient is smaller."""
    for j in range(form.size):  # numba compiles no generators  # noqa: SIM110
        if form[j] < row[j]:
            return False
    return True


@jit
def implied_by(number: int, by: Ints, begin: int, end: int, store: Store) -> bool:
    """Whether one of the forms with the numbers ``by[begin:end]``, not negative itself, shows that another is not."""
    for k in range(begin, end):  # noqa: SIM110
        if above(store.forms[number], store.forms[by[k]]):
            return True
    return False


@jit
def _choice_implies(store: Store, c: int, d: int) -> bool:
    """Whether the forms of choice ``c``, none negative, show that those of ``d`` are not."""
    for target in range(store.choices[d], store.choices[d + 1]):
        if not implied_by(store.entries[target], store.entries, store.choices[c], store.choices[c + 1], store):
            return False
    return True


@jit
def _group_implies(store: Store, g: int, h: int) -> bool:
    """Whether each choice of group ``g`` shows one of ``h``."""
    for c in range(store.groups[g], store.groups[g + 1]):
        implied = False
        for d in range(store.groups[h], store.groups[h + 1]):
            if _choice_implies(store, c, d):
                implied = True
                break
        if not implied:
            return False
    return True


@jit
def _end_group(store: Store, says: bool, dead: Ints) -> None:
    """Keep the group that was begun, unless another of its placement implies it; ``dead``: those that it implies."""
    group, begin = store.sizes[3], store.places[store.sizes[4]]
    store.groups[group + 1] = store.sizes[2]
    keep = says
    if keep:
        for other in range(begin, group):
            if not dead[other - begin] and _group_implies(store, other, group):
                keep = False
                break
    if keep:
        for other in range(begin, group):
            if not dead[other - begin] and _group_implies(store, group, other):
                dead[other - begin] = 1
        dead[group - begin] = 0
        store.sizes[3] += 1
    else:
        store.sizes[2] = store.groups[group]
        store.sizes[1] = store.choices[store.sizes[2]]


@jit
def _bury(store: Store, dead: Ints) -> None:
    """Leave out the dead groups of the last placement."""
    begin, end = store.places[store.sizes[4]], store.sizes[3]
    group, choice = begin, store.groups[begin]
    entry = store.choices[choice]
    for old in range(begin, end):
        first, last = store.groups[old], store.groups[old + 1]
        if not dead[old - begin]:
            for c in range(first, last):
                start, stop = store.choices[c], store.choices[c + 1]
                for e in range(start, stop):
                    store.entries[entry] = store.entries[e]
                    entry += 1
                choice += 1
                store.choices[choice] = entry
            group += 1
            store.groups[group] = choice
    store.sizes[1], store.sizes[2], store.sizes[3] = entry, choice, group


@jit
def _room(store: Store, n: int) -> bool:
    """Whether one more group, of up to ``n`` choices with up to ``n * n`` forms each, fits in."""
    most = n * n * n
    return bool(
        store.sizes[0] + most < store.forms.shape[0]
        and store.sizes[1] + most < store.entries.size
        and store.sizes[2] + n + 1 < store.choices.size
        and store.sizes[3] + 2 < store.groups.size
    )


@jit
def add_placement(game: Game, hosts: Ints, store: Store) -> int:
    """The number of a new placement, entered with its groups; ``FULL`` where the store is too small."""
    place = store.sizes[4]
    n, jobs = game.start.size - 1, hosts.size
    before = np.zeros(store.sizes.size - 1, np.int64)
    overwrite(before, store.sizes[1:])
    if place + 2 >= store.places.size:
        return FULL
    most = 0
    for a in range(n):
        most += n ** (game.start[a + 1] - game.start[a])
    dead = np.zeros(most + n**jobs * (game.most[0] > 0), np.int64)
    terms, ends = np.empty((n * n, jobs), np.int64), np.zeros(n + 1, np.int64)
    deviated = np.empty(jobs, np.int64)
    for a in range(n):
        ends[a + 1] = ends[a]
        for host in range(n):
            if term(game, a, hosts, hosts[game.start[a] : game.start[a + 1]], host, terms[ends[a + 1]]):
                ends[a + 1] += 1
    for a in range(n):
        count = game.start[a + 1] - game.start[a]
        strategy = np.zeros(count, np.int64)
        going = count > 0
        while going:
            if not _room(store, n):
                overwrite(store.sizes[1:], before)
                return FULL
            same = True
            for i in range(count):
                same = same and strategy[i] == hosts[game.start[a] + i]
            says = not same
            for host in range(n):
                if says and term(game, a, hosts, strategy, host, deviated):
                    says = _choice(deviated, terms[ends[a] : ends[a + 1]], game.num, game.den, store)
            _end_group(store, says, dead)
            going = advance(strategy, count, n)
    if game.most[0] > 0:
        shared = np.zeros(jobs, np.int64)
        going = True
        while going:
            if not _room(store, n):
                overwrite(store.sizes[1:], before)
                return FULL
            used, says = 0, True
            for j in range(jobs):  # a set has the number of its first job's place among the sets
                says = says and shared[j] <= used
                used = max(used, shared[j] + 1)
            for machine in range(used):
                if says:
                    for j in range(jobs):
                        deviated[j] = shared[j] == machine
                    accumulate(game, deviated)
                    says = _choice(deviated, terms[: ends[n]], game.most[0], game.most[1], store)
            _end_group(store, says, dead)
            going = advance(shared, jobs, n)
    _bury(store, dead)
    overwrite(store.hosts[place], hosts)
    store.places[place + 1] = store.sizes[3]
    store.sizes[4] += 1
    return int(place)
