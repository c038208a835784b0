"""The table of properties, recomputed on small domains, and every counterexample found by the check.

A row of the table says what enumeration finds; where the thesis says otherwise the comment names the difference.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.verification import Domain, check_incentives
from consortium.games.verification.check import Verifier, check_properties
from consortium.games.verification.results import PROPERTIES
from consortium.games.verification.running import Runs
from consortium.mechanisms.declaration import build
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import LexicalMax, Makespan, SquaredDeviation, WeightedSum

pytestmark = pytest.mark.paper("agmon2003")

# dominant, ex-post | rent >= 0, balanced, just, upper, lower margin, rational, any input, feasible, priced in advance
# | margins with any others
TABLE = {
    "straightforward": "no no   yes yes no  yes yes no yes yes yes   yes yes",
    "light-vcg": "no no   yes no no  yes yes no yes yes yes   yes yes",
    "harsh": "yes yes   yes yes yes  no no no yes yes yes   no no",
    "vcg-renice": "no yes   yes no no  yes yes no yes yes yes   no no",  # any others: the thesis says yes
    "vcg-postpone": "yes yes   yes no yes  yes no no yes yes yes   no no",  # any input: the thesis only with a cut-off
    "evcg-renice": "no yes   yes no no  yes yes no yes yes yes   no no",
    "evcg-postpone": "yes yes   yes no yes  yes no no yes yes yes   no no",
    "postpone-unpaid": "no no   yes yes yes  yes no no yes yes yes   no no",
    "verified": "yes yes   yes no no  yes yes no yes yes no   yes yes",  # rent >= 0 off equilibrium too, as found here
    "verified-printed": "no no   no no no  yes yes no yes yes no   yes yes",  # the thesis: dominant
}


def answers(mechanism: Any, domain: Domain) -> list[bool | None]:
    incentives, properties = Verifier(mechanism, domain).incentives(), check_properties(mechanism, domain)
    assert incentives.complete
    assert properties.complete
    found = [incentives.dominant.holds, incentives.ex_post.holds]
    found += [getattr(properties, name).holds for name in PROPERTIES]
    return [*found, *(check.holds for check in properties.any_others.values())]


@pytest.mark.parametrize("rule", TABLE)
def test_table_of_properties(rule: str) -> None:
    """Three agents on machines of power 1 and 2, lengths and declarations 1, 2, 3."""
    goal = Makespan() if rule.startswith(("evcg", "postpone")) else None
    found = answers(build(rule, Cluster.of([1, 2]), goal), Domain.of([1, 2, 3], agents=3))
    assert ["yes" if holds else "no" for holds in found] == TABLE[rule].split()


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("evcg-renice", "no yes   yes no no  no no yes yes yes yes   no no"),
        ("evcg-postpone", "yes yes   yes no yes  no no yes yes yes yes   no no"),
    ],
)
def test_table_of_properties_in_two_rounds(rule: str, expected: str) -> None:
    """Some agents leave when the price is high; margins are gone, rationality is won."""
    two = build(rule, Cluster.of([1]), rounds=2, values=[30, 7])
    found = answers(two, Domain.of([1, 2, 3], agents=2))
    assert ["yes" if holds else "no" for holds in found] == expected.split()


def test_rent_of_a_goal_that_rewards_delay_is_negative() -> None:
    """Section 7.2: g = -(T - 100)^2, c = (1, 100), b = 100: the institution pays 99."""
    mechanism = build("evcg-postpone", Cluster.of([1, 100]), SquaredDeviation(100))
    rent = check_properties(mechanism, Domain.of([100], agents=1)).rent_nonnegative
    assert rent.holds is False
    assert rent.witness.values == {"rent": -99}


# rule, powers, goal, penalty, lengths, who lies, her lie, the others' declarations if not truthful, utilities
LIES: dict[str, tuple[Any, ...]] = {
    "3.4.1 nothing checks the lengths": ("straightforward", [1], None, None, [2, 1], 0, "1/2", None, (-3, -2)),
    "5.2.1 light VCG, dominant": (
        "light-vcg", [1], None, None, [1, "11/10"], 0, "1/10", {1: "1/5"}, ("-23/10", "-13/10")),
    "5.2.2 light VCG, ex-post": ("light-vcg", [1], None, None, [2, 1], 0, "1/2", None, (-4, "-7/2")),
    "5.4.1 postponing without payments": (
        "postpone-unpaid", [1, "3/2"], None, None, [1, "101/100"], 0, "11/10", None, (-1, "-11/15")),
    "5.4.1 in small integers": ("postpone-unpaid", [1, 2], None, None, [2, 2], 0, 3, None, (-2, "-3/2")),
    "5.5 renice is not dominant": ("vcg-renice", [1], None, None, [2, 2], 0, 1, {1: 1}, (-6, -5)),
    "4.4 the printed payment": ("verified-printed", [1], None, None, [1, 2], 0, 3, None, (-3, -2)),
    "(6.9) weighted sum": ("evcg-renice", [1], WeightedSum((1, 9)), "printed", [2, 3], 0, 1, None, (-7, -6)),
    "(6.9) lexical max": ("evcg-renice", [1, 3], LexicalMax(), "printed", [2, 2, 5], 0, 1, None, (-5, "-14/3")),
    "(6.10) weighted sum": (
        "evcg-renice", [2, 3], WeightedSum((1, 9)), "printed-common", [2, 2], 1, 1, None, ("-5/3", "-3/2")),
    "(6.10) makespan": (
        "evcg-renice", [1, 3], Makespan(), "printed-common", [2, 2, 4], 1, 1, None, ("-14/3", "-13/3")),
    "(6.10) lexical max": (
        "evcg-renice", [1, 3], LexicalMax(), "printed-common", [2, 2, 5], 0, 1, None, (-5, "-14/3")),
    "6.7 no wait at all": ("evcg-postpone", [1], WeightedSum((1, 9)), "0", [2, 2], 0, 1, None, (-6, -5)),
}  # fmt: skip
TIES: dict[str, Any] = {"(6.10) makespan": "listed"}  # between schedules of one makespan the first listed one


def parts(name: str) -> tuple[Any, Domain, str, int, F, list[F], list[F], list[F]]:
    rule, powers, goal, penalty, lengths, agent, lie, others, utilities = LIES[name]
    mechanism = build(rule, Cluster.of(powers), goal, penalty=penalty, ties=TIES.get(name, "sum"))
    theta = [F(x) for x in lengths]
    said = [F((others or {}).get(n, x)) for n, x in enumerate(lengths)]
    declared = [[x] for x in said]
    declared[agent] = [F(lie)]
    concept = "dominant" if others else "ex-post"
    return (
        mechanism,
        Domain.of([[x] for x in theta], declared),
        concept,
        agent,
        F(lie),
        theta,
        said,
        list(map(F, utilities)),
    )


@pytest.mark.parametrize("name", LIES)
def test_published_lie_is_found(name: str) -> None:
    mechanism, domain, concept, agent, lie, theta, said, (honest, lied) = parts(name)
    found = Runs(mechanism).gain(agent, theta[agent], lie, tuple(said), tuple(theta))
    assert (found.utility_truth, found.utility_lie) == (honest, lied)
    for method in ("kernel", "general"):
        answer = check_incentives(mechanism, domain, concept, method=method)
        assert answer.holds is False
        assert answer.max_gain >= lied - honest > 0
        assert answer.witness.gain == answer.max_gain


@pytest.mark.parametrize("name", [name for name in LIES if name[0] in "(6"])
def test_repaired_rule_has_no_lie_there(name: str) -> None:
    rule, powers, goal, *_ = LIES[name]
    _, domain, concept, *_ = parts(name)
    repaired = build(rule, Cluster.of(powers), goal, ties=TIES.get(name, "sum"))
    assert check_incentives(repaired, domain, concept).holds is True


def test_free_of_ties_the_printed_common_share_still_fails() -> None:
    """On c = (1, 29/10), theta = (2, 9/4, 5), b_1 = 1, lexical max: no tie is involved."""
    domain = Domain.of([[2], ["9/4"], [5]], [[1], [], []])
    mechanism = build("evcg-renice", Cluster.of([1, "29/10"]), LexicalMax(), penalty="printed-common")
    assert check_incentives(mechanism, domain, "ex-post").holds is False


def test_truth_is_only_weakly_best_at_threshold_penalties() -> None:
    """On c = 1, theta = (2, 3), b_1 = 1 gives the same -7 as the truth."""
    mechanism = build("evcg-renice", Cluster.of([1]), WeightedSum((1, 9)))
    answer = check_incentives(mechanism, Domain.of([[2], [3]], [[1], []]), "ex-post")
    assert (answer.holds, answer.max_gain) == (True, 0)


def test_printed_common_share_holds_on_identical_machines() -> None:
    for powers in ([1], [1, 1], [2, 2, 2]):
        mechanism = build("evcg-renice", Cluster.of(powers), WeightedSum((1, 9, 3)), penalty="printed-common")
        assert check_incentives(mechanism, Domain.of([1, 2, 3], agents=3), "ex-post").holds is True


def test_waiting_for_the_static_end_needs_no_duration_for_the_sum() -> None:
    for powers in ([1], [1, 2], [1, "3/2"]):
        mechanism = build("vcg-postpone", Cluster.of(powers), penalty="static-end")
        assert check_incentives(mechanism, Domain.of([1, 2, 3], agents=3)).holds is True


def test_agents_are_alike_only_in_lengths_and_declarations() -> None:
    assert Domain.of([1, 2], agents=2).alike
    assert not Domain.of([[1], [1, 2]], [[1, 2], [1, 2]]).alike
    assert not Domain.of([[1, 2], [1, 2]], [[1], [2]]).alike  # although both may end up declaring either
