from .records import BoxRow as BoxRow
from .records import FairnessRow as FairnessRow
from .records import GridRow as GridRow
from .records import JobRow as JobRow
from .records import LevelRow as LevelRow
from .records import MetricsRow as MetricsRow
from .records import RunRecord as RunRecord
from .records import UserRow as UserRow
