"""Incentive compatibility for all real lengths: symbols, cells, proofs and their certificates."""
