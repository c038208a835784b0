"""The check at full speed, for the built-in rules in one round: plans and cost tables in integers."""
