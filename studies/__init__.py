"""Floor 7: populations of scenarios: what is asked of many instances at once, and hunts for one that breaks a rule."""
