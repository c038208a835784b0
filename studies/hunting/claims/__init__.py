"""How each claim of a rule is decided on one scenario, by the verbs: a table per kind."""
