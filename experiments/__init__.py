"""Floor 7: the published experiments: what was published, beside the results of the shipped studies that repeat them.

=================================  ====================================================================================
study, or module                   repeats
=================================  ====================================================================================
``cordeiro2012/section-3.5``       Cordeiro 2012, section 3.5: heuristics on random federations
``cordeiro2012/section-6.3``       Cordeiro 2012, section 6.3: fairness among the users of a log
``skowron-rzadca2013/table-1``     Skowron & Rzadca 2013, table 1; ``table-2`` and ``organizations`` likewise
``proved_claims``                  Agmon 2003: what is proved of the rules for all lengths
=================================  ====================================================================================

``consortium study run NAME --store STORE`` runs a study, and ``python -m consortium.experiments STORE`` judges what it
found; ``python -m consortium.experiments.proved_claims`` runs by itself.
"""
