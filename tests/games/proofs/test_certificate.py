"""Certificates: what is proved is accepted by the checker and replays; what is changed is refused, or is still true."""

from __future__ import annotations

import ast
import copy
import functools
import gzip
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import consortium
from consortium.cli.app import ended
from consortium.cli.exits import STOPPED
from consortium.games.proofs import check_proof
from consortium.games.proofs.certificate import as_certificate, check, replay_tree, text, write_certificate
from consortium.games.proofs.prover import Prover, prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.statements import BY_NAME, STATEMENTS
from consortium.games.reading import Limits, Refused, Stopped, Unreadable
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.protocol import Outcome
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan
from consortium.support.errors import InputError
from consortium.support.exact import INF
from consortium.support.progress import Clock

from ..stand_alone import checker, needs_only_python
from .hostile import HOSTILE
from .random_rules import fails_on

CHECKER = checker("proof")
RULES = ("vcg-postpone", "vcg-renice", "evcg-postpone", "verified", "light-vcg", "harsh")


@dataclass
class Posted:
    """Serves nobody who declares more than the price, refuses what is too long, and takes the price of the others."""

    price: Fraction = Fraction(2)
    limit: Fraction | None = None
    anonymous: bool = True
    cluster: Cluster = field(default_factory=lambda: Cluster.of([1, 1]))

    def run(self, declared: Any, lengths: Any) -> Outcome:
        if self.limit is not None and any(b > self.limit for b in declared):
            raise InputError("too long")
        served = [b <= self.price for b in declared]
        output = tuple(theta if s else None for s, theta in zip(served, lengths, strict=True))
        payments = tuple(self.price - theta if s else Fraction(0) for s, theta in zip(served, lengths, strict=True))
        return Outcome(output, payments)


@dataclass
class Killer:
    """In order of declaration, no payments; who lies is killed."""

    anonymous: bool = False
    kills_liars: bool = True
    cluster: Cluster = field(default_factory=lambda: Cluster.of([1]))

    def run(self, declared: Any, lengths: Any) -> Outcome:
        output = [theta if theta == b else INF for b, theta in zip(declared, lengths, strict=True)]
        return Outcome(tuple(output), (Fraction(0),) * len(output))


FEW = ("ex-post", "rent-nonnegative", "upper-margin")


def certified(mechanism: Any, n_agents: int, statements: Any = STATEMENTS, **options: Any) -> dict[str, Any]:
    """The certificate of those statements that hold."""
    prover = Prover(mechanism, n_agents, options.pop("lengths", Lengths()), options.pop("values", None))
    proofs = [prover.prove(statement, processes=1, method="code") for statement in statements]
    return as_certificate([proof for proof in proofs if proof.holds])


def verdict(certificate: Any) -> str:
    """The checker's answer to data: "proved", "refused", "unreadable" or "stopped"; nothing else may come."""
    try:
        check_proof.check(certificate)
    except Refused:
        return "refused"
    except Unreadable:
        return "unreadable"
    except Stopped:
        return "stopped"
    return "proved"


@pytest.fixture(scope="module")
def postpone() -> dict[str, Any]:
    return certified(build("vcg-postpone", Cluster.of([1, 2])), 2, ["dominant"])


# what is proved is accepted -------------------------------------------------------------------------------------------


def test_the_checker_knows_every_statement() -> None:
    assert set(check_proof.MEANING) == {*STATEMENTS, *BY_NAME, "any-allocation", "any-allocation-ex-post"}


@pytest.mark.parametrize("rule", RULES)
def test_statements_on_rules_are_accepted_and_replay(rule: str) -> None:
    mechanism = build(rule, Cluster.of([1, 2]))
    certificate = json.loads(text(certified(mechanism, 2)))
    assert check(certificate).holds
    assert len(certificate["statements"]) >= 6
    replayed = replay_tree(certificate, mechanism)
    assert replayed.difference is None
    assert replayed.paths == sum("test" not in node for node in certificate["trees"][0])


@pytest.mark.parametrize(
    ("mechanism", "n_agents", "options", "assumed"),
    [
        (Posted(), 3, {}, {"alike"}),
        (Posted(limit=Fraction(3)), 2, {"values": [1, 1]}, {"alike"}),
        (Posted(limit=Fraction(3)), 2, {"values": [1, 0]}, set()),
        (Posted(), 2, {"lengths": Lengths(Fraction(1), Fraction(5, 2))}, {"alike"}),
        (Killer(), 2, {}, {"punishing"}),
        (
            build("vcg-renice", Cluster.of([1])),
            3,
            {"lengths": Lengths(end=Fraction(3)), "statements": FEW},
            {"prepaid"},
        ),
        (build("vcg-postpone", Cluster.of([1]), rounds=2, holdback="repaired"), 2, {}, {"prepaid"}),
    ],
    ids=["leaves", "refuses", "values", "interval", "kills", "three", "two-rounds"],
)
def test_all_kinds_of_leaves_lengths_and_assumptions(
    mechanism: Any, n_agents: int, options: dict[str, Any], assumed: set[str]
) -> None:
    certificate = certified(mechanism, n_agents, **options)
    answer = check(certificate)
    assert answer.holds, answer.sentence
    found = {word for statement in certificate["statements"] for word in statement["assuming"]}
    assert found == assumed
    assert all(check_proof.ASSUMED[word] in answer.sentence for word in assumed)
    assert replay_tree(certificate, mechanism).difference is None


def test_the_same_proofs_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.json.gz", "b.json.gz", "a.json"):
        write_certificate([prove(build("vcg-renice", Cluster.of([1])), 2, "ex-post", method="code")], tmp_path / name)
    assert (tmp_path / "a.json.gz").read_bytes() == (tmp_path / "b.json.gz").read_bytes()
    assert check(tmp_path / "a.json") == check(str(tmp_path / "a.json.gz"))
    assert "\n" in (tmp_path / "a.json").read_text()


def test_only_proofs_of_the_same_thing_that_hold_are_certified() -> None:
    rule = build("light-vcg", Cluster.of([1, 2]))
    with pytest.raises(InputError, match="ex-post is refuted"):
        as_certificate([prove(rule, 3, "ex-post")])
    with pytest.raises(InputError, match="found no proof"):
        as_certificate([])
    with pytest.raises(InputError, match="different things"):
        as_certificate([prove(rule, 2, method="code"), prove(rule, 2, method="code")])


# the file that is handed on -------------------------------------------------------------------------------------------


def test_the_checker_needs_the_standard_library_only() -> None:
    assert needs_only_python(CHECKER)
    assert not any(isinstance(node, ast.Div) for node in ast.walk(ast.parse(CHECKER.read_text())))


def test_the_checker_runs_alone(postpone: dict[str, Any], tmp_path: Path) -> None:
    wrong = copy.deepcopy(postpone)
    wrong["lemmas"] = wrong["lemmas"][1:]
    for name, data, code, says in [
        ("right", text(postpone), 0, "Proved for 2 agents"),
        ("wrong", text(wrong), 1, "Refused: "),
        ("none", "{}", 2, "Unreadable: not a certificate"),
    ]:
        (tmp_path / name).write_text(data)
        done = subprocess.run([sys.executable, "-I", "-S", CHECKER, name], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (code, "")
        assert done.stdout.startswith(says)
        assert done.stdout.count("\n") == 1


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "Expecting value"),
        (b"\xff\xfe\xff", "codec|Expecting"),
        (b"[" * 100_000, "recursion|overflow"),
        (b'{"a":' * 100_000, "recursion|overflow"),
        (b"9" * 10_000, "limit"),
        (b"\x1f\x8b\x08garbage", "Not a gzipped|invalid|end-of-stream|block"),
        (b"[1] [2]", "Extra data"),
        (b"NaN", "expected an integer, found 'NaN'"),
        (b'{"format": 1, "format": 1}', "a key stands twice"),
        (b"7", "expected an object"),
    ],
)
def test_what_is_no_certificate_is_told_in_a_sentence(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    with pytest.raises(InputError, match=says) as error:
        check(tmp_path / "file")
    assert "\n" not in str(error.value)


MEMORY = 700_000_000
"""Bytes of all that the interpreter maps, the checker's own limit and what it may be wrong by included."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_certificate_is_checked_within_limits(name: str, tmp_path: Path) -> None:
    """With a limit of the system's, which the checker must not need: it stops by its own."""
    resource = pytest.importorskip("resource")
    make, codes = HOSTILE[name]
    (tmp_path / "proof").write_bytes(make())
    done = subprocess.run(
        [sys.executable, "-I", "-S", CHECKER, "proof", "--time-limit", "1"],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode in codes, done.stderr
    assert (done.stdout.startswith("Not checked: it ")) == (done.returncode == 3)
    assert done.stdout.startswith("Proved") == (done.returncode == 0)


@pytest.mark.parametrize(
    ("name", "says"), [("least of 2,000 forms", "longer than 0 s"), ("gzipped lists, 9 MB", "more than 400,000,000")]
)
def test_a_limit_is_an_answer_of_its_own(name: str, says: str, tmp_path: Path) -> None:
    """Neither a proof nor a refusal; of the command, the code of what was stopped."""
    path = tmp_path / "proof.json.gz"
    data = HOSTILE[name][0]()
    path.write_bytes(data if data[:2] == b"\x1f\x8b" else gzip.compress(data))
    answer = check(path, Limits(0))
    assert (answer.holds, answer.sentence[:12]) == (None, "Not checked:")
    ((_, _, row),) = consortium.check(path, time_limit=0)
    assert row.holds is None
    assert says in row.note
    assert ended(["check", str(path), "--time-limit", "0"]) == STOPPED


def test_the_tree_is_compared_within_the_limit(postpone: dict[str, Any]) -> None:
    with pytest.raises(TimeoutError):
        replay_tree(postpone, build("vcg-postpone", Cluster.of([1, 2])), Clock(0))


# attacks --------------------------------------------------------------------------------------------------------------


def leaves(certificate: dict[str, Any]) -> list[dict[str, Any]]:
    return [node for node in certificate["trees"][0] if "outputs" in node]


def drop_branch(c: dict[str, Any]) -> None:
    next(node for node in c["trees"][0] if node.get("yes"))["yes"] = None


def strengthen(c: dict[str, Any]) -> None:
    lemma = next(m for m in c["lemmas"] if len(m["forms"]) > len(m["strict"]))
    lemma["strict"] = list(range(len(lemma["forms"])))


def gift_for_a_lie(c: dict[str, Any]) -> None:
    """Whoever is last in the first leaf is paid what her declaration is worth."""
    for leaf in leaves(c):
        leaf["payments"][0][0][1] -= leaf["payments"][0][1]


def late_output(c: dict[str, Any]) -> None:
    for leaf in leaves(c):
        leaf["outputs"][1][0][3] += 5


def lost_job(c: dict[str, Any], leaf: int = 0) -> None:
    leaves(c)[leaf]["outputs"][0] = "inf"


def turned_answers(c: dict[str, Any]) -> None:
    root = c["trees"][0][0]
    root["yes"], root["no"] = root["no"], root["yes"]


def assumed_alike(c: dict[str, Any]) -> None:
    c["values"], c["statements"][0]["assuming"] = [[0, 1], [1, 1]], ["alike"]


def edit(*place: Any, to: Any) -> Callable[[Any], None]:
    """The attack that puts something in a place; ``to``: that, or a function of what stands there."""

    def attack(c: dict[str, Any]) -> None:
        holder = at(c, place[:-1])
        holder[place[-1]] = to(holder[place[-1]]) if callable(to) else to

    return attack


@pytest.mark.parametrize(
    ("payments", "expected"),
    [("0 0", "proved"), ("inf 0", "proved"), ("0 -inf", "refused"), ("inf -inf", "refused"), ("-inf inf", "refused")],
)
def test_a_sum_of_inf_and_minus_inf_is_nothing_to_prove_anything_of(payments: str, expected: str) -> None:
    """Payments of a leaf that add up to no number once would be a rent of at least 0."""
    certificate = certified(Killer(), 2, ["rent-nonnegative"])
    for leaf in leaves(certificate):
        leaf["payments"] = [
            old if new == "0" else new for old, new in zip(leaf["payments"], payments.split(), strict=True)
        ]
    assert verdict(certificate) == expected


MULTIPLIERS = ("lemmas", 0, "multipliers")
ROOT = ("trees", 0, 0)
NAME = ("statements", 0, "name")
other_test = edit(*ROOT, "test", to=[-3, 1, 1, 0, 0])


@pytest.mark.parametrize(
    ("attack", "expected"),
    [
        (edit("lemmas", 0, "strict", to=[]), "refused"),
        (strengthen, "refused"),
        (edit("lemmas", -1, "multipliers", 0, to=lambda y: y + 1), "refused"),
        (edit(*MULTIPLIERS, to=lambda ys: [-y for y in ys]), "refused"),
        (edit(*MULTIPLIERS, to=lambda ys: [0 for _ in ys]), "refused"),
        (edit("lemmas", to=lambda lemmas: lemmas[: len(lemmas) // 2] + lemmas[len(lemmas) // 2 + 1 :]), "refused"),
        (edit("lemmas", to=[]), "refused"),
        (drop_branch, "refused"),
        (gift_for_a_lie, "refused"),
        (late_output, "refused"),
        (other_test, "refused"),
        (turned_answers, "refused"),
        (edit(*ROOT, "yes", to=0), "unreadable"),
        (edit("agents", to=3), "unreadable"),
        (edit("lengths", to={"from": [3, 1], "to": [2, 1]}), "unreadable"),
        (edit(*NAME, to="budget-balanced"), "refused"),
        (edit(*NAME, to="optimal"), "unreadable"),
        (edit(*ROOT, "note", to="trust me"), "unreadable"),
        (assumed_alike, "unreadable"),
        (edit("statements", to=[]), "unreadable"),
        (edit("trees", to=lambda trees: trees * 2), "refused"),
        (edit(*NAME, to="any-allocation"), "refused"),
    ],
)
def test_an_attack_is_refused(postpone: dict[str, Any], attack: Callable[[Any], None], expected: str) -> None:
    attacked = copy.deepcopy(postpone)
    attack(attacked)
    assert verdict(attacked) == expected


def test_a_job_lost_is_no_matter_where_its_agent_lies(postpone: dict[str, Any]) -> None:
    """Leaf by leaf: what is accepted is a punishment."""
    found = set()
    for leaf in range(0, len(leaves(postpone)), 3):
        attacked = copy.deepcopy(postpone)
        lost_job(attacked, leaf)
        found.add(verdict(attacked))
        assert verdict(attacked) == ("refused" if false(attacked, "dominant") else "proved")
    assert found == {"proved", "refused"}


def test_a_proof_for_an_interval_is_none_for_all_lengths() -> None:
    """The weighted sum with a constant penalty holds up to 2, and is refuted up to 3."""
    certificate = certified(Posted(limit=Fraction(3)), 1, ["accepts-every-input"], lengths=Lengths(end=Fraction(2)))
    assert verdict(certificate) == "proved"
    certificate["lengths"]["to"] = None
    assert verdict(certificate) == "refused"


class Unfinished(Exception):
    """The tree says nothing about a run that the statement is about."""


class OfTree:
    """The mechanism that a certificate's first tree is; shares no code with the checker."""

    def __init__(self, certificate: dict[str, Any]) -> None:
        self.n, self.tree = certificate["agents"], certificate["trees"][0]
        self.values = [Fraction(*v) for v in certificate["values"]]
        self.at = functools.cache(self._at)

    def run(self, declared: Any, lengths: Any) -> Outcome:
        return self.at((1, *declared, *lengths))

    def _at(self, point: tuple[Any, ...]) -> Outcome:
        node = self.tree[0]
        while "test" in node:
            to = node["yes" if sum(a * x for a, x in zip(node["test"], point, strict=True)) < 0 else "no"]
            if to is None:
                raise Unfinished
            node = self.tree[to]
        if "refused" in node:
            raise InputError("refused")

        def amount(x: Any) -> Any:
            if x is None or isinstance(x, str):
                return x if x is None else float(x)
            return Fraction(sum(a * y for a, y in zip(x[0], point, strict=True))) / x[1]

        return Outcome(*(tuple(map(amount, node[part])) for part in ("outputs", "payments")))


def false(certificate: dict[str, Any], name: str) -> bool:
    """Whether a statement fails on a grid, by its definition, or the tree does not tell."""
    start, end = (None if x is None else Fraction(*x) for x in certificate["lengths"].values())
    assert start is not None
    steps = [Fraction(k, 4) for k in (1, 2, 3, 4)]
    grid = {start + (end - start) * k for k in steps} if end is not None else {start + 4 * k for k in steps}
    grid |= {start} if start > 0 else set()
    try:
        return fails_on(OfTree(certificate), sorted(grid), name)
    except Unfinished:
        return True


def places(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where anything stands in JSON data."""
    yield here
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*here, key))


def at(data: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        data = data[key]
    return data


def disturb(certificate: dict[str, Any], rng: random.Random) -> None:
    """Change something at random: a number, a name, an answer, a row, a branch."""
    key = rng.choice(["trees", "trees", "trees", "lemmas", "lemmas", "values", "lengths", "statements", "agents"])
    place = rng.choice([p for p in places(certificate[key], (key,)) if p != ("trees",)])
    holder, last, value = at(certificate, place[:-1]), place[-1], at(certificate, place)
    if isinstance(value, int):
        holder[last] = rng.choice([value + 1, value - 1, -value, 2 * value, 0, 1])
    elif isinstance(value, list) and value and rng.random() < 0.7:
        k, j = rng.randrange(len(value)), rng.randrange(len(value))
        if rng.random() < 0.5:
            value[k], value[j] = value[j], value[k]
        else:
            value[k] = copy.deepcopy(value[j])
    elif isinstance(value, str):
        holder[last] = rng.choice([*STATEMENTS, "alike", "prepaid", "inf", "-inf"])
    elif isinstance(holder, list):
        del holder[last]
    elif isinstance(value, dict) and {"yes", "no"} <= set(value):
        value["yes"], value["no"] = value["no"], value["yes"]
    else:
        holder[last] = rng.choice([None, "inf", 0, 1, []])


ATTACKED = [
    (build("vcg-postpone", Cluster.of([1, 2])), {}),
    (build("evcg-postpone", Cluster.of([1]), Makespan()), {"lengths": Lengths(Fraction(1), Fraction(3))}),
    (Posted(limit=Fraction(3)), {"values": [2, 2]}),
    (Killer(), {}),
]


@pytest.mark.parametrize(("mechanism", "options"), ATTACKED, ids=["postpone", "interval", "posted", "killer"])
def test_random_attacks_are_refused_or_leave_it_true(mechanism: Any, options: dict[str, Any], thinning: int) -> None:
    """Whatever is accepted is true of the tree as it was changed, says a grid; what is no longer the code is found."""
    statements = ("dominant", "ex-post", "rent-nonnegative", "just", "accepts-every-input", "individually-rational")
    whole = certified(mechanism, 2, statements, **dict(options))
    rng, n_accepted, n_refused = random.Random(11), 0, 0
    for _ in range(100 // thinning):
        attacked = json.loads(text(whole))
        attacked["statements"] = [rng.choice(attacked["statements"])]
        for _ in range(rng.choice([1, 1, 2])):
            disturb(attacked, rng)
        if verdict(attacked) != "proved":
            n_refused += 1
            continue
        n_accepted += 1
        name, assumed = attacked["statements"][0].values()
        if "margin" in name or assumed:
            continue
        assert not false(attacked, name), attacked
    assert n_accepted > 5 // thinning
    assert n_refused > 40 // thinning


def test_the_grid_sees_what_is_false() -> None:
    """The judge of the attacks is no rubber stamp."""
    for change, name in ((gift_for_a_lie, "dominant"), (lost_job, "accepts-every-input"), (drop_branch, "dominant")):
        certificate = certified(build("vcg-postpone", Cluster.of([1, 2])), 2, [name])
        assert not false(certificate, name)
        change(certificate)
        assert false(certificate, name)
        assert verdict(certificate) == "refused"


@pytest.mark.parametrize("left", [[], "dominant", {"dominant": "proved"}, {"best": "open"}, {"dominant": []}])
def test_what_was_not_proved_has_a_name_and_a_status(postpone: dict[str, Any], left: Any) -> None:
    sentence = check_proof.check(postpone | {"not_proved": {"just": "open", "feasible": "refuted"}})
    assert sentence.startswith("Asked for and refuted: feasible. Asked for and left open: just. Proved for 2 agents")
    assert verdict(postpone | {"not_proved": left}) == "unreadable"


@pytest.mark.parametrize(
    "thing",
    [None, True, -1, 10**5000, 0.5, "", "inf", [], [[]], {}, {"test": 1}, [0] * 9],
    ids=lambda x: repr(x)[:9] if not isinstance(x, int) or x < 10 else "huge",
)
def test_a_wrong_type_anywhere_is_told(postpone: dict[str, Any], thing: Any) -> None:
    rng = random.Random(5)
    everywhere = [place for place in places(postpone) if len(place) < 3 or rng.random() < 0.03]
    for place in everywhere:
        attacked = json.loads(text(postpone)) if place else None
        if attacked is None:
            assert verdict(thing) == "unreadable"
            continue
        at(attacked, place[:-1])[place[-1]] = thing
        no_harm = place[0] in ("about", "lemmas", "trees", "values") or at(postpone, place) == thing
        assert verdict(attacked) in ("refused", "unreadable", "stopped") or no_harm


# any allocation -------------------------------------------------------------------------------------------------------


def by_hand(*payments: list[int], bound: list[int]) -> dict[str, Any]:
    """One agent; tree 0 says what the truth is worth, in each other tree she runs alone and pays a form."""

    def leaf(output: list[int], payment: list[int]) -> list[dict[str, Any]]:
        return [{"outputs": [[output, 1]], "payments": [[payment, 1]]}]

    return {
        "format": 1,
        "kind": "proof",
        "about": "by hand",
        "agents": 1,
        "values": [[0, 1]],
        "lengths": {"from": [0, 1], "to": None},
        "statements": [{"name": "any-allocation", "assuming": []}],
        "trees": [leaf(bound, [0, 0, 0]), *[leaf([0, 0, 1], payment) for payment in payments]],
        "lemmas": [],
    }


@pytest.mark.parametrize(
    ("payments", "bound", "expected"),
    [
        ([[0, 0, 0]], [0, 1, 0], "proved"),
        ([[0, 0, 0], [0, 0, 0]], [0, 1, 0], "proved"),
        ([[1, 0, 0]], [1, 1, 0], "proved"),
        ([[0, 0, 0], [1, 0, 0]], [0, 1, 0], "refused"),  # the truth may meet the dear tree
        ([[0, 0, 0], [1, 0, 0]], [1, 1, 0], "refused"),  # and the lie the cheap one
        ([[0, 1, -1]], [0, 1, 0], "refused"),  # who says less pays less
        ([[0, -1, 1]], [0, 1, 0], "refused"),
        ([], [0, 1, 0], "refused"),
    ],
)
def test_any_allocation_needs_a_bound_between_truth_and_lies(
    payments: list[list[int]], bound: list[int], expected: str
) -> None:
    assert verdict(by_hand(*payments, bound=bound)) == expected


@pytest.mark.parametrize("concept", ["dominant", "ex-post"])
def test_a_proof_for_any_allocation_is_accepted_and_replays(concept: str) -> None:
    rule = build("evcg-postpone", Cluster.of([1, 2]), Makespan())
    certificate = as_certificate([prove(rule, 2, concept, method="any-allocation")])
    assert check(certificate).holds
    assert len(certificate["trees"]) == 1 + 6
    assert replay_tree(certificate, rule).difference is None
    assert replay_tree(certificate, build("evcg-postpone", Cluster.of([1, 3]), Makespan())).difference is not None
    with pytest.raises(InputError, match="expected a rule"):
        replay_tree(certificate, Posted())


def test_a_bound_that_refuses_proves_nothing() -> None:
    certificate = by_hand([0, 0, 0], bound=[0, 1, 0])
    certificate["trees"][0] = [{"refused": "no bound"}]
    assert verdict(certificate) == "refused"
    certificate["statements"][0]["assuming"] = ["alike"]
    assert verdict(certificate) == "unreadable"


# the second replay ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("attack", "says"),
    [
        (gift_for_a_lie, "among the payments, for agent 1"),
        (late_output, "among the outputs, for agent 2"),
        (lost_job, "the tree inf among the outputs"),
        (other_test, "the tree asks whether -3 [+] b1 [+] b2 is"),
        (turned_answers, "the code"),
    ],
)
def test_the_replay_tells_where_the_tree_is_not_the_code(
    postpone: dict[str, Any], attack: Callable[[Any], None], says: str
) -> None:
    attacked = copy.deepcopy(postpone)
    attack(attacked)
    difference = replay_tree(attacked, build("vcg-postpone", Cluster.of([1, 2]))).difference
    assert difference is not None
    assert re.search(says, difference)


def test_the_replay_finds_another_rule(postpone: dict[str, Any]) -> None:
    assert replay_tree(postpone, build("vcg-postpone", Cluster.of([1, 2]))).difference is None
    for other in (build("vcg-postpone", Cluster.of([1, 3])), build("verified", Cluster.of([1, 2])), Posted(), Killer()):
        assert replay_tree(postpone, other).difference is not None


def test_the_replay_meets_every_change_of_a_leaf(postpone: dict[str, Any]) -> None:
    rule = build("vcg-postpone", Cluster.of([1, 2]))
    numbers = [p for p in places(postpone["trees"]) if len(p) == 6 and isinstance(at(postpone["trees"], p), int)]
    for place in random.Random(3).sample(numbers, 25):
        attacked = copy.deepcopy(postpone)
        at(attacked["trees"], place[:-1])[place[-1]] += 1
        assert replay_tree(attacked, rule).difference is not None


def test_what_the_tree_refuses_the_code_refuses() -> None:
    certificate = certified(Posted(limit=Fraction(3)), 1, ["individually-rational"], values=[2])
    refusing = next(node for node in certificate["trees"][0] if "refused" in node)
    assert replay_tree(certificate, Posted(limit=Fraction(3))).difference is None
    refusing |= {"outputs": [None], "payments": [None]}
    del refusing["refused"]
    found = replay_tree(certificate, Posted(limit=Fraction(3))).difference
    assert found == "the code refuses the declarations, the tree does not (tree 0, node 1)"


@pytest.mark.parametrize(
    ("powers", "fine"),
    [([[2, 1], [1, 1]], True), ([[1, 1], [2, 1]], False), ([[2, 1], [0, 1]], False), ([[0, 1]], False), ([], False)],
)
def test_feasible_is_said_of_machines_with_powers_the_fastest_first(powers: list[list[int]], fine: bool) -> None:
    certificate = certified(build("vcg-postpone", Cluster.of([2, 1])), 2, ["feasible"])
    certificate["statements"][0]["powers"] = powers
    if fine:
        assert check(certificate).holds
    else:
        with pytest.raises(InputError, match="expected powers, the fastest first"):
            check(certificate)
