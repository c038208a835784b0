"""Each shipped scenario against the plain definition, and against what the thesis and the corrections to it say.

The package is checked on the same files elsewhere (every shipped scenario is); here no line of it runs.
"""

from __future__ import annotations

from fractions import Fraction as F
from types import SimpleNamespace

import pytest

from ...games.verification import plain
from ...mechanisms.declaration import plainly
from ...mechanisms.declaration.shipped import FOLDER, Shipped, load

NAMES = sorted(path.stem for path in (FOLDER / "agmon2003").glob("*.toml"))
PLAYED = [name for name in NAMES if "run" in load(f"agmon2003/{name}")["expect"]]  # the others are about all lengths

# What the text says, by hand; "-truth" and "-repaired" scenarios are the twins.
PUBLISHED = {
    "3.1.1": {"ann.work": [[0, 1, 1], [2, 3, 1]], "bob.work": [[1, 2, 1]]},
    "3.1.2": {"ann.work": [[10, 30, 1]], "bob.work": [[0, 10, 1]], "ann.machine": 2, "bob.machine": 2},
    "5.2.1": {"ann.utility": F(-13, 10), "ann.payment": F(3, 10), "ann.output": 1, "bob.output": F(21, 10)},
    "5.2.1-truth": {"ann.utility": F(-23, 10), "ann.payment": F(1, 5), "ann.output": F(21, 10)},
    "5.2.2": {"ann.utility": F(-7, 2)},
    "5.3.1": {"bob.output": float("inf")},
    "5.4.1": {"ann.utility": -F(11, 10) / F(3, 2), "ann.machine": 2},
    "5.4.1-truth": {"ann.utility": -1, "ann.machine": 1},
    "5.4.1-integers": {"ann.utility": F(-3, 2)},
    "7.2": {"ann.payment": -99, "rent": -99},
    "7.5.1": {"ann.utility": 10 - 2, "bob.stayed": False},
    "7.5.1-truth": {"ann.utility": 10 - 3},
    "7.5.1-repaired": {"ann.utility": 10 - 3},
    "4.4-printed": {"ann.utility": -2},
    "5.5-not-dominant": {"ann.utility": -5},
    "5.5-not-dominant-truth": {"ann.utility": -6},
    "6.9-weighted-sum": {"ann.utility": -6, "ann.output": 5, "ann.penalty": 1, "ann.payment": 1, "optimal_sum": 5},
    "6.9-weighted-sum-repaired": {"ann.utility": -7, "ann.output": 6, "ann.penalty": F(1, 2)},
    "6.9-lexical-max": {"ann.utility": F(-14, 3)},
    "6.9-lexical-max-repaired": {"ann.utility": -5},
    "6.9-makespan": {"bob.utility": -5},
    "6.9-makespan-2": {"bob.utility": -11},
    "6.9-weighted-makespan": {"ann.utility": -5},
    "6.10-weighted-sum": {"bob.utility": F(-3, 2)},
    "6.10-weighted-sum-repaired": {"bob.utility": F(-5, 3)},
    "6.10-makespan": {"bob.utility": F(-13, 3)},
    "6.10-makespan-repaired": {"bob.utility": F(-14, 3)},
    "6.10-lexical-max": {"ann.utility": F(-14, 3)},
    "6.10-lexical-max-repaired": {"ann.utility": -5},
    "6.7-no-wait": {"ann.utility": -5},
    "6.7-exact": {"ann.utility": -6},
    "7.1-rent": {"ann.payment": F(-391, 50), "bob.payment": F(9, 50)},
    "7.3-evcg-renice": {"bob.output": 4},
    "7.3-one-millionth-off": {"bob.output": 5},
    "7.4-evcg-renice": {"bob.output": 4, "bob.planned": 2},
    "7.4-vcg-renice": {"bob.output": 4, "bob.planned": 2},
    "7.5-myopic": {"ann.stayed": False, "bob.stayed": False, "ann.utility": 0, "bob.utility": 0},
    "7.5-myopic-alone": {"ann.utility": F(3, 2)},
    "7.5-margins": {"ann.output": 3 + F(1, 10**6)},
    "7.5-margins-truth": {"ann.output": 1},
    "truth-is-one-of-the-best": {"ann.utility": -7},
}

# Whether truth pays: (dominant, ex post), None where nothing is said.
TRUTHFUL = {
    "3.4.1": (False, False),
    "4.4": (True, True),
    "4.4-printed": (False, False),
    "5.2.1": (False, None),
    "5.2.2": (False, False),
    "5.3.1": (True, True),
    "5.4.1": (False, False),
    "5.4.1-integers": (False, False),
    "5.4.1-paid": (True, True),
    "5.5-not-dominant": (False, True),
    "5.9": (True, True),
    "5.9-static-end": (True, True),
    "6.9-weighted-sum": (False, False),
    "6.9-weighted-sum-repaired": (None, True),
    "6.9-lexical-max": (False, False),
    "6.9-lexical-max-repaired": (None, True),
    "6.9-makespan": (False, False),
    "6.9-makespan-repaired": (None, True),
    "6.9-makespan-2": (False, False),
    "6.9-makespan-2-repaired": (None, True),
    "6.9-weighted-makespan": (False, False),
    "6.9-weighted-makespan-repaired": (None, True),
    "6.10-weighted-sum": (False, False),
    "6.10-weighted-sum-repaired": (None, True),
    "6.10-makespan": (False, False),
    "6.10-makespan-repaired": (None, True),
    "6.10-lexical-max": (False, False),
    "6.10-lexical-max-repaired": (None, True),
    "6.10-lexical-max-no-ties": (False, False),
    "6.10-lexical-max-no-ties-repaired": (None, True),
    "6.6-not-dominant": (False, True),
    "6.7-no-wait": (False, False),
    "6.7-exact": (True, True),
    "6.7-almost-exact": (False, False),
    "6.8": (True, True),
    "7.1-no-cut-off": (True, True),
    "7.5.1": (False, False),
    "7.5.1-repaired": (True, True),
    "truth-is-one-of-the-best": (None, True),
}


def told(scenario, b=None, theta=None):
    play = plainly.two_rounds if "holdback" in scenario.options else plainly.one_round
    return play(scenario.rule, scenario.c, b or scenario.b, theta or scenario.theta, **scenario.options)


FIELDS = {"utility": "utilities", "payment": "payments", "penalty": "penalties"}


def look_up(scenario, run, key):
    """The value under a key of ``[expect.run]`` in what ``plainly`` tells."""
    first, _, field = key.partition(".")
    if first == "welfare":
        welfare = run["welfare"][field == "final"]
        return list(welfare) if isinstance(welfare, tuple) else welfare
    if not field:
        return run[{"optimal_sum": "S"}.get(key, key)]
    agent, _, field = field.rpartition(".")
    n = scenario.names.index(agent or first)
    if first == "first_round":
        return run["offer"][field == "payment"][n]
    if field in ("machine", "position"):
        return plainly.places(run["schedule"], len(scenario.b))[n][field == "position"] + 1
    value = run[FIELDS.get(field, field)][n]
    return [list(piece) for piece in value] if field == "work" else list(value) if field == "controls" else value


def flat(table, prefix=""):
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


@pytest.mark.paper("Agmon 2003")
@pytest.mark.parametrize("name", PLAYED)
def test_expected_runs_by_definition(name):
    scenario = Shipped(f"agmon2003/{name}")
    run = told(scenario)
    expected = dict(flat(scenario.data["expect"]["run"]))
    assert {key: look_up(scenario, run, key) for key in expected} == expected


@pytest.mark.paper("Agmon 2003")
@pytest.mark.parametrize("name", sorted(PUBLISHED))
def test_the_files_hold_the_published_numbers(name):
    expected = dict(flat(Shipped(f"agmon2003/{name}").data["expect"]["run"]))
    keys = {key if key in expected else f"agents.{key}": value for key, value in PUBLISHED[name].items()}
    assert {key: expected[key] for key in keys} == keys


@pytest.mark.paper("Agmon 2003")
@pytest.mark.parametrize("name", sorted(TRUTHFUL))
def test_whether_truth_pays(name):
    scenario = Shipped(f"agmon2003/{name}")
    lengths, declarations = scenario.grid("lengths"), scenario.grid("declarations")
    expected = scenario.data["expect"].get("verify", {})
    for concept, holds in zip(("dominant", "ex-post"), TRUTHFUL[name], strict=True):
        stated = expected.get(concept.replace("-", "_"), {})
        if holds is None and not stated:
            continue
        play = SimpleNamespace(run=lambda b, theta: (None, None, told(scenario, b, theta)["utilities"]))
        _, _, gain, _ = plain.check(play, lengths, declarations, concept)
        assert holds is None or (gain <= 0) == holds, (concept, gain)
        assert stated.get("holds", gain <= 0) == (gain <= 0)
        assert stated.get("max_gain", gain) == gain
