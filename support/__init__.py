"""Floor 0: exact numbers, errors, texts, files, units, progress, Ctrl-C, lazy loading and compiled kernels.

Everything that every floor needs and that knows nothing of jobs, machines or players.
"""
