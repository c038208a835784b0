"""Event loops over arrays: one text each, compiled for int64 and run by the interpreter for Python's integers.

``ref``: REF, and its potentials of coalitions. ``sampled``: RAND, and REF on sampled coalitions. ``direct``:
DIRECTCONTR, corrected and printed. ``queues``: fifo, round-robin and the fair shares; ``decay``: those with a
half-life; ``trees``: Slurm's priorities. ``events``: the schedule in progress that all of them share.

Kernels check nothing: their callers validate, copy and prove beforehand which arithmetic is safe.
"""
