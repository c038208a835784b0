r"""What can be proved of a declaration mechanism for all lengths, as questions about cells.

Each statement (Agmon 2003, definitions 4.1 to 4.7, and :mod:`..verification.results`) becomes one question per
agent, for a lie one per side of the truth, because the truth itself is no lie. A question fixes its
coordinates, what is known of them, which runs are compared, and which forms must not be positive at their ends.

Coordinates: the constant 1, then ``theta_n``, the lie, and the others' declarations and lengths, as far as they differ.
A declaration that the mechanism refuses is outside its domain, and so is every comparison with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from math import lcm
from typing import Final, NamedTuple, TypeAlias

from ...support.errors import unknown_name
from .execution import Entry, Node
from .questions import ALL_LENGTHS, Lengths, Question, Run, Together, sparse_vector
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
    "feasible",
    "priced-in-advance",
    "payments-nonnegative",
    "upper-margin-any-others",
    "lower-margin-any-others",
)
STATEMENTS: Final = (*CONCEPTS, *PROPERTIES)
BY_NAME: Final = ("rent-nonnegative-in-equilibrium", "individually-rational-any-others")
"""Claims that are proved where somebody asks for them."""
OF_PAYMENTS: Final = ("rent-nonnegative", "rent-nonnegative-in-equilibrium", "budget-balanced", "payments-nonnegative")


@dataclass(frozen=True)
class Request:
    """A statement about a mechanism, with all that its questions depend on."""

    statement: str  # one of :data:`STATEMENTS` or :data:`BY_NAME`
    # n_agents, lengths: for how many agents, and which lengths and declarations
    n_agents: int
    lengths: Lengths = ALL_LENGTHS
    values: tuple[Fraction, ...] = ()  # V_n; default 0
    # names of a family's numbers, which are symbols too, the last coordinates; its results tell V_n
    parameters: tuple[str, ...] = ()
    # a job that never ends is no limit on input where its agent lied (``accepts-every-input``)
    kills_liars: bool = False
    # the mechanism treats agents alike, all of the same value: the first stands for all, with the others in order
    anonymous: bool = False
    in_advance: bool = False  # payments do not depend on lengths: nor do statements on them
    powers: tuple[Fraction, ...] = ()  # of the machines, for ``feasible``
    at_most: Fraction = Fraction(0)  # what a lie may gain, as a multiple of the liar's length, for a concept

    def questions(self) -> tuple[Question, ...]:
        """The questions that make the statement. Raises UnknownNameError for a statement that is none.

        >>> [(q.agent, q.side, q.names) for q in Request("ex-post", 1).questions()]
        [(0, 'below', ('theta1', 'lie1')), (0, 'above', ('theta1', 'lie1'))]
        """
        statement = self.statement
        if statement not in (*STATEMENTS, *BY_NAME):
            raise unknown_name("statement", statement, (*STATEMENTS, *BY_NAME))
        agents = range(1 if self.anonymous else self.n_agents)
        if statement in CONCEPTS:
            return tuple(self._lie(n, side) for n in agents for side in ("below", "above"))
        if statement in OF_PAYMENTS:
            return (self._payments(),)
        if statement in ("priced-in-advance", "feasible"):
            return (self._feasible() if statement == "feasible" else self._priced_in_advance(),)
        if statement == "accepts-every-input":
            return tuple(self._accepts(n) for n in (agents if self.kills_liars else [None]))
        if statement == "just":
            return tuple(self._just(n) for n in agents)
        if statement.startswith("individually-rational"):
            return tuple(self._rational(n) for n in agents)
        return tuple(self._margin(n) for n in agents)

    def _lie(self, n: int, side: str) -> Question:
        """Whether a lie on one side of the truth pays."""
        room = _Room(self, n, honest=self.statement == "ex-post", lie=True)
        runs = room.run(room.own), room.run(room.lie)
        truth, lie = (room.utility(run) for run in runs)

        def gain(leaves: Sequence[Node]) -> Entry:
            before, after = truth(leaves[0]), lie(leaves[1])
            return None if before is None or after is None else _less(after, before)

        borne = room.utility(runs[0], self.at_most)
        return replace(room.question(side, runs, [borne, lie], (1, 0)), gain=gain)

    def _payments(self) -> Question:
        """Whether nobody is ever paid, or the payments sum to no less than nothing, or to nothing."""
        room = _Room(self, None, honest=self.in_advance or self.statement.endswith("in-equilibrium"))
        fails = _differs if self.statement == "budget-balanced" else _exceeds

        def claim(results: Sequence[Results]) -> Forms:
            paid = results[0].payments
            amounts = paid if self.statement == "payments-nonnegative" else [_sum(paid)]
            return [form for amount in amounts for form in fails(_ZERO, amount)]

        return room.about_all((room.run(),), claim)

    def _priced_in_advance(self) -> Question:
        """Whether all payments are what they would be if all declarations were true."""
        room = _Room(self, None, honest=False)

        def claim(results: Sequence[Results]) -> Forms:
            pairs = zip(results[0].payments, results[1].payments, strict=True)
            return [form for one, other in pairs for form in _differs(one, other)]

        return room.about_all((room.planned(), room.run()), claim)

    def _feasible(self) -> Question:
        """Whether a schedule can keep the output times: no jobs are more than the machines can do by then.

        The most that they can do is that of the machines given to the jobs in the best way
        (:mod:`...scheduling.deadlines`): jobs are too much where they are in each of these ways, all at once.
        """
        room, fastest = _Room(self, None, honest=False), sorted(self.powers, reverse=True)

        def claim(results: Sequence[Results]) -> Forms:
            times = {k: one for k, one in enumerate(results[0].output) if isinstance(one, tuple)}
            sets = [jobs for size in range(1, len(times) + 1) for jobs in combinations(times, size)]
            return [Together(tuple(sorted({*overdue(jobs, times)}))) for jobs in sets]

        def overdue(jobs: Sequence[int], times: Mapping[int, tuple[Vector, int]]) -> Iterator[Vector]:
            work: Entry = sparse_vector(room.size, {room.lengths[k]: 1 for k in jobs}), 1
            for order in permutations(jobs, min(len(jobs), len(fastest))):
                ways = [(c, *times[k]) for c, k in zip(fastest, order, strict=False)]
                done = [(tuple([c.numerator * a for a in top]), c.denominator * bottom) for c, top, bottom in ways]
                yield from _exceeds(_sum([work]), _sum(done))

        return room.about_all((room.run(),), claim)

    def _accepts(self, n: int | None) -> Question:
        """Whether every declaration is taken and every job ends: everybody's, or that of a truthful agent."""
        room = _Room(self, n, honest=False)
        watched = range(self.n_agents) if n is None else (n,)

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            results = leaves[0].results
            return (ALWAYS,) if results is None or any(results[k] == "inf" for k in watched) else ()

        return replace(room.question("", (room.run(room.own),), []), claim=claim)

    def _just(self, n: int) -> Question:
        """Whether a truthful agent has her output no later than planned, whatever the others do."""
        room = _Room(self, n, honest=False)
        runs = room.planned(), room.run(room.own)
        return room.question("", runs, [_Reading(lambda results: results[n], run, room.size) for run in runs], (1, 0))

    def _margin(self, n: int) -> Question:
        """Whether utility is continuous where the length comes near the declaration, from below or above."""
        room = _Room(self, n, honest=not self.statement.endswith("any-others"))
        runs = room.run(room.own), room.run(room.own, -1 if self.statement.startswith("upper") else 1)
        return room.question("", runs, [room.utility(run) for run in runs], (0, 1), (1, 0))

    def _rational(self, n: int) -> Question:
        """Whether a truthful agent never ends below nothing, among truthful others or any."""
        room = _Room(self, n, honest=not self.statement.endswith("any-others"))
        run = room.run(room.own)
        return room.question("", (run,), [room.utility(run)], (-1, 0))

    def bound(self, n: int, side: str, code: int) -> Question:
        """Whether under one piece of code the truth is worth no less, or a lie no more, than V minus S."""
        lies = side != "truth"
        room = _Room(self, n, honest=self.statement == "ex-post", lie=lies)
        run = replace(room.run(room.lie if lies else room.own), code=code)
        best = Run(room.run(room.own).places[: 1 + self.n_agents])
        limit = _Reading(lambda results: _less(_ZERO, _sum(results[:1])), best, room.size)
        return room.question(side, (run, best), [room.utility(run), limit], (0, 1) if lies else (1, 0))


def bounds(concept: str, n_agents: int, lengths: Lengths, codes: Sequence[int]) -> tuple[Question, ...]:
    """Whether a number stands between truth and lies: the questions that imply a concept without comparing two runs.

    Truth is worth no less than ``V_n - S(theta_n, b_-n)``, and a lie no more; V_n is the same, so 0 does. Code 0 is S,
    the others are mechanisms: where one of them says what a mechanism does with the truth and another what it does with
    the lie, both are bound.

    >>> [(q.agent, q.side, q.names) for q in bounds("ex-post", 1, Lengths(), [1])][:2]
    [(0, 'truth', ('theta1',)), (0, 'below', ('theta1', 'lie1'))]
    """
    request, sides = Request(concept, n_agents, lengths), ("truth", "below", "above")
    return tuple(request.bound(n, side, code) for code in codes for n in range(n_agents) for side in sides)


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
    moved = (*order, *[n_agents + n for n in order])
    runs = Run(tuple(range(size))), Run((0, *[1 + n for n in moved]))

    def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
        here, there = leaves[0].results, leaves[1].results
        if here is None or there is None:
            return () if here is there else (ALWAYS,)
        forms: list[Vector] = []
        for n, k in enumerate(moved):
            if (here[k] is None) != (there[n] is None):
                return (ALWAYS,)
            forms += _differs(_placed(_sum([here[k]]), runs[0], size), _placed(_sum([there[n]]), runs[1], size))
        return forms

    return Question(None, "anonymous", names, lengths.rows(size), runs, claim)


class _Room:
    """The coordinates of one question, the runs in them, and what their ends say.

    ``n``: the agent whose declaration is her length, None for nobody; ``honest``: whether the others' are too, or
    everybody's when ``n`` is None; ``lie``: whether she also declares something else.
    """

    def __init__(self, request: Request, n: int | None, *, honest: bool, lie: bool = False) -> None:
        self.request, self.n = request, n
        names: list[str] = []

        def place(name: str) -> int:
            names.append(name)
            return len(names)

        self.own = 0 if n is None else place(f"theta{n + 1}")
        self.lie = place(f"lie{n + 1}") if lie and n is not None else 0
        others = [k for k in range(request.n_agents) if k != n]
        self.lengths = {k: place(f"theta{k + 1}") for k in others}
        self.declared = dict(self.lengths) if honest else {k: place(f"b{k + 1}") for k in others}
        self.parameters = tuple([place(name) for name in request.parameters])
        self.names = tuple(names)
        self.size = 1 + len(names)

    def run(self, declares: int = 0, perturbation: int | None = None) -> Run:
        """Everybody declares what she declares, agent ``n`` the coordinate ``declares``; true lengths run."""
        agents = range(self.request.n_agents)
        declared = [declares if k == self.n else self.declared[k] for k in agents]
        lengths = [self.own if k == self.n else self.lengths[k] for k in agents]
        moves = None
        if perturbation is not None:
            move = [perturbation if k == self.n else 0 for k in agents]
            moves = (0, *[0] * len(agents), *move, *[0] * len(self.parameters))
        return Run((0, *declared, *lengths, *self.parameters), moves)

    def planned(self) -> Run:
        """As if everybody's length were what she declares."""
        declared = self.run(self.own).places[1 : 1 + self.request.n_agents]
        return Run((0, *declared, *declared, *self.parameters))

    def utility(self, run: Run, more: Fraction = Fraction(0)) -> _Reading:
        """``V - T - P`` of agent ``n``; 0 if she left, minus infinity for a job never done.

        ``more``: with this multiple of her length added.
        """
        n, n_agents = self.n, self.request.n_agents
        assert n is not None
        value = self.request.values[n] if self.request.values else Fraction(0)
        constant: Amount = (value.numerator,), value.denominator
        missing: Amount = sparse_vector(1 + 2 * n_agents, {1 + n_agents + n: -more.numerator}), more.denominator

        def amount(results: Sequence[Entry]) -> Amount:
            if results[n] is None or results[n] == "inf":
                return _less(_ZERO, missing) if results[n] is None else "-inf"
            worth = _sum(results[2 * n_agents + n :][:1]) if self.parameters else constant
            return _less(_less(worth, missing), _sum((results[n], results[n_agents + n])))

        return _Reading(amount, run, self.size)

    def about_all(self, runs: tuple[Run, ...], claim: Callable[[Sequence[Results]], Forms]) -> Question:
        """What is claimed of everybody's results at the ends of the runs, where none of them refuses."""
        n_agents = self.request.n_agents

        def placed(leaf: Node, run: Run) -> Results:
            results = leaf.results or ()
            amounts = [_placed(_sum([one]), run, self.size) for one in results]
            output = [None if one is None else amount for one, amount in zip(results, amounts, strict=True)]
            return Results(output[:n_agents], amounts[n_agents : 2 * n_agents])

        def forms(leaves: Sequence[Node]) -> Forms:
            if any(leaf.results is None for leaf in leaves):
                return ()
            return claim([placed(leaf, run) for leaf, run in zip(leaves, runs, strict=True)])

        return replace(self.question("", runs, []), claim=forms)

    def question(
        self, side: str, runs: tuple[Run, ...], readings: Sequence[_Reading], *pairs: tuple[int, int]
    ) -> Question:
        """Whether at the ends of the runs, of each pair of readings, the first exceeds not the second; -1 reads 0.

        ``side``: ``"below"`` or ``"above"``, where a lie is on that side of the truth. Where agents are alike the
        others stand by increasing declaration.
        """
        request, rows = self.request, self.request.lengths.rows(self.size, len(self.parameters))
        if self.lie:
            sign = 1 if side == "below" else -1
            rows = (*rows, (sparse_vector(self.size, {self.own: sign, self.lie: -sign}), True))
        if request.anonymous and self.n is not None:
            others = pairwise(self.declared.values())
            rows = (*rows, *[(sparse_vector(self.size, {a: -1, b: 1}), False) for a, b in others])

        def claim(leaves: Sequence[Node]) -> Sequence[Vector]:
            amounts = [reading(leaf) for reading, leaf in zip(readings, leaves, strict=True)]
            values = [amount for amount in amounts if amount is not None]
            if len(values) < len(amounts):
                return ()
            values.append(_ZERO)
            return [form for a, b in pairs for form in _exceeds(values[a], values[b])]

        return Question(self.n, side, self.names, rows, runs, claim)


Amount: TypeAlias = tuple[Vector, int] | str
"""A form with its denominator, or ``"inf"`` or ``"-inf"``."""
Forms: TypeAlias = Sequence[Vector | Together]


class Results(NamedTuple):
    """Everybody's results at the end of a run, in the question's coordinates; no output of who has left."""

    output: Sequence[Amount | None]
    payments: Sequence[Amount]


ALWAYS: Final[Vector] = (1,)
"""The constant 1: positive everywhere."""

_ZERO: Final = ((0,), 1)


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
    return tuple(map(sum, zip(*scaled, strict=True))), bottom


class _Reading:
    """What the leaves of one run say, in the question's coordinates, each worked out once; no perturbation: a limit.

    None where the code refuses its input, or ``amount`` is None.
    """

    def __init__(self, amount: Callable[[Sequence[Entry]], Amount | None], run: Run, size: int) -> None:
        self._amount, self._run, self._size = amount, run, size
        self._amounts: dict[Node, Amount | None] = {}

    def __call__(self, leaf: Node) -> Amount | None:
        if leaf not in self._amounts:
            amount = None if leaf.results is None else self._amount(leaf.results)
            self._amounts[leaf] = None if amount is None else _placed(amount, self._run, self._size)
        return self._amounts[leaf]


def _placed(amount: Amount, run: Run, size: int) -> Amount:
    """An amount of a run in the question's coordinates."""
    return amount if isinstance(amount, str) else (run.vector(amount[0], size), amount[1])


def _less(a: Amount, b: Amount) -> Amount:
    """``a - b``, unless both are infinite."""
    if isinstance(b, str):
        return {"inf": "-inf", "-inf": "inf"}[b]
    if isinstance(a, str):
        return a
    size = max(len(a[0]), len(b[0]))
    bottom = lcm(a[1], b[1])
    p, q = bottom // a[1], bottom // b[1]
    left, right = (top + (0,) * (size - len(top)) for top, _ in (a, b))
    return tuple([p * x - q * y for x, y in zip(left, right, strict=True)]), bottom


def _differs(a: Amount, b: Amount) -> tuple[Vector, ...]:
    """The forms one of which is positive where two amounts differ."""
    return (*_exceeds(a, b), *_exceeds(b, a))


def _exceeds(a: Amount, b: Amount) -> tuple[Vector, ...]:
    """The form that is positive where ``a`` exceeds ``b``; none where it never does."""
    if a == "-inf" or b == "inf":
        return ()  # so neither of two equal infinities exceeds the other
    difference = _less(a, b)
    return (ALWAYS,) if isinstance(difference, str) else (difference[0],)
