"""Placement games for all real lengths at once: whether an equilibrium always exists, and what it can cost."""
