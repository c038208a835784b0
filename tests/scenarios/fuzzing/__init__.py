"""A fuzzer of everything that reads: files, records and options are broken at random, the command line is called.

From the repository's root, ``python -m tests.scenarios.fuzzing --cases 100000 --seed 1`` calls the command's entry
function in worker processes, ``--processes 500`` starts the command itself; ``--only 4711`` shows one case.
"""
