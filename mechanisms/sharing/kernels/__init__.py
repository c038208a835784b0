"""Event loops over arrays: one text each, compiled for int64 and run by the interpreter for Python's integers.

Kernels check nothing: their callers validate, copy and prove beforehand which arithmetic is safe.
"""
