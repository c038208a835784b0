"""What work costs: the constants behind every ``--dry-run``, measured once, and how fast this machine is.

Seconds are processor time on one core of the machine where they were measured (``benchmarks/estimates.py`` compares
predictions with runs); :func:`speed` says how much longer the machine at hand takes, by a loop of rational arithmetic
of about a millisecond. What depends on the input more than on its size is timed on a small part of the work itself
instead. Memory is that of the whole process.

Compiling kernels at their first use is no part of a prediction; :func:`predicted` says so where none is kept on disk.
"""

from __future__ import annotations

import time
import timeit
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

from ..support.units import duration_text
from .records import Estimate

MIB: Final = 1 << 20
LOOP_SECONDS: Final = 0.00085
"""What the loop of :func:`speed` took where everything else was measured."""


@dataclass(frozen=True)
class Base:
    """What a verb takes however small its input: loading code, and the memory of the process that has done so."""

    seconds: float
    memory: int
    kernels: str = ""
    """The room whose compiled code is loaded, if any."""


PLAIN: Final = Base(0.5, 50 * MIB)
"""Python and numpy."""
KERNELS: Final = Base(1.4, 172 * MIB)
"""With kernels."""
SMALL: Final = 0.012
"""Seconds of compiled work that are left to the interpreter, without kernels, """
INTERPRETED: Final = 100
"""which takes so many times as long."""
DECLARATION: Final = replace(KERNELS, kernels="games/verification")
PLACEMENT: Final = replace(KERNELS, kernels="games")
FEDERATION: Final = replace(KERNELS, kernels="scheduling")
MULTIUSER: Final = replace(KERNELS, kernels="mechanisms/multiuser")
SHARING: Final = replace(KERNELS, kernels="mechanisms/sharing/kernels")
GAME: Final = replace(KERNELS, kernels="games")
SOLVER: Final = Base(1.9, 230 * MIB, "scheduling")
"""With CP-SAT and its modelling layer."""

# Seconds per unit of each kind of work.
ALLOCATION_STEP: Final = {
    "matching": 5e-6,
    "subsets": 3e-9,
    "partitions": 2e-9,
    "shortest-first": 2e-5,
    "enumeration": 2e-5,
}
"""A step of each way to an optimal allocation, see :func:`consortium.scheduling.optimal.reach`."""
ON_PYTHON_INTEGERS: Final = 300  # times as long, where an instance does not fit 64 bits
DECLARATION_RUN: Final = 4e-4  # planning and running a handful of jobs
DECLARED_JOB: Final = 1.5e-4  # a job in a run, planned, paid and listed
SETTLED_JOB: Final = 3e-5  # a job, run once more for each bill after the run
CURVE_PIECE: Final = 3e-3  # one piece of a curve by symbolic execution
COMPARED_ALLOCATION: Final = 5e-4  # one allocation more that is compared for a piece
COVER_NODE: Final = 5e-4  # a node of a cover of all lengths: a linear program, and placements tried
PRICE_NODE: Final = 2e-5  # a node of the tree of a price
DESIGNED_PAYMENT: Final = 4e-4  # a payment of a table, its rows in a linear program included
PROOF_CELL: Final = 7e-4  # a cell of a proof for all lengths, its questions to the linear solver included
TABLED_PROFILE: Final = 3e-7  # an agent in a profile of a declaration game, its table searched
SETTLED_PROFILE: Final = 2e-6  # more, where she pays after the run
PROFILE_BYTES: Final = 1_500  # one profile of a declaration game that is remembered
SOLVER_SECONDS: Final = 0.02  # a job in a proof by solvers, where it is not hard
START_PROOF: Final = (0.06, 9, 1.65)  # a proof over start times: so long for so many jobs, times that for each more
LONGEST: Final = 1e7  # a prediction beyond four months says no more than "never"
SOLVER_BYTES: Final = 20_000  # a job on a machine in the solvers' models
TRIED_PLACEMENT: Final = 1e-4  # a placement of an organization's jobs, scheduled
PLACED_PROFILE: Final = 2e-7  # one placement of all jobs in a table of costs
BOX: Final = 3e-6  # a node of branch and bound over home loads
BOX_BYTES: Final = 120 * MIB  # nodes that wait, and those remembered
COALITION_CELL: Final = 4e-9  # a profile of a table, looked at by one coalition
COALITION_PROFILE_BYTES: Final = 22  # what is noted of it meanwhile
COALITION_CUTS: Final = 5.0  # coalitions in a placement game without a table
TABLE_CELL: Final = 1.2e-8  # one cell of a table of costs, looked at by a search for equilibria
LEARNING_ROUND: Final = 2e-5  # one player's part of a round of learning, whatever she weighs
LINE_CELL: Final = 2e-8  # one strategy weighed in a round of learning
MOVE_CELL: Final = 2e-6  # one cell of a table, its moves put into graphs and these walked
REPLY: Final = 5e-4  # a best reply of an organization
SCHEDULED_JOB: Final = 6e-5  # a job of a federation scheduled, and judged
LISTED_JOB_BYTES: Final = 2_000  # a job in a schedule, its row and their text
USER_STATE: Final = 1.5e-7  # a state of the dynamic program of the fairest point, times its users squared;
USER_LABELS: Final = 0.7  # times so many for each user where a total joins their key: labels pile up
USER_STATE_BYTES: Final = 1_000
FRONT_POINT: Final = 3e-6  # a point of a Pareto set in closed form
PARTIAL_SCHEDULE: Final = 3e-4  # a set of jobs in the enumeration of a Pareto set, with its points
SPLIT: Final = 3e-6  # a split of the jobs into machine and rest, in the same
CELL_HALVINGS: Final = 3.3  # for each axis until a level has as many cells as it ever has: the discard rule leaves few
CELLS_LEFT: Final = 0.7  # of the halvings of all axes in one level, those that a discard rule takes back
FRONT_STEP: Final = 3e-6  # a step of the budget within which points of a Pareto set may pile up
CELL: Final = 4e-7  # a cell of the refinement, of which most are discarded unseen
CELL_BYTES: Final = 320
CORNER: Final = 5e-6  # a corner of a grid
FRONT_POINT_BYTES: Final = 200
POINT_BYTES: Final = 600
SIMULATED_JOB: Final = 3e-6  # a job in one schedule, in Python around the kernels: arrays, rows, measures
SIMULATED_JOB_BYTES: Final = 600
LOGGED_JOB_BYTES: Final = 400


@cache
def speed() -> float:
    """How many times as long as the reference machine this one takes."""

    def loop() -> None:
        total = Fraction(0)
        for n in range(1, 400):
            total += Fraction(n % 7, n % 11 + 1)

    return min(timeit.repeat(loop, timer=time.thread_time, repeat=7, number=1)) / LOOP_SECONDS


def predicted(size: Estimate, base: Base, seconds: float = 0.0, memory: int = 0, timed: float = 0.0) -> Estimate:
    """The estimate with time and memory: what the verb takes anyway, and the work.

    ``seconds``: on the reference machine. ``timed``: of work that was timed on this one.
    """
    if base.kernels and base != SOLVER and seconds + timed / speed() < SMALL:
        base, seconds = PLAIN, seconds * INTERPRETED
    notes = [size.note, _unkept(base.kernels)]
    return replace(
        size,
        seconds=(base.seconds + seconds) * speed() + timed,
        memory_bytes=base.memory + memory,
        note="; ".join(filter(None, notes)),
    )


def limited(whole: Estimate, time_limit: float | None) -> Estimate:
    """The estimate of work that a time limit ends; ending it takes a moment, so the base stays out of the limit."""
    if time_limit is None or whole.seconds is None or whole.seconds <= time_limit:
        return whole
    note = f"the whole would take about {duration_text(whole.seconds)}; the time limit ends it with what is known"
    return replace(whole, seconds=time_limit, note="; ".join(filter(None, [whole.note, note])))


def _unkept(room: str) -> str:
    """Whether kernels have to be compiled first, as far as a look beside their modules tells."""
    folder = Path(__file__).parent.parent / room
    if not room or not folder.is_dir() or any(folder.rglob("*.nbi")):
        return ""
    return "compiling at first use comes on top, up to a minute"


QUANTAL_STEPS: Final = 100  # along a branch of logit equilibria
QUANTAL_STEP: Final = (4e-4, 2e-8, 4e-8)  # of them: itself, a cell of the tables, a strategy cubed
VERTEX: Final = (2e-5, 1e-6)  # of a best-response polytope: itself, a cell of the table that is pivoted
GAMBIT: Final = (4.0, 3e-4)  # two processes started; a choice of supports tried
