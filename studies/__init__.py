"""Studies: one question asked of a population of scenarios, kept in a store, resumed, and summed up.

A study file (``kind = "study"``) says which scenarios (:mod:`.blocks`), :mod:`.study` enumerates them as tasks,
:mod:`.tasks` answers one, :mod:`.running` all of them through an executor into a store, and :mod:`.results` and
:mod:`.statistics` say what was found.
"""
