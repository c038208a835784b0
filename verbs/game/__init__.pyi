from .search import ApproximateRow as ApproximateRow
from .search import DynamicsRow as DynamicsRow
from .search import EquilibriaRow as EquilibriaRow
from .search import MixedEquilibriumRow as MixedEquilibriumRow
from .search import MixedRow as MixedRow
from .search import OutcomeRow as OutcomeRow
from .search import SearchRecord as SearchRecord
