from .profiles import MixedEquilibria as MixedEquilibria
from .profiles import MixedEquilibrium as MixedEquilibrium
from .quantal import QuantalResponse as QuantalResponse
from .quantal import quantal_responses as quantal_responses
from .search import check_mixed as check_mixed
from .search import mixed_equilibria as mixed_equilibria
