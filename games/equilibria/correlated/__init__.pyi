from .checker import bound as bound
from .checker import expected_cost as expected_cost
from .checker import is_equilibrium as is_equilibrium
from .results import CorrelatedPlay as CorrelatedPlay
from .results import Extreme as Extreme
from .results import Multiplier as Multiplier
from .search import correlated_play as correlated_play
