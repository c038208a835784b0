"""Certificates of proofs: written for anybody to check, and compared with the code that they are about.

A certificate is one JSON object, which :mod:`.check_proof` explains and checks without anything of this package:
decision trees, lemmas, and the names of the statements. :func:`replay_tree` then runs the code itself along every path
of the tree, and needs no solver for that: on a path, all comparisons are answered.

>>> from consortium.games.proofs.prover import prove
>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> rule = build("vcg-postpone", Cluster.of([1]))
>>> certificate = as_certificate([prove(rule, agents=2, method="code")])
>>> check(certificate).holds
True
>>> replay_tree(certificate, rule)
Replayed(paths=27, difference=None)
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd
from os import PathLike
from typing import Any, Final

from ...mechanisms.declaration.one_round import OneRound
from ...mechanisms.declaration.protocol import DeclarationMechanism
from ...support.errors import InputError, MechanismError, described
from ...support.files import write_packed
from ...support.progress import Clock
from ..reading import Limits, Refused, Stopped, Unreadable, load
from . import check_proof
from .execution import Entry, Execution, Least, Node, Program, Test, Tree
from .exploration import Lemma
from .programs import MechanismProgram
from .questions import Question
from .statements import BY_NAME, OF_PAYMENTS, Request
from .strategies import Proof, allocation_trees
from .symbols import primitive, written

FORMAT: Final = 1

ANY_ALLOCATION: Final = {"dominant": "any-allocation", "ex-post": "any-allocation-ex-post"}
"""Concepts proved on one tree for each allocation, and on a first one for a bound between truth and lies."""


# writing --------------------------------------------------------------------------------------------------------------


def write_certificate(
    proofs: Sequence[Proof], path: str | PathLike[str], about: str | None = None, not_proved: Sequence[Proof] = ()
) -> None:
    """Write the certificate of :func:`as_certificate` to a file, gzipped where its name ends in ``.gz``.

    The same proofs give the same bytes.
    """
    write_packed(path, text(as_certificate(proofs, about, not_proved)))


def text(certificate: Mapping[str, Any]) -> str:
    """The JSON of a certificate, with a line per node and per lemma."""
    lines = []
    for key, value in certificate.items():
        if key == "trees":
            body = f"[{', '.join(map(_lines, value))}]"
        else:
            body = _lines(value) if key == "lemmas" else json.dumps(value)
        lines.append(f"{json.dumps(key)}: {body}")
    return "{" + ",\n".join(lines) + "}\n"


def _lines(items: Sequence[Any]) -> str:
    return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in items) + "\n]"


def as_certificate(
    proofs: Sequence[Proof], about: str | None = None, not_proved: Sequence[Proof] = ()
) -> dict[str, Any]:
    """The certificate of proofs that hold, on the same trees, agents, values and lengths.

    Parameters
    ----------
    proofs
        Statements about one mechanism, of one :class:`.prover.Prover`.
    about
        What it is about, in words; by default the scope of the first proof.
    not_proved
        What was asked too, and is refuted or open: whoever checks the certificate is told.

    Raises
    ------
    InputError
        A proof is open or refuted, has nothing to certify, or is about something else than the others.
    """
    first = _certified(proofs)
    end = first.lengths.end
    lemmas = {
        _lemma(lemma, part.question, first.n_agents): None
        for proof in proofs
        for part in proof.parts
        for lemma in part.lemmas
    }
    return {
        "format": FORMAT,
        "kind": "proof",
        "about": proofs[0].scope if about is None else about,
        "agents": first.n_agents,
        "values": [list(value.as_integer_ratio()) for value in first.values],
        "lengths": {
            "from": list(first.lengths.start.as_integer_ratio()),
            "to": None if end is None else list(end.as_integer_ratio()),
        },
        "statements": [_statement(proof.request, len(proof.trees)) for proof in proofs if proof.request],
        "trees": [_nodes(tree, first.n_agents) for tree in proofs[0].trees],
        "lemmas": [
            {
                "forms": [list(form) for form, _, _ in lemma],
                "strict": [k for k, (_, strict, _) in enumerate(lemma) if strict],
                "multipliers": [y for _, _, y in lemma],
            }
            for lemma in lemmas
        ],
    } | ({"not_proved": {proof.statement: proof.status for proof in not_proved}} if not_proved else {})


def _certified(proofs: Sequence[Proof]) -> Request:
    """What the proofs are about, all of them alike but for the statement."""
    if not proofs:
        raise InputError("certificate: found no proof; expected at least one that holds")
    for proof in proofs:
        if not proof.holds or proof.request is None or not proof.trees:
            raise InputError(
                f"certificate: {proof.statement} is {proof.status} ({proof.limit or proof.method}); "
                "expected a proof on decision trees"
            )
    requests = [proof.request for proof in proofs if proof.request]
    alike = {(one.n_agents, one.values, str(one.lengths)) for one in requests}
    if len(alike) > 1 or any(proof.trees != proofs[0].trees for proof in proofs):
        raise InputError("certificate: found proofs about different things; expected proofs of one Prover")
    return requests[0]


def _statement(request: Request, n_trees: int) -> dict[str, Any]:
    """Name, and what is taken for granted of the mechanism where it matters; with several trees, any allocation."""
    if n_trees > 1:
        return {"name": ANY_ALLOCATION[request.statement], "assuming": []}
    of_all = request.statement in OF_PAYMENTS
    punishing = request.statement == "accepts-every-input" and request.kills_liars
    others = ("accepts-every-input", "feasible", "priced-in-advance")
    per_agent = punishing or not (of_all or request.statement in others)
    assumed = {
        "alike": request.anonymous and per_agent,
        "prepaid": request.in_advance and of_all and request.statement not in BY_NAME,
        "punishing": punishing,
    }
    statement: dict[str, Any] = {"name": request.statement, "assuming": [word for word, so in assumed.items() if so]}
    powers = [list(power.as_integer_ratio()) for power in sorted(request.powers, reverse=True)]
    statement |= {"at_most": list(request.at_most.as_integer_ratio())} if request.at_most else {}
    return statement | {"powers": powers} if powers else statement


def _lemma(lemma: Lemma, question: Question, n_agents: int) -> Lemma:
    """A lemma in the coordinates of the certificate, its rows in an order that does not depend on the search.

    They are 1, ``b_1 .. b_N``, ``theta_1 .. theta_N``; a lie of agent n is ``b_n``.
    """
    places = [0]
    for name in question.names:
        letters = name.rstrip("0123456789")
        places.append(int(name[len(letters) :]) + n_agents * (letters == "theta"))
    moved = []
    for vector, strict, multiplier in lemma:
        form = [0] * (1 + 2 * n_agents)
        for a, place in zip(vector, places, strict=True):
            form[place] = a
        moved.append((tuple(form), strict, multiplier))
    return tuple(sorted(moved, key=lambda row: (not row[1], row[0])))


def _nodes(tree: Tree, n_agents: int) -> list[dict[str, Any]]:
    """The nodes of a tree, each before those below it, "yes" before "no"."""
    nodes: list[dict[str, Any]] = []
    waiting: list[tuple[Node, Any, Any]] = [(tree.root, {}, "")]
    while waiting:
        node, above, answer = waiting.pop()
        item: dict[str, Any]
        if isinstance(node.test, Least):
            forms = [_wide(form, n_agents) for form in node.test.forms]
            item = {"least": forms, "then": [None] * len(forms)}
            waiting += [(node.children[k], item["then"], k) for k in sorted(node.children, reverse=True)]
        elif node.test is not None:
            item = {"test": _wide(node.test, n_agents), "yes": None, "no": None}
            waiting += [(node.children[k], item, "yes" if k else "no") for k in sorted(node.children)]
        elif node.results is not None:
            item = _leaf(node.results, n_agents)
        elif node.refusal is not None:
            item = {"refused": node.refusal}
        else:
            continue  # nobody has been there
        above[answer] = len(nodes)
        nodes.append(item)
    return nodes


def _leaf(results: Sequence[Entry], n_agents: int) -> dict[str, Any]:
    """Outputs and payments; a single result, a bound, is everybody's output time."""
    if len(results) == 1:
        results = [results[0]] * n_agents + [((0,), 1)] * n_agents
    written = [_result(one, n_agents) for one in results]
    return {"outputs": written[:n_agents], "payments": written[n_agents:]}


def _result(one: Entry, n_agents: int) -> Any:
    """A result in smallest numbers."""
    if one is None or isinstance(one, str):
        return one
    top, bottom = one
    common = gcd(bottom, *top)
    return [_wide([a // common for a in top], n_agents), bottom // common]


def _wide(form: Sequence[int], n_agents: int) -> list[int]:
    """A form over all symbols; code may have the first of them only."""
    return [*form, *[0] * (1 + 2 * n_agents - len(form))]


# checking -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Checked:
    """What the checker says of a certificate: whether it proves what it says, and that, or why not, in one sentence.

    ``holds`` is ``None`` where a limit was reached before.
    """

    holds: bool | None
    sentence: str


def check(certificate: str | PathLike[str] | Mapping[str, Any], limits: Limits | None = None) -> Checked:
    """Check a certificate, or the file that has it. Raises InputError where it is none.

    What holds is said of the tree in it; whether that is the mechanism, :func:`replay_tree` finds out.
    """
    limits = limits or Limits()
    try:
        data = dict(certificate) if isinstance(certificate, Mapping) else load(str(certificate), limits)
        return Checked(True, check_proof.check(data, limits))
    except Stopped as limit:
        return Checked(None, f"Not checked: {limit}.")
    except Refused as reason:
        return Checked(False, f"Refused: {reason}.")
    except Unreadable as reason:
        where = "certificate" if isinstance(certificate, Mapping) else certificate
        raise InputError(f"{where}: {reason}") from None


# the second replay ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Replayed:
    """How many paths of the trees were run, and the first on which the code does something else."""

    paths: int
    difference: str | None


def replay_tree(
    certificate: Mapping[str, Any], mechanism: DeclarationMechanism, clock: Clock | None = None
) -> Replayed:
    """Run a mechanism along every path of a checked certificate's tree, or under each allocation of its own tree.

    All comparisons on a path are answered as the path says. The code must ask for exactly them, in their order, and
    come to the results of the leaf: then the tree is the mechanism, wherever the tree has been. Raises InputError for
    trees of allocations and a mechanism that has none, TimeoutError when the clock runs out before.
    """
    trees, n, paths = certificate["trees"], certificate["agents"], 0
    programs: list[Program] = [MechanismProgram(mechanism, n)]
    if len(trees) > 1:
        if not isinstance(mechanism, OneRound):
            raise InputError(
                f"certificate: found trees of {len(trees) - 1} allocations; expected a rule that chooses one"
            )
        programs = [tree.program for tree in allocation_trees(mechanism, n)]
    if len(trees) != len(programs):
        return Replayed(0, f"there are {len(trees)} trees for {len(programs)} pieces of code")
    for k, (tree, program) in enumerate(zip(trees, programs, strict=True)):
        for at, path in _paths(tree):
            if clock is not None and clock.expired():
                raise TimeoutError(f"{paths:,} paths of the tree were run")
            paths += 1
            difference = _Guide(path, n).compare(program, tree[at])
            if difference is not None:
                return Replayed(paths, f"{difference} (tree {k}, node {at})")
    return Replayed(paths, None)


def _paths(tree: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, list[tuple[Test, int]]]]:
    """Every leaf by its number, with the tests on its path and their answers, until the next one is asked for."""
    path: list[tuple[Test, int]] = []
    waiting: list[tuple[int, int, list[tuple[Test, int]]]] = [(0, 0, [])]
    while waiting:
        at, depth, path[depth:] = waiting.pop()
        node = tree[at]
        test: Test
        if "test" in node:
            test, ways = primitive(tuple(node["test"])), [node["no"], node["yes"]]
        elif "least" in node:
            test, ways = Least(tuple([tuple(form) for form in node["least"]])), node["then"]
        else:
            yield at, path
            continue
        waiting += [(way, len(path), [(test, answer)]) for answer, way in enumerate(ways) if way is not None]


class _Guide:
    """Runs of code along a path, which answers its questions; the first thing that the code does otherwise is kept."""

    def __init__(self, path: Sequence[tuple[Test, int]], n_agents: int) -> None:
        self.path, self.n_agents = path, n_agents
        self.steps = 0
        self.difference: str | None = None

    def answer(self, test: Test) -> int:
        """The answer of the path; another question than that of the path is a difference."""
        wide: Test
        if isinstance(test, Least):
            wide = Least(tuple([tuple(_wide(form, self.n_agents)) for form in test.forms]))
        else:
            wide = tuple(_wide(test, self.n_agents))
        if self._expected() != wide:
            self._note(f"the code asks {self._question(wide)}, the tree {self._asks()}")
            raise _Lost
        answer = self.path[self.steps][1]
        self.steps += 1
        return answer

    def compare(self, program: Program, leaf: Mapping[str, Any]) -> str | None:
        """Run the code; the first difference from the path and its leaf, in words."""
        execution = Execution(program, self.answer)
        results: dict[str, Any] | None = None
        try:
            results = _leaf(execution.run(), self.n_agents)
        except Exception as error:  # answers that no numbers have may lead code anywhere
            if not isinstance(error, InputError) or isinstance(error, MechanismError):
                self._note(f"the code fails with {described(error)}")
        if self._expected() is not None:
            self._note(f"the code has ended, the tree {self._asks()}")
        if results is not None and execution.was_read and "refused" not in leaf:
            self._note("the code reads a symbolic number as text")
        return self.difference or self._at_leaf(results, leaf)

    def _at_leaf(self, results: dict[str, Any] | None, leaf: Mapping[str, Any]) -> str | None:
        """Where the results differ from those of the leaf."""
        if results is None:
            return None if "refused" in leaf else "the code refuses the declarations, the tree does not"
        if "refused" in leaf:
            return "the tree refuses the declarations, the code does not"
        for what, ours in results.items():
            for k, (own, theirs) in enumerate(zip(ours, leaf[what], strict=True), 1):
                if own != theirs:
                    about = f"among the {what}, for agent {k}"
                    return f"the code has {self._text(own)}, the tree {self._text(theirs)} {about}"
        return None

    def _note(self, difference: str) -> None:
        self.difference = self.difference or difference

    def _expected(self) -> Test | None:
        return self.path[self.steps][0] if self.steps < len(self.path) else None

    def _asks(self) -> str:
        expected = self._expected()
        return "has ended" if expected is None else f"asks {self._question(expected)}"

    def _question(self, test: Test) -> str:
        if isinstance(test, Least):
            return f"which of {', '.join(self._text([form, 1]) for form in test.forms)} is the least"
        return f"whether {self._text([test, 1])} is below zero"

    def _text(self, one: Any) -> str:
        """A result in words."""
        names = [f"{what}{k}" for what in ("b", "theta") for k in range(1, self.n_agents + 1)]
        return str(one) if one is None or isinstance(one, str) else written(one[0], one[1], names)


class _Lost(Exception):
    """The code left the path."""
