r"""What payments of any form take at least, for all lengths: the best ones on finite domains.

A formula's r is the least of its form (:mod:`.templates`). Payments of any form that make the truth best for all
lengths do so on a finite domain too, where the least r is known exactly (:mod:`.payments`): no payments whatever have
less. The domains tried lie near the limits of situations that prove the formula's r. Near declarations ``b`` agent n
has the lengths ``b_n (1 + (j + n/N) e)``, ``j = 0, 1, ...``: where the allocation jumps in between, its two sides form
a staircase, k steps of which show ``(k-1)/k`` of what the jump costs. With a floor under every payment rents grow
over lengths far apart: some domains have the same times powers of ten.

>>> from consortium.mechanisms.declaration import build
>>> from consortium.scheduling.clusters import Cluster
>>> from consortium.scheduling.goals import WeightedSum
>>> from .templates import design_formula
>>> rule = build("evcg-renice", Cluster.of([1]), WeightedSum((1, 2)), penalty=1)
>>> design = design_formula(rule, 2, concept="ex-post")
>>> design.value, round(float(any_payments(design, rule).value), 6)
(Fraction(1, 4), 0.218749)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from typing import Final

from ...mechanisms.declaration.one_round import OneRound
from ...support.progress import Clock, Progress
from ..proofs.questions import ALL_LENGTHS, Lengths
from ..verification.domain import Domain, Profile, check_concept, with_entry
from .envy import envy
from .formulas import FormulaDesign, Limit
from .payments import Question, best_payments, plans

STEPS: Final = 8
"""Of a staircase."""
STEP: Final = Fraction(1, 10**6)
"""How far its lengths lie apart, in units of their size."""
SCALES: Final = tuple(Fraction(10) ** k for k in (0, 3, -3, 2, -2, 1, -1))
NEXT_TO_0: Final = Fraction(1, 10**4)
"""What stands for 0, a limit of lengths, in units of the least one."""
PROFILES: Final = {True: 512, False: 128}
"""Of declarations, in a domain that is made here: with a floor under every payment, and without."""
MOST_PROFILES: Final = 4_096
"""Of declarations, in a domain that somebody else made."""
PLACES: Final = 4
"""Near so many limits domains are made."""


@dataclass(frozen=True)
class AnyBound:
    """What r is at least, lengths on which payments of any form have at least that, none where it is 0; all tried?"""

    value: Fraction
    domain: Domain | None = None
    complete: bool = True


def any_payments(
    design: FormulaDesign,
    setting: OneRound,
    lengths: Lengths = ALL_LENGTHS,
    own: Domain | None = None,
    clock: Clock | None = None,
    progress: Progress | None = None,
) -> AnyBound:
    """The largest bound that was found under the value of a design; ``own`` is a domain to be tried first.

    Stopped by the clock or by Ctrl-C it is the largest until then; where nothing is known it is 0, for payments have a
    floor. It ends where hardly more than the staircase's last step is missing.
    """
    best, unpaid = AnyBound(Fraction(0)), replace(setting, payment="none", price=None, values=None)
    share = Fraction(1) if "prices-nonnegative" in design.conditions else Fraction(STEPS - 1, STEPS)
    enough = (design.value or Fraction(0)) * share * (1 - 1000 * STEP)
    try:
        for domain in _domains(design, lengths, own):
            if best.value >= enough:
                break
            if progress is not None:
                progress(0, None, f"payments of any form at {domain.profiles} profiles")
            least = _least(design, unpaid, domain, clock or Clock(None))
            if least is not None and least > best.value:
                best = AnyBound(least, domain)
    except (TimeoutError, KeyboardInterrupt):
        return replace(best, complete=False)
    return best


def _least(design: FormulaDesign, unpaid: OneRound, domain: Domain, clock: Clock) -> Fraction | None:
    """The least r on a domain; none where it was not found."""
    concept = check_concept(design.concept)
    question = Question(domain, concept, design.objective, conditions=frozenset(design.conditions))
    graphs = envy(unpaid, domain, concept, clock=clock)
    planned = plans(unpaid, unpaid.cluster, question.declared, clock)
    answer = best_payments(question, graphs, planned, clock=clock)
    return answer.value if answer.status == "optimal" else None


def _domains(design: FormulaDesign, lengths: Lengths, own: Domain | None) -> Iterator[Domain]:
    """Those to try, the most promising first."""
    if own is not None and own.profiles <= MOST_PROFILES:
        yield own
    n_agents, far, floor = design.n_agents, len(SCALES), "prices-nonnegative" in design.conditions
    width = max((w for w in range(3, 65) if w**n_agents <= PROFILES[floor]), default=2)
    steps = min(STEPS, width)
    wide = (max(1, width // far), min(far, width), STEP) if floor else (steps, 1, Fraction(1, STEPS))
    shapes = [(steps, 1, STEP), wide]
    places = islice(dict.fromkeys(_places(design, lengths)), PLACES)
    for place, (steps, scales, step) in product(places, shapes):
        longest = max(place) * (1 + steps * step)
        fits = Fraction(1) if lengths.end is None else min(Fraction(1), lengths.end / longest)
        sizes = [*product([fits * scale for scale in SCALES[:scales]], range(steps))]
        lists = [
            [x for scale, j in sizes if (x := scale * b * (1 + (j + Fraction(n, n_agents)) * step)) in lengths]
            for n, b in enumerate(place)
        ]
        if all(lists):
            yield Domain.of(lists)


def _places(design: FormulaDesign, lengths: Lengths) -> Iterator[Profile]:
    """Declarations near which the limits of a design lie, one of their multiples; and all equal ones."""
    for limit in design.limits:
        for b in _declared(limit, design.n_agents):
            least = min((x for x in b if x), default=Fraction(1))
            unit = least if lengths == ALL_LENGTHS else 1
            yield tuple((x or least * NEXT_TO_0) / unit for x in b)
    yield (max(lengths.start, min(Fraction(1), lengths.end or Fraction(1))),) * design.n_agents


def _declared(limit: Limit, n_agents: int) -> Iterator[Profile]:
    """What is declared there: with the truth, and with the lie."""
    at, agent = limit.point, limit.condition.agent
    b = tuple(at.get(f"b{n}", at[f"theta{n}"]) for n in range(1, n_agents + 1))
    yield b
    if agent is not None and (lie := at.get(f"lie{agent + 1}")) is not None:
        yield with_entry(b, agent, lie)
