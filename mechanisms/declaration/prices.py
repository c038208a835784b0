r"""Payments known in advance: what a truthful agent bears in all, in time and money, and what of it she pays.

Model. The *full price* of agent ``n`` is ``C_n(b) = E_n(b) + P_n(b)``, planned time plus payment, a function of the
declarations. Others truthful, an overstater bears ``C_n`` of her lie and an understater that and a delay besides. So
the truth is best where ``C_n`` never falls as ``b_n`` rises, and rises no faster than job control makes an
understater wait. With ``v_1 <= v_2 <= ...`` the multipliers ``i/c_m``, ``b_(1) >= b_(2) >= ...`` and ``b_(N+1) = 0``:

=================  ====================================================================================
``vcg``            the sum of all planned times
``evcg``           ``S(b)``, the smallest sum of output times
``shapley-share``  ``sum over j >= r of (b_(j) - b_(j+1)) (v_1 + .. + v_j)/j``, ``r`` the place of ``b_n``:
                   her Shapley value in the game ``K -> S(b_K)`` on the same machines; they sum to ``S(b)``
``equal-share``    ``S(b)/N``
``full-time``      ``(sum of all b)/c_max``: as if all jobs ran one after the other on the fastest machine
``bystander``      ``(b_n + sum over pairs {i, j} without n of b_first/(N - 2))/c`` on one machine of power ``c``;
                   the first of a pair is the one that an index of its own puts first
=================  ====================================================================================

A *designed* price is a :class:`Formula` for everybody or one each (:class:`OwnFormulas`), or a :class:`Table` on a
finite domain.

>>> of = Quantities.of(Cluster.of([1]), (Fraction(1), Fraction(10)))
>>> [(name, *map(str, payments(name, of))) for name in ("evcg", "shapley-share", "equal-share", "full-time")]
[('evcg', '11', '1'), ('shapley-share', '1/2', '-1/2'), ('equal-share', '5', '-5'), ('full-time', '10', '0')]
>>> Formula("max(own, other(1)) - E/2").payments(of)
(Fraction(19, 2), Fraction(9, 2))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import Any, ClassVar, Final, Literal, NamedTuple, TypeAlias

from ...scheduling.allocations import Allocation
from ...scheduling.arithmetic import Expression
from ...scheduling.clusters import Cluster, check_lengths, integer_times
from ...scheduling.sums import optimal_sum, smallest_multipliers, sum_allocation
from ...support.errors import InputError, quote
from ...support.exact import rational, total
from ...support.expressions import ARITHMETIC, Tree, read
from ...support.loading import optional


@dataclass(frozen=True)
class Quantities:
    """What a price known in advance may depend on.

    Attributes
    ----------
    cluster, declared
        Machines and declarations.
    allocation
        Who runs where.
    planned
        Planned output times ``E_n``.
    least
        ``S(b)``.
    """

    cluster: Cluster
    declared: tuple[Fraction, ...]
    allocation: Allocation
    planned: tuple[Fraction, ...]
    least: Fraction

    @classmethod
    def of(cls, cluster: Cluster, declared: tuple[Fraction, ...], allocation: Allocation | None = None) -> Quantities:
        """Those of an allocation, by default the one of least sum."""
        chosen = sum_allocation(cluster, declared) if allocation is None else allocation
        ends = tuple(chosen.end_times(cluster, declared))
        return cls(cluster, declared, chosen, ends, optimal_sum(cluster, declared))

    @cached_property
    def ranking(self) -> tuple[int, ...]:
        """The agents, longest declaration first."""
        return tuple(sorted(range(len(self.declared)), key=lambda n: -self.declared[n]))


def _shapley_share(of: Quantities) -> Sequence[Fraction]:
    per_work, unit = integer_times(of.cluster)
    sums = list(accumulate(smallest_multipliers(per_work, len(of.declared))))
    prices, bears, below = [Fraction(0)] * len(sums), Fraction(0), Fraction(0)
    for place in range(len(sums), 0, -1):
        n = of.ranking[place - 1]
        bears += (of.declared[n] - below) * Fraction(sums[place - 1], place * unit)
        prices[n], below = bears, of.declared[n]
    return prices


def _bystander(of: Quantities) -> Sequence[Fraction]:
    """Of all who run before others, each one's length once for everybody behind her but the agent herself."""
    if len(of.declared) < 3:
        raise InputError(f"mechanism.rule: 'bystander' needs at least three agents, found {len(of.declared)}")
    (order,), n_agents = of.allocation.lists, len(of.declared)
    behind = {n: n_agents - 1 - place for place, n in enumerate(order)}
    waiting, before = total([of.declared[n] * behind[n] for n in order]), Fraction(0)
    prices = [Fraction(0)] * n_agents
    for n in order:
        own = of.declared[n]
        prices[n] = (own + (waiting - own * behind[n] - before) / (n_agents - 2)) / of.cluster.powers[0]
        before += own
    return prices


def _common(price: Callable[[Quantities], Fraction]) -> Callable[[Quantities], Sequence[Fraction]]:
    return lambda of: [price(of)] * len(of.declared)


FULL_PRICES: Final[Mapping[str, Callable[[Quantities], Sequence[Fraction]]]] = {
    "vcg": _common(lambda of: total(of.planned)),
    "evcg": _common(lambda of: of.least),
    "shapley-share": _shapley_share,
    "equal-share": _common(lambda of: of.least / max(len(of.declared), 1)),
    "full-time": _common(lambda of: total(of.declared) / max(of.cluster.powers)),
    "bystander": _bystander,
}
"""Payment plus planned time of everybody, by the payment's name."""


def payments(name: str, of: Quantities) -> tuple[Fraction, ...]:
    """What everybody pays: her full price minus her planned time."""
    return tuple(price - end for price, end in zip(FULL_PRICES[name](of), of.planned, strict=True))


# designed prices -----------------------------------------------------------------------------------------------------

NAMES: Final[Mapping[str, Callable[[Quantities, int], Fraction]]] = {
    "S": lambda of, n: of.least,
    "W": lambda of, n: total(of.planned),
    "E": lambda of, n: of.planned[n],
    "own": lambda of, n: of.declared[n],
    "all": lambda of, n: total(of.declared),
}
"""What a formula may speak of besides ``other(k)``, by name."""
LATEX: Final[Mapping[str, str]] = {
    "S": "S(b)",
    "W": r"\left(\sum_k E_k(b)\right)",
    "E": "E_n(b)",
    "own": "b_n",
    "all": r"\left(\sum_k b_k\right)",
    "other": "b_{-n}^{(%s)}",
}
"""How papers write these, for agent n."""
PRICES: Final = replace(
    ARITHMETIC,
    operators={sign: level for sign, level in ARITHMETIC.operators.items() if sign in ("+", "-", "*", "/")},
    functions={"max": 0, "min": 0, "other": 1},
    operand="a number, one of S, W, E, own, all, other(k), max(..), min(..), or '('",
)


@dataclass(frozen=True)
class Formula:
    """A payment as a piecewise-linear expression in :data:`NAMES` and the others' declarations; parsed, never run.

    ``other(k)`` is the k-th longest declaration of the others. Raises InputError for anything else than sums, multiples
    and fractions of them, ``max`` and ``min``, with its column; ``where`` is what errors call it. Penalties may be
    formulas too, see :mod:`.penalties`.

    >>> Formula("S / own")
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: mechanism.price, column 3: found a quotient by a quantity; expected a number \
to divide by, so that it is piecewise linear
    """

    text: str
    where: str = field(default="mechanism.price", repr=False, compare=False)
    for_all_lengths: ClassVar[bool] = True
    anonymous: ClassVar[Literal[True]] = True
    parsed: Expression = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        others = set[int]()
        tree = _piecewise_linear(read(self.text, NAMES, PRICES, self.where), self.where, others)[0]
        names = (*NAMES, *(f"other({k})" for k in sorted(others)))
        object.__setattr__(self, "parsed", Expression(self.text, names, tree))

    def check(self, n_agents: int) -> None:
        """Raise InputError where it speaks of more others than there are."""
        for k in self._others:
            if k >= n_agents:
                most = f"'other' with a number from 1 to {n_agents - 1}" if n_agents > 1 else "no 'other'"
                agents = f"{n_agents} agents" if n_agents > 1 else "one agent"
                raise InputError(f"{self.where}: found other({k}) with {agents}; expected {most}")

    def to_sympy(self) -> Any:
        """The price in sympy: symbols named as in the text, with ``Max`` and ``Min``; see :meth:`piecewise`."""
        sympy = optional("sympy", "formulas")

        return _in_sympy(self.parsed.tree, sympy)

    def piecewise(self) -> Any:
        """The price in sympy, with ``Piecewise`` for every maximum and minimum.

        >>> Formula("max(own, E)/2 - E").piecewise()
        -E + Piecewise((E, E >= own), (own, True))/2
        """
        sympy = optional("sympy", "formulas")

        return self.to_sympy().rewrite(sympy.Piecewise)

    def to_latex(self) -> str:
        r"""The price of agent n as mathematics; :data:`LATEX` has its letters.

        >>> print(Formula("S/2 - E + max(own, other(1))").to_latex())
        - E_n(b) + \frac{S(b)}{2} + \max\left(b_{-n}^{(1)}, b_n\right)
        """
        sympy = optional("sympy", "formulas")

        price = self.to_sympy()
        names = {symbol: LATEX.get(symbol.name) or LATEX["other"] % symbol.name[6:-1] for symbol in price.free_symbols}
        return str(sympy.latex(price, symbol_names=names))

    @cached_property
    def _others(self) -> tuple[int, ...]:
        return tuple(int(name[6:-1]) for name in self.parsed.names[len(NAMES) :])

    def payments(self, of: Quantities) -> tuple[Fraction, ...]:
        """What everybody pays."""
        self.check(len(of.declared))
        return tuple(
            Fraction(self.parsed.value([*(own(of, n) for own in NAMES.values()), *self._ranked(of, n)]))
            for n in range(len(of.declared))
        )

    def _ranked(self, of: Quantities, agent: int) -> list[Fraction]:
        ranked = [of.declared[n] for n in of.ranking if n != agent] if self._others else []
        return [ranked[k - 1] for k in self._others]


def _piecewise_linear(node: Tree, where: str, others: set[int]) -> tuple[Tree, bool]:
    """The tree with ``other(k)`` as a name, and whether it is a number; ``others`` receives the numbers k."""
    kind = node[0]
    if kind in ("number", "name"):
        return node, kind == "number"
    if kind == "other":
        (argument,) = node[1]
        if argument[0] != "number" or argument[1].denominator != 1 or not 1 <= argument[1] < 10_000:
            raise InputError(f"{where}: found 'other' of no small whole number; expected other(1), other(2), ...")
        others.add(int(argument[1]))
        return ("name", f"other({argument[1]})"), False
    if kind == "-":
        part, constant = _piecewise_linear(node[1], where, others)
        return ("-", part), constant
    if kind == "/":
        (top, constant), (bottom, fixed) = (_piecewise_linear(part, where, others) for part in node[1:3])
        if not fixed:
            raise InputError(
                f"{where}, column {node[3]}: found a quotient by a quantity; expected a number to divide by, so that "
                "it is piecewise linear"
            )
        if Expression("", (), bottom).value([]) == 0:
            raise InputError(f"{where}, column {node[3]}: division by zero")
        return ("/", top, bottom, node[3]), constant
    parts = [_piecewise_linear(part, where, others) for part in node[1]]
    if kind == "*" and sum(not constant for _, constant in parts) > 1:
        raise InputError(
            f"{where}, column {node[2]}: found a product of two quantities; expected multiples by numbers, so that it "
            "is piecewise linear"
        )
    return (kind, tuple(part for part, _ in parts), *node[2:]), all(constant for _, constant in parts)


def _in_sympy(node: Tree, sympy: Any) -> Any:
    """A tree as an expression of sympy."""
    kind = node[0]
    if kind == "number":
        return sympy.Rational(node[1].numerator, node[1].denominator)
    if kind == "name":
        return sympy.Symbol(node[1], real=True)
    if kind == "-":
        return -_in_sympy(node[1], sympy)
    if kind == "/":
        return _in_sympy(node[1], sympy) / _in_sympy(node[2], sympy)
    make = {"+": sympy.Add, "*": sympy.Mul, "max": sympy.Max, "min": sympy.Min}[kind]
    return make(*(_in_sympy(part, sympy) for part in node[1]))


@dataclass(frozen=True)
class OwnFormulas:
    """Prices with a formula for each agent.

    >>> OwnFormulas.of(["S/2 - E", "S - E"]).payments(Quantities.of(Cluster.of([1]), (Fraction(1), Fraction(10))))
    (Fraction(5, 1), Fraction(1, 1))
    """

    formulas: tuple[Formula, ...]
    for_all_lengths: ClassVar[bool] = True
    anonymous: ClassVar[Literal[False]] = False

    def piecewise(self) -> tuple[Any, ...]:
        """The prices in sympy, in the agents' order, see :meth:`Formula.piecewise`."""
        return tuple(formula.piecewise() for formula in self.formulas)

    @classmethod
    def of(cls, texts: Iterable[str]) -> OwnFormulas:
        """From their texts, in the agents' order."""
        return cls(tuple(map(Formula, texts)))

    def check(self, n_agents: int) -> None:
        """Raise InputError for another number of agents, or of others in one of them."""
        if len(self.formulas) != n_agents:
            raise InputError(f"mechanism.price: found {len(self.formulas)} for {n_agents} agents; expected one each")
        for formula in self.formulas:
            formula.check(n_agents)

    def payments(self, of: Quantities) -> tuple[Fraction, ...]:
        """What everybody pays."""
        self.check(len(of.declared))
        return tuple(formula.payments(of)[n] for n, formula in enumerate(self.formulas))


class Row(NamedTuple):
    """Of one declaration profile: payments, and each machine's agents in order where that was designed too."""

    declared: tuple[Fraction, ...]
    payments: tuple[Fraction, ...]
    allocation: Allocation | None = None


@dataclass(frozen=True)
class Table:
    """Payments, and perhaps allocations, profile by profile; other profiles are refused.

    >>> table = Table.of([{"declarations": {"ann": 1, "bob": 2}, "payments": {"ann": 0, "bob": "1/2"}}])
    >>> table.row((Fraction(1), Fraction(2))).payments
    (Fraction(0, 1), Fraction(1, 2))
    >>> table.row((Fraction(2), Fraction(2)))
    Traceback (most recent call last):
        ...
    consortium.support.errors.InputError: mechanism.table: found no row for the declarations (2, 2); expected one of \
the table's 1 profiles
    """

    rows: tuple[Row, ...]
    for_all_lengths: ClassVar[bool] = False
    anonymous: ClassVar[Literal[False]] = False

    @classmethod
    def of(cls, rows: Iterable[Mapping[str, Any]]) -> Table:
        """From rows ``{declarations, payments}``, perhaps with an ``allocation``; numbers by agent, or in order.

        An allocation lists each machine's agents in order, by name or by number from 1. Raises InputError for a row
        without them, for another number of agents, and for a profile that comes twice.
        """
        read = [_row(row, f"mechanism.table[{i}]") for i, row in enumerate(rows, 1)]
        if not read:
            raise InputError("mechanism.table: found no rows; expected at least one")
        seen: dict[tuple[Fraction, ...], int] = {}
        for i, row in enumerate(read, 1):
            if (n := len(row.declared)) != (most := len(read[0].declared)):
                raise InputError(f"mechanism.table[{i}]: found {n} agents; expected {most}, as in the first row")
            if (first := seen.setdefault(row.declared, i)) != i:
                raise InputError(f"mechanism.table[{i}]: found the profile of row {first} again; expected each once")
        return cls(tuple(read))

    @cached_property
    def _by_profile(self) -> dict[tuple[Fraction, ...], Row]:
        return {row.declared: row for row in self.rows}

    def check(self, n_machines: int) -> None:
        """Raise InputError for an allocation to another number of machines."""
        for i, row in enumerate(self.rows, 1):
            if row.allocation is not None and len(row.allocation.lists) != n_machines:
                raise InputError(
                    f"mechanism.table[{i}].allocation: found {len(row.allocation.lists)} lists; expected one per "
                    f"machine, {n_machines}"
                )

    def row(self, declared: tuple[Fraction, ...]) -> Row:
        """The row of a profile, or InputError."""
        if declared not in self._by_profile:
            profile = ", ".join(map(str, declared))
            raise InputError(
                f"mechanism.table: found no row for the declarations ({profile}); expected one of the table's "
                f"{len(self.rows)} profiles"
            )
        return self._by_profile[declared]

    def payments(self, of: Quantities) -> tuple[Fraction, ...]:
        """What everybody pays."""
        return self.row(of.declared).payments

    def beyond(self) -> tuple[Fraction, ...]:
        """Declarations that the table refuses: of its first profile, but with more than anybody declares."""
        longest = max(b for row in self.rows for b in row.declared)
        return (longest + 1, *self.rows[0].declared[1:])


Price: TypeAlias = Formula | OwnFormulas | Table
"""Designed payments."""
_KEYS: Final = ("declarations", "payments", "allocation")


def _row(row: Mapping[str, Any], where: str) -> Row:
    if not isinstance(row, Mapping) or not {"declarations", "payments"} <= {*row} <= {*_KEYS}:
        raise InputError(f"{where}: found {quote(row)}; expected a table with declarations and payments")
    names = [*row["declarations"]] if isinstance(row["declarations"], Mapping) else None
    declared = check_lengths(_numbers(row["declarations"], names, f"{where}.declarations"), f"{where}.declarations")
    paid = _numbers(row["payments"], names, f"{where}.payments")
    if len(paid) != len(declared):
        raise InputError(f"{where}.payments: found {len(paid)} for {len(declared)} agents; expected one each")
    lists = row.get("allocation")
    if lists is None:
        return Row(declared, paid)
    places = {name: n for n, name in enumerate(names or ())}
    try:
        machines = tuple(tuple(places[who] if who in places else who - 1 for who in machine) for machine in lists)
        allocation = Allocation(machines)
    except (TypeError, InputError):
        allocation = None
    if allocation is None or allocation.n_jobs != len(declared):
        raise InputError(
            f"{where}.allocation: found {quote(lists)}; expected each machine's agents in order, by name or by number "
            f"from 1, everybody once"
        )
    return Row(declared, paid, allocation)


def _numbers(values: Any, names: Sequence[str] | None, where: str) -> tuple[Fraction, ...]:
    """One number per agent, in the agents' order."""
    if isinstance(values, Mapping):
        if names is None or {*values} != {*names}:
            raise InputError(f"{where}: found {quote(list(values))}; expected the agents of the declarations")
        values = [values[name] for name in names]
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise InputError(f"{where}: found {quote(values)}; expected one number per agent")
    return tuple(rational(value, f"{where}[{n}]") for n, value in enumerate(values, 1))
