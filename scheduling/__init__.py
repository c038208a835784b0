"""Floor 0: machines, work functions, allocations, welfare, optimisers, list scheduling and metrics."""
