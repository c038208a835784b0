"""Payments known in advance: what makes the truth best, shares that balance, groups, and prices of one's own."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from fractions import Fraction as F
from itertools import combinations, permutations, product

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.catalogue import TOOLS
from consortium.mechanisms.declaration.execution import TOOLS as RUNS
from consortium.mechanisms.declaration.prices import Formula, Quantities
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import Makespan, WeightedSum
from consortium.support.errors import ConsortiumError, InputError

from . import plainly
from .instances import length, power, price

SCALES = [F(1), F(1), F(1), F(10**18), F(1, 10**18)]
INSTANCES = settings(max_examples=60, deadline=None)


def put(profile, n, x):
    return (*profile[:n], x, *profile[n + 1 :])


def situation(rng, machines=3, agents=(1, 2, 3, 4)):
    """Powers, declarations and lengths: ties, any number of liars, one agent now and then, and a scale."""
    scale, n = rng.choice(SCALES), rng.choice(agents)
    theta = tuple(scale * length(rng) for _ in range(n))
    b = tuple(x if rng.random() < 0.4 else scale * length(rng) for x in theta)
    return tuple(power(rng) for _ in range(rng.randint(1, machines))), b, theta, scale


def gains(mechanism, b, theta, lies):
    for n, own in enumerate(theta):
        truth = play(mechanism, put(b, n, own), theta).utilities[n]
        for lie in {*lies, *b} - {own}:
            yield play(mechanism, put(b, n, lie), theta).utilities[n] - truth


# what makes the truth best -------------------------------------------------------------------------------------------


def bounds(tool, c, others, y, z, share, wait):
    """Least and largest rise of the full price from a declaration y to z under which no lie pays."""
    rate, ends = [], []
    for own in (y, z):
        b = (own, *others)
        schedule = plainly.best_schedule(c, b, ("sum", None), "listed")
        machine = plainly.places(schedule, len(b))[0][0]
        planned = plainly.ends(schedule, c, b)
        rate.append(1 / c[machine])
        ends.append(max(planned[k] for k in schedule[machine]) - planned[0])
    if tool == "order-only":
        return (z - y) * rate[1], (z - y) * rate[0]
    if tool == "postpone":
        return F(0), max(wait, ends[0]) + (z - y) * rate[0]
    return F(0), (z - y) * rate[0] / (share if tool == "renice" else 1)


@pytest.mark.parametrize("tool", sorted(TOOLS))
@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_ex_post_truth_is_best_just_where_full_prices_rise_within_bounds(tool, rng):
    """Theorem 1, on tables of random full prices of one agent; whoever is killed for a lie can be asked anything."""
    c, others = tuple(power(rng) for _ in range(rng.randint(1, 2))), tuple(F(rng.randint(1, 3)) for _ in range(2))
    share, wait = rng.choice([F(1), F(1, 2)]), rng.choice([F(0), F(1)])
    price = {F(y): F(rng.randint(0, 8), 2) for y in (1, 2, 3)}
    rows = []
    for y, full in price.items():
        b = (y, *others)
        planned = plainly.ends(plainly.best_schedule(c, b, ("sum", None), "listed"), c, b)
        rows.append({"declarations": b, "payments": (full - planned[0], 0, 0)})
    penalty = {"renice": share, "postpone": wait}.get(tool)
    mechanism = build("designed", Cluster(c), tool=tool, penalty=penalty, table=rows)
    pays = any(
        play(mechanism, (lie, *others), (truth, *others)).utilities[0]
        > play(mechanism, (truth, *others), (truth, *others)).utilities[0]
        for truth in price
        for lie in price
    )
    fine = True
    for y, z in combinations(sorted(price), 2):
        least, most = bounds(tool, c, others, y, z, share, wait)
        fine &= tool == "kill" or least <= price[z] - price[y] <= most
    assert pays != fine


def any_schedules(rng, agents, machines):
    """An allocation that follows no goal: for each declared profile, always the same one."""
    seed = rng.random()

    def allocate(declared):
        own = random.Random(f"{seed} {declared}")
        lists = [[] for _ in range(machines)]
        for n in own.sample(range(agents), agents):
            own.choice(lists).append(n)
        return lists

    return rng.choice([None, allocate])


def pays(mechanism, said, worlds):
    """Whether the first agent gains by a lie in one of these worlds of the others, who declare the same."""
    for truth, lie in permutations((F(1), F(2), F(3)), 2):
        for lengths in worlds:
            honest, lied = (play(mechanism, (b, *said), (truth, *lengths)).utilities[0] for b in (truth, lie))
            if lied > honest:
                return True
    return False


def priced(c, full, said, **options):
    """The mechanism with these full prices of the first agent by her declaration."""
    free = build("designed", Cluster(c), price="0", **options)
    profiles = {y: (y, *said) for y in full}
    rows = [
        {"declarations": b, "payments": (full[y] - free.plan(b).planned[0], *(0 for _ in said))}
        for y, b in profiles.items()
    ]
    return build("designed", Cluster(c), table=rows, **options)


def others_of(rng):
    """What two others declare, and everything that they may be."""
    return tuple(F(rng.randint(1, 3)) for _ in range(2)), list(product((F(1, 2), F(1), F(3)), repeat=2))


@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_full_prices_that_rise_by_no_more_than_the_wait_are_dominant(rng):
    """Theorem 2, whatever the others declare and are, for any allocation."""
    c, (said, worlds) = tuple(power(rng) for _ in range(rng.randint(1, 2))), others_of(rng)
    wait, one, two, three = rng.choice([F(0), F(1), F(1, 3)]), F(1), F(2), F(3)
    options = {"tool": "postpone", "penalty": wait, "allocate": any_schedules(rng, 3, len(c))}
    free = build("designed", Cluster(c), price="0", **options)
    slope = {y: 1 / c[free.plan((y, *said)).places[0][0]] for y in (one, two)}
    full = {one: F(rng.randint(-2, 2))}
    full[two] = full[one] + rng.choice([F(0), F(1, 2), F(1)]) * (wait + slope[one])
    room = min(full[two] + wait + slope[two], full[one] + wait + 2 * slope[one]) - full[two]
    full[three] = full[two] + rng.choice([F(0), F(1, 2), F(1)]) * room
    assert not pays(priced(c, full, said, **options), said, worlds)


@pytest.mark.parametrize("tool", ["postpone", "renice", "run-on"])
@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_full_prices_that_rise_less_than_some_that_work_do_too(tool, rng):
    """Theorem 5: where S, or random prices, make the truth best, so does everything that rises and rises less."""
    c, (said, worlds) = tuple(power(rng) for _ in range(rng.randint(1, 2))), others_of(rng)
    worlds = worlds if tool == "postpone" else [said]  # else the others are truthful
    known = rng.random() < 0.5 and tool != "run-on"
    options = {"tool": tool, "allocate": None if known else any_schedules(rng, 3, len(c))}
    if tool != "run-on":
        waits = [F(0), F(2)] if tool == "postpone" else [F(1), F(1, 3)]
        options["penalty"] = ("exact" if tool == "postpone" else "repaired") if known else rng.choice(waits)
    rises = [F(rng.randint(0, 4), 2) for _ in range(2)]
    full = dict(zip((F(1), F(2), F(3)), (F(0), rises[0], sum(rises)), strict=True))
    full = {y: plainly.least_sum(c, (y, *said)) for y in full} if known else full
    works = not pays(priced(c, full, said, **options), said, worlds)
    assert works or not known
    if works:
        shares = [rng.choice([F(0), F(1, 3), F(1)]) for _ in range(2)]
        less = {F(1): F(0), F(2): shares[0] * (full[2] - full[1])}
        less[F(3)] = less[2] + shares[1] * (full[3] - full[2])
        assert not pays(priced(c, less, said, **options), said, worlds)


@pytest.mark.parametrize("agents", [7, 40])
@given(rng=st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_what_is_proved_for_any_number_of_agents(agents, rng):
    """Balance (theorems 3 and 6), prices >= 0 of full time, and slopes within the bounds of theorem 2."""
    c, b = tuple(power(rng) for _ in range(rng.randint(1, 4))), tuple(length(rng) for _ in range(agents))
    n, z = rng.randrange(agents), length(rng)
    y, z = sorted((b[n], z))
    for rule, powers in (("equal-share", c), ("shapley-share", c), ("full-time", c), ("bystander", c[:1])):
        low, high = (build(rule, Cluster(powers)).plan(put(b, n, x)) for x in (y, z))
        if rule == "full-time":
            assert all(0 <= p <= low.optimal_sum - e for p, e in zip(low.payments, low.planned, strict=True))
        else:
            assert sum(low.payments) == 0
        rise = high.payments[n] + high.planned[n] - low.payments[n] - low.planned[n]
        slowest = sorted(F(i) / power for power in powers for i in range(1, agents + 1))[agents - 1]
        assert 0 <= rise <= (z - y) * (slowest if rule == "shapley-share" else 1 / max(powers))


@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_equal_shares_make_every_lie_costly_for_any_allocation(rng):
    """Theorem 3(a), strictly for two agents or more where the allocation attains the smallest sum."""
    c, b, theta, scale = situation(rng)
    order = rng.choice([None, lambda declared: [list(range(len(declared))), *([] for _ in c[1:])]])
    mechanism = build("equal-share", Cluster(c), allocate=order)
    lies = [scale * length(rng), scale * 1000, scale / 1000]
    assert all(gain <= 0 and (gain < 0 or order or len(b) == 1) for gain in gains(mechanism, b, theta, lies))
    rent = play(mechanism, b, theta).rent
    assert rent == 0 if order is None else rent <= 0


@pytest.mark.parametrize(("rule", "agents", "machines"), [("full-time", (1, 2, 3, 4), 3), ("bystander", (3, 4), 1)])
@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_full_prices_of_slope_one_are_dominant(rule, agents, machines, rng):
    """Theorem 3(b), for any goal, and (c), for every index; under EVCG nobody pays less than for her full time."""
    c, b, theta, scale = situation(rng, machines, agents)
    goals = [None, WeightedSum(tuple(F(rng.randint(1, 3)) for _ in b)), *([Makespan()] if rule == "full-time" else [])]
    goal = rng.choice(goals)
    mechanism = build(rule, Cluster(c), goal, ties=rng.choice(["sum", "listed"]))
    assert all(gain <= 0 for gain in gains(mechanism, b, theta, [scale * length(rng), scale * 1000]))
    paid = play(mechanism, b, theta).payments
    if rule == "bystander":
        assert sum(paid) == 0
    else:
        assert all(
            0 <= p <= q for p, q in zip(paid, build("evcg-postpone", Cluster(c), goal).plan(b).payments, strict=True)
        )


@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_without_control_no_lie_changes_anything_for_a_bystander(rng):
    """Theorem 3(c): others truthful, a lie under these payments gains exactly 0 with outputs handed over at once."""
    c, _, theta, scale = situation(rng, 1, (3, 4))
    mechanism = build("bystander", Cluster(c))
    free = type(mechanism)(**{**vars(mechanism), "tools": RUNS["order-only"], "penalty": None})
    assert set(gains(free, theta, theta, [scale * length(rng), scale * 1000])) == {0}


@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_on_one_machine_postponing_alone_is_enough(rng):
    """Theorem 4, with any wait and for any index."""
    c, b, theta, scale = situation(rng, 1)
    goal = rng.choice([None, WeightedSum(tuple(F(rng.randint(0, 3)) for _ in b))])
    wait = rng.choice([F(0), scale, 7 * scale])
    mechanism = build("postpone-unpaid", Cluster(c), goal, penalty=wait, ties=rng.choice(["sum", "listed"]))
    assert all(gain <= 0 for gain in gains(mechanism, b, theta, [scale * length(rng), scale * 1000, scale / 1000]))


# shares --------------------------------------------------------------------------------------------------------------


@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_shapley_shares_are_fair(rng):
    """Theorem 6: balance, bounds on what one bears, no group subsidised, nobody worse off when another leaves."""
    c, b, _, _ = situation(rng)
    cluster, n = Cluster(c), len(b)

    def borne(declared):
        plan = build("shapley-share", cluster).plan(declared)
        return [e + p for e, p in zip(plan.planned, plan.payments, strict=True)]

    bears, least = borne(b), plainly.least_sum(c, b)
    multipliers = sorted(F(i) / power for power in c for i in range(1, n + 1))[:n]
    assert sum(bears) == least
    assert all(x / max(c) <= full <= x * sum(multipliers) / n for x, full in zip(b, bears, strict=True))
    assert max(bears) <= least
    for size in range(1, n + 1):
        for members in combinations(range(n), size):
            assert sum(bears[k] for k in members) >= plainly.least_sum(c, tuple(b[k] for k in members))
    for leaver in range(n):
        stay = [k for k in range(n) if k != leaver]
        assert (
            all(after <= bears[k] for k, after in zip(stay, borne([b[k] for k in stay]), strict=True)) if stay else True
        )


@pytest.mark.parametrize(
    ("options", "machines", "lying"),
    [
        ({}, 3, True),  # the exact wait
        ({"penalty": "static-end"}, 3, True),
        ({"penalty": 0}, 1, True),
        ({"penalty": 0}, 3, False),
        ({"tool": "renice"}, 3, False),
    ],
)
@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_shapley_shares_are_truthful_where_vcg_is(options, machines, lying, rng):
    """Theorem 6, by the comparison of theorem 5; ``lying``: whatever the others declare."""
    c, b, theta, scale = situation(rng, machines)
    for rule in ("shapley-share", "vcg-renice" if "tool" in options else "vcg-postpone"):
        own = {key: value for key, value in options.items() if key != "tool" or rule == "shapley-share"}
        mechanism = build(rule, Cluster(c), **own)
        assert all(g <= 0 for g in gains(mechanism, b if lying else theta, theta, [scale * length(rng), scale * 1000]))


@given(rng=st.randoms(use_true_random=False))
@INSTANCES
def test_no_group_gains_under_equal_shares(rng):
    """Theorem 8: not all gain, and none gains without a loser, to truthful others; on one machine never all."""
    c, b, theta, scale = situation(rng, agents=(2, 3, 4))
    mechanism = build("equal-share", Cluster(c), penalty=rng.choice([F(0), scale]))
    members = rng.sample(range(len(b)), rng.randint(1, len(b)))
    said = {n: rng.choice([scale * length(rng), b[n], theta[n]]) for n in members}
    for others in (theta, b):
        truth = tuple(theta[n] if n in said else x for n, x in enumerate(others))
        joint = tuple(said.get(n, x) for n, x in enumerate(others))
        before, after = (play(mechanism, declared, theta).utilities for declared in (truth, joint))
        change = [after[n] - before[n] for n in members]
        if others is theta:
            assert min(change) < 0 or not any(change)
        elif len(c) == 1:
            assert min(change) <= 0


# prices of one's own -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("price", "rule", "powers"),
    [
        ("S/3 - E", "equal-share", [1, 2]),
        ("all/2 - E", "full-time", [1, 2]),
        ("S - E", "evcg-postpone", [1, 2]),
        ("W - E", "vcg-postpone", [1, 2]),
        ("own + other(2) - E", "bystander", [1]),
        ("own + min(own, other(1))/2 + min(own, other(2))/2 - E", "shapley-share", [1]),
        ("0", "postpone-unpaid", [1, 2]),
    ],
)
def test_a_formula_says_what_a_rule_charges(price, rule, powers):
    """For three agents."""
    mechanism, designed = (build(name, Cluster.of(powers), price=p) for name, p in ((rule, None), ("designed", price)))
    for b in ([1, 2, 3], [3, 1, 3], [2, 2, 2], [F(7, 3), 1, 10**18]):
        assert designed.plan(b).payments == mechanism.plan(b).payments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"price": "S * E"}, "column 3: found a product of two quantities"),
        ({"price": "S / own"}, "column 3: found a quotient by a quantity"),
        ({"price": "S / (1 - 1)"}, "column 3: division by zero"),
        ({"price": "S ** 2"}, "found '\\*\\*'; expected an operator"),
        ({"price": "s"}, "'s' is not known"),
        ({"price": "other(0)"}, "expected other\\(1\\)"),
        ({"price": "other(own)"}, "expected other\\(1\\)"),
        ({}, "found nothing"),
        ({"price": "S", "table": []}, "found a price and a table"),
        ({"table": []}, "found no rows"),
        ({"table": [{"declarations": [1]}]}, "expected a table with declarations and payments"),
        ({"table": [{"declarations": [1, 2], "payments": [1]}]}, "found 1 for 2 agents"),
        ({"table": [{"declarations": {"a": 1}, "payments": {"b": 1}}]}, "expected the agents of the declarations"),
        ({"table": [{"declarations": [1], "payments": [1]}] * 2}, "found the profile of row 1 again"),
        ({"table": [{"declarations": [1], "payments": [0], "allocation": [[2]]}]}, "everybody once"),
        ({"table": [{"declarations": [1], "payments": [0], "allocation": [[1], []]}]}, "one per machine, 1"),
        ({"price": "S", "tool": "none"}, "'none' is not known"),
        ({"price": "S", "tool": "kill", "penalty": 1}, "takes none"),
        ({"price": "S", "rounds": 2}, "hold-back"),
        ({"price": ["S", "E * E"]}, "column 3: found a product of two quantities"),
    ],
)
def test_a_price_that_cannot_be_is_refused(options, message):
    with pytest.raises(ConsortiumError, match=message):
        build("designed", Cluster.of([1]), **options)


def test_a_formula_may_speak_of_others_that_there_are():
    mechanism = build("designed", Cluster.of([1]), price="other(2)")
    assert mechanism.plan([1, 2, 3]).payments == (2, 1, 1)
    with pytest.raises(InputError, match="found 2 for 3 agents; expected one each"):
        build("designed", Cluster.of([1]), price=["S", "E"]).plan([1, 2, 3])
    with pytest.raises(InputError, match="found other\\(2\\) with 2 agents"):
        mechanism.plan([1, 2])


def test_latex_of_a_formula_says_which_extra_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "sympy", None)  # not installed
    with pytest.raises(InputError, match=r"sympy is not installed; .* 'consortium\[formulas\]'"):
        Formula("S/2").to_latex()


def test_a_formula_of_sympy_has_the_same_values(tmp_path):
    """``Piecewise`` or not; and its LaTeX compiles where there is a compiler."""
    rng, lines = random.Random(7), []
    for _ in range(30):
        formula, b = Formula(price(rng, 3)), [F(rng.randint(1, 9), rng.randint(1, 3)) for _ in range(3)]
        of = Quantities.of(Cluster.of([1, 2]), tuple(b))
        for n, paid in enumerate(formula.payments(of)):
            others = sorted((x for k, x in enumerate(b) if k != n), reverse=True)
            values = {"S": of.least, "W": sum(of.planned), "E": of.planned[n], "own": b[n], "all": sum(b)}
            values |= {f"other({k})": x for k, x in enumerate(others, 1)}
            for expression in (formula.to_sympy(), formula.piecewise()):
                numbers = {each: sympy.Rational(str(values[each.name])) for each in expression.free_symbols}
                assert F(str(expression.subs(numbers))) == paid
        lines.append(rf"\[ {formula.to_latex()} \]")
    latex = r"- E_n(b) + \max\left(b_{-n}^{(2)}, b_n\right)"
    assert Formula("max(own, other(2)) - E").to_latex() == latex
    assert Formula("max(own, 1)").piecewise().has(sympy.Piecewise)
    if shutil.which("pdflatex"):
        text = "\n".join([r"\documentclass{article}\begin{document}", *lines, r"\end{document}"])
        (tmp_path / "f.tex").write_text(text)
        compiled = subprocess.run(
            ["pdflatex", "-halt-on-error", "f.tex"], cwd=tmp_path, capture_output=True, check=False
        )
        assert compiled.returncode == 0, compiled.stdout[-800:]


@pytest.mark.parametrize("rule", ["shapley-share", "evcg-postpone"])
def test_other_rules_take_no_price(rule):
    with pytest.raises(InputError, match="has payments of its own"):
        build(rule, Cluster.of([1]), price="S")


@pytest.mark.parametrize(("powers", "goal"), [([1, 1], None), ([1], Makespan())])
def test_a_bystander_needs_one_machine_and_an_index(powers, goal):
    with pytest.raises(InputError, match="is defined on one machine"):
        build("bystander", Cluster.of(powers), goal)
