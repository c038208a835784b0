"""A file for Coq that compares the definitions with the package, on random instances: ``compare.py [NUMBER [SEED]]``.

Costs of placement games, one and several machines each, with an order of the organizations for every host; outputs of
runs that postpone. Ties, zeros, fractions, empty organizations and hosts, several liars. Both sides are exact, and Coq
accepts the file only if all numbers are equal. The package knows no jobs of length 0: games that have some are
simulated here from the words of the model, all others by the package too.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from types import SimpleNamespace

from consortium.agents.organizations import Federation
from consortium.games.placement.game import PolicyGame
from consortium.mechanisms.declaration.execution import Tools
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.penalties import check_penalty
from consortium.mechanisms.federation.custom import CustomPolicy
from consortium.scheduling.clusters import Cluster

HEAD = """From Coq Require Import List PeanoNat.
Require Import Numbers Game SeveralMachines Run.
Import ListNotations.
Definition at_ {A : Type} (default : A) (l : list A) (n : nat) : A := nth n l default.
Definition equal (x y : list Q) : bool := if list_eq_dec Nat.eq_dec [length x] [length y]
  then forallb (fun z => Qeq_bool (fst z) (snd z)) (combine x y) else false.
Definition costs (machines : list nat) (jobs : list (list Q)) (prio places : list (list nat)) : list Q :=
  map (SeveralMachines.cost Nat.eq_dec (seq 0 (length jobs)) (at_ O machines) (at_ [] jobs) (at_ [] prio)
         (fun a => at_ O (at_ [] places a))) (seq 0 (length jobs)).
Definition costs_one (jobs : list (list Q)) (prio places : list (list nat)) : list Q :=
  map (Game.cost Nat.eq_dec (seq 0 (length jobs)) (at_ [] jobs) (at_ [] prio) (fun a => at_ O (at_ [] places a)))
    (seq 0 (length jobs)).
Definition outputs (powers : list Q) (lists : list (list nat)) (declared lengths waits : list Q) : list Q :=
  map (output Nat.eq_dec (seq 0 (length powers)) (at_ 0 powers) (at_ [] lists) (at_ 0 declared) (at_ 0 lengths)
         (at_ 0 waits)) (seq 0 (length declared)).
"""


def written(value: object) -> str:
    """A number, or lists of them, as Coq reads it."""
    if isinstance(value, Fraction):
        return f"(({value.numerator}) # {value.denominator})"
    if isinstance(value, int):
        return f"{value}%nat"
    assert isinstance(value, Iterable)
    return f"[{'; '.join(map(written, value))}]"


def lengths(draw: random.Random, least: int, most: int) -> list[Fraction]:
    """Lengths of that many jobs, ties and fractions among them."""
    return [Fraction(draw.choice([least, 1, 1, 2, 3, 5, 7]), draw.choice([1, 1, 2, 3])) for _ in range(most)]


Rows = Sequence[Sequence[int]]


def simulated(machines: Sequence[int], jobs: list[list[Fraction]], queues: Rows, places: Rows) -> tuple[Fraction, ...]:
    """Costs of a placement, from the words of the model; ``queues`` has the organizations as each host serves them."""
    costs = [Fraction(0) for _ in jobs]
    for host, queue in enumerate(queues):
        loads = [Fraction(0)] * machines[host]
        for k in queue:
            for length in (x for x, place in zip(jobs[k], places[k], strict=True) if place == host):
                first = loads.index(min(loads))
                loads[first] += length
                costs[k] = max(costs[k], loads[first])
    return tuple(costs)


def placement(draw: random.Random, several: bool = False) -> tuple[list[object], Iterable[Fraction]]:
    """Machines (if several), jobs, orders and places; and the costs."""
    n = draw.randint(1, 4)
    machines = [draw.randint(1, 3) if several else 1 for _ in range(n)]
    jobs = [lengths(draw, 0, draw.randint(0, 4)) for _ in range(n)]
    orders = [draw.sample(range(n), n) for _ in range(n)]
    places = [[draw.randrange(n) for _ in row] for row in jobs]
    queues = [[host, *(k for k in order if k != host)] for host, order in enumerate(orders)]
    costs = simulated(machines, jobs, queues, places)
    if all(map(all, jobs)):
        # the organizations in the order of the host, the jobs of one as they are listed
        by_host = SimpleNamespace(
            order=lambda host, some: sorted(some, key=lambda job: (queues[host].index(job.organization), job.job))
        )
        game = PolicyGame(Federation.of(jobs, machines), CustomPolicy(by_host))
        assert costs == game.costs(tuple(map(tuple, places)))
    return [*([machines] if several else []), jobs, orders, places], costs


def run(draw: random.Random) -> tuple[list[object], Iterable[object]]:
    """Powers, lists of the machines, declarations, lengths and waits; and the outputs."""
    n = draw.randint(1, 5)
    powers = [draw.choice([Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3)]) for _ in range(draw.randint(1, 3))]
    declared = lengths(draw, 1, n)
    true = [draw.choice([x, y]) for x, y in zip(declared, lengths(draw, 1, n), strict=True)]
    lists: list[list[int]] = [[] for _ in powers]
    for agent in draw.sample(range(n), n):
        draw.choice(lists).append(agent)
    waits = [draw.choice([Fraction(0), Fraction(1), Fraction(5, 2)]) for _ in range(n)]
    penalty = check_penalty(waits, "postpone")
    rule = OneRound("run", Cluster.of(powers), Tools("postpone"), "none", penalty=penalty, allocate=lambda _: lists)
    return [powers, lists, declared, true, waits], rule.run(declared, true).output


def lemmas(number: int, seed: int) -> Iterable[str]:
    """Rows of equations, a hundred in a lemma."""
    draw = random.Random(seed)
    kinds: dict[str, Callable[[random.Random], tuple[list[object], Iterable[object]]]]
    kinds = {"costs_one": placement, "costs": partial(placement, several=True), "outputs": run}
    for name, instance in kinds.items():
        for start in range(0, number, 100):
            rows = [instance(draw) for _ in range(min(100, number - start))]
            tests = [f"equal ({name} {' '.join(map(written, given))}) {written(answer)}" for given, answer in rows]
            yield f"Lemma {name}_{start} : forallb (fun b => b) [{'; '.join(tests)}] = true."
            yield "Proof. vm_compute. reflexivity. Qed."


if __name__ == "__main__":
    number, seed = [int(text) for text in sys.argv[1:]] + [1000, 0][len(sys.argv) - 1 :]
    print(HEAD, *lemmas(number, seed), sep="\n")
