from .base import Draw as Draw
from .base import Family as Family
from .parameters import Parameters as Parameters
from .registry import families as families
from .registry import family as family
from .registry import filled as filled
from .registry import filling as filling
