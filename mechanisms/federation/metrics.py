r"""How good and how fair a federation's schedule is: lower bounds, stretch and the Jain index.

Model (Cordeiro 2012, sections 3.4 and 3.5, written there for one machine per organization; ``M`` machines in all):

- ``LB = max(sum p / M, p_max)`` bounds every schedule, ``LB^(k) = max(sum_i p_i^(k) / M, p_max^(k))`` what organization
  ``k`` could reach if all machines worked for it alone;
- ``Stretch = max_k C^(k) / alone^(k)``, with ``alone^(k) = LB^(k)``, or the exact optimum where the caller has it;
- the Jain index of ``x_k = C^(k) / LB^(k)`` is ``(sum x)^2 / (N sum x^2)``, between ``1/N`` (unfair) and 1.

Organizations without jobs have no ratio; they are left out and not counted in ``N``. All values are exact.

>>> fed = Federation.of([[2, 2], [1]])
>>> lower_bound(fed), lower_bounds(fed)
(Fraction(5, 2), (Fraction(2, 1), Fraction(1, 1)))
>>> stretch(fed, [4, 1]), jain(fed, [4, 1])
(Fraction(2, 1), Fraction(9, 10))
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...agents.organizations import Federation
from ...scheduling.metrics import jain as jain_index
from ...support.exact import Rational


def lower_bound(federation: Federation) -> Fraction:
    """``LB`` of the whole federation; 0 without jobs."""
    return _bound([size for sizes in federation.sizes for size in sizes], federation)


def lower_bounds(federation: Federation) -> tuple[Fraction, ...]:
    """``LB^(k)`` of every organization on all machines; 0 without jobs."""
    return tuple(_bound(sizes, federation) for sizes in federation.sizes)


def _bound(sizes: Sequence[int], federation: Federation) -> Fraction:
    """What jobs of these sizes need on all machines: integers, as long lists of fractions would take most of a run."""
    machines = federation.n_machines
    return Fraction(max(sum(sizes), machines * max(sizes, default=0)), machines) * federation.unit


def stretches(
    federation: Federation, makespans: Sequence[Rational], alone: Sequence[Rational] | None = None
) -> tuple[Fraction | None, ...]:
    """``C^(k) / alone^(k)`` of every organization, ``None`` without jobs; ``alone`` defaults to ``LB^(k)``."""
    reference = lower_bounds(federation) if alone is None else alone
    rows = zip(federation.organizations, makespans, reference, strict=True)
    return tuple(Fraction(c) / Fraction(a) if org.jobs else None for org, c, a in rows)


def stretch(
    federation: Federation, makespans: Sequence[Rational], alone: Sequence[Rational] | None = None
) -> Fraction | None:
    """Largest stretch; ``None`` when nobody has a job."""
    return max((x for x in stretches(federation, makespans, alone) if x is not None), default=None)


def jain(federation: Federation, makespans: Sequence[Rational]) -> Fraction | None:
    """Jain index of ``C^(k) / LB^(k)``; ``None`` when nobody has a job.

    It is the squared mean over the mean of the squares (the thesis calls it "first moment to second moment").
    """
    values = [x for x in stretches(federation, makespans) if x is not None]
    return jain_index(values) if values else None
