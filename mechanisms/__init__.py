"""Floor 3: the rules. One folder per kind; :mod:`.kinds` names everything without importing it."""
