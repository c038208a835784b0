"""The checker of certificates of shapes: what is proved is accepted; what is changed is refused, or is still true."""

from __future__ import annotations

import ast
import copy
import functools
import gzip
import itertools
import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from consortium.agents.organizations import Federation
from consortium.games.placement.all_lengths import check_shape
from consortium.games.placement.all_lengths import shapes as all_lengths
from consortium.games.placement.all_lengths.answers import prove
from consortium.games.placement.all_lengths.check_shape import check
from consortium.games.placement.game import PlacementGame
from consortium.games.reading import Limits, Refused, Stopped, Unreadable
from consortium.mechanisms.federation.coordination import Coordination

from ...proofs.hostile import HOSTILE as HOSTILE_JSON
from ...stand_alone import checker, needs_only_python
from .reference import Refuted, Shape, cover, implied, price, value

CHECKER = checker("shape")
COVERS = {
    "two": (Shape((2, 2)), "pure-equilibrium", None),
    "three": (Shape((2, 1, 1)), "pure-equilibrium", None),
    "four": (Shape((2, 1, 0, 0)), "pure-equilibrium", None),
    "jobs": (Shape((2, 2, 0), ((1, 3), (2, 4), ())), "pure-equilibrium", None),
    "jobs that go last": (Shape((2, 1, 1), ((4, 1), (3,), (2,))), "pure-equilibrium", None),
    "epsilon": (Shape((2, 2)), "epsilon", Fraction(6, 5)),
    "stability": (Shape((2, 2)), "price-of-stability", Fraction(4, 3)),
    "stability of three": (Shape((2, 1, 1)), "price-of-stability", Fraction(3, 2)),
    "stability by jobs": (Shape((2, 1, 1), ((1, 4), (3,), (2,))), "price-of-stability", Fraction(3, 2)),
}
PRICES = {
    "anarchy": (Shape((2, 2)), "price-of-anarchy", Fraction(4, 3)),
    "anarchy of three": (Shape((2, 1, 1)), "price-of-anarchy", Fraction(3, 2)),
    "anarchy by jobs": (Shape((2, 1), ((1, 3), (2,))), "price-of-anarchy", Fraction(1)),
}
CASES = {**COVERS, **PRICES}


@functools.cache
def proof(name: str) -> dict[str, Any]:
    """A certificate, as a file has it."""
    shape, which, bound = CASES[name]
    made = cover(shape, which, bound) if name in COVERS else price(shape, bound or Fraction(1))
    return dict(json.loads(json.dumps(made)))


def verdict(certificate: Any) -> str:
    """The checker's answer: "proved", "refused", "unreadable" or "stopped"; nothing else may come."""
    try:
        check(certificate)
    except (Refused, Stopped, Unreadable) as error:
        return type(error).__name__.lower()
    return "proved"


# what is proved is accepted -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_a_proof_is_accepted_and_says_what_it_proves(name: str) -> None:
    shape, which, bound = CASES[name]
    text = check(proof(name))
    assert f"{shape.n} organizations with {', '.join(map(str, shape.jobs))} jobs" in text
    assert f": {which} (" in text
    assert (str(shape.ranks) in text) == (shape.ranks is not None)
    assert bound is None or f"at most {bound} times" in text or f"more than {bound} times" in text


@pytest.mark.parametrize("name", [name for name, (_, _, bound) in CASES.items() if bound and bound > 1])
def test_a_proof_is_none_of_a_smaller_bound(name: str) -> None:
    """The bounds of the prices are exact: nothing smaller has a proof."""
    shape, which, bound = CASES[name]
    assert bound is not None
    smaller = 1 + (bound - 1) * Fraction(99, 100)
    assert verdict(proof(name) | {"at_most": list(smaller.as_integer_ratio())}) == "refused"
    if which != "epsilon":
        with pytest.raises(Refuted):
            cover(shape, which, smaller) if name in COVERS else price(shape, smaller)


def nested(nodes: Iterator[Any]) -> Any:
    """The tree of a cover: a leaf, or a form and two trees."""
    kind, content = next(nodes)
    return (content, nested(nodes), nested(nodes)) if kind == "S" else (kind, content)


def leaf_of(tree: Any, x: list[int]) -> Any:
    """The one leaf on whose way all rows are positive: > 0, or 0 with a first coefficient that is positive."""
    while len(tree) == 3:
        form = tree[0]
        tree = tree[2 if (value(form, x) or next(a for a in form if a)) > 0 else 1]
    return tree


def random_differences(shape: Shape, rng: random.Random) -> list[int]:
    """Differences of lengths with ties and zeros, or without."""
    most = rng.choice([1, 2, 3, 10, 1000])
    return [rng.randrange(most + 1) for _ in range(shape.size)]


def assert_true(certificate: dict[str, Any], rng: random.Random, count: int) -> None:
    """A statement, as it is written in a certificate, of random games by their definition."""
    which, tree = certificate["property"], None
    shape = Shape(certificate["jobs"], certificate["ranks"])
    bound = Fraction(*(certificate["at_most"] or [1, 1]))
    for _ in range(count):
        x = random_differences(shape, rng)
        lengths = shape.lengths(x)
        if which == "price-of-anarchy":
            profiles = shape.equilibria(lengths)
        else:
            tree = tree or nested(iter(certificate["nodes"]))
            kind, hosts = leaf_of(tree, x)
            assert kind == "Q"
            epsilon = bound if which == "epsilon" else Fraction(1)
            if all(lengths):
                assert_stays_in_the_game(shape, lengths, hosts, epsilon)
            else:
                assert shape.stays(lengths, tuple(hosts), epsilon)
            profiles = [tuple(hosts)] if which == "price-of-stability" else []
        if profiles:
            assert max(shape.makespan(lengths, one) for one in profiles) <= bound * shape.optimum(lengths)


def assert_stays_in_the_game(shape: Shape, lengths: list[int], hosts: list[int], epsilon: Fraction) -> None:
    """That nobody gains, by the game of the package, which has no lengths of 0."""
    jobs = [[lengths[j] for j in shape.own(a)] for a in range(shape.n)]
    rule = Coordination() if shape.ranks is None else Coordination("jobs", "given")
    game = PlacementGame(Federation.of(jobs, priorities=shape.ranks), rule)
    profile = tuple(tuple(hosts[j] for j in shape.own(a)) for a in range(shape.n))
    for a, cost in enumerate(game.costs(profile)):
        assert cost <= epsilon * int(game.line(a, profile).min()) * game.line_unit


@pytest.mark.parametrize("count", [30, pytest.param(1200, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", COVERS)
def test_random_games_go_to_a_leaf_with_such_a_placement(name: str, count: int) -> None:
    assert_true(proof(name), random.Random(name), count)


@pytest.mark.parametrize(
    ("name", "work"), [("anarchy", 9), ("anarchy of three", 7), ("stability", 9), ("stability of three", 7)]
)
def test_no_game_of_small_work_is_beyond_the_bound_and_one_attains_it(name: str, work: int) -> None:
    shape, which, bound = CASES[name]
    worst = Fraction(0)
    for x in itertools.product(range(work + 1), repeat=shape.size):
        lengths = shape.lengths(x)
        if not (sum(lengths) <= work and all(lengths)):
            continue
        ends = [shape.makespan(lengths, hosts) for hosts in shape.equilibria(lengths)]
        end = max(ends) if which == "price-of-anarchy" else min(ends)
        worst = max(worst, Fraction(end, shape.optimum(lengths)))
    assert worst == bound


@pytest.mark.parametrize("name", COVERS)
def test_conditions_of_a_placement_are_those_of_its_definition(name: str) -> None:
    """At a point, of each clause one choice has no negative form exactly where the placement is what is meant."""
    (shape, which, bound), rng, answers = CASES[name], random.Random(name), set()
    ranks = shape.certificate(which, bound)["ranks"]
    made = check_shape.Cover(
        check_shape.Game(list(shape.jobs), ranks, Limits()), which, (bound or Fraction(1)).as_integer_ratio()
    )
    for _ in range(80):
        hosts, x = tuple(rng.randrange(shape.n) for _ in range(shape.size)), random_differences(shape, rng)
        clauses = [[[value(one.form, x) for one in choice] for choice in clause] for clause in made.made(hosts)]
        lengths = shape.lengths(x)
        good = shape.stays(lengths, hosts, bound if which == "epsilon" and bound else 1)
        if which == "price-of-stability" and bound:
            good = good and shape.makespan(lengths, hosts) <= bound * shape.optimum(lengths)
        assert good == all(any(min(choice) >= 0 for choice in clause) for clause in clauses)
        answers.add(good)
    assert answers == {True, False}


def test_a_row_shows_a_form_as_it_is_meant() -> None:
    rng, answers = random.Random(3), [0, 0]
    for _ in range(6000):
        row, form = (tuple(rng.randrange(-3, 4) for _ in range(3)) for _ in range(2))
        if any(row) and min(form) < 0:
            answers[check_shape.shows(row, form)] += 1
            assert check_shape.shows(row, form) == implied(form, row)
    assert min(answers) > 50


@pytest.mark.parametrize("name", PRICES)
def test_equilibria_are_on_a_way_of_each_of_their_trees(name: str) -> None:
    """Rows hold there, and at the end the bound, for lengths of which the least makespan is 1."""
    shape, _, bound = CASES[name]
    rng, trees = random.Random(name), {(*root[0], *root[1:3]): root[3] for root in proof(name)["roots"]}
    game = check_shape.Game(list(shape.jobs), shape.certificate("", None)["ranks"], Limits())
    judge, seen = check_shape.Price(game, (bound or Fraction(1)).as_integer_ratio()), 0
    for _ in range(8):
        x = random_differences(shape, rng)
        if not (least := shape.optimum(shape.lengths(x))):
            continue
        x = [Fraction(a, least) for a in x]
        for hosts in shape.equilibria(shape.lengths(x)):
            judge.on, judge.terms = game.on(hosts), game.terms(hosts)
            for a in range(shape.n):
                for machine, jobs in shape.terms(hosts, a).items():
                    judge.objective = game.form(sum(1 << j for j in jobs))
                    nodes, ends = iter(trees[*hosts, a, machine]), list[bool]()
                    follow(judge, nodes, judge.first[:], (), x, [], True, ends)
                    assert ends
                    assert value(judge.objective, x) <= (bound or 1)
                    seen += 1
    assert seen > 20


def follow(
    judge: Any, nodes: Iterator[Any], way: Any, machines: Any, x: Any, rows: Any, holds: bool, ends: Any
) -> None:
    """Go down a tree in preorder, and note the leaves on whose way all rows hold."""
    way, node = [*way, *rows], next(nodes)
    holds = holds and all(value(form, x) <= right for form, right in way)
    branches = judge.visit(node, way, machines)
    for more, then in branches:
        follow(judge, nodes, way, then, x, more, holds, ends)
    if holds and not branches:
        ends.append(True)


SEVEN = [(5, 2, 0, 0), (4, 3, 0, 0), (3, 4, 0, 0), (4, 2, 1, 0), (3, 3, 1, 0), (3, 2, 2, 0), (3, 2, 1, 1), (2, 3, 1, 1)]
"""Shapes of four organizations with seven jobs that need a cover; what has fewer jobs follows from them."""


@pytest.mark.parametrize("count", [12, pytest.param(1250, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("jobs", [(2, 2, 2), (3, 2, 1), *SEVEN])
def test_covers_of_the_package_are_accepted_and_true(jobs: tuple[int, ...], count: int) -> None:
    answer = prove(all_lengths.Shape(jobs), "pure-equilibrium", method="cover")
    certificate = json.loads(answer.certificate or "")
    assert check(certificate).endswith(f"; {answer.regions:,} leaves).")
    assert_true(certificate, random.Random(3), count)


@pytest.mark.parametrize(
    ("jobs", "which", "ranks"),
    [
        ((2, 1, 1), "price-of-anarchy", None),
        ((2, 2), "price-of-stability", None),
        ((2, 1, 1), "price-of-stability", ((1, 3), (2,), (4,))),
        ((2, 1, 1), "price-of-anarchy", ((4, 2), (3,), (1,))),
        ((2, 2, 0), "epsilon", ((3, 1), (2, 4), ())),
    ],
)
def test_prices_of_the_package_are_accepted_and_true(jobs: Any, which: Any, ranks: Any) -> None:
    answer = prove(all_lengths.Shape(jobs, ranks), which, method="cover")
    certificate = json.loads(answer.certificate or "")
    assert f": {which} (" in check(certificate)
    assert_true(certificate, random.Random(3), 20)
    if answer.value is not None and answer.value > 1:
        assert (
            verdict(certificate | {"at_most": [999 * answer.value.numerator, 1000 * answer.value.denominator]})
            == "refused"
        )


# attacks --------------------------------------------------------------------------------------------------------------


def some_tree(c: dict[str, Any], rng: random.Random) -> list[Any]:
    nodes: list[Any] = c["nodes"] if "nodes" in c else rng.choice(c["roots"])[3]
    return nodes


def drop(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    del nodes[rng.randrange(len(nodes))]


def double(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    nodes.insert(rng.randrange(len(nodes)), copy.deepcopy(rng.choice(nodes)))


def exchange(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    i, j = rng.randrange(len(nodes)), rng.randrange(len(nodes))
    nodes[i], nodes[j] = nodes[j], nodes[i]


def exchange_children(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    """Of a split; a leaf moves to where its sibling was."""
    splits = [i for i, node in enumerate(nodes) if node[0] == "S"]
    if splits:
        at = rng.choice(splits)
        middle, end = (end_of(nodes, at + 1), end_of(nodes, end_of(nodes, at + 1)))
        nodes[at + 1 : end] = nodes[middle:end] + nodes[at + 1 : middle]


def end_of(nodes: list[Any], at: int) -> int:
    """Where the tree ends that begins there."""
    missing = 1
    while missing:
        missing += 1 if nodes[at][0] == "S" else -1
        at += 1
    return at


def zero_split(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    nodes[:0] = [["S", [0] * sum(c["jobs"])], ["E", [[0, 1]]]]


def cut(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    del nodes[rng.randrange(len(nodes)) :]


def trail(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    nodes.append(copy.deepcopy(rng.choice(nodes)))


def change_number(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    """Of a form, a row, a multiplier, a host, a bound, a rank or the shape."""
    part = rng.choice(["jobs", "ranks", "at_most", "tree", "tree", "tree", "tree"])
    holders = list(lists_of_numbers(nodes if part == "tree" else c[part]))
    if holders:
        holder, at = rng.choice(holders)
        holder[at] = rng.choice([0, 1, -1, holder[at] + 1, holder[at] - 1, -holder[at], 2 * holder[at]])


def lists_of_numbers(x: Any) -> Iterator[tuple[list[Any], int]]:
    for at, item in enumerate(x if isinstance(x, list) else []):
        if isinstance(item, int):
            yield x, at
        yield from lists_of_numbers(item)


def other_shape(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    rng.shuffle(c["jobs"])
    if c["ranks"]:
        ranks = [r for one in c["ranks"] for r in one]
        rng.shuffle(ranks)
        c["ranks"] = [[ranks.pop() for _ in range(count)] for count in c["jobs"]]


def other_statement(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    c["property"] = rng.choice([*check_shape.MEANING])
    c["at_most"] = rng.choice([None, [1, 1], [7, 6], [6, 5], [3, 2]])


def other_root(c: dict[str, Any], nodes: list[Any], rng: random.Random) -> None:
    if "roots" in c:
        one, other = rng.choice(c["roots"]), rng.choice(c["roots"])
        rng.choice([c["roots"].remove, c["roots"].append])(one)
        one[rng.randrange(3)], one[3] = other[rng.randrange(3)], other[3]


Edit = Callable[[dict[str, Any], list[Any], random.Random], None]
EDITS: list[Edit] = [drop, double, exchange, exchange_children, zero_split, cut, trail]
EDITS += [change_number, change_number, other_shape, other_statement, other_root]


@pytest.mark.parametrize("count", [36, pytest.param(3000, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", CASES)
def test_what_is_changed_is_refused_or_still_true(name: str, count: int) -> None:
    rng, verdicts = random.Random(name), []
    for k in range(count):
        changed = copy.deepcopy(proof(name))
        EDITS[k % len(EDITS)](changed, some_tree(changed, rng), rng)
        verdicts.append(verdict(changed))
        if verdicts[-1] == "proved":
            assert_true(changed, rng, 5)
    assert set(verdicts) <= {"proved", "refused", "unreadable"}
    assert verdicts.count("refused") > count // 3


SPLIT, ANY = ["S", [1, 0, 0]], ["Q", [0, 0, 1]]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"nodes": [["S", [0, 0, 0]], ["E", [[0, 1]]], ["E", [[0, 1]]]]}, "refused"),
        ({"nodes": [SPLIT, ["E", [[0, 0]]], ANY]}, "unreadable"),
        ({"nodes": [SPLIT, ["E", [[0, -1]]], ANY]}, "unreadable"),
        ({"nodes": [SPLIT, ["E", []], ["E", []]]}, "refused"),
        ({"nodes": [SPLIT, ["E", [[0, 1]]], ["E", [[0, 1]]]]}, "refused"),
        ({"nodes": [SPLIT, ["E", [[1, 1]]], ANY]}, "refused"),
        ({"nodes": [SPLIT, ["E", [[-1, 1]]], ANY]}, "unreadable"),
        ({"nodes": []}, "refused"),
        ({"nodes": [["Q", [0, 0, 0]]]}, "refused"),
        ({"nodes": [["Q", [0, 0, 2]]]}, "unreadable"),
        ({"nodes": [["Q", [0, 0]]]}, "unreadable"),
        ({"nodes": [["Q", [0, 0, True]]]}, "unreadable"),
        ({"nodes": [["T", [0, 0, 1]]]}, "unreadable"),
        ({"nodes": {"Q": [0, 0, 1]}}, "unreadable"),
        ({"property": "epsilon", "at_most": [1, 0]}, "unreadable"),
        ({"property": "epsilon", "at_most": [-3, -2]}, "unreadable"),
        ({"property": "epsilon", "at_most": [9, 10]}, "unreadable"),
        ({"property": "epsilon"}, "unreadable"),
        ({"property": "price-of-stability", "at_most": [99, 100]}, "unreadable"),
        ({"property": "price-of-anarchy", "at_most": [9, 1]}, "unreadable"),
        ({"property": "ratio", "at_most": [9, 1]}, "unreadable"),
        ({"property": ["epsilon"]}, "unreadable"),
        ({"at_most": [3, 2]}, "unreadable"),
        ({"ranks": [[1, 2], [2]]}, "unreadable"),
        ({"ranks": [[1, 2]]}, "unreadable"),
        ({"ranks": [[1], [2]]}, "unreadable"),
        ({"ranks": [[0, 1], [2]]}, "unreadable"),
        ({"ranks": []}, "unreadable"),
        ({"jobs": [2]}, "unreadable"),
        ({"jobs": [2, 1, 1]}, "unreadable"),
        ({"jobs": [3, 0, -1]}, "unreadable"),
        ({"jobs": [0, 0]}, "unreadable"),
        ({"jobs": []}, "unreadable"),
        ({"jobs": 3}, "unreadable"),
        ({"format": 2}, "unreadable"),
        ({"kind": "proof"}, "unreadable"),
        ({"note": "trust me"}, "unreadable"),
        ({"nodes": [["S", [2**20000, 0, 0]]]}, "stopped"),
    ],
)
def test_an_attack_is_refused(changes: dict[str, Any], expected: str) -> None:
    whole = Shape((2, 1)).certificate("pure-equilibrium", None, nodes=cover(Shape((2, 1)))["nodes"])
    assert verdict(whole) == "proved"
    assert verdict(whole | changes) == expected
    assert verdict([whole]) == "unreadable"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda roots: roots.pop(), "1 of 48 trees are missing"),
        (lambda roots: roots.append(roots[0]), "has two trees"),
        (lambda roots: roots[0].__setitem__(2, 1), "has no job"),
        (lambda roots: roots[0].__setitem__(3, [["L", 1, [[0, 1], [0, 1]]]]), "do not bound"),
        (lambda roots: roots[0].__setitem__(3, [["L", 1, [[0, 1]] * 4]]), "4 rows, of 3"),
        (lambda roots: roots[0].__setitem__(3, [["L", 1, []]]), "do not bound"),
        (lambda roots: roots[0].__setitem__(3, [["L", 1, [[9, 1]]]]), "none of the 3 on the way"),
        (lambda roots: roots[0].__setitem__(3, [["O", 0], ["O", 0]]), "on machines twice"),
        (lambda roots: roots[0].__setitem__(3, [["D", 1, [0, 1]]]), "unfinished"),
    ],
)
def test_a_price_has_all_its_trees(change: Callable[[Any], Any], reason: str) -> None:
    changed = copy.deepcopy(proof("anarchy"))
    change(changed["roots"])
    with pytest.raises(Refused, match=reason):
        check(changed)


def test_an_organization_without_jobs_has_no_strategy_to_play() -> None:
    """A node without branches would pass for a leaf."""
    with pytest.raises(Refused, match="organization 1 has no jobs"):
        check(Shape((2, 0)).certificate("price-of-anarchy", Fraction(1), roots=[[[0, 0], 0, 0, [["D", 1, []]]]]))


# the file that is handed on -------------------------------------------------------------------------------------------


def test_the_checker_needs_the_standard_library_only() -> None:
    assert needs_only_python(CHECKER)
    assert not any(isinstance(node, ast.Div) for node in ast.walk(ast.parse(CHECKER.read_text())))


def run_alone(path: Path, *options: str, **more: Any) -> tuple[int, str]:
    command = [sys.executable, "-I", "-S", "-O", CHECKER, path.name, *options]
    done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, **more)
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_the_checker_runs_alone(tmp_path: Path) -> None:
    whole = json.dumps(proof("three"))
    for data, code, says in [
        (whole.encode(), 0, "Proved for 3 organizations with 2, 1, 1 jobs"),
        (gzip.compress(whole.encode()), 0, "Proved"),
        (json.dumps(proof("three") | {"nodes": proof("three")["nodes"][:-1]}).encode(), 1, "Refused: the tree is"),
        (whole[:-9].encode(), 2, "Unreadable: cannot be read"),
        (gzip.compress(whole.encode())[:-9], 2, "Unreadable: cannot be read"),
        (b"{}", 2, "Unreadable: not a certificate: expected an object"),
    ]:
        (tmp_path / "file").write_bytes(data)
        exit_code, text = run_alone(tmp_path / "file")
        assert (exit_code, text.count("\n")) == (code, 1)
        assert text.startswith(says)
    assert run_alone(tmp_path / "file", "--time-limit", "0") == (3, "Not checked: it takes longer than 0 s.\n")


# hostile files --------------------------------------------------------------------------------------------------------


def nothing(jobs: list[int], nodes: list[Any], **more: Any) -> dict[str, Any]:
    """A certificate of a tree below a way on which lengths are negative: whatever is said there is true."""
    below = [["S", [1] * sum(jobs)], *nodes]
    return Shape([1]).certificate("pure-equilibrium", None, nodes=below) | {"jobs": jobs} | more


def bushy(depth: int, n: int, leaf: Callable[[int], Any]) -> list[Any]:
    """A split after the other, all different, in preorder, so many deep."""
    numbers = itertools.count()

    def grow(left: int) -> list[Any]:
        k = next(numbers)
        return [["S", [k + 1, *[k % 7 - 3] * (n - 1)]], *grow(left - 1), *grow(left - 1)] if left else [leaf(k)]

    return grow(depth)


def places(jobs: int, machines: int) -> Callable[[int], Any]:
    return lambda k: ["Q", [k // machines**j % machines for j in range(jobs)]]


HUGE = [[0, 10**4000 + k] for k in range(300)]
HOSTILE: dict[str, tuple[Callable[[], dict[str, Any]], set[int]]] = {
    "chain of 50,000 splits": (lambda: nothing([2], [["S", [k, 1]] for k in range(50_000)]), {3}),
    "2^16 splits": (lambda: nothing([2, 1], bushy(16, 3, lambda k: ["E", [[0, 1]]])), {1, 3}),
    "2^13 placements": (lambda: nothing([7, 0, 0, 0], bushy(13, 7, places(7, 4))), {1, 3}),
    "32 machines, 32 jobs": (lambda: nothing([32] + [0] * 31, [["Q", [*range(32)]]]), {1, 3}),
    "partitions of 32 jobs": (
        lambda: nothing([32] + [0] * 31, [["Q", [*range(32)]]], property="price-of-stability", at_most=[1, 1]),
        {1, 3},
    ),
    "a million organizations": (lambda: nothing([0] * 1_000_000, []), {3}),
    "a billion jobs": (lambda: nothing([1], []) | {"jobs": [10**9]}, {2}),
    "multipliers of 4,000 digits": (lambda: nothing([2], [["E", HUGE]] * 2), {1, 3}),
    "forms of 4,000 digits": (lambda: nothing([1, 1], bushy(9, 2, lambda k: ["E", [[0, 10**4000]]])), {1, 3}),
    "a bound of 4,000 digits": (
        lambda: nothing([3, 3], [["Q", [0] * 6]], property="epsilon", at_most=[10**4200, 10**4199 + 1]),
        {1, 3},
    ),
    "a way of 50,000 strategies": (
        lambda: Shape((1, 0)).certificate(
            "price-of-anarchy", Fraction(2), roots=[[[0], 0, 0, [["D", 0, [0]]] * 50_000]]
        ),
        {3},
    ),
}
"""By what is hostile: the certificate, and the exit codes that the checker may end with."""
BYTES = ("gzipped spaces, 200 MB", "nested a million deep")
MEMORY = 700_000_000
"""Bytes of all that the interpreter maps, the checker's own limit and what it may be wrong by included."""


@pytest.mark.parametrize("name", [*HOSTILE, *BYTES])
def test_a_hostile_certificate_is_checked_within_limits(name: str, tmp_path: Path) -> None:
    """With a limit of the system's, which the checker must not need: it stops by its own."""
    resource = pytest.importorskip("resource")
    if name in HOSTILE:
        data, codes = json.dumps(HOSTILE[name][0]()).encode(), HOSTILE[name][1]
    else:
        data, codes = HOSTILE_JSON[name][0](), HOSTILE_JSON[name][1]
    (tmp_path / "file").write_bytes(data)
    limit = functools.partial(resource.setrlimit, resource.RLIMIT_AS, (MEMORY, MEMORY))
    code, text = run_alone(tmp_path / "file", "--time-limit", "2", preexec_fn=limit)
    assert code in codes, text
    assert text.startswith("Not checked: it ") == (code == 3)
