"""A refinement makes no more cells than it may look at, however many parts a cell has."""

from __future__ import annotations

import tracemalloc

from consortium.agents.users import Community
from consortium.mechanisms.multiuser.refinement import refine


def test_parts_of_cells_beyond_the_limit_are_never_made() -> None:
    """Each of a thousand cells has 1,024 parts of ten corners: 80 MB."""
    users = [("makespan", [n % 7 + 2, n % 5 + 3]) for n in range(10)]
    tracemalloc.start()
    result = refine(Community.of(*users), levels=3, max_cells=2_000)  # type: ignore[arg-type]
    assert [level.cells for level in result.levels] == [1, 1024]
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
