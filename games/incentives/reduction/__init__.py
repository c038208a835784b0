"""A proof for every allocation rule at once: invariants of a run, inequalities on the smallest sum of times."""
