"""Floor 2: the rules. One folder per family; :mod:`.registry` knows their names without importing their code."""
