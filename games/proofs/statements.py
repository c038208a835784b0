r"""What can be proved of a declaration mechanism for all lengths, as questions about cells.

Each statement (Agmon 2003, definitions 4.1 to 4.7, and :mod:`..verification.results`) becomes one question per
agent, for a lie one per side of the truth, because the truth itself is no lie. A question fixes its
coordinates, what is known of them, which runs are compared, and which forms must not be positive at their ends.

Coordinates: the constant 1, then ``theta_n``, the lie, and the others' declarations and lengths, as far as they differ.
A declaration that the mechanism refuses is outside its domain, and so is every comparison with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import Final, NamedTuple, TypeAlias

from ...support.errors import unknown_name
from .execution import Entry, Node
from .questions import ALL_LENGTHS, Claim, Lengths, Question, Rows, Run, sparse_vector
from .symbols import Vector

CONCEPTS: Final = ("dominant", "ex-post")
PROPERTIES: Final = (
    "rent-nonnegative",
    "budget-balanced",
    "just",
    "upper-margin",
    "lower-margin",
    "individually-rational",
    "accepts-every-input",
    "upper-margin-any-others",
    "lower-margin-any-others",
)
STATEMENTS: Final = (*CONCEPTS, *PROPERTIES)


@dataclass(frozen=True)
class Request:
    """A statement with all that says what it is about; the fields are the arguments of :func:`questions`."""

    statement: str
    n_agents: int
    lengths: Lengths
    values: tuple[Fraction, ...]
    parameters: tuple[str, ...] = ()
    kills_liars: bool = False
    anonymous: bool = False
    in_advance: bool = False

    def questions(self) -> tuple[Question, ...]:
        """What to prove."""
        return questions(**{f.name: getattr(self, f.name) for f in fields(self)})


def questions(
    statement: str,
    n_agents: int,
    lengths: Lengths = ALL_LENGTHS,
    values: Sequence[Fraction] | None = None,
    *,
    parameters: Sequence[str] = (),
    kills_liars: bool = False,
    anonymous: bool = False,
    in_advance: bool = False,
) -> tuple[Question, ...]:
    """The questions that make a statement.

    Parameters
    ----------
    statement
        One of :data:`STATEMENTS`. Raises UnknownNameError for another.
    n_agents, lengths
        For how many agents, and which lengths and declarations.
    values
        V_n; default 0.
    parameters
        Names of positive numbers of the mechanism that are symbols too: of a family, whose results tell V_n. They are
        the last coordinates.
    kills_liars
        A job that never ends is no limit on input where its agent lied (``accepts-every-input``).
    anonymous
        The mechanism treats agents alike: the first one stands for all, with the others in order, if all have the same
        value.
    in_advance
        Payments do not depend on lengths: nor do statements on them.

    >>> [(q.agent, q.side, q.names) for q in questions("ex-post", 1)]
    [(0, 'below', ('theta1', 'lie1')), (0, 'above', ('theta1', 'lie1'))]
    """
    if statement not in STATEMENTS:
        raise unknown_name("statement", statement, STATEMENTS)
    worth = tuple(values) if values is not None else (Fraction(0),) * n_agents
    alike = anonymous and not parameters and len(set(worth)) == 1
    ask = _Asking(n_agents, lengths, worth, tuple(parameters), alike)
    agents = range(1 if alike else n_agents)
    if statement in CONCEPTS:
        return tuple(ask.lie(n, statement, side) for n in agents for side in ("below", "above"))
    if statement in ("rent-nonnegative", "budget-balanced"):
        return (ask.rent(statement, in_advance),)
    if statement == "accepts-every-input":
        return tuple(ask.accepts(n) for n in agents) if kills_liars else (ask.accepts(None),)
    if statement == "just":
        return tuple(ask.just(n) for n in agents)
    if statement == "individually-rational":
        return tuple(ask.rational(n) for n in agents)
    side = -1 if statement.startswith("upper") else 1
    return tuple(ask.margin(n, side, statement.endswith("any-others")) for n in agents)


def bounds(concept: str, n_agents: int, lengths: Lengths, codes: Sequence[int]) -> tuple[Question, ...]:
    """Whether a number stands between truth and lies: the questions that imply a concept without comparing two runs.

    Truth is worth no less than ``V_n - S(theta_n, b_-n)``, and a lie no more; V_n is the same, so 0 does. Code 0 is S,
    the others are mechanisms: where one of them says what a mechanism does with the truth and another what it does with
    the lie, both are bound.

    >>> [(q.agent, q.side, q.names) for q in bounds("ex-post", 1, Lengths(), [1])][:2]
    [(0, 'truth', ('theta1',)), (0, 'below', ('theta1', 'lie1'))]
    """
    ask = _Asking(n_agents, lengths, (Fraction(0),) * n_agents, parameters=(), anonymous=False)
    sides = ("truth", "below", "above")
    return tuple(ask.bound(n, concept, side, code) for code in codes for n in range(n_agents) for side in sides)


def relabelings(n_agents: int, lengths: Lengths) -> tuple[Question, ...]:
    """Whether other numbers for the agents give their outcomes the same new numbers, refusals included.

    Asked of two renumberings of which all others are made: the first two agents change places, and everybody moves on
    by one.

    >>> [q.names for q in relabelings(2, Lengths())]
    [('b1', 'b2', 'theta1', 'theta2')]
    """
    agents = range(n_agents)
    orders = ((1, 0, *agents[2:]), (*agents[1:], 0)) if n_agents > 1 else ()
    return tuple(_relabeling(order, lengths) for order in dict.fromkeys(orders))


def _relabeling(order: Sequence[int], lengths: Lengths) -> Question:
    n_agents = len(order)
    names = tuple(f"{what}{n}" for what in ("b", "theta") for n in range(1, n_agents + 1))
    size = 1 + len(names)
    moved = tuple(1 + n for n in (*order, *[n_agents + n for n in order]))
    runs = Run(tuple(range(size))), Run((0, *moved))

    def result(k: int, run: Run) -> _Reading:
        return _Reading(lambda leaf: _sum((leaf.results or ())[k : k + 1]), run, size)

    pairs = [(n - 1, k, result(n - 1, runs[0]), result(k, runs[1])) for k, n in enumerate(moved)]

    def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
        here, there = leaves[0].results, leaves[1].results
        if here is None or there is None:
            return () if here is there else (ALWAYS,)
        if any((here[n] is None) != (there[k] is None) for n, k, _, _ in pairs):
            return (ALWAYS,)
        both = [(one(leaves[0]), other(leaves[1])) for _, _, one, other in pairs]
        return [form for a, b in both for form in (*_exceeds(a, b), *_exceeds(b, a))]

    return Question(None, "anonymous", names, lengths.rows(size), runs, claim)


@dataclass(frozen=True)
class _Asking:
    """Questions about one mechanism."""

    n_agents: int
    lengths: Lengths
    values: tuple[Fraction, ...]
    parameters: tuple[str, ...]
    anonymous: bool

    def lie(self, n: int, concept: str, side: str) -> Question:
        """Whether a lie on one side of the truth pays."""
        room = _Room(self.n_agents, self.parameters, n, honest=concept == "ex-post", lie=True)
        truth, lying = room.run(room.own), room.run(room.lie)
        at_truth, at_lie = self._utilities(n, room, truth, lying)

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            truthful, lied = leaves
            return (
                () if truthful.results is None or lied.results is None else _exceeds(at_lie(lied), at_truth(truthful))
            )

        return self._question(n, side, room, (truth, lying), claim, *room.apart(side))

    def bound(self, n: int, concept: str, side: str, code: int) -> Question:
        """Whether under one piece of code the truth is worth no less, or a lie no more, than V minus S."""
        lies = side != "truth"
        room = _Room(self.n_agents, self.parameters, n, honest=concept == "ex-post", lie=lies)
        run = replace(room.run(room.lie if lies else room.own), code=code)
        best = Run(room.run(room.own).places[: 1 + self.n_agents])
        (worth,) = self._utilities(n, room, run)
        limit = _Reading(lambda leaf: self._less(n, (leaf.results or ())[:1]), best, room.size)

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            if leaves[0].results is None or leaves[1].results is None:
                return ()
            most, least = worth(leaves[0]), limit(leaves[1])
            return _exceeds(most, least) if lies else _exceeds(least, most)

        return self._question(n, side, room, (run, best), claim, *room.apart(side))

    def rent(self, statement: str, in_advance: bool) -> Question:
        """Whether the payments sum to no less than nothing, or to nothing."""
        room = _Room(self.n_agents, self.parameters, None, honest=in_advance)
        run = room.run()
        paid = _Reading(lambda leaf: _sum((leaf.results or ())[self.n_agents : 2 * self.n_agents]), run, room.size)

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            if leaves[0].results is None:
                return ()
            rent = paid(leaves[0])
            below = _exceeds(_ZERO, rent)
            return below if statement == "rent-nonnegative" else (*below, *_exceeds(rent, _ZERO))

        return self._question(None, "", room, (run,), claim)

    def accepts(self, n: int | None) -> Question:
        """Whether every declaration is taken and every job ends: everybody's, or that of a truthful agent."""
        room = _Room(self.n_agents, self.parameters, n, honest=False)
        run = room.run(room.own)
        watched = range(self.n_agents) if n is None else (n,)

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            results = leaves[0].results
            fine = results is not None and not any(results[k] == "inf" for k in watched)
            return () if fine else (ALWAYS,)

        return self._question(n, "", room, (run,), claim)

    def just(self, n: int) -> Question:
        """Whether a truthful agent has her output no later than planned, whatever the others do."""
        room = _Room(self.n_agents, self.parameters, n, honest=False)
        runs = (room.planned(), room.run(room.own))
        planned, actual = (_Reading(lambda leaf: _sum((leaf.results or ())[n : n + 1]), r, room.size) for r in runs)

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            if any(leaf.results is None or leaf.results[n] is None for leaf in leaves):
                return ()
            return _exceeds(actual(leaves[1]), planned(leaves[0]))

        return self._question(n, "", room, runs, claim)

    def margin(self, n: int, side: int, any_others: bool) -> Question:
        """Whether utility is continuous where the length comes near the declaration, from below (-1) or above (1)."""
        room = _Room(self.n_agents, self.parameters, n, honest=not any_others)
        runs = (room.run(room.own), room.run(room.own, side))
        at_truth, nearby = self._utilities(n, room, *runs)

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            if any(leaf.results is None for leaf in leaves):
                return ()
            at, near = at_truth(leaves[0]), nearby(leaves[1])
            return (*_exceeds(at, near), *_exceeds(near, at))

        return self._question(n, "", room, runs, claim)

    def rational(self, n: int) -> Question:
        """Whether a truthful agent among truthful others never ends below nothing."""
        room = _Room(self.n_agents, self.parameters, n, honest=True)
        run = room.run(room.own)
        (worth,) = self._utilities(n, room, run)

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            return () if leaves[0].results is None else _exceeds(_ZERO, worth(leaves[0]))

        return self._question(n, "", room, (run,), claim)

    def _question(
        self, n: int | None, side: str, room: _Room, runs: tuple[Run, ...], claim: Claim, *rows: tuple[Vector, bool]
    ) -> Question:
        order = room.ordered() if self.anonymous and n is not None else ()
        domain = (*self.lengths.rows(room.size, len(self.parameters)), *rows, *order)
        return Question(n, side, room.names, domain, runs, claim)

    def _utilities(self, n: int, room: _Room, *runs: Run) -> tuple[_Reading, ...]:
        """Readings of an agent's utility in these runs."""
        return tuple(_Reading(lambda leaf: self._utility(leaf, n), run, room.size) for run in runs)

    def _utility(self, leaf: Node, n: int) -> Amount:
        """``V - T - P``; 0 for an agent who left, minus infinity for a job never done."""
        assert leaf.results is not None
        output, payment = leaf.results[n], leaf.results[self.n_agents + n]
        if output is None:
            return _ZERO
        if self.parameters and output != "inf":
            spent = _sum((output, payment))
            if isinstance(spent, str):
                return _OPPOSITE[spent]
            return _sum((leaf.results[2 * self.n_agents + n], (tuple([-a for a in spent.top]), spent.bottom)))
        return "-inf" if output == "inf" else self._less(n, (output, payment))

    def _less(self, n: int, entries: Sequence[Entry]) -> Amount:
        """V less what is spent."""
        spent = _sum(entries)
        if isinstance(spent, str):
            return _OPPOSITE[spent]
        value = self.values[n]
        constant_spent, *slopes = spent.top
        constant = value.numerator * spent.bottom - constant_spent * value.denominator
        return _Form((constant, *[-a * value.denominator for a in slopes]), spent.bottom * value.denominator)


class _Room:
    """The question's coordinates in one question, and the runs in them.

    ``n``: the agent whose declaration is her length, None for nobody; ``honest``: whether the others' are too, or
    everybody's when ``n`` is None; ``lie``: whether she also declares something else.
    """

    def __init__(
        self, n_agents: int, parameters: Sequence[str], n: int | None, *, honest: bool, lie: bool = False
    ) -> None:
        self.n_agents, self.n = n_agents, n
        names: list[str] = []

        def place(name: str) -> int:
            names.append(name)
            return len(names)

        self.own = 0 if n is None else place(f"theta{n + 1}")
        self.lie = place(f"lie{n + 1}") if lie and n is not None else 0
        others = [k for k in range(n_agents) if k != n]
        self.lengths = {k: place(f"theta{k + 1}") for k in others}
        self.declared = dict(self.lengths) if honest else {k: place(f"b{k + 1}") for k in others}
        self.parameters = tuple([place(name) for name in parameters])
        self.names = tuple(names)

    @property
    def size(self) -> int:
        """Coordinates, the constant's included."""
        return 1 + len(self.names)

    def run(self, declares: int = 0, perturbation: int | None = None) -> Run:
        """Everybody declares what she declares, agent ``n`` what stands at coordinate ``said``; true lengths run."""
        declared = [declares if k == self.n else self.declared[k] for k in range(self.n_agents)]
        lengths = [self.own if k == self.n else self.lengths[k] for k in range(self.n_agents)]
        moves = None
        if perturbation is not None:
            move = [perturbation if k == self.n else 0 for k in range(self.n_agents)]
            moves = (0, *[0] * self.n_agents, *move, *[0] * len(self.parameters))
        return Run((0, *declared, *lengths, *self.parameters), moves)

    def apart(self, side: str) -> Rows:
        """On which side of the truth the lie is; nothing where there is none."""
        if not self.lie:
            return ()
        sign = 1 if side == "below" else -1
        return ((sparse_vector(self.size, {self.own: sign, self.lie: -sign}), True),)

    def planned(self) -> Run:
        """As if everybody's length were what she declares."""
        declared = [self.own if k == self.n else self.declared[k] for k in range(self.n_agents)]
        return Run((0, *declared, *declared, *self.parameters))

    def ordered(self) -> Rows:
        """The others by increasing declaration."""
        places = [self.declared[k] for k in range(self.n_agents) if k != self.n]
        return tuple((sparse_vector(self.size, {a: -1, b: 1}), False) for a, b in pairwise(places))


class _Form(NamedTuple):
    """A form: integer coefficients and a denominator."""

    top: Vector
    bottom: int


Amount: TypeAlias = _Form | str
"""A form, or ``"inf"`` or ``"-inf"``."""

ALWAYS: Final[Vector] = (1,)
"""The constant 1: positive everywhere."""

_ZERO: Final = _Form((0,), 1)
_OPPOSITE: Final = {"inf": "-inf", "-inf": "inf"}


def _sum(entries: Sequence[Entry]) -> Amount:
    """Sum of results; what does not exist counts for nothing."""
    forms = []
    for one in entries:
        if isinstance(one, str):
            return one
        if one is not None:
            forms.append(one)
    if not forms:
        return _ZERO
    bottom = lcm(*[below for _, below in forms])
    scaled = [[bottom // below * a for a in top] for top, below in forms]
    return _Form(tuple(map(sum, zip(*scaled, strict=True))), bottom)


class _Reading:
    """What the leaves of one run say, in the question's coordinates, each worked out once; no perturbation: a limit."""

    def __init__(self, amount: Callable[[Node], Amount], run: Run, size: int) -> None:
        self._amount, self._run, self._size = amount, run, size
        self._amounts: dict[Node, Amount] = {}

    def __call__(self, leaf: Node) -> Amount:
        amount = self._amounts.get(leaf)
        if amount is None:
            amount = self._amount(leaf)
            if not isinstance(amount, str):
                amount = _Form(self._run.vector(amount.top, self._size), amount.bottom)
            self._amounts[leaf] = amount
        return amount


def _exceeds(a: Amount, b: Amount) -> tuple[Vector, ...]:
    """The form that is positive where ``a`` exceeds ``b``; none where it never does."""
    if a == "-inf" or b == "inf":
        return ()  # so neither of two equal infinities exceeds the other
    if isinstance(a, str) or isinstance(b, str):
        return (ALWAYS,)
    size = max(len(a.top), len(b.top))
    bottom = lcm(a.bottom, b.bottom)
    p, q = bottom // a.bottom, bottom // b.bottom
    left, right = (one.top + (0,) * (size - len(one.top)) for one in (a, b))
    return (tuple([p * x - q * y for x, y in zip(left, right, strict=True)]),)
