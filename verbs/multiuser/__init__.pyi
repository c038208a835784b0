from .run import BoxRow as BoxRow
from .run import FairnessRow as FairnessRow
from .run import GridRow as GridRow
from .run import JobRow as JobRow
from .run import LevelRow as LevelRow
from .run import MetricsRow as MetricsRow
from .run import RunRecord as RunRecord
from .run import UserRow as UserRow
