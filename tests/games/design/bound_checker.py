"""Whether the rows of a bound on designed payments or penalties add up, without a line of the package.

Every coefficient of a row is found again by two plain runs near its limit: in the cell conditions are linear, so what
they are at the limit follows from what they are at two points on the way there.
"""

from __future__ import annotations

from fractions import Fraction as F

from ...mechanisms.declaration import plainly

NEAR = F(1, 10**9)
LONG = F(10**30)  # a wait behind which nothing else matters, near a limit neither


FEATURES = {  # of an agent's declaration, those of the others (longest first), planned time, all planned times, S
    "S": lambda own, others, end, ends, least: least,
    "E": lambda own, others, end, ends, least: end,
    "W": lambda own, others, end, ends, least: sum(ends),
    "own": lambda own, others, end, ends, least: own,
    "all": lambda own, others, end, ends, least: own + sum(others),
    "other(1)": lambda own, others, end, ends, least: others[0],
    "other(2)": lambda own, others, end, ends, least: others[1],
    "max(own, other(1))": lambda own, others, end, ends, least: max(own, others[0]),
    "min(E, own)": lambda own, others, end, ends, least: min(end, own),
    "other(1) + min(own, other(1))/2": lambda own, others, end, ends, least: others[0] + min(own, others[0]) / 2,
    "max(other(1) - own, 0)": lambda own, others, end, ends, least: max(others[0] - own, F(0)),
    "own - other(1)": lambda own, others, end, ends, least: own - others[0],
    "1": lambda own, others, end, ends, least: F(1),
}


def features(texts, n, b, one):
    others = sorted((x for k, x in enumerate(b) if k != n), reverse=True)
    return {text: FEATURES[text](b[n], others, one["planned"][n], one["planned"], one["S"]) for text in texts}


def run(certificate, setting, declared, lengths, waits=None):
    """Output times, everybody's features, S, and payments."""
    c, goal, rule, penalty, *price = setting
    one = plainly.one_round(rule, c, declared, lengths, goal, waits or penalty, price=price[0] if price else None)
    texts = list(dict.fromkeys(u[0] for u in certificate["unknowns"][1:-1]))
    return one["output"], [features(texts, n, declared, one) for n in range(len(declared))], one["S"], one["payments"]


def late(certificate, setting, declared, truth, lengths, n, below):
    """The condition on a wait, and its features: only where the lie, without one, pays."""
    waits = (F(0),) * len(lengths)
    early, known, _, paid = run(certificate, setting, declared, lengths, waits)
    on_time, _, _, due = run(certificate, setting, truth, lengths, waits)
    assert early[n] + paid[n] < on_time[n] + due[n]
    bill = paid[n] - on_time[n] - due[n]
    if not below:
        return early[n] + bill, {}
    held, *_ = run(certificate, setting, declared, lengths, plainly.with_entry(waits, n, LONG))
    return held[n] - LONG + bill, {n + 1: known[n]}


def coefficients(certificate, row, setting, z):
    """Of the condition at a point, by plain runs; None where it says nothing."""
    unknowns, names = certificate["unknowns"], ["", *row["names"]]
    at = {name: F(x) / z[0] for name, x in zip(names[1:], z[1:], strict=True)}
    n_agents, statement, n = certificate["agents"], row["statement"], row["agent"]
    lengths = tuple(at[f"theta{k}"] for k in range(1, n_agents + 1))
    paid, constant, ratio = {}, F(0), F(0)
    if statement in ("dominant", "ex-post"):
        others = lengths if statement == "ex-post" else tuple(at.get(f"b{k}", x) for k, x in enumerate(lengths, 1))
        lie, truth = at[f"lie{n}"], lengths[n - 1]
        assert row["side"] == ("below" if lie < truth else "above")
        assert lie != truth
        lied, told = (plainly.with_entry(others, n - 1, b) for b in (lie, truth))
        if certificate["objective"] == "penalty-ratio":
            constant, paid = late(certificate, setting, lied, told, lengths, n - 1, lie < truth)
        else:
            after, wrong, *_ = run(certificate, setting, lied, lengths)
            on_time, right, *_ = run(certificate, setting, told, lengths)
            constant = after[n - 1] - on_time[n - 1]
            paid[n] = {t: wrong[n - 1][t] - right[n - 1][t] for t in wrong[n - 1]}
    else:
        _, known, least, _ = run(certificate, setting, lengths, lengths)
        assert (n is None) == (statement in ("no-deficit", "balanced", "rent-ratio"))
        sign = -1 if statement.endswith("ratio") else 1
        ratio = least if sign < 0 else F(0)
        for k in range(1, n_agents + 1) if n is None else [n]:
            paid[k] = {t: sign * x for t, x in known[k - 1].items()}
    found = [constant]
    for text, owner in unknowns[1:-1]:
        found.append(sum((x[text] for k, x in paid.items() if owner in (None, k)), F(0)))
    return [z[0] * x for x in (*found, ratio)]


def refusal(certificate, setting):
    """Why a certificate proves nothing; None where it proves what it says."""
    allowed = {certificate["concept"], certificate["objective"], *certificate["conditions"]}
    total = [F(0)] * len(certificate["unknowns"])
    for row in certificate["rows"]:
        multiplier, limit, inside = F(*row["multiplier"]), row["limit"], row["inside"]
        if multiplier < 0 and row["statement"] != "balanced":
            return "a negative multiplier"
        if row["statement"] not in allowed or min(limit) < 0 or min(inside) <= 0:
            return "a row that was not asked for, or no lengths"
        for test in row["tests"]:
            here, there = (sum(a * x for a, x in zip(test["row"], z, strict=True)) for z in (inside, limit))
            if here < test["strict"] or there < 0:
                return "a test that fails"
        near = [[F(x) + e * y for x, y in zip(limit, inside, strict=True)] for e in (NEAR, NEAR / 2)]
        try:
            far, close = (coefficients(certificate, row, setting, z) for z in near)
        except (AssertionError, KeyError):
            return "another situation than it says"
        at_limit = [2 * y - x for x, y in zip(far, close, strict=True)]
        stated = [sum(a * x for a, x in zip(form, limit, strict=True)) for form in row["forms"]]
        scale = next((s / x for s, x in zip(stated, at_limit, strict=True) if x), F(0))
        if (scale <= 0 and row["statement"] != "balanced") or [scale * x for x in at_limit] != stated:
            return "another condition than it says"
        total = [t + multiplier * s for t, s in zip(total, stated, strict=True)]
    if certificate["bound"] is None:
        return None if total[0] < 0 and not any(total[1:]) else "no contradiction"
    bound = F(*certificate["bound"])
    expected = [-bound, *[F(0)] * (len(total) - 2), F(1)]
    return None if bound == 0 or total == expected else "another sum"
