"""Decision trees beside the code that they stand for, and choices among many numbers as one question."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from fractions import Fraction as F
from math import lcm
from typing import Any

import pytest

from consortium.games.proofs import exploration as exploring
from consortium.games.proofs.certificate import as_certificate, check, replay_tree
from consortium.games.proofs.execution import Least, Tree, below_zero, value_at
from consortium.games.proofs.programs import MechanismProgram
from consortium.games.proofs.prover import Prover, prove
from consortium.games.proofs.questions import Lengths
from consortium.games.proofs.strategies import Proof
from consortium.games.proofs.symbols import symbolic_fractions, symbols
from consortium.mechanisms.declaration import Cutoff, build, play
from consortium.mechanisms.declaration.protocol import Outcome
from consortium.scheduling import optimal
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import ExpressionGoal, Makespan, WeightedSum
from consortium.support.errors import InputError, MechanismError
from consortium.support.exact import first_least

from . import random_rules as rules
from .oracle import At


def homogeneous(numbers: list[F]) -> tuple[int, ...]:
    unit = lcm(*(x.denominator for x in numbers))
    return (unit, *[int(x * unit) for x in numbers])


def plain(mechanism: Any, n: int, numbers: list[F]) -> list[Any] | None:
    """What the code itself says."""
    try:
        found = play(mechanism, numbers[:n], numbers[n:])
    except MechanismError:
        raise
    except InputError:
        return None
    return [*found.output, *found.payments]


def said(tree: Tree, numbers: list[F]) -> list[Any] | None:
    """What the tree says."""
    point = homogeneous(numbers)
    results = tree.leaf(point).results
    if results is None:
        return None
    return [float(v) if isinstance(v, str) else v for v in (value_at(one, point) for one in results)]


def asked_in(tree: Tree) -> list[Any]:
    nodes, found = [tree.root], []
    while nodes:
        node = nodes.pop()
        found += [node.test] if node.test is not None else []
        nodes += node.children.values()
    return found


def points(rng: random.Random, tree: Tree, n: int, count: int) -> Iterator[list[F]]:
    """Small, tiny and huge numbers, ties, and numbers at which a test of the tree is met exactly."""
    for _ in range(count):
        scale = rng.choice((F(1), F(1), F(1, 10**12), F(10**12), F(10**40)))
        numbers = [scale * F(rng.randint(1, 9), rng.randint(1, 4)) for _ in range(2 * n)]
        if rng.random() < 0.3:
            numbers[rng.randrange(2 * n)] = rng.choice(numbers)
        yield numbers
        tests = asked_in(tree)
        if tests:
            test, k = rng.choice(tests), rng.randrange(2 * n)
            rest = test[0] + sum(a * x for j, (a, x) in enumerate(zip(test[1:], numbers, strict=True)) if j != k)
            if test[1 + k] and -rest / test[1 + k] > 0:
                edge = -rest / test[1 + k]
                for there in (edge, edge * (1 + F(1, 10**15)), edge * (1 - F(1, 10**15))):
                    yield rules.put(numbers, k, there)


MECHANISMS = [
    (build("vcg-postpone", Cluster.of([1, 2])), 3),
    (build("evcg-renice", Cluster.of([1, 2]), Makespan(), penalty="printed"), 2),
    (build("evcg-postpone", Cluster.of([1]), Makespan(), ties="listed", cutoff=Cutoff("difference", 2)), 2),
    (build("vcg-postpone", Cluster.of([1]), cutoff=Cutoff("absolute", 3)), 2),
    (build("evcg-postpone", Cluster.of([1, 1]), rounds=2, values=[5, 8]), 2),
    (build("verified-printed", Cluster.of([2, 3])), 2),
    (build("harsh", Cluster.of([1, 2])), 2),
]


@pytest.mark.parametrize(("mechanism", "n"), MECHANISMS)
def test_trees_say_what_the_rules_do(mechanism: Any, n: int) -> None:
    rng = random.Random(n)
    tree = Tree(MechanismProgram(mechanism, n))
    for numbers in points(rng, tree, n, 15):
        assert said(tree, numbers) == plain(mechanism, n, numbers), numbers


def test_trees_say_what_random_code_does() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        n = rng.choice((1, 2, 3))
        rule = rules.RandomRule(rng, n)
        tree = Tree(MechanismProgram(rule, n))
        for numbers in points(rng, tree, n, 6):
            assert said(tree, numbers) == plain(rule, n, numbers), (seed, numbers)


def test_infinitely_near_is_what_small_steps_come_to() -> None:
    """Results along ``point + move / K`` are linear in ``1 / K`` once ``K`` is large: two steps give the limit."""
    for seed in range(40):
        rng = random.Random(seed)
        n = rng.choice((1, 2))
        rule = rules.RandomRule(rng, n)
        tree = Tree(MechanismProgram(rule, n))
        for numbers in points(rng, tree, n, 4):
            move = (0, *[rng.choice((-1, 0, 1)) for _ in range(2 * n)])
            point = homogeneous(numbers)
            results = tree.leaf(point, move).results
            found = None if results is None else [value_at(one, point) for one in results]
            step = min(numbers) / 10**70
            one, two = (plain(rule, n, [x + k * step * d for x, d in zip(numbers, move[1:], strict=True)])
                        for k in (1, 2))  # fmt: skip
            if one is None or two is None:
                assert found == one == two, (seed, numbers, move)
                continue
            limits = [str(a) if isinstance(a, float) else 2 * a - b for a, b in zip(one, two, strict=True)]
            assert found == limits, (seed, numbers, move)


@pytest.mark.parametrize("number", range(3))
def test_a_proof_has_been_everywhere(number: int) -> None:
    """After a proof no point of the domain leads off the tree: all cells were looked at, their edges too."""
    mechanism, n = MECHANISMS[number]
    prover = Prover(mechanism, min(n, 2), Lengths())
    assert prover.prove("rent-nonnegative", processes=1).holds is not None
    if prover.prove("just", processes=1).holds:
        before = prover.tree.leaves
        rng = random.Random(0)
        for numbers in points(rng, prover.tree, prover.agents, 100):
            numbers[0] = numbers[prover.agents]  # the first agent is truthful
            prover.tree.leaf(homogeneous(numbers))
        assert prover.tree.leaves == before


def test_below_zero_at_a_point_and_near_it() -> None:
    assert below_zero((-1, 1, 0), ((2, 1, 5),))
    assert not below_zero((-1, 1, 0), ((1, 1, 5),))
    assert below_zero((-1, 1, 0), ((1, 1, 5), (0, -1, 0)))
    assert not below_zero((-1, 1, 0), ((1, 1, 5), (0, 1, 0)))


CLUSTERS = ([1], [1, 2], [1, 1])


def one_by_one(patch: pytest.MonkeyPatch) -> None:
    """The running best instead."""
    patch.setattr(optimal, "_never_compares", lambda goal, n_jobs: False)


def forks_in(tree: Tree) -> list[Least]:
    return [test for test in asked_in(tree) if isinstance(test, Least)]


def random_goal(rng: random.Random, n: int) -> Any:
    weights = [rng.choice((0, 0, 1, 1, 2, 3, 9)) for _ in range(n)]
    if rng.random() < 0.6:
        return WeightedSum(tuple(weights))
    names = "abcd"[:n]
    signed = [rng.choice((-1, -1, -1, 1)) * w for w in weights]
    return ExpressionGoal("3" + "".join(f" + {w}*{name}" for w, name in zip(signed, names, strict=True)), tuple(names))


# the door -------------------------------------------------------------------------------------------------------------


def test_the_first_least_is_the_least_pair_with_its_index(thinning: int) -> None:
    rng = random.Random(1)
    for _ in range(400 // thinning):
        n, k = rng.randint(1, 3), rng.randint(1, 6)
        point = [F(rng.randint(1, 4), rng.randint(1, 2)) for _ in range(n)]
        oracle = At(*point)
        given = symbols("xyz"[:n], oracle)
        made: list[list[Any]] = [
            [sum((rng.randint(-1, 2) * x for x in given), F(rng.randint(0, 2), rng.randint(1, 3))) for _ in range(k)]
            for _ in range(2)
        ]
        plain = [
            [oracle.value(v) for v in values] for values in made
        ]  # fmt: skip
        expected = min(range(k), key=lambda j: (plain[0][j], plain[1][j], j))
        assert first_least(*made) == expected, (point, made)
        assert first_least(*plain) == expected


@pytest.mark.parametrize("ties", ["sum", "listed"])
def test_symbols_get_the_allocation_that_numbers_get(ties: Any, thinning: int) -> None:
    """Few different lengths, so that allocations tie; the other one is found by the kernels, or one by one."""
    rng = random.Random(2)
    for _ in range(120 // thinning):
        n = rng.choice((1, 2, 2, 3, 3))
        cluster, goal = Cluster.of(rng.choice(CLUSTERS)), random_goal(rng, n)
        lengths = [F(rng.randint(1, 3)) for _ in range(n)]
        expected = optimal.optimal_allocation(cluster, lengths, goal, ties)
        with symbolic_fractions():
            found = optimal.optimal_allocation(cluster, symbols("xyz"[:n], At(*lengths)), goal, ties)
        assert found.allocation == expected.allocation, (cluster, goal, lengths)


def test_one_question_is_enough_unless_allocations_tie() -> None:
    oracle = At(F(5), F(7), F(8))
    with symbolic_fractions():
        optimal.optimal_allocation(Cluster.of([1, 2]), symbols("xyz", oracle), WeightedSum((1, 9, 3)), "listed")
    assert oracle.asked == 1


# the tree -------------------------------------------------------------------------------------------------------------


def meeting(rng: random.Random, tree: Tree, numbers: list[F]) -> list[F] | None:
    """The numbers with one of them moved so that two forms of a fork are equal, if that is possible."""
    forms = rng.choice(forks_in(tree)).forms
    one, other = rng.sample(forms, 2)
    apart, k = [a - b for a, b in zip(one, other, strict=True)], rng.randrange(len(numbers))
    rest = apart[0] + sum(a * x for j, (a, x) in enumerate(zip(apart[1:], numbers, strict=True)) if j != k)
    if not apart[1 + k] or -rest / apart[1 + k] <= 0:
        return None
    return [F(-rest, apart[1 + k]) if j == k else x for j, x in enumerate(numbers)]


@pytest.mark.parametrize("ties", ["sum", "listed"])
@pytest.mark.parametrize(("powers", "weights"), [([1, 2], (1, 9)), ([1], (2, 1, 1)), ([1, 2], (1, 9, 3))])
def test_trees_say_what_the_rules_do_where_allocations_tie(ties: str, powers: list[int], weights: Any) -> None:
    rng, n = random.Random(3), len(weights)
    rule = build("evcg-postpone", Cluster.of(powers), WeightedSum(weights), ties=ties)
    tree = Tree(MechanismProgram(rule, n))
    tied = 0
    for _ in range(16):
        numbers = [F(rng.randint(1, 4), rng.randint(1, 2)) for _ in range(2 * n)]
        for there in (numbers, meeting(rng, tree, numbers) if forks_in(tree) else None):
            if there is not None:
                tied += there is not numbers
                results = tree.leaf(homogeneous(there)).results
                outcome = play(rule, there[:n], there[n:])
                assert results is not None
                assert [value_at(one, homogeneous(there)) for one in results] == [*outcome.output, *outcome.payments]
    assert tied > 2


def test_trees_of_two_processes_are_put_together() -> None:
    rng, program = random.Random(4), MechanismProgram(build("evcg-renice", Cluster.of([1, 2]), WeightedSum((1, 9))), 2)
    one, two = Tree(program), Tree(program)
    for _ in range(20):
        one.leaf((1, *[rng.randint(1, 5) for _ in range(4)]))
        two.leaf((1, *[rng.randint(1, 5) for _ in range(4)]))
    one.adopt(two.new_leaves())
    assert {test.forms for test in forks_in(two)} <= {test.forms for test in forks_in(one)}
    assert one.leaves >= two.leaves
    runs = one.runs
    for tests, results, _, place in two.new_leaves() or [two.path((1, 2, 3, 4, 5))]:
        assert one.leaf(*place).results == results
        assert tests
    assert one.runs <= runs + 1


class Forgetful:
    """Chooses among other numbers every time."""

    calls = 0

    def run(self, declared: Any, lengths: Any) -> Outcome:
        self.calls += 1
        costs = [declared[0] + self.calls, 2 * declared[1], declared[0] + declared[1]]
        served = first_least(costs, [F(0)] * 3)
        return Outcome(tuple(lengths), (F(served), F(0)))


def test_code_that_chooses_among_other_numbers_is_found_out() -> None:
    with pytest.raises(MechanismError, match="two answers"):
        prove(Forgetful(), agents=2, method="code", processes=1)


# cells ----------------------------------------------------------------------------------------------------------------


def both_ways(rule: Any, n: int, concept: str) -> tuple[Proof, Proof]:
    forked = prove(rule, n, concept, method="code", processes=1)
    with pytest.MonkeyPatch.context() as patch:
        one_by_one(patch)
        return forked, prove(rule, n, concept, method="code", processes=1)


@pytest.mark.parametrize(
    ("seeds", "sizes"), [(range(5), (2,)), pytest.param(range(140), (2, 3), marks=pytest.mark.exhaustive)]
)
def test_the_verdicts_are_those_of_the_running_best(seeds: range, sizes: tuple[int, ...]) -> None:
    verdicts = set()
    for seed in seeds:
        rng = random.Random(seed)
        n = rng.choice(sizes)
        goal, powers = random_goal(rng, n), rng.choice(CLUSTERS)
        name, ties = rng.choice(("evcg-postpone", "evcg-renice")), rng.choice(("sum", "listed"))
        concept = rng.choice(("dominant", "ex-post", "rent-nonnegative", "upper-margin", "just"))
        try:
            rule = build(name, Cluster.of(powers), goal, ties=ties)
        except InputError:
            continue
        forked, binary = both_ways(rule, n, concept)
        where = (seed, name, goal, powers, ties, concept)
        assert forked.status == binary.status, where
        verdicts.add(forked.status)
        if forked.holds:
            assert forked.cells <= binary.cells, where
            certificate = as_certificate([forked])
            assert check(certificate).holds, where
            assert replay_tree(certificate, rule).difference is None, where
    assert verdicts == {"proved", "refuted"}


@pytest.mark.parametrize("ties", [pytest.param("sum", marks=pytest.mark.exhaustive), "listed"])
def test_three_agents_take_a_fraction_of_the_cells(ties: str) -> None:
    rule = build("evcg-renice", Cluster.of([1, 2]), WeightedSum((1, 9, 3)), ties=ties)
    proof = prove(rule, 3, "ex-post", method="code", processes=1)
    assert proof.holds
    assert proof.cells < 1_500  # one by one: 6,886 and 6,702
    assert check(as_certificate([proof])).holds


def test_a_goal_that_compares_by_itself_is_not_forked() -> None:
    rule = build("evcg-renice", Cluster.of([1, 2]), Makespan(), ties="listed", penalty="repaired")
    forked, binary = both_ways(rule, 2, "ex-post")
    assert forked.cells == binary.cells
    assert not any(forks_in(tree) for tree in forked.trees)


@pytest.mark.exhaustive
def test_a_proof_by_several_processes_is_accepted() -> None:
    rule = build("evcg-postpone", Cluster.of([1, 2]), WeightedSum((1, 9, 3)), ties="listed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exploring, "ALONE", 50)
        patch.setattr(exploring, "BEGUN", 20)
        proof = prove(rule, agents=3, processes=2, method="code")
    certificate = as_certificate([proof])
    assert check(certificate).holds
    assert replay_tree(certificate, rule).difference is None


# certificates ---------------------------------------------------------------------------------------------------------

RULE = build("evcg-postpone", Cluster.of([1, 2]), WeightedSum((1, 9)))


@pytest.fixture(scope="module")
def certificate() -> dict[str, Any]:
    found = as_certificate([prove(RULE, agents=2, method="code", processes=1)])
    assert check(found).holds
    assert replay_tree(found, RULE).difference is None
    return found


def fork(c: dict[str, Any]) -> dict[str, Any]:
    return next(node for node in c["trees"][0] if "least" in node)


@pytest.mark.parametrize(
    ("forms", "children"),
    [
        (None, lambda then: [*then[1::-1], *then[2:]]),
        (None, lambda then: then[::-1]),
        (lambda least: least[::-1], None),
        (None, lambda then: [None, *then[1:]]),
        (lambda least: [[least[0][0], least[0][1] + 1, *least[0][2:]], *least[1:]], None),
        (lambda least: least[1:], lambda then: then[1:]),
    ],
    ids=["swapped", "reversed", "forms reversed", "child dropped", "form changed", "form dropped"],
)
def test_a_changed_fork_is_refused_and_does_not_replay(
    forms: Callable[[Any], Any] | None, children: Callable[[Any], Any] | None, certificate: dict[str, Any]
) -> None:
    changed = copy.deepcopy(certificate)
    node = fork(changed)
    node["least"] = node["least"] if forms is None else forms(node["least"])
    node["then"] = node["then"] if children is None else children(node["then"])
    answer = check(changed)
    assert not answer.holds
    assert answer.sentence.startswith("Refused: ")
    assert None in node["then"] or replay_tree(changed, RULE).difference is not None


@pytest.mark.parametrize(
    "broken",
    [
        lambda node: {"least": node["least"][:-1]},
        lambda node: {"least": [], "then": []},
        lambda node: {"least": [node["least"][0][:-1], *node["least"][1:]]},
        lambda node: {"then": [0, *node["then"][1:]]},
        lambda node: {"test": [0, 1, -1, 0, 0]},
    ],
    ids=["form dropped", "all dropped", "form short", "back to the root", "both questions"],
)
def test_a_broken_fork_is_no_certificate(broken: Callable[[Any], Any], certificate: dict[str, Any]) -> None:
    changed = copy.deepcopy(certificate)
    fork(changed).update(broken(fork(changed)))
    with pytest.raises(InputError, match="not a certificate: expected"):
        check(changed)
