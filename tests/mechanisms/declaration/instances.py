"""Generated instances: few agents, many ties, several liars on one machine, now and then ugly fractions.

Everything draws from a ``random.Random``: a seeded one for bulk, hypothesis' own (``st.randoms()``) where a failure
should be shrunk.
"""

from __future__ import annotations

from fractions import Fraction

from consortium.mechanisms.declaration import Cutoff, build
from consortium.mechanisms.declaration.catalogue import BY_TOOL, CUTOFF_NEEDED, DESIGNS, SUM_ONLY
from consortium.scheduling.clusters import Cluster
from consortium.scheduling.goals import (
    LexicalMax,
    Makespan,
    SquaredDeviation,
    SumOfTimes,
    WeightedMakespan,
    WeightedSum,
)

GRID = [Fraction(k, 2) for k in range(1, 7)]  # few values: many equal sizes
POWERS = [Fraction(1), Fraction(1), Fraction(2), Fraction(3, 2), Fraction(3), Fraction(1, 2)]
WEIGHTS = [Fraction(0), Fraction(1), Fraction(1), Fraction(9), Fraction(5, 2)]
TWO_ROUNDS = ("vcg-renice", "vcg-postpone", "evcg-renice", "evcg-postpone")


def length(rng):
    if rng.random() < 0.1:
        return Fraction(rng.randint(1, 10**10), rng.randint(10**9, 10**10))
    return rng.choice(GRID)


def power(rng):
    if rng.random() < 0.1:
        return Fraction(rng.randint(1, 10**5), rng.randint(10**4, 10**5))
    return rng.choice(POWERS)


def profile(rng, max_agents=4, max_machines=3):
    """Powers, declarations and lengths; an agent tells the truth about every other time."""
    n = rng.choice([k for k in (1, 2, 2, 2, 3, 3, 3, 3, 4) if k <= max_agents])
    m = rng.randint(1, max_machines if n < 4 else min(2, max_machines))
    theta = tuple(length(rng) for _ in range(n))
    b = tuple(x if rng.random() < 0.5 else length(rng) for x in theta)
    return tuple(power(rng) for _ in range(m)), b, theta


def goal(rng, n):
    weights = tuple(rng.choice(WEIGHTS) for _ in range(n))
    return rng.choice(
        [
            ("sum", None),
            ("makespan", rng.choice([1, 1, 2, 3, 4])),
            ("lexical-max", None),
            ("weighted-sum", weights),
            ("weighted-makespan", weights),
            ("squared-deviation", rng.choice([Fraction(0), Fraction(3), Fraction(20)])),
        ]
    )


def game(rng, rules, max_agents=4, max_machines=3, rounds=1):
    """A rule with options that fit, and a profile: (rule, c, b, theta, options of ``plainly``)."""
    c, b, theta = profile(rng, max_agents, max_machines)
    rule = rng.choice(rules)
    if rule == "bystander":
        c, b, theta = c[:1], (*b, length(rng), b[0])[: max(3, len(b))], (*theta, length(rng), theta[0])
        theta = theta[: len(b)]
    chosen = ("sum", None) if rule in SUM_ONLY else goal(rng, len(b))
    if rule == "bystander" and chosen[0] not in ("sum", "weighted-sum"):
        chosen = ("sum", None)
    options = {"goal": chosen, "ties": rng.choice(["sum", "listed"])}
    tool = DESIGNS[rule].tool
    if DESIGNS[rule].tools:
        tool = options["tool"] = rng.choice(DESIGNS[rule].tools)
    if rule == "designed":
        options["price"] = price(rng, len(b))
        if rng.random() < 0.3:
            options["price"] = [price(rng, len(b)) for _ in b]
    if tool in BY_TOOL:
        options["penalty"] = penalty(rng, tool, chosen, len(b), rounds)
    if tool == "postpone":
        options.update(cutoff(rng, options["penalty"], b))
    if rounds == 2:
        options["holdback"] = rng.choice(["repaired", "printed"])
    options["values"] = [Fraction(rng.randint(0, 40), 2) for _ in b]
    return rule, c, b, theta, options


def price(rng, n, depth=3):
    """A piecewise-linear expression, as text."""
    if depth == 0 or rng.random() < 0.2:
        names = ["S", "W", "E", "own", "all", "1/2", "3", *(f"other({k})" for k in range(1, n))]
        return rng.choice(names)
    parts = [price(rng, n, depth - 1) for _ in range(2)]
    form = rng.choice(["({} + {})", "({} - {})", "max({}, {}, 1)", "min({}, {})", "(2/3 * {} - {} / 5)", "-({1})"])
    return form.format(*parts)


def penalty(rng, tool, chosen, n, rounds=1):
    if tool == "renice":
        numbers = [Fraction(1), Fraction(1, 2), Fraction(2, 7)]
    else:
        numbers = [Fraction(0), Fraction(1, 2), Fraction(5)]
    named = [p for p in BY_TOOL[tool] if p != "static-end" or chosen[0] == "sum"]
    formula = [price(rng, n, 2)] if (tool, rounds) == ("postpone", 1) else []
    return rng.choice([*named, *named, rng.choice(numbers), tuple(rng.choice(numbers) for _ in range(n)), *formula])


def cutoff(rng, chosen, b):
    kind = CUTOFF_NEEDED.get(chosen) if isinstance(chosen, str) else None
    kind = kind or rng.choice([None, None, "difference", "absolute"])
    if kind == "difference":
        return {"H_diff": rng.choice([Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(7)])}
    if kind == "absolute":
        return {"H_abs": max(b) + rng.choice([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(6)])}
    return {}


def as_goal(chosen):
    name, parameter = chosen
    made = {
        "sum": lambda: SumOfTimes(),
        "makespan": lambda: Makespan(parameter),
        "lexical-max": lambda: LexicalMax(),
        "weighted-sum": lambda: WeightedSum(parameter),
        "weighted-makespan": lambda: WeightedMakespan(parameter),
        "squared-deviation": lambda: SquaredDeviation(parameter),
    }
    return made[name]()


def package(rule, c, options):
    """The package's mechanism for the options of ``plainly``."""
    bound = None
    if options.get("H_diff") is not None:
        bound = Cutoff("difference", options["H_diff"])
    if options.get("H_abs") is not None:
        bound = Cutoff("absolute", options["H_abs"])
    return build(
        rule,
        Cluster(c),
        as_goal(options["goal"]),
        tool=options.get("tool"),
        penalty=options.get("penalty"),
        price=options.get("price"),
        cutoff=bound,
        ties=options["ties"],
        rounds=2 if "holdback" in options else 1,
        holdback=options.get("holdback", "repaired"),
        values=options["values"],
    )
