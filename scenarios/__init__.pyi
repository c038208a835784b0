from .problems import Problem as Problem
from .problems import ScenarioError as ScenarioError
from .reader import load as load
from .reader import locate as locate
from .reader import shipped as shipped
from .scenario import Format as Format
from .scenario import Scenario as Scenario
