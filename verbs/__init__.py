"""Floor 5: what each verb does for each kind of scenario. :mod:`consortium.api` is the front door."""
