"""Floor 3: the rules. One folder per kind; :mod:`.kinds` and :mod:`.registry` name everything without importing it."""
