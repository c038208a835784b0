from .conditions import Condition as Condition
from .hunt import HuntRecord as HuntRecord
from .shrinking import Shrunk as Shrunk
from .shrinking import Size as Size
from .shrinking import shrink as shrink
from .shrinking import size_of as size_of
