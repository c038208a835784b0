"""The published numbers of designed payments: implementable or not, least rents, least fines, frontiers."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from consortium.games.design.allocation import best_allocation, frontier
from consortium.games.design.cycles import least_fine, negative_cycle
from consortium.games.design.envy import Graphs, bare, envy
from consortium.games.design.payments import Question, best_payments, plans, value_of
from consortium.games.verification.domain import Concept, Domain
from consortium.mechanisms.declaration import build
from consortium.mechanisms.declaration.execution import TOOLS, Tools
from consortium.mechanisms.declaration.one_round import OneRound
from consortium.mechanisms.declaration.protocol import play
from consortium.scheduling.clusters import Cluster

LENGTHS = (1, 2, 3)
PRIOR = {F(1): F(1, 2), F(2): F(1, 3), F(3): F(1, 6)}
