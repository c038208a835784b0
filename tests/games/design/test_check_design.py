"""The checker of certificates of designed payments: what is true is accepted, what is changed refused or still true."""

from __future__ import annotations

import copy
import functools
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from consortium.games.design.allocation import best_allocation
from consortium.games.design.certificate import as_certificate, plan_again, write_certificate
from consortium.games.design.check_design import check
from consortium.games.design.cycles import least_fine, negative_cycle
from consortium.games.design.envy import bare, envy
from consortium.games.design.payments import Payments, Question, best_payments, plans
from consortium.games.reading import Refused, Stopped, Unreadable
from consortium.games.verification.domain import Domain
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.penalties import Cutoff
from consortium.scheduling.clusters import Cluster
from consortium.support.errors import InputError
from consortium.verbs.check import check as check_files

from ...mechanisms.declaration.plainly import ends, run_machine
from ..stand_alone import checker, needs_only_python
from . import reference

CHECKER = checker("design")
DOMAIN = Domain.of([1, 2, 3], agents=2)


def rule(tool: str, powers: Any = (1,), **options: Any) -> OneRound:
    made = bare(build("designed", Cluster.of(powers), tool=tool, price="0", **options))
    assert type(made) is OneRound
    return made


def paid(mechanism: OneRound, question: Question) -> dict[str, Any]:
    """The certificate of the best payments, or of the rows that contradict each other."""
    graphs = envy(mechanism, question.domain, question.concept)
    assert negative_cycle(graphs) is None or question.fine
    answer = best_payments(question, graphs, plans(mechanism, mechanism.cluster, question.declared))
    return as_certificate(question, mechanism, "a rule", payments=answer, graphs=graphs)


def asked(objective: str, *conditions: str, concept: Any = "ex-post", domain: Domain = DOMAIN, **more: Any) -> Question:
    return Question(domain, concept, objective, conditions=frozenset(conditions), **more)


def no_payments(fined: bool) -> dict[str, Any]:
    """A cycle, or the least fine."""
    mechanism, question = rule("bare"), asked("spread", concept="dominant")
    graphs = envy(mechanism, DOMAIN, "dominant")
    if not fined:
        return as_certificate(question, mechanism, "a rule", cycle=negative_cycle(graphs))
    fine, cycle = least_fine(graphs)
    question = replace(question, fine=fine)
    answer = best_payments(question, graphs, plans(mechanism, mechanism.cluster, question.declared))
    return as_certificate(question, mechanism, "a rule", cycle=cycle, payments=answer)


def scheduled(tool: str, *conditions: str, lottery: bool = False, money: bool = True, **more: Any) -> dict[str, Any]:
    """Allocations that were designed."""
    mechanism, question = rule(tool), asked("spread", *conditions, concept="dominant", **more)
    chosen = best_allocation(question, mechanism, lottery=lottery, money=money)
    return as_certificate(question, mechanism, "a rule", chosen=chosen, money=money)


def unproved() -> dict[str, Any]:
    """Payments that are not shown to be best."""
    mechanism, question = rule("postpone", penalty=0), asked("rent", "prices-nonnegative", concept="dominant")
    table = {b: (F(1), F(1)) for b in question.declared}
    return as_certificate(question, mechanism, "a rule", payments=Payments("open", F(2), table))


MADE = {
    "cycle": lambda: no_payments(False),
    "fine": lambda: no_payments(True),
    "least": lambda: paid(rule("bare"), asked("rent", "prices-nonnegative")),
    "sum": lambda: paid(
        rule("renice", (1, 2)), asked("rent-sum", "prices-nonnegative", domain=Domain.of([1, 2], agents=3))
    ),
    "ratio": lambda: paid(rule("renice"), asked("rent-ratio", "no-deficit", "prices-nonnegative")),
    "prior": lambda: paid(
        rule("renice"), asked("rent-prior", "prices-nonnegative", prior=({F(1): F(1, 2), F(2): F(1, 2)}, {F(3): F(1)}))
    ),
    "payment": lambda: paid(rule("bare"), asked("payment", "prices-nonnegative")),
    "spread": lambda: paid(rule("order-only"), asked("spread", "prices-nonnegative")),
    "strictness": lambda: (
        Question
        and paid(
            rule("postpone", penalty="exact", cutoff=Cutoff("difference", 1)),
            asked("strictness", "balanced", concept="dominant", most=True),
        )
    ),
    "most": lambda: paid(
        rule("postpone", penalty=0),
        asked(
            "rent", "takes-part", "no-deficit", most=True, values=(F(9, 2), F(9, 2)), domain=Domain.of([1, 2], agents=2)
        ),
    ),
    "alike": lambda: paid(
        rule("postpone", penalty=0), asked("rent", "prices-nonnegative", "anonymous", concept="dominant")
    ),
    "unlike": lambda: paid(rule("bare", (1, 2)), asked("rent", "prices-nonnegative", "anonymous", concept="dominant")),
    "cap": lambda: paid(rule("bare"), asked("spread", "prices-nonnegative", "cap", cap=F(2))),
    "contradiction": lambda: paid(
        rule("postpone", penalty=0), asked("rent", "takes-part", "no-deficit", values=(F(5, 2), F(5, 2)))
    ),
    "unproved": unproved,
    "lottery": lambda: scheduled("bare", lottery=True),
    "certain": lambda: scheduled("bare"),
    "unpaid": lambda: scheduled("bare", money=False),
    "no schedules": lambda: scheduled(
        "order-only", "balanced", "takes-part", values=(F(1), F(1)), domain=Domain.of([1, 2], agents=2)
    ),
}
SAYS = {
    "cycle": "no payments known in advance make",
    "fine": "none do with a smaller fine",
    "cap": "no payments make",
    "unlike": "no payments make",
    "contradiction": "no payments make",
    "unproved": "not shown to be best",
    "certain": "with cost 53",
    "lottery": "with cost 50",
    "no schedules": "no payments and schedules make",
}


@functools.cache
def proof(name: str) -> dict[str, Any]:
    """A certificate, as a file has it."""
    return dict(json.loads(json.dumps(MADE[name]())))


def verdict(certificate: Any) -> str:
    """The checker's answer: "proved", "refused", "unreadable" or "stopped"; nothing else may come."""
    try:
        check(certificate)
    except (Refused, Stopped, Unreadable) as error:
        return type(error).__name__.lower()
    return "proved"


@pytest.mark.parametrize("name", MADE)
def test_what_is_true_is_accepted_and_said(name: str) -> None:
    text = check(proof(name))
    assert SAYS.get(name, "none are better on this domain") in text
    assert text.endswith("is for 'consortium check --against' to show.")


# what is changed is refused, or still true ----------------------------------------------------------------------------


@dataclass(frozen=True)
class AsWritten(reference.Instance):
    """The question of a certificate, with output times run from the plans in it by the plain reference."""

    setting: Any = field(default=None, compare=False)

    @classmethod
    def of(cls, certificate: dict[str, Any]) -> AsWritten:
        q, setting = certificate["question"], certificate["setting"]
        return cls(
            powers=tuple(map(F, setting["powers"])),
            tool=setting["tool"],
            lengths=tuple(tuple(map(F, own)) for own in q["lengths"]),
            declarations=tuple(tuple(map(F, own)) for own in q["declarations"]),
            dominant=q["concept"] == "dominant",
            objective=q["objective"] or "spread",
            conditions=frozenset(q["conditions"]),
            cap=None if q["cap"] is None else F(q["cap"]),
            fine=F(q["fine"]),
            values=tuple(map(F, q["values"] or ())),
            prior=tuple({F(x): F(p) for x, p in own} for own in q["prior"] or ()),
            setting=setting,
        )

    def chance(self, b: Any) -> F:
        p = F(1)
        for own, x in zip(self.prior, b, strict=False):
            p *= own.get(x, F(0))
        return p

    def output(self, b: Any, theta: Any) -> Any:
        plan = next(plan for plan in self.setting["plans"] if tuple(map(F, plan[0])) == b)
        return self.run(plan, b, theta)

    def run(self, plan: Any, b: Any, theta: Any) -> Any:
        tools, times = self.setting, {}
        planned = ends(plan[1], self.powers, b)
        if not tools["hold"]:
            return ends(plan[1], self.powers, theta)
        s = [None if x is None else F(x) for x in plan[2]]
        for m, jobs in enumerate(plan[1]):
            last = max((planned[k] for k in jobs), default=F(0))
            release = [last if x is None else planned[n] + x for n, x in enumerate(s)]
            limit = None if tools["cutoff"] is None else F(tools["cutoff"][1])
            flags = tools["tool"], tools["close"], tools["early"]
            run = run_machine(self.powers[m], jobs, b, theta, planned, *flags, s, release, limit, None)
            times |= {n: end for n, (end, _, _) in run.items()}
        return tuple(times[n] for n in range(len(b)))


def still_true(certificate: dict[str, Any], original: dict[str, Any]) -> bool:
    """Whether an answer about payments is true, by the plain reference; plans that it has not are the original's."""
    plans_there = [*certificate["setting"]["plans"], *original["setting"]["plans"]]
    setting = {**certificate["setting"], "plans": plans_there}
    case, answer = AsWritten.of({**certificate, "setting": setting}), certificate["answer"]
    if "cycle" in answer and "table" not in answer:
        return contradicts(case, answer["cycle"])
    if "cycle" in answer:
        return bool(reference.least_fine(case) == case.fine) and in_order(case, answer)
    if "table" not in answer:
        return reference.best(case) is None
    return in_order(case, answer) and ("rows" not in answer or reference.best(case) == F(answer["value"]))


def contradicts(case: AsWritten, cycle: Any) -> bool:
    """Whether lies that follow on each other, by an agent whose others declare the same, gain in sum."""
    total = F(0)
    for one, then in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        n, true, lie = one["agent"], F(one["true"]), F(one["declared"])
        others, world = tuple(map(F, one["others"])), reference.put(tuple(map(F, one["lengths"])), n, true)
        if (n, lie, one["others"]) != (then["agent"], F(then["true"]), then["others"]):
            return False
        if (n, lie, others, world) not in set(reference.comparisons(case)):
            return False
        truth, lied = (case.output(reference.put(others, n, x), world)[n] for x in (true, lie))
        total += lied - truth + case.fine
    return total < 0


def in_order(case: AsWritten, answer: Any) -> bool:
    """Whether a table meets all rows, and has the value."""
    if "table" not in answer:
        return True
    table = {tuple(map(F, b)): tuple(map(F, prices)) for b, prices in answer["table"]}
    value = reference.objective_of(case, table)
    return not reference.breaks(case, table) and ("value" not in answer or value == F(answer["value"]))


def holds(certificate: dict[str, Any], original: dict[str, Any]) -> bool:
    """Whether what an edited certificate says is true."""
    if certificate["question"]["objective"] != "cost":
        return still_true(certificate, original)
    if "lotteries" in certificate["answer"]:
        return lotteries_hold(certificate, original)
    return all(certificate[key] == original[key] for key in ("question", "setting"))  # it says the same


def lotteries_hold(certificate: dict[str, Any], original: dict[str, Any]) -> bool:
    """Whether schedules of the same cost make the truth best under the payments of an edited certificate."""
    case, answer = AsWritten.of(certificate), certificate["answer"]
    lots = {tuple(map(F, b)): lot for b, lot in answer["lotteries"]}
    plan = {(tuple(map(F, p[0])), json.dumps(p[1])): p for p in certificate["setting"]["plans"]}
    table = {tuple(map(F, b)): tuple(map(F, prices)) for b, prices in answer["table"]}

    def expected(n: int, b: Any, theta: Any) -> F:
        return sum((F(p) * case.run(plan[b, json.dumps(s)], b, theta)[n] for p, s in lots[b]), F(0))

    if answer["value"] != original["answer"]["value"]:
        return False
    for n, lie, others, theta in reference.comparisons(case):
        honest, lied = reference.put(others, n, theta[n]), reference.put(others, n, lie)
        price = table[honest][n] - table[lied][n] if answer["money"] else F(0)
        if price > expected(n, lied, theta) - expected(n, honest, theta):
            return False
    return True


def other_number(rng: random.Random, x: Any) -> Any:
    """Another number near it, or its negative."""
    value = F(x)
    changed = rng.choice([value + 1, value - 1, -value, value * 2, value / 2, value + F(1, 7)])
    changed = changed if changed != value else value + 1
    return changed.numerator if changed.denominator == 1 else str(changed)


def spots(x: Any, number: bool) -> Iterator[tuple[Any, Any]]:
    """Places of numbers, or of lists, in data."""
    for key, value in enumerate(x) if isinstance(x, list) else x.items():
        is_number = type(value) is int or (type(value) is str and value.strip("-")[:1].isdigit())
        if is_number if number else isinstance(x, list) and len(x) > 1:
            yield x, key
        if isinstance(value, list | dict):
            yield from spots(value, number)


def edited(rng: random.Random, name: str) -> tuple[str, dict[str, Any]]:
    """One thing is changed: a number, a row dropped or put twice, two things exchanged, a plan."""
    c = copy.deepcopy(proof(name))
    designed = c["question"]["objective"] == "cost"
    kind = rng.choice(["number", "number", "drop", "twice", "exchange", "label", "plan", "question"])
    where = c["answer"]
    if kind in ("plan", "question") and not designed:
        where = (
            c["setting"]["plans"]
            if kind == "plan"
            else {k: c["question"][k] for k in ("fine", "cap") if c["question"][k] is not None}
        )
    if kind == "question" and not designed:
        c["question"] |= {"fine": other_number(rng, c["question"]["fine"])}
    elif kind in ("number", "plan", "question"):
        inside, key = rng.choice([*spots(where, True)])
        inside[key] = other_number(rng, inside[key])
    elif kind == "label":
        rows = [at for at in spots(where, False) if type(at[0][at[1]]) is str and at[1] == 0]
        if rows:
            inside, key = rng.choice(rows)
            inside[key] = rng.choice(["no-deficit", "balanced", "cap", "rent", "truth", "chance", "not", "S", "L", "x"])
    else:
        inside, key = rng.choice([*spots(where, False)])
        if kind == "exchange":
            other = rng.randrange(len(inside))
            inside[key], inside[other] = inside[other], inside[key]
        else:
            inside[key : key + 1] = [] if kind == "drop" else [inside[key], copy.deepcopy(inside[key])]
    return kind, c


@pytest.mark.parametrize("block", range(10))
def test_edits_are_refused_or_still_true(block: int) -> None:
    """500 random edits of all kinds of certificates."""
    seen = {"proved": 0, "refused": 0, "unreadable": 0}
    for k in range(50):
        rng = random.Random(50 * block + k)
        name = rng.choice([*MADE])
        kind, certificate = edited(rng, name)
        answer = verdict(certificate)
        seen[answer] += 1
        if answer == "proved" and certificate != proof(name):
            assert holds(certificate, proof(name)), (name, kind)
    assert seen["refused"] + seen["unreadable"] > 20


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("question", "conditions"), ["no-deficit"], "the question has no row"),
        (("question", "declarations"), [[1, 2, 3], [1, 2, 4]], "has 0 plans, not 1"),
        (("question", "objective"), "rent-sum", "prove nothing|not 3|no row"),
        (("setting", "plans", 3, 1), [[0, 1]], "."),
        (("answer", "rows", 0, 1), -1, "does not count"),
        (("answer", "table", 0, 1), [0, 0], "."),
        (("answer", "value"), 2, "."),
    ],
)
def test_what_is_refused(path: tuple[Any, ...], value: Any, why: str) -> None:
    certificate = copy.deepcopy(proof("least"))
    *inside, last = path
    spot = functools.reduce(lambda x, key: x[key], inside, certificate)
    spot[last] = value
    with pytest.raises(Refused, match=why):
        check(certificate)


# the file that is handed on, and the command --------------------------------------------------------------------------


def test_the_checker_needs_the_standard_library_only() -> None:
    assert needs_only_python(CHECKER)


@pytest.mark.parametrize(
    ("name", "edit", "options", "code", "text"),
    [
        ("least.json.gz", None, (), 0, "Proved for 2 agents"),
        ("cycle.json", None, (), 0, "no payments known in advance"),
        ("least.json", ("answer", {"value": 1, "table": []}), (), 1, "Refused: the table has 0 of 9 profiles."),
        ("least.json", ("kind", "proof"), (), 2, "Unreadable: expected a certificate of kind 'design', found "),
        ("certain.json", None, ("--time-limit", "0"), 3, "Not checked: it takes longer than 0 s."),
        ("certain.json", None, ("--memory", "9000"), 3, "Not checked: it "),
    ],
)
def test_the_checker_alone(
    tmp_path: Path, name: str, edit: tuple[str, Any] | None, options: tuple[str, ...], code: int, text: str
) -> None:
    certificate = proof(name.partition(".")[0]) | (dict([edit]) if edit else {})
    write_certificate(certificate, tmp_path / name)
    command = [sys.executable, "-I", "-S", "-O", str(CHECKER), name, *options]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(text) or text in done.stdout


@pytest.mark.parametrize(
    "junk",
    [
        None,
        1,
        [],
        {},
        {"kind": "design"},
        {"format": 1, "kind": "design", "about": "x", "setting": 1, "question": [], "answer": {}},
    ],
)
def test_what_is_no_certificate(junk: Any) -> None:
    assert verdict(junk) == "unreadable"


def test_the_package_checks_the_plans_too(tmp_path: Path) -> None:
    """``check`` reads the file; ``--against`` compares each plan with the rule of a scenario."""
    scenario = {
        "format": 1,
        "kind": "declaration",
        "cluster": {"powers": [1]},
        "agents": [{"name": "ann", "length": 1}, {"name": "bob", "length": 2}],
        "mechanism": {"rule": "light-vcg"},
    }
    path = tmp_path / "cycle.json.gz"
    write_certificate(proof("cycle"), path)
    (_, verb, row), (_, _, plan) = check_files(path, against=scenario)
    assert (verb, row.holds, plan.key, plan.holds) == ("prove", True, "mechanism", True)
    *_, (_, _, other) = check_files(path, against=scenario | {"mechanism": {"rule": "harsh"}})
    assert other.holds is False
    assert "tool: found 'kill'" in str(other.actual)
    broken = copy.deepcopy(proof("certain"))
    broken["setting"]["plans"][0][3] = 5
    text = plan_again(broken, rule("bare"))
    assert text is not None
    assert text.startswith("plan for [1, 1]: found")


def test_custom_mechanisms_have_no_plans() -> None:
    with pytest.raises(InputError, match="found a custom mechanism"):
        as_certificate(asked("spread"), reference, "")  # type: ignore[arg-type]
