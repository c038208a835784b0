"""Where a placement game always has a pure equilibrium, and how to build one.

Model: the placement game of :mod:`.game` with any lengths; organization ``k`` owns ``m_k`` machines. Every theorem has
its conditions as code (:attr:`Theorem.holds`) and a construction (:attr:`Theorem.build`); the proofs are on the
documentation's page "What is new here". We know no source for the results but the facts that they start from:
everything at home costs an organization the same whatever the others do, and who has at most as many jobs as machines
pays the least possible at home.

Existence, priority to organizations unless said otherwise:

- ``one-with-a-choice``: at most one organization has more jobs than machines (either priority, either objective);
- ``two-organizations`` (either priority, either objective);
- ``shortest-first``: sums of completion times;
- ``three-organizations``: one machine each, makespans; all others have one job each, as long as the work of any of the
  three or longer;
- ``two-jobs-or-equal-jobs``: every organization has at most ``m_k + 1`` jobs, or only jobs of one length; makespans;
- ``two-job-first``: one machine each, makespans; the first of those with a choice has ``q`` jobs and ``q - 1``
  organizations have none. With priority to jobs for two with a choice, whose first job's owner has two.

>>> from consortium.agents.organizations import Federation
>>> from consortium.games.placement.game import PlacementGame
>>> game = PlacementGame(Federation.of([[1], [3, 3, 2], [2, 1]]))
>>> theorem = theorem_of(game)
>>> theorem.name, theorem.build(game)
('three-organizations', ((0,), (1, 0, 1), (2, 2)))
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from ...agents.organizations import Placement
from ...scheduling.listing import job_order, place_in_order
from ...scheduling.ready_times import Keep, placement
from ...support.errors import TooLargeError
from ..protocol import outcome
from ..results import Coverage, Findings, Options, Promise
from .best_reply import bases, best_reply
from .bounds import best_schedule
from .dynamics import judged
from .game import PlacementGame


@dataclass(frozen=True)
class Theorem:
    """A condition under which every game has a pure equilibrium, and the construction of one.

    Attributes
    ----------
    name
        As records and pages write it.
    holds
        Whether a game meets the conditions; costs nothing.
    build
        An equilibrium of a game that does; TooLargeError where a best response is out of reach.
    checked
        The file of ``theorems/`` in which Coq has checked it for a game that does, without ``.v``; ``None`` where the
        proof is on paper.
    """

    name: str
    holds: Callable[[PlacementGame], bool]
    build: Callable[[PlacementGame], Placement]
    checked: Callable[[PlacementGame], str | None]

    def proof(self, game: PlacementGame) -> str:
        """What vouches for the theorem in a game that meets its conditions; see :func:`vouched`."""
        return vouched(self.checked(game))


def vouched(checked: str | None) -> str:
    """How records say it: a file that Coq has checked, or a proof on paper, read and attacked by others.

    >>> vouched("ThreeOrganizations"), vouched(None)
    ('Coq: ThreeOrganizations', 'on paper')
    """
    return "on paper" if checked is None else f"Coq: {checked}"


def theorem_of(game: PlacementGame) -> Theorem | None:
    """The first theorem that promises a game an equilibrium; ``None`` where none does."""
    return next((theorem for theorem in THEOREMS if theorem.holds(game)), None)


def by_theorem(game: PlacementGame) -> Coverage:
    """Whether a theorem promises an equilibrium; what it builds is not the worst one, nor the best."""
    theorem = theorem_of(game)
    if theorem is None:
        return Coverage(False, "no theorem promises an equilibrium")
    return Coverage(True, f"the theorem {theorem.name!r} builds an equilibrium")


def theorem_search(game: PlacementGame, options: Options) -> Findings:
    """The equilibrium that a theorem builds, with bounds on all others; see :func:`consortium.games.search.search`."""
    built = [] if options.promised is None else [options.promised]
    return judged(game, built, options, outcome(game, best_schedule(game).hosts))


def promised(game: PlacementGame) -> Promise | None:
    """What a theorem promises, with the equilibrium that it builds; ``None`` where there is no theorem."""
    theorem = theorem_of(game)
    if theorem is None:
        return None
    try:
        return Promise(theorem.name, outcome(game, theorem.build(game)))
    except TooLargeError:  # of a best response: there is an equilibrium all the same
        return Promise(theorem.name, None)


# --- conditions -----------------------------------------------------------------------------------------------------


def _by_jobs(game: PlacementGame) -> bool:
    return game.rule.priority == "jobs"


def _with_choice(game: PlacementGame) -> list[int]:
    """Organizations with more jobs than machines, the first in the order of priority first."""
    federation = game.federation
    return [k for k in game.by_priority if len(federation.sizes[k]) > federation.machines[k]]


def _short_or_equal(rows: Collection[tuple[int, Sequence[int]]]) -> bool:
    """Whether all have at most one job more than machines, or jobs of one length."""
    return all(len(row) <= machines + 1 or len(set(row)) == 1 for machines, row in rows)


def _two_jobs_or_equal_jobs(game: PlacementGame) -> bool:
    federation = game.federation
    rows = list(zip(federation.machines, federation.sizes, strict=True))
    return not game.total and not _by_jobs(game) and _short_or_equal(rows)


def _three(game: PlacementGame) -> list[int]:
    """Three organizations for which all others' machines are free too late; none where there are no such three."""
    sizes = game.federation.sizes
    longer = sorted(range(len(sizes)), key=lambda k: (len(sizes[k]) == 1, sum(sizes[k])))
    three, others = longer[:3], longer[3:]
    most = max(sum(sizes[k]) for k in three)
    return three if all(len(sizes[k]) == 1 and sizes[k][0] >= most for k in others) else []


def _two_job_first(game: PlacementGame) -> bool:
    """Whether an organization can pay its longest job, with nobody before it where its other jobs go."""
    chooser, empty = _with_choice(game), [row for row in game.federation.sizes if not row]
    if not game.single or not chooser or len(empty) < len(game.federation.sizes[chooser[0]]) - 1:
        return False
    if _by_jobs(game):
        return _two_jobs_one_other(game)
    return len(chooser) == 2 or _short_or_equal([(1, game.federation.sizes[k]) for k in chooser[1:]])


def _two_jobs_one_other(game: PlacementGame) -> bool:
    """Whether two organizations have a choice, the first one of two jobs."""
    chooser = _with_choice(game)
    return len(chooser) == 2 and len(game.federation.sizes[chooser[0]]) == 2


# --- constructions --------------------------------------------------------------------------------------------------


def _one_with_a_choice(game: PlacementGame) -> Placement:
    """All others at home: they pay the least possible whatever is done."""
    profile = game.federation.home()
    for k in _with_choice(game):
        profile = _replaced(profile, k, best_reply(game, k, profile))
    return profile


def _two_organizations(game: PlacementGame) -> Placement:
    """Who is busy until earlier stays at home; the other plays a best response, with as much at home as it can.

    With makespans the time is the least final load of the machines at home, with sums the last start there.
    """
    federation = game.federation
    busy = []
    for row, machines in zip(federation.sizes, federation.machines, strict=True):
        order = job_order(row, "spt" if game.total else "lpt")
        placed = place_in_order([row[i] for i in order], [0] * machines)
        loads = [0] * machines
        for machine, _, end in placed:
            loads[machine] = end
        busy.append(max((start for _, start, _ in placed), default=0) if game.total else min(loads))
    other = 1 if busy[0] <= busy[1] else 0
    home = federation.home()
    reply = best_reply(game, other, home) if game.total else _homely(game, other, home)
    return _replaced(home, other, reply)


def _three_organizations(game: PlacementGame) -> Placement:
    """Who has least work stays home (``k``); the first of the others splits its jobs with ``k``; the last one replies.

    If the last one has little work, it stays home instead, and the other one plays the split where that is a best
    response: the tie matters.
    """
    sizes, home, three = game.federation.sizes, game.federation.home(), _three(game)
    work = [sum(row) for row in sizes]
    k = min(three, key=work.__getitem__)
    i, j = (other for other in game.by_priority if other in three and other != k)
    if not sizes[i]:
        return home
    halves = placement(sizes[i], [[0, work[k]]] * len(sizes[i]), Keep(0), name=f"split of {game.players[i]!r}")
    split = _replaced(home, i, tuple(k if half else i for half in halves))
    kept = sum(size for size, half in zip(sizes[i], halves, strict=True) if not half)
    ends = [kept, work[k] + work[i] - kept]
    if work[j] >= min(ends):
        return _replaced(split, j, _homely(game, j, split))
    reply = _replaced(home, i, best_reply(game, i, home))
    return split if game.costs(reply)[i] == max(ends) * game.federation.unit else reply


def _event_loop(game: PlacementGame) -> Placement:
    """Machines that are free first take a job each: their owner's, else of the organization of highest priority."""
    return _as_placed(game, [list(row) for row in game.federation.home()], game.federation.sizes)


def _two_job_first_placement(game: PlacementGame) -> Placement:
    """The first of those with a choice pays its longest job: the others run on machines of organizations without jobs.

    For everybody else each of its jobs is then like the single job of the machine's owner.
    """
    sizes, home = game.federation.sizes, game.federation.home()
    first, *others = _with_choice(game)
    empty = (k for k, row in enumerate(sizes) if not row)
    jobs = list(job_order(sizes[first], "lpt"))
    if _by_jobs(game):  # the job that comes first of all leaves, and nothing precedes it there
        jobs.sort(key=lambda i: -game.ranks[first][i])
    spread = {job: first if place == 0 else next(empty) for place, job in enumerate(jobs)}
    profile = _replaced(home, first, tuple(spread[i] for i in range(len(jobs))))
    if len(others) <= 1:
        for k in others:
            profile = _replaced(profile, k, best_reply(game, k, profile))
        return profile
    return _as_placed(game, [list(row) for row in profile], [() if k == first else row for k, row in enumerate(sizes)])


def _as_placed(game: PlacementGame, hosts: list[list[int]], free: Sequence[Sequence[int]]) -> Placement:
    """Place the free jobs as machines become free, beside the jobs of the others, which are where ``hosts`` says."""
    sizes, machines = game.federation.sizes, game.federation.machines
    waiting = [list(job_order(row, "spt" if game.total else "lpt")) for row in free]
    loads = [[0] * count for count in machines]
    for k, row in enumerate(hosts):
        for i, host in enumerate(row):
            if i not in waiting[k]:
                loads[host][loads[host].index(min(loads[host]))] += sizes[k][i]
    while any(waiting):
        host = min(range(len(machines)), key=lambda h: (min(loads[h]), not waiting[h]))
        owner = host if waiting[host] else next(k for k in game.by_priority if waiting[k])
        job = waiting[owner].pop(0)
        hosts[owner][job] = host
        loads[host][loads[host].index(min(loads[host]))] += sizes[owner][job]
    return tuple(map(tuple, hosts))


def _homely(game: PlacementGame, player: int, profile: Placement) -> tuple[int, ...]:
    """A best response from which no job can be brought home at the same cost."""
    if game.single:
        sizes = game.federation.sizes[player]
        reply = placement(sizes, bases(game, player, profile), Keep(player), name=f"reply of {game.players[player]!r}")
    else:
        reply = best_reply(game, player, profile)
    least = game.costs(_replaced(profile, player, reply))[player]
    for i, host in enumerate(reply):
        nearer = (*reply[:i], player, *reply[i + 1 :])
        if host != player and game.costs(_replaced(profile, player, nearer))[player] <= least:
            reply = nearer
    return reply


def _replaced(profile: Placement, player: int, hosts: tuple[int, ...]) -> Placement:
    return (*profile[:player], hosts, *profile[player + 1 :])


def _checked_for_two(game: PlacementGame) -> str | None:
    """With sums, or priority to jobs on several machines, the proof is on paper."""
    if game.single:
        return "PriorityToJobs" if _by_jobs(game) else "TwoOrganizations"
    return None if game.total or _by_jobs(game) else "SeveralTwoOrganizations"


THEOREMS: Final = (
    Theorem(
        "one-with-a-choice",
        lambda game: len(_with_choice(game)) <= 1,
        _one_with_a_choice,
        lambda game: None if game.total or _by_jobs(game) else "SeveralMachines",
    ),
    Theorem("two-organizations", lambda game: len(game.players) == 2, _two_organizations, _checked_for_two),
    Theorem(
        "shortest-first",
        lambda game: game.total and not _by_jobs(game),
        _event_loop,
        lambda game: "SumsOfCompletion",
    ),
    Theorem(
        "two-jobs-or-equal-jobs",
        _two_jobs_or_equal_jobs,
        _event_loop,
        lambda game: "FewOrEqualJobs" if game.single else "SeveralExistence",
    ),
    Theorem(
        "three-organizations",
        lambda game: game.single and not _by_jobs(game) and len(game.players) >= 3 and bool(_three(game)),
        _three_organizations,
        lambda game: "ThreeOrganizations" if len(game.players) == 3 else None,
    ),
    Theorem(
        "two-job-first",
        _two_job_first,
        _two_job_first_placement,
        lambda game: ("PriorityToJobs" if _by_jobs(game) else "TwoJobFirst") if _two_jobs_one_other(game) else None,
    ),
)
"""In the order in which they are tried: the cheapest construction first."""
