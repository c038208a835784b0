"""Studies: one question asked of a population of scenarios, kept in a store, resumed, and summed up.

A study file (``kind = "study"``) says which scenarios (:mod:`.blocks`, :mod:`.reader`), :mod:`.study` enumerates
them as tasks, :mod:`.running` answers them through an executor into a store (:mod:`.store`), and :mod:`.results`,
:mod:`.statistics` and :mod:`.display` say what came out. Hunts for counterexamples are in :mod:`.hunting`.
"""
