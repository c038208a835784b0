"""What a certificate of a proof says, as its checker reads it; :mod:`.check_proof` explains it.

It imports nothing of the package but :mod:`..reading`, and stands in the program that is printed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from reprlib import repr as short
from typing import Any, NamedTuple

from ..reading import Limits, fields, integer

MEANING = {
    "dominant": "no agent gains by declaring anything but her length, whatever the others declare",
    "ex-post": "no agent gains by declaring anything but her length while the others declare theirs",
    "rent-nonnegative": "the payments never sum to less than 0",
    "rent-nonnegative-in-equilibrium": "the payments of agents who declare their lengths never sum to less than 0",
    "budget-balanced": "the payments always sum to 0",
    "just": "an agent who declares her length never has her output later than if all declarations were true",
    "upper-margin": "utility is continuous where an agent's length rises to what she declares, the others truthful",
    "lower-margin": "utility is continuous where an agent's length falls to what she declares, the others truthful",
    "upper-margin-any-others": "utility is continuous where an agent's length rises to what she declares",
    "lower-margin-any-others": "utility is continuous where an agent's length falls to what she declares",
    "individually-rational": "no agent ends below 0 where everybody declares the truth",
    "individually-rational-any-others": "no agent ends below 0 who declares the truth",
    "accepts-every-input": "all declarations are accepted and every job ends",
    "feasible": "a schedule on machines of these powers can keep all output times",
    "priced-in-advance": "all payments are what they would be if all declarations were true",
    "payments-nonnegative": "nobody is ever paid",
}
for some, one in (("any-allocation", "dominant"), ("any-allocation-ex-post", "ex-post")):
    MEANING[some] = f"whichever listed allocation is chosen for which declarations, {MEANING[one]}"
ASSUMED = {
    "alike": "the mechanism treats agents alike (agent 1 stands for all)",
    "prepaid": "payments do not depend on lengths (declarations stand for them)",
    "punishing": "a job that never ends only punishes a lie (the jobs of truthful agents are looked at)",
}
LEFT = {"refuted": "Asked for and refuted", "open": "Asked for and left open"}
HONEST = ("ex-post", "any-allocation-ex-post", "upper-margin", "lower-margin", "individually-rational",
          "rent-nonnegative-in-equilibrium")  # fmt: skip
CROWD = 7  # most agents of whom "feasible" is shown: each set of them is looked at, in each order

Form = tuple[int, ...]
Ratio = tuple[int, int]
Amount = tuple[Form, int] | str  # form and denominator, "inf" or "-inf"


class Node(NamedTuple):
    """A question, or a leaf, with results unless it refuses.

    Where each answer leads, None: unfinished; two about one form: whether it is below zero; else which form is least.
    """

    forms: tuple[Form, ...] = ()
    ways: tuple[int | None, ...] = ()
    results: list[Amount | None] | None = None

    @property
    def refuses(self) -> bool:
        """Whether it is a leaf at which the declarations are refused."""
        return not self.ways and self.results is None

    def answers(self) -> Iterator[Iterable[tuple[Form, bool]]]:
        """Per answer what it says: forms, and whether each is below zero."""
        if len(self.ways) > len(self.forms):
            yield from ([(form, below)] for form in self.forms for below in (True, False))
            return
        for k, form in enumerate(self.forms):  # the least, the first of equals
            before = ((less(form, other), True) for other in self.forms[:k])
            yield itertools.chain(before, ((less(other, form), False) for other in self.forms[k + 1 :]))


def less(a: Form, b: Form) -> Form:
    """``a - b``."""
    return tuple([x - y for x, y in zip(a, b, strict=True)])


def ratio(x: Any) -> Ratio:
    """Numerator and denominator."""
    top, bottom = x
    return integer(top), integer(bottom, 1)


class Certificate:
    """What a certificate says; not whether that is so. Its errors are TypeError, ValueError and Stopped."""

    def __init__(self, data: Any, limits: Limits) -> None:
        self.limits = limits
        keys = ("format", "kind", "about", "agents", "values", "lengths", "statements", "trees", "lemmas")
        data = {"not_proved": {}} | data if type(data) is dict else data
        *proof, left = fields(data, *keys, "not_proved")
        number, kind, self.about, n, values, lengths, statements, trees, lemmas = proof
        if (integer(number), kind, type(self.about)) != (1, "proof", str):
            raise ValueError('expected format 1, kind "proof" and about as text')
        self.n, self.values = integer(n, 1), [ratio(v) for v in values]
        if len(self.values) != n:
            raise ValueError(f"expected {n} values, found {len(self.values)}")
        self.size = 1 + 2 * n
        start, end = fields(lengths, "from", "to")
        self.start, self.end = ratio(start), None if end is None else ratio(end)
        if self.start[0] < 0 or (
            self.end and (self.end[0] <= 0 or self.end[0] * self.start[1] < self.start[0] * self.end[1])
        ):
            raise ValueError("expected lengths with 0 <= from <= to and 0 < to")
        self.statements = [self.statement(one) for one in statements]
        self.trees = [[self.node(node, at, len(tree)) for at, node in enumerate(tree)] for tree in trees]
        self.lemmas = [self.lemma(*fields(m, "forms", "strict", "multipliers")) for m in lemmas]
        self.left: dict[str, str] = left
        if type(left) is not dict or any(one not in MEANING or left[one] not in LEFT for one in left):
            raise ValueError(f"expected statements that are known as {' or '.join(LEFT)}, found {short(left)}")
        if not self.statements or not self.trees or not all(self.trees):
            raise ValueError("expected at least one statement and one tree, and no empty tree")
        for tree in self.trees:
            below = [way for node in tree for way in node.ways if way is not None]
            if len(set(below)) < len(below):
                raise ValueError("expected a tree, found a node below two others")

    def statement(self, x: Any) -> tuple[str, list[str], list[Ratio], Ratio]:
        """A known name, what is assumed, the powers of machines, and what a lie may gain, as a multiple of a length."""
        keys = ("name", "assuming", "at_most", "powers")
        name, assumed, gain, powers = fields({"at_most": [0, 1], "powers": []} | x, *keys)
        most, of_lies = ratio(gain), name in ("dominant", "ex-post")
        if (
            name not in MEANING
            or any(one not in ASSUMED for one in assumed)
            or most[0] < 0
            or (most[0] and not of_lies)
        ):
            raise ValueError(f"expected a statement that is known, found {short(x)}")
        if "alike" in assumed and (len(set(self.values)) > 1 or name.startswith("any-allocation")):
            raise ValueError("expected agents of the same value, and no allocations, if agents are alike")
        fastest = [ratio(c) for c in powers]
        falling = all(a[0] * b[1] >= b[0] * a[1] > 0 for a, b in itertools.pairwise([*fastest, *fastest[-1:]]))
        if (name == "feasible") != bool(fastest) or not falling or (fastest and self.n > CROWD):
            raise ValueError(f"expected powers, the fastest first, for feasible of at most {CROWD} agents and no other")
        return name, assumed, fastest, most

    def form(self, x: Any) -> Form:
        """One integer for 1 and for every symbol."""
        if len(x) != self.size:
            raise ValueError(f"expected forms of {self.size} integers, found {short(x)}")
        self.limits.keep(lasting=100 + 8 * self.size)
        return tuple([integer(a) for a in x])

    def node(self, x: Any, at: int, n_nodes: int) -> Node:
        """A question, whose answers lead to later nodes, or a leaf."""
        if "test" in x or "least" in x:
            if "test" in x:
                test, *ways = fields(x, "test", "yes", "no")
                forms = [self.form(test)]
            else:
                least, ways = fields(x, "least", "then")
                forms = [self.form(f) for f in least]
                if len(ways) != len(forms) or not ways:
                    raise ValueError(f"expected one way for each of some forms, found {short(x)}")
            if any(way is not None and integer(way, at + 1) >= n_nodes for way in ways):
                raise ValueError(f"expected no node after {n_nodes - 1}, found {short(ways)}")
            return Node(tuple(forms), tuple(ways))
        if "refused" in x:
            fields(x, "refused")
            return Node()
        results = [self.result(y) for part in fields(x, "outputs", "payments") for y in part]
        if len(results) != 2 * self.n or len(x["outputs"]) != self.n:
            raise ValueError(f"expected outputs and payments of {self.n} agents, found {short(x)}")
        return Node(results=results)

    def result(self, x: Any) -> Amount | None:
        """A form with its denominator, "inf", "-inf" or null."""
        if x is None or (type(x) is str and x in ("inf", "-inf")):
            return x
        form, bottom = x
        return self.form(form), integer(bottom, 1)

    def lemma(self, forms: Any, strict: Any, multipliers: Any) -> list[tuple[Form, bool, int]]:
        """Rows: form, whether it is strict, multiplier."""
        if len(forms) != len(multipliers):
            raise ValueError(f"expected {len(forms)} multipliers, found {len(multipliers)}")
        which = {integer(k, 0) for k in strict}
        return [(self.form(f), k in which, integer(y)) for k, (f, y) in enumerate(zip(forms, multipliers, strict=True))]
