"""Mutation tests: small slips are made in the package, and some test has to notice each.

``python -m tests.mutation`` draws 200 mutants by a fixed seed over all floors, makes them one by one in a copy of the
checkout, and runs the tests that call what is mutated, likeliest first. It can be stopped at any moment and goes on
where it was; ``--shard 2/4`` does a quarter, in a folder of its own. A survivor gets a test, or an entry in
:file:`equivalent.toml` with the reason why no test can tell it from the package. Not part of the tests that must be
green.
"""
